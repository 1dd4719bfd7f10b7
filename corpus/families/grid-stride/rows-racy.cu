// A block has every gridDim.x-th row, a thread every blockDim.x-th cell of it. Deliberately without a header:
// the launch is symbolic. With blockDim.x = 1 and H = 2, block 0 writes row 1 in its second iteration with 0,
// and block 1 in its first with 1.

__global__ void rows(int *a, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 30000 && H <= 30000);
    for (int r = blockIdx.x; r < H; r += blockDim.x)
        for (int c = threadIdx.x; c < W; c += blockDim.x)
            a[r * W + c] = blockIdx.x;
}
