//--blockDim=64 --gridDim=1
// One kernel jumps into a loop with goto; the other one is plain.

__global__ void uses_goto(int *a, int n)
{
    int i = threadIdx.x;
    if (n > 1000)
        goto inside;
    while (i < n) {
        a[i] = threadIdx.x;
    inside:
        i += 64;
    }
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
