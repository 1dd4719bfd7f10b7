//! Calls: functions of the program by walking their bodies, built-in ones by what they mean, unknown ones as losses.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::background;
use super::settled::Before;
use super::state::Cells;
use super::value::{ObjId, Offset, Pointer, Value};
use super::{Frame, ObjectKind, Touches, Walk, conjuncts};
use crate::base::{Name, Span};
use crate::core::kernel::OTHER;
use crate::core::protocol::{Barrier, Fence};
use crate::core::{Mode, Protocol, Range, Scope, SiteId, Space};
use crate::exp::subst::Leaves;
use crate::exp::{B, Fun, FunKind, IntTy, N, NBin, NExp, NRel, Var};
use crate::kernel::bits::of_bits;
use crate::kernel::ir::{Expr, ExprKind, FunId, Intrinsic, Program};
use crate::kernel::types::{Type, is_group_of_threads};
use crate::kernel::visit::each_expr;

const MAX_CALL_DEPTH: usize = 100;

/// What is given to a function that is called by its address: its value and type, and the place that it is read from.
type Argument = (Value, Type, Option<(Pointer, Type)>);

impl<'p> Walk<'p> {
    pub(super) fn call(&mut self, id: FunId, args: &'p [Expr], span: Span) -> Value {
        let mut values = Vec::new();
        for arg in args {
            let value = self.eval(arg);
            if let Value::Ptr(p) = &value {
                self.note_escape(&p.clone());
            }
            values.push((value, arg.ty.clone()));
        }
        self.apply(id, values, span)
    }

    /// Walks the body of a function with its parameters bound.
    fn apply(&mut self, id: FunId, args: Vec<(Value, Type)>, span: Span) -> Value {
        let function = self.function(id);
        let Some(body) = &function.body else {
            let text = format!("`{}`, which is only declared, touches nothing but what it is given", function.name);
            self.takes_for_granted(&text);
            return self.unknown_function(&function.name.clone(), args, &function.returns.clone(), span);
        };
        if self.frames.iter().any(|f| f.function == id) || self.frames.len() > MAX_CALL_DEPTH {
            let text = format!("`{}` calls itself", function.name);
            self.lose("recursion", text, span, Touches::Everything);
            self.clobber_escaped();
            return self.unknown_of(&function.returns.clone(), "result");
        }
        let result = self.private_object("result", function.returns.clone());
        let mut vars = FxHashMap::default();
        let mut args = args.into_iter();
        for (i, decl) in function.vars[..function.params].iter().enumerate() {
            let object = self.private_object(decl.name.as_str(), decl.ty.clone());
            let ty = match &decl.ty {
                Type::Ref(inner) => Type::Ptr(inner.clone()),
                ty => ty.clone(),
            };
            if let Some((value, _)) = args.next() {
                self.store_private(object, &Offset::start(), &B::lit(true), &ty, value);
            }
            vars.insert(crate::kernel::ir::VarId(i as u32), object);
        }
        self.frames.push(Frame { function: id, vars, result });
        self.calls.push(span);
        let returned = std::mem::replace(&mut self.state.returned, B::lit(false));
        self.stmts(body);
        self.state.returned = returned;
        self.calls.pop();
        self.frames.pop();
        let ty = match &function.returns {
            Type::Ref(inner) => Type::Ptr(inner.clone()),
            ty => ty.clone(),
        };
        if ty == Type::Void {
            return Value::Void;
        }
        self.load(&Pointer::to(result, Offset::start()), &ty, span)
    }

    pub(super) fn call_value(&mut self, target: &'p Expr, args: &'p [Expr], taken: &[FunId], expr: &'p Expr) -> Value {
        let function = self.eval(target);
        let mut values = Vec::new();
        for arg in args {
            // The place too, for what takes a reference.
            let (value, place) = match &arg.kind {
                ExprKind::Load(place) => {
                    let pointer = self.place(place);
                    (self.load(&pointer, &arg.ty, arg.span), Some((pointer, place.ty.clone())))
                }
                _ => (self.eval(arg), None),
            };
            values.push((value, arg.ty.clone(), place));
        }
        let (mut candidates, mut open) = match function {
            Value::Fun(list, open) => (list, open),
            _ => (Vec::new(), true),
        };
        if open && !taken.is_empty() && !makes_functions(self.program) {
            let names: Vec<String> = taken.iter().map(|id| format!("`{}`", self.function(*id).name)).collect();
            let text = format!(
                "a function pointer that is not known is one of {}, whose addresses are taken",
                names.join(", ")
            );
            self.takes_for_granted(&text);
            let which = self.fresh_of_type("callee", IntTy::U32);
            let known = candidates.iter().map(|(_, id)| *id).filter(|id| !taken.contains(id));
            let all: Vec<FunId> = known.chain(taken.iter().copied()).collect();
            candidates = all.iter().enumerate().map(|(i, id)| (which.eq(&N::num(i as i128)), *id)).collect();
            open = false;
        }
        if open {
            self.lose("unknown-call", "this calls a function that is not known", expr.span, Touches::Everything);
            self.clobber_escaped();
        }
        let mut result: Option<Value> = None;
        for (guard, id) in candidates {
            let values = values.clone();
            let (value, _) = self.branch(&guard, |w| w.apply_by_value(id, values, expr), |_| Value::Void);
            if let Some(value) = value {
                result = Some(match result {
                    None => value,
                    Some(others) => super::state::join_values(&guard, &value, &others),
                });
            }
        }
        match result {
            Some(value) if !open => value,
            _ => self.unknown_of(&expr.ty, "result"),
        }
    }

