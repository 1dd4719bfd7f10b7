//! What one thread knows at a point of the program: its private memory, versions of arrays, and whether it is still active.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::expr::is_float;
use super::settled::Log;
use super::value::{ObjId, Offset, Pointer, Value};
use crate::base::Name;
use crate::exp::{B, Fun, FunKind, IntTy, N};
use crate::kernel::types::Type;

/// The private contents of an object: values of scalar cells by byte offset; other cells are a function of `rest`.
#[derive(Clone, PartialEq, Debug)]
pub struct Cells {
    pub cells: BTreeMap<u64, (u64, Value)>,
    /// Identifies what the cells not listed contain.
    pub rest: N,
    /// May a cell that is not listed have been written? Otherwise it is not initialised, and reading it has no meaning.
    pub open: bool,
}

/// A store of this thread that a later load of the same cell sees.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    pub offset: Offset,
    pub width: u64,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub struct State {
    pub private: BTreeMap<ObjId, Rc<Cells>>,
    /// Which contents of an array this thread sees: equal versions, equal contents. `epoch` for those not listed.
    pub versions: BTreeMap<ObjId, N>,
    pub epoch: N,
    /// The last store of this thread to an array, while nothing else of it was touched.
    pub recent: BTreeMap<ObjId, Stored>,
    /// What this thread has stored since the last barrier.
    pub log: Log,
    pub returned: B,
    pub broken: B,
    pub continued: B,
    pub exited: B,
    /// On the way to a label.
    pub jumps: BTreeMap<Name, B>,
}

impl State {
    pub fn start() -> State {
        let never = B::lit(false);
        State {
            private: BTreeMap::new(),
            versions: BTreeMap::new(),
            epoch: N::num(0),
            recent: BTreeMap::new(),
            log: Log::default(),
            returned: never.clone(),
            broken: never.clone(),
            continued: never.clone(),
            exited: never,
            jumps: BTreeMap::new(),
        }
    }

    pub fn version(&self, object: ObjId) -> N {
        self.versions.get(&object).unwrap_or(&self.epoch).clone()
    }

    /// Under which condition control has left the current statement list.
    pub fn left(&self) -> B {
        let flags = [&self.returned, &self.broken, &self.continued, &self.exited];
        B::or(flags.into_iter().chain(self.jumps.values()).cloned().collect::<Vec<_>>())
    }

    /// Control is here: it has not left.
    pub fn arrive(&mut self) {
        let never = B::lit(false);
        self.returned = never.clone();
        self.broken = never.clone();
        self.continued = never.clone();
        self.exited = never;
        self.jumps.clear();
    }

    /// The state after `if (cond) .. else ..`, from the states after the two branches.
    ///
    /// `fresh` gives values that are not known.
    pub fn join(cond: &B, then: State, els: State, fresh: &mut dyn FnMut() -> N) -> State {
        let flag = |t: &B, e: &B| {
            if t == e {
                t.clone()
            } else {
                B::or([B::and([cond.clone(), t.clone()]), B::and([B::not(cond), e.clone()])])
            }
        };
        let mut private = BTreeMap::new();
        for (id, t) in &then.private {
            // What only one branch knows was declared in it.
            let Some(e) = els.private.get(id) else { continue };
            let joined = if Rc::ptr_eq(t, e) { t.clone() } else { Rc::new(join_cells(cond, t, e, fresh)) };
            private.insert(*id, joined);
        }
        let mut versions = BTreeMap::new();
        for id in then.versions.keys().chain(els.versions.keys()) {
            versions.insert(*id, N::ite(cond, &then.version(*id), &els.version(*id)));
        }
        let mut jumps = BTreeMap::new();
        for label in then.jumps.keys().chain(els.jumps.keys()) {
            let never = B::lit(false);
            let (t, e) = (then.jumps.get(label).unwrap_or(&never), els.jumps.get(label).unwrap_or(&never));
            jumps.insert(label.clone(), flag(t, e));
        }
        let recent =
            then.recent.iter().filter(|(id, s)| els.recent.get(id) == Some(s)).map(|(i, s)| (*i, s.clone())).collect();
        State {
            private,
            versions,
            epoch: N::ite(cond, &then.epoch, &els.epoch),
            recent,
            log: Log::join(&then.log, &els.log),
            returned: flag(&then.returned, &els.returned),
            broken: flag(&then.broken, &els.broken),
            continued: flag(&then.continued, &els.continued),
            exited: flag(&then.exited, &els.exited),
            jumps,
        }
    }
}

