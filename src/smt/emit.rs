//! Writes the integer encoding as SMT-LIB text, each unknown and each compound condition once, under a stable name.
//!
//! | name | stands for |
//! |---|---|
//! | `v.x` | the variable `x` |
//! | `f.g!2` | the function `g` of 2 arguments |
//! | `a!7` | the value of a function application |
//! | `c!7` | a choice by a condition |
//! | `q!7` | a quotient |
//! | `p!7` | a sum that is one factor: too large to be multiplied out, squared, or the rest of a division |
//! | `m!7` | a product |
//! | `b!7` | a condition |

use std::fmt::Write;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ints::{Atom, FALSE, Form, FormId, Ints, Round, Symbol, TRUE, Unencodable};
use super::products::{Clause, Literal, Products, product_index};
use crate::base::Name;
use crate::exp::poly::{AtomId, Monomial, Poly};
use crate::exp::{FunKind, IntTy, Interval};

type Result<T> = std::result::Result<T, Unencodable>;

/// Longer scripts are not sent.
const MAX_SCRIPT: usize = 32 << 20;
/// Small factors are within this of the least one.
const SMALL: i128 = 3;

/// The writer, which remembers what it wrote.
#[derive(Clone, Default)]
pub struct Emitter {
    pub products: Products,
    /// Leave products to the solver: no lemmas about them.
    plain: bool,
    atoms: IndexMap<AtomId, String>,
    forms: FxHashMap<FormId, String>,
    functions: FxHashMap<(Symbol, usize), String>,
    function_names: FxHashSet<String>,
    declared_products: usize,
    /// How many products are defined exactly.
    exact_products: usize,
    out: String,
}

impl Emitter {
    pub fn new(lemmas: bool) -> Emitter {
        Emitter { plain: !lemmas, ..Emitter::default() }
    }

