//! THM-ROUNDTRIP: what is printed is read back as the same thing, at every stage; and what is wrong with a text is said
//! with its place.

use std::path::{Path, PathBuf};

use faial_like::check::dump::{Stage, dump};
use faial_like::check::schedule::{Settings, parallel, solver_settings};
use faial_like::core::{Kernel, Print, Protocol};
use faial_like::exp::{B, IntTy, N, NExp, Subst, Var};
use faial_like::fuzz::expressions::{any_number, any_truth};
use faial_like::fuzz::theorems::roundtrip::holds;
use faial_like::fuzz::{Dialect, Pass, kernel};
use faial_like::text::{Stage as Parsed, parse_kernels, parse_protocol};

use crate::generate::{for_all, for_all_choices};

#[test]
fn every_stage_is_read_back() {
    for plan in Pass::Roundtrip.plans() {
        for_all(*plan, 300, 1, |kernel| holds(kernel, &|text| text));
    }
}

#[test]
fn every_stage_of_the_corpus_is_read_back() {
    let mut paths = Vec::new();
    cuda_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), &mut paths);
    let stages = [Stage::Protocol, Stage::Wellformed, Stage::Align, Stage::Split, Stage::Phases, Stage::Trace];
    // Deep terms are walked by recursion: not on the small stack of a test.
    let results = parallel(&paths, 2, || (), |(), path| read_back(path, &stages), |_, why| Err(why));
    let mut kernels = 0;
    for (path, result) in paths.iter().zip(results) {
        kernels += result.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
    assert!(kernels > 2_000, "only {kernels} kernels at a stage and a level");
}

fn cuda_files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            cuda_files(&path, all);
        } else if path.extension().is_some_and(|e| e == "cu") {
            all.push(path);
        }
    }
}

/// Reads what `dump` prints of a file: how many kernels there were.
fn read_back(path: &Path, stages: &[Stage]) -> Result<usize, String> {
    // Some files of the corpus are no text, or no kernels.
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(0) };
    let mut count = 0;
    for stage in stages {
        let Ok(printed) = dump(path, &text, *stage, &Settings::default(), &solver_settings()) else { continue };
        let kernels = parse_kernels(&printed).map_err(|errors| format!("{stage:?}: {errors:?} in\n{printed}"))?;
        let again: String = kernels.iter().map(text_of).collect();
        let printed: String =
            printed.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect();
        if printed != again {
            return Err(format!("{stage:?}: printed\n{printed}\nread and printed again\n{again}"));
        }
        count += kernels.len();
    }
    Ok(count)
}

fn text_of(kernel: &Kernel<Parsed>) -> String {
    match &kernel.code {
        Parsed::Protocol(code) => kernel.with_code(code.clone()).text(),
        Parsed::Aligned(code) => kernel.with_code(code.clone()).text(),
        Parsed::Phases(code) => kernel.with_code(code.clone()).text(),
        Parsed::Traces(code) => kernel.with_code(code.clone()).text(),
    }
}

/// A kernel around an index and a condition.
fn around(index: &N, cond: &B, vars: &[Var]) -> Kernel<Protocol> {
    let mut choices = faial_like::fuzz::Choices::new(vec![]);
    let mut kernel = kernel(&mut choices, Dialect::Accesses, 1);
    kernel.globals = vars.to_vec();
    kernel.pre = cond.clone();
    if let Protocol::Access(access) = &mut kernel.code {
        access.index = vec![index.clone()];
    }
    kernel
}

#[test]
fn expressions_are_read_back() {
    let vars =
        [Var::new("x", IntTy::I32), Var::new("y", IntTy::U8), Var::new("a b", IntTy::MATH), Var::new("u8", IntTy::U32)];
    for_all_choices(2000, 80, |mut choices| {
        let index = any_number(&mut choices, &vars, 4);
        let cond = any_truth(&mut choices, &vars, 4);
        let kernel = around(&index, &cond, &vars);
        match parse_protocol(&kernel.text()) {
            Ok(back) if back == kernel => Ok(()),
            Ok(back) => Err(format!("printed\n{}\nread and printed again\n{}", kernel.text(), back.text())),
            Err(errors) if errors.iter().all(|e| e.message.contains("127 bits")) => Ok(()),
            Err(errors) => Err(format!("{errors:?} in\n{}", kernel.text())),
        }
    });
}

