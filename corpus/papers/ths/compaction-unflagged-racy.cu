//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The scatter is done by all threads, although only flagged elements have positions of their own. With
// data[0] = 9 and data[1] = 0, threads 0 and 1 both have position 0 and write out[0], with 9 and 0. Source:
// [THS] Fig. 4.3 without the flag test.

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
    out[idx[t] - 1] = data[t];
}
