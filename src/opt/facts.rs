//! What a conjunction of conditions says, as polynomials: at most 0, equal to 0, not equal to 0, and choices.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use super::digits::shared_factors;
use super::powers::Powers;
use super::values::{Values, left_of};
use super::{Rule, Rules, gcd, guard};
use crate::exp::poly::{AtomId, Monomial, Poly};
use crate::exp::{B, BExp, Interval, N, NRel, Ranges, Var};

/// More facts than this are not looked at.
const FACTS: usize = 96;
/// A choice between more conditions is not taken apart.
const ALTERNATIVES: usize = 6;
/// So many multiples of a fact are put together with others.
const MULTIPLES: usize = 3;
/// Choices within choices.
const SPLITS: u32 = 2;

#[derive(Clone)]
pub struct Facts {
    rules: Rules,
    pub(super) values: Values,
    /// Each is at most 0.
    pub(super) at_most: Vec<Poly>,
    /// Each is 0, and was not looked at yet.
    equal: VecDeque<Poly>,
    /// None is 0.
    pub(super) differ: Vec<Poly>,
    choices: Vec<Vec<B>>,
    /// Unknowns that are expressed by others.
    solved: Vec<(AtomId, Poly)>,
    /// How many of them there were when bounds were last drawn from bounds for an equation.
    propagated: usize,
    /// Variables that conditions tell apart; they are not expressed by others.
    told_apart: BTreeSet<Var>,
    kept: BTreeSet<AtomId>,
    /// How many of `values.divisions` and of `values.defined` are among the facts.
    divisions: usize,
    defined: usize,
    /// The same of `values.wholes`.
    wholes: usize,
    /// The conditions contradict each other.
    pub(super) contradiction: bool,
    /// The strongest rule that was used.
    pub(super) rule: Rule,
}

impl Facts {
    /// Nothing is known but the ranges that follow from the conditions.
    pub fn new(rules: Rules, conditions: &[B], assume: bool) -> Facts {
        let mut ranges = Ranges::new();
        for _ in 0..3 {
            conditions.iter().for_each(|b| ranges.assume_cases(b));
        }
        let powers = Powers::new(conditions, &ranges);
        let mut told_apart = BTreeSet::new();
        conditions.iter().for_each(|b| differences(b, &mut told_apart));
        let mut facts = Facts {
            rules,
            values: Values::new(ranges, powers, assume),
            at_most: Vec::new(),
            equal: VecDeque::new(),
            differ: Vec::new(),
            choices: Vec::new(),
            solved: Vec::new(),
            propagated: 0,
            told_apart,
            kept: BTreeSet::new(),
            divisions: 0,
            wholes: 0,
            defined: 0,
            contradiction: false,
            rule: Rule::Guard,
        };
        // Bounds first, the plain ones before others: what is divided is known to be positive then.
        let mut parts = Vec::new();
        conditions.iter().for_each(|b| conjuncts(b, &mut parts));
        parts.sort_by_key(|b| match b.kind() {
            BExp::Rel(NRel::Le | NRel::Lt, ..) => (0, b.depth()),
            BExp::Or(_) => (1, 0),
            _ => (2, 0),
        });
        let others = parts.iter().position(|b| matches!(b.kind(), BExp::Rel(NRel::Eq | NRel::Ne, ..) | BExp::Not(_)));
        let (bounds, others) = parts.split_at(others.unwrap_or(parts.len()));
        bounds.iter().for_each(|b| facts.assume(b));
        // The ranges of loops, which are choices by the sign of the step.
        facts.choose();
        others.iter().for_each(|b| facts.assume(b));
        facts
    }

    /// One more condition that holds.
    pub(super) fn assume(&mut self, condition: &B) {
        match condition.kind() {
            BExp::Lit(true) => {}
            BExp::Lit(false) => self.contradiction = true,
            BExp::And(parts) => parts.iter().for_each(|p| self.assume(p)),
            BExp::Or(parts) => self.choices.push(parts.clone()),
            BExp::Not(inner) => match inner.kind() {
                BExp::And(parts) => self.choices.push(parts.iter().map(B::not).collect()),
                BExp::Or(parts) => parts.iter().for_each(|p| self.assume(&B::not(p))),
                _ => {}
            },
            BExp::Rel(op, l, r) => {
                let Some(poly) = self.relation(*op, l, r) else { return };
                match op {
                    NRel::Le | NRel::Lt => self.bound(poly),
                    NRel::Eq => self.equal.push_back(poly),
                    NRel::Ne => self.differ.push(poly),
                }
            }
        }
        self.take_divisions();
    }

