//! Statements and declarations.

use super::library::elements;
use super::*;

/// Objects of an array that are made one by one.
pub(super) const MOST_OBJECTS: u64 = 16;

impl<'l, 't> Body<'l, 't> {
    pub(super) fn block(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        self.scopes.push(FxHashMap::default());
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        for child in children {
            self.stmt(child, out);
        }
        self.scopes.pop();
    }

    pub(super) fn sub_block(&mut self, node: Option<Node<'t>>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(node) = node {
            self.scopes.push(FxHashMap::default());
            self.stmt(node, &mut out);
            self.scopes.pop();
        }
        out
    }

    pub(super) fn stmt(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let span = self.span(node);
        if self.depth > MAX_DEPTH {
            let unknown = Unknown { code: "too-deep", text: "nesting is too deep".into() };
            out.push(Stmt { kind: StmtKind::Unknown(unknown), span });
            return;
        }
        self.depth += 1;
        self.stmt_inner(node, span, out);
        self.depth -= 1;
    }

    pub(super) fn unknown_stmt(&self, what: &str, span: Span, out: &mut Vec<Stmt>) {
        let text = format!("{} is not supported", what.replace('_', " "));
        out.push(Stmt { kind: StmtKind::Unknown(Unknown { code: "unknown-construct", text }), span });
    }

    fn destructor(&self, span: Span, out: &mut Vec<Stmt>) {
        let unknown = Unknown { code: "unknown-order", text: DESTRUCTOR.to_owned() };
        out.push(Stmt { kind: StmtKind::Unknown(unknown), span });
    }

    /// An object with a destructor that does something, which may be to wait for others.
    fn unknown_end(&mut self, span: Span, out: &mut Vec<Stmt>) {
        self.destructor(span, out);
        let nothing = Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        let waits = self.may_not_pass(nothing, span);
        out.push(Stmt { kind: StmtKind::Expr(waits), span });
    }

    pub(super) fn stmt_inner(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "comment"
            | "using_declaration"
            | "namespace_alias_definition"
            | "empty_statement"
            | ";"
            | "attribute_declaration"
            | "preproc_call" => {}
            "compound_statement" => {
                let mut inner = Vec::new();
                self.block(node, &mut inner);
                out.push(Stmt { kind: StmtKind::Block(inner), span });
            }
            "expression_statement" => {
                if let Some(inner) = node.named_child(0) {
                    let mut expr = self.expr(inner);
                    // A name alone that nothing declares is a macro that is not there: it may do anything.
                    if let ExprKind::Unknown(Unknown { code, .. }) = &mut expr.kind
                        && inner.kind() == "identifier"
                    {
                        *code = "unknown-order";
                    }
                    out.push(Stmt { kind: StmtKind::Expr(expr), span });
                }
            }
            "declaration" => self.declaration(node, out),
            // Of `if (int i = 0; c)`: what it declares is seen in the statement, whose scope is open.
            "init_statement" => {
                if let Some(inner) = node.named_child(0) {
                    self.stmt(inner, out);
                }
            }
            "if_statement" => {
                self.scopes.push(FxHashMap::default());
                let cond = self.condition(field("condition"), out);
                let alternative =
                    field("alternative").and_then(|a| if a.kind() == "else_clause" { last_named(a) } else { Some(a) });
                // What is never run asks for no instances of templates: those of `if constexpr` may go on for ever.
                // (But one may get into it by a label.)
                let labelled = [field("consequence"), alternative].into_iter().flatten().any(has_label);
                if let Some(value) = cond.as_ref().and_then(fold).filter(|_| !labelled) {
                    let taken = if value != 0 { field("consequence") } else { alternative };
                    let taken = self.sub_block(taken);
                    self.scopes.pop();
                    out.push(Stmt { kind: StmtKind::Block(taken), span });
                    return;
                }
                let then = self.sub_block(field("consequence"));
                let els = self.sub_block(alternative);
                self.scopes.pop();
                match cond {
                    Some(cond) => out.push(Stmt { kind: StmtKind::If(cond, then, els), span }),
                    None => {
                        self.unknown_stmt("this condition", span, out);
                        let cond = Expr::unknown("unknown-value", "this condition is not known", Type::BOOL, span);
                        out.push(Stmt { kind: StmtKind::If(cond, then, els), span });
                    }
                }
            }
            "while_statement" => {
                self.scopes.push(FxHashMap::default());
                let mut before = Vec::new();
                let mut cond = self.condition(field("condition"), &mut before);
                if cond.is_none() {
                    self.unknown_stmt("a declaration in a loop condition", span, out);
                }
                let mut body = self.sub_block(field("body"));
                self.scopes.pop();
                // `while (int i = e)` declares it in each round. [INF-CONDITION]
                if let Some(cond) = cond.take_if(|_| !before.is_empty()) {
                    let leave = Stmt { kind: StmtKind::Break, span };
                    before.push(Stmt { kind: StmtKind::If(cond, Vec::new(), vec![leave]), span });
                    before.push(Stmt { kind: StmtKind::Block(body), span });
                    body = before;
                }
                out.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step: None, post_test: false }), span });
            }
            "do_statement" => {
                let body = self.sub_block(field("body"));
                let mut before = Vec::new();
                let cond = self.condition(field("condition"), &mut before);
                if !before.is_empty() || cond.is_none() {
                    self.unknown_stmt("this loop condition", span, out);
                }
                out.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step: None, post_test: true }), span });
            }
            "for_statement" => {
                self.scopes.push(FxHashMap::default());
                let mut outer = Vec::new();
                if let Some(init) = field("initializer") {
                    if init.kind() == "declaration" {
                        self.declaration(init, &mut outer);
                    } else {
                        let expr = self.expr(init);
                        outer.push(Stmt { span: expr.span, kind: StmtKind::Expr(expr) });
                    }
                }
                let cond = match field("condition") {
                    Some(cond) => {
                        let cond = self.rvalue(cond);
                        Some(self.truth(cond))
                    }
                    None => None,
                };
                let step = field("update").map(|u| self.expr(u));
                let body = self.sub_block(field("body"));
                self.scopes.pop();
                outer.push(Stmt { kind: StmtKind::Loop(Loop { cond, body, step, post_test: false }), span });
                out.push(Stmt { kind: StmtKind::Block(outer), span });
            }
            "for_range_loop" => self.range_loop(node, span, out),
            "switch_statement" => self.switch(node, span, out),
            "return_statement" => {
                let value = node.named_child(0).filter(|n| n.kind() != "comment").map(|value| {
                    let ty = self.returns.clone();
                    if matches!(&ty, Type::Unknown(t) if &**t == AUTO_REFERENCE) && self.stands_for_place(value) {
                        self.unknown_stmt("a result of `decltype(auto)`", span, out);
                    }
                    match &ty {
                        Type::Ref(inner) => {
                            let place = self.expr(value);
                            let place = if is_lvalue(&place) { self.as_part(place, inner) } else { place };
                            let span = place.span;
                            let pointer = self.address_of(place, span);
                            self.convert(pointer, &Type::Ptr(inner.clone()))
                        }
                        _ => {
                            let lost = self.may_be_moved(value);
                            let mut value = self.initial(value, &ty);
                            if lost {
                                let what = "whether this object is moved or copied is not known".to_owned();
                                value = Expr { ty: value.ty.clone(), ..self.unclear(what, vec![value], span) };
                            }
                            if is_auto(&ty) {
                                // `auto` in front of a function stands for a value, and of its first return.
                                self.returns = value.ty.clone();
                            }
                            self.ending(value)
                        }
                    }
                });
                out.push(Stmt { kind: StmtKind::Return(value), span });
            }
            "break_statement" => out.push(Stmt { kind: StmtKind::Break, span }),
            "continue_statement" => out.push(Stmt { kind: StmtKind::Continue, span }),
            "labeled_statement" => {
                if let Some(label) = node.child_by_field_name("label") {
                    let label = Name::new(self.text(label));
                    out.push(Stmt { kind: StmtKind::Label(label), span });
                }
                if let Some(inner) = last_named(node).filter(|n| n.kind() != "statement_identifier") {
                    self.stmt(inner, out);
                }
            }
            "else_clause" => {
                if let Some(inner) = last_named(node) {
                    self.stmt(inner, out);
                }
            }
            "type_definition" => {
                if let Some(ty) = field("type") {
                    let base = self.type_of(ty);
                    let base = self.of_vector(node, base);
                    let mut cursor = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
                        let (ty, name) = self.declare(base.clone(), &declarator);
                        if let Some(name) = name {
                            let name = self.text(name).to_owned();
                            self.bind(name, Local::Type(ty));
                        }
                    }
                }
            }
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (field("name"), field("type")) {
                    let ty = self.type_of(ty);
                    let ty = self.of_vector(node, ty);
                    let name = self.text(name).to_owned();
                    self.bind(name, Local::Type(ty));
                }
            }
            "static_assert_declaration" => {}
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                let ty = self.class(node, self.bindings.clone());
                if let Some(name) = field("name") {
                    let name = self.text(name).to_owned();
                    self.bind(name, Local::Type(ty));
                }
            }
            "enum_specifier" => {
                let Some(body) = field("body") else { return };
                let ty = self.type_of(node);
                let own = field("name").map(|name| self.text(name).to_owned());
                self.scopes.push(FxHashMap::default());
                let mut next = 0;
                let mut cursor = body.walk();
                for item in body.named_children(&mut cursor).filter(|c| c.kind() == "enumerator").collect::<Vec<_>>() {
                    if let Some(value) = item.child_by_field_name("value") {
                        match self.constant(value) {
                            Some(n) => next = n,
                            None => {
                                self.unknown_stmt("this enumeration", self.span(item), out);
                                continue;
                            }
                        }
                    }
                    if let Some(name) = item.child_by_field_name("name") {
                        let name = self.text(name).to_owned();
                        self.bind(name, Local::Value(next, ty.clone()));
                    }
                    next += 1;
                }
                let enumerators = self.scopes.pop().unwrap_or_default();
                let is_scoped = has_child(node, "class") || has_child(node, "struct");
                for (name, local) in enumerators {
                    if let Some(own) = &own {
                        self.bind(format!("{own}::{name}"), local.clone());
                    }
                    if !is_scoped {
                        self.bind(name, local);
                    }
                }
                own.into_iter().for_each(|name| self.bind(name, Local::Type(ty.clone())));
            }
            // Where it goes is seen when the whole body is there.
            "goto_statement" => match field("label") {
                Some(label) => out.push(Stmt { kind: StmtKind::Goto(Name::new(self.text(label))), span }),
                None => self.unknown_stmt("this goto", span, out),
            },
            other => self.unknown_stmt(other, span, out),
        }
    }

    /// Does this name stand for a value, and not for a type?
    pub(super) fn names_a_value(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Local::Var(_) | Local::Static(_) | Local::Value(..)) => true,
            Some(Local::Type(_)) => false,
            None => {
                let names = self.lower.names;
                let member = matches!(&self.class_type, Some(Type::Struct(class)) if class.field(name).is_some());
                !names.types.contains_key(name)
                    && (member || names.globals.contains_key(name) || names.enumerators.contains_key(name))
            }
        }
    }

    /// Does what stands for a type name something else? `ok && f(a);` and `n * f(a);` read like declarations of `f`.
    fn is_no_type(&self, ty: Node<'t>) -> bool {
        let (name, names) = (self.text(ty), self.lower.names);
        let function = self.lookup(name).is_none() && names.functions.contains_key(name);
        let function = function && !names.types.contains_key(name);
        ty.kind() == "type_identifier" && (self.names_a_value(name) || function)
    }

    /// Are these certainly the parameters of a function that is declared, and not the values of a variable?
    fn are_parameters(&self, list: Node) -> bool {
        // Those of a parameter that is a function, too: `unsigned(f(p))` is none where `p` is a value.
        let mut lists = vec![list];
        each_named(list, |node| lists.extend(Some(node).filter(|n| n.kind() == "parameter_list")));
        lists.into_iter().all(|list| {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).all(|parameter| match parameter.kind() {
                "comment" | "variadic_parameter" => true,
                "parameter_declaration" => parameter.child_by_field_name("type").is_some_and(|ty| {
                    matches!(ty.kind(), "primitive_type" | "sized_type_specifier" | "struct_specifier")
                }),
                _ => false,
            })
        })
    }

    pub(super) fn bind(&mut self, name: String, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, local);
        }
    }

    pub(super) fn condition(&mut self, node: Option<Node<'t>>, out: &mut Vec<Stmt>) -> Option<Expr> {
        let node = node?;
        if let Some(init) = node.child_by_field_name("initializer") {
            self.stmt(init, out);
        }
        let value = node.child_by_field_name("value").unwrap_or(node);
        let expr = match value.kind() {
            "declaration" | "condition_declaration" => self.condition_variable(value, out)?,
            _ => self.rvalue(value),
        };
        Some(self.truth(expr))
    }

    /// `if (int i = e)`: a number or pointer that is declared, and what the condition asks. [INF-CONDITION]
    fn condition_variable(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) -> Option<Expr> {
        let field = |name: &str| node.child_by_field_name(name);
        let (ty, declarator, value) = (field("type")?, field("declarator")?, field("value")?);
        let words = self.specifiers(node, declarator);
        if ["static", "extern", "__shared__", "__local"].iter().any(|word| words.contains(word)) {
            return None;
        }
        let base = self.type_of(ty);
        let (mut ty, name) = self.declare(base, &declarator);
        let init = self.initial(value, &ty);
        if is_auto(&ty) {
            ty = init.ty.clone();
        }
        if !matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_)) {
            return None;
        }
        let span = self.span(node);
        let id = self.declare_var(self.text(name?), ty, Storage::Private, span);
        out.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
        let place = self.var(id, span);
        Some(self.value(place))
    }

    /// `auto [x, y] = e;`: an object that has no name, and names for its members, or for its elements. False where that
    /// is not understood.
    fn structured_binding(
        &mut self,
        base: &Type,
        names: &[Node<'t>],
        by_reference: bool,
        value: Node<'t>,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let span = self.span(value);
        let place = self.expr(value);
        let ty = place.ty.value().clone();
        let members: Vec<(Arc<str>, Type)> = match &ty {
            Type::Struct(class) if class.complete && class.fields.iter().all(|f| f.bits.is_empty()) => {
                class.fields.iter().map(|f| (f.name.clone(), f.ty.clone())).collect()
            }
            _ => return false,
        };
        // What has a base class, or is taken apart by `get`, is not looked into.
        let simple = match self.class_node(&ty) {
            Some((node, _)) => child_of_kind(node, "base_class_clause").is_none(),
            None => self.lanes(&ty).is_some() || self.parts_of_tuple(&ty).is_some(),
        };
        let by_get = self.lower.names.special_classes.contains_key("tuple_size");
        if !is_auto(base)
            || !simple
            || by_get
            || members.len() != names.len()
            || members.iter().any(|(_, t)| matches!(t, Type::Ref(_)))
            || (by_reference && !is_place(&place))
            || self.special_end(&ty, 0) != Special::No
        {
            return false;
        }
        let of = if by_reference { Type::Ref(Arc::new(ty.clone())) } else { ty.clone() };
        let id = self.declare_var("[..]", of, Storage::Private, span);
        let init = if by_reference {
            self.address_of(place, span)
        } else {
            let value = self.value(place);
            self.copied(value)
        };
        out.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
        for (name, (field, ty)) in names.iter().zip(members) {
            let object = self.var(id, span);
            let member = self.member(object, &field, span);
            let pointer = self.address_of(member, span);
            let reference = self.declare_var(self.text(*name), Type::Ref(Arc::new(ty)), Storage::Private, span);
            out.push(Stmt { kind: StmtKind::Declare(reference, Some(pointer)), span });
        }
        true
    }

    pub(super) fn declaration(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let Some(ty) = node.child_by_field_name("type") else {
            return self.unknown_stmt("this declaration", self.span(node), out);
        };
        if self.lower.unit.is_vector(node.byte_range()) {
            return self.unknown_stmt("an attribute that makes a vector", self.span(node), out);
        }
        let words = self.specifiers(node, node.child_by_field_name("declarator").unwrap_or(ty));
        let has = |word: &str| words.contains(&word);
        let shared = has("__shared__") || has("__local");
        let constexpr = has("constexpr");
        let fixed = has("const") || constexpr;
        let is_static = has("static") && !shared;
        if has("extern") && !shared {
            let span = self.span(node);
            self.unknown_stmt("a variable of another place", span, out);
        }
        if ty.child_by_field_name("body").is_some() {
            // `struct S {..} s;`
            self.stmt(ty, out);
        }
        if self.is_no_type(ty) {
            self.unknown_stmt("this expression, which reads like a declaration,", self.span(node), out);
        }
        let base = self.type_of(ty);
        let written = ty;
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
            let span = self.span(declarator);
            let (inner, mut value) = split_init(declarator);
            // `unsigned(f(p));`
            let mut called = inner;
            while let Some(next) = last_named(called).filter(|_| called.kind().ends_with("_declarator")) {
                match called.kind() {
                    "function_declarator" => break,
                    _ => called = called.child_by_field_name("declarator").unwrap_or(next),
                }
            }
            if inner.kind() == "parenthesized_declarator"
                && let Some(list) = called.child_by_field_name("parameters")
            {
                if !self.are_parameters(list) {
                    self.unknown_stmt("this declaration", span, out);
                }
                continue;
            }
            // `T (*f)(U)(e);`
            let twice = inner.child_by_field_name("declarator").filter(|_| inner.kind() == "function_declarator");
            if twice.is_some_and(|d| d.kind() == "function_declarator") {
                self.unknown_stmt("this declaration", span, out);
                continue;
            }
            // `T x(a, b);` may read as the declaration of a function.
            if is_prototype(inner) && inner.kind() == "function_declarator" && !matches!(base, Type::Void) {
                let parameters = inner.child_by_field_name("parameters");
                let Some(name) = declared_name(inner) else {
                    self.unknown_stmt("this declaration", span, out);
                    continue;
                };
                let looks_like_call = parameters.is_some_and(|p| {
                    let mut c = p.walk();
                    let all: Vec<_> = p.named_children(&mut c).collect();
                    !all.is_empty()
                        && all.iter().all(|q| {
                            q.child_by_field_name("type").is_some_and(|t| {
                                t.kind() == "type_identifier"
                                    && t.byte_range() == q.byte_range()
                                    && self.names_a_value(self.text(t))
                            })
                        })
                });
                if looks_like_call {
                    let args: Vec<Expr> = parameters
                        .map(|p| {
                            let mut c = p.walk();
                            p.named_children(&mut c).collect::<Vec<_>>()
                        })
                        .unwrap_or_default()
                        .into_iter()
                        .map(|q| {
                            let span = self.span(q);
                            self.name(self.text(q), span)
                        })
                        .collect();
                    // A constructor may keep a reference to a place.
                    let made = match &base {
                        Type::Struct(class) if &*class.name != "dim3" => Some(
                            self.atomic_reference(&base, &args, span)
                                .or_else(|| self.construct(&base, args.clone(), span)),
                        ),
                        _ => None,
                    };
                    let places = args;
                    let args: Vec<Expr> = places.iter().map(|place| self.value(place.clone())).collect();
                    let init = match (&base, args.as_slice()) {
                        (Type::Struct(class), _) if &*class.name == "dim3" => {
                            self.launch_vector(&class.clone(), args, span)
                        }
                        (Type::Struct(_), _) => match made.flatten() {
                            Some(made) => made,
                            None if args.len() == 1 && args[0].ty == base => self.copied(args[0].clone()),
                            None => self.unclear("this construction is not supported".to_owned(), places, span),
                        },
                        (Type::Unknown(name), _) if !self.is_parameter(name) => {
                            Expr::new(ExprKind::CallUnknown(Name::new(&**name), args), base.clone(), span)
                        }
                        (_, [only]) => self.convert(only.clone(), &base),
                        _ => self.made_of_numbers("construct", args, &base, span),
                    };
                    self.declare_made((self.text(name), span), base.clone(), Some(init), span, out);
                    if self.special_end(&base, 0) != Special::No {
                        self.unknown_end(span, out);
                    }
                } else if !parameters.is_some_and(|p| self.are_parameters(p)) {
                    self.unknown_stmt("this declaration", span, out);
                }
                continue;
            }
            // `T &x(a);` does, too.
            let hidden = matches!(inner.kind(), "reference_declarator" | "pointer_declarator")
                .then(|| child_of_kind(inner, "function_declarator"))
                .flatten()
                .and_then(|function| function.child_by_field_name("parameters"));
            if hidden.is_some_and(|parameters| !self.are_parameters(parameters)) {
                self.unknown_stmt("this declaration", span, out);
                continue;
            }
            if let Some(names) = binding_names(inner) {
                let by_reference = inner.kind() == "reference_declarator";
                if !value.is_some_and(|v| self.structured_binding(&base, &names, by_reference, v, out)) {
                    self.unknown_stmt("this declaration", span, out);
                }
                continue;
            }
            let (mut ty, name) = self.declare(base.clone(), &inner);
            let Some(name) = name else {
                self.unknown_stmt("this declaration", span, out);
                continue;
            };
            let open = self.has_unknown_length(inner);
            let mut unknown = None;
            if let Some(list) = value.filter(|_| open) {
                // What each element has is not known.
                let plain = match innermost(&ty) {
                    Type::Int(_) | Type::Float(_) => true,
                    Type::Unknown(name) => self.is_parameter(name),
                    _ => false,
                };
                match listed(list).filter(|_| plain) {
                    Some(values) => {
                        let values = values.into_iter().map(|v| self.rvalue(v)).collect();
                        unknown = Some(self.havoc("initialiser", ty.clone(), values, span));
                        value = None;
                    }
                    None => self.unknown_stmt("the initialiser of an array whose length is not known", span, out),
                }
            }
            if declarator.kind() != "init_declarator" && value.is_none() {
                value = child_of_kind(declarator, "argument_list");
            }
            let name_text = self.text(name);
            let (_, marks) = self.lower.unit.qualifiers(node, Some(inner));
            let shared = shared || storage_of(&marks) == Some(Storage::Shared);
            let is_static = is_static && !shared;
            let storage = if shared { Storage::Shared } else { Storage::Private };
            if let (Type::Unknown(auto), Some(value)) = (&ty, value)
                && &**auto == AUTO_REFERENCE
                && self.stands_for_place(value)
            {
                ty = Type::Ref(Arc::new(ty));
            }
            // `T (*p)[4] = reinterpret_cast<decltype(p)>(q);`: the initialiser sees what is declared.
            let sees_itself = value.is_some_and(|v| self.text(v).contains(&format!("decltype({name_text})")));
            self.scopes.push(FxHashMap::default());
            if sees_itself && !is_auto(&ty) {
                self.declare_var(name_text, ty.clone(), Storage::Private, span);
            }
            let init = value.map(|value| match &ty {
                Type::Ref(inner) => {
                    let inner = (**inner).clone();
                    let place = self.expr(value);
                    if is_auto(&inner) {
                        ty = Type::Ref(Arc::new(place.ty.value().clone()));
                    }
                    let span = place.span;
                    let place = if is_auto(&inner) { place } else { self.referred(place, &inner) };
                    self.address_of(place, span)
                }
                _ => self.initial(value, &ty),
            });
            self.scopes.pop();
            let init = init.or(unknown);
            if let Some(init) = &init {
                // The type of a tile does not say of what it is one.
                let a_tile = matches!((&ty, &init.ty), (Type::Unknown(a), Type::Unknown(b)) if is_tile(a, b));
                let a_group =
                    !matches!(ty, Type::Ref(_) | Type::Ptr(_)) && is_any_group(&ty) && is_some_group(&init.ty);
                if is_auto(&ty) || a_tile || a_group {
                    ty = init.ty.clone();
                }
                if let (Type::Array(_, None), Type::Array(..)) = (&ty, &init.ty) {
                    ty = init.ty.clone();
                }
                // A constant is its value, so that it can be an array length or a template argument.
                if let (true, Some(n), Type::Int(_), Storage::Private) = (fixed, fold(init), &ty, storage) {
                    let n = match &ty {
                        Type::Int(int) => int.wrap(n),
                        _ => n,
                    };
                    self.bind(name_text.to_owned(), Local::Value(n, ty));
                    continue;
                }
            }
            let each = match &ty {
                Type::Array(elem, Some(length)) if matches!(**elem, Type::Struct(_)) => {
                    Some((elem.clone(), *length)).filter(|_| storage == Storage::Private && init.is_none())
                }
                _ => None,
            };
            // One for all threads, and it keeps its value.
            if is_static && (!fixed || (matches!(ty, Type::Ptr(_)) && !constexpr)) {
                let id = self.declare_global(name_text, ty, Storage::Global, None, self.span(name));
                self.bind(name_text.to_owned(), Local::Static(id));
                if init.is_some_and(|init| fold(&init).is_none()) {
                    self.unknown_stmt("the initialiser of this static variable", span, out);
                }
                continue;
            }
            if storage == Storage::Private
                && (matches!(ty, Type::Array(..)) || elements(&ty).is_some())
                && init.is_none()
                && self.needs_construction(&ty, 0)
                && each.is_none()
            {
                self.unknown_stmt("an array of objects with constructors", span, out);
            }
            if self.special_end(&ty, 0) != Special::No {
                self.destructor(span, out);
            }
            let lengths = match open && storage == Storage::Shared {
                true => self.lengths(inner),
                false => Vec::new(),
            };
            if !lengths.is_empty() {
                ty = with_open_rows(&ty);
            }
            let default = match (&init, &ty) {
                (None, class @ Type::Struct(_)) if storage == Storage::Private => self.construct(class, vec![], span),
                _ => None,
            };
            let init = init.or(default);
            let id = match storage {
                Storage::Private => self.declare_made((name_text, self.span(name)), ty, init, span, out),
                _ => {
                    let id = self.declare_var(name_text, ty, storage, self.span(name));
                    out.push(Stmt { kind: StmtKind::Declare(id, init), span });
                    id
                }
            };
            self.vars[id.0 as usize].of_launch &= !open;
            self.vars[id.0 as usize].lengths = lengths;
            self.written_types.insert(id, self.text(written).to_owned());
            if let Some((elem, length)) = each.filter(|(elem, _)| self.needs_construction(elem, 0)) {
                self.construct_all(id, &elem, length, span, out);
            }
        }
    }

    /// Declares a variable of the thread. An object that is made for it is made in it. [INF-ELISION]
    fn declare_made(
        &mut self,
        (name, at): (&str, Span),
        ty: Type,
        init: Option<Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> VarId {
        let Some(id) = init.as_ref().and_then(|made| self.made_in(made, &ty)) else {
            let id = self.declare_var(name, ty, Storage::Private, at);
            out.push(Stmt { kind: StmtKind::Declare(id, init), span });
            return id;
        };
        self.vars[id.0 as usize].name = Name::new(name);
        self.vars[id.0 as usize].span = at;
        self.bind(name.to_owned(), Local::Var(id));
        out.push(Stmt { kind: StmtKind::Declare(id, None), span });
        let mut rest = init;
        while let Some(Expr { kind: ExprKind::Comma(effect, last), .. }) = rest {
            out.push(Stmt { kind: StmtKind::Expr(*effect), span });
            rest = Some(*last);
        }
        id
    }

    /// The hidden variable that an object is made in, by effects before it is read.
    fn made_in(&self, made: &Expr, ty: &Type) -> Option<VarId> {
        let mut last = made;
        while let ExprKind::Comma(_, next) = &last.kind {
            last = next;
        }
        let ExprKind::Load(place) = &last.kind else { return None };
        let ExprKind::Var(id) = place.kind else { return None };
        (self.is_fresh(made) && place.ty == *ty && matches!(ty, Type::Struct(_))).then_some(id)
    }

    /// Makes the elements of an array, one after the other; many of them in a loop.
    fn construct_all(&mut self, array: VarId, elem: &Type, length: u64, span: Span, out: &mut Vec<Stmt>) {
        let made = |body: &mut Self, index: Expr| {
            let value = body.construct(elem, vec![], span)?;
            let place = body.var(array, span);
            let place = body.subscript(place, index, span);
            let store = ExprKind::Assign(Box::new(place), Box::new(value));
            Some(Stmt { kind: StmtKind::Expr(Expr::new(store, elem.clone(), span)), span })
        };
        if length > MOST_OBJECTS {
            let (current, cond, step) = self.counted(length, span, out);
            let Some(store) = made(self, current) else {
                return self.unknown_stmt("an array of objects with constructors", span, out);
            };
            let the_loop = Loop { cond: Some(cond), body: vec![store], step: Some(step), post_test: false };
            return out.push(Stmt { kind: StmtKind::Loop(the_loop), span });
        }
        for i in 0..length {
            let index = Expr::new(ExprKind::Int(i128::from(i)), Type::INT, span);
            let Some(store) = made(self, index) else {
                return self.unknown_stmt("an array of objects with constructors", span, out);
            };
            out.push(store);
        }
    }

    /// A counter of so many rounds: its value, whether there is another round, and the step to it.
    fn counted(&mut self, length: u64, span: Span, out: &mut Vec<Stmt>) -> (Expr, Expr, Expr) {
        let number = |n: u64| Expr::new(ExprKind::Int(i128::from(n)), Type::INT, span);
        let counter = self.declare_hidden(Type::INT, span);
        out.push(Stmt { kind: StmtKind::Declare(counter, Some(number(0))), span });
        let place = Expr::new(ExprKind::Var(counter), Type::INT, span);
        let current = self.value(place.clone());
        let cond = self.binary("<", current.clone(), number(length), span);
        let step = self.update(place, "+", number(1), false, span);
        (current, cond, step)
    }

    /// `({ int x = a; x + 1; })`: the value of its last statement, after what the others do. [INF-STATEMENTS]
    pub(super) fn statement_expression(&mut self, node: Node<'t>, span: Span) -> Expr {
        self.scopes.push(FxHashMap::default());
        let mut cursor = node.walk();
        let mut statements: Vec<Node<'t>> =
            node.named_children(&mut cursor).filter(|n| !matches!(n.kind(), "comment" | "empty_statement")).collect();
        let last = statements.pop_if(|n| n.kind() == "expression_statement").and_then(|n| n.named_child(0));
        let mut lowered = Vec::new();
        for statement in statements {
            self.stmt(statement, &mut lowered);
        }
        let value = last.map(|value| self.rvalue(value));
        self.scopes.pop();
        let mut effects = Vec::new();
        for stmt in lowered {
            match stmt.kind {
                StmtKind::Expr(effect) => effects.push(effect),
                StmtKind::Declare(id, init) if self.is_plain_variable(id) => {
                    let (place, ty) = (self.var(id, stmt.span), self.vars[id.0 as usize].ty.clone());
                    let store = |init| Expr::new(ExprKind::Assign(Box::new(place), Box::new(init)), ty, stmt.span);
                    effects.extend(init.map(store));
                }
                StmtKind::Unknown(Unknown { code, text }) => {
                    effects.push(Expr::unknown(code, text, Type::Void, stmt.span));
                }
                _ => {
                    let text = "this statement within an expression is not supported";
                    effects.push(Expr::unknown("unknown-construct", text, Type::Void, stmt.span));
                }
            }
        }
        let nothing = || Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        self.after(effects, value.unwrap_or_else(nothing), span)
    }

    /// Is this a variable of each thread that starts its life by an assignment?
    fn is_plain_variable(&self, id: VarId) -> bool {
        let variable = &self.vars[id.0 as usize];
        let plain = matches!(variable.ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_));
        plain && variable.storage == Storage::Private
    }

    pub(super) fn range_loop(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(ty), Some(declarator), Some(right), Some(body)) =
            (field("type"), field("declarator"), field("right"), field("body"))
        else {
            return self.unknown_stmt("this loop", span, out);
        };
        self.scopes.push(FxHashMap::default());
        if let Some(init) = field("initializer") {
            self.stmt(init, out);
        }
        let range = self.expr(right);
        let range = self.as_array(range, span);
        let rounds = match range.ty.value().clone() {
            Type::Array(elem, Some(length)) if is_place(&range) => {
                // Which place it is, is asked once.
                let range = match &range.kind {
                    ExprKind::Var(_) | ExprKind::Global(_) => range,
                    _ => {
                        let ty = Type::Ref(Arc::new(range.ty.value().clone()));
                        let place = self.address_of(range, span);
                        let id = self.declare_hidden(ty, span);
                        out.push(Stmt { kind: StmtKind::Declare(id, Some(place)), span });
                        self.var(id, span)
                    }
                };
                let (current, cond, step) = self.counted(length, span, out);
                let element = ExprKind::Element(Box::new(range), Box::new(current));
                Some((Expr::new(element, (*elem).clone(), span), cond, step))
            }
            class @ Type::Struct(_) => self.iterated(range, &class, span, out),
            _ => None,
        };
        let Some((element, cond, step)) = rounds else {
            self.scopes.pop();
            return self.unknown_stmt("a range-based loop over something that is not an array", span, out);
        };
        let elem = Arc::new(element.ty.value().clone());
        let mut inner = Vec::new();
        let base = self.type_of(ty);
        let base = match &base {
            // The elements of an array are places.
            Type::Unknown(auto) if &**auto == AUTO_REFERENCE => Type::Ref(elem.clone()),
            auto if is_auto(auto) => (*elem).clone(),
            _ => base,
        };
        let (ty, name) = self.declare(base, &declarator);
        let name = name.map_or("_", |n| self.text(n));
        let init = match &ty {
            Type::Ref(inner) => {
                let place = self.referred(element, inner);
                self.address_of(place, span)
            }
            _ => {
                let value = self.value(element);
                let value = self.copied(value);
                self.convert(value, &ty)
            }
        };
        let id = self.declare_var(name, ty, Storage::Private, span);
        inner.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
        self.stmt(body, &mut inner);
        self.scopes.pop();
        let the_loop = Loop { cond: Some(cond), body: inner, step: Some(step), post_test: false };
        out.push(Stmt { kind: StmtKind::Loop(the_loop), span });
    }

    /// What an object that has `begin` and `end` gives in each round, whether there is another round, and the step to it.
    /// [INF-ITERATED]
    fn iterated(&mut self, range: Expr, class: &Type, span: Span, out: &mut Vec<Stmt>) -> Option<(Expr, Expr, Expr)> {
        let mut hidden = |body: &mut Self, init: Expr, ty: Type| {
            if body.special_end(&ty, 0) != Special::No {
                body.destructor(span, out);
            }
            let id = body.declare_hidden(ty, span);
            out.push(Stmt { kind: StmtKind::Declare(id, Some(init)), span });
            body.var(id, span)
        };
        let range = if is_place(&range) {
            let place = self.address_of(range, span);
            hidden(self, place, Type::Ref(Arc::new(class.clone())))
        } else {
            hidden(self, range, class.clone())
        };
        let mut limit = |body: &mut Self, name: &str| {
            let Method::One(member) = body.method(class, name, None, &[]) else { return None };
            let value = body.call_member(member, class, Some(range.clone()), vec![], span);
            let value = body.value(value);
            let value = body.copied(value);
            let ty = value.ty.value().clone();
            matches!(ty, Type::Struct(_) | Type::Ptr(_)).then(|| hidden(body, value, ty))
        };
        let current = limit(self, "begin")?;
        let end = limit(self, "end")?;
        let (l, r) = (self.value(current.clone()), self.value(end));
        let cond = self.binary("!=", l, r, span);
        let (step, element) = match current.ty.value() {
            Type::Struct(_) => {
                let step = self.operator_call("operator++", &current, vec![], span)?;
                (step, self.operator_call("operator*", &current, vec![], span)?)
            }
            _ => {
                let one = Expr::new(ExprKind::Int(1), Type::INT, span);
                let pointer = self.value(current.clone());
                (self.update(current, "+", one, false, span), self.deref(pointer, span))
            }
        };
        Some((element, cond, step))
    }

    pub(super) fn switch(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        self.scopes.push(FxHashMap::default());
        self.switch_in_scope(node, span, out);
        self.scopes.pop();
    }

    fn switch_in_scope(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Stmt>) {
        let condition = node.child_by_field_name("condition");
        if let Some(init) = condition.and_then(|c| c.child_by_field_name("initializer")) {
            self.stmt(init, out);
        }
        let Some(value) = self.condition_value(condition, out) else {
            return self.unknown_stmt("this switch", span, out);
        };
        let value = self.converted(value);
        let value = self.value(value);
        // Labels are converted to the promoted type of the value.
        let value = match value.ty {
            Type::Int(int) => self.convert(value, &Type::Int(promote(int))),
            _ => value,
        };
        let Some(body) = node.child_by_field_name("body") else {
            return self.unknown_stmt("this switch", span, out);
        };
        let mut cases: Vec<Case> = Vec::new();
        self.scopes.push(FxHashMap::default());
        let mut cursor = body.walk();
        for item in body.named_children(&mut cursor).collect::<Vec<_>>() {
            if item.kind() == "comment" {
                continue;
            }
            if item.kind() != "case_statement" {
                self.unknown_stmt("a statement before the first case", self.span(item), out);
                continue;
            }
            let label_node = item.child_by_field_name("value");
            let label = label_node.map(|v| {
                let label = self.rvalue(v);
                self.convert(label, &value.ty)
            });
            let mut stmts = Vec::new();
            let mut inner = item.walk();
            for child in item.named_children(&mut inner).collect::<Vec<_>>() {
                if Some(child) != label_node {
                    if has_case(child) {
                        // Said here, since what is around the label may never be run from its beginning.
                        self.unknown_stmt("a case inside of another statement", self.span(child), out);
                    }
                    self.stmt(child, &mut stmts);
                }
            }
            match cases.last_mut() {
                Some(last) if last.body.is_empty() => {
                    last.labels.push(label);
                    last.body = stmts;
                }
                _ => cases.push(Case { labels: vec![label], body: stmts }),
            }
        }
        self.scopes.pop();
        out.push(Stmt { kind: StmtKind::Switch(value, cases), span });
    }

    fn condition_value(&mut self, node: Option<Node<'t>>, out: &mut Vec<Stmt>) -> Option<Expr> {
        let node = node?;
        let value = node.child_by_field_name("value").unwrap_or(node);
        match value.kind() {
            "declaration" | "condition_declaration" => self.condition_variable(value, out),
            _ => Some(self.rvalue(value)),
        }
    }
}

