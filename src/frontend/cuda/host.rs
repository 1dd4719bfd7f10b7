//! What the host code around a kernel launch establishes: sizes of the launch, arguments, and conditions that hold there.
//!
//! A variable of the host is followed to its initialiser when nothing else in its function can change it; all others stand
//! for themselves at the place of the launch. What is not understood is left out: facts only ever narrow a check, and each
//! one that is used is listed with the verdict.

use std::collections::HashMap;

use tree_sitter::Node;

use super::lower::{Body, Lower};
use super::types::Bindings;
use super::unit::{FunDecl, Unit, child_of_kind, declared_name, has_child, last_named, split_init};
use crate::base::Span;
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

/// A function of the host.
struct Host<'l, 'u> {
    unit: &'u Unit<'u>,
    lower: &'l mut Lower<'u>,
    uses: HashMap<&'u str, Uses<'u>>,
    /// `grid.x = e`, by variable and field.
    fields: HashMap<(&'u str, &'u str), (usize, Node<'u>)>,
    /// Arguments of the small functions that are being followed.
    arguments: Vec<HashMap<&'u str, N>>,
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
        found.push(launch(unit, lower, call, config, arguments)?);
    }
    found.sort_by_key(|l| (l.span.start, l.span.end));
    Some(found)
}

/// Does this only ask or set something about the kernel, such as `cudaFuncSetCacheConfig`?
fn is_question(unit: &Unit, name: Node) -> bool {
    let mut node = name;
    while let Some(parent) = node.parent() {
        if parent.kind() == "argument_list" {
            let callee = parent.parent().and_then(|c| c.child_by_field_name("function")).map(|f| unit.str(f));
            return callee.is_some_and(|c| {
                ["cudaFunc", "cudaOccupancy", "hipFunc", "hipOccupancy"].iter().any(|p| c.starts_with(p))
            });
        }
        if !matches!(
            parent.kind(),
            "template_function"
                | "qualified_identifier"
                | "parenthesized_expression"
                | "cast_expression"
                | "pointer_expression"
        ) {
            return false;
        }
        node = parent;
    }
    false
}

type Config<'t> = (Option<Node<'t>>, Option<Node<'t>>);

/// The launch that a name of a kernel stands in: the call, grid and block, the arguments.
fn launch_of<'t>(unit: &Unit, name: Node<'t>) -> Option<(Node<'t>, Config<'t>, Vec<Node<'t>>)> {
    let mut node = name;
    // Out of template arguments, scopes and parentheses.
    while let Some(parent) = node.parent() {
        if parent.kind() == "call_expression" {
            let list = parent.child_by_field_name("arguments")?;
            let mut cursor = list.walk();
            let arguments: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
            if parent.child_by_field_name("function") == Some(node) {
                let syntax = child_of_kind(parent, "kernel_call_syntax")?;
                return Some((parent, (syntax.named_child(0), syntax.named_child(1)), arguments));
            }
            return None;
        }
        if parent.kind() == "argument_list" {
            let call = parent.parent().filter(|c| c.kind() == "call_expression")?;
            let callee = unit.str(call.child_by_field_name("function")?);
            let mut cursor = parent.walk();
            let arguments: Vec<Node<'t>> =
                parent.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
            // hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments..)
            if callee == "hipLaunchKernelGGL" && arguments.first() == Some(&node) && arguments.len() >= 5 {
                return Some((call, (Some(arguments[1]), Some(arguments[2])), arguments[5..].to_vec()));
            }
            return None;
        }
        match parent.kind() {
            "template_function" | "qualified_identifier" | "parenthesized_expression" => node = parent,
            _ => return None,
        }
    }
    None
}

/// May the launch of a template be that of an instance?
fn may_be<'u>(lower: &mut Lower<'u>, kernel: &FunDecl<'u>, name: Node<'u>, bindings: &Bindings) -> bool {
    let Some(parameters) = kernel.template.filter(|p| p.named_child_count() > 0) else { return true };
    if *bindings == Bindings::default() {
        return true;
    }
    let list =
        name.parent().filter(|p| p.kind() == "template_function").and_then(|p| p.child_by_field_name("arguments"));
    let mut body = Body::new(lower, Bindings::default());
    body.scope = kernel.scope;
    let given = list.map(|l| body.template_arguments(l)).unwrap_or_default();
    body.bind_template(parameters, &given, &Bindings::default()).is_none_or(|bound| bound == *bindings)
}

