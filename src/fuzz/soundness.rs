//! THM-INFER as a fuzz target: what the analysis calls race-free does not race when it is run.
//!
//! Two statements, each for random inputs on a small grid: a kernel that is called race-free has no race and no
//! divergence; and where nothing was lost, every access of a run is one of the inferred protocol, of the same thread
//! between the same barriers.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::choices::{Choices, shrink};
use super::mutants::{Origin, mutant};
use super::texts;
use crate::base::{Name, Span};
use crate::check::kernel::{CheckOptions, check_kernel, protocol_of};
use crate::check::launch::launch;
use crate::check::schedule::{parallel, solver_settings};
use crate::check::source::{KernelCode, SourceFile, SourceKernel, SourceOptions, load};
use crate::check::witness::input_place;
use crate::core::semantics::{self, ModeValue};
use crate::core::{Mode, Print, Protocol, Scope};
use crate::exp::syntax::clear_term_tables;
use crate::exp::{Env, Fun, IntTy, eval_b};
use crate::interp::memory::mix;
use crate::interp::{Access, End, Inputs, Kind, Run, Stop, races, run as interpret};
use crate::kernel::infer::{APART, Inferred, Touches};
use crate::kernel::ir::Program;
use crate::report::finding::{KernelReport, Launch, Verdict};
use crate::smt::{Session, SolverConfig};

/// A change of the program that only the analysis sees, not the run: an analysis that is broken on purpose.
pub type Mutant = dyn Fn(&mut Program) + Sync;

#[derive(Clone, Copy)]
pub struct Options<'m> {
    pub seed: u64,
    /// The numbers of the kernels.
    pub cases: (u64, u64),
    /// Random inputs for each kernel.
    pub runs: u64,
    pub jobs: usize,
    /// Is a kernel that fails made smaller?
    pub shrink: bool,
    /// Stop at the first that fails.
    pub first: bool,
    pub mutant: Option<&'m Mutant>,
    /// Files whose kernels are changed a little; without any, kernels are made from nothing.
    pub origins: &'m [Origin],
}

impl Default for Options<'_> {
    fn default() -> Options<'static> {
        Options { seed: 1, cases: (0, 500), runs: 6, jobs: 2, shrink: true, first: false, mutant: None, origins: &[] }
    }
}

/// What was seen of one kernel or many.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub kernels: u64,
    /// By verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Kernels that are called race-free and of which a run went to its end.
    pub tested: u64,
    /// Runs by their end; of those that are not supported, by why.
    pub ends: BTreeMap<String, u64>,
    /// Runs that raced as the verdict says, or under an assumption that did not hold.
    pub raced: u64,
    pub excused: u64,
    /// Threads whose accesses were compared with the protocol, and how many accesses they had.
    pub threads: u64,
    pub accesses: u64,
}

impl Tally {
    /// Both together.
    pub fn add(&mut self, other: &Tally) {
        self.kernels += other.kernels;
        self.tested += other.tested;
        self.raced += other.raced;
        self.excused += other.excused;
        self.threads += other.threads;
        self.accesses += other.accesses;
        for (verdict, n) in &other.verdicts {
            *self.verdicts.entry(verdict).or_default() += n;
        }
        for (end, n) in &other.ends {
            *self.ends.entry(end.clone()).or_default() += n;
        }
    }
}

/// A kernel that shows a bug of ours.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub case: u64,
    pub text: String,
    pub why: String,
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub seed: u64,
    pub tally: Tally,
    pub found: Vec<Counterexample>,
    /// What the command that finds one again needs besides seed and case.
    pub again: String,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let t = &self.tally;
        writeln!(f, "{} kernels, of which race-free and run to the end: {}", t.kernels, t.tested)?;
        writeln!(f, "verdicts: {:?}", t.verdicts)?;
        writeln!(
            f,
            "runs: {:?}; with races where the verdict is racy or open: {}, excused: {}",
            t.ends, t.raced, t.excused
        )?;
        writeln!(f, "compared with the protocol: {} threads, {} accesses", t.threads, t.accesses)?;
        for c in &self.found {
            let (case, seed, again) = (c.case, self.seed, &self.again);
            writeln!(
                f,
                "\n{}\n{}\nagain: faial-like fuzz soundness --seed {seed} --case {case}{again}",
                c.text, c.why
            )?;
        }
        Ok(())
    }
}

