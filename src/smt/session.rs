//! Answers queries: chooses encodings, keeps the solver process, checks every model.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::bits;
use super::cache::Cache;
use super::decode;
use super::emit::Emitter;
use super::entry::Digest;
use super::ints::{BitOps, Ints, Unencodable, Wrap};
use super::locate::{Located, SolverKind, locate};
use super::loosen::loosened;
use super::process::{Process, ProcessError};
use super::query::{Answer, Model, Query, Reason};
use super::second::{Opinion, Second};
use crate::base::Name;
use crate::exp::poly::AtomId;
use crate::exp::wrap::{assumption, may_wrap_for_small_sizes, signed_arithmetic};
use crate::exp::{B, Interval, N, Subst, Var};

/// Which encodings may be used. [ENC-FORCED]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Integers, or bit-vectors where the query asks for them; the other one when the first gives no answer.
    #[default]
    Auto,
    Integers,
    BitVectors,
}

/// How to run the solver.
#[derive(Clone)]
pub struct SolverConfig {
    /// The solver to use; by default it is looked for ([`locate`]).
    pub solver: Option<PathBuf>,
    /// The solver, if it was looked for already.
    pub located: Option<Located>,
    /// Answers that need not be asked for again. Not used together with `keep_dir`: a script that is not asked is not kept.
    pub cache: Option<Arc<Cache>>,
    /// Confirms every `Unsat`.
    pub second: Option<Arc<Second>>,
    /// The time for one query, over all that is tried for it.
    pub timeout: Duration,
    /// From then on every query is unknown: the time for all of them is over.
    pub deadline: Option<Instant>,
    pub encoding: Encoding,
    /// Replace products by fresh integers with lemmas.
    pub products: bool,
    /// Try to do without the assumptions of an `Unsat`. Off by default: of 20 such answers on `tests/solver_races.rs` it
    /// improved one, and made the whole run 25 times slower.
    pub recheck_overflow: bool,
    pub recheck_timeout: Duration,
    /// Report a solution that needs an unsigned wrap-around. Without it such a query is `Unsat` under the assumption that
    /// there is none: `blockIdx.x * blockDim.x + threadIdx.x` wraps in grids that nobody launches.
    pub wrapping_solutions: bool,
    /// Where to leave every script with its answer.
    pub keep_dir: Option<PathBuf>,
    /// The longest answer that is read.
    pub max_answer: usize,
    /// After this many failures of the solver in a row it is not tried again.
    pub max_failures: u32,
    /// Once this is true, nobody needs an answer any more.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for SolverConfig {
    fn default() -> SolverConfig {
        SolverConfig {
            solver: None,
            located: None,
            cache: None,
            second: None,
            timeout: Duration::from_secs(10),
            deadline: None,
            encoding: Encoding::Auto,
            products: true,
            recheck_overflow: false,
            recheck_timeout: Duration::from_secs(1),
            wrapping_solutions: false,
            keep_dir: None,
            max_answer: 16 << 20,
            max_failures: 3,
            stop: None,
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Queries answered, also those decided without the solver.
    pub queries: u64,
    /// Queries answered from before.
    pub cached: u64,
    /// Times that the solver was asked.
    pub checks: u64,
    /// Times that the solver was started, beyond the first.
    pub restarts: u64,
    /// Rounds of refinement of products.
    pub refinements: u64,
    /// Wall-clock time in queries.
    pub wall: Duration,
    /// The part of it that was spent waiting for the solver.
    pub solver: Duration,
}

/// Terms nested deeper than this are encoded on a thread with a large stack.
const DEEP: u32 = 150;
const LARGE_STACK: usize = 512 << 20;
/// Terms nested deeper than this are refused.
const TOO_DEEP: u32 = 100_000;
/// How long after its own time limit a solver may still answer.
const GRACE: Duration = Duration::from_millis(250);
/// Where an answer is not needed: a question that was not decided in this time before is not asked again.
const ENOUGH: Duration = Duration::from_millis(500);
/// Time that any question gets that is asked a second time.
const LITTLE: Duration = Duration::from_millis(300);
/// What Z3 does in a millisecond, about, in its units of work.
const WORK: u64 = 4000;
/// What each encoding gets at first, in milliseconds of work.
const QUICK: u64 = 160;
/// What the integers get, and only they, where the verdict does not depend on the answer.
const BRIEF: u64 = 20;
/// How much longer than on an idle machine a limited amount of work may take.
const PATIENCE: u32 = 16;
/// Rounds of refinement before products are given to the solver as they are.
const ROUNDS: usize = 10;
/// The round in which the solver may take its time with products as they are.
const PATIENT: usize = 6;
/// The time for what is decided at once or not at all.
const SHORT: Duration = Duration::from_millis(250);

/// What an answer is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// All its time.
    Full,
    /// What is seen with little work.
    Little,
    /// The verdict does not depend on it: very little work of the integers, and what they assume is left at that.
    Brief,
}

/// A solver, and what it was told to assume.
pub struct Session {
    config: SolverConfig,
    link: Link,
    base: Option<Base>,
    /// The process that was told about the base, by its number. Not in the base, which is elsewhere while it is asked about.
    loaded: Option<u64>,
    /// What the keys of all queries have in common, once it is known; `None` where nothing can be kept.
    context: Option<Option<Digest>>,
    /// Nobody looks at the model of this query.
    any_model: bool,
    /// What the next question is worth.
    effort: Effort,
    /// This query is asked of a solver that remembers nothing.
    fresh: bool,
    /// A question that was left undecided before, with that much time, is not asked again.
    patience: Duration,
    /// What has no products is asked of the procedure that keeps nothing of what it learns: most often there is no solution,
    /// and it sees that in half the time.
    at_once: bool,
    /// What the last answer in integers assumes not to wrap around, without that its recheck had an answer.
    open: Vec<N>,
}

/// Conditions that hold in all queries to come.
struct Base {
    query: Query,
    encoded: Option<Encoded>,
}

/// A query as integers.
#[derive(Clone)]
struct Encoded {
    ints: Ints,
    emitter: Emitter,
    /// Everything written so far.
    text: String,
    vars: Vec<(Name, AtomId)>,
}

enum Verdict {
    Sat,
    Unsat,
}

impl Session {
    pub fn new(config: SolverConfig) -> Session {
        Session {
            link: Link::new(&config),
            config,
            base: None,
            loaded: None,
            context: None,
            any_model: false,
            effort: Effort::Full,
            fresh: false,
            patience: Duration::MAX,
            at_once: false,
            open: Vec::new(),
        }
    }