    /// What divisions say, before the equations in which they occur.
    fn take_divisions(&mut self) {
        while let Some(division) = self.values.divisions.get(self.divisions).cloned() {
            self.divisions += 1;
            self.equal.push_front(division);
        }
        while let Some(defined) = self.values.defined.get(self.defined).cloned() {
            self.defined += 1;
            self.bound(defined);
        }
    }

    /// The polynomial that is at most 0, is 0, or is not 0, when the relation holds.
    fn relation(&mut self, op: NRel, l: &N, r: &N) -> Option<Poly> {
        let poly = match op {
            NRel::Eq | NRel::Ne => self.values.equation(l, r)?,
            NRel::Le => self.values.value(l)?.sub(&self.values.value(r)?).ok()?,
            NRel::Lt => self.values.value(l)?.sub(&self.values.value(r)?).ok()?.plus(1).ok()?,
        };
        self.reduced(&poly)
    }

    fn bound(&mut self, poly: Poly) {
        let Some(poly) = self.reduced(&poly) else { return };
        let poly = gcd::rounded(poly);
        if !self.values.note(&poly, Interval { lo: None, hi: Some(0) }) {
            self.refuted_by(Rule::Interval);
        }
        // Nothing is learnt from bounds in both directions that leave one value, unless it becomes an equation.
        let only = self.values.interval(&poly);
        if !poly.terms.is_empty()
            && let Some(value) = only.single()
            && let Ok(equation) = poly.plus(-value)
        {
            self.equal.push_back(equation);
        }
        if self.at_most.len() < FACTS && !self.at_most.contains(&poly) {
            self.at_most.push(poly);
        }
    }

    pub(super) fn refuted_by(&mut self, rule: Rule) {
        self.contradiction = true;
        self.used(rule);
    }

    pub(super) fn used(&mut self, rule: Rule) {
        self.rule = self.rule.max(rule);
    }

    /// The polynomial over unknowns that are not expressed by others.
    pub(super) fn reduced(&self, poly: &Poly) -> Option<Poly> {
        let mut poly = poly.clone();
        for (atom, by) in &self.solved {
            poly = poly.substituted(*atom, by).ok()?;
        }
        Some(poly)
    }

    /// Does the polynomial have no positive value? [OPT-BOUND]
    pub fn never_positive(&self, poly: &Poly, fuel: u32) -> bool {
        if self.values.interval(poly).hi.is_some_and(|hi| hi <= 0) {
            return true;
        }
        // The one is a multiple of the other, in which a term of both is the same, and something that is not positive either.
        let multiples = |fact: &Poly| {
            let of = |(m, c): &(Monomial, i128)| {
                let (_, d) = fact.terms.iter().find(|(n, d)| m == n && c.signum() == d.signum())?;
                Some(if c % d == 0 { c / d } else { 1 })
            };
            let mut found: Vec<i128> = poly.terms.iter().filter_map(of).collect();
            if !found.is_empty() {
                found.push(1);
            }
            found.sort_unstable();
            found.dedup();
            found.truncate(MULTIPLES);
            found
        };
        fuel > 0
            && self.at_most.iter().any(|fact| {
                let rest = |by: i128| poly.add_scaled(fact, -by).is_ok_and(|rest| self.never_positive(&rest, fuel - 1));
                multiples(fact).into_iter().any(rest)
            })
    }

    /// Is the condition false, given the facts?
    fn impossible(&mut self, condition: &B) -> bool {
        match condition.kind() {
            BExp::Lit(value) => !value,
            BExp::And(parts) => parts.iter().any(|p| self.impossible(p)),
            BExp::Or(parts) => parts.iter().all(|p| self.excluded(p)),
            BExp::Not(inner) => match inner.kind() {
                BExp::And(parts) => parts.iter().all(|p| self.excluded(&B::not(p))),
                BExp::Or(parts) => parts.iter().any(|p| self.impossible(&B::not(p))),
                _ => false,
            },
            BExp::Rel(op, l, r) => {
                let Some(poly) = self.relation(*op, l, r) else { return false };
                match op {
                    NRel::Le | NRel::Lt => (self.rules.contradicts)(self, &poly),
                    NRel::Eq => {
                        let apart = (self.rules.divisible)(&poly) || (self.rules.apart)(self, &poly);
                        apart && !poly.terms.is_empty() || poly.as_constant().is_some_and(|c| c != 0)
                    }
                    NRel::Ne => poly.as_constant() == Some(0) || self.values.interval(&poly).single() == Some(0),
                }
            }
        }
    }

