// A transpose without a tile. Deliberately without a header: the launch is symbolic. With W = H = 2 and blockDim
// = (2,2), thread (0,1) writes in[1], which thread (1,0) reads.

__global__ void direct(int *in, int *out, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H)
        in[x * H + y] = in[y * W + x];
}
