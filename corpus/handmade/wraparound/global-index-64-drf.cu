// The global index in 64 bits. Deliberately without a header: the launch is symbolic. At most 2^31 blocks of
// 1024 threads: the product is below 2^41 and exact, so i determines block and thread.

__global__ void global_index(int *a)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = blockIdx.x;
}
