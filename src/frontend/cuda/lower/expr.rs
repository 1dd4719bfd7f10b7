//! Expressions: places, values, conversions and operators.

use super::atomics::is_atomic;
use super::groups::{is_any_group, is_some_group, is_tile};
use super::*;
use crate::frontend::cuda::bitfields::part_of;

/// Is this 0 or 1, of type `int` in C?
fn is_truth(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(..))
}

impl<'l, 't> Body<'l, 't> {
    /// The value of an expression that may be a place.
    pub(super) fn value(&self, expr: Expr) -> Expr {
        let span = expr.span;
        if !is_place(&expr) {
            // A choice between places of which one is assigned to.
            return match expr.kind {
                ExprKind::Choose(c, t, e) if is_place(&t) || is_place(&e) => {
                    let (t, e) = (self.value(*t), self.value(*e));
                    Expr::new(ExprKind::Choose(c, Box::new(t), Box::new(e)), expr.ty, span)
                }
                kind => Expr { kind, ..expr },
            };
        }
        if let Some(known) = self.constant_element(&expr) {
            return Expr::new(ExprKind::Int(known), expr.ty, span);
        }
        match expr.ty.value().clone() {
            Type::Array(elem, _) => Expr::new(ExprKind::Load(Box::new(expr)), Type::Ptr(elem), span),
            ty => Expr::new(ExprKind::Load(Box::new(expr)), ty, span),
        }
    }

    /// An element of a constant array of numbers, at a subscript that is a number: `constexpr int sizes[] = {64, 48};`.
    fn constant_element(&self, place: &Expr) -> Option<i128> {
        let (ExprKind::Element(array, index), Type::Int(ty)) = (&place.kind, &place.ty) else { return None };
        let (ExprKind::Global(id), Type::Array(_, Some(length))) = (&array.kind, &array.ty) else { return None };
        let global = self.lower.program.globals.get(id.0 as usize)?;
        let init = global.init.as_ref().filter(|_| global.decl.storage == Storage::Constant)?;
        let (ExprKind::Aggregate(parts), at) = (&init.kind, u64::try_from(fold(index)?).ok()?) else { return None };
        if at >= *length {
            return None;
        }
        let offset = at.checked_mul(place.ty.size())?;
        // What is not listed is zero.
        match parts.iter().find(|(o, _)| *o == offset) {
            Some((_, part)) => Some(ty.wrap(fold(part)?)),
            None => parts.iter().all(|(_, part)| part.ty == place.ty).then_some(0),
        }
    }

    /// The parts of a `dim3` or `uint3`, by their places.
    fn three_parts(&mut self, expr: &Expr) -> Option<Vec<(u64, Expr)>> {
        match &expr.kind {
            ExprKind::Aggregate(parts) => Some(parts.clone()),
            ExprKind::Load(place) if !changes(place) => {
                let parts = [(0, "x"), (4, "y"), (8, "z")];
                let part = |(at, name): (u64, &str)| {
                    let part = self.member((**place).clone(), name, expr.span);
                    (at, self.value(part))
                };
                Some(parts.into_iter().map(part).collect())
            }
            _ => None,
        }
    }

    pub fn convert(&mut self, expr: Expr, ty: &Type) -> Expr {
        let ty = ty.value();
        if expr.ty == *ty || is_auto(ty) || *ty == Type::Void {
            return expr;
        }
        let span = expr.span;
        // The type says which threads it has.
        if is_any_group(ty) && is_some_group(&expr.ty) {
            return expr;
        }
        if let (Type::Struct(from), Type::Struct(to)) = (&expr.ty, ty)
            && is_three(&from.name)
            && is_three(&to.name)
            && let Some(parts) = self.three_parts(&expr)
        {
            return Expr::new(ExprKind::Aggregate(parts), ty.clone(), span);
        }
        if let (ExprKind::Load(object), Type::Int(_) | Type::Float(_)) = (&expr.kind, ty)
            && is_atomic(&object.ty)
            && let Some(loaded) = self.atomic_member(object, "load", &[], false, span)
        {
            return self.convert(loaded, ty);
        }
        // Of which group a tile is a part would be forgotten.
        if let (Type::Unknown(to), Type::Unknown(from)) = (ty, &expr.ty)
            && is_tile(to, from)
        {
            let given = expr.ty.clone();
            let lost =
                self.unclear("a tile of a tile as a tile of this type is not supported".to_owned(), vec![expr], span);
            return Expr { ty: given, ..lost };
        }
        // Another view of the storage of a collective would show what it does there.
        if matches!((&expr.ty, ty), (Type::Ptr(_), Type::Ptr(_))) && is_storage(&expr.ty) != is_storage(ty) {
            return self.unclear("this view of temporary storage is not supported".to_owned(), vec![expr], span);
        }
        if let Type::Ptr(to) = ty
            && let Some(moved) = self.between_classes(&expr, to, false)
        {
            return moved;
        }
        if let Some(made) = self.as_complex(&expr, ty) {
            return made;
        }
        match (&expr.kind, ty) {
            (ExprKind::Int(value), Type::Int(IntTy::BOOL)) => {
                Expr::new(ExprKind::Int(i128::from(*value != 0)), ty.clone(), span)
            }
            (ExprKind::Int(value), Type::Int(int)) => Expr::new(ExprKind::Int(int.wrap(*value)), ty.clone(), span),
            (_, Type::Int(_) | Type::Float(_) | Type::Ptr(_)) if matches!(expr.ty, Type::Struct(_)) => {
                let class = expr.ty.clone();
                match self.method(&class, "operator cast", None, &[]) {
                    Method::One(member) => {
                        let object = self.not_read(expr);
                        let call = self.call_member(member, &class, Some(object), vec![], span);
                        let value = self.value(call);
                        // No conversion is made of two such operators.
                        if self.converts_itself(&value.ty) {
                            return self.unclear("this conversion is not supported".to_owned(), vec![value], span);
                        }
                        self.convert(value, ty)
                    }
                    Method::Unclear => {
                        self.unclear("which conversion this is, is not known".to_owned(), vec![expr], span)
                    }
                    Method::None => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
                }
            }
            (_, Type::Struct(_)) if self.lanes(ty).is_some() => match self.spread(expr.clone(), ty) {
                Some(vector) => vector,
                None => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
            },
            (_, Type::Struct(_)) => {
                // One conversion by a constructor needs no other one: a cycle of them is a sign of a wrong choice.
                if self.converting {
                    return self.unclear("this conversion is not supported".to_owned(), vec![expr], span);
                }
                if self.has_constructors(ty) {
                    let direct = std::mem::replace(&mut self.direct, false);
                    if !direct && self.is_explicit(ty, &expr) {
                        return self.unclear("this conversion is not supported".to_owned(), vec![expr], span);
                    }
                    self.converting = true;
                    let made = self.construct(ty, vec![expr.clone()], span);
                    self.converting = false;
                    if let Some(made) = made {
                        return self.ending(made);
                    }
                }
                let class = expr.ty.clone();
                // The part that is the base, and nothing of the rest.
                if self.is_base_of(ty, &class) {
                    let object = match expr.kind {
                        ExprKind::Load(place) => *place,
                        kind => Expr { kind, ..expr },
                    };
                    let part = self.base_part(object, &class, ty);
                    let part = self.value(part);
                    return self.copied(part);
                }
                match self.method(&class, "operator cast", None, &[]) {
                    Method::None => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
                    Method::One(member) => {
                        let object = self.not_read(expr);
                        let call = self.call_member(member, &class, Some(object), vec![], span);
                        let made = self.value(call);
                        match made.ty == *ty {
                            true => made,
                            false => self.unclear("this conversion is not supported".to_owned(), vec![made], span),
                        }
                    }
                    Method::Unclear => self.unclear("this conversion is not supported".to_owned(), vec![expr], span),
                }
            }
            // A class may convert its objects itself, in whatever way.
            (_, Type::Unknown(_))
                if matches!(expr.ty, Type::Struct(_))
                    && self.lanes(&expr.ty).is_none()
                    && !matches!(self.method(&expr.ty.clone(), "operator cast", None, &[]), Method::None) =>
            {
                self.unclear("which conversion this is, is not known".to_owned(), vec![expr], span)
            }
            (_, Type::Unknown(name)) if is_pointer(&expr) => {
                Expr::new(ExprKind::CallUnknown(Name::new(&**name), vec![expr]), ty.clone(), span)
            }
            _ => Expr::new(ExprKind::Convert(Box::new(expr)), ty.clone(), span),
        }
    }

