//! The five families of \[MAP\] Fig. 17: race-free at sizes 1 to 50, at a cost that is at most quadratic, and racy with one
//! access more. `benches/fig17.rs` measures their time.

#[path = "../benches/families/mod.rs"]
mod families;

use std::path::{Path, PathBuf};

use faial_like::check::kernel::protocol_of;
use faial_like::check::launch::launch;
use faial_like::check::pipeline::{PhasePath, Warps, at_levels};
use faial_like::check::schedule::{Settings, check_files, parallel, solver_settings};
use faial_like::check::source::load;
use faial_like::report::finding::{FindingClass, KernelReport, Verdict};
use faial_like::smt::SolverConfig;
use families::{Family, Form};

fn each() -> impl Iterator<Item = (Family, Form)> {
    Family::ALL.into_iter().flat_map(|family| Form::ALL.map(|form| (family, form)))
}

fn file(family: Family, form: Form) -> PathBuf {
    PathBuf::from(family.name()).with_extension(form.extension())
}

fn check(family: Family, form: Form, size: usize, racy: bool, keep: Option<&Path>) -> KernelReport {
    let solver = SolverConfig { keep_dir: keep.map(Path::to_path_buf), ..solver_settings() };
    let mut settings = Settings { jobs: 1, ..Settings::default() };
    // What the solver is asked is the subject.
    settings.check.presolve = false;
    let report = check_files(&[(file(family, form), family.text(form, size, racy))], &settings, &solver);
    assert!(report.files.iter().all(|f| f.messages.is_empty()), "{:?}", report.files[0].messages);
    assert_eq!(report.kernels.len(), 1);
    report.kernels.into_iter().next().expect("one kernel")
}

#[test]
fn all_sizes_are_race_free() {
    for (family, form) in each() {
        for size in [1, 2, 3, 8, 50] {
            let report = check(family, form, size, false, None);
            assert_eq!(report.verdict, Verdict::RaceFree, "{family:?} {form:?} {size}: {:?}", report.reasons);
        }
    }
}

#[test]
fn one_access_more_races_at_all_sizes() {
    for (family, form) in each() {
        for size in [1, 2, 3, 8, 50] {
            let report = check(family, form, size, true, None);
            assert_eq!(report.verdict, Verdict::Racy, "{family:?} {form:?} {size}: {:?}", report.reasons);
            assert!(report.findings.iter().any(|f| f.class == FindingClass::Confirmed));
        }
    }
}

/// The phases of a case, and their guarded accesses.
fn counts(family: Family, form: Form, size: usize) -> [usize; 2] {
    let count = |(): &mut (), text: &String| {
        let file = load(&file(family, form), text.clone(), &Settings::default().source);
        let kernel = &file.kernels[0];
        let (launch, _) = launch(None, None, &file.header, kernel, false);
        let inferred = protocol_of(kernel, &launch, &Settings::default().check);
        let phases: Vec<_> = at_levels(&inferred.kernel, &[], Warps { size: 32, lockstep: false }, PhasePath::Phases)
            .iter()
            .flat_map(|at| at.race_phases().collect::<Vec<_>>())
            .collect();
        [phases.len(), phases.iter().map(|p| p.sides.len()).sum()]
    };
    let text = family.text(form, size, false);
    // Deep terms are walked by recursion: not on the small stack of a test.
    parallel(&[text], 1, || (), count, |_, why| panic!("{why}"))[0]
}

/// The bytes of all questions to the solver.
fn asked(family: Family, form: Form, size: usize) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    check(family, form, size, false, Some(folder.path()));
    let mut pending = vec![folder.path().to_path_buf()];
    let mut bytes = 0;
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder can be read").flatten() {
            if entry.path().is_dir() {
                pending.push(entry.path());
            } else {
                bytes += std::fs::read(entry.path()).expect("the script can be read").len();
            }
        }
    }
    bytes
}

#[test]
fn phases_and_accesses_are_as_many_as_the_text_says() {
    for form in Form::ALL {
        for n in [1, 2, 3, 10, 50] {
            // A phase for each barrier and one for the entry.
            assert_eq!(counts(Family::Accesses, form, n)[0], 1);
            assert_eq!(counts(Family::Barriers, form, n), [n + 1, n]);
            assert_eq!(counts(Family::Conditionals, form, n), [1, n]);
            assert_eq!(counts(Family::UnsynchronisedLoops, form, n), [1, n]);
            let [phases, accesses] = counts(Family::SynchronisedLoops, form, n);
            assert_eq!(phases, n + 1);
            // After a barrier may come the first access of each loop around it, and of the one inside.
            assert!(accesses <= (n + 1) * (n + 2), "{accesses} accesses for {n} loops");
        }
    }
}

/// A polynomial of degree 2 without negative coefficients is at most 4 times as large for twice the size.
#[test]
fn what_the_solver_is_asked_grows_at_most_quadratically() {
    for (family, form) in each() {
        let [small, large] = [12, 24].map(|size| asked(family, form, size));
        assert!(small > 0, "{family:?} {form:?}: nothing was asked");
        assert!(large <= 4 * small, "{family:?} {form:?}: {small} bytes become {large}");
    }
}
