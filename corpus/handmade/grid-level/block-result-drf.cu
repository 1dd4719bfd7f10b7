//pass
//--blockDim=64 --gridDim=4
// One result per block. Only thread 0 of each block writes, to the cell of its block.

__global__ void block_result(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = blockIdx.x + 1;
}
