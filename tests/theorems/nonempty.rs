//! THM-RUN: a synchronised loop of the language of the paper has no iteration somewhere iff two threads satisfy the
//! question whether it may be empty.

use faial_like::core::nonempty::{MustRun, may_be_empty, must_run};
use faial_like::core::{Closure, Kernel, Level, Projection, Protocol, Unsync, project, wellformed};
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::{Dialect, Plan, oracle};

use crate::generate::{for_all, kills};
use crate::uniform::satisfied;

const PLAN: Plan = Plan { dialect: Dialect::Block, depth: 4, nesting: 3, length: 70 };

fn place(given: &MustRun) -> Closure {
    let context = given.context.clone();
    Closure { start: Some(given.barrier), context, code: Unsync::Skip, approximate: false }
}

fn agree(kernel: &Kernel<Protocol>, find: impl Fn(&Projection) -> Vec<MustRun>) -> Outcome {
    let (mut empty, mut run) = (false, false);
    if wellformed(kernel, Level::Block).is_ok() {
        let projection = project(kernel, Level::Block, &[Level::Block], 32);
        let found = find(&projection);
        for g in oracle::GLOBALS {
            let all_run = oracle::synchronised_loops_run(kernel, &oracle::values(g))?;
            let mut may_be = false;
            for given in &found {
                may_be |= satisfied(&projection, &place(given), &may_be_empty(&projection, given), g)?;
            }
            if may_be == all_run {
                return Err(format!("g = {g}: all loops run: {all_run}; by the formulas one is empty: {may_be}"));
            }
            empty |= !all_run;
            run |= all_run && !found.is_empty();
        }
    }
    Ok(vec![("in W with a loop that is empty", empty), ("in W with loops that run", run)])
}

#[test]
fn loops_that_do_not_run_are_seen() {
    let population = for_all(PLAN, 800, 0, |kernel| agree(kernel, must_run));
    for property in ["in W with a loop that is empty", "in W with loops that run"] {
        assert!(population.count(property) * 20 > population.total, "{population}");
    }
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "only outermost loops", |kernel| {
        agree(kernel, |p| must_run(p).into_iter().filter(|given| given.context.is_empty()).collect())
    });
    kills(PLAN, "a loop up to a variable runs", |kernel| {
        agree(kernel, |p| must_run(p).into_iter().filter(|given| given.range.end.as_num().is_some()).collect())
    });
}
