//! The variables that a function of the host declares, and the places in it that give them a new value.

use tree_sitter::Node;

use super::super::unit::{child_of_kind, declared_name, is_reference, split_init};
use super::Host;
use crate::base::Name;

/// A variable, and all that may change it.
#[derive(Clone)]
pub(super) struct Variable<'t> {
    pub name: &'t str,
    /// The statement, function or lambda that it is seen in.
    pub scope: Node<'t>,
    /// Where its declarator ends.
    pub from: usize,
    pub declarator: Option<Node<'t>>,
    pub ty: Option<Node<'t>>,
    pub is_parameter: bool,
    /// Nothing changes it after its declaration.
    pub is_const: bool,
    /// Another name for something else: a reference, or a variable outside of the function.
    pub is_remote: bool,
    /// Where it is declared, if that is not in the function.
    pub outside: Option<Outside>,
    /// It may change at places that are not known.
    pub is_wild: bool,
    /// Its address, or a reference to it, was given away before here.
    pub escapes: Option<usize>,
    /// In the order in which the text runs.
    pub events: Vec<Event<'t>>,
}

/// What a variable is declared in that is none of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    Unit,
    /// The class of the function, or one that this is derived from.
    Class,
}

/// A place that gives a variable, or a part of it, a new value.
#[derive(Clone, Copy)]
pub(super) struct Event<'t> {
    pub node: Node<'t>,
    /// From here on the variable has the new value.
    pub at: usize,
    /// The path of the part that changes; `None`: all.
    pub field: Option<&'t str>,
    /// The new value, where it is written.
    pub value: Option<Node<'t>>,
    pub declares: bool,
}

/// What may be asked of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    Whole,
    /// A part by its path: `x`, `q.n`, `st[0]`, `[1]`.
    Field(Name),
    /// A field of what a pointer points to.
    Behind(Name),
}

/// What declarations have as their scope.
pub(in crate::frontend::cuda) const SCOPES: [&str; 9] = [
    "compound_statement",
    "for_statement",
    "for_range_loop",
    "if_statement",
    "while_statement",
    "switch_statement",
    "catch_clause",
    "lambda_expression",
    "function_definition",
];

pub(super) fn contains(outer: Node, inner: Node) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

/// Has a declaration one of these words before its type?
pub(super) fn says(declaration: Node, text: &str, words: &[&str]) -> bool {
    let mut cursor = declaration.walk();
    declaration.children(&mut cursor).any(|c| {
        matches!(c.kind(), "storage_class_specifier" | "type_qualifier")
            && words.contains(&&text[c.start_byte()..c.end_byte()])
    })
}

impl<'u> Host<'_, 'u> {
    /// Does a declaration leave a variable without a value, which nothing reads then? What stands in front of the first case of a
    /// `switch` is never run.
    pub(super) fn is_uninitialized(&self, variable: usize, event: &Event<'u>) -> bool {
        let known = &self.variables[variable];
        let declaration = self.up(event.node).filter(|d| d.kind() == "declaration");
        let block = declaration.and_then(|d| self.up(d));
        let in_switch = known.scope.parent().is_some_and(|p| p.kind() == "switch_statement");
        event.declares
            && event.value.is_none()
            && !known.is_parameter
            && !in_switch
            && block.is_some_and(|b| matches!(b.kind(), "compound_statement" | "case_statement"))
    }

    /// The variable that a name means at a place.
    pub(super) fn find(&self, name: &str, at: Node) -> Option<usize> {
        let list = self.named.get(name)?;
        let of_this = at.kind() == "field_identifier";
        let seen = list.iter().copied().filter(|v| {
            let variable = &self.variables[*v];
            let is_meant = !of_this || variable.outside == Some(Outside::Class);
            is_meant && contains(variable.scope, at) && variable.from <= at.start_byte()
        });
        seen.max_by_key(|v| (self.variables[*v].scope.start_byte(), self.variables[*v].from))
    }

    /// The variable of a name that stands in the text.
    pub(super) fn variable_at(&self, name: Node<'u>) -> Option<&Variable<'u>> {
        Some(&self.variables[self.find(self.unit.str(name), name)?])
    }

    /// Adds a variable; one without a declaration that is followed is wild.
    pub(super) fn add(&mut self, variable: Variable<'u>) -> usize {
        self.named.entry(variable.name).or_default().push(self.variables.len());
        self.variables.push(variable);
        self.variables.len() - 1
    }

    /// A name whose declaration is not in the function, or not understood.
    pub(super) fn stranger(&mut self, name: &'u str) -> usize {
        let scope = self.function;
        self.add(Variable {
            name,
            scope,
            from: scope.start_byte(),
            declarator: None,
            ty: None,
            is_parameter: false,
            is_const: false,
            is_remote: true,
            outside: None,
            is_wild: true,
            escapes: None,
            events: Vec::new(),
        })
    }

    pub(super) fn declare(&mut self, node: Node<'u>) {
        let ty = node.child_by_field_name("type");
        let is_parameter = node.kind().ends_with("parameter_declaration");
        let mut scope = node;
        while scope == node || !SCOPES.contains(&scope.kind()) {
            let Some(parent) = self.up(scope) else { return };
            // The parameters of a function that is only declared.
            if is_parameter && (parent.kind() == "declaration" || parent.kind().ends_with("parameter_declaration")) {
                return;
            }
            scope = parent;
        }
        let is_const = says(node, &self.unit.text, &["const", "constexpr"]);
        let outlives = says(node, &self.unit.text, &["static", "extern", "thread_local"]);
        let is_volatile = says(node, &self.unit.text, &["volatile"]);
        let mut cursor = node.walk();
        let declarators: Vec<Node<'u>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let (inner, value) = split_init(declarator);
            // In a condition it is the declaration that has the value.
            let value = value.or_else(|| node.child_by_field_name("value").filter(|_| node.kind() == "declaration"));
            let Some(name) = declared_name(inner) else {
                self.unnamed.push(inner);
                continue;
            };
            let is_reference = is_reference(inner) || self.unit.str(inner).starts_with('&');
            let is_plain = matches!(inner.kind(), "identifier" | "function_declarator")
                || child_of_kind(inner, "argument_list").is_some();
            let name = self.unit.str(name);
            let variable = self.add(Variable {
                name,
                scope,
                from: declarator.end_byte(),
                declarator: Some(inner),
                ty,
                is_parameter,
                is_const: is_const && is_plain,
                is_remote: is_reference && is_parameter,
                outside: None,
                is_wild: is_reference && !is_parameter || is_volatile,
                escapes: None,
                events: Vec::new(),
            });
            let of_range = node.kind() == "for_range_loop";
            // The next call of the function finds what this one leaves.
            self.variables[variable].is_remote |= outlives;
            // One that outlives the function has the value that its first call gave it.
            let is_fixed = outlives && is_const && value.is_some_and(|v| self.lower.constant_at(v).is_some());
            // `auto n = sizes::N;`
            if let Some(value) = value.filter(|v| v.kind() == "qualified_identifier")
                && ty.is_some_and(|ty| self.unit.str(ty) == "auto")
                && self.lower.constant_at(value).is_some()
            {
                self.constants.insert(value.id());
            }
            let variable = &mut self.variables[variable];
            let value = value.filter(|_| is_fixed || !of_range && !is_reference && !outlives);
            let event = Event { node: declarator, at: declarator.end_byte(), field: None, value, declares: true };
            variable.events.push(event);
        }
    }
}
