//! Copies that a thread begins and waits for later: until a wait completes it, a copy may read its source and write its
//! destination at any time, so that its accesses belong to every phase from the one in which it begins. [INF-ASYNC]
//!
//! The walk emits the accesses where the copy begins, and marks where batches end and where they are waited for. Once the
//! whole protocol is there, the accesses are repeated after each barrier that is passed meanwhile, and the marks go.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::finish::each_access;
use super::loops::{contains_sync, substitute};
use super::settled::is_small_condition;
use super::value::{ObjId, Pointer, Value};
use super::{MAX_WORK, ObjectKind, Touches, Walk};
use crate::base::Span;
use crate::core::protocol::Fence;
use crate::core::range::RangeValues;
use crate::core::{Access, Mode, Protocol, Range, Scope, SiteId, Step};
use crate::exp::syntax::work_done;
use crate::exp::{B, Fun, FunKind, IntTy, N, NBin, NExp, Subst, Var, free_vars_b};
use crate::kernel::ir::{Builtin, Copier, Expr};
use crate::kernel::types::Type;

/// So many iterations that began copies before this one are followed, and copies from so many iterations of a loop whose
/// iterations are known.
const MOST: usize = 12;
const MOST_KNOWN: usize = 64;
/// Accesses that go on at one place.
const MOST_FLIGHTS: usize = 256;

/// What is noted where nothing is accessed.
#[derive(Clone, Copy)]
enum Mark {
    /// The copies that this thread has begun since the last one are a batch.
    Close,
    /// All batches but so many of the last ones are complete: the number is the index.
    Wait,
    /// What is copied until this barrier is passed is complete.
    Pass(Place),
}

/// A barrier: an object, and the byte in it.
pub(super) type Place = (ObjId, i128);

/// Which of the emitted events have to do with copies in the background.
#[derive(Default)]
pub(super) struct Background {
    marks: FxHashMap<SiteId, Mark>,
    /// The accesses of copies, and which barrier ends them, if any does.
    accesses: BTreeMap<SiteId, Option<Place>>,
    /// Those of which it is not known what ends them.
    endless: BTreeSet<SiteId>,
    /// Barriers: where they are waited at, and whether they are known to wait for the block.
    waited: BTreeMap<Place, Span>,
    of_block: BTreeMap<Place, bool>,
    /// What the last arrive at a barrier gave, which its wait has to be given.
    tokens: FxHashMap<Place, Value>,
}

/// In no batch yet; or at least so many batches were closed after its own.
type Age = Option<u32>;

/// Under which condition a copy goes on, by its age. Under no condition: it is complete.
type Cases = BTreeMap<Age, B>;

/// An access of a copy that may go on.
#[derive(Clone)]
struct Flight {
    id: usize,
    until: Option<Place>,
    what: Protocol,
    cases: Cases,
}

impl<'p> Walk<'p> {
    /// Begins a copy: destination, source, bytes that are written, and how many are read where these are others.
    pub(super) fn begin_copy(&mut self, copier: Copier, has_barrier: bool, args: &'p [Expr], span: Span) -> Value {
        let values: Vec<Value> = args.iter().map(|a| self.eval(a)).collect();
        let [to, from, written, rest @ ..] = values.as_slice() else {
            self.lose("unknown-construct", "this copy is not understood", span, Touches::Everything);
            return Value::Void;
        };
        let (to, from) = (self.as_pointer(to.clone()), self.as_pointer(from.clone()));
        let (mut until, mut rest) = (None, rest);
        if let (true, [barrier, ..]) = (has_barrier, rest) {
            let barrier = self.as_pointer(barrier.clone());
            (until, rest) = (place_of(&barrier), &[]);
            if until.is_none() {
                let text = "at which barrier this copy is complete is not known";
                self.lose("unknown-order", text, span, Touches::Everything);
            }
        }
        // What is read may be less, and then what is written is filled with zeros.
        let reads = match rest {
            [Value::Num(n)] => N::num(0).ne(n),
            _ => B::lit(true),
        };
        let read = match rest {
            [Value::Num(n)] if n.as_num().is_some() => Value::Num(n.clone()),
            _ => written.clone(),
        };
        let whose = self.copier(copier, span, &[&to, &from]);
        self.no_step(span);
        let outer = std::mem::take(&mut self.out);
        let first = self.events.len();
        self.ranged(&from, &read, Mode::Rd, span);
        let reading = Protocol::seq(std::mem::take(&mut self.out));
        self.ranged(&to, written, Mode::Wr(None), span);
        let writing = Protocol::seq(std::mem::replace(&mut self.out, outer));
        let begun = (first..self.events.len()).map(|i| SiteId(i as u32));
        self.background.endless.extend(begun.clone().filter(|_| has_barrier && until.is_none()));
        self.background.accesses.extend(begun.map(|site| (site, until)));
        let copy = Protocol::seq([Protocol::branch(&reads, reading, Protocol::Skip), writing]);
        self.emit(Protocol::branch(&whose, copy, Protocol::Skip));
        // Other threads than the one that makes it are compared with it.
        if copier == Copier::Thread {
            let text = "no thread touches the destination of a copy that it has begun, nor changes its source, before it waits for it";
            self.takes_for_granted(text);
        }
        Value::Void
    }

