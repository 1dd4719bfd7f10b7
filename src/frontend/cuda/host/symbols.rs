//! What the host copies to variables of the device: `cudaMemcpyToSymbol(c, h, sizeof(h))`. [HOST-SYMBOL]

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::super::lower::Lower;
use super::super::unit::{Unit, last_named};
use super::places::listed_in;
use super::{Host, function_around};
use crate::exp::{IntTy, N};
use crate::kernel::ir::{Global, Storage};
use crate::kernel::types::Type;

/// Variables with more numbers than this are not followed.
const MAX_CELLS: usize = 256;

/// What the host gives a variable of the device.
#[derive(Clone, Debug)]
pub enum Filled {
    /// These numbers, by their places in bytes; what is not listed may be anything.
    With(BTreeMap<u64, i128>),
    /// Those that it is declared with, which nothing changes.
    Kept(BTreeMap<u64, i128>),
    /// It is written in ways that are not followed.
    Untold,
}

pub(super) fn is_copy(callee: &str) -> bool {
    matches!(callee, "cudaMemcpyToSymbol" | "cudaMemcpyToSymbolAsync" | "hipMemcpyToSymbol" | "hipMemcpyToSymbolAsync")
}

/// Does a call only read, or only ask for the size of, the symbol that it is given?
fn is_reader(callee: &str) -> bool {
    ["MemcpyFromSymbol", "MemcpyFromSymbolAsync", "GetSymbolSize"].iter().any(|end| callee.ends_with(end))
}

/// What the host writes to a variable; `None`: nothing that is known, or what it is given.
pub fn filled<'u>(lower: &mut Lower<'u>, global: &Global) -> Option<Filled> {
    let unit = lower.unit;
    let name = global.decl.name.as_str();
    let in_memory = matches!(global.decl.storage, Storage::Constant | Storage::Global) && global.init.is_none();
    // Where the host code is not seen, it may change it.
    let is_seen = unit.text.contains("<<<") && !unit.text.contains("ModuleGetGlobal");
    let keeps = global.decl.storage == Storage::Constant && global.initialised && is_seen;
    if !in_memory || !keeps && !unit.text.contains("Symbol") {
        return None;
    }
    let (mut copies, mut other) = (Vec::new(), false);
    for (at, _) in unit.text.match_indices(name) {
        let node = unit.tree.root_node().descendant_for_byte_range(at, at + name.len());
        let Some(node) = node.filter(|n| n.kind() == "identifier" && unit.str(*n) == name) else { continue };
        let of_device = function_around(node).is_some_and(|function| {
            let body = function.child_by_field_name("body");
            let head = body.map_or("", |b| &unit.text[function.start_byte()..b.start_byte()]);
            ["__global__", "__device__"].iter().any(|w| head.contains(w))
        });
        let argument = argument_of(node);
        // What is for the device and the host may write it on the host.
        let copied = argument.as_ref().is_some_and(|(call, _)| callee(unit, *call).contains("Symbol"));
        if is_declared_here(node) || of_device && !copied {
            continue;
        }
        let Some((call, at)) = argument else {
            other |=
                node.parent().is_none_or(|p| p.kind() != "parenthesized_expression" && p.kind() != "sizeof_expression");
            continue;
        };
        let callee = callee(unit, call);
        if is_copy(callee) && at == 0 {
            copies.push(call);
        } else if !is_reader(callee) {
            other = true;
        }
    }
    match copies.as_slice() {
        [] if !other => kept(lower, global).filter(|_| keeps),
        [only] if !other && lower.names.globals.get(name).is_some_and(|list| list.len() == 1) => {
            copied(lower, global, *only)
        }
        _ => Some(Filled::Untold),
    }
}

/// What a constant is declared with, where that is all integers. [HOST-SYMBOL]
fn kept<'u>(lower: &mut Lower<'u>, global: &Global) -> Option<Filled> {
    let mut cells = Vec::new();
    let whole = leaves(&global.decl.ty, 0, String::new(), &mut cells) && cells.len() <= MAX_CELLS;
    let name = global.decl.name.as_str();
    let declaration = match lower.names.globals.get(name).filter(|_| whole)?.as_slice() {
        [(_, only)] => only.node,
        _ => return None,
    };
    let unit = lower.unit;
    let mut host = Host::new(unit, lower, declaration, declaration);
    let numbers = cells.into_iter().map(|(offset, path, ty)| {
        let value = host.declared_part(name, &path, ty)?.as_num()?;
        Some((offset, value))
    });
    let numbers: BTreeMap<u64, i128> = numbers.collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(Filled::Kept(numbers))
}

