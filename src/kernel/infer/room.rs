//! What the accesses to an array of the block say about the size of blocks: subscripts stay within its dimensions. [INF-ROOM]

use std::collections::BTreeSet;

use super::loops::range::in_range;
use super::value::ObjId;
use super::{AXES, Object, ObjectKind, Walk};
use crate::base::Name;
use crate::core::range::{Range, Step};
use crate::core::{Access, Protocol, SiteId, Space};
use crate::exp::subst::Leaves;
use crate::exp::{B, IntTy, N, NBin, NExp, Subst, Var, free_vars_b, free_vars_n};
use crate::kernel::ir::{Expr, FunId, VarId};
use crate::kernel::types::{OPEN_ROW, Type};

/// No place or condition that somebody writes down is a deeper term.
const DEEP: u32 = 40;

/// What stands around an access.
enum Around<'p> {
    If(B),
    For(&'p Range),
}

/// The arrays that are looked at, and the accesses that are not.
type Looked<'l> = (Vec<ObjId>, &'l BTreeSet<(Name, SiteId)>);

/// An iteration of a loop that runs if any does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Iteration {
    First,
    /// Where each step goes up by a number.
    Last,
}

impl<'p> Walk<'p> {
    /// How long a shared array is whose type does not say it. Calls that give it other lengths say nothing.
    pub(super) fn declare_lengths(&mut self, function: FunId, var: VarId, lengths: &'p [Expr]) {
        if lengths.is_empty() {
            return;
        }
        let object = self.static_object(function, var);
        let losses = self.losses.len();
        let lengths: Vec<N> = lengths.iter().map(|length| self.number(length)).collect();
        // One that is not known bounds nothing.
        self.losses.truncate(losses);
        let is_closed =
            |leaves: &Leaves| leaves.functions.is_empty() && leaves.vars.iter().all(|v| self.globals_vars.contains(v));
        let mut leaves = Leaves::default();
        lengths.iter().for_each(|n| leaves.numeric(n));
        let closed = is_closed(&leaves);
        self.path.iter().for_each(|cond| leaves.boolean(cond));
        if is_closed(&leaves) {
            let parts: Vec<B> = lengths.iter().map(|length| N::num(1).le(length)).collect();
            self.takes_room(B::implies(&B::and(self.path.clone()), &B::and(parts)), None);
        }
        let info = &mut self.objects[object.0 as usize];
        info.lengths = match &info.lengths {
            Some(others) if *others != lengths => Some(Vec::new()),
            _ if !closed => Some(Vec::new()),
            _ => Some(lengths),
        };
    }

    /// Looks for what the accesses to shared arrays need room for, but those that surely leave a dimension.
    pub(super) fn find_room(&mut self, protocol: &Protocol, leaving: &BTreeSet<(Name, SiteId)>) {
        let bounded: Vec<ObjId> = (0..self.objects.len() as u32)
            .map(ObjId)
            .filter(|id| self.info(*id).kind == ObjectKind::Array(Space::Shared))
            .filter(|id| !dimensions(self.info(*id)).is_empty())
            .collect();
        let is_open = self.block_dim.iter().any(|size| size.as_num().is_none());
        if is_open || bounded.iter().any(|id| self.info(*id).lengths.is_some()) {
            self.room_within(protocol, &mut Vec::new(), &(bounded, leaving));
        }
    }

