//! Findings as plain data, and the reports made of them.
//!
//! Every report is a function of the [`Report`] and the [`RenderOptions`] alone: no IO, no clock, no environment, so the
//! same run prints the same bytes.

pub mod explain;
pub mod finding;
mod html;
mod json;
mod sarif;
mod source;
mod text;
mod words;

pub use finding::Report;
pub use words::{Counts, finding_code};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
    Sarif,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Findings and the summary.
    Quiet,
    #[default]
    Normal,
    /// Also assumptions, all reasons, times and notes on files.
    Verbose,
}

/// How source excerpts are drawn in the text report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Drawing {
    Unicode,
    #[default]
    Ascii,
    /// Sentences instead of drawings, for screen readers.
    Narrated,
}

/// How to print; the default is what a pipe gets. All but the verbosity matters to the text format only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RenderOptions {
    pub verbosity: Verbosity,
    pub color: bool,
    pub drawing: Drawing,
}

/// The whole report in one format, ending in a newline.
pub fn render(report: &Report, format: Format, opts: &RenderOptions) -> String {
    match format {
        Format::Text => text::render(report, opts),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Html => html::render(report),
    }
}
