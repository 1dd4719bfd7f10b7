//! THM-SCOPE: the levels together find what the direct definition finds.

use std::collections::BTreeMap;

use super::Outcome;
use crate::base::Name;
use crate::core::semantics::{self, AccessValue, Run, Thread, replayed_races};
use crate::core::{Closure, Kernel, Level, Print, Projection, Protocol, Task, levels, phases};
use crate::exp::{Env, eval_b};
use crate::fuzz::kernels::WARP;
use crate::fuzz::oracle::{self, Instances};

/// A projection of a kernel, for a warp size.
pub type Projected<'p> = &'p dyn Fn(&Kernel<Protocol>, Level, &[Level], u32) -> Projection;

type Races<'a> = Vec<(&'a AccessValue, &'a AccessValue)>;

/// The races of a grid, over all pairs of threads with the barriers that order each pair, are the union over the levels
/// in use of the races of the projections; each pair of threads meets at exactly one of these levels.
///
/// Source:   proofs-notes/scopes.md; protocol-spec/05-scopes.md.
pub fn holds(kernel: &Kernel<Protocol>, project: Projected) -> Outcome {
    let in_use = levels(kernel);
    let projections: Vec<Projection> = in_use.iter().map(|level| project(kernel, *level, &in_use, WARP)).collect();
    let closures: Vec<Vec<Closure>> = projections.iter().map(|p| phases(&p.kernel)).collect();
    let mut seen = Seen { masked: projections.iter().any(|p| p.lanes.is_some()), ..Seen::default() };
    for g in oracle::GLOBALS {
        let values = oracle::values(g);
        let threads = oracle::threads(kernel, &values)?;
        let masked = has_masks(&kernel.code);
        let mut direct = Direct { kernel, values: &values, masked, runs: BTreeMap::new() };
        let mut reduced: Vec<Reduced> = projections
            .iter()
            .zip(&closures)
            .map(|(projection, closures)| Reduced::new(projection, closures, &values))
            .collect();
        for (i, one) in threads.iter().enumerate() {
            for (j, two) in threads.iter().enumerate().skip(i + 1) {
                let mut met = Vec::new();
                for side in &mut reduced {
                    if side.meet([one, two])? {
                        met.push(side);
                    }
                }
                let [side] = met.as_mut_slice() else {
                    return Err(format!("g = {g}: {one:?} and {two:?} meet at {} levels", met.len()));
                };
                let (level, runs) = direct.runs([(i, one), (j, two)])?;
                let mut expected: Races = replayed_races(runs, level).map(|(_, a, b)| (a, b)).collect();
                let exact = !side.closures.iter().any(|c| c.approximate);
                let projected = &side.projection.kernel;
                let mut found = side.races([(i, one), (j, two)])?.concat();
                for all in [&mut expected, &mut found] {
                    all.sort_unstable();
                    all.dedup();
                }
                let missing = expected.iter().find(|race| found.binary_search(race).is_err());
                let added = found.iter().find(|race| exact && expected.binary_search(race).is_err());
                if missing.is_some() || added.is_some() {
                    return Err(format!(
                        "g = {g}, at {level:?}: the projection misses {missing:#?}, and adds {added:#?}\n{}",
                        projected.text()
                    ));
                }
                seen.race(level, !expected.is_empty() && (level != Level::Cluster || in_use.contains(&level)));
            }
        }
    }
    Ok(seen.properties())
}

#[derive(Default)]
struct Seen {
    racy: [bool; 4],
    masked: bool,
}

impl Seen {
    fn race(&mut self, level: Level, racy: bool) {
        for (seen, own) in self.racy.iter_mut().zip(Level::ALL) {
            *seen |= racy && own == level;
        }
    }

    fn properties(self) -> Vec<(&'static str, bool)> {
        let [warp, block, cluster, grid] = self.racy;
        vec![
            ("racy in a warp", warp),
            ("racy in a block", block),
            ("racy in a cluster", cluster),
            ("racy in the grid", grid),
            ("masked", self.masked),
        ]
    }
}

/// What may depend on the pair and not only on the thread: the lanes, when a barrier has a mask.
type Lanes = Option<[i128; 2]>;

/// The definition: two threads run with the barriers that order them.
struct Direct<'k> {
    kernel: &'k Kernel<Protocol>,
    values: &'k Env<'static>,
    masked: bool,
    runs: BTreeMap<(usize, Level, Lanes), Run>,
}

impl Direct<'_> {
    fn runs(&mut self, pair: [(usize, &Thread); 2]) -> Result<(Level, [&Run; 2]), String> {
        let (kernel, threads) = (self.kernel, pair.map(|(_, thread)| thread));
        let level = semantics::meeting(kernel, threads, self.values, WARP).map_err(|e| e.to_string())?;
        let level = level.ok_or("a pair is of two threads")?;
        let lanes = semantics::lanes_of(kernel, threads, self.values, WARP).map_err(|e| e.to_string())?;
        let keys = pair.map(|(i, _)| (i, level, (self.masked && level == Level::Warp).then_some(lanes)));
        for (key, thread) in keys.iter().zip(threads) {
            if !self.runs.contains_key(key) {
                let run = semantics::replay_one(kernel, thread, lanes, level, self.values, &mut oracle::BUDGET.clone());
                self.runs.insert(*key, run.map_err(|e| format!("{thread:?} at {level:?}: {e}"))?);
            }
        }
        match keys.each_ref().map(|key| self.runs.get(key)) {
            [Some(one), Some(two)] if one.barriers == two.barriers => Ok((level, [one, two])),
            _ => Err(format!("{threads:?} at {level:?} do not pass the same barriers")),
        }
    }
}

