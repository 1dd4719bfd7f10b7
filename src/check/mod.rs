//! From files to verdicts: the ordered list of passes, the scheduler, and how answers become findings.

pub mod launch;
pub mod source;
