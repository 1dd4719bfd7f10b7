//! Witnesses: each class with a kernel that has it and one that has not, goals that are wrong, and all pairs of accesses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use faial_like::base::Span;
use faial_like::check::kernel::{CheckOptions, protocol_of};
use faial_like::check::launch::launch;
use faial_like::check::pipeline::{Warps, levels_in_use};
use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::check::source::{KernelCode, SourceOptions, load};
use faial_like::core::{Mode, Scope};
use faial_like::frontend::cuda::lower::LoweredKernel;
use faial_like::interp::memory::mix;
use faial_like::interp::{Access, Goal, Inputs, Kind, Missed, Part, Run, Thread, replay, run};
use faial_like::kernel::infer::Inferred;
use faial_like::report::finding::{
    AccessMode, Finding, FindingClass, FindingKind, KernelReport, Level, Ran, Replay, Verdict,
};
use faial_like::smt::SolverConfig;

const WARP: u32 = 2;

fn check_with(text: &str, max_findings: usize) -> KernelReport {
    let mut settings = Settings { jobs: 1, ..Settings::default() };
    settings.check.max_findings = max_findings;
    settings.check.warps.size = WARP;
    let report = check_files(&[(PathBuf::from("k.cu"), text.to_owned())], &settings, &solver_settings());
    assert_eq!(report.kernels.len(), 1, "{:?}", report.files[0].messages);
    report.kernels.into_iter().next().expect("one kernel")
}

fn lowered(text: &str) -> LoweredKernel {
    let file = load(Path::new("k.cu"), text.to_owned(), &SourceOptions::default());
    match file.kernels.into_iter().next().map(|k| k.code) {
        Some(KernelCode::Cuda(code)) => *code,
        _ => panic!("no kernel: {:?}", file.report.messages),
    }
}

fn protocol(text: &str) -> Inferred {
    let file = load(Path::new("k.cu"), text.to_owned(), &SourceOptions::default());
    let (launch, _) = launch(None, None, &file.header, &file.kernels[0], true);
    protocol_of(
        &file.kernels[0],
        &launch,
        &CheckOptions { warps: Warps { size: WARP, lockstep: false }, ..CheckOptions::default() },
    )
}

fn reported(level: faial_like::core::Level) -> Level {
    match level {
        faial_like::core::Level::Warp => Level::Warp,
        faial_like::core::Level::Block => Level::Block,
        faial_like::core::Level::Cluster => Level::Cluster,
        faial_like::core::Level::Grid => Level::Grid,
    }
}

/// What is said of a finding: its class, and what ran.
fn said(finding: &Finding) -> &'static str {
    match (finding.class, &finding.replay) {
        (FindingClass::Possible, None) => "possible",
        (FindingClass::Confirmed, Some(Replay::Kernel(Ran::Threads))) => "confirmed by two threads",
        (FindingClass::Confirmed, Some(Replay::Kernel(Ran::Blocks))) => "confirmed by blocks",
        (FindingClass::Confirmed, Some(Replay::Kernel(Ran::Grid))) => "confirmed by the grid",
        (FindingClass::Confirmed, Some(Replay::Protocol(_))) => "confirmed by the protocol",
        (FindingClass::SameValue, Some(Replay::Kernel(_))) => "same value",
        (FindingClass::PossibleSameValue, None) => "possible, of the same value",
        other => panic!("{other:?}"),
    }
}

/// All that is said of a kernel `k` with arrays `a` and `b`, in blocks of 4.
fn classes(grid: u32, before: &str, body: &str) -> BTreeSet<&'static str> {
    let text = format!(
        "//--blockDim=4 --gridDim={grid}\n{before}\n__global__ void k(int *a, int *b, int n, float x) {{\n  int t = threadIdx.x;\n  {body}\n}}\n"
    );
    check_with(&text, 20).findings.iter().map(said).collect()
}

