//! Where a kernel is launched: the call, the sizes, the arguments.

use tree_sitter::Node;

use super::super::lower::Lower;
use super::super::types::Bindings;
use super::super::unit::{
    FunDecl, Names, Unit, child_of_kind, declared_name, last_named, split_init, without_arguments,
};
use super::HostLaunch;
use super::calls::only_one;

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
            // An element of a table.
            "subscript_expression" if parent.child_by_field_name("argument") == Some(node) => node = parent,
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

pub(in crate::frontend::cuda) fn listed_in<'t>(list: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
}

/// Does this only ask or set something about the kernel, such as `cudaFuncSetCacheConfig`, or compare it?
pub(super) fn is_question(unit: &Unit, names: &Names, name: Node) -> bool {
    let mut whole = name;
    while let Some(parent) = whole.parent() {
        match parent.kind() {
            "template_function"
            | "qualified_identifier"
            | "parenthesized_expression"
            | "cast_expression"
            | "pointer_expression" => whole = parent,
            "binary_expression" => {
                let op = parent.child_by_field_name("operator").map(|o| unit.str(o));
                return matches!(op, Some("==" | "!="));
            }
            _ => break,
        }
    }
    let Some((list, _)) = place_of(unit, name).filter(|(list, _)| list.kind() == "argument_list") else { return false };
    let callee = list.parent().and_then(|c| c.child_by_field_name("function"));
    callee.is_some_and(|callee| {
        let c = unit.str(callee);
        let of_platform = ["cudaFunc", "cudaOccupancy", "hipFunc", "hipOccupancy"].iter().any(|p| c.starts_with(p));
        (of_platform || is_check_of_launch(unit, list, name))
            && !names.functions.contains_key(c)
            && !is_local(unit, callee)
    })
}

/// `POST_CHECK(k);` behind `k<<<g, b>>>(p);` in one block: a macro that is not there, and is given nothing but the name of a
/// kernel, has no arguments to launch it with. [HOST-CHECKED]
fn is_check_of_launch(unit: &Unit, list: Node, name: Node) -> bool {
    let Some(call) = list.parent() else { return false };
    let callee = call.child_by_field_name("function").map_or("", |c| unit.str(c));
    let capitals = callee.len() > 2 && callee.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit());
    let Some(statement) = call.parent().filter(|s| s.kind() == "expression_statement") else { return false };
    let launches = |statement: Node| {
        let call = statement.named_child(0).filter(|c| c.kind() == "call_expression");
        call.and_then(|c| child_of_kind(c, "kernel_call_syntax").and(Some(c))).is_some_and(|c| {
            let kernel = c.child_by_field_name("function").map(|f| match f.kind() {
                "template_function" => f.child_by_field_name("name").map_or("", |n| unit.str(n)),
                _ => unit.str(f),
            });
            let arguments = c.child_by_field_name("arguments").map_or(0, |l| listed_in(l).len());
            kernel == Some(unit.str(name)) && arguments > 0
        })
    };
    let mut before = std::iter::successors(statement.prev_named_sibling(), |s| s.prev_named_sibling());
    capitals && listed_in(list).len() == 1 && before.any(|s| s.kind() == "expression_statement" && launches(s))
}

/// Where a launch says how many threads there are.
#[derive(Clone, Copy)]
pub(super) enum Config<'t> {
    /// Expressions for grid and block.
    Sizes(Option<Node<'t>>, Option<Node<'t>>),
    /// A variable with the fields `gridDim` and `blockDim`.
    Variable(Node<'t>),
}

/// How a launch gives the arguments.
pub(super) enum Arguments<'t> {
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

