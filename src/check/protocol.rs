//! A protocol as text (`.map`): the kernels of a file, each as if it had been inferred, with places in the text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{KernelCode, Launched, SourceFile, SourceKernel, location};
use crate::base::{FileId, SourceMap, Span};
use crate::core::{Access, Barrier, Coordinate, Kernel, Print, Protocol, SiteId};
use crate::frontend::header::Header;
use crate::kernel::infer::{Inferred, Loss, Site, Touches};
use crate::report::finding::{FileReport, FileStatus, Message};
use crate::text::{Stage, parse_kernels};

/// A comment that says what inference did not understand: who reads the file back must not take it for the whole kernel.
const LOST: &str = "//! lost ";
const ASSUMED: &str = "//! assumes ";

/// The text of an inferred protocol, with what it rests on and what is missing from it.
pub fn protocol_text(inferred: &Inferred) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for assumption in &inferred.assumptions {
        out.push_str(&format!("{ASSUMED}{}\n", one_line(assumption)));
    }
    for loss in inferred.losses.iter().filter(|l| l.touches != Touches::Value) {
        out.push_str(&format!("{LOST}{}: {}\n", loss.code, one_line(&loss.text)));
    }
    out.push_str(&inferred.kernel.text());
    out
}

/// Reads the kernels of a protocol file.
pub fn load_protocols(path: &Path, text: String) -> SourceFile {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text.clone());
    let mut messages = Vec::new();
    let mut kernels = Vec::new();
    match parse_kernels(&text) {
        Ok(parsed) => {
            let places = places(&text, root);
            for (i, kernel) in parsed.into_iter().enumerate() {
                let (span, sites, remarks) = match places.get(i) {
                    Some(found) => (found.span, found.sites.clone(), found.remarks.clone()),
                    None => (Span::new(root, 0, 0), BTreeMap::new(), Vec::new()),
                };
                match &kernel.code {
                    Stage::Protocol(code) => {
                        let name = kernel.name.to_string();
                        let inferred = inferred(kernel.with_code(code.clone()), span, &sites, &remarks);
                        let code = KernelCode::Protocol(Box::new(inferred));
                        kernels.push(SourceKernel {
                            name,
                            span,
                            launch_bounds: None,
                            host: Default::default(),
                            launches: Vec::new(),
                            is_external: false,
                            is_opencl: false,
                            built: None,
                            launched: Launched::Nowhere,
                            is_whole: true,
                            group_size: None,
                            offset: None,
                            whole_groups: false,
                            code,
                        });
                    }
                    Stage::Aligned(_) | Stage::Phases(_) | Stage::Traces(_) => {
                        let text = format!("`{}` is a later stage: only kernels with `code` are checked", kernel.name);
                        messages.push(message(&sources, span, text));
                    }
                }
            }
        }
        Err(errors) => {
            for error in errors {
                let end = text[error.at..].chars().next().map_or(error.at, |c| error.at + c.len_utf8());
                messages.push(message(&sources, Span::new(root, error.at, end), error.message));
            }
        }
    }
    let status = match (messages.is_empty(), kernels.is_empty()) {
        (true, _) => FileStatus::Ok,
        (false, false) => FileStatus::Partial,
        (false, true) => FileStatus::Failed,
    };
    let report = FileReport { path: path.display().to_string(), text, status, messages };
    SourceFile { sources, header: Header::default(), kernels, foreign: Default::default(), opencl: None, report }
}

fn message(sources: &SourceMap, span: Span, text: String) -> Message {
    Message { code: "parse-error", text, at: Some(location(sources, span)), help: None }
}

fn inferred(kernel: Kernel<Protocol>, span: Span, places: &BTreeMap<u32, Span>, remarks: &[String]) -> Inferred {
    let mut sites = Sites { dense: BTreeMap::new(), all: Vec::new(), places, whole: span };
    let code = sites.code(&kernel.code);
    let axes = |coordinates: &[Coordinate]| {
        let mut dims = [Some(1); 3];
        for c in coordinates {
            let axis = match c.var.name.as_str().rsplit('.').next() {
                Some("x") => 0,
                Some("y") => 1,
                _ => 2,
            };
            dims[axis] = c.extent.as_num();
        }
        dims
    };
    let mut losses = Vec::new();
    let mut assumptions = vec!["the protocol says all that the kernel does".to_owned()];
    for remark in remarks {
        if let Some(text) = remark.strip_prefix(LOST) {
            let text = format!("the protocol is not all of the kernel: {text}");
            losses.push(Loss { code: "unknown-construct", text, span, touches: Touches::Everything });
        } else if let Some(text) = remark.strip_prefix(ASSUMED) {
            assumptions.push(text.to_owned());
        }
    }
    Inferred {
        block: axes(&kernel.threads),
        grid: axes(&kernel.blocks),
        kernel: kernel.with_code(code),
        sites: sites.all,
        ordered: BTreeSet::new(),
        calls: BTreeMap::new(),
        room: Vec::new(),
        losses,
        assumed: Vec::new(),
        assumptions,
    }
}

