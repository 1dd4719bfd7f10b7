//! Arrays that are addressed by rows of a length that a parameter says, and numbers that are sizes.
//!
//! `img[y * pitch + x]` with a `pitch` that is nothing but a stride is an array of rows: that they do not overlap is assumed,
//! and listed, for a host that gives another stride has a kernel that nobody wants. [CHK-ROWS]

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::host::{HostFacts, is_of_host};
use super::kernel::CheckOptions;
use crate::base::Name;
use crate::core::{Access, Kernel, Mode, Protocol, Range};
use crate::exp::subst::Leaves;
use crate::exp::{B, BExp, IntTy, N, NBin, NExp, NRel, Var, free_vars_b, free_vars_n};
use crate::kernel::infer::{Inferred, upper_bounds, with_bounds};

/// A stride that is no real one is at least this, in models and in runs.
const LONG: i128 = 1024;
/// No array has more elements than there are numbers of so many bits: a size that is one is a negative number.
const WIDE: u8 = 48;
/// No pack has more elements.
const PACK: i128 = 16;
/// No place that somebody writes down is a deeper term.
const DEEP: u32 = 40;

/// Compares what is addressed by rows by row and column, and takes sizes as no less than 0. [CHK-SIZES]
pub(super) fn assume_usual(inferred: &mut Inferred, host: Option<&HostFacts>, options: &CheckOptions) {
    let by_launch = host.map_or(&[][..], |host| &host.by_launch);
    // What the host computes in a way that is not followed may be too short a stride.
    let is_unfollowed = |v: &Var| host.is_some_and(|host| host.unfollowed.contains(v.name.as_str()));
    let code = std::mem::replace(&mut inferred.kernel.code, Protocol::Skip);
    let scalars: BTreeSet<Var> = inferred.kernel.globals.iter().filter(|v| is_plain(v)).cloned().collect();
    inferred.kernel.code = with_bounds(&code, &scalars);
    let kernel = &inferred.kernel;
    let scalars: Vec<Var> = kernel.globals.iter().filter(|v| is_plain(v)).cloned().collect();
    let mut uses = Uses::default();
    let said = sayings(kernel);
    let all_said = std::iter::once(&said).chain(by_launch);
    for said in all_said {
        let said: Vec<B> = said.iter().filter(|condition| !is_of_a_remainder(condition)).cloned().collect();
        said.iter().filter(|condition| !says_nothing(condition, &said, kernel)).for_each(|c| uses.condition(c));
    }
    kernel.pairs.iter().for_each(|pair| uses.condition(pair));
    uses.protocol(&kernel.code);
    uses.bounds.extend(upper_bounds(&code));
    let strides: Vec<(Var, N)> = scalars
        .iter()
        .filter(|v| !uses.elsewhere.contains(*v) && !is_unfollowed(v))
        .filter_map(|v| Some((v.clone(), uses.strides.get(v)?.clone()?)))
        .filter(|(v, stride)| !uses.added.contains(v) || stride.as_var() == Some(v))
        .collect();
    // What bounds values that are not known, and nothing else, says no more than that.
    let lengths = strides.iter().filter(|_| !options.any_stride).map(|(var, _)| var.clone()).collect();
    inferred.kernel.code = with_bounds(&code, &lengths);
    // What is left of a place without one stride may be so many of another: `batch * far + row * pitch + column`. What is a
    // window by one of them is no array of rows by another.
    let added = |var: &Var| uses.added.contains(var);
    let mut windows: BTreeSet<Name> = BTreeSet::new();
    let mut goes_on = !options.any_stride;
    while goes_on {
        for (var, stride) in &strides {
            windows.extend(addressed(&inferred.kernel, var, stride, added(var), &strides).windows);
        }
        goes_on = strides.iter().any(|(var, stride)| by_rows(inferred, var, stride, added(var), &windows, &strides));
    }
    // Those that places are computed with: other ones bound no more than what is done at all.
    let lengths = uses.lengths(&scalars);
    let is_size = |v: &Var| uses.bounds.contains(v) && uses.multiplied.contains(v) || lengths.contains(v);
    let sizes: Vec<&Var> = scalars.iter().filter(|v| is_size(v) && !options.negative_sizes).collect();
    let mut assume = |sizes: Vec<&Var>, holds: &dyn Fn(&Var) -> B, text: &str| {
        if !sizes.is_empty() {
            let all: Vec<B> = sizes.iter().map(|v| holds(v)).collect();
            inferred.kernel.pre = B::and([vec![inferred.kernel.pre.clone()], all].concat());
            let names: Vec<String> = sizes.iter().map(|v| format!("`{}`", v.name)).collect();
            inferred.assumptions.push(format!("{}: {text}", names.join(", ")));
        }
    };
    let may_be_empty = |v: &Var| std::iter::once(&said).chain(by_launch).any(|said| is_none(said, v));
    let is_row = |v: &Var| uses.is_row(v, &scalars) && !may_be_empty(v);
    assume(sizes.iter().copied().filter(|v| is_row(v)).collect(), &|v| N::num(1).le(&N::var(v)), "rows have elements");
    let (signed, unsigned): (Vec<&Var>, Vec<&Var>) = sizes.into_iter().partition(|v| v.ty.signed);
    let signed = signed.into_iter().filter(|v| !is_row(v)).collect();
    assume(signed, &|v| N::num(0).le(&N::var(v)), "sizes are not negative");
    let large = unsigned.into_iter().filter(|v| v.ty.bits > WIDE).collect();
    assume(large, &|v| N::var(v).lt(&N::num(1i128 << WIDE)), "sizes are less than 2^48");
}

