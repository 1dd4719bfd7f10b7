//! How the kernel language is written for people: close to C, with every conversion, read of memory and type shown.
//!
//! A name is followed by `.N` when another variable of its function has the same one. `*p` reads as a place;
//! `load(..)` is the read of a place that may be memory.

use std::fmt::Write;

use super::ir::{
    Builtin, Copier, Expr, ExprKind, FunId, Function, GlobalId, Intrinsic, Program, Stmt, StmtKind, Storage, VarDecl,
    VarId,
};
use crate::base::pretty::Printer;
use crate::exp::IntTy;

impl Program {
    /// The program as text: variables of the unit, then functions.
    pub fn text(&self) -> String {
        let mut p = Printer::new();
        for (i, global) in self.globals.iter().enumerate() {
            let name = self.global_name(GlobalId(i as u32));
            let init = global.init.as_ref().map_or(String::new(), |e| format!(" = {}", In::unit(self).expr(e)));
            p.line(format_args!("{}{name}: {}{init};", storage(&global.decl), global.decl.ty));
        }
        for function in &self.functions {
            let inside = In { program: self, function: Some(function) };
            let (params, locals) = function.vars.split_at(function.params);
            let each = params.iter().enumerate().map(|(i, v)| format!("{}: {}", inside.var(VarId(i as u32)), v.ty));
            let head = format!("fn {}({}) -> {}", function.name, each.collect::<Vec<_>>().join(", "), function.returns);
            let Some(body) = &function.body else {
                p.line(format_args!("{head};"));
                continue;
            };
            p.block(head, |p| {
                for (i, local) in locals.iter().enumerate().filter(|(_, v)| v.storage != Storage::Private) {
                    let name = inside.var(VarId((function.params + i) as u32));
                    p.line(format_args!("{}{name}: {};", storage(local), local.ty));
                }
                inside.stmts(p, body);
            });
        }
        p.finish()
    }

    fn global_name(&self, id: GlobalId) -> String {
        self.globals.get(id.0 as usize).map_or_else(|| format!("global {}", id.0), |g| g.decl.name.to_string())
    }

    fn function_name(&self, id: FunId) -> String {
        self.functions.get(id.0 as usize).map_or_else(|| format!("function {}", id.0), |f| f.name.to_string())
    }
}

fn storage(decl: &VarDecl) -> &'static str {
    match decl.storage {
        Storage::Private => "",
        Storage::Shared => "shared ",
        Storage::Global => "global ",
        Storage::Constant => "constant ",
    }
}

/// Where names are looked up.
struct In<'p> {
    program: &'p Program,
    function: Option<&'p Function>,
}

impl<'p> In<'p> {
    fn unit(program: &'p Program) -> In<'p> {
        In { program, function: None }
    }

    fn var(&self, id: VarId) -> String {
        let vars = self.function.map_or(&[][..], |f| &f.vars);
        match vars.get(id.0 as usize) {
            Some(decl) if vars.iter().filter(|v| v.name == decl.name).count() > 1 => format!("{}.{}", decl.name, id.0),
            Some(decl) => decl.name.to_string(),
            None => format!("variable {}", id.0),
        }
    }

    fn stmts(&self, p: &mut Printer, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(p, s));
    }

