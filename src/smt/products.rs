//! Products of unknowns, replaced by fresh integers with linear lemmas (`protocol-spec/07-encoding.md`).
//!
//! A polynomial is factored by its dimensions: `W*y + W*H*z + x` becomes `m1 + x` with `m1 = [W * (y + m2)]` and
//! `m2 = [H * z]`. Every lemma holds for all integers, so what has no solution with the lemmas has none.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ints::Ints;
use crate::exp::Interval;
use crate::exp::poly::{AtomId, Monomial, Poly, TooLarge, gcd};

/// Unknowns from here on are products.
const FIRST_PRODUCT: AtomId = 1 << 31;
/// At most this many pairs of products with a common factor get lemmas.
const MAX_PAIRS: usize = 1500;
/// Bounds beyond this are not multiplied with in lemmas: large coefficients cost more than they give.
const MAX_BOUND: i128 = 1 << 24;

/// Differences of cofactors that a refinement treats besides that of the candidate.
const NEIGHBOURS: [i128; 4] = [-2, -1, 1, 2];

/// The index of a product, if the unknown is one.
pub fn product_index(unknown: AtomId) -> Option<usize> {
    (unknown >= FIRST_PRODUCT).then(|| (unknown - FIRST_PRODUCT) as usize)
}

/// `factor * by`; `by` is linear in unknowns and earlier products, without a constant, and not divisible.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    pub factor: AtomId,
    pub by: Poly,
}

/// A linear condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// `p <= 0`
    Le(Poly),
    /// `p = 0`
    Eq(Poly),
    /// `p /= 0`
    Ne(Poly),
}

/// A disjunction of literals.
pub type Clause = Vec<Literal>;

type Result<T> = std::result::Result<T, TooLarge>;

/// A row of the echelon form of all the cofactors of one factor, with the same combination of the products.
#[derive(Clone, Debug)]
struct Row {
    pivot: AtomId,
    cofactor: Poly,
    products: Poly,
}

/// The table of products of a query.
#[derive(Clone, Default)]
pub struct Products {
    pub table: IndexMap<Product, Interval>,
    /// How many products of the query each unknown occurs in: dimensions occur often.
    rank: FxHashMap<AtomId, usize>,
    linear: FxHashMap<Poly, Poly>,
    /// For each factor, its cofactors and their products.
    groups: IndexMap<Poly, Vec<(Poly, AtomId)>>,
    rows: FxHashMap<AtomId, Vec<Row>>,
    /// The squares, by what they are squares of.
    squares: Vec<(AtomId, AtomId)>,
    /// How many products have their lemmas.
    treated: usize,
    pairs: usize,
}

impl Products {
    /// Ranks the unknowns by the products they occur in; a rank once given stays.
    pub fn rank(&mut self, monomials: &FxHashSet<Monomial>) {
        let mut counts: FxHashMap<AtomId, usize> = FxHashMap::default();
        for monomial in monomials {
            let mut last = None;
            for atom in monomial {
                if last != Some(atom) {
                    *counts.entry(*atom).or_insert(0) += 1;
                }
                last = Some(atom);
            }
        }
        for (atom, count) in counts {
            self.rank.entry(atom).or_insert(count);
        }
    }

