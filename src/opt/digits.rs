//! Indices that are numbers in a mixed radix: equal numbers have equal digits.
//!
//! `S a + b = 0` with `|b| < S` gives `a = 0` and `b = 0`. So `y * w + x` is injective in x and y when x stays within a row,
//! and `blockIdx.x * blockDim.x + threadIdx.x` in block and thread.

use super::facts::Facts;
use super::values::left_of;
use super::{Digits, Rule};
use crate::exp::poly::{AtomId, Monomial, Poly};

/// How many bounds are put together.
const FUEL: u32 = 2;
/// Equations with more terms are not looked at.
const TERMS: usize = 24;

/// The equations that `poly = 0` falls apart into. [OPT-DIGITS]
pub fn split(facts: &Facts, poly: &Poly) -> Option<Digits> {
    if poly.terms.len() > TERMS {
        return None;
    }
    let mut strides: Vec<i128> = poly.terms.iter().map(|(_, c)| c.abs()).filter(|c| *c > 1).collect();
    strides.sort_unstable_by(|a, b| b.cmp(a));
    strides.dedup();
    for stride in strides {
        if let Some(parts) = by_constant(facts, poly, stride) {
            return Some((Rule::Injective, parts));
        }
    }
    let mut symbols: Vec<AtomId> =
        poly.terms.iter().filter(|(m, _)| m.len() > 1).flat_map(|(m, _)| m).copied().collect();
    symbols.sort_unstable();
    symbols.dedup();
    let alone = symbols.into_iter().map(|symbol| Monomial::from_elem(symbol, 1));
    let together = shared_factors(&poly.terms).into_iter().filter(|factors| factors.len() > 1);
    let parts = alone.chain(together).find_map(|s| by_product(facts, poly, &s)).or_else(|| by_sum(facts, poly));
    parts.map(|parts| (Rule::Delinearised, parts))
}

/// The products of unknowns that two of the terms have in common.
pub fn shared_factors(terms: &[(Monomial, i128)]) -> Vec<Monomial> {
    let mut all: Vec<Monomial> = Vec::new();
    for (i, (one, _)) in terms.iter().enumerate() {
        for (two, _) in &terms[i + 1..] {
            let mut left = two.clone();
            let shared = |atom: &AtomId| left.iter().position(|a| a == atom).map(|at| left.remove(at));
            let shared: Monomial = one.iter().filter_map(shared).collect();
            if !shared.is_empty() && !all.contains(&shared) {
                all.push(shared);
            }
        }
    }
    all
}

/// Is `-stride < b < stride`?
fn small(facts: &Facts, b: &Poly, stride: &Poly) -> bool {
    let below = |b: &Poly| b.sub(stride).and_then(|p| p.plus(1)).is_ok_and(|p| facts.never_positive(&p, FUEL));
    below(b) && b.scale(-1).is_ok_and(|b| below(&b))
}

fn by_constant(facts: &Facts, poly: &Poly, stride: i128) -> Option<[Poly; 2]> {
    let (multiples, rest): (Vec<_>, Vec<_>) = poly.terms.iter().cloned().partition(|(_, c)| c % stride == 0);
    if multiples.is_empty() || rest.is_empty() && poly.constant % stride != 0 {
        return None;
    }
    let quotients = multiples.into_iter().map(|(m, c)| (m, c / stride)).collect();
    let least = poly.constant.rem_euclid(stride);
    for constant in [least, least - stride] {
        let b = Poly { terms: rest.clone(), constant };
        let a = Poly { terms: Vec::clone(&quotients), constant: (poly.constant - constant) / stride };
        let progress = !b.terms.is_empty() || stride > 1 && constant == 0;
        if progress && small(facts, &b, &Poly::constant(stride)) {
            return Some([b, a]);
        }
    }
    None
}

/// The same for a stride that is a sum: what two unknowns are both multiplied by, with different signs.
fn by_sum(facts: &Facts, poly: &Poly) -> Option<[Poly; 2]> {
    let mut atoms: Vec<AtomId> = poly.terms.iter().flat_map(|(m, _)| m).copied().collect();
    atoms.sort_unstable();
    atoms.dedup();
    let mut strides: Vec<(AtomId, Poly)> = Vec::new();
    for atom in atoms {
        let mut stride = Poly::default();
        for (monomial, c) in &poly.terms {
            match left_of(monomial, &Monomial::from_elem(atom, 1)) {
                Some(left) if left.contains(&atom) => return None,
                Some(left) if left.is_empty() => stride.constant += c,
                Some(left) => stride.terms.push((left, *c)),
                None => {}
            }
        }
        stride.terms.sort();
        if stride.terms.len() + usize::from(stride.constant != 0) > 1 {
            strides.push((atom, stride));
        }
    }
    let pairs = strides.iter().enumerate().flat_map(|(i, one)| strides[i + 1..].iter().map(move |two| (one, two)));
    let opposite = pairs.filter(|((_, s), (_, t))| s.add(t).is_ok_and(|sum| sum == Poly::default()));
    opposite.into_iter().find_map(|((one, stride), (two, _))| {
        let a = Poly::atom(*one).sub(&Poly::atom(*two)).ok()?;
        let b = poly.sub(&stride.mul(&a).ok()?).ok()?;
        [(stride.clone(), 1), (stride.scale(-1).ok()?, -1)].into_iter().find_map(|(stride, sign)| {
            let positive = stride.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|p| facts.never_positive(&p, FUEL));
            let parts = || Some([b.clone(), a.scale(sign).ok()?]);
            (positive && small(facts, &b, &stride)).then(parts)?
        })
    })
}

fn by_product(facts: &Facts, poly: &Poly, product: &Monomial) -> Option<[Poly; 2]> {
    let scale = Poly { terms: vec![(product.clone(), 1)], constant: 0 };
    let one = facts.values.interval(&scale).lo.is_some_and(|lo| lo >= 1)
        || scale.scale(-1).and_then(|p| p.plus(1)).is_ok_and(|p| facts.never_positive(&p, FUEL));
    if !one {
        return None;
    }
    let (mut quotient, mut rest) = (Poly::default(), Vec::new());
    for (monomial, c) in &poly.terms {
        let term = match left_of(monomial, product) {
            Some(left) if left.is_empty() => Poly::constant(*c),
            Some(left) => Poly { terms: vec![(left, *c)], constant: 0 },
            None => {
                rest.push((monomial.clone(), *c));
                continue;
            }
        };
        quotient = quotient.add(&term).ok()?;
    }
    let b = Poly { terms: rest, constant: poly.constant };
    if quotient.terms.is_empty() {
        return None;
    }
    // A rest that is less than 0, or more than the stride, may be one behind or before.
    [0, 1, -1].into_iter().find_map(|shift| {
        let (b, quotient) = (b.add_scaled(&scale, shift).ok()?, quotient.plus(-shift).ok()?);
        // What divides all of a belongs to the stride.
        let common = match quotient.constant {
            0 => quotient.content().max(1),
            c => crate::exp::poly::gcd(quotient.content(), c).max(1),
        };
        let stride = scale.scale(common).ok()?;
        let a = Poly { constant: quotient.constant / common, ..quotient.divide_floor(common) };
        small(facts, &b, &stride).then_some([b, a])
    })
}
