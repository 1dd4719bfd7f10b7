//! THE ordered list of passes, from a kernel of the source to what the solver is asked.
//!
//! 1. `infer`: kernel language to protocol. First, since everything else works on protocols.
//! 2. `violations`: is the protocol in the language? Before anything is erased from it; one that is not is rejected.
//! 3. `project`: the kernel as two threads see it that meet at a level. Before phases, because it erases barriers.
//! 4. `phases`: one closure a barrier and one for the entry. After projection, which decides what is a barrier.
//! 5. `race_phase`: the guarded accesses of a phase, and the formula that holds iff two of them race.

use crate::core::align::{align, aligned_size};
use crate::core::closure::Closure;
use crate::core::nonempty::{MustRun, must_run};
use crate::core::phases::phases;
use crate::core::race::{RacePhase, race_phase};
use crate::core::scope::{Level, Projection, levels, project};
use crate::core::split::split;
use crate::core::wellformed::{Violation, wellformed};
use crate::core::{Alignment, Kernel, Protocol, WellFormed};

/// How the phases of a kernel are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhasePath {
    /// Pass 4, one closure a barrier.
    #[default]
    Phases,
    /// As \[MAP\] has it: `wellformed`, `align` and `split` in its place. It takes fewer kernels, and is exponential in the
    /// nesting of synchronised loops.
    Paper,
}

/// A kernel at one level, ready to be asked about.
pub struct AtLevel {
    pub level: Level,
    /// The next lower level in use: the two threads do not meet there.
    pub below: Option<Level>,
    pub projection: Projection,
    pub closures: Vec<Closure>,
    /// Why the path of the paper does not take the kernel: there are no closures then.
    pub outside: Vec<Violation>,
    /// What the path of the paper takes for granted.
    pub must_run: Vec<MustRun>,
}

/// Statements of an aligned protocol that are still worth checking.
const ALIGNED_SIZE: u64 = 50_000;

/// Aligns, if the result is not too large.
pub fn aligned(code: &WellFormed) -> Result<Alignment, Violation> {
    let size = aligned_size(code);
    if size <= ALIGNED_SIZE {
        return Ok(align(code));
    }
    let message = format!("aligned, the protocol has {size} statements, and {ALIGNED_SIZE} are the limit");
    Err(Violation { rule: "ALIGN-FOR", at: None, message })
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
pub fn at_levels(kernel: &Kernel<Protocol>, wanted: &[Level], warp_size: u32, path: PhasePath) -> Vec<AtLevel> {
    let in_use = levels_in_use(kernel, wanted);
    let selected: Vec<Level> = in_use.iter().copied().filter(|l| wanted.is_empty() || wanted.contains(l)).collect();
    selected
        .into_iter()
        .map(|level| {
            let projection = project(kernel, level, &in_use, warp_size);
            let below = in_use.iter().copied().filter(|l| *l < level).max();
            let (mut outside, mut must) = (Vec::new(), Vec::new());
            let closures = match path {
                PhasePath::Phases => phases(&projection.kernel),
                PhasePath::Paper => {
                    let admitted = wellformed(&projection.kernel, level);
                    match admitted.and_then(|k| aligned(&k.code).map_err(|large| vec![large])) {
                        Ok(alignment) => {
                            must = must_run(&projection);
                            split(&alignment)
                        }
                        Err(found) => {
                            outside = found;
                            Vec::new()
                        }
                    }
                }
            };
            AtLevel { level, below, projection, closures, outside, must_run: must }
        })
        .collect()
}
