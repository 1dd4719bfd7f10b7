//! The races of a kernel: for each array and phase all pairs of accesses that race, one after the other.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::divisors::Divisors;
use super::execute::{ENDS, Size, Tried};
use super::findings::{Key, axes, kind, report_level};
use super::host::is_of_host;
use super::kernel::Check;
use super::near::near;
use super::pipeline::AtLevel;
use super::questions::question;
use super::source::location;
use super::witness::{Race, shrink, solves, witness};
use crate::base::Name;
use crate::core::race::{ArrayRaces, RacePhase, Side, same_value_pair};
use crate::core::scope::{Level, Task};
use crate::core::{Kernel, Mode, Protocol, SiteId};
use crate::exp::keeping::{fits, keeping};
use crate::exp::subst::subterms;
use crate::exp::wrap::assumption;
use crate::exp::{B, FunKind, IntTy, N, NExp, Var, free_vars_b, free_vars_n};
use crate::kernel::infer::MAX_ALONG;
use crate::report::finding::{AccessMode, AccessReport, Finding, FindingClass, FindingKind, Replay, Witness};
use crate::smt::{Answer, Model, Reason};

/// Time that a question gets where one race is confirmed, beyond a few times what the first took.
const ANOTHER: Duration = Duration::from_millis(500);
/// Time for all such questions of a kernel, beyond what it took to confirm the first race.
const OTHERS: Duration = Duration::from_secs(5);
/// The same, where there are races that are merely possible: another one may be certain.
const UNSURE: Duration = Duration::from_secs(10);
/// Findings that are looked for while none is confirmed, whatever is wanted: the verdict may depend on the next one.
const UNCONFIRMED: usize = 20;
/// Terms of which it is asked that they do not overflow.
const KEPT: usize = 12;
/// Times that other parameters are asked for where a run refutes a race.
const AGAIN: usize = 4;
/// Times that other races are looked for beside one, and none is found, before that is given up.
const BARREN: usize = 2;
/// Contents up to this are likely to be places in arrays.
const NEAR: i128 = 1 << 16;
/// Values beyond this are worth a question whether smaller ones will do.
const LARGE: i128 = 64;

/// What is asked about one array in one phase.
struct Asked<'p> {
    phase: &'p RacePhase,
    races: ArrayRaces,
    /// What all races have in common.
    base: Vec<B>,
    /// Not the pairs that were found. [RACE-BLOCK]
    blocked: Vec<B>,
    done: Vec<[(SiteId, u8); 2]>,
    /// What was asked for smaller values, and not found: with more pairs blocked there are not any either.
    not_smaller: Vec<Vec<B>>,
    /// Times that trying may still find nothing. [WIT-NEAR]
    tries: usize,
    /// Not these parameters, with which a run refuted the race.
    avoided: Vec<B>,
    /// What is asked for instead where the last of these cannot be, the last one first.
    weaker: Vec<B>,
    /// With parameters that are sizes, a run leaves an object all the same. [WIT-CLASS]
    sizes: bool,
    /// What is known of any pair of threads.
    facts: Vec<B>,
    /// Why no race is certain. [HOST-COMPUTED]
    doubt: Option<String>,
    /// Launches and sizes that are looked at: none larger than is taken for granted, or only some. [WIT-LAUNCH], [WIT-GUESS]
    within: Vec<B>,
    /// Signed arithmetic that does not overflow where it is needed: it did in a run. [WIT-OVERFLOW]
    kept: Vec<N>,
}

