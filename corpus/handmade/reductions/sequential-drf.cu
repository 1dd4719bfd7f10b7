//pass
//--blockDim=64 --gridDim=2
// The standard tree reduction in shared memory with a halving stride. In a round threads below s write cells
// below s and read cells s .. 2s - 1; a barrier ends each round.

__global__ void reduce(int *out, const int *in)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
