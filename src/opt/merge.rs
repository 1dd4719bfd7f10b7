//! Many accesses of one form as one: `s[t]`, `s[t + 32]`, `s[t + 64]` as `s[t + 32 k]`.
//!
//! A table that each thread goes through in steps has a pair of accesses for each two of its steps, and one reason why none
//! of them races. The one access may touch more than they do together, so that only "no race" follows from it.

use indexmap::IndexMap;

use super::facts::Facts;
use super::{DEEP, Rules};
use crate::base::{FreshNames, Name};
use crate::core::access::Mode;
use crate::core::race::{RacePhase, Side};
use crate::core::range::{Range, Step};
use crate::core::scope::Task;
use crate::exp::poly::{Poly, gcd};
use crate::exp::{IntTy, Interval, N, Subst, Var, free_vars_b};

/// Fewer accesses are looked at one by one.
const MANY: usize = 8;
/// The accesses that are left have to be fewer by this factor.
const FEWER: usize = 4;

/// The units from `start` on, `width` of them, at each multiple of `stride` from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: i128,
    width: i128,
    stride: i128,
    first: i128,
    last: i128,
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
/// Ensures:  THM-MERGE, tests/presolve.rs: what a thread touches, it touches in the new phase, in the same mode.
pub fn merged(phase: &RacePhase, array: &Name) -> Option<RacePhase> {
    merged_by(runs, phase, array)
}

/// Runs that cover all of the parts.
type Cover = fn(&[Part]) -> Option<Vec<Run>>;

/// The same with this cover.
fn merged_by(cover: Cover, phase: &RacePhase, array: &Name) -> Option<RacePhase> {
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
        match group.first().and_then(|first| Some((first, common(cover, phase, &group)?))) {
            Some((first, runs)) if runs.len() * FEWER <= group.len() => {
                for (base, run) in runs {
                    let k = Var::new(fresh.fresh("k"), IntTy::MATH);
                    let side = Side { mode: mode.clone(), ..Side::clone(first) };
                    all.sides.extend(one(side, &base, run, &k));
                    all.locals.push(k);
                }
            }
            _ => all.sides.extend(own),
        }
    }
    (all.sides.len() * FEWER <= sides.len()).then_some(all)
}

/// A side that touches the run.
fn one(side: Side, base: &N, run: Run, k: &Var) -> Option<Side> {
    let mut side = side;
    let ty = IntTy::MATH;
    let steps = N::mul(ty, &N::num(run.stride), &N::var(k));
    let at = N::add(ty, &N::add(ty, base, &N::num(run.start)), &steps);
    *side.index.last_mut()? = at;
    side.width = u32::try_from(run.width).ok()?;
    let range =
        Range { var: k.clone(), first: N::num(run.first), end: N::num(run.last + 1), step: Step::Up(N::num(1)) };
    side.binders.push(range);
    Some(side)
}

/// The runs that the accesses of a group touch, each from a term on that they have in common.
fn common(cover: Cover, phase: &RacePhase, group: &[&Side]) -> Option<Vec<(N, Run)>> {
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
    let mut split = |polys: &[&Poly], widths: &[i128]| -> Option<(N, Vec<Run>)> {
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
        let runs = cover(&parts)?;
        Some((back.numeric(&facts.values.term(&base)?), runs))
    };
    let all: Vec<&Poly> = polys.iter().collect();
    if let Some((base, runs)) = split(&all, &widths().collect::<Vec<_>>())
        && runs.len() * FEWER <= group.len()
    {
        return Some(runs.into_iter().map(|run| (base.clone(), run)).collect());
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
        let (base, runs) = split(polys, widths)?;
        found.extend(runs.into_iter().map(|run| (base.clone(), run)));
    }
    Some(found)
}

