// The row length in the output index is one short. Deliberately without a header: the launch is symbolic.
// With gridDim.x = 2 and blockDim.x = 4, thread 3 of block 1 writes out[0 * 3 + 3] and thread 0 of block 0
// writes out[1 * 3 + 0]. Source: [SPMD] section 5, reverse2 with a block too few in the product.

__global__ void reverse2(float *out, const float *in)
{
    __requires(gridDim.x <= 65535);
    extern __shared__ float loc[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (gridDim.x - 1 - blockIdx.x) * (blockDim.x - 1) + threadIdx.x;
    int k = blockDim.x - 1 - threadIdx.x;
    loc[threadIdx.x] = in[i];
    __syncthreads();
    out[j] = loc[k];
}
