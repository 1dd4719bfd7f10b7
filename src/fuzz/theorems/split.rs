//! THM-1, second step, and PROP-1: the closures of `split` have the phases of the history, and can be checked alone.

use super::{Outcome, admitted};
use crate::core::semantics::safe;
use crate::core::{Alignment, Closure, Kernel, Level, Print, Protocol, align};
use crate::fuzz::oracle;

/// For a protocol of the paper's language W: over all values of their binders, the nonempty phases of
/// `split(align(p))` are those of the history; and the history is safe iff each closure is.
///
/// Source:   \[MAP\] Theorem 1 and Proposition 1; protocol-spec/05-split.md.
pub fn holds(kernel: &Kernel<Protocol>, split: &dyn Fn(&Alignment) -> Vec<Closure>) -> Outcome {
    let closures = split(&align(&admitted(kernel)?.code));
    let (mut racy, mut several) = (false, false);
    for g in oracle::GLOBALS {
        let values = oracle::values(g);
        let history = oracle::history(kernel, &kernel.code, &values)?;
        let mut all = Vec::new();
        let mut parts = true;
        for closure in &closures {
            let own = oracle::instances(kernel, closure, &values)?;
            parts &= safe(&own, Level::Block);
            all.extend(own);
        }
        let whole = safe(&history, Level::Block);
        if oracle::nonempty(all) != oracle::nonempty(history) {
            let text = kernel.with_code(closures.clone()).text();
            return Err(format!("g = {g}: split, the code has other phases\n{text}"));
        }
        if parts != whole {
            return Err(format!("g = {g}: the closures are safe: {parts}; the whole is: {whole}"));
        }
        racy |= !whole;
        several |= closures.len() > 1;
    }
    Ok(vec![("racy", racy), ("of several closures", several)])
}
