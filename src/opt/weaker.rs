//! Assumptions that say less, and do not hide what proofs need.

use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, free_vars_b, subterms};

/// Conditions of more variables than this relate many sizes.
const SIZES: usize = 5;
/// The largest divisors that are looked at.
const MOST: i128 = 1 << 32;

/// Weaker assumptions that are often enough [OPT-WEAKER], the ones that say more first: without those that relate many sizes, as the
/// launch does, without those by which a number is the quotient of two others, as the number of blocks is, and with bounds of
/// what is divided by a constant in place of the quotient.
pub fn weaker(assumptions: &B) -> Vec<B> {
    let BExp::And(parts) = assumptions.kind() else { return Vec::new() };
    let few: Vec<B> = parts.iter().filter(|part| free_vars_b(part).len() <= SIZES).cloned().collect();
    let plain: Vec<B> = few.iter().filter(|part| !divides(part)).cloned().collect();
    let bounds: Vec<B> = plain.iter().map(|part| of_quotient(part).unwrap_or_else(|| part.clone())).collect();
    let mut all: Vec<B> = [few, plain, bounds].map(B::and).into();
    all.dedup();
    all.retain(|weaker| weaker != assumptions);
    all
}

/// What a comparison with a quotient by a constant says of its dividend. Division rounds towards 0.
pub fn of_quotient(condition: &B) -> Option<B> {
    let BExp::Rel(rel, left, right) = condition.kind() else { return None };
    let (add, sub, mul) = (N::add, N::sub, N::mul);
    let is_left = quotient(left).is_some();
    let (dividend, by, offset) = quotient(if is_left { left } else { right })?;
    let other = sub(IntTy::MATH, if is_left { right } else { left }, &N::num(offset));
    // `n <= dividend / by` and `dividend / by <= n`
    let above = |n: &N| B::or([mul(IntTy::MATH, n, &N::num(by)).le(dividend), n.le(&N::num(0))]);
    let below = |n: &N| dividend.le(&add(IntTy::MATH, &mul(IntTy::MATH, n, &N::num(by)), &N::num(by - 1)));
    match (rel, is_left) {
        (NRel::Eq, _) => Some(B::and([above(&other), below(&other)])),
        (NRel::Le, false) => Some(above(&other)),
        (NRel::Lt, false) => Some(above(&add(IntTy::MATH, &other, &N::num(1)))),
        (NRel::Le, true) => Some(below(&other)),
        (NRel::Lt, true) => Some(below(&sub(IntTy::MATH, &other, &N::num(1)))),
        _ => None,
    }
}

/// The dividend and the divisor of a quotient by a constant, and a constant that is added.
fn quotient(term: &N) -> Option<(&N, i128, i128)> {
    match term.kind() {
        // The dividend is not converted.
        NExp::Bin(NBin::Div, ty, dividend, by) if *ty == IntTy::MATH || dividend.ty() == Some(*ty) => {
            let by = by.as_num().filter(|by| (1..=MOST).contains(by))?;
            Some((dividend, by, 0))
        }
        NExp::Bin(NBin::Add, IntTy::MATH, quotient_of, more) => {
            let (dividend, by, 0) = quotient(quotient_of)? else { return None };
            let more = more.as_num().filter(|n| (-MOST..=MOST).contains(n))?;
            Some((dividend, by, more))
        }
        _ => None,
    }
}

/// Is something divided by what is no constant?
fn divides(condition: &B) -> bool {
    let mut found = false;
    subterms(condition, &mut |term| {
        found |= matches!(term.kind(), NExp::Bin(NBin::Div | NBin::Rem, _, _, by) if by.as_num().is_none());
    });
    found
}
