//! Barrier aligning: \[MAP\] Fig. 6, the reference path.

use super::protocol::{Barrier, Protocol};
use super::range::Range;
use super::unsync::Unsync;
use super::wellformed::{Body, Synced, WellFormed};
use crate::exp::{N, Subst};

/// `a ::= u; sync | a; a | a; for^S x in n..m {a}`: it begins with a barrier, and so does every loop body, so that a loop
/// leaks nothing into the code around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aligned {
    pub first: (Unsync, Barrier),
    pub rest: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Sync(Unsync, Barrier),
    For(Range, Aligned),
}

/// The result of aligning: `(a, u)`, where u runs after the last barrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// Absent when the kernel has no barrier.
    pub aligned: Option<Aligned>,
    pub tail: Unsync,
}

impl Aligned {
    fn subst(&self, subst: &mut Subst) -> Aligned {
        let (u, barrier) = &self.first;
        let rest = self.rest.iter().map(|piece| match piece {
            Piece::Sync(u, barrier) => Piece::Sync(u.subst(subst), barrier.subst(subst)),
            Piece::For(range, body) => {
                let outer = range.subst(subst);
                let body = if subst.replaces(&range.var.name) {
                    body.subst(&mut subst.without(&range.var.name))
                } else {
                    body.subst(subst)
                };
                Piece::For(outer, body)
            }
        });
        let rest = rest.collect();
        Aligned { first: (u.subst(subst), barrier.subst(subst)), rest }
    }

    /// `u ;_S a`: the code before the first barrier.
    fn after(self, u: &Unsync) -> Aligned {
        let (own, barrier) = self.first;
        Aligned { first: (Unsync::seq([u.clone(), own]), barrier), rest: self.rest }
    }

    fn pieces(self) -> impl Iterator<Item = Piece> {
        let (u, barrier) = self.first;
        std::iter::once(Piece::Sync(u, barrier)).chain(self.rest)
    }

    /// The same code as a protocol.
    pub fn protocol(&self) -> Protocol {
        let (u, barrier) = &self.first;
        let rest = self.rest.iter().flat_map(|piece| match piece {
            Piece::Sync(u, barrier) => vec![u.protocol(), Protocol::Sync(barrier.clone())],
            Piece::For(range, body) => vec![Protocol::For(range.clone(), Box::new(body.protocol()))],
        });
        Protocol::seq([u.protocol(), Protocol::Sync(barrier.clone())].into_iter().chain(rest).collect::<Vec<_>>())
    }
}

impl Alignment {
    /// The same code as a protocol.
    pub fn protocol(&self) -> Protocol {
        let aligned = self.aligned.as_ref().map(Aligned::protocol);
        Protocol::seq(aligned.into_iter().chain([self.tail.protocol()]).collect::<Vec<_>>())
    }
}

/// Aligns a protocol: the same history, from code in which each synchronised loop starts right after a barrier and ends
/// with one.
///
/// Source:   \[MAP\] Fig. 6; protocol-spec/04-align.md.       Shape: WellFormed -> (aligned code, code after it).
/// Units:    ranges are half-open; the bodies of nested loops are copied once a level, so that the result is exponential in
///           the nesting. The default path is [`super::phases`].
/// Ensures:  THM-1, tests/theorems/align.rs: the same history, for loops that run at least once.
/// Errors:   none, total.
/// Deviates: steps other than 1: the iteration before x, and the last one, are those of the range.
pub fn align(code: &WellFormed) -> Alignment {
    match code {
        WellFormed::Unsync(u) => Alignment { aligned: None, tail: u.clone() },
        WellFormed::Synced(body) => {
            let (aligned, tail) = align_body(body);
            Alignment { aligned: Some(aligned), tail }
        }
    }
}

/// How many statements the alignment of a protocol has, about: it doubles with each level of synchronised loops.
pub fn aligned_size(code: &WellFormed) -> u64 {
    match code {
        WellFormed::Unsync(u) => u.size(),
        WellFormed::Synced(body) => body_size(body),
    }
}