/// The choices of a case, fewer or more of them by its number.
fn choices(seed: u64, case: u64) -> Choices {
    Choices::seeded(mix(seed ^ mix(case)), 60 + (case % 5) as usize * 60)
}

/// A text with kernels, and the name of the file that it is taken for.
fn made<'o>(origins: &'o [Origin], choices: &mut Choices) -> (&'o Path, String) {
    if origins.is_empty() {
        return (Path::new("fuzz.cu"), texts::text(choices));
    }
    let (which, text) = mutant(origins, choices);
    (origins.get(which).map_or(Path::new("fuzz.cu"), |origin| &origin.path), text)
}

/// Fuzzes: makes kernels, checks them, and runs them.
pub fn run(options: &Options) -> Report {
    /// After so many kernels it is seen whether one failed.
    const BATCH: u64 = 16;
    let mut report = Report { seed: options.seed, ..Report::default() };
    let (mut at, end) = options.cases;
    while at < end && (!options.first || report.found.is_empty()) {
        let next = if options.first { at.saturating_add(BATCH).min(end) } else { end };
        let cases: Vec<u64> = (at..next).collect();
        let results = parallel(
            &cases,
            options.jobs,
            || (),
            |(), case| one(*case, options),
            |case, text| {
                let (_, kernel) = made(options.origins, &mut choices(options.seed, *case));
                let found = Counterexample { case: *case, text: kernel, why: text };
                (Tally { kernels: 1, ..Tally::default() }, Some(found))
            },
        );
        for (tally, found) in results {
            report.tally.add(&tally);
            report.found.extend(found);
        }
        at = next;
    }
    report
}

fn one(case: u64, options: &Options) -> (Tally, Option<Counterexample>) {
    let fails = |choices: &mut Choices| {
        let (path, text) = made(options.origins, choices);
        let (tally, why) = file_fails(path, &text, options.runs, &quick(), options.mutant);
        (tally, why.map(|why| Counterexample { case, text, why }))
    };
    let mut first = choices(options.seed, case);
    let (tally, found) = fails(&mut first);
    if found.is_none() || !options.shrink {
        return (tally, found);
    }
    let mut budget = 1500;
    let smaller = shrink(first.values(), |values| {
        budget -= 1;
        budget > 0 && fails(&mut Choices::new(values.to_vec())).1.is_some()
    });
    (tally, fails(&mut Choices::new(smaller)).1.or(found))
}

/// The time for the questions about one kernel.
const MOST: Duration = Duration::from_secs(4);

/// Solver settings for many small questions.
fn quick() -> SolverConfig {
    SolverConfig { timeout: Duration::from_millis(1500), ..solver_settings() }
}

/// Checks and runs all kernels of a file; says what is wrong, if anything is.
pub fn file_fails(
    path: &Path,
    text: &str,
    runs: u64,
    solver: &SolverConfig,
    mutant: Option<&Mutant>,
) -> (Tally, Option<String>) {
    let file = load(path, text.to_owned(), &SourceOptions::default());
    let mut total = Tally::default();
    let mut why = None;
    for kernel in &file.kernels {
        let mut tried = Tried { file: &file, kernel, tally: Tally::default() };
        let found = tried.kernel(runs, solver, mutant);
        total.add(&tried.tally);
        why = why.or(found);
    }
    clear_term_tables();
    (total, why)
}

fn verdict_name(verdict: Verdict) -> &'static str {
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

