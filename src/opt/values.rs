//! Terms as polynomials over what is neither a sum nor a product, exact about machine arithmetic.
//!
//! Ring operators are computed as residues modulo 2^w, as in the encoding; a residue stands for the value when its interval
//! shows that it is in its type. What may leave its type is an unknown of its own, of which only that is known.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::powers::Powers;
use crate::core::tickets::limits;
use crate::exp::poly::{AtomId, Monomial, Poly, scaled};
use crate::exp::wrap::{SMALL, goes_up, may_wrap_for_small_sizes, needs_large_sizes, rests_on_more};
use crate::exp::{B, BExp, Fun, FunKind, IntTy, Interval, N, NBin, NExp, NRel, Ranges, conversions};

/// An unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    Term(N),
    /// A dividend that is not negative, by a divisor that is positive.
    Quotient(Poly, Poly),
    Rest(Poly, Poly),
}

/// Terms nested deeper than this are unknowns.
const DEEP: u32 = 100;
/// Longer sums may be large where what they are made of is not.
const FEW: usize = 16;
/// And so may multiples of more than this, which may then be divided again.
const FACTOR: i128 = 1 << 12;
/// Of more products than this it is not looked which are parts of others.
const MANY: usize = 128;
/// Larger constants are not computed with.
const LARGE: i128 = 1 << 100;

#[derive(Clone)]
pub struct Values {
    /// Take it that signed arithmetic does not overflow, as C does, and unsigned not where that takes sizes of billions,
    /// and remember where.
    pub assume: bool,
    atoms: IndexMap<Atom, Interval>,
    /// What is known of products of unknowns, beyond what follows from their factors.
    products: FxHashMap<Monomial, Interval>,
    /// What is known of sums without a constant, and the same of what is 0 less them.
    sums: FxHashMap<Vec<(Monomial, i128)>, Interval>,
    memo: FxHashMap<(N, u8), Poly>,
    /// Unknowns that turned out to be none.
    known: Vec<Poly>,
    /// Dividends without divisor times quotient, and the rests that these are.
    rests: Vec<(Poly, Poly)>,
    ranges: Ranges,
    powers: Powers,
    /// Unknowns of dividends, by divisor times quotient and rest.
    dividends: Vec<(AtomId, Poly)>,
    /// Rests of which no bound by their divisor is known: they are no digits.
    pub loose: BTreeSet<AtomId>,
    /// Dividends without their quotients and rests: polynomials that are 0.
    pub divisions: Vec<Poly>,
    /// Sums that are divided, and divisor times quotient and rest of their first division. [OPT-WHOLE]
    pub wholes: Vec<(Poly, Poly)>,
    /// Polynomials that are at most 0, by the definition of a quotient.
    pub defined: Vec<Poly>,
    /// The terms of which it was assumed that they do not overflow.
    pub assumed: IndexSet<N>,
    /// Was something assumed that may be otherwise where arrays have ordinary sizes?
    serious: bool,
    /// Conversions of which nothing is assumed. [OPT-OPAQUE]
    opaque: FxHashSet<N>,
    /// Would there have been more to assume?
    pub doubtful: bool,
}

impl Values {
    pub fn new(ranges: Ranges, powers: Powers, assume: bool) -> Values {
        Values {
            assume,
            atoms: IndexMap::new(),
            products: FxHashMap::default(),
            sums: FxHashMap::default(),
            memo: FxHashMap::default(),
            known: Vec::new(),
            rests: Vec::new(),
            ranges,
            powers,
            dividends: Vec::new(),
            loose: BTreeSet::new(),
            divisions: Vec::new(),
            wholes: Vec::new(),
            defined: Vec::new(),
            assumed: IndexSet::new(),
            serious: false,
            opaque: FxHashSet::default(),
            doubtful: false,
        }
    }

    /// The value of the term.
    pub fn value(&mut self, term: &N) -> Option<Poly> {
        self.number(term, 0)
    }

    /// The difference of two terms, if it is 0 exactly when they are equal.
    pub fn equation(&mut self, l: &N, r: &N) -> Option<Poly> {
        if let (Some(ty), Some(other)) = (l.ty(), r.ty())
            && ty == other
            && ty.bits != 0
        {
            // Two values of one type are equal iff they are congruent. [OPT-VALUE]
            let difference = self.number(l, ty.bits)?.sub(&self.number(r, ty.bits)?).ok()?;
            let period = 1i128 << ty.bits;
            if self.interval(&difference).within(Interval::new(1 - period, period - 1)) {
                return Some(difference);
            }
        }
        self.value(l)?.sub(&self.value(r)?).ok()
    }

