//! What the host code around a launch says is used, listed, and can be left out; each case with a mutant of the host code.

use std::path::PathBuf;

use faial_like::check::dump::list;
use faial_like::check::kernel::CheckOptions;
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{KernelReport, LaunchSource, Verdict};

/// The kernel `k` of a text, checked with and without what the host says.
fn check(text: &str, ignore_host: bool) -> KernelReport {
    let file = (PathBuf::from("host.cu"), text.to_owned());
    let check = CheckOptions { ignore_host, any_stride: true, ..CheckOptions::default() };
    let settings = Settings { jobs: 1, check, ..Settings::default() };
    let report = check_files(&[file], &settings, &solver_settings());
    let mut kernels = report.kernels.into_iter().filter(|k| k.name.starts_with('k'));
    let found = kernels.next().expect("a kernel");
    assert_eq!(kernels.next().map(|k| k.name), None, "one kernel");
    found
}

/// Race-free with this host code, racy with that of the mutant, and racy when nothing is taken from either.
fn decides(kernel: &str, host: &str, mutant: &str) -> KernelReport {
    let with = check(&format!("{kernel}\n{host}\n"), false);
    assert_eq!(with.verdict, Verdict::RaceFree, "{host}: {:?}", with.assumptions);
    assert_eq!(with.launch.from, LaunchSource::LaunchSite);
    let mutated = check(&format!("{kernel}\n{mutant}\n"), false);
    assert_eq!(mutated.verdict, Verdict::Racy, "{mutant}: {:?}", mutated.assumptions);
    let without = check(&format!("{kernel}\n{host}\n"), true);
    assert_eq!(without.verdict, Verdict::Racy, "without: {:?}", without.assumptions);
    assert_ne!(without.launch.from, LaunchSource::LaunchSite);
    with
}

fn assumes(report: &KernelReport, what: &str) {
    assert!(report.assumptions.iter().any(|a| a.contains(what)), "{what}: {:?}", report.assumptions);
}

/// Safe for 32 threads a block and no more.
const UP_TO_32: &str =
    "__global__ void k(int *a) { a[threadIdx.x % 32 + 32 * blockIdx.x] = threadIdx.x + threadIdx.y; }";

#[test]
fn the_block_is_that_of_the_launch() {
    let host = |block: &str| format!("void f(int *p) {{ k<<<4, {block}>>>(p); }}");
    let report = decides(UP_TO_32, &host("32"), &host("33"));
    assert_eq!((report.launch.block, report.launch.grid), ([Some(32), Some(1), Some(1)], [Some(4), Some(1), Some(1)]));
}

/// A kernel that never asks which block it is in races as soon as there are two, and some launch has them.
#[test]
fn an_axis_that_a_launch_leaves_open_is_not_taken_as_one() {
    let kernel = "__global__ void k(int *a) { a[threadIdx.x] += 1; }";
    let host = |body: &str| format!("{kernel}\nvoid f(int *a, int n) {{ {body} }}");
    for open in [
        "k<<<1, 64>>>(a); k<<<2, 64>>>(a);",
        "k<<<(n + 63) / 64, 64>>>(a);",
        "k<<<n > 7 ? 4 : 2, 64>>>(a);",
        "Properties p; ask(&p); k<<<p.count * 2, 64>>>(a);",
        "dim3 b(32, n > 4 ? 2 : 1); k<<<1, b>>>(a);",
    ] {
        assert_eq!(check(&host(open), false).verdict, Verdict::Racy, "{open}");
    }
    for one in ["k<<<1, 64>>>(a); k<<<1, 32>>>(a);", "k<<<1, n>>>(a);", "dim3 b = sizes(n); k<<<1, b>>>(a);"] {
        assert_eq!(check(&host(one), false).verdict, Verdict::RaceFree, "{one}");
    }
}

/// What the host knows of a variable, its conversion need not keep; that it does is listed.
#[test]
fn a_parameter_of_another_type_is_told() {
    let kernel = "__global__ void k(int *a, int n) { if (n <= 3) a[0] = threadIdx.x; }";
    let host = |ty: &str| format!("{kernel}\nvoid f(int *a, {ty} n) {{ if (n <= 3) return; k<<<1, 64>>>(a, n); }}");
    let same = check(&host("int"), false);
    assert_eq!(same.verdict, Verdict::RaceFree);
    assert!(!same.assumptions.iter().any(|a| a.contains("fits its type")), "{:?}", same.assumptions);
    assumes(&check(&host("int64_t"), false), "what is given for `n` fits its type");
    assumes(&check(&host("unsigned"), false), "what is given for `n` fits its type");
}

#[test]
fn sizes_are_followed_through_variables_that_do_not_change() {
    let host = |body: &str| format!("#define N 16\nconst int M = 2;\nvoid f(int *p) {{ {body} k<<<1, b>>>(p); }}");
    for (safe, racy) in [
        ("dim3 b(N * M);", "dim3 b(N * M, M);"),
        ("dim3 b = dim3(N, M - 1);", "dim3 b = dim3(N * 3, 1);"),
        ("dim3 b; b.x = N;", "dim3 b; b.x = N * 4;"),
        ("dim3 b(N, 1); b.x = 32;", "dim3 b(N, 1); b.y = M;"),
        ("int b = N; ", "int b = N; b = 3 * N;"),
        ("int b; b = N;", "int b; b = 64;"),
        ("int b = 64; b /= M;", "int b = N; b *= 3;"),
        ("dim3 b(N * 3); b.x -= N;", "dim3 b(N); b.x <<= 2;"),
        ("int b = 31; b++;", "int b = 31; b += 2;"),
    ] {
        decides(UP_TO_32, &host(safe), &host(racy));
    }
}

#[test]
fn a_variable_that_changes_stands_for_nothing() {
    for body in ["int b = 16; if (p) b = 64;", "int b = 16; grow(&b);", "int b = 16; change(b);", "int b = 32; b++;"] {
        let text =
            format!("{UP_TO_32}\nvoid change(int &x) {{ x = 64; }}\nvoid f(int *p) {{ {body} k<<<1, b>>>(p); }}");
        assert_eq!(check(&text, false).verdict, Verdict::Racy, "{body}");
    }
}

const TILE: &str = "__global__ void k(int *a, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * w + x] = x; }";

#[test]
fn the_size_of_the_grid_is_a_function_of_arguments() {
    let host = |body: &str| format!("void f(int *p, int w) {{ dim3 b(16, 16); {body} k<<<g, b>>>(p, w); }}");
    let report = decides(TILE, &host("dim3 g(w / 16, w / 16);"), &host("dim3 g((w + 15) / 16, w / 16);"));
    assumes(&report, "gridDim.x == w / 16 (the launch on line 4)");
    // Rounded up, it is right for multiples only.
    let up = "int up(int a, int b) { return (a + b - 1) / b; }\n";
    let with = |body: &str| format!("{up}{}", host(body));
    let multiple = "if (w % 16 != 0) { return; } dim3 g(up(w, 16), up(w, 16));";
    let report = decides(TILE, &with(multiple), &with("dim3 g(up(w, 16), up(w, 16));"));
    assumes(&report, "w % 16 == 0");
    decides(
        TILE,
        &host("assert(w % 16 == 0); dim3 g(ceil(w / 16.0), 1);"),
        &host("dim3 g((int)ceil((float)w / 16), 1);"),
    );
}

#[test]
fn a_constant_argument_is_bound() {
    let kernel = "__global__ void k(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }";
    let report = decides(kernel, "void f(int *p) { k<<<1, 64>>>(p, 2); }", "void f(int *p) { k<<<1, 64>>>(p, 0); }");
    assumes(&report, "s = 2");
    // At every launch, or not at all.
    let two = "void f(int *p, int s) { k<<<1, 64>>>(p, 2); k<<<1, 64>>>(p, s); }";
    assert_eq!(check(&format!("{kernel}\n{two}"), false).verdict, Verdict::Racy);
    let both = "void f(int *p) { k<<<1, 64>>>(p, 2); k<<<1, 64>>>(p, 3); }";
    assumes(&decides(kernel, both, two), "s == 2 || s == 3");
}

