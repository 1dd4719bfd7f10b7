//! THM-PRESOLVE: whatever a pre-solver answers agrees with enumeration, and a wrong rule is noticed; and the corpus has the
//! same verdicts without them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use faial_like::check::kernel::{CheckOptions, check_kernel};
use faial_like::check::launch::launch;
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::check::source::load;
use faial_like::exp::poly::{Monomial, Poly};
use faial_like::exp::{B, Env, Fun, IntTy, Interval, N, NBin, NExp, NRel, Var, eval_b, eval_n};
use faial_like::fuzz::choices::Choices;
use faial_like::fuzz::expressions::{small_number, small_truth};
use faial_like::opt::{Facts, Proof, Rule, Rules, dividends, dividends_by, of_quotient, refute_by, sample, scales};
use faial_like::report::finding::{KernelReport, Report, Verdict, Witness};
use faial_like::smt::{Cache, Session, SolverConfig};
use itertools::Itertools;

/// A kernel whose time is long over is left open, also where no solver is asked.
#[test]
fn what_is_late_is_no_proof() {
    let text = "//--blockDim=64 --gridDim=1\n__global__ void k(int *a) { a[threadIdx.x] = 1; }".to_owned();
    let file = load(Path::new("late.cu"), text, &Settings::default().source);
    let kernel = &file.kernels[0];
    let (of, notes) = launch(None, None, &file.header, kernel, false);
    for (late, verdict) in [(0, Verdict::RaceFree), (2, Verdict::Inconclusive)] {
        let deadline = Instant::now().checked_sub(Duration::from_secs(late));
        let mut session = Session::new(SolverConfig { deadline, ..solver_settings() });
        let report = check_kernel(kernel, &file.sources, &of, &notes, &CheckOptions::default(), &mut session);
        assert_eq!(report.verdict, verdict, "{late}: {:?}", report.reasons);
        assert_eq!(report.reasons.iter().any(|r| r.code == "run-timeout"), late > 0);
    }
}

/// Each variable with its least and greatest value, which the conditions say as well.
struct Question {
    vars: Vec<(Var, i128, i128)>,
    conditions: Vec<B>,
}

