//! THM-1, last step: a symbolic trace has a race iff its closure has one.

use super::Outcome;
use super::scopes::Reduced;
use crate::core::semantics::AccessValue;
use crate::core::{Closure, Kernel, Print, Projection, Protocol, Trace, levels, phases, project};
use crate::fuzz::kernels::WARP;
use crate::fuzz::oracle;

/// At every level in use: the trace of a closure, over all values of its variables, is safe iff no two threads that meet
/// at the level race in a phase of the closure.
///
/// Source:   \[MAP\] Theorem 1, Figs. 7 and 8; protocol-spec/05-split.md. Warps with masks are left out: the lanes of the two
///           threads are not variables of a trace.
pub fn holds(kernel: &Kernel<Protocol>, seq: &dyn Fn(&Projection, &Closure) -> Trace) -> Outcome {
    let (mut racy, mut free) = (false, false);
    let in_use = levels(kernel);
    for level in &in_use {
        let projection = project(kernel, *level, &in_use, WARP);
        if projection.lanes.is_some() {
            continue;
        }
        let closures = phases(&projection.kernel);
        let traces: Vec<Trace> = closures.iter().map(|closure| seq(&projection, closure)).collect();
        for g in oracle::GLOBALS {
            let values = oracle::values(g);
            let races = Reduced::new(&projection, &closures, &values).racy_closures()?;
            for (trace, races) in traces.iter().zip(races) {
                let history = trace.history(&values).map_err(|e| e.to_string())?;
                let racy_phase = |p: &Vec<AccessValue>| p.iter().any(|a| p.iter().any(|b| a.races(b, *level)));
                let found = history.iter().any(racy_phase);
                if found != races {
                    let text = projection.kernel.with_code(vec![trace.clone()]).text();
                    return Err(format!(
                        "g = {g}, {level:?}: the closure has a race: {races}; its trace: {found}\n{text}"
                    ));
                }
                racy |= races;
                free |= !races && history.iter().any(|phase| !phase.is_empty());
            }
        }
    }
    Ok(vec![("racy", racy), ("race-free with accesses", free)])
}
