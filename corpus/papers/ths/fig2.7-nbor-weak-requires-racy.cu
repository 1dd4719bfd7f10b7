//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The distance may be half of the length, so some neighbours are in range. With n = 64 and i = 32, thread 0
// reads a[32] and thread 32 writes a[32]. Source: [THS] Fig. 2.7 with a precondition that is too weak.

__global__ void nbor(int *a, unsigned i, unsigned n)
{
    __requires(i == 0 || i >= n / 2);
    __requires(i <= 1000000);
    int v = 0;
    if (threadIdx.x + i < n)
        v = a[threadIdx.x + i];
    int w = a[threadIdx.x];
    a[threadIdx.x] = v + w;
}
