//! Where the time goes: each stage on kernels of the corpus, in one run, so that the ratios can be compared.
//!
//! `sh .ci/setup cargo bench --bench stages` prints a table; a word after `--` selects files by their path. A second table
//! has the speed of the front end on large generated sources, which `-- generated` selects alone; a third one, which
//! `-- presolve` selects alone, how many questions the pre-solvers answer, on the corpus and on generated families.

mod families;
mod generated;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faial_like::base::SourceMap;
use faial_like::check::kernel::{CheckOptions, check_kernel, protocol_of};
use faial_like::check::launch::launch;
use faial_like::check::pipeline::{PhasePath, Warps, at_levels};
use faial_like::check::schedule::{Settings, check_files, parallel, solver_settings};
use faial_like::check::source::load;
use faial_like::frontend::preprocess::{CUDA_PREDEFINED, DiskFiles, Options, preprocess};
use faial_like::report::finding::Verdict;
use faial_like::smt::Session;
use families::{Family, Form};

/// Each stage is run this often before the solver, and the fastest run counts.
const ROUNDS: u32 = 5;
const STAGES: [&str; 5] = ["preprocess", "parse, lower", "infer", "phases, formula", "solve"];

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut paths = Vec::new();
    files(&root.join("papers"), &mut paths);
    files(&root.join("handmade"), &mut paths);
    paths.sort();
    let short = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    if filter.iter().any(|f| f == "generated") {
        return front_end();
    }
    if filter.iter().any(|f| f == "presolve") {
        return presolved(&root);
    }
    paths.retain(|p| filter.iter().all(|f| short(p).contains(f.as_str())));
    // Deep terms are walked by recursion: the workers of the scheduler have the stack for it.
    let rows = parallel(
        &paths,
        1,
        || Session::new(solver_settings()),
        |session, path| measure(path, session),
        |path, why| panic!("{}: {why}", path.display()),
    );
    let mut sums = [Duration::ZERO; STAGES.len()];
    println!(
        "{:>12} {:>12} {:>12} {:>16} {:>12}  file, times in ms",
        STAGES[0], STAGES[1], STAGES[2], STAGES[3], STAGES[4]
    );
    for (path, row) in paths.iter().zip(rows) {
        line(&row, &short(path));
        for (sum, own) in sums.iter_mut().zip(row) {
            *sum += own;
        }
    }
    line(&sums, &format!("sum of {} files", paths.len()));
    let all: f64 = sums.iter().map(Duration::as_secs_f64).sum();
    let share = sums.map(|s| format!("{:.1} %", s.as_secs_f64() / all.max(f64::MIN_POSITIVE) * 100.0));
    println!("{:>12} {:>12} {:>12} {:>16} {:>12}  share", share[0], share[1], share[2], share[3], share[4]);
    if filter.is_empty() {
        front_end();
        presolved(&root);
    }
}

/// How many questions are answered without the solver, by which rule, and what that saves.
fn presolved(root: &Path) {
    let mut sets: Vec<(String, Vec<(PathBuf, String)>)> = Vec::new();
    for folder in ["handmade", "families", "papers"] {
        let mut paths = Vec::new();
        files(&root.join(folder), &mut paths);
        paths.sort();
        let texts = paths.into_iter().filter_map(|p| Some((p.clone(), std::fs::read_to_string(p).ok()?)));
        sets.push((format!("corpus/{folder}"), texts.collect()));
    }
    for form in Form::ALL {
        let generated = Family::ALL.map(|family| {
            let name = format!("{}.{}", family.name(), form.extension());
            (PathBuf::from(name), family.text(form, 20, false))
        });
        sets.push((format!("generated, size 20, .{}", form.extension()), generated.to_vec()));
    }
    println!(
        "\n{:>8} {:>8} {:>9} {:>8} {:>10} {:>10} {:>12}  set, times in ms without cache, one core",
        "kernels", "asked", "presolved", "share", "with", "without", "questions/s"
    );
    for (name, files) in sets {
        let run = |presolve: bool| {
            let check = CheckOptions { presolve, ..CheckOptions::default() };
            let start = Instant::now();
            let report = check_files(&files, &Settings { jobs: 1, check, ..Settings::default() }, &solver_settings());
            (start.elapsed().as_secs_f64() * 1000.0, report)
        };
        let ((with, report), (without, all)) = (run(true), run(false));
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        for (rule, count) in report.kernels.iter().flat_map(|k| &k.presolved) {
            *rules.entry(rule).or_default() += count;
        }
        let asked: usize = report.kernels.iter().map(|k| k.queries).sum();
        let before: usize = all.kernels.iter().map(|k| k.queries).sum();
        // That an array is only read was never a question to the solver.
        let saved: usize = rules.iter().filter(|(rule, _)| **rule != "read-only").map(|(_, n)| n).sum();
        let share = saved as f64 / (saved + asked).max(1) as f64 * 100.0;
        println!(
            "{:>8} {asked:>8} {saved:>9} {share:>6.0} % {with:>10.0} {without:>10.0} {:>12.0}  {name}",
            report.kernels.len(),
            (saved + asked) as f64 / (with / 1000.0).max(f64::MIN_POSITIVE)
        );
        let proved = |kernels: &[_]| kernels.iter().filter(|v| **v == Verdict::RaceFree).count();
        let verdicts =
            |r: &faial_like::report::finding::Report| r.kernels.iter().map(|k| k.verdict).collect::<Vec<_>>();
        let list: Vec<String> = rules.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
        let (a, b) = (proved(&verdicts(&report)), proved(&verdicts(&all)));
        println!("{:>8} {}; {before} questions without pre-solvers; race-free {a} and {b}", "", list.join(", "));
    }
}

