//! Interned names, and a deterministic supply of fresh ones.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// An identifier. Cheap to clone; compared and ordered by its text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name(Arc<str>);

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        // Most names that are compared are clones of each other.
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Ends the names of variables of the host; no name of a kernel has it.
pub const OF_HOST: &str = "@host";

impl Name {
    pub fn new(text: impl AsRef<str>) -> Name {
        Name(Arc::from(text.as_ref()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is this the name of a variable of the host, which the kernel does not have?
    pub fn is_of_host(&self) -> bool {
        self.0.ends_with(OF_HOST)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::new(text)
    }
}

/// Hands out names that were not handed out before: `x`, `x$1`, `x$2`, ... in the order of the requests.
#[derive(Default, Clone, Debug)]
pub struct FreshNames {
    next: FxHashMap<Name, u32>,
}

impl FreshNames {
    /// A name not returned (or reserved) before, based on `base` up to its first `$`.
    pub fn fresh(&mut self, base: &str) -> Name {
        let stem = Name::new(base.split('$').next().unwrap_or(base));
        let next = self.next.entry(stem.clone()).or_insert(0);
        let name = if *next == 0 { stem } else { Name::new(format!("{stem}${next}")) };
        *next += 1;
        name
    }

    /// Makes sure that `name` itself is never handed out.
    pub fn reserve(&mut self, name: &str) {
        let (stem, number) = match name.split_once('$') {
            Some((stem, number)) => (stem, number.parse::<u32>().map_or(0, |n| n.saturating_add(1))),
            None => (name, 1),
        };
        let next = self.next.entry(Name::new(stem)).or_insert(0);
        *next = (*next).max(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_names_are_distinct_and_deterministic() {
        let mut supply = FreshNames::default();
        supply.reserve("y");
        supply.reserve("x$7");
        let names: Vec<_> = ["x", "x", "y", "x$3"].iter().map(|n| supply.fresh(n).to_string()).collect();
        assert_eq!(names, ["x$8", "x$9", "y$1", "x$10"]);
    }
}
