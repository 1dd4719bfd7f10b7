//! Pointers that the calls of a lambda give a launch in it. [HOST-OVERLAP]

use tree_sitter::Node;

use super::super::Host;
use super::super::places::listed_in;
use super::{Flow, Overlap, State, States, declared_name, each_named, last_named, meet};

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
                        if meet(&pointers(later), &pointers(earlier), state).is_some() {
                            let (later, earlier) = ((later, None), (earlier, None));
                            found.push(Overlap { later, earlier, by: None, sure: false });
                        }
                    }
                }
            }
            self.launch = launch;
        }
        found
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
