//! THM-LOCKSTEP: the closures of stores have the races of two threads that run one step after the other.

use std::collections::BTreeSet;

use super::Outcome;
use crate::core::lockstep::ENDLESS;
use crate::core::semantics::{self, AccessValue, Thread, range_values};
use crate::core::{
    Access, Closure, Context, Kernel, Level, Mode, Print, Projection, Protocol, Range, Unsync, phases, project,
};
use crate::exp::{Env, N, eval_b};
use crate::fuzz::kernels::WARP;
use crate::fuzz::oracle;

/// More iterations than a loop of a generated kernel has.
const MANY: i128 = 40;

type Races = BTreeSet<(AccessValue, AccessValue)>;

/// Two threads of a warp race in the closures of a phase iff they race when they run it in lock-step: each store, in each
/// iteration of the loops around it, is made by both at the same time.
///
/// Source:   proofs-notes/README.md; protocol-spec/05-scopes.md [LOCK-STORE]. Warps with masks are left out.
pub fn holds(kernel: &Kernel<Protocol>, lockstep: &dyn Fn(&Projection, &Closure) -> Vec<Closure>) -> Outcome {
    let (mut racy, mut free, mut exact) = (false, false, true);
    let projection = project(kernel, Level::Warp, &[Level::Warp, Level::Block, Level::Grid], WARP);
    if projection.lanes.is_some() {
        return Ok(Vec::new());
    }
    for closure in phases(&projection.kernel) {
        let stores = lockstep(&projection, &closure);
        let sure = stores.iter().all(|c| !c.approximate);
        exact &= sure;
        for g in oracle::GLOBALS {
            let values = oracle::values(g);
            let threads = oracle::threads(kernel, &values)?;
            for (i, one) in threads.iter().enumerate() {
                for two in &threads[i + 1..] {
                    let level = semantics::meeting(kernel, [one, two], &values, WARP).map_err(|e| e.to_string())?;
                    if level != Some(Level::Warp) {
                        continue;
                    }
                    let expected = direct(&projection.kernel, &closure, [one, two], &values)?;
                    let mut found = Races::new();
                    for store in &stores {
                        found.extend(meant(&projection.kernel, store, [one, two], &values)?);
                    }
                    let missing = expected.difference(&found).next();
                    let added = found.difference(&expected).next().filter(|_| sure);
                    if missing.is_some() || added.is_some() {
                        let text = projection.kernel.with_code(stores).text();
                        return Err(format!("g = {g}: missing {missing:#?}, and added {added:#?}\n{text}"));
                    }
                    racy |= !expected.is_empty();
                    free |= expected.is_empty() && !stores_of(&closure.code).is_empty();
                }
            }
        }
    }
    Ok(vec![("racy", racy), ("race-free with stores", free), ("exact", exact)])
}

fn stores_of(code: &Unsync) -> Vec<&Access> {
    match code {
        Unsync::Skip => Vec::new(),
        Unsync::Access(access) => Some(access).filter(|a| matches!(a.mode, Mode::Wr(_))).into_iter().collect(),
        Unsync::Seq(parts) => parts.iter().flat_map(stores_of).collect(),
        Unsync::If(_, t, e) => stores_of(t).into_iter().chain(stores_of(e)).collect(),
        Unsync::For(_, body) => stores_of(body),
    }
}

/// What the closure of a store says.
fn meant(
    kernel: &Kernel<Protocol>,
    closure: &Closure,
    threads: [&Thread; 2],
    values: &Env<'static>,
) -> Result<Races, String> {
    let mut few = closure.clone();
    for context in &mut few.context {
        if let Context::Bind(range) = context
            && range.end == N::num(ENDLESS)
        {
            *range = Range { end: N::num(MANY), ..range.clone() };
        }
    }
    let [ones, twos] = threads.map(|thread| oracle::closure_of(kernel, &few, thread, values));
    let (ones, twos) = (ones?, twos?);
    let mut all = Races::new();
    for (key, one) in &ones {
        for (a, b) in one.iter().flat_map(|a| twos.get(key).into_iter().flatten().map(move |b| (a, b))) {
            if a.races(b, Level::Warp) {
                all.insert((a.clone(), b.clone()));
            }
        }
    }
    Ok(all)
}

