//! Pointers that are found in memory: arrays of pointers, and structures that point to their parts.
//!
//! What the pointers in an array point to is one array with a subscript more: which pointer it was. That no two of them
//! point to the same memory is assumed, and listed; that nobody writes the pointers while the kernel runs is checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::value::{ObjId, Offset, Pointer};
use super::{ObjectKind, Touches, Walk};
use crate::base::Name;
use crate::core::Space;
use crate::exp::{IntTy, N};
use crate::kernel::ir::FunId;
use crate::kernel::types::Type;

/// How many pointers are followed in a row.
const MAX_DEPTH: usize = 2;
/// Elements between what one pointer and the next point to: more than any subscript of 32 bits reaches.
pub const APART: u64 = 1 << 40;

/// What the pointers at a place in each element of an array point to.
pub(super) struct Found {
    /// Where the pointers are.
    holder: ObjId,
    /// Of the pointer in its element.
    at: i128,
    ty: Type,
    object: ObjId,
    depth: usize,
}

impl Walk<'_> {
    /// Is this what pointers in memory point to? It came to be during the walk, so that its versions are not followed.
    pub(super) fn is_found(&self, object: ObjId) -> bool {
        self.found.iter().any(|f| f.object == object)
    }

    /// The pointer that an array holds at an offset.
    pub(super) fn stored_pointer(&mut self, holder: ObjId, offset: &Offset, ty: &Type) -> Option<Pointer> {
        if self.tables.contains(&holder) {
            return self.pointer_in_table(holder, offset, ty);
        }
        let depth = 1 + self.found.iter().find(|f| f.object == holder).map_or(0, |f| f.depth);
        let info = self.info(holder);
        // What it points to at first is said.
        let initial = self.globals.iter().any(|(id, object)| {
            *object == holder && self.program.globals.get(id.0 as usize).is_some_and(|g| g.initialised)
        });
        let fixed = matches!(info.kind, ObjectKind::Array(Space::Global) | ObjectKind::Constant);
        let plain = matches!(element(ty), Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_));
        // A list or a tree: that all its nodes are different ones says nothing about those that two threads come to.
        let recursive = matches!(element(ty), Type::Struct(_)) && element(ty) == element(&info.ty);
        if initial
            || !fixed
            || !plain
            || recursive
            || offset.unknown.is_some()
            || ty.has_unknown_size()
            || depth > MAX_DEPTH
        {
            return None;
        }
        // Which element of the holder it is in, and where in it: at one place, or in an array of pointers.
        let elem = element(&info.ty);
        let whole = i128::from(elem.size());
        if whole == 0 {
            return None;
        }
        let (first, rest) = (offset.constant.div_euclid(whole), offset.constant.rem_euclid(whole));
        let (at, dims) = place_in(&elem, u64::try_from(rest).ok()?).unwrap_or((rest, Vec::new()));
        let row = ty.size().checked_mul(APART).filter(|row| *row > 0)?;
        // The strides in the holder and in what its pointers point to, and the subscripts, from the outermost.
        let mut strides = vec![(whole, 0)];
        let mut subscripts = vec![N::num(first)];
        for (unit, _, constant) in &dims {
            strides.push((i128::from(*unit), 0));
            subscripts.push(N::num(i128::from(*constant)));
        }
        let mut below = row;
        for (i, stride) in strides.iter_mut().enumerate().rev() {
            stride.1 = below;
            below = match i.checked_sub(1) {
                Some(before) => below.checked_mul(dims[before].1)?,
                None => below,
            };
        }
        let math = IntTy::MATH;
        for (n, stride) in &offset.terms {
            let stride = i128::from(*stride);
            let i = strides.iter().position(|(own, _)| stride % own == 0)?;
            subscripts[i] = N::add(math, &subscripts[i], &N::mul(math, n, &N::num(stride / strides[i].0)));
        }
        let object = match self.found.iter().find(|f| f.holder == holder && f.at == at) {
            // The same pointer, taken for one to something else.
            Some(found) if found.ty != *ty => return None,
            Some(found) => found.object,
            None => {
                let name = self.found_name(holder, at);
                let mut rows = Type::Array(Arc::new(ty.clone()), Some(APART));
                for (_, bound, _) in dims.iter().rev() {
                    rows = Type::Array(Arc::new(rows), Some(*bound));
                }
                let rows = Type::Array(Arc::new(rows), None);
                let object = self.object(name.as_str(), ObjectKind::Array(Space::Global), rows);
                self.found.push(Found { holder, at, ty: ty.clone(), object, depth });
                object
            }
        };
        let terms = subscripts.into_iter().zip(strides).map(|(n, (_, stride))| (n, stride)).collect();
        Some(Pointer::to(object, Offset { terms, ..Offset::start() }))
    }

    /// A pointer in an array that is a member of a parameter: each subscript is one of the array that it points to. [INF-TABLES]
    fn pointer_in_table(&mut self, holder: ObjId, offset: &Offset, ty: &Type) -> Option<Pointer> {
        // What `void *` points to is seen as bytes.
        let ty = if *ty == Type::Void { Type::Int(IntTy::I8) } else { ty.clone() };
        let plain = matches!(ty, Type::Int(_) | Type::Float(_) | Type::Struct(_));
        if !plain || offset.unknown.is_some() || ty.has_unknown_size() {
            return None;
        }
        let (at, bounds) = table_at(&self.info(holder).ty, offset.constant, 0)?;
        let row = ty.size().checked_mul(APART).filter(|row| *row > 0)?;
        // The strides in the table, and in what its pointers point to.
        let count = bounds.len();
        let below = |i: usize, unit: u64| bounds[i + 1..].iter().try_fold(unit, |s, n| s.checked_mul(*n));
        let strides: Vec<(u64, u64)> =
            (0..count).map(|i| Some((below(i, POINTER)?, below(i, row)?))).collect::<Option<_>>()?;
        let mut left = u64::try_from(offset.constant - at).ok()?;
        let math = IntTy::MATH;
        let mut subscripts: Vec<N> = Vec::new();
        for (stride, _) in &strides {
            subscripts.push(N::num(i128::from(left / stride)));
            left %= stride;
        }
        if left != 0 {
            return None;
        }
        for (term, stride) in &offset.terms {
            let i = strides.iter().position(|(own, _)| stride % own == 0)?;
            let term = N::mul(math, term, &N::num(i128::from(stride / strides[i].0)));
            subscripts[i] = N::add(math, &subscripts[i], &term);
        }
        let object = match self.found.iter().find(|f| f.holder == holder && f.at == at) {
            Some(found) if found.ty != ty => return None,
            Some(found) => found.object,
            None => {
                let name = self.found_name(holder, at);
                let mut rows = Type::Array(Arc::new(ty.clone()), Some(APART));
                for (i, bound) in bounds.iter().enumerate().rev() {
                    rows = Type::Array(Arc::new(rows), (i > 0).then_some(*bound));
                }
                let object = self.object(name.as_str(), ObjectKind::Array(Space::Global), rows);
                self.found.push(Found { holder, at, ty: ty.clone(), object, depth: MAX_DEPTH });
                object
            }
        };
        let terms = subscripts.into_iter().zip(strides).map(|(n, (_, stride))| (n, stride)).collect();
        Some(Pointer::to(object, Offset { terms, ..Offset::start() }))
    }

    /// `a[].part` or `a[]`.
    fn found_name(&mut self, holder: ObjId, at: i128) -> Name {
        let info = self.info(holder);
        let part = match element(&info.ty) {
            Type::Struct(class) => {
                let at = u64::try_from(at).ok();
                class.fields.iter().find(|f| Some(f.offset) == at).map(|f| format!(".{}", f.name))
            }
            _ => None,
        };
        let name = format!("{}[]{}", info.name, part.unwrap_or_default());
        self.array_name(&name)
    }
}

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// Where the array of pointers begins that has something at a place, and its bounds.
fn table_at(ty: &Type, place: i128, from: i128) -> Option<(i128, Vec<u64>)> {
    match ty {
        Type::Struct(class) => {
            let own = |f: &&crate::kernel::types::Field| {
                let start = from + i128::from(f.offset);
                (start..start + i128::from(f.ty.size())).contains(&place)
            };
            let field = class.fields.iter().find(own)?;
            table_at(&field.ty, place, from + i128::from(field.offset))
        }
        Type::Array(elem, Some(length)) => {
            let mut bounds = vec![*length];
            let mut elem = elem;
            while let Type::Array(inner, Some(length)) = &**elem {
                bounds.push(*length);
                elem = inner;
            }
            matches!(**elem, Type::Ptr(_)).then_some((from, bounds))
        }
        _ => None,
    }
}