    /// The condition that this thread makes a copy, or a part of it that is looked at.
    fn copier(&mut self, copier: Copier, span: Span, pointers: &[&Pointer]) -> B {
        let lanes = match copier {
            Copier::Thread => return B::lit(true),
            Copier::Tile(lanes) => Some(lanes),
            Copier::Block => None,
        };
        let linear = self.builtin(Builtin::LinearThread);
        let blocks = self.blocks.iter().filter(|(_, extent)| extent.as_num() != Some(1));
        let mut place: Vec<N> = blocks.map(|(var, _)| N::var(var)).collect();
        place.extend(self.counters.iter().cloned());
        let lane = match lanes {
            Some(lanes) => {
                self.takes_for_granted("all threads of a group begin its copies together, with the same arguments");
                place.push(N::bin(NBin::Div, IntTy::U32, &linear, &N::num(i128::from(lanes))));
                N::bin(NBin::Rem, IntTy::U32, &linear, &N::num(i128::from(lanes)))
            }
            None => {
                let guards = pointers.iter().flat_map(|p| &p.targets).map(|t| t.guard.as_number());
                let indices = pointers.iter().flat_map(|p| &p.targets).flat_map(|t| &t.offset.terms);
                let mut terms: Vec<N> = guards.chain(indices.map(|(n, _)| n.clone())).collect();
                terms.extend(self.path.iter().map(B::as_number));
                if terms.iter().any(|term| self.term_has_thread(term)) {
                    let text = "not all threads of the block begin this copy, or not with the same arguments";
                    self.lose("unknown-construct", text, span, Touches::Everything);
                }
                linear
            }
        };
        let name = self.names.fresh("copier");
        lane.eq(&N::call(Fun { name, ty: IntTy::U32, kind: FunKind::Input }, place))
    }

    pub(super) fn close_batch(&mut self, span: Span) -> Value {
        self.mark(Mark::Close, Vec::new(), span);
        Value::Void
    }

    /// Waits for all batches but the last so many.
    pub(super) fn wait_for_batches(&mut self, args: &'p [Expr], span: Span) -> Value {
        let left = args.first().map(|a| self.number(a)).unwrap_or(N::num(0));
        self.mark(Mark::Wait, vec![left], span);
        Value::Void
    }

    /// Makes a barrier in memory for a number of threads, which is a store to it.
    pub(super) fn make_barrier(&mut self, args: &'p [Expr], span: Span) -> Value {
        let [barrier, count] = args else { return Value::Void };
        let (barrier, count) = (self.eval(barrier), self.number(count));
        let barrier = self.as_pointer(barrier);
        let size = self.builtin(Builtin::BlockSize);
        let count = N::cast(IntTy::U32, &count);
        let whole = count == size || self.decide(&count.eq(&size)).as_lit() == Some(true);
        // Where it is not known which one this is, none is known to be made here.
        if let Some(place) = place_of(&barrier) {
            *self.background.of_block.entry(place).or_insert(true) &= whole;
        }
        self.ranged(&barrier, &Value::Num(N::num(8)), Mode::Wr(None), span);
        Value::Void
    }

