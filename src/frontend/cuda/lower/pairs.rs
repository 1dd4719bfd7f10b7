//! Pairs and tuples of libraries: members, made of values, and taken apart by `get` and `tie`. [INF-PAIR]

use itertools::Itertools;

use super::*;

/// Is this the name space of Thrust?
pub fn of_thrust(qualifier: &Qualifier) -> bool {
    matches!(qualifier.parts.as_slice(), [only] if only == "thrust")
}

/// `std::tuple<A, B, C>` and its like, where the program has no class of that name.
pub fn tuple_type(parts: Vec<Type>) -> Option<Type> {
    let is_known = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_));
    (!parts.is_empty() && parts.iter().all(is_known)).then_some(())?;
    let name = format!("std::tuple<{}>", parts.iter().join(", "));
    let fields = parts.into_iter().enumerate().map(|(i, ty)| (Arc::from(i.to_string()), ty)).collect();
    Some(Type::Struct(Arc::new(StructTy::layout(&name, fields, false, None, true))))
}

/// `std::pair<A, B>` and its like, where the program has no class of that name.
pub fn pair_type(first: Type, second: Type) -> Type {
    let name = format!("std::pair<{first}, {second}>");
    let fields = vec![(Arc::from("first"), first), (Arc::from("second"), second)];
    Type::Struct(Arc::new(StructTy::layout(&name, fields, false, None, true)))
}

impl<'l, 't> Body<'l, 't> {
    /// `std::make_pair(a, b)`, `std::make_tuple(a, b, c)`
    pub(super) fn made_pair(&self, name: &str, qualifier: &Qualifier, args: &[Expr], span: Span) -> Option<Expr> {
        (is_standard(qualifier) || of_thrust(qualifier)).then_some(())?;
        let values: Vec<Expr> = args.iter().map(|a| self.value(a.clone())).collect();
        let types: Vec<Type> = values.iter().map(|v| v.ty.clone()).collect();
        let ty = match (name, types.as_slice()) {
            ("make_pair", [a, b]) => pair_type(a.clone(), b.clone()),
            ("make_tuple", _) => tuple_type(types.clone())?,
            _ => return None,
        };
        let plain = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
        let Type::Struct(class) = &ty else { return None };
        let parts = class.fields.iter().map(|f| f.offset).zip(values).collect();
        types.iter().all(plain).then(|| Expr::new(ExprKind::Aggregate(parts), ty.clone(), span))
    }

    /// The members of a pair or a tuple of libraries, in their order.
    pub(super) fn parts_of_tuple(&self, ty: &Type) -> Option<Vec<Arc<str>>> {
        let Type::Struct(class) = ty.value() else { return None };
        let known = class.name.starts_with("std::pair<") || class.name.starts_with("std::tuple<");
        (known && self.class_node(ty.value()).is_none()).then(|| class.fields.iter().map(|f| f.name.clone()).collect())
    }

    /// `std::get<1>(t)`: a member of a pair or a tuple, and a place if that is one.
    pub(super) fn part_of_tuple(
        &mut self,
        (name, qualifier): (&str, &Qualifier),
        template: Option<Node<'t>>,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let ([tuple], "get", true) = (args, name, is_standard(qualifier) || of_thrust(qualifier)) else {
            return None;
        };
        let parts = self.parts_of_tuple(&tuple.ty)?;
        let [only] = self.template_arguments(template?)[..] else { return None };
        let part = parts.get(usize::try_from(self.template_value(only)?).ok()?)?;
        Some(self.member(tuple.clone(), part, span))
    }

    /// `thrust::tie(a, b) = pair`: all are assigned to, after all is evaluated.
    pub(super) fn tied_assignment(&mut self, left: Node<'t>, right: Node<'t>, span: Span) -> Option<Expr> {
        let callee = left.child_by_field_name("function").filter(|_| left.kind() == "call_expression")?;
        let (qualifier, base) = self.lower.unit.qualified(callee);
        let known = self.text(base) == "tie" && (is_standard(&qualifier) || of_thrust(&qualifier));
        if !known || self.lower.names.functions.contains_key("tie") {
            return None;
        }
        let nodes = self.arguments(left);
        let value = self.rvalue(right);
        let parts = self.parts_of_tuple(&value.ty).filter(|parts| parts.len() == nodes.len())?;
        let ty = value.ty.clone();
        let pair = Expr::new(ExprKind::Var(self.declare_hidden(ty.clone(), span)), ty.clone(), span);
        let mut steps = vec![Expr::new(ExprKind::Assign(Box::new(pair.clone()), Box::new(value)), ty, span)];
        // Which places these are is known before either is assigned to: `tie(i, a[i]) = p`.
        let mut places = Vec::new();
        for node in nodes {
            let place = self.expr(node);
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
        for (place, field) in places.into_iter().zip(parts) {
            let part = self.member(pair.clone(), &field, span);
            let part = self.value(part);
            let part = self.convert(part, place.ty.value());
            steps.push(self.assign(place, part, span));
        }
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }
}
