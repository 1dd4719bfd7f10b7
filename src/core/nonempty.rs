//! What the path of the paper takes for granted of loops: that the synchronised ones run.

use super::access::SiteId;
use super::closure::Context;
use super::protocol::Protocol;
use super::race::{context_conditions, frame};
use super::range::Range;
use super::scope::Projection;
use super::wellformed::synchronises_at;
use crate::exp::B;

/// A synchronised loop that has to run at least once wherever threads get to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MustRun {
    /// A barrier of its body.
    pub barrier: SiteId,
    /// The synchronised loops around it, outermost first.
    pub context: Vec<Context>,
    pub range: Range,
}

/// The synchronised loops of a protocol in the language W of the paper that are not known to run.
///
/// Source:   \[MAP\] section 4; protocol-spec/03-wellformed.md [WF-NONEMPTY].     Shape: in program order, outermost first.
/// Ensures:  THM-RUN, tests/theorems/nonempty.rs: when no two threads satisfy [`may_be_empty`] of a loop, all of them run,
///           so that THM-1 holds of the protocol.
/// Errors:   none, total.
pub fn must_run(projection: &Projection) -> Vec<MustRun> {
    let mut all = Vec::new();
    gather(projection, &projection.kernel.code, &mut Vec::new(), &mut all);
    all
}

fn gather(projection: &Projection, code: &Protocol, context: &mut Vec<Context>, all: &mut Vec<MustRun>) {
    let Some(barrier) = synchronises_at(code, projection.level) else { return };
    match code {
        // No barrier is under a condition in W.
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) | Protocol::If(..) => {}
        Protocol::Seq(parts) => parts.iter().for_each(|p| gather(projection, p, context, all)),
        Protocol::For(range, body) => {
            if range.nonempty().as_lit() != Some(true) {
                all.push(MustRun { barrier, context: context.clone(), range: range.clone() });
            }
            context.push(Context::Bind(range.clone()));
            gather(projection, body, context, all);
            context.pop();
        }
    }
}

/// Satisfiable iff two threads that meet at the level both get to the loop, and it has no iteration.
pub fn may_be_empty(projection: &Projection, given: &MustRun) -> B {
    B::and([frame(projection, context_conditions(&given.context)), B::not(&given.range.nonempty())])
}
