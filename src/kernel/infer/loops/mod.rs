//! Loops: what an iteration changes gets a closed form in the iteration counter where it has one; the loop becomes a range.
//!
//! The body is walked once, with a placeholder for everything that it may change. What the placeholder has become after
//! the body says how it changes: not at all, by an invariant step, by a constant factor, to something that depends on
//! nothing carried, or otherwise. In the last case its value is an uninterpreted function of the iteration and of all
//! that the change depends on, so that two threads that agree on these agree on the value.

mod carried;
mod closed;
mod code;
mod finish;
mod held;
mod invariants;
mod leading;
mod powers;
pub(super) mod range;
mod spin;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use carried::differs;
pub(super) use code::{contains_sync, substitute};
use code::{has_atomic, has_loop, protocol_leaves};
use finish::binder_label;
use held::Held;
use invariants::{Bounds, Invariants};
pub use invariants::{upper_bounds, with_bounds};
use leading::Parts;
use range::{in_range, last_of, most_trips, one_more};
use rustc_hash::FxHashMap;

use super::settled::Log;
use super::state::{Cells, State, number_type};
use super::value::{ObjId, Offset, Pointer, Target, Value, scalars};
use super::{Loss, MAX_OPEN_NESTED, Walk, clean, conjuncts};
use crate::base::{Name, Span};
use crate::core::{Access, Mode, Protocol, Range, Step};
use crate::exp::subst::Leaves;
use crate::exp::syntax::work_done;
use crate::exp::{B, BExp, Fun, FunKind, IntTy, Interval, N, NBin, NExp, NRel, Subst, Var, free_vars_b, free_vars_n};
use crate::kernel::ir::{Loop, Storage};
use crate::kernel::types::Type;
use crate::kernel::visit::Changes;

/// A loop that is walked iteration by iteration has at most so many.
const MAX_UNROLL: usize = 64;
/// Pointers that change their target in a loop may have so many.
const MAX_TARGETS: usize = 4;

/// How often a body is walked for the targets of its pointers; those that do not settle are lost.
const ROUNDS: usize = 6;

/// Where a carried value lives in the state.
#[derive(Clone, PartialEq, Debug)]
enum Home {
    Cell(ObjId, u64),
    /// Which of the targets of a pointer is meant.
    Selector(ObjId, u64),
    /// An index of a target of a pointer: target, then term.
    Index(ObjId, u64, usize, usize),
    Rest(ObjId),
    Version(ObjId),
    Epoch,
}

/// A value that an iteration may change.
struct Carried {
    home: Home,
    var: Var,
    init: N,
    /// What an iteration after which there is another one makes of it.
    out: N,
    /// What the last iteration may make of it, where it leaves the loop.
    left: N,
}

/// The targets that a pointer may have in any iteration.
type Shape = Vec<Place>;

/// A target whose indices are not known yet.
#[derive(Clone)]
struct Place {
    object: ObjId,
    strides: Vec<u64>,
    constant: i128,
    /// What the offset says of the sizes of the steps: those before the loop, and those in it.
    unknown: Option<Arc<str>>,
    known_size: bool,
}

impl Place {
    fn of(target: &Target) -> Place {
        let offset = &target.offset;
        Place {
            object: target.object,
            strides: carried::strides(offset),
            constant: offset.constant,
            unknown: offset.unknown.clone(),
            known_size: offset.known_size,
        }
    }

    /// Steps of the sizes that this target was moved by are made as well; true when there were none such before.
    fn take(&mut self, offset: &Offset) -> bool {
        let before = (self.unknown.is_some(), self.known_size);
        self.known_size |=
            offset.known_size || self.unknown.is_some() && offset.unknown.is_some() && self.unknown != offset.unknown;
        if self.unknown.is_none() {
            self.unknown = offset.unknown.clone();
        }
        before != (self.unknown.is_some(), self.known_size)
    }
}

