//! Expressions: what [`crate::exp::display`] prints.

use super::lex::Token;
use super::parser::{Parsed, Parser};
use crate::base::Name;
use crate::exp::display::order_word;
use crate::exp::display::{TYPES, is_builtin};
use crate::exp::{B, Fun, FunKind, IntTy, N, NBin, NRel, Order, Ticket};

/// An expression may be this high as a term.
const HEIGHT: u32 = 1_000;

/// Whether an expression is a number or a truth shows only once it is read.
enum Term {
    Number(N),
    Truth(B),
}

/// An operator between two expressions, with its strength.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Or,
    And,
    Rel(NRel, bool),
    Bin(NBin, IntTy),
}

fn operator(token: &Token) -> Option<(Operator, u8)> {
    let Token::Mark(mark, ty) = token else { return None };
    let ty = ty.unwrap_or(IntTy::I32);
    let bin = |op| Operator::Bin(op, ty);
    Some(match *mark {
        "||" => (Operator::Or, 1),
        "&&" => (Operator::And, 2),
        "==" => (Operator::Rel(NRel::Eq, false), 3),
        "!=" => (Operator::Rel(NRel::Ne, false), 3),
        "<" => (Operator::Rel(NRel::Lt, false), 3),
        "<=" => (Operator::Rel(NRel::Le, false), 3),
        ">" => (Operator::Rel(NRel::Lt, true), 3),
        ">=" => (Operator::Rel(NRel::Le, true), 3),
        "|" => (bin(NBin::Or), 4),
        "^" => (bin(NBin::Xor), 5),
        "&" => (bin(NBin::And), 6),
        "<<" => (bin(NBin::Shl), 7),
        ">>" => (bin(NBin::Shr), 7),
        "+" => (bin(NBin::Add), 8),
        "-" => (bin(NBin::Sub), 8),
        "*" => (bin(NBin::Mul), 9),
        "/" => (bin(NBin::Div), 9),
        "%" => (bin(NBin::Rem), 9),
        _ => return None,
    })
}