    /// Is this a class with an operator that converts its objects?
    fn converts_itself(&mut self, ty: &Type) -> bool {
        matches!(ty, Type::Struct(_)) && !matches!(self.method(ty, "operator cast", None, &[]), Method::None)
    }

    pub(super) fn truth(&mut self, expr: Expr) -> Expr {
        if self.is_opencl() && is_truth(&expr.kind) {
            return Expr { ty: Type::BOOL, ..expr };
        }
        self.convert(expr, &Type::BOOL)
    }

    pub fn rvalue(&mut self, node: Node<'t>) -> Expr {
        let expr = self.expr(node);
        self.value(expr)
    }

    /// Lowers an expression; the result may be a place.
    pub fn expr(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(node);
        if self.depth > MAX_DEPTH {
            return Expr::unknown("too-deep", "nesting is too deep", Type::INT, span);
        }
        self.depth += 1;
        self.at = node.start_byte();
        let expr = self.expr_inner(node, span);
        self.depth -= 1;
        // What C++ gives a type of its own is an `int` in C.
        let literal = matches!(node.kind(), "char_literal" | "true" | "false");
        match self.is_opencl() && (literal || expr.ty == Type::BOOL && is_truth(&expr.kind)) {
            true => Expr { ty: Type::INT, ..expr },
            false => expr,
        }
    }

