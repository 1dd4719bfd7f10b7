//! Launches in a function of the host, for each of the calls of that function.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use itertools::Itertools;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::super::lower::{Lower, is_static};
use super::super::unit::{Unit, declared_name, each_named, last_named, split_init};
use super::calls::{Call, calls_like, calls_of, given};
use super::captures::LAMBDA;
use super::places::listed_in;
use super::pointers::only_casts;
use super::types::converted;
use super::variables::{Event, Part, Variable, contains, says};
use super::versions::Version;
use super::{Given, Host, HostLaunch, ObjectParts, Overlap, function_around, symbol};
use crate::base::Name;
use crate::exp::{B, IntTy, N, Subst};

/// How many calls are always followed from a launch, each after the other.
const MAX_DEPTH: usize = 2;

/// How many are followed where that makes no more than [`FEW`] launches of one, and in how many calls in all.
const MAX_DEEP: usize = 8;
const MAX_STEPS: usize = 32;
const FEW: usize = 4;

/// How many calls may say that two pointers are one: all that are followed otherwise.
const MAX_READ: usize = 300;

/// How many variables are looked at for what a parameter points to.
const MAX_VALUES: usize = 64;

/// A parameter of a function: its place in the list, what of it is meant, and the symbol that stands for that.
pub type Parameter = (usize, Of, N);

/// What of a parameter a symbol stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Of {
    Number,
    /// One of the sizes of a `dim3`.
    Axis(String),
    /// An integer of an object, by its path, and the class of the object.
    Part(String, String),
}

impl<'u> Host<'_, 'u> {
    /// The position of a parameter of the function in its list, where some have no name.
    pub(super) fn position(&self, parameter: &Variable<'u>) -> Option<usize> {
        let mut node = parameter.declarator.filter(|_| parameter.is_parameter && parameter.scope == self.function)?;
        while !node.kind().ends_with("parameter_declaration") {
            node = node.parent()?;
        }
        listed_in(node.parent()?).iter().position(|p| *p == node)
    }

    /// Is a parameter a reference to a variable that the calling function declares, whatever call this is? [HOST-QUIET]
    pub(super) fn refers_to_locals(&self, parameter: &Variable<'u>) -> bool {
        let Some(at) = self.position(parameter) else { return false };
        let calls = calls_of(self.unit, self.lower, self.function).unwrap_or_default();
        let is_local =
            |call: &Call<'u>| call.arguments.get(at).is_some_and(|argument| self.is_local_of_caller(*argument));
        !calls.is_empty() && calls.iter().all(is_local)
    }

    /// Is this the name of a variable of the function around it, which is gone when that returns?
    fn is_local_of_caller(&self, argument: Node<'u>) -> bool {
        let caller = function_around(argument).filter(|_| argument.kind() == "identifier");
        let (mut found, mut only) = (false, true);
        each_named(caller.unwrap_or(argument), |n| {
            let mut cursor = n.walk();
            for declarator in n.children_by_field_name("declarator", &mut cursor) {
                if declared_name(declarator).is_some_and(|name| self.unit.str(name) == self.unit.str(argument)) {
                    let plain = matches!(split_init(declarator).0.kind(), "identifier" | "function_declarator");
                    found |= n.kind() == "declaration";
                    only &= n.kind() != "declaration" || plain && !says(n, &self.unit.text, &["static", "extern"]);
                    only &= !n.kind().ends_with("parameter_declaration") && n.kind() != "for_range_loop";
                }
            }
        });
        found && only
    }

    /// The symbols that stand for what this function was called with.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let mut found = Vec::new();
        for ((variable, part, version), value) in &self.values {
            let Version::After(Some(event), loops) = version else { continue };
            let known = &self.variables[*variable];
            let declared = known.events.get(*event).is_some_and(|e| e.declares) && loops.is_empty();
            let Some(at) = self.position(known).filter(|_| declared) else { continue };
            let is_object = known.declarator.is_some_and(|d| matches!(d.kind(), "identifier" | "reference_declarator"));
            let of = match (part, known.ty) {
                (Part::Whole, _) => Of::Number,
                (Part::Field(field), _) if self.is_dims(*variable) => Of::Axis(field.to_string()),
                (Part::Field(path), Some(ty)) if is_object => Of::Part(path.to_string(), self.unit.str(ty).to_owned()),
                (Part::Field(_) | Part::Behind(_), _) => continue,
            };
            if value.as_var().is_some() {
                found.push((at, of, value.clone()));
            }
        }
        found.sort_by_key(|(at, of, _)| (*at, of.clone()));
        found
    }
}

