//! One kernel: from its code to a verdict.

use std::collections::BTreeMap;
use std::time::Instant;

use super::contradiction::{Given, Part, contradiction};
use super::host::{HostFacts, is_of_host, is_of_host_name};
use super::pipeline::{AtLevel, PhasePath, at_levels, levels_in_use};
use super::source::{KernelCode, SourceKernel, location};
use super::witness::{Divergence, Race, diverge, witness};
use crate::base::{Name, SourceMap, Span};
use crate::core::kernel::{Kernel, OTHER};
use crate::core::nonempty::{MustRun, may_be_empty};
use crate::core::race::{ArrayRaces, RacePhase, frame};
use crate::core::scope::{Level, Task, cluster_sizes};
use crate::core::uniform::{Obligation, divergence};
use crate::core::wellformed::violations;
use crate::core::{Coordinate, Mode, Protocol, SiteId};
use crate::exp::display::Quoted;
use crate::exp::{B, Fun, Interval, N, Subst, Var, free_vars_b};
use crate::kernel::infer::{Config, Inferred, Touches, infer};
use crate::report::finding::{
    AccessMode, AccessReport, Finding, FindingClass, FindingKind, KernelReport, Launch, LaunchSource,
    Level as ReportLevel, Location, Message, Verdict, Witness,
};
use crate::smt::{Answer, Query, Reason, Session};
use crate::text::parse_protocol;

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
    pub warp_size: u32,
    pub max_findings: usize,
    pub path: PhasePath,
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
            warp_size: 32,
            max_findings: 20,
            path: PhasePath::Phases,
            steps: 400_000,
        }
    }
}

struct Check<'a> {
    sources: &'a SourceMap,
    inferred: &'a Inferred,
    session: &'a mut Session,
    options: &'a CheckOptions,
    source: &'a SourceKernel,
    /// The launch before anything was inferred from the code.
    asked: &'a Launch,
    name: &'a str,
    launch: &'a Launch,
    findings: Vec<Finding>,
    reasons: Vec<Message>,
    assumptions: Vec<String>,
    queries: usize,
}

/// Infers the protocol of a kernel, for the launch given.
pub fn protocol_of(kernel: &SourceKernel, launch: &Launch, options: &CheckOptions) -> Inferred {
    let host = (launch.from == LaunchSource::LaunchSite).then_some(&kernel.host);
    protocol_with(kernel, host, launch, options, &[])
}

/// The same, with what is given of the host code, and without some of the assumptions of the source.
pub(super) fn protocol_with(
    kernel: &SourceKernel,
    host: Option<&HostFacts>,
    launch: &Launch,
    options: &CheckOptions,
    left_out: &[Span],
) -> Inferred {
    let mut inferred = match &kernel.code {
        KernelCode::Cuda(code) => {
            let mut config = config(launch, code.clusters, options);
            config.left_out = left_out.to_vec();
            if let Some(n) = kernel.launch_bounds.filter(|n| (1..1024).contains(n)) {
                config.max_threads = n;
            }
            if let Some(host) = host {
                config.params.extend(host.params.iter().map(|(n, v)| (n.clone(), *v)));
                config.params.extend(options.params.clone());
                config.aliases = host.aliases.clone();
            }
            infer(&code.program, code.kernel, &config)
        }
        KernelCode::Protocol(inferred) => specialise(inferred, launch, options),
    };
    let mut fixed = fixed_sizes(launch);
    for (condition, words) in host.into_iter().flat_map(|h| &h.conditions) {
        let condition = fixed.boolean(condition);
        let vars = free_vars_b(&condition);
        let globals = &mut inferred.kernel.globals;
        if condition.as_lit().is_none() && vars.iter().all(|v| is_of_host(v) || globals.contains(v)) {
            globals.extend(vars.into_iter().filter(is_of_host).filter(|v| !globals.contains(v)).collect::<Vec<_>>());
            inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), condition]);
            inferred.assumptions.push(words.clone());
        }
    }
    if let Some(host) = host {
        for (later, (earlier, _)) in &host.aliases {
            inferred.assumptions.push(format!("`{later}` points into the same array as `{earlier}` ({})", host.place));
        }
    }
    for condition in &options.conditions {
        if let Ok(assumed) = assume(&inferred.kernel.globals, condition) {
            inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), assumed]);
            inferred.assumptions.push(condition.clone());
        }
    }
    inferred
}