impl Parser<'_> {
    pub fn numeric(&mut self) -> Parsed<N> {
        let at = self.here();
        let term = self.term(0)?;
        self.as_number(term, at)
    }

    pub fn boolean(&mut self) -> Parsed<B> {
        let at = self.here();
        let term = self.term(0)?;
        self.as_truth(term, at)
    }

    fn as_number(&mut self, term: Term, at: usize) -> Parsed<N> {
        match term {
            Term::Number(n) if n.depth() > HEIGHT => {
                self.fail_for_good(at, format!("the expression is more than {HEIGHT} operators deep"))
            }
            Term::Number(n) => Ok(n),
            Term::Truth(_) => self.fail(at, "expected a number, found a condition"),
        }
    }

    fn as_truth(&mut self, term: Term, at: usize) -> Parsed<B> {
        match term {
            Term::Truth(b) if b.depth() > HEIGHT => {
                self.fail_for_good(at, format!("the expression is more than {HEIGHT} operators deep"))
            }
            Term::Truth(b) => Ok(b),
            Term::Number(_) => self.fail(at, "expected a condition, found a number"),
        }
    }

    /// An expression whose operators are at least as strong as `least`.
    fn term(&mut self, least: u8) -> Parsed<Term> {
        let at = self.here();
        let mut left = self.atom()?;
        while let Some((op, own)) = operator(self.peek()).filter(|(_, own)| *own >= least) {
            self.skip();
            left = match op {
                Operator::Or | Operator::And => self.junction(left, at, op, own)?,
                Operator::Rel(rel, swapped) => {
                    let l = self.as_number(left, at)?;
                    let at_right = self.here();
                    let right = self.term(own + 1)?;
                    let r = self.as_number(right, at_right)?;
                    Term::Truth(if swapped { B::rel(rel, &r, &l) } else { B::rel(rel, &l, &r) })
                }
                Operator::Bin(bin, ty) => {
                    let l = self.as_number(left, at)?;
                    let at_right = self.here();
                    let right = self.term(own + 1)?;
                    let r = self.as_number(right, at_right)?;
                    Term::Number(N::bin(bin, ty, &l, &r))
                }
            };
        }
        Ok(left)
    }

    /// `left op b op b ...`, gathered before it is built, so that a long one does not cost its square.
    fn junction(&mut self, left: Term, at: usize, op: Operator, own: u8) -> Parsed<Term> {
        let mut parts = vec![self.as_truth(left, at)?];
        loop {
            let at = self.here();
            let part = self.term(own + 1)?;
            parts.push(self.as_truth(part, at)?);
            match operator(self.peek()) {
                Some((next, _)) if next == op => self.skip(),
                Some(_) | None => break,
            }
        }
        Ok(Term::Truth(if op == Operator::And { B::and(parts) } else { B::or(parts) }))
    }

    fn atom(&mut self) -> Parsed<Term> {
        let at = self.here();
        match self.peek().clone() {
            Token::Number(_) => Ok(Term::Number(N::num(self.number("a number")?))),
            Token::Mark("-", None) => {
                self.skip();
                let value = self.number("a number after `-`")?;
                Ok(Term::Number(N::num(-value)))
            }
            Token::Mark("!", None) => {
                self.skip();
                let at = self.here();
                let inner = self.nested(|p| p.atom())?;
                Ok(Term::Truth(B::not(&self.as_truth(inner, at)?)))
            }
            Token::Mark("(", None) => {
                self.skip();
                self.nested(|p| p.parenthesis())
            }
            Token::Mark("~", None) => {
                self.skip();
                let kind = if self.eat("[") { FunKind::Ticket(self.ticket()?) } else { FunKind::Abstract };
                let name = self.name("the name of a function")?;
                self.call(name, kind)
            }
            Token::Word { name, quoted } => {
                self.skip();
                let applied = matches!(self.peek(), Token::Mark("(" | "#", None));
                match name.as_str() {
                    "true" | "false" if !quoted => Ok(Term::Truth(B::lit(name.as_str() == "true"))),
                    word if applied && !quoted && is_builtin(word) => self.builtin(word),
                    _ if applied => self.call(name, FunKind::Input),
                    _ => match self.scope.get(&name) {
                        Some(var) => Ok(Term::Number(N::var(var))),
                        None => self.fail(at, format!("`{name}` is not declared here [WF-BOUND]")),
                    },
                }
            }
            Token::Mark(..) | Token::End => self.unexpected("an expression"),
        }
    }

    /// After `(`: an expression, or a choice.
    fn parenthesis(&mut self) -> Parsed<Term> {
        let at = self.here();
        let first = self.term(0)?;
        if !self.eat("?") {
            self.expect(")")?;
            return Ok(first);
        }
        let cond = self.as_truth(first, at)?;
        let then = self.numeric()?;
        self.expect(":")?;
        let els = self.numeric()?;
        self.expect(")")?;
        Ok(Term::Number(N::ite(&cond, &then, &els)))
    }

    /// After the word: a conversion, min or max.
    fn builtin(&mut self, word: &str) -> Parsed<Term> {
        if let Some((_, ty)) = TYPES.iter().find(|(name, _)| *name == word) {
            let args = self.arguments(Some(1))?;
            return Ok(Term::Number(args.first().map_or(N::num(0), |n| N::cast(*ty, n))));
        }
        let op = if word == "min" { NBin::Min } else { NBin::Max };
        let ty = self.result_type()?;
        let args = self.arguments(Some(2))?;
        let mut args = args.iter();
        let (l, r) = (args.next().cloned().unwrap_or(N::num(0)), args.next().cloned().unwrap_or(N::num(0)));
        Ok(Term::Number(N::bin(op, ty, &l, &r)))
    }

    /// After the name.
    fn call(&mut self, name: Name, kind: FunKind) -> Parsed<Term> {
        let ty = self.result_type()?;
        let args = self.arguments(None)?;
        Ok(Term::Number(N::call(Fun { name, ty, kind }, args)))
    }

    /// `up 3 1]`
    fn ticket(&mut self) -> Parsed<Ticket> {
        let at = self.here();
        let word = self.name("the order of an atomic operation")?;
        let orders = [Order::Up, Order::Down, Order::Swap, Order::Compare, Order::Total];
        let Some(order) = orders.into_iter().find(|o| order_word(*o) == word.as_str()) else {
            return self.fail(at, format!("`{word}` is not an order: expected up, down, swap, compare or total"));
        };
        let mut count = || {
            let at = self.here();
            let number = self.number("a number of arguments")?;
            u8::try_from(number).or_else(|_| self.fail(at, "more than 255 arguments".to_owned()))
        };
        let (cell, thread) = (count()?, count()?);
        let bounded = self.eat_word("bounded");
        self.expect("]")?;
        Ok(Ticket { order, cell, thread, bounded })
    }

    fn result_type(&mut self) -> Parsed<IntTy> {
        if self.eat("#") { self.int_type() } else { Ok(IntTy::I32) }
    }

    pub fn int_type(&mut self) -> Parsed<IntTy> {
        let at = self.here();
        let name = self.name("a type")?;
        match TYPES.iter().find(|(word, _)| *word == name.as_str()) {
            Some((_, ty)) => Ok(*ty),
            None => self.fail(
                at,
                format!(
                    "`{name}` is not a type: expected int, u1, i or u with 8, 16, 32 or 64, or u with one bit less"
                ),
            ),
        }
    }

    /// `(n, ..)`, of the given number if there is one.
    fn arguments(&mut self, count: Option<usize>) -> Parsed<Vec<N>> {
        let at = self.here();
        self.expect("(")?;
        let mut args = Vec::new();
        if !self.eat(")") {
            loop {
                args.push(self.nested(|p| p.numeric())?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        match count {
            Some(count) if count != args.len() => {
                self.fail(at, format!("expected {count} arguments, found {}", args.len()))
            }
            Some(_) | None => Ok(args),
        }
    }
}