    /// Is an alternative false, given the facts? What is assumed of the terms in it says nothing of the other alternatives.
    fn excluded(&mut self, alternative: &B) -> bool {
        if !self.values.assume {
            return self.impossible(alternative);
        }
        let before = self.values.clone();
        let impossible = self.impossible(alternative);
        let after = std::mem::replace(&mut self.values, before);
        if impossible {
            self.values.rests_on(&after);
        }
        impossible
    }

    /// Do the conditions contradict each other? [OPT-REFUTE]
    pub(super) fn refuted(&mut self, splits: u32) -> bool {
        self.saturate();
        if self.contradiction || splits >= SPLITS {
            return self.contradiction;
        }
        let Some(at) = (0..self.choices.len()).min_by_key(|i| self.choices.get(*i).map_or(0, Vec::len)) else {
            return false;
        };
        let alternatives = self.choices.remove(at);
        if alternatives.len() > ALTERNATIVES {
            return false;
        }
        let mut rule = self.rule;
        let mut values = self.values.clone();
        for alternative in &alternatives {
            let mut with = self.clone();
            with.assume(alternative);
            if !with.refuted(splits + 1) {
                return false;
            }
            rule = rule.max(with.rule);
            values.rests_on(&with.values);
        }
        self.values = values;
        self.refuted_by(rule);
        true
    }

    /// Draws conclusions until there are no more.
    fn saturate(&mut self) {
        // Before equations hide digits.
        self.propagate();
        for _ in 0..8 {
            let before = (self.solved.len(), self.choices.len());
            while let Some(equation) = self.equal.pop_front() {
                if self.contradiction {
                    return;
                }
                self.equation(&equation);
            }
            self.propagate();
            self.bound_rests();
            guard::check(self, self.rules);
            if self.contradiction {
                return;
            }
            self.choose();
            if self.contradiction {
                return;
            }
            if before == (self.solved.len(), self.choices.len()) && self.equal.is_empty() && !self.more() {
                return;
            }
        }
    }

    /// What is used when nothing else follows.
    fn more(&mut self) -> bool {
        self.order_dividends() || self.use_wholes() || self.reconsider()
    }

    /// What is divided, where bounds say that the one quotient is less than the other: before it is known by quotients and rests, of
    /// which that follows anyway. [OPT-ORDER]
    fn order_dividends(&mut self) -> bool {
        const MANY: usize = 32;
        let divided = |fact: &&Poly| {
            let quotient =
                |(m, _): &(Monomial, i128)| matches!(m.as_slice(), [q] if self.values.quotient(*q).is_some());
            fact.terms.iter().any(quotient)
        };
        let facts: Vec<&Poly> = self.at_most.iter().filter(divided).take(MANY).collect();
        let sums = facts.iter().enumerate().flat_map(|(i, one)| {
            let with_others = facts.iter().skip(i + 1).filter_map(|two| one.add(two).ok());
            std::iter::once(Poly::clone(one)).chain(with_others)
        });
        let bounds: Vec<Poly> = sums.filter_map(|fact| (self.rules.ordered)(self, &fact)).collect();
        let known = |bound: &Poly| self.values.interval(bound).hi.is_some_and(|hi| hi <= 0);
        let new: Vec<Poly> = bounds.into_iter().filter(|bound| !known(bound)).collect();
        let before = self.at_most.len();
        new.into_iter().for_each(|bound| self.bound(bound));
        self.at_most.len() > before || self.contradiction
    }

