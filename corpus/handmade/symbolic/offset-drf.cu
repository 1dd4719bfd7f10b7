// Read at a distance of at least the size of the block. Deliberately without a header: the launch is
// symbolic. Writes are below blockDim.x, reads at or above it, and the bound rules out wrap-around.

__global__ void offset(int *a, unsigned d)
{
    __requires(d >= blockDim.x);
    __requires(d <= 1000000);
    a[threadIdx.x] = a[threadIdx.x + d];
}
