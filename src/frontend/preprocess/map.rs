//! The expanded text, and the way back from it to what was written.

use super::lexer::{Kind, could_paste};
use super::token::{Chain, Token};
use crate::base::{SourceMap, Span};

/// Where a piece of the expanded text comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Where it was written; for a token from a macro body, the outermost macro use.
    pub span: Span,
    /// Where it is spelled, for example in a `#define`.
    pub spelled: Span,
    /// The macros whose bodies it was in, outermost first; at most 64 of them.
    pub expansion: Vec<String>,
}

/// From every byte of the expanded text to its origin.
#[derive(Clone, Debug)]
pub struct Origins {
    runs: Vec<Run>,
    expansions: Expansions,
    /// The answer for an empty text.
    nowhere: Span,
}

/// Macro uses, each inside the one whose body it stands in.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansions {
    uses: Vec<Use>,
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    name: u32,
    parent: Chain,
    depth: u32,
    /// The macro name and its arguments, where they are spelled.
    span: Span,
}

/// Bytes `start..end` of the text, spelled in one piece and at the same place in the nest of macro uses.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: u32,
    end: u32,
    spelled: Span,
    chain: Chain,
    /// Byte `start + i` of the text is byte `spelled.start + i` of the file.
    verbatim: bool,
}

impl Origins {
    /// The origin of the bytes `start..end` of the text: of the smallest piece of source that contains all of them. Blanks
    /// at both ends do not matter.
    pub fn origin(&self, start: usize, end: usize) -> Origin {
        let first = self.runs.partition_point(|run| run.end as usize <= start);
        let last = self.runs.partition_point(|run| (run.start as usize) < end.max(start + 1));
        let last = last.saturating_sub(1).max(first);
        let Some(first_run) = self.runs.get(first).or(self.runs.last()) else {
            return Origin { span: self.nowhere, spelled: self.nowhere, expansion: vec![] };
        };
        let last_run = self.runs.get(last).unwrap_or(first_run);
        let (from, to) = (first_run.part(start, end), last_run.part(start, end));
        let expansions = &self.expansions;
        let common = expansions.common(first_run.chain, last_run.chain);
        let join =
            |level| expansions.place(from, first_run.chain, level).to(expansions.place(to, last_run.chain, level));
        Origin { span: join(Chain::NONE), spelled: join(common), expansion: expansions.names(common) }
    }
}

impl Run {
    /// Where the part of this run inside `start..end` is spelled.
    fn part(&self, start: usize, end: usize) -> Span {
        if !self.verbatim {
            return self.spelled;
        }
        let clip = |n: usize| n.clamp(self.start as usize, self.end as usize) - self.start as usize;
        let offset = self.spelled.start as usize;
        Span::new(self.spelled.file, offset + clip(start), offset + clip(end))
    }
}

impl Expansions {
    pub(super) fn add_name(&mut self, name: &str) -> u32 {
        self.names.push(name.to_string());
        self.names.len() as u32 - 1
    }

    pub(super) fn add_use(&mut self, name: u32, parent: Chain, span: Span) -> Chain {
        let depth = self.depth(parent) + 1;
        self.uses.push(Use { name, parent, depth, span });
        Chain::of(self.uses.len() - 1)
    }

    fn get(&self, chain: Chain) -> Option<&Use> {
        chain.index().and_then(|index| self.uses.get(index))
    }

    /// How many macro bodies stand around a token.
    pub(super) fn depth(&self, chain: Chain) -> u32 {
        self.get(chain).map_or(0, |used| used.depth)
    }

    /// Where the user wrote what is spelled at `spelled`.
    pub(super) fn written(&self, spelled: Span, chain: Chain) -> Span {
        self.place(spelled, chain, Chain::NONE)
    }

    /// The place of a token seen from the body of the macro use `level`, which encloses it.
    fn place(&self, spelled: Span, mut chain: Chain, level: Chain) -> Span {
        let mut place = spelled;
        while chain != level {
            let Some(used) = self.get(chain) else { break };
            place = used.span;
            chain = used.parent;
        }
        place
    }

