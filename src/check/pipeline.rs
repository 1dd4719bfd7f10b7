//! THE ordered list of passes, from a kernel of the source to what the solver is asked.
//!
//! 1. `infer`: kernel language to protocol. First, since everything else works on protocols.
//! 2. `violations`: is the protocol in the language? Before anything is erased from it; one that is not is rejected.
//! 3. `project`: the kernel as two threads see it that meet at a level. Before phases, because it erases barriers.
//! 4. `phases`: one closure a barrier and one for the entry. After projection, which decides what is a barrier.
//! 5. `race_phase`: the guarded accesses of a phase, and the formula that holds iff two of them race.

use crate::core::closure::Closure;
use crate::core::phases::phases;
use crate::core::race::{RacePhase, race_phase};
use crate::core::scope::{Level, Projection, levels, project};
use crate::core::{Kernel, Protocol};

/// A kernel at one level, ready to be asked about.
pub struct AtLevel {
    pub level: Level,
    /// The next lower level in use: the two threads do not meet there.
    pub below: Option<Level>,
    pub projection: Projection,
    pub closures: Vec<Closure>,
}

impl AtLevel {
    pub fn race_phases(&self) -> impl Iterator<Item = RacePhase> + '_ {
        self.closures.iter().map(|closure| race_phase(&self.projection, closure))
    }
}

/// The levels in use, when only those in `wanted` are looked at (all, when it is empty). A level that nothing tells apart
/// from the next higher one is one of its own when it is wanted, and the higher one is not.
pub fn levels_in_use(kernel: &Kernel<Protocol>, wanted: &[Level]) -> Vec<Level> {
    let mut all = levels(kernel);
    for level in [Level::Warp, Level::Cluster] {
        let exists = level == Level::Warp || !kernel.clusters.is_empty();
        let merged_into = all.iter().find(|l| **l > level);
        let merged = !all.contains(&level) && !merged_into.is_some_and(|l| wanted.contains(l));
        if exists && merged && wanted.contains(&level) {
            all.push(level);
            all.sort_unstable();
        }
    }
    all
}

/// The levels of a kernel that are asked for, lowest first.
pub fn at_levels(kernel: &Kernel<Protocol>, wanted: &[Level], warp_size: u32) -> Vec<AtLevel> {
    let in_use = levels_in_use(kernel, wanted);
    let selected: Vec<Level> = in_use.iter().copied().filter(|l| wanted.is_empty() || wanted.contains(l)).collect();
    selected
        .into_iter()
        .map(|level| {
            let projection = project(kernel, level, &in_use, warp_size);
            let closures = phases(&projection.kernel);
            let below = in_use.iter().copied().filter(|l| *l < level).max();
            AtLevel { level, below, projection, closures }
        })
        .collect()
}