    /// Arrives at a barrier in memory and waits there: a barrier of the block, if that is what it was made for.
    pub(super) fn pass_barrier(&mut self, args: &'p [Expr], span: Span) -> Value {
        let place = self.barrier_object(args, span);
        if !self.by_some(span) {
            self.passes(place, span);
            self.barrier(Scope::Block, None, Fence::ALL, span);
        }
        Value::Void
    }

    /// The threads of a block may come to a barrier in memory, or to one with a number, at different places of the text: that is a
    /// loss.
    pub(super) fn by_some(&mut self, span: Span) -> bool {
        let path: Vec<N> = self.path.iter().map(B::as_number).collect();
        let some = path.iter().any(|cond| self.term_has_thread(cond));
        if some {
            let text = "not all threads of the block come to this barrier here";
            self.lose("unknown-order", text, span, Touches::Everything);
        }
        some
    }

    /// What is copied until this barrier is passed is complete.
    pub(super) fn passes(&mut self, place: Option<Place>, span: Span) {
        if let Some(place) = place {
            self.mark(Mark::Pass(place), Vec::new(), span);
        }
    }

    /// The barrier in memory that all threads of the block mean here, which is an atomic operation on it.
    pub(super) fn barrier_object(&mut self, args: &'p [Expr], span: Span) -> Option<Place> {
        let barrier = args.first().map(|a| self.eval(a)).unwrap_or(Value::Void);
        let barrier = self.as_pointer(barrier);
        let is_array = |(object, _): &Place| matches!(self.info(*object).kind, ObjectKind::Array(_));
        let place = place_of(&barrier).filter(is_array);
        let (Some((object, _)), Some(target)) = (place, barrier.targets.first()) else {
            let text = "at which barrier this waits is not known, or the threads of the block wait at different ones";
            self.lose("unknown-order", text, span, Touches::Everything);
            return None;
        };
        self.background
            .waited
            .extend(place.filter(|place| !self.background.waited.contains_key(place)).map(|p| (p, span)));
        let arrives = self.access(object, &target.offset, 8, None, Mode::At(Scope::Block), span);
        self.emit(arrives);
        self.changes(object);
        self.touch(object);
        place
    }

    /// Arrives at a barrier; the value is the token.
    pub(super) fn arrive_at(&mut self, args: &'p [Expr], ty: &Type, span: Span) -> Value {
        let place = self.barrier_object(args, span);
        if !self.by_some(span) {
            self.arrive(Scope::Block, place, span);
        }
        let token = self.unknown_of(ty, "token");
        self.background.tokens.extend(place.map(|place| (place, token.clone())));
        token
    }

    /// Waits at a barrier for the phase of a token.
    pub(super) fn wait_at(&mut self, args: &'p [Expr], span: Span) -> Value {
        let place = self.barrier_object(args, span);
        let token = args.get(1).map(|token| self.eval(token));
        let last = place.and_then(|place| self.background.tokens.get(&place));
        if last.is_none() || token.as_ref() != last {
            let text = "whether this waits for the last phase of the barrier is not known";
            self.lose("unknown-order", text, span, Touches::Everything);
        }
        if !self.by_some(span) {
            self.wait(Scope::Block, place, span);
        }
        Value::Void
    }

    /// A mark stands in the protocol as an access to nothing.
    fn mark(&mut self, mark: Mark, index: Vec<N>, span: Span) {
        let site = self.barrier_site(span);
        self.background.marks.insert(site, mark);
        self.emit(Protocol::Access(Access { site, array: "".into(), mode: Mode::Rd, index, width: 1 }));
    }

    /// Is anything copied in the background?
    pub(super) fn copies_anything(&self) -> bool {
        !(self.background.marks.is_empty() && self.background.accesses.is_empty() && self.copies.is_empty())
    }

    pub(super) fn takes_for_granted(&mut self, text: &str) {
        if !self.assumptions.iter().any(|known| known == text) {
            self.assumptions.push(text.to_owned());
        }
    }

    /// Does this begin, close or wait for copies?
    pub(super) fn in_background(&self, p: &Protocol) -> bool {
        self.background.is_marked(p) || self.background.begins(p)
    }

