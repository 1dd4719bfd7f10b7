//! What initialises a variable, a member or an argument.

use super::*;

impl<'l, 't> Body<'l, 't> {
    /// The value that initialises something of the given type.
    pub fn initial(&mut self, node: Node<'t>, ty: &Type) -> Expr {
        let span = self.span(node);
        if !matches!(node.kind(), "initializer_list" | "argument_list") {
            let value = self.expr(node);
            if let Type::Ref(_) = ty {
                return value;
            }
            let value = self.value(value);
            return self.convert(value, ty);
        }
        let mut cursor = node.walk();
        let items: Vec<_> = node.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        match ty.value() {
            Type::Struct(class) => {
                if let Some(call) = self.construct(ty.value(), &items, span) {
                    return call;
                }
                if let ("argument_list", [only]) = (node.kind(), items.as_slice()) {
                    let value = self.rvalue(*only);
                    if value.ty == *ty.value() {
                        return value;
                    }
                    if let Type::Int(_) = value.ty {
                        // dim3 d(n)
                        return self.launch_vector(class, vec![value], span);
                    }
                }
                if &*class.name == "dim3" {
                    let values = items.iter().map(|i| self.rvalue(*i)).collect();
                    return self.launch_vector(class, values, span);
                }
                let mut parts = Vec::new();
                for (field, item) in class.fields.clone().iter().zip(&items) {
                    let (field, item) = match designated(*item) {
                        Some((name, value)) => match class.field(self.text(name)) {
                            Some(field) => (field.clone(), value),
                            None => return self.unknown(*item, "designator"),
                        },
                        None => (field.clone(), *item),
                    };
                    let value = self.initial(item, &field.ty);
                    parts.push((field.offset, value));
                }
                Expr::new(ExprKind::Aggregate(parts), ty.value().clone(), span)
            }
            Type::Array(elem, length) => {
                let mut parts = Vec::new();
                // `{1, 2, 3, 4}` for a two-dimensional array fills it row by row.
                let flat = matches!(**elem, Type::Array(..)) && items.iter().all(|i| i.kind() != "initializer_list");
                let elem_ty = if flat { innermost(elem).clone() } else { (**elem).clone() };
                for (i, item) in items.iter().enumerate() {
                    let value = self.initial(*item, &elem_ty);
                    parts.push((i as u64 * elem_ty.size(), value));
                }
                let length = length.or(Some(items.len() as u64));
                Expr::new(ExprKind::Aggregate(parts), Type::Array(elem.clone(), length), span)
            }
            _ => match items.as_slice() {
                [] if is_auto(ty) => Expr::unknown("unknown-construct", "an empty initialiser", ty.clone(), span),
                [] => {
                    let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                    self.convert(zero, ty)
                }
                [only] => self.initial(*only, ty),
                _ => {
                    let values = items.iter().map(|i| self.rvalue(*i)).collect();
                    self.opaque("initializer", values, ty.value().clone(), span)
                }
            },
        }
    }

    /// `dim3(x)`: the missing parts are 1.
    pub(super) fn launch_vector(
        &mut self,
        class: &Arc<crate::kernel::types::StructTy>,
        values: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let one = Expr::new(ExprKind::Int(1), Type::UINT, span);
        let mut values = values.into_iter();
        let mut parts = Vec::new();
        for field in &class.fields {
            let value = values.next().unwrap_or_else(|| one.clone());
            parts.push((field.offset, self.convert(value, &field.ty)));
        }
        Expr::new(ExprKind::Aggregate(parts), Type::Struct(class.clone()), span)
    }
}

/// `.x = 1` apart.
pub(super) fn designated(item: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if item.kind() != "initializer_pair" {
        return None;
    }
    let designator = item.child_by_field_name("designator")?;
    Some((last_named(designator)?, item.child_by_field_name("value")?))
}

pub(super) fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => innermost(elem),
        other => other,
    }
}
