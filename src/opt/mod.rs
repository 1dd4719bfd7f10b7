//! Pre-solvers: they show that there is no race, or that a barrier is reached by all, without a solver.
//!
//! Each says no only if the conditions have no solution at all, in exact machine arithmetic, or none without the signed
//! overflows that it names; `protocol-spec/09-presolve.md` states why. Whatever they cannot decide is left to the solver.

mod digits;
mod distinct;
mod facts;
mod gcd;
mod guard;
mod interval;
mod merge;
mod order;
mod powers;
pub mod sample;
mod values;
mod weaker;

pub use distinct::distinct;
pub use facts::Facts;
pub use guard::scales;
pub use merge::{Run, merged, merged_by};
pub use order::{dividends, dividends_by};
pub use weaker::{of_quotient, weaker};

use rustc_hash::FxHashSet;

use crate::base::Name;
use crate::core::access::Mode;
use crate::core::race::{RacePhase, race_pair};
use crate::core::scope::Task;
use crate::exp::poly::Poly;
use crate::exp::{B, BExp, Interval, N, NExp, Ranges, Subst, subterms};

/// What decided a question: the strongest rule that was needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// There are values that fulfil the conditions.
    Sample,
    /// No two accesses conflict: the array is only read, or only by atomics.
    ReadOnly,
    /// The conditions around the accesses contradict each other.
    Guard,
    /// The indices are in intervals that have nothing in common.
    Interval,
    /// The indices differ modulo a number.
    Gcd,
    /// The index is injective: one stride is larger than all that is added to a multiple of it.
    Injective,
    /// The same with strides that are not known: the coordinates can be read off the index.
    Delinearised,
}

impl Rule {
    pub fn name(self) -> &'static str {
        match self {
            Rule::Sample => "sample",
            Rule::ReadOnly => "read-only",
            Rule::Guard => "guard",
            Rule::Interval => "interval",
            Rule::Gcd => "gcd",
            Rule::Injective => "injective",
            Rule::Delinearised => "delinearised",
        }
    }
}

/// There is no solution.
#[derive(Clone, Debug)]
pub struct Proof {
    pub rule: Rule,
    /// Signed arithmetic that was taken not to overflow.
    pub assumed: Vec<N>,
    /// Is there a conversion among it that may change its value where arrays have ordinary sizes?
    pub serious: bool,
}

impl Proof {
    /// Both are needed.
    fn join(&mut self, other: Proof) {
        self.rule = self.rule.max(other.rule);
        self.serious |= other.serious;
        for term in other.assumed {
            if !self.assumed.contains(&term) {
                self.assumed.push(term);
            }
        }
    }
}

/// The rules, each of which can be exchanged: the tests do so to see that a wrong one is noticed.
#[derive(Clone, Copy)]
pub struct Rules {
    /// [`gcd::no_zero`]
    pub divisible: fn(&Poly) -> bool,
    /// [`interval::no_zero`]
    pub apart: fn(&Facts, &Poly) -> bool,
    /// [`guard::contradicts`]
    pub contradicts: fn(&Facts, &Poly) -> bool,
    /// [`guard::is_zero`]
    pub zero: fn(&Facts, &Poly) -> bool,
    /// [`digits::split`]
    pub split: fn(&Facts, &Poly) -> Option<Digits>,
    /// [`order::dividends`]
    pub ordered: fn(&Facts, &Poly) -> Option<Poly>,
}

/// The equations that one falls apart into, and the rule.
pub type Digits = (Rule, [Poly; 2]);

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            divisible: gcd::no_zero,
            apart: interval::no_zero,
            contradicts: guard::contradicts,
            zero: guard::is_zero,
            split: digits::split,
            ordered: order::dividends,
        }
    }
}

/// Deeper terms are left to the solver.
const DEEP: u32 = 120;
/// Conditions that values are chosen by and that are taken apart, one after the other.
const CASES: u32 = 4;
/// Arrays with more pairs of accesses are left to the solver.
const PAIRS: usize = 100;

/// Shows that the conditions contradict each other.
///
/// Source:   protocol-spec/09-presolve.md [OPT-REFUTE].     Shape: conditions -> proof.
/// Ensures:  THM-PRESOLVE, tests/presolve.rs: with a proof that assumes nothing, no values fulfil the conditions.
pub fn refute(conditions: &[B]) -> Option<Proof> {
    refute_by(Rules::default(), conditions)
}

/// The same by these rules.
pub fn refute_by(rules: Rules, conditions: &[B]) -> Option<Proof> {
    if conditions.iter().any(|b| b.depth() > DEEP) {
        return None;
    }
    by_cases(rules, conditions, 0, true)
}

/// Each case of a condition that a value is chosen by has a contradiction. [OPT-CASES]
fn by_cases(rules: Rules, conditions: &[B], cases: u32, assume: bool) -> Option<Proof> {
    if let Some(proof) = at_once(rules, conditions, assume) {
        return Some(proof);
    }
    let chooses = (cases < CASES).then(|| choosing(conditions)).flatten()?;
    // The value may not be asked for: then nothing is assumed of the terms in the condition.
    let assume = assume && (conditions.iter().any(|b| asks(b, &chooses)) || !may_wrap(&chooses, conditions));
    let mut whole: Option<Proof> = None;
    for case in [true, false] {
        let mut known = Subst::knowing(&chooses, case);
        // What is known first: an equation of indices is looked at when all others are.
        let mut left = vec![if case { chooses.clone() } else { B::not(&chooses) }];
        left.extend(conditions.iter().map(|b| known.boolean(b)));
        let found = by_cases(rules, &left, cases + 1, assume)?;
        match &mut whole {
            Some(proof) => proof.join(found),
            None => whole = Some(found),
        }
    }
    whole
}

