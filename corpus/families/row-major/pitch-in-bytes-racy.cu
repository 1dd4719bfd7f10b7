// Rows at a distance in bytes, as cudaMallocPitch gives it. Deliberately without a header: the launch is
// symbolic. With W = 2, H = 2, pitch = 4 and blockDim = (2,2), thread (1,0) writes bytes 4 to 7, and so does
// thread (0,1), with 1 and 0.

__global__ void pitch_in_bytes(float *a, int pitch, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 8000 && H <= 30000);
    __requires(pitch >= W && pitch <= 65536 && pitch % 4 == 0);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        float *row = (float *)((char *)a + y * pitch);
        row[x] = x;
    }
}
