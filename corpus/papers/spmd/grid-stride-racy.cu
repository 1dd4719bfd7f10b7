//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// The stride counts the threads of one block only. Inside a block nothing collides; between blocks everything
// does. With n = 100, thread 0 of block 0 reaches i = 64 in its second step, which is the first i of thread 0
// of block 1; the stored values differ by the block number. Source: [SPMD] section 7, the loop pattern with
// the wrong stride.

__global__ void price(float *call, float *put, const float *stock, int n)
{
    __requires(0 <= n && n <= 1000000);
    const int tid = blockDim.x * blockIdx.x + threadIdx.x;
    const int total = blockDim.x;
    for (int i = tid; i < n; i += total) {
        call[i] = stock[i] * 0.5f + blockIdx.x;
        put[i] = stock[i] * 2.0f - blockIdx.x;
    }
}
