//! THM-ROUNDTRIP: what is printed is read back as the same thing, at every stage; and what is wrong with a text is said
//! with its place.

use faial_like::core::{Kernel, Level, Print, Protocol, align, phases, project, seq, split, wellformed};
use faial_like::exp::{B, IntTy, N, NExp, Subst, Var};
use faial_like::fuzz::expressions::{any_number, any_truth};
use faial_like::fuzz::{Dialect, kernel};
use faial_like::text::{Stage, parse_kernel, parse_kernels, parse_protocol};

use crate::generate::{Outcome, Plan, for_all, for_all_choices};

/// Sequences flat, as they are printed.
fn normal(code: &Protocol) -> Protocol {
    match code {
        Protocol::Skip | Protocol::Access(_) | Protocol::Sync(_) => code.clone(),
        Protocol::Seq(parts) => Protocol::seq(parts.iter().map(normal).collect::<Vec<_>>()),
        Protocol::If(b, t, e) => Protocol::If(b.clone(), Box::new(normal(t)), Box::new(normal(e))),
        Protocol::For(range, body) => Protocol::For(range.clone(), Box::new(normal(body))),
    }
}

fn read(text: &str) -> Result<Kernel<Stage>, String> {
    parse_kernel(text).map_err(|errors| format!("{errors:?} in\n{text}"))
}

fn same_text(before: &str, after: &str) -> Result<(), String> {
    if before == after { Ok(()) } else { Err(format!("printed\n{before}\nread and printed again\n{after}")) }
}

fn protocols(kernel: &Kernel<Protocol>) -> Outcome {
    let text = kernel.text();
    let back = parse_protocol(&text).map_err(|errors| format!("{errors:?} in\n{text}"))?;
    same_text(&text, &back.text())?;
    if back != kernel.with_code(normal(&kernel.code)) {
        return Err(format!("read as\n{back:#?}\nfrom\n{text}"));
    }
    Ok(Vec::new())
}

fn stages(kernel: &Kernel<Protocol>) -> Outcome {
    let projection = project(kernel, Level::Block, &[Level::Block], 32);
    let closures = kernel.with_code(phases(&projection.kernel));
    let text = closures.text();
    match read(&text)?.code {
        Stage::Phases(back) if back == closures.code => {}
        other => return Err(format!("read as\n{other:#?}\nfrom\n{text}")),
    }
    let traces = kernel.with_code(closures.code.iter().map(|c| seq(&projection, c)).collect::<Vec<_>>());
    let text = traces.text();
    match read(&text)?.code {
        Stage::Traces(back) => same_text(&text, &kernel.with_code(back).text())?,
        other => return Err(format!("read as\n{other:#?}\nfrom\n{text}")),
    }
    if let Ok(admitted) = wellformed(kernel, Level::Block) {
        let aligned = kernel.with_code(align(&admitted.code));
        let text = aligned.text();
        match read(&text)?.code {
            Stage::Aligned(back) if back == aligned.code => {}
            other => return Err(format!("read as\n{other:#?}\nfrom\n{text}")),
        }
        let text = kernel.with_code(split(&aligned.code)).text();
        match read(&text)?.code {
            Stage::Phases(back) => same_text(&text, &kernel.with_code(back).text())?,
            other => return Err(format!("read as\n{other:#?}\nfrom\n{text}")),
        }
    }
    Ok(Vec::new())
}

#[test]
fn protocols_are_read_back() {
    for dialect in [Dialect::Block, Dialect::Scopes, Dialect::Accesses] {
        for_all(Plan { cases: 400, dialect, depth: 5, length: 90 }, 0, protocols);
    }
}

#[test]
fn later_stages_are_read_back() {
    for dialect in [Dialect::Block, Dialect::Paper] {
        for_all(Plan { cases: 200, dialect, depth: 4, length: 60 }, 0, stages);
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
