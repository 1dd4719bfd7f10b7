//! What the host code around a kernel launch establishes: sizes of the launch, arguments, and conditions that hold there.
//!
//! A variable of the host is followed to the last assignment before it, when that is always the last one; else it stands for
//! its value there. What is not understood is left out: facts only ever narrow a check, and each one that is used is listed
//! with the verdict.

mod among;
mod callers;
mod calls;
mod captures;
mod changes;
mod computed;
mod copies;
mod facts;
mod fields;
mod foreign;
mod halved;
mod library;
mod mentions;
mod methods;
mod outside;
mod overlaps;
mod places;
mod pointers;
mod ranges;
mod returned;
mod sizes;
mod stays;
mod symbols;
mod types;
mod unseen;
mod validated;
mod values;
mod variables;
mod versions;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::lower::Lower;
use super::types::Bindings;
use super::unit::{FunDecl, Unit, declared_name, each_named, without_arguments};
use crate::base::{Name, Span};
use crate::exp::{B, IntTy, N, NBin, NExp, Var};
pub use callers::is_internal;
pub use callers::{CallKey, ReadCall};
use callers::{Passed, Source, called, called_through, overlaps_of_calls, with_sources};
use calls::{given, is_call_of_host};
pub use fields::ObjectParts;
pub use foreign::{Foreign, foreign_kernels};
use mentions::operators_of;
use overlaps::Seen;
pub use overlaps::{Given, Overlap, Setter};
pub(super) use places::listed_in;
use places::{
    Arguments, Config, Place, addresses, is_local, is_question, launch_by_absent, launches_of, may_be, may_be_called,
};
use returned::{Callee, Returned};
pub use stays::Named;
pub use symbols::{Filled, filled};
pub use types::names_own_type;
pub use unseen::Loud;
pub(super) use variables::SCOPES;
use variables::{Event, Part, Variable};
use versions::Version;

/// How deep initialisers and calls of small functions are followed.
const MAX_DEPTH: usize = 24;

/// One launch of a kernel, in terms of [`symbol`]s of the host. `None`: not understood.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    pub span: Span,
    /// The calls that lead to it, the nearest first, where these are all that the unit has.
    pub calls: Vec<Span>,
    /// Where in the text the nearest of them stands.
    pub nearest: Option<std::ops::Range<usize>>,
    /// Those of them whose function another unit may call as well.
    pub open_calls: Vec<Span>,
    pub block: [Option<N>; 3],
    pub grid: [Option<N>; 3],
    /// Of a launch that says how many threads there are in all: along the axes where the number of blocks is not known.
    pub global: [Option<N>; 3],
    /// The arguments that are integers, and their types, where these are known.
    pub args: Vec<Option<(N, Option<IntTy>)>>,
    /// The variable that a pointer argument is, or points into, and whether it is just that.
    pub pointers: Vec<Option<(String, bool)>>,
    /// Pairs of pointers that may be one.
    pub overlaps: Vec<Overlap>,
    /// Those of them that a call of its function gives it.
    pub given_by_calls: Vec<Overlap>,
    /// For each argument, which one of its function it is.
    pub passed: Passed,
    /// The same of pointers in objects.
    pub sources: Vec<Source>,
    /// Of arguments that are objects, what they have.
    pub objects: Vec<ObjectParts>,
    /// What holds where the kernel is launched.
    pub facts: Vec<B>,
    /// The types of the variables that these speak of, where they are said.
    pub types: BTreeMap<Name, IntTy>,
    /// The names of all these variables.
    pub symbols: BTreeSet<String>,
    /// Those that stand for the sizes of a `dim3` of which nothing is known.
    pub sizes: BTreeSet<String>,
    /// Those of numbers that the host computes in ways that are not followed, and constants that they are at first.
    pub computed: BTreeMap<String, Vec<i128>>,
    /// What holds where numbers stay as they are that only code which is not followed may change.
    pub stays: Vec<B>,
    /// Arguments, by position, and sizes (of the grid, and of the block) that are not understood and are computed so.
    pub made: Made,
    /// The function that is not there, and is taken to launch the kernel that it is given.
    pub launcher: Option<String>,
    /// Does none of the calls that were read make it?
    pub is_uncalled: bool,
}

