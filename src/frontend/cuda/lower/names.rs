//! What a name stands for.

use super::bases::is_same;
use super::fragments::layout_constant;
use super::vector::is_pure;
use super::*;
use crate::frontend::cuda::types::integer_for;
use crate::frontend::cuda::unit::GlobalDecl;

impl<'l, 't> Body<'l, 't> {
    /// The namespaces and classes around a declaration.
    pub fn declared_in(&mut self, node: Node<'t>) -> ScopeId {
        if let Some(known) = self.lower.scopes_of.get(&node.id()) {
            return *known;
        }
        let unit: &'t Unit<'t> = self.lower.unit;
        let mut path: Vec<String> = Vec::new();
        for around in unit.around(node) {
            let name = around.child_by_field_name("name").map(|n| unit.str(n));
            match (around.kind(), name) {
                ("namespace_definition", Some(name)) if !has_child(around, "inline") => {
                    path.extend(name.rsplit("::").map(|p| p.trim().to_owned()));
                }
                ("struct_specifier" | "class_specifier" | "union_specifier", Some(name)) => {
                    let simple = name.split('<').next().unwrap_or("");
                    path.extend(simple.rsplit("::").map(|p| p.trim().to_owned()));
                }
                _ => {}
            }
        }
        path.reverse();
        let at = self.lower.names.scopes.iter().position(|known| *known == path);
        let scope = at.map_or_else(ScopeId::default, |at| ScopeId(at as u32));
        self.lower.scopes_of.insert(node.id(), scope);
        scope
    }

