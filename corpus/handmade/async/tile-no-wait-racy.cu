//xfail:DATA_RACE
//--blockDim=256 --gridDim=8
// The wait is dropped: a barrier does not complete copies.
#include <cuda_pipeline.h>

__global__ void reverse_tile(const float *in, float *out)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 256 + t], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    out[blockIdx.x * 256 + t] = tile[255 - t];
}
