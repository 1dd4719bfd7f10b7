//! Which value a variable has at a place: the one that the last change before it gave it.
//!
//! Two places see the same value when the same change is the last one before both in the text, and no loop or lambda that
//! only one of them is in holds another change. All places that are asked for come before the launch each time that it is
//! run: that a change stands before another place in the text then says that it is run before it.

use tree_sitter::Node;

use super::super::unit::{child_of_kind, last_named};
use super::fields::meets;
use super::types::{converted, in_common};
use super::variables::{Event, Part, contains};
use super::{Host, MAX_DEPTH, symbol};
use crate::base::Name;
use crate::exp::{B, IntTy, N, NBin, NRel};

/// What tells the values apart that a variable has one after the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Version {
    /// After this change, in these loops that go on changing it.
    After(Option<usize>, Vec<usize>),
    /// At one place: nothing else is known.
    At(usize),
}

/// A path as it stands after the name of a variable.
pub(super) fn dotted(path: &str) -> String {
    if path.starts_with('[') { path.to_owned() } else { format!(".{path}") }
}

pub(super) fn is_loop(node: Node) -> bool {
    matches!(node.kind(), "for_statement" | "while_statement" | "do_statement" | "for_range_loop")
}

/// Is a node in the part of a loop that is repeated?
fn is_repeated(of: Node, node: Node) -> bool {
    let once = if of.kind() == "for_range_loop" { "right" } else { "initializer" };
    contains(of, node) && of.child_by_field_name(once).is_none_or(|part| !contains(part, node))
}

