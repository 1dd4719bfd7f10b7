//! The bit-vector encoding: every operator at its own width, exactly (`protocol-spec/07-encoding.md`).
//!
//! A term is a bit-vector with a sign; its value is the integer that the two stand for. Values of different types meet
//! by extension to a width that holds both. An operator on mathematical integers has the width that its interval needs.

use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::{function_name, symbol};
use super::ints::{Symbol, Unencodable};
use super::query::Query;
use crate::base::{Name, OF_HOST};
use crate::exp::{B, BExp, Fun, IntTy, Interval, N, NBin, NExp, NRel, Ranges, free_vars_n};

type Result<T> = std::result::Result<T, Unencodable>;

/// Wider vectors are refused.
const MAX_WIDTH: u32 = 96;

/// A bit-vector and how to read it.
#[derive(Clone, Debug)]
struct Bits {
    text: String,
    width: u32,
    signed: bool,
}

/// A script, and the symbols whose values make up a model.
pub struct Script {
    pub text: String,
    pub vars: Vec<(Name, String, u32, bool)>,
    pub calls: Vec<(N, String, u32, bool)>,
}

/// The value that bits read as unsigned stand for.
pub fn signed_value(unsigned: i128, width: u32, signed: bool) -> i128 {
    if signed && width > 0 && width < 127 && unsigned >= 1 << (width - 1) { unsigned - (1 << width) } else { unsigned }
}

/// The query as bit-vectors.
pub fn encode(query: &Query) -> Result<Script> {
    let mut encoder = Encoder {
        ranges: query.ranges(),
        out: String::new(),
        next: 0,
        vars: IndexMap::new(),
        numbers: FxHashMap::default(),
        truths: FxHashMap::default(),
        intervals: FxHashMap::default(),
        calls: IndexMap::new(),
    };
    let mut vars = Vec::new();
    for (name, (ty, interval)) in query.all_vars() {
        let sharp = encoder.ranges.interval(&N::var(&crate::exp::Var::new(name.clone(), ty))).meet(interval);
        let (width, signed) = shape(ty, sharp, &name)?;
        let text = format!("v.{}", symbol(&name));
        encoder.line(format_args!("(declare-fun {text} () (_ BitVec {width}))"));
        let bits = Bits { text: text.clone(), width, signed };
        encoder.bounds(&bits, sharp)?;
        encoder.vars.insert(name.clone(), bits);
        vars.push((name, text, width, signed));
    }
    let mut asserts = IndexSet::new();
    for assert in &query.asserts {
        let text = encoder.boolean(assert)?;
        asserts.insert(text);
    }
    encoder.functions()?;
    for text in asserts {
        encoder.line(format_args!("(assert {text})"));
    }
    let calls = encoder
        .calls
        .iter()
        .map(|(call, (_, _, bits))| (call.clone(), bits.text.clone(), bits.width, bits.signed))
        .collect();
    Ok(Script { text: encoder.out, vars, calls })
}

/// The width and sign that hold a variable.
fn shape(ty: IntTy, interval: Interval, name: &Name) -> Result<(u32, bool)> {
    if ty.bits != 0 {
        return Ok((u32::from(ty.bits), ty.signed));
    }
    match width_of(interval) {
        Some(width) => Ok((width, true)),
        None => Err(unbounded([name.as_str()])),
    }
}

/// Nothing says how large numbers made of these may be: what a user can do.
fn unbounded<'n>(names: impl IntoIterator<Item = &'n str>) -> Unencodable {
    const FEW: usize = 4;
    // Names with a `$` or `!` are none of the program.
    let mut own: Vec<String> = names.into_iter().filter(|name| !name.contains(['$', '!'])).map(in_words).collect();
    own.truncate(FEW);
    let of = if own.is_empty() { "a number that the kernel computes".to_owned() } else { own.join(", ") };
    Unencodable(format!(
        "nothing says how large {of} may be; `--param`, or `--assume` with bounds for what the kernel is given, may help"
    ))
}

fn in_words(name: &str) -> String {
    match name.strip_suffix(OF_HOST) {
        Some(own) => format!("`{}` of the host code", own.split('#').next().unwrap_or(own)),
        None => format!("`{name}`"),
    }
}

