//! Which pointers an expression may be, and which place it names, in a state of the function. [HOST-OVERLAP]

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::Host;
use super::super::methods::View;
use super::super::places::listed_in;
use super::super::pointers::{OF_DATA, only_casts};
use super::super::returned::Returned;
use super::{
    MAKES, Origin, Pointer, State, each_named, is_part, last_named, listed_subscript, method_of, named, names_of, step,
};

/// How deep expressions are looked into.
const MAX_DEPTH: usize = 100;

/// One question: the state that it is asked in, and what the parts of the expression were found to be. A chain of calls
/// asks for the object of each of them several times.
struct Asked<'s> {
    state: &'s State,
    known: RefCell<FxHashMap<usize, Vec<Pointer>>>,
    depth: Cell<usize>,
}

impl<'s> Asked<'s> {
    fn of(state: &'s State) -> Asked<'s> {
        Asked { state, known: RefCell::default(), depth: Cell::new(0) }
    }
}

impl<'u> Host<'_, 'u> {
    /// The pointers that an expression may be.
    pub(super) fn pointers_of(&self, node: Node<'u>, state: &State) -> Vec<Pointer> {
        self.pointers_asked(node, &Asked::of(state))
    }

    /// The name of a place, where the last references and pointers on the way are followed.
    pub(super) fn place_of(&self, node: Node<'u>, state: &State) -> Option<String> {
        self.place_asked(node, &Asked::of(state))
    }

    fn pointers_asked(&self, node: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        if let Some(known) = asked.known.borrow().get(&node.id()) {
            return known.clone();
        }
        if asked.depth.get() > MAX_DEPTH {
            return vec![Pointer { origin: Origin::Any, steps: None, sure: false }];
        }
        // A lambda that returns itself returns what else it returns.
        asked.known.borrow_mut().insert(node.id(), Vec::new());
        asked.depth.set(asked.depth.get() + 1);
        let mut found: Vec<Pointer> = Vec::new();
        for pointer in self.pointers_of_parts(node, asked) {
            if !found.contains(&pointer) {
                found.push(pointer);
            }
        }
        asked.depth.set(asked.depth.get() - 1);
        asked.known.borrow_mut().insert(node.id(), found.clone());
        found
    }

