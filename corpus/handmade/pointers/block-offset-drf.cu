//pass
//--blockDim=64 --gridDim=4
// A pointer moved to the part of the array that belongs to the block. Block b uses cells 64 * b .. 64 * b +
// 63.

__global__ void block_offset(int *a)
{
    int *mine = a + blockIdx.x * 64;
    mine[threadIdx.x] = threadIdx.x;
}
