//! The kernel language: typed, names resolved, conversions explicit, control structured.
//!
//! An expression denotes a place (an lvalue) or a value; [`ExprKind::Load`] is the only way from a place to its value, so
//! every read of memory is visible. Evaluation order is left to right.

use std::collections::BTreeMap;

use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::{IntTy, NBin, NRel};

use super::types::Type;

/// A variable of a function: parameters first, then locals, by position in [`Function::vars`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// A variable of the translation unit, by position in [`Program::globals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

/// A function, by position in [`Program::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunId(pub u32);

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// In the registers or local memory of one thread.
    Private,
    /// One per block.
    Shared,
    /// One per device.
    Global,
    /// Read-only for kernels.
    Constant,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Name,
    pub ty: Type,
    pub storage: Storage,
    /// Where what a pointer points to lives, for the parameters of kernels.
    pub points_to: Storage,
    /// Is it a parameter that is `__restrict__`?
    pub restrict: bool,
    /// Does the launch say how much shared memory this has: `extern __shared__ T x[]`? All of these are one.
    pub of_launch: bool,
    /// How long the dimensions of an array are, where the type does not say it of all of them: from the outermost one.
    pub lengths: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub decl: VarDecl,
    /// The value of a constant with an initialiser that folds.
    pub init: Option<Expr>,
    /// Has it any initialiser?
    pub initialised: bool,
    /// Numbers that the host copies there before the kernel is launched, by their places in bytes.
    pub filled: BTreeMap<u64, i128>,
    /// Are these the numbers of its initialiser?
    pub is_kept: bool,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    /// Parameters, then the other variables.
    pub vars: Vec<VarDecl>,
    pub params: usize,
    pub returns: Type,
    /// `None`: only declared.
    pub body: Option<Vec<Stmt>>,
    pub span: Span,
}

/// A kernel and everything that it calls.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    /// Of instances of one template whose types are the same here, the first: they may be one function, with one set of
    /// variables in shared memory.
    pub first_of: BTreeMap<FunId, FunId>,
    pub globals: Vec<Global>,
    /// Are there numbers of half precision of both kinds, which are one type here?
    pub two_halves: bool,
    /// What the source is taken to mean where it does not say. [INF-USUAL]
    pub granted: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

/// A thread or launch coordinate; axes 0, 1, 2 are x, y, z.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    ThreadIdx(u8),
    BlockIdx(u8),
    BlockDim(u8),
    GridDim(u8),
    WarpSize,
    /// The number of a thread in its block, the first axis being the fastest.
    LinearThread,
    /// Threads of a block.
    BlockSize,
    /// The number of a block in the grid, in 64 bits.
    LinearBlock,
    /// Blocks of the grid, in 64 bits.
    GridSize,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    // Places.
    Var(VarId),
    Global(GlobalId),
    /// The place that a pointer value points to.
    Deref(Box<Expr>),
    /// A part of a place, at a constant byte offset.
    Member(Box<Expr>, u64, Name),
    /// A part of a place that is an array, by index.
    Element(Box<Expr>, Box<Expr>),
    /// A value put into a temporary, so that it can be a place.
    Temporary(Box<Expr>),

    // Values.
    Int(i128),
    /// The text of a floating-point or string constant: equal texts are equal values.
    Constant(Name),
    Builtin(Builtin),
    Function(FunId),
    /// The value of a place (for a place of array type: the address of its first element, without a read).
    Load(Box<Expr>),
    AddressOf(Box<Expr>),
    /// Integer arithmetic in the type given; pointer and floating-point arithmetic have their own forms.
    Arith(NBin, IntTy, Box<Expr>, Box<Expr>),
    /// A comparison of two integers, pointers or booleans.
    Compare(NRel, Box<Expr>, Box<Expr>),
    /// An operator on values that are not modelled: the result is a function of the operands.
    Opaque(Name, Vec<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to the type of this expression.
    Convert(Box<Expr>),
    /// A pointer moved by a number of elements of its type.
    Offset(Box<Expr>, Box<Expr>),
    /// The number of elements between two pointers.
    Distance(Box<Expr>, Box<Expr>),
    /// Stores the second into the first; the value is what is stored. Where a place is wanted, it is the first.
    Assign(Box<Expr>, Box<Expr>),
    /// Reads the place, combines (the hole is [`ExprKind::Hole`]), stores; the value is the new one, or the old one when
    /// `old`. Where a place is wanted, it is the one that was stored to, unless `old`.
    Update {
        place: Box<Expr>,
        value: Box<Expr>,
        old: bool,
    },
    /// Within an `Update`: the old value of its place.
    Hole,
    Call(FunId, Vec<Expr>),
    /// A call through a value, and the functions that it may mean where that is not known: those whose address is taken.
    CallValue(Box<Expr>, Vec<Expr>, Vec<FunId>),
    /// A call of something that is not defined here.
    CallUnknown(Name, Vec<Expr>),
    /// A known operation of the language or its library.
    Intrinsic(Intrinsic, Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// A value of structure or array type, part by part: byte offset and value; what is not listed is zero.
    Aggregate(Vec<(u64, Expr)>),
    /// What was not understood.
    Unknown(Unknown),
}

/// A construct that was not understood, and is accounted for as lost.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub code: &'static str,
    pub text: String,
}

