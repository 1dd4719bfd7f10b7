//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// The bound is read from a cell of the thread's own. With limit[0] = 0 and limit[1] = 1, thread 1 waits at
// the barrier that thread 0 never reaches.

__global__ void uniform_while(int *a, const int *limit)
{
    int t = threadIdx.x;
    int i = 0;
    while (i < limit[t]) {
        a[t] = i;
        __syncthreads();
        i += 1;
    }
}
