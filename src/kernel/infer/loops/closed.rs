//! Closed forms of what a loop carries, in the number of the iteration.

use super::*;

impl Walk<'_> {
    /// Finds closed forms, in the counter `k`, of what is carried; `previous` are the counters of the iteration before, and of
    /// the one before that.
    pub(super) fn solve(&mut self, carried: &[Carried], iteration: &Iteration, k: &Var, previous: [&Var; 2]) -> Solved {
        let counter = &iteration.counter;
        let n = carried.len();
        let mut forms: Vec<Option<N>> = vec![None; n];
        let mut steps: Vec<Option<N>> = vec![None; n];
        let mut factors: Vec<Option<Factor>> = vec![None; n];
        let mut shifted = vec![false; n];
        let k_term = N::var(k);
        let moving = [k, counter, previous[0], previous[1]];
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
                    if moving.iter().any(|v| free.contains(v)) {
                        continue;
                    }
                    let step = signed_step(&step, c.var.ty);
                    forms[i] = Some(moved(&c.init, &N::mul(IntTy::MATH, &step, &k_term), &out, &c.var));
                    steps[i] = Some(step);
                } else if let Some(factor) = geometric(&out, &c.var) {
                    if factor.shift > 0 {
                        forms[i] = Some(self.shifted(c, &factor, &k_term));
                        factors[i] = Some(factor);
                    }
                } else if let Some(form) = guarded(&out, c, &k_term, |t| {
                    let free = free_vars_n(t);
                    !open(t) && !moving.iter().any(|v| free.contains(v))
                }) {
                    forms[i] = Some(form);
                } else if !free.contains(&c.var) && !open(&out) {
                    // What the iteration before it left.
                    let before = one_before(k, counter, previous).numeric(&out);
                    if before.depth() > 60 || free.contains(previous[1]) {
                        continue;
                    }
                    forms[i] = Some(N::ite(&k_term.eq(&N::num(0)), &c.init, &before));
                    shifted[i] = true;
                }
                changed |= forms[i].is_some();
            }
            if !changed && !periodic(carried, &mut forms, moving) {
                break;
            }
        }
        let invariants = self.invariants(carried, iteration);
        let held = self.held(carried, &forms, moving);
        held.iter().flat_map(|held| &held.sums).for_each(|name| self.assume_sums(name));
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
                    let unknown = self.bounded(&invariants.every[i], name, &carried[i], args);
                    match &held {
                        Some(held) => held.form(&carried[i].var, &unknown),
                        None => unknown,
                    }
                }
            };
            finished.push(form);
        }
        Solved { forms: finished, steps, factors, shifted, invariants, held, precise }
    }

    /// The value after `k` shifts.
    pub(super) fn shifted(&self, c: &Carried, factor: &Factor, k: &N) -> N {
        let by = N::mul(IntTy::MATH, k, &N::num(i128::from(factor.shift)));
        let op = if factor.times { NBin::Shl } else { NBin::Shr };
        let form = N::bin(op, c.var.ty, &c.init, &by);
        if !factor.division || !self.may_be_negative(&c.init, c.var.ty) {
            return form;
        }
        // Division truncates towards zero, on both sides of it.
        let zero = N::num(0);
        let minus = |n: &N| N::sub(IntTy::MATH, &zero, n);
        let below = minus(&N::bin(NBin::Shr, IntTy::MATH, &minus(&c.init), &by));
        N::ite(&c.init.lt(&zero), &below, &form)
    }

    pub(super) fn may_be_negative(&self, term: &N, ty: IntTy) -> bool {
        ty.signed && self.ranges.interval(term).lo.is_none_or(|lo| lo < 0)
    }
}

/// From an iteration to the one before it; of a term that knows the one before that there is no such.
pub(super) fn one_before(k: &Var, counter: &Var, [previous, earlier]: [&Var; 2]) -> Subst<'static> {
    let mut before = Subst::one(&k.name, &N::sub(IntTy::MATH, &N::var(k), &N::num(1)));
    before.bind(&counter.name, &N::var(previous));
    before.bind(&previous.name, &N::var(earlier));
    before
}

/// `out = var + rest`: the rest, when it does not mention the variable. Arithmetic is modulo the width of the variable.
pub(super) fn additive(out: &N, var: &Var) -> Option<N> {
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

/// The value after all that was added in the way of `out`. Where each of these additions must not overflow, neither does the
/// sum: it is such an addition too.
pub(super) fn moved(init: &N, steps: &N, out: &N, var: &Var) -> N {
    match (is_signed(out, var), steps.kind()) {
        // Nothing is added to, so that the product is all that may overflow. Otherwise what was added overflows only where the sum
        // does, or where it leads from one end of the type to the other; what is converted may be another step than it says.
        (true, NExp::Bin(NBin::Mul, _, l, r)) if init.as_num() == Some(0) || is_plain_step(l) && is_plain_step(r) => {
            N::add(var.ty, init, &N::mul(var.ty, l, r))
        }
        (true, _) => N::add(var.ty, init, steps),
        (false, _) => N::cast(var.ty, &N::add(IntTy::MATH, init, steps)),
    }
}

/// Is a variable of a signed type moved by signed arithmetic in that type, so that its overflow has no meaning?
pub(super) fn is_signed(out: &N, var: &Var) -> bool {
    fn adds(out: &N, var: &Var) -> bool {
        match out.kind() {
            NExp::Var(_) => true,
            NExp::Bin(NBin::Add, ty, l, r) if *ty == var.ty => {
                adds(if free_vars_n(r).contains(var) { r } else { l }, var)
            }
            NExp::Bin(NBin::Sub, ty, l, _) if *ty == var.ty => adds(l, var),
            _ => false,
        }
    }
    var.ty.signed && var.ty.bits >= 32 && adds(out, var)
}

/// Is this a sum of products in which nothing is converted? (Of deep terms that is not told.)
fn is_plain_step(step: &N) -> bool {
    const DEEP: u32 = 50;
    step.depth() <= DEEP && crate::exp::conversions(step).is_empty()
}

/// The form of what moves by a step under a condition that no iteration changes, and otherwise stays or moves by another one.
/// [LOOP-GUARDED]
fn guarded(out: &N, c: &Carried, k: &N, fixed: impl Fn(&N) -> bool + Copy) -> Option<N> {
    let NExp::If(cond, then, els) = out.kind() else { return None };
    let side = |out: &N| {
        if *out == N::var(&c.var) {
            return Some(c.init.clone());
        }
        if let Some(form) = guarded(out, c, k, fixed) {
            return Some(form);
        }
        let step = additive(out, &c.var).filter(|s| fixed(s))?;
        Some(moved(&c.init, &N::mul(IntTy::MATH, &signed_step(&step, c.var.ty), k), out, &c.var))
    };
    fixed(&cond.as_number()).then(|| Some(N::ite(cond, &side(then)?, &side(els)?)))?
}

/// A constant step as the signed number that it is modulo the width.
pub(super) fn signed_step(step: &N, ty: IntTy) -> N {
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
pub(super) fn geometric(out: &N, var: &Var) -> Option<Factor> {
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

/// Closed forms of what comes back to a value that it had: `p = 1 - p`, `i = (i + 1) % 3`, two that are exchanged. What
/// some variables become depends only on themselves and on what does not change, so that their values repeat once they
/// are the same again. True when one was found.
pub(super) fn periodic(carried: &[Carried], forms: &mut [Option<N>], moving: [&Var; 4]) -> bool {
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
