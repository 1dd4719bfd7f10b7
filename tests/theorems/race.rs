//! THM-ENC: the race formula of two accesses of a phase has a solution iff two threads make them in that phase and they
//! race; by enumeration on small domains.

use faial_like::core::race::{Instance, race_pair, race_phase};
use faial_like::core::{Kernel, Level, Protocol, RacePhase};
use faial_like::exp::B;
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::theorems::encode::{Encoding, holds};
use faial_like::fuzz::{Dialect, Plan};

use crate::generate::{for_all, kills};

const ACCESSES: Plan = Plan { dialect: Dialect::Accesses, depth: 3, nesting: 0, length: 50 };
const BLOCK: Plan = Plan { dialect: Dialect::Block, depth: 4, nesting: 2, length: 60 };

#[test]
fn formulas_of_accesses_say_who_races() {
    let population = for_all(ACCESSES, 600, 0, |kernel| holds(kernel, &Encoding::default()));
    for property in ["racy", "same values"] {
        assert!(population.count(property) * 30 > population.total, "{population}");
    }
}

#[test]
fn formulas_of_phases_say_who_races() {
    let population = for_all(BLOCK, 300, 0, |kernel| holds(kernel, &Encoding::default()));
    for property in ["racy", "under several loops"] {
        assert!(population.count(property) * 10 > population.total, "{population}");
    }
}

/// The theorem, for a wrong formula of two accesses.
fn with_pair(kernel: &Kernel<Protocol>, pair: &dyn Fn(&Instance, &Instance) -> B) -> Outcome {
    holds(kernel, &Encoding { pair, ..Encoding::default() })
}

/// The theorem, for phases that were changed.
fn with_phase(kernel: &Kernel<Protocol>, change: impl Fn(&mut RacePhase)) -> Outcome {
    let phase = |projection: &_, closure: &_| {
        let mut phase = race_phase(projection, closure);
        change(&mut phase);
        phase
    };
    holds(kernel, &Encoding { phase: &phase, ..Encoding::default() })
}

#[test]
fn mutants_are_killed() {
    kills(ACCESSES, "widths are forgotten", |kernel| {
        let one_wide = |i: &Instance| Instance { width: 1, ..i.clone() };
        with_pair(kernel, &|a, b| race_pair(&one_wide(a), &one_wide(b), Level::Block))
    });
    kills(ACCESSES, "atomics of a warp order the block", |kernel| {
        with_pair(kernel, &|a, b| race_pair(a, b, Level::Warp))
    });
    kills(ACCESSES, "the guard is forgotten", |kernel| {
        with_phase(kernel, |phase| phase.sides.iter_mut().for_each(|s| s.guard = B::lit(true)))
    });
    kills(ACCESSES, "a thread races with itself", |kernel| {
        with_phase(kernel, |phase| phase.assumptions = B::lit(true))
    });
    kills(ACCESSES, "only the first dimension counts", |kernel| {
        let first = |i: &Instance| Instance { index: i.index.iter().take(1).cloned().collect(), ..i.clone() };
        with_pair(kernel, &|a, b| race_pair(&first(a), &first(b), Level::Block))
    });
}