    pub fn stats(&self) -> Stats {
        self.link.stats
    }

    /// The solver in use, once it has been looked for.
    pub fn solver(&mut self) -> Result<Located, Reason> {
        self.link.located()
    }

    /// Where answers are kept, unless every question is to be put.
    pub fn cache(&self) -> Option<Arc<Cache>> {
        self.config.cache.clone().filter(|_| self.config.keep_dir.is_none())
    }

    /// Is the query satisfiable?
    pub fn check(&mut self, query: &Query) -> Answer {
        self.timed(|this| {
            if query.depth() > DEEP { on_large_stack(|| this.answer(None, query)) } else { this.answer(None, query) }
        })
    }

    /// Is the query satisfiable? Which of its models comes with the answer may depend on what was asked before: it is not to
    /// be used.
    pub fn exists(&mut self, query: &Query) -> Answer {
        self.any_model = true;
        let answer = self.check(query);
        self.any_model = false;
        answer
    }

    /// The same, for no longer than this.
    pub fn exists_within(&mut self, query: &Query, at_most: Option<Duration>) -> Answer {
        let timeout = self.config.timeout;
        self.config.timeout = at_most.map_or(timeout, |most| most.min(timeout));
        let answer = self.exists(query);
        self.config.timeout = timeout;
        answer
    }

    /// The same as `exists`, where only what a solver sees with little work is of interest.
    pub fn with_little_work(&mut self, query: &Query) -> Answer {
        self.worth(Effort::Little, |this| this.exists(query))
    }

    /// The same as `exists`, where the verdict does not depend on the answer: only what a solver sees with very little work is
    /// of interest.
    pub fn exists_briefly(&mut self, query: &Query) -> Answer {
        self.worth(Effort::Brief, |this| this.exists(query))
    }

    /// The same as `check`, where there most likely is a model: a solver that remembers nothing is asked at once.
    pub fn model(&mut self, query: &Query, at_most: Option<Duration>) -> Answer {
        self.fresh = true;
        let timeout = self.config.timeout;
        self.config.timeout = at_most.map_or(timeout, |most| most.min(timeout));
        self.patience = if at_most.is_some() { ENOUGH } else { Duration::MAX };
        let answer = self.check(query);
        self.config.timeout = timeout;
        self.patience = Duration::MAX;
        self.fresh = false;
        answer
    }

    /// The same for `model`.
    pub fn model_briefly(&mut self, query: &Query, at_most: Duration) -> Answer {
        self.worth(Effort::Brief, |this| this.model(query, Some(at_most)))
    }

    fn worth(&mut self, effort: Effort, ask: impl FnOnce(&mut Session) -> Answer) -> Answer {
        self.effort = effort;
        let answer = ask(self);
        self.effort = Effort::Full;
        answer
    }

    /// From now on `check_extra` asks about `base` and more conditions.
    pub fn with_base(&mut self, base: &Query) {
        self.unload();
        self.base = Some(Base { query: base.clone(), encoded: None });
    }

    /// Is the base with these conditions satisfiable?
    pub fn check_extra(&mut self, extra: &[B]) -> Answer {
        self.timed(|this| {
            let Some(mut base) = this.base.take() else {
                return this.answer(None, &Query::new(Vec::new(), extra.to_vec()));
            };
            let query = base.query.and(extra);
            let answer = if query.depth() > DEEP {
                on_large_stack(|| this.answer(Some((&mut base, extra)), &query))
            } else {
                this.answer(Some((&mut base, extra)), &query)
            };
            this.base = Some(base);
            answer
        })
    }

    /// Adds a condition to the base, for good.
    pub fn block(&mut self, condition: &B) {
        let Some(base) = &mut self.base else {
            return self.with_base(&Query::new(Vec::new(), vec![condition.clone()]));
        };
        base.query.asserts.push(condition.clone());
        let loaded = self.loaded.is_some() && self.loaded == self.link.running();
        let added = match &mut base.encoded {
            Some(encoded) => encoded.add(condition).ok(),
            None => None,
        };
        match added {
            Some(text) if loaded => self.link.tell(&text),
            _ => {
                self.unload();
                if let Some(base) = &mut self.base {
                    base.encoded = None;
                }
            }
        }
    }

    fn timed(&mut self, body: impl FnOnce(&mut Session) -> Answer) -> Answer {
        let start = Instant::now();
        let answer = body(self);
        self.link.stats.queries += 1;
        self.link.stats.wall += start.elapsed();
        answer
    }

    /// Is the time long over? What needs no solver goes on for a while.
    pub fn is_late(&self) -> bool {
        const GRACE: Duration = Duration::from_secs(1);
        self.config.deadline.is_some_and(|end| Instant::now() >= end + GRACE) || self.link.is_stopped()
    }

    /// Asks a second time when a process dies that had been alive before this query: it may not be the query's fault.
    fn retried(&mut self, mut body: impl FnMut(&mut Session) -> Answer) -> Answer {
        let reused = self.link.running().is_some();
        match body(self) {
            Answer::Unknown(Reason::SolverDied(_)) if reused => body(self),
            answer => answer,
        }
    }

    /// Forgets what the process was told.
    fn unload(&mut self) {
        if self.loaded.is_some() && self.loaded == self.link.running() {
            self.link.tell("(pop 1)\n");
        }
        self.loaded = None;
    }

    /// The answer from before, or the one of the solver.
    fn answer(&mut self, mut base: Option<(&mut Base, &[B])>, query: &Query) -> Answer {
        if query.depth() > TOO_DEEP {
            return Answer::Unknown(Reason::Unencodable("its terms are nested too deeply".to_string()));
        }
        if let Some(answer) = trivial(query) {
            return answer;
        }
        if let Some(what) = self.disagreement() {
            return Answer::Unknown(Reason::Disagreement(what));
        }
        let key = self.key(query);
        if let Some((cache, key)) = &key
            && let Some(answer) = cache.get(key, query)
        {
            self.link.stats.cached += 1;
            return answer;
        }
        if let Some((cache, key)) = &key
            && let Some(reason) = cache.gave_up(key, self.config.timeout.min(self.patience))
        {
            self.link.stats.cached += 1;
            return Answer::Unknown(reason);
        }
        let start = Instant::now();
        self.link.unconfirmed = None;
        let answer = self.retried(|this| {
            if base.is_none() {
                this.unload();
            }
            this.decide(base.as_mut().map(|(base, extra)| (&mut **base, *extra)), query)
        });
        if let Some(what) = self.disagreement() {
            return Answer::Unknown(Reason::Disagreement(what));
        }
        match (answer, self.link.unconfirmed.take()) {
            // Of a proof that rests on one solver after all that is told, and the second is asked the next time.
            (Answer::Unsat { mut assumptions }, Some(why)) => {
                assumptions.push(format!("an answer of the solver that the second one did not confirm: {why}"));
                Answer::Unsat { assumptions }
            }
            (answer, _) => {
                if let Some((cache, key)) = &key {
                    cache.put(key, query, &answer);
                    if let Answer::Unknown(reason) = &answer
                        && self.would_again(start, reason)
                    {
                        cache.give_up(key, self.config.timeout, reason);
                    }
                }
                answer
            }
        }
    }