/// The terms that all of the polynomials have.
fn shared(polys: &[&Poly]) -> Option<Poly> {
    let (first, others) = polys.split_first()?;
    let terms = first.terms.iter().filter(|term| others.iter().all(|p| p.terms.contains(term))).cloned().collect();
    Some(Poly { terms, constant: 0 })
}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Cover, Run, merged_by, runs};
    use crate::base::Name;
    use crate::core::access::{Mode, SiteId};
    use crate::core::race::{RacePhase, Side};
    use crate::core::range::{Range, Step};
    use crate::core::scope::{Level, Task};
    use crate::exp::{B, Env, IntTy, N, NBin, Var, eval_b, eval_n};
    use crate::fuzz::choices::Choices;

    const MOST: i128 = 5;

    fn x() -> Var {
        Var::new("x", IntTy::U32)
    }

    fn i() -> Var {
        Var::new("i", IntTy::I32)
    }

    /// A table that threads x go through, with a row for what is chosen by i or not known.
    fn phase(seed: u64) -> RacePhase {
        let mut choices = Choices::seeded(seed, 400);
        let c = &mut choices;
        let ty = *c.one_of(&[IntTy::U32, IntTy::MATH, IntTy::U8]).expect("a type");
        let [stride, row, large] = [c.pick(4), c.pick(9), c.pick(30)].map(|n| n as i128);
        let loops = c.pick(2) == 0;
        let range = Range { var: i(), first: N::num(0), end: N::num(3), step: Step::Up(N::num(1)) };
        let quotient = N::bin(NBin::Div, IntTy::U32, &N::var(&x()), &N::num(2));
        let base = match c.pick(3) {
            0 => N::mul(ty, &N::var(&x()), &N::num(stride)),
            1 => N::add(ty, &N::mul(ty, &quotient, &N::num(40)), &N::var(&x())),
            _ => quotient,
        };
        let side = |site: usize, c: &mut Choices| {
            let constant = match c.pick(3) {
                0 => c.pick(16) as i128 * row + large,
                1 => c.pick(4) as i128 * row + c.pick(3) as i128,
                _ => site as i128 * row,
            };
            let mut index = N::add(ty, &base, &N::num(constant));
            if loops {
                let steps = [row, 2 * row, -row, 0][c.pick(4)];
                index = N::add(IntTy::MATH, &index, &N::mul(IntTy::MATH, &N::var(&i()), &N::num(steps)));
            }
            Side {
                array: Name::from("a"),
                site: SiteId(site as u32),
                mode: if c.pick(3) == 0 { Mode::Rd } else { Mode::Wr(None) },
                index: vec![index],
                width: [1, 1, 2, 4][c.pick(4)],
                guard: if c.pick(9) == 0 { N::var(&x()).lt(&N::num(3)) } else { B::lit(true) },
                binders: if loops { vec![range.clone()] } else { Vec::new() },
            }
        };
        let sides = (0..8 + c.pick(12)).map(|site| side(site, c)).collect();
        let extent = |task: Task| {
            let x = N::var(&task.var(&x()));
            B::and([N::num(0).le(&x), x.lt(&N::num(MOST))])
        };
        RacePhase {
            start: None,
            level: Level::Block,
            approximate: false,
            sides,
            assumptions: B::and(Task::BOTH.map(extent)),
            locals: vec![x(), i()],
        }
    }

    /// What thread x touches: units, and whether it writes them.
    fn touched(phase: &RacePhase, thread: i128) -> BTreeSet<(i128, bool)> {
        let mut units = BTreeSet::new();
        for side in &phase.sides {
            let mut inputs = vec![Env::new()];
            for var in [&x()].into_iter().chain(side.binders.iter().map(|range| &range.var)) {
                let range = side.binders.iter().find(|range| range.var == *var);
                let bound = |n: &N| n.as_num().expect("a constant");
                let values = range.map_or(thread..thread + 1, |r| bound(&r.first)..bound(&r.end));
                let with = |env: &Env<'static>| values.clone().map(|v| env.with(&var.name, v)).collect::<Vec<_>>();
                inputs = inputs.iter().flat_map(with).collect();
            }
            for env in inputs {
                if eval_b(&side.guard, &env).expect("a condition") {
                    let at = eval_n(&side.index[0], &env).expect("an index");
                    units.extend((at..at + i128::from(side.width)).map(|unit| (unit, side.mode != Mode::Rd)));
                }
            }
        }
        units
    }

    /// How many phases were merged, and the first for which the theorem does not hold.
    fn tried(cover: Cover) -> (usize, Option<u64>) {
        let mut some = 0;
        for seed in 0..3000 {
            let phase = phase(seed);
            let Some(merged) = merged_by(cover, &phase, &Name::from("a")) else { continue };
            some += 1;
            let covers = |thread| touched(&phase, thread).is_subset(&touched(&merged, thread));
            if !(0..MOST).all(covers) {
                return (some, Some(seed));
            }
        }
        (some, None)
    }

    #[test]
    fn what_a_thread_touches_it_touches_when_accesses_are_merged() {
        let (some, wrong) = tried(runs);
        assert_eq!(wrong, None);
        assert!(some > 100, "only {some} were merged");
    }

    #[test]
    fn a_wrong_cover_is_noticed() {
        let short: Cover = |parts| Some(runs(parts)?.into_iter().map(|r| Run { last: r.last - 1, ..r }).collect());
        let narrow: Cover = |parts| Some(runs(parts)?.into_iter().map(|r| Run { width: r.width - 1, ..r }).collect());
        let late: Cover = |parts| Some(runs(parts)?.into_iter().map(|r| Run { first: r.first + 1, ..r }).collect());
        let moved: Cover = |parts| Some(runs(parts)?.into_iter().map(|r| Run { start: r.start + 1, ..r }).collect());
        let wide: Cover = |parts| Some(runs(parts)?.into_iter().map(|r| Run { stride: r.stride * 2, ..r }).collect());
        for (name, cover) in [("short", short), ("narrow", narrow), ("late", late), ("moved", moved), ("wide", wide)] {
            assert!(tried(cover).1.is_some(), "nothing shows that `{name}` is wrong");
        }
    }
}
