//! Statements. Control that leaves early (`break`, `continue`, `return`) becomes conditions under which the rest runs:
//! predication, \[LSP\] section 4.

use super::value::{Offset, Pointer};
use super::{Touches, Walk};
use crate::exp::{B, N};
use crate::kernel::ir::{Case, Stmt, StmtKind};
use crate::kernel::types::Type;

impl<'p> Walk<'p> {
    /// Runs statements in sequence; once control may have left, the rest runs where it has not.
    pub(super) fn stmts(&mut self, stmts: &'p [Stmt]) {
        for (i, stmt) in stmts.iter().enumerate() {
            let left = self.decide(&self.state.left());
            match left.as_lit() {
                Some(true) => return self.resume(&stmts[i..]),
                Some(false) => self.stmt(stmt),
                None => {
                    // Up to the next label, where some of those that left come back.
                    let label = stmts[i..].iter().position(|s| matches!(s.kind, StmtKind::Label(_)));
                    let next = label.map_or(stmts.len(), |n| i + n);
                    let rest = |w: &mut Self| {
                        w.state.arrive();
                        w.stmts(&stmts[i..next]);
                    };
                    self.branch(&B::not(&left), rest, |_| ());
                    self.resume(&stmts[next..]);
                    return;
                }
            }
        }
    }

    /// From the first label on, for those on the way to it.
    fn resume(&mut self, stmts: &'p [Stmt]) {
        let Some(at) = stmts.iter().position(|s| matches!(s.kind, StmtKind::Label(_))) else { return };
        if let StmtKind::Label(label) = &stmts[at].kind {
            self.state.jumps.remove(label);
        }
        self.stmts(&stmts[at + 1..]);
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        if !self.spend(stmt.span) {
            return;
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.eval_for_effect(expr);
                self.called_for_effect(expr);
            }
            StmtKind::Declare(var, init) => {
                let function = self.frame().function;
                let decl = &self.function(function).vars[var.0 as usize];
                if decl.storage == crate::kernel::ir::Storage::Shared {
                    return self.declare_lengths(function, *var, &decl.lengths);
                }
                let value = init.as_ref().map(|e| self.eval(e));
                let object = self.private_object(decl.name.as_str(), decl.ty.clone());
                self.bind_var(*var, object);
                if let Some(value) = value {
                    let ty = match &decl.ty {
                        Type::Ref(inner) => Type::Ptr(inner.clone()),
                        ty => ty.clone(),
                    };
                    self.store(&Pointer::to(object, Offset::start()), &ty, value, stmt.span);
                }
            }
            StmtKind::If(cond, then, els) => {
                let cond = self.truth(cond);
                self.branch(&cond, |w| w.stmts(then), |w| w.stmts(els));
            }
            StmtKind::Loop(_) if self.counters.len() > super::MAX_NESTED => self.abandoned = Some(stmt.span),
            StmtKind::Loop(the_loop) => self.run_loop(the_loop, stmt.span),
            StmtKind::Switch(value, cases) => {
                let value = self.number(value);
                self.switch(&value, cases);
            }
            StmtKind::Break => self.state.broken = B::lit(true),
            StmtKind::Continue => self.state.continued = B::lit(true),
            StmtKind::Return(value) => {
                if let Some(expr) = value {
                    let value = self.eval(expr);
                    let result = self.frame().result;
                    let function = self.frame().function;
                    let ty = match &self.function(function).returns {
                        Type::Ref(inner) => Type::Ptr(inner.clone()),
                        ty => ty.clone(),
                    };
                    if ty != Type::Void {
                        self.store(&Pointer::to(result, Offset::start()), &ty, value, stmt.span);
                    }
                }
                self.state.returned = B::lit(true);
            }
            StmtKind::Block(inner) => self.stmts(inner),
            StmtKind::Goto(label) => {
                self.state.jumps.insert(label.clone(), B::lit(true));
            }
            StmtKind::Label(_) => {}
            StmtKind::Unknown(unknown) => {
                self.lose(unknown.code, unknown.text.clone(), stmt.span, Touches::Everything);
                self.clobber_escaped();
            }
        }
    }

    /// A switch: from the first label that matches, control falls through until a `break`.
    fn switch(&mut self, value: &N, cases: &'p [Case]) {
        // Which case is entered: the one whose label matches, else the default.
        let mut labels: Vec<Vec<Option<B>>> = Vec::new();
        for case in cases {
            let mut conds = Vec::new();
            for label in &case.labels {
                conds.push(match label {
                    Some(label) => {
                        let label = self.number(label);
                        Some(self.decide(&value.eq(&label)))
                    }
                    None => None,
                });
            }
            labels.push(conds);
        }
        let any = B::or(labels.iter().flatten().flatten().cloned().collect::<Vec<_>>());
        let outer = std::mem::replace(&mut self.state.broken, B::lit(false));
        let mut entered = B::lit(false);
        for (case, labels) in cases.iter().zip(labels) {
            let here = labels.into_iter().map(|l| l.unwrap_or_else(|| B::not(&any)));
            entered = B::or(here.chain([entered]).collect::<Vec<_>>());
            let running = B::and([entered.clone(), B::not(&self.state.left())]);
            let body = |w: &mut Self| {
                w.state.arrive();
                w.stmts(&case.body);
            };
            self.branch(&running, body, |_| ());
        }
        self.state.broken = outer;
    }
}