    /// Calls a function by its address: each argument becomes what the parameter is. [INF-BYVALUE]
    fn apply_by_value(&mut self, id: FunId, args: Vec<Argument>, expr: &'p Expr) -> Value {
        let function = self.function(id);
        let mut given = Vec::new();
        for (decl, (value, ty, place)) in function.vars[..function.params].iter().zip(args) {
            let as_it_is = |from: &Type, to: &Type| match (from, to) {
                (Type::Ptr(from), Type::Ptr(to)) => {
                    from == to
                        || !matches!(
                            (&**from, &**to),
                            (Type::Struct(_), Type::Struct(_)) | (Type::Ptr(_), Type::Ptr(_))
                        )
                }
                (Type::Int(_), Type::Ptr(_)) => true,
                (from, to) => from == to,
            };
            let bound = match (&decl.ty, place) {
                (Type::Ref(inner), Some((pointer, from))) if **inner == *from.value() => {
                    self.note_escape(&pointer);
                    Some(Value::Ptr(pointer))
                }
                (Type::Ref(_), _) => None,
                (Type::Int(_) | Type::Float(_), _) if matches!(ty, Type::Int(_) | Type::Float(_)) => {
                    Some(self.convert(value, &ty, &decl.ty))
                }
                (to, _) => as_it_is(&ty, to).then_some(value),
            };
            match bound {
                Some(value) => given.push((value, decl.ty.clone())),
                None => {
                    let text =
                        format!("`{}` is called by its address, and takes `{}` another way", function.name, decl.name);
                    self.lose("unknown-call", text, expr.span, Touches::Everything);
                    self.clobber_escaped();
                    return self.unknown_of(&function.returns.clone(), "result");
                }
            }
        }
        self.apply(id, given, expr.span)
    }

    pub(super) fn call_unknown(&mut self, name: &Name, args: &'p [Expr], expr: &'p Expr) -> Value {
        let mut values = Vec::new();
        for arg in args {
            let value = self.eval(arg);
            values.push((value, arg.ty.clone()));
        }
        // Questions about a group of threads touch nothing.
        let group_query = matches!(
            name.as_str(),
            "thread_rank"
                | "size"
                | "num_threads"
                | "meta_group_rank"
                | "meta_group_size"
                | "group_index"
                | "thread_index"
                | "group_dim"
                | "dim_threads"
                | "is_valid"
                | "block_rank"
                | "block_index"
                | "num_blocks"
                | "dim_blocks"
                | "cluster_ctarank"
        );
        let of_group = values.first().is_some_and(|(_, ty)| is_group(ty));
        let of_cluster = values.first().is_some_and(|(_, ty)| names_group(ty, "cluster_group"));
        if of_cluster && let Some(value) = self.of_cluster(name.as_str()) {
            return value;
        }
        if group_query && of_group {
            let group = match values.first() {
                Some((Value::Num(group), _)) => Some(group.clone()),
                Some((Value::Ptr(place), Type::Ptr(ty))) => match self.load(place, ty, expr.span) {
                    Value::Num(group) => Some(group),
                    _ => None,
                },
                _ => None,
            };
            return match group.and_then(|group| self.of_group(name.as_str(), &group)) {
                Some(known) => Value::Num(known),
                None => self.unknown_of(&Type::UINT, "rank"),
            };
        }
        self.unknown_function(name, values, &expr.ty, expr.span)
    }

    /// A function whose value nobody uses is called for what it does: where nothing here declares it, that may be anything,
    /// barriers included.
    /// (Of one that is declared it is assumed, and listed, that it keeps to what it is given.)
    pub(super) fn called_for_effect(&mut self, expr: &'p Expr) {
        let name = match &expr.kind {
            ExprKind::CallUnknown(name, args) => {
                let of_group = args.first().is_some_and(|a| is_group(&a.ty));
                (!of_group && !name.as_str().starts_with("operator")).then(|| name.clone())
            }
            _ => None,
        };
        if let Some(name) = name {
            let text = format!("`{name}` is called, but its definition is not there");
            self.lose("unknown-call", text, expr.span, Touches::Everything);
            self.order.anything();
        }
    }

    /// A call of something without a body: it may touch whatever it is given.
    fn unknown_function(&mut self, name: &Name, args: Vec<(Value, Type)>, returns: &Type, span: Span) -> Value {
        let mut touched: Vec<ObjId> = Vec::new();
        let mut anything = false;
        for (value, ty) in &args {
            self.reachable(value, ty, &mut touched, &mut anything);
        }
        let text = format!("`{name}` is called, but its definition is not there");
        self.order.call();
        // It may wait for others, if it is not called for what it does to its arguments.
        if *returns == Type::Void && args.iter().all(|(_, ty)| matches!(ty, Type::Int(_) | Type::Float(_))) {
            self.order.anything();
        }
        if anything {
            self.lose("unknown-call", text, span, Touches::Everything);
            self.clobber_escaped();
        } else {
            let mut lost = false;
            let of_block = ObjectKind::Array(Space::Shared);
            let is_shared = touched.iter().any(|object| self.info(*object).kind == of_block);
            for object in touched {
                match self.info(object).kind {
                    ObjectKind::Private => self.clobber(object),
                    ObjectKind::Constant => self.written_table(object, span),
                    ObjectKind::Array(_) => {
                        let array = self.info(object).name.clone();
                        self.lose("unknown-call", text.clone(), span, Touches::Array(array));
                        self.touch(object);
                        lost = true;
                    }
                }
            }
            // What works on what a block shares may have barriers in it.
            if is_shared {
                self.order.anything();
            }
            if !lost {
                self.lose("unknown-call", text, span, Touches::Value);
            }
        }
        self.unknown_of(returns, name.as_str())
    }