impl Asked<'_> {
    fn query(&self, more: impl IntoIterator<Item = B>) -> crate::smt::Query {
        let known = self.facts.iter().chain(&self.within).chain(&self.blocked).chain(&self.avoided).cloned();
        let base = self.base.iter().map(|b| keeping(b, &self.kept));
        question(base.chain(known).chain(more.into_iter().map(|b| keeping(&b, &self.kept))).collect())
    }

    /// What an answer rests on, and that arithmetic keeps to its types.
    fn with_kept(&self, assumptions: Vec<String>) -> Vec<String> {
        assumptions.into_iter().chain(self.kept.iter().map(assumption)).collect()
    }

    /// Signed sums, differences and products that overflow with the values of a model.
    fn overflows(&self, kernel: &Kernel<Protocol>, model: &Model) -> Vec<N> {
        let mut found: Vec<N> = Vec::new();
        for condition in &self.base {
            subterms(condition, &mut |term| {
                if let Some(fits) = fits(term)
                    && !self.kept.contains(term)
                    && !found.contains(term)
                    && solves(kernel, model, &B::not(&fits))
                {
                    found.push(term.clone());
                }
            });
        }
        found
    }

    /// The sides that are this access: in several loops or branches of the phase it is one access all the same.
    fn sides(&self, array: &Name, (site, mode): (SiteId, u8)) -> Vec<usize> {
        let sides = self.phase.sides.iter().enumerate();
        sides.filter(|(_, s)| s.array == *array && s.site == site && kind(&s.mode) == mode).map(|(i, _)| i).collect()
    }

    /// The two sides that a model names, and what has to hold so that they race.
    fn solution(&self, model: &Model, same_value: bool) -> Option<([usize; 2], B)> {
        let pair = chosen(&self.races, model)?;
        Some((pair, self.race(pair, same_value)))
    }

    /// What has to hold so that two sides race.
    fn race(&self, pair: [usize; 2], same_value: bool) -> B {
        let sides = pair.map(|i| &self.phase.sides[i]);
        let one = self.phase.instantiate(sides[0], Task::One);
        let two = self.phase.instantiate(sides[1], Task::Two);
        let same = same_value_pair(&one, &two);
        let mut parts = vec![self.phase.assumptions.clone(), self.phase.pair(sides[0], sides[1])];
        parts.push(if same_value { same } else { B::not(&same) });
        let known = self.facts.iter().chain(&self.within).chain(&self.avoided).cloned();
        B::and(parts.iter().map(|b| keeping(b, &self.kept)).chain(known))
    }

    fn accesses(&self, pair: [usize; 2]) -> [(SiteId, u8); 2] {
        pair.map(|i| (self.phase.sides[i].site, kind(&self.phase.sides[i].mode)))
    }

    fn is_done(&self, pair: [usize; 2]) -> bool {
        let [one, two] = self.accesses(pair);
        self.done.contains(&[one, two]) || self.done.contains(&[two, one])
    }

    /// From now on other pairs than this one.
    fn block(&mut self, array: &Name, pair: [(SiteId, u8); 2]) {
        let [one, two] = pair.map(|access| self.sides(array, access));
        self.blocked.push(self.races.other_than(&one, &two));
        self.done.push(pair);
        self.avoided.clear();
        self.weaker.clear();
        self.sizes = false;
    }
}

/// What a race is that is not certain. Between stores of the same value it is asked about last: there is no other. [RACE-SAME]
fn possible_class(same_value: bool) -> FindingClass {
    if same_value { FindingClass::PossibleSameValue } else { FindingClass::Possible }
}

/// What a run says against the parameters of a race.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    /// There is none.
    Race,
    /// It left an object before, whose size is not known, whatever arrays hold.
    Place,
    /// It left an array before.
    Array,
}

/// A class, and what it rests on.
struct Judged {
    class: FindingClass,
    replay: Option<Replay>,
    reason: Option<String>,
    /// Why other parameters are worth a try.
    without: Option<Without>,
    /// Where a run met that shows what the model made up, in bytes of the array.
    starts: Option<[u64; 2]>,
}

