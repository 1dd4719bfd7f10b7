//! The words that all reports share, so that a finding reads the same in every format.

use super::finding::{
    AccessMode, AccessReport, FileStatus, Finding, FindingClass, FindingKind, KernelReport, Launch, LaunchSource,
    Level, Location, Ran, Replay, Report, Verdict,
};

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::RaceFree => "race-free",
        Verdict::SameValue => "same-value",
        Verdict::Racy => "racy",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NoAccesses => "no-accesses",
        Verdict::Vacuous => "vacuous",
        Verdict::Rejected => "rejected",
    }
}

pub(super) fn status(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Ok => "ok",
        FileStatus::Partial => "partial",
        FileStatus::Failed => "failed",
    }
}

pub(super) fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Race => "race",
        FindingKind::Divergence => "divergence",
    }
}

pub(super) fn class(class: FindingClass) -> &'static str {
    match class {
        FindingClass::Confirmed => "confirmed",
        FindingClass::Possible => "possible",
        FindingClass::SameValue | FindingClass::PossibleSameValue => "same-value",
    }
}

/// How a finding was replayed, what ran of the grid, and why nothing did.
pub(super) fn replay(replay: Option<&Replay>) -> (Option<&'static str>, Option<&'static str>, Option<&str>) {
    match replay {
        None => (None, None, None),
        Some(Replay::Kernel(ran)) => {
            let ran = match ran {
                Ran::Threads => "threads",
                Ran::Blocks => "blocks",
                Ran::Grid => "grid",
            };
            (Some("interpreter"), Some(ran), None)
        }
        Some(Replay::Protocol(why)) => (Some("protocol"), None, Some(why)),
    }
}

pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Warp => "warp",
        Level::Block => "block",
        Level::Cluster => "cluster",
        Level::Grid => "grid",
    }
}

pub(super) fn mode(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Read => "read",
        AccessMode::Write => "write",
        AccessMode::Atomic => "atomic",
        AccessMode::Barrier => "barrier",
    }
}

pub(super) fn launch_source(from: LaunchSource) -> &'static str {
    match from {
        LaunchSource::Option => "option",
        LaunchSource::Header => "header",
        LaunchSource::LaunchSite => "launch-site",
        LaunchSource::LaunchBounds => "launch-bounds",
        LaunchSource::GroupSize => "group-size",
        LaunchSource::Symbolic => "symbolic",
    }
}

/// The code that `faial-like explain` knows a finding by.
pub fn finding_code(finding: &Finding) -> &'static str {
    match (finding.kind, finding.class) {
        (FindingKind::Divergence, _) => "barrier-divergence",
        (FindingKind::Race, FindingClass::SameValue | FindingClass::PossibleSameValue) => "same-value-race",
        (FindingKind::Race, FindingClass::Confirmed | FindingClass::Possible) => "data-race",
    }
}

/// One sentence that says what a finding is, without a full stop.
pub(super) fn title(kernel: &KernelReport, finding: &Finding) -> String {
    let what = match (finding.kind, finding.class) {
        (FindingKind::Race, FindingClass::Confirmed) => "data race",
        (FindingKind::Race, FindingClass::Possible) => "possible data race",
        (FindingKind::Race, FindingClass::SameValue) => "same-value race",
        (FindingKind::Race, FindingClass::PossibleSameValue) => "possible same-value race",
        (FindingKind::Divergence, FindingClass::Possible | FindingClass::PossibleSameValue) => {
            "possible barrier divergence"
        }
        (FindingKind::Divergence, FindingClass::Confirmed | FindingClass::SameValue) => "barrier divergence",
    };
    let who = match finding.level {
        Level::Warp => "two threads of the same warp",
        Level::Block => "two threads of the same block",
        Level::Cluster => "threads of two blocks of one cluster",
        Level::Grid => "threads of two different blocks",
    };
    match finding.kind {
        FindingKind::Divergence => format!("{what} in `{}`: {who} do not meet at the same barrier", kernel.name),
        FindingKind::Race => {
            let cell = match finding.accesses.first() {
                Some(access) => cell(finding, access),
                None => finding.array.clone(),
            };
            format!("{what} in `{}` on `{cell}`: {} by {who}", kernel.name, modes(finding))
        }
    }
}

