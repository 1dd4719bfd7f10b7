//! Votes of the threads of a warp, which say how many there are and number them, and values that one thread of the warp
//! hands to the others. [INF-VOTE] [INF-SHUFFLE]

use std::collections::BTreeSet;

use super::settled::{is_small, is_small_condition};
use super::value::Value;
use super::{Walk, conjuncts};
use crate::core::tickets::VOTE;
use crate::exp::{B, Env, Fun, FunKind, IntTy, N, NBin, NExp, Order, Subst, Ticket, Var, eval_n, free_vars_n};
use crate::kernel::ir::Builtin;
use crate::kernel::types::Type;

/// The threads of a warp here; others have no votes that are understood.
const LANES: i128 = 32;
const WHOLE_WARP: i128 = 0xffff_ffff;
/// Of numbers of threads of a warp.
const COUNT: IntTy = IntTy::U8;
/// No block has more threads.
const MOST_THREADS: i128 = 1024;

/// What the threads that vote together are known by, as one of them sees it: `mask = __ballot_sync(asked, votes)`.
pub struct Vote {
    /// What it returns: the set of those that vote for it.
    mask: N,
    /// Who has to be there, where the program says so.
    asked: Option<N>,
    /// Does this thread vote for it?
    votes: B,
    /// All that holds of one that does.
    made: Vec<B>,
    /// The lane of the first of them, and the counters of the loops around it when it votes.
    lane: N,
    times: Vec<N>,
    counters: Vec<N>,
    /// The phase in which they vote.
    phase: N,
    /// How many they are, and how many of them have a smaller lane than this one, if it is one of them.
    total: N,
    rank: N,
    /// The same, and the lane of the first, for any thread.
    any_rank: N,
    any_lane: N,
    no_rank: N,
}