/// A pair of threads with coordinates x and y, sizes w and n, and an index of each.
fn question(seed: u64) -> Question {
    let mut choices = Choices::seeded(seed, 200);
    let c = &mut choices;
    let ty = *c.one_of(&[IntTy::U32, IntTy::I32, IntTy::U8, IntTy::MATH]).expect("a type");
    let [w, n] = ["w", "n"].map(|name| Var::new(name, ty));
    let own = |t: usize| [Var::new(format!("x!{t}"), ty), Var::new(format!("y!{t}"), ty)];
    let (columns, rows) = (1 + c.pick(3) as i128, 1 + c.pick(3) as i128);
    let mut vars = vec![(w.clone(), 1, 3), (n.clone(), 0, 2)];
    let mut conditions = Vec::new();
    let shape = (c.pick(21), [c.pick(7) as i128, c.pick(7) as i128, c.pick(4) as i128], c.pick(4));
    let within_row = c.pick(2) == 0;
    let odd = c.pick(3) == 0;
    let replay = c.values().iter().take(24).copied().collect::<Vec<_>>();
    let mut indices = Vec::new();
    for t in [1, 2] {
        let [x, y] = own(t);
        vars.extend([(x.clone(), 0, columns - 1), (y.clone(), 0, rows - 1)]);
        let [x, y, wide] = [N::var(&x), N::var(&y), N::var(&w)];
        if within_row {
            conditions.push(x.lt(&wide));
        }
        // The two threads may run different code.
        let mut own_choices = Choices::new(replay.clone());
        let guards = if odd { &mut *c } else { &mut own_choices };
        let locals: Vec<Var> = own(t).into_iter().chain([n.clone()]).collect();
        if guards.pick(2) == 0 {
            conditions.push(small_truth(guards, &locals));
        }
        let (kind, [a, b, k], larger) = shape;
        let k = if odd && t == 2 { k + 1 } else { k };
        let mul = |l: &N, r: &N| N::mul(ty, l, r);
        let add = |l: &N, r: &N| N::add(ty, l, r);
        let scale = [1, 1, 50, 1 << 30][larger];
        let index = match kind {
            0 | 1 => add(&add(&mul(&x, &N::num(a * scale)), &mul(&y, &N::num(b))), &N::num(k)),
            2 | 3 => add(&add(&mul(&y, &wide), &x), &N::num(k)),
            4 => add(&mul(&y, &mul(&wide, &N::num(2))), &add(&x, &mul(&N::num(k), &wide))),
            5 => N::bin(NBin::Rem, ty, &add(&x, &mul(&y, &N::num(b))), &add(&wide, &N::num(k))),
            6 => add(&N::bin(NBin::Div, ty, &x, &N::num(1 + a)), &mul(&y, &N::num(b))),
            7 => N::sub(ty, &mul(&x, &N::num(b)), &add(&y, &N::num(k))),
            // The coordinates of one number, which is divided by the one and then the other.
            8 | 9 => {
                let number = add(&mul(&y, &N::num(columns)), &x);
                let (high, low) = (&wide, &N::num(1 + k));
                let part = |op: NBin, l: &N, r: &N| N::bin(op, ty, l, r);
                let top = part(NBin::Div, &part(NBin::Div, &number, high), low);
                let middle = part(NBin::Rem, &part(NBin::Div, &number, low), high);
                let rows = mul(&mul(&top, high), low);
                add(&add(&rows, &mul(&middle, low)), &part(NBin::Rem, &number, low))
            }
            // And in the other order, of a number that is less than a product.
            10 | 11 => {
                let number = add(&mul(&y, &N::num(columns)), &x);
                let size = add(&N::var(&n), &N::num(a % 2));
                conditions.push(number.lt(&add(&mul(&size, &wide), &N::num(k / 3))));
                let part = |op: NBin| N::bin(op, ty, &number, &wide);
                add(&part(NBin::Div), &mul(&add(&size, &N::num(k / 3)), &part(NBin::Rem)))
            }
            // Rows as long as a product.
            12 | 13 => {
                let row = mul(&wide, &add(&N::var(&n), &N::num(a % 2)));
                conditions.push(x.lt(&add(&row, &N::num(k / 3))));
                add(&mul(&y, &row), &x)
            }
            // Rows that are moved by a quotient.
            14 => {
                let number = add(&mul(&y, &N::num(columns)), &x);
                let row = N::bin(NBin::Div, ty, &number, &mul(&wide, &N::num(1 + k)));
                let by = mul(&row, &add(&N::var(&n), &N::num(a % 2)));
                if b % 3 == 0 { N::sub(ty, &number, &by) } else { add(&number, &by) }
            }
            // One of two orders, by a condition that threads share, or do not.
            15 | 16 => {
                let by_rows = add(&mul(&y, &N::num(columns)), &add(&x, &N::num(k / 3)));
                let by_columns = add(&mul(&x, &N::num(rows)), &y);
                let cond = if kind == 15 { N::var(&n).lt(&wide) } else { x.lt(&N::var(&n)) };
                N::ite(&cond, &by_rows, &by_columns)
            }
            // Bits cleared and turned, and a rest that is taken off.
            17 => {
                let (number, bits) = (add(&mul(&y, &N::num(columns)), &x), 1 << (1 + a % 2));
                let high = N::bin(NBin::And, ty, &number, &N::num(ty.wrap(-bits)));
                let low = N::bin(NBin::And, ty, &number, &N::num((bits >> (k / 3)) - 1));
                if b % 2 == 0 { add(&high, &low) } else { add(&high, &N::sub(ty, &N::num(bits - 1), &low)) }
            }
            18 => {
                let number = add(&mul(&y, &N::num(columns)), &x);
                let rest = N::sub(ty, &number, &mul(&N::bin(NBin::Div, ty, &number, &wide), &wide));
                let high = N::bin(NBin::Div, ty, &N::sub(ty, &number, &rest), &add(&wide, &N::num(k / 3)));
                add(&mul(&high, &add(&wide, &N::num(a / 6))), &rest)
            }
            // A row as long as the smaller of two sizes, or the larger.
            19 => {
                let size = N::var(&n);
                let row = match b % 3 {
                    0 => N::bin(NBin::Min, ty, &wide, &add(&size, &N::num(1))),
                    1 => N::ite(&wide.lt(&size), &wide, &size),
                    _ => N::ite(&wide.lt(&size), &size, &wide),
                };
                conditions.push(x.lt(&row));
                add(&mul(&y, &if a == 0 { row } else { wide.clone() }), &x)
            }
            _ => small_number(guards, &locals),
        };
        indices.push(index);
    }
    for (var, lo, hi) in &vars {
        conditions.push(N::num(*lo).le(&N::var(var)));
        conditions.push(N::var(var).le(&N::num(*hi)));
    }
    let differ = own(1).into_iter().zip(own(2)).map(|(a, b)| N::var(&a).ne(&N::var(&b)));
    conditions.push(B::or(differ.collect::<Vec<_>>()));
    let touch = match c.pick(4) {
        0 => {
            let beyond = |i: &N| N::add(IntTy::MATH, i, &N::num(4));
            B::and([indices[0].lt(&beyond(&indices[1])), indices[1].lt(&beyond(&indices[0]))])
        }
        _ => indices[0].eq(&indices[1]),
    };
    conditions.push(touch);
    if c.pick(3) == 0 {
        conditions.rotate_right(1);
    }
    Question { vars, conditions }
}

