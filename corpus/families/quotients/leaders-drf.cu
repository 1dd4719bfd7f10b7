// The first of each W threads has a cell. Deliberately without a header: the launch is symbolic. Two threads
// divisible by W have different quotients.

__global__ void leaders(int *a, int W)
{
    __requires(gridDim.x <= 65535 && 1 <= W && W <= 1000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % W == 0)
        a[i / W] = i;
}
