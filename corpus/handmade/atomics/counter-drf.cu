//pass
//--blockDim=64 --gridDim=2
// All threads of the grid count with atomicAdd. Atomic operations do not race with each other, and the
// device-wide scope covers all blocks.

__global__ void counter(int *count, const int *a)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] > 3)
        atomicAdd(&count[0], 1);
}
