//xfail:DATA_RACE
//--blockDim=[8,8] --gridDim=1
// Rows are written and columns are read in the same phase. Thread (1,0) writes tile[0][1] and thread (0,1)
// reads tile[0][1].

__global__ void row_column(int *a)
{
    __shared__ int tile[8][8];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 8 + threadIdx.x];
    a[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
