//! Code without barriers: the language U of \[MAP\] Fig. 2.

use super::access::Access;
use super::protocol::Protocol;
use super::range::Range;
use crate::exp::{B, Subst};

/// Unsynchronised code, `u ::= skip | o[n] | u;u | if b {u} else {u} | for^U x in n..m {u}`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Unsync {
    Skip,
    Access(Access),
    Seq(Vec<Unsync>),
    If(B, Box<Unsync>, Box<Unsync>),
    /// Binds the variable of the range in the body.
    For(Range, Box<Unsync>),
}

impl Unsync {
    /// Sequence without needless nesting and without `skip`.
    pub fn seq(parts: impl IntoIterator<Item = Unsync>) -> Unsync {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Unsync::Skip => {}
                Unsync::Seq(inner) => flat.extend(inner),
                other @ (Unsync::Access(_) | Unsync::If(..) | Unsync::For(..)) => flat.push(other),
            }
        }
        match (flat.len(), flat.pop()) {
            (_, None) => Unsync::Skip,
            (1, Some(only)) => only,
            (_, Some(last)) => {
                flat.push(last);
                Unsync::Seq(flat)
            }
        }
    }

    /// A conditional, decided when its condition is constant, and dropped when both branches do nothing.
    pub fn branch(cond: &B, then: Unsync, els: Unsync) -> Unsync {
        match cond.as_lit() {
            Some(true) => then,
            Some(false) => els,
            None if then == els => then,
            None if then == Unsync::Skip => Unsync::If(B::not(cond), Box::new(els), Box::new(then)),
            None => Unsync::If(cond.clone(), Box::new(then), Box::new(els)),
        }
    }

    /// `if cond { then }`.
    pub fn when(cond: &B, then: Unsync) -> Unsync {
        Unsync::branch(cond, then, Unsync::Skip)
    }

    /// A loop, dropped when its body does nothing.
    pub fn repeat(range: Range, body: Unsync) -> Unsync {
        if body == Unsync::Skip { Unsync::Skip } else { Unsync::For(range, Box::new(body)) }
    }

    /// `u[x := n]`. The terms put in must not mention a variable that the code binds.
    pub fn subst(&self, subst: &mut Subst) -> Unsync {
        match self {
            Unsync::Skip => Unsync::Skip,
            Unsync::Access(access) => Unsync::Access(access.subst(subst)),
            Unsync::Seq(parts) => Unsync::seq(parts.iter().map(|u| u.subst(subst)).collect::<Vec<_>>()),
            Unsync::If(b, t, e) => {
                let b = subst.boolean(b);
                Unsync::branch(&b, t.subst(subst), e.subst(subst))
            }
            Unsync::For(range, body) => {
                let outer = range.subst(subst);
                let body = if subst.replaces(&range.var.name) {
                    body.subst(&mut subst.without(&range.var.name))
                } else {
                    body.subst(subst)
                };
                Unsync::repeat(outer, body)
            }
        }
    }

    /// How many statements the code has.
    pub fn size(&self) -> u64 {
        match self {
            Unsync::Skip => 0,
            Unsync::Access(_) => 1,
            Unsync::Seq(parts) => parts.iter().map(Unsync::size).fold(0, u64::saturating_add),
            Unsync::If(_, t, e) => t.size().saturating_add(e.size()).saturating_add(1),
            Unsync::For(_, body) => body.size().saturating_add(1),
        }
    }

    /// The same code as a protocol.
    pub fn protocol(&self) -> Protocol {
        match self {
            Unsync::Skip => Protocol::Skip,
            Unsync::Access(access) => Protocol::Access(access.clone()),
            Unsync::Seq(parts) => Protocol::Seq(parts.iter().map(Unsync::protocol).collect()),
            Unsync::If(b, t, e) => Protocol::If(b.clone(), Box::new(t.protocol()), Box::new(e.protocol())),
            Unsync::For(range, body) => Protocol::For(range.clone(), Box::new(body.protocol())),
        }
    }

    /// The protocol as unsynchronised code, or `None` when it has a barrier.
    pub fn from_protocol(code: &Protocol) -> Option<Unsync> {
        match code {
            Protocol::Skip => Some(Unsync::Skip),
            Protocol::Access(access) => Some(Unsync::Access(access.clone())),
            Protocol::Sync(_) => None,
            Protocol::Seq(parts) => {
                parts.iter().map(Unsync::from_protocol).collect::<Option<Vec<_>>>().map(Unsync::seq)
            }
            Protocol::If(b, t, e) => {
                Some(Unsync::If(b.clone(), Box::new(Unsync::from_protocol(t)?), Box::new(Unsync::from_protocol(e)?)))
            }
            Protocol::For(range, body) => Some(Unsync::For(range.clone(), Box::new(Unsync::from_protocol(body)?))),
        }
    }
}
