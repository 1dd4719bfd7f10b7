//! Copies that a whole work-group makes in the background: from the call until the event is waited for, some work-item
//! of the group reads the source and writes the destination.

use std::sync::Arc;

use super::value::{Pointer, Value};
use super::{ObjectKind, Touches, Walk};
use crate::base::Span;
use crate::core::protocol::Fence;
use crate::core::{Mode, Protocol, Range, Scope};
use crate::exp::{B, Fun, FunKind, IntTy, N, Var};
use crate::kernel::ir::{Builtin, Expr};
use crate::kernel::types::Type;

/// A copy that is not known to be over.
#[derive(Clone)]
pub struct Copy {
    /// The event that is waited for.
    event: i128,
    span: Span,
    /// How many loops it is in.
    depth: usize,
    path: Vec<B>,
    /// Which work-item of the group makes it.
    by: N,
    from: Pointer,
    to: Pointer,
    length: Length,
    /// The type of the elements, if it is not known.
    unknown: Option<Arc<str>>,
}

/// How much is copied.
#[derive(Clone)]
enum Length {
    Bytes(u64),
    /// So many elements of so many bytes.
    Elements(N, u64),
}

/// A barrier that orders nothing: all work-items of the group have to come here.
const TOGETHER: Fence = Fence { shared: false, global: false };