const HALVES: &str = "__global__ void k(int *a, int s) { int i = threadIdx.x; if (i < s) a[i] = a[i + s]; }";
const SHIFT: &str = "__global__ void k(int *a, int s) { int i = threadIdx.x; a[i] = a[i + s]; }";

#[test]
fn branches_asserts_and_loops_around_a_launch_hold() {
    let host = |body: &str| format!("void f(int *p, int n, int t) {{ {body} }}");
    for (safe, racy) in [
        ("if (n >= 64) k<<<1, 64>>>(p, n);", "if (n >= 63) k<<<1, 64>>>(p, n);"),
        ("if (n < 64) { t = 1; } else { k<<<1, 64>>>(p, n); }", "if (n > 64) { t = 1; } else { k<<<1, 64>>>(p, n); }"),
        ("if (n < 64) return; k<<<1, 64>>>(p, n);", "if (n < 64) t = 1; k<<<1, 64>>>(p, n);"),
        ("assert(n > 63); k<<<1, 64>>>(p, n);", "assert(n > 62); k<<<1, 64>>>(p, n);"),
        ("for (int i = 64; i < n; i++) k<<<1, 64>>>(p, i);", "for (int i = 63; i < n; i++) k<<<1, 64>>>(p, i);"),
        ("for (int i = n; i >= 64; i /= 2) k<<<1, 64>>>(p, i);", "for (int i = n; i > 0; i /= 2) k<<<1, 64>>>(p, i);"),
        (
            "switch (n) { case 64: k<<<1, 64>>>(p, n); break; }",
            "switch (n) { case 1: t = 1; case 64: k<<<1, 64>>>(p, n); break; }",
        ),
    ] {
        decides(SHIFT, &host(safe), &host(racy));
    }
    // What holds before a change does not hold after it.
    let changed = host("assert(n > 63); n = t; k<<<1, 64>>>(p, n);");
    assert_eq!(check(&format!("{SHIFT}\n{changed}"), false).verdict, Verdict::Racy);
    let in_branch = host("if (n > 63) { n = t; k<<<1, 64>>>(p, n); }");
    assert_eq!(check(&format!("{SHIFT}\n{in_branch}"), false).verdict, Verdict::Racy);
    let in_loop = host("for (int i = 64; i < n; i++) { i = t; k<<<1, 64>>>(p, i); }");
    assert_eq!(check(&format!("{SHIFT}\n{in_loop}"), false).verdict, Verdict::Racy);
}

#[test]
fn one_pointer_for_two_parameters_is_one_array() {
    let kernel = "__global__ void k(int *a, int *b) { int i = threadIdx.x; a[i] = b[i + 1]; }";
    let apart = check(&format!("{kernel}\nvoid f(int *p, int *q) {{ k<<<1, 64>>>(p, q); }}"), false);
    assert_eq!(apart.verdict, Verdict::RaceFree);
    for arguments in ["p, p", "p, p + n", "&p[2], p", "p, (int *)p"] {
        let text = format!("{kernel}\nvoid f(int *p, int n) {{ k<<<1, 64>>>({arguments}); }}");
        let report = check(&text, false);
        assert_eq!(report.verdict, Verdict::Racy, "{arguments}");
        assumes(&report, "`b` points into the same array as `a`");
    }
    let text = format!("{kernel}\nvoid f(int *p) {{ int *q = p; k<<<1, 64>>>(p, q); }}");
    assert_eq!(check(&text, false).verdict, Verdict::Racy, "by another name");
}

#[test]
fn instances_of_a_template_have_launches_of_their_own() {
    let kernel = "template <int N> __global__ void k(int *a) { a[threadIdx.x % N] = threadIdx.x; }";
    let host = |one: usize| format!("void f(int *p) {{ k<{one}><<<1, 32>>>(p); }}");
    decides(kernel, &host(32), &host(16));
}

#[test]
fn a_kernel_that_goes_elsewhere_is_checked_for_every_launch() {
    let text = format!("{UP_TO_32}\nvoid f(int *p) {{ k<<<1, 32>>>(p); start(k, p); }}");
    let report = check(&text, false);
    assert_eq!((report.verdict, report.launch.from), (Verdict::Racy, LaunchSource::Symbolic));
    let text = format!("{UP_TO_32}\nvoid f(int *p) {{ cudaFuncSetCacheConfig(k, 1); k<<<1, 32>>>(p); }}");
    assert_eq!(check(&text, false).verdict, Verdict::RaceFree);
}

#[test]
fn hip_launches_are_read() {
    let host = |block: &str| format!("void f(int *p) {{ hipLaunchKernelGGL(k, dim3(4), dim3({block}), 0, 0, p); }}");
    decides(UP_TO_32, &host("32"), &host("64"));
}

#[test]
fn launches_through_addresses_of_arguments_are_read() {
    let host = |call: &str, n: usize, more: &str| {
        format!(
            "void f(int *p) {{ int n = {n}; void *args[] = {{&p, (void *)&n}}; {more}
             {call}, dim3(4), dim3(64), args, 0, 0); }}"
        )
    };
    // The grid has four blocks, which share `a`: one thread of one block is what is left.
    let one = "__global__ void k(int *a, int n) { if (threadIdx.x < n && blockIdx.x == 0) a[0] = threadIdx.x; }";
    for call in [
        "cudaLaunchKernel((void *)k",
        "cudaLaunchKernel(reinterpret_cast<const void *>(&k)",
        "cudaLaunchCooperativeKernel((const void *)k",
        "hipLaunchKernel(k",
    ] {
        decides(one, &host(call, 1, ""), &host(call, 2, ""));
    }
    let call = "cudaLaunchKernel((void *)k";
    // Somebody else may change what is pointed to, or the array.
    for more in ["change(args);", "args[1] = other();", "n = 2;", "int *q = &n; *q = 2;"] {
        let report = check(&format!("{one}\n{}", host(call, 1, more)), false);
        assert_eq!(report.verdict, Verdict::Racy, "{more}: {:?}", report.assumptions);
    }
}

#[test]
fn the_sizes_of_a_launch_may_be_in_a_variable() {
    let host = |block: usize, more: &str| {
        format!(
            "void f(int *p) {{ cudaLaunchConfig_t c; c.gridDim = dim3(4); c.blockDim = {block}; {more}
             cudaLaunchKernelEx(&c, k, p); }}"
        )
    };
    decides(UP_TO_32, &host(32, ""), &host(64, ""));
    for more in ["change(&c);", "c.blockDim = 64;", "if (p) c.blockDim = 64;", "c = other;"] {
        let report = check(&format!("{UP_TO_32}\n{}", host(32, more)), false);
        assert_eq!(report.verdict, Verdict::Racy, "{more}: {:?}", report.assumptions);
    }
}

#[test]
fn options_and_headers_go_before_launches() {
    let text = format!("//pass\n//--blockDim=64 --gridDim=1\n{UP_TO_32}\nvoid f(int *p) {{ k<<<1, 32>>>(p); }}");
    let report = check(&text, false);
    assert_eq!((report.verdict, report.launch.from), (Verdict::Racy, LaunchSource::Header));
}

#[test]
fn launch_bounds_limit_the_block() {
    let kernel =
        |n: usize| format!("__global__ void __launch_bounds__({n}) k(int *a) {{ a[threadIdx.x % 32] = threadIdx.x; }}");
    assert_eq!(check(&kernel(32), false).verdict, Verdict::RaceFree);
    assert_eq!(check(&kernel(33), false).verdict, Verdict::Racy);
}

#[test]
fn halving_steps_need_no_host() {
    let report = check(&format!("{HALVES}\nvoid f(int *p, int s) {{ k<<<1, 64>>>(p, s); }}"), false);
    assert_eq!(report.verdict, Verdict::RaceFree, "{:?}", report.assumptions);
}

