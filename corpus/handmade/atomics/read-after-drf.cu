//pass
//--blockDim=64 --gridDim=1
// A shared counter: reset, barrier, atomic increments, barrier, plain read. The plain write, the atomics and
// the plain reads are in three different phases.

__global__ void read_after(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
