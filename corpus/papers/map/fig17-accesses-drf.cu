//pass
//--blockDim=64 --gridDim=1
// Reads and writes of many different segments, each at the thread's own position. Every index is threadIdx.x
// plus a multiple of blockDim.x, so its remainder modulo 64 names the thread. Source: [MAP] Fig. 17 accesses.

__global__ void accesses(int *a)
{
    int v = a[threadIdx.x + 7 * blockDim.x];
    a[threadIdx.x + 1 * blockDim.x] = v;
    v = a[threadIdx.x + 3 * blockDim.x];
    a[threadIdx.x + 2 * blockDim.x] = v;
    v = a[threadIdx.x + 9 * blockDim.x];
    a[threadIdx.x + 3 * blockDim.x] = v;
    v = a[threadIdx.x + 2 * blockDim.x];
    a[threadIdx.x + 4 * blockDim.x] = v;
}
