// A volume in row-major order, of three symbolic sizes. Deliberately without a header: the launch is symbolic.
// With W = 1, H = D = 2 and blockDim = (1,2,2), thread (0,1,0) writes a[1] = 1 and thread (0,0,1) writes a[1] =
// 0.

__global__ void cube(int *a, int W, int H, int D)
{
    __requires(gridDim.x <= 65535 && W <= 1000 && H <= 1000 && D <= 1000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < W && y < H && z < D)
        a[(z * W + y) * W + x] = y;
}