#[test]
fn a_class_is_that_of_the_kernel_and_not_of_its_mutant() {
    let grid = "cooperative_groups::this_grid().sync();";
    let outside = "int outside(int);";
    let cases: [(&str, u32, &str, &str, &str); 29] = [
        ("confirmed by two threads", 1, "", "a[0] = t;", "a[t] = t;"),
        // Contents of arrays and parameters as the witness says.
        (
            "confirmed by two threads",
            1,
            "",
            "if (b[t] > 7 && n == 5) a[b[t]] = t;",
            "if (b[t] > 7 && n == 5) a[t] = b[t];",
        ),
        (
            "confirmed by two threads",
            1,
            "",
            "if (b[t] > 0 && b[b[t] + 1] == 9) a[n] = t;",
            "if (b[t] > 0 && b[b[t] + 1] == 9) a[t] = n;",
        ),
        (
            "confirmed by two threads",
            1,
            "",
            "for (int i = 0; i < n; i++) if (i == 3) a[i] = t;",
            "for (int i = 0; i < n; i++) if (i == 3) a[t] = i;",
        ),
        ("confirmed by blocks", 1, "", "b[t] = t; __syncthreads(); a[0] = t;", "b[t] = t; __syncthreads(); a[t] = t;"),
        (
            "confirmed by blocks",
            2,
            "",
            "b[t + 4 * blockIdx.x] = t; __syncthreads(); if (t == 0) a[0] = blockIdx.x;",
            "b[t + 4 * blockIdx.x] = t; __syncthreads(); if (t == 0) a[blockIdx.x] = t;",
        ),
        (
            "confirmed by the grid",
            3,
            "",
            &format!("{grid} if (t == 0) a[0] = blockIdx.x;"),
            &format!("{grid} if (t == 0) a[blockIdx.x] = 1;"),
        ),
        ("same value", 1, "", "a[0] = n;", "a[t] = n;"),
        ("same value", 1, "", "a[0] = 1;", "a[0] = 1 + t;"),
        // A value of other threads is not modelled, but run.
        ("confirmed by blocks", 1, "", "a[__shfl_sync(-1, t, 0)] = t;", "a[t] = __shfl_sync(-1, t, 0);"),
        // Not modelled, but run: without a step all get the same number.
        ("confirmed by two threads", 1, "", "a[atomicAdd(b, 0)] = t;", "a[t] = atomicAdd(b, 0);"),
        ("confirmed by two threads", 1, "", "a[atomicAdd(b, 0)] = t;", "a[atomicAdd(b, 1)] = t;"),
        (
            "confirmed by two threads",
            1,
            "",
            "if (x > 2.0f || x <= 2.0f) a[0] = t;",
            "if (x > 2.0f && x <= 2.0f) a[0] = t;",
        ),
        // What nobody has written is not run.
        ("possible", 1, "__shared__ int s[4];", "if (s[t] == 0) a[0] = t;", "a[0] = t;"),
        (
            "confirmed by two threads",
            1,
            "__shared__ int s[4];",
            "int x = s[t]; a[0] = t + x * 0;",
            "if (s[t] == 0) a[0] = t;",
        ),
        // What comes before the race cannot be run; after it nothing needs to be.
        ("confirmed by the protocol", 1, outside, "b[t] = outside(t); a[0] = t;", "a[0] = t; b[t] = outside(t);"),
        ("confirmed by two threads", 1, outside, "a[0] = t; b[t] = outside(t);", "b[t] = outside(t); a[0] = t;"),
        // It may have a barrier in it. [INF-UNKNOWN]
        (
            "possible",
            1,
            outside,
            "int x = a[t]; b[t] = outside(t); a[3 - t] = x;",
            "int x = a[t]; a[3 - t] = x; b[t] = outside(t);",
        ),
        (
            "confirmed by two threads",
            1,
            outside,
            "int x = a[t]; if (n == 7) b[t] = outside(t); a[3 - t] = x;",
            "int x = a[t]; if (n != 7777) b[t] = outside(t); a[3 - t] = x; __requires(n == 5);",
        ),
        (
            "confirmed by the protocol",
            1,
            "__device__ int table[4] = {1, 2, 3, 4};",
            "if (table[t] > 0) a[0] = t;",
            "a[0] = t;",
        ),
        // That no array is left whose size is known is assumed; how large another one is may be anything.
        ("possible", 1, "", "__shared__ int s[4]; s[t + 4] = t; a[0] = t;", "__shared__ int s[4]; s[t] = t; a[0] = t;"),
        (
            "possible",
            1,
            "",
            "__shared__ int s[4][8]; s[n % 3][t + 8] = t; a[0] = t;",
            "__shared__ int s[4][8]; s[n % 3][t + 4] = t; a[0] = t;",
        ),
        (
            "confirmed by two threads",
            1,
            "",
            "__shared__ int s[4]; if (n >= 4) s[n * (t + 1)] = t; a[0] = t;",
            "__shared__ int s[4]; if (n == n + 0) s[4 * (t + 1)] = t; a[0] = t;",
        ),
        (
            "confirmed by the protocol",
            1,
            "",
            "extern __shared__ int s[]; s[t + 4194304] = t; a[0] = t;",
            "extern __shared__ int s[]; s[t + 4] = t; a[0] = t;",
        ),
        // C gives no meaning to a division by zero: other parameters are asked for.
        (
            "confirmed by two threads",
            1,
            "",
            "int q = 8 / n; if (n == 0 || n == 7) a[0] = t + q;",
            "int q = 8 / n; if (n == 0) a[0] = t + q;",
        ),
        ("possible", 1, "", "int q = 8 % n; if (n == 0) a[0] = t + q;", "int q = n; if (n == 0) a[0] = t + q;"),
        // No input that was tried fulfils what is assumed and not modelled.
        ("possible", 1, "", "__requires(__popc(b[t]) == 31); a[0] = t;", "a[0] = t;"),
        // A loop that takes too long, unless it comes later.
        (
            "possible",
            1,
            "",
            "for (int i = 0; i < 900000; i++) b[t] = i; a[0] = t;",
            "a[0] = t; for (int i = 0; i < 900000; i++) b[t] = i;",
        ),
        (
            "confirmed by two threads",
            1,
            "",
            "a[0] = t; for (int i = 0; i < 900000; i++) b[t] = i;",
            "for (int i = 0; i < 900000; i++) b[t] = i; a[0] = t;",
        ),
    ];
    let mut wrong = Vec::new();
    for (class, blocks, before, body, mutant) in cases {
        let (found, other) = (classes(blocks, before, body), classes(blocks, before, mutant));
        if !found.contains(class) || (other.contains(class) && !other.is_empty()) {
            wrong.push(format!("{class}: {body} {found:?}; {mutant} {other:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What was divided by is not 0, and not negative unless that is asked for; where nothing was divided, 0 is a value.
#[test]
fn what_is_divided_by_is_a_size() {
    let check = |body: &str, negative: bool| {
        let mut settings = Settings { jobs: 1, ..Settings::default() };
        settings.check.negative_sizes = negative;
        let text = format!(
            "//--blockDim=64 --gridDim=1\n__global__ void k(int *a, int n, int m) {{ int t = threadIdx.x; {body} }}\n"
        );
        let report = check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings());
        let kernel = report.kernels.into_iter().next().expect("a kernel");
        (kernel.verdict, kernel.assumptions.iter().any(|a| a.contains("by which something is divided")))
    };
    let rest = "a[n > 0 ? t : t % n] = t;";
    assert_eq!(check(rest, true), (Verdict::Racy, false), "one alternative divides");
    let rows = "int r = t / n, c = t % n; a[r * n + c] = t;";
    assert_eq!(check(rows, false), (Verdict::RaceFree, true));
    let signs = "int r = t / n, c = t % n; a[(n > 0) * (r * n + c)] = t;";
    assert_eq!(check(signs, false), (Verdict::RaceFree, true));
    assert_eq!(check(signs, true), (Verdict::Racy, false));
    let zero = "int r = t / n; if (n == 0 && r == 0) a[0] = t;";
    assert_eq!(check(zero, true), (Verdict::RaceFree, false), "no thread gets there");
    for (racy, text) in [("a[n ? n * t / n : 0] = t;", "n may be 0"), ("a[n == 0 || t / n < 3 ? 0 : t] = t;", "or")] {
        assert_eq!(check(racy, false).0, Verdict::Racy, "{text}");
    }
    // A loop that asks at its end has run its body once.
    let late = "int i = 0; do { if (n == 0) a[0] = t; i++; } while (i < t / n);";
    assert_eq!(check(late, false).0, Verdict::Racy, "before the division");
    let early = "int i = 0; while (i < t / n) { if (n == 0) a[0] = t; i++; }";
    assert_eq!(check(early, false).0, Verdict::RaceFree, "after the division");
    assert_eq!(check("__requires(n < 0); a[t / n] = t;", false).0, Verdict::Racy, "negative ones are asked for");
    assert_eq!(check("a[t / (n + m)] = t;", false), (Verdict::Racy, true));
    assert_eq!(
        check("if (m == 0) a[t % (n + m) + n * (t / n)] = t;", false),
        (Verdict::RaceFree, true),
        "a part may be 0"
    );
    assert_eq!(check("if (m < 0) a[t % (n + m)] = t;", false), (Verdict::Racy, false), "negative ones are asked for");
    assert_eq!(check("if (m < 0) a[t % (n - m)] = t;", false).0, Verdict::Racy, "a difference is no size");
}

/// A launch that is larger than is taken for granted, which is then listed, and one that is not.
#[test]
fn a_race_of_a_launch_that_is_too_large_is_none() {
    let check = |rows: u32| {
        let text = format!(
            "__global__ void k(int *a) {{
                 if (gridDim.x > 70000 && gridDim.y > {rows}) a[0] = blockIdx.x; else a[blockIdx.y * gridDim.x + blockIdx.x] = 1;
             }}
             void f(int *p, unsigned w, unsigned h) {{ k<<<dim3(w, h), 1>>>(p); }}"
        );
        let report = check_with(&text, 20);
        (report.verdict, report.assumptions.contains(&"fewer than 2^28 threads in all".to_owned()))
    };
    assert_eq!(check(4000), (Verdict::RaceFree, true));
    assert_eq!(check(3000), (Verdict::Racy, false));
}

/// What is known of a value only because signed sums have no meaning where they overflow is listed; of one that stays below
/// something, that need not be said.
#[test]
fn sums_that_are_taken_not_to_overflow_are_listed() {
    let listed = |body: &str| {
        let text = format!(
            "//--blockDim=64 --gridDim=1\n__global__ void k(int *a, const int *x, int n) {{ int t = threadIdx.x; {body} }}"
        );
        let report = check_with(&text, 20);
        (report.verdict, report.assumptions.contains(&"sums in `c` do not overflow".to_owned()))
    };
    let count =
        |to: &str| format!("int c = 0; for (int i = 0; i < n; i++) if (x[i] > t {to}) {{ a[c * 64 + t] = i; c++; }}");
    assert_eq!(listed(&count("")), (Verdict::RaceFree, true));
    assert_eq!(listed(&count("&& c < 9")), (Verdict::RaceFree, false));
    let down = "int c = 60, p = t; for (int i = 0; i < n; i++) if (t < c) { a[t] = i; c -= 8; }";
    assert_eq!(listed(down), (Verdict::RaceFree, true));
}

/// Where a run that overflows is all that speaks for a race, it is listed what does not overflow. [WIT-OVERFLOW]
#[test]
fn what_does_not_overflow_because_a_run_would_end_is_listed() {
    let verdict = |index: &str| {
        let text = format!(
            "template <int T> __global__ void k(const int *a, int *c, int n) {{
                __shared__ int s[T];
                int x = int(blockIdx.x) * T + int(threadIdx.x);
                if ((n + T - 1) / T > 0) s[threadIdx.x] = a[0];
                if (x < n) c[{index}] = x;
            }}
            void keep(void *);
            template <int T> void named() {{ keep((void *)k<T>); }}"
        );
        let report = check_with(&text, 20);
        (report.verdict, report.assumptions.contains(&"no signed overflow in `n + T`".to_owned()))
    };
    assert_eq!(verdict("x"), (Verdict::RaceFree, true));
    assert_eq!(verdict("x / 2"), (Verdict::Racy, false));
}