impl Walk<'_> {
    /// The set of the threads of this warp that get here together and of which `votes` holds.
    pub(super) fn vote(&mut self, name: &str, asked: Option<N>, votes: B, all_there: bool) -> N {
        let mask = self.fresh_of_type(name, IntTy::U64);
        if self.warp_size != LANES || self.lockstep {
            return mask;
        }
        // (In a loop, threads that are in iterations of one number need not be there together.)
        let all_there = all_there && asked.as_ref().is_some_and(is_whole_warp) && self.counters.is_empty();
        let warp = N::bin(NBin::Div, IntTy::U32, &self.builtin(Builtin::LinearThread), &N::num(LANES));
        let blocks = self.blocks.iter().filter(|(_, extent)| extent.as_num() != Some(1)).map(|(var, _)| N::var(var));
        let blocks: Vec<N> = blocks.collect();
        // All threads of the warp have one first thread; otherwise there may be several groups.
        let first = match all_there {
            true => self.fresh_in_part("first", COUNT, warp.clone()),
            false => self.fresh_of_type("first", COUNT),
        };
        let times: Vec<N> = (0..self.counters.len()).map(|_| self.fresh_of_type("time", IntTy::MATH)).collect();
        let lane = N::bin(NBin::Min, IntTy::U32, &first, &N::num(LANES - 1));
        let Some(leader) = self.of_lane(&lane) else { return mask };
        // [INF-VOTE] A counter of its own for each group, which counts those that vote for it.
        let number = N::num(VOTE - self.votes.len() as i128);
        let mut cell: Vec<N> = [number].into_iter().chain(blocks).collect();
        match all_there {
            true => cell.push(warp),
            false => cell.extend(leader.into_iter().map(|(_, n)| n)),
        }
        cell.extend(times.iter().cloned());
        let thread = self.coordinates();
        let made = B::and(self.path.iter().cloned().chain([votes.clone()]).collect::<Vec<_>>());
        let is_made = if made.depth() <= 30 { made.as_number() } else { N::num(0) };
        let mut votes_of = |order, threads: usize| {
            let ticket = Ticket { order, cell: cell.len() as u8, thread: threads as u8, bounded: true };
            Fun { name: self.names.fresh("votes"), ty: COUNT, kind: FunKind::Ticket(ticket) }
        };
        let (up, all) = (votes_of(Order::Up, thread.len()), votes_of(Order::Total, 0));
        let numbers = |of: &[i128]| of.iter().map(|n| N::num(*n)).collect::<Vec<N>>();
        let total = N::call(all, [numbers(&[0]), cell.clone(), numbers(&[1, 0, LANES])].concat());
        let limits = [vec![is_made], numbers(&[0, LANES - 1])].concat();
        let rank = N::call(up, [numbers(&[1]), cell, thread, limits, self.counters.clone()].concat());
        let no_rank = self.fresh_of_type("rank", COUNT);
        let no_lane = self.fresh_of_type("lane", IntTy::I32);
        self.votes.push(Vote {
            any_rank: N::ite(&votes, &rank, &no_rank),
            any_lane: N::ite(&votes, &lane, &no_lane),
            no_rank,
            mask: mask.clone(),
            asked,
            votes,
            made: conjuncts(&made),
            lane,
            times,
            counters: self.counters.clone(),
            phase: self.state.epoch.clone(),
            total,
            rank,
        });
        mask
    }

    /// What a function of bits is of the result of a vote.
    pub(super) fn of_votes(&self, name: &str, arg: &N) -> Option<N> {
        // As a signed number of 32 bits, a set has its last lane in all higher bits.
        let is_wide = name.ends_with("ll");
        fn bits_of(n: &N, is_wide: bool) -> &N {
            if is_wide { unsigned_bits(n) } else { bits(n) }
        }
        let vote_of = |n: &N| self.votes.iter().find(|v| v.mask == *bits_of(n, is_wide));
        match name {
            "__popc" | "__popcll" | "__builtin_popcount" => match (vote_of(arg), bits_of(arg, is_wide).kind()) {
                (Some(vote), _) => Some(vote.total.clone()),
                (None, NExp::Bin(NBin::And, ty, l, r)) if ty.bits >= 32 && !(is_wide && ty.bits == 32 && ty.signed) => {
                    let (vote, below) = match (vote_of(l), vote_of(r)) {
                        (Some(vote), None) => (vote, r),
                        (None, Some(vote)) => (vote, l),
                        _ => return None,
                    };
                    if self.names_lanes(below, |lane| (1 << lane) - 1) {
                        Some(vote.any_rank.clone())
                    } else if self.names_lanes(below, |lane| (2 << lane) - 1) {
                        let with_own = N::add(IntTy::I32, &vote.rank, &N::num(1));
                        Some(N::ite(&vote.votes, &with_own, &vote.no_rank))
                    } else {
                        None
                    }
                }
                _ => None,
            },
            "__ffs" | "__ffsll" | "__builtin_ffs" => Some(N::add(IntTy::I32, &vote_of(arg)?.any_lane, &N::num(1))),
            _ => None,
        }
    }

    /// `__shfl_sync(mask, value, lane)`: the value of that thread of the warp. [INF-SHUFFLE]
    pub(super) fn shuffled(&mut self, mask: &N, value: &N, lane: &N, ty: IntTy) -> Option<N> {
        if self.warp_size != LANES || self.lockstep || !is_small(value) {
            return None;
        }
        let (cond, found) = match self.votes.iter().position(|v| v.any_lane == *bits(lane)) {
            Some(at) => {
                let vote = self.votes.get(at)?;
                let named = is_whole_warp(mask) || vote.mask == *bits(mask) || vote.asked.as_ref() == Some(mask);
                // The first one of those that vote comes here, too, and in the iteration in which it votes.
                let there = self.counters == vote.counters && self.path.iter().all(|c| vote.made.contains(c));
                if !named || !there {
                    return None;
                }
                let (votes, lane) = (vote.votes.clone(), vote.lane.clone());
                (votes, self.seen_by(&lane, Some(at), &[value])?.numeric(value))
            }
            None => {
                let path = B::and(self.path.clone());
                if !is_whole_warp(mask) || !self.counters.is_empty() || !is_small_condition(&path) {
                    return None;
                }
                let lane = N::bin(NBin::And, IntTy::U32, &N::cast(IntTy::U32, lane), &N::num(LANES - 1));
                let (number, size) = (self.builtin(Builtin::LinearThread), self.builtin(Builtin::BlockSize));
                let mut seen = self.seen_by(&lane, None, &[value, &path.as_number()])?;
                let exists = match lane.as_num() {
                    Some(0) => B::lit(true),
                    _ => seen.numeric(&number).lt(&size),
                };
                (B::and([exists, seen.boolean(&path)]), seen.numeric(value))
            }
        };
        let other = self.fresh_of_type("shuffled", ty);
        Some(N::ite(&cond, &N::cast(ty, &found), &other))
    }

    /// These terms as another thread of the warp sees them, of which the lane is given: where there is a vote, the first one of
    /// those that vote with this thread, when it does.
    fn seen_by(&mut self, lane: &N, vote: Option<usize>, terms: &[&N]) -> Option<Subst<'static>> {
        let mut seen = Subst::new();
        for (var, number) in self.of_lane(lane)? {
            seen.bind(&var.name, &number);
        }
        let vars: BTreeSet<Var> = terms.iter().flat_map(|n| free_vars_n(n)).collect();
        let of_all = |w: &Self, v: &Var| w.globals_vars.contains(v) || w.blocks.iter().any(|(b, _)| b == v);
        // What loops have changed by then, it alone knows.
        for var in vars.iter().filter(|v| !seen.replaces(&v.name) && !of_all(self, v)).cloned().collect::<Vec<_>>() {
            let own = self.fresh_of_type(var.name.as_str(), var.ty);
            seen.bind(&var.name, &own);
        }
        if let Some(vote) = vote.and_then(|at| self.votes.get(at)) {
            for (counter, time) in vote.counters.iter().zip(&vote.times) {
                seen.bind(&counter.as_var()?.name, time);
            }
            // Of the same group they know the same.
            for same in [&vote.mask, &vote.lane, &vote.total, &vote.phase].into_iter().chain(&vote.times) {
                seen.replace(same, same);
            }
            seen.replace(&vote.any_lane, &vote.lane);
            for rank in [&vote.any_rank, &vote.rank] {
                seen.replace(rank, &N::num(0));
            }
        }
        // What is plain of the lane and the warp of that thread.
        let linear = self.builtin(Builtin::LinearThread);
        for ty in [IntTy::U32, IntTy::I32] {
            let number = N::cast(ty, &linear);
            let part = |op, by: i128| N::bin(op, ty, &number, &N::num(by));
            for own in [part(NBin::And, LANES - 1), part(NBin::Rem, LANES)] {
                seen.replace(&own, lane);
            }
            for own in [part(NBin::Div, LANES), part(NBin::Shr, 5)] {
                seen.replace(&own, &own);
            }
        }
        Some(seen)
    }

    /// The coordinates of the thread of this warp with that lane.
    fn of_lane(&self, lane: &N) -> Option<Vec<(Var, N)>> {
        let ty = IntTy::U32;
        let before = N::bin(NBin::Div, ty, &self.builtin(Builtin::LinearThread), &N::num(LANES));
        let mut number = N::add(ty, &N::mul(ty, &before, &N::num(LANES)), lane);
        let mut real: Vec<_> = self.threads.iter().filter(|(_, extent)| extent.as_num() != Some(1)).collect();
        let last = real.pop();
        let mut all = Vec::new();
        for (var, extent) in real {
            extent.as_num()?;
            all.push((var.clone(), N::bin(NBin::Rem, ty, &number, extent)));
            number = N::bin(NBin::Div, ty, &number, extent);
        }
        all.extend(last.map(|(var, _)| (var.clone(), number)));
        Some(all)
    }

    /// Is this, in each thread, the set of lanes that belongs to its own? It is tried out.
    fn names_lanes(&self, term: &N, set: impl Fn(i128) -> i128) -> bool {
        let [x, y, z] = [0, 1, 2].map(|axis| self.block_dim[axis].as_num());
        let size = match (x, y, z) {
            (Some(x), Some(y), Some(z)) => x.saturating_mul(y).saturating_mul(z),
            (None, Some(1), Some(1)) => MOST_THREADS,
            _ => return false,
        };
        (0..size.min(MOST_THREADS)).all(|number| {
            let mut env = Env::new();
            let mut rest = number;
            for ((var, _), extent) in
                self.threads.iter().zip([x.unwrap_or(MOST_THREADS), y.unwrap_or(1), z.unwrap_or(1)])
            {
                env.set(&var.name, rest % extent.max(1));
                rest /= extent.max(1);
            }
            eval_n(term, &env).is_ok_and(|found| IntTy::U32.wrap(found) == IntTy::U32.wrap(set(number % LANES)))
        })
    }

    /// What a group of coalesced threads is asked for.
    pub(super) fn of_group(&self, name: &str, group: &N) -> Option<N> {
        let vote = self.votes.iter().find(|v| v.mask == *group)?;
        match name {
            "size" | "num_threads" => Some(vote.total.clone()),
            "thread_rank" => Some(vote.any_rank.clone()),
            _ => None,
        }
    }

    /// The value of an exchange or vote of a warp, where it is one of those.
    pub(super) fn of_warp(&mut self, name: &str, values: &[Value], ty: &Type) -> Option<N> {
        let numbers: Vec<N> =
            values.iter().map(|v| if let Value::Num(n) = v { Some(n.clone()) } else { None }).collect::<Option<_>>()?;
        match (name, numbers.as_slice()) {
            ("__ballot_sync", [asked, votes]) => Some(self.vote(name, Some(asked.clone()), votes.truth(), true)),
            ("__match_any_sync", [asked, _]) => Some(self.vote(name, Some(asked.clone()), B::lit(true), false)),
            ("__activemask", []) => Some(self.vote(name, None, B::lit(true), false)),
            // The first one of a group of coalesced threads.
            ("shfl", [group, value, lane]) if lane.as_num() == Some(0) => match ty {
                Type::Int(ty) => {
                    let first = self.votes.iter().find(|v| v.mask == *group)?.any_lane.clone();
                    self.shuffled(group, value, &first, *ty)
                }
                _ => None,
            },
            ("__shfl_sync", [mask, value, lane, width @ ..]) => match ty {
                Type::Int(ty) if width.iter().all(|w| w.as_num() == Some(LANES)) => {
                    self.shuffled(mask, value, lane, *ty)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A term without conversions that keep its lower 32 bits.
fn bits(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(ty, inner) if ty.bits >= 32 => bits(inner),
        _ => term,
    }
}

/// A term without conversions that keep its lower 32 bits, and no others.
fn unsigned_bits(term: &N) -> &N {
    match term.kind() {
        NExp::Cast(ty, inner) if ty.bits == 64 || ty.bits == 32 && !ty.signed => unsigned_bits(inner),
        _ => term,
    }
}

/// Is this the set of all lanes?
fn is_whole_warp(mask: &N) -> bool {
    mask.as_num().is_some_and(|n| IntTy::U32.wrap(n) == WHOLE_WARP)
}
