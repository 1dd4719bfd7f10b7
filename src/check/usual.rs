//! Values that a host is likely to give where it is not followed how it computes them. [HOST-COMPUTED]

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;

use super::host::powers_of_two;
use super::kernel::Check;
use crate::base::Name;
use crate::exp::{B, BExp, N, NRel, Var};

/// Names that are listed of many.
const FEW: usize = 4;
/// Sizes of data, mostly multiples of a block.
const SIZES: [i128; 4] = [1024, 4096, 65536, 1 << 20];
/// Sizes of launches along x.
const LAUNCHES: [i128; 6] = [32, 64, 128, 256, 512, 1024];
/// Sizes of both axes of a block.
const PLANE: [i128; 2] = [8, 16];
/// And along the other axes.
const SMALL: [i128; 6] = [1, 2, 4, 8, 16, 32];

impl Check<'_> {
    /// That what the host computes has usual values; `None` where it computes nothing that the kernel has.
    pub(super) fn usual(&self) -> Option<B> {
        let computed = &self.source.host.computed;
        let expected = expected(self.source.host.conditions.iter().map(|(condition, _)| condition));
        // Of a smaller type, all values are usual.
        let is_computed = |v: &Var| computed.contains_key(v.name.as_str()) && !(1..32).contains(&v.ty.bits);
        // Of a block of two axes that somebody gives: one that fits what it is written for, which is not larger.
        let has = |name: &str| self.inferred.kernel.globals.iter().any(|v| v.name.as_str() == name && is_computed(v));
        let is_plane = has("blockDim.y");
        let among = |v: &Var| {
            let values = match v.name.as_str() {
                "blockDim.x" | "blockDim.y" if is_plane => &PLANE[..],
                "blockDim.x" | "gridDim.x" => &LAUNCHES[..],
                name if name.contains("Dim.") => &SMALL[..],
                _ => &SIZES[..],
            };
            let known =
                computed.get(v.name.as_str()).into_iter().flatten().chain(expected.get(&v.name).into_iter().flatten());
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

/// The constants for which launches are written, as in `switch (n) { case 64: k<64><<<1, n>>>(a);`: a variable is one of
/// them, or is another one that is.
fn expected<'c>(conditions: impl Iterator<Item = &'c B>) -> BTreeMap<Name, BTreeSet<i128>> {
    let mut found: BTreeMap<Name, BTreeSet<i128>> = BTreeMap::new();
    let mut same: Vec<[Var; 2]> = Vec::new();
    let mut open: Vec<&B> = conditions.collect();
    while let Some(condition) = open.pop() {
        match condition.kind() {
            // That a number is any power of two is no launch for each of them.
            BExp::Or(_) if powers_of_two(condition).is_some() => {}
            BExp::And(parts) | BExp::Or(parts) => open.extend(parts),
            BExp::Rel(NRel::Eq, l, r) => match [(l.as_var(), r), (r.as_var(), l)] {
                [(Some(v), _), (Some(w), _)] => same.push([v.clone(), w.clone()]),
                [(Some(v), n), _] | [_, (Some(v), n)] => {
                    found.entry(v.name.clone()).or_default().extend(n.as_num());
                }
                _ => {}
            },
            BExp::Rel(..) | BExp::Not(_) | BExp::Lit(_) => {}
        }
    }
    for _ in 0..same.len() {
        for [v, w] in &same {
            for (from, to) in [(v, w), (w, v)] {
                let values = found.get(&from.name).cloned().unwrap_or_default();
                found.entry(to.name.clone()).or_default().extend(values);
            }
        }
    }
    found
}