    /// The polynomial with its products replaced by unknowns. [PROD-FACTORING]
    pub fn linear(&mut self, poly: &Poly, ints: &Ints) -> Result<Poly> {
        if poly.is_linear() {
            return Ok(poly.clone());
        }
        if let Some(done) = self.linear.get(poly) {
            return Ok(done.clone());
        }
        let (mut sum, mut rest) = (Poly::constant(poly.constant), Vec::new());
        for term in &poly.terms {
            if term.0.len() == 1 { sum.terms.push(term.clone()) } else { rest.push(term.clone()) }
        }
        while let Some(factor) = self.factor(&rest, ints) {
            let (with, without): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(m, _)| m.contains(&factor));
            rest = without;
            let mut cofactor = Poly::default();
            for (mut monomial, coefficient) in with {
                if let Some(at) = monomial.iter().position(|a| *a == factor) {
                    monomial.remove(at);
                }
                cofactor.terms.push((monomial, coefficient));
            }
            cofactor.terms.sort();
            let cofactor = self.linear(&cofactor, ints)?;
            let scale = cofactor.content() * if cofactor.terms.first().is_some_and(|t| t.1 < 0) { -1 } else { 1 };
            let by = Poly {
                terms: cofactor.terms.iter().map(|(m, c)| (m.clone(), c / scale)).collect(),
                constant: cofactor.constant / scale,
            };
            let product = self.product(Product { factor, by }, ints);
            sum = sum.add_scaled(&Poly::atom(product), scale)?;
        }
        self.linear.insert(poly.clone(), sum.clone());
        Ok(sum)
    }

    /// The unknown that most of the terms have as a factor; of several, the one of the highest rank. Before all those: one
    /// that the program multiplied with such a sum, which it is likely to compare with something.
    fn factor(&self, terms: &[(Monomial, i128)], ints: &Ints) -> Option<AtomId> {
        let here = |atom: &AtomId| terms.iter().filter(|(m, _)| m.contains(atom)).count();
        let mut candidates: Vec<AtomId> = terms.iter().flat_map(|(m, _)| m.iter()).copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let rank =
            |atom: &AtomId| (known_cofactor(*atom, terms, ints), here(atom), self.rank.get(atom).copied().unwrap_or(0));
        candidates.into_iter().max_by_key(|atom| (rank(atom), std::cmp::Reverse(*atom)))
    }

    fn product(&mut self, product: Product, ints: &Ints) -> AtomId {
        if let Some(index) = self.table.get_index_of(&product) {
            return FIRST_PRODUCT + index as AtomId;
        }
        let mut bounds = ints.bounds(product.factor).mul(self.interval(&product.by, ints));
        if product.by.as_atom() == Some(product.factor) {
            bounds = bounds.meet(Interval { lo: Some(0), hi: None });
        }
        let (index, _) = self.table.insert_full(product, bounds);
        FIRST_PRODUCT + index as AtomId
    }

    /// An interval of a linear polynomial over unknowns and products.
    fn interval(&self, linear: &Poly, ints: &Ints) -> Interval {
        let computed = linear.interval(&|unknown| match product_index(unknown) {
            Some(index) => self.table.get_index(index).map_or(Interval::ALL, |(_, bounds)| *bounds),
            None => ints.bounds(unknown),
        });
        computed.meet(ints.hard_of_known(linear))
    }

    /// The lemmas about the products that have none yet.
    pub fn lemmas(&mut self, ints: &Ints) -> Result<Vec<Clause>> {
        let mut clauses = Vec::new();
        while self.treated < self.table.len() {
            let index = self.treated;
            self.treated += 1;
            let Some((product, bounds)) = self.table.get_index(index).map(|(p, b)| (p.clone(), *b)) else { break };
            let unknown = FIRST_PRODUCT + index as AtomId;
            self.own_lemmas(&product, unknown, bounds, ints, &mut clauses)?;
            self.dependency(&product, unknown, &mut clauses)?;
            self.pair_lemmas(Poly::atom(product.factor), product.by.clone(), unknown, ints, &mut clauses)?;
            if product.by.as_atom() != Some(product.factor) {
                self.pair_lemmas(product.by.clone(), Poly::atom(product.factor), unknown, ints, &mut clauses)?;
            } else {
                self.square_lemmas(product.factor, unknown, &mut clauses)?;
            }
        }
        clauses.retain(|clause| !clause.is_empty());
        Ok(clauses)
    }

    /// [PROD-RANGE] [PROD-BOX] [PROD-ZERO] [PROD-FACTOR] [PROD-ONE]: what one product alone must respect.
    fn own_lemmas(
        &self,
        product: &Product,
        unknown: AtomId,
        bounds: Interval,
        ints: &Ints,
        out: &mut Vec<Clause>,
    ) -> Result<()> {
        let m = Poly::atom(unknown);
        let a = Poly::atom(product.factor);
        let e = &product.by;
        let (ia, ie) = (ints.bounds(product.factor), self.interval(e, ints));
        if let Some(lo) = bounds.lo {
            out.push(vec![at_most(&Poly::constant(lo), &m)?]);
        }
        if let Some(hi) = bounds.hi {
            out.push(vec![at_most(&m, &Poly::constant(hi))?]);
        }
        for (x, ix, y, iy) in [(&a, ia, e, ie), (e, ie, &a, ia)] {
            let zero = Poly::default();
            if ix.contains(0) {
                out.push(vec![Literal::Ne(x.clone()), Literal::Eq(m.clone())]);
            }
            if ix.contains(1) {
                out.push(vec![Literal::Ne(x.plus(-1)?), Literal::Eq(m.sub(y)?)]);
            }
            // x >= 1 and y >= 0 => m >= y, and its three mirror images.
            for (x_sign, y_sign) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                let sign = |i: Interval, s: i128| if s > 0 { i } else { i.neg() };
                if sign(ix, x_sign).hi.is_some_and(|hi| hi < 1) || sign(iy, y_sign).hi.is_some_and(|hi| hi < 0) {
                    continue;
                }
                let mut clause = Vec::new();
                if sign(ix, x_sign).lo.is_none_or(|lo| lo < 1) {
                    clause.push(at_most(&x.scale(x_sign)?, &zero)?);
                }
                if sign(iy, y_sign).lo.is_none_or(|lo| lo < 0) {
                    clause.push(below(&y.scale(y_sign)?, &zero)?);
                }
                clause.push(at_most(&y.scale(y_sign)?, &m.scale(x_sign * y_sign)?)?);
                out.push(clause);
            }
        }
        // (a - al)(e - el) >= 0 and its mirror images.
        let small = |bound: Option<i128>| bound.filter(|b| b.abs() <= MAX_BOUND);
        for (corner_a, corner_e, sign) in [(ia.lo, ie.lo, 1), (ia.hi, ie.hi, 1), (ia.lo, ie.hi, -1), (ia.hi, ie.lo, -1)]
        {
            if let (Some(ca), Some(ce)) = (small(corner_a), small(corner_e)) {
                out.push(vec![beyond_tangent(&m, &a, e, ca, ce, sign)?]);
            }
        }
        Ok(())
    }

    /// [PROD-LINEAR]: cofactors of one factor that depend linearly on each other have products that do too.
    fn dependency(&mut self, product: &Product, unknown: AtomId, out: &mut Vec<Clause>) -> Result<()> {
        let mut sides = vec![(product.factor, product.by.clone())];
        if let Some(atom) = product.by.as_atom().filter(|atom| *atom != product.factor) {
            sides.push((atom, Poly::atom(product.factor)));
        }
        for (factor, cofactor) in sides {
            let rows = self.rows.entry(factor).or_default();
            let (mut cofactor, mut products) = (cofactor, Poly::atom(unknown));
            for row in rows.iter() {
                let here = coefficient(&cofactor, row.pivot);
                if here == 0 {
                    continue;
                }
                let pivot = coefficient(&row.cofactor, row.pivot);
                cofactor = cofactor.scale(pivot)?.add_scaled(&row.cofactor, -here)?;
                products = products.scale(pivot)?.add_scaled(&row.products, -here)?;
                let common = gcd(gcd(cofactor.content(), cofactor.constant), products.content()).max(1);
                let divide = |p: &Poly| Poly {
                    terms: p.terms.iter().map(|(m, c)| (m.clone(), c / common)).collect(),
                    constant: p.constant / common,
                };
                (cofactor, products) = (divide(&cofactor), divide(&products));
            }
            match cofactor.terms.first() {
                Some((monomial, _)) => {
                    if let Some(pivot) = monomial.first().copied() {
                        rows.push(Row { pivot, cofactor, products });
                    }
                }
                None if products.terms.is_empty() => {}
                None => {
                    let whole = Poly::atom(factor).scale(cofactor.constant)?;
                    out.push(vec![Literal::Eq(products.sub(&whole)?)]);
                }
            }
        }
        Ok(())
    }

    /// [PROD-ORDER]: f >= 0 and e1 < e2 => f e1 + f <= f e2, the mirror image for f <= 0, and e1 = e2 => f e1 = f e2.
    fn pair_lemmas(
        &mut self,
        factor: Poly,
        cofactor: Poly,
        unknown: AtomId,
        ints: &Ints,
        out: &mut Vec<Clause>,
    ) -> Result<()> {
        let of_factor = self.interval(&factor, ints);
        let others = self.groups.get(&factor).cloned().unwrap_or_default();
        for (other, other_unknown) in &others {
            let difference = cofactor.sub(other)?;
            if self.pairs >= MAX_PAIRS || difference.as_constant().is_some() || *other_unknown == unknown {
                continue;
            }
            self.pairs += 1;
            let between = self.interval(&difference, ints);
            let (m, n) = (Poly::atom(unknown), Poly::atom(*other_unknown));
            if between.contains(0) {
                out.push(vec![Literal::Ne(difference.clone()), Literal::Eq(m.sub(&n)?)]);
            }
            for (e1, m1, e2, m2, sign) in [(&cofactor, &m, other, &n, 1), (other, &n, &cofactor, &m, -1)] {
                // e1 < e2 cannot be.
                let least = if sign > 0 { between.lo } else { between.hi.map(|hi| -hi) };
                if least.is_some_and(|lo| lo >= 0) {
                    continue;
                }
                let not_less = at_most(e2, e1)?;
                if of_factor.hi.is_none_or(|hi| hi > 0) {
                    let mut clause = vec![not_less.clone(), at_most(&m1.add(&factor)?, m2)?];
                    if of_factor.lo.is_none_or(|lo| lo < 0) {
                        clause.push(below(&factor, &Poly::default())?);
                    }
                    out.push(clause);
                }
                if of_factor.lo.is_none_or(|lo| lo < 0) {
                    let mut clause = vec![not_less, at_most(m2, &m1.add(&factor)?)?];
                    if of_factor.hi.is_none_or(|hi| hi > 0) {
                        clause.push(below(&Poly::default(), &factor)?);
                    }
                    out.push(clause);
                }
            }
        }
        self.groups.entry(factor).or_default().push((cofactor, unknown));
        Ok(())
    }

    /// [PROD-SQUARE]: b^2 - a^2 = (b - a)(b + a), so a < b and a + b >= 0 => a^2 + a + b <= b^2, the mirror image for
    /// a + b <= 0, and a + b = 0 or a = b => a^2 = b^2.
    fn square_lemmas(&mut self, root: AtomId, unknown: AtomId, out: &mut Vec<Clause>) -> Result<()> {
        let (zero, this, this_square) = (Poly::default(), Poly::atom(root), Poly::atom(unknown));
        for (other, other_unknown) in &self.squares {
            if self.pairs >= MAX_PAIRS {
                break;
            }
            self.pairs += 1;
            let (that, that_square) = (Poly::atom(*other), Poly::atom(*other_unknown));
            let sum = this.add(&that)?;
            let same = Literal::Eq(this_square.sub(&that_square)?);
            out.push(vec![Literal::Ne(this.sub(&that)?), same.clone()]);
            out.push(vec![Literal::Ne(sum.clone()), same]);
            for (a, a2, b, b2) in
                [(&this, &this_square, &that, &that_square), (&that, &that_square, &this, &this_square)]
            {
                let grown = a2.add(&sum)?;
                out.push(vec![at_most(b, a)?, below(&sum, &zero)?, at_most(&grown, b2)?]);
                out.push(vec![at_most(b, a)?, below(&zero, &sum)?, at_most(b2, &grown)?]);
            }
        }
        self.squares.push((root, unknown));
        Ok(())
    }

    /// Lemmas that rule out these values, where a product has not the value of its factors. [PROD-POINT] [PROD-TANGENT]
    /// [PROD-STEP]
    pub fn refine(&self, value: &impl Fn(AtomId) -> Option<i128>) -> Result<Vec<Clause>> {
        let mut out = Vec::new();
        let small = |v: i128| v.abs() <= 1 << 48;
        for (index, product) in self.table.keys().enumerate() {
            let unknown = FIRST_PRODUCT + index as AtomId;
            let (Some(va), Some(ve), Some(vm)) = (value(product.factor), product.by.value(value), value(unknown))
            else {
                continue;
            };
            if va.checked_mul(ve) == Some(vm) {
                continue;
            }
            let (a, e, m) = (Poly::atom(product.factor), &product.by, Poly::atom(unknown));
            if small(va) {
                out.push(vec![Literal::Ne(a.plus(-va)?), Literal::Eq(m.add_scaled(e, -va)?)]);
            }
            if small(ve) {
                out.push(vec![Literal::Ne(e.plus(-ve)?), Literal::Eq(m.add_scaled(&a, -ve)?)]);
            }
            if small(va) && small(ve) {
                for (sa, se) in [(1, 1), (-1, -1), (1, -1), (-1, 1)] {
                    // On that side of the point in both directions, the product is on that side of the tangent.
                    out.push(vec![
                        below(&a.plus(-va)?.scale(sa)?, &Poly::default())?,
                        below(&e.plus(-ve)?.scale(se)?, &Poly::default())?,
                        beyond_tangent(&m, &a, e, va, ve, sa * se)?,
                    ]);
                }
            }
            // The step between two products of this factor.
            for (other, other_unknown) in self.groups.get(&a).into_iter().flatten() {
                let (Some(vo), Some(vn)) = (other.value(value), value(*other_unknown)) else { continue };
                let Some(step) = ve.checked_sub(vo).filter(|s| small(*s)) else { continue };
                if *other_unknown == unknown || va.checked_mul(step) == vm.checked_sub(vn) {
                    continue;
                }
                // f >= 0 and e1 - e2 >= d => f e1 - f e2 >= d f, and so on for the other signs: for this d, and for those of
                // neighbours, which come next.
                let sign = if va < 0 { -1 } else { 1 };
                let wrong_sign = below(&a.scale(sign)?, &Poly::default())?;
                for d in NEIGHBOURS.into_iter().chain((!NEIGHBOURS.contains(&step)).then_some(step)) {
                    let beyond = e.sub(other)?.plus(-d)?;
                    let rise = m.sub(&Poly::atom(*other_unknown))?.add_scaled(&a, -d)?.scale(sign)?;
                    for side in [1, -1] {
                        out.push(vec![
                            wrong_sign.clone(),
                            below(&beyond.scale(side)?, &Poly::default())?,
                            at_most(&Poly::default(), &rise.scale(side)?)?,
                        ]);
                    }
                }
            }
        }
        Ok(out)
    }
}

