//! The kernels of `language.tsv` (CUDA) and `language-cl.tsv` (OpenCL C): whatever construct of the language stands in them, what they touch must not be lost.
//!
//! That a racy kernel is called anything else than racy or inconclusive is the worst defect that this tool can have.

use std::path::PathBuf;

use faial_like::check::kernel::CheckOptions;
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{FindingClass, KernelReport, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

const HEADER: &str = "//pass\n//--blockDim=64 --gridDim=1\n";

fn main() {
    let mut trials = table(include_str!("language.tsv"), "cu");
    trials.extend(table(include_str!("language-cl.tsv"), "cl"));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test for each line of a table; the files have names that end so.
fn table(lines: &str, ending: &'static str) -> Vec<Trial> {
    let kernels = lines.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let trials = kernels.map(|(at, line)| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_else(|| panic!("line {} has not three columns", at + 1));
        let (name, verdict, text) = (part(), part(), part().replace("\\n", "\n"));
        let label = if ending == "cu" { name.clone() } else { format!("{ending}-{name}") };
        Trial::test(label, move || kernel(&name, ending, &verdict, &text))
    });
    trials.collect()
}

fn kernel(name: &str, ending: &str, wanted: &str, text: &str) -> Result<(), Failed> {
    if name.ends_with("-safe") != (wanted == "race-free") {
        return Err(format!("`{wanted}` is no verdict for a kernel of that name").into());
    }
    let header = if text.starts_with("//") { "" } else { HEADER };
    let file = (PathBuf::from(format!("{name}.{ending}")), format!("{header}{text}\n"));
    // A stride that may be anything shows what is known of it.
    let (any_stride, any_offsets) = (!name.contains("rows-"), !name.contains("offsets-"));
    let negative_sizes = name.contains("below-zero");
    let check = CheckOptions { any_stride, any_offsets, negative_sizes, ..CheckOptions::default() };
    let report = check_files(&[file], &Settings { jobs: 1, check, ..Settings::default() }, &solver_settings());
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
        // That it races is the better answer.
        Some("racy") if wanted == "inconclusive" => Ok(()),
        got => Err(format!("expected {wanted}, got {got:?} of {verdicts:?}\n{text}").into()),
    }
}
