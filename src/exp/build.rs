//! The smart constructors: each returns a term equal, in every environment, to the one that its name says, and folds
//! what is constant (THM-FOLD: `tests/theorems/fold.rs`).

use super::eval::apply;
use super::syntax::{B, BExp, Fun, IntTy, N, NBin, NExp, NRel, Var};

impl N {
    pub fn num(value: impl Into<i128>) -> N {
        N::make(NExp::Num(value.into()))
    }

    pub fn var(var: &Var) -> N {
        N::make(NExp::Var(var.clone()))
    }

    pub fn call(fun: Fun, args: Vec<N>) -> N {
        N::make(NExp::Call(fun, args))
    }

    pub fn as_var(&self) -> Option<&Var> {
        match self.kind() {
            NExp::Var(var) => Some(var),
            _ => None,
        }
    }

    pub fn as_num(&self) -> Option<i128> {
        match self.kind() {
            NExp::Num(value) => Some(*value),
            _ => None,
        }
    }

    /// Is every value of this term surely a value of `ty`?
    fn fits(&self, ty: IntTy) -> bool {
        self.fits_within(ty, 8)
    }

    /// The same, looking through so many choices: a term is a graph, and walking it as a tree takes for ever.
    fn fits_within(&self, ty: IntTy, choices: u32) -> bool {
        if ty.bits == 0 {
            return true;
        }
        match self.kind() {
            NExp::Num(value) => ty.contains(*value),
            NExp::If(_, t, e) if choices > 0 && self.ty().is_none() => {
                t.fits_within(ty, choices - 1) && e.fits_within(ty, choices - 1)
            }
            _ => match self.ty() {
                Some(own) if own.bits == 0 => false,
                Some(own) => own == ty || (own.bits < ty.bits && (ty.signed || !own.signed)),
                None => false,
            },
        }
    }

    pub fn cast(ty: IntTy, term: &N) -> N {
        match term.kind() {
            NExp::Num(value) => N::num(ty.wrap(*value)),
            _ if term.fits(ty) => term.clone(),
            // A narrower or equal width forgets what a wider conversion below it did.
            NExp::Cast(inner, below) if ty.bits != 0 && (inner.bits == 0 || inner.bits >= ty.bits) => {
                N::cast(ty, below)
            }
            NExp::If(c, t, e) if t.as_num().is_some() || e.as_num().is_some() => {
                N::ite(c, &N::cast(ty, t), &N::cast(ty, e))
            }
            _ => N::make(NExp::Cast(ty, term.clone())),
        }
    }

    pub fn ite(cond: &B, then: &N, els: &N) -> N {
        match cond.kind() {
            BExp::Lit(true) => then.clone(),
            BExp::Lit(false) => els.clone(),
            BExp::Not(inner) => N::ite(inner, els, then),
            _ if then == els => then.clone(),
            _ => {
                // Under the same condition an inner choice is decided.
                let then = match then.kind() {
                    NExp::If(c, t, _) if c == cond => t.clone(),
                    _ => then.clone(),
                };
                let els = match els.kind() {
                    NExp::If(c, _, e) if c == cond => e.clone(),
                    _ => els.clone(),
                };
                if then == els { then } else { N::make(NExp::If(cond.clone(), then, els)) }
            }
        }
    }

