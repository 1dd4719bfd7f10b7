//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// The exchange with a block of another cluster: blocks 1 and 2 are not in one cluster of two.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(int *a, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cluster.sync();
    out[i] = a[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
}
