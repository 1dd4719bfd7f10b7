//! Every kernel of the corpus, against the truth in `corpus/manifest.toml`.
//!
//! One test a kernel: `cargo test --test corpus -- ring` runs those whose names contain `ring`. An entry may say
//! `today = "inconclusive"` where the honest answer today is not the truth; a definite answer that is wrong always fails,
//! and so does an entry whose `today` is no longer needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use faial_like::check::schedule::{Settings, check_files, parallel, solver_settings};
use faial_like::check::source::{SourceOptions, load};
use faial_like::report::finding::{Finding, FindingClass, FindingKind, KernelReport, Level, Report, Verdict};
use faial_like::smt::{SolverConfig, locate};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    kernel: Vec<Entry>,
    bad: Vec<Bad>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "some fields are for people")]
struct Entry {
    path: String,
    name: String,
    origin: String,
    licence: String,
    expected: String,
    level: Option<String>,
    #[serde(default)]
    arrays: BTreeSet<String>,
    why: String,
    tags: Vec<String>,
    mutant_of: Option<String>,
    needs: String,
    /// What is answered today, when it is not what is expected.
    today: Option<String>,
    /// The code of a reason, or `possible` for a finding that is not confirmed.
    because: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "some fields are for people")]
struct Bad {
    path: String,
    /// Of the file: ok, partial or failed.
    status: String,
    /// Of a message or of a reason; empty when there must be none.
    code: String,
    why: String,
    /// `name: verdict; name: verdict`.
    kernels: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn main() {
    let arguments = Arguments::from_args();
    let text = std::fs::read_to_string(root().join("corpus/manifest.toml")).expect("the manifest can be read");
    let manifest: Manifest = toml::from_str(&text).expect("the manifest has the fields that it should have");
    let mut trials = vec![Trial::test("manifest names what is on the disk", {
        let named: Vec<(String, String)> = manifest.kernel.iter().map(|e| (e.path.clone(), e.name.clone())).collect();
        let bad = manifest.bad.iter().map(|b| b.path.clone()).collect();
        move || complete(&named, &bad)
    })];
    for entry in manifest.kernel {
        let name = format!("{} {}", entry.path, entry.name);
        trials.push(Trial::test(name, move || kernel(&entry)));
    }
    for bad in manifest.bad {
        trials.push(Trial::test(bad.path.clone(), move || malformed(&bad)));
    }
    let solver = locate(None);
    if let Err(error) = &solver
        && !arguments.list
    {
        eprintln!("the corpus needs a solver: {error}\nor run the tests as `sh .ci/setup cargo test`");
        std::process::exit(101);
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn files(folder: &Path, all: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cuh" || e == "cl") {
            all.insert(path);
        }
    }
}

/// Every kernel on the disk is in the manifest, and the other way round.
fn complete(named: &[(String, String)], bad: &BTreeSet<String>) -> Result<(), Failed> {
    let mut on_disk = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut paths = BTreeSet::new();
    files(&root().join("corpus"), &mut paths);
    for path in paths {
        let short = path.strip_prefix(root().join("corpus"))?.display().to_string();
        if short.starts_with("bad/") {
            if !bad.contains(&short) {
                wrong.push(format!("{short} is not in the manifest"));
            }
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        // Deep terms are walked by recursion: not on the small stack of a test.
        let load = |(): &mut (), text: &String| load(&path, text.clone(), &SourceOptions::default()).kernels;
        let names = parallel(&[text], 1, || (), |s, t| load(s, t).into_iter().map(|k| k.name).collect(), |_, _| vec![]);
        on_disk.extend(names.into_iter().flatten().map(|name| (short.clone(), plain(&name))));
    }
    let named_once: BTreeSet<_> = named.iter().cloned().collect();
    if named_once.len() < named.len() {
        wrong.push("an entry stands twice in the manifest".to_owned());
    }
    wrong.extend(on_disk.difference(&named_once).map(|(path, name)| format!("{path} {name} is not in the manifest")));
    wrong.extend(named_once.difference(&on_disk).map(|(path, name)| format!("{path} {name} is not on the disk")));
    wrong.extend(bad.iter().filter(|b| !root().join("corpus").join(b).is_file()).map(|b| format!("{b} is not there")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The name without template arguments.
fn plain(name: &str) -> String {
    name.split('<').next().unwrap_or("").to_owned()
}

fn run(path: &str, kernel: Option<&str>) -> Result<Report, Failed> {
    let path = root().join("corpus").join(path);
    let text = String::from_utf8(std::fs::read(&path)?).map_err(|_| "not UTF-8")?;
    let settings =
        Settings { jobs: 1, kernels: kernel.into_iter().map(str::to_owned).collect(), ..Settings::default() };
    let solver = SolverConfig { timeout: Duration::from_secs(60), ..solver_settings() };
    Ok(check_files(&[(path, text)], &settings, &solver))
}

fn findings(report: &KernelReport, class: FindingClass) -> Vec<&Finding> {
    report.findings.iter().filter(|f| f.class == class).collect()
}

fn verdict(report: &KernelReport) -> &'static str {
    match report.verdict {
        Verdict::RaceFree => "race-free",
        Verdict::SameValue => "same-value",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NoAccesses => "no-accesses",
        Verdict::Vacuous => "vacuous",
        Verdict::Rejected => "rejected",
        Verdict::Racy => {
            let kinds: BTreeSet<bool> =
                findings(report, FindingClass::Confirmed).iter().map(|f| f.kind == FindingKind::Race).collect();
            match (kinds.contains(&true), kinds.contains(&false)) {
                (true, false) => "racy",
                (false, true) => "divergent",
                (true, true) => "racy and divergent",
                (false, false) => "racy without a confirmed finding",
            }
        }
    }
}

fn kernel(entry: &Entry) -> Result<(), Failed> {
    let report = run(&entry.path, Some(&entry.name))?;
    let again = format!("cargo run -- check -v corpus/{} --kernel {}", entry.path, entry.name);
    let fail = |text: String| -> Result<(), Failed> { Err(format!("{text}\n  {again}").into()) };
    let [kernel] = report.kernels.as_slice() else {
        return fail(format!("{} kernels are found, and not one", report.kernels.len()));
    };
    let got = verdict(kernel);
    let why: Vec<String> = kernel
        .reasons
        .iter()
        .map(|r| format!("[{}] {}", r.code, r.text))
        .chain(kernel.findings.iter().filter_map(|f| f.reason.clone()))
        .collect();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
    match &entry.today {
        Some(today) if *today == entry.expected => return fail("`today` says what `expected` says: remove it".into()),
        // A fast machine may answer what a slow one gives up on.
        Some(_) if got == entry.expected && entry.because.as_deref() == Some("solver-unknown") => {}
        Some(_) if got == entry.expected => return fail(format!("{got} is right now: remove `today`")),
        Some(today) if got == today => {
            let possible = kernel.findings.iter().any(|f| !f.class.is_certain()).then_some("possible");
            let because: BTreeSet<&str> = kernel.reasons.iter().map(|r| r.code).chain(possible).collect();
            return match &entry.because {
                // What a query comes to that ran out of time depends on the time.
                Some(code) if because.contains(code.as_str()) || code == "solver-unknown" => Ok(()),
                code => fail(format!("expected `because` to be one of {because:?}, and it is {code:?}")),
            };
        }
        Some(today) => return fail(format!("expected {}, today {today}, got {got}{why}", entry.expected)),
        None if got != entry.expected => return fail(format!("expected {}, got {got}{why}", entry.expected)),
        None => {}
    }
    let class = match got {
        "racy" => FindingClass::Confirmed,
        "same-value" => FindingClass::SameValue,
        _ => return Ok(()),
    };
    let found = findings(kernel, class);
    let arrays: BTreeSet<String> = found.iter().map(|f| f.array.clone()).collect();
    if arrays != entry.arrays {
        return fail(format!("expected races on {:?}, got {arrays:?}", entry.arrays));
    }
    let level = found.iter().map(|f| f.level).min().map(|level| match level {
        Level::Warp => "warp",
        Level::Block => "block",
        Level::Cluster => "cluster",
        Level::Grid => "grid",
    });
    if level != entry.level.as_deref() {
        return fail(format!("expected the level {:?}, got {level:?}", entry.level));
    }
    Ok(())
}

fn malformed(bad: &Bad) -> Result<(), Failed> {
    let path = root().join("corpus").join(&bad.path);
    let again = format!("cargo run -- check -v corpus/{}", bad.path);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_faial-like"))
        .args(["check", "--no-cache", "--format", "json"])
        .arg(&path)
        .output()?;
    let fail = |text: String| -> Result<(), Failed> { Err(format!("{text}\n  {again}").into()) };
    let json: serde_json::Value = match serde_json::from_slice(&output.stdout) {
        Ok(json) => json,
        Err(_) => return fail(format!("no report: {}", String::from_utf8_lossy(&output.stderr))),
    };
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
    let Some(file) = list(&json["files"]).into_iter().find(|f| Path::new(&text(&f["path"])) == path) else {
        return fail("the report does not name the file".to_owned());
    };
    if text(&file["status"]) != bad.status {
        return fail(format!("expected the status {}, got {}", bad.status, text(&file["status"])));
    }
    let kernels = list(&json["kernels"]);
    let messages = list(&file["messages"]).into_iter().chain(list(&json["messages"]));
    let codes: BTreeSet<String> =
        messages.chain(kernels.iter().flat_map(|k| list(&k["reasons"]))).map(|m| text(&m["code"])).collect();
    if (bad.code.is_empty() && !codes.is_empty()) || (!bad.code.is_empty() && !codes.contains(&bad.code)) {
        return fail(format!("expected the code `{}`, got {codes:?}", bad.code));
    }
    let got: BTreeMap<String, String> = kernels.iter().map(|k| (text(&k["name"]), text(&k["verdict"]))).collect();
    let wanted: BTreeMap<String, String> = bad
        .kernels
        .split(';')
        .filter_map(|part| part.split_once(':'))
        .map(|(name, verdict)| (name.trim().to_owned(), verdict.trim().to_owned()))
        .collect();
    if got != wanted || kernels.len() != wanted.len() {
        return fail(format!("expected the kernels {wanted:?}, got {got:?} ({} in all)", kernels.len()));
    }
    // 101 is a panic, and nothing is a signal.
    if !matches!(output.status.code(), Some(0..=3)) {
        return fail(format!("it ended with {}", output.status));
    }
    Ok(())
}
