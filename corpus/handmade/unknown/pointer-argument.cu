//--blockDim=64 --gridDim=1
// A function without a body gets the array. Nobody can say what touch does to a; calling it race-free or racy
// would be a guess.

__device__ void touch(int *p, int i);

__global__ void calls_unknown(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    touch(a, threadIdx.x);
}
