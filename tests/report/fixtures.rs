//! Findings as the checker would build them, on small sources.

use std::collections::BTreeMap;

use faial_like::report::finding::*;

pub const SCAN: &str = "\
#include <cuda_runtime.h>

__global__ void scan(int *out, const int *in, int n) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  tile[t] = in[t];
  for (int d = 1; d < n; d *= 2) {
    if (t >= d)
      tile[t] += tile[t - d];
    __syncthreads();
  }
  out[t] = tile[t];
}

__global__ void flag(int *found, const int *in, int key) {
  if (in[threadIdx.x] == key)
    *found = 1;
}

__global__ void early(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] *= 2.0f;
  __syncthreads();
}

__global__ void gather(float *out, const int *idx, const float *in) {
  out[idx[threadIdx.x]] = in[threadIdx.x];
  helper(out);
}

__global__ void scale(float *a, float f) {
  a[blockIdx.x * blockDim.x + threadIdx.x] *= f;
}
";

pub const HISTOGRAM: &str = "\
#include \"bins.cuh\"
__global__ void histogram(unsigned *bins, const unsigned char *data) {
  add(bins, data[threadIdx.x]);
  unsigned total = bins[0];
}
";

pub const BINS: &str = "\
__device__ void add(unsigned *bins, unsigned char v) {
  bins[v]++;
}
";

/// The place of the `nth` occurrence, from 0, of `needle`.
pub fn at(path: &str, text: &str, needle: &str, nth: usize) -> Location {
    let (start, _) = text.match_indices(needle).nth(nth).expect("the needle is in the text");
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = text[line_start..start].chars().count() + 1;
    Location {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column,
        end_column: column + needle.chars().count(),
        start,
        end: start + needle.len(),
    }
}

pub fn access(at: Location, mode: AccessMode, thread: i128, block: i128, index: &[i128]) -> AccessReport {
    AccessReport {
        at,
        mode,
        thread: [thread, 0, 0],
        block: [block, 0, 0],
        index: index.to_vec(),
        calls: vec![],
        locals: BTreeMap::new(),
    }
}

pub fn values(pairs: &[(&str, i128)]) -> BTreeMap<String, i128> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

pub fn finding(id: &str, array: &str, accesses: Vec<AccessReport>) -> Finding {
    Finding {
        id: id.to_owned(),
        kind: FindingKind::Race,
        class: FindingClass::Confirmed,
        array: array.to_owned(),
        level: Level::Block,
        accesses,
        witness: Witness {
            params: BTreeMap::new(),
            block_dim: [256, 1, 1],
            grid_dim: [1, 1, 1],
            values: BTreeMap::new(),
        },
        replay: None,
        reason: None,
        help: None,
    }
}

pub fn kernel(name: &str, line: usize, verdict: Verdict) -> KernelReport {
    KernelReport {
        name: name.to_owned(),
        path: "scan.cu".to_owned(),
        line,
        verdict,
        reasons: vec![],
        launch: symbolic(),
        limits: vec![],
        assumptions: vec![],
        findings: vec![],
        time_ms: 1.25,
        queries: 2,
        presolved: Default::default(),
    }
}

pub fn symbolic() -> Launch {
    Launch { block: [None; 3], grid: [None; 3], from: LaunchSource::Symbolic, open: [[false; 3]; 2] }
}

pub fn message(code: &'static str, text: &str, at: Option<Location>) -> Message {
    Message { code, text: text.to_owned(), at, help: None }
}

pub fn file(path: &str, text: &str, status: FileStatus) -> FileReport {
    FileReport { path: path.to_owned(), text: text.to_owned(), status, messages: vec![] }
}

pub fn report(kernels: Vec<KernelReport>) -> Report {
    Report {
        files: vec![file("scan.cu", SCAN, FileStatus::Ok)],
        kernels,
        messages: vec![],
        included: vec![],
        time_ms: 12.5,
    }
}

