//xfail:DATA_RACE
//--blockDim=256 --gridDim=1
// The barrier after the reads is dropped.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void by_group(const int *in, int *out, int n)
{
    __shared__ int tile[256];
    cg::thread_block group = cg::this_thread_block();
    for (int k = 0; k < n; k++) {
        cg::memcpy_async(group, tile, in + k * 256, sizeof(int) * 256);
        cg::wait(group);
        out[(blockIdx.x * n + k) * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    }
}
