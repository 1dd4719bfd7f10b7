//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// The bound is a parameter, so the last round may be partial. With n = 65, thread 0 makes two iterations and
// thread 1 makes one. Source: [THS] the example for rules r6 and r10, bound not a multiple of the block.

__global__ void strided_barrier(int *a, int n)
{
    __requires(0 <= n && n <= 1000000);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        a[i] = threadIdx.x;
        __syncthreads();
    }
}
