//! Which pointers that a launch is given may be one: what each variable of the function points to when it gets there. [HOST-OVERLAP]
//!
//! The function is run on names: a state says for each place that was assigned which pointer it has, and each branch and
//! round of a loop may add a state, so that `t = x; x = y; y = t;` keeps two pointers apart.

mod choices;
mod elsewhere;
mod filled;
mod handed;
mod lambdas;
mod moves;
mod news;
mod values;

use std::collections::{BTreeMap, BTreeSet};

pub use elsewhere::Setter;
pub use handed::Seen;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

use values::{Place, made_name};

use super::super::unit::{
    TypeDecl, child_of_kind, declared_name, each_named, has_child, is_reference, last_named, split_init,
};
use super::Host;
use super::callers::THIS;
use super::places::listed_in;
use super::pointers::OF_DATA;
use super::variables::{Outside, contains, says};
use crate::exp::{IntTy, N};

/// More states than this are made one.
const MOST: usize = 64;
/// The same once that was so.
const FEW: usize = 8;
/// States of nodes that are looked at for one launch; large ones count for more, one for every [`MANY`] places.
const MAX_STEPS: usize = 1_000_000;
const MANY: usize = 8;
/// More pointers than these are any.
const MAX_SEVERAL: usize = 8;
/// What an object is made of.
const MADE_OF: [&str; 3] = ["argument_list", "parameter_list", "initializer_list"];
/// Expressions that are no pointer to what was there before.
const MAKES: [&str; 13] = [
    "new_expression",
    "initializer_list",
    "argument_list",
    "compound_literal_expression",
    "lambda_expression",
    "number_literal",
    "char_literal",
    "string_literal",
    "null",
    "true",
    "false",
    "sizeof_expression",
    "binary_expression",
];

/// A pointer argument: its position in the list, and the field of an object that is given by value.
pub type Given = (usize, Option<String>);

/// Two pointers that are given to a kernel, and what the host says of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub later: Given,
    pub earlier: Given,
    /// By how many elements the later one is behind the earlier one, where that is known.
    pub by: Option<N>,
    /// Do they surely point into one array?
    pub sure: bool,
    /// Does anything say so but that calls of one text return them? [HOST-RESTRICT]
    pub shown: bool,
}

impl Overlap {
    /// Are they just the same?
    pub fn at_start(&self) -> bool {
        self.by.as_ref().and_then(N::as_num) == Some(0)
    }
}

/// Where a pointer comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// What a place had when the function began, or the result of an expression of this text.
    Named(String),
    /// What is made at a node; in an earlier round of a loop.
    Made(usize, bool),
    /// The address of a place.
    Address(String),
    /// It is a reference: another name for a place.
    Reference(String),
    /// An element of an array of pointers, at a subscript of this text.
    Element(String, String),
    /// A row of a tensor, at a subscript of this text.
    Row(Box<Origin>, String),
    /// It is one of these.
    Several(Vec<Pointer>),
    /// It is no pointer, but what a condition is.
    Truth(bool),
    /// It may be any.
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pointer {
    origin: Origin,
    /// What was added to it; `None`: it is somewhere in it.
    steps: Option<Vec<Step>>,
    /// Is it surely that?
    sure: bool,
}

/// A number of elements that is added to a pointer, or taken away. There is no cast behind it: the elements are those of the
/// parameter of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// Where the number stands in the text; for `++`, where that stands.
    at: (usize, usize),
    one: bool,
    back: bool,
}

impl Origin {
    /// The place that it was read of, if it is no element.
    fn place(&self) -> Option<&str> {
        match self {
            Origin::Named(name) => Some(name),
            Origin::Row(tensor, _) => tensor.place(),
            _ => None,
        }
    }

    /// The same where places have other names.
    fn renamed(&self, new: &impl Fn(&str) -> Option<String>) -> Option<Origin> {
        match self {
            Origin::Named(name) => new(name).map(Origin::Named),
            Origin::Address(name) => new(name).map(Origin::Address),
            Origin::Reference(name) => new(name).map(Origin::Reference),
            Origin::Element(array, at) => new(array).map(|array| Origin::Element(array, at.clone())),
            Origin::Several(all) => {
                let one =
                    |p: &Pointer| p.origin.renamed(new).map_or(p.clone(), |origin| Pointer { origin, ..p.clone() });
                Some(Origin::Several(all.iter().map(one).collect()))
            }
            Origin::Made(..) | Origin::Row(..) | Origin::Truth(_) | Origin::Any => None,
        }
    }

    /// Is this a row of another one, or a row of such a row?
    fn is_row_of(&self, other: &Origin) -> bool {
        matches!(self, Origin::Row(tensor, _) if **tensor == *other || tensor.is_row_of(other))
    }
}

impl Pointer {
    /// The same as one to elements of another size, perhaps.
    fn cast(self) -> Pointer {
        if self.steps.as_ref().is_some_and(Vec::is_empty) { self } else { self.somewhere() }
    }

    /// The pointers that this is one of.
    fn alternatives(&self) -> Vec<Pointer> {
        let Origin::Several(all) = &self.origin else { return vec![self.clone()] };
        let moved = self.steps.as_ref().is_none_or(|steps| !steps.is_empty());
        let one = |p: &Pointer| Pointer { sure: false, ..if moved { p.clone().somewhere() } else { p.clone() } };
        all.iter().map(one).collect()
    }

    /// It is one of these, or any.
    fn one_of(all: impl Iterator<Item = Pointer>) -> Pointer {
        let all: BTreeSet<Pointer> = all.collect();
        let few = all.len() <= MAX_SEVERAL;
        let (origin, steps) = match few {
            true => (Origin::Several(all.into_iter().collect()), Some(Vec::new())),
            false => (Origin::Any, None),
        };
        Pointer { origin, steps, sure: false }
    }

    fn somewhere(self) -> Pointer {
        Pointer { steps: None, ..self }
    }

    fn with(mut self, step: Option<Step>) -> Pointer {
        self.steps = self.steps.zip(step).map(|(mut steps, step)| {
            steps.push(step);
            steps
        });
        self
    }
}

type State = BTreeMap<String, Pointer>;
type States = BTreeSet<State>;

/// What leaves the statement that is run.
#[derive(Default)]
struct Flow {
    broken: States,
    continued: States,
    returned: States,
    /// Where an exception may leave a `try` block that is run.
    thrown: Option<States>,
    at_launch: States,
    too_many: bool,
    /// How many states of nodes were looked at.
    steps: usize,
}

impl Flow {
    /// How many states are told apart.
    fn most(&self) -> usize {
        if self.too_many { FEW } else { MOST }
    }

    /// Control may go from here to a handler.
    fn throws(&mut self, states: &States) {
        if let Some(thrown) = &mut self.thrown {
            thrown.extend(states.iter().cloned());
            if thrown.len() > MOST {
                *thrown = merged(thrown);
            }
        }
    }

    /// Was it given up?
    fn is_over(&self) -> bool {
        self.steps > MAX_STEPS
    }
}

fn named(text: &str) -> Pointer {
    Pointer { origin: Origin::Named(text.to_owned()), steps: Some(Vec::new()), sure: true }
}

