// S streams of M elements that were interleaved are laid out one after the other. Deliberately without a header:
// the launch is symbolic. i / S < M, since i < S * M, so the cell determines i % S and i / S, and these i.

__global__ void interleave(int *a, int S, int M)
{
    __requires(gridDim.x <= 65535 && 1 <= S && S <= 10000 && 1 <= M && M <= 10000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < S * M)
        a[(i % S) * M + i / S] = i;
}
