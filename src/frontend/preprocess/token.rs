//! Tokens on their way through macro expansion.

use super::lexer::Kind;
use crate::base::{SourceMap, Span};

/// A macro use that a token stands in: an index into the expansions of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chain(u32);

impl Chain {
    /// Outside of every macro body.
    pub(super) const NONE: Chain = Chain(u32::MAX);

    pub(super) fn of(index: usize) -> Chain {
        Chain(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(super) fn index(self) -> Option<usize> {
        (self != Chain::NONE).then_some(self.0 as usize)
    }
}

/// A text that stands in no file: an index into [`Texts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Made(u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// A blank stands before it.
    pub(super) space: bool,
    /// It starts a line.
    pub(super) line_start: bool,
    /// It names a macro, but was found inside an expansion of that macro: it is never expanded again.
    pub(super) painted: bool,
    /// Where it is spelled.
    pub(super) span: Span,
    /// The macro body it is from.
    pub(super) chain: Chain,
    /// Its text, when that is not the text of its span.
    pub(super) made: Option<Made>,
}

impl Token {
    /// A token of a kind that has no text.
    pub(super) fn mark(kind: Kind, span: Span) -> Token {
        Token { kind, space: false, line_start: false, painted: false, span, chain: Chain::NONE, made: None }
    }

    /// The token with the blanks of another one.
    pub(super) fn spaced_like(self, other: &Token) -> Token {
        Token { space: other.space, line_start: other.line_start, ..self }
    }
}

/// The texts of tokens made by `#`, `##` and built-in macros, and of tokens with a line splice inside.
#[derive(Debug, Default)]
pub(super) struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn add(&mut self, text: &str) -> Made {
        self.text.push_str(text);
        self.ends.push(self.text.len());
        Made(u32::try_from(self.ends.len() - 1).unwrap_or(u32::MAX))
    }

    fn get(&self, made: Made) -> &str {
        let index = made.0 as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(index).and_then(|end| self.text.get(start..*end)).unwrap_or("")
    }

    pub(super) fn of<'a>(&'a self, token: &Token, sources: &'a SourceMap) -> &'a str {
        match (token.kind, token.made) {
            (Kind::Placemarker | Kind::Newline | Kind::End, _) => "",
            (_, Some(made)) => self.get(made),
            (_, None) => sources.snippet(token.span),
        }
    }
}
