//! The reference semantics: what a kernel does on a concrete grid. The oracle of the theorem tests, and the replayer of
//! witnesses.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::access::{Access, Mode, Scope, SiteId};
use super::kernel::{Coordinate, Kernel, Space};
use super::protocol::{Barrier, Protocol};
use super::range::{Range, RangeValues};
use super::scope::{Level, cluster_ids, linear_id};
use crate::base::Name;
use crate::exp::{Env, EvalError, eval_b, eval_n};

/// A thread: its block and its place in the block, as values of the coordinates of the header, in their order.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Thread {
    pub block: Vec<i128>,
    pub thread: Vec<i128>,
}

/// How an access value touches memory.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ModeValue {
    Rd,
    Wr(Option<i128>),
    At(Scope),
}

/// `i:o[j]`: one access of one thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AccessValue {
    pub thread: Thread,
    pub array: Name,
    /// A shared array is another one in every block.
    pub space: Space,
    pub mode: ModeValue,
    pub index: Vec<i128>,
    pub width: u32,
    pub site: SiteId,
}

impl AccessValue {
    /// Do the two touch a common cell? [RACE-OVERLAP]
    pub fn overlaps(&self, other: &AccessValue) -> bool {
        let apart = self.space == Space::Shared && self.thread.block != other.thread.block;
        if apart || self.array != other.array {
            return false;
        }
        let (Some((a, before_a)), Some((b, before_b))) = (self.index.split_last(), other.index.split_last()) else {
            return self.index.len() == other.index.len();
        };
        before_a == before_b
            && a.saturating_add(i128::from(self.width)) > *b
            && b.saturating_add(i128::from(other.width)) > *a
    }

    /// `racy` of \[MAP\] Definition 2, for threads that meet at `level`: different threads, a common cell, and modes that
    /// conflict.
    pub fn races(&self, other: &AccessValue, level: Level) -> bool {
        self.thread != other.thread
            && self.overlaps(other)
            && self.mode.plain().conflicts(&other.mode.plain(), level.scope())
    }

    /// Do both store the same value in the same cells? [RACE-SAME]
    pub fn same_value(&self, other: &AccessValue) -> bool {
        match (&self.mode, &other.mode) {
            (ModeValue::Wr(Some(a)), ModeValue::Wr(Some(b))) => {
                a == b && self.index == other.index && self.width == other.width
            }
            (ModeValue::Rd | ModeValue::Wr(_) | ModeValue::At(_), _) => false,
        }
    }
}

impl ModeValue {
    /// The mode without the value.
    fn plain(&self) -> Mode {
        match self {
            ModeValue::Rd => Mode::Rd,
            ModeValue::Wr(_) => Mode::Wr(None),
            ModeValue::At(scope) => Mode::At(*scope),
        }
    }
}

/// What the threads that run do between two barriers.
pub type Phase = BTreeSet<AccessValue>;

/// Why a run has no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error("the run takes too many steps")]
    OutOfBudget,
    #[error(transparent)]
    Eval(#[from] EvalError),
    #[error("the threads do not pass the same barriers")]
    Divergence,
    #[error("the thread has {0} coordinates, and the kernel {1}")]
    Coordinates(usize, usize),
}

/// What one thread does: a phase more than the barriers that it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub phases: Vec<Vec<AccessValue>>,
    /// The barriers passed, each with the values of the loop variables around it.
    pub barriers: Vec<(SiteId, Vec<i128>)>,
}

/// Runs one thread: `u ⇓_i P` and `p ⇓ H` of \[MAP\] Fig. 5 for a single thread.
///
/// Source:   \[MAP\] Fig. 5; protocol-spec/02-semantics.md.     Shape: the phases in the order in which they happen.
/// Units:    `values` has the globals and the functions; `counts` says which barriers start a phase; `budget` is the
///           number of statements and iterations allowed, and is used up across calls.
/// Errors:   `OutOfBudget`; `Eval` when a name has no value; `Coordinates`.
/// Deviates: loops may run zero times and have steps; barriers stand anywhere.
pub fn run<C>(
    kernel: &Kernel<C>,
    code: &Protocol,
    thread: &Thread,
    values: &Env,
    counts: &dyn Fn(&Barrier, &Env) -> Result<bool, EvalError>,
    budget: &mut u64,
) -> Result<Run, RunError> {
    let mut env = values.clone();
    for (coordinates, values) in [(&kernel.blocks, &thread.block), (&kernel.threads, &thread.thread)] {
        if coordinates.len() != values.len() {
            return Err(RunError::Coordinates(values.len(), coordinates.len()));
        }
        for (coordinate, value) in coordinates.iter().zip(values) {
            env.set(&coordinate.var.name, *value);
        }
    }
    let run = Run { phases: vec![Vec::new()], barriers: Vec::new() };
    let space_of = |array: &Name| kernel.array(array).map_or(Space::Global, |a| a.space);
    let mut machine = Machine { thread, env, counts, space_of: &space_of, iteration: Vec::new(), run, budget };
    machine.step(code)?;
    Ok(machine.run)
}

