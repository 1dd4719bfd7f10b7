//! `faial-like fuzz`: random protocols through one pass, against the reference semantics.

use std::time::Instant;

use super::config::{FuzzCases, FuzzConfig, UsageError};
use super::exit::Exit;
use super::run::{print, texts};
use crate::core::Print;
use crate::fuzz::campaign::{self, Check};
use crate::fuzz::mutants::Origin;
use crate::fuzz::soundness::{self, Options};
use crate::fuzz::{Campaign, Difference, Pass, Tried};

pub fn run(config: &FuzzConfig) -> Result<Exit, UsageError> {
    // A panic of a pass is a difference, which is told when it is shrunk, and not each time that it comes.
    std::panic::set_hook(Box::new(|_| ()));
    let mut exit = Exit::Proved;
    if config.soundness {
        return soundness(config);
    }
    for pass in &config.passes {
        let (text, own) = one(*pass, config, &|kernel| pass.holds(kernel));
        print(&text, None)?;
        exit = match (own, exit) {
            (Exit::Proved, before) | (_, before @ Exit::Racy) => before,
            (worse, _) => worse,
        };
    }
    Ok(exit)
}

/// Random kernels as texts: those that are called race-free are run on random inputs.
fn soundness(config: &FuzzConfig) -> Result<Exit, UsageError> {
    /// Kernels between two looks at the clock; what is found is told after each of them.
    const BATCH: u64 = 100;
    let (mut at, end) = match config.cases {
        FuzzCases::Each(cases) => (0, cases),
        FuzzCases::Only(case) => (case, case.saturating_add(1)),
    };
    let deadline = config.time.and_then(|time| Instant::now().checked_add(time));
    let (first, mut found) = (at, false);
    let origins: Vec<Origin> = if config.from.is_empty() { Vec::new() } else { origins(config)? };
    let again: String = config.from.iter().map(|path| format!(" --from {}", path.display())).collect();
    while at < end && deadline.is_none_or(|deadline| Instant::now() < deadline) {
        let next = at.saturating_add(BATCH).min(end);
        let cases = (at, next);
        let options =
            Options { seed: config.seed, cases, jobs: config.jobs.get(), origins: &origins, ..Options::default() };
        let report = soundness::Report { again: again.clone(), ..soundness::run(&options) };
        found |= !report.found.is_empty();
        if !config.quiet || !report.found.is_empty() {
            print(&format!("kernels {at} to {}\n{report}\n", next - 1), None)?;
        }
        at = next;
    }
    Ok(match (found, at > first) {
        (true, _) => Exit::Racy,
        (false, true) => Exit::Proved,
        (false, false) => Exit::Inconclusive,
    })
}

/// The files whose kernels are changed.
fn origins(config: &FuzzConfig) -> Result<Vec<Origin>, UsageError> {
    let (inputs, _) = texts(&config.from);
    let all: Vec<Origin> = inputs.into_iter().map(|(path, text)| Origin { path, text }).collect();
    if all.is_empty() { Err(UsageError("--from: no file with kernels is there".to_owned())) } else { Ok(all) }
}

/// Fuzzes one pass: what there is to say, and the exit code.
fn one(pass: Pass, config: &FuzzConfig, check: Check) -> (String, Exit) {
    let plans = pass.plans();
    let cases = match config.cases {
        FuzzCases::Each(cases) => 0..cases.saturating_mul(plans.len() as u64),
        FuzzCases::Only(case) => case..case.saturating_add(1),
    };
    let deadline = config.time.and_then(|time| Instant::now().checked_add(time));
    let campaign = Campaign { plans, seed: config.seed, cases, deadline, jobs: config.jobs.get() };
    let tried = campaign::run(&campaign, check);
    let exit = match (&tried.difference, tried.cases()) {
        (Some(_), _) => Exit::Racy,
        (None, 0) => Exit::Inconclusive,
        (None, _) => Exit::Proved,
    };
    (told(pass, config, &tried), exit)
}

fn told(pass: Pass, config: &FuzzConfig, tried: &Tried) -> String {
    let (name, cases, seconds) = (pass.name(), tried.cases(), tried.time.as_secs_f64());
    let mut text = format!("{name}: {}\n", pass.statement());
    if !config.quiet {
        for (plan, population) in pass.plans().iter().zip(&tried.populations) {
            text.push_str(&format!("  {:?}: {population}\n", plan.dialect));
        }
    }
    let rate = cases as f64 * 60.0 / seconds.max(f64::MIN_POSITIVE);
    let seed = config.seed;
    let (cases, speed) = (
        format!("{cases} protocol{}", if cases == 1 { "" } else { "s" }),
        format!("{seconds:.1} s, {rate:.0} a minute"),
    );
    match &tried.difference {
        None => text.push_str(&format!("  no difference in {cases} from seed {seed} ({speed})\n")),
        Some(Difference { case, kernel, why }) => {
            text.push_str(&format!("  a difference, after {cases} from seed {seed} ({speed}); shrunk, it is\n\n"));
            text.push_str(&format!("{}\n{why}\n\n", kernel.text()));
            text.push_str(&format!("again: faial-like fuzz {name} --seed {seed} --case {case}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn config(cases: FuzzCases) -> FuzzConfig {
        FuzzConfig {
            passes: vec![Pass::Split],
            soundness: false,
            from: vec![],
            cases,
            seed: 5,
            time: None,
            jobs: NonZeroUsize::MIN,
            quiet: false,
        }
    }

    #[test]
    fn a_difference_is_told_with_the_command_that_finds_it() {
        let wrong: Check =
            &|kernel| if kernel.code.synchronises() { Err("a barrier".to_owned()) } else { Ok(Vec::new()) };
        let (text, exit) = one(Pass::Split, &config(FuzzCases::Each(100)), wrong);
        assert_eq!(exit, Exit::Racy);
        assert!(text.contains("sync block @1;") && text.contains("a barrier"), "{text}");
        let (_, again) = text.split_once("again: faial-like fuzz split --seed 5 --case ").expect("a command");
        let case = again.trim().parse().expect("a number");
        let (text, exit) = one(Pass::Split, &config(FuzzCases::Only(case)), wrong);
        assert_eq!(exit, Exit::Racy);
        assert!(text.contains("sync block @1;"), "{text}");
    }

    #[test]
    fn nothing_tried_is_nothing_shown() {
        assert_eq!(one(Pass::Split, &config(FuzzCases::Each(0)), &|_| Ok(Vec::new())).1, Exit::Inconclusive);
        let (text, exit) = one(Pass::Split, &config(FuzzCases::Each(40)), &|_| Ok(Vec::new()));
        assert_eq!(exit, Exit::Proved);
        assert!(text.contains("40 inputs") && text.contains("no difference in 40 protocols from seed 5"), "{text}");
    }
}
