//! What the host code around a kernel launch establishes: sizes of the launch, arguments, and conditions that hold there.
//!
//! A variable of the host is followed to its initialiser when nothing else in its function can change it; all others stand
//! for themselves at the place of the launch. What is not understood is left out: facts only ever narrow a check, and each
//! one that is used is listed with the verdict.

use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use super::lower::Lower;
use super::types::Bindings;
use super::unit::{FunDecl, TypeDecl, Unit, child_of_kind, declared_name, has_child, last_named, split_init};
use crate::base::{Name, Span};
use crate::exp::{B, IntTy, N, NBin, NRel, Var};

/// How deep initialisers and calls of small functions are followed.
const MAX_DEPTH: usize = 24;

/// One launch of a kernel, in terms of [`symbol`]s of the host. `None`: not understood.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    pub span: Span,
    pub block: [Option<N>; 3],
    pub grid: [Option<N>; 3],
    /// The arguments that are integers.
    pub args: Vec<Option<N>>,
    /// The variable that a pointer argument is, or points into, and whether it is just that.
    pub pointers: Vec<Option<(String, bool)>>,
    /// What holds where the kernel is launched.
    pub facts: Vec<B>,
    /// The types of the variables that these speak of, where they are said.
    pub types: BTreeMap<Name, IntTy>,
}

/// The value that a variable of the host has at a launch, as a mathematical integer.
pub fn symbol(name: &str) -> N {
    N::var(&Var::new(name, IntTy::MATH))
}

/// What a function does to a variable.
#[derive(Default, Clone, Copy)]
struct Uses<'t> {
    declarations: usize,
    /// Its initialiser, and its declarator.
    init: Option<Node<'t>>,
    declarator: Option<Node<'t>>,
    ty: Option<Node<'t>>,
    changes: usize,
    /// The value that it is assigned, when that is the only change.
    assigned: Option<Node<'t>>,
    is_parameter: bool,
}

/// The integer type that words stand for; `None`: not said, as by `auto`.
fn integer_type(text: &str) -> Option<IntTy> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !matches!(*w, "" | "const" | "std" | "int" | "signed"))
        .collect();
    let of = |bits, signed| Some(IntTy { bits, signed });
    match words.as_slice() {
        ["auto"] => None,
        [] | ["int32_t"] => Some(IntTy::I32),
        ["bool"] => Some(IntTy::BOOL),
        ["size_t" | "uint64_t"] => Some(IntTy::U64),
        ["int64_t"] => Some(IntTy::I64),
        ["uint" | "uint32_t"] => Some(IntTy::U32),
        words => {
            let signed = !words.contains(&"unsigned");
            let bits = match words {
                _ if words.contains(&"char") => 8,
                _ if words.contains(&"short") => 16,
                _ if words.contains(&"long") => 64,
                ["unsigned"] => 32,
                _ => return None,
            };
            of(bits, signed)
        }
    }
}

fn promoted(ty: IntTy) -> IntTy {
    if ty.bits < 32 { IntTy::I32 } else { ty }
}

/// The type in which two numbers are combined.
fn in_common(a: IntTy, b: IntTy) -> IntTy {
    let (a, b) = (promoted(a), promoted(b));
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => IntTy { bits: a.bits, signed: a.signed && b.signed },
    }
}

/// A number after a conversion. Sizes are taken to fit types of 32 bits; `None`: it may not fit a smaller one.
fn converted(value: &N, ty: Option<IntTy>) -> Option<N> {
    match (ty, value.as_num()) {
        (None, _) => Some(value.clone()),
        (Some(IntTy::BOOL), _) => Some(N::ite(&value.ne(&N::num(0)), &N::num(1), &N::num(0))),
        (Some(ty), Some(n)) => Some(N::num(ty.wrap(n))),
        (Some(ty), None) => (ty.bits >= 32).then(|| value.clone()),
    }
}

/// A function of the host.
struct Host<'l, 'u> {
    unit: &'u Unit<'u>,
    lower: &'l mut Lower<'u>,
    uses: HashMap<&'u str, Uses<'u>>,
    /// `grid.x = e`, by variable and field.
    fields: HashMap<(&'u str, &'u str), (usize, Node<'u>)>,
    /// Arguments of the small functions that are being followed.
    arguments: Vec<HashMap<&'u str, (N, IntTy)>>,
    /// Addresses that are only read through.
    copied: Vec<Node<'u>>,
    lambdas: Vec<Node<'u>>,
    /// Control may come to a launch past what stands before it.
    has_goto: bool,
    depth: usize,
}

/// The launches of a kernel that may be of this instance; `None` when it is also used in ways that are not understood.
pub fn launches<'u>(lower: &mut Lower<'u>, kernel: &FunDecl<'u>, bindings: &Bindings) -> Option<Vec<HostLaunch>> {
    let unit = lower.unit;
    let name = unit.str(unit.qualified(declared_name(kernel.declarator)?).1);
    let mut found = Vec::new();
    let mentions = lower.names.mentions.get(name).cloned().unwrap_or_default();
    for node in mentions {
        if is_question(unit, node) {
            continue;
        }
        let (call, config, arguments) = launch_of(unit, node)?;
        if !may_be(lower, kernel, node, bindings) {
            continue;
        }
        let read = match lower.launches.get(&node.id()) {
            Some(known) => known.clone(),
            None => {
                let read = launch(unit, lower, call, config, arguments);
                lower.launches.insert(node.id(), read.clone());
                read
            }
        };
        found.push(read?);
    }
    found.sort_by_key(|l| (l.span.start, l.span.end));
    Some(found)
}

/// The list of arguments that the name of a kernel stands in, out of template arguments, scopes, casts and parentheses; or
/// the call of the kernel itself.
fn place_of<'t>(unit: &Unit, name: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let mut node = name;
    while let Some(parent) = node.parent() {
        let is_cast = |call: Node| call.child_by_field_name("function").is_some_and(|f| is_named_cast(unit, f));
        match parent.kind() {
            "argument_list" => match parent.parent().filter(|p| p.kind() == "call_expression")? {
                cast if is_cast(cast) => node = cast,
                _ => return Some((parent, node)),
            },
            "call_expression" => return Some((parent, node)),
            "template_function" | "qualified_identifier" | "parenthesized_expression" | "cast_expression" => {
                node = parent;
            }
            "pointer_expression" if unit.str(parent).starts_with('&') => node = parent,
            _ => return None,
        }
    }
    None
}

fn is_named_cast(unit: &Unit, function: Node) -> bool {
    function.kind() == "template_function"
        && function
            .child_by_field_name("name")
            .is_some_and(|n| matches!(unit.str(n), "reinterpret_cast" | "static_cast" | "const_cast"))
}

fn listed_in<'t>(list: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
}

/// Does this only ask or set something about the kernel, such as `cudaFuncSetCacheConfig`?
fn is_question(unit: &Unit, name: Node) -> bool {
    let Some((list, _)) = place_of(unit, name).filter(|(list, _)| list.kind() == "argument_list") else { return false };
    let callee = list.parent().and_then(|c| c.child_by_field_name("function")).map(|f| unit.str(f));
    callee.is_some_and(|c| ["cudaFunc", "cudaOccupancy", "hipFunc", "hipOccupancy"].iter().any(|p| c.starts_with(p)))
}