/// That the sizes which are tried first race in launches only that are too large says nothing of other sizes.
#[test]
fn sizes_that_are_tried_are_not_all_sizes() {
    let text = "__global__ void k(int *o, int N, int C, int H, int W) {
                    int i = blockIdx.x * blockDim.x + threadIdx.x;
                    if (i >= N * C * H * W) return;
                    int w = i % W, h = (i / W) % H, c = (i / (W * H)) % C, n = i / (W * H * C);
                    int by = C == 7 || (gridDim.x > 70000 && gridDim.y > 4000) ? 0 : c;
                    o[((n * H + h) * W + w) * C + by] = i;
                }
                void f(int *o, int N, int C, int H, int W, int x, int y) {
                    if (y == 1 || x > 70000 && y > 4000) k<<<dim3(x, y), 64>>>(o, N, C, H, W);
                }";
    let settings = Settings { jobs: 1, ..Settings::default() };
    let solver = SolverConfig { timeout: Duration::from_secs(2), ..solver_settings() };
    let report = check_files(&[(PathBuf::from("k.cu"), text.to_owned())], &settings, &solver);
    assert_ne!(report.kernels.first().map(|k| k.verdict), Some(Verdict::RaceFree));
}

/// Kernels whose threads do the same whatever the others do, with arrays `a`, `b` and `s`, for any small `n`.
const BODIES: [(u32, &str); 10] = [
    (1, "a[t] = t; a[t + 1] = 2 * t; if (t < n) a[n] += 1;"),
    (1, "a[t % 2] = t; int x = a[t + n]; b[t] = x;"),
    (1, "s[t] = t; if (n > 1) __syncthreads(); b[t] = s[(t + 1) % 4]; s[t] = n;"),
    (1, "for (int i = 0; i < n; i++) { s[t] = i; __syncthreads(); a[t + i] = s[(t + i) % 4]; a[i] = t; }"),
    (1, "for (int i = t; i < n; i += 2) { a[i] = t; b[i / 2] = i; }"),
    (1, "s[t] = t; __syncwarp(); s[t ^ 1] += 1; __syncwarp(); a[s[0] * 0 + t] = 1; if (t == 3) a[0] = n;"),
    (2, "a[t] = blockIdx.x; b[blockIdx.x * 4 + t] = t; b[blockIdx.x * 4 + t + n] = 1; s[t] = 1;"),
    (2, "if (blockIdx.x == 1) a[n] = t; else b[t] = a[t]; __syncthreads(); a[6 + t] = t; b[t] = 2;"),
    (1, "atomicAdd(&a[0], 1); if (t == n) b[0] = a[0]; atomicAdd_block(&a[1], t); a[t + 1] = 0;"),
    (2, "atomicAdd_block(&a[t / 2], 1); atomicAdd(&b[0], n); if (n == 3) b[t] += 1; s[t / 2] = t;"),
];

