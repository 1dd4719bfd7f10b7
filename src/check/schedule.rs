//! Files and kernels over the cores: every kernel has its own solver, and results come out in a stable order.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::ahead::{ask_ahead, helped};
use super::fragments::{beside, checked, link};
use super::kernel::{CheckOptions, check_kernel};
use super::launch::{GivenDims, asked, launch};
use super::opencl;
use super::source::{SourceFile, SourceOptions, load};
use crate::base::text::text_of;
use crate::exp::syntax::clear_term_tables;
use crate::report::finding::{
    FileReport, FileStatus, IncludedFile, KernelReport, Launch, LaunchSource, Message, Report, Verdict,
};
use crate::smt::{Session, SolverConfig};

/// Deep terms are walked by recursion; the memory is only taken when it is used.
pub(super) const STACK: usize = 512 << 20;

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub source: SourceOptions,
    pub check: CheckOptions,
    pub block: GivenDims,
    pub grid: GivenDims,
    /// Names of kernels to check; empty for all.
    pub kernels: Vec<String>,
    pub jobs: usize,
    /// When the run ends; see [RUN-SHARE].
    pub deadline: Option<Instant>,
}

/// How the solver is used unless options say otherwise.
pub fn solver_settings() -> SolverConfig {
    SolverConfig {
        // Unsigned arithmetic may wrap: what rests on that it does not is asked again, as long as it is cheap.
        recheck_overflow: true,
        wrapping_solutions: true,
        recheck_timeout: Duration::from_millis(500),
        ..SolverConfig::default()
    }
}

/// Runs a job for each item on `jobs` threads with large stacks; results keep the order of the items. A job that
/// panics, which is a bug of ours, gives what `broken` says.
pub fn parallel<T: Sync, S, R: Send>(
    items: &[T],
    jobs: usize,
    start: impl Fn() -> S + Sync,
    run: impl Fn(&mut S, &T) -> R + Sync,
    broken: impl Fn(&T, String) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let worker = || {
        let mut state = start();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { break };
            let job = std::panic::AssertUnwindSafe(|| run(&mut state, item));
            let result = match std::panic::catch_unwind(job) {
                Ok(result) => result,
                Err(payload) => {
                    state = start();
                    let text = payload.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                    broken(item, text.unwrap_or_else(|| "internal error".to_owned()))
                }
            };
            if let Ok(mut all) = results.lock() {
                all.push((i, result));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            if spawned.is_err() {
                // No room for another thread: those that run do the work.
                break;
            }
        }
    });
    let mut all = results.into_inner().unwrap_or_default();
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, r)| r).collect()
}

/// The given files, and then those beside them that say something of their kernels, with the launches of all.
pub(super) fn read_files(inputs: &[(PathBuf, String)], settings: &Settings) -> Vec<SourceFile> {
    let read = |inputs: &[(PathBuf, String)]| {
        let load = |(): &mut (), (path, text): &(PathBuf, String)| load(path, text.clone(), &settings.source);
        parallel(inputs, settings.jobs, || (), load, |(path, _), text| broken_file(path, text))
    };
    let mut files = read(inputs);
    if !settings.check.ignore_host {
        let mut beside = beside(&files);
        let text = |path: PathBuf| Some((path.clone(), text_of(std::fs::read(path).ok()?)));
        let more: Vec<(PathBuf, String)> = std::mem::take(&mut beside.files).into_iter().filter_map(text).collect();
        files.extend(read(&more));
        beside.unsettled = opencl::build(&mut files, inputs, &settings.source);
        link(&mut files, &beside);
    }
    files
}

/// Checks all kernels of files that were read already.
pub fn check_files(inputs: &[(PathBuf, String)], settings: &Settings, solver: &SolverConfig) -> Report {
    let started = Instant::now();
    let mut files = read_files(inputs, settings);
    let mut tasks = if settings.check.ignore_host {
        files.iter().enumerate().flat_map(|(f, file)| (0..file.kernels.len()).map(move |k| (f, k))).collect()
    } else {
        checked(&mut files, inputs.len())
    };
    tasks.retain(|(f, k): &(usize, usize)| {
        let kernel: &str = &files[*f].kernels[*k].name;
        let base = kernel.split('<').next().unwrap_or("");
        settings.kernels.is_empty() || settings.kernels.iter().any(|n| *n == kernel || n == base)
    });
    let kernels = check_kernels(&files, &tasks, settings, solver);
    let mut included: Vec<IncludedFile> = Vec::new();
    let pointed: std::collections::BTreeSet<String> = kernels
        .iter()
        .flat_map(|k| {
            let findings =
                k.findings.iter().flat_map(|f| &f.accesses).flat_map(|a| std::iter::once(&a.at).chain(&a.calls));
            findings.chain(k.reasons.iter().filter_map(|r| r.at.as_ref())).map(|l| l.path.clone()).collect::<Vec<_>>()
        })
        .collect();
    for file in &files {
        for (path, text) in file.sources.all() {
            let path = path.display().to_string();
            let known =
                inputs.iter().any(|(p, _)| p.display().to_string() == path) || included.iter().any(|i| i.path == path);
            if pointed.contains(&path) && !known {
                included.push(IncludedFile { path, text: text.to_owned() });
            }
        }
    }
    Report {
        files: files.into_iter().take(inputs.len()).map(|f| f.report).collect(),
        kernels,
        messages: Vec::new(),
        included,
        time_ms: started.elapsed().as_secs_f64() * 1000.0,
    }
}

