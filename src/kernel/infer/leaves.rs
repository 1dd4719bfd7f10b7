//! Arrays of which a subscript surely leaves its dimension: their places are compared as sums. [INF-LEAVES]

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::value::ObjId;
use super::{Object, Walk};
use crate::base::Name;
use crate::core::range::{Range, RangeValues};
use crate::core::{Access, Protocol, SiteId};
use crate::exp::subst::Leaves;
use crate::exp::{B, BExp, Env, N, Var, eval_b, eval_n};
use crate::kernel::types::{OPEN_ROW, Type};

/// Values of the variables of one subscript that are tried, and of all of a kernel.
const TRIES: usize = 1 << 12;
const ALL_TRIES: usize = 1 << 16;

/// What stands around an access.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Around<'p> {
    If(B),
    For(&'p Range),
}

/// A subscript of an inner dimension, and what it depends on, from the outside to the inside.
struct Subscript<'p> {
    index: &'p N,
    length: i128,
    /// The coordinates of threads, and whether all the values are those of threads of each launch.
    threads: Vec<(Name, i128)>,
    sure: bool,
    around: Vec<Around<'p>>,
}

/// What was seen of the values that a subscript has.
#[derive(Default)]
struct Seen {
    tries: usize,
    within: bool,
    beyond: bool,
}

impl<'p> Walk<'p> {
    /// The accesses of which a subscript is beyond its dimension, whatever the parameters, and their arrays: in a thread that
    /// the launch has, or, where the size of blocks is not known, in all threads that make the access.
    pub(super) fn leaving(&self, protocol: &Protocol) -> BTreeSet<(Name, SiteId)> {
        let bounded = |id: &ObjId| inner_dimensions(self.info(*id)).len() > 1;
        let bounded: Vec<ObjId> = (0..self.objects.len() as u32).map(ObjId).filter(bounded).collect();
        let mut found =
            Leaving { walk: self, bounded, known: FxHashMap::default(), left: ALL_TRIES, found: BTreeSet::new() };
        if !found.bounded.is_empty() {
            found.look(protocol, &mut Vec::new());
        }
        found.found
    }
}

struct Leaving<'w, 'p, 'a> {
    walk: &'w Walk<'p>,
    bounded: Vec<ObjId>,
    /// Subscripts that were looked at, with the lengths of their dimensions: do they leave these?
    known: FxHashMap<(N, i128, Vec<Around<'a>>), bool>,
    left: usize,
    found: BTreeSet<(Name, SiteId)>,
}

impl<'a> Leaving<'_, '_, 'a> {
    fn look(&mut self, protocol: &'a Protocol, around: &mut Vec<Around<'a>>) {
        match protocol {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Seq(parts) => parts.iter().for_each(|part| self.look(part, around)),
            Protocol::If(cond, then, els) => {
                for (cond, part) in [(cond.clone(), then), (B::not(cond), els)] {
                    around.push(Around::If(cond));
                    self.look(part, around);
                    around.pop();
                }
            }
            Protocol::For(range, body) => {
                around.push(Around::For(range));
                self.look(body, around);
                around.pop();
            }
            Protocol::Access(access) => self.access(access, around),
        }
    }

