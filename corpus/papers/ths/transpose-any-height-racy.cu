//xfail:DATA_RACE
//--blockDim=[4,2] --gridDim=[2,2]
// The height is unconstrained, so rows of the output may overlap. With height = 1, thread (1,0) writes
// odata[1] and thread (0,1) of the same block writes odata[1], from different input cells. Source: [THS] Fig.
// 3.8a without its preconditions.

#define TILE_DIM 4
#define BLOCK_ROWS 2

__global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = x + width * y;
    int index_out = y + height * x;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i] = idata[index_in + i * width];
}