impl Check<'_> {
    pub(super) fn level(&mut self, at: &AtLevel) {
        for mut phase in at.race_phases() {
            self.divided(&mut phase);
            for array in phase.arrays() {
                if self.is_late() {
                    return;
                }
                let selected =
                    self.options.arrays.is_empty() || self.options.arrays.iter().any(|a| a == array.as_str());
                if selected && may_conflict(&phase, &array) {
                    self.array(at, &phase, &array);
                } else if selected {
                    self.presolve.read_only();
                }
                // More would not change the verdict.
                if self.enough() {
                    self.cut = true;
                    return;
                }
            }
        }
    }

    /// Asks whether there are races, which another check of the kernel will want to know. [RUN-AHEAD]
    pub(super) fn foresee(&mut self, at: &AtLevel) {
        for mut phase in at.race_phases() {
            self.divided(&mut phase);
            for array in phase.arrays().into_iter().filter(|array| may_conflict(&phase, array)) {
                if self.is_late() {
                    return;
                }
                if let Some((asked, _)) = self.open(&phase, &array)
                    && matches!(self.session.with_little_work(&asked.query([])), Answer::Unknown(_))
                {
                    self.session.exists(&asked.query([]));
                }
            }
        }
    }

    /// Is the time so long over that the rest is left?
    pub(super) fn is_late(&mut self) -> bool {
        let is_late = self.session.is_late();
        if is_late && self.reasons.iter().all(|r| r.code != "run-timeout") {
            self.reason("run-timeout", "its share of the time for the run was over", None);
        }
        is_late
    }

    /// Nothing was divided by zero before an access, nor by a size that is negative. [CHK-DIVISOR]
    fn divided(&mut self, phase: &mut RacePhase) {
        for side in &mut phase.sides {
            let globals = &self.inferred.kernel.globals;
            let (conditions, sizes) =
                Divisors::of(side, &phase.assumptions).conditions(globals, self.options.negative_sizes);
            side.guard = B::and([side.guard.clone(), conditions]);
            self.rests_on(
                sizes.iter().map(|name| format!("`{name}`, by which something is divided, is not negative")).collect(),
            );
        }
    }

    /// Are there as many findings as are wanted, and a verdict that more of them would not change?
    fn enough(&self) -> bool {
        self.findings.any(FindingClass::Confirmed) && self.full()
    }

    /// Are there as many findings as are looked for?
    fn full(&self) -> bool {
        let most = self.options.max_findings;
        let confirmed = self.findings.any(FindingClass::Confirmed);
        self.findings.len() >= if confirmed { most } else { most.max(UNCONFIRMED) }
    }

    /// The time for another race where one took so long: once the verdict is there, it must not wait for what else there is.
    fn another(&mut self, first: Duration) -> Option<Duration> {
        self.others().map(|left| left.min(first * 4 + ANOTHER))
    }

    /// What is left of the time for other races than the confirmed ones.
    fn others(&mut self) -> Option<Duration> {
        if !self.findings.any(FindingClass::Confirmed) {
            return None;
        }
        let now = self.started.elapsed();
        let end = *self.confirmed.get_or_insert(now) * 2 + OTHERS;
        Some(end.saturating_sub(now))
    }

    /// What is left of the time for certain races beside possible ones.
    fn unsure(&mut self) -> Option<Duration> {
        if self.findings.len() == 0 {
            return None;
        }
        let now = self.started.elapsed();
        let end = *self.possible.get_or_insert(now) * 2 + UNSURE;
        Some(end.saturating_sub(now))
    }

    /// What is asked about an array in a phase, and whether values that are stored matter to it; `None` where that is
    /// decided without a question.
    fn open<'p>(&mut self, phase: &'p RacePhase, array: &Name) -> Option<(Asked<'p>, bool)> {
        // First without stored values, which only tell same-value races apart and can make a query hard.
        let mut without = phase.clone();
        let mut valued = false;
        for side in &mut without.sides {
            if let Mode::Wr(value) = &mut side.mode {
                valued |= side.array == *array && value.is_some();
                *value = None;
            }
        }
        let facts = self.pair_facts(&phase.locals);
        if let Some(assumptions) = self.presolve.race_free(&without, array, &facts) {
            self.rests_on(assumptions);
            return None;
        }
        if let Some(merged) = self.presolve.merged(&without, array)
            && let Some(assumptions) = self.merged(&merged, array)
        {
            self.rests_on(assumptions);
            return None;
        }
        let races = without.races_on(array);
        if races.formula.as_lit() == Some(false) {
            return None;
        }
        let base = vec![phase.assumptions.clone(), races.formula.clone()];
        let facts = self.facts(&base, &phase.locals);
        let asked = Asked {
            phase,
            races,
            base,
            blocked: Vec::new(),
            done: Vec::new(),
            not_smaller: Vec::new(),
            tries: BARREN,
            avoided: Vec::new(),
            weaker: Vec::new(),
            sizes: false,
            facts,
            doubt: None,
            within: Vec::new(),
            kept: Vec::new(),
        };
        Some((asked, valued))
    }

    /// Is there any race on an array, and why sizes were guessed for it, if they were. [WIT-GUESS]
    fn any(&mut self, at: &AtLevel, asked: &mut Asked, array: &Name) -> (Answer, Option<Reason>) {
        let query = asked.query([]);
        let is_sure = self.others().is_some();
        let mut answer = self.session.exists_briefly(&query);
        // What is not seen at once often is for small sizes: where a run bears it out, that is enough.
        if let (Answer::Unknown(reason), false) = (&answer, is_sure) {
            match self.guess_for(asked, array, Check::first_guess) {
                Some(model) if self.is_real(at, asked, array, &model) => {
                    return (Answer::Sat(model), Some(reason.clone()));
                }
                _ => asked.within.clear(),
            }
            answer = self.session.with_little_work(&query);
        }
        // What was proved may rest on less.
        if matches!(&answer, Answer::Unsat { assumptions } if !assumptions.is_empty()) && !is_sure {
            answer = self.session.with_little_work(&query);
        }
        if let Answer::Unknown(reason) = &answer {
            match self.guess_for(asked, array, Check::guess) {
                Some(model) => return (Answer::Sat(model), Some(reason.clone())),
                // Once the verdict is there, it must not wait for what other arrays there are either.
                None => {
                    let most = self.others();
                    answer = self.session.exists_within(&query, most);
                }
            }
        }
        (answer, None)
    }

    /// Is there a certain race of different values, as a model says?
    fn is_real(&mut self, at: &AtLevel, asked: &Asked, array: &Name, model: &Model) -> bool {
        let Some((pair, holds)) = asked.solution(model, false) else { return false };
        let race = witness(&at.kernel, asked.phase, pair, &holds, model, self.options.warps.size);
        self.finding(asked.phase, array, pair, race, false).1.class == FindingClass::Confirmed
    }

    /// A race of different values for guessed sizes, which are looked at from then on.
    fn guess_for(
        &mut self,
        asked: &mut Asked,
        array: &Name,
        guess: impl FnOnce(&mut Self, &B, B, Vec<B>) -> Option<(Model, B)>,
    ) -> Option<Model> {
        let races = asked.phase.races_on(array);
        let formula = B::and([races.formula.clone(), B::not(&races.same_value)]);
        let others = asked.blocked.iter().chain(&asked.facts).cloned().collect();
        let (model, sizes) = guess(self, &asked.phase.assumptions, formula, others)?;
        asked.within.push(sizes);
        Some(model)
    }

    /// All races on one array in one phase.
    fn array(&mut self, at: &AtLevel, phase: &RacePhase, array: &Name) {
        let Some((mut asked, valued)) = self.open(phase, array) else { return };
        let known = self.findings.confirmed(array, phase.level);
        known.iter().for_each(|pair| asked.block(array, *pair));
        let started = Instant::now();
        let mut some;
        self.queries += 1;
        let (answer, mut guessed) = self.any(at, &mut asked, array);
        match answer {
            Answer::Unsat { assumptions } => return self.rests_on(assumptions),
            Answer::Sat(model) => some = Some(model),
            Answer::Unknown(reason) => return self.unknown(array, &reason, at.level),
        }
        if guessed.is_none()
            && let Some(limit) = some.as_ref().and_then(|model| self.beyond(model))
        {
            self.queries += 1;
            match self.session.exists(&asked.query([limit.clone()])) {
                Answer::Unsat { mut assumptions } => {
                    assumptions.push("fewer than 2^28 threads in all".to_owned());
                    return self.rests_on(assumptions);
                }
                Answer::Sat(model) => {
                    some = Some(model);
                    asked.within.push(limit);
                }
                Answer::Unknown(_) => {
                    let doubt = "whether there is one in a launch of fewer than 2^28 threads is not known";
                    asked.doubt = Some(doubt.to_owned());
                }
            }
        }
        // Where the host computes numbers in ways that are not followed, a race is certain if it is there for usual ones.
        if guessed.is_none()
            && let Some(usual) = self.usual()
        {
            self.queries += 1;
            match self.session.with_little_work(&asked.query([usual.clone()])) {
                Answer::Sat(model) => {
                    some = Some(model);
                    asked.within.push(usual);
                    guessed = Some(Reason::Incomplete(self.unusual()));
                }
                Answer::Unsat { .. } | Answer::Unknown(_) => asked.doubt = Some(self.unusual()),
            }
        }
        if valued {
            asked.races = phase.races_on(array);
            asked.base = vec![phase.assumptions.clone(), asked.races.formula.clone()];
            asked.facts = self.facts(&asked.base, &phase.locals);
        }
        let mut first = None;
        let mut refuted = None;
        // What is there only where signed arithmetic overflows, as far as is known.
        let mut overflowed: Option<(Key, Finding)> = None;
        let mut any = !known.is_empty();
        // First races of different values; then, are there any between stores of the same one?
        for same_value in [false, true] {
            // What is tried again, with other parameters: its class is what they show.
            let mut again: Option<Key> = None;
            let condition = if same_value { asked.races.same_value.clone() } else { B::not(&asked.races.same_value) };
            while condition.as_lit() != Some(false) {
                let most = match first {
                    Some(first) => self.another(first),
                    None => self.others(),
                };
                self.queries += 1;
                let query = asked.query([condition.clone()]);
                let mut answer = match (first, most) {
                    (Some(_), Some(most)) => self.session.model_briefly(&query, most),
                    (_, Some(most)) => self.session.model(&query, Some(most)),
                    (_, None) => {
                        let unsure = self.unsure();
                        self.session.model(&query, unsure)
                    }
                };
                if let (Answer::Unknown(_), None) = (&answer, first)
                    && let Some(model) = some.take()
                    && asked.solution(&model, same_value).is_some_and(|(_, c)| solves(&at.kernel, &model, &c))
                {
                    // The one that was found before is better than none.
                    answer = Answer::Sat(model);
                }
                match answer {
                    Answer::Unsat { .. } | Answer::Unknown(_) if !asked.weaker.is_empty() => {
                        asked.avoided.pop();
                        asked.avoided.extend(asked.weaker.pop());
                    }
                    Answer::Unsat { .. } | Answer::Unknown(_) if !asked.avoided.is_empty() => {
                        refuted.into_iter().for_each(|pair| asked.block(array, pair));
                    }
                    Answer::Unsat { assumptions } => {
                        self.rests_on(asked.with_kept(assumptions));
                        overflowed = None;
                        break;
                    }
                    Answer::Sat(model) => {
                        any = true;
                        let Some((pair, model)) = self.small(at, &mut asked, model, &condition, same_value) else {
                            let reason = Reason::Incomplete("the model names no accesses".to_owned());
                            return self.unknown(array, &reason, at.level);
                        };
                        let holds = asked.race(pair, same_value);
                        let race = witness(&at.kernel, phase, pair, &holds, &model, self.options.warps.size);
                        let accesses = asked.accesses(pair);
                        let (key, mut finding, without) = self.finding(phase, array, pair, race, same_value);
                        if let Some(doubt) = asked.doubt.as_ref().filter(|_| finding.class == FindingClass::Confirmed) {
                            finding.class = FindingClass::Possible;
                            finding.replay = None;
                            finding.reason = Some(doubt.clone());
                        }
                        if !finding.class.is_certain() && asked.kept.len() < KEPT {
                            let kept = asked.overflows(&at.kernel, &model);
                            if !kept.is_empty() {
                                overflowed.get_or_insert((key, finding));
                                asked.kept.extend(kept);
                                continue;
                            }
                        }
                        let is_outside = match without {
                            Some(Without::Place) => finding.class == FindingClass::Confirmed,
                            Some(Without::Array) => true,
                            Some(Without::Race) | None => false,
                        };
                        if is_outside
                            && let Some((narrow, wide)) =
                                self.sizes(&holds).filter(|_| !std::mem::replace(&mut asked.sizes, true))
                        {
                            finding.class = possible_class(same_value);
                            finding.replay = None;
                            finding.reason =
                                Some("with these values the run leaves an array before the race".to_owned());
                            let is_first = !self.findings.has(&key);
                            self.findings.add(key.clone(), finding);
                            again = again.or(is_first.then_some(key));
                            refuted = Some(accesses);
                            asked.avoided.push(narrow);
                            asked.weaker = wide;
                            continue;
                        }
                        let sure = finding.class.is_certain();
                        if sure && again.as_ref() == Some(&key) {
                            self.findings.remove(&key);
                        }
                        let is_first = !self.findings.has(&key);
                        self.findings.add(key.clone(), finding);
                        if matches!(without, Some(Without::Race | Without::Array))
                            && asked.avoided.len() < AGAIN
                            && let Some([far, other]) = self.elsewhere(&model)
                        {
                            again = again.or(is_first.then_some(key));
                            refuted = Some(accesses);
                            asked.avoided.push(far);
                            asked.weaker = vec![other];
                            continue;
                        }
                        if self.full() {
                            self.cut = true;
                            return;
                        }
                        asked.block(array, accesses);
                        if sure && asked.tries > 0 {
                            self.beside(at, &mut asked, array, &model, same_value);
                            if self.full() {
                                self.cut = true;
                                return;
                            }
                        }
                        first.get_or_insert(started.elapsed());
                    }
                    Answer::Unknown(_) if most.is_some() => {
                        self.cut = true;
                        return;
                    }
                    Answer::Unknown(reason) => {
                        if let Some((key, finding)) = overflowed {
                            self.findings.add(key, finding);
                        }
                        return self.unknown(array, &reason, at.level);
                    }
                }
            }
        }
        // With other sizes there may be more.
        if let Some(reason) = guessed {
            self.cut = true;
            if self.findings.any(FindingClass::Confirmed) {
                return;
            }
            asked.within.clear();
            asked.blocked.clear();
            asked.avoided.clear();
            self.queries += 1;
            match self.session.exists(&asked.query([B::not(&asked.races.same_value)])) {
                Answer::Unsat { assumptions } => self.rests_on(asked.with_kept(assumptions)),
                Answer::Sat(_) | Answer::Unknown(_) => return self.unknown(array, &reason, at.level),
            }
        }
        if !any {
            let text = "there is a race, but not with the stored values as they are modelled".to_owned();
            self.unknown(array, &Reason::Incomplete(text), at.level);
        }
    }

    /// Other parameters than those of a model: positive, and each another one; or only one of them another.
    pub(super) fn elsewhere(&self, model: &Model) -> Option<[B; 2]> {
        let globals = self.inferred.kernel.globals.iter();
        let others: Vec<(bool, B, B)> = globals
            .map(|v| {
                let (x, value) = (N::var(v), model.vars.get(&v.name).copied().unwrap_or(0));
                let size =
                    v.ty.bits > 1 && v.ty != IntTy::OPAQUE && !is_of_host(v) && !v.name.as_str().contains("Dim.");
                (size, x.ne(&N::num(value)), N::num(1).le(&x))
            })
            .collect();
        let any = B::or(others.iter().map(|(_, other, _)| other.clone()).collect::<Vec<_>>());
        let sizes = others.iter().filter(|(size, ..)| *size);
        let far = B::and(sizes.flat_map(|(_, other, positive)| [other.clone(), positive.clone()]).collect::<Vec<_>>());
        any.as_lit().is_none().then(|| [B::and([far, any.clone()]), any])
    }

    /// That the signed parameters are positive, that blocks are no larger than arrays which their threads access, and that
    /// the contents which a race rests on are no negative numbers, nor large ones. Then only some of that: blocks as large
    /// as all their threads say, any contents.
    fn sizes(&self, race: &B) -> Option<(B, Vec<B>)> {
        let globals = self.inferred.kernel.globals.iter();
        let signed = globals.filter(|v| v.ty.signed && v.ty.bits != 0 && !is_of_host(v));
        let positive: Vec<B> = signed.map(|v| N::num(1).le(&N::var(v))).collect();
        let room = |of: &dyn Fn(bool) -> bool| {
            let facts = self.inferred.room.iter().filter(|(_, all)| of(*all)).map(|(fact, _)| fact.clone());
            B::and(positive.iter().cloned().chain(facts).collect::<Vec<_>>())
        };
        let near = |term: &N| [N::num(0).le(term), term.le(&N::num(NEAR))];
        let near = B::and(contents([race]).iter().flat_map(near).collect::<Vec<_>>());
        let [all, some] = [room(&|_| true), room(&|all| all)];
        let mut sizes = vec![some.clone(), all.clone(), B::and([some, near.clone()]), B::and([all, near])];
        sizes.dedup();
        let first = sizes.pop()?;
        sizes.retain(|b| *b != first && b.as_lit() != Some(true));
        (first.as_lit() != Some(true)).then_some((first, sizes))
    }

    /// That a launch is not larger than is taken for granted, where that of a model is.
    pub(super) fn beyond(&self, model: &Model) -> Option<B> {
        let axes = ["x", "y", "z"];
        let sizes = [("blockDim", self.launch.block), ("gridDim", self.launch.grid)];
        let fixed = sizes.iter().flat_map(|(_, sizes)| sizes).flatten().product::<i128>();
        let open = sizes.iter().flat_map(|(what, sizes)| {
            axes.iter()
                .zip(sizes)
                .filter(|(_, s)| s.is_none())
                .map(move |(axis, _)| Var::new(format!("{what}.{axis}").as_str(), IntTy::U32))
        });
        let open: Vec<Var> = open.filter(|v| self.inferred.kernel.globals.contains(v)).collect();
        let threads =
            open.iter().fold(fixed, |all, v| all.saturating_mul(model.vars.get(&v.name).copied().unwrap_or(1)));
        let volume = open.iter().fold(N::num(fixed), |all, v| N::mul(IntTy::MATH, &all, &N::var(v)));
        let large = self.options.large_grids || self.source.host.is_large;
        (!large && !open.is_empty() && threads > MAX_ALONG).then(|| volume.le(&N::num(MAX_ALONG)))
    }

    /// What it rests on that accesses which stand for all those to the array do not race. [OPT-MERGE]
    fn merged(&mut self, phase: &RacePhase, array: &Name) -> Option<Vec<String>> {
        /// With more accesses, the question is not worth asking where there may well be a race.
        const FEW: usize = 3;
        let facts = self.pair_facts(&phase.locals);
        if let Some(assumptions) = self.presolve.race_free(phase, array, &facts) {
            return Some(assumptions);
        }
        if phase.sides.len() > FEW {
            return None;
        }
        let mut asked = vec![phase.assumptions.clone(), phase.races_on(array).formula];
        asked.extend(self.facts(&asked, &phase.locals));
        self.queries += 1;
        match self.session.with_little_work(&question(asked)) {
            Answer::Unsat { assumptions } => Some(assumptions),
            Answer::Sat(_) | Answer::Unknown(_) => None,
        }
    }

    /// Adds other races with the parameters of one. What running the code does not bear out is left to the solver.
    /// [WIT-NEAR]
    fn beside(&mut self, at: &AtLevel, asked: &mut Asked, array: &Name, known: &Model, same_value: bool) {
        let phase = asked.phase;
        let mut some = false;
        let mut model = known.clone();
        for near in near(&at.kernel, phase, &asked.races.sides, known) {
            if self.full() {
                return;
            }
            if asked.is_done(near.sides) {
                continue;
            }
            let holds = asked.race(near.sides, same_value);
            near.put(phase, &mut model);
            if !solves(&at.kernel, &model, &holds) {
                continue;
            }
            let own: Vec<_> = near.sides.iter().flat_map(|i| &phase.sides[*i].binders).collect();
            let own: Vec<_> = own.into_iter().map(|r| r.var.name.clone()).collect();
            let small = shrink(&at.kernel, &own, &model, &holds);
            let race = witness(&at.kernel, phase, near.sides, &holds, &small, self.options.warps.size);
            let (key, finding, _) = self.finding(phase, array, near.sides, race, same_value);
            if !finding.class.is_certain() {
                break;
            }
            self.findings.add(key, finding);
            asked.block(array, asked.accesses(near.sides));
            some = true;
        }
        asked.tries -= usize::from(!some);
    }

    /// The accesses that a model names, and the same race with small values: it is replayed sooner, and easier to read.
    fn small(
        &mut self,
        at: &AtLevel,
        asked: &mut Asked,
        model: Model,
        condition: &B,
        same_value: bool,
    ) -> Option<([usize; 2], Model)> {
        let made_small = |asked: &Asked, model: &Model| {
            let (pair, holds) = asked.solution(model, same_value)?;
            let sides = pair.map(|i| &asked.phase.sides[i]);
            let own: Vec<_> = sides.iter().flat_map(|s| s.binders.iter().map(|r| r.var.name.clone())).collect();
            Some((pair, shrink(&at.kernel, &own, model, &holds)))
        };
        let first = made_small(asked, &model)?;
        let large: Vec<B> = self
            .inferred
            .kernel
            .globals
            .iter()
            .filter(|v| first.1.vars.get(&v.name).is_some_and(|value| value.abs() > LARGE))
            .flat_map(|v| {
                let x = N::var(v);
                [N::num(-LARGE).le(&x), x.le(&N::num(LARGE))]
            })
            .collect();
        // Contents that are places and lengths, as a rule: with small ones a run stays in arrays, and loops are short.
        let near = |term: &N| [N::num(0).le(term), term.le(&N::num(LARGE))];
        let of_race: Vec<B> = contents([&asked.race(first.0, same_value)]).iter().flat_map(near).collect();
        let is_far = !of_race.is_empty() && !solves(&at.kernel, &first.1, &B::and(of_race));
        let mut wanted = Vec::new();
        if is_far {
            wanted.push(large.iter().cloned().chain(contents(&asked.base).iter().flat_map(near)).collect());
        }
        if !large.is_empty() {
            wanted.push(large);
        }
        for smaller in wanted {
            let smaller: Vec<B> = smaller.into_iter().chain([condition.clone()]).collect();
            if asked.not_smaller.contains(&smaller) {
                continue;
            }
            self.queries += 1;
            match self.session.model(&asked.query(smaller.iter().cloned()), Some(ANOTHER)) {
                Answer::Sat(small) => return made_small(asked, &small),
                Answer::Unsat { .. } | Answer::Unknown(_) if asked.avoided.is_empty() => {
                    asked.not_smaller.push(smaller);
                }
                Answer::Unsat { .. } | Answer::Unknown(_) => {}
            }
        }
        Some(first)
    }

    fn unknown(&mut self, array: &Name, reason: &Reason, level: Level) {
        let code = match reason {
            Reason::NoSolver(_) => "solver-missing",
            Reason::SolverDied(_) | Reason::SolverError(_) | Reason::Garbage(_) | Reason::Disagreement(_) => {
                "solver-failed"
            }
            Reason::Timeout | Reason::Incomplete(_) | Reason::Unencodable(_) => "solver-unknown",
        };
        let between = match level {
            Level::Warp => "threads of one warp",
            Level::Block => "threads of one block",
            Level::Cluster => "threads of different blocks of one cluster",
            Level::Grid => "threads of different blocks",
        };
        self.reason(code, format!("whether {between} race on `{array}` was not decided: {reason}"), None);
    }

    /// A race as a finding. Did a run refute it?
    fn finding(
        &mut self,
        phase: &RacePhase,
        array: &Name,
        pair: [usize; 2],
        race: Race,
        same_value: bool,
    ) -> (Key, Finding, Option<Without>) {
        let kernel = &self.inferred.kernel;
        let mut accesses = Vec::new();
        for (i, side) in pair.iter().enumerate() {
            let side = &phase.sides[*side];
            let site = match self.inferred.sites.get(side.site.0 as usize) {
                Some(site) => site,
                None => crate::bug!("site {} is not known", side.site.0),
            };
            accesses.push(AccessReport {
                at: location(self.sources, site.span),
                mode: match side.mode {
                    Mode::Rd => AccessMode::Read,
                    Mode::Wr(_) => AccessMode::Write,
                    Mode::At(_) => AccessMode::Atomic,
                },
                thread: axes(&kernel.threads, &race.threads[i].thread),
                block: axes(&kernel.blocks, &race.threads[i].block),
                index: race.index[i].clone(),
                calls: site.calls.iter().map(|s| location(self.sources, *s)).collect(),
                locals: race.locals[i].clone(),
            });
        }
        let witness = self.values(race.globals.clone(), race.contents.clone());
        let judged = self.judge(phase, pair, &race, &accesses, &witness, same_value);
        // The cell is that of the run, where the model does not know it.
        let unit = self.inferred.kernel.array(array).map_or(1, |a| u64::from(a.unit.max(1)));
        for (access, start) in accesses.iter_mut().zip(judged.starts.into_iter().flatten()) {
            if let [index] = access.index.as_mut_slice() {
                *index = i128::from(start / unit);
            }
        }
        let id = self.finding_id(array.as_str(), report_level(phase.level), &accesses);
        let key = Key::race(array, phase.level, pair.map(|i| (phase.sides[i].site, kind(&phase.sides[i].mode))));
        let finding = Finding {
            id,
            kind: FindingKind::Race,
            class: judged.class,
            array: array.to_string(),
            level: report_level(phase.level),
            accesses,
            witness,
            replay: judged.replay,
            reason: judged.reason,
            help: None,
        };
        (key, finding, judged.without)
    }

    /// The class of a race: what running the code says, and where it says nothing, what the protocol says.
    fn judge(
        &mut self,
        phase: &RacePhase,
        pair: [usize; 2],
        race: &Race,
        accesses: &[AccessReport],
        witness: &Witness,
        same_value: bool,
    ) -> Judged {
        let known = if same_value { FindingClass::SameValue } else { FindingClass::Confirmed };
        let possible = |why: &str| Judged {
            class: possible_class(same_value),
            replay: None,
            reason: Some(why.to_owned()),
            without: None,
            starts: None,
        };
        let sides = pair.map(|i| &phase.sides[i]);
        if let Some(name) = self.untold(phase, pair, race) {
            return possible(&untold_words(&name));
        }
        // [INF-FENCE]
        if !same_value && sides.iter().any(|side| self.inferred.ordered.contains(&side.site)) {
            return possible(
                "fences, atomic operations or loops that wait may order the two accesses, which is not modelled",
            );
        }
        // [LOCK-DOUBT]  a run does not show when the two are there
        let alike = self.options.warps.lockstep && phase.level == Level::Warp;
        if alike && (phase.approximate || race.doubt.is_some()) {
            return possible(
                "whether threads of a warp, which run in lock-step, get there at the same time is not followed",
            );
        }
        let spans = sides.map(|side| self.span(side.site));
        let tried = self.executor.run(spans, sides.map(|side| side.mode.clone()), race, accesses, witness);
        let seen = |replay| Judged { class: known, replay: Some(replay), reason: None, without: None, starts: None };
        match (tried, &race.doubt) {
            // What the model made up turns out to be so. Stores of one value would be another class.
            (Tried::Met { ran, same_value: stored, starts }, Some(_)) if stored == Some(same_value) => {
                Judged { starts, ..seen(Replay::Kernel(ran)) }
            }
            // The run stored other values than the model says: not even that holds.
            (Tried::Met { same_value: Some(false), .. }, Some(doubt)) if same_value => {
                Judged { class: FindingClass::Possible, ..possible(doubt) }
            }
            // With other parameters, the run may get further.
            (Tried::Refuted(why), Some(doubt)) if why.contains(ENDS) => {
                Judged { without: Some(Without::Race), ..possible(&format!("{doubt}, and {why}")) }
            }
            // [INF-UNKNOWN]
            (Tried::NotRun(_) | Tried::Left { .. }, _) if !same_value && self.calls_between(sides) => possible(
                "a function that is not known, and may have barriers in it, is called between the two accesses",
            ),
            // No other contents lead elsewhere.
            (Tried::Left { how, size: Size::Unknown }, None) if race.contents.is_empty() => {
                Judged { without: Some(Without::Place), ..seen(Replay::Protocol(how)) }
            }
            (Tried::Left { how, .. }, doubt) => {
                let why = doubt.iter().cloned().chain([how]).collect::<Vec<_>>().join(", and ");
                Judged { without: Some(Without::Array), ..possible(&why) }
            }
            (Tried::NotRun(why), Some(doubt)) => possible(&format!("{doubt}, and the code was not run: {why}")),
            (_, Some(doubt)) => possible(doubt),
            (Tried::Met { ran, .. }, None) => seen(Replay::Kernel(ran)),
            (Tried::Refuted(why), None) => Judged { without: Some(Without::Race), ..possible(&why) },
            (Tried::NotRun(why), None) => seen(Replay::Protocol(why)),
        }
    }
}

