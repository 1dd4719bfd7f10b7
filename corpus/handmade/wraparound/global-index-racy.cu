//xfail:DATA_RACE
//--blockDim=1024 --gridDim=8388608
// The 32-bit global index over a grid that is too large for it.
// Hardware allows grids for which the index wraps around: block 0 and block 4194304
// (2^22) both compute i = 0 in thread 0 and write a[0], with different block numbers.

__global__ void global_index(int *a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = blockIdx.x;
}