/// Calls `found` with every solution, until it says that this is enough.
fn solutions(question: &Question, mut found: impl FnMut(&Env) -> bool) {
    let tables = |_: &Fun, _: &[i128]| Some(0);
    let mut values: Vec<i128> = question.vars.iter().map(|(_, lo, _)| *lo).collect();
    loop {
        let mut env = Env::with_functions(&tables);
        question.vars.iter().zip(&values).for_each(|((var, ..), value)| env.set(&var.name, *value));
        if question.conditions.iter().all(|b| eval_b(b, &env) == Ok(true)) && found(&env) {
            return;
        }
        let mut at = 0;
        loop {
            let Some((_, lo, hi)) = question.vars.get(at) else { return };
            if values[at] < *hi {
                values[at] += 1;
                break;
            }
            values[at] = *lo;
            at += 1;
        }
    }
}

/// The value without wrap-around.
fn ideal(term: &N, env: &Env) -> i128 {
    match term.kind() {
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), _, l, r) => {
            let (l, r) = (ideal(l, env), ideal(r, env));
            match op {
                NBin::Add => l + r,
                NBin::Sub => l - r,
                _ => l * r,
            }
        }
        NExp::Cast(_, inner) => ideal(inner, env),
        _ => eval_n(term, env).expect("a value"),
    }
}

/// Is there a solution without the overflows that the proof rules out?
fn refuted_wrongly(question: &Question, proof: &Proof) -> bool {
    let mut wrong = false;
    solutions(question, |env| {
        wrong = proof.assumed.iter().all(|term| ideal(term, env) == eval_n(term, env).expect("a value"));
        wrong
    });
    wrong
}

const CASES: u64 = 15_000;

/// The number of questions that each rule answers; an error for a wrong answer.
fn holds(rules: Rules) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut count = BTreeMap::new();
    for seed in 0..CASES {
        let question = question(seed);
        if let Some(proof) = refute_by(rules, &question.conditions) {
            *count.entry(proof.rule.name()).or_default() += 1;
            *count.entry("assuming").or_default() += usize::from(!proof.assumed.is_empty());
            if refuted_wrongly(&question, &proof) {
                return Err(format!("{seed}: {:?} by {:?}", question.conditions, proof));
            }
        }
    }
    Ok(count)
}

#[test]
fn what_is_refuted_has_no_solution() {
    let count = holds(Rules::default()).expect("no wrong answer");
    for rule in [Rule::Guard, Rule::Interval, Rule::Gcd, Rule::Injective, Rule::Delinearised] {
        assert!(count.get(rule.name()).is_some_and(|n| *n > 20), "{} is hardly tested: {count:?}", rule.name());
    }
    assert!(count.get("assuming").is_some_and(|n| *n > 5), "{count:?}");
}

/// A pair of threads with columns x of rows that are found: numbers that are converted, which may change them.
fn found_rows(seed: u64) -> Question {
    let mut choices = Choices::seeded(seed, 200);
    let c = &mut choices;
    let ty = IntTy::I32;
    let of = |name: &str| ["!1", "!2"].map(|task| Var::new(format!("{name}{task}"), ty));
    let (w, x, y) = (Var::new("w", ty), of("x"), of("y"));
    let vars = vec![
        (w.clone(), 1, 3),
        (x[0].clone(), 0, 2),
        (x[1].clone(), 0, 2),
        (y[0].clone(), -1, 2),
        (y[1].clone(), -1, 2),
    ];
    let scale = *c.one_of(&[1i128, 3, 100, 128, 1 << 31, 1 << 32]).expect("a number");
    let narrow = *c.one_of(&[IntTy::U8, IntTy::I8, IntTy::U32, IntTy::I32]).expect("a type");
    let wide = *c.one_of(&[IntTy::MATH, IntTy::I32, IntTy::I64]).expect("a type");
    let (guarded, converted, plus, times) = (c.pick(4) > 0, c.pick(4), c.pick(3), c.pick(4));
    let mut conditions = vec![x[0].clone(), x[1].clone()]
        .into_iter()
        .filter(|_| guarded)
        .map(|x| N::var(&x).lt(&N::var(&w)))
        .collect::<Vec<_>>();
    let index = |t: usize| {
        let number = N::add(IntTy::MATH, &N::mul(IntTy::MATH, &N::var(&y[t]), &N::num(scale)), &N::num(plus as i128));
        let found = N::cast(ty, &N::cast(narrow, &number));
        let row = match times {
            0 => N::mul(ty, &N::mul(ty, &found, &N::var(&w)), &N::num(2)),
            1 => N::mul(ty, &N::add(ty, &found, &N::var(&y[t])), &N::var(&w)),
            _ => N::mul(ty, &found, &N::var(&w)),
        };
        let column =
            if converted == 0 { N::cast(narrow, &N::mul(ty, &N::var(&x[t]), &N::num(100))) } else { N::var(&x[t]) };
        N::add(wide, &row, &column)
    };
    conditions.extend([N::var(&x[0]).ne(&N::var(&x[1])), index(0).eq(&index(1))]);
    for (var, lo, hi) in &vars {
        conditions.push(N::num(*lo).le(&N::var(var)));
        conditions.push(N::var(var).le(&N::num(*hi)));
    }
    Question { vars, conditions }
}