    /// A polynomial that is congruent to the term modulo 2^bits, or equal to it for `bits` 0. [OPT-VALUE]
    fn number(&mut self, term: &N, bits: u8) -> Option<Poly> {
        match term.kind() {
            NExp::Num(value) => return (-LARGE..=LARGE).contains(value).then(|| Poly::constant(*value)),
            NExp::Var(_) => return Some(self.unknown(term)),
            _ if term.depth() > DEEP => return Some(self.unknown(term)),
            _ => {}
        }
        if let Some(known) = self.memo.get(&(term.clone(), bits)) {
            return Some(known.clone());
        }
        let through = |ty: IntTy| ty.bits == 0 || (bits != 0 && ty.bits >= bits);
        let poly = match term.kind() {
            NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), ty, l, r) => match through(*ty) {
                true => self.ring(*op, l, r, bits).unwrap_or_else(|| self.unknown(term)),
                false => {
                    let raw = self.number(term, ty.bits)?;
                    self.in_type(raw, *ty, term)
                }
            },
            NExp::Bin(NBin::Shl, ty, l, r) if r.as_num().is_some_and(|by| (0..31).contains(&by)) => {
                let by = r.as_num().unwrap_or(0);
                match through(*ty) {
                    true if ty.bits == 0 || by < i128::from(ty.bits) => self.number(l, bits)?.scale(1 << by).ok()?,
                    true => self.unknown(term),
                    false => {
                        let raw = self.number(term, ty.bits)?;
                        self.in_type(raw, *ty, term)
                    }
                }
            }
            NExp::Cast(ty, inner) => match through(*ty) {
                true => self.number(inner, bits)?,
                false => {
                    let raw = self.number(inner, ty.bits)?;
                    self.in_type(raw, *ty, term)
                }
            },
            NExp::Bin(op @ (NBin::Min | NBin::Max), ty, l, r) => {
                self.extreme(term, *op, *ty, l, r).unwrap_or_else(|| self.unknown(term))
            }
            NExp::Bin(NBin::And, ty, l, r) if cleared(*ty, r).is_some() => {
                self.cleared(*ty, l, r).unwrap_or_else(|| self.unknown(term))
            }
            NExp::Bin(op, ty, l, r) => self.division(term, *op, *ty, [l, r]).unwrap_or_else(|| self.unknown(term)),
            NExp::If(cond, then, els) => match chosen_extreme(cond, then, els) {
                Some(op) => self.extreme(term, op, IntTy::MATH, then, els).unwrap_or_else(|| self.unknown(term)),
                None => self.unknown(term),
            },
            NExp::Call(fun, args) => self.call(term, fun, args),
            NExp::Num(_) | NExp::Var(_) => self.unknown(term),
        };
        self.memo.insert((term.clone(), bits), poly.clone());
        Some(poly)
    }

    /// An unknown; of the result of an atomic operation the bounds may be known. [OPT-TICKET]
    fn call(&mut self, term: &N, fun: &Fun, args: &[N]) -> Poly {
        let unknown = self.unknown(term);
        if let FunKind::Ticket(ticket) = fun.kind
            && let Some([_, least, most]) = limits(ticket, args)
            && let (Some(least), Some(most)) = (self.value(least), self.value(most))
        {
            let interval = Interval { lo: self.interval(&least).lo, hi: self.interval(&most).hi };
            self.note(&unknown, interval);
            let facts = [least.sub(&unknown), unknown.sub(&most)];
            self.defined
                .extend(facts.into_iter().flatten().filter(|fact| !self.defined.contains(fact)).collect::<Vec<_>>());
        }
        unknown
    }

    fn ring(&mut self, op: NBin, l: &N, r: &N, bits: u8) -> Option<Poly> {
        let (a, b) = (self.number(l, bits)?, self.number(r, bits)?);
        match op {
            NBin::Add => a.add(&b).ok(),
            NBin::Sub => {
                let difference = a.sub(&b).ok()?;
                // What is left when divisor times quotient is taken off is the rest.
                let rest = self.rests.iter().find(|(left, _)| *left == difference);
                Some(rest.map_or(difference, |(_, rest)| rest.clone()))
            }
            _ => a.mul(&b).ok(),
        }
    }

    /// The smaller or larger of two values, where their intervals tell; otherwise an unknown on one side of both.
    /// [OPT-EXTREME]
    fn extreme(&mut self, term: &N, op: NBin, ty: IntTy, l: &N, r: &N) -> Option<Poly> {
        let (a, b) = (self.value(l)?, self.value(r)?);
        // The operator converts its operands to its type, which must not change them.
        let kept = |p: &Poly| ty.bits == 0 || self.interval(p).within(Interval::of_type(ty));
        if !(kept(&a) && kept(&b)) {
            return None;
        }
        let difference = self.interval(&a.sub(&b).ok()?);
        let first_is_larger = match difference {
            Interval { lo: Some(lo), .. } if lo >= 0 => true,
            Interval { hi: Some(hi), .. } if hi <= 0 => false,
            _ => {
                let unknown = self.unknown(term);
                for side in [a, b] {
                    let above = if op == NBin::Min { unknown.sub(&side) } else { side.sub(&unknown) };
                    self.defined.extend(above.ok().filter(|fact| !self.defined.contains(fact)));
                }
                return Some(unknown);
            }
        };
        Some(if first_is_larger == (op == NBin::Max) { a } else { b })
    }

    /// The value of a term, which is congruent to `raw` modulo the period of its type.
    fn in_type(&mut self, raw: Poly, ty: IntTy, term: &N) -> Poly {
        self.note_factors(&raw, term);
        if self.interval(&raw).within(Interval::of_type(ty)) {
            return raw;
        }
        let undefined = overflow_is_undefined(term);
        // What is negative before it is converted may be so with any sizes. Sums are the solver's: it takes them exactly.
        let large = || {
            raw.terms.iter().any(|(m, _)| m.len() > 1)
                && (needs_large_sizes(term) || ty.bits >= 32 && rests_on_more(term) && self.is_plain(&raw))
        };
        let assumable = undefined || self.interval(&raw).lo.is_some_and(|lo| lo >= 0) && large();
        if assumable && !self.opaque.contains(term) {
            if self.assume {
                let open = if undefined { self.changing(term) } else { Vec::new() };
                // [OPT-OPAQUE]
                let raw = match self.leaves_open(&open) {
                    true => match self.of_operands(term) {
                        Some(raw) => raw,
                        None => return self.unknown(term),
                    },
                    false => {
                        self.assumed.extend(open);
                        raw
                    }
                };
                self.assumed.insert(term.clone());
                self.note(&raw, Interval::of_type(ty));
                return raw;
            }
            self.doubtful = true;
        }
        self.of_values(term, ty).unwrap_or_else(|| self.unknown(term))
    }

    /// The conversions in a sum or product that may change their values.
    fn changing(&mut self, term: &N) -> Vec<N> {
        let mut found = conversions(term);
        found.retain(|conversion| {
            let NExp::Cast(to, inner) = conversion.kind() else { return false };
            let raw = self.number(inner, to.bits);
            !raw.is_some_and(|raw| self.interval(&raw).within(Interval::of_type(*to)))
        });
        found
    }

    /// Was something assumed that may be otherwise where arrays have ordinary sizes, or that is said of more than operands of
    /// which nothing is assumed?
    pub fn is_serious(&self) -> bool {
        let goes_through = |term: &N| conversions(term).iter().any(|c| self.opaque.contains(c));
        self.serious || self.assumed.iter().any(|term| !overflow_is_undefined(term) && goes_through(term))
    }

    /// Of a part of the question.
    pub fn rests_on(&mut self, part: &Values) {
        self.assumed.extend(part.assumed.iter().cloned());
        self.serious |= part.is_serious();
    }

    /// Is there a conversion among them that may change its value where sizes are ordinary ones? Nothing is assumed of those.
    fn leaves_open(&mut self, conversions: &[N]) -> bool {
        let mut some = false;
        for conversion in conversions.iter().filter(|c| may_wrap_for_small_sizes(c)) {
            some = true;
            // What was assumed of it elsewhere is there to stay.
            self.serious |= self.assumed.contains(conversion);
            if self.opaque.insert(conversion.clone()) {
                self.memo.clear();
            }
        }
        some
    }

    /// A sum or product of the values of its operands, each in the type of the operator: what it is where it does not overflow.
    fn of_operands(&mut self, term: &N) -> Option<Poly> {
        let NExp::Bin(op, ty, l, r) = term.kind() else { return None };
        let (a, b) = (self.value(&N::cast(*ty, l))?, self.value(&N::cast(*ty, r))?);
        match op {
            NBin::Add => a.add(&b).ok(),
            NBin::Sub => a.sub(&b).ok(),
            NBin::Mul => a.mul(&b).ok(),
            _ => None,
        }
    }

    /// Of a product of sums, what those of its factors say: `h * w - h` is not negative if it is `h * (w - 1)`.
    fn note_factors(&mut self, raw: &Poly, term: &N) {
        let NExp::Bin(NBin::Mul, _, l, r) = term.kind() else { return };
        if raw.terms.len() > 1
            && let (Some(a), Some(b)) = (self.value(l), self.value(r))
            && a.mul(&b).is_ok_and(|product| product == *raw)
        {
            let known = self.interval(&a).mul(self.interval(&b));
            self.note(raw, known);
        }
    }

    /// Is this a sum of few sizes and positions, and products of them, so that it is large only where these are?
    fn is_plain(&self, sum: &Poly) -> bool {
        let of_atom = |atom: &AtomId| match self.atoms.get_index(*atom as usize) {
            Some((Atom::Term(term), _)) => matches!(term.kind(), NExp::Var(_)) || goes_up(term),
            // No larger than what is divided.
            Some((Atom::Quotient(of, _) | Atom::Rest(of, _), _)) => self.is_plain(of),
            None => false,
        };
        let of_term = |(factors, by): &(Monomial, i128)| by.abs() <= FACTOR && factors.iter().all(of_atom);
        sum.constant.abs() <= SMALL && sum.terms.len() <= FEW && sum.terms.iter().all(of_term)
    }

    /// The value of an unsigned term by the values of its operands, each in its own type, where it stays in its type for all of
    /// them: as sums of what is computed with signed numbers.
    fn of_values(&mut self, term: &N, ty: IntTy) -> Option<Poly> {
        let (value, interval) = match term.kind() {
            NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), _, l, r) => {
                let (a, b) = (self.value(l)?, self.value(r)?);
                let (l, r) = (self.interval(&a), self.interval(&b));
                match op {
                    NBin::Add => (a.add(&b).ok()?, l.add(r)),
                    NBin::Sub => (a.sub(&b).ok()?, l.add(r.neg())),
                    _ => (a.mul(&b).ok()?, l.mul(r)),
                }
            }
            NExp::Cast(_, inner) => {
                let value = self.value(inner)?;
                let interval = self.interval(&value);
                (value, interval)
            }
            _ => return None,
        };
        interval.within(Interval::of_type(ty)).then_some(())?;
        self.note(&value, interval);
        Some(value)
    }

    /// `x / d` and `x % d`: unknowns q and r with `x = d q + r`; for x >= 0 and d >= 1, also as `>>` and `&`, `0 <= r < d`.
    /// [OPT-QUOTIENT]
    fn division(&mut self, term: &N, op: NBin, ty: IntTy, [l, r]: [&N; 2]) -> Option<Poly> {
        let (l, r) = if op == NBin::And && self.mask(l).is_some() { (r, l) } else { (l, r) };
        let (remainder, by) = match (op, r.as_num()) {
            (NBin::Div, _) => (false, self.value(r)?),
            (NBin::Rem, _) => (true, self.value(r)?),
            (NBin::Shr, Some(by)) if (0..63).contains(&by) => (false, Poly::constant(1 << by)),
            (NBin::And, Some(mask)) if mask > 0 && mask < LARGE && (mask + 1).count_ones() == 1 => {
                (true, Poly::constant(mask + 1))
            }
            (NBin::And, None) => (true, self.value(&self.mask(r)?)?),
            _ => return None,
        };
        let of = self.value(l)?;
        let (above, below) = (self.interval(&of), self.interval(&by));
        // The operator converts its operands to its type, which must not change them.
        if ty.bits != 0 && !(above.within(Interval::of_type(ty)) && below.within(Interval::of_type(ty))) {
            return None;
        }
        let plain = above.lo.is_some_and(|lo| lo >= 0) && below.lo.is_some_and(|lo| lo >= 1);
        if !plain {
            // Shifts round down; and the least number by -1 is not in its type.
            let truncates = matches!(op, NBin::Div | NBin::Rem);
            let least = ty.bits != 0 && ty.signed && above.lo == Interval::of_type(ty).lo && below.contains(-1);
            if !truncates || least && !self.assume {
                self.doubtful |= truncates;
                return None;
            }
            if least {
                self.assumed.insert(term.clone());
            }
        }
        // [OPT-EXACT]
        if let Some(exact) = self.expanded(&of).and_then(|of| self.exactly(&of, &by)) {
            return Some(if remainder { Poly::constant(0) } else { exact });
        }
        let (narrow, top) = match plain {
            true => {
                let most = above.hi.and_then(|hi| hi.checked_div(below.lo.unwrap_or(1)));
                let top = Interval { lo: Some(0), hi: below.hi.map(|d| d - 1) };
                (Interval { lo: Some(0), hi: most }, top.meet(Interval { lo: None, hi: above.hi }))
            }
            false => {
                let most = above.lo.zip(above.hi).map(|(lo, hi)| lo.saturating_abs().max(hi.saturating_abs()));
                let least = if above.lo.is_some_and(|lo| lo >= 0) { Some(0) } else { most.map(|m| -m) };
                (Interval { lo: most.map(|m| -m), hi: most }, Interval { lo: least, hi: most })
            }
        };
        let (whole, divisor) = self.divided_before(&of, &by).unwrap_or_else(|| (of.clone(), by.clone()));
        let quotient = self.atom(Atom::Quotient(whole, divisor), narrow);
        let rest = self.atom(Atom::Rest(of.clone(), by.clone()), top);
        let parts = by.mul(&quotient).ok()?.add(&rest).ok()?;
        let division = of.sub(&parts).ok()?;
        if !self.divisions.contains(&division) && !self.wholes.iter().any(|(w, p)| *w == of && *p == parts) {
            if plain && by.as_constant().is_none() {
                self.defined.push(rest.sub(&by).ok()?.plus(1).ok()?);
            }
            // The rest of a division by `m d` is less than `m` times `d`. [OPT-QUOTIENT]
            if plain && let Some(times) = self.rest_below(&of).and_then(|below| self.exactly(&below, &by)) {
                self.defined.push(quotient.sub(&times).ok()?.plus(1).ok()?);
            }
            if !plain {
                self.loose.extend(rest.as_atom());
            }
            self.rests.push((division.add(&rest).ok()?, rest.clone()));
            self.dividends.extend(self.solved(&division, &of));
            match self.wholes.iter().find(|(whole, _)| *whole == of) {
                _ if of.as_atom().is_some() => self.divisions.push(division),
                Some((_, others)) => {
                    let same = others.sub(&parts).ok()?;
                    if !self.divisions.contains(&same) {
                        self.divisions.push(same);
                    }
                }
                None => self.wholes.push((of.clone(), parts)),
            }
        }
        Some(if remainder { rest } else { quotient })
    }

    /// `x & -2^n`, which is `x - x % 2^n`. [OPT-QUOTIENT]
    fn cleared(&mut self, ty: IntTy, l: &N, r: &N) -> Option<Poly> {
        let mask = N::num(cleared(ty, r)? - 1);
        let rest = self.division(&N::bin(NBin::And, ty, l, &mask), NBin::And, ty, [l, &mask])?;
        self.value(l)?.sub(&rest).ok()
    }

    /// `x` and `a b` for `x / a / b`, which is `x / (a b)`: both round towards 0, and a quotient by 0 is 0. [OPT-QUOTIENT]
    fn divided_before(&self, of: &Poly, by: &Poly) -> Option<(Poly, Poly)> {
        match self.atoms.get_index(of.as_atom()? as usize)?.0 {
            Atom::Quotient(whole, divisor) => Some((whole.clone(), divisor.mul(by).ok()?)),
            Atom::Term(_) | Atom::Rest(..) => None,
        }
    }

    /// The dividend and divisor of a quotient, which is rounded towards 0.
    pub fn quotient(&self, atom: AtomId) -> Option<(&Poly, &Poly)> {
        match self.atoms.get_index(atom as usize)?.0 {
            Atom::Quotient(of, by) => Some((of, by)),
            Atom::Term(_) | Atom::Rest(..) => None,
        }
    }

    /// The divisor of which this is a rest that is less than it.
    fn rest_below(&self, rest: &Poly) -> Option<Poly> {
        let atom = rest.as_atom().filter(|atom| !self.loose.contains(atom))?;
        match self.atoms.get_index(atom as usize)?.0 {
            Atom::Rest(_, by) => Some(by.clone()),
            Atom::Term(_) | Atom::Quotient(..) => None,
        }
    }

    /// An unknown of the dividend by what else there is in the division, which is 0.
    fn solved(&self, division: &Poly, of: &Poly) -> Option<(AtomId, Poly)> {
        let alone = |atom: AtomId| division.terms.iter().filter(|(m, _)| m.contains(&atom)).count() == 1;
        of.terms.iter().find_map(|(monomial, c)| match monomial.as_slice() {
            [atom] if c.abs() == 1 && alone(*atom) && !self.dividends.iter().any(|(a, _)| a == atom) => {
                let own = Poly::atom(*atom).scale(*c).ok()?;
                Some((*atom, division.sub(&own).ok()?.scale(-c).ok()?))
            }
            _ => None,
        })
    }

    /// The polynomial with `d q + r` for each x that was divided.
    fn expanded(&self, poly: &Poly) -> Option<Poly> {
        // What was divided later may be the quotient of what was divided before.
        self.dividends.iter().try_fold(poly.clone(), |poly, (atom, by)| poly.substituted(*atom, by).ok())
    }

    /// What gives the first polynomial when it is multiplied by the second, which is a product of unknowns that are not 0.
    /// [OPT-EXACT]
    fn exactly(&self, of: &Poly, by: &Poly) -> Option<Poly> {
        let [(divisor, scale)] = by.terms.as_slice() else { return None };
        if by.constant != 0 || of.constant != 0 || of.terms.is_empty() || !self.never_zero(divisor) {
            return None;
        }
        let mut quotient = Poly::default();
        for (monomial, coefficient) in &of.terms {
            let mut left = monomial.clone();
            for atom in divisor {
                left.remove(left.iter().position(|a| a == atom)?);
            }
            if coefficient % scale != 0 {
                return None;
            }
            let term = match left.is_empty() {
                true => Poly::constant(coefficient / scale),
                false => Poly { terms: vec![(left, coefficient / scale)], constant: 0 },
            };
            quotient = quotient.add(&term).ok()?;
        }
        Some(quotient)
    }

    /// Is the product not 0, or a larger one that it is a part of?
    fn never_zero(&self, product: &Monomial) -> bool {
        let within = |larger: &Monomial| {
            let mut left = larger.clone();
            product.iter().all(|atom| left.iter().position(|a| a == atom).map(|at| left.remove(at)).is_some())
        };
        let own = self.product_interval(product);
        let factors = product.iter().all(|atom| !self.atom_interval(*atom).contains(0));
        !own.contains(0) || factors || self.products.iter().any(|(larger, i)| !i.contains(0) && within(larger))
    }

    /// The power of two that a mask is one less than, if it is not a constant. [OPT-MASK]
    fn mask(&self, mask: &N) -> Option<N> {
        self.powers.masked_by(mask, &self.ranges).cloned()
    }

    /// Dividends and divisors of the rests of which no bound was known, with the rests and quotients.
    pub fn unbounded(&self) -> Vec<[Poly; 4]> {
        let all = self.loose.iter().filter_map(|rest| {
            let (Atom::Rest(of, by), _) = self.atoms.get_index(*rest as usize)? else { return None };
            let (whole, divisor) = self.divided_before(of, by).unwrap_or_else(|| (of.clone(), by.clone()));
            let quotient = self.atoms.get_index_of(&Atom::Quotient(whole, divisor))? as AtomId;
            Some([of.clone(), by.clone(), Poly::atom(*rest), Poly::atom(quotient)])
        });
        all.collect()
    }

    /// A polynomial over the unknowns as a term of mathematical integers.
    pub fn term(&self, poly: &Poly) -> Option<N> {
        let ty = IntTy::MATH;
        let mut sum = N::num(0);
        for (monomial, coefficient) in &poly.terms {
            let mut product = N::num(*coefficient);
            for atom in monomial {
                let factor = match self.atoms.get_index(*atom as usize)?.0 {
                    Atom::Term(term) => term.clone(),
                    Atom::Quotient(of, by) => N::bin(NBin::Div, ty, &self.term(of)?, &self.term(by)?),
                    Atom::Rest(of, by) => N::bin(NBin::Rem, ty, &self.term(of)?, &self.term(by)?),
                };
                product = N::mul(ty, &product, &factor);
            }
            sum = N::add(ty, &sum, &product);
        }
        Some(N::add(ty, &sum, &N::num(poly.constant)))
    }

    /// The terms that are unknowns, and are none by the intervals that are known now.
    pub fn reconsidered(&mut self) -> Vec<(Poly, Poly)> {
        self.memo.clear();
        let terms: Vec<N> =
            self.atoms.keys().filter_map(|a| if let Atom::Term(t) = a { Some(t.clone()) } else { None }).collect();
        let mut found = Vec::new();
        for term in terms.iter().filter(|term| term.as_var().is_none()) {
            let (unknown, Some(value)) = (self.unknown(term), self.number(term, 0)) else { continue };
            if value != unknown && !self.known.contains(&unknown) {
                self.known.push(unknown.clone());
                found.push((unknown, value));
            }
        }
        found
    }

    fn unknown(&mut self, term: &N) -> Poly {
        let interval = self.ranges.interval(term);
        self.atom(Atom::Term(term.clone()), interval)
    }

    fn atom(&mut self, atom: Atom, interval: Interval) -> Poly {
        let entry = self.atoms.entry(atom);
        let id = entry.index() as AtomId;
        entry.or_insert(interval);
        Poly::atom(id)
    }

    /// What is larger than a variable by a constant, as an unknown.
    pub fn larger(&mut self, atom: AtomId, by: i128) -> Option<Poly> {
        let (Atom::Term(term), interval) = self.atoms.get_index(atom as usize)? else { return None };
        let (term, interval) = (N::add(IntTy::MATH, term, &N::num(by)), interval.add(Interval::new(by, by)));
        Some(self.atom(Atom::Term(term), interval))
    }

    pub fn id(&mut self, term: &N) -> Option<AtomId> {
        self.unknown(term).as_atom()
    }

    /// Of how many factors the divisor is that a rest is less than; a quotient is less than no divisor, unless it is one of a
    /// rest.
    pub fn factors(&self, digit: AtomId) -> usize {
        match self.atoms.get_index(digit as usize) {
            Some((Atom::Rest(_, by), _)) => by.terms.iter().map(|(m, _)| m.len()).max().unwrap_or(0),
            Some((Atom::Quotient(of, _), _)) if self.rest_below(of).is_none() => usize::MAX,
            _ => 0,
        }
    }

    /// Keeps an equation that says what sum it is that is divided; `false` if it is no such equation, or was kept. [OPT-WHOLE]
    pub fn keep_whole(&mut self, equation: &Poly) -> bool {
        let divided = |atom: AtomId| {
            let part = matches!(self.atoms.get_index(atom as usize), Some((Atom::Quotient(..) | Atom::Rest(..), _)));
            part || self.is_dividend(atom)
        };
        // An equation of several such unknowns is one of indices.
        if equation.terms.iter().flat_map(|(m, _)| m).filter(|atom| divided(**atom)).count() > 1 {
            return false;
        }
        let whole = equation.terms.iter().find_map(|(monomial, c)| match monomial.as_slice() {
            [atom] if c.abs() == 1 && self.is_dividend(*atom) => {
                let parts = Poly::atom(*atom);
                Some((parts.sub(&equation.scale(*c).ok()?).ok()?, parts))
            }
            _ => None,
        });
        match whole.filter(|(sum, _)| sum.terms.len() > 1) {
            Some(whole) if !self.divisions.contains(equation) && !self.wholes.contains(&whole) => {
                self.wholes.push(whole);
                true
            }
            _ => false,
        }
    }

    /// Is something divided by it, or by a product of which it is a factor?
    pub fn is_stride(&self, atom: AtomId) -> bool {
        let within = |by: &Poly| by.terms.iter().any(|(monomial, _)| monomial.contains(&atom));
        self.atoms.keys().any(|a| matches!(a, Atom::Rest(_, by) if within(by)))
    }

    /// Is this an unknown that is divided itself?
    pub fn is_dividend(&self, atom: AtomId) -> bool {
        self.atoms.keys().any(|a| matches!(a, Atom::Rest(of, _) if of.as_atom() == Some(atom)))
    }

    /// Is the unknown a variable?
    pub fn is_var(&self, atom: AtomId) -> bool {
        matches!(self.atoms.get_index(atom as usize), Some((Atom::Term(term), _)) if term.as_var().is_some())
    }

    pub fn atom_interval(&self, atom: AtomId) -> Interval {
        self.atoms.get_index(atom as usize).map_or(Interval::ALL, |(_, interval)| *interval)
    }

    fn product_interval(&self, monomial: &Monomial) -> Interval {
        let own = self.factors_interval(monomial);
        if monomial.len() < 3 || own.lo.is_some_and(|lo| lo >= 0) || self.products.len() > MANY {
            return own;
        }
        // What is known of a part of it, and of the rest.
        let may_be_part =
            |part: &Monomial| part.len() < monomial.len() && part.first().is_some_and(|first| monomial.contains(first));
        let parts = self
            .products
            .iter()
            .filter(|(part, _)| may_be_part(part))
            .filter_map(|(part, known)| Some((left_of(monomial, part)?, *known)));
        parts.fold(own, |own, (rest, known)| own.meet(known.mul(self.factors_interval(&rest))))
    }

    /// By the factors of a product, and what is known of it as a whole.
    fn factors_interval(&self, monomial: &Monomial) -> Interval {
        if let [atom] = monomial.as_slice() {
            return self.atom_interval(*atom);
        }
        let own = Poly { terms: vec![(monomial.clone(), 1)], constant: 0 }.interval(&|a| self.atom_interval(a));
        self.products.get(monomial).map_or(own, |known| known.meet(own))
    }

    /// An interval of the values of a polynomial.
    pub fn interval(&self, poly: &Poly) -> Interval {
        let mut sum = Interval::new(0, 0);
        for (monomial, coefficient) in &poly.terms {
            sum = sum.add(scaled(self.product_interval(monomial), *coefficient));
        }
        if poly.terms.len() > 1
            && let Some(known) = self.sums.get(poly.terms.as_slice())
        {
            sum = sum.meet(*known);
        }
        sum.add(Interval::new(poly.constant, poly.constant))
    }

    /// Remembers that all values of the polynomial are in the interval, and what follows for its parts. False if there are
    /// none.
    pub fn note(&mut self, poly: &Poly, interval: Interval) -> bool {
        let interval = interval.add(Interval::new(-poly.constant, -poly.constant));
        if poly.terms.len() > 1
            && let Ok(opposite) = poly.scale(-1)
        {
            let known = self.sums.entry(poly.terms.clone()).or_insert(Interval::ALL);
            *known = known.meet(interval);
            if empty(*known) {
                return false;
            }
            let known = scaled(*known, -1);
            self.sums.insert(opposite.terms, known);
        }
        for (i, (monomial, coefficient)) in poly.terms.iter().enumerate() {
            let mut rest = interval;
            for (j, (other, c)) in poly.terms.iter().enumerate() {
                if i != j {
                    rest = rest.add(scaled(self.product_interval(other), -*c));
                }
            }
            if !self.narrow(monomial, divided(rest, *coefficient)) {
                return false;
            }
        }
        true
    }

    fn narrow(&mut self, monomial: &Monomial, interval: Interval) -> bool {
        let known = match monomial.as_slice() {
            [atom] => match self.atoms.get_index_mut(*atom as usize) {
                Some((_, known)) => known,
                None => return true,
            },
            _ => self.products.entry(monomial.clone()).or_insert(Interval::ALL),
        };
        *known = known.meet(interval);
        !empty(*known)
    }
}