    /// Would a question that began then be left undecided again? Not when the end of the run cut it short. What the solver
    /// gave up by itself, or for the little work that it may do, is the same the next time; what ran out of time had to take
    /// much of it.
    fn would_again(&self, start: Instant, reason: &Reason) -> bool {
        let cut = self.config.deadline.is_some_and(|end| end < start + self.config.timeout) || self.link.is_stopped();
        let limited =
            matches!(reason, Reason::Incomplete(_)) || self.effort != Effort::Full && matches!(reason, Reason::Timeout);
        !cut && (limited || start.elapsed() * 4 >= self.config.timeout)
    }

    fn disagreement(&self) -> Option<String> {
        self.config.second.as_ref()?.disagreement()
    }

    /// Where the answer is kept.
    fn key(&mut self, query: &Query) -> Option<(Arc<Cache>, Digest)> {
        let cache = self.cache()?;
        if self.context.is_none() {
            let located = self.link.located();
            let config = &self.config;
            // Time limits decide on whether there is an answer, but not on whether it is right.
            let settings = format!(
                "{:?} products {} recheck {} wrapping {}",
                config.encoding, config.products, config.recheck_overflow, config.wrapping_solutions
            );
            let second = config.second.as_ref().map(|second| second.path());
            self.context = Some(located.ok().and_then(|solver| cache.context(&settings, &solver, second)));
        }
        let key = cache.key(self.context.as_ref()?.as_ref()?, query, (self.any_model, self.effort));
        Some((cache, key))
    }

    // Deciding a query.

    /// What wraps around at sizes that arrays have is not assumed away: where the solver does not know what is then, there is
    /// no answer.
    fn decide(&mut self, base: Option<(&mut Base, &[B])>, query: &Query) -> Answer {
        self.open.clear();
        let answer = self.attempt(base, query);
        let open = std::mem::take(&mut self.open);
        let assumes = matches!(&answer, Answer::Unsat { assumptions } if !assumptions.is_empty());
        let serious = |term: &&N| self.config.wrapping_solutions && may_wrap_for_small_sizes(term);
        match open.iter().find(serious).filter(|_| assumes) {
            Some(term) => {
                let found = if self.effort == Effort::Brief { None } else { self.usual_sizes(query, &open) };
                found.unwrap_or_else(|| {
                    let text = format!("whether it holds where `{term}` wraps around is not known");
                    Answer::Unknown(Reason::Incomplete(text))
                })
            }
            None => answer,
        }
    }

    fn attempt(&mut self, mut base: Option<(&mut Base, &[B])>, query: &Query) -> Answer {
        let now = Instant::now();
        let timeout = match self.config.deadline {
            Some(end) if end <= now => return Answer::Unknown(Reason::Timeout),
            Some(end) => self.config.timeout.min(end - now),
            None => self.config.timeout,
        };
        let deadline = now + timeout;
        if self.config.encoding == Encoding::BitVectors {
            return self.bit_vectors(query, deadline);
        }
        let alone = self.config.encoding == Encoding::Integers;
        let most = if alone { deadline } else { now + timeout * 3 / 4 };
        let mut assumed = Vec::new();
        // [ENC-FIRST] First both encodings a little: what one of them decides at once must not wait for the other.
        let quick = !alone && self.link.located().is_ok_and(|solver| solver.kind == SolverKind::Z3);
        let (is_little, is_brief) = (self.effort != Effort::Full, self.effort == Effort::Brief);
        self.link.work = quick.then_some(if is_brief { BRIEF } else { QUICK } * WORK);
        let own = base.as_mut().map(|(base, extra)| (&mut **base, *extra));
        let mut first = self.integers(own, query, BitOps::Refuse, most, &mut assumed);
        let bit_operation = matches!(&first, Answer::Unknown(Reason::Unencodable(_)));
        if quick && !bit_operation && !is_brief && matches!(&first, Answer::Unknown(reason) if !fatal(reason)) {
            self.link.work = Some(QUICK * WORK);
            match self.bit_vectors(query, most) {
                Answer::Sat(model) if !self.wanted(&model, &assumed) => {}
                Answer::Unknown(reason) if !fatal(&reason) => {}
                answer => first = answer,
            }
            self.link.work = None;
        }
        // [ENC-LOOSE]
        if quick
            && !is_little
            && matches!(&first, Answer::Unknown(reason) if !fatal(reason))
            && let Some(answer) = self.with_fewer(query, most)
        {
            return answer;
        }
        if quick && !bit_operation && !is_little && matches!(&first, Answer::Unknown(reason) if !fatal(reason)) {
            first = self.integers(base, query, BitOps::Refuse, most, &mut assumed);
        }
        self.link.work = None;
        let first = match first {
            Answer::Unknown(reason) if !fatal(&reason) => reason,
            answer => return answer,
        };
        if is_little {
            self.link.work = Some(QUICK * WORK);
            let answer = (quick && bit_operation).then(|| self.bit_vectors(query, most));
            self.link.work = None;
            return answer.unwrap_or(Answer::Unknown(first));
        }
        if alone {
            if !bit_operation {
                return Answer::Unknown(first);
            }
            return self.integers(None, query, BitOps::Abstract, deadline, &mut assumed);
        }
        // With a bit operation among unknowns, bit-vectors are the better choice, but not the only one.
        let most = if bit_operation { Instant::now() + timeout * 2 / 3 } else { deadline };
        let second = match self.bit_vectors(query, most) {
            Answer::Unknown(reason) if !fatal(&reason) => reason,
            // The integers might have proved that there is none without wrap-around.
            Answer::Sat(model) if !self.wanted(&model, &assumed) => first.clone(),
            answer => return answer,
        };
        if !bit_operation {
            return Answer::Unknown(first);
        }
        match self.integers(None, query, BitOps::Abstract, deadline, &mut assumed) {
            Answer::Unknown(_) => Answer::Unknown(second),
            answer => answer,
        }
    }

