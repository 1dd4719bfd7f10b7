//! What the launches of a kernel in the host code say about it: sizes, values of parameters, conditions, aliases.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;

use crate::base::{FileId, Name, OF_HOST, SourceMap, Span};
use crate::exp::display::plain;
use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, Subst, Var, free_vars_b, free_vars_n};
use crate::frontend::cuda::host::{Given, HostLaunch, ObjectParts, Overlap, symbol};
use crate::kernel::infer::{Behind, MAX_ALONG, MAX_BLOCKS, alias_offset, is_overlap, overlap_offset};
use crate::kernel::ir::VarDecl;
use crate::kernel::types::{StructTy, Type, has_open_rows};
use crate::smt::loosen::multiplies;

/// More launches that say different things are only looked at for what they have in common.
const MAX_ALTERNATIVES: usize = 32;

const AXES: [&str; 3] = ["x", "y", "z"];

/// What holds at every launch of a kernel that was found.
#[derive(Clone, Debug, Default)]
pub struct HostFacts {
    pub block: [Option<i128>; 3],
    pub grid: [Option<i128>; 3],
    pub params: BTreeMap<String, i128>,
    /// Over parameters, `blockDim` and `gridDim`; with the words that the report lists.
    pub conditions: Vec<(B, String)>,
    /// Pointer parameters that point into the array of an earlier one, and where in it.
    pub aliases: BTreeMap<String, (String, Behind)>,
    /// Pointers that may point into the array of an earlier one, and where in it.
    pub overlaps: BTreeMap<String, BTreeMap<String, Behind>>,
    /// Axes that some launch says something of, but no constant: of blocks, and of the grid.
    pub open: [[bool; 3]; 2],
    /// Elements of parameters, and variables of the device, that the host writes in ways that are not followed.
    pub untold: BTreeSet<String>,
    /// Globals of the kernel that the host computes in ways that are not followed, and constants that they surely are.
    pub computed: BTreeMap<String, Vec<i128>>,
    /// Fields of objects that some launch computes in a way that is not followed.
    pub unfollowed: BTreeSet<String>,
    /// What the launches say where numbers stay as they are that only code which is not followed may change.
    pub stays: Option<B>,
    /// The names of these numbers.
    pub staying: BTreeSet<String>,
    /// Where the launches are, in words; empty when there are none.
    pub place: String,
    /// Where launches are that are not all, in words.
    pub some: String,
    /// That the functions of launches are called by nobody else, where what they are given is used, and that nobody else
    /// launches the kernel.
    pub only_calls: Vec<String>,
    /// What each of several launches says: one that says nothing hides what others do. And which constants all give.
    pub by_launch: Vec<Vec<B>>,
    /// Is some launch known to have 2^28 threads or more, along an axis or in all, or 2^22 blocks?
    pub is_large: bool,
}

/// What a launch says of a number: is it a constant, and which ones it may be.
type Said = (bool, Option<Vec<i128>>);

impl HostFacts {
    /// What is left where there may be other launches: pointers that may be one, and axes that are not 1.
    pub fn of_some_launch(&self) -> HostFacts {
        let mut overlaps = self.overlaps.clone();
        for (later, (earlier, behind)) in &self.aliases {
            overlaps.entry(later.clone()).or_default().insert(earlier.clone(), *behind);
        }
        for behind in overlaps.values_mut().flat_map(BTreeMap::values_mut).filter(|b| **b == Behind::Said) {
            *behind = Behind::Unknown;
        }
        let some = match overlaps.is_empty() {
            true => String::new(),
            false => format!("{}, which may not be all", if self.place.is_empty() { &self.some } else { &self.place }),
        };
        let several = |open: [bool; 3], size: [Option<i128>; 3]| {
            [0, 1, 2].map(|axis| open[axis] || size[axis].is_some_and(|n| n != 1))
        };
        let open = [several(self.open[0], self.block), several(self.open[1], self.grid)];
        let (untold, by_launch) = (self.untold.clone(), self.by_launch.clone());
        let unfollowed = self.unfollowed.clone();
        HostFacts { unfollowed, overlaps, some, open, untold, by_launch, ..HostFacts::default() }
    }

    /// Is there a pointer of which a condition says where it points to?
    pub fn says_distances(&self) -> bool {
        let overlaps = self.overlaps.values().flat_map(BTreeMap::values);
        self.aliases.values().map(|(_, behind)| behind).chain(overlaps).any(|behind| *behind == Behind::Said)
    }

    /// The same where no condition is taken to say where a pointer points to.
    pub fn without_distances(&self) -> HostFacts {
        let mut facts = self.clone();
        facts.keep_distances(&BTreeSet::new());
        facts
    }

    /// A distance that no condition says, at some launch, is not known: races may rest on it.
    fn keep_distances(&mut self, said: &BTreeSet<Name>) {
        let open = |behind: &mut Behind, name: String| {
            if *behind == Behind::Said && !said.contains(&Name::new(name)) {
                *behind = Behind::Unknown;
            }
        };
        for (later, (_, behind)) in &mut self.aliases {
            open(behind, alias_offset(later));
        }
        for (later, all) in &mut self.overlaps {
            for (earlier, behind) in all {
                open(behind, overlap_offset(later, earlier));
            }
        }
    }
}

