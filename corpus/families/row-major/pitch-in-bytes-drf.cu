// Rows at a distance in bytes, as cudaMallocPitch gives it. Deliberately without a header: the launch is
// symbolic. A row takes 4 W bytes, no more than the pitch, so rows do not overlap.

__global__ void pitch_in_bytes(float *a, int pitch, int W, int H)
{
    __requires(gridDim.x <= 65535 && W <= 8000 && H <= 30000);
    __requires(pitch >= 4 * W && pitch <= 65536 && pitch % 4 == 0);
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        float *row = (float *)((char *)a + y * pitch);
        row[x] = x;
    }
}