    /// That there is no solution, as what is left of the query without some conditions says with little work.
    fn with_fewer(&mut self, query: &Query, deadline: Instant) -> Option<Answer> {
        let less = loosened(query)?;
        let mut found = None;
        for in_integers in [true, false] {
            self.unload();
            self.link.work = Some(QUICK * WORK);
            let answer = match in_integers {
                true => self.integers(None, &less, BitOps::Refuse, deadline, &mut Vec::new()),
                false => self.bit_vectors(&less, deadline),
            };
            found = found.or(Some(answer).filter(|a| matches!(a, Answer::Unsat { .. })));
            if found.is_some() {
                break;
            }
            self.open.clear();
        }
        self.link.work = None;
        found
    }

    /// Asks in integers. Leaves in `assumed` the terms that were assumed not to wrap around.
    fn integers(
        &mut self,
        base: Option<(&mut Base, &[B])>,
        query: &Query,
        bit_ops: BitOps,
        deadline: Instant,
        assumed: &mut Vec<N>,
    ) -> Answer {
        self.begin();
        let blank = base.is_none() && self.link.blank();
        let start = Instant::now();
        self.at_once = self.any_model;
        let attempt = match base {
            Some((base, extra)) => self.extend(base, extra, query, deadline, assumed),
            None => self.whole(query, Wrap::Assume, bit_ops, deadline, assumed),
        };
        let attempt = self.own_model(attempt, blank, start, deadline, |this, deadline| {
            this.whole(query, Wrap::Assume, bit_ops, deadline, &mut Vec::new())
        });
        self.at_once = false;
        match attempt {
            Ok(Answer::Unsat { .. }) if !assumed.is_empty() => {
                match self.config.recheck_overflow.then(|| self.recheck(query, bit_ops, assumed)) {
                    Some(Some(better)) => better,
                    _ => Answer::Unsat { assumptions: assumed.iter().map(assumption).collect() },
                }
            }
            Ok(answer) => answer,
            Err(reason) => Answer::Unknown(reason),
        }
    }

    /// Before an attempt: the solver forgets what it was asked, where the model of this query counts.
    fn begin(&mut self) {
        if self.fresh && !self.link.blank() {
            self.loaded = None;
            self.link.forget();
        }
    }

    /// Which of its models a solver finds depends on what it was asked before. An answer that is kept must not: else it
    /// would depend on what else is checked, at the same time or before. So a query that has a model is asked again of a
    /// solver that remembers nothing, unless it was `blank` the first time.
    fn own_model(
        &mut self,
        attempt: Result<Answer, Reason>,
        blank: bool,
        start: Instant,
        deadline: Instant,
        again: impl FnOnce(&mut Session, Instant) -> Result<Answer, Reason>,
    ) -> Result<Answer, Reason> {
        let may_differ = matches!(attempt, Ok(Answer::Sat(_)) | Err(Reason::Incomplete(_)));
        if blank || self.any_model || self.config.cache.is_none() || !may_differ {
            return attempt;
        }
        self.loaded = None;
        self.link.forget();
        let now = Instant::now();
        // What took little time the first time is not worth all that is left.
        match again(self, deadline.min(now + (now - start) * 4 + LITTLE)) {
            Ok(answer @ Answer::Sat(_)) => Ok(answer),
            // It is the first model, or that there is none, all the same.
            _ => attempt,
        }
    }

    /// Asks again without assumptions; `None` if that gives no answer in its time, or a solution that is not wanted.
    fn recheck(&mut self, query: &Query, bit_ops: BitOps, assumed: &[N]) -> Option<Answer> {
        if self.effort == Effort::Brief {
            self.open = assumed.to_vec();
            return None;
        }
        // Without signed overflow C has no more solutions: all that can be gained is an assumption less to list.
        let most = match assumed.iter().all(signed_arithmetic) {
            true => self.config.recheck_timeout / 4,
            false => self.config.recheck_timeout,
        };
        // Whether this gives an answer must not depend on what else the machine does: it is limited by the work of the
        // solver, and by time only where that takes far too long.
        self.link.work = Some(most.as_millis() as u64 * WORK / 3);
        let answer = self.exactly(query, bit_ops, Instant::now() + most * PATIENCE);
        self.link.work = None;
        // A solution that is not wanted says nothing of others.
        let answer = answer.filter(|answer| !matches!(answer, Answer::Sat(model) if !self.wanted(model, assumed)));
        if answer.is_none() {
            self.open = assumed.to_vec();
        }
        answer
    }

    /// A solution without assumptions for one of the usual sizes of blocks, with which the products of the launch are linear.
    fn usual_sizes(&mut self, query: &Query, assumed: &[N]) -> Option<Answer> {
        let (dim, range) = query.vars.iter().find(|(var, _)| var.name.as_str() == "blockDim.x")?;
        for size in [256, 32, 1024].into_iter().filter(|n| range.contains(*n)) {
            let mut at = Subst::one(&dim.name, &N::num(size));
            let vars = query.vars.iter().filter(|(var, _)| var != dim).cloned().collect();
            let fixed = Query { vars, asserts: query.asserts.iter().map(|b| at.boolean(b)).collect() };
            let most = self.config.recheck_timeout / 4;
            self.link.work = Some(most.as_millis() as u64 * WORK / 3);
            let answer =
                self.whole(&fixed, Wrap::Exact, BitOps::Abstract, Instant::now() + most * PATIENCE, &mut Vec::new());
            self.link.work = None;
            if let Ok(Answer::Sat(mut model)) = answer {
                model.vars.insert(dim.name.clone(), size);
                if self.wanted(&model, assumed) {
                    return Some(Answer::Sat(model));
                }
            }
        }
        None
    }

    /// Asks without assumptions.
    fn exactly(&mut self, query: &Query, bit_ops: BitOps, deadline: Instant) -> Option<Answer> {
        let half = deadline - deadline.saturating_duration_since(Instant::now()) / 2;
        match self.whole(query, Wrap::Exact, bit_ops, half, &mut Vec::new()) {
            Ok(Answer::Unsat { .. }) => return Some(Answer::Unsat { assumptions: Vec::new() }),
            Ok(answer) if self.config.encoding == Encoding::Integers => return Some(answer),
            Err(_) if self.config.encoding == Encoding::Integers => return None,
            _ => {}
        }
        match self.bit_vectors(query, deadline) {
            Answer::Unknown(_) => None,
            answer => Some(answer),
        }
    }

