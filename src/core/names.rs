//! Names and binders of protocols: free and bound names, renaming apart, and which variables a level shares.

use std::collections::{BTreeMap, BTreeSet};

use super::access::{Access, Mode};
use super::kernel::Kernel;
use super::protocol::{Barrier, Protocol};
use super::range::Range;
use crate::base::{FreshNames, Name};
use crate::exp::subst::Leaves;
use crate::exp::{B, N, Subst, Var, free_vars_b};

impl Access {
    pub fn subst(&self, subst: &mut Subst) -> Access {
        let mode = match &self.mode {
            Mode::Rd => Mode::Rd,
            Mode::Wr(value) => Mode::Wr(value.as_ref().map(|v| subst.numeric(v))),
            Mode::At(scope) => Mode::At(*scope),
        };
        let index = self.index.iter().map(|n| subst.numeric(n)).collect();
        Access { site: self.site, array: self.array.clone(), mode, index, width: self.width }
    }

    /// The terms of the access.
    pub fn terms(&self) -> impl Iterator<Item = &N> {
        let value = match &self.mode {
            Mode::Wr(value) => value.as_ref(),
            Mode::Rd | Mode::At(_) => None,
        };
        self.index.iter().chain(value)
    }
}

impl Barrier {
    pub fn subst(&self, subst: &mut Subst) -> Barrier {
        Barrier { mask: self.mask.as_ref().map(|m| subst.numeric(m)), ..self.clone() }
    }
}

impl Protocol {
    /// `p[x := n]`. The terms put in must not mention a variable that the code binds.
    pub fn subst(&self, subst: &mut Subst) -> Protocol {
        match self {
            Protocol::Skip => Protocol::Skip,
            Protocol::Access(access) => Protocol::Access(access.subst(subst)),
            Protocol::Sync(barrier) => Protocol::Sync(barrier.subst(subst)),
            Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(|p| p.subst(subst)).collect()),
            Protocol::If(b, t, e) => Protocol::If(subst.boolean(b), Box::new(t.subst(subst)), Box::new(e.subst(subst))),
            Protocol::For(range, body) => {
                let outer = range.subst(subst);
                let body = if subst.replaces(&range.var.name) {
                    body.subst(&mut subst.without(&range.var.name))
                } else {
                    body.subst(subst)
                };
                Protocol::For(outer, Box::new(body))
            }
        }
    }

    /// Does the code have a barrier?
    pub fn synchronises(&self) -> bool {
        match self {
            Protocol::Skip | Protocol::Access(_) => false,
            Protocol::Sync(_) => true,
            Protocol::Seq(parts) => parts.iter().any(Protocol::synchronises),
            Protocol::If(_, t, e) => t.synchronises() || e.synchronises(),
            Protocol::For(_, body) => body.synchronises(),
        }
    }
}

/// The leaves of all terms of a protocol (free or bound), and the variables that it binds.
#[derive(Default)]
pub struct Mentioned {
    pub leaves: Leaves,
    pub bound: BTreeSet<Var>,
}

impl Mentioned {
    pub fn of(code: &Protocol) -> Mentioned {
        let mut all = Mentioned::default();
        all.protocol(code);
        all
    }

    fn protocol(&mut self, code: &Protocol) {
        match code {
            Protocol::Skip => {}
            Protocol::Access(access) => access.terms().for_each(|n| self.leaves.numeric(n)),
            Protocol::Sync(barrier) => barrier.mask.iter().for_each(|n| self.leaves.numeric(n)),
            Protocol::Seq(parts) => parts.iter().for_each(|p| self.protocol(p)),
            Protocol::If(b, t, e) => {
                self.leaves.boolean(b);
                self.protocol(t);
                self.protocol(e);
            }
            Protocol::For(range, body) => {
                range.terms().into_iter().for_each(|n| self.leaves.numeric(n));
                self.bound.insert(range.var.clone());
                self.protocol(body);
            }
        }
    }

    pub fn names(&self) -> BTreeSet<Name> {
        self.leaves.vars.iter().chain(&self.bound).map(|v| v.name.clone()).collect()
    }
}

impl<C> Kernel<C> {
    /// The variables that the header declares.
    pub fn header_vars(&self) -> impl Iterator<Item = &Var> {
        let coordinates = self.blocks.iter().chain(&self.threads).map(|c| &c.var);
        self.globals.iter().chain(coordinates)
    }
}

/// The same code with every binder that would hide a name in scope renamed; other names stay as they are.
pub fn rename_apart(kernel: &Kernel<Protocol>) -> Protocol {
    let mut fresh = FreshNames::default();
    let mentioned = Mentioned::of(&kernel.code);
    let header: BTreeSet<Name> = kernel.header_vars().map(|v| v.name.clone()).collect();
    for name in mentioned.names().iter().chain(&header) {
        fresh.reserve(name.as_str());
    }
    apart(&kernel.code, &header, &mut BTreeMap::new(), &mut fresh)
}

/// `renamed` holds the binders in scope, each with the variable that stands for it.
fn apart(
    code: &Protocol,
    header: &BTreeSet<Name>,
    renamed: &mut BTreeMap<Name, Var>,
    fresh: &mut FreshNames,
) -> Protocol {
    let mut subst = Subst::new();
    for (name, var) in renamed.iter().filter(|(name, var)| **name != var.name) {
        subst.bind(name, &N::var(var));
    }
    match code {
        Protocol::Skip => Protocol::Skip,
        Protocol::Access(access) => Protocol::Access(access.subst(&mut subst)),
        Protocol::Sync(barrier) => Protocol::Sync(barrier.subst(&mut subst)),
        Protocol::Seq(parts) => Protocol::Seq(parts.iter().map(|p| apart(p, header, renamed, fresh)).collect()),
        Protocol::If(b, t, e) => {
            let b = subst.boolean(b);
            Protocol::If(b, Box::new(apart(t, header, renamed, fresh)), Box::new(apart(e, header, renamed, fresh)))
        }
        Protocol::For(range, body) => {
            let mut outer = range.subst(&mut subst);
            let name = &range.var.name;
            if header.contains(name) || renamed.contains_key(name) {
                outer.var = Var::new(fresh.fresh(name.as_str()), range.var.ty);
            }
            let hidden = renamed.insert(name.clone(), outer.var.clone());
            let body = apart(body, header, renamed, fresh);
            match hidden {
                Some(var) => renamed.insert(name.clone(), var),
                None => renamed.remove(name),
            };
            Protocol::For(outer, Box::new(body))
        }
    }
}

/// A variable named after `var` whose name is not in `taken`.
pub fn primed(var: &Var, taken: &BTreeSet<Name>) -> Var {
    let mut fresh = FreshNames::default();
    fresh.reserve(var.name.as_str());
    loop {
        let name = fresh.fresh(var.name.as_str());
        if !taken.contains(&name) {
            return Var::new(name, var.ty);
        }
    }
}

/// Does the condition depend on the variable of the range?
pub fn depends(cond: &B, range: &Range) -> bool {
    free_vars_b(cond).iter().any(|v| v.name == range.var.name)
}
