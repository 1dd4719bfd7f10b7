//! The edge: arguments, files, output and exit codes. Everything below gets plain values.

pub mod args;
pub mod cache_folder;
mod compile_commands;
pub mod config;
pub mod exit;
pub mod fuzz;
pub mod output;
pub mod run;
pub mod walk;
