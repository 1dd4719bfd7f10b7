//! THM-1 and PROP-1: aligning keeps the history, splitting its phases, and the traces have a race iff the history has one.

use faial_like::core::align::{Alignment, Piece, align};
use faial_like::core::semantics::safe;
use faial_like::core::{Aligned, Kernel, Level, Protocol, Range, Unsync, WellFormed, seq, split, wellformed};
use faial_like::exp::{N, Subst};
use faial_like::fuzz::theorems::align::holds;
use faial_like::fuzz::theorems::{Outcome, split as splitting, trace};
use faial_like::fuzz::{Dialect, Plan, oracle};

use crate::generate::{for_all, for_each, kills};

const PLAN: Plan = Plan { dialect: Dialect::Paper, depth: 4, nesting: 4, length: 70 };

/// The three steps of the theorem.
fn theorem_1(kernel: &Kernel<Protocol>) -> Outcome {
    let mut found = holds(kernel, &align)?;
    found.extend(splitting::holds(kernel, &split)?);
    found.extend(trace::holds(kernel, &seq)?);
    Ok(found)
}

#[test]
fn races_are_kept_by_align_split_and_seq() {
    for_all(PLAN, 1000, 3, theorem_1);
}

#[test]
fn races_are_kept_in_all_small_protocols() {
    let count = for_each(Dialect::Paper, 3, 6, theorem_1);
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
        holds(kernel, &|p| spoiled(p, &|_, range| range.first = one_earlier(range)))
    });
    kills(PLAN, "align forgets the x - 1 shift of the tail", |kernel| {
        holds(kernel, &|p| {
            spoiled(p, &|body, range| {
                let next = range.next();
                body.first.0 = body.first.0.subst(&mut Subst::one(&range.var.name, &next));
            })
        })
    });
    kills(PLAN, "align forgets the tail of the last iteration", |kernel| {
        holds(kernel, &|p| Alignment { tail: Unsync::Skip, ..align(p) })
    });
    kills(PLAN, "align forgets the tail of the iteration before", |kernel| {
        holds(kernel, &|p| spoiled(p, &|body, _| body.first.0 = Unsync::Skip))
    });
}

fn one_earlier(range: &Range) -> N {
    let previous = range.previous().expect("the steps of the paper can be undone");
    Subst::one(&range.var.name, &range.first).numeric(&previous)
}

/// PROP-1: if a is race-free, and so is E with `skip; sync` in place of a, then E with a is. The other direction, on which
/// checking each closure alone rests, is in the theorem about `split`.
fn proposition_1(kernel: &Kernel<Protocol>) -> Outcome {
    let admitted = wellformed(kernel, Level::Block).map_err(|found| format!("not in the language: {found:?}"))?;
    let alignment = align(&admitted.code);
    let Some(aligned) = &alignment.aligned else { return Ok(vec![("applied", false)]) };
    let is_safe = |code: &Protocol, values: &_| -> Result<bool, String> {
        Ok(safe(&oracle::history(kernel, code, values)?, Level::Block))
    };
    let mut applied = false;
    for g in oracle::GLOBALS {
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
    }
    Ok(vec![("applied", applied)])
}

#[test]
fn fragments_can_be_checked_alone() {
    for_all(PLAN, 800, 3, proposition_1);
}
