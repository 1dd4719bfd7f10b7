//! Arrays that say where rows begin: `for (j = row[i]; j < row[i + 1]; j++)`, as compressed matrices and batches of
//! different lengths have them. That they are not negative, nor more than half of what
//! their type holds, and do not decrease, is assumed, and listed: a kernel that is given others is one that
//! nobody wants. [CHK-OFFSETS]

use std::collections::BTreeSet;

use crate::base::Name;
use crate::core::{Kernel, Protocol};
use crate::exp::{B, BExp, FunKind, N, NBin, NExp, NRel, subterms, subterms_n};

/// So many elements are compared with each other.
const MOST: usize = 12;

/// The contents of arrays that say where rows begin and end, by their functions.
pub(super) fn offsets(kernel: &Kernel<Protocol>) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    in_protocol(&kernel.code, &mut found);
    found
}

/// That elements which these conditions speak of are places that arrays have, and do not decrease.
pub(super) fn facts(conditions: &[B], offsets: &BTreeSet<Name>) -> Vec<B> {
    let mut elements: Vec<N> = Vec::new();
    for condition in conditions {
        subterms(condition, &mut |term| {
            let wanted = element(term).is_some_and(|(name, _)| offsets.contains(name));
            if wanted && elements.len() < MOST && !elements.contains(term) {
                elements.push(term.clone());
            }
        });
    }
    let mut facts = Vec::new();
    for (i, one) in elements.iter().enumerate() {
        let most = one.ty().and_then(|ty| ty.max()).map(|most| one.le(&N::num(most / 2)));
        facts.extend([Some(N::num(0).le(one)), most].into_iter().flatten().filter(|fact| fact.as_lit().is_none()));
        for two in &elements[i + 1..] {
            let (Some((name, at)), Some((other, at_two))) = (element(one), element(two)) else { continue };
            if name == other {
                facts.push(B::implies(&at.le(at_two), &one.le(two)));
                facts.push(B::implies(&at_two.le(at), &two.le(one)));
            }
        }
    }
    facts
}

/// An element of an array of integers that nothing stores to: its function, and its index.
fn element(term: &N) -> Option<(&Name, &N)> {
    let NExp::Call(fun, args) = term.kind() else { return None };
    let ([version, at], FunKind::Input) = (args.as_slice(), fun.kind) else { return None };
    (version.as_num() == Some(0) && (16..=64).contains(&fun.ty.bits)).then_some((&fun.name, at))
}

fn in_protocol(protocol: &Protocol, found: &mut BTreeSet<Name>) {
    match protocol {
        Protocol::Skip | Protocol::Sync(_) => {}
        Protocol::Access(access) => access.index.iter().for_each(|n| subterms_n(n, &mut |term| length(term, found))),
        Protocol::Seq(parts) => parts.iter().for_each(|part| in_protocol(part, found)),
        Protocol::If(cond, then, els) => {
            subterms(cond, &mut |term| length(term, found));
            comparison(cond, true, found);
            [then, els].into_iter().for_each(|part| in_protocol(part, found));
        }
        Protocol::For(range, body) => {
            for part in [&range.first, &range.end, range.step.amount()] {
                subterms_n(part, &mut |term| length(term, found));
            }
            // From one element, or some way behind it, up to the next one.
            let mut ends = Vec::new();
            subterms_n(&range.end, &mut |term| ends.push(term.clone()));
            begins(&range.first, &mut |first| found.extend(ends.iter().filter_map(|end| follows(first, end)).cloned()));
            in_protocol(body, found);
        }
    }
}

/// `row[i + 1] - row[i]`
fn length(term: &N, found: &mut BTreeSet<Name>) {
    if let NExp::Bin(NBin::Sub, _, end, first) = term.kind() {
        found.extend(follows(bare(first), bare(end)).cloned());
    }
}

/// `row[i] + t < row[i + 1]`
fn comparison(condition: &B, holds: bool, found: &mut BTreeSet<Name>) {
    match condition.kind() {
        BExp::Lit(_) => {}
        BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|part| comparison(part, holds, found)),
        BExp::Not(part) => comparison(part, !holds, found),
        BExp::Rel(NRel::Lt | NRel::Le, l, r) => {
            let (side, bound) = if holds { (l, r) } else { (r, l) };
            // Two elements next to each other are compared for other reasons.
            if element(bare(side)).is_none() {
                begins(side, &mut |first| found.extend(follows(first, bare(bound)).cloned()));
            }
        }
        BExp::Rel(..) => {}
    }
}

/// The parts of a sum that may be elements.
fn begins(sum: &N, f: &mut impl FnMut(&N)) {
    match sum.kind() {
        NExp::Bin(NBin::Add, _, l, r) => [l, r].into_iter().for_each(|part| begins(part, f)),
        NExp::Cast(_, inner) => begins(inner, f),
        _ => f(sum),
    }
}

/// Is the second one the element after the first one? Then their function.
fn follows<'a>(first: &'a N, end: &N) -> Option<&'a Name> {
    let ((name, at), (other, next)) = (element(first)?, element(end)?);
    let is_next = |next: &N, at: &N, step: i128| match bare(next).kind() {
        NExp::Bin(NBin::Add, _, l, r) => r.as_num() == Some(step) && bare(l) == bare(at),
        _ => false,
    };
    let numbers = next.as_num().zip(at.as_num()).is_some_and(|(next, at)| next == at + 1);
    (name == other && (numbers || is_next(next, at, 1) || is_next(at, next, -1))).then_some(name)
}

/// Without conversions.
fn bare(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(_, inner) => bare(inner),
        _ => term,
    }
}
