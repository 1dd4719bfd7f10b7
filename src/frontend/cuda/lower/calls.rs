//! Calls: of functions by overload resolution, of built-in ones, of unknown ones.

use super::*;

impl<'l, 't> Body<'l, 't> {
    pub(super) fn arguments(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let Some(list) = node.child_by_field_name("arguments") else { return Vec::new() };
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
    }

    pub(super) fn call(&mut self, node: Node<'t>, span: Span) -> Expr {
        let Some(function) = node.child_by_field_name("function") else { return self.unknown(node, "call") };
        if has_child(node, "kernel_call_syntax") {
            return self.unknown(node, "a kernel launched by a kernel");
        }
        let arguments = self.arguments(node);
        if function.kind() == "field_expression" {
            return self.method_call(function, &arguments, span);
        }
        let mut callee = function;
        while callee.kind() == "parenthesized_expression" {
            match last_named(callee) {
                Some(inner) => callee = inner,
                None => break,
            }
        }
        let (scope, base) = split_scope(callee);
        let (name, template) = match base.kind() {
            "template_function" | "template_method" => match base.child_by_field_name("name") {
                Some(name) => (self.text(name), base.child_by_field_name("arguments")),
                None => (self.text(base), None),
            },
            _ => (self.text(base), None),
        };
        let named = matches!(
            base.kind(),
            "identifier"
                | "template_function"
                | "primitive_type"
                | "type_identifier"
                | "field_identifier"
                | "sized_type_specifier"
        );
        if !named {
            let target = self.rvalue(callee);
            return self.call_value(target, &arguments, span);
        }
        if let ("static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast", Some(list)) = (name, template) {
            let types = self.template_arguments(list);
            return match (types.as_slice(), arguments.as_slice()) {
                ([ty], [value]) => {
                    let ty = self.type_of(*ty);
                    let value = if matches!(ty, Type::Ref(_)) { self.expr(*value) } else { self.rvalue(*value) };
                    self.cast(value, ty)
                }
                _ => self.unknown(node, "cast"),
            };
        }
        if let ("make_fresh_array" | "__return_val_int" | "__old", _) = (name, ()) {
            return Expr::unknown("unknown-value", format!("`{name}` has no value here"), Type::INT, span);
        }
        match self.lookup(name) {
            Some(Local::Var(id)) => {
                let place = self.var(id, span);
                let target = self.value(place);
                return self.call_value(target, &arguments, span);
            }
            Some(Local::Lambda(_)) => {
                return Expr::unknown(
                    "unknown-construct",
                    "a call of a lambda is not supported",
                    Type::Unknown(Arc::from("?")),
                    span,
                );
            }
            _ => {}
        }
        // A member of the class that we are in, or of a class that is named.
        if let Some(class) = scope.and_then(|s| self.class_scope(s)).or_else(|| self.class_type.clone())
            && let Some(decl) = self.method_decl(&class, name, arguments.len())
        {
            let this = if is_static(self.text(decl.node)) {
                None
            } else {
                self.this.map(|id| {
                    let place = self.var(id, span);
                    self.value(place)
                })
            };
            return self.call_method(decl, &class, this, &arguments, span);
        }
        if let Some(vector) = name.strip_prefix("make_").and_then(builtins::vector_type)
            && !self.lower.names.functions.contains_key(name)
            && let Type::Struct(class) = &vector
        {
            let mut parts = Vec::new();
            for (field, argument) in class.fields.clone().iter().zip(&arguments) {
                let value = self.rvalue(*argument);
                parts.push((field.offset, self.convert(value, &field.ty)));
            }
            return Expr::new(ExprKind::Aggregate(parts), vector, span);
        }
        // `T(x)`: a conversion or a construction.
        if !self.lower.names.functions.contains_key(name) && builtins::function(name).is_none() {
            let ty = self.type_of(base);
            if !matches!(ty, Type::Unknown(_)) {
                if let (Type::Struct(_), Some(list)) = (&ty, node.child_by_field_name("arguments")) {
                    return self.initial(list, &ty);
                }
                return match arguments.as_slice() {
                    [] => {
                        let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                        self.convert(zero, &ty)
                    }
                    [value] => {
                        let value = self.rvalue(*value);
                        self.cast(value, ty)
                    }
                    _ => self.unknown(node, "construction"),
                };
            }
        }
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        self.call_named(name, template, args, span)
    }

