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

mod annotation;
mod directives;
mod expand;
mod expression;
mod files;
mod lexer;
mod macros;
mod map;
mod predefined;
mod token;

pub use annotation::{Annotation, Clause};
pub use files::{DiskFiles, Files, MemoryFiles};
pub use map::{Origin, Origins};
pub use predefined::{CUDA_PREDEFINED, OPENCL_PREDEFINED};

use crate::base::{FileId, SourceMap, Span};
use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME` and `-D NAME=VALUE`; a name may have parameters. They come after the predefined ones.
    pub defines: Vec<(String, Option<String>)>,
    /// `-U NAME`: predefined names that are taken away before those are given.
    pub undefines: Vec<String>,
    /// `-include FILE`: read before the file.
    pub preincludes: Vec<PathBuf>,
    /// Text that is read before the file and is no text of the user.
    pub bundled: Option<String>,
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
    /// The first condition of the file itself that leaves out a kernel.
    pub left_out: Option<Span>,
    pub pragmas: Vec<Pragma>,
    /// What comments say that begin with `//@` or `/*@`.
    pub annotations: Vec<Annotation>,
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

#[cfg(test)]
mod tests {
    use super::lexer::{Cursor, Kind, Newlines};
    use super::*;
    use proptest::prelude::*;

    fn expand(text: &str, predefined: &'static [(&'static str, &'static str)]) -> (SourceMap, Expanded) {
        let mut sources = SourceMap::default();
        let root = sources.add("a.cu", text);
        let limits = Limits { expansion_steps: 20_000, ..Limits::default() };
        let options = Options { predefined, limits, ..Options::default() };
        let expanded = preprocess(&mut sources, root, &options, &MemoryFiles::default());
        (sources, expanded)
    }

    /// The tokens of an expanded text, as a parser would read them.
    fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
        let mut cursor = Cursor::new();
        std::iter::from_fn(|| {
            let token = cursor.next(text.as_bytes(), Newlines::Blank);
            (token.kind != Kind::End).then_some(token.start..token.end)
        })
        .collect()
    }

    /// Programs of macros without `#` and `##`.
    fn program() -> impl Strategy<Value = String> {
        let starts = prop::sample::select(vec![
            "",
            "",
            "",
            "#define A ",
            "#define B() ",
            "#define F(x) ",
            "#define G(x, ...) ",
            "#undef A\n",
            "#if A\n",
            "#else\n",
            "#endif\n",
        ]);
        let words = prop::sample::select(vec![
            "A",
            "B",
            "F",
            "G",
            "x",
            "x",
            "__VA_ARGS__",
            "__VA_OPT__(",
            "(",
            "(",
            ")",
            ")",
            ",",
            "+",
            "-",
            "/",
            "<",
            "<<",
            "=",
            ".",
            "1",
            "1e",
            "u8",
            "\"s\"",
            "é",
            " ",
            " ",
            "/* c */",
            "// d\n",
            "*",
            "'c'",
            ":",
            ">",
        ]);
        let line = (starts, prop::collection::vec(words, 0..12));
        let line = line.prop_map(|(start, words)| format!("{start}{}\n", words.concat()));
        prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
    }

    proptest! {
        /// A token that no operator made is spelled in the source just as it stands in the text; so no two tokens of the
        /// text have become one.
        #[test]
        fn every_token_is_spelled_somewhere(text in program()) {
            let (sources, expanded) = expand(&text, &[]);
            for token in tokens(&expanded.text) {
                let origin = expanded.origins.origin(token.start, token.end);
                prop_assert_eq!(sources.snippet(origin.spelled), &expanded.text[token]);
                prop_assert_eq!(sources.path(origin.span.file).to_str(), Some("a.cu"));
                let direct = origin.expansion.is_empty();
                prop_assert!(!direct || origin.span == origin.spelled);
            }
        }

        /// What was expanded once has no macro, directive or comment left.
        #[test]
        fn expansion_is_stable(text in program()) {
            let (_, once) = expand(&text, &[]);
            prop_assume!(once.remarks.iter().all(|remark| remark.code != "unterminated-literal"));
            let (_, twice) = expand(&once.text, &[]);
            prop_assert_eq!(twice.text.trim(), once.text.trim());
            prop_assert_eq!(twice.remarks, vec![]);
        }

        #[test]
        fn any_bytes_are_fine(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let text = crate::base::text::text_of(bytes);
            let (_, expanded) = expand(&text, CUDA_PREDEFINED);
            for token in tokens(&expanded.text) {
                expanded.origins.origin(token.start, token.end);
            }
        }

        #[test]
        fn any_text_of_the_language_is_fine(
            words in prop::collection::vec(prop::sample::select(vec![
                "#", "##", "define", "if", "elif", "else", "endif", "include", "\n", "\\\n", "(", ")", ",", "\"", "'",
                "R\"(", "/*", "//", "f", "g", "f(x)", "x", "...", "__VA_ARGS__", "__VA_OPT__", "defined", "1", "0", "_Pragma",
                "__LINE__", "__has_include", "pragma", "?", ":", "-", " ", "<", ">", "once", "a.cu", "undef",
            ]), 0..80),
        ) {
            let (sources, expanded) = expand(&words.concat(), OPENCL_PREDEFINED);
            for remark in &expanded.remarks {
                prop_assert!(remark.at.is_some_and(|at| at.end as usize <= sources.text(at.file).len()));
            }
            for pragma in &expanded.pragmas {
                prop_assert!(pragma.offset <= expanded.text.len());
            }
        }
    }
}
