//! The condition of a loop as the range of one of its variables.

use super::closed::is_signed;
use super::*;
use crate::exp::wrap::goes_up;

impl Walk<'_> {
    /// Reads the condition of the loop as the range of one of its variables.
    pub(super) fn main_range(
        &mut self,
        carried: &[Carried],
        solved: &Solved,
        iteration: &Iteration,
        counters: [&Var; 4],
    ) -> Option<Main> {
        let cond = if iteration.post_test { &iteration.again } else { &iteration.cond };
        let parts = conjuncts(cond);
        let mut known = Subst::new();
        for (i, (c, form)) in carried.iter().zip(&solved.forms).enumerate() {
            // What moves with k stays a placeholder: a bound must not move.
            if solved.steps[i].is_none() && solved.factors[i].is_none() {
                known.bind(&c.var.name, form);
            }
        }
        let moves = |free: &BTreeSet<Var>| {
            counters.iter().any(|v| free.contains(v)) || carried.iter().any(|c| free.contains(&c.var))
        };
        for (at, part) in parts.iter().enumerate() {
            let BExp::Rel(op, l, r) = part.kind() else { continue };
            for (moving, bound, flipped) in [(l, r, false), (r, l, true)] {
                let Some((carried_at, shift)) = self.moving(moving, carried, solved) else { continue };
                let bound = known.numeric(bound);
                let free = free_vars_n(&bound);
                if moves(&free) {
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
                // Does nothing else end the loop?
                let alone = rest.as_lit() == Some(true) && iteration.exits.any.as_lit() == Some(false);
                let found = match (&solved.steps[carried_at], &solved.factors[carried_at]) {
                    (Some(step), _) => self.additive_range(c, step, below, &bound, alone, iteration.post_test),
                    (None, Some(factor)) => self.geometric_range(c, factor, below, &bound),
                    (None, None) => None,
                };
                let Some((mut range, mut trips, mut last, assumed)) = found else { continue };
                if let NExp::Cast(..) = moving.kind() {
                    self.stays_positive(c, &range.end);
                }
                if !self.stays_comparable(c, &range, moving, &shift) {
                    continue;
                }
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
                let compared = match moving.kind() {
                    NExp::Cast(to, _) if to.bits == c.var.ty.bits && !to.signed => *to,
                    _ => c.var.ty,
                };
                let mut others = parts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, part)| part);
                let may_return = !others.all(|part| {
                    !moves(&free_vars_b(&known.boolean(part))) || self.stays_false(part, carried_at, carried, solved)
                });
                return Some(Main { carried: carried_at, compared, range, rest, may_return, assumed, trips, last });
            }
        }
        None
    }

    /// Does a condition that does not hold in one iteration hold in none after it: what moves is compared with a bound that
    /// it moves towards? [LOOP-ALSO]
    fn stays_false(&self, part: &B, main: usize, carried: &[Carried], solved: &Solved) -> bool {
        let BExp::Rel(NRel::Lt | NRel::Le, l, r) = part.kind() else { return false };
        let is_fixed = |bound: &N| {
            let free = free_vars_n(bound);
            carried.iter().all(|c| !free.contains(&c.var) || c.out == N::var(&c.var))
        };
        [(l, r, true), (r, l, false)].into_iter().any(|(moving, bound, up)| {
            let Some((at, shift)) = self.moving(moving, carried, solved) else { return false };
            let ty = match moving.kind() {
                NExp::Bin(_, ty, ..) if shift != N::num(0) => *ty,
                _ => carried[at].var.ty,
            };
            // What wraps around comes back.
            let goes_on = at == main && shift == N::num(0) || ty.bits == 0 || ty.signed && ty.bits >= 32;
            let towards = |step: &N| self.positive(&if up { step.clone() } else { negated(step) });
            goes_on && is_fixed(bound) && solved.steps[at].as_ref().is_some_and(towards)
        })
    }

    /// A side of a comparison as a moving variable plus a shift.
    pub(super) fn moving(&self, term: &N, carried: &[Carried], solved: &Solved) -> Option<(usize, N)> {
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
                let known = start.lo.is_some_and(|lo| lo >= 0) && start.within(Interval::of_type(*to));
                // [LOOP-COMPARED]
                let starts = known || to.bits >= 32 && goes_up(&carried[i].init);
                let grows = solved.steps[i].as_ref().is_some_and(|s| self.positive(s));
                (starts && grows).then(|| (i, N::num(0)))
            }
            _ => None,
        }
    }

    /// Lists what is assumed of a counter that is compared as an unsigned number: that it is not negative. [LOOP-COMPARED]
    fn stays_positive(&mut self, c: &Carried, end: &N) {
        let label = binder_label(&c.var.name);
        if self.ranges.interval(&c.init).lo.is_none_or(|lo| lo < 0) {
            self.assumptions.push(format!("the loop counter `{label}` is not negative at its start"));
        }
        if c.var.ty.signed && self.ranges.interval(end).hi.is_none_or(|hi| Some(hi) > c.var.ty.max()) {
            self.assumptions.push(format!("the loop counter `{label}` does not wrap around"));
        }
    }

    /// Is a step surely positive? Products and sums of positive terms are, as long as they do not wrap.
    pub(super) fn positive(&self, term: &N) -> bool {
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

    /// Is this made of parameters and sizes of the launch, so that it is positive when they are large enough?
    fn given_by_launch(&self, term: &N) -> bool {
        match term.kind() {
            NExp::Var(v) => self.globals_vars.contains(v),
            NExp::Cast(ty, inner) => {
                let wide = ty.bits == 0 || ty.bits >= 32 && inner.ty().is_none_or(|from| from.bits <= ty.bits);
                wide && self.given_by_launch(inner)
            }
            NExp::Bin(NBin::Add | NBin::Mul | NBin::Div | NBin::Shl | NBin::Shr | NBin::Min | NBin::Max, _, l, r) => {
                let positive = |n: &N| n.as_num().is_some_and(|n| n > 0);
                match (self.given_by_launch(l), self.given_by_launch(r)) {
                    (true, true) => true,
                    (true, false) => positive(r),
                    (false, true) => positive(l),
                    (false, false) => false,
                }
            }
            _ => false,
        }
    }

    /// Is a step that is positive as it stands less than half of the range of the variable, so that it goes up? Launches
    /// are small enough; of other sizes that are not known it is assumed, and listed.
    pub(super) fn goes_up(&mut self, c: &Carried, step: &N) {
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

    pub(super) fn additive_range(
        &mut self,
        c: &Carried,
        step: &N,
        bound: Option<(bool, N)>,
        unequal: &N,
        alone: bool,
        post_test: bool,
    ) -> Option<(Range, Option<N>, Option<N>, B)> {
        let negative = negated(step);
        let mut up = self.positive(step);
        let mut down = !up && (self.positive(&negative) || self.ranges.interval(step).hi.is_some_and(|h| h < 0));
        let mut assumed = B::lit(true);
        // [LOOP-TOWARDS] A step that the launch gives goes towards the bound: otherwise the loop does not end.
        if let (false, true, Some((below, _))) = (up || down, alone && !post_test, &bound) {
            let towards = if *below { step } else { &negative };
            if self.given_by_launch(towards) {
                let label = binder_label(&c.var.name);
                self.assumptions.push(format!("the step of the loop counter `{label}` goes towards its bound"));
                assumed = N::num(0).lt(towards);
                (up, down) = (*below, !*below);
            }
        }
        let end = match bound {
            Some((true, end)) if up => end,
            Some((false, end)) if down => end,
            None if (up || down) && self.reaches(c, step, unequal, up, alone) => unequal.clone(),
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
        let trips = trip_count(&range).map(|trips| N::ite(&assumed, &trips, &N::num(0)));
        let last = match (&range.step, &trips) {
            (Step::Up(s), _) if s.as_num() == Some(1) => Some(N::bin(NBin::Max, IntTy::MATH, &range.first, &range.end)),
            (Step::Down(s), _) if s.as_num() == Some(1) => {
                Some(N::bin(NBin::Min, IntTy::MATH, &range.first, &range.end))
            }
            (Step::Up(s), Some(t)) => Some(N::add(IntTy::MATH, &range.first, &N::mul(IntTy::MATH, s, t))),
            (Step::Down(s), Some(t)) => Some(N::sub(IntTy::MATH, &range.first, &N::mul(IntTy::MATH, s, t))),
            _ => None,
        };
        Some((range, trips, last.map(|l| N::cast(c.var.ty, &l)), assumed))
    }

    /// Does `i != end` end the loop where `i < end` (or `>`, downwards) would? Overflow of `int` and wider signed types,
    /// and of pointers, has no meaning, so that a loop that nothing else ends does so there or nowhere.
    pub(super) fn reaches(&self, c: &Carried, step: &N, end: &N, up: bool, alone: bool) -> bool {
        if alone && (c.var.ty.bits == 0 || (c.var.ty.signed && c.var.ty.bits >= 32)) {
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

    /// Does the variable keep within its type until it is past `end`? Overflow of `int` and wider signed types has no
    /// meaning, where they are moved in their own type; another counter of 32 bits and more that moves in larger steps is
    /// assumed not to wrap around, and that is listed.
    pub(super) fn stays_in_type(&mut self, c: &Carried, step: &N, end: &N, up: bool) -> bool {
        let ty = c.var.ty;
        if ty.bits == 0 || is_signed(&c.out, &c.var) {
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
                self.does_not_wrap(c);
                return true;
            }
            return false;
        }
        let lowest = end.lo.zip(step.lo).map(|(end, step)| end + 1 + step);
        let stays = lowest.is_some_and(|l| l >= least);
        if !stays && ty.signed && ty.bits >= 32 {
            self.does_not_wrap(c);
            return true;
        }
        stays
    }

    fn does_not_wrap(&mut self, c: &Carried) {
        let label = binder_label(&c.var.name);
        self.assumptions.push(format!("the loop counter `{label}` does not wrap around"));
    }

    /// Does what is added to a counter that goes up, before it is compared, not wrap around either, as far as the value with
    /// which the loop ends? [LOOP-COMPARED]
    fn stays_comparable(&mut self, c: &Carried, range: &Range, moving: &N, shift: &N) -> bool {
        let (NExp::Bin(_, ty, ..), Some(shift)) = (moving.kind(), shift.as_num()) else { return true };
        if ty.bits == 0 || ty.signed && ty.bits >= 32 || shift <= 0 {
            return true;
        }
        let end = self.ranges.interval(&range.end);
        let highest = match &range.step {
            Step::Up(step) => end.hi.zip(self.ranges.interval(step).hi).map(|(end, step)| end - 1 + step),
            Step::Times(by) => end.hi.zip(by.as_num()).and_then(|(end, by)| (end - 1).checked_mul(by)),
            Step::Down(_) | Step::Over(_) => return true,
        };
        if highest.zip((*ty).max()).is_some_and(|(highest, most)| highest + shift <= most) {
            return true;
        }
        if ty.bits >= 32 {
            self.does_not_wrap(c);
        }
        ty.bits >= 32
    }

    pub(super) fn geometric_range(
        &mut self,
        c: &Carried,
        factor: &Factor,
        bound: Option<(bool, N)>,
        unequal: &N,
    ) -> Option<(Range, Option<N>, Option<N>, B)> {
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
        // What a narrow type cuts off has a meaning.
        if factor.times && beyond && c.var.ty.bits < 32 {
            return None;
        }
        if factor.times && beyond && !c.var.ty.signed {
            self.does_not_wrap(c);
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
        Some((range, counted.0, counted.1, B::lit(true)))
    }
}

/// The step the other way; of what was taken away, the amount itself.
fn negated(step: &N) -> N {
    match step.kind() {
        NExp::Bin(NBin::Sub, _, zero, amount) if zero.as_num() == Some(0) => amount.clone(),
        _ => N::sub(IntTy::MATH, &N::num(0), step),
    }
}

/// How many values an additive range has.
pub(super) fn trip_count(range: &Range) -> Option<N> {
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
pub(super) fn most_trips(range: &Range, k: &N) -> Option<(i128, B)> {
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

/// The range with one value more, for a condition that is evaluated once more than the body; where the end can say so.
pub(super) fn one_more(range: &Range) -> Option<Range> {
    let math = IntTy::MATH;
    let (first, end) = (&range.first, &range.end);
    let end = match &range.step {
        Step::Up(s) => N::add(math, &N::bin(NBin::Max, math, end, first), s),
        Step::Down(s) => N::sub(math, &N::bin(NBin::Min, math, end, first), s),
        Step::Times(f) => N::mul(math, &N::bin(NBin::Max, math, end, first), f),
        Step::Over(_) => return None,
    };
    Some(Range { end, ..range.clone() })
}

/// The last value of an additive range that has one.
pub(super) fn last_of(range: &Range) -> Option<N> {
    let (math, one) = (IntTy::MATH, N::num(1));
    let steps = |s: &N| Some(N::mul(math, s, &N::sub(math, &trip_count(range)?, &one)));
    match &range.step {
        Step::Up(s) if s.as_num() == Some(1) => Some(N::sub(math, &range.end, &one)),
        Step::Down(s) if s.as_num() == Some(1) => Some(N::add(math, &range.end, &one)),
        Step::Up(s) => Some(N::add(math, &range.first, &steps(s)?)),
        Step::Down(s) => Some(N::sub(math, &range.first, &steps(s)?)),
        Step::Times(_) | Step::Over(_) => None,
    }
}

pub(in crate::kernel::infer) fn in_range(range: &Range) -> B {
    let x = N::var(&range.var);
    match &range.step {
        Step::Up(_) | Step::Times(_) => x.lt(&range.end),
        Step::Down(_) | Step::Over(_) => range.end.lt(&x),
    }
}
