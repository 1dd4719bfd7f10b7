//! Many accesses of one form as one: `s[t]`, `s[t + 32]`, `s[t + 64]` as `s[t + 32 k]`.
//!
//! A table that each thread goes through in steps has a pair of accesses for each two of its steps, and one reason why none
//! of them races. The one access may touch more than they do together, so that only "no race" follows from it.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::facts::Facts;
use super::{DEEP, Rules};
use crate::base::{FreshNames, Name};
use crate::core::access::Mode;
use crate::core::race::{RacePhase, Side};
use crate::core::range::{Range, Step};
use crate::core::scope::Task;
use crate::exp::poly::{Poly, gcd};
use crate::exp::{IntTy, Interval, N, Subst, Var, free_vars_b, free_vars_n};

/// Fewer accesses are looked at one by one.
const MANY: usize = 8;
/// The accesses that are left have to be fewer by this factor.
const FEWER: usize = 4;

/// The units from `start` on, `width` of them, at each multiple of `stride` from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: i128,
    pub width: i128,
    pub stride: i128,
    pub first: i128,
    pub last: i128,
}

/// An access as what all of its group have in common and a rest.
struct Part {
    /// Without a constant.
    rest: Poly,
    /// Of the rest.
    interval: Interval,
    constant: i128,
    width: i128,
}

/// The phase with accesses to this array only, and fewer of them, if there are much fewer.
///
/// Source:   protocol-spec/09-presolve.md [OPT-MERGE].      Shape: phase, array -> phase.
/// Ensures:  THM-MERGE, tests/merge.rs: what a thread touches, it touches in the new phase, in the same mode.
pub fn merged(phase: &RacePhase, array: &Name) -> Option<RacePhase> {
    merged_by(|run| run, phase, array)
}

/// The same with other runs: the tests do so to see that wrong ones are noticed.
pub fn merged_by(change: fn(Run) -> Run, phase: &RacePhase, array: &Name) -> Option<RacePhase> {
    let sides: Vec<&Side> = phase.sides.iter().filter(|s| s.array == *array).collect();
    if sides.len() < MANY {
        return None;
    }
    let mut groups: IndexMap<_, Vec<&Side>> = IndexMap::new();
    for side in &sides {
        let (_, outer) = side.index.split_last()?;
        let mode = match &side.mode {
            Mode::Wr(_) => Mode::Wr(None),
            mode => mode.clone(),
        };
        groups.entry((mode, outer.to_vec(), &side.guard, &side.binders)).or_default().push(side);
    }
    if groups.len() * FEWER > sides.len() {
        return None;
    }
    let mut fresh = FreshNames::default();
    for var in phase.locals.iter().chain(&free_vars_b(&phase.assumptions)) {
        fresh.reserve(var.name.as_str());
    }
    let mut all = RacePhase { sides: Vec::new(), ..phase.clone() };
    for ((mode, ..), group) in groups {
        let own = group.iter().map(|side| Side { mode: mode.clone(), ..Side::clone(side) });
        match group.first().and_then(|first| Some((first, common(phase, &group)?))) {
            Some((first, runs)) if runs.len() * FEWER <= group.len() => {
                for (place, run) in runs {
                    let k = Var::new(fresh.fresh("k"), IntTy::MATH);
                    let side = Side { mode: mode.clone(), ..Side::clone(first) };
                    all.sides.extend(one(side, &place, change(run), &k));
                    all.locals.push(k);
                }
            }
            _ => all.sides.extend(own),
        }
    }
    (all.sides.len() * FEWER <= sides.len()).then_some(all)
}

/// Where a run is, and what its stride is a multiple of.
struct Place {
    base: N,
    unit: N,
}

/// A side that touches the run.
fn one(side: Side, place: &Place, run: Run, k: &Var) -> Option<Side> {
    let mut side = side;
    let ty = IntTy::MATH;
    let steps = N::mul(ty, &N::mul(ty, &N::num(run.stride), &place.unit), &N::var(k));
    let at = N::add(ty, &N::add(ty, &place.base, &N::num(run.start)), &steps);
    *side.index.last_mut()? = at;
    side.width = u32::try_from(run.width).ok()?;
    let range =
        Range { var: k.clone(), first: N::num(run.first), end: N::num(run.last + 1), step: Step::Up(N::num(1)) };
    side.binders.push(range);
    Some(side)
}

