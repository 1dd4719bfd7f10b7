// The first lane of each warp leaves a value, and the first warp collects them. Deliberately without a header:
// the launch is symbolic. With blockDim.x = 64, thread 32 writes s[1], which thread 1 reads.

__global__ void leaders(const float *in, float *out)
{
    __shared__ float s[32];
    __requires(gridDim.x <= 65535);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0)
        s[warp] = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (warp == 0)
        out[blockIdx.x * 32 + lane] = s[lane];
}
