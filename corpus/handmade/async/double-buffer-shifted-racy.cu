//xfail:DATA_RACE
//--blockDim=256 --gridDim=8
// The half that is read is the one that is filled.
#include <cuda_pipeline.h>

__global__ void sums(const float *in, float *out, int n)
{
    __shared__ float half[2][256];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&half[0][t], &in[t], sizeof(float));
    __pipeline_commit();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n)
            __pipeline_memcpy_async(&half[k % 2][t], &in[(k + 1) * 256 + t], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += half[k % 2][255 - t];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}
