//! What is known of the results of atomic operations that two threads make on one cell. [RACE-TICKET]

use rustc_hash::FxHashSet;

use crate::base::Name;
use crate::exp::syntax::work;
use crate::exp::{B, BExp, Fun, FunKind, IntTy, N, NExp, Order, Ticket};

/// So many operations are compared with each other.
const MOST: usize = 24;

/// The time of operations on an array to which nothing else stores.
pub const WHOLE_RUN: i128 = -1;

/// The counters of votes have numbers from here down, where those of arrays have the numbers of these.
pub const VOTE: i128 = -2;

/// The result of an atomic operation, as it stands in a formula.
struct Taken {
    ticket: Ticket,
    name: Name,
    ty: IntTy,
    result: N,
    args: Vec<N>,
}

/// Facts about the results in these conditions: two operations of different threads on one cell come one after the
/// other, and nothing but such operations changes the cell in between.
///
/// Source:   theory 5; protocol-spec/06-race.md.      Shape: conditions over both threads -> conditions.
/// Ensures:  THM-TICKET, tests/theorems/tickets.rs: the results of any run fulfil them.
/// Errors:   none, total.
pub fn facts(conditions: &[B]) -> Vec<B> {
    let mut found = Found::default();
    conditions.iter().for_each(|b| found.boolean(b));
    let mut facts = Vec::new();
    for (i, one) in found.taken.iter().enumerate() {
        facts.extend(fits(one).into_iter().chain(one.bounds()).filter(|f| f.as_lit() != Some(true)));
        for two in &found.taken[i + 1..] {
            let both = [fact(one, two), in_total(one, two), in_total(two, one)];
            facts.extend(both.into_iter().flatten().filter(|f| f.as_lit() != Some(true)));
        }
    }
    facts
}

/// Does one of the facts rest on a counter that does not wrap around?
pub fn counts(conditions: &[B]) -> bool {
    let mut found = Found::default();
    conditions.iter().for_each(|b| found.boolean(b));
    found.taken.iter().any(|t| matches!(t.ticket.order, Order::Up | Order::Down))
}

/// [RACE-TICKET-FITS]  what a count makes of the content is a value of its type, as it does not wrap around
fn fits(one: &Taken) -> Option<B> {
    let (operand, _, _) = one.parts()?;
    match one.ticket.order {
        Order::Up => Some(N::add(IntTy::MATH, &one.result, operand).le(&N::num(one.ty.max()?))),
        // One that is at 0 may be asked for less, and its result is then compared with 0.
        Order::Down if !one.ty.signed => None,
        Order::Down => Some(N::num(one.ty.min()?).le(&N::sub(IntTy::MATH, &one.result, operand))),
        Order::Swap | Order::Compare | Order::Total => None,
    }
}

/// [RACE-TICKET-TOTAL]  what an operation that is made has added is there at the end
fn in_total(one: &Taken, total: &Taken) -> Option<B> {
    if (one.ticket.order, total.ticket.order) != (Order::Up, Order::Total) || one.ticket.cell != total.ticket.cell {
        return None;
    }
    let ((operand, cell, _), (_, of, _)) = (one.parts()?, total.parts()?);
    let [made, ..] = one.limits()?;
    let same_cell = cell.iter().zip(of).map(|(a, b)| a.eq(b));
    let premise = B::and(same_cell.chain([made.ne(&N::num(0))]).collect::<Vec<_>>());
    Some(B::implies(&premise, &N::add(IntTy::MATH, &one.result, operand).le(&total.result)))
}

