//pass
//--blockDim=32 --gridDim=8
// Only the first cluster exchanges; the condition is the same for all blocks of a cluster.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) first_pair(int *a, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x < 2) {
        a[i] = i;
        cluster.sync();
        out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
    }
}
