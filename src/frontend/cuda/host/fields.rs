//! The parts of objects and arrays of the host, by their paths: `p.n`, `p.st[0]`, `h[1]`. [HOST-OBJECT]

use tree_sitter::Node;

use super::super::builtins::vector_type;
use super::super::unit::{TypeDecl, child_of_kind, declared_name, each_named, has_child, last_named, split_init};
use super::Host;
use super::places::listed_in;
use super::types::converted;
use super::variables::{Event, Part};
use crate::base::Name;
use crate::exp::{IntTy, N, Var};
use crate::kernel::types::Type;
use rustc_hash::FxHashMap;

/// Objects with more integers than this are not followed.
const MAX_PARTS: usize = 128;

/// How deep classes are looked into.
const MAX_DEPTH: usize = 6;

/// What a type is made of.
pub(super) enum Shape<'u> {
    Int(IntTy),
    /// Anything else that takes one item of a list.
    Scalar,
    Array(Box<Shape<'u>>, u64),
    /// The members in order, whether a list gives them one by one, and the class.
    Class(Vec<(&'u str, Shape<'u>)>, bool, Option<Node<'u>>),
    Unknown,
}

/// What is passed by value to a kernel.
#[derive(Clone, Debug, Default)]
pub struct ObjectParts {
    /// The name of its class.
    pub class: String,
    /// The parts that are integers, by their paths.
    pub parts: Vec<(String, N)>,
    /// Elements that the host writes in ways that are not followed.
    pub untold: Vec<String>,
    /// Parts of a variable that may change at places which are not known.
    pub doubtful: Vec<String>,
    /// Which parameter of the function it is, if its calls say of which type that is.
    pub open: Option<usize>,
}

/// Is one path that of a part of the other?
pub(super) fn meets(a: &str, b: &str) -> bool {
    let within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    within(a, b) || within(b, a)
}

/// The members of a vector of the platform, `int3`, and the type of those that are integers.
fn vector_members(name: &str) -> Vec<(&'static str, Option<IntTy>)> {
    let Some(Type::Struct(class)) = vector_type(name).filter(|_| name != "dim3") else { return Vec::new() };
    let int = |ty: &Type| if let Type::Int(int) = ty { Some(*int) } else { None };
    ["x", "y", "z", "w"].into_iter().zip(&class.fields).map(|(member, f)| (member, int(&f.ty))).collect()
}

/// The first step of a path, and the rest: a member, or an element.
fn step(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = match path.strip_prefix('[') {
        Some(rest) => rest.find(']').map_or(path.len(), |at| at + 2),
        None => path.find(['.', '[']).unwrap_or(path.len()),
    };
    path.split_at(end)
}

fn element(step: &str) -> Option<u64> {
    step.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// `this->n`
pub(super) fn is_of_this(place: Node) -> bool {
    place.child_by_field_name("argument").is_some_and(|object| object.kind() == "this")
}

impl<'u> Shape<'u> {
    pub(super) fn part(&self, path: &str) -> Option<&Shape<'u>> {
        if path.is_empty() {
            return Some(self);
        }
        let (first, rest) = step(path);
        match self {
            Shape::Array(inner, length) => inner.part(rest).filter(|_| element(first).is_some_and(|i| i < *length)),
            Shape::Class(members, ..) => members.iter().find(|(name, _)| *name == first)?.1.part(rest),
            _ => None,
        }
    }

    /// The integers that there are, with their paths.
    fn integers(&self, path: String, out: &mut Vec<(String, IntTy)>) {
        match self {
            Shape::Int(ty) => out.push((path, *ty)),
            Shape::Array(inner, length) => {
                for i in 0..(*length).min(MAX_PARTS as u64 + 1) {
                    if out.len() > MAX_PARTS {
                        return;
                    }
                    inner.integers(format!("{path}[{i}]"), out);
                }
            }
            Shape::Class(members, ..) => {
                let dot = if path.is_empty() { "" } else { "." };
                members.iter().for_each(|(name, inner)| inner.integers(format!("{path}{dot}{name}"), out));
            }
            Shape::Scalar | Shape::Unknown => {}
        }
    }
}

impl<'u> Host<'_, 'u> {
    /// The variable of a place without pointers, the path from there, and whether that is all of the way: a subscript that
    /// is not written as a number ends it.
    pub(super) fn path_of(&self, place: Node<'u>) -> Option<(Node<'u>, &'u str, bool)> {
        let (object, end, whole) = self.path_to(place)?;
        let text = &self.unit.text[object.end_byte()..end];
        Some((object, text.strip_prefix('.').unwrap_or(text), whole))
    }

    fn path_to(&self, place: Node<'u>) -> Option<(Node<'u>, usize, bool)> {
        match place.kind() {
            "identifier" => Some((place, place.end_byte(), true)),
            "field_expression" if is_of_this(place) => {
                Some((place.child_by_field_name("field")?, place.end_byte(), true))
            }
            "field_expression" => {
                if place.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "->") {
                    return None;
                }
                let (object, end, whole) = self.path_to(place.child_by_field_name("argument")?)?;
                let name = self.unit.str(place.child_by_field_name("field")?);
                let plain = self.unit.text[end..place.end_byte()].strip_prefix('.') == Some(name);
                Some(if whole && plain { (object, place.end_byte(), true) } else { (object, end, false) })
            }
            "subscript_expression" => {
                let (object, end, whole) = self.path_to(place.child_by_field_name("argument")?)?;
                let digits = self.unit.text[end..place.end_byte()].strip_prefix('[').and_then(|t| t.strip_suffix(']'));
                let plain = digits.is_some_and(|d| {
                    !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()) && (d == "0" || !d.starts_with('0'))
                });
                Some(if whole && plain { (object, place.end_byte(), true) } else { (object, end, false) })
            }
            _ => None,
        }
    }

    /// What a variable is made of.
    fn shape_of(&mut self, variable: usize) -> Shape<'u> {
        let known = &self.variables[variable];
        let (Some(ty), Some(declarator)) = (known.ty, known.declarator) else { return Shape::Unknown };
        let listed = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let length = listed.filter(|v| v.kind() == "initializer_list").map(|v| listed_in(v).len() as u64);
        match self.shape(ty, 0) {
            inner if declarator.kind() == "reference_declarator" => inner,
            inner => self.declared_shape(inner, declarator, length),
        }
    }

    /// `int a[2][3]`: arrays of what the type says.
    pub(super) fn declared_shape(&mut self, inner: Shape<'u>, declarator: Node<'u>, length: Option<u64>) -> Shape<'u> {
        match declarator.kind() {
            "identifier" | "field_identifier" | "type_identifier" => inner,
            // `P d(64, 4);`, which may read as the declaration of a function.
            "function_declarator" if self.is_variable(declarator) => inner,
            "init_declarator" if child_of_kind(declarator, "argument_list").is_some() => inner,
            "pointer_declarator" => Shape::Scalar,
            "array_declarator" => {
                let size = match declarator.child_by_field_name("size") {
                    Some(size) => self.lower.constant_at(size).and_then(|n| u64::try_from(n).ok()),
                    None => length,
                };
                let (Some(size), Some(next)) = (size, declarator.child_by_field_name("declarator")) else {
                    return Shape::Unknown;
                };
                if next.kind() == "pointer_declarator" {
                    return Shape::Unknown;
                }
                self.declared_shape(Shape::Array(Box::new(inner), size), next, None)
            }
            _ => Shape::Unknown,
        }
    }

    pub(super) fn shape(&mut self, ty: Node<'u>, depth: usize) -> Shape<'u> {
        if self.is_integer_type(ty) && self.unit.str(ty) != "auto" {
            return self.integer_type(ty).map_or(Shape::Unknown, Shape::Int);
        }
        if matches!(self.spelled(ty), "float" | "double") {
            return Shape::Scalar;
        }
        if self.is_vector(self.unit.str(ty), ty) {
            let member = |(name, int): (&'static str, Option<IntTy>)| (name, int.map_or(Shape::Scalar, Shape::Int));
            return Shape::Class(vector_members(self.unit.str(ty)).into_iter().map(member).collect(), true, None);
        }
        let Some(class) = self.class_of(ty) else { return Shape::Unknown };
        // What one field of a union is changes the others.
        let body = class.child_by_field_name("body").filter(|_| class.kind() != "union_specifier" && depth < MAX_DEPTH);
        let Some(body) = body else { return Shape::Unknown };
        let name = class.child_by_field_name("name").map(|n| self.unit.str(n));
        let has_bases = listed_in(class).iter().any(|c| c.kind() == "base_class_clause");
        let (mut members, mut is_aggregate) = (self.members_of_bases(class, depth), !has_bases);
        let of_bases = members.len();
        for item in listed_in(body) {
            match item.kind() {
                "access_specifier" => is_aggregate = false,
                // What a copy has is not what was copied.
                "function_definition" | "declaration" if name.is_some_and(|own| self.copies(item, own)) => {
                    return Shape::Unknown;
                }
                "function_definition" | "declaration" | "template_declaration" => {
                    let own = item.child_by_field_name("declarator").and_then(declared_name);
                    is_aggregate &= own.is_some_and(|n| Some(self.unit.str(n)) != name);
                }
                "field_declaration" if has_child(item, "storage_class_specifier") => {}
                "field_declaration" => {
                    let mut cursor = item.walk();
                    let declarators: Vec<_> = item.children_by_field_name("declarator", &mut cursor).collect();
                    let ty = item.child_by_field_name("type");
                    is_aggregate &= !declarators.is_empty() && item.child_by_field_name("default_value").is_none();
                    for declarator in declarators {
                        let (inner, value) = split_init(declarator);
                        is_aggregate &= value.is_none();
                        let is_pointer = inner
                            .child_by_field_name("declarator")
                            .is_some_and(|d| d.kind() == "parenthesized_declarator");
                        if inner.kind() == "function_declarator" && !is_pointer {
                            continue;
                        }
                        let Some(name) = declared_name(inner) else {
                            is_aggregate = false;
                            continue;
                        };
                        let shape = match ty.filter(|_| !has_child(item, "bitfield_clause")) {
                            Some(_) if is_pointer => Shape::Scalar,
                            Some(ty) => {
                                let inner_shape = self.shape(ty, depth + 1);
                                self.declared_shape(inner_shape, inner, None)
                            }
                            None => Shape::Unknown,
                        };
                        let name = self.unit.str(name);
                        // It hides one of a base.
                        members[..of_bases]
                            .iter_mut()
                            .filter(|(known, _)| *known == name)
                            .for_each(|(known, _)| *known = "");
                        members.push((name, shape));
                    }
                }
                "comment" | "type_definition" | "alias_declaration" => {}
                _ => is_aggregate = false,
            }
        }
        members.retain(|(name, _)| !name.is_empty());
        Shape::Class(members, is_aggregate, Some(class))
    }

    /// The members of the classes that a class is derived from, where these are seen and no two have one name.
    fn members_of_bases(&mut self, class: Node<'u>, depth: usize) -> Vec<(&'u str, Shape<'u>)> {
        let Some(clause) = child_of_kind(class, "base_class_clause") else { return Vec::new() };
        if self.unit.str(clause).contains("virtual") {
            return Vec::new();
        }
        let mut found: Vec<(&'u str, Shape<'u>)> = Vec::new();
        for base in listed_in(clause).into_iter().filter(|n| n.kind() == "type_identifier") {
            if let Shape::Class(members, ..) = self.shape(base, depth + 1) {
                found.extend(members);
            }
        }
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        found.retain(|(name, _)| names.iter().filter(|n| *n == name).count() == 1);
        found
    }

    /// May this be a constructor that makes a copy of an object of the class, other than member by member?
    fn copies(&self, item: Node<'u>, class: &str) -> bool {
        let declarator = item.child_by_field_name("declarator");
        let is_own = declarator.and_then(declared_name).is_some_and(|n| self.unit.str(n) == class);
        let list = declarator.and_then(|d| d.child_by_field_name("parameters")).map(listed_in).unwrap_or_default();
        let [first, others @ ..] = &list[..] else { return false };
        let is_number = |ty: Node| matches!(ty.kind(), "primitive_type" | "sized_type_specifier");
        let ty = first.child_by_field_name("type").filter(|ty| !is_number(*ty)).map(|ty| self.unit.str(ty));
        let is_other = ty.is_none_or(|ty| {
            let decls = self.lower.names.types.get(ty).map_or(&[][..], Vec::as_slice);
            ty != class && decls.iter().any(|(_, decl)| matches!(decl, TypeDecl::Class(..)))
        });
        let refers = self.unit.str(*first).contains('&');
        let is_other = is_other || !refers || others.iter().any(|p| p.kind() != "optional_parameter_declaration");
        let is_default = self.unit.str(item).trim_end_matches(';').trim_end().ends_with("default");
        is_own && !is_other && !is_default
    }

    /// May a member be the first one of the object that a variable, or the part of it at a path, is?
    pub(super) fn may_be_first(&mut self, variable: usize, path: &str, member: &str) -> bool {
        if self.is_dims(variable) {
            return member == "x";
        }
        // Those of a vector are one array for most programs.
        if self.variables[variable].ty.is_some_and(|ty| self.is_vector(self.unit.str(ty), ty)) {
            return true;
        }
        match self.shape_of(variable).part(path) {
            Some(Shape::Class(members, ..)) => {
                members.iter().position(|(name, _)| *name == member).is_none_or(|i| i == 0)
            }
            _ => true,
        }
    }

    /// The type of a part of a variable, where that is an integer.
    pub(super) fn part_type(&mut self, variable: usize, path: &str) -> Option<IntTy> {
        match self.shape_of(variable).part(path)? {
            Shape::Int(ty) => Some(*ty),
            _ => None,
        }
    }

    /// The parts of a variable that are integers; of one with too many, none.
    fn integers_of(&mut self, variable: usize) -> Vec<(String, IntTy)> {
        let mut parts = Vec::new();
        self.shape_of(variable).integers(String::new(), &mut parts);
        if parts.len() > MAX_PARTS { Vec::new() } else { parts }
    }

    /// Is an array in a variable named only where an element is meant, or where nothing is written through it?
    pub(super) fn keeps_elements(&mut self, variable: usize) -> bool {
        if let Some(known) = self.kept.get(&variable) {
            return *known;
        }
        let shape = self.shape_of(variable);
        let name = self.variables[variable].name;
        let mut stack = vec![self.function];
        let mut keeps = true;
        while let Some(node) = stack.pop() {
            stack.extend(listed_in(node));
            if node.kind() == "identifier" && self.unit.str(node) == name && self.find(name, node) == Some(variable) {
                keeps &= self.is_element(node, &shape);
            }
        }
        self.kept.insert(variable, keeps);
        keeps
    }

    fn is_element(&self, name: Node<'u>, shape: &Shape<'u>) -> bool {
        let mut place = name;
        let mut meant = Some(shape);
        while let Some(parent) = place.parent().filter(|p| p.child_by_field_name("argument") == Some(place)) {
            meant = match (parent.kind(), meant) {
                ("subscript_expression", Some(Shape::Array(inner, _))) => Some(inner),
                ("field_expression", Some(class @ Shape::Class(..))) => {
                    class.part(parent.child_by_field_name("field").map_or("", |f| self.unit.str(f)))
                }
                ("subscript_expression" | "field_expression", _) => None,
                _ => break,
            };
            place = parent;
        }
        match (meant, place.parent()) {
            (Some(Shape::Int(_) | Shape::Scalar), _) => true,
            (_, Some(parent)) if parent.kind() == "sizeof_expression" => true,
            (_, Some(parent)) if parent.kind() != "init_declarator" && parent.kind().ends_with("declarator") => true,
            (_, Some(parent)) if parent.child_by_field_name("declarator") == Some(place) => true,
            (Some(Shape::Class(..)), Some(parent)) if parent.kind() == "init_declarator" => true,
            (Some(Shape::Class(..)), Some(parent)) if parent.kind() == "argument_list" => true,
            (Some(Shape::Class(..)), Some(parent)) if parent.kind() == "assignment_expression" => true,
            (Some(Shape::Class(..)), Some(parent)) if parent.kind() == "pointer_expression" => true,
            (Some(Shape::Array(..)), Some(parent)) => self.is_source(place, parent),
            (_, Some(parent)) => parent.kind() == "parenthesized_expression" && self.is_sizeof(parent),
            _ => false,
        }
    }

    fn is_sizeof(&self, node: Node<'u>) -> bool {
        node.parent().is_some_and(|p| p.kind() == "sizeof_expression")
    }

    /// Is this what is copied to a symbol, or the operand of `sizeof`?
    fn is_source(&self, place: Node<'u>, parent: Node<'u>) -> bool {
        if parent.kind() == "parenthesized_expression" {
            return self.is_sizeof(parent);
        }
        let call = parent.parent().filter(|_| parent.kind() == "argument_list");
        let callee = call.and_then(|c| c.child_by_field_name("function")).map_or("", |f| self.unit.str(f));
        let first_two = listed_in(parent).iter().position(|a| *a == place).is_some_and(|at| at == 1);
        first_two && super::symbols::is_copy(callee)
    }

    /// The value of a part of a variable, where it is followed or no element.
    pub(super) fn part_value(&mut self, variable: usize, path: &str, ty: IntTy, place: Node<'u>) -> Option<N> {
        let value = self.value_at(variable, &Part::Field(Name::new(path)), Some(ty), place);
        if !path.contains('[') {
            return Some(value);
        }
        let own = format!("{}{}", self.variables[variable].name, super::versions::dotted(path));
        let followed = value.as_var().is_none_or(|v| v.name.as_str().split('#').next() != Some(own.as_str()));
        (followed && self.keeps_elements(variable)).then_some(value)
    }

    /// What an argument that is an object has at the launch.
    pub(super) fn object(&mut self, node: Node<'u>) -> ObjectParts {
        let mut passed = ObjectParts::default();
        if let Some(lambda) = self.lambda_given(node) {
            return self.captured_integers(lambda);
        }
        if node.kind() == "compound_literal_expression" {
            let class = node.child_by_field_name("type").map_or("", |ty| self.unit.str(ty));
            class.clone_into(&mut passed.class);
            let shape = node.child_by_field_name("type").map_or(Shape::Unknown, |ty| self.shape(ty, 0));
            let mut parts = Vec::new();
            shape.integers(String::new(), &mut parts);
            for (path, ty) in parts.into_iter().take(MAX_PARTS) {
                let value = node.child_by_field_name("value").and_then(|list| self.listed_part(list, &shape, &path));
                passed.parts.extend(value.and_then(|v| converted(&v, Some(ty))).map(|v| (path, v)));
            }
            return passed;
        }
        if let Some((class, items)) = self.vector_made(node) {
            class.clone_into(&mut passed.class);
            for ((member, ty), item) in vector_members(class).iter().zip(items) {
                let value = ty.and_then(|ty| {
                    self.rounded(item).or_else(|| self.number(item)).and_then(|v| converted(&v, Some(ty)))
                });
                passed.parts.extend(value.map(|v| ((*member).to_owned(), v)));
            }
            return passed;
        }
        if node.child_by_field_name("function").is_some_and(|f| self.unit.str(f) == "dim3") {
            "dim3".clone_into(&mut passed.class);
            let sizes = self.dims(node);
            passed.parts.extend(
                ["x", "y", "z"].iter().zip(sizes).filter_map(|(axis, n)| Some(((*axis).to_owned(), self.size(n?)?))),
            );
            return passed;
        }
        passed.open = self.open_parameter(node);
        let variable = (node.kind() == "identifier").then(|| self.find(self.unit.str(node), node)).flatten();
        let Some(variable) = variable else { return passed };
        let known = &self.variables[variable];
        let is_object = |d: Node<'u>| match d.kind() {
            "identifier" | "reference_declarator" => true,
            "function_declarator" => self.is_variable(d),
            _ => child_of_kind(d, "argument_list").is_some(),
        };
        if !known.declarator.is_some_and(is_object) {
            return passed;
        }
        self.parts_of_variable(variable, node, &mut passed);
        passed
    }

    /// The parameter of the function that an argument passes on, where its type is a parameter of the template.
    pub(super) fn open_parameter(&self, argument: Node<'u>) -> Option<usize> {
        let mut argument = argument;
        if let Some(function) = argument.child_by_field_name("function") {
            let name = self.unit.str(function).split('<').next().unwrap_or("");
            let [only] = listed_in(argument.child_by_field_name("arguments")?)[..] else { return None };
            matches!(name, "std::forward" | "std::move").then_some(())?;
            argument = only;
        }
        let known = self.variable_at(Some(argument).filter(|a| a.kind() == "identifier")?)?;
        let ty = known.ty.filter(|_| known.is_parameter && known.scope == self.function)?;
        self.template_parameter(self.unit.str(ty), ty)?;
        self.position(known)
    }

    /// The integers that an object in a variable has at a place.
    pub(super) fn parts_of_variable(&mut self, variable: usize, node: Node<'u>, passed: &mut ObjectParts) {
        self.variables[variable].ty.map_or("", |ty| self.unit.str(ty)).clone_into(&mut passed.class);
        if self.is_dims(variable) && !self.lower.names.types.contains_key("dim3") {
            for axis in ["x", "y", "z"] {
                let part = Part::Field(Name::new(axis));
                let value = self.value_at(variable, &part, Some(IntTy::U32), self.read_at(node));
                passed.parts.extend(self.size(value).map(|n| (axis.to_owned(), n)));
            }
            return;
        }
        let known = &self.variables[variable];
        let is_doubtful = known.is_wild && !known.is_remote && !known.is_parameter && known.outside.is_none();
        for (path, ty) in self.integers_of(variable) {
            passed.doubtful.extend(is_doubtful.then(|| path.clone()));
            match self.part_value(variable, &path, ty, self.read_at(node)) {
                Some(value) => passed.parts.push((path, value)),
                None if self.is_written(variable, &path) => passed.untold.push(path),
                None => {}
            }
        }
    }

    /// `P d(64, 4);` as the declaration of a function.
    fn is_variable(&self, declarator: Node<'u>) -> bool {
        declarator.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier")
    }

    /// A size of a `dim3`, which no negative number is given for.
    fn size(&self, n: N) -> Option<N> {
        let is_unsigned = |v: &Var| self.types.get(&v.name) == Some(&IntTy::U32);
        match n.as_num() {
            Some(number) => Some(N::num(IntTy::U32.wrap(number))),
            None => n.as_var().is_some_and(is_unsigned).then_some(n),
        }
    }

    /// What `make_int2(n, m)` makes, and the members.
    fn vector_made(&self, call: Node<'u>) -> Option<(&'u str, Vec<Node<'u>>)> {
        let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
        let name = self.unit.str(function);
        let class = name.strip_prefix("make_").filter(|class| self.is_vector(class, function))?;
        let is_own = self.lower.names.functions.contains_key(name) || self.find(name, function).is_some();
        let items = listed_in(call.child_by_field_name("arguments")?);
        (!is_own && items.len() == vector_members(class).len()).then_some((class, items))
    }

    /// Is this the name of a vector of the platform, and of nothing else?
    fn is_vector(&self, name: &str, at: Node<'u>) -> bool {
        let is_own = self.lower.names.types.contains_key(name) || self.said.own_types.contains(name);
        !is_own && !vector_members(name).is_empty() && self.template_parameter(name, at).is_none()
    }

    /// Is this an object that is made here, of nothing that comes from outside? [HOST-COMPUTED]
    pub(super) fn makes_object(&mut self, node: Node<'u>) -> bool {
        self.lambda_named(node).is_some() || self.is_made_here(node, 0)
    }

    fn is_made_here(&mut self, node: Node<'u>, depth: usize) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "call_expression" | "compound_literal_expression" | "initializer_list" => !self.comes_from_outside(node),
            "new_expression" => field("arguments").is_none_or(|list| !self.comes_from_outside(list)),
            // What a pointer points to, an element, a member.
            "pointer_expression" | "subscript_expression" | "field_expression" | "parenthesized_expression" => {
                let inner = field("argument").or_else(|| last_named(node));
                inner.is_some_and(|inner| depth < MAX_DEPTH && self.is_made_here(inner, depth + 1))
            }
            "identifier" => {
                let Some(variable) = self.find(self.unit.str(node), node) else { return false };
                let known = &self.variables[variable];
                if known.is_parameter || known.outside.is_some() || known.declarator.is_none() {
                    return false;
                }
                let mut given: Vec<Node<'u>> = known.events.iter().filter_map(|e| e.value).collect();
                let declared = known.declarator.and_then(|d| self.up(d));
                let range = declared.filter(|d| d.kind() == "for_range_loop");
                given.extend(range.and_then(|range| range.child_by_field_name("right")));
                given.extend(declared.filter(|_| given.is_empty()).and_then(|d| d.child_by_field_name("value")));
                let is_own = known.ty.is_some_and(|ty| self.class_of(ty).is_some());
                let is_object = |n: &Node| {
                    matches!(
                        n.kind(),
                        "identifier"
                            | "pointer_expression"
                            | "subscript_expression"
                            | "field_expression"
                            | "new_expression"
                    )
                };
                (is_own || !given.is_empty())
                    && depth < MAX_DEPTH
                    && given.into_iter().all(|value| {
                        if is_object(&value) && self.number(value).is_none() {
                            self.is_made_here(value, depth + 1)
                        } else {
                            !self.comes_from_outside(value)
                        }
                    })
            }
            _ => false,
        }
    }

    /// An integer of an object of this class that a function is called with.
    pub(super) fn part_given(&mut self, argument: Node<'u>, path: &str, class: &str) -> Option<N> {
        let own = match argument.kind() {
            "compound_literal_expression" => argument.child_by_field_name("type"),
            _ => Some(argument).filter(|a| a.kind() == "identifier").and_then(|a| self.variable_at(a)?.ty),
        };
        own.filter(|ty| self.unit.str(*ty) == class)?;
        self.object(argument).parts.into_iter().find(|(own, _)| own == path).map(|(_, value)| value)
    }

    /// Does the function write a part of a variable that it declares?
    fn is_written(&self, variable: usize, path: &str) -> bool {
        let known = &self.variables[variable];
        let meets = |field: &Option<&str>| field.is_none_or(|f| meets(f, path));
        known.events.iter().any(|e| meets(&e.field) && (!e.declares || e.value.is_some()))
    }

    /// A part of what a variable, or the part of it at `outer`, is given as a whole.
    pub(super) fn given_part(
        &mut self,
        value: Node<'u>,
        variable: usize,
        outer: &str,
        path: &str,
        ty: Option<IntTy>,
    ) -> Option<N> {
        let shape = self.shape_of(variable);
        let inner = path.strip_prefix(outer)?;
        let found = match value.kind() {
            "initializer_list" => self.listed_part(value, shape.part(outer)?, inner),
            "argument_list" if outer.is_empty() => self.part_of_items(&listed_in(value), &shape, path),
            _ if let Some(part @ Shape::Class(_, _, Some(_))) = shape.part(outer) => {
                self.part_of_object(value, part, inner)
            }
            "call_expression" => {
                let (class, items) = self.vector_made(value)?;
                let same = outer.is_empty() && self.variables[variable].ty.is_some_and(|t| self.unit.str(t) == class);
                let at = vector_members(class).iter().position(|(member, _)| *member == inner).filter(|_| same)?;
                self.rounded(items[at]).or_else(|| self.number(items[at]))
            }
            "identifier" => {
                let other = self.find(self.unit.str(value), value)?;
                let ty = |v: usize, host: &Self| host.variables[v].ty.map(|t| host.unit.str(t));
                let plain =
                    |v: usize, host: &Self| host.variables[v].declarator.is_some_and(|d| d.kind() == "identifier");
                let same = outer.is_empty() && ty(other, self).is_some() && ty(other, self) == ty(variable, self);
                if !same || !plain(other, self) || !plain(variable, self) {
                    return None;
                }
                let ty = self.part_type(other, path)?;
                self.part_value(other, path, ty, self.read_at(value))
            }
            _ => None,
        }?;
        converted(&found, ty)
    }

    /// What a list in braces, or `make_int2`, gives for a member, by its position.
    pub(super) fn item_for(&mut self, made: Node<'u>, variable: usize, member: &str) -> Option<Node<'u>> {
        let Shape::Class(members, true, _) = self.shape_of(variable) else { return None };
        let items = match made.kind() {
            "initializer_list" => listed_in(made),
            _ => self.vector_made(made)?.1,
        };
        let at = members.iter().position(|(name, _)| *name == member)?;
        items.get(at).copied().filter(|_| items.iter().all(|i| i.kind() != "initializer_pair"))
    }

    /// Is an item of a list a number, or itself a list?
    fn is_one_number(&mut self, item: Node<'u>) -> bool {
        matches!(item.kind(), "initializer_list" | "number_literal" | "null" | "string_literal")
            || self.number(item).is_some()
    }

    /// A part of what a list in braces gives; what it does not reach is zero.
    pub(super) fn listed_part(&mut self, list: Node<'u>, shape: &Shape<'u>, path: &str) -> Option<N> {
        if path.is_empty() {
            let Shape::Int(_) = shape else { return None };
            if list.kind() != "initializer_list" {
                return self.rounded(list).or_else(|| self.number(list));
            }
            return match listed_in(list).as_slice() {
                [] => Some(N::num(0)),
                [only] if only.kind() != "initializer_list" => self.listed_part(*only, shape, path),
                _ => None,
            };
        }
        if list.kind() != "initializer_list" {
            return self.part_of_object(list, shape, path);
        }
        let (items, (first, rest)) = (listed_in(list), step(path));
        if let Shape::Class(members, true, _) = shape
            && items.first().is_some_and(|i| i.kind() == "initializer_pair")
        {
            let inner = &members.iter().find(|(name, _)| *name == first)?.1;
            let named = |item: &&Node<'u>| {
                let text = self.unit.str(**item);
                text.strip_prefix('.').and_then(|t| t.split('=').next()).is_some_and(|n| n.trim() == first)
            };
            // `.q.n = 3` gives a part of a member, and `n: 3` is not followed.
            let plain = |item: &Node<'u>| {
                let name = self.unit.str(*item).split('=').next().unwrap_or("").trim_end();
                let name = name.strip_prefix('.').unwrap_or("");
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            };
            let all = items.iter().all(|i| i.kind() == "initializer_pair" && plain(i));
            return match items.iter().find(named).filter(|_| all) {
                Some(item) => self.listed_part(item.child_by_field_name("value")?, inner, rest),
                None => all.then(|| N::num(0)),
            };
        }
        self.part_of_items(&items, shape, path)
    }

    /// A part of what an object is made of.
    fn part_of_items(&mut self, items: &[Node<'u>], shape: &Shape<'u>, path: &str) -> Option<N> {
        if items.iter().any(|i| i.kind() == "initializer_pair") {
            return None;
        }
        if let [only] = items
            && only.kind() != "initializer_list"
        {
            if self.is_object_of(*only, shape) {
                return self.part_of_object(*only, shape, path);
            }
            // A single item may be an object that is converted.
            let first =
                if let Shape::Class(members, ..) = shape { members.first().map(|(_, first)| first) } else { None };
            if !self.is_one_value(*only) && !first.is_some_and(|first| self.is_object_of(*only, first)) {
                return None;
            }
        }
        match shape {
            Shape::Class(_, false, Some(class)) => self.part_constructed(*class, items, shape, path),
            Shape::Class(_, true, _) | Shape::Array(..) => self.part_in_order(items, shape, path),
            _ => None,
        }
    }

    /// Is an item of a list a number or a pointer, which is no object of a class?
    fn is_one_value(&mut self, item: Node<'u>) -> bool {
        self.is_one_number(item) && item.kind() != "initializer_list" || self.is_pointer(item)
    }

    /// A part of what items give one after the other; a member without braces of its own takes as many as it has parts.
    fn part_in_order(&mut self, items: &[Node<'u>], shape: &Shape<'u>, path: &str) -> Option<N> {
        let (first, rest) = step(path);
        let (inner, mut before) = match shape {
            Shape::Array(inner, length) => {
                let at = element(first).filter(|at| at < length)?;
                (&**inner, vec![&**inner; usize::try_from(at).ok().filter(|at| *at <= MAX_PARTS)?])
            }
            Shape::Class(members, true, _) => {
                let at = members.iter().position(|(name, _)| *name == first)?;
                (&members[at].1, members[..at].iter().map(|(_, shape)| shape).collect())
            }
            _ => return None,
        };
        let mut left = items;
        for shape in before.drain(..) {
            left = &left[self.taken(left, shape)?..];
        }
        let Some(item) = left.first().copied() else { return Some(N::num(0)) };
        match inner {
            Shape::Unknown => None,
            Shape::Int(_) | Shape::Scalar => self.listed_part(item, inner, rest),
            _ if item.kind() == "initializer_list" => self.listed_part(item, inner, rest),
            _ if self.is_object_of(item, inner) => self.part_of_object(item, inner, rest),
            _ if self.is_one_value(item) => self.part_in_order(left, inner, rest),
            _ => None,
        }
    }

    /// How many items of a list a member takes. `None`: it is not known.
    fn taken(&mut self, items: &[Node<'u>], shape: &Shape<'u>) -> Option<usize> {
        let Some(first) = items.first().copied() else { return Some(0) };
        match shape {
            Shape::Unknown => None,
            Shape::Int(_) | Shape::Scalar => Some(1),
            _ if first.kind() == "initializer_list" || self.is_object_of(first, shape) => Some(1),
            _ if !self.is_one_value(first) => None,
            Shape::Class(_, false, _) => None,
            Shape::Class(members, true, _) => {
                let mut left = items;
                for (_, shape) in members {
                    left = &left[self.taken(left, shape)?..];
                }
                Some(items.len() - left.len())
            }
            Shape::Array(inner, length) => {
                let mut left = items;
                for _ in 0..(*length).min(MAX_PARTS as u64) {
                    left = &left[self.taken(left, inner)?..];
                }
                Some(items.len() - left.len())
            }
        }
    }

    /// Is an expression an object of the class of a shape?
    fn is_object_of(&self, item: Node<'u>, shape: &Shape<'u>) -> bool {
        let Shape::Class(_, _, Some(class)) = shape else { return false };
        let of = match item.kind() {
            "identifier" | "field_expression" => self.class_at(item, false, 0),
            // `P q(r);` reads as the declaration of a function.
            "parameter_declaration" => {
                let name = item.child_by_field_name("type").filter(|_| item.named_child_count() == 1);
                name.and_then(|name| self.variable_at(name)).and_then(|known| {
                    known.declarator.filter(|d| d.kind() == "identifier")?;
                    self.class_of(known.ty?)
                })
            }
            "compound_literal_expression" => item.child_by_field_name("type").and_then(|ty| self.class_of(ty)),
            "call_expression" => item.child_by_field_name("function").and_then(|f| self.class_of(f)),
            _ => None,
        };
        of == Some(*class)
    }

    /// A part of an object of the class of a shape: another one that is copied, or one that is made there.
    fn part_of_object(&mut self, object: Node<'u>, shape: &Shape<'u>, path: &str) -> Option<N> {
        if !self.is_object_of(object, shape) {
            return None;
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        match object.kind() {
            "compound_literal_expression" => self.listed_part(object.child_by_field_name("value")?, shape, path),
            "call_expression" => {
                let items = listed_in(object.child_by_field_name("arguments")?);
                self.part_of_items(&items, shape, path)
            }
            _ => {
                let object =
                    if object.kind() == "parameter_declaration" { object.child_by_field_name("type")? } else { object };
                let (name, outer, whole) = match object.kind() {
                    "type_identifier" => (object, "", true),
                    _ => self.path_of(object)?,
                };
                let variable = self.find(self.unit.str(name), name).filter(|_| whole && self.arguments.is_empty())?;
                let is_plain = |d: Node<'u>| {
                    d.kind() == "identifier" || self.is_variable(d) || child_of_kind(d, "argument_list").is_some()
                };
                self.variables[variable].declarator.filter(|d| is_plain(*d))?;
                let path = if outer.is_empty() {
                    path.to_owned()
                } else {
                    format!("{outer}{}", super::versions::dotted(path))
                };
                let ty = self.part_type(variable, &path)?;
                self.part_value(variable, &path, ty, self.read_at(object))
            }
        }
    }

    /// The number that an item is.
    fn number_of_item(&mut self, item: Node<'u>) -> Option<N> {
        let name = item.child_by_field_name("type").filter(|_| item.kind() == "parameter_declaration");
        match name {
            Some(name) => {
                let text = self.unit.str(name);
                self.is_named_number(text, name).then(|| self.variable(text, name)).flatten()
            }
            None => self.rounded(item).or_else(|| self.number(item)),
        }
    }

    /// What a variable is made of in the declaration that has no other value: `P q(b, n);`.
    pub(super) fn part_declared(&mut self, declaration: Event<'u>, variable: usize, path: &str) -> Option<N> {
        let declarator = self.variables[variable].declarator.filter(|_| declaration.declares)?;
        let list = match declarator.kind() {
            "function_declarator" => declarator.child_by_field_name("parameters"),
            _ => {
                child_of_kind(declaration.node, "argument_list").or_else(|| child_of_kind(declarator, "argument_list"))
            }
        };
        let items = listed_in(list?);
        let shape = self.shape_of(variable);
        self.part_of_items(&items, &shape, path)
    }

    /// What the constructor gives a part of an object: that of a member that it makes of a parameter, or of numbers.
    fn part_constructed(&mut self, class: Node<'u>, items: &[Node<'u>], shape: &Shape<'u>, path: &str) -> Option<N> {
        let made = self.constructor(class, items.len())?;
        let (first, rest) = step(path);
        let inner = shape.part(first)?;
        let list = made.child_by_field_name("declarator")?.child_by_field_name("parameters")?;
        let parameters: Vec<(&'u str, Node<'u>)> = listed_in(list)
            .into_iter()
            .map(|p| (p.child_by_field_name("declarator").and_then(declared_name).map_or("", |n| self.unit.str(n)), p))
            .collect();
        let value = self.given_by_constructor(made, first)?;
        let at = parameters.iter().position(|(name, _)| *name == self.unit.str(value));
        if !rest.is_empty() {
            let object = *items.get(at?)?;
            return self.part_of_object(object, inner, rest);
        }
        let Shape::Int(ty) = inner else { return None };
        let (mut arguments, mut known) = (FxHashMap::default(), Vec::new());
        for (i, (name, parameter)) in parameters.iter().enumerate() {
            let ty = parameter.child_by_field_name("type").filter(|ty| self.is_integer_type(*ty));
            let is_plain = parameter.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier");
            let Some(ty) = ty.filter(|_| is_plain).and_then(|ty| self.integer_type(ty)) else { continue };
            let number = match items.get(i) {
                Some(item) => self.number_of_item(*item),
                None => parameter.child_by_field_name("default_value").and_then(|value| self.constant(value)),
            };
            if let Some(number) = number.and_then(|number| converted(&number, Some(ty))) {
                known.push(*name);
                arguments.insert(*name, (number, ty));
            }
        }
        // A name that is no parameter may mean a member.
        let mut all = true;
        each_named(value, |n| {
            let is_name = matches!(n.kind(), "identifier" | "field_identifier" | "this" | "type_identifier");
            all &= !is_name || known.contains(&self.unit.str(n));
        });
        all.then_some(())?;
        self.arguments.push(arguments);
        let number = self.number(value);
        self.arguments.pop();
        converted(&number?, Some(*ty))
    }

    /// The only constructor of a class that takes so many arguments.
    fn constructor(&self, class: Node<'u>, count: usize) -> Option<Node<'u>> {
        let name = self.unit.str(class.child_by_field_name("name")?);
        let mut found = Vec::new();
        for item in listed_in(class.child_by_field_name("body")?) {
            let inner = if item.kind() == "template_declaration" { last_named(item)? } else { item };
            let declarator = inner.child_by_field_name("declarator").filter(|d| d.kind() == "function_declarator");
            let Some(declarator) = declarator.filter(|d| declared_name(*d).is_some_and(|n| self.unit.str(n) == name))
            else {
                continue;
            };
            let list = listed_in(declarator.child_by_field_name("parameters")?);
            let least = list.iter().filter(|p| p.kind() != "optional_parameter_declaration").count();
            if (least..=list.len()).contains(&count) || list.iter().any(|p| p.kind().starts_with("variadic")) {
                found.push((item, count != 1 || list.first().is_none_or(|p| !self.unit.str(*p).contains(name))));
            }
        }
        found.retain(|(_, is_own)| *is_own);
        let [(only, _)] = found[..] else { return None };
        (only.kind() == "function_definition" && only.child_by_field_name("body").is_some()).then_some(only)
    }

    /// The expression that a constructor makes a member of, and that nothing in it changes afterwards.
    fn given_by_constructor(&self, made: Node<'u>, member: &str) -> Option<Node<'u>> {
        let mut value = None;
        for item in child_of_kind(made, "field_initializer_list").map(listed_in).unwrap_or_default() {
            let name = item.named_child(0).map_or("", |n| self.unit.str(n));
            if item.kind() == "field_initializer" && name == member {
                let [only] = listed_in(last_named(item)?)[..] else { return None };
                value = Some(only);
            }
        }
        for statement in listed_in(made.child_by_field_name("body")?).into_iter().filter(|s| s.kind() != "comment") {
            let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement")?;
            let part = |name: &str| inner.child_by_field_name(name);
            match inner.kind() {
                "assignment_expression" if part("operator").is_none_or(|o| self.unit.str(o) == "=") => {
                    let left = part("left")?;
                    let to = match left.kind() {
                        "identifier" => left,
                        "field_expression" if is_of_this(left) => left.child_by_field_name("field")?,
                        _ => return None,
                    };
                    // It has another value for the others then.
                    let list = made.child_by_field_name("declarator")?.child_by_field_name("parameters")?;
                    let of = |p: Node<'u>| p.child_by_field_name("declarator").and_then(declared_name);
                    if listed_in(list).into_iter().filter_map(of).any(|n| self.unit.str(n) == self.unit.str(to)) {
                        return None;
                    }
                    if self.unit.str(to) == member {
                        value = part("right");
                    }
                }
                // `cudaMalloc(&p, n * 4);`
                "call_expression" => {
                    let function = part("function")?;
                    let mut names_it = false;
                    each_named(inner, |n| names_it |= matches!(self.unit.str(n), "this") || self.unit.str(n) == member);
                    let is_address_of = |n: Node<'u>| self.unit.str(n).starts_with('&');
                    let gives = listed_in(part("arguments")?).into_iter().any(is_address_of);
                    (self.is_harmless(function) && !(names_it && gives)).then_some(())?;
                }
                _ => return None,
            }
            let mut changes = 0;
            each_named(statement, |n| {
                changes += usize::from(matches!(
                    n.kind(),
                    "assignment_expression" | "update_expression" | "lambda_expression"
                ));
            });
            (changes <= usize::from(inner.kind() == "assignment_expression")).then_some(())?;
        }
        value
    }
}
