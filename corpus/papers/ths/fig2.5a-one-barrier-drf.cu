//pass
//--blockDim=32 --gridDim=1
// One barrier that all threads reach. No branch governs the barrier, and every access is to the thread's own
// cell. Source: [THS] Fig. 2.5a with the barrier moved out of the branches.

__global__ void halves(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 2 == 0)
        a[threadIdx.x] += 2;
    __syncthreads();
    a[threadIdx.x] += 1;
}
