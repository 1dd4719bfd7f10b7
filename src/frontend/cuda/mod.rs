//! CUDA source to kernel language.

pub mod builtins;
pub mod host;
pub mod lower;
pub mod types;
pub mod unit;