/// A launch, and where it is.
#[derive(Clone, Debug)]
pub struct PlacedLaunch {
    launch: HostLaunch,
    /// The line, in words.
    line: String,
    /// The lines of calls of what launches it, where there may be others, and their file where it is another one.
    open_calls: BTreeSet<(String, usize)>,
}

/// The launches that a unit has of a kernel that `own` defines, a file of this unit if there is one. Nobody else calls what
/// is in the unit of `main`.
pub fn placed(
    launches: Vec<HostLaunch>,
    own: Option<FileId>,
    sources: &SourceMap,
    has_main: bool,
) -> Vec<PlacedLaunch> {
    let file = |span: Span| match sources.path(span.file).file_name().filter(|_| Some(span.file) != own) {
        Some(name) => format!(" of {}", name.to_string_lossy()),
        None => String::new(),
    };
    let one = |launch: HostLaunch| {
        let line = format!("{}{}", sources.start(launch.span).line, file(launch.span));
        let calls = launch.calls.iter().map(|c| sources.start(*c).line).join(" and ");
        let line = if calls.is_empty() { line } else { format!("{line}, called from line {calls}") };
        let other = |span: Span| if own.is_none() { file(span) } else { String::new() };
        let open_calls =
            launch.open_calls.iter().filter(|_| !has_main).map(|c| (other(*c), sources.start(*c).line)).collect();
        PlacedLaunch { launch, line, open_calls }
    };
    launches.into_iter().map(one).collect()
}

/// Gives the variables that launches name alike one type. The range of what one of them has instead is a fact of the launch.
fn with_one_type(placed: &[PlacedLaunch]) -> Cow<'_, [PlacedLaunch]> {
    let mut types: BTreeMap<&String, BTreeSet<IntTy>> = BTreeMap::new();
    for (launch, name) in placed.iter().flat_map(|p| p.launch.symbols.iter().map(move |name| (&p.launch, name))) {
        types.entry(name).or_default().insert(type_of(launch, name));
    }
    types.retain(|_, all| all.len() > 1);
    if types.is_empty() {
        return Cow::Borrowed(placed);
    }
    let names: Vec<String> = types.into_keys().cloned().collect();
    let mut placed = placed.to_vec();
    for launch in placed.iter_mut().map(|p| &mut p.launch) {
        for name in &names {
            let ty = type_of(launch, name);
            if ty != IntTy::I64 && launch.symbols.contains(name) {
                let value = symbol(name);
                launch.facts.extend(ty.min().map(|least| N::num(least).le(&value)));
                launch.facts.extend(ty.max().map(|greatest| value.le(&N::num(greatest))));
            }
            launch.types.insert(Name::new(name.as_str()), IntTy::I64);
        }
    }
    Cow::Owned(placed)
}

