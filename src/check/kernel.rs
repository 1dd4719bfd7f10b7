//! One kernel: from its code to a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::contradiction::{Given, Part, contradiction};
use super::execute::Executor;
use super::findings::{Findings, level_name};
pub use super::infer::{assume, protocol_of};
use super::offsets::{self, offsets};
use super::pipeline::{PhasePath, Warps, at_levels, levels_in_use};
use super::presolve::Presolve;
use super::questions::{question, some_thread};
use super::source::{SourceKernel, location};
use crate::base::{Name, SourceMap, Span};
use crate::core::SiteId;
use crate::core::kernel::OTHER;
use crate::core::race::frame;
use crate::core::scope::{Level, Task};
use crate::core::tickets;
use crate::core::wellformed::violations;
use crate::exp::{B, Fun, N, Subst, Var};
use crate::kernel::infer::{Inferred, Touches};
use crate::report::finding::{FindingClass, KernelReport, Launch, Message, Verdict};
use crate::smt::{Answer, Session};

/// What a check is asked for.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub levels: Vec<Level>,
    pub arrays: Vec<String>,
    pub params: BTreeMap<String, i128>,
    /// Conditions on globals, in the syntax of protocols; see [`assume`].
    pub conditions: Vec<String>,
    pub all_dims: bool,
    pub large_grids: bool,
    /// What something is divided by may be negative.
    pub negative_sizes: bool,
    /// Rows may overlap where a parameter that is only a stride says how far apart they are.
    pub any_stride: bool,
    /// Arrays that say where rows begin may decrease.
    pub any_offsets: bool,
    /// Take nothing from the host code.
    pub ignore_host: bool,
    pub warps: Warps,
    pub max_findings: usize,
    pub path: PhasePath,
    /// Answer without the solver what can be.
    pub presolve: bool,
    /// Statements and expressions of a kernel that are walked before it is given up.
    pub steps: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            levels: Vec::new(),
            arrays: Vec::new(),
            params: BTreeMap::new(),
            conditions: Vec::new(),
            all_dims: false,
            large_grids: false,
            negative_sizes: false,
            any_stride: false,
            any_offsets: false,
            ignore_host: false,
            warps: Warps { size: 32, lockstep: false },
            max_findings: 20,
            path: PhasePath::Phases,
            presolve: true,
            steps: 400_000,
        }
    }
}

/// A kernel as it is checked.
pub(super) struct Check<'a> {
    pub sources: &'a SourceMap,
    pub inferred: &'a Inferred,
    pub session: &'a mut Session,
    pub options: &'a CheckOptions,
    pub source: &'a SourceKernel,
    /// The launch before anything was inferred from the code.
    pub asked: &'a Launch,
    pub name: &'a str,
    pub launch: &'a Launch,
    pub findings: Findings,
    pub reasons: Vec<Message>,
    pub limits: Vec<String>,
    pub assumptions: Vec<String>,
    pub queries: usize,
    pub presolve: Presolve,
    /// Runs the code of the kernel.
    pub executor: Executor<'a>,
    pub started: Instant,
    /// When the first race was confirmed.
    pub confirmed: Option<Duration>,
    /// When there was a race that is merely possible.
    pub possible: Option<Duration>,
    /// There may be more findings than were looked for.
    pub cut: bool,
    /// Contents of arrays that say where rows begin. [CHK-OFFSETS]
    pub offsets: BTreeSet<Name>,
}

/// Checks a kernel.
pub fn check_kernel(
    kernel: &SourceKernel,
    sources: &SourceMap,
    launch: &Launch,
    notes: &[String],
    options: &CheckOptions,
    session: &mut Session,
) -> KernelReport {
    let report = check_once(kernel, sources, launch, notes, options, session);
    if report.verdict != Verdict::Vacuous || options.large_grids {
        return report;
    }
    // What is taken for granted of the sizes of launches may contradict what the host says. [LAUNCH-LIMITS]
    let large = CheckOptions { large_grids: true, ..options.clone() };
    let again = check_once(kernel, sources, launch, notes, &large, session);
    if again.verdict == Verdict::Vacuous { report } else { again }
}

