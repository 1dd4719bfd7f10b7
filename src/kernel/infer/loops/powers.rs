//! [LOOP-POWER] Values that are powers of two, or 0, in every iteration: a set of exponents that holds at first, and with every
//! value that an iteration leaves, grows until it does not ([THS] chapter 3; a set of at most 64 exponents cannot grow for ever).

use super::invariants::Leaf;
use super::*;
use crate::exp::Ranges;

/// What is known of a value: it is one of these powers of two, or 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Powers {
    /// Bit `e` is set where `2^e` is among them.
    exponents: u64,
    zero: bool,
    /// That signed products do not overflow is needed.
    pub assumed: bool,
}

impl Powers {
    fn number(n: i128) -> Option<Powers> {
        match n {
            0 => Some(Powers { zero: true, ..Powers::default() }),
            n if n > 0 && n & (n - 1) == 0 && n.trailing_zeros() < 63 => {
                Some(Powers { exponents: 1 << n.trailing_zeros(), ..Powers::default() })
            }
            _ => None,
        }
    }

    /// Those of them at which a condition may fail.
    pub(super) fn ending(self, ranges: &Ranges, var: &Var, condition: &B) -> Powers {
        let mut ranges = ranges.clone();
        ranges.narrow(&var.name, self.interval());
        ranges.assume(&B::not(condition));
        self.within(ranges.interval(&N::var(var)))
    }

    pub(super) fn join(self, other: Powers) -> Powers {
        Powers {
            exponents: self.exponents | other.exponents,
            zero: self.zero || other.zero,
            assumed: self.assumed || other.assumed,
        }
    }

    fn least(&self) -> u32 {
        self.exponents.trailing_zeros()
    }

    fn greatest(&self) -> u32 {
        63_u32.saturating_sub(self.exponents.leading_zeros())
    }

    fn interval(&self) -> Interval {
        let power = |e: u32| 1_i128 << e;
        match (self.exponents, self.zero) {
            (0, _) => Interval::new(0, 0),
            (_, true) => Interval::new(0, power(self.greatest())),
            (_, false) => Interval::new(power(self.least()), power(self.greatest())),
        }
    }

    /// Those in an interval.
    fn within(self, interval: Interval) -> Powers {
        let inside = |n: i128| interval.contains(n);
        let kept = (0..63).filter(|e| self.exponents >> e & 1 == 1 && inside(1 << e));
        Powers { exponents: kept.fold(0, |all, e| all | 1 << e), zero: self.zero && inside(0), ..self }
    }

    /// Converted to a type. An unsigned one has room for some, and 0 for the others.
    fn fitted(self, ty: IntTy) -> Option<Powers> {
        let room = match ty.bits {
            0 => 63,
            bits => (u32::from(bits) - u32::from(ty.signed)).min(63),
        };
        let fits = (1_u64 << room) - 1;
        let lost = self.exponents & !fits != 0;
        // Nothing is known past the 63rd.
        let whole = ty.bits == 0 || ty.bits > 62 && !ty.signed;
        if lost && (ty.signed || whole) {
            return None;
        }
        Some(Powers { exponents: self.exponents & fits, zero: self.zero || lost, ..self })
    }

    /// Times `2^by`, in a type.
    fn up(self, by: u32, ty: IntTy) -> Option<Powers> {
        if by >= 63 || self.exponents.checked_shl(by)? >> by != self.exponents {
            return None;
        }
        Powers { exponents: self.exponents << by, ..self }.fitted(ty)
    }

    /// Divided by `2^by`, and rounded down.
    fn down(self, by: u32) -> Powers {
        let low = if by >= 64 { u64::MAX } else { (1_u64 << by) - 1 };
        let exponents = self.exponents.checked_shr(by).unwrap_or(0);
        Powers { exponents, zero: self.zero || self.exponents & low != 0, ..self }
    }

    /// The powers that a term is, where the variable is one of `own`.
    fn of(term: &N, var: &Var, own: Powers) -> Option<Powers> {
        let of = |term: &N| Powers::of(term, var, own);
        let exponent = |term: &N| term.as_num().and_then(Powers::number).filter(|p| !p.zero).map(|p| p.least());
        match term.kind() {
            NExp::Num(n) => Powers::number(*n),
            NExp::Var(v) => (v == var).then_some(own),
            NExp::Cast(ty, inner) => of(inner)?.fitted(*ty),
            NExp::Bin(NBin::Mul, ty, l, r) => match (exponent(l), exponent(r)) {
                (_, Some(by)) => product(of(l)?, by, *ty),
                (Some(by), None) => product(of(r)?, by, *ty),
                (None, None) => None,
            },
            NExp::Bin(NBin::Add, ty, l, r) if l == r => product(of(l)?, 1, *ty),
            NExp::Bin(NBin::Shl, ty, l, r) => {
                let by = u32::try_from(r.as_num()?).ok().filter(|by| *by < u32::from(ty.bits))?;
                of(l)?.up(by, *ty)
            }
            NExp::Bin(NBin::Shr, _, l, r) => Some(of(l)?.down(u32::try_from(r.as_num()?).ok().filter(|by| *by < 64)?)),
            NExp::Bin(NBin::Div, _, l, r) => Some(of(l)?.down(exponent(r)?)),
            _ => None,
        }
    }

