//! Two-thread race queries of the shapes that real kernels have, each with a racy twin. Prints, for each solver, what it
//! decides and how long it takes; checks that no answer is wrong, and that z3 decides nearly all.

use std::ops::{Add, BitAnd, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use faial_like::exp::{B, Fun, FunKind, IntTy, Interval, N, NBin, Var};
use faial_like::smt::{Answer, Query, Session, SolverConfig, locate};

/// A C expression: a term and its type.
#[derive(Clone)]
struct E(N, IntTy);

fn usual(a: &E, b: &E) -> IntTy {
    if a.1.bits == b.1.bits {
        IntTy { bits: a.1.bits, signed: a.1.signed && b.1.signed }
    } else if a.1.bits > b.1.bits {
        a.1
    } else {
        b.1
    }
}

fn arith(op: NBin, a: E, b: E) -> E {
    let ty = if matches!(op, NBin::Shl | NBin::Shr) { a.1 } else { usual(&a, &b) };
    E(N::bin(op, ty, &a.0, &b.0), ty)
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl $trait<E> for E { type Output = E; fn $method(self, b: E) -> E { arith(NBin::$op, self, b) } }
        impl $trait<&E> for &E { type Output = E; fn $method(self, b: &E) -> E { arith(NBin::$op, self.clone(), b.clone()) } }
        impl $trait<E> for &E { type Output = E; fn $method(self, b: E) -> E { arith(NBin::$op, self.clone(), b) } }
        impl $trait<&E> for E { type Output = E; fn $method(self, b: &E) -> E { arith(NBin::$op, self, b.clone()) } }
        impl $trait<i128> for E { type Output = E; fn $method(self, b: i128) -> E { arith(NBin::$op, self, c(b)) } }
        impl $trait<i128> for &E { type Output = E; fn $method(self, b: i128) -> E { arith(NBin::$op, self.clone(), c(b)) } }
    )*};
}
operators!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem, BitAnd bitand And, BitXor bitxor Xor, Shl shl Shl, Shr shr Shr);

/// An `int` constant.
fn c(value: i128) -> E {
    E(N::num(value), IntTy::I32)
}

impl E {
    fn convert(&self, other: &E) -> (N, N) {
        let ty = usual(self, other);
        (N::cast(ty, &self.0), N::cast(ty, &other.0))
    }
    fn lt(&self, other: &E) -> B {
        let (a, b) = self.convert(other);
        a.lt(&b)
    }
    fn le(&self, other: &E) -> B {
        let (a, b) = self.convert(other);
        a.le(&b)
    }
    fn eq(&self, other: &E) -> B {
        let (a, b) = self.convert(other);
        a.eq(&b)
    }
    fn int(&self) -> E {
        E(N::cast(IntTy::I32, &self.0), IntTy::I32)
    }
    fn long(&self) -> E {
        E(N::cast(IntTy::I64, &self.0), IntTy::I64)
    }
}

/// The variables of a query.
#[derive(Default)]
struct Vars(Vec<(Var, Interval)>);

impl Vars {
    fn add(&mut self, name: &str, ty: IntTy, lo: i128, hi: i128) -> E {
        let var = Var::new(name, ty);
        let term = E(N::var(&var), ty);
        self.0.push((var, Interval::new(lo, hi)));
        term
    }
    fn int(&mut self, name: &str) -> E {
        self.add(name, IntTy::I32, -(1 << 31), (1 << 31) - 1)
    }
    fn uint(&mut self, name: &str, lo: i128, hi: i128) -> E {
        self.add(name, IntTy::U32, lo, hi)
    }
}

/// What both threads see.
struct Launch {
    bd: [E; 2],
    gd: [E; 2],
    n: E,
    w: E,
    h: E,
    s: E,
}

/// What a thread has for itself: coordinates and loop variables.
struct Thread {
    t: [E; 2],
    b: [E; 2],
    k: E,
    j: E,
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    /// Different threads of one block.
    Block,
    /// Threads of different blocks.
    Grid,
}

type Access = fn(&Launch, &Thread) -> (E, B);