    /// `l op r` in type `ty`.
    pub fn bin(op: NBin, ty: IntTy, l: &N, r: &N) -> N {
        let l = &N::cast(ty, l);
        let r = &if matches!(op, NBin::Shl | NBin::Shr) { r.clone() } else { N::cast(ty, r) };
        if let (Some(a), Some(b)) = (l.as_num(), r.as_num()) {
            return N::num(apply(op, ty, a, b));
        }
        match (op, l.as_num(), r.as_num()) {
            (NBin::Add | NBin::Or | NBin::Xor, Some(0), _) => return r.clone(),
            (NBin::Add | NBin::Sub | NBin::Or | NBin::Xor | NBin::Shl | NBin::Shr, _, Some(0)) => return l.clone(),
            (NBin::Mul, Some(1), _) => return r.clone(),
            (NBin::Mul | NBin::Div, _, Some(1)) => return l.clone(),
            (NBin::Mul | NBin::And, Some(0), _) | (NBin::Mul | NBin::And, _, Some(0)) => return N::num(0),
            (NBin::Rem, _, Some(1)) => return N::num(0),
            // x - c is x + (-c): one form for both. Unsigned types keep the subtraction, which reads better.
            (NBin::Sub, _, Some(c)) if ty.signed && ty.contains(-c) => return N::bin(NBin::Add, ty, l, &N::num(-c)),
            // Constants stand on the right.
            (NBin::Add | NBin::Mul | NBin::And | NBin::Or | NBin::Xor | NBin::Min | NBin::Max, Some(_), None) => {
                return N::bin(op, ty, r, l);
            }
            _ => {}
        }
        match (op, l.kind(), r.kind()) {
            // (x + c) + d is x + (c + d), and so for products: both wrap modulo the same power of two.
            (NBin::Add | NBin::Mul, NExp::Bin(inner, t, x, c), NExp::Num(d)) if *inner == op && *t == ty => {
                if let Some(c) = c.as_num() {
                    return N::bin(op, ty, x, &N::num(apply(op, ty, c, *d)));
                }
            }
            // c - (c - x) and (x - y) + y
            (NBin::Add, NExp::Bin(NBin::Sub, t, x, y), _) if *t == ty && y == r => return N::cast(ty, x),
            (NBin::Sub, NExp::Bin(NBin::Add, t, x, y), _) if *t == ty && y == r => return N::cast(ty, x),
            (NBin::Sub, NExp::Bin(NBin::Add, t, x, y), _) if *t == ty && x == r => return N::cast(ty, y),
            _ => {}
        }
        if l == r {
            match op {
                NBin::Sub | NBin::Xor => return N::num(0),
                NBin::And | NBin::Or | NBin::Min | NBin::Max => return l.clone(),
                _ => {}
            }
        }
        N::make(NExp::Bin(op, ty, l.clone(), r.clone()))
    }

    pub fn add(ty: IntTy, l: &N, r: &N) -> N {
        N::bin(NBin::Add, ty, l, r)
    }

    pub fn sub(ty: IntTy, l: &N, r: &N) -> N {
        N::bin(NBin::Sub, ty, l, r)
    }

    pub fn mul(ty: IntTy, l: &N, r: &N) -> N {
        N::bin(NBin::Mul, ty, l, r)
    }

    pub fn eq(&self, other: &N) -> B {
        B::rel(NRel::Eq, self, other)
    }

    pub fn ne(&self, other: &N) -> B {
        B::rel(NRel::Ne, self, other)
    }

    pub fn lt(&self, other: &N) -> B {
        B::rel(NRel::Lt, self, other)
    }

    pub fn le(&self, other: &N) -> B {
        B::rel(NRel::Le, self, other)
    }

    /// The truth of a number, as C has it.
    pub fn truth(&self) -> B {
        match self.kind() {
            NExp::If(c, t, e) if t.as_num().is_some() && e.as_num().is_some() => {
                B::or([B::and([c.clone(), t.truth()]), B::and([B::not(c), e.truth()])])
            }
            _ => self.ne(&N::num(0)),
        }
    }
}

impl B {
    pub fn lit(value: bool) -> B {
        B::make(BExp::Lit(value))
    }

    pub fn as_lit(&self) -> Option<bool> {
        match self.kind() {
            BExp::Lit(value) => Some(*value),
            _ => None,
        }
    }

