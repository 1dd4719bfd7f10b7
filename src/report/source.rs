//! The texts of the files a report points into, and excerpts of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::finding::{Location, Report};

/// The text of each file by its path, safe to print: control characters that could steer a terminal are replaced by
/// characters of the same length in bytes, so offsets stay right.
pub(super) struct Sources {
    texts: BTreeMap<String, Arc<str>>,
}

/// Longer lines are not drawn: nobody reads them, and a terminal cannot align marks below them.
const LONGEST: usize = 4_000;

/// One line of an excerpt, with the parts of it that are marked: byte ranges of `text` and the index of the mark.
pub(super) struct ExcerptLine {
    pub number: usize,
    pub text: String,
    pub marks: Vec<(Range<usize>, usize)>,
    /// Marks that end on this line: their labels go below it.
    pub ending: Vec<usize>,
}

impl Sources {
    pub fn of(report: &Report) -> Sources {
        let files = report.files.iter().map(|f| (&f.path, &f.text));
        let included = report.included.iter().map(|f| (&f.path, &f.text));
        let mut texts = BTreeMap::new();
        for (path, text) in files.chain(included).filter(|(_, text)| !text.is_empty()) {
            texts.entry(path.clone()).or_insert_with(|| Arc::from(printable(text)));
        }
        Sources { texts }
    }

    pub fn text(&self, path: &str) -> Option<&Arc<str>> {
        self.texts.get(path)
    }

    /// The bytes a location covers; taken from its line and columns when it has no byte range. `None` when the file is not
    /// there, the location does not fit it, or its line is too long to be drawn.
    pub fn range(&self, at: &Location) -> Option<Range<usize>> {
        let text = self.text(&at.path)?;
        if at.start < at.end && text.get(at.start..at.end).is_some() {
            return Some(at.start..at.end).filter(|range| can_be_drawn(text, range));
        }
        let line_start = line_starts(text).nth(at.line.checked_sub(1)?)?;
        let line = text.get(line_start..)?.split('\n').next()?.trim_end_matches('\r');
        let offset = |column: usize| line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(i, _)| i);
        if at.column == 0 {
            let indent = line.len() - line.trim_start().len();
            let range = line_start + indent..line_start + line.trim_end().len().max(indent);
            return Some(range).filter(|range| can_be_drawn(text, range));
        }
        let start = offset(at.column);
        let range = line_start + start..line_start + offset(at.end_column).max(start);
        Some(range).filter(|range| can_be_drawn(text, range))
    }

    /// The first line of the text at a location.
    pub fn first_line(&self, at: &Location) -> Option<&str> {
        let line = self.text(&at.path)?.get(self.range(at)?)?.lines().next()?.trim();
        (!line.is_empty()).then_some(line)
    }

    /// The line and column, both from 1, just past the end of a location; `None` when the text is not there.
    pub fn end(&self, at: &Location) -> Option<(usize, usize)> {
        let range = self.range(at)?;
        let before = self.text(&at.path)?.get(..range.end)?;
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Some((before.matches('\n').count() + 1, before.get(line_start..)?.chars().count() + 1))
    }

    /// The lines around some marked ranges of one file, `context` lines on each side.
    pub fn excerpt(&self, path: &str, marks: &[Range<usize>], context: usize) -> Vec<ExcerptLine> {
        let Some(text) = self.text(path) else { return Vec::new() };
        let starts: Vec<usize> = line_starts(text).collect();
        let line_of = |offset: usize| starts.partition_point(|s| *s <= offset).max(1) - 1;
        let last_of = |m: &Range<usize>| line_of(m.end.saturating_sub(1).max(m.start));
        let mut lines = Vec::new();
        for (number, start) in starts.iter().copied().enumerate() {
            let near = marks
                .iter()
                .any(|m| line_of(m.start) <= number + context && number <= last_of(m).saturating_add(context));
            if !near {
                continue;
            }
            let line = text.get(start..).and_then(|t| t.split('\n').next()).unwrap_or("").trim_end_matches('\r');
            let end = start + line.len();
            let within = |m: &Range<usize>| m.start.clamp(start, end) - start..m.end.clamp(start, end) - start;
            let on_line = |m: &Range<usize>| line_of(m.start) <= number && number <= last_of(m);
            lines.push(ExcerptLine {
                number: number + 1,
                text: line.to_owned(),
                marks: marks.iter().enumerate().filter(|(_, m)| on_line(m)).map(|(i, m)| (within(m), i)).collect(),
                ending: marks.iter().enumerate().filter(|(_, m)| last_of(m) == number).map(|(i, _)| i).collect(),
            });
        }
        // A file that ends in a newline has no further line to show.
        if lines.last().is_some_and(|l| l.text.is_empty() && l.marks.is_empty() && l.number == starts.len()) {
            lines.pop();
        }
        lines
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
}

