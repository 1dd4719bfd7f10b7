// Each block has F runs of blockDim.x cells: a product of three symbols. Deliberately without a header: the
// launch is symbolic. With F = 1 and B = 1, block 0 writes a[1] = 1 (f = 1) and block 1 writes a[1] = 0 (f = 0).

__global__ void coarse(int *a, int F)
{
    __requires(gridDim.x <= 10000 && F <= 100);
    int B = blockDim.x;
    for (int f = 0; f <= F; f++)
        a[(blockIdx.x * F + f) * B + threadIdx.x] = f;
}
