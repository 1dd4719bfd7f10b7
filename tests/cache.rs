//! Answers that are kept: what is used again, what is not, and folders in every bad state.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

use faial_like::exp::{IntTy, Interval, N, Var};
use faial_like::smt::{Answer, Cache, Query, Reason, Session, SolverConfig, locate};
use tempfile::TempDir;

const RACY: &str = "corpus/papers/map/listing-2.1-simple-racy.cu";
const FREE: &str = "corpus/papers/map/listing-2.1-simple-drf.cu";

fn solver() -> PathBuf {
    locate(None).unwrap_or_else(|error| panic!("{error}\nor run the tests as `sh .ci/setup cargo test`")).path
}

/// A folder with a cache, and with a solver that leaves a line in a file each time it is started.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        place.install("");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn install(&self, remark: &str) {
        let real = solver();
        let log = self.path("log");
        let kind = if real.to_string_lossy().contains("cvc5") { "cvc5" } else { "z3" };
        let text =
            format!("#!/bin/sh\n# {remark}\necho started >> {}\nexec {} \"$@\"\n", log.display(), real.display());
        let script = self.path(&format!("{kind}.sh"));
        fs::write(&script, text).expect("a script");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("rights");
        fs::write(self.path("solver"), script.display().to_string()).expect("a file");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faial-like"));
        let solver = fs::read_to_string(self.path("solver")).expect("the name of the solver");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("FAIAL_SOLVER", solver);
        command.env("XDG_CACHE_HOME", self.path("user")).args(["check", "-j", "1", "--no-presolve"]).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program runs")
    }

    /// How often the solver was started since this was asked last.
    fn starts(&self) -> usize {
        let count = fs::read_to_string(self.path("log")).unwrap_or_default().lines().count();
        let _ = fs::remove_file(self.path("log"));
        count
    }

    fn entries(&self) -> Vec<PathBuf> {
        files(&self.path("user/faial-like"))
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(files(&path)),
            path => all.push(path),
        }
    }
    all.sort();
    all
}

const RUN: &[u8] = b"faial-like run ";

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn same(one: &Output, two: &Output) {
    assert_eq!(one.status.code(), two.status.code());
    assert_eq!(String::from_utf8_lossy(&one.stdout), String::from_utf8_lossy(&two.stdout));
    assert_eq!(stderr(one), stderr(two));
}

#[test]
fn a_second_run_starts_no_solver_and_says_the_same() {
    let place = Place::new();
    let fresh = place.run(&[FREE, RACY, "--no-cache"]);
    assert_eq!(fresh.status.code(), Some(1), "{}", stderr(&fresh));
    assert!(place.starts() >= 2);
    assert!(place.entries().is_empty(), "{:?}", place.entries());
    let cold = place.run(&[FREE, RACY]);
    assert!(place.starts() >= 1);
    same(&fresh, &cold);
    let warm = place.run(&[FREE, RACY]);
    assert_eq!(place.starts(), 0);
    same(&fresh, &warm);
    // What is checked together with it makes no difference.
    let alone = place.run(&[RACY]);
    assert_eq!(place.starts(), 0);
    same(&place.run(&[RACY, "--no-cache"]), &alone);
}

