// A matrix that is stored tile after tile, each of T * T cells: quotients, remainders and products of four
// symbols. Deliberately without a header: the launch is symbolic. x / T < N, since x < N * T, so a cell
// determines the tile and the place in it, and these x and y.

__global__ void blocked_layout(int *a, int T, int N)
{
    __requires(gridDim.x <= 65535 && 1 <= T && T <= 32 && 1 <= N && N <= 100 && gridDim.y * blockDim.y <= 3200);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N * T)
        a[((y / T) * N + x / T) * (T * T) + (y % T) * T + x % T] = x;
}
