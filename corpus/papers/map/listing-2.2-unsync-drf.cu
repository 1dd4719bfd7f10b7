//pass
//--blockDim=64 --gridDim=1
// The reading loop and the writing loop, separated by one barrier. The first phase only reads tile, and in
// the second thread t writes only tile[t]. Source: [MAP] Listing 2.2 with a barrier between the loops.

__global__ void tail_and_head(int *tile, int *out, int m)
{
    __requires(0 <= m && m <= 64);
    int sum = 0;
    for (int j = 0; j < m; j++)
        sum += tile[threadIdx.x + j];
    __syncthreads();
    for (int i = 0; i < m; i++)
        tile[threadIdx.x] = i + threadIdx.x;
    out[threadIdx.x] = sum;
}
