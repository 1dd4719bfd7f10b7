//! Loops without a condition that begin with their exit: `for (;;) { int i = ..; if (i >= n) break; .. }` is a loop with the
//! condition `i < n`, evaluated after the statements in front of it.

use super::*;
use crate::kernel::ir::{Expr, ExprKind, Intrinsic, Stmt, StmtKind};

/// A loop as the walk sees it: `head; leave unless cond == holds; body..; step`.
pub(super) struct Parts<'p> {
    pub head: &'p [Stmt],
    /// The condition, and the value with which the loop goes on.
    pub cond: Option<(&'p Expr, bool)>,
    pub body: [&'p [Stmt]; 2],
    pub post_test: bool,
}

impl<'p> Parts<'p> {
    pub fn of(the_loop: &'p Loop) -> Parts<'p> {
        let endless = the_loop.cond.as_ref().is_none_or(is_true);
        let as_written = Parts {
            head: &[],
            cond: the_loop.cond.as_ref().map(|c| (c, true)),
            body: [&the_loop.body, &[]],
            post_test: the_loop.post_test,
        };
        if !endless {
            return as_written;
        }
        // [LOOP-LEADING]
        let stmts = unwrapped(&the_loop.body);
        let Some(at) = stmts.iter().position(|s| !is_plain(s)) else { return as_written };
        let (head, rest) = (&stmts[..at], &stmts[at + 1..]);
        let StmtKind::If(cond, then, els) = &stmts[at].kind else { return as_written };
        // A label in the rest can be jumped to from there alone.
        match (leaves(then), leaves(els)) {
            (true, false) => Parts { head, cond: Some((cond, false)), body: [els, rest], post_test: false },
            (false, true) => Parts { head, cond: Some((cond, true)), body: [then, rest], post_test: false },
            _ => as_written,
        }
    }
}

/// The statements of blocks that hold nothing but a block.
fn unwrapped(stmts: &[Stmt]) -> &[Stmt] {
    match stmts {
        [Stmt { kind: StmtKind::Block(inner), .. }] => unwrapped(inner),
        _ => stmts,
    }
}

/// Does this do nothing but leave the loop?
fn leaves(stmts: &[Stmt]) -> bool {
    matches!(unwrapped(stmts), [Stmt { kind: StmtKind::Break, .. }])
}

/// Does control go on after this statement, whatever happens, and without a barrier on the way?
fn is_plain(stmt: &Stmt) -> bool {
    let computes = |e: &Expr| {
        let mut plain = true;
        e.each(&mut |e| {
            plain &= match &e.kind {
                ExprKind::Call(..) | ExprKind::CallValue(..) | ExprKind::CallUnknown(..) | ExprKind::Unknown(_) => {
                    false
                }
                ExprKind::Intrinsic(what, _) => {
                    use Intrinsic::{Havoc, Max, Min, Pure, ReadThrough};
                    matches!(what, Pure(..) | Min(_) | Max(_) | ReadThrough | Havoc(_))
                }
                _ => true,
            };
        });
        plain
    };
    match &stmt.kind {
        StmtKind::Expr(e) => computes(e),
        StmtKind::Declare(_, init) => init.as_ref().is_none_or(computes),
        StmtKind::Block(inner) => inner.iter().all(is_plain),
        _ => false,
    }
}

/// Is this a condition that always holds?
pub(super) fn is_true(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Int(n) => *n != 0,
        ExprKind::Convert(inner) => is_true(inner),
        ExprKind::Compare(NRel::Ne, a, b) => matches!(b.kind, ExprKind::Int(0)) && is_true(a),
        _ => false,
    }
}
