//! A kernel: what every stage shares (its header), and the code of one stage.

use std::collections::BTreeSet;

use super::access::SiteId;
use crate::base::Name;
use crate::exp::{B, N, Var};

/// Where an array lives, which decides who can see it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Space {
    /// Seen by the threads of one block.
    Shared,
    /// Seen by all threads.
    Global,
}

/// An array of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayDecl {
    pub name: Name,
    pub space: Space,
    /// The bytes of one unit of its indices.
    pub unit: u32,
}

/// One coordinate of a thread or of a block: the variable ranges over `0..extent`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coordinate {
    pub var: Var,
    pub extent: N,
}

/// The function that stands, in an assumption about two threads, for the value that its argument has for the other thread.
pub const OTHER: &str = "other";

/// A kernel at some stage. The header says which variables identify a thread; all threads agree on the `globals`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel<C> {
    pub name: Name,
    pub arrays: Vec<ArrayDecl>,
    /// Parameters and launch dimensions: uniform over the grid.
    pub globals: Vec<Var>,
    /// The coordinates of a block in the grid.
    pub blocks: Vec<Coordinate>,
    /// How many blocks form a cluster, along each coordinate of a block. Empty when each block is a cluster of its own.
    pub clusters: Vec<N>,
    /// The coordinates of a thread in its block, innermost (fastest) first.
    pub threads: Vec<Coordinate>,
    /// What is assumed, for every thread.
    pub pre: B,
    /// What is assumed of any two threads: of the one, where [`OTHER`] applied to a term is that term of the other one.
    pub pairs: Vec<B>,
    /// Accesses that only the block makes that comes last, after all accesses of other blocks. [SCOPE-LAST]
    pub last: BTreeSet<SiteId>,
    pub code: C,
}

impl<C> Kernel<C> {
    /// The same header around other code.
    pub fn with_code<D>(&self, code: D) -> Kernel<D> {
        Kernel {
            name: self.name.clone(),
            arrays: self.arrays.clone(),
            globals: self.globals.clone(),
            blocks: self.blocks.clone(),
            clusters: self.clusters.clone(),
            threads: self.threads.clone(),
            pre: self.pre.clone(),
            pairs: self.pairs.clone(),
            last: self.last.clone(),
            code,
        }
    }

    pub fn array(&self, name: &Name) -> Option<&ArrayDecl> {
        self.arrays.iter().find(|a| a.name == *name)
    }
}
