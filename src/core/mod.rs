//! The heart: protocols, and the judgments that take them to race formulas. Pure, total, without spans, IO or solver.
//!
//! Each file holds one judgment, named by the word of the paper; the rule ids in the comments are those of
//! `protocol-spec/`.

pub mod access;
pub mod align;
pub mod closure;
pub mod display;
pub mod fence;
pub mod kernel;
pub mod lockstep;
pub mod names;
pub mod nonempty;
pub mod phases;
pub mod protocol;
pub mod race;
pub mod range;
pub mod scope;
pub mod semantics;
pub mod split;
pub mod tickets;
pub mod trace;
pub mod uniform;
pub mod unsync;
pub mod wellformed;

pub use access::{Access, Mode, Scope, SiteId};
pub use align::{Aligned, Alignment, align};
pub use closure::{Closure, Context};
pub use display::Print;
pub use kernel::{ArrayDecl, Coordinate, Kernel, Space};
pub use lockstep::lockstep;
pub use phases::phases;
pub use protocol::{Barrier, Fence, Protocol};
pub use race::{ArrayRaces, Instance, RacePhase, Side, race_phase};
pub use range::{Range, Step};
pub use scope::{Level, Projection, Task, levels, project};
pub use split::split;
pub use trace::{Trace, seq, trace};
pub use uniform::{Decision, Obligation, divergence, obligations};
pub use unsync::Unsync;
pub use wellformed::{Violation, WellFormed, violations, wellformed};