    /// What a function could reach through a value.
    fn reachable(&mut self, value: &Value, ty: &Type, touched: &mut Vec<ObjId>, anything: &mut bool) {
        match value {
            Value::Ptr(p) => {
                *anything |= p.unknown.is_some();
                for target in &p.targets {
                    if touched.contains(&target.object) {
                        continue;
                    }
                    touched.push(target.object);
                    let kind = self.info(target.object).kind;
                    let object_ty = self.info(target.object).ty.clone();
                    if let (ObjectKind::Private, Some(cells)) = (kind, self.state.private.get(&target.object).cloned())
                    {
                        *anything |= may_hide_pointer(&object_ty);
                        for (_, value) in cells.cells.values() {
                            self.reachable(value, &Type::INT, touched, anything);
                        }
                    }
                }
            }
            Value::Agg(parts) => {
                for (_, ty, part) in parts {
                    self.reachable(part, ty, touched, anything);
                }
            }
            Value::Num(_) => *anything |= may_hide_pointer(ty),
            Value::Fun(..) => *anything = true,
            Value::Void => {}
        }
    }

    pub(super) fn intrinsic(&mut self, intrinsic: &'p Intrinsic, args: &'p [Expr], expr: &'p Expr) -> Value {
        let span = expr.span;
        match intrinsic {
            Intrinsic::Fence(scope) => {
                args.iter().for_each(|arg| drop(self.eval(arg)));
                self.order.fence();
                self.fence_mark(*scope, span);
                Value::Void
            }
            Intrinsic::PartBarrier => {
                self.order.anything();
                Value::Void
            }
            Intrinsic::Atomic(name, scope) => {
                self.order.atomic();
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg));
                }
                let Some((pointer, operands)) = values.split_first() else {
                    return self.unknown_of(&expr.ty, "atomic");
                };
                let pointer = self.as_pointer(pointer.clone());
                let of_all = |o: ObjId| matches!(self.info(o).kind, ObjectKind::Array(Space::Global));
                let is_used = !self.unused.contains(&std::ptr::from_ref(expr));
                self.draws |= is_used && pointer.targets.iter().any(|t| of_all(t.object));
                self.atomic(&pointer, operands, &expr.ty, *scope, name, span)
            }
            Intrinsic::Barrier(scope) => {
                let mask = args.first().map(|a| self.number(a));
                self.barrier(*scope, mask, Fence::ALL, span);
                Value::Void
            }
            Intrinsic::BareBarrier => {
                let assumed = "`__builtin_amdgcn_s_barrier` orders memory as `__syncthreads` does";
                self.takes_for_granted(assumed);
                self.barrier(Scope::Block, None, Fence::ALL, span);
                Value::Void
            }
            Intrinsic::NumberedBarrier => {
                match args.first().map(|a| self.number(a)).and_then(|n| n.as_num()) {
                    Some(0) => self.barrier(Scope::Block, None, Fence::ALL, span),
                    // Who is somewhere else may wait at one with another number.
                    Some(_) if self.by_some(span) => {}
                    Some(_) => self.barrier(Scope::Block, None, Fence::ALL, span),
                    None => {
                        let text = "the number of this barrier is not a constant";
                        self.lose("unknown-order", text, span, Touches::Everything);
                    }
                }
                Value::Void
            }
            Intrinsic::FencedBarrier => {
                // The flags of OpenCL C: bit 0 for shared memory, bit 1 for global memory.
                let flags = args.first().map(|a| self.number(a)).and_then(|n| n.as_num());
                let fence = match flags {
                    Some(flags) => Fence { shared: flags & 1 != 0, global: flags & 2 != 0 },
                    None => {
                        let text = "which memory this barrier orders is not a constant";
                        self.lose("unknown-order", text, span, Touches::Everything);
                        Fence::ALL
                    }
                };
                self.barrier(Scope::Block, None, fence, span);
                Value::Void
            }
            Intrinsic::Arrive(scope) => {
                self.arrive(*scope, None, span);
                Value::Void
            }
            Intrinsic::Wait(scope) => {
                self.wait(*scope, None, span);
                Value::Void
            }
            Intrinsic::BarrierReduce(name) => {
                let holds: Vec<B> = args.iter().map(|arg| self.truth(arg)).collect();
                self.barrier(Scope::Block, None, Fence::ALL, span);
                Value::Num(match (name.as_str(), holds.as_slice()) {
                    ("__syncthreads_count", [cond]) => self.holds_of(cond),
                    (name, _) => self.fresh_uniform(name, IntTy::I32),
                })
            }
            Intrinsic::Assume | Intrinsic::Assert => {
                if let (Intrinsic::Assume, Some(arg)) = (intrinsic, args.first())
                    && !self.left_out.contains(&span)
                {
                    let mut used = self.function_fact(arg);
                    if !used {
                        let fact = self.fact(arg);
                        for part in conjuncts(&fact) {
                            used |= self.assume(&part, span);
                        }
                    }
                    if used && !self.assumed.contains(&span) {
                        self.assumed.push(span);
                    }
                }
                Value::Num(N::num(1))
            }
            Intrinsic::MemCopy => self.mem_copy(args, expr),
            Intrinsic::MemSet => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg));
                }
                if let [destination, value, length] = values.as_slice() {
                    let pointer = self.as_pointer(destination.clone());
                    // A byte is not the value of the word that it is part of, unless all of it is zero.
                    let byte = match value {
                        Value::Num(n) => n.as_num().filter(|byte| *byte == 0),
                        _ => None,
                    };
                    self.ranged(&pointer, length, Mode::Wr(byte.map(N::num)), span);
                }
                values.into_iter().next().unwrap_or(Value::Void)
            }
            Intrinsic::Pure(name, range) => {
                let values: Vec<Value> = args.iter().map(|a| self.eval(a)).collect();
                // [INF-MUL24]
                if let ("__mul24" | "__umul24", [Value::Num(a), Value::Num(b)], Type::Int(ty)) =
                    (name.as_str(), &values[..], &expr.ty)
                {
                    let narrow = IntTy { bits: 24, signed: ty.signed };
                    let low = |n: &N| n.as_num().map_or_else(|| n.clone(), |n| N::num(narrow.wrap(n)));
                    if a.as_num().is_none() || b.as_num().is_none() {
                        self.takes_for_granted("what is multiplied by a function for 24 bits has no more");
                    }
                    return Value::Num(N::bin(NBin::Mul, *ty, &low(a), &low(b)));
                }
                if let Some(value) = computed(name.as_str(), args, &values, &expr.ty) {
                    return value;
                }
                if let [Value::Num(bits)] = values.as_slice()
                    && let Some(known) = self.of_votes(name.as_str(), bits)
                {
                    return Value::Num(known);
                }
                let value = self.opaque(name.as_str(), &values, &expr.ty);
                match (range, value) {
                    (Some((lo, hi)), Value::Num(n)) => {
                        let clamp = |op, limit: i128, n: &N| N::bin(op, IntTy::I32, n, &N::num(limit));
                        Value::Num(clamp(NBin::Max, *lo, &clamp(NBin::Min, *hi, &n)))
                    }
                    (_, value) => value,
                }
            }
            Intrinsic::TouchReadWrite(name) => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg));
                }
                if let Some(first) = values.into_iter().next() {
                    let pointer = self.as_pointer(first);
                    let ty = args[0].ty.element().cloned().unwrap_or(Type::INT);
                    if matches!(&ty, Type::Struct(s) if s.name.contains("Mtgp32")) {
                        self.generator_slot(&pointer, span);
                        return self.unknown_of(&expr.ty, name.as_str());
                    }
                    self.load(&pointer, &ty, span);
                    let value = self.unknown_of(&ty, "state");
                    self.store(&pointer, &ty, value, span);
                }
                self.unknown_of(&expr.ty, name.as_str())
            }
            Intrinsic::WritesPointers(name) => {
                for arg in args {
                    let value = self.eval(arg);
                    if let (Value::Ptr(p), Some(ty)) = (value, arg.ty.element()) {
                        let unknown = self.unknown_of(ty, name.as_str());
                        self.store(&p, ty, unknown, span);
                    }
                }
                self.unknown_of(&expr.ty, name.as_str())
            }
            Intrinsic::Havoc(name) => {
                let values: Vec<Value> = args.iter().map(|a| self.eval(a)).collect();
                if name.as_str().ends_with("_sync") {
                    let text = match name.as_str() {
                        "load_matrix_sync" | "store_matrix_sync" | "mma_sync" => {
                            format!("all threads of the warp get to `{name}`, with the same arguments")
                        }
                        "ldmatrix_sync" => {
                            "what a thread wrote to a row of a matrix and then names for `ldmatrix`, its warp sees"
                                .into()
                        }
                        _ => format!("all threads that the mask of `{name}` names get there"),
                    };
                    self.takes_for_granted(&text);
                }
                match self.of_warp(name.as_str(), &values, &expr.ty) {
                    Some(known) => Value::Num(known),
                    None => self.unknown_of(&expr.ty, name.as_str()),
                }
            }
            Intrinsic::Together(name) => {
                let part = args.first().map(|a| self.number(a));
                args.iter().skip(1).for_each(|a| drop(self.eval(a)));
                let ty = if let Type::Int(int) = expr.ty { int } else { IntTy::OPAQUE };
                match (part, &expr.ty) {
                    // All threads of the block are at the barrier that it stands behind.
                    (Some(_), Type::Int(_) | Type::Float(_)) if name.as_str().starts_with("work_group_") => {
                        Value::Num(self.fresh_uniform(name.as_str(), ty))
                    }
                    // In a loop, threads that are in iterations of one number need not be there together.
                    (Some(part), Type::Int(_) | Type::Float(_)) if self.counters.is_empty() => {
                        Value::Num(self.fresh_in_part(name.as_str(), ty, part))
                    }
                    _ => self.unknown_of(&expr.ty, name.as_str()),
                }
            }
            Intrinsic::Min(ty) | Intrinsic::Max(ty) => {
                let op = if matches!(intrinsic, Intrinsic::Min(_)) { NBin::Min } else { NBin::Max };
                match args {
                    [l, r] => {
                        let (l, r) = (self.number(l), self.number(r));
                        Value::Num(N::bin(op, *ty, &l, &r))
                    }
                    _ => self.unknown_of(&expr.ty, "value"),
                }
            }
            Intrinsic::ReadThrough => {
                let Some(arg) = args.first() else { return Value::Void };
                let value = self.eval(arg);
                let pointer = self.as_pointer(value);
                self.load(&pointer, &expr.ty, span)
            }
            Intrinsic::Surface { write, coordinates } => self.surface(*write, usize::from(*coordinates), args, expr),
            Intrinsic::BeginCopy(copier) => self.begin_copy(*copier, false, args, span),
            Intrinsic::BeginCopyUntil(copier) => self.begin_copy(*copier, true, args, span),
            Intrinsic::MakeBarrier => self.make_barrier(args, span),
            Intrinsic::PassBarrier => self.pass_barrier(args, span),
            Intrinsic::ArriveAt => self.arrive_at(args, &expr.ty, span),
            Intrinsic::WaitAt => self.wait_at(args, span),
            Intrinsic::CloseBatch => self.close_batch(span),
            Intrinsic::WaitForBatches => self.wait_for_batches(args, span),
            // The address within shared memory stands for the pointer.
            Intrinsic::SharedAddress | Intrinsic::FromSharedAddress => {
                args.first().map(|a| self.eval(a)).unwrap_or(Value::Void)
            }
            Intrinsic::GroupCopy => self.group_copy(args, span),
            Intrinsic::WaitForCopies => self.wait_for_copies(args, span),
            Intrinsic::BlockOf(n) => {
                self.takes_block(i128::from(*n));
                Value::Num(N::num(1))
            }
            Intrinsic::Nothing => {
                // Arguments of annotations are not evaluated by the program.
                Value::Num(N::num(1))
            }
            Intrinsic::Trap => {
                self.state.exited = B::lit(true);
                Value::Void
            }
            Intrinsic::Enabled => Value::Num(N::num(1)),
            Intrinsic::Implies => match args {
                [l, r] => {
                    let l = self.truth(l);
                    let r = self.truth(r);
                    Value::Num(B::implies(&l, &r).as_number())
                }
                _ => self.unknown_of(&expr.ty, "value"),
            },
            Intrinsic::UniformInt | Intrinsic::DistinctInt | Intrinsic::OtherInt => {
                let Some(arg) = args.first() else { return self.unknown_of(&expr.ty, "other") };
                let own = self.number(arg);
                let ty = own.ty().unwrap_or(IntTy::OPAQUE);
                let fun = Fun { name: OTHER.into(), ty, kind: FunKind::Abstract };
                let other = N::call(fun, vec![own.clone()]);
                Value::Num(match intrinsic {
                    Intrinsic::UniformInt => own.eq(&other).as_number(),
                    Intrinsic::DistinctInt => own.ne(&other).as_number(),
                    _ => other,
                })
            }
        }
    }

    pub(super) fn barrier(&mut self, scope: Scope, mask: Option<N>, fence: Fence, span: Span) {
        let mask = mask.filter(|m| m.as_num() != Some(0xffff_ffff) || self.warp_size > 32);
        let id = self.barrier_site(span);
        let masked = mask.is_some();
        self.emit(Protocol::Sync(Barrier { scope, mask, fence, site: id }));
        let versions = self.arrays().map(|o| (o, self.state.version(o))).collect();
        let next = self.fresh_uniform("phase", IntTy::OPAQUE);
        let before = Before { phase: std::mem::replace(&mut self.state.epoch, next), versions };
        self.settle(scope, masked, fence, &before);
        self.state.versions.clear();
        self.state.recent.clear();
        if fence.shared || fence.global {
            self.copies_go_on();
        }
    }

    /// The site of a barrier goes through the same table as those of accesses.
    pub(super) fn barrier_site(&mut self, span: Span) -> SiteId {
        let site = self.site(span);
        let id = SiteId(self.events.len() as u32);
        let event = super::Event {
            site,
            strides: vec![],
            constant: 0,
            width: 0,
            unknown_size: [None, None],
            known_size: false,
            flat: false,
        };
        self.events.push(event);
        id
    }

    /// The first half of a barrier: its place, until the second half is found. A barrier in memory has a place there too.
    pub(super) fn arrive(&mut self, scope: Scope, at: Option<background::Place>, span: Span) {
        let id = self.barrier_site(span);
        self.arrivals.push((id, span, at));
        self.emit(Protocol::Sync(Barrier { scope, mask: None, fence: Fence::ALL, site: id }));
    }

    /// The second half. What stands between the two halves is ordered with neither side of the barrier, and stands on
    /// both sides of it from here on.
    pub(super) fn wait(&mut self, scope: Scope, place: Option<background::Place>, span: Span) {
        let arrival = self.out.iter().rposition(|p| match p {
            Protocol::Sync(barrier) if barrier.scope == scope => {
                self.arrivals.iter().any(|(id, _, at)| *id == barrier.site && *at == place)
            }
            _ => false,
        });
        let between = arrival.map(|at| (at, self.out[at + 1..].to_vec()));
        let plain = |p: &Protocol| !p.synchronises() && !self.in_background(p);
        match between.filter(|(_, between)| between.iter().all(plain)) {
            Some((at, between)) => {
                self.out.remove(at);
                self.passes(place, span);
                self.barrier(scope, None, Fence::ALL, span);
                self.out.extend(between);
            }
            None => {
                let text = "this waits at a barrier, and what follows the arrive has barriers or copies in the background, or is not known";
                self.lose("unknown-order", text, span, Touches::Everything);
                self.barrier(scope, None, Fence::ALL, span);
                self.out.pop();
            }
        }
    }

    /// The place of the block in its cluster, or the size of the cluster.
    fn of_cluster(&mut self, query: &str) -> Option<Value> {
        let ty = IntTy::U32;
        let sizes = self.cluster_dim.clone();
        let volume = sizes.iter().fold(N::num(1), |v, d| N::mul(ty, &v, d));
        match query {
            "num_blocks" => Some(Value::Num(volume)),
            "block_rank" => {
                let mut rank = N::num(0);
                for axis in (0..3u8).rev() {
                    let size = &sizes[usize::from(axis)];
                    let block = self.builtin(crate::kernel::ir::Builtin::BlockIdx(axis));
                    let place = N::bin(NBin::Rem, ty, &block, size);
                    rank = N::add(ty, &N::mul(ty, &rank, size), &place);
                }
                Some(Value::Num(rank))
            }
            _ => None,
        }
    }

    fn atomic(
        &mut self,
        pointer: &Pointer,
        operands: &[Value],
        ty: &Type,
        scope: Scope,
        name: &Name,
        span: Span,
    ) -> Value {
        let mut result = None;
        let mut made = None;
        if pointer.unknown.is_some() {
            self.lose(
                "unknown-pointer",
                "this atomic goes through a pointer that is not known",
                span,
                Touches::Everything,
            );
            self.clobber_escaped();
        }
        for target in &pointer.targets {
            let guard = self.decide(&target.guard);
            match self.info(target.object).kind {
                ObjectKind::Private => self.clobber(target.object),
                ObjectKind::Constant => self.written_constant(target.object, span),
                ObjectKind::Array(_) => {
                    let access =
                        self.access(target.object, &target.offset, ty.size(), ty.unknown_unit(), Mode::At(scope), span);
                    self.emit(Protocol::branch(&guard, access.clone(), Protocol::Skip));
                    made = Some((access, target)).filter(|_| guard.as_lit() == Some(true));
                    match (pointer.targets.as_slice(), guard.as_lit()) {
                        ([_], Some(true)) => result = self.taken(target, ty, name.as_str(), operands),
                        _ => self.changes(target.object),
                    }
                    self.touch(target.object);
                    self.state.log.atomic(target.object);
                }
            }
        }
        let value = match result {
            Some(result) => Value::Num(result),
            None => self.unknown_of(ty, &format!("atomic{name}")),
        };
        if let (Some((access, target)), [_]) = (made, pointer.targets.as_slice()) {
            self.counted(&access, target, name.as_str(), operands, &value);
        }
        value
    }

    /// The state of a Mersenne Twister for GPUs serves 256 threads of one block, each with a slot of its own.
    fn generator_slot(&mut self, pointer: &Pointer, span: Span) {
        let extents = self.block_dim.clone();
        let mut linear = N::num(0);
        for axis in (0..3u8).rev() {
            let index = self.builtin(crate::kernel::ir::Builtin::ThreadIdx(axis));
            let scaled = N::mul(IntTy::MATH, &linear, &extents[usize::from(axis)]);
            linear = N::add(IntTy::MATH, &scaled, &index);
        }
        let slot = N::bin(NBin::Rem, IntTy::MATH, &linear, &N::num(256));
        let moved = pointer.map(|o| o.element(&slot, 1, None));
        self.ranged(&moved, &Value::Num(N::num(1)), Mode::Wr(None), span);
    }

    fn surface_of(&mut self, name: &str) -> ObjId {
        let name = format!("{name}.surface");
        match self.objects.iter().position(|o| o.name.as_str() == name) {
            Some(at) => ObjId(at as u32),
            None => {
                let ty = Type::Array(std::sync::Arc::new(Type::Int(IntTy::I8)), None);
                self.object(&name, ObjectKind::Array(crate::core::Space::Global), ty)
            }
        }
    }

    /// An element of a surface: each surface is an array of its own, in global memory, that is never a pointer's target.
    fn surface(&mut self, write: bool, coordinates: usize, args: &'p [Expr], expr: &'p Expr) -> Value {
        /// A row in bytes, and rows in a layer: no surface is larger. (CUDA C++ Programming Guide, Technical Specifications)
        const ROW: u64 = 1 << 21;
        let (value, rest) = if write { args.split_at(args.len().min(1)) } else { args.split_at(0) };
        let Some((surface, places)) = rest.split_first() else { return self.unknown_of(&expr.ty, "surface") };
        for value in value {
            self.eval(value);
        }
        let object = match &surface.kind {
            ExprKind::Load(place) if matches!(place.kind, ExprKind::Global(_)) => {
                self.place(place).targets.first().map(|t| t.object)
            }
            ExprKind::Unknown(unknown) if unknown.code == "unknown-value" => match &surface.ty {
                Type::Unknown(name) if name.starts_with('?') => {
                    let name = name.trim_start_matches('?');
                    let assumed = format!("`{name}`, which is not declared, is a surface of its own");
                    self.takes_for_granted(&assumed);
                    Some(self.surface_of(name))
                }
                _ => None,
            },
            _ => match self.eval(surface) {
                Value::Num(n) => {
                    let given = n.as_var().filter(|v| self.globals_vars.contains(v)).map(|v| v.name.clone());
                    given.map(|name| self.surface_of(name.as_str()))
                }
                _ => None,
            },
        };
        let mut offset = Offset::start();
        let mut stride = 1;
        let mut terms = Vec::new();
        for place in places.iter().take(coordinates) {
            terms.push((self.number(place), stride));
            stride *= ROW;
        }
        terms.reverse();
        offset.terms = terms;
        // What is written outside of the surface goes to its border, where the mode is to clamp.
        if let Some(mode) = places.get(coordinates).filter(|_| write)
            && !matches!(self.number(mode).as_num(), Some(0 | 2))
        {
            let text = "this write outside of a surface goes to its border";
            self.lose("unknown-pointer", text, expr.span, Touches::Everything);
        }
        match object.filter(|_| places.len() >= coordinates) {
            Some(object) => {
                let (mode, width) = match value.first() {
                    Some(value) => (Mode::Wr(None), value.ty.value().clone()),
                    // Of texels whose type is not known, or at least a byte.
                    None if expr.ty.has_unknown_size() => (Mode::Rd, expr.ty.clone()),
                    None => (Mode::Rd, Type::Int(IntTy::I8)),
                };
                // Outside of a row nothing is read or written.
                let inside = offset.terms.iter().skip(1).enumerate().flat_map(|(i, (n, _))| {
                    let room = if i + 2 == coordinates { ROW - width.size().clamp(1, ROW) } else { ROW - 1 };
                    [N::num(0).le(n), n.le(&N::num(i128::from(room)))]
                });
                let inside = B::and(inside.collect::<Vec<_>>());
                let unknown = width.unknown_unit();
                let access = self.access(object, &offset, width.size(), unknown, mode, expr.span);
                self.emit(Protocol::branch(&inside, access, Protocol::Skip));
                if write {
                    self.touch(object);
                }
            }
            None => self.lose("unknown-pointer", "this surface is not known", expr.span, Touches::Everything),
        }
        self.unknown_of(&expr.ty, "surface")
    }

    fn mem_copy(&mut self, args: &'p [Expr], expr: &'p Expr) -> Value {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.eval(arg));
        }
        let [destination, source, length] = values.as_slice() else { return Value::Void };
        let (to, from) = (self.as_pointer(destination.clone()), self.as_pointer(source.clone()));
        self.ranged(&from, length, Mode::Rd, expr.span);
        self.ranged(&to, length, Mode::Wr(None), expr.span);
        destination.clone()
    }

    /// An access to a number of bytes from a pointer on.
    pub(super) fn ranged(&mut self, pointer: &Pointer, length: &Value, mode: Mode, span: Span) {
        let (length, term) = match length {
            Value::Num(n) => (n.as_num().and_then(|n| u64::try_from(n).ok()), Some(n.clone())),
            _ => (None, None),
        };
        let parts = term.and_then(|n| [16, 8, 4, 2, 1].into_iter().find_map(|size| Some((size, divided(&n, size)?))));
        if pointer.unknown.is_some() {
            self.lose("unknown-pointer", "this copies through a pointer that is not known", span, Touches::Everything);
            self.clobber_escaped();
        }
        for target in &pointer.targets {
            let guard = self.decide(&target.guard);
            match (self.info(target.object).kind, length) {
                (ObjectKind::Private, _) => {
                    if mode != Mode::Rd {
                        self.clobber(target.object);
                    }
                }
                (_, Some(0)) => {}
                (ObjectKind::Constant, _) if mode != Mode::Rd => self.written_constant(target.object, span),
                (ObjectKind::Constant, _) => {}
                (ObjectKind::Array(_), Some(bytes)) => {
                    let access = self.access(target.object, &target.offset, bytes, None, mode.clone(), span);
                    self.emit(Protocol::branch(&guard, access, Protocol::Skip));
                    if mode != Mode::Rd {
                        self.touch(target.object);
                    }
                }
                // [INF-RANGED] Part by part.
                (ObjectKind::Array(_), None) if parts.is_some() => {
                    let Some((size, count)) = &parts else { continue };
                    let var = Var { name: self.names.fresh("part"), ty: IntTy::MATH };
                    let offset = target.offset.moved(&N::var(&var), *size as u64, None);
                    let access = self.access(target.object, &offset, *size as u64, None, mode.clone(), span);
                    let all = Protocol::For(Range::up(var, N::num(0), count.clone()), Box::new(access));
                    self.emit(Protocol::branch(&guard, all, Protocol::Skip));
                    if mode != Mode::Rd {
                        self.touch(target.object);
                    }
                }
                (ObjectKind::Array(_), None) => {
                    let array = self.info(target.object).name.clone();
                    self.lose(
                        "unknown-value",
                        "the length of this copy is not a constant",
                        span,
                        Touches::Array(array),
                    );
                    self.touch(target.object);
                }
            }
        }
    }

    // ---- facts ----

    /// An assumption that says which functions a function pointer may be: `f == g | f == h`. True when it was one.
    fn function_fact(&mut self, arg: &'p Expr) -> bool {
        let mut parts = Vec::new();
        if !self.path.is_empty() || !disjuncts(arg, &mut parts) {
            return false;
        }
        let mut subject: Option<Pointer> = None;
        let mut functions: Vec<FunId> = Vec::new();
        let mut null = false;
        for (l, r) in parts {
            let (l, r) = (strip(l), strip(r));
            let (pointer, value) = match (&l.kind, &r.kind) {
                (ExprKind::Load(place), _) => (place, r),
                (_, ExprKind::Load(place)) => (place, l),
                _ => return false,
            };
            if !matches!(pointer.kind, ExprKind::Var(_) | ExprKind::Member(..)) {
                return false;
            }
            let place = self.quiet(|w| w.place(pointer));
            if subject.get_or_insert_with(|| place.clone()) != &place {
                return false;
            }
            match &value.kind {
                ExprKind::Function(id) => functions.push(*id),
                ExprKind::Int(0) => null = true,
                _ => return false,
            }
        }
        let Some(target) = subject.filter(|p| p.unknown.is_none()).and_then(|p| match p.targets.as_slice() {
            [only] if only.guard.as_lit() == Some(true) => Some(only.clone()),
            _ => None,
        }) else {
            return false;
        };
        let (ObjectKind::Private, Some(at)) = (self.info(target.object).kind, target.offset.as_bytes()) else {
            return false;
        };
        // Only of what nothing is known of yet.
        let now = u64::try_from(at).ok().and_then(|at| {
            let cells = self.state.private.get(&target.object)?;
            cells.cells.get(&at).map(|(_, v)| v.clone())
        });
        let Some(Value::Fun(list, true)) = now else { return false };
        if !list.is_empty() || functions.is_empty() {
            return false;
        }
        let candidates = if functions.len() == 1 && !null {
            vec![(B::lit(true), functions[0])]
        } else {
            let label = self.info(target.object).name.to_string();
            let var = Var { name: self.names.fresh(&super::clean(&label)), ty: IntTy::U32 };
            self.globals_vars.push(var.clone());
            let which = N::var(&var);
            functions.iter().enumerate().map(|(i, f)| (which.eq(&N::num(i as i128)), *f)).collect()
        };
        if !null && candidates.len() > 1 {
            let some = B::or(candidates.iter().map(|(g, _)| g.clone()).collect::<Vec<_>>());
            self.pre.push(some.clone());
            self.facts.push(some);
        }
        self.set_cell(target.object, u64::try_from(at).unwrap_or(0), 8, Value::Fun(candidates, false));
        true
    }

    /// The condition of an annotation; nothing that it reads is an access.
    fn fact(&mut self, arg: &'p Expr) -> B {
        self.quiet(|w| w.truth(arg))
    }

    /// Evaluates something that the program does not execute: no access is emitted.
    fn quiet<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let out = std::mem::take(&mut self.out);
        let result = f(self);
        self.out = out;
        result
    }

    /// Does a condition speak of nothing but parameters, launch dimensions and the thread?
    fn is_closed(&self, cond: &B) -> bool {
        crate::exp::free_vars_b(cond)
            .iter()
            .all(|v| self.globals_vars.contains(v) || self.threads.iter().chain(&self.blocks).any(|(c, _)| c == v))
    }

    /// Takes a condition as a fact for every thread.
    fn assume(&mut self, cond: &B, span: Span) -> bool {
        let under = B::and(self.path.clone());
        let fact = B::implies(&under, cond);
        let mut leaves = Leaves::default();
        leaves.boolean(&fact);
        // Contents of arrays have a meaning of their own; any other function stands for something unknown.
        let modelled =
            |f: &Fun| f.kind == FunKind::Input || f.name.as_str() == OTHER || self.contents.contains_key(&f.name);
        if leaves.functions.iter().any(|f| f.name.as_str() == OTHER) {
            let closed = self.is_closed(&fact) && leaves.functions.iter().all(modelled);
            if closed {
                self.pair_facts.push(fact);
            } else {
                self.unused_assumption(span);
            }
            return closed;
        }
        if !self.is_closed(&fact) || !leaves.functions.iter().all(modelled) {
            self.unused_assumption(span);
            return false;
        }
        self.pre.push(fact);
        if self.path.is_empty() {
            for part in conjuncts(cond) {
                self.ranges.assume(&part);
            }
            self.pin();
        }
        // From here on, under the same path, it holds.
        match self.path.is_empty() {
            true => self.facts.extend(conjuncts(cond)),
            false => self.path.extend(conjuncts(cond)),
        }
        true
    }

    /// Replaces the values of variables that have only one value left.
    fn pin(&mut self) {
        for cells in self.state.private.values_mut() {
            let pinned = |value: &Value| match value {
                Value::Num(n) if n.as_num().is_none() => self.ranges.interval(n).single().map(N::num),
                _ => None,
            };
            if cells.cells.values().any(|(_, value)| pinned(value).is_some()) {
                let mut changed = Cells::clone(cells);
                for (_, value) in changed.cells.values_mut() {
                    if let Some(n) = pinned(value) {
                        *value = Value::Num(n);
                    }
                }
                *cells = Rc::new(changed);
            }
        }
    }

    fn unused_assumption(&mut self, span: Span) {
        let text = "this assumption speaks of values that are not modelled; it is not used";
        self.lose("assumption-unused", text, span, Touches::Value);
    }
}

