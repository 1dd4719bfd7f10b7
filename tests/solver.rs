//! The solver behind `smt`: fakes that misbehave, and agreement with enumeration where a real one is installed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use faial_like::base::Name;
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
fn a_solver_that_hangs_every_time_is_slow_and_has_not_failed() {
    let mut session = session("z3-hangs.sh");
    for _ in 0..5 {
        assert_eq!(ask(&mut session, &question()), Answer::Unknown(Reason::Timeout));
    }
    assert_eq!(session.stats().restarts, 2, "a solver that never says a word is not started for ever");
}

#[test]
fn a_solver_that_hangs_on_every_question_is_asked_the_next_one_too() {
    let mut session = session("z3-hangs-on-questions.sh");
    for _ in 0..5 {
        assert_eq!(ask(&mut session, &question()), Answer::Unknown(Reason::Timeout));
    }
    assert!(session.stats().restarts >= 4, "{:?}", session.stats());
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
fn a_solver_whose_work_is_over_has_no_answer() {
    assert_eq!(reason("z3-canceled.sh"), Reason::Timeout);
}

#[test]
fn a_solver_that_reports_an_error() {
    assert_eq!(reason("z3-error.sh"), Reason::SolverError("line 3 column 7: no such sort".to_string()));
}

/// That it does not take a question is no failure: it is asked the next one.
#[test]
fn a_solver_that_takes_no_products_is_asked_what_has_none() {
    let mut session = session("yices-linear.sh");
    let products = Reason::Incomplete("the solver does not take products of unknowns".to_string());
    for _ in 0..5 {
        assert_eq!(ask(&mut session, &question()), Answer::Unknown(products.clone()));
    }
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
    assert!(why.contains("none of z3, cvc5 and yices-smt2"), "{why}");
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
        // Time for the fake to write its whole line, on a machine that is busy as well.
        timeout: Duration::from_millis(4000),
        ..SolverConfig::default()
    });
    assert_eq!(ask(&mut session, &question()), Answer::Unknown(Reason::Timeout));
    drop(session);
    let pid = std::fs::read_to_string(&pid_file).expect("the fake wrote it");
    let stat = PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    let start = Instant::now();
    // A killed process may be left as a zombie when nobody waits for it.
    while std::fs::read_to_string(&stat).is_ok_and(|s| !s.contains(") Z ")) {
        assert!(start.elapsed() < Duration::from_secs(20), "the child of the solver lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_query_without_solver_is_decided_where_it_is_trivial() {
    let mut session = session("z3-missing.sh");
    assert_eq!(session.check(&Query::new(vec![], vec![B::lit(false)])), Answer::Unsat { assumptions: vec![] });
    assert!(matches!(session.check(&Query::new(vec![], vec![])), Answer::Sat(_)));
}

// With a real solver.

fn real() -> Option<Session> {
    if faial_like::smt::locate(None).is_err() {
        println!("SKIPPED: no solver is installed");
        return None;
    }
    Some(Session::new(SolverConfig::default()))
}

fn number(name: &str, lo: i128, hi: i128) -> (Var, Interval) {
    (Var::new(name, IntTy::I32), Interval::new(lo, hi))
}

fn value(answer: &Answer, name: &str) -> i128 {
    match answer {
        Answer::Sat(model) => *model.vars.get(&Name::from(name)).expect("the variable has a value"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sessions_can_move_to_another_thread() {
    fn check<T: Send>() {}
    check::<Session>();
}

#[test]
fn a_base_is_asked_about_with_more_conditions() {
    let Some(mut session) = real() else { return };
    let (x, y, w) = (number("x", 0, 100), number("y", 0, 100), number("w", 1, 1000));
    let (vx, vy, vw) = (N::var(&x.0), N::var(&y.0), N::var(&w.0));
    let index = N::add(IntTy::I32, &N::mul(IntTy::I32, &vy, &vw), &vx);
    session.with_base(&Query::new(vec![x, y, w], vec![vx.lt(&vw), index.eq(&N::num(35))]));
    // x = 35 mod w
    assert_eq!(value(&session.check_extra(&[vw.eq(&N::num(10))]), "x"), 5);
    assert_eq!(session.check_extra(&[vw.eq(&N::num(10)), vx.ne(&N::num(5))]), Answer::Unsat { assumptions: vec![] });
    // A variable that the base does not know.
    let z = N::var(&Var::new("z", IntTy::U8));
    assert_eq!(value(&session.check_extra(&[vw.eq(&N::num(4)), z.eq(&N::mul(IntTy::I32, &vx, &vy))]), "z"), 24);
    // Another query in between.
    let other = Query::new(vec![number("x", 0, 7)], vec![N::num(6).lt(&vx)]);
    assert_eq!(value(&session.check(&other), "x"), 7);
    assert_eq!(value(&session.check_extra(&[vw.eq(&N::num(10))]), "y"), 3);
    // One process did all this.
    assert_eq!(session.stats().restarts, 0);
}

#[test]
fn solutions_are_enumerated_by_blocking_them() {
    let Some(mut session) = real() else { return };
    let (x, y) = (number("x", 0, 20), number("y", 0, 20));
    let (vx, vy) = (N::var(&x.0), N::var(&y.0));
    let product = N::mul(IntTy::I32, &vx, &vy);
    session.with_base(&Query::new(vec![x, y], vec![product.eq(&N::num(12))]));
    let mut found = Vec::new();
    while let Answer::Sat(model) = session.check_extra(&[vx.lt(&vy)]) {
        let (at_x, at_y) = (model.vars[&Name::from("x")], model.vars[&Name::from("y")]);
        found.push((at_x, at_y));
        session.block(&B::not(&B::and([vx.eq(&N::num(at_x)), vy.eq(&N::num(at_y))])));
        assert!(found.len() < 10, "{found:?}");
    }
    found.sort_unstable();
    assert_eq!(found, [(1, 12), (2, 6), (3, 4)]);
}

#[test]
fn a_base_with_bit_operations_is_asked_in_bit_vectors() {
    let Some(mut session) = real() else { return };
    let (x, y) = (number("x", 0, 1000), number("y", 0, 1000));
    let (vx, vy) = (N::var(&x.0), N::var(&y.0));
    let xor = N::bin(faial_like::exp::NBin::Xor, IntTy::I32, &vx, &vy);
    session.with_base(&Query::new(vec![x, y], vec![xor.eq(&N::num(1000))]));
    assert_eq!(value(&session.check_extra(&[vx.eq(&N::num(999))]), "y"), 15);
    assert_eq!(session.check_extra(&[vx.eq(&vy)]), Answer::Unsat { assumptions: vec![] });
}

#[test]
fn terms_nested_ten_thousand_deep_are_asked() {
    let Some(mut session) = real() else { return };
    // The caller's own stack matters for building and dropping such a term.
    let deep = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        let (x, y) = (number("x", 0, 9), number("y", 0, 9));
        let (vx, vy) = (N::var(&x.0), N::var(&y.0));
        let mut term = vx.clone();
        for i in 0..10_000 {
            let step = if i % 2 == 0 { &vx } else { &vy };
            term = N::ite(
                &term.lt(&vy),
                &N::add(IntTy::I32, &term, &N::num(1)),
                &N::bin(faial_like::exp::NBin::Max, IntTy::I32, &term, step),
            );
        }
        // The last step of each pair brings the term to at least y.
        let query = Query::new(vec![x, y], vec![term.lt(&vy), N::num(8).lt(&vy)]);
        session.check(&query)
    });
    match deep.expect("a thread").join().expect("no panic") {
        Answer::Unsat { .. } | Answer::Unknown(Reason::Timeout | Reason::Incomplete(_)) => {}
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn scripts_are_kept_and_are_the_same_every_time() {
    let Some(_) = real() else { return };
    let run = || {
        let dir = tempfile::tempdir().expect("a directory");
        let config = SolverConfig { keep_dir: Some(dir.path().join("smt")), ..SolverConfig::default() };
        let mut session = Session::new(config);
        let query = question();
        session.check(&query);
        session.with_base(&query);
        session.check_extra(&[N::var(&query.vars[0].0).lt(&N::num(90))]);
        let mut files: Vec<_> =
            std::fs::read_dir(dir.path().join("smt")).expect("kept").map(|f| f.expect("a file").path()).collect();
        files.sort();
        files.iter().map(|f| std::fs::read_to_string(f).expect("text")).collect::<Vec<_>>()
    };
    let first = run();
    assert_eq!(first.len(), 2);
    assert!(first[0].starts_with("; sat\n") && first[1].ends_with("(check-sat)\n"), "{first:?}");
    assert_eq!(first, run());
}

#[test]
fn a_hard_query_ends_in_time_and_the_next_one_is_answered() {
    let Some(_) = real() else { return };
    let mut session = Session::new(SolverConfig { timeout: Duration::from_millis(400), ..SolverConfig::default() });
    // x^3 + y^3 + z^3 = 42 has a solution, with 17 digits.
    let vars: Vec<(Var, Interval)> =
        ["x", "y", "z"].iter().map(|name| (Var::new(*name, IntTy::I64), Interval::new(-(1 << 57), 1 << 57))).collect();
    let cube = |v: &Var| {
        let v = N::var(v);
        N::mul(IntTy::MATH, &N::mul(IntTy::MATH, &v, &v), &v)
    };
    let sum = vars.iter().fold(N::num(0), |sum, (v, _)| N::add(IntTy::MATH, &sum, &cube(v)));
    let hard = Query::new(vars, vec![sum.eq(&N::num(42))]);
    for _ in 0..5 {
        assert!(matches!(ask(&mut session, &hard), Answer::Unknown(_)));
    }
    assert!(matches!(ask(&mut session, &question()), Answer::Sat(_)));
}

#[test]
fn solutions_that_wrap_around_are_given_only_when_wanted() {
    let Some(mut session) = real() else { return };
    // a * b = 1 with a and b above 1 has solutions only modulo 2^32.
    let limits = Interval::new(2, (1 << 32) - 1);
    let (a, b) = (Var::new("a", IntTy::U32), Var::new("b", IntTy::U32));
    let product = N::mul(IntTy::U32, &N::var(&a), &N::var(&b));
    let query = Query::new(
        vec![(a.clone(), limits), (b.clone(), limits)],
        vec![product.lt(&N::num(2)), N::num(0).lt(&product)],
    );
    let expected = Answer::Unsat { assumptions: vec!["no wrap-around in `a *u32 b`".to_string()] };
    assert_eq!(session.check(&query), expected);
    let config = SolverConfig {
        recheck_overflow: true,
        recheck_timeout: Duration::from_secs(10),
        wrapping_solutions: true,
        ..SolverConfig::default()
    };
    // It takes sizes of billions: it stays assumed away. With a large factor it does not.
    assert_eq!(Session::new(config.clone()).check(&query), expected);
    let (small, two_or_three) = (Interval::new(2, 1 << 20), Interval::new(2, 3));
    let scaled = N::mul(IntTy::U32, &product, &N::num(100_003));
    let query = Query::new(vec![(a, small), (b, two_or_three)], vec![scaled.lt(&N::num(100_003))]);
    let answer = session.check(&query);
    assert!(matches!(&answer, Answer::Unsat { assumptions } if assumptions.len() == 1), "{answer:?}");
    let answer = Session::new(config).check(&query);
    let product = value(&answer, "a") * value(&answer, "b") * 100_003;
    assert!(product >= 1 << 32 && product % (1 << 32) < 100_003, "{product}");
}

/// [ENC-LEARN]: an asserted comparison bounds its sides, and only as far as the other side is bounded.
#[test]
fn what_is_compared_is_known_to_fit() {
    let Some(mut session) = real() else { return };
    let unsigned = |name: &str, hi: i128| (Var::new(name, IntTy::U32), Interval::new(0, hi));
    let mut ask = |most: i128, what: &dyn Fn(&N, &N) -> B| {
        let (x, y, n) = (unsigned("x", 1 << 20), unsigned("y", 1 << 20), unsigned("n", most));
        let (vx, vy, vn) = (N::var(&x.0), N::var(&y.0), N::var(&n.0));
        let sum = N::add(IntTy::U32, &vx, &vy);
        let square = N::mul(IntTy::U32, &sum, &sum);
        let conditions = vec![N::num(2).le(&vx), sum.lt(&vn), what(&sum, &square)];
        session.check(&Query::new(vec![x, y, n], conditions))
    };
    // The square of what is less than 2^16 does not wrap around; that of 2^16 is 0.
    let wraps = |sum: &N, square: &N| square.lt(sum);
    assert_eq!(ask(1 << 16, &wraps), Answer::Unsat { assumptions: vec![] });
    assert!(matches!(ask((1 << 16) + 1, &wraps), Answer::Sat(_)));
    // The bounds are reached, and not passed.
    assert!(matches!(ask(1000, &|sum, _| sum.eq(&N::num(999))), Answer::Sat(_)));
    assert!(matches!(ask(1000, &|sum, _| sum.eq(&N::num(2))), Answer::Sat(_)));
    assert_eq!(ask(1000, &|sum, _| sum.eq(&N::num(1000))), Answer::Unsat { assumptions: vec![] });
}
