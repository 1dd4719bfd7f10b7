//pass
//--blockDim=32 --gridDim=8
// The two halves of a barrier, with work on other cells in between.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) halves(int *a, int *out, int *own)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cluster.barrier_arrive();
    own[i] += 1;
    cluster.barrier_wait();
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
}
