//! The levels at which two threads meet, end to end: which pairs `--level` compares, which barriers order them, and which
//! threads a mask names.

use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::core::Level;
use faial_like::report::finding::{self, FindingClass, FindingKind, KernelReport, Verdict};
use faial_like::smt::{Cache, SolverConfig};

fn check_at(levels: &[Level], text: &str) -> KernelReport {
    let mut settings = Settings { jobs: 1, ..Settings::default() };
    settings.check.levels = levels.to_vec();
    let report = check_files(&[(PathBuf::from("k.cu"), text.to_owned())], &settings, &solver_settings());
    assert_eq!(report.kernels.len(), 1, "{:?}", report.files[0].messages);
    report.kernels.into_iter().next().expect("one kernel")
}

fn check(text: &str) -> KernelReport {
    check_at(&[], text)
}

/// The levels of the confirmed races, without repetitions.
fn races(report: &KernelReport) -> Vec<finding::Level> {
    let confirmed =
        report.findings.iter().filter(|f| f.class == FindingClass::Confirmed && f.kind == FindingKind::Race);
    let mut levels: Vec<_> = confirmed.map(|f| f.level).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

#[track_caller]
fn free(text: &str) {
    let report = check(text);
    assert_eq!(report.verdict, Verdict::RaceFree, "{:?} {:?}", report.reasons, report.findings);
}

#[track_caller]
fn racy(text: &str, at: finding::Level) {
    let report = check(text);
    assert_eq!((report.verdict, races(&report)), (Verdict::Racy, vec![at]), "{:?}", report.reasons);
}

/// Four warps in two blocks of one cluster, of two clusters: thread i stores, and then reads what thread `i ^ distance` stored.
fn exchange(distance: u32, barrier: &str) -> String {
    format!(
        "//--blockDim=64 --gridDim=4\n__global__ void __cluster_dims__(2) k(int *a, int *out, int n) {{\n\
         cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();\n\
         cooperative_groups::grid_group grid = cooperative_groups::this_grid();\n\
         int i = blockIdx.x * 64 + threadIdx.x;\n  a[i] = i;\n  {barrier};\n  out[i] = a[i ^ {distance}];\n}}\n"
    )
}

const BARRIERS: [&str; 4] = ["__syncwarp()", "__syncthreads()", "cluster.sync()", "grid.sync()"];
/// The distance to a thread of the same warp, block, cluster and grid.
const DISTANCES: [u32; 4] = [1, 32, 64, 128];

#[test]
fn a_barrier_orders_the_pairs_of_its_scope_and_no_others() {
    for (scope, barrier) in BARRIERS.iter().enumerate() {
        for (meet, distance) in DISTANCES.iter().enumerate() {
            let report = check(&exchange(*distance, barrier));
            let expected = if meet <= scope { Verdict::RaceFree } else { Verdict::Racy };
            assert_eq!(report.verdict, expected, "{barrier}, distance {distance}: {:?}", report.reasons);
        }
    }
}

#[test]
fn each_level_sees_its_own_pairs() {
    let own = [finding::Level::Warp, finding::Level::Block, finding::Level::Cluster, finding::Level::Grid];
    for (meet, distance) in DISTANCES.iter().enumerate() {
        // Without a barrier nothing tells the levels apart, and with one of the warp or the cluster some do.
        for barrier in ["", "if (n < 0) __syncwarp()", "if (n < 0) cluster.sync()"] {
            let text = exchange(*distance, barrier);
            for (asked, level) in Level::ALL.into_iter().enumerate() {
                let report = check_at(&[level], &text);
                // Pairs in a warp count for the block, and those in a cluster for the grid, when nothing tells them apart.
                let merged = matches!((meet, asked), (0, 1) | (2, 3));
                let told_apart = match meet {
                    0 => barrier.contains("warp"),
                    _ => barrier.contains("cluster"),
                };
                let expected = if meet == asked || (merged && !told_apart) { vec![own[asked]] } else { vec![] };
                let what = format!("distance {distance}, `{barrier}`, --level {level:?}");
                assert_eq!(races(&report), expected, "{what}: {:?}", report.reasons);
                let limited = report.assumptions.iter().any(|a| a.contains("only threads that meet"));
                assert!(limited, "{what}: {:?}", report.assumptions);
                let verdict = if expected.is_empty() { Verdict::RaceFree } else { Verdict::Racy };
                assert_eq!(report.verdict, verdict, "{what}: {:?}", report.reasons);
            }
        }
    }
}

#[test]
fn all_levels_are_the_default() {
    for distance in DISTANCES {
        let text = exchange(distance, "");
        let (default, all) = (check(&text), check_at(&Level::ALL, &text));
        assert_eq!(default.verdict, Verdict::Racy);
        assert_eq!(races(&default), races(&all));
        assert!(!all.assumptions.iter().any(|a| a.contains("only threads")), "{:?}", all.assumptions);
    }
}

// Masks

/// The threads below `below` of one warp store, pass a barrier with a mask, and read what their neighbour stored.
fn masked(below: u32, mask: &str) -> String {
    format!(
        "//--blockDim=32 --gridDim=1\n__global__ void k(int *out) {{\n  __shared__ int s[32];\n  int t = threadIdx.x;\n  \
         if (t < {below}) {{\n    s[t] = t;\n    __syncwarp({mask});\n    out[t] = s[t ^ 1];\n  }}\n}}\n"
    )
}

#[test]
fn a_mask_orders_the_threads_that_it_names() {
    free(&masked(16, "0xffff"));
    free(&masked(4, "0xf"));
    free(&masked(32, "0xffffffff"));
    // Threads 8 to 15 are not in the mask.
    racy(&masked(16, "0xff"), finding::Level::Warp);
    // Thread 15 is not, and its neighbour is.
    racy(&masked(16, "0x7fff"), finding::Level::Warp);
}

#[test]
fn a_mask_that_names_more_threads_than_come_is_divergence() {
    let report = check(&masked(16, "0xffffffff"));
    assert_eq!(report.verdict, Verdict::Racy, "{:?}", report.reasons);
    assert!(report.findings.iter().any(|f| f.kind == FindingKind::Divergence), "{:?}", report.findings);
}

#[test]
fn a_mask_does_not_order_the_rest_of_the_warp() {
    // All threads pass a barrier, each half its own.
    let halves = |distance: u32| {
        format!(
            "//--blockDim=32 --gridDim=1\n__global__ void k(int *out) {{\n  __shared__ int s[32];\n  int t = threadIdx.x;\n  \
             s[t] = t;\n  if (t < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);\n  out[t] = s[t ^ {distance}];\n}}\n"
        )
    };
    free(&halves(1));
    racy(&halves(16), finding::Level::Warp);
}

#[test]
fn a_mask_that_depends_on_the_iteration_is_evaluated_for_each() {
    let text = |mask: &str| {
        format!(
            "//--blockDim=32 --gridDim=1\n__global__ void k(int *out, int n) {{\n  __shared__ int s[32];\n  int t = threadIdx.x;\n  \
             for (int i = 0; i < 2; i++) {{\n    s[t] = i;\n    __syncwarp({mask});\n    out[t] = s[t ^ 1];\n    \
             __syncwarp();\n  }}\n}}\n"
        )
    };
    free(&text("0xffffffff"));
    racy(&text("i == 0 ? 0xffffffff : 0xfffffffe"), finding::Level::Warp);
}

#[test]
fn a_mask_orders_nothing_across_warps() {
    let text = |barrier: &str| {
        format!(
            "//--blockDim=64 --gridDim=1\n__global__ void k(int *out) {{\n  __shared__ int s[64];\n  int t = threadIdx.x;\n  \
             s[t] = t;\n  {barrier};\n  out[t] = s[t ^ 32];\n}}\n"
        )
    };
    racy(&text("__syncwarp(0xffffffff)"), finding::Level::Block);
    free(&text("__syncthreads()"));
}

// Halves of the barrier of a cluster

fn halves(code: &str) -> String {
    format!(
        "//--blockDim=32 --gridDim=4\n__global__ void __cluster_dims__(2) k(int *a, int *out, int n) {{\n\
         cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();\n\
         int i = blockIdx.x * 32 + threadIdx.x;\n  a[i] = i;\n  {code}\n  out[i] = a[i ^ 32];\n}}\n"
    )
}

#[test]
fn the_halves_of_a_barrier_are_one_when_nothing_stands_between() {
    free(&halves("cluster.barrier_arrive(); cluster.barrier_wait();"));
    free(&halves("__cluster_barrier_arrive(); __cluster_barrier_wait();"));
    free(&halves("if (n > 0) { __cluster_barrier_arrive(); __cluster_barrier_wait(); } else cluster.sync();"));
    free(&halves("cooperative_groups::cluster_group::sync();"));
    racy(&halves("cooperative_groups::thread_block::sync();"), finding::Level::Grid);
    free(&halves(
        "asm volatile(\"barrier.cluster.arrive.release.aligned;\\n\" \"barrier.cluster.wait;\" ::: \"memory\");",
    ));
    free(&halves("asm(\"barrier.cluster.arrive;\"); asm(\"barrier.cluster.wait.acquire;\");"));
    // What only computes in between is nothing.
    free(&halves("asm(\"barrier.cluster.arrive; mov.u32 %r0, 1; barrier.cluster.wait;\");"));
    racy(&halves("if (n > 0) { __cluster_barrier_arrive(); __cluster_barrier_wait(); }"), finding::Level::Cluster);
}

#[test]
fn half_a_barrier_is_never_a_barrier() {
    for code in [
        "cluster.barrier_arrive();",
        "cluster.barrier_wait();",
        "if (n > 0) cluster.barrier_arrive(); cluster.barrier_wait();",
        "cluster.barrier_arrive(); if (n > 0) cluster.barrier_wait();",
        "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();",
        "asm(\"barrier.cluster.arrive.relaxed;\"); asm(\"barrier.cluster.wait;\");",
        "asm(\"barrier.cluster.arrive; bar.sync 0; barrier.cluster.wait;\");",
        "asm(\"barrier.cluster.wait; barrier.cluster.arrive;\");",
        "cluster.barrier_arrive(); __syncthreads(); cluster.barrier_wait();",
        "for (int j = 0; j < n; j++) cluster.barrier_arrive(); cluster.barrier_wait();",
    ] {
        let report = check(&halves(code));
        assert_ne!(report.verdict, Verdict::RaceFree, "{code}");
        assert!(report.reasons.iter().any(|r| r.code == "unknown-order"), "{code}: {:?}", report.reasons);
    }
}

// Sizes of clusters

#[test]
fn the_header_leaves_pairs_of_blocks_out_and_the_verdict_says_so() {
    let text = |flag: &str, index: &str| {
        format!(
            "//pass\n//--blockDim=64 --gridDim=4 {flag}\n__global__ void k(int *a) {{ a[{index}] = blockIdx.x * 64 + threadIdx.x; }}\n"
        )
    };
    let limit = "only for threads that meet at these levels: warp, block";
    let free = check(&text("--only-intra-group", "threadIdx.x"));
    assert_eq!((free.verdict, free.limits), (Verdict::RaceFree, vec![limit.to_owned()]));
    assert!(free.assumptions.iter().any(|a| a.contains("warp, block")), "{:?}", free.assumptions);
    // Without the flag, or with levels on the command line, blocks race; in a block they do with the flag as well.
    assert_eq!(races(&check(&text("", "threadIdx.x"))), [finding::Level::Grid]);
    let grid = check_at(&[Level::Block, Level::Grid], &text("--only-intra-group", "threadIdx.x"));
    assert_eq!((races(&grid), grid.limits), (vec![finding::Level::Grid], Vec::new()));
    assert_eq!(races(&check(&text("--only-intra-group", "threadIdx.x / 2"))), [finding::Level::Block]);
}

#[test]
fn the_attribute_may_stand_where_compilers_allow_it() {
    let text = |before: &str, after: &str| {
        format!(
            "//--blockDim=32 --gridDim=8\n#define TWO 2\n__global__ void other(int *a) {{ a[0] = 1; }}\n\
             {before} __global__ void {after} k(int *a, int *out) {{\n\
             cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();\n\
             int i = blockIdx.x * 32 + threadIdx.x;\n  a[i] = i;\n  cluster.sync();\n  out[i] = a[i ^ 32];\n}}\n"
        )
    };
    let checked = |text: String| {
        let mut settings = Settings { jobs: 1, kernels: vec!["k".to_owned()], ..Settings::default() };
        settings.check.levels = Vec::new();
        let report = check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings());
        report.kernels[0].verdict
    };
    for dims in
        ["__cluster_dims__(2)", "__cluster_dims__(2, 1, 1)", "__cluster_dims__(TWO)", "__cluster_dims__(2u,1,1)"]
    {
        assert_eq!(checked(text("", dims)), Verdict::RaceFree, "{dims} after");
        assert_eq!(checked(text(dims, "")), Verdict::RaceFree, "{dims} before");
    }
    assert_eq!(checked(text("", "__cluster_dims__(4)")), Verdict::RaceFree);
    // Of any size, also 1: a neighbour need not be in the cluster.
    for dims in ["", "__cluster_dims__(N)", "__cluster_dims__(0)", "__cluster_dims__(99999999999999999999999999)"] {
        assert_eq!(checked(text("", dims)), Verdict::Racy, "{dims}");
    }
    assert_eq!(checked(text("", "__cluster_dims__(1)")), Verdict::Racy);
}