fn body_size(body: &Body) -> u64 {
    let pieces = std::iter::once(&body.first).chain(&body.rest).map(|piece| match piece {
        Synced::Sync(u, _) => u.size().saturating_add(1),
        Synced::For(u, _, inner) => u.size().saturating_add(body_size(inner).saturating_mul(2)).saturating_add(1),
    });
    pieces.fold(body.tail.size(), u64::saturating_add)
}

fn align_body(body: &Body) -> (Aligned, Unsync) {
    // [ALIGN-SEQ]  align(p; q) = align(p) ;_S align(q)
    let (mut all, mut tail) = align_piece(&body.first);
    for piece in &body.rest {
        let (next, after) = align_piece(piece);
        all.rest.extend(next.after(&tail).pieces());
        tail = after;
    }
    (all, Unsync::seq([tail, body.tail.clone()]))
}

fn align_piece(piece: &Synced) -> (Aligned, Unsync) {
    match piece {
        // [ALIGN-SYNC]  align(u; sync) = (u; sync, skip)
        Synced::Sync(u, barrier) => (Aligned { first: (u.clone(), barrier.clone()), rest: Vec::new() }, Unsync::Skip),
        // [ALIGN-FOR]   align(p) = (a, u)
        //               a1 = u1 ;_S a[x := n]
        //               a2 = for^S x in n+1..m {(u; u2)[x := x-1] ;_S a}
        //               u3 = (u; u2)[x := m-1]
        //               ==>  align(u1; for^S x in n..m {p; u2}) = (a1; a2, u3)
        Synced::For(before, range, body) => {
            let (aligned, tail) = align_body(body);
            let (Some(previous), Some(last)) = (range.previous(), range.last()) else {
                crate::bug!("a range of a well-formed synchronised loop has a step that can be undone [WF-STEP]");
            };
            let at = |value: &N| Subst::one(&range.var.name, value);
            let peeled = aligned.subst(&mut at(&range.first)).after(before);
            let body = aligned.after(&tail.subst(&mut at(&previous)));
            let tail = tail.subst(&mut at(&last));
            let mut all = peeled;
            let second = at(&range.first).numeric(&range.next_exact());
            let others = Range { first: second, ..range.clone() };
            all.rest.push(Piece::For(others, body));
            (all, tail)
        }
    }
}

impl Alignment {
    /// Reads aligned code back from a protocol; `None` when it is not aligned.
    pub fn from_protocol(code: &Protocol) -> Option<Alignment> {
        let parts = match code {
            Protocol::Seq(parts) => parts.as_slice(),
            Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) | Protocol::If(..) | Protocol::For(..) => {
                std::slice::from_ref(code)
            }
        };
        let mut aligned: Option<Aligned> = None;
        let mut pending = Vec::new();
        for part in parts {
            let piece = match part {
                Protocol::Sync(barrier) => Piece::Sync(Unsync::seq(std::mem::take(&mut pending)), barrier.clone()),
                Protocol::For(range, body) if body.synchronises() => {
                    let body = Alignment::from_protocol(body)?;
                    if !pending.is_empty() || body.tail != Unsync::Skip {
                        return None;
                    }
                    Piece::For(range.clone(), body.aligned?)
                }
                Protocol::Skip | Protocol::Access(_) | Protocol::Seq(_) | Protocol::If(..) | Protocol::For(..) => {
                    pending.push(Unsync::from_protocol(part)?);
                    continue;
                }
            };
            match (&mut aligned, piece) {
                (Some(aligned), piece) => aligned.rest.push(piece),
                (None, Piece::Sync(u, barrier)) => {
                    aligned = Some(Aligned { first: (u, barrier), rest: Vec::new() });
                }
                (None, Piece::For(..)) => return None,
            }
        }
        Some(Alignment { aligned, tail: Unsync::seq(pending) })
    }
}
