//! More races beside one that is known: the same parameters and other threads, by trying. [WIT-NEAR]
//!
//! Where one pair of accesses races, others often do too, in the same launch. Each of them found here is one that the
//! solver need not be asked for; what is not found is still asked.

use indexmap::IndexMap;

use super::witness::Tables;
use crate::base::Name;
use crate::core::race::RacePhase;
use crate::core::scope::Task;
use crate::core::{Kernel, Protocol};
use crate::exp::{Env, Fun, Var, eval_b, eval_n};
use crate::smt::Model;

/// Coordinates that are tried, and distances from those of the known threads.
const TRIED: [i128; 10] = [0, 1, 2, 3, 4, 8, 16, 31, 32, 64];
const AWAY: [i128; 6] = [1, 2, 4, 8, 16, 32];
/// Threads that are tried with each access, and pairs of threads with each pair of accesses.
const THREADS: usize = 40;
const PAIRS: usize = 4;

/// Two sides, and values of the variables of their threads with which they may race: that is yet to be seen.
pub(super) struct Near {
    pub sides: [usize; 2],
    own: [Vec<i128>; 2],
}

impl Near {
    /// Puts the two threads into a model with these parameters.
    pub fn put(&self, phase: &RacePhase, model: &mut Model) {
        for (task, own) in Task::BOTH.into_iter().zip(&self.own) {
            let names = phase.locals.iter().map(|v| task.name(&v.name));
            model.vars.extend(names.zip(own.iter().copied()));
        }
    }
}

/// A side that a thread reaches, with the values of its own variables.
struct Made {
    side: usize,
    own: Vec<i128>,
}

/// Candidates for other races among these sides, with the parameters of a model.
pub(super) fn near(kernel: &Kernel<Protocol>, phase: &RacePhase, sides: &[usize], known: &Model) -> Vec<Near> {
    let mut found: Vec<Near> = Vec::new();
    let mut tried: IndexMap<[usize; 2], usize> = IndexMap::new();
    for made in cells(kernel, phase, sides, known).values() {
        for (at, a) in made.iter().enumerate() {
            for b in made.iter().skip(at + 1) {
                let (one, two) = if a.side <= b.side { (a, b) } else { (b, a) };
                let pair = [one.side, two.side];
                let conflict = phase.sides[pair[0]].mode.conflicts(&phase.sides[pair[1]].mode, phase.level.scope());
                if !conflict || one.own == two.own {
                    continue;
                }
                let count = tried.entry(pair).or_default();
                if *count < PAIRS {
                    *count += 1;
                    found.push(Near { sides: pair, own: [one.own.clone(), two.own.clone()] });
                }
            }
        }
    }
    found
}

/// For each index: who makes an access there.
fn cells(
    kernel: &Kernel<Protocol>,
    phase: &RacePhase,
    sides: &[usize],
    known: &Model,
) -> IndexMap<Vec<i128>, Vec<Made>> {
    let tables = Tables::new(known);
    let functions = |fun: &Fun, args: &[i128]| Some(tables.look(fun, args));
    let mut env = tables.env(kernel, known, &functions);
    let names: Vec<Name> = phase.locals.iter().map(|v| Task::One.name(&v.name)).collect();
    let threads = threads(kernel, &phase.locals, known);
    let mut cells: IndexMap<Vec<i128>, Vec<Made>> = IndexMap::new();
    for side in sides.iter().copied() {
        let access = phase.instantiate(&phase.sides[side], Task::One);
        for thread in &threads {
            let mut own = thread.clone();
            set(&mut env, &names, &own);
            if eval_b(&access.active, &env) != Ok(true) && !enter(phase, side, &mut own, &names, &mut env) {
                continue;
            }
            if eval_b(&access.active, &env) == Ok(true)
                && let Ok(index) = access.index.iter().map(|n| eval_n(n, &env)).collect::<Result<Vec<_>, _>>()
            {
                cells.entry(index).or_default().push(Made { side, own });
            }
        }
    }
    cells
}

fn set(env: &mut Env, names: &[Name], values: &[i128]) {
    names.iter().zip(values).for_each(|(name, value)| env.set(name, *value));
}

/// Puts the loops around a side into their first iterations; false if there are none.
fn enter(phase: &RacePhase, side: usize, own: &mut [i128], names: &[Name], env: &mut Env) -> bool {
    let mut rename = Task::One.rename(&phase.locals);
    let binders = &phase.sides[side].binders;
    for range in binders {
        let Ok(first) = eval_n(&rename.numeric(&range.first), env) else { return false };
        let counter = format!("{}!k", range.var.name);
        for (at, var) in phase.locals.iter().enumerate() {
            if var.name == range.var.name {
                own[at] = first;
            } else if var.name.as_str() == counter {
                own[at] = 0;
            }
        }
        set(env, names, own);
    }
    !binders.is_empty()
}

/// Threads around the two of a model: one coordinate at a time is changed.
fn threads(kernel: &Kernel<Protocol>, locals: &[Var], known: &Model) -> Vec<Vec<i128>> {
    let value = |name: &Name| known.vars.get(name).copied().unwrap_or(0);
    let bases = Task::BOTH.map(|task| locals.iter().map(|v| value(&task.name(&v.name))).collect::<Vec<_>>());
    let coordinates = kernel.threads.iter().chain(&kernel.blocks).map(|c| &c.var.name);
    let own: Vec<usize> = coordinates.filter_map(|name| locals.iter().position(|v| v.name == *name)).collect();
    let mut all = bases.to_vec();
    for at in own {
        for base in &bases {
            let away = AWAY.iter().flat_map(|by| [base[at] + by, base[at] - by]);
            for to in TRIED.iter().copied().chain(away).filter(|to| *to >= 0) {
                let mut thread = base.clone();
                thread[at] = to;
                if all.len() < THREADS && !all.contains(&thread) {
                    all.push(thread);
                }
            }
        }
    }
    all
}
