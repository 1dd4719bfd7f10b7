//! The passes that can be fuzzed, each with its theorem and the kernels that it is tested on.

use super::campaign::Plan;
use super::kernels::Dialect;
use super::theorems::{self, Outcome};
use crate::core::{Kernel, Protocol, align, lockstep, phases, project, seq, split};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pass {
    Align,
    Split,
    Phases,
    Scopes,
    Lockstep,
    Trace,
    Encode,
    Roundtrip,
}

const PAPER: Plan = Plan { dialect: Dialect::Paper, depth: 4, nesting: 4, length: 70 };
const BLOCK: Plan = Plan { dialect: Dialect::Block, depth: 5, nesting: 4, length: 90 };
const SCOPES: Plan = Plan { dialect: Dialect::Scopes, depth: 4, nesting: 2, length: 60 };
const ACCESSES: Plan = Plan { dialect: Dialect::Accesses, depth: 3, nesting: 0, length: 50 };

impl Pass {
    pub const ALL: [Pass; 8] = [
        Pass::Align,
        Pass::Split,
        Pass::Phases,
        Pass::Scopes,
        Pass::Lockstep,
        Pass::Trace,
        Pass::Encode,
        Pass::Roundtrip,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Pass::Align => "align",
            Pass::Split => "split",
            Pass::Phases => "phases",
            Pass::Scopes => "scopes",
            Pass::Lockstep => "lockstep",
            Pass::Trace => "trace",
            Pass::Encode => "encode",
            Pass::Roundtrip => "roundtrip",
        }
    }

    /// The theorem in one line.
    pub fn statement(self) -> &'static str {
        match self {
            Pass::Align => "aligned code has the history of the protocol",
            Pass::Split => "the closures of aligned code have the phases of the history",
            Pass::Phases => "phases without copying are those of the history, and of the path of the paper",
            Pass::Scopes => "the levels together have the races of all pairs of threads",
            Pass::Lockstep => "the stores of a phase have the races of two threads that run in lock-step",
            Pass::Trace => "a symbolic trace has a race iff its phases have one",
            Pass::Encode => "a race formula has a solution iff two threads race",
            Pass::Roundtrip => "what is printed is read back as the same, at every stage",
        }
    }

    /// The kinds of kernels that the pass is tested on, in equal parts.
    pub fn plans(self) -> &'static [Plan] {
        match self {
            Pass::Align | Pass::Split => &[PAPER],
            Pass::Phases => &[PAPER, BLOCK],
            Pass::Scopes => &[SCOPES],
            Pass::Lockstep => &[ACCESSES, SCOPES],
            Pass::Trace => &[PAPER, Plan { nesting: 2, ..BLOCK }, SCOPES],
            Pass::Encode => &[ACCESSES, Plan { nesting: 2, depth: 4, length: 60, ..BLOCK }],
            Pass::Roundtrip => &[PAPER, BLOCK, SCOPES, ACCESSES],
        }
    }

    /// Does the theorem hold of the kernel, for the pass as it is?
    pub fn holds(self, kernel: &Kernel<Protocol>) -> Outcome {
        match self {
            Pass::Align => theorems::align::holds(kernel, &align),
            Pass::Split => theorems::split::holds(kernel, &split),
            Pass::Phases => theorems::phases::holds(kernel, &phases),
            Pass::Scopes => theorems::scopes::holds(kernel, &project),
            Pass::Lockstep => theorems::lockstep::holds(kernel, &lockstep),
            Pass::Trace => theorems::trace::holds(kernel, &seq),
            Pass::Encode => theorems::encode::holds(kernel, &theorems::encode::Encoding::default()),
            Pass::Roundtrip => theorems::roundtrip::holds(kernel, &|text| text),
        }
    }
}
