//--blockDim=64 --gridDim=1
// A function without a body computes the index. The kernel is free of races exactly if mix is injective,
// which nobody can see.

__device__ int mix(int x);

__global__ void calls_index(int *a)
{
    a[mix(threadIdx.x)] = threadIdx.x;
}
