//! Calls of the built-in functions of OpenCL C.

use super::vector::truth_lane;
use super::*;
use crate::frontend::cuda::opencl::{self, SIZE_T, Shape};

/// The type of the function for arguments of this one: there is none for narrow integers.
fn promoted(ty: &Type) -> Type {
    match ty {
        Type::Int(int) => Type::Int(promote(*int)),
        other => other.clone(),
    }
}

impl<'l, 't> Body<'l, 't> {
    /// A call of a function of the unit, of which C has one of each name, or of a built-in one.
    pub(super) fn opencl_call(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        let declared = self.lower.names.functions.get(name).cloned().unwrap_or_default();
        let defined: Vec<FunDecl<'t>> = declared.iter().copied().filter(|d| d.has_body).collect();
        if let [only] = defined.as_slice() {
            let expected = self.parameters(only).len();
            if expected == args.len() {
                return Ok(self.call_decl(*only, Bindings::default(), None, args, span));
            }
        }
        if !defined.is_empty() {
            return Err(args);
        }
        // No built-in function has a version for `bool`.
        let mut values: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        for value in values.iter_mut().filter(|v| v.ty == Type::BOOL) {
            *value = self.convert(value.clone(), &Type::INT);
        }
        match self.opencl_builtin(name, values, span) {
            Ok(value) => Ok(value),
            Err(values) => match declared.as_slice() {
                [only] if self.parameters(only).len() == values.len() => {
                    Ok(self.call_decl(*only, Bindings::default(), None, values, span))
                }
                _ => Err(values),
            },
        }
    }