    /// Sums that were divided are known by quotients and rests until nothing more follows: then by what they are sums of. Two
    /// that turned out to be the same are equal first, and what is known of differences. [OPT-WHOLE]
    fn use_wholes(&mut self) -> bool {
        let all = self.values.wholes.clone();
        let apart = |(one, parts): &(Poly, Poly), (two, others): &(Poly, Poly)| {
            let (whole, by) = (one.sub(two).ok()?, self.reduced(&parts.sub(others).ok()?)?);
            let difference = whole.sub(&by).ok()?;
            // Of such sums with one rest, if that falls apart.
            let told = || (self.rules.split)(self, &self.reduced(&difference)?);
            (by.as_constant().is_some() || told().is_some()).then_some(difference)
        };
        let pairs =
            all.iter().enumerate().skip(self.wholes).flat_map(|(i, two)| all.iter().take(i).map(move |one| (one, two)));
        let same: Vec<Poly> = pairs.filter_map(|(one, two)| apart(one, two)).collect();
        let sums = all.iter().skip(self.wholes).filter_map(|(whole, parts)| whole.sub(parts).ok());
        self.equal.extend(same.into_iter().chain(sums));
        let more = all.len() > self.wholes;
        self.wholes = all.len();
        more
    }

    /// Terms that may have left their types, and by the bounds that are known now do not. [OPT-VALUE]
    fn reconsider(&mut self) -> bool {
        let before = self.equal.len();
        for (atom, by) in &self.solved {
            let known = self.values.interval(by);
            self.contradiction |= !self.values.note(&Poly::atom(*atom), known);
        }
        for (term, value) in self.values.reconsidered() {
            self.equal.extend(term.sub(&value).ok());
        }
        self.take_divisions();
        self.equal.len() > before
    }

    /// The rests of which it has turned out that they are not negative, and less than the divisor. [OPT-QUOTIENT]
    fn bound_rests(&mut self) {
        for [of, by, rest, quotient] in self.values.unbounded() {
            let (Some(above), Some(below)) = (self.reduced(&of), self.reduced(&by)) else { continue };
            let least = |poly: &Poly| self.values.interval(poly).lo;
            if least(&above).is_none_or(|lo| lo < 0) || least(&below).is_none_or(|lo| lo < 1) {
                continue;
            }
            rest.as_atom().map(|rest| self.values.loose.remove(&rest));
            let within = rest.sub(&by).and_then(|p| p.plus(1));
            for bound in [within, rest.scale(-1), quotient.scale(-1)].into_iter().flatten() {
                self.bound(bound);
            }
        }
    }

    /// Bounds follow from bounds.
    fn propagate(&mut self) {
        for _ in 0..2 {
            for i in 0..self.at_most.len() {
                let Some(fact) = self.at_most.get(i).cloned() else { continue };
                if !self.values.note(&fact, Interval { lo: None, hi: Some(0) }) {
                    return self.refuted_by(Rule::Interval);
                }
                if fact.terms.iter().any(|(m, _)| m.len() > 1) {
                    for form in self.with_parts(&fact) {
                        self.rounded_products(&form).into_iter().for_each(|bound| self.bound(bound));
                    }
                }
            }
        }
    }

    /// The fact, and also with quotients and rests for each sum in it that was divided.
    fn with_parts(&self, fact: &Poly) -> Vec<Poly> {
        let mut forms = vec![fact.clone()];
        for (whole, parts) in &self.values.wholes {
            for sign in [1, -1] {
                let rest = whole.scale(-sign).and_then(|w| fact.add(&w));
                let rest = rest.ok().filter(|rest| rest.terms.len() + whole.terms.len() == fact.terms.len());
                forms.extend(rest.and_then(|rest| rest.add(&parts.scale(sign).ok()?).ok()));
            }
        }
        forms
    }

    /// What follows from `S a + b <= 0` for a product S >= 1 of unknowns: `a < 0` if `b >= 1`, and `a <= 0` if `b >= 0`.
    /// [OPT-ROUND]
    fn rounded_products(&self, fact: &Poly) -> Vec<Poly> {
        const TERMS: usize = 8;
        let mut scales = match fact.terms.len() <= TERMS {
            true => shared_factors(&fact.terms),
            false => Vec::new(),
        };
        let positive = |monomial: &Monomial| {
            let product = Poly { terms: vec![(monomial.clone(), 1)], constant: 0 };
            self.values.interval(&product).lo.is_some_and(|lo| lo >= 1)
        };
        scales.retain(positive);
        let bound = |scale: &Monomial| {
            let (mut by, mut rest) = (Poly::default(), Poly::constant(fact.constant));
            for (monomial, c) in &fact.terms {
                match left_of(monomial, scale) {
                    Some(left) if left.is_empty() => by.constant += c,
                    Some(left) => by.terms.push((left, *c)),
                    None => rest.terms.push((monomial.clone(), *c)),
                }
            }
            by.terms.sort();
            let below = rest.scale(-1).ok()?;
            if by.terms.is_empty() {
                None
            } else if self.never_positive(&below.plus(1).ok()?, 1) {
                by.plus(1).ok()
            } else if self.never_positive(&below, 1) {
                Some(by)
            } else {
                None
            }
        };
        scales.iter().filter_map(bound).collect()
    }

