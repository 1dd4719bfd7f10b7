//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=2
// Some threads return before the barrier. With n = 100, thread 63 of block 1 (index 127) returns and thread 0
// of block 1 (index 64) waits at the barrier.

__global__ void early_exit(int *a, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[threadIdx.x] + 1;
}
