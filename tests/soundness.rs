//! THM-INFER: what the analysis calls race-free does not race when it is run, and what a run does is in the protocol.
//!
//! `FAIAL_SOUNDNESS=20000 cargo test --release --test soundness random` is the slow tier; `FAIAL_SOUNDNESS_FROM` is the
//! number of its first kernel, and `FAIAL_SOUNDNESS_SEED` the seed. `FAIAL_SOUNDNESS_CHANGED` is the number of kernels of the
//! corpus that are changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use faial_like::check::schedule::{parallel, solver_settings};
use faial_like::exp::NRel;
use faial_like::fuzz::mutants::Origin;
use faial_like::fuzz::soundness::{Mutant, Options, Tally, file_fails, run};
use faial_like::kernel::ir::{Expr, ExprKind, Program, Stmt, StmtKind};
use faial_like::kernel::types::Type;
use faial_like::smt::SolverConfig;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_kernels_that_are_called_race_free_do_not_race() {
    let (from, cases) = (number("FAIAL_SOUNDNESS_FROM", 0), number("FAIAL_SOUNDNESS", 500));
    let options =
        Options { seed: number("FAIAL_SOUNDNESS_SEED", 1), cases: (from, from + cases), ..Options::default() };
    let report = run(&options);
    println!("{report}");
    assert!(report.found.is_empty(), "{report}");
    if cases >= 500 {
        // The population: kernels that say nothing are no test.
        let t = &report.tally;
        assert!(t.tested * 3 > t.kernels, "{report}");
        assert!(t.verdicts.get("racy").is_some_and(|n| n * 10 > t.kernels), "{report}");
        assert!(t.threads > t.kernels && t.accesses > 10 * t.kernels, "{report}");
        assert!(t.raced * 10 > t.kernels, "{report}");
    }
}

/// Checks and runs files; all must hold.
fn all_hold(files: &[(PathBuf, String)], runs: u64) -> Tally {
    let solver = SolverConfig { timeout: Duration::from_secs(5), ..solver_settings() };
    let try_one = |(): &mut (), (path, text): &(PathBuf, String)| file_fails(path, text, runs, &solver, None);
    let results = parallel(files, 2, || (), try_one, |_, text| (Tally::default(), Some(text)));
    let mut total = Tally::default();
    let mut wrong = Vec::new();
    for ((path, _), (tally, why)) in files.iter().zip(results) {
        total.add(&tally);
        wrong.extend(why.map(|why| format!("{}: {why}", path.display())));
    }
    println!("{total:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    total
}

#[test]
fn kernels_of_the_language_tests_that_are_called_race_free_do_not_race() {
    let kernels = include_str!("language.tsv").lines().filter(|line| !line.starts_with('#'));
    let files: Vec<(PathBuf, String)> = kernels
        .map(|line| {
            let mut columns = line.splitn(3, '\t');
            let name = columns.next().unwrap_or_default();
            let text = columns.nth(1).unwrap_or_default().replace("\\n", "\n");
            (PathBuf::from(format!("{name}.cu")), format!("//pass\n//--blockDim=64 --gridDim=1\n{text}\n"))
        })
        .collect();
    let total = all_hold(&files, 2);
    assert!(total.tested > 20, "{total:?}");
}

/// The files of a folder whose name ends so.
fn files_in(folder: &Path, endings: &[&str], all: &mut Vec<(PathBuf, String)>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_in(&path, endings, all);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending))
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            all.push((path, text));
        }
    }
}

fn corpus(endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), endings, &mut files);
    files
}

#[test]
fn kernels_of_the_corpus_that_are_called_race_free_do_not_race() {
    let total = all_hold(&corpus(&["cu", "cl"]), 2);
    assert!(total.tested > 50, "{total:?}");
}

#[test]
fn changed_kernels_of_the_corpus_that_are_called_race_free_do_not_race() {
    let origins: Vec<Origin> = corpus(&["cu", "cl"]).into_iter().map(|(path, text)| Origin { path, text }).collect();
    let (from, cases) = (number("FAIAL_SOUNDNESS_FROM", 0), number("FAIAL_SOUNDNESS_CHANGED", 200));
    let (seed, cases) = (number("FAIAL_SOUNDNESS_SEED", 1), (from, from + cases));
    let report = run(&Options { seed, cases, origins: &origins, ..Options::default() });
    println!("{report}");
    assert!(report.found.is_empty(), "{report}");
    let t = &report.tally;
    assert!(t.tested * 6 > t.kernels && t.raced * 10 > t.kernels, "{report}");
}

#[test]
fn an_analysis_that_forgets_branches_is_found_in_changed_kernels() {
    let origins: Vec<Origin> = corpus(&["cu"]).into_iter().map(|(path, text)| Origin { path, text }).collect();
    let mutant: &Mutant = &|program| {
        in_all(program, |stmts| {
            for stmt in stmts {
                if let StmtKind::If(_, then, els) = &mut stmt.kind {
                    then.clear();
                    els.clear();
                }
            }
        });
    };
    let options = Options {
        cases: (0, 400),
        shrink: false,
        first: true,
        mutant: Some(mutant),
        origins: &origins,
        ..Options::default()
    };
    let report = run(&options);
    assert!(!report.found.is_empty(), "{report}");
}

// ---- analyses that are broken on purpose ----