    fn opencl_builtin(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        if let Some(value) = self.work_item(name, &args, span) {
            return Ok(value);
        }
        let args = match self.of_integers(name, args, span) {
            Ok(value) => return Ok(value),
            Err(args) => args,
        };
        let args = match self.of_memory(name, args, span) {
            Ok(value) => return Ok(value),
            Err(args) => args,
        };
        let args = match self.conversion(name, args, span) {
            Ok(value) => return Ok(value),
            Err(args) => args,
        };
        let Some(builtin) = opencl::function(name) else { return Err(args) };
        // What does nothing still evaluates its arguments, but those of annotations.
        if matches!(builtin.intrinsic, Intrinsic::Nothing | Intrinsic::Fence(_)) && !name.starts_with("__") {
            let args: Vec<Expr> = args.into_iter().map(|arg| self.value(arg)).collect();
            let nothing = self.call_builtin(builtin, Vec::new(), span);
            return Ok(self.preceded(args, nothing));
        }
        if builtin.result.is_some() || name.starts_with("__") {
            return Ok(self.call_builtin(builtin, args, span));
        }
        match builtin.intrinsic {
            Intrinsic::Min(_) | Intrinsic::Max(_) if args.iter().any(|a| self.lanes(&a.ty).is_some()) => {
                let elem = args.iter().find_map(|a| self.lanes(&a.ty)).map_or(Type::INT, |(elem, _)| elem);
                let name = name.to_owned();
                Ok(self.lanewise(args, &elem.clone(), span, move |body, parts| {
                    let parts = parts.into_iter().map(|p| body.convert(p, &elem)).collect();
                    match opencl::function(&name) {
                        Some(builtin) => body.call_builtin(builtin, parts, span),
                        None => body.opaque(&name, parts, elem.clone(), span),
                    }
                }))
            }
            Intrinsic::Min(_) | Intrinsic::Max(_) => Ok(self.call_builtin(builtin, args, span)),
            Intrinsic::Pure(..) => {
                let ty = self.result_of(name, &args);
                Ok(Expr::new(ExprKind::Intrinsic(builtin.intrinsic, args), ty, span))
            }
            Intrinsic::Atomic(operation, _) => {
                // The scope of an operation of OpenCL 2, where it is given as the last argument: 1 is a work-group.
                let operands = match operation.as_str() {
                    "load" | "flag_test_and_set" | "flag_clear" => 1,
                    _ => 2,
                };
                let given = name.ends_with("_explicit") && args.len() == operands + 2;
                let scope = match args.last().filter(|_| given).map(fold) {
                    None | Some(Some(2 | 3)) => Scope::Grid,
                    Some(Some(1)) => Scope::Block,
                    Some(_) => {
                        let text = "which work-items this atomic operation is atomic for is not known".to_owned();
                        return Ok(self.unclear(text, args, span));
                    }
                };
                let ty = args.first().and_then(|a| a.ty.element().cloned()).unwrap_or(Type::INT);
                Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::Atomic(operation, scope), args), ty, span))
            }
            intrinsic => {
                let ty = self.result_of(name, &args);
                Ok(Expr::new(ExprKind::Intrinsic(intrinsic, args), ty, span))
            }
        }
    }

    /// The type of a function of numbers, some of which may be vectors.
    fn result_of(&self, name: &str, args: &[Expr]) -> Type {
        let vector = args.iter().find(|a| self.lanes(&a.ty).is_some());
        let float = args.iter().find(|a| matches!(a.ty, Type::Float(_)));
        let first = vector.or(float).or(args.first()).map_or(Type::INT, |a| a.ty.clone());
        let (elem, lanes) = self.lanes(&first).unwrap_or((first.clone(), 1));
        match opencl::result_shape(name) {
            Shape::Same if name == "abs_diff" => match (&elem, lanes) {
                (Type::Int(ty), 1) => Type::Int(IntTy { signed: false, ..*ty }),
                (Type::Int(ty), _) => {
                    opencl::vector_of(&Type::Int(IntTy { signed: false, ..*ty }), lanes).unwrap_or(first)
                }
                _ => first,
            },
            Shape::Same => first,
            Shape::Lane => elem,
            Shape::Truth if lanes == 1 => Type::INT,
            Shape::Truth => opencl::vector_of(&truth_lane(&elem), lanes).unwrap_or(first),
        }
    }

    // ---- work-items ----

    fn size(&self, n: i128, span: Span) -> Expr {
        Expr::new(ExprKind::Int(n), Type::Int(SIZE_T), span)
    }

    fn coordinate(&mut self, builtin: Builtin, span: Span) -> Expr {
        let value = Expr::new(ExprKind::Builtin(builtin), Type::UINT, span);
        self.convert(value, &Type::Int(SIZE_T))
    }

    fn work_item(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        match (name, args) {
            ("get_work_dim", []) => {
                let value = Intrinsic::Pure(Name::new(name), Some((1, 3)));
                return Some(Expr::new(ExprKind::Intrinsic(value, vec![]), Type::UINT, span));
            }
            ("get_local_linear_id" | "get_global_linear_id", []) => {
                let (id, size) = match name {
                    "get_local_linear_id" => ("get_local_id", "get_local_size"),
                    _ => ("get_global_id", "get_global_size"),
                };
                let mut linear = self.size(0, span);
                for axis in (0..3).rev() {
                    let size = self.along(size, axis, span)?;
                    let id = self.along(id, axis, span)?;
                    let scaled = self.binary("*", linear, size, span);
                    linear = self.binary("+", scaled, id, span);
                }
                if name == "get_global_linear_id" {
                    // The ids without the offset.
                    for axis in (0..3).rev() {
                        if self.lower.offset[axis] != 0 {
                            return Some(Expr::unknown(
                                "unknown-value",
                                "this id is not known where there is a global offset",
                                Type::Int(SIZE_T),
                                span,
                            ));
                        }
                    }
                }
                return Some(linear);
            }
            _ => {}
        }
        let [dimension] = args else { return None };
        self.along(name, 0, span)?;
        if let Some(n) = fold(dimension) {
            let axis = usize::try_from(n).unwrap_or(3);
            return self.along(name, axis, span);
        }
        // Which dimension is not a constant: one of the three, or none.
        let (setup, dimension) = self.repeatable(dimension.clone());
        let mut value = self.along(name, 3, span)?;
        for axis in (0..3).rev() {
            let here = self.along(name, axis, span)?;
            let number = Expr::new(ExprKind::Int(axis as i128), Type::INT, span);
            let is = self.binary("==", dimension.clone(), number, span);
            let choose = ExprKind::Choose(Box::new(is), Box::new(here), Box::new(value));
            value = Expr::new(choose, Type::Int(SIZE_T), span);
        }
        Some(self.preceded(setup, value))
    }

    /// A work-item function in one dimension; there are three, and in all others ids are 0 and sizes 1.
    fn along(&mut self, name: &str, axis: usize, span: Span) -> Option<Expr> {
        let is_size = match name {
            "get_local_id" | "get_group_id" | "get_global_id" | "get_global_offset" => false,
            "get_local_size" | "get_enqueued_local_size" | "get_num_groups" | "get_global_size" => true,
            _ => return None,
        };
        if axis > 2 {
            return Some(self.size(i128::from(is_size), span));
        }
        let a = axis as u8;
        self.lower.whole_groups |= matches!(name, "get_local_size" | "get_global_size");
        Some(match name {
            "get_local_id" => self.coordinate(Builtin::ThreadIdx(a), span),
            "get_group_id" => self.coordinate(Builtin::BlockIdx(a), span),
            "get_local_size" | "get_enqueued_local_size" => self.coordinate(Builtin::BlockDim(a), span),
            "get_num_groups" => self.coordinate(Builtin::GridDim(a), span),
            "get_global_offset" => {
                self.lower.uses_offset = true;
                self.size(self.lower.offset[axis], span)
            }
            "get_global_size" => {
                let (groups, size) =
                    (self.coordinate(Builtin::GridDim(a), span), self.coordinate(Builtin::BlockDim(a), span));
                self.binary("*", groups, size, span)
            }
            _ => {
                self.lower.uses_offset = true;
                let (group, size) =
                    (self.coordinate(Builtin::BlockIdx(a), span), self.coordinate(Builtin::BlockDim(a), span));
                let first = self.binary("*", group, size, span);
                let own = self.coordinate(Builtin::ThreadIdx(a), span);
                let id = self.binary("+", first, own, span);
                match self.lower.offset[axis] {
                    0 => id,
                    n => {
                        let offset = self.size(n, span);
                        self.binary("+", id, offset, span)
                    }
                }
            }
        })
    }

    // ---- numbers ----

    fn min_max(&mut self, min: bool, ty: IntTy, l: Expr, r: Expr, span: Span) -> Expr {
        let intrinsic = if min { Intrinsic::Min(ty) } else { Intrinsic::Max(ty) };
        Expr::new(ExprKind::Intrinsic(intrinsic, vec![l, r]), Type::Int(ty), span)
    }

    /// Functions of integers that are exact, and choices.
    fn of_integers(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        let elem = |body: &Self, ty: &Type| body.lanes(ty).map_or(ty.clone(), |(elem, _)| elem);
        let first = args.first().map_or(Type::Void, |a| elem(self, &a.ty));
        match (name, args.as_slice(), &first) {
            ("select", [a, b, c], _) => {
                let (a, b, c) = (a.clone(), b.clone(), c.clone());
                if self.lanes(&c.ty).is_some() {
                    return Ok(self.vector_choice(c, b, a, span));
                }
                let ty = a.ty.clone();
                let (c, b) = (self.truth(c), self.convert(b, &ty));
                // Both are evaluated.
                let ((first, a), (second, b)) = (self.still(a), self.still(b));
                let made = Expr::new(ExprKind::Choose(Box::new(c), Box::new(b), Box::new(a)), ty, span);
                Ok(self.preceded(first.into_iter().chain(second), made))
            }
            ("clamp", [_, _, _], Type::Int(ty)) => {
                let ty = *ty;
                Ok(self.lanewise(args, &Type::Int(ty), span, move |body, parts| {
                    let mut parts = parts.into_iter().map(|p| body.convert(p, &Type::Int(ty))).collect::<Vec<_>>();
                    let (Some(high), Some(low), Some(x)) = (parts.pop(), parts.pop(), parts.pop()) else {
                        return body.size(0, span);
                    };
                    let least = body.min_max(false, ty, x, low, span);
                    body.min_max(true, ty, least, high, span)
                }))
            }
            ("mul24" | "mad24", [_, _] | [_, _, _], Type::Int(ty)) => {
                let ty = IntTy { bits: 32, signed: ty.signed };
                Ok(self.lanewise(args, &Type::Int(ty), span, move |body, parts| {
                    let mut parts = parts.into_iter().map(|p| body.convert(p, &Type::Int(ty)));
                    let (Some(a), Some(b)) = (parts.next(), parts.next()) else { return body.size(0, span) };
                    let third = parts.next();
                    let product = super::calls::mul24(a, b, ty, span);
                    match third {
                        Some(c) => body.binary("+", product, c, span),
                        None => product,
                    }
                }))
            }
            ("abs", [_], Type::Int(ty)) => {
                let ty = *ty;
                let unsigned = Type::Int(IntTy { signed: false, ..ty });
                Ok(self.lanewise(args, &unsigned, span, move |body, parts| {
                    let Some(x) = parts.into_iter().next() else { return body.size(0, span) };
                    let (setup, x) = body.repeatable(x);
                    let zero = Expr::new(ExprKind::Int(0), Type::Int(ty), span);
                    let negative = body.binary("-", zero, x.clone(), span);
                    let negative = body.convert(negative, &Type::Int(ty));
                    let value = if ty.signed { body.min_max(false, ty, x, negative, span) } else { x };
                    body.preceded(setup, value)
                }))
            }
            ("popcount" | "clz" | "ctz", [_], Type::Int(ty)) => {
                let ty = *ty;
                let name = Name::new(name);
                Ok(self.lanewise(args, &Type::Int(ty), span, move |_, parts| {
                    let bits = i128::from(ty.bits);
                    Expr::new(
                        ExprKind::Intrinsic(Intrinsic::Pure(name.clone(), Some((0, bits))), parts),
                        Type::INT,
                        span,
                    )
                }))
            }
            ("clamp" | "mad24" | "mul24" | "abs", _, _) => {
                let ty = self.result_of(name, &args);
                Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(Name::new(name), None), args), ty, span))
            }
            _ => Err(args),
        }
    }

    /// `convert_uchar4_sat(v)`, `as_int(x)`.
    fn conversion(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        let [value] = args.as_slice() else { return Err(args) };
        let value = value.clone();
        if let Some(rest) = name.strip_prefix("convert_") {
            let (target, modes) = rest.split_once('_').unwrap_or((rest, ""));
            let Some(ty) = opencl::named_type(target) else { return Err(args) };
            let (elem, lanes) = self.lanes(&ty).unwrap_or((ty.clone(), 1));
            if let Type::Unknown(_) = value.ty {
                return Ok(self.opaque(name, vec![value], ty, span));
            }
            if self.lanes(&value.ty).map_or(1, |(_, n)| n) != lanes {
                return Err(args);
            }
            let saturated = modes.contains("sat");
            let (name, modes) = (name.to_owned(), modes.to_owned());
            return Ok(self.lanewise(vec![value], &elem.clone(), span, move |body, parts| {
                let Some(value) = parts.into_iter().next() else { return body.size(0, span) };
                match (&value.ty, &elem) {
                    (Type::Int(from), Type::Int(to)) if saturated => {
                        // In a type that holds every value of the source.
                        let wide = if from.bits == 64 { *from } else { IntTy::I64 };
                        let number = |n: i128| Expr::new(ExprKind::Int(n), Type::Int(wide), span);
                        let mut value = body.convert(value, &Type::Int(wide));
                        for (limit, min) in [(IntTy::min(*to), false), (IntTy::max(*to), true)] {
                            if let Some(limit) = limit.filter(|n| wide.wrap(*n) == *n) {
                                value = body.min_max(min, wide, value, number(limit), span);
                            }
                        }
                        body.convert(value, &elem)
                    }
                    // Rounded another way, or cut off.
                    (Type::Float(_), Type::Int(_)) if !matches!(modes.as_str(), "" | "rtz") => {
                        body.opaque(&name, vec![value], elem.clone(), span)
                    }
                    _ => body.convert(value, &elem),
                }
            }));
        }
        if let Some(ty) = name.strip_prefix("as_").and_then(opencl::named_type) {
            let (elem, lanes) = self.lanes(&ty).unwrap_or((ty.clone(), 1));
            let (from, own) = self.lanes(&value.ty).unwrap_or((value.ty.clone(), 1));
            if lanes != own || from.size() != elem.size() {
                return Ok(self.opaque(name, vec![value], ty, span));
            }
            let name = name.to_owned();
            return Ok(self.lanewise(vec![value], &elem.clone(), span, move |body, parts| {
                let Some(value) = parts.into_iter().next() else { return body.size(0, span) };
                match (&value.ty, &elem) {
                    (Type::Int(_), Type::Int(_)) => body.convert(value, &elem),
                    (a, b) if a == b => value,
                    _ => body.opaque(&name, vec![value], elem.clone(), span),
                }
            }));
        }
        Err(args)
    }

    // ---- memory ----

    fn of_memory(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        if let Some((lanes, half, aligned)) = vector_access(name, "vload")
            && let [offset, pointer] = args.as_slice()
        {
            return Ok(self.vector_load(lanes, half, aligned, offset.clone(), pointer.clone(), span));
        }
        if let Some((lanes, half, aligned)) = vector_access(name, "vstore")
            && let [data, offset, pointer] = args.as_slice()
        {
            let (data, offset, pointer) = (data.clone(), offset.clone(), pointer.clone());
            return Ok(self.vector_store(lanes, half, aligned, data, offset, pointer, span));
        }
        if let Some((elem, lanes, write)) = block_access(name)
            && let (false, [pointer]) | (true, [pointer, _]) = (write, args.as_slice())
            && let Type::Ptr(_) = pointer.ty
        {
            return Ok(self.sub_group_block(&elem, lanes, pointer.clone(), args.get(1).cloned(), span));
        }
        if name.starts_with("read_image") || name.starts_with("write_image") || name.starts_with("get_image") {
            return self.image(name, args, span);
        }
        match (name, args.as_slice()) {
            ("barrier" | "work_group_barrier", [flags]) => Ok(fenced_barrier(flags.clone(), span)),
            ("barrier" | "work_group_barrier", [flags, scope]) => {
                let given = [flags.clone(), scope.clone()].map(|arg| self.value(arg));
                match fold(scope) {
                    // From the work-group on.
                    Some(1..=3) => Ok(fenced_barrier(flags.clone(), span)),
                    // Memory is ordered within each work-item or sub-group alone.
                    Some(_) => Ok(self.preceded(given, fenced_barrier(self.size(0, span), span))),
                    None => {
                        let flags = Intrinsic::Havoc(Name::new("flags"));
                        let flags = Expr::new(ExprKind::Intrinsic(flags, vec![]), Type::UINT, span);
                        Ok(self.preceded(given, fenced_barrier(flags, span)))
                    }
                }
            }
            // All work-items of the group have to get there, but no memory is ordered.
            (_, [first, ..])
                if ["all", "any", "broadcast", "reduce_", "scan_"]
                    .iter()
                    .any(|w| name.strip_prefix("work_group_").is_some_and(|rest| rest.starts_with(w))) =>
            {
                let ty = promoted(&first.ty);
                let none = self.size(0, span);
                let barrier = fenced_barrier(none.clone(), span);
                // All but a scan give all work-items the same.
                let (what, args) = match name.starts_with("work_group_scan_") {
                    true => (Intrinsic::Havoc(Name::new(name)), args),
                    false => (Intrinsic::Together(Name::new(name)), std::iter::once(none).chain(args).collect()),
                };
                let value = Expr::new(ExprKind::Intrinsic(what, args), ty, span);
                Ok(self.preceded([barrier], value))
            }
            (_, [first, ..])
                if name.starts_with("sub_group_") && name != "sub_group_barrier"
                    || name.starts_with("intel_sub_group_shuffle") =>
            {
                let ty = match name.strip_prefix("sub_group_") {
                    Some("ballot") => opencl::vector_of(&Type::UINT, 4).unwrap_or(Type::UINT),
                    Some("inverse_ballot" | "ballot_bit_extract" | "elect") => Type::INT,
                    Some(rest) if rest.starts_with("ballot_") => Type::UINT,
                    Some(rest) if ["any", "all", "all_equal"].iter().any(|w| rest.ends_with(w)) => Type::INT,
                    _ => promoted(&first.ty),
                };
                Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty, span))
            }
            ("async_work_group_copy", [to, from, elements, event]) => {
                let ty = Type::Int(IntTy::U64);
                let elements = self.convert(elements.clone(), &Type::Int(SIZE_T));
                let args = vec![to.clone(), from.clone(), elements, event.clone()];
                Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::GroupCopy, args), ty, span))
            }
            ("wait_group_events", [_, _]) => {
                Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::WaitForCopies, args), Type::Void, span))
            }
            // It is null where the pointer points elsewhere, which is not followed.
            ("to_global" | "to_local" | "to_private", [pointer]) => {
                let (setup, pointer) = self.repeatable(pointer.clone());
                let ty = pointer.ty.clone();
                let there = Intrinsic::Havoc(Name::new(name));
                let there = Expr::new(ExprKind::Intrinsic(there, vec![pointer.clone()]), Type::BOOL, span);
                let null = Expr::new(ExprKind::Int(0), ty.clone(), span);
                let chosen = ExprKind::Choose(Box::new(there), Box::new(pointer), Box::new(null));
                Ok(self.preceded(setup, Expr::new(chosen, ty, span)))
            }
            // The expected value is read, and written where the exchange fails.
            (_, [place, expected, others @ ..]) if name.starts_with("atomic_compare_exchange_") => {
                let (place, expected) = (place.clone(), expected.clone());
                let others: Vec<Expr> = others.iter().map(|other| self.value(other.clone())).collect();
                let update = Intrinsic::TouchReadWrite(Name::new("expected"));
                let update = Expr::new(ExprKind::Intrinsic(update, vec![expected]), Type::INT, span);
                let atomic = Intrinsic::Atomic(Name::new("cmpxchg"), Scope::Grid);
                let atomic = Expr::new(ExprKind::Intrinsic(atomic, vec![place]), Type::INT, span);
                if name.ends_with("_explicit") {
                    return Err(args);
                }
                Ok(self.preceded(others.into_iter().chain([update]), atomic))
            }
            _ => Err(args),
        }
    }

    /// `intel_sub_group_block_read2(p)`, `intel_sub_group_block_write_us(p, v)`: a work-item has the elements whose numbers
    /// are its own in the sub-group, and so many further by the size of that; neither is known.
    fn sub_group_block(&mut self, elem: &Type, lanes: u64, pointer: Expr, data: Option<Expr>, span: Span) -> Expr {
        let pointer = self.convert(pointer, &elem.clone().ptr());
        let mut setup = Vec::new();
        let mut set_aside = |body: &mut Self, value: Expr| {
            let (first, value) = body.repeatable(value);
            setup.extend(first);
            value
        };
        let pointer = set_aside(self, pointer);
        let data = data.map(|data| set_aside(self, data));
        let mut values = Vec::new();
        let mut stores = Vec::new();
        for lane in 0..lanes {
            let own = Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new("lane")), vec![]), Type::UINT, span);
            let moved = self.offset(pointer.clone(), own, span);
            let place = self.deref(moved, span);
            match &data {
                Some(data) => {
                    let value = if lanes == 1 { data.clone() } else { self.lane(data, lane) };
                    stores.push(self.assign(place, value, span));
                }
                None => values.push(self.value(place)),
            }
        }
        let result = match values.as_slice() {
            [] => self.size(0, span),
            [only] => only.clone(),
            _ => self.of_lanes(elem, values, span),
        };
        self.preceded(setup.into_iter().chain(stores), result)
    }

    fn vector_load(&mut self, lanes: u64, half: bool, aligned: bool, offset: Expr, pointer: Expr, span: Span) -> Expr {
        let elem = if half { Type::Float(2) } else { pointer.ty.element().cloned().unwrap_or(Type::INT) };
        let (setup, places) = self.lanes_at(lanes, aligned, &elem, offset, pointer, span);
        let values: Vec<Expr> = places
            .into_iter()
            .map(|p| {
                let value = self.value(p);
                if half { self.convert(value, &Type::Float(4)) } else { value }
            })
            .collect();
        let elem = if half { Type::Float(4) } else { elem };
        let value = match values.as_slice() {
            [only] => only.clone(),
            _ => self.of_lanes(&elem, values, span),
        };
        self.preceded(setup, value)
    }

    #[allow(clippy::too_many_arguments)]
    fn vector_store(
        &mut self,
        lanes: u64,
        half: bool,
        aligned: bool,
        data: Expr,
        offset: Expr,
        pointer: Expr,
        span: Span,
    ) -> Expr {
        let elem = if half { Type::Float(2) } else { pointer.ty.element().cloned().unwrap_or(Type::INT) };
        // What is stored first changes nothing of the rest.
        let whole = matches!(data.kind, ExprKind::Load(_) | ExprKind::Int(_) | ExprKind::Constant(_));
        let (first, data) = if whole { self.repeatable(data) } else { self.aside(data) };
        let (setup, places) = self.lanes_at(lanes, aligned, &elem, offset, pointer, span);
        let mut steps: Vec<Expr> = first.into_iter().chain(setup).collect();
        for (i, place) in places.into_iter().enumerate() {
            let lane = self.lane(&data, i as u64);
            let lane = self.convert(lane, &elem);
            steps.push(Expr::new(ExprKind::Assign(Box::new(place), Box::new(lane)), elem.clone(), span));
        }
        let done = Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        self.preceded(steps, done)
    }

    /// The places of the lanes that `vloadN(offset, p)` reads: `p[offset * N + i]`.
    fn lanes_at(
        &mut self,
        lanes: u64,
        aligned: bool,
        elem: &Type,
        offset: Expr,
        pointer: Expr,
        span: Span,
    ) -> (Vec<Expr>, Vec<Expr>) {
        let stride = if aligned { lanes.next_power_of_two() } else { lanes };
        let pointer = self.convert(pointer, &elem.clone().ptr());
        let scale = self.size(i128::from(stride), span);
        let offset = self.convert(offset, &Type::Int(SIZE_T));
        let offset = self.binary("*", offset, scale, span);
        let start = self.offset(pointer, offset, span);
        let (setup, start) = self.still(start);
        let places = (0..lanes).map(|i| {
            let by = self.size(i128::from(i), span);
            let moved = self.offset(start.clone(), by, span);
            self.deref(moved, span)
        });
        let places = places.collect();
        (setup.into_iter().collect(), places)
    }

    /// Images: an array for each, which is read without a sampler only where it may be written.
    fn image(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr, Vec<Expr>> {
        let ty = match name.trim_start_matches("read_image").trim_start_matches("write_image") {
            "f" => opencl::named_type("float4"),
            "i" => opencl::named_type("int4"),
            "ui" => opencl::named_type("uint4"),
            "h" => opencl::named_type("half4"),
            _ => None,
        };
        if name.starts_with("get_image") {
            let ty = match name {
                "get_image_dim" => opencl::named_type("int2").unwrap_or(Type::INT),
                "get_image_array_size" => Type::Int(SIZE_T),
                _ => Type::INT,
            };
            return Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::Pure(Name::new(name), None), args), ty, span));
        }
        let Some(ty) = ty else { return Err(args) };
        let (image, place, value) = match (name.starts_with("write"), args.as_slice()) {
            (true, [image, place, value] | [image, place, _, value]) => (image, place, Some(value.clone())),
            (false, [image, place]) => (image, place, None),
            // An image that is read with a sampler is not written by the kernel.
            (false, [_, _, _] | [_, _, _, _]) => {
                return Ok(Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty, span));
            }
            _ => return Err(args),
        };
        let (image, place) = (image.clone(), place.clone());
        let (setup, place) = self.repeatable(place);
        let count = self.lanes(&place.ty).map_or(1, |(_, n)| n.min(3));
        let write = value.is_some();
        let mut list: Vec<Expr> = value.map(|v| self.convert(v, &ty)).into_iter().collect();
        list.push(image);
        for i in 0..count {
            let lane = self.lane(&place, i);
            let lane = self.convert(lane, &Type::Int(IntTy::I64));
            // Coordinates count elements of up to 16 bytes.
            let bytes = Expr::new(ExprKind::Int(16), Type::Int(IntTy::I64), span);
            list.push(if i == 0 { self.binary("*", lane, bytes, span) } else { lane });
        }
        let intrinsic = Intrinsic::Surface { write, coordinates: count as u8 };
        let ty = if write { Type::Void } else { ty };
        let access = Expr::new(ExprKind::Intrinsic(intrinsic, list), ty, span);
        Ok(self.preceded(setup, access))
    }
}