fn launch<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    call: Node<'u>,
    (grid, block): Config<'u>,
    arguments: Vec<Node<'u>>,
) -> Option<HostLaunch> {
    let mut function = call;
    while function.kind() != "function_definition" {
        function = function.parent()?;
    }
    let mut host = Host { unit, lower, uses: HashMap::new(), fields: HashMap::new(), arguments: Vec::new(), depth: 0 };
    host.scan(function);
    let dims = |host: &mut Host<'_, 'u>, node: Option<Node<'u>>| node.map_or([None, None, None], |n| host.dims(n));
    let (grid, block) = (dims(&mut host, grid), dims(&mut host, block));
    let args = arguments.iter().map(|a| host.number(*a)).collect();
    let pointers = arguments.iter().map(|a| host.pointer(*a)).collect();
    let facts = host.facts(call, function);
    Some(HostLaunch { span: unit.span(call), block, grid, args, pointers, facts })
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
                "update_expression" => {
                    if let Some(argument) = node.child_by_field_name("argument") {
                        self.changed(argument, None);
                    }
                }
                "pointer_expression" if self.unit.str(node).starts_with('&') => {
                    if let Some(argument) = node.child_by_field_name("argument") {
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

    fn changed(&mut self, place: Node<'u>, value: Option<Node<'u>>) {
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
            if argument.kind() != "identifier" {
                continue;
            }
            let by_reference = match overloads {
                Some(list) => list.iter().any(|decl| {
                    decl.declarator.child_by_field_name("parameters").is_some_and(|parameters| {
                        let mut cursor = parameters.walk();
                        let parameter = parameters.named_children(&mut cursor).filter(|n| n.kind() != "comment").nth(i);
                        parameter.is_none_or(|p| {
                            let text = self.unit.str(p);
                            text.contains('&') && !text.trim_start().starts_with("const ")
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
                self.rounded(value).or_else(|| self.number(value))
            }
            "unary_expression" if self.unit.str(field("operator")?) == "-" => {
                let value = self.number(field("argument")?)?;
                Some(N::bin(NBin::Sub, IntTy::MATH, &N::num(0), &value))
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
                let (l, r) = (self.number(field("left")?)?, self.number(field("right")?)?);
                let op = match op {
                    "+" => NBin::Add,
                    "-" => NBin::Sub,
                    "*" => NBin::Mul,
                    "/" | "%" if r.as_num() == Some(0) => return None,
                    "/" => NBin::Div,
                    "%" => NBin::Rem,
                    "<<" | ">>" => {
                        let by = r.as_num().filter(|n| (0..62).contains(n))?;
                        // Of a number that is not negative, which is what sizes are.
                        let factor = N::num(1i128 << by);
                        let op = if op == "<<" { NBin::Mul } else { NBin::Div };
                        return Some(N::bin(op, IntTy::MATH, &l, &factor));
                    }
                    _ => return None,
                };
                Some(N::bin(op, IntTy::MATH, &l, &r))
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

    /// A constant expression, of the whole unit.
    fn constant(&mut self, node: Node<'u>) -> Option<N> {
        let mut body = Body::new(self.lower, Bindings::default());
        body.constant(node).map(N::num)
    }

    fn variable(&mut self, name: &'u str, node: Node<'u>) -> Option<N> {
        if let Some(arguments) = self.arguments.last() {
            return match arguments.get(name) {
                Some(value) => Some(value.clone()),
                None => self.constant(node),
            };
        }
        let Some(uses) = self.uses.get(name).copied() else { return self.constant(node) };
        if !uses.ty.is_some_and(|ty| self.is_integer_type(ty)) || uses.declarations != 1 {
            return None;
        }
        match self.value_of(&uses) {
            Some(Some(init)) if self.only_stable(init) => {
                let inner = match init.kind() {
                    "argument_list" | "initializer_list" if init.named_child_count() == 1 => init.named_child(0)?,
                    _ => init,
                };
                Some(self.number(inner).unwrap_or_else(|| symbol(name)))
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
            return self.rounded(*value).or_else(|| self.number(*value));
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
            return self.rounded(*value).or_else(|| self.number(*value));
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
            if !self.is_integer_type(parameter.child_by_field_name("type")?) {
                return None;
            }
            let name = parameter.child_by_field_name("declarator").and_then(declared_name)?;
            bound.insert(self.unit.str(name), self.number(*argument)?);
        }
        self.arguments.push(bound);
        let value = only.named_child(0);
        let result = value.and_then(|v| self.rounded(v).or_else(|| self.number(v)));
        self.arguments.pop();
        result
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
                let (l, r) = (self.number(left)?, self.number(right)?);
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
        match self.rounded(node).or_else(|| self.number(node)) {
            Some(x) => [Some(x), one(), one()],
            None => [None, one(), one()],
        }
    }

    fn listed(&mut self, list: Node<'u>) -> [Option<N>; 3] {
        let mut cursor = list.walk();
        let items: Vec<Node<'u>> = list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        [0, 1, 2].map(|axis| match items.get(axis) {
            Some(item) => {
                // `dim3 d(N, M)` may read as the declaration of a function with parameters of types N and M.
                let item = match item.kind() {
                    "parameter_declaration" => item.child_by_field_name("type")?,
                    _ => *item,
                };
                if item.kind() == "type_identifier" {
                    return self.variable(self.unit.str(item), item);
                }
                self.rounded(item).or_else(|| self.number(item))
            }
            None => Some(N::num(1)),
        })
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
                if let (1, 0, Some(init)) = (uses.declarations, uses.changes, uses.init)
                    && uses.declarator.is_some_and(|d| d.kind() == "pointer_declarator")
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
            // An element of an array of pointers: the same text is the same pointer.
            "pointer_expression" | "subscript_expression" => Some((self.unit.str(node).to_owned(), true)),
            "field_expression" => Some((self.unit.str(node).to_owned(), true)),
            _ => None,
        }
    }

    // ---- what holds at a launch ----

    fn facts(&mut self, call: Node<'u>, function: Node<'u>) -> Vec<B> {
        let mut facts = Vec::new();
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
