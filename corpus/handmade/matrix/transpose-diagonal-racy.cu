//xfail:DATA_RACE
//--blockDim=[8,8] --gridDim=[4,4]
// The renumbering loses the second coordinate on the output side. Blocks (0,0) and (1,3) both have bx = 0 and
// write the output tile (0,0), from the input tiles of block rows 0 and 1.

#define T 8
#define N 32

__global__ void diagonal(int *out, const int *in)
{
    __shared__ int tile[T][T + 1];
    int by = blockIdx.x;
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    tile[threadIdx.y][threadIdx.x] = in[(by * T + threadIdx.y) * N + bx * T + threadIdx.x];
    __syncthreads();
    out[(bx * T + threadIdx.y) * N + bx * T + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
