//! What is asked of the solver beside races: the variables of a question, and whether there is a thread at all.

use std::collections::BTreeSet;

use crate::core::scope::cluster_sizes;
use crate::core::{Kernel, Protocol};
use crate::exp::{B, Interval, N, Var, free_vars_b};
use crate::smt::Query;

/// These conditions, each variable within its type.
pub(super) fn question(asserts: Vec<B>) -> Query {
    Query::new(declared(&asserts), asserts)
}

/// The variables of conditions, each within its type. The columns of a race formula that are indices, and counters of
/// iterations, are within what a 64-bit machine can address or count.
fn declared(asserts: &[B]) -> Vec<(Var, Interval)> {
    let vars: BTreeSet<Var> = asserts.iter().flat_map(free_vars_b).collect();
    let bounded = |v: &Var| {
        let stem = v.name.as_str().split(['!', '$']).next().unwrap_or("");
        v.ty.bits == 0
            && (matches!(stem, "at" | "site" | "kind" | "width" | "valued" | "rank") || v.name.as_str().contains("!k"))
    };
    vars.into_iter()
        .map(|v| {
            let interval = if bounded(&v) {
                Interval::new(-(1 << 62), 1 << 62)
            } else if v.ty.bits == 0 && v.name.as_str().starts_with("value") {
                // Of the column of stored values: wide enough for every type. `array` notices when it is not.
                Interval::new(-(1 << 90), 1 << 90)
            } else {
                Interval::of_type(v.ty)
            };
            (v, interval)
        })
        .collect()
}

/// Is there a thread under the conditions of the kernel?
pub(super) fn some_thread(kernel: &Kernel<Protocol>) -> Query {
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    let zero = N::num(0);
    let mut asserts: Vec<B> = coordinates
        .flat_map(|c| {
            let x = N::var(&c.var);
            [zero.le(&x), x.lt(&c.extent)]
        })
        .collect();
    asserts.extend(cluster_sizes(kernel));
    asserts.push(kernel.pre.clone());
    question(asserts)
}
