//! Questions that are answered without the solver, and how many.

use std::collections::BTreeMap;

use crate::base::Name;
use crate::core::race::RacePhase;
use crate::exp::B;
use crate::exp::wrap::assumption;
use crate::opt::{Proof, Rule, merged, race_free, refute, sample, weaker};
use crate::smt::Query;

/// The pre-solvers, and what each of them has saved.
#[derive(Debug, Default)]
pub struct Presolve {
    pub on: bool,
    /// The number of questions that each rule answered, by its name.
    pub saved: BTreeMap<&'static str, usize>,
}

impl Presolve {
    pub fn new(on: bool) -> Presolve {
        Presolve { on, saved: BTreeMap::new() }
    }

    /// What the proof rests on, if the conditions contradict each other.
    pub fn refuted(&mut self, conditions: &[B]) -> Option<Vec<String>> {
        self.proved(self.on.then(|| refute(conditions)).flatten())
    }

    /// What the proof rests on, if there is no race on the array in the phase.
    pub fn race_free(&mut self, phase: &RacePhase, array: &Name, more: &[B]) -> Option<Vec<String>> {
        if !self.on {
            return None;
        }
        for assumptions in weaker(&phase.assumptions) {
            let phase = RacePhase { assumptions, ..phase.clone() };
            let found = self.proved(race_free(&phase, array, more));
            if found.is_some() {
                return found;
            }
        }
        self.proved(race_free(phase, array, more))
    }

    /// A phase with fewer accesses to the array: if they do not race, neither do those of the phase.
    pub fn merged(&self, phase: &RacePhase, array: &Name) -> Option<RacePhase> {
        self.on.then(|| merged(phase, array)).flatten()
    }

    /// Was a solution of the query guessed?
    pub fn inhabited(&mut self, query: &Query) -> bool {
        let found = self.on && sample::inhabited(&query.vars, &query.asserts);
        if found {
            self.count(Rule::Sample);
        }
        found
    }

    /// The array has no two accesses that conflict.
    pub fn read_only(&mut self) {
        if self.on {
            self.count(Rule::ReadOnly);
        }
    }

    fn proved(&mut self, proof: Option<Proof>) -> Option<Vec<String>> {
        // What wraps around in ordinary launches is not assumed away: the solver is asked what is then.
        let proof = proof.filter(|p| !p.serious)?;
        self.count(proof.rule);
        Some(proof.assumed.iter().map(assumption).collect())
    }

    fn count(&mut self, rule: Rule) {
        *self.saved.entry(rule.name()).or_default() += 1;
    }
}
