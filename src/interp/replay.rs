//! Runs of as few threads as it takes to see two of them meet: two accesses that race, executed.
//!
//! [WIT-PREFIX] What runs is the beginning of a run of the whole grid, in which the threads that are left out have not
//! begun: so nothing that waits for one of them is passed. A thread that cannot go on, because what comes next has no
//! meaning or is not supported, has only done what came before.

use std::collections::BTreeMap;

use super::barriers::{Status, release};
use super::machine::{Machine, Worker, thread_at, threads, threads_of_block};
use super::race::{conflict, same_value};
use super::{Access, Inputs, Kind, ObjectId, Stop, Thread};
use crate::base::Span;
use crate::core::{Mode, Scope};
use crate::kernel::ir::{FunId, Program};

/// Two threads by block and place in it, and what each is expected to do.
#[derive(Clone, Debug)]
pub struct Goal {
    pub threads: [([u32; 3], [u32; 3]); 2],
    pub spans: [Span; 2],
    pub modes: [Mode; 2],
}

/// Which threads of the grid ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Pair,
    Blocks,
    Grid,
}

/// The accesses as they were executed.
#[derive(Clone, Debug)]
pub struct Met {
    pub accesses: [Access; 2],
    pub part: Part,
    /// Did both store the same bytes in the same place? `None`: what they stored is not known.
    pub same_value: Option<bool>,
}

/// Why the accesses were not seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missed {
    /// Both threads ran to their ends.
    Finished,
    /// A thread, or one that it waited for, could not go on.
    Stopped(Stop),
    /// The two threads do not pass the same barriers.
    Diverged,
}

/// Accesses of one thread that the goal is about, by object and first byte.
type Seen = BTreeMap<(ObjectId, u64), Vec<Access>>;

/// Looks for the two accesses while the machine runs.
pub(super) struct Watch {
    goal: Goal,
    numbers: [u32; 2],
    places: [Thread; 2],
    seen: [Seen; 2],
    widest: u64,
    pub met: Option<[Access; 2]>,
}

impl Watch {
    /// Is an access of this thread here one that it may be about?
    pub fn looks_at(&self, worker: &Worker, span: Span) -> bool {
        [0, 1].iter().any(|one| self.numbers[*one] == worker.number && self.goal.spans[*one] == span)
    }

    /// Of a copy that one of several threads makes: the thread that it is about.
    pub fn copier(&self, span: Span) -> Option<u32> {
        [0, 1].iter().find(|one| self.goal.spans[**one] == span).map(|one| self.numbers[*one])
    }

    /// Takes note of an access.
    pub fn see(&mut self, worker: &Worker, access: Access) {
        for one in [0, 1] {
            let mode = match (access.kind, &self.goal.modes[one]) {
                (Kind::Read, Mode::Rd) | (Kind::Write, Mode::Wr(_)) => true,
                (Kind::Atomic(a), Mode::At(b)) => a == *b,
                _ => false,
            };
            if self.met.is_some() || self.numbers[one] != worker.number || self.goal.spans[one] != access.span || !mode
            {
                continue;
            }
            self.widest = self.widest.max(access.length);
            let other = 1 - one;
            let near = (access.object, access.start.saturating_sub(self.widest))
                ..(access.object, access.start.saturating_add(access.length));
            let overlaps = |b: &&Access| b.start.saturating_add(b.length) > access.start;
            let found = self.seen[other].range(near).flat_map(|(_, all)| all).filter(overlaps);
            let races = |b: &&Access| conflict(&access, b, &self.places[one], &self.places[other]);
            if let Some(found) = { found }.find(races) {
                let mut pair = [access.clone(), found.clone()];
                if one == 1 {
                    pair.swap(0, 1);
                }
                self.met = Some(pair);
                return;
            }
            let before = self.seen[one].entry((access.object, access.start)).or_default();
            if !before.iter().any(|b| (b.phase, b.length) == (access.phase, access.length)) {
                before.push(access.clone());
            }
        }
    }
}

/// Runs the kernel until the two accesses were executed in one phase. `steps` is used up over calls.
pub fn replay(program: &Program, kernel: FunId, inputs: &Inputs, goal: &Goal, steps: &mut u64) -> Result<Met, Missed> {
    for part in [Part::Pair, Part::Blocks, Part::Grid] {
        // The one before the other, or the other before the one: they may read what the other writes.
        for reversed in [false, true] {
            match (Try { program, kernel, inputs, goal, part, reversed, steps }).run() {
                Ok(met) => return Ok(met),
                Err(Ended::Waits) => break,
                Err(Ended::Missed(Missed::Finished | Missed::Diverged)) if !reversed => {}
                Err(Ended::Missed(why)) => return Err(why),
            }
        }
    }
    Err(Missed::Diverged)
}

