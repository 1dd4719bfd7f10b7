//! What a function of the unit puts where an argument points: new memory, or what another one points to. [HOST-OVERLAP]

use tree_sitter::Node;

use super::super::super::unit::{FunDecl, child_of_kind, declared_name, each_named, has_child, last_named, split_init};
use super::super::Host;
use super::super::mentions::is_platform;
use super::super::places::listed_in;
use super::super::returned::Callee;

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
        let is_free = self.find(name, function).is_none() && !self.is_own_method(name, false);
        let is_seen = function.kind() != "field_expression" && is_free && self.all_seen(name, 2);
        let all = |sign: &str| is_seen && own.iter().all(|d| self.only_exchanges(d.node, d.declarator, sign));
        let is_named_so = own.is_empty() && name.eq_ignore_ascii_case("swap") && is_free;
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

    /// Do all functions that a call may call put nothing but new memory where its argument at this position points, or in what
    /// it is a reference to?
    pub(super) fn fills_with_new(&self, call: Node<'u>, at: usize) -> bool {
        let callees = self.all_called(call);
        !callees.is_empty() && callees.iter().all(|callee| self.only_makes(callee, at))
    }

    /// Is that surely done by each call?
    pub(super) fn always_fills(&self, call: Node<'u>, at: usize) -> bool {
        self.all_called(call).iter().all(|callee| {
            let name = callee.parameters.get(at).map_or("", |(name, _)| name);
            let (mut fills, mut leaves) = (None, None);
            each_named(callee.node, |n| {
                if n.kind() == "identifier" && self.unit.str(n) == name && self.is_filled_here(n, callee.node) {
                    fills.get_or_insert(n.start_byte());
                }
                if matches!(n.kind(), "return_statement" | "throw_statement" | "goto_statement") {
                    leaves.get_or_insert(n.end_byte());
                }
            });
            fills.is_some_and(|at| leaves.is_none_or(|left| at < left))
        })
    }

    /// Is new memory put here, in no branch and in no loop?
    fn is_filled_here(&self, name: Node<'u>, function: Node<'u>) -> bool {
        let (mut inner, mut makes) = (name, false);
        while let Some(outer) = self.up(inner).filter(|outer| *outer != function) {
            let is = |name: &str| outer.child_by_field_name(name) == Some(inner);
            match outer.kind() {
                "call_expression" => {
                    let called = outer.child_by_field_name("function").map_or("", |f| self.callee(f));
                    makes |= is("arguments") && called.to_ascii_lowercase().contains("alloc");
                }
                "assignment_expression" => makes |= is("left"),
                "if_statement" if is("condition") => {}
                "binary_expression" if is("left") => {}
                "argument_list"
                | "parenthesized_expression"
                | "cast_expression"
                | "pointer_expression"
                | "condition_clause"
                | "init_declarator"
                | "declaration"
                | "expression_statement"
                | "compound_statement"
                | "return_statement" => {}
                _ => return false,
            }
            inner = outer;
        }
        makes
    }

    /// The functions of a name that take as many arguments.
    fn taking(&self, name: &str, count: usize) -> impl Iterator<Item = &FunDecl<'u>> {
        let list = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let parameters = |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map(listed_in);
        let is_default = |p: &Node<'u>| p.kind().starts_with("optional");
        let takes = move |p: Vec<Node<'u>>| p.len() == count || p.get(count).is_some_and(is_default);
        list.iter().filter(move |d| parameters(d).is_some_and(takes))
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

    /// Is what a parameter points to, or is a reference to, only made by this function, or used as what it is?
    pub(super) fn only_makes(&self, callee: &Callee<'u>, at: usize) -> bool {
        let key = (callee.node.id(), at);
        if let Some(known) = self.seen.borrow().makes.get(&key) {
            return *known;
        }
        let parameter = callee.parameters.get(at).filter(|(name, _)| !name.is_empty());
        let body = callee.node.child_by_field_name("body");
        let only = parameter.zip(body).is_some_and(|((name, parameter), body)| {
            // `T *&p`
            let inner = parameter.child_by_field_name("declarator").filter(|d| d.kind() == "pointer_declarator");
            let inner = inner.and_then(|d| d.child_by_field_name("declarator"));
            let is_object = parameter.child_by_field_name("type").is_some_and(|ty| self.class_of(ty).is_some());
            let is_reference = !is_object
                && inner.is_some_and(|d| {
                    d.kind() == "reference_declarator" && last_named(d).is_some_and(|d| d.kind() == "identifier")
                });
            let mut only = child_of_kind(callee.node, "field_initializer_list").is_none();
            each_named(body, |n| {
                if n.kind() == "identifier" && self.unit.str(n) == *name {
                    only &= self.makes_or_uses(n, is_reference);
                }
            });
            only
        });
        self.seen.borrow_mut().makes.insert(key, only);
        only
    }

    fn makes_or_uses(&self, name: Node<'u>, is_reference: bool) -> bool {
        // `p`, and `*p`
        let (mut inner, mut followed) = (name, is_reference);
        while let Some(outer) = self.up(inner) {
            let field = |name: &str| outer.child_by_field_name(name);
            match outer.kind() {
                "parenthesized_expression" | "cast_expression" => {}
                "pointer_expression" if !followed && self.unit.str(outer).starts_with('*') => followed = true,
                "subscript_expression" if !followed && field("argument") == Some(inner) => followed = true,
                // `&p[i]`
                "pointer_expression" if followed && self.unit.str(outer).starts_with('&') => followed = false,
                // What the memory holds.
                "subscript_expression" | "pointer_expression" | "field_expression" if followed => {
                    return field("argument") == Some(inner) && !self.is_address_of(outer);
                }
                "assignment_expression" if followed => {
                    return field("left") == Some(inner) && field("right").is_some_and(|value| self.is_new(value));
                }
                "binary_expression" => {
                    return field("operator").is_some_and(|o| ["==", "!=", "&&", "||"].contains(&self.unit.str(o)));
                }
                "unary_expression" | "if_statement" | "condition_clause" | "while_statement" => return true,
                "argument_list" => {
                    let call = self.up(outer);
                    if followed && call.is_some_and(|call| has_child(call, "kernel_call_syntax")) {
                        return true;
                    }
                    let called = call.and_then(|call| call.child_by_field_name("function"));
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

    /// Is the address of this taken?
    fn is_address_of(&self, place: Node<'u>) -> bool {
        self.up(place).is_some_and(|up| up.kind() == "pointer_expression" && self.unit.str(up).starts_with('&'))
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
