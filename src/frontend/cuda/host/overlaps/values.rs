//! Which pointers an expression may be, and which place it names, in a state of the function. [HOST-OVERLAP]

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::super::unit::is_reference;
use super::super::Host;
use super::super::methods::View;
use super::super::outside::is_arrow;
use super::super::places::listed_in;
use super::super::pointers::{OF_DATA, only_casts};
use super::super::returned::Returned;
use super::{
    MAKES, Origin, Pointer, State, Step, each_named, is_part, last_named, listed_subscript, method_of, named, names_of,
    step,
};

/// How deep expressions are looked into.
const MAX_DEPTH: usize = 100;

/// One question: the state that it is asked in, and what the parts of the expression were found to be. A chain of calls
/// asks for the object of each of them several times.
struct Asked<'s> {
    state: &'s State,
    pointers: RefCell<FxHashMap<usize, Vec<Pointer>>>,
    places: RefCell<FxHashMap<usize, Vec<Place>>>,
    depth: Cell<usize>,
}

/// What an expression names: a variable, what a pointer points to, `p[0]`, or a member or an element of that. The names of
/// variables are those that they have at first: where a pointer has another value by now, what it points to has the name by
/// that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub name: String,
    /// Is it surely that, and no other one at another time?
    pub sure: bool,
}

/// What integers are made of by these is no pointer, but for one that was made an integer.
const ARITHMETIC: [&str; 8] = ["*", "/", "%", "&", "|", "^", "<<", ">>"];

/// It may be any place.
const ANY: &str = "?";

impl<'s> Asked<'s> {
    fn of(state: &'s State) -> Asked<'s> {
        Asked { state, pointers: RefCell::default(), places: RefCell::default(), depth: Cell::new(0) }
    }
}

impl Asked<'_> {
    /// The answer for a node, which is found once.
    fn once<T: Clone + PartialEq>(
        &self,
        known: &RefCell<FxHashMap<usize, Vec<T>>>,
        node: Node,
        any: impl Fn() -> Vec<T>,
        find: impl Fn() -> Vec<T>,
    ) -> Vec<T> {
        if let Some(known) = known.borrow().get(&node.id()) {
            return known.clone();
        }
        if self.depth.get() > MAX_DEPTH {
            return any();
        }
        // A lambda that returns itself returns what else it returns.
        known.borrow_mut().insert(node.id(), Vec::new());
        self.depth.set(self.depth.get() + 1);
        let mut found: Vec<T> = Vec::new();
        for one in find() {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        self.depth.set(self.depth.get() - 1);
        known.borrow_mut().insert(node.id(), found.clone());
        found
    }
}

impl<'u> Host<'_, 'u> {
    /// The pointers that an expression may be.
    pub(super) fn pointers_of(&self, node: Node<'u>, state: &State) -> Vec<Pointer> {
        self.pointers_asked(node, &Asked::of(state))
    }

    /// The place that an expression surely names.
    pub(super) fn place_of(&self, node: Node<'u>, state: &State) -> Option<String> {
        match self.places_of(node, state).as_slice() {
            [only] if only.sure => Some(only.name.clone()),
            _ => None,
        }
    }

    /// The places that an expression may name.
    pub(super) fn places_of(&self, node: Node<'u>, state: &State) -> Vec<Place> {
        self.places_asked(node, &Asked::of(state))
    }

    /// The places that a pointer may point to.
    pub(super) fn places_behind(&self, pointer: Node<'u>, state: &State) -> Vec<Place> {
        self.pointed_to(pointer, &Asked::of(state))
    }

    fn pointers_asked(&self, node: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        let any = || vec![Pointer { origin: Origin::Any, steps: None, sure: false }];
        asked.once(&asked.pointers, node, any, || self.pointers_of_parts(node, asked))
    }

    fn places_asked(&self, node: Node<'u>, asked: &Asked) -> Vec<Place> {
        let any = || vec![Place { name: ANY.to_owned(), sure: false }];
        asked.once(&asked.places, node, any, || self.places_of_parts(node, asked))
    }

