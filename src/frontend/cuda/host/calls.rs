//! The calls of a function of the host, as far as they are all that its unit has.

use itertools::Itertools;
use tree_sitter::Node;

use super::super::lower::Lower;
use super::super::unit::{FunDecl, Names, Unit, child_of_kind, declared_name, has_child};
use super::copies::refers;
use super::mentions::parameters_in;
use super::places::{is_question, listed_in};
use super::{Host, function_around};

/// Functions with more calls than this are taken to be called with anything.
const MAX_CALLS: usize = 16;

/// A call, or one through a function that is given the function: where it is made, and what it gives.
pub(super) struct Call<'u> {
    pub node: Node<'u>,
    pub arguments: Vec<Node<'u>>,
}

fn parameters_of<'u>(decl: &FunDecl<'u>) -> Vec<Node<'u>> {
    decl.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default()
}

/// The one function of a name that is none of a class: overloads, members and specialisations are not told apart. What has
/// the name of a kernel as well is another function.
pub(super) fn only_one<'u>(lower: &Lower<'u>, name: &str) -> Option<FunDecl<'u>> {
    let overloads: Vec<&FunDecl<'u>> = lower.names.functions.get(name)?.iter().filter(|d| !d.is_kernel).collect();
    let mut defined = overloads.iter().filter(|d| d.has_body);
    let (Some(only), None) = (defined.next(), defined.next()) else { return None };
    let same = |d: &FunDecl<'u>| {
        d.class.is_none()
            && d.template.is_some() == only.template.is_some()
            && parameters_of(d).len() == parameters_of(only).len()
    };
    // What stands behind a pack has no fixed place.
    let mut parameters = parameters_of(only).into_iter().rev().skip(1);
    let is_fixed = parameters.all(|p| p.kind() != "variadic_parameter_declaration");
    (is_fixed && overloads.iter().all(|d| same(d))).then_some(**only)
}

/// What a call gives, up to a pack, of which it is not known how many it is.
pub(super) fn given(call: Node) -> Vec<Node> {
    let list = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
    list.into_iter().take_while(|a| a.kind() != "parameter_pack_expansion").collect()
}

/// The same with the default arguments for what the call leaves out. [HOST-CALLER]
fn given_or_default<'u>(lower: &Lower<'u>, name: &str, call: Node<'u>) -> Vec<Node<'u>> {
    let mut arguments = given(call);
    let declared = lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
    let default = |at: usize| {
        let of = |d: &FunDecl<'u>| parameters_of(d).get(at)?.child_by_field_name("default_value");
        // Declarations in two scopes are of two functions.
        let is_one = declared.iter().filter(|d| !d.is_kernel).map(|d| d.scope).all_equal();
        declared.iter().filter(|d| is_one && !d.is_kernel).find_map(of)
    };
    if call.child_by_field_name("arguments").map_or(0, |list| listed_in(list).len()) == arguments.len() {
        while let Some(value) = default(arguments.len()) {
            arguments.push(value);
        }
    }
    arguments
}

/// A name with its scopes and arguments of templates.
fn whole_name(name: Node) -> Node {
    let mut whole = name;
    while let Some(parent) = whole.parent().filter(|p| {
        p.kind() == "qualified_identifier"
            || p.kind() == "template_function" && p.child_by_field_name("name") == Some(whole)
    }) {
        whole = parent;
    }
    whole
}

/// Is this name that of a function of the host that is called, and has the name of a kernel? Kernels are not called so.
pub(super) fn is_call_of_host(unit: &Unit, names: &Names, name: Node) -> bool {
    let whole = whole_name(name);
    let overloads = names.functions.get(unit.str(name));
    overloads.is_some_and(|list| list.iter().any(|d| !d.is_kernel))
        && whole.parent().is_some_and(|p| is_callee(whole, p))
}

fn is_callee(name: Node, call: Node) -> bool {
    call.kind() == "call_expression"
        && call.child_by_field_name("function") == Some(name)
        && child_of_kind(call, "kernel_call_syntax").is_none()
}

