//! Barrier divergence: what has to be the same for both threads of a pair, so that they pass the same barriers.

use super::access::SiteId;
use super::closure::{Closure, Context};
use super::names::depends;
use super::protocol::Protocol;
use super::race::{context_conditions, frame};
use super::range::Range;
use super::scope::{Projection, Task};
use super::unsync::Unsync;
use super::wellformed::synchronises_at;
use crate::exp::subst::Leaves;
use crate::exp::{B, N};

/// What decides whether, or how often, a barrier runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    If(B),
    For(Range),
}

/// Threads that meet at the level must not differ in the decision, when both get there in the same iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// A barrier that the decision is about.
    pub barrier: SiteId,
    /// The loops and conditions around the decision, outermost first.
    pub context: Vec<Context>,
    pub decision: Decision,
    /// What has to hold, of both threads alike, for a barrier below the decision to wait for the two.
    pub concerns: B,
    /// What holds of a thread that comes to a barrier in the branch that it takes, then or else; of a loop, in an iteration.
    pub reached: [B; 2],
}

/// The decisions in which threads of the level may differ, as far as the variables show; none when every barrier is
/// plainly uniform.
///
/// Source:   \[LSP\] rules B1 and B2, theory 4; protocol-spec/06-uniform.md.    Shape: in program order, outermost first.
/// Ensures:  THM-UNIFORM, tests/theorems/uniform.rs: when no two threads that meet at the level satisfy the
///           [`divergence`] of an obligation, all of them pass the same barriers in the same iterations.
/// Errors:   none, total.
pub fn obligations(projection: &Projection) -> Vec<Obligation> {
    let mut all = Vec::new();
    gather(projection, &projection.kernel.code, &mut Vec::new(), &mut all);
    all
}

fn gather(projection: &Projection, code: &Protocol, context: &mut Vec<Context>, all: &mut Vec<Obligation>) {
    let Some(barrier) = synchronises_at(code, projection.level) else { return };
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => {}
        Protocol::Seq(parts) => parts.iter().for_each(|p| gather(projection, p, context, all)),
        // [UNIFORM-IF]   the condition is the same for both
        Protocol::If(b, t, e) => {
            if may_differ(projection, |leaves| leaves.boolean(b)) {
                let decision = Decision::If(b.clone());
                let concerns = B::or([concerned(projection, t), concerned(projection, e)]);
                let reached = [t, e].map(|branch| reached(projection, branch));
                all.push(Obligation { barrier, context: context.clone(), decision, concerns, reached });
            }
            for (cond, branch) in [(b.clone(), t), (B::not(b), e)] {
                context.push(Context::Assume(cond));
                gather(projection, branch, context, all);
                context.pop();
            }
        }
        // [UNIFORM-FOR]  the range is the same for both, so that they are in the same iteration
        Protocol::For(range, body) => {
            if may_differ(projection, |leaves| range.terms().into_iter().for_each(|n| leaves.numeric(n))) {
                let concerns = beyond(range, concerned(projection, body));
                let decision = Decision::For(range.clone());
                let reached = [beyond(range, reached(projection, body)), B::lit(false)];
                all.push(Obligation { barrier, context: context.clone(), decision, concerns, reached });
            }
            context.push(Context::Bind(range.clone()));
            gather(projection, body, context, all);
            context.pop();
        }
    }
}

/// A condition on what the two threads share that holds whenever a barrier of the code runs: with a mask, that both lanes
/// are in it. [UNIFORM-MASK]
fn concerned(projection: &Projection, code: &Protocol) -> B {
    let inner = |p: &Protocol| concerned(projection, p);
    match code {
        Protocol::Skip | Protocol::Access(_) => B::lit(false),
        Protocol::Sync(barrier) => B::lit(barrier.scope >= projection.level.scope()),
        Protocol::Seq(parts) => B::or(parts.iter().map(inner).collect::<Vec<_>>()),
        Protocol::If(b, t, e) if may_differ(projection, |leaves| leaves.boolean(b)) => B::or([inner(t), inner(e)]),
        Protocol::If(b, t, e) => B::or([B::and([b.clone(), inner(t)]), B::and([B::not(b), inner(e)])]),
        Protocol::For(range, body) => beyond(range, inner(body)),
    }
}

/// A condition on the variables of a thread that holds whenever it comes to a barrier of the code. [UNIFORM-REACHED]
fn reached(projection: &Projection, code: &Protocol) -> B {
    let inner = |p: &Protocol| reached(projection, p);
    match code {
        Protocol::Skip | Protocol::Access(_) => B::lit(false),
        Protocol::Sync(barrier) => B::lit(barrier.scope >= projection.level.scope()),
        Protocol::Seq(parts) => B::or(parts.iter().map(inner).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => B::or([B::and([b.clone(), inner(t)]), B::and([B::not(b), inner(e)])]),
        Protocol::For(range, body) => B::and([range.nonempty(), beyond(range, inner(body))]),
    }
}

/// A condition that follows from another one for some value of the variable of a range.
fn beyond(range: &Range, condition: B) -> B {
    if depends(&condition, range) { B::lit(true) } else { condition }
}

/// Does a term mention a variable of which each thread has its own?
fn may_differ(projection: &Projection, visit: impl FnOnce(&mut Leaves)) -> bool {
    let mut leaves = Leaves::default();
    visit(&mut leaves);
    projection.locals.iter().any(|local| leaves.vars.iter().any(|v| v.name == local.name))
}

/// Satisfiable iff two threads that meet at the level both get to the decision in the same iterations, and differ in it.
/// For a loop: iff their ranges are not both empty, and differ in a bound or the step. And one of them comes to a barrier then,
/// as far as conditions and loops around that tell. [UNIFORM-DIFFER]
///
/// Shape:    over the names of both threads, as the assumptions of a `RacePhase`.
/// Deviates: two ranges with other bounds may still have the same values; such an alarm has to be looked at.
pub fn divergence(projection: &Projection, obligation: &Obligation) -> B {
    let [mut one, mut two] = Task::BOTH.map(|task| task.rename(&projection.locals));
    let [then, els] = &obligation.reached;
    let differ = match &obligation.decision {
        Decision::If(b) => {
            let (b1, b2) = (one.boolean(b), two.boolean(b));
            let first = B::or([one.boolean(then), two.boolean(els)]);
            let second = B::or([one.boolean(els), two.boolean(then)]);
            B::or([B::and([b1.clone(), B::not(&b2), first]), B::and([B::not(&b1), b2, second])])
        }
        Decision::For(range) => {
            let mut other = |n: &N| one.numeric(n).ne(&two.numeric(n));
            let terms = B::or(range.terms().map(&mut other));
            let runs = range.nonempty();
            let runs = B::and([runs, then.clone()]);
            B::and([terms, B::or([one.boolean(&runs), two.boolean(&runs)])])
        }
    };
    B::and([frame(projection, context_conditions(&obligation.context)), obligation.concerns.clone(), differ])
}

impl Obligation {
    /// The place of the decision, as a closure without code.
    pub fn place(&self) -> Closure {
        Closure { start: Some(self.barrier), context: self.context.clone(), code: Unsync::Skip, approximate: false }
    }
}
