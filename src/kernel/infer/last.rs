//! The block that counts last: what it does then comes after all that other blocks have done. [INF-LAST]

use std::collections::BTreeSet;

use super::value::{ObjId, Target, Value};
use super::{ObjectKind, Walk, conjuncts};
use crate::base::Name;
use crate::core::protocol::Fence;
use crate::core::{Access, Mode, Protocol, Scope, SiteId, Space};
use crate::exp::subst::Leaves;
use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, Var};

/// More statements than these are not looked at.
const MOST: usize = 2_000;

/// An atomic operation outside of loops that counts blocks, by ones: its results are 0, 1, 2, ..
pub struct Count {
    event: SiteId,
    object: ObjId,
    /// The function that its result is, and which of the arguments the coordinates begin at.
    result: Name,
    coordinates: usize,
    /// After this content there is 0 again.
    limit: Option<N>,
}

/// What the straight-line order of a kernel is asked about.
struct Step {
    what: What,
    path: Vec<B>,
    in_loop: bool,
}

enum What {
    Access(Access),
    /// A fence between the thread and all of the device.
    Fence(SiteId),
    /// A barrier of the block that orders all memory.
    Barrier,
}

/// The statements of a kernel in the order in which each thread meets them.
pub struct Steps(Vec<Step>);

