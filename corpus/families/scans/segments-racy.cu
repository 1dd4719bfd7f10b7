// A scan within segments of a symbolic size W. Deliberately without a header: the launch is symbolic. With B = W
// = 2, thread 1 reads x[0], which thread 0 writes.

__global__ void segments(const int *in, int *out, int W)
{
    __requires(1 <= W && W <= 1024);
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    __syncthreads();
    for (int d = 1; d < W; d *= 2) {
        int v = 0;
        if (t % W >= d)
            v = x[t - d];
        x[t] += v;
        __syncthreads();
    }
    out[t] = x[t];
}
