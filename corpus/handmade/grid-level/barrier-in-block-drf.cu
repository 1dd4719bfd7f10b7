//pass
//--blockDim=64 --gridDim=2
// Each block consumes what it has produced itself. Blocks use different cells of a, and within a block the
// barrier separates the write from the shifted read.

__global__ void hand_over(int *a, int *b)
{
    int base = blockIdx.x * 64;
    a[base + threadIdx.x] = threadIdx.x;
    __syncthreads();
    b[base + threadIdx.x] = a[base + 63 - threadIdx.x];
}
