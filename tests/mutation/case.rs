//! One mutant through everything, in a process of its own kind: what it costs, and what goes wrong.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faial_like::check::schedule::{Settings, check_files, parallel, solver_settings};
use faial_like::report::{Format, RenderOptions, Verbosity, render};
use faial_like::smt::SolverConfig;

/// What a case cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Processor time of this process, so that neither the solver nor other programs count.
    pub time: Duration,
    /// The most memory that the process held meanwhile, in kB.
    pub memory: u64,
}

/// Checks a file as the command line does, and renders all reports; the panic, if there is one.
fn check(path: &Path, text: &str, solver: &SolverConfig) -> Option<String> {
    let settings = Settings { jobs: 1, ..Settings::default() };
    let report = check_files(&[(path.to_owned(), text.to_owned())], &settings, solver);
    let messages = report.files.iter().flat_map(|f| &f.messages);
    let mut messages = messages.chain(report.kernels.iter().flat_map(|k| &k.reasons));
    if let Some(broken) = messages.find(|m| m.code == "internal-error") {
        return Some(broken.text.clone());
    }
    let verbose = RenderOptions { verbosity: Verbosity::Verbose, ..RenderOptions::default() };
    let formats = [Format::Text, Format::Json, Format::Sarif, Format::Html];
    let print = |(): &mut (), format: &Format| {
        render(&report, *format, &verbose);
        None
    };
    parallel(&formats, 1, || (), print, |_, why| Some(why)).into_iter().flatten().next()
}

/// The solver of a case: most have one that never knows, so that the time is spent on our side of it.
pub fn solver(case: u64) -> SolverConfig {
    let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers/z3-unknown.sh");
    let real = case.is_multiple_of(20);
    SolverConfig {
        solver: (!real).then_some(fake),
        timeout: Duration::from_millis(if real { 50 } else { 2000 }),
        recheck_timeout: Duration::from_millis(20),
        ..solver_settings()
    }
}

/// Runs a case; slow ones again, and the fastest run counts.
pub fn run(path: &Path, text: &str, solver: &SolverConfig, limit: Duration) -> (Cost, Option<String>) {
    let mut best = Cost { time: Duration::MAX, memory: 0 };
    for _ in 0..3 {
        forget_peak();
        let start = processor_time();
        let panic = check(path, text, solver);
        let time = processor_time().saturating_sub(start);
        best = Cost { time: best.time.min(time), memory: best.memory.max(peak_memory()) };
        if panic.is_some() || best.time <= limit {
            return (best, panic);
        }
    }
    (best, None)
}

fn processor_time() -> Duration {
    // The 14th and 15th field are ticks of 10 ms; the second one is in parentheses, and may hold blanks.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: Vec<u64> = rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    if ticks.len() == 2 {
        return Duration::from_millis(10 * (ticks[0] + ticks[1]));
    }
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// From now on, the peak is that of what comes; where the system cannot do that, it is the one since the start.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|p| p.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// A file that holds one mutant, for a process to run it alone.
pub fn read(file: &Path) -> Option<(PathBuf, String)> {
    let text = std::fs::read_to_string(file).ok()?;
    let (path, text) = text.split_once('\n')?;
    Some((PathBuf::from(path), text.to_owned()))
}
