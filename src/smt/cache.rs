//! Answers that were given before, in this run or, with a folder, in an earlier one.
//!
//! An answer is found by a strong hash of all that it follows from: the query, the encodings that were allowed, the solver
//! and the sources of the encoders. What was not decided in its time may be the next time: that is kept for a day, and only
//! counts for a question that has no more time.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;

use super::canonical::canonical;
use super::entry::{self, Digest};
use super::locate::{Located, SolverKind};
use super::query::{Answer, Query, Reason};
use super::session::Effort;
use super::store::{MAX_BYTES, Store};

/// A change to any of these files may change an answer, or mend one that was wrong: then nothing from before counts.
const SOURCES: [(&str, &str); 28] = [
    ("exp/build.rs", include_str!("../exp/build.rs")),
    ("exp/conversions.rs", include_str!("../exp/conversions.rs")),
    ("exp/display.rs", include_str!("../exp/display.rs")),
    ("exp/eval.rs", include_str!("../exp/eval.rs")),
    ("exp/interval.rs", include_str!("../exp/interval.rs")),
    ("exp/keeping.rs", include_str!("../exp/keeping.rs")),
    ("exp/mod.rs", include_str!("../exp/mod.rs")),
    ("exp/subst.rs", include_str!("../exp/subst.rs")),
    ("exp/syntax.rs", include_str!("../exp/syntax.rs")),
    ("exp/wrap.rs", include_str!("../exp/wrap.rs")),
    ("smt/bits.rs", include_str!("bits.rs")),
    ("smt/cache.rs", include_str!("cache.rs")),
    ("smt/canonical.rs", include_str!("canonical.rs")),
    ("smt/decode.rs", include_str!("decode.rs")),
    ("smt/emit.rs", include_str!("emit.rs")),
    ("smt/entry.rs", include_str!("entry.rs")),
    ("smt/ints.rs", include_str!("ints.rs")),
    ("smt/loosen.rs", include_str!("loosen.rs")),
    ("smt/locate.rs", include_str!("locate.rs")),
    ("smt/mod.rs", include_str!("mod.rs")),
    ("exp/poly.rs", include_str!("../exp/poly.rs")),
    ("smt/process.rs", include_str!("process.rs")),
    ("smt/products.rs", include_str!("products.rs")),
    ("smt/query.rs", include_str!("query.rs")),
    ("smt/second.rs", include_str!("second.rs")),
    ("smt/session.rs", include_str!("session.rs")),
    ("smt/store.rs", include_str!("store.rs")),
    ("base/name.rs", include_str!("../base/name.rs")),
];

const SOLVER: &str = "faial-like solver 1";
const RUN: &str = "faial-like run 1";
/// How long it counts that a question was not decided.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// A file that is younger may still change without a change of its times.
const SETTLED: Duration = Duration::from_secs(2);

/// Shared by all sessions of a run.
pub struct Cache {
    answers: Mutex<FxHashMap<Digest, Answer>>,
    solvers: Mutex<FxHashMap<PathBuf, Option<Solver>>>,
    store: Option<Store>,
    /// Of the sources of the encoders; most files put no question, and need none.
    tool: OnceLock<Digest>,
}

/// A program as it is at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solver {
    /// Of its contents, which include its version.
    pub digest: Digest,
    /// What it says it is, if it was asked.
    pub kind: Option<SolverKind>,
}

impl Cache {
    /// For one run.
    pub fn in_memory() -> Cache {
        Cache::new(None)
    }

    /// For all runs that name this folder.
    pub fn in_folder(folder: PathBuf) -> Cache {
        Cache::new(Some(Store::new(folder, MAX_BYTES)))
    }

    fn new(store: Option<Store>) -> Cache {
        Cache { answers: Mutex::default(), solvers: Mutex::default(), store, tool: OnceLock::new() }
    }

