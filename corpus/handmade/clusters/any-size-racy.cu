//xfail:DATA_RACE
//--blockDim=32 --gridDim=64
// Clusters may have one block: then its neighbour is in another cluster.
namespace cg = cooperative_groups;

__global__ void any_size(int *cell, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        cell[blockIdx.x] = blockIdx.x;
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = cell[blockIdx.x ^ 1];
}
