// Neighbours at a doubling distance are added by the threads that are divisible. Deliberately without a header:
// the launch is symbolic. In a round the cells written are even multiples of s and the others read odd ones; the
// barrier parts the rounds.

__global__ void neighbours(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    __syncthreads();
    for (int s = 1; s < B; s *= 2) {
        if (t % (2 * s) == 0 && t + s < B)
            x[t] += x[t + s];
        __syncthreads();
    }
    if (t == 0)
        *out = x[0];
}
