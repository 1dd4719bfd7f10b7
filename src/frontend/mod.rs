//! Source text to the kernel language.

pub mod cuda;
