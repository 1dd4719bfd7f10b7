//pass
//--blockDim=8 --gridDim=1
// Each thread owns a row of a shared matrix, then, after a barrier, a column. First phase: only row t is
// touched; second phase: only column t.

__global__ void row_owner(int *a)
{
    __shared__ int m[8][8];
    int t = threadIdx.x;
    for (int j = 0; j < 8; j++)
        m[t][j] = a[t * 8 + j];
    __syncthreads();
    for (int i = 1; i < 8; i++)
        m[i][t] += m[i - 1][t];
    __syncthreads();
    for (int j = 0; j < 8; j++)
        a[t * 8 + j] = m[t][j];
}
