//! A compiler reads a source twice: for the device, and for the host, where `__CUDA_ARCH__` is not defined. [HOST-PASS]

use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::unit::{Unit, declared_name, each_named, last_named};
use crate::base::{SourceMap, Span};
use crate::frontend::preprocess::Expanded;

/// What one of the compilers reads.
pub struct Pass<'e> {
    pub expanded: &'e Expanded,
    pub sources: &'e SourceMap,
}

/// Where a word is spelled, and where it is used: that of a macro stands in each of its uses.
type Place<'e> = [(&'e Path, u32, u32); 2];

/// Where code for the host is written that only one of the two reads; nothing where the two differ, if at all, inside of
/// functions for the device alone, and of functions that no code for the host names.
///
/// Shape:    `parse` makes units of the two texts; which of the two has it, and where it is written.
pub fn host_differs(
    passes: [Pass; 2],
    parse: &dyn for<'t> Fn(&'t Expanded) -> Option<Unit<'t>>,
) -> Option<(usize, Span)> {
    if passes[0].expanded.text == passes[1].expanded.text {
        return None;
    }
    let read = passes.each_ref().map(words);
    for (pass, other) in [(0, 1), (1, 0)] {
        let expanded = passes[pass].expanded;
        let differing = |(place, all): (&Place, &Vec<Range<usize>>)| {
            let text = |expanded: &Expanded, all: &[Range<usize>]| -> Vec<String> {
                all.iter().map(|at| expanded.text[at.clone()].to_owned()).collect()
            };
            let there = read[other].get(place).map(|all| text(passes[other].expanded, all));
            there != Some(text(expanded, all))
        };
        let mut found: Vec<Range<usize>> =
            read[pass].iter().filter(|word| differing(*word)).flat_map(|(_, all)| all.iter().cloned()).collect();
        found.sort_by_key(|at| at.start);
        if found.is_empty() {
            continue;
        }
        let Some(unit) = parse(expanded) else { return Some((pass, span_of(expanded, &found[0]))) };
        let mut checked: Option<Range<usize>> = None;
        for at in found {
            let start = unit.forth(at.start);
            if checked.as_ref().is_some_and(|done| done.contains(&start)) {
                continue;
            }
            match device_code_around(&unit, start) {
                Some(function) => checked = Some(function.byte_range()),
                None => return Some((pass, span_of(expanded, &at))),
            }
        }
    }
    None
}

fn span_of(expanded: &Expanded, at: &Range<usize>) -> Span {
    expanded.origins.origin(at.start, at.end).span
}

/// The words and marks of a text, by where they are spelled and used.
fn words<'e>(pass: &Pass<'e>) -> FxHashMap<Place<'e>, Vec<Range<usize>>> {
    let text = pass.expanded.text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 128;
    let mut all: FxHashMap<Place, Vec<Range<usize>>> = FxHashMap::default();
    let mut at = 0;
    while let Some(first) = text.get(at) {
        let start = at;
        at += 1;
        if first.is_ascii_whitespace() {
            continue;
        }
        while is_word(*first) && text.get(at).is_some_and(|b| is_word(*b)) {
            at += 1;
        }
        let origin = pass.expanded.origins.origin(start, at);
        let place = [origin.spelled, origin.span].map(|at| (pass.sources.path(at.file), at.start, at.end));
        all.entry(place).or_default().push(start..at);
    }
    all
}

/// The function for the device alone around a place, or one for both that no code for the host names, or that only stops the
/// program.
fn device_code_around<'t>(unit: &'t Unit, at: usize) -> Option<Node<'t>> {
    let mut node = unit.tree.root_node().descendant_for_byte_range(at, at + 1);
    while let Some(here) = node {
        let is_function = here.kind() == "function_definition";
        let quiet = |unit| !is_named_on_host(unit, here) || only_stops(unit, here, at) || says_nothing(unit, here, at);
        if is_function && (is_for_device(unit, here) || is_for_both(unit, here) && quiet(unit)) {
            return Some(here);
        }
        if here.kind() == "declaration" && is_for_device(unit, here) && has_parameters(here) {
            return Some(here);
        }
        // The head of a template is a part of what it is one of.
        if here.kind() == "template_declaration"
            && let Some(of) = last_named(here)
            && (of.kind() == "function_definition" || of.kind() == "declaration" && has_parameters(of))
            && is_for_device(unit, of)
        {
            return Some(here);
        }
        node = here.parent();
    }
    None
}

fn has_parameters(declaration: Node) -> bool {
    let mut found = false;
    each_named(declaration, |n| found |= n.kind() == "function_declarator");
    found
}

/// What stands in front of the name.
fn head<'t>(unit: &'t Unit, function: Node) -> &'t str {
    let end = function.child_by_field_name("declarator").map_or(function.end_byte(), |d| d.start_byte());
    &unit.text[function.start_byte()..end]
}

