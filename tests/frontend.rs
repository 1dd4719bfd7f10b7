//! From source text to inference: what is modelled, and that a mutant of it is not taken for the same.

use std::collections::BTreeMap;
use std::path::Path;

use faial_like::check::source::{KernelCode, SourceOptions, load};
use faial_like::core::{Mode, Print, Protocol};
use faial_like::exp::syntax::work_done;
use faial_like::kernel::infer::{Config, Inferred, Touches, infer};

/// The first kernel of a text, inferred for 64 threads in one block.
fn inferred(text: &str) -> Inferred {
    let file = load(Path::new("test.cu"), text.to_owned(), &SourceOptions::default());
    let kernel = file.kernels.first().expect("a kernel");
    let config = Config {
        block: [Some(64), Some(1), Some(1)],
        grid: [Some(1); 3],
        cluster: None,
        may_be_one: [[true; 3]; 2],
        unlaunched: false,
        params: BTreeMap::new(),
        warp_size: 32,
        lockstep: false,
        max_threads: 1024,
        any_hardware: false,
        large_grids: false,
        aliases: BTreeMap::new(),
        overlaps: BTreeMap::new(),
        steps: 1_000_000,
        settles: [true; 2],
        left_out: Default::default(),
    };
    let KernelCode::Cuda(lowered) = &kernel.code else { panic!("a kernel of CUDA") };
    infer(&lowered.program, lowered.kernel, &config)
}

/// The codes of the losses that touch memory.
fn losses(inferred: &Inferred) -> Vec<&'static str> {
    inferred.losses.iter().filter(|l| l.touches != Touches::Value).map(|l| l.code).collect()
}

/// The arrays that are written, one entry for each access in the code.
fn writes(inferred: &Inferred) -> Vec<String> {
    fn walk(p: &Protocol, out: &mut Vec<String>) {
        match p {
            Protocol::Skip | Protocol::Sync(_) => {}
            Protocol::Access(a) => {
                if !matches!(a.mode, Mode::Rd) {
                    out.push(a.array.to_string());
                }
            }
            Protocol::Seq(parts) => parts.iter().for_each(|q| walk(q, out)),
            Protocol::If(_, t, e) => {
                walk(t, out);
                walk(e, out);
            }
            Protocol::For(_, body) => walk(body, out),
        }
    }
    let mut out = Vec::new();
    walk(&inferred.kernel.code, &mut out);
    out.sort();
    out
}

#[test]
fn a_conversion_operator_gives_its_pointer() {
    let text = |body: &str| {
        format!(
            "template <class T> struct Pool {{ __device__ operator T *() {{ {body} }} }};
             __global__ void k() {{ int *p = Pool<int>(); p[threadIdx.x] = 1; }}"
        )
    };
    let known = inferred(&text("extern __shared__ int pool[]; return (T *)pool;"));
    assert_eq!((losses(&known), writes(&known)), (vec![], vec!["pool".to_owned()]));
    let mutant = inferred(&text("extern T *elsewhere(); return elsewhere();"));
    assert!(!losses(&mutant).is_empty());
}

#[test]
fn an_assumption_says_which_functions_a_pointer_may_be() {
    let text = |assumption: &str| {
        format!(
            "__device__ void left(int *a) {{ a[threadIdx.x] = 1; }}
             __device__ void right(int *a) {{ a[threadIdx.x + 64] = 1; }}
             typedef void (*action)(int *);
             __global__ void k(int *a, action f) {{ {assumption} (*f)(a); }}"
        )
    };
    let one = inferred(&text("__requires(f == left);"));
    assert_eq!((losses(&one), writes(&one).len()), (vec![], 1));
    let two = inferred(&text("__requires(f == left | f == right);"));
    assert_eq!((losses(&two), writes(&two).len()), (vec![], 2));
    let mutant = inferred(&text(""));
    assert_eq!(losses(&mutant), ["unknown-call"]);
    let about_both = inferred(&text("__requires(f == left | a == 0);"));
    assert_eq!(losses(&about_both), ["unknown-call"]);
}

#[test]
fn a_null_function_is_never_called() {
    let text = |other: &str| {
        format!(
            "__device__ void left(int *a) {{ a[threadIdx.x] = 1; }}
             typedef void (*action)(int *);
             __global__ void k(int *a, action g, int n) {{
                 action f; if (n == 1) f = left; else f = {other}; f(a); }}"
        )
    };
    let null = inferred(&text("NULL"));
    assert_eq!((losses(&null), writes(&null).len()), (vec![], 1));
    assert_eq!(losses(&inferred(&text("g"))), ["unknown-call"]);
}