/// The query for two accesses by different threads.
fn race(level: Level, dims: Option<[i128; 2]>, first: Access, second: Access) -> Query {
    let mut vars = Vars::default();
    let launch = Launch {
        bd: match dims {
            Some([x, y]) => [vars.uint("blockDim.x", x, x), vars.uint("blockDim.y", y, y)],
            None => [vars.uint("blockDim.x", 1, 1024), vars.uint("blockDim.y", 1, 1024)],
        },
        gd: [vars.uint("gridDim.x", 1, (1 << 31) - 1), vars.uint("gridDim.y", 1, 65535)],
        n: vars.int("n"),
        w: vars.int("w"),
        h: vars.int("h"),
        s: vars.int("s"),
    };
    let mut asserts = Vec::new();
    let mut thread = |i: usize, vars: &mut Vars| {
        let name = |stem: &str| format!("{stem}${i}");
        let thread = Thread {
            t: [vars.uint(&name("threadIdx.x"), 0, 1023), vars.uint(&name("threadIdx.y"), 0, 1023)],
            b: [vars.uint(&name("blockIdx.x"), 0, (1 << 31) - 2), vars.uint(&name("blockIdx.y"), 0, 65534)],
            k: vars.int(&name("k")),
            j: vars.int(&name("j")),
        };
        for d in 0..2 {
            asserts.push(thread.t[d].lt(&launch.bd[d]));
            asserts.push(thread.b[d].lt(&launch.gd[d]));
        }
        thread
    };
    let (one, two) = (thread(1, &mut vars), thread(2, &mut vars));
    let same = |a: &[E; 2], b: &[E; 2]| B::and([a[0].eq(&b[0]), a[1].eq(&b[1])]);
    match level {
        Level::Block => {
            asserts.push(same(&one.b, &two.b));
            asserts.push(B::not(&same(&one.t, &two.t)));
        }
        Level::Grid => asserts.push(B::not(&same(&one.b, &two.b))),
    }
    let ((i, guard), (j, other_guard)) = (first(&launch, &one), second(&launch, &two));
    asserts.extend([guard, other_guard, i.eq(&j)]);
    Query::new(vars.0, asserts)
}

fn all(parts: &[B]) -> B {
    B::and(parts.iter().cloned())
}

fn yes() -> B {
    B::lit(true)
}

/// `blockIdx.d * blockDim.d + threadIdx.d`, as an `int`.
fn global(l: &Launch, t: &Thread, d: usize) -> E {
    (&t.b[d] * &l.bd[d] + &t.t[d]).int()
}

fn row_major(l: &Launch, t: &Thread) -> (E, B) {
    (t.t[1].int() * &l.w + t.t[0].int(), t.t[0].int().lt(&l.w))
}

fn row_major_global(l: &Launch, t: &Thread) -> (E, B) {
    let (x, y) = (global(l, t, 0), global(l, t, 1));
    (&y * &l.w + &x, all(&[x.lt(&l.w), y.lt(&l.h)]))
}

fn transposed_global(l: &Launch, t: &Thread) -> (E, B) {
    let (x, y) = (global(l, t, 0), global(l, t, 1));
    (&x * &l.h + &y, all(&[x.lt(&l.w), y.lt(&l.h)]))
}

fn grid_stride(l: &Launch, t: &Thread) -> (E, B) {
    // for (i = id; i < n; i += blockDim.x * gridDim.x), as id + k * stride with k >= 0.
    let stride = (&l.bd[0] * &l.gd[0]).int();
    let i = global(l, t, 0) + &t.k * &stride;
    (i.clone(), all(&[c(0).le(&t.k), i.lt(&l.n), t.b[1].eq(&c(0)), t.t[1].eq(&c(0))]))
}

fn one_row(t: &Thread) -> B {
    all(&[t.b[1].eq(&c(0)), t.t[1].eq(&c(0))])
}

fn power_of_two(l: &Launch) -> (E, B) {
    let k = &l.s;
    (c(1) << k.clone(), all(&[c(0).le(k), k.lt(&c(10))]))
}

struct Case {
    name: &'static str,
    racy: bool,
    query: Query,
}

