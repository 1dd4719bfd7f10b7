//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The right halo cell is loaded into the wrong place. Thread 63 writes tile[65 - 2] = in[g + 1] and thread 62
// writes tile[63] = its own element.

__global__ void halo(int *out, const int *in)
{
    __shared__ int tile[66];
    int t = threadIdx.x;
    int g = blockIdx.x * blockDim.x + t + 1;
    tile[t + 1] = in[g];
    if (t == 0)
        tile[0] = in[g - 1];
    if (t == 63)
        tile[63] = in[g + 1];
    __syncthreads();
    out[g] = tile[t] + tile[t + 1] + tile[t + 2];
}
