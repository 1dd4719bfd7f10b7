//! faial-like proves GPU kernels free of data races and barrier divergence, or shows the threads that race.
//!
//! ```text
//! source text -> tokens after macros -> syntax tree -> kernel IR -> protocols -> phases -> traces -> formulas
//!             -> answers -> findings -> report
//! ```
//!
//! Layers, lowest first; a layer uses those before it and nothing else, and siblings in braces never see each other
//! (`tests/architecture.rs` holds the code to it):
//!
//! ```text
//! base < exp < core < { opt, text, kernel } < { frontend, smt, interp, fuzz } < check < report < cli < main
//! ```

pub mod base;
pub mod check;
pub mod cli;
pub mod core;
pub mod exp;
pub mod frontend;
pub mod fuzz;
pub mod interp;
pub mod kernel;
pub mod opt;
pub mod report;
pub mod smt;
pub mod text;