struct Machine<'a, 'e> {
    thread: &'a Thread,
    env: Env<'e>,
    counts: &'a dyn Fn(&Barrier, &Env) -> Result<bool, EvalError>,
    space_of: &'a dyn Fn(&Name) -> Space,
    iteration: Vec<i128>,
    run: Run,
    budget: &'a mut u64,
}

impl Machine<'_, '_> {
    fn pay(&mut self) -> Result<(), RunError> {
        *self.budget = self.budget.checked_sub(1).ok_or(RunError::OutOfBudget)?;
        Ok(())
    }

    fn step(&mut self, code: &Protocol) -> Result<(), RunError> {
        self.pay()?;
        match code {
            // [SEM-SKIP]
            Protocol::Skip => Ok(()),
            // [SEM-ACC]
            Protocol::Access(access) => {
                let value = self.access(access)?;
                if let Some(phase) = self.run.phases.last_mut() {
                    phase.push(value);
                }
                Ok(())
            }
            // [SEM-SYNC]
            Protocol::Sync(barrier) => {
                if (self.counts)(barrier, &self.env)? {
                    self.run.phases.push(Vec::new());
                    self.run.barriers.push((barrier.site, self.iteration.clone()));
                }
                Ok(())
            }
            // [SEM-SEQ]
            Protocol::Seq(parts) => parts.iter().try_for_each(|p| self.step(p)),
            // [SEM-IF]
            Protocol::If(b, t, e) => {
                let branch = if eval_b(b, &self.env)? { t } else { e };
                self.step(branch)
            }
            // [SEM-FOR]
            Protocol::For(range, body) => {
                let outer = self.env.get(&range.var.name);
                for value in range_values(range, &self.env)? {
                    self.pay()?;
                    self.env.set(&range.var.name, value);
                    self.iteration.push(value);
                    self.step(body)?;
                    self.iteration.pop();
                }
                if let Some(value) = outer {
                    self.env.set(&range.var.name, value);
                }
                Ok(())
            }
        }
    }

    fn access(&self, access: &Access) -> Result<AccessValue, EvalError> {
        let mode = match &access.mode {
            Mode::Rd => ModeValue::Rd,
            Mode::Wr(None) => ModeValue::Wr(None),
            Mode::Wr(Some(value)) => ModeValue::Wr(Some(eval_n(value, &self.env)?)),
            Mode::At(scope) => ModeValue::At(*scope),
        };
        Ok(AccessValue {
            thread: self.thread.clone(),
            array: access.array.clone(),
            space: (self.space_of)(&access.array),
            mode,
            index: access.index.iter().map(|n| eval_n(n, &self.env)).collect::<Result<_, _>>()?,
            width: access.width,
            site: access.site,
        })
    }
}

/// The values of a range in an environment. [SEM-RANGE]
pub fn range_values(range: &Range, env: &Env) -> Result<RangeValues, EvalError> {
    let [first, end, amount] = range.terms().map(|n| eval_n(n, env));
    Ok(RangeValues::new(first?, end?, &range.step, amount?))
}

/// The history of threads that all pass the same barriers: phase by phase the union of what they do. [SEM-PAR]
///
/// Errors: `Divergence` when two threads do not pass the same barriers in the same iterations; those of [`run`].
pub fn history<C>(
    kernel: &Kernel<C>,
    code: &Protocol,
    threads: &[Thread],
    values: &Env,
    budget: &mut u64,
) -> Result<Vec<Phase>, RunError> {
    let mut merged: Option<(Run, Vec<Phase>)> = None;
    for thread in threads {
        let run = run(kernel, code, thread, values, &|_, _| Ok(true), budget)?;
        match &mut merged {
            None => {
                let phases = run.phases.iter().map(|p| p.iter().cloned().collect()).collect();
                merged = Some((run, phases));
            }
            Some((first, phases)) => {
                if first.barriers != run.barriers {
                    return Err(RunError::Divergence);
                }
                phases.iter_mut().zip(run.phases).for_each(|(all, own)| all.extend(own));
            }
        }
    }
    Ok(merged.map_or(Vec::new(), |(_, phases)| phases))
}

