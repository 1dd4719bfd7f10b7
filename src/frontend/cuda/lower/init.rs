//! What initialises a variable, a member or an argument.

use std::iter::Peekable;

use super::atomics::is_atomic;
use super::expr::is_pointer;
use super::*;

type Items<'t> = Peekable<std::vec::IntoIter<Node<'t>>>;

impl<'l, 't> Body<'l, 't> {
    /// The value that initialises something of the given type.
    pub fn initial(&mut self, node: Node<'t>, ty: &Type) -> Expr {
        if !matches!(node.kind(), "initializer_list" | "argument_list") {
            let value = self.expr(node);
            if let Type::Ref(inner) = ty {
                return self.referred(value, inner);
            }
            let value = self.value(value);
            let value = self.copied(value);
            return self.convert(value, ty);
        }
        let made = self.made_of_list(node, ty);
        self.ending(made)
    }

    /// The value that a list in braces or parentheses gives something of the given type.
    fn made_of_list(&mut self, node: Node<'t>, ty: &Type) -> Expr {
        let span = self.span(node);
        let mut cursor = node.walk();
        let items: Vec<_> = node.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect();
        if items.iter().any(|i| i.kind() == "parameter_pack_expansion") {
            return self.listed_packs(&items, ty, span);
        }
        if self.lanes(ty).is_some() {
            let args: Vec<Expr> = items.iter().map(|i| self.rvalue(*i)).collect();
            return self.vector_literal(args, ty.value(), span);
        }
        match ty.value() {
            // Several numbers of 8 bits, made of larger ones.
            Type::Struct(class) if class.name.starts_with("__nv_fp8x") && !items.is_empty() => {
                let args: Vec<Expr> = items.iter().map(|i| self.rvalue(*i)).collect();
                match args.as_slice() {
                    [only] if only.ty == *ty.value() => only.clone(),
                    _ => self.made_of_numbers("fp8", args, ty.value(), span),
                }
            }
            Type::Struct(class) => {
                let aggregate = self.is_aggregate(ty.value());
                if node.kind() == "initializer_list" && self.takes_list(ty.value(), &items) {
                    let args: Vec<Expr> = items.iter().map(|i| self.expr(*i)).collect();
                    return self.unclear("a constructor with a list is not supported".to_owned(), args, span);
                }
                if !aggregate || items.is_empty() || node.kind() == "argument_list" {
                    let args: Vec<Expr> = items.iter().map(|i| self.expr(*i)).collect();
                    if let Some(reference) = self.atomic_reference(ty, &args, span) {
                        return reference;
                    }
                    if let Some(call) = self.construct(ty.value(), args.clone(), span) {
                        return call;
                    }
                    if let [only] = args.as_slice()
                        && (only.ty.value() == ty.value() || self.is_base_of(ty, &only.ty))
                    {
                        let value = self.value(only.clone());
                        let value = self.copied(value);
                        return self.convert(value, ty);
                    }
                    if &*class.name == "dim3" {
                        let values = args.into_iter().map(|a| self.value(a)).collect();
                        return self.launch_vector(class, values, span);
                    }
                    if node.kind() == "argument_list" && !args.is_empty() {
                        // `T(a, b)` for a class without constructors lists its members, where that is allowed.
                        let plain = items.iter().all(|i| i.kind() != "initializer_list");
                        if !plain || !aggregate {
                            return self.unclear("this construction is not supported".to_owned(), args, span);
                        }
                    }
                }
                if let [only] = items.as_slice()
                    && only.kind() != "initializer_list"
                    && only.kind() != "initializer_pair"
                {
                    let value = self.expr(*only);
                    if value.ty.value() == ty.value() || self.is_base_of(ty, &value.ty) {
                        let value = self.value(value);
                        let value = self.copied(value);
                        return self.convert(value, ty);
                    }
                }
                if is_atomic(ty) && class.name.starts_with("cuda::atomic_ref") {
                    let args: Vec<Expr> = items.iter().map(|i| self.expr(*i)).collect();
                    return match self.atomic_reference(ty, &args, span) {
                        Some(reference) => reference,
                        None => {
                            self.unclear("what this atomic reference stands for is not known".to_owned(), args, span)
                        }
                    };
                }
                let (mut parts, mut items) = (Vec::new(), items.into_iter().peekable());
                let whole = self.members(ty.value(), 0, &mut items, &mut parts);
                if !whole || items.peek().is_some() {
                    let args = parts.into_iter().map(|(_, e)| e).chain(items.map(|i| self.expr(i))).collect();
                    return self.unclear("this initialiser is not supported".to_owned(), args, span);
                }
                Expr::new(ExprKind::Aggregate(parts), ty.value().clone(), span)
            }
            Type::Array(elem, length) => {
                let (mut parts, mut items) = (Vec::new(), items.into_iter().peekable());
                let mut count = 0u64;
                while items.peek().is_some() && length.is_none_or(|n| count < n) {
                    let offset = count.saturating_mul(elem.size());
                    let left = items.len();
                    // An element without members takes no item.
                    if !self.part(elem, offset, &mut items, &mut parts) || items.len() == left {
                        break;
                    }
                    count += 1;
                }
                if items.peek().is_some() {
                    let args = parts.into_iter().map(|(_, e)| e).chain(items.map(|i| self.expr(i))).collect();
                    return self.unclear("this initialiser is not supported".to_owned(), args, span);
                }
                Expr::new(ExprKind::Aggregate(parts), Type::Array(elem.clone(), length.or(Some(count))), span)
            }
            // What a class that is not known does with its arguments is not known either.
            Type::Unknown(name) if !is_auto(ty) && !items.is_empty() && !self.is_parameter(name) => {
                let args: Vec<Expr> = items.iter().map(|i| self.rvalue(*i)).collect();
                Expr::new(ExprKind::CallUnknown(Name::new(&**name), args), ty.value().clone(), span)
            }
            _ => match items.as_slice() {
                [] if is_auto(ty) => Expr::unknown("unknown-construct", "an empty initialiser", ty.clone(), span),
                [] => {
                    let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                    self.convert(zero, ty)
                }
                [only] => self.initial(*only, ty),
                _ => {
                    let values: Vec<Expr> = items.iter().map(|i| self.rvalue(*i)).collect();
                    self.made_of_numbers("initializer", values, ty.value(), span)
                }
            },
        }
    }

