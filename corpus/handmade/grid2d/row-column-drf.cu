//pass
//--blockDim=[8,8] --gridDim=1
// A shared tile written by rows and read by columns. The barrier separates the write of tile[y][x] from the
// read of tile[x][y].

__global__ void row_column(int *a)
{
    __shared__ int tile[8][8];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 8 + threadIdx.x];
    __syncthreads();
    a[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
