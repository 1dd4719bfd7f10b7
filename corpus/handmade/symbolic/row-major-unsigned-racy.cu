// As the race-free twin, but the precondition compares an int with an unsigned product, so a negative pitch
// satisfies it. Deliberately without a header: the launch is symbolic. With pitch = -1 (4294967295 in the
// comparison), blockDim.x = 1 and gridDim = (2,2), block (1,1) and block (0,0) both write a[0], with 1 and 0.

__global__ void row_major(int *a, int pitch)
{
    __requires(gridDim.x <= 64 && gridDim.y <= 64);
    __requires(pitch >= gridDim.x * blockDim.x && pitch <= 65536);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    a[y * pitch + x] = x;
}
