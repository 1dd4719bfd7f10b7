//pass
//--blockDim=64 --gridDim=1
// A loop that starts at the thread id and has a barrier inside. The starting points differ, the number of
// iterations does not. For i from t below 4 * 64 in steps of 64 every thread makes exactly four iterations.
// Source: [THS] the example for rules r6 and r10.

__global__ void strided_barrier(int *a)
{
    for (int i = threadIdx.x; i < 4 * blockDim.x; i += blockDim.x) {
        a[i] = threadIdx.x;
        __syncthreads();
    }
}
