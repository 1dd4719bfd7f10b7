//! The report for people: findings drawn on the source, then one line a kernel, then a summary line.
//!
//! Nothing is wrapped to a width and no time is shown unless asked for, so that the same run prints the same text
//! everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, NarratableReportHandler, Severity,
    SourceCode, ThemeCharacters, ThemeStyles,
};

use super::finding::{
    AccessReport, FileStatus, Finding, FindingClass, KernelReport, Location, Message, Report, Verdict,
};
use super::source::{Sources, printable};
use super::words::{self, Counts, plural};
use super::{Drawing, RenderOptions, Verbosity};

/// A kernel can lose hundreds of values for one cause; without `-v` this many of its reasons are drawn.
const REASONS_PER_KERNEL: usize = 5;

/// Notes on included files, of which a file may have many: without `-v` one of each kind is told, and how many more there are.
const INCLUDES: [&str; 2] = ["include-around", "include-missing"];

pub(super) fn render(report: &Report, opts: &RenderOptions) -> String {
    let page = Page { sources: Sources::of(report), opts: *opts };
    let mut out = String::new();
    for kernel in &report.kernels {
        for finding in &kernel.findings {
            page.finding(&mut out, kernel, finding);
        }
    }
    page.file_messages(&mut out, report);
    page.reasons(&mut out, report);
    for message in &report.messages {
        page.message(&mut out, message, Severity::Warning, &[]);
    }
    if opts.verbosity > Verbosity::Quiet && !report.kernels.is_empty() {
        for kernel in &report.kernels {
            page.kernel(&mut out, kernel);
        }
        out.push('\n');
    }
    page.summary(&mut out, report);
    out
}

struct Page {
    sources: Sources,
    opts: RenderOptions,
}

impl Page {
    fn finding(&self, out: &mut String, kernel: &KernelReport, finding: &Finding) {
        let severity = match finding.class {
            FindingClass::Confirmed => Severity::Error,
            FindingClass::Possible | FindingClass::SameValue | FindingClass::PossibleSameValue => Severity::Warning,
        };
        let title = words::title(kernel, finding);
        let drawn = self.access_labels(finding);
        let mut files = drawn.iter();
        let first = files.next();
        self.draw(out, severity, Some(words::finding_code(finding)), &title, first.map(|(p, l)| (p.as_str(), l)));
        for (path, labels) in files {
            self.draw(out, Severity::Advice, None, &format!("and in {path}"), Some((path, labels)));
        }
        self.facts(out, &finding_facts(self, finding));
        out.push('\n');
    }

    /// The accesses as labels, by file in the order of the accesses; those at one place share a label. A place that cannot
    /// be drawn is left to the facts.
    fn access_labels(&self, finding: &Finding) -> Vec<(String, Vec<Label>)> {
        let mut places: Vec<(&str, Range<usize>, Vec<&AccessReport>)> = Vec::new();
        for access in &finding.accesses {
            let Some(range) = self.sources.range(&access.at) else { continue };
            match places.iter_mut().find(|(path, r, _)| *path == access.at.path && *r == range) {
                Some((_, _, here)) => here.push(access),
                None => places.push((&access.at.path, range, vec![access])),
            }
        }
        let mut files: Vec<(String, Vec<Label>)> = Vec::new();
        for (path, range, here) in places {
            let label = Label { range, text: printable(&words::accesses(finding, &here)) };
            match files.iter_mut().find(|(p, _)| p == path) {
                Some((_, labels)) => labels.push(label),
                None => files.push((path.to_owned(), vec![label])),
            }
        }
        files
    }

