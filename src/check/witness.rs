//! From a model of a race formula to two threads that race: made small, decoded, and replayed on the reference semantics.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::data::{self, Data, choose};
use crate::base::Name;
use crate::core::protocol::Barrier;
use crate::core::race::{RacePhase, Side};
use crate::core::scope::{Level, Task};
use crate::core::semantics::{RunError, Thread, admits, confirm, lanes_of, orders, replay, run};
use crate::core::{Coordinate, Kernel, Protocol, SiteId};
use crate::exp::{B, Env, Fun, FunKind, IntTy, eval_b, eval_n};
use crate::kernel::infer::OVERLAP;
use crate::smt::Model;

/// Steps that a replay may take.
const REPLAY_BUDGET: u64 = 400_000;

/// Evaluations of the formula that making a model small may take.
const SHRINK_BUDGET: usize = 400;

/// Two threads, and what they do.
pub struct Race {
    pub threads: [Thread; 2],
    pub index: [Vec<i128>; 2],
    /// Values of the loop variables of each thread.
    pub locals: [BTreeMap<String, i128>; 2],
    pub globals: BTreeMap<String, i128>,
    /// Contents of arrays that the race needs.
    pub contents: BTreeMap<String, i128>,
    /// The same, and all that the model says of the contents of arrays, as values of functions.
    pub needed: Vec<Content>,
    pub cells: Vec<Content>,
    /// Floating-point data, where the race asks for some.
    pub data: Option<Data>,
    /// Numbers that arrays may hold, where the race rests on what is not modelled.
    pub numbers: Vec<f64>,
    /// Why the race is not confirmed.
    pub doubt: Option<String>,
}

/// A function of the contents of an array, its arguments, and its value.
pub type Content = (Fun, Vec<i128>, i128);

/// Two threads that do not pass the same barriers: the first waits where the second does not come.
pub struct Divergence {
    pub threads: [Thread; 2],
    /// The barrier at which the first waits.
    pub barrier: Option<SiteId>,
    pub globals: BTreeMap<String, i128>,
    pub contents: BTreeMap<String, i128>,
    /// All that the model says of the contents of arrays, as values of functions.
    pub cells: Vec<Content>,
    pub doubt: Option<String>,
}

/// Reads a model of a divergence, and replays it.
pub fn diverge(kernel: &Kernel<Protocol>, asserts: &[B], model: &Model, level: Level, warp_size: u32) -> Divergence {
    let tables = Tables::new(model);
    let functions = |fun: &Fun, args: &[i128]| Some(tables.value(fun, args));
    let env = tables.env(kernel, model, &functions);
    let mut threads = pair(kernel, model);
    let holds = asserts.iter().all(|b| eval_b(b, &env) == Ok(true));
    let (contents, mut doubt) = tables.used();
    tables.closed.set(true);
    if !holds {
        doubt = Some("the solver's model could not be evaluated".to_owned());
    }
    let mut barrier = None;
    if doubt.is_none() {
        let lanes = lanes_of(kernel, [&threads[0], &threads[1]], &env, warp_size);
        let counts = |barrier: &Barrier, env: &Env| orders(barrier, level, lanes.clone()?, env);
        let mut budget = REPLAY_BUDGET;
        let mut passed = |thread: &Thread| match admits(kernel, thread, &env) {
            Ok(true) => run(kernel, &kernel.code, thread, &env, &counts, &mut budget)
                .map_err(|e| format!("the replay stopped: {e}")),
            Ok(false) => Err("the replay does not fulfil the assumptions".to_owned()),
            Err(error) => Err(format!("the replay stopped: {error}")),
        };
        match (passed(&threads[0]), passed(&threads[1])) {
            (Ok(one), Ok(two)) => {
                let at = one.barriers.iter().zip(&two.barriers).take_while(|(a, b)| a == b).count();
                match (one.barriers.get(at), two.barriers.get(at)) {
                    (Some((site, _)), _) => barrier = Some(*site),
                    (None, Some((site, _))) => {
                        barrier = Some(*site);
                        threads.swap(0, 1);
                    }
                    (None, None) => doubt = Some("the replay passed the same barriers with both threads".to_owned()),
                }
            }
            (Err(why), _) | (_, Err(why)) => doubt = Some(why),
        }
    }
    let cells = model.apps.iter().filter(is_input).cloned().collect();
    Divergence { threads, barrier, globals: numbers(kernel, model), contents, cells, doubt }
}

