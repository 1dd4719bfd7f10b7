//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Each thread chooses by a cell of its own, so neighbours may choose differently. With b[0] = 0 and b[1] = 1,
// thread 0 writes a[1] = 0 and thread 1 writes a[1] = 1. Source: [THS] Fig. 4.1b with a different cell for
// each thread.

__global__ void same_read(int *a, const int *b)
{
    int w = b[threadIdx.x] ? threadIdx.x : threadIdx.x + 1;
    a[w] = threadIdx.x;
}
