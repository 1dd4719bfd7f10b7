// Images, channels, rows, columns: products of three symbols. One image and channel a block. Deliberately
// without a header: the launch is symbolic. With H = W = 1, thread (0,1) of block (0,0,0) writes a[1] = 1 and
// thread (0,0) of block (0,1,0) writes a[1] = 0.

__global__ void four_sizes(int *a, int H, int W)
{
    __requires(gridDim.z <= 64 && gridDim.y <= 64 && W <= 256 && H <= 256);
    int n = blockIdx.z, c = blockIdx.y, h = threadIdx.y, w = threadIdx.x;
    int C = gridDim.y;
    if (h <= H && w < W)
        a[((n * C + c) * H + h) * W + w] = h;
}
