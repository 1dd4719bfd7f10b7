//! Inference: one symbolic walk of a kernel, as one arbitrary thread runs it, that emits its protocol.
//!
//! The walk carries a state (private memory as terms, versions of arrays), emits accesses and barriers as it meets them,
//! and logs as a loss whatever it could not model, with what that may touch. A kernel is race-free only when no loss
//! touches memory. See `protocol-spec/08-inference.md`.

mod address;
mod background;
mod call;
mod copies;
mod expr;
mod finish;
mod found;
mod last;
mod leaves;
mod loops;
mod order;
mod room;
mod settled;
mod state;
mod stmt;
mod tables;
mod tickets;
mod tiles;
mod value;
mod votes;

pub use found::APART;
pub use loops::{upper_bounds, with_bounds};

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use settled::{Contents, Settlement};
use state::{Cells, State};
use value::{ObjId, Offset, Pointer, Value};

use crate::base::{FreshNames, Name, Span};
use crate::core::{Access, Kernel, Mode, Protocol, SiteId, Space};
use crate::exp::syntax::work_done;
use crate::exp::{B, BExp, Fun, FunKind, IntTy, Interval, N, NBin, NRel, Ranges, Var, free_vars_b, free_vars_n};
use crate::kernel::ir::{Expr, FunId, Function, GlobalId, Program, Storage, VarId};
use crate::kernel::types::Type;
use crate::kernel::visit::{Axes, results_not_used};

/// The launch that a kernel is analysed for; `None` is symbolic.
#[derive(Clone, Debug)]
pub struct Config {
    pub block: [Option<i128>; 3],
    pub grid: [Option<i128>; 3],
    /// Blocks of a cluster, when the kernel says so.
    pub cluster: Option<[Option<i128>; 3]>,
    /// Symbolic axes, of blocks and of the grid, that are taken as 1 where the kernel never reads them.
    pub may_be_one: [[bool; 3]; 2],
    /// Nothing says how large blocks are, and nothing launches the kernel.
    pub unlaunched: bool,
    pub params: BTreeMap<String, i128>,
    pub warp_size: i128,
    /// Threads of a warp run in lock-step: one may write what another reads, and not race with it.
    pub lockstep: bool,
    /// Threads that a block has at most.
    pub max_threads: i128,
    /// OpenCL: how large an axis may be is not said by the hardware. [LAUNCH-LIMITS]
    pub any_hardware: bool,
    /// A launch of unknown size may have 2^28 threads along an axis, and more.
    pub large_grids: bool,
    /// Pointer parameters that point into the array of an earlier one, and where in it.
    pub aliases: BTreeMap<String, (String, Behind)>,
    /// Pointers that may point into the array of an earlier one, and where in it.
    pub overlaps: BTreeMap<String, BTreeMap<String, Behind>>,
    /// Are shared and global arrays checked for races, all of them and of all threads that share them? What is read after a
    /// barrier rests on there being none.
    pub settles: [bool; 2],
    /// Assumptions of the source that are not used.
    pub left_out: Vec<Span>,
    /// How many statements and expressions may be walked before the kernel is given up as too large.
    pub steps: usize,
}

/// Where in an array a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Behind {
    Start,
    /// To an element of which conditions say something, by a variable.
    Said,
    Unknown,
}

/// The name for the elements between a pointer and the start of the array that it surely points into.
pub fn alias_offset(pointer: &str) -> String {
    format!("{pointer}.offset")
}

/// Begins the names of functions that say whether two pointers are into one array.
pub const OVERLAP: &str = "overlap.";

/// That a pointer does point into the array of another one, where it may: the same for all threads.
pub fn is_overlap(pointer: &str, other: &str) -> B {
    let name = Name::new(format!("{OVERLAP}{pointer}.{other}"));
    let fun = Fun { name, ty: IntTy::BOOL, kind: FunKind::Abstract };
    N::call(fun, vec![]).truth()
}

/// The same for one that may point into that of another.
pub fn overlap_offset(pointer: &str, other: &str) -> String {
    format!("{pointer}.offset.{other}")
}

/// What a loss may touch.
#[derive(Clone, Debug, PartialEq)]
pub enum Touches {
    /// A value only: it is unknown from here on.
    Value,
    Array(Name),
    Everything,
}

/// Something that could not be modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    pub code: &'static str,
    pub text: String,
    pub span: Span,
    pub touches: Touches,
}

/// Where an access comes from: the place, and the calls that lead to it, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    pub span: Span,
    pub calls: Vec<Span>,
}

/// The result of inference.
#[derive(Clone)]
pub struct Inferred {
    pub kernel: Kernel<Protocol>,
    pub sites: Vec<Site>,
    /// Those that fences and atomic operations may order with accesses of other threads.
    pub ordered: BTreeSet<SiteId>,
    /// How many calls of functions that are not known come before each; `None` where that differs. [INF-UNKNOWN]
    pub calls: BTreeMap<SiteId, Option<usize>>,
    /// What blocks of unknown size fulfil, if what their threads access by their positions is within its array; and do all
    /// threads come there?
    pub room: Vec<(B, bool)>,
    pub losses: Vec<Loss>,
    /// What the protocol rests on, in words.
    pub assumptions: Vec<String>,
    /// The assumptions of the source that are used.
    pub assumed: Vec<Span>,
    /// The axes taken as 1 because nothing reads them.
    pub block: [Option<i128>; 3],
    pub grid: [Option<i128>; 3],
}