fn check_once(
    kernel: &SourceKernel,
    sources: &SourceMap,
    launch: &Launch,
    notes: &[String],
    options: &CheckOptions,
    session: &mut Session,
) -> KernelReport {
    let started = Instant::now();
    let inferred = protocol_of(kernel, launch, options);
    let asked = launch.clone();
    let launch = Launch { block: inferred.block, grid: inferred.grid, ..launch.clone() };
    let mut check = Check::new(kernel, sources, (&asked, &launch), notes, &inferred, options, session);
    let verdict = check.run();
    check.unused_assumptions(verdict);
    let cut = check.cut;
    let (findings, left_out) = std::mem::take(&mut check.findings).settle(options.max_findings);
    if cut || left_out > 0 {
        check.reason("findings-limit", "there may be more pairs of accesses that race than are listed", None);
    }
    let Check { reasons, limits, assumptions, queries, presolve, .. } = check;
    let at = location(sources, kernel.span);
    KernelReport {
        name: kernel.name.clone(),
        path: at.path,
        line: at.line,
        verdict,
        reasons,
        launch,
        limits,
        assumptions,
        findings,
        time_ms: started.elapsed().as_secs_f64() * 1000.0,
        queries,
        presolved: presolve.saved,
    }
}

/// The assumptions of the source, as written.
fn stated(inferred: &Inferred, sources: &SourceMap) -> Vec<String> {
    inferred.assumed.iter().map(|span| quoted(*span, sources)).collect()
}

/// A piece of the source, with its line.
pub(super) fn quoted(span: Span, sources: &SourceMap) -> String {
    let words: Vec<&str> = sources.snippet(span).split_whitespace().collect();
    format!("`{}` (line {})", words.join(" "), sources.start(span).line)
}