impl<'p> Walk<'p> {
    /// `async_work_group_copy(to, from, elements, event)`: the value is the event.
    pub(super) fn group_copy(&mut self, args: &'p [Expr], span: Span) -> Value {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.eval(arg));
        }
        let [to, from, elements, event] = values.as_slice() else {
            self.lose("unknown-construct", "this copy is not supported", span, Touches::Everything);
            return Value::Num(N::num(0));
        };
        self.barrier(Scope::Block, None, TOGETHER, span);
        let (to, from) = (self.as_pointer(to.clone()), self.as_pointer(from.clone()));
        let size = args[0].ty.element().map_or(1, Type::size);
        let number = |value: &Value| match value {
            Value::Num(n) => n.as_num(),
            _ => None,
        };
        let unknown = args[0].ty.element().and_then(Type::unknown_unit);
        let length = match elements {
            Value::Num(n) => match n.as_num() {
                Some(n) => u64::try_from(n).ok().and_then(|n| n.checked_mul(size)).map(Length::Bytes),
                None => Some(Length::Elements(n.clone(), size)),
            },
            _ => None,
        };
        // One for each time that the copy is walked; far apart, so that an event plus one is no other event.
        let own = (self.events.len() as i128 + 1) << 20;
        let differs = [&to, &from].into_iter().flat_map(|p| &p.targets).any(|target| {
            let guard = target.guard.as_number();
            self.term_has_thread(&guard) || target.offset.terms.iter().any(|(n, _)| self.term_has_thread(n))
        });
        let differs =
            differs || [elements, event].iter().any(|v| matches!(v, Value::Num(n) if self.term_has_thread(n)));
        let alone = self.block_dim.iter().all(|extent| extent.as_num() == Some(1));
        let given = number(event);
        let event = given.filter(|n| *n != 0).unwrap_or(own);
        match length.filter(|_| given.is_some()) {
            Some(length) if !differs && !alone && to.unknown.is_none() && from.unknown.is_none() => {
                let name = self.names.fresh("copier");
                let blocks = self.blocks.iter().filter(|(_, extent)| extent.as_num() != Some(1));
                let mut place: Vec<N> = blocks.map(|(var, _)| N::var(var)).collect();
                place.extend(self.counters.iter().cloned());
                let by = N::call(Fun { name, ty: IntTy::U32, kind: FunKind::Input }, place);
                let (depth, path) = (self.counters.len(), self.path.clone());
                let copy = Copy { event, span, depth, path, by, from: from.clone(), to: to.clone(), length, unknown };
                self.no_step(span);
                self.copy_accesses(&copy);
                self.copies.push(copy);
            }
            _ => {
                let why = if differs {
                    "the arguments of this copy may differ between work-items"
                } else if alone {
                    "this copy runs beside the only work-item of its group, which is not modelled"
                } else {
                    "what this copies, or the event that it joins, is not known"
                };
                self.lose("unknown-value", why, span, Touches::Everything);
            }
        }
        for target in [&to, &from].into_iter().flat_map(|p| p.targets.clone()) {
            if matches!(self.info(target.object).kind, ObjectKind::Array(_)) {
                self.touch(target.object);
            }
        }
        Value::Num(N::num(event))
    }

    /// `wait_group_events(n, events)`.
    pub(super) fn wait_for_copies(&mut self, args: &'p [Expr], span: Span) -> Value {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.eval(arg));
        }
        self.barrier(Scope::Block, None, TOGETHER, span);
        let mut events = Some(Vec::new());
        if let [Value::Num(count), list] = values.as_slice() {
            let pointer = self.as_pointer(list.clone());
            let count = count.as_num().filter(|n| (0..=256).contains(n));
            for i in 0..count.unwrap_or(0) {
                let at = pointer.map(|o| o.bytes(i * 8));
                let event = match self.load(&at, &Type::Int(IntTy::U64), span) {
                    Value::Num(n) => n.as_num(),
                    _ => None,
                };
                events = events.zip(event).map(|(mut all, event)| {
                    all.push(event);
                    all
                });
            }
            if count.is_none() {
                events = None;
            }
        } else {
            events = None;
        }
        match events {
            Some(events) => {
                let path = self.path.clone();
                // Only where it is waited for whenever the copy was begun.
                self.copies.retain(|copy| !events.contains(&copy.event) || !copy.path.starts_with(&path));
            }
            None => {
                self.copies.clear();
                self.lose("unknown-value", "which copies this waits for is not known", span, Touches::Everything);
            }
        }
        Value::Void
    }

    /// After a barrier: the copies go on.
    pub(super) fn copies_go_on(&mut self) {
        for copy in self.copies.clone() {
            self.copy_accesses(&copy);
        }
    }

    /// Copies that an iteration begins and does not wait for.
    pub(super) fn copies_left_by_loop(&mut self) {
        let depth = self.counters.len();
        for copy in self.copies.clone().into_iter().filter(|c| c.depth > depth) {
            let text = "the iteration that begins this copy does not wait for it, which is not modelled";
            self.lose("unknown-construct", text, copy.span, Touches::Everything);
        }
        self.copies.retain(|c| c.depth <= depth);
    }

    fn copy_accesses(&mut self, copy: &Copy) {
        let extents = self.block_dim.clone();
        let mut linear = N::num(0);
        for axis in (0..3u8).rev() {
            let index = self.builtin(Builtin::ThreadIdx(axis));
            let scaled = N::mul(IntTy::MATH, &linear, &extents[usize::from(axis)]);
            linear = N::add(IntTy::MATH, &scaled, &index);
        }
        let mut conditions = copy.path.clone();
        conditions.push(linear.eq(&copy.by));
        let when = B::and(conditions);
        for (pointer, mode) in [(&copy.from, Mode::Rd), (&copy.to, Mode::Wr(None))] {
            for target in &pointer.targets {
                match self.info(target.object).kind {
                    ObjectKind::Array(_) => {
                        let unknown = copy.unknown.clone();
                        let access = match &copy.length {
                            Length::Bytes(0) => continue,
                            Length::Bytes(bytes) => {
                                self.access(target.object, &target.offset, *bytes, unknown, mode.clone(), copy.span)
                            }
                            Length::Elements(count, size) => {
                                let part = Var { name: self.names.fresh("part"), ty: IntTy::MATH };
                                let offset = target.offset.moved(&N::var(&part), *size, unknown.clone());
                                let one = self.access(target.object, &offset, *size, unknown, mode.clone(), copy.span);
                                Protocol::For(Range::up(part, N::num(0), count.clone()), Box::new(one))
                            }
                        };
                        let guard = B::and([when.clone(), target.guard.clone()]);
                        self.emit(Protocol::branch(&guard, access, Protocol::Skip));
                    }
                    ObjectKind::Constant if mode != Mode::Rd => self.written_constant(target.object, copy.span),
                    ObjectKind::Constant => {}
                    ObjectKind::Private => self.clobber(target.object),
                }
            }
        }
    }
}
