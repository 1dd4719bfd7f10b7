//! Annotations in comments: where they belong, and which conditions they may state.
//!
//! `//@ assume c` between two statements becomes a statement there; `//@ requires c` in front of a kernel, or at the head
//! of its body, becomes the first statement of it. Anywhere else an annotation is a problem, and changes nothing.

use tree_sitter::Node;

use super::unit::{ScopeId, Unit, parse};
use crate::base::Span;
use crate::frontend::preprocess::{Annotation, Clause};
use crate::kernel::ir::{Expr, ExprKind, Intrinsic};

/// The functions that conditions are handed to.
pub const ASSUME: &str = "__faial_assume";
pub const ASSERT: &str = "__faial_assert";

/// Something that is wrong with an annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub at: Span,
    pub text: String,
}

/// A statement to be put into a text.
pub struct Inserted {
    /// A byte of the text without any of them.
    pub at: usize,
    pub text: String,
    pub span: Span,
}

/// The statements that annotations stand for, by ascending position.
pub fn statements(unit: &Unit, annotations: &[Annotation]) -> (Vec<Inserted>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for annotation in annotations {
        let function = if annotation.clause == Clause::Assert { ASSERT } else { ASSUME };
        let text = format!(" {function}({});", annotation.condition);
        let place = if is_condition(&text) {
            place(unit, annotation)
        } else {
            Err("this is not a condition: an expression of C is expected")
        };
        match place {
            Ok(at) => found.push(Inserted { at, text, span: annotation.at }),
            Err(why) => problems.push(Problem { at: annotation.at, text: why.to_owned() }),
        }
    }
    found.sort_by_key(|i| i.at);
    (found, problems)
}

/// Is this, alone in a function, one call with one argument?
fn is_condition(statement: &str) -> bool {
    let Some(tree) = parse(&format!("void f() {{{statement}\n}}")) else { return false };
    let root = tree.root_node();
    let only = |node: Node, kind: &str| -> bool { node.named_child_count() == 1 && node.kind() == kind };
    let inside = || {
        let body = root.named_child(0)?.child_by_field_name("body")?;
        let statement = body.named_child(0).filter(|_| only(body, "compound_statement"))?;
        let call = statement.named_child(0).filter(|_| only(statement, "expression_statement"))?;
        let arguments = call.child_by_field_name("arguments").filter(|_| call.kind() == "call_expression")?;
        Some(only(arguments, "argument_list"))
    };
    !root.has_error() && only(root, "translation_unit") && inside() == Some(true)
}

fn place(unit: &Unit, annotation: &Annotation) -> Result<usize, &'static str> {
    let from = unit.forth(annotation.offset);
    let rest = unit.text.get(from..).unwrap_or("");
    let at = from + (rest.len() - rest.trim_start().len());
    let mut around = unit.tree.root_node();
    while let Some(child) = around.first_child_for_byte(at).filter(|c| c.start_byte() < at && at < c.end_byte()) {
        around = child;
    }
    match annotation.clause {
        Clause::Requires => head(unit, around, at).map(|body| unit.back(body.start_byte() + 1)).ok_or(
            "`requires` stands in front of a kernel or at the head of its body; `assume` stands between statements",
        ),
        Clause::Assume | Clause::Assert => {
            // In front of the first label of a switch nothing is run.
            let is_switch = around.parent().is_some_and(|p| p.kind() == "switch_statement");
            if around.kind() == "compound_statement" && !is_switch {
                Ok(annotation.offset)
            } else {
                Err("`assume` and `assert` stand between the statements of a block `{ .. }`")
            }
        }
    }
}

/// The body of the kernel whose head is at a place inside of a node.
fn head<'t>(unit: &'t Unit, around: Node<'t>, at: usize) -> Option<Node<'t>> {
    let body_of = |node: Node<'t>| {
        let is_kernel = unit.function(node, None, None, ScopeId(0)).is_some_and(|f| f.is_kernel);
        node.child_by_field_name("body").filter(|b| is_kernel && b.kind() == "compound_statement")
    };
    let mut node = around;
    loop {
        match node.kind() {
            "function_definition" => return body_of(node).filter(|body| at <= body.start_byte()),
            "compound_statement" => {
                let first = node.named_child(0);
                let is_first = first.is_none_or(|first| at <= first.start_byte());
                let body = node.parent().filter(|p| p.kind() == "function_definition").and_then(body_of);
                return body.filter(|body| is_first && *body == node);
            }
            "translation_unit" | "declaration_list" | "template_declaration" => {
                let mut next = node.first_child_for_byte(at).filter(|next| next.start_byte() == at)?;
                while next.kind() == "template_declaration" {
                    next = super::unit::last_named(next)?;
                }
                return body_of(next).filter(|_| next.kind() == "function_definition");
            }
            _ => node = node.parent()?,
        }
    }
}

/// Why the arguments of a function for conditions do not state one: it has to have a meaning, and no effect.
pub fn refused(function: &str, args: &[Expr]) -> Option<String> {
    match function {
        ASSUME | ASSERT => args.iter().find_map(effect),
        _ => None,
    }
}

fn effect(expr: &Expr) -> Option<String> {
    let all = |list: &[&Expr]| list.iter().find_map(|e| effect(e));
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Int(_)
        | ExprKind::Constant(_)
        | ExprKind::Builtin(_)
        | ExprKind::Hole => None,
        ExprKind::Deref(a)
        | ExprKind::Member(a, ..)
        | ExprKind::Temporary(a)
        | ExprKind::Load(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Not(a)
        | ExprKind::Convert(a) => effect(a),
        ExprKind::Element(a, b)
        | ExprKind::Arith(_, _, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Offset(a, b)
        | ExprKind::Distance(a, b) => all(&[a, b]),
        ExprKind::Choose(a, b, c) => all(&[a, b, c]),
        ExprKind::Opaque(_, list) => list.iter().find_map(effect),
        ExprKind::Aggregate(parts) => parts.iter().find_map(|(_, e)| effect(e)),
        ExprKind::Intrinsic(
            Intrinsic::Pure(..)
            | Intrinsic::Min(_)
            | Intrinsic::Max(_)
            | Intrinsic::ReadThrough
            | Intrinsic::UniformInt
            | Intrinsic::DistinctInt
            | Intrinsic::OtherInt
            | Intrinsic::Enabled
            | Intrinsic::Implies,
            args,
        ) => args.iter().find_map(effect),
        ExprKind::Assign(..) | ExprKind::Update { .. } => Some("a condition must not change a variable".to_owned()),
        ExprKind::Unknown(unknown) => Some(unknown.text.clone()),
        ExprKind::CallUnknown(name, _) => Some(format!("`{name}` may have effects: a condition must not call it")),
        ExprKind::Function(_)
        | ExprKind::Call(..)
        | ExprKind::CallValue(..)
        | ExprKind::Intrinsic(..)
        | ExprKind::Comma(..) => Some("a condition must not call functions that may have effects".to_owned()),
    }
}
