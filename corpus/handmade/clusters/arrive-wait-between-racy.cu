//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// What stands between the two halves is ordered with neither side: the read may come before the write of a block that has
// not arrived yet.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) halves(int *a, int *out, int *own)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cluster.barrier_arrive();
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
    cluster.barrier_wait();
    own[i] += 1;
}
