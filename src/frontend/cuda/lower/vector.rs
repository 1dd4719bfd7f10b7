//! Vectors of OpenCL C: components, swizzles, and operators lane by lane.

use super::*;
use crate::frontend::cuda::opencl;
use crate::frontend::cuda::unit::Dialect;

impl<'l, 't> Body<'l, 't> {
    pub(in crate::frontend::cuda) fn is_opencl(&self) -> bool {
        self.lower.unit.dialect == Dialect::OpenCl
    }

    /// The type of the lanes of a vector, and their number.
    pub(super) fn lanes(&self, ty: &Type) -> Option<(Type, u64)> {
        if self.is_opencl() { opencl::lanes_of(ty) } else { None }
    }

    /// A value that can be looked at several times or not at all, and what has to be evaluated before it.
    pub(super) fn repeatable(&mut self, value: Expr) -> (Option<Expr>, Expr) {
        let plain = match &value.kind {
            ExprKind::Aggregate(parts) => parts.iter().all(|(_, part)| self.is_still(part)),
            ExprKind::Int(_) | ExprKind::Constant(_) | ExprKind::Builtin(_) | ExprKind::Hole => true,
            ExprKind::Load(place) => self.is_private(place),
            _ => false,
        };
        if plain { (None, value) } else { self.aside(value) }
    }