fn is_input((fun, _, _): &&Content) -> bool {
    fun.kind == FunKind::Input
}

/// The tables of functions that a model gives, and which entries were asked for.
pub(super) struct Tables<'m> {
    values: FxHashMap<(&'m str, &'m [i128]), i128>,
    asked: RefCell<Vec<Content>>,
    /// What is asked for from now on is not written down: a replay asks for the same values very often.
    closed: Cell<bool>,
}

impl<'m> Tables<'m> {
    pub fn new(model: &'m Model) -> Tables<'m> {
        let values = model.apps.iter().map(|(f, args, v)| ((f.name.as_str(), args.as_slice()), *v)).collect();
        Tables { values, asked: RefCell::default(), closed: Cell::new(false) }
    }

    /// Without taking note.
    pub fn look(&self, fun: &Fun, args: &[i128]) -> i128 {
        let values: &FxHashMap<(&str, &[i128]), i128> = &self.values;
        values.get(&(fun.name.as_str(), args)).copied().unwrap_or(0)
    }

    fn value(&self, fun: &Fun, args: &[i128]) -> i128 {
        let value = self.look(fun, args);
        if !self.closed.get() {
            self.asked.borrow_mut().push((fun.clone(), args.to_vec(), value));
        }
        value
    }

    pub fn env<'a>(
        &self,
        kernel: &Kernel<Protocol>,
        model: &Model,
        functions: &'a dyn Fn(&Fun, &[i128]) -> Option<i128>,
    ) -> Env<'a> {
        let mut env = Env::with_functions(functions);
        for (name, v) in &model.vars {
            env.set(name, *v);
        }
        for global in &kernel.globals {
            env.set(&global.name, model.vars.get(&global.name).copied().unwrap_or(0));
        }
        env
    }

    /// Contents of arrays that were asked for, and the doubt that comes from values that are not modelled.
    fn used(&self) -> (BTreeMap<String, i128>, Option<String>) {
        let mut contents = BTreeMap::new();
        let mut doubt = None;
        for (fun, args, v) in self.asked.borrow().iter() {
            match fun.kind {
                // Which floating-point number it is, nobody knows.
                FunKind::Input if fun.ty == IntTy::OPAQUE => {}
                FunKind::Input => {
                    contents.insert(input_name(fun, args), *v);
                }
                FunKind::Abstract | FunKind::Ticket(_) => {
                    doubt.get_or_insert_with(|| not_modelled(fun.name.as_str()));
                }
            }
        }
        (contents, doubt)
    }
}

/// What a model rests on that is not known.
fn not_modelled(function: &str) -> String {
    let pointers = function.strip_prefix(OVERLAP).and_then(|both| both.split_once('.'));
    if let Some((later, earlier)) = pointers {
        return format!(
            "it takes `{later}` to point into the array of `{earlier}`: the host code may give the kernel one array for both, or not"
        );
    }
    let label = function.split(['$', '.']).next().unwrap_or("");
    format!("it rests on a value that is not modelled (`{label}`)")
}

/// The values of the parameters and of the launch. Of floating-point numbers a model only says which are different.
fn numbers(kernel: &Kernel<Protocol>, model: &Model) -> BTreeMap<String, i128> {
    let known = kernel.globals.iter().filter(|g| g.ty != IntTy::OPAQUE);
    known.map(|g| (g.name.to_string(), model.vars.get(&g.name).copied().unwrap_or(0))).collect()
}

/// Does a model, with 0 for what it says nothing of, fulfil a condition?
pub fn solves(kernel: &Kernel<Protocol>, model: &Model, condition: &B) -> bool {
    let tables = Tables::new(model);
    let functions = |fun: &Fun, args: &[i128]| Some(tables.look(fun, args));
    eval_b(condition, &tables.env(kernel, model, &functions)) == Ok(true)
}

