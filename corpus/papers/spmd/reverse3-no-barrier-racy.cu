//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// reverse2 without its barrier, which the paper shows to be interfering. Thread 0 writes loc[0] and thread 63
// of the same block reads loc[0]. Source: [SPMD] section 5, the third reversal (F3).

__global__ void reverse3(float *out, const float *in)
{
    __shared__ float loc[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    int k = blockDim.x - 1 - threadIdx.x;
    loc[threadIdx.x] = in[i];
    out[j] = loc[k];
}
