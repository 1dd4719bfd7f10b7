//! Complex numbers of libraries: two numbers beside each other, and functions of them that compute. [INF-COMPLEX]

use super::*;

/// The two members, which have no names in programs.
const PARTS: [&str; 2] = ["[re]", "[im]"];

/// `thrust::complex<float>` and its like, where the program has no class of that name.
pub fn complex_type(qualifier: &Qualifier, written: &str, elem: Type) -> Option<Type> {
    let parts: Vec<&str> = qualifier.parts.iter().map(String::as_str).collect();
    let known = matches!(parts.as_slice(), ["thrust" | "c10" | "std"] | ["cuda", "std"]);
    let Type::Float(size) = elem else { return None };
    // Of the host's library, one is no more aligned than its parts.
    let align = if parts == ["std"] { u64::from(size) } else { 2 * u64::from(size) };
    let fields = PARTS.map(|name| (Arc::from(name), elem.clone())).to_vec();
    known.then(|| Type::Struct(Arc::new(StructTy::layout(written, fields, false, Some(align), true))))
}

/// The type of the parts of a complex number.
fn part_of(ty: &Type) -> Option<Type> {
    let Type::Struct(class) = ty.value() else { return None };
    let named = class.fields.iter().map(|f| &*f.name).eq(PARTS);
    named.then(|| class.fields.first().map(|f| f.ty.clone()))?
}

fn is_number(ty: &Type) -> bool {
    matches!(ty.value(), Type::Int(_) | Type::Float(_))
}

impl<'l, 't> Body<'l, 't> {
    /// `z.real()`, `z.imag(x)`.
    pub(super) fn complex_member(&mut self, object: &Expr, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let elem = part_of(&object.ty)?;
        let part = match name {
            "real" => PARTS[0],
            "imag" => PARTS[1],
            _ => return None,
        };
        match args {
            [] => {
                let place = self.member(object.clone(), part, span);
                Some(self.value(place))
            }
            [value] if is_number(&value.ty) && is_lvalue(object) => {
                let place = self.member(object.clone(), part, span);
                let value = self.value(value.clone());
                let value = self.convert(value, &elem);
                Some(self.assign(place, value, span))
            }
            _ => None,
        }
    }

    /// `conj(z)`, `pow(z, 2)`, `abs(z)`: what they compute is not followed.
    pub(super) fn complex_function(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        const COMPLEX: [&str; 17] = [
            "conj", "proj", "exp", "log", "log10", "sqrt", "pow", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin",
            "acos", "atan", "atanh",
        ];
        const REAL: [&str; 5] = ["real", "imag", "abs", "norm", "arg"];
        let first = args.iter().find(|a| part_of(&a.ty).is_some())?;
        let count = if name == "pow" { 2 } else { 1 };
        if args.len() != count || !args.iter().all(|a| is_number(&a.ty) || part_of(&a.ty).is_some()) {
            return None;
        }
        let ty = match name {
            name if COMPLEX.contains(&name) => first.ty.value().clone(),
            name if REAL.contains(&name) => part_of(&first.ty)?,
            _ => return None,
        };
        let args = args.iter().map(|a| self.value(a.clone())).collect();
        Some(Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(Name::new(name), None), args), ty, span))
    }

    /// A number as a complex one, or a complex one of another size.
    pub(super) fn as_complex(&mut self, expr: &Expr, ty: &Type) -> Option<Expr> {
        let elem = part_of(ty)?;
        let span = expr.span;
        if is_number(&expr.ty) {
            let Type::Struct(class) = ty else { return None };
            let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
            let parts = class.fields.iter().map(|f| f.offset).zip([expr.clone(), zero]);
            let parts = parts.map(|(at, part)| (at, self.convert(part, &elem))).collect();
            return Some(Expr::new(ExprKind::Aggregate(parts), ty.clone(), span));
        }
        let other = part_of(&expr.ty).is_some() && expr.ty.value() != ty;
        let what = Intrinsic::Pure(Name::new("complex"), None);
        other.then(|| Expr::new(ExprKind::Intrinsic(what, vec![expr.clone()]), ty.clone(), span))
    }
}
