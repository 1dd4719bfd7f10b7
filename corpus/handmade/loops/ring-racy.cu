//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The reader looks at the stage that is being written. With n = 1, thread 0 reads buf[0][63] while thread 63
// writes buf[0][63].

__global__ void ring(int *data, int n)
{
    __shared__ int buf[3][64];
    int t = threadIdx.x;
    int stage = 0;
    int sum = 0;
    buf[2][t] = 0;
    __syncthreads();
    for (int r = 0; r < n; r++) {
        buf[stage][t] = data[t] + r;
        sum += buf[(stage + 3) % 3][63 - t];
        stage = (stage + 1) % 3;
        __syncthreads();
    }
    data[t] = sum;
}
