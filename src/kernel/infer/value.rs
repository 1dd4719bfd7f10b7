//! Symbolic values, and pointers as guarded sets of (object, offset).

use std::sync::Arc;

use crate::exp::{B, N};
use crate::kernel::ir::FunId;
use crate::kernel::types::Type;

/// Something that pointers point to: a variable of a thread, an array, a temporary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjId(pub u32);

/// A place in an object: the sum of `index * stride` over the terms, plus a constant, in bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Offset {
    pub terms: Vec<(N, u64)>,
    pub constant: i128,
    /// The element type of unknown size that took part.
    pub unknown: Option<Arc<str>>,
    /// Did one of known size, or of another unknown size?
    pub known_size: bool,
    /// Did a pointer move along several dimensions at once? Then a subscript need not stay within its dimension.
    pub flat: bool,
}

impl Offset {
    pub fn start() -> Offset {
        Offset { terms: Vec::new(), constant: 0, unknown: None, known_size: false, flat: false }
    }

    /// With indices of 0 up to these strides, of which it has the first ones.
    fn pad(&mut self, strides: &[u64]) {
        self.terms.extend(strides.iter().skip(self.terms.len()).map(|stride| (N::num(0), *stride)));
    }

    /// Moved by `index` elements of `stride` bytes.
    pub fn element(&self, index: &N, stride: u64, unknown: Option<Arc<str>>) -> Offset {
        let mut moved = self.clone();
        moved.known_size |= unknown.is_none() && index.as_num() != Some(0);
        moved.take(&unknown);
        if index.as_num() == Some(0) && moved.terms.iter().any(|(_, s)| *s == stride) {
            return moved;
        }
        match moved.terms.last_mut() {
            Some((last, s)) if *s == stride => *last = N::add(crate::exp::IntTy::MATH, last, index),
            _ => moved.terms.push((index.clone(), stride)),
        }
        moved
    }

    /// A type of unknown size takes part.
    pub fn take(&mut self, unknown: &Option<Arc<str>>) {
        match (&self.unknown, unknown) {
            (Some(own), Some(other)) => self.known_size |= own != other,
            (None, Some(_)) => self.unknown = unknown.clone(),
            (_, None) => {}
        }
    }

    /// Moved by `index` elements as a pointer, which knows nothing of the dimensions of what it points to.
    pub fn moved(&self, index: &N, stride: u64, unknown: Option<Arc<str>>) -> Offset {
        let mut moved = self.element(index, stride, unknown);
        moved.flat |= moved.terms.len() > 1 && index.as_num() != Some(0);
        moved
    }

    pub fn bytes(&self, constant: i128) -> Offset {
        Offset { constant: self.constant + constant, ..self.clone() }
    }

    /// The offset in bytes, when it is a number.
    pub fn as_bytes(&self) -> Option<i128> {
        let mut sum = self.constant;
        for (index, stride) in &self.terms {
            sum = sum.checked_add(index.as_num()?.checked_mul(i128::from(*stride))?)?;
        }
        Some(sum)
    }

    /// The offset in bytes, as a term.
    pub fn as_term(&self) -> N {
        let math = crate::exp::IntTy::MATH;
        self.terms.iter().fold(N::num(self.constant), |sum, (index, stride)| {
            N::add(math, &sum, &N::mul(math, index, &N::num(i128::from(*stride))))
        })
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// Under which condition the pointer points here.
    pub guard: B,
    pub object: ObjId,
    pub offset: Offset,
}

/// What a pointer may point to. Without targets it is null or not initialised.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pointer {
    pub targets: Vec<Target>,
    /// Under which condition it points to something that is not known.
    pub unknown: Option<B>,
}

impl Pointer {
    pub fn to(object: ObjId, offset: Offset) -> Pointer {
        Pointer { targets: vec![Target { guard: B::lit(true), object, offset }], unknown: None }
    }

    pub fn unknown() -> Pointer {
        Pointer { targets: Vec::new(), unknown: Some(B::lit(true)) }
    }

    pub fn map(&self, f: impl Fn(&Offset) -> Offset) -> Pointer {
        let targets = self.targets.iter().map(|t| Target { offset: f(&t.offset), ..t.clone() }).collect();
        Pointer { targets, unknown: self.unknown.clone() }
    }