/// The calls of a function, when the unit has some and does nothing else with its name. [HOST-CALLER]
pub(super) fn calls_of<'u>(unit: &'u Unit<'u>, lower: &Lower<'u>, function: Node<'u>) -> Option<Vec<Call<'u>>> {
    let name = declared_name(function.child_by_field_name("declarator")?)?;
    if name.kind() != "identifier" {
        return None;
    }
    let text = unit.str(name);
    if only_one(lower, text)?.node != function {
        return None;
    }
    let has_kernel = lower.names.functions.get(text)?.iter().any(|d| d.is_kernel);
    let mut calls = Vec::new();
    let mut others = false;
    for node in lower.names.named.get(text).into_iter().flatten().copied() {
        let whole = whole_name(node);
        match whole.parent() {
            Some(parent) if parent.kind() == "function_declarator" && whole.kind() != "template_function" => {}
            Some(parent) if is_callee(whole, parent) => {
                calls.push(Call { node: parent, arguments: given_or_default(lower, text, parent) });
            }
            // Of the kernel.
            Some(parent) if has_kernel && has_child(parent, "kernel_call_syntax") => {}
            Some(_) if has_kernel && is_question(unit, lower.names, node) => {}
            Some(_) => match forwarded(unit, lower, whole, text) {
                Some(call) => calls.push(call),
                None => others = true,
            },
            None => others = true,
        }
    }
    (!others && !calls.is_empty() && calls.len() <= MAX_CALLS).then_some(calls)
}

/// The call of a function that is given to another one, which does nothing but call it with what it is given itself.
fn forwarded<'u>(unit: &'u Unit<'u>, lower: &Lower<'u>, function: Node<'u>, text: &str) -> Option<Call<'u>> {
    // It may change what it gets before the next call.
    if parameters_of(&only_one(lower, text)?).iter().any(|p| unit.str(*p).contains('&')) {
        return None;
    }
    let mut value = function;
    if let Some(address) = value.parent().filter(|p| p.kind() == "pointer_expression" && unit.str(*p).starts_with('&'))
    {
        value = address;
    }
    let list = value.parent().filter(|p| p.kind() == "argument_list")?;
    let call =
        list.parent().filter(|c| c.kind() == "call_expression" && child_of_kind(*c, "kernel_call_syntax").is_none())?;
    let callee = call.child_by_field_name("function").filter(|f| f.kind() == "identifier")?;
    let decl = only_one(lower, unit.str(callee))?;
    let arguments = given(call);
    (arguments.len() == listed_in(list).len()).then_some(())?;
    let at = arguments.iter().position(|a| *a == value)?;
    let parameters = parameters_of(&decl);
    let name_of = |p: Node<'u>| {
        let own = p.child_by_field_name("declarator").and_then(declared_name)?;
        Some(unit.str(own))
    };
    let own = parameters.get(at).filter(|p| p.kind() == "parameter_declaration")?;
    let own = name_of(*own)?;
    let body = decl.node.child_by_field_name("body")?;
    let by_reference = |p: &Node<'u>| unit.str(*p).contains('&');
    // What one reference changes, another may show.
    let only_read = |p: &Node<'u>| name_of(*p).is_some_and(|name| name == own || is_only_read(unit, body, name, own));
    let references = parameters.iter().filter(|p| by_reference(p)).all(only_read);
    let mut each: Vec<Vec<Node<'u>>> = Vec::new();
    for inner in only_called(unit, body, own)? {
        let mut found = Vec::new();
        for argument in listed_in(inner.child_by_field_name("arguments")?) {
            let is_pack = argument.kind() == "parameter_pack_expansion";
            let named = passed_on(unit, if is_pack { argument.named_child(0)? } else { argument });
            (named.kind() == "identifier").then_some(())?;
            let position = parameters.iter().position(|p| name_of(*p) == Some(unit.str(named)))?;
            let parameter = parameters[position];
            if !only_read(&parameter) {
                return None;
            }
            // Its own copy, or what nothing changes while the function runs.
            let given = arguments.get(position..).unwrap_or_default();
            let given = if is_pack { given } else { &given[..given.len().min(1)] };
            if by_reference(&parameter) && !(references && given.iter().all(|a| stays(unit, lower, call, *a))) {
                return None;
            }
            match (parameter.kind(), is_pack) {
                ("parameter_declaration", false) => found.push(*arguments.get(position)?),
                ("variadic_parameter_declaration", true) => found.extend(arguments.get(position..)?),
                _ => return None,
            }
        }
        each.push(found);
    }
    let first = each.first()?.clone();
    each.iter().all(|found| *found == first).then_some(Call { node: call, arguments: first })
}