impl<'a> Check<'a> {
    /// `launch`: as it was asked for, and as it is after what was inferred from the code.
    pub(super) fn new(
        source: &'a SourceKernel,
        sources: &'a SourceMap,
        (asked, launch): (&'a Launch, &'a Launch),
        notes: &[String],
        inferred: &'a Inferred,
        options: &'a CheckOptions,
        session: &'a mut Session,
    ) -> Check<'a> {
        let executor = Executor::new(source, asked, options, session.cache());
        Check {
            sources,
            inferred,
            session,
            options,
            source,
            asked,
            name: &source.name,
            launch,
            findings: Findings::default(),
            reasons: Vec::new(),
            limits: Vec::new(),
            assumptions: notes.iter().chain(&inferred.assumptions).cloned().chain(stated(inferred, sources)).collect(),
            queries: 0,
            presolve: Presolve::new(options.presolve),
            executor,
            started: Instant::now(),
            confirmed: None,
            possible: None,
            cut: false,
            offsets: if options.any_offsets { BTreeSet::new() } else { offsets(&inferred.kernel) },
        }
    }

    fn run(&mut self) -> Verdict {
        let inferred = self.inferred;
        let lost = inferred.losses.iter().any(|l| l.touches != Touches::Value);
        let rejected = inferred.losses.iter().any(|l| l.code == "parse-error" || l.code == "too-deep");
        for loss in &inferred.losses {
            if loss.touches != Touches::Value {
                self.reason(loss.code, loss.text.clone(), Some(loss.span));
            }
        }
        if rejected {
            return Verdict::Rejected;
        }
        let kernel = &inferred.kernel;
        if kernel.arrays.is_empty() && !lost && !contains_sync(&kernel.code) {
            return Verdict::NoAccesses;
        }
        if !kernel.pre.as_lit().unwrap_or(false) {
            match self.vacuous() {
                Some(true) => {
                    self.contradiction();
                    return Verdict::Vacuous;
                }
                Some(false) => {}
                None => {}
            }
        }
        let wanted = &self.options.levels;
        if !wanted.is_empty() && levels_in_use(kernel, wanted, self.options.warps).iter().any(|l| !wanted.contains(l)) {
            let names: Vec<&str> = wanted.iter().map(|l| level_name(*l)).collect();
            let names = names.join(", ");
            self.limits.push(format!("only for threads that meet at these levels: {names}"));
            self.assumptions.push(format!("only threads that meet at these levels are compared: {names}"));
        }
        if self.options.warps.lockstep {
            self.assumptions.push("threads of a warp run in lock-step (--lockstep-warps)".to_owned());
        }
        if !kernel.pairs.is_empty() && self.no_pair() {
            let text = "no two threads fulfil the assumptions of this kernel about pairs of threads: they contradict each other";
            self.reason("vacuous", text, None);
            return Verdict::Vacuous;
        }
        for level in Level::ALL {
            // What may not be uniform after all is asked of the solver, below.
            for violation in violations(kernel, level).iter().filter(|v| !v.rule.starts_with("WF-UNIFORM")) {
                let span = violation.at.map(|s| self.span(s));
                self.reason("ill-formed", format!("{} [{}]", violation.message, violation.rule), span);
            }
        }
        if self.reasons.iter().any(|r| r.code == "ill-formed") {
            return Verdict::Rejected;
        }
        for at in at_levels(kernel, wanted, self.options.warps, self.options.path) {
            if self.is_late() {
                break;
            }
            for obligation in &at.obligations {
                self.uniformity(&at, obligation);
            }
            for violation in &at.outside {
                let span = violation.at.map(|s| self.span(s));
                self.outside_paper(&format!("{} [{}]", violation.message, violation.rule), span);
            }
            for given in &at.must_run {
                self.runs(&at, given);
            }
            self.level(&at);
        }
        if self.findings.any(FindingClass::Confirmed) {
            Verdict::Racy
        } else if !self.reasons.is_empty() || self.findings.any(FindingClass::Possible) {
            Verdict::Inconclusive
        } else if self.findings.any(FindingClass::SameValue) {
            // Others that are possible are so as well. [RACE-SAME]
            Verdict::SameValue
        } else if self.findings.any(FindingClass::PossibleSameValue) {
            Verdict::Inconclusive
        } else if kernel.arrays.is_empty() {
            Verdict::NoAccesses
        } else {
            Verdict::RaceFree
        }
    }

    /// Where there is no proof, assumptions that are not used may be why.
    fn unused_assumptions(&mut self, verdict: Verdict) {
        if matches!(verdict, Verdict::Racy | Verdict::Inconclusive) {
            for loss in self.inferred.losses.iter().filter(|l| l.code == "assumption-unused") {
                self.reason(loss.code, loss.text.clone(), Some(loss.span));
            }
        }
    }

    pub(super) fn reason(&mut self, code: &'static str, text: impl Into<String>, span: Option<Span>) {
        let at = span.map(|s| location(self.sources, s));
        let message = Message { code, text: text.into(), at, help: None };
        if !self.reasons.contains(&message) {
            self.reasons.push(message);
        }
    }

    pub(super) fn span(&self, site: SiteId) -> Span {
        match self.inferred.sites.get(site.0 as usize) {
            Some(site) => site.span,
            None => crate::bug!("site {} is not known", site.0),
        }
    }

    /// Says which assumptions contradict each other.
    fn contradiction(&mut self) {
        let mut asked = 0;
        let found = contradiction(Given::new(self.source, self.asked, self.options, self.inferred), &mut |kernel| {
            asked += 1;
            matches!(self.session.exists(&some_thread(kernel)), Answer::Unsat { .. })
        });
        self.queries += asked;
        let words: Vec<String> = found
            .iter()
            .map(|part| match part {
                Part::Source(span) => quoted(*span, self.sources),
                other => other.words(self.asked, self.source),
            })
            .collect();
        let text = match words.as_slice() {
            [] => "no thread can exist within the limits of this launch".to_owned(),
            [one] => format!("no thread fulfils the assumptions of this kernel: {one} cannot hold"),
            [rest @ .., last] => {
                let rest = rest.join(", ");
                format!("no thread fulfils the assumptions of this kernel: {rest} and {last} contradict each other")
            }
        };
        let at = found.iter().find_map(|part| match part {
            Part::Source(span) => Some(*span),
            _ => None,
        });
        self.reason("vacuous", text, at);
    }

    /// Do the assumptions contradict each other? `None` when the solver does not say.
    fn vacuous(&mut self) -> Option<bool> {
        let kernel = &self.inferred.kernel;
        let query = some_thread(kernel);
        if self.presolve.inhabited(&query) {
            return Some(false);
        }
        self.queries += 1;
        match self.session.exists(&query) {
            Answer::Sat(_) => Some(false),
            Answer::Unsat { .. } => Some(true),
            Answer::Unknown(_) => None,
        }
    }

    /// Are there two threads of which the other assumptions hold, and none of which those about pairs hold as well?
    fn no_pair(&mut self) -> bool {
        let mut some_without = false;
        for at in at_levels(&self.inferred.kernel, &[], self.options.warps, PhasePath::Phases) {
            let mut asserts = vec![frame(&at.projection, [])];
            self.queries += 2;
            if !matches!(self.session.exists(&question(asserts.clone())), Answer::Sat(_)) {
                continue;
            }
            some_without = true;
            asserts.extend(self.pair_facts(&at.projection.locals));
            match self.session.exists(&question(asserts)) {
                Answer::Unsat { .. } => {}
                Answer::Sat(_) | Answer::Unknown(_) => return false,
            }
        }
        some_without
    }

    /// What is known of the two threads of a pair when these are the conditions.
    pub(super) fn facts(&mut self, conditions: &[B], locals: &[Var]) -> Vec<B> {
        let mut facts = self.pair_facts(locals);
        let results = tickets::facts(conditions);
        if !results.is_empty() && tickets::counts(conditions) {
            self.rests_on(vec!["counters that atomic operations count do not wrap around".to_owned()]);
        }
        facts.extend(results);
        let rows = offsets::facts(conditions, &self.offsets);
        if !rows.is_empty() {
            let arrays = self.offsets.iter().map(|name| name.as_str().split('.').next().unwrap_or_default());
            let names: Vec<String> = arrays.unique().map(|name| format!("`{name}`")).collect();
            self.rests_on(vec![format!(
                "{}: where rows begin, none negative, in order, at most half of what the type holds",
                names.join(", ")
            )]);
        }
        facts.extend(rows);
        facts
    }

    /// Facts about the two threads of a pair: each holds of the one and the other, both ways round.
    pub(super) fn pair_facts(&self, locals: &[Var]) -> Vec<B> {
        let mut swap = Subst::new();
        for var in locals {
            let [one, two] = Task::BOTH.map(|t| t.var(var));
            swap.bind(&one.name, &N::var(&two));
            swap.bind(&two.name, &N::var(&one));
        }
        let swap = std::cell::RefCell::new(swap);
        let other = |fun: &Fun, args: &[N]| match args {
            [own] if fun.name.as_str() == OTHER => Some(swap.borrow_mut().numeric(own)),
            _ => None,
        };
        let mut facts = Vec::new();
        for task in Task::BOTH {
            let mut renamed = task.rename(locals);
            let mut resolve = Subst::with_functions(&other);
            facts.extend(self.inferred.kernel.pairs.iter().map(|f| resolve.boolean(&renamed.boolean(f))));
        }
        facts
    }

    pub(super) fn rests_on(&mut self, assumptions: Vec<String>) {
        for assumption in assumptions {
            // It is about either thread.
            let assumption = assumption.replace("!1", "").replace("!2", "");
            if !self.assumptions.contains(&assumption) {
                self.assumptions.push(assumption);
            }
        }
    }
}

fn contains_sync(code: &crate::core::Protocol) -> bool {
    crate::core::wellformed::synchronises_at(code, Level::Warp).is_some()
}
