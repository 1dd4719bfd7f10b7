//! `faial-like fuzz`: random protocols through one pass, against the reference semantics.

use super::args::FuzzArgs;
use super::config::UsageError;
use super::exit::Exit;

pub fn run(args: &FuzzArgs) -> Result<Exit, UsageError> {
    let _ = args;
    Err(UsageError("fuzz is not supported yet: `cargo test --test theorems` runs the same checks".to_owned()))
}
