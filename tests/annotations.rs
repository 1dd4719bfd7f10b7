//! `//@ requires ..`, `//@ assume ..`: what they say counts and is listed, and what is wrong with them is told.

use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{FileStatus, Report, Verdict};

fn check(text: &str) -> Report {
    if let Err(error) = faial_like::smt::locate(None) {
        panic!("{error}\nor run the tests as `sh .ci/setup cargo test`");
    }
    let text = format!("//pass\n//--blockDim=64 --gridDim=1\n{text}");
    check_files(&[(PathBuf::from("a.cu"), text)], &Settings { jobs: 1, ..Settings::default() }, &solver_settings())
}

fn verdict(text: &str) -> Verdict {
    let report = check(text);
    assert_eq!(messages(&report), [""; 0], "{text}");
    report.kernels.first().expect("a kernel").verdict
}

/// The remarks on annotations: line, column and text.
fn messages(report: &Report) -> Vec<String> {
    let all = report.files.iter().flat_map(|f| &f.messages);
    let place = |m: &faial_like::report::finding::Message| m.at.as_ref().map_or((0, 0), |at| (at.line, at.column));
    all.map(|m| format!("{}:{} {} [{}]", place(m).0, place(m).1, m.text, m.code)).collect()
}

/// The verdict with a remark that has these words, at this place.
#[track_caller]
fn refused(text: &str, place: &str, words: &str) {
    let report = check(text);
    let messages = messages(&report);
    assert!(messages.iter().any(|m| m.starts_with(place) && m.contains(words)), "{text}\n{messages:#?}");
    assert_ne!(report.kernels.first().map(|k| k.verdict), Some(Verdict::RaceFree), "{text}");
    let stated = |a: &String| a.contains('`') && !a.contains("by which something is divided");
    assert!(!report.kernels.iter().flat_map(|k| &k.assumptions).any(stated), "{text}");
}

#[test]
fn a_condition_of_a_kernel_counts_wherever_it_stands() {
    let kernels = [
        "//@ requires n >= 64\n__global__ void k(int *a, int n) {\n a[threadIdx.x % n] = threadIdx.x; }",
        "/*@ requires n >= 64; */ __global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }",
        "__global__ void k(int *a, int n) { //@ requires n >= 64\n a[threadIdx.x % n] = threadIdx.x; }",
        "__global__ void k(int *a, int n)\n//@ requires n >= 64\n{ a[threadIdx.x % n] = threadIdx.x; }",
        "__global__ void k(int *a, int n) { //@ assume n >= 64\n a[threadIdx.x % n] = threadIdx.x; }",
        "//@ requires n >= 64\ntemplate <class T> __global__ void k(T *a, int n) { a[threadIdx.x % n] = threadIdx.x; }",
        "template <class T>\n//@ requires n >= 64\n__global__ void k(T *a, int n) { a[threadIdx.x % n] = threadIdx.x; }",
        "namespace s {\n//@ requires n >= 64 // no fewer\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; } }",
        "#define LEAST 64\n//@ requires n >= LEAST\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }",
        "/*@ requires n % 64 == 0;\n  @ requires n > 0 && blockDim.x <= 64;\n  @*/\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }",
        "__device__ int f(int n) {\n//@ assume n >= 64\nreturn n; }\n__global__ void k(int *a, int n) { a[threadIdx.x % f(n)] = threadIdx.x; }",
        "//@ requires __distinct_int(b[threadIdx.x])\n__global__ void k(int *a, const int *b) { a[b[threadIdx.x]] = threadIdx.x; }",
    ];
    for kernel in kernels {
        assert_eq!(verdict(kernel), Verdict::RaceFree, "{kernel}");
        // The twin without it, and one that allows too much.
        let plain: String = kernel.replace("//@", "// @").replace("/*@", "/* @");
        assert_ne!(verdict(&plain), Verdict::RaceFree, "{plain}");
        let weaker = kernel.replace("64", "63").replace("blockDim.x <= 63", "blockDim.x <= 64");
        if weaker != kernel {
            assert_ne!(verdict(&weaker), Verdict::RaceFree, "{weaker}");
        }
    }
}

#[test]
fn an_assumption_holds_from_its_place_on_and_only_there() {
    let guarded = |on: &str, off: &str| {
        format!(
            "__global__ void k(int *a, int n) {{ int i = threadIdx.x; if (n > 3) {{ {on} a[i % n] = i; }} else {{ {off} a[i / 2] = i; }} }}"
        )
    };
    assert_eq!(verdict(&guarded("//@ assume n >= 64\n", "//@ assume n > 7\n")), Verdict::RaceFree);
    assert_eq!(verdict(&guarded("//@ assume n >= 64\n", "")), Verdict::Racy);
    assert_eq!(verdict(&guarded("", "//@ assume n > 7\n")), Verdict::Racy);
}

