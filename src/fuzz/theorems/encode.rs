//! THM-ENC: the race formula of two accesses of a phase has a solution iff two threads make them in that phase and they
//! race; by enumeration on small domains.

use std::collections::{BTreeMap, BTreeSet};

use super::Outcome;
use crate::base::Name;
use crate::core::race::{ArrayRaces, Instance, race_pair, range_constraint, same_value_pair};
use crate::core::semantics::{AccessValue, Thread};
use crate::core::{
    Closure, Context, Kernel, Level, Mode, Projection, Protocol, RacePhase, Range, SiteId, Task, phases, project,
    race_phase,
};
use crate::exp::{B, Env, EvalError, Var, eval_b, eval_n, free_vars_b};
use crate::fuzz::oracle;

/// How a closure becomes a phase, and two of its accesses a formula.
pub struct Encoding<'e> {
    pub phase: &'e dyn Fn(&Projection, &Closure) -> RacePhase,
    pub pair: &'e dyn Fn(&Instance, &Instance) -> B,
}

impl Default for Encoding<'_> {
    fn default() -> Self {
        Encoding { phase: &race_phase, pair: &|one, two| race_pair(one, two, Level::Block) }
    }
}

/// The values that variables of the generated kernels may have.
const DOMAIN: std::ops::RangeInclusive<i128> = -12..=24;
const COUNTS: std::ops::RangeInclusive<i128> = 0..=12;
/// Closures with more binders are left out: each costs a search.
const BINDERS: usize = 3;
/// How many solutions of two sides are put to the one question for all pairs, of those that race and of the others.
const QUESTIONS: usize = 8;

/// For every closure, every two threads, and all values of the variables: `assumptions and pair(i, j)` has a solution iff
/// one thread makes access i, the other one access j, in the same phase, and the two race; so has the one question for
/// all pairs of an array; and both say of the same solutions that the same value is stored.
///
/// Source:   \[MAP\] section 6; protocol-spec/06-race.md. Closures with more than three binders are left out.
pub fn holds(kernel: &Kernel<Protocol>, encoding: &Encoding) -> Outcome {
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let mut seen = Seen::default();
    for closure in phases(&projection.kernel) {
        let binders = closure.context.iter().filter(|c| matches!(c, Context::Bind(_))).count();
        if binders > BINDERS {
            continue;
        }
        seen.nested |= binders > 1;
        let questions = Questions::new((encoding.phase)(&projection, &closure), encoding.pair);
        for g in [0, 2] {
            questions
                .agree(kernel, &closure, &oracle::values(g), &mut seen)
                .map_err(|why| format!("g = {g}: {why}\nthe sides are {:#?}", questions.phase.sides))?;
        }
    }
    Ok(vec![("racy", seen.racy), ("same values", seen.same), ("under several loops", seen.nested)])
}

#[derive(Default)]
struct Seen {
    racy: bool,
    same: bool,
    nested: bool,
}

/// The pairs of sites that race; with whether not all store one value.
type Sites = BTreeSet<(SiteId, SiteId, bool)>;

/// Values for variables.
type Solution = Vec<(Name, i128)>;

/// The formulas of a phase.
struct Questions {
    phase: RacePhase,
    /// Of each side, as each of the threads has it.
    instances: Vec<[Instance; 2]>,
    pairs: Vec<Pair>,
    arrays: Vec<(ArrayRaces, [Vec<Var>; 2])>,
    columns: [ColumnNames; 2],
}

struct Pair {
    sides: [usize; 2],
    array: usize,
    races: B,
    same: B,
}

/// The columns that describe the access that a thread has chosen, but for its indices.
struct ColumnNames {
    site: Name,
    kind: Name,
    value: Name,
    valued: Name,
    width: Name,
    rank: Name,
}