/// Is this a parameter, or a field of one?
fn is_plain(var: &Var) -> bool {
    let name = var.name.as_str();
    var.ty.bits >= 16 && !name.contains("Dim.") && !name.ends_with(".offset") && !name.contains(".offset.")
}

/// What holds whenever the kernel runs, one by one.
fn sayings(kernel: &Kernel<Protocol>) -> Vec<B> {
    fn parts(condition: &B, found: &mut Vec<B>) {
        match condition.kind() {
            BExp::And(all) => all.iter().for_each(|part| parts(part, found)),
            _ => found.push(condition.clone()),
        }
    }
    let mut found = Vec::new();
    parts(&kernel.pre, &mut found);
    found
}

/// That a parameter is made of one number of the host and constants says nothing of it where nothing else speaks of that number.
fn says_nothing(condition: &B, said: &[B], kernel: &Kernel<Protocol>) -> bool {
    // As `(n + 63) / 64 * 64`.
    fn number(side: &N) -> Option<Var> {
        match side.kind() {
            NExp::Var(v) => Some(v.clone()),
            NExp::Bin(NBin::Add | NBin::Sub | NBin::Div | NBin::Mul, _, l, r) => {
                r.as_num().filter(|n| *n > 0).and_then(|_| number(l))
            }
            _ => None,
        }
    }
    let alone = |given: &N, from: &N| {
        let of_host = number(from).filter(is_of_host);
        given.as_var().is_some_and(is_plain)
            && of_host.is_some_and(|number| {
                let others = said.iter().filter(|other| *other != condition).chain(&kernel.pairs);
                others.into_iter().all(|other| !free_vars_b(other).contains(&number)) && !names(&kernel.code, &number)
            })
    };
    matches!(condition.kind(), BExp::Rel(NRel::Eq, l, r) if alone(l, r) || alone(r, l))
}

/// `pitch % 4 == 0`: this says nothing of how long rows are.
fn is_of_a_remainder(condition: &B) -> bool {
    match condition.kind() {
        BExp::Rel(NRel::Eq | NRel::Ne, l, r) => {
            let of_one = |n: &N| matches!(bare(n).kind(), NExp::Bin(NBin::Rem, _, v, by) if bare(v).as_var().is_some() && by.as_num().is_some());
            of_one(l) && r.as_num().is_some() || of_one(r) && l.as_num().is_some()
        }
        BExp::Not(inner) => is_of_a_remainder(inner),
        _ => false,
    }
}

/// Do these conditions say that a variable is not positive, by itself or by what it is equal to?
fn is_none(said: &[B], var: &Var) -> bool {
    let mut parts: Vec<&B> = said.iter().collect();
    let mut rels = Vec::new();
    while let Some(part) = parts.pop() {
        match part.kind() {
            BExp::And(all) => parts.extend(all),
            BExp::Rel(op, l, r) => rels.push((*op, bare(l), bare(r))),
            _ => {}
        }
    }
    let mut same: BTreeSet<Var> = BTreeSet::from([var.clone()]);
    loop {
        let before = same.len();
        for (_, l, r) in rels.iter().filter(|(op, ..)| *op == NRel::Eq) {
            if let (Some(l), Some(r)) = (l.as_var(), r.as_var())
                && (same.contains(l) || same.contains(r))
            {
                same.extend([l.clone(), r.clone()]);
            }
        }
        if same.len() == before {
            break;
        }
    }
    let is_it = |n: &N| n.as_var().is_some_and(|v| same.contains(v));
    rels.iter().any(|(op, l, r)| {
        let most = match op {
            NRel::Eq if is_it(r) => l.as_num(),
            NRel::Eq | NRel::Le if is_it(l) => r.as_num(),
            NRel::Lt if is_it(l) => r.as_num().map(|n| n - 1),
            _ => None,
        };
        most.is_some_and(|most| most < 1)
    })
}

