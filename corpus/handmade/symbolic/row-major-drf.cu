// A matrix with a symbolic pitch that is known to cover the grid. Deliberately without a header: the launch
// is symbolic. x < gridDim.x * blockDim.x <= pitch, so y * pitch + x determines x and y; the bounds keep
// everything within 32 bits.

__global__ void row_major(int *a, int pitch)
{
    __requires(gridDim.x <= 64 && gridDim.y <= 64);
    __requires(pitch >= (int)(gridDim.x * blockDim.x) && pitch <= 65536);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    a[y * pitch + x] = x;
}
