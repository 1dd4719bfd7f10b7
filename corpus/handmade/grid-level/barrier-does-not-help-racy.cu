//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// Block 0 produces, block 1 consumes, with a block barrier in between. Thread 0 of block 0 writes a[0] and
// thread 0 of block 1 reads a[0]; __syncthreads orders no two blocks.

__global__ void hand_over(int *a, int *b)
{
    if (blockIdx.x == 0)
        a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (blockIdx.x == 1)
        b[threadIdx.x] = a[threadIdx.x];
}
