//xfail:DATA_RACE
//--blockDim=2 --gridDim=1
// The two decreasing loops start in the same residue class. Thread 0 writes a[6] = 10 and thread 1 writes
// a[6] = 11.

__global__ void anchor(int *a)
{
    if (threadIdx.x == 0) {
        for (int i = 9; i > 0; i -= 3)
            a[i] = 10;
    } else {
        for (int i = 6; i > 0; i -= 3)
            a[i] = 11;
    }
}
