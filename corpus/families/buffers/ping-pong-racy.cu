// Two halves of a buffer of a symbolic size, read and written in turn. Deliberately without a header: the launch
// is symbolic. With B = 2 and steps = 1, thread 1 writes s[1], which thread 0 reads.

__global__ void ping_pong(const float *in, float *out, int steps)
{
    extern __shared__ float s[];
    int t = threadIdx.x, B = blockDim.x;
    s[t] = in[t];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        s[(k % 2) * B + t] = s[(k % 2) * B + (t + 1) % B];
        __syncthreads();
    }
    out[t] = s[(steps % 2) * B + t];
}
