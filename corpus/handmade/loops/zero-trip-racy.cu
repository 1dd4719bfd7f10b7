//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The only barrier is in a loop that may not run. With n = 0 no barrier is executed: thread 0 reads a[1] and
// thread 1 writes a[1].

__global__ void zero_trip(int *a, int *b, int n)
{
    a[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < n; i++)
        __syncthreads();
    b[threadIdx.x] = a[threadIdx.x + 1];
}
