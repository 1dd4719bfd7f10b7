//xfail:DATA_RACE
//--blockDim=32 --gridDim=16
// The leader without the second barrier: it writes for the next round while others still read.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) leader(int *cell, int *out, int n)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (int round = 0; round < n; round++) {
        if (cluster.block_rank() == 0 && threadIdx.x == 0)
            cell[blockIdx.x / 4] = round;
        cluster.sync();
        out[blockIdx.x * blockDim.x + threadIdx.x] = cell[blockIdx.x / 4];
    }
}