    fn tool(&self) -> &Digest {
        self.tool.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            field(&mut hasher, env!("CARGO_PKG_VERSION").as_bytes());
            for (name, text) in SOURCES {
                field(&mut hasher, name.as_bytes());
                field(&mut hasher, text.as_bytes());
            }
            hasher.finalize()
        })
    }

    /// Why answers are not kept for later runs, if the folder cannot be used.
    pub fn trouble(&self) -> Option<String> {
        self.store.as_ref().and_then(Store::trouble)
    }

    /// What all questions of a session have in common.
    pub(super) fn context(&self, settings: &str, solver: &Located, second: Option<&Path>) -> Option<Digest> {
        let mut hasher = blake3::Hasher::new();
        field(&mut hasher, self.tool().as_bytes());
        field(&mut hasher, settings.as_bytes());
        field(&mut hasher, solver.kind.name().as_bytes());
        for path in [Some(solver.path.as_path()), second].into_iter().flatten() {
            match self.store {
                Some(_) => field(&mut hasher, self.solver(path)?.digest.as_bytes()),
                // Within a run a path is one program.
                None => field(&mut hasher, path.as_os_str().as_encoded_bytes()),
            }
        }
        Some(hasher.finalize())
    }

    /// A question whose model nobody looks at is another one: its model is any. So is one that is given little work.
    pub(super) fn key(&self, context: &Digest, query: &Query, (any_model, effort): (bool, Effort)) -> Digest {
        let mut hasher = blake3::Hasher::new();
        field(&mut hasher, context.as_bytes());
        field(&mut hasher, &[u8::from(any_model), effort as u8]);
        field(&mut hasher, &canonical(query));
        hasher.finalize()
    }

    pub(super) fn get(&self, key: &Digest, query: &Query) -> Option<Answer> {
        if let Some(answer) = self.answers.lock().ok().and_then(|all| all.get(key).cloned()) {
            return Some(answer);
        }
        let text = self.store.as_ref()?.read(key)?;
        let answer = entry::read(&text, key, query)?;
        self.remember(key, &answer);
        Some(answer)
    }

    pub(super) fn put(&self, key: &Digest, query: &Query, answer: &Answer) {
        let Some(text) = entry::write(key, query, answer) else { return };
        self.remember(key, answer);
        if let Some(store) = &self.store {
            store.write(key, &text);
        }
    }

    /// Why the question was not decided in this time or more, less than a day ago.
    pub(super) fn gave_up(&self, key: &Digest, time: Duration) -> Option<Reason> {
        let key = undecided(key);
        let (when, had, reason) = entry::read_give_up(&self.store.as_ref()?.read(&key)?, &key)?;
        let age = SystemTime::now().duration_since(UNIX_EPOCH.checked_add(Duration::from_secs(when))?).ok()?;
        (age < PATIENCE && had >= time).then_some(reason)
    }

    /// Keeps that the question was not decided, though it had all of its time.
    pub(super) fn give_up(&self, key: &Digest, time: Duration, reason: &Reason) {
        let (Some(store), Ok(now)) = (&self.store, SystemTime::now().duration_since(UNIX_EPOCH)) else { return };
        let key = undecided(key);
        if let Some(text) = entry::write_give_up(&key, now.as_secs(), time, reason) {
            store.write(&key, &text);
        }
    }

    fn remember(&self, key: &Digest, answer: &Answer) {
        if let Ok(mut all) = self.answers.lock() {
            all.insert(*key, answer.clone());
        }
    }

    /// The key of what follows from this text and from this program, as it was built; `None` where nothing is kept for later
    /// runs.
    pub fn key_of(&self, text: &dyn fmt::Debug) -> Option<Digest> {
        self.store.as_ref()?;
        let mut hasher = blake3::Hasher::new();
        field(&mut hasher, RUN.as_bytes());
        field(&mut hasher, self.solver(&std::env::current_exe().ok()?)?.digest.as_bytes());
        let mut text_of = Hashed(hasher);
        fmt::write(&mut text_of, format_args!("{text:?}")).ok()?;
        Some(text_of.0.finalize())
    }

    /// The text that an earlier run kept under this key.
    pub fn kept(&self, key: &Digest) -> Option<String> {
        let text = self.store.as_ref()?.read(key)?;
        entry::unseal(&text, RUN, key).map(str::to_owned)
    }

    /// Keeps a text, which ends with a new line, for later runs.
    pub fn keep(&self, key: &Digest, text: &str) {
        if let Some(store) = &self.store {
            store.write(key, &entry::seal(RUN, key, text));
        }
    }

    /// The kind of a solver that was asked for it in an earlier run.
    pub fn known_kind(&self, path: &Path) -> Option<SolverKind> {
        self.solver(path)?.kind
    }

    /// What a program is, which takes reading all of it only the first time. Nothing if it cannot be read.
    pub fn solver(&self, path: &Path) -> Option<Solver> {
        if let Some(known) = self.solvers.lock().ok().and_then(|all| all.get(path).copied()) {
            return known;
        }
        let solver = self.look(path);
        if let Ok(mut all) = self.solvers.lock() {
            all.insert(path.to_path_buf(), solver);
        }
        solver
    }

    fn look(&self, path: &Path) -> Option<Solver> {
        let path = path.canonicalize().ok()?;
        let meta = path.metadata().ok()?;
        let key = state(&path, &meta);
        if let Some(known) = self.store.as_ref().and_then(|store| store.read(&key)).and_then(|t| solver(&t, &key)) {
            return Some(known);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(std::fs::File::open(&path).ok()?).ok()?;
        let solver = Solver { digest: hasher.finalize(), kind: None };
        self.note(&key, &meta, &solver);
        Some(solver)
    }

    /// Keeps what a solver said it is, so that it need not be started for that again.
    pub fn learn_kind(&self, solver: &Located) {
        let Some(known) = self.solver(&solver.path) else { return };
        let known = Solver { kind: Some(solver.kind), ..known };
        if let Ok(path) = solver.path.canonicalize()
            && let Ok(meta) = path.metadata()
        {
            self.note(&state(&path, &meta), &meta, &known);
        }
        if let Ok(mut all) = self.solvers.lock() {
            all.insert(solver.path.clone(), Some(known));
        }
    }

    fn note(&self, key: &Digest, meta: &std::fs::Metadata, solver: &Solver) {
        let settled = changed(meta).is_some_and(|t| t.elapsed().is_ok_and(|age| age > SETTLED));
        if let (Some(store), true) = (&self.store, settled) {
            let kind = solver.kind.map_or("unasked", SolverKind::name);
            store.write(key, &entry::seal(SOLVER, key, &format!("{} {kind}\n", solver.digest)));
        }
    }
}

