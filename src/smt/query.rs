//! What is asked of a solver, and what comes back.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::base::Name;
use crate::exp::eval::apply;
use crate::exp::subst::Leaves;
use crate::exp::{B, Env, EvalError, Fun, IntTy, Interval, N, NBin, NExp, Ranges, Var, eval_b, eval_n};

/// Is there a value for each variable, within its type and its interval, such that all asserts hold? A free variable of
/// the asserts that is not listed ranges over its type.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub vars: Vec<(Var, Interval)>,
    pub asserts: Vec<B>,
}

/// A solution of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub vars: IndexMap<Name, i128>,
    /// The value of every function application of the query; elsewhere the functions are 0.
    pub apps: Vec<(Fun, Vec<i128>, i128)>,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The model was evaluated: it satisfies the query, with the machine arithmetic of [`crate::exp::eval`].
    Sat(Model),
    /// No solution exists, or none without the wrap-arounds that the assumptions rule out.
    Unsat {
        assumptions: Vec<String>,
    },
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time for the query ran out.
    Timeout,
    /// No solver was found on this machine.
    NoSolver(String),
    /// The solver could not be started, or stopped before it answered.
    SolverDied(String),
    /// The solver answered `(error ..)`.
    SolverError(String),
    /// The solver answered something that is no answer.
    Garbage(String),
    /// The solver gave up, or its model is not one.
    Incomplete(String),
    /// The query is outside what the encodings cover.
    Unencodable(String),
    /// Two solvers say the opposite of each other.
    Disagreement(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("the solver ran out of time"),
            Reason::NoSolver(why) => f.write_str(why),
            Reason::SolverDied(why) => write!(f, "the solver stopped: {why}"),
            Reason::SolverError(why) => write!(f, "the solver reported an error: {why}"),
            Reason::Garbage(what) => write!(f, "the solver's answer makes no sense: {what}"),
            Reason::Incomplete(why) => f.write_str(why),
            Reason::Disagreement(what) => f.write_str(what),
            Reason::Unencodable(why) => write!(f, "the query cannot be put to the solver: {why}"),
        }
    }
}

impl Query {
    pub fn new(vars: Vec<(Var, Interval)>, asserts: Vec<B>) -> Query {
        Query { vars, asserts }
    }

    /// This query and more conditions.
    pub fn and(&self, extra: &[B]) -> Query {
        let mut both = self.clone();
        both.asserts.extend(extra.iter().cloned());
        both
    }

    /// Every variable once, with what is known of it: first those listed, in order, then the free ones, by name.
    pub(super) fn all_vars(&self) -> IndexMap<Name, (IntTy, Interval)> {
        let mut all: IndexMap<Name, (IntTy, Interval)> = IndexMap::new();
        for (var, interval) in &self.vars {
            let known = all.entry(var.name.clone()).or_insert((var.ty, Interval::ALL));
            known.1 = known.1.meet(*interval).meet(Interval::of_type(var.ty));
        }
        let mut leaves = Leaves::default();
        self.asserts.iter().for_each(|b| leaves.boolean(b));
        for var in leaves.vars {
            let known = all.entry(var.name.clone()).or_insert((var.ty, Interval::ALL));
            known.1 = known.1.meet(Interval::of_type(var.ty));
        }
        all
    }

    /// The intervals of the variables, sharpened by the asserts that are comparisons.
    pub(super) fn ranges(&self) -> Ranges {
        let mut ranges = Ranges::new();
        for (name, (_, interval)) in self.all_vars() {
            ranges.narrow(&name, interval);
        }
        // A bound may follow from another one that comes later.
        for _ in 0..3 {
            self.asserts.iter().for_each(|b| ranges.assume_cases(b));
        }
        ranges
    }

    /// The function applications of the asserts, arguments before the applications that use them.
    pub(super) fn calls(&self) -> Vec<N> {
        let mut walk = Calls::default();
        self.asserts.iter().for_each(|b| walk.boolean(b));
        walk.found
    }

    /// How deep the deepest assert is nested.
    pub(super) fn depth(&self) -> u32 {
        self.asserts.iter().map(B::depth).max().unwrap_or(0)
    }
}

#[derive(Default)]
struct Calls {
    found: Vec<N>,
    seen: BTreeSet<usize>,
}

impl Calls {
    fn numeric(&mut self, term: &N) {
        if !self.seen.insert(term.address()) {
            return;
        }
        match term.kind() {
            NExp::Num(_) | NExp::Var(_) => {}
            NExp::Bin(_, _, l, r) => {
                self.numeric(l);
                self.numeric(r);
            }
            NExp::If(c, t, e) => {
                self.boolean(c);
                self.numeric(t);
                self.numeric(e);
            }
            NExp::Cast(_, inner) => self.numeric(inner),
            NExp::Call(_, args) => {
                args.iter().for_each(|a| self.numeric(a));
                self.found.push(term.clone());
            }
        }
    }

