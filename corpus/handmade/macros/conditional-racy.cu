//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The switch is off. BARRIER() expands to nothing: thread 0 reads s[63] and thread 63 writes s[63].

#define USE_BARRIER 0
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
