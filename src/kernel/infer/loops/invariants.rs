//! [LOOP-INVARIANT] What holds of a value at the start of every iteration: bounds that do not change, found as Houdini does
//! ([THS] chapter 3). A number of candidates is taken from the first value and from the conditions of the loop; all of those
//! that are left are supposed to hold at the start of an iteration, and one that does not follow for the start of the next one
//! is given up, until none is. They hold at first, and so by induction always.
//!
//! A step that is the same in all iterations that change a value is found in what they leave alone.

use std::cell::RefCell;

use super::closed::{additive, signed_step};
use super::powers::{self, Powers};
use super::*;
use crate::exp::Ranges;
use crate::exp::poly::gcd;

/// Terms deeper than this, or with more alternatives, are not looked at.
const DEEP: u32 = 30;
const MOST_LEAVES: usize = 32;
/// Values of a loop, and candidates for one of them, that are looked at.
const MOST_CELLS: usize = 16;
const MOST_CANDIDATES: usize = 12;

/// What is known of a value.
#[derive(Clone, Default, Debug)]
pub(super) struct Bounds {
    low: Option<N>,
    high: Vec<N>,
    /// It differs from the first value by a multiple of this.
    step: Option<N>,
    /// Its first value.
    init: Option<N>,
    /// It is one of these. [LOOP-POWER]
    powers: Option<Powers>,
    /// That signed sums do not overflow is needed.
    pub assumed: bool,
}

/// By carried value: in every iteration, and after the loop.
pub(super) struct Invariants {
    pub every: Vec<Bounds>,
    pub after: Vec<Bounds>,
}

/// A value that an iteration may leave, and what holds where it does.
pub(super) struct Leaf {
    pub path: Vec<B>,
    pub value: N,
}

/// `cell >= the least of` or `cell <= the greatest of` these.
#[derive(Clone, PartialEq)]
struct Candidate {
    cell: usize,
    upper: bool,
    parts: Vec<N>,
}

/// A sum of terms with coefficients.
#[derive(Clone, Default)]
struct Linear {
    terms: Vec<(N, i128)>,
    constant: i128,
}

impl Linear {
    fn add(&mut self, other: &Linear, scale: i128) -> Option<()> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(scale)?)?;
        for (term, by) in &other.terms {
            let by = by.checked_mul(scale)?;
            match self.terms.iter_mut().find(|(t, _)| t == term) {
                Some((_, known)) => *known = known.checked_add(by)?,
                None => self.terms.push((term.clone(), by)),
            }
        }
        self.terms.retain(|(_, by)| *by != 0);
        Some(())
    }

    fn minus(&self, other: &Linear) -> Option<Linear> {
        let mut difference = self.clone();
        difference.add(other, -1)?;
        Some(difference)
    }

    fn plus(&self, constant: i128) -> Option<Linear> {
        Some(Linear { constant: self.constant.checked_add(constant)?, ..self.clone() })
    }

    fn interval(&self, ranges: &Ranges) -> Interval {
        let constant = Interval::new(self.constant, self.constant);
        self.terms.iter().fold(constant, |sum, (term, by)| sum.add(ranges.interval(term).mul(Interval::new(*by, *by))))
    }

    fn term(&self) -> N {
        let math = IntTy::MATH;
        self.terms
            .iter()
            .fold(N::num(self.constant), |sum, (term, by)| N::add(math, &sum, &N::mul(math, &N::num(*by), term)))
    }
}

/// Which sums are taken for exact: those that are within their type, or also signed ones of 32 bits and more, which have no
/// meaning where they are not.
#[derive(Clone, Copy, PartialEq)]
enum Sums {
    Within,
    Signed,
}

