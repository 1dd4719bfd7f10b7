// The linear id of a thread in a grid of blocks of two dimensions: products of four symbols. Deliberately
// without a header: the launch is symbolic. The id of a thread in its block is below the size of the block, and
// blockIdx.x < gridDim.x.

__global__ void grid(int *a)
{
    __requires(gridDim.x <= 1000 && gridDim.y <= 1000);
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    a[block * (blockDim.x * blockDim.y) + thread] = threadIdx.y;
}