impl ColumnNames {
    fn new(task: Task) -> ColumnNames {
        let name = |column: &str| task.name(&column.into());
        ColumnNames {
            site: name("site"),
            kind: name("kind"),
            value: name("value"),
            valued: name("valued"),
            width: name("width"),
            rank: name("rank"),
        }
    }
}

fn error(error: EvalError) -> String {
    error.to_string()
}

impl Questions {
    fn new(phase: RacePhase, pair: &dyn Fn(&Instance, &Instance) -> B) -> Questions {
        let instances: Vec<[Instance; 2]> =
            phase.sides.iter().map(|side| Task::BOTH.map(|task| phase.instantiate(side, task))).collect();
        let names = phase.arrays();
        let mut pairs = Vec::new();
        for (i, [one, _]) in instances.iter().enumerate() {
            for (j, [_, two]) in instances.iter().enumerate() {
                if one.array != two.array {
                    continue;
                }
                let races = B::and([phase.assumptions.clone(), pair(one, two)]);
                let array = names.iter().position(|name| *name == one.array).unwrap_or_default();
                pairs.push(Pair { sides: [i, j], array, races, same: same_value_pair(one, two) });
            }
        }
        let arrays = names.iter().map(|name| {
            let races = phase.races_on(name);
            let ats = Task::BOTH.map(|task| index_columns(&races.formula, task));
            (races, ats)
        });
        let arrays = arrays.collect();
        Questions { phase, instances, pairs, arrays, columns: Task::BOTH.map(ColumnNames::new) }
    }

    fn agree(
        &self,
        kernel: &Kernel<Protocol>,
        closure: &Closure,
        values: &Env<'static>,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let threads = oracle::threads(kernel, values)?;
        let runs = threads.iter().map(|thread| oracle::closure_of(kernel, closure, thread, values));
        let runs: Vec<oracle::Instances> = runs.collect::<Result<_, _>>()?;
        let mut shared = shared(closure, values)?;
        let keys: BTreeSet<Vec<i128>> = shared.keys().chain(runs.iter().flat_map(BTreeMap::keys)).cloned().collect();
        for key in keys {
            let mut found = vec![Sites::new(); threads.len() * threads.len()];
            for mut env in shared.remove(&key).unwrap_or_default() {
                let solved = [Task::One, Task::Two].map(|task| -> Result<Vec<_>, String> {
                    threads.iter().map(|thread| self.solve(kernel, task, thread, &mut env.clone())).collect()
                });
                let [ones, twos] = solved;
                let (ones, twos) = (ones?, twos?);
                for (i, (one, ones)) in threads.iter().zip(&ones).enumerate() {
                    set_coordinates(kernel, Task::One, one, &mut env);
                    for (j, (two, twos)) in threads.iter().zip(&twos).take(3).enumerate() {
                        set_coordinates(kernel, Task::Two, two, &mut env);
                        let sites = &mut found[i * threads.len() + j];
                        self.by_formula([ones, twos], &mut env, sites)?;
                    }
                }
            }
            for (i, one) in runs.iter().enumerate() {
                for (j, two) in runs.iter().take(3).enumerate() {
                    let expected = match (one.get(&key), two.get(&key)) {
                        (Some(one), Some(two)) => racy_sites(one, two),
                        _ => Sites::new(),
                    };
                    let got = &found[i * threads.len() + j];
                    if *got != expected {
                        let pair = [&threads[i], &threads[j]];
                        return Err(format!("{pair:?} at {key:?}: the formulas find {got:?}, not {expected:?}"));
                    }
                    seen.racy |= !expected.is_empty();
                    seen.same |= expected.iter().any(|(_, _, differ)| !differ);
                }
            }
        }
        Ok(())
    }

