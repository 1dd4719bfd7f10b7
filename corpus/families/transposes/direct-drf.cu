// A transpose without a tile. Deliberately without a header: the launch is symbolic. 0 <= y < H, so x * H + y
// determines both; what is read is another array.

__global__ void direct(int *in, int *out, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H)
        out[x * H + y] = in[y * W + x];
}
