//! Pointers that the calls of a lambda give a launch in it. [HOST-OVERLAP]

use tree_sitter::Node;

use super::super::Host;
use super::super::places::listed_in;
use super::{
    Flow, Origin, Overlap, Place, Pointer, State, States, captured_as, declared_name, each, each_named, last_named,
    meet, with,
};

impl<'u> Host<'_, 'u> {
    /// The pairs of arguments of a launch in a lambda that a call of it may give one pointer.
    pub(super) fn overlaps_of_lambda(&mut self, arguments: &[Node<'u>]) -> Vec<Overlap> {
        let Some(body) = self.function.child_by_field_name("body") else { return Vec::new() };
        let Some((lambda, parameters)) = self.lambda_around() else { return Vec::new() };
        let at: Vec<Option<usize>> = arguments
            .iter()
            .map(|argument| parameters.iter().position(|p| *p == self.unit.str(plain(*argument))))
            .collect();
        let mut found = Vec::new();
        for call in self.calls_of_lambda(lambda) {
            let given = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
            let own = |(i, argument): (usize, &Node<'u>)| match at[i] {
                Some(at) => given.get(at).copied(),
                None => Some(*argument),
            };
            let passed: Vec<Option<Node<'u>>> = arguments.iter().enumerate().map(own).collect();
            let launch = std::mem::replace(&mut self.launch, call);
            self.relevant = self.depends_on(&passed.iter().flatten().copied().collect::<Vec<_>>());
            let mut flow = Flow::default();
            self.run(body, States::from([State::new()]), &mut flow);
            for state in &flow.at_launch {
                let pointers = |i: usize| passed[i].map_or(Vec::new(), |a| self.pointers_of(a, state));
                for later in 0..arguments.len() {
                    for earlier in (0..later).filter(|earlier| at[later].is_some() || at[*earlier].is_some()) {
                        if let Some(met) = meet(&pointers(later), &pointers(earlier), state, &|name| self.is_seen(name))
                        {
                            let (later, earlier) = ((later, None), (earlier, None));
                            found.push(Overlap { later, earlier, by: None, sure: false, shown: met.shown });
                        }
                    }
                }
            }
            self.launch = launch;
        }
        found
    }

    /// The lambdas that a call may call: by the name of a variable, also one that it is given. What one has by value it had before.
    pub(super) fn lambdas_called(&self, call: Node<'u>) -> Vec<Node<'u>> {
        let function = call.child_by_field_name("function");
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let named = function.into_iter().chain(arguments).filter_map(|f| self.lambda_named(f));
        let sees_changes = |lambda: &Node<'u>| {
            let body = lambda.child_by_field_name("body").map_or(lambda.end_byte(), |body| body.start_byte());
            let head = &self.unit.text[lambda.start_byte()..body];
            // It has no copies of members and of variables of the unit.
            let mut is_own = true;
            each_named(*lambda, |n| {
                if n.kind() == "identifier" && self.relevant.contains(self.unit.str(n)) {
                    let known = self.variable_at(n);
                    is_own &= known.is_some_and(|v| v.outside.is_none() && v.declarator.is_some() && !v.is_remote);
                }
            });
            head.contains('&') || head.contains("mutable") || head.contains("this") || !is_own
        };
        let is_before = |lambda: &Node<'u>| lambda.end_byte() <= call.start_byte() || function == Some(*lambda);
        named.filter(|lambda| sees_changes(lambda) && is_before(lambda)).collect()
    }

    /// The lambda that a call calls and that was run with what it is given.
    pub(super) fn lambda_run(&self, call: Node<'u>) -> Option<Node<'u>> {
        let lambda = call.child_by_field_name("function").and_then(|f| self.lambda_named(f))?;
        let all = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let is_run = self.lambdas_called(call).contains(&lambda);
        (is_run && self.parameters_given(call, lambda).len() == all.len()).then_some(lambda)
    }

    /// The parameters of a lambda, and what a call gives them.
    pub(super) fn parameters_given(&self, call: Node<'u>, lambda: Node<'u>) -> Vec<(Node<'u>, Node<'u>)> {
        let list = lambda.child_by_field_name("declarator").and_then(|d| d.child_by_field_name("parameters"));
        let parameters = list.map(listed_in).unwrap_or_default();
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let named = |p: Node<'u>| p.child_by_field_name("declarator").and_then(declared_name);
        parameters.into_iter().zip(arguments).filter_map(|(p, argument)| Some((named(p)?, argument))).collect()
    }

    /// The states in a lambda that a call calls.
    pub(super) fn given_to_lambda(&self, call: Node<'u>, lambda: Node<'u>, states: States) -> States {
        let is_called = call.child_by_field_name("function").and_then(|f| self.lambda_named(f)) == Some(lambda);
        let Some(body) = lambda.child_by_field_name("body").filter(|_| is_called) else { return states };
        self.parameters_given(call, lambda).into_iter().fold(states, |states, (name, argument)| {
            let text = self.unit.str(name);
            let place = self.find(text, body).map_or_else(|| text.to_owned(), |variable| format!("{text}#{variable}"));
            let is_other_name = self.up(name).is_some_and(|up| up.kind() == "reference_declarator");
            each(states, |state| {
                let places = if is_other_name { self.places_of(argument, &state) } else { Vec::new() };
                if places.is_empty() {
                    return self.assigned(state, &place, argument);
                }
                let of = |of: Place| {
                    let pointer = Pointer { origin: Origin::Reference(of.name), steps: None, sure: of.sure };
                    with(&state, &place, pointer)
                };
                places.into_iter().map(of).collect()
            })
        })
    }

    /// The states in a lambda, with the names that it declares among what it captures.
    pub(super) fn captured(&self, lambda: Node<'u>, states: States) -> States {
        let list = lambda.child_by_field_name("captures").map(listed_in).unwrap_or_default();
        let own = list.into_iter().filter(|c| c.kind() == "lambda_capture_initializer");
        own.fold(states, |states, capture| {
            let (Some(name), Some(value)) = captured_as(capture) else { return states };
            let place = self.key(name);
            each(states, |state| {
                if !self.unit.str(capture).starts_with('&') {
                    return self.assigned(state, &place, value);
                }
                let of = |of: Place| {
                    let pointer = Pointer { origin: Origin::Reference(of.name), steps: None, sure: of.sure };
                    with(&state, &place, pointer)
                };
                self.places_of(value, &state).into_iter().map(of).chain([state.clone()]).collect()
            })
        })
    }

    /// The states after a place is made a lambda, whose members are what that takes along.
    pub(super) fn assigned_captures(&self, state: State, place: &str, lambda: Node<'u>) -> Vec<State> {
        let captures = self.captures(lambda).into_iter().filter(|(_, value)| !self.names_number(*value));
        captures.fold(self.assigned(state, place, lambda), |states, (name, value)| {
            let member = format!("{place}.{name}");
            let states = states.into_iter().flat_map(|state| self.assigned(state, &member, value));
            // The pointers of an object that it has a copy of.
            states.flat_map(|state| self.with_fields(state, &member, value)).collect()
        })
    }

    /// The states where the members of a place are those of an object.
    fn with_fields(&self, state: State, place: &str, object: Node<'u>) -> Vec<State> {
        let fields = self.fields_given(object, &state);
        fields.into_iter().fold(vec![state], |states, (part, pointers)| {
            if pointers.is_empty() {
                return states;
            }
            let member = format!("{place}.{part}");
            let given = |state: &State| pointers.iter().map(|p| with(state, &member, p.clone())).collect::<Vec<_>>();
            states.iter().flat_map(given).collect()
        })
    }

    /// The lambda that the launch is in, and the names of its parameters.
    fn lambda_around(&self) -> Option<(Node<'u>, Vec<&'u str>)> {
        let mut lambda = self.launch;
        while lambda.kind() != "lambda_expression" {
            lambda = self.up(lambda).filter(|outer| *outer != self.function)?;
        }
        let list = lambda.child_by_field_name("declarator")?.child_by_field_name("parameters")?;
        let name = |p: Node<'u>| p.child_by_field_name("declarator").and_then(declared_name);
        Some((lambda, listed_in(list).into_iter().map(|p| name(p).map_or("", |n| self.unit.str(n))).collect()))
    }

    /// The calls of a lambda, where it stands or by the variable that it is given to.
    fn calls_of_lambda(&self, lambda: Node<'u>) -> Vec<Node<'u>> {
        let around = self.up(lambda);
        let holder = around.filter(|a| a.kind() == "init_declarator").and_then(declared_name);
        let mut found = Vec::new();
        each_named(self.function, |n| {
            let function = n.child_by_field_name("function").filter(|_| n.kind() == "call_expression");
            let is_it = |f: Node<'u>| f == lambda || holder.is_some_and(|name| self.unit.str(f) == self.unit.str(name));
            found.extend(function.filter(|f| is_it(*f)).map(|_| n));
        });
        found
    }
}

/// What is cast.
fn plain(node: Node<'_>) -> Node<'_> {
    let inner = match node.kind() {
        "cast_expression" => node.child_by_field_name("value"),
        "parenthesized_expression" => last_named(node),
        _ => None,
    };
    inner.map_or(node, plain)
}