#[test]
fn a_grid_that_is_not_a_multiple_of_its_clusters_cannot_be_launched() {
    let text = exchange(64, "cluster.sync()").replace("--gridDim=4", "--gridDim=3");
    assert_eq!(check(&text).verdict, Verdict::Vacuous);
}

#[test]
fn clusters_have_three_axes() {
    let text = |distance: &str| {
        format!(
            "//--blockDim=32 --gridDim=4,4\n__global__ void __cluster_dims__(1, 2) k(int *a, int *out) {{\n\
             cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();\n\
             int i = (blockIdx.y * 4 + blockIdx.x) * 32 + threadIdx.x;\n  a[i] = i;\n  cluster.sync();\n  \
             out[i] = a[{distance}];\n}}\n"
        )
    };
    free(&text("((blockIdx.y ^ 1) * 4 + blockIdx.x) * 32 + threadIdx.x"));
    racy(&text("(blockIdx.y * 4 + (blockIdx.x ^ 1)) * 32 + threadIdx.x"), finding::Level::Grid);
    racy(&text("((blockIdx.y ^ 2) * 4 + blockIdx.x) * 32 + threadIdx.x"), finding::Level::Grid);
}

/// The verdict of the first kernel, in warps of a size.
fn in_warps_of(warp_size: u32, text: String) -> Verdict {
    let mut settings = Settings { jobs: 1, ..Settings::default() };
    settings.check.warps.size = warp_size;
    let report = check_files(&[(PathBuf::from("k.cu"), text)], &settings, &solver_settings());
    report.kernels[0].verdict
}

