//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The stride may be zero. With k = 0, threads 0 and 1 both write a[0], with 0 and 1.

__global__ void stride(int *a, int k)
{
    __requires(k >= 0);
    __requires(k <= 1000000);
    a[threadIdx.x * k] = threadIdx.x;
}
