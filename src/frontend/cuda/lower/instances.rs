//! The instances of a template that the text asks for.

use super::super::host::names_own_type;
use super::packs::is_pack;
use super::*;

/// More instances of one template than this are not told apart.
const MOST: usize = 64;

/// How many templates are followed that name each other.
const DEPTH: usize = 8;

/// Some instances, and whether these are all.
#[derive(Clone)]
pub struct Asked {
    pub instances: Vec<Bindings>,
    pub complete: bool,
}

impl Asked {
    const UNKNOWN: Asked = Asked { instances: Vec::new(), complete: false };

    /// May this be one of them? What is open in one of the two may be what the other has.
    pub fn may_have(&self, bindings: &Bindings) -> bool {
        !self.complete || self.instances.iter().any(|instance| instance.agrees(bindings))
    }

    /// In what a text is read so that nothing is missed: where these are not all instances, also in one of which nothing is
    /// known.
    fn environments(&self) -> Vec<Bindings> {
        let open = (!self.complete).then(Bindings::default);
        self.instances.iter().cloned().chain(open).collect()
    }

    fn add(&mut self, other: Asked) {
        self.complete &= other.complete;
        for bindings in other.instances {
            if !self.instances.contains(&bindings) {
                self.instances.push(bindings);
            }
        }
    }
}

impl<'t> Lower<'t> {
    /// Every instance of a kernel that the text asks for: the kernel itself, or, for a template, each list of arguments
    /// that it is named with, in every instance of the function that names it. Types that are not known there stay open:
    /// the instance is generic in them. One that is generic in all is added when there is none, or when a use does not say
    /// which instance it means. [HOST-INSTANCE]
    pub fn instances(&mut self, kernel: &FunDecl<'t>) -> Vec<Bindings> {
        if kernel.template.is_none_or(|parameters| parameters.named_child_count() == 0) {
            return vec![Bindings::default()];
        }
        let Asked { mut instances, complete } = self.asked_for(kernel, 0);
        let mut body = Body::new(self, Bindings::default());
        body.scope = kernel.scope;
        instances.retain(|bindings| !matches!(body.special_instance(kernel, bindings), Found::One(_)));
        if instances.is_empty() || !complete {
            instances.push(Bindings::default());
        }
        instances
    }

    fn asked_for(&mut self, decl: &FunDecl<'t>, depth: usize) -> Asked {
        if let Some(known) = self.asked.get(&(decl.node.id(), 0)) {
            return known.clone();
        }
        let asked = self.asked_anywhere(decl, depth);
        self.asked.insert((decl.node.id(), 0), asked.clone());
        asked
    }

    fn asked_anywhere(&mut self, decl: &FunDecl<'t>, depth: usize) -> Asked {
        let Some(name) = declared_name(decl.declarator).filter(|_| depth < DEPTH) else { return Asked::UNKNOWN };
        let name = self.unit.str(self.unit.qualified(name).1);
        let mut asked = Asked { instances: Vec::new(), complete: true };
        for place in self.names.uses.get(name).cloned().unwrap_or_default() {
            asked.add(self.asked_by(decl, place, depth));
            if asked.instances.len() > MOST {
                return Asked::UNKNOWN;
            }
        }
        asked.complete &= !asked.instances.is_empty();
        asked
    }

    /// The instances of a template that one use of its name means.
    ///
    /// Shape:  the `template_function`, or the `identifier` alone.
    pub fn asked_by(&mut self, decl: &FunDecl<'t>, place: Node<'t>, depth: usize) -> Asked {
        let key = (decl.node.id(), place.id());
        if let Some(known) = self.asked.get(&key) {
            return known.clone();
        }
        let asked = self.asked_at(decl, place, depth);
        self.asked.insert(key, asked.clone());
        asked
    }

    fn asked_at(&mut self, decl: &FunDecl<'t>, place: Node<'t>, depth: usize) -> Asked {
        let Some((function, around)) = self.instances_around(place, depth) else { return Asked::UNKNOWN };
        self.asked_in(decl, place, function.as_ref(), &around)
    }

    /// What one use of a template in a function template means, where that is called by this name. `None`: it is in none.
    pub fn asked_through(&mut self, decl: &FunDecl<'t>, place: Node<'t>, name: Node<'t>) -> Option<Asked> {
        let (function, _) = self.instances_around(place, 0)?;
        let function =
            function.filter(|f| f.class.is_none() && f.template.is_some_and(|p| p.named_child_count() > 0))?;
        let around = self.asked_by(&function, name, 0);
        Some(self.asked_in(decl, place, Some(&function), &around))
    }

