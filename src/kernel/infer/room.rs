//! What an array of the block says about the size of blocks: its subscripts stay within its dimensions.

use super::value::{ObjId, Offset};
use super::{AXES, ObjectKind, Walk};
use crate::core::Space;
use crate::exp::subst::Leaves;
use crate::exp::{B, IntTy, N, NBin, NExp, Subst, Var, free_vars_n};
use crate::kernel::types::Type;

impl Walk<'_> {
    /// Every thread of a block stores to this place, if one does: a block of unknown size is no larger than the array has room for. [INF-ROOM]
    pub(super) fn make_room(&mut self, object: ObjId, offset: &Offset, guard: &B) {
        // How often a loop goes round may differ between threads, and be never.
        if !self.counters.is_empty() || !self.is_common_path(guard) {
            return self.wish_room(object, offset, guard);
        }
        for (fact, text) in self.room_for(object, offset) {
            if !self.pre.contains(&fact) {
                self.pre.push(fact);
            }
            if !self.assumptions.contains(&text) {
                self.assumptions.push(text);
            }
        }
    }

    /// The same where nothing rests on it: a run with more threads may leave the array, and surely does if all threads come here.
    pub(super) fn wish_room(&mut self, object: ObjId, offset: &Offset, guard: &B) {
        let all = self.is_common_path(guard);
        for (fact, _) in self.room_for(object, offset) {
            if !self.room.contains(&(fact.clone(), all)) {
                self.room.push((fact, all));
            }
        }
    }

    /// What the last thread of a block needs to find room at a place that depends on nothing but the position in the block,
    /// and in words.
    fn room_for(&self, object: ObjId, offset: &Offset) -> Vec<(B, String)> {
        let mut found = Vec::new();
        let info = self.info(object);
        let is_shared = info.kind == ObjectKind::Array(Space::Shared);
        if !is_shared || offset.flat || offset.constant != 0 || offset.unknown.is_some() {
            return found;
        }
        let dimensions = dimensions(&info.ty);
        let mut last = Subst::new();
        for ((var, _), size) in self.threads.iter().zip(&self.block_dim) {
            last.bind(&var.name, &N::sub(IntTy::MATH, size, &N::num(1)));
        }
        for (index, stride) in &offset.terms {
            let Some((_, length)) = dimensions.iter().find(|(own, _)| own == stride) else { continue };
            let own = |v: &Var| self.threads.iter().any(|(t, _)| t.name == v.name);
            let vars = free_vars_n(index);
            let sizes: Vec<usize> = (0..3)
                .filter(|a| {
                    self.block_dim[*a].as_num().is_none() && vars.iter().any(|v| v.name == self.threads[*a].0.name)
                })
                .collect();
            if sizes.is_empty() || !vars.iter().all(own) || !is_sum(index) {
                continue;
            }
            let fact = last.numeric(index).le(&N::num(i128::from(*length) - 1));
            let blocks = sizes.iter().map(|a| format!("`blockDim.{}`", AXES[*a])).collect::<Vec<_>>().join(" and ");
            found.push((fact, format!("`{}` has room for all threads, which limits {blocks}", info.name)));
        }
        found
    }

    /// Do all threads of a block come here together, in each round of a loop?
    fn is_common_path(&self, guard: &B) -> bool {
        let mut leaves = Leaves::default();
        self.path.iter().for_each(|cond| leaves.boolean(cond));
        let comes = guard.as_lit() == Some(true);
        comes && leaves.functions.is_empty() && !self.threads.iter().any(|(t, _)| leaves.vars.contains(t))
    }
}

/// The strides and lengths of the dimensions of an array whose size is known.
fn dimensions(ty: &Type) -> Vec<(u64, u64)> {
    match ty {
        Type::Array(elem, Some(length)) if elem.size() > 0 => {
            let mut all = vec![(elem.size(), *length)];
            all.extend(dimensions(elem));
            all
        }
        _ => Vec::new(),
    }
}

/// Is this a sum of variables times constants? Conversions to wider types change nothing.
fn is_sum(term: &N) -> bool {
    match term.kind() {
        NExp::Num(_) | NExp::Var(_) => true,
        NExp::Cast(_, inner) => is_sum(inner),
        NExp::Bin(NBin::Add | NBin::Sub, _, l, r) => is_sum(l) && is_sum(r),
        NExp::Bin(NBin::Mul, _, l, r) => is_sum(l) && is_sum(r) && (l.as_num().is_some() || r.as_num().is_some()),
        _ => false,
    }
}
