//! Loop ranges: `x in n..m` of \[MAP\] Fig. 2, with a step.

use crate::exp::{N, Var};

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
/// not make progress ends the range after its first value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    pub var: Var,
    pub first: N,
    pub end: N,
    pub step: Step,
}

impl Range {
    /// `var in lo..hi`, by steps of 1.
    pub fn up(var: Var, lo: N, hi: N) -> Range {
        Range { var, first: lo, end: hi, step: Step::Up(N::num(1)) }
    }
}
