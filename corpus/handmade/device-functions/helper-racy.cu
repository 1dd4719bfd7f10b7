//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The helper writes the next cell too. Thread 0 writes a[1] = 7 in the second statement and thread 1 writes
// a[1] = 1 in the first.

__device__ void store(int *p, int i, int v)
{
    p[i] = v;
    p[i + 1] = v + 7;
}

__global__ void uses_helper(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store(a, i, i);
}
