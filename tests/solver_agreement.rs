//! THM-ENC for terms: both encodings agree with enumeration by the evaluator, on every solver that is installed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use faial_like::exp::{B, Env, Fun, FunKind, IntTy, Interval, N, NBin, NRel, Var, eval_b};
use faial_like::smt::{Answer, Encoding, Query, Session, SolverConfig, locate};
use proptest::prelude::*;

/// The solvers to test: those named in `FAIAL_TEST_SOLVERS` (separated by `:`), else that of `FAIAL_SOLVER`, and z3 and cvc5
/// where they are installed.
fn solvers() -> Vec<PathBuf> {
    let installed = || format!("{}:z3:cvc5", std::env::var("FAIAL_SOLVER").unwrap_or_default());
    let named = std::env::var("FAIAL_TEST_SOLVERS").unwrap_or_else(|_| installed());
    let found: Vec<PathBuf> = named
        .split(':')
        .filter(|name| !name.is_empty())
        .filter_map(|name| locate(Some(&PathBuf::from(name))).ok())
        .map(|located| located.path)
        .collect();
    if found.is_empty() {
        println!("SKIPPED: no solver is installed");
    }
    found
}

fn session(solver: &Path, encoding: Encoding, recheck: bool) -> Session {
    Session::new(SolverConfig {
        solver: Some(solver.to_path_buf()),
        timeout: Duration::from_secs(2),
        encoding,
        recheck_overflow: recheck,
        ..SolverConfig::default()
    })
}

const TYPES: [IntTy; 8] =
    [IntTy::I32, IntTy::U32, IntTy::I8, IntTy::U8, IntTy::U16, IntTy::I64, IntTy::U64, IntTy::MATH];

fn ty() -> impl Strategy<Value = IntTy> {
    prop_oneof![3 => Just(IntTy::I32), 3 => Just(IntTy::U32), 4 => prop::sample::select(TYPES.to_vec())]
}

/// A variable with at most four values, some of them at the ends of its type.
fn variable(index: usize) -> impl Strategy<Value = (Var, Interval)> {
    (ty(), 0..5usize, 0..4i128).prop_map(move |(ty, place, span)| {
        let (min, max) = (ty.min().unwrap_or(-1 << 40), ty.max().unwrap_or(1 << 40));
        let lo = match place {
            0 => min,
            1 => max - span,
            2 if ty.signed => -2,
            3 => 30,
            _ => 0,
        };
        (Var::new(["x", "y", "z"][index], ty), Interval::new(lo, lo + span))
    })
}

fn constant() -> impl Strategy<Value = i128> {
    prop_oneof![
        4 => -3i128..10,
        2 => prop::sample::select(vec![16, 31, 32, 33, 64, 127, 128, 255, 256, 0xff00, 0x55, 65535, 65536, -16, -32]),
        1 => prop::sample::select(vec![1i128 << 31, (1 << 31) - 1, -1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40]),
    ]
}

fn op() -> impl Strategy<Value = NBin> {
    use NBin::*;
    prop_oneof![
        4 => Just(Add), 3 => Just(Sub), 4 => Just(Mul), 2 => Just(Div), 2 => Just(Rem),
        2 => Just(And), 1 => Just(Or), 1 => Just(Xor), 1 => Just(Shl), 1 => Just(Shr), 1 => Just(Min), 1 => Just(Max),
    ]
}

fn relation() -> impl Strategy<Value = NRel> {
    prop::sample::select(vec![NRel::Eq, NRel::Eq, NRel::Ne, NRel::Lt, NRel::Le])
}

fn number(vars: Vec<Var>) -> BoxedStrategy<N> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vars).prop_map(|v| N::var(&v)),
        1 => constant().prop_map(N::num),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            6 => (op(), ty(), inner.clone(), inner.clone()).prop_map(|(op, ty, l, r)| N::bin(op, ty, &l, &r)),
            2 => (op(), ty(), inner.clone(), constant()).prop_map(|(op, ty, l, c)| N::bin(op, ty, &l, &N::num(c))),
            // What is treated apart: near squares, and a number taken apart by a divisor and put together again.
            1 => (ty(), inner.clone(), constant())
                .prop_map(|(ty, n, c)| N::mul(ty, &n, &N::add(ty, &n, &N::num(c)))),
            1 => (ty(), inner.clone(), inner.clone(), inner.clone()).prop_map(|(ty, n, d, k)| {
                let (quotient, rest) = (N::bin(NBin::Div, ty, &n, &d), N::bin(NBin::Rem, ty, &n, &d));
                N::add(ty, &N::mul(ty, &quotient, &k), &rest)
            }),
            2 => (ty(), inner.clone()).prop_map(|(ty, n)| N::cast(ty, &n)),
            1 => (relation(), inner.clone(), inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(op, a, b, t, e)| N::ite(&B::rel(op, &a, &b), &t, &e)),
            1 => inner.prop_map(|n| {
                N::call(Fun { name: "f".into(), ty: IntTy::BOOL, kind: FunKind::Input }, vec![n])
            }),
        ]
    })
    .boxed()
}

fn condition(vars: Vec<Var>) -> BoxedStrategy<B> {
    let atom = (relation(), number(vars.clone()), number(vars)).prop_map(|(op, l, r)| B::rel(op, &l, &r));
    atom.prop_recursive(2, 4, 3, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(B::and),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(B::or),
            1 => inner.prop_map(|b| B::not(&b)),
        ]
    })
    .boxed()
}

fn query() -> impl Strategy<Value = Query> {
    (variable(0), variable(1), variable(2)).prop_flat_map(|(x, y, z)| {
        let vars = vec![x, y, z];
        let names: Vec<Var> = vars.iter().map(|(v, _)| v.clone()).collect();
        prop::collection::vec(condition(names), 1..4).prop_map(move |asserts| Query::new(vars.clone(), asserts))
    })
}

