// Each block has F runs of blockDim.x cells: a product of three symbols. Deliberately without a header: the
// launch is symbolic. threadIdx.x < blockDim.x and 0 <= f < F, so a cell determines the block, f and the thread.

__global__ void coarse(int *a, int F)
{
    __requires(gridDim.x <= 10000 && F <= 100);
    int B = blockDim.x;
    for (int f = 0; f < F; f++)
        a[(blockIdx.x * F + f) * B + threadIdx.x] = f;
}
