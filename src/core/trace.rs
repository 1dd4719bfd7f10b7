//! Symbolic traces: the language L of \[MAP\] Fig. 7, and `trace` and `seq` of Fig. 8.

use super::access::{Access, Mode};
use super::closure::{Closure, Context};
use super::kernel::Space;
use super::range::Range;
use super::scope::{Projection, Task};
use super::semantics::{AccessValue, ModeValue, Thread, range_values};
use super::unsync::Unsync;
use crate::exp::{B, Env, EvalError, N, Subst, Var, eval_b, eval_n};

/// `h ::= skip | n:o[m] | h; h | if b {h} else {h} | var x in n..m; h`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trace {
    Skip,
    /// An access of one of the two threads.
    Access(Task, Access),
    Seq(Vec<Trace>),
    If(B, Box<Trace>, Box<Trace>),
    Var(Range, Box<Trace>),
}

/// The trace of one thread: its loops become variables.
///
/// Source:   \[MAP\] Fig. 8; protocol-spec/05-split.md.       Shape: Unsync -> Trace. Errors: none, total.
pub fn trace(code: &Unsync, task: Task) -> Trace {
    match code {
        // [TRACE-SKIP]
        Unsync::Skip => Trace::Skip,
        // [TRACE-ACC]  trace(o[n]) = tid:o[n]
        Unsync::Access(access) => Trace::Access(task, access.clone()),
        // [TRACE-SEQ]
        Unsync::Seq(parts) => Trace::Seq(parts.iter().map(|u| trace(u, task)).collect()),
        // [TRACE-IF]
        Unsync::If(b, t, e) => Trace::If(b.clone(), Box::new(trace(t, task)), Box::new(trace(e, task))),
        // [TRACE-FOR]  trace(for^U x in n..m {u}) = var x in n..m; trace(u)
        Unsync::For(range, body) => Trace::Var(range.clone(), Box::new(trace(body, task))),
    }
}

/// Two threads that run a closure one after the other, for all pairs of threads that meet at the level.
///
/// Source:   \[MAP\] Fig. 8; protocol-spec/05-split.md [SEQ-VAR], [SEQ-U].       Shape: Closure -> Trace.
/// Ensures:  THM-1, tests/theorems/align.rs: the traces have a race iff the closures have one.
/// Errors:   none, total.
/// Deviates: a thread has several coordinates, so that it is `differ` that keeps the two apart, and not the ranges of their
///           ids; both orders of each pair are there. The threads stand outside of the binders of the closure, because
///           a condition of the closure may mention coordinates.
pub fn seq(projection: &Projection, closure: &Closure) -> Trace {
    let kernel = &projection.kernel;
    let [mut one, mut two] = Task::BOTH.map(|task| task.rename(&projection.locals));
    // [SEQ-U]  var t1; var t2; h1; h2
    let code = trace(&closure.code, Task::One);
    let both = Trace::Seq(vec![code.subst(&mut one), trace(&closure.code, Task::Two).subst(&mut two)]);
    // [SEQ-VAR]  seq(var x in n..m; c) = var x in n..m; seq(c)
    let inside = closure.context.iter().rev().fold(both, |inner, context| match context {
        Context::Bind(range) => Trace::Var(range.subst(&mut one), Box::new(inner)),
        Context::Assume(b) => when(B::and([one.boolean(b), two.boolean(b)]), inner),
    });
    let mut frame = vec![projection.meet.clone()];
    for task in [&mut one, &mut two] {
        frame.push(task.boolean(&kernel.pre));
    }
    let mut whole = when(B::and(frame), inside);
    for coordinate in kernel.blocks.iter().chain(&kernel.threads).rev() {
        let declare = |var: Var, inner| Trace::Var(Range::up(var, N::num(0), coordinate.extent.clone()), inner);
        let own = projection.locals.contains(&coordinate.var);
        whole = if own {
            let two = declare(Task::Two.var(&coordinate.var), Box::new(whole));
            declare(Task::One.var(&coordinate.var), Box::new(two))
        } else {
            declare(coordinate.var.clone(), Box::new(whole))
        };
    }
    whole
}