/// Puts the launches of a kernel together.
pub fn host_facts(params: &[VarDecl], placed: &[PlacedLaunch]) -> HostFacts {
    let placed = &*with_one_type(placed);
    let mut facts = HostFacts::default();
    if placed.is_empty() {
        return facts;
    }
    // What a constant excludes is no launch, where there is another.
    let happens = |p: &&PlacedLaunch| p.launch.can_be() && !p.launch.is_uncalled;
    let is_called = placed.iter().any(|p| happens(&p));
    // That there are no other calls also says which launches there are.
    let open = placed.iter().filter(|p| is_called || !p.launch.is_uncalled);
    let calls: BTreeSet<&(String, usize)> = open.flat_map(|p| &p.open_calls).collect();
    let placed: Vec<&PlacedLaunch> = match placed.iter().any(|p| p.launch.can_be()) {
        true if is_called => placed.iter().filter(happens).collect(),
        true => placed.iter().filter(|p| p.launch.can_be()).collect(),
        false => placed.iter().collect(),
    };
    let launches: &[&HostLaunch] = &placed.iter().map(|p| &p.launch).collect::<Vec<_>>();
    let lines: Vec<&String> = placed.iter().map(|p| &p.line).collect();
    facts.place = match lines.as_slice() {
        [one] => format!("the launch on line {one}"),
        lines => format!("the launches on lines {}", lines.iter().join(", ")),
    };
    let only = |lines: String| format!("what launches the kernel is called from lines {lines} only");
    if !calls.is_empty() {
        facts.only_calls.push(only(calls.iter().map(|(file, line)| format!("{line}{file}")).join(", ")));
    }
    let launchers: BTreeSet<&String> = launches.iter().filter_map(|l| l.launcher.as_ref()).collect();
    facts.only_calls.extend(launchers.into_iter().map(|f| {
        format!("`{f}` launches the kernel that it is given, with the grid, the block and the arguments that follow")
    }));
    facts.block = [0, 1, 2].map(|axis| common(launches.iter().map(|l| l.block[axis].as_ref())));
    facts.grid = [0, 1, 2].map(|axis| common(launches.iter().map(|l| l.grid[axis].as_ref())));
    // Of a size that is not understood the first axis is one that is meant.
    let open = |axis: usize, size: &Option<N>, launch: &HostLaunch| match size {
        Some(n) if n.as_var().is_none_or(|v| !launch.sizes.contains(v.name.as_str())) => n.as_num() != Some(1),
        _ => axis == 0,
    };
    let spread = |axis: usize, l: &HostLaunch| l.global[axis].is_some();
    let is_open = |axis: usize, of: &dyn Fn(&HostLaunch) -> Option<N>| {
        launches.iter().any(|l| spread(axis, l) || open(axis, &of(l), l))
    };
    facts.open = [
        [0, 1, 2].map(|axis| facts.block[axis].is_none() && is_open(axis, &|l| l.block[axis].clone())),
        [0, 1, 2].map(|axis| facts.grid[axis].is_none() && is_open(axis, &|l| l.grid[axis].clone())),
    ];
    if launches.iter().any(|l| l.global.iter().any(Option::is_some)) {
        facts.only_calls.push("the global size is a multiple of the local size".to_owned());
    }
    let mut constants = Vec::new();
    for (i, param) in params.iter().enumerate() {
        if let (Type::Int(ty), Some(value)) =
            (&param.ty, common(launches.iter().map(|l| l.args.get(i)?.as_ref().map(|(n, _)| n))))
            && ty.contains(value)
        {
            facts.params.insert(param.name.to_string(), value);
            constants.push(N::var(&Var { name: param.name.clone(), ty: *ty }).eq(&N::num(value)));
        }
    }
    facts.by_launch.push(constants);
    facts.is_large = launches.iter().any(|launch| {
        let known = |n: &Option<N>| n.as_ref().and_then(N::as_num).unwrap_or(1);
        let threads = (0..3).map(|axis| match launch.global[axis].as_ref().and_then(N::as_num) {
            Some(all) => all,
            None => known(&launch.block[axis]).saturating_mul(known(&launch.grid[axis])),
        });
        threads.fold(1, i128::saturating_mul) > MAX_ALONG || launch.grid.iter().any(|n| known(n) > MAX_BLOCKS)
    });
    overlaps(params, launches, &mut facts);
    let said = match launches {
        few if few.len() <= MAX_ALTERNATIVES => said_by_all(params, few, &facts),
        _ => BTreeSet::new(),
    };
    facts.keep_distances(&said);
    for (param, passed) in launches.iter().flat_map(|launch| params.iter().zip(&launch.objects)) {
        facts.untold.extend(passed.untold.iter().map(|path| format!("{}.{path}", param.name)));
    }
    facts.computed = computed(params, launches);
    facts.unfollowed = launches.iter().flat_map(|launch| unfollowed(params, launch)).collect();
    let mut converted = Vec::new();
    let mut alternatives: Vec<Vec<B>> = Vec::new();
    let mut stays = Vec::new();
    for launch in launches {
        let said = relations(params, launch, &facts, &mut converted);
        let more = staying(params, launch, &facts);
        let named = more.iter().filter(|r| !said.contains(r)).flat_map(free_vars_b);
        facts.staying.extend(named.map(|v| name_in_text(&v)));
        stays.push(B::and(more));
        if !alternatives.contains(&said) {
            alternatives.push(said);
        }
    }
    facts.stays = (!facts.staying.is_empty() && launches.len() <= MAX_ALTERNATIVES).then(|| B::or(stays));
    let fits = |condition: &B| {
        let vars = free_vars_b(condition);
        let names = converted.iter().unique().filter(|name| vars.iter().any(|v| v.name == **name)).join("`, `");
        if names.is_empty() { names } else { format!(", where what is given for `{names}` fits its type") }
    };
    match alternatives.as_slice() {
        [only] => {
            for condition in only {
                let words =
                    format!("{} ({}{})", words(params, condition, &facts.overlaps), facts.place, fits(condition));
                facts.conditions.push((condition.clone(), words));
            }
        }
        [] => {}
        several => {
            facts.by_launch.extend(several.iter().cloned());
            // What all of them say is no choice.
            let in_all = |c: &B| several.iter().all(|a| a.contains(c));
            let common = several[0].iter().filter(|c| in_all(c)).unique_by(|c| plain(c)).cloned();
            let rest = several.iter().map(|a| B::and(a.iter().filter(|c| !in_all(c)).cloned()));
            let choice = (several.len() <= MAX_ALTERNATIVES).then(|| B::or(rest));
            for condition in common.chain(choice).filter(|c| c.as_lit().is_none()) {
                let words =
                    format!("{} ({}{})", words(params, &condition, &facts.overlaps), facts.place, fits(&condition));
                facts.conditions.push((condition, words));
            }
        }
    }
    facts
}

