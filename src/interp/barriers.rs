//! Where threads wait for each other, and when they go on.

use super::exchange::{Offer, trade};
use super::machine::Worker;
use super::value::Value;
use super::{Divergence, End, Inputs, Stop, unsupported};
use crate::base::{Name, Span};
use crate::core::Scope;
use crate::kernel::ir::FunId;

/// Where a thread waits: the calls that lead there, and what kind of barrier it is.
#[derive(Clone, PartialEq)]
pub(super) struct Waits {
    pub scope: Scope,
    /// Does it order the accesses to shared, and to global memory?
    pub fence: [bool; 2],
    pub site: Vec<(FunId, usize)>,
    pub at: Span,
    /// For a barrier that combines values: its name and the value of this thread.
    pub reduce: Option<(Name, bool)>,
}

pub(super) enum Status {
    Ready,
    Waits(Waits),
    /// It waits for the values of others of its warp.
    Offers(Offer),
    /// It cannot go on, and so it stays where it is: only in replays.
    Parked(Stop),
    Done,
}

/// What orders all memory.
pub(super) const ALL: [bool; 2] = [true; 2];

pub(super) fn wait(
    worker: &mut Worker,
    scope: Scope,
    fence: [bool; 2],
    at: Span,
    reduce: Option<(Name, bool)>,
) -> Result<(), Stop> {
    if scope == Scope::Cluster {
        return unsupported("a barrier of a cluster");
    }
    let site = worker.frames.iter().map(|f| (f.function, f.pc)).collect();
    worker.status = Status::Waits(Waits { scope, fence, site, at, reduce });
    Ok(())
}

/// Lets threads go on that all wait for each other, at barriers up to the widest scope of which all threads are here.
/// False when there are none.
pub(super) fn release(workers: &mut [Worker], widest: Option<Scope>, inputs: &Inputs) -> bool {
    let mut released = widest.is_some() && trade(workers, inputs.block, inputs.warp_size);
    for scope in [Scope::Warp, Scope::Block, Scope::Grid] {
        if widest.is_none_or(|widest| scope > widest) {
            break;
        }
        let group = |w: &Worker| match scope {
            Scope::Warp => (w.place.block_id, w.place.warp),
            Scope::Block => (w.place.block_id, 0),
            _ => (0, 0),
        };
        let mut groups: Vec<(u32, u32)> = workers.iter().map(group).collect();
        groups.sort_unstable();
        groups.dedup();
        for key in groups {
            let members: Vec<usize> = (0..workers.len()).filter(|i| group(&workers[*i]) == key).collect();
            let mut first: Option<Waits> = None;
            let together = members.iter().all(|i| match &workers[*i].status {
                Status::Waits(waits) if waits.scope == scope => {
                    let same = first.as_ref().is_none_or(|f| f.site == waits.site || scope == Scope::Warp);
                    first.get_or_insert_with(|| waits.clone());
                    same
                }
                // A thread that has ended does not hold up its warp.
                Status::Done => scope == Scope::Warp,
                Status::Waits(_) | Status::Offers(_) | Status::Parked(_) | Status::Ready => false,
            });
            if together && first.is_some() {
                pass(workers, &members, scope);
                released = true;
            }
        }
    }
    released
}

fn pass(workers: &mut [Worker], members: &[usize], scope: Scope) {
    let votes: Vec<bool> = members
        .iter()
        .filter_map(|i| match &workers.get(*i)?.status {
            Status::Waits(Waits { reduce: Some((_, value)), .. }) => Some(*value),
            _ => None,
        })
        .collect();
    for i in members {
        let Some(worker) = workers.get_mut(*i) else { continue };
        let Status::Waits(waits) = &worker.status else { continue };
        if let (Some((name, _)), Some(frame)) = (&waits.reduce, worker.frames.last_mut()) {
            let value = match name.as_str() {
                "__syncthreads_count" => votes.iter().filter(|v| **v).count() as i128,
                "__syncthreads_and" => i128::from(votes.iter().all(|v| *v)),
                _ => i128::from(votes.iter().any(|v| *v)),
            };
            frame.stack.push(Value::Int(value));
        }
        for (phase, ordered) in worker.phases.iter_mut().zip(waits.fence) {
            phase.all += 1;
            phase.warp += u32::from(ordered);
            phase.block += u32::from(ordered && scope >= Scope::Block);
            phase.grid += u32::from(ordered && scope >= Scope::Cluster);
        }
        worker.status = Status::Ready;
    }
}

/// Nobody can go on: who waits for whom.
pub(super) fn stuck(workers: &[Worker]) -> End {
    for (i, worker) in workers.iter().enumerate() {
        let Status::Waits(waits) = &worker.status else { continue };
        let partner = workers.iter().position(|other| {
            let near = match waits.scope {
                Scope::Grid | Scope::Cluster => true,
                Scope::Block => other.place.block_id == worker.place.block_id,
                Scope::Warp => (other.place.block_id, other.place.warp) == (worker.place.block_id, worker.place.warp),
            };
            near && match &other.status {
                Status::Done => true,
                Status::Waits(others) => others.site != waits.site,
                Status::Ready | Status::Offers(_) | Status::Parked(_) => false,
            }
        });
        if let Some(other) = partner {
            return End::Diverged(Divergence { waits: i as u32, at: waits.at, other: other as u32 });
        }
    }
    End::Stopped(Stop::Unsupported("threads that wait for each other".to_owned()))
}
