//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// The parts overlap by half. Thread 32 of block 0 writes a[32] and thread 0 of block 1 writes a[32], with 32
// and 0.

__global__ void block_offset(int *a)
{
    int *mine = a + blockIdx.x * 32;
    mine[threadIdx.x] = threadIdx.x;
}
