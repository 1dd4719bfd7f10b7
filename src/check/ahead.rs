//! The levels of a kernel side by side, where a processor has nothing else to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Thread, scope};
use std::time::Duration;

use super::kernel::{Check, CheckOptions, protocol_of};
use super::pipeline::at_levels;
use super::schedule::STACK;
use super::source::SourceKernel;
use crate::base::SourceMap;
use crate::exp::syntax::clear_term_tables;
use crate::report::finding::Launch;
use crate::smt::Session;

/// Most kernels are done by then, and need no help.
const SOON: Duration = Duration::from_millis(300);

/// [RUN-AHEAD] Runs a check of a kernel. When it takes long, `ahead` is run beside it, and told by its flag when the check is
/// done: what it asks, the check finds answered in the cache that both share. What is said of the kernel is only what
/// the check finds out, so that it is the same without help.
pub(super) fn helped<R>(ahead: impl FnOnce(Arc<AtomicBool>) + Send, check: impl FnOnce() -> R) -> R {
    /// Also where the check panics.
    struct Done(Arc<AtomicBool>, Option<Thread>);
    impl Drop for Done {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
            if let Some(helper) = &self.1 {
                helper.unpark();
            }
        }
    }
    scope(|scope| {
        let mut done = Done(Arc::default(), None);
        let stop = done.0.clone();
        let help = move || {
            std::thread::park_timeout(SOON);
            if !stop.load(Ordering::Relaxed) {
                // What is wrong with it is found by the check as well, and told there.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ahead(stop)));
            }
        };
        done.1 = Builder::new().stack_size(STACK).spawn_scoped(scope, help).ok().map(|h| h.thread().clone());
        check()
    })
}

/// Asks whether threads race at the levels of a kernel, beginning with the last.
pub(super) fn ask_ahead(
    kernel: &SourceKernel,
    sources: &SourceMap,
    asked: &Launch,
    options: &CheckOptions,
    session: &mut Session,
) {
    let inferred = protocol_of(kernel, asked, options);
    let launch = Launch { block: inferred.block, grid: inferred.grid, ..asked.clone() };
    let levels = at_levels(&inferred.kernel, &options.levels, options.warps, options.path);
    if levels.len() > 1 {
        let mut check = Check::new(kernel, sources, (asked, &launch), &[], &inferred, options, session);
        levels.iter().rev().for_each(|at| check.foresee(at));
    }
    clear_term_tables();
}