/// The sizes of the launch that are numbers.
fn fixed_sizes(launch: &Launch) -> Subst<'static> {
    let mut fixed = Subst::new();
    for (what, sizes) in [("blockDim", launch.block), ("gridDim", launch.grid)] {
        for (axis, size) in ["x", "y", "z"].into_iter().zip(sizes) {
            if let Some(size) = size {
                fixed.bind(&Name::new(format!("{what}.{axis}")), &N::num(size));
            }
        }
    }
    fixed
}

/// Reads a condition over globals. It is one of all threads; what it says of a name that a kernel does not have is not
/// assumed of that kernel.
pub fn assume(globals: &[Var], condition: &str) -> Result<B, String> {
    let mut declared = String::new();
    for var in globals {
        declared.push_str(&format!("global {}: {};\n", Quoted(&var.name), var.ty));
    }
    let head = format!("kernel k {{\n{declared}assume\n");
    match parse_protocol(&format!("{head}{condition}\n; code {{}} }}")) {
        Ok(kernel) => Ok(kernel.pre),
        Err(errors) => Err(errors.into_iter().next().map_or(String::new(), |e| e.message)),
    }
}

fn config(launch: &Launch, cluster: Option<[Option<i128>; 3]>, options: &CheckOptions) -> Config {
    Config {
        block: launch.block,
        grid: launch.grid,
        cluster,
        may_be_one: launch.open.map(|axes| axes.map(|open| !open && !options.all_dims)),
        params: options.params.clone(),
        warp_size: i128::from(options.warp_size),
        max_threads: 1024,
        large_grids: options.large_grids,
        aliases: BTreeMap::new(),
        left_out: Vec::new(),
        steps: options.steps,
    }
}