    pub(super) fn class_scope(&mut self, scope: Node<'t>) -> Option<Type> {
        let text = self.text(scope);
        let known = self.lower.names.types.contains_key(text.split('<').next().unwrap_or(""));
        if !known && !self.bindings.types.contains_key(text) {
            return None;
        }
        Some(self.type_of(scope))
    }

    /// A call by name of a function of the unit, of a built-in one, or of something unknown. Arguments may be places.
    pub(super) fn call_named(&mut self, name: &str, template: Option<Node<'t>>, args: Vec<Expr>, span: Span) -> Expr {
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let builtin = builtins::function(name);
        let mut best: Option<(usize, FunDecl<'t>, Bindings)> = None;
        for decl in &overloads {
            if decl.class.is_some() && !decl.has_body {
                continue;
            }
            if let Some((cost, bindings)) = self.viable(decl, template, &args) {
                // A definition is preferred to a declaration of the same function.
                let cost = cost * 2 + usize::from(!decl.has_body);
                if best.as_ref().is_none_or(|(known, _, _)| cost < *known) {
                    best = Some((cost, *decl, bindings));
                }
            }
        }
        // A built-in function is only hidden by an overload that fits, and by declarations alone not at all.
        if let (Some((cost, decl, _)), Some(_)) = (&best, &builtin)
            && (!decl.has_body || *cost >= 20)
        {
            best = None;
        }
        if let Some((_, decl, bindings)) = best {
            return self.call_decl(decl, bindings, None, args, span);
        }
        let values = |body: &Self, args: Vec<Expr>| -> Vec<Expr> { args.into_iter().map(|a| body.value(a)).collect() };
        if let Some(builtin) = builtin {
            return self.call_builtin(builtin, values(self, args), span);
        }
        if matches!(
            name,
            "this_thread_block"
                | "this_grid"
                | "tiled_partition"
                | "coalesced_threads"
                | "this_multi_grid"
                | "this_cluster"
        ) {
            let ty = match name {
                "this_thread_block" => "thread_block",
                "this_grid" => "grid_group",
                "this_cluster" => "cluster_group",
                "this_multi_grid" => "multi_grid_group",
                _ => "thread_group",
            };
            return Expr::new(ExprKind::Constant(Name::new(ty)), Type::Unknown(Arc::from(ty)), span);
        }
        if matches!(name, "sync" | "synchronize")
            && let [group] = args.as_slice()
        {
            return self.group_barrier(&group.ty.clone(), span);
        }
        let ty = Type::Unknown(Arc::from("?"));
        Expr::new(ExprKind::CallUnknown(Name::new(name), values(self, args)), ty, span)
    }

    pub(super) fn group_barrier(&mut self, group: &Type, span: Span) -> Expr {
        let scope = match group.value() {
            Type::Unknown(name) => match &**name {
                "thread_block" => Some(Scope::Block),
                "grid_group" | "multi_grid_group" => Some(Scope::Grid),
                "cluster_group" => Some(Scope::Cluster),
                _ => None,
            },
            _ => None,
        };
        match scope {
            Some(scope) => Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(scope), vec![]), Type::Void, span),
            // A barrier of a part of a block orders less than the block: taking it for nothing is sound.
            None => Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span),
        }
    }

    /// Can this function be called so? How far are the arguments from its parameters?
    pub(super) fn viable(
        &mut self,
        decl: &FunDecl<'t>,
        template: Option<Node<'t>>,
        args: &[Expr],
    ) -> Option<(usize, Bindings)> {
        let defaults = Self::parameter_defaults(decl);
        let required = defaults.iter().take_while(|d| d.is_none()).count();
        if args.len() > defaults.len() || args.len() < required {
            // `f(void)` has one parameter that is none.
            let void = defaults.len() == 1 && args.is_empty();
            if !void {
                return None;
            }
        }
        let bindings = match decl.template {
            None => Bindings::default(),
            Some(parameters) => {
                let given = template.map(|l| self.template_arguments(l)).unwrap_or_default();
                let names = self.template_names(parameters);
                let mut deduced = Bindings::default();
                let saved = std::mem::take(&mut self.bindings);
                let patterns = self.parameters(decl);
                self.bindings = saved;
                for ((_, pattern, _), arg) in patterns.iter().zip(args) {
                    self.deduce(pattern, &arg.ty, &names, &mut deduced);
                }
                self.bind_template(parameters, &given, &deduced)?
            }
        };
        let saved = std::mem::replace(&mut self.bindings, bindings.clone());
        let types = self.parameters(decl);
        self.bindings = saved;
        let cost = types.iter().zip(args).map(|((_, ty, _), arg)| mismatch(ty.value(), arg.ty.value())).sum();
        Some((cost, bindings))
    }

    pub(super) fn template_names(&self, parameters: Node<'t>) -> Vec<String> {
        let mut cursor = parameters.walk();
        parameters
            .named_children(&mut cursor)
            .filter_map(|p| match p.kind() {
                "type_parameter_declaration" | "optional_type_parameter_declaration" => {
                    p.child_by_field_name("name").or_else(|| last_named(p))
                }
                _ => None,
            })
            .map(|n| self.text(n).to_owned())
            .collect()
    }

    pub(super) fn call_decl(
        &mut self,
        decl: FunDecl<'t>,
        bindings: Bindings,
        this: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let saved = std::mem::replace(&mut self.bindings, bindings.clone());
        let saved_class = self.class_type.clone();
        if decl.class.is_some() {
            self.enter_class(decl.class);
        }
        let types = self.parameters(&decl);
        let returns = self.return_type(&decl);
        self.class_type = saved_class;
        self.bindings = saved;
        let mut lowered: Vec<Expr> = this.into_iter().collect();
        let mut args = args.into_iter();
        let defaults = Self::parameter_defaults(&decl);
        for (i, (_, ty, _)) in types.iter().enumerate() {
            let arg = match (args.next(), defaults.get(i).copied().flatten()) {
                (Some(arg), _) => arg,
                (None, Some(default)) => self.expr(default),
                (None, None) => break,
            };
            let arg = match ty {
                Type::Ref(inner) => {
                    let inner = inner.clone();
                    let arg = if is_place(&arg) || arg.ty == *inner { arg } else { self.convert(arg, &inner) };
                    let span = arg.span;
                    let pointer = self.address_of(arg, span);
                    self.convert(pointer, &Type::Ptr(inner))
                }
                Type::Array(elem, _) => {
                    let value = self.value(arg);
                    self.convert(value, &Type::Ptr(elem.clone()))
                }
                _ => {
                    let value = self.value(arg);
                    self.convert(value, ty)
                }
            };
            lowered.push(arg);
        }
        let id = self.lower.request(decl, bindings);
        let (ty, by_reference) = match &returns {
            Type::Ref(inner) => (Type::Ptr(inner.clone()), true),
            other => (other.clone(), false),
        };
        let call = Expr::new(ExprKind::Call(id, lowered), ty, span);
        if by_reference { self.deref(call, span) } else { call }
    }

    pub(super) fn call_value(&mut self, target: Expr, arguments: &[Node<'t>], span: Span) -> Expr {
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        if let Type::Struct(_) = target.ty.value()
            && let Some(call) = self.operator_call("operator()", &target, args.clone(), span)
        {
            return call;
        }
        let args = args.into_iter().map(|a| self.value(a)).collect();
        Expr::new(ExprKind::CallValue(Box::new(target), args), Type::Unknown(Arc::from("?")), span)
    }

    pub(super) fn call_builtin(&mut self, builtin: builtins::Builtin, args: Vec<Expr>, span: Span) -> Expr {
        let mut args = args;
        let mut intrinsic = builtin.intrinsic;
        let ty = match builtin.result {
            Some(ty) => ty,
            None => {
                let first = args.first().map_or(Type::INT, |a| a.ty.clone());
                match &intrinsic {
                    Intrinsic::Atomic(..) | Intrinsic::ReadThrough => first.element().cloned().unwrap_or(Type::INT),
                    // The second argument of a shuffle with a mask is the value.
                    Intrinsic::Havoc(name) if name.as_str().ends_with("_sync") => {
                        args.get(1).map_or(Type::INT, |a| a.ty.clone())
                    }
                    _ => first,
                }
            }
        };
        match &mut intrinsic {
            Intrinsic::Min(_) | Intrinsic::Max(_) => {
                let types: Vec<_> = args.iter().map(|a| a.ty.clone()).collect();
                if let [Type::Int(a), Type::Int(b)] = types.as_slice() {
                    let ty = common(*a, *b);
                    let args = args.into_iter().map(|a| self.convert(a, &Type::Int(ty))).collect();
                    let is_min = matches!(intrinsic, Intrinsic::Min(_));
                    let intrinsic = if is_min { Intrinsic::Min(ty) } else { Intrinsic::Max(ty) };
                    return Expr::new(ExprKind::Intrinsic(intrinsic, args), Type::Int(ty), span);
                }
                let ty = types.iter().find(|t| matches!(t, Type::Float(_))).cloned().unwrap_or(ty);
                let name = if matches!(intrinsic, Intrinsic::Min(_)) { "min" } else { "max" };
                return Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(Name::new(name), None), args), ty, span);
            }
            Intrinsic::Pure(name, _) if matches!(name.as_str(), "__mul24" | "__umul24" | "mul24") => {
                // Exact for operands of 24 bits, which is what the function is for.
                if let [a, b] = args.as_slice() {
                    let ty = if name.as_str() == "__umul24" { IntTy::U32 } else { IntTy::I32 };
                    let (a, b) = (self.convert(a.clone(), &Type::Int(ty)), self.convert(b.clone(), &Type::Int(ty)));
                    return Expr::new(ExprKind::Arith(NBin::Mul, ty, Box::new(a), Box::new(b)), Type::Int(ty), span);
                }
            }
            Intrinsic::Pure(name, _) if name.as_str() == "abs" => {
                if let [a] = args.as_slice()
                    && let Type::Int(ty) = a.ty
                {
                    let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                    let negative = self.binary("-", zero, a.clone(), span);
                    let ty = promote(ty);
                    let a = self.convert(a.clone(), &Type::Int(ty));
                    let args = vec![a, negative];
                    return Expr::new(ExprKind::Intrinsic(Intrinsic::Max(ty), args), Type::Int(ty), span);
                }
            }
            Intrinsic::TouchReadWrite(name) if name.as_str() == "curand_init" => {
                args.rotate_right(1);
            }
            Intrinsic::Assume | Intrinsic::Assert | Intrinsic::Implies => {
                args = args.into_iter().map(|a| self.truth(a)).collect();
            }
            _ => {}
        }
        Expr::new(ExprKind::Intrinsic(intrinsic, args), ty, span)
    }
}

/// How far a parameter is from an argument; 0 is exact.
pub(super) fn mismatch(parameter: &Type, argument: &Type) -> usize {
    match (parameter, argument) {
        (a, b) if a == b => 0,
        (Type::Int(_), Type::Int(_)) | (Type::Float(_), Type::Float(_)) => 1,
        (Type::Int(_), Type::Float(_)) | (Type::Float(_), Type::Int(_)) => 2,
        (Type::Ptr(a), Type::Ptr(b) | Type::Array(b, _)) => {
            if a == b {
                0
            } else if **a == Type::Void || matches!(**a, Type::Unknown(_)) || matches!(**b, Type::Unknown(_)) {
                1
            } else {
                10
            }
        }
        (Type::Unknown(_), _) | (_, Type::Unknown(_)) => 1,
        (Type::Ptr(_), Type::Int(_)) => 5,
        _ => 20,
    }
}
