//! Functions of constants: called with numbers, a function that does nothing but compute is run here, with a limit.

use super::*;

/// How many expressions and statements are evaluated for one call.
const FUEL: usize = 20_000;
/// How deep calls may nest.
const DEPTH: usize = 200;

/// How a statement ends.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<i128>),
}

/// One call: its variables, as far as they have a value.
struct Run<'a, 'l, 't> {
    body: &'a mut Body<'l, 't>,
    fuel: usize,
    depth: usize,
}

type Vars = FxHashMap<VarId, i128>;

impl<'l, 't> Body<'l, 't> {
    /// The value of a call whose arguments are numbers, if the function computes with integers of its own only.
    pub(super) fn evaluate(&mut self, id: FunId, args: &[Expr], returns: &Type) -> Option<i128> {
        if !matches!(returns, Type::Int(_)) {
            return None;
        }
        let args: Vec<i128> = args.iter().map(|a| self.fold(a)).collect::<Option<_>>()?;
        Run { body: self, fuel: FUEL, depth: 0 }.call(id, args)
    }
}

impl Run<'_, '_, '_> {
    fn call(&mut self, id: FunId, args: Vec<i128>) -> Option<i128> {
        if self.depth >= DEPTH {
            return None;
        }
        let function = self.body.lower.lowered(id)?;
        let of_integers = |v: &VarDecl| matches!(v.ty, Type::Int(_)) && v.storage == Storage::Private;
        let Function { body: Some(stmts), .. } = &function else { return None };
        if !function.vars.iter().all(of_integers) || args.len() != function.params {
            return None;
        }
        let mut vars: Vars = args.into_iter().enumerate().map(|(i, n)| (VarId(i as u32), n)).collect();
        self.depth += 1;
        let flow = self.stmts(stmts, &mut vars);
        self.depth -= 1;
        match (flow?, &function.returns) {
            (Flow::Return(Some(n)), Type::Int(_)) => Some(n),
            _ => None,
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], vars: &mut Vars) -> Option<Flow> {
        for stmt in stmts {
            match self.stmt(stmt, vars)? {
                Flow::Next => {}
                other => return Some(other),
            }
        }
        Some(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt, vars: &mut Vars) -> Option<Flow> {
        self.fuel = self.fuel.checked_sub(1)?;
        match &stmt.kind {
            StmtKind::Expr(e) => {
                self.value(e, vars)?;
            }
            StmtKind::Declare(var, init) => match init {
                Some(init) => {
                    let n = self.value(init, vars)?;
                    vars.insert(*var, n);
                }
                None => drop(vars.remove(var)),
            },
            StmtKind::If(cond, then, els) => {
                let branch = if self.value(cond, vars)? != 0 { then } else { els };
                return self.stmts(branch, vars);
            }
            StmtKind::Block(inner) => return self.stmts(inner, vars),
            StmtKind::Loop(l) => return self.run_loop(l, vars),
            StmtKind::Break => return Some(Flow::Break),
            StmtKind::Continue => return Some(Flow::Continue),
            StmtKind::Return(None) => return Some(Flow::Return(None)),
            StmtKind::Return(Some(e)) => return Some(Flow::Return(Some(self.value(e, vars)?))),
            StmtKind::Switch(..) | StmtKind::Goto(_) | StmtKind::Label(_) | StmtKind::Unknown(_) => return None,
        }
        Some(Flow::Next)
    }

    fn run_loop(&mut self, l: &Loop, vars: &mut Vars) -> Option<Flow> {
        let mut tested = !l.post_test;
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            if let (true, Some(cond)) = (tested, &l.cond)
                && self.value(cond, vars)? == 0
            {
                return Some(Flow::Next);
            }
            tested = true;
            match self.stmts(&l.body, vars)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Some(Flow::Next),
                Flow::Return(n) => return Some(Flow::Return(n)),
            }
            if let Some(step) = &l.step {
                self.value(step, vars)?;
            }
        }
    }

    /// `None`: too much work, or something else than arithmetic on integers and on variables of the function.
    fn value(&mut self, expr: &Expr, vars: &mut Vars) -> Option<i128> {
        self.fuel = self.fuel.checked_sub(1)?;
        match &expr.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Load(place) => match &place.kind {
                ExprKind::Var(var) => vars.get(var).copied(),
                _ => None,
            },
            ExprKind::Arith(op, ty, l, r) => {
                let (l, r) = (self.value(l, vars)?, self.value(r, vars)?);
                let no_meaning = match op {
                    NBin::Div | NBin::Rem => r == 0,
                    NBin::Shl | NBin::Shr => r < 0 || r >= i128::from(ty.bits),
                    _ => false,
                };
                (!no_meaning).then(|| crate::exp::eval::apply(*op, *ty, l, r))
            }
            ExprKind::Compare(op, l, r) => {
                let (l, r) = (self.value(l, vars)?, self.value(r, vars)?);
                Some(i128::from(crate::exp::eval::compare(*op, l, r)))
            }
            ExprKind::And(l, r) => {
                let holds = self.value(l, vars)? != 0 && self.value(r, vars)? != 0;
                Some(i128::from(holds))
            }
            ExprKind::Or(l, r) => {
                let holds = self.value(l, vars)? != 0 || self.value(r, vars)? != 0;
                Some(i128::from(holds))
            }
            ExprKind::Not(e) => Some(i128::from(self.value(e, vars)? == 0)),
            ExprKind::Choose(c, t, e) => {
                let branch = if self.value(c, vars)? != 0 { t } else { e };
                self.value(branch, vars)
            }
            ExprKind::Convert(e) => {
                let from_number = matches!(e.ty, Type::Int(_));
                let n = self.value(e, vars)?;
                match &expr.ty {
                    Type::Int(IntTy::BOOL) if from_number => Some(i128::from(n != 0)),
                    Type::Int(ty) if from_number => Some(ty.wrap(n)),
                    _ => None,
                }
            }
            ExprKind::Comma(first, second) => {
                self.value(first, vars)?;
                self.value(second, vars)
            }
            ExprKind::Assign(place, value) => {
                let n = self.value(value, vars)?;
                self.set(place, n, vars)
            }
            ExprKind::Update { place, value, old } => {
                let ExprKind::Var(var) = &place.kind else { return None };
                let before = vars.get(var).copied()?;
                let hole = plugged(value, before)?;
                let n = self.value(&hole, vars)?;
                self.set(place, n, vars)?;
                Some(if *old { before } else { n })
            }
            ExprKind::Intrinsic(Intrinsic::Min(_), args) => match args.as_slice() {
                [a, b] => Some(self.value(a, vars)?.min(self.value(b, vars)?)),
                _ => None,
            },
            ExprKind::Intrinsic(Intrinsic::Max(_), args) => match args.as_slice() {
                [a, b] => Some(self.value(a, vars)?.max(self.value(b, vars)?)),
                _ => None,
            },
            ExprKind::Call(id, args) => {
                let args = args.iter().map(|a| self.value(a, vars)).collect::<Option<Vec<i128>>>()?;
                self.call(*id, args)
            }
            _ => None,
        }
    }

    fn set(&mut self, place: &Expr, n: i128, vars: &mut Vars) -> Option<i128> {
        let (ExprKind::Var(var), Type::Int(ty)) = (&place.kind, &place.ty) else { return None };
        let n = if *ty == IntTy::BOOL { i128::from(n != 0) } else { ty.wrap(n) };
        vars.insert(*var, n);
        Some(n)
    }
}

/// The right side of an update, with the old value in its hole.
fn plugged(expr: &Expr, before: i128) -> Option<Expr> {
    let boxed = |e: &Expr| Some(Box::new(plugged(e, before)?));
    let kind = match &expr.kind {
        ExprKind::Hole => ExprKind::Int(before),
        ExprKind::Arith(op, ty, l, r) => ExprKind::Arith(*op, *ty, boxed(l)?, boxed(r)?),
        ExprKind::Convert(e) => ExprKind::Convert(boxed(e)?),
        ExprKind::Int(_) | ExprKind::Load(_) => expr.kind.clone(),
        _ => return None,
    };
    Some(Expr { kind, ..expr.clone() })
}
