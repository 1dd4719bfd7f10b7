//! `--path paper`: aligning and splitting, end to end, give the verdicts of the default path wherever the restrictions of
//! the paper hold, and say so where they do not.

use std::path::{Path, PathBuf};

use faial_like::check::pipeline::PhasePath;
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{KernelReport, Report, Verdict};
use faial_like::smt::locate;

fn files(folder: &Path, extension: &str, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, all);
        } else if path.extension().is_some_and(|e| e == extension) {
            all.push(path);
        }
    }
}

fn check(inputs: &[(PathBuf, String)], path: PhasePath) -> Report {
    if let Err(error) = locate(None) {
        panic!("{error}\nor run the tests as `sh .ci/setup cargo test`");
    }
    let mut settings = Settings { jobs: 2, ..Settings::default() };
    settings.check.path = path;
    check_files(inputs, &settings, &solver_settings())
}

fn has(kernel: &KernelReport, code: &str) -> bool {
    kernel.reasons.iter().any(|r| r.code == code)
}

/// Compares the two paths; how many kernels both of them take, and how many of these have a race.
fn agree(inputs: &[(PathBuf, String)]) -> (usize, usize) {
    let [phases, paper] = [PhasePath::Phases, PhasePath::Paper].map(|path| check(inputs, path));
    assert_eq!(phases.kernels.len(), paper.kernels.len());
    let (mut taken, mut racy, mut wrong) = (0, 0, Vec::new());
    for (default, paper) in phases.kernels.iter().zip(&paper.kernels) {
        assert_eq!((&default.path, &default.name), (&paper.path, &paper.name));
        assert!(!has(default, "outside-paper"));
        let definite = |k: &KernelReport| matches!(k.verdict, Verdict::Racy | Verdict::RaceFree | Verdict::SameValue);
        if has(paper, "outside-paper") {
            // A confirmed race is one on any path.
            let honest = match paper.verdict {
                Verdict::Inconclusive => true,
                other => other == Verdict::Racy && default.verdict == Verdict::Racy,
            };
            if !honest {
                wrong.push(format!("{} {}: {:?} outside of the language", paper.path, paper.name, paper.verdict));
            }
            continue;
        }
        taken += 1;
        racy += usize::from(paper.verdict == Verdict::Racy);
        // What the solver gives up on depends on the question.
        let given_up = has(default, "solver-unknown") != has(paper, "solver-unknown");
        if default.verdict != paper.verdict && (!given_up || (definite(default) && definite(paper))) {
            let (a, b) = (default.verdict, paper.verdict);
            wrong.push(format!("{} {}: {a:?} by phases, {b:?} by the paper", paper.path, paper.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    (taken, racy)
}

fn read(paths: Vec<PathBuf>) -> Vec<(PathBuf, String)> {
    let texts = paths.into_iter().filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)));
    texts.collect()
}

#[test]
fn kernels_of_the_corpus_have_the_same_verdict() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["corpus/handmade", "corpus/papers"] {
        files(&root.join(folder), "cu", &mut paths);
    }
    paths.sort();
    // Without barriers both paths have the same single phase.
    let inputs: Vec<_> = read(paths).into_iter().filter(|(_, text)| text.contains("sync")).collect();
    let (taken, racy) = agree(&inputs);
    assert!(taken > 60 && racy > 15, "{taken} kernels are in the language of the paper, {racy} of them racy");
}

#[test]
fn protocols_of_the_file_tests_have_the_same_verdict() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files"), "map", &mut paths);
    paths.sort();
    let (taken, racy) = agree(&read(paths));
    assert!(taken > 5 && racy > 1, "{taken} protocols are in the language of the paper, {racy} of them racy");
}

fn nested(depth: usize) -> String {
    let open: String = (0..depth).map(|i| format!("for x{i} in 0..2 {{ wr a[t + x{i}] @{i}; ")).collect();
    let code = format!("{open} sync block @900; rd a[t + 2] @901; {}", "}".repeat(depth));
    format!("kernel k {{ array a: global unit 4; thread t in 0..4; code {{ {code} }} }}")
}

fn one(text: &str, path: PhasePath) -> KernelReport {
    let report = check(&[(PathBuf::from("k.map"), text.to_owned())], path);
    assert_eq!(report.kernels.len(), 1, "{:?}", report.files);
    report.kernels[0].clone()
}

#[test]
fn what_the_paper_does_not_take_is_inconclusive_and_says_why() {
    let kernel = |code: &str| {
        let header = "global n: i32; array a: global unit 4; thread t in 0..4;";
        format!("kernel k {{ {header} code {{ {code} }} }}")
    };
    let cases = [
        (kernel("if n == 0 { sync block @1; } wr a[t] @2;"), "[WF-IF]"),
        (kernel("for i in 1..8 by * 2 { wr a[t] @1; sync block @2; }"), "[WF-STEP]"),
        (kernel("wr a[t] @1; for i in 0..n { sync block @2; } rd a[t + 1] @3;"), "[WF-NONEMPTY]"),
        (nested(40), "[ALIGN-FOR]"),
    ];
    for (text, rule) in cases {
        let report = one(&text, PhasePath::Paper);
        assert_eq!(report.verdict, Verdict::Inconclusive, "{rule}: {:?}", report.reasons);
        let said = report.reasons.iter().any(|r| r.code == "outside-paper" && r.text.contains(rule));
        assert!(said, "{rule}: {:?}", report.reasons);
    }
    // The race is there only when the loop does not run: the path of the paper would miss it.
    let skipped = "wr a[t] @1; for i in 0..n { sync block @2; } rd a[t + 1] @3;";
    assert_eq!(one(&kernel(skipped), PhasePath::Phases).verdict, Verdict::Racy);
}

#[test]
fn loops_that_are_proved_to_run_are_taken() {
    let text = "kernel k { global n: i32; array a: global unit 4; thread t in 0..4; assume 0 < n;
        code { wr a[t] @1; for i in 0..n { for j in i..n { sync block @2; } } rd a[t + 1] @3; } }";
    for path in [PhasePath::Phases, PhasePath::Paper] {
        let report = one(text, path);
        assert_eq!(report.verdict, Verdict::RaceFree, "{path:?}: {:?}", report.reasons);
    }
    for depth in [1, 4] {
        let [phases, paper] = [PhasePath::Phases, PhasePath::Paper].map(|path| one(&nested(depth), path).verdict);
        assert_eq!((phases, paper), (Verdict::Racy, Verdict::Racy));
    }
}
