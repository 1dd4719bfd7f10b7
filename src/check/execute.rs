//! A race on the kernel itself: its code is run with the values of a witness, until both accesses were made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use super::kernel::CheckOptions;
use super::source::{KernelCode, SourceKernel};
use super::witness::{Content, Race, input_place};
use crate::base::Span;
use crate::core::Mode;
use crate::frontend::cuda::lower::LoweredKernel;
use crate::interp::{
    ASSUMPTION, Cell, EACH, Goal, Inputs, Missed, NO_PLACE, NO_RUN, Part, SUBSCRIPT, Stop, replay, strand,
};
use crate::kernel::infer::Behind;
use crate::report::finding::{AccessReport, Launch, LaunchSource, Ran, Witness};
use crate::smt::{Cache, Digest};

/// Operations for one race, and for all of a kernel.
const STEPS: u64 = 1_000_000;
const ALL_STEPS: u64 = 4_000_000;
/// Random contents that are tried, where the model rests on values that are not modelled.
const SEEDS: [u64; 3] = [1, 2, 3];
/// The same, with contents that are the same in all elements of an array.
const FLAT_SEEDS: u64 = 8;

/// Steps that take longer than to look for what came of them before.
const LONG: u64 = 10_000;

/// How it is said that a run without a meaning, or a trap, ends it.
pub(super) const ENDS: &str = "the run ends before";

/// A thread: its block, and its place there.
type Place = ([u32; 3], [u32; 3]);

/// Runs the code of a kernel.
pub(super) struct Executor<'a> {
    code: Result<&'a LoweredKernel, String>,
    /// The values of parameters that are given, and pointers that are the same.
    params: BTreeMap<String, i128>,
    same: BTreeMap<String, String>,
    /// What the host writes in ways that are not followed. [HOST-UNTOLD]
    untold: BTreeSet<String>,
    warp_size: u32,
    /// That are left, for all races of the kernel.
    steps: u64,
    cache: Option<Arc<Cache>>,
    /// Of the code, once it was asked for.
    digest: Option<Option<Digest>>,
}

/// Does the program say how large an object is?
pub(super) enum Size {
    Declared,
    Unknown,
}

/// What came of a run.
pub(super) enum Tried {
    /// Both accesses were made in one phase. Did they store the same bytes, where that is known? And where did each begin, in
    /// bytes of the array?
    Met { ran: Ran, same_value: Option<bool>, starts: Option<[u64; 2]> },
    /// With all that the witness says there is no such race, and why.
    Refuted(String),
    /// The run left an object before, and how: other parameters may not lead out of it.
    Left { how: String, size: Size },
    /// Nothing is known, and why.
    NotRun(String),
}

