// Grid-stride loops in two dimensions over a matrix of symbolic sizes. Deliberately without a header: the launch
// is symbolic. With W = 1, H = 2 and blockDim = (2,2), thread (1,0) writes a[1] = 1 and thread (0,1) writes a[1]
// = 0.

__global__ void plane(int *a, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < H; y += blockDim.y * gridDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x <= W; x += blockDim.x * gridDim.x)
            a[y * W + x] = x;
}
