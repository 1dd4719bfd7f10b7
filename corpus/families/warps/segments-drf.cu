// Each warp has a segment of a symbolic pitch, and rotates it. Deliberately without a header: the launch is
// symbolic. Warps have segments of their own, since lane < 32 <= P, and within a warp __syncwarp parts the write
// from the read.

__global__ void segments(const float *in, float *out, int P)
{
    extern __shared__ float s[];
    __requires(blockDim.x % 32 == 0 && 32 <= P && P <= 64);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    s[warp * P + lane] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[warp * P + (lane + 1) % 32];
}
