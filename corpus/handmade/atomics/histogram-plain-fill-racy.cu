//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The shared histogram is filled with plain increments. With data[0] = data[1] = 0, threads 0 and 1 of block
// 0 both read and write local[0].

#define BINS 16

__global__ void histogram(unsigned *bins, const unsigned *data)
{
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;
    __syncthreads();
    local[data[blockIdx.x * blockDim.x + threadIdx.x] % BINS]++;
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
