//! Is a number that is not followed one that the host computes, or one that comes from outside? [HOST-COMPUTED]
//!
//! A race that needs a value of the first kind is not certain: the host may never give it.

use tree_sitter::Node;

use super::super::builtins::vector_type;
use super::super::unit::{child_of_kind, declared_name, each_named};
use super::Host;
use super::places::listed_in;
use super::variables::{Event, Part};
use super::versions::Version;

/// Functions whose result is made of their arguments alone.
const PURE: [&str; 28] = [
    "min", "max", "abs", "fabs", "sqrt", "sqrtf", "pow", "powf", "ceil", "ceilf", "floor", "floorf", "log", "log2",
    "log2f", "logf", "log10", "exp", "exp2", "round", "lround", "frexp", "ldexp", "int", "float", "double", "size_t",
    "unsigned",
];

/// Functions of the platform that say nothing of numbers.
const ALLOCATES: [&str; 6] = ["Malloc", "MallocManaged", "Free", "Memset", "GetLastError", "DeviceSynchronize"];

impl<'u> Host<'_, 'u> {
    /// Where what a version of a variable holds is computed here: the constants that it surely is at some time.
    pub(super) fn computed_from(&mut self, variable: usize, part: &Part, version: &Version) -> Option<Vec<i128>> {
        let known = &self.variables[variable];
        // Sizes from outside may be any; of a number, the text says whether it is asked for.
        if known.outside.is_some() && *part == Part::Whole {
            let first = known.declarator.and_then(|d| d.parent()?.child_by_field_name("value"));
            let is_input = self.is_asked_for(known.name);
            return (!is_input).then(|| first.and_then(|v| self.constant(v)?.as_num()).into_iter().collect());
        }
        if known.is_wild || known.is_remote || matches!(part, Part::Behind(_)) {
            return None;
        }
        if self.is_among(variable) {
            return None;
        }
        let events = self.events(variable, part);
        let mut first = Vec::new();
        if let Version::After(last, loops) = version {
            let last = match part {
                // What a call of the platform may only change because the object was given away before.
                Part::Field(_) => {
                    events[..=(*last)?].iter().rev().copied().find(|e| !self.leaves_numbers(e, variable))?
                }
                _ => last.and_then(|l| events.get(l)).copied()?,
            };
            if let Part::Field(path) = part
                && last.field != Some(path.as_str())
            {
                let others = if loops.is_empty() { Vec::new() } else { events };
                return self.made_from(variable, path.as_str(), last, others);
            }
            // What it was called with, or what is not set; what it holds in the first round of a loop.
            if last.declares && last.value.is_none() || !loops.is_empty() && last.value.is_some_and(|v| self.is_free(v))
            {
                return None;
            }
            let number = last.value.filter(|_| !loops.is_empty()).and_then(|v| self.constant(v)?.as_num());
            first.extend(number);
        }
        let is_parameter = self.variables[variable].is_parameter;
        let is_unset = !is_parameter && events.first().is_none_or(|e| e.declares && e.value.is_none());
        let (mut steps, mut computes) = (false, false);
        for event in events {
            if self.counts(event.node) {
                continue;
            }
            match (event.value, event.node.kind()) {
                (Some(value), _) if self.constant(value).is_none() => {
                    if self.is_input(value) {
                        return steps.then_some(first);
                    }
                    computes = true;
                }
                (Some(_), _) => {}
                (None, _) if event.declares => {}
                // Any sum may be meant, and anything may be read.
                (None, "update_expression" | "binary_expression") => return None,
                (None, "assignment_expression") => {
                    let operator = event.node.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
                    let by = event.node.child_by_field_name("right");
                    if matches!(operator, "+=" | "-=") && !by.is_some_and(|by| self.names(by, variable)) {
                        return None;
                    }
                    steps = true;
                }
                // Whether a function that is given its name changes it is not known.
                (None, "call_expression")
                    if !is_unset && !is_parameter && self.is_given_by_name(event.node, variable) =>
                {
                    computes = true
                }
                // What a function is to set.
                (None, _)
                    if (is_unset || !is_parameter && self.calls_own(event.node)) && !self.is_input(event.node) =>
                {
                    computes = true;
                    first.extend(self.constants_set(event.node));
                }
                (None, _) => return None,
            }
        }
        (steps || computes).then_some(first)
    }

    /// Where an object is changed as a whole, last by this, and by others in loops: the constants that a part of it surely
    /// is, if it is made of nothing that comes from outside.
    fn made_from(&mut self, variable: usize, path: &str, last: Event<'u>, others: Vec<Event<'u>>) -> Option<Vec<i128>> {
        let mut first = Vec::new();
        let is_own = self.variables[variable].ty.is_some_and(|ty| self.class_of(ty).is_some());
        let is_dims = self.is_dims(variable);
        for event in others.into_iter().filter(|e| e.node != last.node).chain([last]) {
            let list = event.node.child_by_field_name("parameters");
            let is_call = event.node.kind() == "call_expression";
            let list = list.or_else(|| child_of_kind(event.node, "argument_list")).filter(|_| !is_call);
            let made = event.value.or(list);
            let is_whole = event.field != Some(path);
            match made.map(|made| if is_whole { self.item_for(made, variable, path).unwrap_or(made) } else { made }) {
                Some(_) if event.declares && self.variables[variable].is_parameter => return None,
                Some(made) if self.comes_from_outside(made) => return None,
                Some(made) => first.extend(self.constant(made).and_then(|n| n.as_num())),
                // What its class makes it.
                None if event.declares
                    && (event.node != last.node || is_own && !self.variables[variable].is_parameter) => {}
                None if !is_dims && self.calls_own(event.node) && !self.is_input(event.node) => {
                    first.extend(self.constants_set(event.node));
                }
                None if !is_dims
                    && (self.sets_itself(event.node, variable) || self.is_given_by_name(event.node, variable)) => {}
                None => return None,
            }
        }
        Some(first)
    }

    /// Is a call one of a method that the class of a variable defines, which is given nothing that comes from outside?
    fn sets_itself(&mut self, call: Node<'u>, variable: usize) -> bool {
        let function = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression");
        let object = function.and_then(|f| f.child_by_field_name("argument")).filter(|o| o.kind() == "identifier");
        let name = function.and_then(|f| f.child_by_field_name("field")).map(|f| self.unit.str(f));
        let class = self.variables[variable].ty.and_then(|ty| self.class_of(ty));
        let body = class.and_then(|class| class.child_by_field_name("body")).map(listed_in).unwrap_or_default();
        let own = |item: &Node<'u>| {
            let declared = item.child_by_field_name("declarator").and_then(declared_name);
            item.kind() == "function_definition" && declared.map(|n| self.unit.str(n)) == name
        };
        let methods: Vec<Node<'u>> = body.into_iter().filter(own).collect();
        let is_meant = object.is_some_and(|o| self.find(self.unit.str(o), o) == Some(variable));
        let asks = methods.is_empty() || methods.iter().any(|method| self.calls_others(*method));
        is_meant && !asks && call.child_by_field_name("arguments").is_some_and(|list| !self.comes_from_outside(list))
    }

    /// May what an object is made of come from outside? What pointers are is not asked.
    pub(super) fn comes_from_outside(&mut self, node: Node<'u>) -> bool {
        let items = match node.kind() {
            "initializer_list" | "argument_list" | "parameter_list" => listed_in(node),
            "call_expression" => node.child_by_field_name("arguments").map(listed_in).unwrap_or_default(),
            "compound_literal_expression" => node.child_by_field_name("value").map(listed_in).unwrap_or_default(),
            _ => return self.is_input(node) || self.is_free(node),
        };
        let items: Vec<Node<'u>> = items.into_iter().filter(|item| !self.is_pointer(*item)).collect();
        items.into_iter().any(|item| self.comes_from_outside(item))
            || node.kind() == "call_expression" && self.is_input(node)
    }

    /// Is a variable an argument of a call, of a function that is not there?
    fn is_given_by_name(&self, call: Node<'u>, variable: usize) -> bool {
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let named = |a: &Node<'u>| a.kind() == "identifier" && self.find(self.unit.str(*a), *a) == Some(variable);
        let name = call.child_by_field_name("function").map_or("", |f| self.callee(f));
        arguments.iter().any(named) && !self.lower.names.functions.contains_key(name)
    }

    /// Is this the call of a function, and no method, that the unit defines?
    fn calls_own(&self, call: Node<'u>) -> bool {
        let function =
            call.child_by_field_name("function").filter(|f| matches!(f.kind(), "identifier" | "template_function"));
        let own = function.and_then(|f| self.lower.names.functions.get(self.callee(f)));
        own.is_some_and(|own| own.iter().all(|decl| decl.has_body && !decl.is_kernel))
    }

    /// Is this a call of the platform that is given neither a variable nor its address?
    fn leaves_numbers(&self, event: &Event<'u>, variable: usize) -> bool {
        let function = event.node.child_by_field_name("function").filter(|_| event.node.kind() == "call_expression");
        let arguments = event.node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let is_it = |argument: &Node<'u>| {
            let place = argument.child_by_field_name("argument").unwrap_or(*argument);
            place.kind() == "identifier" && self.find(self.unit.str(place), place) == Some(variable)
        };
        let is_harmless = function.is_some_and(|f| self.is_harmless(f));
        event.field.is_none() && is_harmless && !arguments.iter().any(is_it)
    }

    /// The constants that the functions which a call may mean assign to something.
    fn constants_set(&mut self, call: Node<'u>) -> Vec<i128> {
        let name = call.child_by_field_name("function").map_or("", |f| self.callee(f));
        let own = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let mut values = Vec::new();
        for definition in own.iter().map(|decl| decl.node) {
            each_named(definition, |n| {
                values.extend(n.child_by_field_name("right").filter(|_| n.kind() == "assignment_expression"));
            });
        }
        let literals = values.into_iter().filter(|v| v.kind() == "number_literal");
        literals.filter_map(|v| self.constant(v)?.as_num()).collect()
    }

    /// Is an argument the address of a variable that is declared here? What a function of the unit finds there comes from here.
    fn is_own_address(&self, argument: Node<'u>) -> bool {
        let place = argument.child_by_field_name("argument").filter(|_| argument.kind() == "pointer_expression");
        let is_address = self.unit.str(argument).starts_with('&');
        let known = place.filter(|p| is_address && p.kind() == "identifier").and_then(|p| self.variable_at(p));
        known.is_some_and(|v| !v.is_parameter && v.outside.is_none() && v.declarator.is_some())
    }

    /// Is a call one of a method that the class of its object defines, which asks nobody, where that is declared here?
    fn calls_own_method(&self, call: Node<'u>) -> bool {
        let function = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression");
        let part = |name: &str| function.and_then(|f| f.child_by_field_name(name));
        let known = part("argument").filter(|o| o.kind() == "identifier").and_then(|o| self.variable_at(o));
        let class = known.filter(|v| !v.is_parameter && !v.is_remote).and_then(|v| self.class_of(v.ty?));
        let methods = class.zip(part("field")).map(|(class, name)| self.methods_named(class, self.unit.str(name)));
        methods.is_some_and(|all| !all.is_empty() && all.iter().all(|method| !self.calls_others(*method)))
    }

    /// What the names in brackets are made of that a name is one of: `auto [a, b] = v;`
    fn taken_apart(&self, name: Node<'u>) -> Option<Node<'u>> {
        let text = self.unit.str(name);
        let mut found = None;
        each_named(self.function, |n| {
            let names = n.child_by_field_name("declarator").filter(|d| d.kind() == "structured_binding_declarator");
            if names.is_some_and(|d| listed_in(d).into_iter().any(|own| self.unit.str(own) == text)) {
                found = n.child_by_field_name("value").filter(|_| n.kind() == "init_declarator");
            }
        });
        found.filter(|value| value.end_byte() <= name.start_byte())
    }

    /// Is a variable named in an expression?
    fn names(&self, node: Node<'u>, variable: usize) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let name = self.unit.str(node);
            if node.kind() == "identifier" && self.find(name, node) == Some(variable) {
                return true;
            }
            stack.extend(listed_in(node));
        }
        false
    }

    /// May an expression have any value: does it come from outside, or from what the function is called with?
    fn is_free(&mut self, node: Node<'u>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            // `dim3 b(q);` reads as the declaration of a function.
            let is_name = matches!(node.kind(), "identifier" | "type_identifier");
            let known = self.variable_at(node).filter(|v| is_name && v.outside.is_none());
            if known.is_some_and(|v| v.is_parameter || v.is_remote || v.is_wild) {
                return true;
            }
            stack.extend(listed_in(node));
        }
        self.is_input(node)
    }

    /// `i++` in the head of a loop.
    fn counts(&self, node: Node<'u>) -> bool {
        let mut around = node;
        while let Some(parent) = around.parent().filter(|p| p.kind() == "comma_expression") {
            around = parent;
        }
        let in_head = around
            .parent()
            .is_some_and(|p| p.kind() == "for_statement" && p.child_by_field_name("update") == Some(around));
        let text: String = self.unit.str(node).chars().filter(|c| !c.is_whitespace()).collect();
        in_head && (node.kind() == "update_expression" || text.ends_with("+=1") || text.ends_with("-=1"))
    }

    /// May a value come from outside of what the text says: from a function that it does not define, or an object that
    /// it does not make?
    pub(super) fn is_input(&mut self, node: Node<'u>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "call_expression" => {
                    let function = node.child_by_field_name("function");
                    let name = function.map_or("", |f| self.callee(f));
                    let is_own = self.lower.names.functions.contains_key(name) && !self.asks(name);
                    let kind = function.map_or("", |f| f.kind());
                    let is_own = is_own && matches!(kind, "identifier" | "template_function");
                    let is_plain = kind != "field_expression";
                    let is_platform = ["cuda", "hip"].iter().any(|p| name.starts_with(p));
                    let is_made = kind == "identifier" && self.lower.names.types.contains_key(name)
                        || name == "dim3"
                        || name.strip_prefix("make_").is_some_and(|class| vector_type(class).is_some());
                    let is_known = is_own || is_made || is_platform || PURE.contains(&name) || name.ends_with("_cast");
                    let is_pair = is_plain && ["make_pair", "make_tuple"].contains(&name);
                    let is_known = is_known || is_pair && self.find(name, node).is_none();
                    let is_method = self.calls_own_method(node);
                    if !(is_method || is_plain && (is_known || !self.asks(name) && self.takes_numbers(node))) {
                        return true;
                    }
                    let arguments = node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                    stack.extend(arguments.into_iter().filter(|a| !(is_own && self.is_own_address(*a))));
                    continue;
                }
                "field_expression" | "subscript_expression" => {
                    let object = self.path_of(node).and_then(|(o, _, _)| self.variable_at(o));
                    if object.is_none_or(|o| o.is_parameter || o.is_remote || o.is_wild)
                        || self.method_type(node).is_some()
                    {
                        return true;
                    }
                }
                "identifier" if let Some(value) = self.taken_apart(node) => stack.push(value),
                "identifier" => {
                    let own = self.variable_at(node).filter(|v| v.outside.is_none()).map(|v| v.is_remote || v.is_wild);
                    let is_other = own.is_none() && self.constant(node).is_none();
                    if own == Some(true) || is_other && self.is_asked_for(self.unit.str(node)) {
                        return true;
                    }
                }
                "lambda_expression" | "pointer_expression" | "new_expression" => return true,
                "assignment_expression" | "update_expression" => return true,
                _ => {}
            }
            stack.extend(listed_in(node));
        }
        false
    }

    /// Is a function given numbers only, and one that a variable holds?
    fn takes_numbers(&mut self, call: Node<'u>) -> bool {
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let any = arguments.iter().any(|a| self.constant(*a).is_none());
        any && arguments.into_iter().all(|a| self.constant(a).is_some() || self.number(a).is_some())
    }

    /// May a variable outside of functions have a value that comes from outside, by the words of the text?
    fn is_asked_for(&self, name: &str) -> bool {
        let text = &self.unit.text;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            if before.ends_with(is_word) || after.starts_with(is_word) {
                return false;
            }
            let (before, after) = (before.trim_end(), after.trim_start());
            let is_address = before.ends_with('&') && !before.ends_with("&&");
            let value = after.strip_prefix('=').filter(|v| !v.starts_with('='));
            let value = value.map_or("", |v| v.split(';').next().unwrap_or(""));
            let calls = value.match_indices('(').any(|(at, _)| value[..at].trim_end().ends_with(is_word));
            let looks = value.contains("->") || value.contains('[') || value.contains('.');
            is_address || before.ends_with(">>") || calls || looks
        })
    }

    /// Does a function of the program call one that it does not define, other than to compute?
    fn asks(&self, name: &str) -> bool {
        let own = self.lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
        own.iter().any(|decl| !decl.has_body || self.calls_others(decl.node))
    }

    /// Does a definition call functions that the program does not define, other than to compute?
    fn calls_others(&self, definition: Node<'u>) -> bool {
        let mut stack = vec![definition];
        while let Some(node) = stack.pop() {
            let function = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
            if let Some(function) = function {
                let callee = self.callee(function);
                // New memory is no number.
                let allocates = ["cuda", "hip"]
                    .iter()
                    .any(|prefix| callee.strip_prefix(prefix).is_some_and(|end| ALLOCATES.contains(&end)));
                let is_known = allocates
                    || PURE.contains(&callee)
                    || callee.ends_with("_cast")
                    || self.lower.names.functions.contains_key(callee)
                    || ["assert", "printf", "fprintf", "exit", "abort"].contains(&callee);
                if !is_known {
                    return true;
                }
            }
            stack.extend(listed_in(node));
        }
        false
    }
}