#[test]
fn what_is_assumed_is_listed_with_the_verdict() {
    let list = |text: &str| check(text).kernels.first().map_or(vec![], |k| k.assumptions.clone());
    let one = list("//@ requires n >= 64\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }");
    assert!(one.contains(&"`requires n >= 64` (line 3)".to_owned()), "{one:?}");
    let two = list("__global__ void k(int *a, int n) {\n __requires(n >=\n 64); a[threadIdx.x % n] = threadIdx.x; }");
    assert!(two.contains(&"`__requires(n >= 64)` (line 4)".to_owned()), "{two:?}");
    let contradicting = "//@ requires n > 3; requires n < 2\n__global__ void k(int *a, int n) { a[0] = threadIdx.x; }";
    assert_eq!(verdict(contradicting), Verdict::Vacuous);
}

#[test]
fn what_is_assumed_of_a_launch_that_is_not_given_is_listed() {
    let list = |name: &str, text: &str| {
        let file = (PathBuf::from(name), text.to_owned());
        let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        report.kernels.first().map_or(vec![], |k| k.assumptions.clone())
    };
    let blocks = list("a.cu", "__global__ void k(int *a) { a[blockIdx.x * 16u] = blockIdx.x; }");
    assert!(blocks.contains(&"fewer than 2^28 threads along x".to_owned()), "{blocks:?}");
    let place = "get_group_id(1) * get_local_size(1) + get_local_id(1)";
    let groups = list("a.cl", &format!("__kernel void k(__global int *a) {{ a[{place}] = 1; }}"));
    for text in ["fewer than 2^22 blocks and 2^28 threads along y", "a work-group has at most 65536 work-items"] {
        assert!(groups.contains(&text.to_owned()), "{groups:?}");
    }
}

#[test]
fn an_assumption_that_says_nothing_here_is_told() {
    let report = check("//@ requires f > 2.5f\n__global__ void k(int *a, float f) { a[0] = threadIdx.x; }");
    let kernel = report.kernels.first().expect("a kernel");
    assert_eq!(kernel.verdict, Verdict::Racy);
    let unused = kernel.reasons.iter().find(|r| r.code == "assumption-unused");
    assert!(unused.is_some_and(|r| r.at.as_ref().is_some_and(|at| at.line == 3)), "{:?}", kernel.reasons);
}

#[test]
fn what_is_no_condition_is_refused_at_its_place() {
    let head = |clause: &str| {
        format!("//@ {clause}\n__global__ void k(int *a, int n) {{ a[threadIdx.x % n] = threadIdx.x; }}")
    };
    for (clause, words) in [
        ("requires n >=", "not a condition"),
        ("requires n >= 64)", "not a condition"),
        ("requires n >= 64); a[0] = (1", "annotation"),
        ("requires (n >= 64", "not a condition"),
        ("requires n, n >= 64", "not a condition"),
        ("requires 'n >= 64", "not a condition"),
        ("requires", "needs a condition"),
        ("requires m >= 64", "`m` is not declared"),
        ("requires (n = 64)", "must not change"),
        ("requires n++ >= 64", "must not change"),
        ("requires atomicAdd(a, 1) >= 64", "effects"),
        ("requires f(n) >= 64", "`f`"),
        ("requires [&]{ return true; }()", "annotation"),
        ("demands n >= 64", "`demands` is no clause"),
        ("n >= 64", "`n` is no clause"),
        ("assume n >= 64", "between the statements"),
    ] {
        refused(&head(clause), "3:", words);
    }
    let calls = "__device__ bool f(int n) { return n >= 64; }\n//@ requires f(n)\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }";
    refused(calls, "4:5", "effects");
}

#[test]
fn what_stands_in_the_wrong_place_is_refused_and_changes_nothing() {
    let body = |text: &str| format!("__global__ void k(int *a, int n) {{ int i = threadIdx.x;\n{text}\n}}");
    for text in [
        "if (n < 0)\n//@ assume n >= 64\na[i % n] = i;",
        "if (n < 0) a[0] = i; else\n//@ assume n >= 64\na[i % n] = i;",
        "for (int j = 0; j < 1; j++)\n//@ assume n >= 64\na[i % n] = i;",
        "switch (n) {\n//@ assume n >= 64\ndefault: a[i % n] = i; }",
        "a[i\n//@ assume n >= 64\n% n] = i;",
        "switch (n) { default:\n//@ assume n >= 64\na[i % n] = i; }",
    ] {
        refused(&body(text), "5:5", "between the statements");
    }
    refused(&body("a[0] = i;\n//@ requires n >= 64\na[i % n] = i;"), "5:5", "`requires` stands in front of a kernel");
    let far = "//@ requires n >= 64\nint g;\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }";
    refused(far, "3:5", "`requires` stands in front of a kernel");
    let helper = "//@ requires n >= 64\n__device__ int f(int n) { return n; }\n__global__ void k(int *a, int n) { a[threadIdx.x % f(n)] = threadIdx.x; }";
    refused(helper, "3:5", "`requires` stands in front of a kernel");
    refused(
        &format!("#define P(x) x\n{}", body("P({\n//@ assume n >= 64\na[i % n] = i; })")),
        "6:5",
        "arguments of a macro",
    );
    refused(&format!("#define P //@ assume n >= 64\n{}", body("P a[i % n] = i;")), "3:", "directive");
}

