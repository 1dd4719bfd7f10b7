//! THM-MERGE: what a thread touches, it touches in the phase with merged accesses, in the same mode.

use std::collections::BTreeSet;

use faial_like::base::Name;
use faial_like::core::access::{Mode, SiteId};
use faial_like::core::race::{RacePhase, Side};
use faial_like::core::range::{Range, Step};
use faial_like::core::scope::{Level, Task};
use faial_like::exp::{B, Env, IntTy, N, NBin, Var, eval_b, eval_n};
use faial_like::fuzz::choices::Choices;
use faial_like::opt::{Run, merged_by};

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