/// A number of bytes, in parts of that size; `None` where that does not certainly come out even.
fn divided(bytes: &N, size: i128) -> Option<N> {
    if size == 1 {
        return Some(bytes.clone());
    }
    match bytes.kind() {
        NExp::Num(n) => (n % size == 0).then(|| N::num(n / size)),
        NExp::Bin(NBin::Mul, ty, l, r) => {
            let (divided_l, divided_r) = (divided(l, size), divided(r, size));
            divided_l.map(|l| N::mul(*ty, &l, r)).or_else(|| divided_r.map(|r| N::mul(*ty, l, &r)))
        }
        NExp::Bin(op @ (NBin::Add | NBin::Min | NBin::Max), ty, l, r) => {
            Some(N::bin(*op, *ty, &divided(l, size)?, &divided(r, size)?))
        }
        NExp::If(cond, t, e) => Some(N::ite(cond, &divided(t, size)?, &divided(e, size)?)),
        NExp::Cast(ty, inner) => Some(N::cast(*ty, &divided(inner, size)?)),
        _ => None,
    }
}

/// The comparisons of `a == b | c == d || ..`; false when it is something else.
fn disjuncts<'e>(expr: &'e Expr, out: &mut Vec<(&'e Expr, &'e Expr)>) -> bool {
    match &expr.kind {
        ExprKind::Convert(inner) => disjuncts(inner, out),
        ExprKind::Arith(NBin::Or, _, l, r) | ExprKind::Or(l, r) => disjuncts(l, out) && disjuncts(r, out),
        ExprKind::Compare(NRel::Eq, l, r) => {
            out.push((l, r));
            true
        }
        _ => false,
    }
}

