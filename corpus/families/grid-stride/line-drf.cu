// A grid-stride loop over a symbolic size. Deliberately without a header: the launch is symbolic. A cell
// determines the iteration, the block and the thread.

__global__ void line(int *a, int n)
{
    __requires(gridDim.x <= 65535 && n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = blockIdx.x;
}
