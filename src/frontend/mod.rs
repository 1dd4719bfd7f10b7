//! From source text to kernel IR.

pub mod header;
pub mod preprocess;