/// The value without wrap-around of arithmetic; a conversion may change its operand.
fn of_conversions(term: &N, env: &Env) -> i128 {
    match term.kind() {
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), _, l, r) => {
            let (l, r) = (of_conversions(l, env), of_conversions(r, env));
            match op {
                NBin::Add => l + r,
                NBin::Sub => l - r,
                _ => l * r,
            }
        }
        _ => eval_n(term, env).expect("a value"),
    }
}

#[test]
fn a_row_may_be_any_number() {
    let mut proofs = [0, 0];
    for seed in 0..CASES {
        let question = found_rows(seed);
        let Some(proof) = refute_by(Rules::default(), &question.conditions) else { continue };
        proofs[usize::from(!proof.assumed.is_empty())] += 1;
        // Of a conversion that is named it is assumed that it changes nothing.
        let kept = |term: &N, env: &Env| match term.kind() {
            NExp::Cast(_, inner) => of_conversions(inner, env),
            _ => of_conversions(term, env),
        };
        solutions(&question, |env| {
            let wrong = proof.assumed.iter().all(|term| kept(term, env) == eval_n(term, env).expect("a value"));
            assert!(!wrong, "{seed}: {:?} by {proof:?}", question.conditions);
            false
        });
    }
    assert!(proofs.iter().all(|n| *n > 300), "{proofs:?}");
}

/// Two threads with indices that mask x by a size p, and what the conditions say of p: powers of two, or not.
fn masked(seed: u64) -> Question {
    let mut choices = Choices::seeded(seed, 200);
    let c = &mut choices;
    let ty = *c.one_of(&[IntTy::U32, IntTy::I32, IntTy::U8, IntTy::MATH]).expect("a type");
    let other = if c.pick(6) == 0 { IntTy::U8 } else { ty };
    let (p, x) = (Var::new("p", ty), ["x!1", "x!2"].map(|name| Var::new(name, ty)));
    let size = N::var(&p);
    let one_less = |n: &N, ty: IntTy| N::sub(ty, n, &N::num(1));
    let sizes: &[i128] = if c.pick(3) == 0 { &[1, 2, 3, 4, 6, 8] } else { &[1, 2, 4, 8] };
    let zero = N::num(0);
    let said = match c.pick(4) {
        0 => N::bin(NBin::And, ty, &size, &one_less(&size, other)).eq(&zero),
        1 => {
            let first = N::num(*c.one_of(&[8, 8, 8, 6]).expect("a size"));
            let step = *c.one_of(&[NBin::Shr, NBin::Div]).expect("a step");
            let by = if c.pick(3) == 0 { 3 } else { 1 };
            let value = |k: i128| N::bin(step, ty, &first, &N::num(if step == NBin::Div { 1 << k } else { k * by }));
            B::or((0..3).map(|k| size.eq(&value(k))).collect::<Vec<_>>())
        }
        _ => {
            let few: Vec<B> = (0..1 + c.pick(3)).filter_map(|_| Some(size.eq(&N::num(*c.one_of(sizes)?)))).collect();
            B::or(few)
        }
    };
    let least = if c.pick(4) == 0 { 0 } else { 1 };
    let half = c.pick(4) == 0;
    let unit = if half { N::bin(NBin::Div, ty, &size, &N::num(2)) } else { size.clone() };
    let mask = if c.pick(2) == 0 { one_less(&unit, ty) } else { N::add(ty, &unit, &N::num(-1)) };
    let (kind, swapped, plus) = (c.pick(4), c.pick(2) == 0, [c.pick(2), c.pick(2)]);
    let index = |t: usize| {
        let x = N::var(&x[t]);
        let low = if swapped { N::bin(NBin::And, ty, &mask, &x) } else { N::bin(NBin::And, ty, &x, &mask) };
        let twice = N::mul(ty, &x, &N::num(2));
        let base = match kind {
            0 | 1 => N::sub(ty, &twice, &low),
            2 => N::add(ty, &N::mul(ty, &N::sub(ty, &x, &low), &N::num(4)), &low),
            _ => N::sub(ty, &x, &low),
        };
        if plus[t] == 0 { base } else { N::add(ty, &base, &unit) }
    };
    let touch = index(0).eq(&index(1));
    let mut conditions = vec![said, N::var(&x[0]).ne(&N::var(&x[1])), touch];
    let vars = vec![(p, if half { 2 * least } else { least }, 8), (x[0].clone(), 0, 7), (x[1].clone(), 0, 7)];
    for (var, lo, hi) in &vars {
        conditions.push(N::num(*lo).le(&N::var(var)));
        conditions.push(N::var(var).le(&N::num(*hi)));
    }
    Question { vars, conditions }
}