/// The globals that all launches compute in ways that are not followed, where they give no constant. [HOST-COMPUTED]
fn computed(params: &[VarDecl], launches: &[&HostLaunch]) -> BTreeMap<String, Vec<i128>> {
    let mut found: BTreeMap<String, Vec<i128>> = BTreeMap::new();
    // Constants; where something else is given, `None` if it may be anything.
    let in_all = |of: &dyn Fn(&HostLaunch) -> Said| {
        let known: Vec<(bool, Option<Vec<i128>>)> = launches.iter().map(|launch| of(launch)).collect();
        let any = known.iter().any(|(is_constant, _)| !is_constant);
        let all: Option<Vec<Vec<i128>>> = known.into_iter().map(|(_, first)| first).collect();
        all.filter(|_| any).map(|all| all.concat())
    };
    let of = |n: Option<&N>, made: bool, launch: &HostLaunch| match n.map(|n| (n, n.as_num(), n.as_var())) {
        Some((_, Some(number), _)) => (true, Some(vec![number])),
        Some((_, None, Some(var))) => (false, launch.computed.get(var.name.as_str()).cloned()),
        Some((_, None, None)) => (false, None),
        None => (false, made.then(Vec::new)),
    };
    for (i, param) in params.iter().enumerate().filter(|(_, p)| matches!(p.ty, Type::Int(_))) {
        let given = |l: &HostLaunch| of(l.args.get(i).and_then(|a| Some(&a.as_ref()?.0)), l.made.args.contains(&i), l);
        found.extend(in_all(&given).map(|first| (param.name.to_string(), first)));
    }
    for (i, param) in params.iter().enumerate() {
        let Type::Struct(class) = &param.ty else { continue };
        for path in integers_of(class) {
            let value = |l: &HostLaunch| {
                let parts = l.objects.get(i).filter(|o| is_of(o, class)).map_or(&[][..], |o| &o.parts);
                parts.iter().find(|(own, _)| *own == path).map(|(_, value)| value.clone())
            };
            let given = |l: &HostLaunch| of(value(l).as_ref(), l.made.objects.contains(&i), l);
            found.extend(in_all(&given).map(|first| (format!("{}.{path}", param.name), first)));
        }
    }
    // The sizes of a block that a function is given by callers which are not there.
    let is_given =
        |n: Option<&N>, l: &HostLaunch| n.and_then(N::as_var).is_some_and(|v| l.sizes.contains(v.name.as_str()));
    let of_block = |axis: usize, l: &HostLaunch| match of(l.block[axis].as_ref(), l.made.block && axis == 0, l) {
        (false, None) if is_given(l.block[axis].as_ref(), l) => (false, Some(Vec::new())),
        known => known,
    };
    let block = in_all(&|l| of_block(0, l));
    for (axis, name) in [(1, "blockDim.y"), (2, "blockDim.z")] {
        let given = launches.iter().all(|l| is_given(l.block[axis].as_ref(), l)) && !launches.is_empty();
        found.extend(given.then(|| (name.to_owned(), Vec::new())));
    }
    let grid = in_all(&|l| of(l.grid[0].as_ref(), l.made.grid, l));
    found.extend(block.map(|first| ("blockDim.x".to_owned(), first)));
    found.extend(grid.map(|first| ("gridDim.x".to_owned(), first)));
    let own = launches.iter().flat_map(|l| &l.computed);
    found.extend(own.map(|(name, first)| (format!("{name}{OF_HOST}"), first.clone())));
    found
}

/// The fields of objects that a launch computes in ways that are not followed.
fn unfollowed(params: &[VarDecl], launch: &HostLaunch) -> Vec<String> {
    let mut found = Vec::new();
    for (i, param) in params.iter().enumerate() {
        let (Type::Struct(class), Some(given)) = (&param.ty, launch.objects.get(i)) else { continue };
        for path in integers_of(class) {
            let value = given.parts.iter().find(|(own, _)| is_of(given, class) && *own == path).map(|(_, value)| value);
            let is_unfollowed = match value {
                Some(value) => free_vars_n(value).iter().any(|v| launch.computed.contains_key(v.name.as_str())),
                None => launch.made.objects.contains(&i) || given.untold.contains(&path),
            };
            let is_unfollowed = is_unfollowed || is_of(given, class) && given.doubtful.contains(&path);
            found.extend(is_unfollowed.then(|| format!("{}.{path}", param.name)));
        }
    }
    found
}

/// What a launch says where numbers stay as they are that only code which is not followed may change. [HOST-STAYS]
fn staying(params: &[VarDecl], launch: &HostLaunch, known: &HostFacts) -> Vec<B> {
    let mut launch = launch.clone();
    launch.facts.append(&mut launch.stays);
    relations(params, &launch, known, &mut Vec::new())
}

/// The name of a variable of the host, whichever of its values this is.
fn name_in_text(var: &Var) -> String {
    let own = var.name.as_str().trim_end_matches(OF_HOST);
    own.split_once('#').map_or(own, |(name, _)| name).to_owned()
}

/// The constant that all of these are.
fn common<'a>(mut values: impl Iterator<Item = Option<&'a N>>) -> Option<i128> {
    let first = values.next()??.as_num()?;
    values.all(|v| v.and_then(N::as_num) == Some(first)).then_some(first)
}