    /// Leaves out alternatives that are impossible; of a choice with one alternative left, that one holds. [OPT-CHOICE]
    fn choose(&mut self) {
        for parts in std::mem::take(&mut self.choices) {
            let mut left: Vec<B> = Vec::new();
            for part in parts {
                if left.len() <= ALTERNATIVES && self.excluded(&part) {
                    continue;
                }
                left.push(part);
            }
            match left.as_slice() {
                [] => self.contradiction = true,
                [only] => self.assume(only),
                _ => self.choices.push(left),
            }
        }
    }

    /// Uses an equation: it has no solution, or falls apart, or expresses an unknown by others.
    fn equation(&mut self, equation: &Poly) {
        if self.values.keep_whole(equation) {
            return;
        }
        let Some(poly) = self.reduced(equation) else { return };
        if let Some(constant) = poly.as_constant() {
            self.contradiction |= constant != 0;
            return;
        }
        if (self.rules.divisible)(&poly) {
            return self.refuted_by(Rule::Gcd);
        }
        if (self.rules.apart)(self, &poly) {
            return self.refuted_by(Rule::Interval);
        }
        let mut digits = (self.rules.split)(self, &poly);
        // What divisions say of bounds may be what tells digits apart.
        let divides = |m: &Monomial| matches!(m.as_slice(), [atom] if self.values.is_dividend(*atom));
        if digits.is_none()
            && self.propagated < self.solved.len()
            && poly.terms.iter().any(|(m, _)| m.len() > 1)
            && !poly.terms.iter().any(|(m, _)| divides(m))
        {
            self.propagated = self.solved.len();
            self.propagate();
            if self.contradiction {
                return;
            }
            digits = (self.rules.split)(self, &poly);
        }
        if let Some((rule, parts)) = digits {
            self.used(rule);
            parts.into_iter().rev().for_each(|p| self.equal.push_front(p));
            return;
        }
        if self.padded(&poly) {
            self.equal.push_front(poly);
            return;
        }
        self.eliminate(&poly);
    }

    /// Expresses a size by what is larger by a constant, where fewer products are left then: `w y + 4 y` is `(w + 4) y`. [OPT-PADDED]
    fn padded(&mut self, poly: &Poly) -> bool {
        let told_apart: BTreeSet<AtomId> =
            self.told_apart.clone().iter().filter_map(|v| self.values.id(&N::var(v))).collect();
        let mut candidates: Vec<(AtomId, i128)> = Vec::new();
        for (product, a) in poly.terms.iter().filter(|(m, _)| m.len() > 1) {
            for atom in product.iter().filter(|atom| self.values.is_var(**atom)) {
                let left = left_of(product, &Monomial::from_elem(*atom, 1)).filter(|left| !left.contains(atom));
                let other = left.and_then(|left| poly.terms.iter().find(|(m, _)| *m == left));
                let is_coordinate = self.kept.contains(atom) || told_apart.contains(atom);
                if let Some((_, b)) = other.filter(|(_, b)| b % a == 0 && !is_coordinate)
                    && !candidates.contains(&(*atom, b / a))
                {
                    candidates.push((*atom, b / a));
                }
            }
        }
        let fewer = candidates.into_iter().filter_map(|(atom, by)| {
            let size = self.values.larger(atom, by)?.plus(-by).ok()?;
            let terms = poly.substituted(atom, &size).ok()?.terms.len();
            (terms < poly.terms.len()).then_some((terms, atom, size))
        });
        let best = fewer.min_by_key(|(terms, atom, _)| (*terms, *atom));
        best.is_some_and(|(_, atom, size)| self.express(atom, &size))
    }