/// An array, a private variable or a read-only object.
struct Object {
    name: Name,
    /// The same as part of a name of a function; no two arrays have one.
    symbol: String,
    kind: ObjectKind,
    ty: Type,
    /// How long its dimensions are, from the outermost one, where the type does not say it. [INF-OPEN-LENGTH]
    lengths: Option<Vec<N>>,
    /// Is it what a parameter of the kernel points to?
    given: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ObjectKind {
    Private,
    Array(Space),
    /// Nobody writes it while the kernel runs.
    Constant,
}

/// One access as it was emitted: where, and the shape of its offset (strides, constant and width in bytes).
struct Event {
    site: SiteId,
    strides: Vec<u64>,
    constant: i128,
    width: u64,
    /// The types of unknown size of the steps, and of what is accessed.
    unknown_size: [Option<Arc<str>>; 2],
    known_size: bool,
    flat: bool,
}

struct Frame {
    function: FunId,
    vars: FxHashMap<VarId, ObjId>,
    result: ObjId,
}

/// The walk.
pub struct Walk<'p> {
    program: &'p Program,
    objects: Vec<Object>,
    globals: FxHashMap<GlobalId, ObjId>,
    /// `__shared__` variables of functions: one object each, whatever the call.
    statics: FxHashMap<(FunId, Span), ObjId>,
    dynamic_shared: Option<ObjId>,
    state: State,
    frames: Vec<Frame>,
    /// The protocol emitted so far by the innermost open construct.
    out: Vec<Protocol>,
    events: Vec<Event>,
    sites: IndexMap<Site, SiteId>,
    order: order::Order,
    room: Vec<(B, bool)>,
    calls: Vec<Span>,
    losses: Vec<Loss>,
    assumptions: Vec<String>,
    assumed: Vec<Span>,
    pair_facts: Vec<B>,
    pre: Vec<B>,
    names: FreshNames,
    counters: Vec<N>,
    /// Conditions that hold here.
    path: Vec<B>,
    /// Conditions that hold everywhere from here on.
    facts: Vec<B>,
    ranges: Ranges,
    globals_vars: Vec<Var>,
    threads: Vec<(Var, N)>,
    blocks: Vec<(Var, N)>,
    block_dim: [N; 3],
    grid_dim: [N; 3],
    /// Blocks of a cluster; 1 where there are no clusters.
    cluster_dim: [N; 3],
    /// The first halves of barriers, as they stand in what is emitted, and which barriers in memory they are of.
    arrivals: Vec<(SiteId, Span, Option<background::Place>)>,
    /// Marks of fences, and atomic operations that count. [INF-LAST]
    fences: BTreeSet<SiteId>,
    counts: Vec<last::Count>,
    /// Private objects whose address was taken.
    escaped: BTreeSet<ObjId>,
    /// Parameters with tables of pointers, which only are read.
    tables: BTreeSet<ObjId>,
    holes: Vec<Value>,
    /// Which array a function of contents stands for.
    contents: FxHashMap<Name, Contents>,
    /// What arrays hold after barriers, by the function that identifies the phase.
    settled: FxHashMap<Name, Settlement>,
    /// Expressions with whose values nothing is done.
    unused: FxHashSet<*const Expr>,
    /// Is something done with what an atomic operation on global memory returns?
    draws: bool,
    settles: [bool; 2],
    lockstep: bool,
    /// What atomic operations do to arrays.
    atomics: BTreeMap<ObjId, BTreeSet<tickets::Use>>,
    /// What is known of counters of a block. [INF-TICKET-ONCE]
    counters_of_blocks: tickets::Counters,
    /// Votes of warps so far.
    votes: Vec<votes::Vote>,
    /// What the pointers that were found in arrays point to.
    found: Vec<found::Found>,
    /// What work-groups copy in the background here.
    copies: Vec<copies::Copy>,
    /// What threads copy in the background.
    background: background::Background,
    warp_size: i128,
    /// What may still be walked, and how far the work on terms may go.
    steps: usize,
    left_out: Vec<Span>,
    work: u64,
    unrolling: usize,
    /// How many loops without closed forms are within each other, of those just walked.
    open_nested: usize,
    /// Was a pointer stored to an element of a private array whose subscript is no constant?
    scattered: bool,
    /// Where the walk was given up: nothing is emitted from there on, and `finish` says that everything is lost.
    abandoned: Option<Span>,
}

/// How many terms may be made or visited for one kernel: about a second of work.
const MAX_WORK: u64 = 3_000_000;
/// Terms deeper than this are replaced by functions of their variables.
const MAX_DEPTH: u32 = 150;
/// More loops within each other are not followed; and of those that carry what has no closed form, whose values are functions of
/// the values of all loops around them, fewer.
const MAX_NESTED: usize = 50;
const MAX_OPEN_NESTED: usize = 8;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Hardware limits of CUDA: threads a block by axis and in all, blocks a grid by axis.
const MAX_BLOCK: [i128; 3] = [1024, 1024, 64];
const MAX_GRID: [i128; 3] = [2_147_483_647, 65_535, 65_535];
/// Blocks of a cluster, of any shape.
const MAX_CLUSTER: i128 = 16;

/// Threads along the first axis of a launch of unknown size, unless it is said that there may be more: few enough that an
/// `int` holds the number of a thread, also when each thread has up to eight elements.
pub const MAX_ALONG: i128 = (1 << 28) - 1024;
/// Blocks along that axis, where it is not known either how many threads they have: few enough that 32 bits hold the number of an element,
/// if each block has up to 1024. (Full blocks that are more than these have more threads than that.)
pub const MAX_BLOCKS: i128 = (1 << 22) - 1;

