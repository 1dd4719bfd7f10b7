//! From the paths on the command line to the files to read.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::base::text::{is_binary, text_of};
use crate::report::finding::{FileReport, FileStatus, Message};

/// Larger files are generated, or data.
pub const MAX_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    Cuda,
    /// A protocol as text.
    Protocol,
    OpenCl,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub path: PathBuf,
    pub kind: InputKind,
}

/// What was found under the paths; what could not be read is a failed file of the report.
#[derive(Debug, Default)]
pub struct Walk {
    pub inputs: Vec<Input>,
    pub failed: Vec<FileReport>,
}

/// The files under the paths, in the order of the paths and sorted by name within a folder; each file once, by the
/// first path that leads to it.
///
/// A file that is named itself is taken whatever its name. Folders are searched for `.cu`, `.cuh`, `.cl` and `.map`; hidden
/// files and what `.gitignore` and `.ignore` name are left out, inside and outside of a git repository. Symbolic links
/// are followed.
pub fn walk(paths: &[PathBuf]) -> Walk {
    let mut walk = Walk::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        match fs::metadata(path) {
            Err(error) => walk.fail(path, &error),
            Ok(found) if found.is_dir() => walk.folder(path, &mut seen),
            Ok(_) => walk.take(path, kind_of(path).unwrap_or(InputKind::Cuda), &mut seen),
        }
    }
    walk
}

impl Walk {
    fn folder(&mut self, folder: &Path, seen: &mut BTreeSet<PathBuf>) {
        let entries =
            WalkBuilder::new(folder).follow_links(true).require_git(false).sort_by_file_name(|a, b| a.cmp(b)).build();
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|t| t.is_file()) => {
                    if let Some(kind) = kind_of(entry.path()) {
                        self.take(entry.path(), kind, seen);
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    let (path, text) = describe(&error);
                    self.failed.push(failed(path.unwrap_or(folder), unreadable(text)));
                }
            }
        }
    }

    fn take(&mut self, path: &Path, kind: InputKind, seen: &mut BTreeSet<PathBuf>) {
        if seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())) {
            self.inputs.push(Input { path: path.to_owned(), kind });
        }
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        self.failed.push(failed(path, unreadable(io_text(error))));
    }
}

/// The text of a file without a byte order mark, or why there is none.
pub fn read(path: &Path) -> Result<String, Box<Message>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|e| Box::new(unreadable(io_text(&e))))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| Box::new(unreadable(io_text(&e))))?;
    if bytes.len() as u64 > MAX_BYTES {
        let text = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        return Err(Box::new(Message { code: "too-large", text, at: None, help: None }));
    }
    if is_binary(&bytes) {
        let text = "the file is not text: it has NUL bytes, and is not UTF-8".to_owned();
        let help = Some("convert it, for instance with `iconv -f utf-16 -t utf-8`".to_owned());
        return Err(Box::new(Message { code: "not-text", text, at: None, help }));
    }
    let text = text_of(bytes);
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// The report of a file of which nothing could be read.
pub fn failed(path: &Path, message: Message) -> FileReport {
    FileReport { path: path_text(path), text: String::new(), status: FileStatus::Failed, messages: vec![message] }
}

/// A path as reports show it.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn kind_of(path: &Path) -> Option<InputKind> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "cu" | "cuh" => Some(InputKind::Cuda),
        "map" => Some(InputKind::Protocol),
        "cl" => Some(InputKind::OpenCl),
        _ => None,
    }
}

fn unreadable(text: String) -> Message {
    Message { code: "unreadable-file", text, at: None, help: None }
}

/// The path that an error of the walk is about, and what happened.
fn describe(error: &ignore::Error) -> (Option<&Path>, String) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let (inner, text) = describe(err);
            (inner.or(Some(path)), text)
        }
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => describe(err),
        ignore::Error::Loop { ancestor, child } => {
            (Some(child), format!("a symbolic link leads back to {}", path_text(ancestor)))
        }
        ignore::Error::Io(error) => (None, io_text(error)),
        other => (None, other.to_string()),
    }
}