    /// What was written since the last call.
    pub fn take(&mut self) -> Result<String> {
        if self.out.len() > MAX_SCRIPT {
            return Err(Unencodable("the query is too large".to_string()));
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Asserts the form, after everything that it needs.
    pub fn assert(&mut self, form: FormId, ints: &Ints) -> Result<()> {
        let mut monomials = FxHashSet::default();
        Reach { ints, monomials: &mut monomials, atoms: FxHashSet::default(), forms: FxHashSet::default() }.form(form);
        self.products.rank(&monomials);
        let parts = match ints.forms.get_index(form as usize) {
            Some(Form::And(parts)) => parts.clone(),
            _ => vec![form],
        };
        for part in parts {
            let text = self.form(part, ints)?;
            self.line(format_args!("(assert {text})"));
        }
        self.lemmas(ints)
    }

    /// Declares a variable that no form may mention, so that it has a value in the model.
    pub fn variable(&mut self, atom: AtomId, ints: &Ints) -> Result<()> {
        self.atom(atom, ints).map(|_| ())
    }

    /// Asserts that the products are products.
    pub fn define_products(&mut self, ints: &Ints) -> Result<()> {
        while self.exact_products < self.products.table.len() {
            let index = self.exact_products;
            self.exact_products += 1;
            let Some((product, _)) = self.products.table.get_index(index).map(|(p, b)| (p.clone(), *b)) else { break };
            let factor = self.atom(product.factor, ints)?;
            let by = self.linear(&product.by, ints)?;
            let product = self.unknown((1 << 31) + index as AtomId, ints)?;
            self.line(format_args!("(assert (= {product} (* {factor} {by})))"));
        }
        Ok(())
    }

    /// Asserts that the factors of products have these values, which makes all products linear.
    pub fn fix_factors(&mut self, value: &impl Fn(AtomId) -> Option<i128>, ints: &Ints) -> Result<()> {
        let mut fixed: FxHashSet<AtomId> = FxHashSet::default();
        for index in 0..self.products.table.len() {
            let Some((product, _)) = self.products.table.get_index(index).map(|(p, b)| (p.clone(), *b)) else { break };
            let Some(at) = value(product.factor) else { continue };
            let factor = self.atom(product.factor, ints)?;
            if fixed.insert(product.factor) {
                self.line(format_args!("(assert (= {factor} {}))", number(at)));
            }
            let by = self.linear(&product.by, ints)?;
            let product = self.unknown((1 << 31) + index as AtomId, ints)?;
            self.line(format_args!("(assert (= {product} (* {} {by})))", number(at)));
        }
        Ok(())
    }

    /// Asserts that the factors of products are among the few least numbers that they can be, not negative where that is
    /// possible: then products are linear, by cases.
    pub fn small_factors(&mut self, ints: &Ints) -> Result<()> {
        let mut bounded: FxHashSet<AtomId> = FxHashSet::default();
        for index in 0..self.products.table.len() {
            let Some((product, _)) = self.products.table.get_index(index).map(|(p, b)| (p.clone(), *b)) else { break };
            let bounds = ints.bounds(product.factor);
            let least = bounds.lo.unwrap_or(0).max(0).min(bounds.hi.unwrap_or(i128::MAX).saturating_sub(SMALL));
            let factor = self.atom(product.factor, ints)?;
            if bounded.insert(product.factor) {
                let (lo, hi) = (number(least), number(least.saturating_add(SMALL)));
                self.line(format_args!("(assert (<= {lo} {factor} {hi}))"));
            }
            let by = self.linear(&product.by, ints)?;
            let product = self.unknown((1 << 31) + index as AtomId, ints)?;
            let mut cases = format!("(* {} {by})", number(least.saturating_add(SMALL)));
            for value in (least..least.saturating_add(SMALL)).rev() {
                cases = format!("(ite (= {factor} {0}) (* {0} {by}) {cases})", number(value));
            }
            self.line(format_args!("(assert (= {product} {cases}))"));
        }
        Ok(())
    }

    pub fn clauses(&mut self, clauses: &[Clause], ints: &Ints) -> Result<()> {
        for clause in clauses {
            let text = self.clause(clause, ints)?;
            self.line(format_args!("(assert {text})"));
        }
        Ok(())
    }

    /// The names of all unknowns that were written, and of the products.
    pub fn names(&self) -> Vec<(AtomId, String)> {
        let products = (0..self.declared_products as AtomId).map(|i| ((1 << 31) + i, format!("m!{i}")));
        self.atoms.iter().map(|(atom, name)| (*atom, name.clone())).chain(products).collect()
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn lemmas(&mut self, ints: &Ints) -> Result<()> {
        if self.plain {
            return Ok(());
        }
        // What is written may have products of its own: those of the quotients in it.
        loop {
            let clauses = self.products.lemmas(ints)?;
            if clauses.is_empty() {
                return Ok(());
            }
            self.clauses(&clauses, ints)?;
        }
    }

    fn clause(&mut self, clause: &Clause, ints: &Ints) -> Result<String> {
        let mut parts = Vec::with_capacity(clause.len());
        for literal in clause {
            parts.push(match literal {
                Literal::Le(p) => self.comparison("<=", p, ints)?,
                Literal::Eq(p) => self.comparison("=", p, ints)?,
                Literal::Ne(p) => format!("(not {})", self.comparison("=", p, ints)?),
            });
        }
        Ok(match parts.as_slice() {
            [only] => only.clone(),
            _ => format!("(or {})", parts.join(" ")),
        })
    }

    fn form(&mut self, form: FormId, ints: &Ints) -> Result<String> {
        match form {
            FALSE => return Ok("false".to_string()),
            TRUE => return Ok("true".to_string()),
            _ => {}
        }
        if let Some(name) = self.forms.get(&form) {
            return Ok(name.clone());
        }
        let text = match ints.forms.get_index(form as usize) {
            None => return Err(Unencodable("a condition is missing".to_string())),
            Some(Form::False) => "false".to_string(),
            Some(Form::True) => "true".to_string(),
            Some(Form::Le(poly)) => {
                let poly = self.products.linear(poly, ints)?;
                return self.comparison("<=", &poly, ints);
            }
            Some(Form::Eq(poly)) => {
                let poly = self.products.linear(poly, ints)?;
                return self.comparison("=", &poly, ints);
            }
            Some(Form::Not(inner)) => return Ok(format!("(not {})", self.form(*inner, ints)?)),
            Some(Form::And(parts) | Form::Or(parts)) => {
                let word = if matches!(ints.forms.get_index(form as usize), Some(Form::And(_))) { "and" } else { "or" };
                let parts = parts.iter().map(|p| self.form(*p, ints)).collect::<Result<Vec<_>>>()?;
                format!("({word} {})", parts.join(" "))
            }
        };
        let name = format!("b!{form}");
        self.line(format_args!("(define-fun {name} () Bool {text})"));
        self.forms.insert(form, name.clone());
        Ok(name)
    }

    /// `positive part op negative part`, so that no term has a sign.
    fn comparison(&mut self, op: &str, linear: &Poly, ints: &Ints) -> Result<String> {
        let (mut left, mut right) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in &linear.terms {
            let side = if *coefficient > 0 { &mut left } else { &mut right };
            side.terms.push((monomial.clone(), coefficient.abs()));
        }
        let side = if linear.constant > 0 { &mut left } else { &mut right };
        side.constant = linear.constant.abs();
        Ok(format!("({op} {} {})", self.linear(&left, ints)?, self.linear(&right, ints)?))
    }

    /// A linear polynomial.
    fn linear(&mut self, linear: &Poly, ints: &Ints) -> Result<String> {
        let mut parts = Vec::with_capacity(linear.terms.len() + 1);
        for (monomial, coefficient) in &linear.terms {
            let [unknown] = monomial.as_slice() else {
                return Err(Unencodable("a product was left in a linear term".to_string()));
            };
            let name = self.unknown(*unknown, ints)?;
            parts.push(if *coefficient == 1 { name } else { format!("(* {} {name})", number(*coefficient)) });
        }
        if linear.constant != 0 || parts.is_empty() {
            parts.push(number(linear.constant));
        }
        Ok(match parts.as_slice() {
            [only] => only.clone(),
            _ => format!("(+ {})", parts.join(" ")),
        })
    }

    fn polynomial(&mut self, poly: &Poly, ints: &Ints) -> Result<String> {
        let linear = self.products.linear(poly, ints)?;
        self.linear(&linear, ints)
    }

    fn unknown(&mut self, unknown: AtomId, ints: &Ints) -> Result<String> {
        let Some(index) = product_index(unknown) else { return self.atom(unknown, ints) };
        // All factors of a product come before it, so the products are declared in order.
        while self.declared_products <= index {
            let next = self.declared_products;
            self.declared_products += 1;
            self.line(format_args!("(declare-fun m!{next} () Int)"));
        }
        Ok(format!("m!{index}"))
    }

    fn atom(&mut self, id: AtomId, ints: &Ints) -> Result<String> {
        if let Some(name) = self.atoms.get(&id) {
            return Ok(name.clone());
        }
        let Some((atom, bounds)) = ints.atoms.get_index(id as usize) else {
            return Err(Unencodable("an unknown is missing".to_string()));
        };
        let name = match atom {
            Atom::Var(name) => {
                let name = format!("v.{}", symbol(name));
                self.declare(&name);
                self.bounds(&name, *bounds);
                name
            }
            Atom::App(fun, args) => {
                let name = format!("a!{id}");
                let function = self.function(fun, args.len());
                let args = args.iter().map(|a| self.polynomial(a, ints)).collect::<Result<Vec<_>>>()?;
                self.declare(&name);
                if args.is_empty() {
                    self.line(format_args!("(assert (= {name} {function}))"));
                } else {
                    self.line(format_args!("(assert (= {name} ({function} {})))", args.join(" ")));
                }
                self.bounds(&name, *bounds);
                name
            }
            Atom::Choice(cond, t, e) => {
                let name = format!("c!{id}");
                let cond = self.form(*cond, ints)?;
                let (t, e) = (self.polynomial(t, ints)?, self.polynomial(e, ints)?);
                self.line(format_args!("(define-fun {name} () Int (ite {cond} {t} {e}))"));
                name
            }
            Atom::Part(poly) => {
                let name = format!("p!{id}");
                let text = self.polynomial(poly, ints)?;
                self.line(format_args!("(define-fun {name} () Int {text})"));
                name
            }
            Atom::Quotient { of, by, round } => {
                let name = format!("q!{id}");
                self.declare(&name);
                self.atoms.insert(id, name.clone());
                for text in self.quotient(id, of, by, *round, ints)? {
                    self.line(format_args!("(assert {text})"));
                }
                name
            }
        };
        self.atoms.insert(id, name.clone());
        Ok(name)
    }

    /// What defines a quotient. It always has a solution, whatever the dividend and the divisor are. [ENC-QUOT]
    fn quotient(&mut self, id: AtomId, of: &Poly, by: &Poly, round: Round, ints: &Ints) -> Result<Vec<String>> {
        let q = Poly::atom(id);
        let rest = of.sub(&q.mul(by)?)?;
        let zero = Poly::default();
        let mut le = |l: &Poly, r: &Poly| -> Result<String> {
            let difference = l.sub(r)?;
            let linear = self.products.linear(&difference, ints)?;
            self.comparison("<=", &linear, ints)
        };
        if let Some(by) = by.as_constant() {
            let most = Poly::constant(by - 1);
            let down = vec![le(&zero, &rest)?, le(&rest, &most)?];
            if round == Round::Floor || ints.hard(of).lo.is_some_and(|lo| lo >= 0) {
                return Ok(down);
            }
            let up = [le(&rest, &zero)?, le(&zero, &rest.plus(by - 1)?)?];
            return Ok(vec![format!(
                "(or (and {} {}) (and {} {}))",
                le(&zero, of)?,
                down.join(" "),
                le(&of.plus(1)?, &zero)?,
                up.join(" ")
            )]);
        }
        let (x, d) = (ints.hard(of), ints.hard(by));
        let may_be = |i: Interval, sign: i128| match sign {
            1 => i.hi.is_none_or(|hi| hi > 0),
            -1 => i.lo.is_none_or(|lo| lo < 0),
            _ => i.contains(0),
        };
        let mut cases = Vec::new();
        if may_be(d, 0) {
            let is_zero = format!("(= {} 0)", self.polynomial(by, ints)?);
            cases.push(format!("(and {is_zero} (= q!{id} 0))"));
        }
        for divisor_sign in [1, -1] {
            for dividend_sign in [1, -1] {
                let possible = if dividend_sign == 1 { may_be(x, 1) || may_be(x, 0) } else { may_be(x, -1) };
                if !may_be(d, divisor_sign) || !possible {
                    continue;
                }
                // With signs taken off: |x| = |d| |q| + |rest|, 0 <= |rest| < |d|, 0 <= |q| <= |x|.
                let divisor = by.scale(divisor_sign)?;
                let dividend = of.scale(dividend_sign)?;
                let remainder = rest.scale(dividend_sign)?;
                let quotient = q.scale(divisor_sign * dividend_sign)?;
                // Each side by itself: `x - W H q` and `W H` are factored as they are elsewhere.
                let mut le = |l: &Poly, r: &Poly| -> Result<String> {
                    let (l, r) = (self.products.linear(l, ints)?, self.products.linear(r, ints)?);
                    self.comparison("<=", &l.sub(&r)?, ints)
                };
                let mut parts = Vec::new();
                if may_be(d, 0) || may_be(d, -divisor_sign) {
                    parts.push(le(&Poly::constant(1), &divisor)?);
                }
                if may_be(x, -dividend_sign) || (dividend_sign == -1 && may_be(x, 0)) {
                    parts.push(le(&Poly::constant(if dividend_sign == 1 { 0 } else { 1 }), &dividend)?);
                }
                parts.push(le(&zero, &remainder)?);
                parts.push(le(&remainder.plus(1)?, &divisor)?);
                parts.push(le(&zero, &quotient)?);
                parts.push(le(&quotient, &dividend)?);
                cases.push(format!("(and {})", parts.join(" ")));
            }
        }
        Ok(match cases.as_slice() {
            [] => vec!["false".to_string()],
            [only] => vec![only.clone()],
            _ => vec![format!("(or {})", cases.join(" "))],
        })
    }

    fn declare(&mut self, name: &str) {
        self.line(format_args!("(declare-fun {name} () Int)"));
    }

    fn bounds(&mut self, name: &str, bounds: Interval) {
        match (bounds.lo, bounds.hi) {
            (Some(lo), Some(hi)) => self.line(format_args!("(assert (<= {} {name} {}))", number(lo), number(hi))),
            (Some(lo), None) => self.line(format_args!("(assert (<= {} {name}))", number(lo))),
            (None, Some(hi)) => self.line(format_args!("(assert (<= {name} {}))", number(hi))),
            (None, None) => {}
        }
    }

    fn function(&mut self, fun: &Symbol, arity: usize) -> String {
        if let Some(name) = self.functions.get(&(fun.clone(), arity)) {
            return name.clone();
        }
        let name = function_name(fun, arity, &mut self.function_names);
        let sorts = vec!["Int"; arity].join(" ");
        self.line(format_args!("(declare-fun {name} ({sorts}) Int)"));
        self.functions.insert((fun.clone(), arity), name.clone());
        name
    }
}

/// A name for a function that no other function has: functions of one name can differ in their type.
pub fn function_name(fun: &Symbol, arity: usize, taken: &mut FxHashSet<String>) -> String {
    let stem = match fun {
        Symbol::Fun(fun) => {
            let mark = if fun.kind == FunKind::Input { "" } else { "?" };
            format!("f.{}{mark}!{arity}", symbol(&fun.name))
        }
        Symbol::Bits(op) => format!("bits.{op:?}"),
    };
    let ty = match fun {
        Symbol::Fun(fun) if fun.ty != IntTy::I32 => format!("!{}", fun.ty),
        _ => String::new(),
    };
    let mut name = format!("{stem}{ty}");
    while !taken.insert(name.clone()) {
        name.push('!');
    }
    name
}

/// The text of a name as part of an SMT-LIB symbol: what may not stand in one is written as `!x`, its number, `!`.
pub fn symbol(name: &Name) -> String {
    let mut text = String::new();
    for c in name.as_str().chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '@' | '?' | '~' | '&' | '*' | '+' | '-' | '/') {
            text.push(c);
        } else {
            let _ = write!(text, "!x{:x}!", u32::from(c));
        }
    }
    text
}

/// An integer.
pub fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Collects the products of unknowns in a form and in all that it is made of.
struct Reach<'a> {
    ints: &'a Ints,
    monomials: &'a mut FxHashSet<Monomial>,
    atoms: FxHashSet<AtomId>,
    forms: FxHashSet<FormId>,
}

