//! SARIF 2.1.0, for code scanning services and editors.
//!
//! Findings and the reasons of kernels that were not proved are results; remarks on files are notifications of the
//! tool. A confirmed finding is an error, every other finding a warning, a reason a note.

use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::explain;
use super::finding::{FileStatus, Finding, FindingClass, KernelReport, Location, Message, Report, Verdict};
use super::source::Sources;
use super::words;

pub(super) fn render(report: &Report) -> String {
    let log = Log { sources: Sources::of(report), rules: rule_ids(report) };
    match serde_json::to_string_pretty(&log.of(report)) {
        Ok(text) => text + "\n",
        Err(error) => crate::bug!("the SARIF report does not print: {error}"),
    }
}

struct Log {
    sources: Sources,
    rules: Vec<&'static str>,
}

/// The codes of all results, sorted; the three of findings are always there, so that a clean run names them too.
fn rule_ids(report: &Report) -> Vec<&'static str> {
    let reasons = report.kernels.iter().flat_map(|k| k.reasons.iter().map(|r| r.code));
    let findings = ["barrier-divergence", "data-race", "same-value-race"];
    let ids: std::collections::BTreeSet<&str> = findings.into_iter().chain(reasons).collect();
    ids.into_iter().collect()
}

impl Log {
    fn of(&self, report: &Report) -> Value {
        let results: Vec<Value> = report
            .kernels
            .iter()
            .flat_map(|k| {
                let findings = k.findings.iter().map(|f| self.finding(k, f));
                findings.chain(k.reasons.iter().map(|r| self.reason(k, r)))
            })
            .collect();
        let failed = report.files.iter().any(|f| f.status == FileStatus::Failed);
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "faial-like",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.iter().map(|id| rule(id)).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": !failed,
                    "toolExecutionNotifications": self.notifications(report),
                }],
                "artifacts": report.files.iter().map(|f| json!({ "location": { "uri": uri(&f.path) } })).collect::<Vec<_>>(),
                "results": results,
            }],
        })
    }

    fn finding(&self, kernel: &KernelReport, finding: &Finding) -> Value {
        let level = match finding.class {
            FindingClass::Confirmed => "error",
            FindingClass::Possible | FindingClass::SameValue | FindingClass::PossibleSameValue => "warning",
        };
        let mut text = words::title(kernel, finding) + "; " + &words::class_reason(finding);
        if let Some(help) = &finding.help {
            text.push_str("; ");
            text.push_str(help);
        }
        let first = finding.accesses.first().map_or_else(|| kernel_place(kernel), |a| a.at.clone());
        let mut related = Vec::new();
        for access in &finding.accesses {
            related.push((access.at.clone(), words::access(finding, access)));
            related
                .extend(access.calls.iter().map(|c| (c.clone(), format!("called here by {}", words::thread(access)))));
        }
        let related: Vec<Value> = related
            .iter()
            .enumerate()
            .map(|(id, (at, text))| {
                let mut location = self.location(at);
                location["id"] = json!(id);
                location["message"] = json!({ "text": text });
                location
            })
            .collect();
        let mut location = self.location(&first);
        location["logicalLocations"] = logical(kernel);
        let code = words::finding_code(finding);
        json!({
            "ruleId": code,
            "ruleIndex": self.rules.iter().position(|r| *r == code),
            "level": level,
            "message": { "text": text },
            "locations": [location],
            "relatedLocations": related,
            "partialFingerprints": { "faialLikeFindingId/v1": finding.id },
            "properties": {
                "class": words::class(finding.class),
                "level": words::level(finding.level),
                "array": finding.array,
                "params": strings(&finding.witness.params),
                "values": strings(&finding.witness.values),
                "blockDim": words::triple(&finding.witness.block_dim),
                "gridDim": words::triple(&finding.witness.grid_dim),
            },
        })
    }

    fn reason(&self, kernel: &KernelReport, reason: &Message) -> Value {
        let level = if kernel.verdict == Verdict::Rejected { "warning" } else { "note" };
        let mut text = format!("`{}` is {}: {}", kernel.name, words::verdict(kernel.verdict), reason.text);
        if let Some(help) = &reason.help {
            text.push_str("; ");
            text.push_str(help);
        }
        let mut location = match &reason.at {
            Some(at) => self.location(at),
            None => self.location(&kernel_place(kernel)),
        };
        location["logicalLocations"] = logical(kernel);
        json!({
            "ruleId": reason.code,
            "ruleIndex": self.rules.iter().position(|r| *r == reason.code),
            "level": level,
            "message": { "text": text },
            "locations": [location],
        })
    }

    fn notifications(&self, report: &Report) -> Vec<Value> {
        let mut notifications = Vec::new();
        for file in &report.files {
            let level = match file.status {
                FileStatus::Failed => "error",
                FileStatus::Partial => "warning",
                FileStatus::Ok => "note",
            };
            for message in &file.messages {
                let whole = Location { path: file.path.clone(), ..Location::default() };
                notifications.push(json!({
                    "level": level,
                    "message": { "text": message.text },
                    "descriptor": { "id": message.code },
                    "locations": [self.location(message.at.as_ref().unwrap_or(&whole))],
                }));
            }
        }
        for message in &report.messages {
            let descriptor = json!({ "id": message.code });
            notifications.push(json!({
                "level": "warning",
                "message": { "text": message.text },
                "descriptor": descriptor,
            }));
        }
        notifications
    }

    fn location(&self, at: &Location) -> Value {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&at.path) } });
        if at.line > 0 {
            physical["region"] = self.region(at);
        }
        json!({ "physicalLocation": physical })
    }

    fn region(&self, at: &Location) -> Value {
        let mut region = json!({ "startLine": at.line });
        if at.column == 0 {
            return region;
        }
        region["startColumn"] = json!(at.column);
        match self.sources.end(at) {
            Some((line, column)) if line > at.line => {
                region["endLine"] = json!(line);
                region["endColumn"] = json!(column);
            }
            _ if at.end_column > at.column => region["endColumn"] = json!(at.end_column),
            _ => {}
        }
        region
    }
}

fn rule(id: &str) -> Value {
    match explain::lookup(id) {
        Some(entry) => json!({
            "id": id,
            "shortDescription": { "text": entry.title },
            "fullDescription": { "text": entry.what },
            "help": { "text": entry.text() },
        }),
        None => json!({ "id": id }),
    }
}

fn kernel_place(kernel: &KernelReport) -> Location {
    Location { path: kernel.path.clone(), line: kernel.line, ..Location::default() }
}

fn logical(kernel: &KernelReport) -> Value {
    json!([{ "name": kernel.name, "kind": "function" }])
}

/// Values as text: SARIF readers lose the digits of large numbers.
fn strings(values: &BTreeMap<String, i128>) -> BTreeMap<&str, String> {
    values.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect()
}

/// A path as a URI reference: relative ones stay relative, so that a service can resolve them against the repository.
fn uri(path: &str) -> String {
    let drive = matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let path = if std::path::MAIN_SEPARATOR == '\\' || drive { path.replace('\\', "/") } else { path.to_owned() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if drive {
        uri.push_str("file:///");
    }
    for byte in path.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) || (drive && byte == b':');
        if plain { uri.push(char::from(byte)) } else { uri.push_str(&format!("%{byte:02X}")) }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./a/b c.cu"), "a/b%20c.cu");
        assert_eq!(uri("/src/ä#1.cu"), "file:///src/%C3%A4%231.cu");
        assert_eq!(uri("C:\\a\\b.cu"), "file:///C:/a/b.cu");
        assert_eq!(uri("a:b.cu"), "a%3Ab.cu");
    }
}
