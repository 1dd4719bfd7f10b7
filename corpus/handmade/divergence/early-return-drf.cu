//pass
//--blockDim=64 --gridDim=2
// The size is a multiple of the block, so all threads of a block return or none. With n a multiple of 64, i
// >= n is the same for all threads of a block; s and a are accessed at own cells, and the shifted read is
// behind the barrier.

__global__ void early_exit(int *a, int n)
{
    __requires(n % 64 == 0);
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[63 - threadIdx.x] + 1;
}
