//! Runs of as few threads as it takes to see one of two wait at a barrier where the other does not come. [WIT-PREFIX]

use std::collections::BTreeMap;

use super::barriers::{Status, release};
use super::machine::{Machine, Worker};
use super::replay::{Missed, Part, chosen, widest};
use super::{Inputs, Stop};
use crate::base::Span;
use crate::core::Scope;
use crate::kernel::ir::{FunId, Program};

/// Runs the kernel until one of two threads, by block and place in it, waits at the barrier, and the other one has ended or
/// waits at another. `steps` is used up over calls.
pub fn strand(
    program: &Program,
    kernel: FunId,
    inputs: &Inputs,
    pair: &[([u32; 3], [u32; 3]); 2],
    barrier: Span,
    steps: &mut u64,
) -> Result<Part, Missed> {
    for part in [Part::Pair, Part::Blocks, Part::Grid] {
        let mut machine = Machine::new(program, inputs);
        machine.steps = *steps;
        let places = chosen(inputs, pair, part);
        let result = pursue(&mut machine, kernel, &places, barrier, widest(inputs, pair, part));
        *steps = machine.steps;
        match result {
            Ok(true) => return Ok(part),
            // For threads that are left out.
            Ok(false) => {}
            Err(why) => return Err(why),
        }
    }
    Err(Missed::Diverged)
}

/// Does it come to that? False where the two wait for threads that do not run.
fn pursue(
    machine: &mut Machine,
    kernel: FunId,
    places: &[super::Thread],
    barrier: Span,
    widest: Option<Scope>,
) -> Result<bool, Missed> {
    let mut params = BTreeMap::new();
    let mut workers = machine.start(kernel, places, &mut params).map_err(Missed::Stopped)?;
    loop {
        for worker in &mut workers {
            while let Status::Ready = worker.status {
                match machine.step(worker) {
                    Ok(()) => {}
                    Err(Stop::OutOfBudget) => return Err(Missed::Stopped(Stop::OutOfBudget)),
                    Err(stop) => worker.status = Status::Parked(stop),
                }
            }
        }
        let [one, two, ..] = workers.as_slice() else {
            return Err(Missed::Stopped(Stop::Unsupported("a grid of this size".to_owned())));
        };
        if is_left(one, two, barrier) || is_left(two, one, barrier) {
            return Ok(true);
        }
        let parked = |worker: &Worker| match &worker.status {
            Status::Parked(stop) => Some(stop.clone()),
            Status::Ready | Status::Waits(_) | Status::Offers(_) | Status::Done => None,
        };
        if let Some(stop) = parked(one).or_else(|| parked(two)) {
            return Err(Missed::Stopped(stop));
        }
        if matches!((&one.status, &two.status), (Status::Done, Status::Done)) {
            return Err(Missed::Finished);
        }
        if !release(&mut workers, widest, machine.inputs) {
            return match workers.iter().find_map(parked) {
                Some(stop) => Err(Missed::Stopped(stop)),
                None => Ok(false),
            };
        }
    }
}

/// Does this thread wait at the barrier for the other one, which never comes there?
fn is_left(worker: &Worker, other: &Worker, barrier: Span) -> bool {
    let Status::Waits(own) = &worker.status else { return false };
    own.at == barrier
        && match &other.status {
            // A thread that has ended does not hold up its warp.
            Status::Done => own.scope > Scope::Warp,
            // Nor does it go on without this one.
            Status::Waits(there) => there.site != own.site && there.scope >= own.scope && own.scope > Scope::Warp,
            Status::Ready | Status::Offers(_) | Status::Parked(_) => false,
        }
}
