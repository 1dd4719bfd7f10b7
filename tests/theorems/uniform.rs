//! THM-UNIFORM: when threads do not pass the same barriers, there is an obligation that two of them break.

use faial_like::core::{
    Closure, Decision, Kernel, Level, Obligation, Projection, Protocol, Task, divergence, obligations, project,
};
use faial_like::exp::{B, eval_b};
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::{Dialect, Plan, oracle};

use crate::generate::{for_all, kills};

const PLAN: Plan = Plan { dialect: Dialect::Divergent, depth: 4, nesting: 0, length: 60 };

/// Do two threads break the obligation?
fn broken(projection: &Projection, obligation: &Obligation, g: i128) -> Result<bool, String> {
    satisfied(projection, &obligation.place(), &divergence(projection, obligation), g)
}

/// Do two threads that get to a place together satisfy a formula over the names of both?
pub fn satisfied(projection: &Projection, place: &Closure, formula: &B, g: i128) -> Result<bool, String> {
    let kernel = &projection.kernel;
    let values = oracle::values(g);
    let threads = oracle::threads(kernel, &values)?;
    for one in &threads {
        for two in &threads {
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

#[test]
fn threads_that_diverge_break_an_obligation() {
    for_all(PLAN, 600, 3, |kernel| agree(kernel, obligations));
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "no obligations for loops", |kernel| {
        agree(kernel, |p| obligations(p).into_iter().filter(|o| !matches!(o.decision, Decision::For(_))).collect())
    });
    kills(PLAN, "no obligations inside of conditionals and loops", |kernel| {
        agree(kernel, |p| obligations(p).into_iter().filter(|o| o.context.is_empty()).collect())
    });
}