fn callee<'u>(unit: &'u Unit, call: Node<'u>) -> &'u str {
    let callee = call.child_by_field_name("function").map_or("", |f| unit.str(f));
    callee.split('<').next().unwrap_or(callee)
}

/// Is this the name in a declaration outside of all functions?
fn is_declared_here(name: Node) -> bool {
    let mut declarator = name;
    while let Some(parent) = declarator.parent() {
        match parent.kind() {
            "declaration" => return function_around(parent).is_none(),
            "array_declarator" | "init_declarator" if parent.child_by_field_name("declarator") == Some(declarator) => {
                declarator = parent;
            }
            _ => return false,
        }
    }
    false
}

/// The call that a name is an argument of, and which.
fn argument_of(name: Node) -> Option<(Node, usize)> {
    let mut argument = name;
    while let Some(parent) = argument.parent() {
        match parent.kind() {
            "pointer_expression" | "cast_expression" | "parenthesized_expression" => argument = parent,
            "argument_list" => {
                let at = listed_in(parent).iter().position(|a| *a == argument)?;
                return Some((parent.parent().filter(|c| c.kind() == "call_expression")?, at));
            }
            _ => return None,
        }
    }
    None
}

/// What one copy gives.
fn copied<'u>(lower: &mut Lower<'u>, global: &Global, call: Node<'u>) -> Option<Filled> {
    let unit = lower.unit;
    let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
    let mut cells = Vec::new();
    let whole = leaves(&global.decl.ty, 0, String::new(), &mut cells) && cells.len() <= MAX_CELLS;
    let (Some(function), [_, source, size, rest @ ..]) = (function_around(call), arguments.as_slice()) else {
        return Some(Filled::Untold);
    };
    let mut host = Host::new(unit, lower, function, call);
    host.scan();
    let at_start = rest.first().is_none_or(|offset| host.number(*offset).and_then(|n| n.as_num()) == Some(0));
    let source = host.source_of(*source).filter(|s| whole && at_start && host.covers(*size, global, s));
    let Some(source) =
        source.filter(|s| matches!(innermost(&global.decl.ty), Type::Int(_)) || host.is_alike(global, s))
    else {
        return Some(Filled::Untold);
    };
    let is_number = matches!(global.decl.ty, Type::Int(_));
    let mut known = BTreeMap::new();
    for (offset, path, ty) in cells {
        match host.source_part(&source, &path, ty) {
            Some(value) => {
                known.extend(value.as_num().map(|n| (offset, n)));
            }
            None if is_number => {}
            None => return Some(Filled::Untold),
        }
    }
    (!known.is_empty()).then_some(Filled::With(known))
}

/// What an array is made of.
fn innermost(ty: &Type) -> &Type {
    if let Type::Array(elem, _) = ty { innermost(elem) } else { ty }
}

/// The integers in a variable of the device, by place and path; `false`: there is something else.
fn leaves(ty: &Type, at: u64, path: String, out: &mut Vec<(u64, String, IntTy)>) -> bool {
    match ty {
        Type::Int(int) => out.push((at, path, *int)),
        Type::Array(elem, Some(length)) => {
            return (0..(*length).min(MAX_CELLS as u64 + 1))
                .all(|i| out.len() <= MAX_CELLS && leaves(elem, at + i * elem.size(), format!("{path}[{i}]"), out));
        }
        Type::Struct(class) if class.complete => {
            let dot = if path.is_empty() { "" } else { "." };
            return class.fields.iter().all(|f| {
                leaves(&f.ty, at + f.offset, format!("{path}{dot}{}", f.name), out) || matches!(f.ty, Type::Float(_))
            });
        }
        _ => return false,
    }
    true
}

/// What is copied from.
struct Source<'u> {
    name: Node<'u>,
    path: &'u str,
}