/// The parameters of the function that the arguments of a launch are, or point into, by position.
pub type Passed = Vec<Option<(usize, bool)>>;

impl<'u> Host<'_, 'u> {
    /// The parameter of the function that an argument is made of, and whether it is just that.
    pub(super) fn passed(&self, argument: Node<'u>) -> Option<(usize, bool)> {
        self.passed_through(argument, &mut Vec::new())
    }

    /// The same, but by the variables that were looked at: by their declarations.
    fn passed_through(&self, argument: Node<'u>, seen: &mut Vec<usize>) -> Option<(usize, bool)> {
        let field = |name: &str| argument.child_by_field_name(name);
        let mut inner = |node: Node<'u>| self.passed_through(node, seen);
        let made = |(at, _): (usize, bool)| (at, false);
        match argument.kind() {
            "parenthesized_expression" => inner(argument.named_child(0)?),
            "cast_expression" => inner(field("value")?).map(made),
            "binary_expression" => inner(field("left")?).map(made),
            // What an object that is a parameter holds.
            "call_expression" => {
                let function = field("function")?;
                let arguments = listed_in(field("arguments")?);
                let name = self.unit.str(function).split('<').next().unwrap_or("");
                match (self.data_of(function), arguments.as_slice()) {
                    (Some(object), []) => inner(object).map(made),
                    (None, [only]) if only_casts(name) => inner(*only).map(made),
                    _ => None,
                }
            }
            "identifier" => {
                let known = self.variable_at(argument)?;
                if !known.is_parameter {
                    // What was assigned to it.
                    if seen.contains(&known.from) || seen.len() >= MAX_VALUES {
                        return None;
                    }
                    seen.push(known.from);
                    let value =
                        |e: &Event<'u>| e.node.child_by_field_name("right").or(e.node.child_by_field_name("value"));
                    let mut values = known.events.iter().filter_map(value);
                    return values.find_map(|v| self.passed_through(v, seen)).map(made);
                }
                let at = self.position(known)?;
                let moves = |node: Node<'u>| {
                    let operator = node.child_by_field_name("operator").map_or("", |o| self.unit.str(o));
                    let callee = node.child_by_field_name("function").map_or("", |f| self.callee(f));
                    // Two that change places stay what the function was given.
                    node.kind() == "update_expression" || matches!(operator, "+=" | "-=") || callee == "swap"
                };
                known.events.iter().all(|e| e.declares || moves(e.node)).then_some(())?;
                Some((at, known.events.iter().all(|e| e.declares) && !known.is_wild && known.escapes.is_none()))
            }
            // A member of an object that the function was given.
            "field_expression" => {
                let mut object = argument;
                while let Some(inner) = match object.kind() {
                    "parenthesized_expression" => last_named(object),
                    _ => object.child_by_field_name("argument"),
                } {
                    object = inner;
                }
                inner(Some(object).filter(|object| object.kind() == "identifier")?).map(made)
            }
            _ => None,
        }
    }
}

/// The position of the object of a method among what it is given.
pub const THIS: usize = usize::MAX;

/// An argument of a launch, or a pointer in one, what its function was given that it is made of, and whether it is just that.
pub type Source = (Given, Given, bool);

/// What arguments of a launch, and pointers in them, are made of.
pub(super) fn with_sources(
    passed: &Passed,
    objects: &[ObjectParts],
    of_members: impl IntoIterator<Item = Source>,
) -> Vec<Source> {
    let whole = passed.iter().enumerate().filter_map(|(i, p)| p.map(|(at, just)| ((i, None), (at, None), just)));
    let open = objects.iter().enumerate().filter_map(|(i, o)| o.open.map(|at| ((i, None), (at, None), true)));
    whole.chain(open).chain(of_members).unique().collect()
}