impl<'a> Executor<'a> {
    pub fn new(
        kernel: &'a SourceKernel,
        launch: &Launch,
        options: &CheckOptions,
        cache: Option<Arc<Cache>>,
    ) -> Executor<'a> {
        let mut params = options.params.clone();
        let mut same = BTreeMap::new();
        let mut code = match &kernel.code {
            KernelCode::Cuda(code) => Ok(&**code),
            KernelCode::Protocol(_) => Err("there is only a protocol".to_owned()),
        };
        if launch.from == LaunchSource::LaunchSite {
            params.extend(kernel.host.params.clone());
            params.extend(options.params.clone());
            for (later, (earlier, start)) in &kernel.host.aliases {
                if *start == Behind::Start {
                    same.insert(later.clone(), earlier.clone());
                } else {
                    code = Err(format!("`{later}` points somewhere into the array of `{earlier}`"));
                }
            }
        }
        let untold = kernel.host.untold.clone();
        let warp_size = options.warps.size;
        Executor { code, params, same, untold, warp_size, steps: ALL_STEPS, cache, digest: None }
    }

    /// Runs the two threads, and as many others as it takes, up to the race.
    pub fn run(
        &mut self,
        spans: [Span; 2],
        modes: [Mode; 2],
        race: &Race,
        accesses: &[AccessReport],
        witness: &Witness,
    ) -> Tried {
        let (code, threads, mut inputs) = match self.prepare(accesses, witness) {
            Ok(prepared) => prepared,
            Err(why) => return Tried::NotRun(why),
        };
        // Where the formula holds without it, what is in shared memory at first does not matter.
        inputs.uninitialised = race.doubt.is_some();
        inputs.cells = cells(&race.needed);
        let goal = Goal { threads, spans, modes };
        let values = (&race.needed, &race.cells, &race.data, race.doubt.is_some(), &race.numbers);
        let key = self.key(&("race", &goal, &inputs, values));
        if let Some(before) = self.before(key.as_ref()) {
            return before;
        }
        let mut steps = inputs.steps;
        let run = |inputs: &Inputs, goal: &Goal, steps: &mut u64| {
            // What takes too long leaves some for the others.
            let mut own = steps.div_ceil(3);
            let before = own;
            let found = replay(&code.program, code.kernel, inputs, goal, &mut own);
            *steps -= before - own;
            found
        };
        let mut found = Err(Missed::Finished);
        if let Some(data) = &race.data {
            let inputs = Inputs { cells: cells(&data.cells), floats: data.floats.clone(), ..inputs.clone() };
            found = run(&inputs, &goal, &mut steps);
        }
        if found.is_err() {
            found = run(&inputs, &goal, &mut steps);
        }
        if found.is_err() && race.cells.len() > race.needed.len() {
            inputs.cells = cells(&race.cells);
            found = run(&inputs, &goal, &mut steps);
        }
        // Other floating-point numbers, which the model says nothing of, may fulfil what is assumed of them.
        let forbidden = matches!(&found, Err(Missed::Stopped(Stop::Undefined(why))) if why == ASSUMPTION);
        if race.doubt.is_some() || forbidden {
            inputs.zeros = false;
            let flat = if race.numbers.is_empty() { 0 } else { FLAT_SEEDS };
            let each = EACH..EACH + race.numbers.len() as u64;
            for seed in SEEDS.into_iter().chain(100..100 + flat).chain(each) {
                if matches!(found, Ok(_) | Err(Missed::Diverged)) {
                    break;
                }
                inputs.seed = seed;
                if seed >= 100 {
                    inputs.flat.clone_from(&race.numbers);
                }
                found = run(&inputs, &goal, &mut steps);
            }
        }
        let took = inputs.steps - steps;
        let tried = match found {
            Ok(met) => Tried::Met {
                ran: ran(met.part),
                same_value: met.same_value,
                starts: Some(met.accesses.map(|access| access.start)),
            },
            Err(Missed::Finished) if inputs.cells.len() == race.cells.len() => Tried::Refuted(
                "with these values the two threads were run, and did not make these accesses in one phase".to_owned(),
            ),
            Err(Missed::Diverged) => {
                Tried::Refuted("with these values not all threads pass the barriers before the race".to_owned())
            }
            Err(missed) => not_seen(missed, "the race"),
        };
        self.spent(key, took, tried)
    }

    /// Runs the two threads, and as many others as it takes, until one waits at the barrier where the other does not come.
    pub fn strand(
        &mut self,
        barrier: Span,
        contents: &[Content],
        threads: &[AccessReport],
        witness: &Witness,
    ) -> Tried {
        let (code, pair, mut inputs) = match self.prepare(threads, witness) {
            Ok(prepared) => prepared,
            Err(why) => return Tried::NotRun(why),
        };
        inputs.cells = cells(contents);
        let key = self.key(&("barrier", barrier, &pair, &inputs));
        if let Some(before) = self.before(key.as_ref()) {
            return before;
        }
        let mut steps = inputs.steps;
        let found = strand(&code.program, code.kernel, &inputs, &pair, barrier, &mut steps);
        let took = inputs.steps - steps;
        let tried = match found {
            Ok(part) => Tried::Met { ran: ran(part), same_value: None, starts: None },
            // Of one barrier in a loop, not in the same iteration.
            Err(Missed::Finished) => Tried::NotRun("it is the iterations that differ, not the barriers".to_owned()),
            Err(Missed::Diverged) => Tried::Refuted("with these values threads part at another barrier".to_owned()),
            Err(missed) => not_seen(missed, "the barrier"),
        };
        self.spent(key, took, tried)
    }

    /// Of a run: the code, all that it is run with, and what it looks for.
    fn key(&mut self, run: &dyn Debug) -> Option<Digest> {
        let (cache, code) = (self.cache.as_ref()?, *self.code.as_ref().ok()?);
        let digest = *self.digest.get_or_insert_with(|| cache.key_of(&(&code.program, code.kernel)));
        cache.key_of(&(digest?, run))
    }

    /// What came of the same run in an earlier run of the tool.
    fn before(&mut self, key: Option<&Digest>) -> Option<Tried> {
        let (took, tried) = read(&self.cache.as_ref()?.kept(key?)?)?;
        self.steps = self.steps.saturating_sub(took);
        Some(tried)
    }

    /// Counts the steps of a run, and keeps what came of it if it took long. [WIT-KEPT]
    fn spent(&mut self, key: Option<Digest>, took: u64, tried: Tried) -> Tried {
        self.steps = self.steps.saturating_sub(took);
        if let (Some(cache), Some(key), true) = (&self.cache, key, took > LONG) {
            cache.keep(&key, &write(took, &tried));
        }
        tried
    }

    /// The code, the places of the two threads, and what they are run with.
    fn prepare(
        &self,
        threads: &[AccessReport],
        witness: &Witness,
    ) -> Result<(&'a LoweredKernel, [Place; 2], Inputs), String> {
        let code = self.code.clone()?;
        let small = |at: &[i128; 3]| -> Option<[u32; 3]> {
            let [x, y, z] = at.map(|n| u32::try_from(n).ok());
            Some([x?, y?, z?])
        };
        let places: Option<Vec<_>> = threads.iter().map(|a| Some((small(&a.block)?, small(&a.thread)?))).collect();
        let places = places.and_then(|places| <[_; 2]>::try_from(places).ok());
        let (Some(places), Some(block), Some(grid)) = (places, small(&witness.block_dim), small(&witness.grid_dim))
        else {
            return Err("the launch is too large".to_owned());
        };
        let mut params = witness.params.clone();
        params.extend(self.params.clone());
        let inputs = Inputs {
            block,
            grid,
            warp_size: self.warp_size,
            params,
            steps: STEPS.min(self.steps),
            dynamic: 1 << 20,
            zeros: true,
            same: self.same.clone(),
            unknown: self.untold.clone(),
            exact: true,
            ..Inputs::default()
        };
        Ok((code, places, inputs))
    }
}

