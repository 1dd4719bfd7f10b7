//! What a lambda takes along by value: the pointers and numbers that its variables have where it stands. [HOST-CAPTURE]
//!
//! For a kernel it is an object whose members have the names of these variables. Nothing changes them later.

use tree_sitter::Node;

use super::super::lower::Lower;
use super::super::types::Bindings;
use super::super::unit::FunDecl;
use super::super::unit::{each_named, last_named};
use super::callers::{overlaps_of_calls, with_sources};
use super::fields::ObjectParts;
use super::places::listed_in;
use super::types::converted;
use super::variables::{Part, contains};
use super::{Given, Host, HostLaunch, Overlap, function_around};
use crate::kernel::types::Type;

/// The name of a member of the object, and what it is a copy of.
pub(super) type Capture<'u> = (&'u str, Node<'u>);

/// What the names of their classes begin with.
pub(super) const LAMBDA: &str = "lambda@";

/// The name of the class of a lambda.
pub(super) fn class_of_lambda(lambda: Node) -> String {
    format!("{LAMBDA}{}", lambda.start_byte())
}

/// Where it is not followed which lambda a launch is given, but the kernel is an instance for one: pairs of pointers that this has
/// taken along may be one as they are there, and its numbers are computed in a way that is not followed.
pub(super) fn with_lambdas<'u>(
    lower: &mut Lower<'u>,
    kernel: &FunDecl<'u>,
    bindings: &Bindings,
    launch: &mut HostLaunch,
) {
    let unit = lower.unit;
    let parameters = kernel.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
    for (i, parameter) in parameters.into_iter().enumerate() {
        let ty = parameter.child_by_field_name("type").and_then(|ty| bindings.types.get(unit.str(ty)));
        let Some(Type::Struct(class)) = ty.filter(|_| i < launch.objects.len()) else { continue };
        let Some((lambda, _)) = lower.class_nodes.get(&*class.name).filter(|_| class.name.starts_with(LAMBDA)) else {
            continue;
        };
        let lambda = *lambda;
        if launch.objects[i].class == class_of_lambda(lambda) {
            continue;
        }
        launch.objects[i] = ObjectParts { class: class_of_lambda(lambda), ..ObjectParts::default() };
        launch.made.objects.insert(i);
        let Some(function) = function_around(lambda) else { continue };
        let mut host = Host::new(unit, lower, function, lambda);
        host.scan();
        let mut met = host.overlaps(&[lambda], None);
        // What the function around it was given twice.
        let sources = with_sources(&Vec::new(), &[], std::mem::take(&mut host.sources));
        met.extend(overlaps_of_calls(unit, lower, function, None, &sources));
        let own = |given: Given| (i, given.1);
        launch.overlaps.extend(met.into_iter().map(|o| Overlap {
            later: own(o.later),
            earlier: own(o.earlier),
            by: o.by.filter(|by| by.as_num().is_some()),
            ..o
        }));
    }
}

