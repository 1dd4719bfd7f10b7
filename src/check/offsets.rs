//! Arrays that say where rows begin: `for (j = row[i]; j < row[i + 1]; j++)`, as compressed matrices and batches of
//! different lengths have them. That they are not negative, nor more than half of what their type holds (from 32 bits), and
//! do not decrease, is assumed, and listed: a kernel that is given others is one that nobody wants. [CHK-OFFSETS]

use std::collections::BTreeSet;

use crate::base::Name;
use crate::core::{Kernel, Protocol};
use crate::exp::{B, BExp, FunKind, N, NBin, NExp, NRel, Var, free_vars_n, subterms, subterms_n};

/// So many elements are compared with each other.
const MOST: usize = 12;

/// The contents of arrays that say where rows begin and end, by their functions.
pub(super) fn offsets(kernel: &Kernel<Protocol>) -> BTreeSet<Name> {
    let mut found = Found { steps: BTreeSet::new(), names: BTreeSet::new() };
    found.steps.extend(kernel.blocks.iter().chain(&kernel.threads).map(|c| c.var.clone()));
    found.protocol(&kernel.code);
    found.names
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
        let most = one.ty().filter(|ty| ty.bits >= 32).and_then(|ty| ty.max()).map(|most| one.le(&N::num(most / 2)));
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

struct Found {
    /// Coordinates, and the counters of the loops around.
    steps: BTreeSet<Var>,
    names: BTreeSet<Name>,
}

impl Found {
    fn protocol(&mut self, protocol: &Protocol) {
        match protocol {
            Protocol::Skip | Protocol::Sync(_) | Protocol::Access(_) => {}
            Protocol::Seq(parts) => parts.iter().for_each(|part| self.protocol(part)),
            Protocol::If(cond, then, els) => {
                self.comparison(cond, true);
                [then, els].into_iter().for_each(|part| self.protocol(part));
            }
            Protocol::For(range, body) => {
                // From one element, or some way behind it, up to the next one; or as often as they are apart.
                let mut ends = Vec::new();
                subterms_n(&range.end, &mut |term| ends.push(term.clone()));
                begins(&range.first, &mut |first| {
                    self.names.extend(ends.iter().filter_map(|end| follows(first, end)).cloned());
                });
                self.names.extend(ends.iter().filter_map(length).cloned());
                let is_new = self.steps.insert(range.var.clone());
                self.protocol(body);
                if is_new {
                    self.steps.remove(&range.var);
                }
            }
        }
    }

    /// `row[i] + t < row[i + 1]`, `t < row[i + 1] - row[i]`, where t is what threads or iterations differ in.
    fn comparison(&mut self, condition: &B, holds: bool) {
        match condition.kind() {
            BExp::Lit(_) => {}
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|part| self.comparison(part, holds)),
            BExp::Not(part) => self.comparison(part, !holds),
            BExp::Rel(NRel::Lt | NRel::Le, l, r) => {
                let (side, bound) = if holds { (l, r) } else { (r, l) };
                let mut parts = Vec::new();
                begins(side, &mut |part| parts.push(part.clone()));
                let steps = |part: &&N| element(part).is_none() && !free_vars_n(part).is_disjoint(&self.steps);
                if parts.iter().any(|part| steps(&part)) {
                    self.names.extend(parts.iter().filter_map(|first| follows(first, bare(bound))).cloned());
                    self.names.extend(length(bare(bound)).cloned());
                }
            }
            BExp::Rel(..) => {}
        }
    }
}

/// `row[i + 1] - row[i]`
fn length(term: &N) -> Option<&Name> {
    let NExp::Bin(NBin::Sub, _, end, first) = term.kind() else { return None };
    follows(bare(first), bare(end))
}

/// The parts of a sum that may be elements.
fn begins(sum: &N, f: &mut impl FnMut(&N)) {
    match sum.kind() {
        NExp::Bin(NBin::Add, _, l, r) => [l, r].into_iter().for_each(|part| begins(part, f)),
        NExp::Cast(_, inner) => begins(inner, f),
        _ => f(sum),
    }
}

/// Is the second one the element after the first one, and the first one of another row? Then their function. Of pairs
/// (`2 * i` and `2 * i + 1`) the second element is no beginning.
fn follows<'a>(first: &'a N, end: &N) -> Option<&'a Name> {
    let ((name, at), (other, next)) = (element(first)?, element(end)?);
    let is_next = |next: &N, at: &N, step: i128| match bare(next).kind() {
        NExp::Bin(NBin::Add, _, l, r) => r.as_num() == Some(step) && bare(l) == bare(at),
        _ => false,
    };
    let mut terms = Vec::new();
    begins(at, &mut |term| terms.push(term.clone()));
    let is_one = |term: &N| {
        let is_scaled = matches!(term.kind(), NExp::Num(_) | NExp::Bin(NBin::Mul | NBin::Shl | NBin::Sub, ..));
        !is_scaled
            || matches!(term.kind(), NExp::Bin(NBin::Sub, _, l, r) if r.as_num().is_some() && l.as_var().is_some())
    };
    let is_row = terms.iter().any(is_one);
    (is_row && name == other && (is_next(next, at, 1) || is_next(at, next, -1))).then_some(name)
}

/// Without conversions.
fn bare(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(_, inner) => bare(inner),
        _ => term,
    }
}
