//xfail:DATA_RACE
//--blockDim=[4,2] --gridDim=[2,2]
// The tile is walked in steps of one row although the block has two rows, so the rows of the threads overlap.
// Input is taken without the step. In block (0,0), thread (0,0) writes odata[1] (i = 1) from idata[0] and
// thread (0,1) writes odata[1] (i = 0) from idata[8]. Source: [THS] Fig. 3.8a with the wrong step.

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
    for (int i = 0; i + BLOCK_ROWS <= TILE_DIM; i += 1)
        odata[index_out + i] = idata[index_in];
}
