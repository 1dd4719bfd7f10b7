// The linear id of a thread in a grid of blocks of two dimensions: products of four symbols. Deliberately
// without a header: the launch is symbolic. With blockDim = (1,2), thread (0,1) of block 0 writes a[1] = 1 and
// thread (0,0) of block 1 writes a[1] = 0.

__global__ void grid(int *a)
{
    __requires(gridDim.x <= 1000 && gridDim.y <= 1000);
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    a[block * blockDim.x + thread] = threadIdx.y;
}