impl Check<'_> {
    /// May a thread call a function that is not known after the one access and before the other? A run says that these
    /// two do not.
    fn calls_between(&self, sides: [&Side; 2]) -> bool {
        let before = |side: &Side| self.inferred.calls.get(&side.site).copied().unwrap_or(Some(0));
        before(sides[0]).is_none() || before(sides[0]) != before(sides[1])
    }

    /// What the race rests on that the host writes in ways that are not followed: no input may give it these values.
    /// [HOST-UNTOLD]
    fn untold(&self, phase: &RacePhase, pair: [usize; 2], race: &Race) -> Option<String> {
        let untold = &self.source.host.untold;
        if untold.is_empty() {
            return None;
        }
        let mut named = BTreeSet::new();
        for (side, task) in pair.iter().zip(Task::BOTH) {
            let instance = phase.instantiate(&phase.sides[*side], task);
            named.extend(free_vars_b(&instance.active).into_iter().map(|v| v.name));
            named.extend(instance.index.iter().flat_map(free_vars_n).map(|v| v.name));
        }
        let part = named.iter().map(Name::as_str).find(|name| untold.contains(*name));
        part.map(str::to_owned).or_else(|| self.untold_content(race.contents.keys()))
    }

    /// A variable of the device among the contents that something rests on, which the host writes so.
    pub(super) fn untold_content<'c>(&self, mut contents: impl Iterator<Item = &'c String>) -> Option<String> {
        let array = |content: &'c String| content.split('[').next().unwrap_or(content);
        contents.find_map(|c| self.source.host.untold.get(array(c)).cloned())
    }
}