/// Sums and products of small numbers, with quotients and remainders: what the elimination of products is about.
fn products() -> impl Strategy<Value = Query> {
    let variable = |name: &'static str| {
        let ty = prop::sample::select(vec![IntTy::I32, IntTy::I32, IntTy::U32, IntTy::MATH]);
        (ty, -2i128..2, 1i128..4).prop_map(move |(ty, lo, span)| {
            let lo = if ty.signed { lo } else { lo.max(0) };
            (Var::new(name, ty), Interval::new(lo, lo + span))
        })
    };
    (variable("x"), variable("y"), variable("z"), variable("w")).prop_flat_map(|(x, y, z, w)| {
        let vars = vec![x, y, z, w];
        let leaf = prop_oneof![
            5 => prop::sample::select(vars.clone()).prop_map(|(v, _)| N::var(&v)),
            1 => (-2i128..4).prop_map(N::num),
        ];
        let op =
            prop::sample::select(vec![NBin::Mul, NBin::Mul, NBin::Mul, NBin::Add, NBin::Sub, NBin::Div, NBin::Rem]);
        let number = leaf.prop_recursive(3, 10, 2, move |inner| {
            let ty = prop::sample::select(vec![IntTy::I32, IntTy::I32, IntTy::I64, IntTy::MATH]);
            (op.clone(), ty, inner.clone(), inner).prop_map(|(op, ty, l, r)| N::bin(op, ty, &l, &r))
        });
        let relation = (relation(), number.clone(), number).prop_map(|(op, l, r)| B::rel(op, &l, &r));
        let clause = prop::collection::vec(relation, 1..3).prop_map(B::or);
        prop::collection::vec(clause, 2..5).prop_map(move |asserts| Query::new(vars.clone(), asserts))
    })
}

/// Is there a solution? By trying all values of the variables and all tables of the function `f`, whose results are 0 or 1.
fn enumerate(query: &Query) -> bool {
    let mut points: Vec<Vec<i128>> = vec![vec![]];
    for (_, interval) in &query.vars {
        let (lo, hi) = (interval.lo.expect("bounded"), interval.hi.expect("bounded"));
        points = points.iter().flat_map(|p| (lo..=hi).map(move |v| [p.as_slice(), &[v]].concat())).collect();
    }
    points.iter().any(|point| {
        // Each choice of results in the order in which the arguments are met.
        let (mut choices, mut most) = (0u32, 0);
        loop {
            let met: RefCell<BTreeMap<Vec<i128>, i128>> = RefCell::default();
            let functions = |_: &Fun, args: &[i128]| {
                let mut met = met.borrow_mut();
                let next = i128::from((choices >> met.len()) & 1);
                Some(*met.entry(args.to_vec()).or_insert(next))
            };
            let mut env = Env::with_functions(&functions);
            for ((var, _), value) in query.vars.iter().zip(point) {
                env.set(&var.name, *value);
            }
            let holds = query.asserts.iter().all(|b| eval_b(b, &env).expect("all variables have values"));
            if holds {
                return true;
            }
            choices += 1;
            most = met.borrow().len().max(most);
            if choices >> most != 0 || most > 10 {
                return false;
            }
        }
    })
}

#[derive(Default, Debug)]
struct Tally {
    sat: u32,
    unsat: u32,
    assumed: u32,
    unknown: HashMap<String, u32>,
}

fn agree(queries: impl Strategy<Value = Query>, encoding: Encoding, recheck: bool, cases: u32) {
    let cases = std::env::var("FAIAL_TEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    for solver in solvers() {
        let tally: RefCell<Tally> = RefCell::default();
        let session = RefCell::new(session(&solver, encoding, recheck));
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = prop::test_runner::TestRunner::new_with_rng(
            config,
            prop::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha),
        );
        let result = runner.run(&queries, |query| {
            let solvable = enumerate(&query);
            let mut tally = tally.borrow_mut();
            match session.borrow_mut().check(&query) {
                Answer::Sat(model) => {
                    tally.sat += 1;
                    prop_assert!(solvable, "{model:?} for {query:?}");
                }
                Answer::Unsat { assumptions } if assumptions.is_empty() => {
                    tally.unsat += 1;
                    prop_assert!(!solvable, "{solver:?} finds no solution of {query:?}");
                }
                Answer::Unsat { .. } => tally.assumed += 1,
                Answer::Unknown(reason) if std::env::var_os("FAIAL_TEST_VERBOSE").is_some() => {
                    println!("{reason}: {:?} {:?}", query.vars, query.asserts);
                }
                Answer::Unknown(reason) => *tally.unknown.entry(reason.to_string()).or_default() += 1,
            }
            Ok(())
        });
        println!("{} {encoding:?}: {:?}", solver.display(), tally.borrow());
        if let Err(error) = result {
            panic!("{error}");
        }
        let tally = tally.borrow();
        assert!(tally.sat * 5 > cases && tally.unsat * 10 > cases, "too few answers of one kind: {tally:?}");
        assert!(tally.unknown.values().sum::<u32>() * 5 < cases, "too many queries without an answer: {tally:?}");
    }
}

#[test]
fn integers_agree_with_enumeration() {
    agree(query(), Encoding::Integers, false, 80);
}

#[test]
fn bit_vectors_agree_with_enumeration() {
    agree(query(), Encoding::BitVectors, false, 80);
}

#[test]
fn both_together_agree_with_enumeration() {
    agree(query(), Encoding::Auto, true, 80);
}

#[test]
fn products_agree_with_enumeration() {
    agree(products(), Encoding::Integers, false, 80);
}