/// What one launch says, beyond the constants that all of them have in common. A parameter that may be of another type than
/// the variable that is given for it goes to `converted`.
fn relations(params: &[VarDecl], launch: &HostLaunch, known: &HostFacts, converted: &mut Vec<Name>) -> Vec<B> {
    let mut of_kernel: Vec<Var> = Vec::new();
    let mut subst = Subst::new();
    let mut bound: Vec<Var> = Vec::new();
    let mut relations: Vec<B> = Vec::new();
    for (param, arg) in params.iter().zip(&launch.args) {
        let (Type::Int(ty), Some((arg, arg_ty))) = (&param.ty, arg) else { continue };
        // What is given may not fit a small parameter.
        if known.params.contains_key(param.name.as_str()) || ty.bits < 32 {
            continue;
        }
        let var = Var { name: param.name.clone(), ty: *ty };
        of_kernel.push(var.clone());
        let arg = renamed(launch).numeric(arg);
        match arg.as_var().filter(|v| !bound.contains(v)) {
            Some(host) => {
                if host.ty != *ty {
                    converted.push(param.name.clone());
                }
                bound.push(host.clone());
                subst.bind(&host.name, &N::var(&var));
            }
            None => {
                if arg_ty.is_none_or(|arg_ty| arg_ty != *ty) && !arg.as_num().is_some_and(|n| ty.contains(n)) {
                    converted.push(param.name.clone());
                }
                relations.push(N::var(&var).eq(&arg));
            }
        }
    }
    for (what, sizes, fixed) in [("blockDim", &launch.block, known.block), ("gridDim", &launch.grid, known.grid)] {
        for axis in 0..3 {
            if let (Some(size), None) = (&sizes[axis], fixed[axis]) {
                let var = Var::new(format!("{what}.{}", AXES[axis]).as_str(), IntTy::U32);
                of_kernel.push(var.clone());
                relations.push(N::var(&var).eq(&renamed(launch).numeric(size)));
            }
        }
    }
    for (axis, threads) in launch.global.iter().enumerate() {
        let Some(threads) = threads else { continue };
        let mut size = |what: &str, known: Option<i128>| match known {
            Some(n) => N::num(n),
            None => {
                let var = Var::new(format!("{what}.{}", AXES[axis]).as_str(), IntTy::U32);
                of_kernel.push(var.clone());
                N::var(&var)
            }
        };
        let (block, grid) = (size("blockDim", known.block[axis]), size("gridDim", known.grid[axis]));
        relations.push(N::bin(NBin::Mul, IntTy::MATH, &grid, &block).eq(&renamed(launch).numeric(threads)));
    }
    relations.extend(launch.facts.iter().map(|fact| renamed(launch).boolean(fact)));
    for (param, given) in params.iter().zip(&launch.objects) {
        if let Type::Struct(ty) = &param.ty {
            for (var, value) in parts_of(param, ty, given, launch) {
                of_kernel.push(var.clone());
                // A number of the host goes by the name of the field.
                match value.as_var().filter(|host| host.ty == var.ty && is_of_host(host) && !bound.contains(host)) {
                    Some(host) => {
                        bound.push(host.clone());
                        subst.bind(&host.name, &N::var(&var));
                    }
                    None => relations.push(N::var(&var).eq(&value)),
                }
            }
        }
    }
    relations.extend(distances(params, launch, known, &mut of_kernel));
    let mut relations: Vec<B> = relations.iter().map(|r| subst.boolean(r)).collect();
    for at in 0..relations.len() {
        let said = match relations[at].kind() {
            BExp::Rel(NRel::Eq, l, r) if l.as_var().is_some_and(|v| of_kernel.contains(v)) && multiplies(r) => {
                Some((r.clone(), l.clone()))
            }
            BExp::Rel(NRel::Eq, l, r) if r.as_var().is_some_and(|v| of_kernel.contains(v)) && multiplies(l) => {
                Some((l.clone(), r.clone()))
            }
            _ => None,
        };
        if let Some((product, name)) = said {
            let others = relations.iter_mut().enumerate().filter(|(i, _)| *i != at);
            others.for_each(|(_, relation)| *relation = named_in(relation, &product, &name));
        }
    }
    relations.retain(|r| r.as_lit().is_none());
    let mut relations = about_kernel(relations, &of_kernel);
    let mentioned: Vec<Var> = relations.iter().flat_map(free_vars_b).collect();
    // A size that is not followed says nothing, unless something else does of it.
    relations.retain(|relation| {
        let said = free_vars_b(relation);
        let alone = |v: &Var| {
            let own = v.name.as_str().trim_end_matches(OF_HOST);
            is_of_host(v) && !launch.computed.contains_key(own) && mentioned.iter().filter(|m| *m == v).count() == 1
        };
        let is_size = |v: &Var| ["blockDim.", "gridDim."].iter().any(|what| v.name.as_str().starts_with(what));
        let of_sizes = |n: &N| n.as_var().is_some() || free_vars_n(n).iter().all(is_size);
        let plain = matches!(relation.kind(), BExp::Rel(NRel::Eq, l, r) if of_sizes(l) && r.as_var().is_some());
        !(plain && said.iter().any(alone))
    });
    relations.extend(overlapping(params, launch, known));
    relations
}

/// Which of the pointers that may overlap do so at this launch, and which do not. [HOST-WHICH]
fn overlapping(params: &[VarDecl], launch: &HostLaunch, known: &HostFacts) -> Vec<B> {
    let own = shared(params, launch);
    let first = |name: &String| known.aliases.get(name).map_or(name, |(first, _)| first).clone();
    let pairs = known.overlaps.iter().flat_map(|(later, all)| all.keys().map(move |earlier| (later, earlier)));
    let said = pairs.filter_map(|(later, earlier)| {
        let given: Vec<bool> = own
            .iter()
            .filter(|((a, b), _)| {
                let (a, b) = (first(a), first(b));
                (&a, &b) == (later, earlier) || (&b, &a) == (later, earlier)
            })
            .map(|(_, (_, sure))| *sure)
            .collect();
        let overlap = is_overlap(later, earlier);
        match given.as_slice() {
            [] => Some(B::not(&overlap)),
            [true] => Some(overlap),
            _ => None,
        }
    });
    said.collect()
}

