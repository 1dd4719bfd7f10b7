//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// One of the segments is off by one. Thread 63 writes a[128] (63 + 64 + 1) and thread 0 writes a[128] (0 + 2
// * 64). Source: [MAP] Fig. 17 accesses, one index shifted.

__global__ void accesses(int *a)
{
    int v = a[threadIdx.x + 7 * blockDim.x];
    a[threadIdx.x + 1 * blockDim.x + 1] = v;
    v = a[threadIdx.x + 3 * blockDim.x];
    a[threadIdx.x + 2 * blockDim.x] = v;
    v = a[threadIdx.x + 9 * blockDim.x];
    a[threadIdx.x + 3 * blockDim.x] = v;
    v = a[threadIdx.x + 2 * blockDim.x];
    a[threadIdx.x + 4 * blockDim.x] = v;
}
