//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// An early return in a helper leaves the helper, not the kernel. After the helper all threads go on: threads
// 10 and 20 both write a[100], with 10 and 20.

__device__ void only_first(int *a)
{
    if (threadIdx.x != 0)
        return;
    a[0] = 1;
}

__global__ void helper_return(int *a)
{
    only_first(a);
    a[100] = threadIdx.x;
}