/// A mask of 32 lanes is all of a warp of 32, and half of one of 64. [SCOPE-MASK]
#[test]
fn a_mask_names_lanes_of_the_warp() {
    let text = "//pass\n//--blockDim=64 --gridDim=1
        __global__ void k(int *a) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t; __syncwarp(MASK); a[t] = s[t ^ OTHER]; }";
    for (mask, other, warp_size, wanted) in [
        ("0xffffffffull", "1", 32, Verdict::RaceFree),
        ("0xffffffffull", "32", 64, Verdict::Racy),
        ("", "32", 64, Verdict::RaceFree),
        ("0xffffffffffffffffull", "32", 64, Verdict::RaceFree),
    ] {
        let text = text.replace("MASK", mask).replace("OTHER", other);
        assert_eq!(in_warps_of(warp_size, text), wanted, "{mask} in warps of {warp_size}");
    }
}

/// A tile of 32 threads is a warp of 32, and half of one of 64.
#[test]
fn a_tile_is_ordered_as_the_warps_in_it() {
    let text = "//pass\n//--blockDim=64 --gridDim=1\n#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *a) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); int t = threadIdx.x;
            a[t] = t; w.sync(); int v = a[t ^ MASK]; w.sync(); a[t] = v; }";
    for (mask, warp_size, wanted) in [
        ("1", 32, Verdict::RaceFree),
        ("32", 32, Verdict::Racy),
        ("32", 64, Verdict::Inconclusive),
        ("1", 16, Verdict::RaceFree),
    ] {
        assert_eq!(in_warps_of(warp_size, text.replace("MASK", mask)), wanted, "{mask} in warps of {warp_size}");
    }
}