#[test]
fn numbers_of_the_host_have_the_types_of_c() {
    let when = |condition: &str, ty: &str| {
        format!("__global__ void k(int *a, {ty} n) {{ if ({condition}) a[0] = threadIdx.x; }}")
    };
    for (condition, ty, host) in [
        ("n == 0", "int", "void h(int *a) { k<<<1, 64>>>(a, (unsigned char)256); }"),
        ("n == 0", "int", "void h(int *a) { unsigned char c = 256; k<<<1, 64>>>(a, c); }"),
        ("n == 1", "int", "void h(int *a) { bool c = 2; k<<<1, 64>>>(a, c); }"),
        ("n == 0", "int", "unsigned char f(int x) { return x; } void h(int *a) { k<<<1, 64>>>(a, f(256)); }"),
        ("n == 0", "int", "int f(unsigned char x) { return x; } void h(int *a) { k<<<1, 64>>>(a, f(256)); }"),
        ("n < 0", "int", "void h(int *a, int n) { if ((unsigned)n > 5u) k<<<1, 64>>>(a, n); }"),
        ("n < 0", "int", "void h(int *a, int n) { unsigned u = 5; if (n > u) k<<<1, 64>>>(a, n); }"),
        ("n < 10", "unsigned", "void h(int *a, unsigned n) { if (n - 10 > 0) k<<<1, 64>>>(a, n); }"),
        ("n == -1", "int", "void h(int *a) { int m = -7; k<<<1, 64>>>(a, m >> 3); }"),
        ("n == 0", "long", "void h(int *a) { unsigned m = 0xffffffffu; unsigned s = m + 1; k<<<1, 64>>>(a, s); }"),
    ] {
        let report = check(&format!("{}\n{host}\n", when(condition, ty)), false);
        assert_eq!(report.verdict, Verdict::Racy, "{host}: {:?}", report.assumptions);
    }
}

/// The verdicts of a kernel under several texts of the host, each of which is to be what it is said to be.
fn verdicts(kernel: &str, cases: &[(Verdict, &str)]) {
    for (verdict, host) in cases {
        let report = check(&format!("{kernel}\n{host}\n"), false);
        assert_eq!(report.verdict, *verdict, "{host}: {:?}", report.assumptions);
    }
}

use Verdict::{Inconclusive, RaceFree as Free, Racy};

/// Safe where a block is a square of `n` by `n`, or smaller.
const SQUARE: &str = "__global__ void k(int *a, int n) {
    a[(blockIdx.y * gridDim.x + blockIdx.x) * n * n + threadIdx.y * n + threadIdx.x] = threadIdx.x; }";

#[test]
fn variables_of_the_host_relate_what_a_launch_says() {
    verdicts(
        SQUARE,
        &[
            (Free, "void f(int *a, int w) { dim3 t(w, w); k<<<1, t>>>(a, t.x); }"),
            (Racy, "void f(int *a, int w) { dim3 t(w, w); k<<<1, t>>>(a, t.x - 1); }"),
            (Free, "void f(int *a, dim3 t) { if (t.x != t.y || t.z != 1) return; k<<<1, t>>>(a, t.y); }"),
            (Racy, "void f(int *a, dim3 t) { if (t.x != t.z) return; k<<<1, t>>>(a, t.y); }"),
            (Racy, "void f(int *a, dim3 t) { dim3 s = t; t.x = 1; t.y = 1; k<<<1, s>>>(a, t.y); }"),
            (
                Inconclusive,
                "void grow(); void f(int *a, const dim3 &t) { if (t.x != t.y || t.z != 1) return; int n = t.x; grow(); k<<<1, t>>>(a, n); }",
            ),
        ],
    );
    // A value that is no argument itself.
    let scaled = "__global__ void k(int *a, int n) { a[blockIdx.x * n + threadIdx.x] = threadIdx.x; }";
    verdicts(
        scaled,
        &[
            (Free, "void f(int *a, int m) { k<<<4, m>>>(a, m + 1); }"),
            (Free, "void f(int *a, int m) { int b = m; k<<<4, b>>>(a, 2 * m); }"),
            (Racy, "void f(int *a, int m) { k<<<4, m>>>(a, m - 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; m = m / 2; k<<<4, b>>>(a, m + 1); }"),
            (Free, "struct P { int w, h; }; void f(int *a, P p) { k<<<4, p.w>>>(a, p.w + 1); }"),
            (Racy, "struct P { int w, h; }; void f(int *a, P p) { k<<<4, p.w>>>(a, p.h + 1); }"),
            (
                Racy,
                "struct P { int w, h; }; void f(int *a, P p) { int b = p.w; p.w = p.w / 2; k<<<4, b>>>(a, p.w + 1); }",
            ),
            (
                Verdict::Inconclusive,
                "struct P { int w; void half() { w /= 2; } }; void f(int *a, P p) { int b = p.w; p.half(); k<<<4, b>>>(a, p.w + 1); }",
            ),
            (Free, "struct P { int w; }; void f(int *a, P *p) { k<<<4, p->w>>>(a, p->w + 1); }"),
            (
                Inconclusive,
                "struct P { int w; }; void g(); void f(int *a, P *p) { int b = p->w; g(); k<<<4, b>>>(a, p->w + 1); }",
            ),
            (
                Racy,
                "struct P { int w; }; void f(int *a, P *p, P *q) { int b = p->w; q->w = 1; k<<<4, b>>>(a, p->w + 1); }",
            ),
            (Inconclusive, "void f(int *a, int &m, int *q) { int b = m; *q = 1; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; int *q = &m; *q = 1; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; int &q = m; q = 1; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m, int o) { int b = m; std::swap(m, o); k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { auto h = [&] { m /= 2; }; int b = m; h(); k<<<4, b>>>(a, m + 1); }"),
            (Inconclusive, "void f(int *a, int m) { keep(&m); int b = m; change(); k<<<4, b>>>(a, m + 1); }"),
            (
                Racy,
                "void f(int *a, int m) { int b = m; for (int i = 0; i < 9; i++) { k<<<4, b>>>(a, m + 1); m /= 2; } }",
            ),
            (
                Free,
                "void f(int *a, int m) { for (int i = 0; i < 9; i++) { int b = m; k<<<4, b>>>(a, m + 1); m /= 2; } }",
            ),
            (Racy, "void f(int *a, int m) { int b = m; again: k<<<4, b>>>(a, m + 1); m /= 2; if (m > 4) goto again; }"),
            (Free, "void f(int *a, int m) { int b = m; { int m = 1; b += m - m; } k<<<4, m>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; { int m = 2; k<<<4, b>>>(a, m + 1); } }"),
            (Racy, "void f(int *a, int m) { for (int b = m; m > 1; m--) k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { static int b = m; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { k<<<4, m>>>(a, m + 1); k<<<4, m>>>(a, m - 1); }"),
            (Racy, "void f(int *a, int m, int n) { if (m < n) k<<<4, m>>>(a, n); else k<<<4, m>>>(a, n); }"),
            (
                Racy,
                "void f(int *a, int m) { int b = m; switch (m) { case 4: m = 1; default: k<<<4, b>>>(a, m + 1); } }",
            ),
            (Racy, "void f(int *a, int m) { int b = m; do { k<<<4, b>>>(a, m + 1); } while (--m > 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; auto h = [&] { k<<<4, b>>>(a, m + 1); }; m = 1; h(); }"),
            (Racy, "void f(int *a, int m) { int b = m; std::cin >> m; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { int b = m; scanf(\"%d\", &m); k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a) { int m = 64; const int &r = m; int b = r; m = 1; k<<<4, b>>>(a, r + 1); }"),
            (
                Racy,
                "struct S { int &r; S(int &x) : r(x) {} }; void f(int *a, int m) { auto s = S(m); int b = m; s.r = 1; k<<<4, b>>>(a, m + 1); }",
            ),
            (Racy, "union U { int w; int h; }; void f(int *a, U p) { int b = p.w; p.h = 1; k<<<4, b>>>(a, p.w + 1); }"),
            (
                Racy,
                "struct P { int w; }; void f(int *a) { P o; P *p = &o; int b = p->w; o = other(); k<<<4, b>>>(a, p->w + 1); }",
            ),
            (
                Inconclusive,
                "struct P { int w; }; void f(int *a, const P &p) { int b = p.w; g(); k<<<4, b>>>(a, p.w + 1); }",
            ),
            (Racy, "int m = 64; void f(int *a) { int b = m; m = 1; k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int x) { switch (x) { int m; m = 4; case 1: k<<<4, 64>>>(a, m + 99); } }"),
            (Free, "void f(int *a, int n) { int w = n; k<<<4, w>>>(a, w); }"),
            (Racy, "void f(int *a, int n) { k<<<4, n>>>(a, n / 2); }"),
            (Free, "int g(); void f(int *a) { int m = std::min(99, std::max(32, g())); k<<<4, 32>>>(a, m); }"),
            (Racy, "int g(); void f(int *a) { int m = std::min(32, g()); k<<<4, 32>>>(a, m); }"),
            (Racy, "int g(); void f(int *a) { k<<<4, g()>>>(a, g() + 1); }"),
            (Racy, "unsigned g(); int g(int x); void f(int *a) { int m = 32 + g(2); k<<<4, 32>>>(a, m); }"),
            (
                Inconclusive,
                "int *at(int &x); void f(int *a, int m) { int *r = at(m); int b = m; *r = 1; k<<<4, b>>>(a, m + 1); }",
            ),
            (
                Inconclusive,
                "void f(int *a, int m) { std::vector<int *> v; v.push_back(&m); int b = m; *v[0] = 1; k<<<4, b>>>(a, m + 1); }",
            ),
            (Racy, "void f(int *a, int m) { k<<<4, m>>>(a, m -= 2); }"),
            (Racy, "void f(int *a, int m) { auto h = [&] { m = 1; }; int b = m; call(h); k<<<4, b>>>(a, m + 1); }"),
            (Racy, "void f(int *a, int m) { volatile int b = m; k<<<4, b>>>(a, m + 1); }"),
            (Free, "void f(int *a) { int m; scanf(\"%d\", &m); int b = m; k<<<4, b>>>(a, m + 1); show(m); }"),
        ],
    );
}

