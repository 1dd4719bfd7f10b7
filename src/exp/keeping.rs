//! Conditions that hold without the overflow of terms that are needed for it. [WIT-OVERFLOW]

use rustc_hash::FxHashMap;

use super::wrap::signed_arithmetic;
use super::{B, BExp, IntTy, N, NBin, NExp};

/// That a signed sum, difference or product, or a shift by a constant, does not overflow.
pub fn fits(term: &N) -> Option<B> {
    match term.kind() {
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), ty, l, r) if signed_arithmetic(term) => {
            let exact = N::bin(*op, IntTy::MATH, l, r);
            Some(B::and([N::num((*ty).min()?).le(&exact), exact.le(&N::num((*ty).max()?))]))
        }
        // A shift may go on to the numbers of the unsigned type.
        NExp::Bin(NBin::Shl, ty, l, r) if ty.signed && (32..=64).contains(&ty.bits) => {
            let by = r.as_num().filter(|by| (0..i128::from(ty.bits)).contains(by))?;
            let exact = N::mul(IntTy::MATH, l, &N::num(1i128 << by));
            Some(B::and([N::num((*ty).min()?).le(&exact), exact.lt(&N::num(1i128 << ty.bits))]))
        }
        _ => None,
    }
}

/// The condition, of which a comparison holds only where those of these terms do not overflow whose values it needs.
pub fn keeping(condition: &B, terms: &[N]) -> B {
    if terms.is_empty() {
        return condition.clone();
    }
    Keeping { terms, numbers: FxHashMap::default(), conditions: FxHashMap::default() }.holding(condition, true)
}

struct Keeping<'t> {
    terms: &'t [N],
    /// What has to hold so that the value of a term has a meaning.
    numbers: FxHashMap<N, B>,
    conditions: FxHashMap<(B, bool), B>,
}

impl Keeping<'_> {
    fn holding(&mut self, condition: &B, positive: bool) -> B {
        let key = (condition.clone(), positive);
        if let Some(known) = self.conditions.get(&key) {
            return known.clone();
        }
        let made = match condition.kind() {
            BExp::Lit(value) => B::lit(*value == positive),
            BExp::Not(inner) => self.holding(inner, !positive),
            BExp::And(parts) | BExp::Or(parts) => {
                let conjunction = matches!(condition.kind(), BExp::And(_)) == positive;
                let parts: Vec<B> = parts.iter().map(|part| self.holding(part, positive)).collect();
                if conjunction { B::and(parts) } else { B::or(parts) }
            }
            BExp::Rel(..) => {
                let own = if positive { condition.clone() } else { B::not(condition) };
                B::and([own, self.needs(condition)])
            }
        };
        self.conditions.insert(key, made.clone());
        made
    }

    /// What has to hold so that a condition has a meaning.
    fn needs(&mut self, condition: &B) -> B {
        match condition.kind() {
            BExp::Lit(_) => B::lit(true),
            BExp::Rel(_, l, r) => B::and([self.value(l), self.value(r)]),
            BExp::Not(inner) => self.needs(inner),
            BExp::And(parts) | BExp::Or(parts) => {
                let conjunction = matches!(condition.kind(), BExp::And(_));
                let needs: Vec<B> = parts.iter().map(|part| self.needs(part)).collect();
                // One part that decides is enough: C does not look at the others.
                let decide = parts.iter().zip(&needs).map(|(part, needs)| {
                    let decides = if conjunction { B::not(part) } else { part.clone() };
                    B::and([decides, needs.clone()])
                });
                let all = B::and(needs.iter().cloned());
                if all.as_lit() == Some(true) { all } else { B::or(decide.chain([all])) }
            }
        }
    }

    fn value(&mut self, term: &N) -> B {
        if let Some(known) = self.numbers.get(term) {
            return known.clone();
        }
        let made = match term.kind() {
            NExp::Num(_) | NExp::Var(_) => B::lit(true),
            NExp::Bin(_, _, l, r) => {
                let own = self.terms.contains(term).then(|| fits(term)).flatten();
                B::and([self.value(l), self.value(r)].into_iter().chain(own))
            }
            NExp::Cast(_, inner) => self.value(inner),
            NExp::Call(_, args) => B::and(args.iter().map(|arg| self.value(arg)).collect::<Vec<_>>()),
            NExp::If(condition, then, els) => {
                let (then, els) = (self.value(then), self.value(els));
                B::and([self.needs(condition), B::or([B::not(condition), then]), B::or([condition.clone(), els])])
            }
        };
        self.numbers.insert(term.clone(), made.clone());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::{Env, Var, eval_b};

    #[test]
    fn what_is_not_needed_may_overflow() {
        let n = Var::new("n", IntTy::I32);
        let of = |value: i128, condition: &B| {
            let mut env = Env::new();
            env.set(&n.name, value);
            eval_b(condition, &env).expect("a value")
        };
        let square = N::mul(IntTy::I32, &N::var(&n), &N::var(&n));
        let (large, negative) = (N::num(50_000).lt(&N::var(&n)), square.lt(&N::num(0)));
        let or = B::or([large.clone(), negative.clone()]);
        let chosen = N::ite(&large, &N::num(1), &N::ite(&negative, &N::num(1), &N::num(0))).eq(&N::num(1));
        let of_both = N::ite(&or, &N::num(3), &N::var(&n)).eq(&N::num(3));
        for condition in [&or, &chosen, &of_both] {
            let kept = keeping(condition, std::slice::from_ref(&square));
            assert_eq!([46_341, 50_001].map(|n| of(n, condition)), [true, true]);
            assert_eq!([46_341, 50_001].map(|n| of(n, &kept)), [false, true]);
            assert!(!of(50_001, &keeping(&B::not(condition), std::slice::from_ref(&square))));
        }
        let both = keeping(&B::and([large, negative]), &[square]);
        assert!([46_341, 50_001, 70_000].iter().all(|n| !of(*n, &both)));
    }
}