    /// What is copied in the background is no step of a warp that runs in lock-step. [LOCK-STORE]
    pub(super) fn no_step(&mut self, span: Span) {
        if self.lockstep {
            let text = "when this copy is made, warps in lock-step do not say";
            self.lose("unknown-order", text, span, Touches::Everything);
        }
    }

    /// The protocol with the accesses of copies in every phase in which they may happen, and without marks.
    pub(super) fn with_background(&mut self, protocol: Protocol) -> Protocol {
        if self.background.marks.is_empty() && self.background.accesses.is_empty() {
            return protocol;
        }
        let background = std::mem::take(&mut self.background);
        for (barrier, span) in &background.waited {
            if background.of_block.get(barrier) != Some(&true) {
                let text = "whether this barrier waits for all threads of the block is not known";
                self.lose("unknown-order", text, *span, Touches::Everything);
            }
        }
        let mut most = 0;
        each_access(&protocol, &mut |a| {
            if let Some(Mark::Wait) = background.marks.get(&a.site) {
                a.index.iter().for_each(|n| most = most.max(greatest(n)));
            }
        });
        let limit = work_done().saturating_add(MAX_WORK);
        let mut flow = Flow { limit, walk: self, background, most, next: 0 };
        flow.run(&protocol, &mut Vec::new())
    }
}

impl Background {
    fn is_marked(&self, p: &Protocol) -> bool {
        any_access(p, &|a| self.marks.contains_key(&a.site))
    }

    fn begins(&self, p: &Protocol) -> bool {
        any_access(p, &|a| self.accesses.contains_key(&a.site))
    }

    fn without_marks(&self, p: &Protocol) -> Protocol {
        match p {
            Protocol::Access(a) if self.marks.contains_key(&a.site) => Protocol::Skip,
            Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => p.clone(),
            Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|q| self.without_marks(q))),
            Protocol::If(c, t, e) => Protocol::branch(c, self.without_marks(t), self.without_marks(e)),
            Protocol::For(range, body) => repeat(range.clone(), self.without_marks(body)),
        }
    }
}

/// The way of copies through a protocol.
struct Flow<'w, 'p> {
    walk: &'w mut Walk<'p>,
    background: Background,
    /// The most batches that a wait leaves: greater ages are not told apart.
    most: u32,
    next: usize,
    /// How far the work on terms may go.
    limit: u64,
}

impl Flow<'_, '_> {
    /// The protocol with what goes on after its barriers; `flights` before it become those after it.
    fn run(&mut self, p: &Protocol, flights: &mut Vec<Flight>) -> Protocol {
        match p {
            Protocol::Skip => Protocol::Skip,
            Protocol::Access(a) => match self.background.marks.get(&a.site).copied() {
                Some(mark) => {
                    match a.index.first().map(N::kind) {
                        Some(NExp::If(cond, t, e)) => {
                            let side =
                                |n: &N| Box::new(Protocol::Access(Access { index: vec![n.clone()], ..a.clone() }));
                            let (t, e) = (side(t), side(e));
                            self.run(&Protocol::If(cond.clone(), t, e), flights);
                        }
                        left => {
                            let left = left.map(|n| if let NExp::Num(n) = n { u32::try_from(*n).ok() } else { None });
                            if left == Some(None) {
                                self.lose("which copies this waits for is not known", a.site, Touches::Everything);
                                flights.iter_mut().for_each(|flight| guard(&mut flight.cases, &may()));
                            }
                            flights.iter_mut().for_each(|flight| self.pass(mark, left.flatten(), flight));
                            flights.retain(|flight| !flight.cases.is_empty());
                        }
                    }
                    Protocol::Skip
                }
                None => {
                    if let Some(until) = self.background.accesses.get(&a.site).copied() {
                        let is_endless = self.background.endless.contains(&a.site);
                        let when = if is_endless { may() } else { B::lit(true) };
                        let flight = self.flight(until, p.clone(), Cases::from([(None, when)]));
                        flights.push(flight);
                    }
                    p.clone()
                }
            },
            Protocol::Sync(_) => {
                let goes_on = |f: &Flight| Protocol::branch(&any(&f.cases), f.what.clone(), Protocol::Skip);
                Protocol::seq(std::iter::once(p.clone()).chain(flights.iter().map(goes_on)))
            }
            Protocol::Seq(parts) => {
                let parts: Vec<Protocol> = parts.iter().map(|q| self.run(q, flights)).collect();
                Protocol::seq(parts)
            }
            Protocol::If(cond, t, e) => {
                let mut others = flights.clone();
                let (t, e) = (self.run(t, flights), self.run(e, &mut others));
                *flights = join(cond, std::mem::take(flights), others);
                Protocol::branch(cond, t, e)
            }
            Protocol::For(range, body) => self.run_loop(range, body, flights),
        }
    }