/// The same solution of a condition with smaller values, as far as that is found by trying: parameters, then both threads
/// together, each of them, and the launch. `own` are variables of which each thread has its own. [WIT-SHRINK]
pub fn shrink(kernel: &Kernel<Protocol>, own: &[Name], model: &Model, condition: &B) -> Model {
    let tables = Tables::new(model);
    let functions = |fun: &Fun, args: &[i128]| Some(tables.look(fun, args));
    let mut env = tables.env(kernel, model, &functions);
    let holds = |env: &Env| eval_b(condition, env) == Ok(true);
    if !holds(&env) {
        return model.clone();
    }
    let coordinates = kernel.blocks.iter().chain(&kernel.threads).map(|c| c.var.name.clone());
    let own: Vec<Name> = coordinates.chain(own.iter().cloned()).collect();
    let of = |name: &Name| Task::BOTH.map(|task| task.name(name));
    let globals: Vec<Vec<Name>> = kernel.globals.iter().map(|g| vec![g.name.clone()]).collect();
    let mut moves = globals.clone();
    // Of the threads of one block there is one `blockIdx.x`.
    moves.extend(own.iter().flat_map(|name| [of(name).to_vec(), vec![name.clone()]]));
    moves.extend(own.iter().flat_map(of).map(|name| vec![name]));
    // Iterations of loops with barriers, which are the same for both.
    let known: BTreeSet<Name> = moves.iter().flatten().cloned().collect();
    moves.extend(model.vars.keys().filter(|name| !known.contains(name)).map(|name| vec![name.clone()]));
    moves.extend(globals.iter().cloned());
    let mut budget = SHRINK_BUDGET;
    for names in moves {
        let Some(values) = names.iter().map(|name| env.get(name)).collect::<Option<Vec<i128>>>() else { continue };
        let Some(least) = values.iter().copied().min_by_key(|v| v.abs()) else { continue };
        // A parameter is rather 1 than 0, or negative: with these, much has no meaning.
        let one = (globals.contains(&names) && least != 1).then_some(1);
        for smaller in one.into_iter().chain(towards(least)) {
            if budget == 0 {
                break;
            }
            budget -= 1;
            let less = least - smaller;
            names.iter().zip(&values).for_each(|(name, value)| env.set(name, value - less));
            if holds(&env) {
                break;
            }
            names.iter().zip(&values).for_each(|(name, value)| env.set(name, *value));
        }
    }
    let mut small = model.clone();
    for (name, value) in &mut small.vars {
        *value = env.get(name).unwrap_or(*value);
    }
    small
}

/// Values of the same sign from 0 on, closer and closer to this one.
fn towards(value: i128) -> impl Iterator<Item = i128> {
    let powers = (1..40).flat_map(|k| [1i128 << k, (1i128 << k) + (1i128 << (k - 1))]);
    [0, 1].into_iter().chain(powers).take_while(move |n| *n < value.abs()).map(move |n| n * value.signum())
}

/// The coordinates of the two threads in a model.
fn pair(kernel: &Kernel<Protocol>, model: &Model) -> [Thread; 2] {
    let of = |coordinates: &[Coordinate], task: Task| -> Vec<i128> {
        let value = |name: &Name| model.vars.get(name).copied();
        coordinates.iter().map(|c| value(&task.name(&c.var.name)).or_else(|| value(&c.var.name)).unwrap_or(0)).collect()
    };
    Task::BOTH.map(|task| Thread { block: of(&kernel.blocks, task), thread: of(&kernel.threads, task) })
}