    fn common(&self, mut a: Chain, mut b: Chain) -> Chain {
        let parent = |chain| self.get(chain).map_or(Chain::NONE, |used| used.parent);
        while a != b {
            if self.depth(a) < self.depth(b) {
                b = parent(b);
            } else {
                a = parent(a);
            }
        }
        a
    }

    fn names(&self, mut chain: Chain) -> Vec<String> {
        let mut names = vec![];
        while let Some(used) = self.get(chain) {
            if used.depth <= 64 {
                names.extend(self.names.get(used.name as usize).cloned());
            }
            chain = used.parent;
        }
        names.reverse();
        names
    }
}

/// Writes tokens, with the blanks of the source where there are some, and a blank where tokens would else stick together.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    runs: Vec<Run>,
    last: Option<Last>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    token: Token,
    /// Where its text starts.
    start: usize,
}

/// Longer gaps are not copied.
const MAX_GAP: usize = 200;

impl Writer {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Forgets everything from byte `length` on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        let kept = self.runs.partition_point(|run| (run.start as usize) < length);
        self.runs.truncate(kept);
        if let Some(run) = self.runs.last_mut() {
            run.end = run.end.min(length as u32);
        }
        self.last = None;
    }

    pub(super) fn write(&mut self, token: Token, spelling: &str, sources: &SourceMap, expansions: &Expansions) {
        let gap = self.verbatim_gap(&token, sources);
        match gap {
            Some(gap) => self.text.push_str(gap),
            None => self.separate(&token, spelling, sources, expansions),
        }
        let start = self.text.len();
        self.text.push_str(spelling);
        let end = self.text.len() as u32;
        match self.runs.last_mut() {
            Some(run) if gap.is_some() => {
                run.end = end;
                run.spelled.end = token.span.end;
            }
            _ => self.runs.push(Run {
                start: start as u32,
                end,
                spelled: token.span,
                chain: token.chain,
                verbatim: token.is_verbatim(),
            }),
        }
        self.last = Some(Last { token, start });
    }

    /// The blanks between the last token and this one, when both stand in the source like that.
    fn verbatim_gap<'s>(&self, token: &Token, sources: &'s SourceMap) -> Option<&'s str> {
        let last = self.last?.token;
        let together = last.is_verbatim()
            && token.is_verbatim()
            && last.chain == token.chain
            && last.span.file == token.span.file
            && last.span.end <= token.span.start
            && ((token.span.start - last.span.end) as usize) < MAX_GAP;
        if !together {
            return None;
        }
        let gap = sources.text(token.span.file).get(last.span.end as usize..token.span.start as usize)?;
        gap.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n')).then_some(gap)
    }

    fn separate(&mut self, token: &Token, spelling: &str, sources: &SourceMap, expansions: &Expansions) {
        let Some(last) = self.last else {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            return;
        };
        if token.line_start {
            let written = expansions.written(token.span, token.chain);
            self.text.push('\n');
            self.text.push_str(indentation(sources.text(written.file), written.start as usize));
            return;
        }
        let previous = self.text.get(last.start..).unwrap_or("");
        if last.token.kind == Kind::Other && previous.contains(['"', '\'']) {
            // A quote without a partner reaches to the end of its line.
            self.text.push('\n');
        } else if token.space || could_paste(previous, last.token.kind, spelling, token.kind) {
            self.text.push(' ');
        }
    }

    pub(super) fn finish(mut self, expansions: Expansions, nowhere: Span) -> (String, Origins) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        (self.text, Origins { runs: self.runs, expansions, nowhere })
    }
}

/// The blanks right before the byte `at`.
fn indentation(text: &str, at: usize) -> &str {
    let from = at.saturating_sub(MAX_GAP);
    let before = text.as_bytes().get(from..at).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    text.get(at.saturating_sub(blanks)..at).unwrap_or("")
}

impl Token {
    /// Whether the text of the token is the text of its span.
    fn is_verbatim(&self) -> bool {
        self.made.is_none() && self.kind != Kind::Placemarker
    }
}
