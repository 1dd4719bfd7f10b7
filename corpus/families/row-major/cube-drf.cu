// A volume in row-major order, of three symbolic sizes. Deliberately without a header: the launch is symbolic. 0
// <= x < W and 0 <= y < H, so z * H + y determines z and y, and the index all three.

__global__ void cube(int *a, int W, int H, int D)
{
    __requires(gridDim.x <= 65535 && W <= 1000 && H <= 1000 && D <= 1000);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < W && y < H && z < D)
        a[(z * H + y) * W + x] = y;
}
