//! Conditions that contradict each other.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::{Rule, Rules};
use crate::exp::poly::Poly;

/// How many bounds are put together.
const FUEL: u32 = 2;
/// Of more facts than these no three are put together.
const MANY: usize = 32;
/// So many multiples are tried.
const SCALES: usize = 4;

/// Is `poly <= 0` impossible, since `1 - poly <= 0` follows from the facts? [OPT-GUARD]
pub fn contradicts(facts: &Facts, poly: &Poly) -> bool {
    let fuel = if facts.at_most.len() <= MANY { FUEL } else { 1 };
    poly.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|above| facts.never_positive(&above, fuel))
}

/// Looks for a fact that contradicts others.
pub fn check(facts: &mut Facts, rules: Rules) {
    let bound = facts.at_most.iter().any(|fact| (rules.contradicts)(facts, fact));
    if bound || facts.differ.iter().any(|poly| (rules.zero)(facts, poly)) {
        facts.refuted_by(Rule::Guard);
    }
}

/// Is the polynomial 0, by its interval or since `c p < c` and `c p > -c` follow from the facts? [OPT-SQUEEZE]
pub fn is_zero(facts: &Facts, poly: &Poly) -> bool {
    if poly.as_constant() == Some(0) || facts.values.interval(poly).single() == Some(0) {
        return true;
    }
    let below = |poly: &Poly| {
        scales(facts, poly).into_iter().any(|scale| {
            let scaled = poly.scale(scale).and_then(|p| p.plus(1 - scale));
            scaled.is_ok_and(|p| facts.never_positive(&p, FUEL))
        })
    };
    below(poly) && poly.scale(-1).is_ok_and(|p| below(&p))
}

/// Multiples of the polynomial that facts may have in them.
pub fn scales(facts: &Facts, poly: &Poly) -> BTreeSet<i128> {
    let terms = facts.at_most.iter().flat_map(|fact| &fact.terms);
    let shared = terms.filter(|(m, _)| poly.terms.iter().any(|(n, _)| m == n)).map(|(_, c)| c.abs());
    shared.collect::<BTreeSet<i128>>().into_iter().take(SCALES).collect()
}
