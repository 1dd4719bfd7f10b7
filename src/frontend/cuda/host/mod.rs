//! What the host code around a kernel launch establishes: sizes of the launch, arguments, and conditions that hold there.
//!
//! A variable of the host is followed to its initialiser when nothing else in its function can change it; all others stand
//! for themselves at the place of the launch. What is not understood is left out: facts only ever narrow a check, and each
//! one that is used is listed with the verdict.

mod changes;
mod facts;
mod places;
mod pointers;
mod sizes;
mod types;
mod values;

use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use super::lower::Lower;
use super::types::Bindings;
use super::unit::{FunDecl, Unit, declared_name};
use crate::base::{Name, Span};
use crate::exp::{B, IntTy, N, Var};
use places::{Arguments, Config, addresses, is_question, launch_of, may_be};
use types::integer_type;

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