    /// What it means in these instances of the function around it.
    fn asked_in(
        &mut self,
        decl: &FunDecl<'t>,
        place: Node<'t>,
        function: Option<&FunDecl<'t>>,
        around: &Asked,
    ) -> Asked {
        let Some(parameters) = decl.template else { return Asked::UNKNOWN };
        let list = place.child_by_field_name("arguments").filter(|_| place.kind().starts_with("template_"));
        if list.is_some_and(|list| names_own_type(self, list)) {
            return Asked::UNKNOWN;
        }
        let mut whole = place;
        while let Some(parent) = whole.parent().filter(|p| p.kind() == "qualified_identifier") {
            whole = parent;
        }
        let call = whole.parent().filter(|p| p.child_by_field_name("function") == Some(whole));
        // `template void run(float *p);`
        let explicit = whole.parent().filter(|p| p.kind() == "function_declarator");
        // A call with another number of arguments is one of another function.
        let given = call.and_then(|call| call.child_by_field_name("arguments"));
        let other = given.is_some_and(|list| {
            let mut cursor = list.walk();
            let items: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
            !items.iter().any(|n| n.kind() == "parameter_pack_expansion") && !Body::takes(decl, items.len())
        });
        if other {
            return Asked { instances: Vec::new(), complete: true };
        }
        let mut asked = Asked { instances: Vec::new(), complete: true };
        for environment in &around.environments() {
            let mut body = self.body_at(call.unwrap_or(place), function, environment);
            let given = list.map(|list| body.template_arguments(list)).unwrap_or_default();
            // How long a pack is, the arguments of the call say.
            let mut cursor = parameters.walk();
            let packed = call.is_some() && parameters.named_children(&mut cursor).any(is_pack);
            let bound = match packed {
                true => None,
                false => body.bind_template(parameters, &given, &Bindings::default()),
            };
            let bound = bound.or_else(|| {
                let args = match (call, explicit) {
                    (Some(call), _) => {
                        let arguments = body.arguments(call);
                        body.exprs(&arguments)
                    }
                    (None, declarator) => body.declared_arguments(declarator?),
                };
                Some(body.viable(decl, list, &args, &Bindings::default())?.0)
            });
            asked.add(known(bound));
        }
        asked
    }

    /// The value of a constant expression in a function of the host.
    pub fn constant_at(&mut self, place: Node<'t>) -> Option<i128> {
        self.typed_constant_at(place).map(|(value, _)| value)
    }

    /// The same, with its type.
    pub fn typed_constant_at(&mut self, place: Node<'t>) -> Option<(i128, Type)> {
        if place.kind() == "number_literal" {
            return Body::new(self, Bindings::default()).typed_constant(place);
        }
        if names_own_type(self, place) {
            return None;
        }
        let (function, around) = self.instances_around(place, 0).unwrap_or((None, Asked::UNKNOWN));
        let (bindings, known) = match around.instances.as_slice() {
            [only] if around.complete && self.open_around(place, only).is_empty() => (only.clone(), true),
            _ => (Bindings::default(), false),
        };
        let mut body = self.body_at(place, function.as_ref(), &bindings);
        if !known {
            body.hide_around(place);
        }
        body.typed_constant(place)
    }