/// A condition where what the host computes for the kernel goes by the name that the kernel has for it.
fn named_in(condition: &B, product: &N, name: &N) -> B {
    let inner = |part: &B| named_in(part, product, name);
    match condition.kind() {
        BExp::Lit(_) => condition.clone(),
        BExp::Rel(op, l, r) => B::rel(*op, &number_named_in(l, product, name), &number_named_in(r, product, name)),
        BExp::And(parts) => B::and(parts.iter().map(inner).collect::<Vec<_>>()),
        BExp::Or(parts) => B::or(parts.iter().map(inner).collect::<Vec<_>>()),
        BExp::Not(part) => B::not(&inner(part)),
    }
}

fn number_named_in(term: &N, product: &N, name: &N) -> N {
    if term == product {
        return name.clone();
    }
    let inner = |part: &N| number_named_in(part, product, name);
    match term.kind() {
        NExp::Bin(op, ty, l, r) => N::bin(*op, *ty, &inner(l), &inner(r)),
        NExp::If(c, t, e) => N::ite(&named_in(c, product, name), &inner(t), &inner(e)),
        NExp::Cast(ty, part) => N::cast(*ty, &inner(part)),
        _ => term.clone(),
    }
}

fn type_of(launch: &HostLaunch, name: &str) -> IntTy {
    launch.types.get(&Name::new(name)).copied().unwrap_or(IntTy::I64)
}

/// Variables of the host have names and types of their own.
fn renamed(launch: &HostLaunch) -> Subst<'static> {
    let mut rename = Subst::new();
    for name in &launch.symbols {
        let var = Var { name: Name::new(format!("{name}{OF_HOST}")), ty: type_of(launch, name) };
        rename.bind(&Name::new(name.as_str()), &N::var(&var));
    }
    rename
}

/// The fields of an object that a kernel is given by value are those of the parameter.
fn parts_of(param: &VarDecl, ty: &StructTy, given: &ObjectParts, launch: &HostLaunch) -> Vec<(Var, N)> {
    // What a conversion makes of an object of another class is not known.
    let parts = given.parts.iter().filter(|_| is_of(given, ty));
    let named = parts.filter_map(|(path, value)| {
        let var = Var::new(format!("{}.{path}", param.name).as_str(), part_of(ty, path)?);
        Some((var, renamed(launch).numeric(value)))
    });
    named.collect()
}

/// Is an object of this class, as far as the names say?
fn is_of(given: &ObjectParts, class: &StructTy) -> bool {
    fn base(name: &str) -> &str {
        let name = name.split('<').next().unwrap_or(name).trim();
        name.rsplit([':', ' ']).next().unwrap_or(name)
    }
    base(&given.class) == base(&class.name)
}

/// The paths of the integers in an object, of which there are not many.
fn integers_of(class: &StructTy) -> Vec<String> {
    const MOST: usize = 128;
    fn add(ty: &Type, path: String, out: &mut Vec<String>) {
        match ty {
            _ if out.len() > MOST => {}
            Type::Int(_) => out.push(path),
            Type::Struct(class) => class.fields.iter().for_each(|f| add(&f.ty, format!("{path}.{}", f.name), out)),
            Type::Array(elem, Some(length)) => {
                (0..*length.min(&256)).for_each(|i| add(elem, format!("{path}[{i}]"), out))
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    class.fields.iter().for_each(|f| add(&f.ty, f.name.to_string(), &mut found));
    if found.len() > MOST { Vec::new() } else { found }
}

/// The integer at a path in an object: `n`, `q.n`, `st[0]`.
fn part_of(class: &StructTy, path: &str) -> Option<IntTy> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, mut rest) = path.split_at(end);
    let mut ty = &class.fields.iter().find(|f| *f.name == *name)?.ty;
    while let (Type::Array(elem, Some(length)), Some((index, after))) =
        (ty, rest.strip_prefix('[').and_then(|r| r.split_once(']')))
    {
        index.parse().ok().filter(|i: &u64| i < length)?;
        (ty, rest) = (&**elem, after);
    }
    match (ty, rest.strip_prefix('.')) {
        (Type::Int(int), None) => rest.is_empty().then_some(*int),
        (Type::Struct(inner), Some(path)) => part_of(inner, path),
        _ => None,
    }
}

/// The relations that say something of the kernel: of its own variables, or of variables of the host that it shares with
/// relations that do.
fn about_kernel(relations: Vec<B>, of_kernel: &[Var]) -> Vec<B> {
    let mentioned: Vec<_> = relations.iter().map(free_vars_b).collect();
    let mut linked: BTreeSet<&Var> = of_kernel.iter().collect();
    loop {
        let before = linked.len();
        for vars in &mentioned {
            if vars.iter().any(|v| linked.contains(v)) {
                linked.extend(vars);
            }
        }
        if linked.len() == before {
            break;
        }
    }
    let about = relations.iter().zip(&mentioned).filter(|(_, vars)| vars.iter().any(|v| linked.contains(v)));
    about.map(|(relation, _)| relation.clone()).collect()
}

/// Is this a variable of the host, which the kernel does not have?
pub fn is_of_host(var: &Var) -> bool {
    var.name.is_of_host()
}

/// A condition as the report lists it: a variable of the host that has the name of a parameter is told from it.
fn words(params: &[VarDecl], condition: &B, overlaps: &BTreeMap<String, BTreeMap<String, Behind>>) -> String {
    let mut text = match powers_of_two(condition) {
        Some((value, from)) => {
            let zero = if from == 0 { "0 or " } else { "" };
            format!("{value} is {zero}a power of two")
        }
        None => plain(condition),
    };
    text = text.replace('`', "");
    for (later, earlier) in overlaps.iter().flat_map(|(later, all)| all.keys().map(move |e| (later, e))) {
        for (fact, said) in [
            (is_overlap(later, earlier), format!("{later} points into {earlier}")),
            (B::not(&is_overlap(later, earlier)), format!("{later} is apart from {earlier}")),
        ] {
            text = text.replace(plain(&fact).replace('`', "").as_str(), &said);
        }
    }
    for var in free_vars_b(condition).iter().filter(|v| is_of_host(v)) {
        let own = var.name.as_str().trim_end_matches(OF_HOST);
        let told = match own.split_once('#') {
            // It is changed between there and the launch.
            Some((name, "2")) => format!("{name} (an earlier value)"),
            Some((name, n)) => format!("{name} (earlier value {n})"),
            None if params.iter().any(|p| p.name.as_str() == own) => format!("{own}'"),
            None => own.to_owned(),
        };
        text = text.replace(var.name.as_str(), &told);
    }
    text
}

/// The number that a condition says to be one of many powers of two, and whether 0 is one of the choices.
pub(super) fn powers_of_two(condition: &B) -> Option<(&N, i128)> {
    let BExp::Or(parts) = condition.kind() else { return None };
    let choice = |part: &'_ B| match part.kind() {
        BExp::Rel(NRel::Eq, value, number) => number.as_num().map(|n| (value.clone(), n)),
        _ => None,
    };
    let choices: Vec<(N, i128)> = parts.iter().map(choice).collect::<Option<_>>()?;
    let BExp::Rel(NRel::Eq, value, _) = parts.first()?.kind() else { return None };
    let from = choices[0].1;
    let powers = choices.iter().skip(usize::from(from == 0)).enumerate().all(|(k, (_, n))| *n == 1 << k);
    (choices.len() > 16 && powers && choices.iter().all(|(v, _)| v == value)).then_some((value, from))
}

