// A tile whose rows are one longer than the block, against bank conflicts. Deliberately without a header: the
// launch is symbolic. threadIdx.x < blockDim.x < P, so the cell of the tile determines the thread; the barrier
// parts writes from reads.

__global__ void padded(const float *in, float *out, int W)
{
    extern __shared__ float t[];
    __requires(blockDim.x == blockDim.y && W >= 32 && W <= 30000);
    int P = blockDim.x + 1;
    t[threadIdx.y * P + threadIdx.x] = in[threadIdx.y * W + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * W + threadIdx.x] = t[threadIdx.x * P + threadIdx.y];
}
