//xfail:BARRIER_DIVERGENCE
//--blockDim=32 --gridDim=1
// Both branches of a thread-dependent condition have a barrier, but not the same one. Thread 0 waits at the
// first barrier and thread 1 at the second. Source: [THS] Fig. 2.5a.

__global__ void halves(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
    a[threadIdx.x] += 1;
}