pub(super) fn untold_words(name: &str) -> String {
    format!("it rests on what `{name}` holds, which the host code writes in a way that is not followed")
}

/// The contents of arrays of integers that conditions speak of.
fn contents<'b>(conditions: impl IntoIterator<Item = &'b B>) -> Vec<N> {
    let mut found: Vec<N> = Vec::new();
    for condition in conditions {
        subterms(condition, &mut |term| {
            if let NExp::Call(fun, _) = term.kind()
                && fun.kind == FunKind::Input
                && (8..=64).contains(&fun.ty.bits)
                && !found.contains(term)
            {
                found.push(term.clone());
            }
        });
    }
    found
}

/// Is there a write or atomic among the accesses to the array that another access could race with?
fn may_conflict(phase: &RacePhase, array: &Name) -> bool {
    let sides: Vec<_> = phase.sides.iter().filter(|s| s.array == *array).collect();
    sides.iter().any(|a| sides.iter().any(|b| a.mode.conflicts(&b.mode, phase.level.scope())))
}

/// The two sides that a model has chosen.
fn chosen(races: &ArrayRaces, model: &Model) -> Option<[usize; 2]> {
    let [one, two] = races.selectors.each_ref().map(|v| {
        let value = model.vars.get(&v.name)?;
        races.sides.get(usize::try_from(*value).ok()?).copied()
    });
    Some([one?, two?])
}
