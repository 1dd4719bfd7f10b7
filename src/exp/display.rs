//! How terms are written: the concrete syntax of `protocol-spec/01-syntax.md`.
//!
//! An operator of a machine type carries it as a suffix (`+u32`), except `i32`, which is the default; `+int` is the
//! operator on mathematical integers. Min and max, casts and functions are written as calls: `min#u32(x, y)`, `u8(x)`,
//! `f(x)`, `f#u32(x)`, and `~f(x)` for a function that is abstract. A number outside 127 bits can be printed, not read.

use std::fmt::{Display, Formatter, Result};

use super::syntax::{B, BExp, Fun, FunKind, IntTy, N, NBin, NExp, NRel, Order};
use crate::base::Name;

impl Display for IntTy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.bits, self.signed) {
            (0, _) => f.write_str("int"),
            (bits, true) => write!(f, "i{bits}"),
            (bits, false) => write!(f, "u{bits}"),
        }
    }
}

impl Display for NRel {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            NRel::Eq => "==",
            NRel::Ne => "!=",
            NRel::Lt => "<",
            NRel::Le => "<=",
        })
    }
}

impl Display for NBin {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            NBin::Add => "+",
            NBin::Sub => "-",
            NBin::Mul => "*",
            NBin::Div => "/",
            NBin::Rem => "%",
            NBin::And => "&",
            NBin::Or => "|",
            NBin::Xor => "^",
            NBin::Shl => "<<",
            NBin::Shr => ">>",
            NBin::Min => "min",
            NBin::Max => "max",
        })
    }
}

/// Binding strength, from loose to tight: `||`, `&&`, comparison, `|`, `^`, `&`, shifts, sums, products, atoms.
fn strength(op: NBin) -> u8 {
    match op {
        NBin::Or => 4,
        NBin::Xor => 5,
        NBin::And => 6,
        NBin::Shl | NBin::Shr => 7,
        NBin::Add | NBin::Sub => 8,
        NBin::Mul | NBin::Div | NBin::Rem => 9,
        NBin::Min | NBin::Max => 10,
    }
}

/// The type of an operator or function, unless it is the default.
fn suffix(ty: IntTy) -> String {
    if ty == IntTy::I32 { String::new() } else { format!("{ty}") }
}

/// Can the word be read back as a name, wherever a name may stand?
fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes().peekable();
    if !bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') {
        return false;
    }
    while let Some(byte) = bytes.next() {
        let joined =
            matches!(byte, b'.' | b'!') && bytes.peek().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || joined) {
            return false;
        }
    }
    !matches!(name, "true" | "false")
}

/// A name as it is written: in backquotes when it is not made of letters, digits, `_`, `$`, and single `.` and `!`.
pub struct Quoted<'n>(pub &'n Name);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if is_plain(self.0.as_str()) { write!(f, "{}", self.0) } else { write!(f, "`{}`", self.0) }
    }
}

/// The types that can be written, as casts and after operators.
pub const TYPES: [(&str, IntTy); 15] = [
    ("int", IntTy::MATH),
    ("u1", IntTy::BOOL),
    ("i8", IntTy::I8),
    ("u8", IntTy::U8),
    ("i16", IntTy::I16),
    ("u16", IntTy::U16),
    ("i32", IntTy::I32),
    ("u32", IntTy::U32),
    ("i64", IntTy::I64),
    ("u64", IntTy::U64),
    // Distances of signed numbers.
    ("u7", IntTy { bits: 7, signed: false }),
    ("u15", IntTy { bits: 15, signed: false }),
    ("u31", IntTy { bits: 31, signed: false }),
    ("u63", IntTy { bits: 63, signed: false }),
    ("u88", IntTy::OPAQUE),
];

/// Is this word, before a parenthesis, something else than a function?
pub fn is_builtin(word: &str) -> bool {
    matches!(word, "min" | "max") || TYPES.iter().any(|(name, _)| *name == word)
}

/// A term is a graph, and may be very large as a tree: after this many nodes the rest is left out.
const NODES: usize = 20_000;

/// Terms deeper than this are left out, so that printing does not run out of stack.
const DEPTH: u32 = 2_000;

/// The word for an order in the text form.
pub fn order_word(order: Order) -> &'static str {
    match order {
        Order::Up => "up",
        Order::Down => "down",
        Order::Swap => "swap",
        Order::Compare => "compare",
        Order::Total => "total",
    }
}

struct Out<'f, 'b> {
    f: &'f mut Formatter<'b>,
    nodes: usize,
}

impl Out<'_, '_> {
    /// Counts a node; false when it is one too many, and was replaced by `...`.
    fn enter(&mut self, depth: u32) -> std::result::Result<bool, std::fmt::Error> {
        if self.nodes == 0 || depth > DEPTH {
            self.f.write_str("...")?;
            return Ok(false);
        }
        self.nodes -= 1;
        Ok(true)
    }

