//! Accesses that touch the same: of several that a thread makes to one place, one stands for all.

use indexmap::IndexMap;

use crate::core::access::{Mode, SiteId};
use crate::core::race::Side;
use crate::core::range::Range;
use crate::exp::{N, Subst, Var};

/// Some of the sides, such that each of the others touches the same as one of them, in the same mode or where that one
/// writes: what races with the one races with the other. Binders may have other names. [OPT-DISTINCT]
pub fn distinct<'s>(sides: &[&'s Side]) -> Vec<&'s Side> {
    let mut places: IndexMap<Side, Vec<&Side>> = IndexMap::new();
    for side in sides {
        let same = places.entry(place(side)).or_default();
        let writes = |side: &Side| matches!(side.mode, Mode::Wr(_));
        if writes(side) && !same.iter().any(|other| writes(other)) {
            *same = vec![side];
        } else if !same.iter().any(|other| writes(other) || other.mode == side.mode) {
            same.push(side);
        }
    }
    places.into_values().flatten().collect()
}

/// The side without what does not say which cells it touches, and when.
fn place(side: &Side) -> Side {
    let mut names = Subst::new();
    let mut binders = side.binders.clone();
    for (at, range) in binders.iter_mut().enumerate() {
        // Bounds speak of outer binders only.
        let var = Var::new(format!("#{at}"), range.var.ty);
        let bounds = range.subst(&mut names);
        names.bind(&range.var.name, &N::var(&var));
        *range = Range { var, ..bounds };
    }
    Side {
        array: side.array.clone(),
        site: SiteId(0),
        mode: Mode::Rd,
        index: side.index.iter().map(|n| names.numeric(n)).collect(),
        width: side.width,
        guard: names.boolean(&side.guard),
        binders,
    }
}
