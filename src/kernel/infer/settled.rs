//! What arrays hold after a barrier: what the last stores before it have put there. [INF-SETTLED]

use std::rc::Rc;

use super::expr::is_float;
use super::loops::substitute;
use super::value::{ObjId, Offset};
use super::{ObjectKind, Walk};
use crate::core::protocol::Fence;
use crate::core::tickets::VOTE;
use crate::core::{Protocol, Scope, Space};
use crate::exp::syntax::work_done;
use crate::exp::{B, BExp, Fun, FunKind, IntTy, N, NBin, NExp, NRel, Subst, Var, free_vars_b, free_vars_n};

/// Terms that are made to say what was read. What is read after that is not known.
const MAX_WORK: u64 = 1_000_000;

/// A store of this thread, as `array[offset] = value` under the conditions of the path to it.
#[derive(PartialEq, Debug)]
struct Put {
    object: ObjId,
    offset: Offset,
    width: u64,
    value: N,
    path: Vec<B>,
}

#[derive(Clone, PartialEq, Debug)]
enum Entry {
    Put(Rc<Put>),
    /// Something of the array may have changed in a way that is not a `Put`.
    Forget(ObjId),
    /// An atomic operation, and nothing else.
    Atomic(ObjId),
}

/// What this thread has done to arrays since some point of its run, in program order.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The point: the same one only where it is the same allocation.
    start: Rc<u8>,
    entries: Vec<Entry>,
    /// Is that point the barrier before, so that nothing is missing?
    whole: bool,
}

impl Log {
    /// More entries are not kept.
    const MOST: usize = 32;

    fn push(&mut self, entry: Entry) {
        if self.entries.len() >= Log::MOST {
            *self = Log::default();
        }
        self.entries.push(entry);
    }

    pub fn forget(&mut self, object: ObjId) {
        self.push(Entry::Forget(object));
    }

    /// What changed the array last was an atomic operation.
    pub fn atomic(&mut self, object: ObjId) {
        if self.entries.last() == Some(&Entry::Forget(object)) {
            self.entries.pop();
        }
        self.push(Entry::Atomic(object));
    }

    /// After a branch: the entries of both sides, each of which has its condition in its path. When one side has passed a
    /// barrier, nothing is known.
    pub fn join(then: &Log, els: &Log) -> Log {
        if !Rc::ptr_eq(&then.start, &els.start) {
            return Log::default();
        }
        let common = then.entries.iter().zip(&els.entries).take_while(|(t, e)| t == e).count();
        let mut joined = then.clone();
        els.entries[common..].iter().for_each(|entry| joined.push(entry.clone()));
        joined
    }
}

/// Of each thread of the block that fulfils the guard: its last store to the array before the barrier.
#[derive(Clone)]
struct Fact {
    strides: Vec<u64>,
    terms: Vec<N>,
    constant: i128,
    width: u64,
    guard: B,
    value: N,
}

/// What holds after one barrier, in each of its runs.
pub struct Settlement {
    /// The arguments of the function that identifies the phase.
    params: Vec<N>,
    /// The phase before, where the barrier orders shared memory.
    before: Option<N>,
    /// By array, the last store first; none of an array with stores that cannot be stated.
    facts: Vec<(ObjId, Vec<Fact>)>,
}