/// Numbers the sites of a kernel from 0, with their places.
struct Sites<'a> {
    dense: BTreeMap<SiteId, SiteId>,
    all: Vec<Site>,
    places: &'a BTreeMap<u32, Span>,
    whole: Span,
}

impl Sites<'_> {
    fn site(&mut self, site: SiteId) -> SiteId {
        let (all, span) = (&mut self.all, self.places.get(&site.0).copied().unwrap_or(self.whole));
        *self.dense.entry(site).or_insert_with(|| {
            all.push(Site { span, calls: Vec::new() });
            SiteId(all.len() as u32 - 1)
        })
    }

    fn code(&mut self, code: &Protocol) -> Protocol {
        match code {
            Protocol::Skip => Protocol::Skip,
            Protocol::Access(access) => Protocol::Access(Access { site: self.site(access.site), ..access.clone() }),
            Protocol::Sync(barrier) => Protocol::Sync(Barrier { site: self.site(barrier.site), ..barrier.clone() }),
            Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(|p| self.code(p)).collect()),
            Protocol::If(b, t, e) => Protocol::If(b.clone(), Box::new(self.code(t)), Box::new(self.code(e))),
            Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(self.code(body))),
        }
    }
}

/// Where a kernel stands in the text, and each statement that ends with a site.
struct Placed {
    span: Span,
    sites: BTreeMap<u32, Span>,
    remarks: Vec<String>,
}

/// Finds the kernels of a text that parses: from `kernel` to the brace that closes it.
fn places(text: &str, file: FileId) -> Vec<Placed> {
    let mut all = Vec::new();
    let mut remarks = Vec::new();
    let mut sites = BTreeMap::new();
    let (mut depth, mut head, mut statement) = (0usize, None, None);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '/' if text[at..].starts_with("//") => {
                let line = text[at..].lines().next().unwrap_or("");
                if line.starts_with("//!") {
                    remarks.push(line.trim_end().to_owned());
                }
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
            }
            '`' => {
                statement.get_or_insert(at);
                if depth == 0 {
                    head.get_or_insert(at);
                }
                while chars.next().is_some_and(|(_, c)| c != '`') {}
            }
            '{' => {
                depth += 1;
                statement = None;
            }
            '}' => {
                depth = depth.saturating_sub(1);
                statement = None;
                if depth == 0 {
                    let start: usize = head.take().unwrap_or(at);
                    let end = start + text[start..].find('{').unwrap_or(0);
                    let span = Span::new(file, start, text[..end].trim_end().len());
                    all.push(Placed { span, sites: std::mem::take(&mut sites), remarks: std::mem::take(&mut remarks) });
                }
            }
            ';' => statement = None,
            '@' => {
                let digits: String = text[at + 1..].trim_start().chars().take_while(char::is_ascii_digit).collect();
                if let (Ok(site), Some(start)) = (digits.parse(), statement) {
                    sites.entry(site).or_insert(Span::new(file, start, text[..at].trim_end().len()));
                }
            }
            c if c.is_whitespace() => {}
            _ => {
                statement.get_or_insert(at);
                if depth == 0 {
                    head.get_or_insert(at);
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_have_places_in_the_text() {
        let text = "//! lost unknown-call: `f`\nkernel k { // @9\n  array a: global unit 4;\n  thread t in 0..8;\n  code { wr a[t] @7; rd a[t + 1]\n    @70; }\n}\n";
        let file = load_protocols(Path::new("k.map"), text.to_owned());
        assert!(file.report.messages.is_empty(), "{:?}", file.report.messages);
        let KernelCode::Protocol(inferred) = &file.kernels[0].code else { panic!("not a protocol") };
        let found: Vec<&str> = inferred.sites.iter().map(|s| file.sources.snippet(s.span)).collect();
        assert_eq!(found, ["wr a[t]", "rd a[t + 1]"]);
        assert_eq!(file.sources.snippet(file.kernels[0].span), "kernel k");
        assert_eq!(inferred.losses.len(), 1);
    }

    #[test]
    fn all_errors_of_a_text_are_messages_with_places() {
        let text = "kernel k {\n  array a: global;\n  thread t in 0..8;\n  code { wr a[x] @0; wr a[y] @1; }\n}\n";
        let file = load_protocols(Path::new("k.map"), text.to_owned());
        let found: Vec<_> =
            file.report.messages.iter().filter_map(|m| m.at.as_ref().map(|at| (at.line, m.text.as_str()))).collect();
        assert_eq!(found, [(4, "`x` is not declared here [WF-BOUND]"), (4, "`y` is not declared here [WF-BOUND]")]);
        assert_eq!(file.report.status, FileStatus::Failed);
    }
}
