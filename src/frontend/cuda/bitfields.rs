//! Bit-fields: those that stand next to each other are one number in memory, and one location. [INF-BIT-FIELD]

use std::sync::Arc;

use super::layout::Part;
use super::lower::Body;
use crate::base::Span;
use crate::exp::{IntTy, NBin};
use crate::kernel::ir::{Expr, ExprKind};
use crate::kernel::types::{BitField, Field, Type};

/// The bit-fields that members begin with, from the end of what is in front of them, as one number; and how many they are. By
/// the SysV ABI each lies within a unit of its type. `None` where no number of 1, 2, 4 or 8 bytes is just these.
pub(super) fn run(members: &[Part], end: u64) -> Option<(Field, usize, u64)> {
    let mut at = end.checked_mul(8)?;
    let mut bits = Vec::new();
    let mut count = 0;
    for part in members {
        let Some(width) = part.bits else { break };
        let Type::Int(ty) = part.ty else { return None };
        let unit = 8 * part.ty.size();
        if u64::from(width) > unit || part.align != part.ty.align() {
            return None;
        }
        if at % unit + u64::from(width) > unit {
            at = at.next_multiple_of(unit);
        }
        bits.push((part.name.clone(), at, width, ty));
        at += u64::from(width);
        count += 1;
    }
    let (start, end) = (bits.first()?.1 / 8, at.div_ceil(8));
    let bytes = (end - start).next_power_of_two();
    let step = match members.get(count) {
        Some(next) => next.align,
        None => members.iter().map(|p| p.align).max()?,
    };
    if bytes > 8 || start % bytes != 0 || start + bytes > end.next_multiple_of(step.max(1)) {
        return None;
    }
    let place = |(name, at, width, ty)| BitField { name, first: (at - 8 * start) as u32, width, ty };
    let bits: Vec<BitField> = bits.into_iter().map(place).collect();
    let name = bits.iter().map(|b| &*b.name).collect::<Vec<_>>().join("|");
    let ty = Type::Int(IntTy { bits: 8 * bytes as u8, signed: false });
    Some((Field { name: Arc::from(name), ty, offset: start, bits }, count, end))
}

/// The type in which the whole number is computed with.
fn wide(signed: bool, whole: &Type) -> IntTy {
    IntTy { bits: if whole.size() > 4 { 64 } else { 32 }, signed }
}

/// The number in memory of which the value of a bit-field was taken. (What else is computed is no place.)
pub(super) fn part_of(value: &Expr) -> Option<(&Expr, &BitField)> {
    match &value.kind {
        ExprKind::Convert(inner) | ExprKind::Arith(_, _, inner, _) => part_of(inner),
        ExprKind::Load(whole) => {
            let ExprKind::Member(object, _, name) = &whole.kind else { return None };
            let Type::Struct(class) = object.ty.value() else { return None };
            let field = class.field(name.as_str())?.bits.iter().rfind(|b| &*b.name == name.as_str())?;
            Some((whole, field))
        }
        _ => None,
    }
}

impl Body<'_, '_> {
    /// A store to a bit-field, of what is made of the value that it has.
    pub(super) fn store_bits(
        &mut self,
        place: &Expr,
        old: bool,
        span: Span,
        value: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Option<Expr> {
        let (whole, field) = part_of(place)?;
        let hole = Expr::new(ExprKind::Hole, whole.ty.clone(), span);
        let before = self.bits_of(hole.clone(), field, span);
        let value = value(self, before);
        let value = Box::new(self.with_bits(hole, field, value, span));
        let update = ExprKind::Update { place: Box::new(whole.clone()), value, old };
        Some(self.bits_of(Expr::new(update, whole.ty.clone(), span), field, span))
    }

    /// The value of a bit-field in a number, promoted.
    pub(super) fn bits_of(&mut self, whole: Expr, field: &BitField, span: Span) -> Expr {
        let ty = wide(field.ty.signed, &whole.ty);
        let int = |n: i128| Box::new(Expr::new(ExprKind::Int(n), Type::Int(ty), span));
        let arith = |op, l: Expr, r: Box<Expr>| Expr::new(ExprKind::Arith(op, ty, Box::new(l), r), Type::Int(ty), span);
        let whole = self.convert(whole, &Type::Int(ty));
        let rest = u32::from(ty.bits) - field.width;
        let value = match field.ty.signed {
            true => {
                arith(NBin::Shr, arith(NBin::Shl, whole, int(i128::from(rest - field.first))), int(i128::from(rest)))
            }
            false => {
                let mask = (1i128 << field.width) - 1;
                arith(NBin::And, arith(NBin::Shr, whole, int(i128::from(field.first))), int(mask))
            }
        };
        let fits = field.width < 32 || field.width == 32 && field.ty.signed;
        let promoted = match field.ty {
            IntTy::BOOL => Type::BOOL,
            _ if fits => Type::INT,
            ty => Type::Int(ty),
        };
        self.convert(value, &promoted)
    }

    /// The number with another value of the bit-field.
    pub(super) fn with_bits(&mut self, whole: Expr, field: &BitField, value: Expr, span: Span) -> Expr {
        let (ty, to) = (wide(false, &whole.ty), whole.ty.clone());
        let int = |n: i128| Expr::new(ExprKind::Int(ty.wrap(n)), Type::Int(ty), span);
        let arith =
            |op, l: Expr, r: Expr| Expr::new(ExprKind::Arith(op, ty, Box::new(l), Box::new(r)), Type::Int(ty), span);
        let mask = (1i128 << field.width) - 1;
        let value = match field.ty {
            IntTy::BOOL => self.convert(value, &Type::BOOL),
            _ => value,
        };
        let value = self.convert(value, &Type::Int(ty));
        let value = arith(NBin::And, value, int(mask));
        let value = arith(NBin::Shl, value, int(i128::from(field.first)));
        let whole = self.convert(whole, &Type::Int(ty));
        let others = arith(NBin::And, whole, int(!(mask << field.first)));
        self.convert(arith(NBin::Or, others, value), &to)
    }
}