    fn flight(&mut self, until: Option<Place>, what: Protocol, cases: Cases) -> Flight {
        self.next += 1;
        Flight { id: self.next, until, what, cases }
    }

    /// What a mark makes of the ages of a copy.
    fn pass(&self, mark: Mark, left: Option<u32>, flight: &mut Flight) {
        let before = std::mem::take(&mut flight.cases);
        for (age, cond) in before {
            match (mark, age, flight.until) {
                (Mark::Close, age, None) => {
                    add(&mut flight.cases, Some(age.map_or(0, |n| (n + 1).min(self.most))), cond);
                }
                (Mark::Wait, Some(n), _) if left.is_some_and(|left| n >= left) => {}
                (Mark::Pass(passed), _, Some(until)) if passed == until => {}
                (_, age, _) => add(&mut flight.cases, age, cond),
            }
        }
    }

    fn run_loop(&mut self, range: &Range, body: &Protocol, flights: &mut Vec<Flight>) -> Protocol {
        // Loops within loops, through which copies go on under ever more conditions.
        if work_done() >= self.limit || flights.len() > MOST_FLIGHTS {
            let text = "the copies that go on here are too many to be followed";
            let given_up = std::mem::take(flights);
            self.give_up(text, &given_up);
            let mut begun = Vec::new();
            each_access(body, &mut |a| begun.extend(self.background.accesses.contains_key(&a.site).then_some(a.site)));
            begun.into_iter().for_each(|site| self.lose(text, site, Touches::Everything));
            return repeat(range.clone(), self.background.without_marks(body));
        }
        let (marked, begins) = (self.background.is_marked(body), self.background.begins(body));
        let waits = contains_sync(body);
        if !marked && !begins {
            // Nothing happens to what goes on.
            let body = if waits { self.run(body, &mut flights.clone()) } else { body.clone() };
            return repeat(range.clone(), body);
        }
        if !marked && !waits {
            let mut begun = Vec::new();
            let code = self.run(body, &mut begun);
            for flight in begun {
                self.over(range, &flight, flights);
            }
            return repeat(range.clone(), code);
        }
        if !waits && let Some(values) = values(range) {
            for value in values {
                let body = substitute(body, &mut Subst::one(&range.var.name, &value));
                self.run(&body, flights);
            }
            return repeat(range.clone(), self.background.without_marks(body));
        }
        self.iterations(range, body, flights)
    }