/// A sum, as far as it is exact.
fn linear(term: &N, ranges: &Ranges, sums: Sums) -> Linear {
    let itself = || Linear { terms: vec![(term.clone(), 1)], constant: 0 };
    let exact = |ty: IntTy, raw: Interval| {
        ty.bits == 0 || (sums == Sums::Signed && ty.signed && ty.bits >= 32) || raw.within(Interval::of_type(ty))
    };
    let sum = match term.kind() {
        NExp::Num(n) => Some(Linear { terms: Vec::new(), constant: *n }),
        NExp::Cast(ty, inner) if ty.bits == 0 || ranges.interval(inner).within(Interval::of_type(*ty)) => {
            Some(linear(inner, ranges, sums))
        }
        NExp::Bin(op @ (NBin::Add | NBin::Sub | NBin::Mul), ty, l, r)
            if exact(*ty, Interval::of_bin(*op, *ty, ranges.interval(l), ranges.interval(r))) =>
        {
            let (one, two) = (linear(l, ranges, sums), linear(r, ranges, sums));
            let mut sum = Linear::default();
            match (op, one.terms.is_empty(), two.terms.is_empty()) {
                (NBin::Add, ..) => sum.add(&one, 1).and_then(|()| sum.add(&two, 1)),
                (NBin::Sub, ..) => sum.add(&one, 1).and_then(|()| sum.add(&two, -1)),
                (_, _, true) => sum.add(&one, two.constant),
                (_, true, _) => sum.add(&two, one.constant),
                _ => None,
            }
            .map(|()| sum)
        }
        _ => None,
    };
    sum.unwrap_or_else(itself)
}

/// What a condition says as sums that are not negative.
fn facts(cond: &B, ranges: &Ranges, sums: Sums, found: &mut Vec<Linear>) {
    match cond.kind() {
        BExp::And(parts) => parts.iter().for_each(|part| facts(part, ranges, sums, found)),
        BExp::Rel(op, l, r) => {
            let (l, r) = (linear(l, ranges, sums), linear(r, ranges, sums));
            let (Some(up), Some(down)) = (r.minus(&l), l.minus(&r)) else { return };
            match op {
                NRel::Lt => found.extend(up.plus(-1)),
                NRel::Le => found.push(up),
                NRel::Eq => found.extend([up, down]),
                NRel::Ne if up.interval(ranges).lo.is_some_and(|lo| lo >= 0) => found.extend(up.plus(-1)),
                NRel::Ne if down.interval(ranges).lo.is_some_and(|lo| lo >= 0) => found.extend(down.plus(-1)),
                NRel::Ne => {}
            }
        }
        BExp::Lit(_) | BExp::Or(_) | BExp::Not(_) => {}
    }
}

/// Does it follow that the sum is not negative? From intervals, or with one or two facts.
fn follows(goal: &Linear, facts: &[Linear], ranges: &Ranges) -> bool {
    let positive = |sum: &Linear| sum.interval(ranges).lo.is_some_and(|lo| lo >= 0);
    let shares = |fact: &Linear, goal: &Linear| fact.terms.iter().any(|(t, _)| goal.terms.iter().any(|(g, _)| g == t));
    positive(goal)
        || facts.iter().enumerate().filter(|(_, fact)| shares(fact, goal)).any(|(i, fact)| {
            let Some(rest) = goal.minus(fact) else { return false };
            positive(&rest)
                || facts[i + 1..]
                    .iter()
                    .filter(|other| shares(other, &rest))
                    .any(|other| rest.minus(other).is_some_and(|rest| positive(&rest)))
        })
}

/// The alternatives of a value.
fn leaves(value: &N, base: &[B]) -> Option<Vec<Leaf>> {
    fn choice(term: &N) -> Option<B> {
        match term.kind() {
            NExp::If(cond, ..) => Some(cond.clone()),
            NExp::Bin(_, _, l, r) => choice(l).or_else(|| choice(r)),
            NExp::Cast(_, inner) => choice(inner),
            NExp::Num(_) | NExp::Var(_) | NExp::Call(..) => None,
        }
    }
    if value.depth() > DEEP {
        return None;
    }
    let mut pending = vec![Leaf { path: base.to_vec(), value: value.clone() }];
    let mut done = Vec::new();
    while let Some(leaf) = pending.pop() {
        if pending.len() + done.len() > MOST_LEAVES {
            return None;
        }
        let Some(cond) = choice(&leaf.value) else {
            done.push(leaf);
            continue;
        };
        for known in [true, false] {
            let mut subst = Subst::knowing(&cond, known);
            let holds = if known { cond.clone() } else { B::not(&cond) };
            let path: Vec<B> = leaf.path.iter().map(|part| subst.boolean(part)).collect();
            if path.iter().all(|part| part.as_lit() != Some(false)) {
                let path = path.into_iter().chain([holds]).collect();
                pending.push(Leaf { path, value: subst.numeric(&leaf.value) });
            }
        }
    }
    Some(done)
}

