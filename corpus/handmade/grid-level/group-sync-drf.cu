//pass
//--blockDim=64 --gridDim=2
// A block barrier by way of cooperative groups, used inside the block. block.sync() is __syncthreads(); each
// block mirrors its own 64 cells.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void block_wide(int *a, int *b)
{
    cg::thread_block block = cg::this_thread_block();
    int base = blockIdx.x * blockDim.x;
    a[base + threadIdx.x] = threadIdx.x;
    block.sync();
    b[base + threadIdx.x] = a[base + 63 - threadIdx.x];
}