/// The same in terms of what the caller of the function was given.
fn sources_of_caller(sources: &[Source], read: &ReadCall) -> Vec<Source> {
    let mut found = Vec::new();
    for (own, (at, path), just) in sources {
        let of_object = Some(((*at, None), (THIS, None), true)).filter(|_| *at == THIS && read.on_own_object);
        for (given, outer, also) in read.sources.iter().chain(&of_object) {
            let whole = given.0 == *at && given.1.is_none() && outer.1.is_none();
            if given == &(*at, path.clone()) {
                found.push((own.clone(), outer.clone(), *just && *also));
            } else if whole && path.is_some() && *also {
                found.push((own.clone(), (outer.0, path.clone()), *just));
            }
        }
    }
    found.into_iter().unique().collect()
}

/// Pairs of pointers that a call of the function of a launch gives it twice.
pub(super) fn overlaps_of_calls<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    function: Node<'u>,
    through: Option<Node<'u>>,
    sources: &[Source],
) -> Vec<Overlap> {
    let calls = match through {
        Some(call) => vec![Call { node: call, arguments: given(call) }],
        None => calls_of(unit, lower, function).unwrap_or_else(|| calls_like(unit, lower, function)),
    };
    overlaps_of(unit, lower, calls, sources)
}

/// The same for some of the calls.
fn overlaps_of<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    calls: Vec<Call<'u>>,
    sources: &[Source],
) -> Vec<Overlap> {
    let mut found = Vec::new();
    let mut open: Vec<(Call<'u>, Vec<Source>, usize)> =
        calls.into_iter().map(|call| (call, sources.to_vec(), 1)).collect();
    let mut steps = 0;
    while let Some((call, sources, depth)) = open.pop().filter(|_| steps < MAX_READ) {
        steps += 1;
        let Some(read) = read_call(unit, lower, &call, &Asked::default()) else { continue };
        for met in &read.overlaps {
            found.extend(met.passed_on(&sources).map(|overlap| Overlap { by: None, sure: false, ..overlap }));
        }
        // What it gives may be what its own function was given.
        let outer = sources_of_caller(&sources, &read);
        let caller = function_around(call.node).filter(|_| depth < MAX_DEPTH && outer.len() > 1);
        let calls = caller.and_then(|caller| calls_of(unit, lower, caller)).unwrap_or_default();
        open.extend(calls.into_iter().map(|call| (call, outer.clone(), depth + 1)));
    }
    found
}

impl Overlap {
    /// The same in terms of one of the callers, who may say how far the two are apart.
    fn as_called(&self, met: &[Overlap], sources: &[Source], own: &mut Subst, caller: &mut Subst) -> Overlap {
        let by = match &self.by {
            Some(by) => Some(own.numeric(by)),
            None => {
                let same = |o: &Overlap| (&o.later, &o.earlier) == (&self.later, &self.earlier);
                let said = met.iter().flat_map(|o| o.passed_on(sources)).find(same).and_then(|o| o.by);
                said.map(|by| caller.numeric(&by))
            }
        };
        Overlap { by, ..self.clone() }
    }

    /// The same of the arguments of a launch, for a pair of arguments of the call of its function.
    fn passed_on(&self, sources: &[Source]) -> impl Iterator<Item = Overlap> {
        let at = |given: &Given| {
            let of_one = |(own, from, just): &Source| match (&own.1, &from.1, &given.1) {
                _ if from == given => Some((own.clone(), *just)),
                // A member of an object that is passed on as a whole.
                (None, None, Some(path)) if from.0 == given.0 && *just => Some(((own.0, Some(path.clone())), true)),
                _ => None,
            };
            sources.iter().filter_map(of_one).unique().collect::<Vec<_>>()
        };
        let pairs = at(&self.later).into_iter().cartesian_product(at(&self.earlier));
        pairs.filter(|((later, _), (earlier, _))| later != earlier).map(|((later, just), (earlier, also))| {
            let swapped = later < earlier;
            let by = self.by.as_ref().filter(|_| just && also);
            let by = by.map(|by| if swapped { N::sub(IntTy::MATH, &N::num(0), by) } else { by.clone() });
            let (later, earlier) = if swapped { (earlier, later) } else { (later, earlier) };
            Overlap { later, earlier, by, sure: self.sure, shown: self.shown }
        })
    }
}

/// A launch as each call of its function makes it; as it is, when the calls are not known.
pub(super) fn called<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    function: Node<'u>,
    launch: HostLaunch,
    parameters: &[Parameter],
) -> Vec<HostLaunch> {
    let mut near =
        Path { most: MAX_DEPTH, steps: usize::MAX, functions: Vec::new(), is_cut: false, through: false, pack: None };
    let found = called_by(unit, lower, function, launch.clone(), parameters, &mut near);
    if !near.is_cut {
        return found;
    }
    let mut far =
        Path { most: MAX_DEEP, steps: MAX_STEPS, functions: Vec::new(), is_cut: false, through: false, pack: None };
    let farther = called_by(unit, lower, function, launch, parameters, &mut far);
    if far.steps > 0 && farther.len() <= found.len().max(FEW) { farther } else { found }
}

