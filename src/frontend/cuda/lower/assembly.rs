//! Inline assembly: instructions that compute, and barriers. Any other may touch memory, and is not modelled.

use super::*;

/// Instructions that touch no memory and wait for nobody; fences and hints order or move nothing that the analysis sees.
const COMPUTING: [&str; 76] = [
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
    "fence",
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
    "membar",
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

impl<'l, 't> Body<'l, 't> {
    fn unknown_assembly(&self, span: Span) -> Expr {
        Expr::unknown("unknown-order", "inline assembly is not supported", Type::Unknown(Arc::from("?")), span)
    }

    pub(super) fn assembly(&mut self, node: Node<'t>, span: Span) -> Expr {
        let Some(code) = node.child_by_field_name("assembly_code") else {
            return self.unknown_assembly(span);
        };
        let code = self.text(code).replace("\\n", " ").replace("\\t", " ").replace('"', " ");
        let instructions: Vec<&str> = code.split(';').flat_map(|i| i.split(['{', '}'])).map(str::trim).collect();
        let instructions: Vec<&str> = instructions.into_iter().filter(|i| !i.is_empty()).collect();
        let barriers = instructions.iter().map(|i| barrier(i)).collect::<Option<Vec<_>>>();
        let barriers = barriers.filter(|list| !list.is_empty());
        let jumps = node.child_by_field_name("goto_labels").is_some();
        if !jumps && let Some(copies) = self.copies(node, &instructions, span) {
            return copies;
        }
        if jumps || (barriers.is_none() && !instructions.iter().all(|i| computes(i))) {
            return self.unknown_assembly(span);
        }
        let (Some(outputs), Some(inputs)) =
            (self.operands(node, "output_operands"), self.operands(node, "input_operands"))
        else {
            return self.unknown_assembly(span);
        };
        // What is computed is not known: all that is, is what it is computed from, which is evaluated before.
        let inputs: Vec<Expr> = inputs.into_iter().map(|(_, e)| self.value(e)).collect();
        let result = |ty: Type, args: Vec<Expr>| {
            Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new("asm")), args), ty, span)
        };
        let barriers = barriers.into_iter().flatten();
        let mut all: Vec<Expr> =
            barriers.map(|b| Expr::new(ExprKind::Intrinsic(b, vec![]), Type::Void, span)).collect();
        if !inputs.is_empty() || all.is_empty() {
            all.insert(0, result(Type::INT, inputs));
        }
        for (constraint, place) in outputs {
            let mut args = Vec::new();
            if constraint.contains('+') {
                args.push(self.value(place.clone()));
            }
            let value = result(place.ty.value().clone(), args);
            all.push(self.assign(place, value, span));
        }
        let last = all.pop().unwrap_or_else(|| result(Type::INT, Vec::new()));
        self.preceded(all, last)
    }

    /// Instructions that copy in the background, or wait for such copies, and the address of a place within shared memory.
    /// `None`: there are none, or others that may touch memory.
    fn copies(&mut self, node: Node<'t>, instructions: &[&str], span: Span) -> Option<Expr> {
        let about = |i: &&str| i.contains("cp.async.") || i.starts_with("cvta.to.shared.u64");
        if !instructions.iter().any(about) || !instructions.iter().all(|i| about(i) || computes(i)) {
            return None;
        }
        let outputs = self.operands(node, "output_operands")?;
        let inputs = self.operands(node, "input_operands")?;
        if let ([(_, place)], [(_, pointer)]) = (outputs.as_slice(), inputs.as_slice()) {
            // `cvta.to.shared.u64 r, %1; cvt.u32.u64 %0, r;`
            let steps: Vec<&str> = instructions.iter().filter(|i| !i.starts_with(".reg")).copied().collect();
            let [cvta, rest @ ..] = steps.as_slice() else { return None };
            let (to, of) = cvta.strip_prefix("cvta.to.shared.u64")?.split_once(',')?;
            let result = match rest {
                [] => to.trim(),
                [cvt] => {
                    let (result, from) = cvt.strip_prefix("cvt.u32.u64")?.split_once(',')?;
                    (from.trim() == to.trim()).then_some(result.trim())?
                }
                _ => return None,
            };
            if (result, of.trim()) != ("%0", "%1") {
                return None;
            }
            let pointer = self.value(pointer.clone());
            let address = ExprKind::Intrinsic(Intrinsic::SharedAddress, vec![pointer]);
            let address = Expr::new(address, Type::Int(IntTy::U64), span);
            let address = self.convert(address, place.ty.value());
            return Some(self.assign(place.clone(), address, span));
        }
        if !outputs.is_empty() {
            return None;
        }
        let inputs: Vec<Expr> = inputs.into_iter().map(|(_, e)| self.value(e)).collect();
        let mut predicates: HashMap<&str, Expr> = HashMap::new();
        let mut declared: HashSet<&str> = HashSet::new();
        let mut all = Vec::new();
        for instruction in instructions {
            let (predicate, code) = match instruction.strip_prefix('@') {
                Some(rest) => rest.split_once(char::is_whitespace).map(|(p, rest)| (Some(p), rest.trim()))?,
                None => (None, *instruction),
            };
            let (operation, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
            // One that is declared again hides the first, as long as its block goes on.
            if operation == ".reg"
                && !operands.split([',', ' ']).filter(|name| !name.is_empty()).all(|n| declared.insert(n))
            {
                return None;
            }
            let operands: Vec<&str> = operands.split(',').map(str::trim).filter(|o| !o.is_empty()).collect();
            // What is done only by some threads leaves a predicate as it was in others.
            if predicate.is_some() && operands.iter().any(|operand| predicates.contains_key(operand)) {
                return None;
            }
            if let ("setp.ne.b32" | "setp.ne.s32" | "setp.ne.u32", [name, of, "0"]) = (operation, operands.as_slice()) {
                let value = operand(of, &inputs, span)?;
                predicates.insert(name, self.truth(value));
                continue;
            }
            let Some(operation) = operation.strip_prefix("cp.async.") else {
                if !computes(code) {
                    return None;
                }
                // What it computes is in a register that no copy is given, unless it is a predicate.
                predicates.retain(|name, _| !operands.contains(name));
                continue;
            };
            let steps = self.copy_instruction(operation, &operands, &inputs, span)?;
            for step in steps {
                all.push(match predicate {
                    None => step,
                    Some(name) => {
                        let (name, negated) = name.strip_prefix('!').map_or((name, false), |name| (name, true));
                        let cond = predicates.get(name)?.clone();
                        let nothing = self.intrinsic_call(Intrinsic::Nothing, vec![], span);
                        let (then, els) = if negated { (nothing, step) } else { (step, nothing) };
                        let choice = ExprKind::Choose(Box::new(cond), Box::new(then), Box::new(els));
                        Expr::new(choice, Type::Void, span)
                    }
                });
            }
        }
        let last = all.pop()?;
        Some(self.preceded(all, last))
    }

    /// What is left of the name of an instruction after `cp.async.`, and its operands.
    fn copy_instruction(&self, name: &str, operands: &[&str], inputs: &[Expr], span: Span) -> Option<Vec<Expr>> {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let close = || self.intrinsic_call(Intrinsic::CloseBatch, vec![], span);
        let wait = |count: Expr| self.intrinsic_call(Intrinsic::WaitForBatches, vec![count], span);
        match (name, operands) {
            ("commit_group", []) => return Some(vec![close()]),
            ("wait_all", []) => return Some(vec![close(), wait(int(0))]),
            ("wait_group", [count]) => return Some(vec![wait(operand(count, inputs, span)?)]),
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
        let to = address(to, inputs, span)?;
        let to = Expr::new(ExprKind::Intrinsic(Intrinsic::FromSharedAddress, vec![to]), byte.clone().ptr(), span);
        let from = operand(from.strip_prefix('[')?.strip_suffix(']')?, inputs, span)?;
        let from = if matches!(from.ty, Type::Ptr(_)) { from } else { return None };
        let mut args = vec![to, from, operand(size, inputs, span)?];
        match others {
            [] => {}
            [read] => args.push(operand(read, inputs, span)?),
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

/// `%1`, or a number.
fn operand(text: &str, inputs: &[Expr], span: Span) -> Option<Expr> {
    let text = text.trim();
    match text.strip_prefix('%') {
        Some(number) => inputs.get(number.parse::<usize>().ok()?).cloned(),
        None => Some(Expr::new(ExprKind::Int(text.parse().ok()?), Type::INT, span)),
    }
}

/// `[%1]` or `[%1 + 16]`.
fn address(text: &str, inputs: &[Expr], span: Span) -> Option<Expr> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (base, by) = inner.split_once('+').unwrap_or((inner, "0"));
    let (base, by) = (operand(base, inputs, span)?, by.trim().parse::<i128>().ok()?);
    let ty = base.ty.clone();
    match (&ty, by) {
        (_, 0) => Some(base),
        (Type::Int(int), _) => {
            let by = Expr::new(ExprKind::Int(by), ty.clone(), span);
            Some(Expr::new(ExprKind::Arith(NBin::Add, *int, Box::new(base), Box::new(by)), ty.clone(), span))
        }
        _ => None,
    }
}

/// The barriers that are instructions: `bar.sync 0`, and both halves of that of a cluster.
fn barrier(instruction: &str) -> Option<Intrinsic> {
    if let Some(cluster) = instruction.strip_prefix("barrier.cluster.") {
        let (half, qualifiers) = match cluster.split_once('.') {
            Some((half, qualifiers)) => (half, qualifiers.split('.').collect()),
            None => (cluster, Vec::new()),
        };
        let only = |allowed: [&str; 2]| qualifiers.iter().all(|q| allowed.contains(q));
        return match half {
            // A relaxed arrive orders nothing.
            "arrive" if only(["release", "aligned"]) => Some(Intrinsic::ClusterArrive),
            "wait" if only(["acquire", "aligned"]) => Some(Intrinsic::ClusterWait),
            _ => None,
        };
    }
    let (operation, operand) = instruction.split_once(char::is_whitespace)?;
    let whole = ["bar.sync", "bar.cta.sync", "barrier.sync.aligned", "barrier.cta.sync.aligned"].contains(&operation);
    (whole && operand.trim() == "0").then_some(Intrinsic::Barrier(Scope::Block))
}

/// Is this an instruction that only computes, or a declaration of registers?
fn computes(instruction: &str) -> bool {
    let rest = match instruction.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()),
        None => instruction,
    };
    let operation = rest.split(char::is_whitespace).next().unwrap_or("");
    operation == ".reg" || COMPUTING.contains(&operation.split('.').next().unwrap_or(""))
}
