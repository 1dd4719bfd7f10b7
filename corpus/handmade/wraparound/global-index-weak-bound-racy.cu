//xfail:DATA_RACE
//--blockDim=1024 --gridDim=16777216
// The 32-bit global index with a bound on the grid that is too weak. Block 0 and block 4194304 (2^22) both compute
// i = 0 in thread 0 and write a[0], with different block numbers.

__global__ void global_index(int *a)
{
    __requires(gridDim.x <= 16777216);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = blockIdx.x;
}
