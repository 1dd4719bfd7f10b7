//! Random kernels through a theorem, over the cores: which were tried, and the first for which it does not hold, shrunk.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::choices::{Choices, shrink};
use super::kernels::{Dialect, sized};
use super::population::{Population, shape};
use super::smaller::smaller;
use super::theorems::Outcome;
use crate::core::{Kernel, Protocol};
use crate::exp::syntax::clear_term_tables;

/// How kernels are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub dialect: Dialect,
    /// Of constructors.
    pub depth: u32,
    /// Of synchronised loops around one barrier, besides those that come by chance.
    pub nesting: u32,
    /// How many choices make a kernel.
    pub length: usize,
}

/// What says of a kernel whether a theorem holds.
pub type Check<'c> = &'c (dyn Fn(&Kernel<Protocol>) -> Outcome + Sync);

/// Which kernels are tried.
#[derive(Clone, Debug)]
pub struct Campaign<'p> {
    pub plans: &'p [Plan],
    pub seed: u64,
    /// The numbers of the cases; case i is made by plan i modulo the number of plans.
    pub cases: std::ops::Range<u64>,
    /// No case is begun after this.
    pub deadline: Option<Instant>,
    pub jobs: usize,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Of each plan, those for which the theorem holds.
    pub populations: Vec<Population>,
    pub difference: Option<Difference>,
    pub time: Duration,
}

/// A kernel for which the theorem does not hold.
#[derive(Clone, Debug)]
pub struct Difference {
    pub case: u64,
    /// The kernel of the case, made smaller as long as the theorem fails.
    pub kernel: Kernel<Protocol>,
    pub why: String,
}

/// Cases that a thread takes at a time.
const CHUNK: u64 = 32;
/// Terms are walked by recursion.
const STACK: usize = 64 << 20;

impl Tried {
    /// How many cases there were.
    pub fn cases(&self) -> usize {
        self.populations.iter().map(|p| p.total).sum::<usize>() + usize::from(self.difference.is_some())
    }
}

/// Tries the cases. The difference is that of the least number: the same one for any number of jobs, unless the time is
/// over before.
pub fn run(campaign: &Campaign, check: Check) -> Tried {
    let started = Instant::now();
    let next = AtomicU64::new(campaign.cases.start);
    let failed = AtomicU64::new(u64::MAX);
    let total = Mutex::new(vec![Population::default(); campaign.plans.len()]);
    let worker = || {
        let mut populations = vec![Population::default(); campaign.plans.len()];
        let over = || campaign.deadline.is_some_and(|d| Instant::now() >= d);
        while !over() {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= campaign.cases.end || first > failed.load(Ordering::Relaxed) {
                break;
            }
            for case in first..campaign.cases.end.min(first.saturating_add(CHUNK)) {
                if over() {
                    break;
                }
                let Some((plan, choices)) = campaign.choices(case) else { break };
                let (Some(plan), Some(population)) = (campaign.plans.get(plan), populations.get_mut(plan)) else {
                    break;
                };
                let (kernel, checked) = attempt(plan, choices, check);
                match checked {
                    Ok(properties) => population.add(properties.into_iter().chain(shape(&kernel, plan))),
                    Err(_) => {
                        failed.fetch_min(case, Ordering::Relaxed);
                        break;
                    }
                }
            }
            clear_term_tables();
        }
        if let Ok(mut total) = total.lock() {
            total.iter_mut().zip(populations).for_each(|(all, own)| all.join(own));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..campaign.jobs.max(1) {
            let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            if spawned.is_err() {
                // No room for another thread: those that run do the work.
                break;
            }
        }
    });
    let failed = failed.into_inner();
    let difference = (failed < u64::MAX).then(|| difference(campaign, failed, check)).flatten();
    let populations = total.into_inner().unwrap_or_default();
    Tried { populations, difference, time: started.elapsed() }
}

impl Campaign<'_> {
    /// The plan of a case, and its choices.
    fn choices(&self, case: u64) -> Option<(usize, Choices)> {
        let number = case.checked_rem(self.plans.len() as u64)? as usize;
        let plan = self.plans.get(number)?;
        let seed = self.seed.wrapping_mul(0xd134_2543_de82_ef95) ^ case.wrapping_mul(0xa24b_aed4_963e_e407);
        Some((number, Choices::seeded(seed, plan.length)))
    }
}

type Properties = Vec<(&'static str, bool)>;

/// Makes the kernel and checks it.
fn attempt(plan: &Plan, mut choices: Choices, check: Check) -> (Kernel<Protocol>, Result<Properties, String>) {
    let kernel = sized(&mut choices, plan.dialect, plan.depth, plan.nesting);
    let checked = checked(&kernel, check);
    (kernel, checked)
}

/// A pass that panics is wrong as well.
fn checked(kernel: &Kernel<Protocol>, check: Check) -> Result<Properties, String> {
    catch_unwind(AssertUnwindSafe(|| check(kernel)))
        .unwrap_or_else(|payload| Err(format!("panicked: {}", message(payload.as_ref()))))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

/// Shrinks the case, on a thread with room for it.
fn difference(campaign: &Campaign, case: u64, check: Check) -> Option<Difference> {
    let shrunk = || {
        let (plan, choices) = campaign.choices(case)?;
        let plan = campaign.plans.get(plan)?;
        let mut least = None;
        let mut fails = |choices: Choices| {
            let (kernel, checked) = attempt(plan, choices, check);
            let why = checked.err();
            let failed = why.is_some();
            least = why.map(|why| (kernel, why)).or(least.take());
            failed
        };
        if fails(choices.clone()) {
            shrink(choices.values(), |values| fails(Choices::new(values.to_vec())));
        }
        let (mut kernel, mut why) = least?;
        // Each step leaves out something, so that this ends.
        while let Some(next) = smaller(&kernel.code).into_iter().find_map(|code| {
            let kernel = kernel.with_code(code);
            checked(&kernel, check).err().map(|why| (kernel, why))
        }) {
            (kernel, why) = next;
        }
        Some(Difference { case, kernel, why })
    };
    std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, shrunk);
        spawned.ok()?.join().ok()?
    })
}
