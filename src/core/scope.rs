//! One reduction for every scope: what a kernel is for two threads that meet at a given level.

use super::access::{Access, Mode, Scope};
use super::kernel::{Coordinate, Kernel, Space};
use super::names::Mentioned;
use super::protocol::{Barrier, Protocol};
use crate::base::{FreshNames, Name};
use crate::exp::{B, IntTy, N, NBin, Subst, Var};

/// The lowest level that contains both threads of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    Warp,
    Block,
    Cluster,
    Grid,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Warp, Level::Block, Level::Cluster, Level::Grid];

    /// The least scope of a barrier that orders threads that meet here.
    pub fn scope(self) -> Scope {
        match self {
            Level::Warp => Scope::Warp,
            Level::Block => Scope::Block,
            Level::Cluster => Scope::Cluster,
            Level::Grid => Scope::Grid,
        }
    }
}

/// The two threads of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Task {
    One,
    Two,
}

impl Task {
    pub const BOTH: [Task; 2] = [Task::One, Task::Two];

    /// The name that a variable of one thread has for this thread: `x!1`, `x!2`.
    pub fn name(self, name: &Name) -> Name {
        match self {
            Task::One => Name::new(format!("{name}!1")),
            Task::Two => Name::new(format!("{name}!2")),
        }
    }

    pub fn var(self, var: &Var) -> Var {
        Var::new(self.name(&var.name), var.ty)
    }

    /// The substitution of this thread's own names for `locals`.
    pub fn rename<'a>(self, locals: impl IntoIterator<Item = &'a Var>) -> Subst<'static> {
        let mut subst = Subst::new();
        for var in locals {
            subst.bind(&var.name, &N::var(&self.var(var)));
        }
        subst
    }
}

/// A kernel as two threads see it that meet exactly at a level.
#[derive(Clone, Debug)]
pub struct Projection {
    pub kernel: Kernel<Protocol>,
    pub level: Level,
    /// The variables of which each thread has its own value.
    pub locals: Vec<Var>,
    /// Over the names of both threads ([`Task::var`]): they are different threads, and this is the lowest level, of
    /// those in use, that contains both.
    pub meet: B,
    pub warp_size: u32,
    /// For barriers with a mask: the lanes of the two threads, as variables that both threads see.
    pub lanes: Option<[Var; 2]>,
}

/// The levels at which threads have to be compared, lowest first. Levels that nothing in the code tells apart are
/// merged into the higher one: pairs in one warp are compared at the block level, unless a barrier or an atomic has the
/// scope of a warp; pairs in one cluster at the grid level, unless one has the scope of a cluster.
///
/// Source:   theory 3; protocol-spec/05-scopes.md [SCOPE-LEVELS].      Shape: levels in ascending order.
pub fn levels(kernel: &Kernel<Protocol>) -> Vec<Level> {
    let mut all = Vec::new();
    if matters(&kernel.code, Scope::Warp) {
        all.push(Level::Warp);
    }
    all.push(Level::Block);
    if !kernel.clusters.is_empty() && matters(&kernel.code, Scope::Cluster) {
        all.push(Level::Cluster);
    }
    if !kernel.blocks.is_empty() {
        all.push(Level::Grid);
    }
    all
}

/// Does a barrier or an atomic have this scope?
fn matters(code: &Protocol, scope: Scope) -> bool {
    match code {
        Protocol::Skip => false,
        Protocol::Access(access) => access.mode == Mode::At(scope),
        Protocol::Sync(barrier) => barrier.scope == scope,
        Protocol::Seq(parts) => parts.iter().any(|p| matters(p, scope)),
        Protocol::If(_, t, e) => matters(t, scope) || matters(e, scope),
        Protocol::For(_, body) => matters(body, scope),
    }
}