/// Who makes a copy: the thread that begins it; or for each part of it some thread of its tile or block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Copier {
    Thread,
    Tile(u32),
    Block,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// First argument: the address. The others are operands. Name of the operation; scope of the atomicity.
    Atomic(Name, Scope),
    /// A barrier; arguments: the mask, for warp scope.
    Barrier(Scope),
    /// A barrier of the block whose effect on memory is left to the compiler.
    BareBarrier,
    /// A barrier of the block that has a number, its argument.
    NumberedBarrier,
    /// The two halves of a barrier of a cluster: what comes before the one is ordered with what comes after the other.
    Arrive(Scope),
    Wait(Scope),
    /// A block barrier that orders only the memory that its argument names, by the flags of OpenCL C.
    FencedBarrier,
    /// A block barrier that also combines a predicate over the block: the result is uniform.
    BarrierReduce(Name),
    /// Holds for every thread that gets here, from here on.
    Assume,
    /// To be proved; used as a fact after it.
    Assert,
    /// Copies bytes: destination, source, length.
    MemCopy,
    /// Sets bytes: destination, value, length.
    MemSet,
    /// A function of its arguments that touches no memory; the result is in the range given.
    Pure(Name, Option<(i128, i128)>),
    /// Reads and writes what its first argument points to (random number states), with a value that is not modelled.
    TouchReadWrite(Name),
    /// Writes through each pointer argument (`sincosf`, `frexp`).
    WritesPointers(Name),
    /// The value depends on other threads (shuffles, votes, clocks, textures): unknown.
    Havoc(Name),
    /// What the threads of a part of the block make together, the same for all of them: the number of the part, operands.
    Together(Name),
    Min(IntTy),
    Max(IntTy),
    /// Reads through a pointer (`__ldg`).
    ReadThrough,
    /// Writes (or reads) an element of a surface: the value (for a write), the surface, and so many coordinates.
    Surface {
        write: bool,
        coordinates: u8,
    },
    /// Begins a copy in the background: destination, source, bytes, and of these how many are read where that may be fewer.
    BeginCopy(Copier),
    /// The same, to be complete when all threads have passed a barrier: destination, source, bytes, and the barrier.
    BeginCopyUntil(Copier),
    /// What this thread has begun to copy since the last of these is a batch.
    CloseBatch,
    /// Waits for the batches of this thread, but for so many of the last ones.
    WaitForBatches,
    /// Makes a barrier in memory, for a number of threads: its address, and the number.
    MakeBarrier,
    /// Arrives at such a barrier, and waits for the others: its address.
    PassBarrier,
    /// The two halves of that.
    ArriveAt,
    WaitAt,
    /// The number that a place in shared memory has there; and the place of such a number.
    SharedAddress,
    FromSharedAddress,
    /// Copies in the background, on behalf of the block: destination, source, number of elements, event. The event.
    GroupCopy,
    /// Waits for such copies: the number of events, and where they are.
    WaitForCopies,
    /// Orders the accesses of the thread before it and after it, as others see them, at least those of this scope.
    Fence(Scope),
    /// A barrier of some threads of a warp or block.
    PartBarrier,
    /// A block has so many threads, for which a function of a library is made.
    BlockOf(u32),
    /// Nothing at all (printf, annotations without effect here).
    Nothing,
    /// Ends the thread.
    Trap,
    /// Annotations about two threads: `e1 == e2`, `e1 != e2` for the threads of a pair, and `other(e)`.
    UniformInt,
    DistinctInt,
    OtherInt,
    /// Is this thread active (always true where it is evaluated).
    Enabled,
    Implies,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Expr(Expr),
    /// Starts the life of a variable, with its initial value.
    Declare(VarId, Option<Expr>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `before`, then forever: leave when `cond` is false (checked first unless `post_test`), body, `step`.
    Loop(Loop),
    Switch(Expr, Vec<Case>),
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    /// Goes on at a label that comes later in a statement list around this.
    Goto(Name),
    Label(Name),
    Unknown(Unknown),
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub cond: Option<Expr>,
    pub body: Vec<Stmt>,
    pub step: Option<Expr>,
    /// `do body while (cond)`.
    pub post_test: bool,
}

/// The statements from one label of a switch to the next; control falls through.
#[derive(Clone, Debug)]
pub struct Case {
    /// `None` is the default.
    pub labels: Vec<Option<Expr>>,
    pub body: Vec<Stmt>,
}

impl Expr {
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    pub fn unknown(code: &'static str, text: impl Into<String>, ty: Type, span: Span) -> Expr {
        Expr::new(ExprKind::Unknown(Unknown { code, text: text.into() }), ty, span)
    }
}
