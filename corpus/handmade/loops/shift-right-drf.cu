//pass
//--blockDim=2 --gridDim=1
// A halving loop that starts at a number that is not a power of two: 96, 48, 24, 12, 6, 3, 1. Thread 0 never
// visits 64, where thread 1 writes.

__global__ void shifts(int *a)
{
    if (threadIdx.x == 0) {
        for (int s = 96; s > 0; s >>= 1)
            a[s] = 1;
    } else {
        a[64] = 2;
        a[32] = 2;
    }
}
