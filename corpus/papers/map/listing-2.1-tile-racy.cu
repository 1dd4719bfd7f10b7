//xfail:DATA_RACE
//--blockDim=[16,4] --gridDim=[2,2]
// A tiled transpose repeated by an outer loop. The barrier separates filling the tile from draining it, but
// nothing separates draining it from the next filling. With reps = 2, thread (1,0) reads tile[1][0] (j = 0)
// in round 0 while thread (0,1) writes tile[1][0] (i = 0) in round 1. Source: [MAP] Listing 2.1 (left), Table
// 1 test 1.

#define TILE_DIM 16
#define BLOCK_ROWS 4

__global__ void transpose_tile(float *odata, const float *idata, int width, int height, int reps)
{
    __requires(width == 32);
    __requires(height == 32);
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int index_in = blockIdx.x * TILE_DIM + threadIdx.x + (blockIdx.y * TILE_DIM + threadIdx.y) * width;
    int index_out = blockIdx.y * TILE_DIM + threadIdx.x + (blockIdx.x * TILE_DIM + threadIdx.y) * height;
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
        __syncthreads();
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
            odata[index_out + j * height] = tile[threadIdx.x][threadIdx.y + j];
    }
}