impl Walk<'_> {
    /// A fence, where it stands in what is emitted.
    pub(super) fn fence_mark(&mut self, scope: Scope, span: crate::base::Span) {
        if scope == Scope::Grid && self.counters.is_empty() {
            let site = self.barrier_site(span);
            self.fences.insert(site);
            self.emit(Protocol::Access(Access { site, array: "".into(), mode: Mode::Rd, index: vec![], width: 1 }));
        }
    }

    pub(super) fn counted(
        &mut self,
        access: &Protocol,
        target: &Target,
        name: &str,
        operands: &[Value],
        result: &Value,
    ) {
        let (Protocol::Access(access), Value::Num(result)) = (access, result) else { return };
        let of_all = self.info(target.object).kind == ObjectKind::Array(Space::Global)
            && access.mode == Mode::At(Scope::Grid)
            && self.counters.is_empty()
            && access.index.iter().all(|n| self.is_of_launch(&leaves_of(n)));
        let limit = match (name, operands) {
            ("Add" | "fetch_add", [Value::Num(n), ..]) if n.as_num() == Some(1) => None,
            ("Inc", [Value::Num(limit), ..]) => Some(limit.clone()),
            _ => return,
        };
        if let (true, NExp::Call(fun, args)) = (of_all, result.kind()) {
            let coordinates = args.len().saturating_sub(self.coordinates().len());
            let (event, object, result) = (access.site, target.object, fun.name.clone());
            self.counts.push(Count { event, object, result, coordinates, limit });
        }
    }

    /// The protocol without marks, and its order.
    pub(super) fn without_fences(&self, protocol: &Protocol) -> (Protocol, Steps) {
        let mut steps = Vec::new();
        if !self.counts.is_empty() && !self.fences.is_empty() {
            self.steps_of(protocol, &mut Vec::new(), false, &mut steps);
            if steps.len() > MOST {
                steps.clear();
            }
            // What stands between the two halves of a barrier stands on both sides of it, and orders nothing across it.
            let mut seen = BTreeSet::new();
            let fences = steps.iter().filter_map(|s| if let What::Fence(site) = s.what { Some(site) } else { None });
            let twice: Vec<SiteId> = fences.filter(|site| !seen.insert(*site)).collect();
            steps.retain(|s| !matches!(s.what, What::Fence(site) if twice.contains(&site)));
        }
        (self.unmarked(protocol), Steps(steps))
    }

    fn unmarked(&self, p: &Protocol) -> Protocol {
        if self.fences.is_empty() {
            return p.clone();
        }
        match p {
            Protocol::Access(a) if self.fences.contains(&a.site) => Protocol::Skip,
            Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => p.clone(),
            Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|q| self.unmarked(q)).collect::<Vec<_>>()),
            Protocol::If(c, t, e) => Protocol::branch(c, self.unmarked(t), self.unmarked(e)),
            Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(self.unmarked(body))),
        }
    }

    fn steps_of(&self, p: &Protocol, path: &mut Vec<B>, in_loop: bool, steps: &mut Vec<Step>) {
        let push = |what, steps: &mut Vec<Step>| steps.push(Step { what, path: path.clone(), in_loop });
        match p {
            _ if steps.len() > MOST => {}
            Protocol::Skip => {}
            Protocol::Access(a) if self.fences.contains(&a.site) => push(What::Fence(a.site), steps),
            Protocol::Access(a) => push(What::Access(a.clone()), steps),
            Protocol::Sync(b) if b.scope >= Scope::Block && b.mask.is_none() && b.fence == Fence::ALL => {
                push(What::Barrier, steps)
            }
            Protocol::Sync(_) => {}
            Protocol::Seq(parts) => parts.iter().for_each(|q| self.steps_of(q, path, in_loop, steps)),
            Protocol::If(c, t, e) => {
                for (cond, branch) in [(c.clone(), t), (B::not(c), e)] {
                    let outer = path.len();
                    path.extend(conjuncts(&cond));
                    self.steps_of(branch, path, in_loop, steps);
                    path.truncate(outer);
                }
            }
            Protocol::For(_, body) => self.steps_of(body, path, true, steps),
        }
    }

    /// The accesses that only the block makes that counts last, after all accesses of other blocks, where `protocol` is the
    /// whole kernel with what is known of the contents of arrays.
    ///
    /// Source:   protocol-spec/08-inference.md [INF-LAST]; CUDA C++ Programming Guide, Memory Fence Functions.
    /// Ensures:  each of them is ordered after each access of another block to an array that is written.
    pub(super) fn of_last_block(&mut self, Steps(steps): &Steps, protocol: &Protocol) -> BTreeSet<SiteId> {
        let several = self.blocks.iter().any(|(_, extent)| extent.as_num() != Some(1));
        if steps.is_empty() || !several || self.copies_anything() {
            return BTreeSet::new();
        }
        let found = self.counts.iter().find_map(|count| Some((count, self.after_count(count, steps, protocol)?)));
        let Some((count, after)) = found else { return BTreeSet::new() };
        let name = &self.info(count.object).name;
        let text = format!("`{name}` counts from 0: the block that finds there how many others there are comes last");
        if self.number_of_blocks().1 {
            self.assumptions.push("the number of blocks is a value of 32 bits".to_owned());
        }
        self.assumptions.push(text);
        after
    }

    fn after_count(&self, count: &Count, steps: &[Step], protocol: &Protocol) -> Option<BTreeSet<SiteId>> {
        let is_it = |s: &Step| matches!(&s.what, What::Access(a) if a.site == count.event);
        let at = steps.iter().position(is_it)?;
        let here = steps.get(at).filter(|s| !s.in_loop)?;
        if !self.has_room(count) || steps.iter().skip(at + 1).any(is_it) {
            return None;
        }
        // One thread of each block counts, in any case.
        let guard: Vec<&B> = here.path.iter().filter(|b| !self.is_of_launch(&Leaves::of(b))).collect();
        let threads: Vec<&Var> = real(&self.threads).map(|(var, _)| var).collect();
        let mut counting = Vec::new();
        for (var, extent) in real(&self.threads) {
            let place = guard.iter().find_map(|b| place_of(b, var))?;
            let exists = place == 0 || place > 0 && extent.as_num().is_some_and(|n| place < n);
            counting.push((var.clone(), Some(place).filter(|_| exists)?));
        }
        if guard.len() != threads.len() {
            return None;
        }
        let by_it = |path: &[B]| guard.iter().all(|b| path.contains(b));
        let mut last = Last { walk: self, count, counting, by_it: &by_it, found: BTreeSet::new() };
        last.protocol(protocol, &mut Vec::new(), false);
        let found = last.found;
        let array = &self.info(count.object).name;
        let mut written = BTreeSet::new();
        super::finish::each_access(protocol, &mut |a| {
            if a.mode != Mode::Rd {
                written.insert(a.array.clone());
            }
        });
        let within = |small: &[B], large: [&[B]; 2]| small.iter().all(|b| large.iter().any(|path| path.contains(b)));
        let fence =
            |s: &Step, paths: [&[B]; 2]| !s.in_loop && matches!(s.what, What::Fence(_)) && within(&s.path, paths);
        let of_launch =
            |path: &[B]| -> Vec<B> { path.iter().filter(|b| self.is_of_launch(&Leaves::of(b))).cloned().collect() };
        let always = of_launch(&here.path);
        for (i, step) in steps.iter().enumerate() {
            let What::Access(access) = &step.what else { continue };
            let is_global =
                self.objects.iter().any(|o| o.name == access.array && o.kind == ObjectKind::Array(Space::Global));
            if access.site == count.event
                || found.contains(&access.site)
                || !is_global
                || !written.contains(&access.array)
            {
                continue;
            }
            if access.array == *array || i > at {
                return None;
            }
            // What is before the count is seen by whoever counts later: past a fence of the counting thread, or a barrier
            // with one on either side.
            let between = steps.get(i + 1..at)?;
            // The launch decides these in the same way for all threads.
            let also = of_launch(&step.path);
            let by_counting = |s: &Step| fence(s, [&here.path, &also]);
            let barrier = |s: &Step| !s.in_loop && matches!(s.what, What::Barrier) && within(&s.path, [&always, &also]);
            let ordered = by_it(&step.path) && between.iter().any(by_counting)
                || between.iter().enumerate().any(|(b, s)| {
                    barrier(s)
                        && (between.iter().take(b).any(|s| fence(s, [&step.path, &always]))
                            || between.iter().skip(b + 1).any(by_counting))
                });
            if !ordered {
                return None;
            }
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Does a condition or a place have the same value in all threads of the grid, as the launch says it?
    fn is_of_launch(&self, leaves: &Leaves) -> bool {
        leaves.functions.is_empty() && leaves.vars.iter().all(|v| self.globals_vars.contains(v))
    }

    /// Is there a content for each block?
    fn has_room(&self, count: &Count) -> bool {
        let (blocks, _) = self.number_of_blocks();
        match &count.limit {
            None => true,
            Some(limit) => {
                is_number(limit, &blocks, 0)
                    || is_number(limit, &blocks, -1)
                    || limit.as_num().is_some_and(|n| n >= i128::from(u32::MAX))
                    || matches!((limit.as_num(), &blocks[..]), (Some(n), [all]) if all.as_num().is_some_and(|all| n >= all - 1))
            }
        }
    }

    /// How many blocks there are, in the ways in which it can be written, and may the product not fit?
    fn number_of_blocks(&self) -> (Vec<N>, bool) {
        let extents: Vec<N> = real(&self.blocks).map(|(_, extent)| erased(extent)).collect();
        let times = |l: &N, r: &N| N::bin(NBin::Mul, IntTy::MATH, l, r);
        let all = match extents.as_slice() {
            [a] => vec![a.clone()],
            [a, b] => vec![times(a, b), times(b, a)],
            [a, b, c] => {
                let orders = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
                orders.iter().flat_map(|[a, b, c]| [times(&times(a, b), c), times(a, &times(b, c))]).collect()
            }
            _ => vec![],
        };
        let open = extents.len() > 1 && all.iter().all(|n| n.as_num().is_none());
        (all, open)
    }
}

/// The axes along which there is more than one.
fn real(list: &[(Var, N)]) -> impl Iterator<Item = &(Var, N)> {
    list.iter().filter(|(_, extent)| extent.as_num() != Some(1))
}

fn leaves_of(term: &N) -> Leaves {
    let mut leaves = Leaves::default();
    leaves.numeric(term);
    leaves
}

/// `x = c`: c.
fn place_of(b: &B, var: &Var) -> Option<i128> {
    match b.kind() {
        BExp::Rel(NRel::Eq, l, r) if erased(l).as_var() == Some(var) => r.as_num(),
        _ => None,
    }
}

/// Without conversions between types of 32 bits and more, and in mathematical integers.
fn erased(term: &N) -> N {
    match term.kind() {
        NExp::Cast(ty, inner) if ty.bits == 0 || ty.bits >= 32 => erased(inner),
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), ty, l, r)
            if (ty.bits == 0 || ty.bits >= 32) && term.depth() < 20 =>
        {
            let (l, r) = (erased(l), erased(r));
            match (op, r.as_num()) {
                (NBin::Sub, Some(n)) => N::bin(NBin::Add, IntTy::MATH, &l, &N::num(-n)),
                // A number below zero of an unsigned type.
                (NBin::Add, Some(n)) if n > i128::from(u32::MAX) / 2 && n <= i128::from(u32::MAX) => {
                    N::bin(NBin::Add, IntTy::MATH, &l, &N::num(n - (1 << 32)))
                }
                _ => N::bin(*op, IntTy::MATH, &l, &r),
            }
        }
        _ => term.clone(),
    }
}

