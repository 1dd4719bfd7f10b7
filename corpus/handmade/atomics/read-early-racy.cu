//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier before the plain read is missing. Thread 1 increments count atomically while thread 0 reads it
// plainly.

__global__ void read_after(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    out[threadIdx.x] = count;
}
