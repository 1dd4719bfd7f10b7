//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Each thread adds the i-th neighbour to its own cell; the barrier before the write is missing. With i = 1
// and n = 64, thread 0 reads a[1] and thread 1 writes a[1]. Source: [THS] Fig. 2.7.

__global__ void nbor(int *a, unsigned i, unsigned n)
{
    int v = 0;
    if (threadIdx.x + i < n)
        v = a[threadIdx.x + i];
    int w = a[threadIdx.x];
    a[threadIdx.x] = v + w;
}
