//! THM-FENCE: where barriers order only some memory, two accesses to one array race iff they do in the kernel for the space
//! of the array.

use std::collections::BTreeSet;

use faial_like::core::fence::fenced;
use faial_like::core::semantics::{self, AccessValue, Thread};
use faial_like::core::{Barrier, Fence, Kernel, Protocol, Space};
use faial_like::exp::Env;
use faial_like::fuzz::kernels::WARP;
use faial_like::fuzz::theorems::Outcome;
use faial_like::fuzz::{Dialect, Plan, oracle};

use crate::generate::{for_all, kills};
use crate::scope::map_barriers;

const PLAN: Plan = Plan { dialect: Dialect::Scopes, depth: 4, nesting: 2, length: 60 };

type Race = (AccessValue, AccessValue);

/// The kernel with barriers that order what the number of their site says.
fn with_fences(kernel: &Kernel<Protocol>) -> Kernel<Protocol> {
    let change = |barrier: &Barrier| {
        let fence = Fence { shared: barrier.site.0.is_multiple_of(2), global: !barrier.site.0.is_multiple_of(3) };
        Protocol::Sync(Barrier { mask: None, fence, ..barrier.clone() })
    };
    kernel.with_code(map_barriers(&kernel.code, &change))
}

fn races(runs: &[semantics::Run; 2], level: faial_like::core::Level, space: Space) -> BTreeSet<Race> {
    let all = semantics::replayed_races([&runs[0], &runs[1]], level).map(|(_, a, b)| (a.clone(), b.clone()));
    all.filter(|(a, _)| a.space == space).collect()
}

/// Two runs in which a barrier counts when it orders the space.
fn direct(
    kernel: &Kernel<Protocol>,
    pair: [&Thread; 2],
    level: faial_like::core::Level,
    space: Space,
    values: &Env,
) -> Result<[semantics::Run; 2], String> {
    let counts = |barrier: &Barrier, _: &Env| Ok(barrier.scope >= level.scope() && barrier.fence.orders(space));
    let run = |thread: &Thread| {
        semantics::run(kernel, &kernel.code, thread, values, &counts, &mut oracle::BUDGET.clone())
            .map_err(|e| e.to_string())
    };
    Ok([run(pair[0])?, run(pair[1])?])
}

fn agree(kernel: &Kernel<Protocol>, change: impl Fn(&Barrier) -> Protocol) -> Outcome {
    let kernel = with_fences(kernel);
    let changed = kernel.with_code(map_barriers(&kernel.code, &change));
    let (mut shared, mut global, mut apart) = (false, false, false);
    for g in 0..3 {
        let values = oracle::values(g);
        let threads = oracle::threads(&kernel, &values)?;
        for (i, one) in threads.iter().enumerate() {
            for two in &threads[i + 1..] {
                let pair = [one, two];
                let level = semantics::meeting(&kernel, pair, &values, WARP).map_err(|e| e.to_string())?;
                let level = level.ok_or("one thread")?;
                for space in [Space::Shared, Space::Global] {
                    let expected = races(&direct(&kernel, pair, level, space, &values)?, level, space);
                    let runs = semantics::replay(
                        &fenced(&changed, space),
                        pair,
                        level,
                        WARP,
                        &values,
                        &mut oracle::BUDGET.clone(),
                    );
                    let found = races(&runs.map_err(|e| e.to_string())?, level, space);
                    if found != expected {
                        return Err(format!("{pair:?} in {space:?}: {found:#?} instead of {expected:#?}"));
                    }
                    shared |= space == Space::Shared && !found.is_empty();
                    global |= space == Space::Global && !found.is_empty();
                    let whole = semantics::replay(&kernel, pair, level, WARP, &values, &mut oracle::BUDGET.clone());
                    apart |= whole.is_ok_and(|runs| races(&runs, level, space) != found);
                }
            }
        }
    }
    Ok(vec![("racy in shared", shared), ("racy in global", global), ("told apart", apart)])
}

#[test]
fn each_space_has_its_barriers() {
    for_all(PLAN, 400, 1, |kernel| agree(kernel, |b| Protocol::Sync(b.clone())));
}

#[test]
fn mutants_are_killed() {
    kills(PLAN, "a barrier orders all memory", |kernel| {
        agree(kernel, |b| Protocol::Sync(Barrier { fence: Fence::ALL, ..b.clone() }))
    });
    kills(PLAN, "the spaces are exchanged", |kernel| {
        agree(kernel, |b| {
            let fence = Fence { shared: b.fence.global, global: b.fence.shared };
            Protocol::Sync(Barrier { fence, ..b.clone() })
        })
    });
}