#[test]
fn a_mask_by_a_power_of_two_is_a_remainder() {
    let mut refuted = [0, 0];
    for seed in 0..CASES {
        let question = masked(seed);
        let proof = refute_by(Rules::default(), &question.conditions);
        refuted[usize::from(proof.is_some())] += 1;
        if let Some(proof) = proof {
            assert!(!refuted_wrongly(&question, &proof), "{seed}: {:?} by {proof:?}", question.conditions);
        }
    }
    assert!(refuted.iter().all(|n| *n > 500), "{refuted:?}");
}

/// Two threads, and elements of the ranges that a number n is shared out in, by quotients.
fn shared_out(seed: u64) -> Question {
    let mut choices = Choices::seeded(seed, 200);
    let c = &mut choices;
    let ty = *c.one_of(&[IntTy::U32, IntTy::I32, IntTy::I8, IntTy::MATH]).expect("a type");
    let of = |name: &str| ["!1", "!2"].map(|task| Var::new(format!("{name}{task}"), ty));
    let [n, d, x, i] =
        [[Var::new("n", ty), Var::new("n", ty)], [Var::new("d", ty), Var::new("d", ty)], of("x"), of("i")];
    let least = if ty.signed && c.pick(2) == 0 { -2 } else { 0 };
    let vars: Vec<(Var, i128, i128)> = vec![
        (n[0].clone(), least, 4),
        (d[0].clone(), if c.pick(3) == 0 { least } else { 1 }, 3),
        (x[0].clone(), 0, 2),
        (x[1].clone(), 0, 2),
        (i[0].clone(), least, 5),
        (i[1].clone(), least, 5),
    ];
    // The ranges may overlap, by what is added, or where they are divided by another number.
    let (plus, late, apart) = (1 + c.pick(5) / 4, c.pick(6) / 5, c.pick(7) / 6);
    // Such ranges are empty, unless one divides by what is negative.
    let (from, to) = if c.pick(4) == 3 { (plus, 0) } else { (0, plus) };
    let (sooner, other) = [(0, 0), (1, 0), (0, 1)][c.pick(6).saturating_sub(3)];
    let fixed = (c.pick(2) == 0).then(|| N::num(3));
    let mut conditions = Vec::new();
    for task in [0, 1] {
        let [size, by, at, own] = [&n, &d, &x, &i].map(|v| N::var(&v[task]));
        let size = fixed.clone().unwrap_or(size);
        let quotient = |at: &N, by: &N| N::bin(NBin::Div, ty, &N::mul(ty, &size, at), by);
        let place = |more: usize| N::add(ty, &at, &N::num(more as i128));
        let end = quotient(&place(to), &N::add(ty, &by, &N::num(other)));
        conditions.push(quotient(&place(from), &N::add(ty, &by, &N::num(sooner))).le(&own));
        conditions.push(own.lt(&N::add(ty, &end, &N::num(late as i128))));
    }
    for (var, lo, hi) in &vars {
        conditions.push(N::num(*lo).le(&N::var(var)));
        conditions.push(N::var(var).le(&N::num(*hi)));
    }
    conditions.push(N::var(&x[0]).ne(&N::var(&x[1])));
    conditions.push(N::var(&i[0]).eq(&N::add(ty, &N::var(&i[1]), &N::num(apart as i128))));
    Question { vars, conditions }
}

/// The number of ranges that are told apart; an error for two that are not.
fn told_apart(rules: Rules) -> Result<usize, String> {
    let mut count = 0;
    for seed in 0..1500 {
        let question = shared_out(seed);
        if let Some(proof) = refute_by(rules, &question.conditions) {
            count += 1;
            if refuted_wrongly(&question, &proof) {
                return Err(format!("{seed}: {:?} by {proof:?}", question.conditions));
            }
        }
    }
    Ok(count)
}

type Order = fn(&Facts, &Poly) -> Option<Poly>;

