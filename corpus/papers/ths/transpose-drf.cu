//pass
//--blockDim=[4,2] --gridDim=[2,2]
// A tiled transpose in global memory, with the matrix sizes that the launch implies. With height = 8 the
// output cell y + i + 8 * x determines x and y + i (both below 8), and from y + i the block row, the step and
// threadIdx.y. Source: [THS] Fig. 3.8a.

#define TILE_DIM 4
#define BLOCK_ROWS 2

__global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __requires(width == gridDim.x * TILE_DIM);
    __requires(height == gridDim.y * TILE_DIM);
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = x + width * y;
    int index_out = y + height * x;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i] = idata[index_in + i * width];
}
