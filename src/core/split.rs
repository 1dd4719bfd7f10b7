//! Barrier splitting: \[MAP\] Fig. 8, the reference path.

use super::align::{Aligned, Alignment, Piece};
use super::closure::{Closure, Context};
use super::unsync::Unsync;

/// Splits aligned code into closures: each unsynchronised fragment under the loops that repeat it.
///
/// Source:   \[MAP\] Fig. 8; protocol-spec/05-split.md.      Shape: (aligned code, tail) -> closures, in program order.
/// Units:    a loop contributes one binder, outermost first.
/// Ensures:  THM-1 and PROP-1, tests/theorems/align.rs.      Errors: none, total.
pub fn split(alignment: &Alignment) -> Vec<Closure> {
    let mut all = Vec::new();
    if let Some(aligned) = &alignment.aligned {
        all.extend(split_aligned(aligned));
    }
    // [SPLIT-TAIL]  split((a, u)) = split(a; u; sync)
    all.push(closure(&alignment.tail));
    all
}

fn closure(code: &Unsync) -> Closure {
    Closure { start: None, context: Vec::new(), code: code.clone(), approximate: false }
}

fn split_aligned(aligned: &Aligned) -> Vec<Closure> {
    // [SPLIT-SYNC]  split(u; sync) = [u]
    let mut all = vec![closure(&aligned.first.0)];
    // [SPLIT-SEQ]   split(a; a') = split(a) ++ split(a')
    for piece in &aligned.rest {
        match piece {
            Piece::Sync(u, _) => all.push(closure(u)),
            // [SPLIT-FOR]  split(for^S x in n..m {a}) = [var x in n..m; c | c in split(a)]
            Piece::For(range, body) => all.extend(split_aligned(body).into_iter().map(|mut c| {
                c.context.insert(0, Context::Bind(range.clone()));
                c
            })),
        }
    }
    all
}
