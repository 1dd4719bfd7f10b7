//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The pointer is bumped by one. With n = 2, thread 0 writes a[1] in its second iteration and thread 1 writes
// a[1] in its first.

__global__ void increment(int *a, int n)
{
    __requires(n <= 1000000);
    int *p = a + threadIdx.x;
    for (int k = 0; k < n; k++)
        *p++ = threadIdx.x;
}
