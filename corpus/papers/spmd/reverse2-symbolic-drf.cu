// reverse2 for every launch, with the shared array sized by the launch. Deliberately without a header: the
// launch is symbolic. As reverse2; the bound on the grid keeps the products within 32 bits, where they are
// exact. Source: [SPMD] section 5, non-interference of reverse2 for every C and T.

__global__ void reverse2(float *out, const float *in)
{
    __requires(gridDim.x <= 65535);
    extern __shared__ float loc[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    int k = blockDim.x - 1 - threadIdx.x;
    loc[threadIdx.x] = in[i];
    __syncthreads();
    out[j] = loc[k];
}
