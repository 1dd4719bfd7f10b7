//! Which accesses atomic operations and fences may order with those of other threads: that is not modelled, so that a race
//! between them need not be one. [INF-FENCE] And between which there are calls that may have barriers in them. [INF-UNKNOWN]

use std::collections::{BTreeMap, BTreeSet};

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
    /// How many calls of functions that are not known were met, and how many before each access; `None` where that differs.
    calls: usize,
    after: BTreeMap<SiteId, Option<usize>>,
}

/// The beginning of a loop.
pub struct Entered {
    accesses: usize,
    met: bool,
    calls: usize,
}

impl Order {
    pub fn access(&mut self, site: SiteId) {
        self.accesses.push(site);
        if self.met {
            self.later.insert(site);
        }
        let calls = Some(self.calls);
        self.after.entry(site).and_modify(|known| *known = known.filter(|_| *known == calls)).or_insert(calls);
    }

    /// A function that is not known, and may have a barrier in it.
    pub fn call(&mut self) {
        self.calls += 1;
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
        Entered { accesses: self.accesses.len(), met: self.met, calls: self.calls }
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
        if self.calls != entered.calls {
            self.after.extend(self.accesses.iter().skip(entered.accesses).map(|site| (*site, None)));
        }
    }

    /// How many calls of functions that are not known were made before each access, where that is one number; nothing
    /// where there are none.
    pub fn calls(&self) -> BTreeMap<SiteId, Option<usize>> {
        if self.calls > 0 { self.after.clone() } else { BTreeMap::new() }
    }

    /// The accesses that may come after those of another thread: it takes a fence, and an atomic operation to wait for.
    pub fn ordered(self) -> BTreeSet<SiteId> {
        if self.fences && self.atomics { self.later } else { BTreeSet::new() }
    }
}
