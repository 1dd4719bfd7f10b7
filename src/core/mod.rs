//! The heart: protocols, and the judgments that take them to race formulas. Pure, total, without spans, IO or solver.
//!
//! Each file holds one judgment, named by the word of the paper; the rule ids in the comments are those of
//! `protocol-spec/`.

pub mod access;
pub mod kernel;
pub mod protocol;
pub mod range;

pub use access::{Access, Mode, Scope, SiteId};
pub use kernel::{ArrayDecl, Coordinate, Kernel, Space};
pub use protocol::Protocol;
pub use range::{Range, Step};
