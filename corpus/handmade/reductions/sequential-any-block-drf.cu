// The tree reduction for every size of block, also odd ones (where it computes a wrong sum, without a race).
// Deliberately without a header: the launch is symbolic. Writes go to cells below d and reads of others to
// cells d .. 2d - 1, whatever d is.

__global__ void reduce(int *out, const int *in)
{
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[0] = s[0];
}