/// `a write and a read`, `two writes` and so on: writes first, whatever the order of the accesses.
fn modes(finding: &Finding) -> &'static str {
    let count = |mode| finding.accesses.iter().filter(|a| a.mode == mode).count();
    match (count(AccessMode::Write), count(AccessMode::Read), count(AccessMode::Atomic)) {
        (2, 0, 0) if matches!(finding.class, FindingClass::SameValue | FindingClass::PossibleSameValue) => {
            "two writes of the same value"
        }
        (2, 0, 0) => "two writes",
        (1, 1, 0) => "a write and a read",
        (1, 0, 1) => "an atomic and a plain write",
        (0, 1, 1) => "an atomic and a plain read",
        (0, 0, 2) => "two atomics",
        _ => "unordered accesses",
    }
}

/// The cell an access touches: `tile[1][2]`.
pub(super) fn cell(finding: &Finding, access: &AccessReport) -> String {
    let mut text = finding.array.clone();
    for index in &access.index {
        text.push_str(&format!("[{index}]"));
    }
    text
}

/// What one access does: `write by thread (1,0,0), block (0,0,0)`; names the cell when the accesses differ in it.
pub(super) fn access(finding: &Finding, access: &AccessReport) -> String {
    let who = thread(access);
    match finding.kind {
        FindingKind::Race => format!("{}{} by {who}", mode(access.mode), own_cell(finding, access)),
        FindingKind::Divergence if finding.accesses.first() == Some(access) => format!("{who} waits at this barrier"),
        FindingKind::Divergence => format!("{who} does not join it"),
    }
}

/// What several accesses of the same place do, in one label.
pub(super) fn accesses(finding: &Finding, at_one_place: &[&AccessReport]) -> String {
    match at_one_place {
        [one, two]
            if finding.kind == FindingKind::Race
                && one.mode == two.mode
                && own_cell(finding, one) == own_cell(finding, two) =>
        {
            format!("{} and by {}", access(finding, one), thread(two))
        }
        _ => at_one_place.iter().map(|a| access(finding, a)).collect::<Vec<_>>().join("; "),
    }
}

fn own_cell(finding: &Finding, access: &AccessReport) -> String {
    if finding.accesses.iter().all(|a| a.index == access.index) {
        String::new()
    } else {
        format!(" of `{}`", cell(finding, access))
    }
}

pub(super) fn thread(access: &AccessReport) -> String {
    format!("thread {}, block {}", triple(&access.thread), triple(&access.block))
}

pub(super) fn triple(dims: &[i128; 3]) -> String {
    format!("({},{},{})", dims[0], dims[1], dims[2])
}

fn open_triple(dims: &[Option<i128>; 3]) -> String {
    let [x, y, z] = dims.map(|d| d.map_or("*".to_owned(), |d| d.to_string()));
    format!("({x},{y},{z})")
}

/// The launch that a verdict holds for: `block (256,1,1) and grid (*,1,1), set by the launch site`.
fn launch(launch: &Launch) -> String {
    if launch.block.iter().chain(&launch.grid).all(Option::is_none) {
        return "every launch".to_owned();
    }
    let from = match launch.from {
        LaunchSource::Option => ", set by the command line",
        LaunchSource::Header => ", set by the file header",
        LaunchSource::LaunchSite => ", set by the launch site",
        LaunchSource::GroupSize => ", from reqd_work_group_size",
        LaunchSource::LaunchBounds => ", set by __launch_bounds__",
        LaunchSource::Symbolic => "",
    };
    format!("block {} and grid {}{from}", open_triple(&launch.block), open_triple(&launch.grid))
}

/// What a verdict holds for: the launch, and what else limits it.
pub(super) fn scope(kernel: &KernelReport) -> String {
    std::iter::once(launch(&kernel.launch)).chain(kernel.limits.iter().cloned()).collect::<Vec<_>>().join(", ")
}

