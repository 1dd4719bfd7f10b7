//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Each thread reads a cell at a distance, then its own cell, and overwrites its own cell. With idx = 1,
// thread 0 reads a[1] and thread 1 writes a[1]. Source: [SLD] the running example.

__global__ void foo(int *a, unsigned idx)
{
    int x = a[threadIdx.x + idx];
    int y = a[threadIdx.x];
    a[threadIdx.x] = x + y;
}