/// How many steps a run took, what came of it, and why, or what the two stored.
fn write(took: u64, tried: &Tried) -> String {
    let places;
    let (word, why) = match tried {
        Tried::Met { ran, same_value, starts: None } => (met(*ran), stored(*same_value)),
        Tried::Met { ran, same_value, starts: Some([one, two]) } => {
            places = format!("{} {one} {two}", stored(*same_value));
            (met(*ran), &*places)
        }
        Tried::Refuted(why) => ("refuted", &**why),
        Tried::Left { how, size: Size::Declared } => ("left-declared", &**how),
        Tried::Left { how, size: Size::Unknown } => ("left-unknown", &**how),
        Tried::NotRun(why) => ("not-run", &**why),
    };
    format!("{took} {word}\n{why}\n")
}

fn met(ran: Ran) -> &'static str {
    match ran {
        Ran::Threads => "met-by-threads",
        Ran::Blocks => "met-by-blocks",
        Ran::Grid => "met-by-grid",
    }
}

fn stored(same_value: Option<bool>) -> &'static str {
    match same_value {
        None => "unknown",
        Some(true) => "same",
        Some(false) => "different",
    }
}

fn read(text: &str) -> Option<(u64, Tried)> {
    let (first, why) = text.strip_suffix('\n')?.split_once('\n')?;
    let (took, word) = first.split_once(' ')?;
    if let Some(ran) = [Ran::Threads, Ran::Blocks, Ran::Grid].into_iter().find(|ran| met(*ran) == word) {
        let (why, starts) = match why.split(' ').collect::<Vec<_>>().as_slice() {
            [why] => (*why, None),
            [why, one, two] => (*why, Some([one.parse().ok()?, two.parse().ok()?])),
            _ => return None,
        };
        let same_value = [None, Some(true), Some(false)].into_iter().find(|same| stored(*same) == why)?;
        return Some((took.parse().ok()?, Tried::Met { ran, same_value, starts }));
    }
    let why = why.to_owned();
    let tried = match word {
        "refuted" => Tried::Refuted(why),
        "left-declared" => Tried::Left { how: why, size: Size::Declared },
        "left-unknown" => Tried::Left { how: why, size: Size::Unknown },
        "not-run" => Tried::NotRun(why),
        _ => return None,
    };
    Some((took.parse().ok()?, tried))
}