/// Is a function pointer made of something else, so that it may be anything?
fn makes_functions(program: &Program) -> bool {
    let is_function = |ty: &Type| matches!(ty.value(), Type::Ptr(inner) if **inner == Type::Fun);
    let mut found = false;
    for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
        let made = &mut |e: &Expr| {
            if let ExprKind::Convert(inner) = &e.kind {
                found |= is_function(&e.ty) && !is_function(&inner.ty) && !matches!(inner.kind, ExprKind::Int(0));
            }
        };
        each_expr(body, made, &mut |_| {});
    }
    found
}

/// A function on the bits of integers that are known.
fn computed(name: &str, args: &[Expr], values: &[Value], ty: &Type) -> Option<Value> {
    let Type::Int(int) = ty else { return None };
    let number = |(arg, value): (&Expr, &Value)| match (&arg.ty, value) {
        (Type::Int(_), Value::Num(n)) => n.as_num(),
        _ => None,
    };
    let numbers = args.iter().zip(values).map(number).collect::<Option<Vec<_>>>()?;
    Some(Value::Num(N::num(int.wrap(of_bits(name, &numbers)?))))
}

/// An expression without conversions around it.
fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => strip(inner),
        _ => expr,
    }
}

fn names_group(ty: &Type, group: &str) -> bool {
    match ty.value() {
        Type::Ptr(inner) => names_group(inner, group),
        Type::Unknown(name) => &**name == group,
        _ => false,
    }
}

fn is_group(ty: &Type) -> bool {
    match ty.value() {
        Type::Ptr(inner) => is_group(inner),
        Type::Unknown(name) => is_group_of_threads(name),
        _ => false,
    }
}

/// May a value of this type carry a pointer that the analysis does not see?
fn may_hide_pointer(ty: &Type) -> bool {
    match ty {
        Type::Unknown(name) => !is_group_of_threads(name),
        Type::Struct(s) => !s.complete || s.fields.iter().any(|f| may_hide_pointer(&f.ty)),
        Type::Array(elem, _) => may_hide_pointer(elem),
        _ => false,
    }
}
