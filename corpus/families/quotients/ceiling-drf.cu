// As many tiles of T cells as n cells need, each for one block of the grid-stride loop. Deliberately without a
// header: the launch is symbolic. 0 <= threadIdx.x < T, so a cell determines k and the thread, and k determines
// the block.

__global__ void ceiling(int *a, int n, int T)
{
    __requires(gridDim.x <= 65535 && 1 <= T && T <= 1000 && n <= 1000000);
    int x = threadIdx.x;
    for (int k = blockIdx.x; k < (n + T - 1) / T; k += gridDim.x)
        if (x < T && k * T + x < n)
            a[k * T + x] = x;
}