    /// Is this a solution without the wrap-arounds that were assumed away? Or one that is wanted all the same: C leaves
    /// signed overflow undefined, so what needs one is no race, but defines unsigned wrap-around. (One that takes sizes of
    /// billions stays assumed away.)
    fn wanted(&self, model: &Model, assumed: &[N]) -> bool {
        let wanted = |term: &N| self.config.wrapping_solutions && may_wrap_for_small_sizes(term);
        assumed.iter().all(|term| model.keeps(term) || wanted(term))
    }

    /// The whole query, in a scope of its own.
    fn whole(
        &mut self,
        query: &Query,
        wrap: Wrap,
        bit_ops: BitOps,
        deadline: Instant,
        assumed: &mut Vec<N>,
    ) -> Result<Answer, Reason> {
        self.unload();
        let mut encoded = Encoded::new(query, wrap, bit_ops, self.config.products)?;
        *assumed = encoded.ints.assumed.iter().cloned().collect();
        self.link.start(deadline)?;
        self.link.tell("(push 1)\n");
        let text = encoded.text.clone();
        self.link.tell(&text);
        let answer = self.solve(&mut encoded, query, deadline);
        self.link.tell("(pop 1)\n");
        answer
    }

    /// The base, which stays with the process, and more conditions.
    fn extend(
        &mut self,
        base: &mut Base,
        extra: &[B],
        query: &Query,
        deadline: Instant,
        assumed: &mut Vec<N>,
    ) -> Result<Answer, Reason> {
        if base.encoded.is_none() {
            base.encoded = Some(Encoded::new(&base.query, Wrap::Assume, BitOps::Refuse, self.config.products)?);
        }
        let Some(encoded) = &base.encoded else {
            return Err(Reason::Unencodable("the base was not encoded".to_string()));
        };
        self.link.start(deadline)?;
        if self.loaded.is_none() || self.loaded != self.link.running() {
            self.link.tell("(push 1)\n");
            self.link.tell(&encoded.text);
            self.loaded = self.link.running();
        }
        let mut encoded = encoded.clone();
        let known: rustc_hash::FxHashSet<Name> = encoded.vars.iter().map(|(name, _)| name.clone()).collect();
        // What cannot be encoded must not leave a scope open: the base would hold in all questions to come.
        let mut told = encoded.declare_missing(query, &known)?;
        for condition in extra {
            told.push_str(&encoded.add(condition)?);
        }
        *assumed = encoded.ints.assumed.iter().cloned().collect();
        self.link.tell("(push 1)\n");
        self.link.tell(&told);
        let answer = self.solve(&mut encoded, query, deadline);
        self.link.tell("(pop 1)\n");
        answer
    }

    /// Decides what the process was told: first with products as unknowns, then with refined ones, then as they are.
    fn solve(&mut self, encoded: &mut Encoded, query: &Query, deadline: Instant) -> Result<Answer, Reason> {
        let has_products = !encoded.emitter.products.table.is_empty();
        let unsat = || Answer::Unsat { assumptions: Vec::new() };
        if has_products && self.config.products {
            for round in 0..ROUNDS {
                // Nothing is gained by spending all the time on one round.
                let left = deadline.saturating_duration_since(Instant::now());
                let until = Instant::now() + if round == 0 { left / 2 } else { left / 3 };
                let values = match self.link.check(&encoded.text, until) {
                    Ok(Verdict::Unsat) => return Ok(unsat()),
                    Ok(Verdict::Sat) => self.link.values(&encoded.emitter.names(), until)?,
                    Err(Reason::Timeout | Reason::Incomplete(_)) if self.link.running().is_some() => break,
                    Err(reason) => return Err(reason),
                };
                if let Some(model) = encoded.model(query, &values) {
                    return Ok(Answer::Sat(model));
                }
                self.link.stats.refinements += 1;
                let value = |atom: AtomId| values.get(&atom).copied();
                // Most races are there with small sizes, and then the query is linear.
                if round == 0 {
                    let mut small = encoded.clone();
                    small.emitter.small_factors(&small.ints).map_err(unencodable)?;
                    if let Some(Answer::Sat(model)) = self.aside(small, query, until.min(Instant::now() + SHORT))? {
                        return Ok(Answer::Sat(model));
                    }
                }
                // With its factors fixed, the query is linear: is the candidate nearly a solution?
                if round % 2 == 0 {
                    let mut fixed = encoded.clone();
                    fixed.emitter.fix_factors(&value, &fixed.ints).map_err(unencodable)?;
                    if let Some(Answer::Sat(model)) = self.aside(fixed, query, until)? {
                        return Ok(Answer::Sat(model));
                    }
                }
                // Some solvers decide the products themselves, now that they have lemmas: at once, or not so soon.
                if round == 1 || round == PATIENT {
                    let mut exact = encoded.clone();
                    exact.emitter.define_products(&exact.ints).map_err(unencodable)?;
                    let left = deadline.saturating_duration_since(Instant::now());
                    let most = if round == PATIENT { left / 3 } else { SHORT.min(left / 3) };
                    if let Some(answer) = self.aside(exact, query, Instant::now() + most)? {
                        return Ok(answer);
                    }
                }
                let clauses = encoded.emitter.products.refine(&value).map_err(|e| unencodable(e.into()))?;
                if clauses.is_empty() {
                    break;
                }
                encoded.emitter.clauses(&clauses, &encoded.ints).map_err(unencodable)?;
                let told = encoded.emitter.take().map_err(unencodable)?;
                encoded.text.push_str(&told);
                self.link.tell(&told);
            }
        }
        if has_products {
            encoded.emitter.define_products(&encoded.ints).map_err(unencodable)?;
            let told = encoded.emitter.take().map_err(unencodable)?;
            encoded.text.push_str(&told);
            self.link.tell(&told);
        }
        let verdict = match self.at_once && !has_products && encoded.ints.assumed.is_empty() {
            true => self.link.check_alone(&encoded.text, "smt", deadline)?,
            false => self.link.check(&encoded.text, deadline)?,
        };
        match verdict {
            Verdict::Unsat => Ok(unsat()),
            Verdict::Sat => {
                let values = self.link.values(&encoded.emitter.names(), deadline)?;
                match encoded.model(query, &values) {
                    Some(model) => Ok(Answer::Sat(model)),
                    None => Err(no_model()),
                }
            }
        }
    }

