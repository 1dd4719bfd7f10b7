//! The hosts of `opencl_hosts.tsv`: what the host code around a kernel of OpenCL says of its launches, and what it does not.
//! [HOST-NDRANGE], [HOST-BUILD]
//!
//! Each case is a folder: the kernel `foo` of `k.cl`, and host code. A fact that does not hold at every launch misses a race.

use std::path::Path;

use faial_like::check::kernel::CheckOptions;
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let lines = include_str!("opencl_hosts.tsv").lines().filter(|line| !line.starts_with('#'));
    let trials = lines.map(|line| {
        let columns: Vec<String> = line.split('\t').map(|column| column.replace("\\n", "\n")).collect();
        Trial::test(columns[0].clone(), move || case(&columns))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::RaceFree => "race-free",
        Verdict::Racy => "racy",
        Verdict::Inconclusive => "inconclusive",
        _ => "other",
    }
}

/// A name, the verdict, the files that are checked, and then names of files and their texts.
fn case(columns: &[String]) -> Result<(), Failed> {
    let [_, wanted, checked, files @ ..] = columns else { return Err("fewer than three columns".into()) };
    let around = tempfile::tempdir()?;
    // The folder around it is searched as well.
    let folder = around.path().join("case");
    for pair in files.chunks(2) {
        let path = folder.join(&pair[0]);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        std::fs::write(path, &pair[1])?;
    }
    let paths = checked.split(',').map(|name| folder.join(name));
    let inputs: Vec<_> =
        paths.map(|path| Ok((path.clone(), std::fs::read_to_string(path)?))).collect::<Result<_, Failed>>()?;
    let check = CheckOptions { any_stride: true, ..CheckOptions::default() };
    let report = check_files(&inputs, &Settings { jobs: 1, check, ..Settings::default() }, &solver_settings());
    let kernels = report.kernels.iter().filter(|k| k.name == "foo");
    let got = kernels.map(|k| word(k.verdict)).collect::<Vec<_>>().join(",");
    if got != *wanted {
        return Err(format!("expected {wanted}, got {got}: {files:?}").into());
    }
    Ok(())
}
