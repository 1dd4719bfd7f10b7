//! Barriers that order only some memory: what a kernel is for the arrays of one space.

use super::kernel::{Kernel, Space};
use super::protocol::{Fence, Protocol};

/// The kernel for the arrays of one space: their accesses, and the barriers that order them.
///
/// Source:   protocol-spec/05-scopes.md.      Shape: Kernel -> Kernel, the same header.
/// Ensures:  THM-FENCE, tests/theorems/fence.rs: accesses to one array race in the kernel iff they race in the result for its space; every barrier that is
///           left orders all memory that is left. Whether threads reach barriers together is a matter of the whole kernel.
/// Errors:   none, total.
pub fn fenced(kernel: &Kernel<Protocol>, space: Space) -> Kernel<Protocol> {
    kernel.with_code(ordered(&kernel.code, kernel, space))
}

/// Does every barrier order all memory? Then there is nothing to tell apart.
pub fn orders_all(code: &Protocol) -> bool {
    match code {
        Protocol::Skip | Protocol::Access(_) => true,
        Protocol::Sync(barrier) => barrier.fence == Fence::ALL,
        Protocol::Seq(parts) => parts.iter().all(orders_all),
        Protocol::If(_, t, e) => orders_all(t) && orders_all(e),
        Protocol::For(_, body) => orders_all(body),
    }
}

fn ordered(code: &Protocol, kernel: &Kernel<Protocol>, space: Space) -> Protocol {
    let inner = |p: &Protocol| ordered(p, kernel, space);
    match code {
        Protocol::Skip => Protocol::Skip,
        // [FENCE-ARRAY]  the arrays of the space
        Protocol::Access(access) => match kernel.array(&access.array) {
            Some(array) if array.space != space => Protocol::Skip,
            Some(_) | None => Protocol::Access(access.clone()),
        },
        // [FENCE-SYNC]   a barrier orders accesses to an array when its fence names the space of the array
        Protocol::Sync(barrier) => {
            if barrier.fence.orders(space) {
                Protocol::Sync(barrier.clone())
            } else {
                Protocol::Skip
            }
        }
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(inner).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::branch(b, inner(t), inner(e)),
        Protocol::For(range, body) => match inner(body) {
            Protocol::Skip => Protocol::Skip,
            body => Protocol::For(range.clone(), Box::new(body)),
        },
    }
}