/// The least width of a signed vector that holds the interval.
fn width_of(interval: Interval) -> Option<u32> {
    let (lo, hi) = (interval.lo?, interval.hi?);
    let need = |v: i128| 129 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() };
    let width = need(lo).max(need(hi));
    (width <= MAX_WIDTH).then_some(width)
}

struct Encoder {
    ranges: Ranges,
    out: String,
    next: u32,
    vars: IndexMap<Name, Bits>,
    numbers: FxHashMap<N, Bits>,
    truths: FxHashMap<B, String>,
    intervals: FxHashMap<N, Interval>,
    calls: IndexMap<N, (Fun, Vec<Bits>, Bits)>,
}

impl Encoder {
    fn line(&mut self, text: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn named(&mut self, text: String, width: u32, signed: bool) -> Bits {
        let name = format!("t!{}", self.next);
        self.next += 1;
        self.line(format_args!("(define-fun {name} () (_ BitVec {width}) {text})"));
        Bits { text: name, width, signed }
    }

    fn bounds(&mut self, bits: &Bits, interval: Interval) -> Result<()> {
        let own = Interval::of_type(IntTy { bits: bits.width as u8, signed: bits.signed });
        for (bound, is_lower) in [(interval.lo, true), (interval.hi, false)] {
            let Some(bound) = bound else { continue };
            if !own.contains(bound) {
                // A bound outside the type holds for all its values or for none.
                if is_lower == own.hi.is_some_and(|hi| bound > hi) {
                    self.line(format_args!("(assert false)"));
                }
                continue;
            }
            let constant = constant(bound, bits.width);
            let (l, r) = if is_lower { (&constant, &bits.text) } else { (&bits.text, &constant) };
            let op = if bits.signed { "bvsle" } else { "bvule" };
            let text = format!("(assert ({op} {l} {r}))");
            self.line(format_args!("{text}"));
        }
        Ok(())
    }

    /// Declares the functions, and says what their applications are. [BV-FUN]
    fn functions(&mut self) -> Result<()> {
        let mut signatures: IndexMap<(Fun, usize), Vec<u32>> = IndexMap::new();
        for (fun, args, _) in self.calls.values() {
            let widths = signatures.entry((fun.clone(), args.len())).or_insert_with(|| vec![1; args.len()]);
            for (width, arg) in widths.iter_mut().zip(args) {
                // One more bit holds an unsigned value as a signed one.
                *width = (*width).max(arg.width + u32::from(!arg.signed));
            }
        }
        let mut taken = FxHashSet::default();
        let mut names = FxHashMap::default();
        for ((fun, arity), widths) in &signatures {
            let name = function_name(&Symbol::Fun(fun.clone()), *arity, &mut taken);
            let sorts = widths.iter().map(|w| format!("(_ BitVec {w})")).collect::<Vec<_>>().join(" ");
            let result = u32::from(fun.ty.bits);
            self.line(format_args!("(declare-fun {name} ({sorts}) (_ BitVec {result}))"));
            names.insert((fun.clone(), *arity), name);
        }
        for (fun, args, bits) in self.calls.values().cloned().collect::<Vec<_>>() {
            let key = (fun, args.len());
            let (Some(name), Some(widths)) = (names.get(&key), signatures.get(&key)) else { continue };
            let args: Vec<String> = args.iter().zip(widths).map(|(arg, width)| extended(arg, *width)).collect();
            let application = if args.is_empty() { name.clone() } else { format!("({name} {})", args.join(" ")) };
            self.line(format_args!("(assert (= {} {application}))", bits.text));
        }
        Ok(())
    }

    /// An interval of the values of a term.
    fn interval(&mut self, term: &N) -> Interval {
        if let Some(done) = self.intervals.get(term) {
            return *done;
        }
        let interval = match term.kind() {
            NExp::Num(_) | NExp::Var(_) | NExp::Call(_, _) => self.ranges.interval(term),
            NExp::If(_, t, e) => self.interval(t).join(self.interval(e)),
            NExp::Cast(ty, inner) => Interval::wrapped(self.interval(inner), *ty),
            NExp::Bin(op, ty, l, r) => {
                let (a, b) = (self.interval(l), self.interval(r));
                let own = self.numbers.get(term).map_or(Interval::ALL, |bits| {
                    Interval::of_type(IntTy { bits: bits.width as u8, signed: bits.signed })
                });
                Interval::wrapped(Interval::of_bin(*op, *ty, a, b), *ty).meet(own)
            }
        };
        self.intervals.insert(term.clone(), interval);
        interval
    }

    fn number(&mut self, term: &N) -> Result<Bits> {
        if let Some(done) = self.numbers.get(term) {
            return Ok(done.clone());
        }
        let bits = match term.kind() {
            NExp::Num(value) => {
                let width = width_of(Interval::new(*value, *value))
                    .ok_or_else(|| Unencodable(format!("the constant {value} is too large")))?;
                Bits { text: constant(*value, width), width, signed: true }
            }
            NExp::Var(var) => match self.vars.get(&var.name) {
                Some(bits) => bits.clone(),
                None => return Err(Unencodable(format!("the variable `{}` is not declared", var.name))),
            },
            NExp::If(cond, t, e) => {
                let cond = self.boolean(cond)?;
                let (t, e) = (self.number(t)?, self.number(e)?);
                let (width, signed) = common(&t, &e);
                let text = format!("(ite {cond} {} {})", extended(&t, width), extended(&e, width));
                self.named(text, width, signed)
            }
            NExp::Cast(ty, inner) if ty.bits == 0 => self.number(inner)?,
            NExp::Cast(ty, inner) => {
                let inner = self.number(inner)?;
                let text = resized(&inner, u32::from(ty.bits));
                self.named(text, u32::from(ty.bits), ty.signed)
            }
            NExp::Call(fun, args) => {
                let args = args.iter().map(|a| self.number(a)).collect::<Result<Vec<_>>>()?;
                if fun.ty.bits == 0 {
                    return Err(Unencodable(format!("the function `{}` has unbounded results", fun.name)));
                }
                let width = u32::from(fun.ty.bits);
                let text = format!("a!{}", self.calls.len());
                self.line(format_args!("(declare-fun {text} () (_ BitVec {width}))"));
                let bits = Bits { text, width, signed: fun.ty.signed };
                self.calls.insert(term.clone(), (fun.clone(), args, bits.clone()));
                bits
            }
            NExp::Bin(op, ty, l, r) => self.operator(*op, *ty, l, r, term)?,
        };
        self.numbers.insert(term.clone(), bits.clone());
        Ok(bits)
    }

    fn operator(&mut self, op: NBin, ty: IntTy, l: &N, r: &N, term: &N) -> Result<Bits> {
        let (a, b) = (self.number(l)?, self.number(r)?);
        let shift = matches!(op, NBin::Shl | NBin::Shr);
        // [BV-WIDTH] [BV-MATH] The width to work in, and the sign to read it by.
        let (width, signed) = if ty.bits != 0 {
            (u32::from(ty.bits), ty.signed)
        } else {
            let (il, ir) = (self.interval(l), self.interval(r));
            let width = match op {
                // The result is no larger than the operands, except for the least number divided by -1.
                NBin::Div | NBin::Rem | NBin::And | NBin::Or | NBin::Xor | NBin::Min | NBin::Max => {
                    width_of(il.join(ir)).map(|width| width + 1)
                }
                NBin::Shr => width_of(il),
                NBin::Shl => width_of(il.join(self.interval(term))),
                NBin::Add | NBin::Sub | NBin::Mul => width_of(il.join(ir).join(self.interval(term))),
            };
            let width = width
                .filter(|width| *width <= MAX_WIDTH)
                .ok_or_else(|| unbounded(free_vars_n(term).iter().map(|v| v.name.as_str())))?;
            // An amount of 120 and more shifts all out; a negative one does too.
            if op == NBin::Shl && !ir.within(Interval::new(0, i128::from(width) - 1)) {
                return Err(Unencodable(format!("the amount of `{term}` has no bounds")));
            }
            (width, true)
        };
        if shift {
            // [BV-SHIFT] Both at a width that holds the amount too: negative amounts become large ones, which shift all out.
            let wide = width.max(b.width);
            let x = Bits { text: resized(&a, width), width, signed };
            let x = if wide == width { x.text } else { extended(&x, wide) };
            let by = extended(&b, wide);
            let name = match (op, signed) {
                (NBin::Shl, _) => "bvshl",
                (_, true) => "bvashr",
                (_, false) => "bvlshr",
            };
            let shifted = format!("({name} {x} {by})");
            let text =
                if wide == width { shifted } else { format!("((_ extract {} 0) {shifted})", width.saturating_sub(1)) };
            return Ok(self.named(text, width, signed));
        }
        let (x, y) = (resized(&a, width), resized(&b, width));
        let pick =
            |signed_name: &'static str, unsigned_name: &'static str| if signed { signed_name } else { unsigned_name };
        let text = match op {
            NBin::Add => format!("(bvadd {x} {y})"),
            NBin::Sub => format!("(bvsub {x} {y})"),
            NBin::Mul => format!("(bvmul {x} {y})"),
            NBin::And => format!("(bvand {x} {y})"),
            NBin::Or => format!("(bvor {x} {y})"),
            NBin::Xor => format!("(bvxor {x} {y})"),
            NBin::Div => {
                let zero = constant(0, width);
                let quotient = format!("({} {x} {y})", pick("bvsdiv", "bvudiv"));
                if r.as_num().is_some_and(|c| c != 0) {
                    quotient
                } else {
                    format!("(ite (= {y} {zero}) {zero} {quotient})")
                }
            }
            // [BV-DIV] The remainder by zero is the dividend in SMT-LIB too.
            NBin::Rem => format!("({} {x} {y})", pick("bvsrem", "bvurem")),
            NBin::Min => format!("(ite ({} {x} {y}) {x} {y})", pick("bvsle", "bvule")),
            NBin::Max => format!("(ite ({} {x} {y}) {y} {x})", pick("bvsle", "bvule")),
            NBin::Shl | NBin::Shr => return Err(Unencodable("a shift reached the wrong place".to_string())),
        };
        Ok(self.named(text, width, signed))
    }

    fn boolean(&mut self, term: &B) -> Result<String> {
        if let Some(done) = self.truths.get(term) {
            return Ok(done.clone());
        }
        let text = match term.kind() {
            BExp::Lit(value) => return Ok(value.to_string()),
            BExp::Not(inner) => format!("(not {})", self.boolean(inner)?),
            BExp::And(parts) | BExp::Or(parts) => {
                let word = if matches!(term.kind(), BExp::And(_)) { "and" } else { "or" };
                let parts = parts.iter().map(|p| self.boolean(p)).collect::<Result<Vec<_>>>()?;
                format!("({word} {})", parts.join(" "))
            }
            BExp::Rel(op, l, r) => {
                let (a, b) = (self.number(l)?, self.number(r)?);
                let (width, signed) = common(&a, &b);
                let (x, y) = (extended(&a, width), extended(&b, width));
                match (op, signed) {
                    (NRel::Eq, _) => format!("(= {x} {y})"),
                    (NRel::Ne, _) => format!("(not (= {x} {y}))"),
                    (NRel::Lt, true) => format!("(bvslt {x} {y})"),
                    (NRel::Lt, false) => format!("(bvult {x} {y})"),
                    (NRel::Le, true) => format!("(bvsle {x} {y})"),
                    (NRel::Le, false) => format!("(bvule {x} {y})"),
                }
            }
        };
        let name = format!("b!{}", self.next);
        self.next += 1;
        self.line(format_args!("(define-fun {name} () Bool {text})"));
        self.truths.insert(term.clone(), name.clone());
        Ok(name)
    }
}

/// A width and sign that hold the values of both. [BV-COMPARE]
fn common(a: &Bits, b: &Bits) -> (u32, bool) {
    if !a.signed && !b.signed {
        return (a.width.max(b.width), false);
    }
    let need = |x: &Bits| x.width + u32::from(!x.signed);
    (need(a).max(need(b)), true)
}

/// The same value at a width that is not smaller.
fn extended(bits: &Bits, width: u32) -> String {
    let by = width.saturating_sub(bits.width);
    match (by, bits.signed) {
        (0, _) => bits.text.clone(),
        (_, true) => format!("((_ sign_extend {by}) {})", bits.text),
        (_, false) => format!("((_ zero_extend {by}) {})", bits.text),
    }
}

/// The same value modulo 2^width.
fn resized(bits: &Bits, width: u32) -> String {
    if width < bits.width {
        format!("((_ extract {} 0) {})", width.saturating_sub(1), bits.text)
    } else {
        extended(bits, width)
    }
}

fn constant(value: i128, width: u32) -> String {
    let low = value.rem_euclid(1i128 << width.min(126));
    format!("(_ bv{low} {width})")
}
