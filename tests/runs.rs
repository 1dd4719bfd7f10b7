//! What the interpreter can run to confirm a race: constructs, each in a kernel that races and in a twin that does not.

use std::collections::BTreeSet;
use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{FindingClass, Ran, Replay, Verdict};

/// What is said of the findings of a kernel `k` with arrays `a`, `b` and `f`, in one block of 64 threads.
fn said(before: &str, body: &str) -> BTreeSet<&'static str> {
    let text = format!(
        "//--blockDim=64 --gridDim=1\n#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n{before}\n\
         __global__ void k(int *a, int *b, float *f, int n, float x) {{\n  int t = threadIdx.x;\n  {body}\n}}\n"
    );
    let settings = Settings { jobs: 1, ..Settings::default() };
    let report = check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings());
    let findings = report.kernels.iter().flat_map(|k| &k.findings);
    let said = findings.map(|finding| match (finding.class, &finding.replay) {
        (FindingClass::Confirmed, Some(Replay::Kernel(Ran::Threads))) => "two threads",
        (FindingClass::Confirmed, Some(Replay::Kernel(_))) => "blocks",
        (FindingClass::Confirmed, _) => "protocol",
        (FindingClass::SameValue, _) => "same value",
        (FindingClass::Possible, _) => "possible",
        (FindingClass::PossibleSameValue, _) => "possible, of the same value",
    });
    said.collect()
}

/// The verdict on a kernel `k` after a declaration.
fn verdict(before: &str, body: &str) -> Verdict {
    let text = format!(
        "//--blockDim=64 --gridDim=1\n{before}\n__global__ void k(int *a, int *b) {{ int t = threadIdx.x; {body} }}\n"
    );
    let settings = Settings { jobs: 1, ..Settings::default() };
    check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings()).kernels[0].verdict
}

