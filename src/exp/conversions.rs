//! Conversions under signed arithmetic.

use super::{N, NBin, NExp};

/// The conversions that the sums and products of a term are made of. If all of them keep their values, and the term is in
/// its type, its value is that of the sums and products of integers; if only the term is, a conversion may have wrapped
/// around, as in `(int)m + t`.
pub fn conversions(term: &N) -> Vec<N> {
    fn walk(term: &N, found: &mut Vec<N>) {
        match term.kind() {
            NExp::Bin(NBin::Add | NBin::Sub | NBin::Mul, _, l, r) => {
                walk(l, found);
                walk(r, found);
            }
            NExp::Bin(NBin::Shl, _, l, _) => walk(l, found),
            NExp::Cast(_, inner) if !found.contains(term) => {
                found.push(term.clone());
                walk(inner, found);
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    // Of larger terms there is no more to tell than that they are in their type.
    if term.depth() <= 60 {
        walk(term, &mut found);
    }
    found
}
