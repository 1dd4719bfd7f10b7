//! Results of atomic operations of which something is known. [INF-TICKET]

use std::collections::{BTreeMap, BTreeSet};

use super::value::{ObjId, Target, Value};
use super::{ObjectKind, Walk, conjuncts};
use crate::core::tickets::WHOLE_RUN;
use crate::core::{Mode, Protocol, Scope, Space};
use crate::exp::{B, Fun, FunKind, IntTy, N, NBin, NExp, Order, Ticket};
use crate::kernel::ir::Builtin;
use crate::kernel::types::Type;

/// What an operation may do to the cells of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    Up(IntTy),
    Down(IntTy),
    Swap(IntTy, i128),
    Compare(IntTy, i128, i128),
    /// Anything.
    Other,
}

/// Counters in shared memory.
#[derive(Default)]
pub struct Counters {
    /// Those to which something else than 1 may be added.
    uneven: BTreeSet<ObjId>,
    /// Those that no thread counts twice between two barriers of the block, nor stores to where it counts.
    once: BTreeSet<ObjId>,
    /// By array, what is added to it that has to be the total of a counter.
    totals: BTreeMap<ObjId, Vec<N>>,
    /// Of how many threads of the block a condition holds.
    holds_of: Vec<(B, N)>,
    /// By array, those of these numbers that are of threads among which are all that count there.
    among: BTreeMap<ObjId, Vec<N>>,
}

/// Where a counter with known bounds begins at most.
const SMALL: i128 = 1 << 10;

/// So many threads as there are do not bring a counter of the type around by such steps.
fn small(ty: &Type) -> i128 {
    if matches!(ty, Type::Int(int) if int.bits == 32) { 1 << 10 } else { 1 << 31 }
}

/// What a thread has done to a counter since the last barrier.
#[derive(Clone, Copy, PartialEq, Default)]
struct Since {
    counted: bool,
    stored: bool,
}

/// Is there one order in which all these operations change a cell?
pub fn agree(uses: &BTreeSet<Use>) -> bool {
    let Some(first) = uses.first() else { return false };
    match first {
        Use::Up(_) | Use::Down(_) | Use::Swap(..) => uses.len() == 1,
        Use::Compare(ty, ..) => {
            // What one of them stores is replaced by none.
            let replaced = |n: i128| uses.iter().any(|u| matches!(u, Use::Compare(_, old, _) if *old == n));
            uses.iter().all(|u| matches!(u, Use::Compare(t, _, new) if t == ty && !replaced(*new)))
        }
        Use::Other => false,
    }
}

