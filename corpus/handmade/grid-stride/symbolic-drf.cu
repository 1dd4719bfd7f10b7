// A grid-stride loop for every launch up to a size where 32-bit arithmetic is exact. Deliberately without a
// header: the launch is symbolic. i = b * B + t + k * B * G; t < B and b < G make b, t and k unique for a
// given i.

__global__ void update(int *a, int n)
{
    __requires(gridDim.x <= 65535);
    __requires(n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = a[i] * 2 + i;
}