    /// A value of which this is known, and nothing else: by functions of these arguments.
    pub fn value(&self, name: &Name, ty: IntTy, args: &[N]) -> N {
        let math = IntTy::MATH;
        let unknown = |name: Name, bits: u8| {
            N::call(Fun { name, ty: IntTy { bits, signed: false }, kind: FunKind::Abstract }, args.to_vec())
        };
        if self.exponents == 0 {
            return N::num(0);
        }
        let (least, more) = (self.least(), self.greatest() - self.least());
        let further = match more {
            0 => N::num(0),
            more => N::bin(NBin::Min, math, &unknown(name.clone(), 6), &N::num(more)),
        };
        let wide = if ty.bits == 0 { IntTy::I64 } else { ty };
        let power = N::bin(NBin::Shl, wide, &N::num(1), &N::add(math, &N::num(least), &further));
        match self.zero {
            true => {
                let none = unknown(Name::new(format!("{name}.none")), 1).eq(&N::num(0));
                N::ite(&none, &N::num(0), &power)
            }
            false => power,
        }
    }
}

/// A product in a type: signed ones that overflow have no meaning.
fn product(factor: Powers, by: u32, ty: IntTy) -> Option<Powers> {
    if !ty.signed || ty.bits < 32 {
        return factor.up(by, ty);
    }
    let room = (1_u64 << (u32::from(ty.bits) - 1).min(63).saturating_sub(by)) - 1;
    let lost = factor.exponents & !room != 0;
    Powers { exponents: factor.exponents & room, assumed: factor.assumed || lost, ..factor }.up(by, ty)
}

/// The powers that a value is at the start of every iteration, if it is one: with the values that an iteration leaves.
pub(super) fn every(ranges: &Ranges, init: &N, var: &Var, next: &[Leaf]) -> Option<Powers> {
    let first = ranges.interval(init);
    let mut known = Powers::number(first.lo.filter(|lo| first.hi == Some(*lo))?)?;
    loop {
        let more = known.join(left(ranges, var, known, next)?);
        if more == known {
            return Some(known);
        }
        known = more;
    }
}

/// The powers that are left by values that are known to be these at the start.
pub(super) fn left(ranges: &Ranges, var: &Var, known: Powers, leaves: &[Leaf]) -> Option<Powers> {
    let mut all = Powers::default();
    for leaf in leaves {
        let mut ranges = ranges.clone();
        ranges.narrow(&var.name, known.interval());
        leaf.path.iter().for_each(|part| ranges.assume(part));
        let own = known.within(ranges.interval(&N::var(var)));
        all = all.join(Powers::of(&leaf.value, var, own)?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What steps leave of a number in a type, as C says; `None` where it says nothing.
    fn stepped(step: usize, n: i128, ty: IntTy) -> Option<i128> {
        let wide = [n * 2, n * 8, n << 3, n >> 2, n / 4, n + n, n][step];
        if ty.contains(wide) { Some(wide) } else { (!ty.signed).then(|| ty.wrap(wide)) }
    }

    fn term(step: usize, x: &N, ty: IntTy) -> N {
        let by = |op, n| N::bin(op, ty, x, &N::num(n));
        match step {
            0 => by(NBin::Mul, 2),
            1 => N::bin(NBin::Mul, ty, &N::num(8), x),
            2 => by(NBin::Shl, 3),
            3 => by(NBin::Shr, 2),
            4 => by(NBin::Div, 4),
            5 => N::add(ty, x, x),
            _ => x.clone(),
        }
    }

    #[test]
    fn what_steps_leave_is_among_the_powers() {
        for ty in [IntTy::U8, IntTy::I32, IntTy::U32, IntTy::I64, IntTy::U64] {
            let var = Var::new("s", ty);
            for step in 0..7 {
                let leaf = term(step, &N::var(&var), ty);
                for exponent in 0..u32::from(ty.bits) - u32::from(ty.signed) {
                    let n = 1_i128 << exponent;
                    let Some(own) = Powers::number(n) else { continue };
                    let Some(found) = Powers::of(&leaf, &var, own) else { continue };
                    let Some(next) = stepped(step, n, ty) else { continue };
                    let among = if next == 0 { found.zero } else { found.exponents == 1 << next.trailing_zeros() };
                    assert!(among && (next == 0) == (found.exponents == 0), "{ty:?} {step} {n}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn other_steps_are_no_powers() {
        let var = Var::new("s", IntTy::U32);
        let own = Powers::number(4).expect("a power");
        for value in [
            N::add(IntTy::U32, &N::var(&var), &N::num(2)),
            N::mul(IntTy::U32, &N::var(&var), &N::num(3)),
            N::num(-2),
            N::num(6),
        ] {
            assert_eq!(Powers::of(&value, &var, own), None, "{value}");
        }
    }
}
