//! Numeric and boolean expressions, `n` and `b` of \[MAP\] Fig. 2, over the integers of C.
//!
//! A term is shared and immutable. Terms are hash-consed per thread, so that equal terms are nearly always the same
//! allocation, comparing them is cheap, and a term that is a graph is never walked as a tree. The smart constructors of
//! [`super::build`] are the only way to make one.

use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::base::Name;

/// The type of an integer: a width in bits and a sign. Width 0 means a mathematical integer, which never wraps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct IntTy {
    pub bits: u8,
    pub signed: bool,
}

impl IntTy {
    pub const MATH: IntTy = IntTy { bits: 0, signed: true };
    pub const BOOL: IntTy = IntTy { bits: 1, signed: false };
    /// Stands for values that are not integers (floating-point numbers, versions of memory): only whether two are
    /// equal has a meaning.
    pub const OPAQUE: IntTy = IntTy { bits: 88, signed: false };
    pub const I8: IntTy = IntTy { bits: 8, signed: true };
    pub const U8: IntTy = IntTy { bits: 8, signed: false };
    pub const I16: IntTy = IntTy { bits: 16, signed: true };
    pub const U16: IntTy = IntTy { bits: 16, signed: false };
    pub const I32: IntTy = IntTy { bits: 32, signed: true };
    pub const U32: IntTy = IntTy { bits: 32, signed: false };
    pub const I64: IntTy = IntTy { bits: 64, signed: true };
    pub const U64: IntTy = IntTy { bits: 64, signed: false };

    /// The least value, or `None` for mathematical integers.
    pub fn min(self) -> Option<i128> {
        match (self.bits, self.signed) {
            (0, _) => None,
            (_, false) => Some(0),
            (bits, true) => Some(-(1i128 << (bits - 1))),
        }
    }

    /// The greatest value, or `None` for mathematical integers.
    pub fn max(self) -> Option<i128> {
        match (self.bits, self.signed) {
            (0, _) => None,
            (bits, false) => Some((1i128 << bits) - 1),
            (bits, true) => Some((1i128 << (bits - 1)) - 1),
        }
    }

    /// The value of this type that is congruent to `value` modulo 2^bits (C's conversion).
    pub fn wrap(self, value: i128) -> i128 {
        if self.bits == 0 {
            return value;
        }
        let period = 1i128 << self.bits;
        let low = value.rem_euclid(period);
        if self.signed && low >= period / 2 { low - period } else { low }
    }

    pub fn contains(self, value: i128) -> bool {
        self.wrap(value) == value
    }
}

/// A variable with the type of its values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var {
    pub name: Name,
    pub ty: IntTy,
}

impl Var {
    pub fn new(name: impl Into<Name>, ty: IntTy) -> Var {
        Var { name: name.into(), ty }
    }
}

/// What is known of an uninterpreted function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FunKind {
    /// Part of the input of the kernel: for any table of values there is an input that has it.
    Input,
    /// Stands for a value that the analysis does not model: not every table of values need be possible.
    Abstract,
    /// The same, of which something is known: the result of an atomic operation.
    Ticket(Ticket),
}

/// What an atomic operation gives, the old content of a cell, in a time in which the cell is changed by operations of this
/// order only. The arguments of the function: the operand, what identifies the cell and that time, the thread, and others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ticket {
    pub order: Order,
    /// How many arguments identify the cell and the time.
    pub cell: u8,
    /// How many arguments identify the thread.
    pub thread: u8,
    /// Do three more follow: whether the operation is made (not 0), and the least and the greatest value of the result?
    pub bounded: bool,
}

/// How the contents of a cell go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Order {
    /// By adding operands that are not negative.
    Up,
    /// By subtracting operands that are not negative.
    Down,
    /// By storing the operand, always the same one.
    Swap,
    /// By replacing the operand, when that is the content, by something that no operation replaces.
    Compare,
    /// What is there at the end of a time in which it went up: the result of no operation, and of no thread.
    Total,
}

/// An uninterpreted function of integers: equal arguments give equal results, and nothing else is known.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fun {
    pub name: Name,
    /// The type of its results.
    pub ty: IntTy,
    pub kind: FunKind,
}

/// A binary operator on integers. `Div` and `Rem` truncate towards zero; `Shr` is arithmetic for signed types.
/// Division by zero gives 0, remainder by zero gives the dividend; a shift count outside `0..bits` shifts everything out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NBin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
}

/// A comparison of the (mathematical) values of two terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NRel {
    Eq,
    Ne,
    Lt,
    Le,
}

/// A numeric expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NExp {
    Num(i128),
    Var(Var),
    /// The operands are converted to the type, and the result wraps to it.
    Bin(NBin, IntTy, N, N),
    If(B, N, N),
    /// Conversion to a type, modulo 2^bits.
    Cast(IntTy, N),
    Call(Fun, Vec<N>),
}

