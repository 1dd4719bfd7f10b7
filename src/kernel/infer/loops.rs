//! Loops: what an iteration changes gets a closed form in the iteration counter where it has one; the loop becomes a range.
//!
//! The body is walked once, with a placeholder for everything that it may change. What the placeholder has become after
//! the body says how it changes: not at all, by an invariant step, by a constant factor, to something that depends on
//! nothing carried, or otherwise. In the last case its value is an uninterpreted function of the iteration and of all
//! that the change depends on, so that two threads that agree on these agree on the value.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::settled::Log;
use super::state::{Cells, State};
use super::value::{ObjId, Offset, Pointer, Target, Value, scalars};
use super::{Walk, clean, conjuncts};
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
    out: N,
}

/// The targets that a pointer may have in any iteration: object, strides, constant.
type Shape = Vec<(ObjId, Vec<u64>, i128)>;

/// The range of a loop, when its condition gives one.
struct Main {
    /// Position among the carried values.
    carried: usize,
    range: Range,
    /// What remains of the condition.
    rest: B,
    /// The number of iterations, and the value after the last one.
    trips: Option<N>,
    last: Option<N>,
}

impl<'p> Walk<'p> {
    pub(super) fn run_loop(&mut self, the_loop: &'p Loop, span: Span) {
        let before = self.state.clone();
        let (events, losses, pre) = (self.events.len(), self.losses.len(), self.pre.len());
        let facts = self.pair_facts.len();
        let copies = self.copies.clone();
        let out = std::mem::take(&mut self.out);
        let precise = self.symbolic(the_loop, span);
        self.copies_left_by_loop();
        let emitted = std::mem::replace(&mut self.out, out);
        if !precise && self.unrolling < 3 {
            // Iteration by iteration, when the condition is decided each time.
            let kept = (self.state.clone(), self.events.len(), self.losses.len());
            let saved_losses = self.losses.split_off(losses);
            let saved_pre = self.pre.split_off(pre);
            let saved_facts = self.pair_facts.split_off(facts);
            self.state = before;
            let left = std::mem::replace(&mut self.copies, copies);
            let outer = std::mem::take(&mut self.out);
            let unrolled = self.unroll_within_limits(the_loop);
            let inner = std::mem::replace(&mut self.out, outer);
            if unrolled {
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
        let _ = events;
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
    fn symbolic(&mut self, the_loop: &'p Loop, span: Span) -> bool {
        let before = self.state.clone();
        let (losses, pre, facts) = (self.losses.len(), self.pre.len(), self.pair_facts.len());
        let carried_objects = self.carried_objects(the_loop);
        let mut shapes: HashMap<(ObjId, u64), Shape> = HashMap::new();
        let counter = Var { name: self.names.fresh("it%"), ty: IntTy::MATH };
        let mut lost: BTreeSet<(ObjId, u64)> = BTreeSet::new();
        let copies = self.copies.clone();
        for _round in 0..6 {
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
            if !the_loop.post_test {
                if let Some(c) = &the_loop.cond {
                    cond = self.truth(c);
                }
                cond_out = std::mem::take(&mut self.out);
                by_condition = carried.iter().map(|c| differs(&head, &self.state, &c.home)).collect();
            }
            self.path.extend(conjuncts(&cond));
            self.ranges.assume(&cond);
            self.stmts(&the_loop.body);
            self.state.continued = B::lit(false);
            let left = self.state.left();
            let rest = |w: &mut Self| {
                if let Some(step) = &the_loop.step {
                    w.eval_for_effect(step);
                }
                match (&the_loop.cond, the_loop.post_test) {
                    (Some(c), true) => w.truth(c),
                    _ => B::lit(true),
                }
            };
            let (_, again) = self.branch(&left, |_| B::lit(false), rest);
            let again = again.unwrap_or(B::lit(false));
            let body_out = std::mem::replace(&mut self.out, outer_out);
            self.counters.pop();
            self.ranges = ranges;
            self.path.truncate(path);
            // Pointers that went elsewhere than was foreseen: once more, with more targets.
            if self.widen(&head, &carried_objects, &mut shapes, &mut lost) {
                continue;
            }
            self.collect_outs(&mut carried, &shapes, &counter);
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
                post_test: the_loop.post_test,
                counter: counter.clone(),
            };
            return self.finish_loop(&before, carried, &shapes, iteration, &carried_objects, span);
        }
        // The targets did not settle: everything reached through these pointers is lost, which `install` has said.
        true
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

    fn placeholder(&mut self, label: &str, ty: IntTy) -> Var {
        let name = self.names.fresh(&format!("{}%", clean(label)));
        Var { name, ty }
    }

    fn cell_type(&self, object: ObjId, offset: u64) -> Option<Type> {
        let mut parts = Vec::new();
        scalars(&self.info(object).ty, 0, 256, &mut parts)?;
        parts.into_iter().find(|(o, _)| *o == offset).map(|(_, t)| t)
    }

    /// Puts a placeholder in place of everything that the loop may change.
    fn install(
        &mut self,
        objects: &[ObjId],
        shapes: &mut HashMap<(ObjId, u64), Shape>,
        lost: &BTreeSet<(ObjId, u64)>,
    ) -> Vec<Carried> {
        let mut carried = Vec::new();
        for object in objects {
            let label = self.info(*object).name.to_string();
            let ty = self.info(*object).ty.clone();
            // What is not initialised yet is carried too, when the object has few parts.
            let mut parts = Vec::new();
            if scalars(&ty, 0, 64, &mut parts).is_some() {
                for (offset, ty) in parts {
                    let missing = self.state.private.get(object).is_none_or(|c| !c.cells.contains_key(&offset));
                    if missing && !matches!(ty, Type::Ptr(_) | Type::Ref(_) | Type::Fun) {
                        let value = self.load_private(*object, &Offset::start().bytes(i128::from(offset)), &ty);
                        self.set_cell(*object, offset, ty.size(), value);
                    }
                }
            }
            let Some(cells) = self.state.private.get(object).cloned() else { continue };
            let mut fresh = Cells { cells: BTreeMap::new(), rest: cells.rest.clone(), open: cells.open };
            let rest = self.placeholder("content", IntTy::OPAQUE);
            carried.push(Carried {
                home: Home::Rest(*object),
                var: rest.clone(),
                init: cells.rest.clone(),
                out: N::var(&rest),
            });
            fresh.rest = N::var(&rest);
            for (offset, (size, value)) in &cells.cells {
                let home = (*object, *offset);
                let value = match value {
                    Value::Num(init) => {
                        let int = match self.cell_type(*object, *offset) {
                            Some(Type::Int(int)) => int,
                            _ => init.ty().unwrap_or(IntTy::OPAQUE),
                        };
                        let var = self.placeholder(&label, int);
                        let home = Home::Cell(*object, *offset);
                        carried.push(Carried { home, var: var.clone(), init: init.clone(), out: N::var(&var) });
                        Value::Num(N::var(&var))
                    }
                    Value::Ptr(_) if lost.contains(&home) => Value::Ptr(Pointer::unknown()),
                    Value::Ptr(p) if p.unknown.is_some() => value.clone(),
                    Value::Ptr(p) => {
                        let shape = shapes.entry(home).or_insert_with(|| {
                            p.targets.iter().map(|t| (t.object, strides(&t.offset), t.offset.constant)).collect()
                        });
                        let shape = shape.clone();
                        self.install_pointer(home, p, &shape, &label, &mut carried)
                    }
                    Value::Fun(list, _) => Value::Fun(list.clone(), true),
                    other => other.clone(),
                };
                fresh.cells.insert(*offset, (*size, value));
            }
            self.state.private.insert(*object, Rc::new(fresh));
        }
        for object in self.arrays().collect::<Vec<_>>() {
            let label = format!("{}.version", self.info(object).name);
            let var = self.placeholder(&label, IntTy::OPAQUE);
            let init = self.state.version(object);
            self.state.versions.insert(object, N::var(&var));
            carried.push(Carried { home: Home::Version(object), var: var.clone(), init, out: N::var(&var) });
        }
        let var = self.placeholder("epoch", IntTy::OPAQUE);
        let init = std::mem::replace(&mut self.state.epoch, N::var(&var));
        carried.push(Carried { home: Home::Epoch, var: var.clone(), init, out: N::var(&var) });
        carried
    }

    fn install_pointer(
        &mut self,
        home: (ObjId, u64),
        p: &Pointer,
        shape: &Shape,
        label: &str,
        carried: &mut Vec<Carried>,
    ) -> Value {
        let single = shape.len() == 1 && p.targets.len() == 1 && p.targets[0].guard.as_lit() == Some(true);
        let selector = if single {
            None
        } else {
            let mut init = N::num(-1);
            for target in &p.targets {
                if let Some(i) = position(shape, target) {
                    init = N::ite(&target.guard, &N::num(i as i128), &init);
                }
            }
            let var = self.placeholder(label, IntTy::MATH);
            let selector = Home::Selector(home.0, home.1);
            carried.push(Carried { home: selector, var: var.clone(), init, out: N::var(&var) });
            Some(var)
        };
        let mut targets = Vec::new();
        for (i, (object, strides, constant)) in shape.iter().enumerate() {
            let init = p.targets.iter().find(|t| position(shape, t) == Some(i));
            let mut terms = Vec::new();
            for (j, stride) in strides.iter().enumerate() {
                let var = self.placeholder(label, IntTy::MATH);
                let init = init.and_then(|t| t.offset.terms.get(j)).map_or(N::num(0), |(n, _)| n.clone());
                let home = Home::Index(home.0, home.1, i, j);
                carried.push(Carried { home, var: var.clone(), init, out: N::var(&var) });
                terms.push((N::var(&var), *stride));
            }
            let guard = match &selector {
                Some(var) => N::var(var).eq(&N::num(i as i128)),
                None => B::lit(true),
            };
            let offset =
                Offset { terms, constant: *constant, unknown_size: init.is_some_and(|t| t.offset.unknown_size) };
            targets.push(Target { guard, object: *object, offset });
        }
        Value::Ptr(Pointer { targets, unknown: None })
    }

    /// Adds the targets that pointers got in the body to their shapes; true when there were new ones.
    fn widen(
        &mut self,
        head: &State,
        objects: &[ObjId],
        shapes: &mut HashMap<(ObjId, u64), Shape>,
        lost: &mut BTreeSet<(ObjId, u64)>,
    ) -> bool {
        let mut changed = false;
        for object in objects {
            let (Some(now), Some(then)) = (self.state.private.get(object), head.private.get(object)) else { continue };
            for (offset, (_, value)) in &then.cells {
                let home = (*object, *offset);
                let (Value::Ptr(at_head), false) = (value, lost.contains(&home)) else { continue };
                if at_head.unknown.is_some() {
                    continue;
                }
                let after = match now.cells.get(offset) {
                    Some((_, Value::Ptr(p))) => p.clone(),
                    _ => Pointer::unknown(),
                };
                let shape = shapes.entry(home).or_default();
                if after.unknown.is_some() {
                    lost.insert(home);
                    changed = true;
                    continue;
                }
                for target in &after.targets {
                    if position(shape, target).is_some() {
                        continue;
                    }
                    changed = true;
                    let wanted = strides(&target.offset);
                    // The same place with one more index: `p` that becomes `p + n`.
                    let extends = shape
                        .iter_mut()
                        .find(|(o, s, c)| *o == target.object && *c == target.offset.constant && wanted.starts_with(s));
                    match extends {
                        Some(known) => known.1 = wanted,
                        None => shape.push((target.object, wanted, target.offset.constant)),
                    }
                }
                if shape.len() > MAX_TARGETS {
                    lost.insert(home);
                }
            }
        }
        changed
    }

    /// Reads what the placeholders have become.
    fn collect_outs(&mut self, carried: &mut [Carried], shapes: &HashMap<(ObjId, u64), Shape>, counter: &Var) {
        for c in carried.iter_mut() {
            self.counters.push(N::var(counter));
            let cell = |w: &Self, o: ObjId, at: u64| {
                w.state.private.get(&o).and_then(|cells| cells.cells.get(&at)).map(|(_, v)| v.clone())
            };
            c.out = match &c.home {
                Home::Cell(o, at) => match cell(self, *o, *at) {
                    Some(Value::Num(n)) => n,
                    _ => self.fresh_of_type("changed", c.var.ty),
                },
                Home::Selector(o, at) => match (cell(self, *o, *at), shapes.get(&(*o, *at))) {
                    (Some(Value::Ptr(p)), Some(shape)) => {
                        let mut selected = N::num(-1);
                        for target in &p.targets {
                            if let Some(i) = position(shape, target) {
                                selected = N::ite(&target.guard, &N::num(i as i128), &selected);
                            }
                        }
                        selected
                    }
                    _ => self.fresh_local("changed"),
                },
                Home::Index(o, at, i, j) => match (cell(self, *o, *at), shapes.get(&(*o, *at))) {
                    (Some(Value::Ptr(p)), Some(shape)) => {
                        match p.targets.iter().find(|t| position(shape, t) == Some(*i)) {
                            Some(target) => target.offset.terms.get(*j).map_or(N::num(0), |(n, _)| n.clone()),
                            None => N::var(&c.var),
                        }
                    }
                    _ => self.fresh_local("changed"),
                },
                Home::Rest(o) => match self.state.private.get(o) {
                    Some(cells) => cells.rest.clone(),
                    None => N::var(&c.var),
                },
                Home::Version(o) => self.state.version(*o),
                Home::Epoch => self.state.epoch.clone(),
            };
            self.counters.pop();
        }
    }

    /// Solves what is carried, finds the range, emits the loop, and sets the state after it.
    fn finish_loop(
        &mut self,
        before: &State,
        carried: Vec<Carried>,
        shapes: &HashMap<(ObjId, u64), Shape>,
        iteration: Iteration,
        objects: &[ObjId],
        span: Span,
    ) -> bool {
        let k = Var { name: self.names.fresh("k%"), ty: IntTy::MATH };
        let previous = Var { name: self.names.fresh("it.previous%"), ty: IntTy::MATH };
        let solved = self.solve(&carried, &k, &iteration.counter, &previous);
        let synchronises = iteration.cond_out.iter().chain(&iteration.body_out).any(contains_sync);
        let no_exits = iteration.exits.any.as_lit() == Some(false);
        let main = self.main_range(&carried, &solved, &iteration, &k);

        // The terms of the placeholders, in the counter k.
        let mut in_k = Subst::new();
        for (c, form) in carried.iter().zip(&solved.forms) {
            in_k.bind(&c.var.name, form);
        }
        // Which variable the range binds: the loop variable itself, or the counter.
        let thread_dependent = |w: &Self, r: &Range| {
            w.term_has_thread(&r.first) || matches!(&r.step, Step::Up(s) | Step::Down(s) if w.term_has_thread(s))
        };
        let geometric = |r: &Range| matches!(r.step, Step::Times(_) | Step::Over(_));
        // (What identifies contents of memory only asks whether this is the first iteration.)
        let mut others_use_k = false;
        let live = live_placeholders(&carried, &iteration);
        if let Some(m) = &main {
            for (i, form) in solved.forms.iter().enumerate() {
                let is_value = match &carried[i].home {
                    Home::Cell(..) => carried[i].var.ty != IntTy::OPAQUE,
                    Home::Selector(..) | Home::Index(..) => true,
                    Home::Rest(_) | Home::Version(_) | Home::Epoch => false,
                };
                let used = live.contains(&carried[i].var);
                if i != m.carried && is_value && used && carried[i].out != N::var(&carried[i].var) {
                    // What the iteration before it left asks for the first iteration only.
                    let counted = match (form.kind(), &solved.shifted[i]) {
                        (NExp::If(_, _, before), true) => before,
                        _ => form,
                    };
                    others_use_k |= mentions(counted, &k.name);
                }
            }
        }
        let bind_itself = main.as_ref().is_some_and(|m| {
            let splits_barriers = synchronises && thread_dependent(self, &m.range);
            // What has no closed form is a function of the number of the iteration, which is then not known.
            let counts = others_use_k || (!solved.precise && thread_dependent(self, &m.range));
            let hides_the_count = geometric(&m.range) && counts;
            !splits_barriers && !hides_the_count
        });

        let dependencies = self.dependencies(&carried, &iteration, []);
        let unknown_trips = |w: &mut Self, label: &str, ty: IntTy| {
            let name = w.names.fresh(label);
            N::call(Fun { name, ty, kind: FunKind::Abstract }, dependencies.clone())
        };

        let range;
        let mut guard;
        let mut to_binder = Subst::new();
        match main.as_ref().filter(|_| bind_itself) {
            Some(m) => {
                let c = &carried[m.carried];
                let name = self.names.fresh(binder_label(&c.var.name));
                let binder = Var { name, ty: c.var.ty };
                let itself = N::var(&binder);
                let mut r = Range { var: binder, ..m.range.clone() };
                if !no_exits && synchronises {
                    // A break may end the loop earlier: at a point that all threads agree on when its reasons are uniform.
                    let earlier = unknown_trips(self, "stop", IntTy::I64);
                    let op = if matches!(r.step, Step::Up(_) | Step::Times(_)) { NBin::Min } else { NBin::Max };
                    r.end = N::bin(op, IntTy::MATH, &r.end, &earlier);
                }
                let distance = |w: &Self, at: &N| -> N {
                    let _ = w;
                    match &r.step {
                        Step::Up(s) => N::bin(NBin::Div, IntTy::MATH, &N::sub(IntTy::MATH, at, &r.first), s),
                        Step::Down(s) => N::bin(NBin::Div, IntTy::MATH, &N::sub(IntTy::MATH, &r.first, at), s),
                        Step::Times(_) | Step::Over(_) => at.eq(&r.first).as_number(),
                    }
                };
                let distance = match &r.step {
                    Step::Times(_) | Step::Over(_) => N::sub(IntTy::MATH, &N::num(1), &distance(self, &itself)),
                    Step::Up(_) | Step::Down(_) => distance(self, &itself),
                };
                to_binder.bind(&k.name, &distance);
                let earlier = match &r.step {
                    Step::Up(s) => N::sub(IntTy::MATH, &itself, s),
                    Step::Down(s) => N::add(IntTy::MATH, &itself, s),
                    Step::Times(_) | Step::Over(_) => {
                        let name = self.names.fresh("before");
                        N::call(Fun { name, ty: IntTy::OPAQUE, kind: FunKind::Abstract }, vec![itself.clone()])
                    }
                };
                to_binder.bind(&previous.name, &earlier);
                // Threads that start elsewhere have the same value in another iteration.
                let count = if thread_dependent(self, &m.range) { &distance } else { &itself };
                to_binder.bind(&iteration.counter.name, count);
                // The variable itself is the binder, whatever its closed form says.
                in_k.bind(&c.var.name, &itself);
                guard = m.rest.clone();
                range = r;
            }
            None => {
                let name = self.names.fresh("k");
                let binder = Var { name, ty: IntTy::MATH };
                let itself = N::var(&binder);
                to_binder.bind(&k.name, &itself);
                to_binder.bind(&previous.name, &N::sub(IntTy::MATH, &itself, &N::num(1)));
                to_binder.bind(&iteration.counter.name, &itself);
                let trips = main.as_ref().and_then(|m| m.trips.clone());
                let most = main.as_ref().and_then(|m| most_trips(&m.range, &N::var(&k)));
                let end = match (&trips, no_exits || !synchronises) {
                    (Some(t), true) => t.clone(),
                    (Some(t), false) => N::bin(NBin::Min, IntTy::MATH, t, &unknown_trips(self, "trips", IntTy::U32)),
                    // As long as the condition holds, which the guard asks for.
                    (None, true) if most.is_some() => most.as_ref().map_or(N::num(0), |(most, _)| N::num(*most)),
                    (None, _) => unknown_trips(self, "trips", IntTy::U32),
                };
                guard = match (&trips, &main) {
                    (Some(_), Some(m)) => m.rest.clone(),
                    _ => iteration.cond.clone(),
                };
                if let Some((_, in_type)) = most {
                    guard = B::and([guard, in_type]);
                }
                if iteration.post_test {
                    // The first iteration runs in any case; a later one when the one before it went on.
                    let mut earlier = Subst::new();
                    earlier.bind(&k.name, &N::sub(IntTy::MATH, &N::var(&k), &N::num(1)));
                    earlier.bind(&iteration.counter.name, &N::var(&previous));
                    let again = in_k.boolean(&iteration.again);
                    guard = B::or([N::var(&k).eq(&N::num(0)), earlier.boolean(&again)]);
                    if iteration.again.as_lit() == Some(false) {
                        guard = B::lit(true);
                    }
                }
                let end = if iteration.post_test && iteration.again.as_lit() == Some(false) {
                    N::num(1)
                } else if iteration.post_test && trips.is_none() {
                    N::bin(NBin::Max, IntTy::MATH, &N::num(1), &end)
                } else {
                    end
                };
                range = Range::up(binder, N::num(0), end);
            }
        }

        // The emitted code, in terms of the binder.
        guard = to_binder.boolean(&in_k.boolean(&guard));
        let range_once = range.clone();
        let mut translate = |protocols: Vec<Protocol>| {
            let p = Protocol::seq(protocols);
            let p = substitute(&p, &mut in_k);
            substitute(&p, &mut to_binder)
        };
        let cond_out = translate(iteration.cond_out.clone());
        let body_out = translate(iteration.body_out.clone());
        let single = range_once.first.as_num() == Some(0)
            && range_once.end.as_num() == Some(1)
            && matches!(&range_once.step, Step::Up(s) if s.as_num() == Some(1));
        if single {
            let mut zero = Subst::one(&range_once.var.name, &N::num(0));
            let code = Protocol::seq([cond_out, Protocol::branch(&guard, body_out, Protocol::Skip)]);
            let code = substitute(&code, &mut zero);
            self.emit(code);
        } else if cond_out == Protocol::Skip {
            let code = Protocol::branch(&guard, body_out, Protocol::Skip);
            if code != Protocol::Skip {
                self.emit(Protocol::For(range_once.clone(), Box::new(code)));
            }
        } else {
            // The condition is evaluated once more than the body.
            let more = one_more(&range_once);
            let inside = in_range(&range_once);
            let body = Protocol::branch(&B::and([inside, guard.clone()]), body_out, Protocol::Skip);
            self.emit(Protocol::For(more, Box::new(Protocol::seq([cond_out, body]))));
        }

        // The state after the loop.
        let mut after = Subst::new();
        let last = main.as_ref().filter(|_| no_exits && !iteration.post_test).filter(|m| m.rest.as_lit() == Some(true));
        let precise_end = match last {
            Some(m) => m.trips.clone(),
            None if iteration.post_test && no_exits && iteration.again.as_lit() == Some(false) => Some(N::num(1)),
            None if iteration.post_test && no_exits => {
                main.as_ref().filter(|m| m.rest.as_lit() == Some(true)).and_then(|m| m.trips.clone())
            }
            None => None,
        };
        let mut finals: Vec<N> = Vec::new();
        for (i, (c, form)) in carried.iter().zip(&solved.forms).enumerate() {
            let value = if iteration.by_condition[i] {
                self.final_value(c, &carried, &iteration)
            } else if *form == c.init && !mentions(form, &k.name) {
                c.init.clone()
            } else {
                match (&precise_end, last) {
                    (_, Some(m)) if m.carried == i && m.last.is_some() => {
                        m.last.clone().unwrap_or_else(|| c.init.clone())
                    }
                    (Some(trips), _) => {
                        let mut at_end = Subst::new();
                        at_end.bind(&k.name, trips);
                        at_end.bind(&previous.name, &N::sub(IntTy::MATH, trips, &N::num(1)));
                        at_end.bind(&iteration.counter.name, trips);
                        let value = at_end.numeric(form);
                        if value.depth() > 100 { self.final_value(c, &carried, &iteration) } else { value }
                    }
                    (None, _) => self.final_value(c, &carried, &iteration),
                }
            };
            after.bind(&c.var.name, &value);
            finals.push(value);
        }
        let returned = self.final_exit(&iteration.exits.returned, "returned", &dependencies);
        let exited = self.final_exit(&iteration.exits.exited, "exited", &dependencies);
        let mut jumps = BTreeMap::new();
        for (label, jump) in &iteration.exits.jumps {
            jumps.insert(label.clone(), self.final_exit(jump, "jumped", &dependencies));
        }
        let mut state = before.clone();
        state.recent.clear();
        for (c, value) in carried.iter().zip(&finals) {
            let changed = c.out != N::var(&c.var);
            match &c.home {
                Home::Version(o) => {
                    state.versions.insert(*o, value.clone());
                    if changed {
                        state.log.forget(*o);
                    }
                }
                Home::Epoch => {
                    state.epoch = value.clone();
                    if changed {
                        state.log = Log::default();
                    }
                }
                _ => {}
            }
        }
        for object in objects {
            let Some(now) = self.state.private.get(object).cloned() else { continue };
            let Some(then) = before.private.get(object) else { continue };
            let open = then.open || now.open;
            let mut cells = Cells { cells: BTreeMap::new(), rest: then.rest.clone(), open };
            for (c, value) in carried.iter().zip(&finals) {
                match &c.home {
                    Home::Rest(o) if o == object => cells.rest = value.clone(),
                    Home::Cell(o, at) if o == object => {
                        // A cell that the body lost stays lost.
                        if let Some((size, _)) = now.cells.get(at) {
                            cells.cells.insert(*at, (*size, Value::Num(value.clone())));
                        }
                    }
                    _ => {}
                }
            }
            let value_of = |home: &Home| carried.iter().position(|c| c.home == *home).map(|i| finals[i].clone());
            for (at, (size, value)) in &now.cells {
                match value {
                    Value::Ptr(p) if p.unknown.is_some() => {
                        cells.cells.insert(*at, (*size, Value::Ptr(Pointer::unknown())));
                    }
                    Value::Ptr(_) => {
                        let Some(shape) = shapes.get(&(*object, *at)) else {
                            cells.cells.insert(*at, (*size, Value::Ptr(Pointer::unknown())));
                            continue;
                        };
                        let selector = value_of(&Home::Selector(*object, *at));
                        let mut targets = Vec::new();
                        for (i, (target, strides, constant)) in shape.iter().enumerate() {
                            let guard = match &selector {
                                Some(s) => s.eq(&N::num(i as i128)),
                                None => B::lit(true),
                            };
                            if guard.as_lit() == Some(false) {
                                continue;
                            }
                            let terms = strides
                                .iter()
                                .enumerate()
                                .map(|(j, s)| (value_of(&Home::Index(*object, *at, i, j)).unwrap_or(N::num(0)), *s))
                                .collect();
                            let offset = Offset { terms, constant: *constant, unknown_size: false };
                            targets.push(Target { guard, object: *target, offset });
                        }
                        cells.cells.insert(*at, (*size, Value::Ptr(Pointer { targets, unknown: None })));
                    }
                    Value::Fun(list, _) => {
                        cells.cells.insert(*at, (*size, Value::Fun(list.clone(), true)));
                    }
                    _ => {}
                }
            }
            state.private.insert(*object, Rc::new(cells));
        }
        state.returned = returned;
        state.jumps = jumps;
        state.exited = B::or([before.exited.clone(), exited]);
        self.state = state;
        let _ = span;
        let settled = iteration.by_condition.iter().all(|changed| !changed);
        settled && solved.precise && (main.is_some() || iteration.post_test && iteration.again.as_lit() == Some(false))
    }

    /// An unknown value after the loop, a function of all that it and the number of iterations depend on.
    fn final_value(&mut self, c: &Carried, carried: &[Carried], iteration: &Iteration) -> N {
        let dependencies = self.dependencies(carried, iteration, [c.var.clone()]);
        let label = c.var.name.as_str().split('%').next().unwrap_or("value").to_owned();
        let name = self.names.fresh(&format!("{}.after", clean(&label)));
        N::call(Fun { name, ty: c.var.ty, kind: FunKind::Abstract }, dependencies)
    }

    fn final_exit(&mut self, flag: &B, label: &str, dependencies: &[N]) -> B {
        if flag.as_lit() == Some(false) {
            return flag.clone();
        }
        let name = self.names.fresh(label);
        N::call(Fun { name, ty: IntTy::BOOL, kind: FunKind::Abstract }, dependencies.to_vec()).truth()
    }

    /// The variables that distinguish threads or outer iterations, of everything that decides how the loop goes, and of
    /// what else is asked about.
    fn dependencies(&self, carried: &[Carried], iteration: &Iteration, also: impl IntoIterator<Item = Var>) -> Vec<N> {
        let mut vars: BTreeSet<Var> = BTreeSet::new();
        // Only what reaches the exits matters; all of it is a sound (larger) set, and the closure is cheap to refine.
        let mut pending: Vec<Var> = also.into_iter().collect();
        let mut seen: BTreeSet<Name> = BTreeSet::new();
        let conds = [&iteration.cond, &iteration.again, &iteration.exits.any];
        for cond in conds {
            pending.extend(free_vars_b(cond));
        }
        while let Some(var) = pending.pop() {
            if !seen.insert(var.name.clone()) {
                continue;
            }
            match carried.iter().find(|c| c.var == var) {
                Some(c) => {
                    pending.extend(free_vars_n(&c.out));
                    pending.extend(free_vars_n(&c.init));
                }
                None => {
                    vars.insert(var);
                }
            }
        }
        self.distinguishing(&vars, &iteration.counter)
    }

    fn distinguishing(&self, vars: &BTreeSet<Var>, counter: &Var) -> Vec<N> {
        vars.iter().filter(|v| *v != counter && !self.globals_vars.contains(v)).map(N::var).collect()
    }

    /// Finds closed forms, in the counter `k`, of what is carried.
    fn solve(&mut self, carried: &[Carried], k: &Var, counter: &Var, previous: &Var) -> Solved {
        let n = carried.len();
        let mut forms: Vec<Option<N>> = vec![None; n];
        let mut steps: Vec<Option<N>> = vec![None; n];
        let mut factors: Vec<Option<Factor>> = vec![None; n];
        let mut shifted = vec![false; n];
        let k_term = N::var(k);
        loop {
            let mut changed = false;
            for i in 0..n {
                if forms[i].is_some() {
                    continue;
                }
                let mut known = Subst::new();
                for (c, form) in carried.iter().zip(&forms) {
                    if let Some(form) = form {
                        known.bind(&c.var.name, form);
                    }
                }
                let c = &carried[i];
                let out = known.numeric(&c.out);
                let free = free_vars_n(&out);
                let open = |t: &N| {
                    let free = free_vars_n(t);
                    carried.iter().zip(&forms).any(|(c, f)| f.is_none() && free.contains(&c.var))
                };
                let itself = N::var(&c.var);
                if out == itself {
                    forms[i] = Some(c.init.clone());
                } else if let Some(step) = additive(&out, &c.var).filter(|s| !open(s)) {
                    let free = free_vars_n(&step);
                    if free.contains(k) || free.contains(counter) || free.contains(previous) {
                        continue;
                    }
                    let step = signed_step(&step, c.var.ty);
                    let moved = N::add(IntTy::MATH, &c.init, &N::mul(IntTy::MATH, &step, &k_term));
                    forms[i] = Some(N::cast(c.var.ty, &moved));
                    steps[i] = Some(step);
                } else if let Some(factor) = geometric(&out, &c.var) {
                    let by = N::mul(IntTy::MATH, &k_term, &N::num(i128::from(factor.shift)));
                    let op = if factor.times { NBin::Shl } else { NBin::Shr };
                    if factor.shift > 0 {
                        let mut form = N::bin(op, c.var.ty, &c.init, &by);
                        if factor.division && self.may_be_negative(&c.init, c.var.ty) {
                            // Division truncates towards zero, on both sides of it.
                            let zero = N::num(0);
                            let minus = |n: &N| N::sub(IntTy::MATH, &zero, n);
                            let below = minus(&N::bin(NBin::Shr, IntTy::MATH, &minus(&c.init), &by));
                            form = N::ite(&c.init.lt(&zero), &below, &form);
                        }
                        forms[i] = Some(form);
                        factors[i] = Some(factor);
                    }
                } else if !free.contains(&c.var) && !open(&out) {
                    // What the iteration before it left.
                    let mut earlier = Subst::new();
                    earlier.bind(&k.name, &N::sub(IntTy::MATH, &k_term, &N::num(1)));
                    earlier.bind(&counter.name, &N::var(previous));
                    let before = earlier.numeric(&out);
                    if before.depth() > 60 {
                        continue;
                    }
                    forms[i] = Some(N::ite(&k_term.eq(&N::num(0)), &c.init, &before));
                    shifted[i] = true;
                }
                changed |= forms[i].is_some();
            }
            if !changed && !periodic(carried, &mut forms, [k, counter, previous]) {
                break;
            }
        }
        // The rest: functions of the iteration and of what their change depends on.
        let mut precise = true;
        let mut finished = Vec::new();
        for i in 0..n {
            let form = match &forms[i] {
                Some(form) => form.clone(),
                None => {
                    let matters = matches!(&carried[i].home, Home::Selector(..) | Home::Index(..))
                        || matches!(&carried[i].home, Home::Cell(..)) && carried[i].var.ty != IntTy::OPAQUE;
                    precise &= !matters;
                    let mut vars: BTreeSet<Var> = BTreeSet::new();
                    let mut pending = vec![carried[i].var.clone()];
                    let mut seen: BTreeSet<Name> = BTreeSet::new();
                    while let Some(var) = pending.pop() {
                        if !seen.insert(var.name.clone()) {
                            continue;
                        }
                        match carried.iter().position(|c| c.var == var) {
                            Some(j) => {
                                pending.extend(free_vars_n(&carried[j].out));
                                pending.extend(free_vars_n(&carried[j].init));
                            }
                            None => {
                                vars.insert(var);
                            }
                        }
                    }
                    let mut args = vec![N::var(counter)];
                    args.extend(self.distinguishing(&vars, counter));
                    let label = carried[i].var.name.as_str().split('%').next().unwrap_or("value").to_owned();
                    let name = self.names.fresh(&clean(&label));
                    N::call(Fun { name, ty: carried[i].var.ty, kind: FunKind::Abstract }, args)
                }
            };
            finished.push(form);
        }
        Solved { forms: finished, steps, factors, shifted, precise }
    }

    fn may_be_negative(&self, term: &N, ty: IntTy) -> bool {
        ty.signed && self.ranges.interval(term).lo.is_none_or(|lo| lo < 0)
    }

    /// Reads the condition of the loop as the range of one of its variables.
    fn main_range(&mut self, carried: &[Carried], solved: &Solved, iteration: &Iteration, k: &Var) -> Option<Main> {
        let cond = if iteration.post_test { &iteration.again } else { &iteration.cond };
        let parts = conjuncts(cond);
        let mut known = Subst::new();
        for (i, (c, form)) in carried.iter().zip(&solved.forms).enumerate() {
            // What moves with k stays a placeholder: a bound must not move.
            if solved.steps[i].is_none() && solved.factors[i].is_none() {
                known.bind(&c.var.name, form);
            }
        }
        for (at, part) in parts.iter().enumerate() {
            let BExp::Rel(op, l, r) = part.kind() else { continue };
            for (moving, bound, flipped) in [(l, r, false), (r, l, true)] {
                let Some((carried_at, shift)) = self.moving(moving, carried, solved) else { continue };
                let bound = known.numeric(bound);
                let free = free_vars_n(&bound);
                if free.contains(k)
                    || free.contains(&iteration.counter)
                    || carried.iter().any(|c| free.contains(&c.var))
                {
                    continue;
                }
                let c = &carried[carried_at];
                // In a post-test the condition sees the value after the step.
                let bound = N::sub(IntTy::MATH, &bound, &shift);
                let below = match (op, flipped) {
                    (NRel::Lt, false) => Some((true, bound.clone())),
                    (NRel::Le, false) => Some((true, N::add(IntTy::MATH, &bound, &N::num(1)))),
                    (NRel::Lt, true) => Some((false, bound.clone())),
                    (NRel::Le, true) => Some((false, N::sub(IntTy::MATH, &bound, &N::num(1)))),
                    (NRel::Ne, _) => None,
                    (NRel::Eq, _) => continue,
                };
                let rest = B::and(
                    parts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, p)| p.clone()).collect::<Vec<_>>(),
                );
                let found = match (&solved.steps[carried_at], &solved.factors[carried_at]) {
                    (Some(step), _) => self.additive_range(c, step, below, &bound),
                    (None, Some(factor)) => self.geometric_range(c, factor, below, &bound),
                    (None, None) => None,
                };
                let Some((mut range, mut trips, mut last)) = found else { continue };
                if iteration.post_test {
                    // The other conditions are those after the iteration before.
                    if rest.as_lit() != Some(true) {
                        continue;
                    }
                    // What is asked of a value lets the next one run; and there is at least one iteration.
                    match &range.step {
                        Step::Up(s) => {
                            let least = N::add(IntTy::MATH, &range.first, &N::num(1));
                            let end = N::add(IntTy::MATH, &range.end, s);
                            range.end = N::bin(NBin::Max, IntTy::MATH, &end, &least);
                        }
                        Step::Down(s) => {
                            let most = N::sub(IntTy::MATH, &range.first, &N::num(1));
                            let end = N::sub(IntTy::MATH, &range.end, s);
                            range.end = N::bin(NBin::Min, IntTy::MATH, &end, &most);
                        }
                        Step::Times(_) | Step::Over(_) => continue,
                    }
                    trips = trip_count(&range);
                    last = None;
                }
                return Some(Main { carried: carried_at, range, rest, trips, last });
            }
        }
        None
    }

    /// A side of a comparison as a moving variable plus a shift.
    fn moving(&self, term: &N, carried: &[Carried], solved: &Solved) -> Option<(usize, N)> {
        let find = |v: &Var| {
            carried
                .iter()
                .position(|c| c.var == *v)
                .filter(|i| solved.steps[*i].is_some() || solved.factors[*i].is_some())
        };
        match term.kind() {
            NExp::Var(v) => find(v).map(|i| (i, N::num(0))),
            NExp::Bin(op @ (NBin::Add | NBin::Sub), ty, l, r) => match (l.as_var(), r.as_num()) {
                (Some(v), Some(d)) => {
                    let d = if *op == NBin::Add { d } else { -d };
                    // Where it wraps around, the comparison is another one; overflow of signed types has no meaning.
                    let first = |i: usize| {
                        let start = self.ranges.interval(&carried[i].init);
                        let start = Interval { lo: start.lo.map(|n| n + d), hi: start.hi.map(|n| n + d) };
                        start.within(Interval::of_type(*ty))
                    };
                    // Downwards, a later value may be less than what is taken away.
                    let grows = |i: usize| {
                        solved.steps[i].as_ref().is_some_and(|s| self.positive(s))
                            || solved.factors[i].as_ref().is_some_and(|f| f.times)
                    };
                    let exact =
                        |i: usize| ty.bits == 0 || (ty.signed && ty.bits >= 32) || (first(i) && (d >= 0 || grows(i)));
                    find(v).filter(|i| exact(*i)).map(|i| (i, N::num(d)))
                }
                _ => None,
            },
            // A conversion that keeps the value: of what is never negative in the loop.
            NExp::Cast(to, inner) => {
                let v = inner.as_var()?;
                let i = find(v).filter(|_| to.bits == 0 || (v.ty.bits != 0 && to.bits >= v.ty.bits))?;
                let start = self.ranges.interval(&carried[i].init);
                let starts = start.lo.is_some_and(|lo| lo >= 0) && start.within(Interval::of_type(*to));
                let grows = solved.steps[i].as_ref().is_some_and(|s| self.positive(s));
                (starts && grows).then(|| (i, N::num(0)))
            }
            _ => None,
        }
    }

    /// Is a step surely positive? Products and sums of positive terms are, as long as they do not wrap.
    fn positive(&self, term: &N) -> bool {
        if self.ranges.interval(term).lo.is_some_and(|lo| lo > 0) {
            return true;
        }
        match term.kind() {
            NExp::Bin(NBin::Mul | NBin::Add, _, l, r) => self.positive(l) && self.positive(r),
            // A narrow type may turn it around; that a wider one does not is for `additive_range` to see.
            NExp::Cast(ty, inner) => {
                let wide = ty.bits == 0 || ty.bits >= 32 && inner.ty().is_none_or(|from| from.bits <= ty.bits);
                (wide || self.ranges.interval(inner).within(Interval::of_type(*ty))) && self.positive(inner)
            }
            _ => false,
        }
    }

    /// Is a step that is positive as it stands less than half of the range of the variable, so that it goes up? Launches
    /// are small enough; of other sizes that are not known it is assumed, and listed.
    fn goes_up(&mut self, c: &Carried, step: &N) {
        let mut bare = step;
        while let NExp::Cast(_, inner) = bare.kind() {
            bare = inner;
        }
        let most = match c.var.ty.bits {
            0 => return,
            bits => (1i128 << (bits - 1)) - 1,
        };
        let of_launch = |v: &Var| v.name.as_str().starts_with("blockDim.") || v.name.as_str().starts_with("gridDim.");
        let mut leaves = Leaves::default();
        leaves.numeric(bare);
        let small = self.ranges.interval(bare).hi.is_some_and(|hi| hi <= most)
            || (leaves.functions.is_empty() && leaves.vars.iter().all(of_launch));
        // Overflow of signed arithmetic has no meaning.
        let signed = bare.ty().is_some_and(|ty| ty.signed && ty.bits != 0 && ty.bits <= c.var.ty.bits);
        if !small && !signed {
            let label = binder_label(&c.var.name);
            self.assumptions.push(format!("the step of the loop counter `{label}` is less than {}", most + 1));
        }
    }

    fn additive_range(
        &mut self,
        c: &Carried,
        step: &N,
        bound: Option<(bool, N)>,
        unequal: &N,
    ) -> Option<(Range, Option<N>, Option<N>)> {
        let negative = N::sub(IntTy::MATH, &N::num(0), step);
        let up = self.positive(step);
        let down = !up && (self.positive(&negative) || self.ranges.interval(step).hi.is_some_and(|h| h < 0));
        let end = match bound {
            Some((true, end)) if up => end,
            Some((false, end)) if down => end,
            None if (up || down) && self.reaches(c, step, unequal, up) => unequal.clone(),
            _ => return None,
        };
        if !self.stays_in_type(c, step, &end, up) {
            return None;
        }
        if up {
            self.goes_up(c, step);
        } else {
            self.goes_up(c, &negative);
        }
        let step = if up { Step::Up(step.clone()) } else { Step::Down(negative) };
        let range = Range { var: c.var.clone(), first: c.init.clone(), end, step };
        let trips = trip_count(&range);
        let last = match (&range.step, &trips) {
            (Step::Up(s), _) if s.as_num() == Some(1) => Some(N::bin(NBin::Max, IntTy::MATH, &range.first, &range.end)),
            (Step::Down(s), _) if s.as_num() == Some(1) => {
                Some(N::bin(NBin::Min, IntTy::MATH, &range.first, &range.end))
            }
            (Step::Up(s), Some(t)) => Some(N::add(IntTy::MATH, &range.first, &N::mul(IntTy::MATH, s, t))),
            (Step::Down(s), Some(t)) => Some(N::sub(IntTy::MATH, &range.first, &N::mul(IntTy::MATH, s, t))),
            _ => None,
        };
        Some((range, trips, last.map(|l| N::cast(c.var.ty, &l))))
    }

    /// Does `i != end` end the loop where `i < end` (or `>`, downwards) would? Overflow of `int` and wider signed types,
    /// and of pointers, has no meaning, so that such a loop ends there or nowhere.
    fn reaches(&self, c: &Carried, step: &N, end: &N, up: bool) -> bool {
        if c.var.ty.bits == 0 || (c.var.ty.signed && c.var.ty.bits >= 32) {
            return true;
        }
        let (from, to) = if up { (&c.init, end) } else { (end, &c.init) };
        if let (Some(from), Some(to), Some(by)) = (from.as_num(), to.as_num(), step.as_num()) {
            return from <= to && (to - from) % by == 0;
        }
        let (from, to) = (self.ranges.interval(from), self.ranges.interval(to));
        let ordered = matches!((from.hi, to.lo), (Some(hi), Some(lo)) if hi <= lo);
        ordered && step.as_num().is_some_and(|by| by.abs() == 1)
    }

    /// Does the variable keep within its type until it is past `end`? For `int` and wider signed types overflow has no
    /// meaning; a counter of 32 bits and more that goes up in larger steps is assumed not to wrap around, and that is
    /// listed.
    fn stays_in_type(&mut self, c: &Carried, step: &N, end: &N, up: bool) -> bool {
        let ty = c.var.ty;
        if ty.bits == 0 || (ty.signed && ty.bits >= 32) {
            return true;
        }
        let type_range = Interval::of_type(ty);
        let (end, step) = (self.ranges.interval(end), self.ranges.interval(step));
        let (Some(least), Some(most)) = (type_range.lo, type_range.hi) else { return false };
        if up {
            // The last value in the range is at most end - 1.
            let highest = end.hi.zip(step.hi).map(|(end, step)| end - 1 + step);
            if highest.is_some_and(|h| h <= most) {
                return true;
            }
            if ty.bits >= 32 {
                let label = binder_label(&c.var.name);
                self.assumptions.push(format!("the loop counter `{label}` does not wrap around"));
                return true;
            }
            return false;
        }
        let lowest = end.lo.zip(step.lo).map(|(end, step)| end + 1 + step);
        lowest.is_some_and(|l| l >= least)
    }

    fn geometric_range(
        &mut self,
        c: &Carried,
        factor: &Factor,
        bound: Option<(bool, N)>,
        unequal: &N,
    ) -> Option<(Range, Option<N>, Option<N>)> {
        let start = self.ranges.interval(&c.init);
        let by = N::num(1i128.checked_shl(factor.shift)?);
        let (step, end) = match (factor.times, bound) {
            (true, Some((true, end))) if start.lo.is_some_and(|lo| lo >= 1) => (Step::Times(by.clone()), end),
            (false, Some((false, end))) => {
                // Below zero the value would stay there, and so does not begin there.
                let reaches = self.ranges.interval(&end).lo.is_some_and(|lo| lo >= 0);
                if !reaches {
                    return None;
                }
                (Step::Over(by.clone()), end)
            }
            (false, None) if unequal.as_num() == Some(0) && start.lo.is_some_and(|lo| lo >= 0) => {
                (Step::Over(by.clone()), N::num(0))
            }
            _ => return None,
        };
        let beyond = self
            .ranges
            .interval(&end)
            .hi
            .is_none_or(|hi| Some(hi) > c.var.ty.max().map(|max| (max >> factor.shift) + 1));
        if factor.times && beyond && !c.var.ty.signed {
            let label = binder_label(&c.var.name);
            self.assumptions.push(format!("the loop counter `{label}` does not wrap around"));
        }
        let range = Range { var: c.var.clone(), first: c.init.clone(), end, step };
        // With constants only, count.
        let mut counted = (None, None);
        if let (Some(first), Some(end), Some(by)) = (range.first.as_num(), range.end.as_num(), by.as_num()) {
            let (mut x, mut n) = (first, 0i128);
            while n < 200 && if factor.times { x < end } else { x > end } {
                x = if factor.times { x.saturating_mul(by) } else { x / by };
                n += 1;
            }
            counted = (Some(N::num(n)), Some(N::num(c.var.ty.wrap(x))));
        }
        Some((range, counted.0, counted.1))
    }
}

struct Exits {
    returned: B,
    exited: B,
    jumps: BTreeMap<Name, B>,
    any: B,
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

/// The placeholders that an iteration uses: in what it emits, in its conditions, or in what it leaves to the next one.
fn live_placeholders(carried: &[Carried], iteration: &Iteration) -> BTreeSet<Var> {
    let mut leaves = Leaves::default();
    for p in iteration.cond_out.iter().chain(&iteration.body_out) {
        protocol_leaves(p, &mut leaves);
    }
    for b in [&iteration.cond, &iteration.again, &iteration.exits.any] {
        leaves.boolean(b);
    }
    let mut live: BTreeSet<Var> = leaves.vars.clone();
    loop {
        let before = live.len();
        for c in carried {
            if live.contains(&c.var) {
                live.extend(free_vars_n(&c.out));
            }
        }
        if live.len() == before {
            return live;
        }
    }
}

fn protocol_leaves(p: &Protocol, leaves: &mut Leaves) {
    match p {
        Protocol::Skip => {}
        Protocol::Access(a) => {
            a.index.iter().for_each(|n| leaves.numeric(n));
            if let Mode::Wr(Some(value)) = &a.mode {
                leaves.numeric(value);
            }
        }
        Protocol::Sync(barrier) => barrier.mask.iter().for_each(|m| leaves.numeric(m)),
        Protocol::Seq(parts) => parts.iter().for_each(|q| protocol_leaves(q, leaves)),
        Protocol::If(c, t, e) => {
            leaves.boolean(c);
            protocol_leaves(t, leaves);
            protocol_leaves(e, leaves);
        }
        Protocol::For(range, body) => {
            leaves.numeric(&range.first);
            leaves.numeric(&range.end);
            match &range.step {
                Step::Up(n) | Step::Down(n) | Step::Times(n) | Step::Over(n) => leaves.numeric(n),
            }
            protocol_leaves(body, leaves);
        }
    }
}

fn mentions(term: &N, name: &Name) -> bool {
    free_vars_n(term).iter().any(|v| v.name == *name)
}

fn strides(offset: &Offset) -> Vec<u64> {
    offset.terms.iter().map(|(_, s)| *s).collect()
}

/// Which target of a shape a target is; it may lack the last indices, which are then 0.
fn position(shape: &Shape, target: &Target) -> Option<usize> {
    let wanted = strides(&target.offset);
    shape.iter().position(|(o, s, c)| *o == target.object && *c == target.offset.constant && s.starts_with(&wanted))
}

/// `out = var + rest`: the rest, when it does not mention the variable. Arithmetic is modulo the width of the variable.
fn additive(out: &N, var: &Var) -> Option<N> {
    let wide = |ty: IntTy| ty.bits == 0 || (var.ty.bits != 0 && ty.bits >= var.ty.bits);
    let free_of = |t: &N| !free_vars_n(t).contains(var);
    match out.kind() {
        NExp::Var(v) if v == var => Some(N::num(0)),
        NExp::Cast(ty, inner) if wide(*ty) => additive(inner, var),
        NExp::Bin(NBin::Add, ty, l, r) if wide(*ty) => {
            let (moving, fixed) = if free_of(r) {
                (l, r)
            } else if free_of(l) {
                (r, l)
            } else {
                return None;
            };
            Some(N::add(*ty, &additive(moving, var)?, fixed))
        }
        NExp::Bin(NBin::Sub, ty, l, r) if wide(*ty) && free_of(r) => Some(N::sub(*ty, &additive(l, var)?, r)),
        _ => None,
    }
}

/// A constant step as the signed number that it is modulo the width.
fn signed_step(step: &N, ty: IntTy) -> N {
    match (step.as_num(), ty.bits) {
        (Some(n), bits) if bits != 0 => N::num(IntTy { bits, signed: true }.wrap(n)),
        _ => match step.kind() {
            // 0 - s in an unsigned type is a step of -s.
            NExp::Bin(NBin::Sub, t, zero, s) if zero.as_num() == Some(0) && !t.signed && t.bits == ty.bits => {
                N::sub(IntTy::MATH, &N::num(0), s)
            }
            _ => step.clone(),
        },
    }
}

/// `out = var * 2^s` or `var / 2^s`.
fn geometric(out: &N, var: &Var) -> Option<Factor> {
    let is_var = |t: &N| t.as_var() == Some(var);
    let log2 = |n: i128| (n >= 2 && n.count_ones() == 1).then(|| n.trailing_zeros());
    match out.kind() {
        NExp::Cast(ty, inner) if ty.bits == 0 || ty.bits >= var.ty.bits => geometric(inner, var),
        NExp::Bin(NBin::Mul, _, l, r) if is_var(l) => {
            Some(Factor { times: true, shift: log2(r.as_num()?)?, division: false })
        }
        NExp::Bin(NBin::Shl, _, l, r) if is_var(l) => {
            Some(Factor { times: true, shift: u32::try_from(r.as_num()?).ok()?, division: false })
        }
        NExp::Bin(NBin::Add, _, l, r) if is_var(l) && is_var(r) => {
            Some(Factor { times: true, shift: 1, division: false })
        }
        NExp::Bin(NBin::Div, _, l, r) if is_var(l) => {
            Some(Factor { times: false, shift: log2(r.as_num()?)?, division: true })
        }
        NExp::Bin(NBin::Shr, _, l, r) if is_var(l) => {
            Some(Factor { times: false, shift: u32::try_from(r.as_num()?).ok()?, division: false })
        }
        _ => None,
    }
}

/// How many values an additive range has.
fn trip_count(range: &Range) -> Option<N> {
    let math = IntTy::MATH;
    let (span, step) = match &range.step {
        Step::Up(s) => (N::sub(math, &range.end, &range.first), s),
        Step::Down(s) => (N::sub(math, &range.first, &range.end), s),
        Step::Times(_) | Step::Over(_) => return None,
    };
    let span = N::bin(NBin::Max, math, &span, &N::num(0));
    if step.as_num() == Some(1) {
        return Some(span);
    }
    let round = N::add(math, &span, &N::sub(math, step, &N::num(1)));
    Some(N::bin(NBin::Div, math, &round, step))
}

/// For a range that multiplies or divides by a power of two: how many values it has at most, until it is beyond its type
/// or 0, and what keeps the value of iteration `k` within its type.
fn most_trips(range: &Range, k: &N) -> Option<(i128, B)> {
    let (Step::Times(by) | Step::Over(by)) = &range.step else { return None };
    let by = by.as_num().filter(|by| *by >= 2)?;
    let (ty, shift) = (range.var.ty, by.ilog2());
    let greatest = ty.max()?;
    let trips = |least: i128| (0..).take_while(|k| greatest >> (shift * k).min(127) >= least).count() as i128;
    match (&range.step, range.first.as_num()) {
        (Step::Over(_), _) => Some((trips(1) + 1, B::lit(true))),
        (_, Some(first)) => Some((trips(first.max(1)), B::lit(true))),
        _ => {
            let by = N::mul(IntTy::MATH, k, &N::num(i128::from(shift)));
            let limit = N::bin(NBin::Shr, ty, &N::num(greatest), &by);
            Some((trips(1), range.first.le(&limit)))
        }
    }
}

/// The range with one value more, for a condition that is evaluated once more than the body.
fn one_more(range: &Range) -> Range {
    let math = IntTy::MATH;
    let (first, end) = (&range.first, &range.end);
    let end = match &range.step {
        Step::Up(s) => N::add(math, &N::bin(NBin::Max, math, end, first), s),
        Step::Down(s) => N::sub(math, &N::bin(NBin::Min, math, end, first), s),
        Step::Times(f) => N::mul(math, &N::bin(NBin::Max, math, end, first), f),
        Step::Over(_) => N::num(-1),
    };
    Range { end, ..range.clone() }
}

fn in_range(range: &Range) -> B {
    let x = N::var(&range.var);
    match &range.step {
        Step::Up(_) | Step::Times(_) => x.lt(&range.end),
        Step::Down(_) | Step::Over(_) => range.end.lt(&x),
    }
}

/// Is what is at home here another value in the one state than in the other?
fn differs(head: &State, now: &State, home: &Home) -> bool {
    let cell = |s: &State, o: &ObjId, at: &u64| {
        s.private.get(o).and_then(|cells| cells.cells.get(at)).map(|(_, value)| value.clone())
    };
    match home {
        Home::Cell(o, at) | Home::Selector(o, at) | Home::Index(o, at, ..) => cell(head, o, at) != cell(now, o, at),
        Home::Rest(o) => {
            let rest = |s: &State| s.private.get(o).map(|cells| (cells.rest.clone(), cells.open));
            rest(head) != rest(now)
        }
        Home::Version(o) => head.version(*o) != now.version(*o),
        Home::Epoch => head.epoch != now.epoch,
    }
}

/// Closed forms of what comes back to a value that it had: `p = 1 - p`, `i = (i + 1) % 3`, two that are exchanged. What
/// some variables become depends only on themselves and on what does not change, so that their values repeat once they
/// are the same again. True when one was found.
fn periodic(carried: &[Carried], forms: &mut [Option<N>], moving: [&Var; 3]) -> bool {
    /// Longer ones are not looked for.
    const MOST: usize = 8;
    let open = |i: usize| forms[i].is_none();
    let mut known = Subst::new();
    for (c, form) in carried.iter().zip(forms.iter()) {
        if let Some(form) = form {
            known.bind(&c.var.name, form);
        }
    }
    let outs: Vec<N> = carried.iter().map(|c| known.numeric(&c.out)).collect();
    for first in (0..carried.len()).filter(|i| open(*i)) {
        // All that it depends on.
        let (mut group, mut at) = (vec![first], 0);
        let mut closed = true;
        while let Some(i) = group.get(at).copied() {
            at += 1;
            let value = match &carried[i].home {
                Home::Cell(..) => carried[i].var.ty != IntTy::OPAQUE,
                Home::Selector(..) | Home::Index(..) => true,
                Home::Rest(_) | Home::Version(_) | Home::Epoch => false,
            };
            let free = free_vars_n(&outs[i]);
            closed &= value && group.len() <= MOST && !moving.iter().any(|v| free.contains(v));
            if !closed {
                break;
            }
            for (j, c) in carried.iter().enumerate() {
                if open(j) && free.contains(&c.var) && !group.contains(&j) {
                    group.push(j);
                }
            }
        }
        if !closed {
            continue;
        }
        let mut seen: Vec<Vec<N>> = vec![group.iter().map(|i| carried[*i].init.clone()).collect()];
        let back = loop {
            let mut now = Subst::new();
            for (i, value) in group.iter().zip(&seen[seen.len() - 1]) {
                now.bind(&carried[*i].var.name, value);
            }
            let next: Vec<N> = group.iter().map(|i| now.numeric(&outs[*i])).collect();
            if let Some(back) = seen.iter().position(|earlier| *earlier == next) {
                break Some(back);
            }
            if seen.len() >= MOST || next.iter().any(|n| n.depth() > 20) {
                break None;
            }
            seen.push(next);
        };
        let Some(back) = back else { continue };
        let (k, math) = (N::var(moving[0]), IntTy::MATH);
        let period = N::num((seen.len() - back) as i128);
        let turn = N::bin(NBin::Rem, math, &N::sub(math, &k, &N::num(back as i128)), &period);
        for (g, i) in group.iter().enumerate() {
            let mut form = seen[seen.len() - 1][g].clone();
            for (at, values) in seen.iter().enumerate().rev().skip(1) {
                let here = match at.checked_sub(back) {
                    Some(n) => turn.eq(&N::num(n as i128)),
                    None => k.eq(&N::num(at as i128)),
                };
                form = N::ite(&here, &values[g], &form);
            }
            forms[*i] = Some(form);
        }
        return true;
    }
    false
}

fn binder_label(name: &Name) -> &str {
    name.as_str().split('%').next().unwrap_or("i")
}

pub(super) fn contains_sync(p: &Protocol) -> bool {
    match p {
        Protocol::Sync(_) => true,
        Protocol::Skip | Protocol::Access(_) => false,
        Protocol::Seq(parts) => parts.iter().any(contains_sync),
        Protocol::If(_, t, e) => contains_sync(t) || contains_sync(e),
        Protocol::For(_, body) => contains_sync(body),
    }
}

/// Substitution in a protocol. The binders of protocols made here are all different, so nothing is captured.
pub(super) fn substitute(p: &Protocol, subst: &mut Subst) -> Protocol {
    match p {
        Protocol::Skip => Protocol::Skip,
        Protocol::Access(a) => {
            let mode = match &a.mode {
                Mode::Wr(Some(value)) => Mode::Wr(Some(subst.numeric(value))),
                other => other.clone(),
            };
            let index = a.index.iter().map(|n| subst.numeric(n)).collect();
            Protocol::Access(Access { mode, index, ..a.clone() })
        }
        Protocol::Sync(barrier) => {
            let mut barrier = barrier.clone();
            barrier.mask = barrier.mask.map(|m| subst.numeric(&m));
            Protocol::Sync(barrier)
        }
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|q| substitute(q, subst)).collect::<Vec<_>>()),
        Protocol::If(c, t, e) => {
            let cond = subst.boolean(c);
            Protocol::branch(&cond, substitute(t, subst), substitute(e, subst))
        }
        Protocol::For(range, body) => {
            let step = match &range.step {
                Step::Up(n) => Step::Up(subst.numeric(n)),
                Step::Down(n) => Step::Down(subst.numeric(n)),
                Step::Times(n) => Step::Times(subst.numeric(n)),
                Step::Over(n) => Step::Over(subst.numeric(n)),
            };
            let range = Range {
                var: range.var.clone(),
                first: subst.numeric(&range.first),
                end: subst.numeric(&range.end),
                step,
            };
            match substitute(body, subst) {
                Protocol::Skip => Protocol::Skip,
                body => Protocol::For(range, Box::new(body)),
            }
        }
    }
}
