//! Results of atomic operations of which something is known. [INF-TICKET]

use std::collections::BTreeSet;

use super::value::{ObjId, Target, Value};
use super::{ObjectKind, Walk};
use crate::core::Space;
use crate::exp::{Fun, FunKind, IntTy, N, Order, Ticket};
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
        let Type::Int(int) = ty else { return None };
        let mut cell = vec![N::num(i128::from(target.object.0))];
        if self.info(target.object).kind == ObjectKind::Array(Space::Shared) {
            cell.extend(self.blocks.iter().filter(|(_, e)| e.as_num() != Some(1)).map(|(v, _)| N::var(v)));
        }
        cell.extend([target.offset.as_term(), self.state.epoch.clone()]);
        let thread = self.coordinates();
        let ticket = Ticket { order, cell: cell.len() as u8, thread: thread.len() as u8 };
        let args = [operand].into_iter().chain(cell).chain(thread).chain(self.counters.iter().cloned());
        let fun = Fun { name: self.names.fresh(&format!("atomic{name}")), ty: *int, kind: FunKind::Ticket(ticket) };
        Some(N::call(fun, args.collect()))
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
            // So many threads as there are do not bring the counter around by such steps.
            let small = if int.bits == 32 { 1 << 10 } else { 1 << 31 };
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
        let agreed = (alone || self.settles(object)) && self.atomics.get(&object).is_some_and(agree);
        if !agreed {
            let own = Fun { kind: FunKind::Abstract, ..fun.clone() };
            return Some(N::call(own, args.get(1 + cell..)?.to_vec()));
        }
        let mut args = args.to_vec();
        if !written(object) {
            *args.get_mut(cell)? = N::num(0);
        }
        Some(N::call(fun.clone(), args))
    }
}
