//! THM-SCOPE: the races of a grid, over all pairs of threads with the barriers that order each pair, are the union over
//! the levels in use of the races of the projections.

use std::collections::BTreeSet;

use faial_like::core::semantics::{self, AccessValue, Thread};
use faial_like::core::{
    Barrier, Kernel, Level, Projection, Protocol, Scope, Space, Task, levels, phases, project, violations,
};
use faial_like::exp::{Env, eval_b};
use faial_like::fuzz::Dialect;
use faial_like::fuzz::kernels::WARP;

use crate::generate::{Outcome, Plan, for_all, for_each, kills};
use crate::oracle;

const PLAN: Plan = Plan { cases: 250, dialect: Dialect::Scopes, depth: 4, length: 60 };

type Race = (AccessValue, AccessValue);

fn pairs(threads: &[Thread]) -> impl Iterator<Item = [&Thread; 2]> {
    threads.iter().enumerate().flat_map(|(i, one)| threads.iter().skip(i + 1).map(move |two| [one, two]))
}

/// All races of the grid, by running every pair of threads.
fn direct(kernel: &Kernel<Protocol>, values: &Env) -> Result<BTreeSet<Race>, String> {
    let mut all = BTreeSet::new();
    for pair in pairs(&oracle::threads(kernel, values)) {
        let level = semantics::meeting(kernel, pair, values, WARP).map_err(|e| e.to_string())?.expect("two threads");
        let runs = semantics::replay(kernel, pair, level, WARP, values, &mut oracle::BUDGET.clone())
            .map_err(|e| format!("{pair:?} at {level:?}: {e}"))?;
        all.extend(semantics::replayed_races(&runs, level).map(|(_, a, b)| (a.clone(), b.clone())));
    }
    Ok(all)
}

/// Does the pair meet at the level of the projection? With the values of the lanes, which both threads see.
fn meets(projection: &Projection, pair: [&Thread; 2], values: &Env<'static>) -> Result<Option<Env<'static>>, String> {
    let kernel = &projection.kernel;
    let mut shared = values.clone();
    let mut env = values.clone();
    for (task, thread) in Task::BOTH.into_iter().zip(pair) {
        let coordinates = kernel.blocks.iter().chain(&kernel.threads);
        for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
            env.set(&task.name(&coordinate.var.name), *value);
        }
    }
    if let Some(lanes) = &projection.lanes {
        for (lane, thread) in lanes.iter().zip(pair) {
            let id = semantics::linear_of(kernel, thread, values).map_err(|e| e.to_string())?;
            env.set(&lane.name, id % i128::from(WARP));
            shared.set(&lane.name, id % i128::from(WARP));
        }
    }
    // Below the level of the grid the two threads are in one block, which the formula does not say.
    let together = projection.level == Level::Grid || pair[0].block == pair[1].block;
    let meet = eval_b(&projection.meet, &env).map_err(|e| e.to_string())?;
    Ok((together && meet).then_some(shared))
}

/// The races of the projection, by its closures, and whether one of them is approximate.
fn projected(projection: &Projection, values: &Env<'static>) -> Result<(BTreeSet<Race>, bool), String> {
    let kernel = &projection.kernel;
    let closures = phases(kernel);
    let mut all = BTreeSet::new();
    for pair in pairs(&oracle::threads(kernel, values)) {
        let Some(values) = meets(projection, pair, values)? else { continue };
        for closure in &closures {
            let [one, two] = pair.map(|thread| oracle::closure_of(kernel, closure, thread, &values));
            if !one.keys().eq(two.keys()) {
                return Err(format!("{pair:?} do not agree on the phases of {closure:#?}"));
            }
            for (a, b) in one.values().zip(two.values()) {
                let races = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
                let races = races.filter(|(x, y)| x.races(y, projection.level));
                all.extend(races.map(|(x, y)| (x.clone(), y.clone())));
            }
        }
    }
    Ok((all, closures.iter().any(|c| c.approximate)))
}

