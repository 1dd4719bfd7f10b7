// The first lane of each warp leaves a value, and the first warp collects them. Deliberately without a header:
// the launch is symbolic. The barrier parts the writes from the reads; a cell has one writer in a block.

__global__ void leaders(const float *in, float *out)
{
    __shared__ float s[32];
    __requires(gridDim.x <= 65535);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0)
        s[warp] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (warp == 0)
        out[blockIdx.x * 32 + lane] = s[lane];
}
