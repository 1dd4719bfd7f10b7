//! The concrete syntax of every stage (`protocol-spec/01-syntax.md`), read with nom; it is printed beside the types.

mod exp;
mod lex;
mod parser;
mod stage;

pub use parser::TextError;
pub use stage::{Stage, parse_kernel, parse_kernels, parse_protocol};
