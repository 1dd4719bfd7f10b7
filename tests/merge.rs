//! THM-MERGE: what a thread touches, it touches in the phase with merged accesses, in the same mode.
//! THM-DISTINCT: what a thread touches, it touches by one of the accesses that stand for all, in the same mode or writing.

use std::collections::BTreeSet;

use faial_like::base::Name;
use faial_like::core::access::{Mode, SiteId};
use faial_like::core::race::{RacePhase, Side};
use faial_like::core::range::{Range, Step};
use faial_like::core::scope::{Level, Task};
use faial_like::exp::{B, Env, IntTy, N, NBin, Var, eval_b, eval_n};
use faial_like::fuzz::choices::Choices;
use faial_like::opt::{Run, distinct, merged_by};

const MOST: i128 = 5;
const SIZES: i128 = 3;

fn x() -> Var {
    Var::new("x", IntTy::U32)
}

/// A size, which threads share.
fn w() -> Var {
    Var::new("w", IntTy::U32)
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
    // Rows that are as long as a size.
    let sized = c.pick(3) == 0;
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
        if sized {
            let rows =
                N::mul(IntTy::MATH, &N::num([constant, 2 * site as i128, 3 * site as i128][c.pick(3)]), &N::var(&w()));
            index = N::add(IntTy::MATH, &base, &N::add(IntTy::MATH, &rows, &N::num(c.pick(5) as i128 / 4)));
        }
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
        assumptions: B::and([B::and(Task::BOTH.map(extent)), N::var(&w()).le(&N::num(SIZES))]),
        locals: vec![x(), i()],
    }
}

/// What thread x touches for a size: units, and whether it writes them.
fn touched(phase: &RacePhase, thread: i128, size: i128) -> BTreeSet<(i128, bool)> {
    let mut units = BTreeSet::new();
    for side in &phase.sides {
        let mut inputs = vec![Env::new().with(&w().name, size)];
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
fn tried(change: fn(Run) -> Run) -> (usize, Option<u64>) {
    let mut some = 0;
    for seed in 0..3000 {
        let phase = phase(seed);
        let Some(merged) = merged_by(change, &phase, &Name::from("a")) else { continue };
        some += 1;
        let covers = |thread, size| touched(&phase, thread, size).is_subset(&touched(&merged, thread, size));
        if !(0..=SIZES).all(|size| (0..MOST).all(|thread| covers(thread, size))) {
            return (some, Some(seed));
        }
    }
    (some, None)
}

#[test]
fn what_a_thread_touches_it_touches_when_accesses_are_merged() {
    let (some, wrong) = tried(|run| run);
    assert_eq!(wrong, None);
    assert!(some > 100, "only {some} were merged");
}

#[test]
fn a_wrong_cover_is_noticed() {
    let short: fn(Run) -> Run = |r| Run { last: r.last - 1, ..r };
    let narrow: fn(Run) -> Run = |r| Run { width: r.width - 1, ..r };
    let late: fn(Run) -> Run = |r| Run { first: r.first + 1, ..r };
    let moved: fn(Run) -> Run = |r| Run { start: r.start + 1, ..r };
    let wide: fn(Run) -> Run = |r| Run { stride: r.stride * 2, ..r };
    for (name, change) in [("short", short), ("narrow", narrow), ("late", late), ("moved", moved), ("wide", wide)] {
        assert!(tried(change).1.is_some(), "nothing shows that `{name}` is wrong");
    }
}

/// Accesses to few places, some in loops with other names, that a thread makes several times.
fn repeated(seed: u64) -> RacePhase {
    let mut choices = Choices::seeded(seed, 400);
    let c = &mut choices;
    let mut phase = phase(seed);
    phase.sides.truncate(3);
    let few = phase.sides.clone();
    for site in 3..4 + c.pick(6) {
        let mut side = few[c.pick(few.len())].clone();
        side.site = SiteId(site as u32);
        side.mode = [Mode::Rd, Mode::Wr(None), Mode::Wr(Some(N::num(1)))][c.pick(3)].clone();
        if c.pick(4) == 0 {
            side.width += 1;
        }
        if c.pick(4) == 0 {
            side.guard = N::var(&x()).lt(&N::num(2));
        }
        if let ([index], [range]) = (&mut side.index[..], &mut side.binders[..]) {
            let j = Var::new(format!("j{site}"), IntTy::I32);
            *index = faial_like::exp::Subst::one(&i().name, &N::var(&j)).numeric(index);
            let first = range.first.clone();
            let end = N::num(3 - i128::from(c.pick(4) == 0));
            *range = Range { var: j, first, end, step: Step::Up(N::num(1)) };
        }
        phase.sides.push(side);
    }
    phase
}

type Distinct = fn(&[&Side]) -> Vec<Side>;

/// How many accesses were left out, and the first phase in which one does not stand for another.
fn left_out(by: Distinct) -> (usize, Option<u64>) {
    let mut fewer = 0;
    for seed in 0..2000 {
        let phase = repeated(seed);
        let sides = by(&phase.sides.iter().collect::<Vec<_>>());
        fewer += phase.sides.len() - sides.len();
        let left = RacePhase { sides, ..phase.clone() };
        let covers = |thread, size| {
            let left = touched(&left, thread, size);
            touched(&phase, thread, size)
                .iter()
                .all(|(unit, w)| left.contains(&(*unit, *w)) || left.contains(&(*unit, true)))
        };
        if !(0..=SIZES).all(|size| (0..MOST).all(|thread| covers(thread, size))) {
            return (fewer, Some(seed));
        }
    }
    (fewer, None)
}

#[test]
fn an_access_stands_for_those_that_touch_the_same() {
    let right: Distinct = |sides| distinct(sides).into_iter().cloned().collect();
    let (fewer, wrong) = left_out(right);
    assert_eq!(wrong, None);
    assert!(fewer > 2000, "only {fewer} accesses were left out");
    // Changed before they are compared: what differs only in that stands for each other wrongly then.
    let any_mode: Distinct = |sides| changed(sides, |side| side.mode = Mode::Rd);
    let any_guard: Distinct = |sides| changed(sides, |side| side.guard = B::lit(true));
    let any_width: Distinct = |sides| changed(sides, |side| side.width = 1);
    let any_loop: Distinct = |sides| changed(sides, |side| side.binders.iter_mut().for_each(|r| r.end = N::num(3)));
    for (name, by) in [("mode", any_mode), ("guard", any_guard), ("width", any_width), ("loop", any_loop)] {
        assert!(left_out(by).1.is_some(), "nothing shows that the {name} matters");
    }
}

/// The sides that stand for all after each was changed, as they were.
fn changed(sides: &[&Side], change: fn(&mut Side)) -> Vec<Side> {
    let mut others: Vec<Side> = sides.iter().copied().cloned().collect();
    others.iter_mut().for_each(change);
    let kept: BTreeSet<SiteId> =
        distinct(&others.iter().collect::<Vec<_>>()).into_iter().map(|side| side.site).collect();
    sides.iter().filter(|side| kept.contains(&side.site)).map(|side| Side::clone(side)).collect()
}