    pub(super) fn expr_inner(&mut self, node: Node<'t>, span: Span) -> Expr {
        let text = self.text(node);
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "number_literal" => number(text, span),
            "char_literal" => match character(text) {
                Some((value, ty)) => Expr::new(ExprKind::Int(value), Type::Int(ty), span),
                None => self.unknown(node, "this character"),
            },
            "true" => Expr::new(ExprKind::Int(1), Type::BOOL, span),
            "false" => Expr::new(ExprKind::Int(0), Type::BOOL, span),
            "null" | "nullptr" => Expr::new(ExprKind::Int(0), Type::Void.ptr(), span),
            "string_literal" | "raw_string_literal" | "concatenated_string" => {
                Expr::new(ExprKind::Constant(Name::new(text)), Type::Int(IntTy::I8).ptr(), span)
            }
            "identifier" | "field_identifier" | "type_identifier" => self.name(text, span),
            "qualified_identifier" => match self.value_with_arguments(node) {
                Some(value) => value,
                None => self.qualified_name(node, span),
            },
            "this" => self.name("this", span),
            "parenthesized_expression" | "condition_clause" => match field("value").or_else(|| last_named(node)) {
                Some(inner) => self.expr(inner),
                None => self.unknown(node, "parentheses"),
            },
            "comma_expression" => match (field("left"), field("right")) {
                (Some(left), Some(right)) => {
                    let l = self.expr(left);
                    let r = self.expr(right);
                    if let Some(call) = self.own_operator(",", &[l.clone(), r.clone()], span) {
                        return call;
                    }
                    let ty = r.ty.clone();
                    Expr::new(ExprKind::Comma(Box::new(l), Box::new(r)), ty, span)
                }
                _ => self.unknown(node, "comma"),
            },
            "binary_expression" => match (field("left"), field("operator"), field("right")) {
                (Some(left), Some(operator), Some(right)) => {
                    if let Some(cast) = self.cast_of_a_sign(left, self.text(operator), right, span) {
                        return cast;
                    }
                    // A long chain such as `a + b + c + ..` leans left: walk down it without recursion.
                    let l = self.rvalue(left);
                    let r = self.rvalue(right);
                    self.binary(self.text(operator), l, r, span)
                }
                _ => self.unknown(node, "operator"),
            },
            "unary_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) => self.unary(self.text(operator), argument, span),
                _ => self.unknown(node, "operator"),
            },
            "pointer_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) if self.text(operator) == "*" => self.pointed_at(argument, span),
                (Some(operator), Some(argument)) => self.unary(self.text(operator), argument, span),
                _ => self.unknown(node, "operator"),
            },
            "update_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) => {
                    let postfix = operator.start_byte() > argument.start_byte();
                    let op = if self.text(operator) == "++" { "+" } else { "-" };
                    let place = self.expr(argument);
                    if let Type::Struct(_) = place.ty.value()
                        && self.lanes(&place.ty).is_none()
                        && !is_atomic(&place.ty)
                    {
                        let args = if postfix { vec![Expr::new(ExprKind::Int(0), Type::INT, span)] } else { vec![] };
                        return match self.operator_call(&format!("operator{op}{op}"), &place, args, span) {
                            Some(call) => call,
                            None => self.unclear(format!("`{op}{op}` of this class is not known"), vec![place], span),
                        };
                    }
                    let one = Expr::new(ExprKind::Int(1), Type::INT, span);
                    let operands = if postfix { vec![place.clone(), one.clone()] } else { vec![place.clone()] };
                    if let Some(call) = self.own_operator(&format!("{op}{op}"), &operands, span) {
                        return call;
                    }
                    self.update(place, op, one, postfix, span)
                }
                _ => self.unknown(node, "operator"),
            },
            "assignment_expression" => match (field("left"), field("operator"), field("right")) {
                (Some(left), ..) if left.kind() == "conditional_expression" => {
                    self.unknown(node, "an assignment within a choice")
                }
                (Some(left), Some(operator), Some(right)) => {
                    let op = self.text(operator);
                    let op = if op == "=" { op } else { op.trim_end_matches('=') };
                    if let Some(done) = self.swizzle_assignment(left, op, right, span) {
                        return done;
                    }
                    if op == "="
                        && let Some(done) = self.tied_assignment(left, right, span)
                    {
                        return done;
                    }
                    let place = self.expr(left);
                    let place = self.whole_variable(left, place);
                    match self.text(operator) {
                        "=" => {
                            let ty = place.ty.value().clone();
                            let of_number = is_atomic(&ty) && right.kind() != "initializer_list";
                            let is_list = right.kind() == "initializer_list";
                            let value = match of_number {
                                true => self.rvalue(right),
                                // Its operator is given the object itself, and no copy of it.
                                false if !is_list && self.special_assignment(&ty, 0) == Special::Own => {
                                    self.operand(right)
                                }
                                false => self.initial(right, &ty),
                            };
                            self.assign(place, value, span)
                        }
                        compound => {
                            let value = self.operand(right);
                            self.update(place, compound.trim_end_matches('='), value, false, span)
                        }
                    }
                }
                _ => self.unknown(node, "assignment"),
            },
            "conditional_expression" => match (field("condition"), field("consequence"), field("alternative")) {
                (Some(c), Some(t), Some(e)) => {
                    let c = self.rvalue(c);
                    if self.lanes(&c.ty).is_some() {
                        let (t, e) = (self.rvalue(t), self.rvalue(e));
                        return self.vector_choice(c, t, e, span);
                    }
                    let c = self.truth(c);
                    let (t, e) = (self.expr(t), self.expr(e));
                    // Of an object and one of a base class of its own, that part is meant.
                    let (t, e) = match (is_lvalue(&t) && is_lvalue(&e), t.ty.value().clone(), e.ty.value().clone()) {
                        (true, of_t @ Type::Struct(_), of_e @ Type::Struct(_)) if of_t != of_e => {
                            if self.is_base_of(&of_e, &of_t) {
                                (self.base_part(t, &of_t, &of_e), e)
                            } else if self.is_base_of(&of_t, &of_e) {
                                let e = self.base_part(e, &of_e, &of_t);
                                (t, e)
                            } else {
                                (t, e)
                            }
                        }
                        _ => (t, e),
                    };
                    let places = is_lvalue(&t) && is_lvalue(&e);
                    if places && t.ty.value() == e.ty.value() && !matches!(t.ty, Type::Array(..)) {
                        let ty = t.ty.value().clone();
                        let choose = ExprKind::Choose(Box::new(c), Box::new(t), Box::new(e));
                        return Expr::new(choose, ty, span);
                    }
                    let (t, e) = (self.value(t), self.value(e));
                    let (t, e) = (self.copied(t), self.copied(e));
                    let ty = match (&t.ty, &e.ty) {
                        (Type::Int(a), Type::Int(b)) if a == b => t.ty.clone(),
                        (Type::Int(a), Type::Int(b)) => Type::Int(common(*a, *b)),
                        (Type::Float(a), Type::Float(b)) => Type::Float(*a.max(b)),
                        (Type::Float(_), _) => t.ty.clone(),
                        (_, Type::Float(_)) | (Type::Int(_), _) => e.ty.clone(),
                        (Type::Ptr(p), _) if **p == Type::Void => e.ty.clone(),
                        (Type::Ptr(p), Type::Ptr(q)) if self.is_base_of(q, p) => e.ty.clone(),
                        _ => t.ty.clone(),
                    };
                    let (t, e) = (self.convert(t, &ty), self.convert(e, &ty));
                    Expr::new(ExprKind::Choose(Box::new(c), Box::new(t), Box::new(e)), ty, span)
                }
                _ => self.unknown(node, "conditional expression"),
            },
            "subscript_expression" => {
                let index = field("indices").or_else(|| field("index"));
                let mut cursor = node.walk();
                let indices: Vec<Node<'t>> = match index {
                    Some(list) if list.kind() == "subscript_argument_list" => {
                        list.named_children(&mut cursor).filter(|n| n.kind() != "comment").collect()
                    }
                    other => other.into_iter().collect(),
                };
                match (field("argument"), indices.split_last()) {
                    (Some(argument), Some((index, before))) => {
                        let base = self.expr(argument);
                        // `a[i, j]` is `a[(i, j)]`.
                        let before: Vec<Expr> = before.iter().map(|n| self.expr(*n)).collect();
                        let index = self.rvalue(*index);
                        let index = self.after(before, index, span);
                        self.subscript(base, index, span)
                    }
                    _ => self.unknown(node, "subscript"),
                }
            }
            "field_expression" => self.field(node, span),
            "cast_expression" => match (field("type"), field("value")) {
                (Some(written), Some(_)) if self.is_product(written) => {
                    self.unknown(node, "a product that reads as a cast")
                }
                (Some(written), Some(value)) => {
                    let ty = self.type_of(written);
                    if self.lanes(&ty).is_some() && value.kind() == "parenthesized_expression" {
                        let args = self.listed(value);
                        return self.vector_literal(args, &ty, span);
                    }
                    let value = if matches!(ty, Type::Ref(_)) { self.expr(value) } else { self.rvalue(value) };
                    let made = self.cast(value, ty.clone());
                    self.cast_place(written, &ty, made)
                }
                _ => self.unknown(node, "cast"),
            },
            "compound_literal_expression" => match (field("type"), field("value")) {
                (Some(written), Some(value)) => {
                    let ty = self.type_of(written);
                    let made = self.initial(value, &ty);
                    self.cast_place(written, &ty, made)
                }
                _ => self.unknown(node, "compound literal"),
            },
            // What it makes is said by what it is given to.
            "initializer_list" if self.lower.unit.text.contains("initializer_list") => {
                self.unknown(node, "a list in braces")
            }
            "initializer_list" => self.initial(node, &Type::Unknown(Arc::from("auto"))),
            "sizeof_expression" if self.counts(node) => self.length_of_pack(node, span),
            "fold_expression" => self.fold_of_pack(node, span),
            "sizeof_expression" | "alignof_expression" => {
                // Of a reference it is that of what it refers to.
                let ty = match (field("type"), field("value")) {
                    (Some(ty), _) => self.type_of(ty).value().clone(),
                    (None, Some(value)) => {
                        // `sizeof (T)` where T is a name reads as a value.
                        let inner =
                            if value.kind() == "parenthesized_expression" { last_named(value) } else { Some(value) };
                        match inner {
                            Some(name)
                                if name.kind() == "identifier"
                                    && self.lookup(self.text(name)).is_none_or(|l| matches!(l, Local::Type(_))) =>
                            {
                                self.type_of(name).value().clone()
                            }
                            Some(string) if string.kind().contains("string") => match string_bytes(self.text(string)) {
                                Some(n) => Type::Array(Arc::new(Type::Int(IntTy::I8)), Some(n)),
                                None => return self.unknown(node, "the size of this string"),
                            },
                            _ => self.expr(value).ty.value().clone(),
                        }
                    }
                    _ => return self.unknown(node, "sizeof"),
                };
                if ty.has_unknown_size() {
                    let what = format!("the size of `{ty}` is not known");
                    return Expr::unknown("unknown-type", what, Type::Int(IntTy::U64), span);
                }
                let n = if node.kind() == "sizeof_expression" { ty.size() } else { ty.align() };
                Expr::new(ExprKind::Int(i128::from(n)), Type::Int(IntTy::U64), span)
            }
            "call_expression" => self.call(node, span),
            "template_function" => match (self.value_with_arguments(node), field("name")) {
                (Some(value), _) => value,
                (None, Some(name)) => {
                    self.function_value(self.text(name), &Qualifier::default(), field("arguments"), span)
                }
                (None, None) => self.unknown(node, "template"),
            },
            "compound_statement" => self.statement_expression(node, span),
            // `1.0h` of OpenCL C.
            "user_defined_literal" if self.is_opencl() && is_half(text) => number(text, span),
            "user_defined_literal" => self.unknown(node, "user-defined literal"),
            "lambda_expression" => self.lambda(node, span),
            "new_expression" => self.unknown(node, "new"),
            "delete_expression" => self.unknown(node, "delete"),
            "gnu_asm_expression" => self.assembly(node, span),
            _ => self.unknown(node, node.kind()),
        }
    }

    /// `(uint)-i`, which reads as a difference, and `(scalar_t) *p`. Not where the operand may bind less tightly than the cast.
    fn cast_of_a_sign(&mut self, left: Node<'t>, op: &str, right: Node<'t>, span: Span) -> Option<Expr> {
        if left.kind() != "parenthesized_expression" || right.kind() == "binary_expression" {
            return None;
        }
        let name = last_named(left).filter(|n| n.kind() == "identifier")?;
        let known = match self.lookup(self.text(name)) {
            Some(Local::Type(ty)) => Some(ty),
            None if self.is_opencl() && !self.names_a_value(self.text(name)) => {
                Some(self.type_of(name)).filter(|ty| !matches!(ty, Type::Unknown(_)))
            }
            _ => None,
        };
        let value = match op {
            "-" | "+" if known.is_some() => self.unary(op, right, span),
            "*" if known.is_some() => {
                let place = self.pointed_at(right, span);
                self.value(place)
            }
            _ => return None,
        };
        known.map(|ty| self.cast(value, ty))
    }

    /// `*argument`
    fn pointed_at(&mut self, argument: Node<'t>, span: Span) -> Expr {
        let pointer = self.expr(argument);
        if let Type::Struct(_) = pointer.ty.value()
            && let Some(call) = self.operator_call("operator*", &pointer, vec![], span)
        {
            return call;
        }
        let pointer = self.value(pointer);
        self.deref(pointer, span)
    }

    /// The parts of `(a, b, c)`.
    fn listed(&mut self, node: Node<'t>) -> Vec<Expr> {
        let mut current = last_named(node);
        let mut found = Vec::new();
        while let Some(list) = current.filter(|n| n.kind() == "comma_expression") {
            found.extend(list.child_by_field_name("left"));
            current = list.child_by_field_name("right");
        }
        found.extend(current);
        found.into_iter().map(|n| self.rvalue(n)).collect()
    }

    /// Is what reads as a type the name of a variable, as in `(i * (n)) + m`?
    fn is_product(&self, written: Node<'t>) -> bool {
        let name = written.named_child(0).filter(|name| name.kind() == "type_identifier");
        name.is_some_and(|name| self.names_a_value(self.text(name)))
    }

    pub(super) fn unknown(&self, node: Node<'t>, what: &str) -> Expr {
        let text = format!("{} is not supported", what.replace('_', " "));
        Expr::unknown("unknown-construct", text, Type::Unknown(Arc::from("?")), self.span(node))
    }

    pub(super) fn deref(&self, pointer: Expr, span: Span) -> Expr {
        let ty = match pointer.ty.clone() {
            Type::Ptr(inner) if *inner == Type::Fun => return pointer,
            Type::Ptr(inner) => (*inner).clone(),
            _ => Type::Unknown(Arc::from("?")),
        };
        Expr::new(ExprKind::Deref(Box::new(pointer)), ty, span)
    }

    pub(super) fn address_of(&self, place: Expr, span: Span) -> Expr {
        if let ExprKind::Function(_) = place.kind {
            return place;
        }
        let ty = place.ty.value().clone().ptr();
        let place = if is_lvalue(&place) {
            place
        } else {
            let ty = place.ty.clone();
            Expr::new(ExprKind::Temporary(Box::new(place)), ty, span)
        };
        match place.kind {
            ExprKind::Deref(pointer) => Expr { ty, ..*pointer },
            _ => Expr::new(ExprKind::AddressOf(Box::new(place)), ty, span),
        }
    }

    /// What a conversion operator makes of an object, which may be a place; other values as they are.
    pub(super) fn converted(&mut self, expr: Expr) -> Expr {
        let class = expr.ty.value().clone();
        if !matches!(class, Type::Struct(_)) || self.lanes(&class).is_some() {
            return expr;
        }
        let span = expr.span;
        match self.method(&class, "operator cast", None, &[]) {
            Method::One(member) => {
                let object = self.not_read(expr);
                self.call_member(member, &class, Some(object), vec![], span)
            }
            Method::Unclear => self.unclear("which conversion this is, is not known".to_owned(), vec![expr], span),
            Method::None => expr,
        }
    }

    pub(super) fn subscript(&mut self, base: Expr, index: Expr, span: Span) -> Expr {
        let base = self.as_array(base, span);
        let index = match base.ty.value() {
            Type::Struct(_) => index,
            _ => {
                let index = self.converted(index);
                self.value(index)
            }
        };
        match base.ty.value().clone() {
            Type::Array(elem, _) if is_place(&base) => {
                let place = ExprKind::Element(Box::new(base), Box::new(index));
                self.through_reference(Expr::new(place, (*elem).clone(), span))
            }
            Type::Struct(_) if self.lanes(&base.ty).is_some() => match self.vector_subscript(base, index, span) {
                Some(place) => place,
                None => Expr::unknown(
                    "unknown-construct",
                    "this subscript is not supported",
                    Type::Unknown(Arc::from("?")),
                    span,
                ),
            },
            Type::Struct(_) => match self.operator_call("operator[]", &base, vec![index], span) {
                Some(call) => call,
                None => self.unclear("this subscript is not supported".to_owned(), vec![base], span),
            },
            Type::Int(_) if matches!(index.ty, Type::Ptr(_)) => {
                let base = self.value(base);
                self.subscript(index, base, span)
            }
            _ => {
                let pointer = self.value(base);
                let moved = self.offset(pointer, index, span);
                self.deref(moved, span)
            }
        }
    }

    pub(super) fn offset(&self, pointer: Expr, by: Expr, span: Span) -> Expr {
        let ty = pointer.ty.clone();
        Expr::new(ExprKind::Offset(Box::new(pointer), Box::new(by)), ty, span)
    }

    pub(super) fn assign(&mut self, place: Expr, value: Expr, span: Span) -> Expr {
        if !is_lvalue(&place) {
            if part_of(&place).is_some() {
                let (setup, value) = self.first(value);
                let value = self.value(value);
                let stored = self.store_bits(&place, false, span, |_, _| value);
                return self.preceded(setup, stored.unwrap_or(place));
            }
            if let ExprKind::Unknown(_) | ExprKind::Comma(..) = place.kind {
                // The store goes somewhere that is not known.
                let ty = place.ty.clone();
                let unknown =
                    Expr::unknown("unknown-place", "this assigns to a place that is not known", ty.clone(), span);
                let both = Expr::new(ExprKind::Comma(Box::new(place), Box::new(value)), ty.clone(), span);
                return Expr::new(ExprKind::Comma(Box::new(both), Box::new(unknown)), ty, span);
            }
            if let Some(call) = self.operator_call("operator=", &place, vec![value.clone()], span) {
                return call;
            }
            return Expr::unknown("unknown-place", "this assigns to a place that is not known", place.ty, span);
        }
        let ty = place.ty.value().clone();
        let mut special = self.special_assignment(&ty, 0);
        let of_class = matches!(value.ty.value(), Type::Struct(_) | Type::Unknown(_));
        if special == Special::Own
            && of_class
            && let Some(implicit) = self.implicit_assignment(&ty)
        {
            let by_template = matches!(value.ty.value(), Type::Struct(_))
                && self.own_methods(&ty, "operator=").iter().any(|(decl, _)| decl.template.is_some());
            if *value.ty.value() != ty && !by_template {
                let what = "which assignment of this object is meant is not known".to_owned();
                return self.unclear(what, vec![place, value], span);
            }
            if *value.ty.value() == ty {
                special = implicit;
            }
        }
        match special {
            Special::No => {}
            Special::Own => {
                let (setup, right) = self.first(value.clone());
                if let Some(call) = self.operator_call("operator=", &place, vec![right], span) {
                    return self.preceded(setup, call);
                }
            }
            Special::Part => {
                let what = "the assignment of a member of this object is not supported".to_owned();
                return self.unclear(what, vec![place, value], span);
            }
        }
        let given = match &value.kind {
            ExprKind::Convert(inner) => inner.ty.value(),
            _ => value.ty.value(),
        };
        if let Some(stored) = self.atomic_assignment(&place, &value, span) {
            return stored;
        }
        // What a name for a group means is said by its type. [INF-GROUP]
        if (is_any_group(&ty) || is_some_group(&ty)) && *given != ty {
            let text = "which threads this group has from here on is not known";
            let lost = Expr::unknown("unknown-order", text, ty, span);
            return self.preceded(vec![value], lost);
        }
        if let Type::Unknown(_) = ty
            && !matches!(given, Type::Unknown(_))
            && self.may_be_a_class(&ty)
        {
            // It may be a class that stands for a place elsewhere.
            let object = self.address_of(place, span);
            return Expr::new(ExprKind::CallUnknown(Name::new("operator="), vec![object, value]), ty, span);
        }
        let value = self.convert(value, &ty);
        Expr::new(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span)
    }

    /// What is assigned is evaluated before the place is: an operand that changes something is set aside.
    fn first(&mut self, value: Expr) -> (Option<Expr>, Expr) {
        if !changes(&value) {
            return (None, value);
        }
        if is_lvalue(&value) && !matches!(value.ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_)) {
            let span = value.span;
            let address = self.address_of(value, span);
            let (setup, address) = self.repeatable(address);
            let place = self.deref(address, span);
            return (setup, place);
        }
        let value = self.value(value);
        self.repeatable(value)
    }

    /// What stands behind an operator: an object of a class itself, which that may change, or a value.
    fn operand(&mut self, node: Node<'t>) -> Expr {
        let operand = self.expr(node);
        match self.class_node(operand.ty.value()) {
            Some(_) => operand,
            None => self.value(operand),
        }
    }

    pub(super) fn update(&mut self, place: Expr, op: &str, value: Expr, old: bool, span: Span) -> Expr {
        let (setup, value) = self.first(value);
        if setup.is_some() {
            let rest = self.update(place, op, value, old, span);
            return self.preceded(setup, rest);
        }
        if !is_lvalue(&place) {
            let made = |body: &mut Self, before| body.binary(op, before, value.clone(), span);
            return match self.store_bits(&place, old, span, made) {
                Some(stored) => stored,
                None => self.assign(place, value, span),
            };
        }
        if let Some(updated) = self.atomic_update(&place, op, &value, old, span) {
            return updated;
        }
        let ty = place.ty.value().clone();
        if let Some(call) = self.own_operator(&format!("{op}="), &[place.clone(), value.clone()], span) {
            return call;
        }
        if let Some(number) = self.built_in_operand(op, &ty, &value) {
            return self.update(place, op, number, old, span);
        }
        if self.own_operator(op, &[place.clone(), value.clone()], span).is_some() {
            // `a op= b` of an operator that is written for `a op b` alone is none.
            let what = format!("which `operator{op}=` is called is not known");
            return self.unclear(what, vec![place, value], span);
        }
        if let Type::Struct(_) | Type::Unknown(_) = ty
            && self.may_be_a_class(&ty)
            && !self.has_operator(op)
        {
            // An operator of a class that is not seen.
            let object = self.address_of(place, span);
            let call = ExprKind::CallUnknown(Name::new(format!("operator{op}=")), vec![object, value]);
            return Expr::new(call, ty, span);
        }
        let hole = Expr::new(ExprKind::Hole, ty.clone(), span);
        let value = self.binary(op, hole, value, span);
        let value = self.convert(value, &ty);
        Expr::new(ExprKind::Update { place: Box::new(place), value: Box::new(value), old }, ty, span)
    }

    /// What an object is converted to where a number stands on the left of `op=`, and no such operator takes both: then the
    /// operator is that of the language, also if somebody wrote one for `a op b`. [INF-COMPOUND]
    fn built_in_operand(&mut self, op: &str, left: &Type, object: &Expr) -> Option<Expr> {
        let number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_));
        if !number(left) || !matches!(object.ty.value(), Type::Struct(_)) {
            return None;
        }
        // Whether a template takes both may not be known.
        let written = self.lower.names.functions.get(&format!("operator{op}="));
        let may_fit = |d: &FunDecl<'t>| d.class.is_none() && d.template.is_some() && Self::takes(d, 2);
        if written.is_some_and(|list| list.iter().any(may_fit)) {
            return None;
        }
        let made = self.converted(object.clone());
        let made = self.value(made);
        number(&made.ty).then_some(made)
    }

    pub(super) fn binary(&mut self, op: &str, l: Expr, r: Expr, span: Span) -> Expr {
        if let Some(vector) = self.vector_binary(op, &l, &r, span) {
            return vector;
        }
        let symbol = match op {
            "and" => "&&",
            "or" => "||",
            "not_eq" => "!=",
            "xor" => "^",
            "bitand" => "&",
            "bitor" => "|",
            op => op,
        };
        let hole = matches!(l.kind, ExprKind::Hole);
        if !hole && let Some(call) = self.own_operator(symbol, &[l.clone(), r.clone()], span) {
            return call;
        }
        match op {
            "&&" | "and" => {
                let (l, r) = (self.truth(l), self.truth(r));
                return Expr::new(ExprKind::And(Box::new(l), Box::new(r)), Type::BOOL, span);
            }
            "||" | "or" => {
                let (l, r) = (self.truth(l), self.truth(r));
                return Expr::new(ExprKind::Or(Box::new(l), Box::new(r)), Type::BOOL, span);
            }
            _ => {}
        }
        let comparison = match op {
            "==" => Some((NRel::Eq, false)),
            "!=" | "not_eq" => Some((NRel::Ne, false)),
            "<" => Some((NRel::Lt, false)),
            "<=" => Some((NRel::Le, false)),
            ">" => Some((NRel::Lt, true)),
            ">=" => Some((NRel::Le, true)),
            _ => None,
        };
        match (l.ty.clone(), r.ty.clone()) {
            (Type::Int(a), Type::Int(b)) => {
                if let Some((rel, swap)) = comparison {
                    let ty = Type::Int(common(a, b));
                    let (l, r) = (self.convert(l, &ty), self.convert(r, &ty));
                    let (l, r) = if swap { (r, l) } else { (l, r) };
                    return Expr::new(ExprKind::Compare(rel, Box::new(l), Box::new(r)), Type::BOOL, span);
                }
                let operator = match op {
                    "+" => NBin::Add,
                    "-" => NBin::Sub,
                    "*" => NBin::Mul,
                    "/" => NBin::Div,
                    "%" => NBin::Rem,
                    "&" | "bitand" => NBin::And,
                    "|" | "bitor" => NBin::Or,
                    "^" | "xor" => NBin::Xor,
                    "<<" => NBin::Shl,
                    ">>" => NBin::Shr,
                    _ => return self.opaque(op, vec![l, r], Type::INT, span),
                };
                let ty = if matches!(operator, NBin::Shl | NBin::Shr) { promote(a) } else { common(a, b) };
                let r = match operator {
                    NBin::Shl | NBin::Shr if self.is_opencl() => self.distance(r, ty),
                    _ => r,
                };
                let l = self.convert(l, &Type::Int(ty));
                let r = if matches!(operator, NBin::Shl | NBin::Shr) { r } else { self.convert(r, &Type::Int(ty)) };
                let expr = Expr::new(ExprKind::Arith(operator, ty, Box::new(l), Box::new(r)), Type::Int(ty), span);
                match fold(&expr) {
                    Some(n) => Expr::new(ExprKind::Int(n), Type::Int(ty), span),
                    None => expr,
                }
            }
            (Type::Ptr(p), Type::Ptr(q)) if p != q && comparison.is_some() && self.is_base_of(&q, &p) => {
                let l = self.convert(l, &Type::Ptr(q));
                self.binary(op, l, r, span)
            }
            (Type::Ptr(p), Type::Ptr(q)) if p != q && comparison.is_some() && self.is_base_of(&p, &q) => {
                let r = self.convert(r, &Type::Ptr(p));
                self.binary(op, l, r, span)
            }
            (Type::Ptr(_), Type::Ptr(_)) if op == "-" => {
                Expr::new(ExprKind::Distance(Box::new(l), Box::new(r)), Type::Int(IntTy::I64), span)
            }
            (Type::Ptr(_), _) | (_, Type::Ptr(_)) if comparison.is_some() => match comparison {
                Some((rel, swap)) => {
                    let (l, r) = if swap { (r, l) } else { (l, r) };
                    Expr::new(ExprKind::Compare(rel, Box::new(l), Box::new(r)), Type::BOOL, span)
                }
                None => self.opaque(op, vec![l, r], Type::BOOL, span),
            },
            (Type::Ptr(_), Type::Int(_)) if op == "+" => self.offset(l, r, span),
            (Type::Int(_), Type::Ptr(_)) if op == "+" => self.offset(r, l, span),
            (Type::Ptr(_), Type::Int(b)) if op == "-" => {
                let ty = common(b, IntTy::I64);
                let ty = IntTy { signed: true, ..ty };
                let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                let r = self.convert(r, &Type::Int(ty));
                let negative =
                    Expr::new(ExprKind::Arith(NBin::Sub, ty, Box::new(zero), Box::new(r)), Type::Int(ty), span);
                self.offset(l, negative, span)
            }
            (Type::Ptr(_), _) if matches!(op, "+" | "-") => {
                let by = self.opaque(op, vec![r], Type::Int(IntTy::I64), span);
                self.offset(l, by, span)
            }
            (Type::Struct(_), _) | (_, Type::Struct(_)) => {
                let name = format!("operator{op}");
                let (a, b) = (l.ty.clone(), r.ty.clone());
                let (x, y) = (self.converted(l.clone()), self.converted(r.clone()));
                let (x, y) = (self.value(x), self.value(y));
                let class = |ty: &Type| matches!(ty, Type::Struct(_));
                if (x.ty != a || y.ty != b) && !class(&x.ty) && !class(&y.ty) {
                    return self.binary(op, x, y, span);
                }
                let ty = match (&l.ty, comparison) {
                    (_, Some(_)) => Type::BOOL,
                    (Type::Struct(_), None) => l.ty.clone(),
                    _ => r.ty.clone(),
                };
                if self.may_be_a_class(&l.ty) || self.may_be_a_class(&r.ty) {
                    return Expr::new(ExprKind::CallUnknown(Name::new(name), vec![l, r]), ty, span);
                }
                self.opaque(op, vec![l, r], ty, span)
            }
            (a @ Type::Unknown(_), _) | (_, a @ Type::Unknown(_)) if self.may_be_a_class(&a) => {
                let ty = if comparison.is_some() { Type::BOOL } else { a };
                Expr::new(ExprKind::CallUnknown(Name::new(format!("operator{op}")), vec![l, r]), ty, span)
            }
            (a, b) => {
                let ty = match (&a, &b) {
                    _ if comparison.is_some() => Type::BOOL,
                    (Type::Float(x), Type::Float(y)) => Type::Float(*x.max(y)),
                    (Type::Float(_), _) => a.clone(),
                    (_, Type::Float(_)) => b.clone(),
                    (Type::Unknown(_), _) => a.clone(),
                    _ => b.clone(),
                };
                self.opaque(op, vec![l, r], ty, span)
            }
        }
    }

    /// May an operator on this type that is not declared here reach memory: is it a class with pointers in it, or a named
    /// type that nothing here declares? Parameters of templates and results that are not known stand for numbers. C has no
    /// such operators.
    pub(super) fn may_be_a_class(&self, ty: &Type) -> bool {
        match ty {
            _ if self.is_opencl() => false,
            Type::Struct(class) => {
                let reaches = |t: &Type| matches!(t, Type::Ptr(_) | Type::Ref(_)) || self.may_be_a_class(t);
                !class.complete || class.fields.iter().any(|f| reaches(&f.ty))
            }
            Type::Array(elem, _) => self.may_be_a_class(elem),
            Type::Unknown(name) => {
                let looks_numeric = ["half", "float", "complex", "Complex", "real", "fp8"];
                let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                word && !is_auto(ty)
                    && &**name != "texel"
                    && !self.is_parameter(name)
                    && !looks_numeric.iter().any(|n| name.contains(n))
            }
            _ => false,
        }
    }

    /// Is this a parameter of the template that we are in, or a type that depends on one?
    pub(super) fn is_parameter(&self, name: &str) -> bool {
        name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| self.parameters.contains(word))
    }

    fn has_operator(&self, op: &str) -> bool {
        self.lower.names.functions.contains_key(&format!("operator{op}"))
    }

    pub(super) fn opaque(&self, op: &str, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
        Expr::new(ExprKind::Opaque(Name::new(op), args), ty, span)
    }

    pub(super) fn unary(&mut self, op: &str, argument: Node<'t>, span: Span) -> Expr {
        let place = self.expr(argument);
        let symbol = match op {
            "not" => "!",
            "compl" => "~",
            op => op,
        };
        if op != "*"
            && let Some(call) = self.own_operator(symbol, std::slice::from_ref(&place), span)
        {
            return call;
        }
        if op == "&" {
            return self.address_of(place, span);
        }
        let value = self.value(place);
        if let Some(vector) = self.vector_unary(op, &value, span) {
            return vector;
        }
        match (op, value.ty.clone()) {
            ("*", _) => self.deref(value, span),
            ("!" | "not", _) => {
                let value = self.truth(value);
                Expr::new(ExprKind::Not(Box::new(value)), Type::BOOL, span)
            }
            ("+", Type::Int(ty)) => self.convert(value, &Type::Int(promote(ty))),
            ("-", Type::Int(ty)) => {
                let zero = Expr::new(ExprKind::Int(0), Type::Int(promote(ty)), span);
                self.binary("-", zero, value, span)
            }
            ("~", Type::Int(ty)) => {
                let ones = Expr::new(ExprKind::Int(promote(ty).wrap(-1)), Type::Int(promote(ty)), span);
                self.binary("^", value, ones, span)
            }
            ("+", _) => value,
            ("-" | "~", ty) => {
                let name = format!("operator{op}");
                if !matches!(ty, Type::Float(_))
                    && let Some(call) = self.operator_call(&name, &value, vec![], span)
                {
                    return call;
                }
                self.opaque(op, vec![value], ty, span)
            }
            _ => Expr::unknown("unknown-construct", format!("operator `{op}` is not supported"), value.ty, span),
        }
    }

    pub fn cast(&mut self, value: Expr, ty: Type) -> Expr {
        match (&ty, &value.ty) {
            (Type::Void, _) => Expr { ty: Type::Void, ..value },
            (Type::Ref(inner), _) if self.is_made_for(value.ty.value(), inner.value()) => self.referred(value, inner),
            (Type::Ref(inner), _) => {
                let span = value.span;
                let pointer = self.address_of(value, span);
                let pointer = match self.between_classes(&pointer, inner, true) {
                    Some(moved) => moved,
                    None => self.convert(pointer, &Type::Ptr(inner.clone())),
                };
                self.deref(pointer, span)
            }
            (Type::Struct(_), Type::Struct(_)) => {
                let value = self.value(value);
                let value = self.copied(value);
                self.direct = true;
                let made = self.convert(value, &ty);
                self.direct = false;
                made
            }
            _ => {
                let value = self.copied(value);
                self.direct = matches!(ty, Type::Struct(_));
                let made = self.convert(value, &ty);
                self.direct = false;
                made
            }
        }
    }

    /// Is what a reference is bound to made by a conversion operator or a constructor, for an object of another type?
    pub(super) fn is_made_for(&mut self, from: &Type, to: &Type) -> bool {
        let written = |body: &mut Self, ty: &Type| {
            matches!(ty, Type::Struct(_)) && body.lanes(ty).is_none() && body.class_node(ty).is_some()
        };
        if from == to || self.is_base_of(to, from) || self.is_base_of(from, to) {
            return false;
        }
        let number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
        let converts = (number(to) || written(self, to))
            && written(self, from)
            && !matches!(self.method(from, "operator cast", None, &[]), Method::None);
        converts || written(self, to) && (number(from) || written(self, from)) && self.has_constructors(to)
    }

    /// `reinterpret_cast`: between pointers, the same address.
    pub(super) fn reinterpret(&mut self, value: Expr, ty: Type) -> Expr {
        let span = value.span;
        let bytes = Type::Int(IntTy::I8).ptr();
        let is_class = |ty: &Type| matches!(ty, Type::Struct(_) | Type::Unknown(_));
        match (&ty, &value.ty) {
            (Type::Ptr(to), Type::Ptr(from)) if is_class(to) && is_class(from) => {
                let value = self.convert(value, &bytes);
                self.convert(value, &ty)
            }
            (Type::Ref(to), from) if is_class(to) && is_class(from.value()) => {
                let pointer = self.address_of(value, span);
                let pointer = self.convert(pointer, &bytes);
                let pointer = self.convert(pointer, &Type::Ptr(to.clone()));
                self.deref(pointer, span)
            }
            _ => self.cast(value, ty),
        }
    }
}

