//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The index is read from a neighbour's cell that was zeroed before the barrier. A tool that keeps the old
// contents of a misses the race. After the barrier every a[i] is 0, so threads 0 and 1 both write b[0], with
// 0 and 1. Source: [THS] Fig. 2.6.

__global__ void abstraction(int *b)
{
    __shared__ int a[64];
    a[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x != blockDim.x - 1)
        b[a[threadIdx.x + 1]] = threadIdx.x;
}