/// Two lines of one kernel race within a block, in a loop.
pub fn scan() -> KernelReport {
    let mut read = access(at("scan.cu", SCAN, "tile[t - d]", 0), AccessMode::Read, 1, 0, &[0]);
    read.locals = values(&[("d", 1)]);
    let write = access(at("scan.cu", SCAN, "tile[t]", 0), AccessMode::Write, 0, 0, &[0]);
    let mut race = finding("r-5d1c9e02", "tile", vec![write, read]);
    race.witness.params = values(&[("n", 2)]);
    race.help = Some("put `__syncthreads();` between line 6 and line 9".to_owned());
    let mut kernel = kernel("scan", 3, Verdict::Racy);
    kernel.launch = Launch {
        block: [Some(256), Some(1), Some(1)],
        grid: [None, Some(1), Some(1)],
        from: LaunchSource::LaunchSite,
        open: [[false; 3]; 2],
    };
    kernel.findings = vec![race];
    kernel
}

/// One statement races with itself across blocks: one value for all.
pub fn flag() -> KernelReport {
    let place = at("scan.cu", SCAN, "*found", 1);
    let one = access(place.clone(), AccessMode::Write, 0, 0, &[0]);
    let two = access(place, AccessMode::Write, 3, 1, &[0]);
    let mut race = finding("r-0b77aa31", "found", vec![one, two]);
    race.class = FindingClass::SameValue;
    race.replay = Some(Replay::Kernel(Ran::Blocks));
    race.level = Level::Grid;
    race.witness.grid_dim = [2, 1, 1];
    race.witness.params = values(&[("key", 7)]);
    race.witness.values = values(&[("in[0]", 7), ("in[3]", 7)]);
    let mut kernel = kernel("flag", 15, Verdict::SameValue);
    kernel.findings = vec![race];
    kernel
}

/// A thread returns before a barrier.
pub fn early() -> KernelReport {
    let waits = access(at("scan.cu", SCAN, "__syncthreads()", 1), AccessMode::Barrier, 0, 0, &[]);
    let leaves = access(at("scan.cu", SCAN, "return", 0), AccessMode::Barrier, 1, 0, &[]);
    let mut divergence = finding("d-91ee4410", "", vec![waits, leaves]);
    divergence.kind = FindingKind::Divergence;
    divergence.witness.params = values(&[("n", 1)]);
    let mut kernel = kernel("early", 20, Verdict::Racy);
    kernel.findings = vec![divergence];
    kernel
}

/// A possible race on a value that is not known, and a call that is not known.
pub fn gather() -> KernelReport {
    let place = at("scan.cu", SCAN, "out[idx[threadIdx.x]]", 0);
    let one = access(place.clone(), AccessMode::Write, 0, 0, &[0]);
    let two = access(place, AccessMode::Write, 32, 0, &[0]);
    let mut race = finding("r-77aa0c10", "out", vec![one, two]);
    race.class = FindingClass::Possible;
    race.reason = Some("the contents of `idx` are not known".to_owned());
    race.witness.values = values(&[("idx[0]", 0), ("idx[32]", 0)]);
    race.help =
        Some("if `idx` holds no value twice, say so: `__requires(__distinct_int(idx[threadIdx.x]))`".to_owned());
    let mut kernel = kernel("gather", 27, Verdict::Inconclusive);
    kernel.findings = vec![race];
    kernel.reasons = vec![
        Message {
            help: Some("define `helper` in this file, or name its folder with -I".to_owned()),
            ..message(
                "unknown-call",
                "`helper` is not defined here and may touch `out`",
                Some(at("scan.cu", SCAN, "helper(out)", 0)),
            )
        },
        message("solver-unknown", "the solver gave up on 1 query after 10 s", None),
    ];
    kernel.assumptions =
        vec!["`out`, `idx` and `in` do not overlap".to_owned(), "no index computation overflows".to_owned()];
    kernel
}

