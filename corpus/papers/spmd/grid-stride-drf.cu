//pass
//--blockDim=64 --gridDim=4
// A grid-stride loop: each thread takes every (number of threads)-th element. The stride is the number of
// threads in the grid, 256, so an index modulo 256 names the thread that owns it. Source: [SPMD] section 7,
// the loop pattern.

__global__ void price(float *call, float *put, const float *stock, int n)
{
    __requires(0 <= n && n <= 1000000);
    const int tid = blockDim.x * blockIdx.x + threadIdx.x;
    const int total = blockDim.x * gridDim.x;
    for (int i = tid; i < n; i += total) {
        call[i] = stock[i] * 0.5f;
        put[i] = stock[i] * 2.0f;
    }
}
