//! What a loop changes: a placeholder for each cell, part of a pointer and version, and what an iteration makes of it.

use super::*;

impl Walk<'_> {
    pub(super) fn placeholder(&mut self, label: &str, ty: IntTy) -> Var {
        let name = self.names.fresh(&format!("{}%", clean(label)));
        Var { name, ty }
    }

    pub(super) fn cell_type(&self, object: ObjId, offset: u64, size: u64) -> Option<Type> {
        let mut parts = Vec::new();
        scalars(&self.info(object).ty, 0, 256, &mut parts)?;
        parts.into_iter().find(|(o, t)| *o == offset && t.size() == size).map(|(_, t)| t)
    }

    /// Puts a placeholder in place of everything that the loop may change.
    pub(super) fn install(
        &mut self,
        objects: &[ObjId],
        shapes: &mut FxHashMap<(ObjId, u64), Shape>,
        lost: &BTreeSet<(ObjId, u64)>,
    ) -> Vec<Carried> {
        let mut carried = Vec::new();
        for object in objects {
            let label = self.info(*object).name.to_string();
            let ty = self.info(*object).ty.clone();
            // What is not initialised yet is carried too, when the object has few parts.
            let mut parts = Vec::new();
            let is_small = scalars(&ty, 0, 64, &mut parts).is_some();
            if is_small {
                for (offset, ty) in parts {
                    let free = |c: &Rc<Cells>| c.near(offset, ty.size()).is_empty();
                    let missing = self.state.private.get(object).is_none_or(free);
                    if missing && !matches!(ty, Type::Ptr(_) | Type::Ref(_) | Type::Fun) {
                        let value = self.load_private(*object, &Offset::start().bytes(i128::from(offset)), &ty);
                        self.set_cell(*object, offset, ty.size(), value);
                    }
                }
            }
            let Some(cells) = self.state.private.get(object).cloned() else { continue };
            // Of a larger one, an iteration may have given a value to what has none yet.
            let open = cells.open || !is_small;
            let mut fresh = Cells { cells: BTreeMap::new(), rest: cells.rest.clone(), open };
            let rest = self.placeholder("content", IntTy::OPAQUE);
            carried.push(Carried {
                home: Home::Rest(*object),
                var: rest.clone(),
                init: cells.rest.clone(),
                out: N::var(&rest),
                left: N::var(&rest),
            });
            fresh.rest = N::var(&rest);
            for (offset, (size, value)) in &cells.cells {
                let home = (*object, *offset);
                let value = match value {
                    Value::Num(init) => {
                        let int = match self.cell_type(*object, *offset, *size) {
                            Some(Type::Int(int)) => int,
                            _ => number_type(init, *size).unwrap_or(IntTy::OPAQUE),
                        };
                        let var = self.placeholder(&label, int);
                        let home = Home::Cell(*object, *offset);
                        carried.push(Carried {
                            home,
                            var: var.clone(),
                            init: init.clone(),
                            out: N::var(&var),
                            left: N::var(&var),
                        });
                        Value::Num(N::var(&var))
                    }
                    Value::Ptr(_) if lost.contains(&home) => Value::Ptr(Pointer::unknown()),
                    Value::Ptr(p) if p.unknown.is_some() => value.clone(),
                    Value::Ptr(p) => {
                        let shape = shapes.entry(home).or_insert_with(|| p.targets.iter().map(Place::of).collect());
                        let shape = shape.clone();
                        self.install_pointer(home, p, &shape, &label, &mut carried)
                    }
                    Value::Fun(list, _) => Value::Fun(list.clone(), true),
                    other => other.clone(),
                };
                fresh.cells.insert(*offset, (*size, value));
            }
            self.state.private.insert(*object, Rc::new(fresh));
        }
        for object in self.arrays().collect::<Vec<_>>() {
            let label = format!("{}.version", self.info(object).name);
            let var = self.placeholder(&label, IntTy::OPAQUE);
            let init = self.state.version(object);
            self.state.versions.insert(object, N::var(&var));
            carried.push(Carried {
                home: Home::Version(object),
                var: var.clone(),
                init,
                out: N::var(&var),
                left: N::var(&var),
            });
        }
        let var = self.placeholder("epoch", IntTy::OPAQUE);
        let init = std::mem::replace(&mut self.state.epoch, N::var(&var));
        carried.push(Carried { home: Home::Epoch, var: var.clone(), init, out: N::var(&var), left: N::var(&var) });
        carried
    }

    pub(super) fn install_pointer(
        &mut self,
        home: (ObjId, u64),
        p: &Pointer,
        shape: &Shape,
        label: &str,
        carried: &mut Vec<Carried>,
    ) -> Value {
        let single = shape.len() == 1 && p.targets.len() == 1 && p.targets[0].guard.as_lit() == Some(true);
        let selector = if single {
            None
        } else {
            let mut init = N::num(-1);
            for target in &p.targets {
                if let Some(i) = position(shape, target) {
                    init = N::ite(&target.guard, &N::num(i as i128), &init);
                }
            }
            let var = self.placeholder(label, IntTy::MATH);
            let selector = Home::Selector(home.0, home.1);
            carried.push(Carried { home: selector, var: var.clone(), init, out: N::var(&var), left: N::var(&var) });
            Some(var)
        };
        let mut targets = Vec::new();
        for (i, place) in shape.iter().enumerate() {
            let init = p.targets.iter().filter(|t| position(shape, t) == Some(i));
            let mut terms = Vec::new();
            for (j, stride) in place.strides.iter().enumerate() {
                let var = self.placeholder(label, IntTy::MATH);
                let init = index_of(init.clone(), j).unwrap_or(N::num(0));
                let home = Home::Index(home.0, home.1, i, j);
                carried.push(Carried { home, var: var.clone(), init, out: N::var(&var), left: N::var(&var) });
                terms.push((N::var(&var), *stride));
            }
            let guard = match &selector {
                Some(var) => N::var(var).eq(&N::num(i as i128)),
                None => B::lit(true),
            };
            let flat = terms.len() > 1;
            let (unknown, known_size) = (place.unknown.clone(), place.known_size);
            let offset = Offset { terms, constant: place.constant, unknown, known_size, flat };
            targets.push(Target { guard, object: place.object, offset });
        }
        Value::Ptr(Pointer { targets, unknown: None })
    }

    /// Adds the targets that pointers got in the body to their shapes; true when there were new ones.
    pub(super) fn widen(
        &mut self,
        head: &State,
        objects: &[ObjId],
        shapes: &mut FxHashMap<(ObjId, u64), Shape>,
        lost: &mut BTreeSet<(ObjId, u64)>,
    ) -> bool {
        let mut changed = false;
        for object in objects {
            let (Some(now), Some(then)) = (self.state.private.get(object), head.private.get(object)) else { continue };
            for (offset, (_, value)) in &then.cells {
                let home = (*object, *offset);
                let (Value::Ptr(at_head), false) = (value, lost.contains(&home)) else { continue };
                if at_head.unknown.is_some() {
                    continue;
                }
                let after = match now.cells.get(offset) {
                    Some((_, Value::Ptr(p))) => p.clone(),
                    _ => Pointer::unknown(),
                };
                let shape = shapes.entry(home).or_default();
                if after.unknown.is_some() {
                    lost.insert(home);
                    changed = true;
                    continue;
                }
                for target in &after.targets {
                    if let Some(i) = position(shape, target) {
                        changed |= shape[i].take(&target.offset);
                        continue;
                    }
                    changed = true;
                    let wanted = Place::of(target);
                    // The same place with one more index: `p` that becomes `p + n`.
                    let extends = shape.iter_mut().find(|known| {
                        known.object == wanted.object
                            && known.constant == wanted.constant
                            && wanted.strides.starts_with(&known.strides)
                    });
                    match extends {
                        Some(known) => {
                            known.strides = wanted.strides;
                            known.take(&target.offset);
                        }
                        None => shape.push(wanted),
                    }
                }
                if shape.len() > MAX_TARGETS {
                    lost.insert(home);
                }
            }
        }
        changed
    }

    /// Has an object cells that it did not have before?
    fn has_new_cells(&self, before: &State, object: ObjId) -> bool {
        let (Some(now), Some(then)) = (self.state.private.get(&object), before.private.get(&object)) else {
            return false;
        };
        now.cells.keys().any(|at| !then.cells.contains_key(at))
    }

    /// Reads what the placeholders have become.
    pub(super) fn collect_outs(
        &mut self,
        carried: &mut [Carried],
        shapes: &FxHashMap<(ObjId, u64), Shape>,
        counter: &Var,
        head: &State,
    ) {
        for c in carried.iter_mut() {
            self.counters.push(N::var(counter));
            let cell = |w: &Self, o: ObjId, at: u64| {
                w.state.private.get(&o).and_then(|cells| cells.cells.get(&at)).map(|(_, v)| v.clone())
            };
            c.out = match &c.home {
                Home::Cell(o, at) => match cell(self, *o, *at) {
                    Some(Value::Num(n)) => n,
                    _ => self.fresh_of_type("changed", c.var.ty),
                },
                Home::Selector(o, at) => match (cell(self, *o, *at), shapes.get(&(*o, *at))) {
                    (Some(Value::Ptr(p)), Some(shape)) => {
                        let mut selected = N::num(-1);
                        for target in &p.targets {
                            if let Some(i) = position(shape, target) {
                                selected = N::ite(&target.guard, &N::num(i as i128), &selected);
                            }
                        }
                        selected
                    }
                    _ => self.fresh_local("changed"),
                },
                Home::Index(o, at, i, j) => match (cell(self, *o, *at), shapes.get(&(*o, *at))) {
                    (Some(Value::Ptr(p)), Some(shape)) => {
                        let targets = p.targets.iter().filter(|t| position(shape, t) == Some(*i));
                        index_of(targets, *j).unwrap_or(N::var(&c.var))
                    }
                    _ => self.fresh_local("changed"),
                },
                // What has become a cell of its own is part of the rest for the next iteration.
                Home::Rest(o) if self.has_new_cells(head, *o) => self.fresh_local("content"),
                Home::Rest(o) => match self.state.private.get(o) {
                    // A cell that is not carried shows what the iteration before left.
                    Some(_) if lists_others(head, &self.state, *o) => self.fresh_local("changed"),
                    Some(cells) => cells.rest.clone(),
                    None => N::var(&c.var),
                },
                Home::Version(o) => self.state.version(*o),
                Home::Epoch => self.state.epoch.clone(),
            };
            self.counters.pop();
        }
    }
}

