//! A call of one of several functions, where which one is meant is not known.

use super::*;
use crate::frontend::cuda::unit::each_named;
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
        if !args.iter().all(|a| is_number(a.ty.value())) || self.may_mean_others(list) {
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
        let name = Name::new(format!("whichever{}at{}", span.file.0, span.start));
        Some(Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(name, None), args), result?, span))
    }

    /// A call of whichever of these is meant: a choice by conditions that are the same for all threads, and of which nothing
    /// else is known. `None` where one of them is not there to be called, where a condition takes one away and there `may_be_other`
    /// functions, or where their results are of several types. [INF-ONE-OF]
    pub(super) fn one_of(
        &mut self,
        list: &[(FunDecl<'t>, Bindings)],
        template: Option<Node<'t>>,
        (this, may_be_other): (Option<&Expr>, bool),
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        const MOST: usize = 8;
        // A specialisation has no bindings of its own.
        if self.may_mean_others(list)
            || list.iter().any(|(d, _)| d.template.is_some_and(|t| t.named_child_count() == 0))
        {
            return None;
        }
        let mut meant: Vec<(FunDecl<'t>, Bindings, Vec<Type>)> = Vec::new();
        for (decl, outer) in list {
            let Some((bindings, types, _)) = self.viable(decl, template, args, outer) else {
                if self.openness(decl, template, args).is_some() {
                    return None;
                }
                continue;
            };
            if self.disagrees(decl, template, args) {
                return None;
            }
            match self.constraints_hold(decl, &bindings, template, args.len()) {
                Some(false) => continue,
                None if may_be_other => return None,
                _ => {}
            }
            if !types.iter().zip(args).any(|(ty, arg)| self.mismatch(ty.value(), arg) >= FAR) {
                meant.push((*decl, bindings, types));
            }
        }
        let defined: Vec<Vec<Type>> =
            meant.iter().filter(|(d, ..)| d.has_body).map(|(_, _, types)| types.clone()).collect();
        meant.retain(|(d, _, types)| d.has_body || !defined.contains(types));
        if meant.len() < 2 || meant.len() > MOST || meant.iter().any(|(d, ..)| !d.has_body) {
            return None;
        }
        let key = self.bindings.key();
        let mut calls: Vec<Expr> = Vec::new();
        for (decl, bindings, _) in meant {
            calls.push(self.call_decl(decl, bindings, this.cloned(), args.to_vec(), span));
        }
        // Where all return places, one of these.
        let places = calls.iter().all(|call| matches!(call.kind, ExprKind::Deref(_)));
        let pointed = |body: &mut Self, call: Expr| match call.kind {
            ExprKind::Deref(pointer) if places => *pointer,
            _ => body.value(call),
        };
        let mut calls: Vec<Expr> = calls.into_iter().map(|call| pointed(self, call)).collect();
        let last = calls.pop()?;
        if calls.iter().any(|call| call.ty != last.ty) {
            return None;
        }
        let ty = last.ty.clone();
        let chosen = calls.into_iter().enumerate().rev().fold(last, |rest, (i, call)| {
            let name = Name::new(format!("which{}at{}is{i}in{key}", span.file.0, span.start));
            let meant = Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(name, None), vec![]), Type::BOOL, span);
            Expr::new(ExprKind::Choose(Box::new(meant), Box::new(call), Box::new(rest)), ty.clone(), span)
        });
        Some(if places { self.deref(chosen, span) } else { chosen })
    }

    /// The same, of the member functions of an object: two of one name may differ in what is `const`.
    pub(super) fn one_of_members(
        &mut self,
        class: &Type,
        name: &str,
        template: Option<Node<'t>>,
        (object, args): (&Expr, &[Expr]),
        span: Span,
    ) -> Option<Expr> {
        let mut found = self.methods(class, name, &mut Vec::new())?;
        found.retain(|(decl, ..)| !self.is_constructor(decl));
        let (_, _, owner) = found.first().cloned()?;
        let plain = |(decl, _, of): &(FunDecl<'t>, Bindings, Type)| *of == owner && !is_static(self.text(decl.node));
        if name == "operator cast" || !found.iter().all(plain) || self.is_virtual(&owner, name, 0) {
            return None;
        }
        let pointer = self.address_of(object.clone(), span);
        let this = self.as_base(pointer, class, &owner);
        let list: Vec<_> = found.into_iter().map(|(decl, bound, _)| (decl, bound)).collect();
        let operands: Vec<Expr> = std::iter::once(object.clone()).chain(args.iter().cloned()).collect();
        let may_be_other = name.starts_with("operator") && self.may_be_other_operator(name, &operands);
        self.one_of(&list, template, (Some(&this), may_be_other), args, span)
    }

    /// The functions for the device whose address the text takes and that these arguments fit, and what they return. None where
    /// that is not all that could be meant. [INF-TAKEN]
    pub(super) fn taken_functions(&mut self, args: &[Expr]) -> (Vec<FunId>, Type) {
        let unknown = (Vec::new(), Type::Unknown(Arc::from("?")));
        if self.hidden_names() {
            return unknown;
        }
        let mut taken = Vec::new();
        let mut result: Option<Type> = None;
        for decl in self.lower.taken() {
            let defaults = Self::parameter_defaults(&decl);
            let required = defaults.iter().take_while(|d| d.is_none()).count();
            if !(required..=defaults.len()).contains(&args.len()) {
                continue;
            }
            // Which instance is meant, or which object, is not looked for.
            if decl.template.is_some() || decl.class.is_some() || !decl.has_body || args.len() < defaults.len() {
                return unknown;
            }
            let Some((bindings, types, _)) = self.viable(&decl, None, args, &Bindings::default()) else {
                return unknown;
            };
            if types.iter().zip(args).any(|(ty, arg)| self.mismatch(ty.value(), arg) >= FAR) {
                continue;
            }
            let returns = self.inside(&decl, &bindings, |body| body.return_type(&decl));
            if matches!(returns, Type::Ref(_)) || types.iter().any(|ty| matches!(ty, Type::Ref(_) | Type::Struct(_))) {
                return unknown;
            }
            if result.replace(returns.clone()).is_some_and(|known| known != returns) {
                return unknown;
            }
            taken.push(self.lower.request(decl, bindings));
        }
        match result {
            Some(result) => (taken, result),
            None => unknown,
        }
    }
}

impl<'t> Lower<'t> {
    /// The functions for the device whose names stand somewhere in the text where they are not called; none where nothing outside
    /// of code for the device keeps the address of one, or where a member function or a lambda expression may be one of them.
    fn taken(&mut self) -> Vec<FunDecl<'t>> {
        if let Some(taken) = &self.taken {
            return taken.clone();
        }
        let unit = self.unit;
        let mut names: Vec<&str> = Vec::new();
        let (mut members, mut others, mut kept) = (FxHashSet::default(), FxHashSet::default(), false);
        // Without captures it converts to a pointer. The grammar does not read each one.
        let lambdas = unit.text.match_indices("[]").any(|(at, _)| {
            let before = unit.text[..at].trim_end().chars().next_back();
            before.is_some_and(|c| c != '_' && c != ']' && !c.is_alphanumeric())
        });
        each_named(unit.tree.root_node(), |node| {
            let name = unit.text.get(node.byte_range()).unwrap_or("");
            match node.kind() {
                "identifier" => {}
                "field_identifier" if node.parent().is_some_and(|p| p.kind() == "function_declarator") => {
                    members.insert(name);
                    return;
                }
                _ => return,
            }
            let mut whole = node;
            while let Some(parent) = whole.parent()
                && matches!(parent.kind(), "qualified_identifier" | "template_function")
                && parent.child_by_field_name("name") == Some(whole)
            {
                whole = parent;
            }
            let called = whole.parent().is_some_and(|parent| match parent.kind() {
                "call_expression" => parent.child_by_field_name("function") == Some(whole),
                "function_declarator" => true,
                _ => false,
            });
            if called {
                return;
            }
            others.insert(name);
            if self.names.functions.contains_key(name) {
                kept |= is_kept(whole, &unit.text);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        });
        let is_read = unit.first_error(unit.tree.root_node()).is_none();
        if !is_read || lambdas || !kept || others.iter().any(|name| members.contains(name)) {
            self.taken = Some(Vec::new());
            return Vec::new();
        }
        let is_meant = |d: &FunDecl<'t>| {
            let head = unit.text.get(d.node.start_byte()..d.declarator.end_byte()).unwrap_or("");
            !d.is_kernel && head.contains("__device__")
        };
        let mut taken: Vec<FunDecl<'t>> = Vec::new();
        for name in names {
            let list = self.names.functions.get(name).cloned().unwrap_or_default();
            let defined = list.iter().any(|d| d.has_body);
            taken.extend(list.into_iter().filter(|d| is_meant(d) && (d.has_body || !defined)));
        }
        self.taken = Some(taken.clone());
        taken
    }

    /// Does a function touch nothing but its own variables, and wait for nobody?
    pub(super) fn only_computes(&mut self, id: FunId, depth: usize) -> bool {
        let Some(function) = self.lowered(id).filter(|_| depth < 20) else { return false };
        let number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Struct(_));
        let own = |v: &VarDecl| {
            let fine = match &v.ty {
                Type::Ref(inner) => number(inner),
                // The object of a member function, of which nothing is used.
                Type::Ptr(inner) => matches!(**inner, Type::Struct(_)),
                ty => number(ty),
            };
            fine && v.storage == Storage::Private
        };
        let Some(stmts) = function.body.as_ref().filter(|_| function.vars.iter().all(own)) else { return false };
        // What a reference to a number stands for is read, and nothing else.
        let by_reference = |e: &Expr| match &e.kind {
            ExprKind::Load(place) => match place.kind {
                ExprKind::Var(id) => function.vars.get(id.0 as usize).is_some_and(|v| matches!(v.ty, Type::Ref(_))),
                _ => false,
            },
            _ => false,
        };
        let mut calls = Vec::new();
        let mut plain = all_understood(stmts);
        each_expr(
            stmts,
            &mut |e| match &e.kind {
                ExprKind::Call(callee, _) => calls.push(*callee),
                ExprKind::Builtin(_)
                | ExprKind::Global(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Function(_)
                | ExprKind::CallValue(..)
                | ExprKind::CallUnknown(..)
                | ExprKind::Unknown(_) => plain = false,
                ExprKind::Deref(pointer) => plain &= by_reference(pointer),
                ExprKind::Assign(place, _) | ExprKind::Update { place, .. } => {
                    plain &= is_in_variable(place);
                }
                ExprKind::Intrinsic(what, _) => {
                    plain &= matches!(
                        what,
                        Intrinsic::Pure(..) | Intrinsic::Min(_) | Intrinsic::Max(_) | Intrinsic::Nothing
                    );
                }
                _ => {}
            },
            &mut |_| {},
        );
        plain && calls.into_iter().all(|callee| self.only_computes(callee, depth + 1))
    }
}

