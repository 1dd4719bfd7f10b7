//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The preconditions are the other way round and can hold. With n = 6, threads 0 and 1 both write a[0], with 6
// and 7.

__global__ void contradiction(int *a, int n)
{
    __requires(n < 8);
    __requires(n > 4);
    a[0] = threadIdx.x + n;
}
