//! The typed imperative kernel language, and the inference of protocols from it.

pub mod bits;
pub mod display;
pub mod floats;
pub mod goto;
pub mod infer;
pub mod ir;
pub mod types;
pub mod visit;
