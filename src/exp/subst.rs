//! Substitution of terms for variables, renaming of functions, and free variables ([MAP] Fig. 3).
//!
//! Terms have no binders, so substitution in a term never captures; the binders of protocols are in `core`.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::syntax::{B, BExp, Fun, N, NExp, Var, work};
use crate::base::Name;

/// What replaces an application of a function to these arguments, if anything does.
pub type Replace<'a> = dyn Fn(&Fun, &[N]) -> Option<N> + 'a;

/// A simultaneous substitution, with its memo table.
#[derive(Default)]
pub struct Subst<'a> {
    vars: FxHashMap<Name, N>,
    functions: Option<&'a Replace<'a>>,
    /// A condition that is known, and what it is.
    known: Option<(B, bool)>,
    numbers: FxHashMap<usize, (N, N)>,
    truths: FxHashMap<usize, (B, B)>,
}

impl<'a> Subst<'a> {
    pub fn new() -> Subst<'a> {
        Subst::default()
    }

    pub fn one(name: &Name, term: &N) -> Subst<'a> {
        let mut subst = Subst::new();
        subst.bind(name, term);
        subst
    }

    /// Also replaces each application for which `functions` gives a term; it sees the arguments after substitution.
    pub fn with_functions(functions: &'a Replace<'a>) -> Subst<'a> {
        Subst { functions: Some(functions), ..Subst::default() }
    }

    /// Replaces nothing but this condition, which has that value.
    pub fn knowing(condition: &B, value: bool) -> Subst<'a> {
        Subst { known: Some((condition.clone(), value)), ..Subst::default() }
    }

    pub fn bind(&mut self, name: &Name, term: &N) {
        self.vars.insert(name.clone(), term.clone());
        self.numbers.clear();
        self.truths.clear();
    }

    /// Replaces a whole term; to be said after the variables.
    pub fn replace(&mut self, term: &N, by: &N) {
        match term.as_var() {
            Some(var) => self.vars.insert(var.name.clone(), by.clone()).map(|_| ()),
            None => self.numbers.insert(term.address(), (term.clone(), by.clone())).map(|_| ()),
        };
    }

    /// This substitution without the one of `name`, for going under a binder.
    pub fn without(&self, name: &Name) -> Subst<'a> {
        let mut vars = self.vars.clone();
        vars.remove(name);
        Subst { vars, functions: self.functions, ..Subst::default() }
    }

    pub fn replaces(&self, name: &Name) -> bool {
        self.vars.contains_key(name)
    }

    pub fn is_empty(&self) -> bool {
        self.vars.is_empty() && self.functions.is_none()
    }

    pub fn numeric(&mut self, term: &N) -> N {
        match term.kind() {
            NExp::Num(_) => return term.clone(),
            NExp::Var(var) => return self.vars.get(&var.name).cloned().unwrap_or_else(|| term.clone()),
            _ => {}
        }
        if let Some((_, done)) = self.numbers.get(&term.address()) {
            return done.clone();
        }
        let done = match term.kind() {
            NExp::Num(_) | NExp::Var(_) => term.clone(),
            NExp::Bin(op, ty, l, r) => N::bin(*op, *ty, &self.numeric(l), &self.numeric(r)),
            NExp::If(c, t, e) => {
                let c = self.boolean(c);
                N::ite(&c, &self.numeric(t), &self.numeric(e))
            }
            NExp::Cast(ty, inner) => N::cast(*ty, &self.numeric(inner)),
            NExp::Call(fun, args) => {
                let args: Vec<N> = args.iter().map(|a| self.numeric(a)).collect();
                match self.functions.and_then(|f| f(fun, &args)) {
                    Some(term) => term,
                    None => N::call(fun.clone(), args),
                }
            }
        };
        self.numbers.insert(term.address(), (term.clone(), done.clone()));
        done
    }

    pub fn boolean(&mut self, term: &B) -> B {
        if let BExp::Lit(_) = term.kind() {
            return term.clone();
        }
        if let Some((_, value)) = self.known.as_ref().filter(|(condition, _)| condition == term) {
            return B::lit(*value);
        }
        if let Some((_, done)) = self.truths.get(&term.address()) {
            return done.clone();
        }
        let done = match term.kind() {
            BExp::Lit(_) => term.clone(),
            BExp::Rel(op, l, r) => B::rel(*op, &self.numeric(l), &self.numeric(r)),
            BExp::And(parts) => B::and(parts.iter().map(|p| self.boolean(p)).collect::<Vec<_>>()),
            BExp::Or(parts) => B::or(parts.iter().map(|p| self.boolean(p)).collect::<Vec<_>>()),
            BExp::Not(inner) => B::not(&self.boolean(inner)),
        };
        self.truths.insert(term.address(), (term.clone(), done.clone()));
        done
    }
}

