//! Values that a host is likely to give where it is not followed how it computes them. [HOST-COMPUTED]

use itertools::Itertools;

use super::kernel::Check;
use crate::exp::{B, N, Var};

/// Names that are listed of many.
const FEW: usize = 4;
/// Sizes of data, mostly multiples of a block.
const SIZES: [i128; 4] = [1024, 4096, 65536, 1 << 20];
/// Sizes of launches along x.
const LAUNCHES: [i128; 6] = [32, 64, 128, 256, 512, 1024];
/// And along the other axes.
const SMALL: [i128; 6] = [1, 2, 4, 8, 16, 32];

impl Check<'_> {
    /// That what the host computes has usual values; `None` where it computes nothing that the kernel has.
    pub(super) fn usual(&self) -> Option<B> {
        let computed = &self.source.host.computed;
        // Of a smaller type, all values are usual.
        let is_computed = |v: &Var| computed.contains_key(v.name.as_str()) && !(1..32).contains(&v.ty.bits);
        let among = |v: &Var| {
            let values = match v.name.as_str() {
                "blockDim.x" | "gridDim.x" => &LAUNCHES[..],
                name if name.contains("Dim.") => &SMALL[..],
                _ => &SIZES[..],
            };
            let known = computed.get(v.name.as_str()).into_iter().flatten();
            let fits = values.iter().chain(known).filter(|n| v.ty.contains(**n));
            B::or(fits.map(|n| N::var(v).eq(&N::num(*n))).collect::<Vec<_>>())
        };
        let globals = self.inferred.kernel.globals.iter();
        let mut known: Vec<B> = globals.filter(|v| is_computed(v)).map(among).collect();
        known.extend(self.source.host.stays.clone());
        (!known.is_empty()).then(|| B::and(known))
    }

    /// Why a race is not certain that none of the usual values gives.
    pub(super) fn unusual(&self) -> String {
        let host = &self.source.host;
        let globals = self.inferred.kernel.globals.iter().map(|v| v.name.as_str());
        let names: Vec<String> = globals
            .filter(|name| host.computed.contains_key(*name))
            .map(|name| name.trim_end_matches(crate::base::OF_HOST))
            .chain(host.staying.iter().map(String::as_str))
            .unique()
            .map(|name| format!("`{name}`"))
            .collect();
        let names = match names.len().checked_sub(FEW) {
            None | Some(0) => names.join(" and "),
            Some(more) => format!("{} and {more} more", names[..FEW].join(", ")),
        };
        format!("it rests on values of {names} that the host code may never give: how it computes them is not followed")
    }
}
