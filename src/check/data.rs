//! Floating-point data for a race: the solver only says which numbers are equal, so some are looked for with which the
//! condition holds when operators and functions compute. The run says whether they do. [WIT-DATA]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::witness::{Content, Tables};
use crate::base::Name;
use crate::core::{Kernel, Protocol};
use crate::exp::{B, BExp, Env, Fun, FunKind, IntTy, NExp, eval_b, subterms};
use crate::interp::memory::mix;
use crate::interp::value::{Value, convert, exact, opaque};
use crate::kernel::floats::{identity, of_identity};
use crate::kernel::types::Type;
use crate::smt::Model;

/// Times that the condition is evaluated at most, and terms that are evaluated in all.
const BUDGET: usize = 2000;
const ALL_TERMS: usize = 500_000;
/// Numbers that are tried for each place, at most.
const POOL: usize = 60;
/// Numbers that are tried first.
const USUAL: [f64; 17] =
    [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.5, 3.0, 10.0, -10.0, 100.0, 1e4, 1e10, -1e10, 1e-10, 0.25];

/// What arrays and parameters hold.
#[derive(Debug)]
pub struct Data {
    pub cells: Vec<Content>,
    pub floats: BTreeMap<String, f64>,
}

/// A number that is free: a parameter, or what an array holds somewhere.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Param(Name),
    Cell(Fun, Vec<i128>),
}

impl Place {
    /// Of one array, or part of its elements.
    fn like(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Cell(f, a), Place::Cell(g, b)) => f == g && a.first() == b.first(),
            _ => self == other,
        }
    }
}

/// Data with which a condition holds, where that is found by trying; the rest is as in the model.
pub(super) fn choose(kernel: &Kernel<Protocol>, model: &Model, condition: &B) -> Option<Data> {
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let pool = pool(condition);
    let mut terms = 1;
    subterms(condition, &mut |_| terms += 1);
    let tables = Tables::new(model);
    let chosen: RefCell<IndexMap<Place, f64>> = RefCell::default();
    let given: RefCell<Vec<Content>> = RefCell::default();
    let functions = |fun: &Fun, args: &[i128]| {
        Some(match fun.kind {
            FunKind::Input if fun.ty == IntTy::OPAQUE => {
                identity(*chosen.borrow_mut().entry(Place::Cell(fun.clone(), args.to_vec())).or_insert(0.0))
            }
            FunKind::Abstract => computed(fun, args).unwrap_or_else(|| tables.look(fun, args)),
            FunKind::Input | FunKind::Ticket(_) => {
                let value = tables.look(fun, args);
                if fun.kind == FunKind::Input {
                    given.borrow_mut().push((fun.clone(), args.to_vec(), value));
                }
                value
            }
        })
    };
    let params: Vec<Name> = kernel.globals.iter().filter(|g| g.ty == IntTy::OPAQUE).map(|g| g.name.clone()).collect();
    chosen.borrow_mut().extend(params.iter().map(|name| (Place::Param(name.clone()), 0.0)));
    let mut env = tables.env(kernel, model, &functions);
    let mut left = BUDGET.min(ALL_TERMS / terms);
    let mut score = |env: &mut Env| {
        left = left.checked_sub(1)?;
        let values: Vec<_> = {
            let chosen = chosen.borrow();
            let value = |name: &Name| chosen.get(&Place::Param(name.clone())).copied().unwrap_or(0.0);
            params.iter().map(|name| (name.clone(), identity(value(name)))).collect()
        };
        values.iter().for_each(|(name, value)| env.set(name, *value));
        given.borrow_mut().clear();
        Some(parts.iter().filter(|part| eval_b(part, env) == Ok(true)).count())
    };
    let mut best = score(&mut env)?;
    let mut random = 1;
    // First all places of one array together, then each.
    'search: for together in [true, false, true, false, false, false] {
        let places: Vec<Place> = chosen.borrow().keys().cloned().collect();
        for place in &places {
            for number in &pool {
                if best == parts.len() {
                    break 'search;
                }
                let old = chosen.borrow().clone();
                for (other, value) in chosen.borrow_mut().iter_mut() {
                    if place == other || together && place.like(other) {
                        *value = *number;
                    }
                }
                let now = score(&mut env)?;
                random = mix(random);
                // What is as good may lead on.
                if now > best || now == best && random.is_multiple_of(4) {
                    best = now;
                } else {
                    *chosen.borrow_mut() = old;
                }
            }
        }
    }
    if best < parts.len() || score(&mut env)? < parts.len() {
        return None;
    }
    let mut data = Data { cells: given.borrow().clone(), floats: BTreeMap::new() };
    for (place, value) in chosen.borrow().iter() {
        match place {
            Place::Param(name) => drop(data.floats.insert(name.to_string(), *value)),
            Place::Cell(fun, args) => data.cells.push((fun.clone(), args.clone(), identity(*value))),
        }
    }
    Some(data)
}

