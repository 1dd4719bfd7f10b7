//! From a protocol to the code of its phases, without copying loop bodies: the default path.

use std::collections::BTreeSet;

use super::closure::{Closure, Context};
use super::kernel::Kernel;
use super::names::{Mentioned, depends, primed, rename_apart};
use super::protocol::Protocol;
use super::range::Range;
use super::unsync::Unsync;
use crate::base::Name;
use crate::exp::subst::Leaves;
use crate::exp::{B, N, Subst};

/// What code does up to its first barrier.
#[derive(Clone, Debug)]
pub struct Head {
    /// `first(p)`: the accesses before the first barrier.
    pub first: Unsync,
    /// `through(p)`: the condition that no barrier is met. Not exact means implied by that condition.
    pub through: B,
    /// Are `first` and `through` exact? Otherwise both may say too much, never too little.
    pub exact: bool,
}

/// What follows, up to the next barrier.
#[derive(Clone)]
struct Rest {
    code: Unsync,
    exact: bool,
}

/// Breaks a protocol into phases: one closure for the entry, and one for each barrier of the text, in program order.
///
/// Source:   theory 2; protocol-spec/05-phases.md.      Shape: Kernel of Protocol -> list of Closure.
/// Units:    the binders of a closure are the synchronised loops around its barrier, outermost first.
/// Ensures:  THM-PHASE, tests/theorems/phases.rs: over all values of their binders, the nonempty phases of the closures
///           are those of the history; of an approximate closure, a superset.
/// Errors:   none, total. What decides whether a barrier runs is taken to be the same for both threads.
/// Deviates: from \[MAP\] section 4: no copies of loop bodies, loops may run zero times, barriers under conditions.
pub fn phases(kernel: &Kernel<Protocol>) -> Vec<Closure> {
    let code = rename_apart(kernel);
    let mut taken = Mentioned::of(&code).names();
    taken.extend(kernel.header_vars().map(|v| v.name.clone()));
    let entry = head(&code);
    let start = Closure { start: None, context: Vec::new(), code: entry.first, approximate: !entry.exact };
    // [PHASE-ENTRY]  [first(p)] ++ phases(p, skip)
    let mut all = vec![start];
    all.extend(after(&code, &Rest { code: Unsync::Skip, exact: true }, &taken));
    for closure in &mut all {
        closure.context.reverse();
        closure.code = apart_from(&closure.context, &closure.code, &taken);
    }
    all
}

/// The code with its binders renamed that hide a binder of the context: an iteration after x may contain all of another
/// run of the loop that the barrier is in.
fn apart_from(context: &[Context], code: &Unsync, taken: &BTreeSet<Name>) -> Unsync {
    let bound = context.iter().filter_map(|c| match c {
        Context::Bind(range) => Some(range.var.name.clone()),
        Context::Assume(_) => None,
    });
    rename_bound(code, &bound.collect(), taken)
}

fn rename_bound(code: &Unsync, hidden: &BTreeSet<Name>, taken: &BTreeSet<Name>) -> Unsync {
    match code {
        Unsync::Skip => Unsync::Skip,
        Unsync::Access(access) => Unsync::Access(access.clone()),
        Unsync::Seq(parts) => Unsync::Seq(parts.iter().map(|u| rename_bound(u, hidden, taken)).collect()),
        Unsync::If(b, t, e) => {
            Unsync::If(b.clone(), Box::new(rename_bound(t, hidden, taken)), Box::new(rename_bound(e, hidden, taken)))
        }
        Unsync::For(range, body) => {
            let body = rename_bound(body, hidden, taken);
            if !hidden.contains(&range.var.name) {
                return Unsync::For(range.clone(), Box::new(body));
            }
            let var = primed(&range.var, taken);
            let body = body.subst(&mut Subst::one(&range.var.name, &N::var(&var)));
            Unsync::For(Range { var, ..range.clone() }, Box::new(body))
        }
    }
}

