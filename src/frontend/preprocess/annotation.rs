//! Annotations: what comments say that begin with `//@` or `/*@`.

use std::ops::Range;

use super::Severity;
use super::expand::Engine;
use super::lexer::{Cursor, Kind, Newlines, comments};
use super::token::Token;
use crate::base::{FileId, Span};

/// One clause of an annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    pub clause: Clause,
    /// Its condition after macro expansion.
    pub condition: String,
    pub at: Span,
    /// Where it would stand in the expanded text: before the first token from this byte on.
    pub offset: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clause {
    /// Of the parameters and the launch of a kernel.
    Requires,
    /// Holds for every thread that gets here.
    Assume,
    /// A remark for readers and other tools.
    Assert,
}

impl Clause {
    fn of(word: &str) -> Option<Clause> {
        Some(match word {
            "requires" => Clause::Requires,
            "assume" => Clause::Assume,
            "assert" => Clause::Assert,
            _ => return None,
        })
    }
}

impl Engine<'_> {
    /// Reads the annotations among the blanks in front of a token.
    pub(super) fn annotate(&mut self, file: FileId, blanks: Range<usize>) {
        for comment in comments(self.sources.text(file).as_bytes(), blanks) {
            let tokens = self.tokens_in(file, comment);
            let Some(first) = tokens.first().filter(|t| !["@", "{", "}"].contains(&self.text(t))) else {
                // A line of signs, or the braces by which Doxygen groups.
                continue;
            };
            if self.collecting > 0 {
                let text = "an annotation in the arguments of a macro is not used: it may end up anywhere";
                self.error("annotation", text, first.span);
                continue;
            }
            let mut depth = 0_usize;
            let clauses: Vec<Vec<Token>> = tokens
                .split(|t| {
                    match self.text(t) {
                        "(" | "[" | "{" => depth += 1,
                        ")" | "]" | "}" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    depth == 0 && self.is(t, ";")
                })
                .map(<[Token]>::to_vec)
                .collect();
            for clause in clauses.iter().filter(|c| !c.is_empty()) {
                self.clause(clause);
            }
        }
    }

    fn clause(&mut self, tokens: &[Token]) {
        let [word, condition @ ..] = tokens else { return };
        let at = tokens.last().map_or(word.span, |last| word.span.to(last.span));
        let Some(clause) = Clause::of(self.text(word)) else {
            let text = format!(
                "`{}` is no clause that is known: an annotation begins with `requires`, `assume` or `assert`",
                self.text(word).chars().take(40).collect::<String>()
            );
            return self.remark(Severity::Note, "annotation", text, word.span);
        };
        let Some(first) = condition.first() else {
            return self.error("annotation", format!("`{}` needs a condition", self.text(word)), at);
        };
        let expanded = self.expand_all(condition, first);
        let (condition, offset) = (self.joined(&expanded), self.written_so_far());
        let annotation = Annotation { clause, condition, at, offset };
        // A token that was only looked at is read again.
        if self.annotations.last() != Some(&annotation) {
            self.annotations.push(annotation);
        }
    }

    /// The tokens of the text of a comment, without the `@` that lines may begin with.
    fn tokens_in(&mut self, file: FileId, comment: Range<usize>) -> Vec<Token> {
        let mut cursor = Cursor::at(comment.start);
        let mut tokens: Vec<Token> = Vec::new();
        loop {
            let text = self.sources.text(file).as_bytes();
            let lexeme = cursor.next(text.get(..comment.end).unwrap_or_default(), Newlines::Blank);
            if lexeme.kind == Kind::End {
                break;
            }
            let token = self.token(&lexeme, file);
            if !(lexeme.line_start && self.text(&token) == "@") {
                tokens.push(token);
            }
        }
        if tokens.len() > 1 && tokens.last().is_some_and(|last| self.text(last) == "@") {
            tokens.pop();
        }
        tokens
    }

    /// Annotations in a directive are no part of the text.
    pub(super) fn lost_annotation(&mut self, at: Span) {
        self.error("annotation", "an annotation in a directive is not used", at);
    }
}
