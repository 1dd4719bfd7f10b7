//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// One result for all blocks. Thread 0 of block 0 and thread 0 of block 1 write out[0], with 1 and 2.

__global__ void block_result(int *out)
{
    if (threadIdx.x == 0)
        out[0] = blockIdx.x + 1;
}
