//! Calls that set arguments and launch, and what they become.

use tree_sitter::Node;

use super::super::unit::{Names, each_named, has_child, last_named};
use super::doubts::has_word;
use super::holders::{inside, is_null, plain_type};
use super::{CHOSEN, Host, RANGE};
use crate::frontend::cuda::host::listed_in;

/// Kernels with more parameters are not followed.
const MAX_ARGUMENTS: usize = 128;

/// What sets an argument of a kernel.
pub(super) struct Set<'u> {
    call: Node<'u>,
    /// `None`: it may be any of them.
    index: Option<usize>,
    value: String,
    /// The type that the bytes are of, where that is said.
    ty: Option<String>,
}

/// What launches a kernel.
pub(super) struct Enqueue<'u> {
    call: Node<'u>,
    global: String,
    local: String,
    /// Those of a functor.
    arguments: Option<Vec<String>>,
}

/// Functions that make memory which nothing else has.
const MAKES: [&str; 16] = [
    "clCreateBuffer",
    "clCreateBufferWithProperties",
    "clCreateImage",
    "clCreateImage2D",
    "clCreateImage3D",
    "clCreateImageWithProperties",
    "cl::Buffer",
    "cl::Image1D",
    "cl::Image2D",
    "cl::Image3D",
    "cl::Image2DArray",
    "Buffer",
    "Image1D",
    "Image2D",
    "Image3D",
    "Image2DArray",
];

/// Types of a size in bytes as wide as `size_t`.
const SIZES: [&str; 8] =
    ["size_t", "std::size_t", "unsigned long", "unsigned long long", "cl_ulong", "uint64_t", "ulong", "size_type"];

/// Types whose names are those of conversions as well.
const SCALARS: [&str; 8] = ["int", "unsigned", "cl_int", "cl_uint", "size_t", "cl_long", "cl_ulong", "uint"];