/// 2^n, for a mask of all bits of the type but the lower n.
fn cleared(ty: IntTy, mask: &N) -> Option<i128> {
    let rest = match (mask.as_num()?, ty.bits) {
        (mask, _) if mask < 0 => -mask,
        (_, 0) => return None,
        (mask, bits) => (1i128 << bits) - mask,
    };
    (2..LARGE).contains(&rest).then_some(())?;
    (rest.count_ones() == 1 && (ty.bits == 0 || rest < 1 << (ty.bits - 1))).then_some(rest)
}

/// `l < r ? l : r`, and the other ways to write the smaller or larger of two values.
fn chosen_extreme(cond: &B, then: &N, els: &N) -> Option<NBin> {
    let (cond, [then, els]) = match cond.kind() {
        BExp::Not(inner) => (inner, [els, then]),
        _ => (cond, [then, els]),
    };
    let BExp::Rel(NRel::Lt | NRel::Le, l, r) = cond.kind() else { return None };
    match () {
        () if (l, r) == (then, els) => Some(NBin::Min),
        () if (l, r) == (els, then) => Some(NBin::Max),
        () => None,
    }
}

/// Has C no result for it when it overflows?
fn overflow_is_undefined(term: &N) -> bool {
    match term.kind() {
        NExp::Bin(NBin::Add | NBin::Sub | NBin::Mul, ty, _, _) => ty.signed && ty.bits >= 32,
        _ => false,
    }
}

/// What is left of a product without these factors, if it has all of them.
pub fn left_of(product: &Monomial, factors: &Monomial) -> Option<Monomial> {
    let mut left = product.clone();
    for factor in factors {
        left.remove(left.iter().position(|a| a == factor)?);
    }
    Some(left)
}

fn empty(interval: Interval) -> bool {
    interval.lo.zip(interval.hi).is_some_and(|(lo, hi)| lo > hi)
}

/// The integers x with `by * x` in the interval.
fn divided(interval: Interval, by: i128) -> Interval {
    let up = |bound: Option<i128>| bound.and_then(i128::checked_neg).map(|b| -b.div_euclid(by.abs()));
    let down = |bound: Option<i128>| bound.map(|b| b.div_euclid(by.abs()));
    match by.signum() {
        1 => Interval { lo: up(interval.lo), hi: down(interval.hi) },
        -1 => {
            let interval = interval.neg();
            Interval { lo: up(interval.lo), hi: down(interval.hi) }
        }
        _ => Interval::ALL,
    }
}
