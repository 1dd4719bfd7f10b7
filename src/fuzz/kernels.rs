//! Kernels made of choices.

use super::choices::Choices;
use super::expressions::{small_number, small_truth};
use crate::base::Name;
use crate::core::{
    Access, ArrayDecl, Barrier, Coordinate, Fence, Kernel, Mode, Protocol, Range, Scope, SiteId, Space, Step,
};
use crate::exp::{B, IntTy, N, NBin, Var};

/// Which language the kernels are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// The language W of \[MAP\] Fig. 2: loops with barriers run at least once, no barrier is under a condition.
    Paper,
    /// Barriers of the block anywhere, where they are uniform; loops of all steps, that may not run.
    Block,
    /// Barriers of all scopes, with masks; a grid of several blocks.
    Scopes,
    /// As `Block`, but barriers stand where threads may not agree on them.
    Divergent,
    /// No barriers; accesses of all kinds.
    Accesses,
}

/// The warp size that the kernels of [`Dialect::Scopes`] are made for.
pub const WARP: u32 = 2;

/// How far a variable or condition is the same: for all threads of the scope; `None` for no two threads.
type Uniform = Option<Scope>;

struct Maker<'c> {
    choices: &'c mut Choices,
    dialect: Dialect,
    scope: Vec<(Var, Uniform)>,
    sites: u32,
    binders: u32,
    /// The coordinates of blocks, each with the size of clusters.
    clusters: Vec<(Var, N)>,
}

/// A kernel whose size is chosen too: at most `depth` constructors deep, or `nesting` synchronised loops one in the other
/// around a barrier, with little code between them.
pub fn sized(choices: &mut Choices, dialect: Dialect, depth: u32, nesting: u32) -> Kernel<Protocol> {
    // Half of the kernels have the full depth, and half of them no loops but those that come by chance.
    let depth = 1 + (choices.pick(2 * depth as usize) as u32).min(depth.saturating_sub(1));
    let loops = (choices.pick(2 * nesting as usize + 1) as u32).saturating_sub(nesting);
    make(choices, dialect, depth, loops)
}

/// The kernel that the choices make, at most `depth` constructors deep. All numbers in it stay small.
pub fn kernel(choices: &mut Choices, dialect: Dialect, depth: u32) -> Kernel<Protocol> {
    make(choices, dialect, depth, 0)
}

fn make(choices: &mut Choices, dialect: Dialect, depth: u32, loops: u32) -> Kernel<Protocol> {
    let var = |name: &str| Var::new(name, IntTy::I32);
    let coordinate = |name: &str, extent: i128| Coordinate { var: var(name), extent: N::num(extent) };
    let threads = match (dialect, choices.pick(2)) {
        (Dialect::Scopes, 0) => vec![coordinate("t", 4)],
        (Dialect::Scopes, _) => vec![coordinate("t", 3), coordinate("u", 2)],
        (Dialect::Accesses, _) => vec![coordinate("t", 2)],
        (Dialect::Paper | Dialect::Block | Dialect::Divergent, 0) => vec![coordinate("t", 2)],
        (Dialect::Paper | Dialect::Block | Dialect::Divergent, _) => vec![coordinate("t", 2), coordinate("u", 2)],
    };
    let mut threads = threads;
    let (mut blocks, mut clusters) = (Vec::new(), Vec::new());
    if dialect == Dialect::Scopes {
        let size = N::add(IntTy::I32, &N::var(&var("g")), &N::num(1));
        (blocks, clusters) = match choices.pick(4) {
            0 | 1 => (vec![coordinate("b", 2)], vec![]),
            2 => (vec![coordinate("b", 4)], vec![size]),
            _ => (vec![coordinate("b", 2), coordinate("c", 2)], vec![N::num(1), N::num(2)]),
        };
        if !clusters.is_empty() {
            threads = vec![coordinate("t", 3)];
        }
    }
    let mut scope = vec![(var("g"), Some(Scope::Grid))];
    scope.extend(blocks.iter().map(|c| (c.var.clone(), Some(Scope::Block))));
    scope.extend(threads.iter().map(|c| (c.var.clone(), None)));
    let sizes = blocks.iter().map(|c| c.var.clone()).zip(clusters.iter().cloned()).collect();
    let mut maker = Maker { choices, dialect, scope, sites: 0, binders: 0, clusters: sizes };
    let code = if loops == 0 { maker.code(depth, Some(Scope::Grid)) } else { maker.nest(loops) };
    let array = |name: &str, space| ArrayDecl { name: name.into(), space, unit: 4 };
    Kernel {
        name: "k".into(),
        arrays: vec![array("A", Space::Global), array("S", Space::Shared)],
        globals: vec![var("g")],
        blocks,
        clusters,
        threads,
        pairs: Vec::new(),
        last: Default::default(),
        pre: B::and([N::num(0).le(&N::var(&var("g"))), N::var(&var("g")).lt(&N::num(3))]),
        code,
    }
}

