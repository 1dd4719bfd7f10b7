//! The fuzzer: what it tries is worth trying, and a pass that is wrong is found, shrunk, and found again.

use std::time::Instant;

use faial_like::core::race::{Instance, race_pair};
use faial_like::core::{
    Alignment, Barrier, Closure, Kernel, Level, Print, Projection, Protocol, Unsync, align, lockstep, phases, project,
    seq, split,
};
use faial_like::exp::{B, N};
use faial_like::fuzz::campaign::{Check, run};
use faial_like::fuzz::theorems::{self, encode::Encoding};
use faial_like::fuzz::{Campaign, Difference, Pass, Tried};

fn campaign(pass: Pass, cases: std::ops::Range<u64>, jobs: usize) -> Campaign<'static> {
    Campaign { plans: pass.plans(), seed: 3, cases, deadline: None, jobs }
}

fn try_cases(pass: Pass, cases: std::ops::Range<u64>, jobs: usize, check: Check) -> Tried {
    run(&campaign(pass, cases, jobs), check)
}

#[test]
fn passes_have_no_difference_and_kernels_are_not_all_alike() {
    for pass in Pass::ALL {
        let cases = 300 * pass.plans().len() as u64;
        let tried = try_cases(pass, 0..cases, 2, &|kernel| pass.holds(kernel));
        assert!(tried.difference.is_none(), "{}: {:?}", pass.name(), tried.difference);
        assert_eq!(tried.cases() as u64, cases);
        for (plan, population) in pass.plans().iter().zip(&tried.populations) {
            assert_eq!(population.total, 300);
            assert!(population.count("with accesses") > 200, "{}: {plan:?}: {population}", pass.name());
            assert!(population.count("with conflicting accesses") > 150, "{}: {plan:?}: {population}", pass.name());
            // What shows in the text; which races there are depends on the pass.
            let rare: Vec<_> = population.rare(5).into_iter().filter(|p| p.starts_with("with ")).collect();
            let few = ["with synchronised conditionals", "with nested synchronised loops"];
            let rare: Vec<_> = rare.into_iter().filter(|p| !few.contains(p)).collect();
            assert!(rare.is_empty(), "{}: {plan:?}: too few are {rare:?}: {population}", pass.name());
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_kernels_for_any_number_of_jobs() {
    let count = |jobs| {
        let tried = try_cases(Pass::Align, 0..200, jobs, &|kernel| Pass::Align.holds(kernel));
        tried.populations.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(count(1), count(2));
}

#[test]
fn nothing_is_tried_when_the_time_is_over() {
    let over = Campaign { deadline: Some(Instant::now()), ..campaign(Pass::Align, 0..100, 2) };
    let tried = run(&over, &|kernel| Pass::Align.holds(kernel));
    assert_eq!((tried.cases(), tried.difference.is_none()), (0, true));
}

/// Statements, conditionals and loops.
fn size(code: &Protocol) -> usize {
    match code {
        Protocol::Skip => 0,
        Protocol::Access(_) | Protocol::Sync(_) => 1,
        Protocol::Seq(parts) => parts.iter().map(size).sum(),
        Protocol::If(_, t, e) => 1 + size(t) + size(e),
        Protocol::For(_, body) => 1 + size(body),
    }
}

/// Finds what a wrong pass gets wrong, in a kernel of at most so many statements.
fn finds(pass: Pass, statements: usize, wrong: Check) -> Difference {
    let name = pass.name();
    let found = try_cases(pass, 0..4000, 2, wrong).difference;
    let found = found.unwrap_or_else(|| panic!("{name}: the wrong pass is not found"));
    let text = found.kernel.text();
    assert!(size(&found.kernel.code) <= statements, "{name}: not shrunk:\n{text}");
    assert!(wrong(&found.kernel).is_err(), "{name}: shrunk, it is no difference:\n{text}");
    assert!(pass.holds(&found.kernel).is_ok(), "{name}: the right pass is wrong as well:\n{text}");
    // The number of the case finds it again, and so does another number of jobs.
    for again in [found.case..found.case + 1, 0..4000] {
        let again = try_cases(pass, again, 1, wrong).difference;
        let again = again.map(|d| (d.case, d.kernel.text()));
        assert_eq!(again, Some((found.case, text.clone())), "{name}");
    }
    found
}

#[test]
fn a_wrong_align_is_found() {
    // The tail of the last iteration is lost.
    let wrong = |code: &_| Alignment { tail: Unsync::Skip, ..align(code) };
    finds(Pass::Align, 2, &|kernel| theorems::align::holds(kernel, &wrong));
}

#[test]
fn a_wrong_split_is_found() {
    // The code after the last barrier is lost.
    let wrong = |aligned: &Alignment| {
        let mut closures = split(aligned);
        closures.pop();
        closures
    };
    finds(Pass::Split, 1, &|kernel| theorems::split::holds(kernel, &wrong));
}

#[test]
fn wrong_phases_are_found() {
    // The code before the first barrier is taken to come after it as well.
    let wrong = |kernel: &Kernel<Protocol>| {
        let mut closures = phases(kernel);
        if let [entry, rest @ ..] = closures.as_mut_slice() {
            rest.iter_mut().for_each(|c| c.code = Unsync::seq([c.code.clone(), entry.code.clone()]));
        }
        closures
    };
    finds(Pass::Phases, 2, &|kernel| theorems::phases::holds(kernel, &wrong));
}

fn without_masks(code: &Protocol) -> Protocol {
    match code {
        Protocol::Skip | Protocol::Access(_) => code.clone(),
        Protocol::Sync(barrier) => Protocol::Sync(Barrier { mask: None, ..barrier.clone() }),
        Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(without_masks).collect()),
        Protocol::If(b, t, e) => Protocol::If(b.clone(), Box::new(without_masks(t)), Box::new(without_masks(e))),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(without_masks(body))),
    }
}

#[test]
fn a_wrong_projection_is_found() {
    // A barrier with a mask orders all threads of the warp.
    let wrong = |kernel: &Kernel<Protocol>, level, in_use: &[Level], warp_size| {
        project(&kernel.with_code(without_masks(&kernel.code)), level, in_use, warp_size)
    };
    let found = finds(Pass::Scopes, 4, &|kernel| theorems::scopes::holds(kernel, &wrong));
    assert!(found.kernel.text().contains("mask"), "{}", found.kernel.text());
}

#[test]
fn a_projection_that_is_wrong_about_clusters_is_found() {
    // Each block is a cluster of its own.
    let wrong = |kernel: &Kernel<Protocol>, level, in_use: &[Level], warp_size| {
        let mut changed = kernel.clone();
        changed.clusters.iter_mut().for_each(|size| *size = N::num(1));
        project(&changed, level, in_use, warp_size)
    };
    let found = finds(Pass::Scopes, 4, &|kernel| theorems::scopes::holds(kernel, &wrong));
    assert!(found.kernel.text().contains(" cluster "), "{}", found.kernel.text());
}

#[test]
fn a_wrong_lockstep_is_found() {
    // Nothing is asked of the threads that make a store.
    let wrong = |projection: &Projection, closure: &Closure| {
        let mut stores = lockstep(projection, closure);
        for store in &mut stores {
            while let Unsync::If(_, inner, _) = &store.code {
                store.code = (**inner).clone();
            }
        }
        stores
    };
    let found = finds(Pass::Lockstep, 3, &|kernel| theorems::lockstep::holds(kernel, &wrong));
    assert!(found.why.contains("added Some"), "{}", found.why);
}

#[test]
fn a_wrong_trace_is_found() {
    // The two threads may be the same one.
    let wrong = |projection: &Projection, closure: &Closure| {
        seq(&Projection { meet: B::lit(true), ..projection.clone() }, closure)
    };
    // A trace does not say which threads are the same: the projection does.
    let found = finds(Pass::Trace, 2, &|kernel| theorems::trace::holds(kernel, &wrong));
    assert!(found.why.contains("the closure has a race: false"), "{}", found.why);
}

#[test]
fn a_wrong_formula_is_found() {
    // An access touches one unit only.
    let one_wide = |i: &Instance| Instance { width: 1, ..i.clone() };
    let pair = |a: &Instance, b: &Instance| race_pair(&one_wide(a), &one_wide(b), Level::Block);
    let found = finds(Pass::Encode, 2, &|kernel| {
        theorems::encode::holds(kernel, &Encoding { pair: &pair, ..Encoding::default() })
    });
    assert!(found.kernel.text().contains("width 2"), "{}", found.kernel.text());
}

#[test]
fn a_wrong_printer_is_found() {
    // Widths are not printed.
    let wrong = |text: String| text.replace(" width 2", "");
    finds(Pass::Roundtrip, 1, &|kernel| theorems::roundtrip::holds(kernel, &wrong));
}

#[test]
fn a_pass_that_panics_is_found() {
    let tried = try_cases(Pass::Align, 0..100, 2, &|kernel| {
        assert!(!kernel.code.synchronises(), "no barriers, please");
        Ok(Vec::new())
    });
    let found = tried.difference.expect("many kernels have barriers");
    assert_eq!(size(&found.kernel.code), 1, "{}", found.kernel.text());
    assert!(found.why.contains("no barriers, please"), "{}", found.why);
}
