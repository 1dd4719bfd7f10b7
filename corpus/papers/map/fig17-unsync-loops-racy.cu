//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The innermost write depends on the innermost loop variable. With n = 2, thread 0 writes a[1] (k = 1) and
// thread 1 writes a[1] (k = 0 or an outer statement), with values that differ. Source: [MAP] Fig. 17
// unsynchronised loops, one index shifted.

__global__ void unsync_loops(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[threadIdx.x] = i;
        for (int j = 0; j < n; j++) {
            a[threadIdx.x] = i + j;
            for (int k = 0; k < n; k++)
                a[threadIdx.x + k] = threadIdx.x;
        }
    }
}
