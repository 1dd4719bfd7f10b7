//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// A write before a synchronised loop shares its phase with the first iteration only. With n = 1, thread 0
// writes a[1] = 0 before the loop and thread 1 writes a[1] = 1 in iteration 0, with no barrier between.
// Source: [MAP] Fig. 15 first-iter, Table 1 test 2.

__global__ void first_iter(int *a, int n)
{
    a[threadIdx.x + 1] = threadIdx.x;
    for (int x = 0; x < n; x++) {
        a[threadIdx.x] = threadIdx.x;
        __syncthreads();
    }
}
