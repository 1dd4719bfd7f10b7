//! Interval facts: bounds that every value of a term respects, from the ranges of its variables.

use rustc_hash::FxHashMap;

use super::eval::apply;
use super::syntax::{B, BExp, IntTy, N, NBin, NExp, NRel};
use crate::base::Name;

/// The values from `lo` to `hi`, both included; `None` is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Interval {
    /// The only value in it.
    pub fn single(self) -> Option<i128> {
        self.lo.filter(|lo| self.hi == Some(*lo))
    }

    pub const ALL: Interval = Interval { lo: None, hi: None };

    pub fn new(lo: i128, hi: i128) -> Interval {
        Interval { lo: Some(lo), hi: Some(hi) }
    }

    pub fn of_type(ty: IntTy) -> Interval {
        Interval { lo: ty.min(), hi: ty.max() }
    }

    pub fn meet(self, other: Interval) -> Interval {
        let lo = match (self.lo, other.lo) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let hi = match (self.hi, other.hi) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Interval { lo, hi }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.zip(other.lo).map(|(a, b)| a.min(b)), hi: self.hi.zip(other.hi).map(|(a, b)| a.max(b)) }
    }

    pub fn within(self, other: Interval) -> bool {
        other.lo.is_none_or(|o| self.lo.is_some_and(|s| s >= o))
            && other.hi.is_none_or(|o| self.hi.is_some_and(|s| s <= o))
    }

    pub fn contains(self, value: i128) -> bool {
        self.lo.is_none_or(|lo| lo <= value) && self.hi.is_none_or(|hi| value <= hi)
    }

    #[expect(clippy::should_implement_trait, reason = "called like the other operations on intervals")]
    pub fn add(self, other: Interval) -> Interval {
        let add = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Interval { lo: add(self.lo, other.lo), hi: add(self.hi, other.hi) }
    }

    #[expect(clippy::should_implement_trait, reason = "called like the other operations on intervals")]
    pub fn neg(self) -> Interval {
        Interval { lo: self.hi.and_then(i128::checked_neg), hi: self.lo.and_then(i128::checked_neg) }
    }

    #[expect(clippy::should_implement_trait, reason = "called like the other operations on intervals")]
    pub fn mul(self, other: Interval) -> Interval {
        match (self.lo, self.hi, other.lo, other.hi) {
            (Some(a), Some(b), Some(c), Some(d)) => {
                // What is too large for us is beyond all that is not, on its side.
                let corners = [(a, c), (a, d), (b, c), (b, d)];
                let known = || corners.iter().filter_map(|(x, y)| x.checked_mul(*y));
                let too_large = |negative: bool| {
                    let beyond =
                        |(x, y): &(i128, i128)| x.checked_mul(*y).is_none() && ((*x < 0) != (*y < 0)) == negative;
                    corners.iter().any(beyond)
                };
                Interval {
                    lo: known().min().filter(|_| !too_large(true)),
                    hi: known().max().filter(|_| !too_large(false)),
                }
            }
            (Some(a), _, Some(c), _) if a >= 0 && c >= 0 => {
                Interval { lo: a.checked_mul(c), hi: self.hi.zip(other.hi).and_then(|(b, d)| b.checked_mul(d)) }
            }
            _ => Interval::ALL,
        }
    }
}

/// Known ranges of variables, and the intervals of terms that follow.
#[derive(Clone, Default)]
pub struct Ranges {
    vars: FxHashMap<Name, Interval>,
}

impl Ranges {
    pub fn new() -> Ranges {
        Ranges::default()
    }

    /// Notes that the variable is within `interval`, besides what is known already.
    pub fn narrow(&mut self, name: &Name, interval: Interval) {
        let known = self.vars.entry(name.clone()).or_insert(Interval::ALL);
        *known = known.meet(interval);
    }

    /// Uses a condition that is known to hold: comparisons of a variable with terms of known interval.
    pub fn assume(&mut self, cond: &B) {
        match cond.kind() {
            BExp::And(parts) => parts.iter().for_each(|p| self.assume(p)),
            BExp::Rel(op, l, r) => {
                for (name, interval) in self.compared(*op, l, r).into_iter().flatten() {
                    self.narrow(&name, interval);
                }
            }
            BExp::Lit(_) | BExp::Or(_) | BExp::Not(_) => {}
        }
    }

    /// Uses a condition that is known to hold, and what all its alternatives have in common: of `x = 1 and .. or x = 2 and ..`
    /// x is from 1 to 2. [ENC-CASES]
    pub fn assume_cases(&mut self, cond: &B) {
        self.assume(cond);
        match cond.kind() {
            BExp::And(parts) => parts.iter().for_each(|p| self.assume_cases(p)),
            BExp::Or(parts) => {
                let mut cases = parts.iter().map(|p| self.case(p));
                let Some(mut hull) = cases.next() else { return };
                for case in cases {
                    hull.retain(|name, _| case.contains_key(name));
                    for (name, interval) in &mut hull {
                        *interval = case.get(name).map_or(Interval::ALL, |other| interval.join(*other));
                    }
                }
                hull.iter().for_each(|(name, interval)| self.narrow(name, *interval));
            }
            BExp::Not(inner) => {
                if let BExp::Or(parts) = inner.kind() {
                    parts.iter().for_each(|p| self.assume_cases(&B::not(p)));
                }
            }
            BExp::Lit(_) | BExp::Rel(..) => {}
        }
    }

