//xfail:DATA_RACE
//--blockDim=65 --gridDim=1
// The same code in a block of 65 threads, where the statement is live. Thread 64 writes a[0] = 64 and thread
// 0 writes a[0] = 0.

__global__ void dead_code(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 64)
        a[0] = threadIdx.x;
}
