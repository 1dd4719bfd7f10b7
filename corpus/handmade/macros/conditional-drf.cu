//pass
//--blockDim=64 --gridDim=1
// The barrier is a macro that a switch turns on. BARRIER() expands to __syncthreads(), since USE_BARRIER is
// 1.

#define USE_BARRIER 1
#if USE_BARRIER
#define BARRIER() __syncthreads()
#else
#define BARRIER()
#endif

__global__ void macro_barrier(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    BARRIER();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