/// A work-group stores, waits, and reads what the neighbour stored; `$` is the index in the array.
fn exchange_of_opencl(flags: &str, array: &str) -> KernelReport {
    let (own, neighbour) = (array.replace('$', "i"), array.replace('$', "(i ^ 1)"));
    let text = format!(
        "//pass\n//--local_size=4 --num_groups=2\n__kernel void k(__global int *g, __local int *l, __global int *out) {{\n\
         int i = get_local_id(0);\n  {own} = i + 1;\n  barrier({flags});\n  if ({neighbour} == (i ^ 1) + 1)\n  \
         out[get_global_id(0)] = {neighbour};\n  out[64] = 0;\n}}\n"
    );
    let report = check_files(&[(PathBuf::from("k.cl"), text)], &Settings::default(), &solver_settings());
    report.kernels.into_iter().next().expect("one kernel")
}

#[test]
fn barriers_with_flags_are_run_and_order_what_the_flags_name() {
    let (local, global) = ("l[$]", "g[get_group_id(0) * 4 + $]");
    let (of_local, of_global) = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE");
    for (flags, array, ordered) in [
        (of_local, local, true),
        (of_global, local, false),
        (of_local, global, false),
        (of_global, global, true),
        ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", local, true),
        ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", global, true),
    ] {
        let report = exchange_of_opencl(flags, array);
        let on = |name: &str| report.findings.iter().filter(|f| f.array == name).collect::<Vec<_>>();
        // What stands after the barrier is reached by the run: the same value from all work-items.
        assert!(on("out").iter().all(|f| f.class == FindingClass::SameValue), "{flags} {array}: {:?}", on("out"));
        assert!(!on("out").is_empty());
        let name = if array == local { "l" } else { "g" };
        let races: Vec<&str> = on(name).iter().map(|f| said(f)).collect();
        assert_eq!(races.is_empty(), ordered, "{flags} {array}: {races:?}");
        assert!(races.iter().all(|said| *said == "confirmed by blocks"), "{flags} {array}: {races:?}");
    }
}

