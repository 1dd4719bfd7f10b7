//! The one indenting printer: every stage prints through it.

use std::fmt::Display;

/// Deeper blocks are not indented further: of a text that is nested without end, most would be blanks.
const MAX_INDENT: usize = 40;

/// Collects lines, each indented by two spaces for every open block.
#[derive(Default)]
pub struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    pub fn new() -> Printer {
        Printer::default()
    }

    /// Adds one line at the current depth.
    pub fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth.min(MAX_INDENT) {
            self.text.push_str("  ");
        }
        self.text.push_str(&line.to_string());
        self.text.push('\n');
    }

    /// Adds `head {`, then what `body` prints one level deeper, then `}`.
    pub fn block(&mut self, head: impl Display, body: impl FnOnce(&mut Printer)) {
        self.line(format_args!("{head} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    pub fn finish(self) -> String {
        self.text
    }
}
