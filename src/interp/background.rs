//! Copies in the background: the accesses happen when the copy begins, and again in each phase in which it may go on.

use super::machine::{Machine, Worker};
use super::memory::Home;
use super::{Access, Kind, Phase, Stop, undefined, unsupported};
use crate::base::Span;
use crate::kernel::ir::Copier;

/// Bytes of shared memory that one object may have, where places in it have numbers.
const WINDOW: i128 = 1 << 18;

/// An access of a copy that is not complete.
struct Going {
    access: Access,
    /// How many batches were closed after its own, once that is closed.
    closed: Option<i128>,
    /// The barrier at which it is complete, if that is what ends it.
    until: Option<i128>,
}

/// What a thread copies in the background.
#[derive(Default)]
pub(super) struct Copies {
    going: Vec<Going>,
    /// Up to which phase the accesses are logged.
    logged: [Phase; 2],
}

impl Copies {
    /// What was begun since the last time is a batch.
    pub fn close(&mut self) {
        let batches = self.going.iter_mut().filter(|copy| copy.until.is_none());
        batches.for_each(|copy| copy.closed = Some(copy.closed.map_or(0, |n| n + 1)));
    }

    /// All batches but so many of the last ones are complete.
    pub fn wait(&mut self, left: i128) {
        self.going.retain(|copy| copy.closed.is_none_or(|n| n < left));
    }

    /// What is copied until that barrier is passed is complete.
    pub fn pass(&mut self, barrier: i128) {
        self.going.retain(|copy| copy.until != Some(barrier));
    }
}

impl Machine<'_> {
    /// In a phase that has begun, what is not complete goes on.
    pub fn go_on(&mut self, worker: &mut Worker) -> Result<(), Stop> {
        if worker.copies.logged == worker.phases {
            return Ok(());
        }
        worker.copies.logged = worker.phases;
        for Going { access, .. } in &worker.copies.going {
            if self.watch.as_ref().is_none_or(|watch| watch.looks_at(worker, access.span)) {
                let Some(home) = self.memory.get(access.object).map(|o| o.home) else { continue };
                self.log(worker, Access { phase: worker.phase(home), ..access.clone() })?;
            }
        }
        Ok(())
    }

    /// Begins a copy of so many bytes, of which some are read, and the others zeros.
    pub fn begin_copy(
        &mut self,
        worker: &mut Worker,
        copier: Copier,
        until: Option<i128>,
        [to, from]: [i128; 2],
        [written, read]: [u64; 2],
        span: Span,
    ) -> Result<(), Stop> {
        let quiet = worker.quiet;
        // All threads of a group have the contents; one of them makes the accesses.
        worker.quiet |= !self.makes(worker, copier, span);
        let mut bytes = vec![Some(0); usize::try_from(written).unwrap_or(0)];
        for (at, length, kind) in [(from, read, Kind::Read), (to, written, Kind::Write)] {
            if length == 0 {
                continue;
            }
            let value = if kind == Kind::Write { bytes.clone() } else { Vec::new() };
            let (object, start) = self.touch(worker, at, kind, &value, length, span)?;
            match kind {
                Kind::Write => self.memory.write(object, start, &bytes),
                _ => bytes.iter_mut().zip(self.memory.read(object, start, length)).for_each(|(b, read)| *b = read),
            }
            let home = self.memory.get(object).map(|o| o.home);
            let seen = home.filter(|home| matches!(home, Home::Shared(_) | Home::Global) && !worker.quiet);
            if let Some(home) = seen {
                let (thread, phase) = (worker.number, worker.phase(home));
                let access = Access { thread, phase, object, start, length, kind, value, span };
                worker.copies.going.push(Going { access, closed: None, until });
            }
        }
        worker.quiet = quiet;
        worker.copies.logged = worker.phases;
        Ok(())
    }

    /// Is this the thread that makes a copy of a group? In a replay it is one that the goal is about.
    fn makes(&self, worker: &Worker, copier: Copier, span: Span) -> bool {
        let first = match copier {
            Copier::Thread => return true,
            Copier::Tile(lanes) => lanes,
            Copier::Block => u32::MAX,
        };
        if let Some(watch) = &self.watch {
            return watch.copier(span) == Some(worker.number);
        }
        let [x, y, z] = worker.place.thread;
        (x + self.inputs.block[0] * (y + self.inputs.block[1] * z)).is_multiple_of(first)
    }

    /// The number of a place in shared memory.
    pub fn shared_address(&mut self, address: i128) -> Result<i128, Stop> {
        let (object, offset) = (address >> 40, address & ((1 << 40) - 1));
        if offset >= WINDOW {
            return unsupported("an address of shared memory");
        }
        let window = self.windows.iter().position(|o| *o == object).unwrap_or_else(|| {
            self.windows.push(object);
            self.windows.len() - 1
        });
        Ok(window as i128 * WINDOW + offset)
    }

    pub fn place_of_shared_address(&self, number: i128) -> Result<i128, Stop> {
        let window = usize::try_from(number.div_euclid(WINDOW)).ok().and_then(|at| self.windows.get(at));
        match window {
            Some(object) => Ok((object << 40) + number.rem_euclid(WINDOW)),
            None => undefined("a number that is no address of shared memory"),
        }
    }
}
