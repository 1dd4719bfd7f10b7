//! What holds where a kernel is launched.

use tree_sitter::Node;

use super::super::unit::{FunDecl, declared_name, each_named, last_named, split_init};
use super::Host;
use super::places::listed_in;
use super::types::{converted, in_common};
use super::variables::{Part, contains};
use crate::exp::{B, IntTy, N, NRel};

/// What holds its first argument to be true, or does not return.
const CHECKS: [&str; 5] = ["assert", "TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_ASSERT", "AT_ASSERTM"];

impl<'u> Host<'_, 'u> {
    pub(super) fn condition(&mut self, node: Node<'u>) -> Option<B> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.condition(inner)
            }
            "unary_expression" if matches!(self.unit.str(field("operator")?), "!" | "not") => {
                Some(B::not(&self.condition(field("argument")?)?))
            }
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                match self.unit.str(field("operator")?) {
                    "&&" | "and" => Some(B::and([self.condition(left)?, self.condition(right)?])),
                    "||" | "or" => Some(B::or([self.condition(left)?, self.condition(right)?])),
                    operator => match relation(operator) {
                        Some(rel) => self.compared(left, rel, right),
                        None => self.truth(node),
                    },
                }
            }
            _ => self.truth(node),
        }
    }

    /// A comparison; the second part of the relation says that the sides are exchanged.
    fn compared(&mut self, left: Node<'u>, rel: (NRel, bool), right: Node<'u>) -> Option<B> {
        let (mut l, mut r) = (self.number(left)?, self.number(right)?);
        // Where one side is unsigned, the other is made so.
        match (self.type_of(left), self.type_of(right)) {
            (Some(a), Some(b)) => {
                let ty = in_common(a, b);
                if !ty.signed {
                    l = self.unsigned(l, left, ty);
                    r = self.unsigned(r, right, ty);
                }
            }
            // Numbers of signed types that are not negative are the same in the other type.
            (a, b) => {
                let fits =
                    |ty: Option<IntTy>, n: &N| ty.is_some_and(|ty| ty.signed) && n.as_num().is_some_and(|n| n >= 0);
                let both = |host: &mut Self, n| host.least(n).is_some_and(|n| n >= 0);
                (fits(a, &l) || fits(b, &r) || both(self, left) && both(self, right)).then_some(())?;
            }
        }
        let (l, r) = if rel.1 { (r, l) } else { (l, r) };
        Some(B::rel(rel.0, &l, &r))
    }

    /// What certainly holds where a condition is true, or is not: the parts that are not understood may be either.
    fn holds(&mut self, node: Node<'u>, is_true: bool) -> Option<B> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.holds(inner, is_true)
            }
            "comma_expression" => self.holds(field("right")?, is_true),
            "string_literal" => Some(B::lit(is_true)),
            "unary_expression" if matches!(self.unit.str(field("operator")?), "!" | "not") => {
                self.holds(field("argument")?, !is_true)
            }
            "binary_expression" if matches!(self.unit.str(field("operator")?), "&&" | "and" | "||" | "or") => {
                let both = matches!(self.unit.str(field("operator")?), "&&" | "and") == is_true;
                let (left, right) = (self.holds(field("left")?, is_true), self.holds(field("right")?, is_true));
                match (left, right) {
                    (Some(l), Some(r)) => Some(if both { B::and([l, r]) } else { B::or([l, r]) }),
                    (l, r) => l.or(r).filter(|_| both),
                }
            }
            "call_expression" if self.is_library(field("function")?, &["__builtin_expect"]) => {
                self.holds(field("arguments")?.named_child(0)?, is_true)
            }
            _ => self.condition(node).map(|fact| if is_true { fact } else { B::not(&fact) }),
        }
    }

    fn truth(&mut self, node: Node<'u>) -> Option<B> {
        if node.kind() == "binary_expression"
            && !matches!(self.unit.str(node.child_by_field_name("operator")?), "+" | "-" | "*" | "/" | "%")
        {
            return None;
        }
        Some(self.number(node)?.ne(&N::num(0)))
    }

    pub(super) fn facts(&mut self, call: Node<'u>, function: Node<'u>) -> Vec<B> {
        let mut facts = Vec::new();
        if self.has_goto {
            return facts;
        }
        self.pitches(&mut facts);
        let mut node = call;
        while let Some(parent) = self.up(node).filter(|_| node != function) {
            match parent.kind() {
                "compound_statement" | "case_statement" => self.facts_before(parent, node, &mut facts),
                "if_statement" | "while_statement" => {
                    if let Some(condition) = parent.child_by_field_name("condition")
                        && Some(node) != parent.child_by_field_name("condition")
                        && condition.child_by_field_name("initializer").is_none()
                        && let Some(fact) =
                            self.holds(condition, Some(node) != parent.child_by_field_name("alternative"))
                    {
                        if fact.as_lit() == Some(false) {
                            self.unfollow(condition);
                        }
                        facts.push(fact);
                    }
                }
                "for_statement" if Some(node) == parent.child_by_field_name("body") => {
                    self.loop_facts(parent, &mut facts)
                }
                _ => {}
            }
            if parent.kind() == "case_statement" {
                self.case_fact(parent, &mut facts);
            }
            node = parent;
        }
        facts.extend(self.among());
        facts
    }

    /// The variables of a condition that their values exclude stand for themselves.
    fn unfollow(&mut self, condition: Node<'u>) {
        let mut stack = vec![condition];
        while let Some(node) = stack.pop() {
            stack.extend(listed_in(node));
            let named = Some(node).filter(|n| n.kind() == "identifier");
            self.unfollowed.extend(named.and_then(|n| self.find(self.unit.str(n), n)));
        }
    }

    /// `cudaMallocPitch(&p, &pitch, width, height)`: a pitch is no less than the width.
    fn pitches(&mut self, facts: &mut Vec<B>) {
        for call in self.all_calls.clone() {
            let name = call.child_by_field_name("function").map_or("", |f| self.callee(f));
            let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
            let (true, [_, pitch, width, _]) = (matches!(name, "cudaMallocPitch" | "hipMallocPitch"), &arguments[..])
            else {
                continue;
            };
            let pitch = pitch.child_by_field_name("argument").filter(|p| p.kind() == "identifier");
            let Some(variable) = pitch.and_then(|p| self.find(self.unit.str(p), p)) else { continue };
            let seen = self.version(variable, &Part::Whole, self.launch);
            let is_last = self.change_of(variable, &seen) == Some(call) && self.always_runs(call);
            if is_last && let Some(width) = self.number(*width) {
                let ty = self.variables[variable].ty.and_then(|ty| self.integer_type(ty));
                let value = self.value_at(variable, &Part::Whole, ty, self.launch);
                facts.extend([width.le(&value), N::num(1).le(&value)]);
            }
        }
    }

    /// Is a call run whenever the launch is, before it?
    fn always_runs(&self, call: Node<'u>) -> bool {
        let Some(statement) = self.dominating(call, self.launch) else { return false };
        let mut node = call;
        while node != statement {
            let Some(parent) = self.up(node) else { return false };
            let runs = match parent.kind() {
                "expression_statement"
                | "declaration"
                | "init_declarator"
                | "assignment_expression"
                | "call_expression"
                | "argument_list"
                | "parenthesized_expression"
                | "condition_clause" => true,
                "binary_expression" => parent
                    .child_by_field_name("operator")
                    .is_some_and(|o| !matches!(self.unit.str(o), "&&" | "||" | "and" | "or")),
                "if_statement" => parent.child_by_field_name("condition") == Some(node),
                _ => false,
            };
            if !runs {
                return false;
            }
            node = parent;
        }
        true
    }

    /// Asserts, and branches that leave, before a place in a block.
    fn facts_before(&mut self, block: Node<'u>, until: Node<'u>, facts: &mut Vec<B>) {
        // What stands in front of the first case is never run.
        if self.up(block).is_some_and(|p| p.kind() == "switch_statement") {
            return;
        }
        let mut cursor = block.walk();
        let before: Vec<Node<'u>> =
            block.named_children(&mut cursor).take_while(|n| n.start_byte() < until.start_byte()).collect();
        for statement in before {
            match statement.kind() {
                // Of a macro that checks something.
                "do_statement" => {
                    let condition = statement.child_by_field_name("condition");
                    let once = condition.and_then(|c| self.constant(c)).and_then(|n| n.as_num()) == Some(0);
                    match statement.child_by_field_name("body") {
                        Some(body) if once => self.checks_in(body, facts),
                        // Where nothing else leaves it, its condition ends it.
                        Some(body) if !has_below(body, "break_statement") => {
                            facts.extend(condition.and_then(|c| self.holds(c, false)));
                        }
                        _ => {}
                    }
                }
                "while_statement" => facts.extend(self.ended(statement)),
                "if_statement" => self.facts_after(statement, facts),
                "switch_statement" => self.facts_after_switch(statement, facts),
                "expression_statement" => {
                    if let Some(call) = statement.named_child(0).filter(|c| c.kind() == "call_expression") {
                        self.checked(call, facts);
                    }
                }
                _ => {}
            }
        }
    }

    /// That the condition of a loop does not hold any more, of the values that its variables have behind it.
    fn ended(&mut self, statement: Node<'u>) -> Option<B> {
        let condition = statement.child_by_field_name("condition")?;
        let body = statement.child_by_field_name("body")?;
        let leaves = ["break_statement", "goto_statement"].iter().any(|way| has_below(body, way));
        let changes = ["assignment_expression", "update_expression", "call_expression", "declaration"];
        // What it says of several numbers would make all that rests on one of them rest on the others.
        let is_one = !["&&", "||", " and ", " or "].iter().any(|both| self.unit.str(condition).contains(both));
        if leaves || !is_one || changes.iter().any(|change| has_below(condition, change)) {
            return None;
        }
        let behind = statement.next_named_sibling()?;
        let mut names = Vec::new();
        each_named(condition, |n| names.extend(Some(n).filter(|n| n.kind() == "identifier")));
        let is_changed = |name: &Node<'u>| {
            let known = self.find(self.unit.str(*name), *name);
            known.is_some_and(|v| self.variables[v].events.iter().any(|e| contains(behind, e.node)))
        };
        if names.iter().any(is_changed) {
            return None;
        }
        self.asked_behind = Some((condition, behind));
        let ended = self.holds(condition, false);
        self.asked_behind = None;
        ended
    }

    /// What a call checks that does not return otherwise.
    fn checked(&mut self, call: Node<'u>, facts: &mut Vec<B>) {
        let (Some(function), Some(list)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            return;
        };
        let arguments = listed_in(list);
        if let Some(condition) = arguments.first().filter(|_| self.is_library(function, &CHECKS)) {
            facts.extend(self.holds(*condition, true));
            facts.extend(self.asked_power(*condition));
        }
    }

    /// What holds after a statement of branches of which some leave.
    fn facts_after(&mut self, statement: Node<'u>, facts: &mut Vec<B>) {
        let part = |name: &str| statement.child_by_field_name(name);
        let (Some(condition), Some(then)) = (part("condition"), part("consequence")) else { return };
        let other = part("alternative").and_then(|a| if a.kind() == "else_clause" { last_named(a) } else { Some(a) });
        let (leaves, stays) = (self.leaves(then), other.is_none_or(|other| !self.leaves(other)));
        if leaves && stays {
            facts.extend(self.holds(condition, false));
            if let Some(other) = other.filter(|other| other.kind() == "if_statement") {
                self.facts_after(other, facts);
            }
        } else if !leaves && !stays {
            facts.extend(self.holds(condition, true));
        }
    }

    /// What holds after a `switch`: its value is in none of the cases that leave the function or the loop around it.
    fn facts_after_switch(&mut self, switch: Node<'u>, facts: &mut Vec<B>) {
        let (Some(value), Some(body)) = (switch.child_by_field_name("condition"), switch.child_by_field_name("body"))
        else {
            return;
        };
        let Some(value) = self.number(value) else { return };
        for case in listed_in(body).into_iter().filter(|n| n.kind() == "case_statement") {
            let leaves = listed_in(case).last().is_some_and(|last| self.leaves(*last));
            if leaves && !has_below(case, "break_statement") {
                facts.extend(self.label(case, body, &value, true).map(|is_it| B::not(&is_it)));
            }
        }
    }

    /// Branches that leave the function, in a block that is run once.
    fn checks_in(&mut self, block: Node<'u>, facts: &mut Vec<B>) {
        let is_return = |node: &Node<'u>| matches!(node.kind(), "return_statement" | "throw_statement");
        let inner = |node: Node<'u>| if node.kind() == "compound_statement" { listed_in(node) } else { vec![node] };
        for statement in inner(block) {
            // What comes after one that may leave the block is not always run.
            let (Some(condition), Some(then), None) = (
                statement.child_by_field_name("condition").filter(|_| statement.kind() == "if_statement"),
                statement.child_by_field_name("consequence"),
                statement.child_by_field_name("alternative"),
            ) else {
                return;
            };
            let last = inner(then).last().copied();
            let plain = inner(then).iter().all(|s| is_return(s) || s.kind() == "expression_statement");
            let leaves = last.is_some_and(|s| is_return(&s) || s.kind() == "expression_statement" && self.leaves(s));
            if !plain {
                return;
            }
            if leaves {
                facts.extend(self.holds(condition, false));
            }
        }
    }

    /// Does control never go past the end of this statement? [HOST-LEAVES]
    pub(super) fn leaves(&self, statement: Node<'u>) -> bool {
        match statement.kind() {
            "return_statement" | "throw_statement" | "break_statement" | "continue_statement" => true,
            "expression_statement" => {
                let call = statement.named_child(0).filter(|c| c.kind() == "call_expression");
                let callee = call.and_then(|c| c.child_by_field_name("function"));
                callee.is_some_and(|f| self.is_library(f, &["exit", "abort", "_exit"]) || self.never_returns(f))
            }
            "compound_statement" | "attributed_statement" => {
                listed_in(statement).last().is_some_and(|last| self.leaves(*last))
            }
            _ => false,
        }
    }

    /// Does a function of the program end in a way that comes back to nobody, and has it no other?
    fn never_returns(&self, function: Node<'u>) -> bool {
        let overloads = self.lower.names.functions.get(self.unit.str(function)).map_or(&[][..], Vec::as_slice);
        let ends = |d: &FunDecl<'u>| {
            let body = d.node.child_by_field_name("body").filter(|_| d.class.is_none());
            let calls = body.and_then(last_named).filter(|last| last.kind() == "expression_statement");
            let callee = calls.and_then(|last| last.named_child(0)?.child_by_field_name("function"));
            self.unit.is_endless(d.node)
                || callee.is_some_and(|f| self.is_library(f, &["exit", "abort", "_exit"]))
                    && body.is_some_and(|body| !has_below(body, "return_statement"))
        };
        let is_method = function.kind() == "identifier" && self.is_own_method(self.unit.str(function), false);
        !is_method
            && self.find(self.unit.str(function), function).is_none()
            && !overloads.is_empty()
            && overloads.iter().all(ends)
    }

    /// Is this one of these functions of C, which the program does not define itself?
    pub(super) fn is_library(&self, function: Node<'u>, names: &[&str]) -> bool {
        let name = self.unit.str(function).trim_start_matches("std::");
        names.contains(&name)
            && !self.lower.names.functions.contains_key(name)
            && !self.lower.names.used.contains(name)
            && self.find(name, function).is_none()
            && !(function.kind() == "identifier" && self.is_own_method(name, false))
    }

    /// The condition of a loop, and the bound of a variable that only its head changes, and only in one direction.
    fn loop_facts(&mut self, node: Node<'u>, facts: &mut Vec<B>) {
        if let Some(condition) = node.child_by_field_name("condition") {
            facts.extend(self.holds(condition, true));
        }
        let (Some(init), Some(update), Some(body)) = (
            node.child_by_field_name("initializer"),
            node.child_by_field_name("update"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let mut parts = init.walk();
        let declarators: Vec<Node<'u>> = init.children_by_field_name("declarator", &mut parts).collect();
        let (name, first) = match (init.kind(), declarators.as_slice()) {
            ("declaration", [only]) => match split_init(*only) {
                (inner, Some(value)) => (declared_name(inner), Some(value)),
                _ => return,
            },
            ("assignment_expression", []) => (init.child_by_field_name("left"), init.child_by_field_name("right")),
            _ => return,
        };
        let (Some(name), Some(first)) = (name, first) else { return };
        let place = name;
        let name = self.unit.str(name);
        // Where the body begins.
        let Some(variable) = self.find(name, body) else { return };
        let known = &self.variables[variable];
        let changes = known.events.iter().filter(|e| contains(node, e.node) && !contains(init, e.node));
        if known.is_wild
            || place.kind() != "identifier"
            || known.ty.is_none_or(|ty| !self.is_integer_type(ty))
            || !changes.clone().all(|e| contains(update, e.node))
            || changes.count() != 1
        {
            return;
        }
        // A smaller counter may wrap around.
        let Some(ty) = known.ty.and_then(|ty| self.integer_type(ty)).filter(|ty| ty.bits >= 32) else { return };
        let text: String = self.unit.str(update).chars().filter(|c| !c.is_whitespace()).collect();
        let (rest, amount) = match self.as_compound(update, name) {
            Some((operator, amount)) => (format!("{operator}="), Some(amount)),
            None => (text.strip_prefix(name).unwrap_or("").to_owned(), update.child_by_field_name("right")),
        };
        let by = amount.and_then(|r| self.number(r)).and_then(|n| n.as_num());
        let positive = by.is_some_and(|n| n > 0);
        let Some(start) = self.number(first).and_then(|start| converted(&start, Some(ty))) else { return };
        let from_zero = self.least(first).is_some_and(|n| n >= 0);
        // Where an unsigned counter stops: a difference from the bound is passed by.
        let (below, above) = self.stops(node, name);
        let signed = ty.signed;
        let shifted = by.filter(|n| rest.starts_with("<<=") && (0..63).contains(n)).map(|n| 1i128 << n);
        let factor = if rest.starts_with("*=") { by } else { shifted };
        let halved = rest.starts_with("/=") || rest.starts_with(">>=");
        let step = match rest.starts_with("+=") {
            true => by,
            false => (rest == "++" || text == format!("++{name}")).then_some(1),
        };
        // Not past the end of its type in the last step.
        let (end, last) = (1i128 << ty.bits, self.last_below(node, name));
        let steps = |n: i128| signed || below && last.map_or(n == 1, |last| last < end - n);
        let grows = |n: i128| signed || below && last.map_or(n <= 2, |last| last.saturating_mul(n) < end);
        let up = step.is_some_and(|n| n > 0 && steps(n)) || from_zero && factor.is_some_and(|n| n > 0 && grows(n));
        let down = (rest == "--" || text == format!("--{name}")) && (signed || above)
            || rest.starts_with("-=") && positive && signed
            || halved && positive && from_zero;
        let value = self.value_at(variable, &Part::Whole, Some(ty), body);
        if up {
            facts.push(start.le(&value));
        } else if down {
            facts.push(value.le(&start));
        }
    }

    /// `j = j * 2` as `j *= 2`: the operator, and what stands behind it.
    fn as_compound(&self, update: Node<'u>, name: &str) -> Option<(&'u str, Node<'u>)> {
        let is_set = update.kind() == "assignment_expression"
            && self.unit.str(update.child_by_field_name("operator")?) == "="
            && self.unit.str(update.child_by_field_name("left")?) == name;
        let value = update.child_by_field_name("right").filter(|v| is_set && v.kind() == "binary_expression")?;
        let is_own = self.unit.str(value.child_by_field_name("left")?) == name;
        let operator = self.unit.str(value.child_by_field_name("operator")?);
        is_own.then_some((operator, value.child_by_field_name("right")?))
    }

    /// The last number that a variable may be in a loop with a constant bound.
    fn last_below(&mut self, node: Node<'u>, name: &str) -> Option<i128> {
        let condition = node.child_by_field_name("condition")?;
        let (left, right) = (condition.child_by_field_name("left")?, condition.child_by_field_name("right")?);
        let bound = if self.unit.str(left) == name { right } else { left };
        let operator = self.unit.str(condition.child_by_field_name("operator")?);
        // What is negative is a large number.
        let bound = self.number(bound)?.as_num().map(|n| if n < 0 { i128::MAX } else { n })?;
        Some(if operator.ends_with('=') { bound } else { bound - 1 })
    }

    /// Does the condition of a loop hold below, or above, a bound only?
    fn stops(&self, node: Node<'u>, name: &str) -> (bool, bool) {
        let condition = node.child_by_field_name("condition").filter(|c| c.kind() == "binary_expression");
        let Some(condition) = condition else { return (false, false) };
        let is = |side: &str| condition.child_by_field_name(side).is_some_and(|s| self.unit.str(s) == name);
        let operator = condition.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
        match operator {
            "<" | "<=" => (is("left"), operator == "<" && is("right")),
            ">" | ">=" => (is("right"), operator == ">" && is("left")),
            _ => (false, false),
        }
    }

    /// In a case: one of the labels that lead to it.
    fn case_fact(&mut self, case: Node<'u>, facts: &mut Vec<B>) {
        let Some(block) = self.up(case) else { return };
        let Some(switch) = self.up(block).filter(|s| s.kind() == "switch_statement") else { return };
        let Some(value) = switch.child_by_field_name("condition").and_then(|value| self.number(value)) else { return };
        let inner = listed_in(block);
        let mut before = inner.iter().rev().skip_while(|n| **n != case).copied();
        let mut labels = Vec::new();
        while let Some(label) = before.next() {
            let Some(is_it) = self.label(label, block, &value, false) else { return };
            labels.push(is_it);
            // What stands in front of the first case is never run.
            if before.clone().all(|n| n.kind() != "case_statement") {
                break;
            }
            let Some(previous) = before.clone().next().filter(|p| p.kind() == "case_statement") else { return };
            if listed_in(previous).last().is_some_and(|last| self.leaves(*last)) {
                break;
            }
        }
        facts.push(B::or(labels));
    }

    /// That this label is the one of a value; where that is not `exact`, it may hold of others as well.
    fn label(&mut self, case: Node<'u>, block: Node<'u>, value: &N, exact: bool) -> Option<B> {
        if let Some(label) = case.child_by_field_name("value") {
            return Some(value.eq(&self.number(label)?));
        }
        // `default`
        let others = listed_in(block).into_iter().filter_map(|other| other.child_by_field_name("value"));
        let others: Vec<Node<'u>> = others.collect();
        let others: Vec<Option<B>> = others.into_iter().map(|label| Some(value.ne(&self.number(label)?))).collect();
        (!exact || others.iter().all(Option::is_some)).then(|| B::and(others.into_iter().flatten().collect::<Vec<_>>()))
    }
}

/// What an operator says of its sides, and whether they are exchanged.
fn relation(operator: &str) -> Option<(NRel, bool)> {
    Some(match operator {
        "==" => (NRel::Eq, false),
        "!=" => (NRel::Ne, false),
        "<" => (NRel::Lt, false),
        "<=" => (NRel::Le, false),
        ">" => (NRel::Lt, true),
        ">=" => (NRel::Le, true),
        _ => return None,
    })
}

/// Is there a node of a kind below this one?
pub(super) fn has_below(node: Node, kind: &str) -> bool {
    let mut found = false;
    each_named(node, |inner| found |= inner.kind() == kind);
    found
}
