//xfail:DATA_RACE
//--blockDim=256 --gridDim=8
// The barrier that ends the copy is not waited at.
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

__global__ void by_barrier(const int *in, int *out)
{
    __shared__ int tile[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    cg::thread_block group = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&filled, group.size());
    group.sync();
    cuda::memcpy_async(group, tile, in + blockIdx.x * 256, sizeof(int) * 256, filled);
    group.sync();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
