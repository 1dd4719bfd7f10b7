//! Walks over the code that a loop emits.

use super::*;

pub(super) fn protocol_leaves(p: &Protocol, leaves: &mut Leaves) {
    match p {
        Protocol::Skip => {}
        Protocol::Access(a) => {
            a.index.iter().for_each(|n| leaves.numeric(n));
            if let Mode::Wr(Some(value)) = &a.mode {
                leaves.numeric(value);
            }
        }
        Protocol::Sync(barrier) => barrier.mask.iter().for_each(|m| leaves.numeric(m)),
        Protocol::Seq(parts) => parts.iter().for_each(|q| protocol_leaves(q, leaves)),
        Protocol::If(c, t, e) => {
            leaves.boolean(c);
            protocol_leaves(t, leaves);
            protocol_leaves(e, leaves);
        }
        Protocol::For(range, body) => {
            leaves.numeric(&range.first);
            leaves.numeric(&range.end);
            match &range.step {
                Step::Up(n) | Step::Down(n) | Step::Times(n) | Step::Over(n) => leaves.numeric(n),
            }
            protocol_leaves(body, leaves);
        }
    }
}

pub(in crate::kernel::infer) fn contains_sync(p: &Protocol) -> bool {
    match p {
        Protocol::Sync(_) => true,
        Protocol::Skip | Protocol::Access(_) => false,
        Protocol::Seq(parts) => parts.iter().any(contains_sync),
        Protocol::If(_, t, e) => contains_sync(t) || contains_sync(e),
        Protocol::For(_, body) => contains_sync(body),
    }
}

/// Substitution in a protocol. The binders of protocols made here are all different, so nothing is captured.
pub(in crate::kernel::infer) fn substitute(p: &Protocol, subst: &mut Subst) -> Protocol {
    match p {
        Protocol::Skip => Protocol::Skip,
        Protocol::Access(a) => {
            let mode = match &a.mode {
                Mode::Wr(Some(value)) => Mode::Wr(Some(subst.numeric(value))),
                other => other.clone(),
            };
            let index = a.index.iter().map(|n| subst.numeric(n)).collect();
            Protocol::Access(Access { mode, index, ..a.clone() })
        }
        Protocol::Sync(barrier) => {
            let mut barrier = barrier.clone();
            barrier.mask = barrier.mask.map(|m| subst.numeric(&m));
            Protocol::Sync(barrier)
        }
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|q| substitute(q, subst)).collect::<Vec<_>>()),
        Protocol::If(c, t, e) => {
            let cond = subst.boolean(c);
            Protocol::branch(&cond, substitute(t, subst), substitute(e, subst))
        }
        Protocol::For(range, body) => {
            let step = match &range.step {
                Step::Up(n) => Step::Up(subst.numeric(n)),
                Step::Down(n) => Step::Down(subst.numeric(n)),
                Step::Times(n) => Step::Times(subst.numeric(n)),
                Step::Over(n) => Step::Over(subst.numeric(n)),
            };
            let range = Range {
                var: range.var.clone(),
                first: subst.numeric(&range.first),
                end: subst.numeric(&range.end),
                step,
            };
            match substitute(body, subst) {
                Protocol::Skip => Protocol::Skip,
                body => Protocol::For(range, Box::new(body)),
            }
        }
    }
}

pub(super) fn has_atomic(p: &Protocol) -> bool {
    match p {
        Protocol::Access(a) => matches!(a.mode, Mode::At(..)),
        Protocol::Skip | Protocol::Sync(_) => false,
        Protocol::Seq(parts) => parts.iter().any(has_atomic),
        Protocol::If(_, t, e) => has_atomic(t) || has_atomic(e),
        Protocol::For(_, body) => has_atomic(body),
    }
}

pub(super) fn has_loop(p: &Protocol) -> bool {
    match p {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => false,
        Protocol::Seq(parts) => parts.iter().any(has_loop),
        Protocol::If(_, t, e) => has_loop(t) || has_loop(e),
        Protocol::For(..) => true,
    }
}
