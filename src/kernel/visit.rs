//! Walks over the kernel language: subexpressions, and what a piece of code reads or changes.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::ir::{Builtin, Copier, Expr, ExprKind, Function, Intrinsic, Loop, Program, Stmt, StmtKind, VarId};
use super::types::Type;
use crate::core::Scope;

impl Expr {
    /// The direct subexpressions, in the order of evaluation.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Int(_)
            | ExprKind::Constant(_)
            | ExprKind::Builtin(_)
            | ExprKind::Function(_)
            | ExprKind::Hole
            | ExprKind::Unknown(_) => vec![],
            ExprKind::Deref(e)
            | ExprKind::Member(e, _, _)
            | ExprKind::Temporary(e)
            | ExprKind::Load(e)
            | ExprKind::AddressOf(e)
            | ExprKind::Not(e)
            | ExprKind::Convert(e) => vec![e],
            ExprKind::Element(a, b)
            | ExprKind::Arith(_, _, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Distance(a, b)
            | ExprKind::Assign(a, b)
            | ExprKind::Comma(a, b) => vec![a, b],
            ExprKind::Choose(a, b, c) => vec![a, b, c],
            ExprKind::Update { place, value, .. } => vec![place, value],
            ExprKind::Opaque(_, args)
            | ExprKind::Call(_, args)
            | ExprKind::CallUnknown(_, args)
            | ExprKind::Intrinsic(_, args) => args.iter().collect(),
            ExprKind::CallValue(target, args, _) => std::iter::once(&**target).chain(args).collect(),
            ExprKind::Aggregate(parts) => parts.iter().map(|(_, e)| e).collect(),
        }
    }

    /// Calls back on this expression and everything below it.
    pub fn each<'e>(&'e self, f: &mut impl FnMut(&'e Expr)) {
        let mut stack = vec![self];
        while let Some(expr) = stack.pop() {
            f(expr);
            stack.extend(expr.children());
        }
    }
}

/// Calls back on every expression of statements, and on every declaration.
pub fn each_expr<'s>(stmts: &'s [Stmt], f: &mut impl FnMut(&'s Expr), declared: &mut impl FnMut(VarId)) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Expr(e) => e.each(f),
            StmtKind::Declare(var, init) => {
                declared(*var);
                if let Some(init) = init {
                    init.each(f);
                }
            }
            StmtKind::If(cond, then, els) => {
                cond.each(f);
                each_expr(then, f, declared);
                each_expr(els, f, declared);
            }
            StmtKind::Loop(inner) => each_loop(inner, f, declared),
            StmtKind::Switch(value, cases) => {
                value.each(f);
                for case in cases {
                    case.labels.iter().flatten().for_each(|l| l.each(f));
                    each_expr(&case.body, f, declared);
                }
            }
            StmtKind::Return(Some(value)) => value.each(f),
            StmtKind::Block(inner) => each_expr(inner, f, declared),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Unknown(_) => {}
        }
    }
}

/// The expressions that are statements of their own: nothing is done with what they give.
pub fn results_not_used(program: &Program) -> FxHashSet<*const Expr> {
    let mut found = FxHashSet::default();
    program.functions.iter().filter_map(|f| f.body.as_ref()).for_each(|body| values_not_used(body, &mut found));
    found
}

fn values_not_used(stmts: &[Stmt], found: &mut FxHashSet<*const Expr>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Expr(e) => drop(found.insert(e)),
            StmtKind::If(_, then, els) => [then, els].into_iter().for_each(|s| values_not_used(s, found)),
            StmtKind::Loop(inner) => values_not_used(&inner.body, found),
            StmtKind::Switch(_, cases) => cases.iter().for_each(|c| values_not_used(&c.body, found)),
            StmtKind::Block(inner) => values_not_used(inner, found),
            StmtKind::Declare(..)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Unknown(_) => {}
        }
    }
}

pub fn each_loop<'s>(the_loop: &'s Loop, f: &mut impl FnMut(&'s Expr), declared: &mut impl FnMut(VarId)) {
    the_loop.cond.iter().chain(&the_loop.step).for_each(|e| e.each(f));
    each_expr(&the_loop.body, f, declared);
}

/// The axes of blocks and grids that code reads, and whether it has to do with clusters.
#[derive(Default)]
pub struct Axes {
    pub block: [bool; 3],
    pub grid: [bool; 3],
    pub cluster: bool,
}

/// Questions about the place of a block in its cluster.
pub const CLUSTER_QUERIES: [&str; 4] = ["block_rank", "num_blocks", "block_index", "dim_blocks"];

/// Questions about a group that may be the whole grid.
const GROUP_QUERIES: [&str; 5] = ["thread_rank", "size", "num_threads", "block_rank", "num_blocks"];

