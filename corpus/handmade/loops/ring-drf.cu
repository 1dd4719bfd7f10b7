//pass
//--blockDim=64 --gridDim=1
// A ring of three buffers with a wrap-around counter and one barrier per round. Round r writes stage r % 3
// and reads stage (r + 2) % 3; the neighbouring rounds that could overlap without the barrier are separated
// by it.

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
        sum += buf[(stage + 2) % 3][63 - t];
        stage = (stage + 1) % 3;
        __syncthreads();
    }
    data[t] = sum;
}