pub fn scale() -> KernelReport {
    let mut kernel = kernel("scale", 32, Verdict::RaceFree);
    kernel.assumptions = vec!["blockDim.y = blockDim.z = 1: the kernel reads neither".to_owned()];
    kernel
}

/// Accesses in two files, one through calls.
pub fn histogram() -> Report {
    let bin = at("bins.cuh", BINS, "bins[v]", 0);
    let call = at("histogram.cu", HISTOGRAM, "add(bins, data[threadIdx.x])", 0);
    let mut write = access(bin, AccessMode::Write, 3, 0, &[0]);
    write.calls = vec![call];
    let read = access(at("histogram.cu", HISTOGRAM, "bins[0]", 0), AccessMode::Read, 0, 0, &[0]);
    let mut race = finding("r-12345678", "bins", vec![write, read]);
    race.level = Level::Warp;
    race.witness.values = values(&[("data[3]", 0)]);
    let mut kernel = kernel("histogram", 2, Verdict::Racy);
    kernel.path = "histogram.cu".to_owned();
    kernel.findings = vec![race];
    Report {
        files: vec![file("histogram.cu", HISTOGRAM, FileStatus::Ok)],
        included: vec![IncludedFile { path: "bins.cuh".to_owned(), text: BINS.to_owned() }],
        ..report(vec![kernel])
    }
}

/// Every enum value and every optional field occurs here at least once.
pub fn everything() -> Report {
    let mut odd = kernel("odd<int, 4>", 0, Verdict::Rejected);
    odd.launch = Launch {
        block: [Some(16), Some(16), Some(1)],
        grid: [Some(i128::from(u32::MAX)), None, None],
        from: LaunchSource::Option,
        open: [[false; 3]; 2],
    };
    odd.reasons = vec![message(
        "recursion",
        "`walk` calls itself",
        Some(Location { path: "gone.cuh".to_owned(), line: 4, ..Location::default() }),
    )];
    let mut atomic = finding(
        "r-a70m1c00",
        "n",
        vec![
            access(at("scan.cu", SCAN, "out[t]", 0), AccessMode::Atomic, 0, 0, &[4, -1]),
            access(at("scan.cu", SCAN, "out[t]", 0), AccessMode::Read, 1, 0, &[4, i128::from(u64::MAX)]),
        ],
    );
    atomic.level = Level::Cluster;
    atomic.replay = Some(Replay::Protocol("it stops at: `curand`".to_owned()));
    let mut header = kernel("atomic", 1, Verdict::Racy);
    header.launch.from = LaunchSource::Header;
    header.findings = vec![atomic];
    let mut bounds = kernel("bounded", 1, Verdict::NoAccesses);
    bounds.launch.from = LaunchSource::LaunchBounds;
    bounds.launch.block[0] = Some(128);
    let vacuous = Message {
        help: Some("drop one of the assumptions".to_owned()),
        ..message("vacuous", "the assumptions contradict each other", None)
    };
    let mut contradictory = kernel("contradictory", 1, Verdict::Vacuous);
    contradictory.launch.from = LaunchSource::GroupSize;
    contradictory.reasons = vec![vacuous];
    let mut report = report(vec![scan(), flag(), early(), gather(), scale(), odd, header, bounds, contradictory]);
    report.kernels.extend(histogram().kernels);
    let mut partial = file("histogram.cu", HISTOGRAM, FileStatus::Partial);
    partial.messages = vec![message(
        "include-missing",
        "`bins.cuh` was not found",
        Some(at("histogram.cu", HISTOGRAM, "\"bins.cuh\"", 0)),
    )];
    let mut failed = file("latin1.cu", "", FileStatus::Failed);
    failed.messages = vec![message("not-text", "the file is not text: it has NUL bytes, and is not UTF-8", None)];
    report.files.extend([partial, failed]);
    report.included = histogram().included;
    report.messages = vec![message("no-kernels", "no kernel is named `foo`", None)];
    report
}