/// How many of the terms make up the largest sum, or a multiple of it, that this unknown was multiplied with.
fn known_cofactor(factor: AtomId, terms: &[(Monomial, i128)], ints: &Ints) -> usize {
    let Some(sums) = ints.sums.get(&factor) else { return 0 };
    let cofactor: FxHashMap<Monomial, i128> = terms
        .iter()
        .filter_map(|(monomial, coefficient)| {
            let at = monomial.iter().position(|a| *a == factor)?;
            let mut monomial = monomial.clone();
            monomial.remove(at);
            Some((monomial, *coefficient))
        })
        .collect();
    let contained = |sum: &Poly| {
        let Some((first, scale)) = sum.terms.first() else { return false };
        let Some(here) = cofactor.get(first) else { return false };
        // coefficient / here = c / scale
        sum.terms.iter().all(|(m, c)| {
            cofactor.get(m).is_some_and(|k| {
                let (l, r) = (k.checked_mul(*scale), c.checked_mul(*here));
                l.is_some() && l == r
            })
        })
    };
    sums.iter().filter(|sum| contained(sum)).map(|sum| sum.terms.len()).max().unwrap_or(0)
}

fn coefficient(linear: &Poly, unknown: AtomId) -> i128 {
    linear.terms.iter().find(|(m, _)| m.as_slice() == [unknown]).map_or(0, |(_, c)| *c)
}

