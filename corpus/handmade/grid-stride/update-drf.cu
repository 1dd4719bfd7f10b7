//pass
//--blockDim=64 --gridDim=4
// A grid-stride loop that updates in place. The index modulo 256 names the thread of the grid.

__global__ void update(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = a[i] * 2 + i;
}
