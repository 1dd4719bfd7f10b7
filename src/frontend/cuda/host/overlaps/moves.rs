//! Functions of the unit that do nothing but give places the pointers of others, as `{ T *t = a; a = b; b = t; }` does with
//! members: what a call of one does is run where it is called. [HOST-OVERLAP]

use tree_sitter::Node;

use super::super::super::unit::{declared_name, each_named, is_reference, split_init};
use super::super::Host;
use super::super::places::listed_in;
use super::super::returned::Callee;
use super::{Flow, Origin, Pointer, States, with};

impl<'u> Host<'_, 'u> {
    /// The states after a call of such a function; `None`: it is none.
    pub(super) fn moved_by(&self, call: Node<'u>, states: &States) -> Option<States> {
        let function = call.child_by_field_name("function")?;
        let is_own = function.kind() != "field_expression"
            || function.child_by_field_name("argument").is_some_and(|object| object.kind() == "this");
        let called = self.all_called(call);
        let [callee] = &called[..] else { return None };
        let is_here = callee.class.is_none() || callee.class == self.class_around();
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        if !is_own && arguments.is_empty() && callee.parameters.is_empty() && !callee.is_lambda {
            return self.moved_in_object(function, callee, states);
        }
        (is_own && is_here && !callee.is_lambda && arguments.len() == callee.parameters.len()).then_some(())?;
        let statements = self.moves_of(callee)?;
        // The names of the function mean nothing else here.
        let own = self.own_names(callee);
        let mut outer = self.lower.names.globals.keys();
        let is_free = |name: &str| own.iter().all(|own| *own != name);
        (outer.all(|name| is_free(name)) && own.iter().all(|name| self.relevant.contains(name))).then_some(())?;
        let members = self.class_around().map_or(Vec::new(), |class| self.declarators_in(class));
        members.iter().all(|(_, d)| declared_name(*d).is_none_or(|n| is_free(self.unit.str(n)))).then_some(())?;
        // What it names has the same name here: none of a namespace, or of another class.
        let mut others = Vec::new();
        each_named(self.function, |n| {
            let is_other = n.kind() == "qualified_identifier";
            others.extend(self.unit.str(n).rsplit("::").next().filter(|_| is_other));
        });
        let mut is_other = false;
        each_named(callee.node.child_by_field_name("body")?, |n| {
            is_other |= matches!(n.kind(), "identifier" | "field_identifier") && others.contains(&self.unit.str(n));
        });
        (!is_other).then_some(())?;
        let mut after = States::new();
        for state in states {
            let is_named_so = |place: &str| !is_free(place.split(['.', '[']).next().unwrap_or(place));
            if state.keys().any(|place| is_named_so(place)) {
                return None;
            }
            let mut inner = States::from([state.clone()]);
            for ((name, parameter), argument) in callee.parameters.iter().zip(&arguments) {
                let declarator = parameter.child_by_field_name("declarator")?;
                inner = match is_reference(declarator) {
                    true => {
                        let of = self.place_of(*argument, state)?;
                        let pointer = Pointer { origin: Origin::Reference(of), steps: None, sure: true };
                        super::each(inner, |state| vec![with(&state, name, pointer.clone())])
                    }
                    false => super::each(inner, |state| self.assigned(state, name, *argument)),
                };
            }
            let mut flow = Flow::default();
            for statement in &statements {
                inner = self.run(*statement, inner, &mut flow);
            }
            for mut state in inner {
                state.retain(|place, _| !is_named_so(place));
                let held = state.values().flat_map(Pointer::alternatives);
                let is_left = |origin: &Origin| match origin {
                    Origin::Address(place) | Origin::Reference(place) | Origin::Element(place, _) => is_named_so(place),
                    origin => origin.place().is_some_and(is_named_so),
                };
                if held.into_iter().any(|pointer| is_left(&pointer.origin)) {
                    return None;
                }
                after.insert(state);
            }
        }
        Some(after)
    }

    /// The same of a method of an object that is a variable: `v.swap()`.
    fn moved_in_object(&self, function: Node<'u>, callee: &Callee<'u>, states: &States) -> Option<States> {
        let object = function.child_by_field_name("argument").filter(|object| object.kind() == "identifier")?;
        let class = self.class_at(object, false, 0).filter(|class| callee.class == Some(*class))?;
        let statements = self.moves_of(callee)?;
        let mut members = Vec::new();
        for (_, declarator) in self.declarators_in(class).into_iter().filter(|(_, d)| d.kind() == "pointer_declarator")
        {
            members.push(self.unit.str(declared_name(declarator)?));
        }
        let own = self.own_names(callee);
        // All that it names are its members and its own variables, and these names mean nothing else here.
        let mut all = true;
        each_named(callee.node.child_by_field_name("body")?, |n| {
            let is_name = matches!(n.kind(), "identifier" | "field_identifier");
            let name = self.unit.str(n);
            let is_swap = matches!(name, "swap" | "std");
            all &= !is_name || members.contains(&name) || own.contains(&name) || is_swap;
        });
        let is_moved = |place: &str| {
            let base = place.split(['.', '[']).next().unwrap_or(place);
            members.contains(&base) || own.contains(&base)
        };
        let of_unit = |name: &&str| self.lower.names.globals.contains_key(*name);
        let is_known = members.iter().chain(&own).all(|name| self.relevant.contains(name));
        (all && is_known && !members.iter().chain(&own).any(of_unit) && self.class_around().is_none()).then_some(())?;
        let mut after = States::new();
        for state in states {
            let place = self.place_of(object, state)?;
            if state.keys().any(|known| is_moved(known)) || state.contains_key(&place) {
                return None;
            }
            let mut inner = state.clone();
            for member in &members {
                let outer = format!("{place}.{member}");
                if state.keys().any(|known| super::is_part(known, &outer)) {
                    return None;
                }
                let held = inner.remove(&outer).unwrap_or_else(|| super::named(&outer));
                inner.insert((*member).to_owned(), held);
            }
            let (mut inner, mut flow) = (States::from([inner]), Flow::default());
            for statement in &statements {
                inner = self.run(*statement, inner, &mut flow);
            }
            for mut state in inner {
                for member in &members {
                    let held = state.remove(*member)?;
                    state.insert(format!("{place}.{member}"), held);
                }
                state.retain(|known, _| !is_moved(known));
                after.insert(state);
            }
        }
        Some(after)
    }

    /// The statements of a function that only moves pointers.
    pub(super) fn moves_of(&self, callee: &Callee<'u>) -> Option<Vec<Node<'u>>> {
        let mut statements = callee.node.child_by_field_name("body").map(listed_in)?;
        statements.retain(|s| s.kind() != "comment");
        if statements.last().is_some_and(|last| last.kind() == "return_statement" && last.named_child_count() == 0) {
            statements.pop();
        }
        let is_pointer = |p: &Node<'u>| {
            p.kind() == "parameter_declaration"
                && p.child_by_field_name("declarator").is_some_and(|d| {
                    matches!(d.kind(), "pointer_declarator" | "array_declarator" | "reference_declarator")
                })
        };
        let all = callee.parameters.iter().all(|(name, p)| !name.is_empty() && is_pointer(p))
            && statements.iter().all(|s| self.only_moves(*s, callee));
        (all && !statements.is_empty()).then_some(statements)
    }

    fn only_moves(&self, statement: Node<'u>, callee: &Callee<'u>) -> bool {
        let inner = statement.named_child(0).filter(|_| statement.named_child_count() == 1);
        let field = |name: &str| inner.and_then(|inner| inner.child_by_field_name(name));
        let is_place = |n: Option<Node<'u>>| n.is_some_and(|n| self.is_moved(n, callee));
        match (statement.kind(), inner.map(|inner| inner.kind())) {
            ("declaration", _) => {
                let text = self.unit.str(statement);
                let declarator = statement.child_by_field_name("declarator");
                let (to, value) = match declarator {
                    Some(d) if d.kind() == "init_declarator" => split_init(d),
                    _ => return false,
                };
                let is_plain = matches!(to.kind(), "pointer_declarator" | "identifier");
                is_plain && !text.contains(['&', ',']) && !text.starts_with("static") && is_place(value)
            }
            ("expression_statement", Some("assignment_expression")) => {
                field("operator").is_none_or(|o| self.unit.str(o) == "=")
                    && is_place(field("left"))
                    && is_place(field("right"))
            }
            ("expression_statement", Some("call_expression")) => {
                let arguments = field("arguments").map(listed_in).unwrap_or_default();
                let is_swap = field("function").is_some_and(|f| self.unit.str(f) == "std::swap");
                is_swap && arguments.len() == 2 && arguments.into_iter().all(|a| is_place(Some(a)))
            }
            _ => false,
        }
    }

    /// A variable, a member of the object, what a pointer points to, or an element at a constant subscript.
    fn is_moved(&self, place: Node<'u>, callee: &Callee<'u>) -> bool {
        let field = |name: &str| place.child_by_field_name(name);
        let is_name = |n: Option<Node<'u>>| n.is_some_and(|n| n.kind() == "identifier");
        match place.kind() {
            "identifier" => !self.is_number_in(place, callee),
            "field_expression" => field("argument").is_some_and(|a| a.kind() == "this"),
            "pointer_expression" => self.unit.str(place).starts_with('*') && is_name(field("argument")),
            "subscript_expression" => {
                let at = super::listed_subscript(place);
                is_name(field("argument")) && at.is_some_and(|at| at.kind() == "number_literal")
            }
            _ => false,
        }
    }

    /// The names that a function declares.
    pub(super) fn own_names(&self, callee: &Callee<'u>) -> Vec<&'u str> {
        let mut found: Vec<&'u str> = callee.parameters.iter().map(|(name, _)| *name).collect();
        each_named(callee.node, |n| {
            let name =
                n.child_by_field_name("declarator").and_then(declared_name).filter(|_| n.kind() == "declaration");
            found.extend(name.map(|name| self.unit.str(name)));
        });
        found
    }
}
