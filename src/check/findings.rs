//! The findings of a kernel: each once, in a stable order, with ids that stay the same.

use std::collections::BTreeMap;

use super::kernel::Check;
use super::source::location;
use crate::base::{Name, OF_HOST};
use crate::core::scope::Level;
use crate::core::{Coordinate, Mode, SiteId};
use crate::report::finding::{
    AccessReport, Finding, FindingClass, FindingKind, Level as ReportLevel, Location, Witness,
};

/// What two findings have in common that are the same: the array, the level, and the two accesses. A divergence is the same
/// when its barrier is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    array: String,
    level: Option<Level>,
    accesses: Vec<(SiteId, u8)>,
}

/// Reads, writes and atomics, by number.
pub(super) fn kind(mode: &Mode) -> u8 {
    match mode {
        Mode::Rd => 0,
        Mode::Wr(_) => 1,
        Mode::At(_) => 2,
    }
}

impl Key {
    pub fn race(array: &Name, level: Level, accesses: [(SiteId, u8); 2]) -> Key {
        let mut accesses = accesses.to_vec();
        accesses.sort();
        Key { array: array.to_string(), level: Some(level), accesses }
    }

    pub fn divergence(barrier: SiteId) -> Key {
        Key { array: String::new(), level: None, accesses: vec![(barrier, 0)] }
    }
}

#[derive(Default)]
pub(super) struct Findings {
    all: Vec<(Key, Finding)>,
}

/// What counts most first: a kernel with a possible race is not one with races of the same value only, while of these one
/// that is there says more than any that may be.
fn rank(class: FindingClass) -> u8 {
    match class {
        FindingClass::Confirmed => 0,
        FindingClass::Possible => 1,
        FindingClass::SameValue => 2,
        FindingClass::PossibleSameValue => 3,
    }
}

impl Findings {
    pub fn add(&mut self, key: Key, finding: Finding) {
        match self.all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, before)) if rank(finding.class) < rank(before.class) => *before = finding,
            Some(_) => {}
            None => self.all.push((key, finding)),
        }
    }

    pub fn has(&self, key: &Key) -> bool {
        self.all.iter().any(|(known, _)| known == key)
    }

    pub fn remove(&mut self, key: &Key) {
        self.all.retain(|(known, _)| known != key);
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn any(&self, class: FindingClass) -> bool {
        self.all.iter().any(|(_, f)| f.class == class)
    }

    /// The confirmed races on an array at a level, by their accesses.
    pub fn confirmed(&self, array: &Name, level: Level) -> Vec<[(SiteId, u8); 2]> {
        let here = |key: &Key| key.array == array.as_str() && key.level == Some(level);
        let confirmed = self.all.iter().filter(|(key, f)| f.class == FindingClass::Confirmed && here(key));
        confirmed.filter_map(|(key, _)| <[_; 2]>::try_from(key.accesses.as_slice()).ok()).collect()
    }

    /// Those that are reported, at most so many, and how many are left out: by array in the order in which the arrays were
    /// found, confirmed ones first, and then as they stand in the source.
    pub fn settle(self, most: usize) -> (Vec<Finding>, usize) {
        let mut arrays: Vec<String> = vec![String::new()];
        for (key, _) in &self.all {
            if !arrays.contains(&key.array) {
                arrays.push(key.array.clone());
            }
        }
        let mut all: Vec<(Key, Finding)> = self.all;
        let place = |f: &Finding| -> Vec<(String, usize, usize)> {
            f.accesses.iter().map(|a| (a.at.path.clone(), a.at.line, a.at.column)).collect()
        };
        all.sort_by_cached_key(|(key, f)| {
            let array = arrays.iter().position(|a| *a == key.array);
            (array, rank(f.class), place(f), f.level, key.clone())
        });
        // Different places with the same text: the second, the third and so on.
        let mut same: BTreeMap<String, u32> = BTreeMap::new();
        for (_, finding) in &mut all {
            let count = same.entry(finding.id.clone()).or_default();
            *count += 1;
            if *count > 1 {
                finding.id = hashed(&format!("{}|{count}", finding.id));
            }
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|i| all.get(*i).map(|(_, f)| (f.kind == FindingKind::Race, rank(f.class))));
        let left_out = all.len().saturating_sub(most);
        let mut kept: Vec<usize> = order.into_iter().take(most).collect();
        kept.sort_unstable();
        let findings = all.into_iter().enumerate().filter(|(i, _)| kept.binary_search(i).is_ok());
        (findings.map(|(_, (_, finding))| finding).collect(), left_out)
    }
}

/// FNV-1a: an id has to be the same on every machine and in every version.
fn hashed(text: &str) -> String {
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{:012x}", hash >> 16)
}

impl Check<'_> {
    pub(super) fn values(&self, globals: BTreeMap<String, i128>, contents: BTreeMap<String, i128>) -> Witness {
        let dim = |what: &str, given: [Option<i128>; 3]| {
            let value = |axis: usize| {
                let name = format!("{what}.{}", ["x", "y", "z"][axis]);
                given[axis].or_else(|| globals.get(&name).copied()).unwrap_or(1)
            };
            [value(0), value(1), value(2)]
        };
        let is_size = |name: &str| name.starts_with("blockDim.") || name.starts_with("gridDim.");
        let params = globals.iter().filter(|(n, _)| !is_size(n) && !n.ends_with(OF_HOST));
        Witness {
            params: params.map(|(n, v)| (n.clone(), *v)).collect(),
            block_dim: dim("blockDim", self.launch.block),
            grid_dim: dim("gridDim", self.launch.grid),
            values: contents,
        }
    }

    /// The same for the same two accesses, wherever in the file they stand.
    pub(super) fn finding_id(&self, array: &str, level: ReportLevel, accesses: &[AccessReport]) -> String {
        let mut parts: Vec<String> = accesses
            .iter()
            .map(|a| {
                let line = |at: &Location| at.path.rsplit('/').next().unwrap_or("").to_owned();
                let text = self.snippet(&a.at);
                format!("{:?}|{}|{}|{}", a.mode, line(&a.at), text, a.calls.len())
            })
            .collect();
        parts.sort();
        let text = format!("{}|{array}|{level:?}|{}", self.name, parts.join("|"));
        hashed(&text)
    }

    fn snippet(&self, at: &Location) -> String {
        let site = self.inferred.sites.iter().find(|s| location(self.sources, s.span) == *at);
        site.map_or(String::new(), |s| self.sources.snippet(s.span).split_whitespace().collect())
    }
}

/// Values of coordinates by axis.
pub(super) fn axes(coordinates: &[Coordinate], values: &[i128]) -> [i128; 3] {
    let mut all = [0; 3];
    for (c, value) in coordinates.iter().zip(values) {
        match c.var.name.as_str().rsplit('.').next() {
            Some("x") => all[0] = *value,
            Some("y") => all[1] = *value,
            _ => all[2] = *value,
        }
    }
    all
}

pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Warp => "warp",
        Level::Block => "block",
        Level::Cluster => "cluster",
        Level::Grid => "grid",
    }
}

pub(super) fn report_level(level: Level) -> ReportLevel {
    match level {
        Level::Warp => ReportLevel::Warp,
        Level::Block => ReportLevel::Block,
        Level::Cluster => ReportLevel::Cluster,
        Level::Grid => ReportLevel::Grid,
    }
}