/// The range of a loop, when its condition gives one.
struct Main {
    /// Position among the carried values.
    carried: usize,
    /// The type in which it is compared with its bound, if that is unsigned and as wide: the range is one of such numbers.
    compared: IntTy,
    range: Range,
    /// What remains of the condition.
    rest: B,
    /// May that hold in an iteration after one in which it does not? [LOOP-ALSO]
    may_return: bool,
    /// What is assumed of the step: the loop has a meaning only where it holds.
    assumed: B,
    /// The number of iterations, and the value after the last one.
    trips: Option<N>,
    last: Option<N>,
}

/// The term where the condition does not hold.
fn without(term: &N, condition: &B) -> N {
    /// Deeper terms are left as they are.
    const DEEP: u32 = 40;
    fn holds(cond: &B, condition: &B) -> Option<bool> {
        let parts = match condition.kind() {
            BExp::Or(parts) => parts.as_slice(),
            _ => std::slice::from_ref(condition),
        };
        let is = |cond: &B| parts.contains(cond) || cond == condition;
        if is(cond) {
            return Some(false);
        }
        is(&B::not(cond)).then_some(true)
    }
    fn walk(term: &N, condition: &B, done: &mut FxHashMap<N, N>) -> N {
        if let Some(known) = done.get(term) {
            return known.clone();
        }
        let new = match term.kind() {
            NExp::If(cond, then, els) => match holds(cond, condition) {
                Some(true) => walk(then, condition, done),
                Some(false) => walk(els, condition, done),
                None => N::ite(cond, &walk(then, condition, done), &walk(els, condition, done)),
            },
            NExp::Bin(op, ty, l, r) => N::bin(*op, *ty, &walk(l, condition, done), &walk(r, condition, done)),
            NExp::Cast(ty, inner) => N::cast(*ty, &walk(inner, condition, done)),
            NExp::Num(_) | NExp::Var(_) | NExp::Call(..) => term.clone(),
        };
        done.insert(term.clone(), new.clone());
        new
    }
    if term.depth() > DEEP { term.clone() } else { walk(term, condition, &mut FxHashMap::default()) }
}

impl<'p> Walk<'p> {
    pub(super) fn run_loop(&mut self, the_loop: &'p Loop, span: Span) {
        let before = self.state.clone();
        let (losses, pre) = (self.losses.len(), self.pre.len());
        let facts = self.pair_facts.len();
        let copies = self.copies.clone();
        let out = std::mem::take(&mut self.out);
        let entered = self.order.enter();
        if spin::waits(the_loop, self.function(self.frame().function)) {
            self.order.anything();
        }
        let scattered = std::mem::take(&mut self.scattered);
        let beside = std::mem::take(&mut self.open_nested);
        let precise = self.symbolic(the_loop);
        self.open_nested += usize::from(!precise);
        if self.open_nested > MAX_OPEN_NESTED {
            self.abandoned.get_or_insert(span);
        }
        self.open_nested = self.open_nested.max(beside);
        self.order.leave(entered);
        self.copies_left_by_loop();
        let emitted = std::mem::replace(&mut self.out, out);
        // Pointers in an array that the counter is the subscript of are known in each iteration. [LOOP-POINTERS]
        let loses = |losses: &[Loss]| losses.iter().any(|l| l.code == "unknown-pointer");
        let follows = !self.scattered && !loses(&self.losses[losses..]);
        self.scattered |= scattered;
        if !(precise && follows) && self.unrolling < 3 {
            // Iteration by iteration, when the condition is decided each time.
            let kept = (self.state.clone(), self.events.len(), self.losses.len());
            let saved_losses = self.losses.split_off(losses);
            let saved_pre = self.pre.split_off(pre);
            let saved_facts = self.pair_facts.split_off(facts);
            self.state = before;
            let left = std::mem::replace(&mut self.copies, copies);
            let outer = std::mem::take(&mut self.out);
            let unrolled = self.unroll_within_limits(the_loop) && !(precise && loses(&self.losses[losses..]));
            let inner = std::mem::replace(&mut self.out, outer);
            if unrolled {
                self.scattered = scattered;
                self.out.extend(inner);
                return;
            }
            // The attempt is undone: what it cost is the only trace.
            self.state = kept.0;
            self.copies = left;
            self.losses.truncate(losses);
            self.losses.extend(saved_losses);
            self.pre.truncate(pre);
            self.pre.extend(saved_pre);
            self.pair_facts.truncate(facts);
            self.pair_facts.extend(saved_facts);
        }
        self.out.extend(emitted);
    }

