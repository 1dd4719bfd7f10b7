//! What a call may put into the places that it can change: one of the pointers that it is given. [HOST-OVERLAP]

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::super::unit::{FunDecl, child_of_kind, declared_name, each_named, has_child, last_named};
use super::super::Host;
use super::super::mentions::{BY_VALUE, is_platform};
use super::super::outside::is_arrow;
use super::super::places::listed_in;
use super::super::pointers::{OF_DATA, only_casts};
use super::super::returned::Callee;
use super::{Pointer, State, is_part, method_of, named, names_of};

/// Functions that are followed, each called by the one before.
const MAX_CALLS: usize = 4;
/// Functions that are asked what they assign to.
const MOST_FUNCTIONS: usize = 64;

/// What was found of the functions that are called, by their nodes.
#[derive(Default)]
pub struct Seen<'u> {
    /// The names that they assign to.
    assigned: FxHashMap<usize, Rc<[&'u str]>>,
    /// What they do with an argument, or the address of one.
    uses: FxHashMap<(usize, usize, bool), Uses>,
}

/// What a function does with a pointer that it is given.
#[derive(Clone, PartialEq, Eq)]
enum Uses {
    /// It reads and writes what that points to, or puts it into members or variables of these names.
    Into(BTreeSet<String>),
    Anything,
}

/// Pointers that a call may keep, and the names of the members or variables that it puts them into, where these are known.
struct Kept {
    pointers: Vec<Pointer>,
    into: Option<BTreeSet<String>>,
}