/// A condition by which a value is chosen, and in which none is.
fn choosing(conditions: &[B]) -> Option<B> {
    let mut found = None;
    let mut visit = |term: &N| {
        if let NExp::If(condition, ..) = term.kind()
            && found.is_none()
        {
            let mut chooses = false;
            subterms(condition, &mut |inner| chooses |= matches!(inner.kind(), NExp::If(..)));
            if !chooses {
                found = Some(condition.clone());
            }
        }
    };
    conditions.iter().for_each(|b| subterms(b, &mut visit));
    found
}

/// Is a value that is chosen by `chooses` needed in any case, so that the condition holds?
fn asks(condition: &B, chooses: &B) -> bool {
    let (mut seen, mut conditions, mut terms) = (FxHashSet::default(), vec![condition], Vec::new());
    loop {
        if let Some(condition) = conditions.pop() {
            match condition.kind() {
                BExp::And(parts) => conditions.extend(parts),
                BExp::Rel(_, l, r) => terms.extend([l, r]),
                BExp::Or(_) | BExp::Not(_) | BExp::Lit(_) => {}
            }
        } else if let Some(term) = terms.pop() {
            if !seen.insert(term.address()) {
                continue;
            }
            match term.kind() {
                NExp::If(condition, ..) if condition == chooses => return true,
                // C may look at some parts of others only.
                NExp::If(condition, ..) => {
                    conditions.extend(matches!(condition.kind(), BExp::Rel(..)).then_some(condition))
                }
                NExp::Bin(_, _, l, r) => terms.extend([l, r]),
                NExp::Cast(_, inner) => terms.push(inner),
                NExp::Call(_, args) => terms.extend(args),
                NExp::Num(_) | NExp::Var(_) => {}
            }
        } else {
            return false;
        }
    }
}

/// May something in a condition leave its type, by what the others say of single variables?
fn may_wrap(condition: &B, others: &[B]) -> bool {
    let mut ranges = Ranges::new();
    others.iter().for_each(|b| ranges.assume_cases(b));
    let mut wraps = false;
    subterms(condition, &mut |term| {
        let (ty, raw) = match term.kind() {
            NExp::Bin(op, ty, l, r) => (*ty, Interval::of_bin(*op, *ty, ranges.interval(l), ranges.interval(r))),
            NExp::Cast(ty, inner) => (*ty, ranges.interval(inner)),
            NExp::Num(_) | NExp::Var(_) | NExp::If(..) | NExp::Call(..) => return,
        };
        wraps |= !raw.within(Interval::of_type(ty));
    });
    wraps
}

fn at_once(rules: Rules, conditions: &[B], assume: bool) -> Option<Proof> {
    let mut exact = Facts::new(rules, conditions, false);
    if exact.refuted(0) {
        return Some(proof(&exact));
    }
    if !exact.values.doubtful || !assume {
        return None;
    }
    let mut assuming = Facts::new(rules, conditions, true);
    assuming.refuted(0).then(|| proof(&assuming))
}

fn proof(done: &Facts) -> Proof {
    let values = &done.values;
    Proof { rule: done.rule, assumed: values.assumed.iter().cloned().collect(), serious: values.is_serious() }
}

/// Shows that no two threads race on the array in the phase, where `more` holds of any pair of threads.
///
/// Source:   protocol-spec/09-presolve.md [OPT-RACE].       Shape: phase, array -> proof.
/// Ensures:  THM-PRESOLVE, tests/presolve.rs: the race formula of the array, and `more`, have no solution.
pub fn race_free(phase: &RacePhase, array: &Name, more: &[B]) -> Option<Proof> {
    let sides: Vec<_> = phase.sides.iter().filter(|s| s.array == *array).collect();
    let sides = distinct(&sides);
    let pairs = |n: usize| n * (n + 1) / 2;
    let reads = sides.iter().filter(|side| side.mode == Mode::Rd).count();
    if pairs(sides.len()) - pairs(reads) > PAIRS {
        return None;
    }
    let instances: Vec<_> = sides.iter().map(|side| Task::BOTH.map(|task| phase.instantiate(side, task))).collect();
    let mut whole: Option<Proof> = None;
    for (i, [one, _]) in instances.iter().enumerate() {
        for [_, two] in instances.iter().skip(i) {
            let pair = race_pair(one, two, phase.level);
            if pair.as_lit() == Some(false) {
                continue;
            }
            let conditions: Vec<B> = [&phase.assumptions].into_iter().chain(more).chain([&pair]).cloned().collect();
            let found = refute(&conditions)?;
            whole.get_or_insert(Proof { rule: Rule::Guard, assumed: Vec::new(), serious: false }).join(found);
        }
    }
    whole.or(Some(Proof { rule: Rule::ReadOnly, assumed: Vec::new(), serious: false }))
}