#[test]
fn comments_of_other_tools_and_code_that_is_not_compiled_are_left_alone() {
    for text in
        ["//@{\n", "//@}\n", "//@@@@@\n", "//@\n", "/*@*/", "#if 0\n//@ demands n\n#endif\n", "// @ demands n\n"]
    {
        let text = format!("{text}__global__ void k(int *a, int n) {{ a[threadIdx.x] = n; }}");
        assert_eq!(verdict(&text), Verdict::RaceFree, "{text}");
    }
    // A clause of another tool is told, and the rest is as good as before.
    let report = check("//@ loop_invariant n > 3\n__global__ void k(int *a, int n) { a[threadIdx.x] = n; }");
    assert_eq!(report.kernels.first().map(|k| k.verdict), Some(Verdict::RaceFree));
    assert_eq!(report.files.first().map(|f| f.status), Some(FileStatus::Ok));
    assert!(messages(&report).iter().any(|m| m.starts_with("3:5 `loop_invariant` is no clause")));
    let asserted = check("__global__ void k(int *a, int n) {\n//@ assert n >= 64\na[threadIdx.x % n] = threadIdx.x; }");
    assert_eq!(asserted.kernels.first().map(|k| k.verdict), Some(Verdict::Racy));
    assert!(messages(&asserted).iter().any(|m| m.starts_with("4:5 `assert` is neither checked nor assumed")));
}

#[test]
fn places_after_an_annotation_are_those_of_the_source() {
    let text = "__global__ void k(int *a, int n) {\n//@ assume n > 3\n/*@ assume n > 4 */ a[n > 2] = threadIdx.x;\n//@ assume n > 5\n}";
    let report = check(text);
    let accesses = report.kernels.iter().flat_map(|k| &k.findings).flat_map(|f| &f.accesses);
    let places: Vec<_> = accesses.map(|a| (a.at.line, a.at.column)).collect();
    assert!(!places.is_empty() && places.iter().all(|p| *p == (5, 21)), "{places:?}");
}

#[test]
fn annotations_of_headers_have_their_places_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "k.h",
        "#define N 64\n\n  //@ requires n >= N\n__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }\n",
    );
    write("bad.h", "\n  //@ requires m >= N\n__global__ void j(int *a, int n) { a[threadIdx.x] = 1; }\n");
    let text = "//--blockDim=64 --gridDim=1\n#include \"k.h\"\n#include \"bad.h\"\n".to_owned();
    let settings = Settings { jobs: 1, ..Settings::default() };
    let report = check_files(&[(folder.path().join("a.cu"), text)], &settings, &solver_settings());
    assert!(report.kernels.iter().all(|k| k.verdict == Verdict::RaceFree), "{report:#?}");
    let at = report.files[0].messages.iter().find_map(|m| m.at.as_ref()).expect("a place");
    assert!(at.path.ends_with("bad.h") && (at.line, at.column) == (2, 7), "{at:?}");
}

#[test]
fn that_a_counter_does_not_wrap_around_is_listed_where_it_may() {
    // Without the assumption each of the first ones races: the value that is compared, or the counter, wraps around.
    let listed = |head: &str| {
        let text = format!("__global__ void k(int *a, unsigned n, int m) {{ for ({head}) a[threadIdx.x] = x; }}");
        let report = check(&text);
        let kernel = report.kernels.first().unwrap_or_else(|| panic!("no kernel in {text}"));
        kernel.assumptions.iter().any(|a| a.contains("does not wrap around"))
    };
    for head in [
        "unsigned x = 4294967280u; x + 5 <= n; x++",
        "unsigned x = 4294967280u; x + 5 < n; x += 4",
        "unsigned x = 1; x + 2147483648u <= n; x *= 2",
        "int x = 2147483640; x <= m; x += 4u",
        "int x = 2147483640; x <= m; x = (int)((unsigned)x + 4u)",
        "int x = 0; x < m; x += blockDim.x",
    ] {
        assert!(listed(head), "{head}");
    }
    for head in [
        "unsigned x = 0; x + 5 < n; x++",
        "unsigned x = 0; x < n; x++",
        "unsigned x = 0; x + 5 <= 1000; x += 3",
        "int x = 2147483640; x <= m; x += 4",
        "int x = 0; x < 1000; x += 4u",
    ] {
        assert!(!listed(head), "{head}");
    }
}
