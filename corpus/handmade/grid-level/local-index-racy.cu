//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The index forgets the block. Inside a block all is well. Thread 0 of block 0 and thread 0 of block 1 write
// a[0], with 0 and 1.

__global__ void local_index(int *a)
{
    a[threadIdx.x] = blockIdx.x;
}
