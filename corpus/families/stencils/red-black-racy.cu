// A matrix of symbolic width is updated in place, the cells of one colour from those of the other. Deliberately
// without a header: the launch is symbolic. With W = 4 and H = 3, thread (1,1) writes a[5], which thread (2,1)
// reads.

__global__ void red_black(float *a, int W, int H, int colour)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (0 < x && x < W - 1 && 0 < y && y < H - 1 && colour == 0)
        a[y * W + x] = a[y * W + x - 1] + a[y * W + x + 1] + a[(y - 1) * W + x] + a[(y + 1) * W + x];
}
