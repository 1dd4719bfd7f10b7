//pass
//--blockDim=64 --gridDim=1
// A block-stride loop over a parameter. The index modulo 64 is the thread; the stride is the block.

__global__ void strided(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = a[i] + threadIdx.x;
}
