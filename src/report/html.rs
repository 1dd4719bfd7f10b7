//! One static page that needs nothing else: no scripts, no fonts, no network. Every text from outside is escaped.

use std::fmt::Write as _;
use std::ops::Range;

use super::finding::{Finding, FindingClass, KernelReport, Location, Message, Report, Verdict};
use super::source::{ExcerptLine, Sources};
use super::words::{self, Counts};

const STYLE: &str = include_str!("html.css");

pub(super) fn render(report: &Report) -> String {
    let page = Page { sources: Sources::of(report) };
    let mut body = String::new();
    page.body(&mut body, report);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>faial-like report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

struct Page {
    sources: Sources,
}

impl Page {
    fn body(&self, out: &mut String, report: &Report) {
        put(
            out,
            format_args!("<h1>faial-like</h1>\n<p class=\"summary\">{}</p>\n", escape(&Counts::of(report).sentence())),
        );
        if !report.kernels.is_empty() {
            put(out, format_args!("<table class=\"kernels\">\n<tr><th>Verdict</th><th>Kernel</th><th>Where</th>"));
            put(out, format_args!("<th>Checked for</th><th>Details</th></tr>\n"));
            for (number, kernel) in report.kernels.iter().enumerate() {
                self.row(out, number, kernel);
            }
            put(out, format_args!("</table>\n"));
        }
        self.messages(out, report);
        for (number, kernel) in report.kernels.iter().enumerate() {
            self.kernel(out, number, kernel);
        }
    }

    fn row(&self, out: &mut String, number: usize, kernel: &KernelReport) {
        let mut details = words::finding_counts(kernel);
        let mut codes: Vec<&str> = Vec::new();
        for reason in &kernel.reasons {
            if !codes.contains(&reason.code) {
                codes.push(reason.code);
            }
        }
        details.extend(codes.into_iter().map(str::to_owned));
        if !kernel.assumptions.is_empty() {
            details.push(words::plural(kernel.assumptions.len(), "assumption"));
        }
        put(
            out,
            format_args!(
                "<tr><td class=\"{}\">{}</td><td><a href=\"#kernel-{number}\">{}</a></td><td>{}:{}</td><td>{}</td><td>{}</td></tr>\n",
                tone(kernel.verdict),
                words::verdict(kernel.verdict),
                escape(&kernel.name),
                escape(&kernel.path),
                kernel.line,
                escape(&words::scope(kernel)),
                escape(&details.join("; ")),
            ),
        );
    }

    fn messages(&self, out: &mut String, report: &Report) {
        let of_files = report.files.iter().flat_map(|f| f.messages.iter().map(move |m| (Some(&f.path), m)));
        let all: Vec<_> = of_files.chain(report.messages.iter().map(|m| (None, m))).collect();
        if all.is_empty() {
            return;
        }
        put(out, format_args!("<h2>Notes</h2>\n"));
        for (path, message) in all {
            self.message(out, message, path.map(String::as_str));
        }
    }

    fn kernel(&self, out: &mut String, number: usize, kernel: &KernelReport) {
        put(
            out,
            format_args!(
                "<h2 id=\"kernel-{number}\">{} <span class=\"{}\">{}</span></h2>\n",
                escape(&kernel.name),
                tone(kernel.verdict),
                words::verdict(kernel.verdict),
            ),
        );
        if !kernel.assumptions.is_empty() {
            put(out, format_args!("<p>The verdict assumes:</p>\n<ul>\n"));
            for assumption in &kernel.assumptions {
                put(out, format_args!("<li>{}</li>\n", escape(assumption)));
            }
            put(out, format_args!("</ul>\n"));
        }
        for finding in &kernel.findings {
            self.finding(out, kernel, finding);
        }
        for reason in &kernel.reasons {
            self.message(out, reason, None);
        }
    }

    fn finding(&self, out: &mut String, kernel: &KernelReport, finding: &Finding) {
        let tone = match finding.class {
            FindingClass::Confirmed => "bad",
            FindingClass::Possible | FindingClass::SameValue | FindingClass::PossibleSameValue => "unsure",
        };
        put(
            out,
            format_args!(
                "<section class=\"finding\" id=\"{}\">\n<h3 class=\"{tone}\">{}</h3>\n",
                escape(&finding.id),
                escape(&words::title(kernel, finding)),
            ),
        );
        let mut files: Vec<&str> = Vec::new();
        for access in &finding.accesses {
            if !files.contains(&access.at.path.as_str()) {
                files.push(&access.at.path);
            }
        }
        for path in files {
            let here = finding.accesses.iter().filter(|a| a.at.path == path);
            let labels: Vec<_> = here.map(|a| (&a.at, words::access(finding, a))).collect();
            self.excerpt(out, path, &labels);
        }
        put(out, format_args!("<dl>\n"));
        let mut fact = |name: &str, value: &str| {
            put(out, format_args!("<dt>{name}</dt><dd>{}</dd>\n", escape(value)));
        };
        fact("Class", &words::class_reason(finding));
        for access in &finding.accesses {
            for (name, value) in &access.locals {
                fact("Where", &format!("{name} = {value} in {}", words::thread(access)));
            }
            if !access.calls.is_empty() {
                let calls = access.calls.iter().map(words::place).collect::<Vec<_>>().join(" > ");
                fact("Calls", &format!("{calls}, in {}", words::thread(access)));
            }
        }
        for (name, value) in finding.witness.params.iter().chain(&finding.witness.values) {
            fact("Value", &format!("{name} = {value}"));
        }
        let (block, grid) = (&finding.witness.block_dim, &finding.witness.grid_dim);
        fact("Launch", &format!("block {}, grid {}", words::triple(block), words::triple(grid)));
        if let Some(help) = &finding.help {
            fact("Help", help);
        }
        fact("Id", &finding.id);
        fact("Code", words::finding_code(finding));
        put(out, format_args!("</dl>\n</section>\n"));
    }

    fn message(&self, out: &mut String, message: &Message, path: Option<&str>) {
        let about = match path {
            Some(path) if message.at.is_none() => format!(" ({})", escape(path)),
            _ => String::new(),
        };
        put(
            out,
            format_args!(
                "<section class=\"reason\">\n<p><code>{}</code> {}{about}</p>\n",
                escape(message.code),
                escape(&message.text),
            ),
        );
        if let Some(at) = &message.at {
            self.excerpt(out, &at.path, &[(at, String::new())]);
        }
        if let Some(help) = &message.help {
            put(out, format_args!("<p>Help: {}</p>\n", escape(help)));
        }
        put(out, format_args!("</section>\n"));
    }

    /// The lines around some places of one file, each place marked and explained below its last line. Without the text,
    /// the places are only named.
    fn excerpt(&self, out: &mut String, path: &str, labels: &[(&Location, String)]) {
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut notes: Vec<String> = Vec::new();
        let mut first = None;
        for (at, note) in labels {
            let Some(range) = self.sources.range(at) else {
                let note = if note.is_empty() { String::new() } else { format!(": {}", escape(note)) };
                put(out, format_args!("<p class=\"place\">{}{note}</p>\n", escape(&words::place(at))));
                continue;
            };
            first = first.or(Some(at));
            match marks.iter().position(|m| *m == range) {
                Some(same) => {
                    if let Some(known) = notes.get_mut(same) {
                        *known = format!("{known}; {note}");
                    }
                }
                None => {
                    marks.push(range);
                    notes.push(note.clone());
                }
            }
        }
        let Some(first) = first else { return };
        put(out, format_args!("<p class=\"place\">{}</p>\n<table class=\"source\">\n", escape(&words::place(first))));
        let mut before = None;
        for line in self.sources.excerpt(path, &marks, 2) {
            if before.is_some_and(|b| b + 1 < line.number) {
                put(out, format_args!("<tr><td class=\"n\"></td><td>&hellip;</td></tr>\n"));
            }
            before = Some(line.number);
            put(out, format_args!("<tr><td class=\"n\">{}</td><td><pre>{}</pre>", line.number, marked(&line)));
            for mark in &line.ending {
                match notes.get(*mark) {
                    Some(note) if !note.is_empty() => {
                        put(out, format_args!("<div class=\"note m{}\">{}</div>", mark % 2, escape(note)));
                    }
                    _ => {}
                }
            }
            put(out, format_args!("</td></tr>\n"));
        }
        put(out, format_args!("</table>\n"));
    }
}

/// One line with its marked parts; where marks overlap, the shortest one shows.
fn marked(line: &ExcerptLine) -> String {
    let mut cuts: Vec<usize> =
        line.marks.iter().flat_map(|(r, _)| [r.start, r.end]).chain([0, line.text.len()]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut out = String::new();
    for (start, end) in cuts.iter().zip(cuts.iter().skip(1)) {
        let piece = escape(line.text.get(*start..*end).unwrap_or(""));
        let covering = line.marks.iter().filter(|(r, _)| r.start <= *start && *end <= r.end);
        match covering.min_by_key(|(r, _)| r.len()) {
            Some((_, mark)) => put(&mut out, format_args!("<mark class=\"m{}\">{piece}</mark>", mark % 2)),
            None => out.push_str(&piece),
        }
    }
    out
}

fn tone(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::RaceFree => "good",
        Verdict::Racy | Verdict::Rejected => "bad",
        Verdict::SameValue | Verdict::Inconclusive | Verdict::Vacuous | Verdict::NoAccesses => "unsure",
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    if out.write_fmt(text).is_err() {
        crate::bug!("a string refused to grow");
    }
}
