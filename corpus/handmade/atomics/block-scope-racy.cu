//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// A counter shared by all blocks, increased with block scope. Thread 0 of block 0 and thread 0 of block 1
// access count[0]; the scope of atomicAdd_block does not cover both.

__global__ void block_scope(int *count)
{
    atomicAdd_block(&count[0], 1);
}