/// Is there no race in the history? `safe` of \[MAP\] Definition 2. [SEM-SAFE]
pub fn safe(history: &[Phase], level: Level) -> bool {
    history.iter().all(|phase| races(phase, level).next().is_none())
}

/// The racy pairs of a phase, each once.
pub fn races(phase: &Phase, level: Level) -> impl Iterator<Item = (&AccessValue, &AccessValue)> {
    phase
        .iter()
        .enumerate()
        .flat_map(move |(i, a)| phase.iter().skip(i + 1).filter(move |b| a.races(b, level)).map(move |b| (a, b)))
}

/// All combinations of values of the coordinates. Refuses when there are more than `limit`.
pub fn places(coordinates: &[Coordinate], values: &Env, limit: usize) -> Result<Vec<Vec<i128>>, RunError> {
    let mut all = vec![Vec::new()];
    for coordinate in coordinates {
        let extent = eval_n(&coordinate.extent, values)?.max(0);
        let count = usize::try_from(extent).ok().and_then(|n| n.checked_mul(all.len()));
        if count.is_none_or(|n| n > limit) {
            return Err(RunError::OutOfBudget);
        }
        all = all.iter().flat_map(|p| (0..extent).map(move |x| [p.as_slice(), &[x]].concat())).collect();
    }
    Ok(all)
}

/// All threads of a grid. Refuses when a block or the grid has more than `limit`.
pub fn threads_of<C>(kernel: &Kernel<C>, values: &Env, limit: usize) -> Result<Vec<Thread>, RunError> {
    let threads = places(&kernel.threads, values, limit)?;
    let blocks = places(&kernel.blocks, values, limit)?;
    if blocks.len().saturating_mul(threads.len()) > limit {
        return Err(RunError::OutOfBudget);
    }
    let pairs = blocks.iter().flat_map(|b| threads.iter().map(move |t| (b, t)));
    Ok(pairs.map(|(b, t)| Thread { block: b.clone(), thread: t.clone() }).collect())
}

/// The linear id of a thread in its block.
pub fn linear_of<C>(kernel: &Kernel<C>, thread: &Thread, values: &Env) -> Result<i128, EvalError> {
    let mut env = values.clone();
    for (coordinate, value) in kernel.threads.iter().zip(&thread.thread) {
        env.set(&coordinate.var.name, *value);
    }
    eval_n(&linear_id(&kernel.threads), &env)
}

/// The coordinates of the cluster of a thread in the grid of clusters. [SCOPE-CLUSTER]
fn cluster_of<C>(kernel: &Kernel<C>, thread: &Thread, values: &Env) -> Result<Vec<i128>, EvalError> {
    if kernel.clusters.is_empty() {
        return Ok(thread.block.clone());
    }
    let mut env = values.clone();
    for (coordinate, value) in kernel.blocks.iter().zip(&thread.block) {
        env.set(&coordinate.var.name, *value);
    }
    cluster_ids(kernel).iter().map(|n| eval_n(n, &env)).collect()
}

/// The lowest level that contains both threads; `None` when they are the same thread. [SCOPE-MEET]
pub fn meeting<C>(
    kernel: &Kernel<C>,
    pair: [&Thread; 2],
    values: &Env,
    warp_size: u32,
) -> Result<Option<Level>, EvalError> {
    let [one, two] = pair;
    if one == two {
        return Ok(None);
    }
    if one.block != two.block {
        let together = cluster_of(kernel, one, values)? == cluster_of(kernel, two, values)?;
        return Ok(Some(if together { Level::Cluster } else { Level::Grid }));
    }
    let size = i128::from(warp_size.max(1));
    let same = linear_of(kernel, one, values)? / size == linear_of(kernel, two, values)? / size;
    Ok(Some(if same { Level::Warp } else { Level::Block }))
}

/// The lanes of two threads in their warps.
pub fn lanes_of<C>(
    kernel: &Kernel<C>,
    pair: [&Thread; 2],
    values: &Env,
    warp_size: u32,
) -> Result<[i128; 2], EvalError> {
    let size = i128::from(warp_size.max(1));
    Ok([linear_of(kernel, pair[0], values)? % size, linear_of(kernel, pair[1], values)? % size])
}

