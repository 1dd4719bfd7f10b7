// A histogram of a symbolic number of bins in each block, merged into one. Deliberately without a header: the
// launch is symbolic. With bins = 1 and n = 2, thread 0 clears h[0] while thread 1 adds to it.

__global__ void histogram(const unsigned *data, unsigned *out, unsigned n, unsigned bins)
{
    extern __shared__ unsigned h[];
    __requires(gridDim.x <= 65535 && n <= 1000000 && 1 <= bins && bins <= 4096);
    for (unsigned i = threadIdx.x; i < bins; i += blockDim.x)
        h[i] = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&h[data[i] % bins], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += blockDim.x)
        atomicAdd(&out[i], h[i]);
}