impl<'u> Host<'_, 'u> {
    /// The state after a call has put what it was given where it can: `told` are the places that it has the addresses of, and
    /// `reached` what it may change otherwise.
    pub(super) fn handed(&self, call: Node<'u>, state: State, told: &[String], reached: &[String]) -> State {
        let Some(function) = call.child_by_field_name("function") else { return state };
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        if let (Some(class), Some(list)) = (self.class_of(function), call.child_by_field_name("arguments")) {
            return self.handed_to_object(class, list, state);
        }
        let object = method_of(function).map(|(object, _)| object);
        // Another function of the name may be called, and of another class.
        let known = self.callees(function);
        let is_other = |callee: &Callee<'u>| {
            let body = callee.node.child_by_field_name("body").map_or(callee.node.end_byte(), |body| body.start_byte());
            let head = self.unit.text.get(callee.node.start_byte()..body).unwrap_or("");
            head.contains("virtual") || head.contains("override")
        };
        let is_free = object.is_none() && known.iter().all(|callee| callee.class.is_none() && !callee.is_lambda);
        let is_seen = !is_free || self.all_seen(self.callee(function), arguments.len());
        let callees: &[Callee<'u>] = if known.iter().any(is_other) || !is_seen { &[] } else { &known };
        let others = self.kept_by(&arguments, object, callees, &state);
        if others.is_empty() {
            return state;
        }
        let given: Vec<String> = arguments.iter().flat_map(|a| self.places_of(*a, &state)).map(|p| p.name).collect();
        let is_pointer = |place: &String| self.is_pointer_place(place);
        let mut places: Vec<String> = told.iter().filter(|p| is_pointer(p) || !callees.is_empty()).cloned().collect();
        let list = call.child_by_field_name("arguments");
        // A kernel takes copies, and so do functions of C.
        let is_of_c = is_platform(self.callee(function)) && callees.is_empty();
        let stays = has_child(call, "kernel_call_syntax") || is_of_c;
        let stays = stays || list.is_some_and(|list| self.passes_on_values(function, list));
        let by_reference: Vec<String> = match stays {
            true => Vec::new(),
            false => {
                let taken = arguments.iter().enumerate().filter(|(at, _)| self.may_refer(call, callees, *at));
                taken.flat_map(|(_, a)| self.places_of(*a, &state)).map(|p| p.name).collect()
            }
        };
        let direct = reached.iter().filter(|place| by_reference.contains(place));
        places.extend(direct.filter(|p| is_pointer(p) || !callees.is_empty()).cloned());
        // An object keeps what its method is given; what a function does that is not seen is not guessed.
        if let Some(object) = object {
            let end = if is_arrow(self.unit.str(function), object, function) { "[0]" } else { "" };
            places.extend(self.places_of(object, &state).into_iter().map(|p| format!("{}{end}", p.name)));
        }
        if !callees.is_empty() {
            // The elements of an array, and the members of what a pointer points to.
            for place in given.iter().filter(|place| self.leads_to_pointers(place)) {
                places.push(if self.is_array_place(place) { place.clone() } else { format!("{place}[0]") });
            }
        }
        places.extend(callees.iter().flat_map(|callee| self.assigned_in(callee, call)));
        self.all_widened(state, &places.into_iter().collect(), &others)
    }

    /// The same where an object is made of these.
    pub(super) fn handed_to_object(&self, class: Node<'u>, list: Node<'u>, state: State) -> State {
        let callees = self.constructors(class);
        let arguments = if list.kind() == "parameter_list" { names_of(list) } else { listed_in(list) };
        let others = self.kept_by(&arguments, None, &callees, &state);
        let takes_it = |at: usize| callees.iter().any(|callee| self.refers(callee.parameters.get(at).map(|(_, p)| *p)));
        let mut places = Vec::new();
        for (at, argument) in arguments.iter().enumerate().filter(|_| !others.is_empty()) {
            let to = self.addressed(*argument).or_else(|| Some(*argument).filter(|_| takes_it(at)));
            places.extend(to.map_or(Vec::new(), |to| self.places_of(to, &state)).into_iter().map(|p| p.name));
        }
        places.extend(callees.iter().flat_map(|callee| self.assigned_in(callee, list)));
        self.all_widened(state, &places.into_iter().collect(), &others)
    }

    /// Is a parameter a reference, or part of a pack?
    fn refers(&self, parameter: Option<Node<'u>>) -> bool {
        parameter.is_none_or(|p| p.kind().starts_with("variadic") || self.unit.str(p).contains('&'))
    }

    /// May a function take this argument by reference? Of one that is not declared it is not known.
    fn may_refer(&self, call: Node<'u>, callees: &[Callee<'u>], at: usize) -> bool {
        if !callees.is_empty() {
            return callees.iter().any(|callee| self.refers(callee.parameters.get(at).map(|(_, p)| *p)));
        }
        let name = call.child_by_field_name("function").map_or("", |f| self.callee(f));
        let declared = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let list = |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
        declared.is_empty() || declared.iter().any(|d| self.refers(list(d).get(at).copied()))
    }

    fn all_widened(&self, state: State, places: &BTreeSet<String>, others: &[Kept]) -> State {
        let mut state = state;
        for place in places.iter().filter(|place| self.is_relevant(place) && !self.is_scalar_place(place)) {
            for Kept { pointers, into } in others {
                let Some(names) = into else {
                    state = widened(state, place, pointers);
                    continue;
                };
                // The variable itself, or members of the object.
                let own = place.split('#').next().unwrap_or(place).rsplit("::").next().unwrap_or(place);
                if names.contains(own) {
                    state = widened(state, place, pointers);
                }
                for name in names.iter().filter(|_| !self.is_pointer_place(place)) {
                    state = widened(state, &format!("{place}.{name}"), pointers);
                }
            }
        }
        state
    }

    /// The places of the function, or of the unit, that a function or lambda assigns to by their names.
    fn assigned_in(&self, callee: &Callee<'u>, at: Node<'u>) -> Vec<String> {
        let known = self.seen.borrow().assigned.get(&callee.node.id()).cloned();
        let names = known.unwrap_or_else(|| {
            let names: Rc<[&'u str]> = self.names_assigned(callee).into();
            self.seen.borrow_mut().assigned.insert(callee.node.id(), names.clone());
            names
        });
        let place = |name: &&str| self.find(name, at).map_or_else(|| (*name).to_owned(), |v| format!("{name}#{v}"));
        let last = |name: &'u str| name.rsplit("::").next().unwrap_or(name);
        names.iter().filter(|name| self.relevant.contains(last(name))).map(place).collect()
    }

    /// The names that it, or what it calls, assigns to, and that it does not declare; also as this function writes them, with
    /// their namespaces.
    fn names_assigned(&self, callee: &Callee<'u>) -> Vec<&'u str> {
        let mut found = Vec::new();
        self.names_assigned_in(callee, &mut found, &mut FxHashSet::default());
        let mut qualified = Vec::new();
        each_named(self.function, |n| {
            let text = self.unit.str(n);
            if n.kind() == "qualified_identifier" && found.contains(&text.rsplit("::").next().unwrap_or(text)) {
                qualified.push(text);
            }
        });
        found.append(&mut qualified);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn names_assigned_in(&self, callee: &Callee<'u>, found: &mut Vec<&'u str>, seen: &mut FxHashSet<usize>) {
        if seen.len() >= MOST_FUNCTIONS {
            // More are taken to assign to all that matters.
            found.extend(&self.relevant);
            return;
        }
        if !seen.insert(callee.node.id()) {
            return;
        }
        let (mut own, mut called) = (Vec::new(), Vec::new());
        each_named(callee.node, |n| {
            let mut to = n.child_by_field_name("left").filter(|_| n.kind() == "assignment_expression");
            while let Some(inner) = to.and_then(|to| to.child_by_field_name("argument")) {
                to = Some(inner);
            }
            let to = to.map(|to| self.unit.qualified(to).1);
            let name = to.filter(|to| to.kind() == "identifier").map(|to| self.unit.str(to));
            own.extend(name.filter(|name| !callee.parameters.iter().any(|(own, _)| own == name)));
            called.extend(n.child_by_field_name("function").filter(|_| n.kind() == "call_expression"));
        });
        own.sort_unstable();
        own.dedup();
        own.retain(|name| !self.declares(callee.node, name));
        found.append(&mut own);
        for function in called {
            if function.kind() == "field_expression" || self.lower.names.functions.contains_key(self.callee(function)) {
                for callee in self.callees(function).iter() {
                    self.names_assigned_in(callee, found, seen);
                }
            }
        }
    }

    fn declares(&self, function: Node<'u>, name: &str) -> bool {
        let mut found = false;
        each_named(function, |n| {
            let mut cursor = n.walk();
            let mut declared = n.children_by_field_name("declarator", &mut cursor);
            found |= n.kind() == "declaration"
                && declared.any(|d| declared_name(d).is_some_and(|own| self.unit.str(own) == name));
        });
        found
    }

    /// The pointers that a call is given, and may keep.
    fn kept_by(
        &self,
        arguments: &[Node<'u>],
        object: Option<Node<'u>>,
        callees: &[Callee<'u>],
        state: &State,
    ) -> Vec<Kept> {
        let mut all = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let address = self.addressed(*argument);
            if callees.is_empty() && address.is_some() {
                continue;
            }
            let uses = callees.iter().map(|callee| self.uses(callee, at, address.is_some(), 0)).reduce(Uses::or);
            let into = match uses {
                Some(Uses::Into(names)) if names.is_empty() => continue,
                Some(Uses::Into(names)) => Some(names),
                Some(Uses::Anything) | None => None,
            };
            let argument = address.unwrap_or(*argument);
            let pointers = match self.may_be_pointer(argument) || argument.kind() == "initializer_list" {
                true => self.pointers_of(argument, state),
                false => self.parts_held(argument, state),
            };
            all.push(Kept { pointers, into });
        }
        let gives = || !callees.is_empty() && !callees.iter().all(|callee| self.gives_nothing(callee));
        if let Some(object) = object.filter(|_| gives()) {
            all.push(Kept { pointers: self.parts_held(object, state), into: None });
        }
        for kept in &mut all {
            kept.pointers = kept.pointers.drain(..).map(|p| Pointer { sure: false, ..p.somewhere() }).collect();
        }
        all.retain(|kept| !kept.pointers.is_empty());
        all
    }

    /// Does a method assign nothing, and call nothing of the program?
    fn gives_nothing(&self, callee: &Callee<'u>) -> bool {
        let mut nothing = true;
        each_named(callee.node, |n| {
            let name = n.child_by_field_name("function").map(|f| self.callee(f));
            nothing &= match n.kind() {
                "call_expression" => name.is_some_and(|name| {
                    !self.lower.names.functions.contains_key(name) && (is_platform(name) || BY_VALUE.contains(&name))
                }),
                kind => kind != "assignment_expression",
            };
        });
        nothing
    }

    /// The pointers that are known to be in an object, or in a variable.
    fn parts_held(&self, object: Node<'u>, state: &State) -> Vec<Pointer> {
        let places = self.places_of(object, state);
        let is_in = |place: &String| places.iter().any(|p| p.name == *place || is_part(place, &p.name));
        state.iter().filter(|(place, _)| is_in(place)).flat_map(|(_, held)| held.alternatives()).collect()
    }

    /// Is this a pointer, or a call that returns one?
    pub(super) fn may_be_pointer(&self, argument: Node<'u>) -> bool {
        let function = argument.child_by_field_name("function").filter(|_| argument.kind() == "call_expression");
        self.is_pointer(argument)
            || function.is_some_and(|function| {
                let text = self.unit.str(function);
                let method = method_of(function).map_or("", |(_, method)| self.unit.str(method));
                OF_DATA.contains(&method.split('<').next().unwrap_or(method))
                    || only_casts(text.split('<').next().unwrap_or(text))
                    || !self.returned_by(function).is_empty()
            })
    }

    fn is_array_place(&self, place: &str) -> bool {
        let variable = place.split_once('#').and_then(|(_, rest)| rest.parse::<usize>().ok());
        let mut declarator = variable.and_then(|v| self.variables.get(v)?.declarator);
        while let Some(inner) = declarator.and_then(|d| d.child_by_field_name("declarator")) {
            if inner.kind() == "identifier" {
                break;
            }
            declarator = Some(inner);
        }
        declarator.is_some_and(|d| d.kind() == "array_declarator")
    }

    /// Is this an array of pointers, or a pointer to a pointer or an object?
    fn leads_to_pointers(&self, place: &str) -> bool {
        let variable = place.split_once('#').and_then(|(_, rest)| rest.parse::<usize>().ok());
        let Some(known) = variable.and_then(|v| self.variables.get(v)) else { return false };
        let Some(declarator) =
            known.declarator.filter(|d| matches!(d.kind(), "pointer_declarator" | "array_declarator"))
        else {
            return false;
        };
        let inner = declarator.child_by_field_name("declarator");
        inner.is_some_and(|inner| inner.kind() != "identifier")
            || known.ty.is_some_and(|ty| !matches!(ty.kind(), "primitive_type" | "sized_type_specifier"))
    }

    /// What a function does with an argument.
    fn uses(&self, callee: &Callee<'u>, at: usize, address: bool, depth: usize) -> Uses {
        let key = (callee.node.id(), at, address);
        if let Some(known) = self.seen.borrow().uses.get(&key) {
            return known.clone();
        }
        // Of one that calls itself nothing is known while it is read.
        self.seen.borrow_mut().uses.insert(key, Uses::Anything);
        let uses = self.read_uses(callee, at, address, depth);
        self.seen.borrow_mut().uses.insert(key, uses.clone());
        uses
    }

    fn read_uses(&self, callee: &Callee<'u>, at: usize, address: bool, depth: usize) -> Uses {
        let nothing = Uses::Into(BTreeSet::new());
        let Some((name, parameter)) = callee.parameters.get(at) else { return Uses::Anything };
        let declarator = parameter.child_by_field_name("declarator");
        let Some(declarator) = declarator.filter(|_| !name.is_empty()) else { return nothing };
        let Some(body) = callee.node.child_by_field_name("body") else { return Uses::Anything };
        // What a pointer to objects leads to are members as well.
        let is_class = parameter.child_by_field_name("type").is_some_and(|ty| self.class_of(ty).is_some());
        if address && !is_class && self.only_makes(callee.node, name) {
            return nothing;
        }
        if declarator.kind() == "identifier"
            && parameter.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
        {
            return nothing;
        }
        let inner = declarator.child_by_field_name("declarator");
        let is_one = matches!(declarator.kind(), "pointer_declarator" | "array_declarator")
            && inner.is_some_and(|inner| inner.kind() == "identifier");
        // An object, of which members may be kept.
        let is_object = match declarator.kind() {
            "identifier" => true,
            "reference_declarator" => last_named(declarator).is_some_and(|name| name.kind() == "identifier"),
            _ => false,
        };
        let mut uses = nothing;
        for part in child_of_kind(callee.node, "field_initializer_list").into_iter().chain([body]) {
            each_named(part, |n| {
                if n.kind() == "identifier" && self.unit.str(n) == *name {
                    let is_member = self.up(n).is_some_and(|up| up.kind() == "field_expression");
                    let is_plain = is_one || is_object && is_member;
                    let here = if is_plain { self.use_of(n, callee, *parameter, depth) } else { Uses::Anything };
                    uses = std::mem::replace(&mut uses, Uses::Anything).or(here);
                }
            });
        }
        uses
    }

    /// What is done with a pointer, or an object, where it is named. What a pointer to numbers points to is no pointer.
    fn use_of(&self, name: Node<'u>, callee: &Callee<'u>, parameter: Node<'u>, depth: usize) -> Uses {
        let nothing = |only: bool| if only { Uses::Into(BTreeSet::new()) } else { Uses::Anything };
        let ty = parameter.child_by_field_name("type");
        let declarator = parameter.child_by_field_name("declarator");
        let mut of_numbers = declarator.is_some_and(|d| d.kind() != "reference_declarator" && d.kind() != "identifier")
            && ty.is_some_and(|ty| matches!(ty.kind(), "primitive_type" | "sized_type_specifier"));
        let mut class = ty.and_then(|ty| self.class_of(ty));
        let mut inner = name;
        while let Some(outer) = self.up(inner) {
            let field = |name: &str| outer.child_by_field_name(name);
            match outer.kind() {
                "parenthesized_expression" | "cast_expression" => {}
                "field_expression" if field("argument") == Some(inner) => {
                    let name = field("field").map_or("", |f| self.unit.str(f));
                    of_numbers = class.take().is_some_and(|class| self.is_pointer_to_numbers(class, name));
                }
                // No pointer is multiplied or compared to make another one.
                "binary_expression" => match field("operator").map_or("", |o| self.unit.str(o)) {
                    "+" | "-" => {}
                    _ => return nothing(true),
                },
                // `int n = p->n;`
                "init_declarator" => {
                    let is_plain = field("declarator").is_some_and(|d| d.kind() == "identifier");
                    let ty = self.up(outer).and_then(|d| d.child_by_field_name("type"));
                    return nothing(is_plain && ty.is_some_and(|ty| self.is_arithmetic(ty)));
                }
                // An element: not its address.
                "subscript_expression" | "pointer_expression" => {
                    let is_address =
                        |n: Node<'u>| n.kind() == "pointer_expression" && self.unit.str(n).starts_with('&');
                    if is_address(outer) || self.up(outer).is_some_and(is_address) {
                        return Uses::Anything;
                    }
                    let is_array = field("argument") == Some(inner);
                    if of_numbers || !is_array {
                        return nothing(true);
                    }
                    // An object, of which a member is used, or one that is written.
                    let around = self.up(outer);
                    let is = |name: &str| around.and_then(|n| n.child_by_field_name(name)) == Some(outer);
                    match around.map(|n| n.kind()) {
                        Some("field_expression") if is("argument") => {}
                        kind => return nothing(kind == Some("assignment_expression") && is("left")),
                    }
                }
                "unary_expression" | "if_statement" | "condition_clause" | "delete_expression"
                | "sizeof_expression" => {
                    return nothing(true);
                }
                "update_expression" => {
                    return nothing(self.up(outer).is_some_and(|n| n.kind() == "expression_statement"));
                }
                "assignment_expression" if field("left") == Some(inner) => return nothing(true),
                "assignment_expression" => {
                    let is_whole = self.up(outer).is_some_and(|n| n.kind() == "expression_statement");
                    let to = field("left").filter(|_| is_whole).and_then(|to| self.name_assigned(to, callee));
                    return to.map_or(Uses::Anything, |name| Uses::Into(BTreeSet::from([name])));
                }
                "argument_list" => {
                    let Some(call) = self.up(outer) else { return Uses::Anything };
                    if call.kind() == "field_initializer" {
                        let member = call.named_child(0).map(|n| self.unit.str(n).to_owned());
                        return Uses::Into(member.into_iter().collect());
                    }
                    let Some(function) = call.child_by_field_name("function") else { return Uses::Anything };
                    if has_child(call, "kernel_call_syntax") {
                        return nothing(true);
                    }
                    let callee = self.callee(function);
                    if !self.lower.names.functions.contains_key(callee) && function.kind() != "field_expression" {
                        return nothing(only_reads(callee, of_numbers));
                    }
                    let at = listed_in(outer).iter().position(|a| *a == inner);
                    let callees = self.callees(function);
                    let only = |callee: &Callee<'u>| {
                        at.is_some_and(|at| self.uses(callee, at, false, depth + 1) == Uses::Into(BTreeSet::new()))
                    };
                    return nothing(depth < MAX_CALLS && !callees.is_empty() && callees.iter().all(only));
                }
                _ => return Uses::Anything,
            }
            inner = outer;
        }
        Uses::Anything
    }

    /// Is a member of a class a pointer to numbers?
    fn is_pointer_to_numbers(&self, class: Node<'u>, name: &str) -> bool {
        self.declarators_in(class).into_iter().any(|(item, declarator)| {
            declared_name(declarator).is_some_and(|own| self.unit.str(own) == name)
                && declarator.kind() == "pointer_declarator"
                && declarator.child_by_field_name("declarator").is_some_and(|d| d.kind() == "field_identifier")
                && item
                    .child_by_field_name("type")
                    .is_some_and(|ty| matches!(ty.kind(), "primitive_type" | "sized_type_specifier"))
        })
    }

    /// The name of the variable, or of the member of an object, that a function assigns to, if that is none of its own.
    fn name_assigned(&self, to: Node<'u>, callee: &Callee<'u>) -> Option<String> {
        let is_parameter = |name: &str| callee.parameters.iter().any(|(own, _)| *own == name);
        match to.kind() {
            "identifier" => {
                let name = self.unit.str(to);
                (!is_parameter(name) && !self.declares(callee.node, name)).then(|| name.to_owned())
            }
            "field_expression" => {
                let object = to.child_by_field_name("argument")?;
                let is_own = object.kind() == "identifier" && self.declares(callee.node, self.unit.str(object));
                (matches!(object.kind(), "identifier" | "this") && !is_own).then_some(())?;
                Some(self.unit.str(to.child_by_field_name("field")?).to_owned())
            }
            _ => None,
        }
    }
}

impl Uses {
    fn or(self, other: Uses) -> Uses {
        match (self, other) {
            (Uses::Into(some), Uses::Into(more)) => Uses::Into(some.into_iter().chain(more).collect()),
            _ => Uses::Anything,
        }
    }
}

/// Does a function that is not of the program keep no pointer that it is given? What it copies may be pointers.
fn only_reads(function: &str, of_numbers: bool) -> bool {
    let is_library = ["cublas", "cufft", "curand"].iter().any(|name| function.starts_with(name));
    let looks = ["Memset", "Free", "Prefetch", "Advise"].iter().any(|word| function.contains(word));
    let copies = function.contains("Memcpy") || ["memcpy", "fread", "fwrite"].contains(&function);
    let plain = ["free", "printf", "fprintf", "memset", "strcmp", "strlen"];
    is_library || looks && is_platform(function) || copies && of_numbers || plain.contains(&function)
}

/// The place, and what is in it, may be one of these as well.
fn widened(state: State, place: &str, others: &[Pointer]) -> State {
    let mut state = state;
    if !state.contains_key(place) {
        state.insert(place.to_owned(), named(place));
    }
    for (other, held) in state.iter_mut().filter(|(other, _)| *other == place || is_part(other, place)) {
        let new = others.iter().filter(|p| p.origin.place() != Some(other.as_str()) && p.origin.place() != Some(place));
        let all = held.alternatives().into_iter().chain(new.cloned());
        *held = Pointer::one_of(all);
    }
    state
}