/// [RUN-AHEAD] Questions are asked at the same time, and the report is the same.
#[cfg(unix)]
#[test]
fn levels_are_checked_side_by_side() {
    const TEXT: &str = "//--blockDim=64 --gridDim=4
__global__ void k(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
";
    let checked = |jobs: usize| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["z3-slow-unsat.sh", "talk.inc"] {
            let fake = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-solvers").join(name);
            std::fs::copy(fake, folder.path().join(name)).expect("a copy");
        }
        let solver = folder.path().join("z3-slow-unsat.sh");
        let record = folder.path().join("z3-slow-unsat.sh.log");
        let cache = Some(std::sync::Arc::new(Cache::in_memory()));
        let solver = SolverConfig { solver: Some(solver), cache, ..solver_settings() };
        let mut settings = Settings { jobs, ..Settings::default() };
        settings.check.presolve = false;
        let report = check_files(&[(PathBuf::from("k.cu"), TEXT.to_owned())], &settings, &solver);
        let kernel = &report.kernels[0];
        let said = (kernel.verdict, kernel.queries, kernel.assumptions.clone(), kernel.reasons.clone());
        let record = std::fs::read_to_string(record).expect("a record of questions");
        (said, record.contains("begin\nbegin\n"))
    };
    let (alone, side_by_side) = (checked(1), checked(2));
    assert_eq!(alone.0.0, Verdict::RaceFree);
    assert!(alone.0.1 >= 3, "{} questions", alone.0.1);
    assert_eq!(alone.0, side_by_side.0);
    assert_eq!((alone.1, side_by_side.1), (false, true));
}

