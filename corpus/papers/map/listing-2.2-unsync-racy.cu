//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Two unsynchronised loops in a row, one reading the neighbours and one writing the own cell. With m = 2,
// thread 0 reads tile[1] (j = 1) and thread 1 writes tile[1]. Source: [MAP] Listing 2.2.

__global__ void tail_and_head(int *tile, int *out, int m)
{
    __requires(0 <= m && m <= 64);
    int sum = 0;
    for (int j = 0; j < m; j++)
        sum += tile[threadIdx.x + j];
    for (int i = 0; i < m; i++)
        tile[threadIdx.x] = i + threadIdx.x;
    out[threadIdx.x] = sum;
}
