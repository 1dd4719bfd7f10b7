//! The total evaluator: \[MAP\] Fig. 4 on the integers of C. Overflow, division by zero and shifts are decided here and
//! nowhere else.

use rustc_hash::FxHashMap;

use super::syntax::{B, BExp, Fun, IntTy, N, NBin, NExp, NRel, Var};
use crate::base::Name;

/// The result of a function for its arguments.
pub type Tables<'a> = dyn Fn(&Fun, &[i128]) -> Option<i128> + 'a;

/// Values of variables, and an interpretation of functions.
#[derive(Clone, Default)]
pub struct Env<'a> {
    /// Each name once. Few names are asked for often, and those are the ones set last.
    vars: Vec<(Name, i128)>,
    functions: Option<&'a Tables<'a>>,
}

impl<'a> Env<'a> {
    pub fn new() -> Env<'a> {
        Env::default()
    }

    pub fn with_functions(functions: &'a Tables<'a>) -> Env<'a> {
        Env { vars: Vec::new(), functions: Some(functions) }
    }

    pub fn set(&mut self, name: &Name, value: i128) {
        match self.vars.iter_mut().rev().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.vars.push((name.clone(), value)),
        }
    }

    pub fn with(&self, name: &Name, value: i128) -> Env<'a> {
        let mut env = self.clone();
        env.set(name, value);
        env
    }

    pub fn get(&self, name: &Name) -> Option<i128> {
        self.vars.iter().rev().find(|(n, _)| n == name).map(|(_, value)| *value)
    }
}

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    #[error("variable `{}` has no value", .0.name)]
    Unbound(Var),
    #[error("function `{}` has no value at these arguments", .0.name)]
    NoInterpretation(Fun, Vec<i128>),
}

/// `l op r` in type `ty`.
pub fn apply(op: NBin, ty: IntTy, l: i128, r: i128) -> i128 {
    let (l, shift) = (ty.wrap(l), r);
    let r = if matches!(op, NBin::Shl | NBin::Shr) { r } else { ty.wrap(r) };
    let bits = if ty.bits == 0 { 120 } else { i128::from(ty.bits) };
    let in_range = (0..bits).contains(&shift);
    let value = match op {
        NBin::Add => l.saturating_add(r),
        NBin::Sub => l.saturating_sub(r),
        NBin::Mul => match l.checked_mul(r) {
            Some(product) => product,
            // Only the low bits count, and they come out right in wrapping arithmetic.
            None if ty.bits != 0 => l.wrapping_mul(r),
            None => l.saturating_mul(r),
        },
        NBin::Div => l.checked_div(r).unwrap_or(0),
        NBin::Rem => l.checked_rem(r).unwrap_or(l),
        NBin::And => l & r,
        NBin::Or => l | r,
        NBin::Xor => l ^ r,
        NBin::Shl if in_range => l.wrapping_shl(shift as u32),
        NBin::Shl => 0,
        NBin::Shr if in_range => l >> shift,
        NBin::Shr => {
            if l < 0 {
                -1
            } else {
                0
            }
        }
        NBin::Min => l.min(r),
        NBin::Max => l.max(r),
    };
    ty.wrap(value)
}

/// `l op r`.
pub fn compare(op: NRel, l: i128, r: i128) -> bool {
    match op {
        NRel::Eq => l == r,
        NRel::Ne => l != r,
        NRel::Lt => l < r,
        NRel::Le => l <= r,
    }
}

/// Terms up to this depth are walked as trees, which is faster than looking them up.
const SHALLOW: u32 = 6;

/// The values of deeper terms: a term is a graph, and each of its nodes is evaluated once.
#[derive(Default)]
struct Memo {
    numbers: FxHashMap<usize, i128>,
    truths: FxHashMap<usize, bool>,
}

/// The value of a numeric term: `n ⇓ i` of \[MAP\] Fig. 4.
pub fn eval_n(term: &N, env: &Env) -> Result<i128, EvalError> {
    numeric(term, env, &mut Memo::default())
}

/// The value of a boolean term: `b ⇓ d` of \[MAP\] Fig. 4.
pub fn eval_b(term: &B, env: &Env) -> Result<bool, EvalError> {
    boolean(term, env, &mut Memo::default())
}

fn numeric(term: &N, env: &Env, memo: &mut Memo) -> Result<i128, EvalError> {
    match term.kind() {
        NExp::Num(value) => return Ok(*value),
        NExp::Var(var) => return env.get(&var.name).ok_or_else(|| EvalError::Unbound(var.clone())),
        _ => {}
    }
    let deep = term.depth() > SHALLOW;
    if deep && let Some(value) = memo.numbers.get(&term.address()) {
        return Ok(*value);
    }
    let value = match term.kind() {
        NExp::Num(value) => *value,
        NExp::Var(var) => env.get(&var.name).ok_or_else(|| EvalError::Unbound(var.clone()))?,
        NExp::Bin(op, ty, l, r) => apply(*op, *ty, numeric(l, env, memo)?, numeric(r, env, memo)?),
        NExp::If(c, t, e) => {
            if boolean(c, env, memo)? {
                numeric(t, env, memo)?
            } else {
                numeric(e, env, memo)?
            }
        }
        NExp::Cast(ty, inner) => ty.wrap(numeric(inner, env, memo)?),
        NExp::Call(fun, args) => {
            let args = args.iter().map(|a| numeric(a, env, memo)).collect::<Result<Vec<_>, _>>()?;
            match env.functions.and_then(|f| f(fun, &args)) {
                Some(value) => fun.ty.wrap(value),
                None => return Err(EvalError::NoInterpretation(fun.clone(), args)),
            }
        }
    };
    if deep {
        memo.numbers.insert(term.address(), value);
    }
    Ok(value)
}

fn boolean(term: &B, env: &Env, memo: &mut Memo) -> Result<bool, EvalError> {
    if let BExp::Lit(value) = term.kind() {
        return Ok(*value);
    }
    let deep = term.depth() > SHALLOW;
    if deep && let Some(value) = memo.truths.get(&term.address()) {
        return Ok(*value);
    }
    let value = match term.kind() {
        BExp::Lit(value) => *value,
        BExp::Rel(op, l, r) => compare(*op, numeric(l, env, memo)?, numeric(r, env, memo)?),
        BExp::And(parts) => {
            let mut all = true;
            for part in parts {
                if !boolean(part, env, memo)? {
                    all = false;
                    break;
                }
            }
            all
        }
        BExp::Or(parts) => {
            let mut any = false;
            for part in parts {
                if boolean(part, env, memo)? {
                    any = true;
                    break;
                }
            }
            any
        }
        BExp::Not(inner) => !boolean(inner, env, memo)?,
    };
    if deep {
        memo.truths.insert(term.address(), value);
    }
    Ok(value)
}
