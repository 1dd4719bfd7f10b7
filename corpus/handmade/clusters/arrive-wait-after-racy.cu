//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// A write between the two halves is not ordered with a read after the barrier: the other block may wait for the arrival
// only.
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) halves(int *a, int *out, int *own)
{
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[i] += 1;
    cluster.barrier_arrive();
    a[i] = i;
    cluster.barrier_wait();
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
}
