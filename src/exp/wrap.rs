//! Which terms wrap around, and whether they do so in programs that people run. [ENC-WRAP] [OPT-VALUE]

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FunKind, IntTy, N, NBin, NExp, Order, Ticket, Var};

/// Is wrapping here an overflow of signed arithmetic, which C leaves undefined?
pub fn signed_arithmetic(term: &N) -> bool {
    match term.kind() {
        NExp::Bin(NBin::Add | NBin::Sub | NBin::Mul | NBin::Div, ty, _, _) => ty.signed && ty.bits >= 32,
        _ => false,
    }
}

/// What is no size.
pub const SMALL: i128 = 1 << 16;

/// Is the term larger for larger values of all that it is made of, which are not negative, where no type is too narrow?
pub fn goes_up(term: &N) -> bool {
    Rises::default().goes_up(term)
}

/// What is known of the parts of a term: each is looked at once, though the term may have it many times.
#[derive(Default)]
struct Rises<'t> {
    goes_up: FxHashMap<&'t N, bool>,
    sizes: FxHashMap<&'t N, bool>,
}

impl<'t> Rises<'t> {
    // What is signed may be less than zero, and is then not small: as a factor it is a size.
    fn factor(&mut self, term: &'t N) -> bool {
        match term.kind() {
            NExp::Cast(_, inner) if self.is_size(inner) => true,
            _ => self.goes_up(term),
        }
    }

    // A parameter, or what was counted, or a product or sum of these.
    fn is_size(&mut self, term: &'t N) -> bool {
        if let Some(known) = self.sizes.get(term) {
            return *known;
        }
        let is = match term.kind() {
            NExp::Var(_) => true,
            NExp::Call(..) => is_count(term),
            NExp::Num(n) => (1..=SMALL).contains(n),
            NExp::Bin(NBin::Mul | NBin::Add, ty, l, r) => ty.bits >= 32 && self.is_size(l) && self.is_size(r),
            _ => false,
        };
        self.sizes.insert(term, is);
        is
    }

    fn goes_up(&mut self, term: &'t N) -> bool {
        if let Some(known) = self.goes_up.get(term) {
            return *known;
        }
        // Signed overflow has no meaning, and what is not negative is kept by a signed type unless it is large.
        let wide = |ty: &IntTy| ty.bits == 0 || ty.bits >= 32;
        let goes = match term.kind() {
            NExp::Num(n) => (0..=SMALL).contains(n),
            NExp::Var(var) => !var.ty.signed,
            NExp::Cast(ty, inner) => wide(ty) && self.goes_up(inner),
            NExp::Bin(NBin::Add, ty, l, r) => {
                // `b * n + n` is `(b + 1) * n`.
                let (left, right) = (self.goes_up(l), self.goes_up(r));
                wide(ty) && (left || right && self.multiplies(l, r)) && (right || left && self.multiplies(r, l))
            }
            NExp::Bin(NBin::Mul, ty, l, r) => wide(ty) && self.factor(l) && self.factor(r),
            NExp::Bin(NBin::Shl, _, l, r) => r.as_num().is_some_and(|n| (0..=16).contains(&n)) && self.goes_up(l),
            // No larger than the first operand.
            NExp::Bin(NBin::Div | NBin::Rem | NBin::Shr, ty, l, _) => wide(ty) && self.goes_up(l),
            NExp::Bin(NBin::And | NBin::Min | NBin::Max, ty, l, r) => wide(ty) && self.goes_up(l) && self.goes_up(r),
            NExp::Call(fun, _) => is_count(term) && !fun.ty.signed,
            NExp::Bin(..) | NExp::If(..) => false,
        };
        self.goes_up.insert(term, goes);
        goes
    }

    /// Is this a size, and a factor of the other term?
    fn multiplies(&mut self, size: &'t N, term: &'t N) -> bool {
        let NExp::Bin(NBin::Mul, _, l, r) = term.kind() else { return false };
        self.factor(size) && (l == size && self.goes_up(r) || r == size && self.goes_up(l))
    }
}

/// Does this unsigned term wrap around only where sizes are so large that no array has them? It goes up in all that it is
/// made of, by small factors, and in something that is not the launch, whose limits are known.
pub fn needs_large_sizes(term: &N) -> bool {
    // First what looks at each part once.
    if comes_back(term) && rests_on_more(term) {
        return true;
    }
    // What is converted to a signed type is then less than half as large.
    if let NExp::Cast(ty, inner) = term.kind()
        && (ty.bits == 0 || ty.bits >= 32)
        && (matches!(inner.kind(), NExp::Var(_) | NExp::Call(..)) || needs_large_sizes(inner))
    {
        return true;
    }
    counts_threads(term) || goes_up(term) && rests_on_more(term)
}

/// Is this a sum of what may be negative that is taken in an unsigned type and given back to the signed one of its width, as in
/// `int x = offset + threadIdx.x`? Its value is the sum of integers, unless that is large.
fn comes_back(term: &N) -> bool {
    // Each part once: a term may have one many times.
    fn is_small(term: &N, bits: u8) -> bool {
        let (mut open, mut seen) = (vec![term], FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match term.kind() {
                NExp::Num(n) if (-SMALL..=SMALL).contains(n) => {}
                NExp::Var(_) => {}
                NExp::Cast(ty, inner) if ty.bits >= bits => open.push(inner),
                NExp::Bin(NBin::Add | NBin::Sub, ty, l, r) if ty.bits >= bits => open.extend([l, r]),
                // What is not counted may be less than zero, and a product of two such is large soon.
                NExp::Bin(NBin::Mul, ty, l, r) if ty.bits >= bits && (counted(l) || counted(r) || goes_up(term)) => {
                    open.extend([l, r]);
                }
                _ => return false,
            }
        }
        true
    }
    match term.kind() {
        NExp::Cast(ty, inner) => {
            ty.signed
                && ty.bits >= 32
                && inner.ty().is_some_and(|from| from.bits == ty.bits)
                && is_small(inner, ty.bits)
        }
        _ => false,
    }
}