/// Is this an address, or an object that has one, of which a constructor that is not known may do anything with what is
/// there? [INF-MADE-OF]
pub(super) fn is_pointer(expr: &Expr) -> bool {
    fn holds(ty: &Type) -> bool {
        match ty.value() {
            Type::Ptr(_) | Type::Array(..) => true,
            Type::Struct(of) => {
                !of.complete
                    || of.fields.iter().any(|field| match field.ty.value() {
                        Type::Array(inner, _) => holds(inner),
                        ty => holds(ty),
                    })
            }
            _ => false,
        }
    }
    holds(&expr.ty) && !matches!(expr.kind, ExprKind::Int(0))
}

/// Is this expression a place rather than a value?
pub fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Deref(_)
        | ExprKind::Member(..)
        | ExprKind::Element(..)
        | ExprKind::Temporary(_) => true,
        ExprKind::Choose(_, t, e) => is_place(t) && is_place(e),
        ExprKind::Comma(_, last) => is_place(last),
        _ => false,
    }
}

/// `0.5h`
fn is_half(text: &str) -> bool {
    text.strip_suffix(['h', 'H']).is_some_and(|digits| digits.contains('.') && digits.parse::<f64>().is_ok())
}

/// Is this a place, or an assignment, whose result is the place that it stores to?
pub fn is_lvalue(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Assign(..) | ExprKind::Update { old: false, .. } => true,
        ExprKind::Choose(_, t, e) => is_lvalue(t) && is_lvalue(e),
        ExprKind::Comma(_, last) => is_lvalue(last),
        _ => is_place(expr),
    }
}

