//! THM-PHASE: the nonempty phases of the closures, over all values of their binders, are exactly the nonempty phases of
//! the history; those of approximate closures include them.

use faial_like::core::{Closure, Context, Kernel, Protocol, Unsync, phases};
use faial_like::exp::subst::Leaves;
use faial_like::fuzz::theorems::phases::holds;
use faial_like::fuzz::{Dialect, Plan};

use crate::generate::{for_all, for_each, kills};

const PLAN: Plan = Plan { dialect: Dialect::Block, depth: 5, nesting: 4, length: 90 };

#[test]
fn phases_of_closures_are_phases_of_the_history() {
    let population = for_all(PLAN, 3000, 2, |kernel| holds(kernel, &phases));
    let exact = population.count("exact");
    assert!(exact * 100 > population.total * 80, "too many approximations: {population}");
}

#[test]
fn both_paths_have_the_same_phases() {
    let plan = Plan { dialect: Dialect::Paper, depth: 4, length: 70, ..PLAN };
    let population = for_all(plan, 1000, 3, |kernel| holds(kernel, &phases));
    assert_eq!(population.count("on both paths"), population.total, "{population}");
}

#[test]
fn phases_of_all_small_protocols() {
    let count = for_each(Dialect::Block, 3, 7, |kernel| holds(kernel, &phases));
    assert!(count > 10_000, "only {count} kernels");
}

/// Statements of the code.
fn size(code: &Unsync) -> usize {
    match code {
        Unsync::Skip => 0,
        Unsync::Access(_) => 1,
        Unsync::Seq(parts) => parts.iter().map(size).sum(),
        Unsync::If(_, t, e) => 1 + size(t) + size(e),
        Unsync::For(_, body) => 1 + size(body),
    }
}

fn parsed(code: &str) -> Kernel<Protocol> {
    let header = "global n: i32; array A: global; thread t in 0..4;";
    let text = format!("kernel k {{ {header} code {{ {code} }} }}");
    faial_like::text::parse_protocol(&text).expect("the text of the test is a kernel")
}

#[test]
fn nesting_does_not_blow_up() {
    let depth = 60;
    let open: String = (0..depth).map(|i| format!("wr A[t] @{i}; for x{i} in 0..n {{ ")).collect();
    let kernel =
        parsed(&format!("{open} rd A[t] @100; sync block @101; rd A[t] @102; {}", "rd A[n] @103; }".repeat(depth)));
    let closures = phases(&kernel);
    assert_eq!(closures.len(), 2);
    let all: usize = closures.iter().map(|c| size(&c.code)).sum();
    assert!(all < 40 * depth * depth, "{all} statements at depth {depth}");
}

/// Terms of the conditions of the code.
fn terms(code: &Unsync) -> usize {
    match code {
        Unsync::Skip | Unsync::Access(_) => 0,
        Unsync::Seq(parts) => parts.iter().map(terms).sum(),
        Unsync::If(b, t, e) => Leaves::of(b).count() + terms(t) + terms(e),
        Unsync::For(_, body) => terms(body),
    }
}

/// Loops within each other around a barrier under a condition on all of their counters.
fn conditional_nest(depth: usize, end: &str) -> Kernel<Protocol> {
    let open: String = (0..depth).map(|i| format!("for x{i}: i32 in 0..{end} {{ ")).collect();
    let sum = (0..depth).map(|i| format!("x{i}")).collect::<Vec<_>>().join(" + ");
    let body = format!("rd A[t] @1; if {sum} == 3 {{ sync block @2; }} wr A[t + {sum}] @3;");
    let header = "array A: global; global g: i32; thread t in 0..2;";
    let text = format!("kernel k {{ {header} code {{ {open} {body} {} }} }}", "}".repeat(depth));
    faial_like::text::parse_protocol(&text).expect("the text of the test is a kernel")
}

/// [HEAD-FOR-LARGE] Conditions that are copied twice at each level do not grow without end,
#[test]
fn conditions_of_nested_loops_do_not_blow_up() {
    let closures = phases(&conditional_nest(20, "g"));
    assert_eq!(closures.len(), 2);
    let terms: usize = closures.iter().map(|c| terms(&c.code)).sum();
    assert!(terms < 100_000, "{terms} terms in conditions");
}

/// and what is left out of them leaves out no phase.
#[test]
fn conditions_that_are_given_up_lose_no_phase() {
    for depth in [2, 6, 9] {
        let found = holds(&conditional_nest(depth, "2"), &phases).expect("the phases are those of the history");
        assert!(found.contains(&("exact", false)), "{depth}: {found:?}");
    }
}

#[test]
fn barriers_under_conditions_in_a_row_cost_no_more_than_pairs() {
    let row: String = (0..150).map(|i| format!("wr A[t] @{i}; if n == {i} {{ sync block @{}; }} ", 1000 + i)).collect();
    let closures = phases(&parsed(&row));
    assert_eq!(closures.len(), 151);
    let all: usize = closures.iter().map(|c| size(&c.code)).sum();
    assert!(all < 150 * 150 * 2, "{all} statements");
}

/// Makes the code of each closure wrong in one way.
fn spoiled(kernel: &Kernel<Protocol>, spoil: impl Fn(&mut Closure)) -> Vec<Closure> {
    let mut closures = phases(kernel);
    closures.iter_mut().for_each(spoil);
    closures
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "forgets the code that follows the last iteration", |kernel| {
        holds(kernel, &|k| {
            spoiled(k, |c| {
                if !c.context.is_empty() {
                    c.code = without_else(&c.code);
                }
            })
        })
    });
    kills(PLAN, "forgets the condition around a barrier", |kernel| {
        holds(kernel, &|k| spoiled(k, |c| c.context.retain(|x| matches!(x, Context::Bind(_)))))
    });
    kills(PLAN, "forgets the code before the first barrier", |kernel| {
        holds(kernel, &|k| {
            spoiled(k, |c| {
                if c.start.is_none() {
                    c.code = Unsync::Skip
                }
            })
        })
    });
    kills(PLAN, "calls an approximation exact", |kernel| holds(kernel, &|k| spoiled(k, |c| c.approximate = false)));
    kills(PLAN, "takes all iterations to come after a barrier", |kernel| {
        holds(kernel, &|k| spoiled(k, |c| c.code = without_conditions(&c.code)))
    });
}

fn without_else(code: &Unsync) -> Unsync {
    match code {
        Unsync::If(b, t, _) => Unsync::when(b, (**t).clone()),
        Unsync::Seq(parts) => Unsync::seq(parts.iter().map(without_else).collect::<Vec<_>>()),
        other => other.clone(),
    }
}

fn without_conditions(code: &Unsync) -> Unsync {
    match code {
        Unsync::If(_, t, e) => Unsync::seq([without_conditions(t), without_conditions(e)]),
        Unsync::Seq(parts) => Unsync::seq(parts.iter().map(without_conditions).collect::<Vec<_>>()),
        other => other.clone(),
    }
}
