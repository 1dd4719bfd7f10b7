//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// The exchange with a barrier of the block, which does not wait for the other block of the cluster. The barrier of the
// cluster comes too late.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(int *a, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    __syncthreads();
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
    cluster.sync();
}
