//pass
//--blockDim=64 --gridDim=2
// Neighbours exchange values through a shared array. The barrier separates the write of s[t] from the read of
// s[(t + 1) % 64]; s exists once per block.

__global__ void exchange(int *a)
{
    __shared__ int s[64];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[g];
    __syncthreads();
    a[g] = s[(threadIdx.x + 1) % 64];
}
