//! THM-INFER: what the analysis calls race-free does not race when it is run.
//!
//! `FAIAL_SOUNDNESS=20000 cargo test --release --test soundness` is the slow tier.

use faial_like::fuzz::soundness::{Options, run};

#[test]
fn kernels_that_are_called_race_free_do_not_race() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let from = number("FAIAL_SOUNDNESS_FROM", 0);
    let cases = number("FAIAL_SOUNDNESS", 500);
    let options =
        Options { seed: number("FAIAL_SOUNDNESS_SEED", 1), cases: (from, from + cases), ..Options::default() };
    let report = run(&options);
    println!("{report}");
    assert!(report.found.is_empty(), "{report}");
}
