//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The merge into the global histogram is not atomic. Thread 0 of block 0 and thread 0 of block 1 both read
// and write bins[0].

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
        bins[threadIdx.x] += local[threadIdx.x];
}
