// A tile in two dimensions with a halo of one cell, of a symbolic pitch. Deliberately without a header: the
// launch is symbolic. The own cells are columns 1 to B of the rows of B + 2 cells, the halos columns 0 and B +
// 1; each column has one writer in a row.

__global__ void halo_plane(const float *in, float *out, int W)
{
    extern __shared__ float t[];
    __requires(1 <= W && blockDim.x <= W && W <= 30000);
    int B = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    int P = B + 2;
    t[y * P + x + 1] = in[y * W + x];
    if (x == 0)
        t[y * P] = in[y * W + W];
    if (x == B - 1)
        t[y * P + B + 1] = in[y * W + x + W];
    __syncthreads();
    out[y * W + x] = t[y * P + x] + t[y * P + x + 2];
}