/// Reads a model as a race between two sides of a phase, of which a condition says that they race, and replays it.
pub fn witness(
    kernel: &Kernel<Protocol>,
    phase: &RacePhase,
    sides: [usize; 2],
    condition: &B,
    model: &Model,
    warp_size: u32,
) -> Race {
    let tables = Tables::new(model);
    let functions = |fun: &Fun, args: &[i128]| Some(tables.value(fun, args));
    let value = |name: &Name| model.vars.get(name).copied().unwrap_or(0);
    let env = tables.env(kernel, model, &functions);
    let threads = pair(kernel, model);

    // What the race rests on: the functions that its formula asks for.
    let chosen: [&Side; 2] = sides.map(|i| &phase.sides[i]);
    let instances = [phase.instantiate(chosen[0], Task::One), phase.instantiate(chosen[1], Task::Two)];
    let holds = [&instances[0].active, &instances[1].active, &phase.assumptions].map(|b| eval_b(b, &env));
    let index = instances.each_ref().map(|i| i.index.iter().map(|n| eval_n(n, &env).unwrap_or(0)).collect::<Vec<_>>());
    let (contents, mut doubt) = tables.used();
    tables.closed.set(true);
    let needed = tables.asked.borrow().iter().filter(|(fun, _, _)| fun.kind == FunKind::Input).cloned().collect();
    let chosen_data = if doubt.is_some() { choose(kernel, model, condition) } else { None };
    let numbers_near = if doubt.is_some() { data::numbers(condition) } else { Vec::new() };
    if holds.iter().any(|h| !matches!(h, Ok(true))) {
        doubt = Some("the solver's model could not be evaluated".to_owned());
    }
    let locals = Task::BOTH.map(|task| {
        let side = if task == Task::One { chosen[0] } else { chosen[1] };
        side.binders.iter().map(|r| (r.var.name.to_string(), value(&task.name(&r.var.name)))).collect()
    });
    let globals = numbers(kernel, model);
    if doubt.is_none() {
        doubt = replayed(kernel, phase, [&threads[0], &threads[1]], [chosen[0], chosen[1]], &env, warp_size).err();
    }
    let cells = model.apps.iter().filter(is_input).cloned().collect();
    Race { threads, index, locals, globals, contents, needed, cells, data: chosen_data, numbers: numbers_near, doubt }
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

/// Where in an array, in bytes, the function of its contents `array.stride...type` has its value for a constant and indices.
/// (What is no integer has its width in front of the type.)
pub fn input_place(fun: &Fun, args: &[i128]) -> Option<(Name, u64)> {
    if fun.kind != FunKind::Input {
        return None;
    }
    let name = fun.name.as_str().trim_end_matches(".initial");
    let (constant, indices) = args.split_first()?;
    let mut rest = name.strip_suffix(&format!(".{}", fun.ty))?;
    if fun.ty == IntTy::OPAQUE {
        rest = rest.rsplit_once(".f")?.0;
    }
    let mut strides = Vec::new();
    for _ in indices {
        let (before, stride) = rest.rsplit_once('.')?;
        strides.push(stride.parse::<i128>().ok()?);
        rest = before;
    }
    strides.reverse();
    let offset = indices.iter().zip(&strides).fold(*constant, |sum, (i, s)| sum.saturating_add(i.saturating_mul(*s)));
    Some((Name::new(rest), u64::try_from(offset).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::{N, Var};
    use crate::text::parse_protocol;

    #[test]
    fn iterations_that_both_threads_are_in_are_made_small() {
        let text = "kernel k { global m: i32; array a: shared unit 4; block blockIdx.x: u32 in 0..1; \
            thread threadIdx.x: u32 in 0..64; code { skip; } }";
        let kernel = parse_protocol(text).expect("it can be read");
        let of = |name: &str| N::var(&Var { name: Name::new(name), ty: IntTy::MATH });
        // A barrier is in the loop over `j`.
        let (j, m) = (of("j"), of("m"));
        let condition = B::and([N::num(1).le(&j), N::add(IntTy::MATH, &j, &N::num(1)).lt(&m)]);
        let vars = [("m", 7179), ("j", 7000), ("threadIdx.x!1", 0), ("threadIdx.x!2", 1)];
        let vars = vars.into_iter().map(|(name, value)| (Name::new(name), value)).collect();
        let small = shrink(&kernel, &[], &Model { vars, apps: Vec::new() }, &condition);
        assert_eq!((small.vars[&Name::new("j")], small.vars[&Name::new("m")]), (1, 3));
    }
}
