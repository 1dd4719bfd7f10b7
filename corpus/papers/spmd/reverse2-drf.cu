//pass
//--blockDim=64 --gridDim=4
// Reversal through a shared array, so that global writes are coalesced. A barrier separates the write of
// loc[t] from the read of loc[T - 1 - t]; (C - 1 - b) * T + t is injective in (b, t) because t < T. Source:
// [SPMD] section 3, reverse2.

__global__ void reverse2(float *out, const float *in)
{
    __shared__ float loc[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    int k = blockDim.x - 1 - threadIdx.x;
    loc[threadIdx.x] = in[i];
    __syncthreads();
    out[j] = loc[k];
}
