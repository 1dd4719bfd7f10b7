// Each block has a chunk of symbolic size, which its threads go through. Deliberately without a header: the
// launch is symbolic. With size = 1 and blockDim.x = 2, thread 1 of block 0 writes a[1] = 1 and thread 0 of
// block 1 writes a[1] = 0.

__global__ void block_chunks(int *a, int size)
{
    __requires(gridDim.x <= 30000 && size <= 30000);
    for (int i = threadIdx.x; i <= size; i += blockDim.x)
        a[blockIdx.x * size + i] = i;
}