/// A boolean expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BExp {
    Lit(bool),
    Rel(NRel, N, N),
    And(Vec<B>),
    Or(Vec<B>),
    Not(B),
}

macro_rules! shared_term {
    ($handle:ident, $kind:ident, $table:ident) => {
        #[doc = concat!("A shared, immutable [`", stringify!($kind), "`].")]
        #[derive(Clone)]
        pub struct $handle(Arc<Node<$kind>>);

        impl $handle {
            pub(super) fn make(kind: $kind) -> $handle {
                work(kind.width());
                let mut hasher = FxHasher::default();
                kind.hash(&mut hasher);
                let hash = hasher.finish();
                $table.with_borrow_mut(|table| {
                    let bucket = table.entry(hash).or_default();
                    if let Some(found) = bucket.iter().find(|t: &&$handle| t.0.kind == kind) {
                        return found.clone();
                    }
                    let depth = kind.children_depth().saturating_add(1);
                    let ty = kind.own_type();
                    let made = $handle(Arc::new(Node { hash, depth, ty, kind }));
                    bucket.push(made.clone());
                    made
                })
            }

            pub fn kind(&self) -> &$kind {
                &self.0.kind
            }

            /// The height of the term; a leaf has height 1.
            pub fn depth(&self) -> u32 {
                self.0.depth
            }

            /// Identifies the allocation: equal addresses mean equal terms, as a key for memo tables that live no longer
            /// than the term.
            pub fn address(&self) -> usize {
                Arc::as_ptr(&self.0) as usize
            }
        }

        impl PartialEq for $handle {
            fn eq(&self, other: &$handle) -> bool {
                Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.kind == other.0.kind)
            }
        }

        impl Eq for $handle {}

        impl Hash for $handle {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write_u64(self.0.hash);
            }
        }

        impl std::fmt::Debug for $handle {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

struct Node<T> {
    hash: u64,
    depth: u32,
    ty: Option<IntTy>,
    kind: T,
}

thread_local! {
    static NUMERIC: RefCell<FxHashMap<u64, SmallVec<[N; 1]>>> = RefCell::default();
    static BOOLEAN: RefCell<FxHashMap<u64, SmallVec<[B; 1]>>> = RefCell::default();
    static WORK: Cell<u64> = const { Cell::new(0) };
}

/// Counts terms that are made or visited.
pub(crate) fn work(terms: u64) {
    WORK.set(WORK.get().saturating_add(terms));
}

/// How many terms this thread has made or visited so far: a measure of time that is the same in each run.
pub fn work_done() -> u64 {
    WORK.get()
}

shared_term!(N, NExp, NUMERIC);
shared_term!(B, BExp, BOOLEAN);

impl N {
    /// The type that all values of this term have, when its constructor says so.
    pub fn ty(&self) -> Option<IntTy> {
        self.0.ty
    }
}

impl NExp {
    fn children_depth(&self) -> u32 {
        match self {
            NExp::Num(_) | NExp::Var(_) => 0,
            NExp::Bin(_, _, l, r) => l.depth().max(r.depth()),
            NExp::If(c, t, e) => c.depth().max(t.depth()).max(e.depth()),
            NExp::Cast(_, n) => n.depth(),
            NExp::Call(_, args) => args.iter().map(N::depth).max().unwrap_or(0),
        }
    }
}

impl NExp {
    /// What it takes to make or visit it.
    fn width(&self) -> u64 {
        match self {
            NExp::Call(_, args) => 1 + args.len() as u64,
            _ => 1,
        }
    }

    fn own_type(&self) -> Option<IntTy> {
        match self {
            NExp::Num(_) => None,
            NExp::Var(var) => Some(var.ty),
            NExp::Bin(_, ty, _, _) | NExp::Cast(ty, _) => Some(*ty),
            NExp::If(_, t, e) => t.ty().filter(|ty| e.ty() == Some(*ty)),
            NExp::Call(fun, _) => Some(fun.ty),
        }
    }
}

impl BExp {
    fn width(&self) -> u64 {
        match self {
            BExp::And(parts) | BExp::Or(parts) => 1 + parts.len() as u64,
            _ => 1,
        }
    }

    fn own_type(&self) -> Option<IntTy> {
        Some(IntTy::BOOL)
    }

    fn children_depth(&self) -> u32 {
        match self {
            BExp::Lit(_) => 0,
            BExp::Rel(_, l, r) => l.depth().max(r.depth()),
            BExp::And(parts) | BExp::Or(parts) => parts.iter().map(B::depth).max().unwrap_or(0),
            BExp::Not(b) => b.depth(),
        }
    }
}

/// Forgets the terms made on this thread so far; those still in use stay valid. Called between kernels, so that the
/// tables do not grow for ever.
pub fn clear_term_tables() {
    NUMERIC.with_borrow_mut(FxHashMap::clear);
    BOOLEAN.with_borrow_mut(FxHashMap::clear);
}
