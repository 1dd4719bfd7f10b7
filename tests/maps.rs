//! Protocols as files: what an export keeps, what is refused and how, and texts that are nested without end.

use std::fs;
use std::process::{Command, Output};

use faial_like::smt::locate;
use tempfile::TempDir;

fn run(args: &[&str]) -> Output {
    let solver = locate(None).unwrap_or_else(|error| panic!("{error}\nor run the tests as `sh .ci/setup cargo test`"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_faial-like"));
    program.env("FAIAL_SOLVER", solver.path).args(args);
    if args.first() == Some(&"check") {
        program.arg("--no-cache");
    }
    program.output().expect("the program runs")
}

/// The exit code, which a signal does not have, and all that was printed.
fn outcome(args: &[&str]) -> (Option<i32>, String) {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn write(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn check(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    outcome(&["check", "--color", "never", &write(&folder, "k.map", text)])
}

fn protocol(header: &str, code: &str) -> String {
    format!(
        "kernel k {{\n  global n: i32;\n  array A: global;\n  thread t in 0..64;\n{header}  code {{\n{code}\n  }}\n}}\n"
    )
}

// Facts about two threads

/// Each thread writes the cells from its own offset on; the fact says how offsets of two threads differ.
fn offsets(fact: &str) -> String {
    format!(
        "//--blockDim=64 --gridDim=1\n__global__ void k(int *a, const int *at) {{\n  {fact}\n  \
         a[at[threadIdx.x]] = threadIdx.x;\n}}\n"
    )
}

#[test]
fn facts_about_two_threads_are_exported_and_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("__requires(__distinct_int(at[threadIdx.x]));", 0),
        (
            "__requires(at[threadIdx.x] < __other_int(at[threadIdx.x]) || at[threadIdx.x] > __other_int(at[threadIdx.x]));",
            0,
        ),
        ("__requires(at[threadIdx.x] <= __other_int(at[threadIdx.x]) + 1);", 1),
        ("__requires(__uniform_int(at[threadIdx.x]));", 1),
        ("", 1),
    ];
    for (fact, wanted) in cases {
        let source = write(&folder, "k.cu", &offsets(fact));
        assert_eq!(outcome(&["check", &source]).0, Some(wanted), "{fact}");
        let (code, text) = outcome(&["dump", &source, "--stage", "protocol"]);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.contains("  pairs "), !fact.is_empty(), "{text}");
        assert!(!text.contains("//! lost"), "{text}");
        let map = write(&folder, "k.map", &text);
        let (code, report) = outcome(&["check", &map]);
        assert_eq!(code, Some(wanted), "{text}\n{report}");
        let (_, again) = outcome(&["dump", &map, "--stage", "protocol"]);
        // Sites are numbered anew.
        let kernel = |text: &str| {
            let text = &text[text.find("kernel k").expect("a kernel")..];
            text.lines().map(|line| line.split(" @").next().unwrap_or("").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kernel(&again), kernel(&text));
    }
}

#[test]
fn facts_about_two_threads_can_be_written_by_hand() {
    let text = |fact: &str| {
        format!("kernel k {{\n  array A: global;\n  thread t in 0..64;\n  {fact}\n  code {{ wr A[f(t)] @0; }}\n}}\n")
    };
    assert_eq!(check(&text("")).0, Some(1));
    assert_eq!(check(&text("pairs f(t) != ~other(f(t));")).0, Some(0));
    assert_eq!(check(&text("pairs f(t) <= ~other(f(t));")).0, Some(1));
    let (code, report) = check(&text("pairs f(u) != ~other(f(u));"));
    assert_eq!(code, Some(2));
    assert!(report.contains("`u` is not declared here [WF-BOUND]") && report.contains(":4:11"), "{report}");
}

#[test]
fn facts_about_two_threads_that_contradict_each_other_are_vacuous() {
    let text = |facts: &str| protocol(&format!("  {facts}\n"), "    wr A[0] @0;");
    let (code, report) = check(&text("pairs f(t) != ~other(f(t)); pairs f(t) == ~other(f(t));"));
    assert!(code == Some(3) && report.contains("vacuous"), "{report}");
    let (code, report) = check(&text("pairs t < ~other(t);"));
    assert!(code == Some(3) && report.contains("vacuous"), "the fact holds both ways round: {report}");
    assert_eq!(check(&text("pairs f(t) != ~other(f(t));")).0, Some(1));
}

// What is refused

#[test]
fn an_ill_formed_protocol_is_rejected_with_every_rule_that_it_breaks() {
    let code = "    wr B[t] @0;\n    wr A[t] width 0 @1;\n    sync block mask n @2;\n    rd C[0] @3;\n    wr A[0] @4;";
    let (code, report) = check(&protocol("", code));
    assert_eq!(code, Some(3), "{report}");
    for (line, rule) in [(6, "`B` is not declared [WF-ARRAY]"), (9, "`C` is not declared [WF-ARRAY]")] {
        assert!(report.contains(rule) && report.contains(&format!("k.map:{line}:5")), "{report}");
    }
    assert!(report.contains("at least 1 [WF-WIDTH]") && report.contains("k.map:7:5"), "{report}");
    assert!(report.contains("has a mask [WF-MASK]") && report.contains("k.map:8:5"), "{report}");
    assert!(report.contains("rejected  k") && !report.contains("data race"), "{report}");
}

#[test]
fn a_mask_that_may_differ_is_a_question_and_no_broken_rule() {
    let text = |mask: &str| {
        format!(
            "kernel k {{\n  array A: shared;\n  thread t in 0..32;\n  code {{\n    wr A[t] @0;\n    sync warp mask {mask} @1;\n    \
             rd A[t ^ 1] @2;\n  }}\n}}\n"
        )
    };
    assert_eq!(check(&text("4294967295")).0, Some(0));
    assert_eq!(check(&text("4294967295 + int(t) - int(t)")).0, Some(0));
    assert_eq!(check(&text("4294967295 >>int t")).0, Some(1));
}

#[test]
fn every_error_of_a_text_has_its_rule_and_its_place() {
    let text = "kernel k {\n  global n: i32;\n  global n: i32;\n  array A: global;\n  array A: shared;\n  block b in 0..m;\n  \
                thread t in 0..4;\n  thread u in 0..t;\n  code {\n    wr A[x] @0;\n    for n in 0..2 { rd A[n] @1; }\n    \
                rd A[18446744073709551616] @2;\n    rd A[-99999999999999999999999999999999999999999999999999] @3;\n  }\n}\n";
    let (code, report) = check(text);
    assert_eq!(code, Some(2), "{report}");
    for (place, message) in [
        ("3:10", "`n` hides another variable [WF-SHADOW]"),
        ("5:9", "the array `A` is declared twice [WF-NAMES]"),
        ("6:17", "`m` is not declared here [WF-BOUND]"),
        ("8:18", "`t` is not a global: threads may differ in it [WF-EXTENT]"),
        ("10:10", "`x` is not declared here [WF-BOUND]"),
        ("11:9", "`n` hides another variable [WF-SHADOW]"),
        ("12:10", "the number needs more than 64 bits"),
        ("13:11", "the number needs more than 127 bits"),
    ] {
        assert!(report.contains(message), "{message}:\n{report}");
        assert!(report.contains(&format!("k.map:{place}]")), "{place}:\n{report}");
    }
}

#[test]
fn numbers_of_64_bits_are_read() {
    for number in ["18446744073709551615", "-18446744073709551615", "0xffffffffffffffff", "-18446744073709551616#int"] {
        let (code, report) = check(&protocol("", &format!("    if int(n) == {number} {{ wr A[t] @0; }}")));
        assert_eq!(code, Some(0), "{number}: {report}");
    }
    let text =
        protocol("", "    if int(n) * 4 <int_max { wr A[t] @0; }").replace("<int_max", "< 18446744073709551616#int");
    assert_eq!(check(&text).0, Some(0), "a number that says that it is meant");
}

#[test]
fn errors_beyond_the_limit_are_mentioned() {
    let many: String = (0..80).map(|i| format!("    wr A[x{i}] @{i};\n")).collect();
    let (code, report) = check(&protocol("", &many));
    assert_eq!(code, Some(2), "{report}");
    assert_eq!(report.matches("is not declared here").count(), 50, "{report}");
    assert!(report.contains("more than 50 errors"), "{report}");
}

// Texts that are nested without end

const STAGES: [&str; 7] = ["protocol", "wellformed", "align", "split", "phases", "trace", "smt"];

/// Code of a kernel that is nested so deep in each way there is.
fn nested(depth: usize) -> Vec<(&'static str, String)> {
    // Each of these is two levels for the reader.
    let half = if depth < 1000 { depth / 2 } else { depth };
    let around = |open: &dyn Fn(usize) -> String, inner: &str| {
        let opened: String = (0..depth).map(open).collect();
        format!("{opened}{inner}{}", "}".repeat(depth))
    };
    vec![
        ("conditionals", around(&|i| format!("if n < {i} {{ "), "wr A[t] @0;")),
        ("branches", around(&|i| format!("if n < {i} {{ rd A[t] @{i}; }} else {{ "), "wr A[t] @0;")),
        ("unsynchronised loops", around(&|i| format!("for x{i} in 0..n {{ "), "wr A[t] @0;")),
        ("synchronised loops", around(&|i| format!("for x{i} in 0..n {{ wr A[t] @{i}; sync block @{i}; "), "skip;")),
        ("parentheses", format!("wr A[{}t{}] @0;", "(".repeat(depth), ")".repeat(depth))),
        ("operators", format!("wr A[t{}] @0;", " * 2 + n".repeat(depth))),
        ("conditions", format!("if {}n < 2{} {{ wr A[t] @0; }}", "!(".repeat(half), ")".repeat(half))),
        ("calls", format!("wr A[{}t{}] @0;", "f(".repeat(depth), ")".repeat(depth))),
        ("choices", format!("wr A[{}t{}] @0;", "(n < 1 ? 0 : ".repeat(depth), ")".repeat(depth))),
    ]
}

#[test]
fn texts_nested_a_hundred_thousand_deep_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (what, code) in nested(100_000) {
        let map = write(&folder, "deep.map", &protocol("", &code));
        for stage in STAGES {
            let (code, text) = outcome(&["dump", &map, "--stage", stage]);
            assert_eq!(code, Some(2), "{what}, {stage}: {}", &text[..text.len().min(500)]);
        }
        for command in ["check", "list"] {
            let (code, text) = outcome(&[command, &map]);
            let (start, wanted) = (&text[..text.len().min(500)], if command == "check" { Some(2) } else { Some(0) });
            assert_eq!(code, wanted, "{what}, {command}: {start}");
            assert!(command == "list" || text.contains("deep"), "{what}: {start}");
        }
    }
    let other = [
        "{".repeat(100_000),
        "kernel k {".repeat(100_000),
        "(".repeat(100_000),
        "kernel k { code ".to_owned() + &"{".repeat(100_000),
    ];
    for text in other {
        assert_eq!(check(&text).0, Some(2), "{}", &text[..20]);
    }
}

#[test]
fn texts_nested_as_deep_as_is_allowed_pass_every_stage() {
    let folder = tempfile::tempdir().expect("a folder");
    // Loops with barriers cost their square, and more as a trace.
    let synced = |what: &str| what == "synchronised loops";
    let cases =
        nested(450).into_iter().filter(|(w, _)| !synced(w)).chain(nested(60).into_iter().filter(|(w, _)| synced(w)));
    for (what, code) in cases {
        let map = write(&folder, "deep.map", &protocol("", &code));
        for stage in STAGES.into_iter().filter(|s| *s != "smt") {
            let (code, text) = outcome(&["dump", &map, "--stage", stage]);
            assert_eq!(code, Some(0), "{what}, {stage}: {}", &text[..text.len().min(500)]);
        }
        let (code, text) = outcome(&["check", "--timeout", "60s", &map]);
        assert!(matches!(code, Some(0 | 1 | 3)), "{what}: {code:?} {}", &text[..text.len().min(500)]);
    }
}

/// Code nested so deep that no text has it, on the stack of a worker: made, copied, printed and dropped at a hundred thousand
/// levels; through the passes, some of which cost their square, at some thousands.
#[test]
fn values_nested_deeper_than_any_text_pass_the_core() {
    use faial_like::check::schedule::parallel;
    use faial_like::core::race::race_phase;
    use faial_like::core::wellformed::violations;
    use faial_like::core::{Access, Kernel, Level, Mode, Print, Protocol, Range, SiteId, phases, project};
    use faial_like::exp::{IntTy, N, Subst, Var};
    const DEEP: usize = 100_000;
    const PASSED: usize = 3_000;

    let header = "kernel k { global n: i32; array A: global; thread t in 0..4; code { wr A[t] @0; } }";
    let header = faial_like::text::parse_protocol(header).expect("a kernel");
    let n = N::var(&Var::new("n", IntTy::I32));
    type Wrap<'a> = &'a (dyn Fn(usize, Protocol) -> Protocol + Sync);
    let read = |i: usize| {
        Protocol::Access(Access {
            site: SiteId(i as u32),
            array: "A".into(),
            mode: Mode::Rd,
            index: vec![N::num(0)],
            width: 1,
        })
    };
    let wraps: [Wrap; 4] = [
        &|_, inner| Protocol::If(n.lt(&N::num(1)), Box::new(inner), Box::new(Protocol::Skip)),
        &|_, inner| Protocol::If(n.lt(&N::num(1)), Box::new(Protocol::Skip), Box::new(inner)),
        &|i, inner| Protocol::If(n.lt(&N::num(1)), Box::new(read(i)), Box::new(inner)),
        &|i, inner| {
            Protocol::For(Range::up(Var::new(format!("x{i}"), IntTy::I32), N::num(0), n.clone()), Box::new(inner))
        },
    ];
    let nested = |wrap: &Wrap, depth: usize| -> Kernel<Protocol> {
        header.with_code((0..depth).fold(header.code.clone(), |inner, i| wrap(i, inner)))
    };
    let pass = |(): &mut (), wrap: &Wrap| {
        let deep = nested(wrap, DEEP);
        let lines = deep.clone().text().lines().count();
        drop(deep);
        let kernel = nested(wrap, PASSED);
        let found = violations(&kernel, Level::Block).len();
        let projection = project(&kernel, Level::Block, &[Level::Block], 32);
        let closures = phases(&projection.kernel);
        let sides = race_phase(&projection, &closures[0]).sides.len();
        let replaced = kernel.code.subst(&mut Subst::one(&"n".into(), &N::num(5)));
        assert_ne!(replaced, kernel.code);
        (lines, found, closures.len(), sides)
    };
    let results = parallel(&wraps, 1, || (), pass, |_, why| panic!("{why}"));
    for (lines, found, closures, sides) in results {
        assert!(lines > DEEP);
        assert_eq!((found, closures), (0, 1));
        assert!(sides > 0);
    }
}
