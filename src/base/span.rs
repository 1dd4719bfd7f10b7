//! Where a piece of text was written.

use std::path::{Path, PathBuf};

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A half-open range of bytes `[start, end)` of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clip(start), end: clip(end.max(start)) }
    }

    /// The smallest span that covers both, or the first one when they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug)]
struct Source {
    path: PathBuf,
    text: String,
    line_starts: Vec<u32>,
}

/// The files read so far, each with its text.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Source>,
}

impl SourceMap {
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        self.files.push(Source { path: path.into(), text, line_starts });
        id
    }

    fn source(&self, file: FileId) -> &Source {
        match self.files.get(file.0 as usize) {
            Some(source) => source,
            None => crate::bug!("file {} is not in the source map", file.0),
        }
    }

    /// The path and text of every file, in the order in which they were added.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().map(|f| (f.path.as_path(), f.text.as_str()))
    }

    pub fn path(&self, file: FileId) -> &Path {
        &self.source(file).path
    }

    pub fn text(&self, file: FileId) -> &str {
        &self.source(file).text
    }

    /// The line and column of a byte offset; an offset past the end counts as the end.
    pub fn line_column(&self, file: FileId, offset: u32) -> LineColumn {
        let source = self.source(file);
        let line = source.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = source.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let end = (offset as usize).min(source.text.len()).max(start);
        let column =
            source.text.as_bytes().get(start..end).map_or(0, |b| String::from_utf8_lossy(b).chars().count()) + 1;
        LineColumn { line, column }
    }

    pub fn start(&self, span: Span) -> LineColumn {
        self.line_column(span.file, span.start)
    }

    pub fn end(&self, span: Span) -> LineColumn {
        self.line_column(span.file, span.end)
    }

    /// The text under a span; empty when the span does not fall on characters of its file.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let mut map = SourceMap::default();
        let file = map.add("a.cu", "ab\nä c\n");
        assert_eq!(map.line_column(file, 0), LineColumn { line: 1, column: 1 });
        assert_eq!(map.line_column(file, 3), LineColumn { line: 2, column: 1 });
        assert_eq!(map.line_column(file, 6), LineColumn { line: 2, column: 3 });
        assert_eq!(map.line_column(file, 99), LineColumn { line: 3, column: 1 });
    }
}