#[test]
fn the_last_assignment_before_a_launch_is_the_one() {
    verdicts(
        UP_TO_32,
        &[
            (Free, "void f(int *p) { dim3 b; b = dim3(32); k<<<1, b>>>(p); }"),
            (Racy, "void f(int *p) { dim3 b; b = dim3(32); b = dim3(64); k<<<1, b>>>(p); }"),
            (Free, "void f(int *p) { dim3 b(64); b = dim3(32); k<<<1, b>>>(p); b = dim3(64); }"),
            (Racy, "void f(int *p, bool c) { dim3 b(32); if (c) b = dim3(64); k<<<1, b>>>(p); }"),
            (Free, "void f(int *p, bool c) { dim3 b(64); { b.x = 32; { k<<<1, b>>>(p); } } }"),
            (Racy, "void f(int *p) { dim3 b(32); for (int i = 0; i < 2; i++) { k<<<1, b>>>(p); b.x = 64; } }"),
            (Free, "void f(int *p) { { dim3 b(64); use(b); } { dim3 b(32); k<<<1, b>>>(p); } }"),
            (Racy, "void f(int *p) { { dim3 b(32); use(b); } { dim3 b(64); k<<<1, b>>>(p); } }"),
            (Free, "void f(int *p, int n) { if (n > 32) n = 32; k<<<1, n>>>(p); }"),
            (Racy, "void f(int *p, int n) { if (n > 33) n = 33; k<<<1, n>>>(p); }"),
            (Free, "void f(int *p, int n) { int b; if (n > 8) { b = 32; } else { b = 16; } k<<<1, b>>>(p); }"),
            (Racy, "void f(int *p, int n) { int b; if (n > 8) { b = 32; } else { b = 64; } k<<<1, b>>>(p); }"),
            (Racy, "void f(int *p, int n) { int b = 32; if (n > 8) { if (n > 9) b = 64; } k<<<1, b>>>(p); }"),
            (Racy, "void f(int *p, int n) { int b = 32; while (n-- > 8) { b = 64; } k<<<1, b>>>(p); }"),
            (Free, "void f(int *p, int n) { int b = 64; if (n > 8) return; else b = 32; k<<<1, b>>>(p); }"),
            (Racy, "void f(int *p, int n) { int b = 32; n > 8 && (b = 64); k<<<1, b>>>(p); }"),
            (
                Racy,
                "void f(int *p, int n) { int b = 32; try { b = 64; g(); b = 32; } catch (...) { k<<<1, b>>>(p); } }",
            ),
            (Free, "typedef int Count; void f(int *p) { const Count b = 32; change(b); k<<<1, b>>>(p); }"),
            (Racy, "typedef int Count; void f(int *p) { Count b = 32; change(b); k<<<1, b>>>(p); }"),
            (Free, "__global__ void other(int *q); void f(int *p, int n) { dim3 b(32, 1), g(1, n); k<<<1, b>>>(p); }"),
        ],
    );
}

#[test]
fn loops_count_up_or_down_from_where_they_begin() {
    verdicts(
        SHIFT,
        &[
            (Free, "void f(int *p, int n) { for (int i = 64; i < n * n; i += 2) k<<<1, 64>>>(p, i); }"),
            (Racy, "void f(int *p, int n, int s) { for (int i = 64; i < n; i += s) k<<<1, 64>>>(p, i); }"),
            (Free, "void f(int *p, int n) { for (int i = 64; i < n; i <<= 1) { k<<<1, 64>>>(p, i); } }"),
            (Racy, "void f(int *p, int n) { for (int i = 64; i > n; i >>= 1) { k<<<1, 64>>>(p, i); } }"),
            (Free, "void f(int *p, int n) { for (int i = -64; i > n; i--) { k<<<1, 64>>>(p, i); } }"),
            (Racy, "void f(int *p, int n) { for (int i = 64; i < n; i++) { k<<<1, 64>>>(p, i); i -= 2; } }"),
            (Racy, "void f(int *p, int n) { for (int i = 64; i < n; i++) { i -= 2; k<<<1, 64>>>(p, i); } }"),
            (
                Free,
                "void f(int *p, int n) { for (int i = 0; i < n; i++) { if (i < 64) continue; k<<<1, 64>>>(p, i); } }",
            ),
            (Racy, "void f(int *p, int n) { for (int i = 0; i < n; i++) { if (i < 64) n++; k<<<1, 64>>>(p, i); } }"),
        ],
    );
}

#[test]
fn a_function_is_called_with_what_its_calls_say() {
    let wrapper = "static void run(int *p, int b) { k<<<1, b>>>(p); }";
    let host = |text: &str| format!("{wrapper}\n{text}");
    for (verdict, text) in [
        (Free, "void f(int *p) { run(p, 32); }"),
        (Racy, "void f(int *p) { run(p, 64); }"),
        (Racy, "void f(int *p) { run(p, 32); run(p, 64); }"),
        (Free, "void f(int *p) { run(p, 32); run(p, 16); }"),
        (Racy, "void f(int *p, int n) { run(p, n); }"),
        (Free, "void f(int *p, int n) { if (n <= 32) run(p, n); }"),
        (Racy, "void f(int *p) { run(p, 32); void (*h)(int *, int) = run; h(p, 64); }"),
        (Free, "void g(int *p, int m) { run(p, m); } void f(int *p) { g(p, 32); }"),
        (Racy, "void g(int *p, int m) { run(p, 2 * m); } void f(int *p) { g(p, 32); }"),
        (Racy, "void f(int *p) { run(p, 32); } void run(int *p, int b, int c);"),
        (Racy, ""),
    ] {
        verdicts(UP_TO_32, &[(verdict, &host(text))]);
    }
    let report = check(&format!("{UP_TO_32}\n{}", host("void f(int *p) { run(p, 32); }")), false);
    assert_eq!(report.launch.from, LaunchSource::LaunchSite);
    // Other units may call what is not theirs alone to call, but for a program.
    let only = |report: &KernelReport| report.assumptions.iter().any(|a| a.contains("is called from lines 3 only"));
    assert!(!only(&report));
    let open = host("void f(int *p) { run(p, 32); }").replace("static ", "");
    assert!(only(&check(&format!("{UP_TO_32}\n{open}"), false)));
    assert!(!only(&check(&format!("{UP_TO_32}\n{open}\nint main() {{ f(0); }}"), false)));
    let changed = "void run(int *p, int b) { b *= 2; k<<<1, b>>>(p); } void f(int *p) { run(p, 32); }";
    verdicts(UP_TO_32, &[(Racy, changed)]);
    let again = "void run(int *p, int b) { k<<<1, b>>>(p); if (b < 99) run(p, b + 1); } void f(int *p) { run(p, 1); }";
    verdicts(UP_TO_32, &[(Racy, again)]);
    let dims = |b: &str| {
        format!(
            "void run(int *p, dim3 g, const dim3 &b) {{ k<<<g, b>>>(p); }} void f(int *p) {{ dim3 b({b}); run(p, dim3(4), b); }}"
        )
    };
    verdicts(UP_TO_32, &[(Free, &dims("8")), (Racy, &dims("8, 2"))]);
}

