//pass
//--blockDim=64 --gridDim=2
// A cooperative launch: a grid barrier between producing and consuming across blocks. grid.sync() orders all
// threads of the grid, so the writes and the mirrored reads of a are in different phases at every level.

#include <cooperative_groups.h>

__global__ void grid_wide(int *a, int *b)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    grid.sync();
    b[i] = a[127 - i];
}