#[test]
fn what_came_of_a_long_run_of_the_code_is_kept_for_this_code_alone() {
    let place = Place::new();
    let file = place.path("kernel.cu");
    let kernel = |rounds: &str| {
        let text = format!(
            "//--blockDim=64 --gridDim=1\n\
             __global__ void k(int *out) {{\n    float s = 0;\n    \
             for (int i = 0; i < {rounds}; i++) s = s * 0.5f + 1.0f;\n    out[threadIdx.x / 2] = threadIdx.x;\n}}\n"
        );
        fs::write(&file, text).expect("a kernel");
        place.run(&[file.to_str().expect("a name")])
    };
    let runs = || place.entries().iter().filter(|path| fs::read(path).is_ok_and(|e| e.starts_with(RUN))).count();
    let long = kernel("90000000");
    assert!(stdout(&long).contains("the run to the race is too long"), "{}", stdout(&long));
    assert_eq!(runs(), 1);
    same(&long, &kernel("90000000"));
    assert_eq!(runs(), 1);
    // What stands where is the same, and so are the model and the accesses.
    let short = kernel("      90");
    assert!(stdout(&short).contains("the two threads were run with these values"), "{}", stdout(&short));
    // A short run is made again.
    assert_eq!(runs(), 1);
    let shown = kernel("    2000");
    assert!(stdout(&shown).contains("the two threads were run with these values"), "{}", stdout(&shown));
    assert_eq!(runs(), 2);
    same(&shown, &kernel("    2000"));
    assert_eq!(runs(), 2);
}

#[test]
fn a_solver_without_a_telling_name_is_not_asked_for_it_again() {
    let place = Place::new();
    let script = fs::read_to_string(place.path("solver")).expect("the name of the solver");
    let plain = place.path("plain");
    fs::rename(script, &plain).expect("renamed");
    fs::write(place.path("solver"), plain.display().to_string()).expect("a file");
    // The times of a file that has just changed prove nothing.
    std::thread::sleep(Duration::from_millis(2100));
    let cold = place.run(&[FREE]);
    assert!(place.starts() >= 2, "{}", stderr(&cold));
    same(&cold, &place.run(&[FREE]));
    assert_eq!(place.starts(), 0);
}

#[test]
fn another_solver_or_other_assumptions_ask_again() {
    let place = Place::new();
    place.run(&[FREE]);
    assert!(place.starts() >= 1);
    place.install("another version");
    place.run(&[FREE]);
    assert!(place.starts() >= 1, "the solver has changed");
    place.run(&[FREE, "--assume", "n < 7"]);
    assert!(place.starts() >= 1, "the question has changed");
}

/// What becomes of an entry, by its number and contents.
type Damage<'a> = &'a dyn Fn(usize, &[u8]) -> Vec<u8>;

