//pass
//--blockDim=64 --gridDim=2
// One thread sets a shared scalar, the others read it after a barrier. The barrier separates the write by
// thread 0 from all reads.

__global__ void broadcast(int *a, const int *b)
{
    __shared__ int base;
    if (threadIdx.x == 0)
        base = b[blockIdx.x];
    __syncthreads();
    a[blockIdx.x * blockDim.x + threadIdx.x] = base;
}
