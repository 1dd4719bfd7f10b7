//xfail:BARRIER_DIVERGENCE
//--blockDim=32 --gridDim=8
// Blocks 2 and 3 are in one cluster, and only block 2 comes to the barrier.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) first_three(int *a)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x < 3) {
        a[i] = i;
        cluster.sync();
    }
}