impl<'u> Host<'_, 'u> {
    /// Does a call give references to a function that only reads them, and gives them to another one, which takes all by value?
    pub(super) fn passes_on_values(&self, function: Node<'u>, arguments: Node<'u>) -> bool {
        let (unit, lower) = (self.unit, &*self.lower);
        let outside = |name: Node<'u>| name.kind() == "identifier" && self.find(unit.str(name), name).is_none();
        // Those that the function may read its parameters with.
        let changes = |(name, parameters): &(&str, &str)| {
            !matches!(*name, "<<" | ">>" | "," | "()" | "[]") && parameters_in(parameters).into_iter().any(refers)
        };
        if self.is_method() || !outside(function) || self.said.operators.iter().any(changes) {
            return false;
        }
        let Some(decl) = only_one(lower, unit.str(function)) else { return false };
        let Some(body) = decl.node.child_by_field_name("body") else { return false };
        let parameters = parameters_of(&decl);
        let name_of = |p: Node<'u>| p.child_by_field_name("declarator").and_then(declared_name).map(|n| unit.str(n));
        let mut through = listed_in(arguments).into_iter().zip(&parameters).filter_map(|(argument, parameter)| {
            let by_value = only_one(lower, unit.str(argument)).filter(|_| outside(argument))?;
            let copies = by_value.template.is_none()
                && parameters_of(&by_value)
                    .iter()
                    .all(|p| p.kind() == "parameter_declaration" && !self.parameter_refers(*p));
            let own = name_of(*parameter).filter(|_| copies && parameter.kind() == "parameter_declaration")?;
            only_called(unit, body, own).is_some().then_some(own)
        });
        let Some(own) = through.next() else { return false };
        let is_harmless = |p: &Node<'u>| {
            !unit.str(*p).contains('&')
                || name_of(*p).is_some_and(|name| name == own || is_only_read(unit, body, name, own))
        };
        parameters.iter().all(is_harmless)
    }
}

/// What `std::forward<T>(x)` passes on, which is `x` for a function that takes its parameters by value.
fn passed_on<'u>(unit: &Unit, argument: Node<'u>) -> Node<'u> {
    let inner = || {
        let callee = argument.child_by_field_name("function")?;
        let list = argument.child_by_field_name("arguments")?;
        let [only] = listed_in(list).try_into().ok()?;
        (argument.kind() == "call_expression" && unit.str(callee).starts_with("std::forward<")).then_some(only)
    };
    inner().unwrap_or(argument)
}

/// Is what a call gives by reference a number, or a variable of the calling function that nothing else than what stands there
/// can change, nor keep a way to it?
fn stays<'u>(unit: &'u Unit<'u>, lower: &Lower<'u>, call: Node<'u>, argument: Node<'u>) -> bool {
    let name = match argument.kind() {
        "number_literal" | "true" | "false" => return true,
        // What is computed is a value of its own.
        "binary_expression" => {
            let operator = argument.child_by_field_name("operator").map_or("", |o| unit.str(o));
            return matches!(operator, "+" | "-" | "*" | "/" | "%");
        }
        "identifier" => unit.str(argument),
        _ => return false,
    };
    let Some(caller) = function_around(call) else { return false };
    let (mut declared, mut stays) = (false, true);
    // Is it declared in a block around the call?
    let is_around = |declaration: Option<Node<'u>>| {
        let block = declaration.and_then(|d| {
            std::iter::successors(d.parent(), Node::parent)
                .find(|n| matches!(n.kind(), "compound_statement" | "for_statement" | "function_definition"))
        });
        block.is_some_and(|b| b.start_byte() <= call.start_byte() && call.end_byte() <= b.end_byte())
    };
    each_below(caller, |node| {
        if unit.str(node) != name {
            return;
        }
        let Some(parent) = node.parent() else { return };
        stays &= node.kind() == "identifier";
        match parent.kind() {
            "init_declarator" if parent.child_by_field_name("declarator") == Some(node) => {
                declared |= is_around(parent.parent());
                stays &= parent.parent().is_some_and(|d| !unit.str(d).starts_with("static"));
            }
            "pointer_declarator" | "declaration" | "parameter_declaration" => {
                // `int *a`, `const int *a = b`.
                let declaration = std::iter::successors(Some(parent), Node::parent)
                    .find(|n| matches!(n.kind(), "declaration" | "parameter_declaration"));
                declared |= is_around(declaration);
                stays &= declaration.is_some_and(|d| {
                    let text = unit.str(d);
                    !text.starts_with("static") && !text.starts_with("extern") && !text.contains("= &")
                });
            }
            "reference_declarator" | "lambda_capture_specifier" => stays = false,
            // Given to a function that is not of the program: it keeps no pointer to a variable.
            "pointer_expression" => {
                let mut around = parent.parent();
                while let Some(cast) = around.filter(|n| matches!(n.kind(), "cast_expression")) {
                    around = cast.parent();
                }
                let callee = around
                    .filter(|n| n.kind() == "argument_list")
                    .and_then(|n| n.parent())
                    .and_then(|n| n.child_by_field_name("function"));
                stays &= unit.str(parent).starts_with('*')
                    || callee
                        .is_some_and(|c| c.kind() == "identifier" && !lower.names.functions.contains_key(unit.str(c)));
            }
            // A function of the program may keep a reference.
            "argument_list" => {
                let call_of = parent.parent().filter(|p| p.kind() == "call_expression");
                let callee = call_of.and_then(|p| p.child_by_field_name("function"));
                let function = call.child_by_field_name("function").map(|f| unit.str(f));
                let keeps = |callee: Node<'u>| {
                    let name = callee.child_by_field_name("field").unwrap_or(callee);
                    let declared = lower.names.functions.get(unit.str(unit.qualified(name).1));
                    declared.into_iter().flatten().any(|d| parameters_of(d).iter().any(|p| unit.str(*p).contains('&')))
                };
                stays &= match callee {
                    Some(callee) => Some(unit.str(callee)) == function || !keeps(callee),
                    None => parent.parent().and_then(|p| p.parent()).is_some_and(|d| {
                        let text = unit.str(d);
                        text.starts_with("dim3") || text.starts_with("std::")
                    }),
                };
            }
            // `int &r = x`
            "init_declarator" => {
                stays &= parent.child_by_field_name("declarator").is_some_and(|d| d.kind() != "reference_declarator");
            }
            _ => {}
        }
    });
    let mut lambdas = false;
    let mut stack = vec![caller];
    while let Some(node) = stack.pop() {
        lambdas |= node.kind() == "lambda_expression" && unit.str(node).starts_with("[&");
        stack.extend(listed_in(node));
    }
    stays && declared && !lambdas
}