fn each_list(stmts: &mut Vec<Stmt>, f: &mut impl FnMut(&mut Vec<Stmt>)) {
    f(stmts);
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::If(_, then, els) => {
                each_list(then, f);
                each_list(els, f);
            }
            StmtKind::Loop(inner) => each_list(&mut inner.body, f),
            StmtKind::Block(inner) => each_list(inner, f),
            StmtKind::Switch(_, cases) => cases.iter_mut().for_each(|c| each_list(&mut c.body, f)),
            _ => {}
        }
    }
}

fn in_all(program: &mut Program, mut f: impl FnMut(&mut Vec<Stmt>)) {
    program.functions.iter_mut().filter_map(|function| function.body.as_mut()).for_each(|body| each_list(body, &mut f));
}

/// The analysis must be seen to be wrong. `from` is where the search begins: not long before a kernel that shows it.
fn killed(name: &str, from: u64, mutant: &Mutant) {
    let options =
        Options { cases: (from, from + 2000), shrink: false, first: true, mutant: Some(mutant), ..Options::default() };
    let report = run(&options);
    let Some(found) = report.found.first() else { panic!("{name} was not found to be wrong: {report}") };
    println!("{name}: kernel {} of {}: {}", found.case, report.tally.kernels, found.why);
}

#[test]
fn an_analysis_that_forgets_else_branches_is_found() {
    killed("else", 0, &|program| {
        in_all(program, |stmts| {
            for stmt in stmts {
                if let StmtKind::If(_, _, els) = &mut stmt.kind {
                    els.clear();
                }
            }
        });
    });
}

#[test]
fn an_analysis_that_ends_loops_early_is_found() {
    killed("last iteration", 100, &|program| {
        in_all(program, |stmts| {
            for stmt in stmts {
                if let StmtKind::Loop(inner) = &mut stmt.kind
                    && let Some(Expr { kind: ExprKind::Compare(rel @ NRel::Le, ..), .. }) = &mut inner.cond
                {
                    *rel = NRel::Lt;
                }
            }
        });
    });
}

#[test]
fn an_analysis_that_forgets_what_functions_do_is_found() {
    killed("calls", 0, &|program| {
        in_all(program, |stmts| {
            stmts.retain(|s| !matches!(&s.kind, StmtKind::Expr(Expr { kind: ExprKind::Call(..), .. })));
        });
    });
}

#[test]
fn an_analysis_that_forgets_early_returns_is_found() {
    killed("return", 0, &|program| {
        in_all(program, |stmts| {
            for stmt in stmts {
                if let StmtKind::If(_, then, _) = &mut stmt.kind {
                    then.retain(|s| !matches!(s.kind, StmtKind::Return(None)));
                }
            }
        });
    });
}

#[test]
fn an_analysis_that_forgets_narrow_types_is_found() {
    // Values of 8 and 16 bits stay what they were before they were converted.
    fn widen(expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Load(e) | ExprKind::Deref(e) | ExprKind::Not(e) | ExprKind::Convert(e) => widen(e),
            ExprKind::Arith(_, _, l, r)
            | ExprKind::Compare(_, l, r)
            | ExprKind::Element(l, r)
            | ExprKind::Offset(l, r)
            | ExprKind::Assign(l, r)
            | ExprKind::And(l, r)
            | ExprKind::Or(l, r) => {
                widen(l);
                widen(r);
            }
            ExprKind::Choose(c, t, e) => [c, t, e].into_iter().for_each(|e| widen(e)),
            _ => {}
        }
        if let (ExprKind::Convert(inner), Type::Int(to)) = (&expr.kind, &expr.ty)
            && let (true, Type::Int(_)) = (to.bits > 1 && to.bits < 32, &inner.ty)
        {
            *expr = (**inner).clone();
        }
    }
    let text = "//pass\n//--blockDim=64 --gridDim=1\n__global__ void k(int *a) {\n    int t = threadIdx.x;\n    \
                a[(unsigned char)(t * 64)] = t;\n}\n";
    let path = Path::new("narrow.cu");
    let (_, right) = file_fails(path, text, 2, &solver_settings(), None);
    assert_eq!(right, None);
    let mutant: &Mutant = &|program| {
        in_all(program, |stmts| {
            for stmt in stmts {
                match &mut stmt.kind {
                    StmtKind::Declare(_, Some(e)) | StmtKind::Expr(e) | StmtKind::If(e, ..) => widen(e),
                    _ => {}
                }
            }
        });
    };
    let (_, wrong) = file_fails(path, text, 2, &solver_settings(), Some(mutant));
    assert!(wrong.is_some_and(|why| why.contains("a race that was not seen")), "conversions");
}

#[test]
fn an_analysis_that_sees_the_first_side_of_a_choice_only_is_found() {
    // Of `if (c) x = a; else x = b;` and `c ? a : b` it sees the first side only.
    killed("choice", 0, &|program| {
        fn first(expr: &mut Expr) {
            if let ExprKind::Choose(_, then, _) = &mut expr.kind {
                *expr = (**then).clone();
            }
        }
        in_all(program, |stmts| {
            for stmt in stmts {
                match &mut stmt.kind {
                    StmtKind::Declare(_, Some(init)) => first(init),
                    StmtKind::Expr(Expr { kind: ExprKind::Assign(_, value), .. }) => first(value),
                    _ => {}
                }
            }
        });
    });
}
