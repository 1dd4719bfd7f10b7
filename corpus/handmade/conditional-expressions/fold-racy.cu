//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second formula folds back on the first half. Threads 0 and 63 both write a[0], with 0 and 63.

__global__ void fold(int *a)
{
    int t = threadIdx.x;
    a[t < 32 ? t : 63 - t] = t;
}
