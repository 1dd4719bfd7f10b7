// The second half of the work-efficient scan, for any size of the block. Deliberately without a header: the
// launch is symbolic. In a round cells at odd multiples of d, less one, are written, and the others read are at
// even ones.

__global__ void down_sweep(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    for (int d = B / 2; d > 0; d /= 2) {
        __syncthreads();
        int i = (t + 1) * d * 2 - 1;
        if (i + d < B)
            x[i + d] += x[i];
    }
    __syncthreads();
    out[t] = x[t];
}