#[test]
fn damaged_and_foreign_entries_are_asked_again_and_mended() {
    let place = Place::new();
    let cold = place.run(&[RACY]);
    let good: Vec<(PathBuf, Vec<u8>)> =
        place.entries().into_iter().map(|path| (path.clone(), fs::read(path).expect("an entry"))).collect();
    assert!(good.len() >= 3, "{good:?}");
    place.starts();
    let damage: [Damage; 5] = [
        &|_, _| Vec::new(),
        &|_, bytes| bytes[..bytes.len() / 2].to_vec(),
        &|_, bytes| bytes.iter().map(|b| if *b == b'1' { b'2' } else { *b }).collect(),
        &|_, _| vec![0xff; 100],
        // A whole entry, of another question.
        &|i, _| good[(i + 1) % good.len()].1.clone(),
    ];
    for (kind, damage) in damage.iter().enumerate() {
        for (i, (path, bytes)) in good.iter().enumerate() {
            fs::write(path, damage(i, bytes)).expect("written");
        }
        same(&cold, &place.run(&[RACY]));
        assert!(place.starts() >= 1, "damage {kind} was believed");
        same(&cold, &place.run(&[RACY]));
        assert_eq!(place.starts(), 0, "damage {kind} was not mended");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_told_once_and_the_run_goes_on() {
    let place = Place::new();
    let expected = place.run(&[FREE, RACY, "--no-cache"]);
    fs::write(place.path("file"), "").expect("a file");
    let below_a_file = place.path("file/sub").display().to_string();
    let output = place.run(&[FREE, RACY, "--cache", &below_a_file]);
    assert_eq!((output.status.code(), &output.stdout), (expected.status.code(), &expected.stdout));
    assert_eq!(stderr(&output).matches("note: ").count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("are not kept"), "{}", stderr(&output));
}

#[test]
fn without_a_home_there_is_one_note() {
    let place = Place::new();
    let mut command = place.command(&[FREE]);
    let output = command.env_remove("XDG_CACHE_HOME").env_remove("HOME").output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("note: ").count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("neither XDG_CACHE_HOME nor HOME"), "{}", stderr(&output));
}

#[test]
fn processes_share_a_folder() {
    let place = Place::new();
    let expected = place.run(&[FREE, RACY, "--no-cache"]);
    let all: Vec<_> = (0..4).map(|_| place.command(&[FREE, RACY])).collect();
    let running = all.into_iter().map(|mut c| {
        c.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("the program runs")
    });
    for child in running.collect::<Vec<_>>() {
        same(&expected, &child.wait_with_output().expect("the program ends"));
    }
    let left = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tmp"));
    assert!(!place.entries().iter().any(left), "{:?}", place.entries());
    place.starts();
    same(&expected, &place.run(&[FREE, RACY]));
    assert_eq!(place.starts(), 0);
}

#[test]
fn scripts_that_are_to_be_kept_are_asked() {
    let place = Place::new();
    place.run(&[FREE]);
    place.starts();
    let kept = place.path("kept").display().to_string();
    place.run(&[FREE, "--keep-smt", &kept]);
    assert!(place.starts() >= 1);
    assert!(!files(Path::new(&kept)).is_empty());
}

// Sessions

/// `x * 3 + y = 301`, for small numbers, or for `limit` too small: no solution.
fn question(limit: i128) -> Query {
    let [x, y] = ["x", "y"].map(|name| Var::new(name, IntTy::I32));
    let sum = N::add(IntTy::I32, &N::mul(IntTy::I32, &N::var(&x), &N::num(3)), &N::var(&y));
    Query::new([x, y].map(|v| (v, Interval::new(0, limit))).to_vec(), vec![sum.eq(&N::num(301))])
}

fn session(cache: &Arc<Cache>, solver: Option<&str>) -> Session {
    let fakes = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers");
    Session::new(SolverConfig {
        solver: solver.map(|name| fakes.join(name)),
        timeout: Duration::from_millis(if solver.is_some() { 300 } else { 10_000 }),
        cache: Some(Arc::clone(cache)),
        ..SolverConfig::default()
    })
}

#[test]
fn a_question_is_asked_once_in_a_run() {
    let cache = Arc::new(Cache::in_memory());
    let mut first = session(&cache, None);
    let answers = [first.check(&question(100)), first.check(&question(50))];
    assert!(matches!(answers, [Answer::Sat(_), Answer::Unsat { .. }]), "{answers:?}");
    assert_eq!(first.stats().cached, 0);
    let mut second = session(&cache, None);
    assert_eq!([second.check(&question(100)), second.check(&question(50))], answers);
    assert_eq!((second.stats().cached, second.stats().checks), (2, 0));
    // With a base it is the same question.
    second.with_base(&Query::new(question(50).vars, vec![]));
    assert_eq!(second.check_extra(&question(50).asserts), answers[1]);
    assert_eq!((second.stats().cached, second.stats().checks), (3, 0));
}

/// Also the model of a query that has many.
#[test]
fn an_answer_does_not_depend_on_what_was_asked_before() {
    let fresh = || Arc::new(Cache::in_memory());
    let alone = session(&fresh(), None).check(&question(200));
    let mut later = session(&fresh(), None);
    for limit in (60..200).step_by(7) {
        later.check(&question(limit));
    }
    assert_eq!(later.check(&question(200)), alone);
    later.with_base(&Query::new(question(200).vars, vec![]));
    let mut based = session(&fresh(), None);
    based.check(&question(90));
    based.with_base(&Query::new(question(200).vars, vec![]));
    assert_eq!(based.check_extra(&question(200).asserts), alone);
}

#[test]
fn a_model_that_is_asked_for_is_that_of_the_query_alone() {
    let fresh = || Arc::new(Cache::in_memory());
    let alone = session(&fresh(), None).model(&question(200), None);
    assert!(matches!(alone, Answer::Sat(_)));
    let cache = fresh();
    let mut later = session(&cache, None);
    for limit in (60..200).step_by(7) {
        later.exists(&question(limit));
    }
    // Whether there is a model was asked before, and its model is another question.
    assert!(matches!(later.exists(&question(200)), Answer::Sat(_)));
    let asked = later.stats().checks;
    assert_eq!(later.model(&question(200), None), alone);
    assert_eq!((later.stats().checks, later.stats().cached), (asked + 1, 0));
    // From then on it is known.
    assert_eq!(later.check(&question(200)), alone);
    assert!(matches!(later.exists(&question(200)), Answer::Sat(_)));
    assert_eq!((later.stats().checks, later.stats().cached), (asked + 1, 2));
}

#[test]
fn what_failed_is_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Arc::new(Cache::in_folder(folder.path().to_path_buf()));
    for (fake, kept) in [("z3-unknown.sh", 1), ("z3-garbage.sh", 0), ("z3-dies.sh", 0)] {
        for again in 0..2 {
            // A solver that gives up by itself does so again, however quick it was.
            let solver = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers").join(fake);
            let (timeout, cache) = (Duration::from_secs(600), Some(Arc::clone(&cache)));
            let config = SolverConfig { solver: Some(solver), timeout, cache, ..SolverConfig::default() };
            let mut session = Session::new(config);
            let answer = session.check(&question(100));
            assert!(matches!(answer, Answer::Unknown(_)), "{answer:?} from {fake}");
            assert_eq!(session.stats().cached, kept * again, "{fake}");
        }
    }
}

