//! Divisibility: a sum of multiples of g is a multiple of g.

use crate::exp::poly::Poly;

/// Has the polynomial no zero, since the constant is not divisible by what divides all coefficients? [OPT-GCD]
pub fn no_zero(poly: &Poly) -> bool {
    let content = poly.content();
    content > 1 && poly.constant % content != 0
}

/// An equivalent of `poly <= 0` with coefficients that have no common divisor: `g p + c <= 0` iff `p <= floor(-c / g)`.
/// [OPT-ROUND]
pub fn rounded(poly: Poly) -> Poly {
    match poly.content() {
        content if content > 1 => {
            let limit = (-poly.constant).div_euclid(content);
            Poly { constant: -limit, ..poly.divide_floor(content) }
        }
        _ => poly,
    }
}