fn cases() -> Vec<Case> {
    use Level::{Block, Grid};
    let mut cases = Vec::new();
    let mut add = |name, racy, query| cases.push(Case { name, racy, query });
    let d1 = Some([256, 1]);

    add("row-major, guarded", false, race(Block, None, row_major, row_major));
    add(
        "row-major, unguarded",
        true,
        race(Block, None, |l, t| (row_major(l, t).0, yes()), |l, t| (row_major(l, t).0, yes())),
    );
    add("row-major, global", false, race(Grid, None, row_major_global, row_major_global));
    add("row-major, global, in a block", false, race(Block, None, row_major_global, row_major_global));
    add(
        "row-major, global, wrong width",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (&y * &l.h + &x, row_major_global(l, t).1)
            },
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (&y * &l.h + &x, row_major_global(l, t).1)
            },
        ),
    );
    add(
        "row-major, 64 bits",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (y.long() * l.w.long() + x.long(), row_major_global(l, t).1)
            },
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (y.long() * l.w.long() + x.long(), row_major_global(l, t).1)
            },
        ),
    );
    add(
        "global index",
        false,
        race(
            Grid,
            None,
            |l, t| (global(l, t, 0), all(&[one_row(t), global(l, t, 0).lt(&l.n)])),
            |l, t| (global(l, t, 0), all(&[one_row(t), global(l, t, 0).lt(&l.n)])),
        ),
    );
    add(
        "global index, constant block",
        false,
        race(
            Grid,
            d1,
            |l, t| (global(l, t, 0), all(&[one_row(t), global(l, t, 0).lt(&l.n)])),
            |l, t| (global(l, t, 0), all(&[one_row(t), global(l, t, 0).lt(&l.n)])),
        ),
    );
    add(
        "global index, constant block, too small a factor",
        true,
        race(
            Grid,
            d1,
            |_, t| ((&t.b[0] * 255 + &t.t[0]).int(), one_row(t)),
            |_, t| ((&t.b[0] * 255 + &t.t[0]).int(), one_row(t)),
        ),
    );
    add("grid-stride", false, race(Grid, None, grid_stride, grid_stride));
    add("grid-stride, in a block", false, race(Block, None, grid_stride, grid_stride));
    add("grid-stride, constant block", false, race(Grid, d1, grid_stride, grid_stride));
    add(
        "grid-stride, stride of a block",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let i = global(l, t, 0) + &t.k * l.bd[0].int();
                (i.clone(), all(&[c(0).le(&t.k), i.lt(&l.n), one_row(t)]))
            },
            |l, t| {
                let i = global(l, t, 0) + &t.k * l.bd[0].int();
                (i.clone(), all(&[c(0).le(&t.k), i.lt(&l.n), one_row(t)]))
            },
        ),
    );
    add(
        "block-cyclic",
        false,
        race(
            Grid,
            None,
            |l, t| {
                (
                    (&t.k * l.gd[0].int() + t.b[0].int()) * l.bd[0].int() + t.t[0].int(),
                    all(&[c(0).le(&t.k), one_row(t)]),
                )
            },
            |l, t| {
                (
                    (&t.k * l.gd[0].int() + t.b[0].int()) * l.bd[0].int() + t.t[0].int(),
                    all(&[c(0).le(&t.k), one_row(t)]),
                )
            },
        ),
    );
    add(
        "tile of 16 x 16",
        false,
        race(Block, Some([16, 16]), |_, t| (&t.t[1] * 16 + &t.t[0], yes()), |_, t| (&t.t[1] * 16 + &t.t[0], yes())),
    );
    add(
        "tile of 16 x 16, rows of 15",
        true,
        race(Block, Some([16, 16]), |_, t| (&t.t[1] * 15 + &t.t[0], yes()), |_, t| (&t.t[1] * 15 + &t.t[0], yes())),
    );
    add(
        "tile of the block",
        false,
        race(Block, None, |l, t| (&t.t[1] * &l.bd[0] + &t.t[0], yes()), |l, t| (&t.t[1] * &l.bd[0] + &t.t[0], yes())),
    );
    add(
        "tile of the block, padded",
        false,
        race(
            Block,
            None,
            |l, t| (&t.t[1] * (&l.bd[0] + 1) + &t.t[0], yes()),
            |l, t| (&t.t[1] * (&l.bd[0] + 1) + &t.t[0], yes()),
        ),
    );
    add(
        "tile of the block, rows too short",
        true,
        race(
            Block,
            None,
            |l, t| (&t.t[1] * (&l.bd[0] - 1) + &t.t[0], yes()),
            |l, t| (&t.t[1] * (&l.bd[0] - 1) + &t.t[0], yes()),
        ),
    );
    add(
        "tile in a matrix, symbolic tile",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let x = global(l, t, 0);
                ((&t.b[1] * &l.bd[1] + &t.t[1]).int() * &l.w + &x, x.lt(&l.w))
            },
            |l, t| {
                let x = global(l, t, 0);
                ((&t.b[1] * &l.bd[1] + &t.t[1]).int() * &l.w + &x, x.lt(&l.w))
            },
        ),
    );
    add("transpose", false, race(Grid, None, transposed_global, transposed_global));
    add(
        "transpose, wrong height",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (&x * &l.w + &y, transposed_global(l, t).1)
            },
            |l, t| {
                let (x, y) = (global(l, t, 0), global(l, t, 1));
                (&x * &l.w + &y, transposed_global(l, t).1)
            },
        ),
    );
    fn sdk_transpose(step: i128, l: &Launch, t: &Thread) -> (E, B) {
        let x = t.b[1].int() * 32 + t.t[0].int();
        let y = t.b[0].int() * 32 + t.t[1].int() + &t.k * step;
        ((&y * &l.w + &x), all(&[c(0).le(&t.k), t.k.lt(&c(4)), x.lt(&l.w), y.lt(&l.h)]))
    }
    add(
        "transpose by tiles of 32 x 8",
        false,
        race(Grid, Some([32, 8]), |l, t| sdk_transpose(8, l, t), |l, t| sdk_transpose(8, l, t)),
    );
    add(
        "transpose by tiles of 32 x 8, in a block",
        false,
        race(Block, Some([32, 8]), |l, t| sdk_transpose(8, l, t), |l, t| sdk_transpose(8, l, t)),
    );
    add(
        "transpose by tiles of 32 x 8, step 7",
        true,
        race(Block, Some([32, 8]), |l, t| sdk_transpose(7, l, t), |l, t| sdk_transpose(7, l, t)),
    );
    fn split(l: &Launch, t: &Thread) -> (E, E, B) {
        let i = global(l, t, 0);
        let guard = all(&[one_row(t), c(1).le(&l.w), c(1).le(&l.h), i.lt(&(&l.w * &l.h)), c(0).le(&i)]);
        (&i % &l.w, &i / &l.w, guard)
    }
    add(
        "quotient and remainder put together",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y, g) = split(l, t);
                (&y * &l.w + &x, g)
            },
            |l, t| {
                let (x, y, g) = split(l, t);
                (&y * &l.w + &x, g)
            },
        ),
    );
    add(
        "quotient and remainder, transposed",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y, g) = split(l, t);
                (&x * &l.h + &y, g)
            },
            |l, t| {
                let (x, y, g) = split(l, t);
                (&x * &l.h + &y, g)
            },
        ),
    );
    add(
        "quotient and remainder, transposed wrongly",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let (x, y, g) = split(l, t);
                (&x * &l.w + &y, g)
            },
            |l, t| {
                let (x, y, g) = split(l, t);
                (&x * &l.w + &y, g)
            },
        ),
    );
    add(
        "quotient only",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let (_, y, g) = split(l, t);
                (y, g)
            },
            |l, t| {
                let (_, y, g) = split(l, t);
                (y, g)
            },
        ),
    );
    fn halving(l: &Launch, t: &Thread) -> B {
        all(&[t.t[0].int().lt(&l.s), c(1).le(&l.s), one_row(t)])
    }
    add(
        "reduction by halves",
        false,
        race(Block, None, |l, t| (t.t[0].int(), halving(l, t)), |l, t| (t.t[0].int() + &l.s, halving(l, t))),
    );
    add(
        "reduction by halves, without guard",
        true,
        race(
            Block,
            None,
            |_, t| (t.t[0].int(), one_row(t)),
            |l, t| (t.t[0].int() + &l.s, all(&[one_row(t), c(1).le(&l.s)])),
        ),
    );
    add(
        "reduction by halves, s = blockDim >> k",
        false,
        race(
            Block,
            None,
            |l, t| {
                let s = &l.bd[0] >> l.s.clone();
                (t.t[0].clone(), all(&[c(1).le(&l.s), l.s.lt(&c(11)), t.t[0].lt(&s), one_row(t)]))
            },
            |l, t| {
                let s = &l.bd[0] >> l.s.clone();
                (&t.t[0] + &s, all(&[t.t[0].lt(&s), one_row(t)]))
            },
        ),
    );
    add(
        "reduction, 2 * s * tid",
        false,
        race(
            Block,
            None,
            |l, t| {
                let i = &l.s * 2 * t.t[0].int();
                (i.clone(), all(&[c(1).le(&l.s), i.lt(&l.bd[0].int()), one_row(t)]))
            },
            |l, t| {
                let i = &l.s * 2 * t.t[0].int();
                (&i + &l.s, all(&[i.lt(&l.bd[0].int()), one_row(t)]))
            },
        ),
    );
    add(
        "reduction, s * tid",
        true,
        race(
            Block,
            None,
            |l, t| {
                let i = &l.s * t.t[0].int();
                (i.clone(), all(&[c(1).le(&l.s), i.lt(&l.bd[0].int()), one_row(t)]))
            },
            |l, t| {
                let i = &l.s * t.t[0].int();
                (&i + &l.s, all(&[i.lt(&l.bd[0].int()), one_row(t)]))
            },
        ),
    );
    add(
        "reduction, tid % (2 * s)",
        false,
        race(
            Block,
            None,
            |l, t| {
                (
                    t.t[0].int(),
                    all(&[c(1).le(&l.s), l.s.lt(&c(1024)), (t.t[0].int() % (&l.s * 2)).eq(&c(0)), one_row(t)]),
                )
            },
            |l, t| (t.t[0].int() + &l.s, all(&[(t.t[0].int() % (&l.s * 2)).eq(&c(0)), one_row(t)])),
        ),
    );
    add(
        "reduction, tid % s",
        true,
        race(
            Block,
            None,
            |l, t| (t.t[0].int(), all(&[c(1).le(&l.s), l.s.lt(&c(1024)), (t.t[0].int() % &l.s).eq(&c(0)), one_row(t)])),
            |l, t| (t.t[0].int() + &l.s, all(&[(t.t[0].int() % &l.s).eq(&c(0)), one_row(t)])),
        ),
    );
    add(
        "reduction, tid % (2 << k)",
        false,
        race(
            Block,
            None,
            |l, t| {
                let (s, g) = power_of_two(l);
                (t.t[0].int(), all(&[g, (t.t[0].int() % (&s * 2)).eq(&c(0)), one_row(t)]))
            },
            |l, t| {
                let (s, g) = power_of_two(l);
                (t.t[0].int() + &s, all(&[g, (t.t[0].int() % (&s * 2)).eq(&c(0)), one_row(t)]))
            },
        ),
    );
    add(
        "scan with two buffers",
        false,
        race(
            Block,
            None,
            |l, t| {
                (&l.w * &l.n + t.t[0].int(), all(&[c(0).le(&l.w), l.w.le(&c(1)), l.bd[0].int().le(&l.n), one_row(t)]))
            },
            |l, t| {
                ((c(1) - &l.w) * &l.n + t.t[0].int() - &l.s, all(&[c(1).le(&l.s), l.s.le(&t.t[0].int()), one_row(t)]))
            },
        ),
    );
    add(
        "scan in place",
        true,
        race(
            Block,
            None,
            |_, t| (t.t[0].int(), one_row(t)),
            |l, t| (t.t[0].int() - &l.s, all(&[c(1).le(&l.s), l.s.le(&t.t[0].int()), one_row(t)])),
        ),
    );
    add(
        "xor with a constant, writes",
        false,
        race(Block, d1, |_, t| (&t.t[0] ^ 16, yes()), |_, t| (&t.t[0] ^ 16, yes())),
    );
    add(
        "xor with a constant, write and read",
        true,
        race(Block, d1, |_, t| (t.t[0].clone(), yes()), |_, t| (&t.t[0] ^ 16, yes())),
    );
    fn bitonic(l: &Launch, t: &Thread) -> (E, B) {
        let (s, g) = power_of_two(l);
        let other = t.t[0].int() ^ s;
        (other.clone(), all(&[g, t.t[0].int().lt(&other)]))
    }
    add("bitonic sort", false, race(Block, Some([512, 1]), |l, t| (t.t[0].int(), bitonic(l, t).1), bitonic));
    add(
        "bitonic sort, without guard",
        true,
        race(Block, Some([512, 1]), |l, t| (t.t[0].int(), power_of_two(l).1), |l, t| (bitonic(l, t).0, yes())),
    );
    add(
        "warp and lane, rows of 33",
        false,
        race(
            Block,
            d1,
            |_, t| ((&t.t[0] >> 5) * 33 + (&t.t[0] & 31), yes()),
            |_, t| ((&t.t[0] >> 5) * 33 + (&t.t[0] & 31), yes()),
        ),
    );
    add(
        "warp and lane, rows of 31",
        true,
        race(
            Block,
            d1,
            |_, t| ((&t.t[0] >> 5) * 31 + (&t.t[0] & 31), yes()),
            |_, t| ((&t.t[0] >> 5) * 31 + (&t.t[0] & 31), yes()),
        ),
    );
    add("interleaved", false, race(Block, d1, |_, t| (&t.t[0] * 2, yes()), |_, t| (&t.t[0] * 2 + 1, yes())));
    add(
        "interleaved by too little",
        true,
        race(Block, d1, |_, t| (&t.t[0] * 2, yes()), |_, t| (&t.t[0] * 2 + 2, yes())),
    );
    add(
        "chunks",
        false,
        race(
            Block,
            None,
            |l, t| (t.t[0].int() * &l.w + &t.j, all(&[c(0).le(&t.j), t.j.lt(&l.w), one_row(t)])),
            |l, t| (t.t[0].int() * &l.w + &t.j, all(&[c(0).le(&t.j), t.j.lt(&l.w), one_row(t)])),
        ),
    );
    add(
        "chunks that overlap",
        true,
        race(
            Block,
            None,
            |l, t| (t.t[0].int() * &l.w + &t.j, all(&[c(0).le(&t.j), t.j.le(&l.w), one_row(t)])),
            |l, t| (t.t[0].int() * &l.w + &t.j, all(&[c(0).le(&t.j), t.j.le(&l.w), one_row(t)])),
        ),
    );
    fn volume(most: fn(&E, &E) -> B, l: &Launch, t: &Thread) -> (E, B) {
        let (x, y, z) = (t.t[0].int(), t.t[1].int(), &t.k);
        ((z * &l.h + &y) * &l.w + &x, all(&[most(&x, &l.w), y.lt(&l.h), c(0).le(z), t.b[0].int().eq(z)]))
    }
    add(
        "volume",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let (i, g) = volume(E::lt, l, t);
                (i, all(&[g, t.b[1].eq(&c(0))]))
            },
            |l, t| {
                let (i, g) = volume(E::lt, l, t);
                (i, all(&[g, t.b[1].eq(&c(0))]))
            },
        ),
    );
    add(
        "volume, expanded",
        false,
        race(
            Grid,
            None,
            |l, t| {
                let (_, g) = volume(E::lt, l, t);
                (&t.k * &l.w * &l.h + t.t[1].int() * &l.w + t.t[0].int(), all(&[g, t.b[1].eq(&c(0))]))
            },
            |l, t| {
                let (i, g) = volume(E::lt, l, t);
                (i, all(&[g, t.b[1].eq(&c(0))]))
            },
        ),
    );
    add(
        "volume, x <= w",
        true,
        race(
            Grid,
            None,
            |l, t| {
                let (i, g) = volume(E::le, l, t);
                (i, all(&[g, t.b[1].eq(&c(0))]))
            },
            |l, t| {
                let (i, g) = volume(E::le, l, t);
                (i, all(&[g, t.b[1].eq(&c(0))]))
            },
        ),
    );
    fn triangle(least: i128, t: &Thread) -> (E, B) {
        let i = t.t[0].int();
        (&i * (&i + 1) / 2 + &t.j, all(&[c(0).le(&t.j), t.j.le(&(&i + least)), one_row(t)]))
    }
    add("triangle", false, race(Block, None, |_, t| triangle(0, t), |_, t| triangle(0, t)));
    add("triangle that overlaps", true, race(Block, None, |_, t| triangle(1, t), |_, t| triangle(1, t)));
    fn loaded(at: &E) -> E {
        E(N::call(Fun { name: "idx".into(), ty: IntTy::I32, kind: FunKind::Input }, vec![at.0.clone()]), IntTy::I32)
    }
    add(
        "offset read from memory",
        false,
        race(
            Block,
            None,
            |l, t| (loaded(&l.n) + t.t[0].int(), one_row(t)),
            |l, t| (loaded(&l.n) + t.t[0].int(), one_row(t)),
        ),
    );
    add(
        "index read from memory",
        true,
        race(Block, None, |_, t| (loaded(&t.t[0].int()), one_row(t)), |_, t| (loaded(&t.t[0].int()), one_row(t))),
    );
    add(
        "reversed",
        false,
        race(Block, None, |l, t| (&l.n - 1 - t.t[0].int(), one_row(t)), |l, t| (&l.n - 1 - t.t[0].int(), one_row(t))),
    );
    add(
        "reversed and halved",
        true,
        race(
            Block,
            None,
            |l, t| (&l.n - 1 - t.t[0].int() / 2, one_row(t)),
            |l, t| (&l.n - 1 - t.t[0].int() / 2, one_row(t)),
        ),
    );
    add(
        "one to the left",
        false,
        race(
            Block,
            None,
            |_, t| ((&t.t[0] - 1).int(), all(&[c(0).lt(&t.t[0].int()), one_row(t)])),
            |_, t| ((&t.t[0] - 1).int(), all(&[c(0).lt(&t.t[0].int()), one_row(t)])),
        ),
    );
    add(
        "one to the left, read",
        true,
        race(Block, None, |_, t| (t.t[0].int(), one_row(t)), |_, t| ((&t.t[0] - 1).int(), one_row(t))),
    );
    add(
        "halo",
        false,
        race(
            Block,
            None,
            |l, t| (t.t[0].int() + &l.s, all(&[one_row(t), c(0).le(&l.s), l.s.le(&l.bd[0].int())])),
            |l, t| {
                let left = t.t[0].int();
                (left.clone(), all(&[left.lt(&l.s), one_row(t)]))
            },
        ),
    );
    add(
        "halo, right",
        false,
        race(
            Block,
            None,
            |l, t| (t.t[0].int() + &l.s, all(&[one_row(t), c(0).le(&l.s), l.s.le(&l.bd[0].int())])),
            |l, t| (t.t[0].int() + &l.s + l.bd[0].int(), all(&[t.t[0].int().lt(&l.s), one_row(t)])),
        ),
    );
    add(
        "halo, too wide",
        true,
        race(
            Block,
            None,
            |l, t| (t.t[0].int() + &l.s, all(&[one_row(t), c(0).le(&l.s), l.s.le(&l.bd[0].int())])),
            |l, t| {
                let left = t.t[0].int();
                (left.clone(), all(&[left.le(&l.s), one_row(t)]))
            },
        ),
    );
    add(
        "clamped",
        true,
        race(
            Block,
            None,
            |l, t| {
                (
                    E(N::bin(NBin::Min, IntTy::I32, &t.t[0].int().0, &(&l.n - 1).0), IntTy::I32),
                    all(&[one_row(t), c(1).le(&l.n)]),
                )
            },
            |l, t| (E(N::bin(NBin::Min, IntTy::I32, &t.t[0].int().0, &(&l.n - 1).0), IntTy::I32), one_row(t)),
        ),
    );
    add(
        "unsigned wrap-around",
        true,
        race(
            Grid,
            d1,
            |_, t| ((&t.b[0] * 256 + &t.t[0]) * 8, one_row(t)),
            |_, t| ((&t.b[0] * 256 + &t.t[0]) * 8, one_row(t)),
        ),
    );
    add(
        "mask of a power of two",
        false,
        race(
            Block,
            Some([512, 1]),
            |l, t| {
                let (s, g) = power_of_two(l);
                (t.t[0].int() & (&s * 2 - 1), all(&[g, t.t[0].int().lt(&(&s * 2))]))
            },
            |l, t| {
                let (s, _) = power_of_two(l);
                (t.t[0].int() & (&s * 2 - 1), t.t[0].int().lt(&(&s * 2)))
            },
        ),
    );
    add(
        "mask of a power of two, no guard",
        true,
        race(
            Block,
            Some([512, 1]),
            |l, t| {
                let (s, g) = power_of_two(l);
                (t.t[0].int() & (&s * 2 - 1), g)
            },
            |l, t| {
                let (s, _) = power_of_two(l);
                (t.t[0].int() & (&s * 2 - 1), yes())
            },
        ),
    );
    cases
}

