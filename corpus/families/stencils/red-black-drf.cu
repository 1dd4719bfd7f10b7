// A matrix of symbolic width is updated in place, the cells of one colour from those of the other. Deliberately
// without a header: the launch is symbolic. Neighbours have the other colour, and stay within the row since 0 <
// x < W - 1.

__global__ void red_black(float *a, int W, int H, int colour)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (0 < x && x < W - 1 && 0 < y && y < H - 1 && (x + y) % 2 == colour)
        a[y * W + x] = a[y * W + x - 1] + a[y * W + x + 1] + a[(y - 1) * W + x] + a[(y + 1) * W + x];
}
