//! What a function of the unit puts where an argument points: new memory, or what another one points to. [HOST-OVERLAP]

use tree_sitter::Node;

use super::super::super::unit::{FunDecl, declared_name, each_named, has_child, last_named, split_init};
use super::super::Host;
use super::super::mentions::is_platform;
use super::super::places::listed_in;

impl<'u> Host<'_, 'u> {
    /// The two places whose contents a call exchanges: `swap(x, y)`, and what a function of the unit does with `(x, y)` or
    /// `(&x, &y)`.
    pub(super) fn exchanged(&self, call: Node<'u>) -> Option<[Node<'u>; 2]> {
        let function = call.child_by_field_name("function")?;
        let name = self.callee(function);
        let [a, b] = listed_in(call.child_by_field_name("arguments")?).try_into().ok()?;
        let places = [self.addressed(a), self.addressed(b)];
        let known = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let own = known.iter().filter(|d| d.has_body && d.class.is_none()).collect::<Vec<_>>();
        let is_seen = function.kind() != "field_expression"
            && self.find(name, function).is_none()
            && !self.is_own_method(name, false)
            && self.all_seen(name, 2);
        let all = |sign: &str| is_seen && own.iter().all(|d| self.only_exchanges(d.node, d.declarator, sign));
        let is_named_so = own.is_empty() && name.eq_ignore_ascii_case("swap") && self.find(name, function).is_none();
        match places {
            [Some(a), Some(b)] => (is_named_so || all("*")).then_some([a, b]),
            [None, None] => (is_named_so || all("&")).then_some([a, b]),
            _ => None,
        }
    }

    /// `{ T t = *p; *p = *q; *q = t; }`, and the same of references.
    fn only_exchanges(&self, function: Node<'u>, declarator: Node<'u>, sign: &str) -> bool {
        let list = declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
        let named = |p: &Node<'u>| {
            let declarator = p.child_by_field_name("declarator")?;
            // A pointer may be taken by reference: `T *&p`.
            let text = self.unit.str(declarator);
            let own = text.trim_start_matches(|c: char| sign == "&" && (c == '*' || c.is_whitespace()));
            let is_it = own.starts_with(sign);
            Some(format!(
                "{}{}",
                sign.trim_start_matches('&'),
                self.unit.str(declared_name(declarator).filter(|_| is_it)?)
            ))
        };
        let [Some(a), Some(b)] = &list.iter().map(named).collect::<Vec<_>>()[..] else { return false };
        let mut statements = function.child_by_field_name("body").map(listed_in).unwrap_or_default();
        if statements.last().is_some_and(|last| last.kind() == "return_statement" && last.named_child_count() == 0) {
            statements.pop();
        }
        let text = |n: Node<'u>| {
            let text = self.unit.str(n);
            let moved = text.strip_prefix("std::move(").and_then(|inner| inner.strip_suffix(')'));
            moved.unwrap_or(text).to_owned()
        };
        let assigned = |n: &Node<'u>| {
            let inner = n.named_child(0)?;
            let (to, from) = match n.kind() {
                // What stays from call to call is given its first value once.
                "declaration" if has_child(*n, "storage_class_specifier") => return None,
                "declaration" => split_init(n.child_by_field_name("declarator")?),
                _ if inner.child_by_field_name("operator").is_none_or(|o| self.unit.str(o) != "=") => return None,
                _ => (inner.child_by_field_name("left")?, inner.child_by_field_name("right")),
            };
            Some((text(declared_name(to).filter(|_| n.kind() == "declaration").unwrap_or(to)), text(from?)))
        };
        let [Some(first), Some(second), Some(third)] = &statements.iter().map(assigned).collect::<Vec<_>>()[..] else {
            return false;
        };
        let exchange = |a: &str, b: &str| first.1 == a && *second == (a.to_owned(), b.to_owned()) && third.0 == b;
        first.0 == third.1 && (exchange(a, b) || exchange(b, a))
    }

    /// Does the function that is called put nothing but new memory where its argument at this position points?
    pub(super) fn fills_with_new(&self, call: Node<'u>, at: usize) -> bool {
        let field = |name: &str| call.child_by_field_name(name);
        let (Some(function), Some(arguments)) = (field("function"), field("arguments")) else { return false };
        let name = self.callee(function);
        if function.kind() == "field_expression" || self.find(name, function).is_some() {
            return false;
        }
        let given = listed_in(arguments).len();
        if !self.all_seen(name, given) {
            return false;
        }
        let seen = self.taking(name, given).filter(|d| d.has_body).collect::<Vec<_>>();
        let parameters = |declarator: Node<'u>| declarator.child_by_field_name("parameters").map(listed_in);
        let fills = |body: Node<'u>, declarator: Node<'u>| {
            let parameter = parameters(declarator).and_then(|p| p.get(at)?.child_by_field_name("declarator"));
            parameter.and_then(declared_name).is_some_and(|name| self.only_makes(body, self.unit.str(name)))
        };
        seen.iter().all(|d| fills(d.node, d.declarator))
    }

    /// The functions of a name with as many parameters.
    fn taking(&self, name: &str, count: usize) -> impl Iterator<Item = &FunDecl<'u>> {
        let list = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let parameters = |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map(listed_in);
        list.iter().filter(move |d| parameters(d).is_some_and(|p| p.len() == count))
    }

    /// Is each of these functions that is declared also defined?
    pub(super) fn all_seen(&self, name: &str, count: usize) -> bool {
        let (seen, declared): (Vec<&FunDecl<'u>>, Vec<_>) = self.taking(name, count).partition(|d| d.has_body);
        let types = |d: &FunDecl<'u>| self.types_taken(d.declarator);
        !seen.is_empty() && declared.iter().all(|d| seen.iter().any(|seen| types(seen) == types(d)))
    }

    /// Are these two declarations of one function, as far as their parameters say?
    pub(super) fn takes_the_same(&self, one: &FunDecl<'u>, other: &FunDecl<'u>) -> bool {
        self.types_taken(one.declarator) == self.types_taken(other.declarator)
    }

    /// The types of parameters, as they are written without the names.
    fn types_taken(&self, declarator: Node<'u>) -> Vec<String> {
        let list = declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
        let text = |p: Node<'u>| {
            let name = p.child_by_field_name("declarator").and_then(declared_name);
            let end = p.child_by_field_name("default_value").map_or(p.end_byte(), |value| value.start_byte());
            let text = |from: usize, to: usize| self.unit.text.get(from..to).unwrap_or("");
            let (before, after) = match name {
                Some(name) => (text(p.start_byte(), name.start_byte()), text(name.end_byte(), end)),
                None => (text(p.start_byte(), end), ""),
            };
            let both = format!("{before}{after}");
            both.chars().filter(|c| !c.is_whitespace() && *c != '=').collect()
        };
        list.into_iter().map(text).collect()
    }

    /// Is what a parameter points to only made by this function, or used as what it is?
    pub(super) fn only_makes(&self, function: Node<'u>, parameter: &str) -> bool {
        let Some(body) = function.child_by_field_name("body") else { return false };
        let mut only = true;
        each_named(body, |n| {
            if n.kind() == "identifier" && self.unit.str(n) == parameter {
                only &= self.makes_or_uses(n);
            }
        });
        only
    }

    fn makes_or_uses(&self, name: Node<'u>) -> bool {
        // `p`, and `*p`
        let (mut inner, mut followed) = (name, false);
        while let Some(outer) = self.up(inner) {
            let field = |name: &str| outer.child_by_field_name(name);
            match outer.kind() {
                "parenthesized_expression" | "cast_expression" => {}
                "pointer_expression" if !followed && self.unit.str(outer).starts_with('*') => followed = true,
                "subscript_expression" if !followed && field("argument") == Some(inner) => followed = true,
                // What the memory holds.
                "subscript_expression" | "pointer_expression" | "field_expression" if followed => {
                    return field("argument") == Some(inner) && !self.unit.str(outer).starts_with('&');
                }
                "assignment_expression" if followed => {
                    return field("left") == Some(inner) && field("right").is_some_and(|value| self.is_new(value));
                }
                "binary_expression" => {
                    return field("operator").is_some_and(|o| ["==", "!=", "&&", "||"].contains(&self.unit.str(o)));
                }
                "unary_expression" | "if_statement" | "condition_clause" | "while_statement" => return true,
                "argument_list" => {
                    let called = self.up(outer).and_then(|call| call.child_by_field_name("function"));
                    let callee = called.map_or("", |f| self.callee(f));
                    let is_own = self.lower.names.functions.contains_key(callee);
                    let makes = callee.to_ascii_lowercase().contains("alloc");
                    return !is_own && (makes || followed && (callee == "free" || is_platform(callee)));
                }
                _ => return false,
            }
            inner = outer;
        }
        false
    }

    /// Is this memory that is made here, or none?
    fn is_new(&self, value: Node<'u>) -> bool {
        let field = |name: &str| value.child_by_field_name(name);
        match value.kind() {
            "parenthesized_expression" => last_named(value).is_some_and(|inner| self.is_new(inner)),
            "cast_expression" => field("value").is_some_and(|inner| self.is_new(inner)),
            "null" => true,
            "new_expression" => value.child_by_field_name("placement").is_none(),
            "call_expression" => {
                let name = field("function").map_or("", |f| self.callee(f));
                matches!(name, "malloc" | "calloc" | "aligned_alloc") && !self.lower.names.functions.contains_key(name)
            }
            _ => false,
        }
    }
}
