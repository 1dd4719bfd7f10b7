//pass
//--blockDim=64 --gridDim=1
// The same write again and again, with a barrier after each; the last one is shifted. Each phase holds one
// write, and each write is injective in threadIdx.x. Source: [MAP] Fig. 17 barriers.

__global__ void barriers(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    a[threadIdx.x] = threadIdx.x + 2;
    __syncthreads();
    a[threadIdx.x + 1] = threadIdx.x + 3;
}
