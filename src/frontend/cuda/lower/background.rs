//! Copies in the background: by a thread (`__pipeline_memcpy_async`), or by a group (`cooperative_groups::memcpy_async`).

use super::*;

/// Who makes the copies of a group. `None`: which threads it has is not known.
fn copier(group: &Type) -> Option<Copier> {
    let Type::Unknown(name) = group.value() else { return None };
    match &**name {
        "thread_block" => Some(Copier::Block),
        "single_thread" => Some(Copier::Thread),
        _ => Body::tile_lanes(group).and_then(|n| u32::try_from(n).ok()).map(Copier::Tile),
    }
}

/// Is this the type of a pipeline of a thread, or of a barrier of a block?
fn waits(ty: &Type) -> Option<&'static str> {
    let Type::Struct(class) = ty.value() else { return None };
    ["cuda::pipeline", "cuda::barrier"].into_iter().find(|name| *name == &*class.name)
}

fn is_number(e: &Expr) -> bool {
    matches!(e.ty.value(), Type::Int(_))
}

impl<'l, 't> Body<'l, 't> {
    pub(super) fn intrinsic_call(&self, what: Intrinsic, args: Vec<Expr>, span: Span) -> Expr {
        Expr::new(ExprKind::Intrinsic(what, args), Type::Void, span)
    }

