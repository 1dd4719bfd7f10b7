//! Memory access protocols as they are inferred: one tree, in which synchronised and unsynchronised code are not told
//! apart yet. `wellformed` separates the two fragments of \[MAP\] Fig. 2; `phases` works on this tree directly.

use super::access::{Access, Scope};
use super::kernel::Space;
use super::range::Range;
use crate::exp::{B, N};

/// A barrier: it waits for all threads of its scope, or, within a warp, for those of a mask.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    pub scope: Scope,
    /// Bit i stands for lane i; `None` is all lanes. Only for the scope `Warp`.
    pub mask: Option<N>,
    pub fence: Fence,
    pub site: super::access::SiteId,
}

/// The memory whose accesses a barrier orders, between the threads that it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fence {
    pub shared: bool,
    pub global: bool,
}

impl Fence {
    pub const ALL: Fence = Fence { shared: true, global: true };

    pub fn orders(self, space: Space) -> bool {
        match space {
            Space::Shared => self.shared,
            Space::Global => self.global,
        }
    }
}

/// A protocol, before well-formedness.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Protocol {
    Skip,
    Access(Access),
    Sync(Barrier),
    Seq(Vec<Protocol>),
    If(B, Box<Protocol>, Box<Protocol>),
    /// Binds the variable of the range in the body.
    For(Range, Box<Protocol>),
}

impl Protocol {
    /// Sequence without needless nesting and without `skip`.
    pub fn seq(parts: impl IntoIterator<Item = Protocol>) -> Protocol {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Protocol::Skip => {}
                Protocol::Seq(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match (flat.len(), flat.pop()) {
            (_, None) => Protocol::Skip,
            (1, Some(only)) => only,
            (_, Some(last)) => {
                flat.push(last);
                Protocol::Seq(flat)
            }
        }
    }

    /// A conditional, decided when its condition is constant, and dropped when both branches do nothing.
    pub fn branch(cond: &B, then: Protocol, els: Protocol) -> Protocol {
        match cond.as_lit() {
            Some(true) => then,
            Some(false) => els,
            None if then == Protocol::Skip && els == Protocol::Skip => Protocol::Skip,
            None if then == Protocol::Skip => Protocol::If(B::not(cond), Box::new(els), Box::new(then)),
            None => Protocol::If(cond.clone(), Box::new(then), Box::new(els)),
        }
    }
}