    /// `cond ? then : els`.
    pub fn choose(cond: &B, then: &Pointer, els: &Pointer) -> Pointer {
        if then == els {
            return then.clone();
        }
        let mut targets: Vec<Target> = Vec::new();
        let mut unknown = Vec::new();
        for (side, pointer) in [(cond.clone(), then), (B::not(cond), els)] {
            for target in &pointer.targets {
                let guard = B::and([side.clone(), target.guard.clone()]);
                if guard.as_lit() == Some(false) {
                    continue;
                }
                match targets.iter_mut().find(|t| t.object == target.object && t.offset == target.offset) {
                    Some(same) => same.guard = B::or([same.guard.clone(), guard]),
                    None => {
                        // The same object at different indices: one target with a chosen index.
                        // An index that only one of them has is 0 in the other.
                        let alike = targets.iter_mut().find(|t| {
                            t.object == target.object
                                && t.offset.constant == target.offset.constant
                                && t.offset.terms.iter().zip(&target.offset.terms).all(|(a, b)| a.1 == b.1)
                        });
                        match alike {
                            Some(first) => {
                                let mut target = target.clone();
                                let longest = first.offset.terms.len().max(target.offset.terms.len());
                                let strides =
                                    if first.offset.terms.len() == longest { &first.offset } else { &target.offset };
                                let strides: Vec<u64> = strides.terms.iter().map(|(_, s)| *s).collect();
                                first.offset.pad(&strides);
                                target.offset.pad(&strides);
                                for (a, b) in first.offset.terms.iter_mut().zip(&target.offset.terms) {
                                    a.0 = N::ite(&guard, &b.0, &a.0);
                                }
                                first.guard = B::or([first.guard.clone(), guard]);
                                first.offset.flat |= target.offset.flat;
                                first.offset.take(&target.offset.unknown);
                                first.offset.known_size |= target.offset.known_size;
                            }
                            None => targets.push(Target { guard, ..target.clone() }),
                        }
                    }
                }
            }
            if let Some(when) = &pointer.unknown {
                unknown.push(B::and([side, when.clone()]));
            }
        }
        let unknown = if unknown.is_empty() { None } else { Some(B::or(unknown)) };
        Pointer { targets, unknown: unknown.filter(|u| u.as_lit() != Some(false)) }
    }
}

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer or boolean; or a floating-point or unknown value, as a term that stands for its identity.
    Num(N),
    Ptr(Pointer),
    /// A function pointer: the candidates and when each is meant; the flag says that there may be others.
    Fun(Vec<(B, FunId)>, bool),
    /// A structure or array: its scalar parts by byte offset, in ascending order.
    Agg(Vec<(u64, Type, Value)>),
    Void,
}

/// The scalar parts of a type with their offsets, or `None` when there are too many to track.
pub fn scalars(ty: &Type, base: u64, limit: usize, out: &mut Vec<(u64, Type)>) -> Option<()> {
    if out.len() > limit {
        return None;
    }
    match ty {
        Type::Struct(s) => {
            let mut seen = Vec::new();
            for field in &s.fields {
                // Of the members of a union only the first counts.
                if seen.contains(&field.offset) {
                    continue;
                }
                seen.push(field.offset);
                scalars(&field.ty, base + field.offset, limit, out)?;
            }
            Some(())
        }
        Type::Array(elem, Some(n)) => {
            if *n > limit as u64 {
                return None;
            }
            for i in 0..*n {
                scalars(elem, base + i * elem.size(), limit, out)?;
            }
            Some(())
        }
        Type::Array(_, None) | Type::Void => None,
        other => {
            out.push((base, other.clone()));
            Some(())
        }
    }
}

/// Do the parts of a value say all of it? Not those of a union whose first member is smaller than others, nor those of
/// what has too many of them.
pub fn is_whole(ty: &Type, parts: &[(u64, Type, Value)]) -> bool {
    let mut layout = Vec::new();
    let bytes = || parts.iter().fold(0u64, |sum, (_, ty, _)| sum.saturating_add(ty.size()));
    scalars(ty, 0, 256, &mut layout).is_some()
        && parts.len() >= layout.len()
        && (!has_overlap(ty) || bytes() >= ty.size())
}

/// Do members lie on top of each other somewhere in a type?
fn has_overlap(ty: &Type) -> bool {
    match ty {
        Type::Struct(s) => {
            let end = |f: &crate::kernel::types::Field| f.offset.saturating_add(f.ty.size());
            let mut fields: Vec<_> = s.fields.iter().collect();
            fields.sort_by_key(|f| f.offset);
            fields.windows(2).any(|pair| end(pair[0]) > pair[1].offset) || fields.iter().any(|f| has_overlap(&f.ty))
        }
        Type::Array(elem, _) => has_overlap(elem),
        _ => false,
    }
}