/// The two threads run each phase of a closure together.
fn direct(
    kernel: &Kernel<Protocol>,
    closure: &Closure,
    threads: [&Thread; 2],
    values: &Env<'static>,
) -> Result<Races, String> {
    let envs = threads.map(|thread| Some(oracle::values_of(kernel, thread, values)));
    let mut run = Together { kernel, threads, closure, found: Races::new() };
    run.context(&closure.context, envs)?;
    Ok(run.found)
}

struct Together<'k> {
    kernel: &'k Kernel<Protocol>,
    threads: [&'k Thread; 2],
    closure: &'k Closure,
    found: Races,
}

/// Of the threads that run, what their variables are.
type Envs = [Option<Env<'static>>; 2];

impl Together<'_> {
    fn context(&mut self, context: &[Context], envs: Envs) -> Result<(), String> {
        let Some((first, rest)) = context.split_first() else {
            let code = &self.closure.code;
            return self.step(code, &envs);
        };
        match first {
            Context::Assume(b) => {
                let envs = chosen(b, true, &envs)?;
                self.context(rest, envs)
            }
            Context::Bind(range) => each_iteration(range, &envs, &mut |envs| self.context(rest, envs.clone())),
        }
    }

    fn step(&mut self, code: &Unsync, envs: &Envs) -> Result<(), String> {
        match code {
            Unsync::Skip => Ok(()),
            Unsync::Access(access) => self.access(access, envs),
            Unsync::Seq(parts) => parts.iter().try_for_each(|u| self.step(u, envs)),
            Unsync::If(b, t, e) => {
                self.step(t, &chosen(b, true, envs)?)?;
                self.step(e, &chosen(b, false, envs)?)
            }
            Unsync::For(range, body) => each_iteration(range, envs, &mut |envs| self.step(body, envs)),
        }
    }

    fn access(&mut self, access: &Access, envs: &Envs) -> Result<(), String> {
        let [Some(one), Some(two)] = envs else { return Ok(()) };
        if !matches!(access.mode, Mode::Wr(_)) {
            return Ok(());
        }
        let code = Protocol::Access(access.clone());
        let mut made = Vec::new();
        for (thread, env) in self.threads.iter().zip([one, two]) {
            let run = semantics::run(self.kernel, &code, thread, env, &|_, _| Ok(true), &mut oracle::BUDGET.clone());
            made.extend(run.map_err(|e| e.to_string())?.phases.into_iter().flatten());
        }
        if let [a, b] = made.as_slice()
            && a.races(b, Level::Warp)
        {
            self.found.insert((a.clone(), b.clone()));
        }
        Ok(())
    }
}

/// Those of the threads for which the condition has this value.
fn chosen(condition: &crate::exp::B, value: bool, envs: &Envs) -> Result<Envs, String> {
    let mut chosen = envs.clone();
    for env in &mut chosen {
        if let Some(own) = env
            && eval_b(condition, own).map_err(|e| e.to_string())? != value
        {
            *env = None;
        }
    }
    Ok(chosen)
}

/// Iteration by iteration, those threads that are in it.
fn each_iteration(
    range: &Range,
    envs: &Envs,
    visit: &mut dyn FnMut(&Envs) -> Result<(), String>,
) -> Result<(), String> {
    let mut values = Vec::new();
    for env in envs {
        values.push(match env {
            Some(env) => range_values(range, env).map_err(|e| e.to_string())?.collect::<Vec<_>>(),
            None => Vec::new(),
        });
    }
    for i in 0..values.iter().map(Vec::len).max().unwrap_or(0) {
        let mut own = envs.clone();
        for (env, values) in own.iter_mut().zip(&values) {
            match (env.as_mut(), values.get(i)) {
                (Some(env), Some(value)) => env.set(&range.var.name, *value),
                _ => *env = None,
            }
        }
        visit(&own)?;
    }
    Ok(())
}