    /// What a function that is given nothing but the arguments of its template returns: `lanes<half>()`.
    pub fn constant_call(&mut self, call: Node<'t>) -> Option<(i128, Type)> {
        let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "template_function")?;
        let list = callee.child_by_field_name("arguments").filter(|list| !names_own_type(self, *list))?;
        let name = self.unit.str(callee.child_by_field_name("name")?);
        let [decl] = self.names.functions.get(name)?.as_slice() else { return None };
        let decl = *decl;
        let parameters = decl.template.filter(|_| decl.has_body && decl.class.is_none())?;
        let block = decl.node.child_by_field_name("body")?;
        let mut cursor = block.walk();
        let statements: Vec<Node<'t>> = block.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let [only] = statements.as_slice() else { return None };
        let value = only.named_child(0).filter(|_| only.kind() == "return_statement")?;
        let (function, around) = self.instances_around(call, 0)?;
        let [environment] = around.instances.as_slice() else { return None };
        if !around.complete || !self.open_around(call, environment).is_empty() {
            return None;
        }
        let mut here = self.body_at(call, function.as_ref(), environment);
        let given = here.template_arguments(list);
        let bindings = here.bind_template(parameters, &given, &Bindings::default())?;
        let returns = self.body_at(value, Some(&decl), &bindings).type_of(decl.node.child_by_field_name("type")?);
        let (value, _) = self.body_at(value, Some(&decl), &bindings).typed_constant(value)?;
        match returns {
            Type::Int(ty) => Some((ty.wrap(value), returns)),
            _ => None,
        }
    }

    /// The function around a place, and its instances when it is a template. `None`: these cannot be told.
    fn instances_around(&mut self, place: Node<'t>, depth: usize) -> Option<(Option<FunDecl<'t>>, Asked)> {
        let mut function = None;
        let mut templates = Vec::new();
        for around in self.unit.around(place) {
            match around.kind() {
                "function_definition" if function.is_none() => function = Some(around),
                "template_declaration" => templates.push(around),
                _ => {}
            }
        }
        let once = Asked { instances: vec![Bindings::default()], complete: true };
        let is_template = |t: &Node| t.child_by_field_name("parameters").is_some_and(|p| p.named_child_count() > 0);
        templates.retain(is_template);
        let Some(function) = function else { return templates.is_empty().then_some((None, once)) };
        let name = declared_name(function.child_by_field_name("declarator")?)?;
        let name = self.unit.str(self.unit.qualified(name).1);
        let overloads = self.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let decl = match overloads.iter().find(|d| d.node == function) {
            Some(decl) => *decl,
            None => self.member_at(function)?,
        };
        match templates.as_slice() {
            [] => Some((Some(decl), once)),
            [own] if function.parent() == Some(*own) && decl.class.is_none() => {
                Some((Some(decl), self.asked_for(&decl, depth + 1)))
            }
            [own] => Some((Some(decl), self.member_instances(&decl, *own, depth)?)),
            _ => None,
        }
    }

    /// The instances of a member function of a class template: those of the class. [HOST-INSTANCE]
    fn member_instances(&mut self, decl: &FunDecl<'t>, template: Node<'t>, depth: usize) -> Option<Asked> {
        let class = decl.class?;
        let of_class = class.parent().filter(|p| p.kind() == "template_declaration")?;
        let parameters = of_class.child_by_field_name("parameters")?;
        let here = template.child_by_field_name("parameters")?;
        let mut asked = self.instances_of_class(class, parameters, depth + 1);
        if of_class == template {
            return Some(asked);
        }
        // A definition outside of the class calls the parameters by names of its own.
        if decl.node.parent() != Some(template) {
            return None;
        }
        let body = Body::new(self, Bindings::default());
        let (own, here) = (body.template_parameters(parameters), body.template_parameters(here));
        if own.len() != here.len() {
            return None;
        }
        asked.instances.iter_mut().for_each(|bindings| bindings.rename(&own, &here));
        Some(asked)
    }

    /// Every instance of a class template that the text names, outside of the class and its members.
    fn instances_of_class(&mut self, class: Node<'t>, parameters: Node<'t>, depth: usize) -> Asked {
        if let Some(known) = self.asked.get(&(class.id(), 0)) {
            return known.clone();
        }
        let name = class.child_by_field_name("name").map_or("", |name| self.unit.str(name));
        let declared = self.names.types.get(name).map_or(0, Vec::len);
        let special = self.names.special_classes.contains_key(name);
        if depth >= DEPTH || declared != 1 || special || self.names.type_parameters.contains(name) {
            return Asked::UNKNOWN;
        }
        let mut asked = Asked { instances: Vec::new(), complete: true };
        for place in self.names.class_uses.get(name).cloned().unwrap_or_default() {
            if !self.is_within_class(place, class, parameters) {
                asked.add(self.class_asked_at(place, parameters, depth));
            }
            if asked.instances.len() > MOST {
                return Asked::UNKNOWN;
            }
        }
        asked.complete &= !asked.instances.is_empty();
        self.asked.insert((class.id(), 0), asked.clone());
        asked
    }

    /// Is this name of a class template what declares it, or does it stand for the instance that the class itself is?
    fn is_within_class(&mut self, place: Node<'t>, class: Node<'t>, parameters: Node<'t>) -> bool {
        let unit: &'t Unit<'t> = self.unit;
        let is_class = |n: &Node<'t>| matches!(n.kind(), "class_specifier" | "struct_specifier");
        let declared = place.parent().filter(|p| is_class(p) && p.child_by_field_name("body").is_none());
        let only_declared = declared.and_then(|p| p.parent()).is_some_and(|p| p.kind() == "template_declaration");
        if class.child_by_field_name("name") == Some(place) || only_declared && place.kind() == "type_identifier" {
            return true;
        }
        let body = Body::new(self, Bindings::default());
        let list = place.child_by_field_name("arguments").filter(|_| place.kind().starts_with("template_"));
        let mut cursor = place.walk();
        let given = list.map(|list| list.named_children(&mut cursor).map(|a| body.text(a).to_owned()).collect());
        if class.start_byte() <= place.start_byte() && place.end_byte() <= class.end_byte() {
            return given.is_none_or(|given: Vec<String>| given == body.template_parameters(parameters));
        }
        // `template <class T> void C<T>::f() {..}`, `template <class T> int C<T>::x = 0;`
        let around = unit.around(place);
        let own = around.iter().find(|n| n.kind() == "template_declaration");
        let own = own.and_then(|t| t.child_by_field_name("parameters")).map(|list| body.template_parameters(list));
        let function = around.into_iter().find(|n| n.kind() == "function_definition");
        let name = function.and_then(|f| declared_name(f.child_by_field_name("declarator")?));
        let name = name.map(|name| body.text(unit.qualified(name).1));
        let functions = name.and_then(|name| body.lower.names.functions.get(name));
        let is_member = functions.is_some_and(|l| l.iter().any(|d| Some(d.node) == function && d.class == Some(class)));
        let mut whole = place;
        while let Some(parent) = whole.parent().filter(|p| p.kind() == "qualified_identifier") {
            whole = parent;
        }
        let defined = whole.parent().is_some_and(|p| p.child_by_field_name("declarator") == Some(whole));
        own.is_some() && given == own && (is_member || whole != place && defined)
    }

    /// The instances of a class template that one use of its name means.
    fn class_asked_at(&mut self, place: Node<'t>, parameters: Node<'t>, depth: usize) -> Asked {
        let list = place.child_by_field_name("arguments").filter(|_| place.kind().starts_with("template_"));
        let (Some(list), Some((function, around))) = (list, self.instances_around(place, depth)) else {
            return Asked::UNKNOWN;
        };
        let mut asked = Asked { instances: Vec::new(), complete: true };
        for environment in &around.environments() {
            let mut body = self.body_at(place, function.as_ref(), environment);
            let given = body.template_arguments(list);
            let bound = body.bind_template(parameters, &given, &Bindings::default());
            asked.add(known(bound));
        }
        asked
    }

    /// A member function that is defined in its class.
    fn member_at(&self, function: Node<'t>) -> Option<FunDecl<'t>> {
        let unit: &'t Unit<'t> = self.unit;
        let list = function.parent().filter(|p| p.kind() == "field_declaration_list")?;
        let class = list.parent()?;
        let scope = *self.names.class_scopes.get(&class.id())?;
        unit.function(function, None, Some(class), scope)
    }

    /// A body at a place in a function, with the constants, types and variables that are declared before it.
    fn body_at(&mut self, place: Node<'t>, function: Option<&FunDecl<'t>>, bindings: &Bindings) -> Body<'_, 't> {
        let mut body = Body::new(self, bindings.clone());
        body.scope = body.declared_in(place);
        let Some(function) = function else { return body };
        body.scope = function.scope;
        body.enter_class(function.class);
        // Its members have the types that they have in the class.
        if let Some(class) = body.class_type.clone().filter(|_| !is_static(body.text(function.node))) {
            body.this = Some(body.declare_hidden(class.ptr(), body.span(place)));
        }
        for (name, ty, span) in body.parameters(function) {
            // An array is given as a pointer.
            let ty = match ty {
                Type::Array(elem, _) => Type::Ptr(elem),
                other => other,
            };
            body.declare_var(&name, ty, Storage::Private, span);
        }
        body.see_before(place, function.node);
        let mut open = body.lower.open_around(place, bindings);
        // A macro that is not known may declare types for the function that it is given.
        if body.is_given_away(place) {
            let mut words = FxHashSet::default();
            body.words(place.parent().unwrap_or(place), &mut words);
            let is_own = |word: &str| body.scopes.iter().any(|scope| scope.contains_key(word));
            let outer = words.into_iter().filter(|w| body.lower.names.types.contains_key(*w) && !is_own(w));
            open.extend(outer.map(str::to_owned));
        }
        body.hide(open, place);
        body
    }

    /// The names of parameters of templates and lambdas around a place that are not among these. What a macro that is not
    /// known is given may be a name that it declares for the function beside it.
    fn open_around(&mut self, place: Node<'t>, bindings: &Bindings) -> Vec<String> {
        let unit: &'t Unit<'t> = self.unit;
        let body = Body::new(self, Bindings::default());
        let mut names = Vec::new();
        let mut in_lambda = false;
        for node in unit.around(place) {
            match node.kind() {
                "template_declaration" => {
                    let list = node.child_by_field_name("parameters");
                    let own = list.map(|list| body.template_parameters(list)).unwrap_or_default();
                    names.extend(own.into_iter().filter(|name| !bindings.binds(name)));
                }
                "lambda_expression" => {
                    in_lambda = true;
                    let list = node.child_by_field_name("template_parameters");
                    names.extend(list.map(|list| body.template_parameters(list)).unwrap_or_default());
                    let declarator = node.child_by_field_name("declarator");
                    let list = declarator.and_then(|d| d.child_by_field_name("parameters"));
                    let mut cursor = node.walk();
                    let items = list.map(|l| l.named_children(&mut cursor).collect::<Vec<_>>()).unwrap_or_default();
                    let declared = |p: Node<'t>| p.child_by_field_name("declarator").and_then(declared_name);
                    names.extend(items.into_iter().filter_map(declared).map(|name| unit.str(name).to_owned()));
                }
                "argument_list" if in_lambda => {
                    let mut cursor = node.walk();
                    let plain = |n: &Node<'t>| matches!(n.kind(), "identifier" | "type_identifier");
                    let given = node.named_children(&mut cursor).filter(plain);
                    names.extend(given.map(|name| unit.str(name).to_owned()));
                }
                _ => {}
            }
        }
        names
    }
}

