//! Is a number that is not followed one that the host computes, or one that comes from outside? [HOST-COMPUTED]
//!
//! A race that needs a value of the first kind is not certain: the host may never give it.

use tree_sitter::Node;

use super::super::unit::child_of_kind;
use super::Host;
use super::places::listed_in;
use super::variables::Part;
use super::versions::Version;

/// Functions whose result is made of their arguments alone.
const PURE: [&str; 28] = [
    "min", "max", "abs", "fabs", "sqrt", "sqrtf", "pow", "powf", "ceil", "ceilf", "floor", "floorf", "log", "log2",
    "log2f", "logf", "log10", "exp", "exp2", "round", "lround", "frexp", "ldexp", "int", "float", "double", "size_t",
    "unsigned",
];

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
        if known.is_wild || known.is_remote || matches!(part, Part::Behind(_)) || self.is_among(variable) {
            return None;
        }
        let events = self.events(variable, part);
        let mut first = Vec::new();
        if let Version::After(last, loops) = version {
            let last = last.and_then(|l| events.get(l)).copied()?;
            if matches!(part, Part::Field(path) if last.field != Some(path.as_str())) {
                let list =
                    last.node.child_by_field_name("parameters").or_else(|| child_of_kind(last.node, "argument_list"));
                let made =
                    last.value.or(list).filter(|_| self.is_dims(variable) && !self.variables[variable].is_parameter)?;
                return (!self.is_input(made) && !self.is_free(made)).then_some(first);
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
                (None, _) if is_unset && !self.is_input(event.node) => computes = true,
                (None, _) => return None,
            }
        }
        (steps || computes).then_some(first)
    }

    /// Is a variable an argument of a call, of a function that is not there?
    fn is_given_by_name(&self, call: Node<'u>, variable: usize) -> bool {
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let named = |a: &Node<'u>| a.kind() == "identifier" && self.find(self.unit.str(*a), *a) == Some(variable);
        let name = call.child_by_field_name("function").map_or("", |f| self.callee(f));
        arguments.iter().any(named) && !self.lower.names.functions.contains_key(name)
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
                    let is_known = is_own || is_platform || PURE.contains(&name) || name.ends_with("_cast");
                    if !(is_plain && (is_known || !self.asks(name) && self.takes_numbers(node))) {
                        return true;
                    }
                    stack.extend(node.child_by_field_name("arguments"));
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
        own.iter().any(|decl| {
            let mut stack = vec![decl.node];
            while let Some(node) = stack.pop() {
                let function = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
                if let Some(function) = function {
                    let callee = self.callee(function);
                    let is_known = PURE.contains(&callee)
                        || callee.ends_with("_cast")
                        || self.lower.names.functions.contains_key(callee)
                        || ["assert", "printf", "fprintf", "exit", "abort"].contains(&callee);
                    if !is_known {
                        return true;
                    }
                }
                stack.extend(listed_in(node));
            }
            !decl.has_body
        })
    }
}