    pub fn rel(op: NRel, l: &N, r: &N) -> B {
        if let (Some(a), Some(b)) = (l.as_num(), r.as_num()) {
            return B::lit(super::eval::compare(op, a, b));
        }
        if l == r {
            return B::lit(matches!(op, NRel::Eq | NRel::Le));
        }
        // A comparison with a constant outside the type of the other side is decided.
        if let (Some(ty), Some(c)) = (l.ty(), r.as_num())
            && let (Some(min), Some(max)) = (ty.min(), ty.max())
        {
            match op {
                NRel::Eq if c < min || c > max => return B::lit(false),
                NRel::Ne if c < min || c > max => return B::lit(true),
                NRel::Lt if c <= min => return B::lit(false),
                NRel::Lt if c > max => return B::lit(true),
                NRel::Le if c < min => return B::lit(false),
                NRel::Le if c >= max => return B::lit(true),
                _ => {}
            }
        }
        if let (Some(c), Some(ty)) = (l.as_num(), r.ty())
            && let (Some(min), Some(max)) = (ty.min(), ty.max())
        {
            match op {
                NRel::Lt if c < min => return B::lit(true),
                NRel::Lt if c >= max => return B::lit(false),
                NRel::Le if c <= min => return B::lit(true),
                NRel::Le if c > max => return B::lit(false),
                _ => {}
            }
        }
        match (op, l.kind(), r.kind()) {
            // A conversion that loses nothing is one to one.
            (NRel::Eq | NRel::Ne, NExp::Cast(to, inner), NExp::Num(c))
                if inner.ty().is_some_and(|from| from.bits != 0 && (to.bits == 0 || to.bits >= from.bits)) =>
            {
                let from = inner.ty().unwrap_or(IntTy::MATH);
                let meant = from.wrap(*c);
                return match to.wrap(meant) == *c {
                    true => B::rel(op, inner, &N::num(meant)),
                    false => B::lit(op == NRel::Ne),
                };
            }
            // Constants stand on the right of = and /=.
            (NRel::Eq | NRel::Ne, NExp::Num(_), _) => return B::rel(op, r, l),
            // A truth value made into a number and compared with one.
            (_, NExp::If(c, t, e), NExp::Num(_)) if t.as_num().is_some() && e.as_num().is_some() => {
                return B::or([B::and([c.clone(), B::rel(op, t, r)]), B::and([B::not(c), B::rel(op, e, r)])]);
            }
            _ => {}
        }
        B::make(BExp::Rel(op, l.clone(), r.clone()))
    }

    pub fn and(parts: impl IntoIterator<Item = B>) -> B {
        B::junction(parts, true)
    }

    pub fn or(parts: impl IntoIterator<Item = B>) -> B {
        B::junction(parts, false)
    }

    /// A conjunction (`unit` true) or disjunction (`unit` false), flat, without repetition.
    fn junction(parts: impl IntoIterator<Item = B>, unit: bool) -> B {
        let mut kept: Vec<B> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending: Vec<B> = parts.into_iter().collect();
        pending.reverse();
        while let Some(part) = pending.pop() {
            match part.kind() {
                BExp::Lit(value) if *value == unit => {}
                BExp::Lit(_) => return B::lit(!unit),
                BExp::And(inner) if unit => pending.extend(inner.iter().rev().cloned()),
                BExp::Or(inner) if !unit => pending.extend(inner.iter().rev().cloned()),
                _ => {
                    if seen.contains(&B::not(&part)) {
                        return B::lit(!unit);
                    }
                    if seen.insert(part.clone()) {
                        kept.push(part);
                    }
                }
            }
        }
        match (kept.len(), kept.pop()) {
            (1, Some(only)) => only,
            (_, None) => B::lit(unit),
            (_, Some(last)) => {
                kept.push(last);
                B::make(if unit { BExp::And(kept) } else { BExp::Or(kept) })
            }
        }
    }

    #[allow(clippy::should_implement_trait)]
    pub fn not(term: &B) -> B {
        match term.kind() {
            BExp::Lit(value) => B::lit(!value),
            BExp::Not(inner) => inner.clone(),
            BExp::Rel(NRel::Eq, l, r) => B::make(BExp::Rel(NRel::Ne, l.clone(), r.clone())),
            BExp::Rel(NRel::Ne, l, r) => B::make(BExp::Rel(NRel::Eq, l.clone(), r.clone())),
            BExp::Rel(NRel::Lt, l, r) => B::rel(NRel::Le, r, l),
            BExp::Rel(NRel::Le, l, r) => B::rel(NRel::Lt, r, l),
            BExp::And(_) | BExp::Or(_) => B::make(BExp::Not(term.clone())),
        }
    }

    pub fn implies(l: &B, r: &B) -> B {
        B::or([B::not(l), r.clone()])
    }

    pub fn iff(l: &B, r: &B) -> B {
        B::and([B::implies(l, r), B::implies(r, l)])
    }

    /// 1 when it holds and 0 when not.
    pub fn as_number(&self) -> N {
        N::ite(self, &N::num(1), &N::num(0))
    }
}
