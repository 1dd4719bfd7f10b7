//! A C preprocessor for CUDA and OpenCL sources, which needs no headers and no compiler.
//!
//! It differs from that of a compiler in what it does when something is missing: a header that is not there is a note,
//! `#error` is a note, and the text is read on. Every token of the result leads back to where it was written.
//!
//! ```text
//! lexer -> directives, expand (macros, expression) -> map
//! ```
//!
//! The work is bounded, whatever the input: see [`Limits`]. When a limit is reached there is an error remark, and the text
//! ends before the macro use or the file that asked for too much.

mod directives;
mod expand;
mod expression;
mod files;
mod lexer;
mod macros;
mod map;
mod predefined;
mod token;

pub use files::{DiskFiles, Files, MemoryFiles};
pub use map::{Origin, Origins};
pub use predefined::{CUDA_PREDEFINED, OPENCL_PREDEFINED};

use crate::base::{FileId, SourceMap, Span};
use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME` and `-D NAME=VALUE`; a name may have parameters. They come after the predefined ones.
    pub defines: Vec<(String, Option<String>)>,
    /// Searched in this order, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    pub predefined: &'static [(&'static str, &'static str)],
    pub limits: Limits,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of expanded text.
    pub output_bytes: usize,
    /// Files inside files.
    pub include_depth: usize,
    /// Tokens taken from macro bodies and arguments; reading a file again costs some as well.
    pub expansion_steps: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { output_bytes: 32 << 20, include_depth: 64, expansion_steps: 5_000_000 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The text is as good as it gets.
    Note,
    /// A compiler would refuse the source, or the text is not complete.
    Error,
}

/// Something to tell the user about the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    pub code: &'static str,
    pub text: String,
    pub at: Option<Span>,
    /// What to do about it, when that is certain.
    pub help: Option<String>,
    pub severity: Severity,
}

/// A `#pragma` line or a `_Pragma` operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// What follows `#pragma`, as written, with single blanks.
    pub text: String,
    /// The same after macro expansion.
    pub expanded: String,
    pub at: Span,
    /// Where it would stand in the expanded text: before the first token from this byte on.
    pub offset: usize,
}

/// A source after preprocessing.
#[derive(Clone, Debug)]
pub struct Expanded {
    pub text: String,
    pub origins: Origins,
    /// In the order in which they came up; the same one at the same place only once, and at most 200 of each severity.
    pub remarks: Vec<Remark>,
    pub pragmas: Vec<Pragma>,
}

impl Expanded {
    pub fn has_errors(&self) -> bool {
        self.remarks.iter().any(|remark| remark.severity == Severity::Error)
    }
}

/// The file `root` with its macros expanded and its includes put in.
///
/// Units:    offsets are bytes; ranges are half-open.
/// Ensures:  ends after work linear in the sources plus the limits, for any bytes; tests/preprocess.rs.
/// Errors:   none; what is wrong is among the remarks. With an `Error` among them the text may be incomplete.
pub fn preprocess(sources: &mut SourceMap, root: FileId, options: &Options, files: &dyn Files) -> Expanded {
    expand::run(sources, root, options, files)
}