fn agree(kernel: &Kernel<Protocol>, change: impl Fn(&Kernel<Protocol>) -> (Kernel<Protocol>, u32)) -> Outcome {
    let in_use = levels(kernel);
    let (changed, warp_size) = change(kernel);
    let (mut at_warp, mut at_block, mut at_grid, mut masked) = (false, false, false, false);
    for g in 0..3 {
        let values = oracle::values(g);
        let expected = direct(kernel, &values)?;
        let mut all = BTreeSet::new();
        let mut approximate = false;
        for level in &in_use {
            let projection = project(&changed, *level, &in_use, warp_size);
            masked |= projection.lanes.is_some();
            let (races, loose) = projected(&projection, &values)?;
            all.extend(races);
            approximate |= loose;
        }
        for pair in pairs(&oracle::threads(kernel, &values)) {
            let meeting = in_use.iter().filter(|level| {
                let projection = project(&changed, **level, &in_use, warp_size);
                matches!(meets(&projection, pair, &values), Ok(Some(_)))
            });
            if meeting.count() != 1 {
                return Err(format!("{pair:?} do not meet at exactly one level"));
            }
        }
        if !approximate && all != expected {
            let missing: Vec<_> = expected.difference(&all).take(2).collect();
            let added: Vec<_> = all.difference(&expected).take(2).collect();
            return Err(format!("g = {g}: missing {missing:#?}, added {added:#?}"));
        }
        if !all.is_superset(&expected) {
            return Err(format!("g = {g}: missing {:#?}", expected.difference(&all).next()));
        }
        for (one, two) in &expected {
            let pair = [&one.thread, &two.thread];
            let level = semantics::meeting(kernel, pair, &values, WARP).map_err(|e| e.to_string())?;
            at_warp |= level == Some(Level::Warp);
            at_block |= level == Some(Level::Block);
            at_grid |= level == Some(Level::Grid);
        }
    }
    Ok(vec![
        ("racy in a warp", at_warp),
        ("racy in a block", at_block),
        ("racy in the grid", at_grid),
        ("masked", masked),
    ])
}

#[test]
fn levels_cover_the_grid() {
    for_all(PLAN, 2, |kernel| {
        let found: Vec<_> = Level::ALL.into_iter().flat_map(|level| violations(kernel, level)).collect();
        // A condition on the number of the warp is the same in a warp, which the cheap test does not see.
        let cheap = ["WF-UNIFORM-IF", "WF-UNIFORM-FOR", "WF-MASK"];
        if let Some(other) = found.iter().find(|v| !cheap.contains(&v.rule)) {
            return Err(format!("not in the language: {other:?}"));
        }
        agree(kernel, |k| (k.clone(), WARP))
    });
}

#[test]
fn levels_cover_the_grid_of_all_small_protocols() {
    let count = for_each(Dialect::Scopes, 2, 5, |kernel| agree(kernel, |k| (k.clone(), WARP)));
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
    let with = |k: &Kernel<Protocol>, change: &dyn Fn(&Barrier) -> Protocol| {
        (k.with_code(map_barriers(&k.code, change)), WARP)
    };
    kills(PLAN, "the barrier of a warp orders the block", |kernel| {
        agree(kernel, |k| {
            with(k, &|b| Protocol::Sync(Barrier { scope: b.scope.max(Scope::Block), mask: None, ..b.clone() }))
        })
    });
    kills(PLAN, "the barrier of a block does not order a warp", |kernel| {
        agree(kernel, |k| {
            with(k, &|b| if b.scope == Scope::Block { Protocol::Skip } else { Protocol::Sync(b.clone()) })
        })
    });
    kills(PLAN, "masks are forgotten", |kernel| {
        agree(kernel, |k| with(k, &|b| Protocol::Sync(Barrier { mask: None, ..b.clone() })))
    });
    kills(PLAN, "a shared array is seen by other blocks", |kernel| {
        agree(kernel, |k| {
            let mut changed = k.clone();
            changed.arrays.iter_mut().for_each(|a| a.space = Space::Global);
            (changed, WARP)
        })
    });
    kills(PLAN, "another warp size", |kernel| agree(kernel, |k| (k.clone(), WARP + 1)));
}