/// `first(p)` and `through(p)`.
///
/// Source:   theory 2; protocol-spec/05-phases.md.      Shape: Protocol -> Head.
/// Deviates: none when `exact`; a loop whose passing depends on its variable is over-approximated.
pub fn head(code: &Protocol) -> Head {
    match code {
        // [HEAD-SKIP]    first(skip) = skip              through(skip) = true
        Protocol::Skip => Head { first: Unsync::Skip, through: B::lit(true), exact: true },
        // [HEAD-ACC]     first(o[n]) = o[n]              through(o[n]) = true
        Protocol::Access(access) => Head { first: Unsync::Access(access.clone()), through: B::lit(true), exact: true },
        // [HEAD-SYNC]    first(sync) = skip              through(sync) = false
        Protocol::Sync(_) => Head { first: Unsync::Skip, through: B::lit(false), exact: true },
        // [HEAD-SEQ]     first(p; q) = first(p); if through(p) {first(q)}      through(p; q) = through(p) and through(q)
        Protocol::Seq(parts) => sequence(parts.iter().map(head)),
        // [HEAD-IF]      by branch
        Protocol::If(b, t, e) => {
            let (t, e) = (head(t), head(e));
            let through = if t.through == e.through {
                t.through
            } else {
                B::or([B::and([b.clone(), t.through]), B::and([B::not(b), e.through])])
            };
            Head { first: Unsync::branch(b, t.first, e.first), through, exact: t.exact && e.exact }
        }
        Protocol::For(range, body) => head_for(range, head(body)),
    }
}

/// The heads of a sequence as one, without nesting.
fn sequence(heads: impl Iterator<Item = Head>) -> Head {
    let mut done = Vec::new();
    let mut group = Vec::new();
    let (mut through, mut exact) = (B::lit(true), true);
    for head in heads {
        if through.as_lit() == Some(false) {
            break;
        }
        exact &= head.exact;
        group.push(head.first);
        if head.through.as_lit() != Some(true) {
            done.push(Unsync::when(&through, Unsync::seq(std::mem::take(&mut group))));
            through = B::and([through, head.through]);
        }
    }
    done.push(Unsync::when(&through, Unsync::seq(group)));
    Head { first: Unsync::seq(done), through, exact }
}

/// Terms in a condition that is still worth asking for.
const LARGE: usize = 500;

/// Iterations up to and including the first that does not pass; the loop passes when all its iterations do.
fn head_for(range: &Range, body: Head) -> Head {
    let empty = B::not(&range.nonempty());
    let at_first = |code: &Unsync| code.subst(&mut Subst::one(&range.var.name, &range.first));
    match body.through.as_lit() {
        // [HEAD-FOR-NEVER]   through(p) = true:    all iterations
        Some(true) => Head { first: Unsync::repeat(range.clone(), body.first), ..body },
        // [HEAD-FOR-ALWAYS]  through(p) = false:   the first iteration, if there is one
        Some(false) => {
            Head { first: Unsync::when(&range.nonempty(), at_first(&body.first)), through: empty, exact: body.exact }
        }
        // [HEAD-FOR-SAME]    x not in fv(through(p)):   all iterations, or the first one. The body is not copied, because
        //                    copies at each level of nesting would make the code exponential.
        None if body.exact && !depends(&body.through, range) => {
            let reached = B::or([body.through.clone(), range.binder().eq(&range.first)]);
            Head {
                first: Unsync::repeat(range.clone(), Unsync::when(&reached, body.first)),
                through: B::or([empty, body.through]),
                exact: true,
            }
        }
        // [HEAD-FOR-SOME]    otherwise: iterations for which it is not plain that an earlier one does not pass
        None => {
            let passes_at = |value: &N| Subst::one(&range.var.name, value).boolean(&body.through);
            let x = range.binder();
            let earlier = B::and([passes_at(&range.first), range.previous().map_or(B::lit(true), |n| passes_at(&n))]);
            let reached = B::or([x.eq(&range.first), earlier]);
            let last = range.last().map_or(B::lit(true), |n| passes_at(&n));
            // [HEAD-FOR-LARGE]   copies of a condition at each level of nesting: one that has grown too large says nothing
            let through = B::or([empty, B::and([passes_at(&range.first), last])]);
            let large = Leaves::of(&through).count() > LARGE;
            Head {
                first: Unsync::repeat(range.clone(), Unsync::when(&reached, body.first.clone())),
                through: if large { B::lit(true) } else { through },
                exact: false,
            }
        }
    }
}

