//pass
//--blockDim=64 --gridDim=1
// A stride parameter that is known to be positive. t * k is injective for k >= 1, and small enough not to
// wrap.

__global__ void stride(int *a, int k)
{
    __requires(k >= 1);
    __requires(k <= 1000000);
    a[threadIdx.x * k] = threadIdx.x;
}