#[test]
fn what_is_shared_out_is_told_apart() {
    let count = told_apart(Rules::default()).expect("no wrong answer");
    let without = told_apart(Rules { ordered: |_, _| None, ..Rules::default() }).expect("no wrong answer");
    assert!(count > without + 100, "{count} {without}");
    let mutants: [(&str, Order); 4] = [
        ("those that are equal as well", |facts, p| dividends(facts, &p.plus(1).ok()?)),
        ("too far apart", |facts, p| dividends(facts, p)?.plus(3).ok()),
        ("by two divisors", |facts, p| {
            dividends_by(facts, p, |facts, [one, two]| [one, two].iter().all(|by| is_positive(facts, by)))
        }),
        ("by what may be negative", |facts, p| dividends_by(facts, p, |_, [one, two]| one == two)),
    ];
    for (name, ordered) in mutants {
        assert!(told_apart(Rules { ordered, ..Rules::default() }).is_err(), "nothing shows that `{name}` is wrong");
    }
}

fn is_positive(facts: &Facts, poly: &Poly) -> bool {
    poly.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|p| facts.never_positive(&p, 1))
}

/// Two threads with places in rows, and in planes of rows, that are longer than they are wide.
fn padded(seed: u64) -> Question {
    let mut choices = Choices::seeded(seed, 200);
    let c = &mut choices;
    let ty = *c.one_of(&[IntTy::U32, IntTy::I32, IntTy::U8, IntTy::MATH]).expect("a type");
    let [w, h] = ["w", "h"].map(|name| Var::new(name, ty));
    let mut vars = vec![(w.clone(), 0, 3), (h.clone(), 0, 2)];
    let [by, more, beyond] = [c.pick(3) as i128, c.pick(3) as i128, c.pick(4) as i128];
    let by = if ty.signed && c.pick(4) == 0 { -1 } else { by };
    let mut conditions = Vec::new();
    let mut indices = Vec::new();
    let mut differ = Vec::new();
    for task in [1, 2] {
        let own = ["x", "y", "z"].map(|name| Var::new(format!("{name}!{task}"), ty));
        vars.extend(own.iter().map(|var| (var.clone(), 0, 2)));
        let [x, y, z] = own.map(|var| N::var(&var));
        let (add, mul) = (|l: &N, r: &N| N::add(ty, l, r), |l: &N, r: &N| N::mul(ty, l, r));
        let (row, column) = (add(&N::var(&w), &N::num(by)), add(&N::var(&h), &N::num(more)));
        conditions.push(x.lt(&add(&N::var(&w), &N::num(beyond))));
        conditions.push(y.lt(&N::var(&h)));
        let plane = mul(&z, &mul(&row, &column));
        indices.push(add(&plane, &add(&mul(&y, &row), &x)));
        differ.push([x, y, z]);
    }
    for (var, lo, hi) in &vars {
        conditions.push(N::num(*lo).le(&N::var(var)));
        conditions.push(N::var(var).le(&N::num(*hi)));
    }
    conditions.push(B::or((0..3).map(|at| differ[0][at].ne(&differ[1][at])).collect::<Vec<_>>()));
    conditions.push(indices[0].eq(&indices[1]));
    Question { vars, conditions }
}

#[test]
fn rows_that_are_longer_than_they_are_wide_are_told_apart() {
    let mut refuted = [0, 0];
    for seed in 0..400 {
        let question = padded(seed);
        let proof = refute_by(Rules::default(), &question.conditions);
        refuted[usize::from(proof.is_some())] += 1;
        if let Some(proof) = proof {
            assert!(!refuted_wrongly(&question, &proof), "{seed}: {:?} by {proof:?}", question.conditions);
        }
    }
    assert!(refuted.iter().all(|n| *n > 50), "{refuted:?}");
}