impl<'t> Body<'_, 't> {
    /// Does this stand in a lambda that something which is not declared is given?
    fn is_given_away(&self, place: Node<'t>) -> bool {
        let unit: &'t Unit<'t> = self.lower.unit;
        let around = unit.around(place);
        let lambdas = around.iter().enumerate().filter(|(_, n)| n.kind() == "lambda_expression");
        let calls = lambdas.filter_map(|(at, _)| around[at..].iter().find(|n| n.kind() == "call_expression"));
        calls
            .filter_map(|call| call.child_by_field_name("function"))
            .any(|callee| callee.kind() == "identifier" && !self.lower.names.functions.contains_key(unit.str(callee)))
    }

    /// Values of the types that the parameters of a declaration have.
    fn declared_arguments(&mut self, declarator: Node<'t>) -> Vec<Expr> {
        let Some(list) = declarator.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = list.walk();
        let parameters: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|p| p.kind() != "comment").collect();
        let value = |parameter: Node<'t>| {
            let base = parameter.child_by_field_name("type").map_or(Type::INT, |ty| self.type_of(ty));
            let ty = match parameter.child_by_field_name("declarator") {
                Some(declarator) => self.declare(base, &declarator).0,
                None => base,
            };
            Expr::unknown("unknown-value", "a parameter".to_owned(), ty, self.span(parameter))
        };
        parameters.into_iter().map(value).collect()
    }
}

