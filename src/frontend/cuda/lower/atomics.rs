//! Atomic objects of the library: `cuda::atomic<T, scope>`, and `cuda::atomic_ref<T, scope>`, which stands for a place.
//! [INF-ATOMIC-OBJECT]

use super::*;

/// The fields of the two classes.
const VALUE: &str = "value";
const PLACE: &str = "place";

const REFERENCE: &str = "cuda::atomic_ref";

/// What an atomic object holds, with which threads it is atomic, and whether it is somewhere else.
struct Kind {
    value: Type,
    scope: Scope,
    elsewhere: bool,
}

/// `cuda::atomic<int, cuda::thread_scope_block>`; `None`: of a type or scope that is not modelled.
pub fn atomic_type(name: &str, value: Type, scope: &str) -> Option<Type> {
    let scope = match scope.rsplit("::").next().unwrap_or("").trim() {
        "" | "thread_scope_system" | "thread_scope_device" | "system" | "device" => "grid",
        "thread_scope_block" | "block" => "block",
        _ => return None,
    };
    if !matches!(&value, Type::Int(ty) if ty.bits >= 32) && !matches!(value, Type::Float(4 | 8)) {
        return None;
    }
    let member = match name {
        "atomic" => (Arc::from(VALUE), value),
        "atomic_ref" => (Arc::from(PLACE), value.ptr()),
        _ => return None,
    };
    let name = format!("cuda::{name}.{scope}");
    Some(Type::Struct(Arc::new(StructTy::layout(&name, vec![member], false, None, true))))
}

fn kind(ty: &Type) -> Option<Kind> {
    let Type::Struct(class) = ty.value() else { return None };
    let (name, scope) = class.name.rsplit_once('.')?;
    let elsewhere = name == REFERENCE;
    if !elsewhere && name != "cuda::atomic" {
        return None;
    }
    let scope = if scope == "block" { Scope::Block } else { Scope::Grid };
    let field = class.field(if elsewhere { PLACE } else { VALUE })?.ty.clone();
    let value = if elsewhere { field.element()?.clone() } else { field };
    Some(Kind { value, scope, elsewhere })
}

/// Is this the type of an atomic object?
pub(super) fn is_atomic(ty: &Type) -> bool {
    kind(ty).is_some()
}

/// Is this, as it is written, the order of operations that order nothing else?
pub(super) fn is_relaxed(text: &str) -> bool {
    text.ends_with("memory_order_relaxed") || text.ends_with("memory_order::relaxed")
}

impl<'l, 't> Body<'l, 't> {
    /// `cuda::atomic_ref<int> r(x)` stands for `x`.
    pub(super) fn atomic_reference(&mut self, ty: &Type, args: &[Expr], span: Span) -> Option<Expr> {
        let found = kind(ty).filter(|k| k.elsewhere)?;
        let [place] = args else { return None };
        if place.ty.value() == ty.value() {
            return Some(self.value(place.clone()));
        }
        if !is_lvalue(place) || *place.ty.value() != found.value {
            return None;
        }
        let pointer = self.address_of(place.clone(), span);
        Some(Expr::new(ExprKind::Aggregate(vec![(0, pointer)]), ty.value().clone(), span))
    }

    /// A pointer to what an atomic object holds.
    fn atomic_place(&mut self, object: &Expr, elsewhere: bool, span: Span) -> Option<Expr> {
        match &object.kind {
            ExprKind::Aggregate(parts) if elsewhere => parts.first().map(|(_, pointer)| pointer.clone()),
            _ if !is_lvalue(object) => None,
            _ if elsewhere => {
                let pointer = self.member(object.clone(), PLACE, span);
                Some(self.value(pointer))
            }
            _ => {
                let value = self.member(object.clone(), VALUE, span);
                Some(self.address_of(value, span))
            }
        }
    }