#[test]
fn a_forward_goto_skips_and_comes_back_at_its_label() {
    let text = |place: &str| {
        format!(
            "__global__ void k(int *a, int *b, int *c, int n) {{
                 for (int i = 0; i < n; i++) {{
                     while (c[i]) {{ if (c[i + 1]) goto done; {place} }}
                     a[threadIdx.x] = 1;
                     done:
                     b[threadIdx.x] = 1;
                 }} }}"
        )
    };
    let forward = inferred(&text(""));
    assert_eq!((losses(&forward), writes(&forward)), (vec![], vec!["a".to_owned(), "b".to_owned()]));
    let back = inferred(&text("again: c++; if (c[i]) goto again;"));
    assert_eq!((losses(&back), writes(&back)), (vec![], vec!["a".to_owned(), "b".to_owned()]));
    let inside = inferred(&text("if (n == 3) goto again; while (c[n]) { again: c++; }"));
    assert!(losses(&inside).contains(&"unknown-construct"));
}

#[test]
fn a_surface_is_written_like_an_array() {
    let text = |surface: &str| {
        format!(
            "surface<void, 2> image;
             __global__ void k(cudaSurfaceObject_t given, cudaSurfaceObject_t *table) {{
                 surf2Dwrite(1.0f, {surface}, threadIdx.x * 4, 0); }}"
        )
    };
    for (surface, array) in [("image", "image"), ("given", "given.surface")] {
        let known = inferred(&text(surface));
        assert_eq!((losses(&known), writes(&known)), (vec![], vec![array.to_owned()]));
    }
    assert_eq!(losses(&inferred(&text("table[threadIdx.x]"))), ["unknown-pointer"]);
}

#[test]
fn an_object_is_constructed_from_a_global_by_its_constructor() {
    let text = |constructor: &str| {
        format!(
            "struct Box {{ int v; {constructor} }};
             __constant__ int size;
             __device__ int log[64];
             __global__ void k(int *a) {{ Box box(size); a[threadIdx.x] = box.v; }}"
        )
    };
    let effect = inferred(&text("__device__ Box(int n) { v = n; log[0] = 1; }"));
    assert_eq!((losses(&effect), writes(&effect)), (vec![], vec!["a".to_owned(), "log".to_owned()]));
    let undefined = inferred(&text("template <class U, class V> __device__ Box(U u, V v);"));
    assert!(!losses(&undefined).is_empty());
}

#[test]
fn many_early_returns_end_soon() {
    let checks: String = (0..60).map(|i| format!("if (x * x > y) return {i}; y = x + y; x = y * y;")).collect();
    let text = format!(
        "__device__ int steps(float x, float y, int n) {{ do {{ {checks} }} while (n-- > 0); return 0; }}
         __global__ void k(int *a, float x, float y, int n) {{
             while (1) {{ if (a[n] > 3) break; a[threadIdx.x] = steps(x, y, n); }} }}"
    );
    let started = std::time::Instant::now();
    let found = inferred(&text);
    assert_eq!(writes(&found), ["a"]);
    assert!(started.elapsed().as_secs() < 20);
}

/// However a text is built, what is done for a kernel has a bound, and what is given up for it is said.
#[test]
fn the_work_for_a_kernel_has_a_bound() {
    let nest = format!("{} a[threadIdx.x] = 1; {}", "do {".repeat(32), "} while (n--);".repeat(32));
    let steps = "z = (z & m) << 3 ^ ((z << 2 ^ z) >> 5) ^ a[z];".repeat(40);
    let doubling = format!("unsigned z = a[0], m = n; for (int i = 0; i < n; i++) {{ {steps} }} a[z % 64] = 1;");
    for body in [nest, doubling] {
        let before = work_done();
        let found = inferred(&format!("__global__ void k(int *a, int n) {{ {body} }}"));
        let work = work_done() - before;
        assert!(work < 6_000_000, "{work} terms");
        let abandoned = losses(&found).contains(&"too-large");
        assert!(abandoned || writes(&found) == ["a"], "{:?}", found.losses);
    }
}

/// What `printf` and `assert` read is read by the program.
#[test]
fn arguments_of_printf_and_assert_are_accesses() {
    let reads = |body: &str| {
        let text = format!("__global__ void k(int *a) {{ {body} }}");
        Print::text(&inferred(&text).kernel.code).matches("rd a").count()
    };
    assert_eq!(reads("printf(\"%d\", a[threadIdx.x + 1]);"), 1);
    assert_eq!(reads("assert(a[threadIdx.x + 1] == 0);"), 1);
    // An annotation is not executed.
    assert_eq!(reads("__requires(a[threadIdx.x + 1] == 0);"), 0);
}