    /// [`Walk::unroll`] with a part of what the walk may still cost; where that is not enough, the rest goes on without.
    fn unroll_within_limits(&mut self, the_loop: &'p Loop) -> bool {
        if self.abandoned.is_some() {
            return false;
        }
        let (steps, work) = (self.steps, self.work);
        let now = work_done();
        (self.steps, self.work) = (steps / 2, now.saturating_add(work.saturating_sub(now) / 4));
        self.unrolling += 1;
        let unrolled = self.unroll(the_loop);
        self.unrolling -= 1;
        (self.steps, self.work) = (self.steps + steps - steps / 2, work);
        let complete = self.abandoned.take().is_none();
        unrolled && complete
    }

    fn unroll(&mut self, the_loop: &'p Loop) -> bool {
        let outer = (self.state.broken.clone(), self.state.continued.clone());
        let mut first = true;
        for _ in 0..=MAX_UNROLL {
            if !(first && the_loop.post_test) {
                let go = match &the_loop.cond {
                    Some(cond) => self.truth(cond),
                    None => B::lit(true),
                };
                match go.as_lit() {
                    Some(false) => {
                        (self.state.broken, self.state.continued) = outer;
                        return true;
                    }
                    Some(true) => {}
                    None => return false,
                }
            }
            first = false;
            self.stmts(&the_loop.body);
            self.state.continued = B::lit(false);
            let left = self.decide(&self.state.left());
            match left.as_lit() {
                Some(false) => {}
                Some(true) => {
                    (self.state.broken, self.state.continued) = outer;
                    return true;
                }
                None => return false,
            }
            if let Some(step) = &the_loop.step {
                self.eval_for_effect(step);
            }
            if self.abandoned.is_some() {
                return false;
            }
        }
        false
    }

    /// The loop as a range. Returns false when something that it carries has no closed form.
    fn symbolic(&mut self, the_loop: &'p Loop) -> bool {
        let before = self.state.clone();
        let parts = Parts::of(the_loop);
        let (losses, pre, facts) = (self.losses.len(), self.pre.len(), self.pair_facts.len());
        let carried_objects = self.carried_objects(the_loop);
        let mut shapes: FxHashMap<(ObjId, u64), Shape> = FxHashMap::default();
        let counter = Var { name: self.names.fresh("it%"), ty: IntTy::MATH };
        let mut lost: BTreeSet<(ObjId, u64)> = BTreeSet::new();
        let copies = self.copies.clone();
        let mut rounds = 0;
        loop {
            self.state = before.clone();
            // What the loop waits for may go on where it does not run at all.
            self.copies = copies.clone();
            self.losses.truncate(losses);
            self.pre.truncate(pre);
            self.pair_facts.truncate(facts);
            let mut carried = self.install(&carried_objects, &mut shapes, &lost);
            let path = self.path.len();
            let ranges = self.ranges.clone();
            self.counters.push(N::var(&counter));
            let outer_out = std::mem::take(&mut self.out);
            self.state.recent.clear();
            self.state.log = Log::default();
            let head = State::clone(&self.state);
            // One iteration.
            let mut cond = B::lit(true);
            let mut cond_out = Vec::new();
            let mut by_condition = vec![false; carried.len()];
            if !parts.post_test {
                self.stmts(parts.head);
                if let Some((c, holds)) = parts.cond {
                    cond = self.truth(c);
                    cond = if holds { cond } else { B::not(&cond) };
                }
                cond_out = std::mem::take(&mut self.out);
                by_condition = carried.iter().map(|c| differs(&head, &self.state, &c.home)).collect();
            }
            self.path.extend(conjuncts(&cond));
            self.ranges.assume(&cond);
            let [first, then] = parts.body;
            self.stmts(first);
            self.stmts(then);
            self.state.continued = B::lit(false);
            let left = self.state.left();
            let mut goes_on = None;
            let rest = |w: &mut Self| {
                if let Some(step) = &the_loop.step {
                    w.eval_for_effect(step);
                }
                let again = match (parts.cond, parts.post_test) {
                    (Some((c, _)), true) => w.truth(c),
                    _ => B::lit(true),
                };
                goes_on = Some(State::clone(&w.state));
                again
            };
            let (_, again) = self.branch(&left, |_| B::lit(false), rest);
            let again = again.unwrap_or(B::lit(false));
            let body_out = std::mem::replace(&mut self.out, outer_out);
            self.counters.pop();
            self.ranges = ranges;
            self.path.truncate(path);
            // Pointers that went elsewhere than was foreseen: once more, with more targets.
            if self.widen(&head, &carried_objects, &mut shapes, &mut lost) {
                // What does not settle is lost.
                rounds += 1;
                if rounds == ROUNDS {
                    lost.extend(shapes.keys());
                }
                if rounds > ROUNDS + 1 {
                    crate::bug!("the pointers of a loop do not settle");
                }
                continue;
            }
            self.collect_outs(&mut carried, &shapes, &counter, &head);
            carried.iter_mut().for_each(|c| c.left = c.out.clone());
            // [LOOP-LEFT] Where there is another iteration, this one did not leave the loop.
            if left.as_lit().is_none()
                && let Some(goes_on) = goes_on
            {
                let merged = std::mem::replace(&mut self.state, goes_on);
                self.collect_outs(&mut carried, &shapes, &counter, &head);
                carried.iter_mut().for_each(|c| c.out = without(&c.out, &left));
                self.state = merged;
            }
            let exits = Exits {
                returned: self.state.returned.clone(),
                exited: self.state.exited.clone(),
                jumps: self.state.jumps.clone(),
                any: left,
            };
            let iteration = Iteration {
                cond,
                again,
                cond_out,
                by_condition,
                body_out,
                exits,
                post_test: parts.post_test,
                counter: counter.clone(),
            };
            return self.finish_loop(&before, carried, &shapes, iteration, &carried_objects);
        }
    }

