//xfail:DATA_RACE
//--blockDim=256 --gridDim=8
// The wait leaves three batches.
#include <cuda_pipeline.h>

__global__ void stages(const float *in, float *out, int n)
{
    __shared__ float ring[4][256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        __pipeline_memcpy_async(&ring[k][t], &in[k * 256 + t], sizeof(float));
        __pipeline_commit();
    }
    for (int k = 0; k < n; k++) {
        __pipeline_wait_prior(3);
        __syncthreads();
        sum += ring[k % 4][255 - t];
        __pipeline_memcpy_async(&ring[(k + 3) % 4][t], &in[(k + 3) * 256 + t], sizeof(float));
        __pipeline_commit();
    }
    out[blockIdx.x * 256 + t] = sum;
}