fn is_for_device(unit: &Unit, function: Node) -> bool {
    let head = head(unit, function);
    !head.contains("__host__") && (head.contains("__device__") || head.contains("__global__"))
}

fn is_for_both(unit: &Unit, function: Node) -> bool {
    let head = head(unit, function);
    head.contains("__host__") && head.contains("__device__")
}

/// Does a function give nothing and change nothing, so that its body matters at most where it does not return? What never returns
/// (`abort`) says more to those who call it. [HOST-FACT]
fn only_stops(unit: &Unit, function: Node, at: usize) -> bool {
    let result = function.child_by_field_name("type").map(|ty| unit.str(ty));
    let declarator = function.child_by_field_name("declarator");
    let parameters = declarator.and_then(|d| d.child_by_field_name("parameters")).map(|list| unit.str(list));
    let is_given = result == Some("void") && parameters.is_some_and(|list| !list.contains(['&', '*', '[']));
    let body = function.child_by_field_name("body").filter(|body| body.byte_range().contains(&at));
    is_given && body.is_some_and(|body| is_quiet(unit, body))
}

/// Is what stands there a statement of the body that prints or stops the program, if it does anything? What it says of its
/// function is not used where that function is one for both.
fn says_nothing(unit: &Unit, function: Node, at: usize) -> bool {
    let Some(body) = function.child_by_field_name("body").filter(|body| !unit.str(*body).contains("<<<")) else {
        return false;
    };
    let mut cursor = body.walk();
    let statement = body.named_children(&mut cursor).find(|statement| statement.byte_range().contains(&at));
    let is_alone =
        |statement: &Node| matches!(statement.kind(), "expression_statement" | "if_statement" | "do_statement");
    statement.filter(is_alone).is_some_and(|statement| {
        let mut leaves = false;
        let ways = ["return_statement", "goto_statement", "break_statement", "continue_statement", "labeled_statement"];
        each_named(statement, |n| leaves |= ways.contains(&n.kind()));
        !leaves && is_quiet(unit, statement)
    })
}

/// Does this do nothing but print, or stop the program?
fn is_quiet(unit: &Unit, body: Node) -> bool {
    const CALLED: [&str; 6] = ["printf", "fprintf", "puts", "assert", "__trap", "cudaGetErrorString"];
    let mut quiet = true;
    each_named(body, |n| {
        let changes =
            ["assignment_expression", "update_expression", "new_expression", "delete_expression", "asm_expression"];
        let callee = n.child_by_field_name("function").map(|f| unit.str(f)).filter(|_| n.kind() == "call_expression");
        let is_known = callee
            .map(|f| f.trim_start_matches("std::").trim_start_matches("::"))
            .is_none_or(|f| CALLED.contains(&f) || f.ends_with("_error") || f.ends_with("exception"));
        // Constructors, destructors and operators of the program may do anything.
        let is_plain = |ty: Node| {
            let ty = if ty.kind() == "type_descriptor" { ty.child_by_field_name("type").unwrap_or(ty) } else { ty };
            matches!(ty.kind(), "primitive_type" | "sized_type_specifier" | "placeholder_type_specifier")
        };
        let is_object = matches!(n.kind(), "declaration" | "cast_expression")
            && !n.child_by_field_name("type").is_some_and(is_plain)
            || n.kind() == "compound_literal_expression";
        let shifts = n.child_by_field_name("operator").is_some_and(|o| matches!(unit.str(o), "<<" | ">>"))
            && !unit.str(n).starts_with("std::c");
        quiet &= is_known && !is_object && !shifts;
        quiet &= !changes.contains(&n.kind()) && !n.is_error() && !n.kind().contains("kernel_call");
    });
    quiet && !unit.str(body).contains("<<<")
}

/// Does code outside of functions for the device alone, and of this one, have its name?
fn is_named_on_host(unit: &Unit, function: Node) -> bool {
    let declared = function.child_by_field_name("declarator").and_then(declared_name);
    let name = declared.map(|name| unit.str(name)).and_then(|name| name.rsplit("::").next());
    let is_plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let Some(name) = name.filter(is_plain) else { return true };
    let mut named = false;
    each_named(unit.tree.root_node(), |n| {
        let is_it = matches!(n.kind(), "identifier" | "field_identifier" | "type_identifier") && unit.str(n) == name;
        if !is_it || named || function.byte_range().contains(&n.start_byte()) {
            return;
        }
        let mut around = n.parent();
        while let Some(here) = around {
            if here.kind() == "function_definition" && is_for_device(unit, here) {
                return;
            }
            around = here.parent();
        }
        named = true;
    });
    named
}