/// Is the term one of these numbers, and so many more?
fn is_number(term: &N, numbers: &[N], more: i128) -> bool {
    let term = erased(term);
    numbers.iter().any(|n| erased(&N::bin(NBin::Add, IntTy::MATH, n, &N::num(more))) == term)
}

/// Looks for what is done by the block that has counted last.
struct Last<'w, 'p> {
    walk: &'w Walk<'p>,
    count: &'w Count,
    counting: Vec<(Var, i128)>,
    by_it: &'w dyn Fn(&[B]) -> bool,
    found: BTreeSet<SiteId>,
}

impl Last<'_, '_> {
    fn protocol(&mut self, p: &Protocol, path: &mut Vec<B>, inside: bool) {
        match p {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Access(access) => {
                if inside {
                    self.found.insert(access.site);
                }
            }
            Protocol::Seq(parts) => parts.iter().for_each(|q| self.protocol(q, path, inside)),
            Protocol::If(c, t, e) => {
                for (cond, branch) in [(c.clone(), t), (B::not(c), e)] {
                    let outer = path.len();
                    path.extend(conjuncts(&cond));
                    let here = inside || path.iter().skip(outer).any(|b| self.says_last(b, path));
                    self.protocol(branch, path, here);
                    path.truncate(outer);
                }
            }
            Protocol::For(_, body) => self.protocol(body, path, inside),
        }
    }