impl<'u> Host<'u> {
    /// Names of the platform that mean what others of CUDA do.
    pub(super) fn rename(&mut self, nodes: &[Node<'u>], own: &Names<'u>) {
        for node in nodes.iter().copied() {
            let text = self.unit.str(node);
            match node.kind() {
                "call_expression" => {
                    let Some(function) = node.child_by_field_name("function") else { continue };
                    let list = node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
                    let callee = self.unit.str(function);
                    let object =
                        function.child_by_field_name("argument").filter(|_| callee.ends_with("createSubBuffer"));
                    let is_function = callee.starts_with("cl") && !callee.contains(':');
                    let least = if is_function { 2 } else { 3 };
                    let is_own = own.functions.contains_key(callee);
                    if MAKES.contains(&callee) && list.len() >= least && !is_own {
                        self.edits.replace(function.byte_range(), "__opencl_alloc");
                    } else if matches!(plain_type(callee), "NDRange") {
                        match list.is_empty() {
                            true => self.edits.replace(node.byte_range(), format!("{CHOSEN}()")),
                            false => self.edits.replace(function.byte_range(), "dim3"),
                        }
                    } else if let Some(whole) =
                        list.first().copied().filter(|_| callee == "clCreateSubBuffer").or(object)
                    {
                        // Somewhere in the memory of another one.
                        let (whole, by) = (self.unit.str(whole).to_owned(), self.unknown());
                        self.edits.replace(node.byte_range(), format!("({whole} + {by})"));
                    }
                }
                "identifier" | "qualified_identifier" if plain_type(text) == "NullRange" => {
                    self.edits.replace(node.byte_range(), format!("{CHOSEN}()"));
                }
                "declaration" => {
                    let Some(ty) = node.child_by_field_name("type") else { continue };
                    let mut cursor = node.walk();
                    let is_given = node.children_by_field_name("declarator", &mut cursor).all(|d| {
                        let value = d.child_by_field_name("value").filter(|_| d.kind() == "init_declarator");
                        let read_as_function = d.kind() == "function_declarator";
                        value.is_some_and(|v| v.named_child_count() > 0 || !v.kind().ends_with("list"))
                            || read_as_function
                    });
                    if plain_type(self.unit.str(ty)) == "NDRange" && is_given {
                        self.edits.replace(ty.byte_range(), "dim3");
                    }
                }
                _ => {}
            }
        }
    }

    /// The text of a node with the names that were changed.
    fn copied(&self, node: Node<'u>) -> String {
        self.edits.applied(&self.unit.text, node.byte_range()).0
    }

    // ---- arguments ----

    /// `clSetKernelArg(k, index, size, address)`
    pub(super) fn set_of(&mut self, call: Node<'u>, arguments: &[Node<'u>]) -> Option<Set<'u>> {
        let (index, size, address) = match arguments {
            [_, index, size, address] => (*index, Some(*size), *address),
            [_, index, pointer] => (*index, None, *pointer),
            _ => return None,
        };
        let value = match size {
            Some(_) => self.at_address(address),
            None if is_place(inside(address)) => self.copied(inside(address)),
            None => self.unknown(),
        };
        let ty = size.and_then(|size| self.type_of_size(size));
        Some(Set { call, index: self.number(index), value, ty })
    }

    /// `k.setArg(index, value)`, `k.setArg(index, size, address)`
    pub(super) fn argument_of(&mut self, call: Node<'u>, arguments: &[Node<'u>]) -> Option<Set<'u>> {
        let (index, value, ty) = match arguments {
            [index, value] => {
                let text = self.unit.str(*value);
                let is_local = ["cl::Local(", "Local(", "cl::__local("].iter().any(|start| text.starts_with(start));
                let ty = self.type_of_value(*value);
                (*index, if is_local { "0".to_owned() } else { self.copied(*value) }, ty)
            }
            [index, size, address] => (*index, self.at_address(*address), self.type_of_size(*size)),
            _ => return None,
        };
        Some(Set { call, index: self.number(index), value, ty })
    }

    /// What is at an address: a variable, or nothing, which makes local memory.
    fn at_address(&mut self, address: Node<'u>) -> String {
        let inner = inside(address);
        if is_null(self.unit.str(inner)) {
            return "0".to_owned();
        }
        let text = self.unit.str(inner);
        let operand = inner.child_by_field_name("argument").map(inside);
        match (inner.kind(), operand) {
            ("pointer_expression", Some(place)) if text.starts_with('&') && is_place(place) => self.copied(place),
            ("identifier" | "field_expression", _) if is_place(inner) => format!("*({})", self.copied(inner)),
            _ => self.unknown(),
        }
    }

    /// The type in `sizeof(type)`, or that of the variable in it.
    fn type_of_size(&self, size: Node<'u>) -> Option<String> {
        let size = inside(size);
        (size.kind() == "sizeof_expression").then_some(())?;
        let inner = size.child_by_field_name("type").or_else(|| size.child_by_field_name("value"))?;
        let inner = inside(inner);
        let text = self.unit.str(inner);
        if inner.kind() == "identifier"
            && let Some(variable) = self.variables.find(inner)
        {
            let variable = &self.variables.list[variable];
            let ty = self.variables.spelled(variable);
            let is_one = variable.declarator.kind() == "identifier" && ty != "auto" && is_plain(ty);
            return is_one.then(|| ty.trim_start_matches("const ").to_owned());
        }
        is_plain(text).then(|| text.to_owned())
    }

    /// The type of a value that is copied, where the text says it.
    fn type_of_value(&self, value: Node<'u>) -> Option<String> {
        match value.kind() {
            "parenthesized_expression" => self.type_of_value(last_named(value)?),
            "number_literal" => {
                let text = self.unit.str(value);
                text.chars().all(|c| c.is_ascii_digit()).then(|| "int".to_owned())
            }
            "identifier" => {
                let variable = &self.variables.list[self.variables.find(value)?];
                let ty = self.variables.spelled(variable).trim_start_matches("const ");
                let is_one = matches!(variable.declarator.kind(), "identifier" | "reference_declarator");
                (is_one && ty != "auto" && is_plain(ty)).then(|| ty.to_owned())
            }
            "cast_expression" => {
                let ty = self.unit.str(value.child_by_field_name("type")?);
                is_plain(ty).then(|| ty.to_owned())
            }
            "call_expression" => {
                let function = self.unit.str(value.child_by_field_name("function")?);
                let ty = function.strip_prefix("static_cast<").and_then(|rest| rest.strip_suffix('>'));
                let ty = ty.or_else(|| SCALARS.contains(&function).then_some(function))?;
                is_plain(ty).then(|| ty.to_owned())
            }
            "sizeof_expression" => Some("size_t".to_owned()),
            _ => None,
        }
    }

    /// A number that is written out, or a constant.
    fn number(&self, node: Node<'u>) -> Option<usize> {
        let node = inside(node);
        let text = self.unit.str(node);
        match node.kind() {
            "number_literal" => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
                let number = match digits.strip_prefix("0x") {
                    Some(hex) => usize::from_str_radix(hex, 16).ok()?,
                    None if digits.len() > 1 && digits.starts_with('0') => return None,
                    None => digits.parse().ok()?,
                };
                (number < MAX_ARGUMENTS).then_some(number)
            }
            "identifier" => {
                let own = self.variables.find(node).is_some() && !self.is_shadowed(text);
                let variable = self.variables.only(text).filter(|_| own)?;
                let is_const = has_word(self.unit.str(variable.node), "const");
                let value = variable.value.filter(|v| v.kind() == "number_literal" && is_const)?;
                self.number(value)
            }
            _ => None,
        }
    }

    // ---- launches ----

    pub(super) fn enqueue_of(&mut self, call: Node<'u>, function: &str, arguments: &[Node<'u>]) -> Option<Enqueue<'u>> {
        let one =
            |call| Enqueue { call, global: "dim3(1, 1, 1)".into(), local: "dim3(1, 1, 1)".into(), arguments: None };
        match (function, arguments) {
            ("clEnqueueTask" | "enqueueTask", _) => Some(one(call)),
            ("clEnqueueNDRangeKernel", [_, _, dimensions, offset, global, local, ..]) => {
                is_null(self.unit.str(inside(*offset))).then_some(())?;
                let dimensions = self.number(*dimensions).filter(|n| (1..=3).contains(n));
                let global = self.sizes(*global, dimensions);
                let local = match is_null(self.unit.str(inside(*local))) {
                    true => format!("{CHOSEN}()"),
                    false => self.sizes(*local, dimensions),
                };
                Some(Enqueue { call, global, local, arguments: None })
            }
            ("enqueueNDRangeKernel", [_, offset, global, rest @ ..]) => {
                self.is_no_offset(*offset).then_some(())?;
                let (global, local) = (self.copied(*global), rest.first().map(|local| self.copied(*local)));
                let local = local.unwrap_or_else(|| format!("{CHOSEN}()"));
                Some(Enqueue { call, global, local, arguments: None })
            }
            _ => None,
        }
    }

    /// `f(cl::EnqueueArgs(queue, offset, global, local), arguments..)`
    pub(super) fn functor_call(&mut self, call: Node<'u>, arguments: &[Node<'u>]) -> Option<Enqueue<'u>> {
        let (sizes, rest) = arguments.split_first()?;
        let function = sizes.child_by_field_name("function").filter(|_| sizes.kind() == "call_expression")?;
        (plain_type(self.unit.str(function)) == "EnqueueArgs").then_some(())?;
        let given = listed_in(sizes.child_by_field_name("arguments")?);
        let first = given.iter().position(|a| self.is_range(*a))?;
        let ranges = &given[first..];
        (first <= 1 && ranges.iter().all(|r| self.is_range(*r))).then_some(())?;
        let (global, local) = match ranges {
            [global] => (*global, None),
            [global, local] => (*global, Some(*local)),
            [offset, global, local] if self.is_no_offset(*offset) => (*global, Some(*local)),
            _ => return None,
        };
        let local = local.map_or_else(|| format!("{CHOSEN}()"), |local| self.copied(local));
        let of_argument = |host: &mut Self, a: Node<'u>| {
            let text = host.unit.str(a);
            let is_local = ["cl::Local(", "Local(", "cl::__local("].iter().any(|start| text.starts_with(start));
            if is_local { "0".to_owned() } else { host.copied(a) }
        };
        let arguments = rest.iter().map(|a| of_argument(self, *a)).collect();
        Some(Enqueue { call, global: self.copied(global), local, arguments: Some(arguments) })
    }

    fn is_range(&self, node: Node<'u>) -> bool {
        let node = inside(node);
        match node.kind() {
            "call_expression" => {
                node.child_by_field_name("function").is_some_and(|f| plain_type(self.unit.str(f)) == "NDRange")
            }
            "identifier" => {
                let of_type = self.variables.find(node).map(|v| self.variables.spelled(&self.variables.list[v]));
                plain_type(self.unit.str(node)) == "NullRange" || of_type.is_some_and(|ty| plain_type(ty) == "NDRange")
            }
            "qualified_identifier" => plain_type(self.unit.str(node)) == "NullRange",
            _ => false,
        }
    }

    /// Is this no offset of the ids, or 0?
    fn is_no_offset(&self, node: Node<'u>) -> bool {
        let node = inside(node);
        let list = node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        let is_call = node.kind() == "call_expression";
        match is_call {
            true => self.is_range(node) && list.iter().all(|n| self.unit.str(*n) == "0"),
            false => plain_type(self.unit.str(node)) == "NullRange",
        }
    }

    /// The sizes at an address, for as many dimensions.
    fn sizes(&mut self, address: Node<'u>, dimensions: Option<usize>) -> String {
        let sizes = dimensions.and_then(|n| (0..n).map(|axis| self.size(address, axis, n)).collect::<Option<Vec<_>>>());
        match sizes {
            Some(sizes) => {
                let rest = vec!["1".to_owned(); 3 - sizes.len()];
                format!("dim3({})", [sizes, rest].concat().join(", "))
            }
            None => self.unknown(),
        }
    }

    fn size(&self, address: Node<'u>, axis: usize, dimensions: usize) -> Option<String> {
        let inner = inside(address);
        let is_size = |name: Node<'u>| {
            let variable = self.variables.find(name).map(|v| self.variables.list[v]);
            variable.is_some_and(|v| SIZES.contains(&plain_type(self.variables.spelled(&v))))
        };
        let is_array = |name: Node<'u>| {
            let variable = self.variables.find(name).map(|v| self.variables.list[v]);
            variable.is_some_and(|v| matches!(v.declarator.kind(), "array_declarator" | "pointer_declarator"))
        };
        match inner.kind() {
            "pointer_expression" if self.unit.str(inner).starts_with('&') => {
                let place = inside(inner.child_by_field_name("argument")?);
                match place.kind() {
                    "identifier" => (dimensions == 1 && is_size(place) && !is_array(place)).then(|| self.copied(place)),
                    "subscript_expression" => {
                        let array = place.child_by_field_name("argument").filter(|a| a.kind() == "identifier")?;
                        let subscript = place.child_by_field_name("indices").map(listed_in).unwrap_or_default();
                        let is_first = matches!(subscript.as_slice(), [only] if self.unit.str(*only) == "0");
                        (is_first && is_size(array) && is_array(array))
                            .then(|| format!("{}[{axis}]", self.copied(array)))
                    }
                    _ => None,
                }
            }
            "identifier" => (is_size(inner) && is_array(inner)).then(|| format!("{}[{axis}]", self.copied(inner))),
            "compound_literal_expression" => {
                let ty = inner.child_by_field_name("type").map_or("", |ty| self.unit.str(ty));
                let is_size = SIZES.contains(&plain_type(ty.split('[').next().unwrap_or(ty).trim()));
                let items = listed_in(inner.child_by_field_name("value")?);
                let item = items.get(axis).filter(|item| is_size && !has_effect(**item))?;
                Some(self.copied(*item))
            }
            _ => None,
        }
    }

    /// Does an operand do more than set arguments?
    fn has_other_effect(&self, node: Node<'u>) -> bool {
        match node.kind() {
            "parenthesized_expression" | "binary_expression" => {
                listed_in(node).into_iter().any(|part| self.has_other_effect(part))
            }
            "call_expression" => {
                let sets = node.child_by_field_name("function").is_some_and(|f| self.unit.str(f) == "clSetKernelArg");
                let arguments = node.child_by_field_name("arguments");
                !sets || arguments.is_none_or(|list| listed_in(list).into_iter().any(has_effect))
            }
            _ => has_effect(node),
        }
    }

    // ---- what they become ----

    /// Writes what a function sets and launches. Where others set arguments as well, these are not known.
    pub(super) fn write(
        &mut self,
        holder: usize,
        kernel: &str,
        function: Node<'u>,
        sets: Vec<Set<'u>>,
        enqueues: Vec<Enqueue<'u>>,
        is_alone: bool,
    ) {
        let body = function.child_by_field_name("body").filter(|b| b.kind() == "compound_statement");
        let known: Option<Vec<usize>> = sets.iter().map(|set| set.index).collect();
        let known = known.filter(|_| is_alone).zip(body);
        let count = known.as_ref().map_or(0, |(known, _)| known.iter().map(|i| i + 1).max().unwrap_or(0));
        let holder = self.unit.str(self.variables.list[holder].name);
        let mut prefix = format!("{holder}_argument");
        while self.identifiers.keys().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        let name = |i: usize| format!("{prefix}{i}");
        if enqueues.is_empty() {
            return;
        }
        let mut given = Vec::new();
        for i in 0..count {
            let mut own = sets.iter().filter(|s| s.index == Some(i));
            let Some(first) = own.next() else {
                given.push(self.unknown());
                continue;
            };
            // What may be of several types is of none.
            let ty = first.ty.clone().filter(|ty| own.all(|s| s.ty.as_ref() == Some(ty)));
            let ty = ty.unwrap_or_else(|| "auto".to_owned());
            if let Some((_, body)) = &known {
                let at = self.declared.entry(body.start_byte() + 1).or_default();
                at.push_str(&format!(" {ty} {};", name(i)));
            }
            given.push(name(i));
        }
        if known.is_some() {
            for Set { call, index, value, .. } in sets {
                let assigned = format!("{} = {value}", name(index.unwrap_or_default()));
                self.put(call, &assigned);
            }
        }
        for Enqueue { call, global, local, arguments } in enqueues {
            let given = arguments.unwrap_or_else(|| given.clone()).join(", ");
            self.put(call, &format!("{kernel}<<<{RANGE}({global}), {local}>>>({given})"));
        }
    }

    /// Writes an expression where a call is: as a statement before the one of the call, if nothing comes between them.
    fn put(&mut self, call: Node<'u>, text: &str) {
        if call.parent().is_some_and(|p| p.kind() == "expression_statement") {
            self.edits.replace(call.byte_range(), text);
            return;
        }
        let status = self.unknown();
        match self.before(call) {
            Some(at) => {
                self.edits.insert(at, format!("{text}; "));
                self.edits.replace(call.byte_range(), status);
            }
            None => self.edits.replace(call.byte_range(), format!("({text}, {status})")),
        }
    }

    /// Where the statement of a call begins, if that is always run with the call, and nothing of it before the call.
    fn before(&self, call: Node<'u>) -> Option<usize> {
        let mut node = call;
        loop {
            let parent = node.parent()?;
            let field = |name: &str| parent.child_by_field_name(name);
            let others = || listed_in(parent).into_iter().filter(|n| *n != node);
            let passes = match parent.kind() {
                "parenthesized_expression" | "cast_expression" | "unary_expression" | "condition_clause" => true,
                "expression_statement" | "return_statement" => true,
                "assignment_expression" => {
                    field("right") == Some(node) && field("left").is_some_and(|l| l.kind() == "identifier")
                }
                "init_declarator" => field("value") == Some(node),
                "declaration" => {
                    let once = has_word(self.unit.str(parent), "static");
                    let mut cursor = parent.walk();
                    !once && parent.children_by_field_name("declarator", &mut cursor).count() == 1
                }
                "binary_expression" => {
                    let operator = field("operator").map_or("", |o| self.unit.str(o));
                    let is_left = field("left") == Some(node);
                    is_left || !matches!(operator, "&&" | "||") && !others().any(|n| self.has_other_effect(n))
                }
                "argument_list" => {
                    let grand = parent.parent().filter(|p| p.kind() == "call_expression")?;
                    let plain = grand.child_by_field_name("function").is_some_and(|f| !has_effect(f));
                    let name = grand.child_by_field_name("function").map_or("", |f| self.unit.str(f));
                    let may_be_left_out = name.to_ascii_lowercase().contains("assert");
                    plain && !may_be_left_out && !others().any(has_effect)
                }
                "call_expression" => true,
                "if_statement" => field("condition") == Some(node) && !has_child(parent, "constexpr"),
                "do_statement" => {
                    let condition = field("condition").map_or("", |c| self.unit.str(inside(c)));
                    matches!(condition, "0" | "false" | "(0)" | "(false)")
                }
                "compound_statement" => {
                    let once = parent.parent().is_some_and(|p| {
                        let condition = p.child_by_field_name("condition").map_or("", |c| self.unit.str(inside(c)));
                        p.kind() == "do_statement" && matches!(condition, "0" | "false" | "(0)" | "(false)")
                    });
                    let is_first = listed_in(parent).first() == Some(&node);
                    let around = parent.parent().and_then(|p| p.parent());
                    let is_in_block = around.is_some_and(|a| a.kind() == "compound_statement");
                    if once && is_first && is_in_block {
                        true
                    } else {
                        return Some(node.start_byte());
                    }
                }
                _ => return None,
            };
            if !passes {
                return None;
            }
            node = parent;
        }
    }
}

/// Words that are a type.
fn is_plain(ty: &str) -> bool {
    !ty.is_empty() && ty.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | ':'))
}

/// A variable, or an element or field of one.
fn is_place(node: Node) -> bool {
    match node.kind() {
        "identifier" => true,
        "field_expression" => node.child_by_field_name("argument").is_some_and(is_place),
        "subscript_expression" => {
            node.child_by_field_name("argument").is_some_and(is_place)
                && node.child_by_field_name("indices").is_some_and(|i| !has_effect(i))
        }
        _ => false,
    }
}

/// Does it change something, or call what may?
fn has_effect(node: Node) -> bool {
    let mut found = false;
    each_named(node, |n| {
        found |= matches!(
            n.kind(),
            "assignment_expression" | "update_expression" | "new_expression" | "lambda_expression" | "call_expression"
        );
    });
    found
}
