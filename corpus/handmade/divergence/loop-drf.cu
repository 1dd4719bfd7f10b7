//pass
//--blockDim=64 --gridDim=1
// The loop runs as often as the block is large. The bound blockDim.x is the same for all threads.

__global__ void trips(int *a)
{
    for (int i = 0; i < blockDim.x; i++) {
        a[threadIdx.x] = i;
        __syncthreads();
    }
}
