//! The meaning of kernels and closures on small grids, by running them.

use std::collections::BTreeMap;

use crate::base::Name;
use crate::core::semantics::{self, AccessValue, Phase, Thread};
use crate::core::{Closure, Context, Kernel, Protocol};
use crate::exp::{Env, EvalError, eval_b};

/// Steps that the threads of a generated kernel may take together.
pub const BUDGET: u64 = 400_000;

/// The values of the global of the generated kernels.
pub const GLOBALS: [i128; 3] = [0, 1, 2];

const THREADS: usize = 64;

/// The globals of the generated kernels.
pub fn values(g: i128) -> Env<'static> {
    let mut env = Env::new();
    env.set(&Name::new("g"), g);
    env
}

pub fn threads<C>(kernel: &Kernel<C>, values: &Env) -> Result<Vec<Thread>, String> {
    semantics::threads_of(kernel, values, THREADS).map_err(|e| e.to_string())
}

/// The values with the coordinates of a thread.
pub fn values_of<C>(kernel: &Kernel<C>, thread: &Thread, values: &Env<'static>) -> Env<'static> {
    let mut env = values.clone();
    let coordinates = kernel.blocks.iter().chain(&kernel.threads);
    for (coordinate, value) in coordinates.zip(thread.block.iter().chain(&thread.thread)) {
        env.set(&coordinate.var.name, *value);
    }
    env
}

/// The history of all threads, which are to be of one block.
pub fn history<C>(kernel: &Kernel<C>, code: &Protocol, values: &Env) -> Result<Vec<Phase>, String> {
    let threads = threads(kernel, values)?;
    semantics::history(kernel, code, &threads, values, &mut BUDGET.clone()).map_err(|e| e.to_string())
}

/// What a thread does in each of the phases of a closure, by the values of the binders.
pub type Instances = BTreeMap<Vec<i128>, Vec<AccessValue>>;

/// Runs one thread through the phases of a closure.
pub fn closure_of<C>(
    kernel: &Kernel<C>,
    closure: &Closure,
    thread: &Thread,
    values: &Env<'static>,
) -> Result<Instances, String> {
    let code = closure.code.protocol();
    let env = values_of(kernel, thread, values);
    let mut run = ClosureRun { kernel, code, thread, env, budget: BUDGET, key: Vec::new(), all: BTreeMap::new() };
    run.context(&closure.context)?;
    Ok(run.all)
}

struct ClosureRun<'k, C> {
    kernel: &'k Kernel<C>,
    code: Protocol,
    thread: &'k Thread,
    env: Env<'static>,
    budget: u64,
    key: Vec<i128>,
    all: Instances,
}

impl<C> ClosureRun<'_, C> {
    fn context(&mut self, context: &[Context]) -> Result<(), String> {
        match context.split_first() {
            None => {
                let counts = |_: &_, _: &Env| Ok(true);
                let run = semantics::run(self.kernel, &self.code, self.thread, &self.env, &counts, &mut self.budget);
                let phases = run.map_err(|e| e.to_string())?.phases;
                self.all.insert(self.key.clone(), phases.into_iter().flatten().collect());
            }
            Some((Context::Assume(b), rest)) => {
                if eval_b(b, &self.env).map_err(|e| e.to_string())? {
                    self.context(rest)?;
                }
            }
            Some((Context::Bind(range), rest)) => {
                for value in semantics::range_values(range, &self.env).map_err(|e| e.to_string())? {
                    self.key.push(value);
                    self.env.set(&range.var.name, value);
                    self.context(rest)?;
                    self.key.pop();
                }
            }
        }
        Ok(())
    }
}

/// The phases of a closure over all threads; an error when the threads do not agree on which phases there are.
pub fn instances<C>(kernel: &Kernel<C>, closure: &Closure, values: &Env<'static>) -> Result<Vec<Phase>, String> {
    let mut merged: Option<BTreeMap<Vec<i128>, Phase>> = None;
    for thread in threads(kernel, values)? {
        let own = closure_of(kernel, closure, &thread, values)?;
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

/// The phases of all closures.
pub fn all_instances<C>(kernel: &Kernel<C>, closures: &[Closure], values: &Env<'static>) -> Result<Vec<Phase>, String> {
    let mut all = Vec::new();
    for closure in closures {
        all.extend(instances(kernel, closure, values)?);
    }
    Ok(all)
}

/// The phases in which something happens, in a fixed order.
pub fn nonempty(phases: impl IntoIterator<Item = Phase>) -> Vec<Phase> {
    let mut all: Vec<Phase> = phases.into_iter().filter(|p| !p.is_empty()).collect();
    all.sort();
    all
}

/// Is there a loop in the code that has no iteration where it is reached, of those that are `asked` about?
pub fn a_loop_is_empty(code: &Protocol, env: &mut Env, asked: &dyn Fn(&Protocol) -> bool) -> Result<bool, EvalError> {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => Ok(false),
        Protocol::Seq(parts) => {
            for part in parts {
                if a_loop_is_empty(part, env, asked)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Protocol::If(b, t, e) => {
            let branch = if eval_b(b, env)? { t } else { e };
            a_loop_is_empty(branch, env, asked)
        }
        Protocol::For(range, body) => {
            let mut values = semantics::range_values(range, env)?.peekable();
            if asked(body) && values.peek().is_none() {
                return Ok(true);
            }
            for value in values {
                env.set(&range.var.name, value);
                if a_loop_is_empty(body, env, asked)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// Do all synchronised loops run, where they are reached?
pub fn synchronised_loops_run(kernel: &Kernel<Protocol>, values: &Env<'static>) -> Result<bool, String> {
    let threads = threads(kernel, values)?;
    let Some(first) = threads.first() else { return Ok(true) };
    let mut env = values_of(kernel, first, values);
    a_loop_is_empty(&kernel.code, &mut env, &Protocol::synchronises).map(|empty| !empty).map_err(|e| e.to_string())
}
