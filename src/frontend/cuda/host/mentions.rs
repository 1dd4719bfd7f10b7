//! What the name of a variable stands in ([HOST-PLAIN]): its value is read there, or it is changed as `changes.rs` follows.
//! In any other place the variable is wild.

use tree_sitter::Node;

use super::super::lower::split_list;
use super::super::unit::TypeDecl;
use super::Host;
use super::copies::{MAX_TYPES, is_plain_word, is_value, refers};
use super::library::rounds_up;
use super::methods::leaves_tensors;
use super::places::listed_in;
use super::variables::Variable;

/// Functions that leave everything of the caller as it is.
pub(super) const BY_VALUE: [&str; 51] = [
    "TORCH_CHECK",
    "TORCH_INTERNAL_ASSERT",
    "TORCH_WARN",
    "AT_ASSERT",
    "AT_ASSERTM",
    "AT_ERROR",
    "float",
    "double",
    "size_t",
    "unsigned",
    "fabs",
    "floorf",
    "round",
    "lround",
    "snprintf",
    "sprintf",
    "to_string",
    "log2f",
    "printf",
    "fprintf",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "strcmp",
    "strlen",
    "assert",
    "exit",
    "abort",
    "min",
    "max",
    "sqrt",
    "sqrtf",
    "pow",
    "abs",
    "ceil",
    "ceilf",
    "floor",
    "log",
    "log2",
    "dim3",
    "int",
    "rand",
    "srand",
    "fflush",
    "fclose",
    "atoi",
    "atol",
    "strtol",
    "puts",
];

/// Does this function of the platform neither keep the addresses that it gets, nor call anything of the program?
pub(super) fn is_platform(name: &str) -> bool {
    ["cuda", "cublas", "cufft", "curand", "hip", "__cuda", "make_", "checkCudaErrors", "sdk"]
        .iter()
        .any(|k| name.starts_with(k))
        || is_of_opencl(name)
}

/// What functions of OpenCL do, without those that are given functions of the program.
const OPENCL: [&str; 15] = [
    "Build", "Clone", "Compile", "Create", "Enqueue", "Finish", "Flush", "Get", "Link", "Release", "Retain", "SVM",
    "Set", "Unload", "WaitFor",
];

/// `clCreateBuffer`, and what stands for it.
fn is_of_opencl(name: &str) -> bool {
    let calls_back = name.contains("Callback") || name.contains("NativeKernel");
    let is_known = |rest: &str| OPENCL.iter().any(|verb| rest.starts_with(verb));
    name.starts_with("__opencl_") || !calls_back && name.strip_prefix("cl").is_some_and(is_known)
}

/// May a program change what it has a reference to that is `const`?
pub(super) fn changes_const(text: &str) -> bool {
    let casts = text.split("const_cast").skip(1);
    text.contains("mutable") || casts.into_iter().any(|rest| rest.split('(').next().is_some_and(|ty| ty.contains('&')))
}

/// The operators that a text defines, with their parameters.
pub(super) fn operators_of(text: &str) -> Vec<(&str, &str)> {
    let starts = text.match_indices("operator").map(|(at, word)| at + word.len());
    let read = |at: usize| {
        let rest = text.get(at..)?.trim_start();
        let skip = if rest.starts_with("()") { 2 } else { 0 };
        let open = skip + rest.get(skip..)?.find('(')?;
        let close = open + rest[open..].find(')')?;
        Some((rest[..open].trim(), &rest[open + 1..close]))
    };
    starts.filter_map(read).collect()
}

/// The parameters of a list. Where it is not sure which commas are between arguments of templates, each is between parameters.
pub(super) fn parameters_in(list: &str) -> Vec<&str> {
    match list.matches('<').count() == list.matches('>').count() {
        true => split_list(list),
        false => list.split(',').collect(),
    }
}

