//pass
//--blockDim=64 --gridDim=1
// The index is read from a neighbour's cell, which holds the neighbour's id. After the barrier a[i] is i, so
// thread t writes b[t + 1] only. Source: [THS] Fig. 2.6, with the ids stored instead of zero.

__global__ void abstraction(int *b)
{
    __shared__ int a[64];
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x != blockDim.x - 1)
        b[a[threadIdx.x + 1]] = threadIdx.x;
}