    /// Reads something that is declared outside of all functions: with the names that are seen there, and not those of the
    /// place that uses it.
    pub fn elsewhere<R>(&mut self, declared: Node<'t>, f: impl FnOnce(&mut Self) -> R) -> R {
        let scope = self.declared_in(declared);
        let saved = (
            std::mem::replace(&mut self.scope, scope),
            std::mem::replace(&mut self.scopes, vec![FxHashMap::default()]),
            std::mem::take(&mut self.bindings),
            self.class_type.take(),
            self.unfinished.take(),
        );
        let result = f(self);
        (self.scope, self.scopes, self.bindings, self.class_type, self.unfinished) = saved;
        result
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Local> {
        for scope in self.scopes.iter().rev() {
            if let Some(local) = scope.get(name) {
                return Some(local.clone());
            }
        }
        self.bindings.values.get(name).map(|(value, ty)| Local::Value(*value, ty.clone()))
    }

    /// A variable or an enumerator outside of all functions.
    pub(super) fn global_name(&mut self, name: &str, qualifier: &Qualifier, span: Span) -> Option<Expr> {
        let ambiguous = |name: &str| {
            let text = format!("`{name}` is declared in several scopes, and which one is meant is not known");
            Some(Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span))
        };
        if self.lower.names.hides_variables(name, self.scope, qualifier, self.at) {
            return None;
        }
        match self.lower.names.find_enumerator(name, self.scope, qualifier) {
            Found::One(enumerator) => {
                let (value, ty) = self.enumerator(&enumerator)?;
                return Some(Expr::new(ExprKind::Int(value), ty, span));
            }
            Found::Ambiguous => return ambiguous(name),
            Found::None => {}
        }
        let global = match self.lower.names.find_global(name, self.scope, qualifier) {
            // One that is declared later hides nothing yet.
            Found::One(global)
                if global.node.start_byte() > self.at
                    && self.lower.names.globals.get(name).is_some_and(|list| list.len() > 1) =>
            {
                return ambiguous(name);
            }
            Found::One(global) => global,
            Found::Ambiguous => return ambiguous(name),
            Found::None => return None,
        };
        let key = global.declarator.id();
        if let Some(id) = self.lower.globals.get(&key)
            && let Some(known) = self.lower.program.globals.get(id.0 as usize)
        {
            return Some(Expr::new(ExprKind::Global(*id), known.decl.ty.clone(), span));
        }
        if !self.lower.declaring.insert(key) {
            let text = format!("`{name}` is made of itself");
            return Some(Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span));
        }
        let made = self.global_made(name, global, span);
        self.lower.declaring.remove(&key);
        Some(made)
    }

    fn global_made(&mut self, name: &str, global: GlobalDecl<'t>, span: Span) -> Expr {
        let has = |w: &str| self.specifiers(global.node, global.declarator).contains(&w);
        let (constant, constexpr) = (has("const"), has("constexpr"));
        let (mut shared, device, constant_memory) = (has("__shared__"), has("__device__"), has("__constant__"));
        let (_, marks) = self.lower.unit.qualifiers(global.node, Some(global.declarator));
        shared |= storage_of(&marks) == Some(Storage::Shared);
        // The host does not write what is constant in OpenCL C.
        let constant = constant || storage_of(&marks) == Some(Storage::Constant);
        let scope = self.declared_in(global.node);
        let mut outer = Body::new(&mut *self.lower, Bindings::default());
        outer.scope = scope;
        let base = global.node.child_by_field_name("type").map_or(Type::Unknown(Arc::from("?")), |t| outer.type_of(t));
        let (mut ty, _) = outer.declare(base, &global.declarator);
        let given = outer.has_unknown_length(global.declarator);
        // `const int *p` can be made to point elsewhere.
        let constant = constexpr || (constant && !matches!(ty, Type::Ptr(_)));
        let storage = if shared {
            Storage::Shared
        } else if constant_memory || (constant && (!device || global.value.is_some())) {
            Storage::Constant
        } else {
            Storage::Global
        };
        let mut init = None;
        if (storage == Storage::Constant && !constant_memory || (constant && global.value.is_some()))
            && let Some(value) = global.value
        {
            let value = outer.initial(value, &ty);
            if is_auto(&ty) {
                ty = value.ty.clone();
            }
            if let Some(n) = outer.fold(&value) {
                return Expr::new(ExprKind::Int(n), ty, span);
            }
            init = Some(value);
        }
        // A reference is the place that it is bound to.
        if let Type::Ref(_) = ty {
            let place = global.value.map(|value| outer.initial(value, &ty));
            let is_own = |p: &Expr| is_lvalue(p) && is_pure(p) && outer.vars.is_empty();
            return match place.filter(is_own) {
                Some(place) => Expr { span, ..place },
                None => {
                    let text = format!("what `{name}` refers to is not known");
                    Expr::unknown("unknown-pointer", text, ty.value().clone(), span)
                }
            };
        }
        let id = self.declare_global(name, ty.clone(), storage, init, self.span(global.declarator));
        if let Some(made) = self.lower.program.globals.get_mut(id.0 as usize) {
            made.initialised = global.value.is_some();
            made.decl.of_launch &= !given;
        }
        self.lower.globals.insert(global.declarator.id(), id);
        Expr::new(ExprKind::Global(id), ty, span)
    }

    /// The words in front of a declarator.
    pub(super) fn specifiers(&self, declaration: Node<'t>, declarator: Node<'t>) -> Vec<&'t str> {
        let unit: &'t Unit<'t> = self.lower.unit;
        let head = unit.text.get(declaration.start_byte()..declarator.start_byte()).unwrap_or("");
        head.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
    }

    pub(super) fn declare_global(
        &mut self,
        name: &str,
        ty: Type,
        storage: Storage,
        init: Option<Expr>,
        span: Span,
    ) -> GlobalId {
        let id = GlobalId(self.lower.program.globals.len() as u32);
        let of_launch = storage == Storage::Shared && matches!(ty, Type::Array(_, None));
        let decl = VarDecl {
            name: Name::new(name),
            ty,
            storage,
            points_to: Storage::Global,
            restrict: false,
            of_launch,
            lengths: Vec::new(),
            span,
        };
        let initialised = init.is_some();
        self.lower.program.globals.push(Global { decl, initialised, init, filled: BTreeMap::new(), is_kept: false });
        id
    }

    /// The value of an enumerator and its type: that of the enumeration, but within its list that of the value
    /// (C++ [dcl.enum]). Each is computed once: they are made of those before them.
    pub(super) fn enumerator(&mut self, enumerator: &Enumerator<'t>) -> Option<(i128, Type)> {
        if self.type_depth > 200 {
            return None;
        }
        let (scope, type_depth) = (self.declared_in(enumerator.node), self.type_depth + 1);
        // One of the class that we are in depends on its template's parameters as that does.
        let own = scope == self.scope && (self.class_type.is_some() || self.unfinished.is_some());
        let (bindings, class, unfinished) = match own {
            true => (self.bindings.clone(), self.class_type.clone(), self.unfinished),
            false => (Bindings::default(), None, None),
        };
        let instance = (bindings.key(), class.is_some());
        let mut outer = Body::new(&mut *self.lower, bindings);
        (outer.scope, outer.type_depth, outer.class_type, outer.unfinished) = (scope, type_depth, class, unfinished);
        let list = enumerator.node.parent().and_then(|list| list.parent()).filter(|e| e.kind() == "enum_specifier");
        let first = match enumerator.base {
            Some(node) => {
                let key = (node.id(), instance.0.clone(), instance.1);
                match outer.lower.enumerators.get(&key) {
                    Some(known) => known.clone(),
                    None => {
                        // One that asks for itself, more than once even, has no value.
                        outer.lower.enumerators.insert(key.clone(), None);
                        outer.lower.enumerations.extend(list.map(|list| (list.id(), instance.0.clone())));
                        let expr = outer.rvalue(node);
                        let value = outer.fold(&expr).map(|value| (value, expr.ty));
                        outer.lower.enumerations.truncate(outer.lower.enumerations.len() - usize::from(list.is_some()));
                        outer.lower.enumerators.insert(key, value.clone());
                        value
                    }
                }
            }
            None => Some((0, Type::INT)),
        };
        let (first, ty) = first?;
        let value = first.checked_add(enumerator.plus)?;
        let ty = match list {
            Some(list) if outer.lower.enumerations.contains(&(list.id(), instance.0.clone())) => {
                match list.child_by_field_name("base") {
                    Some(base) => outer.type_of(base),
                    None if matches!(&ty, Type::Int(int) if int.contains(value)) => ty,
                    None => integer_for(value, value),
                }
            }
            Some(list) => {
                let key = (list.id(), instance.0, instance.1);
                match outer.lower.enumeration_types.get(&key) {
                    Some(known) => known.clone(),
                    None => {
                        let ty = outer.type_of(list);
                        outer.lower.enumeration_types.insert(key, ty.clone());
                        ty
                    }
                }
            }
            None => Type::INT,
        };
        Some((value, ty))
    }

    /// A name with something in front: a member of a class, or a name of another scope.
    pub(super) fn qualified_name(&mut self, node: Node<'t>, span: Span) -> Expr {
        let (qualifier, base) = self.lower.unit.qualified(node);
        let (name, arguments) = match base.kind() {
            "template_function" => match base.child_by_field_name("name") {
                Some(name) => (self.text(name), base.child_by_field_name("arguments")),
                None => return self.unknown(node, "name"),
            },
            "identifier" | "field_identifier" | "type_identifier" => (self.text(base), None),
            _ => return self.unknown(node, "name"),
        };
        if let Some(class) = self.class_before(node) {
            // A member of the object that we are in.
            if let (Type::Struct(fields), Some(this), Some(own)) = (&class, self.this, self.class_type.clone())
                && fields.field(name).is_some()
                && (is_same(&own, &class) || self.is_base_of(&class, &own))
            {
                let this = self.var(this, span);
                let this = self.value(this);
                let object = self.deref(this, span);
                let part = self.base_part(object, &own, &class);
                return self.member(part, name, span);
            }
            return match self.class_constant(&class, name, span) {
                Some(found) => found,
                None => self.unknown(node, "this member of a class"),
            };
        }
        if self.is_of_open_parameter(node) {
            return self.unknown(node, "what a parameter of a template stands for");
        }
        if let Some(found) = self.of_hiding_scope(name, &qualifier, span) {
            return found;
        }
        if let Some(found) = self.of_renamed_enumeration(name, &qualifier, span) {
            return found;
        }
        if let Some(found) = self.global_name(name, &qualifier, span) {
            return found;
        }
        self.function_value(name, &qualifier, arguments, span)
    }

    /// `E::a` where what is in front is no name from outside of the function: an enumerator of an enumeration in it, or what is
    /// not known of other types in it, of those that parameters of a template stand for, and of those of a base class. [INF-HIDES]
    fn of_hiding_scope(&mut self, name: &str, qualifier: &Qualifier, span: Span) -> Option<Expr> {
        let first = qualifier.parts.first().filter(|_| !qualifier.absolute)?;
        let in_function = self.scopes.iter().rev().find(|scope| matches!(scope.get(first), Some(Local::Type(_))));
        if let ([own], Some(scope)) = (qualifier.parts.as_slice(), in_function)
            && let Some(Local::Value(value, ty)) = scope.get(&format!("{own}::{name}"))
        {
            return Some(Expr::new(ExprKind::Int(*value), ty.clone(), span));
        }
        let of_template = self.bindings.types.contains_key(first) || self.bindings.templates.contains_key(first);
        let names = self.lower.names;
        let is_used = || names.used.contains(first) && names.types.get(first).is_some_and(|list| list.len() > 1);
        let hides = in_function.is_some() || of_template || is_used() || self.is_type_of_base(first);
        hides.then(|| {
            let text = format!("`{first}::{name}` is a member of a type that is not followed");
            Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span)
        })
    }

    /// `E::a` where E is another name of an enumeration: `using E = N::Op;`, `typedef Op E;`. [INF-RENAMED]
    fn of_renamed_enumeration(&mut self, name: &str, qualifier: &Qualifier, span: Span) -> Option<Expr> {
        const RENAMED: usize = 8;
        let (last, outer) = qualifier.parts.split_last()?;
        let list = self.lower.names.enumerators.get(name)?.clone();
        let (mut scope, mut renamed) = (self.scope, last.as_str());
        let mut around = Qualifier { parts: outer.to_vec(), absolute: qualifier.absolute };
        for _ in 0..RENAMED {
            if self.lookup(renamed).is_some() || self.bindings.types.contains_key(renamed) {
                return None;
            }
            let target = match self.lower.names.find_type(renamed, scope, &around) {
                Found::One(TypeDecl::Typedef(ty, declarator)) if declarator.kind() == "type_identifier" => ty,
                Found::One(TypeDecl::Alias(ty)) => ty.child_by_field_name("type").unwrap_or(ty),
                // By its own name it is found as others are.
                Found::One(TypeDecl::Enum(node)) if renamed != last => {
                    let own = list.iter().find(|(_, e)| node.byte_range().contains(&e.node.start_byte()))?;
                    let (value, ty) = self.enumerator(&own.1)?;
                    return Some(Expr::new(ExprKind::Int(value), ty, span));
                }
                _ => return None,
            };
            if target.kind() == "enum_specifier" {
                let own = list.iter().find(|(_, e)| target.byte_range().contains(&e.node.start_byte()))?;
                let (value, ty) = self.enumerator(&own.1)?;
                return Some(Expr::new(ExprKind::Int(value), ty, span));
            }
            if !matches!(target.kind(), "type_identifier" | "qualified_identifier") {
                return None;
            }
            scope = self.declared_in(target);
            let (parts, base) = self.lower.unit.qualified(target);
            (around, renamed) = (parts, self.text(base));
        }
        None
    }

    /// The class that a qualified name is a member of, if it is one.
    pub fn class_scope(&mut self, name: Node<'t>) -> Option<Type> {
        self.scope_type(name).filter(|ty| matches!(ty, Type::Struct(_)))
    }

    /// The type that stands in front of the last part of a qualified name, if that is one.
    pub fn scope_type(&mut self, name: Node<'t>) -> Option<Type> {
        let mut scopes = Vec::new();
        let mut base = name;
        while base.kind() == "qualified_identifier" {
            scopes.extend(base.child_by_field_name("scope"));
            match base.child_by_field_name("name") {
                Some(inner) => base = inner,
                None => break,
            }
        }
        let (mut ty, mut outer) = (None, Qualifier::default());
        let mut text = "";
        for scope in scopes {
            ty = match ty {
                // A type that a class declares, or a base of it.
                Some(class @ Type::Struct(_)) => {
                    let own = matches!(scope.kind(), "namespace_identifier" | "type_identifier" | "identifier");
                    let member = own.then(|| self.member_type(&class, self.text(scope), &mut Vec::new())).flatten();
                    Some(member.unwrap_or_else(|| Type::Unknown(Arc::from(self.text(scope)))))
                }
                before => {
                    if before.is_some() {
                        outer.parts.push(text.split('<').next().unwrap_or("").trim().to_owned());
                    }
                    Some(self.type_at(scope, &outer))
                }
            };
            text = self.text(scope);
        }
        ty
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, node: Node<'t>) -> Option<i128> {
        self.typed_constant(node).map(|(value, _)| value)
    }

    pub fn typed_constant(&mut self, node: Node<'t>) -> Option<(i128, Type)> {
        let expr = self.rvalue(node);
        Some((self.fold(&expr)?, expr.ty))
    }

    pub(super) fn fold(&self, expr: &Expr) -> Option<i128> {
        fold(expr)
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Expr {
        match self.lookup(name) {
            Some(Local::Var(id)) => return self.var(id, span),
            Some(Local::Value(value, ty)) => return Expr::new(ExprKind::Int(value), ty, span),
            Some(Local::Static(id)) => {
                let ty = self.lower.program.globals[id.0 as usize].decl.ty.clone();
                return Expr::new(ExprKind::Global(id), ty, span);
            }
            Some(Local::Type(_)) => {
                return Expr::unknown("unknown-construct", format!("`{name}` is not a value"), Type::INT, span);
            }
            None => {}
        }
        let names = self.lower.names;
        let outside =
            names.globals.contains_key(name) || names.enumerators.get(name).is_some_and(|list| list.len() > 1);
        if let Some(class) = self.class_type.clone().filter(|_| outside)
            && self.may_be_of_base(&class, name)
            && (matches!(&class, Type::Struct(c) if c.field(name).is_some())
                || self.class_constant(&class, name, span).is_some())
        {
            let text = format!("which `{name}` is meant is not known: one of a base class, or one outside");
            return Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span);
        }
        if let (Some(Type::Struct(class)), Some(this)) = (self.class_type.clone(), self.this)
            && class.field(name).is_some()
        {
            let this = self.var(this, span);
            let this = self.value(this);
            let object = self.deref(this, span);
            return self.member(object, name, span);
        }
        if let (Some(Type::Struct(class)), None) = (&self.class_type, self.this)
            && class.field(name).is_some()
        {
            let text = format!("`{name}` is a member, and the object is not known here");
            return Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span);
        }
        if let Some(class) = self.unfinished.and_then(|body| body.parent()) {
            let bindings = self.bindings.clone();
            if let Some(Some(found)) = self.own_constant(class, &bindings, None, name, span) {
                return found;
            }
        }
        if let Some(class) = self.class_type.clone() {
            if let Some(found) = self.class_constant(&class, name, span) {
                return found;
            }
            if let Some(found) = self.outer_constant(&class, name, span) {
                return found;
            }
        }
        let hides = self.lower.names.globals.contains_key(name) || self.lower.names.enumerators.contains_key(name);
        match name {
            _ if hides => {}
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
            // What an access outside of a surface does.
            "cudaBoundaryModeZero" => return Expr::new(ExprKind::Int(0), Type::INT, span),
            "cudaBoundaryModeClamp" => return Expr::new(ExprKind::Int(1), Type::INT, span),
            "cudaBoundaryModeTrap" => return Expr::new(ExprKind::Int(2), Type::INT, span),
            "warpSize" => return Expr::new(ExprKind::Builtin(Builtin::WarpSize), Type::INT, span),
            "NULL" => return Expr::new(ExprKind::Int(0), Type::Void.ptr(), span),
            _ => {
                if let Some(coordinate) = Self::hip_name(name, span).filter(|_| !self.is_opencl()) {
                    return coordinate;
                }
            }
        }
        if let Some(found) = self.global_name(name, &Qualifier::default(), span) {
            return found;
        }
        self.function_value(name, &Qualifier::default(), None, span)
    }

    /// A name that nothing here declares: a constant of a header that is not read; where more than that is not read, it
    /// may be anything.
    pub(super) fn undeclared(&self, name: &str, span: Span) -> Expr {
        let code = if self.hidden_names() { "unknown-order" } else { "unknown-value" };
        Expr::unknown(code, format!("`{name}` is not declared"), Type::Unknown(Arc::from(format!("?{name}"))), span)
    }

    /// May names have a meaning that is not seen: macros and functions of a header that was not found, members of a
    /// base class that was not understood?
    pub(super) fn hidden_names(&self) -> bool {
        let class = self.class_type.as_ref();
        self.lower.names.header_missing || class.is_some_and(|c| !matches!(c, Type::Struct(s) if s.complete))
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

    /// A function as a value.
    pub(super) fn function_value(
        &mut self,
        name: &str,
        qualifier: &Qualifier,
        template: Option<Node<'t>>,
        span: Span,
    ) -> Expr {
        let bound = self.bindings.functions.get(name).cloned();
        let (name, instance) = match &bound {
            Some(argument) => (argument.name.as_str(), argument.instance.clone()),
            None => (name, None),
        };
        let all = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let overloads: Vec<FunDecl<'t>> = all.into_iter().filter(|d| d.class.is_none()).collect();
        if overloads.is_empty() {
            return match layout_constant(name) {
                Some(layout) => Expr::new(ExprKind::Int(layout), Type::INT, span),
                None => self.undeclared(name, span),
            };
        }
        let ambiguous = || {
            let text = format!("which function `{name}` stands for is not known");
            Expr::unknown("unknown-construct", text, Type::Fun.ptr(), span)
        };
        let fit = |d: &FunDecl<'t>| self.lower.names.fit(d.scope, self.scope, qualifier);
        let best = overloads.iter().filter_map(fit).max();
        let mut list: Vec<FunDecl<'t>> = overloads.into_iter().filter(|d| best.is_none() || fit(d) == best).collect();
        if list.iter().any(|d| d.has_body) {
            list.retain(|d| d.has_body);
        }
        let [decl] = list.as_slice() else { return ambiguous() };
        let bindings = match (instance, decl.template) {
            (Some(instance), _) => instance,
            (None, None) => Bindings::default(),
            (None, Some(parameters)) => {
                let given = template.map(|l| self.template_arguments(l)).unwrap_or_default();
                match self.bind_template(parameters, &given, &Bindings::default()) {
                    Some(bindings) => bindings,
                    None => return ambiguous(),
                }
            }
        };
        let id = self.lower.request(*decl, bindings);
        Expr::new(ExprKind::Function(id), Type::Fun.ptr(), span)
    }
}
