//! Inline assembly: instructions that compute, loads and stores, atomic operations, copies in the background, fences and
//! barriers. Any other may do anything, and is not modelled.

use super::vector::is_pure;
use super::*;

/// Instructions that touch no memory and wait for nobody; hints move nothing that the analysis sees.
const COMPUTING: [&str; 74] = [
    "abs",
    "activemask",
    "add",
    "addc",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "createpolicy",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "fma",
    "fns",
    "isspacep",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "match",
    "max",
    "min",
    "mma",
    "mov",
    "mul",
    "mul24",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "redux",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "subc",
    "szext",
    "tanh",
    "testp",
    "vabsdiff",
    "vadd",
    "vmad",
    "vmax",
    "vmin",
    "vote",
    "vsub",
    "xor",
];

/// One instruction: `@!p operation operands`.
struct Instruction {
    /// The predicate under which it is done, and whether that is negated.
    guard: Option<(String, bool)>,
    operation: String,
    operands: Vec<String>,
}

/// What is known in the course of the instructions.
struct Course {
    outputs: Vec<(String, Expr)>,
    /// Their values; `None` is no number and no pointer.
    inputs: Vec<Option<Expr>>,
    registers: FxHashMap<String, Expr>,
    predicates: FxHashMap<String, Expr>,
    /// Of the outputs, what is known at the end.
    results: FxHashMap<usize, Expr>,
    steps: Vec<Expr>,
}

/// Where a memory instruction reads or writes, and what.
struct Access {
    space: Option<String>,
    ty: Type,
    lanes: usize,
    /// It is of those that order, or are ordered by, what other threads do.
    is_strong: bool,
    scope: Scope,
}

impl<'l, 't> Body<'l, 't> {
    pub(super) fn assembly(&mut self, node: Node<'t>, span: Span) -> Expr {
        let known = self.assembly_steps(node, span);
        let Some(mut steps) = known else {
            let ty = Type::Unknown(Arc::from("?"));
            return Expr::unknown("unknown-order", "inline assembly is not supported", ty, span);
        };
        let last = steps.pop().unwrap_or_else(|| self.havoc("asm", Type::INT, Vec::new(), span));
        self.preceded(steps, last)
    }

    /// What instructions do: they read their operands, then each goes after the other, then the outputs have their values.
    /// `None`: one of them is not understood. [INF-ASSEMBLY]
    fn assembly_steps(&mut self, node: Node<'t>, span: Span) -> Option<Vec<Expr>> {
        let code = node.child_by_field_name("assembly_code")?;
        if node.child_by_field_name("goto_labels").is_some() {
            return None;
        }
        let instructions = instructions(&self.literal_text(code)?)?;
        let mut outputs = self.operands(node, "output_operands")?;
        let inputs = self.operands(node, "input_operands")?;
        let mut steps = Vec::new();
        for (constraint, place) in &mut outputs {
            if !is_pure(place) && is_lvalue(place) {
                let address = self.address_of(place.clone(), span);
                let address = self.kept(address, &mut steps, span);
                *place = self.deref(address, span);
            }
            if constraint.contains('+') {
                let old = self.value(place.clone());
                steps.push(self.havoc("asm", Type::INT, vec![old], span));
            }
        }
        let mut values = Vec::new();
        for (_, input) in inputs {
            let input = self.value(input);
            let simple = matches!(input.ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
            values.push(match fold(&input) {
                Some(_) => Some(input),
                None if simple => Some(self.kept(input, &mut steps, span)),
                None => {
                    steps.push(self.havoc("asm", Type::INT, vec![input], span));
                    None
                }
            });
        }
        let mut course = Course {
            outputs,
            inputs: values,
            registers: FxHashMap::default(),
            predicates: FxHashMap::default(),
            results: FxHashMap::default(),
            steps,
        };
        let mut declared: FxHashSet<String> = FxHashSet::default();
        for instruction in &instructions {
            // One that is declared again hides the first, as long as its block goes on.
            if instruction.operation == ".reg" {
                let words = instruction.operands.iter().flat_map(|o| o.split_whitespace());
                if !words.filter(|w| !w.starts_with('.')).all(|name| declared.insert(name.to_owned())) {
                    return None;
                }
                continue;
            }
            self.instruction(instruction, &mut course, span)?;
        }
        let Course { outputs, mut results, mut steps, .. } = course;
        for (i, (_, place)) in outputs.into_iter().enumerate() {
            let ty = place.ty.value().clone();
            let value = match results.remove(&i) {
                Some(value) if is_of_kind(&value.ty, &ty) => self.convert(value, &ty),
                Some(value) if matches!(value.ty, Type::Ptr(_)) && ty.size() == 8 => self.reinterpret(value, ty),
                _ => self.havoc("asm", ty, Vec::new(), span),
            };
            steps.push(self.assign(place, value, span));
        }
        Some(steps)
    }

    pub(super) fn havoc(&self, name: &str, ty: Type, args: Vec<Expr>, span: Span) -> Expr {
        Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty, span)
    }