    /// A loop through which copies go from one iteration to others.
    fn iterations(&mut self, range: &Range, body: &Protocol, flights: &mut Vec<Flight>) -> Protocol {
        let nonempty = range.nonempty();
        let mut heads: Vec<Flight> = Vec::new();
        let mut after: Vec<Flight> = Vec::new();
        // Those that an iteration begins, so many iterations later.
        let mut begun = Vec::new();
        self.run(body, &mut begun);
        let born = begun.clone();
        let last = range.last();
        let mut steps = 0;
        while !begun.is_empty() {
            for flight in &begun {
                match &last {
                    Some(last) => {
                        let mut at_last = Subst::one(&range.var.name, last);
                        let when = at_last.boolean(&B::and([nonempty.clone(), reached(range, steps)]));
                        let (what, cases) = (substitute(&flight.what, &mut at_last), &flight.cases);
                        let cases = cases.iter().map(|(age, c)| (*age, B::and([when.clone(), at_last.boolean(c)])));
                        let cases = cases.filter(|(_, c)| c.as_lit() != Some(false)).collect();
                        let flight = self.flight(flight.until, what, cases);
                        after.push(flight);
                    }
                    None => {
                        let mut flight = flight.clone();
                        guard(&mut flight.cases, &reached(range, steps));
                        self.over(range, &flight, &mut after);
                    }
                }
            }
            let Some(before) = range.previous().filter(|_| steps < MOST) else {
                self.give_up(UNKNOWN_ITERATION, &begun);
                break;
            };
            let mut shift = Subst::one(&range.var.name, &before);
            let earlier: Vec<Flight> = begun.iter().map(|flight| shifted(flight, &mut shift)).collect();
            let mut next = earlier.clone();
            self.pass_through(body, &mut next);
            if settled(range, &begun, &next)
                && let Some(end) = before_all(range, steps)
            {
                // So it is for those of all earlier iterations.
                let all = Range { end, ..range.clone() };
                for flight in &next {
                    let Some(original) = born.iter().find(|f| f.id == flight.id) else { continue };
                    let flight = Flight { cases: flight.cases.clone(), ..original.clone() };
                    self.over(&all, &flight, &mut heads);
                    let ended = match &last {
                        Some(last) => all.subst(&mut Subst::one(&range.var.name, last)),
                        None => range.clone(),
                    };
                    self.over(&ended, &flight, &mut after);
                }
                break;
            }
            steps += 1;
            for mut flight in earlier {
                guard(&mut flight.cases, &reached(range, steps));
                heads.push(flight);
            }
            begun = next;
        }
        // Those from before the loop, in the first iterations.
        let mut current = flights.clone();
        guard_all(flights, &B::not(&nonempty));
        let mut steps = 0;
        while !current.is_empty() {
            let here = at(range, steps);
            let mut next = current.clone();
            self.pass_through(body, &mut next);
            let settled = settled(range, &current, &next);
            for flight in &current {
                let mut flight = flight.clone();
                guard(&mut flight.cases, &if settled { reached(range, steps) } else { is_at(range, steps) });
                heads.push(flight);
            }
            // As they are after the loop, if this iteration is the last one.
            let mut ends = next.clone();
            match &here {
                Some(here) => {
                    let ends_here = match settled {
                        true => range.within(here),
                        false => {
                            let mut at_here = Subst::one(&range.var.name, here);
                            B::and([range.within(here), B::not(&at_here.boolean(&range.has_next()))])
                        }
                    };
                    let mut at_here = Subst::one(&range.var.name, here);
                    ends = ends.iter().map(|flight| shifted(flight, &mut at_here)).collect();
                    guard_all(&mut ends, &ends_here);
                }
                None => ends.iter_mut().for_each(|flight| weaken(&mut flight.cases, &range.var, &nonempty)),
            }
            *flights = either(std::mem::take(flights), ends);
            if settled {
                break;
            }
            steps += 1;
            let Some(before) = range.previous().filter(|_| steps <= MOST) else {
                self.give_up(UNKNOWN_ITERATION, &next);
                break;
            };
            let mut shift = Subst::one(&range.var.name, &before);
            current = next.iter().map(|flight| shifted(flight, &mut shift)).collect();
        }
        flights.extend(after.into_iter().filter(|flight| !flight.cases.is_empty()));
        // One that was begun several iterations ago, and one that was begun in another, are not one.
        for flight in &mut heads {
            self.next += 1;
            flight.id = self.next;
        }
        repeat(range.clone(), self.run(body, &mut heads))
    }

    /// What becomes of these copies in the code, without those that begin in it.
    fn pass_through(&mut self, code: &Protocol, flights: &mut Vec<Flight>) {
        let known: BTreeSet<usize> = flights.iter().map(|f| f.id).collect();
        self.run(code, flights);
        flights.retain(|f| known.contains(&f.id));
    }

    /// After all iterations of a loop: the copies that any of them has begun.
    fn over(&mut self, range: &Range, flight: &Flight, flights: &mut Vec<Flight>) {
        for (age, cond) in &flight.cases {
            let var = Var { name: self.walk.names.fresh(range.var.name.as_str()), ty: range.var.ty };
            let code = Protocol::branch(cond, flight.what.clone(), Protocol::Skip);
            let code = substitute(&code, &mut Subst::one(&range.var.name, &N::var(&var)));
            let what = repeat(Range { var, ..range.clone() }, code);
            let flight = self.flight(flight.until, what, Cases::from([(*age, B::lit(true))]));
            flights.push(flight);
        }
    }

