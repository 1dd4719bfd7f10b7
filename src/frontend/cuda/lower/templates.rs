//! Templates: their parameters bound to arguments, given, deduced or by default.

use super::overload::is_null;
use super::packs::{Argument, element_name, is_pack};
use super::vector::is_pure;
use super::*;

impl<'l, 't> Body<'l, 't> {
    pub fn template_arguments(&mut self, list: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
    }

    /// Binds the parameters of a template to given arguments, then to what was deduced, then to defaults.
    pub fn bind_template(&mut self, parameters: Node<'t>, given: &[Node<'t>], deduced: &Bindings) -> Option<Bindings> {
        let opens = std::mem::take(&mut self.opens);
        let mut bound = Bindings::default();
        let mut cursor = parameters.walk();
        let list: Vec<_> = parameters.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let given = self.each_argument(given)?;
        if given.len() > list.len() && !list.last().is_some_and(|p| is_pack(*p)) {
            return None;
        }
        let count = list.len();
        for (i, parameter) in list.into_iter().enumerate() {
            match parameter.kind() {
                "variadic_type_parameter_declaration" | "variadic_parameter_declaration" if i + 1 == count => {
                    self.bind_pack(parameter, given.get(i..).unwrap_or(&[]), deduced, &mut bound)?;
                }
                "type_parameter_declaration" | "optional_type_parameter_declaration" => {
                    let name = match parameter.child_by_field_name("name") {
                        Some(name) => Some(name),
                        None => match last_named(parameter) {
                            Some(name) => Some(name),
                            None if given.get(i).is_none() => continue,
                            None => None,
                        },
                    };
                    let name = name.map_or_else(|| unnamed_parameter(i), |name| self.text(name).to_owned());
                    let finer = match given.get(i) {
                        Some(argument) => self.of_argument(*argument, |body, a| body.finer(a)),
                        None => deduced.finer.get(&name).cloned(),
                    };
                    if let Some(text) = finer {
                        bound.finer.insert(name.clone(), text);
                    }
                    let ty = match given.get(i) {
                        Some(argument) => Some(self.of_argument(*argument, |body, a| body.type_of(a))),
                        None => deduced.types.get(&name).cloned(),
                    };
                    let ty = match (ty, parameter.child_by_field_name("default_type")) {
                        (Some(ty), _) => ty,
                        (None, Some(default)) => self.with_bindings(parameters, &bound, |body| body.type_of(default)),
                        (None, None) => return None,
                    };
                    bound.types.insert(name, ty);
                }
                "template_template_parameter_declaration" => {
                    let inner = last_named(parameter)?;
                    let name = name_of_type_parameter(parameter);
                    let name = name.map_or_else(|| unnamed_parameter(i), |name| self.text(name).to_owned());
                    let whole = match (given.get(i), inner.child_by_field_name("default_type")) {
                        (Some(argument), _) => self.of_argument(*argument, |body, a| body.named_template(a)),
                        (None, Some(default)) if !deduced.templates.contains_key(&name) => {
                            self.with_bindings(parameters, &bound, |body| body.named_template(default))
                        }
                        (None, _) => deduced.templates.get(&name).cloned(),
                    };
                    bound.templates.insert(name, whole?);
                }
                "parameter_declaration" | "optional_parameter_declaration" => {
                    let declared = parameter.child_by_field_name("declarator").and_then(declared_name);
                    if declared.is_none() && given.get(i).is_none() {
                        continue;
                    }
                    let name = declared.map_or_else(|| unnamed_parameter(i), |name| self.text(name).to_owned());
                    let ty = parameter.child_by_field_name("type").map_or(Type::INT, |t| self.type_of(t));
                    if let Some(function) = given.get(i).and_then(|argument| self.named_function(argument.node)) {
                        bound.functions.insert(name, function);
                        continue;
                    }
                    let value = match given.get(i) {
                        Some(argument) => match self.of_argument(*argument, |body, a| body.template_value(a)) {
                            Some(value) => Some(value),
                            None if opens && self.open_value(argument.node).is_some() && !self.is_declared(&name) => {
                                bound.open.insert(name, (argument.node.byte_range(), ty));
                                continue;
                            }
                            None => return None,
                        },
                        None => deduced.values.get(&name).map(|(v, _)| *v),
                    };
                    let value = match (value, parameter.child_by_field_name("default_value")) {
                        (Some(value), _) => value,
                        (None, Some(default)) => {
                            self.with_bindings(parameters, &bound, |body| body.constant(default))?
                        }
                        (None, None) => return None,
                    };
                    bound.values.insert(name, (value, ty));
                }
                _ => return None,
            }
        }
        Some(bound)
    }

    /// The value of a template argument that rests on a parameter of the function that we are in, which is not known.
    pub(super) fn open_value(&mut self, argument: Node<'t>) -> Option<Expr> {
        let value = if matches!(argument.kind(), "type_descriptor" | "type_identifier") {
            // A name alone is parsed as a type.
            let text = self.text(argument);
            let Some(Local::Var(_)) = self.lookup(text) else { return None };
            let place = self.name(text, self.span(argument));
            self.value(place)
        } else {
            self.rvalue(argument)
        };
        (matches!(value.ty, Type::Int(_)) && is_pure(&value)).then_some(value)
    }

    /// Is something of that name declared around functions?
    fn is_declared(&self, name: &str) -> bool {
        let names = self.lower.names;
        names.globals.contains_key(name) || names.enumerators.contains_key(name) || names.types.contains_key(name)
    }

    /// Binds the last parameter of a template, which is a pack, to the arguments that are left, or to what was deduced.
    fn bind_pack(
        &mut self,
        parameter: Node<'t>,
        given: &[Argument<'t>],
        deduced: &Bindings,
        bound: &mut Bindings,
    ) -> Option<()> {
        let of_types = parameter.kind() == "variadic_type_parameter_declaration";
        let name = if of_types {
            last_named(parameter)?
        } else {
            parameter.child_by_field_name("declarator").and_then(declared_name)?
        };
        let name = self.text(name).to_owned();
        let count = deduced.packs.get(&name).copied().unwrap_or(given.len());
        if given.len() > count {
            return None;
        }
        for i in 0..count {
            let element = element_name(&name, i);
            if !of_types {
                let ty = self.type_of(parameter.child_by_field_name("type")?);
                let value = match given.get(i) {
                    Some(argument) => self.of_argument(*argument, |body, a| body.template_value(a))?,
                    None => deduced.values.get(&element)?.0,
                };
                bound.values.insert(element, (value, ty));
                continue;
            }
            let (ty, finer) = match given.get(i) {
                Some(argument) => self.of_argument(*argument, |body, a| (body.type_of(a), body.finer(a))),
                None => (deduced.types.get(&element)?.clone(), deduced.finer.get(&element).cloned()),
            };
            bound.types.insert(element.clone(), ty);
            bound.finer.extend(finer.map(|text| (element, text)));
        }
        bound.packs.insert(name, count);
        Some(())
    }

    /// The function of the unit, or the instance of one, that a template argument names.
    fn named_function(&mut self, argument: Node<'t>) -> Option<FunctionArgument> {
        let text = self.text(argument).trim_start_matches('&').trim();
        if let Some(bound) = self.bindings.functions.get(text) {
            return Some(bound.clone());
        }
        let name = text.split('<').next().unwrap_or(text).trim();
        // One that has several meanings is chosen by its type, which is not looked at here.
        let with_body =
            self.lower.names.functions.get(name)?.iter().filter(|d| d.has_body).copied().collect::<Vec<_>>();
        if with_body.len() > 1 || self.lookup(name).is_some() {
            return None;
        }
        if name == text {
            return Some(FunctionArgument { name: name.to_owned(), instance: None });
        }
        let list = descendant(argument, "template_argument_list")?;
        let [decl] = with_body.as_slice() else { return None };
        let given = self.template_arguments(list);
        let instance = self.bind_template(decl.template?, &given, &Bindings::default())?;
        Some(FunctionArgument { name: name.to_owned(), instance: Some(instance) })
    }

    /// The template that a template argument names. [INF-TEMPLATE]
    pub fn named_template(&self, argument: Node<'t>) -> Option<String> {
        let named = argument.child_by_field_name("type").unwrap_or(argument);
        let (qualifier, base) = self.lower.unit.qualified(named);
        let name = self.text(base);
        let bound = self.bindings.templates.get(name).filter(|_| qualifier == Qualifier::default());
        bound.cloned().or_else(|| self.lower.names.whole_name(name, self.scope, &qualifier))
    }

    /// Defaults may name the parameters before them, and what is seen where the template is declared.
    fn with_bindings<R>(&mut self, template: Node<'t>, bound: &Bindings, f: impl FnOnce(&mut Self) -> R) -> R {
        let mut bindings = self.bindings.clone();
        bindings.extend(bound.clone());
        self.elsewhere(template, |body| {
            body.bindings = bindings;
            f(body)
        })
    }

    pub fn template_value(&mut self, argument: Node<'t>) -> Option<i128> {
        // A name alone is parsed as a type.
        if argument.kind() == "type_descriptor" {
            let text = self.text(argument);
            // `std::is_same<A, B>::value`
            let inner = argument.child_by_field_name("type").filter(|_| argument.named_child_count() == 1);
            let inner = inner.filter(|n| matches!(n.kind(), "qualified_identifier" | "template_type"));
            return match (self.lookup(text), inner) {
                (Some(Local::Value(value, _)), _) => Some(value),
                (_, Some(inner)) => {
                    let value = self.value_with_arguments(inner);
                    value.and_then(|v| self.fold(&v)).or_else(|| self.constant(inner))
                }
                // What else has its name is hidden by it.
                (Some(_), _) => {
                    let place = self.name(text, self.span(argument));
                    let value = self.value(place);
                    self.fold(&value)
                }
                (None, _) => self.global_constant(text),
            };
        }
        self.constant(argument)
    }

    pub fn global_constant(&mut self, name: &str) -> Option<i128> {
        let span = self.lower.unit.span(self.lower.unit.tree.root_node());
        let expr = self.global_name(name, &Qualifier::default(), span)?;
        self.fold(&expr)
    }

    /// Values that the bounds of arrays say: `N` of a parameter `T (&x)[N]`, or of `T x[][N]`, for an array that is given.
    pub(super) fn deduce_bounds(
        &mut self,
        decl: &FunDecl<'t>,
        args: &[Expr],
        parameters: &[String],
        found: &mut Bindings,
    ) {
        let Some(list) = decl.declarator.child_by_field_name("parameters") else { return };
        let mut cursor = list.walk();
        let declared = list.named_children(&mut cursor);
        let declared =
            declared.filter(|p| matches!(p.kind(), "parameter_declaration" | "optional_parameter_declaration"));
        for (parameter, arg) in declared.zip(args) {
            let mut bounds = Vec::new();
            let mut by_reference = false;
            let mut next = parameter.child_by_field_name("declarator");
            while let Some(node) = next {
                match node.kind() {
                    "array_declarator" | "abstract_array_declarator" => bounds.push(node.child_by_field_name("size")),
                    "parenthesized_declarator" | "abstract_parenthesized_declarator" => {}
                    "reference_declarator" | "abstract_reference_declarator" => by_reference = true,
                    _ => break,
                }
                next = node.child_by_field_name("declarator").or_else(|| last_named(node));
            }
            let mut given = arg.ty.value();
            for (i, bound) in bounds.iter().rev().enumerate() {
                let (inner, length) = match given {
                    Type::Array(inner, length) => (inner, *length),
                    // The first bound of what is not a reference says nothing.
                    Type::Ptr(inner) if i == 0 && !by_reference => (inner, None),
                    _ => break,
                };
                given = inner;
                let name = bound.map_or("", |b| self.text(b));
                if let (Some(length), true) = (length, by_reference || i > 0)
                    && parameters.iter().any(|p| p == name)
                {
                    let value = (i128::from(length), Type::Int(IntTy::U64));
                    found.values.entry(name.to_owned()).or_insert(value);
                }
            }
        }
    }

    /// What the types and values of the arguments say of the parameters of a function template.
    pub(super) fn deduced(
        &mut self,
        decl: &FunDecl<'t>,
        outer: &Bindings,
        patterns: &[Type],
        args: &[Expr],
        parameters: &[String],
    ) -> Bindings {
        let mut found = Bindings::default();
        for (pattern, arg) in patterns.iter().zip(args) {
            // A null pointer says nothing of what it points to.
            if !(is_null(arg) && matches!(pattern.value(), Type::Ptr(_))) {
                self.deduce(pattern, &arg.ty, parameters, &mut found);
            }
        }
        self.deduce_bounds(decl, args, parameters, &mut found);
        if let Some(list) = decl.declarator.child_by_field_name("parameters") {
            let mut cursor = list.walk();
            let declared: Vec<Node<'t>> = list
                .named_children(&mut cursor)
                .filter(|p| matches!(p.kind(), "parameter_declaration" | "optional_parameter_declaration"))
                .collect();
            self.inside(decl, outer, |body| {
                for (parameter, arg) in declared.into_iter().zip(args) {
                    let Some(ty) = parameter.child_by_field_name("type") else { continue };
                    if let Some(given) = pointed_to(parameter.child_by_field_name("declarator"), &arg.ty) {
                        body.deduce_instance(ty, &given.clone(), parameters, &mut found);
                    }
                }
            });
        }
        found
    }

    /// `N` and `T` of what is written `Vec<T, N>`, for an instance of that template. [INF-DEDUCED]
    fn deduce_instance(&mut self, written: Node<'t>, given: &Type, parameters: &[String], found: &mut Bindings) {
        let (qualifier, base) = self.lower.unit.qualified(written);
        let (Some(name), Some(list)) = (base.child_by_field_name("name"), base.child_by_field_name("arguments")) else {
            return;
        };
        if let (Some(lanes), "thread_block_tile") = (Self::tile_lanes(given), self.text(name)) {
            let asked = list.named_child(0).map_or("", |first| self.text(first));
            if parameters.iter().any(|p| p == asked) {
                found.values.entry(asked.to_owned()).or_insert((lanes, Type::UINT));
            }
            return;
        }
        // `I` of `std::index_sequence<I...>` are the numbers from 0. [INF-PACK]
        if let (Some(count), "index_sequence" | "integer_sequence") = (length_of_sequence(given), self.text(name)) {
            let pack = last_named(list).map_or("", |last| self.text(last).trim_end_matches('.').trim());
            if parameters.iter().any(|p| p == pack) {
                found.packs.insert(pack.to_owned(), count);
                let element = |i: usize| (element_name(pack, i), (i as i128, Type::Int(IntTy::U64)));
                found.values.extend((0..count).map(element));
            }
            return;
        }
        let Some((class, bound)) = self.class_node(given.value()).filter(|_| base.kind() == "template_type") else {
            return;
        };
        let order = match self.lower.names.find_type(self.text(name), self.scope, &qualifier) {
            Found::One(TypeDecl::Class(template, Some(own))) if template == class => self.template_parameters(own),
            _ => return,
        };
        for (parameter, argument) in order.iter().zip(self.template_arguments(list)) {
            let text = self.text(argument).trim().to_owned();
            let own = parameters.contains(&text);
            match (bound.values.get(parameter), bound.types.get(parameter)) {
                (Some(value), _) if own => drop(found.values.entry(text).or_insert(value.clone())),
                (None, Some(ty)) => {
                    if let (true, Some(finer)) = (own, bound.finer.get(parameter)) {
                        found.finer.entry(text).or_insert(finer.clone());
                    }
                    let pattern = self.type_of(argument);
                    self.deduce(&pattern, ty, parameters, found);
                    if let (Some(inner), None) =
                        (argument.child_by_field_name("type"), argument.child_by_field_name("declarator"))
                    {
                        self.deduce_instance(inner, ty, parameters, found);
                    }
                }
                _ => {}
            }
        }
    }

    /// Matches the type of a parameter, in which template parameters are unknown types, with that of an argument.
    pub fn deduce(&self, pattern: &Type, argument: &Type, parameters: &[String], found: &mut Bindings) {
        match (pattern.value(), argument.value()) {
            (Type::Unknown(name), ty) if parameters.iter().any(|p| **p == **name) => {
                let ty = match ty {
                    Type::Array(elem, _) if !matches!(pattern, Type::Ref(_)) => Type::Ptr(elem.clone()),
                    other => other.clone(),
                };
                found.types.entry(name.to_string()).or_insert(ty);
            }
            (Type::Ptr(p), Type::Ptr(a) | Type::Array(a, _)) => self.deduce(p, a, parameters, found),
            (p @ Type::Struct(_), a @ Type::Struct(_)) if p != a => {
                // Instances of one class template.
                let (Some((of, wanted)), Some((from, given))) = (self.class_node(p), self.class_node(a)) else {
                    return;
                };
                if of == from {
                    for (name, ty) in &wanted.types {
                        if let Some(given) = given.types.get(name) {
                            self.deduce(ty, given, parameters, found);
                        }
                    }
                }
            }
            (Type::Array(p, _), Type::Array(a, _) | Type::Ptr(a)) => self.deduce(p, a, parameters, found),
            _ => {}
        }
    }
}