/// Times a function, as benchmarks do, with what it is given by reference. [HOST-FORWARD]
const BENCH: &str = "static void run(int *p, int b) { k<<<1, b>>>(p); }
    template <class F, class... A> void bench(int n, F f, A &&...a) {
        for (int i = 0; i < n; i++) f(std::forward<A>(a)...);
    }";

#[test]
fn a_function_that_is_given_on_with_references_is_called_with_what_they_refer_to() {
    for (verdict, text) in [
        (Free, "void f(int *p) { int b = 32; run(p, b); bench(9, run, p, b); }"),
        (Free, "void f(int *p) { int b = 16; bench(9, run, p, b * 2); }"),
        (Free, "void f() { int b; int *p; scanf(\"%d\", &b); cudaMalloc(&p, 99); if (b <= 32) bench(9, run, p, b); }"),
        (Free, "void f(int *p) { { int b = 32; bench(9, run, p, b); } { int b = 16; bench(9, run, p, b); } }"),
        (Racy, "void f(int *p) { int b = 32; run(p, b); bench(9, run, p, 64); }"),
        (Racy, "void f(int *p) { { int b = 32; bench(9, run, p, b); } { int b = 64; bench(9, run, p, b); } }"),
        (Racy, "void f(int *p) { int b = 16; bench(9, run, p, b * 3); }"),
        // Who knows a way to the variable may change it before the function is called.
        (Racy, "int b = 32; void f(int *p) { bench(9, run, p, b); }"),
        (Racy, "void f(int *p) { static int b = 32; bench(9, run, p, b); }"),
        (
            Racy,
            "int *kept; void keep(int *q) { kept = q; } void f(int *p) { int b = 32; keep(&b); bench(9, run, p, b); }",
        ),
        (Racy, "void keep(int &q); void f(int *p) { int b = 32; keep(b); bench(9, run, p, b); }"),
        (Racy, "void f(int *p) { int b = 32; int &c = b; at_exit(c); bench(9, run, p, b); }"),
        (Racy, "void f(int *p) { int b = 32; auto g = [&] { b = 64; }; hook(g); bench(9, run, p, b); }"),
        (
            Racy,
            "template <class F, class... A> void other(F f, int &c, A &&...a) { c = 64; f(std::forward<A>(a)...); } void f(int *p) { int b = 32; other(run, b, p, b); }",
        ),
    ] {
        verdicts(UP_TO_32, &[(verdict, &format!("{BENCH}\n{text}"))]);
    }
}

#[test]
fn many_calls_are_followed_and_each_counts() {
    let host = |last: &str| {
        let calls = "run(p, 32); ".repeat(11);
        format!("static void run(int *p, int b) {{ k<<<1, b>>>(p); }} void f(int *p) {{ {calls} run(p, {last}); }}")
    };
    verdicts(UP_TO_32, &[(Free, &host("16")), (Racy, &host("64"))]);
}

/// [HOST-DEDUCED]
#[test]
fn what_a_template_computes_has_the_type_of_its_arguments() {
    let up = "template <class T> __host__ __device__ T up(T a, T b) { return (a + b - 1) / b; }";
    let host = |text: &str| format!("{up}\n{text}");
    for (verdict, text) in [
        (Free, "void f(int *p, int n) { if (0 < n && n <= 128) k<<<4, up(n, 4)>>>(p); }"),
        (Racy, "void f(int *p, int n) { if (0 < n && n <= 132) k<<<4, up(n, 4)>>>(p); }"),
        // Another function of that name for `int`.
        (
            Racy,
            "template <> int up<int>(int a, int b) { return a; } void f(int *p, int n) { if (n <= 128) k<<<4, up(n, 4)>>>(p); }",
        ),
        // Arguments of another type than `int`.
        (Racy, "void f(int *p, long n) { if (n == 33 * 8) k<<<4, up(n, 8L)>>>(p); }"),
        (Free, "void f(int *p, long n) { if (n == 32 * 8) k<<<4, up(n, 8L)>>>(p); }"),
    ] {
        verdicts(UP_TO_32, &[(verdict, &host(text))]);
    }
}

/// Each warp has a place of its own, if there are only whole warps.
const BY_WARPS: &str = "__global__ void k(int *a) {
    if (threadIdx.x % 32 == 0) a[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = blockIdx.x + threadIdx.x; }";

/// [HOST-WARP]
#[test]
fn a_counter_that_is_doubled_by_an_assignment_goes_up() {
    let host = |from: &str, step: &str| {
        format!(
            "void f(int *a) {{ cudaDeviceProp q; cudaGetDeviceProperties(&q, 0); for (int b = {from}; b <= 1024; {step}) k<<<9, b>>>(a); }}"
        )
    };
    verdicts(
        BY_WARPS,
        &[
            (Free, &host("32", "b = b * 2")),
            (Free, &host("32", "b *= 2")),
            (Free, &host("q.warpSize", "b = b * 2")),
            (Racy, &host("16", "b = b * 2")),
            (Racy, &host("32", "b = b * 2 / 4")),
            (Verdict::Inconclusive, &host("32", "b = b + 2")),
        ],
    );
}

/// [LAUNCH-LIMITS]
#[test]
fn a_launch_that_is_larger_than_is_taken_for_granted_is_checked() {
    let host = "void f(int *a) { for (int b = 64; b <= 512; b = b * 2) k<<<(2304000000L + b - 1) / b, b>>>(a); }";
    verdicts("__global__ void k(int *a) { a[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = 1; }", &[(Free, host)]);
    verdicts("__global__ void k(int *a) { a[blockIdx.x + threadIdx.x] = threadIdx.x; }", &[(Racy, host)]);
}

#[test]
fn a_kernel_in_a_variable_is_launched_through_it() {
    let other = "__global__ void other(int *a) {}";
    let pointer = "void (*h)(int *);";
    for (verdict, body) in [
        (Free, "auto h = k; h<<<1, 32>>>(p);"),
        (Racy, "auto h = k; h<<<1, 64>>>(p);"),
        (Free, "POINTER h = c ? &k : &other; h<<<1, 32>>>(p);"),
        (Racy, "POINTER if (c) h = k; else h = other; h<<<1, 32>>>(p); h<<<1, 64>>>(p);"),
        (Racy, "POINTER h = k; h<<<1, 32>>>(p); start(h);"),
        (Racy, "POINTER h = k; h<<<1, 32>>>(p); auto i = h; i<<<1, 64>>>(p);"),
        (Free, "void (*h[2])(int *) = {k, other}; h[c]<<<1, 32>>>(p);"),
        (Racy, "void (*h[2])(int *) = {k, other}; h[c]<<<1, 64>>>(p);"),
        (Racy, "global = k; k<<<1, 32>>>(p);"),
        (Free, "POINTER h = &k; if (h == &k || other != h) c = 1; h<<<1, 32>>>(p);"),
        (Racy, "POINTER h = &k; if (h == &k || other != h) c = 1; h<<<1, 64>>>(p);"),
    ] {
        let host = format!("{other}\nvoid f(int *p, bool c) {{ {} }}", body.replace("POINTER", pointer));
        verdicts(UP_TO_32, &[(verdict, &host)]);
    }
    // A variable of the same name is none.
    let local = "void g(int *p) { int k = 3; k++; p[0] = k; } void f(int *p) { k<<<1, 32>>>(p); for (int k = 0; k < 3; k++) p[k] = k; }";
    verdicts(UP_TO_32, &[(Free, local), (Racy, &local.replace("<1, 32>", "<1, 64>"))]);
}

