//! What a set of inputs is like, so that a test cannot pass on empty ones.

use std::collections::BTreeMap;

use super::campaign::Plan;
use super::kernels::Dialect;
use super::oracle;
use crate::core::{Access, Kernel, Level, Protocol, levels};

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

    /// Adds the counts of other inputs.
    pub fn join(&mut self, other: Population) {
        self.total += other.total;
        for (property, n) in other.counts {
            *self.counts.entry(property).or_insert(0) += n;
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

/// The properties of a kernel that show in its text, or in its loops, of those that kernels of the plan may have.
pub fn shape(kernel: &Kernel<Protocol>, plan: &Plan) -> impl Iterator<Item = (&'static str, bool)> {
    let code = &kernel.code;
    let nested = synchronised_nesting(code);
    let all = [
        ("with accesses", any(code, &|p| matches!(p, Protocol::Access(_)))),
        ("with conflicting accesses", conflicts(code)),
        ("with barriers", code.synchronises()),
        ("with synchronised loops", nested > 0),
        ("with nested synchronised loops", nested > 1),
        ("with 4 nested synchronised loops", nested > 3),
        ("with empty loops", has_empty_loops(kernel)),
        ("with synchronised conditionals", any(code, &|p| matches!(p, Protocol::If(..)) && p.synchronises())),
        ("with several levels", levels(kernel).len() > 1),
        ("with a level of clusters", levels(kernel).contains(&Level::Cluster)),
    ];
    let none: &[&str] = match plan.dialect {
        Dialect::Paper => {
            &["with empty loops", "with synchronised conditionals", "with several levels", "with a level of clusters"]
        }
        Dialect::Block | Dialect::Divergent => &["with several levels", "with a level of clusters"],
        Dialect::Accesses => &["with barriers", "with a level of clusters"],
        Dialect::Scopes => &[],
    };
    let (synchronised, deep) = (plan.dialect != Dialect::Accesses, plan.nesting > 3);
    all.into_iter().filter(move |(property, _)| {
        let made = match *property {
            "with 4 nested synchronised loops" => deep,
            other => synchronised || !other.contains("synchronised"),
        };
        made && !none.contains(property)
    })
}

/// How many synchronised loops there are one in the other.
fn synchronised_nesting(code: &Protocol) -> usize {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => 0,
        Protocol::Seq(parts) => parts.iter().map(synchronised_nesting).max().unwrap_or(0),
        Protocol::If(_, t, e) => synchronised_nesting(t).max(synchronised_nesting(e)),
        Protocol::For(_, body) => usize::from(body.synchronises()) + synchronised_nesting(body),
    }
}

/// Are there two accesses to one array, or one made by two threads, that are not both harmless?
fn conflicts(code: &Protocol) -> bool {
    let mut all: Vec<&Access> = Vec::new();
    accesses(code, &mut all);
    let conflict = |a: &Access, b: &Access| a.array == b.array && a.mode.conflicts(&b.mode, Level::Block.scope());
    all.iter().any(|a| all.iter().any(|b| conflict(a, b)))
}

fn accesses<'c>(code: &'c Protocol, all: &mut Vec<&'c Access>) {
    match code {
        Protocol::Skip | Protocol::Sync(_) => {}
        Protocol::Access(access) => all.push(access),
        Protocol::Seq(parts) => parts.iter().for_each(|p| accesses(p, all)),
        Protocol::If(_, t, e) => {
            accesses(t, all);
            accesses(e, all);
        }
        Protocol::For(_, body) => accesses(body, all),
    }
}

/// Is there a loop that does not run for the first thread and some value of the global?
fn has_empty_loops(kernel: &Kernel<Protocol>) -> bool {
    oracle::GLOBALS.into_iter().any(|g| {
        let values = oracle::values(g);
        let threads = oracle::threads(kernel, &values).unwrap_or_default();
        let first = threads.first().map(|thread| oracle::values_of(kernel, thread, &values));
        first.is_some_and(|mut env| oracle::a_loop_is_empty(&kernel.code, &mut env, &|_| true).unwrap_or(false))
    })
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
