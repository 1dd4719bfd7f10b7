//! What a name stands for.

use super::*;

impl<'l, 't> Body<'l, 't> {
    pub(super) fn lookup(&self, name: &str) -> Option<Local<'t>> {
        for scope in self.scopes.iter().rev() {
            if let Some(local) = scope.get(name) {
                return Some(local.clone());
            }
        }
        self.bindings.values.get(name).map(|(value, ty)| Local::Value(*value, ty.clone()))
    }

    pub(super) fn global_name(&mut self, name: &str, span: Span) -> Option<Expr> {
        if let Some(value) = self.enumerator(name, 0) {
            return Some(Expr::new(ExprKind::Int(value), Type::INT, span));
        }
        if let Some(id) = self.lower.globals.get(name) {
            let ty = self.lower.program.globals[id.0 as usize].decl.ty.clone();
            return Some(Expr::new(ExprKind::Global(*id), ty, span));
        }
        let global = *self.lower.names.globals.get(name)?;
        let specifiers: String = {
            let start = global.node.start_byte();
            let end = global.declarator.start_byte();
            self.lower.unit.text.get(start..end).unwrap_or("").to_owned()
        };
        let words: Vec<&str> = specifiers.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let has = |w: &str| words.contains(&w);
        let mut outer = Body::new(&mut *self.lower, Bindings::default());
        let base = global.node.child_by_field_name("type").map_or(Type::Unknown(Arc::from("?")), |t| outer.type_of(t));
        let (mut ty, _) = outer.declare(base, &global.declarator);
        let constant = has("const") || has("constexpr");
        let storage = if has("__shared__") {
            Storage::Shared
        } else if has("__constant__") || (constant && !has("__device__")) {
            Storage::Constant
        } else {
            Storage::Global
        };
        let mut init = None;
        if (storage == Storage::Constant && !has("__constant__") || (constant && global.value.is_some()))
            && let Some(value) = global.value
        {
            let value = outer.initial(value, &ty);
            if is_auto(&ty) {
                ty = value.ty.clone();
            }
            if let Some(n) = outer.fold(&value) {
                return Some(Expr::new(ExprKind::Int(n), ty, span));
            }
            init = Some(value);
        }
        let id = GlobalId(self.lower.program.globals.len() as u32);
        let decl = VarDecl { name: Name::new(name), ty: ty.clone(), storage, span: self.span(global.declarator) };
        self.lower.program.globals.push(Global { decl, init });
        self.lower.globals.insert(name.to_owned(), id);
        Some(Expr::new(ExprKind::Global(id), ty, span))
    }

    pub(super) fn enumerator(&mut self, name: &str, depth: usize) -> Option<i128> {
        if depth > 1_000 {
            return None;
        }
        let (base, _, count) = self.lower.names.enumerators.get(name)?;
        let (base, count) = (*base, *count);
        match base {
            Some(node) => Some(Body::new(&mut *self.lower, Bindings::default()).constant(node)? + count),
            None => Some(count),
        }
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, node: Node<'t>) -> Option<i128> {
        let expr = self.rvalue(node);
        self.fold(&expr)
    }

    pub(super) fn fold(&self, expr: &Expr) -> Option<i128> {
        fold(expr)
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Expr {
        match self.lookup(name) {
            Some(Local::Var(id)) => return self.var(id, span),
            Some(Local::Value(value, ty)) => return Expr::new(ExprKind::Int(value), ty, span),
            Some(Local::Type(_) | Local::Lambda(_)) => {
                return Expr::unknown("unknown-value", format!("`{name}` is not a value"), Type::INT, span);
            }
            None => {}
        }
        if let (Some(Type::Struct(class)), Some(this)) = (self.class_type.clone(), self.this)
            && class.field(name).is_some()
        {
            let this = self.var(this, span);
            let this = self.value(this);
            let object = self.deref(this, span);
            return self.member(object, name, span);
        }
        if let Some(class) = self.class_type.clone()
            && let Some(found) = self.class_constant(&class, name, span)
        {
            return found;
        }
        match name {
            "threadIdx" | "blockIdx" | "blockDim" | "gridDim" => {
                let make: fn(u8) -> Builtin = match name {
                    "threadIdx" => Builtin::ThreadIdx,
                    "blockIdx" => Builtin::BlockIdx,
                    "blockDim" => Builtin::BlockDim,
                    _ => Builtin::GridDim,
                };
                let part = |axis: u8| Expr::new(ExprKind::Builtin(make(axis)), Type::UINT, span);
                let ty = builtins::vector_type("dim3").unwrap_or(Type::UINT);
                return Expr::new(
                    ExprKind::Aggregate((0..3u8).map(|a| (u64::from(a) * 4, part(a))).collect()),
                    ty,
                    span,
                );
            }
            "warpSize" => return Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::INT, span),
            "NULL" => return Expr::new(ExprKind::Int(0), Type::Void.ptr(), span),
            _ => {}
        }
        if let Some(found) = self.global_name(name, span) {
            return found;
        }
        if self.lower.names.functions.contains_key(name) {
            return self.function_value(name, None, span);
        }
        Expr::unknown("unknown-value", format!("`{name}` is not declared"), Type::Unknown(Arc::from(name)), span)
    }

    pub(super) fn var(&self, id: VarId, span: Span) -> Expr {
        let ty = self.vars[id.0 as usize].ty.clone();
        let place = Expr::new(ExprKind::Var(id), ty.clone(), span);
        self.through_reference(place)
    }

    /// A place of reference type stands for what it refers to.
    pub(super) fn through_reference(&self, place: Expr) -> Expr {
        match place.ty.clone() {
            Type::Ref(inner) => {
                let span = place.span;
                let pointer = Expr::new(ExprKind::Load(Box::new(place)), Type::Ptr(inner.clone()), span);
                Expr::new(ExprKind::Deref(Box::new(pointer)), (*inner).clone(), span)
            }
            _ => place,
        }
    }

    pub(super) fn function_value(&mut self, name: &str, template: Option<Node<'t>>, span: Span) -> Expr {
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        for decl in overloads.iter().filter(|d| d.has_body).chain(overloads.iter()) {
            let bindings = match (decl.template, template) {
                (None, _) => Bindings::default(),
                (Some(parameters), list) => {
                    let given = list.map(|l| self.template_arguments(l)).unwrap_or_default();
                    match self.bind_template(parameters, &given, &Bindings::default()) {
                        Some(bindings) => bindings,
                        None => continue,
                    }
                }
            };
            let id = self.lower.request(*decl, bindings);
            return Expr::new(ExprKind::Function(id), Type::Fun.ptr(), span);
        }
        Expr::unknown("unknown-value", format!("`{name}` is not declared"), Type::Unknown(Arc::from(name)), span)
    }
}
