//! THM-FOLD: a smart constructor makes a term with the value that its operator has on the values of its parts.

use faial_like::exp::eval::{apply, compare};
use faial_like::exp::{B, Env, Fun, IntTy, N, NBin, NRel, Var, eval_b, eval_n};
use faial_like::fuzz::Choices;
use faial_like::fuzz::expressions::{any_number, any_truth};

use crate::generate::for_all_choices;

fn vars() -> Vec<Var> {
    vec![Var::new("x", IntTy::I32), Var::new("y", IntTy::U8), Var::new("z", IntTy::MATH), Var::new("w", IntTy::U32)]
}

fn table(fun: &Fun, args: &[i128]) -> Option<i128> {
    Some(args.iter().fold(fun.name.as_str().len() as i128, |acc, a| acc.wrapping_mul(31).wrapping_add(*a)))
}

/// Values of the types of the variables, the extreme ones among them.
fn environment(choices: &mut Choices) -> Env<'static> {
    let mut env = Env::with_functions(&table);
    for var in vars() {
        let value = *choices.one_of(&[0, 1, 2, -1, 255, 128, i128::from(i32::MIN), i128::from(u32::MAX)]).unwrap_or(&0);
        env.set(&var.name, var.ty.wrap(value));
    }
    env
}

fn holds(mut choices: Choices, add: impl Fn(IntTy, &N, &N) -> N) -> Result<(), String> {
    let env = environment(&mut choices);
    let op = [
        NBin::Add,
        NBin::Sub,
        NBin::Mul,
        NBin::Div,
        NBin::Rem,
        NBin::And,
        NBin::Or,
        NBin::Xor,
        NBin::Shl,
        NBin::Shr,
        NBin::Min,
        NBin::Max,
    ][choices.pick(12)];
    let ty = [IntTy::I32, IntTy::U32, IntTy::MATH, IntTy::U8, IntTy::I64][choices.pick(5)];
    let rel = [NRel::Eq, NRel::Ne, NRel::Lt, NRel::Le][choices.pick(4)];
    let l = any_number(&mut choices, &vars(), 3);
    let r = any_number(&mut choices, &vars(), 3);
    let (a, b) = (any_truth(&mut choices, &vars(), 3), any_truth(&mut choices, &vars(), 3));
    let number = |term: &N| eval_n(term, &env).map_err(|e| e.to_string());
    let truth = |term: &B| eval_b(term, &env).map_err(|e| e.to_string());
    let (lv, rv, av, bv) = (number(&l)?, number(&r)?, truth(&a)?, truth(&b)?);
    let same = |what: &str, got: i128, expected: i128| {
        if got == expected { Ok(()) } else { Err(format!("{what} of {l} and {r}, {a} and {b}: {got}, not {expected}")) }
    };
    let built = if op == NBin::Add { add(ty, &l, &r) } else { N::bin(op, ty, &l, &r) };
    same(&format!("{op}{ty}"), number(&built)?, apply(op, ty, lv, rv))?;
    same(&format!("{rel}"), truth(&B::rel(rel, &l, &r))?.into(), compare(rel, lv, rv).into())?;
    same(&format!("{ty}()"), number(&N::cast(ty, &l))?, ty.wrap(lv))?;
    same("?:", number(&N::ite(&a, &l, &r))?, if av { lv } else { rv })?;
    same("and", truth(&B::and([a.clone(), b.clone()]))?.into(), (av && bv).into())?;
    same("or", truth(&B::or([a.clone(), b.clone()]))?.into(), (av || bv).into())?;
    same("not", truth(&B::not(&a))?.into(), (!av).into())?;
    same("iff", truth(&B::iff(&a, &b))?.into(), (av == bv).into())?;
    same("truth", truth(&l.truth())?.into(), (lv != 0).into())?;
    same("number", number(&a.as_number())?, av.into())
}

#[test]
fn constructors_keep_the_value() {
    for_all_choices(6000, 80, |choices| holds(choices, N::add));
}

#[test]
fn mutants_are_killed() {
    let killed =
        |add: &dyn Fn(IntTy, &N, &N) -> N| (0..4000).any(|seed| holds(Choices::seeded(seed, 80), add).is_err());
    assert!(killed(&|_, l, r| N::add(IntTy::MATH, l, r)), "an addition that never wraps");
    let mistaken = |ty| if ty == IntTy::U32 { IntTy::I32 } else { ty };
    assert!(killed(&|ty, l, r| N::add(mistaken(ty), l, r)), "a sign mistaken");
    assert!(killed(&|ty, l, r| N::sub(ty, l, &N::sub(ty, r, &N::num(1)))), "an off-by-one");
}
