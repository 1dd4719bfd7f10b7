//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The one-dimensional core of the transpose race: write own cells, barrier, read the neighbours, and go round
// again. With n = m = 2, thread 0 reads tile[1] (j = 1) in round 0 while thread 1 writes tile[1] in round 1.
// Source: [MAP] Listing 2.1 (right).

__global__ void rounds(float *out, int n, int m)
{
    __requires(0 <= m && m <= 64);
    __shared__ float tile[128];
    float sum = 0;
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < m; i++)
            tile[threadIdx.x] = r + i + threadIdx.x;
        __syncthreads();
        for (int j = 0; j < m; j++)
            sum += tile[threadIdx.x + j];
    }
    out[threadIdx.x] = sum;
}