/// Infers the protocol of a kernel.
pub fn infer(program: &Program, kernel: FunId, config: &Config) -> Inferred {
    let mut used = Axes::of(program);
    let mut walk = Walk::new(program, config, &used);
    walk.run(kernel, config);
    // Blocks that draw tickets need not ask which they are.
    if walk.draws && !used.grid[0] && config.grid[0].is_none() && config.may_be_one[1][0] {
        used.grid[0] = true;
        walk = Walk::new(program, config, &used);
        walk.run(kernel, config);
    }
    finish::finish(walk, kernel, config, &used)
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, config: &Config, used: &Axes) -> Walk<'p> {
        let mut names = FreshNames::default();
        let mut ranges = Ranges::new();
        let mut globals_vars = Vec::new();
        let mut pre = Vec::new();
        let mut assumptions = program.granted.clone();
        let (max_block, max_grid) = match config.any_hardware {
            true => ([config.max_threads; 3], [i128::from(i32::MAX); 3]),
            false => (MAX_BLOCK, MAX_GRID),
        };
        let mut extent = |what: &str, axis: usize, given: Option<i128>, one: bool, limit: i128| -> N {
            match given {
                Some(n) => N::num(n),
                None if one => {
                    assumptions.push(format!("{what}.{} = 1: the kernel never reads this axis", AXES[axis]));
                    N::num(1)
                }
                None => {
                    let var = Var::new(format!("{what}.{}", AXES[axis]).as_str(), IntTy::U32);
                    names.reserve(var.name.as_str());
                    ranges.narrow(&var.name, Interval::new(1, limit));
                    pre.push(N::num(1).le(&N::var(&var)));
                    pre.push(N::var(&var).le(&N::num(limit)));
                    globals_vars.push(var.clone());
                    N::var(&var)
                }
            }
        };
        let one = [
            [0, 1, 2].map(|a| config.may_be_one[0][a] && !used.block[a]),
            [0, 1, 2].map(|a| config.may_be_one[1][a] && !used.grid[a]),
        ];
        let block_dim = [0, 1, 2].map(|a| extent("blockDim", a, config.block[a], one[0][a], max_block[a]));
        let grid_dim = [0, 1, 2].map(|a| extent("gridDim", a, config.grid[a], one[1][a], max_grid[a]));
        if block_dim.iter().any(|d| d.as_num().is_none()) {
            let volume = block_dim.iter().fold(N::num(1), |v, d| N::mul(IntTy::MATH, &v, d));
            pre.push(volume.le(&N::num(config.max_threads)));
            if config.any_hardware && used.block.contains(&true) {
                assumptions.push(format!("a work-group has at most {} work-items", config.max_threads));
            }
        }
        let cluster_dim = [0, 1, 2].map(|a| {
            let size = match (grid_dim[a].as_num(), config.cluster) {
                (Some(1), _) => Some(1),
                (_, Some(dims)) => dims[a],
                (_, None) => (!used.cluster).then_some(1),
            };
            let size = match size {
                Some(n) => N::num(n),
                None => {
                    let var = Var::new(format!("clusterDim.{}", AXES[a]).as_str(), IntTy::U32);
                    ranges.narrow(&var.name, Interval::new(1, MAX_CLUSTER));
                    pre.push(N::num(1).le(&N::var(&var)));
                    pre.push(N::var(&var).le(&N::num(MAX_CLUSTER)));
                    globals_vars.push(var.clone());
                    N::var(&var)
                }
            };
            // Otherwise the kernel cannot be launched.
            pre.push(N::bin(NBin::Rem, IntTy::MATH, &grid_dim[a], &size).eq(&N::num(0)));
            size
        });
        if let [Some(x), Some(y), Some(z)] = cluster_dim.each_ref().map(N::as_num)
            && x * y * z != 1
        {
            assumptions.push(format!("a cluster has ({x},{y},{z}) blocks (__cluster_dims__)"));
        }
        for axis in 0..3 {
            let (block, grid) = (&block_dim[axis], &grid_dim[axis]);
            // Of the other axes the hardware of CUDA says so.
            if config.large_grids
                || (axis > 0 && !config.any_hardware)
                || (block.as_num().is_some() && grid.as_num().is_some())
            {
                continue;
            }
            let threads = N::mul(IntTy::MATH, grid, block);
            let index = Var::new(format!("blockIdx.{}", AXES[axis]).as_str(), IntTy::U32);
            let before = N::mul(IntTy::MATH, &N::var(&index), block);
            pre.push(threads.le(&N::num(MAX_ALONG)));
            if grid.as_num().is_none() {
                pre.push(before.le(&N::num(MAX_ALONG - 1)));
            }
            let open = block.as_num().is_none() && grid.as_num().is_none();
            if open {
                pre.push(grid.le(&N::num(MAX_BLOCKS)));
                ranges.narrow(&Name::new(format!("gridDim.{}", AXES[axis])), Interval::new(1, MAX_BLOCKS));
            }
            if used.grid[axis] {
                let blocks = if open { "2^22 blocks and " } else { "" };
                assumptions.push(format!("fewer than {blocks}2^28 threads along {}", AXES[axis]));
            }
        }
        let mut coordinate = |what: &str, axis: usize, extent: &N| -> (Var, N) {
            let var = Var::new(format!("{what}.{}", AXES[axis]).as_str(), IntTy::U32);
            names.reserve(var.name.as_str());
            let hi = ranges.interval(extent).hi.map(|h| h - 1);
            ranges.narrow(&var.name, Interval { lo: Some(0), hi });
            (var, extent.clone())
        };
        let threads = (0..3).map(|a| coordinate("threadIdx", a, &block_dim[a])).collect();
        let blocks = (0..3).map(|a| coordinate("blockIdx", a, &grid_dim[a])).collect();
        Walk {
            program,
            objects: Vec::new(),
            globals: FxHashMap::default(),
            statics: FxHashMap::default(),
            dynamic_shared: None,
            state: State::start(),
            frames: Vec::new(),
            out: Vec::new(),
            events: Vec::new(),
            sites: IndexMap::new(),
            order: order::Order::default(),
            room: Vec::new(),
            calls: Vec::new(),
            losses: Vec::new(),
            assumed: Vec::new(),
            assumptions,
            pair_facts: Vec::new(),
            pre,
            names,
            counters: Vec::new(),
            path: Vec::new(),
            facts: Vec::new(),
            ranges,
            globals_vars,
            threads,
            blocks,
            block_dim,
            grid_dim,
            cluster_dim,
            arrivals: Vec::new(),
            escaped: BTreeSet::new(),
            tables: BTreeSet::new(),
            holes: Vec::new(),
            contents: FxHashMap::default(),
            settled: FxHashMap::default(),
            unused: results_not_used(program),
            draws: false,
            settles: config.settles.map(|checked| checked && !config.lockstep),
            lockstep: config.lockstep,
            atomics: BTreeMap::new(),
            counters_of_blocks: tickets::Counters::default(),
            votes: Vec::new(),
            found: Vec::new(),
            copies: Vec::new(),
            background: background::Background::default(),
            warp_size: config.warp_size,
            steps: config.steps,
            left_out: config.left_out.clone(),
            unrolling: 0,
            scattered: false,
            work: work_done().saturating_add(MAX_WORK),
            open_nested: 0,
            fences: BTreeSet::new(),
            counts: Vec::new(),
            abandoned: None,
        }
    }

    fn run(&mut self, kernel: FunId, config: &Config) {
        // All arrays are known before the walk, so that a loop can tell what it may change.
        for (i, function) in self.program.functions.iter().enumerate() {
            for (v, decl) in function.vars.iter().enumerate().skip(function.params) {
                if decl.storage == Storage::Shared {
                    self.static_object(FunId(i as u32), VarId(v as u32));
                }
            }
        }
        for i in 0..self.program.globals.len() {
            self.global_object(GlobalId(i as u32));
        }
        let function = self.function(kernel);
        let result = self.object("result", ObjectKind::Private, function.returns.clone());
        self.frames.push(Frame { function: kernel, vars: FxHashMap::default(), result });
        for (i, decl) in function.vars[..function.params].iter().enumerate() {
            if holds_tables(&decl.ty) {
                // [INF-TABLES] A store to it is a loss.
                let object = self.object(decl.name.as_str(), ObjectKind::Constant, decl.ty.clone());
                self.tables.insert(object);
                self.bind_var(VarId(i as u32), object);
                continue;
            }
            let object = self.object(decl.name.as_str(), ObjectKind::Private, decl.ty.clone());
            let rest = self.fresh_local("content");
            self.state.private.insert(object, Rc::new(Cells { cells: BTreeMap::new(), rest, open: true }));
            self.bind_var(VarId(i as u32), object);
            let mut parts = Vec::new();
            let by_value = value::scalars(&decl.ty, 0, 256, &mut parts);
            if by_value.is_none() {
                continue;
            }
            let names = part_names(&decl.ty, decl.name.as_str());
            for (offset, ty) in parts {
                let name = names.get(&offset).cloned().unwrap_or_else(|| format!("{}+{offset}", decl.name));
                let value = self.parameter(&name, &ty, decl.points_to, config);
                self.set_cell(object, offset, ty.size(), value);
            }
        }
        if let Some(body) = &function.body {
            self.stmts(body);
        }
    }

    /// The value of a (part of a) kernel parameter.
    fn parameter(&mut self, name: &str, ty: &Type, points_to: Storage, config: &Config) -> Value {
        match ty {
            Type::Ptr(target) if **target == Type::Fun => Value::Fun(Vec::new(), true),
            Type::Ptr(target) | Type::Ref(target) => {
                if let Some((other, behind)) = config.aliases.get(name)
                    && let Some(alias) = self.alias(&alias_offset(name), other, *behind, target)
                {
                    return Value::Ptr(alias);
                }
                let given = name;
                let name = self.array_name(name);
                let kind = match points_to {
                    Storage::Constant => ObjectKind::Constant,
                    Storage::Shared => ObjectKind::Array(Space::Shared),
                    Storage::Global | Storage::Private => ObjectKind::Array(Space::Global),
                };
                let object = self.object(name.as_str(), kind, (**target).clone());
                self.objects[object.0 as usize].given = true;
                let mut pointer = Pointer::to(object, Offset::start());
                // The host may give one pointer twice: all threads mean the same one. [HOST-OVERLAP]
                for (other, behind) in config.overlaps.get(given).into_iter().flatten() {
                    let offset = overlap_offset(given, other);
                    if let Some(alias) = self.alias(&offset, other, *behind, target) {
                        pointer = Pointer::choose(&is_overlap(given, other), &alias, &pointer);
                    }
                }
                Value::Ptr(pointer)
            }
            Type::Int(int) => {
                if let Some(value) = config.params.get(name) {
                    let value = int.wrap(*value);
                    self.assumptions.push(format!("{name} = {value}"));
                    return Value::Num(N::num(value));
                }
                let int = if *int == IntTy::BOOL { IntTy::BOOL } else { *int };
                let var = Var { name: self.names.fresh(name), ty: int };
                self.globals_vars.push(var.clone());
                Value::Num(N::var(&var))
            }
            _ => {
                let var = Var { name: self.names.fresh(name), ty: IntTy::OPAQUE };
                self.globals_vars.push(var.clone());
                Value::Num(N::var(&var))
            }
        }
    }

    /// A pointer into the array of an earlier parameter; where it points to is a variable of this name.
    fn alias(&mut self, name: &str, other: &str, behind: Behind, target: &Type) -> Option<Pointer> {
        let at = self.objects.iter().position(|o| o.name.as_str() == other && o.kind != ObjectKind::Private)?;
        let name = match behind {
            Behind::Start => return Some(Pointer::to(ObjId(at as u32), Offset::start())),
            Behind::Said | Behind::Unknown => self.names.fresh(name),
        };
        let elements = if behind == Behind::Said {
            let var = Var { name, ty: IntTy::I64 };
            self.globals_vars.push(var.clone());
            N::var(&var)
        } else {
            N::call(Fun { name, ty: IntTy::I64, kind: FunKind::Abstract }, vec![])
        };
        let offset = Offset::start().element(&elements, target.size(), target.unknown_unit());
        Some(Pointer::to(ObjId(at as u32), offset))
    }

    fn array_name(&mut self, name: &str) -> Name {
        let taken = |n: &str| self.objects.iter().any(|o| o.name.as_str() == n && o.kind != ObjectKind::Private);
        if !taken(name) {
            return Name::new(name);
        }
        let mut i = 1;
        loop {
            let candidate = format!("{name}#{i}");
            if !taken(&candidate) {
                return Name::new(candidate);
            }
            i += 1;
        }
    }

    fn function(&self, id: FunId) -> &'p Function {
        match self.program.functions.get(id.0 as usize) {
            Some(function) => function,
            None => crate::bug!("function {} is not in the program", id.0),
        }
    }

    fn frame(&self) -> &Frame {
        match self.frames.last() {
            Some(frame) => frame,
            None => crate::bug!("a statement outside of any function"),
        }
    }

    fn bind_var(&mut self, var: VarId, object: ObjId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.vars.insert(var, object);
        }
    }

    // ---- objects ----

    fn object(&mut self, name: &str, kind: ObjectKind, ty: Type) -> ObjId {
        let id = ObjId(self.objects.len() as u32);
        let mut symbol = clean(name);
        let is_array = |o: &Object| o.kind != ObjectKind::Private;
        if kind == ObjectKind::Private || self.objects.iter().any(|o| is_array(o) && o.symbol == symbol) {
            symbol.push_str(&format!("${}", id.0));
        }
        self.objects.push(Object { name: Name::new(name), symbol, kind, ty, lengths: None, given: false });
        id
    }

    /// The arrays that there are.
    fn arrays(&self) -> impl Iterator<Item = ObjId> {
        let all = (0..self.objects.len() as u32).map(ObjId);
        all.filter(|o| matches!(self.info(*o).kind, ObjectKind::Array(_)))
    }

    fn info(&self, id: ObjId) -> &Object {
        match self.objects.get(id.0 as usize) {
            Some(object) => object,
            None => crate::bug!("object {} does not exist", id.0),
        }
    }

    fn private_object(&mut self, name: &str, ty: Type) -> ObjId {
        let object = self.object(name, ObjectKind::Private, ty);
        let rest = self.fresh_local("content");
        self.state.private.insert(object, Rc::new(Cells { cells: BTreeMap::new(), rest, open: false }));
        object
    }

    fn static_object(&mut self, function: FunId, var: VarId) -> ObjId {
        let decl = &self.function(function).vars[var.0 as usize];
        let key = (self.program.first_of.get(&function).copied().unwrap_or(function), decl.span);
        if let Some(id) = self.statics.get(&key) {
            return *id;
        }
        let dynamic = decl.of_launch;
        if let (true, Some(id)) = (dynamic, self.dynamic_shared) {
            self.statics.insert(key, id);
            return id;
        }
        let name = self.array_name(decl.name.as_str());
        let id = self.object(name.as_str(), ObjectKind::Array(Space::Shared), decl.ty.clone());
        if dynamic {
            self.dynamic_shared = Some(id);
        }
        self.statics.insert(key, id);
        id
    }

    fn global_object(&mut self, global: GlobalId) -> ObjId {
        if let Some(id) = self.globals.get(&global) {
            return *id;
        }
        let decl = &self.program.globals[global.0 as usize].decl;
        let kind = match decl.storage {
            Storage::Constant => ObjectKind::Constant,
            Storage::Shared => ObjectKind::Array(Space::Shared),
            Storage::Global | Storage::Private => ObjectKind::Array(Space::Global),
        };
        let dynamic = decl.of_launch;
        if let (true, Some(id)) = (dynamic, self.dynamic_shared) {
            self.globals.insert(global, id);
            return id;
        }
        let name = self.array_name(decl.name.as_str());
        let id = self.object(name.as_str(), kind, decl.ty.clone());
        if dynamic {
            self.dynamic_shared = Some(id);
        }
        self.globals.insert(global, id);
        id
    }

    fn set_cell(&mut self, object: ObjId, offset: u64, size: u64, value: Value) {
        self.uncover(object, offset, size);
        let rest = N::num(0);
        let cells = self
            .state
            .private
            .entry(object)
            .or_insert_with(|| Rc::new(Cells { cells: BTreeMap::new(), rest, open: true }));
        Rc::make_mut(cells).cells.insert(offset, (size, value));
    }

    /// Removes the cells that overlap with some bytes and are not the cell of these: what is left of them is not known.
    fn uncover(&mut self, object: ObjId, offset: u64, size: u64) {
        let Some(cells) = self.state.private.get(&object) else { return };
        let near = cells.near(offset, size);
        let others: Vec<(u64, u64)> =
            near.into_iter().map(|(at, n, _)| (at, n)).filter(|cell| *cell != (offset, size)).collect();
        if others.is_empty() {
            return;
        }
        let mut cells = Cells::clone(cells);
        cells.open = true;
        if others.iter().any(|(at, n)| *at < offset || at + n > offset.saturating_add(size)) {
            cells.rest = self.fresh_local("content");
        }
        for (at, _) in others {
            cells.cells.remove(&at);
        }
        self.state.private.insert(object, Rc::new(cells));
    }

    /// Forgets some bytes of a private object, which may hold anything then.
    fn open(&mut self, object: ObjId, offset: u64, size: u64) {
        self.uncover(object, offset, size);
        let rest = self.fresh_local("content");
        if let Some(cells) = self.state.private.get_mut(&object) {
            let cells = Rc::make_mut(cells);
            cells.cells.remove(&offset);
            (cells.rest, cells.open) = (rest, true);
        }
    }

    // ---- unknown values ----

    fn coordinates(&self) -> Vec<N> {
        let all = self.threads.iter().chain(&self.blocks);
        all.filter(|(_, extent)| extent.as_num() != Some(1)).map(|(var, _)| N::var(var)).collect()
    }

    /// A value that is not modelled: a function of the thread and of the iteration.
    fn fresh_local(&mut self, label: &str) -> N {
        self.fresh_of_type(label, IntTy::OPAQUE)
    }

    fn fresh_of_type(&mut self, label: &str, ty: IntTy) -> N {
        let name = self.names.fresh(&clean(label));
        let mut args = self.coordinates();
        args.extend(self.counters.iter().cloned());
        N::call(Fun { name, ty, kind: FunKind::Abstract }, args)
    }

    /// A value that is not modelled, the same for all threads of a block in the same iteration.
    fn fresh_uniform(&mut self, label: &str, ty: IntTy) -> N {
        let name = self.names.fresh(&clean(label));
        let mut args: Vec<N> =
            self.blocks.iter().filter(|(_, extent)| extent.as_num() != Some(1)).map(|(var, _)| N::var(var)).collect();
        args.extend(self.counters.iter().cloned());
        N::call(Fun { name, ty, kind: FunKind::Abstract }, args)
    }

    /// One that is a function of these.
    fn fresh_for(&mut self, label: &str, of: &[N]) -> N {
        let name = self.names.fresh(&clean(label));
        N::call(Fun { name, ty: IntTy::OPAQUE, kind: FunKind::Abstract }, of.to_vec())
    }

    /// One that is the same for all threads of a part of a block, outside of loops.
    fn fresh_in_part(&mut self, label: &str, ty: IntTy, part: N) -> N {
        let name = self.names.fresh(&clean(label));
        let blocks = self.blocks.iter().filter(|(_, extent)| extent.as_num() != Some(1));
        let args: Vec<N> = blocks.map(|(var, _)| N::var(var)).chain([part]).collect();
        N::call(Fun { name, ty, kind: FunKind::Abstract }, args)
    }

    fn unknown_of(&mut self, ty: &Type, label: &str) -> Value {
        match ty {
            Type::Void => Value::Void,
            Type::Int(int) => Value::Num(self.fresh_of_type(label, *int)),
            Type::Ptr(inner) if **inner == Type::Fun => Value::Fun(Vec::new(), true),
            Type::Ptr(_) | Type::Ref(_) => Value::Ptr(Pointer::unknown()),
            Type::Struct(_) | Type::Array(..) => {
                let mut parts = Vec::new();
                if value::scalars(ty, 0, 64, &mut parts).is_none() {
                    return Value::Num(self.fresh_local(label));
                }
                Value::Agg(
                    parts
                        .into_iter()
                        .map(|(o, t)| {
                            let v = self.unknown_of(&t, label);
                            (o, t, v)
                        })
                        .collect(),
                )
            }
            _ => Value::Num(self.fresh_local(label)),
        }
    }

    // ---- conditions ----

    /// Decides a condition by what is known here, where that is cheap.
    fn decide(&self, cond: &B) -> B {
        self.decide_parts(cond, &mut FxHashMap::default())
    }

    /// Conditions are graphs: what was decided once is looked up.
    fn decide_parts(&self, cond: &B, memo: &mut FxHashMap<usize, B>) -> B {
        if cond.as_lit().is_some() {
            return cond.clone();
        }
        if let Some(done) = memo.get(&cond.address()) {
            return done.clone();
        }
        let decided = self.decide_one(cond, memo);
        memo.insert(cond.address(), decided.clone());
        decided
    }

    fn decide_one(&self, cond: &B, memo: &mut FxHashMap<usize, B>) -> B {
        let holds = |c: &B| self.path.contains(c) || self.facts.contains(c);
        if holds(cond) {
            return B::lit(true);
        }
        if holds(&B::not(cond)) {
            return B::lit(false);
        }
        match cond.kind() {
            BExp::Rel(op, l, r) => {
                let (a, b) = (self.ranges.interval(l), self.ranges.interval(r));
                let less = |x: Interval, y: Interval| matches!((x.hi, y.lo), (Some(h), Some(l)) if h < l);
                let at_most = |x: Interval, y: Interval| matches!((x.hi, y.lo), (Some(h), Some(l)) if h <= l);
                let apart = less(a, b) || less(b, a);
                match op {
                    NRel::Lt if less(a, b) => B::lit(true),
                    NRel::Lt if at_most(b, a) => B::lit(false),
                    NRel::Le if at_most(a, b) => B::lit(true),
                    NRel::Le if less(b, a) => B::lit(false),
                    NRel::Eq if apart => B::lit(false),
                    NRel::Ne if apart => B::lit(true),
                    NRel::Eq if a.single().is_some() && a.single() == b.single() => B::lit(true),
                    NRel::Ne if a.single().is_some() && a.single() == b.single() => B::lit(false),
                    _ => cond.clone(),
                }
            }
            BExp::And(parts) => B::and(parts.iter().map(|p| self.decide_parts(p, memo)).collect::<Vec<_>>()),
            BExp::Or(parts) => B::or(parts.iter().map(|p| self.decide_parts(p, memo)).collect::<Vec<_>>()),
            BExp::Not(inner) => B::not(&self.decide_parts(inner, memo)),
            BExp::Lit(_) => cond.clone(),
        }
    }

    /// A condition, or, when it has grown too deep, a function of what it depends on.
    fn shallow(&mut self, cond: &B) -> B {
        if cond.depth() <= MAX_DEPTH {
            return cond.clone();
        }
        let args = free_vars_b(cond).iter().map(N::var).collect();
        let name = self.names.fresh("when");
        N::call(Fun { name, ty: IntTy::BOOL, kind: FunKind::Abstract }, args).truth()
    }

    /// The same for a value.
    fn shallow_number(&mut self, term: &N) -> N {
        if term.depth() <= MAX_DEPTH {
            return term.clone();
        }
        let args = free_vars_n(term).iter().map(N::var).collect();
        let name = self.names.fresh("value");
        N::call(Fun { name, ty: term.ty().unwrap_or(IntTy::MATH), kind: FunKind::Abstract }, args)
    }

    /// Replaces what has grown too deep in the state after a join; what did not change is not looked at.
    fn trim_state(&mut self) {
        let deep = |cells: &Cells| {
            cells.rest.depth() > MAX_DEPTH
                || cells.cells.values().any(|(_, v)| matches!(v, Value::Num(n) if n.depth() > MAX_DEPTH))
        };
        let found: Vec<ObjId> = self.state.private.iter().filter(|(_, c)| deep(c)).map(|(o, _)| *o).collect();
        for object in found {
            let Some(mut cells) = self.state.private.get(&object).map(|c| Cells::clone(c)) else { continue };
            cells.rest = self.shallow_number(&cells.rest);
            for (_, value) in cells.cells.values_mut() {
                if let Value::Num(n) = value {
                    *n = self.shallow_number(n);
                }
            }
            self.state.private.insert(object, Rc::new(cells));
        }
        self.state.epoch = self.shallow_number(&self.state.epoch.clone());
        let versions: Vec<(ObjId, N)> =
            self.state.versions.iter().filter(|(_, v)| v.depth() > MAX_DEPTH).map(|(o, v)| (*o, v.clone())).collect();
        for (object, version) in versions {
            let version = self.shallow_number(&version);
            self.state.versions.insert(object, version);
        }
        let mut flags =
            [&self.state.returned, &self.state.broken, &self.state.continued, &self.state.exited].map(B::clone);
        for flag in &mut flags {
            *flag = self.shallow(flag);
        }
        [self.state.returned, self.state.broken, self.state.continued, self.state.exited] = flags;
        for (label, jump) in self.state.jumps.clone() {
            let jump = self.shallow(&jump);
            self.state.jumps.insert(label, jump);
        }
    }

    /// Runs both branches of a condition, emits the conditional, and joins the states.
    fn branch<T>(
        &mut self,
        cond: &B,
        then: impl FnOnce(&mut Self) -> T,
        els: impl FnOnce(&mut Self) -> T,
    ) -> (Option<T>, Option<T>) {
        let cond = self.decide(cond);
        let cond = self.shallow(&cond);
        match cond.as_lit() {
            Some(true) => return (Some(then(self)), None),
            Some(false) => return (None, Some(els(self))),
            None => {}
        }
        let outer = std::mem::take(&mut self.out);
        let before = self.state.clone();
        let t = self.under(&cond, then);
        let then_out = std::mem::take(&mut self.out);
        let then_state = std::mem::replace(&mut self.state, before);
        let e = self.under(&B::not(&cond), els);
        let els_out = std::mem::replace(&mut self.out, outer);
        let els_state = std::mem::replace(&mut self.state, State::start());
        let joined = State::join(&cond, then_state, els_state, &mut || self.fresh_local("content"));
        self.state = joined;
        self.trim_state();
        self.emit(Protocol::branch(&cond, Protocol::seq(then_out), Protocol::seq(els_out)));
        (Some(t), Some(e))
    }

    /// Runs something where a condition holds.
    fn under<T>(&mut self, cond: &B, f: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.path.len();
        match cond.kind() {
            BExp::And(parts) => self.path.extend(parts.iter().cloned()),
            _ => self.path.push(cond.clone()),
        }
        let ranges = self.ranges.clone();
        self.ranges.assume(cond);
        let result = f(self);
        self.ranges = ranges;
        self.path.truncate(depth);
        result
    }

    fn emit(&mut self, protocol: Protocol) {
        if protocol != Protocol::Skip {
            self.out.push(protocol);
        }
    }

    // ---- accesses ----

    fn site(&mut self, span: Span) -> SiteId {
        let site = Site { span, calls: self.calls.clone() };
        let next = SiteId(self.sites.len() as u32);
        let site = *self.sites.entry(site).or_insert(next);
        self.order.access(site);
        site
    }

    fn lose(&mut self, code: &'static str, text: impl Into<String>, span: Span, touches: Touches) {
        /// So many are told with their place; then one of a kind stands for all.
        const TOLD: usize = 500;
        let loss = Loss { code, text: text.into(), span, touches };
        // What is not known may order accesses. [INF-FENCE]
        if loss.touches == Touches::Everything && matches!(code, "unknown-call" | "unknown-order") {
            self.order.anything();
        }
        let full = self.losses.len() >= TOLD;
        let like = |l: &Loss| full && l.code == loss.code && l.touches == loss.touches;
        if !self.losses.iter().any(|l| like(l) || *l == loss) {
            self.losses.push(loss);
        }
    }

    /// Emits an access of `width` bytes to an array.
    fn access(
        &mut self,
        object: ObjId,
        offset: &Offset,
        width: u64,
        unknown_width: Option<Arc<str>>,
        mode: Mode,
        span: Span,
    ) -> Protocol {
        let site = self.site(span);
        let event = Event {
            site,
            strides: offset.terms.iter().map(|(_, s)| *s).collect(),
            constant: offset.constant,
            width,
            unknown_size: [offset.unknown.clone(), unknown_width],
            known_size: offset.known_size,
            flat: offset.flat,
        };
        let id = SiteId(self.events.len() as u32);
        self.events.push(event);
        let index = offset.terms.iter().map(|(n, _)| n.clone()).collect();
        Protocol::Access(Access { site: id, array: self.info(object).name.clone(), mode, index, width: 1 })
    }

    /// Something may write a parameter that is only followed while nobody does.
    fn written_table(&mut self, object: ObjId, span: Span) {
        if self.tables.contains(&object) {
            let text = "this may write a parameter with tables, which is not followed";
            self.lose("unknown-pointer", text, span, Touches::Everything);
        }
    }

    /// What a thread does that writes constant memory has no meaning: it may be anything.
    fn written_constant(&mut self, object: ObjId, span: Span) {
        if self.tables.contains(&object) {
            return self.written_table(object, span);
        }
        let text =
            format!("this writes `{}`, which is constant: what happens then is not defined", self.info(object).name);
        self.lose("constant-write", text, span, Touches::Everything);
    }

    /// This thread stored to an array: its contents are, for this thread, not what they were.
    fn touch(&mut self, object: ObjId) {
        let version = self.fresh_local("own");
        self.state.versions.insert(object, version);
        self.state.recent.remove(&object);
        self.state.log.forget(object);
    }

    /// Another thread of the warp may have written it since, in lock-step and without a race. All threads that read a cell at
    /// one place outside of loops see the same. [LOCK-VALUE]
    fn looks_again(&mut self, object: ObjId) {
        self.touch(object);
        if self.counters.is_empty() {
            let version = self.fresh_uniform("seen", IntTy::OPAQUE);
            self.state.versions.insert(object, version);
        }
    }

    fn spend(&mut self, span: Span) -> bool {
        if self.abandoned.is_some() {
            return false;
        }
        if self.steps == 0 || work_done() > self.work {
            self.abandoned = Some(span);
            return false;
        }
        self.steps -= 1;
        true
    }

    fn term_has_thread(&self, term: &N) -> bool {
        let vars = crate::exp::free_vars_n(term);
        vars.iter().any(|v| self.threads.iter().any(|(t, e)| t == v && e.as_num() != Some(1)))
    }
}