/// The calls of a parameter of a function, if that is all that is done with it.
fn only_called<'u>(unit: &Unit, body: Node<'u>, name: &str) -> Option<Vec<Node<'u>>> {
    let mut calls = Vec::new();
    each_below(body, |node| {
        if unit.str(node) == name {
            calls.push(node.parent().filter(|p| node.kind() == "identifier" && is_callee(node, *p)));
        }
    });
    calls.into_iter().collect()
}

/// Is a parameter only given to this function by its value, and read in sums and comparisons?
fn is_only_read(unit: &Unit, body: Node, name: &str, function: &str) -> bool {
    let mut only = true;
    each_below(body, |node| {
        if unit.str(node) != name {
            return;
        }
        let mut around = node.parent();
        while let Some(pack) = around.filter(|p| p.kind() == "parameter_pack_expansion") {
            around = pack.parent();
        }
        let mut call = around.filter(|p| p.kind() == "argument_list").and_then(|p| p.parent());
        if let Some(forward) = call.filter(|c| passed_on(unit, *c) == node) {
            around = forward.parent();
            while let Some(pack) = around.filter(|p| p.kind() == "parameter_pack_expansion") {
                around = pack.parent();
            }
            call = around.filter(|p| p.kind() == "argument_list").and_then(|p| p.parent());
        }
        let callee = call.filter(|c| c.kind() == "call_expression").and_then(|c| c.child_by_field_name("function"));
        let operator =
            around.filter(|p| p.kind() == "binary_expression").and_then(|p| p.child_by_field_name("operator"));
        only &= node.kind() == "identifier"
            && (callee.is_some_and(|c| unit.str(c) == function)
                || operator.is_some_and(|o| !matches!(unit.str(o), "<<" | ">>" | ",")));
    });
    only
}

/// Visits the names below a node.
fn each_below<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "field_identifier" | "type_identifier") {
            visit(node);
        }
        stack.extend(listed_in(node));
    }
}

/// Calls of functions of this name, of templates and members as well, with as many arguments: they may be calls of this one.
pub(super) fn calls_like<'u>(unit: &'u Unit<'u>, lower: &Lower<'u>, function: Node<'u>) -> Vec<Call<'u>> {
    let declarator = function.child_by_field_name("declarator");
    let Some(name) = declarator.and_then(declared_name) else { return Vec::new() };
    let text = unit.str(unit.qualified(name).1);
    let function_declarator = name.parent().filter(|p| p.kind() == "function_declarator");
    let count = function_declarator.and_then(|d| d.child_by_field_name("parameters")).map(|p| listed_in(p).len());
    let mut calls = Vec::new();
    for node in lower.names.calls.get(text).into_iter().flatten().copied().filter(|_| !text.is_empty()) {
        let list = node.child_by_field_name("arguments").map(listed_in);
        if let Some(arguments) = list.filter(|list| Some(list.len()) == count && calls.len() <= MAX_CALLS) {
            calls.push(Call { node, arguments });
        }
    }
    calls
}
