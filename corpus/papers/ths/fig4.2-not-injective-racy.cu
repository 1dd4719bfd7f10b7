//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// As its twin, but neighbours compute the same position. Threads 0 and 1 both read back 0 and write b[0],
// with 0 and 1. Source: [THS] the data-dependent kernel at the start of chapter 4, with a function that is
// not injective.

__global__ void permute(int *b)
{
    __shared__ int a[64];
    a[threadIdx.x] = threadIdx.x / 2;
    __syncthreads();
    b[a[threadIdx.x]] = threadIdx.x;
}