#[test]
fn a_pitch_is_no_less_than_the_width() {
    let kernel = "__global__ void k(int *a, int p, int w) { int x = blockIdx.x * blockDim.x + threadIdx.x;
        if (x < w) a[blockIdx.y * p + x] = x; }";
    let host = |more: &str, width: &str| {
        format!(
            "void f(int w, int h) {{ int *a; size_t p; {more} cudaMallocPitch(&a, &p, {width}, h);
                 k<<<dim3((w + 15) / 16, h), 16>>>(a, p / sizeof(int), w); }}"
        )
    };
    let free = host("", "w * sizeof(int)");
    verdicts(
        kernel,
        &[
            (Free, &free),
            (Free, &free.replace("cudaMallocPitch(", "check(cudaMallocPitch(").replace(", h);", ", h));")),
            (Racy, &host("", "w")),
            (Racy, &host("if (w > 4)", "w * sizeof(int)")),
            (Racy, &host("w > 4 &&", "w * sizeof(int)")),
            (Racy, &free.replace("k<<<", "p = 4; k<<<")),
            (Racy, &free.replace("k<<<", "w = 400; k<<<")),
        ],
    );
}

/// A kernel is reported from where it is launched, and from nowhere else.
#[test]
fn an_included_file_is_checked_where_it_is_launched() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        (path, text.to_owned())
    };
    let part =
        write("part.cu", &format!("{UP_TO_32}\n__global__ void kk(int *a) {{ a[threadIdx.x % N] = threadIdx.x; }}"));
    let main = |block: usize| format!("#define N 64\n#include \"part.cu\"\nvoid f(int *p) {{ k<<<1, {block}>>>(p); }}");
    let unit = write("main.cu", &main(32));
    let run = |files: &[(PathBuf, String)], ignore_host: bool| {
        let check = CheckOptions { ignore_host, any_stride: true, ..CheckOptions::default() };
        let settings = Settings { jobs: 1, check, ..Settings::default() };
        let report = check_files(files, &settings, &solver_settings());
        let file = |k: &KernelReport| std::path::Path::new(&k.path).file_name().unwrap().to_string_lossy().into_owned();
        let kernels: Vec<_> = report.kernels.iter().map(|k| (k.name.clone(), file(k), k.line, k.verdict)).collect();
        (kernels, report)
    };
    let k = |verdict| ("k".to_owned(), "part.cu".to_owned(), 1, verdict);
    for files in [vec![part.clone(), unit.clone()], vec![unit.clone(), part.clone()], vec![part.clone()]] {
        let (kernels, report) = run(&files, false);
        assert_eq!(kernels.len(), 2, "{kernels:?}");
        assert!(kernels.contains(&k(Free)) && kernels.iter().any(|k| k.0 == "kk" && k.3 == Racy), "{kernels:?}");
        let said = |k: &KernelReport| k.name != "k" || k.launch.from == LaunchSource::LaunchSite;
        assert!(report.kernels.iter().all(said));
        assert_eq!(report.files.len(), files.len());
        let part = report.files.iter().find(|f| f.path.ends_with("part.cu"));
        assert!(part.is_some_and(|f| f.messages.iter().any(|m| m.code == "included")));
    }
    assert_eq!(run(std::slice::from_ref(&part), true).0.len(), 2);
    assert_eq!(run(&[part.clone(), unit.clone()], true).0.len(), 4);
    let unit = write("main.cu", &main(64));
    assert!(run(&[part.clone(), unit], false).0.contains(&k(Racy)));
    // Another file that launches it is another launch.
    write("main.cu", &main(32));
    write("more.cpp", &main(64).replace("\"part.cu\"", "<part.cu>"));
    let (kernels, _) = run(std::slice::from_ref(&part), false);
    assert!(kernels.contains(&k(Racy)) && kernels.contains(&k(Free)), "{kernels:?}");
    // One that only includes it is none.
    write("more.cpp", "#define N 64\n#include \"part.cu\"\n");
    assert!(!run(std::slice::from_ref(&part), false).0.contains(&k(Racy)));
    // Where the kernel is not there, or not whole, it is checked alone.
    for text in [
        "#if 0\n#include \"part.cu\"\n#endif\n",
        "#define threadIdx (((\n#include \"part.cu\"\n",
        "#define k k2\n#include \"part.cu\"\n",
    ] {
        std::fs::remove_file(folder.path().join("more.cpp")).ok();
        let unit = write("main.cu", text);
        let (kernels, _) = run(&[part.clone(), unit], false);
        assert!(kernels.iter().any(|k| k.0 == "k" && k.3 == Racy), "{text}: {kernels:?}");
    }
}