    /// A member function of an atomic object; the order of its operations is relaxed, or may be any.
    pub(super) fn atomic_member(
        &mut self,
        object: &Expr,
        name: &str,
        args: &[Expr],
        relaxed: bool,
        span: Span,
    ) -> Option<Expr> {
        let Kind { value: ty, scope, elsewhere } = kind(&object.ty)?;
        // One that a function returns is kept first.
        let mut steps = Vec::new();
        let object = match &object.kind {
            ExprKind::Call(..) if elsewhere => &self.kept_place(object.clone(), &mut steps, span),
            _ => object,
        };
        let pointer = self.atomic_place(object, elsewhere, span)?;
        let of = |operation: &str, args: Vec<Expr>, ty: Type| {
            let args = std::iter::once(pointer.clone()).chain(args).collect();
            Expr::new(ExprKind::Intrinsic(Intrinsic::Atomic(Name::new(operation), scope), args), ty, span)
        };
        let made = match (name, args) {
            (
                "fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or" | "fetch_xor" | "fetch_min" | "fetch_max"
                | "exchange",
                [by] | [by, _],
            ) => {
                let by = self.value(by.clone());
                let by = self.convert(by, &ty);
                of(name, vec![by], ty)
            }
            ("load", [] | [_]) => of("load", vec![], ty),
            ("store", [by] | [by, _]) => {
                let by = self.value(by.clone());
                let by = self.convert(by, &ty);
                Expr { ty: Type::Void, ..self.preceded([of("store", vec![by], ty)], self.nothing(span)) }
            }
            // What is expected is read, and written where the exchange fails.
            (
                "compare_exchange_strong" | "compare_exchange_weak",
                [expected, wanted] | [expected, wanted, _] | [expected, wanted, _, _],
            ) if is_lvalue(expected) => {
                let expected = self.address_of(expected.clone(), span);
                let update =
                    self.intrinsic_call(Intrinsic::TouchReadWrite(Name::new("expected")), vec![expected], span);
                let wanted = self.value(wanted.clone());
                let exchange = of("cmpxchg", vec![], ty);
                let done = self.havoc("exchanged", Type::BOOL, vec![wanted], span);
                self.preceded([update, exchange], done)
            }
            ("notify_one" | "notify_all", []) => return Some(self.nothing(span)),
            ("wait", [_] | [_, _]) => {
                let load = of("load", vec![], ty);
                self.may_not_pass(load, span)
            }
            _ => return None,
        };
        let orders = (!relaxed).then(|| self.intrinsic_call(Intrinsic::PartBarrier, vec![], span));
        steps.extend(orders);
        Some(self.preceded(steps, made))
    }

    /// A variable with the value that an expression has here.
    fn kept_place(&mut self, value: Expr, steps: &mut Vec<Expr>, span: Span) -> Expr {
        let ty = value.ty.clone();
        let place = Expr::new(ExprKind::Var(self.declare_hidden(ty.clone(), span)), ty.clone(), span);
        steps.push(Expr::new(ExprKind::Assign(Box::new(place.clone()), Box::new(value)), ty, span));
        place
    }

    fn nothing(&self, span: Span) -> Expr {
        self.intrinsic_call(Intrinsic::Nothing, vec![], span)
    }

    /// `x += 1`, `x++` of an atomic object: the value before, or after.
    pub(super) fn atomic_update(
        &mut self,
        place: &Expr,
        op: &str,
        value: &Expr,
        old: bool,
        span: Span,
    ) -> Option<Expr> {
        let operation = match op {
            "+" => "fetch_add",
            "-" => "fetch_sub",
            "&" => "fetch_and",
            "|" => "fetch_or",
            "^" => "fetch_xor",
            _ => return None,
        };
        let before = self.atomic_member(place, operation, std::slice::from_ref(value), false, span)?;
        Some(if old { before } else { self.binary(op, before, value.clone(), span) })
    }

    /// `x = 1` of an atomic object.
    pub(super) fn atomic_assignment(&mut self, place: &Expr, value: &Expr, span: Span) -> Option<Expr> {
        if is_atomic(&value.ty) {
            return None;
        }
        let store = self.atomic_member(place, "store", std::slice::from_ref(value), false, span)?;
        Some(self.preceded([store], value.clone()))
    }
}
