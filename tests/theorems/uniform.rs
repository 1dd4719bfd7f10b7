//! THM-UNIFORM: when threads do not pass the same barriers, there is an obligation that two of them break.

use faial_like::core::semantics::{self, RunError, Thread};
use faial_like::core::{
    Barrier, Closure, Decision, Fence, Kernel, Level, Obligation, Projection, Protocol, Scope, Task, divergence,
    obligations, project,
};
use faial_like::exp::{B, IntTy, N, Var, eval_b};
use faial_like::fuzz::kernels::WARP;
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::{Dialect, Plan, oracle};

use crate::generate::{for_all, kills};

const PLAN: Plan = Plan { dialect: Dialect::Divergent, depth: 4, nesting: 0, length: 60 };

/// Do two threads break the obligation?
fn broken(projection: &Projection, obligation: &Obligation, g: i128) -> Result<bool, String> {
    satisfied(projection, &obligation.place(), &divergence(projection, obligation), g)
}

/// Do these two threads break the obligation?
fn broken_by(projection: &Projection, obligation: &Obligation, g: i128, pair: [&Thread; 2]) -> Result<bool, String> {
    satisfied_by(projection, &obligation.place(), &divergence(projection, obligation), g, pair)
}

/// Do two threads that get to a place together satisfy a formula over the names of both?
pub fn satisfied(projection: &Projection, place: &Closure, formula: &B, g: i128) -> Result<bool, String> {
    let threads = oracle::threads(&projection.kernel, &oracle::values(g))?;
    for one in &threads {
        for two in &threads {
            if satisfied_by(projection, place, formula, g, [one, two])? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Do these two threads get to a place together, and satisfy a formula over the names of both?
fn satisfied_by(
    projection: &Projection,
    place: &Closure,
    formula: &B,
    g: i128,
    pair: [&Thread; 2],
) -> Result<bool, String> {
    let kernel = &projection.kernel;
    let mut values = oracle::values(g);
    if let Some(lanes) = &projection.lanes {
        let own = semantics::lanes_of(kernel, pair, &values, WARP).map_err(|e| e.to_string())?;
        lanes.iter().zip(own).for_each(|(var, lane)| values.set(&var.name, lane));
    }
    let [one, two] = pair;
    let reached = |thread| oracle::closure_of(kernel, place, thread, &values);
    let places = [reached(one)?, reached(two)?];
    for key in places[0].keys().filter(|key| places[1].contains_key(*key)) {
        let mut env = values.clone();
        for (task, thread) in Task::BOTH.into_iter().zip([one, two]) {
            let coordinates = kernel.threads.iter().zip(&thread.thread);
            coordinates.for_each(|(c, value)| env.set(&task.name(&c.var.name), *value));
        }
        let mut binders = key.iter();
        let mut envs = vec![env];
        for context in &place.context {
            if let faial_like::core::Context::Bind(range) = context {
                let value = *binders.next().unwrap_or(&0);
                let counters = faial_like::core::race::range_constraint(range).1;
                envs.iter_mut().for_each(|env| env.set(&range.var.name, value));
                for counter in &counters {
                    envs = envs.iter().flat_map(|e| (0..12).map(|k| e.with(&counter.name, k))).collect();
                }
            }
        }
        for env in envs {
            if eval_b(formula, &env).map_err(|e| e.to_string())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn agree(kernel: &Kernel<Protocol>, find: impl Fn(&Projection) -> Vec<Obligation>) -> Outcome {
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let found = find(&projection);
    let (mut diverges, mut fine) = (false, false);
    for g in 0..3 {
        let diverged = oracle::history(kernel, &kernel.code, &oracle::values(g)).is_err();
        let mut broken_some = false;
        for obligation in &found {
            broken_some |= broken(&projection, obligation, g)?;
        }
        if diverged && !broken_some {
            return Err(format!("g = {g}: the threads diverge, and no obligation is broken: {found:#?}"));
        }
        // Conditions are exact, but for those that a loop around them gets wrong.
        let loops = found.iter().any(|o| matches!(o.decision, Decision::For(_)));
        let unseen = broken_some && !diverged && !loops;
        if unseen && found.iter().all(|o| o.context.is_empty()) && !may_cancel(&kernel.code) {
            return Err(format!("g = {g}: an obligation is broken, and the threads do not diverge"));
        }
        diverges |= diverged;
        fine |= !diverged && !found.is_empty();
    }
    Ok(vec![("divergent", diverges), ("with obligations that hold", fine)])
}

/// Both branches of a conditional have a barrier, or the barriers of a branch may not run.
fn may_cancel(code: &Protocol) -> bool {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => false,
        Protocol::Seq(parts) => parts.iter().any(may_cancel),
        Protocol::If(_, t, e) => {
            let sure = |p: &Protocol| matches!(p, Protocol::Sync(_));
            !(sure(t) || sure(e)) && (t.synchronises() || e.synchronises())
        }
        Protocol::For(_, body) => body.synchronises(),
    }
}

/// The kernel with barriers of warps in place of those of blocks: a third without a mask, a third with a constant one, a
/// third with one that depends on a parameter.
fn masked(code: &Protocol) -> Protocol {
    let inner = |p: &Protocol| Box::new(masked(p));
    match code {
        Protocol::Skip | Protocol::Access(_) => code.clone(),
        Protocol::Sync(Barrier { site, .. }) => {
            let mask = match site.0 % 3 {
                0 => None,
                1 => Some(N::num(site.0 / 3 % 4)),
                _ => Some(N::add(IntTy::I32, &N::var(&Var::new("g", IntTy::I32)), &N::num(1))),
            };
            Protocol::Sync(Barrier { scope: Scope::Warp, mask, fence: Fence::ALL, site: *site })
        }
        Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(masked).collect()),
        Protocol::If(b, t, e) => Protocol::If(b.clone(), inner(t), inner(e)),
        Protocol::For(range, body) => Protocol::For(range.clone(), inner(body)),
    }
}

/// Of all pairs in a warp: a pair that does not pass the same barriers breaks an obligation, and one that breaks none of
/// them passes the same barriers.
fn agree_in_warps(kernel: &Kernel<Protocol>, find: impl Fn(&Projection) -> Vec<Obligation>) -> Outcome {
    let kernel = kernel.with_code(masked(&kernel.code));
    let projection = project(&kernel, Level::Warp, &[Level::Warp, Level::Block], WARP);
    let found = find(&projection);
    let (mut diverges, mut spared) = (false, false);
    for g in 0..3 {
        let values = oracle::values(g);
        let threads = oracle::threads(&kernel, &values)?;
        for pair in threads.iter().flat_map(|one| threads.iter().map(move |two| [one, two])) {
            if semantics::meeting(&kernel, pair, &values, WARP) != Ok(Some(Level::Warp)) {
                continue;
            }
            let runs = semantics::replay(&kernel, pair, Level::Warp, WARP, &values, &mut oracle::BUDGET.clone());
            let (mut broken, mut broken_without) = (false, false);
            for obligation in &found {
                broken |= broken_by(&projection, obligation, g, pair)?;
                // Masks are conditions of what is reached as well.
                let reached = [B::lit(true), B::lit(true)];
                let always = Obligation { concerns: B::lit(true), reached, ..obligation.clone() };
                broken_without |= broken_by(&projection, &always, g, pair)?;
            }
            if matches!(runs, Err(RunError::Divergence)) && !broken {
                return Err(format!("g = {g}: {pair:?} diverge, and break no obligation: {found:#?}"));
            }
            diverges |= runs.is_err();
            spared |= broken_without && !broken;
        }
    }
    Ok(vec![("divergent", diverges), ("with a pair that a mask leaves out", spared)])
}

#[test]
fn pairs_in_a_warp_that_diverge_break_an_obligation() {
    for_all(PLAN, 600, 3, |kernel| agree_in_warps(kernel, obligations));
}

#[test]
fn threads_that_diverge_break_an_obligation() {
    for_all(PLAN, 600, 3, |kernel| agree(kernel, obligations));
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "no obligations for loops", |kernel| {
        agree(kernel, |p| obligations(p).into_iter().filter(|o| !matches!(o.decision, Decision::For(_))).collect())
    });
    kills(PLAN, "barriers with masks concern nobody", |kernel| {
        agree_in_warps(kernel, |projection| {
            let mut found = obligations(projection);
            for obligation in &mut found {
                if obligation.concerns.as_lit().is_none() {
                    obligation.concerns = B::lit(false);
                }
            }
            found
        })
    });
    kills(PLAN, "barriers of the other branch are not reached", |kernel| {
        agree(kernel, |projection| {
            let mut found = obligations(projection);
            found
                .iter_mut()
                .filter(|o| matches!(o.decision, Decision::If(_)))
                .for_each(|o| o.reached[1] = B::lit(false));
            found
        })
    });
    kills(PLAN, "no obligations inside of conditionals and loops", |kernel| {
        agree(kernel, |p| obligations(p).into_iter().filter(|o| o.context.is_empty()).collect())
    });
}