/// Why a finding has its class.
pub(super) fn class_reason(finding: &Finding) -> String {
    match finding.class {
        FindingClass::Confirmed => match &finding.replay {
            Some(Replay::Kernel(ran)) => {
                let who = match ran {
                    Ran::Threads => "the two threads were",
                    Ran::Blocks if finding.accesses.windows(2).all(|two| two[0].block == two[1].block) => {
                        "their block was"
                    }
                    Ran::Blocks => "their blocks were",
                    Ran::Grid => "the grid was",
                };
                format!("confirmed: {who} run with these values")
            }
            Some(Replay::Protocol(why)) => {
                format!(
                    "confirmed: replayed on the protocol with these values; the code was not run up to there: {why}"
                )
            }
            None => "confirmed: replayed with these values".to_owned(),
        },
        FindingClass::Possible | FindingClass::PossibleSameValue => {
            format!("possible: {}", finding.reason.as_deref().unwrap_or("it was not replayed"))
        }
        FindingClass::SameValue => "same-value: both threads store the same value".to_owned(),
    }
}

/// `path:line:column`, leaving out what is not known.
pub(super) fn place(at: &Location) -> String {
    match (at.line, at.column) {
        (0, _) => at.path.clone(),
        (line, 0) => format!("{}:{line}", at.path),
        (line, column) => format!("{}:{line}:{column}", at.path),
    }
}

/// `1 kernel`, `2 kernels`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What the findings of a kernel come to: `1 confirmed race, 2 possible divergences`.
pub(super) fn finding_counts(kernel: &KernelReport) -> Vec<String> {
    let mut parts = Vec::new();
    let classes = [
        (FindingClass::Confirmed, "confirmed"),
        (FindingClass::Possible, "possible"),
        (FindingClass::SameValue, "same-value"),
        (FindingClass::PossibleSameValue, "possible same-value"),
    ];
    for (class, word) in classes {
        for kind_ in [FindingKind::Race, FindingKind::Divergence] {
            let count = kernel.findings.iter().filter(|f| f.class == class && f.kind == kind_).count();
            if count > 0 {
                parts.push(plural(count, &format!("{word} {}", kind(kind_))));
            }
        }
    }
    parts
}

/// How many kernels have each verdict, and how many files could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub kernels: usize,
    pub race_free: usize,
    pub same_value: usize,
    pub racy: usize,
    pub inconclusive: usize,
    pub no_accesses: usize,
    pub vacuous: usize,
    pub rejected: usize,
    pub files: usize,
    pub failed_files: usize,
}

impl Counts {
    pub fn of(report: &Report) -> Counts {
        let count = |v| report.kernels.iter().filter(|k| k.verdict == v).count();
        Counts {
            kernels: report.kernels.len(),
            race_free: count(Verdict::RaceFree),
            same_value: count(Verdict::SameValue),
            racy: count(Verdict::Racy),
            inconclusive: count(Verdict::Inconclusive),
            no_accesses: count(Verdict::NoAccesses),
            vacuous: count(Verdict::Vacuous),
            rejected: count(Verdict::Rejected),
            files: report.files.len(),
            failed_files: report.files.iter().filter(|f| f.status == FileStatus::Failed).count(),
        }
    }

    /// `3 kernels: 2 race-free, 1 racy; 1 of 2 files failed`.
    pub fn sentence(&self) -> String {
        let mut text = plural(self.kernels, "kernel");
        if self.kernels == 0 {
            text = "no kernels".to_owned();
        }
        let verdicts = [
            (self.race_free, Verdict::RaceFree),
            (self.same_value, Verdict::SameValue),
            (self.racy, Verdict::Racy),
            (self.inconclusive, Verdict::Inconclusive),
            (self.no_accesses, Verdict::NoAccesses),
            (self.vacuous, Verdict::Vacuous),
            (self.rejected, Verdict::Rejected),
        ];
        let parts: Vec<String> =
            verdicts.iter().filter(|(n, _)| *n > 0).map(|(n, v)| format!("{n} {}", verdict(*v))).collect();
        if !parts.is_empty() {
            text.push_str(&format!(": {}", parts.join(", ")));
        }
        if self.failed_files > 0 {
            text.push_str(&format!("; {} of {} failed", self.failed_files, plural(self.files, "file")));
        }
        text
    }
}
