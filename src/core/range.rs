//! Loop ranges: `x in n..m` of \[MAP\] Fig. 2, with a step.

use crate::exp::{B, IntTy, N, NBin, Subst, Var};

/// How a loop variable goes on, and on which side its end lies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// `x += step` while `x < end`; the step is positive.
    Up(N),
    /// `x -= step` while `x > end`; the step is positive.
    Down(N),
    /// `x *= factor` while `x < end`; the factor is at least 2 and the first value at least 1.
    Times(N),
    /// `x /= factor` while `x > end`; the factor is at least 2 and the end at least 0.
    Over(N),
}

/// The values of a loop variable: `first`, then by `step`, as long as `end` (excluded) is not reached. A step that does
/// not make progress ends the range after the value it starts from. The values are counted in mathematical integers, and
/// each of them must be a value of the type of the variable: whoever makes a range sees to that.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    pub var: Var,
    pub first: N,
    pub end: N,
    pub step: Step,
}

impl Step {
    /// The step or the factor.
    pub fn amount(&self) -> &N {
        match self {
            Step::Up(n) | Step::Down(n) | Step::Times(n) | Step::Over(n) => n,
        }
    }

    fn map(&self, f: impl FnOnce(&N) -> N) -> Step {
        match self {
            Step::Up(n) => Step::Up(f(n)),
            Step::Down(n) => Step::Down(f(n)),
            Step::Times(n) => Step::Times(f(n)),
            Step::Over(n) => Step::Over(f(n)),
        }
    }
}

impl Range {
    /// `var in lo..hi`, by steps of 1.
    pub fn up(var: Var, lo: N, hi: N) -> Range {
        Range { var, first: lo, end: hi, step: Step::Up(N::num(1)) }
    }

    /// The loop variable as a term.
    pub fn binder(&self) -> N {
        N::var(&self.var)
    }

    /// Is `value` on this side of the end? [RANGE-WITHIN]
    pub fn within(&self, value: &N) -> B {
        match self.step {
            Step::Up(_) | Step::Times(_) => value.lt(&self.end),
            Step::Down(_) | Step::Over(_) => self.end.lt(value),
        }
    }

    /// Does the range have a value? [RANGE-NONEMPTY]
    pub fn nonempty(&self) -> B {
        self.within(&self.first)
    }

    /// Does the step lead from `value` to another one? [RANGE-PROGRESS]
    pub fn progress(&self, value: &N) -> B {
        let one = N::num(1);
        match &self.step {
            Step::Up(s) | Step::Down(s) => one.le(s),
            Step::Times(f) | Step::Over(f) => B::and([N::num(2).le(f), one.le(value)]),
        }
    }

    fn stepped(&self, ty: IntTy, value: &N) -> N {
        match &self.step {
            Step::Up(s) => N::add(ty, value, s),
            Step::Down(s) => N::sub(ty, value, s),
            Step::Times(f) => N::mul(ty, value, f),
            Step::Over(f) => N::bin(NBin::Div, ty, value, f),
        }
    }

    /// The value after the variable, in mathematical integers, whether or not it is still in the range. [RANGE-NEXT]
    pub fn next_exact(&self) -> N {
        self.stepped(IntTy::MATH, &self.binder())
    }

    /// The value after the variable, as a term of its type: right whenever [`Range::has_next`] holds, because then the
    /// value is in the range, and so of that type.
    pub fn next(&self) -> N {
        self.stepped(self.var.ty, &self.binder())
    }

    /// Is there a value after the variable? [RANGE-NEXT]
    pub fn has_next(&self) -> B {
        B::and([self.progress(&self.binder()), self.within(&self.next_exact())])
    }

    /// The values after the variable, bound to `var`; empty unless the step makes progress. [RANGE-AFTER]
    pub fn after(&self, var: Var) -> Range {
        Range { var, first: self.next_exact(), end: self.end.clone(), step: self.step.clone() }
    }

    /// The value before the variable, when the step can be undone: right for every value of the range but the first.
    pub fn previous(&self) -> Option<N> {
        let (ty, x) = (self.var.ty, self.binder());
        match &self.step {
            Step::Up(s) => Some(N::sub(ty, &x, s)),
            Step::Down(s) => Some(N::add(ty, &x, s)),
            Step::Times(f) => Some(N::bin(NBin::Div, ty, &x, f)),
            Step::Over(_) => None,
        }
    }

    /// The last value of a nonempty range whose step is a positive constant to be added or subtracted. [RANGE-LAST]
    pub fn last(&self) -> Option<N> {
        let ty = self.var.ty;
        let math = |op, l: &N, r: &N| N::bin(op, IntTy::MATH, l, r);
        let one = N::num(1);
        let whole = |distance: &N, s: &N| math(NBin::Mul, &math(NBin::Div, distance, s), s);
        match &self.step {
            Step::Up(s) | Step::Down(s) if s.as_num().is_none_or(|s| s < 1) => None,
            Step::Up(s) if *s == one => Some(N::sub(ty, &self.end, &one)),
            Step::Down(s) if *s == one => Some(N::add(ty, &self.end, &one)),
            Step::Up(s) => {
                let distance = math(NBin::Sub, &math(NBin::Sub, &self.end, &one), &self.first);
                Some(N::add(ty, &self.first, &whole(&distance, s)))
            }
            Step::Down(s) => {
                let distance = math(NBin::Sub, &math(NBin::Sub, &self.first, &one), &self.end);
                Some(N::sub(ty, &self.first, &whole(&distance, s)))
            }
            Step::Times(_) | Step::Over(_) => None,
        }
    }

    /// Substitution in the bounds and the step, which are outside the scope of the variable.
    pub fn subst(&self, subst: &mut Subst) -> Range {
        Range {
            var: self.var.clone(),
            first: subst.numeric(&self.first),
            end: subst.numeric(&self.end),
            step: self.step.map(|n| subst.numeric(n)),
        }
    }

    /// The terms of the range.
    pub fn terms(&self) -> [&N; 3] {
        [&self.first, &self.end, self.step.amount()]
    }
}

/// The values of a range whose bounds and step are known. [SEM-RANGE]
#[derive(Clone, Debug)]
pub struct RangeValues {
    next: Option<i128>,
    end: i128,
    kind: StepKind,
    amount: i128,
}

#[derive(Clone, Copy, Debug)]
enum StepKind {
    Up,
    Down,
    Times,
    Over,
}

impl RangeValues {
    pub fn new(first: i128, end: i128, step: &Step, amount: i128) -> RangeValues {
        let kind = match step {
            Step::Up(_) => StepKind::Up,
            Step::Down(_) => StepKind::Down,
            Step::Times(_) => StepKind::Times,
            Step::Over(_) => StepKind::Over,
        };
        RangeValues { next: Some(first), end, kind, amount }
    }
}

impl Iterator for RangeValues {
    type Item = i128;

    fn next(&mut self) -> Option<i128> {
        let value = self.next.take()?;
        let inside = match self.kind {
            StepKind::Up | StepKind::Times => value < self.end,
            StepKind::Down | StepKind::Over => value > self.end,
        };
        if !inside {
            return None;
        }
        let a = self.amount;
        self.next = match self.kind {
            StepKind::Up if a >= 1 => value.checked_add(a),
            StepKind::Down if a >= 1 => value.checked_sub(a),
            StepKind::Times if a >= 2 && value >= 1 => value.checked_mul(a),
            StepKind::Over if a >= 2 && value >= 1 => value.checked_div(a),
            StepKind::Up | StepKind::Down | StepKind::Times | StepKind::Over => None,
        };
        Some(value)
    }
}
