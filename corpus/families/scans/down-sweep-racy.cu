// The second half of the work-efficient scan, for any size of the block. Deliberately without a header: the
// launch is symbolic. With B = 8, thread 0 writes x[5] in the round with d = 2, and thread 2 reads it in the
// round with d = 1.

__global__ void down_sweep(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    for (int d = B / 2; d > 0; d /= 2) {
        int i = (t + 1) * d * 2 - 1;
        if (i + d < B)
            x[i + d] += x[i];
    }
    __syncthreads();
    out[t] = x[t];
}
