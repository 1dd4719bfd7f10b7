//! Members of classes: fields, methods and operators.

use super::atomics::is_relaxed;
use super::bases::{Of, same_name};
use super::fragments::is_number_of_elements;
use super::*;
use crate::frontend::cuda::unit::each_named;
use crate::kernel::types::{StructTy, is_group_of_threads};

/// What a member function call means.
pub(super) enum Method<'t> {
    /// The class has no member function of that name.
    None,
    One(Box<Member<'t>>),
    /// It has, and which one is called is not known.
    Unclear,
}

/// A member function, with the class that it is a member of, which may be a base.
pub(super) struct Member<'t> {
    pub decl: FunDecl<'t>,
    pub bindings: Bindings,
    pub class: Type,
    pub(super) is_virtual: bool,
    pub(super) cost: usize,
    pub(super) doubtful: bool,
    pub(super) constrained: bool,
}

impl<'l, 't> Body<'l, 't> {
    pub(super) fn field(&mut self, node: Node<'t>, span: Span) -> Expr {
        let (Some(argument), Some(name)) = (node.child_by_field_name("argument"), node.child_by_field_name("field"))
        else {
            return self.unknown(node, "member");
        };
        if self.is_by_pointer(argument, name) {
            return self.unclear("which member this pointer is of is not known".to_owned(), vec![], span);
        }
        let object = self.object(argument, name, span);
        let (qualifier, base) = self.lower.unit.qualified(name);
        let member = self.text(base).to_owned();
        let ty = object.ty.value().clone();
        if let (Type::Struct(class), false) = (&ty, qualifier == Qualifier::default()) {
            return match self.class_in_front(&ty, name) {
                Some(base) => {
                    let part = self.base_part(object, &ty, &base);
                    self.member(part, &member, span)
                }
                None if class.fields.iter().filter(|f| *f.name == *member).count() == 1 => {
                    self.member(object, &member, span)
                }
                None => self.unclear("which base class this member is of is not known".to_owned(), vec![object], span),
            };
        }
        self.member(object, &member, span)
    }

