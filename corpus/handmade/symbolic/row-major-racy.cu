// The pitch covers one block only. Deliberately without a header: the launch is symbolic. With blockDim.x =
// 2, gridDim = (2,2) and pitch = 2, thread 0 of block (1,0) and thread 0 of block (0,1) both write a[2], with
// 2 and 0.

__global__ void row_major(int *a, int pitch)
{
    __requires(gridDim.x <= 64 && gridDim.y <= 64);
    __requires(pitch >= (int)blockDim.x && pitch <= 65536);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    a[y * pitch + x] = x;
}