    /// A value that is put into a variable of its own, and that variable.
    pub(super) fn aside(&mut self, value: Expr) -> (Option<Expr>, Expr) {
        let (span, ty) = (value.span, value.ty.clone());
        let hidden = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(hidden), ty.clone(), span);
        let load = Expr::new(ExprKind::Load(Box::new(place.clone())), ty.clone(), span);
        (Some(Expr::new(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span)), load)
    }

    /// May this be evaluated several times, or not at all, without a difference? It reads no memory but variables of the thread.
    pub(super) fn is_still(&self, expr: &Expr) -> bool {
        is_pure_where(expr, &|place| self.is_private(place))
    }

    /// A value that may be evaluated several times or not at all.
    pub(super) fn still(&mut self, value: Expr) -> (Option<Expr>, Expr) {
        if self.is_still(&value) { (None, value) } else { self.aside(value) }
    }

    /// The distance of a shift of something of that type: in OpenCL C only its last bits count.
    pub(super) fn distance(&mut self, by: Expr, ty: IntTy) -> Expr {
        let span = by.span;
        let last = Expr::new(ExprKind::Int(i128::from(ty.bits.max(8)) - 1), by.ty.clone(), span);
        self.binary("&", by, last, span)
    }

    /// A variable of the thread, or a part of one.
    fn is_private(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(id) => self.vars.get(id.0 as usize).is_some_and(|v| v.storage == Storage::Private),
            ExprKind::Member(inner, ..) => self.is_private(inner),
            _ => false,
        }
    }

    /// A value, after what has to be evaluated before it.
    pub(super) fn preceded(&self, setup: impl IntoIterator<Item = Expr>, value: Expr) -> Expr {
        let setup: Vec<Expr> = setup.into_iter().collect();
        setup.into_iter().rev().fold(value, |value, first| {
            let (ty, span) = (value.ty.clone(), value.span);
            Expr::new(ExprKind::Comma(Box::new(first), Box::new(value)), ty, span)
        })
    }

    /// One lane of a value that can be looked at several times; a scalar has the same value in each lane.
    pub(super) fn lane(&self, value: &Expr, lane: u64) -> Expr {
        let Some((elem, _)) = self.lanes(&value.ty) else { return value.clone() };
        let (at, span) = (lane * elem.size(), value.span);
        if let ExprKind::Aggregate(parts) = &value.kind
            && let Some((_, part)) = parts.iter().find(|(offset, part)| *offset == at && part.ty == elem)
        {
            return part.clone();
        }
        let place = match &value.kind {
            ExprKind::Load(place) => (**place).clone(),
            _ => Expr::new(ExprKind::Temporary(Box::new(value.clone())), value.ty.clone(), span),
        };
        self.value(self.lane_place(place, lane))
    }

    /// The place of one lane of a vector.
    fn lane_place(&self, place: Expr, lane: u64) -> Expr {
        let Some((elem, _)) = self.lanes(&place.ty) else { return place };
        let (at, span) = (lane * elem.size(), place.span);
        let name = match place.ty.value() {
            Type::Struct(class) => class.fields.get(lane as usize).map_or("?", |f| &*f.name).to_owned(),
            _ => "?".to_owned(),
        };
        Expr::new(ExprKind::Member(Box::new(place), at, Name::new(name)), elem, span)
    }

    /// The vector with these lanes, from first to last.
    pub(super) fn of_lanes(&self, elem: &Type, lanes: Vec<Expr>, span: Span) -> Expr {
        match opencl::vector_of(elem, lanes.len() as u64) {
            Some(ty) => {
                let size = elem.size();
                let parts = lanes.into_iter().enumerate().map(|(i, lane)| (i as u64 * size, lane)).collect();
                Expr::new(ExprKind::Aggregate(parts), ty, span)
            }
            None => self.opaque("vector", lanes, Type::Unknown(Arc::from("?")), span),
        }
    }

    /// A function of the lanes of vectors, or of the values of scalars; `elem` is the type of the lanes of the result.
    pub(super) fn lanewise(
        &mut self,
        args: Vec<Expr>,
        elem: &Type,
        span: Span,
        mut f: impl FnMut(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        let Some((_, count)) = args.iter().find_map(|a| self.lanes(&a.ty)) else {
            let value = f(self, args);
            return self.convert(value, elem);
        };
        let (mut setup, mut values) = (Vec::new(), Vec::new());
        for arg in args {
            let (first, value) = self.repeatable(arg);
            setup.extend(first);
            values.push(value);
        }
        let mut lanes = Vec::new();
        for i in 0..count {
            let parts = values.iter().map(|v| self.lane(v, i)).collect();
            let value = f(self, parts);
            lanes.push(self.convert(value, elem));
        }
        let made = self.of_lanes(elem, lanes, span);
        self.preceded(setup, made)
    }

    /// The type of the lanes of two operands: that of the vector.
    fn common_lane(&self, l: &Type, r: &Type) -> Option<Type> {
        self.lanes(l).or_else(|| self.lanes(r)).map(|(elem, _)| elem)
    }

    /// An operator on vectors, or `None` when neither operand is one.
    pub(super) fn vector_binary(&mut self, op: &str, l: &Expr, r: &Expr, span: Span) -> Option<Expr> {
        let elem = self.common_lane(&l.ty, &r.ty)?;
        let logical = matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||");
        if logical {
            let truth = truth_lane(&elem);
            let op = op.to_owned();
            let compares = !matches!(op.as_str(), "&&" | "||");
            return Some(self.lanewise(vec![l.clone(), r.clone()], &truth.clone(), span, move |body, mut args| {
                let (Some(r), Some(l)) = (args.pop(), args.pop()) else { return body.all_ones(None, &truth, span) };
                // A scalar is given the type of the lanes first.
                let (l, r) = if compares { (body.convert(l, &elem), body.convert(r, &elem)) } else { (l, r) };
                let holds = body.binary(&op, l, r, span);
                body.all_ones(Some(holds), &truth, span)
            }));
        }
        let (lane, op) = (elem.clone(), op.to_owned());
        Some(self.lanewise(vec![l.clone(), r.clone()], &elem, span, move |body, mut args| {
            let (Some(r), Some(l)) = (args.pop(), args.pop()) else { return body.all_ones(None, &lane, span) };
            let (l, r) = (body.convert(l, &lane), body.convert(r, &lane));
            let r = match (&lane, op.as_str()) {
                (Type::Int(ty), "<<" | ">>") => body.distance(r, *ty),
                _ => r,
            };
            body.binary(&op, l, r, span)
        }))
    }

    /// -1 where a condition holds, and 0 where it does not.
    fn all_ones(&mut self, holds: Option<Expr>, ty: &Type, span: Span) -> Expr {
        let number = |n: i128| Expr::new(ExprKind::Int(n), ty.clone(), span);
        match holds {
            Some(holds) => {
                let holds = self.truth(holds);
                let choose = ExprKind::Choose(Box::new(holds), Box::new(number(-1)), Box::new(number(0)));
                Expr::new(choose, ty.clone(), span)
            }
            None => number(0),
        }
    }

    pub(super) fn vector_unary(&mut self, op: &str, value: &Expr, span: Span) -> Option<Expr> {
        let (elem, _) = self.lanes(&value.ty)?;
        if op == "!" {
            let truth = truth_lane(&elem);
            return Some(self.lanewise(vec![value.clone()], &truth.clone(), span, move |body, args| {
                let value = args.into_iter().next().map(|a| body.truth(a));
                let not = value.map(|v| Expr::new(ExprKind::Not(Box::new(v)), Type::BOOL, span));
                body.all_ones(not, &truth, span)
            }));
        }
        let op = match (op, &elem) {
            ("-", Type::Int(_)) => "-",
            ("~", Type::Int(_)) => "^",
            ("+", _) => return Some(value.clone()),
            _ => return Some(self.opaque(op, vec![value.clone()], value.ty.clone(), span)),
        };
        let lane = elem.clone();
        Some(self.lanewise(vec![value.clone()], &elem, span, move |body, args| {
            let number = |n: i128| Expr::new(ExprKind::Int(n), lane.clone(), span);
            match (args.into_iter().next(), op) {
                (Some(value), "-") => body.binary("-", number(0), value, span),
                (Some(value), _) => {
                    let ones = match &lane {
                        Type::Int(ty) => ty.wrap(-1),
                        _ => -1,
                    };
                    body.binary("^", value, number(ones), span)
                }
                (None, _) => number(0),
            }
        }))
    }

    /// `c ? t : e` by lanes: a lane is chosen where that of the condition is negative.
    pub(super) fn vector_choice(&mut self, c: Expr, t: Expr, e: Expr, span: Span) -> Expr {
        let elem = self.common_lane(&t.ty, &e.ty).unwrap_or_else(|| t.ty.clone());
        self.lanewise(vec![c, t, e], &elem.clone(), span, move |body, mut args| {
            let (Some(e), Some(t), Some(c)) = (args.pop(), args.pop(), args.pop()) else {
                return body.all_ones(None, &Type::INT, span);
            };
            let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
            let ty = match &c.ty {
                Type::Int(ty) => Type::Int(IntTy { signed: true, ..*ty }),
                _ => Type::INT,
            };
            let c = body.convert(c, &ty);
            let negative = body.binary("<", c, zero, span);
            let (t, e) = (body.convert(t, &elem), body.convert(e, &elem));
            Expr::new(ExprKind::Choose(Box::new(negative), Box::new(t), Box::new(e)), elem.clone(), span)
        })
    }

    /// A scalar or a vector as a vector of that type: each lane converted.
    pub(super) fn spread(&mut self, value: Expr, ty: &Type) -> Option<Expr> {
        let (elem, count) = self.lanes(ty)?;
        let span = value.span;
        match self.lanes(&value.ty) {
            Some((_, lanes)) if lanes == count => Some(self.lanewise(vec![value], &elem, span, |_, mut args| {
                args.pop().unwrap_or_else(|| Expr::new(ExprKind::Int(0), Type::INT, span))
            })),
            Some(_) => None,
            None if matches!(value.ty, Type::Int(_) | Type::Float(_)) => {
                let value = self.convert(value, &elem);
                let (setup, value) = self.repeatable(value);
                let made = self.of_lanes(&elem, vec![value; count as usize], span);
                Some(self.preceded(setup, made))
            }
            None => None,
        }
    }

    /// `(float4)(a, b.xy, 1)`: the lanes of all arguments in a row, or one scalar for all lanes.
    pub(super) fn vector_literal(&mut self, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let args: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        let Some((elem, count)) = self.lanes(ty) else {
            return self.unclear("this vector is not supported".to_owned(), args, span);
        };
        if let [only] = args.as_slice() {
            let only = only.clone();
            return self.convert(only, ty);
        }
        let (mut setup, mut lanes) = (Vec::new(), Vec::new());
        for arg in args.clone() {
            match self.lanes(&arg.ty) {
                Some((_, n)) => {
                    let (first, value) = self.repeatable(arg);
                    setup.extend(first);
                    for i in 0..n {
                        let lane = self.lane(&value, i);
                        lanes.push(self.convert(lane, &elem));
                    }
                }
                None => lanes.push(self.convert(arg, &elem)),
            }
        }
        // A list in braces may be shorter.
        if lanes.len() as u64 > count {
            return self.unclear("this vector has too many parts".to_owned(), args, span);
        }
        lanes.resize_with(count as usize, || Expr::new(ExprKind::Int(0), elem.clone(), span));
        let made = self.of_lanes(&elem, lanes, span);
        self.preceded(setup, made)
    }

    /// The lanes that a component names, if the object is a vector.
    fn component(&self, object: &Type, name: &str) -> Option<Vec<u64>> {
        let (_, count) = self.lanes(object)?;
        opencl::component(name, count)
    }

    /// `v.x`, `v.zyx`, `v.hi` as a place (of one lane) or as a value.
    pub(super) fn vector_member(&mut self, object: Expr, name: &str, span: Span) -> Option<Expr> {
        let lanes = self.component(&object.ty, name)?;
        let (elem, _) = self.lanes(&object.ty)?;
        if let ([only], true) = (lanes.as_slice(), is_lvalue(&object)) {
            let place = self.lane_place(object, *only);
            return Some(Expr { span, ..place });
        }
        let (setup, parts) = match is_place(&object) {
            true => {
                let (setup, places) = self.swizzled(object, &lanes);
                (setup, places.into_iter().map(|p| self.value(p)).collect())
            }
            false => {
                let (setup, value) = self.repeatable(object);
                (setup, lanes.iter().map(|i| self.lane(&value, *i)).collect::<Vec<_>>())
            }
        };
        let made = match parts.as_slice() {
            [only] => only.clone(),
            _ => self.of_lanes(&elem, parts, span),
        };
        Some(self.preceded(setup, made))
    }

    /// The places of some lanes of a vector that is a place; its address is evaluated once.
    fn swizzled(&mut self, object: Expr, lanes: &[u64]) -> (Option<Expr>, Vec<Expr>) {
        let span = object.span;
        let (setup, object) = if self.is_still(&object) {
            (None, object)
        } else {
            let address = self.address_of(object, span);
            let (setup, address) = self.repeatable(address);
            (setup, self.deref(address, span))
        };
        (setup, lanes.iter().map(|i| self.lane_place(object.clone(), *i)).collect())
    }

    /// `v.xy = e`, `v.xyzw += e`: all lanes are computed before the first is stored.
    pub(super) fn swizzle_assignment(&mut self, left: Node<'t>, op: &str, right: Node<'t>, span: Span) -> Option<Expr> {
        let mut left = left;
        while left.kind() == "parenthesized_expression" {
            left = last_named(left)?;
        }
        if !self.is_opencl() || left.kind() != "field_expression" {
            return None;
        }
        let (object, lanes) = self.swizzle_target(left)?;
        let (elem, _) = self.lanes(&object.ty)?;
        if !is_place(&object) || lanes.is_empty() {
            return None;
        }
        let (setup, places) = self.swizzled(object, &lanes);
        let ty = opencl::vector_of(&elem, lanes.len() as u64)?;
        let value = match op {
            "=" => self.initial(right, &ty),
            _ => {
                let parts: Vec<Expr> = places.iter().map(|p| self.value(p.clone())).collect();
                let old = match parts.as_slice() {
                    [only] => only.clone(),
                    _ => self.of_lanes(&elem, parts, span),
                };
                let right = self.rvalue(right);
                let value = self.binary(op, old, right, span);
                self.convert(value, &ty)
            }
        };
        let hidden = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(hidden), ty.clone(), span);
        let result = Expr::new(ExprKind::Load(Box::new(place.clone())), ty.clone(), span);
        let mut steps: Vec<Expr> = setup.into_iter().collect();
        steps.push(Expr::new(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span));
        for (i, place) in places.into_iter().enumerate() {
            let lane = self.lane(&result, i as u64);
            steps.push(Expr::new(ExprKind::Assign(Box::new(place), Box::new(lane)), elem.clone(), span));
        }
        Some(self.preceded(steps, result))
    }

    /// A member of a variable of C whose type is not known stands for all of the variable where it is assigned to: it is of no
    /// class, and no pointer.
    pub(super) fn whole_variable(&mut self, left: Node<'t>, place: Expr) -> Expr {
        if !self.is_opencl() || is_place(&place) || left.kind() != "field_expression" {
            return place;
        }
        let (Some(argument), Some(operator)) =
            (left.child_by_field_name("argument"), left.child_by_field_name("operator"))
        else {
            return place;
        };
        if argument.kind() != "identifier" || self.text(operator) != "." {
            return place;
        }
        let variable = self.expr(argument);
        match (&variable.kind, &variable.ty) {
            (ExprKind::Var(id), Type::Unknown(_)) if self.vars[id.0 as usize].storage == Storage::Private => variable,
            _ => place,
        }
    }

    /// The vector that a swizzle stands for some lanes of, and which: `v.hi.y` is lane 3 of `v`. `None` also for one lane
    /// of a vector itself, which is a place like any other.
    fn swizzle_target(&mut self, node: Node<'t>) -> Option<(Expr, Vec<u64>)> {
        let (argument, name) = (node.child_by_field_name("argument")?, node.child_by_field_name("field")?);
        let text = self.text(name);
        if argument.kind() == "field_expression"
            && let Some((object, outer)) = self.swizzle_target(argument)
        {
            let inner = opencl::component(text, outer.len() as u64)?;
            let lanes = inner.into_iter().map(|i| outer.get(i as usize).copied()).collect::<Option<Vec<u64>>>()?;
            return Some((object, lanes));
        }
        let many = matches!(text, "lo" | "hi" | "even" | "odd")
            || text.len() > 2
            || (text.len() == 2 && !text.starts_with(['s', 'S']));
        if !many || opencl::component(text, 16).is_none() {
            return None;
        }
        let object = self.object(argument, name, self.span(node));
        let lanes = self.component(&object.ty, text)?;
        Some((object, lanes))
    }

    /// `v[i]`: the lanes as an array.
    pub(super) fn vector_subscript(&mut self, base: Expr, index: Expr, span: Span) -> Option<Expr> {
        let (elem, count) = self.lanes(&base.ty)?;
        let lane = fold(&index).and_then(|n| u64::try_from(n).ok());
        if let Some(lane) = lane.filter(|lane| *lane < count && is_place(&base)) {
            return Some(self.lane_place(base, lane));
        }
        let address = self.address_of(base, span);
        let address = self.convert(address, &elem.ptr());
        let moved = self.offset(address, index, span);
        Some(self.deref(moved, span))
    }
}

