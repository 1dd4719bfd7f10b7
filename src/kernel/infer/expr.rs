//! Expressions: values and places, loads and stores.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::settled::Contents;
use super::state::{Cells, Stored, is_null, join_values};
use super::value::{ObjId, Offset, Pointer, Target, Value, is_whole, scalars};
use super::{ObjectKind, Touches, Walk};
use crate::base::Span;
use crate::core::{Mode, Protocol, Space};
use crate::exp::{B, Fun, FunKind, IntTy, N, NRel};
use crate::kernel::floats;
use crate::kernel::ir::{Builtin, Expr, ExprKind, Global};
use crate::kernel::types::{MADE_UP, Type};

/// Terms deeper than this are replaced by unknown ones where nothing depends on their shape.
const MAX_OPAQUE_DEPTH: u32 = 30;

impl<'p> Walk<'p> {
    pub(super) fn eval(&mut self, expr: &'p Expr) -> Value {
        if !self.spend(expr.span) {
            return self.unknown_of(&expr.ty, "abandoned");
        }
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::Element(..)
            | ExprKind::Temporary(_) => {
                let place = self.place(expr);
                self.load(&place, expr.ty.value(), expr.span)
            }
            ExprKind::Int(value) => match &expr.ty {
                Type::Ptr(_) if *value == 0 => Value::Ptr(Pointer::default()),
                _ => Value::Num(N::num(*value)),
            },
            ExprKind::Constant(text) => self.constant(text.as_str(), &expr.ty),
            ExprKind::Builtin(builtin) => Value::Num(self.builtin(*builtin)),
            ExprKind::Function(id) => Value::Fun(vec![(B::lit(true), *id)], false),
            ExprKind::Load(place) => {
                let pointer = self.place(place);
                match &place.ty {
                    // What a reference refers to.
                    Type::Ref(_) => self.load(&pointer, &expr.ty, expr.span),
                    Type::Array(elem, _) => {
                        self.note_escape(&pointer);
                        let (stride, unknown) = (elem.size(), elem.unknown_unit());
                        Value::Ptr(pointer.map(|o| o.element(&N::num(0), stride, unknown.clone())))
                    }
                    ty => self.load(&pointer, ty, expr.span),
                }
            }
            ExprKind::AddressOf(place) => {
                let pointer = self.place(place);
                self.note_escape(&pointer);
                Value::Ptr(pointer)
            }
            ExprKind::Arith(op, ty, l, r) => {
                let (a, b) = (self.eval(l), self.eval(r));
                if let Some(moved) = self.address_arithmetic(*op, *ty, &a, &b) {
                    return moved;
                }
                let (a, b) = (self.as_number(a, &l.ty), self.as_number(b, &r.ty));
                Value::Num(N::bin(*op, *ty, &a, &b))
            }
            ExprKind::Compare(op, l, r) => {
                let (a, b) = (self.eval(l), self.eval(r));
                let (l, r) = match (&a, &b) {
                    (Value::Ptr(_), Value::Ptr(_)) => (a, b),
                    _ => (self.not_address(a, &l.ty), self.not_address(b, &r.ty)),
                };
                Value::Num(self.compare(*op, l, r).as_number())
            }
            ExprKind::Opaque(op, args) => {
                let args: Vec<Value> = args.iter().map(|a| self.eval(a)).collect();
                self.opaque(op.as_str(), &args, &expr.ty)
            }
            ExprKind::And(l, r) => {
                let l = self.truth(l);
                let (r, _) = self.branch(&l, |w| w.truth(r), |_| B::lit(false));
                Value::Num(B::and([l, r.unwrap_or(B::lit(false))]).as_number())
            }
            ExprKind::Or(l, r) => {
                let l = self.truth(l);
                let (_, r) = self.branch(&l, |_| B::lit(true), |w| w.truth(r));
                Value::Num(B::or([l, r.unwrap_or(B::lit(true))]).as_number())
            }
            ExprKind::Not(inner) => Value::Num(B::not(&self.truth(inner)).as_number()),
            ExprKind::Choose(cond, t, e) => {
                let cond = self.truth(cond);
                let (t, e) = self.branch(&cond, |w| w.eval(t), |w| w.eval(e));
                match (t, e) {
                    (Some(t), Some(e)) => join_values(&cond, &t, &e),
                    (Some(v), None) | (None, Some(v)) => v,
                    (None, None) => Value::Void,
                }
            }
            ExprKind::Convert(inner) => {
                let value = self.eval(inner);
                if let (Type::Unknown(name), Type::Int(_)) = (&expr.ty, &inner.ty) {
                    self.takes_for_granted(&format!(
                        "values of the type `{name}`, which is not known, are not cut off"
                    ));
                }
                self.convert(value, &inner.ty, &expr.ty)
            }
            ExprKind::Offset(pointer, by) => {
                let value = self.eval(pointer);
                let by = self.number(by);
                let by = self.distance(&by);
                let pointer = self.as_pointer(value);
                let (stride, unknown) = match expr.ty.element() {
                    Some(elem) => (elem.size(), elem.unknown_unit()),
                    None => (1, Some(Arc::from("?"))),
                };
                Value::Ptr(pointer.map(|o| o.moved(&by, stride, unknown.clone())))
            }
            ExprKind::Distance(l, r) => {
                let size = l.ty.element().map_or(1, Type::size).max(1);
                let (l, r) = (self.eval(l), self.eval(r));
                let (l, r) = (self.as_pointer(l), self.as_pointer(r));
                match (l.targets.as_slice(), r.targets.as_slice()) {
                    ([a], [b])
                        if a.object == b.object
                            && l.unknown.is_none()
                            && r.unknown.is_none()
                            && ![a, b]
                                .iter()
                                .any(|t| t.offset.as_bytes().is_some_and(|at| at >= i128::from(MADE_UP))) =>
                    {
                        let bytes = N::sub(IntTy::MATH, &a.offset.as_term(), &b.offset.as_term());
                        let size = N::num(i128::from(size));
                        Value::Num(N::cast(IntTy::I64, &N::bin(crate::exp::NBin::Div, IntTy::MATH, &bytes, &size)))
                    }
                    _ => Value::Num(self.fresh_of_type("distance", IntTy::I64)),
                }
            }
            ExprKind::Assign(place, value) => self.assign(place, value, expr).1,
            ExprKind::Update { place, value, old } => self.update(place, value, *old, expr).1,
            ExprKind::Hole => self.holes.last().cloned().unwrap_or(Value::Void),
            ExprKind::Call(id, args) => self.call(*id, args, expr.span),
            ExprKind::CallValue(target, args, taken) => self.call_value(target, args, taken, expr),
            ExprKind::CallUnknown(name, args) => self.call_unknown(name, args, expr),
            ExprKind::Intrinsic(intrinsic, args) => self.intrinsic(intrinsic, args, expr),
            ExprKind::Comma(l, r) => {
                self.eval_for_effect(l);
                self.eval(r)
            }
            ExprKind::Aggregate(parts) => {
                let mut all = Vec::new();
                for (base, part) in parts {
                    match self.eval(part) {
                        Value::Agg(inner) => {
                            all.extend(inner.into_iter().map(|(o, t, v)| (base.saturating_add(o), t, v)))
                        }
                        value => all.push((*base, part.ty.clone(), value)),
                    }
                }
                // What is not listed is zero; of too many parts that is not said, and whoever stores the value opens them.
                let mut layout = Vec::new();
                if scalars(&expr.ty, 0, 256, &mut layout).is_some() {
                    for (offset, ty) in layout {
                        if !all.iter().any(|(o, _, _)| *o == offset) {
                            let zero = match &ty {
                                Type::Ptr(_) => Value::Ptr(Pointer::default()),
                                _ => Value::Num(N::num(0)),
                            };
                            all.push((offset, ty, zero));
                        }
                    }
                }
                all.sort_by_key(|(o, _, _)| *o);
                Value::Agg(all)
            }
            ExprKind::Unknown(unknown) => {
                let touches = match unknown.code {
                    "unknown-value" | "unknown-type" => Touches::Value,
                    _ => Touches::Everything,
                };
                self.lose(unknown.code, unknown.text.clone(), expr.span, touches);
                self.unknown_of(&expr.ty, "unknown")
            }
        }
    }

    /// Stores a value: the place and the value.
    fn assign(&mut self, place: &'p Expr, value: &'p Expr, expr: &'p Expr) -> (Pointer, Value) {
        let value = self.eval(value);
        let pointer = self.place(place);
        self.store(&pointer, expr.ty.value(), value.clone(), expr.span);
        (pointer, value)
    }

    /// Changes a place: the place and its new value, or its old one.
    fn update(&mut self, place: &'p Expr, value: &'p Expr, old: bool, expr: &'p Expr) -> (Pointer, Value) {
        let pointer = self.place(place);
        let before = self.load(&pointer, expr.ty.value(), place.span);
        self.holes.push(before.clone());
        let after = self.eval(value);
        self.holes.pop();
        self.store(&pointer, expr.ty.value(), after.clone(), expr.span);
        (pointer, if old { before } else { after })
    }

    /// Evaluates an expression whose value nobody uses: a number there may be `volatile`, and is read.
    pub(super) fn eval_for_effect(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::Element(..) => {
                let pointer = self.place(expr);
                if matches!(expr.ty, Type::Int(_) | Type::Float(_)) {
                    self.load(&pointer, &expr.ty, expr.span);
                }
            }
            _ => {
                self.eval(expr);
            }
        }
    }

    /// The value of an expression as a number; what is not one is unknown.
    pub(super) fn number(&mut self, expr: &'p Expr) -> N {
        let value = self.eval(expr);
        self.as_number(value, &expr.ty)
    }

    pub(super) fn as_number(&mut self, value: Value, ty: &Type) -> N {
        match (value, ty) {
            (Value::Num(n), Type::Int(int)) => N::cast(*int, &n),
            (Value::Num(n), _) => n,
            (address @ Value::Ptr(_), Type::Int(int)) => match self.not_address(address, ty) {
                Value::Num(n) => n,
                _ => self.fresh_of_type("value", *int),
            },
            (_, Type::Int(int)) => self.fresh_of_type("value", *int),
            _ => self.fresh_local("value"),
        }
    }

    pub(super) fn truth(&mut self, expr: &'p Expr) -> B {
        let value = self.eval(expr);
        let value = self.not_address(value, &expr.ty);
        let cond = match value {
            Value::Num(n) => self.number_truth(&n, &expr.ty),
            Value::Ptr(p) => self.not_null(&p),
            Value::Fun(list, false) => B::or(list.into_iter().map(|(g, _)| g).collect::<Vec<_>>()),
            _ => self.fresh_of_type("truth", IntTy::BOOL).truth(),
        };
        self.decide(&cond)
    }

    /// Is a number other than zero?
    fn number_truth(&mut self, n: &N, ty: &Type) -> B {
        if !matches!(ty, Type::Float(_)) {
            return n.truth();
        }
        match n.as_num() {
            Some(identity) => B::lit(floats::of_identity(identity) != Some(0.0)),
            None => match self.opaque("nonzero", &[Value::Num(n.clone())], &Type::BOOL) {
                Value::Num(truth) => truth.truth(),
                _ => self.fresh_of_type("truth", IntTy::BOOL).truth(),
            },
        }
    }

    fn not_null(&mut self, pointer: &Pointer) -> B {
        // One that was found in memory may be null.
        if pointer.unknown.is_some() || pointer.targets.iter().any(|t| self.is_found(t.object)) {
            return self.fresh_of_type("null", IntTy::BOOL).truth();
        }
        let guards: Vec<B> = pointer
            .targets
            .iter()
            .map(|t| {
                let object = self.info(t.object);
                // A pointer parameter may be null at the launch; variables never are.
                let is_variable = !object.given && matches!(object.ty, Type::Array(..));
                let may_be_given = match object.kind {
                    ObjectKind::Array(space) => space == Space::Global && !is_variable,
                    ObjectKind::Constant => object.given,
                    ObjectKind::Private => false,
                };
                if may_be_given {
                    let name = format!("given.{}", object.symbol);
                    let fun = Fun { name: name.as_str().into(), ty: IntTy::BOOL, kind: FunKind::Input };
                    return B::and([t.guard.clone(), N::call(fun, vec![]).truth()]);
                }
                t.guard.clone()
            })
            .collect();
        B::or(guards)
    }

    pub(super) fn as_pointer(&mut self, value: Value) -> Pointer {
        match value {
            Value::Ptr(p) => p,
            Value::Num(n) if n.as_num() == Some(0) => Pointer::default(),
            _ => Pointer::unknown(),
        }
    }

    fn constant(&mut self, text: &str, ty: &Type) -> Value {
        match ty {
            // The value identifies itself; nothing else is known of it.
            Type::Float(bytes) => match text.parse::<f64>() {
                Ok(value) if *bytes == 8 => Value::Num(float_identity(value)),
                Ok(_) if *bytes == 4 => Value::Num(float_identity(f64::from(text.parse::<f32>().unwrap_or(f32::NAN)))),
                _ => self.unknown_of(ty, "constant"),
            },
            Type::Ptr(_) => {
                let object = self.object("string", ObjectKind::Constant, Type::Int(IntTy::I8));
                Value::Ptr(Pointer::to(object, Offset::start()))
            }
            // [INF-PART]
            Type::Unknown(group) if &**group == "coalesced_group" && matches!(text, "coalesced_group" | "part") => {
                Value::Num(self.vote("group", None, B::lit(true), false))
            }
            _ => Value::Num(N::num(0)),
        }
    }

    pub(super) fn builtin(&self, builtin: Builtin) -> N {
        let coordinate = |list: &[(crate::exp::Var, N)], axis: u8| {
            let (var, extent) = &list[usize::from(axis)];
            if extent.as_num() == Some(1) { N::num(0) } else { N::var(var) }
        };
        match builtin {
            Builtin::ThreadIdx(axis) => coordinate(&self.threads, axis),
            Builtin::BlockIdx(axis) => coordinate(&self.blocks, axis),
            Builtin::BlockDim(axis) => self.block_dim[usize::from(axis)].clone(),
            Builtin::GridDim(axis) => self.grid_dim[usize::from(axis)].clone(),
            Builtin::WarpSize => N::num(self.warp_size),
            Builtin::LinearThread => {
                let [x, y, z] = [0, 1, 2].map(|axis| coordinate(&self.threads, axis));
                let row = N::add(IntTy::U32, &y, &N::mul(IntTy::U32, &self.block_dim[1], &z));
                N::add(IntTy::U32, &x, &N::mul(IntTy::U32, &self.block_dim[0], &row))
            }
            Builtin::BlockSize => {
                let [x, y, z] = &self.block_dim;
                N::mul(IntTy::U32, &N::mul(IntTy::U32, x, y), z)
            }
            Builtin::LinearBlock => {
                let [x, y, z] = [0, 1, 2].map(|axis| coordinate(&self.blocks, axis));
                let row = N::add(IntTy::U64, &y, &N::mul(IntTy::U64, &self.grid_dim[1], &z));
                N::add(IntTy::U64, &x, &N::mul(IntTy::U64, &self.grid_dim[0], &row))
            }
            Builtin::GridSize => {
                let [x, y, z] = &self.grid_dim;
                N::mul(IntTy::U64, &N::mul(IntTy::U64, x, y), z)
            }
        }
    }

    pub(super) fn compare(&mut self, op: NRel, l: Value, r: Value) -> B {
        match (l, r) {
            (Value::Num(l), Value::Num(r)) => self.decide(&B::rel(op, &l, &r)),
            (Value::Fun(list, open), Value::Fun(other, false))
                if other.len() == 1 && other[0].0.as_lit() == Some(true) && !open =>
            {
                let wanted = other[0].1;
                let same = B::or(list.iter().filter(|(_, f)| *f == wanted).map(|(g, _)| g.clone()).collect::<Vec<_>>());
                match op {
                    NRel::Eq => same,
                    NRel::Ne => B::not(&same),
                    _ => self.fresh_of_type("compare", IntTy::BOOL).truth(),
                }
            }
            (Value::Fun(list, false), other) | (other, Value::Fun(list, false))
                if is_null(&other) && matches!(op, NRel::Eq | NRel::Ne) =>
            {
                let some = B::or(list.into_iter().map(|(g, _)| g).collect::<Vec<_>>());
                if op == NRel::Ne { some } else { B::not(&some) }
            }
            (l, r) => {
                let null = is_null;
                if let (Value::Ptr(p), NRel::Eq | NRel::Ne) = (if null(&l) { &r } else { &l }, op)
                    && (null(&l) || null(&r))
                {
                    let p = p.clone();
                    let some = self.not_null(&p);
                    return if op == NRel::Ne { some } else { B::not(&some) };
                }
                if let (Value::Ptr(a), Value::Ptr(b)) = (&l, &r)
                    && let ([x], [y], None, None) = (a.targets.as_slice(), b.targets.as_slice(), &a.unknown, &b.unknown)
                    && x.object == y.object
                    && !self.is_found(x.object)
                {
                    let places = B::rel(op, &x.offset.as_term(), &y.offset.as_term());
                    if x.guard.as_lit() == Some(true) && y.guard.as_lit() == Some(true) {
                        return places;
                    }
                    // Elsewhere they are null. [INF-COMPARE]
                    let (a, b) = (a.clone(), b.clone());
                    let (some, other) = (self.not_null(&a), self.not_null(&b));
                    let both = B::and([some.clone(), other.clone()]);
                    let none = B::and([B::not(&some), B::not(&other)]);
                    match op {
                        NRel::Eq => return B::or([B::and([both, places]), none]),
                        NRel::Ne => return B::not(&B::or([B::and([both, B::not(&places)]), none])),
                        NRel::Lt | NRel::Le => {}
                    }
                }
                self.fresh_of_type("compare", IntTy::BOOL).truth()
            }
        }
    }

    /// A function of values that nothing else is known of.
    pub(super) fn opaque(&mut self, op: &str, args: &[Value], ty: &Type) -> Value {
        let mut flat = Vec::new();
        let mut known = true;
        for arg in args {
            match arg {
                Value::Num(n) => flat.push(n.clone()),
                Value::Agg(parts) => {
                    for (_, _, part) in parts {
                        match part {
                            Value::Num(n) => flat.push(n.clone()),
                            _ => known = false,
                        }
                    }
                }
                _ => known = false,
            }
        }
        let result = match ty {
            Type::Int(int) => *int,
            Type::Ptr(_) | Type::Struct(_) | Type::Array(..) => return self.unknown_of(ty, "value"),
            _ => IntTy::OPAQUE,
        };
        if !known || flat.iter().any(|n| n.depth() > MAX_OPAQUE_DEPTH) || self.is_either_half(ty) {
            return Value::Num(self.fresh_of_type("value", result));
        }
        let precision = match ty {
            Type::Float(bytes) => format!("f{}", bytes * 8),
            _ => result.to_string(),
        };
        let name = format!("op.{}.{}.{precision}", symbol(op), flat.len());
        Value::Num(N::call(Fun { name: name.as_str().into(), ty: result, kind: FunKind::Abstract }, flat))
    }

    /// Is this a number of half precision of which it is not known in which of two formats it is?
    fn is_either_half(&self, ty: &Type) -> bool {
        *ty == Type::Float(2) && self.program.two_halves
    }

    pub(super) fn convert(&mut self, value: Value, from: &Type, to: &Type) -> Value {
        if let Value::Num(_) = value
            && (self.is_either_half(from) || self.is_either_half(to))
        {
            return self.unknown_of(to, "value");
        }
        match (value, to) {
            (Value::Num(n), Type::Int(IntTy::BOOL)) => Value::Num(self.number_truth(&n, from).as_number()),
            (Value::Fun(list, false), Type::Int(IntTy::BOOL)) => {
                Value::Num(B::or(list.into_iter().map(|(g, _)| g).collect::<Vec<_>>()).as_number())
            }
            (Value::Fun(..), Type::Int(int)) => Value::Num(self.fresh_of_type("address", *int)),
            (Value::Ptr(p), Type::Int(int)) if matches!(from, Type::Int(_)) => match int.bits >= 32 {
                true => Value::Ptr(p),
                false => self.not_address(Value::Ptr(p), to),
            },
            (Value::Ptr(p), Type::Int(IntTy::BOOL)) => Value::Num(self.not_null(&p).as_number()),
            (Value::Num(n), Type::Int(int)) => match from {
                Type::Int(_) => Value::Num(N::cast(*int, &n)),
                _ => self.opaque("int", &[Value::Num(n)], to),
            },
            (Value::Num(n), Type::Float(_)) => match (from, n.as_num()) {
                (Type::Float(from), _) if matches!(to, Type::Float(to) if from <= to) => Value::Num(n),
                (Type::Float(_), Some(identity)) if *to == Type::Float(4) => match floats::of_identity(identity) {
                    Some(value) => Value::Num(float_identity(f64::from(value as f32))),
                    None => self.opaque("float", &[Value::Num(n)], to),
                },
                (Type::Int(_), Some(i)) if *to == Type::Float(8) => Value::Num(float_identity(i as f64)),
                (Type::Int(_), Some(i)) if *to == Type::Float(4) => Value::Num(float_identity(f64::from(i as f32))),
                _ => self.opaque("float", &[Value::Num(n)], to),
            },
            (Value::Num(n), Type::Ptr(_)) if n.as_num() == Some(0) => Value::Ptr(Pointer::default()),
            (Value::Num(_), Type::Ptr(_) | Type::Ref(_)) => Value::Ptr(Pointer::unknown()),
            (Value::Ptr(p), Type::Int(int)) if int.bits >= 64 => Value::Ptr(p),
            (Value::Ptr(p), Type::Int(_)) => self.not_address(Value::Ptr(p), to),
            // Steps of a size that is not known say nothing about elements of another type.
            (Value::Ptr(p), _)
                if from.element() != to.element() && from.element().is_some_and(Type::has_unknown_size) =>
            {
                Value::Ptr(p.map(|o| Offset { known_size: o.known_size || o.unknown.is_some(), ..o.clone() }))
            }
            (Value::Ptr(p), Type::Ptr(elem)) if from.element() != Some(elem) => Value::Ptr(self.seen_as(p, elem)),
            (Value::Ptr(p), _) => Value::Ptr(p),
            (Value::Agg(parts), Type::Struct(_)) if from == to => Value::Agg(parts),
            (Value::Agg(_), Type::Struct(_)) => self.unknown_of(to, "value"),
            (value, _) => value,
        }
    }

    /// A pointer that is given another type. Seen as rows that the array does not have, what is a subscript of a row of it need
    /// not stay within one of its own.
    fn seen_as(&self, pointer: Pointer, elem: &Type) -> Pointer {
        let has_rows = |ty: &Type| match ty {
            Type::Array(..) => true,
            Type::Struct(class) => class.fields.iter().any(|f| matches!(f.ty, Type::Array(..))),
            _ => false,
        };
        if !has_rows(elem) {
            return pointer;
        }
        let other = |object: ObjId| {
            let Type::Array(inner, _) = &self.info(object).ty else { return false };
            let mut rows = vec![&**inner];
            while let Some(Type::Array(inner, _)) = rows.last() {
                rows.push(inner);
            }
            rows.len() > 1 && !rows.contains(&elem)
        };
        let targets = pointer.targets.into_iter().map(|mut target| {
            target.offset.flat |= other(target.object);
            target
        });
        Pointer { targets: targets.collect(), ..pointer }
    }

    // ---- places ----

    pub(super) fn place(&mut self, expr: &'p Expr) -> Pointer {
        match &expr.kind {
            ExprKind::Var(var) => {
                let function = self.frame().function;
                let decl = &self.function(function).vars[var.0 as usize];
                let object = match self.frame().vars.get(var) {
                    Some(object) => *object,
                    None if decl.storage == crate::kernel::ir::Storage::Shared => self.static_object(function, *var),
                    None => {
                        let object = self.private_object(decl.name.as_str(), decl.ty.clone());
                        self.bind_var(*var, object);
                        object
                    }
                };
                Pointer::to(object, Offset::start())
            }
            ExprKind::Global(global) => Pointer::to(self.global_object(*global), Offset::start()),
            ExprKind::Deref(pointer) => {
                let value = self.eval(pointer);
                self.as_pointer(value)
            }
            ExprKind::Member(object, offset, _) => {
                let place = self.place(object);
                let vague = matches!(object.ty.value(), Type::Struct(s) if s.is_vague_at(*offset));
                place.map(|o| {
                    let mut place = o.bytes(i128::from(*offset));
                    if vague {
                        place.take(&object.ty.value().unknown_unit());
                    }
                    place
                })
            }
            ExprKind::Element(array, index) => {
                let place = self.place(array);
                let index = self.number(index);
                place.map(|o| o.element(&index, expr.ty.size(), expr.ty.unknown_unit()))
            }
            ExprKind::Temporary(value) => {
                let value = self.eval(value);
                let object = self.private_object("temporary", expr.ty.clone());
                let place = Pointer::to(object, Offset::start());
                self.store(&place, &expr.ty, value, expr.span);
                place
            }
            ExprKind::Choose(cond, t, e) => {
                let cond = self.truth(cond);
                let (t, e) = self.branch(&cond, |w| w.place(t), |w| w.place(e));
                match (t, e) {
                    (Some(t), Some(e)) => Pointer::choose(&cond, &t, &e),
                    (Some(p), None) | (None, Some(p)) => p,
                    (None, None) => Pointer::unknown(),
                }
            }
            ExprKind::Comma(l, r) => {
                self.eval_for_effect(l);
                self.place(r)
            }
            // What is assigned to.
            ExprKind::Assign(place, value) => self.assign(place, value, expr).0,
            ExprKind::Update { place, value, old: false } => self.update(place, value, false, expr).0,
            _ => {
                // A value where a place is wanted: a temporary.
                let value = self.eval(expr);
                if let ExprKind::Unknown(_) = expr.kind {
                    return Pointer::unknown();
                }
                let object = self.private_object("temporary", expr.ty.clone());
                let place = Pointer::to(object, Offset::start());
                self.store(&place, &expr.ty, value, expr.span);
                place
            }
        }
    }

    pub(super) fn note_escape(&mut self, pointer: &Pointer) {
        for target in &pointer.targets {
            if self.info(target.object).kind == ObjectKind::Private {
                self.escaped.insert(target.object);
            }
        }
    }

    // ---- loads ----

    pub(super) fn load(&mut self, pointer: &Pointer, ty: &Type, span: Span) -> Value {
        if let Some(when) = &pointer.unknown
            && self.decide(when).as_lit() != Some(false)
        {
            self.lose("unknown-pointer", "this reads through a pointer that is not known", span, Touches::Everything);
        }
        let mut result: Option<Value> = None;
        for target in &pointer.targets {
            let guard = self.decide(&target.guard);
            if guard.as_lit() == Some(false) {
                continue;
            }
            let value = self.load_target(target, &guard, ty, span);
            result = Some(match result {
                None => value,
                Some(others) => join_values(&guard, &value, &others),
            });
        }
        match (result, &pointer.unknown) {
            (Some(value), None) => value,
            (Some(value), Some(when)) => {
                let unknown = self.unknown_of(ty, "unknown");
                join_values(when, &unknown, &value)
            }
            (None, _) => self.unknown_of(ty, "unknown"),
        }
    }

    fn load_target(&mut self, target: &Target, guard: &B, ty: &Type, span: Span) -> Value {
        match self.info(target.object).kind {
            ObjectKind::Private => self.load_private(target.object, &target.offset, ty),
            ObjectKind::Constant => match self.known_content(target, ty) {
                Some(value) => value,
                None => self.contents(target.object, &target.offset, ty),
            },
            ObjectKind::Array(_) => {
                let width = ty.size();
                let access = self.access(target.object, &target.offset, width, ty.unknown_unit(), Mode::Rd, span);
                self.emit(Protocol::branch(guard, access, Protocol::Skip));
                if self.lockstep {
                    self.looks_again(target.object);
                }
                if let Some(stored) = self.state.recent.get(&target.object)
                    && stored.offset == target.offset
                    && stored.width == width
                {
                    let value = stored.value.clone();
                    return self.viewed(value, ty);
                }
                self.contents(target.object, &target.offset, ty)
            }
        }
    }

    /// An element of a constant array of numbers that are all known.
    fn known_content(&mut self, target: &Target, ty: &Type) -> Option<Value> {
        const MAX_LENGTH: u64 = 64;
        let (id, _) = self.globals.iter().find(|(_, object)| **object == target.object)?;
        let global = &self.program.globals[id.0 as usize];
        if !global.filled.is_empty() {
            return self.filled_content(global, target, ty);
        }
        let init = global.init.as_ref()?;
        let (Type::Array(elem, Some(length)), ExprKind::Aggregate(parts)) = (&self.info(target.object).ty, &init.kind)
        else {
            return None;
        };
        if **elem != *ty || !matches!(ty, Type::Int(_)) || *length == 0 || *length > MAX_LENGTH {
            return None;
        }
        let mut values = vec![0; *length as usize];
        for (offset, part) in parts {
            let ExprKind::Int(n) = part.kind else { return None };
            *values.get_mut(usize::try_from(offset / ty.size()).ok()?)? = n;
        }
        let at = target.offset.as_term();
        let (last, others) = values.split_last()?;
        let mut value = N::num(*last);
        for (i, n) in others.iter().enumerate().rev() {
            let here = at.eq(&N::num(i as i128 * i128::from(ty.size())));
            value = N::ite(&here, &N::num(*n), &value);
        }
        Some(Value::Num(value))
    }

    /// A number that the host copied there. [HOST-SYMBOL]
    fn filled_content(&mut self, global: &Global, target: &Target, ty: &Type) -> Option<Value> {
        const MAX_LENGTH: usize = 64;
        let Type::Int(int) = ty else { return None };
        let known: Vec<(u64, i128)> = match target.offset.as_bytes() {
            Some(at) => {
                let at = u64::try_from(at).ok()?;
                vec![(at, *global.filled.get(&at)?)]
            }
            // Any of its elements.
            None => match &global.decl.ty {
                Type::Array(elem, Some(n)) if **elem == *ty && *n == global.filled.len() as u64 => {
                    global.filled.iter().map(|(at, n)| (*at, *n)).collect()
                }
                _ => return None,
            },
        };
        let ((_, last), others) = known.split_last().filter(|_| known.len() <= MAX_LENGTH)?;
        let at = target.offset.as_term();
        let mut value = N::num(int.wrap(*last));
        for (place, n) in others.iter().rev() {
            value = N::ite(&at.eq(&N::num(i128::from(*place))), &N::num(int.wrap(*n)), &value);
        }
        let text = match global.is_kept {
            true => {
                format!("`{}` holds what it is declared with, and no host code copies anything there", global.decl.name)
            }
            false => format!("`{}` holds what the host copies there", global.decl.name),
        };
        self.takes_for_granted(&text);
        Some(Value::Num(value))
    }

    /// What an array holds at an offset, in the version that this thread sees.
    fn contents(&mut self, object: ObjId, offset: &Offset, ty: &Type) -> Value {
        match ty {
            Type::Struct(_) | Type::Array(..) => {
                let mut parts = Vec::new();
                if scalars(ty, 0, 64, &mut parts).is_none() {
                    return self.unknown_of(ty, "content");
                }
                let parts = parts.into_iter().map(|(at, t)| {
                    let value = self.contents(object, &offset.bytes(i128::from(at)), &t);
                    (at, t, value)
                });
                Value::Agg(parts.collect())
            }
            Type::Ptr(inner) if **inner == Type::Fun => Value::Fun(Vec::new(), true),
            Type::Ptr(inner) => Value::Ptr(self.stored_pointer(object, offset, inner).unwrap_or(Pointer::unknown())),
            Type::Ref(_) => Value::Ptr(Pointer::unknown()),
            Type::Void | Type::Fun => Value::Void,
            Type::Int(_) | Type::Float(_) | Type::Unknown(_) => {
                let result = match ty {
                    Type::Int(int) => *int,
                    _ => IntTy::OPAQUE,
                };
                if offset.terms.iter().any(|(n, _)| n.depth() > 200) || self.is_found(object) {
                    return Value::Num(self.fresh_of_type("content", result));
                }
                let info = self.info(object);
                let shape: String = offset.terms.iter().map(|(_, s)| format!(".{s}")).collect();
                // How wide it is, an integer type says.
                let width = if result == IntTy::OPAQUE { format!(".f{}", ty.size()) } else { String::new() };
                let name = format!("{}{shape}{width}.{result}", info.symbol);
                let shared = info.kind == ObjectKind::Array(Space::Shared);
                let mut args = vec![self.state.version(object)];
                if shared {
                    let blocks: Vec<N> =
                        self.blocks.iter().filter(|(_, e)| e.as_num() != Some(1)).map(|(v, _)| N::var(v)).collect();
                    args.extend(blocks);
                }
                args.push(N::num(offset.constant));
                args.extend(offset.terms.iter().map(|(n, _)| n.clone()));
                // Whether it is an input is known once the whole kernel was seen: `finish` decides.
                let strides = offset.terms.iter().map(|(_, s)| *s).collect();
                let known = Contents { object, strides, width: ty.size() };
                let same = |c: &mut Contents| c.width = if c.width == ty.size() { c.width } else { 0 };
                self.contents.entry(name.as_str().into()).and_modify(same).or_insert(known);
                Value::Num(N::call(Fun { name: name.as_str().into(), ty: result, kind: FunKind::Abstract }, args))
            }
        }
    }

    /// What the bytes of a value are, read as a type of the same size.
    pub(super) fn viewed(&mut self, value: Value, ty: &Type) -> Value {
        let Value::Num(n) = &value else { return value };
        let is_float = is_float(n);
        match ty {
            Type::Int(int) if !is_float => Value::Num(N::cast(*int, n)),
            Type::Int(_) if ty.size() == 2 && self.program.two_halves => self.unknown_of(ty, "bits"),
            Type::Int(_) => self.opaque("bits", &[value], ty),
            Type::Float(_) if !is_float => self.opaque("from_bits", &[value], ty),
            _ => value,
        }
    }

    pub(super) fn load_private(&mut self, object: ObjId, offset: &Offset, ty: &Type) -> Value {
        let mut parts = Vec::new();
        if matches!(ty, Type::Struct(_) | Type::Array(..)) {
            if scalars(ty, 0, 256, &mut parts).is_none() {
                return self.unknown_of(ty, "content");
            }
            let parts = parts.into_iter().map(|(at, t)| {
                let value = self.load_private(object, &offset.bytes(i128::from(at)), &t);
                (at, t, value)
            });
            return Value::Agg(parts.collect());
        }
        let Some(cells) = self.state.private.get(&object).cloned() else {
            return self.unknown_of(ty, "content");
        };
        match offset.as_bytes() {
            Some(at) => {
                let found = u64::try_from(at).ok().and_then(|at| cells.cells.get(&at));
                match found {
                    Some((size, value)) if *size == ty.size() => {
                        let value = value.clone();
                        self.viewed(value, ty)
                    }
                    _ => match u64::try_from(at).map(|at| cells.near(at, ty.size())) {
                        Ok(near) if !near.is_empty() => self.bytes_of(&cells, at, ty, &near),
                        _ => self.rest_of(&cells, offset, ty),
                    },
                }
            }
            None => self.load_element(object, &cells, offset, ty),
        }
    }

    /// The content of a cell that is not listed: a function of what identifies the contents, and of the offset.
    pub(super) fn rest_of(&mut self, cells: &Cells, offset: &Offset, ty: &Type) -> Value {
        let result = match ty {
            Type::Int(int) => *int,
            Type::Float(_) | Type::Unknown(_) => IntTy::OPAQUE,
            _ => return self.unknown_of(ty, "content"),
        };
        Value::Num(cells.rest_at(result, ty.size(), offset))
    }

    /// Bytes that are listed as parts of something else: a function of what these are, and of the rest if there is one.
    fn bytes_of(&mut self, cells: &Cells, at: i128, ty: &Type, near: &[(u64, u64, &Value)]) -> Value {
        let result = match ty {
            Type::Int(int) => *int,
            Type::Float(_) | Type::Unknown(_) => IntTy::OPAQUE,
            _ => return self.unknown_of(ty, "content"),
        };
        let mut args = Vec::new();
        let mut covered = 0;
        let end = at + i128::from(ty.size());
        for (from, size, value) in near {
            let Value::Num(n) = value else { return self.unknown_of(ty, "content") };
            if n.depth() > MAX_OPAQUE_DEPTH {
                return self.unknown_of(ty, "content");
            }
            let (from, to) = (i128::from(*from), i128::from(from + size));
            covered += to.min(end) - from.max(at);
            args.extend([N::num(from - at), N::num(to - from), n.clone()]);
        }
        let mut name = format!("bytes.{result}.{}.{}", ty.size(), near.len());
        if covered < end - at {
            name.push_str(".rest");
            args.extend([cells.rest.clone(), N::num(at)]);
        }
        Value::Num(N::call(Fun { name: name.as_str().into(), ty: result, kind: FunKind::Abstract }, args))
    }

    // ---- stores ----

    pub(super) fn store(&mut self, pointer: &Pointer, ty: &Type, value: Value, span: Span) {
        if let Some(when) = &pointer.unknown
            && self.decide(when).as_lit() != Some(false)
        {
            self.lose("unknown-pointer", "this writes through a pointer that is not known", span, Touches::Everything);
            self.clobber_escaped();
        }
        for target in &pointer.targets {
            let guard = self.decide(&target.guard);
            if guard.as_lit() == Some(false) {
                continue;
            }
            match self.info(target.object).kind {
                ObjectKind::Private => self.store_private(target.object, &target.offset, &guard, ty, value.clone()),
                ObjectKind::Constant => self.written_constant(target.object, span),
                ObjectKind::Array(_) => {
                    let stored = match &value {
                        Value::Num(n) if n.depth() <= MAX_OPAQUE_DEPTH => Some(n.clone()),
                        Value::Ptr(p) => self.address(p),
                        _ => None,
                    };
                    let (width, unknown) = (ty.size(), ty.unknown_unit());
                    let access = self.access(target.object, &target.offset, width, unknown, Mode::Wr(stored), span);
                    self.emit(Protocol::branch(&guard, access, Protocol::Skip));
                    self.touch(target.object);
                    if guard.as_lit() == Some(true) {
                        if let (Value::Num(n), Type::Int(_) | Type::Float(_)) = (&value, ty) {
                            self.puts(target.object, &target.offset, width, n);
                        }
                        let stored = Stored { offset: target.offset.clone(), width, value: value.clone() };
                        self.state.recent.insert(target.object, stored);
                    }
                }
            }
        }
    }

    pub(super) fn store_private(&mut self, object: ObjId, offset: &Offset, guard: &B, ty: &Type, value: Value) {
        let Some(base) = offset.as_bytes().and_then(|b| u64::try_from(b).ok()) else {
            self.scattered |= matches!(value, Value::Ptr(_));
            self.clobber(object);
            return;
        };
        let mut whole = true;
        let parts = match value {
            Value::Agg(parts) => {
                whole = is_whole(ty, &parts);
                parts
            }
            Value::Void if *ty == Type::Void => return,
            single => {
                if matches!(ty, Type::Struct(_) | Type::Array(..)) {
                    // A value without parts for something that has some: all of it is unknown.
                    let mut layout = Vec::new();
                    if scalars(ty, 0, 256, &mut layout).is_none() {
                        self.clobber(object);
                        return;
                    }
                    let parts: Vec<_> = layout
                        .into_iter()
                        .map(|(o, t)| {
                            let v = self.unknown_of(&t, "part");
                            (o, t, v)
                        })
                        .collect();
                    whole = is_whole(ty, &parts);
                    parts
                } else if single == Value::Void {
                    vec![(0, ty.clone(), self.unknown_of(ty, "value"))]
                } else {
                    vec![(0, ty.clone(), single)]
                }
            }
        };
        let mut stored = Vec::new();
        for (at, ty, value) in parts {
            let value = match guard.as_lit() {
                Some(true) => value,
                _ => {
                    let old = self.load_private(object, &Offset::start().bytes(i128::from(base + at)), &ty);
                    join_values(guard, &value, &old)
                }
            };
            stored.push((base + at, ty.size(), value));
        }
        if !whole {
            self.open(object, base, ty.size());
        }
        for (at, size, value) in stored {
            self.set_cell(object, at, size, value);
        }
    }

    /// Forgets what a private object contains.
    pub(super) fn clobber(&mut self, object: ObjId) {
        let rest = self.fresh_local("content");
        self.state.private.insert(object, Rc::new(Cells { cells: BTreeMap::new(), rest, open: true }));
    }

    pub(super) fn clobber_escaped(&mut self) {
        for object in self.escaped.clone() {
            if self.state.private.contains_key(&object) {
                self.clobber(object);
            }
        }
    }
}

fn float_identity(value: f64) -> N {
    N::num(floats::identity(value))
}

/// Does the term stand for a floating-point or an unknown value?
pub(super) fn is_float(term: &N) -> bool {
    term.ty() == Some(IntTy::OPAQUE) || term.as_num().is_some_and(floats::is_identity)
}

/// A name for an operator symbol.
fn symbol(op: &str) -> String {
    op.chars()
        .map(|c| match c {
            '+' => "add".to_owned(),
            '-' => "sub".to_owned(),
            '*' => "mul".to_owned(),
            '/' => "div".to_owned(),
            '%' => "rem".to_owned(),
            '<' => "lt".to_owned(),
            '>' => "gt".to_owned(),
            '=' => "eq".to_owned(),
            '!' => "not".to_owned(),
            '&' => "and".to_owned(),
            '|' => "or".to_owned(),
            '^' => "xor".to_owned(),
            '~' => "inv".to_owned(),
            c if c.is_ascii_alphanumeric() || c == '_' => c.to_string(),
            _ => "_".to_owned(),
        })
        .collect()
}