/// Upper bounds that were found in a loop within, as conditions: one or the other of a greatest one.
fn with_upper_bounds(leaves: Vec<Leaf>) -> Option<Vec<Leaf>> {
    let mut done = Vec::new();
    for leaf in leaves {
        let found = RefCell::new(Vec::new());
        let unbounded = |fun: &Fun, args: &[N]| match args {
            [high, value] if fun.name.as_str() == AT_MOST => {
                found.borrow_mut().push((high.clone(), value.clone()));
                Some(value.clone())
            }
            _ => None,
        };
        let mut subst = Subst::with_functions(&unbounded);
        let value = subst.numeric(&leaf.value);
        let mut paths = vec![leaf.path.iter().map(|part| subst.boolean(part)).collect::<Vec<B>>()];
        drop(subst);
        for (high, value) in found.into_inner() {
            let bounds = greatest_of(&high);
            let within: Vec<B> = bounds.iter().map(|bound| value.le(bound)).collect();
            paths = paths
                .iter()
                .flat_map(|path| within.iter().map(|b| [path.as_slice(), std::slice::from_ref(b)].concat()))
                .collect();
            if paths.len() > MOST_LEAVES {
                return None;
            }
        }
        done.extend(paths.into_iter().map(|path| Leaf { path, value: value.clone() }));
    }
    (done.len() <= MOST_LEAVES).then_some(done)
}

/// Those of which a bound is the greatest.
fn greatest_of(bound: &N) -> Vec<&N> {
    match bound.kind() {
        NExp::Bin(NBin::Max, _, l, r) => [greatest_of(l), greatest_of(r)].concat(),
        _ => vec![bound],
    }
}

/// One cell that is looked at.
struct Cell {
    at: usize,
    var: N,
    init: N,
    next: Vec<Leaf>,
    last: Option<Vec<Leaf>>,
}

