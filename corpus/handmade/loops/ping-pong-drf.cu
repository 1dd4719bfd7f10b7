//pass
//--blockDim=64 --gridDim=1
// Double buffering: each round reads one half and writes the other, with one barrier per round. In a round
// all reads go to half in and all writes to half 1 - in; the barrier separates it from the round that swaps
// them.

__global__ void ping_pong(int *data, int n)
{
    __shared__ int buf[2][64];
    int t = threadIdx.x;
    int in = 0;
    buf[in][t] = data[t];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        buf[1 - in][t] = buf[in][(t + 1) % 64];
        in = 1 - in;
        __syncthreads();
    }
    data[t] = buf[in][t];
}