/// Does something that is done rest on a variable?
fn names(protocol: &Protocol, var: &Var) -> bool {
    match protocol {
        Protocol::Skip | Protocol::Sync(_) => false,
        Protocol::Access(access) => access.index.iter().any(|n| free_vars_n(n).contains(var)),
        Protocol::Seq(parts) => parts.iter().any(|part| names(part, var)),
        Protocol::If(cond, then, els) => free_vars_b(cond).contains(var) || names(then, var) || names(els, var),
        Protocol::For(range, body) => {
            let parts = [&range.first, &range.end, range.step.amount()];
            parts.into_iter().any(|n| free_vars_n(n).contains(var)) || names(body, var)
        }
    }
}

/// How variables are used.
#[derive(Default)]
struct Uses {
    /// In conditions, loops and products with something else.
    elsewhere: BTreeSet<Var>,
    /// The one factor of places that a variable is in; `None` if there are several.
    strides: BTreeMap<Var, Option<N>>,
    /// Added to places as they are, as to go one row further.
    added: BTreeSet<Var>,
    /// What something is to be below of.
    bounds: BTreeSet<Var>,
    /// In products of places.
    multiplied: BTreeSet<Var>,
    /// The factors of places.
    products: Vec<Vec<N>>,
    /// Compared with a number: its own cases are told apart.
    told_apart: BTreeSet<Var>,
    /// Terms that were looked at, as places or not: they share parts.
    seen: FxHashSet<(usize, bool)>,
    /// Conditions, that hold or not.
    asked: FxHashSet<(usize, bool)>,
}

impl Uses {
    fn protocol(&mut self, protocol: &Protocol) {
        match protocol {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Access(access) => access.index.iter().for_each(|index| self.place(index)),
            Protocol::Seq(parts) => parts.iter().for_each(|part| self.protocol(part)),
            Protocol::If(cond, then, els) => {
                self.guard(cond, true);
                if **els != Protocol::Skip {
                    self.guard(cond, false);
                }
                self.protocol(then);
                self.protocol(els);
            }
            Protocol::For(range, body) => {
                for part in [&range.first, &range.end, range.step.amount()] {
                    self.number(part);
                }
                // Where a thread begins is a place, if it goes on to others from there.
                self.place(&range.first);
                added_in(&range.first, &mut self.elsewhere);
                self.bound(&range.end);
                self.protocol(body);
            }
        }
    }

