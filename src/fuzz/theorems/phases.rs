//! THM-PHASE: phases without copying are the phases of the history, and those of the path of the paper.

use super::Outcome;
use crate::core::{Closure, Kernel, Level, Print, Protocol, align, split, violations, wellformed};
use crate::fuzz::oracle;

/// The nonempty phases of the closures, over all values of their binders, are exactly the nonempty phases of the history;
/// those of approximate closures include them. On protocols of the paper's language W they are those of
/// `split(align(p))` as well.
///
/// Source:   proofs-notes/phases.md; protocol-spec/05-phases.md.
pub fn holds(kernel: &Kernel<Protocol>, phases: &dyn Fn(&Kernel<Protocol>) -> Vec<Closure>) -> Outcome {
    let found = violations(kernel, Level::Block);
    if !found.is_empty() {
        return Err(format!("the kernel is not in the language: {found:?}"));
    }
    let closures = phases(kernel);
    let approximate = closures.iter().any(|c| c.approximate);
    let paper = wellformed(kernel, Level::Block).ok().map(|admitted| split(&align(&admitted.code)));
    let mut several = false;
    let mut on_both_paths = paper.is_some();
    for g in oracle::GLOBALS {
        let values = oracle::values(g);
        let expected = oracle::nonempty(oracle::history(kernel, &kernel.code, &values)?);
        several |= expected.len() > 1;
        let mut all = Vec::new();
        for closure in &closures {
            let own = oracle::nonempty(oracle::instances(kernel, closure, &values)?);
            if !closure.approximate && own.iter().any(|phase| !expected.contains(phase)) {
                let text = kernel.with_code(vec![closure.clone()]).text();
                return Err(format!("g = {g}: a closure has a phase that the history does not have\n{text}"));
            }
            all.extend(own);
        }
        all.sort();
        if !approximate && all != expected {
            let text = kernel.with_code(closures.clone()).text();
            return Err(format!("g = {g}: the phases are\n{all:?}\nand should be\n{expected:?}\n{text}"));
        }
        if let Some(phase) = expected.iter().find(|phase| !all.iter().any(|p| p.is_superset(phase))) {
            return Err(format!("g = {g}: the phase {phase:?} is missing"));
        }
        // A loop of the paper runs at least once, which is not known of every range.
        if let Some(paper) = &paper
            && oracle::synchronised_loops_run(kernel, &values)?
        {
            if oracle::nonempty(oracle::all_instances(kernel, paper, &values)?) != expected {
                return Err(format!("g = {g}: the path of the paper has other phases"));
            }
        } else {
            on_both_paths = false;
        }
    }
    Ok(vec![("of several phases", several), ("exact", !approximate), ("on both paths", on_both_paths)])
}