/// A launch of a kernel that its function is given, as this call makes it; `pack` is the argument of the launch that the rest
/// of the call begins at, and the argument of the call. [HOST-GIVEN]
pub(super) fn called_through<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    function: Node<'u>,
    launch: HostLaunch,
    parameters: &[Parameter],
    through: Node<'u>,
    pack: Option<(usize, usize)>,
) -> Option<Vec<HostLaunch>> {
    let mut path =
        Path { most: MAX_DEPTH + 1, steps: usize::MAX, functions: vec![function], is_cut: false, through: true, pack };
    // Its pointers go by the names of another function.
    let launch = HostLaunch { pointers: launch.pointers.iter().map(|_| None).collect(), ..launch };
    let call = Call { node: through, arguments: given(through) };
    each_call(unit, lower, vec![call], &launch, parameters, &mut path)
}

/// How far calls are followed.
struct Path<'u> {
    most: usize,
    steps: usize,
    /// The functions from the launch to here.
    functions: Vec<Node<'u>>,
    /// Are there more calls than these?
    is_cut: bool,
    /// Is the next call one that gives the kernel?
    through: bool,
    /// What it gives in a pack: from which argument of the launch on, and from which of the call.
    pack: Option<(usize, usize)>,
}

fn called_by<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    function: Node<'u>,
    launch: HostLaunch,
    parameters: &[Parameter],
    path: &mut Path<'u>,
) -> Vec<HostLaunch> {
    if parameters.is_empty() && launch.objects.iter().all(|object| object.open.is_none()) {
        return vec![launch];
    }
    let Some(calls) = calls_of(unit, lower, function) else { return vec![launch] };
    let is_last = path.functions.len() >= path.most;
    path.is_cut |= is_last;
    path.steps = path.steps.saturating_sub(calls.len());
    if is_last || path.steps == 0 {
        return vec![launch];
    }
    path.functions.push(function);
    let found = each_call(unit, lower, calls, &launch, parameters, path);
    path.functions.pop();
    match found {
        // No call makes it that is read: it is as its function alone says. [HOST-EXCLUDED]
        Some(found) if launch.can_be() && !found.iter().any(HostLaunch::can_be) => {
            let open_calls = found.iter().flat_map(|l| &l.open_calls).copied().unique().collect();
            vec![HostLaunch { is_uncalled: true, open_calls, ..launch }]
        }
        Some(found) => found,
        None => vec![launch],
    }
}

/// A number that is given, and its type, where these are known.
type Argument = Option<(N, Option<IntTy>)>;