    /// `object.*pointer`: the name is none of a member.
    pub(super) fn is_by_pointer(&self, argument: Node<'t>, name: Node<'t>) -> bool {
        self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains('*'))
    }

    /// What stands in front of the `.` or `->` of a member.
    pub(super) fn object(&mut self, argument: Node<'t>, name: Node<'t>, span: Span) -> Expr {
        let arrow = self.lower.unit.text.get(argument.end_byte()..name.start_byte()).is_some_and(|t| t.contains("->"));
        let object = self.expr(argument);
        if !arrow {
            return object;
        }
        if let Type::Struct(_) = object.ty.value()
            && let Some(pointer) = self.operator_call("operator->", &object, vec![], span)
        {
            let pointer = self.value(pointer);
            return self.deref(pointer, span);
        }
        if let Type::Unknown(_) = object.ty.value() {
            // Of a class that is not seen: what is called may do what a member of its own may do.
            return object;
        }
        let pointer = self.value(object);
        self.deref(pointer, span)
    }

    pub(super) fn member(&mut self, object: Expr, name: &str, span: Span) -> Expr {
        // The object is evaluated all the same where its member is not known: what it touches counts.
        let unknown = |object: Expr, code: &'static str, text: String| {
            let ty = Type::Unknown(Arc::from("?"));
            let inner = Expr::unknown(code, text, ty.clone(), span);
            Expr::new(ExprKind::Comma(Box::new(object), Box::new(inner)), ty, span)
        };
        if self.lanes(&object.ty).is_some()
            && let Some(found) = self.vector_member(object.clone(), name, span)
        {
            return found;
        }
        let Type::Struct(class) = object.ty.value().clone() else {
            let text = format!("`{name}` is a member of `{}`, which is not known", object.ty);
            let object = self.value(object);
            return unknown(object, "unknown-type", text);
        };
        if is_number_of_elements(&object.ty, name) {
            return self.opaque(name, vec![], Type::INT, span);
        }
        let ty = Type::Struct(class.clone());
        match self.owner_of_field(&ty, name) {
            Of::Own => {}
            Of::Base(base) => {
                let part = self.base_part(object, &ty, &base);
                return self.member(part, name, span);
            }
            Of::Unclear => {
                let text = format!("which base class `{name}` is a member of is not known");
                return unknown(object, "unknown-construct", text);
            }
        }
        let Some(field) = class.field(name).filter(|_| !self.is_hidden(&ty, name)) else {
            if let Some(found) = self.class_constant(&ty, name, span) {
                return Expr::new(ExprKind::Comma(Box::new(object), Box::new(found.clone())), found.ty, span);
            }
            let text = format!("`{}` has no member `{name}` that is known", class.name);
            let object = self.value(object);
            return unknown(object, "unknown-type", text);
        };
        if matches!(&field.ty, Type::Unknown(ty) if &**ty == BIT_FIELD) {
            return unknown(object, "unknown-construct", format!("`{name}` is a bit-field, which is not supported"));
        }
        if let Some(bits) = field.bits.iter().rfind(|b| &*b.name == name).cloned() {
            let place = if is_lvalue(&object) {
                object
            } else {
                let ty = object.ty.clone();
                Expr::new(ExprKind::Temporary(Box::new(object)), ty, span)
            };
            let kind = ExprKind::Member(Box::new(place), field.offset, Name::new(name));
            let whole = self.value(Expr::new(kind, field.ty.clone(), span));
            return self.bits_of(whole, &bits, span);
        }
        if is_storage(&field.ty) {
            if let Some(storage) = self.storage_in(&object, span) {
                return storage;
            }
            return unknown(object, "unknown-construct", "temporary storage in an object is not supported".to_owned());
        }
        // A part of a value that was just made.
        if let ExprKind::Aggregate(parts) = &object.kind
            && let Some((_, part)) = parts.iter().find(|(o, p)| *o == field.offset && p.ty == field.ty)
            && parts.iter().all(|(_, p)| is_plain(p))
        {
            return part.clone();
        }
        let place = if is_lvalue(&object) {
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
        self.constant_of(class, name, span, &mut Vec::new())
    }

    fn constant_of(&mut self, class: &Type, name: &str, span: Span, seen: &mut Vec<Type>) -> Option<Expr> {
        let (node, bindings) = self.class_node(class)?;
        if seen.contains(class) || seen.len() > 200 {
            return None;
        }
        seen.push(class.clone());
        if let Some(found) = self.own_constant(node, &bindings, Some(class), name, span) {
            return found;
        }
        child_of_kind(node, "base_class_clause")?;
        let unclear = || {
            let text = format!("which base class `{name}` is a member of is not known");
            Some(Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span))
        };
        let Some((bases, brought)) = self.looked_up_in(class, name) else { return unclear() };
        let found: Vec<Expr> = bases.iter().filter_map(|base| self.constant_of(base, name, span, seen)).collect();
        // A data member that `using` names.
        let several = found.len() > 1 || brought && found.len() < bases.len() && !found.is_empty();
        if several { unclear() } else { found.into_iter().next() }
    }

    /// Is the data member of a base hidden by something else of that name?
    fn is_hidden(&self, class: &Type, name: &str) -> bool {
        self.class_node(class).is_some_and(|(node, _)| {
            child_of_kind(node, "base_class_clause").is_some()
                && self.mentions_member(node, name)
                && !self.declares_field(node, name)
        })
    }

    /// What a name means that the text of a class declares. Of a class that is laid out there is no type yet.
    pub(super) fn own_constant(
        &mut self,
        node: Node<'t>,
        bindings: &Bindings,
        class: Option<&Type>,
        name: &str,
        span: Span,
    ) -> Option<Option<Expr>> {
        const DEPTH: usize = 200;
        let body = node.child_by_field_name("body").filter(|_| self.type_depth <= DEPTH)?;
        let scope = self.lower.names.class_scopes.get(&node.id()).copied().unwrap_or(self.scope);
        let type_depth = self.type_depth + 1;
        let mut cursor = body.walk();
        let mut parts = body.walk();
        let mut declared = |member: Node<'t>| -> Vec<&'t str> {
            let names = member.children_by_field_name("declarator", &mut parts).filter_map(declared_name);
            names.map(|d| self.text(d)).collect()
        };
        let fields = body.named_children(&mut cursor).filter(|m| m.kind() == "field_declaration");
        let field = fields.map(|m| (m, declared(m))).find(|(_, names)| names.contains(&name));
        let list = self.lower.names.enumerators.get(name);
        let within = |e: &Enumerator<'t>| body.byte_range().contains(&e.node.start_byte());
        let enumerator = list.and_then(|list| list.iter().find(|(s, e)| *s == scope && within(e))).map(|(_, e)| *e);
        let mut outer = Body::new(&mut *self.lower, bindings.clone());
        (outer.scope, outer.type_depth) = (scope, type_depth);
        (outer.class_type, outer.unfinished) = (class.cloned(), Some(body).filter(|_| class.is_none()));
        let declared = field.as_ref().map(|(member, _)| member.id()).or(enumerator.map(|e| e.node.id()))?;
        // One may be made of others, and each of them of more.
        let key = (declared, bindings.key(), class.is_some());
        let known = outer.lower.constants.get(&key).cloned();
        let (value, ty) = match (known, &field, enumerator) {
            (Some(known), ..) => known,
            (None, Some((member, names)), _) => {
                // Defined elsewhere, or one of a list.
                let value = member.child_by_field_name("default_value").filter(|_| names.len() == 1);
                let value = value.and_then(|value| outer.constant(value));
                let ty = member.child_by_field_name("type").map_or(Type::INT, |t| outer.type_of(t));
                let value = match &ty {
                    Type::Int(int) => value.map(|n| int.wrap(n)),
                    _ => value,
                };
                (value, ty)
            }
            (None, None, Some(enumerator)) => {
                let found = outer.enumerator(&enumerator);
                return Some(found.map(|(value, ty)| Expr::new(ExprKind::Int(value), ty, span)));
            }
            (None, None, None) => return None,
        };
        outer.lower.constants.insert(key, (value, ty.clone()));
        match value {
            Some(n) => Some(Some(Expr::new(ExprKind::Int(n), ty, span))),
            None => match field {
                Some((member, names)) => {
                    let number = if names.len() == 1 { outer.constant_number(member, &ty) } else { None };
                    Some(number.or_else(|| self.static_member(scope, name, span)))
                }
                None => Some(None),
            },
        }
    }

    /// `static constexpr float eps = 0.5f;`, of literals. [INF-STATIC]
    fn constant_number(&mut self, member: Node<'t>, ty: &Type) -> Option<Expr> {
        const PLAIN: [&str; 4] =
            ["number_literal", "unary_expression", "binary_expression", "parenthesized_expression"];
        let value = member.child_by_field_name("default_value").filter(|_| matches!(ty, Type::Float(_)))?;
        let mut plain = self.text(member).split_whitespace().any(|word| word == "constexpr");
        each_named(value, |n| plain &= PLAIN.contains(&n.kind()));
        plain.then(|| {
            let value = self.rvalue(value);
            self.convert(value, ty)
        })
    }

    /// A static member that is not a known constant: the variable that its definition declares, and nothing of its name
    /// anywhere else.
    fn static_member(&mut self, scope: ScopeId, name: &str, span: Span) -> Option<Expr> {
        let list = self.lower.names.globals.get(name);
        if list.is_some_and(|list| list.iter().any(|(s, _)| *s == scope)) {
            return None;
        }
        let text = format!("the value of the static member `{name}` is not known");
        Some(Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span))
    }

    /// A member of a class around this one.
    pub(super) fn outer_constant(&mut self, class: &Type, name: &str, span: Span) -> Option<Expr> {
        let (node, bindings) = self.class_node(class)?;
        let mut current = node.parent();
        while let Some(around) = current {
            current = around.parent();
            if !matches!(around.kind(), "struct_specifier" | "class_specifier" | "union_specifier") {
                continue;
            }
            // Of a template around it the instance is the one that this is in. [INF-MEMBER-TEMPLATE]
            let mut own = bindings.clone();
            own.retain(&self.parameters_around(around));
            let bound = |p: &String| own.types.contains_key(p) || own.values.contains_key(p);
            if self.class_parameters(around).iter().all(bound) {
                let outer = match self.elsewhere(around, |body| body.class(around, own)) {
                    // It is laid out right now.
                    Type::Unknown(name) if self.lower.class_nodes.contains_key(&*name) => {
                        StructTy::being_laid_out(&name)
                    }
                    known => known,
                };
                if let Some(found) = self.class_constant(&outer, name, span) {
                    return Some(found);
                }
            } else if self.mentions_member(around, name) {
                let text = format!("`{name}` is a member of a template around this class, which is not supported");
                return Some(Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), span));
            }
        }
        None
    }

    /// Is a member of a base class found where the language finds a function outside: in a template, where the base depends
    /// on its parameters?
    pub(super) fn is_dependent(&self, class: &Type, owner: &Type, name: &str) -> bool {
        let is_template = self.class_node(class).is_some_and(|(node, _)| !self.class_parameters(node).is_empty());
        let outside = self.lower.names.functions.get(name);
        class != owner && is_template && outside.is_some_and(|list| list.iter().any(|d| d.class.is_none()))
    }

    /// Is a member of that name, which an instance of a class template has, one of a base class? Where that base depends on
    /// the parameters of the template, a name alone does not mean it.
    pub(crate) fn may_be_of_base(&self, class: &Type, name: &str) -> bool {
        let Some((node, _)) = self.class_node(class) else { return false };
        let scope = self.lower.names.class_scopes.get(&node.id());
        let enumerators = self.lower.names.enumerators.get(name);
        let own = enumerators.is_some_and(|list| list.iter().any(|(s, _)| Some(s) == scope));
        child_of_kind(node, "base_class_clause").is_some()
            && !self.class_parameters(node).is_empty()
            && !self.mentions_member(node, name)
            && !self.declares_type(node, name)
            && !self.brings_in(class, name)
            && !own
    }

    /// Is this a type that the class that we are in has of a base?
    pub(super) fn is_type_of_base(&mut self, name: &str) -> bool {
        let Some(class) = self.class_type.clone() else { return false };
        let body = self.class_node(&class).and_then(|(node, _)| node.child_by_field_name("body"));
        let own = body.is_some_and(|body| self.declared_type(body, name).is_some());
        !own && self.member_type(&class, name, &mut Vec::new()).is_some()
    }

    /// Does the text of a class declare a type of that name?
    fn declares_type(&self, class: Node<'t>, name: &str) -> bool {
        let Some(body) = class.child_by_field_name("body") else { return false };
        let mut cursor = body.walk();
        body.named_children(&mut cursor).any(|member| {
            let ty = member.child_by_field_name("type").unwrap_or(member);
            [ty, member].iter().filter_map(|n| n.child_by_field_name("name")).any(|n| self.text(n) == name)
        })
    }

    /// Does a class around this one have a member of that name?
    pub(super) fn is_of_outer(&self, class: &Type, name: &str) -> bool {
        let mut current = self.class_node(class).and_then(|(node, _)| node.parent());
        while let Some(around) = current {
            current = around.parent();
            let is_class = matches!(around.kind(), "struct_specifier" | "class_specifier" | "union_specifier");
            if is_class && self.mentions_member(around, name) {
                return true;
            }
        }
        false
    }

    /// Does the text of a class declare a static variable of that name?
    pub(super) fn declares_variable(&self, class: Node<'t>, name: &str) -> bool {
        let Some(body) = class.child_by_field_name("body") else { return false };
        let mut cursor = body.walk();
        body.named_children(&mut cursor).any(|member| {
            let inner = if member.kind() == "template_declaration" { last_named(member) } else { Some(member) };
            let Some(inner) = inner.filter(|m| matches!(m.kind(), "field_declaration" | "declaration")) else {
                return false;
            };
            let mut parts = inner.walk();
            let declarators = inner.children_by_field_name("declarator", &mut parts).filter(|d| !is_prototype(*d));
            let named = declarators.filter_map(declared_name).any(|d| self.text(d) == name);
            named && is_static(self.text(inner))
        })
    }

    /// Has a base of a class a static variable of that name?
    pub(super) fn is_variable_of_base(&mut self, class: &Type, name: &str) -> bool {
        let classes = self.ancestors(class);
        classes.iter().any(|c| self.class_node(c).is_some_and(|(node, _)| self.declares_variable(node, name)))
    }

    /// Does the text of a class declare something of that name?
    pub(super) fn mentions_member(&self, class: Node<'t>, name: &str) -> bool {
        let Some(body) = class.child_by_field_name("body") else { return false };
        let mut cursor = body.walk();
        body.named_children(&mut cursor).any(|member| {
            let inner = if member.kind() == "template_declaration" { last_named(member) } else { Some(member) };
            let Some(inner) = inner else { return false };
            let mut parts = inner.walk();
            let mut declared = inner.children_by_field_name("declarator", &mut parts).filter_map(declared_name);
            declared.any(|d| self.text(d) == name)
        })
    }

    // ---- classes ----

    /// The text of a class, and what its parameters are bound to.
    pub fn class_node(&self, class: &Type) -> Option<(Node<'t>, Bindings)> {
        let Type::Struct(class) = class else { return None };
        self.lower.class_nodes.get(&*class.name).cloned()
    }

    /// The names of the template parameters of a class.
    pub fn class_parameters(&self, class: Node<'t>) -> Vec<String> {
        let template = class.parent().filter(|p| p.kind() == "template_declaration");
        let parameters = template.and_then(|t| t.child_by_field_name("parameters"));
        let mut own = parameters.map(|p| self.template_parameters(p)).unwrap_or_default();
        if class.kind() == "lambda_expression"
            && let Some((_, bindings)) = self.lower.class_nodes.values().find(|(node, _)| *node == class)
        {
            own.extend(bindings.types.keys().chain(bindings.values.keys()).cloned());
        }
        own
    }

    /// The base classes of a class; `None` for one that is not known.
    pub fn bases(&mut self, class: &Type) -> Vec<Option<Type>> {
        let Some((node, bindings)) = self.class_node(class) else { return Vec::new() };
        let Some(clause) = child_of_kind(node, "base_class_clause") else { return Vec::new() };
        let mut cursor = clause.walk();
        let nodes: Vec<Node<'t>> = clause
            .named_children(&mut cursor)
            .filter(|n| !matches!(n.kind(), "access_specifier" | "virtual" | "comment"))
            .collect();
        self.elsewhere(node, |body| {
            body.bindings = bindings;
            nodes
                .into_iter()
                .map(|n| Some(body.type_of(n)).filter(|t| matches!(t, Type::Struct(_)) && t != class))
                .collect()
        })
    }

    /// Is one class derived from the other?
    pub(super) fn derives(&mut self, class: &Type, base: &Type) -> bool {
        self.ancestors(class).iter().skip(1).any(|b| b == base)
    }

    /// The member functions of a class with that name, its bases apart; with their definitions outside of it. `cast`
    /// finds conversion operators.
    pub(super) fn own_methods(&mut self, class: &Type, name: &str) -> Vec<(FunDecl<'t>, Bindings)> {
        let Some((node, bindings)) = self.class_node(class) else { return Vec::new() };
        let unit: &'t Unit<'t> = self.lower.unit;
        let scope = self.lower.names.class_scopes.get(&node.id()).copied().unwrap_or(self.scope);
        if node.kind() == "lambda_expression" {
            return if name == "operator()" { vec![(as_function(node, scope), bindings)] } else { Vec::new() };
        }
        let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
        let mut found = Vec::new();
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let (member, template) = match member.kind() {
                "template_declaration" => match last_named(member) {
                    Some(inner) => (inner, member.child_by_field_name("parameters")),
                    None => continue,
                },
                _ => (member, None),
            };
            if !matches!(member.kind(), "function_definition" | "field_declaration" | "declaration") {
                continue;
            }
            let Some(decl) = unit.function(member, template, Some(node), scope) else { continue };
            let Some(declared_as) = declared_name(decl.declarator) else { continue };
            let cast = name == "operator cast" && declared_as.kind() == "operator_cast";
            let generated = has_child(member, "default_method_clause") || has_child(member, "delete_method_clause");
            if (cast || same_name(unit.str(declared_as), name)) && !generated {
                found.push((decl, bindings.clone()));
            }
        }
        let own = self.class_parameters(node);
        self.member_specials(node, name, &bindings, &mut found);
        if found.iter().all(|(decl, _)| decl.has_body) {
            return found;
        }
        for outside in self.lower.names.functions.get(name).cloned().unwrap_or_default() {
            if outside.class != Some(node) || !outside.has_body || is_special(&outside) {
                continue;
            }
            // Its template parameters are those of the class, in order, by whatever names.
            let mut bindings = bindings.clone();
            let mut decl = outside;
            if let Some(parameters) = outside.template.filter(|_| !own.is_empty()) {
                bindings.rename(&own, &self.template_parameters(parameters));
                decl.template = None;
            }
            found.push((decl, bindings));
        }
        found
    }

    /// Explicit specialisations of the member functions of a class: `template <> void S<int>::f() {..}`.
    fn member_specials(
        &mut self,
        class: Node<'t>,
        name: &str,
        bindings: &Bindings,
        found: &mut Vec<(FunDecl<'t>, Bindings)>,
    ) {
        let all = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        for special in all.into_iter().filter(|d| d.class == Some(class) && is_special(d)) {
            let Some(declared) = declared_name(special.declarator) else { continue };
            if self.lower.unit.qualified(declared).1.child_by_field_name("arguments").is_some() {
                // Of a member that is a template itself: chosen with it.
                found.push((special, bindings.clone()));
                continue;
            }
            let template = class.parent().and_then(|p| p.child_by_field_name("parameters"));
            let arguments = declared.child_by_field_name("scope").and_then(|s| s.child_by_field_name("arguments"));
            let bound = match (template, arguments) {
                (Some(template), Some(arguments)) => self.elsewhere(special.node, |body| {
                    let given = body.template_arguments(arguments);
                    body.bind_template(template, &given, &Bindings::default())
                }),
                _ => None,
            };
            let whole = FunDecl { template: None, ..special };
            match bound {
                Some(bound) if bound != *bindings => {}
                Some(_) => {
                    let count = Self::parameter_defaults(&special).len();
                    found.retain(|(d, _)| Self::parameter_defaults(d).len() != count || d.template.is_some());
                    found.push((whole, bindings.clone()));
                }
                None => found.push((whole, bindings.clone())),
            }
        }
    }

    /// The member functions with that name, each with the class that it is of: of the class itself, or of those that `using`
    /// names, or of one base. `None`: which they are is not known.
    pub(super) fn methods(
        &mut self,
        class: &Type,
        name: &str,
        seen: &mut Vec<Type>,
    ) -> Option<Vec<(FunDecl<'t>, Bindings, Type)>> {
        if seen.contains(class) || seen.len() > 200 {
            return Some(Vec::new());
        }
        seen.push(class.clone());
        let own = self.own_methods(class, name);
        // Conversions to different types do not hide each other.
        if !own.is_empty() && name == "operator cast" {
            let bases = self.ancestors(class).split_off(1);
            let others = bases.iter().any(|base| !self.own_methods(base, name).is_empty());
            return (!others).then(|| own.into_iter().map(|(decl, bound)| (decl, bound, class.clone())).collect());
        }
        if !own.is_empty() {
            let alone = self.brought_in(class, name).is_empty();
            return alone.then(|| own.into_iter().map(|(decl, bound)| (decl, bound, class.clone())).collect());
        }
        let (bases, brought) = self.looked_up_in(class, name)?;
        let mut found = Vec::new();
        for base in bases {
            let list = self.methods(&base, name, seen)?;
            if !brought && !found.is_empty() && !list.is_empty() {
                return None;
            }
            found.extend(list);
        }
        Some(found)
    }

    /// The member function that a call means.
    pub(super) fn method(&mut self, class: &Type, name: &str, template: Option<Node<'t>>, args: &[Expr]) -> Method<'t> {
        let Some(mut found) = self.methods(class, name, &mut Vec::new()) else { return Method::Unclear };
        // The name of a class within it makes an object: it calls no member.
        found.retain(|(decl, ..)| !self.is_constructor(decl));
        let Some((_, _, first)) = found.first().cloned() else { return Method::None };
        let one_class = found.iter().all(|(_, _, owner)| *owner == first);
        let list: Vec<_> = found.iter().map(|(decl, bound, _)| (*decl, bound.clone())).collect();
        if name == "operator cast" && !self.is_one_conversion(&list) {
            return Method::Unclear;
        }
        match self.resolve(&list, &Qualifier::default(), template, args, true) {
            // What a conversion does that is defined elsewhere is not found.
            Found::One(chosen) if name == "operator cast" && !chosen.decl.has_body => Method::Unclear,
            Found::One(Chosen { decl, bindings, cost, doubtful, constrained }) => {
                let owner = found.into_iter().find(|(d, ..)| d.node == decl.node).map(|(_, _, owner)| owner);
                let Some(owner) = owner.or(Some(first).filter(|_| one_class)) else { return Method::Unclear };
                let is_virtual = self.is_virtual(&owner, name, 0);
                Method::One(Box::new(Member { decl, bindings, class: owner, is_virtual, cost, doubtful, constrained }))
            }
            Found::None | Found::Ambiguous => Method::Unclear,
        }
    }

    /// Are these conversions to one type, by the same code, but for what is `const`?
    fn is_one_conversion(&self, list: &[(FunDecl<'t>, Bindings)]) -> bool {
        let dense = |text: &str| text.replace("const", "").split_whitespace().collect::<String>();
        let written = |(d, _): &(FunDecl<'t>, Bindings)| {
            let body = d.node.child_by_field_name("body").map_or("", |body| self.text(body));
            (dense(self.text(d.declarator)), dense(body))
        };
        list.iter().all(|one| written(one) == written(&list[0]) && (list.len() == 1 || one.0.template.is_none()))
    }

    pub(super) fn is_virtual(&mut self, class: &Type, name: &str, depth: usize) -> bool {
        let said = |decl: &FunDecl<'t>| {
            has_child(decl.node, "virtual")
                || has_child(decl.node, "virtual_function_specifier")
                || has_child(decl.declarator, "virtual_specifier")
        };
        if self.own_methods(class, name).iter().any(|(decl, _)| said(decl)) {
            return true;
        }
        depth < 20 && self.bases(class).into_iter().flatten().any(|base| self.is_virtual(&base, name, depth + 1))
    }

    /// What is not known is done with these.
    pub(super) fn unclear(&self, what: String, args: Vec<Expr>, span: Span) -> Expr {
        let ty = Type::Unknown(Arc::from("?"));
        let unknown = Expr::unknown("unknown-construct", what, ty.clone(), span);
        args.into_iter().rev().fold(unknown, |rest, arg| {
            let arg = self.value(arg);
            Expr::new(ExprKind::Comma(Box::new(arg), Box::new(rest)), ty.clone(), span)
        })
    }

    /// A call of a member function that is known, on an object that is a place.
    pub(super) fn call_member(
        &mut self,
        member: Box<Member<'t>>,
        class: &Type,
        object: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let is_static = is_static(self.text(member.decl.node));
        let this = match object {
            Some(object) if !is_static => {
                // Which override is called is only known for an object that is declared as what it is.
                if member.is_virtual && !matches!(object.kind, ExprKind::Var(_)) {
                    return self.unclear("a call of a virtual function is not supported".to_owned(), args, span);
                }
                let pointer = self.address_of(object, span);
                Some(self.as_base(pointer, class, &member.class))
            }
            Some(object) => {
                // Evaluated for nothing but what it touches.
                let call = self.call_decl(member.decl, member.bindings, None, args, span);
                let ty = call.ty.clone();
                return Expr::new(ExprKind::Comma(Box::new(object), Box::new(call)), ty, span);
            }
            None => None,
        };
        if this.is_none() && !is_static {
            return self.unclear("a member function is called without an object".to_owned(), args, span);
        }
        self.call_decl(member.decl, member.bindings, this, args, span)
    }

    pub(super) fn method_call(&mut self, function: Node<'t>, arguments: &[Node<'t>], span: Span) -> Expr {
        let (Some(argument), Some(name)) =
            (function.child_by_field_name("argument"), function.child_by_field_name("field"))
        else {
            return self.unknown(function, "call");
        };
        let mut object = self.object(argument, name, span);
        let written = name;
        let name = self.lower.unit.qualified(written).1;
        let (name, template) = match name.kind() {
            "template_method" | "template_function" => {
                (name.child_by_field_name("name").unwrap_or(name), name.child_by_field_name("arguments"))
            }
            "dependent_name" => match last_named(name) {
                Some(inner) => {
                    (inner.child_by_field_name("name").unwrap_or(inner), inner.child_by_field_name("arguments"))
                }
                None => (name, None),
            },
            _ => (name, None),
        };
        let name = match name.kind() {
            "operator_name" => self.lower.unit.function_key(name),
            _ => self.text(name).to_owned(),
        };
        let name = name.as_str();
        // `x.operator float()`
        if let (Some(to), []) = (name.strip_prefix("operator "), arguments)
            && written.kind() == "field_identifier"
        {
            let ty = self.type_by_name(to.trim());
            let made = self.converted(object);
            return match (&made.ty, &ty) {
                (a, b) if a == b => made,
                (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => {
                    let made = self.value(made);
                    self.convert(made, &ty)
                }
                _ => self.unclear("which conversion this is, is not known".to_owned(), vec![made], span),
            };
        }
        let mut class = object.ty.value().clone();
        // The class in front of the name says whose function it is, whatever overrides it.
        let qualified = self.lower.unit.qualified(written).0 != Qualifier::default();
        if let (true, Type::Struct(_)) = (qualified, &class) {
            let Some(base) = self.class_in_front(&class, written) else {
                let args: Vec<Expr> = arguments.iter().map(|a| self.expr(*a)).collect();
                return self.unclear(format!("of which class `{name}` is a member is not known"), args, span);
            };
            object = self.base_part(object, &class, &base);
            class = base;
        }
        if let Type::Struct(fields) = &class {
            // A member that is a function pointer or a functor.
            if fields.field(name).is_some() {
                let place = self.member(object, name, span);
                let target = if let Type::Struct(_) = place.ty.value() { place } else { self.value(place) };
                return self.call_value(target, arguments, span);
            }
            let args = self.exprs(arguments);
            if let Some(found) = self.array_call(&object, name, &args, span) {
                return found;
            }
            if let Some(found) = self.complex_member(&object, name, &args, span) {
                return found;
            }
            match self.method(&class, name, template, &args) {
                Method::One(mut member) => {
                    member.is_virtual &= !qualified;
                    return self.call_member(member, &class, Some(object), args, span);
                }
                Method::Unclear => {
                    if let Some(call) = self.one_of_members(&class, name, template, (&object, &args), span) {
                        return call;
                    }
                    return self.unclear(format!("which function `{name}` is called is not known"), args, span);
                }
                Method::None => {}
            }
        }
        if let Type::Struct(_) = &class {
            let args = self.exprs(arguments);
            if let Some(done) = self.waiting_member(&object, name, &args, span) {
                return done;
            }
            let relaxed = arguments.last().is_some_and(|order| is_relaxed(self.text(*order)));
            if let Some(done) = self.atomic_member(&object, name, &args, relaxed, span) {
                return done;
            }
        }
        if let (Type::Unknown(group), "barrier_arrive" | "barrier_wait") = (&class, name)
            && let Some(scope) = Self::group_scope(group)
        {
            // A group has one barrier: a token says nothing more.
            let tokens: Vec<Expr> = arguments.iter().map(|a| self.rvalue(*a)).collect();
            let half = if name == "barrier_wait" { Intrinsic::Wait(scope) } else { Intrinsic::Arrive(scope) };
            let half = self.intrinsic_call(half, vec![], span);
            let token = Expr::new(ExprKind::Int(0), Type::Int(IntTy::U64), span);
            let done = if name == "barrier_wait" { half } else { self.preceded(vec![half], token) };
            let done = self.preceded(tokens, done);
            return self.after_group(&object, done, span);
        }
        if let Type::Unknown(_) = &class {
            let args = self.exprs(arguments);
            if let Some(found) = self.group_member(&class, Some(&object), name, &args, span) {
                return self.after_group(&object, found, span);
            }
            if let Some(made) = self.collective_call(&object, name, &args, span) {
                return self.in_block_of(&object.ty, made, span);
            }
        }
        if let (Type::Unknown(group), [], "sync") = (&class, arguments, name) {
            let known = ["thread_block", "grid_group", "multi_grid_group", "cluster_group"].contains(&&**group);
            let group_like = known || is_group_of_threads(group);
            if group_like {
                let barrier = self.group_barrier(&class, span);
                return self.after_group(&object, barrier, span);
            }
        }
        let mut args = vec![if is_place(&object) { self.address_of(object, span) } else { object }];
        args.extend(arguments.iter().map(|a| self.rvalue(*a)));
        let of_cluster = matches!(&class, Type::Unknown(group) if &**group == "cluster_group");
        let ty = match name {
            "block_rank" | "num_blocks" if of_cluster => Type::UINT,
            _ => Type::Unknown(Arc::from("?")),
        };
        let call = match args.iter().skip(1).any(|a| self.has_functions(&a.ty, 0)) {
            true => self.unclear(format!("`{name}` is called, but its definition is not there"), args, span),
            false => Expr::new(ExprKind::CallUnknown(Name::new(name), args), ty.clone(), span),
        };
        if self.waits(&class) { self.may_not_pass(call, span) } else { call }
    }

    /// Is this an object whose member functions may wait for other threads?
    fn waits(&self, class: &Type) -> bool {
        let waits = |name: &str| name.contains("barrier") || name.contains("pipeline");
        match class.value() {
            Type::Unknown(name) => waits(name),
            // Of a library, and not of the program.
            Type::Struct(class) => class.name.starts_with("cuda::") && waits(&class.name),
            _ => false,
        }
    }

    /// What waits in a way that is not known: whether a thread gets past it, and when, is not known either, so that nothing
    /// after it is certain.
    pub(super) fn may_not_pass(&mut self, call: Expr, span: Span) -> Expr {
        let intrinsic = |i: Intrinsic, ty: Type| Expr::new(ExprKind::Intrinsic(i, vec![]), ty, span);
        let passes = intrinsic(Intrinsic::Havoc(Name::new("passes")), Type::BOOL);
        let (goes_on, stays) = (intrinsic(Intrinsic::Nothing, Type::Void), intrinsic(Intrinsic::Trap, Type::Void));
        let waited = ExprKind::Choose(Box::new(passes), Box::new(goes_on), Box::new(stays));
        let waited = Expr::new(waited, Type::Void, span);
        let ty = call.ty.clone();
        Expr::new(ExprKind::Comma(Box::new(waited), Box::new(call)), ty, span)
    }

    /// The place that a value is read from: an operator that somebody wrote may change it.
    pub(super) fn not_read(&self, value: Expr) -> Expr {
        let is_made = |place: &Expr| match place.kind {
            ExprKind::Var(id) => self.is_hidden_var(id),
            _ => false,
        };
        match value.kind {
            ExprKind::Load(place) if !matches!(place.ty.value(), Type::Array(..)) && !is_made(&place) => *place,
            kind => Expr { kind, ..value },
        }
    }

    /// An operator of a class, as a member or as a function; the object may be a place. `None`: there is none.
    pub(super) fn operator_call(&mut self, name: &str, object: &Expr, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let object = &self.not_read(object.clone());
        let args: Vec<Expr> = args.into_iter().map(|arg| self.not_read(arg)).collect();
        let class = object.ty.value().clone();
        let list = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let list: Vec<_> = list.into_iter().filter(|d| d.class.is_none()).map(|d| (d, Bindings::default())).collect();
        let mut all = vec![object.clone()];
        all.extend(args.iter().cloned());
        let free = match list.is_empty() {
            true => Found::None,
            false => self.resolve(&list, &Qualifier::default(), None, &all, false),
        };
        let unclear =
            |body: &Self, all| Some(body.unclear(format!("which `{name}` is called is not known"), all, span));
        let member = self.method(&class, name, None, &args);
        let of_member = matches!(&member, Method::One(member) if member.constrained);
        let of_free = matches!(&free, Found::One(chosen) if chosen.constrained);
        let both = !matches!((&member, &free), (Method::None, _) | (_, Found::None));
        if of_member && list.iter().any(|(d, _)| Self::takes(d, all.len()))
            || (of_member || of_free) && (both || self.may_be_other_operator(name, &all))
        {
            return unclear(self, all);
        }
        match (member, free) {
            (Method::One(member), Found::None) if member.cost < FAR => {
                Some(self.call_member(member, &class, Some(object.clone()), args, span))
            }
            (Method::One(member), Found::One(chosen)) if member.doubtful || chosen.doubtful => unclear(self, all),
            (Method::One(member), Found::One(chosen)) if member.cost < chosen.cost => {
                Some(self.call_member(member, &class, Some(object.clone()), args, span))
            }
            (Method::One(member), Found::One(chosen)) if member.cost > chosen.cost => {
                Some(self.call_decl(chosen.decl, chosen.bindings, None, all, span))
            }
            (Method::Unclear, Found::None) => {
                let call = self.one_of_members(&class, name, None, (object, &args), span);
                call.or_else(|| unclear(self, all))
            }
            (Method::One(_) | Method::Unclear, _) | (_, Found::Ambiguous) => unclear(self, all),
            (Method::None, Found::One(chosen)) if chosen.cost < FAR => {
                Some(self.call_decl(chosen.decl, chosen.bindings, None, all, span))
            }
            (Method::None, Found::One(_)) => unclear(self, all),
            // One that is there and is not understood; or an operator of the language, after a conversion.
            (Method::None, Found::None) => {
                let arity = |d: &FunDecl<'t>| Self::takes(d, all.len());
                let generic = list.iter().any(|(d, _)| d.template.is_some() && arity(d));
                let converts = |body: &mut Self, ty: &Type| {
                    matches!(ty, Type::Struct(_)) && !body.own_methods(ty, "operator cast").is_empty()
                };
                let types: Vec<Type> = all.iter().map(|e| e.ty.value().clone()).collect();
                if generic && !types.iter().any(|ty| converts(self, ty)) { unclear(self, all) } else { None }
            }
        }
    }

    /// May an operator that a condition takes away leave what it does to another one: of the language, which every class has or
    /// which takes what an operand converts to, or to one that is written as the other? [INF-CONSTRAINT]
    pub(super) fn may_be_other_operator(&mut self, name: &str, operands: &[Expr]) -> bool {
        let of_language = match name.trim_start_matches("operator") {
            "=" | "," | "==" | "!=" | "<" | ">" | "<=" | ">=" => true,
            "&" => operands.len() == 1,
            _ => false,
        };
        of_language
            || operands.iter().any(|operand| match operand.ty.value() {
                Type::Unknown(_) => true,
                ty @ Type::Struct(_) => self.has_conversion(ty) || self.has_unknown_base(ty),
                _ => false,
            })
    }

    /// What an operator means that somebody wrote: for classes, and for enumerations, which are not told apart from
    /// numbers here.
    pub(super) fn own_operator(&mut self, op: &str, operands: &[Expr], span: Span) -> Option<Expr> {
        let name = format!("operator{op}");
        if operands.iter().any(|e| matches!(e.ty.value(), Type::Struct(_))) {
            return self.operator_call(&name, &operands[0].clone(), operands[1..].to_vec(), span);
        }
        let list = self.lower.names.functions.get(&name)?.clone();
        let plain = operands.iter().any(|e| matches!(e.kind, ExprKind::Builtin(_)));
        let numbers = operands.iter().all(|e| matches!(e.ty.value(), Type::Int(_)));
        let of_enum = numbers && !plain && list.iter().any(|d| self.is_for_enums(d, operands.len()));
        of_enum.then(|| {
            let text = format!("which `{name}` is called is not known: there is one for an enumeration");
            self.unclear(text, operands.to_vec(), span)
        })
    }

    /// An operator of no class, in code for the device: an operand has to be an enumeration then.
    fn is_for_enums(&mut self, decl: &FunDecl<'t>, count: usize) -> bool {
        let head = &self.lower.unit.text[decl.node.start_byte()..decl.declarator.end_byte()];
        if decl.class.is_some() || !(head.contains("__device__") || head.contains("constexpr")) {
            return false;
        }
        let own = decl.template.map(|t| self.template_parameters(t)).unwrap_or_default();
        let types = self.inside(decl, &Bindings::default(), |body| body.parameters(decl));
        types.len() == count
            && types.iter().all(|(_, ty, _)| match ty.value() {
                Type::Int(_) => true,
                Type::Unknown(name) => own.iter().any(|p| **p == **name),
                _ => false,
            })
    }
}

/// An explicit specialisation.
fn is_special(decl: &FunDecl) -> bool {
    decl.template.is_some_and(|t| t.named_child_count() == 0)
}

/// Has evaluating this no effect, and touches no memory?
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Builtin(_) | ExprKind::Constant(_) => true,
        ExprKind::Convert(inner) => is_plain(inner),
        _ => false,
    }
}