impl Walk<'_> {
    /// An operation on a place of an array whose result is not followed.
    pub(super) fn changes(&mut self, object: ObjId) {
        self.atomics.entry(object).or_default().insert(Use::Other);
    }

    /// The result of an atomic operation on this place, and on no other.
    pub(super) fn taken(&mut self, target: &Target, ty: &Type, name: &str, operands: &[Value]) -> Option<N> {
        let (use_, order, operand) = match (ty, self.what(ty, name, operands)) {
            (Type::Int(_), Some(known)) if target.offset.terms.iter().all(|(n, _)| n.depth() <= 30) => known,
            _ => {
                self.changes(target.object);
                return None;
            }
        };
        self.atomics.entry(target.object).or_default().insert(use_);
        self.counts_among(target.object);
        if operand.as_num() != Some(1) {
            self.counters_of_blocks.uneven.insert(target.object);
        }
        if self.may_be_total(&operand) && self.ranges.interval(&operand).hi.is_none_or(|hi| hi > small(ty)) {
            self.counters_of_blocks.totals.entry(target.object).or_default().push(operand.clone());
        }
        let Type::Int(int) = ty else { return None };
        let mut cell = vec![N::num(i128::from(target.object.0))];
        let of_block = self.info(target.object).kind == ObjectKind::Array(Space::Shared);
        if of_block {
            cell.extend(self.several_blocks());
        }
        cell.extend([target.offset.as_term(), self.state.epoch.clone()]);
        let thread = self.coordinates();
        // What the bounds are shows at the end.
        let bounded = of_block && order == Order::Up && target.offset.as_term().as_num().is_some();
        let ticket = Ticket { order, cell: cell.len() as u8, thread: thread.len() as u8, bounded };
        let path = B::and(self.path.clone());
        let made = if path.depth() <= 30 { path.as_number() } else { N::num(0) };
        let bounds = if bounded { vec![made, N::num(0), N::num(0)] } else { Vec::new() };
        let args = [operand].into_iter().chain(cell).chain(thread).chain(bounds).chain(self.counters.iter().cloned());
        let fun = Fun { name: self.names.fresh(&format!("atomic{name}")), ty: *int, kind: FunKind::Ticket(ticket) };
        Some(N::call(fun, args.collect()))
    }

    /// `__syncthreads_count(cond)`, outside of loops. [INF-COUNT]
    pub(super) fn holds_of(&mut self, cond: &B) -> N {
        let number = self.fresh_uniform("__syncthreads_count", IntTy::I32);
        let threads = self.builtin(Builtin::BlockSize);
        let most = N::bin(NBin::Min, IntTy::MATH, &number, &threads);
        let number = N::bin(NBin::Max, IntTy::MATH, &most, &N::num(0));
        if self.counters.is_empty() {
            self.counters_of_blocks.holds_of.push((cond.clone(), number.clone()));
        }
        number
    }

    fn counts_among(&mut self, object: ObjId) {
        let holds = |cond: &B| conjuncts(cond).iter().all(|c| self.path.contains(c));
        let now = self.counters_of_blocks.holds_of.iter().filter(|(cond, _)| holds(cond)).map(|(_, n)| n.clone());
        let now: Vec<N> = now.collect();
        let among = self.counters_of_blocks.among.entry(object).or_insert_with(|| now.clone());
        among.retain(|n| now.contains(n));
    }

    fn what(&self, ty: &Type, name: &str, operands: &[Value]) -> Option<(Use, Order, N)> {
        let Type::Int(int) = ty else { return None };
        let numbers: Option<Vec<&N>> =
            operands.iter().map(|v| if let Value::Num(n) = v { Some(n) } else { None }).collect();
        let numbers = numbers?;
        if int.bits < 32 {
            return None;
        }
        let math = IntTy::MATH;
        let up = |by: N| Some((Use::Up(*int), Order::Up, by));
        let down = |by: N| Some((Use::Down(*int), Order::Down, by));
        let (add, sub) = match name {
            "Add" | "add" | "fetch_add" => (true, false),
            "Sub" | "sub" | "fetch_sub" => (false, true),
            "inc" => return up(N::num(1)),
            "dec" => return down(N::num(1)),
            _ => (false, false),
        };
        if add || sub {
            // A constant that is close to the end of an unsigned type means what is below zero.
            let by = match numbers.first()?.as_num() {
                Some(n) => N::num(IntTy { signed: true, ..*int }.wrap(n)),
                None => N::cast(*int, numbers.first()?),
            };
            let limits = self.ranges.interval(&by);
            let small = small(ty);
            return match (limits.lo?, limits.hi?) {
                (lo, hi) if lo >= 0 && hi <= small => {
                    if add {
                        up(by)
                    } else {
                        down(by)
                    }
                }
                (lo, hi) if hi <= 0 && lo >= -small => {
                    let by = N::sub(math, &N::num(0), &by);
                    if add { down(by) } else { up(by) }
                }
                // That it is small shows at the end.
                _ if add && self.may_be_total(&by) => up(by),
                _ => None,
            };
        }
        let constant = |i: usize| numbers.get(i).and_then(|n| n.as_num()).map(|n| int.wrap(n));
        match name {
            "Exch" | "xchg" | "exchange" => Some((Use::Swap(*int, constant(0)?), Order::Swap, N::num(constant(0)?))),
            "CAS" | "cmpxchg" => {
                Some((Use::Compare(*int, constant(0)?, constant(1)?), Order::Compare, N::num(constant(0)?)))
            }
            _ => None,
        }
    }

    /// A result as it is known at the end, when all operations on its array are: what it was, without the time when the
    /// array is only changed by operations of its order, or nothing but a value of the thread.
    pub(super) fn settled_ticket(&self, fun: &Fun, args: &[N], written: &dyn Fn(ObjId) -> bool) -> Option<N> {
        let FunKind::Ticket(ticket) = fun.kind else { return None };
        let cell = usize::from(ticket.cell);
        let object = args.get(1)?.as_num().and_then(|n| u32::try_from(n).ok()).map(ObjId)?;
        // Where nothing else changes it, no race does.
        let alone = !written(object) && !self.lockstep;
        if ticket.order == Order::Total {
            return None;
        }
        let totals = self.counters_of_blocks.totals.get(&object);
        let agreed = (alone || self.settles(object))
            && self.atomics.get(&object).is_some_and(agree)
            && totals.is_none_or(|all| all.iter().all(|n| self.is_total(n)));
        let (mut fun, mut args) = (fun.clone(), args.to_vec());
        if ticket.bounded {
            let at = 1 + cell + usize::from(ticket.thread);
            let made = args.get(at)?.ne(&N::num(0));
            let bounds = args
                .get(cell - 1)?
                .as_num()
                .and_then(|place| self.bounds(object, place, fun.ty, args.get(cell)?, &made));
            match bounds.filter(|_| agreed) {
                Some([least, beyond]) => {
                    let most = N::sub(IntTy::MATH, &beyond, &N::num(1));
                    args.splice(at + 1..at + 3, [least, most]);
                }
                None => {
                    args.drain(at..at + 3);
                    fun.kind = FunKind::Ticket(Ticket { bounded: false, ..ticket });
                }
            }
        }
        if !agreed {
            let own = Fun { kind: FunKind::Abstract, ..fun };
            return Some(N::call(own, args.get(1 + cell..)?.to_vec()));
        }
        if !written(object) {
            *args.get_mut(cell)? = N::num(WHOLE_RUN);
        }
        Some(N::call(fun, args))
    }

    fn several_blocks(&self) -> impl Iterator<Item = N> {
        self.blocks.iter().filter(|(_, e)| e.as_num() != Some(1)).map(|(v, _)| N::var(v))
    }

    /// Is this what a place in shared memory holds, as it was at the start of a phase?
    fn may_be_total(&self, term: &N) -> bool {
        match term.kind() {
            NExp::Cast(ty, inner) => ty.bits >= 32 && self.may_be_total(inner),
            NExp::Call(fun, args) => {
                let of_block = |object| self.info(object).kind == ObjectKind::Array(Space::Shared);
                self.contents.get(&fun.name).is_some_and(|c| of_block(c.object) && c.strides.is_empty())
                    && args.first().is_some_and(|version| matches!(version.kind(), NExp::Call(..)))
            }
            _ => false,
        }
    }

    fn is_total(&self, term: &N) -> bool {
        match term.kind() {
            NExp::Cast(ty, inner) => ty.bits >= 32 && self.is_total(inner),
            NExp::Call(fun, args) => self.content(fun, args).is_some_and(
                |n| matches!(n.kind(), NExp::Call(fun, _) if matches!(fun.kind, FunKind::Ticket(Ticket { order: Order::Total, .. }))),
            ),
            _ => false,
        }
    }

    /// The counters that no thread counts twice between two barriers.
    pub(super) fn find_counters(&mut self, protocol: &Protocol) {
        let is_one = |(object, uses): (&ObjId, &BTreeSet<Use>)| {
            let info = self.info(*object);
            let ones = matches!(uses.first(), Some(Use::Up(_))) && !self.counters_of_blocks.uneven.contains(object);
            let found = ones
                && agree(uses)
                && info.kind == ObjectKind::Array(Space::Shared)
                && since(protocol, info.name.as_str(), Since::default()).is_some();
            found.then_some(*object)
        };
        self.counters_of_blocks.once = self.atomics.iter().filter_map(is_one).collect();
    }

    /// Where the results of a counter begin in a phase, and where they end, if an operation is made. [INF-TICKET-ONCE]
    fn bounds(&self, object: ObjId, place: i128, ty: IntTy, phase: &N, made: &B) -> Option<[N; 2]> {
        let counts = self.counters_of_blocks.once.contains(&object) && self.settles(object) && !self.lockstep;
        let first = self.starts_as(object, place, u64::from(ty.bits / 8), phase).filter(|_| counts)?;
        if !(0..=SMALL).contains(&first) {
            return None;
        }
        let threads = self.threads.iter().fold(N::num(1), |all, (_, extent)| N::mul(IntTy::MATH, &all, extent));
        // (What no operation has given is left over among the results of all threads.)
        let among = self.counters_of_blocks.among.get(&object).into_iter().flatten();
        let fewer = among.fold(threads.clone(), |most, n| N::bin(NBin::Min, IntTy::MATH, &most, n));
        let most = N::ite(made, &fewer, &threads);
        Some([N::num(first), N::add(IntTy::MATH, &N::num(first), &most)])
    }

    /// What a counter of the block has reached at the end of a phase. [INF-TICKET-TOTAL]
    pub(super) fn total(&self, object: ObjId, place: i128, ty: IntTy, phase: &N) -> Option<N> {
        let of_type = self.atomics.get(&object).is_some_and(|uses| uses.contains(&Use::Up(ty)));
        let [least, most] = self.bounds(object, place, ty, phase, &B::lit(true)).filter(|_| of_type)?;
        let cell: Vec<N> = [N::num(i128::from(object.0))]
            .into_iter()
            .chain(self.several_blocks())
            .chain([N::num(place), phase.clone()])
            .collect();
        let ticket = Ticket { order: Order::Total, cell: cell.len() as u8, thread: 0, bounded: true };
        let name = format!("{}.total", self.info(object).name);
        let fun = Fun { name: name.as_str().into(), ty, kind: FunKind::Ticket(ticket) };
        Some(N::call(fun, [N::num(0)].into_iter().chain(cell).chain([N::num(1), least, most]).collect()))
    }
}

