//! What functions of the unit return of what they are given, and of their object. [HOST-OVERLAP]

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::unit::{FunDecl, TypeDecl, child_of_kind, declared_name, each_named, last_named, split_init};
use super::Host;
use super::methods::gives_view;
use super::outside::is_arrow;
use super::overlaps::{listed_subscript, method_of};
use super::places::listed_in;
use super::pointers::only_casts;

/// What a call may return, or a pointer into it. A path says which part it is: `.p`, or `[0].p` of a pointer to an object.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Returned<'u> {
    /// A parameter, by its position.
    Parameter(usize),
    /// An object that may keep a parameter.
    Holder(usize),
    /// A part of a parameter, or its address.
    Part { of: usize, path: String, address: bool },
    /// The object itself, a part of it, or a variable of the unit, or its address. Is it the only pointer of its class?
    Member { path: String, address: bool, only: bool, of_unit: bool },
    /// Of a lambda, what stands in the function around it.
    Value(Node<'u>),
}

impl Returned<'_> {
    /// Is it the address of a place?
    pub(super) fn is_address(&self) -> bool {
        matches!(self, Returned::Part { address: true, .. } | Returned::Member { address: true, .. })
    }
}

/// A function or a lambda, and the names in it.
#[derive(Clone)]
pub(super) struct Callee<'u> {
    pub node: Node<'u>,
    pub parameters: Vec<(&'u str, Node<'u>)>,
    pub class: Option<Node<'u>>,
    pub is_lambda: bool,
}