fn solvers() -> Vec<PathBuf> {
    let installed = || format!("{}:z3:cvc5", std::env::var("FAIAL_SOLVER").unwrap_or_default());
    let named = std::env::var("FAIAL_TEST_SOLVERS").unwrap_or_else(|_| installed());
    let names = named.split(':').filter(|name| !name.is_empty());
    let found: Vec<PathBuf> =
        names.filter_map(|name| locate(Some(&PathBuf::from(name))).ok()).map(|l| l.path).collect();
    if found.is_empty() {
        println!("SKIPPED: no solver is installed");
    }
    found
}

fn flag(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

#[test]
fn race_queries_are_decided() {
    let limit = std::env::var("FAIAL_TEST_TIMEOUT").ok().and_then(|ms| ms.parse().ok()).unwrap_or(5000);
    let only = std::env::var("FAIAL_TEST_ONLY").ok();
    for solver in solvers() {
        let mut session = Session::new(SolverConfig {
            solver: Some(solver.clone()),
            timeout: Duration::from_millis(limit),
            products: !flag("FAIAL_TEST_NO_PRODUCTS"),
            recheck_overflow: flag("FAIAL_TEST_RECHECK"),
            keep_dir: std::env::var_os("FAIAL_TEST_KEEP").map(PathBuf::from),
            ..SolverConfig::default()
        });
        let (mut decided, mut total, mut assumed) = (0, 0, 0);
        let mut wrong = Vec::new();
        let start = Instant::now();
        for case in cases() {
            if only.as_ref().is_some_and(|only| case.name != only) {
                continue;
            }
            total += 1;
            let (at, before) = (Instant::now(), session.stats());
            let answer = session.check(&case.query);
            let took = at.elapsed().as_secs_f64() * 1000.0;
            let checks = session.stats().checks - before.checks;
            let said = match &answer {
                Answer::Sat(_) => "racy".to_string(),
                Answer::Unsat { assumptions } if assumptions.is_empty() => "safe".to_string(),
                Answer::Unsat { assumptions } => format!("safe, assuming {}", assumptions.join("; ")),
                Answer::Unknown(reason) => format!("unknown: {reason}"),
            };
            println!("{took:8.1} ms {checks:2} checks  {:50} {said}", case.name);
            match answer {
                Answer::Sat(model) => {
                    if !case.racy {
                        wrong.push(format!("{}: {model:?}", case.name));
                    }
                    decided += 1;
                }
                Answer::Unsat { assumptions } => {
                    if case.racy {
                        wrong.push(format!("{}: no solution", case.name));
                    }
                    assumed += u32::from(!assumptions.is_empty());
                    decided += 1;
                }
                Answer::Unknown(_) => {}
            }
        }
        println!(
            "{}: {decided} of {total} decided, {assumed} of them with assumptions, in {:.1} s; {:?}",
            solver.display(),
            start.elapsed().as_secs_f64(),
            session.stats()
        );
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(decided * 10 >= total * 9, "{} decides only {decided} of {total}", solver.display());
    }
}
