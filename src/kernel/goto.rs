//! Backward `goto` as loops: what stands from a label to the last jump back to it is run again. [LOOP-GOTO]
//!
//! Jumps forward stay as they are: out of what is around them, to a label that comes later in a list of statements.

use std::collections::BTreeSet;

use super::ir::{Expr, ExprKind, Loop, Stmt, StmtKind, Storage, Unknown, VarDecl, VarId};
use super::types::Type;
use super::visit::each_expr;
use crate::base::{Name, Span};

/// So many loops of labels may stand in each other.
const MAX_LABELS: usize = 16;

/// Statements in which each jump goes forward, to a label in a list around it; others are not understood.
pub fn structured(body: Vec<Stmt>, vars: &[VarDecl]) -> Vec<Stmt> {
    let mut loops = Loops { vars, depth: 0, made: 0 };
    let mut body = loops.list(body);
    forward_only(&mut body, &mut Vec::new());
    body
}

struct Loops<'v> {
    vars: &'v [VarDecl],
    depth: usize,
    made: usize,
}

impl Loops<'_> {
    fn list(&mut self, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut at = 0;
        while let Some(stmt) = stmts.get_mut(at) {
            at += 1;
            let StmtKind::Label(label) = &stmt.kind else {
                inner_lists(stmt).into_iter().for_each(|list| *list = self.list(std::mem::take(list)));
                continue;
            };
            let (label, span) = (label.clone(), stmt.span);
            if let Some(end) = end_of_loop(&stmts, at, &label).filter(|_| self.depth < MAX_LABELS) {
                let again: Vec<Stmt> = stmts.drain(at..=end).collect();
                let behind = match stmts.get(at).map(|s| &s.kind) {
                    Some(StmtKind::Label(behind)) => Some(behind.clone()),
                    _ => None,
                };
                let mut seen = BTreeSet::new();
                variables(&stmts[at..], &mut seen);
                let (made, otherwise) = self.loop_of(&label, again, behind, seen, span);
                let next = at + made.len();
                stmts.splice(at..at, made.into_iter().chain(otherwise));
                at = next;
            }
        }
        stmts
    }

    /// The loop around statements with jumps back to the label in front of them, with what belongs to it; and what is run
    /// where the last of these is not made. `behind` is a label behind the statements, `seen` are variables that are named there.
    fn loop_of(
        &mut self,
        label: &Name,
        mut body: Vec<Stmt>,
        behind: Option<Name>,
        mut seen: BTreeSet<VarId>,
        span: Span,
    ) -> (Vec<Stmt>, Option<Stmt>) {
        self.made += 1;
        let number = self.made;
        let name = |what: &str| Name::new(format!("{label}%{what}{number}"));
        let stmt = |kind: StmtKind| Stmt { kind, span };
        let mut last = Last::of(&mut body, label);
        variables(last.otherwise.as_slice(), &mut seen);
        let mut out = Vec::new();
        body = body.into_iter().filter_map(|s| self.declared_before(s, &seen, &mut out)).collect();
        let mut jumps = Jumps {
            label: label.clone(),
            behind: behind.filter(|_| last.otherwise.is_none()),
            again: (name("again"), false),
            broken: (name("break"), false),
            continued: (name("continue"), false),
            continues: false,
        };
        jumps.list(&mut body, Around::Label);
        // Other jumps back do not ask for the condition.
        let only = !jumps.continues && !jumps.again.1;
        jumps.list(&mut last.then, Around::Label);
        let (mut cond, mut post_test) = (None, false);
        match last.cond {
            None if last.jumps => {}
            None => body.push(stmt(StmtKind::Break)),
            Some(asked) if body.is_empty() => (cond, body) = (Some(asked), last.then),
            Some(asked) if last.then.is_empty() && only => (cond, post_test) = (Some(asked), true),
            Some(asked) => body.push(stmt(StmtKind::If(asked, last.then, vec![stmt(StmtKind::Break)]))),
        }
        if jumps.again.1 {
            body.push(stmt(StmtKind::Label(jumps.again.0)));
        }
        self.depth += 1;
        let body = self.list(body);
        self.depth -= 1;
        out.push(stmt(StmtKind::Loop(Loop { cond, body, step: None, post_test })));
        // What leaves the loop or switch around this one.
        let exits = [(jumps.broken, StmtKind::Break), (jumps.continued, StmtKind::Continue)];
        for (i, ((exit, is_made), kind)) in exits.into_iter().enumerate() {
            if is_made {
                let over = name(if i == 0 { "whole" } else { "rest" });
                out.push(stmt(StmtKind::Goto(over.clone())));
                out.extend([StmtKind::Label(exit), kind, StmtKind::Label(over)].map(stmt));
            }
        }
        (out, last.otherwise)
    }

    /// A declaration of what may be seen behind the loop becomes one before it, and an assignment in it.
    fn declared_before(&self, stmt: Stmt, seen: &BTreeSet<VarId>, before: &mut Vec<Stmt>) -> Option<Stmt> {
        let span = stmt.span;
        let StmtKind::Declare(var, init) = stmt.kind else { return Some(stmt) };
        // Nothing points to a reference.
        let stays = |decl: &&VarDecl| matches!(decl.ty, Type::Ref(_)) && !seen.contains(&var);
        let decl = self.vars.get(var.0 as usize).filter(|decl| decl.storage == Storage::Private && !stays(decl));
        let Some(decl) = decl else { return Some(Stmt { kind: StmtKind::Declare(var, init), span }) };
        before.push(Stmt { kind: StmtKind::Declare(var, None), span });
        let ty = match &decl.ty {
            Type::Ref(inner) => Type::Ptr(inner.clone()),
            ty => ty.clone(),
        };
        let place = Expr::new(ExprKind::Var(var), ty.clone(), span);
        let store = ExprKind::Assign(Box::new(place), Box::new(init?));
        Some(Stmt { kind: StmtKind::Expr(Expr::new(store, ty, span)), span })
    }
}

