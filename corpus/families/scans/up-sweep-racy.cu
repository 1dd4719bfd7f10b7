// The first half of the work-efficient scan, for any size of the block. Deliberately without a header: the
// launch is symbolic. With B = 3, in the round with d = 1, thread 1 reads x[1], which thread 0 writes.

__global__ void up_sweep(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    for (int d = 1; d < B; d *= 2) {
        __syncthreads();
        int i = (t + 1) * d;
        if (i < B)
            x[i] += x[i - d];
    }
    __syncthreads();
    out[t] = x[t];
}
