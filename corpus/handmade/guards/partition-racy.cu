//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second part starts one cell too early. Thread 31 writes a[31] and thread 63 writes a[94 - 63].

__global__ void partition(int *a)
{
    int t = threadIdx.x;
    if (t < 32)
        a[t] = t;
    else
        a[94 - t] = t;
}
