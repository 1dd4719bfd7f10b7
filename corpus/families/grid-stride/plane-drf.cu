// Grid-stride loops in two dimensions over a matrix of symbolic sizes. Deliberately without a header: the launch
// is symbolic. 0 <= x < W, so a cell determines x and y; each of them determines its iteration, block and
// thread.

__global__ void plane(int *a, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < H; y += blockDim.y * gridDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < W; x += blockDim.x * gridDim.x)
            a[y * W + x] = x;
}
