//pass
//--blockDim=256 --gridDim=8
// Each thread copies one cell in the background, waits for it, and reads that of another thread after the barrier.
#include <cuda_pipeline.h>

__global__ void reverse_tile(const float *in, float *out)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 256 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + t] = tile[255 - t];
}
