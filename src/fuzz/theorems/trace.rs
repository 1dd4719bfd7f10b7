//! THM-1, last step: a symbolic trace has a race iff its closure has one.

use super::Outcome;
use crate::core::semantics::safe;
use crate::core::{Closure, Kernel, Level, Print, Projection, Protocol, Trace, phases, project};
use crate::fuzz::oracle;

/// The trace of a closure, over all values of its variables, is safe iff the phases of the closure are.
///
/// Source:   \[MAP\] Theorem 1, Figs. 7 and 8; protocol-spec/05-split.md.
pub fn holds(kernel: &Kernel<Protocol>, seq: &dyn Fn(&Projection, &Closure) -> Trace) -> Outcome {
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let traced: Vec<_> = phases(&projection.kernel).into_iter().map(|c| (seq(&projection, &c), c)).collect();
    let (mut racy, mut free) = (false, false);
    for g in oracle::GLOBALS {
        let values = oracle::values(g);
        for (trace, closure) in &traced {
            let direct = safe(&oracle::instances(kernel, closure, &values)?, Level::Block);
            let history = trace.history(&values).map_err(|e| e.to_string())?;
            let history: Vec<_> = history.into_iter().map(|p| p.into_iter().collect()).collect();
            let safe = safe(&history, Level::Block);
            if safe != direct {
                let text = kernel.with_code(vec![trace.clone()]).text();
                return Err(format!("g = {g}: the closure is safe: {direct}; its trace: {safe}\n{text}"));
            }
            racy |= !direct;
            free |= direct && history.iter().any(|phase| !phase.is_empty());
        }
    }
    Ok(vec![("racy", racy), ("race-free with accesses", free)])
}