    fn numeric(&mut self, term: &N, above: u8) -> Result {
        if !self.enter(term.depth())? {
            return Ok(());
        }
        match term.kind() {
            NExp::Num(value) => {
                let wide = if value.unsigned_abs() > u128::from(u64::MAX) { "#int" } else { "" };
                match *value < 0 && above > 0 {
                    true => write!(self.f, "({value}{wide})"),
                    false => write!(self.f, "{value}{wide}"),
                }
            }
            NExp::Var(var) => write!(self.f, "{}", Quoted(&var.name)),
            NExp::Bin(op @ (NBin::Min | NBin::Max), ty, l, r) => {
                let mark = if *ty == IntTy::I32 { "" } else { "#" };
                write!(self.f, "{op}{mark}{}(", suffix(*ty))?;
                self.numeric(l, 0)?;
                self.f.write_str(", ")?;
                self.numeric(r, 0)?;
                self.f.write_str(")")
            }
            NExp::Bin(op, ty, l, r) => {
                let own = strength(*op);
                if own < above {
                    self.f.write_str("(")?;
                }
                self.numeric(l, own)?;
                // x + (-1) is written x - 1, which is read back as it was.
                if let (NBin::Add, Some(less)) = (op, r.as_num().filter(|c| *c < 0 && ty.signed && ty.contains(-c))) {
                    write!(self.f, " -{} {}", suffix(*ty), -less)?;
                    return if own < above { self.f.write_str(")") } else { Ok(()) };
                }
                write!(self.f, " {op}{} ", suffix(*ty))?;
                self.numeric(r, own + 1)?;
                if own < above { self.f.write_str(")") } else { Ok(()) }
            }
            NExp::If(c, t, e) => {
                self.f.write_str("(")?;
                self.boolean(c, 1)?;
                self.f.write_str(" ? ")?;
                self.numeric(t, 1)?;
                self.f.write_str(" : ")?;
                self.numeric(e, 1)?;
                self.f.write_str(")")
            }
            NExp::Cast(ty, inner) => {
                write!(self.f, "{ty}(")?;
                self.numeric(inner, 0)?;
                self.f.write_str(")")
            }
            NExp::Call(fun, args) => {
                self.function(fun)?;
                self.f.write_str("(")?;
                for (i, arg) in args.iter().enumerate() {
                    if i > 0 {
                        self.f.write_str(", ")?;
                    }
                    self.numeric(arg, 0)?;
                }
                self.f.write_str(")")
            }
        }
    }

    /// `f`, `~f` when it is abstract, `~[up 3 1] f` for the result of an atomic operation, `f#u32` when its results are not
    /// of the default type.
    fn function(&mut self, fun: &Fun) -> Result {
        let mark = match fun.kind {
            FunKind::Input => "",
            FunKind::Abstract => "~",
            FunKind::Ticket(ticket) => {
                let word = order_word(ticket.order);
                let bounded = if ticket.bounded { " bounded" } else { "" };
                write!(self.f, "~[{word} {} {}{bounded}] ", ticket.cell, ticket.thread)?;
                ""
            }
        };
        let name = fun.name.as_str();
        if is_builtin(name) {
            write!(self.f, "{mark}`{name}`")?;
        } else {
            write!(self.f, "{mark}{}", Quoted(&fun.name))?;
        }
        if fun.ty == IntTy::I32 { Ok(()) } else { write!(self.f, "#{}", fun.ty) }
    }

    fn boolean(&mut self, term: &B, above: u8) -> Result {
        if !self.enter(term.depth())? {
            return Ok(());
        }
        match term.kind() {
            BExp::Lit(value) => write!(self.f, "{value}"),
            BExp::Rel(op, l, r) => {
                if 3 < above {
                    self.f.write_str("(")?;
                }
                self.numeric(l, 4)?;
                write!(self.f, " {op} ")?;
                self.numeric(r, 4)?;
                if 3 < above { self.f.write_str(")") } else { Ok(()) }
            }
            BExp::Or(parts) => self.junction(parts, "||", 1, above),
            BExp::And(parts) => self.junction(parts, "&&", 2, above),
            BExp::Not(inner) => {
                self.f.write_str("!(")?;
                self.boolean(inner, 0)?;
                self.f.write_str(")")
            }
        }
    }

    fn junction(&mut self, parts: &[B], word: &str, own: u8, above: u8) -> Result {
        if own < above {
            self.f.write_str("(")?;
        }
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(self.f, " {word} ")?;
            }
            self.boolean(part, own + 1)?;
        }
        if own < above { self.f.write_str(")") } else { Ok(()) }
    }
}

impl Display for N {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        Out { f, nodes: NODES }.numeric(self, 0)
    }
}

impl Display for B {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        Out { f, nodes: NODES }.boolean(self, 0)
    }
}

/// A condition for people, in the way of C: operators without their types.
pub fn plain(condition: &B) -> String {
    let mut text = condition.to_string();
    for op in ["+", "-", "*", "/", "%", "<<", ">>"] {
        text = text.replace(&format!(" {op}int "), &format!(" {op} "));
    }
    text.replace("min#int(", "min(").replace("max#int(", "max(")
}
