//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier after the reset is missing. Thread 0 writes count plainly while thread 1 increments it
// atomically.

__global__ void read_after(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