#[test]
fn a_wrong_rule_is_noticed() {
    let right = Rules::default();
    let remainder: fn(&Poly) -> bool = |p| p.content() > 1 && p.constant != 0;
    let not_zero = |facts: &Facts, p: &Poly| facts.never_positive(p, 2);
    let strict =
        |facts: &Facts, p: &Poly| p.scale(-1).is_ok_and(|above| !p.terms.is_empty() && facts.never_positive(&above, 1));
    let wide = |facts: &Facts, p: &Poly| {
        let below = |p: &Poly| {
            let scaled = |c: &i128| p.scale(*c).and_then(|p| p.plus(-c)).is_ok_and(|p| facts.never_positive(&p, 2));
            scales(facts, p).iter().any(scaled)
        };
        below(p) && p.scale(-1).is_ok_and(|p| below(&p))
    };
    let halves = |_: &Facts, p: &Poly| {
        let largest = p.terms.iter().map(|(_, c)| c.abs()).max().filter(|c| *c > 1)?;
        let (a, b): (Vec<_>, Vec<_>) = p.terms.iter().cloned().partition(|(_, c)| c % largest == 0);
        let a = Poly { terms: a.into_iter().map(|(m, c)| (m, c / largest)).collect(), constant: 0 };
        (!b.is_empty()).then_some((Rule::Injective, [Poly { terms: b, constant: p.constant }, a]))
    };
    let rows = |_: &Facts, p: &Poly| {
        let symbol = *p.terms.iter().find(|(m, _)| m.len() == 2).and_then(|(m, _)| m.first())?;
        let (a, b): (Vec<_>, Vec<_>) = p.terms.iter().cloned().partition(|(m, _)| m.contains(&symbol));
        let a = a.into_iter().map(|(m, c)| (m.into_iter().filter(|x| *x != symbol).collect::<Monomial>(), c));
        let a: Vec<_> = a.filter(|(m, _)| !m.is_empty()).collect();
        Some((Rule::Delinearised, [Poly { terms: b, constant: p.constant }, Poly { terms: a, constant: 0 }]))
    };
    let mutants = [
        ("a remainder", Rules { divisible: remainder, ..right }),
        ("zero is apart", Rules { apart: not_zero, ..right }),
        ("at most is below", Rules { contradicts: strict, ..right }),
        ("nearly zero is zero", Rules { zero: wide, ..right }),
        ("small rest, constant stride", Rules { split: halves, ..right }),
        ("small rest, symbolic stride", Rules { split: rows, ..right }),
    ];
    for (name, rules) in mutants {
        assert!(holds(rules).is_err(), "nobody notices: {name}");
    }
}

#[test]
fn what_is_guessed_is_a_solution() {
    let mut guessed = 0;
    for seed in 0..CASES / 2 {
        let question = question(seed);
        let vars: Vec<(Var, Interval)> =
            question.vars.iter().map(|(var, lo, hi)| (var.clone(), Interval::new(*lo, *hi))).collect();
        // Without that the threads differ: of one thread it is asked.
        let conditions: Vec<B> = question.conditions.iter().skip(2).cloned().collect();
        if sample::inhabited(&vars, &conditions) {
            guessed += 1;
            let mut any = false;
            solutions(&Question { vars: question.vars, conditions }, |_| {
                any = true;
                true
            });
            assert!(any, "{seed}");
        }
    }
    assert!(guessed > 5, "{guessed}");
}

/// [OPT-WEAKER]
#[test]
fn what_is_said_of_a_dividend_follows_from_what_is_said_of_the_quotient() {
    let (n, k) = (Var::new("n", IntTy::I32), Var::new("k", IntTy::I32));
    let relations = [NRel::Eq, NRel::Lt, NRel::Le];
    let mut told_apart = 0;
    for (ty, by, more) in [(IntTy::MATH, 4, 0), (IntTy::I32, 4, 0), (IntTy::MATH, 3, 2), (IntTy::MATH, 2, -1)] {
        let quotient = N::bin(NBin::Div, ty, &N::var(&n), &N::num(by));
        let quotient = N::add(ty, &quotient, &N::num(more));
        let both = |rel| [B::rel(rel, &quotient, &N::var(&k)), B::rel(rel, &N::var(&k), &quotient)];
        for condition in relations.into_iter().flat_map(both) {
            let weaker = of_quotient(&condition).expect("a comparison with a quotient");
            for (i, j) in (-20..20).cartesian_product(-9..9) {
                let env = Env::new().with(&n.name, i).with(&k.name, j);
                let [before, after] = [&condition, &weaker].map(|b| eval_b(b, &env).expect("a value"));
                assert!(after || !before, "{condition}, but not {weaker}, with n = {i} and k = {j}");
                told_apart += usize::from(!after);
            }
        }
    }
    assert!(told_apart > 1000, "{told_apart}");
}

