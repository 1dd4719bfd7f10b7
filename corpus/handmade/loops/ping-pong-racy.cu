//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The halves are never swapped back, and every second round reads and writes the same half. With n = 2, in
// the second round in is 1 and thread 0 reads buf[1][1] while thread 1 writes buf[1][1].

__global__ void ping_pong(int *data, int n)
{
    __shared__ int buf[2][64];
    int t = threadIdx.x;
    int in = 0;
    buf[in][t] = data[t];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        buf[1][t] = buf[in][(t + 1) % 64];
        in = 1;
        __syncthreads();
    }
    data[t] = buf[in][t];
}
