//! The types of integers of the host, and what they do to values.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::builtins::usual_integer;
use super::super::lower::{Lower, literal_number};
use super::super::unit::{TypeDecl, Unit, declared_name, each_named, has_child, last_named};
use super::fields::is_of_this;
use super::places::listed_in;
use super::{Host, MAX_DEPTH, Said};
use crate::base::{FileId, Span};
use crate::exp::{B, IntTy, N, NBin, NRel};
use crate::kernel::types::Type;

/// Is this what libraries call a size, or a number of something?
fn is_size(name: &str) -> bool {
    const ENDS: [&str; 13] = [
        "size", "sizes", "count", "length", "numel", "dim", "rows", "cols", "width", "height", "stride", "strides",
        "shape",
    ];
    let name = name.to_lowercase();
    name.starts_with("num")
        || name.starts_with("get_num")
        || name.starts_with("getnum")
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// The integer type that words stand for; `None`: not said, as by `auto`.
pub(super) fn integer_type(text: &str) -> Option<IntTy> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !matches!(*w, "" | "const" | "std" | "int" | "signed"))
        .collect();
    let of = |bits, signed| Some(IntTy { bits, signed });
    match words.as_slice() {
        ["auto"] => None,
        [] | ["int32_t"] => Some(IntTy::I32),
        ["bool"] => Some(IntTy::BOOL),
        ["size_t" | "uint64_t"] => Some(IntTy::U64),
        ["int64_t"] => Some(IntTy::I64),
        ["uint" | "uint32_t"] => Some(IntTy::U32),
        words => {
            let signed = !words.contains(&"unsigned");
            let bits = match words {
                _ if words.contains(&"char") => 8,
                _ if words.contains(&"short") => 16,
                _ if words.contains(&"long") => 64,
                ["unsigned"] => 32,
                _ => return None,
            };
            of(bits, signed)
        }
    }
}

fn promoted(ty: IntTy) -> IntTy {
    if ty.bits < 32 { IntTy::I32 } else { ty }
}

/// The type in which two numbers are combined.
pub(super) fn in_common(a: IntTy, b: IntTy) -> IntTy {
    let (a, b) = (promoted(a), promoted(b));
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => IntTy { bits: a.bits, signed: a.signed && b.signed },
    }
}

/// A number after a conversion. Sizes are taken to fit types of 32 bits; `None`: it may not fit a smaller one.
pub(super) fn converted(value: &N, ty: Option<IntTy>) -> Option<N> {
    match (ty, value.as_num()) {
        (None, _) => Some(value.clone()),
        (Some(IntTy::BOOL), _) => Some(N::ite(&value.ne(&N::num(0)), &N::num(1), &N::num(0))),
        (Some(ty), Some(n)) => Some(N::num(ty.wrap(n))),
        (Some(ty), None) => (ty.bits >= 32).then(|| value.clone()),
    }
}