/// Assumptions of a kernel of two sizes, others of which nothing follows, and where it writes.
const OF_TWO_SIZES: [(&str, &str, &str); 4] = [
    // [OPT-WEAKER]: what is divided has to be larger than a row is wide.
    (
        "gridDim.x == n && gridDim.y == 1 && n <= (w - 1) / 16",
        "gridDim.x == n && gridDim.y == 1 && n <= (w - 1) / 15",
        "int i = (n - 1 - bx) * 16 * w + bx * 16 + tx + w + 1; d[i + ty * w] = tx;",
    ),
    // Rows are as long as the size that is multiplied, whichever the other is.
    (
        "gridDim.x == n && gridDim.y == 1 && 16 * n <= h && w == h + 1",
        "gridDim.x == n && gridDim.y == 1 && 16 * n <= h && w == h - 1",
        "int i = (n - 1 - bx) * 16 * w + bx * 16 + tx + w + 1; d[i + ty * w] = tx;",
    ),
    // [OPT-BOUND]: of `bx <= n - 1` and `16 n <= w`, with a multiple of the first.
    (
        "gridDim.x == n && gridDim.y == 1 && 16 * n <= w",
        "gridDim.x == n && gridDim.y == 1 && 16 * n <= w + 1",
        "if (ty == 0) d[(n - 1 - bx) * w + bx * 16 + tx] = tx;",
    ),
    // [OPT-CASES]: the case is known before the index is looked at.
    (
        "gridDim.x == w / 16 && gridDim.y == w / 16 && w % 16 == 0 && w == h",
        "gridDim.x == w / 16 && gridDim.y == w / 16 && w % 16 == 0",
        "int x, y; if (w == h) { x = bx; y = (blockIdx.x + blockIdx.y) % gridDim.x; } else { x = 5; y = bx; }
         x = x * 16 + threadIdx.x; y = y * 16 + threadIdx.y; d[x + y * h] = blockIdx.y;",
    ),
];

#[test]
fn rows_of_sizes_that_are_quotients_are_told_apart_without_a_solver() {
    for (assumed, other, body) in OF_TWO_SIZES {
        let checked = |assumed: &str| {
            let text = format!(
                "//--blockDim=[16,16] --gridDim=[*,*]\n//@ requires {assumed} && 0 < w && 0 < n\n__global__ void k(int *d, int w, int h, int n)
                 {{ int bx = blockIdx.x, tx = threadIdx.x, ty = threadIdx.y; {body} }}"
            );
            let report = check_files(&[(PathBuf::from("k.cu"), text)], &Settings::default(), &solver_settings());
            report.kernels[0].clone()
        };
        let kernel = checked(assumed);
        assert_eq!(kernel.verdict, Verdict::RaceFree, "{assumed}: {:?} {:?}", kernel.reasons, kernel.findings);
        assert!(kernel.presolved.contains_key("delinearised"), "{assumed}: {:?}", kernel.presolved);
        assert_eq!(checked(other).verdict, Verdict::Racy, "{other}");
    }
}

/// What two runs have to agree on: everything but the model, the time, and how it was found.
fn summary(report: &Report) -> Vec<(String, KernelReport)> {
    let overflow = |text: &String| text.starts_with("no signed overflow") || text.starts_with("no wrap-around");
    let each = report.kernels.iter().map(|kernel| {
        let mut kernel = kernel.clone();
        // With more time, a solver may do without these.
        kernel.assumptions.retain(|text| !overflow(text));
        kernel.assumptions.sort();
        (kernel.time_ms, kernel.queries) = (0.0, 0);
        kernel.presolved.clear();
        kernel.findings.sort_by(|a, b| a.id.cmp(&b.id));
        for finding in &mut kernel.findings {
            finding.witness = Witness::default();
            for access in &mut finding.accesses {
                (access.thread, access.block) = ([0; 3], [0; 3]);
                access.index.clear();
                access.locals.clear();
            }
        }
        (format!("{} {}", kernel.path, kernel.name), kernel)
    });
    each.collect()
}

fn sources(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cl")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            all.push((path, text));
        }
    }
}

#[test]
fn the_corpus_has_the_same_verdicts_without_pre_solvers() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), &mut files);
    assert!(files.len() > 200);
    // What both runs ask the solver is asked once.
    let solver = SolverConfig { cache: Some(Arc::new(Cache::in_memory())), ..solver_settings() };
    let run = |presolve: bool| {
        let check = CheckOptions { presolve, ..CheckOptions::default() };
        check_files(&files, &Settings { jobs: 2, check, ..Settings::default() }, &solver)
    };
    let (with, without) = (run(true), run(false));
    let saved: usize = with.kernels.iter().flat_map(|k| k.presolved.values()).sum();
    let asked: usize = with.kernels.iter().map(|k| k.queries).sum();
    println!("{saved} questions answered, {asked} left");
    assert!(saved > 500, "{saved}");
    assert!(without.kernels.iter().all(|k| k.presolved.is_empty()));
    for ((name, a), (other, b)) in summary(&with).into_iter().zip(summary(&without)) {
        assert_eq!(name, other);
        let undecided = b.reasons.iter().any(|r| r.code == "solver-unknown");
        let proved = b.verdict == Verdict::Inconclusive && a.verdict != Verdict::Racy;
        // Where the solver has not enough time, the pre-solvers may.
        assert!(a == b || undecided && (a.verdict == b.verdict || proved), "{name}\n{a:#?}\n{b:#?}");
    }
}
