//! The variables of host code, by their scopes.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::super::host::SCOPES;
use super::super::unit::{Unit, declared_name, split_init};

/// Where names are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Local,
    Parameter,
    Member,
    Global,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Variable<'u> {
    pub name: Node<'u>,
    pub kind: Kind,
    /// The declaration, the declarator in it, and its first value.
    pub node: Node<'u>,
    pub declarator: Node<'u>,
    pub value: Option<Node<'u>>,
    scope: Node<'u>,
}

/// Scopes outside of functions.
const OUTER: [&str; 3] = ["field_declaration_list", "namespace_definition", "translation_unit"];

/// All variables of a unit, in the order of their names.
pub(super) struct Variables<'u> {
    unit: &'u Unit<'u>,
    pub list: Vec<Variable<'u>>,
    named: BTreeMap<&'u str, Vec<usize>>,
}

pub(super) fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.parent(), Node::parent).find(|n| n.kind() == "function_definition")
}

fn is_within(outer: Node, inner: Node) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

impl<'u> Variables<'u> {
    pub(super) fn of(unit: &'u Unit<'u>, nodes: &[Node<'u>]) -> Variables<'u> {
        let mut all = Variables { unit, list: Vec::new(), named: BTreeMap::new() };
        for node in nodes {
            if matches!(
                node.kind(),
                "declaration"
                    | "parameter_declaration"
                    | "optional_parameter_declaration"
                    | "field_declaration"
                    | "for_range_loop"
            ) {
                all.declare(*node);
            }
        }
        all
    }

    fn declare(&mut self, node: Node<'u>) {
        let is_parameter = node.kind().ends_with("parameter_declaration");
        let mut scope = node;
        while scope == node || !(SCOPES.contains(&scope.kind()) || OUTER.contains(&scope.kind())) {
            let Some(parent) = scope.parent() else { return };
            // The parameters of a function that is only declared.
            if is_parameter && matches!(parent.kind(), "declaration" | "field_declaration" | "parameter_declaration") {
                return;
            }
            scope = parent;
        }
        let kind = match scope.kind() {
            _ if is_parameter => Kind::Parameter,
            "field_declaration_list" => Kind::Member,
            "namespace_definition" | "translation_unit" => Kind::Global,
            _ => Kind::Local,
        };
        // What a namespace declares may be named anywhere.
        let root = std::iter::successors(Some(scope), Node::parent).last().unwrap_or(scope);
        let scope = if kind == Kind::Global { root } else { scope };
        let mut cursor = node.walk();
        let declarators: Vec<Node<'u>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for whole in declarators {
            let (declarator, value) = split_init(whole);
            let value = value.or_else(|| node.child_by_field_name("default_value"));
            let Some(name) = declared_name(declarator) else { continue };
            self.named.entry(self.unit.str(name)).or_default().push(self.list.len());
            self.list.push(Variable { name, kind, node, declarator, value, scope });
        }
    }

    /// The variable that a name means. `None`: it is none that is known, or may be several.
    pub(super) fn find(&self, name: Node<'u>) -> Option<usize> {
        let all = self.named.get(self.unit.str(name))?;
        let seen = |v: &usize| {
            let variable = &self.list[*v];
            let after = variable.name.start_byte() <= name.start_byte() || variable.kind == Kind::Global;
            variable.kind != Kind::Member && after && is_within(variable.scope, name)
        };
        let start = |v: &usize| self.list[*v].scope.start_byte();
        let found = all.iter().copied().filter(seen).max_by_key(|v| (self.list[*v].kind != Kind::Global, start(v)))?;
        let variable = &self.list[found];
        let same = |v: &usize| self.list[*v].scope == variable.scope;
        let others =
            all.iter().filter(|v| same(v) || variable.kind == Kind::Global && self.list[**v].kind == Kind::Member);
        (others.count() == 1).then_some(found)
    }

    /// Are all things of this name one?
    pub(super) fn only(&self, name: &str) -> Option<&Variable<'u>> {
        match self.named.get(name)?.as_slice() {
            [only] => Some(&self.list[*only]),
            _ => None,
        }
    }

    pub(super) fn spelled(&self, variable: &Variable<'u>) -> &'u str {
        variable.node.child_by_field_name("type").map_or("", |ty| self.unit.str(ty))
    }
}
