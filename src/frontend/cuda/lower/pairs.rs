//! Pairs of libraries: two members, made of two values, and taken apart by `tie`. [INF-PAIR]

use super::*;

/// Is this the name space of Thrust?
pub fn of_thrust(qualifier: &Qualifier) -> bool {
    matches!(qualifier.parts.as_slice(), [only] if only == "thrust")
}

/// `std::pair<A, B>` and its like, where the program has no class of that name.
pub fn pair_type(first: Type, second: Type) -> Type {
    let name = format!("std::pair<{first}, {second}>");
    let fields = vec![(Arc::from("first"), first), (Arc::from("second"), second)];
    Type::Struct(Arc::new(StructTy::layout(&name, fields, false, None, true)))
}

impl<'l, 't> Body<'l, 't> {
    /// `std::make_pair(a, b)`
    pub(super) fn made_pair(&self, name: &str, qualifier: &Qualifier, args: &[Expr], span: Span) -> Option<Expr> {
        let ([a, b], "make_pair", true) = (args, name, is_standard(qualifier) || of_thrust(qualifier)) else {
            return None;
        };
        let (a, b) = (self.value(a.clone()), self.value(b.clone()));
        let plain = |e: &Expr| matches!(e.ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
        let ty = pair_type(a.ty.clone(), b.ty.clone());
        let Type::Struct(class) = &ty else { return None };
        let at = class.fields.get(1)?.offset;
        (plain(&a) && plain(&b)).then(|| Expr::new(ExprKind::Aggregate(vec![(0, a), (at, b)]), ty.clone(), span))
    }

    /// `thrust::tie(a, b) = pair`: both are assigned to, after all is evaluated.
    pub(super) fn tied_assignment(&mut self, left: Node<'t>, right: Node<'t>, span: Span) -> Option<Expr> {
        let callee = left.child_by_field_name("function").filter(|_| left.kind() == "call_expression")?;
        let (qualifier, base) = self.lower.unit.qualified(callee);
        let known = self.text(base) == "tie" && (is_standard(&qualifier) || of_thrust(&qualifier));
        if !known || self.lower.names.functions.contains_key("tie") {
            return None;
        }
        let nodes = self.arguments(left);
        let [first, second] = nodes.as_slice() else { return None };
        let value = self.rvalue(right);
        let Type::Struct(class) = value.ty.clone() else { return None };
        let names = class.fields.iter().map(|f| &*f.name);
        if self.class_node(&value.ty).is_some() || !names.eq(["first", "second"]) {
            return None;
        }
        let ty = value.ty.clone();
        let pair = Expr::new(ExprKind::Var(self.declare_hidden(ty.clone(), span)), ty.clone(), span);
        let mut steps = vec![Expr::new(ExprKind::Assign(Box::new(pair.clone()), Box::new(value)), ty, span)];
        // Which places these are is known before either is assigned to: `tie(i, a[i]) = p`.
        let mut places = Vec::new();
        for node in [first, second] {
            let place = self.expr(*node);
            if !is_place(&place) {
                return None;
            }
            if matches!(place.kind, ExprKind::Var(_)) && !matches!(place.ty, Type::Ref(_)) {
                places.push(place);
                continue;
            }
            let address = self.address_of(place, span);
            let ty = address.ty.clone();
            let kept = Expr::new(ExprKind::Var(self.declare_hidden(ty.clone(), span)), ty.clone(), span);
            steps.push(Expr::new(ExprKind::Assign(Box::new(kept.clone()), Box::new(address)), ty, span));
            let kept = self.value(kept);
            places.push(self.deref(kept, span));
        }
        for (place, field) in places.into_iter().zip(["first", "second"]) {
            let part = self.member(pair.clone(), field, span);
            let part = self.value(part);
            let part = self.convert(part, place.ty.value());
            steps.push(self.assign(place, part, span));
        }
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }
}
