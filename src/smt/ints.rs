//! The integer encoding: terms become polynomials over mathematical integers (`protocol-spec/07-encoding.md`).
//!
//! Ring operators are computed without wrapping, as a representative modulo 2^w (a *residue*). A residue is brought back
//! into its type only where the value matters, and then, if its interval allows, for nothing or by one choice.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use crate::base::Name;
use crate::exp::poly::{AtomId, Poly, TooLarge, gcd, scaled};
use crate::exp::wrap::signed_arithmetic;
use crate::exp::{B, BExp, Fun, IntTy, Interval, N, NBin, NExp, NRel, Var, conversions};

/// What to do where a value may wrap around, and no cheap exact form is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// Assume that it does not, and say so.
    Assume,
    /// Wrap it exactly, with an unknown number of periods.
    Exact,
}

/// What to do with a bit operation that is not arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOps {
    /// Refuse the query.
    Refuse,
    /// Treat it as an uninterpreted function: what has no solution then has none.
    Abstract,
}

/// Why a query has no encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unencodable(pub String);

impl From<TooLarge> for Unencodable {
    fn from(_: TooLarge) -> Unencodable {
        Unencodable("the arithmetic is too large".to_string())
    }
}

type Result<T> = std::result::Result<T, Unencodable>;

/// Index of a form in the table of the encoder.
pub type FormId = u32;

pub const FALSE: FormId = 0;
pub const TRUE: FormId = 1;

/// A condition over polynomials.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    False,
    True,
    /// `p <= 0`
    Le(Poly),
    /// `p = 0`
    Eq(Poly),
    And(Vec<FormId>),
    Or(Vec<FormId>),
    Not(FormId),
}

/// An uninterpreted function of the solver.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    Fun(Fun),
    /// A bit operation of which only congruence is known.
    Bits(NBin),
}

/// How a quotient is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Round {
    /// Down; the divisor is a positive constant.
    Floor,
    /// Towards zero; the quotient by 0 is 0.
    Truncate,
}

/// An unknown of the polynomials.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    Var(Name),
    App(Symbol, Vec<Poly>),
    Choice(FormId, Poly, Poly),
    Quotient {
        of: Poly,
        by: Poly,
        round: Round,
    },
    /// A sum too large to be multiplied out.
    Part(Poly),
}

/// A number: a polynomial, an interval of its values, and the condition under which it stands for the term (`TRUE`
/// unless a wrap-around was assumed away). The interval is only good under that condition.
#[derive(Clone, Debug)]
pub struct Raw {
    pub poly: Poly,
    pub interval: Interval,
    pub ok: FormId,
}

/// The encoder, with its tables.
#[derive(Clone)]
pub struct Ints {
    wrap: Wrap,
    bit_ops: BitOps,
    /// What is known of each unknown, whatever else holds. The emitter asserts it.
    pub atoms: IndexMap<Atom, Interval>,
    pub forms: IndexSet<Form>,
    /// What is known of sums, by their terms.
    facts: FxHashMap<Poly, Interval>,
    ranges: FxHashMap<Name, Interval>,
    numbers: FxHashMap<(N, u8), Raw>,
    conditions: FxHashMap<B, (FormId, FormId)>,
    literals: FxHashMap<(B, bool), FormId>,
    /// The unknown of each function application.
    pub calls: IndexMap<N, AtomId>,
    /// The terms that were assumed not to wrap around.
    pub assumed: IndexSet<N>,
    /// The sums that each unknown was multiplied with, without their constants: `W` by `y + k` in `(y + k) * W`.
    pub sums: FxHashMap<AtomId, IndexSet<Poly>>,
}

/// Larger bounds are forgotten, so that arithmetic on bounds cannot overflow.
const MAX_BOUND: i128 = 1 << 120;
/// A residue that may be off by at most this many periods is wrapped by choices.
const MAX_CHOICES: i128 = 3;
/// A shift by one of at most this many amounts becomes a table.
const MAX_SHIFTS: i128 = 64;
/// An `&` with one of at most this many masks becomes a table.
const MAX_MASKS: i128 = 16;
/// A junction of at most this many parts becomes part of the one around it; longer ones are shared, since the conditions
/// of a long sum repeat those of all sums in it.
const FLATTENED: usize = 12;
/// A mask of at most this many runs of ones becomes arithmetic.
const MAX_RUNS: usize = 8;

impl Ints {
    pub fn new(wrap: Wrap, bit_ops: BitOps) -> Ints {
        Ints {
            wrap,
            bit_ops,
            atoms: IndexMap::new(),
            forms: IndexSet::from([Form::False, Form::True]),
            facts: FxHashMap::default(),
            ranges: FxHashMap::default(),
            numbers: FxHashMap::default(),
            conditions: FxHashMap::default(),
            literals: FxHashMap::default(),
            calls: IndexMap::new(),
            assumed: IndexSet::new(),
            sums: FxHashMap::default(),
        }
    }

    /// Declares a variable. Its interval becomes a fact of every query.
    pub fn declare(&mut self, name: &Name, interval: Interval) -> AtomId {
        let interval = tame(interval);
        self.ranges.insert(name.clone(), interval);
        self.atom(Atom::Var(name.clone()), interval)
    }

    /// A form that has a solution iff `cond` has one, apart from what was assumed (see `assumed`).
    pub fn holds(&mut self, cond: &B) -> Result<FormId> {
        self.literal(cond, true)
    }

