//! Threads of a warp in lock-step: what two of them do at the same time.

use super::access::{Access, Mode};
use super::closure::{Closure, Context};
use super::range::{Range, Step};
use super::scope::Projection;
use super::unsync::Unsync;
use crate::base::Name;
use crate::exp::{B, IntTy, N, Subst, Var, free_vars_n};

/// More iterations than a loop has.
pub const ENDLESS: i128 = 1 << 64;

/// One closure for each store of a closure, as threads of a warp make it at the same time that run in lock-step.
///
/// Source:   \[LSP\] section 4; protocol-spec/05-scopes.md [LOCK-STORE].     Shape: Closure -> closures.
/// Ensures:  THM-LOCKSTEP, tests/theorems/lockstep.rs: two threads race in one of them iff they make one store in the same
///           iteration of all loops around it, and race with that; of an approximate one, if.
/// Errors:   none, total.
/// Deviates: the branches of a conditional, which are run one after the other, are not compared.
pub fn lockstep(projection: &Projection, closure: &Closure) -> Vec<Closure> {
    let own = projection.locals.iter().map(|v| v.name.clone()).collect();
    let mut walk = Walk { closure, own, each: Vec::new(), around: Vec::new(), last: None, found: Vec::new() };
    walk.code(&closure.code);
    walk.found
}

/// What stands around a store.
enum Around {
    If(B),
    /// Both threads are in the same iteration.
    Same(Range),
    /// Which iterations are the same is not followed.
    Each(Range),
}

struct Walk<'c> {
    closure: &'c Closure,
    /// The variables of which each thread has its own value.
    own: Vec<Name>,
    /// Those of loops of which it is not followed which iterations are the same.
    each: Vec<Name>,
    /// Outermost first.
    around: Vec<Around>,
    /// The store that came just before, if nothing came in between: it is the last that was found.
    last: Option<Access>,
    found: Vec<Closure>,
}

impl Walk<'_> {
    fn code(&mut self, code: &Unsync) {
        match code {
            Unsync::Skip => {}
            Unsync::Access(access) => match access.mode {
                Mode::Wr(_) => self.store(access),
                // Of one instruction the reads come before the stores, and atomic operations do not race.
                Mode::Rd | Mode::At(_) => self.last = None,
            },
            Unsync::Seq(parts) => parts.iter().for_each(|u| self.code(u)),
            Unsync::If(b, t, e) => {
                for (cond, branch) in [(b.clone(), t), (B::not(b), e)] {
                    self.inside([Around::If(cond)], branch);
                }
            }
            Unsync::For(range, body) => {
                self.last = None;
                self.repeated(range, body);
                self.last = None;
            }
        }
    }

    fn inside<const K: usize>(&mut self, around: [Around; K], code: &Unsync) {
        self.around.extend(around);
        self.code(code);
        self.around.truncate(self.around.len() - K);
    }

    fn repeated(&mut self, range: &Range, body: &Unsync) {
        let mentions = |term: &N, names: &[Name]| free_vars_n(term).iter().any(|v| names.contains(&v.name));
        let [first, end, amount] = range.terms();
        if !mentions(first, &self.own) && !mentions(amount, &self.own) && !mentions(end, &self.each) {
            // [LOCK-SAME]  both begin with the same value: one value, one iteration
            return self.inside([Around::Same(range.clone())], body);
        }
        // [LOCK-COUNT]  otherwise the iterations are counted
        let count = Var::new(range.var.name.clone(), IntTy::MATH);
        let (k, math) = (N::var(&count), IntTy::MATH);
        let (value, step) = match &range.step {
            Step::Up(s) => (N::add(math, first, &N::mul(math, &k, s)), s),
            Step::Down(s) => (N::sub(math, first, &N::mul(math, &k, s)), s),
            // [LOCK-EACH]  or any two are compared
            Step::Times(_) | Step::Over(_) => {
                self.own.push(range.var.name.clone());
                self.each.push(range.var.name.clone());
                self.inside([Around::Each(range.clone())], body);
                self.each.pop();
                self.own.pop();
                return;
            }
        };
        let moves = B::or([k.eq(&N::num(0)), N::num(1).le(step)]);
        let reached = B::and([range.within(&value), moves]);
        let body = body.subst(&mut Subst::one(&range.var.name, &value));
        let counted = Range::up(count, N::num(0), N::num(ENDLESS));
        self.inside([Around::Same(counted), Around::If(reached)], &body);
    }

    fn store(&mut self, access: &Access) {
        let mut context = self.closure.context.clone();
        let mut code = Unsync::Access(access.clone());
        for around in self.around.iter().rev() {
            code = match around {
                Around::If(b) => Unsync::when(b, code),
                Around::Each(range) => Unsync::repeat(range.clone(), code),
                Around::Same(_) => code,
            };
        }
        context.extend(self.around.iter().filter_map(|around| match around {
            Around::Same(range) => Some(Context::Bind(range.clone())),
            Around::If(_) | Around::Each(_) => None,
        }));
        // [LOCK-ONE]  what one store may write to, if it is not one place
        let is_one = |last: &Access| last.site == access.site && last.array == access.array;
        let before = self.found.last_mut().filter(|c| self.last.as_ref().is_some_and(is_one) && c.context == context);
        self.last = Some(access.clone());
        if let Some(before) = before {
            before.code = Unsync::seq([before.code.clone(), code]);
            before.approximate = true;
            return;
        }
        let approximate = self.closure.approximate || !self.each.is_empty();
        self.found.push(Closure { start: self.closure.start, context, code, approximate });
    }
}
