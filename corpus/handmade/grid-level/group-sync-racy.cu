//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The same kernel with a barrier of the block only. Thread 0 of block 0 reads a[127] and thread 63 of block 1
// writes a[127].

#include <cooperative_groups.h>

__global__ void grid_wide(int *a, int *b)
{
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    block.sync();
    b[i] = a[127 - i];
}
