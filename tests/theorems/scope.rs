//! THM-SCOPE: the races of a grid, over all pairs of threads with the barriers that order each pair, are the union over
//! the levels in use of the races of the projections.

use faial_like::core::{Barrier, Kernel, Level, Protocol, Scope, Space, project, violations};
use faial_like::exp::N;
use faial_like::fuzz::theorems::{Outcome, scopes};
use faial_like::fuzz::{Dialect, Plan};

use crate::generate::{for_all, for_each, kills};

const PLAN: Plan = Plan { dialect: Dialect::Scopes, depth: 4, nesting: 2, length: 60 };

/// The theorem, for projections of a kernel that was changed.
fn agree(kernel: &Kernel<Protocol>, change: impl Fn(&Kernel<Protocol>, u32) -> (Kernel<Protocol>, u32)) -> Outcome {
    scopes::holds(kernel, &|kernel, level, in_use, warp_size| {
        let (kernel, warp_size) = change(kernel, warp_size);
        project(&kernel, level, in_use, warp_size)
    })
}

#[test]
fn levels_cover_the_grid() {
    for_all(PLAN, 250, 2, |kernel| {
        let found: Vec<_> = Level::ALL.into_iter().flat_map(|level| violations(kernel, level)).collect();
        // A condition on the number of the warp is the same in a warp, which the cheap test does not see.
        let cheap = ["WF-UNIFORM-IF", "WF-UNIFORM-FOR", "WF-UNIFORM-MASK"];
        if let Some(other) = found.iter().find(|v| !cheap.contains(&v.rule)) {
            return Err(format!("not in the language: {other:?}"));
        }
        scopes::holds(kernel, &project)
    });
}

#[test]
fn levels_cover_the_grid_of_all_small_protocols() {
    let count = for_each(Dialect::Scopes, 2, 5, |kernel| scopes::holds(kernel, &project));
    assert!(count > 200, "only {count} kernels");
}

pub fn map_barriers(code: &Protocol, change: &dyn Fn(&Barrier) -> Protocol) -> Protocol {
    match code {
        Protocol::Skip => Protocol::Skip,
        Protocol::Access(access) => Protocol::Access(access.clone()),
        Protocol::Sync(barrier) => change(barrier),
        Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(|p| map_barriers(p, change)).collect()),
        Protocol::If(b, t, e) => {
            Protocol::If(b.clone(), Box::new(map_barriers(t, change)), Box::new(map_barriers(e, change)))
        }
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(map_barriers(body, change))),
    }
}

#[test]
fn mutants_are_killed() {
    let with = |k: &Kernel<Protocol>, warp: u32, change: &dyn Fn(&Barrier) -> Protocol| {
        (k.with_code(map_barriers(&k.code, change)), warp)
    };
    kills(PLAN, "the barrier of a warp orders the block", |kernel| {
        agree(kernel, |k, warp| {
            with(k, warp, &|b| Protocol::Sync(Barrier { scope: b.scope.max(Scope::Block), mask: None, ..b.clone() }))
        })
    });
    kills(PLAN, "the barrier of a block does not order a warp", |kernel| {
        agree(kernel, |k, warp| {
            with(k, warp, &|b| if b.scope == Scope::Block { Protocol::Skip } else { Protocol::Sync(b.clone()) })
        })
    });
    kills(PLAN, "the barrier of a cluster orders the grid", |kernel| {
        agree(kernel, |k, warp| {
            with(k, warp, &|b| {
                let scope = if b.scope == Scope::Cluster { Scope::Grid } else { b.scope };
                Protocol::Sync(Barrier { scope, ..b.clone() })
            })
        })
    });
    kills(PLAN, "the barrier of a cluster orders the block only", |kernel| {
        agree(kernel, |k, warp| {
            with(k, warp, &|b| {
                let scope = if b.scope == Scope::Cluster { Scope::Block } else { b.scope };
                Protocol::Sync(Barrier { scope, ..b.clone() })
            })
        })
    });
    kills(PLAN, "each block is a cluster of its own", |kernel| {
        agree(kernel, |k, warp| {
            let mut changed = k.clone();
            changed.clusters.iter_mut().for_each(|size| *size = N::num(1));
            (changed, warp)
        })
    });
    kills(PLAN, "masks are forgotten", |kernel| {
        agree(kernel, |k, warp| with(k, warp, &|b| Protocol::Sync(Barrier { mask: None, ..b.clone() })))
    });
    kills(PLAN, "a shared array is seen by other blocks", |kernel| {
        agree(kernel, |k, warp| {
            let mut changed = k.clone();
            changed.arrays.iter_mut().for_each(|a| a.space = Space::Global);
            (changed, warp)
        })
    });
    kills(PLAN, "another warp size", |kernel| agree(kernel, |k, warp| (k.clone(), warp + 1)));
}