impl HostLaunch {
    /// Can what the host says of it hold, as far as constants say?
    pub fn can_be(&self) -> bool {
        self.facts.iter().all(|fact| fact.as_lit() != Some(false))
    }
}

/// What of a launch the host computes in ways that are not understood.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub args: BTreeSet<usize>,
    /// Of those that are objects made there.
    pub objects: BTreeSet<usize>,
    pub grid: bool,
    pub block: bool,
}

/// The value that a variable of the host has at a launch, as a mathematical integer.
pub fn symbol(name: &str) -> N {
    N::var(&Var::new(name, IntTy::MATH))
}

/// What the text of a unit says, wherever that stands; it is read once.
pub struct Said<'u> {
    /// The operators that the program defines, with their parameters.
    operators: Vec<(&'u str, &'u str)>,
    /// May a function of the program change the sizes of a tensor?
    resizes: bool,
    /// May what is constant change: by a cast, or in a part that says so?
    changes_const: bool,
    /// May functions of the platform call one of the program, at any time?
    calls_back: bool,
    /// Is there memory that kernels and the host name in the same way?
    shares_memory: bool,
    /// Is memory of variables given to kernels?
    registers_memory: bool,
    /// The names of types that functions declare for themselves.
    own_types: FxHashSet<&'u str>,
}

/// Words of a text that makes memory which kernels and the host name in the same way.
const SHARES_MEMORY: [&str; 6] = ["Managed", "managed", "HostAlloc", "HostMalloc", "HostRegister", "MallocHost"];

