//! A query as bytes: equal bytes mean equal queries, and shared terms are written once.

use rustc_hash::FxHashMap;

use super::query::Query;
use crate::exp::{B, BExp, Fun, FunKind, IntTy, N, NBin, NExp, NRel, Ticket, Var};

/// The query, its terms in post-order, each referring to earlier ones by number. Every part has a fixed size or its
/// length in front, so no two queries have the same bytes. Two allocations of one term may give other bytes for an equal
/// query, which costs an answer that could have been used again, and nothing else.
pub fn canonical(query: &Query) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.count(query.vars.len());
    for (var, interval) in &query.vars {
        writer.var(var);
        for bound in [interval.lo, interval.hi] {
            match bound {
                None => writer.bytes.push(0),
                Some(value) => {
                    writer.bytes.push(1);
                    writer.int(value);
                }
            }
        }
    }
    writer.terms(&query.asserts);
    writer.count(query.asserts.len());
    for assert in &query.asserts {
        writer.refer(assert.address());
    }
    writer.bytes
}

/// What is left to do for a term. Not recursion: terms can be deeper than a stack.
enum Step<'t> {
    Number(&'t N),
    Boolean(&'t B),
    WriteNumber(&'t N),
    WriteBoolean(&'t B),
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// The numbers of the terms written, by allocation: the query keeps them alive.
    numbers: FxHashMap<usize, u32>,
}

impl Writer {
    fn count(&mut self, n: usize) {
        self.bytes.extend((n as u64).to_le_bytes());
    }

    fn int(&mut self, value: i128) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend(text.as_bytes());
    }

    fn ty(&mut self, ty: IntTy) {
        self.bytes.extend([ty.bits, u8::from(ty.signed)]);
    }

    fn var(&mut self, var: &Var) {
        self.text(var.name.as_str());
        self.ty(var.ty);
    }

    fn fun(&mut self, fun: &Fun) {
        self.text(fun.name.as_str());
        self.ty(fun.ty);
        match fun.kind {
            FunKind::Input => self.bytes.push(0),
            FunKind::Abstract => self.bytes.push(1),
            FunKind::Ticket(Ticket { order, cell, thread, bounded }) => {
                self.bytes.extend([2, order as u8, cell, thread, bounded.into()]);
            }
        }
    }

    fn refer(&mut self, address: usize) {
        // A child is always written before its parent.
        let Some(number) = self.numbers.get(&address).copied() else {
            crate::bug!("a term of a query has a part that was not written before it")
        };
        self.bytes.extend(number.to_le_bytes());
    }

    fn written(&mut self, address: usize) {
        let next = self.numbers.len() as u32;
        self.numbers.insert(address, next);
    }

    fn terms(&mut self, asserts: &[B]) {
        let mut steps: Vec<Step> = asserts.iter().rev().map(Step::Boolean).collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Number(term) if !self.numbers.contains_key(&term.address()) => {
                    steps.push(Step::WriteNumber(term));
                    match term.kind() {
                        NExp::Num(_) | NExp::Var(_) => {}
                        NExp::Bin(_, _, l, r) => steps.extend([Step::Number(r), Step::Number(l)]),
                        NExp::If(c, t, e) => steps.extend([Step::Number(e), Step::Number(t), Step::Boolean(c)]),
                        NExp::Cast(_, inner) => steps.push(Step::Number(inner)),
                        NExp::Call(_, args) => steps.extend(args.iter().rev().map(Step::Number)),
                    }
                }
                Step::Boolean(term) if !self.numbers.contains_key(&term.address()) => {
                    steps.push(Step::WriteBoolean(term));
                    match term.kind() {
                        BExp::Lit(_) => {}
                        BExp::Rel(_, l, r) => steps.extend([Step::Number(r), Step::Number(l)]),
                        BExp::And(parts) | BExp::Or(parts) => steps.extend(parts.iter().rev().map(Step::Boolean)),
                        BExp::Not(inner) => steps.push(Step::Boolean(inner)),
                    }
                }
                Step::Number(_) | Step::Boolean(_) => {}
                // It may have been written meanwhile, as a child of a sibling.
                Step::WriteNumber(term) if !self.numbers.contains_key(&term.address()) => {
                    self.number(term);
                    self.written(term.address());
                }
                Step::WriteBoolean(term) if !self.numbers.contains_key(&term.address()) => {
                    self.boolean(term);
                    self.written(term.address());
                }
                Step::WriteNumber(_) | Step::WriteBoolean(_) => {}
            }
        }
    }

    fn number(&mut self, term: &N) {
        match term.kind() {
            NExp::Num(value) => {
                self.bytes.push(b'n');
                self.int(*value);
            }
            NExp::Var(var) => {
                self.bytes.push(b'v');
                self.var(var);
            }
            NExp::Bin(op, ty, l, r) => {
                self.bytes.extend([b'b', operator(*op)]);
                self.ty(*ty);
                self.refer(l.address());
                self.refer(r.address());
            }
            NExp::If(c, t, e) => {
                self.bytes.push(b'i');
                self.refer(c.address());
                self.refer(t.address());
                self.refer(e.address());
            }
            NExp::Cast(ty, inner) => {
                self.bytes.push(b'c');
                self.ty(*ty);
                self.refer(inner.address());
            }
            NExp::Call(fun, args) => {
                self.bytes.push(b'f');
                self.fun(fun);
                self.count(args.len());
                args.iter().for_each(|a| self.refer(a.address()));
            }
        }
    }

    fn boolean(&mut self, term: &B) {
        match term.kind() {
            BExp::Lit(value) => self.bytes.extend([b'l', u8::from(*value)]),
            BExp::Rel(op, l, r) => {
                self.bytes.extend([b'r', relation(*op)]);
                self.refer(l.address());
                self.refer(r.address());
            }
            BExp::And(parts) | BExp::Or(parts) => {
                self.bytes.push(if matches!(term.kind(), BExp::And(_)) { b'&' } else { b'|' });
                self.count(parts.len());
                parts.iter().for_each(|p| self.refer(p.address()));
            }
            BExp::Not(inner) => {
                self.bytes.push(b'!');
                self.refer(inner.address());
            }
        }
    }
}