/// A constant, or a coordinate or extent of the launch.
fn counted(term: &N) -> bool {
    match term.kind() {
        NExp::Num(_) => true,
        NExp::Var(var) => of_launch(var).is_some(),
        NExp::Cast(_, inner) => counted(inner),
        _ => false,
    }
}

/// Is there something in the term that is not of the launch?
pub fn rests_on_more(term: &N) -> bool {
    let mut counted = false;
    super::subterms_n(term, &mut |part| counted |= is_count(part));
    counted || super::free_vars_n(term).iter().any(|v| of_launch(v).is_none())
}

/// Is this what a counter of atomic operations holds? There are as many of them as the program makes.
fn is_count(term: &N) -> bool {
    let NExp::Call(fun, _) = term.kind() else { return false };
    matches!(fun.kind, FunKind::Ticket(Ticket { order: Order::Up | Order::Total, .. }))
}

/// What a variable of the launch is: a coordinate or extent of a thread in its block, or of a block in the grid; and its axis.
fn of_launch(var: &Var) -> Option<(bool, char)> {
    let (what, axis) = var.name.as_str().split_once('.')?;
    let thread = match what {
        "threadIdx" | "blockDim" => true,
        "blockIdx" | "gridDim" => false,
        _ => return None,
    };
    Some((thread, axis.chars().next()?))
}

/// A product of what the launch is made of: its factor, and the axes that it has.
type Product = (i128, Vec<(bool, char)>);

/// Is the term at most a small multiple of the number of threads of the launch? It
/// is a sum of few products that have no axis twice, in a type that is not narrow.
fn counts_threads(term: &N) -> bool {
    const FEW: i128 = 16;
    fn products(term: &N) -> Option<Vec<Product>> {
        let narrow = |ty: &IntTy| ty.bits != 0 && ty.bits < 32;
        let all = match term.kind() {
            NExp::Cast(ty, _) | NExp::Bin(_, ty, ..) if narrow(ty) => return None,
            NExp::Num(n) if *n >= 0 => vec![(*n, Vec::new())],
            NExp::Var(var) => vec![(1, vec![of_launch(var)?])],
            NExp::Cast(_, inner) => products(inner)?,
            NExp::Bin(NBin::Add, _, l, r) => [products(l)?, products(r)?].concat(),
            // A quotient is at most what the products of its dividend are divided by it, each rounded up; a rest is at most the dividend.
            NExp::Bin(NBin::Div, _, l, r) => {
                let by = r.as_num().filter(|by| *by >= 1)?;
                products(l)?
                    .into_iter()
                    .map(|(factor, axes)| (factor / by + i128::from(factor % by > 0), axes))
                    .collect()
            }
            NExp::Bin(NBin::Shr, _, l, r) if r.as_num().is_some_and(|by| by >= 0) => products(l)?,
            NExp::Bin(NBin::Rem | NBin::And, _, l, r) if r.as_num().is_some_and(|by| by >= 1) => products(l)?,
            NExp::Bin(NBin::Mul, _, l, r) => {
                let (left, right) = (products(l)?, products(r)?);
                let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
                let product = |((a, l), (b, r)): (&Product, &Product)| {
                    let alone = !l.iter().any(|axis| r.contains(axis));
                    alone.then_some(())?;
                    Some((a.checked_mul(*b)?, [l.as_slice(), r].concat()))
                };
                pairs.map(product).collect::<Option<_>>()?
            }
            _ => return None,
        };
        (all.len() <= FEW as usize).then_some(all)
    }
    products(term).is_some_and(|all| {
        let factors = all.iter().try_fold(0i128, |sum, (factor, _)| sum.checked_add(*factor));
        factors.is_some_and(|sum| sum <= FEW)
    })
}

/// Is this a term that C lets wrap around, and that may do so where arrays have ordinary sizes?
pub fn may_wrap_for_small_sizes(term: &N) -> bool {
    !signed_arithmetic(term) && !needs_large_sizes(term)
}

/// What is assumed of a term that is taken not to wrap around.
pub fn assumption(term: &N) -> String {
    if signed_arithmetic(term) {
        format!("no signed overflow in `{term}`")
    } else {
        format!("no wrap-around in `{term}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term of 200 products of the one before with itself has 2^200 leaves, and 400 parts.
    #[test]
    fn each_part_of_a_term_is_looked_at_once() {
        let squares = |name: &str, ty: IntTy| {
            let t = N::var(&Var::new(name, ty));
            (0..200).fold(t.clone(), |z, _| N::bin(NBin::Add, ty, &N::bin(NBin::Mul, ty, &z, &z), &t))
        };
        assert!(goes_up(&squares("n", IntTy::U32)));
        assert!(needs_large_sizes(&squares("n", IntTy::U32)));
        assert!(!needs_large_sizes(&squares("n", IntTy::I32)));
        // Powers of a coordinate are no small multiple of the number of threads.
        assert!(!needs_large_sizes(&squares("threadIdx.x", IntTy::U32)));
        assert!(needs_large_sizes(&N::cast(IntTy::I32, &squares("n", IntTy::U32))));
    }
}