/// Where a launch says how many threads there are.
#[derive(Clone, Copy)]
enum Config<'t> {
    /// Expressions for grid and block.
    Sizes(Option<Node<'t>>, Option<Node<'t>>),
    /// A variable with the fields `gridDim` and `blockDim`.
    Variable(Node<'t>),
}

/// How a launch gives the arguments.
enum Arguments<'t> {
    Values(Vec<Node<'t>>),
    /// A variable that is an array of their addresses.
    Addresses(Node<'t>),
}

/// The launch that a name of a kernel stands in: the call, the sizes, the arguments.
fn launch_of<'t>(unit: &Unit, name: Node<'t>) -> Option<(Node<'t>, Config<'t>, Arguments<'t>)> {
    let (place, node) = place_of(unit, name)?;
    if place.kind() == "call_expression" {
        let arguments = listed_in(place.child_by_field_name("arguments")?);
        let syntax = child_of_kind(place, "kernel_call_syntax")?;
        (place.child_by_field_name("function") == Some(node)).then_some(())?;
        let config = Config::Sizes(syntax.named_child(0), syntax.named_child(1));
        return Some((place, config, Arguments::Values(arguments)));
    }
    let call = place.parent()?;
    let arguments = listed_in(place);
    let at = arguments.iter().position(|a| *a == node)?;
    let sizes = || Some(Config::Sizes(Some(*arguments.get(1)?), Some(*arguments.get(2)?)));
    match (unit.str(call.child_by_field_name("function")?), at) {
        // (kernel, grid, block, shared, stream, arguments..)
        ("hipLaunchKernelGGL", 0) => Some((call, sizes()?, Arguments::Values(arguments.get(5..)?.to_vec()))),
        // (kernel, grid, block, addresses, shared, stream)
        ("cudaLaunchKernel" | "cudaLaunchCooperativeKernel" | "hipLaunchKernel" | "hipLaunchCooperativeKernel", 0) => {
            Some((call, sizes()?, Arguments::Addresses(*arguments.get(3)?)))
        }
        // (&config, kernel, arguments..)
        ("cudaLaunchKernelEx", 1) => {
            let config = arguments[0].child_by_field_name("argument").filter(|c| c.kind() == "identifier")?;
            Some((call, Config::Variable(config), Arguments::Values(arguments[2..].to_vec())))
        }
        _ => None,
    }
}

/// `&x` in an array of addresses that nothing but launches is given: they copy what is there.
fn addresses<'t>(unit: &Unit, function: Node<'t>, array: Node<'t>) -> Option<Vec<Node<'t>>> {
    (array.kind() == "identifier").then_some(())?;
    let mut list = None;
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        stack.extend(listed_in(node));
        if node.kind() != "identifier" || unit.str(node) != unit.str(array) {
            continue;
        }
        let parent = node.parent()?;
        if parent.kind() == "argument_list" {
            let call = parent.parent()?.child_by_field_name("function")?;
            let launches = ["cudaLaunch", "hipLaunch"].iter().any(|p| unit.str(call).starts_with(p));
            (launches && listed_in(parent).get(3) == Some(&node)).then_some(())?;
            continue;
        }
        let mut declarator = parent;
        while declarator.kind() != "init_declarator" {
            declarator = declarator.parent().filter(|d| d.kind().ends_with("declarator"))?;
        }
        let value = declarator.child_by_field_name("value").filter(|v| v.kind() == "initializer_list")?;
        list.is_none().then_some(())?;
        list = Some(value);
    }
    listed_in(list?).into_iter().map(|item| address(unit, item)).collect()
}

/// The `&x` that is cast to another pointer.
fn address<'t>(unit: &Unit, item: Node<'t>) -> Option<Node<'t>> {
    let mut item = item;
    loop {
        item = match item.kind() {
            "cast_expression" => item.child_by_field_name("value")?,
            "parenthesized_expression" => last_named(item)?,
            "call_expression" if is_named_cast(unit, item.child_by_field_name("function")?) => {
                item.child_by_field_name("arguments")?.named_child(0)?
            }
            "pointer_expression" if unit.str(item).starts_with('&') => return Some(item),
            _ => return None,
        };
    }
}

/// May the launch of a template be that of an instance?
fn may_be<'u>(lower: &mut Lower<'u>, kernel: &FunDecl<'u>, name: Node<'u>, bindings: &Bindings) -> bool {
    if kernel.template.is_none_or(|p| p.named_child_count() == 0) || *bindings == Bindings::default() {
        return true;
    }
    let place = name.parent().filter(|p| p.kind() == "template_function").unwrap_or(name);
    let asked = lower.asked_by(kernel, place, 0);
    !asked.complete || asked.instances.contains(bindings)
}

fn launch<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    call: Node<'u>,
    config: Config<'u>,
    arguments: Arguments<'u>,
) -> Option<HostLaunch> {
    let mut function = call;
    while function.kind() != "function_definition" {
        function = function.parent()?;
    }
    let mut host = Host {
        unit,
        lower,
        uses: HashMap::new(),
        fields: HashMap::new(),
        arguments: Vec::new(),
        copied: Vec::new(),
        lambdas: Vec::new(),
        has_goto: false,
        depth: 0,
    };
    let arguments = match arguments {
        Arguments::Values(values) => values,
        Arguments::Addresses(array) => {
            host.copied = addresses(unit, function, array)?;
            host.copied.iter().map(|a| a.child_by_field_name("argument")).collect::<Option<_>>()?
        }
    };
    host.scan(function);
    let dims = |host: &mut Host<'_, 'u>, node: Option<Node<'u>>| node.map_or([None, None, None], |n| host.dims(n));
    let (grid, block) = match config {
        Config::Sizes(grid, block) => (dims(&mut host, grid), dims(&mut host, block)),
        Config::Variable(config) => (host.dims_of_field(config, "gridDim"), host.dims_of_field(config, "blockDim")),
    };
    let args = arguments.iter().map(|a| host.number(*a)).collect();
    let pointers = arguments.iter().map(|a| host.pointer(*a)).collect();
    let facts = host.facts(call, function);
    let declared = |(name, uses): (&&str, &Uses)| Some((Name::new(*name), integer_type(unit.str(uses.ty?))?));
    let types = host.uses.iter().filter_map(declared).collect();
    Some(HostLaunch { span: unit.span(call), block, grid, args, pointers, facts, types })
}

