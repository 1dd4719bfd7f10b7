//pass
//--blockDim=32 --gridDim=8
// The shared memory of another block of the cluster, which is not modelled. The kernel is race-free.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) remote(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