    /// The same of what it is made of.
    fn pointers_of_parts(&self, node: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        let field = |name: &str| node.child_by_field_name(name);
        let inner = |part: Option<Node<'u>>| part.map_or(Vec::new(), |n| self.pointers_asked(n, asked));
        let text = self.unit.str(node);
        match node.kind() {
            "parenthesized_expression" => inner(last_named(node)),
            "initializer_list" | "argument_list" if node.named_child_count() == 1 => {
                inner(last_named(node).filter(|only| !self.names_number(*only)))
            }
            // What an object is made of it may keep.
            "initializer_list" | "argument_list" => self.kept_of(&listed_in(node), asked),
            "parameter_list" => self.kept_of(&names_of(node), asked),
            "compound_literal_expression" => field("value").map_or(Vec::new(), |l| self.kept_of(&listed_in(l), asked)),
            "cast_expression" => inner(field("value")).into_iter().map(Pointer::cast).collect(),
            "assignment_expression" => inner(field("left")),
            "comma_expression" => inner(field("right")),
            "conditional_expression" => match self.chosen(node, asked.state) {
                Some(taken) => inner(field(if taken { "consequence" } else { "alternative" })),
                None => {
                    let mut both = inner(field("consequence"));
                    both.extend(inner(field("alternative")));
                    both
                }
            },
            "binary_expression" if field("operator").is_some_and(|o| matches!(self.unit.str(o), "+" | "-")) => {
                let behind = field("right").is_some_and(|n| self.is_pointer(n))
                    && field("left").is_some_and(|n| !self.is_pointer(n));
                let pointer = field("left").filter(|n| !behind && !self.names_number(*n)).or_else(|| field("right"));
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
            // The number of an address that is rounded, say.
            "binary_expression" if field("operator").is_some_and(|o| ARITHMETIC.contains(&self.unit.str(o))) => {
                let parts = [field("left"), field("right")].into_iter().flatten().filter(|n| !self.names_number(*n));
                let all = parts.flat_map(|part| self.pointers_asked(part, asked));
                all.map(|p| Pointer { sure: false, ..p.somewhere() }).collect()
            }
            "pointer_expression" if text.starts_with('&') => match field("argument").map(without_parentheses) {
                Some(place) if place.kind() == "subscript_expression" => {
                    let base = place.child_by_field_name("argument");
                    let step = listed_subscript(place).map(|i| step(i, false));
                    inner(base).into_iter().map(|p| p.with(step.clone())).collect()
                }
                Some(place) if place.kind() == "pointer_expression" && self.unit.str(place).starts_with('*') => {
                    inner(place.child_by_field_name("argument"))
                }
                Some(place) => self.places_asked(place, asked).into_iter().map(address_of).collect(),
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
            | "pointer_expression" => match self.places_asked(node, asked) {
                places if places.is_empty() => vec![named(text)],
                places => places.iter().flat_map(|place| self.held_in(place, node, asked)).collect(),
            },
            "call_expression" => {
                let Some(function) = field("function") else { return Vec::new() };
                let arguments = field("arguments").map(listed_in).unwrap_or_default();
                let whole = self.unit.str(function);
                let name = whole.split('<').next().unwrap_or(whole);
                let passes = only_casts(name) || matches!(name, "std::move" | "std::forward");
                if self.makes_new(name) || self.returns_new(node) {
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
                    [only] if matches!(name, "std::addressof" | "addressof") => {
                        self.places_asked(*only, asked).into_iter().map(address_of).collect()
                    }
                    [only] if passes => self.pointers_asked(*only, asked).into_iter().map(Pointer::cast).collect(),
                    [] if function.kind() == "field_expression" || text.contains('.') || text.contains("->") => {
                        let (object, method) = match method_of(function) {
                            Some((object, method)) => (object, self.unit.str(method)),
                            None => return vec![Pointer { sure: false, ..named(text) }],
                        };
                        let method = method.split('<').next().unwrap_or(method);
                        // So is where a container begins.
                        let begins = matches!(method, "begin" | "cbegin") && self.is_container(object);
                        let is_data = OF_DATA.contains(&method) || begins;
                        // What a getter returns is a member.
                        if is_data && self.only_returns(node) {
                            let returned = self.returned_by(function);
                            if let [Returned::Member { path, address: false, of_unit: false, .. }] = &returned[..] {
                                let objects = match is_arrow(self.unit.str(function), object, function) {
                                    true => self.pointed_to(object, asked),
                                    false => self.places_asked(object, asked),
                                };
                                let part = |place: Place| Place { name: part_of(&place.name, path), ..place };
                                let parts: Vec<Place> = objects.into_iter().map(part).collect();
                                return parts.iter().flat_map(|place| self.held_in(place, node, asked)).collect();
                            }
                        }
                        if is_data
                            && self.class_at(object, is_arrow(self.unit.str(function), object, function), 0).is_some()
                        {
                            return self.pointers_asked(object, asked);
                        }
                        let mut all = match is_data {
                            true => self.pointers_asked(object, asked),
                            false => vec![Pointer { sure: false, ..named(text) }],
                        };
                        all.extend(self.pointers_returned(function, &[], asked));
                        all.extend(self.held_in_element(node, asked));
                        all
                    }
                    _ if name.to_ascii_lowercase().contains("alloc")
                        && self.returned_by(function).is_empty()
                        && self.callees(function).iter().all(|own| self.may_allocate(own.node)) =>
                    {
                        Vec::new()
                    }
                    _ => {
                        let mut all = vec![Pointer { sure: false, ..named(text) }];
                        all.extend(self.pointers_returned(function, &arguments, asked));
                        all.extend(self.held_in_element(node, asked));
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

    /// Is there anything in a function that allocates, by its name?
    fn may_allocate(&self, function: Node<'u>) -> bool {
        let Some(body) = function.child_by_field_name("body") else { return true };
        let text = self.unit.str(body).to_ascii_lowercase();
        text.contains("alloc") || text.contains("new ")
    }

    /// The pointers that an object which is made by `new` may keep.
    pub(super) fn kept_by_new(&self, value: Node<'u>, state: &State) -> Vec<Pointer> {
        let arguments = value.child_by_field_name("arguments").filter(|_| value.kind() == "new_expression");
        arguments.map_or(Vec::new(), |list| self.kept_of(&listed_in(list), &Asked::of(state)))
    }

    /// The pointers among what an object is made of.
    fn kept_of(&self, arguments: &[Node<'u>], asked: &Asked) -> Vec<Pointer> {
        let is_list = |n: &Node<'u>| n.kind() == "initializer_list";
        let given = arguments.iter().filter(|argument| self.may_be_pointer(**argument) || is_list(argument));
        let all = given.flat_map(|argument| self.pointers_asked(*argument, asked));
        all.map(|p| Pointer { sure: false, ..p.somewhere() }).collect()
    }

    /// What a function of the unit may return of what it is given, and of its object.
    fn pointers_returned(&self, function: Node<'u>, arguments: &[Node<'u>], asked: &Asked) -> Vec<Pointer> {
        let object = object_of(function);
        let mut all = Vec::new();
        for returned in self.returned_by(function).iter() {
            let held = |places: Vec<Place>, address: bool| -> Vec<Pointer> {
                let each = places.into_iter().map(|place| match address {
                    true => vec![address_of(place)],
                    false => self.held_in(&place, function, asked),
                });
                each.flatten().collect()
            };
            all.extend(match returned {
                Returned::Parameter(at) => {
                    arguments.get(*at).map_or(Vec::new(), |argument| self.pointers_asked(*argument, asked))
                }
                Returned::Holder(at) => {
                    let all = arguments.get(*at).map_or(Vec::new(), |argument| self.pointers_asked(*argument, asked));
                    all.into_iter().map(Pointer::somewhere).collect()
                }
                Returned::Value(value) => self.pointers_asked(*value, asked),
                Returned::Part { address, .. } => {
                    held(self.places_returned(returned, function, arguments, asked), *address)
                }
                Returned::Member { address, only, .. } => {
                    let mut all = held(self.places_returned(returned, function, arguments, asked), *address);
                    all.extend(
                        object.filter(|_| *only).map_or(Vec::new(), |object| self.pointers_asked(object, asked)),
                    );
                    all
                }
            });
        }
        all.into_iter().map(|p| Pointer { sure: false, ..p }).collect()
    }

    /// The place that a function returns, or whose address it returns.
    fn places_returned(
        &self,
        returned: &Returned<'u>,
        function: Node<'u>,
        arguments: &[Node<'u>],
        asked: &Asked,
    ) -> Vec<Place> {
        let (places, path) = match returned {
            Returned::Parameter(at) | Returned::Holder(at) => (self.places_given(*at, "", arguments, asked), ""),
            Returned::Value(value) => (self.places_asked(*value, asked), ""),
            Returned::Part { of, path, .. } => {
                let places = self.places_given(*of, path, arguments, asked);
                (places, path.strip_prefix("[0]").unwrap_or(path))
            }
            Returned::Member { path, of_unit, .. } => match object_of(function).filter(|_| !of_unit) {
                Some(object) if is_arrow(self.unit.str(function), object, function) => {
                    (self.pointed_to(object, asked), path.as_str())
                }
                Some(object) => (self.places_asked(object, asked), path.as_str()),
                None => (vec![Place { name: THIS.to_owned(), sure: true }], path.as_str()),
            },
        };
        let given = arguments.iter().enumerate().filter(|_| path.contains('$'));
        let path = given.fold(path.to_owned(), |path, (at, argument)| {
            path.replace(&format!("[${at}]"), &format!("[{}]", self.unit.str(*argument)))
        });
        places.into_iter().map(|place| Place { name: part_of(&place.name, &path), sure: false }).collect()
    }

    /// What an argument is, or points to where the path of a part goes on from there.
    fn places_given(&self, at: usize, path: &str, arguments: &[Node<'u>], asked: &Asked) -> Vec<Place> {
        let Some(argument) = arguments.get(at).copied() else { return Vec::new() };
        if path.starts_with("[0]") { self.pointed_to(argument, asked) } else { self.places_asked(argument, asked) }
    }

    /// What a place holds.
    pub(super) fn held(&self, place: &str, node: Node<'u>, state: &State) -> Vec<Pointer> {
        if place.starts_with(ANY) {
            return vec![Pointer { origin: Origin::Any, steps: None, sure: false }];
        }
        if let Some(known) = state.get(place) {
            let doubtful = self.names_doubtful(node);
            let all = known.alternatives().into_iter();
            return all.map(|p| if doubtful { p.somewhere() } else { p }).collect();
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
        // A part of an object that is a copy of another one.
        let mut object = place;
        while let Some(at) = object.rfind(['.', '[']) {
            object = &object[..at];
            let rest = &place[at..];
            if let Some(known) = state.get(object) {
                return known.alternatives().iter().map(|p| self.part_held(p, place, rest)).collect();
            }
        }
        vec![named(place)]
    }

    /// What a part of an object is that is a copy of what a pointer stands for.
    fn part_held(&self, object: &Pointer, place: &str, rest: &str) -> Pointer {
        match &object.origin {
            Origin::Any => object.clone(),
            _ if rest.starts_with('[') && object.steps.is_some() => named(place),
            // One that was made of a pointer, as a pair is.
            Origin::Named(from) if self.is_pointer_place(from) => object.clone(),
            Origin::Named(from) => Pointer { sure: object.sure, ..named(&part_of(from, rest)) },
            // One that holds what was made; an object that was made elsewhere.
            Origin::Made(..) if object.steps.is_none() => object.clone(),
            Origin::Made(at, earlier) => {
                let name = format!("{}{rest}", made_name(*at, *earlier));
                Pointer { sure: object.sure && !earlier, ..named(&name) }
            }
            _ => named(place),
        }
    }

    fn held_in(&self, place: &Place, node: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        let all = self.held(&place.name, node, asked.state).into_iter();
        all.map(|p| Pointer { sure: p.sure && place.sure, ..p }).collect()
    }

    /// Is this surely a number, and none that an address was made?
    pub(super) fn names_number(&self, node: Node<'u>) -> bool {
        match node.kind() {
            "number_literal" | "sizeof_expression" | "char_literal" | "true" | "false" => true,
            "identifier" => self.is_scalar_place(&self.key(node)),
            "parenthesized_expression" => last_named(node).is_some_and(|inner| self.names_number(inner)),
            "unary_expression" => node.child_by_field_name("argument").is_some_and(|inner| self.names_number(inner)),
            "binary_expression" => {
                let part = |name: &str| node.child_by_field_name(name).is_some_and(|inner| self.names_number(inner));
                part("left") && part("right")
            }
            "cast_expression" => {
                let field = |name: &str| node.child_by_field_name(name);
                let is_pointer = field("type").is_none_or(|ty| self.unit.str(ty).contains('*'));
                !is_pointer && field("value").is_some_and(|inner| self.names_number(inner))
            }
            // A member that is an integer, and the size of a container.
            "field_expression" => {
                let field = |name: &str| node.child_by_field_name(name);
                let object = field("argument").filter(|a| a.kind() == "identifier");
                let object = object.and_then(|a| self.find(self.unit.str(a), a));
                let ty = object.zip(field("field")).and_then(|(of, name)| self.field_type(of, self.unit.str(name)));
                // A wide one may be an address.
                ty.is_some_and(|ty| ty.bits <= 32)
            }
            "call_expression" => self.method_type(node).is_some(),
            _ => false,
        }
    }

    /// Does this name a variable that may change where nothing says so?
    pub(super) fn names_doubtful(&self, node: Node<'u>) -> bool {
        let doubtful = node.kind() == "identifier"
            && self.variable_at(node).is_some_and(|v| v.is_wild || v.is_remote || v.escapes.is_some());
        doubtful || listed_in(node).into_iter().any(|inner| self.names_doubtful(inner))
    }

    fn places_of_parts(&self, node: Node<'u>, asked: &Asked) -> Vec<Place> {
        let field = |name: &str| node.child_by_field_name(name);
        let inner = |part: Option<Node<'u>>| part.map_or(Vec::new(), |n| self.places_asked(n, asked));
        let sure = |name: String| vec![Place { name, sure: true }];
        match node.kind() {
            "identifier" | "type_identifier" => {
                let key = self.key(node);
                // A reference is another name.
                let known = asked.state.get(&key).map_or(Vec::new(), Pointer::alternatives);
                let of = known.into_iter().filter_map(|p| match p.origin {
                    Origin::Reference(name) => Some(Place { name, sure: p.sure }),
                    Origin::Any => Some(Place { name: ANY.to_owned(), sure: false }),
                    _ => None,
                });
                let of: Vec<Place> = of.filter(|place| place.name != ANY || self.is_reference(node)).collect();
                if of.is_empty() { sure(key) } else { of }
            }
            "qualified_identifier" => sure(self.unit.str(node).to_owned()),
            "parenthesized_expression" => inner(last_named(node)),
            "argument_list" | "initializer_list" if node.named_child_count() == 1 => inner(last_named(node)),
            "conditional_expression" => {
                let mut both = inner(field("consequence"));
                both.extend(inner(field("alternative")));
                both.into_iter().map(|place| Place { sure: false, ..place }).collect()
            }
            "field_expression" => {
                let (Some(object), Some(field)) = (field("argument"), field("field")) else { return Vec::new() };
                let name = self.unit.str(field);
                if object.kind() == "this" {
                    return sure(name.to_owned());
                }
                let objects = match is_arrow(self.unit.str(node), object, node) {
                    true => self.pointed_to(object, asked),
                    false => self.places_asked(object, asked),
                };
                let part = |place: Place| Place { name: part_of(&place.name, &format!(".{name}")), ..place };
                objects.into_iter().map(part).collect()
            }
            "subscript_expression" => {
                let (Some(array), Some(at)) = (field("argument"), listed_subscript(node)) else { return Vec::new() };
                self.elements(array, self.unit.str(at), node, asked)
            }
            "pointer_expression" if self.unit.str(node).starts_with('*') => {
                field("argument").map_or(Vec::new(), |pointer| self.pointed_to(pointer, asked))
            }
            // What it returns, and what stands for it.
            "call_expression" => {
                let Some(function) = field("function") else { return Vec::new() };
                let arguments = field("arguments").map(listed_in).unwrap_or_default();
                let name = self.unit.str(function);
                let name = name.split('<').next().unwrap_or(name);
                if let ([only], true) =
                    (arguments.as_slice(), matches!(name, "std::move" | "std::forward" | "std::ref"))
                {
                    return self.places_asked(*only, asked);
                }
                let returned = self.returned_by(function);
                let of = returned.iter().filter(|r| !r.is_address());
                let mut all: Vec<Place> =
                    of.flat_map(|r| self.places_returned(r, function, &arguments, asked)).collect();
                all.push(Place { name: self.unit.str(node).to_owned(), sure: false });
                all.extend(self.element_called(node, asked));
                all
            }
            _ => Vec::new(),
        }
    }

    /// What an expression points to.
    fn pointed_to(&self, pointer: Node<'u>, asked: &Asked) -> Vec<Place> {
        let mut all = Vec::new();
        for known in self.pointers_asked(pointer, asked) {
            let sure = known.sure && known.steps.is_some();
            let at_start = known.steps.as_ref().is_some_and(Vec::is_empty);
            let of = |name: &str| Place { name: format!("{name}{}", self.subscript(&known, pointer)), sure };
            match &known.origin {
                Origin::Address(name) => all.push(Place { name: name.clone(), sure: sure && at_start }),
                Origin::Named(name) => all.push(of(name)),
                Origin::Element(array, at) => all.push(of(&format!("{array}[{at}]"))),
                Origin::Any => all.push(Place { name: ANY.to_owned(), sure: false }),
                Origin::Made(at, earlier) => {
                    let place = of(&made_name(*at, *earlier));
                    all.push(Place { sure: place.sure && !earlier, ..place });
                }
                Origin::Reference(_) | Origin::Row(..) | Origin::Several(_) | Origin::Truth(_) => {
                    let places = self.places_asked(pointer, asked).into_iter();
                    all.extend(places.map(|place| Place { name: format!("{}[0]", place.name), ..place }));
                }
            }
        }
        all
    }

    /// The element that a method of a container returns: `v.front()`, `v.at(i)`.
    fn element_called(&self, call: Node<'u>, asked: &Asked) -> Vec<Place> {
        let Some((object, method)) = call.child_by_field_name("function").and_then(method_of) else {
            return Vec::new();
        };
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let all = match (self.unit.str(method), arguments.as_slice()) {
            ("front", []) => self.elements(object, "0", call, asked),
            ("back" | "top", []) => self.elements(object, &format!("*{}", self.unit.str(method)), call, asked),
            ("at", [at]) => self.elements(object, self.unit.str(*at), call, asked),
            _ => Vec::new(),
        };
        all.into_iter().map(|place| Place { sure: false, ..place }).collect()
    }

    fn held_in_element(&self, call: Node<'u>, asked: &Asked) -> Vec<Pointer> {
        let places = self.element_called(call, asked);
        places.iter().flat_map(|place| self.held_in(place, call, asked)).collect()
    }

    /// The elements that a subscript means.
    fn elements(&self, array: Node<'u>, at: &str, node: Node<'u>, asked: &Asked) -> Vec<Place> {
        let mut all = Vec::new();
        // Elements that are what an operator of the class returns may be one, whatever the subscripts.
        let class = self.class_at(array, false, 0);
        let any = format!("*{at}");
        let at = if class.is_some_and(|c| !self.methods_named(c, "operator[]").is_empty()) { &any } else { at };
        for place in self.places_asked(array, asked) {
            let own = Place { name: format!("{}[{at}]", place.name), ..place.clone() };
            let known = asked.state.get(&place.name).map_or(Vec::new(), Pointer::alternatives);
            if known.is_empty() {
                all.push(own.clone());
            }
            for known in known {
                let sure = place.sure && known.sure && known.steps.is_some();
                let at_start = known.steps.as_ref().is_some_and(Vec::is_empty);
                match &known.origin {
                    Origin::Named(name) if at_start => all.push(Place { name: format!("{name}[{at}]"), sure }),
                    Origin::Named(name) => {
                        all.push(Place { name: format!("{name}[*{}]", self.unit.str(node)), sure });
                        // It may be a container that was made of pointers.
                        all.extend(Some(own.clone()).filter(|_| known.steps.is_none()));
                    }
                    Origin::Address(name) if at == "0" => {
                        all.push(Place { name: name.clone(), sure: sure && at_start })
                    }
                    Origin::Made(made, earlier) if at_start => {
                        let name = format!("{}[{at}]", made_name(*made, *earlier));
                        all.push(Place { name, sure: sure && !earlier });
                    }
                    Origin::Any => all.push(Place { name: ANY.to_owned(), sure: false }),
                    _ => all.push(own.clone()),
                }
            }
        }
        all
    }

    /// Is this the name of a reference?
    fn is_reference(&self, name: Node<'u>) -> bool {
        self.variable_at(name).and_then(|v| v.declarator).is_some_and(is_reference)
    }

    /// Which element of an array a pointer points to, as a subscript.
    fn subscript(&self, pointer: &Pointer, node: Node<'u>) -> String {
        let text = |step: &Step| if step.one { "1" } else { &self.unit.text[step.at.0..step.at.1] };
        match pointer.steps.as_deref() {
            Some([]) => "[0]".to_owned(),
            Some([step]) if !step.back => format!("[{}]", text(step)),
            Some(steps) => {
                let signed = steps.iter().map(|step| format!("{} {}", if step.back { "-" } else { "+" }, text(step)));
                format!("[{}]", signed.collect::<Vec<_>>().join(" "))
            }
            None => format!("[*{}]", self.unit.str(node)),
        }
    }
}

/// What a method is called with where its object is not named: that of the function.
pub(super) const THIS: &str = "this[0]";

/// The object of a method, but for that of the function.
fn object_of(function: Node<'_>) -> Option<Node<'_>> {
    method_of(function).map(|(object, _)| object).filter(|object| object.kind() != "this")
}

/// A part of an object; members of the object of the function go by their own names.
fn part_of(object: &str, path: &str) -> String {
    match path.strip_prefix('.').filter(|_| object == THIS) {
        Some(member) => member.to_owned(),
        None => format!("{object}{path}"),
    }
}

/// The name of what was made at a node, or in an earlier round there.
pub(super) fn made_name(at: usize, earlier: bool) -> String {
    format!("new <{at}{}>", if earlier { " before" } else { "" })
}

/// The address of a place: of `p[0]`, that is `p`.
fn address_of(place: Place) -> Pointer {
    let Place { name, sure } = place;
    let origin = match name.strip_suffix("[0]") {
        _ if name.starts_with(ANY) => Origin::Any,
        Some(pointer) if !pointer.starts_with("new ") => Origin::Named(pointer.to_owned()),
        _ => Origin::Address(name),
    };
    Pointer { origin, steps: Some(Vec::new()), sure }
}

fn without_parentheses(node: Node<'_>) -> Node<'_> {
    let inner = if node.kind() == "parenthesized_expression" { last_named(node) } else { None };
    inner.map_or(node, without_parentheses)
}