    /// The answer with what was written last, which is taken back afterwards; `None` if there is none.
    fn aside(&mut self, mut encoded: Encoded, query: &Query, deadline: Instant) -> Result<Option<Answer>, Reason> {
        let told = encoded.emitter.take().map_err(unencodable)?;
        let before = encoded.text.len();
        encoded.text.push_str(&told);
        self.link.tell("(push 1)\n");
        self.link.tell(&told);
        let found = match self.link.check(&encoded.text, deadline) {
            Ok(Verdict::Sat) => {
                let values = self.link.values(&encoded.emitter.names(), deadline)?;
                encoded.model(query, &values).map(Answer::Sat)
            }
            Ok(Verdict::Unsat) => Some(Answer::Unsat { assumptions: Vec::new() }),
            Err(Reason::Timeout | Reason::Incomplete(_)) => {
                // A solver that gave up on products is slow with what is linear, too. The scopes are now one.
                self.link.renew(deadline + GRACE)?;
                self.link.tell("(push 1)\n");
                self.link.tell(&encoded.text[..before]);
                return Ok(None);
            }
            Err(reason) => return Err(reason),
        };
        self.link.tell("(pop 1)\n");
        Ok(found)
    }

    /// Asks in bit-vectors.
    fn bit_vectors(&mut self, query: &Query, deadline: Instant) -> Answer {
        self.unload();
        self.begin();
        let (blank, start) = (self.link.blank(), Instant::now());
        let attempt = self.bit_vector_answer(query, deadline);
        self.own_model(attempt, blank, start, deadline, |this, deadline| this.bit_vector_answer(query, deadline))
            .unwrap_or_else(Answer::Unknown)
    }

    fn bit_vector_answer(&mut self, query: &Query, deadline: Instant) -> Result<Answer, Reason> {
        let script = bits::encode(query).map_err(unencodable)?;
        self.link.start(deadline)?;
        self.link.tell("(push 1)\n");
        self.link.tell(&script.text);
        let answer = match self.link.check_alone(&script.text, "default", deadline) {
            Ok(Verdict::Unsat) => Ok(Answer::Unsat { assumptions: Vec::new() }),
            Ok(Verdict::Sat) => self.bit_vector_model(query, &script, deadline).map(Answer::Sat),
            Err(reason) => Err(reason),
        };
        self.link.tell("(pop 1)\n");
        answer
    }

    fn bit_vector_model(&mut self, query: &Query, script: &bits::Script, deadline: Instant) -> Result<Model, Reason> {
        let vars = script.vars.iter().map(|(_, text, _, _)| text);
        let calls = script.calls.iter().map(|(_, text, _, _)| text);
        let names: Vec<(AtomId, String)> =
            vars.chain(calls).enumerate().map(|(i, text)| (i as AtomId, text.clone())).collect();
        let values = self.link.values(&names, deadline)?;
        let value = |i: usize, width: u32, signed: bool| {
            values.get(&(i as AtomId)).map(|v| bits::signed_value(*v, width, signed))
        };
        let mut of_vars = FxHashMap::default();
        for (i, (name, _, width, signed)) in script.vars.iter().enumerate() {
            of_vars.extend(value(i, *width, *signed).map(|v| (name.clone(), v)));
        }
        let mut of_calls = FxHashMap::default();
        for (i, (call, _, width, signed)) in script.calls.iter().enumerate() {
            of_calls.extend(value(script.vars.len() + i, *width, *signed).map(|v| (call.clone(), v)));
        }
        let model = Model::complete(query, &of_vars, &of_calls);
        if model.satisfies(query).unwrap_or(false) { Ok(model) } else { Err(no_model()) }
    }
}

impl Encoded {
    fn new(query: &Query, wrap: Wrap, bit_ops: BitOps, products: bool) -> Result<Encoded, Reason> {
        let mut encoded = Encoded {
            ints: Ints::new(wrap, bit_ops),
            emitter: Emitter::new(products),
            text: String::new(),
            vars: Vec::new(),
        };
        encoded.declare_missing(query, &rustc_hash::FxHashSet::default())?;
        // All conditions at once, so that the products of all of them are known before one is factored.
        let mut forms = Vec::with_capacity(query.asserts.len());
        for assert in &query.asserts {
            encoded.ints.learn(assert).map_err(unencodable)?;
        }
        for assert in &query.asserts {
            forms.push(encoded.ints.holds(assert).map_err(unencodable)?);
        }
        let form = encoded.ints.and(forms);
        encoded.emitter.assert(form, &encoded.ints).map_err(unencodable)?;
        let text = encoded.emitter.take().map_err(unencodable)?;
        encoded.text.push_str(&text);
        Ok(encoded)
    }

    fn declare_missing(&mut self, query: &Query, known: &rustc_hash::FxHashSet<Name>) -> Result<String, Reason> {
        let ranges = query.ranges();
        for (name, (ty, interval)) in query.all_vars() {
            if known.contains(&name) {
                continue;
            }
            let sharp = ranges.interval(&N::var(&Var::new(name.clone(), ty))).meet(interval);
            let atom = self.ints.declare(&name, sharp);
            self.emitter.variable(atom, &self.ints).map_err(unencodable)?;
            self.vars.push((name, atom));
        }
        let text = self.emitter.take().map_err(unencodable)?;
        self.text.push_str(&text);
        Ok(text)
    }

    /// Asserts one more condition; returns what that adds to the text.
    fn add(&mut self, condition: &B) -> Result<String, Reason> {
        let form = self.ints.holds(condition).map_err(unencodable)?;
        self.emitter.assert(form, &self.ints).map_err(unencodable)?;
        let text = self.emitter.take().map_err(unencodable)?;
        self.text.push_str(&text);
        Ok(text)
    }

    /// The model that these values make up, if it satisfies the query.
    fn model(&self, query: &Query, values: &FxHashMap<AtomId, i128>) -> Option<Model> {
        let vars = self.vars.iter().filter_map(|(name, atom)| values.get(atom).map(|v| (name.clone(), *v))).collect();
        let calls = self.ints.calls.iter().filter_map(|(call, atom)| values.get(atom).map(|v| (call.clone(), *v)));
        let model = Model::complete(query, &vars, &calls.collect());
        model.satisfies(query).unwrap_or(false).then_some(model)
    }
}

fn unencodable(error: Unencodable) -> Reason {
    Reason::Unencodable(error.0)
}

fn no_model() -> Reason {
    Reason::Incomplete("the solver's model does not satisfy the query".to_string())
}

/// Is there no point in trying the other encoding?
fn fatal(reason: &Reason) -> bool {
    match reason {
        Reason::NoSolver(_)
        | Reason::SolverDied(_)
        | Reason::SolverError(_)
        | Reason::Garbage(_)
        | Reason::Disagreement(_) => true,
        Reason::Timeout | Reason::Incomplete(_) | Reason::Unencodable(_) => false,
    }
}

/// An answer that needs no solver.
fn trivial(query: &Query) -> Option<Answer> {
    let empty = |i: &Interval| i.lo.zip(i.hi).is_some_and(|(lo, hi)| lo > hi);
    let unsat = query.all_vars().values().any(|(_, interval)| empty(interval))
        || B::and(query.asserts.iter().cloned()).as_lit() == Some(false);
    if unsat {
        return Some(Answer::Unsat { assumptions: Vec::new() });
    }
    if query.asserts.iter().all(|b| b.as_lit() == Some(true)) {
        let model = Model::complete(query, &FxHashMap::default(), &FxHashMap::default());
        if model.satisfies(query).unwrap_or(false) {
            return Some(Answer::Sat(model));
        }
    }
    None
}

fn on_large_stack<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn_scoped(scope, body);
        match thread.map(|t| t.join()) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => crate::bug!("no thread could be started: {error}"),
        }
    })
}

