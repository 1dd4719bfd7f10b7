//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The broadcast without its barrier. Thread 0 writes base and thread 1 of the same block reads it.

__global__ void broadcast(int *a, const int *b)
{
    __shared__ int base;
    if (threadIdx.x == 0)
        base = b[blockIdx.x];
    a[blockIdx.x * blockDim.x + threadIdx.x] = base;
}