fn kernel_text((grid, body): (u32, &str)) -> String {
    format!(
        "//--blockDim=4 --gridDim={grid}\n__global__ void k(int *a, int *b, int n) {{\n  __shared__ int s[8];\n  int t = threadIdx.x;\n  __requires(0 <= n && n < 6);\n  {body}\n}}\n"
    )
}

fn inputs(grid: u32, n: i128) -> Inputs {
    let params = BTreeMap::from([("n".to_owned(), n)]);
    Inputs {
        block: [4, 1, 1],
        grid: [grid, 1, 1],
        warp_size: WARP,
        params,
        zeros: true,
        exact: true,
        ..Inputs::default()
    }
}

/// The level at which two accesses of a run race, if they do: by the definition, and nothing of the interpreter's own.
fn races(run: &Run, a: &Access, b: &Access) -> Option<Level> {
    let (one, two) = (run.threads[a.thread as usize], run.threads[b.thread as usize]);
    let apart = a.thread == b.thread || a.object != b.object;
    if apart || a.start + a.length <= b.start || b.start + b.length <= a.start {
        return None;
    }
    let (level, scope, together) = if one.block != two.block {
        (Level::Grid, Scope::Grid, a.phase.grid == b.phase.grid)
    } else if one.thread[0] / WARP != two.thread[0] / WARP {
        (Level::Block, Scope::Block, a.phase.block == b.phase.block)
    } else {
        (Level::Warp, Scope::Warp, a.phase.warp == b.phase.warp)
    };
    let harmless = match (a.kind, b.kind) {
        (Kind::Read, Kind::Read) => true,
        (Kind::Atomic(x), Kind::Atomic(y)) => x >= scope && y >= scope,
        _ => false,
    };
    (together && !harmless).then_some(level)
}

