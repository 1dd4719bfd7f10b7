//! Which terms are powers of two, as far as the conditions say so: then a mask is a remainder.

use std::collections::BTreeSet;

use crate::base::Name;
use crate::exp::{B, BExp, Interval, N, NBin, NExp, NRel, Ranges};

/// Variables of which each value is a power of two, or not positive.
#[derive(Clone, Default)]
pub struct Powers {
    vars: BTreeSet<Name>,
}

impl Powers {
    /// What follows from conditions that hold.
    pub fn new(conditions: &[B], ranges: &Ranges) -> Powers {
        let mut powers = Powers::default();
        // One variable may be made from another one that comes later.
        for _ in 0..2 {
            conditions.iter().for_each(|b| powers.assume(b, ranges));
        }
        powers
    }

    fn assume(&mut self, condition: &B, ranges: &Ranges) {
        match condition.kind() {
            BExp::And(parts) => parts.iter().for_each(|p| self.assume(p, ranges)),
            BExp::Or(_) | BExp::Rel(..) => {
                let found = self.said(condition, ranges);
                self.vars.extend(found);
            }
            BExp::Not(inner) => {
                if let BExp::Or(parts) = inner.kind() {
                    parts.iter().for_each(|p| self.assume(&B::not(p), ranges));
                }
            }
            BExp::Lit(_) => {}
        }
    }

    /// The variables that are such powers where the condition holds. [OPT-POWER]
    fn said(&self, condition: &B, ranges: &Ranges) -> BTreeSet<Name> {
        match condition.kind() {
            BExp::And(parts) => parts.iter().flat_map(|p| self.said(p, ranges)).collect(),
            BExp::Or(parts) => {
                let mut each = parts.iter().map(|p| self.said(p, ranges));
                let first = each.next().unwrap_or_default();
                each.fold(first, |all, one| all.intersection(&one).cloned().collect())
            }
            BExp::Rel(NRel::Eq, l, r) => {
                let is = |var: &N, term: &N| var.as_var().filter(|_| self.has(term, ranges)).map(|v| v.name.clone());
                let masked = |term: &N, zero: &N| zero.as_num().filter(|n| *n == 0).and_then(|_| without_lowest(term));
                [is(l, r), is(r, l), masked(l, r), masked(r, l)].into_iter().flatten().collect()
            }
            BExp::Rel(..) | BExp::Lit(_) | BExp::Not(_) => BTreeSet::new(),
        }
    }

    /// Is every value of the term a power of two, or not positive? [OPT-POWER]
    pub fn has(&self, term: &N, ranges: &Ranges) -> bool {
        let natural = |n: &N| ranges.interval(n).lo.is_some_and(|lo| lo >= 0) && self.has(n, ranges);
        match term.kind() {
            NExp::Num(n) => *n <= 0 || n.count_ones() == 1,
            NExp::Var(var) => self.vars.contains(&var.name),
            NExp::Bin(NBin::Div, _, l, r) => r.as_num().is_some_and(|n| n > 0 && n.count_ones() == 1) && natural(l),
            NExp::Bin(NBin::Shl | NBin::Shr, _, l, _) => natural(l),
            NExp::Bin(NBin::Mul, ty, l, r) => {
                // What is larger than all numbers of ours is cut off.
                let small = ty.bits != 0 || ranges.interval(term).hi.is_some_and(|hi| hi < 1 << 120);
                small && natural(l) && natural(r)
            }
            NExp::Cast(_, inner) => natural(inner),
            NExp::If(_, t, e) => self.has(t, ranges) && self.has(e, ranges),
            NExp::Bin(..) | NExp::Call(..) => false,
        }
    }

    /// The power of two that a mask is one less than. [OPT-MASK]
    pub fn masked_by<'a>(&self, mask: &'a N, ranges: &Ranges) -> Option<&'a N> {
        match mask.kind() {
            NExp::Cast(ty, inner) if ranges.interval(inner).within(Interval::of_type(*ty)) => {
                self.masked_by(inner, ranges)
            }
            NExp::Bin(_, ty, _, _) => {
                let power = one_less(mask)?;
                let interval = ranges.interval(power);
                let exact = interval.lo.is_some_and(|lo| lo >= 1) && interval.within(Interval::of_type(*ty));
                (exact && self.has(power, ranges)).then_some(power)
            }
            NExp::Num(_) | NExp::Var(_) | NExp::If(..) | NExp::Call(..) | NExp::Cast(..) => None,
        }
    }
}

/// The variable x of `x & (x - 1)`: without its lowest bit, a power of two is 0, and no other positive number is.
fn without_lowest(term: &N) -> Option<Name> {
    let NExp::Bin(NBin::And, ty, a, b) = term.kind() else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(x, less)| {
        let var = x.as_var().filter(|v| v.ty == *ty && less.ty() == Some(*ty))?;
        (one_less(less) == Some(x)).then(|| var.name.clone())
    })
}

/// The x of `x - 1`.
fn one_less(term: &N) -> Option<&N> {
    let NExp::Bin(op, ty, x, n) = term.kind() else { return None };
    let period = if ty.bits == 0 { 0 } else { 1i128 << ty.bits };
    match (op, n.as_num()?) {
        (NBin::Sub, 1) | (NBin::Add, -1) => Some(x),
        (NBin::Add, n) if n == period - 1 => Some(x),
        _ => None,
    }
}