    /// The variables that a case says something about, where it holds.
    fn case(&self, cond: &B) -> FxHashMap<Name, Interval> {
        let mut found: FxHashMap<Name, Interval> = FxHashMap::default();
        let parts = match cond.kind() {
            BExp::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(cond),
        };
        for part in parts {
            if let BExp::Rel(op, l, r) = part.kind() {
                for (name, interval) in self.compared(*op, l, r).into_iter().flatten() {
                    let known = found.entry(name).or_insert(Interval::ALL);
                    *known = known.meet(interval);
                }
            }
        }
        found
    }

    /// What a comparison says of each side that is a variable.
    fn compared(&self, op: NRel, l: &N, r: &N) -> [Option<(Name, Interval)>; 2] {
        if op == NRel::Ne || l.as_var().is_none() && r.as_var().is_none() {
            return [None, None];
        }
        let (il, ir) = (self.interval(l), self.interval(r));
        let (on_l, on_r) = match op {
            NRel::Eq | NRel::Ne => (ir, il),
            NRel::Lt => (
                Interval { lo: None, hi: ir.hi.map(|h| h.saturating_sub(1)) },
                Interval { lo: il.lo.map(|l| l.saturating_add(1)), hi: None },
            ),
            NRel::Le => (Interval { lo: None, hi: ir.hi }, Interval { lo: il.lo, hi: None }),
        };
        let of = |side: &N, interval| side.as_var().map(|var| (var.name.clone(), interval));
        [of(l, on_l), of(r, on_r)]
    }

    /// An interval that contains every value of the term.
    pub fn interval(&self, term: &N) -> Interval {
        self.walk(term, &mut FxHashMap::default())
    }

    fn walk(&self, term: &N, memo: &mut FxHashMap<usize, Interval>) -> Interval {
        if let Some(done) = memo.get(&term.address()) {
            return *done;
        }
        let interval = match term.kind() {
            NExp::Num(value) => Interval::new(*value, *value),
            NExp::Var(var) => {
                let own = Interval::of_type(var.ty);
                self.vars.get(&var.name).map_or(own, |known| known.meet(own))
            }
            NExp::Call(fun, _) => Interval::of_type(fun.ty),
            NExp::If(_, t, e) => self.walk(t, memo).join(self.walk(e, memo)),
            NExp::Cast(ty, inner) => Interval::wrapped(self.walk(inner, memo), *ty),
            NExp::Bin(op, ty, l, r) => {
                let (a, b) = (self.walk(l, memo), self.walk(r, memo));
                Interval::wrapped(Interval::of_bin(*op, *ty, a, b), *ty)
            }
        };
        memo.insert(term.address(), interval);
        interval
    }
}

impl Interval {
    /// The interval after conversion to `ty`.
    pub fn wrapped(raw: Interval, ty: IntTy) -> Interval {
        let own = Interval::of_type(ty);
        if raw.within(own) { raw } else { own }
    }

    /// The values of `l op r` before wrapping, for operands of type `ty` in the two intervals.
    pub fn of_bin(op: NBin, ty: IntTy, l: Interval, r: Interval) -> Interval {
        let nonneg = |i: Interval| i.lo.is_some_and(|lo| lo >= 0);
        match op {
            NBin::Add => l.add(r),
            NBin::Sub => l.add(r.neg()),
            NBin::Mul => l.mul(r),
            NBin::Div if r.lo.is_some_and(|lo| lo > 0) => {
                let div = |x: Option<i128>, small: bool| {
                    x.and_then(|x| {
                        let by = if (x < 0) == small { r.lo } else { r.hi };
                        match by {
                            Some(by) => x.checked_div(by),
                            None => Some(0),
                        }
                    })
                };
                Interval { lo: div(l.lo, true), hi: div(l.hi, false) }
            }
            NBin::Rem if r.lo.is_some_and(|lo| lo > 0) => {
                let top = r.hi.map(|h| h - 1);
                let lo = if nonneg(l) { Some(0) } else { top.map(|t| -t) };
                let hi = match (l.hi, top) {
                    (Some(a), Some(b)) => Some(a.max(0).min(b)),
                    (a, b) => a.map(|a| a.max(0)).or(b),
                };
                Interval { lo, hi }
            }
            NBin::And if nonneg(l) || nonneg(r) => {
                let bound = |i: Interval| if nonneg(i) { i.hi } else { None };
                let hi = match (bound(l), bound(r)) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                Interval { lo: Some(0), hi }
            }
            NBin::Or | NBin::Xor if nonneg(l) && nonneg(r) => {
                let hi = l.hi.zip(r.hi).map(|(a, b)| {
                    let top = a.max(b).max(0);
                    (1i128 << (128 - top.leading_zeros()).min(126)) - 1
                });
                Interval { lo: Some(0), hi }
            }
            NBin::Shr if nonneg(l) => {
                let hi = match r.lo {
                    Some(by) if by >= 0 => l.hi.map(|h| apply(NBin::Shr, IntTy::MATH, h, by)),
                    _ => l.hi,
                };
                Interval { lo: Some(0), hi }
            }
            NBin::Shl => match (r.lo, r.hi) {
                (Some(a), Some(b)) if (0..=b).contains(&a) && b < 64 => l.mul(Interval::new(1 << a, 1 << b)),
                _ => Interval::of_type(ty),
            },
            NBin::Min => Interval {
                lo: l.lo.zip(r.lo).map(|(a, b)| a.min(b)),
                hi: match (l.hi, r.hi) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                },
            },
            NBin::Max => Interval {
                lo: match (l.lo, r.lo) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (a, b) => a.or(b),
                },
                hi: l.hi.zip(r.hi).map(|(a, b)| a.max(b)),
            },
            NBin::Div | NBin::Rem | NBin::And | NBin::Or | NBin::Xor | NBin::Shr => Interval::of_type(ty),
        }
    }
}