impl Axes {
    /// Those that a kernel and the functions that it calls read.
    pub fn of(program: &Program) -> Axes {
        let mut seen = Axes::default();
        let unused = results_not_used(program);
        program.functions.iter().for_each(|f| seen.function(f, &unused));
        seen
    }

    fn function(&mut self, function: &Function, unused: &FxHashSet<*const Expr>) {
        let Some(body) = &function.body else { return };
        each_expr(
            body,
            &mut |e| match &e.kind {
                ExprKind::Intrinsic(
                    Intrinsic::Barrier(Scope::Cluster)
                    | Intrinsic::Arrive(Scope::Cluster)
                    | Intrinsic::Wait(Scope::Cluster),
                    _,
                ) => self.cluster = true,
                ExprKind::CallUnknown(name, _) if CLUSTER_QUERIES.contains(&name.as_str()) => {
                    (self.cluster, self.grid) = (true, [true; 3]);
                }
                ExprKind::Builtin(Builtin::ThreadIdx(a) | Builtin::BlockDim(a)) => self.block[usize::from(*a)] = true,
                // Of the other axes they say nothing: a block that is not read along them is as good as one of extent 1.
                ExprKind::Builtin(Builtin::LinearThread | Builtin::BlockSize)
                | ExprKind::Intrinsic(
                    Intrinsic::BeginCopy(Copier::Tile(_) | Copier::Block)
                    | Intrinsic::BeginCopyUntil(Copier::Tile(_) | Copier::Block),
                    _,
                ) => self.block[0] = true,
                ExprKind::Builtin(Builtin::LinearBlock | Builtin::GridSize) => self.grid[0] = true,
                ExprKind::Builtin(Builtin::BlockIdx(a) | Builtin::GridDim(a)) => self.grid[usize::from(*a)] = true,
                // What is not modelled may be a number of the thread, or a ticket.
                ExprKind::CallUnknown(name, _) => {
                    self.block[0] = true;
                    self.grid[0] |= GROUP_QUERIES.contains(&name.as_str());
                }
                ExprKind::Unknown(_) | ExprKind::Intrinsic(Intrinsic::Havoc(_) | Intrinsic::Together(_), _) => {
                    self.block[0] = true;
                }
                ExprKind::Intrinsic(Intrinsic::Atomic(..), _) if !unused.contains(&std::ptr::from_ref(e)) => {
                    self.block[0] = true;
                }
                _ => {}
            },
            &mut |_| {},
        );
    }
}

/// What a loop may change.
#[derive(Default)]
pub struct Changes {
    /// Variables assigned by name, or whose address is taken, in the loop.
    pub vars: BTreeSet<VarId>,
    /// Something is stored through a pointer, or a function is called that could do so.
    pub through_pointers: bool,
}

impl Changes {
    pub fn of(the_loop: &Loop) -> Changes {
        let mut changes = Changes::default();
        let mut declared = BTreeSet::new();
        each_loop(the_loop, &mut |e| changes.expr(e), &mut |var| {
            declared.insert(var);
        });
        changes.vars.extend(declared);
        changes
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign(place, _) | ExprKind::Update { place, .. } => self.place(place),
            ExprKind::AddressOf(place) => {
                roots(place, &mut self.vars);
            }
            // An array that decays to a pointer.
            ExprKind::Load(place) if matches!(place.ty, Type::Array(..)) => {
                roots(place, &mut self.vars);
            }
            ExprKind::Call(..) | ExprKind::CallValue(..) | ExprKind::CallUnknown(..) => self.through_pointers = true,
            ExprKind::Intrinsic(
                Intrinsic::Atomic(..)
                | Intrinsic::MemCopy
                | Intrinsic::BeginCopy(_)
                | Intrinsic::BeginCopyUntil(_)
                | Intrinsic::MemSet
                | Intrinsic::TouchReadWrite(_)
                | Intrinsic::WritesPointers(_),
                _,
            ) => self.through_pointers = true,
            _ => {}
        }
    }

    fn place(&mut self, place: &Expr) {
        self.through_pointers |= !roots(place, &mut self.vars);
    }
}

/// Finds the variables that a place may be a part of. False when it may be reached through a pointer.
fn roots(place: &Expr, vars: &mut BTreeSet<VarId>) -> bool {
    match &place.kind {
        ExprKind::Var(var) => {
            vars.insert(*var);
            true
        }
        ExprKind::Member(inner, _, _) | ExprKind::Element(inner, _) | ExprKind::Comma(_, inner) => roots(inner, vars),
        // The result of an assignment is its place.
        ExprKind::Assign(inner, _) | ExprKind::Update { place: inner, .. } => roots(inner, vars),
        ExprKind::Choose(_, t, e) => {
            let (t, e) = (roots(t, vars), roots(e, vars));
            t && e
        }
        _ => false,
    }
}