    /// A condition that holds, or does not hold, where something is done.
    fn guard(&mut self, condition: &B, holds: bool) {
        if !self.asked.insert((condition.address(), holds)) {
            return;
        }
        match condition.kind() {
            BExp::Lit(_) => {}
            BExp::Rel(op, l, r) => {
                self.number(l);
                self.number(r);
                for (one, other) in [(l, r), (r, l)] {
                    let vars = free_vars_n(other);
                    if one.as_num().is_some() && vars.len() == 1 {
                        self.told_apart.extend(vars);
                    }
                }
                let (bound, other) = if holds { (r, l) } else { (l, r) };
                if matches!(op, NRel::Lt | NRel::Le) && other.as_num().is_none() {
                    self.bound(bound);
                }
            }
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|part| self.guard(part, holds)),
            BExp::Not(part) => self.guard(part, !holds),
        }
    }

    /// What something is to be below of, and the factors of that.
    fn bound(&mut self, bound: &N) {
        let mut all = Vec::new();
        factors(bare(bound), &mut all);
        // What is below of less than nothing asks for negative numbers.
        if all.iter().any(|factor| factor.as_num().is_some_and(|n| n < 0)) {
            return;
        }
        self.bounds.extend(all.iter().filter_map(N::as_var).cloned());
    }

    fn condition(&mut self, condition: &B) {
        self.elsewhere.extend(free_vars_b(condition));
    }

    /// What is a function of memory is none of the place.
    fn number(&mut self, term: &N) {
        if !self.seen.insert((term.address(), false)) {
            return;
        }
        match term.kind() {
            NExp::Num(_) | NExp::Call(..) => {}
            NExp::Var(var) => drop(self.elsewhere.insert(var.clone())),
            NExp::Bin(_, _, l, r) => [l, r].into_iter().for_each(|part| self.number(part)),
            NExp::Cast(_, inner) => self.number(inner),
            NExp::If(c, t, e) => {
                self.guard(c, true);
                [t, e].into_iter().for_each(|part| self.number(part));
            }
        }
    }

    fn place(&mut self, index: &N) {
        if !self.seen.insert((index.address(), true)) {
            return;
        }
        match index.kind() {
            _ if index.depth() > DEEP => self.number(index),
            NExp::Bin(NBin::Add | NBin::Sub, _, l, r) => [l, r].into_iter().for_each(|part| self.place(part)),
            NExp::Bin(NBin::Mul, ..) => {
                let mut all = Vec::new();
                factors(index, &mut all);
                for factor in &all {
                    self.multiplied.extend(free_vars_n(factor));
                    self.factor(factor);
                }
                self.products.push(all);
            }
            NExp::Cast(_, inner) => self.place(inner),
            NExp::Var(var) => drop(self.added.insert(var.clone())),
            // A place of packs of elements.
            NExp::Bin(NBin::Div, _, l, r) if r.as_num().is_some_and(|n| (2..=PACK).contains(&n)) => self.place(l),
            _ => self.number(index),
        }
    }

    /// What a row or a plane is made longer of: `(y + halo) * (width + 2 * halo)`, where not all of the product is the same
    /// for all threads.
    fn lengths(&self, scalars: &[Var]) -> BTreeSet<Var> {
        let scalars: BTreeSet<&Var> = scalars.iter().collect();
        let mut found = BTreeSet::new();
        for product in &self.products {
            if product.iter().all(|factor| free_vars_n(factor).iter().all(|v| scalars.contains(v))) {
                continue;
            }
            for factor in product {
                let mut own = BTreeSet::new();
                // `n + 1` counts, and adds no halo.
                let is_one = matches!(factor.kind(), NExp::Bin(NBin::Add, _, l, r)
                    if [l, r].iter().any(|n| n.as_num().is_some_and(|n| n < 2)));
                let is_sum = matches!(factor.kind(), NExp::Bin(NBin::Add, ..)) && !is_one;
                if is_sum && grows(factor, &scalars, &mut own) {
                    found.extend(own);
                }
            }
        }
        found
    }

    /// Is this what rows are apart, and how many places they have? Where that is nothing, there is no array.
    fn is_row(&self, var: &Var, scalars: &[Var]) -> bool {
        let is_same = |factor: &N| free_vars_n(factor).iter().all(|v| scalars.contains(v));
        let mut products = self.products.iter();
        self.bounds.contains(var)
            && !self.told_apart.contains(var)
            && products.any(|p| p.iter().any(|f| bare(f).as_var() == Some(var)) && !p.iter().all(is_same))
    }

    fn factor(&mut self, factor: &N) {
        match factor.kind() {
            NExp::Bin(NBin::Add | NBin::Sub, _, l, r) if l.as_num().is_none() && r.as_num().is_none() => {
                // `(y * pitch + x) * channels`
                self.place(factor);
            }
            NExp::Bin(NBin::Mul, ..) | NExp::Cast(..) => self.place(factor),
            _ => {
                let vars: Vec<Var> = free_vars_n(factor).into_iter().collect();
                match vars.as_slice() {
                    [only] if is_stride(factor) => {
                        let known = self.strides.entry(only.clone()).or_insert(Some(factor.clone()));
                        if known.as_ref() != Some(factor) {
                            *known = None;
                        }
                    }
                    _ => self.place(factor),
                }
            }
        }
    }
}

/// Is this a sum of these variables, of multiples of them, and of numbers that are not negative?
fn grows(sum: &N, scalars: &BTreeSet<&Var>, found: &mut BTreeSet<Var>) -> bool {
    let number = |n: &N| n.as_num().is_some_and(|n| n >= 0);
    match sum.kind() {
        NExp::Num(n) => *n >= 0,
        NExp::Var(var) => {
            found.insert(var.clone());
            scalars.contains(var)
        }
        NExp::Bin(NBin::Add, _, l, r) => [l, r].into_iter().all(|part| grows(part, scalars, found)),
        NExp::Bin(NBin::Mul, _, l, r) if number(l) => grows(r, scalars, found),
        NExp::Bin(NBin::Mul, _, l, r) if number(r) => grows(l, scalars, found),
        _ => false,
    }
}

/// The variables that a sum adds as they are.
fn added_in(sum: &N, found: &mut BTreeSet<Var>) {
    match sum.kind() {
        NExp::Var(var) => drop(found.insert(var.clone())),
        NExp::Bin(NBin::Add | NBin::Sub, _, l, r) => [l, r].into_iter().for_each(|part| added_in(part, found)),
        NExp::Cast(_, inner) => added_in(inner, found),
        _ => {}
    }
}

/// A variable, or one and a constant, or so many packs.
fn is_stride(term: &N) -> bool {
    match term.kind() {
        NExp::Var(_) => true,
        NExp::Bin(NBin::Div, _, l, r) => l.as_var().is_some() && r.as_num().is_some_and(|n| (2..=PACK).contains(&n)),
        NExp::Bin(NBin::Add | NBin::Sub, _, l, r) => {
            l.as_num().is_some() && r.as_var().is_some() || l.as_var().is_some() && r.as_num().is_some()
        }
        _ => false,
    }
}

