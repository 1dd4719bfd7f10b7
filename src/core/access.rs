//! Accesses to memory, and when two of them conflict.

use crate::base::Name;
use crate::exp::N;

/// Identifies the place in the program that an access comes from; stable through every stage, printed as `@n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// A set of threads, from small to large. Of a barrier: those it waits for. Of an atomic: those it is atomic for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scope {
    Warp,
    Block,
    Cluster,
    Grid,
}

/// How memory is touched: `o` of \[MAP\] Fig. 2, and atomics.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    Rd,
    /// A write, with the value that it stores when that is known.
    Wr(Option<N>),
    /// An atomic read-modify-write, atomic with respect to the threads of the scope.
    At(Scope),
}

impl Mode {
    /// May two accesses of these modes race, when made by different threads that meet at `level`? `racy` of \[MAP\]
    /// Definition 2, with atomics: `at/at` does not race when both scopes cover the two threads. [RACE-MODE]
    pub fn conflicts(&self, other: &Mode, level: Scope) -> bool {
        match (self, other) {
            (Mode::Rd, Mode::Rd) => false,
            (Mode::At(a), Mode::At(b)) => *a < level || *b < level,
            (Mode::Wr(_), _) | (_, Mode::Wr(_)) | (Mode::At(_), Mode::Rd) | (Mode::Rd, Mode::At(_)) => true,
        }
    }
}

/// `o[n]` on an array: it touches the `width` units from `index` on (the last dimension counts units).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub site: SiteId,
    pub array: Name,
    pub mode: Mode,
    /// One index a dimension, outermost first, in units of the array.
    pub index: Vec<N>,
    /// How many consecutive units of the last dimension are touched; at least 1.
    pub width: u32,
}
