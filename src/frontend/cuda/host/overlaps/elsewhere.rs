//! Variables of the unit and members of objects that another function gives one array: a constructor that parts its memory,
//! say. [HOST-ELSEWHERE]

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::Host;
use super::super::places::listed_in;
use super::{Flow, Given, Origin, Overlap, State, States, child_of_kind, each_named, last_named};

/// A place that outlives the function: what comes before its name, and its name.
type Place = (String, String);

/// What comes before the name of a parameter.
const GIVEN: &str = "given";

/// More functions than these, and longer ones, are not asked.
const MOST_FUNCTIONS: usize = 64;
const MOST_NAMES: usize = 600;

/// A function, and the names that it gives something to.
pub struct Setter<'u> {
    function: Node<'u>,
    names: FxHashSet<&'u str>,
    /// Does it do so by an assignment? These are asked first.
    assigns: bool,
}

impl<'u> Host<'_, 'u> {
    /// The pairs among these arguments that the function itself does not set, and that another one makes one array.
    pub(super) fn overlaps_made_elsewhere(&mut self, arguments: &[Node<'u>], state: &State) -> Vec<Overlap> {
        let mut places: Vec<(Given, Place)> = Vec::new();
        for (i, argument) in arguments.iter().enumerate() {
            for pointer in self.pointers_of(*argument, state) {
                let Origin::Named(name) = &pointer.origin else { continue };
                let place = self.lasting(name).or_else(|| self.own_parameter(name));
                places.extend(place.map(|place| ((i, None), place)));
            }
            for member in self.pointers_in(*argument) {
                let own = self.place_of(*argument, state).filter(|own| !state.contains_key(own));
                let own = own.unwrap_or_else(|| self.unit.str(*argument).to_owned());
                let whole = format!("{own}.{member}");
                if let Some((object, last)) = whole.rsplit_once('.').filter(|_| !state.contains_key(&whole)) {
                    places.push(((i, Some(member)), (object.to_owned(), last.to_owned())));
                }
            }
        }
        let mut found = Vec::new();
        for (j, (later, (of, a))) in places.iter().enumerate() {
            for (earlier, (other, b)) in &places[..j] {
                if are_together(of, other) && a != b && later != earlier && self.are_made_one(a, b) {
                    let (later, earlier) = (later.clone(), earlier.clone());
                    found.push(Overlap { later, earlier, by: None, sure: false, shown: true });
                }
            }
        }
        found
    }

    /// What a place is apart, where that is no variable of this function.
    fn lasting(&self, place: &str) -> Option<Place> {
        let whole = |name: &str| {
            let (text, variable) = name.split_once('#')?;
            let known = self.variables.get(variable.parse::<usize>().ok()?)?;
            // One that is not declared here is none of this function; and what is `static` is there in its next call.
            let is_outside = known.outside.is_some() || known.declarator.is_none();
            (is_outside || known.is_remote && !known.is_parameter).then(|| text.to_owned())
        };
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let Some((object, member)) = place.rsplit_once('.') {
            return is_name(member).then(|| (object.to_owned(), member.to_owned()));
        }
        // Also an element of an array: `b[0]`.
        let (array, rest) = place.split_at(place.find('[').unwrap_or(place.len()));
        let at = rest.strip_prefix('[').and_then(|at| at.strip_suffix(']')).unwrap_or(rest);
        at.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
        let array = if is_name(array) { array.to_owned() } else { whole(array)? };
        Some((String::new(), array + rest))
    }

    /// What a parameter of this function is apart: another call may be given the same.
    fn own_parameter(&self, place: &str) -> Option<Place> {
        let (text, variable) = place.split_once('#')?;
        let known = self.variables.get(variable.parse::<usize>().ok()?)?;
        let is_own = known.is_parameter && known.scope == self.function;
        is_own.then(|| (GIVEN.to_owned(), format!("{text} of {}", self.function.id())))
    }

    /// The members of an object given by value that are pointers, also in members of it, by their paths.
    pub(super) fn pointers_in(&self, argument: Node<'u>) -> Vec<String> {
        let class = match argument.kind() {
            // `P p(n);` may read as the declaration of a function.
            "identifier" | "field_expression" => self.class_at(argument, false, 0).or_else(|| {
                let known = self.variable_at(Some(argument).filter(|a| a.kind() == "identifier")?)?;
                known.declarator.filter(|d| !d.kind().starts_with("pointer") && !d.kind().starts_with("array"))?;
                self.class_of(known.ty?)
            }),
            "call_expression" => argument.child_by_field_name("function").and_then(|f| {
                // What it makes, or what the function returns.
                let own = self.lower.names.functions.get(self.callee(f)).map_or(&[][..], Vec::as_slice);
                let returned = own.iter().find_map(|d| d.node.child_by_field_name("type"));
                self.class_of(f).or_else(|| self.class_of(returned?))
            }),
            "compound_literal_expression" => argument.child_by_field_name("type").and_then(|ty| self.class_of(ty)),
            "pointer_expression" if self.unit.str(argument).starts_with('*') => {
                argument.child_by_field_name("argument").and_then(|pointer| self.class_at(pointer, true, 0))
            }
            _ => None,
        };
        class.map_or(Vec::new(), |class| self.pointers_of_class(class, 0))
    }

    pub(super) fn pointers_of_class(&self, class: Node<'u>, depth: usize) -> Vec<String> {
        const DEEP: usize = 3;
        let mut found = Vec::new();
        for (item, declarator) in self.declarators_in(class) {
            let Some(name) = super::declared_name(declarator).map(|n| self.unit.str(n)) else { continue };
            match declarator.kind() {
                "pointer_declarator" => found.push(name.to_owned()),
                "field_identifier" if depth < DEEP => {
                    let inner = item.child_by_field_name("type").and_then(|ty| self.class_of(ty));
                    let parts = inner.map_or(Vec::new(), |inner| self.pointers_of_class(inner, depth + 1));
                    found.extend(parts.into_iter().map(|part| format!("{name}.{part}")));
                }
                _ => {}
            }
        }
        found
    }

    /// Does a function of the unit leave these two members, or variables of the unit, with pointers into one array? It may be an
    /// earlier call of this one.
    fn are_made_one(&mut self, a: &str, b: &str) -> bool {
        let key = ordered(a, b);
        let all = match &self.lower.setters {
            Some(known) => known.clone(),
            None => {
                let all = Arc::new(self.setters());
                self.lower.setters.insert(all).clone()
            }
        };
        let whole = |name: &'_ str| name.find('[').map_or(name.len(), |at| at);
        let sets = |s: &&Setter<'u>| s.names.contains(&a[..whole(a)]) || s.names.contains(&b[..whole(b)]);
        let functions: Vec<Node<'u>> = all.iter().filter(sets).map(|s| s.function).collect();
        functions.into_iter().any(|function| {
            let known = self.lower.made_one.get(&function.id()).cloned();
            let made = known.unwrap_or_else(|| {
                let made = Arc::new(self.made_one_in(function));
                self.lower.made_one.insert(function.id(), made.clone());
                made
            });
            made.contains(&key)
        })
    }

    /// The functions that give members or variables something else than nothing.
    fn setters(&self) -> Vec<Setter<'u>> {
        let mut found: Vec<Setter<'u>> = Vec::new();
        each_named(self.unit.tree.root_node(), |n| {
            if n.kind() != "function_definition" || self.unit.str(n).trim_start().starts_with("__global__") {
                return;
            }
            let (mut names, mut size, mut assigns) = (FxHashSet::default(), 0, false);
            each_named(n, |inner| {
                size += usize::from(matches!(inner.kind(), "identifier" | "field_identifier"));
                let field = |name: &str| inner.child_by_field_name(name);
                let set = match inner.kind() {
                    "assignment_expression" => {
                        let is_null =
                            field("right").is_none_or(|r| matches!(self.unit.str(r), "nullptr" | "NULL" | "0"));
                        let mut to = field("left").filter(|_| !is_null);
                        while let Some(array) = to.filter(|to| to.kind() == "subscript_expression") {
                            to = array.child_by_field_name("argument");
                        }
                        to.map(|l| l.child_by_field_name("field").unwrap_or(l))
                    }
                    "field_initializer" => inner.named_child(0),
                    "init_declarator" => {
                        // Calls make something of their own.
                        let is_call = |item: &Node<'u>| item.kind() == "call_expression";
                        let list = field("value").filter(|v| v.kind() == "initializer_list").map(listed_in);
                        let is_given = list.is_some_and(|list| !list.iter().all(is_call));
                        let ty = inner.parent().and_then(|d| d.child_by_field_name("type")).filter(|_| is_given);
                        names.extend(ty.map(|ty| self.members_of(ty)).unwrap_or_default());
                        None
                    }
                    "call_expression" => {
                        names.extend(self.given_away(inner));
                        None
                    }
                    // An object that a function is given, or that is none of a variable.
                    "compound_literal_expression" | "initializer_list" => {
                        names.extend(self.members_made(inner));
                        None
                    }
                    _ => None,
                };
                assigns |= set.is_some();
                names.extend(set.map(|set| self.unit.str(set)));
            });
            if !names.is_empty() && size <= MOST_NAMES {
                found.push(Setter { function: n, names, assigns });
            }
        });
        found.sort_by_key(|setter| !setter.assigns);
        found.truncate(MOST_FUNCTIONS);
        found
    }

    /// The variables and members that a function of the unit is given the addresses of, where it may make one of them another.
    fn given_away(&self, call: Node<'u>) -> Vec<&'u str> {
        let field = |name: &str| call.child_by_field_name(name);
        let (Some(function), Some(list)) = (field("function"), field("arguments")) else { return Vec::new() };
        if !self.lower.names.functions.contains_key(self.callee(function)) {
            return Vec::new();
        }
        let places: Vec<Node<'u>> = listed_in(list).into_iter().filter_map(|a| self.addressed(a)).collect();
        if places.len() < 2 {
            return Vec::new();
        }
        places.into_iter().map(|p| self.unit.str(p.child_by_field_name("field").unwrap_or(p))).collect()
    }

    /// Of a constructor, the values that the class declares its members with.
    fn first_values(&self) -> Vec<(&'u str, Node<'u>)> {
        let own = self.function.child_by_field_name("declarator").and_then(super::declared_name);
        let own = own.map(|name| self.unit.str(self.unit.qualified(name).1));
        let class =
            self.class_around().filter(|class| class.child_by_field_name("name").map(|n| self.unit.str(n)) == own);
        let body = class.and_then(|class| class.child_by_field_name("body")).map(listed_in).unwrap_or_default();
        let values = body.into_iter().filter(|item| item.kind() == "field_declaration").filter_map(|item| {
            let name = item.child_by_field_name("declarator").and_then(super::declared_name)?;
            Some((self.unit.str(name), item.child_by_field_name("default_value")?))
        });
        values.collect()
    }

    /// The members of one object, and variables of the unit, that a function leaves with pointers into one array.
    fn made_one_in(&mut self, function: Node<'u>) -> BTreeSet<(String, String)> {
        let mut made = BTreeSet::new();
        let Some(body) = function.child_by_field_name("body") else { return made };
        let mut host = Host::new(self.unit, self.lower, function, body);
        host.scan();
        // All that is named may matter.
        let mut names: BTreeSet<&'u str> = BTreeSet::new();
        let mut results: FxHashSet<usize> = FxHashSet::default();
        each_named(function, |n| match n.kind() {
            "identifier" | "field_identifier" => drop(names.insert(host.unit.str(n))),
            "call_expression" | "new_expression" => {
                let arguments = n.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                results.extend(arguments.iter().map(|a| host.addressed(*a).unwrap_or(*a).id()));
                results.insert(n.id());
            }
            _ => {}
        });
        host.relevant = names;
        let mut states = States::from([State::new()]);
        let mut given: Vec<&'u str> = Vec::new();
        let list = child_of_kind(function, "field_initializer_list").map(listed_in).unwrap_or_default();
        for item in list.into_iter().filter(|item| item.kind() == "field_initializer") {
            let (Some(member), Some(value)) = (item.named_child(0), last_named(item)) else { continue };
            let member = host.unit.str(member);
            given.push(member);
            states = super::each(states, |state| host.assigned(state, member, value));
        }
        for (member, value) in host.first_values() {
            if !given.contains(&member) {
                host.relevant.insert(member);
                states = super::each(states, |state| host.assigned(state, member, value));
            }
        }
        let mut flow = Flow::default();
        let mut ends = host.run(body, states, &mut flow);
        ends.append(&mut flow.returned);
        if flow.is_over() {
            let all = host.relevant.iter().enumerate();
            made.extend(all.flat_map(|(i, a)| host.relevant.iter().skip(i + 1).map(|b| ordered(a, b))));
            return made;
        }
        for state in &ends {
            let mut held: Vec<(Place, Origin)> = Vec::new();
            let all = state.iter().flat_map(|(place, p)| p.alternatives().into_iter().map(move |p| (place, p)));
            for (place, pointer) in all {
                // What is no call or `new` makes nothing.
                let is_array = match &pointer.origin {
                    Origin::Made(id, _) => results.contains(id),
                    Origin::Reference(_) | Origin::Truth(_) => false,
                    _ => true,
                };
                held.extend(host.lasting(place).filter(|_| is_array).map(|p| (p, pointer.origin.clone())));
                // What the function does not set has what it had.
                if let Origin::Named(from) = &pointer.origin
                    && !state.contains_key(from)
                {
                    let from = host.lasting(from).or_else(|| host.own_parameter(from));
                    held.extend(from.map(|p| (p, pointer.origin.clone())));
                }
            }
            for (i, ((object, a), origin)) in held.iter().enumerate() {
                let is_same =
                    |other: &str, b: &str, from: &Origin| are_together(other, object) && a != b && from == origin;
                let same = held[..i].iter().filter(|((other, b), from)| is_same(other, b, from));
                made.extend(same.map(|((_, b), _)| ordered(a, b)));
            }
        }
        made
    }
}

/// Are two places parts of one object, as far as it can be told?
fn are_together(object: &str, other: &str) -> bool {
    object == other || object == GIVEN || other == GIVEN
}

fn ordered(a: &str, b: &str) -> (String, String) {
    (a.min(b).to_owned(), a.max(b).to_owned())
}