/// A protocol that was read, for fixed parameters and dimensions: those of its globals that have the name.
fn specialise(inferred: &Inferred, launch: &Launch, options: &CheckOptions) -> Inferred {
    let mut inferred = inferred.clone();
    let dims = [("blockDim", launch.block), ("gridDim", launch.grid)];
    let dims = dims
        .iter()
        .flat_map(|(what, dims)| ["x", "y", "z"].iter().zip(dims).map(move |(a, d)| (format!("{what}.{a}"), *d)));
    let fixed = dims.filter_map(|(name, dim)| Some((name, dim?)));
    let mut pre = vec![inferred.kernel.pre.clone()];
    for (name, value) in fixed.chain(options.params.iter().map(|(n, v)| (n.clone(), *v))) {
        if let Some(var) = inferred.kernel.globals.iter().find(|v| v.name.as_str() == name) {
            pre.push(N::var(var).eq(&N::num(value)));
            inferred.assumptions.push(format!("{name} = {value}"));
        }
    }
    inferred.kernel.pre = B::and(pre);
    inferred
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
    let started = Instant::now();
    let inferred = protocol_of(kernel, launch, options);
    let asked = launch.clone();
    let launch = Launch { block: inferred.block, grid: inferred.grid, ..launch.clone() };
    let mut check = Check {
        sources,
        inferred: &inferred,
        session,
        options,
        source: kernel,
        asked: &asked,
        name: &kernel.name,
        launch: &launch,
        findings: Vec::new(),
        reasons: Vec::new(),
        assumptions: notes.iter().chain(&inferred.assumptions).cloned().chain(stated(&inferred, sources)).collect(),
        queries: 0,
    };
    let verdict = check.run();
    check.unused_assumptions(verdict);
    let Check { findings, reasons, assumptions, queries, .. } = check;
    let at = location(sources, kernel.span);
    KernelReport {
        name: kernel.name.clone(),
        path: at.path,
        line: at.line,
        verdict,
        reasons,
        launch,
        assumptions,
        findings,
        time_ms: started.elapsed().as_secs_f64() * 1000.0,
        queries,
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

/// The variables of conditions, each within its type. The columns of a race formula that are indices, and counters of
/// iterations, are within what a 64-bit machine can address or count.
fn declared(asserts: &[B]) -> Vec<(Var, Interval)> {
    let vars: std::collections::BTreeSet<Var> = asserts.iter().flat_map(free_vars_b).collect();
    let bounded = |v: &Var| {
        let stem = v.name.as_str().split(['!', '$']).next().unwrap_or("");
        v.ty.bits == 0
            && (matches!(stem, "at" | "site" | "kind" | "width" | "valued" | "rank") || v.name.as_str().contains("!k"))
    };
    vars.into_iter()
        .map(|v| {
            let interval = if bounded(&v) {
                Interval::new(-(1 << 62), 1 << 62)
            } else if v.ty.bits == 0 && v.name.as_str().starts_with("value") {
                // Of the column of stored values: wide enough for every type. `array` notices when it is not.
                Interval::new(-(1 << 90), 1 << 90)
            } else {
                Interval::of_type(v.ty)
            };
            (v, interval)
        })
        .collect()
}

impl Check<'_> {
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
        if !wanted.is_empty() && levels_in_use(kernel, wanted).iter().any(|l| !wanted.contains(l)) {
            let names: Vec<&str> = wanted.iter().map(|l| level_name(*l)).collect();
            self.assumptions.push(format!("only threads that meet at these levels are compared: {}", names.join(", ")));
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
        for at in at_levels(kernel, wanted, self.options.warp_size, self.options.path) {
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
        if self.findings.iter().any(|f| f.class == FindingClass::Confirmed) {
            Verdict::Racy
        } else if !self.reasons.is_empty() || self.findings.iter().any(|f| f.class == FindingClass::Possible) {
            Verdict::Inconclusive
        } else if !self.findings.is_empty() {
            Verdict::SameValue
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

    fn reason(&mut self, code: &'static str, text: impl Into<String>, span: Option<Span>) {
        let at = span.map(|s| location(self.sources, s));
        let message = Message { code, text: text.into(), at, help: None };
        if !self.reasons.contains(&message) {
            self.reasons.push(message);
        }
    }

    fn span(&self, site: SiteId) -> Span {
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
            matches!(self.session.check(&some_thread(kernel)), Answer::Unsat { .. })
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
        self.queries += 1;
        match self.session.check(&query) {
            Answer::Sat(_) => Some(false),
            Answer::Unsat { .. } => Some(true),
            Answer::Unknown(_) => None,
        }
    }

    /// Are there two threads of which the other assumptions hold, and none of which those about pairs hold as well?
    fn no_pair(&mut self) -> bool {
        let mut some_without = false;
        for at in at_levels(&self.inferred.kernel, &[], self.options.warp_size, PhasePath::Phases) {
            let mut asserts = vec![frame(&at.projection, [])];
            self.queries += 2;
            if !matches!(self.session.check(&Query::new(declared(&asserts), asserts.clone())), Answer::Sat(_)) {
                continue;
            }
            some_without = true;
            asserts.extend(self.pair_facts(&at.projection.locals));
            match self.session.check(&Query::new(declared(&asserts), asserts)) {
                Answer::Unsat { .. } => {}
                Answer::Sat(_) | Answer::Unknown(_) => return false,
            }
        }
        some_without
    }

    fn level(&mut self, at: &AtLevel) {
        for phase in at.race_phases() {
            for array in phase.arrays() {
                let selected =
                    self.options.arrays.is_empty() || self.options.arrays.iter().any(|a| a == array.as_str());
                if selected && may_conflict(&phase, &array) {
                    self.array(at, &phase, &array);
                }
                if self.findings.len() >= self.options.max_findings {
                    return;
                }
            }
        }
    }

    fn outside_paper(&mut self, why: &str, span: Option<Span>) {
        self.reason("outside-paper", format!("the path of the paper does not take this kernel: {why}"), span);
    }

    /// Does a synchronised loop run, as the path of the paper takes it for granted?
    fn runs(&mut self, at: &AtLevel, given: &MustRun) {
        let mut asserts = vec![may_be_empty(&at.projection, given)];
        asserts.extend(self.pair_facts(&at.projection.locals));
        self.queries += 1;
        let why = match self.session.check(&Query::new(declared(&asserts), asserts)) {
            Answer::Unsat { assumptions } => return self.rests_on(assumptions),
            Answer::Sat(_) => "may not run".to_owned(),
            Answer::Unknown(reason) => format!("was not proved to run: {reason}"),
        };
        let why = format!("the synchronised loop over `{}` {why} [WF-NONEMPTY]", given.range.var.name);
        self.outside_paper(&why, Some(self.span(given.barrier)));
    }

    /// Do the threads of a pair agree on whether, and how often, they reach a barrier?
    fn uniformity(&mut self, at: &AtLevel, obligation: &Obligation) {
        let span = self.span(obligation.barrier);
        let mut asserts = vec![divergence(&at.projection, obligation)];
        asserts.extend(self.pair_facts(&at.projection.locals));
        let query = Query::new(declared(&asserts), asserts.clone());
        self.queries += 1;
        let line = location(self.sources, span).line;
        match self.session.check(&query) {
            Answer::Unsat { assumptions } => self.rests_on(assumptions),
            Answer::Sat(model) => {
                let race = diverge(&self.inferred.kernel, &asserts, &model, at.level, self.options.warp_size);
                if let Some(doubt) = &race.doubt {
                    let text = format!("that all threads reach this barrier together was not proved: {doubt}");
                    self.reason("barrier-uniformity", text, Some(span));
                }
                let barrier = race.barrier.unwrap_or(obligation.barrier);
                self.diverged(at.level, barrier, race);
                self.assumptions.push(format!("for races: all threads reach the barrier in line {line} together"));
            }
            Answer::Unknown(reason) => {
                let text = format!("whether all threads reach this barrier together was not decided: {reason}");
                self.reason("barrier-uniformity", text, Some(span));
            }
        }
    }

    fn diverged(&mut self, level: Level, barrier: SiteId, race: Divergence) {
        let kernel = &self.inferred.kernel;
        let site = match self.inferred.sites.get(barrier.0 as usize) {
            Some(site) => site.clone(),
            None => crate::bug!("site {} is not known", barrier.0),
        };
        let accesses: Vec<AccessReport> = race
            .threads
            .iter()
            .map(|thread| AccessReport {
                at: location(self.sources, site.span),
                mode: AccessMode::Barrier,
                thread: axes(&kernel.threads, &thread.thread),
                block: axes(&kernel.blocks, &thread.block),
                index: Vec::new(),
                calls: site.calls.iter().map(|s| location(self.sources, *s)).collect(),
                locals: BTreeMap::new(),
            })
            .collect();
        let level = report_level(level);
        let id = self.finding_id(&Name::new("barrier"), ReportLevel::Block, &accesses);
        if self.findings.iter().any(|f| f.id == id) {
            return;
        }
        let class = if race.doubt.is_none() { FindingClass::Confirmed } else { FindingClass::Possible };
        let witness = self.values(race.globals, race.contents);
        self.findings.push(Finding {
            id,
            kind: FindingKind::Divergence,
            class,
            array: String::new(),
            level,
            accesses,
            witness,
            reason: race.doubt,
            help: None,
        });
    }

    fn values(&self, globals: BTreeMap<String, i128>, contents: BTreeMap<String, i128>) -> Witness {
        let dim = |what: &str, given: [Option<i128>; 3]| {
            let value = |axis: usize| {
                let name = format!("{what}.{}", ["x", "y", "z"][axis]);
                given[axis].or_else(|| globals.get(&name).copied()).unwrap_or(1)
            };
            [value(0), value(1), value(2)]
        };
        let is_size = |name: &str| name.starts_with("blockDim.") || name.starts_with("gridDim.");
        let params = globals.iter().filter(|(n, _)| !is_size(n) && !is_of_host_name(n));
        Witness {
            params: params.map(|(n, v)| (n.clone(), *v)).collect(),
            block_dim: dim("blockDim", self.launch.block),
            grid_dim: dim("gridDim", self.launch.grid),
            values: contents,
        }
    }

    /// Facts about the two threads of a pair: each holds of the one and the other, both ways round.
    fn pair_facts(&self, locals: &[Var]) -> Vec<B> {
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

    /// All races on one array in one phase.
    fn array(&mut self, at: &AtLevel, phase: &RacePhase, array: &Name) {
        // First without stored values, which only tell same-value races apart and can make a query hard.
        let mut without = phase.clone();
        for side in &mut without.sides {
            if let Mode::Wr(value) = &mut side.mode {
                *value = None;
            }
        }
        let races = without.races_on(array);
        if races.formula.as_lit() == Some(false) {
            return;
        }
        let mut asserts = vec![phase.assumptions.clone(), races.formula.clone()];
        asserts.extend(self.pair_facts(&phase.locals));
        self.queries += 1;
        match self.session.check(&Query::new(declared(&asserts), asserts)) {
            Answer::Unsat { assumptions } => return self.rests_on(assumptions),
            Answer::Sat(_) => {}
            Answer::Unknown(reason) => return self.unknown(array, &reason, at.level),
        }
        let races = phase.races_on(array);
        let mut asserts = vec![phase.assumptions.clone(), races.formula.clone()];
        asserts.extend(self.pair_facts(&phase.locals));
        let base = Query::new(declared(&asserts), asserts);
        self.session.with_base(&base);
        let mut distinct = B::not(&races.same_value);
        let mut same_value = false;
        let mut any = false;
        loop {
            self.queries += 1;
            match self.session.check_extra(std::slice::from_ref(&distinct)) {
                Answer::Unsat { assumptions } => {
                    self.rests_on(assumptions);
                    if same_value || races.same_value.as_lit() == Some(false) {
                        if !any {
                            let text =
                                "there is a race, but not with the stored values as they are modelled".to_owned();
                            self.unknown(array, &Reason::Incomplete(text), at.level);
                        }
                        return;
                    }
                    // No other race: is there one between stores of the same value?
                    same_value = true;
                    distinct = races.same_value.clone();
                }
                Answer::Sat(model) => {
                    any = true;
                    let model = self.smaller(&model, &distinct);
                    let Some(pair) = chosen(&races, &model, phase) else {
                        self.unknown(array, &Reason::Incomplete("the model names no accesses".to_owned()), at.level);
                        return;
                    };
                    let race = witness(&at.kernel, phase, pair, &model, self.options.warp_size);
                    self.found(phase, array, pair, race, same_value);
                    if self.findings.len() >= self.options.max_findings {
                        return;
                    }
                    self.session.block(&races.other_than(pair[0], pair[1]));
                }
                Answer::Unknown(reason) => {
                    self.unknown(array, &reason, at.level);
                    return;
                }
            }
        }
    }

    fn rests_on(&mut self, assumptions: Vec<String>) {
        for assumption in assumptions {
            // It is about either thread.
            let assumption = assumption.replace("!1", "").replace("!2", "");
            if !self.assumptions.contains(&assumption) {
                self.assumptions.push(assumption);
            }
        }
    }

    /// The same race with small parameters, when there is one: it is replayed sooner, and easier to read.
    fn smaller(&mut self, model: &crate::smt::Model, distinct: &B) -> crate::smt::Model {
        let large: Vec<B> = self
            .inferred
            .kernel
            .globals
            .iter()
            .filter(|v| model.vars.get(&v.name).is_some_and(|value| value.abs() > 64))
            .flat_map(|v| {
                let x = N::var(v);
                [N::num(-64).le(&x), x.le(&N::num(64))]
            })
            .collect();
        if large.is_empty() {
            return model.clone();
        }
        let mut extra = vec![distinct.clone()];
        extra.extend(large);
        self.queries += 1;
        match self.session.check_extra(&extra) {
            Answer::Sat(small) => small,
            Answer::Unsat { .. } | Answer::Unknown(_) => model.clone(),
        }
    }

    fn unknown(&mut self, array: &Name, reason: &Reason, level: Level) {
        let code = match reason {
            Reason::NoSolver(_) => "solver-missing",
            Reason::SolverDied(_) | Reason::SolverError(_) | Reason::Garbage(_) | Reason::Disagreement(_) => {
                "solver-failed"
            }
            Reason::Timeout | Reason::Incomplete(_) | Reason::Unencodable(_) => "solver-unknown",
        };
        let between = match level {
            Level::Warp => "threads of one warp",
            Level::Block => "threads of one block",
            Level::Cluster => "threads of different blocks of one cluster",
            Level::Grid => "threads of different blocks",
        };
        self.reason(code, format!("whether {between} race on `{array}` was not decided: {reason}"), None);
    }

    fn found(&mut self, phase: &RacePhase, array: &Name, pair: [usize; 2], race: Race, same_value: bool) {
        let class = match (&race.doubt, same_value) {
            (None, true) => FindingClass::SameValue,
            (None, false) => FindingClass::Confirmed,
            (Some(_), _) => FindingClass::Possible,
        };
        let kernel = &self.inferred.kernel;
        let mut accesses = Vec::new();
        for (i, side) in pair.iter().enumerate() {
            let side = &phase.sides[*side];
            let site = match self.inferred.sites.get(side.site.0 as usize) {
                Some(site) => site,
                None => crate::bug!("site {} is not known", side.site.0),
            };
            accesses.push(AccessReport {
                at: location(self.sources, site.span),
                mode: match side.mode {
                    Mode::Rd => AccessMode::Read,
                    Mode::Wr(_) => AccessMode::Write,
                    Mode::At(_) => AccessMode::Atomic,
                },
                thread: axes(&kernel.threads, &race.threads[i].thread),
                block: axes(&kernel.blocks, &race.threads[i].block),
                index: race.index[i].clone(),
                calls: site.calls.iter().map(|s| location(self.sources, *s)).collect(),
                locals: race.locals[i].clone(),
            });
        }
        let level = report_level(phase.level);
        let id = self.finding_id(array, level, &accesses);
        if self.findings.iter().any(|f| f.id == id) {
            return;
        }
        let witness = self.values(race.globals, race.contents);
        self.findings.push(Finding {
            id,
            kind: FindingKind::Race,
            class,
            array: array.to_string(),
            level,
            accesses,
            witness,
            reason: race.doubt,
            help: None,
        });
    }

    /// The same for the same two accesses, wherever in the file they stand.
    fn finding_id(&self, array: &Name, level: ReportLevel, accesses: &[AccessReport]) -> String {
        let mut parts: Vec<String> = accesses
            .iter()
            .map(|a| {
                let line = |at: &Location| at.path.rsplit('/').next().unwrap_or("").to_owned();
                let text = self.snippet(&a.at);
                format!("{:?}|{}|{}|{}", a.mode, line(&a.at), text, a.calls.len())
            })
            .collect();
        parts.sort();
        let text = format!("{}|{array}|{level:?}|{}", self.name, parts.join("|"));
        // FNV-1a: the id has to be the same on every machine and in every version.
        let hash =
            text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("{:012x}", hash >> 16)
    }

    fn snippet(&self, at: &Location) -> String {
        let site = self.inferred.sites.iter().find(|s| location(self.sources, s.span) == *at);
        site.map_or(String::new(), |s| self.sources.snippet(s.span).split_whitespace().collect())
    }
}

/// Is there a thread under the conditions of the kernel?
fn some_thread(kernel: &Kernel<Protocol>) -> Query {
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    let zero = N::num(0);
    let mut asserts: Vec<B> = coordinates
        .flat_map(|c| {
            let x = N::var(&c.var);
            [zero.le(&x), x.lt(&c.extent)]
        })
        .collect();
    asserts.extend(cluster_sizes(kernel));
    asserts.push(kernel.pre.clone());
    Query::new(declared(&asserts), asserts)
}

/// Values of coordinates by axis.
fn axes(coordinates: &[Coordinate], values: &[i128]) -> [i128; 3] {
    let mut all = [0; 3];
    for (c, value) in coordinates.iter().zip(values) {
        match c.var.name.as_str().rsplit('.').next() {
            Some("x") => all[0] = *value,
            Some("y") => all[1] = *value,
            _ => all[2] = *value,
        }
    }
    all
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Warp => "warp",
        Level::Block => "block",
        Level::Cluster => "cluster",
        Level::Grid => "grid",
    }
}

fn report_level(level: Level) -> ReportLevel {
    match level {
        Level::Warp => ReportLevel::Warp,
        Level::Block => ReportLevel::Block,
        Level::Cluster => ReportLevel::Cluster,
        Level::Grid => ReportLevel::Grid,
    }
}

fn contains_sync(code: &crate::core::Protocol) -> bool {
    crate::core::wellformed::synchronises_at(code, Level::Warp).is_some()
}

/// Is there a write or atomic among the accesses to the array that another access could race with?
fn may_conflict(phase: &RacePhase, array: &Name) -> bool {
    let sides: Vec<_> = phase.sides.iter().filter(|s| s.array == *array).collect();
    sides.iter().any(|a| sides.iter().any(|b| a.mode.conflicts(&b.mode, phase.level.scope())))
}

/// The two sides that a model has chosen.
fn chosen(races: &ArrayRaces, model: &crate::smt::Model, phase: &RacePhase) -> Option<[usize; 2]> {
    let [one, two] = races.selectors.each_ref().map(|v| {
        let value = model.vars.get(&v.name)?;
        usize::try_from(*value).ok().filter(|i| *i < phase.sides.len())
    });
    Some([one?, two?])
}
