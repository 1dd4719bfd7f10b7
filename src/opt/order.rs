//! Quotients by one divisor that are in order: so are the dividends.
//!
//! A range that is shared out, `n * t / d <= i < n * (t + 1) / d`, has no element of two threads.

use super::facts::Facts;
use crate::exp::poly::Poly;

/// Of `p / d - q / d + c <= 0` for `d >= 1` and `c >= 1`: that `p - q + d (c - 1) + 1 <= 0`. [OPT-ORDER]
pub fn dividends(facts: &Facts, fact: &Poly) -> Option<Poly> {
    dividends_by(facts, fact, |facts, [by, other]| {
        let positive = facts.reduced(by).is_some_and(|by| facts.values.interval(&by).lo.is_some_and(|lo| lo >= 1));
        positive && by == other
    })
}

/// The same for these divisors: the tests change the condition to see that a wrong one is noticed.
pub fn dividends_by(facts: &Facts, fact: &Poly, divides: fn(&Facts, [&Poly; 2]) -> bool) -> Option<Poly> {
    let [(one, a), (two, b)] = fact.terms.as_slice() else { return None };
    let ([one], [two], 0, 1) = (one.as_slice(), two.as_slice(), a + b, a.abs()) else { return None };
    let (less, more) = if *a > 0 { (one, two) } else { (two, one) };
    let ((of, by), (other, same)) = (facts.values.quotient(*less)?, facts.values.quotient(*more)?);
    (divides(facts, [by, same]) && fact.constant >= 1).then_some(())?;
    facts.reduced(&of.sub(other).ok()?.add_scaled(by, fact.constant - 1).ok()?.plus(1).ok()?)
}