fn fact(one: &Taken, two: &Taken) -> Option<B> {
    let kind = |t: &Taken| (t.ticket.order, t.ticket.cell, t.ticket.thread);
    if kind(one) != kind(two) {
        return None;
    }
    let (operand1, cell1, thread1) = one.parts()?;
    let (operand2, cell2, thread2) = two.parts()?;
    let same_cell = cell1.iter().zip(cell2).map(|(a, b)| a.eq(b));
    let mut other: Vec<B> = thread1.iter().zip(thread2).map(|(a, b)| a.ne(b)).collect();
    // Those of one thread in different iterations, too: of one place in the code, where the thread does not store in between.
    let whole_run = cell1.last().and_then(|time| time.as_num()) == Some(WHOLE_RUN);
    if one.name == two.name && whole_run {
        other.extend(one.iteration().iter().zip(two.iteration()).map(|(a, b)| a.ne(b)));
    }
    let premise = B::and(same_cell.chain([B::or(other)]).collect::<Vec<_>>());
    let (r1, r2) = (&one.result, &two.result);
    let after = |r: &N, operand: &N| N::add(IntTy::MATH, r, operand);
    let conclusion = match one.ticket.order {
        // [RACE-TICKET-UP]       the later one finds at least what the earlier one has made of the content
        Order::Up => B::or([after(r1, operand1).le(r2), after(r2, operand2).le(r1)]),
        // [RACE-TICKET-DOWN]
        Order::Down => B::or([after(r2, operand1).le(r1), after(r1, operand2).le(r2)]),
        // [RACE-TICKET-SWAP]     the later one finds what the earlier one has stored
        Order::Swap => B::or([r1.eq(operand2), r2.eq(operand1)]),
        // [RACE-TICKET-COMPARE]  only one finds what is replaced
        Order::Compare => B::or([r1.ne(operand1), r2.ne(operand2)]),
        Order::Total => return None,
    };
    Some(B::implies(&premise, &conclusion))
}

/// Whether the operation is made, and the bounds of its result, among the arguments of its function.
pub fn limits(ticket: Ticket, args: &[N]) -> Option<[&N; 3]> {
    let at = 1 + usize::from(ticket.cell) + usize::from(ticket.thread);
    let [made, least, most] = args.get(at..at + 3)? else { return None };
    ticket.bounded.then_some([made, least, most])
}

impl Taken {
    /// The operand, what identifies the cell, and what identifies the thread.
    fn parts(&self) -> Option<(&N, &[N], &[N])> {
        let (operand, rest) = self.args.split_first()?;
        let (cell, rest) = rest.split_at_checked(self.ticket.cell.into())?;
        let (thread, _) = rest.split_at_checked(self.ticket.thread.into())?;
        Some((operand, cell, thread))
    }

    /// What is left: the counters of the loops around it.
    fn iteration(&self) -> &[N] {
        let bounds = if self.ticket.bounded { 3 } else { 0 };
        let known = 1 + usize::from(self.ticket.cell) + usize::from(self.ticket.thread) + bounds;
        self.args.get(known..).unwrap_or(&[])
    }

    fn limits(&self) -> Option<[&N; 3]> {
        limits(self.ticket, &self.args)
    }

    /// [RACE-TICKET-BOUNDS]
    fn bounds(&self) -> Vec<B> {
        let Some([_, least, most]) = self.limits() else { return Vec::new() };
        vec![least.le(&self.result), self.result.le(most)]
    }
}

/// The applications of functions for tickets in a formula, each once.
#[derive(Default)]
struct Found {
    taken: Vec<Taken>,
    seen: FxHashSet<usize>,
}

impl Found {
    fn call(&mut self, fun: &Fun, args: &[N], result: &N) {
        args.iter().for_each(|a| self.numeric(a));
        if let FunKind::Ticket(ticket) = fun.kind
            && self.taken.len() < MOST
            && !self.taken.iter().any(|t| t.result == *result)
        {
            self.taken.push(Taken {
                ticket,
                name: fun.name.clone(),
                ty: fun.ty,
                result: result.clone(),
                args: args.to_vec(),
            });
        }
    }

    fn numeric(&mut self, term: &N) {
        if !self.seen.insert(term.address()) {
            return;
        }
        work(1);
        match term.kind() {
            NExp::Num(_) | NExp::Var(_) => {}
            NExp::Bin(_, _, l, r) => [l, r].into_iter().for_each(|n| self.numeric(n)),
            NExp::If(c, t, e) => {
                self.boolean(c);
                [t, e].into_iter().for_each(|n| self.numeric(n));
            }
            NExp::Cast(_, inner) => self.numeric(inner),
            NExp::Call(fun, args) => self.call(fun, args, term),
        }
    }

    fn boolean(&mut self, term: &B) {
        if !self.seen.insert(term.address()) {
            return;
        }
        work(1);
        match term.kind() {
            BExp::Lit(_) => {}
            BExp::Rel(_, l, r) => [l, r].into_iter().for_each(|n| self.numeric(n)),
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|p| self.boolean(p)),
            BExp::Not(inner) => self.boolean(inner),
        }
    }
}
