// Pixels of a symbolic number of channels: a product of three symbols. Deliberately without a header: the launch
// is symbolic. With W = 2, H = C = 1 and blockDim = (2,1,2), thread (0,0,1) writes a[1] = 1 and thread (1,0,0)
// writes a[1] = 0.

__global__ void channels(int *a, int W, int H, int C)
{
    __requires(gridDim.x <= 65535 && W <= 4000 && H <= 4000 && C <= 64);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = threadIdx.z;
    if (x < W && y < H && c <= C)
        a[(y * W + x) * C + c] = c;
}
