//! What a call may put into the places that it can change: one of the pointers that it is given. [HOST-OVERLAP]

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::super::unit::{
    FunDecl, child_of_kind, declared_name, each_named, has_child, is_reference, last_named, split_init,
};
use super::super::Host;
use super::super::mentions::{BY_VALUE, Takes, is_platform};
use super::super::outside::is_arrow;
use super::super::places::listed_in;
use super::super::pointers::{OF_DATA, only_casts};
use super::super::returned::{Callee, Returned};
use super::super::variables::says;
use super::{Origin, Pointer, State, is_part, method_of, named, names_of};

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
    uses: FxHashMap<(usize, usize), Uses>,
    /// Do they only make what a parameter points to?
    pub(super) makes: FxHashMap<(usize, usize), bool>,
    /// Those that a call may call, if all are seen.
    called: FxHashMap<usize, Rc<[Callee<'u>]>>,
    /// What they bring from elsewhere.
    brought: FxHashMap<usize, Rc<[Brought<'u>]>>,
}

/// A variable or a member that a function does not declare, or that is `static` in it, and that it assigns from; and the names
/// of what it assigns that to, where these are known.
#[derive(Clone)]
pub(super) struct Brought<'u> {
    pub name: &'u str,
    /// The function that it is `static` in, by where that begins.
    of: Option<usize>,
    into: Option<&'u str>,
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
    /// The state after a call has put what it was given where it can: `told` are the places that it has the addresses of.
    pub(super) fn handed(&self, call: Node<'u>, state: State, told: &[String]) -> State {
        let Some(function) = call.child_by_field_name("function") else { return state };
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        if let (Some(class), Some(list)) = (self.class_of(function), call.child_by_field_name("arguments")) {
            return self.handed_to_object(class, list, state);
        }
        // What the lambda does was run. [`Host::given_to_lambda`]
        if self.lambda_run(call).is_some() {
            return state;
        }
        let object = method_of(function).map(|(object, _)| object);
        let callees: &[Callee<'u>] = &self.all_called(call);
        let others = self.kept_by(&arguments, call, callees, &state);
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
                let is_taken = |at: usize| {
                    self.takes(function, at) != Takes::Value
                        && self.may_refer(call, callees, at)
                        && !self.fills_with_new(call, at)
                };
                let taken = arguments.iter().enumerate().filter(|(at, _)| is_taken(*at));
                taken.flat_map(|(_, a)| self.places_of(*a, &state)).map(|p| p.name).collect()
            }
        };
        places.extend(by_reference.into_iter().filter(|p| is_pointer(p) || !callees.is_empty()));
        // An object keeps what its method is given; what a function does that is not seen is not guessed.
        if let Some(object) = object {
            let end = if is_arrow(self.unit.str(function), object, function) { "[0]" } else { "" };
            places.extend(self.places_of(object, &state).into_iter().map(|p| format!("{}{end}", p.name)));
        }
        if !callees.is_empty() {
            // The elements of an array, and the members of what a pointer points to.
            for place in given.iter().filter(|place| self.leads_to_pointers(place)) {
                let parts = state.keys().filter(|part| is_part(part, place)).cloned();
                places.extend(parts);
                places.push(if self.is_array_place(place) { place.clone() } else { format!("{place}[0]") });
            }
            let pointers = arguments.iter().filter(|a| self.is_pointer(**a));
            for pointer in pointers {
                let leads = self.places_of(*pointer, &state).iter().any(|p| self.leads_to_pointers(&p.name));
                let behind = self.places_behind(*pointer, &state).into_iter().map(|p| p.name);
                places.extend(behind.filter(|place| leads || !place.ends_with(']')));
            }
        }
        places.extend(callees.iter().flat_map(|callee| self.assigned_in(callee, call)));
        let state = self.with_any_elements(state, callees, &arguments);
        self.all_widened(state, &places.into_iter().collect(), &others)
    }

    /// The functions that a call may call, if all of them are seen: another one of the name may be called, and one of another
    /// class.
    pub(super) fn all_called(&self, call: Node<'u>) -> Rc<[Callee<'u>]> {
        if let Some(known) = self.seen.borrow().called.get(&call.id()) {
            return known.clone();
        }
        let found = self.read_called(call);
        self.seen.borrow_mut().called.insert(call.id(), found.clone());
        found
    }

    fn read_called(&self, call: Node<'u>) -> Rc<[Callee<'u>]> {
        let Some(function) = call.child_by_field_name("function") else { return Rc::default() };
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let known = self.callees(function);
        let is_other = |callee: &Callee<'u>| {
            let body = callee.node.child_by_field_name("body").map_or(callee.node.end_byte(), |body| body.start_byte());
            let head = self.unit.text.get(callee.node.start_byte()..body).unwrap_or("");
            head.contains("virtual") || head.contains("override")
        };
        let is_free =
            method_of(function).is_none() && known.iter().all(|callee| callee.class.is_none() && !callee.is_lambda);
        let is_seen = !is_free || self.all_seen(self.callee(function), arguments.len());
        if known.iter().any(is_other) || !is_seen { Rc::default() } else { known }
    }

    /// Elements that are not known may be any pointers after a call which may put something into them: of an array that a
    /// function gets, or of those that it is to give to a lambda one by one.
    fn with_any_elements(&self, state: State, callees: &[Callee<'u>], arguments: &[Node<'u>]) -> State {
        let mut state = state;
        let changes = |lambda: &Callee<'u>| {
            (0..lambda.parameters.len()).any(|at| {
                let parameter = lambda.parameters[at].1;
                let is_number = parameter.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
                    && parameter.child_by_field_name("declarator").is_some_and(|d| d.kind() == "reference_declarator");
                self.parameter_refers(parameter) && !is_number && !self.only_makes(lambda, at)
            })
        };
        let lambdas = arguments.iter().filter(|a| self.lambda_named(**a).is_some());
        let gives = callees.is_empty() && lambdas.flat_map(|a| self.callees(*a).to_vec()).any(|l| changes(&l));
        for (at, argument) in arguments.iter().enumerate() {
            let puts =
                |callee: &Callee<'u>| self.uses(callee, at, 0) == Uses::Anything && self.may_put_elements(callee, at);
            if !gives && !callees.iter().any(puts) {
                continue;
            }
            for place in self.places_of(*argument, &state) {
                let is_known = state.keys().any(|part| is_part(part, &place.name));
                let is_array = self.leads_to_pointers(&place.name) && self.holds_pointers(&place.name);
                if is_array && self.is_relevant(&place.name) && (gives || !is_known) {
                    let any = Pointer { origin: Origin::Any, steps: None, sure: false };
                    state = widened(state, &place.name, &[any]);
                }
            }
        }
        state
    }

    /// May a function change what the elements of an array that it is given are?
    fn may_put_elements(&self, callee: &Callee<'u>, at: usize) -> bool {
        let name = callee.parameters.get(at).map_or("", |(name, _)| name);
        let changes = |n: Node<'u>| {
            let element = self.up(n).filter(|up| {
                up.child_by_field_name("argument") == Some(n)
                    && (up.kind() == "subscript_expression" || self.unit.str(*up).starts_with('*'))
            });
            let around = element.and_then(|element| self.up(element));
            match (element, around.map(|around| around.kind())) {
                (Some(element), Some("assignment_expression")) => {
                    around.and_then(|around| around.child_by_field_name("left")) == Some(element)
                }
                (Some(_), Some("init_declarator")) => around.is_some_and(is_reference),
                (Some(_), Some("argument_list")) => {
                    let call = around.and_then(|list| self.up(list));
                    let name =
                        call.and_then(|call| call.child_by_field_name("function")).map_or("", |f| self.callee(f));
                    !is_platform(name) && !call.is_some_and(|call| has_child(call, "kernel_call_syntax"))
                }
                (Some(_), Some("subscript_expression" | "binary_expression" | "return_statement")) => false,
                (Some(_), Some("pointer_expression")) => around.is_some_and(|around| !self.is_allocated(around)),
                _ => true,
            }
        };
        let mut found = false;
        each_named(callee.node, |n| {
            found |= n.kind() == "identifier"
                && self.unit.str(n) == name
                && self.up(n).is_none_or(|up| !up.kind().ends_with("declarator"))
                && changes(n);
        });
        found
    }

    /// The same where an object is made of these.
    pub(super) fn handed_to_object(&self, class: Node<'u>, list: Node<'u>, state: State) -> State {
        let callees = self.constructors(class);
        let arguments = if list.kind() == "parameter_list" { names_of(list) } else { listed_in(list) };
        let others = self.kept_by(&arguments, list, &callees, &state);
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

    /// Do all functions that a call may call take this argument by reference?
    pub(super) fn refers_at(&self, call: Node<'u>, at: usize) -> bool {
        let callees = self.all_called(call);
        callees.iter().all(|callee| callee.parameters.get(at).is_some_and(|(_, p)| self.unit.str(*p).contains('&')))
    }

    /// May a function take this argument by reference? Of one that is not declared it is not known.
    fn may_refer(&self, call: Node<'u>, callees: &[Callee<'u>], at: usize) -> bool {
        let function = call.child_by_field_name("function");
        // `f<float *&>(p)`
        let is_made_so = function.is_some_and(|f| self.unit.str(f).contains('&'));
        if !callees.is_empty() {
            return is_made_so || callees.iter().any(|callee| self.refers(callee.parameters.get(at).map(|(_, p)| *p)));
        }
        // `std::function<void(float *)> f`
        let variable = function.filter(|f| f.kind() == "identifier").and_then(|f| self.variable_at(f));
        let ty = variable.and_then(|v| v.ty).map_or("", |ty| self.unit.str(ty));
        if ty.contains('(') && !ty.contains('&') {
            return false;
        }
        let name = function.map_or("", |f| self.callee(f));
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
        let place = |name: &&str| self.find(name, at).map_or_else(|| (*name).to_owned(), |v| self.key_of(name, v));
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
    fn kept_by(&self, arguments: &[Node<'u>], call: Node<'u>, callees: &[Callee<'u>], state: &State) -> Vec<Kept> {
        let object = call.child_by_field_name("function").and_then(method_of).map(|(object, _)| object);
        let mut all = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let address = self.addressed(*argument);
            if callees.is_empty() && address.is_some() {
                continue;
            }
            let uses = callees.iter().map(|callee| self.uses(callee, at, 0)).reduce(Uses::or);
            let into = match uses {
                Some(Uses::Into(names)) if names.is_empty() => continue,
                Some(Uses::Into(names)) => Some(names),
                Some(Uses::Anything) | None => None,
            };
            let argument = address.unwrap_or(*argument);
            let mut pointers = match self.may_be_pointer(argument) || argument.kind() == "initializer_list" {
                true => self.pointers_of(argument, state),
                false => self.parts_held(argument, state),
            };
            // The elements of an array, and what is behind a pointer to pointers.
            if !callees.is_empty() && self.is_pointer(argument) {
                let held = self.places_of(argument, state).into_iter().filter(|p| self.leads_to_pointers(&p.name));
                let behind = held.chain(self.places_behind(argument, state));
                let places: Vec<String> = behind.map(|p| p.name).collect();
                let is_in = |place: &String| places.iter().any(|p| is_part(place, p) || p == place && p.contains('#'));
                pointers
                    .extend(state.iter().filter(|(place, _)| is_in(place)).flat_map(|(_, held)| held.alternatives()));
            }
            all.push(Kept { pointers, into });
        }
        for callee in callees {
            for Brought { name, of, into } in self.brought(callee).iter() {
                let pointers = match (of, object) {
                    (Some(at), _) => vec![named(&format!("{name} of {at}"))],
                    (None, Some(object)) if self.is_member_of(callee, name) && object.kind() != "this" => {
                        let function = call.child_by_field_name("function").unwrap_or(call);
                        let objects = match is_arrow(self.unit.str(function), object, function) {
                            true => self.places_behind(object, state),
                            false => self.places_of(object, state),
                        };
                        objects.iter().flat_map(|o| self.held(&format!("{}.{name}", o.name), call, state)).collect()
                    }
                    _ => self.held(&self.key_named(name, call, callee.is_lambda), call, state),
                };
                all.push(Kept { pointers, into: into.map(|into| BTreeSet::from([into.to_owned()])) });
            }
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

    /// Does the class of a method declare a member of this name?
    fn is_member_of(&self, callee: &Callee<'u>, name: &str) -> bool {
        let members = callee.class.map_or(Vec::new(), |class| self.declarators_in(class));
        members.iter().any(|(_, d)| declared_name(*d).is_some_and(|own| self.unit.str(own) == name))
    }

    /// What a function, or one that it calls, assigns from that it does not declare, or that stays from call to call.
    pub(super) fn brought(&self, callee: &Callee<'u>) -> Rc<[Brought<'u>]> {
        if let Some(known) = self.seen.borrow().brought.get(&callee.node.id()) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.brought_by(callee, &mut found, &mut FxHashSet::default());
        let found: Rc<[Brought<'u>]> = found.into();
        self.seen.borrow_mut().brought.insert(callee.node.id(), found.clone());
        found
    }

    fn brought_by(&self, callee: &Callee<'u>, found: &mut Vec<Brought<'u>>, seen: &mut FxHashSet<usize>) {
        if seen.len() >= MOST_FUNCTIONS || !seen.insert(callee.node.id()) {
            return;
        }
        // What is assigned to what, the functions that are called, and what is declared, with whether that is a number.
        let (mut given, mut called): (Vec<(Node<'u>, Node<'u>)>, Vec<Node<'u>>) = (Vec::new(), Vec::new());
        let mut own: FxHashMap<&'u str, bool> = FxHashMap::default();
        let mut stays: Vec<&'u str> = Vec::new();
        let is_number = |declaration: Node<'u>, declarator: Node<'u>| {
            let ty = declaration.child_by_field_name("type");
            matches!(declarator.kind(), "identifier" | "reference_declarator")
                && ty.is_some_and(|ty| self.is_arithmetic(ty))
        };
        for (name, parameter) in &callee.parameters {
            let declarator = parameter.child_by_field_name("declarator");
            own.insert(name, declarator.is_some_and(|d| is_number(*parameter, d)));
        }
        each_named(callee.node, |n| {
            let field = |name: &str| n.child_by_field_name(name);
            match n.kind() {
                "assignment_expression" => given.extend(field("left").zip(field("right"))),
                "init_declarator" => given.extend(declared_name(n).zip(split_init(n).1)),
                "optional_parameter_declaration" => {
                    given.extend(field("declarator").and_then(declared_name).zip(field("default_value")));
                }
                "declaration" => {
                    let mut cursor = n.walk();
                    let outlives = says(n, &self.unit.text, &["static", "thread_local"]);
                    for declarator in n.children_by_field_name("declarator", &mut cursor) {
                        let inner = split_init(declarator).0;
                        let Some(name) = declared_name(inner).map(|name| self.unit.str(name)) else { continue };
                        match outlives && !is_number(n, inner) {
                            true => stays.push(name),
                            false => _ = own.insert(name, is_number(n, inner)),
                        }
                    }
                }
                "call_expression" => {
                    let arguments = field("arguments").map(listed_in).unwrap_or_default();
                    let swaps = field("function").is_some_and(|f| self.callee(f).eq_ignore_ascii_case("swap"));
                    if let ([a, b], true) = (&arguments[..], swaps) {
                        given.extend([(*a, *b), (*b, *a)]);
                    }
                    called.extend(field("function"));
                }
                _ => {}
            }
        });
        for (to, from) in &given {
            let name = self.unit.str(*to);
            let parameter = callee.parameters.iter().find(|(own, _)| *own == name);
            let is_local = own.contains_key(name) && parameter.is_none_or(|(_, p)| !self.parameter_refers(*p));
            if to.kind() == "identifier" && is_local {
                continue;
            }
            // What a local variable has been given is brought by it.
            let (mut open, mut read): (Vec<Node<'u>>, Vec<&'u str>) = (vec![*from], Vec::new());
            while let Some(value) = open.pop() {
                for name in self.names_of_pointers(value).into_iter().filter(|name| own.get(name) != Some(&true)) {
                    if read.contains(&name) {
                        continue;
                    }
                    read.push(name);
                    if own.contains_key(name) {
                        open.extend(given.iter().filter(|(to, _)| self.unit.str(*to) == name).map(|(_, from)| *from));
                    } else if stays.contains(&name) || !self.is_number_outside(name, callee) {
                        let of = stays.contains(&name).then(|| callee.node.start_byte());
                        found.push(Brought { name, of, into: self.name_assigned(*to, callee) });
                    }
                }
            }
        }
        for function in called {
            if function.kind() == "field_expression" || self.lower.names.functions.contains_key(self.callee(function)) {
                for callee in self.callees(function).iter() {
                    self.brought_by(callee, found, seen);
                }
            }
        }
    }

    /// The variables and members of the object in a value that may be pointers, but for what it is allocated with.
    fn names_of_pointers(&self, value: Node<'u>) -> Vec<&'u str> {
        let mut found = Vec::new();
        let mut stack = vec![value];
        while let Some(node) = stack.pop() {
            let field = |name: &str| node.child_by_field_name(name);
            match node.kind() {
                "identifier" => found.push(self.unit.str(node)),
                "field_expression" if field("argument").is_some_and(|a| a.kind() == "this") => {
                    found.extend(field("field").map(|name| self.unit.str(name)));
                }
                "field_expression" | "subscript_expression" => stack.extend(field("argument")),
                "conditional_expression" => {
                    stack.extend([field("consequence"), field("alternative")].into_iter().flatten())
                }
                "call_expression" => {
                    let name = field("function").map_or("", |f| self.callee(f));
                    let makes = name.to_ascii_lowercase().contains("alloc");
                    if let Some(function) = field("function").filter(|_| !makes) {
                        stack.extend(method_of(function).map(|(object, _)| object));
                        stack.extend(field("arguments").map(listed_in).unwrap_or_default());
                    }
                }
                "new_expression" | "sizeof_expression" | "type_descriptor" | "lambda_expression" => {}
                _ => stack.extend(listed_in(node)),
            }
        }
        found
    }

    /// The place of a variable of the unit, or of a member of the object of the function; of a lambda, also of a variable of the
    /// function.
    fn key_named(&self, name: &str, at: Node<'u>, is_lambda: bool) -> String {
        let known = self.find(name, at).filter(|v| {
            let known = &self.variables[*v];
            is_lambda || known.declarator.is_none() || known.outside.is_some()
        });
        known.map_or_else(|| name.to_owned(), |v| self.key_of(name, v))
    }

    /// The variables of the unit, and members of the object, that a function gives something, or that it returns.
    pub(super) fn names_outside(&self, function: Node<'u>) -> Vec<&'u str> {
        let mut found = Vec::new();
        let callees = self.callees(function);
        for Brought { name, into, .. } in callees.iter().flat_map(|callee| self.brought(callee).to_vec()) {
            found.extend([Some(name), into].into_iter().flatten());
        }
        // What these only hold in between.
        for callee in callees.iter().filter(|callee| self.moves_of(callee).is_some()) {
            found.extend(self.own_names(callee));
        }
        for returned in self.returned_by(function).iter() {
            let Returned::Member { path, of_unit: false, .. } = returned else { continue };
            let first = path.trim_start_matches('.').split(['.', '[']).next().unwrap_or("");
            for callee in callees.iter() {
                each_named(callee.node, |n| {
                    let is_it = matches!(n.kind(), "identifier" | "field_identifier") && self.unit.str(n) == first;
                    if is_it && found.last() != Some(&first) {
                        found.push(self.unit.str(n));
                    }
                });
            }
        }
        found
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

    /// Is this an array of pointers, or a pointer to a pointer?
    fn holds_pointers(&self, place: &str) -> bool {
        let variable = place.split_once('#').and_then(|(_, rest)| rest.parse::<usize>().ok());
        let declarator = variable.and_then(|v| self.variables.get(v)?.declarator);
        let inner = declarator.and_then(|d| d.child_by_field_name("declarator"));
        inner.is_some_and(|inner| inner.kind() != "identifier")
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
    fn uses(&self, callee: &Callee<'u>, at: usize, depth: usize) -> Uses {
        let key = (callee.node.id(), at);
        if let Some(known) = self.seen.borrow().uses.get(&key) {
            return known.clone();
        }
        // Of one that calls itself nothing is known while it is read.
        self.seen.borrow_mut().uses.insert(key, Uses::Anything);
        let uses = self.read_uses(callee, at, depth);
        self.seen.borrow_mut().uses.insert(key, uses.clone());
        uses
    }

    fn read_uses(&self, callee: &Callee<'u>, at: usize, depth: usize) -> Uses {
        let nothing = Uses::Into(BTreeSet::new());
        let Some((name, parameter)) = callee.parameters.get(at) else { return Uses::Anything };
        let declarator = parameter.child_by_field_name("declarator");
        let Some(declarator) = declarator.filter(|_| !name.is_empty()) else { return nothing };
        let Some(body) = callee.node.child_by_field_name("body") else { return Uses::Anything };
        // What a pointer to objects leads to are members as well.
        let is_class = parameter.child_by_field_name("type").is_some_and(|ty| self.class_of(ty).is_some());
        if !is_class && self.only_makes(callee, at) {
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
                        let address = if is_address(outer) { Some(outer) } else { self.up(outer) };
                        return nothing(address.is_some_and(|address| self.is_allocated(address)));
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
                    return to.map_or(Uses::Anything, |name| Uses::Into(BTreeSet::from([name.to_owned()])));
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
                        at.is_some_and(|at| self.uses(callee, at, depth + 1) == Uses::Into(BTreeSet::new()))
                    };
                    return nothing(depth < MAX_CALLS && !callees.is_empty() && callees.iter().all(only));
                }
                _ => return Uses::Anything,
            }
            inner = outer;
        }
        Uses::Anything
    }

    /// Is new memory put where this points?
    fn is_allocated(&self, address: Node<'u>) -> bool {
        let mut inner = address;
        while let Some(outer) =
            self.up(inner).filter(|up| matches!(up.kind(), "cast_expression" | "parenthesized_expression"))
        {
            inner = outer;
        }
        let call = self.up(inner).filter(|list| list.kind() == "argument_list").and_then(|list| self.up(list));
        let name = call.and_then(|call| call.child_by_field_name("function")).map_or("", |f| self.callee(f));
        is_platform(name) && name.contains("lloc") && !self.lower.names.functions.contains_key(name)
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
    fn name_assigned(&self, to: Node<'u>, callee: &Callee<'u>) -> Option<&'u str> {
        let is_parameter = |name: &str| callee.parameters.iter().any(|(own, _)| *own == name);
        match to.kind() {
            "identifier" => {
                let name = self.unit.str(to);
                (!is_parameter(name) && !self.declares(callee.node, name)).then_some(name)
            }
            "field_expression" => {
                let object = to.child_by_field_name("argument")?;
                let is_own = object.kind() == "identifier" && self.declares(callee.node, self.unit.str(object));
                (matches!(object.kind(), "identifier" | "this") && !is_own).then_some(())?;
                Some(self.unit.str(to.child_by_field_name("field")?))
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
