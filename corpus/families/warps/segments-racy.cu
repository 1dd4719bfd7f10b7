// Each warp has a segment of a symbolic pitch, and rotates it. Deliberately without a header: the launch is
// symbolic. Thread 1 writes s[1], which thread 0 reads.

__global__ void segments(const float *in, float *out, int P)
{
    extern __shared__ float s[];
    __requires(blockDim.x % 32 == 0 && 32 <= P && P <= 64);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    s[warp * P + lane] = in[threadIdx.x];
    out[threadIdx.x] = s[warp * P + (lane + 1) % 32];
}
