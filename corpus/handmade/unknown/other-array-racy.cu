//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// A function without a body gets one array, and another array races regardless. Thread 0 reads a[1] and
// thread 1 writes a[1]; b, which the unknown function may touch, stays inconclusive.

__device__ void touch(int *p, int i);

__global__ void calls_other(int *a, int *b)
{
    touch(b, threadIdx.x);
    a[threadIdx.x] = a[threadIdx.x + 1];
}
