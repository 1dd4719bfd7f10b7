//! THM-ENC: the race formula of two accesses of a phase has a solution iff two threads make them in that phase and they
//! race; by enumeration on small domains.

use std::collections::BTreeSet;

use faial_like::core::race::{Instance, race_pair, range_constraint, same_value_pair};
use faial_like::core::semantics::Thread;
use faial_like::core::{
    Closure, Context, Kernel, Level, Projection, Protocol, RacePhase, Side, SiteId, Task, phases, project, race_phase,
};
use faial_like::exp::{B, Env, N, Var, eval_b, eval_n, free_vars_b};
use faial_like::fuzz::Dialect;

use crate::generate::{Outcome, Plan, for_all, kills};
use crate::oracle;

const ACCESSES: Plan = Plan { cases: 150, dialect: Dialect::Accesses, depth: 3, length: 50 };
const BLOCK: Plan = Plan { cases: 60, dialect: Dialect::Block, depth: 4, length: 60 };

/// The values that variables of the generated kernels may have.
const DOMAIN: std::ops::RangeInclusive<i128> = -12..=24;
const COUNTS: std::ops::RangeInclusive<i128> = 0..=20;

fn holds(cond: &B, env: &Env) -> bool {
    eval_b(cond, env).expect("the formula has no other variables")
}

/// All extensions of `env` by values for the variables of a range and its counters that are in the range.
fn solve_range(
    range: &faial_like::core::Range,
    task: Option<Task>,
    locals: &[Var],
    env: &Env<'static>,
) -> Vec<Env<'static>> {
    let (constraint, counters) = range_constraint(range);
    let name = |var: &Var| task.map_or(var.name.clone(), |task| task.name(&var.name));
    let constraint = match task {
        Some(task) => task.rename(locals).boolean(&constraint),
        None => constraint,
    };
    let mut all: Vec<Env> = DOMAIN.map(|x| env.with(&name(&range.var), x)).collect();
    for counter in &counters {
        all = all.iter().flat_map(|env| COUNTS.map(|k| env.with(&name(counter), k))).collect();
    }
    all.retain(|env| holds(&constraint, env));
    all
}

/// All values of the binders of the side with which the thread makes the access.
fn solve(phase: &RacePhase, side: &Side, instance: &Instance, env: &Env<'static>) -> Vec<Env<'static>> {
    let mut all = vec![env.clone()];
    for range in &side.binders {
        all = all.iter().flat_map(|env| solve_range(range, Some(instance.task), &phase.locals, env)).collect();
    }
    all.retain(|env| holds(&instance.active, env));
    all
}

fn set_coordinates(kernel: &Kernel<Protocol>, task: Task, thread: &Thread, env: &mut Env) {
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
        env.set(&task.name(&coordinate.var.name), *value);
    }
}

/// The two values of the binders of both sides as one environment.
fn join(one: &Env<'static>, two: &Env<'static>, phase: &RacePhase) -> Env<'static> {
    let mut env = one.clone();
    for local in &phase.locals {
        let name = Task::Two.name(&local.name);
        if let Some(value) = two.get(&name) {
            env.set(&name, value);
        }
    }
    env
}

