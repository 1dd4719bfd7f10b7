//! Sizes for which a race is looked for where it is hard to find one for all. [WIT-GUESS]

use std::collections::BTreeSet;

use super::host::is_of_host;
use crate::core::race::RacePhase;
use crate::exp::{B, IntTy, N, NBin, NExp, Var, free_vars_n, subterms};

/// Values for the sizes, in their order, again and again.
const GUESSES: [&[i128]; 7] = [&[2, 3, 4, 5], &[5, 4, 3, 2], &[2], &[1], &[32, 4, 8], &[2, 5, 3], &[2, 5, 3, 3, 2]];

/// Conditions that fix the sizes of a phase, one after the other; none where no size is multiplied or divided by.
pub(super) fn guesses(phase: &RacePhase, formula: &B, globals: &[Var]) -> Vec<B> {
    let known = |v: &Var| globals.contains(v) && !is_of_host(v) && !v.name.as_str().contains("Dim.");
    let mut sizes: BTreeSet<Var> = BTreeSet::new();
    let mut size = |n: &N| {
        let vars = free_vars_n(n);
        if vars.iter().all(|v| known(v) && v.ty != IntTy::OPAQUE) {
            sizes.extend(vars);
        }
    };
    for condition in [&phase.assumptions, formula] {
        subterms(condition, &mut |term| match term.kind() {
            NExp::Bin(NBin::Mul, _, l, r) if l.as_num().is_none() && r.as_num().is_none() => {
                [l, r].into_iter().for_each(&mut size);
            }
            NExp::Bin(NBin::Div | NBin::Rem, _, _, by) if by.as_num().is_none() => size(by),
            _ => {}
        });
    }
    // In the order in which the kernel has them.
    let sizes: Vec<&Var> = globals.iter().filter(|v| sizes.contains(v)).collect();
    let fix = |values: &[i128]| {
        B::and(sizes.iter().zip(values.iter().cycle()).map(|(v, n)| N::var(v).eq(&N::num(*n))).collect::<Vec<_>>())
    };
    if sizes.is_empty() { Vec::new() } else { GUESSES.iter().map(|values| fix(values)).collect() }
}
