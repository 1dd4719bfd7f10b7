//xfail:DATA_RACE
//--blockDim=[8,8] --gridDim=[2,2]
// The row is one pixel too short for the grid. Inside a block rows of 8 still fit; neighbouring blocks
// overlap. Pixel x = 15, y = 0 (thread (7,0) of block (1,0)) and pixel x = 0, y = 1 (thread (0,1) of block
// (0,0)) are both image[15], with values 15 and 1.

#define WIDTH 15

__global__ void tile_write(int *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    image[y * WIDTH + x] = x + y;
}