/// The kernel as two threads see it that meet exactly at `level`, where `in_use` are the levels that are looked at.
///
/// Source:   theory 3; protocol-spec/05-scopes.md.     Shape: Kernel -> Projection, the same header.
/// Units:    a warp is `warp_size` consecutive linear thread ids, the first coordinate being the fastest.
/// Ensures:  THM-SCOPE, tests/theorems/scope.rs: the races of a grid are the union over the levels in use of the races
///           of the projections.
/// Errors:   none, total.
/// Deviates: barriers of other threads (masks) order two threads only when both take part.
pub fn project(kernel: &Kernel<Protocol>, level: Level, in_use: &[Level], warp_size: u32) -> Projection {
    let lanes = (level == Level::Warp).then(|| lane_vars(kernel));
    let code = visible(&kernel.code, kernel, level, lanes.as_ref(), warp_size);
    let used = lanes.filter(|[one, _]| Mentioned::of(&code).leaves.vars.contains(one));
    let mut own: Vec<Var> = Vec::new();
    if level > Level::Block {
        own.extend(kernel.blocks.iter().map(|c| c.var.clone()));
    }
    own.extend(kernel.threads.iter().map(|c| c.var.clone()));
    let below = in_use.iter().copied().filter(|l| *l < level).max();
    let meet = meet(kernel, level, below, &own, used.as_ref(), warp_size);
    let mut projected = kernel.with_code(code);
    if let Some(lanes) = &used {
        projected.globals.extend(lanes.iter().cloned());
    }
    Projection { kernel: projected, level, locals: own, meet, warp_size, lanes: used }
}

/// Names for the lanes of the two threads that the kernel does not use.
fn lane_vars(kernel: &Kernel<Protocol>) -> [Var; 2] {
    let mut fresh = FreshNames::default();
    fresh.reserve("lane");
    let vars = kernel.header_vars().map(|v| v.name.clone());
    for name in vars.chain(Mentioned::of(&kernel.code).names()) {
        fresh.reserve(name.as_str());
    }
    [(); 2].map(|()| Var::new(fresh.fresh("lane"), IntTy::I32))
}

/// The barriers that order the two threads, and the accesses to arrays that both see.
fn visible(
    code: &Protocol,
    kernel: &Kernel<Protocol>,
    level: Level,
    lanes: Option<&[Var; 2]>,
    warp_size: u32,
) -> Protocol {
    let inner = |p: &Protocol| visible(p, kernel, level, lanes, warp_size);
    match code {
        Protocol::Skip => Protocol::Skip,
        // [SCOPE-ARRAY]  a shared array is seen by the threads of one block only
        // [SCOPE-LAST]   what the last block does comes after all that other blocks do
        Protocol::Access(access) => {
            if sees(kernel, access, level) {
                Protocol::Access(access.clone())
            } else {
                Protocol::Skip
            }
        }
        // [SCOPE-SYNC]   a barrier orders the pair when its scope is at least the level
        Protocol::Sync(barrier) if barrier.scope < level.scope() => Protocol::Skip,
        Protocol::Sync(barrier) => match (&barrier.mask, lanes) {
            (Some(mask), Some(lanes)) if !all_lanes(mask, warp_size) => {
                // [SCOPE-MASK]  ... and both lanes are in its mask
                let takes_part = B::and(lanes.iter().map(|lane| in_mask(mask, &N::var(lane))));
                let whole = Barrier { mask: None, ..barrier.clone() };
                Protocol::branch(&takes_part, Protocol::Sync(whole), Protocol::Skip)
            }
            (Some(_) | None, _) => Protocol::Sync(Barrier { mask: None, ..barrier.clone() }),
        },
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(inner).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::branch(b, inner(t), inner(e)),
        Protocol::For(range, body) => match inner(body) {
            Protocol::Skip => Protocol::Skip,
            body => Protocol::For(range.clone(), Box::new(body)),
        },
    }
}

fn sees(kernel: &Kernel<Protocol>, access: &Access, level: Level) -> bool {
    if level > Level::Block && kernel.last.contains(&access.site) {
        return false;
    }
    let shared = kernel.array(&access.array).is_some_and(|a| a.space == Space::Shared);
    level <= Level::Block || !shared
}

fn all_lanes(mask: &N, warp_size: u32) -> bool {
    let all = 1i128.checked_shl(warp_size).map_or(-1, |n| n - 1);
    mask.as_num().is_some_and(|m| m & all == all)
}

