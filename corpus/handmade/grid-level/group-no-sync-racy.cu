//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The group is made, but its sync is never called. Thread 0 of block 0 reads a[63] and thread 63 of block 0
// writes a[63].

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void block_wide(int *a, int *b)
{
    cg::thread_block block = cg::this_thread_block();
    int base = blockIdx.x * blockDim.x;
    a[base + threadIdx.x] = threadIdx.x;
    (void)block;
    b[base + threadIdx.x] = a[base + 63 - threadIdx.x];
}
