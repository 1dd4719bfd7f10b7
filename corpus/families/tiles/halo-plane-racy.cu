// A tile in two dimensions with a halo of one cell, of a symbolic pitch. Deliberately without a header: the
// launch is symbolic. With blockDim = (2,2), thread (1,0) writes t[3] as its right halo and thread (0,1) as its
// left one, with what they read.

__global__ void halo_plane(const float *in, float *out, int W)
{
    extern __shared__ float t[];
    __requires(1 <= W && blockDim.x <= W && W <= 30000);
    int B = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    int P = B + 1;
    t[y * P + x + 1] = in[y * W + x];
    if (x == 0)
        t[y * P] = in[y * W + W];
    if (x == B - 1)
        t[y * P + B + 1] = in[y * W + x + W];
    __syncthreads();
    out[y * W + x] = t[y * P + x] + t[y * P + x + 2];
}
