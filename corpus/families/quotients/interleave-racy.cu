// S streams of M elements that were interleaved are laid out one after the other. Deliberately without a header:
// the launch is symbolic. With S = M = 2, thread 1 writes a[1] = 1 (stream 1, element 0) and thread 2 writes
// a[1] = 2 (stream 0, element 1).

__global__ void interleave(int *a, int S, int M)
{
    __requires(gridDim.x <= 65535 && 1 <= S && S <= 10000 && 1 <= M && M <= 10000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < S * M)
        a[(i % S) * (M - 1) + i / S] = i;
}
