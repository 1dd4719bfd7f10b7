//! Expressions of the host as the sizes of a block or a grid.

use tree_sitter::Node;

use super::super::unit::{FunDecl, GlobalDecl, child_of_kind, last_named};
use super::{Host, MAX_DEPTH, Uses};
use crate::exp::N;

impl<'u> Host<'_, 'u> {
    /// The three sizes that a `dim3`, or a number in its place, stands for.
    pub(super) fn dims(&mut self, node: Node<'u>) -> [Option<N>; 3] {
        let one = || Some(N::num(1));
        match node.kind() {
            "parenthesized_expression" => match last_named(node) {
                Some(inner) => return self.dims(inner),
                None => return [None, None, None],
            },
            "identifier" => {
                if let Some(dims) = self.dims_of_variable(node) {
                    return dims;
                }
            }
            "call_expression" | "compound_literal_expression" => {
                let callee = node.child_by_field_name("function").or_else(|| node.child_by_field_name("type"));
                if callee.is_some_and(|f| self.unit.str(f) == "dim3")
                    && let Some(list) =
                        node.child_by_field_name("arguments").or_else(|| node.child_by_field_name("value"))
                {
                    return self.listed(list);
                }
            }
            "initializer_list" | "argument_list" => return self.listed(node),
            _ => {}
        }
        if !self.is_number(node) {
            return [None, None, None];
        }
        [self.rounded(node).or_else(|| self.number(node)), one(), one()]
    }

    /// Is this certainly a number, and not a `dim3`?
    fn is_number(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_number(p));
        match node.kind() {
            "number_literal" | "char_literal" | "sizeof_expression" | "true" | "false" => true,
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" | "update_expression" => of(field("argument")),
            "binary_expression" => of(field("left")) || of(field("right")),
            "conditional_expression" => of(field("consequence")) && of(field("alternative")),
            "cast_expression" => field("type").is_some_and(|ty| self.is_arithmetic(ty)),
            "field_expression" => {
                let object = field("argument").and_then(|a| self.uses.get(self.unit.str(a)));
                let is_dims = object.and_then(|u| u.ty).is_some_and(|ty| self.unit.str(ty).ends_with("dim3"));
                let field = field("field").map(|f| self.unit.str(f));
                is_dims && matches!(field, Some("x" | "y" | "z"))
            }
            "identifier" => self.is_named_number(self.unit.str(node)),
            "call_expression" => field("function").is_some_and(|function| {
                let text = self.unit.str(function);
                let name = self.unit.str(self.unit.qualified(function).1);
                let converts = ["static_cast<", "std::min<", "std::max<"].iter().any(|p| text.starts_with(p))
                    && !text.contains("dim3");
                let known =
                    ["min", "max", "ceil", "ceilf", "floor", "floorf", "sqrt", "pow", "log2", "int", "unsigned"];
                let own = self.lower.names.functions.get(name);
                let returns_number = |list: &Vec<FunDecl<'u>>| {
                    list.iter().all(|d| d.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty)))
                };
                let local = self.uses.contains_key(name);
                !local && (converts || own.map_or(known.contains(&name), returns_number))
            }),
            _ => false,
        }
    }

    pub(super) fn is_named_number(&self, name: &str) -> bool {
        match self.uses.get(name) {
            Some(Uses { ty: Some(ty), init, .. }) if self.unit.str(*ty) == "auto" => {
                init.is_some_and(|init| self.is_number(init))
            }
            Some(Uses { ty, .. }) => ty.is_some_and(|ty| self.is_arithmetic(ty)),
            None => {
                let constants = self.lower.names.globals.get(name);
                let number = |(_, decl): &(_, GlobalDecl<'u>)| {
                    decl.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
                };
                self.lower.names.enumerators.contains_key(name) || constants.is_some_and(|list| list.iter().all(number))
            }
        }
    }

    fn is_arithmetic(&self, ty: Node<'u>) -> bool {
        let text = self.unit.str(ty);
        text != "auto" && (self.is_integer_type(ty) || matches!(text, "float" | "double"))
    }

    pub(super) fn listed(&mut self, list: Node<'u>) -> [Option<N>; 3] {
        let mut cursor = list.walk();
        let items: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        // A copy of another one.
        if let [only] = items.as_slice() {
            let named = if only.kind() == "parameter_declaration" { only.child_by_field_name("type") } else { None };
            match named {
                Some(ty) if !self.is_named_number(self.unit.str(ty)) => return [None, None, None],
                None if !self.is_number(*only) => return self.dims(*only),
                _ => {}
            }
        }
        [0, 1, 2].map(|axis| match items.get(axis) {
            Some(item) => {
                // `dim3 d(N, M)` may read as the declaration of a function with parameters of types N and M.
                let item = match item.kind() {
                    "parameter_declaration" => item.child_by_field_name("type")?,
                    _ => *item,
                };
                if item.kind() == "type_identifier" {
                    let name = self.unit.str(item);
                    return self.is_named_number(name).then(|| self.variable(name, item)).flatten();
                }
                self.rounded(item).or_else(|| self.number(item))
            }
            None => Some(N::num(1)),
        })
    }

    /// The three sizes in a field that is set once of a variable that nothing else changes.
    pub(super) fn dims_of_field(&mut self, variable: Node<'u>, field: &'static str) -> [Option<N>; 3] {
        let name = self.unit.str(variable);
        let stable = self.uses.get(name).is_some_and(|u| u.declarations == 1 && u.changes == 0 && !u.is_parameter);
        match self.fields.get(&(name, field)).copied() {
            Some((1, value)) if stable && self.only_stable(value) => self.dims(value),
            _ => [None, None, None],
        }
    }

    pub(super) fn dims_of_variable(&mut self, name: Node<'u>) -> Option<[Option<N>; 3]> {
        let text = self.unit.str(name);
        let uses = self.uses.get(text).copied()?;
        if uses.ty.is_none_or(|ty| self.unit.str(ty).trim_start_matches("const ") != "dim3") {
            return None;
        }
        let unknown = Some([None, None, None]);
        if uses.declarations != 1 || uses.is_parameter || self.depth > MAX_DEPTH {
            return unknown;
        }
        self.depth += 1;
        let value = self.value_of(&uses);
        let vexing = uses.declarator.and_then(|d| {
            if d.kind() == "function_declarator" {
                d.child_by_field_name("parameters")
            } else {
                child_of_kind(d, "argument_list")
            }
        });
        let mut dims = match (value, vexing) {
            (None, _) => [None, None, None],
            (Some(Some(init)), _) | (Some(None), Some(init)) if self.only_stable(init) => self.dims(init),
            (Some(Some(_)), _) | (Some(None), Some(_)) => [None, None, None],
            (Some(None), None) => [0; 3].map(|_| Some(N::num(1))),
        };
        if let (Some(Some(_)), Some(init)) = (value, vexing.filter(|_| uses.init.is_none()))
            && self.only_stable(init)
        {
            dims = self.listed(init);
        }
        if let (Some(None), Some(init)) = (value, vexing)
            && self.only_stable(init)
        {
            dims = self.listed(init);
        }
        for (axis, field) in ["x", "y", "z"].into_iter().enumerate() {
            if let Some((count, value)) = self.fields.get(&(text, field)).copied() {
                dims[axis] = if count == 1 && self.only_stable(value) {
                    self.rounded(value).or_else(|| self.number(value))
                } else {
                    None
                };
            }
        }
        self.depth -= 1;
        Some(dims)
    }
}