/// Without conversions.
fn bare(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(_, inner) => bare(inner),
        _ => term,
    }
}

/// The factors of a product, without conversions of single ones.
fn factors(term: &N, found: &mut Vec<N>) {
    match term.kind() {
        NExp::Bin(NBin::Mul, _, l, r) => [l, r].into_iter().for_each(|part| factors(part, found)),
        _ => found.push(bare(term).clone()),
    }
}

/// How arrays are addressed by a stride.
struct Addressed {
    /// Those of which each place is so many strides and a rest.
    arrays: BTreeSet<Name>,
    /// Those that threads add to where only a loop says in which column: windows that overlap, as a rule.
    windows: BTreeSet<Name>,
    /// Those of which a place has a stride that is added somewhere as it is.
    with_stride: BTreeSet<Name>,
}

fn addressed(kernel: &Kernel<Protocol>, var: &Var, stride: &N, added: bool, strides: &[(Var, N)]) -> Addressed {
    let coordinates: BTreeSet<Var> = kernel.blocks.iter().chain(&kernel.threads).map(|c| c.var.clone()).collect();
    let mut counters = BTreeSet::new();
    counters_of(&kernel.code, &mut |range| counters.extend([range.var.clone()]));
    // Each place must have rows: what has none may be anywhere in the array. Nor is that a column that nothing keeps in its
    // row: where a guard is missing there is a race.
    let mut arrays: BTreeMap<Name, Option<(usize, i128)>> = BTreeMap::new();
    // What each thread adds to, from one column to the next, may be windows that overlap.
    let mut walked: FxHashSet<(Name, Vec<N>, bool)> = FxHashSet::default();
    let mut with_stride: BTreeSet<Name> = BTreeSet::new();
    each_access(&kernel.code, &mut Vec::new(), &mut |access: &Access, path: &[B]| {
        let split = split_index(&access.index, var, stride);
        let rows = split.as_ref().is_some_and(|(at, count, rest, _)| {
            let mut free = BTreeSet::new();
            let is_sum = unbounded(rest, &coordinates, &mut FxHashSet::default(), &mut free);
            let mut below = Below::default();
            // What is below of something that is below of a length.
            let mut known = usize::MAX;
            while known != below.terms.len() {
                known = below.terms.len();
                path.iter().for_each(|condition| kept_below(condition, true, &coordinates, &mut below));
            }
            let mut below = below.coordinates;
            // The host makes as many blocks as there are columns of them.
            let blocks = alone_in(rest).into_iter().filter(|v| kernel.blocks.iter().any(|c| c.var == *v));
            below.extend(blocks);
            let columns: BTreeSet<Var> = free_vars_n(rest).into_iter().collect();
            let scaled = |value: &N| is_scaled(value, &access.array, &columns) == Some(true);
            let adds = !matches!(&access.mode, Mode::Wr(Some(value)) if scaled(value));
            // By steps of another stride as well: `x * stride + i * dilation`.
            let by_counter = |n: &N| !free_vars_n(n).is_disjoint(&counters);
            let is_walked = match rest.as_num() {
                Some(_) => access.index[..*at].iter().any(by_counter),
                None => free.is_empty(),
            };
            if is_walked && adds {
                walked.insert((access.array.clone(), access.index.clone(), matches!(access.mode, Mode::Rd)));
            }
            // Of `(z * h + y) * w + x` the rows by w come first: those by h are rows of rows.
            let shared = |other: &Var| other != var && free_vars_n(count).contains(other) && columns.contains(other);
            let is_outer = strides.iter().any(|(other, _)| shared(other));
            // Of `c * (n * n) + y * n + x` what has no row `y` may be anywhere in the plane.
            let is_in_row = !free_vars_n(count).contains(var)
                || self::split(count, var, stride).is_some_and(|(planes, row)| ![planes, row].contains(&N::num(0)));
            is_sum && !is_outer && is_in_row && count.as_num() != Some(0) && free.is_subset(&below)
        });
        // One component of all places, so that components are compared with their like.
        let at = split.filter(|_| rows).map(|(at, .., pack)| (at, pack));
        let before = *arrays.entry(access.array.clone()).or_insert(at);
        if before != at {
            arrays.insert(access.array.clone(), None);
        }
        if added && access.index.iter().any(|n| free_vars_n(n).contains(var)) {
            with_stride.insert(access.array.clone());
        }
    });
    let own = walked.iter().filter(|(_, _, reads)| !*reads);
    let updated = own.filter(|(array, index, _)| walked.contains(&(array.clone(), index.clone(), true)));
    let windows = updated.map(|(array, ..)| array.clone()).collect();
    let arrays = arrays.into_iter().filter_map(|(array, at)| at.map(|_| array)).collect();
    Addressed { arrays, windows, with_stride }
}

