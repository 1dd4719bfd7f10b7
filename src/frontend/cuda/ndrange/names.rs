//! The names that kernels are created by.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::super::unit::{declared_name, last_named};
use super::doubts::has_word;
use super::variables::{Kind, function_around};
use super::{Host, MAX_PARAMETERS};
use crate::frontend::cuda::host::listed_in;

/// Functions that only print what they are given.
const PRINTS: [&str; 6] = ["printf", "fprintf", "puts", "fputs", "perror", "strcmp"];

impl<'u> Host<'u> {
    /// The text of a string of the source, or of several in a row.
    pub(super) fn literal(&self, node: Node<'u>) -> Option<String> {
        match node.kind() {
            "parenthesized_expression" => self.literal(last_named(node)?),
            "string_literal" => {
                let text = self.unit.str(node);
                let inner = text.strip_prefix('"')?.strip_suffix('"')?;
                (!inner.contains('\\')).then(|| inner.to_owned())
            }
            "concatenated_string" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'u>> = node.named_children(&mut cursor).collect();
                parts.into_iter().map(|part| self.literal(part)).collect()
            }
            _ => None,
        }
    }

    /// The text that an argument is: a string, or a variable that only ever is one. The nodes of the strings are taken.
    pub(super) fn name_of(&mut self, node: Node<'u>) -> Option<String> {
        let value = match node.kind() {
            "identifier" => {
                let value = self.constant_text(node)?;
                self.taken.insert(value.id());
                value
            }
            _ => node,
        };
        let text = self.literal(value)?;
        self.taken.insert(value.id());
        Some(text)
    }

    /// The first value of a pointer to characters that nothing changes.
    pub(super) fn constant_text(&self, name: Node<'u>) -> Option<Node<'u>> {
        let text = self.unit.str(name);
        let own = self.variables.find(name).is_some() && !self.is_shadowed(text);
        let variable = self.variables.only(text).filter(|v| own && matches!(v.kind, Kind::Local | Kind::Global))?;
        let spelled = self.variables.spelled(variable);
        let declaration = self.unit.str(variable.node);
        let is_pointer = variable.declarator.kind() == "pointer_declarator";
        let is_array = variable.declarator.kind() == "array_declarator" && has_word(declaration, "const");
        (spelled.contains("char") && (is_pointer || is_array)).then_some(())?;
        let value = variable.value.filter(|v| matches!(v.kind(), "string_literal" | "concatenated_string"))?;
        let reads = self
            .identifiers
            .get(text)?
            .iter()
            .filter(|n| **n != variable.name)
            .all(|n| n.parent().is_some_and(|p| p.kind() == "binary_expression" || self.takes_values(p)));
        reads.then_some(value)
    }

    /// Is this a list of arguments that are taken by value: by the platform, by functions of the unit that have no
    /// references, by methods, and by objects that are made from them?
    fn takes_values(&self, list: Node<'u>) -> bool {
        let Some(call) = list.parent().filter(|_| list.kind() == "argument_list") else { return false };
        let Some(function) = call.child_by_field_name("function") else { return true };
        let name = self.unit.str(function);
        let declarators = self.identifiers.get(name).into_iter().flatten().filter_map(|n| n.parent());
        let mut declarators = declarators.filter(|p| p.kind() == "function_declarator").peekable();
        let is_known = declarators.peek().is_some();
        name.starts_with("cl")
            || PRINTS.contains(&name)
            || function.kind() == "field_expression"
            || is_known && declarators.all(|d| !self.unit.str(d).contains('&'))
    }

    /// The function that is given this name as a parameter, which it leaves as it is.
    pub(super) fn maker(&self, name: Node<'u>) -> Option<(String, usize)> {
        // `name.c_str()`
        let function = name.child_by_field_name("function").filter(|f| f.kind() == "field_expression");
        let object = function.filter(|f| f.child_by_field_name("field").is_some_and(|f| self.unit.str(f) == "c_str"));
        let name = object.and_then(|f| f.child_by_field_name("argument")).unwrap_or(name);
        let variable = self.variables.list[self.variables.find(name).filter(|_| name.kind() == "identifier")?];
        (variable.kind == Kind::Parameter).then_some(())?;
        let list = variable.node.parent().filter(|p| p.kind() == "parameter_list")?;
        let at = listed_in(list).iter().position(|p| *p == variable.node)?;
        let declarator = list.parent().filter(|d| d.kind() == "function_declarator")?;
        let function = function_around(variable.name).filter(|f| {
            let own =
                std::iter::successors(f.child_by_field_name("declarator"), |d| d.child_by_field_name("declarator"));
            own.into_iter().any(|d| d == declarator)
        })?;
        let text = self.unit.str(name);
        let inside = self.identifiers.get(text)?.iter().filter(|n| {
            function.start_byte() <= n.start_byte() && n.end_byte() <= function.end_byte() && **n != variable.name
        });
        let mut reads = inside.map(|n| {
            let is_plain = variable.declarator.kind() == "pointer_declarator";
            n.parent().is_some_and(|p| match p.kind() {
                // An object may be changed where it is given.
                "argument_list" => is_plain,
                "binary_expression" => true,
                "field_expression" => self.unit.str(p).ends_with(".c_str"),
                _ => false,
            })
        });
        reads.all(|read| read).then_some(())?;
        let own = self.unit.str(self.unit.qualified(declared_name(declarator)?).1);
        // Constructors and operators run without a call by their names.
        let is_called = function.child_by_field_name("type").is_some() && !own.starts_with("operator");
        (is_called && at < MAX_PARAMETERS).then(|| (own.to_owned(), at))
    }

    /// Functions that are named, and which of their arguments are no plain strings.
    pub(super) fn open_calls(&self) -> BTreeMap<String, BTreeSet<usize>> {
        let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (name, nodes) in &self.identifiers {
            for node in nodes {
                let mut whole = *node;
                while let Some(parent) = whole.parent().filter(|p| {
                    matches!(p.kind(), "qualified_identifier" | "template_function")
                        || p.kind() == "field_expression" && p.child_by_field_name("field") == Some(whole)
                }) {
                    whole = parent;
                }
                let Some(parent) = whole.parent() else { continue };
                let open: BTreeSet<usize> = match parent.kind() {
                    "call_expression" if parent.child_by_field_name("function") == Some(whole) => {
                        let list = parent.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                        let plain = |i: &usize| list.get(*i).is_some_and(|a| self.literal(*a).is_some());
                        (0..MAX_PARAMETERS).filter(|i| !plain(i)).collect()
                    }
                    // Its declaration.
                    "function_declarator" => continue,
                    _ => (0..MAX_PARAMETERS).collect(),
                };
                found.entry((*name).to_owned()).or_default().extend(open);
            }
        }
        found
    }

    /// Strings that may be names of kernels for what is not followed.
    pub(super) fn other_strings(&self, nodes: &[Node<'u>]) -> Vec<String> {
        let is_name = |text: &String| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let mut found = Vec::new();
        for node in nodes.iter().filter(|n| matches!(n.kind(), "string_literal" | "concatenated_string")) {
            let part = node.parent().is_some_and(|p| p.kind() == "concatenated_string");
            if part || self.taken.contains(&node.id()) || self.is_printed(*node) {
                continue;
            }
            found.extend(self.literal(*node).filter(is_name));
        }
        found
    }

    fn is_printed(&self, node: Node<'u>) -> bool {
        let call = node.parent().filter(|p| p.kind() == "argument_list").and_then(|list| list.parent());
        let function = call.and_then(|c| c.child_by_field_name("function"));
        // Printed into a buffer it may be a name; as the text around the numbers it is one that is not plain.
        let prints = function.is_some_and(|f| PRINTS.contains(&self.unit.str(f)));
        let shifted = node.parent().is_some_and(|p| {
            p.kind() == "binary_expression"
                && p.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "<<")
        });
        prints || shifted
    }
}
