//pass
//--blockDim=64 --gridDim=2
// A histogram in shared memory, cleared, filled atomically, and merged atomically into the global one.
// Clearing, filling and merging are separated by barriers; the filling and the global merge are atomic.

#define BINS 16

__global__ void histogram(unsigned *bins, const unsigned *data)
{
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[data[blockIdx.x * blockDim.x + threadIdx.x] % BINS], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