/// One instance, which is generic in the types that are not known.
fn known(bound: Option<Bindings>) -> Asked {
    let Some(mut bindings) = bound.filter(|b| b.open.is_empty()) else { return Asked::UNKNOWN };
    let is_known = |ty: &Type| !matches!(ty.value(), Type::Unknown(_));
    bindings.finer.retain(|name, _| bindings.types.get(name).is_none_or(is_known));
    bindings.types.retain(|_, ty| is_known(ty));
    Asked { instances: vec![bindings], complete: true }
}

fn declares(node: Node) -> bool {
    matches!(
        node.kind(),
        "declaration"
            | "alias_declaration"
            | "type_definition"
            | "struct_specifier"
            | "class_specifier"
            | "union_specifier"
            | "enum_specifier"
    )
}

impl<'t> Body<'_, 't> {
    /// What the parameters of the templates around a place stand for is not known, nor what their members are: they hide what
    /// else has their names. [INF-OPEN]
    fn hide_around(&mut self, place: Node<'t>) {
        let unit = self.lower.unit;
        let mut names = Vec::new();
        for node in unit.around(place) {
            match node.kind() {
                "template_declaration" => {
                    let list = node.child_by_field_name("parameters");
                    names.extend(list.map(|p| self.template_parameters(p)).unwrap_or_default());
                }
                "field_declaration_list" => names.extend(self.declared_by(node)),
                // A member that is defined outside of its class.
                "function_definition" => {
                    let name = node.child_by_field_name("declarator").and_then(declared_name);
                    for part in name.map(|n| unit.qualified(n).0.parts).unwrap_or_default() {
                        let classes = self.lower.names.types.get(&part).map_or(&[][..], Vec::as_slice);
                        let bodies = classes.iter().filter_map(|(_, decl)| match decl {
                            TypeDecl::Class(class, _) => class.child_by_field_name("body"),
                            _ => None,
                        });
                        let bodies: Vec<Node<'t>> = bodies.collect();
                        names.extend(bodies.into_iter().flat_map(|body| self.declared_by(body)));
                    }
                }
                _ => {}
            }
        }
        self.hide(names, place);
    }

    /// Hides what else has these names: as variables, and as types.
    fn hide(&mut self, names: Vec<String>, place: Node<'t>) {
        let hidden = || Type::Unknown(Arc::from("?"));
        names.iter().for_each(|name| {
            self.declare_var(name, hidden(), Storage::Private, self.span(place));
        });
        self.scopes.push(names.into_iter().map(|name| (name, Local::Type(hidden()))).collect());
    }

    /// The names that a class declares.
    fn declared_by(&self, body: Node<'t>) -> Vec<String> {
        let mut names = Vec::new();
        let mut stack = vec![body];
        while let Some(node) = stack.pop() {
            let mut cursor = node.walk();
            let inner: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            let own = match node.kind() {
                "using_declaration" => inner.last().map(|n| self.lower.unit.qualified(*n).1),
                "compound_statement" | "parameter_list" | "argument_list" => continue,
                _ => node.child_by_field_name("name"),
            };
            let is_declarator =
                |n: &&Node<'t>| matches!(n.kind(), "field_identifier" | "identifier" | "type_identifier");
            names.extend(own.iter().chain(inner.iter()).filter(is_declarator).map(|n| self.text(*n).to_owned()));
            stack.extend(inner);
        }
        names
    }

    /// Declares what a function declares before a place in it, as far as it is named there. The rest of the names, which are
    /// those of variables, is what comes back.
    pub(super) fn see_before(&mut self, place: Node<'t>, function: Node<'t>) -> Vec<Node<'t>> {
        let mut blocks: Vec<Node<'t>> = Vec::new();
        for around in self.lower.unit.around(place) {
            if place == function || blocks.last() == Some(&function) {
                break;
            }
            blocks.push(around);
        }
        blocks.reverse();
        let mut before: Vec<(usize, Node<'t>)> = Vec::new();
        for (depth, block) in blocks.iter().enumerate() {
            let mut cursor = block.walk();
            let declarations = block.named_children(&mut cursor).take_while(|n| n.end_byte() <= place.start_byte());
            before.extend(declarations.filter(|n| declares(*n)).map(|n| (depth, n)));
        }
        // Only what is needed: the functions of a host are long.
        let mut needed = FxHashSet::default();
        self.words(place, &mut needed);
        for at in (0..before.len()).rev() {
            let mut words = FxHashSet::default();
            self.words(before[at].1, &mut words);
            if words.is_disjoint(&needed) {
                before.remove(at);
            } else {
                needed.extend(words);
            }
        }
        let mut variables = Vec::new();
        let mut declarations = before.into_iter().peekable();
        for depth in 0..blocks.len() {
            self.scopes.push(FxHashMap::default());
            while let Some((_, declaration)) = declarations.next_if(|(d, _)| *d == depth) {
                let text = self.text(declaration);
                if declaration.kind() == "declaration" && ["__shared__", "static "].iter().any(|w| text.contains(w)) {
                    variables.push(declaration);
                }
                self.stmt(declaration, &mut Vec::new());
            }
        }
        variables
    }

    /// The names below a node.
    fn words(&self, node: Node<'t>, found: &mut FxHashSet<&'t str>) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if matches!(node.kind(), "identifier" | "type_identifier") {
                found.insert(self.text(node));
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
    }
}
