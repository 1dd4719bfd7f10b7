//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// A barrier in a branch that half of the block takes. Thread 0 waits at the barrier that thread 32 never
// reaches.

__global__ void branch(int *a)
{
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        __syncthreads();
    }
}
