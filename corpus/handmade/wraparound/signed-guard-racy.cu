//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The same test on signed integers lets thread 0 through. Thread 0 writes a[32] = 1 and thread 40 writes
// a[32] = 2.

__global__ void unsigned_guard(int *a)
{
    int t = threadIdx.x;
    if (t - 1 < 31)
        a[t + 32] = 1;
    if (t == 40)
        a[32] = 2;
}