    fn file_messages(&self, out: &mut String, report: &Report) {
        for file in &report.files {
            let (severity, needed) = match file.status {
                FileStatus::Failed => (Severity::Error, Verbosity::Quiet),
                FileStatus::Partial => (Severity::Warning, Verbosity::Normal),
                // Why there is nothing to tell.
                FileStatus::Ok if report.kernels.is_empty() => (Severity::Advice, Verbosity::Normal),
                FileStatus::Ok => (Severity::Advice, Verbosity::Verbose),
            };
            if self.opts.verbosity < needed {
                continue;
            }
            // Several files that were not found, or found elsewhere, are told in one line.
            let all = self.opts.verbosity >= Verbosity::Verbose;
            let count = |code: &str| file.messages.iter().filter(|m| m.code == code).count();
            let noted = |message: &&Message| !all && INCLUDES.contains(&message.code) && count(message.code) > 1;
            for message in file.messages.iter().filter(|m| !noted(m)) {
                let named = message.at.is_some() || message.text.contains(&file.path);
                let about = if named { vec![] } else { vec![("file", file.path.clone())] };
                self.message(out, message, severity, &about);
            }
            for code in INCLUDES {
                let notes: Vec<&Message> = file.messages.iter().filter(noted).filter(|m| m.code == code).collect();
                if let [first, rest @ ..] = notes.as_slice() {
                    let text = format!("{}, and {} more (-v shows all)", first.text, rest.len());
                    let message = Message { text, at: None, ..(*first).clone() };
                    self.message(out, &message, severity, &[("file", file.path.clone())]);
                }
            }
        }
    }

    /// Each reason once, with all the kernels it holds for.
    fn reasons(&self, out: &mut String, report: &Report) {
        let mut drawn: Vec<(&Message, Verdict, Vec<&str>)> = Vec::new();
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        let mut left_out = 0;
        for kernel in &report.kernels {
            let mut new = 0;
            for reason in &kernel.reasons {
                if self.opts.verbosity == Verbosity::Quiet && !is_failure(reason) {
                    continue;
                }
                let place = reason.at.as_ref().map(|at| (at.path.as_str(), at.line, at.column));
                let key = (reason.code, reason.text.as_str(), place);
                match seen.get(&key) {
                    Some(&known) => {
                        if let Some((_, _, kernels)) = drawn.get_mut(known) {
                            kernels.push(&kernel.name);
                        }
                    }
                    None if new >= REASONS_PER_KERNEL && self.opts.verbosity < Verbosity::Verbose => left_out += 1,
                    None => {
                        new += 1;
                        seen.insert(key, drawn.len());
                        drawn.push((reason, kernel.verdict, vec![&kernel.name]));
                    }
                }
            }
        }
        for (reason, verdict, kernels) in drawn {
            let severity = match verdict {
                Verdict::Rejected => Severity::Error,
                _ if is_failure(reason) => Severity::Error,
                _ => Severity::Warning,
            };
            let key = if kernels.len() == 1 { "kernel" } else { "kernels" };
            let kernels = kernels.iter().map(|k| printable(k)).collect::<Vec<_>>().join(", ");
            self.message(out, reason, severity, &[(key, kernels)]);
        }
        if left_out > 0 {
            out.push_str(&format!("  {} not shown; -v shows all\n\n", plural(left_out, "more reason")));
        }
    }