impl Walk<'_> {
    /// Is all that may race for the array looked at, so that what was stored is there after a barrier?
    pub(super) fn settles(&self, object: ObjId) -> bool {
        let [shared, global] = self.settles;
        match self.info(object).kind {
            ObjectKind::Array(Space::Shared) => shared,
            ObjectKind::Array(Space::Global) => global,
            ObjectKind::Private | ObjectKind::Constant => false,
        }
    }

    /// This thread stores the value; nothing else of the array was touched by this store.
    pub(super) fn puts(&mut self, object: ObjId, offset: &Offset, width: u64, value: &N) {
        let small = value.depth() <= 30 && offset.terms.iter().all(|(n, _)| n.depth() <= 30);
        if small && self.settles(object) {
            let path = self.path.clone();
            let put = Put { object, offset: offset.clone(), width, value: value.clone(), path };
            // `touch` has said that something changed: it was this.
            if self.state.log.entries.last() == Some(&Entry::Forget(object)) {
                self.state.log.entries.pop();
            }
            self.state.log.push(Entry::Put(Rc::new(put)));
        }
    }

    /// All threads of the block pass a barrier: what they have stored is what the arrays hold in the phase after it.
    pub(super) fn settle(&mut self, scope: Scope, masked: bool, fence: Fence, before: &Before) {
        let log = std::mem::replace(&mut self.state.log, Log { whole: true, ..Log::default() });
        let NExp::Call(phase, params) = self.state.epoch.kind() else { return };
        if scope == Scope::Warp || masked {
            return;
        }
        let (phase, params) = (phase.name.clone(), params.clone());
        let mut facts: Vec<(ObjId, Vec<Fact>)> = Vec::new();
        let ordered = |object: ObjId, walk: &Self| match walk.info(object).kind {
            ObjectKind::Array(Space::Shared) => fence.shared,
            ObjectKind::Array(Space::Global) => fence.global,
            ObjectKind::Private | ObjectKind::Constant => false,
        };
        // What was known before, and that nobody has touched since.
        for (object, version) in &before.versions {
            let untouched = !log.entries.iter().any(|entry| entry.object() == *object);
            if let (true, NExp::Call(earlier, args)) = (untouched && ordered(*object, self), version.kind())
                && let Some(known) = self.settled.get(&earlier.name)
                && known.params == *args
            {
                facts.extend(known.facts.iter().filter(|(o, _)| o == object).cloned());
            }
        }
        for entry in &log.entries {
            let object = entry.object();
            if !facts.iter().any(|(o, _)| *o == object) {
                facts.push((object, Vec::new()));
            }
            let Some((_, known)) = facts.iter_mut().find(|(o, _)| *o == object) else { continue };
            match entry {
                Entry::Forget(_) | Entry::Atomic(_) => known.clear(),
                Entry::Put(put) => match self.stated(put, &params) {
                    Some(fact) if ordered(object, self) => {
                        if !known.first().is_none_or(|last| last.tells_from(&fact)) {
                            known.clear();
                        }
                        known.insert(0, fact);
                    }
                    _ => known.clear(),
                },
            }
        }
        // Of what only atomic operations change, something else may be known.
        let stores = |object: ObjId| log.entries.iter().any(|e| e.object() == object && *e != Entry::Atomic(object));
        facts.retain(|(object, known)| !known.is_empty() || stores(*object));
        // It has to be one that the arguments of this phase identify.
        let is_phase = |n: &&N| match n.kind() {
            NExp::Call(_, args) => fence.shared && args.iter().all(|arg| params.contains(arg)),
            _ => false,
        };
        let before = Some(&before.phase).filter(is_phase).filter(|_| log.whole).cloned();
        if !facts.is_empty() || before.is_some() {
            self.settled.insert(phase, Settlement { params, before, facts });
        }
    }

    /// The store as a statement about any thread of the block. `None` when it speaks of values that are not a function of
    /// the thread, the launch and the iteration: what they are for another thread is not known.
    fn stated(&mut self, put: &Put, params: &[N]) -> Option<Fact> {
        // All threads of the block are here, so that what holds here holds for each of them.
        let guard = B::and(put.path.iter().filter(|c| !self.path.contains(c)).cloned().collect::<Vec<_>>());
        // The time of an atomic operation before the barrier is not known yet in a loop; it is one of this iteration.
        let at_some_time = self.fresh_for("time", params);
        let known = |var: &Var| {
            let coordinates = self.threads.iter().chain(&self.blocks).map(|(v, _)| v);
            coordinates.chain(&self.globals_vars).any(|v| v == var) || params.iter().any(|p| p.as_var() == Some(var))
        };
        let terms: Vec<N> = put.offset.terms.iter().map(|(n, _)| n.clone()).collect();
        let value = Subst::with_functions(&|fun, args| at_time(fun, args, &known, &at_some_time)).numeric(&put.value);
        let mut vars = free_vars_b(&guard);
        terms.iter().chain([&value]).for_each(|n| vars.extend(free_vars_n(n)));
        (vars.iter().all(known) && put.offset.unknown.is_none()).then(|| Fact {
            strides: put.offset.terms.iter().map(|(_, s)| *s).collect(),
            terms,
            constant: put.offset.constant,
            width: put.width,
            guard,
            value,
        })
    }

    /// The protocol with what was read after barriers, as far as it is known.
    pub(super) fn with_settled(&self, protocol: &Protocol) -> Protocol {
        if self.settled.is_empty() {
            return protocol.clone();
        }
        let until = work_done().saturating_add(MAX_WORK);
        substitute(protocol, &mut Subst::with_functions(&|fun, args| self.read(fun, args, 0, until)))
    }

    /// What a read of contents gives.
    pub(super) fn content(&self, fun: &Fun, args: &[N]) -> Option<N> {
        self.read(fun, args, 0, work_done().saturating_add(MAX_WORK))
    }

    /// The same, unless too much work was done.
    fn read(&self, fun: &Fun, args: &[N], nesting: u32, until: u64) -> Option<N> {
        const DEEPEST: u32 = 4;
        if work_done() > until {
            return None;
        }
        let contents = self.contents.get(&fun.name)?;
        let NExp::Call(phase, now) = args.first()?.kind() else { return None };
        let settlement = self.settled.get(&phase.name)?;
        let (constant, terms) = args.get(args.len().checked_sub(contents.strides.len() + 1)?..)?.split_first()?;
        let constant = constant.as_num()?;
        let mut iteration = settlement.iteration(now)?;
        let Some((_, facts)) = settlement.facts.iter().find(|(o, _)| *o == contents.object) else {
            let before = iteration.numeric(settlement.before.as_ref()?);
            let whole = terms.is_empty() && contents.width == u64::from(fun.ty.bits / 8);
            return if whole { self.total(contents.object, constant, fun.ty, &before) } else { None };
        };
        // The last store decides; what cannot be compared with it hides the earlier ones.
        let here = |f: &&Fact| f.strides == contents.strides && f.constant == constant && f.width == contents.width;
        let stores: Vec<&Fact> = facts.iter().take_while(here).collect();
        let mut result = N::call(fun.clone(), args.to_vec());
        for (i, fact) in stores.iter().enumerate().rev() {
            let (cond, value) = self.written(fact, &stores[..i], terms, &mut iteration);
            let value = match (fun.ty, is_float(&value)) {
                (IntTy::OPAQUE, true) => value,
                (ty, false) if ty != IntTy::OPAQUE => N::cast(ty, &value),
                _ => return None,
            };
            // What was stored may have been read after a barrier, too.
            let inner = match nesting < DEEPEST {
                true => Subst::with_functions(&|f, a| self.read(f, a, nesting + 1, until)).numeric(&value),
                false => value.clone(),
            };
            let value = if is_small(&inner) { inner } else { value };
            result = N::ite(&cond, &value, &result);
        }
        (!stores.is_empty() && is_small(&result)).then_some(result)
    }

    /// The number that a place of an array has at the start of a phase, if it is known to be that.
    pub(super) fn starts_as(&self, object: ObjId, constant: i128, width: u64, phase: &N) -> Option<i128> {
        let NExp::Call(phase, now) = phase.kind() else { return None };
        let settlement = self.settled.get(&phase.name)?;
        let (_, facts) = settlement.facts.iter().find(|(o, _)| *o == object)?;
        let last = facts.first().filter(|f| f.terms.is_empty() && f.constant == constant && f.width == width)?;
        let (cond, value) = self.written(last, &[], &[], &mut settlement.iteration(now)?);
        value.as_num().filter(|_| cond.as_lit() == Some(true))
    }

    /// When a thread of the block has put something at these indices, and what. The thread is guessed from the indices, so
    /// that equal indices give equal guesses; the condition says that the guess is right, and that this thread has not put
    /// anything else there later. (Another one would race with it.)
    fn written(&self, fact: &Fact, later: &[&Fact], indices: &[N], iteration: &mut Subst) -> (B, N) {
        let terms: Vec<N> = fact.terms.iter().map(|n| iteration.numeric(n)).collect();
        let guard = iteration.boolean(&fact.guard);
        let mut writer = Subst::new();
        let mut conditions = Vec::new();
        let fixed = |n: &N| !self.term_has_thread(n);
        for (var, extent) in self.threads.iter().filter(|(_, extent)| extent.as_num() != Some(1)) {
            let by_index = terms.iter().zip(indices).find_map(|(term, at)| at_index(term, var, at, &fixed));
            let guess = by_index.or_else(|| equal_to(&guard, var, &fixed)).unwrap_or(N::num(0));
            // (There always is a first thread.)
            if guess.as_num() != Some(0) {
                conditions.extend([N::num(0).le(&guess), guess.lt(extent)]);
            }
            writer.bind(&var.name, &guess);
        }
        let mut puts_there = |fact: &Fact| {
            let terms = fact.terms.iter().map(|n| writer.numeric(&iteration.numeric(n))).collect::<Vec<_>>();
            let places = terms.iter().zip(indices).map(|(term, at)| term.eq(at)).collect::<Vec<_>>();
            B::and(places.into_iter().chain([writer.boolean(&iteration.boolean(&fact.guard))]).collect::<Vec<_>>())
        };
        conditions.push(puts_there(fact));
        conditions.extend(later.iter().map(|later| B::not(&puts_there(later))));
        let value = writer.numeric(&iteration.numeric(&fact.value));
        (B::and(conditions), value)
    }
}

