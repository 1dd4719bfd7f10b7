//! Which protocols are in the language: for the default path ([`violations`]), and for the path of the paper
//! ([`wellformed`]), which accepts less.

use std::collections::BTreeMap;

use super::access::{Access, Scope, SiteId};
use super::kernel::Kernel;
use super::protocol::{Barrier, Protocol};
use super::range::{Range, Step};
use super::scope::Level;
use super::unsync::Unsync;
use crate::base::Name;
use crate::exp::Var;
use crate::exp::subst::Leaves;

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The id of the rule in `protocol-spec/`.
    pub rule: &'static str,
    /// An access or barrier at the place.
    pub at: Option<SiteId>,
    pub message: String,
}

/// A protocol of the paper's language W, and the unsynchronised code after its last barrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WellFormed {
    /// There is no barrier.
    Unsync(Unsync),
    Synced(Body),
}

/// `p; u`: at least one synchronised piece, then code that no barrier of this body follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    pub first: Synced,
    pub rest: Vec<Synced>,
    pub tail: Unsync,
}

/// `p ::= u; sync | p; p | u; for^S x in n..m {p; u}` of \[MAP\] Fig. 2; the sequence is in [`Body`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Synced {
    Sync(Unsync, Barrier),
    For(Unsync, Range, Box<Body>),
}

impl Body {
    /// The same code as a protocol.
    pub fn protocol(&self) -> Protocol {
        let pieces = std::iter::once(&self.first).chain(&self.rest).flat_map(|piece| match piece {
            Synced::Sync(u, barrier) => [u.protocol(), Protocol::Sync(barrier.clone())],
            Synced::For(u, range, body) => [u.protocol(), Protocol::For(range.clone(), Box::new(body.protocol()))],
        });
        Protocol::seq(pieces.chain([self.tail.protocol()]).collect::<Vec<_>>())
    }
}

impl WellFormed {
    /// The same code as a protocol.
    pub fn protocol(&self) -> Protocol {
        match self {
            WellFormed::Unsync(u) => u.protocol(),
            WellFormed::Synced(body) => body.protocol(),
        }
    }
}

/// Where the thread-local variables of a level are bound, and what is in scope.
struct Scopes<'k> {
    level: Level,
    kernel: &'k Kernel<Protocol>,
    /// The variables in scope; true when threads that meet at the level may differ in it.
    scope: BTreeMap<Name, (Var, bool)>,
    found: Vec<Violation>,
}

/// All broken rules of the language of the default path, in program order; empty when the kernel is in it.
///
/// Source:   theory 2, 4; protocol-spec/03-wellformed.md.     Shape: Kernel of Protocol, level -> violations.
/// Units:    at the levels of warp and block a thread has its own coordinates, at those of cluster and grid also its own block.
/// Deviates: from \[MAP\]: synchronised conditionals, and loops that run zero times, are allowed.
pub fn violations(kernel: &Kernel<Protocol>, level: Level) -> Vec<Violation> {
    let mut scopes = Scopes { level, kernel, scope: BTreeMap::new(), found: Vec::new() };
    scopes.header();
    scopes.code(&kernel.code);
    scopes.found
}

