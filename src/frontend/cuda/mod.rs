//! CUDA source to kernel language.

pub mod annotations;
mod bitfields;
pub mod builtins;
pub mod bundled;
pub mod host;
mod layout;
pub mod lower;
mod misread;
pub mod ndrange;
pub mod opencl;
pub mod passes;
pub mod types;
pub mod unit;
