//! From files to verdicts: the ordered list of passes, the scheduler, and how answers become findings.

mod ahead;
pub mod barriers;
pub mod contradiction;
mod data;
mod divisors;
pub mod dump;
pub mod execute;
pub mod findings;
pub mod fragments;
mod guess;
pub mod host;
pub mod infer;
pub mod kernel;
pub mod launch;
mod near;
mod offsets;
mod opencl;
pub mod pipeline;
pub mod presolve;
pub mod protocol;
pub mod questions;
pub mod races;
mod rows;
pub mod schedule;
pub mod source;
mod usual;
pub mod witness;
