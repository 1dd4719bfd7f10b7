//! From a model of a race formula to two threads that race: decoded, and replayed on the reference semantics.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use crate::base::Name;
use crate::core::race::{RacePhase, Side};
use crate::core::scope::Task;
use crate::core::semantics::{RunError, Thread, admits, confirm, replay};
use crate::core::{Coordinate, Kernel, Protocol};
use crate::exp::{Env, Fun, FunKind, eval_b, eval_n};
use crate::smt::Model;

/// Steps that a replay may take.
const REPLAY_BUDGET: u64 = 400_000;

/// Two threads, and what they do.
pub struct Race {
    pub threads: [Thread; 2],
    pub index: [Vec<i128>; 2],
    /// Values of the loop variables of each thread.
    pub locals: [BTreeMap<String, i128>; 2],
    pub globals: BTreeMap<String, i128>,
    /// Contents of arrays that the race needs.
    pub contents: BTreeMap<String, i128>,
    /// Why the race is not confirmed.
    pub doubt: Option<String>,
}

/// Reads a model as a race between two sides of a phase, and replays it.
pub fn witness(
    kernel: &Kernel<Protocol>,
    phase: &RacePhase,
    sides: [usize; 2],
    model: &Model,
    warp_size: u32,
) -> Race {
    let tables: HashMap<(&str, &[i128]), i128> =
        model.apps.iter().map(|(f, args, value)| ((f.name.as_str(), args.as_slice()), *value)).collect();
    let used: RefCell<Vec<(Fun, Vec<i128>, i128)>> = RefCell::default();
    let functions = |fun: &Fun, args: &[i128]| {
        let value = tables.get(&(fun.name.as_str(), args)).copied().unwrap_or(0);
        used.borrow_mut().push((fun.clone(), args.to_vec(), value));
        Some(value)
    };
    let value = |name: &Name| model.vars.get(name).copied().unwrap_or(0);
    let mut env = Env::with_functions(&functions);
    for (name, v) in &model.vars {
        env.set(name, *v);
    }
    for global in &kernel.globals {
        env.set(&global.name, value(&global.name));
    }
    let of = |coordinates: &[Coordinate], task: Task| -> Vec<i128> {
        coordinates
            .iter()
            .map(|c| model.vars.get(&task.name(&c.var.name)).copied().unwrap_or_else(|| value(&c.var.name)))
            .collect()
    };
    let threads = Task::BOTH.map(|task| Thread { block: of(&kernel.blocks, task), thread: of(&kernel.threads, task) });

    // What the race rests on: the functions that its formula asks for.
    let chosen: [&Side; 2] = sides.map(|i| &phase.sides[i]);
    let instances = [phase.instantiate(chosen[0], Task::One), phase.instantiate(chosen[1], Task::Two)];
    let holds = [&instances[0].active, &instances[1].active, &phase.assumptions].map(|b| eval_b(b, &env));
    let index = instances.each_ref().map(|i| i.index.iter().map(|n| eval_n(n, &env).unwrap_or(0)).collect::<Vec<_>>());
    let mut contents = BTreeMap::new();
    let mut doubt = None;
    for (fun, args, v) in used.borrow().iter() {
        match fun.kind {
            FunKind::Input => {
                contents.insert(input_name(fun, args), *v);
            }
            FunKind::Abstract => {
                doubt.get_or_insert_with(|| {
                    format!("it rests on a value that is not modelled (`{}`)", fun.name.as_str().split(['$', '.']).next().unwrap_or(""))
                });
            }
        }
    }
    if holds.iter().any(|h| !matches!(h, Ok(true))) {
        doubt = Some("the solver's model could not be evaluated".to_owned());
    }
    let locals = Task::BOTH.map(|task| {
        let side = if task == Task::One { chosen[0] } else { chosen[1] };
        side.binders.iter().map(|r| (r.var.name.to_string(), value(&task.name(&r.var.name)))).collect()
    });
    let globals = kernel.globals.iter().map(|g| (g.name.to_string(), value(&g.name))).collect();
    if doubt.is_none() {
        doubt = replayed(kernel, phase, [&threads[0], &threads[1]], [chosen[0], chosen[1]], &env, warp_size).err();
    }
    Race { threads, index, locals, globals, contents, doubt }
}

fn replayed(
    kernel: &Kernel<Protocol>,
    phase: &RacePhase,
    threads: [&Thread; 2],
    sides: [&Side; 2],
    env: &Env,
    warp_size: u32,
) -> Result<(), String> {
    for thread in threads {
        match admits(kernel, thread, env) {
            Ok(true) => {}
            Ok(false) => return Err("the replay does not fulfil the assumptions".to_owned()),
            Err(error) => return Err(format!("the replay stopped: {error}")),
        }
    }
    let mut budget = REPLAY_BUDGET;
    match replay(kernel, threads, phase.level, warp_size, env, &mut budget) {
        Ok(runs) => match confirm(&runs, sides.map(|s| s.site), phase.level) {
            Some(_) => Ok(()),
            None => Err("the replay did not meet the two accesses in one phase".to_owned()),
        },
        Err(RunError::OutOfBudget) => Err("the replay takes too long: the loops before the race are long".to_owned()),
        Err(error) => Err(format!("the replay stopped: {error}")),
    }
}

/// `a[3]` for the contents of an array; the stride and type in the name of the function are left out.
fn input_name(fun: &Fun, args: &[i128]) -> String {
    let array = fun.name.as_str().split('.').next().unwrap_or("");
    let args: Vec<String> = args.iter().skip(usize::from(args.len() > 1)).map(i128::to_string).collect();
    format!("{array}[{}]", args.join("]["))
}