/// `f(kernel, grid, block, arguments..)`, or `f(kernel, grid, block, shared, stream, arguments..)`, where a function that is
/// not there is given all that a launch of this many parameters is. [HOST-ABSENT]
pub(super) fn launch_by_absent<'t>(
    unit: &Unit,
    names: &Names,
    name: Node<'t>,
    kernel: &FunDecl<'t>,
) -> Option<Place<'t>> {
    let list_of_kernel = kernel.declarator.child_by_field_name("parameters")?;
    let parameters = listed_in(list_of_kernel).len();
    let (list, node) = place_of(unit, name).filter(|(list, _)| list.kind() == "argument_list")?;
    let call = list.parent().filter(|c| child_of_kind(*c, "kernel_call_syntax").is_none())?;
    let callee = call.child_by_field_name("function")?;
    let plain = unit.qualified(callee).1;
    let is_name = matches!(callee.kind(), "identifier" | "qualified_identifier" | "template_function");
    let is_there = names.functions.contains_key(unit.str(without_arguments(plain))) || is_local(unit, callee);
    let arguments = listed_in(list);
    let is_pack = arguments.iter().any(|a| a.kind() == "parameter_pack_expansion");
    if !is_name || is_there || is_pack || arguments.first() != Some(&node) || parameters == 0 {
        return None;
    }
    let first = arguments.len().checked_sub(parameters).filter(|first| matches!(first, 3 | 5))?;
    let may_be_size = |a: &Node| !matches!(a.kind(), "string_literal" | "lambda_expression" | "pointer_expression");
    let config = Config::Sizes(Some(arguments[1]), Some(arguments[2]));
    arguments[1..3].iter().all(may_be_size).then(|| Place {
        call,
        config,
        arguments: Arguments::Values(arguments[first..].to_vec()),
        through: None,
        launcher: Some((callee, list_of_kernel)),
    })
}

/// A launch, as far as it is only looked for.
pub(super) struct Place<'t> {
    pub call: Node<'t>,
    pub config: Config<'t>,
    pub arguments: Arguments<'t>,
    /// The call of the function that it is in, where that is given the kernel.
    pub through: Option<Node<'t>>,
    /// The function that is not there, and is taken to launch what it is given; and the parameters of the kernel.
    pub launcher: Option<(Node<'t>, Node<'t>)>,
}

/// The launches that a name of a kernel leads to: the one it stands in, or those of the variable that it is given to, which
/// may hold other kernels as well.
pub(super) fn launches_of<'t>(unit: &Unit, lower: &Lower<'t>, name: Node<'t>) -> Option<Vec<Place<'t>>> {
    let names = lower.names;
    let place = |(call, config, arguments), through| Place { call, config, arguments, through, launcher: None };
    if let Some(direct) = launch_of(unit, name) {
        return Some(vec![place(direct, None)]);
    }
    if let Some((call, uses)) = given_to(unit, lower, name) {
        let launches = uses.into_iter().map(|own| Some(place(launch_of(unit, own)?, Some(call))));
        return launches.collect();
    }
    let holder = unit.str(holder_of(unit, name)?);
    let mut function = name;
    while function.kind() != "function_definition" {
        function = function.parent()?;
    }
    let mut declarations = 0;
    let mut found = Vec::new();
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        stack.extend(listed_in(node));
        if !matches!(node.kind(), "identifier" | "type_identifier") || unit.str(node) != holder {
            continue;
        }
        if is_declared(node) {
            declarations += 1;
            continue;
        }
        let assigned = node.parent().filter(|p| p.kind() == "assignment_expression").is_some_and(|p| {
            p.child_by_field_name("left") == Some(node)
                && p.child_by_field_name("operator").is_some_and(|o| unit.str(o) == "=")
        });
        if !assigned && !is_question(unit, names, node) {
            found.push(place(launch_of(unit, node)?, None));
        }
    }
    (declarations == 1).then_some(found)
}

/// The call of a function of the unit that a kernel is given to, and where that names it. [HOST-GIVEN]
fn given_to<'t>(unit: &Unit, lower: &Lower<'t>, name: Node<'t>) -> Option<(Node<'t>, Vec<Node<'t>>)> {
    let (list, node) = place_of(unit, name).filter(|(list, _)| list.kind() == "argument_list")?;
    let call = list.parent()?;
    let callee = call.child_by_field_name("function").filter(|f| f.kind() == "identifier")?;
    let decl = only_one(lower, unit.str(callee))?;
    let at = listed_in(list).iter().position(|a| *a == node)?;
    let parameters = listed_in(decl.declarator.child_by_field_name("parameters")?);
    let parameter = parameters.get(at).filter(|p| p.kind() == "parameter_declaration")?;
    let own = unit.str(declared_name(parameter.child_by_field_name("declarator")?)?);
    let mut uses = Vec::new();
    let mut stack = vec![decl.node.child_by_field_name("body")?];
    while let Some(node) = stack.pop() {
        stack.extend(listed_in(node));
        if matches!(node.kind(), "identifier" | "type_identifier") && unit.str(node) == own {
            uses.push(node);
        }
    }
    (!uses.is_empty()).then_some((call, uses))
}