fn when(cond: B, then: Trace) -> Trace {
    match cond.as_lit() {
        Some(true) => then,
        Some(false) => Trace::Skip,
        None => Trace::If(cond, Box::new(then), Box::new(Trace::Skip)),
    }
}

impl Trace {
    fn subst(&self, subst: &mut Subst) -> Trace {
        match self {
            Trace::Skip => Trace::Skip,
            Trace::Access(task, access) => Trace::Access(*task, access.subst(subst)),
            Trace::Seq(parts) => Trace::Seq(parts.iter().map(|h| h.subst(subst)).collect()),
            Trace::If(b, t, e) => Trace::If(subst.boolean(b), Box::new(t.subst(subst)), Box::new(e.subst(subst))),
            Trace::Var(range, body) => {
                let outer = range.subst(subst);
                let body = if subst.replaces(&range.var.name) {
                    body.subst(&mut subst.without(&range.var.name))
                } else {
                    body.subst(subst)
                };
                Trace::Var(outer, Box::new(body))
            }
        }
    }

    /// `h ⇓ H`: the phases of the trace, one for each choice of values for its variables.
    ///
    /// Source:   \[MAP\] Fig. 7; protocol-spec/02-semantics.md [SEM-TRACE].
    /// Errors:   when a name has no value.
    pub fn history(&self, values: &Env) -> Result<Vec<Vec<AccessValue>>, EvalError> {
        self.phases(&mut values.clone())
    }

    fn phases(&self, values: &mut Env) -> Result<Vec<Vec<AccessValue>>, EvalError> {
        match self {
            Trace::Skip => Ok(vec![Vec::new()]),
            Trace::Access(task, access) => Ok(vec![vec![value(*task, access, values)?]]),
            Trace::Seq(parts) => {
                let mut all = vec![Vec::new()];
                for part in parts {
                    let own = part.phases(values)?;
                    all = match (all.as_mut_slice(), own.as_slice()) {
                        ([only], _) if only.is_empty() => own,
                        (_, [only]) => {
                            all.iter_mut().for_each(|p| p.extend_from_slice(only));
                            all
                        }
                        (all, own) => {
                            let product = all.iter().flat_map(|p| own.iter().map(move |q| [p.as_slice(), q].concat()));
                            product.collect()
                        }
                    };
                }
                Ok(all)
            }
            Trace::If(b, t, e) => if eval_b(b, values)? { t } else { e }.phases(values),
            Trace::Var(range, body) => {
                let outer = values.get(&range.var.name);
                let mut all = Vec::new();
                for x in range_values(range, values)? {
                    values.set(&range.var.name, x);
                    all.extend(body.phases(values)?);
                }
                if let Some(x) = outer {
                    values.set(&range.var.name, x);
                }
                Ok(if all.is_empty() { vec![Vec::new()] } else { all })
            }
        }
    }
}

/// An access value whose owner is told by the task alone: that the two threads differ is a condition of the trace.
fn value(task: Task, access: &Access, values: &Env) -> Result<AccessValue, EvalError> {
    let number = match task {
        Task::One => 1,
        Task::Two => 2,
    };
    let mode = match &access.mode {
        Mode::Rd => ModeValue::Rd,
        Mode::Wr(None) => ModeValue::Wr(None),
        Mode::Wr(Some(stored)) => ModeValue::Wr(Some(eval_n(stored, values)?)),
        Mode::At(scope) => ModeValue::At(*scope),
    };
    Ok(AccessValue {
        thread: Thread { block: Vec::new(), thread: vec![number] },
        array: access.array.clone(),
        space: Space::Global,
        mode,
        index: access.index.iter().map(|n| eval_n(n, values)).collect::<Result<_, _>>()?,
        width: access.width,
        site: access.site,
    })
}
