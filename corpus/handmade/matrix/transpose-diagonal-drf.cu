//pass
//--blockDim=[8,8] --gridDim=[4,4]
// Transpose with the blocks renumbered along diagonals, so that concurrently running blocks use different
// memory banks. (x, y) -> ((x + y) % 4, x) is a bijection of the 4 by 4 grid, so output tiles are distinct;
// the barrier separates filling and draining the tile.

#define T 8
#define N 32

__global__ void diagonal(int *out, const int *in)
{
    __shared__ int tile[T][T + 1];
    int by = blockIdx.x;
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    tile[threadIdx.y][threadIdx.x] = in[(by * T + threadIdx.y) * N + bx * T + threadIdx.x];
    __syncthreads();
    out[(bx * T + threadIdx.y) * N + by * T + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
