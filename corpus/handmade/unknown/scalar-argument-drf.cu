//pass
//--blockDim=64 --gridDim=1
// A function without a body gets and returns numbers only, and its result reaches no index. Whatever mix
// returns, it is stored in the thread's own cell.

__device__ int mix(int x);

__global__ void calls_scalar(int *a)
{
    a[threadIdx.x] = mix(a[threadIdx.x]);
}