/// `vload4`, `vstore_half4_rte`, `vloada_half3`: the lanes, whether they are stored as halves, and whether three lanes lie
/// as four do.
fn vector_access(name: &str, stem: &str) -> Option<(u64, bool, bool)> {
    let rest = name.strip_prefix(stem)?;
    let (rest, half, aligned) =
        match rest.strip_prefix("a_half").map(|r| (r, true)).or(rest.strip_prefix("_half").map(|r| (r, false))) {
            Some((rest, aligned)) => (rest, true, aligned),
            None => (rest, false, false),
        };
    let digits = rest.split('_').next().unwrap_or("");
    match (digits, half) {
        ("", true) => Some((1, true, false)),
        ("2" | "3" | "4" | "8" | "16", _) => Some((digits.parse().ok()?, half, aligned)),
        _ => None,
    }
}

/// A barrier of the work-group, with the flags that say which memory it orders.
fn fenced_barrier(flags: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Intrinsic(Intrinsic::FencedBarrier, vec![flags]), Type::Void, span)
}

/// What a function of blocks of a sub-group accesses: elements of which type, how many each work-item has, and whether they
/// are written.
fn block_access(name: &str) -> Option<(Type, u64, bool)> {
    let rest = name.strip_prefix("intel_sub_group_block_")?;
    let (write, rest) = match rest.strip_prefix("read") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("write")?),
    };
    let kind = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match &rest[kind.len()..] {
        "" => 1,
        lanes @ ("2" | "4" | "8" | "16") => lanes.parse().ok()?,
        _ => return None,
    };
    let elem = match kind {
        "" | "_ui" => "uint",
        "_uc" => "uchar",
        "_us" => "ushort",
        "_ul" => "ulong",
        _ => return None,
    };
    Some((opencl::named_type(elem)?, lanes, write))
}
