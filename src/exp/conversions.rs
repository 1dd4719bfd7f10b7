//! Conversions under signed arithmetic.

use rustc_hash::FxHashSet;

use super::{N, NBin, NExp};

/// The conversions that the sums and products of a term are made of. If all of them keep their values, and the term is in
/// its type, its value is that of the sums and products of integers; if only the term is, a conversion may have wrapped
/// around, as in `(int)m + t`.
pub fn conversions(term: &N) -> Vec<N> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match term.kind() {
            NExp::Bin(NBin::Add | NBin::Sub | NBin::Mul, _, l, r) => open.extend([l, r]),
            // Of what is shifted or masked the lower bits are those of the operand.
            NExp::Bin(NBin::Shl | NBin::Or | NBin::Xor, _, l, _) => open.push(l),
            NExp::If(_, then, els) => open.extend([then, els]),
            NExp::Cast(_, inner) => {
                found.push(term.clone());
                open.push(inner);
            }
            _ => {}
        }
    }
    found
}