/// The variables and the functions of terms; each shared subterm is looked at once.
#[derive(Default)]
pub struct Leaves {
    pub vars: BTreeSet<Var>,
    pub functions: BTreeSet<Fun>,
    seen: FxHashSet<usize>,
}

impl Leaves {
    /// Those of a condition.
    pub fn of(term: &B) -> Leaves {
        let mut leaves = Leaves::default();
        leaves.boolean(term);
        leaves
    }

    /// How many terms have been looked at.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    pub fn numeric(&mut self, term: &N) {
        if !self.seen.insert(term.address()) {
            return;
        }
        work(1);
        match term.kind() {
            NExp::Num(_) => {}
            NExp::Var(var) => {
                self.vars.insert(var.clone());
            }
            NExp::Bin(_, _, l, r) => {
                self.numeric(l);
                self.numeric(r);
            }
            NExp::If(c, t, e) => {
                self.boolean(c);
                self.numeric(t);
                self.numeric(e);
            }
            NExp::Cast(_, inner) => self.numeric(inner),
            NExp::Call(fun, args) => {
                self.functions.insert(fun.clone());
                args.iter().for_each(|a| self.numeric(a));
            }
        }
    }

    pub fn boolean(&mut self, term: &B) {
        if !self.seen.insert(term.address()) {
            return;
        }
        work(1);
        match term.kind() {
            BExp::Lit(_) => {}
            BExp::Rel(_, l, r) => {
                self.numeric(l);
                self.numeric(r);
            }
            BExp::And(parts) | BExp::Or(parts) => parts.iter().for_each(|p| self.boolean(p)),
            BExp::Not(inner) => self.boolean(inner),
        }
    }
}

/// `fv(n)`.
pub fn free_vars_n(term: &N) -> BTreeSet<Var> {
    let mut leaves = Leaves::default();
    leaves.numeric(term);
    leaves.vars
}

/// `fv(b)`.
pub fn free_vars_b(term: &B) -> BTreeSet<Var> {
    let mut leaves = Leaves::default();
    leaves.boolean(term);
    leaves.vars
}

/// Calls back on every numeric subterm of a condition, on shared ones once.
pub fn subterms(condition: &B, visit: &mut impl FnMut(&N)) {
    visit_all(Vec::new(), vec![condition.clone()], visit);
}

/// The same for a term.
pub fn subterms_n(term: &N, visit: &mut impl FnMut(&N)) {
    visit_all(vec![term.clone()], Vec::new(), visit);
}

fn visit_all(mut numbers: Vec<N>, mut conditions: Vec<B>, visit: &mut impl FnMut(&N)) {
    let mut seen = FxHashSet::default();
    loop {
        if let Some(term) = numbers.pop() {
            let term: N = term;
            if !seen.insert(term.address()) {
                continue;
            }
            visit(&term);
            match term.kind() {
                NExp::Num(_) | NExp::Var(_) => {}
                NExp::Bin(_, _, l, r) => numbers.extend([l.clone(), r.clone()]),
                NExp::If(c, t, e) => {
                    conditions.push(c.clone());
                    numbers.extend([t.clone(), e.clone()]);
                }
                NExp::Cast(_, inner) => numbers.push(inner.clone()),
                NExp::Call(_, args) => numbers.extend(args.iter().cloned()),
            }
        } else if let Some(condition) = conditions.pop() {
            if !seen.insert(condition.address()) {
                continue;
            }
            match condition.kind() {
                BExp::Lit(_) => {}
                BExp::Rel(_, l, r) => numbers.extend([l.clone(), r.clone()]),
                BExp::And(parts) | BExp::Or(parts) => conditions.extend(parts.iter().cloned()),
                BExp::Not(inner) => conditions.push(inner.clone()),
            }
        } else {
            return;
        }
    }
}