    /// Copies of which it is not known when they are complete.
    fn give_up(&mut self, text: &str, flights: &[Flight]) {
        let mut lost = Vec::new();
        flights.iter().for_each(|flight| each_access(&flight.what, &mut |a| lost.push((a.array.clone(), a.site))));
        for (array, site) in lost {
            self.lose(text, site, Touches::Array(array));
        }
    }

    fn lose(&mut self, text: &str, event: SiteId, touches: Touches) {
        let site = self.walk.events[event.0 as usize].site.0 as usize;
        if let Some(span) = self.walk.sites.get_index(site).map(|(site, _)| site.span) {
            self.walk.lose("unknown-construct", text, span, touches);
        }
    }
}

const UNKNOWN_ITERATION: &str = "in which iteration of a loop this copy is waited for is not known";

/// The greatest number of batches that this may say are left; of one that is not known here, more than is usual.
fn greatest(left: &N) -> u32 {
    match left.kind() {
        NExp::Num(n) => u32::try_from(*n).unwrap_or(0),
        NExp::If(_, t, e) => greatest(t).max(greatest(e)),
        _ => 8,
    }
}

/// The place of a barrier, where it is one place.
fn place_of(barrier: &Pointer) -> Option<Place> {
    match (barrier.targets.as_slice(), &barrier.unknown) {
        ([only], None) if only.guard.as_lit() == Some(true) => Some((only.object, only.offset.as_bytes()?)),
        _ => None,
    }
}

fn repeat(range: Range, body: Protocol) -> Protocol {
    if body == Protocol::Skip { Protocol::Skip } else { Protocol::For(range, Box::new(body)) }
}

/// That a copy goes on, where that is not known: a race that rests on it is not certain.
fn may() -> B {
    N::call(Fun { name: "copying".into(), ty: IntTy::BOOL, kind: FunKind::Abstract }, Vec::new()).truth()
}

fn any(cases: &Cases) -> B {
    B::or(cases.values().cloned())
}

fn add(cases: &mut Cases, age: Age, cond: B) {
    if cond.as_lit() == Some(false) {
        return;
    }
    let cond = cases.get(&age).map_or(cond.clone(), |known| B::or([known.clone(), cond]));
    // What has grown too large may be the case whenever.
    cases.insert(age, if is_small_condition(&cond) { cond } else { may() });
}

fn guard(cases: &mut Cases, cond: &B) {
    for known in cases.values_mut() {
        let both = B::and([known.clone(), cond.clone()]);
        *known = if is_small_condition(&both) { both } else { B::and([known.clone(), may()]) };
    }
    cases.retain(|_, c| c.as_lit() != Some(false));
}

fn guard_all(flights: &mut Vec<Flight>, cond: &B) {
    flights.iter_mut().for_each(|flight| guard(&mut flight.cases, cond));
    flights.retain(|flight| !flight.cases.is_empty());
}

/// After a branch.
fn join(cond: &B, then: Vec<Flight>, els: Vec<Flight>) -> Vec<Flight> {
    let mut joined: Vec<Flight> = Vec::new();
    let no = B::not(cond);
    let nothing = Cases::new();
    for flight in &then {
        let other = els.iter().find(|f| f.id == flight.id).map_or(&nothing, |f| &f.cases);
        let mut cases = Cases::new();
        for age in flight.cases.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
            let sides = [flight.cases.get(age), other.get(age)];
            match sides {
                [Some(t), Some(e)] if t == e => add(&mut cases, *age, t.clone()),
                [t, e] => {
                    t.iter().for_each(|t| add(&mut cases, *age, B::and([cond.clone(), (*t).clone()])));
                    e.iter().for_each(|e| add(&mut cases, *age, B::and([no.clone(), (*e).clone()])));
                }
            }
        }
        joined.push(Flight { cases, ..flight.clone() });
    }
    for mut flight in els.into_iter().filter(|f| !then.iter().any(|t| t.id == f.id)) {
        guard(&mut flight.cases, &no);
        joined.push(flight);
    }
    joined.retain(|flight| !flight.cases.is_empty());
    joined
}