    fn eliminate(&mut self, poly: &Poly) {
        for var in std::mem::take(&mut self.told_apart) {
            self.kept.extend(self.values.id(&N::var(&var)));
        }
        let alone = |atom: AtomId| poly.terms.iter().filter(|(m, _)| m.contains(&atom)).count() == 1;
        let sums = poly.terms.len() > 2 || poly.constant != 0;
        // Products of a sum fall apart.
        let of_products = |poly: &Poly| {
            let products = poly.terms.iter().filter(|(m, _)| m.len() > 1);
            products.flat_map(|(m, _)| m.clone()).collect::<Vec<_>>()
        };
        let multiplied: BTreeSet<AtomId> = match sums {
            true => self.equal.iter().chain(&self.at_most).chain(&self.differ).flat_map(of_products).collect(),
            false => BTreeSet::new(),
        };
        // What is no digit first. Then what is divided, of which quotient and rest tell more. Then the one with the widest
        // interval, and the rest of the largest product: narrow ones are the digits of indices.
        let mut candidates = Vec::new();
        for (monomial, c) in &poly.terms {
            if let [atom] = monomial.as_slice()
                && c.abs() == 1
                && alone(*atom)
            {
                let Interval { lo, hi } = self.values.atom_interval(*atom);
                let width = hi.zip(lo).and_then(|(hi, lo)| hi.checked_sub(lo)).unwrap_or(i128::MAX);
                let (turn, width, factors) = match () {
                    () if self.values.loose.contains(atom) => (0, width, 0),
                    // The first one is not the rest of an earlier division.
                    () if self.values.is_dividend(*atom) => (1, 0, 0),
                    () if sums && self.values.is_stride(*atom) => (4, width, 0),
                    () if self.values.is_var(*atom) && !self.kept.contains(atom) => (2, width, 0),
                    () => (3, width, self.values.factors(*atom)),
                };
                let is_multiplied = multiplied.contains(atom);
                candidates.push(((turn, is_multiplied, Reverse::<i128>(width), Reverse::<usize>(factors), *atom), *c));
            }
        }
        let Some(((.., atom), c)) = candidates.into_iter().min() else {
            // It is as good as two bounds.
            self.at_most.push(poly.clone());
            self.at_most.extend(poly.scale(-1).ok());
            return;
        };
        // c atom + rest = 0, and c is 1 or -1.
        let rest = Poly::atom(atom).scale(c).ok().and_then(|own| poly.sub(&own).ok());
        let Some(by) = rest.and_then(|rest| rest.scale(-c).ok()) else { return };
        self.express(atom, &by);
    }

    /// From now on the unknown is what it is equal to.
    fn express(&mut self, atom: AtomId, by: &Poly) -> bool {
        let known = self.values.atom_interval(atom);
        let replace = |poly: &Poly| poly.substituted(atom, by).ok();
        let (Some(at_most), Some(differ), Some(solved)) = (
            self.at_most.iter().map(replace).collect::<Option<Vec<_>>>(),
            self.differ.iter().map(replace).collect::<Option<Vec<_>>>(),
            self.solved.iter().map(|(a, p)| Some((*a, replace(p)?))).collect::<Option<Vec<_>>>(),
        ) else {
            return false;
        };
        (self.at_most, self.differ, self.solved) = (at_most, differ, solved);
        self.solved.push((atom, by.clone()));
        self.contradiction |= !self.values.note(by, known);
        let bounds =
            [known.hi.and_then(|hi| by.plus(-hi).ok()), known.lo.and_then(|lo| by.scale(-1).ok()?.plus(lo).ok())];
        self.at_most.extend(bounds.into_iter().flatten().filter(|b| !b.terms.is_empty()));
        true
    }
}

fn conjuncts<'b>(condition: &'b B, parts: &mut Vec<&'b B>) {
    match condition.kind() {
        BExp::And(all) => all.iter().for_each(|b| conjuncts(b, parts)),
        _ => parts.push(condition),
    }
}

/// The variables of the sides of a `!=`.
fn differences(condition: &B, vars: &mut BTreeSet<Var>) {
    match condition.kind() {
        BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|p| differences(p, vars)),
        BExp::Rel(NRel::Ne, l, r) => vars.extend([l, r].into_iter().filter_map(|n| n.as_var().cloned())),
        BExp::Rel(..) | BExp::Lit(_) | BExp::Not(_) => {}
    }
}