/// What the code around a call says of what it gives: the same for all launches that it leads to.
pub struct ReadCall {
    /// For each of the parameters that are asked for.
    given: Vec<Option<N>>,
    /// The arguments that go on as a pack.
    packed: Vec<(Argument, ObjectParts)>,
    facts: Vec<B>,
    overlaps: Vec<Overlap>,
    /// Of the caller, what all this is made of.
    parameters: Vec<Parameter>,
    /// For each argument, which parameter of the caller it is.
    passed: Passed,
    /// The same of the pointers in them, and of the object of a method.
    sources: Vec<Source>,
    /// Is it a method that is called for the object of the caller?
    on_own_object: bool,
    /// The objects among the arguments that are asked for, and whether they are made there.
    objects: Vec<(usize, ObjectParts, bool)>,
    types: BTreeMap<Name, IntTy>,
    symbols: FxHashSet<String>,
    sizes: BTreeSet<String>,
    computed: BTreeMap<String, Vec<i128>>,
    stays: Vec<B>,
}

/// What is asked of a call.
#[derive(Clone, Default)]
struct Asked<'a> {
    parameters: &'a [Parameter],
    /// Where a pack of arguments begins.
    pack: Option<usize>,
    /// The arguments that are objects of types that the call says.
    objects: Vec<usize>,
}

/// A call and its arguments, by their nodes, what is asked for of them, where a pack of them begins, and objects.
pub type CallKey = (usize, Vec<usize>, Vec<(usize, Of)>, Option<usize>, Vec<usize>);

/// Reads the function that a call is in, once. `None`: it is in none.
fn read_call<'u>(unit: &'u Unit<'u>, lower: &mut Lower<'u>, call: &Call<'u>, asked: &Asked) -> Option<Arc<ReadCall>> {
    let Asked { parameters, pack, objects } = asked.clone();
    let asked = parameters.iter().map(|(at, of, _)| (*at, of.clone())).collect();
    let arguments = &call.arguments;
    let key: CallKey = (call.node.id(), arguments.iter().map(Node::id).collect(), asked, pack, objects.clone());
    if let Some(known) = lower.read_calls.get(&key) {
        return Some(known.clone());
    }
    let caller = function_around(call.node)?;
    let mut host = Host::new(unit, lower, caller, call.node);
    host.scan();
    let given = parameters.iter().map(|(at, of, _)| {
        let argument = *arguments.get(*at)?;
        if !contains(caller, argument) {
            // A default argument means what it does where it is written.
            return if *of == Of::Number { host.constant(argument) } else { None };
        }
        match of {
            Of::Number => host.number(argument),
            Of::Part(path, class) => host.part_given(argument, path, class),
            Of::Axis(axis) => host.dims(argument).into_iter().nth(["x", "y", "z"].iter().position(|a| a == axis)?)?,
        }
    });
    let given = given.collect();
    let of_pack = pack.and_then(|from| arguments.get(from..)).unwrap_or_default();
    let packed = of_pack.iter().map(|argument| {
        let number = host.number(*argument).map(|n| (n, host.type_of(*argument)));
        (number, host.object(*argument))
    });
    let packed = packed.collect();
    let facts = host.facts(call.node, caller);
    let own: Vec<Node<'u>> = arguments.iter().copied().filter(|a| contains(caller, *a)).collect();
    let object = object_of_call(unit, call.node);
    let mut overlaps = host.overlaps(&own, object);
    let mut sources: BTreeSet<Source> = std::mem::take(&mut host.sources);
    if object.is_some() {
        let named = |at: &mut usize| *at = if *at == own.len() { THIS } else { *at };
        overlaps.iter_mut().for_each(|o| [&mut o.later.0, &mut o.earlier.0].into_iter().for_each(named));
        sources = sources
            .into_iter()
            .map(|((at, path), from, just)| ((if at == own.len() { THIS } else { at }, path), from, just))
            .collect();
    }
    // Of two members of one object [HOST-ELSEWHERE] says whether they may be one.
    overlaps.retain(|o| (o.later.0, o.earlier.0) != (THIS, THIS));
    let objects = objects.into_iter().filter_map(|at| {
        let argument = *arguments.get(at).filter(|argument| contains(caller, **argument))?;
        let object = host.object(argument);
        Some((at, object, host.makes_object(argument)))
    });
    let objects: Vec<(usize, ObjectParts, bool)> = objects.collect();
    let parameters = host.parameters();
    let passed: Passed = arguments.iter().map(|argument| host.passed(*argument)).collect();
    let of_arguments: Vec<ObjectParts> = arguments
        .iter()
        .map(|argument| ObjectParts { open: host.open_parameter(*argument), ..ObjectParts::default() })
        .collect();
    let sources = with_sources(&passed, &of_arguments, sources);
    let read = Arc::new(ReadCall {
        given,
        packed,
        facts,
        overlaps,
        parameters,
        passed,
        sources,
        on_own_object: object.is_none(),
        objects,
        stays: host.stays(),
        types: std::mem::take(&mut host.types),
        symbols: std::mem::take(&mut host.symbols),
        sizes: std::mem::take(&mut host.sizes),
        computed: std::mem::take(&mut host.computed),
    });
    lower.read_calls.insert(key, read.clone());
    Some(read)
}