fn operator(op: NBin) -> u8 {
    match op {
        NBin::Add => 0,
        NBin::Sub => 1,
        NBin::Mul => 2,
        NBin::Div => 3,
        NBin::Rem => 4,
        NBin::And => 5,
        NBin::Or => 6,
        NBin::Xor => 7,
        NBin::Shl => 8,
        NBin::Shr => 9,
        NBin::Min => 10,
        NBin::Max => 11,
    }
}

fn relation(op: NRel) -> u8 {
    match op {
        NRel::Eq => 0,
        NRel::Ne => 1,
        NRel::Lt => 2,
        NRel::Le => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::Interval;

    fn query(asserts: Vec<B>) -> Query {
        Query::new(vec![(Var::new("x", IntTy::I32), Interval::new(0, 9))], asserts)
    }

    fn x() -> N {
        N::var(&Var::new("x", IntTy::I32))
    }

    #[test]
    fn equal_queries_have_equal_bytes_also_on_another_thread() {
        let make = || canonical(&query(vec![N::add(IntTy::I32, &x(), &N::num(1)).lt(&N::num(4))]));
        let there = std::thread::spawn(make).join().expect("the thread ends");
        assert_eq!(make(), there);
    }

    #[test]
    fn whatever_differs_shows() {
        let y = |ty| N::var(&Var::new("y", ty));
        let fun = |name: &str, kind| Fun { name: name.into(), ty: IntTy::I32, kind };
        let all = [
            query(vec![]),
            query(vec![x().lt(&N::num(4))]),
            query(vec![x().le(&N::num(4))]),
            query(vec![N::num(4).lt(&x())]),
            query(vec![x().lt(&N::num(5))]),
            query(vec![x().lt(&N::num(4)), x().lt(&N::num(5))]),
            query(vec![x().lt(&N::num(5)), x().lt(&N::num(4))]),
            query(vec![x().lt(&y(IntTy::I32))]),
            query(vec![x().lt(&y(IntTy::U32))]),
            query(vec![x().lt(&y(IntTy::I64))]),
            query(vec![B::or([x().lt(&N::num(4)), x().eq(&y(IntTy::I32))])]),
            query(vec![B::and([x().lt(&N::num(4)), x().eq(&y(IntTy::I32))])]),
            query(vec![x().lt(&N::call(fun("f", FunKind::Input), vec![x()]))]),
            query(vec![x().lt(&N::call(fun("f", FunKind::Abstract), vec![x()]))]),
            query(vec![x().lt(&N::call(fun("g", FunKind::Input), vec![x()]))]),
            query(vec![x().lt(&N::call(fun("f", FunKind::Input), vec![x(), x()]))]),
            Query::new(vec![(Var::new("x", IntTy::I32), Interval::new(0, 8))], vec![x().lt(&N::num(4))]),
            Query::new(vec![(Var::new("x", IntTy::I32), Interval::ALL)], vec![x().lt(&N::num(4))]),
            Query::new(vec![], vec![x().lt(&N::num(4))]),
        ];
        let bytes: rustc_hash::FxHashSet<Vec<u8>> = all.iter().map(canonical).collect();
        assert_eq!(bytes.len(), all.len());
    }

    #[test]
    fn a_graph_is_not_written_as_a_tree_and_depth_needs_no_stack() {
        let mut term = x();
        for _ in 0..50_000 {
            term = N::bin(NBin::Xor, IntTy::I32, &term, &N::add(IntTy::I32, &term, &N::num(3)));
        }
        let query = query(vec![term.lt(&N::num(4))]);
        assert!(canonical(&query).len() < 5_000_000);
        // Dropping it is not what is tested here, and takes a stack.
        std::mem::forget(query);
        std::mem::forget(term);
    }
}
