//xfail:DATA_RACE
//--blockDim=256 --gridDim=8
// The wait leaves the only batch.
#include <cstdint>

__device__ void copy16(void *to, const void *from)
{
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}

__global__ void by_instruction(const float *in, float *out)
{
    __shared__ float tile[1024];
    int t = threadIdx.x;
    copy16(&tile[t * 4], in + blockIdx.x * 1024 + t * 4);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    out[blockIdx.x * 256 + t] = tile[1023 - t];
}