/// Kernels that macros make in one place are told apart, in one file and in several.
#[test]
fn kernels_of_one_place_are_all_checked() {
    let verdicts = |files: &[(PathBuf, String)]| {
        let report = check_files(files, &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        report.kernels.iter().map(|k| k.verdict).collect::<Vec<_>>()
    };
    let body = "(a[threadIdx.x / d] = threadIdx.x)";
    for (make, calls) in [
        ("__global__ void k(T *a) { BODY; }", "k<<<1, 64>>>(a); k<<<1, 64>>>(b);"),
        ("namespace N##T { __global__ void k(T *a) { BODY; } }", "Nint::k<<<1, 64>>>(a); Nfloat::k<<<1, 64>>>(b);"),
    ] {
        let make = make.replace("BODY", body);
        for (second, last) in [(2, Racy), (1, Free)] {
            let text = format!(
                "#define DEF(N, T, d) {make}\n#define ALL DEF(N, int, 1) DEF(N, float, {second})\nALL\n\
                 void h(int *a, float *b) {{ {calls} }}\n"
            );
            assert_eq!(verdicts(&[(PathBuf::from("one.cu"), text.clone())]), [Free, last], "{text}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        (path, text.to_owned())
    };
    write("part.inc", "__global__ void k(int *a) { a[threadIdx.x / D] = threadIdx.x; }");
    let launches = write("f.cu", "#define D 1\n#include \"part.inc\"\nvoid f(int *a) { k<<<1, 64>>>(a); }\n");
    let same = write("g.cu", "#define D 1\n#include \"part.inc\"\n");
    assert_eq!(verdicts(&[launches.clone(), same]), [Free]);
    let other = write("g.cu", "#define D 2\n#include \"part.inc\"\n");
    assert_eq!(verdicts(&[launches.clone(), other.clone()]), [Free, Racy]);
    // What differs may be in a function that the kernel calls.
    write(
        "part.inc",
        "__device__ int at(int i) { return i / D; }\n__global__ void k(int *a) { a[at(threadIdx.x)] = threadIdx.x; }",
    );
    assert_eq!(verdicts(&[launches, other]), [Free, Racy]);
}

/// [HOST-LINKED]: a file that declares the kernel launches it too.
#[test]
fn launches_of_another_file_count() {
    let files = |other: &str| {
        let own = format!("{UP_TO_32}\nvoid f(int *p) {{ k<<<4, 32>>>(p); }}\n");
        [("k.cu", own.as_str()), ("main.cu", other)].map(|(name, text)| (PathBuf::from(name), text.to_owned()))
    };
    let verdict = |other: &str| {
        let report = check_files(&files(other), &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        let codes: Vec<&str> = report.files.iter().flat_map(|f| &f.messages).map(|m| m.code).collect();
        (report.kernels[0].verdict, codes.contains(&"launched-elsewhere"))
    };
    let declared = "__global__ void k(int *a);\n";
    assert_eq!(verdict(declared), (Verdict::RaceFree, false));
    assert_eq!(verdict(&format!("{declared}void g(int *p) {{ k<<<1, 64>>>(p); }}\n")), (Verdict::Racy, false));
    assert_eq!(verdict(&format!("{declared}void g(int *p) {{ k<<<1, 16>>>(p); }}\n")), (Verdict::RaceFree, false));
    assert_eq!(
        verdict("__global__ void k(int *a, int n);\nvoid g(int *p) { k<<<1, 16>>>(p, 1); }\n"),
        (Verdict::Racy, true)
    );
    assert_eq!(verdict(&format!("{declared}auto held = k;\n")), (Verdict::Racy, true));
}

/// [HOST-LINKED]: the files beside a kernel's are searched for launches.
#[test]
fn launches_beside_a_kernel_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        (path, text.to_owned())
    };
    let run = |kernel: &(PathBuf, String)| {
        let settings = Settings { jobs: 1, ..Settings::default() };
        check_files(std::slice::from_ref(kernel), &settings, &solver_settings()).kernels.remove(0)
    };
    let kernel = write("k.cu", UP_TO_32);
    assert_eq!(run(&kernel).verdict, Racy);
    write("k.h", "__global__ void k(int *);\n");
    let launch = |block: usize| format!("#include \"k.h\"\nvoid f(int *p) {{ k<<<1, {block}>>>(p); }}\n");
    write("main.cu", &launch(32));
    let found = run(&kernel);
    assert_eq!((found.verdict, found.launch.block[0]), (Free, Some(32)));
    assert_eq!(run(&write("k.cu", &format!("static {UP_TO_32}"))).verdict, Racy);
    let kernel = write("k.cu", UP_TO_32);
    // What another file defines is its own.
    write("more.cu", &format!("{UP_TO_32}\nvoid g(int *p) {{ k<<<1, 64>>>(p); }}\n"));
    assert_eq!(run(&kernel).verdict, Free);
    for i in 0..20 {
        write(&format!("part{i}.cu"), &launch(16 + i % 4));
    }
    assert_eq!(run(&kernel).verdict, Free);
    write("part20.cu", &launch(64));
    assert_eq!(run(&kernel).verdict, Racy);
    let listed = list(std::slice::from_ref(&kernel), &Settings::default());
    assert!(listed.contains("2 of main.cu") && listed.contains("2 of part20.cu"), "{listed}");
    // They are too large to be read.
    write("part20.cu", &format!("{}{}", launch(16), "// nothing\n".repeat(300_000)));
    let own = write("k.cu", &format!("{UP_TO_32}\nvoid own(int *p) {{ k<<<1, 32>>>(p); }}\n"));
    assert_eq!(run(&own).verdict, Racy);
    std::fs::remove_file(folder.path().join("part20.cu")).expect("a file");
    assert_eq!(run(&own).verdict, Free);
    let kernel = write("k.cu", UP_TO_32);
    for more in [
        launch(64),
        "#include \"missing.h\"\nvoid g(int *p) { k<<<1, 16>>>(p); }\n".to_owned(),
        "#include \"k.h\"\nauto held = k;\nvoid g(int *p) { held<<<1, 16>>>(p); }\n".to_owned(),
        format!("__global__ void k(int *a, int n) {{}}\n{}", launch(64)),
        format!("__global__ void k(float *a) {{}}\n{}", launch(64)),
    ] {
        write("more.cu", &more);
        assert_eq!(run(&kernel).verdict, Racy, "{more}");
    }
}

/// [HOST-POWER]: sizes that are doubled and halved.
#[test]
fn a_variable_that_is_only_halved_is_a_power_of_two() {
    let kernel = "__global__ void k(int *a, unsigned s) {
        unsigned t = threadIdx.x, p = 2 * t - (t & (s - 1));
        a[p] = t; a[p + s] = t; }";
    let host =
        |first: &str| format!("void f(int *p) {{ for (unsigned s = {first}; s > 0; s >>= 1) k<<<1, 32>>>(p, s); }}");
    let report = decides(kernel, &host("1024"), &host("3"));
    assumes(&report, "s is 0 or a power of two (the launch on line");
}

/// [HOST-COMPUTED]: what the host computes unseen may be any number, but a race is certain only with usual ones.
#[test]
fn a_race_that_only_unusual_values_show_is_not_certain() {
    let host = "int up(int n) { int r = 3; while (r < n) r *= 3; return r; }
        void f(int *a, int n) { k<<<1, 32>>>(a, up(n)); }";
    let verdict = |body: &str| check(&format!("__global__ void k(int *a, int s) {{ {body} }}\n{host}\n"), false);
    assert_eq!(verdict("if (s > 5) a[0] = threadIdx.x;").verdict, Verdict::Racy);
    let unusual = verdict("if (s == 9) a[0] = threadIdx.x;");
    assert_eq!(unusual.verdict, Verdict::Inconclusive);
    let reason = unusual.findings[0].reason.clone().expect("a reason");
    assert!(reason.contains("`s`") && reason.contains("the host code may never give"), "{reason}");
    // That all stores are of one value holds for all sizes, or is not said.
    assert_eq!(verdict("if (s > 5) a[0] = 7;").verdict, Verdict::SameValue);
    assert_eq!(verdict("if (s > 5) a[0] = s == 9 ? threadIdx.x : 7;").verdict, Verdict::Inconclusive);
}

/// [HOST-STAYS]
#[test]
fn a_race_that_needs_a_change_which_is_not_in_the_text_is_not_certain() {
    let kernel = "struct C { int l, h; void set(int v) { l = v; } C *next(); }; void unknown(); int get();
        __global__ void other(int *a) {} void beep() { puts(\"\"); } void grow(C *q) { q->l = 9; } void up(C *q) { grow(q); }
        __global__ void k(int *a, int w) { a[blockIdx.x * w + threadIdx.x] = threadIdx.x; }";
    let verdict = |host: &str| check(&format!("{kernel}\n{host}\n"), false).verdict;
    let by_reference = |body: &str| format!("void f(C &c, int *p, int *a) {{ {body} }}");
    let by_pointer =
        |body: &str| format!("void f(C *c, int *p, int *a) {{ int l = c->l; {body} k<<<8, l>>>(a, c->l); }}");
    let between = |body: &str| by_reference(&format!("int l = c.l; {body} k<<<8, l>>>(a, c.l);"));
    for same in [
        between("unknown();"),
        between("*p = 3;"),
        between("for (int i = 0; i < 9; i++) unknown();"),
        by_pointer("unknown();"),
        by_pointer("*p = 3;"),
        by_reference("c.l = 64; unknown(); k<<<8, 64>>>(a, c.l);"),
        by_reference("if (c.l < 64) return; unknown(); k<<<8, 64>>>(a, c.l);"),
        by_reference("int l = c.l; unknown(); k<<<8, l>>>(a, c.l); k<<<4, c.l>>>(a, c.l);"),
        format!(
            "void g(int b, C &c, int *a) {{ k<<<8, b>>>(a, c.l); }} {}",
            by_reference("int l = c.l; unknown(); g(l, c, a);")
        ),
    ] {
        assert_eq!(verdict(&same), Inconclusive, "{same}");
    }
    for never in [between("beep();"), between("other<<<1, 1>>>(a);")] {
        assert_eq!(verdict(&never), Free, "{never}");
    }
    for changed in [
        between("c.l = get();"),
        between("c.l--;"),
        between("c.set(9);"),
        between("unknown(); c.l = 9; unknown();"),
        by_pointer("c->l = 9;"),
        by_pointer("up(c);"),
        by_pointer("C *q = c; q->l = 9;"),
        // The race is there without a change as well.
        by_reference("int l = c.l; unknown(); k<<<8, l>>>(a, c.h);"),
        by_reference("int l = c.l; unknown(); k<<<8, l>>>(a, c.l); k<<<4, c.h>>>(a, c.l);"),
    ] {
        assert_eq!(verdict(&changed), Racy, "{changed}");
    }
    for free in [between(""), between("c.h = 3;")] {
        assert_eq!(verdict(&free), Free, "{free}");
    }
}

/// [HOST-SHARED]: a size that is any number is not listed; a value of a variable that it has no more is told from that at the launch.
#[test]
fn what_is_listed_says_something_in_names_of_the_program() {
    let kernel = "__global__ void k(int *a, int n) { a[blockIdx.y * n + threadIdx.x] = threadIdx.x + blockIdx.y; }";
    let of = |host: &str| check(&format!("int get();\n{kernel}\n{host}\n"), false).assumptions;
    let lists = |host: &str, what: &str| of(host).iter().any(|a| a.contains(what));
    let any = "template <class T> void f(int *a, int n, const T &t) { dim3 g = t.grid(n); k<<<g, 64>>>(a, n); }";
    assert!(!lists(any, "gridDim.y =="), "{:?}", of(any));
    let bound =
        "template <class T> void f(int *a, int n, const T &t) { dim3 g = t.grid(n); if (g.y < 9) k<<<g, 64>>>(a, n); }";
    assert!(lists(bound, "gridDim.y == g.y") && lists(bound, "g.y <= 8") | lists(bound, "g.y < 9"), "{:?}", of(bound));
    let later = "void f(int *a, int n) { int c = get(); dim3 g(1, c * c); c = get(); if (c < 4) k<<<g, 64>>>(a, c); }";
    assert!(!of(later).iter().any(|a| a.contains('#')), "{:?}", of(later));
}

/// [HOST-FORWARD]: what only reads its references changes nothing of the caller.
#[test]
fn a_variable_that_is_given_to_such_a_function_is_the_same_after_it() {
    let later = "void f(int *p) { int b = 32; for (int j = 0; j < 9; j++) { run(p, b); bench(9, run, p, b); } }";
    let changes = BENCH.replace("f(std", "grow(a...); f(std");
    let by_reference = BENCH.replace("int b)", "int &b)").replace("k<<<1, b>>>(p);", "k<<<1, b>>>(p); b = 64;");
    let by_another_name = format!("using R = int &;\n{}", by_reference.replace("int &b)", "R b)"));
    let an_operator = format!("struct S {{}}; int operator+(S s, int &b) {{ return b = 64; }}\n{BENCH}");
    let other = "static void run(int *p, int b) { k<<<1, b>>>(p); }
        template <class F, class... A> void bench(int n, F f, int *p, int &c) { f(p, 32); c = 64; }";
    for (verdict, bench) in [
        (Free, BENCH),
        (Racy, &changes),
        (Racy, &by_reference),
        (Racy, &by_another_name),
        (Racy, &an_operator),
        (Racy, other),
    ] {
        verdicts(UP_TO_32, &[(verdict, &format!("{bench}\n{later}"))]);
    }
}

/// Safe where `w` is a multiple of 32.
const BY_32: &str = "__global__ void k(int *a, int w) { a[threadIdx.x & ~(w % 32)] = threadIdx.x; }";

/// [HOST-VALIDATED]
#[test]
fn a_variable_whose_values_are_all_checked_where_they_are_given_holds_what_was_checked() {
    let from = |first: &str, body: &str| {
        format!(
            "void f(int *a, int n, char **s) {{ {first} for (int i = 1; i < n; i++) {{ if (s[i][0] == 119) {{ {body} }} }} k<<<1, 64>>>(a, w); }}"
        )
    };
    for (verdict, body) in [
        (Free, "w = atoi(s[i]); if (w % 32 != 0) { printf(\"no\"); exit(1); }"),
        (Free, "w = atoi(s[i]); if (w % 32) return;"),
        (Free, "sscanf(s[i], \"%d\", &w); if (w % 32 != 0) exit(1);"),
        (Racy, "w = atoi(s[i]); if (w % 32 != 0) printf(\"no\");"),
        (Racy, "w = atoi(s[i]); if (w % 16 != 0) exit(1);"),
        (Racy, "w = atoi(s[i]); if (w % 32 != 0 && i) exit(1);"),
        // Control gets past the check.
        (Racy, "w = atoi(s[i]); if (w % 32 != 0) break;"),
        (Racy, "w = atoi(s[i]); if (w % 32 != 0) { if (i) continue; exit(1); }"),
        (Racy, "try { w = atoi(s[i]); if (w % 32 != 0) return; } catch (int) { w = 31; }"),
        (Racy, "w = atoi(s[i]); if (w % 32) { k<<<1, 64>>>(a, w); return; }"),
        // Another value comes later.
        (Racy, "w = atoi(s[i]); if (w % 32 != 0) exit(1); w++;"),
        (Racy, "w = atoi(s[i]); if (w % 32 != 0) exit(1); if (i) w = 31;"),
    ] {
        verdicts(BY_32, &[(verdict, &from("int w = 32;", body))]);
    }
    // [HOST-LATER]
    let lists = "int w = 32; cl_mem m; cl_command_queue q;";
    for (verdict, body) in [
        (Free, "cudaMemcpyAsync(&w, a, 4, cudaMemcpyDeviceToHost, 0); if (w % 32 != 0) exit(1);"),
        (
            Racy,
            "cudaHostRegister(&w, 4, 0); cudaMemcpyAsync(&w, a, 4, cudaMemcpyDeviceToHost, 0); if (w % 32 != 0) exit(1);",
        ),
        (Free, "clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &w, 0, NULL, NULL); if (w % 32 != 0) exit(1);"),
        (Racy, "clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &w, 0, NULL, NULL); if (w % 32 != 0) exit(1);"),
    ] {
        verdicts(BY_32, &[(verdict, &from(lists, body))]);
    }
    let checked = "w = atoi(s[i]); if (w % 32 != 0) exit(1);";
    for first in ["int w = 31;", "int w = 32; int *q = &w; *q = 31;", "int w = n;"] {
        verdicts(BY_32, &[(Racy, &from(first, checked))]);
    }
}

#[test]
fn sizes_of_a_constant_of_the_unit_and_of_three_numbers_are_known() {
    for (verdict, host) in [
        (Free, "const dim3 t(32, 1, 1); void f(int *p) { k<<<4, t>>>(p); }"),
        (Free, "const dim3 t = dim3(32); void f(int *p) { k<<<4, t>>>(p); }"),
        (Free, "const dim3 t(64); void f(int *p) { dim3 t(32); k<<<4, t>>>(p); }"),
        (Racy, "const dim3 t(32, 2, 1); void f(int *p) { k<<<4, t>>>(p); }"),
        (Racy, "dim3 t(32, 1, 1); void g() { t.x = 64; } void f(int *p) { g(); k<<<4, t>>>(p); }"),
        (Racy, "const dim3 t(32); void f(int *p) { dim3 t(64); k<<<4, t>>>(p); }"),
        (Free, "void f(int *p) { dim3 b(64); b = make_uint3(32, 1, 1); k<<<4, b>>>(p); }"),
        (Racy, "void f(int *p) { dim3 b(32); b = make_uint3(64, 1, 1); k<<<4, b>>>(p); }"),
        (Racy, "void f(int *p) { dim3 b(32); b = make_uint3(32, 2, 1); k<<<4, b>>>(p); }"),
    ] {
        verdicts(UP_TO_32, &[(verdict, host)]);
    }
}

/// A function that only looks at an error changes nothing; one that writes through a pointer, or is not there, may. [HOST-QUIET]
#[test]
fn functions_that_look_at_errors_change_nothing() {
    let quiet = "struct C { int n; };
const char *name(cudaError_t e) { return cudaGetErrorString(e); }
template <typename T> void look(T e, const char *file, int line) {
  if (e) { fprintf(stderr, \"%s:%d %d %s\", file, line, static_cast<unsigned int>(e), name(e)); exit(1); }
}";
    let host = |functions: &str| {
        format!(
            "{functions}\nvoid f(int *a, const C &c) {{ int n = c.n; look(cudaDeviceSynchronize(), \"\", 1); if (c.n == 32) k<<<1, n>>>(a); }}"
        )
    };
    let writes = "struct C { int n; }; int *last;
template <typename T> void look(T e, const char *file, int line) { if (e) *last = line; }";
    let verdict = |host: &str| check(&format!("{UP_TO_32}\n{host}\n"), false).verdict;
    assert_eq!(verdict(&host(quiet)), Verdict::RaceFree);
    assert!(matches!(verdict(&host(writes)), Inconclusive | Racy));
    assert!(matches!(verdict(&host("struct C { int n; };")), Inconclusive | Racy));
    let calls = "struct C { int n; }; void other(int);
template <typename T> void look(T e, const char *file, int line) { if (e) other(line); }";
    assert!(matches!(verdict(&host(calls)), Inconclusive | Racy));
}

/// A kernel writes no memory of the host, unless there is some that both name.
#[test]
fn kernels_leave_what_references_stand_for() {
    let host = |more: &str| {
        format!(
            "struct C {{ int n; }}; __global__ void other(int *);\nvoid f(int *a, const C &c) {{ {more} int n = c.n; other<<<1, 1>>>(a); if (c.n == 32) k<<<1, n>>>(a); }}"
        )
    };
    let verdict = |more: &str| check(&format!("{UP_TO_32}\n{}\n", host(more)), false).verdict;
    assert_eq!(verdict(""), Verdict::RaceFree);
    assert_eq!(verdict("C *shared; cudaMallocManaged(&shared, sizeof(C));"), Verdict::Inconclusive);
}
