//! Polynomials with integer coefficients over numbered unknowns: the normal form of index arithmetic.

use smallvec::{SmallVec, smallvec};

use super::interval::Interval;

/// An unknown of a polynomial: an index into a table of atoms.
pub type AtomId = u32;

/// A product of unknowns, sorted; never empty.
pub type Monomial = SmallVec<[AtomId; 4]>;

/// A sum of products. Terms are sorted and have coefficients other than 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Poly {
    pub terms: Vec<(Monomial, i128)>,
    pub constant: i128,
}

/// A coefficient outside of what we compute with, or too many terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Larger coefficients are refused, so that sums of a few of them cannot overflow.
const MAX_COEFFICIENT: i128 = 1 << 120;
/// Products with more terms than this are not multiplied out.
const MAX_TERMS: usize = 64;
/// And a product with more factors: one that is multiplied with itself again and again takes all memory.
const MAX_DEGREE: usize = 32;

fn checked(value: Option<i128>) -> Result<i128, TooLarge> {
    value.filter(|v| (-MAX_COEFFICIENT..=MAX_COEFFICIENT).contains(v)).ok_or(TooLarge)
}

impl Poly {
    pub fn constant(value: i128) -> Poly {
        Poly { terms: Vec::new(), constant: value }
    }

    pub fn atom(atom: AtomId) -> Poly {
        Poly { terms: vec![(smallvec![atom], 1)], constant: 0 }
    }

    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub fn as_atom(&self) -> Option<AtomId> {
        match self.terms.as_slice() {
            [(monomial, 1)] if self.constant == 0 => match monomial.as_slice() {
                [atom] => Some(*atom),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|(m, _)| m.len() == 1)
    }

    /// `self + scale * other`.
    pub fn add_scaled(&self, other: &Poly, scale: i128) -> Result<Poly, TooLarge> {
        if scale == 0 {
            return Ok(self.clone());
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((l, _)), Some((r, _))) => l.cmp(r),
            };
            let mut coefficient = 0i128;
            let mut monomial = None;
            if order.is_le()
                && let Some((m, c)) = left.next()
            {
                coefficient = *c;
                monomial = Some(m);
            }
            if order.is_ge()
                && let Some((m, c)) = right.next()
            {
                let scaled = checked(c.checked_mul(scale))?;
                coefficient = checked(coefficient.checked_add(scaled))?;
                monomial = Some(m);
            }
            if let Some(monomial) = monomial
                && coefficient != 0
            {
                terms.push((monomial.clone(), coefficient));
            }
        }
        let constant = checked(other.constant.checked_mul(scale).and_then(|c| self.constant.checked_add(c)))?;
        Ok(Poly { terms, constant })
    }

    pub fn add(&self, other: &Poly) -> Result<Poly, TooLarge> {
        self.add_scaled(other, 1)
    }

    pub fn sub(&self, other: &Poly) -> Result<Poly, TooLarge> {
        self.add_scaled(other, -1)
    }

    pub fn scale(&self, by: i128) -> Result<Poly, TooLarge> {
        Poly::default().add_scaled(self, by)
    }

    pub fn plus(&self, constant: i128) -> Result<Poly, TooLarge> {
        let mut sum = self.clone();
        sum.constant = checked(sum.constant.checked_add(constant))?;
        Ok(sum)
    }

    pub fn mul(&self, other: &Poly) -> Result<Poly, TooLarge> {
        if self.terms.len().max(1) * other.terms.len().max(1) > MAX_TERMS {
            return Err(TooLarge);
        }
        if self.degree() + other.degree() > MAX_DEGREE {
            return Err(TooLarge);
        }
        let mut product = other.scale(self.constant)?;
        for (m, c) in &self.terms {
            let mut row = Poly { terms: Vec::new(), constant: 0 };
            if other.constant != 0 {
                row.terms.push((m.clone(), checked(c.checked_mul(other.constant))?));
            }
            for (n, d) in &other.terms {
                let mut both: Monomial = m.iter().chain(n).copied().collect();
                both.sort_unstable();
                row.terms.push((both, checked(c.checked_mul(*d))?));
            }
            row.terms.sort();
            product = product.add(&row)?;
        }
        Ok(product)
    }

    fn degree(&self) -> usize {
        self.terms.iter().map(|(m, _)| m.len()).max().unwrap_or(0)
    }

    /// The polynomial with another one for an unknown.
    pub fn substituted(&self, atom: AtomId, by: &Poly) -> Result<Poly, TooLarge> {
        if !self.terms.iter().any(|(m, _)| m.contains(&atom)) {
            return Ok(self.clone());
        }
        let mut sum = Poly::constant(self.constant);
        for (monomial, c) in &self.terms {
            let mut product = Poly::constant(*c);
            let mut others = Monomial::new();
            for a in monomial {
                if *a == atom {
                    product = product.mul(by)?;
                } else {
                    others.push(*a);
                }
            }
            if !others.is_empty() {
                product = product.mul(&Poly { terms: vec![(others, 1)], constant: 0 })?;
            }
            sum = sum.add(&product)?;
        }
        Ok(sum)
    }

    /// The greatest common divisor of the coefficients, without the constant; 0 for a constant.
    pub fn content(&self) -> i128 {
        self.terms.iter().fold(0, |g, (_, c)| gcd(g, *c))
    }

    /// Every coefficient, and the constant, divided by a divisor of all coefficients; the constant is rounded down.
    pub fn divide_floor(&self, by: i128) -> Poly {
        Poly {
            terms: self.terms.iter().map(|(m, c)| (m.clone(), c / by)).collect(),
            constant: self.constant.div_euclid(by),
        }
    }

    /// An interval of its values, from those of the unknowns.
    pub fn interval(&self, of: &impl Fn(AtomId) -> Interval) -> Interval {
        let mut sum = Interval::new(self.constant, self.constant);
        for (monomial, coefficient) in &self.terms {
            sum = sum.add(scaled(monomial_interval(monomial, of), *coefficient));
        }
        sum
    }

    /// The value, from those of the unknowns; `None` on overflow.
    pub fn value(&self, of: &impl Fn(AtomId) -> Option<i128>) -> Option<i128> {
        let mut sum = self.constant;
        for (monomial, coefficient) in &self.terms {
            let mut product = *coefficient;
            for atom in monomial {
                product = product.checked_mul(of(*atom)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

/// An interval of a product of unknowns; equal factors make squares, which are not negative.
fn monomial_interval(monomial: &[AtomId], of: &impl Fn(AtomId) -> Interval) -> Interval {
    let mut product = Interval::new(1, 1);
    let mut rest = monomial;
    while let Some((first, tail)) = rest.split_first() {
        let interval = of(*first);
        match tail.split_first() {
            Some((second, tail)) if second == first => {
                let square = interval.mul(interval).meet(Interval { lo: Some(0), hi: None });
                product = product.mul(square);
                rest = tail;
            }
            _ => {
                product = product.mul(interval);
                rest = tail;
            }
        }
    }
    product
}

/// The interval times a number; a side that has no bound keeps none.
pub fn scaled(interval: Interval, by: i128) -> Interval {
    let side = |bound: Option<i128>| bound.and_then(|b| b.checked_mul(by));
    match by.signum() {
        0 => Interval::new(0, 0),
        1 => Interval { lo: side(interval.lo), hi: side(interval.hi) },
        _ => Interval { lo: side(interval.hi), hi: side(interval.lo) },
    }
}

pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_multiplied_out_and_cancel() {
        let (x, y) = (Poly::atom(0), Poly::atom(1));
        let sum = x.add(&y).expect("small");
        let difference = x.sub(&y).expect("small");
        let product = sum.mul(&difference).expect("small");
        assert_eq!(product.terms, [(smallvec![0, 0], 1), (smallvec![1, 1], -1)]);
        assert_eq!(product.interval(&|_| Interval::new(-3, 2)), Interval::new(-9, 9));
        assert_eq!(product.value(&|a| Some(i128::from(a) + 2)), Some(4 - 9));
        assert_eq!(product.sub(&product).expect("small"), Poly::default());
    }
}