/// The loops, outer ones first.
fn counters_of(protocol: &Protocol, f: &mut impl FnMut(&Range)) {
    match protocol {
        Protocol::Skip | Protocol::Sync(_) | Protocol::Access(_) => {}
        Protocol::Seq(parts) => parts.iter().for_each(|part| counters_of(part, f)),
        Protocol::If(_, then, els) => [then, els].into_iter().for_each(|part| counters_of(part, f)),
        Protocol::For(range, body) => {
            f(range);
            counters_of(body, f);
        }
    }
}

/// Splits the places of arrays that are addressed by rows, and are no windows. A stride that is added somewhere may be another
/// distance where that is no array of rows. False if there are none.
fn by_rows(
    inferred: &mut Inferred,
    var: &Var,
    stride: &N,
    added: bool,
    windows: &BTreeSet<Name>,
    strides: &[(Var, N)],
) -> bool {
    let kernel = &inferred.kernel;
    let Addressed { mut arrays, with_stride, .. } = addressed(kernel, var, stride, added, strides);
    arrays.retain(|array| !windows.contains(array));
    if arrays.is_empty() || !with_stride.is_subset(&arrays) || arrays.iter().any(|a| mentions_offset(&kernel.code, a)) {
        return false;
    }
    let mut packs = BTreeSet::new();
    let code = rewritten(&kernel.code, &arrays, var, stride, &mut packs);
    inferred.kernel.code = code;
    let far = N::num(LONG).le(&N::var(var));
    inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), far]);
    for pack in packs {
        let whole = N::bin(NBin::Rem, IntTy::MATH, stride, &N::num(pack)).eq(&N::num(0));
        inferred.kernel.pre = B::and([inferred.kernel.pre.clone(), whole]);
        let text = format!("`{stride}` is a multiple of {pack}");
        if !inferred.assumptions.contains(&text) {
            inferred.assumptions.push(text);
        }
    }
    let names: Vec<String> = arrays.iter().map(|a| format!("`{a}`")).collect();
    let text = format!("rows of {}, `{}` apart, do not overlap", names.join(", "), var.name);
    if !inferred.assumptions.contains(&text) {
        inferred.assumptions.push(text);
    }
    true
}

