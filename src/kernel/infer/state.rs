//! What one thread knows at a point of the program: its private memory, versions of arrays, and whether it is still active.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::settled::Log;
use super::value::{ObjId, Offset, Pointer, Value};
use crate::base::Name;
use crate::exp::{B, N};

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
    pub fn join(cond: &B, then: State, els: State) -> State {
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
            let joined = if Rc::ptr_eq(t, e) { t.clone() } else { Rc::new(join_cells(cond, t, e)) };
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

fn join_cells(cond: &B, then: &Cells, els: &Cells) -> Cells {
    let mut cells = BTreeMap::new();
    // A part of the bytes may be listed as part of something else.
    let overlapped = |side: &Cells, offset: u64, size: u64| {
        let near = side.cells.range(offset.saturating_sub(64)..offset.saturating_add(size));
        near.into_iter().any(|(at, (n, _))| *at + n > offset)
    };
    let mut open = then.open || els.open;
    for (offset, (size, t)) in &then.cells {
        match els.cells.get(offset) {
            Some((other, e)) if other == size => {
                cells.insert(*offset, (*size, join_values(cond, t, e)));
            }
            // Not initialised on the other side: reading it there has no meaning.
            None if !els.open && !overlapped(els, *offset, *size) => {
                cells.insert(*offset, (*size, t.clone()));
            }
            None | Some(_) => open = true,
        }
    }
    for (offset, cell) in &els.cells {
        if then.cells.contains_key(offset) {
            continue;
        }
        if !then.open && !overlapped(then, *offset, cell.0) {
            cells.insert(*offset, cell.clone());
        } else {
            open = true;
        }
    }
    let rest = N::ite(cond, &then.rest, &els.rest);
    if rest != then.rest || rest != els.rest {
        // One side lost cells to a store at an unknown place: what it does not list is not uninitialised.
        cells.retain(|offset, _| then.cells.contains_key(offset) && els.cells.contains_key(offset));
    }
    Cells { cells, rest, open }
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
        _ => then.clone(),
    }
}
