//xfail:DATA_RACE
//--blockDim=8 --gridDim=1
// The barrier between rows and columns is missing. Thread 1 writes m[1][0] (row 1) and thread 0 reads and
// writes m[1][0] (column 0).

__global__ void row_owner(int *a)
{
    __shared__ int m[8][8];
    int t = threadIdx.x;
    for (int j = 0; j < 8; j++)
        m[t][j] = a[t * 8 + j];
    for (int i = 1; i < 8; i++)
        m[i][t] += m[i - 1][t];
    __syncthreads();
    for (int j = 0; j < 8; j++)
        a[t * 8 + j] = m[t][j];
}