    fn room_within<'a>(&mut self, protocol: &'a Protocol, around: &mut Vec<Around<'a>>, of: &Looked) {
        match protocol {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Seq(parts) => parts.iter().for_each(|part| self.room_within(part, around, of)),
            Protocol::If(cond, then, els) => {
                for (cond, part) in [(cond.clone(), then), (B::not(cond), els)] {
                    around.push(Around::If(cond));
                    self.room_within(part, around, of);
                    around.pop();
                }
            }
            Protocol::For(range, body) => {
                around.push(Around::For(range));
                self.room_within(body, around, of);
                around.pop();
            }
            Protocol::Access(access) => {
                let (bounded, leaving) = of;
                let object = bounded.iter().find(|id| self.info(**id).name == access.array);
                if let Some(object) = object.filter(|_| !leaving.contains(&(access.array.clone(), access.site))) {
                    self.room_for(*object, access, around);
                }
            }
        }
    }

    /// What the threads that make an access need to find room in the dimensions of an array.
    fn room_for(&mut self, object: ObjId, access: &Access, around: &[Around]) {
        let event = &self.events[access.site.0 as usize];
        // A pointer that has moved may be before the array, or leave its row.
        if event.flat || event.constant < 0 || event.known_size && event.unknown_size.iter().any(Option::is_some) {
            return;
        }
        // Its subscripts are those of the array, from the outermost one.
        let bounds = dimensions(self.info(object));
        if !event.strides.iter().zip(&bounds).all(|(stride, (own, _))| stride == own) {
            return;
        }
        let subscripts: Vec<(N, N)> =
            access.index.iter().zip(bounds).map(|(index, (_, length))| (index.clone(), length)).collect();
        for iteration in [Iteration::First, Iteration::Last] {
            if iteration == Iteration::Last && !subscripts.iter().any(|(index, _)| is_counted(index, around)) {
                continue;
            }
            for (index, length) in &subscripts {
                if let Some((premise, index)) = self.there(index, around, iteration) {
                    self.room_at(object, &premise, &index, length);
                }
            }
        }
    }

    /// A subscript in one iteration of the loops around it, and when that is.
    fn there(&self, index: &N, around: &[Around], iteration: Iteration) -> Option<(B, N)> {
        let mut index = index.clone();
        let mut conditions: Vec<B> = Vec::new();
        for outer in around.iter().rev() {
            match outer {
                Around::If(cond) => conditions.push(cond.clone()),
                Around::For(range) => {
                    let value = match (&range.step, iteration) {
                        (Step::Up(step), Iteration::Last) if step.as_num().is_some_and(|n| n > 0) => {
                            last_of(range, step)
                        }
                        _ => range.first.clone(),
                    };
                    let mut first = Subst::one(&range.var.name, &range.first);
                    let runs = first.boolean(&in_range(range));
                    let mut there = Subst::one(&range.var.name, &value);
                    index = there.numeric(&index);
                    conditions = conditions.iter().map(|c| there.boolean(c)).collect();
                    // Blocks are chosen for the arrays, whatever the sizes are that end the loop.
                    let of_sizes = free_vars_b(&runs).iter().all(|v| self.globals_vars.contains(v));
                    if iteration == Iteration::Last || !of_sizes {
                        conditions.push(runs);
                    }
                }
            }
            if index.depth() > DEEP || conditions.iter().any(|c| c.depth() > DEEP) {
                return None;
            }
        }
        Some((B::and(conditions), index))
    }

    fn room_at(&mut self, object: ObjId, premise: &B, index: &N, length: &N) {
        let mut leaves = Leaves::default();
        leaves.boolean(premise);
        leaves.numeric(index);
        leaves.numeric(length);
        let is_thread = |v: &Var| self.threads.iter().any(|(t, _)| t == v);
        let is_block = |v: &Var| self.blocks.iter().any(|(b, _)| b == v);
        let known = |v: &Var| is_thread(v) || is_block(v) || self.globals_vars.contains(v);
        let fits = |index: &N| index.lt(length);
        let mut last = Subst::new();
        for ((var, _), size) in self.threads.iter().zip(&self.block_dim) {
            last.bind(&var.name, &N::sub(IntTy::MATH, size, &N::num(1)));
        }
        let own = free_vars_n(index);
        let axes: Vec<usize> = (0..3).filter(|a| own.contains(&self.threads[*a].0)).collect();
        let says_something =
            axes.iter().any(|a| self.block_dim[*a].as_num().is_none()) || !axes.is_empty() && length.as_num().is_none();
        let of_threads = own.iter().all(|v| is_thread(v) || self.globals_vars.contains(v)) && is_sum(index);
        let mut premises = Leaves::default();
        premises.boolean(premise);
        let common = premises.functions.is_empty() && !premises.vars.iter().any(is_thread);
        if says_something && of_threads {
            let wish = (fits(&last.numeric(index)), common);
            if !self.room.contains(&wish) {
                self.room.push(wish);
            }
        }
        if !leaves.functions.is_empty() || !leaves.vars.iter().all(known) {
            return;
        }
        if !says_something || !of_threads {
            return;
        }
        let name = &self.info(object).name;
        let (fact, text) = match common {
            true => {
                let blocks = axes.iter().map(|a| format!("`blockDim.{}`", AXES[*a])).collect::<Vec<_>>().join(" and ");
                (last.numeric(index), format!("`{name}` has room for all threads, which limits {blocks}"))
            }
            false => (index.clone(), format!("each subscript of `{name}` stays within its dimension")),
        };
        self.takes_room(B::implies(premise, &fits(&fact)), Some(text));
    }

    /// A block has so many threads, if all of them get here, and no other number is taken already. [INF-COLLECTIVE]
    pub(super) fn takes_block(&mut self, threads: i128) {
        const OF_BLOCKS: &str = "a block has ";
        let all = self.block_dim.iter().fold(N::num(1), |all, size| N::mul(IntTy::MATH, &all, size));
        let text = format!("{OF_BLOCKS}{threads} threads, for which collective functions are made");
        let other = self.assumptions.iter().any(|known| known.starts_with(OF_BLOCKS) && *known != text);
        if all.as_num().is_none() && self.path.is_empty() && !other {
            self.takes_room(all.eq(&N::num(threads)), Some(text));
        }
    }

    pub(super) fn takes_room(&mut self, fact: B, text: Option<String>) {
        if fact.as_lit() == Some(true) {
            return;
        }
        if !self.pre.contains(&fact) {
            self.pre.push(fact);
        }
        if let Some(text) = text.filter(|text| !self.assumptions.contains(text)) {
            self.assumptions.push(text);
        }
    }
}

