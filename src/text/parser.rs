//! What all parsers share: the tokens, the variables in scope, the errors found, and how deep the text nests.

use std::collections::BTreeMap;

use super::lex::{Placed, Token, tokens};
use crate::base::Name;
use crate::exp::Var;

/// An error in a text; line and column count from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct TextError {
    pub line: usize,
    pub column: usize,
    /// The place in bytes.
    pub at: usize,
    pub message: String,
}

/// More errors than this are not reported.
const ERRORS: usize = 50;
/// Blocks and parentheses may be nested this deep.
const NESTING: u32 = 500;

/// Why reading stopped at some place. The error itself is kept in the parser.
pub enum Stop {
    /// Go on after the next statement.
    Here,
    /// Give up.
    Everywhere,
}

pub type Parsed<T> = Result<T, Stop>;

pub struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Placed>,
    next: usize,
    depth: u32,
    pub scope: BTreeMap<Name, Var>,
    errors: Vec<(usize, String)>,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Parser<'t> {
        let (tokens, errors) = tokens(text);
        Parser { text, tokens, next: 0, depth: 0, scope: BTreeMap::new(), errors }
    }

    /// The errors so far, in the order of the text.
    pub fn into_errors(mut self) -> Vec<TextError> {
        self.errors.sort();
        self.errors.dedup();
        if let Some((_, last)) = self.errors.get_mut(ERRORS..).and_then(|more| more.first_mut()) {
            *last = format!("more than {ERRORS} errors: this one and what follows it are not listed");
        }
        let text = self.text;
        let placed = self.errors.into_iter().take(ERRORS + 1).map(|(at, message)| {
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            TextError { line, column, at, message }
        });
        placed.collect()
    }

    pub fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |placed| &placed.token)
    }

    pub fn peek_second(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |placed| &placed.token)
    }

    /// Where the next token starts.
    pub fn here(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |placed| placed.at)
    }

    pub fn skip(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len());
    }

    /// Notes an error, and goes on.
    pub fn note(&mut self, at: usize, message: impl Into<String>) {
        self.errors.push((at, message.into()));
    }

    pub fn fail<T>(&mut self, at: usize, message: impl Into<String>) -> Parsed<T> {
        self.note(at, message);
        Err(if self.errors.len() > ERRORS { Stop::Everywhere } else { Stop::Here })
    }

    pub fn fail_for_good<T>(&mut self, at: usize, message: impl Into<String>) -> Parsed<T> {
        self.note(at, message);
        Err(Stop::Everywhere)
    }

    pub fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let message = format!("expected {wanted}, found {}", self.peek());
        self.fail(self.here(), message)
    }

    /// Runs `inner` one level deeper.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING {
            return self.fail_for_good(self.here(), format!("nested more than {NESTING} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Takes the mark, if it is next.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), Token::Mark(m, None) if *m == mark);
        if found {
            self.skip();
        }
        found
    }

    pub fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    pub fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word { name, quoted: false } if name.as_str() == word)
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.skip();
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    pub fn name(&mut self, wanted: &str) -> Parsed<Name> {
        match self.peek().clone() {
            Token::Word { name, .. } => {
                self.skip();
                Ok(name)
            }
            Token::Number(_) | Token::Mark(..) | Token::End => self.unexpected(wanted),
        }
    }

    pub fn number(&mut self, wanted: &str) -> Parsed<i128> {
        match *self.peek() {
            Token::Number(read) => {
                let at = self.here();
                self.skip();
                // A number of mathematics, which no type of a kernel has, says so.
                let wide = self.eat("#");
                if wide {
                    self.expect_word("int")?;
                }
                match read {
                    None => self.fail(at, "the number needs more than 127 bits"),
                    Some(value) if value > i128::from(u64::MAX) && !wide => {
                        self.fail(at, "the number needs more than 64 bits: `#int` after it says that it is meant")
                    }
                    Some(value) => Ok(value),
                }
            }
            Token::Word { .. } | Token::Mark(..) | Token::End => self.unexpected(wanted),
        }
    }

    pub fn number_u32(&mut self, wanted: &str) -> Parsed<u32> {
        let at = self.here();
        let value = self.number(wanted)?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.fail(at, "the number needs more than 32 bits"),
        }
    }

    /// Goes to the end of the statement in which an error was found: past the next `;`, past a block, or before the `}`
    /// that closes the block around it.
    pub fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Mark("{", _) => open += 1,
                Token::Mark("}", _) if open == 0 => return,
                Token::Mark("}", _) => {
                    open -= 1;
                    if open == 0 {
                        self.skip();
                        return;
                    }
                }
                Token::Mark(";", _) if open == 0 => {
                    self.skip();
                    return;
                }
                Token::Word { .. } | Token::Number(_) | Token::Mark(..) => {}
            }
            self.skip();
        }
    }
}