/// The names of a structured binding.
fn binding_names(declarator: Node<'_>) -> Option<Vec<Node<'_>>> {
    let node = match declarator.kind() {
        "reference_declarator" => last_named(declarator)?,
        _ => declarator,
    };
    let mut cursor = node.walk();
    (node.kind() == "structured_binding_declarator").then(|| node.named_children(&mut cursor).collect())
}

/// Is there a case of the switch around in a statement?
fn has_case(node: Node) -> bool {
    node.kind() == "case_statement"
        || node.kind() != "switch_statement" && node.named_children(&mut node.walk()).any(has_case)
}

/// Is there a label in a statement, to which one may get from outside?
fn has_label(node: Node) -> bool {
    matches!(node.kind(), "case_statement" | "labeled_statement")
        || node.named_children(&mut node.walk()).any(has_label)
}

/// What an array, of arrays, has for elements.
fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => innermost(elem),
        other => other,
    }
}

/// The values in a list in braces, and in those within it.
fn listed(list: Node<'_>) -> Option<Vec<Node<'_>>> {
    let (mut found, mut stack) = (Vec::new(), vec![list]);
    while let Some(node) = stack.pop() {
        match node.kind() {
            "initializer_list" => {
                let mut cursor = node.walk();
                let inner: Vec<Node> = node.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
                stack.extend(inner.into_iter().rev());
            }
            "initializer_pair" | "parameter_pack_expansion" => return None,
            _ if node == list => return None,
            _ => found.push(node),
        }
    }
    Some(found)
}
