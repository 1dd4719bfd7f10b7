//! The kernels of `language.tsv`: whatever construct of the language stands in them, what they touch must not be lost.
//!
//! That a racy kernel is called anything else than racy or inconclusive is the worst defect that this tool can have.

use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{FindingClass, KernelReport, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

const HEADER: &str = "//pass\n//--blockDim=64 --gridDim=1\n";

fn main() {
    let trials = include_str!("language.tsv")
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
        .map(|(at, line)| {
            let mut parts = line.splitn(3, '\t').map(str::to_owned);
            let mut part = || parts.next().unwrap_or_else(|| panic!("line {} has not three columns", at + 1));
            let (name, verdict, text) = (part(), part(), part().replace("\\n", "\n"));
            Trial::test(name.clone(), move || kernel(&name, &verdict, &text))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn kernel(name: &str, wanted: &str, text: &str) -> Result<(), Failed> {
    if name.ends_with("-safe") != (wanted == "race-free") {
        return Err(format!("`{wanted}` is no verdict for a kernel of that name").into());
    }
    let file = (PathBuf::from(format!("{name}.cu")), format!("{HEADER}{text}\n"));
    let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
    let got = |k: &KernelReport| match k.verdict {
        Verdict::RaceFree | Verdict::SameValue | Verdict::NoAccesses | Verdict::Vacuous => "race-free",
        Verdict::Racy if k.findings.iter().any(|f| f.class == FindingClass::Confirmed) => "racy",
        Verdict::Racy => "racy without a confirmed finding",
        Verdict::Inconclusive | Verdict::Rejected => "inconclusive",
    };
    let verdicts: Vec<&str> = report.kernels.iter().map(got).collect();
    // One instance of a template that races is enough.
    let worst = ["racy", "inconclusive", "racy without a confirmed finding", "race-free"];
    match worst.into_iter().find(|v| verdicts.contains(v)) {
        Some(got) if got == wanted => Ok(()),
        got => Err(format!("expected {wanted}, got {got:?} of {verdicts:?}\n{text}").into()),
    }
}
