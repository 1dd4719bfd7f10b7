//! A call of one of several functions, of which none does anything but compute a value.

use super::*;
use crate::kernel::visit::each_expr;

impl<'l, 't> Body<'l, 't> {
    /// The value of a call of one of these, whichever that is: a function of the arguments. `None` where one of them may
    /// do more than that, is not understood, or returns another type.
    pub(super) fn whichever(
        &mut self,
        list: &[(FunDecl<'t>, Bindings)],
        template: Option<Node<'t>>,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let is_number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_));
        if !args.iter().all(|a| is_number(a.ty.value())) {
            return None;
        }
        let mut result: Option<Type> = None;
        for (decl, outer) in list {
            if !Self::takes(decl, args.len()) {
                continue;
            }
            let (bindings, types, _) = self.viable(decl, template, args, outer)?;
            let returns = self.inside(decl, &bindings, |body| body.return_type(decl));
            if !types.iter().all(is_number)
                || !is_number(&returns)
                || result.replace(returns.clone()).is_some_and(|known| known != returns)
            {
                return None;
            }
            let id = self.lower.request(*decl, bindings);
            if !self.lower.only_computes(id, 0) {
                return None;
            }
        }
        let args: Vec<Expr> = args.iter().map(|a| self.value(a.clone())).collect();
        // Another call may mean another function.
        let name = Name::new(format!("whichever@{}", span.start));
        Some(Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(name, None), args), result?, span))
    }
}

impl<'t> Lower<'t> {
    /// Does a function touch nothing but its own variables, and wait for nobody?
    fn only_computes(&mut self, id: FunId, depth: usize) -> bool {
        let Some(function) = self.lowered(id).filter(|_| depth < 20) else { return false };
        let own = |v: &VarDecl| matches!(v.ty, Type::Int(_) | Type::Float(_)) && v.storage == Storage::Private;
        let Some(stmts) = function.body.as_ref().filter(|_| function.vars.iter().all(own)) else { return false };
        let mut calls = Vec::new();
        let mut plain = all_understood(stmts);
        each_expr(
            stmts,
            &mut |e| match &e.kind {
                ExprKind::Call(callee, _) => calls.push(*callee),
                ExprKind::Builtin(_)
                | ExprKind::Global(_)
                | ExprKind::Deref(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Function(_)
                | ExprKind::CallValue(..)
                | ExprKind::CallUnknown(..)
                | ExprKind::Unknown(_) => plain = false,
                ExprKind::Intrinsic(what, _) => {
                    plain &= matches!(what, Intrinsic::Pure(..) | Intrinsic::Min(_) | Intrinsic::Max(_));
                }
                _ => {}
            },
            &mut |_| {},
        );
        plain && calls.into_iter().all(|callee| self.only_computes(callee, depth + 1))
    }
}

fn all_understood(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Unknown(_) => false,
        StmtKind::If(_, then, els) => all_understood(then) && all_understood(els),
        StmtKind::Loop(inner) => all_understood(&inner.body),
        StmtKind::Switch(_, cases) => cases.iter().all(|c| all_understood(&c.body)),
        StmtKind::Block(inner) => all_understood(inner),
        _ => true,
    })
}