/// An array in an element: the size of its elements, their number, and a subscript.
type Row = (u64, u64, u64);

/// The pointer at a place of an element: where it is with all its subscripts 0, and the arrays that it is in. `None` where
/// there is no pointer, or where members overlap.
fn place_in(ty: &Type, place: u64) -> Option<(i128, Vec<Row>)> {
    match ty {
        Type::Ptr(_) => (place == 0).then(|| (0, Vec::new())),
        Type::Struct(class) => {
            let holds =
                |f: &&crate::kernel::types::Field| place.checked_sub(f.offset).is_some_and(|at| at < f.ty.size());
            let mut fields = class.fields.iter().filter(holds);
            let (Some(field), None) = (fields.next(), fields.next()) else { return None };
            let (at, dims) = place_in(&field.ty, place - field.offset)?;
            Some((at + i128::from(field.offset), dims))
        }
        Type::Array(elem, Some(length)) => {
            let size = elem.size();
            let subscript = place.checked_div(size)?;
            let (at, mut dims) = place_in(elem, place % size)?;
            dims.insert(0, (size, *length, subscript));
            Some((at, dims))
        }
        _ => None,
    }
}

/// The type of the elements of an object.
fn element(ty: &Type) -> Type {
    match ty {
        Type::Array(inner, _) => element(inner),
        other => other.clone(),
    }
}

/// Says what is assumed of pointers in memory, and that it does not hold where they are written.
pub(super) fn check(walk: &mut Walk, kernel: FunId, written: &BTreeSet<Name>) {
    let mut holders: Vec<ObjId> = walk.found.iter().map(|f| f.holder).collect();
    holders.sort();
    holders.dedup();
    for holder in holders {
        let name = walk.info(holder).name.clone();
        if written.contains(&name) {
            let span = walk.function(kernel).span;
            let text = format!("pointers are read from `{name}`, which is written");
            walk.lose("unknown-pointer", text, span, Touches::Everything);
        } else {
            let text = format!("no two pointers in `{name}` point to the same memory, nor to that of another array");
            walk.assumptions.push(text);
        }
    }
}