    /// A call of a function that copies in the background, or waits for such copies. [INF-ASYNC]
    pub(super) fn background_call(
        &mut self,
        name: &str,
        template: Option<Node<'t>>,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let group_wait = |body: &mut Self, count: Expr, group: &Expr| {
            let wait = body.intrinsic_call(Intrinsic::WaitForBatches, vec![count], span);
            let barrier = body.group_barrier(&group.ty.clone(), span);
            let both = body.preceded(vec![wait], barrier);
            body.after_group(group, both, span)
        };
        let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
        match (name, args) {
            ("__pipeline_memcpy_async", [to, from, size]) => {
                Some(self.begin_copy(Copier::Thread, [to, from], size.clone(), None, span))
            }
            ("__pipeline_memcpy_async", [to, from, size, zeros]) => {
                let read = self.binary("-", size.clone(), zeros.clone(), span);
                Some(self.begin_copy(Copier::Thread, [to, from], size.clone(), Some(read), span))
            }
            ("__pipeline_commit", []) => Some(self.intrinsic_call(Intrinsic::CloseBatch, vec![], span)),
            ("__pipeline_wait_prior", [count]) => {
                let count = self.value(count.clone());
                Some(self.intrinsic_call(Intrinsic::WaitForBatches, vec![count], span))
            }
            ("memcpy_async", [group, to, from, size]) if copier(&group.ty).is_some() && is_number(size) => {
                let by = copier(&group.ty)?;
                Some(self.group_copy(by, [to, from], size.clone(), group, span))
            }
            // As many elements as both sides have.
            ("memcpy_async", [group, to, to_count, from, from_count])
                if copier(&group.ty).is_some() && is_number(to_count) && is_number(from_count) =>
            {
                let by = copier(&group.ty)?;
                let pointer = self.value(to.clone());
                let size = pointer.ty.element().filter(|e| !e.has_unknown_size() && **e != Type::Void)?.size();
                let count = |body: &mut Self, n: &Expr| {
                    let n = body.value(n.clone());
                    body.convert(n, &Type::Int(IntTy::U64))
                };
                let counts = vec![count(self, to_count), count(self, from_count)];
                let ty = Type::Int(IntTy::U64);
                let least = Expr::new(ExprKind::Intrinsic(Intrinsic::Min(IntTy::U64), counts), ty.clone(), span);
                let size = Expr::new(ExprKind::Int(i128::from(size)), ty, span);
                let bytes = self.binary("*", least, size, span);
                Some(self.group_copy(by, [to, from], bytes, group, span))
            }
            ("wait", [group]) if copier(&group.ty).is_some() => Some(group_wait(self, zero, group)),
            ("wait_prior", [group]) if copier(&group.ty).is_some() => {
                let count = template.and_then(|list| self.template_arguments(list).first().copied())?;
                let count = self.template_value(count)?;
                let count = Expr::new(ExprKind::Int(count), Type::INT, span);
                Some(group_wait(self, count, group))
            }
            ("memcpy_async", [to, from, size, until]) if is_number(size) && to.ty.value().element().is_some() => {
                self.copy_until(Copier::Thread, [to, from], size.clone(), until, span)
            }
            ("memcpy_async", [group, to, from, size, until]) if copier(&group.ty).is_some() && is_number(size) => {
                let by = copier(&group.ty)?;
                let copy = self.copy_until(by, [to, from], size.clone(), until, span)?;
                Some(self.after_group(group, copy, span))
            }
            ("make_pipeline", []) => {
                let ty = builtins::waiting_type("pipeline", "thread_scope_thread")?;
                Some(Expr::new(ExprKind::Aggregate(Vec::new()), ty, span))
            }
            ("pipeline_consumer_wait_prior", [pipe]) if waits(&pipe.ty) == Some("cuda::pipeline") => {
                let count = template.and_then(|list| self.template_arguments(list).first().copied())?;
                let count = self.template_value(count)?;
                let count = Expr::new(ExprKind::Int(count), Type::INT, span);
                Some(self.intrinsic_call(Intrinsic::WaitForBatches, vec![count], span))
            }
            ("init", [barrier, count]) => {
                let barrier = self.value(barrier.clone());
                let known = barrier.ty.element().is_some_and(|ty| waits(ty) == Some("cuda::barrier"));
                let count = self.value(count.clone());
                known.then(|| self.intrinsic_call(Intrinsic::MakeBarrier, vec![barrier, count], span))
            }
            ("__cvta_generic_to_shared", [pointer]) => {
                let pointer = self.value(pointer.clone());
                let ty = Type::Int(IntTy::U64);
                Some(Expr::new(ExprKind::Intrinsic(Intrinsic::SharedAddress, vec![pointer]), ty, span))
            }
            ("__cvta_shared_to_generic", [address]) => {
                let address = self.value(address.clone());
                let intrinsic = ExprKind::Intrinsic(Intrinsic::FromSharedAddress, vec![address]);
                Some(Expr::new(intrinsic, Type::Void.ptr(), span))
            }
            ("aligned_size_t", [size]) if is_number(size) => {
                Some(self.convert(self.value(size.clone()), &Type::Int(IntTy::U64)))
            }
            _ => None,
        }
    }

    /// A member function of a pipeline or of a barrier.
    pub(super) fn waiting_member(&mut self, object: &Expr, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let kind = waits(&object.ty)?;
        if !is_lvalue(object) {
            return None;
        }
        if kind == "cuda::barrier" {
            let address = vec![self.address_of(object.clone(), span)];
            return match (name, args) {
                ("arrive_and_wait", []) => Some(self.intrinsic_call(Intrinsic::PassBarrier, address, span)),
                ("arrive", []) => {
                    let token = ExprKind::Intrinsic(Intrinsic::ArriveAt, address);
                    Some(Expr::new(token, Type::Int(IntTy::U64), span))
                }
                ("wait", [token]) if is_number(token) => {
                    let args = address.into_iter().chain([self.value(token.clone())]).collect();
                    Some(self.intrinsic_call(Intrinsic::WaitAt, args, span))
                }
                _ => None,
            };
        }
        if !args.is_empty() {
            return None;
        }
        // How many batches of this pipeline nobody has waited for.
        let batches = self.member(object.clone(), "batches", span);
        match name {
            "producer_acquire" => Some(self.intrinsic_call(Intrinsic::Nothing, vec![], span)),
            "producer_commit" => {
                let more = self.update(batches, "+", int(1), false, span);
                let close = self.intrinsic_call(Intrinsic::CloseBatch, vec![], span);
                Some(self.preceded(vec![more], close))
            }
            // The oldest of them is complete.
            "consumer_wait" => {
                let left = self.update(batches, "-", int(1), false, span);
                Some(self.intrinsic_call(Intrinsic::WaitForBatches, vec![left], span))
            }
            "consumer_release" => Some(self.intrinsic_call(Intrinsic::Nothing, vec![], span)),
            _ => None,
        }
    }

    /// A copy that a pipeline or a barrier waits for.
    fn copy_until(&mut self, by: Copier, places: [&Expr; 2], size: Expr, until: &Expr, span: Span) -> Option<Expr> {
        match waits(&until.ty)? {
            "cuda::pipeline" => Some(self.begin_copy(by, places, size, None, span)),
            _ if is_lvalue(until) => {
                let barrier = self.address_of(until.clone(), span);
                let [to, from] = places;
                let args = vec![self.value(to.clone()), self.value(from.clone()), self.value(size), barrier];
                Some(self.intrinsic_call(Intrinsic::BeginCopyUntil(by), args, span))
            }
            _ => None,
        }
    }

    pub(super) fn begin_copy(
        &mut self,
        by: Copier,
        [to, from]: [&Expr; 2],
        size: Expr,
        read: Option<Expr>,
        span: Span,
    ) -> Expr {
        let mut args = vec![self.value(to.clone()), self.value(from.clone()), self.value(size)];
        args.extend(read.map(|read| self.value(read)));
        self.intrinsic_call(Intrinsic::BeginCopy(by), args, span)
    }

    /// Each copy of a group is a batch of its own.
    fn group_copy(&mut self, by: Copier, places: [&Expr; 2], size: Expr, group: &Expr, span: Span) -> Expr {
        let copy = self.begin_copy(by, places, size, None, span);
        let close = self.intrinsic_call(Intrinsic::CloseBatch, vec![], span);
        let both = self.preceded(vec![copy], close);
        self.after_group(group, both, span)
    }
}