/// The object that a method is called for, and whether it is behind a pointer.
fn object_of_call<'u>(unit: &Unit<'u>, call: Node<'u>) -> Option<(Node<'u>, bool)> {
    let function = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression")?;
    let object = function.child_by_field_name("argument").filter(|object| object.kind() != "this")?;
    let operator = function.child_by_field_name("operator").map_or("", |o| unit.str(o));
    Some((object, operator == "->"))
}

/// `None`: a call is not in a function, or in one that it leads to.
fn each_call<'u>(
    unit: &'u Unit<'u>,
    lower: &mut Lower<'u>,
    calls: Vec<Call<'u>>,
    launch: &HostLaunch,
    parameters: &[Parameter],
    path: &mut Path<'u>,
) -> Option<Vec<HostLaunch>> {
    let mut found = Vec::new();
    let (through, pack) = (std::mem::take(&mut path.through), path.pack.take());
    for Call { node: call, arguments } in calls {
        let caller = function_around(call).filter(|caller| !path.functions.contains(caller))?;
        let asked = Asked {
            parameters,
            pack: pack.map(|(_, from)| from),
            objects: launch.objects.iter().filter_map(|object| object.open).collect(),
        };
        let call_read = Call { node: call, arguments };
        let read = read_call(unit, lower, &call_read, &asked)?;
        let given_by_calls = overlaps_of(unit, lower, vec![call_read], &launch.sources);
        let (mut args, mut objects) = (launch.args.clone(), launch.objects.clone());
        let on = |(at, just): (usize, bool)| (*read.passed.get(at)?).map(|(outer, also)| (outer, just && also));
        let passed: Passed = launch.passed.iter().map(|at| on((*at)?)).collect();
        // Names of the caller are not those of the function.
        let name = caller.child_by_field_name("declarator").and_then(declared_name);
        let prefix = name.map_or("", |n| unit.str(n));
        let mut away = Subst::new();
        let mut types = launch.types.clone();
        let mut symbols = launch.symbols.clone();
        let mut rename = |name: &Name| {
            let mut new = format!("{prefix}::{name}");
            while launch.symbols.contains(&new) {
                new.push('\'');
            }
            away.bind(name, &symbol(&new));
            symbols.insert(new.clone());
            new
        };
        for (name, ty) in &read.types {
            let new = rename(name);
            types.insert(Name::new(new.as_str()), *ty);
        }
        let (mut unknown, mut computed) = (launch.sizes.clone(), launch.computed.clone());
        for name in &read.symbols {
            let new = rename(&Name::new(name.as_str()));
            if read.sizes.contains(name) {
                unknown.insert(new.clone());
            }
            if let Some(known) = read.computed.get(name) {
                computed.insert(new, known.clone());
            }
        }
        let outer: Vec<Parameter> =
            read.parameters.iter().map(|(at, f, n)| (*at, f.clone(), away.numeric(n))).collect();
        let mut subst = Subst::new();
        let mut relations: Vec<B> = read.facts.iter().map(|f| away.boolean(f)).collect();
        for ((_, _, own), value) in parameters.iter().zip(&read.given) {
            let (Some(own), Some(value)) = (own.as_var(), value) else { continue };
            let ty = types.get(&own.name).copied();
            let Some(value) = converted(&away.numeric(value), ty) else { continue };
            if value.as_num().is_some() || value.as_var().is_some() {
                subst.bind(&own.name, &value);
            } else {
                relations.push(N::var(own).eq(&value));
            }
        }
        let sizes =
            |sizes: &[Option<N>; 3], subst: &mut Subst| sizes.each_ref().map(|n| n.as_ref().map(|n| subst.numeric(n)));
        args.iter_mut().flatten().for_each(|(n, _)| *n = subst.numeric(n));
        objects.iter_mut().flat_map(|o| &mut o.parts).for_each(|(_, n)| *n = subst.numeric(n));
        for (i, (number, object)) in read.packed.iter().enumerate() {
            let mut object = object.clone();
            object.parts.iter_mut().for_each(|(_, n)| *n = away.numeric(n));
            let at = pack.map_or(0, |(first, _)| first) + i;
            if let (Some(arg), Some(own)) = (args.get_mut(at), objects.get_mut(at)) {
                *arg = number.as_ref().map(|(n, ty)| (away.numeric(n), *ty));
                *own = object;
            }
        }
        let mut made = launch.made.clone();
        for (i, own) in objects.iter_mut().enumerate() {
            let Some((_, object, is_made)) = own.open.and_then(|at| read.objects.iter().find(|o| o.0 == at)) else {
                continue;
            };
            // What a lambda has taken along nothing changes on the way.
            let is_lambda = object.class.starts_with(LAMBDA);
            if is_lambda || launch.passed.get(i).is_some_and(|p| p.is_some_and(|(_, just)| just)) {
                let parts = object.parts.iter().map(|(path, n)| (path.clone(), away.numeric(n))).collect();
                *own = ObjectParts { parts, ..object.clone() };
                made.objects.extend(is_made.then_some(i));
            }
        }
        let mut calls = launch.calls.clone();
        calls.push(unit.span(call));
        let mut open_calls = launch.open_calls.clone();
        open_calls.extend(
            Some(unit.span(call)).filter(|_| !through && !path.functions.last().is_some_and(|f| is_internal(unit, *f))),
        );
        let facts = launch.facts.iter().map(|f| subst.boolean(f)).chain(relations).collect();
        let stays = launch.stays.iter().map(|f| subst.boolean(f)).chain(read.stays.iter().map(|f| away.boolean(f)));
        let stays = stays.filter(|f| f.as_lit().is_none()).collect();
        let as_called = |overlaps: &[Overlap], subst: &mut Subst, away: &mut Subst| {
            overlaps.iter().map(|o| o.as_called(&read.overlaps, &launch.sources, subst, away)).collect()
        };
        let one = HostLaunch {
            span: launch.span,
            calls,
            nearest: launch.nearest.clone().or_else(|| Some(call.byte_range()).filter(|_| !through)),
            open_calls,
            block: sizes(&launch.block, &mut subst),
            grid: sizes(&launch.grid, &mut subst),
            global: sizes(&launch.global, &mut subst),
            args,
            pointers: launch.pointers.clone(),
            overlaps: as_called(&launch.overlaps, &mut subst, &mut away),
            given_by_calls: as_called(&given_by_calls, &mut subst, &mut away),
            passed,
            sources: sources_of_caller(&launch.sources, &read),
            objects,
            facts,
            types,
            symbols,
            sizes: unknown,
            computed,
            stays,
            made,
            launcher: launch.launcher.clone(),
            is_uncalled: launch.is_uncalled,
        };
        found.extend(called_by(unit, lower, caller, one, &outer, path));
    }
    Some(found)
}

/// Is it `static`, or in a namespace without a name?
pub fn is_internal<'u>(unit: &'u Unit<'u>, function: Node<'u>) -> bool {
    let unnamed = |n: &Node<'u>| n.kind() == "namespace_definition" && n.child_by_field_name("name").is_none();
    is_static(unit.str(function)) || std::iter::successors(function.parent(), Node::parent).any(|n| unnamed(&n))
}
