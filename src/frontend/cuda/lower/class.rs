//! Members of classes: fields, methods, operators, constructors.

use super::*;

impl<'l, 't> Body<'l, 't> {
    pub(super) fn field(&mut self, node: Node<'t>, span: Span) -> Expr {
        let (Some(argument), Some(name)) = (node.child_by_field_name("argument"), node.child_by_field_name("field"))
        else {
            return self.unknown(node, "member");
        };
        let arrow = self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains("->"));
        let mut object = self.expr(argument);
        if arrow {
            let pointer = self.value(object);
            object = self.deref(pointer, span);
        }
        let name = self.text(split_scope(name).1).to_owned();
        self.member(object, &name, span)
    }

    pub(super) fn member(&mut self, object: Expr, name: &str, span: Span) -> Expr {
        let Type::Struct(class) = object.ty.value().clone() else {
            let text = format!("`{name}` is a member of `{}`, which is not known", object.ty);
            let unknown = Unknown { code: "unknown-type", text };
            // The object is evaluated all the same: what it touches counts.
            let ty = Type::Unknown(Arc::from("?"));
            let inner = Expr::new(ExprKind::Unknown(unknown), ty.clone(), span);
            return Expr::new(ExprKind::Comma(Box::new(object), Box::new(inner)), ty, span);
        };
        let Some(field) = class.field(name) else {
            let ty = Type::Struct(class.clone());
            if let Some(found) = self.class_constant(&ty, name, span) {
                return found;
            }
            let text = format!("`{}` has no member `{name}` that is known", class.name);
            return Expr::unknown("unknown-type", text, Type::Unknown(Arc::from("?")), span);
        };
        // A part of a value that was just made.
        if let ExprKind::Aggregate(parts) = &object.kind
            && let Some((_, part)) = parts.iter().find(|(o, p)| *o == field.offset && p.ty == field.ty)
        {
            return part.clone();
        }
        let place = if is_place(&object) {
            object
        } else {
            let ty = object.ty.clone();
            Expr::new(ExprKind::Temporary(Box::new(object)), ty, span)
        };
        let kind = ExprKind::Member(Box::new(place), field.offset, Name::new(name));
        self.through_reference(Expr::new(kind, field.ty.clone(), span))
    }

    /// A `static const` member or an enumerator of a class.
    pub(super) fn class_constant(&mut self, class: &Type, name: &str, span: Span) -> Option<Expr> {
        let Type::Struct(class) = class else { return None };
        let (node, bindings) = self.lower.class_nodes.get(&*class.name)?.clone();
        let body = node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor).filter(|m| m.kind() == "field_declaration") {
            let declared = member.child_by_field_name("declarator").and_then(declared_name);
            if declared.is_some_and(|d| self.text(d) == name) {
                let value = member.child_by_field_name("default_value")?;
                let mut outer = Body::new(&mut *self.lower, bindings);
                let n = outer.constant(value)?;
                let ty = member.child_by_field_name("type").map_or(Type::INT, |t| outer.type_of(t));
                return Some(Expr::new(ExprKind::Int(n), ty, span));
            }
        }
        None
    }

    pub(super) fn static_member(&mut self, scope: Node<'t>, base: Node<'t>, span: Span) -> Option<Expr> {
        let text = self.text(scope);
        if !self.lower.names.types.contains_key(text.split('<').next().unwrap_or(""))
            && !self.bindings.types.contains_key(text)
        {
            return None;
        }
        let class = self.type_of(scope);
        self.class_constant(&class, self.text(base), span)
    }

    pub(super) fn method_decl(&mut self, class: &Type, name: &str, arguments: usize) -> Option<FunDecl<'t>> {
        let Type::Struct(class) = class else { return None };
        let (node, _) = self.lower.class_nodes.get(&*class.name)?.clone();
        self.find_method(node, name, arguments, 0)
    }

    pub(super) fn find_method(
        &mut self,
        class: Node<'t>,
        name: &str,
        arguments: usize,
        depth: usize,
    ) -> Option<FunDecl<'t>> {
        let body = class.child_by_field_name("body")?;
        let unit: &'t Unit<'t> = self.lower.unit;
        let mut cursor = body.walk();
        let mut declared = false;
        for member in body.named_children(&mut cursor) {
            let (member, template) = if member.kind() == "template_declaration" {
                let parameters = member.child_by_field_name("parameters");
                match last_named(member) {
                    Some(inner) => (inner, parameters),
                    None => continue,
                }
            } else {
                (member, None)
            };
            if !matches!(member.kind(), "function_definition" | "field_declaration" | "declaration") {
                continue;
            }
            let Some(decl) = unit.function(member, template, Some(class)) else { continue };
            let Some(declared_as) = declared_name(decl.declarator) else { continue };
            let text = unit.str(declared_as);
            if text == name || (name == "operator cast" && declared_as.kind() == "operator_cast") {
                let defaults = Self::parameter_defaults(&decl);
                let required = defaults.iter().take_while(|d| d.is_none()).count();
                if arguments <= defaults.len() && arguments >= required {
                    if decl.has_body {
                        return Some(decl);
                    }
                    declared = true;
                }
            }
        }
        if declared {
            let outside = self.lower.names.functions.get(name).cloned().unwrap_or_default();
            return outside.into_iter().find(|d| d.class == Some(class) && d.has_body);
        }
        let bases = child_of_kind(class, "base_class_clause")?;
        if depth > 20 {
            return None;
        }
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor).collect::<Vec<_>>() {
            let text = self.text(base).split('<').next().unwrap_or("");
            if let Some(TypeDecl::Class(node, _)) = self.lower.names.types.get(text)
                && let Some(found) = self.find_method(*node, name, arguments, depth + 1)
            {
                return Some(found);
            }
        }
        None
    }

    pub(super) fn call_method(
        &mut self,
        decl: FunDecl<'t>,
        class: &Type,
        this: Option<Expr>,
        arguments: &[Node<'t>],
        span: Span,
    ) -> Expr {
        let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
        self.call_member(decl, class, this, args, span)
    }

    pub(super) fn call_member(
        &mut self,
        decl: FunDecl<'t>,
        class: &Type,
        this: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let mut bindings = match class {
            Type::Struct(class) => self.lower.class_nodes.get(&*class.name).map(|(_, b)| b.clone()).unwrap_or_default(),
            _ => Bindings::default(),
        };
        if decl.template.is_some() {
            match self.viable(&decl, None, &args) {
                Some((_, own)) => {
                    bindings.types.extend(own.types);
                    bindings.values.extend(own.values);
                }
                None => {
                    let ty = Type::Unknown(Arc::from("?"));
                    return Expr::unknown("unknown-construct", "this template member is not supported", ty, span);
                }
            }
        }
        self.call_decl(decl, bindings, this, args, span)
    }

    pub(super) fn method_call(&mut self, function: Node<'t>, arguments: &[Node<'t>], span: Span) -> Expr {
        let (Some(argument), Some(name)) =
            (function.child_by_field_name("argument"), function.child_by_field_name("field"))
        else {
            return self.unknown(function, "call");
        };
        let arrow = self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains("->"));
        let mut object = self.expr(argument);
        if arrow {
            let pointer = self.value(object);
            object = self.deref(pointer, span);
        }
        let name = match name.kind() {
            "template_method" | "template_function" => name.child_by_field_name("name").unwrap_or(name),
            _ => name,
        };
        let name = self.text(name);
        let class = object.ty.value().clone();
        if let Some(decl) = self.method_decl(&class, name, arguments.len()) {
            let this = if is_static(self.text(decl.node)) { None } else { Some(self.address_of(object, span)) };
            return self.call_method(decl, &class, this, arguments, span);
        }
        // A member that is a function pointer or a functor.
        if let Type::Struct(fields) = &class
            && fields.field(name).is_some()
        {
            let place = self.member(object, name, span);
            let target = self.value(place);
            return self.call_value(target, arguments, span);
        }
        if let (Type::Unknown(group), [], "sync") = (&class, arguments, name) {
            let known = ["thread_block", "grid_group", "multi_grid_group", "cluster_group"].contains(&&**group);
            let group_like = known || group.contains("group") || group.contains("thread_block_tile");
            if group_like {
                return self.group_barrier(&class, span);
            }
        }
        let mut args = vec![if is_place(&object) { self.address_of(object, span) } else { object }];
        args.extend(arguments.iter().map(|a| self.rvalue(*a)));
        Expr::new(ExprKind::CallUnknown(Name::new(name), args), Type::Unknown(Arc::from("?")), span)
    }

    /// An operator of a class, as a member or as a function.
    pub(super) fn operator_call(&mut self, name: &str, object: &Expr, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let class = object.ty.value().clone();
        if let Some(decl) = self.method_decl(&class, name, args.len()) {
            let this = self.address_of(object.clone(), span);
            return Some(self.call_member(decl, &class, Some(this), args, span));
        }
        if self.lower.names.functions.contains_key(name) {
            let mut all = vec![object.clone()];
            all.extend(args);
            let call = self.call_named(name, None, all, span);
            if !matches!(call.kind, ExprKind::CallUnknown(..)) {
                return Some(call);
            }
        }
        None
    }

    /// A construction by a constructor that has a body.
    pub(super) fn construct(&mut self, ty: &Type, items: &[Node<'t>], span: Span) -> Option<Expr> {
        let Type::Struct(class) = ty else { return None };
        let base = class.name.split('<').next().unwrap_or("").to_owned();
        self.method_decl(ty, &base, items.len())?;
        let args = items.iter().map(|i| self.expr(*i)).collect();
        self.construct_from(ty, args, span)
    }

    pub(super) fn construct_from(&mut self, ty: &Type, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let Type::Struct(class) = ty else { return None };
        let base = class.name.split('<').next().unwrap_or("").to_owned();
        let decl = self.method_decl(ty, &base, args.len())?;
        // The object is a temporary that the constructor fills.
        let id = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(id), ty.clone(), span);
        let this = self.address_of(place.clone(), span);
        let call = self.call_member(decl, ty, Some(this), args, span);
        let value = self.value(place);
        Some(Expr::new(ExprKind::Comma(Box::new(call), Box::new(value)), ty.clone(), span))
    }

    pub(super) fn declare_hidden(&mut self, ty: Type, span: Span) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(VarDecl { name: Name::new(format!("_tmp{}", id.0)), ty, storage: Storage::Private, span });
        id
    }

    pub(super) fn member_initializers(&mut self, list: Node<'t>, out: &mut Vec<Stmt>) {
        let mut cursor = list.walk();
        for init in list.named_children(&mut cursor).filter(|n| n.kind() == "field_initializer").collect::<Vec<_>>() {
            let span = self.span(init);
            let (Some(name), Some(value)) = (init.named_child(0), last_named(init)) else { continue };
            let place = self.name(self.text(name), span);
            if !is_place(&place) {
                let unknown = Unknown { code: "unknown-construct", text: "this initialiser is not supported".into() };
                out.push(Stmt { kind: StmtKind::Unknown(unknown), span });
                continue;
            }
            let ty = place.ty.value().clone();
            let value = self.initial(value, &ty);
            let store = self.assign(place, value, span);
            out.push(Stmt { kind: StmtKind::Expr(store), span });
        }
    }
}
