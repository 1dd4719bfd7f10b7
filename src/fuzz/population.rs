//! What a set of inputs is like, so that a test cannot pass on empty ones.

use std::collections::BTreeMap;

use crate::core::{Kernel, Protocol};

/// Counts of inputs with a property.
#[derive(Clone, Debug, Default)]
pub struct Population {
    pub total: usize,
    counts: BTreeMap<&'static str, usize>,
}

impl Population {
    /// Counts one input.
    pub fn add(&mut self, properties: impl IntoIterator<Item = (&'static str, bool)>) {
        self.total += 1;
        for (property, holds) in properties {
            *self.counts.entry(property).or_insert(0) += usize::from(holds);
        }
    }

    pub fn count(&self, property: &str) -> usize {
        self.counts.get(property).copied().unwrap_or(0)
    }

    /// The properties that fewer inputs have than `percent` of all.
    pub fn rare(&self, percent: usize) -> Vec<&'static str> {
        self.counts.iter().filter(|(_, n)| **n * 100 < self.total * percent).map(|(p, _)| *p).collect()
    }
}

impl std::fmt::Display for Population {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} inputs", self.total)?;
        self.counts.iter().try_for_each(|(property, n)| write!(f, ", {n} {property}"))
    }
}

/// The properties of a kernel that show in its text.
pub fn shape(kernel: &Kernel<Protocol>) -> [(&'static str, bool); 5] {
    let code = &kernel.code;
    [
        ("with accesses", any(code, &|p| matches!(p, Protocol::Access(_)))),
        ("with barriers", code.synchronises()),
        ("with synchronised loops", any(code, &|p| matches!(p, Protocol::For(..)) && p.synchronises())),
        ("with nested synchronised loops", any(code, &nested)),
        ("with synchronised conditionals", any(code, &|p| matches!(p, Protocol::If(..)) && p.synchronises())),
    ]
}

fn nested(code: &Protocol) -> bool {
    match code {
        Protocol::For(_, body) => any(body, &|p| matches!(p, Protocol::For(..)) && p.synchronises()),
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) | Protocol::Seq(_) | Protocol::If(..) => false,
    }
}

fn any(code: &Protocol, test: &dyn Fn(&Protocol) -> bool) -> bool {
    test(code)
        || match code {
            Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => false,
            Protocol::Seq(parts) => parts.iter().any(|p| any(p, test)),
            Protocol::If(_, t, e) => any(t, test) || any(e, test),
            Protocol::For(_, body) => any(body, test),
        }
}