/// What a kernel is given as its parameter or in one, and how far behind the start of the parameter.
fn given_type<'p>(params: &'p [VarDecl], (at, field): &Given) -> Option<(&'p Type, u64)> {
    let (mut part, mut offset) = (&params.get(*at)?.ty, 0);
    for name in field.iter().flat_map(|path| path.split('.')) {
        let Type::Struct(class) = part else { return None };
        let field = class.field(name)?;
        (part, offset) = (&field.ty, offset + field.offset);
    }
    Some((part, offset))
}

/// The name of a pointer that a kernel is given, as its parameter or in one.
fn name_of(params: &[VarDecl], given: &Given) -> Option<String> {
    let param = params.get(given.0)?;
    match (&given.1, given_type(params, given)?.0) {
        (None, Type::Ptr(_)) => Some(param.name.to_string()),
        // The view of a tensor.
        (None, Type::Struct(class)) => {
            let view = class.field("data_").filter(|f| f.ty.element().is_some_and(has_open_rows));
            view.map(|_| format!("{}.data_", param.name))
        }
        (Some(path), Type::Ptr(_)) => Some(format!("{}.{path}", param.name)),
        _ => None,
    }
}

/// Two pointers by their names, the one that the kernel has first as the earlier one, and how far apart they are.
fn named_pair(params: &[VarDecl], overlap: &Overlap) -> Option<(String, String, Option<N>)> {
    let (later, earlier) = (name_of(params, &overlap.later)?, name_of(params, &overlap.earlier)?);
    let by = if overlap.at_start() { Some(N::num(0)) } else { distance(params, overlap).cloned() };
    let at = |given: &Given| Some((given.0, given_type(params, given)?.1));
    if at(&overlap.later) >= at(&overlap.earlier) {
        return Some((later, earlier, by));
    }
    Some((earlier, later, by.map(|by| N::sub(IntTy::MATH, &N::num(0), &by))))
}

/// Where a parameter, or a field of one, is among all of them.
fn position(params: &[VarDecl], name: &str) -> Option<(usize, u64)> {
    let at = params.iter().position(|p| name == p.name.as_str() || is_field_of(name, p))?;
    let path = name[params[at].name.as_str().len()..].strip_prefix('.').map(str::to_owned);
    Some((at, given_type(params, &(at, path))?.1))
}

/// Pairs of pointers that a launch gives one array, with where the later one is, and whether that is sure.
type Shared = BTreeMap<(String, String), (Behind, bool)>;