    /// Takes bounds of terms from a condition that is asserted, so that what comes after it need not be assumed not to
    /// wrap around: `i * n <= 1000` says more than the bounds of `i` and `n`. [ENC-LEARN]
    pub fn learn(&mut self, cond: &B) -> Result<()> {
        match cond.kind() {
            BExp::And(parts) => parts.iter().try_for_each(|part| self.learn(part)),
            BExp::Rel(op @ (NRel::Le | NRel::Lt), l, r) => {
                // The bound itself has to be told to the solver: its form is made before it is known.
                self.holds(cond)?;
                let (a, b) = (self.value(l)?, self.value(r)?);
                let difference = self.combine(&a, &b, -1)?;
                if difference.ok == TRUE {
                    let apart = i128::from(*op == NRel::Lt);
                    let (least, most) = (self.hard(&a.poly).lo, self.hard(&b.poly).hi);
                    self.note(&difference.poly, Interval { lo: None, hi: Some(-apart) });
                    self.note(&a.poly, Interval { lo: None, hi: most.map(|most| most - apart) });
                    self.note(&b.poly, Interval { lo: least.map(|least| least + apart), hi: None });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // Conditions.

    fn literal(&mut self, cond: &B, positive: bool) -> Result<FormId> {
        let key = (cond.clone(), positive);
        if let Some(done) = self.literals.get(&key) {
            return Ok(*done);
        }
        let form = match cond.kind() {
            BExp::Lit(value) => truth(*value == positive),
            BExp::Not(inner) => self.literal(inner, !positive)?,
            BExp::And(parts) | BExp::Or(parts) => {
                let conjunction = matches!(cond.kind(), BExp::And(_)) == positive;
                let parts = parts.iter().map(|p| self.literal(p, positive)).collect::<Result<Vec<_>>>()?;
                if conjunction { self.and(parts) } else { self.or(parts) }
            }
            BExp::Rel(op, l, r) => {
                let (form, ok) = self.relation(*op, l, r)?;
                let form = if positive { form } else { self.not(form) };
                self.and(vec![form, ok])
            }
        };
        self.literals.insert(key, form);
        Ok(form)
    }

    /// A form, and the condition under which it means what the term means.
    fn condition(&mut self, cond: &B) -> Result<(FormId, FormId)> {
        if let Some(done) = self.conditions.get(cond) {
            return Ok(*done);
        }
        let done = match cond.kind() {
            BExp::Lit(value) => (truth(*value), TRUE),
            BExp::Not(inner) => {
                let (form, ok) = self.condition(inner)?;
                (self.not(form), ok)
            }
            BExp::And(parts) | BExp::Or(parts) => {
                let mut forms = Vec::with_capacity(parts.len());
                let mut oks = Vec::with_capacity(parts.len());
                for part in parts {
                    let (form, ok) = self.condition(part)?;
                    forms.push(form);
                    oks.push(ok);
                }
                let conjunction = matches!(cond.kind(), BExp::And(_));
                let mut ok = self.and(oks.clone());
                if ok != TRUE {
                    // One part that decides is enough: C does not look at the others.
                    let mut enough = vec![ok];
                    for (form, ok) in forms.iter().zip(oks) {
                        let decides = if conjunction { self.not(*form) } else { *form };
                        enough.push(self.and(vec![decides, ok]));
                    }
                    ok = self.or(enough);
                }
                (if conjunction { self.and(forms) } else { self.or(forms) }, ok)
            }
            BExp::Rel(op, l, r) => self.relation(*op, l, r)?,
        };
        self.conditions.insert(cond.clone(), done);
        Ok(done)
    }

    fn relation(&mut self, op: NRel, l: &N, r: &N) -> Result<(FormId, FormId)> {
        match op {
            NRel::Lt | NRel::Le => {
                let (a, b) = (self.value(l)?, self.value(r)?);
                let mut difference = self.combine(&a, &b, -1)?;
                if op == NRel::Lt {
                    difference = self.shifted(&difference, 1)?;
                }
                Ok((self.at_most_zero(&difference.poly, difference.interval), difference.ok))
            }
            NRel::Eq => self.equation(l, r),
            NRel::Ne => {
                let (form, ok) = self.equation(l, r)?;
                Ok((self.not(form), ok))
            }
        }
    }

    /// Equal values of one machine type are residues with a difference that is a multiple of 2^w; the difference often
    /// has a small interval where the values have not. [ENC-EQ]
    fn equation(&mut self, l: &N, r: &N) -> Result<(FormId, FormId)> {
        let Some(ty) = self.common_type(l, r)? else {
            let (a, b) = (self.value(l)?, self.value(r)?);
            let difference = self.combine(&a, &b, -1)?;
            return Ok((self.zero(&difference.poly, difference.interval), difference.ok));
        };
        let (a, b) = (self.residue_of(l, ty)?, self.residue_of(r, ty)?);
        let difference = self.combine(&a, &b, -1)?;
        let period = 1i128 << ty.bits;
        if let Interval { lo: Some(lo), hi: Some(hi) } = difference.interval {
            let (first, last) = (-((-lo).div_euclid(period)), hi.div_euclid(period));
            if last - first < MAX_CHOICES {
                let mut cases = Vec::new();
                let mut periods = first;
                while periods <= last {
                    let case = self.shifted(&difference, -periods * period)?;
                    cases.push(self.zero(&case.poly, case.interval));
                    periods += 1;
                }
                return Ok((self.or(cases), difference.ok));
            }
        }
        let signed = signed_arithmetic(l) || signed_arithmetic(r);
        if self.wrap == Wrap::Exact || (!signed && difference.poly.is_linear()) {
            let periods = self.floor(&difference, period)?;
            let rest = difference.poly.add_scaled(&periods.poly, -period)?;
            return Ok((self.zero(&rest, Interval::new(0, period - 1)), difference.ok));
        }
        for (term, raw) in [(l, &a), (r, &b)] {
            if !raw.interval.within(Interval::of_type(ty)) {
                self.assume(term)?;
            }
        }
        let above = self.at_most_zero(&difference.poly.scale(-1)?.plus(1 - period)?, Interval::ALL);
        let below = self.at_most_zero(&difference.poly.plus(1 - period)?, Interval::ALL);
        let ok = self.and(vec![difference.ok, above, below]);
        let within = difference.interval.meet(Interval::new(1 - period, period - 1));
        Ok((self.zero(&difference.poly, within), ok))
    }

    /// The machine type in which both sides can be compared by residues: that of one side, if the other one has it too or
    /// has all its values there. `None` if neither side wraps.
    fn common_type(&mut self, l: &N, r: &N) -> Result<Option<IntTy>> {
        let Some(ty) = wrapping_type(l).or_else(|| wrapping_type(r)) else { return Ok(None) };
        for side in [l, r] {
            match wrapping_type(side) {
                Some(own) if own == ty => {}
                Some(_) => return Ok(None),
                None if self.value(side)?.interval.within(Interval::of_type(ty)) => {}
                None => return Ok(None),
            }
        }
        Ok(Some(ty))
    }

    fn residue_of(&mut self, term: &N, ty: IntTy) -> Result<Raw> {
        if wrapping_type(term) == Some(ty) { self.number(term, ty.bits) } else { self.value(term) }
    }

    // Numbers.

    /// The exact value of a term.
    fn value(&mut self, term: &N) -> Result<Raw> {
        self.number(term, 0)
    }

    /// An integer congruent to the value of the term modulo 2^bits; the value itself for `bits` 0.
    fn number(&mut self, term: &N, bits: u8) -> Result<Raw> {
        match term.kind() {
            NExp::Num(value) if value.checked_abs().is_none_or(|v| v > MAX_BOUND) => return Err(TooLarge.into()),
            NExp::Num(value) => return self.raw(Poly::constant(*value), Interval::ALL, TRUE),
            NExp::Var(var) => return self.variable(var),
            _ => {}
        }
        let key = (term.clone(), bits);
        if let Some(done) = self.numbers.get(&key) {
            return Ok(done.clone());
        }
        // An operator whose width covers the bits that are asked for need not wrap.
        let through = |ty: IntTy| ty.bits == 0 || (bits != 0 && ty.bits >= bits);
        let raw = match term.kind() {
            NExp::Num(_) | NExp::Var(_) => return Err(Unencodable("unreachable leaf".to_string())),
            NExp::Bin(op, ty, l, r) if is_ring(*op, r) => {
                if through(*ty) {
                    self.ring(*op, *ty, l, r, bits)?
                } else {
                    let raw = self.number(term, ty.bits)?;
                    self.reduce(raw, *ty, term)?
                }
            }
            NExp::Cast(ty, inner) => {
                if through(*ty) {
                    self.number(inner, bits)?
                } else {
                    let raw = self.number(inner, ty.bits)?;
                    self.reduce(raw, *ty, term)?
                }
            }
            NExp::If(cond, t, e) => {
                let (cond, ok) = self.condition(cond)?;
                let (t, e) = (self.number(t, bits)?, self.number(e, bits)?);
                self.choice(cond, ok, &t, &e)?
            }
            NExp::Call(fun, args) => {
                let args = args.iter().map(|a| self.value(a)).collect::<Result<Vec<_>>>()?;
                let ok = self.and(args.iter().map(|a| a.ok).collect());
                let polys = args.into_iter().map(|a| a.poly).collect();
                let own = Interval::of_type(fun.ty);
                let atom = self.atom(Atom::App(Symbol::Fun(fun.clone()), polys), own);
                self.calls.insert(term.clone(), atom);
                self.raw(Poly::atom(atom), own, ok)?
            }
            NExp::Bin(op, ty, l, r) => self.operation(*op, *ty, l, r, term)?,
        };
        self.numbers.insert(key, raw.clone());
        Ok(raw)
    }

    fn variable(&mut self, var: &Var) -> Result<Raw> {
        let interval = match self.ranges.get(&var.name) {
            Some(known) => *known,
            None => return Err(Unencodable(format!("the variable `{}` is not declared", var.name))),
        };
        let atom = self.atom(Atom::Var(var.name.clone()), interval);
        self.raw(Poly::atom(atom), interval, TRUE)
    }

    /// An operator that commutes with reduction modulo 2^bits. [ENC-RING]
    fn ring(&mut self, op: NBin, ty: IntTy, l: &N, r: &N, bits: u8) -> Result<Raw> {
        match op {
            NBin::Add | NBin::Sub => {
                let (a, b) = (self.number(l, bits)?, self.number(r, bits)?);
                self.combine(&a, &b, if op == NBin::Add { 1 } else { -1 })
            }
            NBin::Mul => {
                let (a, b) = (self.number(l, bits)?, self.number(r, bits)?);
                self.product(&a, &b)
            }
            NBin::Shl => {
                let by = self.value(r)?;
                let base = self.number(l, bits)?;
                let width = if ty.bits == 0 { 120 } else { i128::from(ty.bits) };
                let zero = self.constant(0)?;
                self.table(&by, width, MAX_SHIFTS, &zero, &mut |this, amount| this.times(&base, 1 << amount))
                    .unwrap_or_else(|| self.abstract_bits(NBin::Shl, ty, l, r))
            }
            // x | c = x + c - (x & c), and x ^ c = x + c - 2 (x & c).
            NBin::Or | NBin::Xor => {
                let Some(mask) = r.as_num() else { return Err(Unencodable("a mask is not constant".to_string())) };
                let base = self.number(l, bits)?;
                let common = self.masked(l, ty.wrap(mask), ty, bits)?;
                let sum = self.shifted(&base, ty.wrap(mask))?;
                let raw = self.combine(&sum, &common, if op == NBin::Or { -1 } else { -2 })?;
                // The bounds are those of the operation when the operand is its value, or has the bits of the mask.
                let same = bits == 0 || mask < 1 << bits;
                if base.interval.lo.is_some_and(|lo| lo >= 0) && mask >= 0 && same {
                    let tight = Interval::of_bin(op, ty, base.interval, Interval::new(mask, mask));
                    return self.raw(raw.poly, raw.interval.meet(tight), raw.ok);
                }
                Ok(raw)
            }
            _ => Err(Unencodable(format!("`{op}` is not arithmetic"))),
        }
    }

    /// An operator on values.
    fn operation(&mut self, op: NBin, ty: IntTy, l: &N, r: &N, term: &N) -> Result<Raw> {
        match op {
            NBin::Div | NBin::Rem => {
                let (x, by) = (self.value(l)?, self.value(r)?);
                let raw = self.division(op, ty, &x, &by)?;
                self.reduce(raw, ty, term)
            }
            NBin::Min | NBin::Max => {
                let (a, b) = (self.value(l)?, self.value(r)?);
                let difference = self.combine(&a, &b, -1)?;
                let smaller = self.at_most_zero(&difference.poly, difference.interval);
                let picked = if op == NBin::Min {
                    self.choice(smaller, TRUE, &a, &b)?
                } else {
                    self.choice(smaller, TRUE, &b, &a)?
                };
                let ok = self.and(vec![a.ok, b.ok]);
                let tight = Interval::of_bin(op, ty, a.interval, b.interval);
                self.raw(picked.poly, picked.interval.meet(tight), ok)
            }
            NBin::Shr => {
                let (x, by) = (self.value(l)?, self.value(r)?);
                let width = if ty.bits == 0 { 120 } else { i128::from(ty.bits) };
                let sign = self.floor(&x, 1 << width.min(120))?;
                self.table(&by, width, MAX_SHIFTS, &sign, &mut |this, amount| this.floor(&x, 1 << amount))
                    .unwrap_or_else(|| self.abstract_bits(op, ty, l, r))
            }
            NBin::And => match r.as_num() {
                Some(mask) => self.masked(l, ty.wrap(mask), ty, 0),
                None => self.symbolic_mask(op, ty, l, r),
            },
            NBin::Or | NBin::Xor => self.symbolic_mask(op, ty, l, r),
            NBin::Add | NBin::Sub | NBin::Mul | NBin::Shl => {
                Err(Unencodable(format!("`{op}` reached the wrong place")))
            }
        }
    }

    /// That the term has the value of its sums and products of integers is assumed: so of the conversions that these pass
    /// through.
    fn assume(&mut self, term: &N) -> Result<()> {
        self.assumed.insert(term.clone());
        if signed_arithmetic(term) {
            for conversion in conversions(term) {
                let NExp::Cast(to, inner) = conversion.kind() else { continue };
                if !self.number(inner, to.bits)?.interval.within(Interval::of_type(*to)) {
                    self.assumed.insert(conversion);
                }
            }
        }
        Ok(())
    }

    /// Brings a residue into its type. [ENC-WRAP]
    fn reduce(&mut self, raw: Raw, ty: IntTy, term: &N) -> Result<Raw> {
        let own = Interval::of_type(ty);
        let (Some(min), Some(max)) = (own.lo, own.hi) else { return Ok(raw) };
        if raw.interval.within(own) {
            return Ok(raw);
        }
        let period = 1i128 << ty.bits;
        for candidate in [Some(raw.clone()), self.centred(&raw, period)?].into_iter().flatten() {
            let Interval { lo: Some(lo), hi: Some(hi) } = candidate.interval else { continue };
            let (first, last) = ((lo - min).div_euclid(period), (hi - min).div_euclid(period));
            if last < first || last - first >= MAX_CHOICES {
                continue;
            }
            // The number of periods to take off, by choices from below.
            let mut periods = self.constant(last)?;
            let mut at = last - 1;
            while at >= first {
                let below = self.shifted(&candidate, -(max + at * period))?;
                let below = self.at_most_zero(&below.poly, below.interval);
                let here = self.constant(at)?;
                periods = self.choice(below, TRUE, &here, &periods)?;
                at -= 1;
            }
            let poly = candidate.poly.add_scaled(&periods.poly, -period)?;
            let interval =
                if first == last { scaled_shift(candidate.interval, -first * period).meet(own) } else { own };
            return self.raw(poly, interval, candidate.ok);
        }
        if self.wrap == Wrap::Exact || (!signed_arithmetic(term) && raw.poly.is_linear()) {
            let above = self.shifted(&raw, -min)?;
            let periods = self.floor(&above, period)?;
            let poly = raw.poly.add_scaled(&periods.poly, -period)?;
            return self.raw(poly, own, raw.ok);
        }
        self.assume(term)?;
        let not_below = self.at_most_zero(&raw.poly.scale(-1)?.plus(min)?, Interval::ALL);
        let not_above = self.at_most_zero(&raw.poly.plus(-max)?, Interval::ALL);
        let ok = self.and(vec![raw.ok, not_below, not_above]);
        self.raw(raw.poly, raw.interval.meet(own), ok)
    }

    /// The same residue with coefficients as small as possible, if that changes it.
    fn centred(&mut self, raw: &Raw, period: i128) -> Result<Option<Raw>> {
        let centre = |c: i128| {
            let low = c.rem_euclid(period);
            if low > period / 2 { low - period } else { low }
        };
        let mut poly = Poly { terms: Vec::new(), constant: centre(raw.poly.constant) };
        for (monomial, coefficient) in &raw.poly.terms {
            if centre(*coefficient) != 0 {
                poly.terms.push((monomial.clone(), centre(*coefficient)));
            }
        }
        if poly == raw.poly { Ok(None) } else { self.raw(poly, Interval::ALL, raw.ok).map(Some) }
    }

    /// `x & mask` for a constant mask of type `ty`: runs of ones, each a difference of two multiples of quotients by powers
    /// of two. [ENC-MASK]
    fn masked(&mut self, x: &N, mask: i128, ty: IntTy, bits: u8) -> Result<Raw> {
        if mask == 0 {
            return self.constant(0);
        }
        let mut runs: Vec<(u32, Option<u32>)> = Vec::new();
        let mut at = 0;
        while at < 127 && (mask >> at) != 0 {
            let start = at + (mask >> at).trailing_zeros();
            let rest = mask >> start;
            let ones = rest.trailing_ones();
            runs.push((start, if rest == -1 { None } else { Some(start + ones) }));
            if rest == -1 {
                break;
            }
            at = start + ones;
        }
        if runs.len() > MAX_RUNS || (ty.bits == 0 && mask < 0 && bits != 0) {
            return self.abstract_bits(NBin::And, ty, x, &N::num(mask));
        }
        // Without an infinite run, only the low bits of the operand count.
        let top = runs.last().and_then(|(_, end)| *end);
        let x = match top {
            Some(top) if ty.bits == 0 || top <= u32::from(ty.bits) => self.number(x, top as u8)?,
            _ => self.value(x)?,
        };
        let mut sum = self.constant(0)?;
        for (start, end) in runs {
            let low = self.floor(&x, 1 << start)?;
            sum = self.combine(&sum, &low, 1 << start)?;
            if let Some(end) = end {
                let high = self.floor(&x, 1 << end)?;
                sum = self.combine(&sum, &high, -(1 << end))?;
            }
        }
        let mut tight = if mask >= 0 { Interval::new(0, mask) } else { Interval::ALL };
        if x.interval.lo.is_some_and(|lo| lo >= 0) {
            tight = tight.meet(Interval { lo: Some(0), hi: x.interval.hi });
        }
        let ok = x.ok;
        self.raw(sum.poly, sum.interval.meet(tight), ok)
    }

    /// `&`, `|` or `^` of two terms: a table when one of them has few values.
    fn symbolic_mask(&mut self, op: NBin, ty: IntTy, l: &N, r: &N) -> Result<Raw> {
        for (x, mask) in [(l, r), (r, l)] {
            let by = self.value(mask)?;
            let Interval { lo: Some(lo), hi: Some(hi) } = by.interval else { continue };
            if lo < 0 || hi - lo >= MAX_MASKS {
                continue;
            }
            let base = self.value(x)?;
            let mut result = self.constant(0)?;
            for value in (lo..=hi).rev() {
                let common = self.masked(x, value, ty, 0)?;
                let entry = match op {
                    NBin::And => common,
                    _ => {
                        let sum = self.shifted(&base, value)?;
                        self.combine(&sum, &common, if op == NBin::Or { -1 } else { -2 })?
                    }
                };
                let here = self.shifted(&by, -value)?;
                let here = self.zero(&here.poly, here.interval);
                result = if value == hi { entry } else { self.choice(here, by.ok, &entry, &result)? };
            }
            let ok = self.and(vec![result.ok, by.ok, base.ok]);
            let tight = Interval::of_bin(op, ty, base.interval, by.interval);
            return self.raw(result.poly, result.interval.meet(tight), ok);
        }
        self.abstract_bits(op, ty, l, r)
    }

    /// A bit operation as an uninterpreted function with its interval. [ENC-BITS]
    fn abstract_bits(&mut self, op: NBin, ty: IntTy, l: &N, r: &N) -> Result<Raw> {
        if self.bit_ops == BitOps::Refuse {
            return Err(Unencodable(format!("`{op}` of two unknown numbers has no integer form")));
        }
        let (a, b) = (self.value(l)?, self.value(r)?);
        let ok = self.and(vec![a.ok, b.ok]);
        let wrapped = |a: Interval, b: Interval| {
            let raw = Interval::of_bin(op, ty, a, b);
            if raw.within(Interval::of_type(ty)) { raw } else { Interval::of_type(ty) }
        };
        let bounds = wrapped(self.hard(&a.poly), self.hard(&b.poly));
        let tight = wrapped(a.interval, b.interval);
        // The type matters for the shifts.
        let width = Poly::constant(i128::from(ty.bits) * 2 + i128::from(ty.signed));
        let atom = self.atom(Atom::App(Symbol::Bits(op), vec![a.poly, b.poly, width]), bounds);
        self.raw(Poly::atom(atom), tight, ok)
    }

    /// `entry(k)` where `by` is k, for k in `0..width`, and `outside` elsewhere; `None` if `by` has too many values.
    fn table(
        &mut self,
        by: &Raw,
        width: i128,
        most: i128,
        outside: &Raw,
        entry: &mut dyn FnMut(&mut Ints, i128) -> Result<Raw>,
    ) -> Option<Result<Raw>> {
        let within = by.interval.meet(Interval::new(0, width - 1));
        let (Some(lo), Some(hi)) = (within.lo, within.hi) else { return None };
        if lo > hi {
            return Some(Ok(Raw { ok: by.ok, ..outside.clone() }));
        }
        if hi - lo >= most {
            return None;
        }
        let complete = by.interval.within(Interval::new(0, width - 1));
        let mut build = || {
            let mut result = outside.clone();
            for amount in (lo..=hi).rev() {
                let here = entry(self, amount)?;
                if complete && amount == hi {
                    result = here;
                    continue;
                }
                let test = self.shifted(by, -amount)?;
                let test = self.zero(&test.poly, test.interval);
                result = self.choice(test, TRUE, &here, &result)?;
            }
            let ok = self.and(vec![by.ok, result.ok]);
            Ok(Raw { ok, ..result })
        };
        Some(build())
    }

    // Division.

    /// The quotient or remainder, towards zero, before wrapping (only the least value divided by -1 wraps). [ENC-DIV]
    fn division(&mut self, op: NBin, ty: IntTy, x: &Raw, by: &Raw) -> Result<Raw> {
        let ok = self.and(vec![x.ok, by.ok]);
        let quotient = match by.poly.as_constant() {
            Some(0) if op == NBin::Div => return self.constant(0),
            Some(0) => return Ok(Raw { ok, ..x.clone() }),
            Some(c) => {
                let quotient = self.truncated(x, c.abs())?;
                self.times(&quotient, c.signum())?
            }
            None if x.poly.as_constant() == Some(0) => self.constant(0)?,
            None => {
                let (hx, hb) = (self.hard(&x.poly), self.hard(&by.poly));
                let bounds = quotient_bounds(hx, hb);
                let atom = Atom::Quotient { of: x.poly.clone(), by: by.poly.clone(), round: Round::Truncate };
                let atom = self.atom(atom, bounds);
                self.raw(Poly::atom(atom), quotient_bounds(x.interval, by.interval), ok)?
            }
        };
        let mut tight = match by.interval.lo {
            Some(1..) => Interval::of_bin(op, ty, x.interval, by.interval),
            _ => Interval::ALL,
        };
        if op == NBin::Div {
            return self.raw(quotient.poly, quotient.interval.meet(tight), ok);
        }
        // |x % d| <= |x|, with the sign of x.
        if let Interval { lo: Some(lo), hi: Some(hi) } = x.interval {
            tight = tight.meet(Interval::new(lo.min(0), hi.max(0)));
        }
        if let Some(c) = by.poly.as_constant().filter(|c| *c != 0) {
            let most = c.abs() - 1;
            tight = tight.meet(Interval::new(-most, most));
        }
        let product = self.product(&quotient, by)?;
        let rest = self.raw(x.poly.sub(&product.poly)?, tight, ok)?;
        if by.poly.as_constant().is_some() {
            return Ok(rest);
        }
        // [ENC-REST]  One unknown, so that what it is multiplied with is not spread over `x` and the quotient.
        let poly = self.part(&rest.poly);
        self.raw(poly, rest.interval, ok)
    }

    /// The quotient by a positive constant, towards zero.
    fn truncated(&mut self, x: &Raw, by: i128) -> Result<Raw> {
        if by == 1 || x.interval.lo.is_some_and(|lo| lo >= 0) {
            return self.floor(x, by);
        }
        if x.interval.hi.is_some_and(|hi| hi <= 0) {
            let negated = self.times(x, -1)?;
            let quotient = self.floor(&negated, by)?;
            return self.times(&quotient, -1);
        }
        let divided = |i: Interval| Interval { lo: i.lo.map(|lo| lo / by), hi: i.hi.map(|hi| hi / by) };
        let bounds = divided(self.hard(&x.poly));
        let atom = Atom::Quotient { of: x.poly.clone(), by: Poly::constant(by), round: Round::Truncate };
        let atom = self.atom(atom, bounds);
        let rest = x.poly.add_scaled(&Poly::atom(atom), -by)?;
        self.note(&rest, Interval::new(1 - by, by - 1));
        self.raw(Poly::atom(atom), divided(x.interval), x.ok)
    }

    /// The quotient by a positive constant, rounded down. What the constant divides is divided without an unknown.
    fn floor(&mut self, x: &Raw, by: i128) -> Result<Raw> {
        if by == 1 {
            return Ok(x.clone());
        }
        let divided =
            |i: Interval| Interval { lo: i.lo.map(|lo| lo.div_euclid(by)), hi: i.hi.map(|hi| hi.div_euclid(by)) };
        let mut whole = Poly::constant(x.poly.constant.div_euclid(by));
        let mut rest = Poly::constant(x.poly.constant.rem_euclid(by));
        for (monomial, coefficient) in &x.poly.terms {
            let part = if coefficient % by == 0 { (&mut whole, coefficient / by) } else { (&mut rest, *coefficient) };
            part.0.terms.push((monomial.clone(), part.1));
        }
        let within = if whole.terms.is_empty() {
            scaled_shift(x.interval, rest.constant - x.poly.constant).meet(self.hard(&rest))
        } else {
            self.hard(&rest)
        };
        if let Interval { lo: Some(lo), hi: Some(hi) } = within
            && lo.div_euclid(by) == hi.div_euclid(by)
        {
            return self.raw(whole.plus(lo.div_euclid(by))?, divided(x.interval), x.ok);
        }
        let common = gcd(rest.content(), by);
        let (mut rest, mut small) = (rest.divide_floor(common), by / common);
        // A quotient of a quotient.
        if let Some(atom) = rest.as_atom()
            && let Some((Atom::Quotient { of, by: inner, round: Round::Floor }, _)) =
                self.atoms.get_index(atom as usize)
            && let Some(inner) = inner.as_constant()
            && let Some(product) = inner.checked_mul(small).filter(|p| *p < 1 << 100)
        {
            (rest, small) = (of.clone(), product);
        }
        let hard = self.hard(&rest);
        let bounds = Interval { lo: hard.lo.map(|l| l.div_euclid(small)), hi: hard.hi.map(|h| h.div_euclid(small)) };
        let atom = Atom::Quotient { of: rest.clone(), by: Poly::constant(small), round: Round::Floor };
        let atom = self.atom(atom, bounds);
        let remainder = rest.add_scaled(&Poly::atom(atom), -small)?;
        self.note(&remainder, Interval::new(0, small - 1));
        let poly = whole.add(&Poly::atom(atom))?;
        self.raw(poly, divided(x.interval), x.ok)
    }

    // Small arithmetic on numbers.

    fn constant(&mut self, value: i128) -> Result<Raw> {
        self.raw(Poly::constant(value), Interval::ALL, TRUE)
    }

    /// A number of this polynomial; what is known of the polynomial sharpens the interval, and the other way round.
    fn raw(&mut self, poly: Poly, interval: Interval, ok: FormId) -> Result<Raw> {
        if let Some(value) = poly.as_constant() {
            return Ok(Raw { poly, interval: Interval::new(value, value), ok });
        }
        let interval = tame(interval);
        if ok == TRUE {
            self.note(&poly, interval);
        }
        let interval = interval.meet(self.hard(&poly));
        Ok(Raw { poly, interval, ok })
    }

    fn combine(&mut self, a: &Raw, b: &Raw, scale: i128) -> Result<Raw> {
        let poly = a.poly.add_scaled(&b.poly, scale)?;
        let ok = self.and(vec![a.ok, b.ok]);
        self.raw(poly, a.interval.add(scaled(b.interval, scale)), ok)
    }

    fn shifted(&mut self, a: &Raw, by: i128) -> Result<Raw> {
        self.raw(a.poly.plus(by)?, scaled_shift(a.interval, by), a.ok)
    }

    fn times(&mut self, a: &Raw, by: i128) -> Result<Raw> {
        self.raw(a.poly.scale(by)?, scaled(a.interval, by), a.ok)
    }

    fn product(&mut self, a: &Raw, b: &Raw) -> Result<Raw> {
        let ok = self.and(vec![a.ok, b.ok]);
        let mut interval = a.interval.mul(b.interval);
        if a.poly == b.poly {
            interval = interval.meet(Interval { lo: Some(0), hi: None });
        }
        self.remember_factor(&a.poly, &b.poly)?;
        self.remember_factor(&b.poly, &a.poly)?;
        let poly = match self.near_square(&a.poly, &b.poly)? {
            Some((a, b)) => a.mul(&b)?,
            None => match a.poly.mul(&b.poly) {
                Ok(poly) => poly,
                Err(TooLarge) => {
                    let (a, b) = (self.part(&a.poly), self.part(&b.poly));
                    a.mul(&b)?
                }
            },
        };
        self.raw(poly, interval, ok)
    }

    /// Notes that the unknowns of `by`, a single term, were multiplied with `sum`. [PROD-FACTORING]
    fn remember_factor(&mut self, sum: &Poly, by: &Poly) -> Result<()> {
        let ([(monomial, _)], 0) = (by.terms.as_slice(), by.constant) else { return Ok(()) };
        if sum.terms.len() < 2 {
            return Ok(());
        }
        let sum = Poly { terms: sum.terms.clone(), constant: 0 };
        for (at, factor) in monomial.iter().enumerate() {
            let mut others = monomial.clone();
            others.remove(at);
            let cofactor = match others.is_empty() {
                true => sum.clone(),
                false => match sum.mul(&Poly { terms: vec![(others, 1)], constant: 0 }) {
                    Ok(cofactor) => cofactor,
                    // Only a hint is lost.
                    Err(TooLarge) => continue,
                },
            };
            self.sums.entry(*factor).or_default().insert(cofactor);
        }
        Ok(())
    }

    /// Two sums with the same unknown parts, which are named: `(x + c) (x + d)` has the square of one unknown, and not
    /// those of all its terms. [ENC-SQUARE]
    fn near_square(&mut self, a: &Poly, b: &Poly) -> Result<Option<(Poly, Poly)>> {
        if a.terms.len() < 2 || a.terms != b.terms {
            return Ok(None);
        }
        let whole = self.part(&Poly { terms: a.terms.clone(), constant: 0 });
        Ok(Some((whole.plus(a.constant)?, whole.plus(b.constant)?)))
    }

    /// The polynomial as one unknown.
    fn part(&mut self, poly: &Poly) -> Poly {
        if poly.terms.len() <= 1 {
            return poly.clone();
        }
        let bounds = self.hard(poly);
        Poly::atom(self.atom(Atom::Part(poly.clone()), bounds))
    }

    fn choice(&mut self, cond: FormId, cond_ok: FormId, t: &Raw, e: &Raw) -> Result<Raw> {
        let picked = match cond {
            TRUE => Some(t),
            FALSE => Some(e),
            _ if t.poly == e.poly && t.ok == e.ok => Some(t),
            _ => None,
        };
        if let Some(picked) = picked {
            let ok = self.and(vec![cond_ok, picked.ok]);
            return Ok(Raw { ok, ..picked.clone() });
        }
        let not = self.not(cond);
        let (t_ok, e_ok) = (self.or(vec![not, t.ok]), self.or(vec![cond, e.ok]));
        let ok = self.and(vec![cond_ok, t_ok, e_ok]);
        let interval = t.interval.join(e.interval);
        // What both have in common stays outside.
        let difference = t.poly.sub(&e.poly)?;
        let poly = if difference.terms.len() < t.poly.terms.len() + e.poly.terms.len() && !e.poly.terms.is_empty() {
            let atom = self.choice_atom(cond, difference, Poly::default());
            e.poly.add(&atom)?
        } else {
            self.choice_atom(cond, t.poly.clone(), e.poly.clone())
        };
        self.raw(poly, interval, ok)
    }

    fn choice_atom(&mut self, cond: FormId, t: Poly, e: Poly) -> Poly {
        if t == e {
            return t;
        }
        let (cond, t, e) = match self.forms.get_index(cond as usize) {
            Some(Form::Not(inner)) => (*inner, e, t),
            _ => (cond, t, e),
        };
        let bounds = self.hard(&t).join(self.hard(&e));
        Poly::atom(self.atom(Atom::Choice(cond, t, e), bounds))
    }

    // Tables.

    fn atom(&mut self, atom: Atom, bounds: Interval) -> AtomId {
        let (index, _) = match self.atoms.get_full(&atom) {
            Some((index, _, known)) => (index, *known),
            None => (self.atoms.insert_full(atom, bounds).0, bounds),
        };
        index as AtomId
    }

    pub fn bounds(&self, atom: AtomId) -> Interval {
        self.atoms.get_index(atom as usize).map_or(Interval::ALL, |(_, bounds)| *bounds)
    }

    /// An interval that holds in every solution, whatever was assumed.
    pub fn hard(&self, poly: &Poly) -> Interval {
        let computed = poly.interval(&|atom| self.bounds(atom));
        tame(self.hard_of_known(poly).meet(computed))
    }

    /// What is known of the polynomial beyond the bounds of its unknowns.
    pub fn hard_of_known(&self, poly: &Poly) -> Interval {
        match poly.constant {
            0 => self.facts.get(poly).copied(),
            constant => self.facts.get(&without_constant(poly)).map(|known| scaled_shift(*known, constant)),
        }
        .unwrap_or(Interval::ALL)
    }

    fn note(&mut self, poly: &Poly, interval: Interval) {
        if interval == Interval::ALL || poly.as_constant().is_some() {
            return;
        }
        let known = self.facts.entry(without_constant(poly)).or_insert(Interval::ALL);
        *known = known.meet(tame(scaled_shift(interval, -poly.constant)));
    }

    fn form(&mut self, form: Form) -> FormId {
        self.forms.insert_full(form).0 as FormId
    }

    /// `p <= 0`, with what is known of `p`.
    fn at_most_zero(&mut self, poly: &Poly, interval: Interval) -> FormId {
        if let Some(value) = poly.as_constant() {
            return truth(value <= 0);
        }
        let interval = interval.meet(self.hard(poly));
        if interval.hi.is_some_and(|hi| hi <= 0) {
            return TRUE;
        }
        if interval.lo.is_some_and(|lo| lo > 0) {
            return FALSE;
        }
        // g q + c <= 0 iff q <= floor(-c / g), that is q + ceil(c / g) <= 0.
        let content = poly.content();
        let mut poly = poly.clone();
        if content > 1 {
            let constant = -(-poly.constant).div_euclid(content);
            poly = poly.divide_floor(content);
            poly.constant = constant;
        }
        self.form(Form::Le(poly))
    }

    /// `p = 0`, with what is known of `p`.
    fn zero(&mut self, poly: &Poly, interval: Interval) -> FormId {
        if let Some(value) = poly.as_constant() {
            return truth(value == 0);
        }
        if !interval.meet(self.hard(poly)).contains(0) {
            return FALSE;
        }
        let content = poly.content();
        if poly.constant % content != 0 {
            return FALSE;
        }
        let sign = if poly.terms.first().is_some_and(|(_, c)| *c < 0) { -1 } else { 1 };
        let poly = Poly {
            terms: poly.terms.iter().map(|(m, c)| (m.clone(), sign * c / content)).collect(),
            constant: sign * poly.constant / content,
        };
        self.form(Form::Eq(poly))
    }

    pub fn not(&mut self, form: FormId) -> FormId {
        let negated = match self.forms.get_index(form as usize) {
            None | Some(Form::False) => return TRUE,
            Some(Form::True) => return FALSE,
            Some(Form::Not(inner)) => return *inner,
            // not (p <= 0) iff 1 - p <= 0
            Some(Form::Le(poly)) => match poly.scale(-1).and_then(|p| p.plus(1)) {
                Ok(poly) => Form::Le(poly),
                Err(TooLarge) => Form::Not(form),
            },
            Some(Form::Eq(_) | Form::And(_) | Form::Or(_)) => Form::Not(form),
        };
        self.form(negated)
    }

    pub fn and(&mut self, parts: Vec<FormId>) -> FormId {
        self.junction(parts, true)
    }

    pub fn or(&mut self, parts: Vec<FormId>) -> FormId {
        self.junction(parts, false)
    }

    fn junction(&mut self, parts: Vec<FormId>, conjunction: bool) -> FormId {
        let (unit, zero) = if conjunction { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut kept: IndexSet<FormId> = IndexSet::new();
        for part in parts {
            if part == zero {
                return zero;
            }
            if part == unit {
                continue;
            }
            match self.forms.get_index(part as usize) {
                Some(Form::And(inner)) if conjunction && inner.len() <= FLATTENED => kept.extend(inner.iter().copied()),
                Some(Form::Or(inner)) if !conjunction && inner.len() <= FLATTENED => kept.extend(inner.iter().copied()),
                _ => {
                    kept.insert(part);
                }
            }
        }
        for part in &kept {
            if let Some(Form::Not(inner)) = self.forms.get_index(*part as usize)
                && kept.contains(inner)
            {
                return zero;
            }
        }
        match kept.len() {
            0 => unit,
            1 => kept.first().copied().unwrap_or(unit),
            _ => {
                let kept = kept.into_iter().collect();
                self.form(if conjunction { Form::And(kept) } else { Form::Or(kept) })
            }
        }
    }
}

fn tame(interval: Interval) -> Interval {
    let small = |bound: Option<i128>| bound.filter(|b| (-MAX_BOUND..=MAX_BOUND).contains(b));
    Interval { lo: small(interval.lo), hi: small(interval.hi) }
}

fn without_constant(poly: &Poly) -> Poly {
    Poly { terms: poly.terms.clone(), constant: 0 }
}

fn truth(value: bool) -> FormId {
    if value { TRUE } else { FALSE }
}

fn scaled_shift(interval: Interval, by: i128) -> Interval {
    interval.add(Interval::new(by, by))
}

/// Does the operator commute with reduction modulo 2^w?
fn is_ring(op: NBin, r: &N) -> bool {
    match op {
        NBin::Add | NBin::Sub | NBin::Mul | NBin::Shl => true,
        NBin::Or | NBin::Xor => r.as_num().is_some(),
        NBin::Div | NBin::Rem | NBin::And | NBin::Shr | NBin::Min | NBin::Max => false,
    }
}

/// The machine type that the term wraps to, if it is a residue brought into one.
fn wrapping_type(term: &N) -> Option<IntTy> {
    match term.kind() {
        NExp::Bin(op, ty, _, r) if ty.bits != 0 && is_ring(*op, r) => Some(*ty),
        NExp::Cast(ty, _) if ty.bits != 0 => Some(*ty),
        _ => None,
    }
}

/// Bounds of a quotient towards zero, where a quotient by zero is 0: it is no larger than the dividend, and has its sign
/// when the divisor is not negative.
fn quotient_bounds(x: Interval, by: Interval) -> Interval {
    let most = match (x.lo, x.hi) {
        (Some(lo), Some(hi)) => Some(lo.saturating_abs().max(hi.saturating_abs())),
        _ => None,
    };
    let mut bounds = Interval { lo: most.map(|m| -m), hi: most };
    if by.lo.is_some_and(|lo| lo >= 0) {
        if x.lo.is_some_and(|lo| lo >= 0) {
            bounds = Interval { lo: Some(0), hi: x.hi };
        } else if x.hi.is_some_and(|hi| hi <= 0) {
            bounds = Interval { lo: x.lo, hi: Some(0) };
        }
    }
    bounds
}