/// A name fit for a function symbol.
fn clean(label: &str) -> String {
    let text: String =
        label.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '.' { c } else { '_' }).collect();
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() { format!("v{text}") } else { text }
}

/// Has an object that is given by value more pointers in an array, or beside one more numbers, than are told apart?
fn holds_tables(ty: &Type) -> bool {
    fn longest(ty: &Type, around: u64) -> u64 {
        match ty {
            Type::Array(elem, Some(n)) => longest(elem, around.saturating_mul(*n)),
            Type::Struct(class) => class.fields.iter().map(|f| longest(&f.ty, around)).max().unwrap_or(0),
            Type::Ptr(_) => around,
            _ => 0,
        }
    }
    let Type::Struct(class) = ty else { return false };
    let pointers = longest(ty, 1);
    class.complete
        && !ty.has_unknown_size()
        && pointers > 1
        && (pointers > 16 || value::scalars(ty, 0, 256, &mut Vec::new()).is_none())
}

/// The names of the scalar parts of a variable, by offset: `s.x`, `s.v.y`, `a[2]`.
fn part_names(ty: &Type, name: &str) -> BTreeMap<u64, String> {
    fn walk(ty: &Type, at: u64, name: String, out: &mut BTreeMap<u64, String>) {
        match ty {
            Type::Struct(s) => {
                s.fields.iter().for_each(|f| walk(&f.ty, at + f.offset, format!("{name}.{}", f.name), out))
            }
            Type::Array(elem, Some(n)) => {
                for i in 0..(*n).min(256) {
                    walk(elem, at + i * elem.size(), format!("{name}[{i}]"), out);
                }
            }
            _ => {
                out.entry(at).or_insert(name);
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(ty, 0, name.to_owned(), &mut out);
    out
}

/// The parts of a conjunction.
fn conjuncts(cond: &B) -> Vec<B> {
    match cond.kind() {
        BExp::And(parts) => parts.clone(),
        _ => vec![cond.clone()],
    }
}
