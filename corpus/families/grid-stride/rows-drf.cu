// A block has every gridDim.x-th row, a thread every blockDim.x-th cell of it. Deliberately without a header:
// the launch is symbolic. 0 <= c < W, so a cell determines r and c, r determines the block and c the thread.

__global__ void rows(int *a, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    for (int r = blockIdx.x; r < H; r += gridDim.x)
        for (int c = threadIdx.x; c < W; c += blockDim.x)
            a[r * W + c] = blockIdx.x;
}