impl Walk<'_> {
    /// The bounds of what a loop carries.
    pub(super) fn invariants(&self, carried: &[Carried], iteration: &Iteration) -> Invariants {
        // What no iteration changes is what it was.
        let mut stays = Subst::new();
        for c in carried.iter().filter(|c| c.out == N::var(&c.var) && c.left == N::var(&c.var)) {
            stays.bind(&c.var.name, &c.init);
        }
        let stayed = B::not(&iteration.exits.any);
        let again = Subst::knowing(&stayed, true).boolean(&iteration.again);
        let again = Subst::knowing(&iteration.exits.any, false).boolean(&again);
        let (next_path, last_path) = match iteration.post_test {
            true => ([stayed, again], B::lit(true)),
            false => ([stayed, iteration.cond.clone()], iteration.cond.clone()),
        };
        let next_path = next_path.map(|part| stays.boolean(&part));
        let last_path = [stays.boolean(&last_path)];
        let mut cells = Vec::new();
        for (at, c) in carried.iter().enumerate() {
            let number = match &c.home {
                Home::Cell(..) => c.var.ty != IntTy::OPAQUE && c.var.ty.bits > 1,
                Home::Index(..) => true,
                Home::Selector(..) | Home::Rest(_) | Home::Version(_) | Home::Epoch => false,
            };
            if !number || stays.replaces(&c.var.name) || cells.len() == MOST_CELLS || c.init.depth() > DEEP {
                continue;
            }
            let leaves = |value: &N, path: &[B]| leaves(value, path).and_then(with_upper_bounds);
            let Some(next) = leaves(&stays.numeric(&c.out), &next_path) else { continue };
            let mut last = (!iteration.by_condition[at]).then(|| leaves(&stays.numeric(&c.left), &last_path)).flatten();
            if iteration.post_test {
                let out = leaves(&stays.numeric(&c.out), &last_path);
                last = last.zip(out).map(|(last, out)| last.into_iter().chain(out).collect());
            }
            cells.push(Cell { at, var: N::var(&c.var), init: c.init.clone(), next, last });
        }
        let changing: BTreeSet<Var> =
            carried.iter().filter(|c| !stays.replaces(&c.var.name)).map(|c| c.var.clone()).collect();
        let fixed = |term: &N| {
            let free = free_vars_n(term);
            !free.contains(&iteration.counter) && free.iter().all(|v| !changing.contains(v))
        };

        let mut candidates = Vec::new();
        for (i, cell) in cells.iter().enumerate() {
            candidates.extend(self.candidates(i, cell, &fixed));
        }
        // All that does not follow from the others is given up, until all do.
        let settled = |sums: Sums| {
            let mut left = candidates.clone();
            loop {
                let follows = |c: &&Candidate| self.is_kept(c, &left, &cells, sums, |cell| Some(&cell.next));
                let kept: Vec<Candidate> = left.iter().filter(follows).cloned().collect();
                if kept.len() == left.len() {
                    break left;
                }
                left = kept;
            }
        };
        let within = settled(Sums::Within);
        let all = if within.len() == candidates.len() { within.clone() } else { settled(Sums::Signed) };
        let unknown = vec![Bounds::default(); carried.len()];
        let mut found = Invariants { every: unknown.clone(), after: unknown };
        for (i, cell) in cells.iter().enumerate() {
            let own = |of: &[Candidate]| of.iter().filter(|c| c.cell == i).cloned().collect::<Vec<_>>();
            let last = |of: &[Candidate], sums: Sums| {
                let mut own = own(of);
                // What leaves the loop may have gone a step further.
                let further: Vec<Candidate> = own.iter().flat_map(|c| beyond(c, cell)).collect();
                own.extend(further);
                own.retain(|c| self.is_kept(c, of, &cells, sums, |cell| cell.last.as_ref()));
                own
            };
            let every = common_step(cell, &cell.next, &fixed);
            let after = cell.last.as_ref().and_then(|last| common_step(cell, last, &fixed));
            let after = every.clone().filter(|step| after.is_some_and(|s| s == *step || s.as_num() == Some(0)));
            found.every[cell.at] = Bounds::of([own(&within), own(&all)], every, &cell.init);
            found.after[cell.at] =
                Bounds::of([last(&within, Sums::Within), last(&all, Sums::Signed)], after, &cell.init);
            let Some(var) = cell.var.as_var() else { continue };
            let Some(every) = powers::every(&self.ranges, &cell.init, var, &cell.next) else { continue };
            let after = cell.last.as_ref().and_then(|last| powers::left(&self.ranges, var, every, last));
            // A condition at the head ends the loop with what an iteration starts with.
            let ends = |after| {
                if iteration.post_test { after } else { every.ending(&self.ranges, var, &iteration.cond).join(after) }
            };
            let after = after.map(ends);
            found.every[cell.at].of_powers(every);
            after.into_iter().for_each(|after| found.after[cell.at].of_powers(after));
        }
        found
    }

    /// A value of which only its bounds are known. What they rest on is listed.
    pub(super) fn bounded(&mut self, bounds: &Bounds, name: Name, c: &Carried, args: Vec<N>) -> N {
        if bounds.assumed {
            self.assume_sums(&c.var.name);
        }
        bounds.value(name, c.var.ty, args)
    }

    /// Lists that signed sums in a value do not overflow, of which C says the same.
    pub(super) fn assume_sums(&mut self, name: &Name) {
        let text = format!("sums in `{}` do not overflow", binder_label(name));
        if !self.assumptions.contains(&text) {
            self.assumptions.push(text);
        }
    }

    /// Bounds that hold at first: the first value, zero, and what conditions say of the values that are left.
    fn candidates(&self, at: usize, cell: &Cell, fixed: &impl Fn(&N) -> bool) -> Vec<Candidate> {
        let init = self.ranges.interval(&cell.init);
        let mut found = Vec::new();
        let mut add = |upper: bool, parts: Vec<N>| {
            let candidate = Candidate { cell: at, upper, parts };
            if found.len() < MOST_CANDIDATES && !found.contains(&candidate) {
                found.push(candidate);
            }
        };
        for upper in [false, true] {
            add(upper, vec![cell.init.clone()]);
        }
        for low in [0, -1] {
            if init.lo.is_some_and(|lo| lo >= low) {
                add(false, vec![N::num(low)]);
            }
        }
        for leaf in &cell.next {
            let mut ranges = self.ranges.clone();
            leaf.path.iter().for_each(|part| ranges.assume(part));
            let value = linear(&leaf.value, &ranges, Sums::Signed);
            let mut said = Vec::new();
            leaf.path.iter().for_each(|part| facts(part, &ranges, Sums::Signed, &mut said));
            for fact in &said {
                // The value is `bound - fact`, or `bound + fact`.
                for (upper, sign) in [(true, 1), (false, -1)] {
                    let mut bound = value.clone();
                    if bound.add(fact, sign).is_none() {
                        continue;
                    }
                    let bound = bound.term();
                    if !fixed(&bound) {
                        continue;
                    }
                    let holds = match (bound.as_num(), upper) {
                        (Some(n), true) => init.hi.is_some_and(|hi| hi <= n),
                        (Some(n), false) => init.lo.is_some_and(|lo| lo >= n),
                        (None, _) => false,
                    };
                    add(upper, if holds { vec![bound] } else { vec![cell.init.clone(), bound] });
                }
            }
        }
        found
    }

    /// Does a candidate follow for all these values that an iteration leaves, if all of them hold at its start?
    fn is_kept<'c>(
        &self,
        candidate: &Candidate,
        all: &[Candidate],
        cells: &'c [Cell],
        sums: Sums,
        leaves: impl Fn(&'c Cell) -> Option<&'c Vec<Leaf>>,
    ) -> bool {
        let cell = &cells[candidate.cell];
        let Some(leaves) = leaves(cell) else { return false };
        let mut supposed = self.ranges.clone();
        for known in all {
            let bounds = known.parts.iter().map(|part| self.ranges.interval(part));
            let Some(hull) = bounds.reduce(Interval::join) else { continue };
            let interval = match known.upper {
                true => Interval { lo: None, hi: hull.hi },
                false => Interval { lo: hull.lo, hi: None },
            };
            if let Some(var) = cells[known.cell].var.as_var() {
                supposed.narrow(&var.name, interval);
            }
        }
        leaves.iter().all(|leaf| {
            let mut ranges = supposed.clone();
            leaf.path.iter().for_each(|part| ranges.assume(part));
            let mut said = Vec::new();
            leaf.path.iter().chain(&self.path).for_each(|part| facts(part, &ranges, sums, &mut said));
            for known in all {
                if let [bound] = known.parts.as_slice() {
                    let (var, bound) = (linear(&cells[known.cell].var, &ranges, sums), linear(bound, &ranges, sums));
                    said.extend(if known.upper { bound.minus(&var) } else { var.minus(&bound) });
                }
            }
            let value = linear(&leaf.value, &ranges, sums);
            // Within one of the bounds, or no further than the value was.
            let mut goals = candidate.parts.iter().chain([&cell.var]).map(|bound| {
                let bound = linear(bound, &ranges, sums);
                if candidate.upper { bound.minus(&value) } else { value.minus(&bound) }
            });
            goals.any(|goal| goal.is_some_and(|goal| follows(&goal, &said, &ranges)))
        })
    }
}