impl<'u> Said<'u> {
    fn by(lower: &mut Lower<'u>) -> Arc<Said<'u>> {
        let unit = lower.unit;
        let text = &unit.text;
        let read = || {
            Arc::new(Said {
                operators: operators_of(text),
                resizes: methods::resizes(text),
                changes_const: mentions::changes_const(text),
                calls_back: ["LaunchHostFunc", "AddCallback"].iter().any(|name| text.contains(name)),
                registers_memory: text.contains("HostRegister"),
                shares_memory: SHARES_MEMORY.iter().any(|word| text.contains(word)),
                own_types: types::own_types(unit),
            })
        };
        lower.said.get_or_insert_with(read).clone()
    }
}

/// The node of a definition, and that of the class that it is called for.
type CalledFor = (usize, Option<usize>);

/// The name of a condition, and whether it is turned around.
type Steady = (Rc<str>, bool);

/// A function of the host.
struct Host<'l, 'u> {
    unit: &'u Unit<'u>,
    lower: &'l mut Lower<'u>,
    function: Node<'u>,
    /// The launch that is asked about.
    launch: Node<'u>,
    variables: Vec<Variable<'u>>,
    named: FxHashMap<&'u str, Vec<usize>>,
    said: Arc<Said<'u>>,
    /// The parents of the named nodes of the function.
    parents: FxHashMap<usize, Node<'u>>,
    /// What is done at the end of each round of a loop, and where that ends.
    updates: Vec<(Node<'u>, usize)>,
    /// Declarators of several names, or of what is not understood.
    unnamed: Vec<Node<'u>>,
    /// Calls that may change a variable whose address was given away; and what else is reached from here.
    calls: Vec<Node<'u>>,
    all_calls: Vec<Node<'u>>,
    /// Assignments, and those among them that may be to something else than the variable that they name.
    stores: Vec<Node<'u>>,
    /// Those to what is declared here, by its name: nothing outside of the function is that.
    near_stores: Vec<Node<'u>>,
    indirect: Vec<Node<'u>>,
    /// What may change objects outside of the function.
    far: Vec<Event<'u>>,
    values: FxHashMap<(usize, Part, Version), N>,
    /// The numbers that were asked for, with their types, and where.
    asked: Vec<(usize, Part, Option<IntTy>, Node<'u>)>,
    /// What methods return that ask for a size, by their text and the object.
    lengths: FxHashMap<(String, usize, Version), N>,
    /// What calls return, by their nodes.
    results: FxHashMap<usize, N>,
    /// Elements of tables and results of calls, by where they stand, that can only be one of some numbers.
    choices: BTreeMap<(usize, usize), (N, Vec<i128>)>,
    /// Names of constants of namespaces and classes that variables without a type of their own are made of.
    constants: FxHashSet<usize>,
    /// What parameters of the template of the function are.
    fixed: Fixed,
    /// Variables that stand for themselves: with their values, the launch is never reached.
    unfollowed: FxHashSet<usize>,
    /// What is taken of numbers that are made fractions, and is so of sizes.
    taken: Vec<B>,
    /// Are the arrays in a variable named only where elements are meant?
    kept: FxHashMap<usize, bool>,
    /// The names of values that are taken, and their types.
    symbols: FxHashSet<String>,
    /// Those that stand for the sizes of a `dim3`.
    sizes: BTreeSet<String>,
    /// Those of numbers that are computed in ways that are not followed, and constants that they are at first.
    computed: BTreeMap<String, Vec<i128>>,
    types: BTreeMap<Name, IntTy>,
    /// Arguments of the small functions that are being followed.
    arguments: Vec<FxHashMap<&'u str, (N, IntTy)>>,
    /// Addresses that are only read through.
    copied: Vec<Node<'u>>,
    /// A condition of a loop that is asked for behind it, and what stands there.
    asked_behind: Option<(Node<'u>, Node<'u>)>,
    /// What of the arguments of the launch the function was given, by members of objects.
    sources: BTreeSet<Source>,
    /// The names that the pointers of the launch depend on.
    relevant: BTreeSet<&'u str>,
    /// What the functions of calls may return, by the nodes of their names.
    returned: RefCell<FxHashMap<usize, Rc<[Returned<'u>]>>>,
    /// The same by definition, and by the class that it is called for.
    returned_of: RefCell<FxHashMap<CalledFor, Rc<[Returned<'u>]>>>,
    /// Does what a call returns have memory of its own, by the nodes of calls?
    news: RefCell<FxHashMap<usize, bool>>,
    /// The names of conditions that nothing changes in their statements, by the nodes of the choices.
    steady: RefCell<FxHashMap<usize, Option<Steady>>>,
    /// The functions that may be called there.
    callees: RefCell<FxHashMap<usize, Rc<[Callee<'u>]>>>,
    /// The lambdas that variables of the function are made of, by the names of these.
    lambdas: OnceCell<FxHashMap<&'u str, Node<'u>>>,
    /// What of these is looked up for each call and state.
    seen: RefCell<Seen<'u>>,
    /// The classes of the unit by the names of the methods that they define.
    methods: OnceCell<FxHashMap<&'u str, Vec<Node<'u>>>>,
    /// The variables that each call may change, by the node of the call; made once all of them are read.
    reached: OnceCell<FxHashMap<usize, Vec<usize>>>,
    /// Control may come to a launch past what stands before it.
    has_goto: bool,
    depth: usize,
}

/// The launches of a kernel that may be of this instance, and whether these are all: not when it is also used in ways that
/// are not understood.
pub fn launches<'u>(lower: &mut Lower<'u>, kernel: &FunDecl<'u>, bindings: &Bindings) -> (Vec<HostLaunch>, bool) {
    let unit = lower.unit;
    let Some(name) = declared_name(kernel.declarator) else { return (Vec::new(), false) };
    let name = unit.str(without_arguments(unit.qualified(name).1));
    let (mut found, mut all) = (Vec::new(), true);
    // Other kernels of that name, by the number of their parameters.
    let count =
        |d: &FunDecl<'u>| d.declarator.child_by_field_name("parameters").map_or(0, |list| listed_in(list).len());
    let own = count(kernel);
    let overloads = lower.names.functions.get(name).map_or(&[][..], Vec::as_slice);
    let others: Vec<usize> = overloads.iter().filter(|d| d.is_kernel).map(count).filter(|n| *n != own).collect();
    let mut seen = FxHashSet::default();
    let mentions = lower.names.mentions.get(name).cloned().unwrap_or_default();
    let read = |lower: &Lower<'u>, node| launches_of(unit, lower, node);
    let asked = |lower: &Lower<'u>, node: &Node<'u>| {
        !is_question(unit, lower.names, *node) && !is_local(unit, *node) && !is_call_of_host(unit, lower.names, *node)
    };
    let mentions: Vec<Node<'u>> = mentions.into_iter().filter(|node| asked(lower, node)).collect();
    let mut places: Vec<Option<Vec<Place<'u>>>> = mentions.iter().map(|node| read(lower, *node)).collect();
    if places.iter().all(Option::is_none) {
        let absent = |node: &Node<'u>| launch_by_absent(unit, lower.names, *node, kernel).map(|place| vec![place]);
        places = mentions.iter().map(absent).collect();
    }
    for (node, places) in mentions.into_iter().zip(places) {
        let Some(places) = places else {
            all = false;
            continue;
        };
        if !may_be(lower, kernel, node, bindings) {
            continue;
        }
        let fixed = fixed(unit, kernel, node, bindings).unwrap_or_default();
        for place in places {
            if let Arguments::Values(values) = &place.arguments
                && others.contains(&values.len())
                && values.len() != own
                && !values.iter().any(|v| v.kind() == "parameter_pack_expansion")
            {
                continue;
            }
            let through = place.through.map_or(0, |call| call.id());
            let key = (place.call.id(), through, fixed.clone());
            // Named twice in one place; several places of the text may have one span.
            if !seen.insert(key.clone()) {
                continue;
            }
            let read = match lower.launches.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let read = launch(unit, lower, &place, &fixed);
                    lower.launches.insert(key, read.clone());
                    read
                }
            };
            all &= read.is_some();
            let mut own: Vec<HostLaunch> = read.into_iter().flatten().collect();
            own.retain(|launch| may_be_called(lower, (kernel, bindings), node, launch));
            for launch in &mut own {
                launch.overlaps.append(&mut launch.given_by_calls);
                captures::with_lambdas(lower, kernel, bindings, launch);
            }
            found.extend(own);
        }
    }
    found.sort_by_key(|l| (l.span.start, l.span.end, l.calls.clone()));
    (found, all)
}

/// Parameters of the template that a launch stands in, by their names, and their values where an instance of the kernel is
/// launched. [HOST-FIXED]
pub type Fixed = BTreeMap<String, i128>;

/// `template <int N> void run(..) { k<N><<<..>>>(..); }`: where the kernel is `k<64>`, N is 64.
fn fixed<'u>(unit: &'u Unit<'u>, kernel: &FunDecl<'u>, name: Node<'u>, bindings: &Bindings) -> Option<Fixed> {
    let place = name.parent().filter(|p| p.kind() == "template_function")?;
    let given = listed_in(place.child_by_field_name("arguments")?);
    let around = function_around(place)?.parent().filter(|p| p.kind() == "template_declaration")?;
    let value = |list: Node<'u>| -> Vec<Option<&'u str>> {
        let is_value = |p: &Node| matches!(p.kind(), "parameter_declaration" | "optional_parameter_declaration");
        let name = |p: Node<'u>| Some(unit.str(declared_name(p.child_by_field_name("declarator")?)?));
        listed_in(list).into_iter().map(|p| Some(p).filter(is_value).and_then(name)).collect()
    };
    let own = value(around.child_by_field_name("parameters")?);
    let wanted = value(kernel.template?);
    let pairs = given.iter().zip(&wanted).filter_map(|(argument, name)| {
        let (value, _) = bindings.values.get((*name)?)?;
        let parameter = unit.str(*argument);
        own.contains(&Some(parameter)).then(|| (parameter.to_owned(), *value))
    });
    Some(pairs.collect())
}

/// A launch that constants exclude is read as if these were not known, so that the conditions around it may hold.
/// [HOST-EXCLUDED]
fn launch<'u>(unit: &'u Unit<'u>, lower: &mut Lower<'u>, place: &Place<'u>, fixed: &Fixed) -> Option<Vec<HostLaunch>> {
    let mut excluded = FxHashSet::default();
    let read = launch_without(unit, lower, place, fixed, &mut excluded);
    if excluded.is_empty() {
        return read;
    }
    launch_without(unit, lower, place, fixed, &mut excluded).or(read)
}

/// The launch, where the values of some variables are not followed; those that exclude it are added to them.
fn launch_without<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    place: &Place<'u>,
    fixed: &Fixed,
    excluded: &mut FxHashSet<usize>,
) -> Option<Vec<HostLaunch>> {
    let Place { call, config, ref arguments, through, launcher } = *place;
    let function = function_around(call)?;
    let mut host = Host::new(unit, lower, function, call);
    // The template of the call is another one.
    host.fixed = if through.is_none() { fixed.clone() } else { Fixed::new() };
    host.unfollowed = excluded.clone();
    let arguments = match arguments {
        Arguments::Values(values) => values.clone(),
        Arguments::Addresses(array) => {
            host.copied = addresses(unit, function, *array)?;
            host.copied.iter().map(|a| a.child_by_field_name("argument")).collect::<Option<_>>()?
        }
    };
    host.scan();
    let dims = |host: &mut Host<'_, 'u>, node: Option<Node<'u>>| node.map_or([None, None, None], |n| host.dims(n));
    let sizes = match config {
        Config::Sizes(grid, block) => (grid, block),
        Config::Variable(_) => (None, None),
    };
    let range = sizes.0.and_then(|grid| host.range(grid));
    let (grid, block, global) = match (config, range) {
        (Config::Sizes(_, block), Some(range)) => host.sizes_of_range(range, block),
        (Config::Sizes(grid, block), None) => (dims(&mut host, grid), dims(&mut host, block), [None, None, None]),
        (Config::Variable(config), _) => {
            let grid = host.dims_of_field(config, "gridDim");
            (grid, host.dims_of_field(config, "blockDim"), [None, None, None])
        }
    };
    if let (Some((_, parameters)), Config::Sizes(Some(of_grid), Some(of_block))) = (launcher, config)
        && (grid[0].is_none()
            || block[0].is_none()
            || [of_grid, of_block].into_iter().any(|n| host.is_pointer(n))
            || !host.fit(&arguments, parameters))
    {
        return None;
    }
    // Of a pack it is not known how many arguments it is.
    let packed = arguments.iter().position(|a| a.kind() == "parameter_pack_expansion");
    let listed = arguments.clone();
    let arguments = &arguments[..packed.unwrap_or(arguments.len())];
    let args: Vec<_> = arguments.iter().map(|a| Some((host.number(*a)?, host.type_of(*a)))).collect();
    // What a call of OpenCL is given has no place in the text of its own: it may be anything.
    let made = if range.is_some() {
        Made::default()
    } else {
        Made {
            args: (0..args.len()).filter(|i| args[*i].is_none() && !host.is_input(arguments[*i])).collect(),
            objects: (0..args.len()).filter(|i| args[*i].is_none() && host.makes_object(arguments[*i])).collect(),
            grid: sizes.0.is_some_and(|n| grid[0].is_none() && !host.is_input(n)),
            block: sizes.1.is_some_and(|n| block[0].is_none() && !host.is_input(n)),
        }
    };
    let pointers: Vec<_> = arguments.iter().map(|a| host.pointer(*a)).collect();
    let overlaps = host.overlaps(arguments, None);
    let passed: Passed = arguments.iter().map(|a| host.passed(*a)).collect();
    let objects: Vec<_> = arguments.iter().map(|a| host.object(*a)).collect();
    let mut facts = host.facts(call, function);
    facts.extend(divided(grid.iter().chain(&block).flatten(), args.iter().flatten().map(|(value, _)| value)));
    excluded.extend(host.unfollowed.iter());
    let (parameters, stays) = (host.parameters(), host.stays());
    let (types, symbols) = (std::mem::take(&mut host.types), host.symbols.iter().cloned().collect());
    let sizes = std::mem::take(&mut host.sizes);
    let sources = std::mem::take(&mut host.sources);
    let computed = std::mem::take(&mut host.computed);
    let (mut args, mut pointers, mut passed, mut objects) = (args, pointers, passed, objects);
    let pack = match packed.zip(through) {
        Some((at, through)) => pack_of(unit, function, listed[at]).filter(|_| at + 1 == listed.len()).map(|first| {
            let count = given(through).len().saturating_sub(first);
            args.resize(at + count, None);
            pointers.resize(at + count, None);
            passed.extend((first..first + count).map(|i| Some((i, true))));
            objects.resize(at + count, ObjectParts::default());
            (at, first)
        }),
        None => None,
    };
    let sources = with_sources(&passed, &objects, sources);
    let given_by_calls = overlaps_of_calls(unit, lower, function, through, &sources);
    let own = HostLaunch {
        span: unit.span(call),
        calls: Vec::new(),
        nearest: None,
        open_calls: Vec::new(),
        block,
        grid,
        global,
        args,
        pointers,
        overlaps,
        given_by_calls,
        passed,
        sources,
        objects,
        facts,
        types,
        symbols,
        sizes,
        computed,
        stays,
        made,
        launcher: launcher.map(|(f, _)| unit.str(f).to_owned()),
        is_uncalled: false,
    };
    match through {
        Some(through) => called_through(unit, lower, function, own, &parameters, through, pack),
        None => Some(called(unit, lower, function, own, &parameters)),
    }
}