    /// Of each side: all values of its binders with which the thread makes the access.
    fn solve(
        &self,
        kernel: &Kernel<Protocol>,
        task: Task,
        thread: &Thread,
        env: &mut Env<'static>,
    ) -> Result<Vec<Vec<Solution>>, String> {
        set_coordinates(kernel, task, thread, env);
        let number = usize::from(task == Task::Two);
        let sides = self.phase.sides.iter().zip(&self.instances).map(|(side, instances)| {
            let mut own = task.rename(&self.phase.locals);
            let ranges: Vec<Searched> =
                side.binders.iter().map(|range| Searched::new(range, |b| own.boolean(b), |n| task.name(n))).collect();
            let mut all = Vec::new();
            search(&ranges, env, &mut Vec::new(), &mut |env, solution| {
                if eval_b(&instances[number].active, env)? {
                    all.push(solution.clone());
                }
                Ok(())
            })
            .map_err(error)?;
            Ok(all)
        });
        sides.collect()
    }

    /// The pairs of sites that race for two threads in one phase, by the formulas.
    fn by_formula(
        &self,
        [ones, twos]: [&[Vec<Solution>]; 2],
        env: &mut Env<'static>,
        all: &mut Sites,
    ) -> Result<(), String> {
        for pair in &self.pairs {
            let [i, j] = pair.sides;
            let [one, two] = [&self.instances[i][0], &self.instances[j][1]];
            let mut asked = [0, 0];
            for e1 in &ones[i] {
                assign(env, e1);
                for e2 in &twos[j] {
                    assign(env, e2);
                    let races = eval_b(&pair.races, env).map_err(error)?;
                    let differ = !eval_b(&pair.same, env).map_err(error)?;
                    if races {
                        all.insert((one.site, two.site, differ));
                    }
                    let asked = &mut asked[usize::from(races)];
                    if i <= j && *asked < QUESTIONS {
                        *asked += 1;
                        self.ask(pair, env, races, differ)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Does the one question for the array say the same of two sides?
    fn ask(&self, pair: &Pair, env: &mut Env<'static>, races: bool, differ: bool) -> Result<(), String> {
        let [i, j] = pair.sides;
        let (question, ats) = &self.arrays[pair.array];
        for (task, side) in [(0, i), (1, j)] {
            let place = question.place(side).ok_or_else(|| format!("side {side} is not in the question"))?;
            env.set(&self.columns[task].site, place);
            self.choose(side, task, &ats[task], env)?;
        }
        let mut found = false;
        for kinds in 0..16 {
            env.set(&self.columns[0].kind, kinds / 4);
            env.set(&self.columns[1].kind, kinds % 4);
            if !eval_b(&question.formula, env).map_err(error)? {
                continue;
            }
            found = true;
            let says = |b: &B| eval_b(b, env).map_err(error);
            if says(&question.same_value)? == differ
                || !says(&question.exactly(i, j))?
                || says(&question.other_than(&[i], &[j]))?
            {
                return Err(format!("sides {i} and {j}: the question says another thing of the values"));
            }
        }
        if found == races {
            Ok(())
        } else {
            Err(format!("sides {i} and {j}: the pair races: {races}; the question says {found}"))
        }
    }

    /// Sets the columns of the one question, but for site and kind, to what the thread of this task has chosen.
    fn choose(&self, side: usize, task: usize, ats: &[Var], env: &mut Env<'static>) -> Result<(), String> {
        let instance = &self.instances[side][task];
        let index = instance.index.iter().map(|n| eval_n(n, env)).collect::<Result<Vec<_>, _>>().map_err(error)?;
        let stored = match &instance.mode {
            Mode::Wr(Some(term)) => Some(eval_n(term, env).map_err(error)?),
            Mode::Rd | Mode::Wr(None) | Mode::At(_) => None,
        };
        let names = &self.columns[task];
        env.set(&names.width, i128::from(instance.width));
        env.set(&names.valued, i128::from(stored.is_some()));
        env.set(&names.value, stored.unwrap_or(0));
        env.set(&names.rank, index.len() as i128);
        let padding = std::iter::repeat_n(-1, ats.len().saturating_sub(index.len()));
        ats.iter().zip(padding.chain(index)).for_each(|(at, value)| env.set(&at.name, value));
        Ok(())
    }
}

/// The columns of the indices of a thread, outermost first: `at`, `at$1`, ...
fn index_columns(question: &B, task: Task) -> Vec<Var> {
    let end = task.name(&"".into());
    let column = |v: &Var| {
        let name = v.name.as_str();
        (name.starts_with("at!") || name.starts_with("at$")) && name.ends_with(end.as_str())
    };
    // In this order: `!` sorts before `$`.
    free_vars_b(question).into_iter().filter(column).collect()
}

/// A range whose solutions are searched: its variable, those that its constraint adds, and the constraint.
struct Searched {
    var: Name,
    counters: Vec<Name>,
    constraint: B,
}

impl Searched {
    fn new(range: &Range, mut rename: impl FnMut(&B) -> B, name: impl Fn(&Name) -> Name) -> Searched {
        let (constraint, counters) = range_constraint(range);
        Searched {
            var: name(&range.var.name),
            counters: counters.iter().map(|v| name(&v.name)).collect(),
            constraint: rename(&constraint),
        }
    }
}

/// Calls back on all values of the variables of the ranges, outermost first, that fulfil the constraints.
fn search(
    ranges: &[Searched],
    env: &mut Env<'static>,
    solution: &mut Solution,
    found: &mut dyn FnMut(&Env<'static>, &Solution) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let Some((range, inner)) = ranges.split_first() else { return found(env, solution) };
    for x in DOMAIN {
        env.set(&range.var, x);
        solution.push((range.var.clone(), x));
        count(range, &range.counters, inner, env, solution, found)?;
        solution.pop();
    }
    Ok(())
}

fn count(
    range: &Searched,
    counters: &[Name],
    inner: &[Searched],
    env: &mut Env<'static>,
    solution: &mut Solution,
    found: &mut dyn FnMut(&Env<'static>, &Solution) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let Some((counter, rest)) = counters.split_first() else {
        return if eval_b(&range.constraint, env)? { search(inner, env, solution, found) } else { Ok(()) };
    };
    for k in COUNTS {
        env.set(counter, k);
        solution.push((counter.clone(), k));
        count(range, rest, inner, env, solution, found)?;
        solution.pop();
    }
    Ok(())
}

fn assign(env: &mut Env, solution: &Solution) {
    solution.iter().for_each(|(name, value)| env.set(name, *value));
}

fn set_coordinates(kernel: &Kernel<Protocol>, task: Task, thread: &Thread, env: &mut Env) {
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
        env.set(&task.name(&coordinate.var.name), *value);
    }
}

fn racy_sites(one: &[AccessValue], two: &[AccessValue]) -> Sites {
    let pairs = one.iter().flat_map(|a| two.iter().map(move |b| (a, b)));
    let racy = pairs.filter(|(a, b)| a.races(b, Level::Block));
    racy.map(|(a, b)| (a.site, b.site, !a.same_value(b))).collect()
}

/// The values of the binders of a context that its ranges allow, each with the environments in which they do.
fn shared(closure: &Closure, values: &Env<'static>) -> Result<BTreeMap<Vec<i128>, Vec<Env<'static>>>, String> {
    let ranges = closure.context.iter().filter_map(|context| match context {
        Context::Bind(range) => Some(Searched::new(range, B::clone, Name::clone)),
        Context::Assume(_) => None,
    });
    let ranges: Vec<Searched> = ranges.collect();
    let mut all: BTreeMap<Vec<i128>, Vec<Env<'static>>> = BTreeMap::new();
    search(&ranges, &mut values.clone(), &mut Vec::new(), &mut |env, _| {
        let key = ranges.iter().filter_map(|range| env.get(&range.var)).collect();
        all.entry(key).or_default().push(env.clone());
        Ok(())
    })
    .map_err(error)?;
    Ok(all)
}