fn conjuncts(condition: &B, parts: &mut Vec<B>) {
    match condition.kind() {
        BExp::And(all) => all.iter().for_each(|part| conjuncts(part, parts)),
        _ => parts.push(condition.clone()),
    }
}

/// Numbers of a condition, and some usual ones: arrays that hold them may lead to what is not modelled.
pub(super) fn numbers(condition: &B) -> Vec<f64> {
    /// More are not taken, nor larger ones.
    const MOST: usize = 16;
    const LARGE: i128 = 1 << 31;
    let mut all = vec![0.0, 1.0, -1.0, 2.0];
    subterms(condition, &mut |term| {
        if let NExp::Num(n) = term.kind()
            && let Some(number) = of_identity(*n).or_else(|| (n.abs() <= LARGE).then_some(*n as f64))
        {
            for near in [number, number + 1.0, number - 1.0] {
                if near.is_finite() && all.len() < MOST && !all.contains(&near) {
                    all.push(near);
                }
            }
        }
    });
    all
}

/// Numbers to try: around those of the condition, and between them.
fn pool(condition: &B) -> Vec<f64> {
    let mut bits = BTreeSet::new();
    subterms(condition, &mut |term| {
        if let NExp::Num(n) = term.kind()
            && let Some(number) = of_identity(*n).filter(|x| x.is_finite())
        {
            bits.insert(number.to_bits());
        }
    });
    let mut constants: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
    constants.sort_by(f64::total_cmp);
    let between: Vec<f64> =
        constants.iter().zip(constants.iter().skip(1)).map(|(a, b)| f64::midpoint(*a, *b)).collect();
    let around = constants.iter().flat_map(|c| [*c, c + 1.0, c - 1.0, c * 2.0, c / 2.0, -c, c * 1.001, c * 0.999]);
    let mut all: Vec<f64> = Vec::new();
    for number in USUAL.into_iter().take(3).chain(between).chain(around).chain(USUAL) {
        // As an array of either precision can hold it.
        let number = f64::from(number as f32);
        if number.is_finite() && !all.contains(&number) && all.len() < POOL {
            all.push(number);
        }
    }
    all
}

/// What a function `op.NAME.COUNT.TYPE` that the analysis does not model gives, where it is known.
fn computed(fun: &Fun, args: &[i128]) -> Option<i128> {
    let mut parts = fun.name.as_str().strip_prefix("op.")?.split('.');
    let (name, _, precision) = (parts.next()?, parts.next()?, parts.next()?);
    let value = |n: &i128| of_identity(*n).map_or(Value::Int(*n), Value::Float);
    let values: Vec<Value> = args.iter().map(value).collect();
    let ty = match precision {
        "f32" => Type::Float(4),
        "f64" => Type::Float(8),
        _ => Type::Int(fun.ty),
    };
    let operator = match name {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "lt" => "<",
        "lteq" => "<=",
        "gt" => ">",
        "gteq" => ">=",
        "eqeq" => "==",
        "noteq" => "!=",
        _ => "",
    };
    let result = match (name, values.as_slice()) {
        ("int" | "float", [only]) => convert(only.clone(), &Type::Float(8), &ty),
        ("nonzero", [only]) => only.truth().map(|b| Value::Int(i128::from(b))),
        _ if !operator.is_empty() => opaque(operator, &values, &ty),
        _ => exact(name, &values, &ty),
    };
    match result.ok()? {
        Value::Int(n) => Some(n),
        Value::Float(x) => Some(identity(x)),
        Value::Bytes(_) | Value::Unknown(_) => None,
    }
}
