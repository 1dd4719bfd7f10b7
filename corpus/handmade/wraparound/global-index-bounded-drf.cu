// The 32-bit global index over a grid that is known to be small enough. Deliberately without a header: the
// launch is symbolic. At most 65535 * 1024 threads, which 32 bits can count.

__global__ void global_index(int *a)
{
    __requires(gridDim.x <= 65535);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = blockIdx.x;
}
