//! From files to verdicts: the ordered list of passes, the scheduler, and how answers become findings.

pub mod contradiction;
pub mod dump;
pub mod fragments;
pub mod host;
pub mod kernel;
pub mod launch;
pub mod pipeline;
pub mod presolve;
pub mod protocol;
pub mod schedule;
pub mod source;
pub mod witness;