    /// The value that an expression has here, kept for later.
    pub(super) fn kept(&mut self, value: Expr, steps: &mut Vec<Expr>, span: Span) -> Expr {
        let ty = value.ty.clone();
        let variable = self.declare_hidden(ty.clone(), span);
        let place = Expr::new(ExprKind::Var(variable), ty.clone(), span);
        steps.push(Expr::new(ExprKind::Assign(Box::new(place.clone()), Box::new(value)), ty, span));
        self.value(place)
    }

    /// The text of string literals in a row.
    fn literal_text(&self, node: Node<'t>) -> Option<String> {
        match node.kind() {
            "string_literal" => {
                let text = self.text(node).strip_prefix('"')?.strip_suffix('"')?;
                Some(text.replace("\\n", "\n").replace(['\t', '\r'], " ").replace("\\t", " ").replace("\\r", " "))
            }
            "raw_string_literal" => Some(self.text(node).split_once('(')?.1.rsplit_once(')')?.0.to_owned()),
            "concatenated_string" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
                parts.into_iter().filter(|p| p.kind() != "comment").map(|part| self.literal_text(part)).collect()
            }
            _ => None,
        }
    }

    /// Follows one instruction.
    fn instruction(&mut self, instruction: &Instruction, course: &mut Course, span: Span) -> Option<()> {
        let Instruction { guard, operation, operands } = instruction;
        let words: Vec<&str> = operands.iter().flat_map(|o| names(o)).collect();
        // What is done only by some threads leaves a predicate as it was in others.
        if guard.is_some() && words.iter().any(|word| course.predicates.contains_key(*word)) {
            return None;
        }
        // Inputs are not to be changed.
        let target = operands.first().map_or("", String::as_str);
        let changes = |word: &str| word.strip_prefix('%').and_then(|n| n.parse::<usize>().ok());
        if !target.starts_with('[')
            && !operation.starts_with("nanosleep")
            && names(target).filter_map(changes).any(|at| at >= course.outputs.len())
            && !operation.starts_with("cp.async")
            && !operation.starts_with("bar.")
            && !operation.starts_with("barrier.")
        {
            return None;
        }
        let condition = match guard {
            None => None,
            Some((name, negated)) => course.predicates.get(name).map(|p| (p.clone(), *negated)),
        };
        // What an instruction changes is named first.
        let forget = |course: &mut Course| {
            for word in operands.first().into_iter().flat_map(|o| names(o)) {
                course.predicates.remove(word);
                course.registers.remove(word);
                if let Some(number) = word.strip_prefix('%').and_then(|n| n.parse().ok()) {
                    course.results.remove(&number);
                }
            }
        };
        let mut parts = operation.split('.');
        let mut steps = Vec::new();
        match parts.next().unwrap_or("") {
            "setp" if guard.is_none() => {
                let value = self.comparison(operation, operands, course, span);
                forget(course);
                if let (Some(value), Some(name)) = (value, operands.first()) {
                    course.predicates.insert(name.clone(), value);
                }
                return Some(());
            }
            "mov" | "cvta" | "cvt" if guard.is_none() => {
                let value = self.copy_of_operand(operation, operands, course, span);
                forget(course);
                match (value, target.strip_prefix('%').and_then(|n| n.parse().ok())) {
                    (Some(value), Some(number)) => drop(course.results.insert(number, value)),
                    (Some(value), None) => drop(course.registers.insert(target.to_owned(), value)),
                    (None, _) => {}
                }
                return Some(());
            }
            "membar" | "fence" => {
                let has = |words: &[&str]| operation.split('.').any(|part| words.contains(&part));
                // (Of what comes before it.)
                let wide = has(&["gl", "gpu", "sys"]) && !has(&["acquire", "proxy", "mbarrier_init"]);
                let scope = if wide { Scope::Grid } else { Scope::Block };
                steps.push(self.intrinsic_call(Intrinsic::Fence(scope), vec![], span));
            }
            "trap" if operands.is_empty() => steps.push(self.intrinsic_call(Intrinsic::Trap, vec![], span)),
            "cp" => {
                let name = operation.strip_prefix("cp.async.")?;
                steps.extend(self.copy_instruction(name, operands, course, span)?);
            }
            "ld" | "ldu" | "ldmatrix" | "atom" => {
                let value = self.reading(operation, operands, course, span, &mut steps)?;
                let targets = list(operands.first()?);
                forget(course);
                if let (Some(value), None) = (value, guard) {
                    for (i, target) in targets.iter().enumerate() {
                        let Some(number) = target.strip_prefix('%').and_then(|n| n.parse().ok()) else { continue };
                        let part = match targets.len() {
                            1 => value.clone(),
                            _ => self.member(value.clone(), ["x", "y", "z", "w"].get(i)?, span),
                        };
                        let part = self.value(part);
                        let part = self.kept(part, &mut steps, span);
                        course.results.insert(number, part);
                    }
                }
            }
            "st" | "red" => self.writing(operation, operands, course, span, &mut steps)?,
            // `bar.sync 1, 256` waits for so many threads at the barrier with this number.
            _ if is_block_barrier(operation) && matches!(operands.len(), 1 | 2) && guard.is_none() => {
                let mut numbers = Vec::new();
                for text in operands {
                    numbers.push(operand(text, course, span).filter(|n| matches!(n.ty, Type::Int(_)))?);
                }
                let count = if numbers.len() == 2 { numbers.pop() } else { None };
                let barrier = match operands[0].as_str() {
                    "0" => self.intrinsic_call(Intrinsic::Barrier(Scope::Block), vec![], span),
                    _ => self.intrinsic_call(Intrinsic::NumberedBarrier, numbers, span),
                };
                steps.push(match count {
                    Some(count) => {
                        let size = Expr::new(ExprKind::Builtin(Builtin::BlockSize), Type::UINT, span);
                        let all = self.binary("==", size, count, span);
                        let text = "whether this barrier waits for all threads of the block is not known";
                        let some = Expr::unknown("unknown-order", text, Type::Void, span);
                        let choice = ExprKind::Choose(Box::new(all), Box::new(barrier), Box::new(some));
                        Expr::new(choice, Type::Void, span)
                    }
                    None => barrier,
                });
            }
            "bar" | "barrier" if operation == "bar.warp.sync" && operands.len() == 1 && guard.is_none() => {
                let mask = operand(&operands[0], course, span).filter(|n| matches!(n.ty, Type::Int(_)))?;
                let mask = self.convert(mask, &Type::UINT);
                steps.push(self.intrinsic_call(Intrinsic::Barrier(Scope::Warp), vec![mask], span));
            }
            _ => match barrier(operation, operands) {
                Some(_) if guard.is_some() => return None,
                Some(barrier) => steps.push(Expr::new(ExprKind::Intrinsic(barrier, vec![]), Type::Void, span)),
                None if COMPUTING.contains(&operation.split('.').next().unwrap_or("")) => {
                    forget(course);
                    return Some(());
                }
                None => return None,
            },
        }
        match (guard, condition) {
            (None, _) => course.steps.extend(steps),
            (Some(_), Some((condition, negated))) => {
                let nothing = self.intrinsic_call(Intrinsic::Nothing, vec![], span);
                let last = steps.pop()?;
                let all = Expr { ty: Type::Void, ..self.preceded(steps, last) };
                let (then, els) = if negated { (nothing, all) } else { (all, nothing) };
                let choice = ExprKind::Choose(Box::new(condition), Box::new(then), Box::new(els));
                course.steps.push(Expr::new(choice, Type::Void, span));
            }
            (Some(_), None) => return None,
        }
        Some(())
    }

    /// `setp.lt.s32 p, %1, 4;`
    fn comparison(&mut self, operation: &str, operands: &[String], course: &Course, span: Span) -> Option<Expr> {
        let parts: Vec<&str> = operation.split('.').collect();
        let (["setp", how, ty], [name, left, right]) = (parts.as_slice(), operands) else { return None };
        let sign = match *how {
            "eq" => "==",
            "ne" => "!=",
            "lt" | "lo" => "<",
            "le" | "ls" => "<=",
            "gt" | "hi" => ">",
            "ge" | "hs" => ">=",
            _ => return None,
        };
        let ty @ Type::Int(_) = number_type(ty)? else { return None };
        let value = |body: &mut Self, text: &String| {
            let value = operand(text, course, span).filter(|v| matches!(v.ty, Type::Int(_)))?;
            Some(body.convert(value, &ty))
        };
        let (left, right) = (value(self, left)?, value(self, right)?);
        names(name).eq([name.as_str()]).then(|| self.binary(sign, left, right, span))
    }

    /// What a register has that is a copy of an operand, or its address within shared memory.
    fn copy_of_operand(&mut self, operation: &str, operands: &[String], course: &Course, span: Span) -> Option<Expr> {
        let [_, from] = operands else { return None };
        let value = match self.special_register(from, span) {
            Some(value) => value,
            None => operand(from, course, span)?,
        };
        match operation {
            "mov.u32" | "mov.b32" | "mov.s32" | "cvt.u32.u64" => {
                let is_number = matches!(value.ty, Type::Int(ty) if ty.bits == 32 || operation.starts_with("cvt"));
                is_number.then(|| self.convert(value, &Type::UINT))
            }
            "mov.u64" | "mov.b64" | "mov.s64" => {
                let fits = matches!(value.ty, Type::Ptr(_)) || matches!(value.ty, Type::Int(ty) if ty.bits == 64);
                fits.then_some(value)
            }
            "cvta.to.global.u64" => matches!(value.ty, Type::Ptr(_)).then_some(value),
            "cvta.to.shared.u64" if matches!(value.ty, Type::Ptr(_)) => {
                let address = ExprKind::Intrinsic(Intrinsic::SharedAddress, vec![value]);
                Some(Expr::new(address, Type::Int(IntTy::U64), span))
            }
            _ => None,
        }
    }

    /// `%laneid`, and the sets of the lanes below it.
    fn special_register(&mut self, name: &str, span: Span) -> Option<Expr> {
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let number = |n: i128| Expr::new(ExprKind::Int(n), Type::UINT, span);
        let lane = self.binary("%", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let first = match name.trim().trim_start_matches('%') {
            "laneid" => return Some(lane),
            "lanemask_lt" => 1,
            "lanemask_le" => 2,
            _ => return None,
        };
        let above = self.binary("<<", number(first), lane, span);
        Some(self.binary("-", above, number(1), span))
    }

    /// A load, a read of matrices or an atomic operation with a result: what it does, and what it gives.
    fn reading(
        &mut self,
        operation: &str,
        operands: &[String],
        course: &Course,
        span: Span,
        steps: &mut Vec<Expr>,
    ) -> Option<Option<Expr>> {
        let (name, qualifiers) = operation.split_once('.')?;
        if name == "ldmatrix" {
            let [_, at] = operands else { return None };
            self.rows_of_matrices(qualifiers, at, course, span, steps)?;
            return Some(None);
        }
        let access = access(name, qualifiers)?;
        let value = if name == "atom" {
            let [_, at, values @ ..] = operands else { return None };
            self.atomic_instruction(qualifiers, access, at, values, course, span, steps)?
        } else {
            let [targets, at] = operands else { return None };
            if list(targets).len() != access.lanes {
                return None;
            }
            let ty = several(&access.ty, access.lanes)?;
            let pointer = self.pointer_at(at, access.space.as_deref(), &ty, course, span)?;
            if access.is_strong {
                steps.push(self.intrinsic_call(Intrinsic::PartBarrier, vec![], span));
            }
            let place = self.deref(pointer, span);
            self.value(place)
        };
        Some(Some(self.kept(value, steps, span)))
    }

    /// A store, or an atomic operation without a result.
    fn writing(
        &mut self,
        operation: &str,
        operands: &[String],
        course: &Course,
        span: Span,
        steps: &mut Vec<Expr>,
    ) -> Option<()> {
        let (name, qualifiers) = operation.split_once('.')?;
        let access = access(name, qualifiers)?;
        let [at, values @ ..] = operands else { return None };
        if name == "red" {
            let done = self.atomic_instruction(qualifiers, access, at, values, course, span, steps)?;
            steps.push(done);
            return Some(());
        }
        let [values] = values else { return None };
        let values = list(values);
        if values.len() != access.lanes {
            return None;
        }
        let ty = several(&access.ty, access.lanes)?;
        let pointer = self.pointer_at(at, access.space.as_deref(), &ty, course, span)?;
        if access.is_strong {
            steps.push(self.intrinsic_call(Intrinsic::PartBarrier, vec![], span));
        }
        let mut parts = Vec::new();
        for (i, text) in values.iter().enumerate() {
            let value = operand(text, course, span).filter(|v| is_of_kind(&v.ty, &access.ty));
            let value = match value {
                Some(value) => self.convert(value, &access.ty),
                None => self.havoc("asm", access.ty.clone(), Vec::new(), span),
            };
            parts.push((i as u64 * access.ty.size(), value));
        }
        let value = match (parts.pop(), parts.is_empty()) {
            (Some((_, only)), true) => only,
            (last, _) => {
                parts.extend(last);
                Expr::new(ExprKind::Aggregate(parts), ty, span)
            }
        };
        let place = self.deref(pointer, span);
        steps.push(self.assign(place, value, span));
        Some(())
    }

    /// `atom.global.add.u32` and its like.
    #[expect(clippy::too_many_arguments, reason = "the parts of one instruction")]
    fn atomic_instruction(
        &mut self,
        qualifiers: &str,
        access: Access,
        at: &str,
        values: &[String],
        course: &Course,
        span: Span,
        steps: &mut Vec<Expr>,
    ) -> Option<Expr> {
        let (name, count) = qualifiers.split('.').find_map(|part| {
            Some(match part {
                "add" => ("Add", 1),
                "min" => ("Min", 1),
                "max" => ("Max", 1),
                "inc" => ("Inc", 1),
                "dec" => ("Dec", 1),
                "and" => ("And", 1),
                "or" => ("Or", 1),
                "xor" => ("Xor", 1),
                "exch" => ("Exch", 1),
                "cas" => ("CAS", 2),
                _ => return None,
            })
        })?;
        if values.len() != count || access.lanes != 1 {
            return None;
        }
        let mut args = vec![self.pointer_at(at, access.space.as_deref(), &access.ty, course, span)?];
        for text in values {
            let value = operand(text, course, span).filter(|v| is_of_kind(&v.ty, &access.ty));
            args.push(match value {
                Some(value) => self.convert(value, &access.ty),
                None => self.havoc("asm", access.ty.clone(), Vec::new(), span),
            });
        }
        if access.is_strong {
            steps.push(self.intrinsic_call(Intrinsic::Fence(Scope::Block), vec![], span));
        }
        let atomic = ExprKind::Intrinsic(Intrinsic::Atomic(Name::new(name), access.scope), args);
        Some(Expr::new(atomic, access.ty, span))
    }

    /// `ldmatrix`: each of the first eight threads of a warp for each matrix names a row of 16 bytes.
    fn rows_of_matrices(
        &mut self,
        qualifiers: &str,
        at: &str,
        course: &Course,
        span: Span,
        steps: &mut Vec<Expr>,
    ) -> Option<()> {
        let (mut rows, mut space) = (None, None);
        for part in qualifiers.split('.') {
            match part {
                "x1" => rows = Some(8),
                "x2" => rows = Some(16),
                "x4" => rows = Some(32),
                "shared" | "shared::cta" => space = Some("shared"),
                "sync" | "aligned" | "m8n8" | "trans" | "b16" => {}
                _ => return None,
            }
        }
        let row = several(&Type::UINT, 4)?;
        let pointer = self.pointer_at(at, space, &row, course, span)?;
        let place = self.deref(pointer, span);
        let read = Expr { ty: Type::Void, ..self.value(place) };
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let lane = self.binary("%", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let rows = Expr::new(ExprKind::Int(rows?), Type::UINT, span);
        let names = self.binary("<", lane, rows, span);
        let nothing = self.intrinsic_call(Intrinsic::Nothing, vec![], span);
        let read = ExprKind::Choose(Box::new(names), Box::new(read), Box::new(nothing));
        steps.push(Expr::new(read, Type::Void, span));
        steps.push(self.havoc("ldmatrix_sync", Type::INT, Vec::new(), span));
        Some(())
    }

    /// `[%1 + 16]` as a pointer to a type: an operand that is a pointer, or a number that stands for a place.
    fn pointer_at(&mut self, text: &str, space: Option<&str>, ty: &Type, course: &Course, span: Span) -> Option<Expr> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let (base, by) = inner.split_once('+').unwrap_or((inner, "0"));
        let (base, by) = (operand(base, course, span)?, operand(by, course, span)?);
        let byte = Type::Int(IntTy::U8).ptr();
        let base = match (&base.ty, space) {
            (Type::Ptr(_), None | Some("global")) => self.reinterpret(base, byte.clone()),
            (Type::Int(_), Some("shared")) => {
                Expr::new(ExprKind::Intrinsic(Intrinsic::FromSharedAddress, vec![base]), byte.clone(), span)
            }
            (Type::Int(int), None | Some("global")) if int.bits == 64 => self.reinterpret(base, byte.clone()),
            _ => return None,
        };
        let moved = match fold(&by) {
            Some(0) => base,
            Some(_) => Expr::new(ExprKind::Offset(Box::new(base), Box::new(by)), byte, span),
            None => return None,
        };
        Some(self.convert(moved, &ty.clone().ptr()))
    }

    /// What is left of the name of an instruction after `cp.async.`, and its operands.
    fn copy_instruction(&mut self, name: &str, operands: &[String], course: &Course, span: Span) -> Option<Vec<Expr>> {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let close = self.intrinsic_call(Intrinsic::CloseBatch, vec![], span);
        let wait = |count: Expr| self.intrinsic_call(Intrinsic::WaitForBatches, vec![count], span);
        match (name, operands) {
            ("commit_group", []) => return Some(vec![close]),
            ("wait_all", []) => return Some(vec![close, wait(int(0))]),
            ("wait_group", [count]) => return Some(vec![wait(operand(count, course, span)?)]),
            _ => {}
        }
        let mut parts = name.split('.');
        let shape = [parts.next()?, parts.next()?, parts.next()?];
        if !matches!(shape, ["ca" | "cg", "shared" | "shared::cta", "global"]) {
            return None;
        }
        let rest: Vec<&str> = parts.collect();
        if !rest.iter().all(|part| part.starts_with("L2::")) {
            return None;
        }
        let [to, from, size, others @ ..] = operands else { return None };
        // The last one is a hint for the cache.
        let others = if rest.contains(&"L2::cache_hint") { others.split_last()?.1 } else { others };
        let byte = Type::Int(IntTy::U8);
        let to = self.pointer_at(to, Some("shared"), &byte, course, span)?;
        let from = self.pointer_at(from, Some("global"), &byte, course, span)?;
        let mut args = vec![to, from, operand(size, course, span)?];
        match others {
            [] => {}
            [read] => args.push(operand(read, course, span)?),
            _ => return None,
        }
        Some(vec![self.intrinsic_call(Intrinsic::BeginCopy(Copier::Thread), args, span)])
    }

    /// Constraints and expressions; `None` when one is in memory.
    fn operands(&mut self, node: Node<'t>, list: &str) -> Option<Vec<(String, Expr)>> {
        let Some(list) = node.child_by_field_name(list) else { return Some(Vec::new()) };
        let mut found = Vec::new();
        let mut cursor = list.walk();
        for operand in list.named_children(&mut cursor).collect::<Vec<_>>() {
            let constraint = self.text(operand.child_by_field_name("constraint")?).to_owned();
            if constraint.contains('m') {
                return None;
            }
            let value = self.expr(operand.child_by_field_name("value")?);
            found.push((constraint, value));
        }
        Some(found)
    }
}