impl<'u> Host<'_, 'u> {
    /// What a function of the unit, or a lambda of this function, may return: as it is, or moved.
    pub(super) fn returned_by(&self, function: Node<'u>) -> Rc<[Returned<'u>]> {
        if let Some(known) = self.returned.borrow().get(&function.id()) {
            return known.clone();
        }
        let found: Rc<[Returned<'u>]> = self.read_returns(function).into();
        self.returned.borrow_mut().insert(function.id(), found.clone());
        found
    }

    fn read_returns(&self, function: Node<'u>) -> Vec<Returned<'u>> {
        let mut all = Vec::new();
        for callee in self.callees(function).iter() {
            let key = (callee.node.id(), callee.class.map(|class| class.id()));
            let known = self.returned_of.borrow().get(&key).cloned();
            let found = known.unwrap_or_else(|| self.returns_of(callee).into());
            all.extend_from_slice(&found);
            self.returned_of.borrow_mut().insert(key, found);
        }
        all
    }

    /// The functions of the unit, or the lambda of this function, that a call may call.
    pub(super) fn callees(&self, function: Node<'u>) -> Rc<[Callee<'u>]> {
        if let Some(known) = self.callees.borrow().get(&function.id()) {
            return known.clone();
        }
        let found: Rc<[Callee<'u>]> = self.read_callees(function).into();
        self.callees.borrow_mut().insert(function.id(), found.clone());
        found
    }

    fn read_callees(&self, function: Node<'u>) -> Vec<Callee<'u>> {
        if let Some(lambda) = self.lambda_named(function) {
            let declarator = lambda.child_by_field_name("declarator");
            let list = declarator.and_then(|d| d.child_by_field_name("parameters"));
            let parameters = list.map_or(Vec::new(), |list| self.names_in(list));
            return vec![Callee { node: lambda, parameters, class: None, is_lambda: true }];
        }
        let method = method_of(function);
        let class = match method {
            Some((object, _)) => self
                .class_at(object, is_arrow(self.unit.str(function), object, function), 0)
                .or_else(|| self.class_of(self.variable_at(Some(object).filter(|o| o.kind() == "identifier")?)?.ty?)),
            // `S::f(x)`
            None => {
                let scope = function.child_by_field_name("scope").and_then(|scope| self.class_of(scope));
                scope.or_else(|| self.class_around())
            }
        };
        let name = method.map_or(self.callee(function), |(_, name)| self.unit.str(name));
        let name = name.split('<').next().unwrap_or(name);
        let own = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        // Of an object whose class is not known it may be any method of that name.
        let is_known = class.is_some() || method.is_none();
        let may_be =
            |d: &&FunDecl<'u>| d.has_body && !d.is_kernel && (method.is_none() || !is_known || d.class == class);
        let mut all: Vec<Callee<'u>> = own.iter().filter(may_be).map(|d| self.callee_of(d)).collect();
        match class {
            Some(class) => self.add_methods(class, name, &mut all, 0),
            None if !is_known => {
                for class in self.classes_with(name) {
                    self.add_methods(class, name, &mut all, 0);
                }
            }
            None => {}
        }
        all
    }

    /// The constructors of a class.
    pub(super) fn constructors(&self, class: Node<'u>) -> Vec<Callee<'u>> {
        let name = class.child_by_field_name("name").map_or("", |n| self.unit.str(n));
        let name = name.split('<').next().unwrap_or(name);
        let mut all = Vec::new();
        self.add_methods(class, name, &mut all, usize::MAX);
        let own = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        all.extend(own.iter().filter(|d| d.has_body && d.class == Some(class)).map(|d| self.callee_of(d)));
        all
    }

    fn callee_of(&self, decl: &FunDecl<'u>) -> Callee<'u> {
        let list = decl.declarator.child_by_field_name("parameters");
        let parameters = list.map_or(Vec::new(), |list| self.names_in(list));
        Callee { node: decl.node, parameters, class: decl.class, is_lambda: false }
    }

    /// The lambda that this is, or that a variable of the function, or another one that it is made of, is made of.
    pub(super) fn lambda_named(&self, function: Node<'u>) -> Option<Node<'u>> {
        if function.kind() == "lambda_expression" {
            return Some(function);
        }
        let name = Some(function).filter(|f| f.kind() == "identifier").map(|f| self.unit.str(f))?;
        self.find(name, function)?;
        let lambdas = self.lambdas.get_or_init(|| {
            let mut found = FxHashMap::default();
            each_named(self.function, |n| {
                let value = n.child_by_field_name("value").filter(|v| v.kind() == "lambda_expression");
                let name = declared_name(n).filter(|_| n.kind() == "init_declarator");
                found.extend(name.map(|name| self.unit.str(name)).zip(value));
            });
            found
        });
        let known = lambdas.get(name).copied();
        known.or_else(|| {
            let value = self.variable_at(function)?.events.iter().find(|e| e.declares)?.value?;
            let other = if value.kind() == "identifier" { Some(value) } else { last_named(value) };
            lambdas.get(self.unit.str(other.filter(|o| o.kind() == "identifier")?)).copied()
        })
    }

    /// The functions of a name that a class, or one that it is derived from, defines in its body.
    fn add_methods(&self, class: Node<'u>, name: &str, found: &mut Vec<Callee<'u>>, depth: usize) {
        const MAX_BASES: usize = 4;
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            let item = if item.kind() == "template_declaration" { last_named(item) } else { Some(item) };
            let Some(item) = item.filter(|item| item.kind() == "function_definition") else { continue };
            let Some(mut declarator) = item.child_by_field_name("declarator") else { continue };
            while declarator.kind() != "function_declarator" {
                let Some(inner) = declarator.child_by_field_name("declarator").or_else(|| last_named(declarator))
                else {
                    break;
                };
                declarator = inner;
            }
            if declared_name(declarator).is_some_and(|own| self.unit.str(own) == name) {
                let list = declarator.child_by_field_name("parameters");
                let parameters = list.map_or(Vec::new(), |list| self.names_in(list));
                found.push(Callee { node: item, parameters, class: Some(class), is_lambda: false });
            }
        }
        let bases = child_of_kind(class, "base_class_clause").filter(|_| depth < MAX_BASES).map(listed_in);
        for base in bases.unwrap_or_default() {
            if let Some(base) = self.class_of(base) {
                self.add_methods(base, name, found, depth + 1);
            }
        }
    }

    /// Parameters by their names.
    fn names_in(&self, list: Node<'u>) -> Vec<(&'u str, Node<'u>)> {
        let named = |p: &Node<'u>| p.child_by_field_name("declarator").and_then(declared_name);
        listed_in(list).into_iter().map(|p| (named(&p).map_or("", |n| self.unit.str(n)), p)).collect()
    }

    fn returns_of(&self, callee: &Callee<'u>) -> Vec<Returned<'u>> {
        // The values that names of the function are given, also as parts of them.
        let (mut open, mut given): (Vec<Node<'u>>, Vec<(&'u str, Node<'u>, Node<'u>)>) = (Vec::new(), Vec::new());
        each_named(callee.node, |n| {
            let field = |name: &str| n.child_by_field_name(name);
            let first = |to: Node<'u>| {
                let mut to = to;
                while let Some(inner) = to.child_by_field_name("argument") {
                    to = inner;
                }
                self.unit.str(declared_name(to).unwrap_or(to))
            };
            match n.kind() {
                "return_statement" => open.extend(last_named(n)),
                "init_declarator" => {
                    let (inner, value) = split_init(n);
                    given.extend(value.map(|value| (first(inner), n, value)));
                }
                "declaration" => {
                    let mut cursor = n.walk();
                    let all = n.children_by_field_name("declarator", &mut cursor);
                    given.extend(all.filter(|d| d.kind() != "init_declarator").map(|d| (first(d), n, d)));
                }
                "assignment_expression" => {
                    given.extend(field("left").zip(field("right")).map(|(left, right)| (first(left), n, right)));
                }
                _ => {}
            }
        });
        let mut seen: Vec<Node<'u>> = Vec::new();
        let mut found = Vec::new();
        while let Some(value) = open.pop() {
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            let field = |name: &str| value.child_by_field_name(name);
            match value.kind() {
                "parenthesized_expression" => open.extend(last_named(value)),
                "cast_expression" => open.extend(field("value")),
                "comma_expression" => open.extend(field("right")),
                "assignment_expression" => open.extend(field("left").into_iter().chain(field("right"))),
                "conditional_expression" => open.extend(field("consequence").into_iter().chain(field("alternative"))),
                "binary_expression" if matches!(field("operator").map(|o| self.unit.str(o)), Some("+" | "-")) => {
                    let is_number = |n: &Node<'u>| self.is_number_in(*n, callee);
                    open.extend(field("left").filter(|n| !is_number(n)).or_else(|| field("right")));
                }
                "pointer_expression" if self.unit.str(value).starts_with('&') => {
                    let place = field("argument");
                    let inner = place.filter(|p| matches!(p.kind(), "subscript_expression" | "pointer_expression"));
                    open.extend(inner.and_then(|p| p.child_by_field_name("argument")));
                    let place = place.filter(|_| inner.is_none());
                    found.extend(place.and_then(|place| self.part_in(place, true, callee)));
                }
                "pointer_expression" | "this" => {
                    let pointer = field("argument").filter(|p| p.kind() == "identifier");
                    let pointer = pointer.map_or("", |p| self.unit.str(p));
                    open.extend(given.iter().filter(|(own, ..)| *own == pointer).map(|(.., value)| *value));
                    found.extend(self.part_in(value, false, callee));
                }
                // The parts of an object.
                "initializer_list" | "argument_list" => {
                    open.extend(listed_in(value).into_iter().filter(|n| !self.is_number_in(*n, callee)));
                }
                "initializer_pair" => open.extend(field("value")),
                "compound_literal_expression" => open.extend(field("value")),
                "identifier" => {
                    let name = self.unit.str(value);
                    let at = callee.parameters.iter().position(|(own, _)| *own == name);
                    let is_number = self.is_number_in(value, callee);
                    let is_local = given.iter().any(|(to, at, _)| *to == name && at.kind() != "assignment_expression");
                    let whole = if self.is_in_list(value) { Returned::Holder } else { Returned::Parameter };
                    found.extend(at.filter(|_| !is_number).map(whole));
                    // A variable of the function that stays is one for all calls.
                    let stays = |n: Node<'u>| {
                        let declaration = if n.kind() == "init_declarator" { self.up(n) } else { Some(n) };
                        declaration.is_some_and(|d| d.kind() == "declaration" && self.unit.str(d).starts_with("static"))
                    };
                    if at.is_none() && given.iter().any(|(to, n, _)| *to == name && stays(*n)) {
                        let path = format!(".{} of {}", name, callee.node.start_byte());
                        found.push(Returned::Member { path, address: false, only: false, of_unit: true });
                    }
                    let values = given.iter().filter(|(to, ..)| *to == name).map(|(.., value)| *value);
                    match at {
                        Some(_) => open.extend(values),
                        None if is_local => {
                            open.extend(values.filter(|v| self.unit.str(*v) != name));
                            // Where it is stored besides, it is what is there.
                            let stored = given.iter().filter(|(.., value)| self.unit.str(*value) == name);
                            open.extend(stored.filter_map(|(_, at, _)| at.child_by_field_name("left")));
                        }
                        None if callee.is_lambda => found.push(Returned::Value(value)),
                        None if !is_number => found.push(self.member_returned(format!(".{name}"), false, callee)),
                        None => {}
                    }
                }
                "subscript_expression" if self.is_number_behind_in(value, callee) => {}
                "field_expression" | "subscript_expression" => {
                    let mut root = value;
                    while let Some(object) = root.child_by_field_name("argument") {
                        root = object;
                    }
                    let name = self.unit.str(root);
                    let at = callee.parameters.iter().position(|(own, _)| *own == name);
                    let is_local = given.iter().any(|(to, at, _)| *to == name && at.kind() != "assignment_expression");
                    match at {
                        // As the part of an object it makes that one of two that share something.
                        Some(at) if self.is_in_list(value) => found.push(Returned::Holder(at)),
                        None if callee.is_lambda && root.kind() != "this" => found.push(Returned::Value(value)),
                        None if is_local => open.push(root),
                        _ => found.extend(self.part_in(value, false, callee)),
                    }
                }
                // `x.contiguous()`, `std::move(x)`, `reinterpret_cast<T *>(x)`, `V(x, n)`
                "call_expression" => {
                    let Some(called) = field("function") else { continue };
                    let of = called.child_by_field_name("argument").filter(|_| called.kind() == "field_expression");
                    let method = called.child_by_field_name("field").map_or("", |f| self.unit.str(f));
                    let text = self.unit.str(called);
                    let passes = text == "std::move" || only_casts(text.split('<').next().unwrap_or(text));
                    let makes = self.lower.names.types.contains_key(self.callee(called));
                    let arguments = field("arguments").map(listed_in).unwrap_or_default();
                    open.extend(of.filter(|_| gives_view(method)));
                    if passes || makes {
                        open.extend(arguments.into_iter().filter(|n| !self.is_number_in(*n, callee)));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Is this a part of an object that is made here, or a value of a part of one?
    fn is_in_list(&self, value: Node<'u>) -> bool {
        let mut inner = value;
        while let Some(outer) = self.up(inner) {
            match outer.kind() {
                "initializer_list" | "compound_literal_expression" => return true,
                "call_expression" => {
                    let called = outer.child_by_field_name("function");
                    return called.is_some_and(|f| self.lower.names.types.contains_key(self.callee(f)));
                }
                "assignment_expression" => {
                    let to = outer.child_by_field_name("left");
                    return to.is_some_and(|to| to.kind() == "field_expression" && to != inner);
                }
                "return_statement" | "declaration" | "function_definition" => return false,
                _ => inner = outer,
            }
        }
        false
    }

    fn is_global_pointer(&self, name: &str) -> bool {
        let list = self.lower.names.globals.get(name).map_or(&[][..], Vec::as_slice);
        list.iter().any(|(_, decl)| decl.declarator.kind() != "identifier")
    }

    fn member_returned(&self, path: String, address: bool, callee: &Callee<'u>) -> Returned<'u> {
        let pointers = callee.class.map_or(0, |class| {
            let is_pointer = |d: &Node<'u>| d.kind() == "pointer_declarator";
            self.declarators_in(class).iter().filter(|(_, d)| is_pointer(d)).count()
        });
        Returned::Member { path, address, only: pointers == 1 && !address, of_unit: false }
    }

    /// The part of a parameter, or of the object, that an expression names.
    fn part_in(&self, place: Node<'u>, address: bool, callee: &Callee<'u>) -> Option<Returned<'u>> {
        // `this` is the address of the object.
        if place.kind() == "this" {
            return (!address).then(|| self.member_returned(String::new(), true, callee));
        }
        let (mut root, mut path) = (place, String::new());
        loop {
            let field = |name: &str| root.child_by_field_name(name);
            match root.kind() {
                "parenthesized_expression" => root = last_named(root)?,
                "field_expression" => {
                    let (object, name) = (field("argument")?, field("field")?);
                    let behind = if is_arrow(self.unit.str(root), object, root) { "[0]" } else { "" };
                    path = format!("{behind}.{}{path}", self.unit.str(name));
                    root = object;
                }
                "subscript_expression" => {
                    // A parameter is what the call gives it.
                    let at = self.unit.str(listed_subscript(root)?);
                    path = match callee.parameters.iter().position(|(own, _)| *own == at) {
                        Some(given) => format!("[${given}]{path}"),
                        None => format!("[{at}]{path}"),
                    };
                    root = field("argument")?;
                }
                "pointer_expression" if self.unit.str(root).starts_with('*') => {
                    path = format!("[0]{path}");
                    root = field("argument")?;
                }
                "this" => {
                    let path = path.strip_prefix("[0]")?.to_owned();
                    return Some(self.member_returned(path, address, callee));
                }
                "identifier" => {
                    let name = self.unit.str(root);
                    return Some(match callee.parameters.iter().position(|(own, _)| *own == name) {
                        Some(of) => Returned::Part { of, path, address },
                        None => self.member_returned(format!(".{name}{path}"), address, callee),
                    });
                }
                _ => return None,
            }
        }
    }

    /// The classes of the unit that define a method of a name in their bodies.
    fn classes_with(&self, name: &str) -> Vec<Node<'u>> {
        let known = self.methods.get_or_init(|| {
            let mut known: FxHashMap<&'u str, Vec<Node<'u>>> = FxHashMap::default();
            let all = self.lower.names.types.values().flatten();
            for class in
                all.filter_map(|(_, decl)| if let TypeDecl::Class(class, _) = decl { Some(*class) } else { None })
            {
                for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
                    let item = if item.kind() == "template_declaration" { last_named(item) } else { Some(item) };
                    let item = item.filter(|item| item.kind() == "function_definition");
                    let declarator = item.and_then(|item| item.child_by_field_name("declarator"));
                    if let Some(name) = declarator.and_then(declared_name) {
                        let classes = known.entry(self.unit.str(name)).or_default();
                        classes.extend(Some(class).filter(|class| classes.last() != Some(class)));
                    }
                }
            }
            known
        });
        known.get(name).cloned().unwrap_or_default()
    }

    /// The fields that a class declares: the declaration, and the declarator.
    pub(super) fn declarators_in(&self, class: Node<'u>) -> Vec<(Node<'u>, Node<'u>)> {
        let mut found = Vec::new();
        for item in class.child_by_field_name("body").map(listed_in).unwrap_or_default() {
            let mut cursor = item.walk();
            let all = item.children_by_field_name("declarator", &mut cursor);
            found.extend(all.filter(|_| item.kind() == "field_declaration").map(|d| (item, d)));
        }
        found
    }

    /// Is this an element of a parameter that points to numbers?
    fn is_number_behind_in(&self, element: Node<'u>, callee: &Callee<'u>) -> bool {
        let array = element.child_by_field_name("argument").map_or("", |a| self.unit.str(a));
        callee.parameters.iter().filter(|(own, _)| *own == array).any(|(_, parameter)| {
            let field = |name: &str| parameter.child_by_field_name(name);
            let inner = field("declarator").filter(|d| matches!(d.kind(), "pointer_declarator" | "array_declarator"));
            inner.and_then(|d| d.child_by_field_name("declarator")).is_some_and(|d| d.kind() == "identifier")
                && field("type").is_some_and(|ty| self.is_arithmetic(ty))
        })
    }

    /// Is a name that a function does not declare surely one of a number?
    pub(super) fn is_number_outside(&self, name: &str, callee: &Callee<'u>) -> bool {
        let fields = callee.class.map_or(Vec::new(), |class| self.declarators_in(class));
        let is_it = |d: Node<'u>| declared_name(d).is_some_and(|n| self.unit.str(n) == name);
        let is_number = |(declaration, d): &(Node<'u>, Node<'u>)| {
            let ty = declaration.child_by_field_name("type");
            matches!(d.kind(), "identifier" | "field_identifier") && ty.is_some_and(|ty| self.is_arithmetic(ty))
        };
        match fields.iter().find(|(_, d)| is_it(*d)) {
            Some(field) => is_number(field),
            None => self.is_global_number(name) && !self.is_global_pointer(name),
        }
    }

    /// Is this surely a number in a function, and no pointer?
    pub(super) fn is_number_in(&self, node: Node<'u>, callee: &Callee<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_number_in(p, callee));
        let is_plain = |declaration: Node<'u>, declarator: Node<'u>| {
            let ty = declaration.child_by_field_name("type");
            let plain = matches!(declarator.kind(), "identifier" | "field_identifier" | "reference_declarator");
            plain && ty.is_some_and(|ty| self.is_arithmetic(ty))
        };
        let of_class = |name: &str| {
            let fields = callee.class.map_or(Vec::new(), |class| self.declarators_in(class));
            let is_it = |d: Node<'u>| declared_name(d).is_some_and(|n| self.unit.str(n) == name);
            fields.into_iter().any(|(declaration, d)| is_it(d) && is_plain(declaration, d))
        };
        match node.kind() {
            "number_literal" | "char_literal" | "sizeof_expression" | "true" | "false" | "null" => true,
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" => of(field("argument")),
            "binary_expression" => match field("operator").map_or("", |o| self.unit.str(o)) {
                "+" => of(field("left")) && of(field("right")),
                "-" => of(field("left")),
                _ => true,
            },
            "cast_expression" => {
                let ty = field("type");
                ty.is_some_and(|ty| {
                    child_of_kind(ty, "abstract_pointer_declarator").is_none() && self.is_arithmetic(ty)
                })
            }
            "identifier" => {
                let name = self.unit.str(node);
                let own = callee.parameters.iter().find(|(own, _)| *own == name);
                let mut local = None;
                each_named(callee.node, |n| {
                    let mut cursor = n.walk();
                    for d in n.children_by_field_name("declarator", &mut cursor).filter(|_| n.kind() == "declaration") {
                        let inner = split_init(d).0;
                        if declared_name(inner).is_some_and(|at| self.unit.str(at) == name) {
                            local = Some(is_plain(n, inner));
                        }
                    }
                });
                match (own, local) {
                    (Some((_, p)), _) => p.child_by_field_name("declarator").is_none_or(|d| is_plain(*p, d)),
                    (None, Some(local)) => local,
                    (None, None) if callee.is_lambda => self.is_named_number(name, node) && !self.is_pointer(node),
                    (None, None) => of_class(name) || self.is_global_number(name) && !self.is_global_pointer(name),
                }
            }
            "field_expression" if field("argument").is_some_and(|a| a.kind() == "this") => {
                field("field").is_some_and(|f| of_class(self.unit.str(f)))
            }
            _ => false,
        }
    }
}
