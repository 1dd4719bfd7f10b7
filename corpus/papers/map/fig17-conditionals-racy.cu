//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// One guarded write is off by one. Thread 2 writes a[3] = 12 and thread 3 writes a[3] = 13. Source: [MAP]
// Fig. 17 conditionals, one index shifted.

__global__ void conditionals(int *a)
{
    if (threadIdx.x == 0)
        a[threadIdx.x] = 10;
    if (threadIdx.x == 1)
        a[threadIdx.x] = 11;
    if (threadIdx.x == 2)
        a[threadIdx.x + 1] = 12;
    if (threadIdx.x == 3)
        a[threadIdx.x] = 13;
}
