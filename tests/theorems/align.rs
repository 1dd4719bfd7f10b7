//! THM-1 and PROP-1: aligning keeps the history, splitting its phases, and the traces have a race iff the history has one.

use faial_like::core::align::{Alignment, Piece, align};
use faial_like::core::semantics::safe;
use faial_like::core::{
    Aligned, Kernel, Level, Protocol, Range, Unsync, WellFormed, phases, project, seq, split, wellformed,
};
use faial_like::exp::{N, Subst};
use faial_like::fuzz::Dialect;

use crate::generate::{Outcome, Plan, for_all, for_each, kills};
use crate::oracle;

const PLAN: Plan = Plan { cases: 1000, dialect: Dialect::Paper, depth: 4, length: 70 };

/// The theorem, for alignments that `align` makes.
fn theorem_1(kernel: &Kernel<Protocol>, align: impl Fn(&WellFormed) -> Alignment) -> Outcome {
    let admitted = wellformed(kernel, Level::Block).map_err(|found| format!("not in the language: {found:?}"))?;
    let alignment = align(&admitted.code);
    let closures = split(&alignment);
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let (mut racy, mut free) = (false, false);
    for g in 0..3 {
        let values = oracle::values(g);
        let history = oracle::history(kernel, &kernel.code, &values)?;
        if history != oracle::history(kernel, &alignment.protocol(), &values)? {
            return Err(format!("g = {g}: aligned, the code has another history\n{:#?}", alignment.protocol()));
        }
        let mut all = Vec::new();
        for closure in &closures {
            all.extend(oracle::instances(kernel, closure, &values)?);
        }
        let expected = oracle::nonempty(history.clone());
        if oracle::nonempty(all) != expected {
            return Err(format!("g = {g}: split, the code has other phases"));
        }
        let mut direct = Vec::new();
        for closure in phases(kernel) {
            direct.extend(oracle::instances(kernel, &closure, &values)?);
        }
        if oracle::nonempty(direct) != expected {
            return Err(format!("g = {g}: the default path has other phases"));
        }
        let mut traced = true;
        for closure in &closures {
            let history = seq(&projection, closure).history(&values).map_err(|e| e.to_string())?;
            let history: Vec<_> = history.into_iter().map(|p| p.into_iter().collect()).collect();
            traced &= safe(&history, Level::Block);
        }
        let direct = safe(&history, Level::Block);
        if traced != direct {
            return Err(format!("g = {g}: the history is safe: {direct}; the traces are safe: {traced}"));
        }
        racy |= !direct && history.len() > 1;
        free |= direct && history.len() > 1;
    }
    Ok(vec![("racy with barriers", racy), ("race-free with barriers", free)])
}

#[test]
fn races_are_kept_by_align_split_and_seq() {
    for_all(PLAN, 3, |kernel| theorem_1(kernel, align));
}

#[test]
fn races_are_kept_in_all_small_protocols() {
    let count = for_each(Dialect::Paper, 3, 6, |kernel| theorem_1(kernel, align));
    assert!(count > 2_000, "only {count} kernels");
}

/// What goes wrong in an alignment.
fn spoil(aligned: &mut Aligned, how: &dyn Fn(&mut Aligned, &mut Range)) {
    for piece in &mut aligned.rest {
        if let Piece::For(range, body) = piece {
            spoil(body, how);
            how(body, range);
        }
    }
}

fn spoiled(code: &WellFormed, how: &dyn Fn(&mut Aligned, &mut Range)) -> Alignment {
    let mut alignment = align(code);
    if let Some(aligned) = &mut alignment.aligned {
        spoil(aligned, how);
    }
    alignment
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "align does not start after the peeled iteration", |kernel| {
        theorem_1(kernel, |p| spoiled(p, &|_, range| range.first = one_earlier(range)))
    });
    kills(PLAN, "align forgets the x - 1 shift of the tail", |kernel| {
        theorem_1(kernel, |p| {
            spoiled(p, &|body, range| {
                let next = range.next();
                body.first.0 = body.first.0.subst(&mut Subst::one(&range.var.name, &next));
            })
        })
    });
    kills(PLAN, "align forgets the tail of the last iteration", |kernel| {
        theorem_1(kernel, |p| Alignment { tail: Unsync::Skip, ..align(p) })
    });
    kills(PLAN, "align forgets the tail of the iteration before", |kernel| {
        theorem_1(kernel, |p| spoiled(p, &|body, _| body.first.0 = Unsync::Skip))
    });
}

fn one_earlier(range: &Range) -> N {
    let previous = range.previous().expect("the steps of the paper can be undone");
    Subst::one(&range.var.name, &range.first).numeric(&previous)
}

/// PROP-1: if a is race-free, and so is E with `skip; sync` in place of a, then E with a is.
fn proposition_1(kernel: &Kernel<Protocol>) -> Outcome {
    let admitted = wellformed(kernel, Level::Block).map_err(|found| format!("not in the language: {found:?}"))?;
    let alignment = align(&admitted.code);
    let Some(aligned) = &alignment.aligned else { return Ok(vec![("applied", false)]) };
    let is_safe = |code: &Protocol, values: &_| -> Result<bool, String> {
        Ok(safe(&oracle::history(kernel, code, values)?, Level::Block))
    };
    let mut applied = false;
    for g in 0..3 {
        let values = oracle::values(g);
        let whole = is_safe(&aligned.protocol(), &values)?;
        for hole in 0..aligned.rest.len() {
            let mut context = aligned.clone();
            let barrier = aligned.first.1.clone();
            let piece = std::mem::replace(&mut context.rest[hole], Piece::Sync(Unsync::Skip, barrier.clone()));
            let alone = Aligned { first: (Unsync::Skip, barrier), rest: vec![piece] };
            if is_safe(&alone.protocol(), &values)? && is_safe(&context.protocol(), &values)? {
                applied = true;
                if !whole {
                    return Err(format!("g = {g}: both parts are safe, and the whole is not; hole {hole}"));
                }
            }
        }
        // The other direction is what checking each closure alone rests on.
        let mut parts = true;
        for closure in split(&alignment) {
            parts &= safe(&oracle::instances(kernel, &closure, &values)?, Level::Block);
        }
        let with_tail = is_safe(&alignment.protocol(), &values)?;
        if parts != with_tail {
            return Err(format!("g = {g}: the parts are safe: {parts}, the whole: {with_tail}"));
        }
    }
    Ok(vec![("applied", applied)])
}

#[test]
fn fragments_can_be_checked_alone() {
    for_all(Plan { cases: 800, ..PLAN }, 3, proposition_1);
}
