//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The function at the bottom has no barrier, only a fence. Thread 0 reads s[63] while thread 63 writes s[63];
// a fence orders one thread's own accesses and waits for nobody.

__device__ void meet()
{
    __threadfence_block();
}

__device__ void fill(int *s, const int *a)
{
    s[threadIdx.x] = a[threadIdx.x];
    meet();
}

__device__ void turn(int *s, int *a)
{
    fill(s, a);
    a[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void levels(int *a)
{
    __shared__ int s[64];
    turn(s, a);
}