impl<'u> Host<'_, 'u> {
    /// The lambda that an argument is, or that the variable is made of which it names. One that may change what it has taken
    /// along is none.
    pub(super) fn lambda_given(&self, argument: Node<'u>) -> Option<Node<'u>> {
        let lambda = match argument.kind() {
            "lambda_expression" => argument,
            "identifier" => {
                let known = self.variable_at(argument)?;
                let lambda = self.lambda_named(argument)?;
                let declarator = known.declarator?;
                let is_own = declarator.start_byte() <= lambda.start_byte() && lambda.end_byte() <= known.from;
                let is_auto = known.ty.is_some_and(|ty| self.unit.str(ty) == "auto");
                Some(lambda).filter(|_| is_own && is_auto)?
            }
            _ => return None,
        };
        (!self.is_mutable(lambda)).then_some(lambda)
    }

    fn is_mutable(&self, lambda: Node<'u>) -> bool {
        let body = lambda.child_by_field_name("body").map_or(lambda.end_byte(), |body| body.start_byte());
        self.unit.text[lambda.start_byte()..body].contains("mutable")
    }

    /// What a lambda captures by value: what is listed, and with `[=]` all that its body names of the function around it.
    pub(super) fn captures(&self, lambda: Node<'u>) -> Vec<Capture<'u>> {
        let Some(list) = lambda.child_by_field_name("captures") else { return Vec::new() };
        let text = self.unit.str(list).trim_start_matches('[').trim_end_matches(']');
        let items: Vec<&str> = text.split(',').map(str::trim).collect();
        let is_default = items.first() == Some(&"=");
        let mut found: Vec<Capture<'u>> = Vec::new();
        for item in listed_in(list).into_iter().filter(|item| item.kind() == "lambda_capture_initializer") {
            let name = item.child_by_field_name("left").or_else(|| item.named_child(0));
            let value = item.child_by_field_name("right").or_else(|| last_named(item));
            if let (Some(name), Some(value), false) = (name, value, self.unit.str(item).starts_with('&')) {
                found.push((self.unit.str(name), value));
            }
        }
        let mut named = Vec::new();
        for part in [Some(list), lambda.child_by_field_name("body")].into_iter().flatten() {
            each_named(part, |n| {
                named.extend(Some(n).filter(|n| matches!(n.kind(), "identifier" | "type_identifier")))
            });
        }
        for name in named {
            let text = self.unit.str(name);
            let by_value = items.contains(&text)
                || is_default && !items.iter().any(|item| item.strip_prefix('&').map(str::trim) == Some(text));
            let is_new = by_value && found.iter().all(|(known, _)| *known != text);
            let around = |v: usize| {
                let scope = self.variables[v].scope;
                scope != lambda && contains(scope, lambda) && self.variables[v].outside.is_none()
            };
            if is_new && self.find(text, name).is_some_and(around) {
                found.push((text, name));
            }
        }
        found
    }

    /// Does a name in the body of a lambda mean a copy of this variable, which nothing changes? What the copy points to is
    /// another matter.
    pub(super) fn has_copy(&self, node: Node<'u>, variable: usize) -> bool {
        let known = &self.variables[variable];
        // Another name, and what outlives the function, is no copy.
        if known.is_remote || known.outside.is_some() || known.declarator.is_none() {
            return false;
        }
        let mut inner = node;
        while let Some(outer) = self.up(inner).filter(|_| inner != known.scope && inner != self.function) {
            let in_body = outer.kind() == "lambda_expression" && outer.child_by_field_name("body") == Some(inner);
            if in_body && outer != known.scope && contains(known.scope, outer) {
                let list = outer.child_by_field_name("captures").map_or("", |list| self.unit.str(list));
                let by_value = !list.contains(['&', '(', '{', '<']) && !list.contains("this");
                if by_value && !self.is_mutable(outer) {
                    return true;
                }
            }
            inner = outer;
        }
        false
    }

    /// The integers that a lambda has taken along, by the names of the variables, and their parts.
    pub(super) fn captured_integers(&mut self, lambda: Node<'u>) -> ObjectParts {
        let mut passed = ObjectParts { class: class_of_lambda(lambda), ..ObjectParts::default() };
        for (name, value) in self.captures(lambda) {
            let own = Some(value).filter(|v| self.unit.str(*v) == name);
            let Some(variable) = own.and_then(|own| self.find(name, own)) else {
                passed.parts.extend(self.number(value).map(|n| (name.to_owned(), n)));
                continue;
            };
            if self.is_of_integers(variable) && self.is_named_number(name, value) {
                let is_plain = |d: Node| super::values::is_plain_name(d.kind());
                let known = &self.variables[variable];
                let Some(ty) = known.ty.filter(|_| known.declarator.is_some_and(is_plain)) else { continue };
                let ty = self.integer_type(ty);
                let number = self.value_at(variable, &Part::Whole, ty, self.read_at(lambda));
                passed.parts.extend(converted(&number, ty).map(|n| (name.to_owned(), n)));
                continue;
            }
            let mut object = ObjectParts::default();
            self.parts_of_variable(variable, lambda, &mut object);
            let part = |path: String| format!("{name}{}", super::versions::dotted(&path));
            passed.parts.extend(object.parts.into_iter().map(|(path, n)| (part(path), n)));
            passed.untold.extend(object.untold.into_iter().map(part));
            passed.doubtful.extend(object.doubtful.into_iter().map(part));
        }
        passed
    }
}
