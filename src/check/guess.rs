//! Sizes for which a race is looked for where it is hard to find one for all. [WIT-GUESS]

use std::collections::BTreeSet;

use super::host::is_of_host;
use super::kernel::Check;
use super::questions::question;
use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, Var, free_vars_n, subterms};
use crate::smt::{Answer, Model, Query, Session};

/// Values for the sizes, in their order, again and again.
const GUESSES: [&[i128]; 7] = [&[2, 3, 4, 5], &[5, 4, 3, 2], &[2], &[1], &[32, 4, 8], &[2, 5, 3], &[2, 5, 3, 3, 2]];
/// How many of them are tried where it is not known yet that it is hard.
const FIRST: usize = 2;

impl Check<'_> {
    /// A solution for some sizes, in a launch that is not too large, and what these are.
    pub(super) fn guess(&mut self, assumptions: &B, formula: B, others: Vec<B>) -> Option<(Model, B)> {
        self.guess_with(assumptions, formula, others, GUESSES.len(), Session::with_little_work)
    }

    /// The same for the first few sizes, where it is seen at once.
    pub(super) fn first_guess(&mut self, assumptions: &B, formula: B, others: Vec<B>) -> Option<(Model, B)> {
        self.guess_with(assumptions, formula, others, FIRST, Session::exists_briefly)
    }

    fn guess_with(
        &mut self,
        assumptions: &B,
        formula: B,
        others: Vec<B>,
        most: usize,
        mut ask: impl FnMut(&mut Session, &Query) -> Answer,
    ) -> Option<(Model, B)> {
        let computed = &self.source.host.computed;
        let open = self.inferred.kernel.globals.iter().filter(|v| !computed.contains_key(v.name.as_str()));
        let (open, usual): (Vec<Var>, _) = (open.cloned().collect(), self.usual());
        for sizes in guesses([assumptions, &formula], &open).into_iter().take(most) {
            let sizes = B::and(std::iter::once(sizes).chain(usual.clone()).collect::<Vec<_>>());
            let mut asserts = vec![assumptions.clone(), formula.clone(), sizes.clone()];
            asserts.extend(others.iter().cloned());
            self.queries += 1;
            let mut answer = ask(self.session, &question(asserts.clone()));
            let mut within = sizes;
            if let Answer::Sat(model) = &answer
                && let Some(limit) = self.beyond(model)
            {
                // That none of these sizes has a smaller one says nothing of others.
                within = B::and([within, limit.clone()]);
                asserts.push(limit);
                answer = ask(self.session, &question(asserts));
            }
            if let Answer::Sat(model) = answer {
                return Some((model, within));
            }
        }
        None
    }
}

/// Conditions that fix the sizes of a question, one after the other; none where no size is multiplied or divided by.
fn guesses(question: [&B; 2], globals: &[Var]) -> Vec<B> {
    let known = |v: &Var| globals.contains(v) && !is_of_host(v) && !v.name.as_str().contains("Dim.");
    let mut sizes: BTreeSet<Var> = BTreeSet::new();
    let mut size = |n: &N| {
        let vars = free_vars_n(n);
        if vars.iter().all(|v| known(v) && v.ty != IntTy::OPAQUE) {
            sizes.extend(vars);
        }
    };
    for condition in question {
        subterms(condition, &mut |term| match term.kind() {
            NExp::Bin(NBin::Mul, _, l, r) if l.as_num().is_none() && r.as_num().is_none() => {
                [l, r].into_iter().for_each(&mut size);
            }
            NExp::Bin(NBin::Div | NBin::Rem, _, _, by) if by.as_num().is_none() => size(by),
            _ => {}
        });
    }
    // What others give a value has no other.
    sizes.retain(|size| !question.iter().any(|condition| given(condition).contains(size)));
    // In the order in which the kernel has them.
    let sizes: Vec<&Var> = globals.iter().filter(|v| sizes.contains(v)).collect();
    let fix = |values: &[i128]| {
        B::and(sizes.iter().zip(values.iter().cycle()).map(|(v, n)| N::var(v).eq(&N::num(*n))).collect::<Vec<_>>())
    };
    if sizes.is_empty() { Vec::new() } else { GUESSES.iter().map(|values| fix(values)).collect() }
}

/// The variables that a condition says to be what others make.
fn given(condition: &B) -> Vec<Var> {
    match condition.kind() {
        BExp::And(parts) => parts.iter().flat_map(given).collect(),
        BExp::Rel(NRel::Eq, l, r) => match (l.as_var(), r.as_var()) {
            (Some(v), None) if r.as_num().is_none() => vec![v.clone()],
            (None, Some(v)) if l.as_num().is_none() => vec![v.clone()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