    /// A value of a type that stands for a number, unless it is given an address.
    pub(super) fn made_of_numbers(&self, how: &str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        match ty {
            Type::Unknown(name) if !is_auto(ty) && args.iter().any(is_pointer) => {
                Expr::new(ExprKind::CallUnknown(Name::new(&**name), args), ty.clone(), span)
            }
            _ => self.opaque(how, args, ty.clone(), span),
        }
    }

    /// A list with expansions of packs, for an array of numbers or pointers.
    fn listed_packs(&mut self, items: &[Node<'t>], ty: &Type, span: Span) -> Expr {
        let values = self.exprs(items);
        let Type::Array(elem, length) = ty else {
            return self.unclear("this initialiser is not supported".to_owned(), values, span);
        };
        let plain = |e: &Expr| !matches!(e.ty.value(), Type::Struct(_) | Type::Unknown(_));
        let fits = length.is_none_or(|n| values.len() as u64 <= n);
        if !matches!(**elem, Type::Int(_) | Type::Float(_) | Type::Ptr(_)) || !values.iter().all(plain) || !fits {
            return self.unclear("this initialiser is not supported".to_owned(), values, span);
        }
        let count = values.len() as u64;
        let mut parts = Vec::new();
        for (i, value) in (0..).zip(values) {
            let value = self.value(value);
            parts.push((i * elem.size(), self.convert(value, elem)));
        }
        Expr::new(ExprKind::Aggregate(parts), Type::Array(elem.clone(), length.or(Some(count))), span)
    }

    /// What a reference is bound to: a place as it is, or for another type a temporary with the converted value.
    pub(super) fn referred(&mut self, expr: Expr, ty: &Type) -> Expr {
        let (object, span) = (expr.ty.value().clone(), expr.span);
        // A reference to an array is bound to the array, also where a pointer to its first element was made of it.
        let expr = match (expr.kind, ty.value()) {
            (ExprKind::Load(place), Type::Array(..)) if matches!(place.ty.value(), Type::Array(..)) => *place,
            (kind, _) => Expr { kind, ..expr },
        };
        if let (Type::Ptr(_), Type::Array(..)) = (expr.ty.value(), ty.value()) {
            return self.unclear("which array this reference is bound to is not known".to_owned(), vec![expr], span);
        }
        let expr = if is_lvalue(&expr) { self.as_part(expr, ty) } else { expr };
        if let (Type::Struct(_), Type::Int(_) | Type::Float(_) | Type::Ptr(_)) = (&object, ty.value()) {
            let made = self.converted(expr);
            if *made.ty.value() != object {
                return self.referred(made, ty);
            }
            return self.unclear("what this reference is bound to is not known".to_owned(), vec![made], span);
        }
        let other = match (expr.ty.value(), ty.value()) {
            (Type::Int(a), Type::Int(b)) => a != b,
            (Type::Float(a), Type::Float(b)) => a != b,
            (Type::Int(_), Type::Float(_)) | (Type::Float(_), Type::Int(_)) => true,
            // A constructor makes what is referred to.
            (Type::Int(_) | Type::Float(_) | Type::Ptr(_), Type::Struct(_)) => true,
            (a @ Type::Struct(_), b @ Type::Struct(_)) => self.is_made_for(a, b),
            _ => false,
        };
        if let Some(place) = self.smaller_or_larger(&expr).filter(|_| !other) {
            return place;
        }
        if is_lvalue(&expr) && !other || expr.ty == *ty {
            return expr;
        }
        let value = self.value(expr);
        self.convert(value, ty)
    }

    /// The place that `std::min(a, b)` or `std::max(a, b)` returns, where both are places.
    fn smaller_or_larger(&mut self, expr: &Expr) -> Option<Expr> {
        let ExprKind::Intrinsic(intrinsic, args) = &expr.kind else { return None };
        let less = match intrinsic {
            Intrinsic::Min(_) => true,
            Intrinsic::Max(_) => false,
            Intrinsic::Pure(name, None) => name.as_str() == "min",
            _ => return None,
        };
        let [a, b] = args.as_slice() else { return None };
        let (ExprKind::Load(first), ExprKind::Load(second)) = (&a.kind, &b.kind) else { return None };
        if !self.chosen.contains(&expr.span) || first.ty.value() != second.ty.value() {
            return None;
        }
        let (l, r) = if less { (b, a) } else { (a, b) };
        let cond = self.binary("<", l.clone(), r.clone(), expr.span);
        let choice = ExprKind::Choose(Box::new(cond), second.clone(), first.clone());
        Some(Expr::new(choice, first.ty.value().clone(), expr.span))
    }

    /// May braces mean a constructor that takes them as a list?
    fn takes_list(&mut self, ty: &Type, items: &[Node<'t>]) -> bool {
        let constructors = self.constructors(ty);
        let mut of_lists = Vec::new();
        for (decl, bindings) in &constructors {
            let types = self.inside(decl, bindings, |body| body.parameters(decl));
            let by_type = |ty: &Type| matches!(ty.value(), Type::Unknown(name) if name.contains("initializer_list"));
            if types.iter().any(|(_, ty, _)| by_type(ty)) || self.written(decl, 0).contains("initializer_list") {
                of_lists.push(decl.node);
            }
        }
        if of_lists.is_empty() {
            return false;
        }
        let lists = |decl: &FunDecl<'t>| of_lists.contains(&decl.node);
        match items {
            // By the constructor without arguments, if there is one.
            [] => !constructors.iter().any(|(decl, _)| !lists(decl) && Self::takes(decl, 0)),
            _ => true,
        }
    }

    /// Is an object of this class made by listing its members?
    fn is_aggregate(&mut self, ty: &Type) -> bool {
        match ty {
            Type::Struct(class) => {
                class.complete && class.field(VPTR).is_none() && !self.has_constructors(ty) && &*class.name != "dim3"
            }
            _ => false,
        }
    }

    /// The members of an object from a list; what the list does not reach is zero, or has its own initialiser.
    fn members(&mut self, ty: &Type, at: u64, items: &mut Items<'t>, out: &mut Vec<(u64, Expr)>) -> bool {
        let Type::Struct(class) = ty else { return false };
        if !self.is_aggregate(ty) {
            return false;
        }
        // A base is an element of its own, with braces of its own.
        let derives = self.class_node(ty).is_some_and(|(node, _)| child_of_kind(node, "base_class_clause").is_some());
        if derives && items.clone().any(|item| item.kind() == "initializer_list") {
            return false;
        }
        if class.fields.iter().any(|f| !f.bits.is_empty()) {
            return items.peek().is_none();
        }
        let mut fields = class.fields.iter();
        loop {
            let Some(item) = items.peek().copied() else {
                // What is left has to be what it is without an initialiser.
                return !self.needs_construction(ty, 0);
            };
            let Some(field) = fields.next() else { return true };
            if let Some((name, value)) = designated(item) {
                let Some(field) = class.field(self.text(name)).cloned() else { return false };
                while fields.as_slice().first().is_some_and(|f| f.offset <= field.offset) {
                    fields.next();
                }
                items.next();
                let value = self.initial(value, &field.ty);
                out.push((at.saturating_add(field.offset), value));
                continue;
            }
            if !self.part(&field.ty, at.saturating_add(field.offset), items, out) {
                return false;
            }
            // Of members in one place the first one takes the item.
            let end = field.offset.saturating_add(field.ty.size());
            let left = fields.len();
            while fields.as_slice().first().is_some_and(|f| f.offset < end) {
                fields.next();
            }
            // What follows may be more of one that is not the first: a class without a name.
            let more = fields.len() < left && fields.len() > 0 && items.peek().is_some();
            if more && self.class_node(ty).is_none_or(|(node, _)| has_class_beside(node)) {
                return false;
            }
        }
    }

    /// One member or element from a list, of which braces may be left out.
    fn part(&mut self, ty: &Type, at: u64, items: &mut Items<'t>, out: &mut Vec<(u64, Expr)>) -> bool {
        let Some(item) = items.peek().copied() else { return true };
        if item.kind() == "initializer_pair" {
            return false;
        }
        if matches!(ty, Type::Struct(_) | Type::Array(..)) && item.kind() != "initializer_list" {
            let value = self.expr(item);
            if value.ty.value() != ty && !self.is_base_of(ty, &value.ty) {
                let Type::Array(elem, Some(length)) = ty else { return self.members(ty, at, items, out) };
                for i in 0..*length {
                    let left = items.len();
                    if left == 0 {
                        break;
                    }
                    let offset = at.saturating_add(i.saturating_mul(elem.size()));
                    // An element without members takes no item.
                    if !self.part(elem, offset, items, out) || items.len() == left {
                        return false;
                    }
                }
                return true;
            }
        }
        items.next();
        let value = self.initial(item, ty);
        out.push((at, value));
        true
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

/// Is there a class without a name that is not the first member of a union?
fn has_class_beside(node: Node) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        if node.kind() == "union_specifier" {
            let body = child_of_kind(node, "field_declaration_list");
            let members = body.map(|b| b.named_children(&mut b.walk()).collect::<Vec<_>>()).unwrap_or_default();
            let nameless = |member: &Node| {
                member.child_by_field_name("declarator").is_none()
                    && member.child_by_field_name("type").is_some_and(|ty| ty.kind().ends_with("_specifier"))
            };
            if members.iter().filter(|m| m.kind() == "field_declaration").skip(1).any(nameless) {
                return true;
            }
        }
        open.extend(node.named_children(&mut cursor));
    }
    false
}
