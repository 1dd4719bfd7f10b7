//! Which accesses atomic operations and fences may order with those of other threads: that is not modelled, so that a race
//! between them need not be one. [INF-FENCE]

use std::collections::BTreeSet;

use crate::core::SiteId;

#[derive(Clone, Default)]
pub struct Order {
    /// In the order of the program, with repetitions.
    accesses: Vec<SiteId>,
    /// Those before which the thread may have made an atomic operation, or waited at a fence.
    later: BTreeSet<SiteId>,
    /// Has there been one?
    met: bool,
    fences: bool,
    atomics: bool,
}

/// The beginning of a loop.
pub struct Entered {
    accesses: usize,
    met: bool,
}

impl Order {
    pub fn access(&mut self, site: SiteId) {
        self.accesses.push(site);
        if self.met {
            self.later.insert(site);
        }
    }

    pub fn atomic(&mut self) {
        self.met = true;
        self.atomics = true;
    }

    pub fn fence(&mut self) {
        self.met = true;
        self.fences = true;
    }

    pub fn enter(&self) -> Entered {
        Entered { accesses: self.accesses.len(), met: self.met }
    }

    /// What is not understood may be all of that.
    pub fn anything(&mut self) {
        self.atomic();
        self.fence();
    }

    /// What an iteration has met, the accesses of the next one come after.
    pub fn leave(&mut self, entered: Entered) {
        if self.met && !entered.met {
            self.later.extend(self.accesses.iter().skip(entered.accesses));
        }
    }

    /// The accesses that may come after those of another thread: it takes a fence, and an atomic operation to wait for.
    pub fn ordered(self) -> BTreeSet<SiteId> {
        if self.fences && self.atomics { self.later } else { BTreeSet::new() }
    }
}