    fn boolean(&mut self, term: &B) {
        use crate::exp::BExp;
        if !self.seen.insert(term.address()) {
            return;
        }
        match term.kind() {
            BExp::Lit(_) => {}
            BExp::Rel(_, l, r) => {
                self.numeric(l);
                self.numeric(r);
            }
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|p| self.boolean(p)),
            BExp::Not(inner) => self.boolean(inner),
        }
    }
}

type Table = IndexMap<(Fun, Vec<i128>), i128>;

impl Model {
    /// The model that gives the variables these values, and each application the value listed for it. Arguments are
    /// evaluated, not taken from the solver; where two applications turn out to be the same one, the first value counts.
    pub(super) fn complete(query: &Query, values: &FxHashMap<Name, i128>, calls: &FxHashMap<N, i128>) -> Model {
        let vars: IndexMap<Name, i128> = query
            .all_vars()
            .into_iter()
            .map(|(name, (_, interval))| {
                let fallback = interval.lo.filter(|lo| *lo > 0).or(interval.hi.filter(|hi| *hi < 0)).unwrap_or(0);
                let value = values.get(&name).copied().unwrap_or(fallback);
                (name, value)
            })
            .collect();
        let mut model = Model { vars, apps: Vec::new() };
        let order = query.calls();
        let mut table = model.tabulate(&Table::new(), order.iter().filter(|call| calls.contains_key(*call)), calls);
        // The arguments of one application may depend on the value of another one that the solver never saw.
        let rest = model.tabulate(&table, order.iter(), &FxHashMap::default());
        for (key, value) in rest {
            table.entry(key).or_insert(value);
        }
        model.apps = table.into_iter().map(|((fun, args), value)| (fun, args, value)).collect();
        model
    }

    /// The table of these applications, inner ones first; arguments are evaluated in what there is of it so far, and in
    /// another table.
    fn tabulate<'a>(&self, known: &Table, order: impl Iterator<Item = &'a N>, calls: &FxHashMap<N, i128>) -> Table {
        let table = RefCell::new(Table::new());
        let functions = |fun: &Fun, args: &[i128]| {
            let key = (fun.clone(), args.to_vec());
            Some(table.borrow().get(&key).or_else(|| known.get(&key)).copied().unwrap_or(0))
        };
        let mut env = Env::with_functions(&functions);
        for (name, value) in &self.vars {
            env.set(name, *value);
        }
        for call in order {
            let NExp::Call(fun, args) = call.kind() else { continue };
            if let Ok(args) = args.iter().map(|a| eval_n(a, &env)).collect::<Result<Vec<_>, _>>() {
                let value = fun.ty.wrap(calls.get(call).copied().unwrap_or(0));
                table.borrow_mut().entry((fun.clone(), args)).or_insert(value);
            }
        }
        drop(env);
        table.into_inner()
    }

    fn with_env<T>(&self, table: &Table, body: impl FnOnce(&Env) -> T) -> T {
        let functions = |fun: &Fun, args: &[i128]| {
            // A table is small, and its keys own their arguments.
            Some(table.get(&(fun.clone(), args.to_vec())).copied().unwrap_or(0))
        };
        let mut env = Env::with_functions(&functions);
        for (name, value) in &self.vars {
            env.set(name, *value);
        }
        body(&env)
    }

    /// Does the term have the same value in this model as without any wrap-around in its ring operators?
    pub(super) fn keeps(&self, term: &N) -> bool {
        let table: Table = self.apps.iter().map(|(f, args, value)| ((f.clone(), args.clone()), *value)).collect();
        self.with_env(&table, |env| ideal(term, env, &mut FxHashMap::default()) == eval_n(term, env))
    }

    /// Do all asserts hold, and are all variables within their types and intervals?
    pub fn satisfies(&self, query: &Query) -> Result<bool, EvalError> {
        let within = query.all_vars().iter().all(|(name, (ty, interval))| {
            self.vars.get(name).is_some_and(|value| ty.contains(*value) && interval.contains(*value))
        });
        if !within {
            return Ok(false);
        }
        let table: Table = self.apps.iter().map(|(f, args, value)| ((f.clone(), args.clone()), *value)).collect();
        self.with_env(&table, |env| {
            for assert in &query.asserts {
                if !eval_b(assert, env)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// The value of a term when sums, differences, products and conversions do not wrap. Each part is looked at once.
fn ideal<'t>(term: &'t N, env: &Env, known: &mut FxHashMap<&'t N, i128>) -> Result<i128, EvalError> {
    if let Some(value) = known.get(term) {
        return Ok(*value);
    }
    let value = match term.kind() {
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul | NBin::Shl), _, l, r) => {
            apply(*op, IntTy::MATH, ideal(l, env, known)?, ideal(r, env, known)?)
        }
        NExp::Cast(_, inner) => ideal(inner, env, known)?,
        NExp::If(cond, t, e) => ideal(if eval_b(cond, env)? { t } else { e }, env, known)?,
        NExp::Num(_) | NExp::Var(_) | NExp::Bin(..) | NExp::Call(..) => eval_n(term, env)?,
    };
    known.insert(term, value);
    Ok(value)
}