/// The result of an atomic operation, at a time that is not one of the known variables.
fn at_time(fun: &Fun, args: &[N], known: &dyn Fn(&Var) -> bool, time: &N) -> Option<N> {
    let FunKind::Ticket(ticket) = fun.kind else { return None };
    // What is counted by a vote has its own time.
    if args.get(1).and_then(N::as_num).is_some_and(|object| object <= VOTE) {
        return None;
    }
    let mut args = args.to_vec();
    let at = args.get_mut(usize::from(ticket.cell))?;
    if free_vars_n(at).iter().all(known) {
        return None;
    }
    *at = time.clone();
    Some(N::call(fun.clone(), args))
}

/// Is the term worth its place in a question? Terms share parts, but they are printed, and told to solvers, as trees.
pub(super) fn is_small(term: &N) -> bool {
    terms_left(term, 150).is_some()
}

/// The same of a condition.
pub(super) fn is_small_condition(cond: &B) -> bool {
    conditions_left(cond, 300).is_some()
}

/// How many of so many terms are left where these have been counted, as a tree.
fn terms_left(term: &N, left: usize) -> Option<usize> {
    let left = left.checked_sub(1)?;
    match term.kind() {
        NExp::Num(_) | NExp::Var(_) => Some(left),
        NExp::Bin(_, _, l, r) => terms_left(r, terms_left(l, left)?),
        NExp::If(c, t, e) => terms_left(e, terms_left(t, conditions_left(c, left)?)?),
        NExp::Cast(_, inner) => terms_left(inner, left),
        NExp::Call(_, args) => args.iter().try_fold(left, |left, arg| terms_left(arg, left)),
    }
}

