//--blockDim=64 --gridDim=1
// One kernel hands its array to a function without a body; the other one is plain.

__device__ void elsewhere(int *p);

__global__ void calls_elsewhere(int *a)
{
    elsewhere(a);
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
