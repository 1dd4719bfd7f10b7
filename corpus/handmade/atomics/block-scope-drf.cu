//pass
//--blockDim=64 --gridDim=2
// A counter per block, increased with block scope. Two threads that touch the same counter are in the same
// block, which the scope covers.

__global__ void block_scope(int *count)
{
    atomicAdd_block(&count[blockIdx.x], 1);
}
