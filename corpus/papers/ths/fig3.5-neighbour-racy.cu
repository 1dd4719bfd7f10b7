//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Add the right neighbour in place. Thread 0 reads a[1] and thread 1 writes a[1]. Source: [THS] Fig. 3.5.

__global__ void neighbour(int *a)
{
    a[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 1];
}
