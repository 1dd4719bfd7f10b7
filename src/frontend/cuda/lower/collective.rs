//! Collectives of CUB and hipCUB: reductions and scans of a block through storage that all its threads share, and of a warp
//! through its registers.
//!
//! In a block of several warps the first thread of each writes its part of the storage; after a barrier the threads that need
//! the result read it. Nothing orders the read with the next use of the storage: that is for the program to do.

use super::*;

/// What the type of temporary storage is called here.
const STORAGE: &str = "cub::TempStorage";

#[derive(Clone, Copy, PartialEq)]
enum Collective {
    BlockReduce,
    BlockScan,
    /// A reduction or scan of whole warps, which exchange values and touch no memory.
    Warp,
}

/// What this type is, as it is written.
fn collective(ty: &Type) -> Option<Collective> {
    let Type::Unknown(text) = ty.value() else { return None };
    let (head, arguments) = text.split_once('<')?;
    let arguments = arguments.strip_suffix('>')?;
    match head.strip_prefix("cub::").or_else(|| head.strip_prefix("hipcub::"))? {
        "BlockReduce" => Some(Collective::BlockReduce),
        "BlockScan" => Some(Collective::BlockScan),
        "WarpReduce" | "WarpScan" if !arguments.contains([',', '<']) => Some(Collective::Warp),
        _ => None,
    }
}

/// Is this the temporary storage of a collective?
pub(super) fn is_storage(ty: &Type) -> bool {
    match ty.value() {
        Type::Unknown(name) => &**name == STORAGE,
        Type::Array(inner, _) | Type::Ptr(inner) => is_storage(inner),
        _ => false,
    }
}

/// The type of a member of a collective.
pub fn member_of_collective(of: &Type, name: &str) -> Option<Type> {
    (collective(of).is_some() && name == "TempStorage").then(|| Type::Unknown(Arc::from(STORAGE)))
}

impl<'l, 't> Body<'l, 't> {
    /// `BlockReduce(storage)`: an object that stands for its storage.
    pub(super) fn collective_object(&mut self, ty: &Type, storage: Node<'t>, span: Span) -> Option<Expr> {
        collective(ty)?;
        let storage = self.expr(storage);
        if !is_place(&storage) || !matches!(storage.ty.value(), Type::Unknown(name) if &**name == STORAGE) {
            return Some(self.unclear("the storage of this collective is not known".to_owned(), vec![storage], span));
        }
        Some(Expr::new(ExprKind::AddressOf(Box::new(storage)), ty.value().clone(), span))
    }

