//! [LOOP-HELD] Values that an iteration changes only where a condition holds, of which the condition itself is made:
//!
//! ```text
//! if (t < active) { a[i] = ..; active >>= 1; i <<= 1; }
//! ```
//!
//! Where the condition does not hold, they stay, and so it does not hold in any later iteration. If it is one that, of the
//! closed forms, is false from some iteration on, then it holds in iteration k exactly where it holds of the closed forms
//! at k: by induction, it held in all iterations before, each of which changed the values. There they are these forms. Where
//! it does not hold they are those of an iteration before, which is not known.

use super::closed::{additive, geometric, moved, signed_step};
use super::*;

pub(super) struct Held {
    /// The condition, of placeholders.
    cond: Vec<B>,
    /// The same of the closed forms.
    active: B,
    /// Closed forms where it holds, by placeholder.
    forms: BTreeMap<Name, N>,
    /// Placeholders of which the sums are taken not to overflow.
    pub sums: Vec<Name>,
}

/// Where a value goes.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Up,
    Down,
}

impl Walk<'_> {
    /// Of what has no closed form yet: what changes under one such condition. `moving` are the counter of iterations and
    /// what else differs from one to the next.
    pub(super) fn held(&self, carried: &[Carried], forms: &[Option<N>], moving: [&Var; 4]) -> Option<Held> {
        let mut known = Subst::new();
        for (c, form) in carried.iter().zip(forms) {
            if let Some(form) = form {
                known.bind(&c.var.name, form);
            }
        }
        let open = |t: &N| {
            let free = free_vars_n(t);
            carried.iter().zip(forms).any(|(c, f)| f.is_none() && free.contains(&c.var))
        };
        let fixed = |t: &N| !open(t) && !moving.iter().any(|v| free_vars_n(t).contains(v));
        let unsolved = || carried.iter().zip(forms).filter(|(c, f)| f.is_none() && matches!(c.home, Home::Cell(..)));
        let conditions: Vec<B> = unsolved().filter_map(|(c, _)| Some(changes(c, &c.out)?.0)).collect();
        let cond = conditions.into_iter().find(|cond| unsolved().any(|(c, _)| free_vars_b(cond).contains(&c.var)))?;

        let k = N::var(moving[0]);
        let mut closed = BTreeMap::new();
        let mut ways: BTreeMap<Name, (Way, bool)> = BTreeMap::new();
        let mut sums = Vec::new();
        for (c, _) in unsolved() {
            let Some((_, out)) = changes(c, &c.out).filter(|(when, _)| *when == cond) else { continue };
            let out = known.numeric(&out);
            if let Some(step) = additive(&out, &c.var).filter(|s| fixed(s)) {
                let step = signed_step(&step, c.var.ty);
                let steps = N::mul(IntTy::MATH, &step, &k);
                let mut form = moved(&c.init, &steps, &out, &c.var);
                if matches!(form.kind(), NExp::Bin(_, ty, ..) if *ty == c.var.ty && ty.signed) {
                    // What is added does not wrap around; where it is not any more, the form goes on, beyond its type.
                    form = N::add(IntTy::MATH, &c.init, &steps);
                    sums.push(c.var.name.clone());
                    let way = step.as_num().map(|n| if n < 0 { Way::Down } else { Way::Up });
                    ways.extend(way.map(|way| (c.var.name.clone(), (way, false))));
                }
                closed.insert(c.var.name.clone(), form);
            } else if let Some(factor) = geometric(&out, &c.var).filter(|f| f.shift > 0) {
                if !factor.times && !self.may_be_negative(&c.init, c.var.ty) {
                    ways.insert(c.var.name.clone(), (Way::Down, true));
                }
                closed.insert(c.var.name.clone(), self.shifted(c, &factor, &k));
            }
        }
        let parts = conjuncts(&cond);
        let stays_false = |part: &B| {
            if fixed(&known.boolean(part).as_number()) {
                return true;
            }
            let BExp::Rel(op, l, r) = part.kind() else { return false };
            let way = |t: &N| t.as_var().and_then(|v| ways.get(&v.name)).copied();
            match (op, way(l), way(r)) {
                (NRel::Lt | NRel::Le, Some((Way::Up, _)), None) => fixed(&known.numeric(r)),
                (NRel::Lt | NRel::Le, None, Some((Way::Down, _))) => fixed(&known.numeric(l)),
                // Zero stays zero.
                (NRel::Ne, Some((_, true)), None) => r.as_num() == Some(0),
                (NRel::Ne, None, Some((_, true))) => l.as_num() == Some(0),
                _ => false,
            }
        };
        if !parts.iter().all(stays_false) {
            return None;
        }
        let mut at_k = Subst::new();
        closed.iter().for_each(|(name, form)| at_k.bind(name, form));
        let active = at_k.boolean(&known.boolean(&cond));
        Some(Held { cond: parts, active, forms: closed, sums })
    }
}

impl Held {
    /// The value of a placeholder in any iteration; `unknown` where the condition did not hold.
    pub fn form(&self, var: &Var, unknown: &N) -> N {
        match self.forms.get(&var.name) {
            Some(form) => N::ite(&self.active, form, unknown),
            None => unknown.clone(),
        }
    }

    /// The code of an iteration, with the closed forms where the condition holds.
    pub fn code(&self, code: &Protocol) -> Protocol {
        match code {
            Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => code.clone(),
            Protocol::Seq(parts) => Protocol::seq(parts.iter().map(|p| self.code(p)).collect::<Vec<_>>()),
            Protocol::For(range, body) => match self.code(body) {
                Protocol::Skip => Protocol::Skip,
                body => Protocol::For(range.clone(), Box::new(body)),
            },
            Protocol::If(cond, then, els) => {
                let parts = conjuncts(cond);
                if !self.cond.iter().all(|part| parts.contains(part)) {
                    return Protocol::branch(cond, self.code(then), self.code(els));
                }
                let mut at_k = Subst::new();
                self.forms.iter().for_each(|(name, form)| at_k.bind(name, form));
                let others = parts.iter().filter(|part| !self.cond.contains(part)).cloned();
                let others = at_k.boolean(&B::and(others.collect::<Vec<_>>()));
                let then = substitute(then, &mut at_k);
                let active = B::and([self.active.clone(), others]);
                Protocol::branch(&active, then, self.code(els))
            }
        }
    }
}

/// When an iteration changes a value, and to what: where it does not, the value stays.
fn changes(c: &Carried, out: &N) -> Option<(B, N)> {
    let NExp::If(cond, then, els) = out.kind() else { return None };
    let stays = |t: &N| *t == N::var(&c.var);
    match (stays(then), stays(els)) {
        (false, true) => Some((cond.clone(), then.clone())),
        (true, false) => Some((B::not(cond), els.clone())),
        _ => None,
    }
}