fn ran(part: Part) -> Ran {
    match part {
        Part::Pair => Ran::Threads,
        Part::Blocks => Ran::Blocks,
        Part::Grid => Ran::Grid,
    }
}

fn not_seen(missed: Missed, what: &str) -> Tried {
    match missed {
        Missed::Finished => Tried::NotRun("no input gives an array what it is to hold".to_owned()),
        Missed::Diverged => Tried::NotRun(format!("not all threads get to {what}")),
        Missed::Stopped(Stop::OutOfBudget) => Tried::NotRun(format!("the run to {what} is too long")),
        // With values for which C gives it no meaning, nobody runs it. (Memory is there all the same.)
        Missed::Stopped(Stop::Undefined(why)) if why == ASSUMPTION || NO_RUN.contains(&&*why) => {
            Tried::Refuted(format!("with these values {ENDS} {what}: {why}"))
        }
        // That no subscript leaves its dimension is assumed: such a run shows nothing.
        Missed::Stopped(Stop::Undefined(why)) if why == SUBSCRIPT => {
            Tried::Left { how: format!("with these values {ENDS} {what}: {why}"), size: Size::Declared }
        }
        Missed::Stopped(Stop::Undefined(why)) if NO_PLACE.contains(&&*why) => {
            Tried::Left { how: format!("{why}, before {what}"), size: Size::Unknown }
        }
        Missed::Stopped(Stop::Undefined(why)) => Tried::NotRun(format!("before {what}: {why}")),
        Missed::Stopped(Stop::Unsupported(why)) => Tried::NotRun(format!("it stops at: {why}")),
    }
}

/// Contents of arrays as numbers at places; what has no place is left out.
fn cells(contents: &[Content]) -> Vec<Cell> {
    let cell = |(fun, args, value): &Content| {
        let (array, at) = input_place(fun, args)?;
        Some(Cell { array, at, ty: fun.ty, value: *value })
    };
    contents.iter().filter_map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(tried: &Tried) -> String {
        match tried {
            Tried::Met { ran, same_value, starts } => format!("met {ran:?} {same_value:?} {starts:?}"),
            Tried::Refuted(why) => format!("refuted {why}"),
            Tried::Left { how, size } => format!("left {} {how}", matches!(size, Size::Declared)),
            Tried::NotRun(why) => format!("not run {why}"),
        }
    }

    #[test]
    fn what_came_of_a_run_is_read_as_it_was_written() {
        let why = || "it stops at: `a\nb`".to_owned();
        let all = [
            Tried::Refuted(why()),
            Tried::Left { how: why(), size: Size::Declared },
            Tried::Left { how: why(), size: Size::Unknown },
            Tried::NotRun(why()),
            Tried::Met { ran: Ran::Threads, same_value: None, starts: None },
            Tried::Met { ran: Ran::Blocks, same_value: Some(true), starts: Some([4, 8]) },
            Tried::Met { ran: Ran::Grid, same_value: Some(false), starts: Some([0, 0]) },
        ];
        for tried in all {
            let (took, found) = read(&write(17, &tried)).expect("it can be read");
            assert_eq!((took, said(&found)), (17, said(&tried)));
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for text in [
            "",
            "17 met\n\n",
            "17 met-by-grid\n\n",
            "17 met-by-grid\nSame\n",
            "met-by-grid\nsame\n",
            "17 refuted\n",
            "refuted\nwhy\n",
            "-1 refuted\nwhy\n",
            "17 refuted\nwhy",
        ] {
            assert!(read(text).is_none(), "{text:?}");
        }
    }
}