/// [RUN-SHARE] Checks kernels until the end of the run. Each may take its share of the time that is left; what some do
/// not need is shared among those to which their share was not enough, as long as it is more than they had.
fn check_kernels(
    files: &[SourceFile],
    tasks: &[(usize, usize)],
    settings: &Settings,
    solver: &SolverConfig,
) -> Vec<KernelReport> {
    let left = || settings.deadline.map(|end| end.saturating_duration_since(Instant::now()));
    let mut reports: Vec<Option<KernelReport>> = tasks.iter().map(|_| None).collect();
    let mut open: Vec<(usize, Duration)> = (0..tasks.len()).map(|task| (task, Duration::ZERO)).collect();
    while !open.is_empty() {
        let begun = AtomicUsize::new(0);
        let checked = parallel(
            &open,
            settings.jobs,
            || (),
            |(), (task, _)| {
                let waiting = open.len() - begun.fetch_add(1, Ordering::Relaxed);
                let share = left().map(|time| share(time, settings.jobs, waiting));
                let end = share.map(|share| Instant::now() + share);
                let solver = SolverConfig { deadline: end, ..solver.clone() };
                let check = || check_one(files, tasks[*task], settings, &solver);
                // Where there are more processors than kernels, and nothing else is made of each question.
                let idle = settings.jobs > open.len() && solver.cache.is_some();
                let mut report = if idle && solver.keep_dir.is_none() && solver.second.is_none() {
                    helped(|stop| ahead_of_one(files, tasks[*task], settings, &solver, stop), check)
                } else {
                    check()
                };
                let cut = report.verdict == Verdict::Inconclusive && end.is_some_and(|end| Instant::now() >= end);
                if cut && report.reasons.iter().all(|reason| reason.code != "run-timeout") {
                    let text = "its share of the time for the run was over".to_owned();
                    report.reasons.push(Message { code: "run-timeout", text, at: None, help: None });
                }
                (report, share.filter(|_| cut))
            },
            |(task, _), text| {
                let (f, k) = tasks[*task];
                let from = LaunchSource::Symbolic;
                let launch = Launch { block: [None; 3], grid: [None; 3], from, open: [[false; 3]; 2] };
                (gave_up(&files[f], k, launch, "internal-error", &text), None)
            },
        );
        let mut cut = Vec::new();
        for ((task, _), (report, had)) in open.iter().zip(checked) {
            // A share that is over at once does not replace what was found out the first time.
            if had != Some(Duration::ZERO) || reports[*task].is_none() {
                reports[*task] = Some(report);
            }
            cut.extend(had.map(|had| (*task, had)));
        }
        let next = left().map_or(Duration::ZERO, |time| share(time, settings.jobs, cut.len()));
        cut.retain(|(_, had)| next > *had);
        open = cut;
    }
    reports.into_iter().flatten().collect()
}

/// The time for one of so many kernels, on so many processors.
fn share(time: Duration, jobs: usize, kernels: usize) -> Duration {
    let rounds = kernels.max(1) as f64 / jobs.clamp(1, kernels.max(1)) as f64;
    time.div_f64(rounds)
}

fn check_one(files: &[SourceFile], (f, k): (usize, usize), settings: &Settings, solver: &SolverConfig) -> KernelReport {
    let file = &files[f];
    let kernel = &file.kernels[k];
    let (launch, notes) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
    if solver.deadline.is_some_and(|end| Instant::now() >= end) {
        let text = "the time for the run was over before this kernel was begun";
        return gave_up(file, k, launch, "run-timeout", text);
    }
    if let Some(what) = solver.second.as_ref().and_then(|second| second.disagreement()) {
        return gave_up(file, k, launch, "solver-failed", &what);
    }
    // A solver of its own for each kernel: its answers must not depend on what a worker asked before. With a folder to
    // keep them in, the same goes for the numbers of the questions.
    let folder = solver.keep_dir.as_ref();
    let keep_dir = folder.map(|d| d.join(format!("{f:03}-{k:02}-{}", file_name(&kernel.name))));
    let mut session = Session::new(SolverConfig { keep_dir, ..solver.clone() });
    let options = asked(&file.header, &settings.check);
    let report = check_kernel(kernel, &file.sources, &launch, &notes, &options, &mut session);
    clear_term_tables();
    report
}

/// [RUN-AHEAD]
fn ahead_of_one(
    files: &[SourceFile],
    (f, k): (usize, usize),
    settings: &Settings,
    solver: &SolverConfig,
    stop: Arc<AtomicBool>,
) {
    let (file, kernel) = (&files[f], &files[f].kernels[k]);
    let (launch, _) = launch(settings.block, settings.grid, &file.header, kernel, settings.check.ignore_host);
    let mut session = Session::new(SolverConfig { stop: Some(stop), ..solver.clone() });
    ask_ahead(kernel, &file.sources, &launch, &asked(&file.header, &settings.check), &mut session);
}

/// A name that is fit for a file.
pub fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

fn gave_up(file: &SourceFile, kernel: usize, launch: Launch, code: &'static str, text: &str) -> KernelReport {
    let at = super::source::location(&file.sources, file.kernels[kernel].span);
    KernelReport {
        name: file.kernels[kernel].name.clone(),
        path: at.path,
        line: at.line,
        verdict: Verdict::Inconclusive,
        reasons: vec![Message { code, text: text.to_owned(), at: None, help: None }],
        launch,
        limits: Vec::new(),
        assumptions: Vec::new(),
        findings: Vec::new(),
        time_ms: 0.0,
        queries: 0,
        presolved: Default::default(),
    }
}

fn broken_file(path: &Path, text: String) -> SourceFile {
    let message = Message { code: "internal-error", text, at: None, help: None };
    SourceFile {
        sources: crate::base::SourceMap::default(),
        header: crate::frontend::header::Header::default(),
        kernels: Vec::new(),
        foreign: Default::default(),
        opencl: None,
        report: FileReport {
            path: path.display().to_string(),
            text: String::new(),
            status: FileStatus::Failed,
            messages: vec![message],
        },
    }
}
