//! Functions as code for a stack machine: a thread can stop at a barrier anywhere, also deep within a call.

use rustc_hash::FxHashMap;

use super::exchange::{Exchange, What, combine, what};
use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::{IntTy, NBin, NRel};
use crate::kernel::ir::{
    Builtin, Case, Copier, Expr, ExprKind, FunId, Function, GlobalId, Intrinsic, Loop, Stmt, StmtKind, Storage, VarId,
};
use crate::kernel::types::{Type, is_group_of_threads};

/// An operation. Operands are taken from the stack, the last one first.
#[derive(Clone, Debug)]
pub enum Op {
    Int(i128),
    Float(f64),
    Builtin(Builtin),
    Function(FunId),
    /// Addresses.
    Var(VarId),
    Global(GlobalId),
    /// Starts the life of a variable.
    Declare(VarId),
    /// A value into an object of its own: its address.
    Temporary(Type),
    Load(Type),
    /// Takes the address, then the value, which stays.
    Store(Type),
    /// The same, but the address stays.
    StorePlace(Type),
    Member(u64),
    /// Address and index of an array with so many elements of that size; may it be the one past the end?
    Element(u64, Option<u64>, bool),
    Offset(u64),
    Distance(u64),
    Arith(NBin, IntTy),
    Least(IntTy),
    Greatest(IntTy),
    Compare(NRel),
    Not,
    Opaque(Name, usize, Type),
    Pure(Name, usize, Type),
    /// A fetch from a texture, with so many operands.
    Texel(usize, Type),
    Convert(Type, Type),
    Aggregate(Vec<(u64, Type)>, u64),
    Duplicate,
    Pop,
    /// The value on the stack is that of holes, until `EndHole`.
    Hole,
    PushHole,
    /// Stores the value at the address below it; leaves the new value or, for `old`, that of the hole.
    Update(Type, bool),
    /// Stores the value at the address below it; leaves the address.
    UpdatePlace(Type),
    Jump(usize),
    JumpIfNot(usize),
    JumpIf(usize),
    Call(FunId, usize),
    CallValue(Vec<Type>),
    /// Ends a call; with a value or without.
    Return(bool),
    Barrier(Scope),
    /// Of all lanes of a warp, or it cannot be run.
    MaskedBarrier(Scope, i128),
    /// Of the memory that its flags name.
    FencedBarrier,
    BarrierReduce(Name),
    /// With so many operands.
    Exchange(Exchange, usize),
    Atomic(Name, Scope, Type, usize),
    MemCopy,
    /// A copy in the background; does it say how many bytes are read?
    BeginCopy(Copier, bool),
    BeginCopyUntil(Copier),
    MakeBarrier,
    PassBarrier,
    CloseBatch,
    WaitForBatches,
    SharedAddress,
    FromSharedAddress,
    MemSet,
    /// Accesses are not logged: annotations.
    Quiet(bool),
    Assume,
    /// Reads and writes a place of that type, whose value is then not known: the address.
    Disturb(Type),
    /// Stores what a function gives through pointers, by name, operands, and what they point to.
    Outputs(Name, Vec<Option<Type>>),
    Trap,
    /// A value that is not known.
    Unknown(String),
    Unsupported(String),
}

/// The code of one function, and where each operation comes from.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
}

/// Where `break` and `continue` go; places to be filled in.
#[derive(Default)]
struct Exits {
    breaks: Vec<usize>,
    /// `None` in a switch: they belong to the loop around it.
    continues: Option<Vec<usize>>,
}

struct Compiler<'p> {
    code: Code,
    function: &'p Function,
    exits: Vec<Exits>,
    labels: FxHashMap<Name, usize>,
    gotos: Vec<(usize, Name)>,
}

/// The code of a function; of one without a body, that it is not supported.
pub fn compile(function: &Function) -> Code {
    let mut c = Compiler {
        code: Code::default(),
        function,
        exits: Vec::new(),
        labels: FxHashMap::default(),
        gotos: Vec::new(),
    };
    match &function.body {
        Some(body) => {
            c.stmts(body);
            c.emit(Op::Return(false), function.span);
            for (at, label) in std::mem::take(&mut c.gotos) {
                match c.labels.get(&label) {
                    Some(target) => c.patch(at, *target),
                    None => c.replace(at, Op::Unsupported(format!("goto {label}"))),
                }
            }
        }
        None => {
            let text = format!("`{}` has no definition", function.name);
            c.emit(Op::Unsupported(text), function.span);
        }
    }
    c.code
}

fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Deref(_)
        | ExprKind::Member(..)
        | ExprKind::Element(..)
        | ExprKind::Temporary(_) => true,
        ExprKind::Choose(_, t, e) => is_place(t) && is_place(e),
        ExprKind::Comma(_, last) => is_place(last),
        _ => false,
    }
}

/// The type of what is stored for a type: a reference is an address, and a group of threads, which says nothing that its type
/// does not say, a number.
pub(super) fn stored(ty: &Type) -> Type {
    match ty {
        Type::Ref(inner) => Type::Ptr(inner.clone()),
        ty if is_group(ty) => Type::Int(IntTy::U64),
        other => other.clone(),
    }
}

fn is_group(ty: &Type) -> bool {
    matches!(ty, Type::Unknown(name) if is_group_of_threads(name))
}

/// The threads of a tile, by its type: `thread_block_tile<16>`.
fn tile(group: &Type) -> Option<u32> {
    let Type::Unknown(name) = group.value() else { return None };
    let lanes = name.split("thread_block_tile<").nth(1)?.split('>').next()?.parse().ok()?;
    (1..=1024u32).contains(&lanes).then_some(lanes).filter(|n| n.is_power_of_two())
}

impl Compiler<'_> {
    fn emit(&mut self, op: Op, span: Span) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(span);
        self.code.ops.len() - 1
    }

    fn here(&self) -> usize {
        self.code.ops.len()
    }

    fn replace(&mut self, at: usize, op: Op) {
        if let Some(place) = self.code.ops.get_mut(at) {
            *place = op;
        }
    }

    /// Lets a jump go to a place.
    fn patch(&mut self, at: usize, target: usize) {
        if let Some(Op::Jump(to) | Op::JumpIf(to) | Op::JumpIfNot(to)) = self.code.ops.get_mut(at) {
            *to = target;
        }
    }

    fn patch_here(&mut self, at: usize) {
        let target = self.here();
        self.patch(at, target);
    }

    // ---- statements ----

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Declare(var, init) => {
                let Some(decl) = self.function.vars.get(var.0 as usize) else {
                    self.emit(Op::Unsupported("a variable that is not declared".to_owned()), span);
                    return;
                };
                if decl.storage == Storage::Shared {
                    return;
                }
                if let Some(init) = init {
                    self.value(init);
                }
                self.emit(Op::Declare(*var), span);
                if init.is_some() {
                    self.emit(Op::Var(*var), span);
                    self.emit(Op::Store(stored(&decl.ty)), span);
                    self.emit(Op::Pop, span);
                }
            }
            StmtKind::If(cond, then, els) => {
                self.value(cond);
                let over = self.emit(Op::JumpIfNot(0), span);
                self.stmts(then);
                if els.is_empty() {
                    return self.patch_here(over);
                }
                let end = self.emit(Op::Jump(0), span);
                self.patch_here(over);
                self.stmts(els);
                self.patch_here(end);
            }
            StmtKind::Loop(the_loop) => self.run_loop(the_loop, span),
            StmtKind::Switch(value, cases) => self.switch(value, cases, span),
            StmtKind::Break => {
                let at = self.emit(Op::Jump(0), span);
                match self.exits.last_mut() {
                    Some(exits) => exits.breaks.push(at),
                    None => self.replace(at, Op::Unsupported("break".to_owned())),
                }
            }
            StmtKind::Continue => {
                let at = self.emit(Op::Jump(0), span);
                match self.exits.iter_mut().rev().find_map(|e| e.continues.as_mut()) {
                    Some(continues) => continues.push(at),
                    None => self.replace(at, Op::Unsupported("continue".to_owned())),
                }
            }
            StmtKind::Return(value) => {
                let gives = self.function.returns != Type::Void;
                if let Some(value) = value {
                    self.value(value);
                    if !gives {
                        self.emit(Op::Pop, span);
                    }
                }
                self.emit(Op::Return(gives && value.is_some()), span);
            }
            StmtKind::Block(inner) => self.stmts(inner),
            StmtKind::Goto(label) => {
                let at = self.emit(Op::Jump(0), span);
                self.gotos.push((at, label.clone()));
            }
            StmtKind::Label(label) => {
                let here = self.here();
                self.labels.insert(label.clone(), here);
            }
            StmtKind::Unknown(unknown) => {
                self.emit(Op::Unsupported(unknown.text.clone()), span);
            }
        }
    }

    fn run_loop(&mut self, the_loop: &Loop, span: Span) {
        let start = self.here();
        let mut leave = None;
        let cond = |c: &mut Self| {
            the_loop.cond.as_ref().map(|cond| {
                c.value(cond);
                c.emit(Op::JumpIfNot(0), span)
            })
        };
        if !the_loop.post_test {
            leave = cond(self);
        }
        self.exits.push(Exits { breaks: Vec::new(), continues: Some(Vec::new()) });
        self.stmts(&the_loop.body);
        let exits = self.exits.pop().unwrap_or_default();
        exits.continues.into_iter().flatten().for_each(|at| self.patch_here(at));
        if let Some(step) = &the_loop.step {
            self.effect(step);
        }
        if the_loop.post_test {
            leave = cond(self);
        }
        self.emit(Op::Jump(start), span);
        exits.breaks.into_iter().chain(leave).for_each(|at| self.patch_here(at));
    }

    fn switch(&mut self, value: &Expr, cases: &[Case], span: Span) {
        self.value(value);
        let mut entries: Vec<(usize, usize)> = Vec::new();
        let mut default = None;
        for (i, case) in cases.iter().enumerate() {
            for label in &case.labels {
                match label {
                    Some(label) => {
                        self.emit(Op::Duplicate, span);
                        self.value(label);
                        self.emit(Op::Compare(NRel::Eq), span);
                        entries.push((self.emit(Op::JumpIf(0), span), i));
                    }
                    None => default = Some(i),
                }
            }
        }
        let otherwise = self.emit(Op::Jump(0), span);
        self.exits.push(Exits { breaks: Vec::new(), continues: None });
        let mut through = None;
        let mut starts = Vec::new();
        for case in cases {
            // Whoever jumps to a case still has the value on the stack; whoever falls through has not.
            starts.push(self.here());
            self.emit(Op::Pop, span);
            if let Some(at) = through {
                self.patch_here(at);
            }
            self.stmts(&case.body);
            through = Some(self.emit(Op::Jump(0), span));
        }
        let over = self.emit(Op::Jump(0), span);
        let none = self.here();
        self.emit(Op::Pop, span);
        for (at, case) in entries {
            self.patch(at, starts.get(case).copied().unwrap_or(none));
        }
        self.patch(otherwise, default.and_then(|i| starts.get(i).copied()).unwrap_or(none));
        let exits = self.exits.pop().unwrap_or_default();
        exits.breaks.into_iter().chain(through).chain([over]).for_each(|at| self.patch_here(at));
    }

    // ---- expressions ----

    /// An expression whose value nobody uses: a place is not read.
    fn effect(&mut self, expr: &Expr) {
        if is_place(expr) && !matches!(expr.kind, ExprKind::Temporary(_) | ExprKind::Choose(..) | ExprKind::Comma(..)) {
            self.place(expr);
        } else {
            self.value(expr);
        }
        self.emit(Op::Pop, expr.span);
    }

    /// The value of an expression; of one of type `void` too there is something on the stack.
    fn value(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::Element(..)
            | ExprKind::Temporary(_) => {
                self.place(expr);
                self.load(expr.ty.value(), span);
            }
            ExprKind::Int(value) => {
                self.emit(Op::Int(*value), span);
            }
            ExprKind::Constant(text) => {
                let op = match (text.as_str().parse::<f64>(), &expr.ty) {
                    (_, ty) if is_group(ty) => Op::Int(0),
                    (Ok(value), Type::Float(4)) => Op::Float(f64::from(value as f32)),
                    (Ok(value), Type::Float(_)) => Op::Float(value),
                    _ => Op::Unknown("a constant that is not a number".to_owned()),
                };
                self.emit(op, span);
            }
            ExprKind::Builtin(builtin) => {
                self.emit(Op::Builtin(*builtin), span);
            }
            ExprKind::Function(id) => {
                self.emit(Op::Function(*id), span);
            }
            ExprKind::Load(place) => {
                self.place(place);
                match &place.ty {
                    Type::Ref(_) => self.load(&expr.ty, span),
                    Type::Array(..) => {}
                    ty => self.load(ty, span),
                }
            }
            ExprKind::AddressOf(place) => self.place_up_to(place, true),
            ExprKind::Arith(op, ty, l, r) => self.two(l, r, Op::Arith(*op, *ty), span),
            ExprKind::Compare(op, l, r) => self.two(l, r, Op::Compare(*op), span),
            ExprKind::Opaque(name, args) => {
                args.iter().for_each(|a| self.value(a));
                self.emit(Op::Opaque(name.clone(), args.len(), expr.ty.clone()), span);
            }
            ExprKind::And(l, r) => self.junction(l, r, Op::JumpIfNot(0), 0, span),
            ExprKind::Or(l, r) => self.junction(l, r, Op::JumpIf(0), 1, span),
            ExprKind::Not(inner) => {
                self.value(inner);
                self.emit(Op::Not, span);
            }
            ExprKind::Choose(cond, t, e) => self.choose(cond, t, e, Self::value, span),
            ExprKind::Convert(inner) => {
                self.value(inner);
                self.emit(Op::Convert(stored(inner.ty.value()), stored(&expr.ty)), span);
            }
            ExprKind::Offset(pointer, by) => {
                let op = match expr.ty.element() {
                    Some(elem) if !elem.has_unknown_size() => Op::Offset(elem.size()),
                    _ => Op::Unsupported("elements of unknown size".to_owned()),
                };
                self.two(pointer, by, op, span);
            }
            ExprKind::Distance(l, r) => {
                let op = match l.ty.element() {
                    Some(elem) if !elem.has_unknown_size() && elem.size() > 0 => Op::Distance(elem.size()),
                    _ => Op::Unsupported("elements of unknown size".to_owned()),
                };
                self.two(l, r, op, span);
            }
            ExprKind::Assign(place, value) => {
                self.value(value);
                self.place(place);
                self.emit(Op::Store(stored(expr.ty.value())), span);
            }
            ExprKind::Update { place, value, old } => {
                self.update(place, value, expr);
                self.emit(Op::Update(expr.ty.value().clone(), *old), span);
            }
            ExprKind::Hole => {
                self.emit(Op::Hole, span);
            }
            ExprKind::Call(id, args) => {
                args.iter().for_each(|a| self.value(a));
                self.emit(Op::Call(*id, args.len()), span);
            }
            ExprKind::CallValue(target, args, _) => {
                self.value(target);
                args.iter().for_each(|a| self.value(a));
                self.emit(Op::CallValue(args.iter().map(|a| stored(&a.ty)).collect()), span);
            }
            ExprKind::CallUnknown(name, _) => {
                self.emit(Op::Unsupported(format!("`{name}` has no definition")), span);
            }
            ExprKind::Intrinsic(intrinsic, args) => self.intrinsic(intrinsic, args, expr),
            ExprKind::Comma(l, r) => {
                self.effect(l);
                self.value(r);
            }
            ExprKind::Aggregate(parts) => {
                if expr.ty.has_unknown_size() {
                    self.emit(Op::Unsupported("a class of unknown size".to_owned()), span);
                    return;
                }
                parts.iter().for_each(|(_, part)| self.value(part));
                let parts = parts.iter().map(|(at, part)| (*at, stored(&part.ty))).collect();
                self.emit(Op::Aggregate(parts, expr.ty.size()), span);
            }
            ExprKind::Unknown(unknown) => {
                self.emit(Op::Unsupported(unknown.text.clone()), span);
            }
        }
    }

    fn load(&mut self, ty: &Type, span: Span) {
        self.emit(Op::Load(stored(ty)), span);
    }

    fn two(&mut self, l: &Expr, r: &Expr, op: Op, span: Span) {
        self.value(l);
        self.value(r);
        self.emit(op, span);
    }

    /// `&&` and `||`: the first operand decides with `decided`, or the second is the result.
    fn junction(&mut self, l: &Expr, r: &Expr, jump: Op, decided: i128, span: Span) {
        self.value(l);
        let over = self.emit(jump, span);
        self.value(r);
        self.emit(Op::Convert(r.ty.value().clone(), Type::BOOL), span);
        let end = self.emit(Op::Jump(0), span);
        self.patch_here(over);
        self.emit(Op::Int(decided), span);
        self.patch_here(end);
    }

    fn choose(&mut self, cond: &Expr, t: &Expr, e: &Expr, each: fn(&mut Self, &Expr), span: Span) {
        self.value(cond);
        let over = self.emit(Op::JumpIfNot(0), span);
        each(self, t);
        let end = self.emit(Op::Jump(0), span);
        self.patch_here(over);
        each(self, e);
        self.patch_here(end);
    }

    /// The address of what is changed, and its new value; the old one is in the hole.
    fn update(&mut self, place: &Expr, value: &Expr, expr: &Expr) {
        self.place(place);
        self.emit(Op::Duplicate, place.span);
        self.load(expr.ty.value(), place.span);
        self.emit(Op::PushHole, expr.span);
        self.value(value);
    }

    /// The address of a place.
    fn place(&mut self, expr: &Expr) {
        self.place_up_to(expr, false);
    }

    /// One past the end of an array is a place too where only its address is taken.
    fn place_up_to(&mut self, expr: &Expr, end: bool) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => {
                self.emit(Op::Var(*var), span);
            }
            ExprKind::Global(global) => {
                self.emit(Op::Global(*global), span);
            }
            ExprKind::Deref(pointer) => self.value(pointer),
            ExprKind::Member(object, offset, _) => {
                self.place(object);
                self.emit(Op::Member(*offset), span);
            }
            ExprKind::Element(array, index) => {
                self.place_up_to(array, end);
                self.value(index);
                let length = match array.ty.value() {
                    Type::Array(_, length) => length.filter(|n| *n > 0),
                    _ => None,
                };
                let op = if expr.ty.has_unknown_size() {
                    Op::Unsupported("elements of unknown size".to_owned())
                } else {
                    Op::Element(expr.ty.size(), length, end)
                };
                self.emit(op, span);
            }
            ExprKind::Temporary(value) => {
                self.value(value);
                self.emit(Op::Temporary(stored(&expr.ty)), span);
            }
            ExprKind::Choose(cond, t, e) => self.choose(cond, t, e, Self::place, span),
            ExprKind::Comma(l, r) => {
                self.effect(l);
                self.place(r);
            }
            ExprKind::Assign(place, value) => {
                self.value(value);
                self.place(place);
                self.emit(Op::StorePlace(stored(expr.ty.value())), span);
            }
            ExprKind::Update { place, value, old: false } => {
                self.update(place, value, expr);
                self.emit(Op::UpdatePlace(expr.ty.value().clone()), span);
            }
            _ => {
                self.value(expr);
                self.emit(Op::Temporary(stored(&expr.ty)), span);
            }
        }
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[Expr], expr: &Expr) {
        let span = expr.span;
        let result = expr.ty.clone();
        let unsupported = |what: &dyn std::fmt::Display| Op::Unsupported(format!("`{what}`"));
        let op = match intrinsic {
            Intrinsic::FencedBarrier => match args {
                [flags] => {
                    self.value(flags);
                    self.emit(Op::FencedBarrier, span);
                    Op::Int(0)
                }
                _ => unsupported(&"barrier"),
            },
            Intrinsic::BeginCopy(copier) => {
                args.iter().for_each(|a| self.value(a));
                match args.len() {
                    3 | 4 => Op::BeginCopy(*copier, args.len() == 4),
                    _ => unsupported(&"copy"),
                }
            }
            Intrinsic::BeginCopyUntil(copier) => {
                args.iter().for_each(|a| self.value(a));
                if args.len() == 4 { Op::BeginCopyUntil(*copier) } else { unsupported(&"copy") }
            }
            Intrinsic::MakeBarrier | Intrinsic::PassBarrier => {
                args.iter().for_each(|a| self.value(a));
                match (intrinsic, args.len()) {
                    (Intrinsic::MakeBarrier, 2) => Op::MakeBarrier,
                    (Intrinsic::PassBarrier, 1) => Op::PassBarrier,
                    _ => unsupported(&"barrier"),
                }
            }
            Intrinsic::CloseBatch => Op::CloseBatch,
            Intrinsic::WaitForBatches | Intrinsic::SharedAddress | Intrinsic::FromSharedAddress => match args.first() {
                Some(arg) => {
                    self.value(arg);
                    match intrinsic {
                        Intrinsic::WaitForBatches => Op::WaitForBatches,
                        Intrinsic::SharedAddress => Op::SharedAddress,
                        _ => Op::FromSharedAddress,
                    }
                }
                None => unsupported(&"nothing to wait for"),
            },
            Intrinsic::GroupCopy | Intrinsic::WaitForCopies => unsupported(&"copy of a work-group"),
            Intrinsic::Atomic(name, scope) => {
                args.iter().for_each(|a| self.value(a));
                Op::Atomic(name.clone(), *scope, result, args.len())
            }
            // Of barriers with several numbers not all threads need to wait at the same one.
            Intrinsic::NumberedBarrier => unsupported(&"barrier with a number"),
            Intrinsic::BareBarrier => {
                self.emit(Op::Barrier(Scope::Block), span);
                Op::Int(0)
            }
            Intrinsic::Barrier(scope) => {
                let barrier = match args.first().map(|mask| &mask.kind) {
                    Some(ExprKind::Int(mask)) => Op::MaskedBarrier(*scope, *mask),
                    Some(_) => unsupported(&"barrier with a mask"),
                    None => Op::Barrier(*scope),
                };
                self.emit(barrier, span);
                Op::Int(0)
            }
            Intrinsic::BarrierReduce(name) => match args.first() {
                Some(arg) => {
                    self.value(arg);
                    Op::BarrierReduce(name.clone())
                }
                None => unsupported(name),
            },
            Intrinsic::Assume => match args.first() {
                Some(arg) => {
                    self.emit(Op::Quiet(true), span);
                    self.value(arg);
                    self.emit(Op::Assume, span);
                    Op::Int(1)
                }
                None => Op::Int(1),
            },
            Intrinsic::Assert
            | Intrinsic::BlockOf(_)
            | Intrinsic::Nothing
            | Intrinsic::Fence(_)
            | Intrinsic::PartBarrier
            | Intrinsic::Enabled => Op::Int(1),
            Intrinsic::MemCopy | Intrinsic::MemSet => {
                args.iter().for_each(|a| self.value(a));
                match (intrinsic, args.len()) {
                    (Intrinsic::MemCopy, 3) => Op::MemCopy,
                    (_, 3) => Op::MemSet,
                    _ => unsupported(&"copy"),
                }
            }
            Intrinsic::Pure(name, _) => {
                args.iter().for_each(|a| self.value(a));
                Op::Pure(name.clone(), args.len(), result)
            }
            Intrinsic::Havoc(name) if name.as_str() == "printf" || name.as_str() == "assert" => {
                // The format is a string, which is no value here.
                for arg in args.iter().filter(|a| !matches!(a.kind, ExprKind::Constant(_))) {
                    self.value(arg);
                    self.emit(Op::Pop, span);
                }
                Op::Int(0)
            }
            Intrinsic::Min(ty) | Intrinsic::Max(ty) => match args {
                [l, r] => {
                    self.value(l);
                    self.value(r);
                    if matches!(intrinsic, Intrinsic::Min(_)) { Op::Least(*ty) } else { Op::Greatest(*ty) }
                }
                _ => unsupported(&"min"),
            },
            Intrinsic::ReadThrough => match args.first() {
                Some(arg) => {
                    self.value(arg);
                    Op::Load(result)
                }
                None => unsupported(&"read"),
            },
            Intrinsic::Trap => Op::Trap,
            Intrinsic::Implies => match args {
                [l, r] => {
                    self.value(l);
                    self.emit(Op::Not, span);
                    let over = self.emit(Op::JumpIf(0), span);
                    self.value(r);
                    let end = self.emit(Op::Jump(0), span);
                    self.patch_here(over);
                    self.emit(Op::Int(1), span);
                    self.patch_here(end);
                    return;
                }
                _ => unsupported(&"implies"),
            },
            Intrinsic::Havoc(name) if name.as_str().starts_with("tex") && !result.has_unknown_size() => {
                for arg in args {
                    match global_in(arg) {
                        // A texture by its name.
                        Some(global) if arg.ty.has_unknown_size() => {
                            self.emit(Op::Int(i128::from(global.0)), span);
                        }
                        _ => self.value(arg),
                    }
                }
                Op::Texel(args.len(), result)
            }
            Intrinsic::Havoc(name) => self.exchange(name, args, &result),
            Intrinsic::Together(name) => self.exchange(name, args.get(1..).unwrap_or(&[]), &result),
            Intrinsic::TouchReadWrite(name) => match args {
                [state, rest @ ..] if !is_generator_of_block(state) => {
                    rest.iter().for_each(|arg| self.effect(arg));
                    self.value(state);
                    let ty = state.ty.element().cloned().unwrap_or(Type::INT);
                    self.emit(Op::Disturb(ty), span);
                    self.emit(Op::Pop, span);
                    Op::Unknown(format!("`{name}`"))
                }
                _ => unsupported(name),
            },
            Intrinsic::WritesPointers(name) => {
                args.iter().for_each(|a| self.value(a));
                Op::Outputs(name.clone(), args.iter().map(|a| a.ty.element().cloned()).collect())
            }
            Intrinsic::Surface { .. } => unsupported(&"surface"),
            Intrinsic::ArriveAt | Intrinsic::WaitAt => unsupported(&"a half of a barrier"),
            Intrinsic::Arrive(_) | Intrinsic::Wait(_) => unsupported(&"barrier in two halves"),
            Intrinsic::UniformInt | Intrinsic::DistinctInt | Intrinsic::OtherInt => unsupported(&"annotation"),
        };
        self.emit(op, span);
    }

    /// What threads give each other, of a tile that is the first argument or by a mask; anything else is not known.
    fn exchange(&mut self, name: &Name, args: &[Expr], result: &Type) -> Op {
        let tile = args.first().and_then(|group| tile(&group.ty));
        let scans = matches!(name.as_str(), "reduce" | "inclusive_scan" | "exclusive_scan");
        let (known, operands) = match (name.as_str(), args, tile) {
            (_, [_, value, operation], Some(_)) if scans => {
                let by = operation_of(operation).and_then(|operation| combine(&operation));
                let known = match name.as_str() {
                    "reduce" => by.map(What::Reduce),
                    name => by.map(|by| What::Scan(by, name == "inclusive_scan")),
                };
                (known, std::slice::from_ref(value))
            }
            (name, [_, rest @ ..], Some(_)) => (what(name), rest),
            (name, args, None) if name.ends_with("_sync") => (what(name), args),
            _ => (None, args),
        };
        if let Some(what) = known {
            operands.iter().for_each(|a| self.value(a));
            return Op::Exchange(Exchange { what, tile, ty: result.clone() }, operands.len());
        }
        // An object that is an operation of a library is nothing that could be evaluated.
        args.iter().filter(|arg| operation_of(arg).is_none()).for_each(|arg| self.effect(arg));
        Op::Unknown(format!("`{name}`"))
    }
}

/// Is this the state of generators that a block shares?
fn is_generator_of_block(state: &Expr) -> bool {
    matches!(state.ty.element(), Some(Type::Struct(class)) if class.name.contains("Mtgp32"))
}

/// The name of an object of a library that combines two values: `plus<float>`.
fn operation_of(object: &Expr) -> Option<String> {
    match (&object.kind, &object.ty) {
        (ExprKind::CallUnknown(name, args), _) if args.is_empty() => Some(name.to_string()),
        (ExprKind::Convert(_), Type::Unknown(ty)) => Some(ty.to_string()),
        (ExprKind::Load(inner), _) => operation_of(inner),
        _ => None,
    }
}

/// The variable of the unit that is read.
fn global_in(expr: &Expr) -> Option<GlobalId> {
    match &expr.kind {
        ExprKind::Global(id) => Some(*id),
        ExprKind::Load(inner) => global_in(inner),
        _ => None,
    }
}
