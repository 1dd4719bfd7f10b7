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
    pub(super) fn assembly(&mut self, node: Node<'t>, span: Span) -> Expr {
        let Some(code) = node.child_by_field_name("assembly_code") else {
            return self.unknown(node, "inline assembly");
        };
        let code = self.text(code).replace("\\n", " ").replace("\\t", " ").replace('"', " ");
        let instructions: Vec<&str> = code.split(';').flat_map(|i| i.split(['{', '}'])).map(str::trim).collect();
        let instructions: Vec<&str> = instructions.into_iter().filter(|i| !i.is_empty()).collect();
        let barriers = instructions.iter().map(|i| barrier(i)).collect::<Option<Vec<_>>>();
        let barriers = barriers.filter(|list| !list.is_empty());
        let jumps = node.child_by_field_name("goto_labels").is_some();
        if jumps || (barriers.is_none() && !instructions.iter().all(|i| computes(i))) {
            return self.unknown(node, "inline assembly");
        }
        let (Some(outputs), Some(inputs)) =
            (self.operands(node, "output_operands"), self.operands(node, "input_operands"))
        else {
            return self.unknown(node, "inline assembly");
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
