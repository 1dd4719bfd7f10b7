//! What the checker found, as plain data: the text, JSON and SARIF reports print this and know nothing else.

use std::collections::BTreeMap;

/// A place in a file; lines and columns count from 1, `end_column` is past the last character.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Location {
    /// As in [`FileReport::path`] or [`IncludedFile::path`]: the source is found by it.
    pub path: String,
    pub line: usize,
    pub column: usize,
    pub end_column: usize,
    /// Bytes of the file, for drawing the source under a message.
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    RaceFree,
    SameValue,
    Racy,
    Inconclusive,
    NoAccesses,
    Vacuous,
    Rejected,
}

/// Why a kernel is not race-free, or a remark on a file: a stable code, a sentence, and a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub code: &'static str,
    pub text: String,
    pub at: Option<Location>,
    /// What to do about it, when that is certain.
    pub help: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    Race,
    Divergence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingClass {
    /// Replayed: these threads do race.
    Confirmed,
    /// The solver found it, but it rests on something that is not modelled; the reason is given.
    Possible,
    /// Both threads store the same value.
    SameValue,
    /// As [`FindingClass::Possible`], but if it is there at all, both threads store the same value: of class same-value, with the reason.
    PossibleSameValue,
}

impl FindingClass {
    /// Was it replayed?
    #[must_use]
    pub fn is_certain(self) -> bool {
        match self {
            FindingClass::Confirmed | FindingClass::SameValue => true,
            FindingClass::Possible | FindingClass::PossibleSameValue => false,
        }
    }
}

/// What a finding was replayed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The code of the kernel was run, and made both accesses.
    Kernel(Ran),
    /// The protocol of the kernel; why its code was not run.
    Protocol(String),
}

/// Which threads of the grid ran: no more than it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    Threads,
    Blocks,
    Grid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Warp,
    Block,
    Cluster,
    Grid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    Read,
    Write,
    Atomic,
    /// Not an access: a barrier, in a divergence finding.
    Barrier,
}

/// One of the two accesses of a race, or one of the two threads of a divergence: there the first waits at the barrier,
/// and the second, wherever it is, does not join it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessReport {
    pub at: Location,
    pub mode: AccessMode,
    pub thread: [i128; 3],
    pub block: [i128; 3],
    pub index: Vec<i128>,
    /// The call sites that lead to it, outermost first.
    pub calls: Vec<Location>,
    /// Values of this thread's loop variables.
    pub locals: BTreeMap<String, i128>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    pub params: BTreeMap<String, i128>,
    pub block_dim: [i128; 3],
    pub grid_dim: [i128; 3],
    /// Contents of arrays and loop variables that the race needs, such as `a[3]`.
    pub values: BTreeMap<String, i128>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable across runs and unrelated edits.
    pub id: String,
    pub kind: FindingKind,
    pub class: FindingClass,
    pub array: String,
    pub level: Level,
    pub accesses: Vec<AccessReport>,
    pub witness: Witness,
    /// How it was confirmed, unless it is only `possible`.
    pub replay: Option<Replay>,
    /// Why it is only `possible`.
    pub reason: Option<String>,
    pub help: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchSource {
    Option,
    Header,
    LaunchSite,
    LaunchBounds,
    /// `reqd_work_group_size` of the kernel.
    GroupSize,
    Symbolic,
}

/// The launch that a verdict holds for; `None` is symbolic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub block: [Option<i128>; 3],
    pub grid: [Option<i128>; 3],
    pub from: LaunchSource,
    /// Symbolic axes of which it is known that they may be more than 1: of blocks, and of the grid.
    pub open: [[bool; 3]; 2],
}

#[derive(Clone, Debug, PartialEq)]
pub struct KernelReport {
    pub name: String,
    pub path: String,
    pub line: usize,
    pub verdict: Verdict,
    /// Why it is not race-free.
    pub reasons: Vec<Message>,
    pub launch: Launch,
    /// What the verdict holds for besides the launch, where it is not all: `threads of one block only`.
    pub limits: Vec<String>,
    /// What the verdict rests on.
    pub assumptions: Vec<String>,
    pub findings: Vec<Finding>,
    pub time_ms: f64,
    /// What the solver was asked.
    pub queries: usize,
    /// How many questions were answered without it, by the rule that did.
    pub presolved: BTreeMap<&'static str, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    Ok,
    /// Some of it was not understood.
    Partial,
    /// Nothing could be read.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    pub path: String,
    /// The text, for drawing the source under a message; empty when it could not be read.
    pub text: String,
    pub status: FileStatus,
    pub messages: Vec<Message>,
}

/// A file that was only included: its text is needed to draw findings that lie in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedFile {
    pub path: String,
    pub text: String,
}

/// Everything one run found, in a stable order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub files: Vec<FileReport>,
    pub kernels: Vec<KernelReport>,
    /// Remarks on the whole run, such as `no-kernels`.
    pub messages: Vec<Message>,
    /// Headers that some finding or message points into.
    pub included: Vec<IncludedFile>,
    pub time_ms: f64,
}