/// What a parameter with this declarator is, or points to, for an argument of a type.
fn pointed_to<'a>(declarator: Option<Node<'_>>, given: &'a Type) -> Option<&'a Type> {
    let (mut next, mut given) = (declarator, given.value());
    while let Some(node) = next {
        match node.kind() {
            "pointer_declarator" | "abstract_pointer_declarator" | "array_declarator" | "abstract_array_declarator" => {
                given = given.element()?;
            }
            "reference_declarator" | "abstract_reference_declarator" => {}
            "identifier" => break,
            _ => return None,
        }
        next = node.child_by_field_name("declarator").or_else(|| last_named(node));
    }
    Some(given.value())
}

/// The first node of a kind below another one.
fn descendant<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if node.kind() == kind {
            return Some(node);
        }
        let mut cursor = node.walk();
        let inner: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        stack.extend(inner.into_iter().rev());
    }
    None
}

/// The name of the i-th parameter of a template that has none; no other has it.
pub(super) fn unnamed_parameter(i: usize) -> String {
    format!("#{i}")
}

/// How many numbers the type of a sequence of them has; more than a pack may have are not followed.
pub(super) fn length_of_sequence(ty: &Type) -> Option<usize> {
    let Type::Unknown(name) = ty.value() else { return None };
    let count: usize = name.strip_prefix("sequence<")?.strip_suffix('>')?.parse().ok()?;
    (count <= 64).then_some(count)
}
