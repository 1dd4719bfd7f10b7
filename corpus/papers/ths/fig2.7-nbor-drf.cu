//pass
//--blockDim=64 --gridDim=1
// The reads come before the barrier and the write after it. The second phase only writes a[threadIdx.x].
// Source: [THS] Fig. 2.7 with the barrier that its comment asks for.

__global__ void nbor(int *a, unsigned i, unsigned n)
{
    int v = 0;
    if (threadIdx.x + i < n)
        v = a[threadIdx.x + i];
    int w = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = v + w;
}
