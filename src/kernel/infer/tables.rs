//! Private arrays with few elements: what is read at a subscript that is not known.

use super::Walk;
use super::state::Cells;
use super::value::{ObjId, Offset, Pointer, Value};
use crate::exp::N;
use crate::kernel::types::Type;

/// More cells than this are not chosen between.
const MOST: usize = 16;

impl Walk<'_> {
    /// The content of a cell at an offset that is not a number. [INF-TABLE]
    pub(super) fn load_element(&mut self, object: ObjId, cells: &Cells, offset: &Offset, ty: &Type) -> Value {
        let ([(index, stride @ 1..)], true) = (offset.terms.as_slice(), cells.cells.len() <= MOST) else {
            return self.unknown_element(ty);
        };
        let step = i128::from(*stride);
        // What is not in the array is meant by no subscript.
        let elements = self.elements_from(object, offset.constant, *stride).filter(|_| matches!(ty, Type::Ptr(_)));
        let mut listed = Vec::new();
        for (at, (size, value)) in &cells.cells {
            let at = i128::from(*at) - offset.constant;
            let within = at.rem_euclid(step);
            if elements.as_ref().is_some_and(|elements| !elements.contains(&at.div_euclid(step))) {
                continue;
            }
            if *size == ty.size() && within == 0 {
                listed.push((at.div_euclid(step), value));
            } else if within < i128::from(ty.size()) || within + i128::from(*size) > step {
                // Some bytes of what is read, as something else; others are members of the elements.
                return self.unknown_element(ty);
            }
        }
        let here = |at: i128| index.eq(&N::num(at));
        let chosen = match ty {
            Type::Ptr(inner) if **inner != Type::Fun => {
                let all = match elements {
                    Some(mut elements) => elements.all(|i| listed.iter().any(|(at, _)| *at == i)),
                    None => !cells.open,
                };
                let mut pointer = if all { Pointer::default() } else { Pointer::unknown() };
                for (at, value) in listed {
                    let element = match value {
                        Value::Ptr(element) => element.clone(),
                        Value::Num(n) if n.as_num() == Some(0) => Pointer::default(),
                        _ => return self.unknown_element(ty),
                    };
                    pointer = Pointer::choose(&here(at), &element, &pointer);
                }
                Some(Value::Ptr(pointer))
            }
            _ => {
                let Value::Num(mut choice) = self.rest_of(cells, offset, ty) else { return self.unknown_element(ty) };
                for (at, value) in listed {
                    let Value::Num(n) = value else { return self.unknown_element(ty) };
                    let Value::Num(n) = self.viewed(Value::Num(n.clone()), ty) else {
                        return self.unknown_element(ty);
                    };
                    choice = N::ite(&here(at), &n, &choice);
                }
                Some(Value::Num(choice)).filter(|v| matches!(v, Value::Num(n) if n.depth() < 60))
            }
        };
        chosen.unwrap_or_else(|| self.unknown_element(ty))
    }

    fn unknown_element(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Ptr(_) => Value::Ptr(Pointer::unknown()),
            _ => self.unknown_of(ty, "local"),
        }
    }

    /// The subscripts, counted from a place, of the array that it is in, which has elements of so many bytes.
    fn elements_from(&self, object: ObjId, place: i128, stride: u64) -> Option<std::ops::Range<i128>> {
        let (start, length) = array_at(&self.info(object).ty, 0, place, stride)?;
        let before = (place - start).div_euclid(i128::from(stride));
        Some(-before..i128::from(length) - before)
    }
}

/// Where the array of elements of that size begins that a place in an object of this type is in, and its length.
fn array_at(ty: &Type, start: i128, place: i128, stride: u64) -> Option<(i128, u64)> {
    match ty {
        Type::Array(elem, Some(length)) if elem.size() == stride && !elem.has_unknown_size() => Some((start, *length)),
        Type::Array(elem, Some(_)) => {
            let size = i128::from(elem.size().max(1));
            array_at(elem, start + (place - start).div_euclid(size) * size, place, stride)
        }
        Type::Struct(class) => class.fields.iter().find_map(|field| {
            let from = start + i128::from(field.offset);
            let to = from + i128::from(field.ty.size());
            (from..to).contains(&place).then(|| array_at(&field.ty, from, place, stride))?
        }),
        _ => None,
    }
}
