// A transpose through a tile of a symbolic size. Deliberately without a header: the launch is symbolic. With
// blockDim = (2,2), thread (1,0) writes t[1] and thread (0,1) reads it.

__global__ void tile(const float *in, float *out, int W, int H)
{
    extern __shared__ float t[];
    __requires(blockDim.x == blockDim.y && W <= 30000 && H <= 30000 && gridDim.x <= 30000 && gridDim.y <= 30000);
    int B = blockDim.x;
    int x = blockIdx.x * B + threadIdx.x;
    int y = blockIdx.y * B + threadIdx.y;
    if (x < W && y < H)
        t[threadIdx.y * B + threadIdx.x] = in[y * W + x];
    int u = blockIdx.y * B + threadIdx.x;
    int v = blockIdx.x * B + threadIdx.y;
    if (u < H && v < W)
        out[v * H + u] = t[threadIdx.x * B + threadIdx.y];
}