// Lock-step

fn check_in_lockstep(text: &str) -> KernelReport {
    let mut settings = Settings { jobs: 1, ..Settings::default() };
    settings.check.warps.lockstep = true;
    let report = check_files(&[(PathBuf::from("k.cu"), text.to_owned())], &settings, &solver_settings());
    report.kernels.into_iter().next().expect("one kernel")
}

fn one_warp(body: &str) -> String {
    format!(
        "//--blockDim=32 --gridDim=1\n__global__ void k(int *out, int n) {{\n  __shared__ int s[128];\n  int t = threadIdx.x;\n  \
         {body}\n}}\n"
    )
}

#[test]
fn in_lockstep_a_warp_needs_no_barrier_and_a_block_does() {
    for (meet, distance) in DISTANCES.iter().enumerate() {
        let report = check_in_lockstep(&exchange(*distance, ""));
        let expected = if meet == 0 { Verdict::RaceFree } else { Verdict::Racy };
        assert_eq!(report.verdict, expected, "distance {distance}: {:?}", report.reasons);
        assert!(report.assumptions.iter().any(|a| a.contains("--lockstep-warps")), "{:?}", report.assumptions);
    }
    let reduction = "s[t] = t; if (t < 16) s[t] += s[t + 16]; if (t < 8) s[t] += s[t + 8]; if (t == 0) out[0] = s[0];";
    assert_eq!(check_in_lockstep(&one_warp(reduction)).verdict, Verdict::RaceFree);
    assert_eq!(check(&one_warp(reduction)).verdict, Verdict::Racy);
    let two_warps = |body: &str| one_warp(body).replace("blockDim=32", "blockDim=64");
    assert_eq!(check_in_lockstep(&two_warps(reduction)).verdict, Verdict::RaceFree);
    let between = "s[t] = t; if (t < 32) s[t] += s[t + 32];";
    assert_eq!(check_in_lockstep(&two_warps(between)).verdict, Verdict::Racy);
}

