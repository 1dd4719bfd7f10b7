// Each block has a chunk of symbolic size, which its threads go through. Deliberately without a header: the
// launch is symbolic. 0 <= i < size, so a cell determines the block and i, and i determines the thread.

__global__ void block_chunks(int *a, int size)
{
    __requires(gridDim.x <= 30000 && size <= 30000);
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        a[blockIdx.x * size + i] = i;
}
