//! Expressions over given variables.

use super::choices::Choices;
use crate::exp::{B, Fun, FunKind, IntTy, N, NBin, NRel, Order, Ticket, Var};

const TYPES: [IntTy; 7] = [IntTy::I32, IntTy::MATH, IntTy::U32, IntTy::I8, IntTy::U8, IntTy::I64, IntTy::U64];
const OPERATORS: [NBin; 12] = [
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
];

/// Any expression at all: every operator, type and kind of function.
pub fn any_number(choices: &mut Choices, vars: &[Var], depth: u32) -> N {
    let leaf = depth == 0 || choices.exhausted();
    match choices.pick(if leaf { 2 } else { 7 }) {
        0 => N::num(
            *choices.one_of(&[0i128, 1, 2, 3, -1, 7, 31, 32, 255, 256, -128, 1 << 31, (1 << 32) - 1]).unwrap_or(&0),
        ),
        1 => choices.one_of(vars).map_or(N::num(0), N::var),
        2 | 3 => {
            let op = *choices.one_of(&OPERATORS).unwrap_or(&NBin::Add);
            let ty = *choices.one_of(&TYPES).unwrap_or(&IntTy::I32);
            let l = any_number(choices, vars, depth - 1);
            let r = any_number(choices, vars, depth - 1);
            N::bin(op, ty, &l, &r)
        }
        4 => {
            let c = any_truth(choices, vars, depth - 1);
            let t = any_number(choices, vars, depth - 1);
            let e = any_number(choices, vars, depth - 1);
            N::ite(&c, &t, &e)
        }
        5 => {
            let ty = *choices.one_of(&TYPES).unwrap_or(&IntTy::I32);
            N::cast(ty, &any_number(choices, vars, depth - 1))
        }
        _ => {
            let name = *choices.one_of(&["f", "min", "A.x", "operator()"]).unwrap_or(&"f");
            let ty = *choices.one_of(&TYPES).unwrap_or(&IntTy::I32);
            let ticket =
                FunKind::Ticket(Ticket { order: Order::Up, cell: 2, thread: 1, bounded: choices.pick(2) == 0 });
            let kind = *choices.one_of(&[FunKind::Input, FunKind::Abstract, ticket]).unwrap_or(&FunKind::Input);
            let count = choices.pick(3);
            let args = (0..count).map(|_| any_number(choices, vars, depth - 1)).collect();
            N::call(Fun { name: name.into(), ty, kind }, args)
        }
    }
}

/// Any condition at all.
pub fn any_truth(choices: &mut Choices, vars: &[Var], depth: u32) -> B {
    let leaf = depth == 0 || choices.exhausted();
    match choices.pick(if leaf { 1 } else { 6 }) {
        0 => B::lit(choices.pick(2) == 0),
        1 | 2 => {
            let op = *choices.one_of(&[NRel::Eq, NRel::Ne, NRel::Lt, NRel::Le]).unwrap_or(&NRel::Eq);
            let l = any_number(choices, vars, depth - 1);
            let r = any_number(choices, vars, depth - 1);
            B::rel(op, &l, &r)
        }
        3 => B::not(&any_truth(choices, vars, depth - 1)),
        junction => {
            let count = 2 + choices.pick(2);
            let parts: Vec<B> = (0..count).map(|_| any_truth(choices, vars, depth - 1)).collect();
            if junction == 4 { B::and(parts) } else { B::or(parts) }
        }
    }
}

/// A small expression as it stands in an index or a bound: small values for small values of the variables.
pub fn small_number(choices: &mut Choices, vars: &[Var]) -> N {
    let ty = IntTy::I32;
    let Some(x) = choices.one_of(vars).map(N::var) else { return N::num(choices.pick(3) as i128) };
    match choices.pick(8) {
        0 => x,
        1 => N::num(choices.pick(3) as i128),
        2 => N::add(ty, &x, &N::num(1)),
        3 => N::mul(ty, &x, &N::num(2)),
        4 => N::bin(NBin::Rem, ty, &x, &N::num(2)),
        5 => N::bin(NBin::Xor, ty, &x, &N::num(1)),
        6 => choices.one_of(vars).map_or(x.clone(), |y| N::add(ty, &x, &N::var(y))),
        _ => choices.one_of(vars).map_or(x.clone(), |y| N::sub(ty, &x, &N::var(y))),
    }
}

/// A condition over small expressions.
pub fn small_truth(choices: &mut Choices, vars: &[Var]) -> B {
    let l = small_number(choices, vars);
    let r = N::num(choices.pick(3) as i128);
    match choices.pick(5) {
        0 => l.lt(&r),
        1 => l.eq(&r),
        2 => l.ne(&r),
        3 => r.le(&l),
        _ => {
            let other = small_number(choices, vars);
            B::and([l.le(&other), l.ne(&r)])
        }
    }
}
