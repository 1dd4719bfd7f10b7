//! Do all threads reach the barriers together?

use std::collections::BTreeMap;

use super::execute::{ENDS, Size, Tried};
use super::findings::{Key, axes, report_level};
use super::kernel::Check;
use super::pipeline::AtLevel;
use super::questions::question;
use super::races::untold_words;
use super::source::location;
use super::witness::{Divergence, diverge, shrink};
use crate::base::Span;
use crate::core::SiteId;
use crate::core::nonempty::{MustRun, may_be_empty};
use crate::core::scope::Level;
use crate::core::uniform::{Obligation, divergence};
use crate::exp::B;
use crate::report::finding::{
    AccessMode, AccessReport, Finding, FindingClass, FindingKind, Level as ReportLevel, Replay,
};
use crate::smt::{Answer, Model};

/// Times that other parameters are asked for where a run ends before the barrier.
const AGAIN: usize = 3;

/// A divergence, with the model that it is from.
struct Diverged {
    key: Key,
    finding: Finding,
    /// Why it is not confirmed.
    doubt: Option<String>,
    /// Did the run end before the barrier?
    ends: bool,
    model: Model,
}

impl Check<'_> {
    pub(super) fn outside_paper(&mut self, why: &str, span: Option<Span>) {
        self.reason("outside-paper", format!("the path of the paper does not take this kernel: {why}"), span);
    }

    /// Does a synchronised loop run, as the path of the paper takes it for granted?
    pub(super) fn runs(&mut self, at: &AtLevel, given: &MustRun) {
        let mut asserts = vec![may_be_empty(&at.projection, given)];
        asserts.extend(self.pair_facts(&at.projection.locals));
        if let Some(assumptions) = self.presolve.refuted(&asserts) {
            return self.rests_on(assumptions);
        }
        self.queries += 1;
        let why = match self.session.check(&question(asserts)) {
            Answer::Unsat { assumptions } => return self.rests_on(assumptions),
            Answer::Sat(_) => "may not run".to_owned(),
            Answer::Unknown(reason) => format!("was not proved to run: {reason}"),
        };
        let why = format!("the synchronised loop over `{}` {why} [WF-NONEMPTY]", given.range.var.name);
        self.outside_paper(&why, Some(self.span(given.barrier)));
    }

    /// Do the threads of a pair agree on whether, and how often, they reach a barrier?
    pub(super) fn uniformity(&mut self, at: &AtLevel, obligation: &Obligation) {
        let span = self.span(obligation.barrier);
        let mut asserts = vec![divergence(&at.projection, obligation)];
        asserts.extend(self.facts(&asserts, &at.projection.locals));
        if let Some(assumptions) = self.presolve.refuted(&asserts) {
            return self.rests_on(assumptions);
        }
        let query = question(asserts.clone());
        self.queries += 1;
        let line = location(self.sources, span).line;
        let mut answer = self.session.check(&query);
        let mut undecided = None;
        if let Answer::Unknown(reason) = &answer {
            undecided = Some(format!("whether all threads reach this barrier together was not decided: {reason}"));
            if let Some((model, sizes)) = self.guess(&B::lit(true), B::and(asserts.clone()), Vec::new()) {
                asserts.push(sizes);
                answer = Answer::Sat(model);
            }
        }
        match answer {
            Answer::Unsat { assumptions } => self.rests_on(assumptions),
            Answer::Sat(mut model) => {
                let mut unusual = None;
                if let Some(usual) = self.usual().filter(|_| undecided.is_none()) {
                    self.queries += 1;
                    asserts.push(usual);
                    match self.session.check(&question(asserts.clone())) {
                        Answer::Sat(with) => model = with,
                        Answer::Unsat { .. } | Answer::Unknown(_) => {
                            asserts.pop();
                            unusual = Some(self.unusual());
                        }
                    }
                }
                let mut found = self.divergence(at, obligation, &asserts, &model, &unusual);
                for _ in 0..AGAIN {
                    let Some([far, other]) = self.elsewhere(&found.model).filter(|_| found.ends) else { break };
                    let before = asserts.len();
                    for different in [far, other] {
                        asserts.truncate(before);
                        asserts.push(different);
                        self.queries += 1;
                        if let Answer::Sat(model) = self.session.check(&question(asserts.clone())) {
                            found = self.divergence(at, obligation, &asserts, &model, &unusual);
                            break;
                        }
                    }
                }
                let sure = found.finding.class == FindingClass::Confirmed;
                self.findings.add(found.key, found.finding);
                if let Some(doubt) = found.doubt.filter(|_| !sure) {
                    let proved = format!("that all threads reach this barrier together was not proved: {doubt}");
                    self.reason("barrier-uniformity", undecided.unwrap_or(proved), Some(span));
                }
                self.assumptions.push(format!("for races: all threads reach the barrier in line {line} together"));
            }
            Answer::Unknown(_) => self.reason("barrier-uniformity", undecided.unwrap_or_default(), Some(span)),
        }
    }

    /// A divergence with the values of a model, or smaller ones.
    fn divergence(
        &mut self,
        at: &AtLevel,
        obligation: &Obligation,
        asserts: &[B],
        model: &Model,
        unusual: &Option<String>,
    ) -> Diverged {
        let model = shrink(&self.inferred.kernel, &[], model, &B::and(asserts.to_vec()));
        let race = diverge(&self.inferred.kernel, asserts, &model, at.level, self.options.warps.size);
        let barrier = race.barrier.unwrap_or(obligation.barrier);
        self.diverged(at.level, barrier, race, model, unusual.clone())
    }

    /// A divergence as a finding, and why it is not confirmed.
    fn diverged(
        &mut self,
        level: Level,
        barrier: SiteId,
        race: Divergence,
        model: Model,
        unusual: Option<String>,
    ) -> Diverged {
        let kernel = &self.inferred.kernel;
        let site = match self.inferred.sites.get(barrier.0 as usize) {
            Some(site) => site.clone(),
            None => crate::bug!("site {} is not known", barrier.0),
        };
        let accesses: Vec<AccessReport> = race
            .threads
            .iter()
            .map(|thread| AccessReport {
                at: location(self.sources, site.span),
                mode: AccessMode::Barrier,
                thread: axes(&kernel.threads, &thread.thread),
                block: axes(&kernel.blocks, &thread.block),
                index: Vec::new(),
                calls: site.calls.iter().map(|s| location(self.sources, *s)).collect(),
                locals: BTreeMap::new(),
            })
            .collect();
        let key = Key::divergence(barrier);
        let id = self.finding_id("barrier", ReportLevel::Block, &accesses);
        let untold = self.untold_content(race.contents.keys()).map(|name| untold_words(&name));
        let witness = self.values(race.globals, race.contents);
        let (class, replay, reason) = match race.doubt.or(untold).or(unusual) {
            Some(doubt) => (FindingClass::Possible, None, Some(doubt)),
            None => match self.executor.strand(self.span(barrier), &race.cells, &accesses, &witness) {
                Tried::Met { ran, .. } => (FindingClass::Confirmed, Some(Replay::Kernel(ran)), None),
                Tried::NotRun(why) | Tried::Left { how: why, size: Size::Unknown } => {
                    (FindingClass::Confirmed, Some(Replay::Protocol(why)), None)
                }
                Tried::Refuted(why) | Tried::Left { how: why, size: Size::Declared } => {
                    (FindingClass::Possible, None, Some(why))
                }
            },
        };
        let finding = Finding {
            id,
            kind: FindingKind::Divergence,
            class,
            array: String::new(),
            level: report_level(level),
            accesses,
            witness,
            replay,
            reason: reason.clone(),
            help: None,
        };
        let ends = reason.as_ref().is_some_and(|why| why.contains(ENDS));
        Diverged { key, finding, doubt: reason, ends, model }
    }
}