fn has_masks(code: &Protocol) -> bool {
    match code {
        Protocol::Skip | Protocol::Access(_) => false,
        Protocol::Sync(barrier) => barrier.mask.is_some(),
        Protocol::Seq(parts) => parts.iter().any(has_masks),
        Protocol::If(_, t, e) => has_masks(t) || has_masks(e),
        Protocol::For(_, body) => has_masks(body),
    }
}

/// The reduction: the closures of a projection.
pub(super) struct Reduced<'k> {
    projection: &'k Projection,
    closures: &'k [Closure],
    values: &'k Env<'static>,
    /// The names of the coordinates for each of two threads.
    coordinates: [Vec<Name>; 2],
    instances: BTreeMap<(usize, Lanes), Vec<Instances>>,
}

impl<'k> Reduced<'k> {
    pub(super) fn new(projection: &'k Projection, closures: &'k [Closure], values: &'k Env<'static>) -> Reduced<'k> {
        let coordinates = Task::BOTH.map(|task| {
            let own = projection.kernel.blocks.iter().chain(&projection.kernel.threads);
            own.map(|c| task.name(&c.var.name)).collect()
        });
        Reduced { projection, closures, values, coordinates, instances: BTreeMap::new() }
    }

    /// Of each closure: do two threads that meet at the level of the projection race in it?
    pub(super) fn racy_closures(&mut self) -> Result<Vec<bool>, String> {
        let threads = oracle::threads(&self.projection.kernel, self.values)?;
        let mut racy = vec![false; self.closures.len()];
        for (i, one) in threads.iter().enumerate() {
            for (j, two) in threads.iter().enumerate().skip(i + 1) {
                if self.meet([one, two])? {
                    let races = self.races([(i, one), (j, two)])?;
                    racy.iter_mut().zip(races).for_each(|(racy, races)| *racy |= !races.is_empty());
                }
            }
        }
        Ok(racy)
    }

    /// Do the two threads meet at the level of the projection?
    fn meet(&self, pair: [&Thread; 2]) -> Result<bool, String> {
        let projection = self.projection;
        let mut env = self.values.clone();
        for (names, thread) in self.coordinates.iter().zip(pair) {
            for (name, value) in names.iter().zip(thread.block.iter().chain(&thread.thread)) {
                env.set(name, *value);
            }
        }
        self.set_lanes(&mut env, self.lanes(pair)?);
        // Up to the level of the block the two threads are in one block, which the formula does not say.
        let together = projection.level > Level::Block || pair[0].block == pair[1].block;
        Ok(together && eval_b(&projection.meet, &env).map_err(|e| e.to_string())?)
    }

    fn lanes(&self, pair: [&Thread; 2]) -> Result<Lanes, String> {
        let Some(_) = &self.projection.lanes else { return Ok(None) };
        let lanes = semantics::lanes_of(&self.projection.kernel, pair, self.values, WARP).map_err(|e| e.to_string())?;
        Ok(Some(lanes))
    }

    fn set_lanes(&self, env: &mut Env, lanes: Lanes) {
        for (var, lane) in self.projection.lanes.iter().flatten().zip(lanes.iter().flatten()) {
            env.set(&var.name, *lane);
        }
    }

    /// The races of the two threads, closure by closure.
    fn races(&mut self, pair: [(usize, &Thread); 2]) -> Result<Vec<Races<'_>>, String> {
        let lanes = self.lanes(pair.map(|(_, thread)| thread))?;
        let kernel = &self.projection.kernel;
        for (i, thread) in pair {
            if !self.instances.contains_key(&(i, lanes)) {
                let mut values = self.values.clone();
                self.set_lanes(&mut values, lanes);
                let own = self.closures.iter().map(|c| oracle::closure_of(kernel, c, thread, &values));
                self.instances.insert((i, lanes), own.collect::<Result<_, _>>()?);
            }
        }
        let [Some(ones), Some(twos)] = pair.map(|(i, _)| self.instances.get(&(i, lanes))) else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for (one, two) in ones.iter().zip(twos) {
            if !one.keys().eq(two.keys()) {
                return Err(format!("{pair:?} do not agree on the phases of a closure"));
            }
            let phases = one.values().zip(two.values());
            let pairs = phases.flat_map(|(a, b)| a.iter().flat_map(move |x| b.iter().map(move |y| (x, y))));
            all.push(pairs.filter(|(x, y)| x.races(y, self.projection.level)).collect());
        }
        Ok(all)
    }
}