/// Replaces control characters, keeping every byte offset.
pub(super) fn printable(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        let kept = match c {
            '\n' | '\t' => true,
            '\r' => chars.peek() == Some(&'\n'),
            _ => !c.is_control(),
        };
        out.push(if kept {
            c
        } else if c.len_utf8() == 1 {
            '?'
        } else {
            '\u{bf}'
        });
    }
    out
}

/// Is no line of a range too long, nor the ones before and after it, which are drawn as well?
fn can_be_drawn(text: &str, range: &Range<usize>) -> bool {
    let from = text[..range.start].rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
    let to = text[range.end..].match_indices('\n').nth(1).map_or(text.len(), |(at, _)| range.end + at);
    text[from..to].split('\n').all(|line| line.len() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::super::finding::IncludedFile;
    use super::*;

    fn sources(text: &str) -> Sources {
        let included = vec![IncludedFile { path: "a.cu".to_owned(), text: text.to_owned() }];
        Sources::of(&Report { included, ..Report::default() })
    }

    fn at(line: usize, column: usize, end_column: usize) -> Location {
        Location { path: "a.cu".to_owned(), line, column, end_column, start: 0, end: 0 }
    }

    #[test]
    fn control_characters_are_replaced_at_equal_length() {
        let text = "a\u{1b}[31m\u{9b}b\rc\r\n\td";
        let safe = printable(text);
        assert_eq!(safe, "a?[31m¿b?c\r\n\td");
        assert_eq!(safe.len(), text.len());
    }

    #[test]
    fn a_place_without_bytes_is_found_by_line_and_columns() {
        let sources = sources("ab\r\n  ä = c;\n");
        assert_eq!(sources.range(&at(2, 3, 4)), Some(6..8));
        assert_eq!(sources.range(&at(2, 0, 0)), Some(6..13));
        assert_eq!(sources.range(&at(1, 1, 99)), Some(0..2));
        assert_eq!(sources.range(&at(9, 1, 2)), None);
        assert_eq!(sources.range(&at(0, 1, 2)), None);
        assert_eq!(sources.end(&at(2, 3, 4)), Some((2, 4)));
    }

    #[test]
    fn an_excerpt_marks_every_line_of_a_long_range() {
        let sources = sources("one\ntwo\nthree\nfour\nfive\n");
        let lines = sources.excerpt("a.cu", std::slice::from_ref(&(5..10)), 1);
        let shown: Vec<_> = lines.iter().map(|l| (l.number, l.marks.clone(), l.ending.clone())).collect();
        assert_eq!(
            shown,
            [(1, vec![], vec![]), (2, vec![(1..3, 0)], vec![]), (3, vec![(0..2, 0)], vec![0]), (4, vec![], vec![])]
        );
    }

    #[test]
    fn what_is_beside_a_long_line_is_not_drawn() {
        let long = "x".repeat(70_000);
        for (text, drawn) in [
            (format!("ab\n{long}\n"), false),
            (format!("{long}\nab\n"), false),
            (format!("{long}\n\nab\n\n{long}"), true),
        ] {
            let start = text.find("ab").expect("the place");
            assert_eq!(can_be_drawn(&text, &(start..start + 2)), drawn);
        }
        assert!(!can_be_drawn(&format!("ab\n{long}\n\nab"), &(0..70_006)));
    }
}