    /// The private objects that the loop may change, and that exist before it.
    fn carried_objects(&self, the_loop: &Loop) -> Vec<ObjId> {
        let changes = Changes::of(the_loop);
        let frame = self.frame();
        let function = self.function(frame.function);
        let mut objects: BTreeSet<ObjId> = changes
            .vars
            .iter()
            .filter(|v| function.vars[v.0 as usize].storage == Storage::Private)
            .filter_map(|v| frame.vars.get(v))
            .copied()
            .collect();
        if changes.through_pointers {
            objects.extend(self.escaped.iter().copied());
            // A member function changes what its `this` points to, which was taken the address of by its caller.
        }
        objects.insert(frame.result);
        objects.into_iter().filter(|o| self.state.private.contains_key(o)).collect()
    }
}

struct Exits {
    returned: B,
    exited: B,
    jumps: BTreeMap<Name, B>,
    any: B,
}

impl Exits {
    fn only_breaks(&self) -> bool {
        let never = |flag: &B| flag.as_lit() == Some(false);
        never(&self.returned) && never(&self.exited) && self.jumps.values().all(never)
    }
}

/// What one iteration did, in terms of placeholders.
struct Iteration {
    /// The condition at the head; true for a post-test loop.
    cond: B,
    /// The condition at the end of a post-test loop.
    again: B,
    cond_out: Vec<Protocol>,
    /// Which carried values the evaluation of the condition changes: also that which ends the loop does so.
    by_condition: Vec<bool>,
    body_out: Vec<Protocol>,
    exits: Exits,
    post_test: bool,
    counter: Var,
}

struct Solved {
    forms: Vec<N>,
    /// Steps of what moves by an invariant amount.
    steps: Vec<Option<N>>,
    factors: Vec<Option<Factor>>,
    /// The form is `k == 0 ? init : what the iteration before left`.
    shifted: Vec<bool>,
    /// What else is known.
    invariants: Invariants,
    held: Option<Held>,
    precise: bool,
}

/// `x <<= shift` or `x >>= shift`.
#[derive(Clone)]
struct Factor {
    times: bool,
    shift: u32,
    /// Written as a division, which is a shift of what is not negative.
    division: bool,
}
