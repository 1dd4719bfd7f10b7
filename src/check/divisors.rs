//! What something is divided by before an access is not 0, and what it is made of is not negative. [CHK-DIVISOR]

use std::collections::BTreeSet;

use crate::base::Name;
use crate::core::race::Side;
use crate::exp::{B, BExp, N, NBin, NExp, Ranges, Var};

/// Larger divisors are left alone.
const DEEP: u32 = 8;

/// What divisions say, when they were made: C gives a division by zero no meaning.
#[derive(Default)]
pub(super) struct Divisors {
    divisors: Vec<N>,
    seen: BTreeSet<usize>,
    /// What the guard, and the conditions on all threads, say of single variables.
    ranges: Ranges,
}

impl Divisors {
    /// Those of the divisions that are made before an access: for its indices, for what it is made under, and for the
    /// bounds of the loops around it.
    pub fn of(side: &Side, of_all: &B) -> Divisors {
        let mut found = Divisors::default();
        found.ranges.assume(of_all);
        found.ranges.assume(&side.guard);
        side.index.iter().for_each(|n| found.evaluated(n));
        found.held(&side.guard);
        side.binders.iter().flat_map(|r| [&r.first, &r.end]).for_each(|n| found.evaluated(n));
        found
    }

    /// What holds of them, and the signed parameters, and sizes less a number, of which it is taken for granted that they are
    /// not negative: not where the kernel asks for negative ones.
    pub fn conditions(&self, globals: &[Var], any_sign: bool) -> (B, BTreeSet<Name>) {
        let mut sizes = BTreeSet::new();
        let conditions = self.divisors.iter().map(|by| {
            let mut own = BTreeSet::new();
            let negative = |v: &Var| self.ranges.interval(&N::var(v)).hi.is_some_and(|hi| hi < 0);
            if any_sign || !is_size(by, globals, &mut own) || own.iter().any(negative) {
                return by.ne(&N::num(0));
            }
            let signed = own.iter().filter(|v| v.ty.signed);
            sizes.extend(signed.clone().map(|v| v.name.clone()));
            let positive = factors(by).into_iter().map(|n| N::num(1).le(n));
            let mut conditions: Vec<B> = positive.chain(signed.map(|v| N::num(0).le(&N::var(v)))).collect();
            for (size, less) in reduced(by) {
                conditions.push(N::num(less).le(size));
                sizes.insert(Name::from(format!("{size} - {less}")));
            }
            B::and(conditions)
        });
        (B::and(conditions.collect::<Vec<_>>()), sizes)
    }

    /// A condition that was found to hold: all of its conjuncts were looked at.
    fn held(&mut self, condition: &B) {
        match condition.kind() {
            BExp::And(parts) => parts.iter().for_each(|p| self.held(p)),
            BExp::Rel(_, l, r) => [l, r].into_iter().for_each(|n| self.evaluated(n)),
            BExp::Not(inner) => match inner.kind() {
                BExp::Or(parts) => parts.iter().for_each(|p| self.held(&B::not(p))),
                BExp::Rel(_, l, r) => [l, r].into_iter().for_each(|n| self.evaluated(n)),
                _ => {}
            },
            // Which of them was looked at is not known.
            BExp::Or(_) | BExp::Lit(_) => {}
        }
    }

    /// A term whose value was needed. Of alternatives, only one was; what is divided in no type is none of the source; and
    /// bounds that were put together are those of a loop that asks for some of them only when its body was run.
    fn evaluated(&mut self, term: &N) {
        if !self.seen.insert(term.address()) {
            return;
        }
        match term.kind() {
            NExp::Bin(NBin::Min | NBin::Max, ty, ..) if ty.bits == 0 => {}
            NExp::Bin(op, ty, l, r) => {
                let divides = matches!(op, NBin::Div | NBin::Rem) && ty.bits != 0;
                if divides && r.as_num().is_none() && r.depth() <= DEEP && !self.divisors.contains(r) {
                    self.divisors.push(r.clone());
                }
                self.evaluated(l);
                self.evaluated(r);
            }
            NExp::Cast(_, inner) => self.evaluated(inner),
            NExp::Num(_) | NExp::Var(_) | NExp::If(..) | NExp::Call(..) => {}
        }
    }
}

/// Is this made of parameters and positive numbers by operations that are not negative where these are not?
fn is_size(term: &N, globals: &[Var], sizes: &mut BTreeSet<Var>) -> bool {
    match term.kind() {
        NExp::Num(n) => *n > 0,
        NExp::Var(var) => {
            let known = globals.contains(var);
            sizes.extend(known.then(|| var.clone()));
            known
        }
        // What is made of unsigned numbers may be negative as a signed one.
        NExp::Cast(ty, inner) => {
            let kept = !ty.signed || inner.as_var().is_some() || inner.ty().is_some_and(|inner| inner.signed);
            ty.bits >= 32 && kept && is_size(inner, globals, sizes)
        }
        _ if less(term).is_some() => less(term).is_some_and(|(size, _)| is_size(size, globals, sizes)),
        NExp::Bin(NBin::Add | NBin::Mul | NBin::Div, _, l, r) => {
            is_size(l, globals, sizes) && is_size(r, globals, sizes)
        }
        NExp::Bin(..) | NExp::If(..) | NExp::Call(..) => false,
    }
}

/// A number less another, as what is inside of a border.
fn less(term: &N) -> Option<(&N, i128)> {
    let NExp::Bin(op, _, l, r) = term.kind() else { return None };
    match (op, l.as_num(), r.as_num()) {
        (NBin::Sub, None, Some(by)) if by > 0 => Some((l, by)),
        (NBin::Add, None, Some(by)) if by < 0 => Some((l, -by)),
        (NBin::Add, Some(by), None) if by < 0 => Some((r, -by)),
        _ => None,
    }
}

/// The sizes in a divisor that a number is taken off, and that number.
fn reduced(term: &N) -> Vec<(&N, i128)> {
    let own = less(term);
    let parts = match term.kind() {
        NExp::Bin(_, _, l, r) => vec![l, r],
        NExp::Cast(_, inner) => vec![inner],
        _ => Vec::new(),
    };
    own.into_iter().chain(parts.into_iter().flat_map(reduced)).collect()
}

/// The factors of a product, none of which is 0 where it is not.
fn factors(term: &N) -> Vec<&N> {
    match term.kind() {
        NExp::Bin(NBin::Mul, _, l, r) => factors(l).into_iter().chain(factors(r)).collect(),
        NExp::Cast(_, inner) if inner.as_var().is_some() => vec![inner],
        NExp::Num(_) => Vec::new(),
        _ => vec![term],
    }
}