/// How statements that are run again end.
#[derive(Default)]
struct Last {
    /// With a jump back?
    jumps: bool,
    /// Under this condition; what is run in front of it there, and what is run where the condition does not hold.
    cond: Option<Expr>,
    then: Vec<Stmt>,
    otherwise: Option<Stmt>,
}

impl Last {
    /// Takes the last statement away where it ends with a jump back, under a condition or none.
    fn of(stmts: &mut Vec<Stmt>, label: &Name) -> Last {
        if take_jump(stmts, label) {
            return Last { jumps: true, ..Last::default() };
        }
        let Some(Stmt { kind: StmtKind::If(_, then, els), .. }) = stmts.last_mut() else { return Last::default() };
        let goes = |list: &[Stmt]| list.iter().any(|s| goes_to(s, label));
        let holds = match (goes(then), goes(els)) {
            (true, false) if take_jump(then, label) => true,
            (false, true) if take_jump(els, label) => false,
            _ => return Last::default(),
        };
        let Some(Stmt { kind: StmtKind::If(cond, then, els), span }) = stmts.pop() else { return Last::default() };
        let (cond, then, els) = match (holds, cond.ty.clone()) {
            (true, _) => (cond, then, els),
            (false, ty) => (Expr::new(ExprKind::Not(Box::new(cond)), ty, span), els, then),
        };
        let otherwise = (!els.is_empty()).then_some(Stmt { kind: StmtKind::Block(els), span });
        Last { jumps: true, cond: Some(cond), then, otherwise }
    }
}

/// Takes away the jump that statements end with.
fn take_jump(stmts: &mut Vec<Stmt>, label: &Name) -> bool {
    let is_taken = match stmts.last_mut().map(|s| &mut s.kind) {
        Some(StmtKind::Block(inner)) => {
            let is_taken = take_jump(inner, label);
            if !(is_taken && inner.is_empty()) {
                return is_taken;
            }
            true
        }
        Some(StmtKind::Goto(to)) => to == label,
        _ => false,
    };
    is_taken && stmts.pop().is_some()
}

/// What a statement stands in, from the loop of the label inwards.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Label,
    Switch,
    Loop,
}

/// The jumps in the statements that become a loop: new ones, and which of them there are.
struct Jumps {
    label: Name,
    behind: Option<Name>,
    again: (Name, bool),
    broken: (Name, bool),
    continued: (Name, bool),
    continues: bool,
}