/// What goes on in either of two cases.
fn either(mut all: Vec<Flight>, others: Vec<Flight>) -> Vec<Flight> {
    for other in others {
        match all.iter_mut().find(|f| f.id == other.id) {
            Some(known) => other.cases.into_iter().for_each(|(age, cond)| add(&mut known.cases, age, cond)),
            None => all.push(other),
        }
    }
    all
}

fn shifted(flight: &Flight, subst: &mut Subst) -> Flight {
    let mut cases = Cases::new();
    for (age, cond) in &flight.cases {
        add(&mut cases, *age, subst.boolean(cond));
    }
    Flight { id: flight.id, until: flight.until, what: substitute(&flight.what, subst), cases }
}

/// Forgets what a condition says of a variable.
fn weaken(cases: &mut Cases, var: &Var, cond: &B) {
    for c in cases.values_mut() {
        let rest = if free_vars_b(c).contains(var) { may() } else { c.clone() };
        *c = B::and([rest, cond.clone()]);
    }
}

/// The value after so many steps from the first one.
fn at(range: &Range, steps: usize) -> Option<N> {
    let by = |s: &N| N::mul(IntTy::MATH, s, &N::num(steps as i128));
    match &range.step {
        Step::Up(s) => Some(N::add(range.var.ty, &range.first, &by(s))),
        Step::Down(s) => Some(N::sub(range.var.ty, &range.first, &by(s))),
        Step::Times(f) => Some((0..steps).fold(range.first.clone(), |n, _| N::mul(range.var.ty, &n, f))),
        Step::Over(_) => None,
    }
}

/// The end of the range of iterations with more than so many steps to this one.
fn before_all(range: &Range, steps: usize) -> Option<N> {
    let (x, math) = (range.binder(), IntTy::MATH);
    let by = |s: &N| N::mul(math, s, &N::num(steps as i128));
    match &range.step {
        Step::Up(s) => Some(N::sub(math, &x, &by(s))),
        Step::Down(s) => Some(N::add(math, &x, &by(s))),
        Step::Times(_) | Step::Over(_) => None,
    }
}

/// Is what goes on the same after the iteration as before it, whatever iteration it is?
fn settled(range: &Range, before: &[Flight], after: &[Flight]) -> bool {
    let stays = |f: &Flight| !f.cases.values().any(|c| free_vars_b(c).contains(&range.var));
    let same = |(a, b): (&Flight, &Flight)| a.id == b.id && a.cases == b.cases;
    before.len() == after.len() && before.iter().zip(after).all(same) && before.iter().all(stays)
}

/// Are there so many iterations before this one?
fn reached(range: &Range, steps: usize) -> B {
    let x = range.binder();
    match (&range.step, at(range, steps)) {
        _ if steps == 0 => B::lit(true),
        (Step::Up(_) | Step::Times(_), Some(value)) => value.le(&x),
        (Step::Down(_), Some(value)) => x.le(&value),
        _ => may(),
    }
}

/// Is this the iteration after so many others?
fn is_at(range: &Range, steps: usize) -> B {
    at(range, steps).map_or_else(may, |value| range.binder().eq(&value))
}

/// The values of a range with few of them, when they are known.
fn values(range: &Range) -> Option<Vec<N>> {
    let (first, end, step) = (range.first.as_num()?, range.end.as_num()?, range.step.amount().as_num()?);
    let values: Vec<i128> = RangeValues::new(first, end, &range.step, step).take(MOST_KNOWN + 1).collect();
    (values.len() <= MOST_KNOWN).then(|| values.into_iter().map(N::num).collect())
}

fn any_access(p: &Protocol, holds: &dyn Fn(&Access) -> bool) -> bool {
    match p {
        Protocol::Skip | Protocol::Sync(_) => false,
        Protocol::Access(a) => holds(a),
        Protocol::Seq(parts) => parts.iter().any(|q| any_access(q, holds)),
        Protocol::If(_, t, e) => any_access(t, holds) || any_access(e, holds),
        Protocol::For(_, body) => any_access(body, holds),
    }
}
