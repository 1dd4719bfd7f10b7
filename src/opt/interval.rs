//! Indices in intervals that have nothing in common.

use super::facts::Facts;
use crate::exp::poly::Poly;

/// How many bounds are put together.
const FUEL: u32 = 2;

/// Are all values of the polynomial above 0, or all below? [OPT-APART]
pub fn no_zero(facts: &Facts, poly: &Poly) -> bool {
    let below = poly.plus(1).is_ok_and(|p| facts.never_positive(&p, FUEL));
    below || poly.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|p| facts.never_positive(&p, FUEL))
}
