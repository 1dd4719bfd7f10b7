//pass
//--blockDim=[8,8] --gridDim=[2,2]
// A two-dimensional image, one thread per pixel. y * 16 + x with x below 16 determines x and y, and they
// determine the thread and the block.

#define WIDTH 16

__global__ void tile_write(int *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    image[y * WIDTH + x] = x + y;
}
