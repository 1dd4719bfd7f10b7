//! Choices between pointers by one condition, which are made in the same way as long as nothing changes what it is made of.
//! [HOST-CHOICE]

use std::rc::Rc;

use tree_sitter::Node;

use super::super::super::unit::{each_named, last_named};
use super::super::Host;
use super::super::variables::{Variable, contains};
use super::{Origin, Pointer, State, States, each, with};

/// Conditions of the arguments of one launch that are told apart.
const MOST_OF_LAUNCH: usize = 4;

impl<'u> Host<'_, 'u> {
    /// Which of its two values a choice has, where that is known.
    pub(super) fn chosen(&self, choice: Node<'u>, state: &State) -> Option<bool> {
        if let Some(same) = self.are_same(choice, state) {
            return Some(same);
        }
        let (key, negated) = self.steady(choice)?;
        match state.get(&*key)?.origin {
            Origin::Truth(truth) => Some(truth != negated),
            _ => None,
        }
    }

    /// The states in which the condition of a choice that a value makes holds, and does not; `None` where it makes none, or
    /// that is known.
    pub(super) fn split_by(&self, value: Node<'u>, state: &State) -> Option<[State; 2]> {
        let choice = self.open_choice(value, state)?;
        let (key, _) = self.steady(choice)?;
        Some([true, false].map(|truth| {
            let pointer = Pointer { origin: Origin::Truth(truth), steps: Some(Vec::new()), sure: true };
            with(state, &key, pointer)
        }))
    }

    /// The states in which the conditions of the choices are known that these arguments make.
    pub(super) fn split_for(&self, state: State, arguments: &[Node<'u>]) -> Vec<State> {
        let mut choices = Vec::new();
        for argument in arguments {
            each_named(*argument, |n| choices.extend(Some(n).filter(|n| n.kind() == "conditional_expression")));
        }
        let is_number = |n: &Node<'u>| n.child_by_field_name("consequence").is_none_or(|n| self.names_number(n));
        choices.retain(|choice| !is_number(choice));
        let mut states = vec![state];
        for choice in choices {
            if states.len() < 1 << MOST_OF_LAUNCH {
                let split = |state: State| self.split_by(choice, &state).map_or_else(|| vec![state], Vec::from);
                states = states.into_iter().flat_map(split).collect();
            }
        }
        states
    }

    /// The choice that an expression is, and of which the condition is not known.
    fn open_choice(&self, value: Node<'u>, state: &State) -> Option<Node<'u>> {
        let field = |name: &str| value.child_by_field_name(name);
        match value.kind() {
            "parenthesized_expression" => self.open_choice(last_named(value)?, state),
            "cast_expression" => self.open_choice(field("value")?, state),
            "conditional_expression" => match self.chosen(value, state) {
                Some(true) => self.open_choice(field("consequence")?, state),
                Some(false) => self.open_choice(field("alternative")?, state),
                None => Some(value),
            },
            _ => None,
        }
    }

    /// Without what was known of conditions on variables that this node changes.
    pub(super) fn without_changed(&self, node: Node<'u>, states: States) -> States {
        without(states, self.reached_by(node))
    }

    /// The same of those that a declaration declares anew.
    pub(super) fn without_declared(&self, node: Node<'u>, states: States) -> States {
        let is_of = |v: &Variable<'u>| node.start_byte() < v.from && v.from <= node.end_byte();
        let own = self.variables.iter().enumerate().filter(|(_, v)| is_of(v)).map(|(i, _)| i);
        without(states, &own.collect::<Vec<usize>>())
    }

    /// The name of the condition of a choice, and whether it is the opposite of that. It is made of variables of the function
    /// that are numbers, and its statement changes none of these.
    fn steady(&self, choice: Node<'u>) -> Option<(Rc<str>, bool)> {
        if let Some(known) = self.steady.borrow().get(&choice.id()) {
            return known.clone();
        }
        let found = self.read_steady(choice);
        self.steady.borrow_mut().insert(choice.id(), found.clone());
        found
    }

    fn read_steady(&self, choice: Node<'u>) -> Option<(Rc<str>, bool)> {
        let (mut condition, mut negated) = (choice.child_by_field_name("condition")?, false);
        loop {
            let is_not = condition.kind() == "unary_expression" && self.unit.str(condition).starts_with('!');
            condition = match condition.kind() {
                "parenthesized_expression" => last_named(condition)?,
                "unary_expression" if is_not => condition.child_by_field_name("argument")?,
                _ => break,
            };
            negated ^= is_not;
        }
        let mut variables = Vec::new();
        if !self.reads_numbers(condition, &mut variables) || self.is_changed_around(choice, &variables) {
            return None;
        }
        let text: String = self.unit.str(condition).chars().filter(|c| !c.is_whitespace()).collect();
        let numbers = variables.iter().map(|v| format!(" {v}")).collect::<String>();
        Some((format!("if {text} of{numbers}").into(), negated))
    }

    /// Does an expression compute something of numbers that the function alone has, and of nothing else?
    fn reads_numbers(&self, node: Node<'u>, variables: &mut Vec<usize>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let mut reads = |part: Option<Node<'u>>| part.is_some_and(|part| self.reads_numbers(part, variables));
        match node.kind() {
            "number_literal" | "char_literal" | "true" | "false" => true,
            "parenthesized_expression" => reads(last_named(node)),
            "unary_expression" => reads(field("argument")),
            "binary_expression" => reads(field("left")) && reads(field("right")),
            "identifier" => {
                let Some(at) = self.find(self.unit.str(node), node) else { return false };
                variables.push(at);
                self.is_scalar_place(&self.key(node)) && !self.names_doubtful(node) && self.is_followed(at)
            }
            _ => false,
        }
    }

    /// Is all that changes a variable of the function seen where it stands?
    fn is_followed(&self, variable: usize) -> bool {
        let known = &self.variables[variable];
        let of_range = |d: Node<'u>| self.up(d).is_some_and(|up| up.kind() == "for_range_loop");
        let in_lambda = |node: Node<'u>| {
            let mut around = std::iter::successors(Some(node), |n| self.up(*n)).take_while(|n| *n != self.function);
            around.any(|n| n.kind() == "lambda_expression")
        };
        known.outside.is_none()
            && known.declarator.is_some_and(|d| !of_range(d))
            && (!known.is_parameter || known.scope == self.function)
            && !known.events.iter().any(|event| in_lambda(event.node))
    }

    /// Does the statement of a choice change a variable before or after the choice is made, as far as the order goes? What the
    /// choice is a part of is done behind it.
    fn is_changed_around(&self, choice: Node<'u>, variables: &[usize]) -> bool {
        let around = || std::iter::successors(Some(choice), |n| self.up(*n)).take_while(|n| *n != self.function);
        // A lambda may have a copy of a variable, from before.
        if around().any(|n| n.kind() == "lambda_expression") {
            return true;
        }
        let is_statement = |n: &Node<'u>| n.kind().ends_with("statement") || n.kind() == "declaration";
        let Some(statement) = around().find(is_statement) else { return true };
        let mut is_changed = false;
        each_named(statement, |n| {
            is_changed |= !contains(n, choice) && self.reached_by(n).iter().any(|v| variables.contains(v));
        });
        is_changed
    }

    /// Are the two pointers that the condition of a choice compares one?
    fn are_same(&self, choice: Node<'u>, state: &State) -> Option<bool> {
        let mut condition = choice.child_by_field_name("condition")?;
        while condition.kind() == "parenthesized_expression" {
            condition = last_named(condition)?;
        }
        let field = |name: &str| condition.child_by_field_name(name);
        let sign = field("operator").filter(|_| condition.kind() == "binary_expression")?;
        let equal = match self.unit.str(sign) {
            "==" => true,
            "!=" => false,
            _ => return None,
        };
        let both = [field("left")?, field("right")?];
        let at = both.map(|n| self.find(self.unit.str(n), n).filter(|_| n.kind() == "identifier"));
        let [Some(a), Some(b)] = at else { return None };
        let is_known = |n: Node<'u>| self.is_relevant(&self.key(n)) && self.is_pointer_place(&self.key(n));
        if !both.iter().all(|n| is_known(*n)) || self.is_changed_around(choice, &[a, b]) {
            return None;
        }
        let held = both.map(|n| match &self.pointers_of(n, state)[..] {
            [only] if only.sure && only.steps.as_ref().is_some_and(Vec::is_empty) => Some(only.origin.clone()),
            _ => None,
        });
        let [a, b] = held;
        match (a?, b?) {
            (a @ (Origin::Made(_, false) | Origin::Named(_)), b) if a == b => Some(equal),
            // Both may be null: then either of them is.
            (a @ Origin::Made(_, false), b @ Origin::Made(_, false)) => {
                let is_one = |part: &str| {
                    let held = choice.child_by_field_name(part).map_or(Vec::new(), |n| self.pointers_of(n, state));
                    matches!(&held[..], [only] if only.origin == a || only.origin == b)
                };
                (is_one("consequence") && is_one("alternative")).then_some(!equal)
            }
            _ => None,
        }
    }
}

/// Without what is known of conditions on these variables.
fn without(states: States, variables: &[usize]) -> States {
    if variables.is_empty() {
        return states;
    }
    let is_of = |key: &str| {
        let own = key.rsplit_once(" of").map_or("", |(_, own)| own);
        own.split(' ').filter_map(|v| v.parse().ok()).any(|v: usize| variables.contains(&v))
    };
    each(states, |mut state| {
        state.retain(|key, pointer| !matches!(pointer.origin, Origin::Truth(_)) || !is_of(key));
        vec![state]
    })
}
