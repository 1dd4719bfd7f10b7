//! Source text to the kernel language.

pub mod cuda;
pub mod header;
pub mod preprocess;
