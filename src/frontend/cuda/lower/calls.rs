//! Calls: of functions by overload resolution, of built-in ones, of unknown ones.

use super::expr::changes;
use super::fit::Category;
use super::packs::element_name;
use super::templates::length_of_sequence;
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
        let (qualifier, base) = self.lower.unit.qualified(callee);
        let (name, template) = match base.kind() {
            "template_function" | "template_method" => match base.child_by_field_name("name") {
                Some(name) => (self.text(name), base.child_by_field_name("arguments")),
                None => (self.text(base), None),
            },
            _ => (self.text(base), None),
        };
        let operator = (base.kind() == "operator_name").then(|| self.lower.unit.function_key(base));
        let name = operator.as_deref().unwrap_or(name);
        let named = matches!(
            base.kind(),
            "identifier"
                | "template_function"
                | "primitive_type"
                | "type_identifier"
                | "field_identifier"
                | "sized_type_specifier"
                | "operator_name"
        );
        if !named {
            let target = if callee.kind() == "lambda_expression" { self.expr(callee) } else { self.rvalue(callee) };
            return self.call_value(target, &arguments, span);
        }
        // A parameter of a template that stands for a function.
        let bound = self.bindings.functions.get(name).cloned();
        if let (Some(function), true) = (bound, qualifier == Qualifier::default()) {
            let args = self.exprs(&arguments);
            let decls = self.lower.names.functions.get(&function.name).map_or(&[][..], Vec::as_slice);
            return match (function.instance, decls.iter().find(|d| d.has_body).copied()) {
                (Some(instance), Some(decl)) => self.call_decl(decl, instance, None, args, span),
                _ => self.call_named(&function.name, &Qualifier::default(), None, args, span),
            };
        }
        if name == "noexcept" {
            // What it is given is not evaluated. It has one answer in all threads.
            let name = Name::new(format!("noexcept{}at{}", span.file.0, span.start));
            return Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(name, None), vec![]), Type::BOOL, span);
        }
        if let ("static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast", Some(list)) = (name, template) {
            let types = self.template_arguments(list);
            return match (types.as_slice(), arguments.as_slice()) {
                ([ty], [value]) => {
                    let written = *ty;
                    let ty = self.type_of(written);
                    let value = if matches!(ty, Type::Ref(_)) { self.expr(*value) } else { self.rvalue(*value) };
                    let made = match name {
                        "reinterpret_cast" => self.reinterpret(value, ty.clone()),
                        "dynamic_cast" if !self.is_base_of(pointee(&ty), pointee(&value.ty)) => {
                            self.unclear("`dynamic_cast` is not supported".to_owned(), vec![value], span)
                        }
                        _ => self.cast(value, ty.clone()),
                    };
                    self.cast_place(written, &ty, made)
                }
                _ => self.unknown(node, "cast"),
            };
        }
        if let (true, Some(limit)) = (arguments.is_empty(), self.limit(callee, span)) {
            return limit;
        }
        if let ("make_fresh_array" | "__return_val_int" | "__old", _) = (name, ()) {
            return Expr::unknown("unknown-value", format!("`{name}` has no value here"), Type::INT, span);
        }
        let plain = qualifier == Qualifier::default();
        if plain && let Some(Local::Var(_) | Local::Static(_)) = self.lookup(name) {
            let place = self.name(name, span);
            let target = if let Type::Struct(_) = place.ty.value() { place } else { self.value(place) };
            return self.call_value(target, &arguments, span);
        }
        // `cooperative_groups::thread_block::sync()`.
        if let ("sync", [], Some(group)) = (name, arguments.as_slice(), qualifier.parts.last())
            && matches!(group.as_str(), "thread_block" | "cluster_group" | "grid_group")
        {
            return self.group_barrier(&Type::Unknown(Arc::from(group.as_str())), span);
        }
        if let ([], Some("thread_block")) = (arguments.as_slice(), qualifier.parts.last().map(String::as_str))
            && !self.lower.names.types.contains_key("thread_block")
            && let Some(found) = self.group_member(&Type::Unknown(Arc::from("thread_block")), None, name, &[], span)
        {
            return found;
        }
        if self.is_of_open_parameter(callee) {
            let args = self.exprs(&arguments);
            return self.unclear(format!("which function `{name}` is called is not known"), args, span);
        }
        // A member of the class that we are in, or of a class that is named.
        let scope = if plain { None } else { self.class_before(callee) };
        let qualified = scope.is_some();
        let own = self.class_type.clone().filter(|_| plain);
        if let Some(class) = scope.or_else(|| own.clone()) {
            if own.is_some() && matches!(&class, Type::Struct(c) if c.field(name).is_some()) {
                let place = self.name(name, span);
                let target = if let Type::Struct(_) = place.ty.value() { place } else { self.value(place) };
                return self.call_value(target, &arguments, span);
            }
            let args = self.exprs(&arguments);
            if self.class_node(&class).is_some_and(|(node, _)| self.declares_variable(node, name)) {
                let call = self.unclear(format!("what the static member `{name}` calls is not known"), args, span);
                return self.may_not_pass(call, span);
            }
            match self.method(&class, name, template, &args) {
                Method::One(member) if plain && self.is_dependent(&class, &member.class, name) => {
                    return self.unclear(format!("which function `{name}` is called is not known"), args, span);
                }
                Method::One(mut member) => {
                    member.is_virtual &= !qualified;
                    let object = self.own_object(&class, span);
                    return self.call_member(member, &class, object, args, span);
                }
                Method::Unclear => {
                    let object = self.own_object(&class, span).filter(|_| !qualified);
                    if let Some(object) = object
                        && let Some(call) = self.one_of_members(&class, name, template, (&object, &args), span)
                    {
                        return call;
                    }
                    return self.unclear(format!("which function `{name}` is called is not known"), args, span);
                }
                Method::None if own.is_none() => {
                    // A type of the class.
                    if let Some(ty) = self.member_type(&class, name, &mut Vec::new()) {
                        if let [storage] = arguments.as_slice()
                            && let Some(object) = self.collective_object(&ty, *storage, span)
                        {
                            return object;
                        }
                        if !matches!(ty, Type::Unknown(_)) {
                            return self.made_of(ty, node, callee, &arguments);
                        }
                    }
                    return self.unclear(format!("the member function `{name}` is not known"), args, span);
                }
                Method::None if self.is_of_outer(&class, name) => {
                    return self.unclear(format!("the member function `{name}` is not known"), args, span);
                }
                Method::None if self.is_variable_of_base(&class, name) => {
                    let call = self.unclear(format!("what the static member `{name}` calls is not known"), args, span);
                    return self.may_not_pass(call, span);
                }
                Method::None => {}
            }
        }
        let mut hides = false;
        let mut local_type = plain && matches!(self.lookup(name), Some(Local::Type(_)));
        local_type |= plain && self.bindings.types.contains_key(name);
        if !local_type && !self.is_opencl() {
            let names = self.lower.names;
            let is_builtin = plain && builtins::function(name).is_some();
            let hidden = (is_builtin || names.functions.contains_key(name)) && names.types.contains_key(name);
            if plain && hidden && self.is_type_of_base(name) {
                return self.call_of_hidden(name, &arguments, span);
            }
            match names.callee(name, self.scope, &qualifier, is_builtin) {
                // One that is declared later hides nothing yet.
                Callee::Variable(global) if global.node.start_byte() < self.at => {
                    let place = match template {
                        Some(_) => self.value_with_arguments(callee),
                        None => Some(self.expr(callee)),
                    };
                    let Some(place) = place.filter(|place| !matches!(place.kind, ExprKind::Unknown(_))) else {
                        return self.call_of_hidden(name, &arguments, span);
                    };
                    let target = if let Type::Struct(_) = place.ty.value() { place } else { self.value(place) };
                    return self.call_value(target, &arguments, span);
                }
                Callee::Variable(_) | Callee::Unclear => return self.call_of_hidden(name, &arguments, span),
                Callee::Type => hides = true,
                Callee::Function => {}
            }
        }
        // `T(x)`: a conversion or a construction.
        if local_type
            || hides
            || !self.lower.names.functions.contains_key(name)
                && (self.is_opencl() || builtins::function(name).is_none())
        {
            let ty = self.type_of(callee);
            if arguments.is_empty() && length_of_sequence(&ty).is_some() {
                return Expr::new(ExprKind::Constant(Name::new("sequence")), ty, span);
            }
            if let [storage] = arguments.as_slice()
                && let Some(object) = self.collective_object(&ty, *storage, span)
            {
                return object;
            }
            let is_parameter = || callee.kind() == "identifier" && self.open_parameter(callee).is_some();
            // `(T)(x)`, where the grammar does not know that it is a cast.
            let is_cast = (local_type || hides) && arguments.len() == 1;
            if !matches!(ty, Type::Unknown(_)) || self.bindings.types.contains_key(name) || is_cast || is_parameter() {
                return self.made_of(ty, node, callee, &arguments);
            }
        }
        if hides {
            return self.call_of_hidden(name, &arguments, span);
        }
        let args = self.exprs(&arguments);
        self.call_named(name, &qualifier, template, args, span)
    }

    /// A call of something that may hide the functions of its name. [INF-CALLEE]
    fn call_of_hidden(&mut self, name: &str, arguments: &[Node<'t>], span: Span) -> Expr {
        let args = self.exprs(arguments);
        let call = self.unclear(format!("what `{name}` stands for is not known"), args, span);
        self.may_not_pass(call, span)
    }

    /// `T(x)`: a conversion or a construction.
    fn made_of(&mut self, ty: Type, node: Node<'t>, callee: Node<'t>, arguments: &[Node<'t>]) -> Expr {
        if let (Type::Struct(_), Some(list)) = (&ty, node.child_by_field_name("arguments")) {
            return self.initial(list, &ty);
        }
        match arguments {
            [] => {
                let zero = Expr::new(ExprKind::Int(0), Type::INT, self.span(node));
                self.convert(zero, &ty)
            }
            [value] => {
                let value = if matches!(ty, Type::Ref(_)) { self.expr(*value) } else { self.rvalue(*value) };
                let made = self.cast(value, ty.clone());
                self.cast_place(callee, &ty, made)
            }
            _ => self.unknown(node, "construction"),
        }
    }

    /// The object whose member function we are in, for a call of another one by its name alone.
    fn own_object(&mut self, class: &Type, span: Span) -> Option<Expr> {
        let id = self.this?;
        let own = self.class_type.clone()?;
        let place = self.var(id, span);
        let pointer = self.value(place);
        let pointer = if own == *class {
            pointer
        } else if self.is_base_of(class, &own) {
            self.as_base(pointer, &own, class)
        } else {
            return None;
        };
        Some(self.deref(pointer, span))
    }

    /// A call by name of a function of the unit, of a built-in one, or of something unknown. Arguments may be places.
    pub(super) fn call_named(
        &mut self,
        name: &str,
        qualifier: &Qualifier,
        template: Option<Node<'t>>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        if let Some(why) = refused(name, &args) {
            self.lower.problems.push(Problem { at: span, text: why });
            return Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        }
        let barrier = match name {
            "CTA_SYNC" => Some("__syncthreads"),
            "WARP_SYNC" => Some("__syncwarp"),
            _ => None,
        };
        if let Some(barrier) = barrier.filter(|_| of_library(qualifier)) {
            return self.call_named(barrier, &Qualifier::default(), None, args, span);
        }
        let args = match self.is_opencl() {
            true => match self.opencl_call(name, args, span) {
                Ok(value) => return value,
                Err(args) => args,
            },
            false => args,
        };
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let mut overloads: Vec<_> =
            overloads.into_iter().filter(|d| d.class.is_none()).map(|d| (d, Bindings::default())).collect();
        // What the platform has in its own namespaces is none of the unit.
        if !qualifier.parts.is_empty() && !self.lower.names.may_stand_for_others(qualifier) {
            overloads.retain(|(d, _)| self.lower.names.fit(d.scope, self.scope, qualifier).is_some());
        }
        let is_foreign = self.lower.names.is_foreign(qualifier);
        let fits = |d: &FunDecl<'t>| self.lower.names.fit(d.scope, self.scope, qualifier).is_some();
        let is_other = self.lower.names.is_of_foreign(name, qualifier);
        if is_other || is_foreign && !overloads.is_empty() && !overloads.iter().any(|(d, _)| fits(d)) {
            // Of a scope that is not known.
            let waits = overloads.iter().any(|(d, _)| self.text(d.node).contains("sync"));
            let call = self.unclear(format!("which function `{name}` is called is not known"), args, span);
            return if waits { self.may_not_pass(call, span) } else { call };
        }
        let builtin = if self.is_opencl() || is_foreign { None } else { builtins::function(name) };
        if matches!(name, "min" | "max") && matches!(qualifier.parts.last(), Some(std) if std == "std") {
            self.chosen.insert(span);
        }
        let vector = name.strip_prefix("make_").and_then(builtins::vector_type);
        let lanes_given = |v: &Type| matches!(v, Type::Struct(class) if class.fields.len() == args.len());
        // From a library of vectors: a value like any other, where nothing says how it is made.
        if let Some(made) = vector.clone().filter(|v| overloads.is_empty() && !lanes_given(v)) {
            let args = args.into_iter().map(|a| self.value(a)).collect();
            return self.opaque(name, args, made, span);
        }
        let vector = vector.filter(lanes_given);
        // One of the platform, or of another namespace, that a function here may leave the call to.
        let others = builtin.is_some() || vector.is_some() || name.starts_with("__");
        let others = others || self.lower.names.is_used(name, qualifier);
        // A built-in function is only hidden by a definition that fits.
        match self.resolve(&overloads, qualifier, template, &args, false) {
            Found::One(chosen) if vector.as_ref().is_some_and(|v| self.is_made_so(v, &args, &chosen)) => {}
            Found::One(chosen) if chosen.doubtful && builtin.is_some() || chosen.constrained && others => {
                return self.unclear(format!("which function `{name}` is called is not known"), args, span);
            }
            Found::One(chosen) if builtin.is_none() || (chosen.decl.has_body && chosen.cost < 10) => {
                return self.call_decl(chosen.decl, chosen.bindings, None, args, span);
            }
            Found::Ambiguous if builtin.is_none() || overloads.iter().any(|(d, _)| d.has_body) => {
                if builtin.is_none()
                    && let Some(value) = self.whichever(&overloads, template, &args, span)
                {
                    return value;
                }
                if builtin.is_none()
                    && let Some(call) = self.one_of(&overloads, template, (None, others), &args, span)
                {
                    return call;
                }
                let waits = overloads.iter().any(|(d, _)| self.text(d.node).contains("sync"));
                let call = self.unclear(format!("which function `{name}` is called is not known"), args, span);
                return if waits { self.may_not_pass(call, span) } else { call };
            }
            Found::None if builtin.is_none() && vector.is_none() && overloads.iter().any(|(d, _)| d.has_body) => {
                return self.unclear(format!("no function `{name}` that is known can be called so"), args, span);
            }
            _ => {}
        }
        if let Some(made) = self.complex_function(name, &args, span) {
            return made;
        }
        if overloads.is_empty()
            && template.is_none()
            && let Some(made) = self.made_pair(name, qualifier, &args, span)
        {
            return made;
        }
        if overloads.is_empty()
            && let Some(part) = self.part_of_tuple((name, qualifier), template, &args, span)
        {
            return part;
        }
        let values = |body: &Self, args: Vec<Expr>| -> Vec<Expr> { args.into_iter().map(|a| body.value(a)).collect() };
        if let Some(builtin) = builtin {
            let mut args = values(self, args);
            // `min<unsigned>(a, b)`
            if let (Intrinsic::Min(_) | Intrinsic::Max(_), Some(list)) = (&builtin.intrinsic, template)
                && let Some(first) = self.template_arguments(list).first().copied()
            {
                let ty = self.type_of(first);
                args = args.into_iter().map(|a| self.convert(a, &ty)).collect();
            }
            let texel = if name.starts_with("tex") { self.texel(template, args.first()) } else { None };
            let result = texel.or(builtin.result);
            return self.call_builtin(builtins::Builtin { result, ..builtin }, args, span);
        }
        if let Some(vector @ Type::Struct(class)) = &vector {
            let parts = class.fields.iter().zip(args);
            let parts = parts.map(|(field, arg)| (field.offset, self.convert(self.value(arg), &field.ty))).collect();
            return Expr::new(ExprKind::Aggregate(parts), vector.clone(), span);
        }
        if name == "tiled_partition" {
            return self.tiled_partition(template, &args, span);
        }
        if let ("labeled_partition" | "binary_partition", [_, _]) = (name, args.as_slice()) {
            return self.partition(args, span);
        }
        if let Some(made) = self.background_call(name, template, &args, span) {
            return made;
        }
        if let Some(made) = self.group_function(name, &args, span) {
            return made;
        }
        if let Some(done) = self.fragment_call(name, &args, span) {
            return done;
        }
        if let ("__stcs" | "__stcg" | "__stwb" | "__stwt", [_, _]) = (name, args.as_slice()) {
            let mut args = args.into_iter().map(|a| self.value(a));
            if let (Some(pointer), Some(value)) = (args.next(), args.next()) {
                drop(args);
                let place = self.deref(pointer, span);
                return self.assign(place, value, span);
            }
            return self.unclear("this store is not understood".to_owned(), vec![], span);
        }
        if let Some(done) = self.hip_call(name, &args, span).filter(|_| !self.is_opencl()) {
            return done;
        }
        if name == "swap"
            && let Some(done) = self.swap(qualifier, &args, span)
        {
            return done;
        }
        if let ("__builtin_assume_aligned", [pointer, ..]) = (name, args.as_slice()) {
            return self.value(pointer.clone());
        }
        if matches!(name, "this_thread_block" | "this_grid" | "coalesced_threads" | "this_multi_grid" | "this_cluster")
        {
            let ty = match name {
                "this_thread_block" => "thread_block",
                "this_grid" => "grid_group",
                "this_cluster" => "cluster_group",
                "this_multi_grid" => "multi_grid_group",
                "coalesced_threads" => "coalesced_group",
                _ => "thread_group",
            };
            return Expr::new(ExprKind::Constant(Name::new(ty)), Type::Unknown(Arc::from(ty)), span);
        }
        if matches!(name, "sync" | "synchronize")
            && let [group] = args.as_slice()
        {
            let barrier = self.group_barrier(&group.ty.clone(), span);
            return self.after_group(group, barrier, span);
        }
        // `cub::Max()` makes an operation.
        let operations = ["Sum", "Max", "Min", "ArgMax", "ArgMin", "Equality", "Inequality", "Difference", "Division"];
        let of_cub = of_library(qualifier) || *qualifier == Qualifier::default() && self.is_opened_library(name);
        let makes_operation = args.is_empty() && of_cub && operations.contains(&name);
        if self.hidden_names() && overloads.is_empty() && !makes_operation {
            let call = self.unclear(format!("`{name}` is not declared, and may be a macro"), args, span);
            return if may_wait(name) { self.may_not_pass(call, span) } else { call };
        }
        // `std::forward<T>(x)` and `std::move(x)` are the place `x`, given away if `T` is no reference. [INF-MOVE]
        let of_standard = qualifier.parts.last().is_some_and(|last| last == "std");
        if let ("forward" | "move", [only], true) = (name, args.as_slice(), of_standard && overloads.is_empty())
            && matches!(only.ty.value(), Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_))
        {
            let types = template.map(|list| self.template_arguments(list)).unwrap_or_default();
            let stays = name == "forward" && types.first().is_some_and(|ty| matches!(self.type_of(*ty), Type::Ref(_)));
            return if stays { self.perhaps_given_away(only.clone()) } else { self.given_away(only.clone()) };
        }
        let types: Vec<Type> = match template {
            Some(list) => self.template_arguments(list).into_iter().map(|ty| self.type_of(ty)).collect(),
            None => Vec::new(),
        };
        if args.iter().map(|a| &a.ty).chain(&types).any(|ty| self.has_functions(ty, 0)) {
            let call = self.unclear(format!("`{name}` is called, but its definition is not there"), args, span);
            return if may_wait(name) { self.may_not_pass(call, span) } else { call };
        }
        // Its parameters may be references; functions of the implementation have none.
        let args = args.into_iter().map(|arg| {
            let by_reference = is_lvalue(&arg) && !name.starts_with("__") && !matches!(arg.ty.value(), Type::Array(..));
            if by_reference { self.address_of(arg, span) } else { self.value(arg) }
        });
        let args = args.collect();
        let call = Expr::new(ExprKind::CallUnknown(Name::new(name), args), Type::Unknown(Arc::from("?")), span);
        if may_wait(name) { self.may_not_pass(call, span) } else { call }
    }

    /// May who is given an object of this type call functions of the program through it?
    pub(super) fn has_functions(&self, ty: &Type, depth: usize) -> bool {
        match ty {
            Type::Ptr(inner) | Type::Ref(inner) | Type::Array(inner, _) => self.has_functions(inner, depth),
            Type::Struct(class) if depth < 20 => {
                let own = self.class_node(ty).is_some_and(|(node, _)| {
                    let Some(body) = node.child_by_field_name("body") else { return true };
                    let mut cursor = body.walk();
                    node.kind() == "lambda_expression"
                        || child_of_kind(node, "base_class_clause").is_some()
                        || body.named_children(&mut cursor).any(|member| {
                            matches!(member.kind(), "function_definition" | "template_declaration" | "declaration")
                                || has_child(member, "function_declarator")
                        })
                });
                own || class.fields.iter().any(|f| self.has_functions(&f.ty, depth + 1))
            }
            _ => false,
        }
    }

    /// Is the built-in `make_float3(x, y, z)` meant, and not the function of that name that fits best?
    fn is_made_so(&mut self, vector: &Type, args: &[Expr], chosen: &Chosen) -> bool {
        let Type::Struct(class) = vector else { return false };
        let own: usize = class.fields.iter().zip(args).map(|(field, arg)| self.mismatch(&field.ty, arg)).sum();
        (own, false) < (chosen.cost, chosen.decl.template.is_some())
    }

    /// What `T &&x` of a template is given a place for makes `T` a reference.
    fn forwarded(&self, decl: &FunDecl<'t>, mut bindings: Bindings, args: &[Expr]) -> Bindings {
        let (Some(template), Some(list)) = (decl.template, decl.declarator.child_by_field_name("parameters")) else {
            return bindings;
        };
        let own = self.template_parameters(template);
        let mut cursor = list.walk();
        let parameters = list.named_children(&mut cursor).filter(|p| p.kind() != "comment");
        for (parameter, arg) in parameters.zip(args) {
            let (Some(ty), Some(declarator)) =
                (parameter.child_by_field_name("type"), parameter.child_by_field_name("declarator"))
            else {
                continue;
            };
            // Of a pack each element.
            if parameter.kind() == "variadic_parameter_declaration" {
                continue;
            }
            let name = self.text(ty);
            let plain = own.iter().any(|p| p == name) && self.text(parameter).starts_with(name);
            if plain
                && self.text(declarator).starts_with("&&")
                && is_lvalue(arg)
                && self.category(arg) != Category::Temporary
                && let Some(bound) = bindings.types.get_mut(name)
                && matches!(bound, Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_))
            {
                *bound = Type::Ref(Arc::new(bound.clone()));
            }
        }
        let fixed = Self::parameter_defaults(decl).len();
        if let Some((parameter, names)) = self.pack_of(decl)
            && parameter.child_by_field_name("declarator").is_some_and(|d| self.text(d).starts_with("&&"))
        {
            for (i, _) in args.iter().skip(fixed).enumerate().filter(|(_, arg)| is_lvalue(arg)) {
                for name in &names {
                    if let Some(bound) = bindings.types.get_mut(&element_name(name, i))
                        && !matches!(bound, Type::Ref(_) | Type::Unknown(_))
                    {
                        *bound = Type::Ref(Arc::new(bound.clone()));
                    }
                }
            }
        }
        bindings
    }

    pub(super) fn call_decl(
        &mut self,
        decl: FunDecl<'t>,
        bindings: Bindings,
        this: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let bindings = self.forwarded(&decl, bindings, &args);
        let (types, returns) = self.inside(&decl, &bindings, |body| (body.parameters(&decl), body.return_type(&decl)));
        let this_given = this.is_some();
        let mut lowered: Vec<Expr> = this.into_iter().collect();
        let mut args = args.into_iter();
        let defaults = Self::parameter_defaults(&decl);
        for (i, (_, ty, _)) in types.iter().enumerate() {
            let arg = match (args.next(), defaults.get(i).copied().flatten()) {
                (Some(arg), _) => arg,
                (None, Some(default)) => self.inside(&decl, &bindings, |body| body.expr(default)),
                (None, None) => break,
            };
            let arg = match ty {
                Type::Ref(inner) => {
                    let inner = inner.clone();
                    let arg = self.referred(arg, &inner);
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
                    let value = self.copied(value);
                    let value = self.convert(value, ty);
                    self.ending(value)
                }
            };
            lowered.push(arg);
        }
        if !bindings.open.is_empty() {
            let given = usize::from(this_given) + types.len() == lowered.len();
            let places = bindings.open.values().map(|(range, ty)| (range.clone(), ty.clone())).collect::<Vec<_>>();
            for (range, ty) in places {
                let root = self.lower.unit.tree.root_node();
                let argument = root.named_descendant_for_byte_range(range.start, range.end);
                let value = argument.filter(|_| given).and_then(|argument| self.open_value(argument));
                let Some(value) = value else {
                    return self.unclear("this call of a template is not understood".to_owned(), lowered, span);
                };
                lowered.push(self.convert(value, &ty));
            }
        }
        let id = self.lower.request(decl, bindings);
        let returns = if is_auto(&returns) { self.lower.deduced_return(id) } else { returns };
        let (ty, by_reference) = match &returns {
            Type::Ref(inner) => (Type::Ptr(inner.clone()), true),
            other => (other.clone(), false),
        };
        if let Some(n) = self.evaluate(id, &lowered, &ty) {
            return Expr::new(ExprKind::Int(n), ty, span);
        }
        let call = Expr::new(ExprKind::Call(id, lowered), ty, span);
        if !by_reference {
            return call;
        }
        let place = self.deref(call, span);
        // What is returned by `T &&` is given away; a type may say so by its name.
        let head = self.lower.unit.text.get(decl.node.start_byte()..decl.declarator.start_byte()).unwrap_or("");
        let plain = head.trim_end().ends_with('&') || head.contains('&') && !head.contains('<');
        if head.contains("&&") || !plain { self.perhaps_given_away(place) } else { place }
    }

    pub(super) fn call_value(&mut self, target: Expr, arguments: &[Node<'t>], span: Span) -> Expr {
        let args = self.exprs(arguments);
        if let Type::Struct(_) = target.ty.value()
            && let Some(call) = self.operator_call("operator()", &target, args.clone(), span)
        {
            return call;
        }
        if let Some(applied) = self.apply_operation(&target, &args, span) {
            return applied;
        }
        let args: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        let (taken, returns) = match target.ty.element() {
            Some(Type::Fun) => self.taken_functions(&args),
            _ => (Vec::new(), Type::Unknown(Arc::from("?"))),
        };
        Expr::new(ExprKind::CallValue(Box::new(target), args, taken), returns, span)
    }

    /// What a texture holds, where the call or the type of the texture says so: `tex2D<float4>(t, x, y)`, `texture<float, 1>`.
    fn texel(&mut self, template: Option<Node<'t>>, texture: Option<&Expr>) -> Option<Type> {
        let given = template.and_then(|list| self.template_arguments(list).first().copied());
        let ty = match (given, texture.map(|t| t.ty.value())) {
            (Some(given), _) => self.type_of(given),
            (None, Some(Type::Unknown(name))) if !name.contains("NormalizedFloat") => {
                let (_, arguments) = name.split_once("texture<")?;
                match arguments.split([',', '>']).next()?.trim() {
                    "float" => Type::Float(4),
                    "int" => Type::INT,
                    "unsigned" | "unsigned int" => Type::UINT,
                    other => builtins::named_type(other)?,
                }
            }
            _ => return None,
        };
        (!ty.has_unknown_size() && !matches!(ty, Type::Ptr(_) | Type::Ref(_))).then_some(ty)
    }

    pub(super) fn call_builtin(&mut self, builtin: builtins::Builtin, args: Vec<Expr>, span: Span) -> Expr {
        let mut args = args;
        let mut intrinsic = builtin.intrinsic;
        let stated = builtin.result.clone();
        let promoted = |ty: &Type| match ty {
            Type::Int(ty) => Type::Int(promote(*ty)),
            ty => ty.clone(),
        };
        let ty = match builtin.result {
            Some(ty) => ty,
            None => {
                let first = args.first().map_or(Type::INT, |a| a.ty.clone());
                match &intrinsic {
                    Intrinsic::Atomic(..) | Intrinsic::ReadThrough => first.element().cloned().unwrap_or(Type::INT),
                    // The second argument of a shuffle with a mask is the value.
                    Intrinsic::Havoc(name) if name.as_str().ends_with("_sync") => {
                        match args.get(1).map_or(Type::INT, |a| a.ty.clone()) {
                            Type::Int(ty) if name.as_str().starts_with("__reduce") => Type::Int(promote(ty)),
                            ty => ty,
                        }
                    }
                    // Of what is added to.
                    Intrinsic::Pure(name, _) if name.as_str().starts_with("__dp") => {
                        args.get(2).map_or(Type::INT, |a| promoted(&a.ty))
                    }
                    Intrinsic::Pure(..) => promoted(&first),
                    _ => first,
                }
            }
        };
        match &mut intrinsic {
            Intrinsic::Min(_) | Intrinsic::Max(_) => {
                let types: Vec<_> = args.iter().map(|a| a.ty.clone()).collect();
                let own = match (&stated, types.as_slice()) {
                    (Some(Type::Int(ty)), [_, _]) => Some(*ty),
                    (_, [Type::Int(a), Type::Int(b)]) => Some(common(*a, *b)),
                    _ => None,
                };
                if let Some(ty) = own {
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
                if let [a, b] = args.as_slice() {
                    let ty = if name.as_str() == "__umul24" { IntTy::U32 } else { IntTy::I32 };
                    let factor = |body: &mut Self, e: &Expr| match body.fold(e) {
                        Some(n) => {
                            let low = n.rem_euclid(1 << 24);
                            let low = if ty.signed && low >= 1 << 23 { low - (1 << 24) } else { low };
                            Expr::new(ExprKind::Int(low), Type::Int(ty), span)
                        }
                        None => body.convert(e.clone(), &Type::Int(ty)),
                    };
                    let (a, b) = (factor(self, a), factor(self, b));
                    return mul24(a, b, ty, span);
                }
            }
            Intrinsic::Pure(name, _) if name.as_str() == "abs" => {
                if let [a] = args.as_slice()
                    && let Type::Int(ty) = a.ty
                {
                    // That of C, of an `int`.
                    let ty = IntTy { signed: true, ..promote(ty) };
                    let a = &self.convert(a.clone(), &Type::Int(ty));
                    let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                    let negative = self.binary("-", zero, a.clone(), span);
                    let a = self.convert(a.clone(), &Type::Int(ty));
                    let args = vec![a, negative];
                    return Expr::new(ExprKind::Intrinsic(Intrinsic::Max(ty), args), Type::Int(ty), span);
                }
            }
            Intrinsic::Pure(name, None) if bits::FUNCTIONS.contains(&name.as_str()) => {
                let name = name.clone();
                if let Some(made) = self.bit_function(name.as_str(), &args, span) {
                    return made;
                }
            }
            Intrinsic::Pure(name, _) if name.as_str() == "__is_pow2" => {
                if let [a] = args.as_slice()
                    && matches!(a.ty, Type::Int(_))
                {
                    let int = |n| Expr::new(ExprKind::Int(n), Type::INT, span);
                    let less = self.binary("-", a.clone(), int(1), span);
                    let common = self.binary("&", a.clone(), less, span);
                    return self.binary("==", common, int(0), span);
                }
            }
            Intrinsic::Pure(name, _) if name.as_str().starts_with("__add_noovfl") => {
                // Is the sum within the type?
                let types: Vec<IntTy> = args
                    .iter()
                    .filter_map(|a| match a.ty.value() {
                        Type::Int(ty) => Some(*ty),
                        _ => None,
                    })
                    .collect();
                if let Some(ty) = types.iter().copied().reduce(common)
                    && types.len() == args.len()
                    && let (Some(least), Some(most), true) = (ty.min(), ty.max(), ty.bits <= 32)
                {
                    let wide = Type::Int(IntTy::I64);
                    let int = |n| Expr::new(ExprKind::Int(n), Type::Int(IntTy::I64), span);
                    let mut widened = |a: &Expr| {
                        let a = self.convert(a.clone(), &Type::Int(ty));
                        self.convert(a, &wide)
                    };
                    let parts: Vec<Expr> = args.iter().map(&mut widened).collect();
                    let sum = parts.into_iter().reduce(|a, b| self.binary("+", a, b, span)).unwrap_or(int(0));
                    let low = self.binary("<=", int(least), sum.clone(), span);
                    let high = self.binary("<=", sum, int(most), span);
                    return self.binary("&&", low, high, span);
                }
            }
            Intrinsic::TouchReadWrite(name) if name.as_str().ends_with("rand_init") => {
                args.rotate_right(1);
            }
            // `tex2D(&value, texture, x, y)`
            Intrinsic::Havoc(name)
                if name.as_str().starts_with("tex")
                    && args.first().is_some_and(|a| matches!(a.ty.value(), Type::Ptr(_) | Type::Array(..))) =>
            {
                return self.unclear(format!("`{name}` stores what it reads"), args, span);
            }
            Intrinsic::Assume | Intrinsic::Assert | Intrinsic::Implies => {
                args = args.into_iter().map(|a| self.truth(a)).collect();
            }
            // The condition is evaluated; where it does not hold, there is no more of the program. [INF-ASSERT]
            Intrinsic::Havoc(name) if name.as_str() == "assert" => {
                if let [condition] = args.as_slice()
                    && !changes(condition)
                {
                    let holds = self.truth(condition.clone());
                    let assumed = Expr::new(ExprKind::Intrinsic(Intrinsic::Assume, vec![holds]), Type::BOOL, span);
                    let evaluated = Expr::new(ExprKind::Intrinsic(intrinsic, args), ty, span);
                    return self.preceded([evaluated], assumed);
                }
            }
            _ => {}
        }
        Expr::new(ExprKind::Intrinsic(intrinsic, args), ty, span)
    }
}

/// What a pointer or reference points to.
fn pointee(ty: &Type) -> &Type {
    match ty {
        Type::Ptr(inner) | Type::Ref(inner) => inner,
        other => other,
    }
}

/// Does an unknown function have a name that says that it waits?
fn may_wait(name: &str) -> bool {
    let name = name.to_lowercase();
    ["sync", "barrier", "wait"].iter().any(|word| name.contains(word))
}

/// The product of the lower 24 bits of two numbers.
pub(super) fn mul24(a: Expr, b: Expr, ty: IntTy, span: Span) -> Expr {
    let name = Name::new(if ty.signed { "__mul24" } else { "__umul24" });
    Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(name, None), vec![a, b]), Type::Int(ty), span)
}
