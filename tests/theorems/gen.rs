//! Runs a theorem on many kernels, and checks that they were worth it.

use std::cell::RefCell;

use faial_like::core::{Kernel, Protocol};
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::{Choices, Dialect, Enumerate, Plan, Population, kernel, population, sized};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Random inputs made of choices, shrunk by proptest; the same ones in every run.
pub fn for_all_choices(cases: u32, length: usize, test: impl Fn(Choices) -> Result<(), String>) {
    // `CASES=10 cargo test --test theorems` tests ten times as many.
    let factor = std::env::var("CASES").ok().and_then(|n| n.parse::<u32>().ok()).unwrap_or(1);
    let config = Config { cases: cases * factor, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner
        .run(&vec(any::<u8>(), length / 2..length), |bytes| test(Choices::new(bytes)).map_err(TestCaseError::fail));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Tests a theorem on the kernels of a dialect. At least `percent` of them must have each of the properties, those of
/// their shape and those that the test reports.
pub fn for_all(plan: Plan, cases: u32, percent: usize, test: impl Fn(&Kernel<Protocol>) -> Outcome) -> Population {
    let all = RefCell::new(Population::default());
    for_all_choices(cases, plan.length, |mut choices| {
        let kernel = sized(&mut choices, plan.dialect, plan.depth, plan.nesting);
        let found = test(&kernel).map_err(|why| format!("{why}\n{:#?}", kernel.code))?;
        all.borrow_mut().add(population::shape(&kernel, &plan).chain(found));
        Ok(())
    });
    let all = all.into_inner();
    let rare = all.rare(percent);
    assert!(rare.is_empty(), "too few inputs are {rare:?}: {all}");
    all
}

/// Finds a kernel on which a wrong definition fails the test: the oracle is not blind to the mistake.
pub fn kills(plan: Plan, name: &str, test: impl Fn(&Kernel<Protocol>) -> Outcome) {
    let killed = (0..6000).any(|seed| {
        let mut choices = Choices::seeded(seed, plan.length);
        test(&sized(&mut choices, plan.dialect, plan.depth, plan.nesting)).is_err()
    });
    assert!(killed, "no test sees the mistake `{name}`");
}

/// Tests a theorem on all kernels that `length` choices make. The answer is how many there were.
pub fn for_each(dialect: Dialect, depth: u32, length: usize, test: impl Fn(&Kernel<Protocol>) -> Outcome) -> usize {
    let mut all = Enumerate::new(length);
    let mut made = None;
    let mut count = 0;
    while let Some(mut choices) = all.advance(made.as_ref()) {
        let kernel = kernel(&mut choices, dialect, depth);
        if let Err(why) = test(&kernel) {
            panic!("{why}\n{:#?}", kernel.code);
        }
        count += 1;
        made = Some(choices);
    }
    count
}
