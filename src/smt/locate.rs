//! Finds a solver on this machine.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The solvers whose options we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverKind {
    Z3,
    Cvc5,
    Yices,
}

impl SolverKind {
    /// In the order in which they are looked for.
    pub const ALL: [SolverKind; 3] = [SolverKind::Z3, SolverKind::Cvc5, SolverKind::Yices];

    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Z3 => "z3",
            SolverKind::Cvc5 => "cvc5",
            SolverKind::Yices => "yices",
        }
    }

    /// The file that it is installed as.
    pub fn program(self) -> &'static str {
        match self {
            SolverKind::Z3 => "z3",
            SolverKind::Cvc5 => "cvc5",
            SolverKind::Yices => "yices-smt2",
        }
    }
}

/// A solver on this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    pub path: PathBuf,
    pub kind: SolverKind,
}

/// Why there is no solver to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    #[error("no SMT solver was found; install one with `pip install z3-solver` or `apt-get install z3`")]
    Nothing,
    #[error("the solver `{0}` does not exist; install one with `pip install z3-solver` or `apt-get install z3`")]
    Missing(PathBuf),
    #[error(
        "the solver `{0}` cannot be run as a program; install one with `pip install z3-solver` or `apt-get install z3`"
    )]
    NotExecutable(PathBuf),
    #[error(
        "`{0}` is none of z3, cvc5 and yices-smt2; install one with `pip install z3-solver` or `apt-get install z3`"
    )]
    UnknownKind(PathBuf),
}

/// The solver to use: `explicit` if given, else the one that the environment variable `FAIAL_SOLVER` names, else the
/// first of z3, cvc5 and yices-smt2 on the `PATH`, else the one that was installed with this program.
pub fn locate(explicit: Option<&Path>) -> Result<Located, LocateError> {
    locate_known(explicit, |_| None)
}

/// The same; what a program is that does not have the name of a solver is looked up before the program is asked.
pub fn locate_known(
    explicit: Option<&Path>,
    known: impl FnOnce(&Path) -> Option<SolverKind>,
) -> Result<Located, LocateError> {
    let named = explicit
        .map(Path::to_path_buf)
        .or_else(|| std::env::var_os("FAIAL_SOLVER").filter(|value| !value.is_empty()).map(PathBuf::from));
    if let Some(named) = named {
        let path = resolve(&named)?;
        return match kind_by_name(&path).or_else(|| known(&path)).or_else(|| kind_by_version(&path)) {
            Some(kind) => Ok(Located { path, kind }),
            None => Err(LocateError::UnknownKind(path)),
        };
    }
    for kind in SolverKind::ALL {
        if let Some(path) = on_path(OsStr::new(kind.program())) {
            return Ok(Located { path, kind });
        }
    }
    let folder = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    folder.and_then(|folder| beside(&folder)).ok_or(LocateError::Nothing)
}

/// A solver in the folder of the program, or in a folder `solver` around it (`.ci/setup` installs one there).
fn beside(folder: &Path) -> Option<Located> {
    let near = [folder.to_path_buf(), folder.join("../solver/bin"), folder.join("../../solver/bin")];
    let all = near.iter().flat_map(|near| SolverKind::ALL.map(|kind| (near.join(kind.program()), kind)));
    all.filter_map(|(file, kind)| Some(Located { path: file.canonicalize().ok()?, kind }))
        .find(|found| std::fs::metadata(&found.path).is_ok_and(|meta| meta.is_file() && executable(&meta)))
}

/// The program that a name or a path stands for.
pub(super) fn resolve(named: &Path) -> Result<PathBuf, LocateError> {
    if named.components().count() == 1 && !named.exists() {
        return on_path(named.as_os_str()).ok_or_else(|| LocateError::Missing(named.to_path_buf()));
    }
    // A bare name would be looked up on the PATH when it is run.
    let path = if named.components().count() == 1 { Path::new(".").join(named) } else { named.to_path_buf() };
    match std::fs::metadata(&path) {
        Err(_) => Err(LocateError::Missing(path)),
        Ok(meta) if !meta.is_file() || !executable(&meta) => Err(LocateError::NotExecutable(path)),
        Ok(_) => Ok(path),
    }
}

pub(super) fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && executable(&meta)))
}

#[cfg(unix)]
fn executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &std::fs::Metadata) -> bool {
    true
}

fn kind_by_name(path: &Path) -> Option<SolverKind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    SolverKind::ALL.into_iter().find(|kind| name.contains(kind.name()))
}

fn kind_by_version(path: &Path) -> Option<SolverKind> {
    let text = version_text(path);
    SolverKind::ALL.into_iter().find(|kind| text.contains(kind.name()))
}

/// What the program says of itself, in small letters. It has two seconds.
pub(super) fn version_text(path: &Path) -> String {
    let child =
        Command::new(path).arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return String::new() };
    let Some(stdout) = child.stdout.take() else { return String::new() };
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stdout.take(4096).read_to_end(&mut text);
        let _ = send.send(String::from_utf8_lossy(&text).to_lowercase());
    });
    let text = receive.recv_timeout(Duration::from_secs(2)).unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_solver_is_named_with_the_way_to_get_one() {
        let error = locate(Some(Path::new("/nonexistent/z3"))).expect_err("there is no such file");
        assert_eq!(error, LocateError::Missing(PathBuf::from("/nonexistent/z3")));
        assert!(error.to_string().contains("pip install z3-solver"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_solver_that_was_installed_with_the_program_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a folder");
        let (program, solver) = (root.path().join("release"), root.path().join("solver/bin"));
        for folder in [&program, &solver] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        assert_eq!(beside(&program), None);
        let file = solver.join("z3");
        std::fs::write(&file, "#!/bin/sh\n").expect("a file");
        assert_eq!(beside(&program), None, "it cannot be run");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        let path = file.canonicalize().expect("a path");
        assert_eq!(beside(&program), Some(Located { path, kind: SolverKind::Z3 }));
    }

    #[test]
    fn a_directory_is_not_a_solver() {
        assert_eq!(locate(Some(Path::new("/tmp"))), Err(LocateError::NotExecutable(PathBuf::from("/tmp"))));
    }
}