#[test]
fn a_mistaken_printer_is_seen() {
    // The mutant prints the operands of a subtraction without parentheses.
    let x = N::var(&Var::new("x", IntTy::I32));
    let term = N::sub(IntTy::I32, &x, &N::sub(IntTy::I32, &x, &N::mul(IntTy::I32, &x, &x)));
    let kernel = around(&term, &B::lit(true), &[Var::new("x", IntTy::I32)]);
    let wrong = kernel.text().replace("x - (x - x * x)", "x - x - x * x");
    assert_ne!(wrong, kernel.text());
    assert_ne!(parse_protocol(&wrong).ok(), Some(kernel));
}

#[test]
fn a_term_that_is_a_large_graph_prints_in_a_moment() {
    let x = N::var(&Var::new("x", IntTy::I32));
    let mut term = x.clone();
    for _ in 0..200 {
        term = N::bin(faial_like::exp::NBin::Xor, IntTy::I32, &N::mul(IntTy::I32, &term, &x), &term);
    }
    assert!(matches!(term.kind(), NExp::Bin(..)));
    let text = term.to_string();
    assert!(text.len() < 1_000_000 && text.contains("..."), "{} bytes", text.len());
    assert_eq!(Subst::one(&"x".into(), &x).numeric(&term), term);
}

fn code(statements: &str) -> String {
    format!(
        "kernel k {{\n  global n: i32;\n  array A: global unit 4;\n  thread t in 0..4;\n  code {{\n{statements}\n  }}\n}}\n"
    )
}

fn errors(text: &str) -> Vec<String> {
    match parse_kernels(text) {
        Ok(kernels) => panic!("read as {kernels:?}"),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn errors_have_a_place_and_all_are_reported() {
    let text = code(
        "    wr A[m] @1;\n    rd A[t @2;\n    for n in 0..2 { rd A[n] @3; }\n    wr A[340282366920938463463374607431768211456] @4;\n    wr A[t < 1] @5;\n    ä",
    );
    assert_eq!(
        errors(&text),
        [
            "6:10: `m` is not declared here [WF-BOUND]",
            "7:12: expected `]`, found `@`",
            "8:9: `n` hides another variable [WF-SHADOW]",
            "9:10: the number needs more than 127 bits",
            "10:10: expected a number, found a condition",
            "11:5: the character 'ä' does not belong here",
        ]
    );
    assert_eq!(errors("kernel k { thread t in 0..4; }"), ["1:31: the kernel has no code"]);
    assert_eq!(errors(&code("for i in 0..2 { }  rd A[i] @1;")), ["6:25: `i` is not declared here [WF-BOUND]"]);
}

#[test]
fn deep_texts_are_refused() {
    let deep = 100_000;
    let cases = [
        format!("wr A[{}t{}] @1;", "(".repeat(deep), ")".repeat(deep)),
        format!("wr A[t{}] @1;", " + t * 2".repeat(deep)),
        format!("wr A[{}(t){}] @1;", "f(".repeat(deep), ")".repeat(deep)),
        format!("if {}(t < 1) {{ }}", "!".repeat(deep)),
        format!("{} {}", "if t < 1 { ".repeat(deep), "}".repeat(deep)),
        format!("if t < 1 {{ }} {}", "else if t < 1 { }".repeat(deep)),
    ];
    for statements in cases {
        let found = errors(&code(&statements));
        assert!(found.iter().any(|e| e.contains("deep")), "{found:?}");
    }
    let long =
        format!("if t < 1{} {{ rd A[t] @1; }}", (0..50_000).map(|i| format!(" && t != {i}")).collect::<String>());
    assert!(parse_kernels(&code(&long)).is_ok(), "a long conjunction is not a deep one");
    let many = "rd A[t] @1; ".repeat(50_000);
    assert!(parse_kernels(&code(&many)).is_ok(), "many statements are not deep");
}
