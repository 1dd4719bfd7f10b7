//! Launches of kernels that the unit does not define.

use std::collections::BTreeMap;

use super::super::lower::{Body, Lower};
use super::super::types::Bindings;
use super::super::unit::{FunDecl, has_child};
use super::places::is_local;
use super::{HostLaunch, launches};
use crate::kernel::types::Type;

/// How a unit launches a kernel that it only declares.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// How many parameters the kernel is declared with; `None` where it is not declared.
    pub parameters: Option<usize>,
    pub launches: Vec<HostLaunch>,
    /// Are these all?
    pub all: bool,
}

/// The kernels that a unit names and does not define, by name. [HOST-LINKED]
pub fn foreign_kernels(lower: &mut Lower) -> BTreeMap<String, Vec<Foreign>> {
    let (unit, names) = (lower.unit, lower.names);
    let mut found: BTreeMap<String, Vec<Foreign>> = BTreeMap::new();
    for (name, overloads) in names.functions.iter().filter(|(name, _)| names.mentions.contains_key(*name)) {
        let (defined, declared): (Vec<&FunDecl>, Vec<&FunDecl>) =
            overloads.iter().filter(|d| d.is_kernel).partition(|d| d.has_body);
        let template = defined.iter().any(|d| d.template.is_some());
        let defined: Vec<Vec<Type>> = defined.iter().map(|d| types(lower, d)).collect();
        for decl in declared {
            let own = types(lower, decl);
            let is_template = decl.template.is_some();
            let is_defined = defined.contains(&own) || template && is_template;
            if !is_defined {
                let (launches, all) = launches(lower, decl, &Bindings::default());
                // Which instance of a template they are of is not asked.
                let all = all && !is_template;
                let parameters = Some(own.len());
                found.entry(name.clone()).or_default().push(Foreign { parameters, launches, all });
            }
        }
    }
    // A header may be missing that declares it.
    for (name, calls) in names.calls.iter().filter(|(name, _)| !names.functions.contains_key(*name)) {
        let launched = calls.iter().filter(|call| has_child(**call, "kernel_call_syntax"));
        let mut callees = launched.filter_map(|call| call.child_by_field_name("function"));
        if callees.any(|callee| callee.kind() != "field_expression" && !is_local(unit, callee)) {
            let unread = Foreign { parameters: None, launches: Vec::new(), all: false };
            found.entry(name.clone()).or_default().push(unread);
        }
    }
    found
}

fn types<'u>(lower: &mut Lower<'u>, decl: &FunDecl<'u>) -> Vec<Type> {
    let mut body = Body::new(lower, Bindings::default());
    body.scope = decl.scope;
    body.parameters(decl).into_iter().map(|(_, ty, _)| ty).collect()
}
