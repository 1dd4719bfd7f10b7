//xfail:DATA_RACE
//--blockDim=32 --gridDim=16
// Two clusters share a cell: the barrier of one does not wait for the other.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) leader(int *cell, int *out, int n)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (int round = 0; round < n; round++) {
        if (cluster.block_rank() == 0 && threadIdx.x == 0)
            cell[blockIdx.x / 8] = round;
        cluster.sync();
        out[blockIdx.x * blockDim.x + threadIdx.x] = cell[blockIdx.x / 8];
        cluster.sync();
    }
}