/// The instructions of a text, without the braces of blocks. `None` where it is not that.
fn instructions(code: &str) -> Option<Vec<Instruction>> {
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    let mut rest = code.trim();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix(['{', '}', ';']) {
            rest = inner.trim_start();
            continue;
        }
        let (text, after) = rest.split_once(';').unwrap_or((rest, ""));
        // Without a `;` at the end the brace is that of a block.
        let open = text.matches('{').count();
        let text = if text.matches('}').count() > open { text.trim_end().strip_suffix('}')? } else { text };
        rest = after.trim_start();
        found.push(instruction(text.trim())?);
    }
    Some(found)
}

fn instruction(text: &str) -> Option<Instruction> {
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => {
            let (name, rest) = guarded.split_once(char::is_whitespace)?;
            let plain = name.trim_start_matches('!');
            (Some((plain.to_owned(), plain != name)), rest.trim_start())
        }
        None => (None, text),
    };
    let (operation, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut depth = 0usize;
    let operands = operands.split(|c: char| {
        depth = match c {
            '{' | '[' | '(' => depth + 1,
            '}' | ']' | ')' => depth.saturating_sub(1),
            _ => depth,
        };
        c == ',' && depth == 0
    });
    let operands = operands.map(|o| o.trim().to_owned()).filter(|o| !o.is_empty()).collect();
    Some(Instruction { guard, operation: operation.to_owned(), operands })
}