/// Private contents after a branch. [INF-JOIN]
fn join_cells(cond: &B, then: &Cells, els: &Cells, fresh: &mut dyn FnMut() -> N) -> Cells {
    let mut cells = BTreeMap::new();
    let mut lost = false;
    for offset in then.cells.keys().chain(els.cells.keys()) {
        let (t, e) = match (then.cells.get(offset), els.cells.get(offset)) {
            (Some(t), Some(e)) if t.0 == e.0 => (Some(t.1.clone()), Some(e.1.clone())),
            // A part of the bytes may be listed as part of something else.
            (Some(t), None) if els.near(*offset, t.0).is_empty() => (Some(t.1.clone()), els.unlisted(*offset, t)),
            (None, Some(e)) if then.near(*offset, e.0).is_empty() => (then.unlisted(*offset, e), Some(e.1.clone())),
            _ => (None, None),
        };
        match (t, e) {
            (Some(t), Some(e)) => {
                let size = then.cells.get(offset).or(els.cells.get(offset)).map_or(0, |(size, _)| *size);
                cells.insert(*offset, (size, join_values(cond, &t, &e)));
            }
            _ => lost = true,
        }
    }
    // What is not listed any more is not what it was before.
    let rest = if lost { fresh() } else { N::ite(cond, &then.rest, &els.rest) };
    Cells { cells, rest, open: lost || then.open || els.open }
}

impl Cells {
    /// The cells that have some of these bytes.
    pub fn near(&self, offset: u64, size: u64) -> Vec<(u64, u64, &Value)> {
        let near = self.cells.range(offset.saturating_sub(64)..offset.saturating_add(size));
        near.filter(|(at, (n, _))| *at + n > offset).map(|(at, (n, value))| (*at, *n, value)).collect()
    }

    /// What is in the place of a cell that only the other side of a branch lists; `None` when that cannot be said.
    fn unlisted(&self, offset: u64, (size, other): &(u64, Value)) -> Option<Value> {
        match other {
            // Not initialised here: reading it has no meaning.
            _ if !self.open => Some(other.clone()),
            Value::Num(n) => {
                let offset = Offset::start().bytes(i128::from(offset));
                Some(Value::Num(self.rest_at(number_type(n, *size)?, *size, &offset)))
            }
            _ => None,
        }
    }

    /// A number in a cell that is not listed: a function of what identifies the contents, and of the offset.
    pub fn rest_at(&self, ty: IntTy, width: u64, offset: &Offset) -> N {
        let mut args = vec![self.rest.clone(), N::num(offset.constant)];
        args.extend(offset.terms.iter().map(|(n, _)| n.clone()));
        let strides: Vec<String> = offset.terms.iter().map(|(_, stride)| stride.to_string()).collect();
        let name = format!("private.{ty}.{width}.{}", strides.join("."));
        N::call(Fun { name: name.as_str().into(), ty, kind: FunKind::Abstract }, args)
    }
}

/// The type of the number in a cell of so many bytes.
pub fn number_type(n: &N, size: u64) -> Option<IntTy> {
    match n.ty() {
        _ if is_float(n) => Some(IntTy::OPAQUE),
        Some(ty) if ty != IntTy::MATH && Type::Int(ty).size() == size => Some(ty),
        _ => [IntTy::I8, IntTy::I16, IntTy::I32, IntTy::I64].into_iter().find(|ty| Type::Int(*ty).size() == size),
    }
}

/// Is this value surely the null pointer?
pub fn is_null(value: &Value) -> bool {
    match value {
        Value::Ptr(p) => p.targets.is_empty() && p.unknown.is_none(),
        Value::Num(n) => n.as_num() == Some(0),
        _ => false,
    }
}

