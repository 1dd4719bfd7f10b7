//! The meaning of kernels and closures on small grids, by running them.

use std::collections::BTreeMap;

use faial_like::base::Name;
use faial_like::core::semantics::{self, AccessValue, Phase, Thread};
use faial_like::core::{Closure, Context, Kernel, Protocol};
use faial_like::exp::{Env, eval_b};

pub const BUDGET: u64 = 200_000;

/// The globals of the generated kernels.
pub fn values(g: i128) -> Env<'static> {
    let mut env = Env::new();
    env.set(&Name::new("g"), g);
    env
}

pub fn threads<C>(kernel: &Kernel<C>, values: &Env) -> Vec<Thread> {
    semantics::threads_of(kernel, values, 64).expect("the grids of the tests are small")
}

/// The history of all threads, which are to be of one block.
pub fn history<C>(kernel: &Kernel<C>, code: &Protocol, values: &Env) -> Result<Vec<Phase>, String> {
    let threads = threads(kernel, values);
    semantics::history(kernel, code, &threads, values, &mut BUDGET.clone()).map_err(|e| e.to_string())
}

/// What a thread does in each of the phases of a closure, by the values of the binders.
pub fn closure_of<C>(
    kernel: &Kernel<C>,
    closure: &Closure,
    thread: &Thread,
    values: &Env,
) -> BTreeMap<Vec<i128>, Vec<AccessValue>> {
    let mut env = values.clone();
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
        env.set(&coordinate.var.name, *value);
    }
    let mut all = BTreeMap::new();
    descend(kernel, closure, &closure.context, thread, &env, &mut Vec::new(), &mut all);
    all
}

fn descend<C>(
    kernel: &Kernel<C>,
    closure: &Closure,
    context: &[Context],
    thread: &Thread,
    env: &Env,
    key: &mut Vec<i128>,
    all: &mut BTreeMap<Vec<i128>, Vec<AccessValue>>,
) {
    let bound = "the terms of a closure have values";
    match context.split_first() {
        None => {
            let code = closure.code.protocol();
            let run = semantics::run(kernel, &code, thread, env, &|_, _| Ok(true), &mut BUDGET.clone()).expect(bound);
            all.insert(key.clone(), run.phases.concat());
        }
        Some((Context::Assume(b), rest)) => {
            if eval_b(b, env).expect(bound) {
                descend(kernel, closure, rest, thread, env, key, all);
            }
        }
        Some((Context::Bind(range), rest)) => {
            for value in semantics::range_values(range, env).expect(bound) {
                key.push(value);
                descend(kernel, closure, rest, thread, &env.with(&range.var.name, value), key, all);
                key.pop();
            }
        }
    }
}

/// The phases of a closure over all threads; an error when the threads do not agree on which phases there are.
pub fn instances<C>(kernel: &Kernel<C>, closure: &Closure, values: &Env) -> Result<Vec<Phase>, String> {
    let mut merged: Option<BTreeMap<Vec<i128>, Phase>> = None;
    for thread in threads(kernel, values) {
        let own = closure_of(kernel, closure, &thread, values);
        match &mut merged {
            None => merged = Some(own.into_iter().map(|(k, v)| (k, v.into_iter().collect())).collect()),
            Some(all) => {
                if !all.keys().eq(own.keys()) {
                    return Err("threads do not agree on the phases of a closure".into());
                }
                all.values_mut().zip(own.into_values()).for_each(|(phase, own)| phase.extend(own));
            }
        }
    }
    Ok(merged.into_iter().flat_map(BTreeMap::into_values).collect())
}

/// The phases in which something happens, in a fixed order.
pub fn nonempty(phases: impl IntoIterator<Item = Phase>) -> Vec<Phase> {
    let mut all: Vec<Phase> = phases.into_iter().filter(|p| !p.is_empty()).collect();
    all.sort();
    all
}