/// The runs that the accesses of a group touch, each from a term on that they have in common.
fn common(phase: &RacePhase, group: &[&Side]) -> Option<Vec<(Place, Run)>> {
    let first = group.first()?;
    let mut own = Task::One.rename(&phase.locals);
    let active = phase.instantiate(first, Task::One).active;
    let conditions = [phase.assumptions.clone(), active];
    let terms: Vec<N> = group.iter().map(|side| side.index.last().map(|n| own.numeric(n))).collect::<Option<_>>()?;
    if conditions.iter().any(|b| b.depth() > DEEP) || terms.iter().any(|n| n.depth() > DEEP) {
        return None;
    }
    let mut facts = Facts::new(Rules::default(), &conditions, false);
    let polys: Vec<Poly> = terms.iter().map(|n| facts.values.value(n)).collect::<Option<_>>()?;
    let widths = || group.iter().map(|side| i128::from(side.width));
    let mut back = Subst::new();
    for var in &phase.locals {
        back.bind(&Task::One.var(var).name, &N::var(var));
    }
    let own_names: BTreeSet<Name> = phase.locals.iter().map(|var| Task::One.var(var).name).collect();
    let mut split = |polys: &[&Poly], widths: &[i128]| -> Option<Vec<(Place, Run)>> {
        let base = shared(polys)?;
        let parts: Vec<Part> = polys
            .iter()
            .zip(widths)
            .map(|(poly, width)| {
                let rest = poly.sub(&base).ok()?;
                let constant = rest.constant;
                let rest = Poly { constant: 0, ..rest };
                let interval = facts.values.interval(&rest);
                Some(Part { rest, interval, constant, width: *width })
            })
            .collect::<Option<_>>()?;
        let base = back.numeric(&facts.values.term(&base)?);
        // A stride that threads share, and that is not known, tells their places apart as one that is.
        let shared_unit = unit(&parts).and_then(|unit| facts.values.term(&unit));
        let shared_unit = shared_unit.filter(|unit| free_vars_n(unit).iter().all(|var| !own_names.contains(&var.name)));
        let (unit, runs) = match shared_unit.and_then(|term| Some((term, by_unit(&parts)?))) {
            Some(found) => found,
            None => (N::num(1), runs(&parts)?),
        };
        Some(runs.into_iter().map(|run| (Place { base: base.clone(), unit: unit.clone() }, run)).collect())
    };
    let all: Vec<&Poly> = polys.iter().collect();
    if let Some(runs) = split(&all, &widths().collect::<Vec<_>>())
        && runs.len() * FEWER <= group.len()
    {
        return Some(runs);
    }
    // Those that differ in constants only.
    let mut alike: IndexMap<&[_], (Vec<&Poly>, Vec<i128>)> = IndexMap::new();
    for (poly, width) in polys.iter().zip(widths()) {
        let (polys, widths) = alike.entry(poly.terms.as_slice()).or_default();
        polys.push(poly);
        widths.push(width);
    }
    let mut found = Vec::new();
    for (polys, widths) in alike.values() {
        found.extend(split(polys, widths)?);
    }
    Some(found)
}

/// The terms that all of the polynomials have.
fn shared(polys: &[&Poly]) -> Option<Poly> {
    let (first, others) = polys.split_first()?;
    let terms = first.terms.iter().filter(|term| others.iter().all(|p| p.terms.contains(term))).cloned().collect();
    Some(Poly { terms, constant: 0 })
}

/// The polynomial that all rests are multiples of, if there is one.
fn unit(parts: &[Part]) -> Option<Poly> {
    let some = parts.iter().map(|part| &part.rest).find(|rest| !rest.terms.is_empty())?;
    let unit = some.divide_floor(some.content());
    parts.iter().all(|part| times(&part.rest, &unit).is_some()).then_some(unit)
}

/// How often the unit is taken.
fn times(rest: &Poly, unit: &Poly) -> Option<i128> {
    let [(_, of), ..] = unit.terms.as_slice() else { return None };
    let times = rest.terms.first().map_or(0, |(_, c)| c / of);
    unit.scale(times).ok().filter(|scaled| scaled == rest).map(|_| times)
}

/// Where the rests are multiples of one that is not known: those with one window are one run.
fn by_unit(parts: &[Part]) -> Option<Vec<Run>> {
    let unit = unit(parts)?;
    let mut windows: IndexMap<(i128, i128), Vec<i128>> = IndexMap::new();
    for part in parts {
        windows.entry((part.constant, part.width)).or_default().push(times(&part.rest, &unit)?);
    }
    let run = |((start, width), times): ((i128, i128), Vec<i128>)| {
        let stride = times.iter().fold(0, |g, n| gcd(g, *n)).max(1);
        let steps = || times.iter().map(|n| n / stride);
        Run { start, width, stride, first: steps().min().unwrap_or(0), last: steps().max().unwrap_or(0) }
    };
    Some(windows.into_iter().map(run).collect())
}

/// Runs that cover all of the parts.
fn runs(parts: &[Part]) -> Option<Vec<Run>> {
    let stride = parts.iter().fold(0, |g, part| gcd(g, part.rest.content()));
    if stride > 0 { by_stride(parts, stride) } else { Some(by_constants(parts)) }
}

/// Where the rests are multiples of the stride.
fn by_stride(parts: &[Part], stride: i128) -> Option<Vec<Run>> {
    let windows = united(parts.iter().map(|part| (part.constant.rem_euclid(stride), part.width)).collect());
    if windows.iter().map(|(_, width)| width).sum::<i128>() >= stride {
        return None;
    }
    let mut first = i128::MAX;
    let mut last = i128::MIN;
    for part in parts {
        let steps = part.constant.div_euclid(stride);
        first = first.min(part.interval.lo?.div_euclid(stride) + steps);
        last = last.max(part.interval.hi?.div_euclid(stride) + 1 + steps);
    }
    Some(windows.into_iter().map(|(start, width)| Run { start, width, stride, first, last }).collect())
}

/// Where there is no rest: windows of the same width are one run.
fn by_constants(parts: &[Part]) -> Vec<Run> {
    let mut widths: IndexMap<i128, Vec<i128>> = IndexMap::new();
    for (start, width) in united(parts.iter().map(|part| (part.constant, part.width)).collect()) {
        widths.entry(width).or_default().push(start);
    }
    let run = |(width, starts): (i128, Vec<i128>)| {
        let least = starts.first().copied().unwrap_or(0);
        let stride = starts.iter().fold(0, |g, start| gcd(g, start - least));
        let last = starts.iter().map(|start| (start - least) / stride.max(1)).max().unwrap_or(0);
        Run { start: least, width, stride, first: 0, last }
    };
    widths.into_iter().map(run).collect()
}

/// Windows without gaps between them are one.
fn united(mut windows: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    windows.sort_unstable();
    let mut done: Vec<(i128, i128)> = Vec::new();
    for (start, width) in windows {
        match done.last_mut() {
            Some((from, len)) if start <= *from + *len => *len = (*len).max(start + width - *from),
            _ => done.push((start, width)),
        }
    }
    done
}