    fn stmt(&self, p: &mut Printer, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => p.line(format_args!("{};", self.expr(e))),
            StmtKind::Declare(var, init) => {
                let vars = self.function.map_or(&[][..], |f| &f.vars);
                let ty = vars.get(var.0 as usize).map_or(String::new(), |v| format!(": {}", v.ty));
                let init = init.as_ref().map_or(String::new(), |e| format!(" = {}", self.expr(e)));
                p.line(format_args!("let {}{ty}{init};", self.var(*var)));
            }
            StmtKind::If(cond, then, els) => {
                p.block(format_args!("if {}", self.expr(cond)), |p| self.stmts(p, then));
                if !els.is_empty() {
                    p.block("else", |p| self.stmts(p, els));
                }
            }
            StmtKind::Loop(l) => {
                let cond = l.cond.as_ref().map_or("true".to_owned(), |e| self.expr(e));
                let step = l.step.as_ref().map_or(String::new(), |e| format!(" step {}", self.expr(e)));
                let head = if l.post_test { format!("do while {cond}{step}") } else { format!("while {cond}{step}") };
                p.block(head, |p| self.stmts(p, &l.body));
            }
            StmtKind::Switch(value, cases) => p.block(format_args!("switch {}", self.expr(value)), |p| {
                for case in cases {
                    let labels = case.labels.iter().map(|l| match l {
                        Some(e) => format!("case {}", self.expr(e)),
                        None => "default".to_owned(),
                    });
                    p.block(labels.collect::<Vec<_>>().join(", "), |p| self.stmts(p, &case.body));
                }
            }),
            StmtKind::Break => p.line("break;"),
            StmtKind::Continue => p.line("continue;"),
            StmtKind::Return(None) => p.line("return;"),
            StmtKind::Return(Some(e)) => p.line(format_args!("return {};", self.expr(e))),
            StmtKind::Block(stmts) => p.block("do", |p| self.stmts(p, stmts)),
            StmtKind::Goto(label) => p.line(format_args!("goto {label};")),
            StmtKind::Label(label) => p.line(format_args!("{label}:")),
            StmtKind::Unknown(unknown) => p.line(format_args!("unknown {}: {};", unknown.code, unknown.text)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    /// An operand: in parentheses unless it is plain.
    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr.kind {
            ExprKind::Arith(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Choose(..)
            | ExprKind::Assign(..)
            | ExprKind::Update { .. }
            | ExprKind::Offset(..)
            | ExprKind::Distance(..)
            | ExprKind::Comma(..) => format!("({text})"),
            _ => text,
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        let both = |l: &Expr, op: &str, r: &Expr| format!("{} {op} {}", self.operand(l), self.operand(r));
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Global(id) => self.program.global_name(*id),
            ExprKind::Deref(pointer) => format!("*{}", self.operand(pointer)),
            ExprKind::Member(place, _, name) => format!("{}.{name}", self.operand(place)),
            ExprKind::Element(place, index) => format!("{}[{}]", self.operand(place), self.expr(index)),
            ExprKind::Temporary(value) => format!("temporary({})", self.expr(value)),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Constant(text) => text.to_string(),
            ExprKind::Builtin(builtin) => builtin_name(*builtin),
            ExprKind::Function(id) => self.program.function_name(*id),
            // A variable of the function is not memory: its name says enough.
            ExprKind::Load(place) => match &place.kind {
                ExprKind::Var(_) => self.expr(place),
                _ => format!("load({})", self.expr(place)),
            },
            ExprKind::AddressOf(place) => format!("&{}", self.operand(place)),
            ExprKind::Arith(op, ty, l, r) => both(l, &typed(&op.to_string(), *ty), r),
            ExprKind::Compare(rel, l, r) => both(l, &rel.to_string(), r),
            ExprKind::Opaque(name, args) => format!("~{name}({})", self.list(args)),
            ExprKind::And(l, r) => both(l, "&&", r),
            ExprKind::Or(l, r) => both(l, "||", r),
            ExprKind::Not(e) => format!("!{}", self.operand(e)),
            ExprKind::Choose(c, t, e) => {
                format!("{} ? {} : {}", self.operand(c), self.operand(t), self.operand(e))
            }
            ExprKind::Convert(e) => format!("{}({})", expr.ty, self.expr(e)),
            ExprKind::Offset(l, r) => both(l, "+ptr", r),
            ExprKind::Distance(l, r) => both(l, "-ptr", r),
            ExprKind::Assign(place, value) => format!("{} := {}", self.operand(place), self.operand(value)),
            ExprKind::Update { place, value, old } => {
                let when = if *old { "old " } else { "" };
                format!("{when}{} := {}", self.operand(place), self.operand(value))
            }
            ExprKind::Hole => "_".to_owned(),
            ExprKind::Call(id, args) => format!("{}({})", self.program.function_name(*id), self.list(args)),
            ExprKind::CallValue(callee, args, _) => format!("(*{})({})", self.operand(callee), self.list(args)),
            ExprKind::CallUnknown(name, args) => format!("unknown {name}({})", self.list(args)),
            ExprKind::Intrinsic(intrinsic, args) => format!("{}({})", intrinsic_name(intrinsic), self.list(args)),
            ExprKind::Comma(l, r) => format!("{}, {}", self.expr(l), self.expr(r)),
            ExprKind::Aggregate(parts) => {
                let mut text = format!("{} {{", expr.ty);
                for (i, (offset, e)) in parts.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    // Writing to a String cannot fail.
                    let _ = write!(text, "{comma} +{offset}: {}", self.expr(e));
                }
                text + " }"
            }
            ExprKind::Unknown(unknown) => format!("unknown<{}: {}>", unknown.code, unknown.text),
        }
    }
}

fn typed(op: &str, ty: IntTy) -> String {
    if ty == IntTy::I32 { op.to_owned() } else { format!("{op}{ty}") }
}

fn builtin_name(builtin: Builtin) -> String {
    let axis = |a: u8| ["x", "y", "z"].get(usize::from(a)).copied().unwrap_or("?");
    match builtin {
        Builtin::ThreadIdx(a) => format!("threadIdx.{}", axis(a)),
        Builtin::BlockIdx(a) => format!("blockIdx.{}", axis(a)),
        Builtin::BlockDim(a) => format!("blockDim.{}", axis(a)),
        Builtin::GridDim(a) => format!("gridDim.{}", axis(a)),
        Builtin::WarpSize => "warpSize".to_owned(),
        Builtin::LinearThread => "linearThread".to_owned(),
        Builtin::BlockSize => "blockSize".to_owned(),
        Builtin::LinearBlock => "linearBlock".to_owned(),
        Builtin::GridSize => "gridSize".to_owned(),
    }
}

fn intrinsic_name(intrinsic: &Intrinsic) -> String {
    match intrinsic {
        Intrinsic::Atomic(name, scope) => format!("atomic {scope} {name}"),
        Intrinsic::Barrier(scope) => format!("sync {scope}"),
        Intrinsic::Arrive(scope) => format!("arrive {scope}"),
        Intrinsic::Wait(scope) => format!("wait {scope}"),
        Intrinsic::FencedBarrier | Intrinsic::BareBarrier | Intrinsic::NumberedBarrier => "sync block".to_owned(),
        Intrinsic::BarrierReduce(name) => format!("sync block {name}"),
        Intrinsic::Pure(name, _) => format!("pure {name}"),
        Intrinsic::TouchReadWrite(name) => format!("touch {name}"),
        Intrinsic::WritesPointers(name) => format!("writes {name}"),
        Intrinsic::Havoc(name) => format!("havoc {name}"),
        Intrinsic::Together(name) => format!("together {name}"),
        Intrinsic::Min(ty) => typed("min", *ty),
        Intrinsic::Max(ty) => typed("max", *ty),
        Intrinsic::Assume => "assume".to_owned(),
        Intrinsic::Assert => "assert".to_owned(),
        Intrinsic::MemCopy => "copy".to_owned(),
        Intrinsic::MemSet => "set".to_owned(),
        Intrinsic::Surface { write, coordinates } => {
            format!("surface{coordinates} {}", if *write { "write" } else { "read" })
        }
        Intrinsic::BeginCopy(Copier::Thread) => "begin copy".to_owned(),
        Intrinsic::BeginCopy(Copier::Tile(lanes)) => format!("begin copy by {lanes}"),
        Intrinsic::BeginCopy(Copier::Block) => "begin copy by block".to_owned(),
        Intrinsic::BeginCopyUntil(by) => format!("{} until", intrinsic_name(&Intrinsic::BeginCopy(*by))),
        Intrinsic::MakeBarrier => "make barrier".to_owned(),
        Intrinsic::ArriveAt => "arrive at barrier".to_owned(),
        Intrinsic::WaitAt => "wait at barrier".to_owned(),
        Intrinsic::PassBarrier => "pass barrier".to_owned(),
        Intrinsic::CloseBatch => "close batch".to_owned(),
        Intrinsic::WaitForBatches => "wait for batches".to_owned(),
        Intrinsic::SharedAddress => "shared address".to_owned(),
        Intrinsic::FromSharedAddress => "from shared address".to_owned(),
        Intrinsic::GroupCopy => "group copy".to_owned(),
        Intrinsic::WaitForCopies => "wait for copies".to_owned(),
        Intrinsic::ReadThrough => "read".to_owned(),
        Intrinsic::Fence(_) => "fence".to_owned(),
        Intrinsic::PartBarrier => "sync part".to_owned(),
        Intrinsic::BlockOf(n) => format!("block of {n}"),
        Intrinsic::Nothing => "nothing".to_owned(),
        Intrinsic::Trap => "trap".to_owned(),
        Intrinsic::UniformInt => "uniform".to_owned(),
        Intrinsic::DistinctInt => "distinct".to_owned(),
        Intrinsic::OtherInt => "other".to_owned(),
        Intrinsic::Enabled => "enabled".to_owned(),
        Intrinsic::Implies => "implies".to_owned(),
    }
}
