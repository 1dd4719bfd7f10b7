//! A second solver, which is asked to confirm what the first one calls unsatisfiable: an `unsat` is a proof, and a wrong
//! one would be a wrong proof. It gets the same assertions, in a process of its own for each question.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::locate::{LocateError, Located, on_path, resolve, version_text};
use super::process::Process;

/// A solver that can be the second one: how it is called, the programs it comes as, and what it wants to hear first.
struct Known {
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    /// Logics to try in turn, from the least, until one covers the script; `None` for what all solvers take.
    logics: &'static [&'static str],
}

const KNOWN: [Known; 3] = [
    Known { name: "z3", program: "z3", args: &["-in", "-smt2", "-memory:4096"], logics: &["ALL"] },
    Known { name: "cvc5", program: "cvc5", args: &["--lang", "smt2"], logics: &["ALL"] },
    // Its `ALL` is without products of unknowns, and the logic that has them is without bit-vectors.
    Known { name: "yices", program: "yices-smt2", args: &[], logics: &["ALL", "QF_UFNIA"] },
];

/// How much of an answer is read: it is one word or an error.
const MAX_ANSWER: usize = 1 << 16;

/// Why the second solver cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecondError {
    #[error("{0}")]
    Locate(#[from] LocateError),
    #[error("no second solver was found: none of z3, cvc5 and yices-smt2 on the PATH is another one than `{0}`")]
    Nothing(PathBuf),
    #[error("`{0}` is none of z3, cvc5 and yices-smt2")]
    UnknownKind(PathBuf),
    #[error("`{0}` is the first solver too: an answer is confirmed by another one")]
    Same(PathBuf),
}

/// The second solver, and what came of asking it. Shared by all sessions of a run.
pub struct Second {
    path: PathBuf,
    known: &'static Known,
    timeout: Duration,
    /// Where scripts are left in case of a disagreement.
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    tally: Tally,
    disagreement: Option<String>,
}

/// How often the second solver was asked, and did not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub confirmed: u64,
    pub undecided: u64,
}

/// What the second solver says to an `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    Confirmed,
    /// It gave no answer, for this reason.
    Undecided(String),
    /// It found a solution. The message names the scripts.
    Disagrees(String),
}

impl Second {
    /// The solver at `explicit`, or the first on the `PATH` that is another one than `first`; one of another kind before
    /// another version of the same.
    pub fn locate(
        explicit: Option<&Path>,
        first: &Located,
        timeout: Duration,
        folder: PathBuf,
    ) -> Result<Second, SecondError> {
        let is_first = |path: &Path| path.canonicalize().ok() == first.path.canonicalize().ok();
        let (path, known) = match explicit {
            Some(named) => {
                let path = resolve(named)?;
                if is_first(&path) {
                    return Err(SecondError::Same(path));
                }
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                let named_in = |text: &str| KNOWN.iter().find(|k| text.contains(k.name));
                match named_in(&name).or_else(|| named_in(&version_text(&path))) {
                    Some(known) => (path, known),
                    None => return Err(SecondError::UnknownKind(path)),
                }
            }
            None => {
                let there = KNOWN.iter().filter_map(|k| Some((on_path(k.program.as_ref())?, k)));
                let mut others: Vec<_> = there.filter(|(path, _)| !is_first(path)).collect();
                others.sort_by_key(|(_, k)| k.name == first.kind.name());
                match others.into_iter().next() {
                    Some(found) => found,
                    None => return Err(SecondError::Nothing(first.path.clone())),
                }
            }
        };
        Ok(Second { path, known, timeout, folder, state: Mutex::default() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn tally(&self) -> Tally {
        self.state.lock().map(|s| s.tally.clone()).unwrap_or_default()
    }

    /// What the solvers disagree about. From then on there is nothing to be believed.
    pub fn disagreement(&self) -> Option<String> {
        self.state.lock().ok().and_then(|s| s.disagreement.clone())
    }

    /// Asks about declarations and assertions that the first solver called unsatisfiable.
    pub(super) fn opinion(&self, first: &Located, text: &str) -> Opinion {
        let deadline = Instant::now() + self.timeout;
        let mut opinion = Opinion::Undecided("it was not asked".to_string());
        for logic in self.known.logics {
            let script = format!("(set-logic {logic})\n{text}(check-sat)\n");
            opinion = match self.ask(&script, deadline) {
                Ok(said) if said == "unsat" => Opinion::Confirmed,
                Ok(said) if said == "sat" => Opinion::Disagrees(self.disagree(first, text, &script)),
                Ok(said) => Opinion::Undecided(format!("it says `{}`", said.chars().take(100).collect::<String>())),
                Err(why) => Opinion::Undecided(why),
            };
            if !matches!(&opinion, Opinion::Undecided(why) if why.contains("(error")) {
                break;
            }
        }
        if let Ok(mut state) = self.state.lock() {
            match &opinion {
                Opinion::Confirmed => state.tally.confirmed += 1,
                Opinion::Undecided(_) => state.tally.undecided += 1,
                Opinion::Disagrees(what) => {
                    state.disagreement.get_or_insert_with(|| what.clone());
                }
            }
        }
        opinion
    }

    fn ask(&self, script: &str, deadline: Instant) -> Result<String, String> {
        let mut process = Process::start(&self.path, self.known.args, MAX_ANSWER).map_err(|e| e.to_string())?;
        process.send(script);
        process.read(deadline, None).map_err(|e| e.to_string())
    }

    /// Leaves both scripts where they can be run by hand.
    fn disagree(&self, first: &Located, text: &str, script: &str) -> String {
        let first_script = format!("; {} says unsat\n(set-logic ALL)\n{text}(check-sat)\n", first.path.display());
        let second_script = format!("; {} says sat\n{script}", self.path.display());
        let mut saved = Vec::new();
        for (which, script) in [("first", first_script), ("second", second_script)] {
            let path = self.folder.join(format!("disagreement-{}-{which}.smt2", std::process::id()));
            saved.push(match std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&path, script)) {
                Ok(()) => format!("`{}`", path.display()),
                Err(error) => format!("`{}`, which could not be written ({error})", path.display()),
            });
        }
        format!(
            "the solvers disagree: `{}` says unsat, and `{}` says sat; their scripts are in {}",
            first.path.display(),
            self.path.display(),
            saved.join(" and ")
        )
    }
}