/// The process, and the policy of starting it again.
struct Link {
    solver: Option<PathBuf>,
    located: Option<Result<Located, Reason>>,
    second: Option<Arc<Second>>,
    /// Why the second solver did not confirm the last `unsat`, if it did not.
    unconfirmed: Option<String>,
    process: Option<Process>,
    /// The number of the running process, from 1.
    number: u64,
    /// In a row. A process that is only slow with a question has not failed.
    failures: u32,
    /// The last of them, or the last that was not a time-out.
    last_failure: Option<Reason>,
    max_failures: u32,
    stop: Option<Arc<AtomicBool>>,
    /// Has the process answered anything yet?
    listened: bool,
    /// Was it asked anything that it may remember?
    marked: bool,
    max_answer: usize,
    /// How much a question may cost, in the units of the solver.
    work: Option<u64>,
    /// The last that the process was told.
    told_work: Option<u64>,
    markers: u64,
    keep_dir: Option<PathBuf>,
    kept: u64,
    stats: Stats,
}

impl Link {
    fn new(config: &SolverConfig) -> Link {
        Link {
            solver: config.solver.clone(),
            located: config.located.clone().map(Ok),
            second: config.second.clone(),
            unconfirmed: None,
            process: None,
            number: 0,
            failures: 0,
            last_failure: None,
            listened: false,
            marked: false,
            max_failures: config.max_failures.max(1),
            stop: config.stop.clone(),
            max_answer: config.max_answer,
            work: None,
            told_work: None,
            markers: 0,
            keep_dir: config.keep_dir.clone(),
            kept: 0,
            stats: Stats::default(),
        }
    }

