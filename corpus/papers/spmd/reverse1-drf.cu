//pass
//--blockDim=64 --gridDim=4
// Naive reversal from one array into another, one element per thread. The global index i is injective over
// the grid, and so is m - 1 - i; in is only read. Source: [SPMD] section 3, reverse1.

__global__ void reverse1(float *out, const float *in, int m)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    out[m - 1 - i] = in[i];
}