/// What a bound is that has a parameter in it, until it is known whether that is only the length of rows.
const AT_MOST: &str = "at%most";

/// The less of two; the bound may be left out.
fn at_most(high: &N, value: &N, ty: IntTy) -> N {
    match high.as_num() {
        Some(_) => N::bin(NBin::Min, IntTy::MATH, high, value),
        None => {
            let fun = Fun { name: Name::new(AT_MOST), ty, kind: FunKind::Abstract };
            N::call(fun, vec![high.clone(), value.clone()])
        }
    }
}

/// A protocol with the upper bounds that are known of values, apart from those by one of these variables.
#[must_use]
pub fn with_bounds(code: &Protocol, left_out: &BTreeSet<Var>) -> Protocol {
    let bound = |fun: &Fun, args: &[N]| match args {
        [high, value] if fun.name.as_str() == AT_MOST => Some(match free_vars_n(high).is_disjoint(left_out) {
            true => N::bin(NBin::Min, IntTy::MATH, high, value),
            false => value.clone(),
        }),
        _ => None,
    };
    substitute(code, &mut Subst::with_functions(&bound))
}

/// The variables that values are known to be at most, or at most some numbers more or less.
#[must_use]
pub fn upper_bounds(code: &Protocol) -> BTreeSet<Var> {
    fn own(bound: &N, found: &mut BTreeSet<Var>) {
        match bound.kind() {
            NExp::Var(var) => drop(found.insert(var.clone())),
            NExp::Cast(_, inner) => own(inner, found),
            NExp::Bin(NBin::Max, _, l, r) => [l, r].into_iter().for_each(|part| own(part, found)),
            NExp::Bin(NBin::Add | NBin::Sub, _, l, r) if r.as_num().is_some() => own(l, found),
            NExp::Bin(NBin::Add, _, l, r) if l.as_num().is_some() => own(r, found),
            _ => {}
        }
    }
    let found = RefCell::new(BTreeSet::new());
    let bound = |fun: &Fun, args: &[N]| {
        if let ([high, _], true) = (args, fun.name.as_str() == AT_MOST) {
            own(high, &mut found.borrow_mut());
        }
        None
    };
    let _ = substitute(code, &mut Subst::with_functions(&bound));
    found.into_inner()
}