/// What a thread has done to a counter since the last barrier when it comes from here to the end: nothing is returned if it
/// may count twice between two barriers, or store where it counts.
fn since(protocol: &Protocol, array: &str, mut now: Since) -> Option<Since> {
    let join = |a: Since, b: Since| Since { counted: a.counted || b.counted, stored: a.stored || b.stored };
    match protocol {
        Protocol::Access(access) if access.array.as_str() == array => {
            match access.mode {
                Mode::Rd => return Some(now),
                Mode::At(_) if now.counted => return None,
                Mode::At(_) => now.counted = true,
                Mode::Wr(_) => now.stored = true,
            }
            (!(now.counted && now.stored)).then_some(now)
        }
        Protocol::Skip | Protocol::Access(_) => Some(now),
        Protocol::Sync(b) => {
            let of_all = b.scope >= Scope::Block && b.mask.is_none() && b.fence.shared;
            Some(if of_all { Since::default() } else { now })
        }
        Protocol::Seq(parts) => parts.iter().try_fold(now, |now, part| since(part, array, now)),
        Protocol::If(_, t, e) => Some(join(since(t, array, now)?, since(e, array, now)?)),
        Protocol::For(_, body) => {
            // In any iteration.
            loop {
                let next = join(now, since(body, array, now)?);
                if next == now {
                    return Some(now);
                }
                now = next;
            }
        }
    }
}