/// Does a barrier, where it is reached, order two threads that meet at a level, in these lanes? [SCOPE-SYNC] [SCOPE-MASK]
pub fn orders(barrier: &Barrier, level: Level, lanes: [i128; 2], env: &Env) -> Result<bool, EvalError> {
    match &barrier.mask {
        _ if barrier.scope < level.scope() => Ok(false),
        Some(mask) if level == Level::Warp => {
            let mask = eval_n(mask, env)?;
            Ok(lanes.iter().all(|lane| (mask >> lane.clamp(&0, &127)) & 1 == 1))
        }
        Some(_) | None => Ok(true),
    }
}

/// Runs one of two threads of the kernel as it was before projection, with the barriers that order this pair: those
/// whose scope is at least `level`, and with both lanes in the mask, if there is one.
pub fn replay_one(
    kernel: &Kernel<Protocol>,
    thread: &Thread,
    lanes: [i128; 2],
    level: Level,
    values: &Env,
    budget: &mut u64,
) -> Result<Run, RunError> {
    let counts = |barrier: &Barrier, env: &Env| orders(barrier, level, lanes, env);
    run(kernel, &kernel.code, thread, values, &counts, budget)
}

/// Runs two threads with the barriers that order them: [`replay_one`] for each.
///
/// Source:   theory 3, 6; protocol-spec/02-semantics.md [SEM-REPLAY].    Shape: the runs, in the order of the pair.
/// Errors:   those of [`run`], and `Divergence` when the two do not pass the same of these barriers.
pub fn replay(
    kernel: &Kernel<Protocol>,
    pair: [&Thread; 2],
    level: Level,
    warp_size: u32,
    values: &Env,
    budget: &mut u64,
) -> Result<[Run; 2], RunError> {
    let lanes = lanes_of(kernel, pair, values, warp_size)?;
    let one = replay_one(kernel, pair[0], lanes, level, values, budget)?;
    let two = replay_one(kernel, pair[1], lanes, level, values, budget)?;
    if one.barriers != two.barriers {
        return Err(RunError::Divergence);
    }
    Ok([one, two])
}

/// The races between two replayed runs: pairs of accesses of one phase. [SEM-REPLAY]
pub fn replayed_races(
    [one, two]: [&Run; 2],
    level: Level,
) -> impl Iterator<Item = (usize, &AccessValue, &AccessValue)> {
    one.phases.iter().zip(&two.phases).enumerate().flat_map(move |(phase, (a, b))| {
        a.iter().flat_map(move |x| b.iter().filter(move |y| x.races(y, level)).map(move |y| (phase, x, y)))
    })
}

/// Does the witness hold up: do the two threads, at these two sites, touch a common cell in the same phase, with modes
/// that race? The answer is the pair of access values, the first of thread one. [SEM-REPLAY]
pub fn confirm(runs: &[Run; 2], sites: [SiteId; 2], level: Level) -> Option<(AccessValue, AccessValue)> {
    let [one, two] = runs;
    one.phases.iter().zip(&two.phases).find_map(|(a, b)| {
        // By the array and all but the last index, so that two long loops are not compared pair by pair.
        let mut cells: FxHashMap<_, BTreeMap<i128, Vec<&AccessValue>>> = FxHashMap::default();
        let place = |access: &AccessValue| {
            let (last, before) = access.index.split_last().map_or((0, &[][..]), |(l, b)| (*l, b));
            ((access.array.clone(), before.to_vec()), last)
        };
        let mut widest = 0;
        for access in b.iter().filter(|y| y.site == sites[1]) {
            let (group, last) = place(access);
            widest = widest.max(i128::from(access.width));
            cells.entry(group).or_default().entry(last).or_default().push(access);
        }
        a.iter().filter(|x| x.site == sites[0]).find_map(|x| {
            let (group, last) = place(x);
            let near = last.saturating_sub(widest)..=last.saturating_add(i128::from(x.width));
            let found = cells.get(&group)?.range(near).flat_map(|(_, all)| all).find(|y| x.races(y, level))?;
            Some((x.clone(), (*found).clone()))
        })
    })
}

/// Does the assumption of the header hold for the thread? [SEM-PRE]
pub fn admits<C>(kernel: &Kernel<C>, thread: &Thread, values: &Env) -> Result<bool, EvalError> {
    let mut env = values.clone();
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
        env.set(&coordinate.var.name, *value);
    }
    eval_b(&kernel.pre, &env)
}
