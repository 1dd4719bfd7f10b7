//pass
//--blockDim=32 --gridDim=64
// No attribute: clusters of any size that divides the grid. Each writes one cell, by its number.
namespace cg = cooperative_groups;

__global__ void any_size(int *cell, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        cell[blockIdx.x - cluster.block_rank()] = 1;
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = cell[blockIdx.x - cluster.block_rank()];
}