/// Does an object have numbers in other cells in the one state than in the other?
pub(super) fn lists_others(head: &State, now: &State, object: ObjId) -> bool {
    let numbers = |s: &State| -> Vec<(u64, u64)> {
        let cells = s.private.get(&object).into_iter().flat_map(|c| &c.cells);
        cells.filter(|(_, (_, v))| matches!(v, Value::Num(_))).map(|(at, (size, _))| (*at, *size)).collect()
    };
    numbers(head) != numbers(now)
}

pub(super) fn strides(offset: &Offset) -> Vec<u64> {
    offset.terms.iter().map(|(_, s)| *s).collect()
}

/// The index of these targets, of which the guard says which one it is; what a target lacks is 0.
fn index_of<'a>(targets: impl Iterator<Item = &'a Target>, j: usize) -> Option<N> {
    targets.fold(None, |before, target| {
        let index = target.offset.terms.get(j).map_or(N::num(0), |(n, _)| n.clone());
        Some(before.map_or(index.clone(), |before| N::ite(&target.guard, &index, &before)))
    })
}

/// Which target of a shape a target is; it may lack the last indices, which are then 0.
pub(super) fn position(shape: &Shape, target: &Target) -> Option<usize> {
    let wanted = strides(&target.offset);
    shape.iter().position(|place| {
        place.object == target.object && place.constant == target.offset.constant && place.strides.starts_with(&wanted)
    })
}

/// Is what is at home here another value in the one state than in the other?
pub(super) fn differs(head: &State, now: &State, home: &Home) -> bool {
    let cell = |s: &State, o: &ObjId, at: &u64| {
        s.private.get(o).and_then(|cells| cells.cells.get(at)).map(|(_, value)| value.clone())
    };
    match home {
        Home::Cell(o, at) | Home::Selector(o, at) | Home::Index(o, at, ..) => cell(head, o, at) != cell(now, o, at),
        Home::Rest(o) => {
            let rest = |s: &State| {
                s.private
                    .get(o)
                    .map(|cells| (cells.rest.clone(), cells.open, cells.cells.keys().copied().collect::<Vec<_>>()))
            };
            rest(head) != rest(now)
        }
        Home::Version(o) => head.version(*o) != now.version(*o),
        Home::Epoch => head.epoch != now.epoch,
    }
}
