//xfail:DATA_RACE
//--blockDim=2 --gridDim=1
// The same loop against a cell that it does visit. Thread 0 writes a[24] = 1 and thread 1 writes a[24] = 2.

__global__ void shifts(int *a)
{
    if (threadIdx.x == 0) {
        for (int s = 96; s > 0; s >>= 1)
            a[s] = 1;
    } else {
        a[64] = 2;
        a[24] = 2;
    }
}
