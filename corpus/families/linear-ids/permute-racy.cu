// A linear id is split into three coordinates, which are put together in another order. Deliberately without a
// header: the launch is symbolic. With W = 1 and H = D = 2, thread 2 (z = 1, y = 0) writes a[1] = 2 and thread 1
// (z = 0, y = 1) writes a[1] = 1.

__global__ void permute(int *a, int W, int H, int D)
{
    __requires(gridDim.x <= 65535 && 1 <= W && W <= 1000 && 1 <= H && H <= 1000 && 1 <= D && D <= 1000);
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < W * H * D) {
        int z = id / (W * H), r = id % (W * H);
        int y = r / W, x = r % W;
        a[(x * H + y) * (D - 1) + z] = id;
    }
}
