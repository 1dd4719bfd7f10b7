//! Names, spans and printing: no knowledge of GPUs, of protocols or of solvers.

pub mod name;
pub mod pretty;
pub mod span;
pub mod text;

pub use name::{FreshNames, Name, OF_HOST};
pub use span::{FileId, SourceMap, Span};

/// Stops the program on a broken invariant of our own, and asks for a report. Never used for bad input.
#[macro_export]
macro_rules! bug {
    ($($arg:tt)*) => {
        panic!("internal error in faial-like (please report it, with the input file): {}", format_args!($($arg)*))
    };
}
