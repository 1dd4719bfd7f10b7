//--blockDim=64 --gridDim=1
// One kernel jumps backwards with goto; the other one is plain.

__global__ void uses_goto(int *a, int n)
{
    int i = threadIdx.x;
again:
    a[i] = threadIdx.x;
    i += 64;
    if (i < n)
        goto again;
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
