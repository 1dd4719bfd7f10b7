//! Loops that wait for another thread: they look at one place in memory again and again until it holds something else. What
//! that orders is not modelled. [INF-SPIN]

use std::collections::BTreeSet;

use super::leading::is_true;
use super::*;
use crate::kernel::ir::{Expr, ExprKind, Function, Intrinsic, Stmt, StmtKind, VarId};
use crate::kernel::visit::each_loop;

/// Does a loop go on only for what others store? It stores nothing that they can see, and its condition, or that of leaving it,
/// rests on what a place holds that does not change in the loop, and on nothing else that does.
pub(super) fn waits(the_loop: &Loop, function: &Function) -> bool {
    let mut changed: BTreeSet<VarId> = BTreeSet::new();
    let mut given: Vec<(VarId, &Expr)> = Vec::new();
    let mut declared = Vec::new();
    let mut plain = true;
    each_loop(
        the_loop,
        &mut |e| match &e.kind {
            ExprKind::Assign(place, value) | ExprKind::Update { place, value, .. } => match root(place) {
                Some(var) if !is_shared(function, var) => {
                    changed.insert(var);
                    given.push((var, value));
                }
                _ => plain = false,
            },
            ExprKind::Call(..) | ExprKind::CallValue(..) | ExprKind::CallUnknown(..) | ExprKind::Unknown(_) => {
                plain = false
            }
            ExprKind::Intrinsic(what, _) => {
                use Intrinsic::{Assert, Assume, Atomic, Fence, Havoc, Max, Min, Nothing, Pure, ReadThrough};
                plain &= matches!(
                    what,
                    Assert
                        | Assume
                        | Atomic(..)
                        | Fence(_)
                        | Havoc(_)
                        | Max(_)
                        | Min(_)
                        | Nothing
                        | Pure(..)
                        | ReadThrough
                );
            }
            _ => {}
        },
        &mut |var| declared.push(var),
    );
    declarations(&the_loop.body, &mut given);
    changed.extend(declared);
    if !plain {
        return false;
    }
    let mut conditions: Vec<&Expr> = the_loop.cond.iter().filter(|c| !is_true(c)).collect();
    exits(&the_loop.body, &mut conditions);
    // A variable that only ever gets what such a place holds.
    let seen: BTreeSet<VarId> = changed
        .iter()
        .copied()
        .filter(|var| {
            let mut values = given.iter().filter(|(v, _)| v == var).peekable();
            values.peek().is_some() && values.all(|(_, value)| looks(value, &changed, &BTreeSet::new(), function))
        })
        .collect();
    conditions.iter().any(|cond| looks(cond, &changed, &seen, function))
}

/// Does a value rest on what a place in memory holds that does not change, and on no variable that does, but for these?
fn looks(value: &Expr, changed: &BTreeSet<VarId>, seen: &BTreeSet<VarId>, function: &Function) -> bool {
    let (mut memory, mut other) = (false, false);
    value.each(&mut |e| match &e.kind {
        ExprKind::Load(place) => match root(place) {
            Some(var) if is_shared(function, var) => memory = true,
            Some(var) if seen.contains(&var) => memory = true,
            Some(var) => other |= changed.contains(&var),
            None => memory = true,
        },
        ExprKind::Intrinsic(Intrinsic::Atomic(..) | Intrinsic::ReadThrough, _) => memory = true,
        ExprKind::Hole => other = true,
        _ => {}
    });
    memory && !other
}

/// The variable that a place is part of; none if it is behind a pointer, or a variable of the unit.
fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Member(object, ..) => root(object),
        ExprKind::Element(array, _) => root(array),
        _ => None,
    }
}

fn is_shared(function: &Function, var: VarId) -> bool {
    function.vars.get(var.0 as usize).is_some_and(|decl| decl.storage == Storage::Shared)
}

/// What variables are declared with.
fn declarations<'s>(stmts: &'s [Stmt], given: &mut Vec<(VarId, &'s Expr)>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare(var, Some(value)) => given.push((*var, value)),
            StmtKind::Block(inner) => declarations(inner, given),
            _ => {}
        }
    }
}

/// The conditions under which a loop is left from within.
fn exits<'s>(stmts: &'s [Stmt], conditions: &mut Vec<&'s Expr>) {
    let leaves = |s: &Stmt| matches!(s.kind, StmtKind::Break | StmtKind::Return(_));
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::If(cond, then, els) => {
                let inside = |stmts: &[Stmt]| {
                    stmts
                        .iter()
                        .any(|s| leaves(s) || matches!(&s.kind, StmtKind::Block(inner) if inner.iter().any(leaves)))
                };
                if inside(then) || inside(els) {
                    conditions.push(cond);
                }
            }
            StmtKind::Block(inner) => exits(inner, conditions),
            _ => {}
        }
    }
}
