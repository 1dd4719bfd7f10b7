//! Which terms and conditions are not linear.

use super::{B, BExp, N, NBin, NExp};

/// Is there a product, or a quotient, of two unknown numbers?
pub fn multiplies_b(condition: &B) -> bool {
    match condition.kind() {
        BExp::Lit(_) => false,
        BExp::Rel(_, l, r) => multiplies(l) || multiplies(r),
        BExp::And(parts) | BExp::Or(parts) => parts.iter().any(multiplies_b),
        BExp::Not(inner) => multiplies_b(inner),
    }
}

pub fn multiplies(term: &N) -> bool {
    match term.kind() {
        NExp::Num(_) | NExp::Var(_) => false,
        NExp::Bin(op, _, l, r) => {
            let unknown = match op {
                NBin::Mul => l.as_num().is_none() && r.as_num().is_none(),
                NBin::Div | NBin::Rem => r.as_num().is_none(),
                _ => false,
            };
            unknown || multiplies(l) || multiplies(r)
        }
        NExp::If(c, t, e) => multiplies_b(c) || multiplies(t) || multiplies(e),
        NExp::Cast(_, inner) => multiplies(inner),
        NExp::Call(_, args) => args.iter().any(multiplies),
    }
}
