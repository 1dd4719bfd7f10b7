//pass
//--blockDim=64 --gridDim=2
// A stencil over a shared tile with halo cells loaded by the border threads. All tile cells are written once
// before the barrier, by different threads; after it the tile is only read.

__global__ void halo(int *out, const int *in)
{
    __shared__ int tile[66];
    int t = threadIdx.x;
    int g = blockIdx.x * blockDim.x + t + 1;
    tile[t + 1] = in[g];
    if (t == 0)
        tile[0] = in[g - 1];
    if (t == 63)
        tile[65] = in[g + 1];
    __syncthreads();
    out[g] = tile[t] + tile[t + 1] + tile[t + 2];
}