    fn access(&mut self, access: &'a Access, around: &[Around<'a>]) {
        let event = &self.walk.events[access.site.0 as usize];
        let object = self.bounded.iter().find(|id| self.walk.info(**id).name == access.array);
        let Some(object) = object.filter(|_| !event.flat) else { return };
        let dimensions = inner_dimensions(self.walk.info(*object));
        if !event.strides.iter().zip(&dimensions).all(|(own, (stride, _))| own == stride) {
            return;
        }
        let subscripts = access.index.iter().zip(&dimensions).skip(1);
        for (index, (_, length)) in subscripts.filter(|(index, _)| index.as_num().is_none()) {
            let Some(length) = *length else { continue };
            let Some(subscript) = self.subscript(index, i128::from(length), around) else { continue };
            let key = (index.clone(), subscript.length, subscript.around.clone());
            let leaves = match self.known.get(&key) {
                Some(known) => *known,
                None => self.leaves(&subscript),
            };
            self.known.insert(key, leaves);
            if leaves {
                self.found.insert((access.array.clone(), access.site));
            }
        }
    }

    /// A subscript of which all is known but what is the same for all threads; none where something else speaks of it.
    fn subscript(&self, index: &'a N, length: i128, around: &[Around<'a>]) -> Option<Subscript<'a>> {
        let conditions: Vec<Around> = around.iter().flat_map(parts).collect();
        let mut of = Leaves::default();
        of.numeric(index);
        let mut taken = vec![false; conditions.len()];
        loop {
            let mut more = false;
            for (i, condition) in conditions.iter().enumerate().filter(|(i, _)| !taken[*i]).collect::<Vec<_>>() {
                let mut own = Leaves::default();
                let speaks = match condition {
                    Around::If(cond) => {
                        own.boolean(cond);
                        own.vars.iter().any(|v| of.vars.contains(v))
                    }
                    Around::For(range) => {
                        range.terms().into_iter().for_each(|n| own.numeric(n));
                        of.vars.contains(&range.var)
                    }
                };
                if speaks {
                    match condition {
                        Around::If(cond) => of.boolean(cond),
                        Around::For(range) => range.terms().into_iter().for_each(|n| of.numeric(n)),
                    }
                    taken[i] = true;
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
        let around: Vec<Around> =
            conditions.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(c, _)| c).collect();
        let is_counted = |v: &Var| around.iter().any(|a| matches!(a, Around::For(range) if range.var == *v));
        let mut threads = Vec::new();
        let mut sure = true;
        for ((var, _), (size, most)) in self.walk.threads.iter().zip(self.walk.block_dim.iter().zip([1024, 1024, 64])) {
            if of.vars.contains(var) {
                sure &= size.as_num().is_some();
                threads.push((var.name.clone(), size.as_num().unwrap_or(most)));
            }
        }
        let is_thread = |v: &Var| self.walk.threads.iter().any(|(thread, _)| thread == v);
        let closed = of.functions.is_empty() && of.vars.iter().all(|v| is_thread(v) || is_counted(v));
        closed.then_some(Subscript { index, length, threads, sure, around })
    }

    fn leaves(&mut self, subscript: &Subscript) -> bool {
        let mut seen = Seen::default();
        let most = self.left.min(TRIES);
        let all = subscript.threads(&mut Env::new(), 0, most, &mut seen);
        self.left -= seen.tries.min(self.left);
        seen.beyond && (subscript.sure || all && !seen.within)
    }
}

impl Subscript<'_> {
    /// Were all values tried? Where one that is beyond is enough, not more are.
    fn threads(&self, env: &mut Env, at: usize, most: usize, seen: &mut Seen) -> bool {
        let Some((name, size)) = self.threads.get(at) else { return self.inside(env, 0, most, seen) };
        // The last threads are those that leave it.
        for value in (0..*size).rev() {
            env.set(name, value);
            if !self.threads(env, at + 1, most, seen) {
                return false;
            }
        }
        true
    }

    fn inside(&self, env: &mut Env, at: usize, most: usize, seen: &mut Seen) -> bool {
        match self.around.get(at) {
            None => {
                seen.tries += 1;
                let Ok(value) = eval_n(self.index, env) else { return false };
                let is_within = (0..self.length).contains(&value);
                seen.within |= is_within;
                seen.beyond |= !is_within;
                !(seen.tries > most || seen.beyond && self.sure || seen.within && !self.sure)
            }
            Some(Around::If(cond)) => {
                seen.tries += 1;
                match eval_b(cond, env) {
                    _ if seen.tries > most => false,
                    Ok(true) => self.inside(env, at + 1, most, seen),
                    Ok(false) => true,
                    Err(_) => false,
                }
            }
            Some(Around::For(range)) => {
                let [Ok(first), Ok(end), Ok(amount)] = range.terms().map(|n| eval_n(n, env)) else { return false };
                for value in RangeValues::new(first, end, &range.step, amount) {
                    seen.tries += 1;
                    env.set(&range.var.name, value);
                    if seen.tries > most || !self.inside(env, at + 1, most, seen) {
                        return false;
                    }
                }
                true
            }
        }
    }
}

/// The parts of a condition that have to hold, each for itself.
fn parts<'p>(around: &Around<'p>) -> Vec<Around<'p>> {
    match around {
        Around::If(cond) => match cond.kind() {
            BExp::And(all) => all.iter().flat_map(|part| parts(&Around::If(part.clone()))).collect(),
            _ => vec![around.clone()],
        },
        Around::For(_) => vec![around.clone()],
    }
}

/// The strides of the dimensions of an array, and their lengths where these are numbers.
fn inner_dimensions(object: &Object) -> Vec<(u64, Option<u64>)> {
    let mut all = Vec::new();
    let mut ty = &object.ty;
    while let Type::Array(elem, length) = ty {
        let given = object.lengths.is_some();
        all.push((elem.size(), length.filter(|n| !given && *n > 0 && *n != OPEN_ROW)));
        ty = elem;
    }
    all
}