/// Is what is stored in an array a multiple, a quotient or a function of what was there, and no sum with other numbers of
/// that column? Windows that overlap are added. `None`: what was there is not followed.
fn is_scaled(value: &N, array: &Name, columns: &BTreeSet<Var>) -> Option<bool> {
    let is_content = |name: &Name| name.as_str().strip_prefix(array.as_str()).is_some_and(|rest| rest.starts_with('.'));
    let has_content = |term: &N| {
        let mut leaves = Leaves::default();
        leaves.numeric(term);
        leaves.functions.iter().any(|fun| is_content(&fun.name))
    };
    let inner = |term: &N| is_scaled(term, array, columns);
    let product = |factors: &[&N]| {
        let with: Vec<&N> = factors.iter().copied().filter(|n| has_content(n)).collect();
        (!with.is_empty() && with.iter().all(|n| inner(n).is_some())).then_some(true)
    };
    let sum = |terms: &[&N]| {
        let (with, others): (Vec<&N>, Vec<&N>) = terms.iter().copied().partition(|n| has_content(n));
        let [only] = with.as_slice() else { return None };
        others.iter().all(|n| free_vars_n(n).is_disjoint(columns)).then(|| inner(only))?
    };
    match value.kind() {
        NExp::Cast(_, term) => inner(term),
        NExp::Bin(NBin::Mul | NBin::Div, _, l, r) => product(&[l, r]),
        NExp::Bin(NBin::Add | NBin::Sub, _, l, r) => sum(&[l, r]),
        NExp::Call(function, _) if is_content(&function.name) => Some(false),
        NExp::Call(function, arguments) => {
            let name = function.name.as_str().strip_prefix("op.")?.split('.').next()?;
            let all: Vec<&N> = arguments.iter().collect();
            match (name, all.as_slice()) {
                ("float" | "neg", [term]) => inner(term),
                ("mul" | "div", all) => product(all),
                ("add" | "sub", all) => sum(all),
                (_, [term]) => inner(term).map(|_| true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Each access, with the conditions around it.
fn each_access(protocol: &Protocol, path: &mut Vec<B>, f: &mut impl FnMut(&Access, &[B])) {
    match protocol {
        Protocol::Skip | Protocol::Sync(_) => {}
        Protocol::Access(access) => f(access, path),
        Protocol::Seq(parts) => parts.iter().for_each(|part| each_access(part, path, f)),
        Protocol::If(cond, then, els) => {
            for (holds, branch) in [(cond.clone(), then), (B::not(cond), els)] {
                path.push(holds);
                each_access(branch, path, f);
                path.pop();
            }
        }
        Protocol::For(_, body) => each_access(body, path, f),
    }
}

/// The coordinates of a number that are not those of a remainder. False: it has contents of memory, or a value that is not
/// known, which nothing keeps in a row.
fn unbounded(term: &N, coordinates: &BTreeSet<Var>, seen: &mut FxHashSet<usize>, found: &mut BTreeSet<Var>) -> bool {
    if !seen.insert(term.address()) {
        return true;
    }
    match term.kind() {
        NExp::Bin(NBin::Rem, ..) => true,
        NExp::Bin(_, _, l, r) => [l, r].into_iter().all(|part| unbounded(part, coordinates, seen, found)),
        NExp::Cast(_, inner) => unbounded(inner, coordinates, seen, found),
        _ => {
            let mut leaves = Leaves::default();
            leaves.numeric(term);
            found.extend(leaves.vars.into_iter().filter(|v| coordinates.contains(v)));
            leaves.functions.is_empty()
        }
    }
}

/// The variables that are terms of a sum, and are in no other term of it.
fn alone_in(sum: &N) -> BTreeSet<Var> {
    fn terms(sum: &N, found: &mut Vec<N>) {
        match sum.kind() {
            NExp::Bin(NBin::Add, _, l, r) => [l, r].into_iter().for_each(|part| terms(part, found)),
            NExp::Cast(_, inner) => terms(inner, found),
            _ => found.push(sum.clone()),
        }
    }
    let mut all = Vec::new();
    terms(sum, &mut all);
    let others = |v: &Var| all.iter().filter(|term| free_vars_n(term).contains(v)).count();
    all.iter().filter_map(N::as_var).filter(|v| others(v) == 1).cloned().collect()
}

/// What is below of something that has no coordinates.
#[derive(Default)]
struct Below {
    coordinates: BTreeSet<Var>,
    /// The terms that are.
    terms: FxHashSet<N>,
}

/// The coordinates of what a condition says to be below of something that has none, or is below of such.
fn kept_below(condition: &B, holds: bool, coordinates: &BTreeSet<Var>, found: &mut Below) {
    match condition.kind() {
        BExp::And(parts) if holds => parts.iter().for_each(|part| kept_below(part, holds, coordinates, found)),
        BExp::Or(parts) if !holds => parts.iter().for_each(|part| kept_below(part, holds, coordinates, found)),
        BExp::Not(part) => kept_below(part, !holds, coordinates, found),
        BExp::Rel(op @ (NRel::Lt | NRel::Le), l, r) => {
            let (side, bound) = if holds { (l, r) } else { (r, l) };
            // `x <= w` leaves the row by one, as a rule.
            let is_below = (*op == NRel::Lt) == holds || is_reduced(bound);
            // What is not above of that is below, too.
            let at_most = found.terms.contains(bare(bound));
            let is_bound = is_below && free_vars_n(bound).is_disjoint(coordinates);
            if (is_bound || at_most) && side.depth() <= DEEP {
                growing(side, &mut found.coordinates);
                found.terms.insert(bare(side).clone());
            }
        }
        _ => {}
    }
}

/// Is this something less a number, or a number?
fn is_reduced(bound: &N) -> bool {
    match bound.kind() {
        NExp::Num(_) => true,
        NExp::Cast(_, inner) => is_reduced(inner),
        NExp::Bin(NBin::Sub, _, _, r) => r.as_num().is_some_and(|n| n > 0),
        NExp::Bin(NBin::Add, _, l, r) => [l, r].iter().any(|n| n.as_num().is_some_and(|n| n < 0)),
        _ => false,
    }
}

/// The variables that a sum grows with, one as the other.
fn growing(term: &N, found: &mut BTreeSet<Var>) {
    match term.kind() {
        NExp::Var(var) => drop(found.insert(var.clone())),
        NExp::Cast(_, inner) => growing(inner, found),
        NExp::Bin(NBin::Add, _, l, r) => [l, r].into_iter().for_each(|part| growing(part, found)),
        NExp::Bin(NBin::Mul, _, l, r) if [l, r].iter().all(|n| n.as_num().is_none_or(|n| n > 0)) => {
            [l, r].into_iter().for_each(|part| growing(part, found));
        }
        NExp::Bin(NBin::Sub, _, l, r) if r.as_num().is_some() => growing(l, found),
        _ => {}
    }
}

/// Pointers into one array are as far apart as a variable says, and that is no place in a row.
fn mentions_offset(protocol: &Protocol, array: &Name) -> bool {
    let mut found = false;
    each_access(protocol, &mut Vec::new(), &mut |access, _| {
        let is_offset = |v: &Var| v.name.as_str().contains(".offset");
        found |= access.array == *array && access.index.iter().any(|n| free_vars_n(n).iter().any(is_offset));
    });
    found
}

/// With places as rows and columns. Adds the sizes of packs of which rows have to be made.
fn rewritten(
    protocol: &Protocol,
    arrays: &BTreeSet<Name>,
    var: &Var,
    stride: &N,
    packs: &mut BTreeSet<i128>,
) -> Protocol {
    let mut inner = |part: &Protocol| rewritten(part, arrays, var, stride, packs);
    match protocol {
        Protocol::Skip | Protocol::Sync(_) => protocol.clone(),
        Protocol::Access(access) if arrays.contains(&access.array) => {
            let mut index = access.index.clone();
            if let Some((at, count, rest, pack)) = split_index(&access.index, var, stride) {
                packs.extend(Some(pack).filter(|pack| *pack > 1));
                index.splice(at..=at, [count, rest]);
            }
            Protocol::Access(Access { index, ..access.clone() })
        }
        Protocol::Access(_) => protocol.clone(),
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(inner).collect::<Vec<_>>()),
        Protocol::If(c, t, e) => Protocol::branch(c, inner(t), inner(e)),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(inner(body))),
    }
}

/// The component of an index that a stride is in, or the last one, as a number of strides and a rest; and how many elements make
/// a pack, of which a row has a whole number: `(row * n + 2 * x) / 2`.
fn split_index(index: &[N], var: &Var, stride: &N) -> Option<(usize, N, N, i128)> {
    let mut with = (0..index.len()).filter(|at| free_vars_n(&index[*at]).contains(var));
    let at = with.next().or(index.len().checked_sub(1))?;
    if with.next().is_some() {
        return None;
    }
    let place = &index[at];
    match bare(place).kind() {
        NExp::Bin(NBin::Div, ty, all, by)
            if by.as_num().is_some_and(|n| (2..=PACK).contains(&n)) && free_vars_n(all).contains(var) =>
        {
            // Without a column it is a proportion: `x * n / 640`.
            let (count, rest) = split(all, var, stride).filter(|(_, rest)| rest.as_num().is_none())?;
            Some((at, count, N::bin(NBin::Div, *ty, &rest, by), by.as_num()?))
        }
        _ => split(place, var, stride).map(|(count, rest)| (at, count, rest, 1)),
    }
}

/// `count * stride + rest`, in the types of the term: no such product is computed any more.
fn split(term: &N, var: &Var, stride: &N) -> Option<(N, N)> {
    let mut parts = Split { var, stride, known: FxHashMap::default() };
    if term.depth() > DEEP { None } else { parts.of(term) }
}

struct Split<'a> {
    var: &'a Var,
    stride: &'a N,
    known: FxHashMap<usize, Option<(N, N)>>,
}

impl Split<'_> {
    fn of(&mut self, term: &N) -> Option<(N, N)> {
        if let Some(known) = self.known.get(&term.address()) {
            return known.clone();
        }
        let found = self.parts(term);
        self.known.insert(term.address(), found.clone());
        found
    }

    fn parts(&mut self, term: &N) -> Option<(N, N)> {
        if !self.is_in(term) {
            return Some((N::num(0), term.clone()));
        }
        if bare(term) == self.stride {
            return Some((N::num(1), N::num(0)));
        }
        match term.kind() {
            NExp::Cast(ty, inner) => {
                let (count, rest) = self.of(inner)?;
                Some((N::cast(*ty, &count), N::cast(*ty, &rest)))
            }
            NExp::Bin(op @ (NBin::Add | NBin::Sub), ty, l, r) => {
                let ((a, b), (c, d)) = (self.of(l)?, self.of(r)?);
                Some((N::bin(*op, *ty, &a, &c), N::bin(*op, *ty, &b, &d)))
            }
            NExp::Bin(NBin::Mul, ty, l, r) => {
                let (with, other) = if self.is_in(l) { (l, r) } else { (r, l) };
                // `plane * (n * n)`: of one factor the strides are taken, those in the other one count.
                if self.is_in(other) {
                    let mut whole = |factor| self.of(factor).filter(|(_, rest)| rest.as_num() == Some(0));
                    let (count, other) = whole(r).map(|(n, _)| (l, n)).or_else(|| whole(l).map(|(n, _)| (r, n)))?;
                    return Some((N::mul(*ty, count, &other), N::num(0)));
                }
                let (count, rest) = self.of(with)?;
                Some((N::mul(*ty, &count, other), N::mul(*ty, &rest, other)))
            }
            _ => None,
        }
    }

    fn is_in(&self, term: &N) -> bool {
        free_vars_n(term).contains(self.var)
    }
}