/// The threads that run, the two first.
pub(super) fn chosen(inputs: &Inputs, pair: &[([u32; 3], [u32; 3]); 2], part: Part) -> Vec<Thread> {
    let mut pair: Vec<Thread> = pair.iter().map(|(block, thread)| thread_at(inputs, *block, *thread)).collect();
    if part == Part::Pair {
        return pair;
    }
    let mut all = match part {
        Part::Grid => threads(inputs),
        Part::Pair | Part::Blocks => {
            let mut blocks: Vec<[u32; 3]> = pair.iter().map(|t| t.block).collect();
            blocks.dedup();
            blocks.into_iter().flat_map(|block| threads_of_block(inputs, block)).collect()
        }
    };
    if all.is_empty() {
        return all;
    }
    all.retain(|t| !pair.contains(t));
    pair.extend(all);
    pair
}

/// The widest barriers that can be passed when this part runs.
pub(super) fn widest(inputs: &Inputs, pair: &[([u32; 3], [u32; 3]); 2], part: Part) -> Option<Scope> {
    let blocks = inputs.grid.iter().fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
    let here = if pair[0].0 == pair[1].0 { 1 } else { 2 };
    match part {
        Part::Grid => Some(Scope::Grid),
        Part::Blocks if blocks == here => Some(Scope::Grid),
        Part::Blocks => Some(Scope::Block),
        Part::Pair => None,
    }
}

enum Ended {
    Missed(Missed),
    /// For threads that are left out.
    Waits,
}

struct Try<'a> {
    program: &'a Program,
    kernel: FunId,
    inputs: &'a Inputs,
    goal: &'a Goal,
    part: Part,
    reversed: bool,
    steps: &'a mut u64,
}

impl Try<'_> {
    fn run(&mut self) -> Result<Met, Ended> {
        let stopped = |stop| Ended::Missed(Missed::Stopped(stop));
        let places = chosen(self.inputs, &self.goal.threads, self.part);
        let [one, two] = places
            .get(..2)
            .and_then(|pair| <[Thread; 2]>::try_from(pair).ok())
            .ok_or_else(|| stopped(Stop::Unsupported("a grid of this size".to_owned())))?;
        let widest = widest(self.inputs, &self.goal.threads, self.part);
        let mut machine = Machine::new(self.program, self.inputs);
        machine.steps = *self.steps;
        machine.watch = Some(Watch {
            goal: self.goal.clone(),
            numbers: [0, 1],
            places: [one, two],
            seen: Default::default(),
            widest: 1,
            met: None,
        });
        let result = self.pursue(&mut machine, &places, widest);
        *self.steps = machine.steps;
        let met = result?;
        let unknown = met.iter().any(|access| access.value.contains(&None));
        let same_value = (!unknown).then(|| same_value(&met[0], &met[1]));
        Ok(Met { accesses: met, part: self.part, same_value })
    }

    fn pursue(&self, machine: &mut Machine, places: &[Thread], widest: Option<Scope>) -> Result<[Access; 2], Ended> {
        let stopped = |stop| Ended::Missed(Missed::Stopped(stop));
        let mut params = BTreeMap::new();
        let mut workers = machine.start(self.kernel, places, &mut params).map_err(stopped)?;
        let mut order: Vec<usize> = (0..workers.len()).collect();
        if self.reversed {
            order.swap(0, 1);
        }
        // A thread that takes too long leaves the other its half.
        let half = if self.part == Part::Pair { machine.steps / 2 } else { 0 };
        loop {
            for i in &order {
                let Some(worker) = workers.get_mut(*i) else { continue };
                let least = machine.steps.saturating_sub(half).min(half);
                while let Status::Ready = worker.status {
                    if machine.steps <= least && least > 0 {
                        worker.status = Status::Parked(Stop::OutOfBudget);
                        break;
                    }
                    match machine.step(worker) {
                        Ok(()) => {}
                        Err(Stop::OutOfBudget) => return Err(stopped(Stop::OutOfBudget)),
                        Err(stop) => worker.status = Status::Parked(stop),
                    }
                    if let Some(met) = machine.watch.as_mut().and_then(|watch| watch.met.take()) {
                        return Ok(met);
                    }
                }
            }
            if !release(&mut workers, widest, self.inputs) {
                return Err(ended(&workers, widest));
            }
        }
    }
}

/// Why the two threads, which are the first, did not go on.
fn ended(workers: &[Worker], widest: Option<Scope>) -> Ended {
    let mut waits = false;
    for worker in workers.iter().take(2) {
        match &worker.status {
            Status::Parked(stop) => return Ended::Missed(Missed::Stopped(stop.clone())),
            Status::Waits(at) if widest.is_none_or(|widest| at.scope > widest) => return Ended::Waits,
            Status::Offers(_) if widest.is_none() => return Ended::Waits,
            Status::Waits(_) | Status::Offers(_) => waits = true,
            Status::Ready | Status::Done => {}
        }
    }
    if !waits {
        return Ended::Missed(Missed::Finished);
    }
    // For one that cannot go on, or for one that never comes.
    let parked = workers.iter().find_map(|worker| match &worker.status {
        Status::Parked(stop) => Some(stop.clone()),
        Status::Ready | Status::Waits(_) | Status::Offers(_) | Status::Done => None,
    });
    Ended::Missed(parked.map_or(Missed::Diverged, Missed::Stopped))
}
