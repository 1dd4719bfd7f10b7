//pass
//--blockDim=32 --gridDim=16
// The first block of each cluster writes the cell of its cluster; all blocks of the cluster read it after a barrier, and
// a second barrier stands before the next write.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) leader(int *cell, int *out, int n)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (int round = 0; round < n; round++) {
        if (cluster.block_rank() == 0 && threadIdx.x == 0)
            cell[blockIdx.x / 4] = round;
        cluster.sync();
        out[blockIdx.x * blockDim.x + threadIdx.x] = cell[blockIdx.x / 4];
        cluster.sync();
    }
}
