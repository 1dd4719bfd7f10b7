//! Closures: the code of one phase, under the binders that repeat it. The language C of \[MAP\] Fig. 8, with conditions.

use super::access::SiteId;
use super::range::Range;
use super::unsync::Unsync;
use crate::exp::B;

/// What stands around the code of a phase; both threads share it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Context {
    /// `var x in n..m`: both threads are in the same iteration.
    Bind(Range),
    /// The phase is there only if this holds.
    Assume(B),
}

/// One phase for each choice of values for the binders that fulfils the conditions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Closure {
    /// The barrier that the phase starts at; `None` when it starts at the entry of the kernel, or comes from `split`.
    pub start: Option<SiteId>,
    /// Outermost first.
    pub context: Vec<Context>,
    pub code: Unsync,
    /// May the code have accesses that the phase does not have?
    pub approximate: bool,
}
