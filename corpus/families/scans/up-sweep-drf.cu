// The first half of the work-efficient scan, for any size of the block. Deliberately without a header: the
// launch is symbolic. In a round cells at even multiples of d, less one, are written, and the others read are at
// odd ones.

__global__ void up_sweep(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    for (int d = 1; d < B; d *= 2) {
        __syncthreads();
        int i = (t + 1) * d * 2 - 1;
        if (i < B)
            x[i] += x[i - d];
    }
    __syncthreads();
    out[t] = x[t];
}
