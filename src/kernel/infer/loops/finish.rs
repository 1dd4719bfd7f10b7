//! The loop as a protocol, and the state after it.

use super::closed::one_before;
use super::*;

impl Walk<'_> {
    /// Solves what is carried, finds the range, emits the loop, and sets the state after it.
    pub(super) fn finish_loop(
        &mut self,
        before: &State,
        carried: Vec<Carried>,
        shapes: &FxHashMap<(ObjId, u64), Shape>,
        iteration: Iteration,
        objects: &[ObjId],
    ) -> bool {
        let k = Var { name: self.names.fresh("k%"), ty: IntTy::MATH };
        let previous = Var { name: self.names.fresh("it.previous%"), ty: IntTy::MATH };
        let earliest = Var { name: self.names.fresh("it.earlier%"), ty: IntTy::MATH };
        let solved = self.solve(&carried, &iteration, &k, [&previous, &earliest]);
        let moving = [&k, &iteration.counter, &previous, &earliest];
        let synchronises = iteration.cond_out.iter().chain(&iteration.body_out).any(contains_sync);
        // What waits for copies counts the iterations as well.
        let ordered =
            synchronises || iteration.cond_out.iter().chain(&iteration.body_out).any(|p| self.in_background(p));
        let no_exits = iteration.exits.any.as_lit() == Some(false);
        let main = self.main_range(&carried, &solved, &iteration, moving);
        // [LOOP-ONCE-MORE] A barrier in the condition is met as often as the loop asks for it, and no more.
        let asks_at_barrier = iteration.cond_out.iter().any(contains_sync);
        // [LOOP-ALSO] An iteration that does not run ends the loop, also where its condition would hold again later.
        let one_end = no_exits
            && main
                .as_ref()
                .is_none_or(|m| if asks_at_barrier { m.rest.as_lit() == Some(true) } else { !m.may_return });

        // The terms of the placeholders, in the counter k.
        let mut in_k = Subst::new();
        for (c, form) in carried.iter().zip(&solved.forms) {
            in_k.bind(&c.var.name, form);
        }
        // Which variable the range binds: the loop variable itself, or the counter.
        let thread_dependent = |w: &Self, r: &Range| {
            w.term_has_thread(&r.first) || matches!(&r.step, Step::Up(s) | Step::Down(s) if w.term_has_thread(s))
        };
        // In another thread, block or iteration of a loop around this one, the same value is that of another iteration.
        let elsewhere = |w: &Self, r: &Range| -> BTreeSet<Var> {
            let all = [&r.first, r.step.amount()].into_iter().flat_map(free_vars_n);
            all.filter(|v| !w.globals_vars.contains(v)).collect()
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
            let hides_the_exit = geometric(&m.range) && asks_at_barrier && !no_exits;
            !splits_barriers && !hides_the_count && !hides_the_exit
        });

        let dependencies = self.dependencies(&carried, &iteration, []);
        let unknown_trips = |w: &mut Self, label: &str, ty: IntTy| {
            let name = w.names.fresh(label);
            N::call(Fun { name, ty, kind: FunKind::Abstract }, dependencies.clone())
        };

        // The first iteration runs in any case; a later one when the one before it went on.
        let went_on = |again: &B| -> B {
            // Not in terms of the binder, which is the variable of this iteration.
            let mut forms = Subst::new();
            carried.iter().zip(&solved.forms).for_each(|(c, form)| forms.bind(&c.var.name, form));
            let again = forms.boolean(again);
            if free_vars_b(&again).contains(&earliest) {
                return B::lit(true);
            }
            let mut before = one_before(&k, &iteration.counter, [&previous, &earliest]);
            B::or([N::var(&k).eq(&N::num(0)), before.boolean(&again)])
        };

        // [LOOP-FIRST] Of a loop with atomics that runs not known how often, the first iteration stands alone: it asks for its
        // condition, and not for how many there are.
        let alone = iteration.cond_out.iter().all(|p| *p == Protocol::Skip)
            && iteration.body_out.iter().any(has_atomic)
            && !iteration.body_out.iter().any(has_loop);
        let mut first_alone = false;
        let range;
        let mut guard;
        let mut to_binder = Subst::new();
        // What the counter of iterations is, in terms of the binder, and what it was in the two iterations before; in terms of
        // k, it is k.
        let mut by_value: Option<(Name, [N; 3])> = None;
        // [LOOP-BREAK] When a `break` ends the loop, and the value of its variable then.
        let mut stop: Option<(B, N)> = None;
        match main.as_ref().filter(|_| bind_itself) {
            Some(m) => {
                let c = &carried[m.carried];
                let name = self.names.fresh(binder_label(&c.var.name));
                let binder = Var { name, ty: m.compared };
                let itself = N::var(&binder);
                let mut r = Range { var: binder, ..m.range.clone() };
                let distance = |at: &N| -> N {
                    match &r.step {
                        Step::Up(s) => N::bin(NBin::Div, IntTy::MATH, &N::sub(IntTy::MATH, at, &r.first), s),
                        Step::Down(s) => N::bin(NBin::Div, IntTy::MATH, &N::sub(IntTy::MATH, &r.first, at), s),
                        Step::Times(_) | Step::Over(_) => at.eq(&r.first).as_number(),
                    }
                };
                let distance = match &r.step {
                    Step::Times(_) | Step::Over(_) => N::sub(IntTy::MATH, &N::num(1), &distance(&itself)),
                    Step::Up(_) | Step::Down(_) => distance(&itself),
                };
                to_binder.bind(&k.name, &distance);
                let before = self.names.fresh("before");
                let before = |at: &N| match &r.step {
                    Step::Up(s) => N::sub(IntTy::MATH, at, s),
                    Step::Down(s) => N::add(IntTy::MATH, at, s),
                    Step::Times(_) | Step::Over(_) => {
                        let fun = Fun { name: before.clone(), ty: IntTy::OPAQUE, kind: FunKind::Abstract };
                        N::call(fun, vec![at.clone()])
                    }
                };
                let varies = elsewhere(self, &m.range);
                let values = [itself.clone(), before(&itself), before(&before(&itself))];
                let counts = match (varies.is_empty(), geometric(&m.range)) {
                    (true, _) => values,
                    (false, false) => [0, 1, 2].map(|n| N::sub(IntTy::MATH, &distance, &N::num(n))),
                    // How many rounds there were is a function of these.
                    (false, true) => {
                        let fun = Fun { name: self.names.fresh("round"), ty: IntTy::OPAQUE, kind: FunKind::Abstract };
                        values.map(|at| {
                            N::call(fun.clone(), std::iter::once(at).chain(varies.iter().map(N::var)).collect())
                        })
                    }
                };
                for (var, count) in [&iteration.counter, &previous, &earliest].into_iter().zip(&counts) {
                    to_binder.bind(&var.name, count);
                }
                if varies.is_empty() || geometric(&m.range) {
                    by_value = Some((r.var.name.clone(), counts));
                }
                // The variable itself is the binder, whatever its closed form says.
                in_k.bind(&c.var.name, &N::cast(c.var.ty, &itself));
                guard = m.rest.clone();
                let breaks =
                    !no_exits && !iteration.post_test && guard.as_lit() == Some(true) && iteration.exits.only_breaks();
                let left = breaks.then(|| to_binder.boolean(&in_k.boolean(&iteration.exits.any)));
                let at = left.and_then(|left| left_at(&left, &r, &N::cast(c.var.ty, &itself)));
                match at.filter(|at| moving.iter().all(|v| !mentions(at, &v.name))) {
                    Some(at) => {
                        let breaks = B::and([r.first.le(&at), at.lt(&r.end)]);
                        let end = N::add(IntTy::MATH, &at, &N::num(1));
                        r.end = N::ite(&breaks, &end, &r.end);
                        stop = Some((breaks, at));
                    }
                    None if !one_end && ordered => {
                        // A break may end the loop earlier: at a point that all threads agree on when its reasons are uniform.
                        let earlier = unknown_trips(self, "stop", IntTy::I64);
                        let op = if matches!(r.step, Step::Up(_) | Step::Times(_)) { NBin::Min } else { NBin::Max };
                        r.end = N::bin(op, IntTy::MATH, &r.end, &earlier);
                    }
                    None => {}
                }
                range = r;
            }
            None => {
                let name = self.names.fresh("k");
                let binder = Var { name, ty: IntTy::MATH };
                let itself = N::var(&binder);
                to_binder.bind(&k.name, &itself);
                for (n, var) in [&iteration.counter, &previous, &earliest].into_iter().enumerate() {
                    to_binder.bind(&var.name, &N::sub(IntTy::MATH, &itself, &N::num(n as i128)));
                }
                let trips = main.as_ref().and_then(|m| m.trips.clone());
                let most = main.as_ref().and_then(|m| most_trips(&m.range, &N::var(&k)));
                let end = match (&trips, one_end || !ordered) {
                    (Some(t), true) => t.clone(),
                    (Some(t), false) => N::bin(NBin::Min, IntTy::MATH, t, &unknown_trips(self, "trips", IntTy::U32)),
                    // As long as the condition holds, which the guard asks for.
                    (None, true) if most.is_some() && !asks_at_barrier => {
                        most.as_ref().map_or(N::num(0), |(most, _)| N::num(*most))
                    }
                    (None, _) => {
                        first_alone = alone && !synchronises;
                        unknown_trips(self, "trips", IntTy::U32)
                    }
                };
                guard = match (&trips, &main) {
                    (Some(_), Some(m)) => m.rest.clone(),
                    _ => iteration.cond.clone(),
                };
                if let Some((_, in_type)) = most {
                    guard = B::and([guard, in_type]);
                }
                if iteration.post_test {
                    guard = match iteration.again.as_lit() {
                        Some(false) => B::lit(true),
                        _ => went_on(&iteration.again),
                    };
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

        let assumed = main.as_ref().map_or(B::lit(true), |m| m.assumed.clone());

        // The emitted code, in terms of the binder.
        guard = to_binder.boolean(&in_k.boolean(&guard));
        let range_once = range.clone();
        let (mut cond_out, mut body_out) = (iteration.cond_out.clone(), iteration.body_out.clone());
        // (Of a variable that is multiplied, the range does not say which iteration is the one before.)
        let counted = !(bind_itself && main.as_ref().is_some_and(|m| geometric(&m.range)));
        if synchronises && !no_exits && !iteration.post_test && counted {
            // [LOOP-LEFT] What stands before the first barrier of an iteration meets, in one phase, the end of the one
            // before it, which did not leave the loop.
            let stayed = went_on(&B::not(&iteration.exits.any));
            if before_barriers(&mut cond_out, &stayed) {
                before_barriers(&mut body_out, &stayed);
            }
        }
        let mut translate = |protocols: Vec<Protocol>| {
            let p = Protocol::seq(protocols);
            let p = substitute(&p, &mut in_k);
            substitute(&p, &mut to_binder)
        };
        if let Some(held) = &solved.held {
            body_out = vec![held.code(&Protocol::seq(body_out))];
        }
        let cond_out = translate(cond_out);
        let body_out = translate(body_out);
        let single = cond_out == Protocol::Skip
            && range_once.first.as_num() == Some(0)
            && range_once.end.as_num() == Some(1)
            && matches!(&range_once.step, Step::Up(s) if s.as_num() == Some(1));
        if single {
            let mut zero = Subst::one(&range_once.var.name, &N::num(0));
            let code = substitute(&Protocol::branch(&guard, body_out, Protocol::Skip), &mut zero);
            self.emit(Protocol::branch(&assumed, code, Protocol::Skip));
        } else if cond_out == Protocol::Skip {
            let code = Protocol::branch(&guard, body_out, Protocol::Skip);
            let mut range_once = range_once;
            if first_alone {
                self.emit(substitute(&code, &mut Subst::one(&range_once.var.name, &N::num(0))));
                range_once.first = N::num(1);
            }
            if code != Protocol::Skip {
                self.emit(Protocol::branch(
                    &assumed,
                    Protocol::For(range_once.clone(), Box::new(code)),
                    Protocol::Skip,
                ));
            }
        } else {
            // [LOOP-ONCE-MORE]
            let at = |value: &N| substitute(&cond_out, &mut Subst::one(&range_once.var.name, value));
            let first = at(&range_once.first);
            if let Some(mut more) = one_more(&range_once) {
                if asks_at_barrier && !no_exits {
                    // Not after an iteration that left.
                    let left = match (&stop, last_of(&range_once)) {
                        (Some((breaks, _)), _) => breaks.clone(),
                        (None, Some(last)) => {
                            let mut at_last = Subst::one(&range_once.var.name, &last);
                            let left = to_binder.boolean(&in_k.boolean(&iteration.exits.any));
                            B::and([range_once.nonempty(), at_last.boolean(&left)])
                        }
                        // (One that multiplies or divides is counted where it can be left.)
                        (None, None) => B::lit(false),
                    };
                    more.end = N::ite(&left, &range_once.end, &more.end);
                }
                let inside = in_range(&range_once);
                let body = Protocol::branch(&B::and([inside, guard.clone()]), body_out, Protocol::Skip);
                let code = Protocol::For(more, Box::new(Protocol::seq([cond_out.clone(), body])));
                self.emit(Protocol::branch(&assumed, code, first));
            } else {
                // Once before the loop, and after each iteration for the next one.
                let body = Protocol::branch(&guard, body_out, Protocol::Skip);
                let code = Protocol::seq([body, at(&range_once.next_exact())]);
                self.emit(first);
                let rounds = Protocol::For(range_once.clone(), Box::new(code));
                self.emit(Protocol::branch(&assumed, rounds, Protocol::Skip));
            }
        }

        // The state after the loop.
        let mut after = Subst::new();
        let ends = no_exits || stop.is_some();
        let last = main.as_ref().filter(|_| ends && !iteration.post_test).filter(|m| m.rest.as_lit() == Some(true));
        let precise_end = match last {
            Some(m) => m.trips.clone(),
            None if iteration.post_test && no_exits && iteration.again.as_lit() == Some(false) => Some(N::num(1)),
            None if iteration.post_test && no_exits => {
                main.as_ref().filter(|m| m.rest.as_lit() == Some(true)).and_then(|m| m.trips.clone())
            }
            None => None,
        };
        // [LOOP-COUNT] The counter of iterations goes on after the last one as it does in the loop: when k has this value, and the
        // variable of the range that one.
        let then = |now: &N, value: Option<&N>| {
            let mut there = Subst::one(&k.name, now);
            let counts = match (&by_value, value) {
                (None, _) => Some([0, 1, 2].map(|n| N::sub(IntTy::MATH, now, &N::num(n)))),
                (Some((binder, counts)), Some(value)) => {
                    let mut at = Subst::one(binder, value);
                    Some(counts.each_ref().map(|count| at.numeric(count)))
                }
                (Some(_), None) => None,
            };
            for (var, count) in [&iteration.counter, &previous, &earliest].into_iter().zip(counts.iter().flatten()) {
                there.bind(&var.name, count);
            }
            there
        };
        let mut at_end = precise_end.as_ref().map(|trips| {
            let value = main.as_ref().and_then(|m| {
                let steps = |s: &N| N::mul(IntTy::MATH, trips, s);
                match &m.range.step {
                    Step::Up(s) => Some(N::add(IntTy::MATH, &m.range.first, &steps(s))),
                    Step::Down(s) => Some(N::sub(IntTy::MATH, &m.range.first, &steps(s))),
                    Step::Times(_) | Step::Over(_) => m.last.clone(),
                }
            });
            then(trips, value.as_ref())
        });
        let mut at_stop = stop.as_ref().zip(main.as_ref()).map(|((breaks, value), m)| {
            let mut forms = Subst::new();
            carried.iter().zip(&solved.forms).for_each(|(c, form)| forms.bind(&c.var.name, form));
            (breaks, forms, then(&N::sub(IntTy::MATH, value, &m.range.first), Some(value)))
        });
        let is_known = |value: &N| value.depth() <= 100 && moving.iter().all(|v| !mentions(value, &v.name));
        let mut finals: Vec<N> = Vec::new();
        for (i, (c, form)) in carried.iter().zip(&solved.forms).enumerate() {
            let bounds = &solved.invariants.after[i];
            let value = if iteration.by_condition[i] {
                self.final_value(c, &Bounds::default(), &carried, &iteration)
            } else if *form == c.init && !mentions(form, &k.name) && c.left == N::var(&c.var) {
                c.init.clone()
            } else {
                let normal = match (&mut at_end, last) {
                    (_, Some(m)) if m.carried == i && m.last.is_some() => m.last.clone(),
                    (Some(at_end), _) => Some(at_end.numeric(form)),
                    (None, _) => None,
                };
                let value = match &mut at_stop {
                    None => normal,
                    Some((breaks, forms, then)) => normal.map(|normal| {
                        let left = without(&c.left, &B::not(&iteration.exits.any));
                        N::ite(breaks, &then.numeric(&forms.numeric(&left)), &normal)
                    }),
                };
                match value.filter(is_known) {
                    Some(value) => value,
                    None => self.final_value(c, bounds, &carried, &iteration),
                }
            };
            after.bind(&c.var.name, &value);
            finals.push(value);
        }
        // Which of the exits it is may depend on more than that it is one of them.
        let exits = &iteration.exits;
        let flags = [&exits.returned, &exits.exited].into_iter().chain(exits.jumps.values());
        let dependencies = self.dependencies(&carried, &iteration, flags.flat_map(free_vars_b));
        let returned = self.final_exit(&iteration.exits.returned, "returned", &dependencies);
        let exited = self.final_exit(&iteration.exits.exited, "exited", &dependencies);
        let mut jumps = BTreeMap::new();
        for (label, jump) in &iteration.exits.jumps {
            jumps.insert(label.clone(), self.final_exit(jump, "jumped", &dependencies));
        }
        let mut state = before.clone();
        state.recent.clear();
        for (c, value) in carried.iter().zip(&finals) {
            let changed = c.out != N::var(&c.var) || c.left != N::var(&c.var);
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
            // Cells that are not carried are not listed any more.
            let is_carried = |at: &u64| carried.iter().any(|c| c.home == Home::Cell(*object, *at));
            let dropped = now.cells.iter().any(|(at, (_, v))| matches!(v, Value::Num(_)) && !is_carried(at));
            let open = then.open || now.open || dropped;
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
                    Value::Ptr(moved) => {
                        let unknown = moved.targets.iter().find_map(|t| t.offset.unknown.clone());
                        let known_size = moved.targets.iter().any(|t| t.offset.known_size);
                        let Some(shape) = shapes.get(&(*object, *at)) else {
                            cells.cells.insert(*at, (*size, Value::Ptr(Pointer::unknown())));
                            continue;
                        };
                        let selector = value_of(&Home::Selector(*object, *at));
                        let mut targets = Vec::new();
                        for (i, place) in shape.iter().enumerate() {
                            let guard = match &selector {
                                Some(s) => s.eq(&N::num(i as i128)),
                                None => B::lit(true),
                            };
                            if guard.as_lit() == Some(false) {
                                continue;
                            }
                            let strides = &place.strides;
                            let terms = strides
                                .iter()
                                .enumerate()
                                .map(|(j, s)| (value_of(&Home::Index(*object, *at, i, j)).unwrap_or(N::num(0)), *s))
                                .collect::<Vec<_>>();
                            let flat = terms.len() > 1;
                            let offset =
                                Offset { terms, constant: place.constant, unknown: unknown.clone(), known_size, flat };
                            targets.push(Target { guard, object: place.object, offset });
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
        let settled = iteration.by_condition.iter().all(|changed| !changed);
        settled && solved.precise && (main.is_some() || iteration.post_test && iteration.again.as_lit() == Some(false))
    }

    /// An unknown value after the loop, a function of all that it and the number of iterations depend on.
    fn final_value(&mut self, c: &Carried, bounds: &Bounds, carried: &[Carried], iteration: &Iteration) -> N {
        let dependencies = self.dependencies(carried, iteration, [c.var.clone()]);
        let label = c.var.name.as_str().split('%').next().unwrap_or("value").to_owned();
        let name = self.names.fresh(&format!("{}.after", clean(&label)));
        self.bounded(bounds, name, c, dependencies)
    }

    pub(super) fn final_exit(&mut self, flag: &B, label: &str, dependencies: &[N]) -> B {
        if flag.as_lit() == Some(false) {
            return flag.clone();
        }
        let name = self.names.fresh(label);
        N::call(Fun { name, ty: IntTy::BOOL, kind: FunKind::Abstract }, dependencies.to_vec()).truth()
    }

    /// The variables that distinguish threads or outer iterations, of everything that decides how the loop goes, and of
    /// what else is asked about.
    pub(super) fn dependencies(
        &self,
        carried: &[Carried],
        iteration: &Iteration,
        also: impl IntoIterator<Item = Var>,
    ) -> Vec<N> {
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
                    pending.extend(free_vars_n(&c.left));
                    pending.extend(free_vars_n(&c.init));
                }
                None => {
                    vars.insert(var);
                }
            }
        }
        self.distinguishing(&vars, &iteration.counter)
    }

    pub(super) fn distinguishing(&self, vars: &BTreeSet<Var>, counter: &Var) -> Vec<N> {
        vars.iter().filter(|v| *v != counter && !self.globals_vars.contains(v)).map(N::var).collect()
    }
}

/// The value of the variable of a range, which goes up by 1, in the first iteration in which a condition holds, if it does in
/// any: that it is a number, or at least one.
fn left_at(condition: &B, range: &Range, variable: &N) -> Option<N> {
    let itself = range.binder();
    // In a type that has all its values that are not negative.
    let own = range.var.ty;
    let holds = |ty: &IntTy| ty.bits > own.bits || ty.bits == own.bits && (own.signed || !ty.signed);
    let converts = |ty: &IntTy| holds(ty) && range.first.as_num().is_some_and(|first| first >= 0);
    let is_it = |n: &N| {
        *n == itself || n == variable || matches!(n.kind(), NExp::Cast(ty, inner) if *inner == itself && converts(ty))
    };
    let BExp::Rel(op, l, r) = condition.kind() else { return None };
    let (is_left, at) = match (is_it(l), is_it(r)) {
        (true, false) => (true, r),
        (false, true) => (false, l),
        _ => return None,
    };
    if mentions(at, &range.var.name) || !matches!(&range.step, Step::Up(s) if s.as_num() == Some(1)) {
        return None;
    }
    let not_before = |at: &N| N::bin(NBin::Max, IntTy::MATH, &range.first, at);
    match (op, is_left) {
        (NRel::Eq, _) => Some(at.clone()),
        (NRel::Le, false) => Some(not_before(at)),
        (NRel::Lt, false) => Some(not_before(&N::add(IntTy::MATH, at, &N::num(1)))),
        _ => None,
    }
}

/// Puts what stands before the first barrier under a condition. True when no barrier follows.
fn before_barriers(code: &mut Vec<Protocol>, condition: &B) -> bool {
    let rest = code.split_off(code.iter().position(contains_sync).unwrap_or(code.len()));
    let start = Protocol::seq(std::mem::take(code));
    let barrier_free = rest.is_empty();
    code.push(Protocol::branch(condition, start, Protocol::Skip));
    code.extend(rest);
    barrier_free
}

/// The placeholders that an iteration uses: in what it emits, in its conditions, or in what it leaves to the next one.
pub(super) fn live_placeholders(carried: &[Carried], iteration: &Iteration) -> BTreeSet<Var> {
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

pub(super) fn mentions(term: &N, name: &Name) -> bool {
    free_vars_n(term).iter().any(|v| v.name == *name)
}

pub(super) fn binder_label(name: &Name) -> &str {
    name.as_str().split('%').next().unwrap_or("i")
}