/// The last value of a range that is not empty.
fn last_of(range: &Range, step: &N) -> N {
    let before_end = N::sub(IntTy::MATH, &range.end, &N::num(1));
    match step.as_num() {
        Some(1) => before_end,
        _ => {
            let way = N::sub(IntTy::MATH, &before_end, &range.first);
            let steps = N::bin(NBin::Div, IntTy::MATH, &way, step);
            N::add(IntTy::MATH, &range.first, &N::mul(IntTy::MATH, &steps, step))
        }
    }
}

/// Does a subscript depend on a loop around it?
fn is_counted(index: &N, around: &[Around]) -> bool {
    let vars = free_vars_n(index);
    around.iter().any(|a| matches!(a, Around::For(range) if vars.contains(&range.var)))
}

/// The strides and lengths of the dimensions of an array of which they are known.
pub(super) fn dimensions(object: &Object) -> Vec<(u64, N)> {
    let mut all = Vec::new();
    let mut ty = &object.ty;
    while let Type::Array(elem, length) = ty {
        let length = match object.lengths.as_ref().and_then(|lengths| lengths.get(all.len())) {
            Some(length) => length.clone(),
            None => match length.filter(|n| elem.size() > 0 && *n != OPEN_ROW) {
                Some(length) => N::num(i128::from(length)),
                None => return all,
            },
        };
        all.push((elem.size(), length));
        ty = elem;
    }
    all
}

/// Is this a sum of variables, and of variables times constants? Conversions to wider types change nothing.
fn is_sum(term: &N) -> bool {
    match term.kind() {
        NExp::Num(_) | NExp::Var(_) => true,
        NExp::Cast(_, inner) => is_sum(inner),
        NExp::Bin(NBin::Add | NBin::Sub | NBin::Mul, _, l, r) => is_sum(l) && is_sum(r),
        _ => false,
    }
}