/// `l <= r`.
fn at_most(l: &Poly, r: &Poly) -> Result<Literal> {
    Ok(Literal::Le(l.sub(r)?))
}

/// `l < r`.
fn below(l: &Poly, r: &Poly) -> Result<Literal> {
    Ok(Literal::Le(l.sub(r)?.plus(1)?))
}

/// `sign * (a - va)(e - ve) >= 0`, with `m` for `a e`.
fn beyond_tangent(m: &Poly, a: &Poly, e: &Poly, va: i128, ve: i128, sign: i128) -> Result<Literal> {
    let corner = va.checked_mul(ve).ok_or(TooLarge)?;
    let expanded = m.add_scaled(a, -ve)?.add_scaled(e, -va)?.plus(corner)?;
    Ok(Literal::Le(expanded.scale(-sign)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::ints::{BitOps, Wrap};
    use proptest::prelude::*;

    fn holds(clause: &Clause, value: &impl Fn(AtomId) -> Option<i128>) -> bool {
        clause.iter().any(|literal| match literal {
            Literal::Le(p) => p.value(value).expect("small") <= 0,
            Literal::Eq(p) => p.value(value).expect("small") == 0,
            Literal::Ne(p) => p.value(value).expect("small") != 0,
        })
    }

    fn sorted(monomial: &[AtomId]) -> Monomial {
        let mut monomial = Monomial::from_slice(monomial);
        monomial.sort_unstable();
        monomial
    }

    proptest! {
        /// THM-PRODUCT: every lemma holds wherever the products have the values of their factors.
        #[test]
        fn lemmas_hold_for_all_integers(
            polys in prop::collection::vec(
                prop::collection::vec((prop::collection::vec(0u32..4, 1..4), -3i128..4), 1..5), 1..4),
            bounds in prop::collection::vec((-4i128..3, 0i128..6), 4),
            at in prop::collection::vec(0i128..6, 4),
            wrong in prop::collection::vec(-9i128..9, 12),
        ) {
            let mut ints = Ints::new(Wrap::Assume, BitOps::Refuse);
            let mut values = Vec::new();
            for (i, (lo, span)) in bounds.iter().enumerate() {
                let name = crate::base::Name::new(format!("x{i}"));
                ints.declare(&name, Interval::new(*lo, lo + span));
                values.push(lo + at[i].min(*span));
            }
            // Whatever the program multiplied with what, a polynomial keeps its value.
            for (i, terms) in polys.iter().enumerate() {
                let sum = Poly { terms: terms.iter().map(|(m, c)| (sorted(m), *c)).collect(), constant: 0 };
                ints.sums.entry(i as AtomId).or_default().insert(sum);
            }
            let mut products = Products::default();
            let mut linear = Vec::new();
            for terms in &polys {
                let mut poly = Poly::default();
                for (atoms, c) in terms {
                    let mut product = Poly::constant(*c);
                    for atom in atoms {
                        product = product.mul(&Poly::atom(*atom)).expect("small");
                    }
                    poly = poly.add(&product).expect("small");
                }
                let flat = products.linear(&poly, &ints).expect("small");
                prop_assert!(flat.is_linear());
                linear.push((poly, flat));
            }
            let table: Vec<Product> = products.table.keys().cloned().collect();
            let mut exact: Vec<i128> = Vec::new();
            for product in &table {
                let by = product.by.value(&|u| match product_index(u) {
                    Some(i) => exact.get(i).copied(),
                    None => values.get(u as usize).copied(),
                }).expect("earlier products have values");
                exact.push(values[product.factor as usize] * by);
            }
            let truth = |u: AtomId| match product_index(u) {
                Some(i) => exact.get(i).copied(),
                None => values.get(u as usize).copied(),
            };
            for (poly, flat) in &linear {
                prop_assert_eq!(poly.value(&truth), flat.value(&truth));
            }
            for clause in products.lemmas(&ints).expect("small") {
                prop_assert!(holds(&clause, &truth), "{clause:?} at {values:?}");
            }
            // Wrong values are refuted by lemmas that are right.
            let lie = |u: AtomId| match product_index(u) {
                Some(i) => exact.get(i).map(|v| v + wrong[i % wrong.len()]),
                None => values.get(u as usize).copied(),
            };
            let refined = products.refine(&lie).expect("small");
            for clause in &refined {
                prop_assert!(holds(clause, &truth), "{clause:?} at {values:?}");
            }
            let is_lie = (0..table.len()).any(|i| {
                let by = table[i].by.value(&lie).expect("small");
                lie(FIRST_PRODUCT + i as AtomId) != Some(values[table[i].factor as usize] * by)
            });
            prop_assert!(!is_lie || refined.iter().any(|clause| !holds(clause, &lie)));
        }
    }
}
