//! Exit codes, and which one a report earns.

use std::process::ExitCode;

use crate::report::Report;
use crate::report::finding::{FileStatus, FindingClass, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was proved.
    Proved,
    /// At least one confirmed race or divergence, or something that was denied.
    Racy,
    /// Wrong usage, or a file or the solver failed.
    Failed,
    /// Nothing worse than inconclusive.
    Inconclusive,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Proved => 0,
            Exit::Racy => 1,
            Exit::Failed => 2,
            Exit::Inconclusive => 3,
        }
    }
}

/// What the worst part of the report comes to. In this order:
///
/// 1. a confirmed finding, or a denied same-value race, is there whatever else failed: `Racy`;
/// 2. a file that could not be read, or a solver that is missing or failed, can be mended, and then the rest of the
///    answer may change: `Failed`;
/// 3. a kernel that is inconclusive, rejected or vacuous, no kernel at all, or a file of which a part was not understood,
///    is not a proof: `Inconclusive`;
/// 4. else every kernel is race-free, has no accesses, or only same-value races: `Proved`.
pub fn exit_of(report: &Report, deny_same_value: bool) -> Exit {
    let findings = || report.kernels.iter().flat_map(|k| &k.findings);
    let verdict = |v: Verdict| report.kernels.iter().any(|k| k.verdict == v);
    let same_value = || verdict(Verdict::SameValue) || findings().any(|f| f.class == FindingClass::SameValue);
    if verdict(Verdict::Racy)
        || findings().any(|f| f.class == FindingClass::Confirmed)
        || (deny_same_value && same_value())
    {
        return Exit::Racy;
    }
    let failure = |code: &str| matches!(code, "solver-missing" | "solver-failed");
    let mut reasons = report.kernels.iter().flat_map(|k| &k.reasons).chain(&report.messages);
    if report.files.iter().any(|f| f.status == FileStatus::Failed) || reasons.any(|r| failure(r.code)) {
        return Exit::Failed;
    }
    let proved = |v| match v {
        Verdict::RaceFree | Verdict::SameValue | Verdict::NoAccesses => true,
        Verdict::Racy | Verdict::Inconclusive | Verdict::Vacuous | Verdict::Rejected => false,
    };
    if report.kernels.is_empty()
        || !report.kernels.iter().all(|k| proved(k.verdict))
        || findings().any(|f| f.class == FindingClass::Possible)
        || report.files.iter().any(|f| f.status == FileStatus::Partial)
    {
        return Exit::Inconclusive;
    }
    Exit::Proved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::finding::*;

    fn kernel(verdict: Verdict) -> KernelReport {
        KernelReport {
            name: "k".to_owned(),
            path: "k.cu".to_owned(),
            line: 1,
            verdict,
            reasons: vec![],
            launch: Launch { block: [None; 3], grid: [None; 3], from: LaunchSource::Symbolic, open: [[false; 3]; 2] },
            limits: vec![],
            assumptions: vec![],
            findings: vec![],
            time_ms: 0.0,
            queries: 0,
            presolved: Default::default(),
        }
    }

    fn finding(class: FindingClass) -> Finding {
        Finding {
            id: "f".to_owned(),
            kind: FindingKind::Race,
            class,
            array: "a".to_owned(),
            level: Level::Block,
            accesses: vec![],
            witness: Witness {
                params: Default::default(),
                block_dim: [1; 3],
                grid_dim: [1; 3],
                values: Default::default(),
            },
            replay: None,
            reason: None,
            help: None,
        }
    }

    fn report(verdicts: &[Verdict]) -> Report {
        Report { kernels: verdicts.iter().map(|v| kernel(*v)).collect(), ..Report::default() }
    }

    fn failed_file() -> FileReport {
        FileReport { path: "x.cu".to_owned(), text: String::new(), status: FileStatus::Failed, messages: vec![] }
    }

    fn message(code: &'static str) -> Message {
        Message { code, text: String::new(), at: None, help: None }
    }

    #[test]
    fn each_verdict_alone() {
        let cases = [
            (Verdict::RaceFree, Exit::Proved),
            (Verdict::SameValue, Exit::Proved),
            (Verdict::NoAccesses, Exit::Proved),
            (Verdict::Racy, Exit::Racy),
            (Verdict::Inconclusive, Exit::Inconclusive),
            (Verdict::Vacuous, Exit::Inconclusive),
            (Verdict::Rejected, Exit::Inconclusive),
        ];
        for (verdict, exit) in cases {
            assert_eq!(exit_of(&report(&[verdict, Verdict::RaceFree]), false), exit, "{verdict:?}");
        }
    }

    #[test]
    fn nothing_checked_is_nothing_proved() {
        assert_eq!(exit_of(&Report::default(), false), Exit::Inconclusive);
    }

    #[test]
    fn a_confirmed_race_wins_over_failures_and_those_over_inconclusive() {
        let mut all = report(&[Verdict::Inconclusive, Verdict::RaceFree]);
        assert_eq!(exit_of(&all, true), Exit::Inconclusive);
        all.files.push(failed_file());
        assert_eq!(exit_of(&all, true), Exit::Failed);
        all.kernels[0].findings.push(finding(FindingClass::Possible));
        assert_eq!(exit_of(&all, true), Exit::Failed);
        all.kernels[0].findings.push(finding(FindingClass::Confirmed));
        assert_eq!(exit_of(&all, false), Exit::Racy);
    }

    #[test]
    fn a_solver_that_is_missing_is_a_failure_and_one_that_gives_up_is_not() {
        for (code, exit) in
            [("solver-missing", Exit::Failed), ("solver-failed", Exit::Failed), ("solver-unknown", Exit::Inconclusive)]
        {
            let mut report = report(&[Verdict::Inconclusive]);
            report.kernels[0].reasons.push(message(code));
            assert_eq!(exit_of(&report, false), exit, "{code}");
        }
        let messages = vec![message("solver-missing")];
        assert_eq!(exit_of(&Report { messages, ..report(&[Verdict::RaceFree]) }, false), Exit::Failed);
    }

    #[test]
    fn same_value_races_count_when_denied() {
        let mut report = report(&[Verdict::SameValue]);
        report.kernels[0].findings.push(finding(FindingClass::SameValue));
        assert_eq!(exit_of(&report, false), Exit::Proved);
        assert_eq!(exit_of(&report, true), Exit::Racy);
    }

    #[test]
    fn what_was_not_understood_is_not_proved() {
        let mut report = report(&[Verdict::RaceFree]);
        report.files.push(FileReport { status: FileStatus::Partial, ..failed_file() });
        assert_eq!(exit_of(&report, false), Exit::Inconclusive);
    }

    /// A verdict is never rounded up by its findings, nor the other way round.
    #[test]
    fn a_possible_finding_is_never_a_proof() {
        let mut report = report(&[Verdict::RaceFree]);
        report.kernels[0].findings.push(finding(FindingClass::Possible));
        assert_eq!(exit_of(&report, false), Exit::Inconclusive);
    }

    #[test]
    fn the_codes_are_those_of_the_contract() {
        let codes = [Exit::Proved, Exit::Racy, Exit::Failed, Exit::Inconclusive].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
