//! THE ordered list of passes, from a kernel of the source to what the solver is asked.
//!
//! 1. `infer`: kernel language to protocol. First, since everything else works on protocols.
//! 2. `fenced`: when a barrier orders only some memory, one kernel for the arrays of each space. Before projection, which
//!    takes every barrier to order all that is left.
//! 3. `project`: the kernel as two threads see it that meet at a level. Before phases, because it erases barriers.
//! 4. `violations`: are barriers reached uniformly? On the projection, because uniformity is a matter of the level.
//! 5. `phases`: one closure a barrier and one for the entry. After projection, which decides what is a barrier.
//! 6. `race_phase`: the guarded accesses of a phase, and the formula that holds iff two of them race.

use crate::core::closure::Closure;
use crate::core::fence::{fenced, orders_all};
use crate::core::phases::phases;
use crate::core::race::{RacePhase, race_phase};
use crate::core::scope::{Level, Projection, levels, project};
use crate::core::uniform::{Obligation, obligations};
use crate::core::wellformed::{Violation, violations};
use crate::core::{Kernel, Protocol, Space};

/// A kernel at one level, ready to be asked about.
pub struct AtLevel {
    pub level: Level,
    /// What is replayed.
    pub kernel: Kernel<Protocol>,
    pub projection: Projection,
    pub violations: Vec<Violation>,
    /// Where threads have to agree, so that they reach barriers together.
    pub obligations: Vec<Obligation>,
    pub closures: Vec<Closure>,
}

impl AtLevel {
    pub fn race_phases(&self) -> impl Iterator<Item = RacePhase> + '_ {
        self.closures.iter().map(|closure| race_phase(&self.projection, closure))
    }
}

/// The levels of a kernel that are asked for, lowest first. Where barriers order only some memory, each level is first
/// the whole kernel, for its barriers, and then what the kernel is for each space, for the races.
pub fn at_levels(kernel: &Kernel<Protocol>, wanted: &[Level], warp_size: u32) -> Vec<AtLevel> {
    let in_use = levels(kernel);
    let selected: Vec<Level> = in_use.iter().copied().filter(|l| wanted.is_empty() || wanted.contains(l)).collect();
    selected
        .into_iter()
        .flat_map(|level| {
            let whole = orders_all(&kernel.code);
            let projection = project(kernel, level, &in_use, warp_size);
            let violations = violations(&projection.kernel, level);
            let obligations = obligations(&projection);
            let closures = if whole { phases(&projection.kernel) } else { Vec::new() };
            let mut all =
                vec![AtLevel { level, kernel: kernel.clone(), projection, violations, obligations, closures }];
            let spaces: &[Space] = if whole { &[] } else { &[Space::Shared, Space::Global] };
            all.extend(spaces.iter().map(|space| {
                let kernel = fenced(kernel, *space);
                let projection = project(&kernel, level, &in_use, warp_size);
                let closures = phases(&projection.kernel);
                AtLevel { level, kernel, projection, violations: Vec::new(), obligations: Vec::new(), closures }
            }));
            all
        })
        .collect()
}
