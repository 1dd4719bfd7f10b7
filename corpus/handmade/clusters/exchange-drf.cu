//pass
//--blockDim=32 --gridDim=8
// Pairs of blocks form clusters; each thread reads what its counterpart in the other block of the pair wrote, and the
// barrier of the cluster stands between.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(int *a, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cluster.sync();
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
}