/// May evaluating this change what other expressions are?
pub(super) fn changes(expr: &Expr) -> bool {
    let mut found = false;
    expr.each(&mut |e| {
        found |= match &e.kind {
            ExprKind::Assign(..)
            | ExprKind::Update { .. }
            | ExprKind::Call(..)
            | ExprKind::CallValue(..)
            | ExprKind::CallUnknown(..) => true,
            ExprKind::Intrinsic(intrinsic, _) => !matches!(
                intrinsic,
                Intrinsic::Min(_)
                    | Intrinsic::Max(_)
                    | Intrinsic::Pure(..)
                    | Intrinsic::Havoc(_)
                    | Intrinsic::Together(_)
                    | Intrinsic::ReadThrough
                    | Intrinsic::Nothing
            ),
            _ => false,
        };
    });
    found
}

/// The value of a number whose parts are all constants.
pub fn fold(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Arith(op, ty, l, r) => {
            let (l, r) = (fold(l)?, fold(r)?);
            if matches!(op, NBin::Div | NBin::Rem) && r == 0 {
                return None;
            }
            Some(crate::exp::eval::apply(*op, *ty, l, r))
        }
        ExprKind::Compare(op, l, r) => Some(i128::from(crate::exp::eval::compare(*op, fold(l)?, fold(r)?))),
        ExprKind::And(l, r) => Some(i128::from(fold(l)? != 0 && fold(r)? != 0)),
        ExprKind::Or(l, r) => Some(i128::from(fold(l)? != 0 || fold(r)? != 0)),
        ExprKind::Not(e) => Some(i128::from(fold(e)? == 0)),
        ExprKind::Choose(c, t, e) => {
            if fold(c)? != 0 {
                fold(t)
            } else {
                fold(e)
            }
        }
        ExprKind::Convert(e) => match &expr.ty {
            Type::Int(IntTy::BOOL) => Some(i128::from(fold(e)? != 0)),
            Type::Int(ty) => Some(ty.wrap(fold(e)?)),
            _ => None,
        },
        ExprKind::Intrinsic(Intrinsic::Min(_), args) => Some(fold(args.first()?)?.min(fold(args.get(1)?)?)),
        ExprKind::Intrinsic(Intrinsic::Max(_), args) => Some(fold(args.first()?)?.max(fold(args.get(1)?)?)),
        _ => None,
    }
}

pub(super) fn promote(ty: IntTy) -> IntTy {
    if ty.bits < 32 { IntTy::I32 } else { ty }
}

/// The usual arithmetic conversions of C on two promoted types.
pub(super) fn common(a: IntTy, b: IntTy) -> IntTy {
    let (a, b) = (promote(a), promote(b));
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => IntTy { bits: a.bits, signed: a.signed && b.signed },
    }
}

/// The types of indices and sizes, which are converted to each other part by part.
fn is_three(name: &str) -> bool {
    matches!(name, "dim3" | "uint3")
}