impl Scopes<'_> {
    fn report(&mut self, rule: &'static str, at: Option<SiteId>, message: String) {
        self.found.push(Violation { rule, at, message });
    }

    fn declare(&mut self, var: &Var, local: bool) {
        // [WF-NAMES]  the names of the header are distinct
        if self.scope.insert(var.name.clone(), (var.clone(), local)).is_some() {
            self.report("WF-NAMES", None, format!("`{}` is declared twice", var.name));
        }
    }

    fn header(&mut self) {
        let kernel = self.kernel;
        kernel.globals.iter().for_each(|v| self.declare(v, false));
        // [WF-EXTENT]  an extent mentions globals only
        for coordinate in kernel.blocks.iter().chain(&kernel.threads) {
            self.bound("WF-EXTENT", None, |leaves| leaves.numeric(&coordinate.extent));
        }
        for size in &kernel.clusters {
            self.bound("WF-EXTENT", None, |leaves| leaves.numeric(size));
        }
        kernel.blocks.iter().for_each(|c| self.declare(&c.var, self.level > Level::Block));
        kernel.threads.iter().for_each(|c| self.declare(&c.var, true));
        self.bound("WF-BOUND", None, |leaves| leaves.boolean(&kernel.pre));
        self.bound("WF-BOUND", None, |leaves| kernel.pairs.iter().for_each(|b| leaves.boolean(b)));
        for (i, array) in kernel.arrays.iter().enumerate() {
            if kernel.arrays.iter().take(i).any(|a| a.name == array.name) {
                self.report("WF-NAMES", None, format!("the array `{}` is declared twice", array.name));
            }
        }
    }

    /// Reports the variables that are not in scope, or have another type there.
    fn bound(&mut self, rule: &'static str, at: Option<SiteId>, visit: impl FnOnce(&mut Leaves)) {
        let mut leaves = Leaves::default();
        visit(&mut leaves);
        for var in leaves.vars {
            match self.scope.get(&var.name) {
                None => self.report(rule, at, format!("`{}` is not declared here", var.name)),
                // [WF-TYPE]  a variable has the type that it was declared with
                Some((declared, _)) if declared.ty != var.ty => {
                    let message = format!("`{}` is declared as {}, and used as {}", var.name, declared.ty, var.ty);
                    self.report("WF-TYPE", at, message);
                }
                Some(_) => {}
            }
        }
    }

    /// The first variable of the term in which threads may differ.
    fn local(&self, visit: impl FnOnce(&mut Leaves)) -> Option<Name> {
        let mut leaves = Leaves::default();
        visit(&mut leaves);
        let mut names = leaves.vars.into_iter().map(|v| v.name);
        names.find(|name| self.scope.get(name).is_some_and(|(_, local)| *local))
    }

    fn code(&mut self, code: &Protocol) {
        match code {
            Protocol::Skip => {}
            Protocol::Access(access) => self.access(access),
            Protocol::Sync(barrier) => self.barrier(barrier),
            Protocol::Seq(parts) => parts.iter().for_each(|p| self.code(p)),
            Protocol::If(b, t, e) => {
                let at = a_site(code);
                // [WF-BOUND]  every variable is declared by the header or bound by a loop around it
                self.bound("WF-BOUND", at, |leaves| leaves.boolean(b));
                // [WF-UNIFORM-IF]  a condition that decides whether a barrier runs is the same for all threads
                if self.barrier_in(code)
                    && let Some(name) = self.local(|leaves| leaves.boolean(b))
                {
                    let message = format!("the condition of a synchronised conditional depends on `{name}`");
                    self.report("WF-UNIFORM-IF", at, message);
                }
                self.code(t);
                self.code(e);
            }
            Protocol::For(range, body) => self.repeat(range, body),
        }
    }

    /// A barrier that orders the threads of the level.
    fn barrier_in(&self, code: &Protocol) -> bool {
        synchronises_at(code, self.level).is_some()
    }

    fn access(&mut self, access: &Access) {
        let at = Some(access.site);
        self.bound("WF-BOUND", at, |leaves| access.terms().for_each(|n| leaves.numeric(n)));
        // [WF-ARRAY]  the array is declared
        if self.kernel.array(&access.array).is_none() {
            self.report("WF-ARRAY", at, format!("the array `{}` is not declared", access.array));
        }
        // [WF-WIDTH]  an access touches at least one unit
        if access.width == 0 {
            self.report("WF-WIDTH", at, "the width of an access is at least 1".into());
        }
    }

    fn barrier(&mut self, barrier: &Barrier) {
        let at = Some(barrier.site);
        let Some(mask) = &barrier.mask else { return };
        self.bound("WF-BOUND", at, |leaves| leaves.numeric(mask));
        // [WF-MASK]  only the barrier of a warp has a mask
        if barrier.scope != Scope::Warp {
            self.report("WF-MASK", at, "only the barrier of a warp has a mask".into());
        }
        // [WF-UNIFORM-MASK]  the mask is the same for all threads of the barrier
        if self.level == Level::Warp
            && let Some(name) = self.local(|leaves| leaves.numeric(mask))
        {
            self.report("WF-UNIFORM-MASK", at, format!("the mask depends on `{name}`"));
        }
    }

    fn repeat(&mut self, range: &Range, body: &Protocol) {
        let at = a_site(body);
        self.bound("WF-BOUND", at, |leaves| range.terms().into_iter().for_each(|n| leaves.numeric(n)));
        let local = self.local(|leaves| range.terms().into_iter().for_each(|n| leaves.numeric(n)));
        let synced = self.barrier_in(body);
        // [WF-UNIFORM-FOR]  the bounds and step of a synchronised loop are the same for all threads
        if let (true, Some(name)) = (synced, &local) {
            let message = format!("the range of the synchronised loop over `{}` depends on `{name}`", range.var.name);
            self.report("WF-UNIFORM-FOR", at, message);
        }
        // [WF-SHADOW]  a loop does not bind a name that is in scope
        let hidden = self.scope.get(&range.var.name).cloned();
        if hidden.is_some() {
            self.report("WF-SHADOW", at, format!("the loop variable `{}` hides another variable", range.var.name));
        }
        self.scope.insert(range.var.name.clone(), (range.var.clone(), !synced));
        self.code(body);
        match hidden {
            Some(outer) => self.scope.insert(range.var.name.clone(), outer),
            None => self.scope.remove(&range.var.name),
        };
    }
}

