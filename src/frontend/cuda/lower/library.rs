//! What of the standard library means a few assignments, or an array.

use super::*;

/// The only member of `std::array`.
const ELEMENTS: &str = "[..]";

/// `std::array<T, N>`: an object that is an array. [INF-ARRAY]
pub fn array_type(written: &str, elem: Type, length: u64) -> Type {
    let elements = Type::Array(Arc::new(elem), Some(length));
    Type::Struct(Arc::new(StructTy::layout(written, vec![(Arc::from(ELEMENTS), elements)], false, None, true)))
}

/// The elements of a `std::array`, by its type.
pub(super) fn elements(ty: &Type) -> Option<(Type, u64)> {
    match ty.value() {
        Type::Struct(class) => match class.fields.as_slice() {
            [only] if &*only.name == ELEMENTS => match &only.ty {
                Type::Array(elem, Some(length)) => Some(((**elem).clone(), *length)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

impl<'l, 't> Body<'l, 't> {
    /// The array that a `std::array` is; anything else as it is.
    pub(super) fn as_array(&mut self, object: Expr, span: Span) -> Expr {
        if elements(&object.ty).is_none() {
            return object;
        }
        let object = match is_lvalue(&object) {
            true => object,
            false => {
                let ty = object.ty.clone();
                Expr::new(ExprKind::Temporary(Box::new(object)), ty, span)
            }
        };
        self.member(object, ELEMENTS, span)
    }

    /// `a.size()`, `a.data()`, `a.at(i)` and their like of a `std::array`.
    pub(super) fn array_call(&mut self, object: &Expr, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let (_, length) = elements(&object.ty)?;
        let number = |n: u64| Expr::new(ExprKind::Int(i128::from(n)), Type::Int(IntTy::U64), span);
        let at = match (name, args) {
            ("size" | "max_size", []) => return Some(self.preceded([object.clone()], number(length))),
            ("empty", []) => {
                let empty = Expr::new(ExprKind::Int(i128::from(length == 0)), Type::BOOL, span);
                return Some(self.preceded([object.clone()], empty));
            }
            ("data", []) => {
                let array = self.as_array(object.clone(), span);
                return Some(self.value(array));
            }
            ("at", [index]) => index.clone(),
            ("front", []) => number(0),
            ("back", []) => number(length.checked_sub(1)?),
            _ => return None,
        };
        let array = self.as_array(object.clone(), span);
        Some(self.subscript(array, at, span))
    }
}

impl<'l, 't> Body<'l, 't> {
    /// `std::swap(a, b)` of two numbers or pointers: what each place has goes to the other. [INF-SWAP]
    pub(super) fn swap(&mut self, qualifier: &Qualifier, args: &[Expr], span: Span) -> Option<Expr> {
        let standard = qualifier.parts.last().is_some_and(|last| matches!(last.as_str(), "std" | "thrust"));
        let [a, b] = args else { return None };
        let ty = a.ty.value().clone();
        let plain = matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
        if !standard || !plain || ty != *b.ty.value() || !is_place(a) || !is_place(b) {
            return None;
        }
        let mut steps = Vec::new();
        let mut places = Vec::new();
        for place in [a, b] {
            // A variable is its place; any other is found once.
            if let ExprKind::Var(_) = place.kind {
                places.push(place.clone());
                continue;
            }
            let address = self.address_of(place.clone(), span);
            let (setup, address) = self.repeatable(address);
            steps.extend(setup);
            places.push(self.deref(address, span));
        }
        let kept = Expr::new(ExprKind::Var(self.declare_hidden(ty.clone(), span)), ty, span);
        let [a, b] = [&places[0], &places[1]];
        for (to, from) in [(&kept, a), (a, b), (b, &kept)] {
            let value = self.value(from.clone());
            steps.push(self.assign(to.clone(), value, span));
        }
        let nothing = Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        Some(self.preceded(steps, nothing))
    }
}
