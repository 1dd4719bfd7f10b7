//! Variables of the host whose values are looked at wherever they are given one. [HOST-VALIDATED]

use tree_sitter::Node;

use super::super::unit::{each_named, last_named};
use super::Host;
use super::places::listed_in;
use super::types::converted;
use super::variables::{Event, Part, contains};
use crate::exp::{B, IntTy, N, Subst, free_vars_b};

/// Variables that are given a value in more places are not looked at.
const MAX_CHANGES: usize = 8;

impl<'u> Host<'_, 'u> {
    /// What all values of a variable have in common: each is a constant, or the next statement leaves the function for good unless
    /// something holds of it. In a run that gets to the launch it held each time.
    pub(super) fn validated(&mut self, variable: usize, value: &N) -> Option<B> {
        let known = &self.variables[variable];
        let plain = known.declarator.is_some_and(|d| d.kind() == "identifier")
            && known.scope.parent().is_none_or(|p| p.kind() != "switch_statement")
            && !(known.is_parameter || known.is_wild || known.is_remote || known.escapes.is_some());
        let ty = known.ty.and_then(|ty| self.integer_type(ty)).filter(|_| plain && !self.has_goto)?;
        let events = known.events.clone();
        let checks: Vec<_> = events.iter().map(|e| self.check_after(e)).collect();
        if events.len() > MAX_CHANGES || checks.iter().all(Option::is_none) || self.comes_back() {
            return None;
        }
        let mut cases = Vec::new();
        for (event, check) in events.iter().zip(checks) {
            match check {
                Some(check) => cases.push(self.passes(check, variable, ty, value)?),
                None if self.is_uninitialized(variable, event) => {}
                None => {
                    let given = event.value.filter(|_| event.field.is_none()).and_then(|v| self.constant(v))?;
                    let given = converted(&given, Some(ty)).and_then(|n| n.as_num())?;
                    cases.push(value.eq(&N::num(given)));
                }
            }
        }
        Some(B::or(cases)).filter(|fact| fact.as_lit().is_none())
    }

    /// May control come to the launch past a branch that leaves the function: in a handler, or in a lambda that is called on the way out?
    fn comes_back(&self) -> bool {
        let mut catches = false;
        each_named(self.function, |n| catches |= n.kind() == "catch_clause");
        let mut around = Some(self.launch);
        while let Some(node) = around.filter(|n| *n != self.function && n.kind() != "lambda_expression") {
            around = self.up(node);
        }
        catches || around.is_none_or(|n| n.kind() == "lambda_expression")
    }

    /// The condition of the branch that stands next to a change, and leaves the function.
    fn check_after(&self, event: &Event<'u>) -> Option<Node<'u>> {
        let mut statement = event.node;
        while !matches!(statement.kind(), "expression_statement" | "declaration") {
            statement = self.up(statement).filter(|n| *n != self.function)?;
        }
        let block = self.up(statement).filter(|_| !contains(statement, self.launch))?;
        matches!(block.kind(), "compound_statement" | "case_statement").then_some(())?;
        let mut next = statement.next_named_sibling()?;
        while next.kind() == "comment" {
            next = next.next_named_sibling()?;
        }
        let part = |name: &str| next.child_by_field_name(name);
        let is_check = next.kind() == "if_statement" && part("alternative").is_none() && !contains(next, self.launch);
        let condition = part("condition").filter(|c| is_check && c.child_by_field_name("initializer").is_none())?;
        self.ends(part("consequence")?).then_some(condition)
    }

    /// Does a branch leave the function, whatever happens in it?
    fn ends(&self, branch: Node<'u>) -> bool {
        let all = if branch.kind() == "compound_statement" { listed_in(branch) } else { vec![branch] };
        let Some((last, before)) = all.split_last() else { return false };
        let is_exit = last.kind() == "expression_statement" && self.leaves(*last);
        (last.kind() == "return_statement" || is_exit) && before.iter().all(|s| s.kind() == "expression_statement")
    }

    /// That a check of this variable and constants alone lets this value pass.
    fn passes(&mut self, condition: Node<'u>, variable: usize, ty: IntTy, value: &N) -> Option<B> {
        let inner = condition.child_by_field_name("value").or_else(|| last_named(condition))?;
        let own = self.value_at(variable, &Part::Whole, Some(ty), inner);
        if let Some(constant) = own.as_num() {
            return Some(value.eq(&N::num(constant)));
        }
        let own = own.as_var()?.name.clone();
        let passed = B::not(&self.condition(condition)?);
        free_vars_b(&passed).iter().all(|v| v.name == own).then_some(())?;
        Some(Subst::one(&own, value).boolean(&passed))
    }
}