/// Values for the columns of the combined question when the two threads choose these sides.
fn chosen(question: &B, instances: [(usize, &Instance); 2], env: &Env<'static>) -> Vec<Env<'static>> {
    let mut all = vec![env.clone()];
    for (number, instance) in instances {
        let task = instance.task;
        let value = |term: &N| eval_n(term, env).expect("indices have values");
        let mut index: Vec<i128> = instance.index.iter().map(value).collect();
        let stored = match &instance.mode {
            faial_like::core::Mode::Wr(Some(term)) => Some(value(term)),
            _ => None,
        };
        let rank = index.len() as i128;
        let ats = free_vars_b(question).into_iter().filter(|v| {
            let name = v.name.as_str();
            (name.starts_with("at!") || name.starts_with("at$")) && name.ends_with(&task.name(&"".into()).to_string())
        });
        // at, at$1, at$2 in this order: "!" sorts before "$".
        let ats: Vec<Var> = ats.collect();
        while index.len() < ats.len() {
            index.insert(0, -1);
        }
        all = all
            .iter()
            .flat_map(|env| (0..4).map(|kind| env.with(&task.name(&"kind".into()), kind)))
            .map(|mut env| {
                env.set(&task.name(&"site".into()), number as i128);
                env.set(&task.name(&"width".into()), i128::from(instance.width));
                env.set(&task.name(&"valued".into()), i128::from(stored.is_some()));
                env.set(&task.name(&"value".into()), stored.unwrap_or(0));
                env.set(&task.name(&"rank".into()), rank);
                ats.iter().zip(&index).for_each(|(at, i)| env.set(&at.name, *i));
                env
            })
            .collect();
    }
    all
}

type Sites = BTreeSet<(SiteId, SiteId, bool)>;

/// The pairs of sites that race for two threads in one phase, by the formulas; with whether not all store one value.
fn by_formula(
    phase: &RacePhase,
    env: &Env<'static>,
    combine: &dyn Fn(&Instance, &Instance) -> B,
) -> Result<Sites, String> {
    let mut all = Sites::new();
    let instances: Vec<[Instance; 2]> =
        phase.sides.iter().map(|s| Task::BOTH.map(|task| phase.instantiate(s, task))).collect();
    let solved: Vec<[Vec<Env>; 2]> = phase
        .sides
        .iter()
        .zip(&instances)
        .map(|(side, both)| both.each_ref().map(|instance| solve(phase, side, instance, env)))
        .collect();
    for array in phase.arrays() {
        let question = phase.races_on(&array);
        for (i, ([one, _], [ones, _])) in instances.iter().zip(&solved).enumerate() {
            for (j, ([_, two], [_, twos])) in instances.iter().zip(&solved).enumerate() {
                if one.array != array || two.array != array {
                    continue;
                }
                let pair = B::and([phase.assumptions.clone(), combine(one, two)]);
                let same = same_value_pair(one, two);
                for (e1, e2) in ones.iter().flat_map(|e1| twos.iter().map(move |e2| (e1, e2))).take(200) {
                    let env = join(e1, e2, phase);
                    let races = holds(&pair, &env);
                    if races {
                        all.insert((one.site, two.site, !holds(&same, &env)));
                    }
                    if i > j {
                        continue;
                    }
                    let selected = chosen(&question.formula, [(i, one), (j, two)], &env);
                    let found: Vec<_> = selected.iter().filter(|env| holds(&question.formula, env)).collect();
                    if found.is_empty() == races {
                        return Err(format!("sides {i} and {j}: the pair races: {races}; the question differs"));
                    }
                    if found.iter().any(|env| {
                        holds(&question.same_value, env) != holds(&same, env)
                            || !holds(&question.exactly(i, j), env)
                            || holds(&question.other_than(i, j), env)
                    }) {
                        return Err(format!("sides {i} and {j}: the question says another thing of the values"));
                    }
                }
            }
        }
    }
    Ok(all)
}

fn by_running(
    kernel: &Kernel<Protocol>,
    closure: &Closure,
    pair: [&Thread; 2],
    key: &[i128],
    values: &Env,
) -> Option<Sites> {
    let [one, two] = pair.map(|thread| oracle::closure_of(kernel, closure, thread, values).remove(key));
    let (one, two) = (one?, two?);
    let pairs = one.iter().flat_map(|a| two.iter().map(move |b| (a, b)));
    let racy = pairs.filter(|(a, b)| a.races(b, Level::Block));
    Some(racy.map(|(a, b)| (a.site, b.site, !a.same_value(b))).collect())
}

/// All values of the binders of the context in the domain.
fn keys(projection: &Projection, closure: &Closure, values: &Env<'static>) -> Vec<(Vec<i128>, Vec<Env<'static>>)> {
    let mut all: Vec<(Vec<i128>, Vec<Env>)> = vec![(Vec::new(), vec![values.clone()])];
    for context in &closure.context {
        if let Context::Bind(range) = context {
            let constrained = range_constraint(range).1;
            all = all
                .iter()
                .flat_map(|(key, envs)| {
                    // A few values outside of the range too: no phase has them.
                    DOMAIN.filter(|x| (-1..=9).contains(x)).map(|x| {
                        let key = [key.as_slice(), &[x]].concat();
                        let mut envs: Vec<Env> = envs.iter().map(|e| e.with(&range.var.name, x)).collect();
                        for counter in &constrained {
                            envs = envs.iter().flat_map(|e| COUNTS.map(|k| e.with(&counter.name, k))).collect();
                        }
                        envs.retain(|env| holds(&range_constraint(range).0, env));
                        (key, envs)
                    })
                })
                .collect();
        }
    }
    debug_assert_eq!(projection.level, Level::Block);
    all
}

fn agree(
    kernel: &Kernel<Protocol>,
    combine: &dyn Fn(&Instance, &Instance) -> B,
    change: &dyn Fn(&mut RacePhase),
) -> Outcome {
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let (mut racy, mut same) = (false, false);
    for g in [0, 2] {
        let values = oracle::values(g);
        let threads = oracle::threads(kernel, &values);
        for closure in phases(&projection.kernel) {
            let mut phase = race_phase(&projection, &closure);
            change(&mut phase);
            let bound = closure.context.iter().filter(|c| matches!(c, Context::Bind(_))).count();
            if bound > 1 {
                continue;
            }
            for (key, envs) in keys(&projection, &closure, &values) {
                for one in &threads {
                    for two in threads.iter().take(3) {
                        let expected = by_running(kernel, &closure, [one, two], &key, &values).unwrap_or_default();
                        let mut got = Sites::new();
                        for env in &envs {
                            let mut env = env.clone();
                            set_coordinates(kernel, Task::One, one, &mut env);
                            set_coordinates(kernel, Task::Two, two, &mut env);
                            got.extend(by_formula(&phase, &env, combine)?);
                        }
                        if got != expected {
                            let sides = &phase.sides;
                            return Err(format!(
                                "g = {g}, {one:?} {two:?} at {key:?}: the formulas find {got:?}, not {expected:?}; {sides:#?}"
                            ));
                        }
                        racy |= !expected.is_empty();
                        same |= expected.iter().any(|(_, _, differ)| !differ);
                    }
                }
            }
        }
    }
    let loops = kernel_has_unsync_loop(&kernel.code);
    Ok(vec![("racy", racy), ("with same values", same), ("with unsynchronised loops", loops)])
}

fn kernel_has_unsync_loop(code: &Protocol) -> bool {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => false,
        Protocol::Seq(parts) => parts.iter().any(kernel_has_unsync_loop),
        Protocol::If(_, t, e) => kernel_has_unsync_loop(t) || kernel_has_unsync_loop(e),
        Protocol::For(_, body) => !body.synchronises() || kernel_has_unsync_loop(body),
    }
}

