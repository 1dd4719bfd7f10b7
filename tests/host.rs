//! What the host code around a launch says is used, listed, and can be left out; each case with a mutant of the host code.

use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{KernelReport, LaunchSource, Verdict};

/// The kernel `k` of a text, checked with and without what the host says.
fn check(text: &str, ignore_host: bool) -> KernelReport {
    let file = (PathBuf::from("host.cu"), text.to_owned());
    let settings = Settings { jobs: 1, ignore_host, ..Settings::default() };
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
    for one in ["k<<<1, 64>>>(a); k<<<1, 32>>>(a);", "k<<<1, n>>>(a);"] {
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
    ] {
        decides(UP_TO_32, &host(safe), &host(racy));
    }
}

#[test]
fn a_variable_that_changes_stands_for_nothing() {
    for body in ["int b = 16; if (p) b = 64;", "int b = 16; grow(&b);", "int b = 16; change(b);", "int b; b = 16; b++;"]
    {
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
