// A grid-stride loop over a symbolic size. Deliberately without a header: the launch is symbolic. With
// blockDim.x = 1 and n = 2, block 0 writes a[1] = 0 in its second iteration and block 1 writes a[1] = 1 in its
// first.

__global__ void line(int *a, int n)
{
    __requires(gridDim.x <= 65535 && n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        a[i] = blockIdx.x;
}
