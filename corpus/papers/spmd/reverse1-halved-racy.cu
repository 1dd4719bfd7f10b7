//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// The target index is no longer injective. Threads 0 and 1 of block 0 both write out[m - 1], with in[0] and
// in[1]. Source: [SPMD] section 3, reverse1, index halved.

__global__ void reverse1(float *out, const float *in, int m)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    out[m - 1 - i / 2] = in[i];
}