/// What the system says, without its error number.
fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => {
            let text = error.to_string();
            text.split_once(" (os error").map_or(text.clone(), |(text, _)| text.to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, each with its path as text.
    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        for file in files {
            write(&root, file, file.as_bytes());
        }
        root
    }

    fn write(root: &tempfile::TempDir, file: &str, bytes: &[u8]) {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// The inputs and the failures under `root`, relative to it.
    fn shown(root: &tempfile::TempDir, paths: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
        let paths: Vec<PathBuf> = paths.iter().map(|p| root.path().join(p)).collect();
        let walk = walk(&paths);
        let prefix = path_text(root.path()) + "/";
        let short = |path: &str| path.replace(&prefix, "");
        let inputs = walk.inputs.iter().map(|i| short(&path_text(&i.path))).collect();
        let failed = walk
            .failed
            .iter()
            .map(|f| (short(&f.path), f.messages.iter().map(|m| short(&m.text)).collect::<Vec<_>>().join("; ")))
            .collect();
        (inputs, failed)
    }

    #[test]
    fn folders_are_searched_in_a_stable_order() {
        let root =
            tree(&["b.cu", "a/z.cuh", "a/b/c.cu", "a/p.map", "x.cpp", "k.cl", "README", ".hidden/h.cu", "UP.CU"]);
        let (inputs, failed) = shown(&root, &[""]);
        assert_eq!(inputs, ["UP.CU", "a/b/c.cu", "a/p.map", "a/z.cuh", "b.cu", "k.cl"]);
        assert!(failed.is_empty());
    }

    #[test]
    fn ignore_files_are_honoured_but_not_against_a_name() {
        let root = tree(&["keep.cu", "gen/g.cu", "skip.cu", "sub/skip.cu"]);
        write(&root, ".gitignore", b"gen/\nskip.cu\n");
        assert_eq!(shown(&root, &[""]).0, ["keep.cu"]);
        assert_eq!(shown(&root, &["", "skip.cu"]).0, ["keep.cu", "skip.cu"]);
    }

    #[test]
    fn a_file_that_is_named_is_taken_whatever_its_name() {
        let root = tree(&["kernel.txt", "k.cl", "k.map"]);
        let paths: Vec<PathBuf> = ["kernel.txt", "k.cl", "k.map"].iter().map(|p| root.path().join(p)).collect();
        let kinds: Vec<InputKind> = walk(&paths).inputs.iter().map(|i| i.kind).collect();
        assert_eq!(kinds, [InputKind::Cuda, InputKind::OpenCl, InputKind::Protocol]);
    }

    #[test]
    fn no_file_comes_twice() {
        let root = tree(&["a/x.cu", "b.cu"]);
        assert_eq!(shown(&root, &["b.cu", "", "a", "a/../b.cu"]).0, ["b.cu", "a/x.cu"]);
    }

    #[test]
    fn a_missing_path_is_a_failure_and_the_rest_is_still_walked() {
        let root = tree(&["a.cu"]);
        let (inputs, failed) = shown(&root, &["gone.cu", "a.cu"]);
        assert_eq!(inputs, ["a.cu"]);
        assert_eq!(failed, [("gone.cu".to_owned(), "no such file or directory".to_owned())]);
    }

    #[test]
    fn an_empty_folder_is_no_failure() {
        let root = tree(&[]);
        let (inputs, failed) = shown(&root, &[""]);
        assert!(inputs.is_empty() && failed.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_not_in_circles() {
        use std::os::unix::fs::symlink;
        let root = tree(&["src/a.cu", "other/o.cu"]);
        let link = |to: &str, at: &str| symlink(root.path().join(to), root.path().join(at)).expect("a link");
        link("src", "src/back");
        link("other", "src/other");
        link("nowhere.cu", "src/broken.cu");
        link("self.cu", "self.cu");
        let (inputs, failed) = shown(&root, &["src", "self.cu"]);
        assert_eq!(inputs, ["src/a.cu", "src/other/o.cu"]);
        let places: Vec<&str> = failed.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(places, ["src/back", "src/broken.cu", "self.cu"]);
        assert_eq!(
            failed[0].1,
            format!(
                "a symbolic link leads back to {}",
                path_text(&root.path().join("src")).replace(&(path_text(root.path()) + "/"), "")
            )
        );
        assert_eq!(failed[1].1, "no such file or directory");
        assert_eq!(failed[2].1, "too many levels of symbolic links");
    }

    /// Rights do not stop the superuser, so the error is made by hand: this is what the walk returns for such a folder.
    #[test]
    fn a_folder_without_rights_is_a_failure_with_its_path() {
        let io = ignore::Error::Io(io::ErrorKind::PermissionDenied.into());
        let path = ignore::Error::WithPath { path: PathBuf::from("secret"), err: Box::new(io) };
        let error = ignore::Error::WithDepth { depth: 1, err: Box::new(path) };
        assert_eq!(describe(&error), (Some(Path::new("secret")), "permission denied".to_owned()));
    }

    #[test]
    fn text_is_read_without_its_byte_order_mark() {
        let root = tree(&[]);
        write(&root, "bom.cu", b"\xef\xbb\xbfint x;");
        assert_eq!(read(&root.path().join("bom.cu")), Ok("int x;".to_owned()));
        write(&root, "latin1.cu", b"// \xe9\nint x;");
        assert_eq!(read(&root.path().join("latin1.cu")), Ok("// \u{1a}\nint x;".to_owned()));
    }

    #[test]
    fn what_is_no_text_is_refused_with_a_code() {
        let root = tree(&["a.cu"]);
        write(&root, "utf16.cu", b"\xff\xfe/\0/\0");
        let large = fs::File::create(root.path().join("large.cu")).and_then(|f| f.set_len(MAX_BYTES + 1));
        assert!(large.is_ok());
        let code = |file: &str| read(&root.path().join(file)).map_err(|m| (m.code, m.text)).err();
        let why = "the file is not text: it has NUL bytes, and is not UTF-8".to_owned();
        assert_eq!(code("utf16.cu"), Some(("not-text", why)));
        assert_eq!(code("large.cu"), Some(("too-large", "the file is larger than 16 MiB".to_owned())));
        assert_eq!(code("gone.cu"), Some(("unreadable-file", "no such file or directory".to_owned())));
        assert_eq!(code("").map(|(code, _)| code), Some("unreadable-file"));
    }
}