#[test]
fn in_lockstep_one_store_races_in_one_iteration() {
    // What the body is, and whether it is free without and with lock-step.
    let cases = [
        ("s[t / 2] = t;", false, false),
        ("s[t] = t;", true, true),
        ("if (t % 2) s[t / 2] = 1; else s[t / 2] = t;", false, true),
        // Threads 0 and 16 write s[16] one iteration after the other.
        ("for (int i = t; i < 64; i += 16) s[i] = t;", false, true),
        ("for (int i = t; i < 64 + t; i += 16) s[i - t] = t;", false, false),
        ("for (int i = 0; i < n; i++) s[(t + i) % 32] = t;", false, true),
        ("for (int i = 0; i < n; i++) s[(t + i) % 31] = t;", false, false),
        ("for (int i = 0; i < t; i++) for (int j = i; j < 40; j++) s[t - i + j] = t;", false, true),
        ("for (int i = 0; i < t; i++) for (int j = i; j < 40; j++) s[i + j] = t;", false, false),
    ];
    for (body, plain, lockstep) in cases {
        let verdict = |free| if free { Verdict::RaceFree } else { Verdict::Racy };
        assert_eq!(check(&one_warp(body)).verdict, verdict(plain), "{body}");
        let report = check_in_lockstep(&one_warp(body));
        assert_eq!(report.verdict, verdict(lockstep), "{body}: {:?} {:?}", report.reasons, report.findings);
    }
}

#[test]
fn in_lockstep_values_may_change_between_two_reads() {
    // All but one thread write out[0]: the second read sees what thread 1 has stored.
    let twice = "s[t] = 0; __syncthreads(); int x = s[0]; if (t == 1) s[0] = 5; int y = s[0]; out[x == y ? t : 0] = t;";
    // Threads 0 and 1 write out[0].
    let over = "s[t] = t; if (t == 0) s[1] = 0; __syncthreads(); out[s[t]] = t;";
    for body in [twice, over] {
        let report = check_in_lockstep(&one_warp(body));
        assert_eq!(report.verdict, Verdict::Inconclusive, "{body}: {:?}", report.findings);
    }
    // A copy in the background is there at any time.
    let copied = "__pipeline_memcpy_async(&s[t], &out[t], 4); out[t + 32] = s[t ^ 1]; __pipeline_commit(); __pipeline_wait_prior(0);";
    assert_eq!(check(&one_warp(copied)).verdict, Verdict::Racy);
    assert_eq!(check_in_lockstep(&one_warp(copied)).verdict, Verdict::Inconclusive);
    // What nobody writes does not change.
    let read = "int x = out[0]; int y = out[0]; s[x == y ? t : 0] = t;";
    assert_eq!(check_in_lockstep(&one_warp(read)).verdict, Verdict::RaceFree);
}
