//! What holds where a kernel is launched.

use tree_sitter::Node;

use super::super::unit::{declared_name, has_child, last_named, split_init};
use super::types::in_common;
use super::{Host, symbol};
use crate::exp::{B, IntTy, N, NRel};

impl<'u> Host<'_, 'u> {
    pub(super) fn condition(&mut self, node: Node<'u>) -> Option<B> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.condition(inner)
            }
            "unary_expression" if self.unit.str(field("operator")?) == "!" => {
                Some(B::not(&self.condition(field("argument")?)?))
            }
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                let rel = match self.unit.str(field("operator")?) {
                    "&&" => return Some(B::and([self.condition(left)?, self.condition(right)?])),
                    "||" => return Some(B::or([self.condition(left)?, self.condition(right)?])),
                    "==" => (NRel::Eq, false),
                    "!=" => (NRel::Ne, false),
                    "<" => (NRel::Lt, false),
                    "<=" => (NRel::Le, false),
                    ">" => (NRel::Lt, true),
                    ">=" => (NRel::Le, true),
                    _ => return self.truth(node),
                };
                let (mut l, mut r) = (self.number(left)?, self.number(right)?);
                // Where one side is unsigned, the other is made so.
                let ty = |host: &Self, n| host.type_of(n).unwrap_or(IntTy::I32);
                let (a, b) = (ty(self, left), ty(self, right));
                let ty = in_common(a, b);
                if !ty.signed {
                    l = self.unsigned(l, left, ty);
                    r = self.unsigned(r, right, ty);
                }
                let (l, r) = if rel.1 { (r, l) } else { (l, r) };
                Some(B::rel(rel.0, &l, &r))
            }
            _ => self.truth(node),
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
        let mut node = call;
        while let Some(parent) = node.parent().filter(|_| node != function) {
            match parent.kind() {
                "compound_statement" | "case_statement" => self.facts_before(parent, node, &mut facts),
                "if_statement" | "while_statement" => {
                    if let Some(condition) = parent.child_by_field_name("condition")
                        && Some(node) != parent.child_by_field_name("condition")
                        && condition.child_by_field_name("initializer").is_none()
                        && self.unchanged_in(condition, parent)
                        && let Some(fact) = self.condition(condition)
                    {
                        let is_else = Some(node) == parent.child_by_field_name("alternative");
                        facts.push(if is_else { B::not(&fact) } else { fact });
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
        facts
    }

    /// Asserts, and branches that leave, before a place in a block.
    fn facts_before(&mut self, block: Node<'u>, until: Node<'u>, facts: &mut Vec<B>) {
        let mut cursor = block.walk();
        let before: Vec<Node<'u>> =
            block.named_children(&mut cursor).take_while(|n| n.start_byte() < until.start_byte()).collect();
        for statement in before {
            match statement.kind() {
                "if_statement" if statement.child_by_field_name("alternative").is_none() => {
                    if let (Some(condition), Some(then)) =
                        (statement.child_by_field_name("condition"), statement.child_by_field_name("consequence"))
                        && self.leaves(then)
                        && self.only_stable(condition)
                        && let Some(fact) = self.condition(condition)
                    {
                        facts.push(B::not(&fact));
                    }
                }
                "expression_statement" => {
                    if let Some(call) = statement.named_child(0).filter(|c| c.kind() == "call_expression")
                        && call.child_by_field_name("function").is_some_and(|f| self.unit.str(f) == "assert")
                        && let Some(condition) = call.child_by_field_name("arguments").and_then(|a| a.named_child(0))
                        && self.only_stable(condition)
                        && let Some(fact) = self.condition(condition)
                    {
                        facts.push(fact);
                    }
                }
                _ => {}
            }
        }
    }

    /// Does control never go past the end of this statement?
    fn leaves(&self, statement: Node<'u>) -> bool {
        match statement.kind() {
            "return_statement" | "throw_statement" => true,
            "expression_statement" => {
                let call = statement.named_child(0).filter(|c| c.kind() == "call_expression");
                let callee = call.and_then(|c| c.child_by_field_name("function")).map(|f| self.unit.str(f));
                matches!(callee, Some("exit" | "abort" | "std::exit" | "std::abort" | "_exit"))
            }
            "compound_statement" => last_named(statement).is_some_and(|last| self.leaves(last)),
            _ => false,
        }
    }

    /// Is no variable of a condition changed in a statement?
    fn unchanged_in(&self, condition: Node<'u>, statement: Node<'u>) -> bool {
        if self.only_stable(condition) {
            return true;
        }
        let mut names = Vec::new();
        let mut stack = vec![condition];
        while let Some(node) = stack.pop() {
            if node.kind() == "identifier" && self.uses.contains_key(self.unit.str(node)) {
                names.push(self.unit.str(node));
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        names.into_iter().all(|name| self.is_stable(name) || !self.changes_in(name, statement, None))
    }

    /// May a variable be changed inside of a node, apart from one part of it?
    fn changes_in(&self, name: &str, node: Node<'u>, apart: Option<Node<'u>>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if Some(node) == apart {
                continue;
            }
            let target = match node.kind() {
                "assignment_expression" => node.child_by_field_name("left"),
                "update_expression" => node.child_by_field_name("argument"),
                "pointer_expression" => node.child_by_field_name("argument"),
                "argument_list" if node.parent().is_none_or(|p| !has_child(p, "kernel_call_syntax")) => {
                    let mut cursor = node.walk();
                    node.named_children(&mut cursor).find(|n| n.kind() == "identifier" && self.unit.str(*n) == name)
                }
                _ => None,
            };
            if target.is_some_and(|t| self.unit.str(t) == name) {
                return true;
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        false
    }

    /// The bounds of a loop whose variable only its head changes.
    fn loop_facts(&mut self, node: Node<'u>, facts: &mut Vec<B>) {
        let (Some(init), Some(condition), Some(update), Some(body)) = (
            node.child_by_field_name("initializer"),
            node.child_by_field_name("condition"),
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
        let name = self.unit.str(name);
        // Another variable of that name would be taken for this one.
        if self.uses.get(name).is_none_or(|uses| uses.declarations != 1) || self.changes_in(name, body, None) {
            return;
        }
        // A function object made before may change it.
        if self.lambdas.iter().any(|lambda| self.changes_in(name, *lambda, None)) {
            return;
        }
        let mut stack = vec![condition];
        while let Some(part) = stack.pop() {
            if part.kind() == "identifier" {
                let other = self.unit.str(part);
                if other != name && self.uses.contains_key(other) && !self.is_stable(other) {
                    return;
                }
            }
            let mut cursor = part.walk();
            stack.extend(part.named_children(&mut cursor));
        }
        facts.extend(self.condition(condition));
        let text: String = self.unit.str(update).chars().filter(|c| !c.is_whitespace()).collect();
        let grows =
            text == format!("{name}++") || text == format!("++{name}") || text.starts_with(&format!("{name}+="));
        let by = update.child_by_field_name("right").map(|r| self.number(r));
        let positive = by.is_none_or(|by| by.and_then(|n| n.as_num()).is_some_and(|n| n > 0));
        if grows
            && positive
            && self.only_stable(first)
            && let Some(first) = self.number(first)
        {
            facts.push(first.le(&symbol(name)));
        }
    }

    /// In a case that only its label leads to.
    fn case_fact(&mut self, case: Node<'u>, facts: &mut Vec<B>) {
        let Some(label) = case.child_by_field_name("value") else { return };
        let Some(block) = case.parent() else { return };
        let Some(switch) = block.parent().filter(|s| s.kind() == "switch_statement") else { return };
        let falls_into = case.prev_named_sibling().filter(|p| p.kind() == "case_statement").is_some_and(|before| {
            last_named(before).is_none_or(|last| !matches!(last.kind(), "break_statement" | "return_statement"))
        });
        if let (false, Some(value)) = (falls_into, switch.child_by_field_name("condition"))
            && self.only_stable(value)
            && let (Some(value), Some(label)) = (self.number(value), self.number(label))
        {
            facts.push(value.eq(&label));
        }
    }
}
