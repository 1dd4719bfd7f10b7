//! THM-1, first step: aligning keeps the history.

use super::{Outcome, admitted};
use crate::core::semantics::safe;
use crate::core::{Alignment, Kernel, Level, Print, Protocol, WellFormed};
use crate::fuzz::oracle;

/// For a protocol of the paper's language W: `align(p) = (a, u)` implies that `a; u` has the history of p.
///
/// Source:   \[MAP\] Theorem 1; protocol-spec/04-align.md.
pub fn holds(kernel: &Kernel<Protocol>, align: &dyn Fn(&WellFormed) -> Alignment) -> Outcome {
    let alignment = align(&admitted(kernel)?.code);
    let code = alignment.protocol();
    let (mut racy, mut free) = (false, false);
    for g in oracle::GLOBALS {
        let values = oracle::values(g);
        let history = oracle::history(kernel, &kernel.code, &values)?;
        if history != oracle::history(kernel, &code, &values)? {
            return Err(format!("g = {g}: aligned, the code has another history\n{}", kernel.with_code(code).text()));
        }
        let safe = safe(&history, Level::Block);
        racy |= !safe && history.len() > 1;
        free |= safe && history.len() > 1;
    }
    Ok(vec![("racy with barriers", racy), ("race-free with barriers", free)])
}
