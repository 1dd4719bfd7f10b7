//pass
//--blockDim=64 --gridDim=1
// Three levels of calls, each adding an offset, with a barrier at the bottom. fill writes s[t] and drain
// reads s[63 - t]; the barrier is in between, two calls down.

__device__ void meet()
{
    __syncthreads();
}

__device__ void fill(int *s, const int *a)
{
    s[threadIdx.x] = a[threadIdx.x];
    meet();
}

__device__ void turn(int *s, int *a)
{
    fill(s, a);
    a[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void levels(int *a)
{
    __shared__ int s[64];
    turn(s, a);
}
