//! Findings as plain data, and the reports made of them.

pub mod finding;
