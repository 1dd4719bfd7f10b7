//! The solver behind `smt`: fakes that misbehave, and agreement with enumeration where a real one is installed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use faial_like::exp::{B, IntTy, Interval, N, Var};
use faial_like::smt::{Answer, Query, Reason, Session, SolverConfig};

fn fake(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers").join(name)
}

fn session(name: &str) -> Session {
    Session::new(SolverConfig {
        solver: Some(fake(name)),
        timeout: Duration::from_millis(300),
        max_answer: 1 << 20,
        ..SolverConfig::default()
    })
}

/// `x * 3 = 12`, which no encoder decides by itself, with the solution 4.
fn question() -> Query {
    let x = Var::new("x", IntTy::I32);
    let y = Var::new("y", IntTy::I32);
    let sum = N::add(IntTy::I32, &N::mul(IntTy::I32, &N::var(&x), &N::num(3)), &N::var(&y));
    let limit = Interval::new(0, 100);
    Query::new(vec![(x, limit), (y, limit)], vec![sum.eq(&N::num(301))])
}

/// The answer, which must come in time: a few solver timeouts and their grace.
fn ask(session: &mut Session, query: &Query) -> Answer {
    let start = Instant::now();
    let answer = session.check(query);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?} for {answer:?}");
    answer
}

fn reason(name: &str) -> Reason {
    match ask(&mut session(name), &question()) {
        Answer::Unknown(reason) => reason,
        answer => panic!("{answer:?} from {name}"),
    }
}

#[test]
fn a_solver_that_dies_at_once() {
    let Reason::SolverDied(why) = reason("z3-dies.sh") else { panic!("another reason") };
    assert!(why.contains("cannot open libfoo.so"), "{why}");
}

#[test]
fn a_solver_that_dies_is_not_started_for_ever() {
    let mut session = session("z3-dies.sh");
    for _ in 0..3 {
        ask(&mut session, &question());
    }
    let restarts = session.stats().restarts;
    let start = Instant::now();
    let Answer::Unknown(Reason::SolverDied(why)) = session.check(&question()) else { panic!("another answer") };
    assert!(why.contains("given up after 3 failures"), "{why}");
    assert_eq!(session.stats().restarts, restarts);
    assert!(start.elapsed() < Duration::from_millis(100));
}

#[test]
fn a_solver_that_dies_after_the_first_answer_is_started_again() {
    let mut session = session("z3-dies-later.sh");
    assert_eq!(ask(&mut session, &question()), Answer::Unsat { assumptions: vec![] });
    assert_eq!(ask(&mut session, &question()), Answer::Unsat { assumptions: vec![] }, "after a restart");
    assert_eq!(session.stats().restarts, 1);
}

#[test]
fn a_solver_that_hangs() {
    assert_eq!(reason("z3-hangs.sh"), Reason::Timeout);
}

#[test]
fn a_solver_that_never_reads() {
    // More text than fits in a pipe.
    let ty = IntTy::I32;
    let vars: Vec<Var> = (0..9000).map(|i| Var::new(format!("x{i}").as_str(), ty)).collect();
    let asserts = vars.windows(2).map(|w| N::var(&w[0]).lt(&N::var(&w[1]))).collect();
    let query = Query::new(vars.into_iter().map(|v| (v, Interval::new(0, 9999))).collect(), asserts);
    assert_eq!(ask(&mut session("z3-never-reads.sh"), &query), Answer::Unknown(Reason::Timeout));
}

#[test]
fn a_solver_that_prints_garbage() {
    let Reason::Garbage(what) = reason("z3-garbage.sh") else { panic!("another reason") };
    assert!(what.contains("Segmentation"), "{what}");
}

#[test]
fn a_solver_that_answers_garbage_to_the_question() {
    let Reason::Garbage(what) = reason("z3-garbage-later.sh") else { panic!("another reason") };
    assert!(what.contains("maybe"), "{what}");
}