/// A barrier of the code that orders threads that meet at the level.
pub fn synchronises_at(code: &Protocol, level: Level) -> Option<SiteId> {
    match code {
        Protocol::Skip | Protocol::Access(_) => None,
        Protocol::Sync(barrier) => (barrier.scope >= level.scope()).then_some(barrier.site),
        Protocol::Seq(parts) => parts.iter().find_map(|p| synchronises_at(p, level)),
        Protocol::If(_, t, e) => synchronises_at(t, level).or_else(|| synchronises_at(e, level)),
        Protocol::For(_, body) => synchronises_at(body, level),
    }
}

/// The first site of the code.
pub fn a_site(code: &Protocol) -> Option<SiteId> {
    match code {
        Protocol::Skip => None,
        Protocol::Access(access) => Some(access.site),
        Protocol::Sync(barrier) => Some(barrier.site),
        Protocol::Seq(parts) => parts.iter().find_map(a_site),
        Protocol::If(_, t, e) => a_site(t).or_else(|| a_site(e)),
        Protocol::For(_, body) => a_site(body),
    }
}

/// The kernel in the language W of the paper, or every violation.
///
/// Source:   \[MAP\] Fig. 2; protocol-spec/03-wellformed.md.      Shape: Kernel of Protocol -> Kernel of WellFormed.
/// Errors:   those of [`violations`], and the restrictions of the paper: no synchronised conditional, synchronised loops
///           of constant step that run at least once. A range not known to be empty is taken to be nonempty.
/// Deviates: code after the last barrier is kept apart (`tail`) instead of being refused.
pub fn wellformed(kernel: &Kernel<Protocol>, level: Level) -> Result<Kernel<WellFormed>, Vec<Violation>> {
    let mut found = violations(kernel, level);
    let code = separate(&kernel.code, &mut found);
    if found.is_empty() { Ok(kernel.with_code(code)) } else { Err(found) }
}

/// Tells synchronised and unsynchronised code apart.
fn separate(code: &Protocol, found: &mut Vec<Violation>) -> WellFormed {
    let mut synced = Vec::new();
    let mut pending = Vec::new();
    gather(code, &mut pending, &mut synced, found);
    let tail = Unsync::seq(pending);
    let mut pieces = synced.into_iter();
    match pieces.next() {
        None => WellFormed::Unsync(tail),
        Some(first) => WellFormed::Synced(Body { first, rest: pieces.collect(), tail }),
    }
}

/// `pending` is the unsynchronised code since the last synchronised piece.
fn gather(code: &Protocol, pending: &mut Vec<Unsync>, synced: &mut Vec<Synced>, found: &mut Vec<Violation>) {
    if let (Some(u), false) = (Unsync::from_protocol(code), matches!(code, Protocol::Seq(_))) {
        // [WF-U]
        pending.push(u);
        return;
    }
    match code {
        Protocol::Skip | Protocol::Access(_) => {}
        // [WF-SYNC]
        Protocol::Sync(barrier) => synced.push(Synced::Sync(Unsync::seq(std::mem::take(pending)), barrier.clone())),
        // [WF-SEQ]
        Protocol::Seq(parts) => parts.iter().for_each(|p| gather(p, pending, synced, found)),
        // [WF-IF]  the paper has no synchronised conditionals
        Protocol::If(..) => found.push(Violation {
            rule: "WF-IF",
            at: a_site(code),
            message: "a barrier stands under a condition, which the language of the paper does not have".into(),
        }),
        // [WF-FOR]
        Protocol::For(range, body) => {
            restrictions(range, a_site(body), found);
            match separate(body, found) {
                WellFormed::Unsync(u) => pending.push(Unsync::repeat(range.clone(), u)),
                WellFormed::Synced(body) => {
                    let before = Unsync::seq(std::mem::take(pending));
                    synced.push(Synced::For(before, range.clone(), Box::new(body)));
                }
            }
        }
    }
}

fn restrictions(range: &Range, at: Option<SiteId>, found: &mut Vec<Violation>) {
    // [WF-STEP]  aligning goes to the iteration before, and to the last one
    let steady = matches!(&range.step, Step::Up(s) | Step::Down(s) if s.as_num().is_some_and(|s| s >= 1));
    if !steady {
        let message = format!("the synchronised loop over `{}` has no constant positive step", range.var.name);
        found.push(Violation { rule: "WF-STEP", at, message });
    }
    // [WF-NONEMPTY]  a synchronised loop runs at least once
    if range.nonempty().as_lit() == Some(false) {
        let message = format!("the synchronised loop over `{}` does not run", range.var.name);
        found.push(Violation { rule: "WF-NONEMPTY", at, message });
    }
}
