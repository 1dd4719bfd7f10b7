// Each row of a block of two dimensions is reduced by itself. Deliberately without a header: the launch is
// symbolic. s <= B / 2, so t + s < B stays in the row, where cells below s are written and cells from s on read.

__global__ void rows(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x, row = threadIdx.y * B;
    x[row + t] = in[row + t];
    __syncthreads();
    for (int s = B / 2; s > 0; s /= 2) {
        if (t < s)
            x[row + t] += x[row + t + s];
        __syncthreads();
    }
    if (t == 0)
        out[threadIdx.y] = x[row];
}