fn by_definition(one: &Instance, two: &Instance) -> B {
    race_pair(one, two, Level::Block)
}

#[test]
fn formulas_of_accesses_say_who_races() {
    for_all(ACCESSES, 3, |kernel| agree(kernel, &by_definition, &|_| ()));
}

#[test]
fn formulas_of_phases_say_who_races() {
    for_all(BLOCK, 0, |kernel| agree(kernel, &by_definition, &|_| ()));
}

#[test]
fn mutants_are_killed() {
    let nothing = |_: &mut RacePhase| ();
    kills(ACCESSES, "widths are forgotten", |kernel| {
        let one_wide = |i: &Instance| Instance { width: 1, ..i.clone() };
        agree(kernel, &|a, b| race_pair(&one_wide(a), &one_wide(b), Level::Block), &nothing)
    });
    kills(ACCESSES, "atomics of a warp order the block", |kernel| {
        agree(kernel, &|a, b| race_pair(a, b, Level::Warp), &nothing)
    });
    kills(ACCESSES, "the guard is forgotten", |kernel| {
        agree(kernel, &by_definition, &|phase| phase.sides.iter_mut().for_each(|s| s.guard = B::lit(true)))
    });
    kills(ACCESSES, "a thread races with itself", |kernel| {
        agree(kernel, &by_definition, &|phase| phase.assumptions = B::lit(true))
    });
    kills(ACCESSES, "only the first dimension counts", |kernel| {
        let first = |i: &Instance| Instance { index: i.index.iter().take(1).cloned().collect(), ..i.clone() };
        agree(kernel, &|a, b| race_pair(&first(a), &first(b), Level::Block), &nothing)
    });
}
