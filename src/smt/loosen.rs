//! Fewer conditions: a query without what the host says of products of its own numbers. [ENC-LOOSE]
//!
//! `n == p * q`, where nothing else speaks of `p`, says next to nothing of `n`, and yet no encoding may hold it. What has no
//! solution without a condition has none with it.

use std::collections::{BTreeMap, BTreeSet};

use super::query::Query;
use crate::base::Name;
use crate::exp::{B, BExp, N, NBin, NExp, free_vars_b};

/// The query without conditions on products and quotients of unknown numbers that have a variable of the host of their own;
/// `None` where there are none.
pub fn loosened(query: &Query) -> Option<Query> {
    let mut parts = Vec::new();
    query.asserts.iter().for_each(|assert| conjuncts(assert, &mut parts));
    let before = parts.clone();
    while let Some(fewer) = without(&parts, &BTreeSet::new()) {
        parts = fewer;
    }
    // In each case of a choice as well.
    let vars: Vec<BTreeSet<Name>> = parts.iter().map(of_host).collect();
    let shared = |i: usize| {
        let others = vars.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, names)| names.iter().cloned());
        others.collect::<BTreeSet<Name>>()
    };
    let in_cases = |i: usize, part: &B| match part.kind() {
        BExp::Or(cases) if !vars[i].is_empty() => {
            let shared = shared(i);
            let cases = cases.iter().map(|case| {
                let mut own = Vec::new();
                conjuncts(case, &mut own);
                while let Some(fewer) = without(&own, &shared) {
                    own = fewer;
                }
                own
            });
            cases.collect()
        }
        _ => vec![vec![part.clone()]],
    };
    let mut all: Vec<Vec<Vec<B>>> = parts.iter().enumerate().map(|(i, part)| in_cases(i, part)).collect();
    let linked = linked(all.iter().flatten().flatten());
    let says = |part: &B| free_vars_b(part).iter().any(|v| !v.name.is_of_host() || linked.contains(&v.name));
    all.iter_mut().flatten().for_each(|case| case.retain(|part| part.as_lit().is_some() || says(part)));
    let all: Vec<B> = all
        .into_iter()
        .map(|cases| {
            let mut either: Vec<B> = Vec::new();
            for case in cases.into_iter().map(B::and) {
                if !either.contains(&case) {
                    either.push(case);
                }
            }
            B::or(either)
        })
        .filter(|part| part.as_lit() != Some(true))
        .collect();
    let left: BTreeSet<Name> = all.iter().flat_map(of_host).collect();
    let named = |name: &Name| !name.is_of_host() || left.contains(name);
    let vars = query.vars.iter().filter(|(var, _)| named(&var.name)).cloned().collect();
    (all != before).then(|| Query::new(vars, all))
}

/// The variables of the host that share a condition with others, or with a variable of the host that does.
fn linked<'b>(parts: impl Iterator<Item = &'b B>) -> BTreeSet<Name> {
    let mentioned: Vec<BTreeSet<Name>> = parts.map(|p| free_vars_b(p).into_iter().map(|v| v.name).collect()).collect();
    let mut linked: BTreeSet<Name> = BTreeSet::new();
    loop {
        let before = linked.len();
        for names in &mentioned {
            if names.iter().any(|name| !name.is_of_host() || linked.contains(name)) {
                linked.extend(names.iter().filter(|name| name.is_of_host()).cloned());
            }
        }
        if linked.len() == before {
            return linked;
        }
    }
}

fn conjuncts(condition: &B, parts: &mut Vec<B>) {
    match condition.kind() {
        BExp::And(inner) => inner.iter().for_each(|part| conjuncts(part, parts)),
        _ => parts.push(condition.clone()),
    }
}

fn of_host(condition: &B) -> BTreeSet<Name> {
    free_vars_b(condition).into_iter().map(|v| v.name).filter(Name::is_of_host).collect()
}

/// These conditions without those that have a variable of their own; `None` if each is needed.
fn without(parts: &[B], shared: &BTreeSet<Name>) -> Option<Vec<B>> {
    let vars: Vec<BTreeSet<Name>> = parts.iter().map(of_host).collect();
    let mut counts: BTreeMap<&Name, usize> = BTreeMap::new();
    vars.iter().flatten().for_each(|name| *counts.entry(name).or_default() += 1);
    let kept = |(part, names): &(&B, &BTreeSet<Name>)| {
        let own = names.iter().any(|name| counts.get(name) == Some(&1) && !shared.contains(name));
        !own || !matches!(part.kind(), BExp::Rel(..) | BExp::Not(_)) || !multiplies_b(part)
    };
    let fewer: Vec<B> = parts.iter().zip(&vars).filter(kept).map(|(part, _)| part.clone()).collect();
    (fewer.len() < parts.len()).then_some(fewer)
}

/// Is there a product, or a quotient, of two unknown numbers?
fn multiplies_b(condition: &B) -> bool {
    match condition.kind() {
        BExp::Lit(_) => false,
        BExp::Rel(_, l, r) => multiplies(l) || multiplies(r),
        BExp::And(parts) | BExp::Or(parts) => parts.iter().any(multiplies_b),
        BExp::Not(inner) => multiplies_b(inner),
    }
}

pub fn multiplies(term: &N) -> bool {
    match term.kind() {
        NExp::Num(_) | NExp::Var(_) => false,
        NExp::Bin(op, _, l, r) => {
            let unknown = match op {
                NBin::Mul => l.as_num().is_none() && r.as_num().is_none(),
                NBin::Div | NBin::Rem => r.as_num().is_none(),
                _ => false,
            };
            unknown || multiplies(l) || multiplies(r)
        }
        NExp::If(c, t, e) => multiplies_b(c) || multiplies(t) || multiplies(e),
        NExp::Cast(_, inner) => multiplies(inner),
        NExp::Call(_, args) => args.iter().any(multiplies),
    }
}