/// Is the one confirmed by a run, and the other not confirmed at all?
fn twins(cases: &[(&str, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (how, before, racy, safe) in cases {
        let (found, other) = (said(before, racy), said(before, safe));
        let confirmed = ["two threads", "blocks", "protocol"];
        if !found.contains(how) || confirmed.iter().any(|c| other.contains(c)) {
            wrong.push(format!("{how}: {racy} {found:?}; {safe} {other:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn groups_of_threads() {
    let by_value =
        "__device__ void put(cg::thread_block g, int *s) { s[g.thread_rank() / 2] = g.thread_rank(); g.sync(); }";
    let by_reference = "__device__ void put(const cg::thread_block_tile<32> &g, int *s) { s[threadIdx.x] = 1; g.sync(); s[g.thread_rank()] = threadIdx.x; }";
    twins(&[
        (
            "two threads",
            "",
            "cg::thread_block g = cg::this_thread_block(); a[g.thread_rank() / 2] = t;",
            "cg::thread_block g = cg::this_thread_block(); a[g.thread_rank()] = t;",
        ),
        (
            "blocks",
            "",
            "auto g = cg::this_thread_block(); b[t] = t; g.sync(); a[0] = b[t];",
            "auto g = cg::this_thread_block(); b[t] = t; g.sync(); a[t] = b[t ^ 1];",
        ),
        (
            "blocks",
            "",
            "auto g = cg::this_grid(); b[t] = t; g.sync(); if (g.size() == 64) a[0] = t;",
            "auto g = cg::this_grid(); b[t] = t; g.sync(); if (g.size() == 65) a[0] = t;",
        ),
        ("two threads", by_value, "put(cg::this_thread_block(), a);", "put(cg::this_thread_block(), a + 1 + t);"),
        (
            "blocks",
            by_reference,
            "put(cg::tiled_partition<32>(cg::this_thread_block()), a);",
            "put(cg::tiled_partition<32>(cg::this_thread_block()), a + t / 32 * 32);",
        ),
    ]);
}

#[test]
fn what_threads_give_each_other() {
    let tile = "auto w = cg::tiled_partition<16>(cg::this_thread_block());";
    let sum = "int v = t % 16; for (int d = 8; d > 0; d /= 2) v += w.shfl_down(v, d);";
    let case = |before: &str, holds: &str, not: &str| {
        (format!("{before} if ({holds}) a[0] = t;"), format!("{before} if ({not}) a[0] = t;"))
    };
    let all = [
        case(tile, "w.shfl(t, 3) == t / 16 * 16 + 3", "w.shfl(t, 3) == 100"),
        case(tile, "w.shfl_xor(t, 1) == (t ^ 1)", "w.shfl_xor(t, 1) == t"),
        case(tile, "w.all(w.shfl_up(t, 1) == t - (t % 16 > 0))", "w.all(w.shfl_up(t, 1) == t - 1)"),
        case(&format!("{tile} {sum} v = w.shfl(v, 0);"), "v == 120", "v == 119"),
        case(tile, "w.ballot(t % 2) == 0xaaaa", "w.ballot(t % 2) == 0xaaaaaaaa"),
        case(tile, "w.any(t == 1) && !w.all(t == 1)", "w.all(t == 1)"),
        case(tile, "cg::reduce(w, t, cg::plus<int>()) == 120", "cg::reduce(w, t, cg::plus<int>()) == 121"),
        case(tile, "cg::reduce(w, t, cg::greater<int>()) == 15", "cg::reduce(w, t, cg::less<int>()) == 15"),
        case(
            tile,
            "cg::inclusive_scan(w, 1, cg::plus<int>()) == t % 16 + 1",
            "cg::inclusive_scan(w, 1, cg::plus<int>()) == 0",
        ),
        case("", "__shfl_sync(-1, t, 5, 8) == t / 8 * 8 + 5", "__shfl_sync(-1, t, 5, 8) == 70"),
        case("", "__shfl_down_sync(0xffffffff, t, 1) == t + 1", "__shfl_down_sync(0xffffffff, t, 1) == t + 2"),
        case(
            "int v = 0; if (t < 16)",
            "__shfl_xor_sync(0xffff, t, 2) == (t ^ 2)",
            "__shfl_xor_sync(0xffff, t, 2) == t",
        ),
        case("", "__ballot_sync(-1, t < 32) == 0xffffffff", "__ballot_sync(-1, t < 32) == 1"),
        case("", "__any_sync(-1, t == 40) && t > 31", "__any_sync(-1, t == 40) && t < 32"),
        case("", "__reduce_add_sync(-1, t) == 496", "__reduce_add_sync(-1, t) == 497"),
        case("", "__match_any_sync(-1, t / 16) == 0xffff", "__match_any_sync(-1, t / 16) == 0xffff00"),
    ];
    let all: Vec<_> = all.iter().map(|(racy, safe)| ("blocks", "", racy.as_str(), safe.as_str())).collect();
    twins(&all);
}

/// What is not known of a thread that has ended, or is not there, confirms nothing.
#[test]
fn exchanges_that_are_not_known() {
    for body in [
        "if (t < 16) return; if (__shfl_sync(-1, t, 0) == 0) a[0] = t;",
        "if (t < 32) { if (t < 16) { if (__shfl_sync(-1, 1, 0) == 1) a[0] = t; } }",
        "auto c = cg::coalesced_threads(); if (c.shfl(t, 0) == 0) a[0] = t;",
        "if (__shfl_sync(__activemask(), t, 0) == 0) a[0] = t;",
        "auto c = cg::coalesced_threads(); a[t] = 1; c.sync(); a[t ^ 1] = 2;",
    ] {
        assert_eq!(said("", body), BTreeSet::from(["possible"]), "{body}");
    }
}

/// Numbers with which a condition of floating-point numbers holds, if there are any.
#[test]
fn floating_point_data() {
    let alike = "__device__ double at(float *f, int i) { return f[i]; }";
    twins(&[
        ("two threads", "", "if (f[t] <= -1.5f) a[0] = t;", "if (f[t] <= -1.5f && f[t] > 2.0f) a[0] = t;"),
        (
            "two threads",
            "",
            "float y = f[t] * 2 + x; if (y > 5.5f && y < 6.0f) a[0] = t;",
            "float y = f[t] * 0 + 2; if (y > 5.5f) a[0] = t;",
        ),
        (
            "two threads",
            "",
            "if (x > 0.25f && sqrtf(x) < 0.75f) a[0] = t;",
            "if (x > 0.25f && sqrtf(x) < 0.5f) a[0] = t;",
        ),
        (
            "two threads",
            "",
            "if ((int)floorf(f[t] / 0.5f) == 3) a[0] = t;",
            "if ((int)floorf(f[t] / 0.5f) == 3 && f[t] > 2) a[0] = t;",
        ),
        (
            "two threads",
            "",
            "if (__float_as_int(x) == 0x3f800000) a[0] = t;",
            "if (__float_as_int(x) == 0x3f800000 && x != 1.0f) a[0] = t;",
        ),
        (
            "two threads",
            "",
            "if (__float2int_rd(f[t]) == -2) a[0] = t;",
            "if (__float2int_rd(f[t]) == -2 && f[t] > 0) a[0] = t;",
        ),
        (
            "two threads",
            alike,
            "double d = at(f, t); if (d > 1e5 && d < 1.5e5) a[0] = t;",
            "double d = at(f, t); if (d > 1e5 && d < 1e4) a[0] = t;",
        ),
    ]);
}

#[test]
fn textures() {
    let old = "texture<float, 1, cudaReadModeElementType> old;";
    let two = "cudaTextureObject_t o = (cudaTextureObject_t)n;";
    let case = |racy: &str, safe: &str| (format!("{two} {racy}"), format!("{two} {safe}"));
    let all = [
        case("a[tex1Dfetch<int>(o, t)] = t;", "a[tex1Dfetch<int>(o, t) * 0 + t] = t;"),
        case(
            "float4 v = tex2D<float4>(o, t + 0.5f, 0.5f); if (v.x > 0.25f && v.w <= 0) a[0] = t;",
            "float4 v = tex2D<float4>(o, t + 0.5f, 0.5f); if (v.x > 0.25f && v.x <= 0) a[0] = t;",
        ),
        case(
            "if (tex1Dfetch<int>(o, 2) == 3) a[0] = t;",
            "if (tex1Dfetch<int>(o, 2) == 3 && tex1Dfetch<int>(o, 2) == 4) a[0] = t;",
        ),
    ];
    let mut all: Vec<_> = all.iter().map(|(racy, safe)| ("two threads", "", racy.as_str(), safe.as_str())).collect();
    all.push((
        "two threads",
        old,
        "if (tex1Dfetch(old, t) > 3.0f) a[0] = t;",
        "if (tex1Dfetch(old, t) > 3.0f) a[t] = t;",
    ));
    twins(&all);
}

/// A value that is not known stops a thread only where it decides something.
#[test]
fn values_that_are_not_known() {
    let random = "curandState s; curand_init(1, t, 0, &s); float r = curand_uniform(&s);";
    let case = |before: &str, racy: &str| (format!("{before} {racy}"), format!("{before} a[t] = 1;"));
    let all = [
        case(random, "f[t / 2] = r * 2 + t;"),
        case("long c = clock64();", "a[t / 2] = (int)c + t;"),
        case("unsigned m = __activemask();", "a[t / 2] = m + t;"),
        case("float s, c; sincosf(x, &s, &c);", "if (c > 0.5f) a[0] = t;"),
        case("__half h = ((__half *)b)[t]; h = h + h;", "((__half *)b)[t / 2] = h; a[t / 2] = t;"),
        case("int v; v += 1;", "a[t / 2] = v + t;"),
        case("float e = erff(x);", "f[t / 2] = e + t;"),
        case("U u; u.f = x;", "if (u.i == 0x40000000) a[0] = t;"),
        case("int2 p = *(const int2 *)(b + 2 * t);", "if (p.y == 7) a[p.x] = t;"),
        case("Packed<float> p{*(const int4 *)(f + 4 * t)}; p.v[0] += 1;", "*(int4 *)(a + t / 2 * 4) = p.bits();"),
    ];
    let types = "union U { int i; float f; };
        template<class T> struct Packed { T v[16 / sizeof(T)]; __device__ explicit Packed(int4 b) { memcpy(v, &b, 16); }
        __device__ int4 bits() const { int4 r; memcpy(&r, v, 16); return r; } };";
    let all: Vec<_> = all.iter().map(|(racy, safe)| ("two threads", types, racy.as_str(), safe.as_str())).collect();
    twins(&all);
    let confirmed = ["two threads", "blocks"];
    for body in [
        "unsigned m = __activemask(); if (m == 1) a[0] = t;",
        "int c = (int)clock64(); a[c] = t;",
        "int c = (int)clock64(); if (8 / c == 1) a[0] = t;",
    ] {
        assert!(confirmed.iter().all(|c| !said("", body).contains(c)), "{body}");
    }
}

/// What the host writes in ways that are not followed may be nothing that leads to a race.
#[test]
fn what_the_host_writes_is_not_made_up() {
    let check = |filled: &str| {
        let text = format!(
            "#include <cuda_runtime.h>
             __constant__ int mode[4];
             __global__ void k(int *o, const int *a) {{
                 int t = threadIdx.x, x = 0, n = a[t];
                 while (n != 1) {{ x = x * 3 + mode[n & 3]; n = n & 1 ? 3 * n + 1 : n / 2; if (x > 5) break; }}
                 if (x > 5) o[0] = t;
             }}
             int secret(int);
             void go(int *o, const int *a) {{
                 int h[4] = {{9, 9, 9, 9}}; {filled}
                 cudaMemcpyToSymbol(mode, h, sizeof h); k<<<1, 64>>>(o, a);
             }}"
        );
        let settings = Settings { jobs: 1, ..Settings::default() };
        let report = check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings());
        report.kernels.iter().flat_map(|k| &k.findings).any(|f| f.class == FindingClass::Confirmed)
    };
    assert!(check(""));
    assert!(!check("for (int i = 0; i < 4; i++) h[i] = secret(i);"));
}

/// Parameters with which the run goes on to the race.
#[test]
fn a_second_witness() {
    let divergence = |shift: &str| {
        format!(
            "__shared__ int top; if (t >= n) return; if (t == 0) {{ int r = 0; while (b[0] >> r) r++; top = {shift}; }} __syncthreads(); a[t] = top;"
        )
    };
    let case = |shift: &str| said("", &divergence(shift));
    assert!(case("1 << (n - 2)").contains("two threads"), "n = 1 shifts by -1: {:?}", case("1 << (n - 2)"));
    assert!(!case("1 << (n - 2 - n)").contains("two threads"));
    twins(&[
        ("two threads", "", "int s = 1 << (n - 3); a[0] = t + s;", "int s = 1 << (n - 3 - n); a[0] = t + s;"),
        ("two threads", "", "if (n < 4) __trap(); a[0] = t;", "if (n < 4) __trap(); if (n < 2) a[0] = t;"),
    ]);
}

/// A vector is accessed where it is aligned, wherever its array begins.
#[test]
fn vectors_are_aligned() {
    let row = |stride: &str| {
        format!(
            "f += {stride} * (t / 32); for (int i = 4 * (t % 32); i < n; i += 128) *(float4 *)(f + i) = make_float4(t, 0, 0, 0);"
        )
    };
    let (odd, even) = (row("3"), row("4"));
    let confirmed = ["two threads", "blocks", "protocol"];
    assert!(confirmed.iter().all(|c| !said("", &odd).contains(c)), "{:?}", said("", &odd));
    assert!(said("", &even).contains("two threads"), "{:?}", said("", &even));
    // All are, if the array begins so.
    twins(&[(
        "two threads",
        "",
        "*(int2 *)(a + 1 + t / 2 * 2) = make_int2(t, t);",
        "*(int2 *)(a + 1 + t * 2) = make_int2(t, t);",
    )]);
}

/// What comes after a loop that waits for a flag may be ordered.
#[test]
fn loops_that_wait() {
    for (waits, wait) in [
        (true, "while (*(volatile int *)b == 0);"),
        (true, "int v; do { v = b[n]; } while (v == 0);"),
        (true, "for (;;) { if (b[0] == n) break; }"),
        (true, "while (b[0] < n) __nanosleep(20);"),
        (false, "int v = 0; while (v < b[0]) v++;"),
        (false, "int v = b[0]; while (v > 0) v = v - b[1];"),
        (false, "int v = n; while (v > 0) v = b[v];"),
    ] {
        let found = said("", &format!("__requires(b[0] == 1 && b[1] == 1 && n == 0); {wait} a[0] = t;"));
        assert_eq!(!found.contains("two threads"), waits, "{wait}: {found:?}");
        assert!(!found.is_empty(), "{wait}");
    }
}

/// Where stores of different values do not race, one of the same value that cannot be run leaves the verdict to others.
#[test]
fn a_possible_race_of_the_same_value() {
    let unknown = "__device__ int f(int);";
    let some = "if (f(t) > 2) b[0] = 1;";
    assert_eq!(said(unknown, some), ["possible, of the same value"].into());
    assert_eq!(said(unknown, "if (f(t) > 2) b[0] = t;"), ["possible"].into());
    for (expected, body) in [
        (Verdict::SameValue, format!("a[0] = 1; {some}")),
        (Verdict::Inconclusive, some.to_owned()),
        (Verdict::Inconclusive, "a[0] = 1; if (f(t) > 2) b[0] = t;".to_owned()),
        (Verdict::Inconclusive, format!("a[0] = 1; {some} a[f(t)] = 2;")),
        (Verdict::Racy, format!("a[0] = t; {some}")),
    ] {
        assert_eq!(verdict(unknown, &body), expected, "{body}");
    }
}