impl<'u> Host<'_, 'u> {
    /// The changes of a part of a variable, in the order of the text.
    pub(super) fn events(&self, variable: usize, part: &Part) -> Vec<Event<'u>> {
        let own = self.variables[variable].events.iter().copied();
        match part {
            Part::Whole => own.collect(),
            Part::Field(name) => own.filter(|e| e.field.is_none_or(|f| meets(f, name.as_str()))).collect(),
            Part::Behind(_) => {
                let mut all: Vec<Event<'u>> = own.chain(self.far.iter().copied()).collect();
                all.sort_by_key(|e| e.at);
                all
            }
        }
    }

    /// Where the value of a name is read: through its address only when the kernel is launched.
    pub(super) fn read_at(&self, name: Node<'u>) -> Node<'u> {
        if let Some((_, behind)) = self.asked_behind.filter(|(condition, _)| contains(*condition, name)) {
            return behind;
        }
        if self.copied.iter().any(|address| contains(*address, name)) { self.launch } else { name }
    }

    /// Is a change in the branch of an `if` that is not run when a place in the other one is?
    fn is_in_other_branch(&self, change: Node<'u>, place: Node<'u>) -> bool {
        let mut inner = place;
        while let Some(outer) = self.up(inner).filter(|_| inner != self.function) {
            let part = |name: &str| outer.child_by_field_name(name);
            let is_other = outer.kind() == "if_statement" && part("alternative") == Some(inner);
            if is_other && part("consequence").is_some_and(|then| contains(then, change)) {
                return true;
            }
            inner = outer;
        }
        false
    }

    pub(super) fn version(&self, variable: usize, part: &Part, place: Node<'u>) -> Version {
        self.version_by(variable, &self.events(variable, part), place)
    }

    /// The version where only these change it.
    pub(super) fn version_by(&self, variable: usize, events: &[Event<'u>], place: Node<'u>) -> Version {
        let in_launch = contains(self.launch, place);
        let known = &self.variables[variable];
        // The arguments of the launch may change it before, or after, it is read in another one.
        if in_launch && events.iter().any(|e| contains(self.launch, e.node) && e.node != self.launch) {
            return Version::At(place.id());
        }
        let here = Version::At(if in_launch { self.launch.id() } else { place.id() });
        if known.is_wild {
            return here;
        }
        let last = events.iter().rposition(|e| e.at <= place.start_byte() && !self.is_in_other_branch(e.node, place));
        let mut loops = Vec::new();
        let mut inner = place;
        let mut lambda: Option<Node<'u>> = None;
        while let Some(outer) = self.up(inner).filter(|_| inner != known.scope) {
            inner = outer;
            if outer.kind() == "lambda_expression" && outer != known.scope {
                lambda = Some(outer);
            }
            // What is after the lambda, or in a loop around it, may be done before it is called.
            let is_around = is_loop(outer) && lambda.is_none_or(|l| is_repeated(outer, l));
            let before_call = |e: &Event<'u>| {
                lambda.is_some_and(|l| e.at > l.start_byte() || is_around && is_repeated(outer, e.node))
            };
            if events.iter().any(before_call) {
                return here;
            }
            if is_loop(outer) && is_repeated(outer, place) {
                if last.is_some_and(|l| is_repeated(outer, events[l].node)) {
                    break;
                }
                if events.iter().any(|e| is_repeated(outer, e.node)) {
                    loops.push(outer.id());
                }
            }
        }
        Version::After(last, loops)
    }

    /// The value of a part of a variable at a place; `ty` is that of the part.
    pub(super) fn value_at(&mut self, variable: usize, part: &Part, ty: Option<IntTy>, place: Node<'u>) -> N {
        if let Some(size) = self.constant_size(variable, part) {
            return size;
        }
        self.asked.push((variable, part.clone(), ty, place));
        let version = self.version(variable, part, place);
        let key = (variable, part.clone(), version);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        let own = self.symbol_of(&key, ty);
        self.values.insert(key.clone(), own.clone());
        if self.depth > MAX_DEPTH || self.unfollowed.contains(&variable) {
            return own;
        }
        self.depth += 1;
        let value = self.followed(&key, ty, place).unwrap_or(own);
        self.depth -= 1;
        self.values.insert(key, value.clone());
        value
    }

    /// A name for a value that is not followed: that of the variable, if it is the value at the launch.
    fn symbol_of(&mut self, key: &(usize, Part, Version), ty: Option<IntTy>) -> N {
        let (variable, part, version) = key;
        let known = &self.variables[*variable];
        let plain = match part {
            Part::Whole => known.name.to_owned(),
            Part::Field(path) => format!("{}{}", known.name, dotted(path.as_str())),
            Part::Behind(field) => format!("{}->{field}", known.name),
        };
        let at_launch = self.find(known.name, self.launch) == Some(*variable)
            && self.version(*variable, part, self.launch) == *version;
        let mut name = plain.clone();
        let mut n = 1;
        while !at_launch && name == plain || self.symbols.contains(&name) {
            n += 1;
            name = format!("{plain}#{n}");
        }
        self.symbols.insert(name.clone());
        if let Some(first) = self.computed_from(*variable, part, version) {
            self.computed.insert(name.clone(), first);
        }
        if *part != Part::Whole && self.is_dims(*variable) {
            self.sizes.insert(name.clone());
        }
        if let Some(ty) = ty {
            self.types.insert(Name::new(name.as_str()), ty);
        }
        symbol(&name)
    }

    /// The value that the last change gives, when it is always the one.
    fn followed(&mut self, key: &(usize, Part, Version), ty: Option<IntTy>, place: Node<'u>) -> Option<N> {
        let (variable, part, Version::After(Some(last), loops)) = key else { return None };
        let event = *self.events(*variable, part).get(*last)?;
        let statement = self.dominating(event.node, place).filter(|_| loops.is_empty())?;
        self.after(statement, *variable, part, ty)
    }

    /// The statement with a change in it that stands before a place, in the same list of statements as that, or as one
    /// around it.
    pub(super) fn dominating(&self, change: Node<'u>, place: Node<'u>) -> Option<Node<'u>> {
        let mut statement = change;
        loop {
            let parent = self.up(statement)?;
            if contains(parent, place) {
                let runs = match parent.kind() {
                    // What stands in front of the first case is never run.
                    "compound_statement" => self.up(parent).is_none_or(|p| p.kind() != "switch_statement"),
                    "case_statement" | "declaration" => true,
                    "for_statement" => parent.child_by_field_name("initializer") == Some(statement),
                    _ => false,
                };
                return runs.then_some(statement);
            }
            statement = parent;
        }
    }

    /// The value of a part of a variable after a statement that changes it.
    fn after(&mut self, statement: Node<'u>, variable: usize, part: &Part, ty: Option<IntTy>) -> Option<N> {
        let events = self.events(variable, part);
        let inside: Vec<Event<'u>> = events.into_iter().filter(|e| contains(statement, e.node)).collect();
        let Some(last) = inside.last().copied() else { return Some(self.value_at(variable, part, ty, statement)) };
        match statement.kind() {
            "expression_statement" => {
                (statement.named_child(0)? == last.node).then_some(())?;
                self.given(last, variable, part, ty)
            }
            "declaration" => (self.up(last.node)? == statement).then(|| self.given(last, variable, part, ty)).flatten(),
            "compound_statement" => {
                let mut child = last.node;
                while self.up(child)? != statement {
                    child = self.up(child)?;
                }
                self.after(child, variable, part, ty)
            }
            "else_clause" => self.after(last_named(statement)?, variable, part, ty),
            "if_statement" => {
                let condition = statement.child_by_field_name("condition")?;
                let (then, els) =
                    (statement.child_by_field_name("consequence")?, statement.child_by_field_name("alternative"));
                if inside.iter().any(|e| contains(condition, e.node)) {
                    return None;
                }
                let before = |host: &mut Self| host.value_at(variable, part, ty, statement);
                let otherwise = |host: &mut Self| match els {
                    Some(els) => host.after(els, variable, part, ty),
                    None => Some(before(host)),
                };
                if self.leaves(then) {
                    return otherwise(self);
                }
                let first = self.after(then, variable, part, ty)?;
                let second = otherwise(self)?;
                Some(N::ite(&self.condition(condition)?, &first, &second))
            }
            // The declarator, or the head of a loop.
            _ => (statement == last.node).then(|| self.given(last, variable, part, ty)).flatten(),
        }
    }

    /// The value that a change gives.
    fn given(&mut self, event: Event<'u>, variable: usize, part: &Part, ty: Option<IntTy>) -> Option<N> {
        let known = &self.variables[variable];
        let is_dims = self.is_dims(variable);
        let (remote, declarator) = (known.is_remote, known.declarator);
        if remote && event.declares && event.value.is_none() {
            return None;
        }
        match part {
            Part::Behind(_) => None,
            _ if event.value.is_none()
                && matches!(event.node.kind(), "assignment_expression" | "update_expression") =>
            {
                self.stepped(event, variable, part, ty?)
            }
            Part::Field(field) if is_dims => {
                let axis = ["x", "y", "z"].iter().position(|a| *a == field.as_str())?;
                match (event.field, event.value) {
                    (Some(_), value) => {
                        let value = value?;
                        self.rounded(value).or_else(|| self.number(value))
                    }
                    (None, Some(value)) => self.dims(value).into_iter().nth(axis)?,
                    (None, None) if event.declares && !known.is_parameter => {
                        let list = declarator.and_then(|d| {
                            if d.kind() == "function_declarator" {
                                d.child_by_field_name("parameters")
                            } else {
                                child_of_kind(d, "argument_list")
                            }
                        });
                        match list {
                            Some(list) => self.listed(list).into_iter().nth(axis)?,
                            None => Some(N::num(1)),
                        }
                    }
                    (None, None) => None,
                }
            }
            Part::Field(path) => {
                if event.declares && event.value.is_none() && !self.variables[variable].is_parameter {
                    let value = self.part_declared(event, variable, path.as_str())?;
                    return converted(&value, ty);
                }
                let value = event.value?;
                if event.field == Some(path.as_str()) {
                    let value = self.rounded(value).or_else(|| self.number(value))?;
                    return converted(&value, ty);
                }
                self.given_part(value, variable, event.field.unwrap_or(""), path.as_str(), ty)
            }
            Part::Whole => {
                let init = event.value.filter(|_| event.field.is_none())?;
                let inner = match init.kind() {
                    "argument_list" | "initializer_list" if init.named_child_count() == 1 => init.named_child(0)?,
                    _ => init,
                };
                let value = self.rounded(inner).or_else(|| self.number(inner))?;
                converted(&value, ty)
            }
        }
    }

    /// The value that `n /= 2` gives, once.
    fn stepped(&mut self, event: Event<'u>, variable: usize, part: &Part, ty: IntTy) -> Option<N> {
        let is_part = match part {
            Part::Whole => event.field.is_none(),
            Part::Field(path) => event.field == Some(path.as_str()),
            Part::Behind(_) => false,
        };
        let Version::After(_, loops) = self.version(variable, part, event.node) else { return None };
        (is_part && loops.is_empty() && ty.bits >= 32).then_some(())?;
        let place = event.node.child_by_field_name("left").or_else(|| event.node.child_by_field_name("argument"))?;
        let plain = self.path_of(place).is_some_and(|(_, _, whole)| whole);
        let operator = self.unit.str(event.node.child_by_field_name("operator")?);
        let (by, by_ty) = match event.node.child_by_field_name("right").filter(|_| plain) {
            Some(right) => {
                // A constant of the unit counts as an `int`.
                let own = self.type_of(right).or_else(|| self.constant(right).map(|_| IntTy::I32))?;
                // What is negative is another number in an unsigned type.
                let fits = in_common(own, ty) == ty && (ty.signed || self.least(right).is_some_and(|n| n >= 0));
                (self.number(right).filter(|_| fits)?, own)
            }
            None if plain => (N::num(1), ty),
            None => return None,
        };
        let before = self.value_at(variable, part, Some(ty), event.node);
        let known = by.as_num();
        let op = match operator.trim_end_matches('=') {
            "+" | "++" => NBin::Add,
            "-" | "--" => NBin::Sub,
            "*" => NBin::Mul,
            "/" if known != Some(0) => NBin::Div,
            "%" if known != Some(0) => NBin::Rem,
            _ => return None,
        };
        let value = N::bin(op, IntTy::MATH, &before, &by);
        let value = match value.as_num() {
            None if op == NBin::Sub && !(ty.signed && by_ty.signed) => {
                let around = N::bin(NBin::Add, IntTy::MATH, &value, &N::num(1i128 << ty.bits));
                N::ite(&B::rel(NRel::Lt, &value, &N::num(0)), &around, &value)
            }
            _ => value,
        };
        converted(&value, Some(ty))
    }

    /// The change that a version comes after, when nothing else comes between.
    pub(super) fn change_of(&self, variable: usize, version: &Version) -> Option<Node<'u>> {
        let Version::After(Some(last), loops) = version else { return None };
        self.variables[variable].events.get(*last).filter(|_| loops.is_empty()).map(|e| e.node)
    }

    /// The last change of a part, where it is the one that a place sees.
    pub(super) fn last_change(&self, variable: usize, part: &Part, place: Node<'u>) -> Option<Event<'u>> {
        let Version::After(Some(last), loops) = self.version(variable, part, place) else { return None };
        let event = *self.events(variable, part).get(last)?;
        let statement = self.dominating(event.node, place).filter(|_| loops.is_empty())?;
        let direct = statement == event.node
            || matches!(statement.kind(), "expression_statement" | "declaration")
                && self.up(event.node) == Some(statement);
        direct.then_some(event)
    }
}