impl<'u> Host<'_, 'u> {
    // ---- what happens to variables ----

    fn scan(&mut self, function: Node<'u>) {
        let mut stack = vec![function];
        while let Some(node) = stack.pop() {
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
            match node.kind() {
                "parameter_declaration" | "optional_parameter_declaration" => {
                    if let Some(name) = node.child_by_field_name("declarator").and_then(declared_name) {
                        let uses = self.uses.entry(self.unit.str(name)).or_default();
                        uses.declarations += 1;
                        uses.is_parameter = true;
                        uses.ty = node.child_by_field_name("type");
                    }
                }
                "declaration" | "for_range_loop" => {
                    let ty = node.child_by_field_name("type");
                    let mut declarators = node.walk();
                    for declarator in node.children_by_field_name("declarator", &mut declarators) {
                        let (inner, init) = split_init(declarator);
                        let Some(name) = declared_name(inner) else { continue };
                        let uses = self.uses.entry(self.unit.str(name)).or_default();
                        uses.declarations += 1;
                        (uses.init, uses.declarator, uses.ty) = (init, Some(inner), ty);
                        // The variable of a range takes many values; a reference is another name.
                        let other = node.kind() == "for_range_loop"
                            || has_child(inner, "&")
                            || inner.kind() == "reference_declarator";
                        uses.changes += if other { 2 } else { 0 };
                        let keeps = other && !self.unit.str(node).starts_with("const ")
                            || ty.is_some_and(|ty| self.keeps_references(ty));
                        if keeps {
                            self.all_changed(declarator);
                        }
                    }
                }
                "assignment_expression" => {
                    let (Some(left), Some(right)) =
                        (node.child_by_field_name("left"), node.child_by_field_name("right"))
                    else {
                        continue;
                    };
                    let plain = node.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == "=");
                    if left.kind() == "field_expression"
                        && let (Some(object), Some(field)) =
                            (left.child_by_field_name("argument"), left.child_by_field_name("field"))
                    {
                        let times = if plain && self.is_always_run(node, function) { 1 } else { 2 };
                        let entry =
                            self.fields.entry((self.unit.str(object), self.unit.str(field))).or_insert((0, right));
                        entry.0 += times;
                        entry.1 = right;
                        continue;
                    }
                    let always = plain && self.is_always_run(node, function);
                    self.changed(left, if always { Some(right) } else { None });
                }
                // Names that are not followed.
                "structured_binding_declarator" => self.all_changed(node),
                "lambda_capture_initializer" => {
                    if let Some(name) = node.child_by_field_name("left").or_else(|| node.named_child(0)) {
                        self.all_changed(name);
                    }
                }
                "enumerator" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.all_changed(name);
                    }
                }
                "lambda_expression" => self.lambdas.push(node),
                "goto_statement" => self.has_goto = true,
                "update_expression" => {
                    if let Some(argument) = node.child_by_field_name("argument") {
                        self.changed(argument, None);
                    }
                }
                "pointer_expression" if self.unit.str(node).starts_with('&') => {
                    if let Some(argument) = node.child_by_field_name("argument")
                        && !self.is_only_read(node)
                    {
                        self.changed(argument, None);
                    }
                }
                // `a >> x`, from a stream.
                "binary_expression"
                    if node.child_by_field_name("operator").is_some_and(|o| self.unit.str(o) == ">>") =>
                {
                    if let Some(right) = node.child_by_field_name("right") {
                        self.changed(right, None);
                    }
                }
                "call_expression" if !has_child(node, "kernel_call_syntax") => self.call_changes(node),
                _ => {}
            }
        }
    }

    /// Is this statement run once, whenever the function is: directly in its body?
    fn is_always_run(&self, node: Node<'u>, function: Node<'u>) -> bool {
        let statement = node.parent().filter(|p| p.kind() == "expression_statement");
        statement.and_then(|s| s.parent()).is_some_and(|block| Some(block) == function.child_by_field_name("body"))
    }

    /// Is this address given to a launch, which copies what is there?
    fn is_only_read(&self, address: Node<'u>) -> bool {
        let callee = address.parent().filter(|p| p.kind() == "argument_list").and_then(|p| p.parent());
        let callee = callee.and_then(|c| c.child_by_field_name("function")).map(|f| self.unit.str(f));
        callee == Some("cudaLaunchKernelEx") || self.copied.contains(&address)
    }

    /// May an object of this type change what it is made from?
    fn keeps_references(&self, ty: Node<'u>) -> bool {
        let name = self.unit.str(self.unit.qualified(ty).1);
        let name = name.split('<').next().unwrap_or(name).trim();
        self.lower.names.types.get(name).is_some_and(|list| {
            list.iter().any(|(_, decl)| match decl {
                TypeDecl::Class(node, _) => self.unit.str(*node).contains('&'),
                TypeDecl::Typedef(ty, declarator) => {
                    self.unit.str(*declarator).contains('&') || self.unit.str(*ty).contains('&')
                }
                TypeDecl::Alias(ty) => self.unit.str(*ty).contains('&'),
                TypeDecl::Enum(_) | TypeDecl::Unread => false,
            })
        })
    }

    /// Whatever is named here may change.
    fn all_changed(&mut self, node: Node<'u>) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "identifier" => self.changed(node, None),
                // `S s(n);` reads as the declaration of a function.
                "type_identifier" => self.uses.entry(self.unit.str(node)).or_default().changes += 2,
                _ => {}
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
    }

    fn changed(&mut self, place: Node<'u>, value: Option<Node<'u>>) {
        if place.kind() == "field_expression"
            && let (Some(object), Some(field)) =
                (place.child_by_field_name("argument"), place.child_by_field_name("field"))
        {
            let entry = self.fields.entry((self.unit.str(object), self.unit.str(field))).or_insert((0, place));
            entry.0 += 2;
        }
        let mut place = place;
        while let Some(inner) = place
            .child_by_field_name("argument")
            .or_else(|| if place.kind() == "parenthesized_expression" { last_named(place) } else { None })
        {
            place = inner;
        }
        if place.kind() == "identifier" {
            let uses = self.uses.entry(self.unit.str(place)).or_default();
            uses.changes += if value.is_some() { 1 } else { 2 };
            uses.assigned = value;
        }
    }

    /// A function may change what it gets by reference.
    fn call_changes(&mut self, call: Node<'u>) {
        let (Some(function), Some(list)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            return;
        };
        let name = self.unit.str(self.unit.qualified(function).1);
        // Libraries of the platform take what they change by pointer.
        let platform = ["cuda", "cublas", "cufft", "curand", "hip", "__cuda"].iter().any(|k| name.starts_with(k));
        const BY_VALUE: [&str; 28] = [
            "printf", "fprintf", "malloc", "calloc", "free", "memset", "memcpy", "strcmp", "strlen", "assert", "exit",
            "abort", "min", "max", "sqrt", "pow", "abs", "ceil", "ceilf", "floor", "log", "log2", "dim3", "int",
            "rand", "srand", "fflush", "fclose",
        ];
        let harmless = platform || BY_VALUE.contains(&name);
        let overloads = self.lower.names.functions.get(name);
        let mut cursor = list.walk();
        for (i, argument) in list.named_children(&mut cursor).filter(|n| n.kind() != "comment").enumerate() {
            if !matches!(argument.kind(), "identifier" | "field_expression" | "subscript_expression") {
                continue;
            }
            let by_reference = match overloads {
                Some(list) => list.iter().any(|decl| {
                    decl.declarator.child_by_field_name("parameters").is_some_and(|parameters| {
                        let mut cursor = parameters.walk();
                        let parameter = parameters.named_children(&mut cursor).filter(|n| n.kind() != "comment").nth(i);
                        parameter.is_none_or(|p| {
                            let text = self.unit.str(p);
                            let refers = text.contains('&')
                                || p.child_by_field_name("type").is_some_and(|ty| self.keeps_references(ty));
                            refers && !text.trim_start().starts_with("const ")
                        })
                    })
                }),
                None => !harmless,
            };
            if by_reference {
                self.changed(argument, None);
            }
        }
    }

    /// Has this variable one value as long as it is visible?
    fn is_stable(&self, name: &str) -> bool {
        match self.uses.get(name) {
            Some(uses) => {
                uses.declarations == 1 && self.value_of(uses).is_some_and(|v| v.is_some() || uses.changes == 0)
            }
            // A constant outside of the function; a variable there may change at any time.
            None => false,
        }
    }

    /// The one value that a variable ever has: `Some(None)` is that of a parameter, or one that is not given here.
    fn value_of(&self, uses: &Uses<'u>) -> Option<Option<Node<'u>>> {
        match (uses.init, uses.changes) {
            (Some(init), 0) => Some(Some(init)),
            (None, 1) if !uses.is_parameter => Some(uses.assigned),
            (None, 0) => Some(None),
            _ => None,
        }
    }

    // ---- values ----

    /// A host expression as a mathematical integer.
    fn number(&mut self, node: Node<'u>) -> Option<N> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.number_inner(node);
        self.depth -= 1;
        value
    }

    fn number_inner(&mut self, node: Node<'u>) -> Option<N> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "number_literal" | "char_literal" | "true" | "false" | "sizeof_expression" => self.constant(node),
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.number(inner)
            }
            "identifier" => self.variable(self.unit.str(node), node),
            "qualified_identifier" => self.constant(node),
            "cast_expression" => {
                let (ty, value) = (field("type")?, field("value")?);
                self.is_integer_type(ty).then_some(())?;
                let value = self.rounded(value).or_else(|| self.number(value))?;
                converted(&value, integer_type(self.unit.str(ty)))
            }
            "unary_expression" if self.unit.str(field("operator")?) == "-" => {
                let value = self.number(field("argument")?)?;
                Some(self.wrapped(N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &value), node))
            }
            "conditional_expression" => {
                let cond = self.condition(field("condition")?)?;
                let (then, els) = (self.number(field("consequence")?)?, self.number(field("alternative")?)?);
                Some(N::ite(&cond, &then, &els))
            }
            "binary_expression" => {
                let op = self.unit.str(field("operator")?);
                if matches!(op, "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||") {
                    let cond = self.condition(node)?;
                    return Some(N::ite(&cond, &N::num(1), &N::num(0)));
                }
                let (left, right) = (field("left")?, field("right")?);
                let (l, r) = (self.number(left)?, self.number(right)?);
                // `(n + b - 1) / b` is not evaluated where `b` is zero.
                let l = if op == "/" { self.rounding_up(left, right).unwrap_or(l) } else { l };
                let op = match op {
                    "+" => NBin::Add,
                    "-" => NBin::Sub,
                    "*" => NBin::Mul,
                    "/" | "%" if r.as_num() == Some(0) => return None,
                    "/" => NBin::Div,
                    "%" => NBin::Rem,
                    "<<" | ">>" => {
                        let by = r.as_num().filter(|n| (0..62).contains(n))?;
                        let factor = N::num(1i128 << by);
                        let op = if op == "<<" { NBin::Mul } else { NBin::Div };
                        let shifted = N::bin(op, IntTy::MATH, &l, &factor);
                        if op == NBin::Mul || self.least(left).is_some_and(|n| n >= 0) {
                            return Some(self.wrapped(shifted, node));
                        }
                        // A negative number is rounded down.
                        let up = N::bin(NBin::Sub, IntTy::MATH, &N::num((1i128 << by) - 1), &l);
                        let up = N::bin(NBin::Div, IntTy::MATH, &up, &factor);
                        let below = N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &up);
                        return Some(N::ite(&B::rel(NRel::Lt, &l, &N::num(0)), &below, &shifted));
                    }
                    _ => return None,
                };
                Some(self.wrapped(N::bin(op, IntTy::MATH, &l, &r), node))
            }
            "field_expression" => {
                let axis = match self.unit.str(field("field")?) {
                    "x" => 0,
                    "y" => 1,
                    "z" => 2,
                    _ => return None,
                };
                let [x, y, z] = self.dims_of_variable(field("argument").filter(|a| a.kind() == "identifier")?)?;
                [x, y, z].into_iter().nth(axis)?
            }
            "call_expression" => self.call(node),
            _ => None,
        }
    }

    fn constant(&mut self, node: Node<'u>) -> Option<N> {
        self.lower.constant_at(node).map(N::num)
    }

    fn variable(&mut self, name: &'u str, node: Node<'u>) -> Option<N> {
        if let Some(arguments) = self.arguments.last() {
            return match arguments.get(name) {
                Some((value, _)) => Some(value.clone()),
                None => self.constant(node),
            };
        }
        let Some(uses) = self.uses.get(name).copied() else { return self.constant(node) };
        if !uses.ty.is_some_and(|ty| self.is_integer_type(ty)) || uses.declarations != 1 {
            return None;
        }
        if !self.is_named_number(name) {
            return None;
        }
        match self.value_of(&uses) {
            Some(Some(init)) if self.only_stable(init) => {
                let inner = match init.kind() {
                    "argument_list" | "initializer_list" if init.named_child_count() == 1 => init.named_child(0)?,
                    _ => init,
                };
                let ty = uses.ty.and_then(|ty| integer_type(self.unit.str(ty)));
                let value = self.number(inner).and_then(|value| converted(&value, ty));
                Some(value.unwrap_or_else(|| symbol(name)))
            }
            _ => Some(symbol(name)),
        }
    }

    /// Are all variables in an expression stable, so that it has one value?
    fn only_stable(&self, node: Node<'u>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if node.kind() == "identifier" {
                let name = self.unit.str(node);
                let constant = !self.uses.contains_key(name);
                let changed_field = self.fields.keys().any(|(object, _)| *object == name);
                if !constant && (!self.is_stable(name) || changed_field) {
                    return false;
                }
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        true
    }

    fn is_integer_type(&self, ty: Node<'u>) -> bool {
        let words = [
            "int", "unsigned", "size_t", "uint", "long", "short", "int32_t", "uint32_t", "int64_t", "uint64_t", "auto",
            "char", "bool",
        ];
        let text = self.unit.str(ty);
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .all(|w| w.is_empty() || words.contains(&w) || w == "const")
            && !text.contains('*')
    }

    /// `ceil(a / b)` of whole numbers.
    fn rounded(&mut self, node: Node<'u>) -> Option<N> {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            node = last_named(node)?;
        }
        if node.kind() != "call_expression" {
            return None;
        }
        let name = self.unit.str(self.unit.qualified(node.child_by_field_name("function")?).1);
        if !matches!(name, "ceil" | "ceilf") {
            return None;
        }
        let mut division = node.child_by_field_name("arguments")?.named_child(0)?;
        while division.kind() == "parenthesized_expression" {
            division = last_named(division)?;
        }
        if division.kind() != "binary_expression" || self.unit.str(division.child_by_field_name("operator")?) != "/" {
            return None;
        }
        let (l, r) = (division.child_by_field_name("left")?, division.child_by_field_name("right")?);
        // One side has to be made a fraction, or the division is that of integers.
        let (l, l_float) = self.whole(l)?;
        let (r, r_float) = self.whole(r)?;
        if !l_float && !r_float {
            return Some(N::bin(NBin::Div, IntTy::MATH, &l, &r));
        }
        let less = N::bin(NBin::Sub, IntTy::MATH, &r, &N::num(1));
        Some(N::bin(NBin::Div, IntTy::MATH, &N::bin(NBin::Add, IntTy::MATH, &l, &less), &r))
    }

    /// A whole number that may be converted to a fraction, and whether it is.
    fn whole(&mut self, node: Node<'u>) -> Option<(N, bool)> {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            node = last_named(node)?;
        }
        let text = self.unit.str(node);
        match node.kind() {
            "number_literal" if text.contains('.') => {
                let digits = text.trim_end_matches(['f', 'F']);
                let value: f64 = digits.parse().ok()?;
                (value.fract() == 0.0 && value.abs() < 1e15).then(|| (N::num(value as i128), true))
            }
            "cast_expression" => {
                let ty = self.unit.str(node.child_by_field_name("type")?);
                let value = self.number(node.child_by_field_name("value")?)?;
                Some((value, ty == "float" || ty == "double"))
            }
            "call_expression" => {
                let callee = self.unit.str(node.child_by_field_name("function")?);
                let float = matches!(callee, "float" | "double" | "static_cast<float>" | "static_cast<double>");
                if !float {
                    return Some((self.number(node)?, false));
                }
                Some((self.number(node.child_by_field_name("arguments")?.named_child(0)?)?, true))
            }
            _ => Some((self.number(node)?, false)),
        }
    }

    /// A call of a function that does nothing but return an expression of its parameters.
    fn call(&mut self, node: Node<'u>) -> Option<N> {
        let function = node.child_by_field_name("function")?;
        let list = node.child_by_field_name("arguments")?;
        let mut cursor = list.walk();
        let arguments: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        let callee = self.unit.str(function);
        let name = self.unit.str(self.unit.qualified(function).1);
        if let ("static_cast", [value]) = (callee.split('<').next().unwrap_or(""), arguments.as_slice()) {
            let integer = callee.trim_end_matches('>').split('<').nth(1)?;
            let words = [
                "int",
                "unsigned",
                "unsigned int",
                "size_t",
                "long",
                "uint32_t",
                "int32_t",
                "int64_t",
                "uint64_t",
                "uint",
            ];
            words.contains(&integer.trim()).then_some(())?;
            let value = self.rounded(*value).or_else(|| self.number(*value))?;
            return converted(&value, integer_type(integer));
        }
        // A lambda, or another object that is called.
        if self.uses.contains_key(name) {
            return None;
        }
        let overloads = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        if overloads.is_empty() && matches!(name, "min" | "max") {
            let [l, r] = arguments.as_slice() else { return None };
            let (l, r) = (self.number(*l)?, self.number(*r)?);
            let op = if name == "min" { NBin::Min } else { NBin::Max };
            return Some(N::bin(op, IntTy::MATH, &l, &r));
        }
        if overloads.is_empty() && matches!(name, "int" | "size_t" | "unsigned") {
            let [value] = arguments.as_slice() else { return None };
            let value = self.rounded(*value).or_else(|| self.number(*value))?;
            return converted(&value, integer_type(name));
        }
        let mut defined = overloads.iter().filter(|d| d.has_body);
        let (Some(decl), None) = (defined.next(), defined.next()) else { return None };
        let body = decl.node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        let mut statements = body.named_children(&mut cursor).filter(|n| n.kind() != "comment");
        let (Some(only), None) = (statements.next(), statements.next()) else { return None };
        if only.kind() != "return_statement" || !self.is_integer_type(decl.node.child_by_field_name("type")?) {
            return None;
        }
        let parameters = decl.declarator.child_by_field_name("parameters")?;
        let mut cursor = parameters.walk();
        let mut bound = HashMap::new();
        for (parameter, argument) in
            parameters.named_children(&mut cursor).filter(|p| p.kind() != "comment").zip(&arguments)
        {
            let ty = parameter.child_by_field_name("type")?;
            if !self.is_integer_type(ty) {
                return None;
            }
            let name = parameter.child_by_field_name("declarator").and_then(declared_name)?;
            let ty = integer_type(self.unit.str(ty));
            let value = converted(&self.number(*argument)?, ty)?;
            let ty = ty.or_else(|| self.type_of(*argument)).unwrap_or(IntTy::I32);
            bound.insert(self.unit.str(name), (value, ty));
        }
        self.arguments.push(bound);
        let value = only.named_child(0);
        let result = value.and_then(|v| self.rounded(v).or_else(|| self.number(v)));
        self.arguments.pop();
        let returns = decl.node.child_by_field_name("type").and_then(|ty| integer_type(self.unit.str(ty)));
        converted(&result?, returns)
    }

    // ---- types ----

    /// The type that an expression has in C, as far as it is known.
    fn type_of(&self, node: Node<'u>) -> Option<IntTy> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                self.type_of(field("value").or_else(|| last_named(node))?)
            }
            "number_literal" => {
                let text = self.unit.str(node).to_ascii_lowercase();
                let suffix = text.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == 'x' || c == '\'');
                let bits = if suffix.contains('l') { 64 } else { 32 };
                Some(IntTy { bits, signed: !suffix.contains('u') })
            }
            "sizeof_expression" => Some(IntTy::U64),
            "identifier" => {
                let name = self.unit.str(node);
                if let Some(arguments) = self.arguments.last() {
                    return arguments.get(name).map(|(_, ty)| *ty);
                }
                let uses = self.uses.get(name)?;
                let own = integer_type(self.unit.str(uses.ty?));
                let plain =
                    |n: &Node<'u>| matches!(n.kind(), "number_literal" | "sizeof_expression" | "cast_expression");
                own.or_else(|| self.type_of(uses.init.filter(plain)?))
            }
            "cast_expression" => integer_type(self.unit.str(field("type")?)),
            "unary_expression" => self.type_of(field("argument")?).map(promoted),
            "field_expression" => Some(IntTy::U32),
            "conditional_expression" => {
                Some(in_common(self.type_of(field("consequence")?)?, self.type_of(field("alternative")?)?))
            }
            "binary_expression" => {
                let (l, r) = (field("left")?, field("right")?);
                match self.unit.str(field("operator")?) {
                    "<<" | ">>" => self.type_of(l).map(promoted),
                    "+" | "-" | "*" | "/" | "%" => {
                        // A constant of the unit counts as an `int`.
                        let ty = |n| self.type_of(n).unwrap_or(IntTy::I32);
                        Some(in_common(ty(l), ty(r)))
                    }
                    _ => Some(IntTy::I32),
                }
            }
            "call_expression" => {
                let function = field("function")?;
                let callee = self.unit.str(function);
                if let Some(("static_cast", ty)) = callee.trim_end_matches('>').split_once('<') {
                    return integer_type(ty);
                }
                let name = self.unit.str(self.unit.qualified(function).1);
                match self.lower.names.functions.get(name).and_then(|list| list.first()) {
                    Some(decl) => integer_type(self.unit.str(decl.node.child_by_field_name("type")?)),
                    None if matches!(name, "min" | "max") => self.type_of(field("arguments")?.named_child(0)?),
                    None => integer_type(name),
                }
            }
            _ => None,
        }
    }

    /// A number that an expression is not less than, by its type and its parts.
    fn least(&mut self, node: Node<'u>) -> Option<i128> {
        if let Some(n) = self.number(node)?.as_num() {
            return Some(n);
        }
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" => self.least(field("value").or_else(|| last_named(node))?),
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                let l = self.least(left)?;
                match self.unit.str(field("operator")?) {
                    "+" => Some(l + self.least(right)?),
                    "*" | "/" | "%" | ">>" | "<<" if l >= 0 && self.least(right)? >= 0 => Some(0),
                    "-" => Some(l - self.number(right)?.as_num()?),
                    _ => None,
                }
            }
            "identifier" => {
                // A variable that stands for itself.
                let own = self.number(node)? == symbol(self.unit.str(node));
                (own && !self.type_of(node)?.signed).then_some(0)
            }
            "field_expression" => Some(0),
            _ => None,
        }
    }

    /// The value of an expression, which in an unsigned type is never negative.
    fn wrapped(&mut self, value: N, node: Node<'u>) -> N {
        match self.type_of(node) {
            Some(ty) if !ty.signed => self.unsigned(value, node, ty),
            _ => value,
        }
    }

    fn unsigned(&mut self, value: N, node: Node<'u>, ty: IntTy) -> N {
        if let Some(n) = value.as_num() {
            return N::num(ty.wrap(n));
        }
        // Sums and products of sizes are taken to fit.
        let difference = node.kind() != "binary_expression"
            || node.child_by_field_name("operator").is_some_and(|op| self.unit.str(op) == "-");
        if !difference || self.depth > MAX_DEPTH || self.least_of(node).is_some_and(|n| n >= 0) {
            return value;
        }
        let above = N::bin(NBin::Add, IntTy::MATH, &value, &N::num(1i128 << ty.bits));
        N::ite(&B::rel(NRel::Lt, &value, &N::num(0)), &above, &value)
    }

    /// [`Self::least`] of a difference, by its parts.
    fn least_of(&mut self, node: Node<'u>) -> Option<i128> {
        if node.kind() != "binary_expression" {
            return self.least(node);
        }
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        Some(self.least(left)? - self.number(right)?.as_num()?)
    }

    /// The value of `n + b - 1` in front of `/ b`.
    fn rounding_up(&mut self, left: Node<'u>, right: Node<'u>) -> Option<N> {
        let mut left = left;
        while left.kind() == "parenthesized_expression" {
            left = last_named(left)?;
        }
        let (sum, one) = (left.child_by_field_name("left")?, left.child_by_field_name("right")?);
        let minus = self.unit.str(left.child_by_field_name("operator")?) == "-" && self.unit.str(one) == "1";
        let adds = sum.kind() == "binary_expression"
            && self.unit.str(sum.child_by_field_name("operator")?) == "+"
            && [sum.child_by_field_name("left")?, sum.child_by_field_name("right")?]
                .iter()
                .any(|part| self.unit.str(*part) == self.unit.str(right));
        (minus && adds).then_some(())?;
        Some(N::bin(NBin::Sub, IntTy::MATH, &self.number(sum)?, &N::num(1)))
    }

    fn condition(&mut self, node: Node<'u>) -> Option<B> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                let inner = field("value").or_else(|| last_named(node))?;
                self.condition(inner)
            }
            "unary_expression" if self.unit.str(field("operator")?) == "!" => {
                Some(B::not(&self.condition(field("argument")?)?))
            }
            "binary_expression" => {
                let (left, right) = (field("left")?, field("right")?);
                let rel = match self.unit.str(field("operator")?) {
                    "&&" => return Some(B::and([self.condition(left)?, self.condition(right)?])),
                    "||" => return Some(B::or([self.condition(left)?, self.condition(right)?])),
                    "==" => (NRel::Eq, false),
                    "!=" => (NRel::Ne, false),
                    "<" => (NRel::Lt, false),
                    "<=" => (NRel::Le, false),
                    ">" => (NRel::Lt, true),
                    ">=" => (NRel::Le, true),
                    _ => return self.truth(node),
                };
                let (mut l, mut r) = (self.number(left)?, self.number(right)?);
                // Where one side is unsigned, the other is made so.
                let ty = |host: &Self, n| host.type_of(n).unwrap_or(IntTy::I32);
                let (a, b) = (ty(self, left), ty(self, right));
                let ty = in_common(a, b);
                if !ty.signed {
                    l = self.unsigned(l, left, ty);
                    r = self.unsigned(r, right, ty);
                }
                let (l, r) = if rel.1 { (r, l) } else { (l, r) };
                Some(B::rel(rel.0, &l, &r))
            }
            _ => self.truth(node),
        }
    }

    fn truth(&mut self, node: Node<'u>) -> Option<B> {
        if node.kind() == "binary_expression"
            && !matches!(self.unit.str(node.child_by_field_name("operator")?), "+" | "-" | "*" | "/" | "%")
        {
            return None;
        }
        Some(self.number(node)?.ne(&N::num(0)))
    }

    // ---- sizes ----

    /// The three sizes that a `dim3`, or a number in its place, stands for.
    fn dims(&mut self, node: Node<'u>) -> [Option<N>; 3] {
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
            "call_expression" | "compound_literal_expression" => {
                let callee = node.child_by_field_name("function").or_else(|| node.child_by_field_name("type"));
                if callee.is_some_and(|f| self.unit.str(f) == "dim3")
                    && let Some(list) =
                        node.child_by_field_name("arguments").or_else(|| node.child_by_field_name("value"))
                {
                    return self.listed(list);
                }
            }
            "initializer_list" | "argument_list" => return self.listed(node),
            _ => {}
        }
        if !self.is_number(node) {
            return [None, None, None];
        }
        [self.rounded(node).or_else(|| self.number(node)), one(), one()]
    }

    /// Is this certainly a number, and not a `dim3`?
    fn is_number(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let of = |part: Option<Node<'u>>| part.is_some_and(|p| self.is_number(p));
        match node.kind() {
            "number_literal" | "char_literal" | "sizeof_expression" | "true" | "false" => true,
            "parenthesized_expression" => of(last_named(node)),
            "unary_expression" | "update_expression" => of(field("argument")),
            "binary_expression" => of(field("left")) || of(field("right")),
            "conditional_expression" => of(field("consequence")) && of(field("alternative")),
            "cast_expression" => field("type").is_some_and(|ty| self.is_arithmetic(ty)),
            "field_expression" => {
                let object = field("argument").and_then(|a| self.uses.get(self.unit.str(a)));
                let is_dims = object.and_then(|u| u.ty).is_some_and(|ty| self.unit.str(ty).ends_with("dim3"));
                let field = field("field").map(|f| self.unit.str(f));
                is_dims && matches!(field, Some("x" | "y" | "z"))
            }
            "identifier" => self.is_named_number(self.unit.str(node)),
            "call_expression" => field("function").is_some_and(|function| {
                let text = self.unit.str(function);
                let name = self.unit.str(self.unit.qualified(function).1);
                let converts = ["static_cast<", "std::min<", "std::max<"].iter().any(|p| text.starts_with(p))
                    && !text.contains("dim3");
                let known =
                    ["min", "max", "ceil", "ceilf", "floor", "floorf", "sqrt", "pow", "log2", "int", "unsigned"];
                let own = self.lower.names.functions.get(name);
                let returns_number = |list: &Vec<FunDecl<'u>>| {
                    list.iter().all(|d| d.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty)))
                };
                let local = self.uses.contains_key(name);
                !local && (converts || own.map_or(known.contains(&name), returns_number))
            }),
            _ => false,
        }
    }

    fn is_named_number(&self, name: &str) -> bool {
        match self.uses.get(name) {
            Some(Uses { ty: Some(ty), init, .. }) if self.unit.str(*ty) == "auto" => {
                init.is_some_and(|init| self.is_number(init))
            }
            Some(Uses { ty, .. }) => ty.is_some_and(|ty| self.is_arithmetic(ty)),
            None => {
                let constants = self.lower.names.globals.get(name);
                let number = |(_, decl): &(_, super::unit::GlobalDecl<'u>)| {
                    decl.node.child_by_field_name("type").is_some_and(|ty| self.is_arithmetic(ty))
                };
                self.lower.names.enumerators.contains_key(name) || constants.is_some_and(|list| list.iter().all(number))
            }
        }
    }

    fn is_arithmetic(&self, ty: Node<'u>) -> bool {
        let text = self.unit.str(ty);
        text != "auto" && (self.is_integer_type(ty) || matches!(text, "float" | "double"))
    }

    fn listed(&mut self, list: Node<'u>) -> [Option<N>; 3] {
        let mut cursor = list.walk();
        let items: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        // A copy of another one.
        if let [only] = items.as_slice() {
            let named = if only.kind() == "parameter_declaration" { only.child_by_field_name("type") } else { None };
            match named {
                Some(ty) if !self.is_named_number(self.unit.str(ty)) => return [None, None, None],
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
                    return self.is_named_number(name).then(|| self.variable(name, item)).flatten();
                }
                self.rounded(item).or_else(|| self.number(item))
            }
            None => Some(N::num(1)),
        })
    }

    /// The three sizes in a field that is set once of a variable that nothing else changes.
    fn dims_of_field(&mut self, variable: Node<'u>, field: &'static str) -> [Option<N>; 3] {
        let name = self.unit.str(variable);
        let stable = self.uses.get(name).is_some_and(|u| u.declarations == 1 && u.changes == 0 && !u.is_parameter);
        match self.fields.get(&(name, field)).copied() {
            Some((1, value)) if stable && self.only_stable(value) => self.dims(value),
            _ => [None, None, None],
        }
    }

    fn dims_of_variable(&mut self, name: Node<'u>) -> Option<[Option<N>; 3]> {
        let text = self.unit.str(name);
        let uses = self.uses.get(text).copied()?;
        if uses.ty.is_none_or(|ty| self.unit.str(ty).trim_start_matches("const ") != "dim3") {
            return None;
        }
        let unknown = Some([None, None, None]);
        if uses.declarations != 1 || uses.is_parameter || self.depth > MAX_DEPTH {
            return unknown;
        }
        self.depth += 1;
        let value = self.value_of(&uses);
        let vexing = uses.declarator.and_then(|d| {
            if d.kind() == "function_declarator" {
                d.child_by_field_name("parameters")
            } else {
                child_of_kind(d, "argument_list")
            }
        });
        let mut dims = match (value, vexing) {
            (None, _) => [None, None, None],
            (Some(Some(init)), _) | (Some(None), Some(init)) if self.only_stable(init) => self.dims(init),
            (Some(Some(_)), _) | (Some(None), Some(_)) => [None, None, None],
            (Some(None), None) => [0; 3].map(|_| Some(N::num(1))),
        };
        if let (Some(Some(_)), Some(init)) = (value, vexing.filter(|_| uses.init.is_none()))
            && self.only_stable(init)
        {
            dims = self.listed(init);
        }
        if let (Some(None), Some(init)) = (value, vexing)
            && self.only_stable(init)
        {
            dims = self.listed(init);
        }
        for (axis, field) in ["x", "y", "z"].into_iter().enumerate() {
            if let Some((count, value)) = self.fields.get(&(text, field)).copied() {
                dims[axis] = if count == 1 && self.only_stable(value) {
                    self.rounded(value).or_else(|| self.number(value))
                } else {
                    None
                };
            }
        }
        self.depth -= 1;
        Some(dims)
    }

    /// The variable that a pointer argument is, or points into.
    fn pointer(&mut self, node: Node<'u>) -> Option<(String, bool)> {
        match node.kind() {
            "identifier" => {
                let name = self.unit.str(node);
                let uses = self.uses.get(name)?;
                // A pointer made from another one is that one, as far as it can be told.
                let is_auto = uses.ty.is_some_and(|ty| self.unit.str(ty) == "auto");
                let is_pointer = uses.declarator.is_some_and(|d| d.kind() == "pointer_declarator");
                if let (1, Some(Some(init))) = (uses.declarations, self.value_of(uses))
                    && (is_pointer || is_auto)
                    && self.depth < MAX_DEPTH
                {
                    self.depth += 1;
                    let found = self.pointer(init);
                    self.depth -= 1;
                    if let Some(found) = found {
                        return Some(found);
                    }
                }
                Some((name.to_owned(), true))
            }
            "parenthesized_expression" => self.pointer(last_named(node)?),
            "cast_expression" => self.pointer(node.child_by_field_name("value")?),
            "binary_expression" => {
                let op = self.unit.str(node.child_by_field_name("operator")?);
                let (left, _) = self.pointer(node.child_by_field_name("left")?)?;
                (op == "+" || op == "-").then_some((left, false))
            }
            "pointer_expression" if self.unit.str(node).starts_with('&') => {
                let place = node.child_by_field_name("argument")?;
                let inside = place.kind() == "subscript_expression";
                let (base, _) = self.pointer(if inside { place.child_by_field_name("argument")? } else { place })?;
                Some((base, false))
            }
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let arguments = listed_in(node.child_by_field_name("arguments")?);
                let text = self.unit.str(function);
                match arguments.as_slice() {
                    [only] if text.ends_with("raw_pointer_cast") => self.pointer(*only),
                    [] if [".data", ".get", "->data", "->get"].iter().any(|end| text.ends_with(end)) => {
                        Some((self.unit.str(node).to_owned(), true))
                    }
                    _ => None,
                }
            }
            // An element of an array of pointers: the same text is the same pointer.
            "pointer_expression" | "subscript_expression" => Some((self.unit.str(node).to_owned(), true)),
            "field_expression" => Some((self.unit.str(node).to_owned(), true)),
            _ => None,
        }
    }

    // ---- what holds at a launch ----

    fn facts(&mut self, call: Node<'u>, function: Node<'u>) -> Vec<B> {
        let mut facts = Vec::new();
        if self.has_goto {
            return facts;
        }
        let mut node = call;
        while let Some(parent) = node.parent().filter(|_| node != function) {
            match parent.kind() {
                "compound_statement" | "case_statement" => self.facts_before(parent, node, &mut facts),
                "if_statement" | "while_statement" => {
                    if let Some(condition) = parent.child_by_field_name("condition")
                        && Some(node) != parent.child_by_field_name("condition")
                        && condition.child_by_field_name("initializer").is_none()
                        && self.unchanged_in(condition, parent)
                        && let Some(fact) = self.condition(condition)
                    {
                        let is_else = Some(node) == parent.child_by_field_name("alternative");
                        facts.push(if is_else { B::not(&fact) } else { fact });
                    }
                }
                "for_statement" if Some(node) == parent.child_by_field_name("body") => {
                    self.loop_facts(parent, &mut facts)
                }
                _ => {}
            }
            if parent.kind() == "case_statement" {
                self.case_fact(parent, &mut facts);
            }
            node = parent;
        }
        facts
    }

    /// Asserts, and branches that leave, before a place in a block.
    fn facts_before(&mut self, block: Node<'u>, until: Node<'u>, facts: &mut Vec<B>) {
        let mut cursor = block.walk();
        let before: Vec<Node<'u>> =
            block.named_children(&mut cursor).take_while(|n| n.start_byte() < until.start_byte()).collect();
        for statement in before {
            match statement.kind() {
                "if_statement" if statement.child_by_field_name("alternative").is_none() => {
                    if let (Some(condition), Some(then)) =
                        (statement.child_by_field_name("condition"), statement.child_by_field_name("consequence"))
                        && self.leaves(then)
                        && self.only_stable(condition)
                        && let Some(fact) = self.condition(condition)
                    {
                        facts.push(B::not(&fact));
                    }
                }
                "expression_statement" => {
                    if let Some(call) = statement.named_child(0).filter(|c| c.kind() == "call_expression")
                        && call.child_by_field_name("function").is_some_and(|f| self.unit.str(f) == "assert")
                        && let Some(condition) = call.child_by_field_name("arguments").and_then(|a| a.named_child(0))
                        && self.only_stable(condition)
                        && let Some(fact) = self.condition(condition)
                    {
                        facts.push(fact);
                    }
                }
                _ => {}
            }
        }
    }

    /// Does control never go past the end of this statement?
    fn leaves(&self, statement: Node<'u>) -> bool {
        match statement.kind() {
            "return_statement" | "throw_statement" => true,
            "expression_statement" => {
                let call = statement.named_child(0).filter(|c| c.kind() == "call_expression");
                let callee = call.and_then(|c| c.child_by_field_name("function")).map(|f| self.unit.str(f));
                matches!(callee, Some("exit" | "abort" | "std::exit" | "std::abort" | "_exit"))
            }
            "compound_statement" => last_named(statement).is_some_and(|last| self.leaves(last)),
            _ => false,
        }
    }

    /// Is no variable of a condition changed in a statement?
    fn unchanged_in(&self, condition: Node<'u>, statement: Node<'u>) -> bool {
        if self.only_stable(condition) {
            return true;
        }
        let mut names = Vec::new();
        let mut stack = vec![condition];
        while let Some(node) = stack.pop() {
            if node.kind() == "identifier" && self.uses.contains_key(self.unit.str(node)) {
                names.push(self.unit.str(node));
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        names.into_iter().all(|name| self.is_stable(name) || !self.changes_in(name, statement, None))
    }

    /// May a variable be changed inside of a node, apart from one part of it?
    fn changes_in(&self, name: &str, node: Node<'u>, apart: Option<Node<'u>>) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if Some(node) == apart {
                continue;
            }
            let target = match node.kind() {
                "assignment_expression" => node.child_by_field_name("left"),
                "update_expression" => node.child_by_field_name("argument"),
                "pointer_expression" => node.child_by_field_name("argument"),
                "argument_list" if node.parent().is_none_or(|p| !has_child(p, "kernel_call_syntax")) => {
                    let mut cursor = node.walk();
                    node.named_children(&mut cursor).find(|n| n.kind() == "identifier" && self.unit.str(*n) == name)
                }
                _ => None,
            };
            if target.is_some_and(|t| self.unit.str(t) == name) {
                return true;
            }
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        false
    }

    /// The bounds of a loop whose variable only its head changes.
    fn loop_facts(&mut self, node: Node<'u>, facts: &mut Vec<B>) {
        let (Some(init), Some(condition), Some(update), Some(body)) = (
            node.child_by_field_name("initializer"),
            node.child_by_field_name("condition"),
            node.child_by_field_name("update"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let mut parts = init.walk();
        let declarators: Vec<Node<'u>> = init.children_by_field_name("declarator", &mut parts).collect();
        let (name, first) = match (init.kind(), declarators.as_slice()) {
            ("declaration", [only]) => match split_init(*only) {
                (inner, Some(value)) => (declared_name(inner), Some(value)),
                _ => return,
            },
            ("assignment_expression", []) => (init.child_by_field_name("left"), init.child_by_field_name("right")),
            _ => return,
        };
        let (Some(name), Some(first)) = (name, first) else { return };
        let name = self.unit.str(name);
        // Another variable of that name would be taken for this one.
        if self.uses.get(name).is_none_or(|uses| uses.declarations != 1) || self.changes_in(name, body, None) {
            return;
        }
        // A function object made before may change it.
        if self.lambdas.iter().any(|lambda| self.changes_in(name, *lambda, None)) {
            return;
        }
        let mut stack = vec![condition];
        while let Some(part) = stack.pop() {
            if part.kind() == "identifier" {
                let other = self.unit.str(part);
                if other != name && self.uses.contains_key(other) && !self.is_stable(other) {
                    return;
                }
            }
            let mut cursor = part.walk();
            stack.extend(part.named_children(&mut cursor));
        }
        facts.extend(self.condition(condition));
        let text: String = self.unit.str(update).chars().filter(|c| !c.is_whitespace()).collect();
        let grows =
            text == format!("{name}++") || text == format!("++{name}") || text.starts_with(&format!("{name}+="));
        let by = update.child_by_field_name("right").map(|r| self.number(r));
        let positive = by.is_none_or(|by| by.and_then(|n| n.as_num()).is_some_and(|n| n > 0));
        if grows
            && positive
            && self.only_stable(first)
            && let Some(first) = self.number(first)
        {
            facts.push(first.le(&symbol(name)));
        }
    }

    /// In a case that only its label leads to.
    fn case_fact(&mut self, case: Node<'u>, facts: &mut Vec<B>) {
        let Some(label) = case.child_by_field_name("value") else { return };
        let Some(block) = case.parent() else { return };
        let Some(switch) = block.parent().filter(|s| s.kind() == "switch_statement") else { return };
        let falls_into = case.prev_named_sibling().filter(|p| p.kind() == "case_statement").is_some_and(|before| {
            last_named(before).is_none_or(|last| !matches!(last.kind(), "break_statement" | "return_statement"))
        });
        if let (false, Some(value)) = (falls_into, switch.child_by_field_name("condition"))
            && self.only_stable(value)
            && let (Some(value), Some(label)) = (self.number(value), self.number(label))
        {
            facts.push(value.eq(&label));
        }
    }
}
