// A matrix that is stored tile after tile, each of T * T cells: quotients, remainders and products of four
// symbols. Deliberately without a header: the launch is symbolic. With T = 2 and blockDim = (2,2), thread (1,0)
// writes a[1] = 1 and thread (0,1) writes a[1] = 0.

__global__ void blocked_layout(int *a, int T, int N)
{
    __requires(gridDim.x <= 65535 && 1 <= T && T <= 32 && 1 <= N && N <= 100 && gridDim.y * blockDim.y <= 3200);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N * T)
        a[((y / T) * N + x / T) * (T * T) + (y % T) * (T - 1) + x % T] = x;
}