/// The bounds of what leaves the loop after one more step.
fn beyond(candidate: &Candidate, cell: &Cell) -> Vec<Candidate> {
    let var = cell.var.as_var();
    let steps = cell.last.iter().flatten().filter_map(|leaf| {
        let by = signed_step(&additive(&leaf.value, var?)?, var?.ty).as_num()?;
        (by != 0 && (by > 0) == candidate.upper).then_some(by)
    });
    let steps: BTreeSet<i128> = steps.collect();
    let moved = |by: i128| candidate.parts.iter().map(|part| N::add(IntTy::MATH, part, &N::num(by))).collect();
    steps.into_iter().map(|by| Candidate { parts: moved(by), ..candidate.clone() }).collect()
}

/// The step of which all changes are multiples; zero where there is none.
fn common_step(cell: &Cell, leaves: &[Leaf], fixed: &impl Fn(&N) -> bool) -> Option<N> {
    let var = cell.var.as_var()?;
    let mut step = N::num(0);
    for leaf in leaves.iter().filter(|leaf| leaf.value != cell.init) {
        let by = signed_step(&additive(&leaf.value, var)?, var.ty);
        step = match (step.as_num(), by.as_num()) {
            (Some(one), Some(two)) => N::num(gcd(one, two)),
            (_, Some(0)) => step,
            (Some(0), None) if fixed(&by) => by,
            _ if step == by => step,
            _ => return None,
        };
    }
    Some(step)
}

impl Bounds {
    /// From the candidates that hold, as they are and if signed sums do not overflow.
    fn of([within, signed]: [Vec<Candidate>; 2], step: Option<N>, init: &N) -> Bounds {
        let step = step.filter(|s| !matches!(s.as_num(), Some(-1..=1)));
        let assumed = within != signed;
        let mut bounds = Bounds { init: Some(init.clone()), step, assumed, ..Bounds::default() };
        for candidate in signed {
            let op = if candidate.upper { NBin::Max } else { NBin::Min };
            let parts = candidate.parts.into_iter();
            let Some(bound) = parts.reduce(|a, b| N::bin(op, IntTy::MATH, &a, &b)) else { continue };
            if !candidate.upper {
                // The first value is the best of them, and comes first.
                bounds.low.get_or_insert(bound);
                continue;
            }
            // Of several numbers the least.
            let (number, room) = (bound.as_num(), bounds.high.len() < 2);
            match bounds.high.iter_mut().find(|known| known.as_num().is_some() && number.is_some()) {
                Some(known) if known.as_num() > number => *known = bound,
                Some(_) => {}
                None if room => bounds.high.push(bound),
                None => {}
            }
        }
        bounds
    }

    fn of_powers(&mut self, powers: Powers) {
        self.assumed = powers.assumed;
        self.powers = Some(powers);
    }

    /// A value of which these are known, and besides that nothing: a function of these arguments.
    pub fn value(&self, name: Name, ty: IntTy, args: Vec<N>) -> N {
        if let Some(powers) = &self.powers {
            return powers.value(&name, ty, &args);
        }
        let math = IntTy::MATH;
        let unknown = |ty: IntTy, args| N::call(Fun { name, ty, kind: FunKind::Abstract }, args);
        let bits = if ty.bits == 0 { 63 } else { ty.bits };
        let distance = |low: Option<&N>| {
            // From a number that is not negative to the greatest of its type.
            let natural = low.and_then(N::as_num).is_some_and(|low| low >= 0);
            IntTy { bits: if ty.signed && natural { bits - 1 } else { bits }, signed: false }
        };
        if let (Some(step), Some(init)) = (&self.step, &self.init) {
            let up = self.low.as_ref() == Some(init) && step.as_num().is_some_and(|s| s > 0);
            // Modulo the size of an unsigned type, no count is below zero.
            let natural = up || (ty.bits != 0 && !ty.signed);
            let both = if ty.bits == 0 || ty.bits > 32 { math } else { IntTy::I64 };
            let count = unknown(if natural { distance(None) } else { both }, args);
            return N::cast(ty, &N::add(math, init, &N::mul(math, step, &count)));
        }
        let value = match (&self.low, self.high.as_slice()) {
            (Some(low), _) => N::add(math, low, &unknown(distance(Some(low)), args)),
            (None, [high, ..]) => N::sub(math, high, &unknown(distance(None), args)),
            (None, []) => return unknown(ty, args),
        };
        let natural = self.low.as_ref().and_then(N::as_num).is_some_and(|low| low >= 0);
        let ty = if natural { distance(self.low.as_ref()) } else { ty };
        self.high.iter().fold(value, |value, high| at_most(high, &value, ty))
    }
}