impl<'u> Host<'_, 'u> {
    /// The parameter of a template around a place that a name means there.
    pub(super) fn template_parameter(&self, name: &str, at: Node<'u>) -> Option<Node<'u>> {
        let mut around = at;
        while let Some(parent) = around.parent() {
            around = parent;
            let list = around.child_by_field_name("parameters").filter(|_| around.kind() == "template_declaration");
            let own = |p: Node<'u>| match p.child_by_field_name("declarator").and_then(declared_name) {
                Some(declared) => Some(declared),
                None => p.child_by_field_name("name").or_else(|| last_named(p)),
            };
            let list = list.map(listed_in).unwrap_or_default();
            if let Some(found) = list.into_iter().find(|p| own(*p).is_some_and(|n| self.unit.str(n) == name)) {
                return Some(found);
            }
        }
        None
    }

    /// The words that a type stands for, through typedefs.
    pub(super) fn spelled(&self, ty: Node<'u>) -> &'u str {
        let mut ty = ty;
        if self.template_parameter(self.unit.str(ty), ty).is_some() {
            return self.unit.str(ty);
        }
        for _ in 0..8 {
            let name = self.unit.str(self.unit.qualified(ty).1);
            let list = self.lower.names.types.get(name).filter(|_| !self.said.own_types.contains(name));
            match list.map_or(&[][..], Vec::as_slice) {
                [(_, TypeDecl::Typedef(inner, declarator))] if declarator.kind() == "type_identifier" => ty = *inner,
                [(_, TypeDecl::Alias(inner))] => ty = *inner,
                _ => break,
            }
        }
        let name = self.unit.str(ty);
        let usual = usual_integer(name).filter(|_| self.lower.names.usual.contains(name));
        usual.unwrap_or(name)
    }

    pub(super) fn integer_type(&self, ty: Node<'u>) -> Option<IntTy> {
        integer_type(self.spelled(ty))
    }

    pub(super) fn is_dims(&self, variable: usize) -> bool {
        let known = &self.variables[variable];
        match known.ty.map_or("", |ty| self.unit.str(ty).trim_start_matches("const ")) {
            "dim3" => true,
            "auto" => known.declarator.is_some_and(|d| self.is_made_of_dims(d)),
            _ => false,
        }
    }

    /// `auto block = dim3(16, 16);`
    fn is_made_of_dims(&self, declarator: Node<'u>) -> bool {
        let init = declarator.parent().filter(|p| p.kind() == "init_declarator" && declarator.kind() == "identifier");
        let made = init.and_then(|init| init.child_by_field_name("value"));
        let class = made.and_then(|m| match m.kind() {
            "call_expression" => m.child_by_field_name("function"),
            "compound_literal_expression" => m.child_by_field_name("type"),
            _ => None,
        });
        class.is_some_and(|class| self.unit.str(class) == "dim3")
    }

    /// The class of the unit that a type is, or the template that it is an instance of, which no specialisation replaces.
    pub(super) fn class_of(&self, ty: Node<'u>) -> Option<Node<'u>> {
        let is_instance = matches!(ty.kind(), "template_type" | "template_function");
        let instance = ty.child_by_field_name("name").filter(|_| is_instance);
        let name = self.unit.str(instance.unwrap_or(ty)).trim_start_matches("struct ").trim();
        let known = self.lower.names.types.get(name)?;
        if self.template_parameter(name, ty).is_some() || self.said.own_types.contains(name) {
            return None;
        }
        match known.as_slice() {
            [(_, TypeDecl::Class(class, template))] if template.is_some() == instance.is_some() => {
                (!self.lower.names.special_classes.contains_key(name)).then_some(*class)
            }
            [(_, TypeDecl::Typedef(class, declarator))] if declarator.kind() == "type_identifier" => Some(*class),
            _ => None,
        }
    }

    /// The fields of a class of the unit that are plain integers.
    pub(super) fn fields_of(&self, ty: Node<'u>) -> Vec<(&'u str, IntTy)> {
        let Some(class) = self.class_of(ty) else { return Vec::new() };
        // What one field of a union is changes the others.
        if class.kind() == "union_specifier" {
            return Vec::new();
        }
        let Some(body) = class.child_by_field_name("body") else { return Vec::new() };
        let mut fields = Vec::new();
        let is_own = |f: &Node| {
            f.kind() == "field_declaration"
                && !has_child(*f, "bitfield_clause")
                && !has_child(*f, "storage_class_specifier")
        };
        for field in listed_in(body).into_iter().filter(is_own) {
            let ty = field.child_by_field_name("type").filter(|ty| self.is_integer_type(*ty));
            let Some(ty) = ty.and_then(|ty| self.integer_type(ty)) else { continue };
            let mut cursor = field.walk();
            let declarators = field.children_by_field_name("declarator", &mut cursor);
            fields.extend(declarators.filter(|d| d.kind() == "field_identifier").map(|d| (self.unit.str(d), ty)));
        }
        fields
    }

    /// The type of a field of a variable; `None`: it is not known to be an integer.
    pub(super) fn field_type(&self, variable: usize, field: &str) -> Option<IntTy> {
        if self.is_dims(variable) {
            return ["x", "y", "z"].contains(&field).then_some(IntTy::U32);
        }
        let ty = self.variables[variable].ty?;
        match self.unit.str(ty) {
            "int2" | "int3" | "int4" => Some(IntTy::I32),
            "uint2" | "uint3" | "uint4" => Some(IntTy::U32),
            "cudaExtent" => Some(IntTy::U64),
            _ => self.fields_of(ty).into_iter().find(|(name, _)| *name == field).map(|(_, ty)| ty),
        }
    }

    /// The type that an expression has in C, as far as it is known.
    pub(super) fn type_of(&mut self, node: Node<'u>) -> Option<IntTy> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let ty = self.type_inner(node);
        self.depth -= 1;
        ty
    }

    fn type_inner(&mut self, node: Node<'u>) -> Option<IntTy> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                self.type_of(field("value").or_else(|| last_named(node))?)
            }
            "number_literal" => {
                match literal_number(self.unit.str(node), Span { file: FileId(0), start: 0, end: 0 }).ty {
                    Type::Int(ty) => Some(ty),
                    _ => None,
                }
            }
            "sizeof_expression" => Some(IntTy::U64),
            "true" | "false" => Some(IntTy::BOOL),
            "char_literal" | "qualified_identifier" => self.constant_type(node),
            "identifier" | "field_identifier" => {
                let name = self.unit.str(node);
                if let Some(arguments) = self.arguments.last()
                    && let Some((_, ty)) = arguments.get(name)
                {
                    return Some(*ty);
                }
                let Some(known) = self.variable_at(node).filter(|_| self.arguments.is_empty()) else {
                    return self.constant_type(node);
                };
                let ty = known.ty?;
                let init = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
                match self.integer_type(ty) {
                    Some(own) => Some(own),
                    None if self.spelled(ty) == "auto" => self.type_of(init?),
                    None => None,
                }
            }
            "cast_expression" => self.integer_type(field("type")?),
            "unary_expression" => self.type_of(field("argument")?).map(promoted),
            "assignment_expression" => self.type_of(field("left")?),
            "call_expression" | "subscript_expression" if self.method_type(node).is_some() => self.method_type(node),
            "field_expression" if is_of_this(node) => self.type_of(field("field")?),
            "field_expression" | "subscript_expression" => {
                if let Some((object, path, whole)) = self.path_of(node) {
                    let variable = self.find(self.unit.str(object), object)?;
                    return match whole {
                        true => self.field_type(variable, path).or_else(|| self.part_type(variable, path)),
                        // An element of a table.
                        false => self.part_type(variable, "[0]").filter(|_| path.is_empty()),
                    };
                }
                let object = field("argument").filter(|a| a.kind() == "identifier" && field("field").is_some())?;
                self.field_type(self.find(self.unit.str(object), object)?, self.unit.str(field("field")?))
            }
            "conditional_expression" => {
                Some(in_common(self.type_of(field("consequence")?)?, self.type_of(field("alternative")?)?))
            }
            "binary_expression" => {
                let (l, r) = (field("left")?, field("right")?);
                match self.unit.str(field("operator")?) {
                    "<<" | ">>" => self.type_of(l).map(promoted),
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                        Some(in_common(self.type_of(l)?, self.type_of(r)?))
                    }
                    _ => Some(IntTy::I32),
                }
            }
            "call_expression" if self.is_rounding_up(node) => self.type_of_quotient(node),
            "call_expression" => {
                let function = field("function")?;
                let callee = self.unit.str(function);
                if let Some(("static_cast", ty)) = callee.trim_end_matches('>').split_once('<') {
                    return integer_type(ty);
                }
                let name = self.unit.str(self.unit.qualified(function).1);
                match self.lower.names.functions.get(name).and_then(|list| list.first()) {
                    Some(decl) => self.integer_type(decl.node.child_by_field_name("type")?),
                    None if matches!(name, "min" | "max") => self.type_of(field("arguments")?.named_child(0)?),
                    None => integer_type(name),
                }
            }
            _ => None,
        }
    }

    /// Is a variable one of integers, as it is declared or as its first value is?
    pub(super) fn is_of_integers(&mut self, variable: usize) -> bool {
        let known = &self.variables[variable];
        let Some(ty) = known.ty.filter(|ty| self.is_integer_type(*ty)) else { return false };
        let first = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
        self.integer_type(ty).is_some() || first.is_none_or(|first| self.is_whole(first))
    }

    /// Does this expression give an integer? So does what libraries call a size or a number of something.
    fn is_whole(&mut self, node: Node<'u>) -> bool {
        if self.depth > MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let is = self.type_of(node).is_some() || self.is_whole_by_parts(node).unwrap_or(false);
        self.depth -= 1;
        is
    }

    fn is_whole_by_parts(&mut self, node: Node<'u>) -> Option<bool> {
        let field = |name: &str| node.child_by_field_name(name);
        Some(match node.kind() {
            "parenthesized_expression" => self.is_whole(last_named(node)?),
            "conditional_expression" => self.is_whole(field("consequence")?) && self.is_whole(field("alternative")?),
            "binary_expression" => {
                let whole = !matches!(self.unit.str(field("operator")?), "+" | "-" | "*" | "/");
                whole || self.is_whole(field("left")?) && self.is_whole(field("right")?)
            }
            // `x.sizes()[0]`
            "subscript_expression" => {
                is_size(self.unit.str(field("argument")?).split(['.', '(']).next_back()?)
                    || field("argument").is_some_and(|a| a.kind() == "call_expression" && self.is_whole(a))
            }
            "identifier" => {
                let known = self.variable_at(node)?;
                let first = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
                self.unit.str(known.ty?) == "auto" && self.is_whole(first?)
            }
            "call_expression" => {
                let function = field("function")?;
                let name = function.child_by_field_name("field").unwrap_or_else(|| self.unit.qualified(function).1);
                let name = self.unit.str(name);
                let is_seen = self.lower.names.functions.contains_key(name);
                let arguments = listed_in(field("arguments")?);
                match name {
                    "min" | "max" if !is_seen => arguments.iter().all(|a| self.is_whole(*a)),
                    _ => !is_seen && is_size(name),
                }
            }
            _ => false,
        })
    }

    /// The type of a constant of the unit.
    fn constant_type(&mut self, node: Node<'u>) -> Option<IntTy> {
        match self.lower.typed_constant_at(node)?.1 {
            Type::Int(ty) => Some(ty),
            _ => None,
        }
    }

    /// A number that an expression is not less than, by its type and its parts.
    pub(super) fn least(&mut self, node: Node<'u>) -> Option<i128> {
        if let Some(n) = self.number(node)?.as_num() {
            return Some(n);
        }
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" => self.least(field("value").or_else(|| last_named(node))?),
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                let l = self.least(left)?;
                match self.unit.str(field("operator")?) {
                    "+" => Some(l + self.least(right)?),
                    "*" | "/" | "%" | ">>" | "<<" if l >= 0 && self.least(right)? >= 0 => Some(0),
                    "-" => Some(l - self.number(right)?.as_num()?),
                    _ => None,
                }
            }
            "identifier" | "field_expression" => {
                // A variable that stands for itself.
                let value = self.number(node)?;
                let ty = value.as_var().and_then(|v| self.types.get(&v.name))?;
                (!ty.signed).then_some(0)
            }
            _ => None,
        }
    }

    /// The value of an expression, which in an unsigned type is never negative. `None`: it may be, and the type is not known.
    pub(super) fn wrapped(&mut self, value: N, node: Node<'u>) -> Option<N> {
        match self.type_of(node) {
            Some(ty) if !ty.signed => Some(self.unsigned(value, node, ty)),
            Some(_) => Some(value),
            None => {
                let operator = node.child_by_field_name("operator").map_or("-", |op| self.unit.str(op));
                let fits = match value.as_num() {
                    Some(n) => n >= 0,
                    None => operator != "-" || self.least_of(node).is_some_and(|n| n >= 0),
                };
                fits.then_some(value)
            }
        }
    }

    pub(super) fn unsigned(&mut self, value: N, node: Node<'u>, ty: IntTy) -> N {
        if let Some(n) = value.as_num() {
            return N::num(ty.wrap(n));
        }
        // Sums and products of sizes are taken to fit.
        let difference = node.kind() != "binary_expression"
            || node.child_by_field_name("operator").is_some_and(|op| self.unit.str(op) == "-");
        if !difference || self.depth > MAX_DEPTH || self.least_of(node).is_some_and(|n| n >= 0) {
            return value;
        }
        let above = N::bin(NBin::Add, IntTy::MATH, &value, &N::num(1i128 << ty.bits));
        N::ite(&B::rel(NRel::Lt, &value, &N::num(0)), &above, &value)
    }

    /// [`Self::least`] of a difference, by its parts.
    pub(super) fn least_of(&mut self, node: Node<'u>) -> Option<i128> {
        if node.kind() != "binary_expression" {
            return self.least(node);
        }
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        Some(self.least(left)? - self.number(right)?.as_num()?)
    }
}