/// Is bit `lane` of the mask set?
fn in_mask(mask: &N, lane: &N) -> B {
    let bit = N::bin(NBin::Shr, IntTy::MATH, mask, lane);
    N::bin(NBin::And, IntTy::MATH, &bit, &N::num(1)).eq(&N::num(1))
}

/// The linear id of a thread in its block, in mathematical integers. [SCOPE-LINEAR]
pub fn linear_id(threads: &[Coordinate]) -> N {
    let mut stride = N::num(1);
    let mut id = N::num(0);
    for coordinate in threads {
        id = N::add(IntTy::MATH, &id, &N::mul(IntTy::MATH, &N::var(&coordinate.var), &stride));
        stride = N::mul(IntTy::MATH, &stride, &coordinate.extent);
    }
    id
}

/// [SCOPE-MEET]  two different threads, in the same group of the level, and in different groups of the level `below`
fn meet(
    kernel: &Kernel<Protocol>,
    level: Level,
    below: Option<Level>,
    own: &[Var],
    lanes: Option<&[Var; 2]>,
    warp_size: u32,
) -> B {
    let [mut one, mut two] = Task::BOTH.map(|task| task.rename(own));
    let size = N::num(warp_size);
    let linear = linear_id(&kernel.threads);
    let warp = N::bin(NBin::Div, IntTy::MATH, &linear, &size);
    let lane = N::bin(NBin::Rem, IntTy::MATH, &linear, &size);
    let mut differ = |coordinates: &[Coordinate]| {
        let vars = coordinates.iter().map(|c| N::var(&c.var));
        B::or(vars.map(|x| one.numeric(&x).ne(&two.numeric(&x))).collect::<Vec<_>>())
    };
    let (threads_differ, blocks_differ) = (differ(&kernel.threads), differ(&kernel.blocks));
    let same_warp = one.numeric(&warp).eq(&two.numeric(&warp));
    let clusters = cluster_ids(kernel);
    let same_cluster = B::and(clusters.iter().map(|n| one.numeric(n).eq(&two.numeric(n))).collect::<Vec<_>>());
    let lanes =
        lanes.into_iter().flat_map(|[a, b]| [N::var(a).eq(&one.numeric(&lane)), N::var(b).eq(&two.numeric(&lane))]);
    let lanes = B::and(lanes.collect::<Vec<_>>());
    // Coordinates that are not doubled are the same for both.
    let doubled = level > Level::Block;
    let blocks_differ = if doubled { blocks_differ } else { B::lit(false) };
    let together = match level {
        Level::Warp => B::and([same_warp.clone(), lanes]),
        Level::Block | Level::Grid => B::lit(true),
        Level::Cluster => same_cluster.clone(),
    };
    let apart = match below {
        None => B::or([blocks_differ, threads_differ]),
        Some(Level::Warp) if doubled => B::or([blocks_differ, B::not(&same_warp)]),
        // That they differ follows from their warps, and is said for the solver.
        Some(Level::Warp) => B::and([threads_differ, B::not(&same_warp)]),
        Some(Level::Block) => blocks_differ,
        Some(Level::Cluster | Level::Grid) => B::not(&same_cluster),
    };
    B::and([together, apart])
}

/// Which cluster of the grid a block is in, along each coordinate; the block itself where there are no clusters.
/// [SCOPE-CLUSTER]
pub fn cluster_ids<C>(kernel: &Kernel<C>) -> Vec<N> {
    let size = |i: usize| kernel.clusters.get(i).cloned().unwrap_or(N::num(1));
    let each = kernel.blocks.iter().enumerate();
    each.map(|(i, c)| N::bin(NBin::Div, IntTy::MATH, &N::var(&c.var), &size(i))).collect()
}

/// The constraint that each cluster has at least one block. [SCOPE-CLUSTER]
pub fn cluster_sizes<C>(kernel: &Kernel<C>) -> impl Iterator<Item = B> + '_ {
    kernel.clusters.iter().map(|size| N::num(1).le(size))
}

/// The constraint that a coordinate is in its extent. [SCOPE-COORDINATE]
pub fn in_extent(coordinate: &Coordinate) -> B {
    let x = N::var(&coordinate.var);
    B::and([N::num(0).le(&x), x.lt(&coordinate.extent)])
}
