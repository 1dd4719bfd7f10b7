//! Functions on integers that are shifts, products and sums in a wider type. [INF-BITS]

use super::expr::changes;
use super::*;

pub(super) const FUNCTIONS: [&str; 14] = [
    "__mulhi",
    "__umulhi",
    "__hadd",
    "__uhadd",
    "__rhadd",
    "__urhadd",
    "__sad",
    "__usad",
    "__funnelshift_l",
    "__funnelshift_r",
    "__funnelshift_lc",
    "__funnelshift_rc",
    "__byte_perm",
    "__brev",
];

impl<'l, 't> Body<'l, 't> {
    /// What a function of the platform computes, in terms of operators.
    pub(super) fn bit_function(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        if args.iter().any(|a| changes(a) || !matches!(a.ty.value(), Type::Int(_))) {
            return None;
        }
        let signed = !name.starts_with("__u");
        let (narrow, wide) = if signed { (IntTy::I32, IntTy::I64) } else { (IntTy::U32, IntTy::U64) };
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        match (name, args) {
            ("__mulhi" | "__umulhi", [a, b]) => {
                let (a, b) = (self.widened(a, narrow, wide), self.widened(b, narrow, wide));
                let product = self.binary("*", a, b, span);
                let high = self.binary(">>", product, int(32), span);
                Some(self.convert(high, &Type::Int(narrow)))
            }
            // The average, rounded down or up.
            ("__hadd" | "__uhadd" | "__rhadd" | "__urhadd", [a, b]) => {
                let (a, b) = (self.widened(a, narrow, wide), self.widened(b, narrow, wide));
                let mut sum = self.binary("+", a, b, span);
                if name.contains("rhadd") {
                    sum = self.binary("+", sum, int(1), span);
                }
                let half = self.binary(">>", sum, int(1), span);
                Some(self.convert(half, &Type::Int(narrow)))
            }
            // |a - b| + c
            ("__sad" | "__usad", [a, b, c]) => {
                let (a, b) = (self.widened(a, narrow, IntTy::I64), self.widened(b, narrow, IntTy::I64));
                let (up, down) = (self.binary("-", a.clone(), b.clone(), span), self.binary("-", b, a, span));
                let apart = ExprKind::Intrinsic(Intrinsic::Max(IntTy::I64), vec![up, down]);
                let apart = Expr::new(apart, Type::Int(IntTy::I64), span);
                let c = self.widened(c, IntTy::U32, IntTy::I64);
                let sum = self.binary("+", apart, c, span);
                Some(self.convert(sum, &Type::UINT))
            }
            ("__funnelshift_l" | "__funnelshift_r" | "__funnelshift_lc" | "__funnelshift_rc", [low, high, by]) => {
                let most = if name.ends_with('c') { by_at_most(self.fold(by)?, 32) } else { self.fold(by)? & 31 };
                let (left, right) = if name.contains("_l") { (most, 32 - most) } else { (32 - most, most) };
                let part = |body: &mut Self, of: &Expr, op: &str, by: i128| {
                    let of = body.convert(of.clone(), &Type::UINT);
                    if by >= 32 {
                        return None;
                    }
                    Some(if by == 0 { of } else { body.binary(op, of, int(by), span) })
                };
                let parts = [part(self, high, "<<", left), part(self, low, ">>", right)];
                parts.into_iter().flatten().reduce(|a, b| self.binary("|", a, b, span))
            }
            ("__byte_perm", [low, high, selector]) => {
                let selector = self.fold(selector)?;
                let chosen = [0, 1, 2, 3].map(|i| selector >> (4 * i) & 15);
                match chosen {
                    [0, 1, 2, 3] => return Some(self.convert(low.clone(), &Type::UINT)),
                    [4, 5, 6, 7] => return Some(self.convert(high.clone(), &Type::UINT)),
                    // The sign of a byte.
                    _ if chosen.iter().any(|c| *c > 7) => return None,
                    _ => {}
                }
                let mut parts = Vec::new();
                for (i, byte) in (0..).zip(chosen) {
                    let of = if byte < 4 { low } else { high };
                    let of = self.convert(of.clone(), &Type::UINT);
                    let moved = self.binary(">>", of, int(8 * (byte & 3)), span);
                    let alone = self.binary("&", moved, int(255), span);
                    parts.push(self.binary("<<", alone, int(8 * i), span));
                }
                parts.into_iter().reduce(|a, b| self.binary("|", a, b, span))
            }
            // Each bit by itself.
            ("__brev", [x]) => {
                let x = self.convert(x.clone(), &Type::UINT);
                let bit = |body: &mut Self, i: i128| {
                    let moved = if i == 0 { x.clone() } else { body.binary(">>", x.clone(), int(i), span) };
                    let alone = body.binary("&", moved, int(1), span);
                    if i == 31 { alone } else { body.binary("<<", alone, int(31 - i), span) }
                };
                let bits: Vec<Expr> = (0..32).map(|i| bit(self, i)).collect();
                bits.into_iter().reduce(|a, b| self.binary("|", a, b, span))
            }
            _ => None,
        }
    }

    fn widened(&mut self, arg: &Expr, narrow: IntTy, wide: IntTy) -> Expr {
        let arg = self.convert(arg.clone(), &Type::Int(narrow));
        self.convert(arg, &Type::Int(wide))
    }
}

/// A shift that goes no further than this, as an unsigned number.
fn by_at_most(by: i128, most: i128) -> i128 {
    IntTy::U32.wrap(by).min(most)
}