impl<'u> Host<'_, 'u> {
    /// Hides what the statements around errors name: in text that was not read, anything may be declared or changed.
    fn hide_unread(&mut self, all: &[Node<'u>]) {
        let mut unread = Vec::new();
        for error in all.iter().filter(|n| n.is_error() || n.is_missing()) {
            let mut statement = *error;
            while let Some(parent) = self.up(statement).filter(|p| p.kind() != "compound_statement") {
                statement = parent;
            }
            let around = [statement.prev_named_sibling(), Some(statement), statement.next_named_sibling()];
            unread.extend(around.into_iter().flatten());
        }
        // Errors stand inside each other: of these, the outermost ones.
        unread.sort_by_key(|n| (n.start_byte(), std::cmp::Reverse(n.end_byte())));
        let mut end = 0;
        unread.retain(|n| {
            let is_outermost = n.end_byte() > end;
            end = end.max(n.end_byte());
            is_outermost
        });
        self.hide_all(unread);
    }

    /// Makes variables wild that are named in places which are not understood.
    pub(super) fn mentions(&mut self, all: &[Node<'u>]) {
        self.hide_unread(all);
        for node in all {
            if !matches!(node.kind(), "identifier" | "type_identifier")
                || !self.named.contains_key(self.unit.str(*node))
                || self.leaves_alone(*node)
            {
                continue;
            }
            let variable = self.meant(*node);
            self.variables[variable].is_wild |= !self.has_copy(*node, variable);
        }
    }

    /// Is the variable of a name still the same after the place where it stands, or what [`super::changes`] says?
    fn leaves_alone(&self, name: Node<'u>) -> bool {
        // What is reached from there may be the variable itself, or one of several.
        let (mut node, mut is_chosen) = (name, false);
        loop {
            let Some(parent) = self.up(node) else { return false };
            let is = |field: &str| parent.child_by_field_name(field) == Some(node);
            let free = |field: &str| {
                let operator = parent.child_by_field_name(field).map_or("", |o| self.unit.str(o));
                !self.operator_changes(operator, name)
            };
            match parent.kind() {
                "parenthesized_expression"
                | "initializer_list"
                | "initializer_pair"
                | "parameter_pack_expansion"
                | "subscript_argument_list" => {}
                "conditional_expression" if is("condition") => return true,
                "conditional_expression" => is_chosen = true,
                "comma_expression" if self.operator_changes(",", name) => return false,
                "comma_expression" if is("left") => return true,
                "comma_expression" => is_chosen = true,
                "field_expression" => match parent.child_by_field_name("operator").map(|o| self.unit.str(o)) {
                    Some("->") => return !self.operator_changes("->", name),
                    // `x.*p`
                    _ if self.before(parent, parent.child_by_field_name("field").unwrap_or(node)).ends_with('*') => {
                        return false;
                    }
                    _ => {}
                },
                "subscript_expression" if is("argument") => {}
                "subscript_expression" => return !self.operator_changes("[]", name),
                "assignment_expression" if is("left") && free("operator") => is_chosen = true,
                "assignment_expression" | "binary_expression" | "unary_expression" => return free("operator"),
                "update_expression" if !free("operator") => return false,
                "update_expression" if parent.child(0) == Some(node) => return true,
                "update_expression" => is_chosen = true,
                "pointer_expression" if self.unit.str(parent).starts_with('*') => {
                    return !self.operator_changes("*", name);
                }
                "pointer_expression" => return !is_chosen,
                "cast_expression" => return parent.child_by_field_name("type").is_some_and(|ty| self.is_plain(ty)),
                "compound_literal_expression" => {
                    return parent.child_by_field_name("type").is_some_and(|ty| self.is_plain(ty));
                }
                "new_expression" => {
                    return !is("placement") && parent.child_by_field_name("type").is_some_and(|ty| self.is_plain(ty));
                }
                "init_declarator" if is("declarator") => return true,
                "init_declarator" => return self.declares_copy(parent, node),
                "declaration" => return is("declarator") || is("type") || self.declares_copy(parent, node),
                "argument_list" => match self.up(parent) {
                    Some(call) if call.kind() == "call_expression" => {
                        return self.call_leaves(call, parent, node, name, is_chosen);
                    }
                    Some(outer) if matches!(outer.kind(), "new_expression" | "init_declarator" | "declaration") => {}
                    Some(outer) if outer.kind().ends_with("declarator") => {
                        let mut declaration = outer;
                        while declaration.kind() != "declaration" {
                            let Some(next) = self.up(declaration) else { return false };
                            declaration = next;
                        }
                        return self.declares_copy(declaration, parent);
                    }
                    _ => return false,
                },
                // What a method does to its object is followed.
                "call_expression" => return node.kind() == "field_expression" || self.is_function(name),
                // `S s(n);` reads as the declaration of a function.
                "parameter_declaration" if is("type") && parent.child_by_field_name("declarator").is_none() => {
                    let mut declaration = self.up(parent).and_then(|list| self.up(list));
                    while let Some(outer) = declaration.filter(|d| d.kind().ends_with("declarator")) {
                        declaration = self.up(outer);
                    }
                    // Of an array it is the address that is copied.
                    let is_array = |v: &Variable<'u>| v.declarator.is_some_and(|d| d.kind() == "array_declarator");
                    let copies = |d| self.declares_copy(d, node) && !self.variable_at(name).is_some_and(is_array);
                    return declaration.is_none_or(|d| d.kind() != "declaration" || copies(d));
                }
                "optional_parameter_declaration" if is("default_value") => {
                    return !refers(self.unit.str(parent));
                }
                "return_statement" => return self.returns_copy(parent),
                "lambda_capture_initializer" => return !self.unit.str(parent).starts_with('&'),
                "for_range_loop" => {
                    let declared = self.before(parent, node);
                    return !is("right") || !refers(declared.trim_start_matches("for").trim_start_matches([' ', '(']));
                }
                "ERROR" | "field_initializer" | "gnu_asm_output_operand" | "co_yield_statement" => return false,
                kind if PLAIN.contains(&kind) || kind.ends_with("declarator") => return true,
                _ => return false,
            }
            node = parent;
        }
    }

    /// The text of a declaration up to one of its parts.
    fn before(&self, declaration: Node<'u>, part: Node<'u>) -> &'u str {
        &self.unit.text[declaration.start_byte()..part.start_byte()]
    }

    /// Does the object that a declarator declares hold a copy of what it is made from?
    fn declares_copy(&self, declarator: Node<'u>, value: Node<'u>) -> bool {
        let mut declaration = declarator;
        while declaration.kind() != "declaration" {
            let Some(parent) = self.up(declaration) else { return false };
            declaration = parent;
        }
        let Some(ty) = declaration.child_by_field_name("type") else { return false };
        let own = self.before(declarator, value);
        if refers(&format!("{}{own}", self.before(declaration, ty))) {
            return false;
        }
        // What an unknown type is assigned is converted to it.
        let assigned = own.trim_end().ends_with('=');
        self.is_plain(ty) || own.contains('&') || assigned && self.is_unknown(ty) && is_plain_word(self.unit.str(ty))
    }

    /// Does the lambda that a statement returns from give a copy?
    fn returns_copy(&self, statement: Node<'u>) -> bool {
        let mut around = statement;
        while let Some(outer) = self.up(around).filter(|_| around != self.function) {
            around = outer;
            if around.kind() == "lambda_expression" {
                let head = around.child_by_field_name("declarator").map_or("", |d| self.unit.str(d));
                let returns = head.rsplit_once("->").map_or("", |(_, ty)| ty);
                return is_plain_word(returns) && !returns.contains('&');
            }
        }
        true
    }

    /// Is this variable a function, and no object with an operator?
    fn is_function(&self, name: Node<'u>) -> bool {
        self.variable_at(name).is_none_or(|known| {
            let value = known.events.iter().find(|e| e.declares).and_then(|e| e.value);
            value.is_some_and(|v| v.kind() == "lambda_expression")
                || known.declarator.is_some_and(|d| d.kind() == "function_declarator")
        })
    }

    /// May an operator of the program change this operand?
    fn operator_changes(&self, operator: &str, name: Node<'u>) -> bool {
        let own = self.variable_at(name);
        let is_object = own.is_some_and(|v| !self.is_scalar(v, name));
        let own = own.and_then(|v| v.ty).map_or("auto", |ty| self.unit.str(ty));
        self.said.operators.iter().filter(|(name, _)| *name == operator).any(|(_, parameters)| {
            is_object || parameters_in(parameters).into_iter().any(|p| refers(p) && self.may_bind(p, own))
        })
    }

    /// A number, a pointer, or the sizes of a block: what it is does not depend on the program.
    pub(super) fn is_scalar(&self, variable: &Variable<'u>, name: Node<'u>) -> bool {
        variable.declarator.is_some_and(|d| d.kind() == "pointer_declarator")
            || variable.ty.is_some_and(|ty| self.unit.str(ty).trim_start_matches("const ") == "dim3")
            || self.is_named_number(variable.name, name)
    }

    /// May a parameter be a reference to a variable of a type? Not if it is one to another class.
    fn may_bind(&self, parameter: &str, own: &str) -> bool {
        let words = parameter.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_class = |word: &str| {
            let entries = self.lower.names.types.get(word);
            entries.map_or(is_value(word), |l| l.iter().all(|(_, d)| matches!(d, TypeDecl::Class(..))))
        };
        own == "auto" || !words.clone().any(is_class) || words.clone().any(|w| is_class(w) && own.contains(w))
    }

    pub(super) fn parameter_refers(&self, parameter: Node<'u>) -> bool {
        let text = self.unit.str(parameter);
        refers(text) || self.said.changes_const && text.contains('&') || {
            let ty = parameter.child_by_field_name("type");
            ty.is_none_or(|ty| !(self.is_plain(ty) || self.is_unknown(ty) && is_plain_word(self.unit.str(ty))))
                && !self.unit.str(parameter).trim_start().starts_with("const ")
        }
    }

    /// Does a call leave a variable as it is that stands in one of its arguments, or is it a change that is followed?
    fn call_leaves(&self, call: Node<'u>, list: Node<'u>, argument: Node<'u>, name: Node<'u>, is_chosen: bool) -> bool {
        if list.prev_named_sibling().is_some_and(|p| p.kind() == "kernel_call_syntax") {
            return true;
        }
        let Some(function) = call.child_by_field_name("function") else { return false };
        let at = listed_in(list).iter().position(|a| *a == argument).unwrap_or(usize::MAX);
        let is_direct = !is_chosen && is_place(argument);
        match self.takes(function, at) {
            Takes::Value => true,
            Takes::Reference => is_direct && name.kind() == "identifier",
            Takes::Unknown => false,
        }
    }

    /// How a function takes an argument.
    pub(super) fn takes(&self, function: Node<'u>, at: usize) -> Takes {
        let name = self.callee(function);
        let value_if = |is: bool| if is { Takes::Value } else { Takes::Unknown };
        if function.kind() == "primitive_type" {
            return Takes::Value;
        }
        let instance = match function.kind() {
            "field_expression" => function.child_by_field_name("field").filter(|f| f.kind() == "template_method"),
            _ => Some(self.unit.qualified(function).1).filter(|f| f.kind() == "template_function"),
        };
        if let Some(arguments) = instance.and_then(|i| i.child_by_field_name("arguments")) {
            let types: Vec<Node<'u>> =
                listed_in(arguments).into_iter().filter(|a| a.kind() == "type_descriptor").collect();
            let plain = types.iter().all(|ty| self.is_plain(*ty) || self.is_unknown_argument(*ty));
            if ["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"].contains(&name) {
                return value_if(plain);
            }
            if !plain {
                return Takes::Unknown;
            }
        }
        if self.is_method_of_library(function)
            || function.kind() == "field_expression" && self.method_copies(function, at)
        {
            return Takes::Value;
        }
        if function.kind() == "identifier"
            && let Some(local) = self.variable_at(function)
        {
            return value_if(self.local_copies(local));
        }
        if self.lower.names.types.contains_key(name) {
            return value_if(self.is_plain_name(name, MAX_TYPES));
        }
        // Methods of the class around are seen without its name.
        if let Some(list) = self.lower.names.functions.get(name).filter(|_| !self.is_method()) {
            let refers = list.iter().any(|decl| {
                let parameters = decl.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
                parameters.get(at).is_none_or(|p| self.parameter_refers(*p))
            });
            return if refers { Takes::Reference } else { Takes::Value };
        }
        // `std::vector<int>(n)` makes an object.
        let is_object = function.kind() != "field_expression" && is_value(name);
        if is_object || self.is_harmless(function) { Takes::Value } else { Takes::Reference }
    }

    /// `v.resize(n)`, of a container that holds copies.
    fn is_method_of_library(&self, function: Node<'u>) -> bool {
        let field = |name: &str| function.child_by_field_name(name).filter(|_| function.kind() == "field_expression");
        let (Some(object), Some(method)) = (field("argument"), field("field")) else { return false };
        if self.is_tensor(object) {
            return true;
        }
        let ty = Some(object).filter(|o| o.kind() == "identifier").and_then(|o| self.variable_at(o)?.ty);
        ty.is_some_and(|ty| {
            let name = self.callee(ty);
            !self.lower.names.types.contains_key(name) && is_value(name) && self.is_plain(ty)
        }) && !["swap", "get", "merge", "splice", "read", "getline", "exchange"].contains(&self.unit.str(method))
    }

    /// `v.size()`: does a method of a container, or of a tensor, only say something of it?
    pub(super) fn reads_of_library(&self, function: Node<'u>) -> bool {
        let method = function.child_by_field_name("field").map_or("", |m| self.unit.str(m));
        ["size", "empty", "data", "begin", "end", "length", "c_str", "numel", "dim"].contains(&method)
            && self.is_method_of_library(function)
    }

    /// Is this a function of the platform, or of C, that changes nothing of what it is given by name?
    pub(super) fn is_harmless(&self, function: Node<'u>) -> bool {
        let name = self.callee(function);
        function.kind() != "field_expression"
            && (is_platform(name) && !self.said.calls_back
                || BY_VALUE.contains(&name)
                || leaves_tensors(self.unit.str(function))
                || rounds_up(self.unit.str(function)))
            && !self.lower.names.functions.contains_key(name)
            && !self.lower.names.types.contains_key(name)
            && !self.lower.names.globals.contains_key(name)
            && self.variable_at(function).is_none()
            && !(function.kind() == "identifier" && self.is_own_method(name, false))
    }

    /// Does a variable that is called take its arguments by value?
    fn local_copies(&self, local: &Variable<'u>) -> bool {
        let value = local.events.iter().find(|e| e.declares).and_then(|e| e.value);
        let declared = match value.filter(|v| v.kind() == "lambda_expression") {
            Some(lambda) if local.events.len() == 1 => lambda.child_by_field_name("declarator"),
            Some(_) => return false,
            None => local.declarator.filter(|d| d.kind() == "function_declarator"),
        };
        let list = match declared {
            Some(declarator) => declarator.child_by_field_name("parameters"),
            None => return value.is_some_and(|v| v.kind() == "lambda_expression"),
        };
        list.is_some_and(|list| listed_in(list).into_iter().all(|p| !self.parameter_refers(p)))
    }
}

/// How a function takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    Value,
    /// It may change, or keep, what it is given.
    Reference,
    /// What it may do is not known.
    Unknown,
}

/// A variable, or a part of one.
fn is_place(node: Node) -> bool {
    matches!(node.kind(), "identifier" | "field_expression" | "subscript_expression")
}

/// Places where values are read, and no more.
const PLAIN: [&str; 29] = [
    "expression_statement",
    "condition_clause",
    "if_statement",
    "while_statement",
    "do_statement",
    "for_statement",
    "switch_statement",
    "case_statement",
    "throw_statement",
    "sizeof_expression",
    "alignof_expression",
    "decltype",
    "noexcept",
    "kernel_call_syntax",
    "template_argument_list",
    "template_function",
    "template_method",
    "template_type",
    "qualified_identifier",
    "type_descriptor",
    "delete_expression",
    "static_assert_declaration",
    "lambda_capture_specifier",
    "parameter_declaration",
    "optional_parameter_declaration",
    "init_statement",
    "attribute",
    "type_parameter_declaration",
    "preproc_call",
];