impl Reach<'_> {
    fn form(&mut self, form: FormId) {
        if !self.forms.insert(form) {
            return;
        }
        match self.ints.forms.get_index(form as usize) {
            None | Some(Form::False | Form::True) => {}
            Some(Form::Le(poly) | Form::Eq(poly)) => self.poly(poly),
            Some(Form::And(parts) | Form::Or(parts)) => parts.iter().for_each(|p| self.form(*p)),
            Some(Form::Not(inner)) => self.form(*inner),
        }
    }

    fn poly(&mut self, poly: &Poly) {
        for (monomial, _) in &poly.terms {
            if monomial.len() > 1 {
                self.monomials.insert(monomial.clone());
            }
            for atom in monomial {
                self.atom(*atom);
            }
        }
    }

    fn atom(&mut self, id: AtomId) {
        if !self.atoms.insert(id) {
            return;
        }
        match self.ints.atoms.get_index(id as usize) {
            None | Some((Atom::Var(_), _)) => {}
            Some((Atom::App(_, args), _)) => args.iter().for_each(|a| self.poly(a)),
            Some((Atom::Choice(cond, t, e), _)) => {
                self.form(*cond);
                self.poly(t);
                self.poly(e);
            }
            Some((Atom::Part(poly), _)) => self.poly(poly),
            Some((Atom::Quotient { of, by, .. }, _)) => {
                self.poly(of);
                if by.as_constant().is_none() {
                    // The rest of the division is `of - by * quotient`.
                    for (monomial, _) in &by.terms {
                        let mut product: Monomial = monomial.iter().copied().chain([id]).collect();
                        product.sort_unstable();
                        self.monomials.insert(product);
                    }
                }
                self.poly(by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ints::{BitOps, Wrap};
    use super::*;
    use crate::exp::wrap::assumption;
    use crate::exp::{B, Fun, N, NBin, Var};
    use expect_test::{Expect, expect};

    const I32: IntTy = IntTy::I32;
    const U32: IntTy = IntTy::U32;

    /// The script of a condition over `tid` in 0..=1023, `n` and `w` of type `int`, and `u` of type `unsigned`.
    fn check(cond: impl FnOnce(&N, &N, &N, &N) -> B, expected: Expect) {
        let vars = [
            (Var::new("tid", U32), Interval::new(0, 1023)),
            (Var::new("n", I32), Interval::of_type(I32)),
            (Var::new("w", I32), Interval::of_type(I32)),
            (Var::new("u", U32), Interval::of_type(U32)),
        ];
        let mut ints = Ints::new(Wrap::Assume, BitOps::Refuse);
        for (var, interval) in &vars {
            ints.declare(&var.name, *interval);
        }
        let [tid, n, w, u] = vars.map(|(var, _)| N::var(&var));
        let mut emitter = Emitter::new(true);
        let text = match ints.holds(&cond(&tid, &n, &w, &u)) {
            Ok(form) => {
                emitter.assert(form, &ints).expect("it can be written");
                emitter.take().expect("it is small")
            }
            Err(error) => format!("{error}\n"),
        };
        let assumed: String = ints.assumed.iter().map(|term| format!("; {}\n", assumption(term))).collect();
        expected.assert_eq(&(text + &assumed));
    }

    fn num(value: i128) -> N {
        N::num(value)
    }

    #[test]
    fn a_difference_that_fits_after_conversion_is_not_wrapped() {
        // (int)(tid - 1u) < n
        check(
            |tid, n, _, _| N::cast(I32, &N::sub(U32, tid, &num(1))).lt(n),
            expect![[r#"
            (declare-fun v.tid () Int)
            (assert (<= 0 v.tid 1023))
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (assert (<= v.tid v.n))
        "#]],
        );
    }

    #[test]
    fn one_period_is_a_choice() {
        // tid - 1u < u
        check(
            |tid, _, _, u| N::sub(U32, tid, &num(1)).lt(u),
            expect![[r#"
            (declare-fun v.tid () Int)
            (assert (<= 0 v.tid 1023))
            (declare-fun v.u () Int)
            (assert (<= 0 v.u 4294967295))
            (define-fun c!4 () Int (ite (<= v.tid 0) (- 1) 0))
            (assert (<= v.tid (+ v.u (* 4294967296 c!4))))
        "#]],
        );
    }

    #[test]
    fn a_product_by_a_constant_is_wrapped_by_a_quotient_when_unsigned() {
        check(
            |_, n, _, u| N::mul(U32, u, &num(12)).lt(n),
            expect![[r#"
            (declare-fun v.u () Int)
            (assert (<= 0 v.u 4294967295))
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (declare-fun q!4 () Int)
            (assert (<= (* 1073741824 q!4) (* 3 v.u)))
            (assert (<= (* 3 v.u) (+ (* 1073741824 q!4) 1073741823)))
            (assert (<= (+ (* 12 v.u) 1) (+ v.n (* 4294967296 q!4))))
        "#]],
        );
    }

    #[test]
    fn signed_overflow_is_assumed_away() {
        check(
            |_, n, w, _| N::mul(I32, n, &num(12)).lt(w),
            expect![[r#"
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (declare-fun v.w () Int)
            (assert (<= (- 2147483648) v.w 2147483647))
            (assert (<= (+ (* 12 v.n) 1) v.w))
            (assert (<= 0 (+ v.n 178956970)))
            (assert (<= v.n 178956970))
            ; no signed overflow in `n * 12`
        "#]],
        );
    }

    #[test]
    fn equal_residues_need_no_assumption_when_their_difference_is_small() {
        check(
            |tid, n, w, u| {
                let base = N::mul(U32, &N::cast(U32, n), &N::cast(U32, w));
                N::add(U32, &base, tid).eq(&N::add(U32, &base, &N::bin(NBin::Min, U32, u, &num(7))))
            },
            expect![[r#"
                (declare-fun v.tid () Int)
                (assert (<= 0 v.tid 1023))
                (declare-fun v.u () Int)
                (assert (<= 0 v.u 4294967295))
                (define-fun c!4 () Int (ite (<= v.u 7) v.u 7))
                (assert (= v.tid c!4))
            "#]],
        );
    }

    #[test]
    fn quotient_and_remainder_by_a_constant_cancel() {
        check(
            |tid, n, _, _| {
                let row = N::mul(U32, &N::bin(NBin::Div, U32, tid, &num(32)), &num(32));
                N::cast(I32, &N::add(U32, &row, &N::bin(NBin::Rem, U32, tid, &num(32)))).eq(n)
            },
            expect![[r#"
                (declare-fun v.tid () Int)
                (assert (<= 0 v.tid 1023))
                (declare-fun v.n () Int)
                (assert (<= (- 2147483648) v.n 2147483647))
                (assert (= v.tid v.n))
            "#]],
        );
    }

    #[test]
    fn a_remainder_of_a_signed_number_has_its_sign() {
        check(
            |_, n, _, _| N::bin(NBin::Rem, I32, n, &num(4)).eq(&num(-3)),
            expect![[r#"
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (declare-fun q!4 () Int)
            (assert (or (and (<= 0 v.n) (<= (* 4 q!4) v.n) (<= v.n (+ (* 4 q!4) 3))) (and (<= (+ v.n 1) 0) (<= v.n (* 4 q!4)) (<= (* 4 q!4) (+ v.n 3)))))
            (assert (= (+ v.n 3) (* 4 q!4)))
        "#]],
        );
    }

    #[test]
    fn masks_are_quotients() {
        check(
            |tid, _, _, _| N::bin(NBin::And, U32, tid, &num(0b11_0100)).eq(&num(4)),
            expect![[r#"
            (declare-fun q!4 () Int)
            (declare-fun v.tid () Int)
            (assert (<= 0 v.tid 1023))
            (assert (<= (* 4 q!4) v.tid))
            (assert (<= v.tid (+ (* 4 q!4) 3)))
            (declare-fun q!6 () Int)
            (assert (<= (* 16 q!6) v.tid))
            (assert (<= v.tid (+ (* 16 q!6) 15)))
            (declare-fun q!5 () Int)
            (assert (<= (* 8 q!5) v.tid))
            (assert (<= v.tid (+ (* 8 q!5) 7)))
            (declare-fun q!7 () Int)
            (assert (<= (* 64 q!7) v.tid))
            (assert (<= v.tid (+ (* 64 q!7) 63)))
            (assert (= (+ q!4 (* 4 q!6)) (+ (* 2 q!5) (* 16 q!7) 1)))
        "#]],
        );
        check(
            |tid, n, _, _| N::bin(NBin::Xor, U32, tid, &num(16)).eq(&N::cast(U32, n)),
            expect![[r#"
            (declare-fun v.tid () Int)
            (assert (<= 0 v.tid 1023))
            (declare-fun q!5 () Int)
            (assert (<= (* 32 q!5) v.tid))
            (assert (<= v.tid (+ (* 32 q!5) 31)))
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (declare-fun q!4 () Int)
            (assert (<= (* 16 q!4) v.tid))
            (assert (<= v.tid (+ (* 16 q!4) 15)))
            (assert (= (+ v.tid (* 64 q!5) 16) (+ v.n (* 32 q!4))))
        "#]],
        );
    }

    #[test]
    fn a_shift_by_a_few_amounts_is_a_table() {
        check(
            |tid, n, _, _| N::bin(NBin::Shl, I32, &num(1), &N::bin(NBin::And, U32, tid, &num(3))).eq(n),
            expect![[r#"
            (declare-fun v.n () Int)
            (assert (<= (- 2147483648) v.n 2147483647))
            (declare-fun v.tid () Int)
            (assert (<= 0 v.tid 1023))
            (declare-fun q!4 () Int)
            (assert (<= (* 4 q!4) v.tid))
            (assert (<= v.tid (+ (* 4 q!4) 3)))
            (define-fun c!5 () Int (ite (= v.tid (+ (* 4 q!4) 2)) 4 8))
            (define-fun c!6 () Int (ite (= v.tid (+ (* 4 q!4) 1)) 2 c!5))
            (define-fun c!7 () Int (ite (= v.tid (* 4 q!4)) 1 c!6))
            (assert (= v.n c!7))
        "#]],
        );
    }

    #[test]
    fn a_mask_of_unknowns_is_refused() {
        check(
            |_, n, w, _| N::bin(NBin::And, I32, n, w).eq(&num(4)),
            expect![[r#"
            `&` of two unknown numbers has no integer form
        "#]],
        );
    }

    #[test]
    fn applications_have_names_and_the_range_of_their_type() {
        let fun = Fun { name: "a b|c".into(), ty: IntTy::U8, kind: FunKind::Input };
        check(
            |_, n, _, _| N::call(fun.clone(), vec![n.clone(), num(1)]).eq(&N::call(fun.clone(), vec![num(2), num(1)])),
            expect![[r#"
                (declare-fun f.a!x20!b!x7c!c!2!u8 (Int Int) Int)
                (declare-fun v.n () Int)
                (assert (<= (- 2147483648) v.n 2147483647))
                (declare-fun a!4 () Int)
                (assert (= a!4 (f.a!x20!b!x7c!c!2!u8 v.n 1)))
                (assert (<= 0 a!4 255))
                (declare-fun a!5 () Int)
                (assert (= a!5 (f.a!x20!b!x7c!c!2!u8 2 1)))
                (assert (<= 0 a!5 255))
                (assert (= a!4 a!5))
            "#]],
        );
    }

    #[test]
    fn products_are_replaced_by_unknowns_with_lemmas() {
        check(
            |tid, n, w, _| {
                let row = N::mul(IntTy::I64, n, w);
                B::and([tid.lt(w), N::add(IntTy::I64, &row, tid).eq(&num(7))])
            },
            expect![[r#"
                (declare-fun v.tid () Int)
                (assert (<= 0 v.tid 1023))
                (declare-fun v.w () Int)
                (assert (<= (- 2147483648) v.w 2147483647))
                (assert (<= (+ v.tid 1) v.w))
                (declare-fun m!0 () Int)
                (assert (= (+ v.tid m!0) 7))
                (assert (<= 0 (+ m!0 4611686016279904256)))
                (assert (<= m!0 4611686018427387904))
                (declare-fun v.n () Int)
                (assert (<= (- 2147483648) v.n 2147483647))
                (assert (or (not (= v.n 0)) (= m!0 0)))
                (assert (or (not (= v.n 1)) (= m!0 v.w)))
                (assert (or (<= v.n 0) (<= (+ v.w 1) 0) (<= v.w m!0)))
                (assert (or (<= v.n 0) (<= 1 v.w) (<= m!0 v.w)))
                (assert (or (<= 0 v.n) (<= (+ v.w 1) 0) (<= (+ v.w m!0) 0)))
                (assert (or (<= 0 v.n) (<= 1 v.w) (<= 0 (+ v.w m!0))))
                (assert (or (not (= v.w 0)) (= m!0 0)))
                (assert (or (not (= v.w 1)) (= m!0 v.n)))
                (assert (or (<= v.w 0) (<= (+ v.n 1) 0) (<= v.n m!0)))
                (assert (or (<= v.w 0) (<= 1 v.n) (<= m!0 v.n)))
                (assert (or (<= 0 v.w) (<= (+ v.n 1) 0) (<= (+ v.n m!0) 0)))
                (assert (or (<= 0 v.w) (<= 1 v.n) (<= 0 (+ v.n m!0))))
            "#]],
        );
    }
}