    fn message(&self, out: &mut String, message: &Message, severity: Severity, about: &[(&'static str, String)]) {
        let label = message.at.as_ref().and_then(|at| {
            Some((at.path.as_str(), vec![Label { range: self.sources.range(at)?, text: String::new() }]))
        });
        self.draw(
            out,
            severity,
            Some(message.code),
            &message.text,
            label.as_ref().map(|(path, labels)| (*path, labels)),
        );
        let mut facts: Vec<(&str, String)> = Vec::new();
        if let (Some(at), None) = (&message.at, &label) {
            facts.push(("at", words::place(at)));
        }
        facts.extend(about.iter().cloned());
        facts.extend(message.help.iter().map(|help| ("help", help.clone())));
        self.facts(out, &facts);
        out.push('\n');
    }

    fn draw(
        &self,
        out: &mut String,
        severity: Severity,
        code: Option<&'static str>,
        title: &str,
        labels: Option<(&str, &Vec<Label>)>,
    ) {
        let code = code.map_or(String::new(), |code| format!(" [{code}]"));
        let drawn = Drawn {
            severity,
            title: printable(title) + &code,
            source: labels
                .and_then(|(path, _)| Some(NamedSource::new(printable(path), self.sources.text(path)?.clone()))),
            labels: labels.map_or(Vec::new(), |(_, labels)| labels.iter().map(Label::to_miette).collect()),
        };
        let styles = if self.opts.color { ThemeStyles::ansi() } else { ThemeStyles::none() };
        let characters = match self.opts.drawing {
            Drawing::Unicode => ThemeCharacters::unicode(),
            Drawing::Ascii | Drawing::Narrated => ThemeCharacters::ascii(),
        };
        let written = match self.opts.drawing {
            Drawing::Narrated => NarratableReportHandler::new().with_context_lines(1).render_report(out, &drawn),
            Drawing::Unicode | Drawing::Ascii => {
                GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
                    .with_links(false)
                    .with_context_lines(1)
                    .with_wrap_lines(false)
                    .without_syntax_highlighting()
                    .render_report(out, &drawn)
            }
        };
        if written.is_err() {
            crate::bug!("a message could not be drawn: {title}");
        }
    }

    /// Aligned `key value` lines; a repeated key is shown once.
    fn facts(&self, out: &mut String, facts: &[(&str, String)]) {
        let width = facts.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let mut before = "";
        for (key, value) in facts {
            let shown = if *key == before { "" } else { key };
            before = key;
            let padded = format!("{shown:width$}");
            let value = printable(value).replace('\n', &format!("\n    {:width$}", ""));
            out.push_str(&format!("  {}  {value}\n", self.paint(&padded, Style::Bold)));
        }
    }

    fn kernel(&self, out: &mut String, kernel: &KernelReport) {
        let verdict = format!("{:>12}", words::verdict(kernel.verdict));
        let style = match kernel.verdict {
            Verdict::RaceFree => Style::Green,
            Verdict::Racy | Verdict::Rejected => Style::Red,
            Verdict::SameValue | Verdict::Inconclusive | Verdict::Vacuous => Style::Yellow,
            Verdict::NoAccesses => Style::Bold,
        };
        let place = if kernel.line > 0 { format!("{}:{}", kernel.path, kernel.line) } else { kernel.path.clone() };
        let mut parts = words::finding_counts(kernel);
        parts.extend(reason_codes(kernel));
        if kernel.verdict != Verdict::Rejected {
            parts.push(format!("checked for {}", words::scope(kernel)));
        }
        let verbose = self.opts.verbosity == Verbosity::Verbose;
        if !kernel.assumptions.is_empty() && !verbose {
            parts.push(plural(kernel.assumptions.len(), "assumption"));
        }
        out.push_str(&format!(
            "{}  {} ({}): {}\n",
            self.paint(&verdict, style),
            printable(&kernel.name),
            printable(&place),
            parts.join("; ")
        ));
        if verbose {
            for assumption in &kernel.assumptions {
                out.push_str(&format!("{:14}assumes {}\n", "", printable(assumption)));
            }
            let queries =
                if kernel.queries == 1 { "1 query".to_owned() } else { format!("{} queries", kernel.queries) };
            let saved = match kernel.presolved.values().sum::<usize>() {
                0 => String::new(),
                saved => format!(", {saved} decided without the solver"),
            };
            out.push_str(&format!("{:14}{queries}{saved}, {:.0} ms\n", "", kernel.time_ms));
        }
    }

    fn summary(&self, out: &mut String, report: &Report) {
        out.push_str(&self.paint(&Counts::of(report).sentence(), Style::Bold));
        if self.opts.verbosity == Verbosity::Verbose {
            out.push_str(&format!(" ({:.2} s)", report.time_ms / 1000.0));
        }
        out.push('\n');
        let codes: BTreeSet<&str> = report
            .kernels
            .iter()
            .flat_map(|k| k.findings.iter().map(words::finding_code).chain(k.reasons.iter().map(|r| r.code)))
            .collect();
        if self.opts.verbosity > Verbosity::Quiet && !codes.is_empty() {
            let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
            out.push_str(&format!("`faial-like explain CODE` says more about: {codes}\n"));
        }
    }

    fn paint(&self, text: &str, style: Style) -> String {
        let code = match style {
            _ if !self.opts.color => return text.to_owned(),
            Style::Bold => "1",
            Style::Green => "32;1",
            Style::Yellow => "33;1",
            Style::Red => "31;1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[derive(Clone, Copy)]
enum Style {
    Bold,
    Green,
    Yellow,
    Red,
}

/// What a finding needs said beside the drawing, in the order a reader asks for it.
fn finding_facts(page: &Page, finding: &Finding) -> Vec<(&'static str, String)> {
    let mut facts = vec![("class", words::class_reason(finding))];
    for access in &finding.accesses {
        if page.sources.range(&access.at).is_none() {
            facts.push(("at", format!("{}: {}", words::place(&access.at), words::access(finding, access))));
        }
    }
    for access in finding.accesses.iter().filter(|a| !a.locals.is_empty()) {
        facts.push(("where", format!("{} in {}", assignments(&access.locals), words::thread(access))));
    }
    facts.extend(call_chains(page, finding));
    if !finding.witness.params.is_empty() {
        facts.push(("params", assignments(&finding.witness.params)));
    }
    if !finding.witness.values.is_empty() {
        facts.push(("memory", assignments(&finding.witness.values)));
    }
    let (block, grid) = (&finding.witness.block_dim, &finding.witness.grid_dim);
    facts.push(("launch", format!("block {}, grid {}", words::triple(block), words::triple(grid))));
    facts.extend(finding.help.iter().map(|help| ("help", help.clone())));
    facts.push(("id", finding.id.clone()));
    facts
}

/// How the accesses were reached; one line when it is the same way for all of them.
fn call_chains(page: &Page, finding: &Finding) -> Vec<(&'static str, String)> {
    let call = |at: &Location| match page.sources.first_line(at) {
        Some(text) => format!("`{text}` at {}", words::place(at)),
        None => words::place(at),
    };
    let chain = |calls: &[Location]| calls.iter().map(call).collect::<Vec<_>>().join(" > ");
    let mut called = finding.accesses.iter().filter(|a| !a.calls.is_empty());
    let Some(first) = called.next() else { return Vec::new() };
    if finding.accesses.iter().all(|a| a.calls == first.calls) {
        return vec![("calls", chain(&first.calls))];
    }
    std::iter::once(first)
        .chain(called)
        .map(|a| ("calls", format!("{}, in {}", chain(&a.calls), words::thread(a))))
        .collect()
}

fn assignments(values: &BTreeMap<String, i128>) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// The codes of a kernel's reasons with their lines: `[unknown-call] lines 3, 9`.
fn reason_codes(kernel: &KernelReport) -> Vec<String> {
    let mut codes: Vec<&str> = Vec::new();
    for reason in &kernel.reasons {
        if !codes.contains(&reason.code) {
            codes.push(reason.code);
        }
    }
    let mut shown = Vec::new();
    for code in codes {
        let mut lines: BTreeSet<(bool, &str, usize)> = BTreeSet::new();
        for at in kernel.reasons.iter().filter(|r| r.code == code).filter_map(|r| r.at.as_ref()) {
            if at.line > 0 {
                lines.insert((at.path != kernel.path, &at.path, at.line));
            }
        }
        let own: Vec<String> = lines.iter().filter(|l| !l.0).map(|l| l.2.to_string()).collect();
        let mut places = match own.as_slice() {
            [] => Vec::new(),
            [line] => vec![format!("line {line}")],
            [first, ..] => {
                let mut places = own.clone();
                places[0] = format!("lines {first}");
                places
            }
        };
        places.extend(lines.iter().filter(|l| l.0).map(|(_, path, line)| format!("{path}:{line}")));
        if places.len() > REASONS_PER_KERNEL {
            places.truncate(REASONS_PER_KERNEL);
            places.push("...".to_owned());
        }
        shown.push(format!("[{code}] {}", places.join(", ")).trim_end().to_owned());
    }
    shown
}

/// Reasons that are a fault of the run rather than a limit of the proof.
fn is_failure(reason: &Message) -> bool {
    matches!(reason.code, "solver-missing" | "solver-failed")
}

struct Label {
    range: Range<usize>,
    text: String,
}

impl Label {
    fn to_miette(&self) -> LabeledSpan {
        let text = if self.text.is_empty() { None } else { Some(self.text.clone()) };
        LabeledSpan::new(text, self.range.start, self.range.len())
    }
}

/// One message as miette wants it.
#[derive(Debug)]
struct Drawn {
    severity: Severity,
    title: String,
    source: Option<NamedSource<std::sync::Arc<str>>>,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::error::Error for Drawn {}

impl Diagnostic for Drawn {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
