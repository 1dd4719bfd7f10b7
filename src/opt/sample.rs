//! A solution by guessing: what is asked of the assumptions of a kernel has one nearly always, among small sizes.

use crate::exp::{B, BExp, Env, Fun, Interval, NExp, NRel, Ranges, Var, eval_b, eval_n, free_vars_b};

/// The values that all variables are given, each within its bounds.
const SIZES: [i128; 6] = [1, 0, 32, 2, 256, 1024];

/// Are there values of the variables, within their types and these intervals, that fulfil the conditions? Found by
/// evaluation, so that yes means yes. [OPT-SAMPLE]
///
/// Source:   protocol-spec/09-presolve.md.
/// Ensures:  THM-PRESOLVE, tests/presolve.rs: values fulfil the conditions.
pub fn inhabited(vars: &[(Var, Interval)], conditions: &[B]) -> bool {
    let mut ranges = Ranges::new();
    for (var, interval) in vars {
        ranges.narrow(&var.name, *interval);
    }
    for _ in 0..3 {
        conditions.iter().for_each(|b| ranges.assume(b));
    }
    let all: std::collections::BTreeSet<Var> =
        conditions.iter().flat_map(free_vars_b).chain(vars.iter().map(|(v, _)| v.clone())).collect();
    let nothing = |_: &Fun, _: &[i128]| Some(0);
    SIZES.iter().any(|size| {
        let mut env = Env::with_functions(&nothing);
        for var in &all {
            let Interval { lo, hi } = ranges.interval(&crate::exp::N::var(var));
            let value = (*size).max(lo.unwrap_or(*size));
            env.set(&var.name, value.min(hi.unwrap_or(value)));
        }
        // What is said to be equal to something is that.
        for _ in 0..2 {
            conditions.iter().for_each(|b| define(b, &mut env));
        }
        let within = |var: &Var| {
            let given = vars.iter().filter(|(v, _)| v.name == var.name).map(|(_, i)| *i);
            let value = env.get(&var.name);
            value.is_some_and(|v| var.ty.contains(v) && given.clone().all(|i| i.contains(v)))
        };
        all.iter().all(within) && conditions.iter().all(|b| eval_b(b, &env).unwrap_or(false))
    })
}

fn define(condition: &B, env: &mut Env) {
    match condition.kind() {
        BExp::And(parts) => parts.iter().for_each(|p| define(p, env)),
        BExp::Rel(NRel::Eq, l, r) => {
            let (var, term) = match (l.kind(), r.kind()) {
                (NExp::Var(var), _) => (var, r),
                (_, NExp::Var(var)) => (var, l),
                _ => return,
            };
            if let Ok(value) = eval_n(term, env) {
                env.set(&var.name, value);
            }
        }
        BExp::Rel(..) | BExp::Lit(_) | BExp::Or(_) | BExp::Not(_) => {}
    }
}