/// The variable that a kernel is given to.
fn holder_of<'t>(unit: &Unit, name: Node<'t>) -> Option<Node<'t>> {
    let mut node = name;
    loop {
        let parent = node.parent()?;
        match parent.kind() {
            "template_function"
            | "qualified_identifier"
            | "parenthesized_expression"
            | "cast_expression"
            | "conditional_expression"
            | "initializer_list" => node = parent,
            "pointer_expression" if unit.str(parent).starts_with('&') => node = parent,
            "init_declarator" => return declared_name(parent.child_by_field_name("declarator")?),
            "assignment_expression" if parent.child_by_field_name("right") == Some(node) => {
                return parent.child_by_field_name("left").filter(|left| left.kind() == "identifier");
            }
            _ => return None,
        }
    }
}

/// Is this the name in a declaration of a variable?
fn is_declared(name: Node) -> bool {
    let mut node = name;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "declaration" => return true,
            "init_declarator" => return parent.child_by_field_name("declarator") == Some(node),
            kind if kind.ends_with("declarator") && parent.child_by_field_name("size") != Some(node) => node = parent,
            _ => return false,
        }
    }
    false
}

/// Does a name that is that of a kernel mean a variable of a function?
pub(super) fn is_local(unit: &Unit, name: Node) -> bool {
    if name.parent().is_some_and(|p| p.kind() == "qualified_identifier") {
        return false;
    }
    let text = unit.str(name);
    let declares = |declaration: Node| {
        let mut cursor = declaration.walk();
        let mut declarators = declaration.children_by_field_name("declarator", &mut cursor);
        declarators.any(|declarator| {
            let (inner, _) = split_init(declarator);
            inner.kind() != "function_declarator" && declared_name(inner).is_some_and(|n| unit.str(n) == text)
        })
    };
    let mut around = name;
    while let Some(parent) = around.parent() {
        around = parent;
        let mut inner = listed_in(around);
        if let Some(declarator) = around.child_by_field_name("declarator").filter(|_| is_function(around)) {
            let parameters = child_of_kind(declarator, "parameter_list");
            inner.extend(parameters.map(listed_in).unwrap_or_default());
        }
        let mut before = inner.iter().filter(|n| n.start_byte() <= name.start_byte());
        if before.any(|n| matches!(n.kind(), "declaration" | "parameter_declaration") && declares(*n)) {
            return true;
        }
        if around.kind() == "function_definition" {
            return false;
        }
    }
    false
}

fn is_function(node: Node) -> bool {
    matches!(node.kind(), "function_definition" | "lambda_expression")
}

/// `&x` in an array of addresses that nothing but launches is given: they copy what is there.
pub(super) fn addresses<'t>(unit: &Unit, function: Node<'t>, array: Node<'t>) -> Option<Vec<Node<'t>>> {
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
pub(super) fn address<'t>(unit: &Unit, item: Node<'t>) -> Option<Node<'t>> {
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
pub(super) fn may_be<'u>(lower: &mut Lower<'u>, kernel: &FunDecl<'u>, name: Node<'u>, bindings: &Bindings) -> bool {
    if kernel.template.is_none_or(|p| p.named_child_count() == 0) || *bindings == Bindings::default() {
        return true;
    }
    let place = name.parent().filter(|p| p.kind() == "template_function").unwrap_or(name);
    lower.asked_by(kernel, place, 0).may_have(bindings)
}

/// May the call of a template that leads to this launch make it one of the instance?
pub(super) fn may_be_called<'u>(
    lower: &mut Lower<'u>,
    (kernel, bindings): (&FunDecl<'u>, &Bindings),
    name: Node<'u>,
    launch: &HostLaunch,
) -> bool {
    let is_template = kernel.template.is_some_and(|p| p.named_child_count() > 0) && *bindings != Bindings::default();
    let Some(range) = launch.nearest.clone().filter(|_| is_template) else { return true };
    let unit = lower.unit;
    let call = unit.tree.root_node().named_descendant_for_byte_range(range.start, range.end);
    let Some(callee) = call.and_then(|call| call.child_by_field_name("function")) else { return true };
    let place = name.parent().filter(|p| p.kind() == "template_function").unwrap_or(name);
    let asked = lower.asked_through(kernel, place, unit.qualified(callee).1);
    asked.is_none_or(|asked| asked.may_have(bindings))
}
