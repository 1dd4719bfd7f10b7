// Each row of a block of two dimensions is reduced by itself. Deliberately without a header: the launch is
// symbolic. With B = 2, in the round with s = 1, thread (1,0) writes x[1], which thread (0,0) reads.

__global__ void rows(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x, row = threadIdx.y * B;
    x[row + t] = in[row + t];
    __syncthreads();
    for (int s = B / 2; s > 0; s /= 2) {
        if (t < B)
            x[row + t] += x[row + t + s];
        __syncthreads();
    }
    if (t == 0)
        out[threadIdx.y] = x[row];
}
