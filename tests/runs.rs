//! What the interpreter can run to confirm a race: constructs, each in a kernel that races and in a twin that does not.

use std::collections::BTreeSet;
use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::{FindingClass, Ran, Replay};

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
    });
    said.collect()
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
        "auto w = cg::tiled_partition<16>(cg::this_thread_block()); a[t] = 1; w.sync(); a[t ^ 1] = 2;",
    ] {
        assert_eq!(said("", body), BTreeSet::from(["possible"]), "{body}");
    }
}
