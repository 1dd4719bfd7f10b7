//pass
//--blockDim=64 --gridDim=1
// Stream compaction: flag the wanted elements, scan the flags, scatter by the scanned positions. The scan
// makes positions of flagged elements pairwise distinct, so the scatter is injective. This needs a fact about
// array contents, not only about indices. Source: [THS] Fig. 4.3.

__global__ void compact(int *out, const int *data)
{
    __shared__ int flag[64];
    __shared__ int idx[64];
    int t = threadIdx.x;
    flag[t] = data[t] > 3 ? 1 : 0;
    idx[t] = flag[t];
    __syncthreads();
    for (int o = 1; o < 64; o *= 2) {
        int temp = 0;
        if (t >= o)
            temp = idx[t - o];
        __syncthreads();
        if (t >= o)
            idx[t] = temp + idx[t];
        __syncthreads();
    }
    if (flag[t])
        out[idx[t] - 1] = data[t];
}