#[test]
fn a_solver_that_prints_megabytes_without_a_newline() {
    let Reason::Garbage(what) = reason("z3-flood.sh") else { panic!("another reason") };
    assert!(what.contains("more than 1048576 bytes"), "{what}");
}

#[test]
fn a_solver_that_prints_blanks_for_ever() {
    assert_eq!(reason("z3-blanks.sh"), Reason::Timeout);
}

#[test]
fn a_solver_that_answers_parentheses() {
    let Reason::Garbage(what) = reason("z3-parentheses.sh") else { panic!("another reason") };
    assert!(what.contains("too many parentheses"), "{what}");
}

#[test]
fn a_solver_that_does_not_know() {
    assert_eq!(reason("z3-unknown.sh"), Reason::Incomplete("the solver does not know (smt tactic failed)".to_string()));
}

#[test]
fn a_solver_that_reports_an_error() {
    assert_eq!(reason("z3-error.sh"), Reason::SolverError("line 3 column 7: no such sort".to_string()));
}

#[test]
fn a_solver_that_reports_an_error_and_then_answers_is_not_believed() {
    assert_eq!(reason("z3-error-unsat.sh"), Reason::SolverError("line 3 column 7: no such sort".to_string()));
}

#[test]
fn a_solver_that_says_sat_with_a_wrong_model() {
    let expected = Reason::Incomplete("the solver's model does not satisfy the query".to_string());
    assert_eq!(reason("z3-wrong-model.sh"), expected);
}

#[test]
fn a_solver_that_says_sat_without_a_model() {
    assert_eq!(reason("z3-no-model.sh"), Reason::SolverError("model is not available".to_string()));
}

#[test]
fn a_solver_that_starts_slowly_is_waited_for() {
    assert_eq!(ask(&mut session("z3-slow-start.sh"), &question()), Answer::Unsat { assumptions: vec![] });
}

#[test]
fn a_solver_is_recognised_by_its_version() {
    assert_eq!(ask(&mut session("anonymous.sh"), &question()), Answer::Unsat { assumptions: vec![] });
    let Reason::NoSolver(why) = reason("not-a-solver.sh") else { panic!("another reason") };
    assert!(why.contains("neither z3 nor cvc5"), "{why}");
}

#[test]
fn a_solver_that_is_not_there() {
    let Reason::NoSolver(why) = reason("z3-missing.sh") else { panic!("another reason") };
    assert!(why.contains("does not exist") && why.contains("pip install z3-solver"), "{why}");
}

#[test]
fn a_solver_that_is_not_executable() {
    let Reason::NoSolver(why) = reason("z3-not-executable.sh") else { panic!("another reason") };
    assert!(why.contains("cannot be run"), "{why}");
}

#[test]
fn no_process_outlives_its_session() {
    let dir = tempfile::tempdir().expect("a directory");
    let pid_file = dir.path().join("pid");
    let script = dir.path().join("z3-child.sh");
    let text = format!("#!/bin/sh\nsleep 60 &\necho $! > {}\nwait\n", pid_file.display());
    std::fs::write(&script, text).expect("written");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made executable");
    let mut session = Session::new(SolverConfig {
        solver: Some(script),
        timeout: Duration::from_millis(300),
        ..SolverConfig::default()
    });
    assert_eq!(ask(&mut session, &question()), Answer::Unknown(Reason::Timeout));
    drop(session);
    let pid = std::fs::read_to_string(&pid_file).expect("the fake wrote it");
    let stat = PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    let start = Instant::now();
    // A killed process may be left as a zombie when nobody waits for it.
    while std::fs::read_to_string(&stat).is_ok_and(|s| !s.contains(") Z ")) {
        assert!(start.elapsed() < Duration::from_secs(2), "the child of the solver lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_query_without_solver_is_decided_where_it_is_trivial() {
    let mut session = session("z3-missing.sh");
    assert_eq!(session.check(&Query::new(vec![], vec![B::lit(false)])), Answer::Unsat { assumptions: vec![] });
    assert!(matches!(session.check(&Query::new(vec![], vec![])), Answer::Sat(_)));
}
