//! THE ordered list of passes, from a kernel of the source to what the solver is asked.
//!
//! 1. `infer`: kernel language to protocol. First, since everything else works on protocols.
//! 2. `project`: the kernel as two threads see it that meet at a level. Before phases, because it erases barriers.
//! 3. `violations`: are barriers reached uniformly? On the projection, because uniformity is a matter of the level.
//! 4. `phases`: one closure a barrier and one for the entry. After projection, which decides what is a barrier.
//! 5. `race_phase`: the guarded accesses of a phase, and the formula that holds iff two of them race.

use crate::core::closure::Closure;
use crate::core::phases::phases;
use crate::core::race::{RacePhase, race_phase};
use crate::core::scope::{Level, Projection, levels, project};
use crate::core::wellformed::{Violation, violations};
use crate::core::{Kernel, Protocol};

/// A kernel at one level, ready to be asked about.
pub struct AtLevel {
    pub level: Level,
    pub projection: Projection,
    pub violations: Vec<Violation>,
    pub closures: Vec<Closure>,
}

impl AtLevel {
    pub fn race_phases(&self) -> impl Iterator<Item = RacePhase> + '_ {
        self.closures.iter().map(|closure| race_phase(&self.projection, closure))
    }
}

/// The levels of a kernel that are asked for, lowest first.
pub fn at_levels(kernel: &Kernel<Protocol>, wanted: &[Level], warp_size: u32) -> Vec<AtLevel> {
    let in_use = levels(kernel);
    let selected: Vec<Level> = in_use.iter().copied().filter(|l| wanted.is_empty() || wanted.contains(l)).collect();
    selected
        .into_iter()
        .map(|level| {
            let projection = project(kernel, level, &in_use, warp_size);
            let violations = violations(&projection.kernel, level);
            let closures = phases(&projection.kernel);
            AtLevel { level, projection, violations, closures }
        })
        .collect()
}