    /// Does it say that this block has found the number of the others?
    fn says_last(&self, b: &B, path: &[B]) -> bool {
        let (numbers, open) = self.walk.number_of_blocks();
        // How much more than the result a term is, if it is one.
        let more = |term: &N| {
            let (term, more) = match erased(term).kind() {
                NExp::Bin(NBin::Add, _, inner, by) if by.as_num().is_some() => {
                    (inner.clone(), by.as_num().unwrap_or(0))
                }
                _ => (erased(term), 0),
            };
            self.is_result(&term, path).then_some(more)
        };
        let equal = |l: &N, r: &N| more(l).is_some_and(|n| is_number(r, &numbers, n - 1));
        match b.kind() {
            BExp::Rel(NRel::Eq, l, r) => equal(l, r) || equal(r, l),
            // What is not more than the result, and does not wrap around.
            BExp::Rel(NRel::Le, l, r) if !open => {
                more(r).is_some_and(|n| (0..=1).contains(&n) && is_number(l, &numbers, n - 1))
            }
            _ => false,
        }
    }

    /// The result of the count in this block.
    fn is_result(&self, term: &N, path: &[B]) -> bool {
        let NExp::Call(fun, args) = term.kind() else { return false };
        let Some(coordinates) = args.get(self.count.coordinates..) else { return false };
        let blocks: Vec<N> = real(&self.walk.blocks).map(|(var, _)| N::var(var)).collect();
        let (threads, of_block) = coordinates.split_at(self.counting.len().min(coordinates.len()));
        let its = |(given, (var, place)): (&N, &(Var, i128))| {
            given.as_num() == Some(*place) || given.as_var() == Some(var) && (self.by_it)(path)
        };
        fun.name == self.count.result
            && of_block == blocks.as_slice()
            && threads.len() == self.counting.len()
            && threads.iter().zip(&self.counting).all(its)
    }
}