impl Jumps {
    fn list(&mut self, stmts: &mut [Stmt], around: Around) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Goto(to) if *to == self.label => {
                    stmt.kind = match around {
                        Around::Loop => jump(&mut self.again),
                        Around::Label | Around::Switch => StmtKind::Continue,
                    };
                    self.continues |= around != Around::Loop;
                }
                StmtKind::Goto(to) if around == Around::Label && Some(to) == self.behind.as_ref() => {
                    stmt.kind = StmtKind::Break;
                }
                StmtKind::Break if around == Around::Label => stmt.kind = jump(&mut self.broken),
                StmtKind::Continue if around != Around::Loop => stmt.kind = jump(&mut self.continued),
                kind => {
                    let inside = match kind {
                        StmtKind::Loop(_) => Around::Loop,
                        StmtKind::Switch(..) if around == Around::Label => Around::Switch,
                        _ => around,
                    };
                    inner_lists(stmt).into_iter().for_each(|list| self.list(list, inside));
                }
            }
        }
    }
}

fn jump((to, is_made): &mut (Name, bool)) -> StmtKind {
    *is_made = true;
    StmtKind::Goto(to.clone())
}

/// The last statement that jumps back to a label in front of the place; or to one between them, if it comes later.
fn end_of_loop(stmts: &[Stmt], from: usize, label: &Name) -> Option<usize> {
    let last = |label: &Name, from: usize| (from..stmts.len()).rev().find(|i| goes_to(&stmts[*i], label));
    let mut end = last(label, from)?;
    let mut at = from;
    while at <= end {
        if let StmtKind::Label(inner) = &stmts[at].kind {
            end = end.max(last(inner, end).unwrap_or(end));
        }
        at += 1;
    }
    Some(end)
}

fn variables(stmts: &[Stmt], found: &mut BTreeSet<VarId>) {
    let mut note = |e: &Expr| {
        if let ExprKind::Var(var) = e.kind {
            found.insert(var);
        }
    };
    each_expr(stmts, &mut note, &mut |_| {});
}

fn goes_to(stmt: &Stmt, label: &Name) -> bool {
    let inside = |list: &Vec<Stmt>| list.iter().any(|s| goes_to(s, label));
    match &stmt.kind {
        StmtKind::Goto(to) => to == label,
        StmtKind::If(_, then, els) => inside(then) || inside(els),
        StmtKind::Loop(the_loop) => inside(&the_loop.body),
        StmtKind::Switch(_, cases) => cases.iter().any(|case| inside(&case.body)),
        StmtKind::Block(list) => inside(list),
        StmtKind::Expr(_)
        | StmtKind::Declare(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Label(_)
        | StmtKind::Unknown(_) => false,
    }
}

fn inner_lists(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match &mut stmt.kind {
        StmtKind::If(_, then, els) => vec![then, els],
        StmtKind::Loop(the_loop) => vec![&mut the_loop.body],
        StmtKind::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.body).collect(),
        StmtKind::Block(list) => vec![list],
        StmtKind::Expr(_)
        | StmtKind::Declare(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Goto(_)
        | StmtKind::Label(_)
        | StmtKind::Unknown(_) => vec![],
    }
}

/// Jumps to anything else than a label that comes later in a list around them are not understood.
fn forward_only(stmts: &mut [Stmt], labels: &mut Vec<Name>) {
    let outer = labels.len();
    let own = |s: &Stmt| match &s.kind {
        StmtKind::Label(label) => Some(label.clone()),
        _ => None,
    };
    labels.extend(stmts.iter().rev().filter_map(own));
    for stmt in stmts {
        match &stmt.kind {
            // The next one of this list.
            StmtKind::Label(_) => drop(labels.pop()),
            StmtKind::Goto(to) if !labels.contains(to) => {
                let text = "a goto into a block, or into a loop, is not supported".to_owned();
                stmt.kind = StmtKind::Unknown(Unknown { code: "unknown-construct", text });
            }
            _ => inner_lists(stmt).into_iter().for_each(|list| forward_only(list, labels)),
        }
    }
    labels.truncate(outer);
}
