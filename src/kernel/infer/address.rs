//! Integers that are made of pointers. [INF-ADDRESS], [INF-SHARED-ADDRESS]
//!
//! An integer of 32 bits or more that holds an address is a pointer here, while integers are added to it and it is rounded
//! down to a multiple of a power of two. For everything else it is a number: a function of the array and the place.

use super::value::{Offset, Pointer, Target, Value};
use super::{ObjectKind, Walk};
use crate::exp::{Fun, FunKind, IntTy, Interval, N, NBin, NExp};
use crate::kernel::types::{MADE_UP, Type, has_open_rows};

/// Addresses are rounded to multiples of no more.
const MAX_ALIGNMENT: i128 = 1 << 20;
/// A multiple of all alignments. No pointer is so far in front of its array.
const FAR: i128 = 1 << 48;

impl Walk<'_> {
    /// Arithmetic on an address that gives an address, or the distance of two.
    pub(super) fn address_arithmetic(&mut self, op: NBin, ty: IntTy, l: &Value, r: &Value) -> Option<Value> {
        let (pointer, by) = match (op, l, r) {
            (NBin::Add, Value::Ptr(p), Value::Num(by)) | (NBin::Add, Value::Num(by), Value::Ptr(p)) => {
                (p, self.signed(by, ty))
            }
            (NBin::Sub, Value::Ptr(p), Value::Num(by)) => (p, N::sub(IntTy::MATH, &N::num(0), &self.signed(by, ty))),
            (NBin::Sub, Value::Ptr(l), Value::Ptr(r)) => {
                let ([a], [b], None, None) = (&l.targets[..], &r.targets[..], &l.unknown, &r.unknown) else {
                    return None;
                };
                let apart = a.object != b.object || [a, b].iter().any(|t| !self.is_in_bytes(t));
                let bytes = N::sub(IntTy::MATH, &a.offset.as_term(), &b.offset.as_term());
                return if apart { None } else { Some(Value::Num(N::cast(ty, &bytes))) };
            }
            (NBin::And, Value::Ptr(p), Value::Num(mask)) | (NBin::And, Value::Num(mask), Value::Ptr(p)) => {
                let alignment = -mask.as_num().map(|mask| if mask < 0 { mask } else { mask - (1 << ty.bits) })?;
                let is_power = (1..=MAX_ALIGNMENT).contains(&alignment) && alignment & (alignment - 1) == 0;
                return if is_power { self.rounded_down(p, alignment).map(Value::Ptr) } else { None };
            }
            _ => return None,
        };
        Some(Value::Ptr(pointer.map(|o| o.moved(&by, 1, None))))
    }

    /// What is added modulo the width of the type may be negative.
    fn signed(&self, by: &N, ty: IntTy) -> N {
        match ty {
            IntTy::U32 if !self.ranges.interval(by).within(Interval::of_type(IntTy::I32)) => N::cast(IntTy::I32, by),
            _ => self.distance(by),
        }
    }

    /// The last multiple of an alignment that is not behind a pointer.
    fn rounded_down(&mut self, pointer: &Pointer, alignment: i128) -> Option<Pointer> {
        let target =
            |target: &Target| Some(Target { offset: self.offset_rounded_down(target, alignment)?, ..target.clone() });
        let targets = pointer.targets.iter().map(target).collect::<Option<_>>()?;
        Some(Pointer { targets, unknown: pointer.unknown.clone() })
    }

    fn offset_rounded_down(&self, target: &Target, alignment: i128) -> Option<Offset> {
        let (math, object) = (IntTy::MATH, self.info(target.object));
        if !self.is_in_bytes(target) || !matches!(object.kind, ObjectKind::Array(_)) {
            return None;
        }
        // Where the array begins, modulo the alignment: the same for all threads.
        let known = i128::from(object.ty.align()).clamp(1, alignment);
        let name = format!("shift.{}", object.symbol);
        let shift = Fun { name: name.as_str().into(), ty: IntTy::U32, kind: FunKind::Abstract };
        let shift = N::bin(NBin::Rem, IntTy::U32, &N::call(shift, vec![]), &N::num(alignment / known));
        let shift = N::mul(math, &N::cast(math, &shift), &N::num(known));
        let place = N::add(math, &target.offset.as_term(), &shift);
        let far = if self.ranges.interval(&place).within(Interval { lo: Some(0), hi: None }) { 0 } else { FAR };
        let whole = N::bin(NBin::Div, math, &N::add(math, &place, &N::num(far)), &N::num(alignment));
        let back = N::sub(math, &N::num(-far), &shift);
        let mut rounded = Offset { terms: vec![], constant: 0, unknown: None, flat: true, ..target.offset.clone() };
        rounded = match whole.as_num() {
            Some(whole) => rounded.bytes(whole * alignment),
            None => rounded.element(&whole, u64::try_from(alignment).ok()?, None),
        };
        Some(match back.as_num() {
            Some(back) => rounded.bytes(back),
            None => rounded.element(&back, 1, None),
        })
    }

    /// Is the offset one of real bytes? In some objects the places mean something only to each other.
    fn is_in_bytes(&self, target: &Target) -> bool {
        let made_up = target.offset.unknown.is_some() || has_open_rows(&self.info(target.object).ty);
        !made_up && !self.is_found(target.object) && target.offset.constant < i128::from(MADE_UP)
    }

    /// A number where it matters that it is one: of a known place a function of that, and it may be 0.
    pub(super) fn not_address(&mut self, value: Value, ty: &Type) -> Value {
        match (&value, ty) {
            (Value::Ptr(pointer), Type::Int(int)) => {
                Value::Num(match self.place_of(pointer, "number", FunKind::Abstract) {
                    Some(number) => N::cast(*int, &number),
                    None => self.fresh_of_type("address", *int),
                })
            }
            _ => value,
        }
    }

    /// A term that identifies what a pointer points to.
    pub(super) fn address(&self, pointer: &Pointer) -> Option<N> {
        self.place_of(pointer, "address", FunKind::Input)
    }

    fn place_of(&self, pointer: &Pointer, what: &str, kind: FunKind) -> Option<N> {
        match (pointer.targets.as_slice(), &pointer.unknown) {
            ([only], None)
                if only.guard.as_lit() == Some(true) && self.info(only.object).kind != ObjectKind::Private =>
            {
                let name = format!("{what}.{}", self.info(only.object).symbol);
                Some(N::call(Fun { name: name.as_str().into(), ty: IntTy::U64, kind }, vec![only.offset.as_term()]))
            }
            _ => None,
        }
    }

    /// How far a pointer moves by a number: addresses have 64 bits, so that `p + (i - 1)` goes back for an unsigned `i` of 0.
    pub(super) fn distance(&self, by: &N) -> N {
        if let Some(n) = by.as_num().filter(|n| IntTy::U64.contains(*n)) {
            return N::num(IntTy::I64.wrap(n));
        }
        if by.ty() != Some(IntTy::U64) || self.ranges.interval(by).within(Interval::of_type(IntTy::I64)) {
            return by.clone();
        }
        match by.kind() {
            NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), _, l, r) => {
                N::bin(*op, IntTy::I64, &self.distance(l), &self.distance(r))
            }
            NExp::Cast(_, inner) if inner.ty().is_some_and(|ty| ty.bits > 0 && ty.signed) => self.distance(inner),
            _ => N::cast(IntTy::I64, by),
        }
    }
}
