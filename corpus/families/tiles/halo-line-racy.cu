// A tile with a halo of a symbolic radius R on both sides. Deliberately without a header: the launch is
// symbolic. With B = 2 and R = 1, thread 0 writes t[2], and so does thread 1, with what they read.

__global__ void halo_line(const float *in, float *out, int R)
{
    extern __shared__ float t[];
    __requires(gridDim.x <= 65535 && 1 <= R && R <= blockDim.x);
    int B = blockDim.x, i = threadIdx.x;
    int id = blockIdx.x * B + i;
    t[R + i] = in[R + id];
    if (i < R) {
        t[i] = in[id];
        t[B + i] = in[R + id + B];
    }
    __syncthreads();
    float sum = 0;
    for (int j = -R; j <= R; j++)
        sum += t[R + i + j];
    out[id] = sum;
}