/// The registers and operands that are named in an operand.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '_' | '$' | '.')).filter(|w| !w.is_empty())
}

/// `{a, b}`, or `a`.
fn list(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    inner.split(',').map(|part| part.trim().to_owned()).collect()
}

/// An operand that is an input, a register of which the value is known, or a number.
fn operand(text: &str, course: &Course, span: Span) -> Option<Expr> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix('%') {
        let at = number.parse::<usize>().ok()?.checked_sub(course.outputs.len())?;
        return course.inputs.get(at)?.clone();
    }
    if let Some(known) = course.registers.get(text) {
        return Some(known.clone());
    }
    let number = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None if text.len() > 1 && text.starts_with('0') => return None,
        None => text.parse().ok()?,
    };
    let ty = if i32::try_from(number).is_ok() { Type::INT } else { Type::Int(IntTy::I64) };
    Some(Expr::new(ExprKind::Int(number), ty, span))
}

/// The type of the numbers that an instruction says.
fn number_type(name: &str) -> Option<Type> {
    let int = |bits, signed| Type::Int(IntTy { bits, signed });
    Some(match name {
        "b8" | "u8" => int(8, false),
        "s8" => int(8, true),
        "b16" | "u16" | "f16" | "bf16" => int(16, false),
        "s16" => int(16, true),
        "b32" | "u32" | "f16x2" | "bf16x2" => int(32, false),
        "s32" => int(32, true),
        "b64" | "u64" => int(64, false),
        "s64" => int(64, true),
        "f32" => Type::Float(4),
        "f64" => Type::Float(8),
        _ => return None,
    })
}

