// Tiles of a symbolic size T, not that of the block, cover a matrix of gridDim.x tiles a row. Deliberately
// without a header: the launch is symbolic. x and y are in 0..T, so blockIdx.x * T + x is in 0..T * G, and
// determines the block and x.

__global__ void square(int *a, int T)
{
    __requires(gridDim.x <= 1000 && gridDim.y <= 1000 && T <= 32);
    int x = threadIdx.x, y = threadIdx.y, G = gridDim.x;
    if (x < T && y < T)
        a[(blockIdx.y * T + y) * (T * G) + blockIdx.x * T + x] = y;
}
