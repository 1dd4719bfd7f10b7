//! Expressions of the host as the sizes of a block or a grid.

use tree_sitter::Node;

use super::super::unit::{FunDecl, GlobalDecl, child_of_kind, last_named};
use super::fields::is_of_this;
use super::places::listed_in;
use super::values::is_plain_name;
use super::variables::{Part, Variable};
use super::{Host, symbol};
use crate::base::Name;
use crate::exp::{IntTy, N};

impl<'u> Host<'_, 'u> {
    /// The three sizes that a `dim3`, or a number in its place, stands for.
    pub(super) fn dims(&mut self, node: Node<'u>) -> [Option<N>; 3] {
        let one = || Some(N::num(1));
        match node.kind() {
            "parenthesized_expression" => match last_named(node) {
                Some(inner) => return self.dims(inner),
                None => return [None, None, None],
            },
            "identifier" => {
                if let Some(dims) = self.dims_of_variable(node) {
                    return dims;
                }
            }
            "field_expression" if is_of_this(node) => {
                if let Some(dims) = node.child_by_field_name("field").and_then(|field| self.dims_of_variable(field)) {
                    return dims;
                }
            }
            "call_expression" | "compound_literal_expression" => {
                let callee = node.child_by_field_name("function").or_else(|| node.child_by_field_name("type"));
                if callee.is_some_and(|f| self.unit.str(f) == "dim3")
                    && let Some(list) =
                        node.child_by_field_name("arguments").or_else(|| node.child_by_field_name("value"))
                {
                    return self.listed(list);
                }
                if let Some(list) = self.three_sizes(node) {
                    return self.listed(list);
                }
            }
            "initializer_list" | "argument_list" => return self.listed(node),
            _ => {}
        }
        // `config::threads`, an integer.
        let is_constant = node.kind() == "qualified_identifier" && self.constant(node).is_some();
        if !is_constant && !self.is_number(node) {
            return [None, None, None];
        }
        [self.rounded(node).or_else(|| self.number(node)), one(), one()]
    }

    /// The arguments of `make_uint3(x, y, z)`, which a `dim3` is made of.
    fn three_sizes(&self, call: Node<'u>) -> Option<Node<'u>> {
        let function = call.child_by_field_name("function")?;
        let name = self.unit.str(function);
        let is_own = self.lower.names.functions.contains_key(name) || self.find(name, function).is_some();
        let list = call.child_by_field_name("arguments").filter(|_| name == "make_uint3" && !is_own)?;
        (listed_in(list).len() == 3).then_some(list)
    }

    /// Is this a variable that is declared as a pointer or an array, or what is added to one?
    pub(super) fn is_pointer(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_pointer(p));
        match node.kind() {
            "parenthesized_expression" => return of(last_named(node)),
            "binary_expression" => {
                return match field("operator").map_or("", |o| self.unit.str(o)) {
                    "+" => of(field("left")) != of(field("right")),
                    "-" => of(field("left")) && !of(field("right")),
                    _ => false,
                };
            }
            _ => {}
        }
        // Where `View v(x);` reads as the declaration of a function, it is a name of a type.
        let name = Some(node).filter(|n| matches!(n.kind(), "identifier" | "type_identifier"));
        let known = name.and_then(|n| self.find(self.unit.str(n), n));
        known.is_some_and(|v| {
            let mut declarator = self.variables[v].declarator;
            if let Some(inner) = declarator.filter(|d| d.kind() == "init_declarator") {
                declarator = inner.child_by_field_name("declarator");
            }
            declarator.is_some_and(|d| matches!(d.kind(), "pointer_declarator" | "array_declarator"))
        })
    }

    /// May these be given for parameters of a kernel: no number for a pointer, and no pointer for a number? [HOST-ABSENT]
    pub(super) fn fit(&self, arguments: &[Node<'u>], parameters: Node<'u>) -> bool {
        arguments.iter().zip(listed_in(parameters)).all(|(argument, parameter)| {
            let declarator = parameter.child_by_field_name("declarator").map_or("", |d| d.kind());
            let is_pointer = declarator.contains("pointer") || declarator.contains("array");
            let is_number = parameter.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty));
            let null = matches!(self.unit.str(*argument), "0" | "NULL");
            match is_pointer {
                true => null || self.is_pointer(*argument) || !self.is_number(*argument),
                false => !is_number || !self.is_pointer(*argument),
            }
        })
    }

    /// Is this certainly a number, and not a `dim3`?
    fn is_number(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_number(p));
        match node.kind() {
            "number_literal" | "char_literal" | "sizeof_expression" | "true" | "false" => true,
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" | "update_expression" => of(field("argument")),
            "binary_expression" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return false };
                let op = field("operator").map_or("", |op| self.unit.str(op));
                let either = self.is_number(left) || self.is_number(right);
                either
                    && !self.is_overloaded(op, left, right)
                    && !self.may_be_object(left)
                    && !self.may_be_object(right)
            }
            "conditional_expression" => of(field("consequence")) && of(field("alternative")),
            "cast_expression" => field("type").is_some_and(|ty| self.is_arithmetic(ty)),
            "field_expression" if is_of_this(node) => {
                field("field").is_some_and(|f| self.is_named_number(self.unit.str(f), f))
            }
            "field_expression" => {
                let object = field("argument").filter(|a| a.kind() == "identifier");
                let object = object.and_then(|a| self.find(self.unit.str(a), a));
                let field = field("field").map_or("", |f| self.unit.str(f));
                object.is_some_and(|object| self.field_type(object, field).is_some())
            }
            "identifier" => self.is_named_number(self.unit.str(node), node),
            "qualified_identifier" => self.constants.contains(&node.id()),
            "call_expression" | "subscript_expression" if self.method_type(node).is_some() => true,
            "call_expression" if self.is_rounding_up(node) => true,
            "call_expression" => field("function").is_some_and(|function| {
                let text = self.unit.str(function);
                let name = self.unit.str(self.unit.qualified(function).1);
                let converts = ["static_cast<", "std::min<", "std::max<"].iter().any(|p| text.starts_with(p))
                    && !text.contains("dim3");
                let known =
                    ["min", "max", "ceil", "ceilf", "floor", "floorf", "sqrt", "pow", "log2", "int", "unsigned"];
                let own = self.lower.names.functions.get(name);
                let returns_number = |list: &Vec<FunDecl<'u>>| {
                    list.iter().all(|d| {
                        d.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
                            || self.returns_type_of_numbers(d, node)
                    })
                };
                let local = self.find(name, function).is_some();
                !local && (converts || own.map_or(known.contains(&name), returns_number))
            }),
            _ => false,
        }
    }

    /// May an operator of the program be meant: it has one for no class, and what it is given may be of an enumeration or a class?
    pub(super) fn is_overloaded(&self, op: &str, left: Node<'u>, right: Node<'u>) -> bool {
        let own = self.lower.names.functions.get(&format!("operator{op}"));
        own.is_some_and(|list| list.iter().any(|d| d.class.is_none()))
            && !(self.is_plainly_number(left) && self.is_plainly_number(right))
    }

    /// Is this a number whose type has its name in the language, and no enumeration?
    fn is_plainly_number(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_plainly_number(p));
        match node.kind() {
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" | "update_expression" => of(field("argument")),
            "binary_expression" => of(field("left")) && of(field("right")),
            "conditional_expression" => of(field("consequence")) && of(field("alternative")),
            "identifier" => {
                let name = self.unit.str(node);
                let outside = self.find(name, node).is_none() && self.lower.names.enumerators.contains_key(name);
                !outside && self.is_named_number(name, node)
            }
            _ => self.is_number(node),
        }
    }

    /// May this be an object, a `dim3` as well, of which the text says how it is made, or a header that is not there?
    fn may_be_object(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.may_be_object(p));
        match node.kind() {
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" => of(field("argument")),
            "binary_expression" => of(field("left")) || of(field("right")),
            "conditional_expression" => of(field("consequence")) || of(field("alternative")),
            "identifier" => match self.find(self.unit.str(node), node).map(|v| &self.variables[v]) {
                Some(Variable { ty: Some(ty), events, .. }) if self.unit.str(*ty) == "auto" => {
                    let init = events.iter().find(|e| e.declares).and_then(|e| e.value);
                    init.is_some_and(|init| self.may_be_object(init))
                }
                Some(Variable { ty: Some(ty), .. }) => {
                    let name = self.unit.str(self.unit.qualified(*ty).1);
                    let declared = self.lower.names.types.contains_key(name) || name == "dim3";
                    !self.is_arithmetic(*ty) && (declared || self.lower.names.header_missing)
                }
                _ => false,
            },
            "compound_literal_expression" => true,
            "call_expression" => field("function").is_some_and(|function| {
                let name = self.unit.str(self.unit.qualified(function).1);
                let class = name == "dim3" || self.lower.names.types.contains_key(name);
                let own = self.lower.names.functions.get(name);
                let is_plain = function.kind() == "identifier" || function.kind() == "qualified_identifier";
                let returns_other = |list: &Vec<FunDecl<'u>>| {
                    list.iter().any(|d| {
                        d.node.child_by_field_name("type").is_some_and(|ty| !self.is_arithmetic(ty))
                            && !self.returns_type_of_numbers(d, node)
                    })
                };
                let hidden = self.lower.names.header_missing && !self.is_number(node) && !self.is_of_standard(function);
                is_plain && (class || own.map_or(hidden, returns_other))
            }),
            _ => false,
        }
    }

    /// Does a template return the type that is deduced of arguments that are numbers? [HOST-DEDUCED]
    fn returns_type_of_numbers(&self, decl: &FunDecl<'u>, call: Node<'u>) -> bool {
        let text = |node: Option<Node<'u>>| node.map_or("", |n| self.unit.str(n));
        let returns = text(decl.node.child_by_field_name("type"));
        let own = decl.template.into_iter().flat_map(listed_in);
        let is_open =
            own.into_iter().any(|p| p.kind() == "type_parameter_declaration" && text(last_named(p)) == returns);
        let plain = decl.node.child_by_field_name("declarator").is_some_and(|d| d.kind() == "function_declarator");
        let parameters = decl.declarator.child_by_field_name("parameters").map(listed_in).unwrap_or_default();
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let mut given = parameters.iter().zip(&arguments).filter(|(p, _)| {
            let is_value = p
                .child_by_field_name("declarator")
                .is_some_and(|d| matches!(d.kind(), "identifier" | "reference_declarator"));
            is_value && text(p.child_by_field_name("type")) == returns
        });
        is_open
            && plain
            && given.next().is_some_and(|(_, a)| self.is_number(*a))
            && given.all(|(_, a)| self.is_number(*a))
    }

    /// Is this a name of the standard library?
    fn is_of_standard(&self, function: Node<'u>) -> bool {
        self.unit.str(function).starts_with("std::")
    }

    pub(super) fn is_named_number(&self, name: &str, at: Node<'u>) -> bool {
        match self.find(name, at).map(|v| &self.variables[v]) {
            Some(Variable { ty: Some(ty), events, .. }) if self.unit.str(*ty) == "auto" => {
                let init = events.iter().find(|e| e.declares).and_then(|e| e.value);
                init.is_some_and(|init| self.is_number(init))
            }
            Some(Variable { ty, .. }) => ty.is_some_and(|ty| self.is_arithmetic(ty)),
            None => match self.template_parameter(name, at) {
                Some(parameter) => {
                    let is_value =
                        matches!(parameter.kind(), "parameter_declaration" | "optional_parameter_declaration");
                    let ty = parameter.child_by_field_name("type").filter(|_| is_value);
                    let plain = parameter.child_by_field_name("declarator").is_some_and(|d| d.kind() == "identifier");
                    plain && ty.is_some_and(|ty| self.is_arithmetic(ty))
                }
                None => self.is_global_number(name),
            },
        }
    }

    pub(super) fn is_global_number(&self, name: &str) -> bool {
        let constants = self.lower.names.globals.get(name);
        let number = |(_, decl): &(_, GlobalDecl<'u>)| {
            decl.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
        };
        self.lower.names.enumerators.contains_key(name) || constants.is_some_and(|list| list.iter().all(number))
    }

    pub(super) fn is_arithmetic(&self, ty: Node<'u>) -> bool {
        let text = self.unit.str(ty);
        text != "auto" && (self.is_integer_type(ty) || matches!(self.spelled(ty), "float" | "double"))
    }

    pub(super) fn listed(&mut self, list: Node<'u>) -> [Option<N>; 3] {
        let mut cursor = list.walk();
        let items: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        // A copy of another one.
        if let [only] = items.as_slice() {
            let named = if only.kind() == "parameter_declaration" { only.child_by_field_name("type") } else { None };
            match named {
                Some(ty) if !self.is_named_number(self.unit.str(ty), ty) => return [None, None, None],
                None if !self.is_number(*only) => return self.dims(*only),
                _ => {}
            }
        }
        [0, 1, 2].map(|axis| match items.get(axis) {
            Some(item) => {
                // `dim3 d(N, M)` may read as the declaration of a function with parameters of types N and M.
                let item = match item.kind() {
                    "parameter_declaration" => item.child_by_field_name("type")?,
                    _ => *item,
                };
                if item.kind() == "type_identifier" {
                    let name = self.unit.str(item);
                    return self.is_named_number(name, item).then(|| self.variable(name, item)).flatten();
                }
                Some(self.rounded(item).or_else(|| self.number(item)).unwrap_or_else(|| self.some_size(item)))
            }
            None => Some(N::num(1)),
        })
    }

    /// A size that is given, and not understood: it may be any.
    fn some_size(&mut self, node: Node<'u>) -> N {
        if let Some(known) = self.results.get(&node.id()) {
            return known.clone();
        }
        let mut name: String = self.unit.str(node).split_whitespace().collect();
        while !self.symbols.insert(name.clone()) {
            name.push('\'');
        }
        self.types.insert(Name::new(name.as_str()), IntTy::U32);
        if !self.is_input(node) {
            self.computed.insert(name.clone(), Vec::new());
        }
        let value = symbol(&name);
        self.results.insert(node.id(), value.clone());
        value
    }

    /// The three sizes in a field of a variable.
    pub(super) fn dims_of_field(&mut self, variable: Node<'u>, field: &'static str) -> [Option<N>; 3] {
        let found = self.find(self.unit.str(variable), variable);
        let event = found.and_then(|found| self.last_change(found, &Part::Field(Name::new(field)), variable));
        // All of it, and not one of its sizes.
        match event.and_then(|e| e.value.filter(|_| e.field == Some(field))) {
            Some(value) => self.dims(value),
            None => [None, None, None],
        }
    }

    fn dims_of_variable(&mut self, name: Node<'u>) -> Option<[Option<N>; 3]> {
        let variable = self.find(self.unit.str(name), name)?;
        if !self.is_dims(variable) || !self.arguments.is_empty() {
            return None;
        }
        let is_plain = |kind| is_plain_name(kind) || kind == "function_declarator";
        let declarator = self.variables[variable].declarator?;
        if !is_plain(declarator.kind()) && child_of_kind(declarator, "argument_list").is_none() {
            return Some([None, None, None]);
        }
        Some(
            ["x", "y", "z"]
                .map(|axis| Some(self.value_at(variable, &Part::Field(Name::new(axis)), Some(IntTy::U32), name))),
        )
    }
}
