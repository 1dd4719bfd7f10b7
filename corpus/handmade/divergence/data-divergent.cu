//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// Whether a thread reaches the barrier depends on its data. With in[0] = 1 and in[1] = 0, thread 0 waits at
// the barrier that thread 1 never reaches.

__global__ void data_branch(int *a, const int *in)
{
    if (in[threadIdx.x] > 0)
        __syncthreads();
    a[threadIdx.x] = 1;
}
