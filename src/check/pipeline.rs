//! THE ordered list of passes, from a kernel of the source to what the solver is asked.
//!
//! 1. `infer`: kernel language to protocol. First, since everything else works on protocols.
//! 2. `violations`: is the protocol in the language? Before anything is erased from it; one that is not is rejected.
//! 3. `fenced`: when a barrier orders only some memory, one kernel for the arrays of each space. Before projection, which
//!    takes every barrier to order all that is left.
//! 4. `project`: the kernel as two threads see it that meet at a level. Before phases, because it erases barriers.
//! 5. `phases`: one closure a barrier and one for the entry. After projection, which decides what is a barrier.
//! 6. `lockstep`: in a warp, where its threads run in lock-step, one closure a store. After phases, in which loops may still
//!    hold barriers.
//! 7. `race_phase`: the guarded accesses of a phase, and the formula that holds iff two of them race.

use crate::core::align::{align, aligned_size};
use crate::core::closure::Closure;
use crate::core::fence::{fenced, orders_all};
use crate::core::lockstep::lockstep;
use crate::core::nonempty::{MustRun, must_run};
use crate::core::phases::phases;
use crate::core::race::{RacePhase, race_phase};
use crate::core::scope::{Level, Projection, levels, project};
use crate::core::split::split;
use crate::core::uniform::{Obligation, obligations};
use crate::core::wellformed::{Violation, wellformed};
use crate::core::{Alignment, Kernel, Protocol, Space, WellFormed};

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

/// How threads of a warp run.
#[derive(Clone, Copy, Debug)]
pub struct Warps {
    pub size: u32,
    /// One step after the other, all threads at the same time, as before Volta. [LOCK-STORE]
    pub lockstep: bool,
}

/// A kernel at one level, ready to be asked about.
#[derive(Clone)]
pub struct AtLevel {
    pub level: Level,
    /// The next lower level in use: the two threads do not meet there.
    pub below: Option<Level>,
    /// What is replayed.
    pub kernel: Kernel<Protocol>,
    pub projection: Projection,
    /// Where threads have to agree, so that they reach barriers together.
    pub obligations: Vec<Obligation>,
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
    fn find_phases(&mut self, path: PhasePath, warps: Warps) {
        match path {
            PhasePath::Phases => self.closures = phases(&self.projection.kernel),
            PhasePath::Paper => {
                let admitted = wellformed(&self.projection.kernel, self.level);
                match admitted.and_then(|k| aligned(&k.code).map_err(|large| vec![large])) {
                    Ok(alignment) => {
                        self.must_run = must_run(&self.projection);
                        self.closures = split(&alignment);
                    }
                    Err(found) => self.outside = found,
                }
            }
        }
        if warps.lockstep && self.level == Level::Warp {
            self.closures = self.closures.iter().flat_map(|closure| lockstep(&self.projection, closure)).collect();
        }
    }

    pub fn race_phases(&self) -> impl Iterator<Item = RacePhase> + '_ {
        self.closures.iter().map(|closure| race_phase(&self.projection, closure))
    }
}

/// The levels in use, when only those in `wanted` are looked at (all, when it is empty). A level that nothing tells apart
/// from the next higher one is one of its own when it is wanted, and the higher one is not.
pub fn levels_in_use(kernel: &Kernel<Protocol>, wanted: &[Level], warps: Warps) -> Vec<Level> {
    let mut all = levels(kernel);
    if warps.lockstep && !all.contains(&Level::Warp) {
        all.insert(0, Level::Warp);
    }
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

/// The levels of a kernel that are asked for, lowest first. Where barriers order only some memory, each level is first
/// the whole kernel, for its barriers, and then what the kernel is for each space, for the races.
pub fn at_levels(kernel: &Kernel<Protocol>, wanted: &[Level], warps: Warps, path: PhasePath) -> Vec<AtLevel> {
    let in_use = levels_in_use(kernel, wanted, warps);
    let selected: Vec<Level> = in_use.iter().copied().filter(|l| wanted.is_empty() || wanted.contains(l)).collect();
    selected
        .into_iter()
        .flat_map(|level| {
            let whole = orders_all(&kernel.code);
            let projection = project(kernel, level, &in_use, warps.size);
            let below = in_use.iter().copied().filter(|l| *l < level).max();
            let obligations = obligations(&projection);
            let mut first = AtLevel {
                level,
                below,
                kernel: kernel.clone(),
                projection,
                obligations,
                closures: Vec::new(),
                outside: Vec::new(),
                must_run: Vec::new(),
            };
            if whole {
                first.find_phases(path, warps);
                return vec![first];
            }
            let each = [Space::Shared, Space::Global].map(|space| {
                let kernel = fenced(kernel, space);
                let projection = project(&kernel, level, &in_use, warps.size);
                let obligations = Vec::new();
                let mut at = AtLevel { kernel, projection, obligations, ..first.clone() };
                at.find_phases(path, warps);
                at
            });
            std::iter::once(first).chain(each).collect()
        })
        .collect()
}
