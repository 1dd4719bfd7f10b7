// An inclusive scan with a doubling distance, in place. Deliberately without a header: the launch is symbolic.
// In a round all read before the first barrier, and write their own cell after it.

__global__ void doubling(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int v = 0;
        if (t >= d)
            v = x[t - d];
        __syncthreads();
        x[t] += v;
        __syncthreads();
    }
    out[t] = x[t];
}