impl<'u> Host<'_, 'u> {
    /// The pairs of pointers among these arguments of the launch that may be one.
    /// Also with those in the object that a method is called for, which comes after them; it may be behind a pointer.
    pub(super) fn overlaps(&mut self, arguments: &[Node<'u>], object: Option<(Node<'u>, bool)>) -> Vec<Overlap> {
        let all: Vec<Node<'u>> = arguments.iter().copied().chain(object.map(|(object, _)| object)).collect();
        self.relevant = self.depends_on(&all);
        let Some(body) = self.function.child_by_field_name("body") else { return Vec::new() };
        let mut flow = Flow::default();
        self.run(body, States::from([State::new()]), &mut flow);
        let mut found: BTreeMap<(Given, Given), (Meeting, usize)> = BTreeMap::new();
        let at_launch: States =
            flow.at_launch.iter().flat_map(|state| self.split_for(state.clone(), arguments)).collect();
        let states = at_launch.len();
        for state in &at_launch {
            let mut given: Vec<(Given, Vec<Pointer>)> = Vec::new();
            for (i, argument) in arguments.iter().enumerate() {
                let fields = self.fields_given(*argument, state);
                given.push(((i, None), self.pointers_of(*argument, state)));
                given.extend(fields.into_iter().map(|(name, pointers)| ((i, Some(name)), pointers)));
            }
            if let Some((object, behind)) = object {
                let fields = if behind { self.fields_behind(object, state) } else { self.fields_given(object, state) };
                given.extend(fields.into_iter().map(|(name, pointers)| ((arguments.len(), Some(name)), pointers)));
            }
            for (own, pointers) in &given {
                for pointer in pointers.iter().flat_map(Pointer::alternatives) {
                    let just = pointer.steps.as_ref().is_some_and(Vec::is_empty);
                    let from = pointer.origin.place().and_then(|place| self.given_place(place));
                    self.sources.extend(from.map(|from| (own.clone(), from, just)));
                }
            }
            for (j, (later, a)) in given.iter().enumerate() {
                for (earlier, b) in &given[..j] {
                    if let Some(met) = meet(a, b, state, &|name| self.is_seen(name)) {
                        let pair = (later.clone(), earlier.clone());
                        let (known, times) =
                            found.remove(&pair).map_or((met.clone(), 0), |(known, times)| (known.and(met), times));
                        found.insert(pair, (known, times + 1));
                    }
                }
            }
        }
        let mut pairs = Vec::new();
        // Of a function that takes too long, or that jumps, any two may be one.
        let is_lost = flow.is_over() || self.has_goto;
        if is_lost {
            let fields =
                |argument: &Node<'u>| self.fields_given(*argument, &State::new()).into_iter().map(|f| Some(f.0));
            let all = |(i, argument): (usize, &Node<'u>)| {
                std::iter::once(None).chain(fields(argument)).map(move |part| (i, part)).collect::<Vec<Given>>()
            };
            let given: Vec<Given> = arguments.iter().enumerate().flat_map(all).collect();
            for (j, later) in given.iter().enumerate() {
                let any = |earlier: &Given| {
                    let (later, earlier) = (later.clone(), earlier.clone());
                    Overlap { later, earlier, by: None, sure: false, shown: true }
                };
                pairs.extend(given[..j].iter().map(any));
            }
        }
        for ((later, earlier), (Meeting { apart, sure, shown }, times)) in found {
            let whole = !flow.too_many;
            let by = apart.filter(|_| whole).and_then(|(later, earlier)| self.distance(&later, &earlier));
            if !is_lost {
                pairs.push(Overlap { later, earlier, by, sure: sure && times == states && whole, shown });
            }
        }
        let mut others = self.overlaps_of_lambda(arguments);
        for state in &flow.at_launch {
            others.extend(self.overlaps_made_elsewhere(arguments, state));
        }
        for overlap in others {
            match pairs.iter_mut().find(|p| p.later == overlap.later && p.earlier == overlap.earlier) {
                Some(known) => known.shown |= overlap.shown,
                None => pairs.push(overlap),
            }
        }
        pairs
    }

    /// Is there a function of the unit with this name, or a variable that is called?
    fn is_seen(&self, function: &str) -> bool {
        let name = function.split('<').next().unwrap_or(function).trim();
        let name = name.rsplit("::").next().unwrap_or(name);
        let names = &self.lower.names;
        let known = names.functions.get(name).map_or(&[][..], Vec::as_slice);
        known.iter().any(|d| d.has_body) || names.globals.contains_key(name) || self.named.contains_key(name)
    }

    /// By how many elements the one is behind the other.
    fn distance(&mut self, later: &[Step], earlier: &[Step]) -> Option<N> {
        let mut sum = N::num(0);
        for (steps, back) in [(later, false), (earlier, true)] {
            for step in steps {
                let number = match step.one {
                    true => N::num(1),
                    false => self.number(self.function.descendant_for_byte_range(step.at.0, step.at.1)?)?,
                };
                sum = match step.back == back {
                    true => N::add(IntTy::MATH, &sum, &number),
                    false => N::sub(IntTy::MATH, &sum, &number),
                };
            }
        }
        Some(sum)
    }

    // ---- statements ----

    fn run(&self, node: Node<'u>, states: States, flow: &mut Flow) -> States {
        let after = self.without_changed(node, self.run_node(node, states, flow));
        // Wherever something may have changed, or a function was called.
        if matches!(
            node.kind(),
            "declaration" | "assignment_expression" | "update_expression" | "call_expression" | "new_expression"
        ) {
            flow.throws(&after);
        }
        after
    }

    fn run_node(&self, node: Node<'u>, states: States, flow: &mut Flow) -> States {
        let field = |name: &str| node.child_by_field_name(name);
        let mut states = states;
        if states.len() > flow.most() {
            flow.too_many = true;
            states = merged(&states);
        }
        flow.steps += states.len() * (1 + states.first().map_or(0, State::len) / MANY);
        if states.is_empty() || flow.is_over() {
            return states;
        }
        let part = |host: &Self, part: Option<Node<'u>>, states: States, flow: &mut Flow| match part {
            Some(part) => host.run(part, states, flow),
            None => states,
        };
        match node.kind() {
            "if_statement" => {
                let states = part(self, field("condition"), states, flow);
                let mut after = part(self, field("consequence"), states.clone(), flow);
                after.extend(part(self, field("alternative"), states, flow));
                after
            }
            "conditional_expression" => {
                let states = part(self, field("condition"), states, flow);
                let mut after = part(self, field("consequence"), states.clone(), flow);
                after.extend(part(self, field("alternative"), states, flow));
                after
            }
            "binary_expression"
                if field("operator").is_some_and(|o| matches!(self.unit.str(o), "&&" | "||" | "and" | "or")) =>
            {
                let mut after = part(self, field("left"), states, flow);
                after.extend(part(self, field("right"), after.clone(), flow));
                after
            }
            // These operands are not run.
            "sizeof_expression" | "alignof_expression" | "decltype" | "noexcept" => states,
            // `do { .. } while (0)`, as macros have it.
            "do_statement" if is_run_once(self.unit.str(field("condition").unwrap_or(node))) => {
                let outer = (std::mem::take(&mut flow.broken), std::mem::take(&mut flow.continued));
                let mut states = part(self, field("body"), states, flow);
                states.append(&mut flow.broken);
                states.append(&mut flow.continued);
                (flow.broken, flow.continued) = outer;
                states
            }
            "for_statement" | "while_statement" | "do_statement" | "for_range_loop" => {
                let outer = (std::mem::take(&mut flow.broken), std::mem::take(&mut flow.continued));
                let mut states = part(self, field("initializer").or_else(|| field("right")), states, flow);
                let element =
                    if node.kind() == "for_range_loop" { field("declarator").zip(field("right")) } else { None };
                for _ in 0..MOST {
                    let before = states.clone();
                    let inner = part(self, field("condition"), states.clone(), flow);
                    let inner = match element {
                        Some((declarator, range)) => self.taken_from(declarator, range, inner),
                        None => inner,
                    };
                    let mut after = part(self, field("body"), inner.clone(), flow);
                    after.append(&mut flow.continued);
                    states.extend(inner);
                    // What stands in the loop may have had another value in the last round.
                    let after = part(self, field("update"), after, flow);
                    states.extend(after.into_iter().map(|state| without_steps_of(node, state)));
                    if states.len() > flow.most() {
                        flow.too_many = true;
                        states = merged(&states);
                    }
                    if states == before {
                        break;
                    }
                }
                states.append(&mut flow.broken);
                (flow.broken, flow.continued) = outer;
                states
            }
            "switch_statement" => {
                let outer = std::mem::take(&mut flow.broken);
                let entry = part(self, field("condition"), states, flow);
                let mut current = States::new();
                for case in field("body").map(listed_in).unwrap_or_default() {
                    current.extend(entry.iter().cloned());
                    current = self.run(case, current, flow);
                }
                current.extend(entry);
                current.append(&mut flow.broken);
                flow.broken = outer;
                current
            }
            "try_statement" => {
                let outer = flow.thrown.replace(states.clone());
                let mut after = part(self, field("body"), states, flow);
                let thrown = std::mem::replace(&mut flow.thrown, outer).unwrap_or_default();
                // The handlers may not be for it.
                flow.throws(&thrown);
                for clause in listed_in(node).into_iter().filter(|n| n.kind() == "catch_clause") {
                    after.extend(part(self, clause.child_by_field_name("body"), thrown.clone(), flow));
                }
                after
            }
            // It is run where it stands, if at all.
            "lambda_expression" => {
                if node == self.launch {
                    flow.at_launch.extend(states.iter().cloned());
                }
                let outer = std::mem::take(&mut flow.returned);
                let captures = field("captures").map(listed_in).unwrap_or_default();
                let own = captures.into_iter().filter(|c| c.kind() == "lambda_capture_initializer");
                let states = self.run_all(own.filter_map(|c| captured_as(c).1).collect(), states, flow);
                let inner = self.captured(node, states.clone());
                let mut after = part(self, field("body"), inner, flow);
                after.extend(states);
                after.append(&mut flow.returned);
                flow.returned = outer;
                after.into_iter().map(|state| without_steps_of(node, state)).collect()
            }
            "break_statement" => {
                flow.broken.append(&mut states);
                States::new()
            }
            "continue_statement" => {
                flow.continued.append(&mut states);
                States::new()
            }
            "return_statement" | "throw_statement" => {
                let mut after = self.run_all(listed_in(node), states, flow);
                if node.kind() == "throw_statement" {
                    flow.throws(&after);
                }
                flow.returned.append(&mut after);
                States::new()
            }
            "declaration" => {
                let mut cursor = node.walk();
                let declarators: Vec<Node<'u>> = node.children_by_field_name("declarator", &mut cursor).collect();
                for declarator in declarators {
                    states = self.declared(node, declarator, states, flow);
                }
                states = self.without_declared(node, states);
                states
            }
            "assignment_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return states };
                states = self.run_all(vec![right, left], states, flow);
                let operator = field("operator").map_or("", |o| self.unit.str(o));
                // `std::tie(p, q) = make();`
                if left.kind() == "call_expression" && operator == "=" {
                    let arguments = left.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                    let places = arguments.into_iter().filter(|a| a.kind() == "identifier").map(|a| self.key(a));
                    return self.all_assigned(states, places.collect(), right);
                }
                if self.is_number_behind(left) {
                    return states;
                }
                if let Some(name) = self.reference_declared(left) {
                    let place = self.key(name);
                    return each(states, |state| {
                        let of = |of: Place| {
                            let pointer = Pointer { origin: Origin::Reference(of.name), steps: None, sure: of.sure };
                            with(&state, &place, pointer)
                        };
                        self.places_of(right, &state).into_iter().map(of).chain([state.clone()]).collect()
                    });
                }
                self.written(states, left, |state, place| match operator {
                    "=" => self.assigned(state, place, right),
                    _ if !self.is_relevant(place) || self.is_scalar_place(place) => vec![state],
                    "+=" | "-=" => vec![moved(state, place, Some(step(right, operator == "-=")))],
                    _ => vec![moved(state, place, None)],
                })
            }
            "optional_parameter_declaration" => {
                let (Some(to), Some(value)) = (field("type"), field("default_value")) else { return states };
                let states = self.run(value, states, flow);
                match self.find(self.unit.str(to), to) {
                    Some(_) => each(states, |state| self.assigned(state, &self.key(to), value)),
                    None => states,
                }
            }
            "update_expression" => {
                let Some(argument) = field("argument") else { return states };
                let back = field("operator").is_some_and(|o| self.unit.str(o) == "--");
                self.written(states, argument, |state, place| match self.is_scalar_place(place) {
                    false if self.is_relevant(place) => vec![moved(state, place, Some(step(node, back)))],
                    _ => vec![state],
                })
            }
            // An object of its own, which a function may be given.
            "compound_literal_expression" | "initializer_list" => {
                states = self.run_all(listed_in(node), states, flow);
                let members = self.members_made(node);
                let list = field("value").map_or_else(|| listed_in(node), listed_in);
                for (i, item) in list.into_iter().enumerate().filter(|_| !members.is_empty()) {
                    if let Some((part, item)) = self.member(&members, i, item) {
                        let place = format!("{}{part}", made_name(node.id(), false));
                        states = each(states, |state| self.assigned(state, &place, item));
                    }
                }
                states
            }
            "new_expression" => {
                states = self.run_all(listed_in(node), states, flow);
                let class = field("type").and_then(|ty| self.class_of(ty));
                match class.zip(field("arguments")) {
                    Some((class, list)) => each(states, |state| vec![self.handed_to_object(class, list, state)]),
                    None => states,
                }
            }
            "call_expression" => {
                let called = self.lambdas_called(node);
                // One that is called where it stands is run once.
                let parts = listed_in(node).into_iter().filter(|part| !called.contains(part)).collect();
                states = self.run_all(parts, states, flow);
                for lambda in called {
                    let given = self.given_to_lambda(node, lambda, states.clone());
                    states.extend(self.run(lambda, given, flow));
                }
                if node == self.launch {
                    flow.at_launch.extend(states.iter().cloned());
                }
                self.called_with(node, states)
            }
            _ => self.run_all(listed_in(node), states, flow),
        }
    }

    fn run_all(&self, nodes: Vec<Node<'u>>, states: States, flow: &mut Flow) -> States {
        nodes.into_iter().fold(states, |states, node| self.run(node, states, flow))
    }

    /// The states after something is done to a place; where it is not sure which one that is, each may stay as it is.
    fn written(&self, states: States, to: Node<'u>, write: impl Fn(State, &str) -> Vec<State>) -> States {
        each(states, |state| {
            let places = self.places_of(to, &state);
            let mut after = Vec::new();
            for Place { name, .. } in &places {
                after.extend(write(state.clone(), name).into_iter().map(|state| touched(state, name)));
            }
            if !matches!(places.as_slice(), [only] if only.sure) {
                after.push(state);
            }
            after
        })
    }

    fn declared(&self, node: Node<'u>, declarator: Node<'u>, states: States, flow: &mut Flow) -> States {
        let (inner, value) = split_init(declarator);
        // `auto [p, q] = make();`: each may be any pointer of that.
        if let (Some(value), "structured_binding_declarator") = (value, inner.kind()) {
            let states = self.run(value, states, flow);
            let places: Vec<String> = listed_in(inner).into_iter().map(|name| self.key(name)).collect();
            let class = self.class_at(value, false, 0).map_or(Vec::new(), |class| self.members_of(class));
            if class.len() != places.len() {
                return self.all_assigned(states, places, value);
            }
            return places.iter().zip(class).fold(states, |states, (place, member)| {
                each(states, |state| {
                    let of = self.places_of(value, &state).into_iter();
                    let held = of.flat_map(|of| self.held(&format!("{}.{member}", of.name), value, &state));
                    let doubtful = self.names_doubtful(value);
                    let held = held.map(|p| if doubtful { p.somewhere() } else { p });
                    let after: Vec<State> = held.map(|pointer| with(&state, place, pointer)).collect();
                    if after.is_empty() { vec![state] } else { after }
                })
            });
        }
        let Some(name) = declared_name(inner) else { return states };
        // `dim3 g(q = p);` reads as the declaration of a function.
        let mut set = Vec::new();
        each_named(inner, |n| set.extend(Some(n).filter(|n| n.kind() == "optional_parameter_declaration")));
        let states = self.run_all(set, states, flow);
        // In a condition it is the declaration that has the value.
        let own = || node.child_by_field_name("value").filter(|_| node.kind() == "declaration");
        let value = value.or_else(own).or_else(|| child_of_kind(declarator, "argument_list"));
        let value = value.or_else(|| self.made_of_names(inner));
        let states = match value {
            Some(value) => self.run(value, states, flow),
            None => states,
        };
        let place = self.key_declared(name, declarator);
        let reference = is_reference(inner);
        let is_object = matches!(inner.kind(), "identifier" | "function_declarator");
        let class = node.child_by_field_name("type").filter(|_| is_object).and_then(|ty| self.class_of(ty));
        let members = node.child_by_field_name("type").map(|ty| self.members_of(ty)).unwrap_or_default();
        // What an earlier call left there.
        let outlives = says(node, &self.unit.text, &["static", "thread_local"]);
        let before = if outlives { states.clone() } else { States::new() };
        let mut after = each(states, |mut state| {
            let own = |other: &String| is_part(other, &place);
            state.retain(|other, _| other != &place && !own(other));
            let Some(value) = value else { return vec![state] };
            if let Some(class) = class.filter(|_| !reference && MADE_OF.contains(&value.kind())) {
                state = self.handed_to_object(class, value, state);
            }
            if value.kind() == "lambda_expression" {
                return self.assigned_captures(state, &place, value);
            }
            if reference {
                let of = |Place { name, sure }: Place| {
                    let pointer = Pointer { origin: Origin::Reference(name), steps: None, sure };
                    with(&state, &place, pointer)
                };
                let places = self.places_of(value, &state);
                return if places.is_empty() { vec![state] } else { places.into_iter().map(of).collect() };
            }
            // `V w(u);`
            if let Some(of) = class.and_then(|class| self.copied_object(class, value)) {
                return self.assigned(state, &place, of);
            }
            // `auto v = V{p, q};`
            let made =
                if value.kind() == "compound_literal_expression" { value.child_by_field_name("value") } else { None };
            let own = made.and_then(|_| value.child_by_field_name("type")).map(|ty| self.members_of(ty));
            let members = own.as_ref().unwrap_or(&members);
            let given = value;
            let value = made.filter(|_| !members.is_empty()).unwrap_or(value);
            let list = if value.kind() == "initializer_list" { listed_in(value) } else { Vec::new() };
            let array = inner.kind() == "array_declarator" || child_of_kind(inner, "array_declarator").is_some();
            if !array && members.is_empty() || list.is_empty() {
                return self.assigned(state, &place, value);
            }
            let ty = if made.is_some() { given.child_by_field_name("type") } else { node.child_by_field_name("type") };
            let class = ty.filter(|_| !array).and_then(|ty| self.class_of(ty));
            if let Some(parts) = class.and_then(|class| self.parts_listed(class, &list, 0)) {
                return self.all_parts_assigned(state, &place, parts);
            }
            let parts = list.into_iter().enumerate().filter_map(|(i, item)| {
                Some(if array { (format!("[{i}]"), item) } else { self.member(members, i, item)? })
            });
            let mut states = vec![state];
            for (part, item) in parts {
                let part = format!("{place}{part}");
                states = states.into_iter().flat_map(|state| self.assigned(state, &part, item)).collect();
            }
            states
        });
        after.extend(before);
        after
    }

    /// The variable of a loop over a range is one of the elements.
    fn taken_from(&self, declarator: Node<'u>, range: Node<'u>, states: States) -> States {
        let Some(name) = declared_name(declarator) else { return states };
        let place = self.key_declared(name, declarator);
        if !self.is_relevant(&place) {
            return states;
        }
        let reference = is_reference(declarator);
        let element = format!("[*{place}]");
        each(states, |state| {
            let mut state = renamed(state, &element, &format!("[*{place} before]"));
            state.retain(|other, _| other != &place && !is_part(other, &place));
            let all = self.places_of(range, &state).into_iter().map(|of| Place { name: of.name + &element, ..of });
            let pointers = all.map(|Place { name, sure }| match reference {
                true => Pointer { origin: Origin::Reference(name), steps: None, sure },
                false => Pointer { sure, ..named(&name) },
            });
            let pointers: Vec<Pointer> = pointers.collect();
            match pointers.is_empty() {
                // `for (float *p : {a, b})`
                true => self.assigned(state, &place, range),
                false => pointers.into_iter().map(|pointer| with(&state, &place, pointer)).collect(),
            }
        })
    }

    /// Each of some places gets one of the pointers of a value, or something else.
    fn all_assigned(&self, states: States, places: Vec<String>, value: Node<'u>) -> States {
        places.iter().fold(states, |states, place| {
            each(states, |state| {
                let mut after = self.assigned(state, place, value);
                let doubt = |p: &mut Pointer| *p = Pointer { sure: false, ..p.clone().somewhere() };
                after.iter_mut().filter_map(|state| state.get_mut(place)).for_each(doubt);
                after
            })
        })
    }

    /// The one object of the same class that an object is made of.
    fn copied_object(&self, class: Node<'u>, value: Node<'u>) -> Option<Node<'u>> {
        let items = if value.kind() == "parameter_list" { names_of(value) } else { listed_in(value) };
        let [only] = items[..] else { return None };
        let known = self.variable_at(Some(only).filter(|_| MADE_OF.contains(&value.kind()))?)?;
        let whole = known.declarator.is_some_and(|d| {
            matches!(d.kind(), "identifier" | "function_declarator" | "reference_declarator")
                || child_of_kind(d, "argument_list").is_some()
        });
        (whole && self.class_of(known.ty?) == Some(class)).then_some(only)
    }

    /// The parentheses of `View v(x, n);`, which reads as the declaration of a function, where all in them are variables.
    fn made_of_names(&self, declarator: Node<'u>) -> Option<Node<'u>> {
        let list =
            declarator.child_by_field_name("parameters").filter(|_| declarator.kind() == "function_declarator")?;
        let names = names_of(list);
        let is_variable = |name: &Node<'u>| self.find(self.unit.str(*name), *name).is_some();
        (!names.is_empty() && names.len() == listed_in(list).len() && names.iter().all(is_variable)).then_some(list)
    }

    /// The states after the parts of a place are given values.
    fn all_parts_assigned(&self, state: State, place: &str, parts: Vec<(String, Node<'u>)>) -> Vec<State> {
        parts.into_iter().fold(vec![state], |states, (part, item)| {
            let part = format!("{place}{part}");
            states.into_iter().flat_map(|state| self.assigned(state, &part, item)).collect()
        })
    }

    /// What a list gives the members of a class without constructors, and those of members that are objects: lists in it, and
    /// members without braces of their own, that take the items one by one. `None`: it is not followed.
    fn parts_listed(&self, class: Node<'u>, items: &[Node<'u>], depth: usize) -> Option<Vec<(String, Node<'u>)>> {
        let mut left: Vec<Node<'u>> = items.iter().rev().copied().collect();
        let found = self.parts_taken(class, &mut left, depth)?;
        left.is_empty().then_some(found)
    }

    /// The same where more items may be left, the first of them last.
    fn parts_taken(&self, class: Node<'u>, left: &mut Vec<Node<'u>>, depth: usize) -> Option<Vec<(String, Node<'u>)>> {
        const DEEP: usize = 4;
        let name = class.child_by_field_name("name").map(|n| self.unit.str(n));
        let is_constructor = |item: &Node<'u>| {
            let own = item.child_by_field_name("declarator").and_then(declared_name);
            own.is_some() && own.map(|n| self.unit.str(n)) == name || item.kind() == "template_declaration"
        };
        let body = class.child_by_field_name("body").map(listed_in)?;
        let has_bases = child_of_kind(class, "base_class_clause").is_some();
        (depth < DEEP && !has_bases && !body.iter().any(is_constructor)).then_some(())?;
        let (mut found, mut is_named) = (Vec::new(), false);
        let mut members = Vec::new();
        for (item, declarator) in self.declarators_in(class) {
            if declarator.kind() != "function_declarator" && !has_child(item, "storage_class_specifier") {
                members.push((self.unit.str(declared_name(declarator)?), item, declarator));
            }
        }
        for (name, item, declarator) in &members {
            let Some(mut given) = left.last().copied() else { break };
            if given.kind() == "initializer_pair" {
                is_named = true;
                let own = |pair: &Node<'u>| {
                    let designator = child_of_kind(*pair, "field_designator").and_then(last_named);
                    designator.is_some_and(|d| self.unit.str(d) == *name)
                };
                let Some(pair) = left.iter().find(|pair| own(pair)) else { continue };
                given = pair.child_by_field_name("value")?;
            } else if is_named {
                return None;
            }
            let ty = item.child_by_field_name("type").filter(|_| declarator.kind() == "field_identifier");
            let inner = ty.and_then(|ty| self.class_of(ty));
            let list = match given.kind() {
                "initializer_list" => Some(given),
                "compound_literal_expression" => given.child_by_field_name("value"),
                _ => None,
            };
            let is_object =
                matches!(given.kind(), "identifier" | "field_expression") && self.class_at(given, false, 0) == inner;
            let parts = match (inner, list) {
                (Some(inner), Some(list)) => self.parts_listed(inner, &listed_in(list), depth + 1)?,
                (Some(_), None) if is_object => vec![(String::new(), given)],
                (Some(inner), None) if !is_named && (self.names_number(given) || self.is_pointer(given)) => {
                    let parts = self.parts_taken(inner, left, depth + 1)?;
                    found.extend(parts.into_iter().map(|(part, item)| (format!(".{name}{part}"), item)));
                    continue;
                }
                (Some(_), None) => return None,
                (None, _) if declarator.kind() == "array_declarator" && list.is_none() => return None,
                (None, _) => vec![(String::new(), given)],
            };
            if !is_named {
                left.pop();
            }
            found.extend(parts.into_iter().map(|(part, item)| (format!(".{name}{part}"), item)));
        }
        if is_named {
            left.clear();
        }
        Some(found)
    }

    /// What `V{p, q}` gives the members of the object that it makes.
    fn parts_made(&self, object: Node<'u>) -> Option<Vec<(String, Node<'u>)>> {
        let class = object.child_by_field_name("type").and_then(|ty| self.class_of(ty))?;
        self.parts_listed(class, &listed_in(object.child_by_field_name("value")?), 0)
    }

    /// The member that an item of a list gives a value, as the end of the name of the place.
    fn member(&self, members: &[&'u str], i: usize, item: Node<'u>) -> Option<(String, Node<'u>)> {
        if item.kind() != "initializer_pair" {
            return Some((format!(".{}", members.get(i)?), item));
        }
        let designator = child_of_kind(item, "field_designator").and_then(last_named)?;
        Some((format!(".{}", self.unit.str(designator)), item.child_by_field_name("value")?))
    }

    /// The states after a place is given a value.
    fn assigned(&self, state: State, place: &str, value: Node<'u>) -> Vec<State> {
        if !self.is_relevant(place) || self.is_scalar_place(place) {
            return vec![state];
        }
        if let Some(both) = self.split_by(value, &state) {
            return both.into_iter().flat_map(|state| self.assigned(state, place, value)).collect();
        }
        if let Some(parts) =
            Some(value).filter(|v| v.kind() == "compound_literal_expression").and_then(|v| self.parts_made(v))
        {
            let mut state = state;
            state.retain(|other, _| other != place && !is_part(other, place));
            return self.all_parts_assigned(made(state, place, value.id()), place, parts);
        }
        // The address of a variable stays as it is, whatever that has.
        let known = |p: Pointer| match p.origin {
            Origin::Address(_) => p,
            _ if self.names_doubtful(value) => p.somewhere(),
            _ => p,
        };
        let pointers = match self.copied(value) {
            Some(true) => Vec::new(),
            Some(false) => {
                let all = self.pointers_of(value, &state).into_iter();
                all.map(|p| Pointer { sure: false, ..known(p) }).collect()
            }
            None => self.pointers_of(value, &state).into_iter().map(known).collect(),
        };
        // A copy of an object has the parts of that.
        let places: Vec<Place> = self.places_of(value, &state).into_iter().filter(|from| from.name != place).collect();
        let parts_of = |pointer: Option<&Pointer>| -> Vec<(String, Pointer)> {
            let is_it = |from: &&Place| match pointer {
                Some(pointer) if places.len() > 1 => {
                    self.held(&from.name, value, &state).iter().any(|held| held.origin == pointer.origin)
                }
                _ => true,
            };
            let from = places.iter().find(is_it).map(|from| &from.name);
            let of = from.into_iter().flat_map(|from| {
                state.iter().filter(move |(other, _)| is_part(other, from)).map(move |part| (from, part))
            });
            of.map(|(from, (other, p))| (format!("{place}{}", &other[from.len()..]), p.clone())).collect()
        };
        let given = |pointer: Option<Pointer>| {
            let parts = parts_of(pointer.as_ref());
            let mut state = state.clone();
            // Another pointer leaves what it pointed to as it is.
            let stays = self.is_pointer_place(place);
            state.retain(|other, _| {
                other != place && (!is_part(other, place) || stays && other[place.len()..].starts_with('['))
            });
            state.extend(parts);
            match pointer {
                Some(pointer) => with(&one_was_given(state, place, &pointer), place, pointer),
                None => made(state, place, value.id()),
            }
        };
        if pointers.is_empty() {
            let object = format!("{}[0]", made_name(value.id(), false));
            let kept = self.kept_by_new(value, &state).into_iter();
            let mut after: Vec<State> = kept.map(|pointer| with(&given(None), &object, pointer)).collect();
            after.push(given(None));
            return after;
        }
        pointers.into_iter().map(|pointer| given(Some(pointer))).collect()
    }

    /// What a call does to the places that it is given.
    fn called_with(&self, call: Node<'u>, states: States) -> States {
        let Some(function) = call.child_by_field_name("function") else { return states };
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let name = self.callee(function);
        if let Some([a, b]) = self.exchanged(call) {
            return each(states, |state| {
                let (one, other) = (self.places_of(a, &state), self.places_of(b, &state));
                let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
                let mut after: Vec<State> = pairs.map(|(a, b)| swapped(state.clone(), &a.name, &b.name)).collect();
                if !matches!((&one[..], &other[..]), ([a], [b]) if a.sure && b.sure) {
                    after.push(state);
                }
                after
            });
        }
        if let Some(after) = self.moved_by(call, &states) {
            return after;
        }
        // The device has another name for memory of the host.
        let names_memory = name.ends_with("HostGetDevicePointer") || name.ends_with("GetSymbolAddress");
        if let ([place, memory, ..], true) = (arguments.as_slice(), names_memory) {
            let mut place = *place;
            while matches!(place.kind(), "cast_expression" | "parenthesized_expression") {
                let Some(inner) = place.child_by_field_name("value").or_else(|| last_named(place)) else { break };
                place = inner;
            }
            if let Some(place) = place.child_by_field_name("argument").filter(|_| place.kind() == "pointer_expression")
            {
                return each(states, |state| match self.place_of(place, &state) {
                    Some(place) => self.assigned(state, &place, *memory),
                    None => vec![state],
                });
            }
        }
        // One place is copied to another.
        if let (Some(to), Some(from)) = (arguments.first().and_then(|a| self.addressed(*a)), arguments.get(1))
            && matches!(name, "memcpy" | "memmove")
            && let Some(from) = self.addressed(*from)
        {
            let perhaps = states.clone();
            let mut after = self.written(states, to, |state, place| self.assigned(state, place, from));
            after.extend(perhaps);
            return after;
        }
        // One that is seen is not asked for its name.
        let is_seen = !self.callees(function).is_empty()
            || function.kind() == "identifier" && self.find(name, function).is_some();
        let makes = !is_seen && name.to_ascii_lowercase().contains("alloc");
        // Of an argument it is not known whether others are read before it or after it.
        let is_argument = call != self.launch
            && self.launch.start_byte() <= call.start_byte()
            && call.end_byte() <= self.launch.end_byte();
        let passes = makes || call == self.launch || self.is_harmless(function) || self.only_returns(call) || {
            method_of(function).is_some_and(|(_, method)| {
                let method = self.unit.str(method);
                (!is_seen || arguments.is_empty()) && OF_DATA.contains(&method.split('<').next().unwrap_or(method))
            })
        };
        // What it gets by reference, and what is declared elsewhere, may be something else now.
        let reached =
            self.reached_by(call).iter().filter(|i| !passes && self.relevant.contains(self.variables[**i].name));
        let reached = reached.map(|i| self.key_of(self.variables[*i].name, *i));
        let reached: Vec<String> = reached.filter(|place| !self.is_scalar_place(place)).collect();
        let addressed = arguments.iter().enumerate().filter_map(|(i, argument)| Some((i, self.addressed(*argument)?)));
        let mut addressed: Vec<(usize, Node<'u>)> = addressed.collect();
        // So it is with references that get new memory.
        let by_reference = arguments.iter().enumerate().filter(|(i, argument)| {
            !passes && self.addressed(**argument).is_none() && self.fills_with_new(call, *i) && self.refers_at(call, *i)
        });
        addressed.extend(by_reference.map(|(i, argument)| (i, *argument)));
        if passes && reached.is_empty() && addressed.is_empty() {
            return states;
        }
        let changed = |state: State| {
            let mut state = state;
            let (mut places, mut perhaps, mut filled) = (Vec::new(), Vec::new(), BTreeSet::new());
            let mut new: Vec<(String, usize)> = Vec::new();
            for (i, at) in &addressed {
                let all = self.places_of(*at, &state);
                let is_sure = matches!(all.as_slice(), [only] if only.sure);
                let all: Vec<String> =
                    all.into_iter().map(|place| place.name).filter(|place| self.is_relevant(place)).collect();
                if !all.is_empty() && self.fills_with_new(call, *i) {
                    filled.extend(all.iter().cloned());
                }
                if is_sure && (makes || !all.is_empty() && filled.contains(&all[0]) && self.always_fills(call, *i)) {
                    new.extend(all.iter().map(|place| (place.clone(), if *i == 0 { call.id() } else { at.id() })));
                }
                if is_sure { places.extend(all) } else { perhaps.extend(all) }
            }
            state = unsure(state, &perhaps, is_argument);
            if makes {
                state = unsure(state, &reached, is_argument);
            } else {
                state = unsure(state, &places, is_argument);
                state = unsure(state, &reached, is_argument);
                if !passes {
                    let told = places.iter().chain(&perhaps).filter(|place| !filled.contains(*place));
                    state = self.handed(call, state, &told.cloned().collect::<Vec<_>>());
                }
            }
            for (place, at) in new {
                state.retain(|other, _| !is_part(other, &place));
                state = made(state, &place, at);
            }
            for (place, pointer) in state.iter_mut().filter(|(_, pointer)| pointer.sure && !passes) {
                let elsewhere = |name: &str| !name.contains('#') || self.is_behind(name);
                pointer.sure = !pointer.origin.place().is_some_and(elsewhere) && !self.is_behind(place);
            }
            vec![state]
        };
        each(states, changed)
    }

    /// The variables that a call may change.
    fn reached_by(&self, call: Node<'u>) -> &[usize] {
        let all = self.reached.get_or_init(|| {
            let mut all: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (i, variable) in self.variables.iter().enumerate() {
                for event in variable.events.iter().filter(|e| !e.declares) {
                    let reached = all.entry(event.node.id()).or_default();
                    if reached.last() != Some(&i) {
                        reached.push(i);
                    }
                }
            }
            all
        });
        all.get(&call.id()).map_or(&[], Vec::as_slice)
    }

    /// The place whose address an argument is.
    fn addressed(&self, argument: Node<'u>) -> Option<Node<'u>> {
        let mut address = argument;
        while let Some(inner) = match address.kind() {
            "cast_expression" => address.child_by_field_name("value"),
            "parenthesized_expression" => last_named(address),
            _ => None,
        } {
            address = inner;
        }
        let by_address = address.kind() == "pointer_expression" && self.unit.str(address).starts_with('&');
        if by_address { address.child_by_field_name("argument") } else { None }
    }

    /// The name of a variable, with what tells it from others of that name.
    fn key(&self, name: Node<'u>) -> String {
        let text = self.unit.str(name);
        self.find(text, name).map_or_else(|| text.to_owned(), |variable| self.key_of(text, variable))
    }

    /// The same of a variable: one that the function does not declare goes by its name alone, as it does in other functions.
    fn key_of(&self, text: &str, variable: usize) -> String {
        let known = &self.variables[variable];
        let is_outside = known.declarator.is_none() && known.is_remote && !known.is_parameter && known.ty.is_none();
        if is_outside { text.to_owned() } else { format!("{text}#{variable}") }
    }

    /// The same where it is declared.
    fn key_declared(&self, name: Node<'u>, declarator: Node<'u>) -> String {
        let text = self.unit.str(name);
        let own = self.variables.iter().position(|v| v.name == text && v.from == declarator.end_byte());
        own.map_or_else(|| text.to_owned(), |variable| format!("{text}#{variable}"))
    }

    /// Can the place make a difference to what the launch is given?
    fn is_relevant(&self, place: &str) -> bool {
        let base = place.split(['.', '[', '#']).next().unwrap_or(place);
        let base = base.rsplit("::").next().unwrap_or(base);
        // What was made here, and what a call returned, has no name.
        self.relevant.contains(base) || base.contains([' ', '(', '?'])
    }

    /// The names that what the launch is given depends on.
    fn depends_on(&self, arguments: &[Node<'u>]) -> BTreeSet<&'u str> {
        let mut links: Vec<(Node<'u>, Node<'u>)> = Vec::new();
        // The variables whose elements or members, or what they point to, are given something.
        let mut through: BTreeSet<&'u str> = BTreeSet::new();
        // Also whether a call around it has all of its names, which is not so within a subscript.
        let mut stack = vec![(self.function, false)];
        while let Some((node, known)) = stack.pop() {
            let field = |name: &str| node.child_by_field_name(name);
            let mut known_within = known && node.kind() != "subscript_expression";
            match node.kind() {
                "assignment_expression" => {
                    links.extend(field("left").zip(field("right")));
                    let mut to = field("left");
                    while let Some(inner) =
                        to.and_then(|to| to.child_by_field_name("argument").or_else(|| last_named(to)))
                    {
                        to = Some(inner);
                    }
                    through.extend(to.filter(|to| Some(*to) != field("left")).map(|to| self.unit.str(to)));
                }
                "optional_parameter_declaration" => links.extend(field("type").zip(field("default_value"))),
                // A reference is another name for what may matter.
                "init_declarator" | "declaration" | "for_range_loop" => {
                    let (to, value) = (field("declarator"), field("value").or_else(|| field("right")));
                    let name = to.filter(|to| value.is_some() && is_reference(*to)).and_then(declared_name);
                    through.extend(name.map(|name| self.unit.str(name)));
                    links.extend(to.zip(value));
                }
                // `V v(p);`
                "function_declarator" => links.extend(self.made_of_names(node).map(|list| (node, list))),
                "lambda_capture_initializer" => {
                    let (to, value) = captured_as(node);
                    through.extend(to.filter(|_| self.unit.str(node).starts_with('&')).map(|to| self.unit.str(to)));
                    links.extend(to.zip(value));
                }
                // It may put one of what it is given into another.
                "call_expression" if !known && field("function").is_some_and(|f| !self.is_harmless(f)) => {
                    links.push((node, node));
                    known_within = true;
                }
                _ => {}
            }
            let lambda =
                field("function").and_then(|f| self.lambda_named(f)).filter(|_| node.kind() == "call_expression");
            let given = lambda.map_or(Vec::new(), |lambda| self.parameters_given(node, lambda));
            through.extend(given.iter().map(|(name, _)| self.unit.str(*name)));
            links.extend(given);
            stack.extend(listed_in(node).into_iter().map(|inner| (inner, known_within)));
        }
        let names = |node: Node<'u>| {
            let mut found = Vec::new();
            let mut stack = vec![node];
            while let Some(node) = stack.pop() {
                // Where in an array is none of what it holds.
                let at = Some(node).filter(|n| n.kind() == "subscript_expression").and_then(listed_subscript);
                stack.extend(listed_in(node).into_iter().filter(|inner| at.is_none_or(|at| !contains(*inner, at))));
                let called = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
                found.extend(called.map_or(Vec::new(), |function| self.names_outside(function)));
                // A function is none of what it is given, unless it is a variable.
                let mut function = node;
                while let Some(up) =
                    self.up(function).filter(|up| matches!(up.kind(), "qualified_identifier" | "template_function"))
                {
                    function = up;
                }
                let called = self.up(function).filter(|up| up.kind() == "call_expression");
                let is_function = called.and_then(|call| call.child_by_field_name("function")) == Some(function);
                let is_name = matches!(node.kind(), "identifier" | "field_identifier" | "type_identifier")
                    && !(is_function && self.variable_at(node).is_none());
                // A name that is declared here means something else before.
                let declares = self.up(node).is_some_and(|up| up.kind().ends_with("declarator"))
                    || self.up(node).and_then(|up| up.child_by_field_name("declarator")) == Some(node);
                if is_name && (declares || !self.is_scalar_place(&self.key(node))) {
                    found.push(self.unit.str(node));
                }
            }
            found
        };
        let links: Vec<_> = links.into_iter().map(|(to, from)| (names(to), names(from))).collect();
        let mut relevant: BTreeSet<&'u str> = arguments.iter().flat_map(|a| names(*a)).collect();
        loop {
            let before = relevant.len();
            for (to, from) in &links {
                if to.iter().any(|name| relevant.contains(name)) {
                    relevant.extend(from);
                }
                // It may be another name for what matters.
                if to.iter().any(|name| through.contains(name)) && from.iter().any(|name| relevant.contains(name)) {
                    relevant.extend(to);
                }
            }
            if relevant.len() == before {
                return relevant;
            }
        }
    }

    /// Is this a place behind a pointer of the function, where any call may write?
    fn is_behind(&self, place: &str) -> bool {
        let rest = place.split_once('#').map_or("", |(_, rest)| rest);
        let end = rest.find(['.', '[']).unwrap_or(0);
        let known = rest[..end].parse::<usize>().ok().and_then(|variable| self.variables.get(variable));
        known.and_then(|v| v.declarator).is_some_and(|d| d.kind() == "pointer_declarator")
    }

    /// Is this the name of a pointer of the function?
    fn is_pointer_place(&self, place: &str) -> bool {
        let variable = place.split_once('#').and_then(|(_, rest)| rest.parse::<usize>().ok());
        let declarator = variable.and_then(|v| self.variables.get(v)?.declarator);
        declarator.is_some_and(|d| d.kind() == "pointer_declarator")
    }

    /// Is this the name of a number of the function?
    fn is_scalar_place(&self, place: &str) -> bool {
        let variable = place.split_once('#').and_then(|(_, rest)| rest.parse::<usize>().ok());
        let Some(known) = variable.and_then(|v| self.variables.get(v)) else { return false };
        let scalar = known.declarator.is_some_and(|d| d.kind() == "identifier");
        // `auto n = 2 * m;`
        let is_auto = known.ty.is_some_and(|ty| matches!(ty.kind(), "placeholder_type_specifier" | "auto"));
        if scalar && is_auto {
            let value = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
            return value.is_some_and(|value| self.names_number(value));
        }
        // An integer may be an address.
        let is_address = |ty: &str| ty.contains("intptr") || ty.contains("CUdeviceptr");
        scalar
            && known.ty.is_some_and(|ty| {
                matches!(ty.kind(), "primitive_type" | "sized_type_specifier") && !is_address(self.unit.str(ty))
            })
    }

    /// Is this an element of a variable that points to numbers?
    fn is_number_behind(&self, place: Node<'u>) -> bool {
        let is_element = place.kind() == "subscript_expression"
            || place.kind() == "pointer_expression" && self.unit.str(place).starts_with('*');
        let array = place.child_by_field_name("argument").filter(|a| is_element && a.kind() == "identifier");
        let Some(known) = array.and_then(|name| self.variable_at(name)) else { return false };
        let is_one = known.declarator.is_some_and(|d| {
            matches!(d.kind(), "pointer_declarator" | "array_declarator")
                && d.child_by_field_name("declarator").is_some_and(|inner| inner.kind() == "identifier")
        });
        // A wide integer may be an address.
        let numbers = ["float", "double", "int", "unsigned", "unsigned int", "char", "unsigned char", "short", "bool"];
        is_one && known.ty.is_some_and(|ty| numbers.contains(&self.unit.str(ty)))
    }

    /// Is this a variable that is an object, and does its copy have contents of its own?
    fn copied(&self, value: Node<'u>) -> Option<bool> {
        let known = self.variable_at(Some(value).filter(|v| v.kind() == "identifier")?)?;
        let ty = known.ty.filter(|ty| !matches!(ty.kind(), "placeholder_type_specifier" | "auto"))?;
        let object = known
            .declarator
            .is_some_and(|d| matches!(d.kind(), "identifier" | "function_declarator" | "reference_declarator"));
        let name = self.unit.str(self.unit.qualified(ty).1);
        let own = ["vector", "device_vector", "host_vector", "array", "string"];
        let name = name.split('<').next().unwrap_or(name).trim();
        (object && !self.unit.str(ty).contains('*') && !self.is_pointer_type(name)).then(|| own.contains(&name))
    }

    /// Is a name one of a pointer?
    fn is_pointer_type(&self, name: &str) -> bool {
        let list = self.lower.names.types.get(name).map_or(&[][..], Vec::as_slice);
        list.iter().any(|(_, decl)| match decl {
            TypeDecl::Typedef(_, declarator) => declarator.kind().starts_with("pointer"),
            TypeDecl::Alias(ty) => self.unit.str(*ty).contains('*'),
            _ => false,
        })
    }

    /// The members of an object that `A{p, q}`, or `{p, q}` as an argument, makes.
    fn members_made(&self, node: Node<'u>) -> Vec<&'u str> {
        let of_argument = || {
            let list = self.up(node).filter(|list| list.kind() == "argument_list")?;
            let at = listed_in(list).iter().position(|item| *item == node)?;
            let function = self.up(list)?.child_by_field_name("function")?;
            let callees = self.callees(function);
            callees.iter().find_map(|callee| callee.parameters.get(at)?.1.child_by_field_name("type"))
        };
        let ty = match node.kind() {
            "compound_literal_expression" => node.child_by_field_name("type"),
            _ => of_argument(),
        };
        ty.map_or(Vec::new(), |ty| self.members_of(ty))
    }

    /// The names of the members of a plain class, in their order.
    fn members_of(&self, ty: Node<'u>) -> Vec<&'u str> {
        let instance = ty.child_by_field_name("name").filter(|_| ty.kind() == "template_type");
        let name = self.unit.str(instance.unwrap_or(ty)).trim_start_matches("struct ").trim();
        let class = match self.lower.names.types.get(name).map_or(&[][..], Vec::as_slice) {
            _ if ty.child_by_field_name("body").is_some() => ty,
            [(_, TypeDecl::Class(class, _))] => *class,
            [(_, TypeDecl::Typedef(class, declarator))] if declarator.kind() == "type_identifier" => *class,
            _ => return Vec::new(),
        };
        let body = class.child_by_field_name("body").map(listed_in).unwrap_or_default();
        let mut members = Vec::new();
        let is_own = |m: &Node| m.kind() == "field_declaration" && !has_child(*m, "storage_class_specifier");
        for member in body.into_iter().filter(is_own) {
            let mut cursor = member.walk();
            let declarators = member.children_by_field_name("declarator", &mut cursor);
            members.extend(declarators.filter_map(declared_name).map(|n| self.unit.str(n)));
        }
        members
    }

    /// What the function was given that a place is: a parameter, a member of one, or one of its object.
    fn given_place(&self, place: &str) -> Option<Given> {
        let end = place.find(['.', '[']).unwrap_or(place.len());
        let (name, path) = place.split_at(end);
        let path = path.strip_prefix('.').map(str::to_owned);
        let variable = name.split_once('#').and_then(|(_, number)| self.variables.get(number.parse::<usize>().ok()?));
        match variable {
            Some(known) if known.is_parameter && known.scope == self.function => {
                (path.is_some() || end == place.len()).then_some(())?;
                Some((self.position(known)?, path))
            }
            Some(known) if known.outside == Some(Outside::Class) => Some((THIS, Some(place.replace(name, known.name)))),
            None if !name.contains('#') => {
                let class = self.class_around()?;
                let is_member =
                    |(_, d): &(Node<'u>, Node<'u>)| declared_name(*d).is_some_and(|n| self.unit.str(n) == name);
                self.declarators_in(class).iter().any(is_member).then(|| (THIS, Some(place.to_owned())))
            }
            _ => None,
        }
    }

    /// The pointers in an object that a pointer points to.
    fn fields_behind(&self, pointer: Node<'u>, state: &State) -> Vec<(String, Vec<Pointer>)> {
        let Some(class) = self.class_at(pointer, true, 0) else { return Vec::new() };
        let places = self.places_behind(pointer, state);
        let held = |member: &str| {
            let of_place = |place: &Place| self.held(&format!("{}.{member}", place.name), pointer, state);
            places.iter().flat_map(of_place).collect::<Vec<_>>()
        };
        self.pointers_of_class(class, 0).into_iter().map(|member| (member.clone(), held(&member))).collect()
    }

    /// The pointers in an object that is given by value.
    fn fields_given(&self, node: Node<'u>, state: &State) -> Vec<(String, Vec<Pointer>)> {
        match node.kind() {
            "lambda_expression" => {
                let mut fields = Vec::new();
                for (name, value) in self.captures(node).into_iter().filter(|(_, value)| !self.names_number(*value)) {
                    fields.push((name.to_owned(), self.pointers_of(value, state)));
                    let parts = self.fields_given(value, state).into_iter();
                    fields.extend(parts.map(|(part, pointers)| (format!("{name}.{part}"), pointers)));
                }
                fields
            }
            "compound_literal_expression" => {
                let (Some(ty), Some(list)) = (node.child_by_field_name("type"), node.child_by_field_name("value"))
                else {
                    return Vec::new();
                };
                if let Some(parts) = self.parts_made(node) {
                    let mut fields = Vec::new();
                    for (part, item) in parts {
                        let name = part[1..].to_owned();
                        let inner = self.fields_given(item, state).into_iter();
                        fields.extend(inner.map(|(part, pointers)| (format!("{name}.{part}"), pointers)));
                        fields.push((name, self.pointers_of(item, state)));
                    }
                    return fields;
                }
                let members = self.members_of(ty);
                let items = listed_in(list).into_iter().enumerate();
                let parts = items.filter_map(|(i, item)| self.member(&members, i, item));
                parts.map(|(part, item)| (part[1..].to_owned(), self.pointers_of(item, state))).collect()
            }
            "identifier" | "field_expression" | "subscript_expression" | "pointer_expression" | "call_expression" => {
                let places = self.places_of(node, state);
                let mut fields: BTreeMap<String, Vec<Pointer>> = BTreeMap::new();
                for place in &places {
                    for (other, _) in state.iter().filter(|(other, _)| is_part(other, &place.name)) {
                        let part = other[place.name.len()..].trim_start_matches('.');
                        fields.entry(part.to_owned()).or_default();
                    }
                }
                for member in self.pointers_in(node) {
                    fields.entry(member).or_default();
                }
                let made = if node.kind() == "call_expression" { self.pointers_of(node, state) } else { Vec::new() };
                // What a function returns has the members that a variable would have.
                let returned = made_name(node.id(), false);
                let after = match node.kind() {
                    "call_expression" => self.assigned(state.clone(), &returned, node),
                    _ => Vec::new(),
                };
                // Others are what the object came with.
                for (part, pointers) in &mut fields {
                    for state in &after {
                        let own = self.held(&format!("{returned}.{part}"), node, state).into_iter();
                        pointers.extend(own.map(|p| Pointer { sure: false, ..p }));
                    }
                    // Of one that is made here, or returned, they are those of what it is made of.
                    pointers.extend(made.iter().filter_map(|p| match &p.origin {
                        Origin::Named(object) => {
                            Some(Pointer { sure: false, ..named(&format!("{object}.{part}")).somewhere() })
                        }
                        Origin::Any => Some(p.clone()),
                        _ => None,
                    }));
                    for place in &places {
                        let dot = if part.starts_with('[') { "" } else { "." };
                        let own = self.held(&format!("{}{dot}{part}", place.name), node, state).into_iter();
                        pointers.extend(own.map(|p| Pointer { sure: p.sure && place.sure, ..p }));
                    }
                }
                fields.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The name and the value of `q = p`, or `&q = p`, among what a lambda captures.
fn captured_as(node: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    (
        node.child_by_field_name("left").or_else(|| node.named_child(0)),
        node.child_by_field_name("right").or_else(|| last_named(node)),
    )
}

/// Is a place a part of another one?
fn is_part(place: &str, of: &str) -> bool {
    place.strip_prefix(of).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// The only subscript of `a[i]`.
pub(super) fn listed_subscript(node: Node<'_>) -> Option<Node<'_>> {
    let list = node.child_by_field_name("indices").or_else(|| node.child_by_field_name("index"))?;
    let inner = if list.kind() == "subscript_argument_list" { listed_in(list) } else { vec![list] };
    inner.first().copied().filter(|_| inner.len() == 1)
}

/// The parameters of a list that are names and nothing else.
fn names_of(list: Node<'_>) -> Vec<Node<'_>> {
    let only = listed_in(list).into_iter().filter_map(|p| p.child(0).filter(|_| p.child_count() == 1));
    only.filter(|name| name.kind() == "type_identifier").collect()
}

/// The object and the method of `x.data<float>`.
pub(super) fn method_of(function: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let function = match function.kind() {
        "template_function" => function.child_by_field_name("name")?,
        _ => function,
    };
    (function.kind() == "field_expression").then_some(())?;
    Some((function.child_by_field_name("argument")?, function.child_by_field_name("field")?))
}

/// Is this the condition of `do { .. } while (0)`?
fn is_run_once(condition: &str) -> bool {
    let inner = condition.trim_start_matches(['(', ' ']).trim_end_matches([')', ' ']);
    matches!(inner, "0" | "false")
}

fn each(states: States, mut f: impl FnMut(State) -> Vec<State>) -> States {
    states.into_iter().flat_map(&mut f).collect()
}

fn step(number: Node, back: bool) -> Step {
    Step { at: (number.start_byte(), number.end_byte()), one: number.kind() == "update_expression", back }
}

/// What was added by numbers within a node is not known.
fn without_steps_of(node: Node, state: State) -> State {
    let mut state = state;
    let within = |step: &Step| node.start_byte() <= step.at.0 && step.at.1 <= node.end_byte();
    let forget = |pointer: &mut Pointer| {
        if pointer.steps.as_ref().is_some_and(|steps| steps.iter().any(within)) {
            pointer.steps = None;
        }
    };
    for pointer in state.values_mut() {
        forget(pointer);
        if let Origin::Several(all) = &mut pointer.origin {
            all.iter_mut().for_each(forget);
        }
    }
    state
}

/// The place has a pointer to somewhere else in what it pointed to.
fn moved(state: State, place: &str, step: Option<Step>) -> State {
    let mut state = state;
    let known = state.remove(place).unwrap_or_else(|| named(place));
    state.insert(place.to_owned(), known.with(step));
    state
}

/// The state with a pointer in a place.
fn with(state: &State, place: &str, pointer: Pointer) -> State {
    let mut state = state.clone();
    state.insert(place.to_owned(), pointer);
    state
}

/// The place has a new pointer; one that was made here before is another one.
fn made(state: State, place: &str, at: usize) -> State {
    let mut state = renamed(state, &made_name(at, false), &made_name(at, true));
    let age = |pointer: &mut Pointer| {
        if pointer.origin == Origin::Made(at, false) {
            pointer.origin = Origin::Made(at, true);
        }
    };
    for pointer in state.values_mut() {
        age(pointer);
        if let Origin::Several(all) = &mut pointer.origin {
            all.iter_mut().for_each(age);
        }
    }
    state.insert(place.to_owned(), Pointer { origin: Origin::Made(at, false), steps: Some(Vec::new()), sure: true });
    state
}

/// What was named by this is named by that from now on, and may be one of several.
fn renamed(state: State, from: &str, to: &str) -> State {
    let new = |name: &str| name.contains(from).then(|| name.replace(from, to));
    let moved = |(place, pointer): (String, Pointer)| {
        let pointer = match pointer.origin.renamed(&new) {
            Some(origin) => Pointer { origin, sure: false, ..pointer },
            None => pointer,
        };
        match new(&place) {
            Some(place) => (place, Pointer { sure: false, ..pointer }),
            None => (place, pointer),
        }
    };
    state.into_iter().map(moved).collect()
}

/// One state for more than can be told apart: where they differ, a place has any of the pointers.
fn merged(states: &States) -> States {
    let is_place = |pointer: &Pointer| !matches!(pointer.origin, Origin::Truth(_));
    let held = states.iter().flatten().filter(|(_, pointer)| is_place(pointer));
    let places: BTreeSet<&String> = held.map(|(place, _)| place).collect();
    let one = places.into_iter().map(|place| {
        let held: BTreeSet<Pointer> =
            states.iter().map(|state| state.get(place).cloned().unwrap_or_else(|| named(place))).collect();
        let only = held.first().cloned().filter(|_| held.len() == 1);
        let pointer = only.unwrap_or_else(|| Pointer::one_of(held.iter().flat_map(Pointer::alternatives)));
        (place.clone(), pointer)
    });
    States::from([one.collect()])
}

/// The places may have other pointers now: what was read of them before may be another one than what is read from now on,
/// and that is one again, unless it is read before and after.
fn unsure(state: State, places: &[String], both: bool) -> State {
    let mut state = state;
    for (other, pointer) in state.iter_mut().filter(|(_, pointer)| pointer.sure) {
        let is_of = |name: &str| places.iter().any(|place| name == place || is_part(name, place));
        let copied = match &pointer.origin {
            Origin::Element(array, _) => is_of(array),
            origin => origin.place().is_some_and(is_of),
        };
        pointer.sure = !copied && !is_of(other);
    }
    for place in places.iter().filter(|_| both) {
        state.entry(place.clone()).or_insert_with(|| named(place)).sure = false;
    }
    state
}

/// A pointer is put into an element of which it is not known which one it is: the others may have it.
fn one_was_given(state: State, place: &str, pointer: &Pointer) -> State {
    let mut state = state;
    let is_open = place.contains("[*") && !matches!(pointer.origin, Origin::Made(..));
    for (_, held) in state.iter_mut().filter(|(other, _)| is_open && may_be_one(other, place)) {
        *held = Pointer::one_of(held.alternatives().into_iter().chain(pointer.alternatives()));
    }
    state
}

/// What was read before of an object that the place is a member of may be another one now.
fn touched(state: State, place: &str) -> State {
    let mut state = state;
    for pointer in state.values_mut() {
        let is_member = |name: &str| place.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        pointer.sure &= !pointer.origin.place().is_some_and(is_member);
    }
    state
}

fn swapped(state: State, a: &str, b: &str) -> State {
    let mut state = state;
    let (x, y) = (state.remove(a).unwrap_or_else(|| named(a)), state.remove(b).unwrap_or_else(|| named(b)));
    state.insert(a.to_owned(), y);
    state.insert(b.to_owned(), x);
    state
}

/// What was added to two pointers of one origin.
type Distance = Option<(Vec<Step>, Vec<Step>)>;

/// What is known of two pointers that may point into one array.
#[derive(Clone)]
struct Meeting {
    apart: Distance,
    sure: bool,
    shown: bool,
}

impl Meeting {
    /// The same of one of two ways.
    fn and(self, other: Meeting) -> Meeting {
        let apart = self.apart.filter(|apart| Some(apart) == other.apart.as_ref());
        Meeting { apart, sure: self.sure && other.sure, shown: self.shown || other.shown }
    }
}

/// May two arguments be one pointer, or point into one array? How far apart, and whether that is sure.
fn meet(a: &[Pointer], b: &[Pointer], state: &State, is_seen: &dyn Fn(&str) -> bool) -> Option<Meeting> {
    let mut found: Option<Meeting> = None;
    let certain = a.len() == 1 && b.len() == 1;
    for x in a {
        for y in b {
            let elements = |p: &Pointer| match &p.origin {
                Origin::Element(array, _) => {
                    let held = state.iter().filter(|(place, _)| is_part(place, array));
                    held.flat_map(|(_, p)| p.alternatives()).map(|p| p.origin).collect()
                }
                origin => vec![origin.clone()],
            };
            let met = match (&x.origin, &y.origin) {
                (Origin::Any, _) | (_, Origin::Any) => Some(false),
                (Origin::Made(n, true), Origin::Made(m, true)) if n == m => Some(false),
                (p, q) if p == q => Some(true),
                (Origin::Named(p), Origin::Named(q)) if may_be_one(p, q) => Some(false),
                (p, q) if p.is_row_of(q) || q.is_row_of(p) => Some(false),
                // Subscripts that are written in different ways are taken to be different ones.
                (Origin::Element(p, _), Origin::Element(q, _)) if p == q => {
                    let all = elements(x);
                    all.iter().enumerate().any(|(i, o)| all[..i].contains(o)).then_some(false)
                }
                (Origin::Element(..), _) | (_, Origin::Element(..)) => {
                    let others = elements(y);
                    elements(x).iter().any(|o| others.contains(o)).then_some(false)
                }
                _ => None,
            };
            if let Some(same) = met {
                let both = same && x.sure && y.sure;
                let apart = x.steps.clone().zip(y.steps.clone()).filter(|_| both);
                // What two calls of one text return need not be one.
                let shown = both || !same || !is_of_unseen(&x.origin, is_seen);
                let one = Meeting { apart, sure: certain && both, shown };
                found = Some(match found {
                    None => one,
                    Some(known) => known.and(one),
                });
            }
        }
    }
    found
}

/// Is this named by the call of a function that returns it, is none of the unit and no method?
fn is_of_unseen(origin: &Origin, is_seen: &dyn Fn(&str) -> bool) -> bool {
    let head = origin.place().and_then(|name| name.split_once('(')).map(|(head, _)| head);
    let is_method = |head: &str| head.contains('.') || head.contains("->");
    head.is_some_and(|head| !is_method(head) && !is_seen(head))
}

/// May two places be one, by elements of which it is not known which they are?
fn may_be_one(a: &str, b: &str) -> bool {
    let open = |name: &str| name.contains("[*");
    (open(a) || open(b)) && {
        let (a, b) = (parts(a), parts(b));
        let same = |(p, q): (&&str, &&str)| p == q || p.starts_with('[') && q.starts_with('[') && (open(p) || open(q));
        a.len() == b.len() && a.iter().zip(&b).all(same)
    }
}

/// A variable, and the members and subscripts behind it.
fn parts(place: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in place.char_indices() {
        match c {
            '[' | '.' if depth == 0 && at > from => {
                found.push(&place[from..at]);
                from = at;
            }
            _ => {}
        }
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found.push(&place[from..]);
    found
}