    fn located(&mut self) -> Result<Located, Reason> {
        let solver = self.solver.clone();
        self.located
            .get_or_insert_with(|| locate(solver.as_deref()).map_err(|e| Reason::NoSolver(e.to_string())))
            .clone()
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The number of the process that runs, if one does.
    fn running(&self) -> Option<u64> {
        self.process.as_ref().map(|_| self.number)
    }

    /// Makes sure that a process runs and listens.
    fn start(&mut self, deadline: Instant) -> Result<(), Reason> {
        if self.is_stopped() {
            return Err(Reason::Timeout);
        }
        if self.process.is_some() {
            return Ok(());
        }
        let located = self.located()?;
        if self.failures >= self.max_failures {
            return Err(match &self.last_failure {
                // It was too slow every time: that is not a failure of the solver.
                None | Some(Reason::Timeout) => Reason::Timeout,
                Some(last) => {
                    let count = self.failures;
                    Reason::SolverDied(format!("given up after {count} failures in a row; the last: {last}"))
                }
            });
        }
        let process = match Process::spawn(&located, self.max_answer) {
            Ok(process) => process,
            Err(error) => return Err(self.failed(error)),
        };
        if self.number > 0 {
            self.stats.restarts += 1;
        }
        self.number += 1;
        self.listened = false;
        self.marked = false;
        process.send(opening(located.kind));
        self.process = Some(process);
        self.told_work = None;
        self.synchronise(deadline)
    }

    /// Ends the process, without blame, and starts another.
    fn renew(&mut self, deadline: Instant) -> Result<(), Reason> {
        self.process = None;
        self.start(deadline)
    }

    /// Will the next question be the first that the process is asked?
    fn blank(&self) -> bool {
        self.process.is_none() || !self.marked
    }

    /// Makes the process as if it had just been started.
    fn forget(&mut self) {
        if self.process.is_some()
            && let Ok(located) = self.located()
        {
            self.tell("(reset)\n");
            self.tell(opening(located.kind));
            if self.told_work.take().is_some() {
                self.tell("(set-option :rlimit 0)\n");
            }
            self.marked = false;
        }
    }

    /// Waits until the solver has read all that it was told. What it says before that is an error.
    fn synchronise(&mut self, deadline: Instant) -> Result<(), Reason> {
        self.markers += 1;
        let marker = format!("m-{}", self.markers);
        self.tell(&format!("(echo \"{marker}\")\n"));
        let said = self.read(deadline + GRACE)?;
        match said.trim_matches('"') {
            text if text == marker => {
                self.listened = true;
                Ok(())
            }
            text if text.starts_with("(error") => Err(self.error(&said)),
            _ => Err(self.failed(ProcessError::Garbage(format!("`{}` out of turn", clip(&said))))),
        }
    }

    fn tell(&self, text: &str) {
        if let Some(process) = &self.process {
            process.send(text);
        }
    }

    fn read(&mut self, deadline: Instant) -> Result<String, Reason> {
        let Some(process) = &mut self.process else { return Err(Reason::SolverDied("it is not running".to_string())) };
        match process.read(deadline, self.stop.as_deref()) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Ends the process and counts the failure.
    fn failed(&mut self, error: ProcessError) -> Reason {
        self.process = None;
        let reason = match error {
            ProcessError::Overrun => Reason::Timeout,
            ProcessError::Spawn(_) | ProcessError::Died(_) => Reason::SolverDied(error.to_string()),
            ProcessError::Garbage(what) => Reason::Garbage(what),
        };
        let slow = reason == Reason::Timeout;
        if !slow || !self.listened {
            self.failures += 1;
        }
        if !slow || self.failures == 1 {
            self.last_failure = Some(reason.clone());
        }
        reason
    }

    /// The solver refused a command. What it was told before is not to be trusted any more.
    fn error(&mut self, said: &str) -> Reason {
        self.process = None;
        // What yices says to products in a logic that has bit-vectors as well.
        if said.contains("non-linear arithmetic is not allowed") {
            return Reason::Incomplete("the solver does not take products of unknowns".to_string());
        }
        self.failures += 1;
        let text = said.trim_start_matches("(error").trim_end_matches(')').trim().trim_matches('"');
        let reason = Reason::SolverError(clip(text));
        self.last_failure = Some(reason.clone());
        reason
    }

    /// `(check-sat)` of what the process was told; `text` is the same as one script, for the record.
    fn check(&mut self, text: &str, deadline: Instant) -> Result<Verdict, Reason> {
        self.check_timed(text, deadline, None)
    }

    /// The same for a question that nothing is added to afterwards. Where scopes are open, z3 answers with a procedure that
    /// keeps what it learns, and does not get to those that do without, which are often faster: for bit-vectors a hundred times.
    fn check_alone(&mut self, text: &str, tactic: &str, deadline: Instant) -> Result<Verdict, Reason> {
        self.check_timed(text, deadline, Some(tactic))
    }

    fn check_timed(&mut self, text: &str, deadline: Instant, tactic: Option<&str>) -> Result<Verdict, Reason> {
        let start = Instant::now();
        let verdict = self.check_untimed(deadline, tactic);
        self.stats.checks += 1;
        self.stats.solver += start.elapsed();
        self.keep(text, &verdict);
        match verdict {
            Ok(Verdict::Unsat) => self.confirmed(text).map(|()| Verdict::Unsat),
            verdict => verdict,
        }
    }

    /// Lets the second solver confirm that `text` is unsatisfiable.
    fn confirmed(&mut self, text: &str) -> Result<(), Reason> {
        let Some(second) = self.second.clone() else { return Ok(()) };
        match second.opinion(&self.located()?, text) {
            Opinion::Confirmed => self.unconfirmed = None,
            Opinion::Undecided(why) => self.unconfirmed = Some(why),
            Opinion::Disagrees(what) => return Err(Reason::Disagreement(what)),
        }
        Ok(())
    }

    fn check_untimed(&mut self, deadline: Instant, tactic: Option<&str>) -> Result<Verdict, Reason> {
        let left = deadline.saturating_duration_since(Instant::now());
        let millis = left.as_millis();
        if millis == 0 {
            return Err(Reason::Timeout);
        }
        let (option, command) = match (self.located()?.kind, tactic) {
            (SolverKind::Z3, Some(tactic)) => {
                (Some("timeout"), format!("(check-sat-using {tactic} :timeout {millis})\n"))
            }
            (SolverKind::Z3, None) => (Some("timeout"), "(check-sat)\n".to_string()),
            (SolverKind::Cvc5, _) => (Some("tlimit-per"), "(check-sat)\n".to_string()),
            // It has a limit for all questions together only: the process is ended when its time is over.
            (SolverKind::Yices, _) => (None, "(check-sat)\n".to_string()),
        };
        self.marked = true;
        if let Some(option) = option {
            self.tell(&format!("(set-option :{option} {millis})\n"));
        }
        if self.located()?.kind == SolverKind::Z3 && self.work != self.told_work {
            self.tell(&format!("(set-option :rlimit {})\n", self.work.unwrap_or(0)));
            self.told_work = self.work;
        }
        self.synchronise(deadline)?;
        self.tell(&command);
        let said = self.read(deadline + GRACE)?;
        match said.as_str() {
            "sat" => {
                self.failures = 0;
                Ok(Verdict::Sat)
            }
            "unsat" => {
                self.failures = 0;
                Ok(Verdict::Unsat)
            }
            "unknown" | "timeout" => {
                self.failures = 0;
                Err(self.why_unknown(deadline))
            }
            // The limit on its work ended a tactic. What it knows then is not asked for again.
            _ if said.starts_with("(error") && (said.contains("canceled") || said.contains("resource limit")) => {
                self.process = None;
                Err(Reason::Timeout)
            }
            _ if said.starts_with("(error") => Err(self.error(&said)),
            _ => Err(self.failed(ProcessError::Garbage(format!("`{}`", clip(&said))))),
        }
    }

    fn why_unknown(&mut self, deadline: Instant) -> Reason {
        self.tell("(get-info :reason-unknown)\n");
        match self.read(deadline + GRACE) {
            Ok(why) if why.contains("timeout") || why.contains("canceled") || why.contains("resource") => {
                Reason::Timeout
            }
            Ok(why) if why.starts_with("(error") => Reason::Incomplete("the solver does not know".to_string()),
            Ok(why) => {
                let why = why.trim_start_matches("(:reason-unknown").trim_end_matches(')').trim().trim_matches('"');
                Reason::Incomplete(format!("the solver does not know ({})", clip(why)))
            }
            Err(Reason::Timeout) => Reason::Timeout,
            Err(_) => Reason::Incomplete("the solver does not know".to_string()),
        }
    }

    /// The values of symbols in the model.
    fn values(&mut self, names: &[(AtomId, String)], deadline: Instant) -> Result<FxHashMap<AtomId, i128>, Reason> {
        if names.is_empty() {
            return Ok(FxHashMap::default());
        }
        let asked: Vec<String> = names.iter().map(|(_, name)| name.clone()).collect();
        self.tell(&format!("(get-value ({}))\n", asked.join(" ")));
        let said = self.read(deadline + GRACE)?;
        if said.starts_with("(error") {
            return Err(self.error(&said));
        }
        match decode::values(&said, &asked) {
            Ok(values) => Ok(names.iter().map(|(atom, _)| *atom).zip(values).collect()),
            Err(what) => Err(self.failed(ProcessError::Garbage(what))),
        }
    }

    /// Leaves the script and its answer where they can be looked at.
    fn keep(&mut self, text: &str, verdict: &Result<Verdict, Reason>) {
        let Some(dir) = &self.keep_dir else { return };
        self.kept += 1;
        let answer = match verdict {
            Ok(Verdict::Sat) => "sat".to_string(),
            Ok(Verdict::Unsat) => "unsat".to_string(),
            Err(reason) => format!("no answer: {reason}").replace('\n', " "),
        };
        let script = format!("; {answer}\n(set-logic ALL)\n{text}(check-sat)\n");
        // A record that cannot be written must not change an answer.
        let _ = std::fs::create_dir_all(dir);
        let _ = std::fs::write(dir.join(format!("{:05}.smt2", self.kept)), script);
    }
}

/// What a solver is told first.
fn opening(kind: SolverKind) -> &'static str {
    match kind {
        SolverKind::Z3 => "(set-option :print-success false)\n(set-option :produce-models true)\n",
        SolverKind::Cvc5 => "(set-option :print-success false)\n(set-logic ALL)\n",
        SolverKind::Yices => "(set-option :print-success false)\n(set-option :produce-models true)\n(set-logic ALL)\n",
    }
}

fn clip(text: &str) -> String {
    text.chars().take(200).collect()
}