pub fn join_values(cond: &B, then: &Value, els: &Value) -> Value {
    match (then, els) {
        _ if then == els => then.clone(),
        (Value::Num(t), Value::Num(e)) => Value::Num(N::ite(cond, t, e)),
        (Value::Ptr(t), Value::Ptr(e)) => Value::Ptr(Pointer::choose(cond, t, e)),
        // A null pointer may be the number 0.
        (Value::Ptr(t), Value::Num(n)) if n.as_num() == Some(0) => {
            Value::Ptr(Pointer::choose(cond, t, &Pointer::default()))
        }
        (Value::Num(n), Value::Ptr(e)) if n.as_num() == Some(0) => {
            Value::Ptr(Pointer::choose(cond, &Pointer::default(), e))
        }
        // A null function pointer: calling it has no meaning, so that only the functions remain.
        (Value::Fun(list, open), other) if is_null(other) => {
            Value::Fun(list.iter().map(|(g, f)| (B::and([cond.clone(), g.clone()]), *f)).collect(), *open)
        }
        (other, Value::Fun(list, open)) if is_null(other) => {
            Value::Fun(list.iter().map(|(g, f)| (B::and([B::not(cond), g.clone()]), *f)).collect(), *open)
        }
        (Value::Fun(list, _), _) | (_, Value::Fun(list, _))
            if !matches!((then, els), (Value::Fun(..), Value::Fun(..))) =>
        {
            Value::Fun(list.clone(), true)
        }
        (Value::Ptr(_), _) | (_, Value::Ptr(_)) => Value::Ptr(Pointer::unknown()),
        (Value::Fun(t, open_t), Value::Fun(e, open_e)) => {
            let under = |side: B, list: &[(B, crate::kernel::ir::FunId)]| {
                list.iter().map(|(g, f)| (B::and([side.clone(), g.clone()]), *f)).collect::<Vec<_>>()
            };
            let mut all = under(cond.clone(), t);
            all.extend(under(B::not(cond), e));
            Value::Fun(all, *open_t || *open_e)
        }
        (Value::Agg(t), Value::Agg(e)) if t.len() == e.len() => {
            let parts = t.iter().zip(e).map(|(a, b)| (a.0, a.1.clone(), join_values(cond, &a.2, &b.2)));
            Value::Agg(parts.collect())
        }
        // Of different layouts: the parts that both have; whoever stores the value opens the others.
        (Value::Agg(t), Value::Agg(e)) => {
            let parts = t.iter().filter_map(|(at, ty, value)| {
                let (_, _, other) = e.iter().find(|(o, other, _)| o == at && other == ty)?;
                Some((*at, ty.clone(), join_values(cond, value, other)))
            });
            Value::Agg(parts.collect())
        }
        // A structure of which only the identity is known: its parts are functions of that.
        (Value::Agg(t), Value::Num(e)) => {
            let parts = t.iter().map(|(at, ty, v)| (*at, ty.clone(), join_values(cond, v, &part_of(e, *at, ty))));
            Value::Agg(parts.collect())
        }
        (Value::Num(t), Value::Agg(e)) => {
            let parts = e.iter().map(|(at, ty, v)| (*at, ty.clone(), join_values(cond, &part_of(t, *at, ty), v)));
            Value::Agg(parts.collect())
        }
        _ => Value::Void,
    }
}

/// A part of a structure of which only the identity is known.
fn part_of(whole: &N, at: u64, ty: &Type) -> Value {
    let width = ty.size();
    let ty = match ty {
        Type::Ptr(inner) if **inner == Type::Fun => return Value::Fun(Vec::new(), true),
        Type::Ptr(_) | Type::Ref(_) => return Value::Ptr(Pointer::unknown()),
        Type::Int(int) => *int,
        _ => IntTy::OPAQUE,
    };
    let fun = Fun { name: format!("part.{ty}.{width}").as_str().into(), ty, kind: FunKind::Abstract };
    Value::Num(N::call(fun, vec![whole.clone(), N::num(i128::from(at))]))
}