impl Maker<'_> {
    fn site(&mut self) -> SiteId {
        self.sites += 1;
        SiteId(self.sites)
    }

    /// Variables that are the same at least for the scope; all of them for `None`.
    fn vars(&self, uniform: Uniform) -> Vec<Var> {
        self.scope.iter().filter(|(_, u)| *u >= uniform).map(|(v, _)| v.clone()).collect()
    }

    /// Code in which barriers up to the scope `barriers` may stand.
    fn code(&mut self, depth: u32, barriers: Uniform) -> Protocol {
        if depth == 0 || self.choices.exhausted() {
            return self.leaf(barriers);
        }
        match self.choices.pick(8) {
            0 => self.leaf(barriers),
            1..=3 => {
                let count = 2 + self.choices.pick(3);
                Protocol::Seq((0..count).map(|_| self.code(depth - 1, barriers)).collect())
            }
            4 | 5 => {
                let uniform = self.uniformity(barriers);
                // The paper has no barrier under a condition.
                let inside = match self.dialect {
                    Dialect::Paper => None,
                    Dialect::Divergent => barriers,
                    Dialect::Block | Dialect::Scopes | Dialect::Accesses => uniform,
                };
                let cond = self.condition(uniform);
                let then = self.code(depth - 1, inside);
                let els = if self.choices.pick(2) == 0 { Protocol::Skip } else { self.code(depth - 1, inside) };
                Protocol::If(cond, Box::new(then), Box::new(els))
            }
            _ => self.repeat(depth, barriers),
        }
    }

    /// So many loops around a barrier, with code before and after each.
    fn nest(&mut self, loops: u32) -> Protocol {
        let everywhere = Some(Scope::Grid);
        let inner = match loops.checked_sub(1) {
            None => self.barrier(everywhere),
            Some(fewer) => {
                let range = self.few();
                self.scope.push((range.var.clone(), everywhere));
                let body = self.nest(fewer);
                self.scope.pop();
                Protocol::For(range, Box::new(body))
            }
        };
        let around = |maker: &mut Self| if maker.choices.pick(2) == 0 { Protocol::Skip } else { maker.code(1, None) };
        let before = around(self);
        let after = around(self);
        Protocol::seq([before, inner, after])
    }

    fn leaf(&mut self, barriers: Uniform) -> Protocol {
        let kinds = if barriers.is_some() && self.dialect != Dialect::Accesses { 2 } else { 1 };
        match self.choices.pick(kinds) {
            0 => Protocol::Access(self.access()),
            _ => self.barrier(barriers),
        }
    }

    fn barrier(&mut self, barriers: Uniform) -> Protocol {
        let site = self.site();
        let scopes = [Scope::Block, Scope::Warp, Scope::Grid, Scope::Cluster];
        let allowed: Vec<Scope> = scopes.into_iter().filter(|s| Some(*s) <= barriers).collect();
        let scope = match self.dialect {
            Dialect::Scopes => *self.choices.one_of(&allowed).unwrap_or(&Scope::Warp),
            Dialect::Paper | Dialect::Block | Dialect::Divergent | Dialect::Accesses => Scope::Block,
        };
        let mask = (scope == Scope::Warp && self.choices.rarely(3)).then(|| {
            let uniform = self.vars(Some(Scope::Warp));
            if self.choices.pick(2) == 0 {
                N::num(1 + self.choices.pick(3) as i128)
            } else {
                small_number(self.choices, &uniform)
            }
        });
        // Barriers that order less are dropped or kept as a whole before all that is fuzzed here: `core::fence`.
        let fence = Fence::ALL;
        Protocol::Sync(Barrier { scope, mask, fence, site })
    }

    /// How uniform the next condition is; no more than what barriers around it allow.
    fn uniformity(&mut self, barriers: Uniform) -> Uniform {
        let all = match self.dialect {
            Dialect::Scopes => {
                vec![Some(Scope::Grid), Some(Scope::Block), Some(Scope::Warp), None, Some(Scope::Cluster)]
            }
            Dialect::Paper | Dialect::Block => vec![Some(Scope::Grid), None, Some(Scope::Grid)],
            Dialect::Accesses | Dialect::Divergent => vec![None, Some(Scope::Grid)],
        };
        let uniform = self.choices.one_of(&all).copied().flatten();
        if self.dialect == Dialect::Divergent { uniform } else { uniform.min(barriers) }
    }

    fn condition(&mut self, uniform: Uniform) -> B {
        if uniform == Some(Scope::Warp) && self.choices.pick(2) == 0 {
            // The number of the warp is the same for all threads of a warp.
            return self.warp().eq(&N::num(self.choices.pick(2) as i128));
        }
        if uniform == Some(Scope::Cluster)
            && let Some(number) = self.cluster()
        {
            return number.eq(&N::num(self.choices.pick(2) as i128));
        }
        let vars = self.vars(uniform);
        small_truth(self.choices, &vars)
    }

    /// The number of the cluster along the last coordinate of blocks, the same for all threads of a cluster.
    fn cluster(&self) -> Option<N> {
        let (block, size) = self.clusters.last()?;
        Some(N::bin(NBin::Div, IntTy::I32, &N::var(block), size))
    }

    fn warp(&self) -> N {
        let ty = IntTy::I32;
        let mut id = N::num(0);
        let mut stride = 1;
        for (name, extent) in [("t", 3), ("u", 2)] {
            if let Some((var, _)) = self.scope.iter().find(|(v, _)| v.name.as_str() == name) {
                id = N::add(ty, &id, &N::mul(ty, &N::var(var), &N::num(stride)));
                stride *= extent;
            }
        }
        N::bin(NBin::Div, ty, &id, &N::num(WARP))
    }

    fn repeat(&mut self, depth: u32, barriers: Uniform) -> Protocol {
        let uniform = self.uniformity(barriers);
        let var = self.binder();
        let range = if self.dialect == Dialect::Paper {
            self.steady(var.clone())
        } else {
            let vars = self.vars(uniform);
            self.range(var.clone(), &vars)
        };
        self.scope.push((var, uniform));
        let inside = if self.dialect == Dialect::Divergent { barriers } else { uniform };
        let body = self.code(depth - 1, inside);
        self.scope.pop();
        Protocol::For(range, Box::new(body))
    }

    /// A new loop variable.
    fn binder(&mut self) -> Var {
        self.binders += 1;
        Var::new(Name::new(format!("x{}", self.binders)), IntTy::I32)
    }

    /// A range with few values, because other loops are around it: like those of the paper, or one that may be empty.
    fn few(&mut self) -> Range {
        let var = self.binder();
        if self.dialect == Dialect::Paper || self.choices.pick(2) == 0 {
            return self.steady(var);
        }
        let vars = self.vars(Some(Scope::Grid));
        let first = N::num(self.choices.pick(2) as i128);
        Range::up(var, first, small_number(self.choices, &vars))
    }

    /// A range with one to three values, by a constant step.
    fn steady(&mut self, var: Var) -> Range {
        let g = N::var(&Var::new("g", IntTy::I32));
        let first = if self.choices.pick(2) == 0 { N::num(self.choices.pick(2) as i128) } else { g };
        let count = 1 + self.choices.pick(3) as i128;
        let step = 1 + self.choices.pick(2) as i128;
        let add = |n: i128| N::add(IntTy::I32, &first, &N::num(n));
        match self.choices.pick(3) {
            0 => Range::up(var, first.clone(), add(count)),
            1 => Range { var, end: add(count * step), first: first.clone(), step: Step::Up(N::num(step)) },
            _ => Range { var, first: add(count * step), end: first.clone(), step: Step::Down(N::num(step)) },
        }
    }

    /// Any range, with few values.
    fn range(&mut self, var: Var, vars: &[Var]) -> Range {
        let bound = |maker: &mut Self| {
            if maker.choices.pick(2) == 0 {
                N::num(maker.choices.pick(4) as i128)
            } else {
                small_number(maker.choices, vars)
            }
        };
        let step = |maker: &mut Self| {
            if maker.choices.rarely(4) {
                small_number(maker.choices, vars)
            } else {
                N::num(1 + maker.choices.pick(2) as i128)
            }
        };
        match self.choices.pick(6) {
            0 | 1 => {
                let lo = bound(self);
                Range::up(var, lo, bound(self))
            }
            2 => Range { var, first: bound(self), end: bound(self), step: Step::Up(step(self)) },
            3 => Range { var, first: bound(self), end: bound(self), step: Step::Down(step(self)) },
            4 => {
                let factor = N::num(1 + self.choices.pick(3) as i128);
                Range {
                    var,
                    first: bound(self),
                    end: N::num(2 + self.choices.pick(6) as i128),
                    step: Step::Times(factor),
                }
            }
            _ => {
                let factor = N::num(1 + self.choices.pick(3) as i128);
                Range { var, first: bound(self), end: N::num(self.choices.pick(2) as i128), step: Step::Over(factor) }
            }
        }
    }

    fn access(&mut self) -> Access {
        let site = self.site();
        let vars = self.vars(None);
        let array = if self.choices.rarely(3) { "S" } else { "A" };
        let extended = matches!(self.dialect, Dialect::Scopes | Dialect::Accesses);
        let mode = match self.choices.pick(if extended { 6 } else { 3 }) {
            0 => Mode::Wr(None),
            1 | 2 => Mode::Rd,
            3 => Mode::Wr(Some(small_number(self.choices, &vars))),
            4 => Mode::At(Scope::Block),
            _ => Mode::At(*self.choices.one_of(&[Scope::Grid, Scope::Warp, Scope::Cluster]).unwrap_or(&Scope::Grid)),
        };
        let rank = if extended && self.choices.rarely(4) { 2 } else { 1 };
        let index = (0..rank).map(|_| small_number(self.choices, &vars)).collect();
        let width = if extended && self.choices.rarely(4) { 2 } else { 1 };
        Access { site, array: array.into(), mode, index, width }
    }
}
