//! Conditions that contradict each other.

use super::Rule;
use super::facts::Facts;
use crate::exp::poly::Poly;

/// Is `poly <= 0` impossible, since `1 - poly <= 0` follows from the facts? [OPT-GUARD]
pub fn contradicts(facts: &Facts, poly: &Poly) -> bool {
    poly.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|above| facts.never_positive(&above, 1))
}

/// Looks for a fact that contradicts others.
pub fn check(facts: &mut Facts, contradicts: fn(&Facts, &Poly) -> bool) {
    let bound = facts.at_most.iter().any(|fact| contradicts(facts, fact));
    let same = |p: &Poly| p.as_constant() == Some(0) || facts.values.interval(p).single() == Some(0);
    if bound || facts.differ.iter().any(same) {
        facts.refuted_by(Rule::Guard);
    }
}
