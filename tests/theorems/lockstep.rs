//! THM-LOCKSTEP: two threads of a warp race in the closures of the stores of a phase iff they race where they run it in
//! lock-step.

use faial_like::core::{Closure, Context, Kernel, Protocol, Range, Step, Unsync, lockstep};
use faial_like::exp::N;
use faial_like::fuzz::theorems::lockstep::holds;
use faial_like::fuzz::{Dialect, Plan};

use crate::generate::{for_all, kills};

const PLAN: Plan = Plan { dialect: Dialect::Accesses, depth: 3, nesting: 0, length: 50 };
const SYNCHRONISED: Plan = Plan { dialect: Dialect::Scopes, depth: 4, nesting: 2, length: 60 };

#[test]
fn stores_race_as_in_lockstep() {
    for_all(PLAN, 400, 2, |kernel| holds(kernel, &lockstep));
}

#[test]
fn stores_between_barriers_race_as_in_lockstep() {
    for_all(SYNCHRONISED, 250, 2, |kernel| holds(kernel, &lockstep));
}

#[test]
fn mutants_are_killed() {
    let each = |kernel: &Kernel<Protocol>, change: &dyn Fn(Closure) -> Closure| {
        holds(kernel, &|projection, closure| lockstep(projection, closure).into_iter().map(change).collect())
    };
    let map_code =
        |closure: Closure, change: &dyn Fn(Unsync) -> Unsync| Closure { code: change(closure.code), ..closure };
    kills(PLAN, "all iterations are compared with all", |kernel| {
        holds(kernel, &|projection, closure| {
            let whole = Closure { context: Vec::new(), ..closure.clone() };
            let own = lockstep(projection, &whole).len();
            vec![closure.clone(); own.min(1)]
        })
    });
    kills(PLAN, "conditions are forgotten", |kernel| {
        each(kernel, &|closure| {
            map_code(closure, &|code| match code {
                Unsync::If(_, t, e) if *e == Unsync::Skip => *t,
                other => other,
            })
        })
    });
    kills(PLAN, "a loop has one iteration", |kernel| {
        each(kernel, &|mut closure| {
            for context in &mut closure.context {
                if let Context::Bind(range) = context {
                    *range = Range { step: Step::Up(N::num(1 << 20)), ..range.clone() };
                }
            }
            closure
        })
    });
    kills(PLAN, "the variable of a loop is shared as it is", |kernel| {
        holds(kernel, &|projection, closure| {
            let mut shared = projection.clone();
            shared.locals.clear();
            lockstep(&shared, closure)
        })
    });
}
