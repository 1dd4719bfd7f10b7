// A matrix in row-major order, its width the pitch. Deliberately without a header: the launch is symbolic. With
// W = 1 and blockDim = (2,2), thread (1,0) writes a[1] = 1 and thread (0,1) writes a[1] = 0.

__global__ void pitch(int *a, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= W && y < H)
        a[y * W + x] = x;
}