fn shared(params: &[VarDecl], launch: &HostLaunch) -> Shared {
    let mut found = Shared::new();
    for (j, later) in params.iter().enumerate() {
        let (Type::Ptr(_), Some(Some((variable, plain)))) = (&later.ty, launch.pointers.get(j)) else { continue };
        for (i, earlier) in params.iter().enumerate().take(j) {
            if let (Type::Ptr(_), Some(Some((other, also_plain)))) = (&earlier.ty, launch.pointers.get(i))
                && other == variable
            {
                let behind = if *plain && *also_plain { Behind::Start } else { Behind::Unknown };
                found.insert((later.name.to_string(), earlier.name.to_string()), (behind, true));
            }
        }
    }
    // The kernel says that they are not one. [HOST-RESTRICT]
    let is_restrict = |(at, field): &Given| field.is_none() && params.get(*at).is_some_and(|p| p.restrict);
    let is_open = |o: &&Overlap| o.sure || o.shown || !is_restrict(&o.later) || !is_restrict(&o.earlier);
    for overlap in launch.overlaps.iter().filter(is_open) {
        if let Some((later, earlier, by)) = named_pair(params, overlap)
            && later != earlier
        {
            let behind = by.map(|by| if by.as_num() == Some(0) { Behind::Start } else { Behind::Said });
            let known = found.entry((later, earlier)).or_insert((Behind::Unknown, overlap.sure));
            known.0 = behind.unwrap_or(known.0);
        }
    }
    found
}

/// What all launches give one array are aliases; what some do may overlap. [HOST-OVERLAP]
fn overlaps(params: &[VarDecl], launches: &[&HostLaunch], facts: &mut HostFacts) {
    let each: Vec<Shared> = launches.iter().map(|launch| shared(params, launch)).collect();
    let pairs: Vec<&(String, String)> = each.iter().flat_map(Shared::keys).unique().collect();
    let behind = |pair: &(String, String)| each.iter().filter_map(|found| found.get(pair)).map(|(b, _)| *b).max();
    let position = |name: &str| position(params, name);
    for pair @ (later, earlier) in pairs.iter().sorted_by_key(|(later, earlier)| (position(later), position(earlier))) {
        let sure = each.iter().all(|found| found.get(pair).is_some_and(|(_, sure)| *sure));
        if sure && !facts.aliases.contains_key(later) {
            // What an alias points to is known by the first name.
            let (first, before) = match facts.aliases.get(earlier) {
                Some((first, before)) => (first.clone(), *before),
                None => (earlier.clone(), Behind::Start),
            };
            facts.aliases.insert(later.clone(), (first, before.max(behind(pair).unwrap_or(Behind::Unknown))));
        }
    }
    for pair @ (later, earlier) in pairs {
        let of = |name: &String| facts.aliases.get(name).cloned().unwrap_or((name.clone(), Behind::Start));
        let ((a, one), (b, two)) = (of(later), of(earlier));
        if a == b {
            continue;
        }
        let behind = behind(pair).unwrap_or(Behind::Unknown).max(one).max(two);
        let (later, earlier) = if position(&a) >= position(&b) { (a, b) } else { (b, a) };
        let known = facts.overlaps.entry(later).or_default().entry(earlier).or_insert(behind);
        *known = behind.max(*known);
    }
}

/// How far apart two parameters are that point to numbers of one size; objects may be converted to others.
fn distance<'l>(params: &[VarDecl], overlap: &'l Overlap) -> Option<&'l N> {
    let number = |at: &Given| {
        let element = given_type(params, at)?.0.element()?;
        matches!(element, Type::Int(_) | Type::Float(_)).then(|| element.clone())
    };
    overlap
        .by
        .as_ref()
        .filter(|_| number(&overlap.later).is_some() && number(&overlap.later) == number(&overlap.earlier))
}

fn is_field_of(name: &str, param: &VarDecl) -> bool {
    name.strip_prefix(param.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
}

/// How far a pointer is behind the start of the array that it points into with another one: the variable that the kernel
/// has for it, or 0.
fn offset(later: &str, earlier: &str, known: &HostFacts) -> Option<N> {
    let (behind, name) = match known.aliases.get(later) {
        Some((first, behind)) if first == earlier => (*behind, alias_offset(later)),
        _ => (*known.overlaps.get(later)?.get(earlier)?, overlap_offset(later, earlier)),
    };
    match behind {
        Behind::Start => Some(N::num(0)),
        Behind::Said => Some(N::var(&Var::new(name.as_str(), IntTy::I64))),
        Behind::Unknown => None,
    }
}

/// The distances of pointers that each launch says something of.
fn said_by_all(params: &[VarDecl], launches: &[&HostLaunch], known: &HostFacts) -> BTreeSet<Name> {
    let said = launches.iter().map(|launch| {
        let relations = distances(params, launch, known, &mut Vec::new());
        relations.iter().flat_map(free_vars_b).map(|v| v.name.clone()).collect::<BTreeSet<Name>>()
    });
    said.reduce(|all, one| &all & &one).unwrap_or_default()
}

/// What the host says of the distances of pointers into one array.
fn distances(params: &[VarDecl], launch: &HostLaunch, known: &HostFacts, of_kernel: &mut Vec<Var>) -> Vec<B> {
    let mut found = Vec::new();
    for overlap in &launch.overlaps {
        let Some((later, earlier, Some(by))) = named_pair(params, overlap) else { continue };
        let (later, earlier) = (later.as_str(), earlier.as_str());
        // What an alias points to is known by the first name.
        let first = known.aliases.get(earlier).map(|(first, _)| first.as_str());
        let before = first.map_or(Some(N::num(0)), |first| offset(earlier, first, known));
        let (Some(own), Some(before)) = (offset(later, first.unwrap_or(earlier), known), before) else { continue };
        of_kernel.extend([&own, &before].into_iter().filter_map(|n| n.as_var().cloned()));
        found.push(own.eq(&N::add(IntTy::MATH, &before, &renamed(launch).numeric(&by))));
    }
    found
}
