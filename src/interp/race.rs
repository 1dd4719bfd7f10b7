//! Races of a run, by their definition: two threads, one phase, a common byte, a write, and not both atomic.

use rustc_hash::FxHashMap;

use super::{Access, Kind, ObjectId, Run, Thread};
use crate::core::{Mode, Scope};

/// Two accesses that race, by position in [`Run::accesses`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    pub first: usize,
    pub second: usize,
    /// Do both store the same bytes in the same place?
    pub same_value: bool,
}

fn mode(kind: Kind) -> Mode {
    match kind {
        Kind::Read => Mode::Rd,
        Kind::Write => Mode::Wr(None),
        Kind::Atomic(scope) => Mode::At(scope),
    }
}

/// Are the two ordered by no barrier?
fn same_phase(a: &Access, b: &Access, one: &Thread, two: &Thread) -> bool {
    if a.phase.grid != b.phase.grid {
        return false;
    }
    if one.block_id != two.block_id {
        return true;
    }
    a.phase.block == b.phase.block && (one.warp != two.warp || a.phase.warp == b.phase.warp)
}

fn race(run: &Run, a: &Access, b: &Access) -> bool {
    match (run.threads.get(a.thread as usize), run.threads.get(b.thread as usize)) {
        (Some(one), Some(two)) => a.thread != b.thread && conflict(a, b, one, two),
        _ => false,
    }
}

/// Do accesses of two threads to a common byte race?
pub(super) fn conflict(a: &Access, b: &Access, one: &Thread, two: &Thread) -> bool {
    let level = match one {
        one if one.block_id != two.block_id => Scope::Grid,
        one if one.warp != two.warp => Scope::Block,
        _ => Scope::Warp,
    };
    mode(a.kind).conflicts(&mode(b.kind), level) && same_phase(a, b, one, two)
}

/// Do both store the same bytes in the same place?
pub(super) fn same_value(a: &Access, b: &Access) -> bool {
    (a.kind, b.kind) == (Kind::Write, Kind::Write) && (a.start, a.length) == (b.start, b.length) && a.value == b.value
}

/// The first races of a run, at most one a byte and class: those whose values differ come first.
pub fn races(run: &Run) -> Vec<Race> {
    let mut bytes: FxHashMap<(ObjectId, u64), Vec<usize>> = FxHashMap::default();
    let mut found: Vec<Race> = Vec::new();
    for (i, access) in run.accesses.iter().enumerate() {
        for at in access.start..access.start.saturating_add(access.length) {
            let before = bytes.entry((access.object, at)).or_default();
            let alike = |j: &usize| {
                run.accesses.get(*j).is_some_and(|o| {
                    (o.thread, o.phase, o.kind, o.start, o.length)
                        == (access.thread, access.phase, access.kind, access.start, access.length)
                        && o.value == access.value
                })
            };
            if before.iter().any(alike) {
                continue;
            }
            for j in before.iter().copied() {
                let Some(other) = run.accesses.get(j) else { continue };
                if !race(run, other, access) {
                    continue;
                }
                let same_value = same_value(other, access);
                let new = Race { first: j, second: i, same_value };
                if !found.iter().any(|r| r.same_value == same_value) {
                    found.push(new);
                }
            }
            before.push(i);
        }
        if found.len() == 2 {
            break;
        }
    }
    found.sort_by_key(|r| r.same_value);
    found
}
