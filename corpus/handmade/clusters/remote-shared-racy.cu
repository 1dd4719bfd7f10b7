//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// The shared memory of another block of the cluster, read without a barrier; it is not modelled.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) remote(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x;
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