fn conditions_left(cond: &B, left: usize) -> Option<usize> {
    let left = left.checked_sub(1)?;
    match cond.kind() {
        BExp::Lit(_) => Some(left),
        BExp::Rel(_, l, r) => terms_left(r, terms_left(l, left)?),
        BExp::And(parts) | BExp::Or(parts) => parts.iter().try_fold(left, |left, part| conditions_left(part, left)),
        BExp::Not(inner) => conditions_left(inner, left),
    }
}

/// What there was before a barrier: the phase, and what this thread saw of each array.
pub struct Before {
    pub phase: N,
    pub versions: Vec<(ObjId, N)>,
}

impl Settlement {
    /// With these arguments for the phase.
    fn iteration(&self, now: &[N]) -> Option<Subst<'static>> {
        let mut iteration = Subst::new();
        for (param, value) in self.params.iter().zip(now) {
            match param.as_var() {
                Some(var) => iteration.bind(&var.name, value),
                None if param == value => {}
                None => return None,
            }
        }
        Some(iteration)
    }
}

impl Entry {
    fn object(&self) -> ObjId {
        match self {
            Entry::Put(put) => put.object,
            Entry::Forget(object) | Entry::Atomic(object) => *object,
        }
    }
}

impl Fact {
    /// Where both stores are known not to be at one index, do they touch different places?
    fn tells_from(&self, other: &Fact) -> bool {
        let alike = self.strides == other.strides && self.constant == other.constant && self.width == other.width;
        alike && self.strides.len() <= 1 && self.strides.iter().all(|s| *s >= self.width)
    }
}

/// A value of `var` for which the term may be `at`, if everything else in it is fixed.
fn at_index(term: &N, var: &Var, at: &N, fixed: &dyn Fn(&N) -> bool) -> Option<N> {
    match term.kind() {
        NExp::Var(v) => (v == var).then(|| at.clone()),
        NExp::Cast(_, inner) => at_index(inner, var, at, fixed),
        NExp::Bin(op, ty, l, r) => match (fixed(l), fixed(r)) {
            (false, true) => at_index(l, var, &undone(*op, *ty, at, r)?, fixed),
            (true, false) if *op == NBin::Sub => at_index(r, var, &N::sub(IntTy::MATH, l, at), fixed),
            (true, false) => at_index(r, var, &undone(*op, *ty, at, l)?, fixed),
            _ => None,
        },
        _ => None,
    }
}

/// What gives `at` when it comes before the operator and `other`.
fn undone(op: NBin, ty: IntTy, at: &N, other: &N) -> Option<N> {
    match op {
        NBin::Add => Some(N::sub(IntTy::MATH, at, other)),
        NBin::Sub => Some(N::add(IntTy::MATH, at, other)),
        NBin::Mul => Some(N::bin(NBin::Div, IntTy::MATH, at, other)),
        NBin::Xor => Some(N::bin(NBin::Xor, ty, at, other)),
        _ => None,
    }
}

/// What a conjunct of the condition says that the variable is equal to.
fn equal_to(guard: &B, var: &Var, fixed: &dyn Fn(&N) -> bool) -> Option<N> {
    match guard.kind() {
        BExp::And(parts) => parts.iter().find_map(|part| equal_to(part, var, fixed)),
        BExp::Rel(NRel::Eq, l, r) => {
            let is = |n: &N| matches!(n.kind(), NExp::Var(v) if v == var);
            let value = if is(l) {
                r
            } else if is(r) {
                l
            } else {
                return None;
            };
            fixed(value).then(|| value.clone())
        }
        _ => None,
    }
}

/// What a function of contents stands for.
#[derive(Clone)]
pub struct Contents {
    pub object: ObjId,
    pub strides: Vec<u64>,
    /// 0 when several sizes are read by the same function.
    pub width: u64,
}
