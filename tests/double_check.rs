//! Proofs that a second solver has to confirm.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faial_like::smt::locate;

const RACY: &str = "corpus/papers/map/listing-2.1-simple-racy.cu";
const FREE: &str = "corpus/papers/map/listing-2.1-simple-drf.cu";

fn fake(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers").join(name).display().to_string()
}

fn real() -> String {
    let solver = locate(None).unwrap_or_else(|error| panic!("{error}\nor run the tests as `sh .ci/setup cargo test`"));
    solver.path.display().to_string()
}

fn run(first: &str, second: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "--color", "never", "--solver", first, "--double-check", "--second-solver", second])
        .args(args)
        .output()
        .expect("the program runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_solver_that_lies_is_caught_and_both_scripts_are_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept").display().to_string();
    let output = run(&fake("z3-lies.sh"), &real(), &[RACY, FREE, "-j", "1", "--no-cache", "--keep-smt", &kept]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(stdout(&output), "", "there is no report");
    assert!(text.contains("the solvers disagree"), "{text}");
    let named: Vec<&str> = text.split('`').filter(|w| w.ends_with(".smt2")).collect();
    assert_eq!(named.len(), 2, "{text}");
    let scripts = [0, 1].map(|i| std::fs::read_to_string(named[i]).expect("a script"));
    for (script, says) in scripts.iter().zip(["says unsat", "says sat"]) {
        assert!(script.starts_with("; ") && script.contains(says), "{script}");
        assert!(script.contains("(assert ") && script.ends_with("(check-sat)\n"), "{script}");
    }
    // It is the second one that is right.
    let again = Command::new(real()).arg(named[1]).output().expect("the solver runs");
    assert_eq!(stdout(&again).trim(), "sat");
}

/// What the lying solver said is nowhere to be found later.
#[test]
fn a_lie_that_was_caught_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().display().to_string();
    for _ in 0..2 {
        let output = run(&fake("z3-lies.sh"), &real(), &[RACY, "--cache", &cache]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("the solvers disagree"), "{}", stderr(&output));
    }
}

#[test]
fn proofs_that_were_not_double_checked_do_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().display().to_string();
    let alone = Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "--no-presolve", "--solver", &fake("z3-lies.sh"), "--cache", &cache, RACY])
        .output()
        .expect("the program runs");
    assert_eq!(alone.status.code(), Some(3), "all its assumptions are said to be contradictory: {}", stdout(&alone));
    let output = run(&fake("z3-lies.sh"), &real(), &[RACY, "--cache", &cache]);
    assert_eq!(output.status.code(), Some(2), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn proofs_that_are_confirmed_are_proofs() {
    let output = run(&real(), &fake("z3-lies.sh"), &[FREE, "--no-cache", "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stdout(&output).contains("did not confirm"), "{}", stdout(&output));
    assert!(!stderr(&output).contains("note:"), "{}", stderr(&output));
}

#[test]
fn proofs_that_are_not_confirmed_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().display().to_string();
    for second in ["z3-unknown.sh", "z3-dies.sh", "z3-unknown.sh"] {
        let output = run(&real(), &fake(second), &[FREE, "-v", "--cache", &cache]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("the second one did not confirm"), "{}", stdout(&output));
        assert!(stderr(&output).contains("confirmed 0 of"), "{}", stderr(&output));
    }
}

#[test]
fn a_second_solver_has_to_be_there_and_to_be_another() {
    for (second, why) in [
        (real(), "is the first solver too"),
        (fake("no-such-z3"), "does not exist"),
        (fake("not-a-solver.sh"), "none of z3, cvc5 and yices-smt2"),
    ] {
        let output = run(&real(), &second, &[FREE, "--no-cache"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    let empty = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", empty.path())
        .args(["check", "--solver", &real(), "--double-check", "--no-cache", FREE])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no second solver was found"), "{}", stderr(&output));
}

/// The first of another kind on the `PATH` is taken, and not the solver in use.
#[test]
fn the_second_solver_is_looked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["z3", "cvc5"] {
        std::os::unix::fs::symlink(fake("z3-lies.sh"), folder.path().join(name)).expect("a link");
    }
    let talk = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers/talk.inc");
    std::os::unix::fs::symlink(talk, folder.path().join("talk.inc")).expect("a link");
    let path = std::env::join_paths([folder.path(), Path::new("/bin"), Path::new("/usr/bin")]).expect("a path");
    let unknown = Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", path)
        .args(["check", "--solver", &real(), "--double-check", "--no-cache", FREE])
        .output()
        .expect("the program runs");
    assert_eq!(unknown.status.code(), Some(0), "{}", stderr(&unknown));
}