fn solver(text: &str, key: &Digest) -> Option<Solver> {
    let (digest, kind) = entry::unseal(text, SOLVER, key)?.trim_end().split_once(' ')?;
    let kind = SolverKind::ALL.into_iter().find(|k| k.name() == kind);
    Some(Solver { digest: Digest::from_hex(digest).ok()?, kind })
}

/// The key under which it is kept that a question was not decided.
fn undecided(key: &Digest) -> Digest {
    let mut hasher = blake3::Hasher::new();
    field(&mut hasher, b"in its time");
    field(&mut hasher, key.as_bytes());
    hasher.finalize()
}

/// Hashes a text while it is written.
struct Hashed(blake3::Hasher);

impl fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The length in front: no two lists of fields run together to the same bytes.
fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// By what a file is known without reading it.
fn state(path: &Path, meta: &std::fs::Metadata) -> Digest {
    let mut hasher = blake3::Hasher::new();
    field(&mut hasher, SOLVER.as_bytes());
    field(&mut hasher, path.as_os_str().as_encoded_bytes());
    field(&mut hasher, &meta.len().to_le_bytes());
    field(&mut hasher, format!("{:?}", meta.modified().ok()).as_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // The time of the last change of the inode cannot be set back, as the one of the contents can.
        for part in [meta.dev() as i64, meta.ino() as i64, meta.ctime(), meta.ctime_nsec()] {
            field(&mut hasher, &part.to_le_bytes());
        }
    }
    hasher.finalize()
}

/// When a file changed last, in its contents or otherwise.
fn changed(meta: &std::fs::Metadata) -> Option<SystemTime> {
    let modified = meta.modified().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let inode = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(meta.ctime().try_into().ok()?))?;
        Some(modified.max(inode))
    }
    #[cfg(not(unix))]
    {
        Some(modified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_that_decides_on_answers_is_part_of_the_key() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in ["exp", "smt"] {
            for entry in std::fs::read_dir(src.join(folder)).expect("a folder").flatten() {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                assert!(SOURCES.iter().any(|(n, _)| *n == name), "{name} is missing");
            }
        }
        for (name, text) in SOURCES {
            assert_eq!(std::fs::read_to_string(src.join(name)).expect("a file"), text, "{name}");
        }
    }

    #[test]
    fn giving_up_does_not_count_after_a_day_or_before_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::in_folder(folder.path().to_path_buf());
        let (key, time) = (blake3::hash(b"a question"), Duration::from_secs(3));
        let store = cache.store.as_ref().expect("a folder");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        for (when, counts) in [(now - 60, true), (now - 90_000, false), (now + 600, false)] {
            let own = undecided(&key);
            store.write(&own, &entry::write_give_up(&own, when, time, &Reason::Timeout).expect("it can be stored"));
            assert_eq!(cache.gave_up(&key, time).is_some(), counts, "{when}");
            assert_eq!(cache.gave_up(&key, time / 2).is_some(), counts, "{when}");
            assert_eq!(cache.gave_up(&key, time * 2), None);
        }
    }

    #[test]
    fn a_solver_that_changes_is_another_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("z3");
        let mut seen = rustc_hash::FxHashSet::default();
        for text in ["one", "two", "six"] {
            std::fs::write(&path, text).expect("a file");
            let cache = Cache::in_folder(folder.path().join("cache"));
            assert!(seen.insert(cache.solver(&path).expect("a solver").digest), "{text}");
        }
    }

    #[test]
    fn a_solver_is_read_once_and_its_kind_is_learnt() {
        let folder = tempfile::tempdir().expect("a folder");
        // A file that is old enough to be trusted by its times.
        let path = Path::new("/bin/sh");
        if !path.exists() {
            return;
        }
        let cache = || Cache::in_folder(folder.path().to_path_buf());
        let first = cache();
        assert_eq!(first.known_kind(path), None);
        first.learn_kind(&Located { path: path.to_path_buf(), kind: SolverKind::Cvc5 });
        assert_eq!(first.known_kind(path), Some(SolverKind::Cvc5));
        assert_eq!(cache().known_kind(path), Some(SolverKind::Cvc5));
        assert_eq!(cache().solver(path).map(|s| s.digest), first.solver(path).map(|s| s.digest));
    }
}