/// An access of the protocol: its bytes, when they can be told, and its mode.
type Known<'a> = (Option<(i128, i128)>, &'a ModeValue);

/// A kernel as it is tried.
struct Tried<'f> {
    file: &'f SourceFile,
    kernel: &'f SourceKernel,
    tally: Tally,
}

/// Sizes for what the launch leaves open.
fn sizes(given: [Option<i128>; 3], random: u64, most: u64) -> [u32; 3] {
    let mut all = [1; 3];
    for (axis, (size, given)) in all.iter_mut().zip(given).enumerate() {
        let open = [most, 2, 1].get(axis).map_or(1, |n| 1 + mix(random ^ axis as u64) % n);
        *size = given.and_then(|n| u32::try_from(n).ok()).unwrap_or(open as u32);
    }
    all
}

impl Tried<'_> {
    fn kernel(&mut self, runs: u64, solver: &SolverConfig, mutant: Option<&Mutant>) -> Option<String> {
        self.tally.kernels = 1;
        let KernelCode::Cuda(code) = &self.kernel.code else { return None };
        let options =
            CheckOptions { negative_sizes: true, any_stride: true, any_offsets: true, ..CheckOptions::default() };
        let (place, notes) = launch(None, None, &self.file.header, self.kernel, true);
        let broken = mutant.map(|mutant| {
            let mut code = (**code).clone();
            mutant(&mut code.program);
            SourceKernel::from(code)
        });
        let seen = broken.as_ref().unwrap_or(self.kernel);
        let deadline = solver.deadline.or_else(|| Instant::now().checked_add(MOST));
        let mut session = Session::new(SolverConfig { deadline, ..solver.clone() });
        let report = check_kernel(seen, &self.file.sources, &place, &notes, &options, &mut session);
        *self.tally.verdicts.entry(verdict_name(report.verdict)).or_default() += 1;
        let inferred = protocol_of(seen, &place, &options);
        let complete = inferred.losses.iter().all(|l| l.touches == Touches::Value);
        let claims = matches!(report.verdict, Verdict::RaceFree | Verdict::SameValue | Verdict::NoAccesses);
        if !claims && !complete {
            return None;
        }
        let mut finished = false;
        let mut found = None;
        for i in 0..runs {
            let inputs = self.inputs(&report.launch, i);
            let run = interpret(&code.program, code.kernel, &inputs);
            let end = match &run.end {
                End::Finished => "finished".to_owned(),
                End::Diverged(_) => "diverged".to_owned(),
                End::Stopped(Stop::Undefined(why)) => format!("undefined: {why}"),
                End::Stopped(Stop::Unsupported(why)) => format!("unsupported: {why}"),
                End::Stopped(Stop::OutOfBudget) => "out of budget".to_owned(),
            };
            *self.tally.ends.entry(end).or_default() += 1;
            if matches!(run.end, End::Stopped(_)) {
                continue;
            }
            finished = true;
            let why = self.claims(&report, &inferred, &run).or_else(|| {
                // With a race, what a thread reads is not what it would read alone.
                (complete && races(&run).is_empty()).then(|| self.covered(&inferred, &run)).flatten()
            });
            if let Some(why) = why {
                let seed = inputs.seed;
                found = Some(format!(
                    "{why}\nverdict {}, input {seed}, block {:?}, grid {:?}, parameters {:?}",
                    verdict_name(report.verdict),
                    inputs.block,
                    inputs.grid,
                    run.params
                ));
                break;
            }
        }
        self.tally.tested = u64::from(finished && claims);
        found
    }

    fn inputs(&self, launch: &Launch, i: u64) -> Inputs {
        let random = mix(i ^ 0x5eed);
        // A block that is not given is small; whoever wants several warps says so.
        let block = sizes(launch.block, random, 8);
        let grid = sizes(launch.grid, mix(random), 3);
        Inputs { block, grid, seed: i, ..Inputs::default() }
    }

    fn at(&self, span: Span) -> String {
        let start = self.file.sources.start(span);
        format!("line {} `{}`", start.line, self.file.sources.snippet(span))
    }

    /// Does the run do what the verdict says does not happen?
    fn claims(&mut self, report: &KernelReport, inferred: &Inferred, run: &Run) -> Option<String> {
        let all = races(run);
        let diverged = match &run.end {
            End::Diverged(divergence) => Some(divergence),
            End::Finished | End::Stopped(_) => None,
        };
        let wrong = |same_value: bool| match report.verdict {
            Verdict::RaceFree | Verdict::NoAccesses => true,
            Verdict::SameValue => !same_value,
            Verdict::Racy | Verdict::Inconclusive | Verdict::Vacuous | Verdict::Rejected => false,
        };
        if (!all.is_empty() || diverged.is_some()) && !wrong(false) {
            self.tally.raced += 1;
            return None;
        }
        let text = match (all.iter().find(|r| wrong(r.same_value)), diverged) {
            (Some(race), _) => {
                let describe = |i: usize| {
                    let Some(a) = run.accesses.get(i) else { return String::new() };
                    let thread = run.threads.get(a.thread as usize);
                    let place = thread.map_or(String::new(), |t| format!("block {:?} thread {:?}", t.block, t.thread));
                    let name = run.objects.get(&a.object).map_or(String::new(), |n| n.to_string());
                    let (start, end) = (a.start, a.start + a.length);
                    format!("{:?} of {name} bytes {start}..{end} by {place}, {}", a.kind, self.at(a.span))
                };
                format!("a race that was not seen: {} and {}", describe(race.first), describe(race.second))
            }
            (None, Some(d)) => {
                format!(
                    "a divergence that was not seen: thread {} waits at {}, thread {} does not come",
                    d.waits,
                    self.at(d.at),
                    d.other
                )
            }
            (None, None) => return None,
        };
        let allowed = report.assumptions.iter().chain(&inferred.assumptions).any(|a| a.contains("no wrap-around"));
        if allowed && run.wrapped {
            self.tally.excused += 1;
            return None;
        }
        Some(text)
    }

    /// Is every access of the run one of the protocol?
    fn covered(&mut self, inferred: &Inferred, run: &Run) -> Option<String> {
        let kernel = &inferred.kernel;
        let code = without_values(&kernel.code);
        let contents = |fun: &Fun, args: &[i128]| initial(run, fun, args);
        let mut env = Env::with_functions(&contents);
        for var in &kernel.globals {
            env.set(&var.name, *run.params.get(var.name.as_str())?);
        }
        if !matches!(eval_b(&kernel.pre, &env), Ok(true)) {
            return None;
        }
        let mut by_thread: BTreeMap<u32, Vec<&Access>> = BTreeMap::new();
        for access in &run.accesses {
            by_thread.entry(access.thread).or_default().push(access);
        }
        let mut budget = 200_000;
        for (number, thread) in run.threads.iter().enumerate() {
            let pick = |coordinates: &[crate::core::Coordinate], place: [u32; 3]| {
                coordinates
                    .iter()
                    .map(|c| match c.var.name.as_str().rsplit('.').next() {
                        Some("x") => i128::from(place[0]),
                        Some("y") => i128::from(place[1]),
                        _ => i128::from(place[2]),
                    })
                    .collect::<Vec<_>>()
            };
            let here = semantics::Thread {
                block: pick(&kernel.blocks, thread.block),
                thread: pick(&kernel.threads, thread.thread),
            };
            let Ok(history) = semantics::run(kernel, &code, &here, &env, &|_, _| Ok(true), &mut budget) else {
                continue;
            };
            let mut known: FxHashMap<(usize, Span, &Name), Vec<Known>> = FxHashMap::default();
            for (phase, accesses) in history.phases.iter().enumerate() {
                for a in accesses {
                    let Some(site) = inferred.sites.get(a.site.0 as usize) else { continue };
                    let unit = kernel.array(&a.array).map_or(1, |d| i128::from(d.unit));
                    let bytes = match a.index.as_slice() {
                        [one] => Some((one * unit, (one + i128::from(a.width)) * unit)),
                        _ => None,
                    };
                    known.entry((phase, site.span, &a.array)).or_default().push((bytes, &a.mode));
                }
            }
            self.tally.threads += 1;
            for access in by_thread.get(&(number as u32)).into_iter().flatten() {
                self.tally.accesses += 1;
                let Some(name) = run.objects.get(&access.object) else { continue };
                // Arrays of one name cannot be told apart here.
                if kernel.arrays.iter().any(|a| a.name.as_str().contains('#')) {
                    continue;
                }
                // What the pointers of a table point to is one array there, of which it is not compared which row it is. [INF-TABLES]
                let base = name.as_str().split('[').next().unwrap_or(name.as_str());
                let table = kernel.arrays.iter().find(|a| a.name != *name && a.name.as_str().replace("[]", "") == base);
                let table = table.filter(|_| name.as_str().ends_with(']'));
                let row = table.map(|a| i128::from(APART) * i128::from(a.unit));
                let key = (access.phase.all as usize, access.span, table.map_or(name, |a| &a.name));
                let (start, end) = (i128::from(access.start), i128::from(access.start + access.length));
                let fits = |mode: &ModeValue| match (access.kind, mode) {
                    (Kind::Read, ModeValue::Rd) | (Kind::Write, ModeValue::Wr(_)) => true,
                    (Kind::Atomic(own), ModeValue::At(scope)) => own == *scope || *scope == Scope::Grid,
                    _ => false,
                };
                // A copy of many bytes is several accesses there.
                let mut parts: Vec<(i128, i128)> = known.get(&key).map_or(Vec::new(), |list| {
                    let fitting = list.iter().filter(|(_, mode)| fits(mode));
                    let within = |(lo, hi): (i128, i128)| match row {
                        Some(row) => (lo.rem_euclid(row), hi - lo + lo.rem_euclid(row)),
                        None => (lo, hi),
                    };
                    fitting.map(|(bytes, _)| bytes.map_or((start, end), within)).collect()
                });
                parts.sort_unstable();
                let reached = parts.iter().fold(start, |at, (lo, hi)| if *lo <= at { at.max(*hi) } else { at });
                if parts.is_empty() || reached < end {
                    return Some(format!(
                        "an access that the protocol does not have: {:?} of {name} bytes {start}..{end} by block {:?} thread {:?} after {} barriers, {}; there it has {:?}\n{}",
                        access.kind,
                        thread.block,
                        thread.thread,
                        access.phase.all,
                        self.at(access.span),
                        known.get(&key),
                        kernel.text()
                    ));
                }
            }
        }
        None
    }
}

/// The protocol without stored values: they may not be modelled where the accesses are.
fn without_values(code: &Protocol) -> Protocol {
    match code {
        Protocol::Skip | Protocol::Sync(_) => code.clone(),
        Protocol::Access(access) => {
            let mode = match &access.mode {
                Mode::Wr(_) => Mode::Wr(None),
                other => other.clone(),
            };
            Protocol::Access(crate::core::Access { mode, ..access.clone() })
        }
        Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(without_values).collect()),
        Protocol::If(b, t, e) => Protocol::If(b.clone(), Box::new(without_values(t)), Box::new(without_values(e))),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(without_values(body))),
    }
}

/// What an array holds before the kernel runs, for a function `array.stride...type` of a constant and of indices.
fn initial(run: &Run, fun: &Fun, args: &[i128]) -> Option<i128> {
    let (array, offset) = input_place(fun, args)?;
    let mut objects = run.objects.iter().filter(|(_, n)| **n == array);
    let (object, _) = objects.next()?;
    if objects.next().is_some() || fun.ty == IntTy::OPAQUE {
        return None;
    }
    run.initial(*object, offset, fun.ty)
}
