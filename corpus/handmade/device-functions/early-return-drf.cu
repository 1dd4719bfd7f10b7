//pass
//--blockDim=64 --gridDim=1
// An early return in a helper, and own cells after the call. Thread 0 writes a[0] in the helper; after it
// thread t writes a[100 + t].

__device__ void only_first(int *a)
{
    if (threadIdx.x != 0)
        return;
    a[0] = 1;
}

__global__ void helper_return(int *a)
{
    only_first(a);
    a[100 + threadIdx.x] = threadIdx.x;
}