/// `phases(p, k)`: the phases that the barriers of `code` start, when `rest` follows it up to the next barrier. The
/// contexts are innermost first.
fn after(code: &Protocol, rest: &Rest, taken: &BTreeSet<Name>) -> Vec<Closure> {
    match code {
        // [PHASE-ACC]    phases(skip, k) = phases(o[n], k) = []
        Protocol::Skip | Protocol::Access(_) => Vec::new(),
        // [PHASE-SYNC]   phases(sync, k) = [k]
        Protocol::Sync(barrier) => vec![Closure {
            start: Some(barrier.site),
            context: Vec::new(),
            code: rest.code.clone(),
            approximate: !rest.exact,
        }],
        // [PHASE-SEQ]    phases(p; q, k) = phases(p, first(q); if through(q) {k}) ++ phases(q, k)
        Protocol::Seq(parts) => {
            let heads: Vec<Head> = parts.iter().map(head).collect();
            let last = Head { first: rest.code.clone(), through: B::lit(true), exact: rest.exact };
            let mut all = Vec::new();
            for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.synchronises()) {
                let following = heads.iter().skip(i + 1).chain(std::iter::once(&last)).cloned();
                let rest = sequence(following);
                all.extend(after(part, &Rest { code: rest.first, exact: rest.exact }, taken));
            }
            all
        }
        // [PHASE-IF]     phases(if b {p} else {q}, k) = [if b. c | c in phases(p, k)] ++ [if not b. c | c in phases(q, k)]
        Protocol::If(b, t, e) => {
            let mut all = Vec::new();
            for (cond, branch) in [(b.clone(), t), (B::not(b), e)] {
                let mut closures = after(branch, rest, taken);
                closures.iter_mut().for_each(|c| c.context.push(Context::Assume(cond.clone())));
                all.extend(closures);
            }
            all
        }
        // [PHASE-FOR]    phases(for x in r {p}, k) = [var x in r. c | c in phases(p, the iterations after x; k)]
        Protocol::For(range, body) => {
            if !body.synchronises() {
                return Vec::new();
            }
            let rest = rest_of_loop(range, head(body), rest, taken);
            let mut closures = after(body, &rest, taken);
            closures.iter_mut().for_each(|c| c.context.push(Context::Bind(range.clone())));
            closures
        }
    }
}

/// What follows a barrier in iteration x, after the end of that iteration and up to the next barrier.
fn rest_of_loop(range: &Range, body: Head, rest: &Rest, taken: &BTreeSet<Name>) -> Rest {
    let has_next = range.has_next();
    let at_next = |code: &Unsync| code.subst(&mut Subst::one(&range.var.name, &range.next()));
    let always = body.through.as_lit() == Some(false);
    if always || (body.exact && !depends(&body.through, range)) {
        // [PHASE-FOR-SAME]  x not in fv(through(p)): iteration x did not pass, so that the next one does not either
        return Rest {
            code: Unsync::branch(&has_next, at_next(&body.first), rest.code.clone()),
            exact: body.exact && rest.exact,
        };
    }
    // [PHASE-FOR-SOME]  otherwise: the iterations after x for which it is not plain that an earlier one does not pass
    let passes_at = |value: &N| Subst::one(&range.var.name, value).boolean(&body.through);
    let later = range.after(primed(&range.var, taken));
    let y = later.binder();
    let next_passes = passes_at(&range.next());
    let earlier = later.previous().map_or(B::lit(true), |n| passes_at(&n));
    let reached = B::or([y.eq(&range.next_exact()), B::and([next_passes.clone(), earlier])]);
    let code = Unsync::when(&reached, body.first.subst(&mut Subst::one(&range.var.name, &y)));
    let last = range.last().map_or(B::lit(true), |n| passes_at(&n));
    let all_pass = B::or([B::not(&has_next), B::and([next_passes, last])]);
    Rest {
        code: Unsync::seq([
            Unsync::when(&has_next, Unsync::repeat(later, code)),
            Unsync::when(&all_pass, rest.code.clone()),
        ]),
        exact: false,
    }
}