/// Is this a variable, or a part of one?
fn is_in_variable(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Var(_) => !matches!(place.ty, Type::Ref(_)),
        ExprKind::Member(object, ..) => is_in_variable(object),
        _ => false,
    }
}

/// Does the name of a function stand where a variable of the device is initialised or host code has its address, or is an
/// element of a table assumed to be that function?
fn is_kept(name: Node, text: &str) -> bool {
    let str = |node: Node| text.get(node.byte_range()).unwrap_or("");
    let mut node = name;
    while let Some(parent) = node.parent() {
        if parent.kind() == "function_definition" {
            let head = parent.child_by_field_name("declarator").map_or(parent.end_byte(), |d| d.end_byte());
            let head = text.get(parent.start_byte()..head).unwrap_or("");
            if !head.contains("__device__") && !head.contains("__global__") {
                return true;
            }
            let equal = name.parent().filter(|p| p.child_by_field_name("operator").is_some_and(|o| str(o) == "=="));
            let table =
                equal.and_then(|e| e.child_by_field_name("left")).is_some_and(|l| l.kind() == "subscript_expression");
            let call = equal.and_then(|e| e.parent()).and_then(|list| list.parent());
            let assumed = call.and_then(|c| c.child_by_field_name("function")).is_some_and(|f| str(f) == "__requires");
            return table && assumed;
        }
        node = parent;
    }
    true
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