/// Level, and of both accesses where it is and what it does.
type Pair = (Level, Vec<(usize, usize, char)>);

#[test]
fn the_pairs_that_are_found_are_those_of_all_runs() {
    for (grid, body) in BODIES {
        let text = kernel_text((grid, body));
        let code = lowered(&text);
        let used = levels_in_use(&protocol(&text).kernel, &[], Warps { size: 32, lockstep: false });
        let letter = |kind: Kind| match kind {
            Kind::Read => 'r',
            Kind::Write => 'w',
            Kind::Atomic(_) => 'a',
        };
        // By pair: did the bytes differ in any run?
        let mut expected: BTreeMap<Pair, bool> = BTreeMap::new();
        for n in 0..6 {
            let run = run(&code.program, code.kernel, &inputs(grid, n));
            for (i, a) in run.accesses.iter().enumerate() {
                for b in &run.accesses[..i] {
                    let Some(level) = races(&run, a, b) else { continue };
                    // Levels that no barrier tells apart are one.
                    let Some(level) = used.iter().copied().map(reported).filter(|l| *l >= level).min() else {
                        continue;
                    };
                    let place = |x: &Access| (x.span.start as usize, x.span.end as usize, letter(x.kind));
                    let mut both = vec![place(a), place(b)];
                    both.sort_unstable();
                    let differ = (a.kind, b.kind) != (Kind::Write, Kind::Write) || a.value != b.value;
                    *expected.entry((level, both)).or_default() |= differ;
                }
            }
        }
        let report = check_with(&text, 100);
        let mut found: BTreeMap<Pair, FindingClass> = BTreeMap::new();
        for finding in report.findings.iter().filter(|f| f.kind == FindingKind::Race) {
            let letter = |mode| match mode {
                AccessMode::Read => 'r',
                AccessMode::Write => 'w',
                AccessMode::Atomic | AccessMode::Barrier => 'a',
            };
            let mut both: Vec<_> = finding.accesses.iter().map(|a| (a.at.start, a.at.end, letter(a.mode))).collect();
            both.sort_unstable();
            assert_eq!(found.insert((finding.level, both), finding.class), None, "{body}: twice");
        }
        let named = |pairs: BTreeSet<&Pair>| -> Vec<String> {
            let word = |(start, end, mode): &(usize, usize, char)| format!("{mode} {}", &text[*start..*end]);
            pairs.iter().map(|(level, both)| format!("{level:?}: {}, {}", word(&both[0]), word(&both[1]))).collect()
        };
        assert_eq!(named(found.keys().collect()), named(expected.keys().collect()), "{body}");
        for (pair, class) in &found {
            let differ = expected[pair];
            let right = match class {
                FindingClass::Confirmed => true,
                FindingClass::SameValue => !differ,
                FindingClass::Possible | FindingClass::PossibleSameValue => false,
            };
            assert!(right, "{body}: {class:?} {:?}", named(BTreeSet::from([pair])));
        }
        let ids: BTreeSet<&str> = report.findings.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids.len(), report.findings.len(), "{body}: ids");
        // Less findings do not change the verdict, and are of those that there are.
        for most in [1, 2] {
            let less = check_with(&text, most);
            assert_eq!(less.verdict, report.verdict, "{body}");
            assert!(less.findings.len() <= most && less.findings.is_empty() == report.findings.is_empty(), "{body}");
        }
    }
}

