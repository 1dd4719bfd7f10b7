//! Large sources, each of one kind, for the speed of the front end.

/// Name and text of each; all have about 20,000 lines.
pub fn sources() -> Vec<(&'static str, String)> {
    vec![
        ("helpers and kernels", repeated(800, helper)),
        ("templates", repeated(1100, template)),
        ("macros", macros(9_500)),
        ("one long function", long_function(10_000)),
        ("launches", launches(1_600)),
    ]
}

fn repeated(times: usize, part: impl Fn(usize) -> String) -> String {
    (0..times).map(part).collect()
}

fn helper(i: usize) -> String {
    format!(
        "
/* Of every helper there is one kernel that calls it,
   with a comment of two lines. */
__device__ __forceinline__ int helper{i}(int x, const int *table, int n)
{{
    int y = x * {i} + 7;
    for (int j = 0; j < n; ++j) {{
        if (table[j] > y) y += table[j];
        else y -= j & 3;
    }}
    return y;
}}

__global__ void kernel{i}(float *out, const float *in, const int *table, int n)
{{
    __shared__ float tile[256];
    int tid = threadIdx.x;
    int gid = blockIdx.x * blockDim.x + tid;
    if (gid < n) tile[tid] = in[gid];
    __syncthreads();
    int v = helper{i}(tid, table, n);
    if (gid < n && v > 0)
        out[gid] = tile[tid] * (float)v + tile[(tid + 1) % 256];
}}
"
    )
}

fn template(i: usize) -> String {
    format!(
        "
template <typename T, int N> struct Op{i} {{
    T data[N];
    __device__ T get(int j) const {{ return data[j] + T({i}); }}
    __device__ static T apply(T a, T b) {{ return a < b ? a : b; }}
}};
template <typename T, int N> __device__ T fold{i}(const T *p, int n) {{
    T r = T(0);
    for (int j = 0; j < N && j < n; ++j) r = Op{i}<T, N>::apply(r, p[j]);
    return r;
}}
template <typename T> __global__ void kernel{i}(T *out, const T *in, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fold{i}<T, 4>(in, n);
}}
template __global__ void kernel{i}<int>(int *, const int *, int);
void launch{i}(int *o, const int *i, int n) {{ kernel{i}<float><<<n / 256 + 1, 256>>>(o, i, n); }}
"
    )
}

fn macros(n: usize) -> String {
    let definitions = repeated(n, |i| format!("#define M{i}(x, y) ((x) * {i} + (y) - BASE({i}))\n"));
    let uses = repeated(n, |i| format!("    s += M{i}(i, M{}(n, {i})) + JOIN({i}, u);\n", i * 7 % n));
    format!(
        "#define BASE(k) ((k) << 1)\n#define JOIN(a, b) a##b\n{definitions}
__global__ void kernel(int *a, int n)\n{{\n    int i = threadIdx.x;\n    unsigned s = 0;\n{uses}    a[i] = s;\n}}\n"
    )
}

fn long_function(n: usize) -> String {
    let body = repeated(n, |i| {
        format!("    int t{i} = a[i + {i}] * 3 + s;\n    if (t{i} < n) {{ s += t{i}; }} else {{ s -= {i}; }}\n")
    });
    format!(
        "__global__ void kernel(int *a, int *b, int n)\n{{\n    int i = threadIdx.x, s = 0;\n{body}    b[i] = s;\n}}\n"
    )
}

fn launches(n: usize) -> String {
    repeated(n, |i| {
        format!(
            "
__global__ void kernel{i}(int *a, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && n > ({i})) a[i] = i;
}}

void launch{i}(int *a, int n)
{{
    dim3 block(128), grid((n + 127) / 128);
    if (n > {i}) kernel{i}<<<grid, block>>>(a, n);
}}
"
        )
    })
}
