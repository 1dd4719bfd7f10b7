//pass
//--blockDim=64 --gridDim=2
// The store is in a device function that gets the array as a pointer. The helper writes one cell, at the
// global index of the thread.

__device__ void store(int *p, int i, int v)
{
    p[i] = v;
}

__global__ void uses_helper(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store(a, i, i);
}