/// What the host divides by for a size or an argument is not 0; a size never is. [HOST-DIVIDED]
fn divided<'a>(sizes: impl Iterator<Item = &'a N> + Clone, args: impl Iterator<Item = &'a N>) -> Vec<B> {
    fn divisors(value: &N, found: &mut Vec<N>) {
        match value.kind() {
            NExp::Bin(op, _, l, r) => {
                if matches!(op, NBin::Div | NBin::Rem) && r.as_num().is_none() && !found.contains(r) {
                    found.push(r.clone());
                }
                divisors(l, found);
                divisors(r, found);
            }
            NExp::Cast(_, inner) => divisors(inner, found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    sizes.clone().chain(args).for_each(|value| divisors(value, &mut found));
    found.retain(|by| !sizes.clone().any(|size| size == by));
    found.iter().map(|by| by.ne(&N::num(0))).collect()
}

/// The position of the pack of a function that `args...` is all of, where nothing else is done with it.
fn pack_of<'u>(unit: &'u Unit<'u>, function: Node<'u>, expansion: Node<'u>) -> Option<usize> {
    let mut inner = expansion.named_child(0)?;
    if inner.kind() == "call_expression" {
        let callee = unit.str(inner.child_by_field_name("function")?);
        let forwards =
            callee.starts_with("std::forward<") || callee.starts_with("static_cast<") && callee.contains("&&");
        inner = inner.child_by_field_name("arguments").filter(|_| forwards)?.named_child(0)?;
    }
    let name = Some(inner).filter(|n| n.kind() == "identifier").map(|n| unit.str(n))?;
    let declarator = function.child_by_field_name("declarator")?;
    let parameters = listed_in(declarator.child_by_field_name("parameters")?);
    let is_own = |p: &Node<'u>| {
        let own = p.child_by_field_name("declarator").and_then(declared_name);
        p.kind() == "variadic_parameter_declaration" && own.is_some_and(|n| unit.str(n) == name)
    };
    let mut uses = 0;
    each_named(function.child_by_field_name("body")?, |n| {
        uses += usize::from(n.kind() == "identifier" && unit.str(n) == name)
    });
    (uses == 1).then_some(())?;
    parameters.iter().position(is_own)
}

