//xfail:DATA_RACE
//--blockDim=32 --gridDim=8
// The exchange without its barrier.
__global__ void __cluster_dims__(2, 1, 1) exchange(int *a, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    out[i] = a[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
}