impl<'u> Host<'_, 'u> {
    /// `&x`, `h`, `&h[0]`.
    fn source_of(&self, node: Node<'u>) -> Option<Source<'u>> {
        match node.kind() {
            "parenthesized_expression" => self.source_of(last_named(node)?),
            "cast_expression" => self.source_of(node.child_by_field_name("value")?),
            "identifier" => Some(Source { name: node, path: "" }).filter(|s| self.is_array(s.name)),
            "pointer_expression" if self.unit.str(node).starts_with('&') => {
                let place = node.child_by_field_name("argument")?;
                let (name, path, whole) = self.path_of(place).filter(|(_, _, whole)| *whole)?;
                Some(Source { name, path: path.strip_suffix("[0]").unwrap_or(path) }).filter(|_| whole)
            }
            _ => None,
        }
    }

    fn is_array(&self, name: Node<'u>) -> bool {
        match self.variable_at(name) {
            Some(known) => known.declarator.is_some_and(|d| d.kind() == "array_declarator"),
            None => true,
        }
    }

    /// Is a whole variable copied that is declared with the same class? Members of others are elsewhere.
    fn is_alike(&self, global: &Global, source: &Source<'u>) -> bool {
        let of_unit = |name: &str| match self.lower.names.globals.get(name).map_or(&[][..], Vec::as_slice) {
            [(_, only)] => only.node.child_by_field_name("type"),
            _ => None,
        };
        let name = self.unit.str(source.name);
        let from = match self.find(name, source.name) {
            Some(variable) => self.variables[variable].ty,
            None => of_unit(name),
        };
        let class = |ty: Node<'u>| {
            let declared = ty.child_by_field_name("name").filter(|_| ty.kind().ends_with("_specifier"));
            self.unit.str(self.unit.qualified(declared.unwrap_or(ty)).1)
        };
        let is_one = |name: &str| {
            let all = self.lower.names.types.get(name.split('<').next().unwrap_or(name).trim());
            all.is_some_and(|all| all.len() == 1) && !self.said.own_types.contains(name)
        };
        let to = of_unit(global.decl.name.as_str()).map(class);
        source.path.is_empty() && to == from.map(class) && to.is_some_and(is_one)
    }

    /// Are these all the bytes of the variable?
    fn covers(&mut self, size: Node<'u>, global: &Global, source: &Source<'u>) -> bool {
        let bytes = i128::from(global.decl.ty.size());
        let text: String = self.unit.str(size).chars().filter(|c| !c.is_whitespace() && !"()".contains(*c)).collect();
        let named = |name: &str| text == format!("sizeof{name}");
        named(global.decl.name.as_str())
            || source.path.is_empty() && named(self.unit.str(source.name))
            || self.number(size).and_then(|n| n.as_num()) == Some(bytes)
    }

    /// A number of what is copied.
    fn source_part(&mut self, source: &Source<'u>, path: &str, ty: IntTy) -> Option<N> {
        let text = self.unit.str(source.name);
        let Some(variable) = self.find(text, source.name) else { return self.constant_part(text, path, ty) };
        let dot = if source.path.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        let path = format!("{}{dot}{path}", source.path);
        if path.is_empty() {
            let own = self.variables[variable].ty.and_then(|ty| self.integer_type(ty));
            return (own == Some(ty)).then(|| self.variable(text, source.name)).flatten();
        }
        (self.part_type(variable, &path)? == ty).then_some(())?;
        self.part_value(variable, &path, ty, source.name)
    }

    /// A number of a constant table outside of all functions.
    fn constant_part(&mut self, name: &str, path: &str, ty: IntTy) -> Option<N> {
        let list = self.lower.names.globals.get(name)?;
        let [(_, global)] = list.as_slice() else { return None };
        let head = &self.unit.text[global.node.start_byte()..global.declarator.start_byte()];
        let is_const = head.split_whitespace().any(|w| w == "const" || w == "constexpr");
        if is_const { self.declared_part(name, path, ty) } else { None }
    }

    /// A number that the one variable of a name outside of all functions is declared with.
    fn declared_part(&mut self, name: &str, path: &str, ty: IntTy) -> Option<N> {
        let list = self.lower.names.globals.get(name)?;
        let [(_, global)] = list.as_slice() else { return None };
        let (value, node, declarator) = (global.value?, global.node, global.declarator);
        let length = (value.kind() == "initializer_list").then(|| listed_in(value).len() as u64);
        let shape = self.shape(node.child_by_field_name("type")?, 0);
        let shape = self.declared_shape(shape, declarator, length);
        match shape.part(path)? {
            super::fields::Shape::Int(own) if *own == ty => {}
            _ => return None,
        }
        self.listed_part(value, &shape, path)
    }
}
