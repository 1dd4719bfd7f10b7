//! Kernels, run on a small grid: all threads, barrier by barrier, with concrete inputs.
//!
//! The oracle of THM-INFER: a kernel that the analysis calls race-free must not race here. Only what C gives a meaning is
//! run: an access outside of its object, a value that is not initialised, signed overflow and the like end the run, and
//! so does whatever is not supported. A run that ended so proves nothing.

mod background;
pub mod barriers;
pub mod code;
pub mod exchange;
mod half;
pub mod machine;
pub mod memory;
pub mod race;
pub mod replay;
pub mod stranded;
mod texel;
pub mod value;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::IntTy;

pub use machine::run;
pub use memory::ObjectId;
pub use race::{Race, races};
pub use replay::{Goal, Met, Missed, Part, replay};
pub use stranded::strand;

/// Why a run has no meaning that goes against what its user takes for granted.
pub const ASSUMPTION: &str = "an assumption does not hold";
/// Places that are in no object.
pub const NO_PLACE: [&str; 2] = [OUTSIDE, AWAY];
const OUTSIDE: &str = "an access outside of its object";
/// A place outside of an array whose size the program says.
pub const SUBSCRIPT: &str = "a subscript outside of its array";
const AWAY: &str = "a pointer outside of its object";
/// What ends a run: arithmetic without a meaning, an address that is not aligned, a trap.
pub const NO_RUN: [&str; 5] = [DIVISION, SHIFT, OVERFLOW, MISALIGNED, TRAP];
const DIVISION: &str = "division by zero";
const SHIFT: &str = "shift by more than there is";
const NOT_KNOWN: &str = "a value is read that is not initialised, or not known";
const MISALIGNED: &str = "an access that is not aligned";
const TRAP: &str = "the kernel traps";
const OVERFLOW: &str = "signed overflow";
/// Seeds from here on fill memory with one of the flat numbers, the first one and so on.
pub const EACH: u64 = 1 << 32;

/// What a kernel is run with.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    pub warp_size: u32,
    /// Integer parameters by name; others are random.
    pub params: BTreeMap<String, i128>,
    /// Floating-point parameters by name, in a run with zeros.
    pub floats: BTreeMap<String, f64>,
    /// Of everything random: contents of arrays, parameters, the order of the threads.
    pub seed: u64,
    /// How many elements an array that a pointer parameter points to has.
    pub extent: u64,
    /// Operations that all threads together may take.
    pub steps: u64,
    /// Accesses that are logged at most.
    pub log: usize,
    /// Bytes of shared memory that the launch gives.
    pub dynamic: u64,
    /// Arrays and parameters hold zeros, and nothing random, where nothing is given.
    pub zeros: bool,
    /// Random contents are some of these numbers, and the same in all elements of an array or texture.
    pub flat: Vec<f64>,
    /// Shared memory holds nothing at first, and to read that has no meaning.
    pub uninitialised: bool,
    /// Numbers that arrays hold at first.
    pub cells: Vec<Cell>,
    /// Parameters, parts of them and variables whose values are not known.
    pub unknown: BTreeSet<String>,
    /// Pointer parameters that point to the same place as an earlier one.
    pub same: BTreeMap<String, String>,
    /// Only values that the program does have: what would have to be made up is not supported.
    pub exact: bool,
}

/// A number in an array, at a byte.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    pub array: Name,
    pub at: u64,
    pub ty: IntTy,
    pub value: i128,
}

impl Default for Inputs {
    fn default() -> Inputs {
        Inputs {
            block: [8, 1, 1],
            grid: [1, 1, 1],
            warp_size: 32,
            params: BTreeMap::new(),
            floats: BTreeMap::new(),
            seed: 0,
            extent: 1 << 16,
            steps: 2_000_000,
            log: 100_000,
            dynamic: 4096,
            zeros: false,
            flat: Vec::new(),
            uninitialised: false,
            cells: Vec::new(),
            unknown: BTreeSet::new(),
            same: BTreeMap::new(),
            exact: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Read,
    Write,
    Atomic(Scope),
}

/// How many barriers a thread has passed that order it with others of its grid, block and warp.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Phase {
    pub grid: u32,
    pub block: u32,
    pub warp: u32,
    /// All of them, also those that order only other memory.
    pub all: u32,
}

/// One access to memory that threads share: bytes `[start, start + length)` of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// By position in [`Run::threads`].
    pub thread: u32,
    pub phase: Phase,
    pub object: ObjectId,
    pub start: u64,
    pub length: u64,
    pub kind: Kind,
    /// Of a write: the bytes.
    pub value: Vec<Option<u8>>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// Linear numbers: of the block in the grid, of the warp in the block.
    pub block_id: u32,
    pub warp: u32,
}

/// A barrier at which a thread waits, and one that never comes there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    pub waits: u32,
    pub at: Span,
    pub other: u32,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Finished,
    Diverged(Divergence),
    Stopped(Stop),
}

/// Why a run was stopped: it proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// C gives no meaning to what the program does from here on.
    Undefined(String),
    Unsupported(String),
    OutOfBudget,
}

fn undefined<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Undefined(what.into()))
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Unsupported(what.into()))
}

/// What happened in a run.
pub struct Run {
    pub end: End,
    pub threads: Vec<Thread>,
    pub accesses: Vec<Access>,
    /// The names of objects, by number.
    pub objects: BTreeMap<ObjectId, Name>,
    /// The values of integer parameters.
    pub params: BTreeMap<String, i128>,
    /// Did unsigned arithmetic wrap around?
    pub wrapped: bool,
    memory: memory::Memory,
}

impl Run {
    /// The integer that an object held when the run began, when that is known.
    pub fn initial(&self, object: ObjectId, offset: u64, ty: crate::exp::IntTy) -> Option<i128> {
        let bytes = self.memory.initial(object, offset, u64::from(ty.bits.max(8)) / 8)?;
        Some(ty.wrap(bytes.iter().rev().fold(0i128, |n, b| (n << 8) | i128::from(*b))))
    }
}