fn function_around(node: Node) -> Option<Node> {
    let mut function = node;
    while function.kind() != "function_definition" {
        function = function.parent()?;
    }
    Some(function)
}

impl<'l, 'u> Host<'l, 'u> {
    fn new(unit: &'u Unit<'u>, lower: &'l mut Lower<'u>, function: Node<'u>, launch: Node<'u>) -> Host<'l, 'u> {
        let said = Said::by(lower);
        Host {
            unit,
            lower,
            function,
            launch,
            variables: Vec::new(),
            named: FxHashMap::default(),
            said,
            parents: FxHashMap::default(),
            updates: Vec::new(),
            unnamed: Vec::new(),
            calls: Vec::new(),
            all_calls: Vec::new(),
            stores: Vec::new(),
            near_stores: Vec::new(),
            indirect: Vec::new(),
            far: Vec::new(),
            values: FxHashMap::default(),
            asked: Vec::new(),
            lengths: FxHashMap::default(),
            results: FxHashMap::default(),
            choices: BTreeMap::new(),
            constants: FxHashSet::default(),
            fixed: Fixed::new(),
            unfollowed: FxHashSet::default(),
            taken: Vec::new(),
            kept: FxHashMap::default(),
            symbols: FxHashSet::default(),
            sizes: BTreeSet::new(),
            computed: BTreeMap::new(),
            types: BTreeMap::new(),
            arguments: Vec::new(),
            copied: Vec::new(),
            asked_behind: None,
            sources: BTreeSet::new(),
            relevant: BTreeSet::new(),
            returned: RefCell::default(),
            returned_of: RefCell::default(),
            news: RefCell::default(),
            steady: RefCell::default(),
            callees: RefCell::default(),
            lambdas: OnceCell::new(),
            seen: RefCell::default(),
            reached: OnceCell::new(),
            methods: OnceCell::new(),
            has_goto: false,
            depth: 0,
        }
    }
}
