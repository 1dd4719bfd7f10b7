//--blockDim=64 --gridDim=1
// One kernel calls a function that calls itself; the other one is plain.

__device__ void descend(int *p, int depth)
{
    p[threadIdx.x] = depth;
    if (depth > 0)
        descend(p, depth - 1);
}

__global__ void recursive(int *a, int depth)
{
    descend(a, depth);
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
