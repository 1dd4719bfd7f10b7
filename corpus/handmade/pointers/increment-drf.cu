//pass
//--blockDim=64 --gridDim=1
// A pointer that is bumped by the size of the block in each iteration. In iteration k the pointer is a + t +
// 64 k, so the cell modulo 64 names the thread.

__global__ void increment(int *a, int n)
{
    __requires(n <= 1000000);
    int *p = a + threadIdx.x;
    for (int k = 0; k < n; k++) {
        *p = threadIdx.x;
        p += blockDim.x;
    }
}