/// How fast large sources are read: everything before inference, by the size of the expanded text.
fn front_end() {
    println!(
        "\n{:>10} {:>8} {:>10} {:>12} {:>12} {:>8}  generated, times in ms",
        "expanded", "lines", "kernels", STAGES[0], STAGES[1], "MB/s"
    );
    let sources = generated::sources();
    let rows = parallel(
        &sources,
        1,
        || (),
        |(), (name, text)| {
            let path = Path::new("generated.cu");
            let (preprocessing, expanded) = fastest(|| expand(path, text));
            let (loading, file) = fastest(|| load(path, text.clone(), &Settings::default().source));
            let speed = expanded as f64 / 1e6 / loading.as_secs_f64();
            let lowering = loading.saturating_sub(preprocessing);
            let ms = |t: Duration| t.as_secs_f64() * 1000.0;
            format!(
                "{expanded:>10} {:>8} {:>10} {:>12.1} {:>12.1} {speed:>8.2}  {name}",
                text.lines().count(),
                file.kernels.len(),
                ms(preprocessing),
                ms(lowering)
            )
        },
        |(name, _), why| panic!("{name}: {why}"),
    );
    for row in rows {
        println!("{row}");
    }
}

/// Expands macros; the length of the text.
fn expand(path: &Path, text: &str) -> usize {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text);
    let options = Options { predefined: CUDA_PREDEFINED, ..Options::default() };
    std::hint::black_box(preprocess(&mut sources, root, &options, &DiskFiles)).text.len()
}

fn line(times: &[Duration; STAGES.len()], name: &str) {
    let ms = times.map(|t| format!("{:.3}", t.as_secs_f64() * 1000.0));
    println!("{:>12} {:>12} {:>12} {:>16} {:>12}  {name}", ms[0], ms[1], ms[2], ms[3], ms[4]);
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|e| e == "cu") {
            all.push(path);
        }
    }
}

/// The fastest of some runs, and what the last one returned.
fn fastest<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let timed = |run: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        let result = run();
        (start.elapsed(), result)
    };
    let mut best = timed(&mut run);
    for _ in 1..ROUNDS {
        let (time, result) = timed(&mut run);
        best = (best.0.min(time), result);
    }
    best
}

fn measure(path: &Path, session: &mut Session) -> [Duration; STAGES.len()] {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let settings = Settings::default();
    let (preprocessing, _) = fastest(|| expand(path, &text));
    let (loading, file) = fastest(|| load(path, text.clone(), &settings.source));
    let (mut inferring, mut encoding, mut solving) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for kernel in &file.kernels {
        let (launch, notes) = launch(None, None, &file.header, kernel, false);
        let (infer, inferred) = fastest(|| protocol_of(kernel, &launch, &settings.check));
        let (encode, ()) = fastest(|| {
            for at in at_levels(&inferred.kernel, &[], Warps { size: 32, lockstep: false }, PhasePath::Phases) {
                for phase in at.race_phases() {
                    for array in phase.arrays() {
                        std::hint::black_box(phase.races_on(&array));
                    }
                }
            }
        });
        let start = Instant::now();
        check_kernel(kernel, &file.sources, &launch, &notes, &settings.check, session);
        inferring += infer;
        encoding += encode;
        solving += start.elapsed().saturating_sub(infer + encode);
    }
    [preprocessing, loading.saturating_sub(preprocessing), inferring, encoding, solving]
}
