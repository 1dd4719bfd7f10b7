//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The same count with a plain increment. With a[0] and a[1] above 3, thread 0 writes count[0] and thread 1
// reads it.

__global__ void counter(int *count, const int *a)
{
    if (a[threadIdx.x] > 3)
        count[0]++;
}