/// Can a value of one type be one of the other, bit by bit or but for its length?
fn is_of_kind(of: &Type, ty: &Type) -> bool {
    matches!((of, ty), (Type::Int(_), Type::Int(_))) || of == ty && matches!(ty, Type::Float(_))
}

/// What so many of a type are, one after the other.
fn several(ty: &Type, count: usize) -> Option<Type> {
    let name = match ty {
        _ if count == 1 => return Some(ty.clone()),
        Type::Int(int) => match (int.bits, int.signed) {
            (8, false) => "uchar",
            (8, true) => "char",
            (16, false) => "ushort",
            (16, true) => "short",
            (32, false) => "uint",
            (32, true) => "int",
            (64, false) => "ulonglong",
            _ => "longlong",
        },
        Type::Float(4) => "float",
        Type::Float(8) => "double",
        _ => return None,
    };
    builtins::vector_type(&format!("{name}{count}"))
}

/// What the qualifiers of a memory instruction say; `None`: one of them is not understood.
fn access(name: &str, qualifiers: &str) -> Option<Access> {
    let (of_type, mut rest) = qualifiers.rsplit_once('.').map_or((qualifiers, ""), |(rest, last)| (last, rest));
    let mut found = Access { space: None, ty: number_type(of_type)?, lanes: 1, is_strong: false, scope: Scope::Grid };
    while !rest.is_empty() {
        let (part, after) = rest.split_once('.').unwrap_or((rest, ""));
        rest = after;
        match part {
            "global" => found.space = Some("global".to_owned()),
            "shared" | "shared::cta" => found.space = Some("shared".to_owned()),
            "v2" => found.lanes = 2,
            "v4" => found.lanes = 4,
            "volatile" | "relaxed" | "acquire" | "release" | "acq_rel" | "mmio" => found.is_strong = true,
            "cta" => found.scope = Scope::Block,
            "weak" | "gpu" | "sys" | "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc" => {}
            _ if part.starts_with("L1::") || part.starts_with("L2::") => {
                if part.ends_with("cache_hint") {
                    return None;
                }
            }
            "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor" | "exch" | "cas" | "noftz"
                if matches!(name, "atom" | "red") => {}
            _ => return None,
        }
    }
    Some(found)
}

