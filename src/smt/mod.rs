//! Satisfiability of conditions over the integers of C, decided by an external SMT solver that is kept alive.
//!
//! `protocol-spec/07-encoding.md` states the encodings and why each is sound. Nothing here is trusted for `Sat`: a model
//! is evaluated by [`crate::exp`] on the query before it is returned. An `Unsat` is as good as the encoder and the solver.

pub mod bits;
pub mod cache;
pub mod canonical;
pub mod decode;
pub mod emit;
pub mod entry;
pub mod ints;
pub mod locate;
pub mod loosen;
pub mod process;
pub mod products;
pub mod query;
pub mod second;
pub mod session;
pub mod store;

pub use cache::Cache;
pub use entry::Digest;
pub use locate::{LocateError, Located, SolverKind, locate, locate_known};
pub use query::{Answer, Model, Query, Reason};
pub use second::{Second, SecondError};
pub use session::{Encoding, Session, SolverConfig, Stats};
