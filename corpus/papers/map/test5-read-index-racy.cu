//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The index of the last write was read from the array itself, and each thread wrote its own id there before.
// Thread 0 reads back 0 and writes a[1] = 0, while thread 1 writes a[1] = 1. Source: [MAP] Fig. 16 (left),
// Table 1 test 5.

__global__ void read_index(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    int x = a[threadIdx.x];
    a[x + 1] = 0;
}
