// Tiles of a symbolic size T, not that of the block, cover a matrix of gridDim.x tiles a row. Deliberately
// without a header: the launch is symbolic. With gridDim.x = 1 all rows are one: threads (0,0) and (0,1) both
// write a[0], with 0 and 1.

__global__ void square(int *a, int T)
{
    __requires(gridDim.x <= 1000 && gridDim.y <= 1000 && T <= 32);
    int x = threadIdx.x, y = threadIdx.y, G = gridDim.x;
    if (x < T && y < T)
        a[(blockIdx.y * T + y) * (T * (G - 1)) + blockIdx.x * T + x] = y;
}
