//! The JSON report, version 1: serde twins of the finding data. The contract is `protocol-spec/output.schema.json`.
//!
//! Every key is always there; what is not known is `null`. Version 1 may gain keys, but loses and renames none.

use serde::Serialize;
use std::collections::BTreeMap;

use super::finding::{AccessReport, FileReport, Finding, KernelReport, Launch, Location, Message, Report, Witness};
use super::words::{self, Counts};

/// The report as indented JSON.
pub(super) fn render(report: &Report) -> String {
    match serde_json::to_string_pretty(&ReportJson::of(report)) {
        Ok(text) => text + "\n",
        Err(error) => crate::bug!("the JSON report does not print: {error}"),
    }
}

#[derive(Serialize)]
struct ReportJson<'a> {
    version: u32,
    files: Vec<FileJson<'a>>,
    kernels: Vec<KernelJson<'a>>,
    messages: Vec<MessageJson<'a>>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    status: &'static str,
    messages: Vec<MessageJson<'a>>,
}

#[derive(Serialize)]
struct MessageJson<'a> {
    code: &'static str,
    text: &'a str,
    path: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_column: Option<usize>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct KernelJson<'a> {
    name: &'a str,
    path: &'a str,
    line: usize,
    verdict: &'static str,
    reasons: Vec<MessageJson<'a>>,
    launch: LaunchJson,
    assumptions: &'a [String],
    findings: Vec<FindingJson<'a>>,
    time_ms: f64,
    queries: usize,
    presolved: &'a BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct LaunchJson {
    block: [DimJson; 3],
    grid: [DimJson; 3],
    from: &'static str,
}

/// A number, or `"*"` for a dimension that is symbolic.
#[derive(Serialize)]
#[serde(untagged)]
enum DimJson {
    Fixed(i128),
    Symbolic(&'static str),
}

#[derive(Serialize)]
struct FindingJson<'a> {
    id: &'a str,
    code: &'static str,
    kind: &'static str,
    class: &'static str,
    text: String,
    array: &'a str,
    level: &'static str,
    accesses: Vec<AccessJson<'a>>,
    witness: WitnessJson<'a>,
    by: Option<&'static str>,
    ran: Option<&'static str>,
    not_run: Option<&'a str>,
    reason: Option<&'a str>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct AccessJson<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_column: usize,
    mode: &'static str,
    thread: [i128; 3],
    block: [i128; 3],
    index: &'a [i128],
    calls: Vec<PlaceJson<'a>>,
    locals: &'a BTreeMap<String, i128>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_column: usize,
}

#[derive(Serialize)]
struct WitnessJson<'a> {
    params: &'a BTreeMap<String, i128>,
    block_dim: [i128; 3],
    grid_dim: [i128; 3],
    values: &'a BTreeMap<String, i128>,
}

#[derive(Serialize)]
struct SummaryJson {
    kernels: usize,
    race_free: usize,
    same_value: usize,
    racy: usize,
    inconclusive: usize,
    no_accesses: usize,
    vacuous: usize,
    rejected: usize,
    files: usize,
    failed_files: usize,
    time_ms: f64,
}

impl<'a> ReportJson<'a> {
    fn of(report: &'a Report) -> ReportJson<'a> {
        let counts = Counts::of(report);
        ReportJson {
            version: 1,
            files: report.files.iter().map(FileJson::of).collect(),
            kernels: report.kernels.iter().map(KernelJson::of).collect(),
            messages: report.messages.iter().map(MessageJson::of).collect(),
            summary: SummaryJson {
                kernels: counts.kernels,
                race_free: counts.race_free,
                same_value: counts.same_value,
                racy: counts.racy,
                inconclusive: counts.inconclusive,
                no_accesses: counts.no_accesses,
                vacuous: counts.vacuous,
                rejected: counts.rejected,
                files: counts.files,
                failed_files: counts.failed_files,
                time_ms: milliseconds(report.time_ms),
            },
        }
    }
}

impl<'a> FileJson<'a> {
    fn of(file: &'a FileReport) -> FileJson<'a> {
        FileJson {
            path: &file.path,
            status: words::status(file.status),
            messages: file.messages.iter().map(MessageJson::of).collect(),
        }
    }
}

impl<'a> MessageJson<'a> {
    fn of(message: &'a Message) -> MessageJson<'a> {
        let at = message.at.as_ref();
        let known = |n: usize| (n > 0).then_some(n);
        MessageJson {
            code: message.code,
            text: &message.text,
            path: at.map(|at| at.path.as_str()),
            line: at.and_then(|at| known(at.line)),
            column: at.and_then(|at| known(at.column)),
            end_column: at.and_then(|at| known(at.end_column)),
            help: message.help.as_deref(),
        }
    }
}

impl<'a> KernelJson<'a> {
    fn of(kernel: &'a KernelReport) -> KernelJson<'a> {
        KernelJson {
            name: &kernel.name,
            path: &kernel.path,
            line: kernel.line,
            verdict: words::verdict(kernel.verdict),
            reasons: kernel.reasons.iter().map(MessageJson::of).collect(),
            launch: LaunchJson::of(&kernel.launch),
            assumptions: &kernel.assumptions,
            findings: kernel.findings.iter().map(|f| FindingJson::of(kernel, f)).collect(),
            time_ms: milliseconds(kernel.time_ms),
            queries: kernel.queries,
            presolved: &kernel.presolved,
        }
    }
}

impl LaunchJson {
    fn of(launch: &Launch) -> LaunchJson {
        let dims = |dims: [Option<i128>; 3]| dims.map(|d| d.map_or(DimJson::Symbolic("*"), DimJson::Fixed));
        LaunchJson { block: dims(launch.block), grid: dims(launch.grid), from: words::launch_source(launch.from) }
    }
}

impl<'a> FindingJson<'a> {
    fn of(kernel: &KernelReport, finding: &'a Finding) -> FindingJson<'a> {
        let (by, ran, not_run) = words::replay(finding.replay.as_ref());
        FindingJson {
            id: &finding.id,
            code: words::finding_code(finding),
            kind: words::kind(finding.kind),
            class: words::class(finding.class),
            text: words::title(kernel, finding),
            array: &finding.array,
            level: words::level(finding.level),
            accesses: finding.accesses.iter().map(AccessJson::of).collect(),
            witness: WitnessJson::of(&finding.witness),
            by,
            ran,
            not_run,
            reason: finding.reason.as_deref(),
            help: finding.help.as_deref(),
        }
    }
}

impl<'a> AccessJson<'a> {
    fn of(access: &'a AccessReport) -> AccessJson<'a> {
        AccessJson {
            path: &access.at.path,
            line: access.at.line,
            column: access.at.column,
            end_column: access.at.end_column,
            mode: words::mode(access.mode),
            thread: access.thread,
            block: access.block,
            index: &access.index,
            calls: access.calls.iter().map(PlaceJson::of).collect(),
            locals: &access.locals,
        }
    }
}

impl<'a> PlaceJson<'a> {
    fn of(at: &'a Location) -> PlaceJson<'a> {
        PlaceJson { path: &at.path, line: at.line, column: at.column, end_column: at.end_column }
    }
}

impl<'a> WitnessJson<'a> {
    fn of(witness: &'a Witness) -> WitnessJson<'a> {
        WitnessJson {
            params: &witness.params,
            block_dim: witness.block_dim,
            grid_dim: witness.grid_dim,
            values: &witness.values,
        }
    }
}

/// Milliseconds to three decimals; a time that is not a number counts as none.
fn milliseconds(time: f64) -> f64 {
    if time.is_finite() { (time * 1000.0).round() / 1000.0 } else { 0.0 }
}
