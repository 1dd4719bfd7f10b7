use expect_test::{Expect, expect};

use crate::fixtures::*;
use faial_like::report::finding::*;
use faial_like::report::{Drawing, Format, RenderOptions, Verbosity, render};

fn check(report: &Report, expected: Expect) {
    check_with(report, &RenderOptions::default(), expected);
}

fn check_with(report: &Report, opts: &RenderOptions, expected: Expect) {
    expected.assert_eq(&render(report, Format::Text, opts));
}

#[test]
fn a_race_shows_both_accesses_in_the_source() {
    check(
        &report(vec![scan()]),
        expect![[r#"
              x data race in `scan` on `tile[0]`: a write and a read by two threads of the same block [data-race]
                ,-[scan.cu:6:3]
              5 |   int t = threadIdx.x;
              6 |   tile[t] = in[t];
                :   ^^^|^^^
                :      `-- write by thread (0,0,0), block (0,0,0)
              7 |   for (int d = 1; d < n; d *= 2) {
              8 |     if (t >= d)
              9 |       tile[t] += tile[t - d];
                :                  ^^^^^|^^^^^
                :                       `-- read by thread (1,0,0), block (0,0,0)
             10 |     __syncthreads();
                `----
              class   confirmed: replayed with these values
              where   d = 1 in thread (1,0,0), block (0,0,0)
              params  n = 2
              launch  block (256,1,1), grid (1,1,1)
              help    put `__syncthreads();` between line 6 and line 9
              id      r-5d1c9e02

                    racy  scan (scan.cu:3): 1 confirmed race; checked for block (256,1,1) and grid (*,1,1), set by the launch site

            1 kernel: 1 racy
            `faial-like explain CODE` says more about: data-race
        "#]],
    );
}

#[test]
fn an_access_that_races_with_itself_has_one_label() {
    check(
        &report(vec![flag()]),
        expect![[r#"
              ! same-value race in `flag` on `found[0]`: two writes of the same value by threads of two different blocks [same-value-race]
                ,-[scan.cu:17:5]
             16 |   if (in[threadIdx.x] == key)
             17 |     *found = 1;
                :     ^^^|^^
                :        `-- write by thread (0,0,0), block (0,0,0) and by thread (3,0,0), block (1,0,0)
             18 | }
                `----
              class   same-value: both threads store the same value
              params  key = 7
              memory  in[0] = 7, in[3] = 7
              launch  block (256,1,1), grid (2,1,1)
              id      r-0b77aa31

              same-value  flag (scan.cu:15): 1 same-value race; checked for every launch

            1 kernel: 1 same-value
            `faial-like explain CODE` says more about: same-value-race
        "#]],
    );
}

#[test]
fn a_divergence_shows_the_barrier_and_where_the_other_thread_is() {
    check(
        &report(vec![early()]),
        expect![[r#"
              x barrier divergence in `early`: two threads of the same block do not meet at the same barrier [barrier-divergence]
                ,-[scan.cu:22:15]
             21 |   int i = blockIdx.x * blockDim.x + threadIdx.x;
             22 |   if (i >= n) return;
                :               ^^^|^^
                :                  `-- thread (1,0,0), block (0,0,0) does not join it
             23 |   a[i] *= 2.0f;
             24 |   __syncthreads();
                :   ^^^^^^^|^^^^^^^
                :          `-- thread (0,0,0), block (0,0,0) waits at this barrier
             25 | }
                `----
              class   confirmed: replayed with these values
              params  n = 1
              launch  block (256,1,1), grid (1,1,1)
              id      d-91ee4410

                    racy  early (scan.cu:20): 1 confirmed divergence; checked for every launch

            1 kernel: 1 racy
            `faial-like explain CODE` says more about: barrier-divergence
        "#]],
    );
}

#[test]
fn accesses_in_two_files_are_drawn_one_after_the_other() {
    check(
        &histogram(),
        expect![[r#"
              x data race in `histogram` on `bins[0]`: a write and a read by two threads of the same warp [data-race]
               ,-[bins.cuh:2:3]
             1 | __device__ void add(unsigned *bins, unsigned char v) {
             2 |   bins[v]++;
               :   ^^^|^^^
               :      `-- write by thread (3,0,0), block (0,0,0)
             3 | }
               `----
              > and in histogram.cu
               ,-[histogram.cu:4:20]
             3 |   add(bins, data[threadIdx.x]);
             4 |   unsigned total = bins[0];
               :                    ^^^|^^^
               :                       `-- read by thread (0,0,0), block (0,0,0)
             5 | }
               `----
              class   confirmed: replayed with these values
              calls   `add(bins, data[threadIdx.x])` at histogram.cu:3:3, in thread (3,0,0), block (0,0,0)
              memory  data[3] = 0
              launch  block (256,1,1), grid (1,1,1)
              id      r-12345678

                    racy  histogram (histogram.cu:2): 1 confirmed race; checked for every launch

            1 kernel: 1 racy
            `faial-like explain CODE` says more about: data-race
        "#]],
    );
}

#[test]
fn reasons_are_drawn_once_and_coded_in_the_kernel_line() {
    let mut twin = gather();
    twin.name = "gather2".to_owned();
    twin.findings.clear();
    check(
        &report(vec![gather(), twin]),
        expect![[r#"
              ! possible data race in `gather` on `out[0]`: two writes by two threads of the same block [data-race]
                ,-[scan.cu:28:3]
             27 | __global__ void gather(float *out, const int *idx, const float *in) {
             28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
                :   ^^^^^^^^^^|^^^^^^^^^^
                :             `-- write by thread (0,0,0), block (0,0,0) and by thread (32,0,0), block (0,0,0)
             29 |   helper(out);
                `----
              class   possible: the contents of `idx` are not known
              memory  idx[0] = 0, idx[32] = 0
              launch  block (256,1,1), grid (1,1,1)
              help    if `idx` holds no value twice, say so: `__requires(__distinct_int(idx[threadIdx.x]))`
              id      r-77aa0c10

              ! `helper` is not defined here and may touch `out` [unknown-call]
                ,-[scan.cu:29:3]
             28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
             29 |   helper(out);
                :   ^^^^^^^^^^^
             30 | }
                `----
              kernels  gather, gather2
              help     define `helper` in this file, or name its folder with -I

              ! the solver gave up on 1 query after 10 s [solver-unknown]
              kernels  gather, gather2

            inconclusive  gather (scan.cu:27): 1 possible race; [unknown-call] line 29; [solver-unknown]; checked for every launch; 2 assumptions
            inconclusive  gather2 (scan.cu:27): [unknown-call] line 29; [solver-unknown]; checked for every launch; 2 assumptions

            2 kernels: 2 inconclusive
            `faial-like explain CODE` says more about: data-race, solver-unknown, unknown-call
        "#]],
    );
}

#[test]
fn nothing_wrong_is_one_line_a_kernel() {
    check(
        &report(vec![scale()]),
        expect![[r#"
               race-free  scale (scan.cu:32): checked for every launch; 1 assumption

            1 kernel: 1 race-free
        "#]],
    );
}

#[test]
fn verbose_adds_assumptions_queries_and_times() {
    let opts = RenderOptions { verbosity: Verbosity::Verbose, ..RenderOptions::default() };
    check_with(
        &report(vec![scale()]),
        &opts,
        expect![[r#"
               race-free  scale (scan.cu:32): checked for every launch
                          assumes blockDim.y = blockDim.z = 1: the kernel reads neither
                          2 queries, 1 ms

            1 kernel: 1 race-free (0.01 s)
        "#]],
    );
}

#[test]
fn quiet_keeps_findings_failures_and_the_summary() {
    let opts = RenderOptions { verbosity: Verbosity::Quiet, ..RenderOptions::default() };
    let mut report = report(vec![flag(), gather(), scale()]);
    let mut failed = file("gone.cu", "", FileStatus::Failed);
    failed.messages = vec![message("unreadable-file", "no such file or directory", None)];
    report.files.push(failed);
    check_with(
        &report,
        &opts,
        expect![[r#"
              ! same-value race in `flag` on `found[0]`: two writes of the same value by threads of two different blocks [same-value-race]
                ,-[scan.cu:17:5]
             16 |   if (in[threadIdx.x] == key)
             17 |     *found = 1;
                :     ^^^|^^
                :        `-- write by thread (0,0,0), block (0,0,0) and by thread (3,0,0), block (1,0,0)
             18 | }
                `----
              class   same-value: both threads store the same value
              params  key = 7
              memory  in[0] = 7, in[3] = 7
              launch  block (256,1,1), grid (2,1,1)
              id      r-0b77aa31

              ! possible data race in `gather` on `out[0]`: two writes by two threads of the same block [data-race]
                ,-[scan.cu:28:3]
             27 | __global__ void gather(float *out, const int *idx, const float *in) {
             28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
                :   ^^^^^^^^^^|^^^^^^^^^^
                :             `-- write by thread (0,0,0), block (0,0,0) and by thread (32,0,0), block (0,0,0)
             29 |   helper(out);
                `----
              class   possible: the contents of `idx` are not known
              memory  idx[0] = 0, idx[32] = 0
              launch  block (256,1,1), grid (1,1,1)
              help    if `idx` holds no value twice, say so: `__requires(__distinct_int(idx[threadIdx.x]))`
              id      r-77aa0c10

              x no such file or directory [unreadable-file]
              file  gone.cu

            3 kernels: 1 race-free, 1 same-value, 1 inconclusive; 1 of 2 files failed
        "#]],
    );
}

#[test]
fn terminals_get_lines_and_colours() {
    let opts = RenderOptions { color: true, drawing: Drawing::Unicode, ..RenderOptions::default() };
    check_with(
        &report(vec![scan(), scale()]),
        &opts,
        expect![[r#"
              [31m×[0m data race in `scan` on `tile[0]`: a write and a read by two threads of the same block [data-race]
                ╭─[[36;1;4mscan.cu:6:3[0m]
             [2m 5[0m │   int t = threadIdx.x;
             [2m 6[0m │   tile[t] = in[t];
                · [35;1m  ───┬───[0m
                ·      [35;1m╰── [35;1mwrite by thread (0,0,0), block (0,0,0)[0m[0m
             [2m 7[0m │   for (int d = 1; d < n; d *= 2) {
             [2m 8[0m │     if (t >= d)
             [2m 9[0m │       tile[t] += tile[t - d];
                · [33;1m                 ─────┬─────[0m
                ·                       [33;1m╰── [33;1mread by thread (1,0,0), block (0,0,0)[0m[0m
             [2m10[0m │     __syncthreads();
                ╰────
              [1mclass [0m  confirmed: replayed with these values
              [1mwhere [0m  d = 1 in thread (1,0,0), block (0,0,0)
              [1mparams[0m  n = 2
              [1mlaunch[0m  block (256,1,1), grid (1,1,1)
              [1mhelp  [0m  put `__syncthreads();` between line 6 and line 9
              [1mid    [0m  r-5d1c9e02

            [31;1m        racy[0m  scan (scan.cu:3): 1 confirmed race; checked for block (256,1,1) and grid (*,1,1), set by the launch site
            [32;1m   race-free[0m  scale (scan.cu:32): checked for every launch; 1 assumption

            [1m2 kernels: 1 race-free, 1 racy[0m
            `faial-like explain CODE` says more about: data-race
        "#]],
    );
}

#[test]
fn narration_replaces_drawings() {
    let opts = RenderOptions { drawing: Drawing::Narrated, ..RenderOptions::default() };
    check_with(
        &report(vec![scan()]),
        &opts,
        expect![[r#"
            data race in `scan` on `tile[0]`: a write and a read by two threads of the same block [data-race]
                Diagnostic severity: error
            Begin snippet for scan.cu starting at line 5, column 1

            snippet line 5:   int t = threadIdx.x;
            snippet line 6:   tile[t] = in[t];
                label at line 6, columns 3 to 9: write by thread (0,0,0), block (0,0,0)
            snippet line 7:   for (int d = 1; d < n; d *= 2) {
            snippet line 8:     if (t >= d)
            snippet line 9:       tile[t] += tile[t - d];
                label at line 9, columns 18 to 28: read by thread (1,0,0), block (0,0,0)
            snippet line 10:     __syncthreads();
              class   confirmed: replayed with these values
              where   d = 1 in thread (1,0,0), block (0,0,0)
              params  n = 2
              launch  block (256,1,1), grid (1,1,1)
              help    put `__syncthreads();` between line 6 and line 9
              id      r-5d1c9e02

                    racy  scan (scan.cu:3): 1 confirmed race; checked for block (256,1,1) and grid (*,1,1), set by the launch site

            1 kernel: 1 racy
            `faial-like explain CODE` says more about: data-race
        "#]],
    );
}

#[test]
fn everything_at_once() {
    check(
        &everything(),
        expect![[r#"
              x data race in `scan` on `tile[0]`: a write and a read by two threads of the same block [data-race]
                ,-[scan.cu:6:3]
              5 |   int t = threadIdx.x;
              6 |   tile[t] = in[t];
                :   ^^^|^^^
                :      `-- write by thread (0,0,0), block (0,0,0)
              7 |   for (int d = 1; d < n; d *= 2) {
              8 |     if (t >= d)
              9 |       tile[t] += tile[t - d];
                :                  ^^^^^|^^^^^
                :                       `-- read by thread (1,0,0), block (0,0,0)
             10 |     __syncthreads();
                `----
              class   confirmed: replayed with these values
              where   d = 1 in thread (1,0,0), block (0,0,0)
              params  n = 2
              launch  block (256,1,1), grid (1,1,1)
              help    put `__syncthreads();` between line 6 and line 9
              id      r-5d1c9e02

              ! same-value race in `flag` on `found[0]`: two writes of the same value by threads of two different blocks [same-value-race]
                ,-[scan.cu:17:5]
             16 |   if (in[threadIdx.x] == key)
             17 |     *found = 1;
                :     ^^^|^^
                :        `-- write by thread (0,0,0), block (0,0,0) and by thread (3,0,0), block (1,0,0)
             18 | }
                `----
              class   same-value: both threads store the same value
              params  key = 7
              memory  in[0] = 7, in[3] = 7
              launch  block (256,1,1), grid (2,1,1)
              id      r-0b77aa31

              x barrier divergence in `early`: two threads of the same block do not meet at the same barrier [barrier-divergence]
                ,-[scan.cu:22:15]
             21 |   int i = blockIdx.x * blockDim.x + threadIdx.x;
             22 |   if (i >= n) return;
                :               ^^^|^^
                :                  `-- thread (1,0,0), block (0,0,0) does not join it
             23 |   a[i] *= 2.0f;
             24 |   __syncthreads();
                :   ^^^^^^^|^^^^^^^
                :          `-- thread (0,0,0), block (0,0,0) waits at this barrier
             25 | }
                `----
              class   confirmed: replayed with these values
              params  n = 1
              launch  block (256,1,1), grid (1,1,1)
              id      d-91ee4410

              ! possible data race in `gather` on `out[0]`: two writes by two threads of the same block [data-race]
                ,-[scan.cu:28:3]
             27 | __global__ void gather(float *out, const int *idx, const float *in) {
             28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
                :   ^^^^^^^^^^|^^^^^^^^^^
                :             `-- write by thread (0,0,0), block (0,0,0) and by thread (32,0,0), block (0,0,0)
             29 |   helper(out);
                `----
              class   possible: the contents of `idx` are not known
              memory  idx[0] = 0, idx[32] = 0
              launch  block (256,1,1), grid (1,1,1)
              help    if `idx` holds no value twice, say so: `__requires(__distinct_int(idx[threadIdx.x]))`
              id      r-77aa0c10

              x data race in `atomic` on `n[4][-1]`: an atomic and a plain read by threads of two blocks of one cluster [data-race]
                ,-[scan.cu:12:3]
             11 |   }
             12 |   out[t] = tile[t];
                :   ^^^|^^
                :      `-- atomic of `n[4][-1]` by thread (0,0,0), block (0,0,0); read of `n[4][18446744073709551615]` by thread (1,0,0), block (0,0,0)
             13 | }
                `----
              class   confirmed: replayed on the protocol with these values; the code was not run up to there: it stops at: `curand`
              launch  block (256,1,1), grid (1,1,1)
              id      r-a70m1c00

              x data race in `histogram` on `bins[0]`: a write and a read by two threads of the same warp [data-race]
               ,-[bins.cuh:2:3]
             1 | __device__ void add(unsigned *bins, unsigned char v) {
             2 |   bins[v]++;
               :   ^^^|^^^
               :      `-- write by thread (3,0,0), block (0,0,0)
             3 | }
               `----
              > and in histogram.cu
               ,-[histogram.cu:4:20]
             3 |   add(bins, data[threadIdx.x]);
             4 |   unsigned total = bins[0];
               :                    ^^^|^^^
               :                       `-- read by thread (0,0,0), block (0,0,0)
             5 | }
               `----
              class   confirmed: replayed with these values
              calls   `add(bins, data[threadIdx.x])` at histogram.cu:3:3, in thread (3,0,0), block (0,0,0)
              memory  data[3] = 0
              launch  block (256,1,1), grid (1,1,1)
              id      r-12345678

              ! `bins.cuh` was not found [include-missing]
               ,-[histogram.cu:1:10]
             1 | #include "bins.cuh"
               :          ^^^^^^^^^^
             2 | __global__ void histogram(unsigned *bins, const unsigned char *data) {
               `----

              x the file is not text: it has NUL bytes, and is not UTF-8 [not-text]
              file  latin1.cu

              ! `helper` is not defined here and may touch `out` [unknown-call]
                ,-[scan.cu:29:3]
             28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
             29 |   helper(out);
                :   ^^^^^^^^^^^
             30 | }
                `----
              kernel  gather
              help    define `helper` in this file, or name its folder with -I

              ! the solver gave up on 1 query after 10 s [solver-unknown]
              kernel  gather

              x `walk` calls itself [recursion]
              at      gone.cuh:4
              kernel  odd<int, 4>

              ! the assumptions contradict each other [vacuous]
              kernel  contradictory
              help    drop one of the assumptions

              ! no kernel is named `foo` [no-kernels]

                    racy  scan (scan.cu:3): 1 confirmed race; checked for block (256,1,1) and grid (*,1,1), set by the launch site
              same-value  flag (scan.cu:15): 1 same-value race; checked for every launch
                    racy  early (scan.cu:20): 1 confirmed divergence; checked for every launch
            inconclusive  gather (scan.cu:27): 1 possible race; [unknown-call] line 29; [solver-unknown]; checked for every launch; 2 assumptions
               race-free  scale (scan.cu:32): checked for every launch; 1 assumption
                rejected  odd<int, 4> (scan.cu): [recursion] gone.cuh:4
                    racy  atomic (scan.cu:1): 1 confirmed race; checked for every launch
             no-accesses  bounded (scan.cu:1): checked for block (128,*,*) and grid (*,*,*), set by __launch_bounds__
                 vacuous  contradictory (scan.cu:1): [vacuous]; checked for every launch
                    racy  histogram (histogram.cu:2): 1 confirmed race; checked for every launch

            10 kernels: 1 race-free, 1 same-value, 4 racy, 1 inconclusive, 1 no-accesses, 1 vacuous, 1 rejected; 1 of 3 files failed
            `faial-like explain CODE` says more about: barrier-divergence, data-race, recursion, same-value-race, solver-unknown, unknown-call, vacuous
        "#]],
    );
}

#[test]
fn an_empty_run_says_so() {
    let mut report = report(vec![]);
    report.messages = vec![message("no-kernels", "no kernels were found, so nothing was proved", None)];
    check(
        &report,
        expect![[r#"
              ! no kernels were found, so nothing was proved [no-kernels]

            no kernels
        "#]],
    );
}

#[test]
fn two_accesses_on_one_line_and_one_inside_the_other() {
    let outer = at("scan.cu", SCAN, "out[idx[threadIdx.x]]", 0);
    let inner = at("scan.cu", SCAN, "idx[threadIdx.x]", 0);
    let right = at("scan.cu", SCAN, "in[threadIdx.x]", 1);
    let one = finding(
        "r-1",
        "out",
        vec![access(outer.clone(), AccessMode::Write, 0, 0, &[0]), access(inner, AccessMode::Read, 1, 0, &[0])],
    );
    let two = finding(
        "r-2",
        "out",
        vec![access(outer, AccessMode::Write, 0, 0, &[0]), access(right, AccessMode::Atomic, 1, 0, &[0])],
    );
    let mut kernel = kernel("gather", 27, Verdict::Racy);
    kernel.findings = vec![one, two];
    check(
        &report(vec![kernel]),
        expect![[r#"
          x data race in `gather` on `out[0]`: a write and a read by two threads of the same block [data-race]
            ,-[scan.cu:28:3]
         27 | __global__ void gather(float *out, const int *idx, const float *in) {
         28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
            :   ^^^^^^^^^^|^^^^^^^^^^|
            :             |          `-- read by thread (1,0,0), block (0,0,0)
            :             `-- write by thread (0,0,0), block (0,0,0)
         29 |   helper(out);
            `----
          class   confirmed: replayed with these values
          launch  block (256,1,1), grid (1,1,1)
          id      r-1

          x data race in `gather` on `out[0]`: an atomic and a plain write by two threads of the same block [data-race]
            ,-[scan.cu:28:3]
         27 | __global__ void gather(float *out, const int *idx, const float *in) {
         28 |   out[idx[threadIdx.x]] = in[threadIdx.x];
            :   ^^^^^^^^^^|^^^^^^^^^^   ^^^^^^^|^^^^^^^
            :             |                    `-- atomic by thread (1,0,0), block (0,0,0)
            :             `-- write by thread (0,0,0), block (0,0,0)
         29 |   helper(out);
            `----
          class   confirmed: replayed with these values
          launch  block (256,1,1), grid (1,1,1)
          id      r-2

                racy  gather (scan.cu:27): 2 confirmed races; checked for every launch

        1 kernel: 1 racy
        `faial-like explain CODE` says more about: data-race
    "#]],
    );
}

#[test]
fn many_reasons_are_cut_short_unless_verbose() {
    let mut kernel = kernel("scan", 3, Verdict::Inconclusive);
    for n in 0..8 {
        let at = Location { path: "scan.cu".to_owned(), line: n + 5, ..Location::default() };
        kernel.reasons.push(message("unknown-value", &format!("value {n} is not known"), Some(at)));
    }
    check(
        &report(vec![kernel]),
        expect![[r#"
          ! value 0 is not known [unknown-value]
           ,-[scan.cu:5:3]
         4 |   __shared__ int tile[256];
         5 |   int t = threadIdx.x;
           :   ^^^^^^^^^^^^^^^^^^^^
         6 |   tile[t] = in[t];
           `----
          kernel  scan

          ! value 1 is not known [unknown-value]
           ,-[scan.cu:6:3]
         5 |   int t = threadIdx.x;
         6 |   tile[t] = in[t];
           :   ^^^^^^^^^^^^^^^^
         7 |   for (int d = 1; d < n; d *= 2) {
           `----
          kernel  scan

          ! value 2 is not known [unknown-value]
           ,-[scan.cu:7:3]
         6 |   tile[t] = in[t];
         7 |   for (int d = 1; d < n; d *= 2) {
           :   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
         8 |     if (t >= d)
           `----
          kernel  scan

          ! value 3 is not known [unknown-value]
           ,-[scan.cu:8:5]
         7 |   for (int d = 1; d < n; d *= 2) {
         8 |     if (t >= d)
           :     ^^^^^^^^^^^
         9 |       tile[t] += tile[t - d];
           `----
          kernel  scan

          ! value 4 is not known [unknown-value]
            ,-[scan.cu:9:7]
          8 |     if (t >= d)
          9 |       tile[t] += tile[t - d];
            :       ^^^^^^^^^^^^^^^^^^^^^^^
         10 |     __syncthreads();
            `----
          kernel  scan

          3 more reasons not shown; -v shows all

        inconclusive  scan (scan.cu:3): [unknown-value] lines 5, 6, 7, 8, 9, ...; checked for every launch

        1 kernel: 1 inconclusive
        `faial-like explain CODE` says more about: unknown-value
    "#]],
    );
}

#[test]
fn a_source_cannot_steer_the_terminal() {
    let mut kernel = kernel("e\u{1b}[2Jvil", 1, Verdict::Inconclusive);
    let at = Location { path: "evil.cu".to_owned(), line: 1, column: 1, end_column: 3, start: 0, end: 2 };
    kernel.path = "ev\u{7}il.cu".to_owned();
    kernel.reasons = vec![message("unknown-value", "\u{9b}31m", Some(at))];
    let mut report = report(vec![kernel]);
    report.included = vec![IncludedFile { path: "evil.cu".to_owned(), text: "ab \u{1b}]0;title\u{7}\n".to_owned() }];
    let text = render(&report, Format::Text, &RenderOptions::default());
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn without_the_source_the_places_are_named() {
    let mut report = histogram();
    report.included.clear();
    for access in &mut report.kernels[0].findings[0].accesses {
        access.at = at("bins.cuh", BINS, "bins[v]", 0);
        access.calls = vec![at("histogram.cu", HISTOGRAM, "add(bins, data[threadIdx.x])", 0)];
    }
    check(
        &report,
        expect![[r#"
          x data race in `histogram` on `bins[0]`: a write and a read by two threads of the same warp [data-race]
          class   confirmed: replayed with these values
          at      bins.cuh:2:3: write by thread (3,0,0), block (0,0,0)
                  bins.cuh:2:3: read by thread (0,0,0), block (0,0,0)
          calls   `add(bins, data[threadIdx.x])` at histogram.cu:3:3
          memory  data[3] = 0
          launch  block (256,1,1), grid (1,1,1)
          id      r-12345678

                racy  histogram (histogram.cu:2): 1 confirmed race; checked for every launch

        1 kernel: 1 racy
        `faial-like explain CODE` says more about: data-race
    "#]],
    );
}