/// The lanes of a comparison: signed integers of the size of those compared.
pub(super) fn truth_lane(elem: &Type) -> Type {
    let bits = match elem.size() {
        1 => 8,
        2 => 16,
        8 => 64,
        _ => 32,
    };
    Type::Int(IntTy { bits, signed: true })
}

/// May this be evaluated several times, or not at all, without a difference? It may read memory.
pub(super) fn is_pure(expr: &Expr) -> bool {
    is_pure_where(expr, &|_| true)
}

/// The same, where it reads places of some kind only.
fn is_pure_where(expr: &Expr, reads: &dyn Fn(&Expr) -> bool) -> bool {
    let is_pure = |part: &Expr| is_pure_where(part, reads);
    match &expr.kind {
        ExprKind::Load(place) if !reads(place) => false,
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Int(_)
        | ExprKind::Constant(_)
        | ExprKind::Builtin(_)
        | ExprKind::Function(_)
        | ExprKind::Hole => true,
        ExprKind::Deref(e)
        | ExprKind::Member(e, ..)
        | ExprKind::Temporary(e)
        | ExprKind::Load(e)
        | ExprKind::AddressOf(e)
        | ExprKind::Not(e)
        | ExprKind::Convert(e) => is_pure(e),
        ExprKind::Element(a, b)
        | ExprKind::Arith(_, _, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Offset(a, b)
        | ExprKind::Distance(a, b) => is_pure(a) && is_pure(b),
        ExprKind::Choose(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        ExprKind::Opaque(_, args) => args.iter().all(is_pure),
        ExprKind::Aggregate(parts) => parts.iter().all(|(_, part)| is_pure(part)),
        ExprKind::Intrinsic(Intrinsic::Min(_) | Intrinsic::Max(_) | Intrinsic::Pure(..), args) => {
            args.iter().all(is_pure)
        }
        ExprKind::Assign(..)
        | ExprKind::Update { .. }
        | ExprKind::Call(..)
        | ExprKind::CallValue(..)
        | ExprKind::CallUnknown(..)
        | ExprKind::Intrinsic(..)
        | ExprKind::Comma(..)
        | ExprKind::Unknown(_) => false,
    }
}