/// The barriers that are instructions: `bar.sync 0`, and both halves of that of a cluster.
fn barrier(operation: &str, operands: &[String]) -> Option<Intrinsic> {
    if let Some(cluster) = operation.strip_prefix("barrier.cluster.") {
        let (half, qualifiers) = match cluster.split_once('.') {
            Some((half, qualifiers)) => (half, qualifiers.split('.').collect()),
            None => (cluster, Vec::new()),
        };
        let only = |allowed: [&str; 2]| operands.is_empty() && qualifiers.iter().all(|q| allowed.contains(q));
        return match half {
            // A relaxed arrive orders nothing.
            "arrive" if only(["release", "aligned"]) => Some(Intrinsic::Arrive(Scope::Cluster)),
            "wait" if only(["acquire", "aligned"]) => Some(Intrinsic::Wait(Scope::Cluster)),
            _ => None,
        };
    }
    (is_block_barrier(operation) && operands == ["0"]).then_some(Intrinsic::Barrier(Scope::Block))
}

/// The barriers of a block; one that is not aligned may also be reached at several places of the text at once, which is not
/// modelled.
fn is_block_barrier(operation: &str) -> bool {
    let aligned = ["bar.sync", "bar.cta.sync", "barrier.sync.aligned", "barrier.cta.sync.aligned"];
    aligned.contains(&operation) || ["barrier.sync", "barrier.cta.sync"].contains(&operation)
}