#[test]
fn a_goal_is_met_exactly_when_a_run_of_the_grid_meets_it() {
    let (mut met, mut missed) = (0, 0);
    for (number, (grid, body)) in BODIES.into_iter().enumerate() {
        let code = lowered(&kernel_text((grid, body)));
        for n in 0..6 {
            let inputs = inputs(grid, n);
            let whole = run(&code.program, code.kernel, &inputs);
            let mut spans: Vec<(Span, Kind)> = whole.accesses.iter().map(|a| (a.span, a.kind)).collect();
            spans.dedup();
            for seed in 0..40u64 {
                let random = |k: u64| mix(mix(number as u64 * 1000 + n as u64) ^ mix(seed * 16 + k)) as usize;
                let threads: [Thread; 2] = [random(0), random(1)].map(|r| whole.threads[r % whole.threads.len()]);
                if threads[0] == threads[1] || spans.is_empty() {
                    continue;
                }
                let sites = [random(2), random(3)].map(|r| spans[r % spans.len()]);
                let modes = sites.map(|(_, kind)| match kind {
                    Kind::Read => Mode::Rd,
                    Kind::Write => Mode::Wr(None),
                    Kind::Atomic(scope) => Mode::At(scope),
                });
                let goal = Goal { threads: threads.map(|t| (t.block, t.thread)), spans: sites.map(|(s, _)| s), modes };
                let is = |x: &Access, one: usize| {
                    whole.threads[x.thread as usize] == threads[one] && (x.span, x.kind) == sites[one]
                };
                let expected = whole
                    .accesses
                    .iter()
                    .any(|a| is(a, 0) && whole.accesses.iter().any(|b| is(b, 1) && races(&whole, a, b).is_some()));
                let found = replay(&code.program, code.kernel, &inputs, &goal, &mut 100_000);
                assert_eq!(found.is_ok(), expected, "{body}, n = {n}: {goal:?} {found:?}");
                match found {
                    Ok(found) => {
                        met += 1;
                        assert!(found.part == Part::Pair || found.accesses.iter().any(|a| a.phase.warp > 0), "{body}");
                    }
                    Err(why) => {
                        missed += 1;
                        assert!(matches!(why, Missed::Finished), "{body}, n = {n}: {why:?}");
                    }
                }
            }
        }
    }
    assert!(met > 100 && missed > 500, "{met} {missed}");
}
