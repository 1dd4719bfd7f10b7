//pass
//--blockDim=64 --gridDim=1
// The target position is computed before a barrier, stored in the own cell, and read back after it. The
// thread reads the cell that it wrote itself, so it gets 63 - t, which is injective. Source: [THS] the
// data-dependent kernel at the start of chapter 4.

__global__ void permute(int *b)
{
    __shared__ int a[64];
    a[threadIdx.x] = 63 - threadIdx.x;
    __syncthreads();
    b[a[threadIdx.x]] = threadIdx.x;
}
