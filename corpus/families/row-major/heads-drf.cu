// Batch, position, head, channel: products of four symbols. Deliberately without a header: the launch is
// symbolic. 0 <= d < D, h < heads and 0 <= s < S, so the index determines all four coordinates.

__global__ void heads(int *a, int S, int D)
{
    __requires(gridDim.x <= 65535 && gridDim.y <= 16 && gridDim.z <= 16 && S <= 4096 && D <= 128);
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int d = threadIdx.y, h = blockIdx.y, b = blockIdx.z;
    int H = gridDim.y;
    if (s < S && d < D)
        a[((b * S + s) * H + h) * D + d] = d;
}