#[test]
fn what_had_all_of_its_time_is_not_asked_again_for_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let ask = |cache: Cache, timeout: u64, deadline: Option<Instant>| {
        let fake = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers/z3-hangs-on-questions.sh");
        let mut session = Session::new(SolverConfig {
            solver: Some(fake),
            timeout: Duration::from_millis(timeout),
            deadline,
            cache: Some(Arc::new(cache)),
            ..SolverConfig::default()
        });
        assert_eq!(session.check(&question(100)), Answer::Unknown(Reason::Timeout));
        session.stats().cached
    };
    let kept = || Cache::in_folder(folder.path().to_path_buf());
    // The end of the run came first.
    assert_eq!(ask(kept(), 500, Some(Instant::now() + Duration::from_millis(300))), 0);
    assert_eq!(ask(kept(), 500, None), 0);
    assert_eq!(ask(kept(), 500, None), 1);
    // With more time it may be decided, with less it is not.
    assert_eq!(ask(kept(), 600, None), 0);
    assert_eq!(ask(kept(), 400, None), 1);
    // Without a folder nothing is kept.
    let memory = Arc::new(Cache::in_memory());
    for _ in 0..2 {
        let mut session = session(&memory, Some("z3-hangs-on-questions.sh"));
        session.check(&question(100));
        assert_eq!(session.stats().cached, 0);
    }
}

#[test]
fn settings_that_decide_on_answers_are_part_of_the_question() {
    let cache = Arc::new(Cache::in_memory());
    session(&cache, None).check(&question(50));
    let config = SolverConfig { cache: Some(Arc::clone(&cache)), ..SolverConfig::default() };
    for other in [
        SolverConfig { encoding: faial_like::smt::Encoding::BitVectors, ..config.clone() },
        SolverConfig { products: false, ..config.clone() },
        SolverConfig { wrapping_solutions: true, ..config.clone() },
        SolverConfig { recheck_overflow: true, ..config.clone() },
    ] {
        let mut session = Session::new(other);
        session.check(&question(50));
        assert_eq!(session.stats().cached, 0);
    }
    let mut same = Session::new(SolverConfig { timeout: Duration::from_secs(3), ..config });
    same.check(&question(50));
    assert_eq!(same.stats().cached, 1);
}
