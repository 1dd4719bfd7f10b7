//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// A barrier in a loop that runs once more for each thread. Thread 0 makes no iteration and thread 1 makes
// one, in which it waits at the barrier.

__global__ void trips(int *a)
{
    for (int i = 0; i < threadIdx.x; i++) {
        a[threadIdx.x] = i;
        __syncthreads();
    }
}