    /// The same of what it is made of.
    fn pointers_of_parts(&self, node: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        let field = |name: &str| node.child_by_field_name(name);
        let inner = |part: Option<Node<'u>>| part.map_or(Vec::new(), |n| self.pointers_asked(n, asked));
        let text = self.unit.str(node);
        match node.kind() {
            "parenthesized_expression" => inner(last_named(node)),
            "initializer_list" | "argument_list" if node.named_child_count() == 1 => inner(last_named(node)),
            // What an object is made of it may keep.
            "initializer_list" | "argument_list" => self.kept_of(&listed_in(node), asked),
            "parameter_list" => self.kept_of(&names_of(node), asked),
            "cast_expression" => inner(field("value")).into_iter().map(Pointer::cast).collect(),
            "assignment_expression" => inner(field("left")),
            "comma_expression" => inner(field("right")),
            "conditional_expression" => {
                let mut both = inner(field("consequence"));
                both.extend(inner(field("alternative")));
                both
            }
            "binary_expression" if field("operator").is_some_and(|o| matches!(self.unit.str(o), "+" | "-")) => {
                let number = |n: &Node<'u>| {
                    matches!(n.kind(), "number_literal" | "sizeof_expression")
                        || n.kind() == "identifier" && self.is_scalar_place(&self.key(*n))
                };
                let pointer = field("left").filter(|n| !number(n)).or_else(|| field("right"));
                let back = field("operator").is_some_and(|o| self.unit.str(o) == "-");
                let step = field("right").filter(|_| pointer == field("left")).map(|right| step(right, back));
                // An object may have a sum of its own.
                let sign = field("operator").map_or("", |o| self.unit.str(o));
                let is_own = self.said.operators.iter().any(|(name, _)| *name == sign)
                    && pointer
                        .and_then(|p| self.variable_at(p)?.declarator)
                        .is_none_or(|d| d.kind() != "pointer_declarator");
                let step = step.filter(|_| !is_own);
                inner(pointer).into_iter().map(|p| p.with(step.clone())).collect()
            }
            "pointer_expression" if text.starts_with('&') => match field("argument") {
                Some(place) if place.kind() == "subscript_expression" => {
                    let base = place.child_by_field_name("argument");
                    let step = listed_subscript(place).map(|i| step(i, false));
                    inner(base).into_iter().map(|p| p.with(step.clone())).collect()
                }
                Some(place) if place.kind() == "pointer_expression" => inner(place.child_by_field_name("argument")),
                Some(place) => match self.place_asked(place, asked) {
                    Some(place) => {
                        vec![Pointer { origin: Origin::Address(place), steps: Some(Vec::new()), sure: true }]
                    }
                    None => Vec::new(),
                },
                None => Vec::new(),
            },
            "identifier" | "this" if matches!(text, "NULL" | "nullptr") => Vec::new(),
            "subscript_expression" if field("argument").is_some_and(|a| self.is_tensor(a)) => {
                let at = listed_subscript(node).map_or("", |i| self.unit.str(i));
                let row = |p: Pointer| Pointer { origin: Origin::Row(Box::new(p.origin), at.to_owned()), ..p };
                inner(field("argument")).into_iter().map(row).collect()
            }
            "identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "field_expression"
            | "subscript_expression"
            | "pointer_expression" => match self.place_asked(node, asked) {
                Some(place) => self.held(&place, node, asked.state),
                None => vec![named(text)],
            },
            "call_expression" => {
                let Some(function) = field("function") else { return Vec::new() };
                let arguments = field("arguments").map(listed_in).unwrap_or_default();
                let whole = self.unit.str(function);
                let name = whole.split('<').next().unwrap_or(whole);
                let passes = only_casts(name) || matches!(name, "std::move" | "std::forward");
                if self.makes_new(name) {
                    return Vec::new();
                }
                // `[&] { return p; }()`
                if function.kind() == "lambda_expression" {
                    let mut returned = Vec::new();
                    each_named(function, |n| {
                        returned.extend(Some(n).filter(|n| n.kind() == "return_statement").and_then(last_named))
                    });
                    let all = returned.into_iter().flat_map(|value| self.pointers_asked(value, asked));
                    return all.map(|p| Pointer { sure: false, ..p.somewhere() }).collect();
                }
                if let Some((object, view)) = self.viewed(node) {
                    let of = self.pointers_asked(object, asked).into_iter();
                    return match view {
                        View::Same => of.map(Pointer::cast).collect(),
                        View::Perhaps => of.map(|p| Pointer { sure: false, ..p }).collect(),
                        View::Part => of.map(Pointer::somewhere).collect(),
                    };
                }
                match arguments.as_slice() {
                    [only] if passes => self.pointers_asked(*only, asked).into_iter().map(Pointer::cast).collect(),
                    [] if function.kind() == "field_expression" || text.contains('.') || text.contains("->") => {
                        let (object, method) = match method_of(function) {
                            Some((object, method)) => (object, self.unit.str(method)),
                            None => return vec![Pointer { sure: false, ..named(text) }],
                        };
                        let method = method.split('<').next().unwrap_or(method);
                        match OF_DATA.contains(&method) {
                            true => self.pointers_asked(object, asked),
                            false => {
                                let mut all = vec![Pointer { sure: false, ..named(text) }];
                                all.extend(self.pointers_returned(function, &[], asked));
                                all
                            }
                        }
                    }
                    _ if name.to_ascii_lowercase().contains("alloc") => Vec::new(),
                    _ => {
                        let mut all = vec![Pointer { sure: false, ..named(text) }];
                        all.extend(self.pointers_returned(function, &arguments, asked));
                        // What a library makes of pointers may be, or hold, one of them: `std::next(p)`, `std::make_pair(p, q)`.
                        let of_library = ["std::", "thrust::", "cuda::std::"].iter().any(|ns| name.starts_with(ns));
                        if of_library || self.class_of(function).is_some() {
                            all.extend(self.kept_of(&arguments, asked));
                        }
                        all
                    }
                }
            }
            // `p++`, `({ p; })`
            "update_expression" => inner(field("argument")).into_iter().map(Pointer::somewhere).collect(),
            "compound_statement" | "expression_statement" => inner(last_named(node)),
            kind if MAKES.contains(&kind) => Vec::new(),
            _ => vec![Pointer { sure: false, ..named(text) }],
        }
    }

    /// The pointers among what an object is made of.
    fn kept_of(&self, arguments: &[Node<'u>], asked: &Asked) -> Vec<Pointer> {
        let given = arguments.iter().filter(|argument| self.is_pointer(**argument));
        let all = given.flat_map(|argument| self.pointers_asked(*argument, asked));
        all.map(|p| Pointer { sure: false, ..p.somewhere() }).collect()
    }

    /// What a function of the unit may return of what it is given, and of its object.
    fn pointers_returned(&self, function: Node<'u>, arguments: &[Node<'u>], asked: &Asked) -> Vec<Pointer> {
        let object = method_of(function).map(|(object, _)| object).filter(|object| object.kind() != "this");
        let at = |prefix: String, part: &str| self.held(&format!("{prefix}.{part}"), function, asked.state);
        let mut all = Vec::new();
        for returned in self.returned_by(function).iter().copied() {
            let given = |at: usize| arguments.get(at).copied();
            all.extend(match returned {
                Returned::Parameter(at) => given(at).map_or(Vec::new(), |a| self.pointers_asked(a, asked)),
                Returned::Part(i, part) => {
                    let place = given(i).and_then(|a| self.place_asked(a, asked));
                    // A pointer to the object may be the address of it.
                    let pointer = given(i).filter(|a| a.kind() == "pointer_expression");
                    let pointer = pointer.and_then(|a| self.place_asked(a.child_by_field_name("argument")?, asked));
                    place.or(pointer).map_or(Vec::new(), |place| at(place, part))
                }
                Returned::Value(value) => self.pointers_asked(value, asked),
                Returned::Member(part, only) => match object {
                    Some(object) => {
                        let whole = self.pointers_asked(object, asked);
                        let place = self.place_asked(object, asked);
                        let member = place.map_or(Vec::new(), |place| at(place, part));
                        member.into_iter().chain(whole.into_iter().filter(|_| only)).collect()
                    }
                    None => self.held(part, function, asked.state),
                },
            });
        }
        all.into_iter().map(|p| Pointer { sure: false, ..p }).collect()
    }

    /// What a place holds.
    pub(super) fn held(&self, place: &str, node: Node<'u>, state: &State) -> Vec<Pointer> {
        if let Some(known) = state.get(place) {
            let doubtful = self.names_doubtful(node);
            return vec![if doubtful { known.clone().somewhere() } else { known.clone() }];
        }
        // An element of an array whose elements are followed, at a subscript that is not a number.
        if node.kind() == "subscript_expression"
            && let Some((array, subscript)) = place.strip_suffix(']').and_then(|p| p.rsplit_once('['))
            && subscript.parse::<usize>().is_err()
            && state.keys().any(|other| is_part(other, array))
        {
            let origin = Origin::Element(array.to_owned(), subscript.to_owned());
            return vec![Pointer { origin, steps: Some(Vec::new()), sure: true }];
        }
        let object = place.rsplit_once('.').map(|(object, field)| (state.get(object), field));
        if let Some((Some(any @ Pointer { origin: Origin::Any, .. }), _)) = object {
            return vec![any.clone()];
        }
        // A field of an object that is a copy of another one.
        if let Some((Some(pointer @ Pointer { origin: Origin::Named(from), sure, .. }), field)) = object {
            // One that was made of a pointer, as a pair is.
            if self.is_pointer_place(from) {
                return vec![pointer.clone()];
            }
            return vec![Pointer { sure: *sure, ..named(&format!("{from}.{field}")) }];
        }
        vec![named(place)]
    }

    /// Does this name a variable that may change where nothing says so?
    pub(super) fn names_doubtful(&self, node: Node<'u>) -> bool {
        let doubtful = node.kind() == "identifier"
            && self.variable_at(node).is_some_and(|v| v.is_wild || v.is_remote || v.escapes.is_some());
        doubtful || listed_in(node).into_iter().any(|inner| self.names_doubtful(inner))
    }

    fn place_asked(&self, node: Node<'u>, asked: &Asked) -> Option<String> {
        match node.kind() {
            "identifier" | "type_identifier" => {
                let key = self.key(node);
                // A reference is another name.
                Some(match asked.state.get(&key) {
                    Some(Pointer { origin: Origin::Reference(target), .. }) => target.clone(),
                    _ => key,
                })
            }
            "qualified_identifier" => Some(self.unit.str(node).to_owned()),
            "parenthesized_expression" => self.place_asked(last_named(node)?, asked),
            "field_expression" => {
                let (object, field) = (node.child_by_field_name("argument")?, node.child_by_field_name("field")?);
                let field = self.unit.str(field);
                if object.kind() == "this" {
                    return Some(field.to_owned());
                }
                Some(format!("{}.{field}", self.place_asked(object, asked)?))
            }
            "subscript_expression" => {
                let array = self.place_asked(node.child_by_field_name("argument")?, asked)?;
                Some(format!("{array}[{}]", self.unit.str(listed_subscript(node)?)))
            }
            "pointer_expression" if self.unit.str(node).starts_with('*') => {
                let pointers = self.pointers_asked(node.child_by_field_name("argument")?, asked);
                match pointers.as_slice() {
                    [Pointer { origin: Origin::Address(place), .. }] => Some(place.clone()),
                    [Pointer { origin: Origin::Named(name), steps: Some(steps), .. }] if steps.is_empty() => {
                        Some(format!("{name}[0]"))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
