//! Numbers that only code which is not followed may change: it may also leave them as they are. [HOST-STAYS]

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::unit::{declared_name, each_named, has_child};
use super::Host;
use super::mentions::is_platform;
use super::variables::{Event, Part};
use super::versions::Version;
use crate::exp::{B, N};

/// What code names, with all functions of the unit that it may call.
pub struct Named<'u> {
    names: FxHashSet<&'u str>,
    /// Are all functions that it calls defined in the unit, or of the platform?
    is_all_seen: bool,
}

impl<'u> Host<'_, 'u> {
    /// That the values which one number has at different places are the same where nothing surely changes it between them.
    pub(super) fn stays(&mut self) -> Vec<B> {
        let mut asked = std::mem::take(&mut self.asked);
        let mut seen = FxHashSet::default();
        asked.retain(|(variable, part, _, place)| seen.insert((*variable, part.clone(), place.id())));
        let mut groups: IndexMap<(usize, Part, Version), IndexSet<N>> = IndexMap::new();
        for (variable, part, ty, place) in asked {
            let (sure, unsure): (Vec<Event<'u>>, Vec<_>) =
                self.events(variable, &part).into_iter().partition(|e| self.is_said_to_change(e.node, variable, &part));
            let version = self.version_by(variable, &sure, place);
            let from = match &version {
                Version::After(Some(last), _) => sure[*last].at,
                _ => 0,
            };
            // The value that it has first is what it is given.
            let first =
                unsure.iter().map(|e| e.node).find(|n| n.start_byte() >= from && n.end_byte() <= place.start_byte());
            let first = first.filter(|n| self.version_by(variable, &sure, *n) == version);
            let values = [Some(place), first].map(|place| Some(self.value_at(variable, &part, ty, place?)));
            groups.entry((variable, part, version)).or_default().extend(values.into_iter().flatten());
        }
        let same = |values: &IndexSet<N>| values.iter().skip(1).map(|v| v.eq(&values[0])).collect::<Vec<_>>();
        groups.values().flat_map(same).filter(|b| b.as_lit().is_none()).collect()
    }

    /// Does a change name the variable or the part, or a function of the unit that does, or is all seen that it calls?
    fn is_said_to_change(&mut self, change: Node<'u>, variable: usize, part: &Part) -> bool {
        let name = self.variables[variable].name;
        // A kernel gets values.
        if has_child(change, "kernel_call_syntax") {
            return self.unit.str(change).contains(&format!("&{name}"));
        }
        let path = match part {
            Part::Whole => "",
            Part::Field(path) | Part::Behind(path) => path.as_str(),
        };
        let field = path.split(['.', '[', ']']).rfind(|step| step.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        // A pointer may lead to a variable whose address is kept.
        let left = change.child_by_field_name("left").filter(|left| left.kind() == "identifier");
        let is_kept = left.is_some_and(|left| self.variable_at(left).is_none_or(|v| v.is_wild));
        let is_plain = matches!(change.kind(), "call_expression" | "assignment_expression" | "update_expression");
        let named = self.named_by(change);
        let is_meant = ["*this", name].into_iter().chain(field).any(|n| named.names.contains(n));
        !is_plain || is_kept || is_meant || change.kind() == "call_expression" && named.is_all_seen
    }

    /// What code names, and the functions of the unit that it names.
    fn named_by(&mut self, code: Node<'u>) -> Arc<Named<'u>> {
        if let Some(known) = self.lower.named_by.get(&code.id()) {
            return known.clone();
        }
        let bodies = self.bodies();
        let mut named = Named { names: FxHashSet::default(), is_all_seen: true };
        let mut left = vec![code];
        while let Some(code) = left.pop() {
            each_named(code, |n| {
                let text = self.unit.str(n);
                let is_name = matches!(n.kind(), "identifier" | "field_identifier" | "type_identifier");
                if (is_name || text == "*this") && named.names.insert(text) {
                    left.extend(bodies.get(text).into_iter().flatten());
                }
                if let Some(callee) = n.child_by_field_name("function").filter(|_| n.kind() == "call_expression") {
                    let field = callee.child_by_field_name("field").map(|field| self.unit.str(field));
                    let callee = field.unwrap_or_else(|| self.callee(callee));
                    named.is_all_seen &=
                        bodies.contains_key(callee) || is_platform(callee) || callee.ends_with("_cast");
                }
            });
        }
        let named = Arc::new(named);
        self.lower.named_by.insert(code.id(), named.clone());
        named
    }

    /// The definitions of the unit's functions, by the last component of the name; a class names its destructor as well.
    fn bodies(&mut self) -> Arc<FxHashMap<&'u str, Vec<Node<'u>>>> {
        if let Some(known) = &self.lower.bodies {
            return known.clone();
        }
        let mut bodies: FxHashMap<&'u str, Vec<Node<'u>>> = FxHashMap::default();
        each_named(self.unit.tree.root_node(), |n| {
            if n.kind() == "function_definition" {
                let name = n.child_by_field_name("declarator").and_then(declared_name).map_or("", |n| self.unit.str(n));
                let last = name.rsplit("::").next().unwrap_or(name);
                bodies.entry(last.split('<').next().unwrap_or(last).trim_start_matches('~')).or_default().push(n);
            }
        });
        self.lower.bodies.insert(Arc::new(bodies)).clone()
    }
}
