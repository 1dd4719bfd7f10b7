// The first of each W threads has a cell. Deliberately without a header: the launch is symbolic. With W = 2,
// threads 0 and 1 both write a[0], with 0 and 1.

__global__ void leaders(int *a, int W)
{
    __requires(gridDim.x <= 65535 && 1 <= W && W <= 1000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % W <= 1)
        a[i / W] = i;
}
