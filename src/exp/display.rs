//! How terms are written: the concrete syntax of `protocol-spec/01-syntax.md`.
//!
//! An operator of a machine type carries it as a suffix (`+u32`), except `i32`, which is the default; `+int` is the
//! operator on mathematical integers. Min and max, casts and functions are written as calls.

use std::fmt::{Display, Formatter, Result};

use super::syntax::{B, BExp, FunKind, IntTy, N, NBin, NExp, NRel};

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

fn suffix(ty: IntTy) -> String {
    if ty == IntTy::I32 { String::new() } else { format!("{ty}") }
}

fn numeric(term: &N, above: u8, f: &mut Formatter<'_>) -> Result {
    match term.kind() {
        NExp::Num(value) if *value < 0 && above > 0 => write!(f, "({value})"),
        NExp::Num(value) => write!(f, "{value}"),
        NExp::Var(var) => write!(f, "{}", var.name),
        NExp::Bin(op @ (NBin::Min | NBin::Max), ty, l, r) => {
            write!(f, "{op}{}(", suffix(*ty))?;
            numeric(l, 0, f)?;
            f.write_str(", ")?;
            numeric(r, 0, f)?;
            f.write_str(")")
        }
        NExp::Bin(op, ty, l, r) => {
            let own = strength(*op);
            if own < above {
                f.write_str("(")?;
            }
            numeric(l, own, f)?;
            write!(f, " {op}{} ", suffix(*ty))?;
            numeric(r, own + 1, f)?;
            if own < above { f.write_str(")") } else { Ok(()) }
        }
        NExp::If(c, t, e) => {
            f.write_str("(")?;
            boolean(c, 2, f)?;
            f.write_str(" ? ")?;
            numeric(t, 1, f)?;
            f.write_str(" : ")?;
            numeric(e, 1, f)?;
            f.write_str(")")
        }
        NExp::Cast(ty, inner) => {
            write!(f, "{ty}(")?;
            numeric(inner, 0, f)?;
            f.write_str(")")
        }
        NExp::Call(fun, args) => {
            let mark = match fun.kind {
                FunKind::Input => "",
                FunKind::Abstract => "?",
            };
            write!(
                f,
                "{}{mark}{}(",
                fun.name,
                if fun.ty == IntTy::I32 { String::new() } else { format!(":{}", fun.ty) }
            )?;
            for (i, arg) in args.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                numeric(arg, 0, f)?;
            }
            f.write_str(")")
        }
    }
}

fn boolean(term: &B, above: u8, f: &mut Formatter<'_>) -> Result {
    let junction = |parts: &[B], word: &str, own: u8, f: &mut Formatter<'_>| {
        if own < above {
            f.write_str("(")?;
        }
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {word} ")?;
            }
            boolean(part, own + 1, f)?;
        }
        if own < above { f.write_str(")") } else { Ok(()) }
    };
    match term.kind() {
        BExp::Lit(value) => write!(f, "{value}"),
        BExp::Rel(op, l, r) => {
            if 3 < above {
                f.write_str("(")?;
            }
            numeric(l, 4, f)?;
            write!(f, " {op} ")?;
            numeric(r, 4, f)?;
            if 3 < above { f.write_str(")") } else { Ok(()) }
        }
        BExp::Or(parts) => junction(parts, "||", 1, f),
        BExp::And(parts) => junction(parts, "&&", 2, f),
        BExp::Not(inner) => {
            f.write_str("!(")?;
            boolean(inner, 0, f)?;
            f.write_str(")")
        }
    }
}

impl Display for N {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        numeric(self, 0, f)
    }
}

impl Display for B {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        boolean(self, 0, f)
    }
}