    /// `object.Sum(value)` and its like. `None`: this is not understood.
    pub(super) fn collective_call(&mut self, object: &Expr, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let kind = collective(&object.ty)?;
        let ExprKind::AddressOf(storage) = &object.kind else { return None };
        let reduces = matches!(name, "Sum" | "Reduce");
        let scans = matches!(name, "ExclusiveSum" | "InclusiveSum" | "ExclusiveScan" | "InclusiveScan");
        let known = match kind {
            Collective::BlockReduce => reduces,
            Collective::BlockScan => scans,
            Collective::Warp => reduces || scans,
        };
        // An operation that the program defines may do more than compute.
        let number = |e: &Expr| matches!(e.ty.value(), Type::Int(_) | Type::Float(_));
        let operand = args.first()?.clone();
        let plain = args.iter().all(|a| number(a) || self.operation_computes(a, &operand));
        let outputs: Vec<&Expr> = match args {
            _ if reduces => vec![],
            [_, output, rest @ ..] if is_place(output) => {
                std::iter::once(output).chain(rest.iter().filter(|e| number(e) && is_place(e))).collect()
            }
            _ => return None,
        };
        let value = args.first().filter(|_| known && plain)?;
        let ty = value.ty.value().clone();
        let havoc = |body: &mut Self, ty: &Type| {
            let args = vec![body.value(value.clone())];
            Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty.clone(), span)
        };
        let mut parts = Vec::new();
        if kind != Collective::Warp {
            parts.push(self.through_storage((**storage).clone(), kind == Collective::BlockScan, span));
        }
        for output in outputs {
            let result = havoc(self, output.ty.value());
            parts.push(self.assign(output.clone(), result, span));
        }
        let result = if reduces {
            havoc(self, &ty)
        } else {
            Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span)
        };
        Some(parts.into_iter().rev().fold(result, |last, part| {
            let ty = last.ty.clone();
            Expr::new(ExprKind::Comma(Box::new(part), Box::new(last)), ty, span)
        }))
    }

    /// Is this an operation of a library, or an object without members whose operator does nothing but compute with two of
    /// these numbers?
    pub(super) fn operation_computes(&mut self, object: &Expr, operand: &Expr) -> bool {
        const OF_LIBRARIES: [&str; 19] = [
            "plus",
            "less",
            "greater",
            "bit_and",
            "bit_or",
            "bit_xor",
            "multiplies",
            "minimum",
            "maximum",
            "logical_and",
            "logical_or",
            "Sum",
            "Difference",
            "Max",
            "Min",
            "ArgMax",
            "ArgMin",
            "Equality",
            "Inequality",
        ];
        // `Sum()`, or `Sum{}`, which nothing here declares.
        let named = match (&object.kind, &object.ty) {
            (ExprKind::CallUnknown(name, args), _) if args.is_empty() => Some(name.as_str()),
            (ExprKind::Convert(_), Type::Unknown(ty)) if !self.hidden_names() => {
                ty.split('<').next().and_then(|stem| stem.rsplit("::").next())
            }
            _ => None,
        };
        if let Some(name) = named {
            return OF_LIBRARIES.contains(&name.trim()) && !self.is_parameter(name);
        }
        let class = object.ty.value().clone();
        let empty = matches!(&class, Type::Struct(c) if c.complete && c.fields.is_empty());
        let made = match &object.kind {
            ExprKind::Aggregate(parts) => parts.is_empty(),
            ExprKind::Var(_) => true,
            _ => false,
        };
        let numbers = matches!(operand.ty.value(), Type::Int(_) | Type::Float(_));
        if !empty || !made || !numbers {
            return false;
        }
        let args = [operand.clone(), operand.clone()];
        match self.method(&class, "operator()", None, &args) {
            Method::One(member) if !member.is_virtual && member.cost < FAR => {
                let id = self.lower.request(member.decl, member.bindings);
                self.lower.only_computes(id, 0)
            }
            _ => false,
        }
    }

    /// What a collective of a block does with its storage: nothing in a block of one warp.
    fn through_storage(&mut self, storage: Expr, all_read: bool, span: Span) -> Expr {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let nothing = || Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        let byte = Type::Int(IntTy::U8);
        let start = Expr::new(ExprKind::AddressOf(Box::new(storage)), Type::Unknown(Arc::from(STORAGE)).ptr(), span);
        let start = Expr::new(ExprKind::Convert(Box::new(start)), byte.clone().ptr(), span);
        let part = |body: &mut Self, at: Expr| {
            let pointer = Expr::new(ExprKind::Offset(Box::new(start.clone()), Box::new(at)), byte.clone().ptr(), span);
            body.deref(pointer, span)
        };
        let choose = |cond: Expr, then: Expr| {
            let then = Expr { ty: Type::Void, ..then };
            Expr::new(ExprKind::Choose(Box::new(cond), Box::new(then), Box::new(nothing())), Type::Void, span)
        };
        let warp = self.binary("/", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let lane = self.binary("%", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let own = part(self, warp);
        let value = Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new("part")), vec![]), byte.clone(), span);
        let write = self.assign(own, value, span);
        let leads = self.binary("==", lane, int(0), span);
        let write = choose(leads, write);
        let barrier = Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(Scope::Block), vec![]), Type::Void, span);
        // The part of the second warp, for the first thread; for others that of the first.
        let first = self.binary("==", builtin(Builtin::LinearThread), int(0), span);
        let other =
            Expr::new(ExprKind::Choose(Box::new(first.clone()), Box::new(int(1)), Box::new(int(0))), Type::INT, span);
        let read = part(self, other);
        let read = self.value(read);
        let read = if all_read { Expr { ty: Type::Void, ..read } } else { choose(first, read) };
        let steps = Expr::new(ExprKind::Comma(Box::new(barrier), Box::new(read)), Type::Void, span);
        let steps = Expr::new(ExprKind::Comma(Box::new(write), Box::new(steps)), Type::Void, span);
        let several = self.binary("<", builtin(Builtin::WarpSize), builtin(Builtin::BlockSize), span);
        choose(several, steps)
    }
}
