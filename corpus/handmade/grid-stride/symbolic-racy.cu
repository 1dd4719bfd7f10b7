// The stride leaves out one block. Deliberately without a header: the launch is symbolic. With blockDim.x =
// 1, gridDim.x = 3 and n = 3, block 0 writes a[0] and a[2] (stride 2) and block 2 writes a[2], with values
// that depend on the block.

__global__ void update(int *a, int n)
{
    __requires(gridDim.x >= 2 && gridDim.x <= 65535);
    __requires(n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * (gridDim.x - 1))
        a[i] = a[i] * 2 + blockIdx.x;
}