/// Does an expression name a member of a type that a function declares for itself?
pub fn names_own_type<'u>(lower: &mut Lower<'u>, node: Node<'u>) -> bool {
    let said = Said::by(lower);
    let mut found = false;
    each_named(node, |n| {
        let name = Some(n).filter(|n| n.kind() == "qualified_identifier").map(|n| lower.unit.qualified(n).0);
        let first = name.filter(|q| !q.absolute).and_then(|q| q.parts.into_iter().next());
        found |= first.is_some_and(|first| said.own_types.contains(first.as_str()));
    });
    found
}

/// The names of the types that functions declare in their bodies: there they hide others.
pub(super) fn own_types<'u>(unit: &'u Unit<'u>) -> FxHashSet<&'u str> {
    const DECLARE: [&str; 4] = ["struct_specifier", "class_specifier", "union_specifier", "enum_specifier"];
    let mut found = FxHashSet::default();
    let mut declares = |n: Node<'u>| {
        let name = match n.kind() {
            "alias_declaration" => n.child_by_field_name("name"),
            "type_definition" => n.child_by_field_name("declarator").and_then(declared_name),
            kind if DECLARE.contains(&kind) && n.child_by_field_name("body").is_some() => n.child_by_field_name("name"),
            _ => None,
        };
        found.extend(name.map(|name| unit.str(name)));
    };
    each_named(unit.tree.root_node(), |function| {
        let body = function.child_by_field_name("body").filter(|_| function.kind() == "function_definition");
        if let Some(body) = body {
            each_named(body, &mut declares);
        }
    });
    found
}
