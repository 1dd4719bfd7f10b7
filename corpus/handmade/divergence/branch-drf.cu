//pass
//--blockDim=64 --gridDim=4
// The barrier is in a branch that whole blocks take or leave. The condition reads the block number, which all
// threads of a block share.

__global__ void branch(int *a)
{
    if (blockIdx.x < 2) {
        a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
        __syncthreads();
    }
}
