//! The theorems about passes, one a file: each says of one kernel whether the theorem holds of it, for the pass that it
//! is given, so that a wrong pass can be tried as well. The statements are those of `proofs-notes/README.md`.

pub mod align;
pub mod encode;
pub mod lockstep;
pub mod phases;
pub mod roundtrip;
pub mod scopes;
pub mod split;
pub mod trace;

use crate::core::{Kernel, Level, Protocol, WellFormed, wellformed};

/// Properties of a kernel for which the theorem holds, or why it does not.
pub type Outcome = Result<Vec<(&'static str, bool)>, String>;

/// The kernel in the language of the paper, which the dialect [`super::Dialect::Paper`] makes.
fn admitted(kernel: &Kernel<Protocol>) -> Result<Kernel<WellFormed>, String> {
    wellformed(kernel, Level::Block).map_err(|found| format!("not in the language of the paper: {found:?}"))
}
